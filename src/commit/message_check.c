#include "commit/message_check.h"

#include <string.h>

#include "commit/changes.h"
#include "commit/key_levels.h"
#include "io/path.h"
#include "meta/snapshot/snapshot.h"
#include "scan/open.h"
#include "types/row_codec.h"

static paimon_status init_keys(pmn_message_checker *c, paimon_error *err)
{
    paimon_status status = pmn_key_type(c->source->schema, &c->arena, &c->key_type, err);
    if (status != PAIMON_OK) pmn_arena_free(&c->arena);
    return status;
}

paimon_status pmn_message_checker_init(pmn_message_checker *c, pmn_source *source, bool foreign, paimon_error *err)
{
    *c = (pmn_message_checker){ .source = source, .foreign = foreign };
    pmn_arena_init(&c->arena, source->mem);
    PMN_TRY(pmn_options_int(&source->options, "bucket", -1, &c->n_buckets, err));
    if (c->n_buckets < INT32_MIN || c->n_buckets > INT32_MAX)
        return pmn_fail(err, PAIMON_INVALID, "%s: option bucket is %lld", source->path, (long long)c->n_buckets);
    PMN_TRY(pmn_options_bool(&source->options, PMN_OPTION_VECTORS, false, &c->has_vectors, err));
    PMN_TRY(pmn_options_bool(&source->options, "row-tracking.enabled", false, &c->has_tracking, err));
    PMN_TRY(pmn_options_bool(&source->options, "data-evolution.enabled", false, &c->has_evolution, err));
    if (source->schema->n_primary_keys > 0) PMN_TRY(init_keys(c, err));
    c->row = pmn_calloc(source->mem, (size_t)source->schema->n_partition_keys + 1, sizeof *c->row);
    if (!c->row) {
        pmn_arena_free(&c->arena);
        return pmn_fail_nomem(err, "a partition's values");
    }
    pmn_buf_init(&c->buf, source->mem, PMN_BUF_NO_CEILING);
    return PAIMON_OK;
}

void pmn_message_checker_free(pmn_message_checker *c)
{
    pmn_free(c->source->mem, c->row, ((size_t)c->source->schema->n_partition_keys + 1) * sizeof *c->row);
    pmn_buf_free(&c->buf);
    pmn_arena_free(&c->arena);
}

bool pmn_is_file_name(const char *name)
{
    if (!name || !*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return false;
    for (const char *p = name; *p; p++)
        if (*p == '/' || (unsigned char)*p < 0x20) return false;
    return true;
}

/* --- partition and buckets --- */

/* Old writers left no room for nulls of these types, which is no other value. */
static bool has_wide_null(const pmn_type *type, const pmn_datum *row)
{
    for (int32_t i = 0; i < type->n_fields; i++) {
        pmn_type_kind kind = type->fields[i].type->kind;
        if (row[i].is_null && (kind == PMN_DECIMAL || kind == PMN_TIMESTAMP || kind == PMN_TIMESTAMP_LTZ)) return true;
    }
    return false;
}

/* Partitions are compared by their bytes, so there must be one spelling: that of the values. */
static paimon_status check_message_partition(pmn_message_checker *c, pmn_slice partition, paimon_error *err)
{
    pmn_row_view view;
    const pmn_source *source = c->source;
    int32_t keys = source->schema->n_partition_keys;
    const pmn_type *type = source->schema->partition_type;
    PMN_TRY(pmn_row_parse(partition, &view, err));
    if (view.arity != keys)
        return pmn_fail(err, PAIMON_INVALID, "%s: a commit message has a partition of %d columns, the table has %d partition keys", source->path,
                        (int)view.arity, (int)keys);
    PMN_TRY(pmn_row_get_all(&view, type, c->row, err));
    pmn_buf_clear(&c->buf);
    PMN_TRY(pmn_row_write_serialized(&c->buf, type, c->row, err));
    if (pmn_slice_equal(partition, pmn_slice_of(c->buf.data, c->buf.size)) || has_wide_null(type, c->row)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "%s: the partition of a commit message is not written as rows of the table's partition keys are", source->path);
}

static paimon_status check_message_buckets(const pmn_message_checker *c, const pmn_message *m, paimon_error *err)
{
    const char *path = c->source->path;
    int64_t total = m->has_total_buckets ? m->total_buckets : c->n_buckets;
    if (c->key_type && c->n_buckets == -2 && m->bucket == -2 && total <= 0) return PAIMON_OK; /* postponed */
    if (m->bucket < 0) return pmn_fail(err, PAIMON_INVALID, "%s: a commit message for bucket %d", path, (int)m->bucket);
    if (c->n_buckets == -1) {
        if (total != -1) return pmn_fail(err, PAIMON_INVALID, "%s: a commit message is for %lld buckets, the table has no fixed number", path, (long long)total);
        if (m->bucket > 0 && !c->key_type) return pmn_fail(err, PAIMON_INVALID, "%s: a commit message for bucket %d, the table has only 0", path, (int)m->bucket);
        return PAIMON_OK;
    }
    if (total <= 0) return pmn_fail(err, PAIMON_INVALID, "%s: a commit message is for %lld buckets, the table has %lld", path, (long long)total, (long long)c->n_buckets);
    if (m->bucket >= total) return pmn_fail(err, PAIMON_INVALID, "%s: a commit message for bucket %d of %lld", path, (int)m->bucket, (long long)total);
    return PAIMON_OK;
}

paimon_status pmn_message_check(pmn_message_checker *c, const pmn_message *message, paimon_error *err)
{
    paimon_status status = check_message_partition(c, message->partition, err);
    if (status == PAIMON_CORRUPT) { /* of the message, not of the table */
        pmn_error_prefix(err, "%s: the partition of a commit message", c->source->path);
        if (err) err->code = PAIMON_INVALID;
        status = PAIMON_INVALID;
    }
    return status == PAIMON_OK ? check_message_buckets(c, message, err) : status;
}

/* --- files --- */

static paimon_status check_file_names(const pmn_data_file *file, paimon_error *err)
{
    if (!pmn_is_file_name(file->name))
        return pmn_fail(err, PAIMON_INVALID, "a commit message names '%s', which cannot be a data file", file->name ? file->name : "");
    for (int32_t i = 0; i < file->n_extra_files; i++)
        if (!pmn_is_file_name(file->extra_files[i]))
            return pmn_fail(err, PAIMON_INVALID, "file %s of a commit message has '%s', which cannot be a file beside it", file->name, file->extra_files[i]);
    if (file->external_path && strcmp(pmn_path_name(file->external_path), file->name) != 0)
        return pmn_fail(err, PAIMON_INVALID, "file %s of a commit message has the external path '%s'", file->name, file->external_path);
    return PAIMON_OK;
}

static paimon_status check_file_numbers(const pmn_message_checker *c, const pmn_data_file *file, paimon_error *err)
{
    if (file->size < 0 || file->row_count < 0)
        return pmn_fail(err, PAIMON_INVALID, "file %s of a commit message has %lld bytes and %lld rows", file->name, (long long)file->size,
                        (long long)file->row_count);
    if (file->level != 0 && !c->key_type)
        return pmn_fail(err, PAIMON_INVALID, "file %s of a commit message is on level %d: an append table has no levels", file->name, (int)file->level);
    if (file->level < 0) return pmn_fail(err, PAIMON_INVALID, "file %s of a commit message is on level %d", file->name, (int)file->level);
    if (file->first_row_id != PMN_NONE && (file->first_row_id < 0 || file->first_row_id > INT64_MAX - file->row_count))
        return pmn_fail(err, PAIMON_INVALID, "file %s of a commit message has %lld rows from row id %lld on", file->name, (long long)file->row_count,
                        (long long)file->first_row_id);
    if (file->delete_row_count != PMN_NONE && (file->delete_row_count < 0 || file->delete_row_count > file->row_count))
        return pmn_fail(err, PAIMON_INVALID, "file %s of a commit message has %lld rows, and %lld of them delete", file->name, (long long)file->row_count,
                        (long long)file->delete_row_count);
    bool by_commit = c->has_tracking && file->max_sequence == 0; /* the commit gives it: see row_ids.h */
    if (file->row_count > 0 && file->min_sequence > file->max_sequence && !by_commit)
        return pmn_fail(err, PAIMON_INVALID, "file %s of a commit message has sequence numbers from %lld to %lld", file->name,
                        (long long)file->min_sequence, (long long)file->max_sequence);
    return PAIMON_OK;
}

static paimon_status schema_of_file(pmn_message_checker *c, const pmn_data_file *file, paimon_error *err)
{
    if (c->schema && c->schema->id == file->schema_id) return PAIMON_OK;
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = pmn_source_schema(c->source, file->schema_id, &c->schema, &why);
    if (status == PAIMON_OK) return PAIMON_OK;
    c->schema = NULL;
    if (status == PAIMON_NOT_FOUND) {
        paimon_error_clear(&why);
        return pmn_fail(err, PAIMON_INVALID, "%s: file %s of a commit message was written with schema %lld, which the table does not have",
                        c->source->path, file->name, (long long)file->schema_id);
    }
    pmn_error_move(err, &why);
    return status;
}

/* Rows that a compaction moved bring their numbers along. */
static const pmn_type *tracking_column(const char *name)
{
    static const pmn_type number = { .kind = PMN_BIGINT, .nullable = true };
    return strcmp(name, "_ROW_ID") == 0 || strcmp(name, "_SEQUENCE_NUMBER") == 0 ? &number : NULL;
}

/* The type of column `i` of the statistics; NULL: there is no such column. */
static const pmn_type *stats_column(const pmn_table_schema *schema, const pmn_data_file *file, int32_t i)
{
    const char *const *names = file->n_value_stats_cols >= 0 ? file->value_stats_cols : file->n_write_cols >= 0 ? file->write_cols : NULL;
    if (!names) return schema->row->fields[i].type;
    for (int32_t k = 0; k < schema->row->n_fields; k++)
        if (strcmp(schema->row->fields[k].name, names[i]) == 0) return schema->row->fields[k].type;
    return tracking_column(names[i]);
}

static paimon_status check_bounds(const pmn_message_checker *c, const pmn_data_file *file, pmn_slice bounds, int32_t n, paimon_error *err)
{
    pmn_row_view view;
    pmn_datum value;
    PMN_TRY(pmn_row_parse(bounds, &view, err));
    if (view.arity == 0) return PAIMON_OK;
    if (view.arity != n) return pmn_fail(err, PAIMON_CORRUPT, "%d columns where %d are", (int)view.arity, (int)n);
    for (int32_t i = 0; i < n; i++) {
        const pmn_type *type = stats_column(c->schema, file, i);
        if (!type) return pmn_fail(err, PAIMON_CORRUPT, "a column that the table does not have");
        if (pmn_type_is_atomic(type)) PMN_TRY(pmn_row_get(&view, i, type, &value, err));
    }
    return PAIMON_OK;
}

/* Statistics that cannot be read would stop every reader that prunes by them. */
static paimon_status check_stats(const pmn_message_checker *c, const pmn_data_file *file, paimon_error *err)
{
    const pmn_simple_stats *stats = &file->value_stats;
    int32_t n = file->n_value_stats_cols >= 0 ? file->n_value_stats_cols : file->n_write_cols >= 0 ? file->n_write_cols : c->schema->row->n_fields;
    paimon_status status = check_bounds(c, file, stats->min, n, err);
    if (status == PAIMON_OK) status = check_bounds(c, file, stats->max, n, err);
    if (status == PAIMON_OK && stats->n_null_counts > 0 && stats->n_null_counts != n)
        status = pmn_fail(err, PAIMON_CORRUPT, "%d null counts of %d columns", (int)stats->n_null_counts, (int)n);
    for (int32_t i = 0; i < stats->n_null_counts && status == PAIMON_OK; i++)
        if (stats->null_counts[i] > file->row_count) status = pmn_fail(err, PAIMON_CORRUPT, "more nulls than rows");
    if (status != PAIMON_CORRUPT) return status;
    pmn_error_prefix(err, "%s: the statistics of file %s of a commit message", c->source->path, file->name);
    if (err) err->code = PAIMON_INVALID;
    return PAIMON_INVALID;
}

static paimon_status check_key(const pmn_message_checker *c, pmn_slice key, bool is_stats, paimon_error *err)
{
    pmn_row_view view;
    pmn_datum value;
    PMN_TRY(pmn_row_parse(key, &view, err));
    if (view.arity == 0 && is_stats) return PAIMON_OK;
    if (view.arity != c->key_type->n_fields) return pmn_fail(err, PAIMON_CORRUPT, "%d columns where the key has %d", (int)view.arity, (int)c->key_type->n_fields);
    for (int32_t i = 0; i < view.arity; i++) PMN_TRY(pmn_row_get(&view, i, c->key_type->fields[i].type, &value, err));
    return PAIMON_OK;
}

/* Levels are searched by them. */
static paimon_status check_keys(const pmn_message_checker *c, const pmn_data_file *file, paimon_error *err)
{
    paimon_status status = check_key(c, file->min_key, false, err);
    if (status == PAIMON_OK) status = check_key(c, file->max_key, false, err);
    if (status == PAIMON_OK) status = check_key(c, file->key_stats.min, true, err);
    if (status == PAIMON_OK) status = check_key(c, file->key_stats.max, true, err);
    if (status != PAIMON_CORRUPT) return status;
    pmn_error_prefix(err, "%s: the keys of file %s of a commit message", c->source->path, file->name);
    if (err) err->code = PAIMON_INVALID;
    return PAIMON_INVALID;
}

paimon_status pmn_message_check_file(pmn_message_checker *c, pmn_file_kind kind, const pmn_data_file *file, paimon_error *err)
{
    PMN_TRY(check_file_names(file, err));
    PMN_TRY(check_file_numbers(c, file, err));
    if (kind == PMN_FILE_DELETE) return PAIMON_OK; /* it is in the table, or it is not: that is asked later */
    PMN_TRY(schema_of_file(c, file, err));
    if (c->foreign && c->key_type) PMN_TRY(check_keys(c, file, err));
    return c->foreign ? check_stats(c, file, err) : PAIMON_OK;
}

/* --- index files --- */

static paimon_status check_hashes(const pmn_message_checker *c, const pmn_index_entry *entry, paimon_error *err)
{
    if (!c->key_type || c->n_buckets != -1)
        return pmn_fail(err, PAIMON_INVALID, "%s: index file %s of a commit message is of dynamic buckets, which the table does not have",
                        c->source->path, entry->file_name);
    if (!entry->has_global && entry->n_ranges <= 0) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "index file %s of a commit message is of dynamic buckets, and yet of rows of files", entry->file_name);
}

static paimon_status check_vectors(const pmn_message_checker *c, const pmn_index_entry *entry, paimon_error *err)
{
    if (!c->has_vectors)
        return pmn_fail(err, PAIMON_INVALID, "%s: index file %s of a commit message has deletion vectors, and the table none (option " PMN_OPTION_VECTORS ")",
                        c->source->path, entry->file_name);
    if (!entry->has_global && entry->n_ranges >= 0) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "index file %s of a commit message has deletion vectors, but %s", entry->file_name,
                    entry->has_global ? "is of a column" : "no list of them");
}

static paimon_status check_row_index(const pmn_message_checker *c, const pmn_index_entry *entry, paimon_error *err)
{
    if (!entry->has_global)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: committing index files of type %s that name no range of rows is not supported yet", c->source->path,
                        entry->index_type);
    if (!c->key_type && !c->has_tracking)
        return pmn_fail(err, PAIMON_INVALID, "%s: index file %s of a commit message is of row ids, which the table does not have (option row-tracking.enabled)",
                        c->source->path, entry->file_name);
    if (entry->row_range_start >= 0 && entry->row_range_end >= entry->row_range_start && entry->n_ranges <= 0) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "index file %s of a commit message is of the rows %lld to %lld", entry->file_name,
                    (long long)entry->row_range_start, (long long)entry->row_range_end);
}

static paimon_status check_index_kind(const pmn_message_checker *c, const pmn_index_entry *entry, paimon_error *err)
{
    if (strcmp(entry->index_type, PMN_INDEX_OF_HASHES) == 0) return check_hashes(c, entry, err);
    return strcmp(entry->index_type, PMN_INDEX_OF_VECTORS) == 0 ? check_vectors(c, entry, err) : check_row_index(c, entry, err);
}

paimon_status pmn_message_check_index(pmn_message_checker *c, const pmn_index_entry *entry, paimon_error *err)
{
    if (!pmn_is_file_name(entry->file_name))
        return pmn_fail(err, PAIMON_INVALID, "a commit message names '%s', which cannot be an index file", entry->file_name);
    if (entry->external_path && strcmp(pmn_path_name(entry->external_path), entry->file_name) != 0)
        return pmn_fail(err, PAIMON_INVALID, "index file %s of a commit message has the external path '%s'", entry->file_name, entry->external_path);
    PMN_TRY(check_index_kind(c, entry, err));
    if (entry->file_size < 0 || entry->row_count < 0)
        return pmn_fail(err, PAIMON_INVALID, "index file %s of a commit message has %lld bytes and %lld rows", entry->file_name,
                        (long long)entry->file_size, (long long)entry->row_count);
    for (int32_t i = 0; i < entry->n_ranges; i++) {
        const pmn_deletion_range *range = &entry->ranges[i];
        if (!pmn_is_file_name(range->data_file) || range->offset < 0 || range->length < 0 || (int64_t)range->offset + range->length > entry->file_size)
            return pmn_fail(err, PAIMON_INVALID, "index file %s of a commit message has the vector of '%s' at %d + %d of %lld bytes", entry->file_name,
                            range->data_file, (int)range->offset, (int)range->length, (long long)entry->file_size);
    }
    return PAIMON_OK;
}
