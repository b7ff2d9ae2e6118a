#include "commit/row_ids.h"

#include <string.h>

#include "base/checked.h"

bool pmn_is_blob_file(const char *name)
{
    size_t n = strlen(name);
    return n >= 5 && strcmp(name + n - 5, ".blob") == 0;
}

bool pmn_is_vector_file(const char *name) { return strstr(name, ".vector.") != NULL; }

/* A compaction carries its numbers on, which stamping would make the newest. */
static bool stamps(const pmn_commit_settings *s, pmn_commit_kind kind) { return s->stamp_sequences && kind != PMN_COMMIT_COMPACT; }

bool pmn_row_ids_wanted(const pmn_commit_settings *s, pmn_commit_kind kind) { return s->row_tracking || stamps(s, kind); }

/* --- in which order --- */

/* The places of the entries, partition by partition in order of appearance. */
static paimon_status by_partition(const pmn_changes *in, pmn_map *partitions, size_t *order, size_t *starts, paimon_error *err)
{
    for (size_t i = 0; i < in->n; i++) {
        uint64_t *number;
        bool inserted;
        PMN_TRY(pmn_map_put(partitions, in->items[i].partition, &number, &inserted, err));
        if (inserted) *number = partitions->count - 1;
        starts[*number + 1]++;
    }
    for (size_t p = 0; p < partitions->count; p++) starts[p + 1] += starts[p];
    for (size_t i = 0; i < in->n; i++) {
        const uint64_t *number = pmn_map_find(partitions, in->items[i].partition);
        if (number) order[starts[*number]++] = i;
    }
    return PAIMON_OK;
}

static paimon_status copy_grouped(const pmn_commit_settings *s, const pmn_changes *in, pmn_changes *out, paimon_error *err)
{
    pmn_map partitions;
    size_t *order = pmn_arena_calloc(out->arena, in->n + 1, sizeof *order), *starts = pmn_arena_calloc(out->arena, in->n + 2, sizeof *starts);
    if (!order || !starts) return pmn_fail_nomem(err, "the entries of a commit");
    paimon_status status = PAIMON_OK;
    bool group = s->row_tracking && s->group_partitions;
    pmn_map_init(&partitions, out->arena->mem);
    if (group) status = by_partition(in, &partitions, order, starts, err);
    for (size_t i = 0; i < in->n && status == PAIMON_OK; i++) status = pmn_changes_add(out, &in->items[group ? order[i] : i], err);
    pmn_map_free(&partitions);
    return status;
}

/* --- numbers --- */

/* Zero stands for "the snapshot's" where rows are new (both), or some of them are (the greater one). */
static void give_sequences(pmn_data_file *file, int64_t snapshot_id)
{
    if (file->min_sequence == 0) file->min_sequence = file->max_sequence = snapshot_id;
    else if (file->max_sequence == 0) file->max_sequence = snapshot_id;
}

static bool has_write_column(const pmn_data_file *file, const char *name)
{
    for (int32_t i = 0; i < file->n_write_cols; i++)
        if (strcmp(file->write_cols[i], name) == 0) return true;
    return false;
}

typedef struct giving {
    int64_t next;        /* row id of the next file of rows */
    int64_t rows_start;  /* that of the last one */
    pmn_map blobs;       /* column → where its next file of BLOBs starts, behind rows_start */
    int64_t next_vector; /* where the next file of vectors starts */
} giving;

static paimon_status advance(int64_t *next, const pmn_data_file *file, paimon_error *err)
{
    if (pmn_add_i64(*next, file->row_count, next)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "the row ids of file %s do not fit 64 bits", file->name);
}

/* It covers rows of a file that came before it. */
static paimon_status give_beside(giving *g, pmn_data_file *file, paimon_error *err)
{
    uint64_t *done = NULL;
    int64_t start = g->next_vector;
    if (pmn_is_blob_file(file->name)) {
        if (file->n_write_cols < 1) return pmn_fail(err, PAIMON_INVALID, "BLOB file %s does not name its column", file->name);
        PMN_TRY(pmn_map_put(&g->blobs, pmn_slice_text(file->write_cols[0]), &done, NULL, err));
        start = g->rows_start + (int64_t)*done;
    }
    if (start >= g->next) return pmn_fail(err, PAIMON_INVALID, "file %s comes without the file that has the other columns of its rows", file->name);
    file->first_row_id = start;
    PMN_TRY(advance(&start, file, err));
    if (done) *done = (uint64_t)(start - g->rows_start);
    else g->next_vector = start;
    return PAIMON_OK;
}

static paimon_status give_rows(giving *g, pmn_file_kind kind, pmn_data_file *file, paimon_error *err)
{
    if (file->file_source < 0 && kind == PMN_FILE_ADD) return pmn_fail(err, PAIMON_INVALID, "file %s does not tell whether it was appended or compacted, which row ids need", file->name);
    if (file->file_source != 0 || file->first_row_id != PMN_NONE || has_write_column(file, "_ROW_ID")) return PAIMON_OK;
    if (pmn_is_beside_rows(file->name)) return give_beside(g, file, err);
    file->first_row_id = g->rows_start = g->next;
    pmn_map_free(&g->blobs);
    return advance(&g->next, file, err);
}

paimon_status pmn_row_ids_give(const pmn_commit_settings *s, pmn_commit_kind kind, int64_t snapshot_id, const pmn_changes *in, pmn_changes *out,
                               int64_t *next, paimon_error *err)
{
    giving g = { .next = *next, .rows_start = *next, .next_vector = *next };
    PMN_TRY(copy_grouped(s, in, out, err));
    paimon_status status = PAIMON_OK;
    pmn_map_init(&g.blobs, out->arena->mem);
    for (size_t i = 0; i < out->n && status == PAIMON_OK; i++) {
        pmn_manifest_entry *entry = &out->items[i];
        if (s->row_tracking) give_sequences(&entry->file, snapshot_id);
        if (s->row_tracking) status = give_rows(&g, entry->kind, &entry->file, err);
        if (stamps(s, kind) && entry->kind == PMN_FILE_ADD) entry->file.min_sequence = entry->file.max_sequence = snapshot_id;
    }
    pmn_map_free(&g.blobs);
    *next = g.next;
    return status;
}
