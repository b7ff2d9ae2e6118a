/* Tests on statistics and partitions. Statistics are those of Paimon Java, slips included: see slipped_maximum(). */
#include "scan/prune.h"

#include <string.h>

static paimon_status split_predicate(pmn_prune *prune, const pmn_pred *pred, paimon_error *err)
{
    const pmn_table_schema *schema = prune->source->schema;
    int32_t n = schema->row->n_fields;
    bool *is_partition = pmn_arena_calloc(prune->arena, (size_t)n, sizeof *is_partition);
    int32_t *number = pmn_arena_calloc(prune->arena, (size_t)n, sizeof *number);
    if (!is_partition || !number) return pmn_fail_nomem(err, "a scan's predicate");
    for (int32_t i = 0; i < schema->n_partition_keys; i++) {
        is_partition[schema->partition_columns[i]] = true;
        number[schema->partition_columns[i]] = i;
    }
    const pmn_pred *inside = NULL;
    PMN_TRY(pmn_pred_split(prune->arena, pred, is_partition, n, &inside, &prune->rest, err));
    if (inside->kind != PMN_PRED_TRUE) PMN_TRY(pmn_pred_remap(prune->arena, inside, number, n, &prune->partition, err));
    if (prune->rest->kind == PMN_PRED_TRUE) prune->rest = NULL;
    return PAIMON_OK;
}

paimon_status pmn_prune_init(pmn_prune *prune, pmn_source *source, pmn_arena *arena, const paimon_predicate *predicate, paimon_error *err)
{
    memset(prune, 0, sizeof *prune);
    prune->source = source;
    prune->arena = arena;
    PMN_TRY(pmn_options_int(&source->options, "scan.bucket", -1, &prune->only_bucket, err));
    prune->row = pmn_arena_calloc(arena, (size_t)source->schema->n_partition_keys + 1, sizeof *prune->row);
    if (!prune->row) return pmn_fail_nomem(err, "a partition's values");
    const pmn_pred *pred = NULL;
    if (predicate) {
        PMN_TRY(pmn_pred_bind(arena, source->schema->row, predicate, &pred, err));
        PMN_TRY(split_predicate(prune, pred, err));
    }
    return pmn_buckets_init(&prune->buckets, source, arena, pred, err);
}

/* Java cuts a long text and raises the last code point of the rest to get a maximum. Past U+D7FF that gives half a surrogate
 * pair, which is written as '?' and lies below the values: a maximum that ends so may be too low. */
static bool slipped_maximum(const pmn_type *type, const pmn_datum *max)
{
    return pmn_type_is_text(type) && !max->is_null && max->v.bytes.size > 0 && max->v.bytes.data[max->v.bytes.size - 1] == '?';
}

/* One field of a min and a max row; unknown stays what `out` came as. */
static bool stats_bounds(const pmn_simple_stats *stats, int32_t i, const pmn_type *type, pmn_stat *out)
{
    pmn_row_view min, max;
    pmn_datum low, high;
    out->min.is_null = out->max.is_null = true;
    out->null_count = i < stats->n_null_counts ? stats->null_counts[i] : -1;
    if (out->null_count > out->row_count) out->null_count = -1;
    bool parsed = pmn_row_parse(stats->min, &min, NULL) == PAIMON_OK && pmn_row_parse(stats->max, &max, NULL) == PAIMON_OK;
    if (!parsed || i >= min.arity || i >= max.arity) return out->null_count >= 0;
    if (pmn_row_get(&min, i, type, &low, NULL) != PAIMON_OK || pmn_row_get(&max, i, type, &high, NULL) != PAIMON_OK)
        return out->null_count >= 0;
    out->min = low;
    out->max = high;
    if (slipped_maximum(type, &high)) out->max.is_null = true;
    return true;
}

static bool manifest_stat(void *ctx, const pmn_pred *leaf, pmn_stat *out)
{
    const pmn_manifest_file *manifest = ctx;
    if (leaf->n_path != 1) return false;
    return stats_bounds(&manifest->partition_stats, leaf->path[0], leaf->type, out);
}

bool pmn_prune_keeps_manifest(pmn_prune *prune, const pmn_manifest_file *manifest)
{
    int64_t b = prune->only_bucket;
    if (b >= 0 && manifest->min_bucket != PMN_NONE && manifest->max_bucket != PMN_NONE && (b < manifest->min_bucket || b > manifest->max_bucket))
        return false;
    if (!prune->partition) return true;
    int64_t rows = manifest->n_added + manifest->n_deleted;
    return pmn_pred_may_match(prune->partition, rows, manifest_stat, (void *)(uintptr_t)manifest);
}

paimon_status pmn_prune_keeps_partition(pmn_prune *prune, pmn_slice partition, bool *keep, paimon_error *err)
{
    *keep = true;
    if (!prune->partition) return PAIMON_OK;
    pmn_row_view view;
    PMN_TRY(pmn_row_parse(partition, &view, err));
    PMN_TRY(pmn_row_get_all(&view, prune->source->schema->partition_type, prune->row, err));
    *keep = pmn_pred_eval_row(prune->partition, prune->row, prune->source->schema->n_partition_keys);
    return PAIMON_OK;
}

bool pmn_prune_keeps_bucket(pmn_prune *prune, int32_t bucket, int32_t total_buckets)
{
    if (prune->only_bucket >= 0 && bucket != prune->only_bucket) return false;
    return pmn_buckets_keep(&prune->buckets, bucket, total_buckets);
}

/* --- statistics of a file --- */

static paimon_status new_stats_map(pmn_prune *prune, int64_t schema_id, pmn_stats_map **out, paimon_error *err)
{
    pmn_stats_map *grown = pmn_arena_grow(prune->arena, prune->maps, (size_t)prune->n_maps, &prune->maps_capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "the schemas of a scan");
    prune->maps = grown;
    pmn_stats_map *map = &prune->maps[prune->n_maps];
    map->schema_id = schema_id;
    PMN_TRY(pmn_source_schema(prune->source, schema_id, &map->schema, err));
    const pmn_type *table = prune->source->schema->row, *file = map->schema->row;
    map->columns = pmn_arena_calloc(prune->arena, (size_t)table->n_fields, sizeof *map->columns);
    if (!map->columns) return pmn_fail_nomem(err, "the columns of a scan");
    for (int32_t i = 0; i < table->n_fields; i++) {
        int at = pmn_row_find_id(file, table->fields[i].id);
        map->columns[i] = at;
        if (at >= 0 && !pmn_type_equal_ignoring_null(file->fields[at].type, table->fields[i].type)) map->columns[i] = -2;
    }
    prune->n_maps++;
    *out = map;
    return PAIMON_OK;
}

static paimon_status stats_map_of(pmn_prune *prune, int64_t schema_id, pmn_stats_map **out, paimon_error *err)
{
    for (int32_t i = 0; i < prune->n_maps; i++)
        if (prune->maps[i].schema_id == schema_id) {
            *out = &prune->maps[i];
            return PAIMON_OK;
        }
    return new_stats_map(prune, schema_id, out, err);
}

typedef struct file_view {
    const pmn_prune *prune;
    const pmn_stats_map *map;
    const pmn_manifest_entry *entry;
} file_view;

/* Where a column of the file's schema stands in its statistics: _VALUE_STATS_COLS names the columns that have some (null: all
 * of _WRITE_COLS, null again: all of the schema). -1: nowhere. */
static int32_t stats_position(const file_view *view, int32_t column)
{
    const pmn_data_file *file = &view->entry->file;
    int32_t n = file->n_value_stats_cols;
    const char *const *names = (const char *const *)file->value_stats_cols;
    if (n < 0) {
        n = file->n_write_cols;
        names = (const char *const *)file->write_cols;
    }
    if (n < 0) return column;
    const char *name = view->map->schema->row->fields[column].name;
    for (int32_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

/* The partition's value is in every row of the file. */
static bool partition_stat(const file_view *view, int32_t column, const pmn_type *type, pmn_stat *out)
{
    const pmn_table_schema *schema = view->prune->source->schema;
    for (int32_t i = 0; i < schema->n_partition_keys; i++) {
        if (schema->partition_columns[i] != column) continue;
        pmn_row_view row;
        pmn_datum value;
        if (pmn_row_parse(view->entry->partition, &row, NULL) != PAIMON_OK || i >= row.arity) return false;
        if (pmn_row_get(&row, i, type, &value, NULL) != PAIMON_OK) return false;
        out->null_count = value.is_null ? out->row_count : 0;
        out->min = out->max = value;
        return true;
    }
    return false;
}

static bool file_stat(void *ctx, const pmn_pred *leaf, pmn_stat *out)
{
    const file_view *view = ctx;
    if (leaf->n_path != 1) return false;
    if (partition_stat(view, leaf->path[0], leaf->type, out)) return true;
    int32_t column = view->map->columns[leaf->path[0]];
    if (column == -1) { /* a column added later: null in every row of this file */
        out->null_count = out->row_count;
        out->min.is_null = out->max.is_null = true;
        return true;
    }
    if (column < 0) return false;
    int32_t at = stats_position(view, column);
    return at >= 0 && stats_bounds(&view->entry->file.value_stats, at, leaf->type, out);
}

paimon_status pmn_prune_keeps_file(pmn_prune *prune, const pmn_manifest_entry *entry, bool *keep, paimon_error *err)
{
    *keep = true;
    if (!prune->rest) return PAIMON_OK;
    pmn_stats_map *map = NULL;
    PMN_TRY(stats_map_of(prune, entry->file.schema_id, &map, err));
    file_view view = { prune, map, entry };
    *keep = pmn_pred_may_match(prune->rest, entry->file.row_count, file_stat, &view);
    return PAIMON_OK;
}
