/* A split's JSON: the fields of DataSplit and of all 21 of DataFileMeta, under the names that the format gives them; then, of the other
 * kinds, what Java's classes hold beside that. Rows (partition, keys, statistics) are hex of their serialized form. */
#include "base/json.h"
#include "meta/snapshot/snapshot.h"
#include "wire/json.h"

static paimon_status json_text(pmn_buf *out, const char *text, paimon_error *err)
{
    return text ? pmn_json_quote(out, pmn_slice_text(text), err) : pmn_buf_append_text(out, "null", err);
}

static paimon_status json_number(pmn_buf *out, int64_t n, paimon_error *err)
{
    return n == PMN_NONE ? pmn_buf_append_text(out, "null", err) : pmn_buf_printf(out, err, "%lld", (long long)n);
}

typedef struct json_input {
    const paimon_split *split;
    const pmn_split_more *more;
    pmn_manifest_lens *lens;
    pmn_arena arena; /* of the file being shown */
} json_input;

static paimon_status json_files(pmn_buf *out, json_input *in, const uint32_t *files, uint32_t n, paimon_error *err)
{
    const pmn_entries *set = &in->split->plan->entries;
    PMN_TRY(pmn_buf_append_byte(out, '[', err));
    for (uint32_t i = 0; i < n; i++) {
        pmn_manifest_entry detail;
        if (i) PMN_TRY(pmn_buf_append_byte(out, ',', err));
        PMN_TRY(pmn_entries_look(set, &set->items[files[i]], in->lens, &in->arena, &detail, err));
        PMN_TRY(pmn_json_put_file(out, &detail.file, err));
        pmn_arena_free(&in->arena);
    }
    return pmn_buf_append_byte(out, ']', err);
}

static paimon_status json_deletions(pmn_buf *out, const pmn_deletion_list *list, uint32_t n, paimon_error *err)
{
    if (!list->there) return pmn_buf_append_text(out, "null", err);
    PMN_TRY(pmn_buf_append_byte(out, '[', err));
    for (uint32_t i = 0; i < n; i++) {
        const pmn_deletion_file *d = &list->items[i];
        if (i) PMN_TRY(pmn_buf_append_byte(out, ',', err));
        PMN_TRY(pmn_buf_append_text(out, d->path ? "{\"path\":" : "null", err));
        if (!d->path) continue;
        PMN_TRY(json_text(out, d->path, err));
        PMN_TRY(pmn_buf_printf(out, err, ",\"offset\":%lld,\"length\":%lld,\"cardinality\":", (long long)d->offset, (long long)d->length));
        PMN_TRY(json_number(out, d->cardinality, err));
        PMN_TRY(pmn_buf_append_byte(out, '}', err));
    }
    return pmn_buf_append_byte(out, ']', err);
}

/* --- what the other kinds have --- */

static paimon_status json_pairs(pmn_buf *out, const char *key, const pmn_text_pair *pairs, int32_t n, paimon_error *err)
{
    PMN_TRY(pmn_buf_printf(out, err, ",\"%s\":[", key));
    for (int32_t i = 0; i < n; i++) {
        PMN_TRY(pmn_buf_append_text(out, i ? ",[" : "[", err));
        PMN_TRY(json_text(out, pairs[i].key, err));
        PMN_TRY(pmn_buf_append_byte(out, ',', err));
        PMN_TRY(json_text(out, pairs[i].value, err));
        PMN_TRY(pmn_buf_append_byte(out, ']', err));
    }
    return pmn_buf_append_byte(out, ']', err);
}

static paimon_status json_indexed(pmn_buf *out, const pmn_split_more *more, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, ",\"rowRanges\":[", err));
    for (int32_t i = 0; i < more->n_ranges; i++)
        PMN_TRY(pmn_buf_printf(out, err, "%s[%lld,%lld]", i ? "," : "", (long long)more->ranges[2 * i], (long long)more->ranges[2 * i + 1]));
    if (!more->has_scores) return pmn_buf_append_text(out, "],\"scores\":null", err);
    PMN_TRY(pmn_buf_append_text(out, "],\"scores\":[", err)); /* hex of their bits: NaN has no place in JSON */
    for (int32_t i = 0; i < more->n_scores; i++) PMN_TRY(pmn_buf_printf(out, err, "%s\"%08x\"", i ? "," : "", (unsigned)more->scores[i]));
    return pmn_buf_append_byte(out, ']', err);
}

static paimon_status json_before(pmn_buf *out, json_input *in, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, ",\"beforeDeletionFiles\":", err));
    PMN_TRY(json_deletions(out, &in->more->before_deletions, in->more->n_before, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"beforeFiles\":", err));
    return json_files(out, in, in->more->before_files, in->more->n_before, err);
}

static paimon_status json_wrapper(pmn_buf *out, const pmn_split_wrapper *w, paimon_error *err)
{
    if (!w->is_auth) return pmn_buf_printf(out, err, "{\"kind\":\"FallbackSplitImpl\",\"isFallback\":%s}", w->is_fallback ? "true" : "false");
    PMN_TRY(pmn_buf_append_text(out, "{\"kind\":\"QueryAuthSplit\",\"filter\":", err));
    PMN_TRY(pmn_buf_append_text(out, w->has_filter ? "[" : "null", err));
    for (int32_t i = 0; i < w->n_filter; i++) {
        if (i) PMN_TRY(pmn_buf_append_byte(out, ',', err));
        PMN_TRY(json_text(out, w->filter[i], err));
    }
    if (w->has_filter) PMN_TRY(pmn_buf_append_byte(out, ']', err));
    if (w->has_masking) PMN_TRY(json_pairs(out, "columnMasking", w->masking, w->n_masking, err));
    else PMN_TRY(pmn_buf_append_text(out, ",\"columnMasking\":null", err));
    return pmn_buf_append_byte(out, '}', err);
}

static paimon_status json_wrappers(pmn_buf *out, const pmn_split_more *more, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, ",\"within\":[", err));
    for (int32_t i = 0; i < more->n_wrappers; i++) {
        if (i) PMN_TRY(pmn_buf_append_byte(out, ',', err));
        PMN_TRY(json_wrapper(out, &more->wrappers[i], err));
    }
    return pmn_buf_append_byte(out, ']', err);
}

static paimon_status json_more(pmn_buf *out, json_input *in, paimon_error *err)
{
    static const char *const kinds[] = { "DataSplit", "FallbackDataSplit", "IndexedSplit", "IncrementalSplit", "ChainSplit" };
    const pmn_split_more *more = in->more;
    if (more->n_before > 0 || more->before_deletions.there || more->kind == PMN_SPLIT_INCREMENTAL) PMN_TRY(json_before(out, in, err));
    if (more->kind != PMN_SPLIT_DATA || more->n_wrappers > 0) PMN_TRY(pmn_buf_printf(out, err, ",\"kind\":\"%s\"", kinds[more->kind]));
    if (more->kind == PMN_SPLIT_FALLBACK_DATA) PMN_TRY(pmn_buf_printf(out, err, ",\"isFallback\":%s", more->is_fallback ? "true" : "false"));
    if (more->kind == PMN_SPLIT_INDEXED) PMN_TRY(json_indexed(out, more, err));
    if (more->kind == PMN_SPLIT_CHAIN) {
        PMN_TRY(json_pairs(out, "fileBucketPathMapping", more->bucket_paths, more->n_bucket_paths, err));
        PMN_TRY(json_pairs(out, "fileBranchMapping", more->branches, more->n_branches, err));
    }
    return more->n_wrappers > 0 ? json_wrappers(out, more, err) : PAIMON_OK;
}

static paimon_status json_split(pmn_buf *out, json_input *in, paimon_error *err)
{
    const paimon_split *split = in->split;
    PMN_TRY(pmn_buf_append_text(out, "{\"snapshot\":", err));
    PMN_TRY(json_number(out, split->snapshot_id, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"partition\":", err));
    PMN_TRY(pmn_json_put_hex(out, pmn_split_partition(split), err));
    PMN_TRY(pmn_buf_printf(out, err, ",\"bucket\":%d,\"bucketPath\":", (int)split->bucket));
    PMN_TRY(json_text(out, split->bucket_path, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"totalBuckets\":", err));
    PMN_TRY(json_number(out, in->more->no_total_buckets ? PMN_NONE : split->total_buckets, err));
    PMN_TRY(pmn_buf_printf(out, err, ",\"isStreaming\":%s,\"rawConvertible\":%s,\"deletionFiles\":", split->is_streaming ? "true" : "false",
                           split->raw_convertible ? "true" : "false"));
    PMN_TRY(json_deletions(out, &in->more->deletions, split->n_files, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"dataFiles\":", err));
    PMN_TRY(json_files(out, in, split->files, split->n_files, err));
    PMN_TRY(json_more(out, in, err));
    return pmn_buf_append_byte(out, '}', err);
}

paimon_status pmn_json_put_split(pmn_buf *out, const paimon_split *split, paimon_error *err)
{
    json_input in = { .split = split, .more = pmn_split_more_of(split) };
    PMN_TRY(pmn_plan_take_lens(split->plan, &in.lens, err));
    pmn_arena_init(&in.arena, split->plan->mem);
    paimon_status status = json_split(out, &in, err);
    pmn_arena_free(&in.arena);
    pmn_plan_return_lens(split->plan, in.lens);
    return status;
}
