#include "commit/row_columns.h"

#include <stdlib.h>
#include <string.h>

#include "io/path.h"
#include "types/type.h"

/* Row ids that the commit writes columns of; no two overlap. */
typedef struct written_rows {
    int64_t from, to; /* both included */
} written_rows;

typedef struct column_search {
    pmn_committer *c;
    pmn_arena arena; /* of keys, and of one snapshot's lists */
    const pmn_map *partitions;
    written_rows *ranges;
    size_t n;
    pmn_map columns;     /* number of the range and field id */
    int64_t next_row_id; /* of the snapshot that the writer saw: rows from here on are none that it can have written */
    int64_t snapshot_id;
} column_search;

static int compare_written(const void *x, const void *y)
{
    const written_rows *a = x, *b = y;
    return a->from < b->from ? -1 : a->from > b->from;
}

static bool rows_of(const pmn_data_file *file, written_rows *out)
{
    if (file->first_row_id == PMN_NONE || file->row_count <= 0) return false;
    *out = (written_rows){ file->first_row_id, file->first_row_id + (file->row_count - 1) };
    return true;
}

static paimon_status find_ranges(column_search *s, const pmn_changes *files, paimon_error *err)
{
    size_t kept = 0;
    s->ranges = pmn_arena_calloc(&s->arena, files->n + 1, sizeof *s->ranges);
    if (!s->ranges) return pmn_fail_nomem(err, "row ids");
    for (size_t i = 0; i < files->n; i++) s->n += rows_of(&files->items[i].file, &s->ranges[s->n]);
    if (s->n > 1) qsort(s->ranges, s->n, sizeof *s->ranges, compare_written);
    for (size_t i = 0; i < s->n; i++) {
        written_rows *last = kept ? &s->ranges[kept - 1] : NULL;
        if (!last || s->ranges[i].from > last->to) s->ranges[kept++] = s->ranges[i];
        else if (s->ranges[i].to > last->to) last->to = s->ranges[i].to;
    }
    s->n = kept;
    return PAIMON_OK;
}

/* The first range that ends at `from` or later. */
static size_t first_range(const column_search *s, int64_t from)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->ranges[middle].to < from) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct column_key {
    uint64_t range;
    int64_t field;
} column_key;

static paimon_status add_column(column_search *s, size_t range, int32_t field, paimon_error *err)
{
    uint64_t *ignored;
    const column_key key = { range, field };
    const void *copy = pmn_arena_copy(&s->arena, &key, sizeof key);
    return copy ? pmn_map_put(&s->columns, pmn_slice_of(copy, sizeof key), &ignored, NULL, err) : pmn_fail_nomem(err, "columns");
}

static bool has_column(const column_search *s, size_t range, int32_t field)
{
    const column_key key = { range, field };
    return pmn_map_find(&s->columns, pmn_slice_of(&key, sizeof key)) != NULL;
}

/* The id of its column `i`; -1: it is none of the table's (a row's own id, say). */
static paimon_status column_id(const column_search *s, const pmn_data_file *file, int32_t i, int32_t *id, paimon_error *err)
{
    const pmn_table_schema *schema;
    PMN_TRY(pmn_source_schema(s->c->source, file->schema_id, &schema, err));
    int place = file->n_write_cols < 0 ? i : pmn_row_find(schema->row, file->write_cols[i]);
    *id = place >= 0 && place < schema->row->n_fields ? schema->row->fields[place].id : -1;
    return PAIMON_OK;
}

static paimon_status column_count(const column_search *s, const pmn_data_file *file, int32_t *n, paimon_error *err)
{
    const pmn_table_schema *schema;
    *n = file->n_write_cols;
    if (*n >= 0) return PAIMON_OK; /* else it has all */
    PMN_TRY(pmn_source_schema(s->c->source, file->schema_id, &schema, err));
    *n = schema->row->n_fields;
    return PAIMON_OK;
}

static paimon_status note_columns(column_search *s, const pmn_changes *files, paimon_error *err)
{
    for (size_t i = 0; i < files->n; i++) {
        written_rows rows;
        int32_t n, id;
        const pmn_data_file *file = &files->items[i].file;
        if (!rows_of(file, &rows)) continue;
        PMN_TRY(column_count(s, file, &n, err));
        for (int32_t k = 0; k < n; k++) {
            PMN_TRY(column_id(s, file, k, &id, err));
            if (id >= 0) PMN_TRY(add_column(s, first_range(s, rows.from), id, err));
        }
    }
    return PAIMON_OK;
}

static paimon_status meets_columns(const column_search *s, size_t range, const pmn_data_file *file, bool *meets, paimon_error *err)
{
    *meets = file->n_write_cols < 0;
    for (int32_t k = 0; k < file->n_write_cols && !*meets; k++) {
        int32_t id;
        PMN_TRY(column_id(s, file, k, &id, err));
        *meets = id >= 0 && has_column(s, range, id);
    }
    return PAIMON_OK;
}

static paimon_status compare_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    column_search *s = ctx;
    written_rows rows;
    if (!rows_of(&entry->file, &rows) || rows.from >= s->next_row_id) return PAIMON_OK;
    for (size_t i = first_range(s, rows.from); i < s->n && s->ranges[i].from <= rows.to; i++) {
        bool meets;
        PMN_TRY(meets_columns(s, i, &entry->file, &meets, err));
        if (meets)
            return pmn_fail(err, PAIMON_CONFLICT, "%s: snapshot %lld changed columns of rows %lld to %lld, which the commit writes too, by file %s",
                            s->c->source->path, (long long)s->snapshot_id, (long long)s->ranges[i].from, (long long)s->ranges[i].to, entry->file.name);
    }
    return PAIMON_OK;
}

static bool in_partitions(void *ctx, pmn_file_kind kind, pmn_slice partition, int32_t bucket, int32_t total_buckets)
{
    const column_search *s = ctx;
    (void)kind, (void)bucket, (void)total_buckets;
    return pmn_map_find(s->partitions, partition) != NULL;
}

static paimon_status compare_snapshot(column_search *s, pmn_arena *arena, const pmn_snapshot *snapshot, paimon_error *err)
{
    pmn_manifest_file *files;
    int32_t n;
    pmn_committer *c = s->c;
    pmn_manifest_visitor visitor = { .ctx = s, .wanted = PMN_ENTRY_NAME, .filter = in_partitions, .entry = compare_entry };
    if (snapshot->commit_kind == PMN_COMMIT_COMPACT) return PAIMON_OK; /* moves rows as they are */
    const char *path = pmn_path_join(arena, c->folder, snapshot->delta_manifest_list);
    if (!path) return pmn_fail_nomem(err, "a path");
    int64_t size = snapshot->delta_manifest_list_size;
    PMN_TRY(pmn_manifest_list_read(arena, c->source->fs, path, size == PMN_NONE ? -1 : size, &files, &n, err));
    for (int32_t i = 0; i < n; i++) {
        path = pmn_path_join(arena, c->folder, files[i].name);
        if (!path) return pmn_fail_nomem(err, "a path");
        PMN_TRY(pmn_manifest_read(c->source->mem, c->source->fs, path, files[i].size, &visitor, err));
    }
    return PAIMON_OK;
}

static paimon_status compare_history(column_search *s, int64_t from, const pmn_snapshot *latest, paimon_error *err)
{
    pmn_arena arena;
    paimon_status status = PAIMON_OK;
    pmn_arena_init(&arena, s->c->source->mem);
    for (int64_t id = from; id <= latest->id && status == PAIMON_OK; id++) {
        pmn_snapshot snapshot;
        pmn_arena_free(&arena);
        s->snapshot_id = id;
        status = id == latest->id ? PAIMON_OK : s->c->source->versions->snapshot(s->c->source, &arena, id, &snapshot, err);
        if (id == latest->id) snapshot = *latest;
        if (status != PAIMON_OK) break;
        if (id > from) status = compare_snapshot(s, &arena, &snapshot, err);
        else if (snapshot.next_row_id == PMN_NONE) status = pmn_fail(err, PAIMON_INVALID, "%s: snapshot %lld knows no row ids", s->c->source->path, (long long)id);
        else s->next_row_id = snapshot.next_row_id;
    }
    pmn_arena_free(&arena);
    return status;
}

paimon_status pmn_row_columns_check(pmn_committer *c, const pmn_delta *delta, const pmn_map *partitions, int64_t from, const pmn_snapshot *latest,
                                    paimon_error *err)
{
    column_search s = { .c = c, .partitions = partitions };
    if (from < 1 || from > latest->id)
        return pmn_fail(err, PAIMON_INVALID, "%s: row ids are to be checked from snapshot %lld on, the latest is %lld", c->source->path, (long long)from,
                        (long long)latest->id);
    pmn_arena_init(&s.arena, c->source->mem);
    pmn_map_init(&s.columns, c->source->mem);
    paimon_status status = find_ranges(&s, &delta->files, err);
    if (status == PAIMON_OK) status = note_columns(&s, &delta->files, err);
    if (status == PAIMON_OK && s.n) status = compare_history(&s, from, latest, err);
    pmn_map_free(&s.columns);
    pmn_arena_free(&s.arena);
    return status;
}
