#include "commit/row_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "commit/row_ids.h"

/* --- sets of ranges --- */

/* Row ids `from` to `to`, both included, of one group: of a bucket, or of all. */
typedef struct row_range {
    size_t group;
    int64_t from, to;
} row_range;

typedef struct range_set {
    row_range *items;
    size_t n;
} range_set;

static int compare_row_ranges(const void *x, const void *y)
{
    const row_range *a = x, *b = y;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

/* Sort, and make one of those that overlap; with `adjacent`, of those that touch, too. */
static void settle(range_set *set, bool adjacent)
{
    size_t kept = 0;
    if (set->n > 1) qsort(set->items, set->n, sizeof *set->items, compare_row_ranges);
    for (size_t i = 0; i < set->n; i++) {
        row_range *last = kept ? &set->items[kept - 1] : NULL, next = set->items[i];
        bool joins = last && last->group == next.group && (next.from <= last->to || (adjacent && next.from - 1 == last->to));
        if (!joins) set->items[kept++] = next;
        else if (next.to > last->to) last->to = next.to;
    }
    set->n = kept;
}

/* The range of the set that ends at `from` or later; NULL: none. */
static const row_range *range_at(const range_set *set, size_t group, int64_t from)
{
    size_t low = 0, high = set->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const row_range *r = &set->items[middle];
        if (r->group < group || (r->group == group && r->to < from)) low = middle + 1;
        else high = middle;
    }
    return low < set->n && set->items[low].group == group ? &set->items[low] : NULL;
}

static bool set_covers(const range_set *set, row_range r)
{
    const row_range *at = range_at(set, r.group, r.from);
    return at && at->from <= r.from && at->to >= r.to;
}

static bool set_has(const range_set *set, row_range r)
{
    const row_range *at = range_at(set, r.group, r.from);
    return at && at->from == r.from && at->to == r.to;
}

static bool set_meets(const range_set *set, row_range r)
{
    const row_range *at = range_at(set, r.group, r.from);
    return at && at->from <= r.to;
}

static bool has_rows(const pmn_living *file) { return file->first_row_id != PMN_NONE && file->row_count > 0; }

static row_range range_of(const pmn_living *file, size_t group)
{
    return (row_range){ group, file->first_row_id, file->first_row_id + (file->row_count - 1) };
}

/* --- the case --- */

typedef struct ranging {
    const pmn_row_ranges_case *c;
    pmn_arena *arena;
    pmn_map buckets; /* partition and bucket → number of the group */
    pmn_map names;   /* of files that the commit adds or deletes */
    range_set changed;
} ranging;

static paimon_status group_of(ranging *r, pmn_slice partition, int32_t bucket, size_t *group, paimon_error *err)
{
    uint64_t *number;
    bool inserted;
    uint8_t *key = pmn_arena_alloc(r->arena, partition.size + 4);
    if (!key) return pmn_fail_nomem(err, "buckets");
    pmn_store_le32(key, (uint32_t)bucket);
    if (partition.size) memcpy(key + 4, partition.data, partition.size);
    PMN_TRY(pmn_map_put(&r->buckets, pmn_slice_of(key, partition.size + 4), &number, &inserted, err));
    if (inserted) *number = r->buckets.count; /* 0 is for all */
    *group = *number;
    return PAIMON_OK;
}

static paimon_status new_set(ranging *r, size_t most, range_set *set, paimon_error *err)
{
    *set = (range_set){ .items = pmn_arena_calloc(r->arena, most + 1, sizeof *set->items) };
    return set->items ? PAIMON_OK : pmn_fail_nomem(err, "row ids");
}

/* Which row ids, and which files, the commit speaks of: others are none of its business. */
static paimon_status note_changes(ranging *r, paimon_error *err)
{
    const pmn_changes *files = &r->c->delta->files;
    const pmn_index_changes *indexes = &r->c->delta->indexes;
    uint64_t *ignored;
    PMN_TRY(new_set(r, files->n + indexes->n, &r->changed, err));
    for (size_t i = 0; i < files->n; i++) {
        pmn_living file = pmn_living_of(&files->items[i]);
        PMN_TRY(pmn_map_put(&r->names, pmn_slice_text(file.name), &ignored, NULL, err));
        if (has_rows(&file)) r->changed.items[r->changed.n++] = range_of(&file, 0);
    }
    for (size_t i = 0; i < indexes->n; i++)
        if (indexes->items[i].kind == PMN_FILE_ADD && indexes->items[i].has_global)
            r->changed.items[r->changed.n++] = (row_range){ 0, indexes->items[i].row_range_start, indexes->items[i].row_range_end };
    settle(&r->changed, true);
    return PAIMON_OK;
}

static bool is_concerned(const ranging *r, const pmn_living *file)
{
    return has_rows(file) && (set_meets(&r->changed, range_of(file, 0)) || pmn_map_find(&r->names, pmn_slice_text(file->name)));
}

typedef enum range_files { FILES_OF_ROWS, FILES_OF_ALL } range_files;

/* The ranges of living files: of each bucket, or of all together. */
static paimon_status ranges_of(ranging *r, const pmn_living *files, size_t n, range_files which, bool by_bucket, bool adjacent, range_set *set,
                               paimon_error *err)
{
    PMN_TRY(new_set(r, n, set, err));
    for (size_t i = 0; i < n; i++) {
        size_t group = 0;
        if (!is_concerned(r, &files[i]) || (which == FILES_OF_ROWS && pmn_is_beside_rows(files[i].name))) continue;
        if (by_bucket) PMN_TRY(group_of(r, files[i].partition, files[i].bucket, &group, err));
        set->items[set->n++] = range_of(&files[i], group);
    }
    settle(set, adjacent);
    return PAIMON_OK;
}

/* --- rules --- */

static paimon_status fail_range(const ranging *r, const char *name, row_range range, const char *why, paimon_error *err)
{
    return pmn_fail(err, PAIMON_CONFLICT, "%s: file %s has the rows %lld to %lld, %s", r->c->source->path, name, (long long)range.from,
                    (long long)range.to, why);
}

paimon_status pmn_row_ranges_same(const pmn_source *source, const pmn_manifest_entry *deleted, const pmn_living *there, paimon_error *err)
{
    const pmn_data_file *file = &deleted->file;
    if (file->first_row_id == there->first_row_id && file->row_count == there->row_count) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CONFLICT, "%s: file %s was to be deleted, but its row ids are others since", source->path, file->name);
}

/* New columns of rows that exist: exactly the rows of a file there, or, for a file beside others, rows of one. */
static paimon_status check_written(ranging *r, paimon_error *err)
{
    const pmn_row_ranges_case *c = r->c;
    range_set there;
    PMN_TRY(ranges_of(r, c->base, c->n_base, FILES_OF_ROWS, false, false, &there, err));
    for (size_t i = 0; i < c->delta->files.n; i++) {
        const pmn_manifest_entry *entry = &c->delta->files.items[i];
        pmn_living file = pmn_living_of(entry);
        if (entry->kind != PMN_FILE_ADD || !has_rows(&file) || c->next_row_id == PMN_NONE || file.first_row_id >= c->next_row_id) continue;
        row_range range = range_of(&file, 0);
        if (pmn_is_beside_rows(file.name) ? set_covers(&there, range) : set_has(&there, range)) continue;
        return fail_range(r, file.name, range, "which no file of the table has any more", err);
    }
    return PAIMON_OK;
}

/* A compaction keeps row ids where they were. */
static paimon_status check_compacted(ranging *r, paimon_error *err)
{
    const pmn_row_ranges_case *c = r->c;
    range_set there;
    PMN_TRY(ranges_of(r, c->base, c->n_base, FILES_OF_ROWS, true, true, &there, err));
    for (size_t i = 0; i < c->delta->files.n; i++) {
        const pmn_manifest_entry *entry = &c->delta->files.items[i];
        pmn_living file = pmn_living_of(entry);
        size_t group;
        if (entry->kind != PMN_FILE_ADD || !has_rows(&file)) continue;
        PMN_TRY(group_of(r, file.partition, file.bucket, &group, err));
        if (!set_covers(&there, range_of(&file, group)))
            return fail_range(r, file.name, range_of(&file, group), "which files of its bucket do not have any more", err);
    }
    return PAIMON_OK;
}

/* Afterwards, files of rows have the same row ids or none in common, and what lies beside them those of one file. */
static paimon_status check_outcome(ranging *r, paimon_error *err)
{
    const pmn_row_ranges_case *c = r->c;
    range_set single, merged;
    PMN_TRY(new_set(r, c->n_after, &single, err));
    for (size_t i = 0; i < c->n_after; i++)
        if (is_concerned(r, &c->after[i]) && !pmn_is_beside_rows(c->after[i].name)) single.items[single.n++] = range_of(&c->after[i], 0);
    if (single.n > 1) qsort(single.items, single.n, sizeof *single.items, compare_row_ranges);
    for (size_t i = 0; i + 1 < single.n; i++) {
        const row_range *a = &single.items[i], *b = a + 1;
        if (b->from > a->to || (a->from == b->from && a->to == b->to)) continue;
        return pmn_fail(err, PAIMON_CONFLICT, "%s: after this commit, files of rows %lld to %lld and %lld to %lld would overlap", c->source->path,
                        (long long)a->from, (long long)a->to, (long long)b->from, (long long)b->to);
    }
    PMN_TRY(ranges_of(r, c->after, c->n_after, FILES_OF_ROWS, false, false, &merged, err));
    for (size_t i = 0; i < c->n_after; i++)
        if (is_concerned(r, &c->after[i]) && pmn_is_beside_rows(c->after[i].name) && !set_covers(&merged, range_of(&c->after[i], 0)))
            return fail_range(r, c->after[i].name, range_of(&c->after[i], 0), "which are not those of one file any more", err);
    return PAIMON_OK;
}

static paimon_status check_indexed(ranging *r, paimon_error *err)
{
    const pmn_row_ranges_case *c = r->c;
    const pmn_index_changes *indexes = &c->delta->indexes;
    range_set there;
    if (!indexes->adds_global) return PAIMON_OK;
    PMN_TRY(ranges_of(r, c->base, c->n_base, FILES_OF_ALL, true, true, &there, err));
    for (size_t i = 0; i < indexes->n; i++) {
        const pmn_index_entry *entry = &indexes->items[i];
        row_range range = { 0, entry->row_range_start, entry->row_range_end };
        if (entry->kind != PMN_FILE_ADD || !entry->has_global) continue;
        PMN_TRY(group_of(r, entry->partition, entry->bucket, &range.group, err));
        if (!set_covers(&there, range)) return fail_range(r, entry->file_name, range, "which the table's files do not all have: they went, or got other ids", err);
    }
    return PAIMON_OK;
}

paimon_status pmn_row_ranges_check(const pmn_row_ranges_case *c, pmn_arena *arena, paimon_error *err)
{
    ranging r = { .c = c, .arena = arena };
    pmn_map_init(&r.buckets, arena->mem);
    pmn_map_init(&r.names, arena->mem);
    paimon_status status = note_changes(&r, err);
    if (status == PAIMON_OK) status = c->kind == PMN_COMMIT_COMPACT ? check_compacted(&r, err) : check_written(&r, err);
    if (status == PAIMON_OK && c->check_outcome) status = check_outcome(&r, err);
    if (status == PAIMON_OK) status = check_indexed(&r, err);
    pmn_map_free(&r.buckets);
    pmn_map_free(&r.names);
    return status;
}
