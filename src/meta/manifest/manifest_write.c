/* Manifests, manifest lists and index manifests: written. A manifest grows in memory (it is cut at a few megabytes) and goes out
 * whole, so that nothing half written ever has a name. Java: ManifestFile, ManifestList, IndexManifestFile. */
#include "meta/manifest/manifest_write.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/random.h"
#include "io/path.h"
#include "meta/manifest/manifest_schemas.h"
#include "meta/snapshot/snapshot.h"
#include "types/row_codec.h"

#define ENTRIES_A_CHECK 1000 /* Java looks at the size after every 1000 entries */

typedef struct part_stat {
    pmn_datum min, max; /* is_null: none yet */
    int64_t nulls;
} part_stat;

struct pmn_manifest_writer {
    pmn_manifest_writer_options options;
    pmn_arena arena; /* of the writer: types, names, what was written */
    const pmn_type *stats_type; /* the partition's, all nullable: bounds of a column of nulls are null */
    /* the open manifest */
    bool open;
    pmn_avro_writer avro;
    pmn_manifest_file meta;
    bool row_ids_known;
    part_stat *stats; /* one a partition column */
    pmn_datum *row;
    pmn_arena values; /* of bounds and of last_partition */
    pmn_slice last_partition;
    int64_t n_last; /* entries of it that the null counts do not have yet */
    /* what was finished */
    pmn_manifest_file *done;
    int32_t n_done;
    size_t capacity;
    bool finished;
};

static paimon_status make_stats_type(pmn_manifest_writer *w, paimon_error *err)
{
    const pmn_type *type = w->options.partition_type;
    size_t n = (size_t)type->n_fields;
    pmn_field *fields = pmn_arena_calloc(&w->arena, n ? n : 1, sizeof *fields);
    w->stats = pmn_arena_calloc(&w->arena, n ? n : 1, sizeof *w->stats);
    w->row = pmn_arena_calloc(&w->arena, n ? n : 1, sizeof *w->row);
    if (!fields || !w->stats || !w->row) return pmn_fail_nomem(err, "a manifest");
    for (size_t i = 0; i < n; i++) {
        fields[i] = type->fields[i];
        fields[i].type = pmn_type_with_null(&w->arena, type->fields[i].type, true);
        if (!fields[i].type) return pmn_fail_nomem(err, "a manifest");
    }
    w->stats_type = pmn_type_row(&w->arena, false, fields, type->n_fields);
    return w->stats_type ? PAIMON_OK : pmn_fail_nomem(err, "a manifest");
}

paimon_status pmn_manifest_writer_new(const pmn_manifest_writer_options *options, pmn_manifest_writer **out, paimon_error *err)
{
    *out = NULL;
    pmn_manifest_writer *w = pmn_calloc(options->mem, 1, sizeof *w);
    if (!w) return pmn_fail_nomem(err, "a manifest");
    w->options = *options;
    pmn_arena_init(&w->arena, options->mem);
    pmn_arena_init(&w->values, options->mem);
    paimon_status status = make_stats_type(w, err);
    if (status == PAIMON_OK) *out = w;
    else pmn_manifest_writer_free(w);
    return status;
}

static paimon_status new_container(pmn_mem *mem, const pmn_manifest_codec *codec, const char *schema, pmn_avro_writer *avro, paimon_error *err)
{
    uint8_t sync[16];
    PMN_TRY(pmn_random_bytes(sync, sizeof sync, err));
    return pmn_avro_writer_init(avro, mem, schema, codec->avro_codec, codec->zstd_level, sync, err);
}

static paimon_status open_manifest(pmn_manifest_writer *w, paimon_error *err)
{
    PMN_TRY(new_container(w->options.mem, &w->options.codec, pmn_manifest_avro_schema, &w->avro, err));
    w->open = true;
    w->meta = (pmn_manifest_file){ .schema_id = INT64_MIN,
                                   .min_bucket = PMN_NONE,
                                   .max_bucket = PMN_NONE,
                                   .min_level = PMN_NONE,
                                   .max_level = PMN_NONE,
                                   .min_row_id = PMN_NONE,
                                   .max_row_id = PMN_NONE };
    w->row_ids_known = true;
    w->n_last = 0;
    pmn_arena_free(&w->values);
    for (int32_t i = 0; i < w->stats_type->n_fields; i++) w->stats[i] = (part_stat){ .min.is_null = true, .max.is_null = true };
    return PAIMON_OK;
}

static void widen(int64_t *min, int64_t *max, int64_t low, int64_t high)
{
    if (*min == PMN_NONE || low < *min) *min = low;
    if (*max == PMN_NONE || high > *max) *max = high;
}

/* The entries of the last partition into the null counts. */
static void settle_nulls(pmn_manifest_writer *w)
{
    for (int32_t i = 0; i < w->stats_type->n_fields && w->n_last; i++)
        if (w->row[i].is_null) w->stats[i].nulls += w->n_last;
    w->n_last = 0;
}

/* Byte strings have no bounds: Java compares none of them. */
static bool has_bounds(const pmn_type *type)
{
    return !pmn_type_is_bytes(type) && type->kind != PMN_BLOB;
}

/* Entries of a partition come in runs: only the first of a run is decoded. */
static paimon_status count_partition(pmn_manifest_writer *w, pmn_slice partition, paimon_error *err)
{
    if (w->n_last && pmn_slice_equal(partition, w->last_partition)) {
        w->n_last++;
        return PAIMON_OK;
    }
    settle_nulls(w);
    const void *copy = pmn_arena_copy(&w->values, partition.data, partition.size);
    if (!copy) return pmn_fail_nomem(err, "a manifest");
    w->last_partition = pmn_slice_of(copy, partition.size);
    pmn_row_view view;
    PMN_TRY(pmn_row_parse(w->last_partition, &view, err));
    if (view.arity != w->stats_type->n_fields)
        return pmn_fail(err, PAIMON_INVALID, "a partition of %d columns in a table of %d partition keys", (int)view.arity, (int)w->stats_type->n_fields);
    PMN_TRY(pmn_row_get_all(&view, w->stats_type, w->row, err));
    w->n_last = 1;
    for (int32_t i = 0; i < w->stats_type->n_fields; i++) {
        const pmn_type *type = w->stats_type->fields[i].type;
        part_stat *stat = &w->stats[i];
        if (w->row[i].is_null || !has_bounds(type)) continue;
        if (stat->min.is_null || pmn_datum_compare(type, &w->row[i], &stat->min) < 0) stat->min = w->row[i];
        if (stat->max.is_null || pmn_datum_compare(type, &w->row[i], &stat->max) > 0) stat->max = w->row[i];
    }
    return PAIMON_OK;
}

static paimon_status row_of_bounds(pmn_manifest_writer *w, bool max, pmn_slice *out, paimon_error *err)
{
    pmn_buf buf;
    pmn_buf_init(&buf, w->options.mem, PMN_BUF_NO_CEILING);
    for (int32_t i = 0; i < w->stats_type->n_fields; i++) w->row[i] = max ? w->stats[i].max : w->stats[i].min;
    paimon_status status = pmn_row_write_serialized(&buf, w->stats_type, w->row, err);
    if (status == PAIMON_OK) {
        const void *copy = pmn_arena_copy(&w->arena, buf.data, buf.size);
        if (copy) *out = pmn_slice_of(copy, buf.size);
        else status = pmn_fail_nomem(err, "a manifest");
    }
    pmn_buf_free(&buf);
    return status;
}

static paimon_status finish_stats(pmn_manifest_writer *w, paimon_error *err)
{
    int32_t n = w->stats_type->n_fields;
    settle_nulls(w);
    int64_t *nulls = pmn_arena_calloc(&w->arena, n ? (size_t)n : 1, sizeof *nulls);
    if (!nulls) return pmn_fail_nomem(err, "a manifest");
    for (int32_t i = 0; i < n; i++) nulls[i] = w->stats[i].nulls;
    w->meta.partition_stats.null_counts = nulls;
    w->meta.partition_stats.n_null_counts = n;
    PMN_TRY(row_of_bounds(w, false, &w->meta.partition_stats.min, err));
    PMN_TRY(row_of_bounds(w, true, &w->meta.partition_stats.max, err));
    if (!w->row_ids_known) w->meta.min_row_id = w->meta.max_row_id = PMN_NONE;
    if (w->meta.schema_id == INT64_MIN) w->meta.schema_id = w->options.schema_id;
    return PAIMON_OK;
}

static paimon_status keep_done(pmn_manifest_writer *w, paimon_error *err)
{
    pmn_manifest_file *grown = pmn_arena_grow(&w->arena, w->done, (size_t)w->n_done, &w->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "a list of manifests");
    w->done = grown;
    w->done[w->n_done++] = w->meta;
    return PAIMON_OK;
}

/* All memory is taken before the file is written, so that a written file is always known. */
static paimon_status close_manifest(pmn_manifest_writer *w, paimon_error *err)
{
    char name[96];
    PMN_TRY(pmn_avro_writer_finish(&w->avro, err));
    PMN_TRY(finish_stats(w, err));
    snprintf(name, sizeof name, "manifest-%s-%d", w->options.uuid, (int)(*w->options.counter)++);
    w->meta.name = pmn_arena_strdup(&w->arena, name);
    char *path = pmn_path_join(&w->arena, w->options.folder, name);
    if (!w->meta.name || !path) return pmn_fail_nomem(err, "a manifest's name");
    w->meta.size = (int64_t)w->avro.file.size;
    PMN_TRY(keep_done(w, err));
    paimon_status status = pmn_fs_write_new(w->options.fs, path, w->avro.file.data, w->avro.file.size, err);
    if (status == PAIMON_ALREADY_EXISTS) w->n_done--; /* not ours: it must not be removed */
    pmn_avro_writer_free(&w->avro);
    w->open = false;
    return status;
}

paimon_status pmn_manifest_writer_add(pmn_manifest_writer *w, const pmn_manifest_entry *entry, paimon_error *err)
{
    if (!w->open) PMN_TRY(open_manifest(w, err));
    const pmn_data_file *file = &entry->file;
    PMN_TRY(count_partition(w, entry->partition, err));
    PMN_TRY(pmn_manifest_entry_put(&w->avro.block, entry, err));
    PMN_TRY(pmn_avro_writer_end_record(&w->avro, err));
    if (entry->kind == PMN_FILE_ADD) w->meta.n_added++;
    else w->meta.n_deleted++;
    if (file->schema_id > w->meta.schema_id) w->meta.schema_id = file->schema_id;
    widen(&w->meta.min_bucket, &w->meta.max_bucket, entry->bucket, entry->bucket);
    widen(&w->meta.min_level, &w->meta.max_level, file->level, file->level);
    int64_t row_end; /* ids past the last number there is, and a file without: the bounds say nothing */
    if (file->first_row_id == PMN_NONE || !pmn_add_i64(file->first_row_id, file->row_count, &row_end)) w->row_ids_known = false;
    else widen(&w->meta.min_row_id, &w->meta.max_row_id, file->first_row_id, row_end - 1);
    bool check = w->avro.n_records % ENTRIES_A_CHECK == 0;
    return check && (int64_t)w->avro.file.size >= w->options.target_bytes ? close_manifest(w, err) : PAIMON_OK;
}

static bool copy_slice_to(pmn_arena *arena, pmn_slice *slice)
{
    if (!slice->data) return true;
    slice->data = pmn_arena_copy(arena, slice->data, slice->size);
    return slice->data != NULL;
}

paimon_status pmn_manifest_file_copy(pmn_arena *arena, const pmn_manifest_file *from, pmn_manifest_file *to, paimon_error *err)
{
    *to = *from;
    pmn_simple_stats *stats = &to->partition_stats;
    to->name = pmn_arena_strdup(arena, to->name);
    bool copied = to->name && copy_slice_to(arena, &stats->min) && copy_slice_to(arena, &stats->max);
    if (copied && stats->n_null_counts > 0) {
        stats->null_counts = pmn_arena_copy(arena, stats->null_counts, (size_t)stats->n_null_counts * sizeof(int64_t));
        copied = stats->null_counts != NULL;
    }
    return copied ? PAIMON_OK : pmn_fail_nomem(err, "a list of manifests");
}

paimon_status pmn_manifest_writer_finish(pmn_manifest_writer *w, pmn_arena *arena, pmn_manifest_file **out, int32_t *n, paimon_error *err)
{
    if (w->open) PMN_TRY(close_manifest(w, err));
    pmn_manifest_file *copy = pmn_arena_calloc(arena, w->n_done ? (size_t)w->n_done : 1, sizeof *copy);
    if (!copy) return pmn_fail_nomem(err, "a list of manifests");
    for (int32_t i = 0; i < w->n_done; i++) PMN_TRY(pmn_manifest_file_copy(arena, &w->done[i], &copy[i], err));
    *out = copy;
    *n = w->n_done;
    w->finished = true;
    return PAIMON_OK;
}

void pmn_manifest_writer_free(pmn_manifest_writer *w)
{
    if (!w) return;
    for (int32_t i = 0; i < w->n_done && !w->finished; i++) {
        const char *path = pmn_path_join(&w->arena, w->options.folder, w->done[i].name);
        /* Quietly: what cannot be removed is an orphan, which harms nobody. */
        if (path && pmn_fs_remove(w->options.fs, path, NULL) != PAIMON_OK) continue;
    }
    pmn_avro_writer_free(&w->avro);
    pmn_arena_free(&w->values);
    pmn_arena_free(&w->arena);
    pmn_free(w->options.mem, w, sizeof *w);
}

static paimon_status write_container(paimon_fs *fs, const char *path, pmn_avro_writer *avro, int64_t *size, paimon_error *err)
{
    PMN_TRY(pmn_avro_writer_finish(avro, err));
    *size = (int64_t)avro->file.size;
    return pmn_fs_write_new(fs, path, avro->file.data, avro->file.size, err);
}

paimon_status pmn_manifest_list_write(pmn_mem *mem, paimon_fs *fs, const char *path, const pmn_manifest_codec *codec, const pmn_manifest_file *items,
                                      int32_t n, int64_t *size, paimon_error *err)
{
    pmn_avro_writer avro;
    PMN_TRY(new_container(mem, codec, pmn_manifest_list_avro_schema, &avro, err));
    paimon_status status = PAIMON_OK;
    for (int32_t i = 0; i < n && status == PAIMON_OK; i++) {
        status = pmn_manifest_file_put(&avro.block, &items[i], err);
        if (status == PAIMON_OK) status = pmn_avro_writer_end_record(&avro, err);
    }
    if (status == PAIMON_OK) status = write_container(fs, path, &avro, size, err);
    pmn_avro_writer_free(&avro);
    return status;
}

paimon_status pmn_index_manifest_write(pmn_mem *mem, paimon_fs *fs, const char *path, const pmn_manifest_codec *codec, const pmn_index_entry *items,
                                       int32_t n, int64_t *size, paimon_error *err)
{
    pmn_avro_writer avro;
    PMN_TRY(new_container(mem, codec, pmn_index_manifest_avro_schema, &avro, err));
    paimon_status status = PAIMON_OK;
    for (int32_t i = 0; i < n && status == PAIMON_OK; i++) {
        status = pmn_index_entry_put(&avro.block, &items[i], err);
        if (status == PAIMON_OK) status = pmn_avro_writer_end_record(&avro, err);
    }
    if (status == PAIMON_OK) status = write_container(fs, path, &avro, size, err);
    pmn_avro_writer_free(&avro);
    return status;
}
