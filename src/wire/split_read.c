/* Bytes to a split. Every count is held against the bytes that are left, wrappers are counted, and every file's row is read once, so that a
 * split that came out is whole. */
#include <string.h>

#include "base/checked.h"
#include "meta/manifest/file_row.h"
#include "meta/snapshot/snapshot.h"
#include "wire/java_data.h"
#include "wire/split.h"

#define SPLIT_WRAPPERS 16 /* more than two are of no known use */
#define SPLIT_TEXTS_KEPT ((size_t)128 << 10) /* texts of files that were read are freed when there are more */

typedef struct split_input {
    pmn_java_input in;
    paimon_plan *plan;
    paimon_split *split;
    pmn_split_more *more;
    pmn_arena *arena; /* the plan's */
    pmn_arena texts;  /* of the file being read */
    pmn_slice partition;
} split_input;

static paimon_status newer(const split_input *s, const char *what, int32_t found, int32_t known)
{
    return pmn_fail(s->in.err, found > known ? PAIMON_UNSUPPORTED : PAIMON_CORRUPT, "%s of version %d, where this library reads 1 to %d", what,
                    (int)found, (int)known);
}

static bool next_is(const split_input *s, int64_t magic)
{
    return pmn_cursor_left(&s->in.c) >= 8 && (int64_t)pmn_load_be64(s->in.c.pos) == magic;
}

static PMN_MUST_USE paimon_status read_partition(split_input *s, const char *what)
{
    PMN_TRY(pmn_java_get_row(&s->in, what, &s->partition));
    return pmn_entries_partition(&s->plan->entries, s->partition, &s->split->partition, s->in.err);
}

/* --- files --- */

static paimon_status read_file(split_input *s, int32_t arity)
{
    pmn_slice row = { NULL, 0 };
    pmn_manifest_entry entry = { .kind = PMN_FILE_ADD,
                                 .partition = s->partition,
                                 .bucket = s->split->bucket,
                                 .total_buckets = s->split->total_buckets };
    size_t offset = pmn_cursor_offset(&s->in.c);
    PMN_TRY(pmn_java_get_framed(&s->in, "a file", &row));
    if (s->texts.total > SPLIT_TEXTS_KEPT) pmn_arena_free(&s->texts);
    PMN_TRY(pmn_file_row_read(row, arity, &s->texts, &entry.file, s->in.err));
    if (PMN_UNLIKELY(strchr(entry.file.name, '/') != NULL))
        return pmn_fail(s->in.err, PAIMON_CORRUPT, "'%.200s' cannot be the name of a data file", entry.file.name);
    return pmn_entries_add_row(&s->plan->entries, &entry, offset, s->in.err);
}

/* A list of files: their numbers among the entries. */
static paimon_status read_files(split_input *s, const char *what, int32_t arity, const uint32_t **numbers, uint32_t *n)
{
    int32_t count = 0;
    pmn_entries *set = &s->plan->entries;
    PMN_TRY(pmn_java_get_count(&s->in, what, 4 + 8 + 8 * (size_t)arity, &count));
    uint32_t *list = pmn_arena_alloc(s->arena, (size_t)count * sizeof *list);
    if (!list) return pmn_fail_nomem(s->in.err, "a split's files");
    PMN_TRY(pmn_entries_reserve(set, (size_t)count, s->in.err));
    set->row_arity = arity;
    for (int32_t i = 0; i < count; i++) {
        size_t at = pmn_cursor_offset(&s->in.c);
        list[i] = (uint32_t)set->n;
        paimon_status status = read_file(s, arity);
        if (PMN_UNLIKELY(status != PAIMON_OK)) {
            pmn_error_prefix(s->in.err, "%s, number %d at byte %zu", what, (int)i, at);
            return status;
        }
    }
    *numbers = list;
    *n = (uint32_t)count;
    return PAIMON_OK;
}

static paimon_status read_deletion(split_input *s, bool with_cardinality, pmn_deletion_file *out)
{
    bool there = false;
    out->cardinality = PMN_NONE;
    PMN_TRY(pmn_java_get_bool(&s->in, "a deletion file", &there));
    if (!there) return PAIMON_OK;
    PMN_TRY(pmn_java_get_utf(&s->in, "a deletion file's path", s->arena, &out->path));
    PMN_TRY(pmn_java_get_long(&s->in, "a deletion file's offset", &out->offset));
    PMN_TRY(pmn_java_get_long(&s->in, "a deletion file's length", &out->length));
    if (out->offset < 0 || out->length < 0)
        return pmn_fail(s->in.err, PAIMON_CORRUPT, "a deletion file of %lld bytes at %lld", (long long)out->length, (long long)out->offset);
    if (!with_cardinality) return PAIMON_OK;
    PMN_TRY(pmn_java_get_long(&s->in, "a deletion file's cardinality", &out->cardinality));
    if (out->cardinality == -1) out->cardinality = PMN_NONE;
    else if (out->cardinality < 0)
        return pmn_fail(s->in.err, PAIMON_CORRUPT, "a deletion file with %lld rows", (long long)out->cardinality);
    return PAIMON_OK;
}

static paimon_status read_deletions(split_input *s, const char *what, bool with_cardinality, uint32_t n_files, pmn_deletion_list *out)
{
    int32_t n = 0;
    PMN_TRY(pmn_java_get_bool(&s->in, what, &out->there));
    if (!out->there) return PAIMON_OK;
    PMN_TRY(pmn_java_get_count(&s->in, what, 1, &n));
    if ((uint32_t)n != n_files) return pmn_fail(s->in.err, PAIMON_CORRUPT, "%s: %d of them for %u files", what, (int)n, (unsigned)n_files);
    pmn_deletion_file *items = pmn_arena_calloc(s->arena, (size_t)n, sizeof *items);
    if (!items) return pmn_fail_nomem(s->in.err, what);
    for (int32_t i = 0; i < n; i++) PMN_TRY(read_deletion(s, with_cardinality, &items[i]));
    out->items = items;
    return PAIMON_OK;
}

/* --- the kinds --- */

/* Old streaming splits have files in the list before; Java writes an empty one since. */
static paimon_status read_data_body(split_input *s, int32_t version)
{
    paimon_split *split = s->split;
    int32_t arity = pmn_split_file_arity(version);
    PMN_TRY(pmn_java_get_long(&s->in, "the snapshot", &split->snapshot_id));
    PMN_TRY(read_partition(s, "the partition"));
    PMN_TRY(pmn_java_get_int(&s->in, "the bucket", &split->bucket));
    PMN_TRY(pmn_java_get_utf(&s->in, "the bucket's path", s->arena, &split->bucket_path));
    bool has_total = false;
    if (version >= 6) PMN_TRY(pmn_java_get_bool(&s->in, "the flag of total buckets", &has_total));
    if (has_total) PMN_TRY(pmn_java_get_int(&s->in, "total buckets", &split->total_buckets));
    s->more->no_total_buckets = !has_total;
    PMN_TRY(read_files(s, "files before", arity, &s->more->before_files, &s->more->n_before));
    PMN_TRY(read_deletions(s, "deletion files before", version >= 4, s->more->n_before, &s->more->before_deletions));
    PMN_TRY(read_files(s, "files", arity, &split->files, &split->n_files));
    PMN_TRY(read_deletions(s, "deletion files", version >= 4, split->n_files, &s->more->deletions));
    PMN_TRY(pmn_java_get_bool(&s->in, "the flag of streaming", &split->is_streaming));
    return pmn_java_get_bool(&s->in, "the flag of raw files", &split->raw_convertible);
}

static paimon_status read_data_split(split_input *s)
{
    int32_t version = 1;
    if (!next_is(s, PMN_SPLIT_MAGIC)) {
        paimon_status status = read_data_body(s, version);
        /* Any bytes could begin one of version 1: say what they were taken for. */
        if (status == PAIMON_CORRUPT) pmn_error_prefix(s->in.err, "no split of today (its first bytes are no mark of one), nor one of version 1");
        return status;
    }
    int64_t magic;
    PMN_TRY(pmn_java_get_long(&s->in, "the mark of a split", &magic));
    PMN_TRY(pmn_java_get_int(&s->in, "the version", &version));
    if (version < 1 || version > PMN_SPLIT_VERSION) return newer(s, "a split", version, PMN_SPLIT_VERSION);
    return read_data_body(s, version);
}

static paimon_status read_indexed(split_input *s)
{
    int64_t magic = 0;
    int32_t version = 0;
    PMN_TRY(pmn_java_get_long(&s->in, "the mark of an indexed split", &magic));
    if (magic != PMN_INDEXED_SPLIT_MAGIC) return pmn_fail(s->in.err, PAIMON_CORRUPT, "an indexed split without its mark");
    PMN_TRY(pmn_java_get_int(&s->in, "the version of an indexed split", &version));
    if (version != 1) return newer(s, "an indexed split", version, 1);
    PMN_TRY(read_data_split(s));
    PMN_TRY(pmn_java_get_count(&s->in, "ranges of row ids", 16, &s->more->n_ranges));
    int64_t *ranges = pmn_arena_alloc(s->arena, (size_t)s->more->n_ranges * 2 * sizeof *ranges);
    if (!ranges) return pmn_fail_nomem(s->in.err, "ranges of row ids");
    for (int32_t i = 0; i < s->more->n_ranges; i++) {
        PMN_TRY(pmn_java_get_long(&s->in, "a range's begin", &ranges[2 * i]));
        PMN_TRY(pmn_java_get_long(&s->in, "a range's end", &ranges[2 * i + 1]));
        if (ranges[2 * i] > ranges[2 * i + 1])
            return pmn_fail(s->in.err, PAIMON_CORRUPT, "a range of row ids from %lld to %lld", (long long)ranges[2 * i], (long long)ranges[2 * i + 1]);
    }
    s->more->ranges = ranges;
    PMN_TRY(pmn_java_get_bool(&s->in, "the flag of scores", &s->more->has_scores));
    if (!s->more->has_scores) return PAIMON_OK;
    PMN_TRY(pmn_java_get_count(&s->in, "scores", 4, &s->more->n_scores));
    uint32_t *scores = pmn_arena_alloc(s->arena, (size_t)s->more->n_scores * sizeof *scores);
    if (!scores) return pmn_fail_nomem(s->in.err, "scores");
    for (int32_t i = 0; i < s->more->n_scores; i++) PMN_TRY(pmn_java_get_int(&s->in, "a score", (int32_t *)&scores[i]));
    s->more->scores = scores;
    return PAIMON_OK;
}

static paimon_status read_incremental(split_input *s)
{
    paimon_split *split = s->split;
    int32_t version = 0;
    PMN_TRY(pmn_java_get_int(&s->in, "the version of an incremental split", &version));
    if (version < 1 || version > 2) return newer(s, "an incremental split", version, 2);
    int32_t arity = version == 1 ? 20 : 21;
    PMN_TRY(pmn_java_get_long(&s->in, "the snapshot", &split->snapshot_id));
    PMN_TRY(read_partition(s, "the partition"));
    PMN_TRY(pmn_java_get_int(&s->in, "the bucket", &split->bucket));
    PMN_TRY(pmn_java_get_int(&s->in, "total buckets", &split->total_buckets));
    PMN_TRY(read_files(s, "files before", arity, &s->more->before_files, &s->more->n_before));
    PMN_TRY(read_deletions(s, "deletion files before", true, s->more->n_before, &s->more->before_deletions));
    PMN_TRY(read_files(s, "files after", arity, &split->files, &split->n_files));
    PMN_TRY(read_deletions(s, "deletion files after", true, split->n_files, &s->more->deletions));
    return pmn_java_get_bool(&s->in, "the flag of streaming", &split->is_streaming);
}

static paimon_status read_utf_pairs(split_input *s, const char *what, int32_t *n, const pmn_text_pair **out)
{
    PMN_TRY(pmn_java_get_count(&s->in, what, 4, n));
    pmn_text_pair *pairs = pmn_arena_alloc(s->arena, (size_t)*n * sizeof *pairs);
    if (!pairs) return pmn_fail_nomem(s->in.err, what);
    for (int32_t i = 0; i < *n; i++) {
        PMN_TRY(pmn_java_get_utf(&s->in, what, s->arena, &pairs[i].key));
        PMN_TRY(pmn_java_get_utf(&s->in, what, s->arena, &pairs[i].value));
    }
    *out = pairs;
    return PAIMON_OK;
}

static paimon_status read_chain(split_input *s)
{
    int32_t version = 0;
    PMN_TRY(pmn_java_get_int(&s->in, "the version of a chain split", &version));
    if (version < 1 || version > 3) return newer(s, "a chain split", version, 3);
    PMN_TRY(read_partition(s, "the logical partition"));
    PMN_TRY(read_files(s, "files", version <= 2 ? 20 : 21, &s->split->files, &s->split->n_files));
    PMN_TRY(read_utf_pairs(s, "folders of files", &s->more->n_bucket_paths, &s->more->bucket_paths));
    PMN_TRY(read_utf_pairs(s, "branches of files", &s->more->n_branches, &s->more->branches));
    return version >= 2 ? read_deletions(s, "deletion files", true, s->split->n_files, &s->more->deletions) : PAIMON_OK;
}

/* --- what is around --- */

/* A text with its length in front, -1 for null. */
static paimon_status read_nullable_text(split_input *s, const char *what, const char **out)
{
    *out = NULL;
    if (pmn_cursor_left(&s->in.c) >= 4 && (int32_t)pmn_load_be32(s->in.c.pos) < 0) {
        int32_t minus_one;
        return pmn_java_get_int(&s->in, what, &minus_one);
    }
    return pmn_java_get_framed_text(&s->in, what, s->arena, out);
}

static paimon_status read_filter(split_input *s, pmn_split_wrapper *w)
{
    PMN_TRY(pmn_java_get_count(&s->in, "predicates", 4, &w->n_filter));
    const char **filter = pmn_arena_alloc(s->arena, (size_t)w->n_filter * sizeof *filter);
    if (!filter) return pmn_fail_nomem(s->in.err, "predicates");
    for (int32_t i = 0; i < w->n_filter; i++) PMN_TRY(read_nullable_text(s, "a predicate", &filter[i]));
    w->filter = filter;
    return PAIMON_OK;
}

static paimon_status read_masking(split_input *s, pmn_split_wrapper *w)
{
    PMN_TRY(pmn_java_get_count(&s->in, "masks", 8, &w->n_masking));
    pmn_text_pair *masking = pmn_arena_alloc(s->arena, (size_t)w->n_masking * sizeof *masking);
    if (!masking) return pmn_fail_nomem(s->in.err, "masks");
    for (int32_t i = 0; i < w->n_masking; i++) {
        PMN_TRY(read_nullable_text(s, "a mask's column", &masking[i].key));
        PMN_TRY(read_nullable_text(s, "a mask", &masking[i].value));
    }
    w->masking = masking;
    return PAIMON_OK;
}

/* What a QueryAuthSplit has behind the split in it. */
static paimon_status read_auth_result(split_input *s, pmn_split_wrapper *w)
{
    PMN_TRY(pmn_java_get_bool(&s->in, "the flag of an authorization", &w->has_result));
    if (!w->has_result) return PAIMON_OK;
    PMN_TRY(pmn_java_get_bool(&s->in, "the flag of predicates", &w->has_filter));
    if (w->has_filter) PMN_TRY(read_filter(s, w));
    PMN_TRY(pmn_java_get_bool(&s->in, "the flag of masks", &w->has_masking));
    return w->has_masking ? read_masking(s, w) : PAIMON_OK;
}

static paimon_status read_envelope(split_input *s, int32_t *type)
{
    int64_t magic = 0;
    int32_t version = 0;
    PMN_TRY(pmn_java_get_long(&s->in, "the mark of the outer form", &magic));
    if (magic != PMN_SPLIT_ENVELOPE_MAGIC) return pmn_fail(s->in.err, PAIMON_CORRUPT, "a split without the mark of its outer form");
    PMN_TRY(pmn_java_get_int(&s->in, "the version of the outer form", &version));
    if (version != 1) return newer(s, "the outer form of a split", version, 1);
    return pmn_java_get_int(&s->in, "the type of the split", type);
}

/* Outer forms until one has no split in the outer form in it. */
static paimon_status read_wrappers(split_input *s, pmn_split_wrapper *wrappers, int32_t *n, int32_t *type)
{
    for (;;) {
        PMN_TRY(read_envelope(s, type));
        if (*type != PMN_SPLIT_TYPE_QUERY_AUTH && *type != PMN_SPLIT_TYPE_FALLBACK) return PAIMON_OK;
        if (*n == SPLIT_WRAPPERS) return pmn_fail(s->in.err, PAIMON_CORRUPT, "a split within more than %d others", SPLIT_WRAPPERS);
        pmn_split_wrapper *w = &wrappers[(*n)++];
        w->is_auth = *type == PMN_SPLIT_TYPE_QUERY_AUTH;
        if (!w->is_auth) PMN_TRY(pmn_java_get_bool(&s->in, "the flag of the fallback", &w->is_fallback));
    }
}

static paimon_status read_fallback_data(split_input *s)
{
    PMN_TRY(read_data_split(s));
    return pmn_java_get_bool(&s->in, "the flag of the fallback", &s->more->is_fallback);
}

static paimon_status read_typed(split_input *s, int32_t type)
{
    switch (type) {
    case PMN_SPLIT_TYPE_DATA: return read_data_split(s);
    case PMN_SPLIT_TYPE_INCREMENTAL: s->more->kind = PMN_SPLIT_INCREMENTAL; return read_incremental(s);
    case PMN_SPLIT_TYPE_INDEXED: s->more->kind = PMN_SPLIT_INDEXED; return read_indexed(s);
    case PMN_SPLIT_TYPE_CHAIN: s->more->kind = PMN_SPLIT_CHAIN; return read_chain(s);
    case PMN_SPLIT_TYPE_FALLBACK_DATA: s->more->kind = PMN_SPLIT_FALLBACK_DATA; return read_fallback_data(s);
    default: return pmn_fail(s->in.err, PAIMON_UNSUPPORTED, "a split of type %d, where this library reads types 1 to 7", (int)type);
    }
}

static paimon_status read_enveloped(split_input *s)
{
    pmn_split_wrapper wrappers[SPLIT_WRAPPERS] = { { 0 } };
    int32_t n = 0, type = 0;
    s->more->enveloped = true;
    PMN_TRY(read_wrappers(s, wrappers, &n, &type));
    PMN_TRY(read_typed(s, type));
    for (int32_t i = n; i-- > 0;)
        if (wrappers[i].is_auth) PMN_TRY(read_auth_result(s, &wrappers[i]));
    if (n == 0) return PAIMON_OK;
    s->more->n_wrappers = n;
    s->more->wrappers = pmn_arena_copy(s->arena, wrappers, (size_t)n * sizeof wrappers[0]);
    return s->more->wrappers ? PAIMON_OK : pmn_fail_nomem(s->in.err, "a split");
}

static paimon_status read_any(split_input *s)
{
    if (next_is(s, PMN_SPLIT_ENVELOPE_MAGIC)) return read_enveloped(s);
    if (next_is(s, PMN_INDEXED_SPLIT_MAGIC)) return read_typed(s, PMN_SPLIT_TYPE_INDEXED);
    PMN_TRY(read_data_split(s));
    if (pmn_cursor_left(&s->in.c) != 1) return PAIMON_OK;
    s->more->kind = PMN_SPLIT_FALLBACK_DATA;
    return pmn_java_get_bool(&s->in, "the flag of the fallback", &s->more->is_fallback);
}

static paimon_status add_up(split_input *s)
{
    paimon_split *split = s->split;
    for (uint32_t i = 0; i < split->n_files; i++) {
        const pmn_entry *file = pmn_split_file(split, i);
        if (!pmn_add_i64(split->row_count, file->row_count, &split->row_count) || !pmn_add_i64(split->size_bytes, file->size, &split->size_bytes))
            return pmn_fail(s->in.err, PAIMON_CORRUPT, "the files' rows or bytes are more than 64 bits count");
    }
    s->plan->snapshot_id = split->snapshot_id;
    s->plan->n_files = split->n_files;
    return PAIMON_OK;
}

/* Plain splits need nothing beside themselves. */
static bool is_plain(const pmn_split_more *more)
{
    return more->kind == PMN_SPLIT_DATA && !more->enveloped && !more->no_total_buckets && !more->deletions.there && !more->before_deletions.there &&
           more->n_before == 0;
}

static paimon_status read_split(split_input *s)
{
    paimon_plan *plan = s->plan;
    plan->splits = pmn_arena_calloc(s->arena, 1, sizeof *plan->splits);
    pmn_split_more *more = pmn_arena_calloc(s->arena, 1, sizeof *more);
    if (!plan->splits || !more) return pmn_fail_nomem(s->in.err, "a split");
    s->split = &plan->splits[0];
    s->more = more;
    plan->n_splits = 1;
    *s->split = (paimon_split){ .plan = plan, .total_buckets = -1, .bucket_path = "" };
    PMN_TRY(read_any(s));
    PMN_TRY(pmn_java_end(&s->in, "a split"));
    s->split->more = is_plain(more) ? NULL : more;
    return add_up(s);
}

paimon_status pmn_split_read(pmn_mem *mem, pmn_slice bytes, paimon_plan **out, paimon_error *err)
{
    split_input s = { 0 };
    *out = NULL;
    PMN_TRY(pmn_plan_new(mem, NULL, &s.plan, err));
    s.arena = &s.plan->arena;
    pmn_arena_init(&s.texts, mem);
    /* Kept whole: the rows of the files stay where they are in it. */
    const uint8_t *kept = pmn_arena_copy(s.arena, bytes.data, bytes.size);
    s.plan->entries.rows = pmn_slice_of(kept, bytes.size);
    s.in = pmn_java_input_of(s.plan->entries.rows, err);
    paimon_status status = kept ? read_split(&s) : pmn_fail_nomem(err, "a split's bytes");
    pmn_arena_free(&s.texts);
    if (status == PAIMON_OK) *out = s.plan;
    else pmn_plan_release(s.plan);
    return status;
}
