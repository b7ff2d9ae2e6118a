/* A split to bytes, as Java writes them. Files are looked at in their order, so that each block of their manifest is decoded once. */
#include <string.h>

#include "meta/manifest/file_row.h"
#include "meta/snapshot/snapshot.h"
#include "wire/java_data.h"
#include "wire/split.h"

typedef struct split_output {
    const paimon_split *split;
    const pmn_split_more *more;
    int32_t version;
    pmn_buf *out;
    pmn_manifest_lens *lens;
    pmn_arena arena; /* texts of a file */
    paimon_error *err;
} split_output;

#define SPLIT_WRITE_TEXTS ((size_t)128 << 10)
#define SPLIT_WRITE_GUESS ((size_t)64 << 20) /* at most so much is asked for before it is needed */

/* Room for the other files, if they are like the first: growing by doubling would move a large split again and again. */
static paimon_status reserve_like_first(split_output *o, size_t size, uint32_t n)
{
    size_t guess = size + size / 8;
    PMN_TRY(pmn_buf_reserve(o->out, guess < SPLIT_WRITE_GUESS / n ? guess * n : SPLIT_WRITE_GUESS, o->err));
    pmn_mem_will_fill(pmn_buf_end(o->out), o->out->capacity - o->out->size);
    return PAIMON_OK;
}

static paimon_status write_files(split_output *o, const uint32_t *files, uint32_t n)
{
    const pmn_entries *set = &o->split->plan->entries;
    int32_t arity = pmn_split_file_arity(o->version);
    PMN_TRY(pmn_java_put_int(o->out, (int32_t)n, o->err));
    size_t begun = o->out->size;
    for (uint32_t i = 0; i < n; i++) {
        if (i == 1) PMN_TRY(reserve_like_first(o, o->out->size - begun, n));
        if (o->arena.total > SPLIT_WRITE_TEXTS) pmn_arena_free(&o->arena);
        PMN_TRY(pmn_entries_write_row(set, &set->items[files[i]], o->lens, &o->arena, arity, o->out, o->err));
    }
    return PAIMON_OK;
}

static paimon_status write_deletions(split_output *o, const pmn_deletion_list *list, uint32_t n)
{
    PMN_TRY(pmn_java_put_bool(o->out, list->there, o->err));
    if (!list->there) return PAIMON_OK;
    PMN_TRY(pmn_java_put_int(o->out, (int32_t)n, o->err));
    for (uint32_t i = 0; i < n; i++) {
        const pmn_deletion_file *d = &list->items[i];
        PMN_TRY(pmn_java_put_bool(o->out, d->path != NULL, o->err));
        if (!d->path) continue;
        PMN_TRY(pmn_java_put_utf(o->out, d->path, o->err));
        PMN_TRY(pmn_java_put_long(o->out, d->offset, o->err));
        PMN_TRY(pmn_java_put_long(o->out, d->length, o->err));
        PMN_TRY(pmn_java_put_long(o->out, d->cardinality == PMN_NONE ? -1 : d->cardinality, o->err));
    }
    return PAIMON_OK;
}

static paimon_status write_data(split_output *o)
{
    const paimon_split *split = o->split;
    PMN_TRY(pmn_java_put_long(o->out, PMN_SPLIT_MAGIC, o->err));
    PMN_TRY(pmn_java_put_int(o->out, o->version, o->err));
    PMN_TRY(pmn_java_put_long(o->out, split->snapshot_id, o->err));
    PMN_TRY(pmn_java_put_framed(o->out, pmn_split_partition(split), o->err));
    PMN_TRY(pmn_java_put_int(o->out, split->bucket, o->err));
    PMN_TRY(pmn_java_put_utf(o->out, split->bucket_path, o->err));
    PMN_TRY(pmn_java_put_bool(o->out, !o->more->no_total_buckets, o->err));
    if (!o->more->no_total_buckets) PMN_TRY(pmn_java_put_int(o->out, split->total_buckets, o->err));
    PMN_TRY(write_files(o, o->more->before_files, o->more->n_before));
    PMN_TRY(write_deletions(o, &o->more->before_deletions, o->more->n_before));
    PMN_TRY(write_files(o, split->files, split->n_files));
    PMN_TRY(write_deletions(o, &o->more->deletions, split->n_files));
    PMN_TRY(pmn_java_put_bool(o->out, split->is_streaming, o->err));
    return pmn_java_put_bool(o->out, split->raw_convertible, o->err);
}

static paimon_status write_indexed(split_output *o)
{
    const pmn_split_more *more = o->more;
    PMN_TRY(pmn_java_put_long(o->out, PMN_INDEXED_SPLIT_MAGIC, o->err));
    PMN_TRY(pmn_java_put_int(o->out, 1, o->err));
    PMN_TRY(write_data(o));
    PMN_TRY(pmn_java_put_int(o->out, more->n_ranges, o->err));
    for (int64_t i = 0; i < 2 * (int64_t)more->n_ranges; i++) PMN_TRY(pmn_java_put_long(o->out, more->ranges[i], o->err));
    PMN_TRY(pmn_java_put_bool(o->out, more->has_scores, o->err));
    if (!more->has_scores) return PAIMON_OK;
    PMN_TRY(pmn_java_put_int(o->out, more->n_scores, o->err));
    for (int32_t i = 0; i < more->n_scores; i++) PMN_TRY(pmn_java_put_int(o->out, (int32_t)more->scores[i], o->err));
    return PAIMON_OK;
}

/* Version 1 goes with DataSplit 8, version 2 with 9: so many fields has a file. */
static paimon_status write_incremental(split_output *o)
{
    const paimon_split *split = o->split;
    PMN_TRY(pmn_java_put_int(o->out, o->version == 8 ? 1 : 2, o->err));
    PMN_TRY(pmn_java_put_long(o->out, split->snapshot_id, o->err));
    PMN_TRY(pmn_java_put_framed(o->out, pmn_split_partition(split), o->err));
    PMN_TRY(pmn_java_put_int(o->out, split->bucket, o->err));
    PMN_TRY(pmn_java_put_int(o->out, split->total_buckets, o->err));
    PMN_TRY(write_files(o, o->more->before_files, o->more->n_before));
    PMN_TRY(write_deletions(o, &o->more->before_deletions, o->more->n_before));
    PMN_TRY(write_files(o, split->files, split->n_files));
    PMN_TRY(write_deletions(o, &o->more->deletions, split->n_files));
    return pmn_java_put_bool(o->out, split->is_streaming, o->err);
}

static paimon_status write_utf_pairs(split_output *o, const pmn_text_pair *pairs, int32_t n)
{
    PMN_TRY(pmn_java_put_int(o->out, n, o->err));
    for (int32_t i = 0; i < n; i++) {
        PMN_TRY(pmn_java_put_utf(o->out, pairs[i].key, o->err));
        PMN_TRY(pmn_java_put_utf(o->out, pairs[i].value, o->err));
    }
    return PAIMON_OK;
}

/* Version 2 goes with DataSplit 8, version 3 with 9. */
static paimon_status write_chain(split_output *o)
{
    PMN_TRY(pmn_java_put_int(o->out, o->version == 8 ? 2 : 3, o->err));
    PMN_TRY(pmn_java_put_framed(o->out, pmn_split_partition(o->split), o->err));
    PMN_TRY(write_files(o, o->split->files, o->split->n_files));
    PMN_TRY(write_utf_pairs(o, o->more->bucket_paths, o->more->n_bucket_paths));
    PMN_TRY(write_utf_pairs(o, o->more->branches, o->more->n_branches));
    return write_deletions(o, &o->more->deletions, o->split->n_files);
}

static paimon_status write_envelope(split_output *o, pmn_split_type type)
{
    PMN_TRY(pmn_java_put_long(o->out, PMN_SPLIT_ENVELOPE_MAGIC, o->err));
    PMN_TRY(pmn_java_put_int(o->out, 1, o->err));
    return pmn_java_put_int(o->out, type, o->err);
}

static paimon_status write_nullable_text(split_output *o, const char *text)
{
    return text ? pmn_java_put_framed(o->out, pmn_slice_text(text), o->err) : pmn_java_put_int(o->out, -1, o->err);
}

static paimon_status write_auth_result(split_output *o, const pmn_split_wrapper *w)
{
    PMN_TRY(pmn_java_put_bool(o->out, w->has_result, o->err));
    if (!w->has_result) return PAIMON_OK;
    PMN_TRY(pmn_java_put_bool(o->out, w->has_filter, o->err));
    if (w->has_filter) PMN_TRY(pmn_java_put_int(o->out, w->n_filter, o->err));
    for (int32_t i = 0; i < w->n_filter; i++) PMN_TRY(write_nullable_text(o, w->filter[i]));
    PMN_TRY(pmn_java_put_bool(o->out, w->has_masking, o->err));
    if (w->has_masking) PMN_TRY(pmn_java_put_int(o->out, w->n_masking, o->err));
    for (int32_t i = 0; i < w->n_masking; i++) {
        PMN_TRY(write_nullable_text(o, w->masking[i].key));
        PMN_TRY(write_nullable_text(o, w->masking[i].value));
    }
    return PAIMON_OK;
}

static paimon_status write_kind(split_output *o)
{
    switch (o->more->kind) {
    case PMN_SPLIT_DATA: return write_data(o);
    case PMN_SPLIT_FALLBACK_DATA: PMN_TRY(write_data(o)); return pmn_java_put_bool(o->out, o->more->is_fallback, o->err);
    case PMN_SPLIT_INDEXED: return write_indexed(o);
    case PMN_SPLIT_INCREMENTAL: return write_incremental(o);
    case PMN_SPLIT_CHAIN: return write_chain(o);
    }
    return pmn_fail(o->err, PAIMON_INTERNAL, "a split of kind %d", (int)o->more->kind);
}

static paimon_status write_split(split_output *o, bool enveloped)
{
    static const pmn_split_type types[] = {
        [PMN_SPLIT_DATA] = PMN_SPLIT_TYPE_DATA,
        [PMN_SPLIT_FALLBACK_DATA] = PMN_SPLIT_TYPE_FALLBACK_DATA,
        [PMN_SPLIT_INDEXED] = PMN_SPLIT_TYPE_INDEXED,
        [PMN_SPLIT_INCREMENTAL] = PMN_SPLIT_TYPE_INCREMENTAL,
        [PMN_SPLIT_CHAIN] = PMN_SPLIT_TYPE_CHAIN,
    };
    const pmn_split_more *more = o->more;
    for (int32_t i = 0; i < more->n_wrappers; i++) {
        const pmn_split_wrapper *w = &more->wrappers[i];
        PMN_TRY(write_envelope(o, w->is_auth ? PMN_SPLIT_TYPE_QUERY_AUTH : PMN_SPLIT_TYPE_FALLBACK));
        if (!w->is_auth) PMN_TRY(pmn_java_put_bool(o->out, w->is_fallback, o->err));
    }
    if (enveloped || more->n_wrappers > 0 || more->kind == PMN_SPLIT_INCREMENTAL || more->kind == PMN_SPLIT_CHAIN)
        PMN_TRY(write_envelope(o, types[more->kind]));
    PMN_TRY(write_kind(o));
    for (int32_t i = more->n_wrappers; i-- > 0;)
        if (more->wrappers[i].is_auth) PMN_TRY(write_auth_result(o, &more->wrappers[i]));
    return PAIMON_OK;
}

paimon_status pmn_split_write(const paimon_split *split, int32_t version, bool enveloped, pmn_buf *out, paimon_error *err)
{
    split_output o = { .split = split, .more = pmn_split_more_of(split), .version = version, .out = out, .err = err };
    if (version < PMN_SPLIT_OLDEST_WRITTEN || version > PMN_SPLIT_VERSION)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "writing a split of version %d; versions %d and %d are written", (int)version,
                        PMN_SPLIT_OLDEST_WRITTEN, PMN_SPLIT_VERSION);
    PMN_TRY(pmn_plan_take_lens(split->plan, &o.lens, err));
    pmn_arena_init(&o.arena, split->plan->mem);
    paimon_status status = write_split(&o, enveloped);
    pmn_arena_free(&o.arena);
    pmn_plan_return_lens(split->plan, o.lens);
    return status;
}
