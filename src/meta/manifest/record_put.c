/* Records of manifests, manifest lists and index manifests as Avro values, field by field in the order of the header schema.
 * Java: ManifestEntrySerializer, DataFileMetaSerializer, ManifestFileMetaSerializer, IndexManifestEntrySerializer. */
#include "meta/manifest/manifest_schemas.h"
#include "meta/snapshot/snapshot.h"

#define MANIFEST_VERSION 2
#define INDEX_MANIFEST_VERSION 1

/* The row without fields, its count in front: what a file without statistics or keys carries. */
static const uint8_t no_fields[12];

static paimon_status put_row(pmn_buf *out, pmn_slice row, paimon_error *err)
{
    return pmn_avro_put_bytes(out, row.size ? row : pmn_slice_of(no_fields, sizeof no_fields), err);
}

static paimon_status put_optional(pmn_buf *out, int64_t value, paimon_error *err)
{
    if (value == PMN_NONE) return pmn_avro_put_null(out, err);
    PMN_TRY(pmn_avro_put_some(out, err));
    return pmn_avro_put_long(out, value, err);
}

static paimon_status put_optional_text(pmn_buf *out, const char *text, paimon_error *err)
{
    if (!text) return pmn_avro_put_null(out, err);
    PMN_TRY(pmn_avro_put_some(out, err));
    return pmn_avro_put_text(out, text, err);
}

static paimon_status put_optional_bytes(pmn_buf *out, bool there, pmn_slice bytes, paimon_error *err)
{
    if (!there) return pmn_avro_put_null(out, err);
    PMN_TRY(pmn_avro_put_some(out, err));
    return pmn_avro_put_bytes(out, bytes, err);
}

static paimon_status put_texts(pmn_buf *out, const char *const *texts, int32_t n, paimon_error *err)
{
    PMN_TRY(pmn_avro_put_array_start(out, n, err));
    for (int32_t i = 0; i < n; i++) PMN_TRY(pmn_avro_put_text(out, texts[i], err));
    return pmn_avro_put_array_end(out, err);
}

/* n -1: null. */
static paimon_status put_optional_texts(pmn_buf *out, const char *const *texts, int32_t n, paimon_error *err)
{
    if (n < 0) return pmn_avro_put_null(out, err);
    PMN_TRY(pmn_avro_put_some(out, err));
    return put_texts(out, texts, n, err);
}

static paimon_status put_stats(pmn_buf *out, const pmn_simple_stats *stats, paimon_error *err)
{
    PMN_TRY(put_row(out, stats->min, err));
    PMN_TRY(put_row(out, stats->max, err));
    if (stats->n_null_counts < 0) return pmn_avro_put_null(out, err);
    PMN_TRY(pmn_avro_put_some(out, err));
    PMN_TRY(pmn_avro_put_array_start(out, stats->n_null_counts, err));
    for (int32_t i = 0; i < stats->n_null_counts; i++)
        PMN_TRY(put_optional(out, stats->null_counts[i] < 0 ? PMN_NONE : stats->null_counts[i], err));
    return pmn_avro_put_array_end(out, err);
}

static paimon_status put_file(pmn_buf *out, const pmn_data_file *file, paimon_error *err)
{
    PMN_TRY(pmn_avro_put_text(out, file->name, err));
    PMN_TRY(pmn_avro_put_long(out, file->size, err));
    PMN_TRY(pmn_avro_put_long(out, file->row_count, err));
    PMN_TRY(put_row(out, file->min_key, err));
    PMN_TRY(put_row(out, file->max_key, err));
    PMN_TRY(put_stats(out, &file->key_stats, err));
    PMN_TRY(put_stats(out, &file->value_stats, err));
    PMN_TRY(pmn_avro_put_long(out, file->min_sequence, err));
    PMN_TRY(pmn_avro_put_long(out, file->max_sequence, err));
    PMN_TRY(pmn_avro_put_long(out, file->schema_id, err));
    PMN_TRY(pmn_avro_put_long(out, file->level, err));
    PMN_TRY(put_texts(out, file->extra_files, file->n_extra_files, err));
    PMN_TRY(put_optional(out, file->creation_time_ms, err));
    PMN_TRY(put_optional(out, file->delete_row_count, err));
    PMN_TRY(put_optional_bytes(out, file->has_embedded_index, file->embedded_index, err));
    PMN_TRY(put_optional(out, file->file_source < 0 ? PMN_NONE : file->file_source, err));
    PMN_TRY(put_optional_texts(out, file->value_stats_cols, file->n_value_stats_cols, err));
    PMN_TRY(put_optional_text(out, file->external_path, err));
    PMN_TRY(put_optional(out, file->first_row_id, err));
    PMN_TRY(put_optional_texts(out, file->write_cols, file->n_write_cols, err));
    if (file->n_write_cols_sequences < 0) return pmn_avro_put_null(out, err);
    PMN_TRY(pmn_avro_put_some(out, err));
    PMN_TRY(pmn_avro_put_array_start(out, file->n_write_cols_sequences, err));
    for (int32_t i = 0; i < file->n_write_cols_sequences; i++) PMN_TRY(pmn_avro_put_long(out, file->write_cols_sequences[i], err));
    return pmn_avro_put_array_end(out, err);
}

paimon_status pmn_manifest_entry_put(pmn_buf *out, const pmn_manifest_entry *entry, paimon_error *err)
{
    PMN_TRY(pmn_avro_put_long(out, MANIFEST_VERSION, err));
    PMN_TRY(pmn_avro_put_long(out, entry->kind, err));
    PMN_TRY(pmn_avro_put_bytes(out, entry->partition, err));
    PMN_TRY(pmn_avro_put_long(out, entry->bucket, err));
    PMN_TRY(pmn_avro_put_long(out, entry->total_buckets, err));
    return put_file(out, &entry->file, err);
}

paimon_status pmn_manifest_file_put(pmn_buf *out, const pmn_manifest_file *file, paimon_error *err)
{
    const int64_t bounds[] = { file->min_bucket, file->max_bucket, file->min_level, file->max_level, file->min_row_id, file->max_row_id };
    PMN_TRY(pmn_avro_put_long(out, MANIFEST_VERSION, err));
    PMN_TRY(pmn_avro_put_text(out, file->name, err));
    PMN_TRY(pmn_avro_put_long(out, file->size, err));
    PMN_TRY(pmn_avro_put_long(out, file->n_added, err));
    PMN_TRY(pmn_avro_put_long(out, file->n_deleted, err));
    PMN_TRY(put_stats(out, &file->partition_stats, err));
    PMN_TRY(pmn_avro_put_long(out, file->schema_id, err));
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) PMN_TRY(put_optional(out, bounds[i], err));
    return PAIMON_OK;
}

/* The items of the list of deletion vectors are nullable records in the schema; none is null. */
static paimon_status put_ranges(pmn_buf *out, const pmn_index_entry *entry, paimon_error *err)
{
    if (entry->n_ranges < 0) return pmn_avro_put_null(out, err);
    PMN_TRY(pmn_avro_put_some(out, err));
    PMN_TRY(pmn_avro_put_array_start(out, entry->n_ranges, err));
    for (int32_t i = 0; i < entry->n_ranges; i++) {
        const pmn_deletion_range *range = &entry->ranges[i];
        PMN_TRY(pmn_avro_put_some(out, err));
        PMN_TRY(pmn_avro_put_text(out, range->data_file, err));
        PMN_TRY(pmn_avro_put_long(out, range->offset, err));
        PMN_TRY(pmn_avro_put_long(out, range->length, err));
        PMN_TRY(put_optional(out, range->cardinality, err));
    }
    return pmn_avro_put_array_end(out, err);
}

static paimon_status put_global(pmn_buf *out, const pmn_index_entry *entry, paimon_error *err)
{
    if (!entry->has_global) return pmn_avro_put_null(out, err);
    PMN_TRY(pmn_avro_put_some(out, err));
    PMN_TRY(pmn_avro_put_long(out, entry->row_range_start, err));
    PMN_TRY(pmn_avro_put_long(out, entry->row_range_end, err));
    PMN_TRY(pmn_avro_put_long(out, entry->index_field_id, err));
    if (entry->n_extra_field_ids < 0) {
        PMN_TRY(pmn_avro_put_null(out, err));
    } else {
        PMN_TRY(pmn_avro_put_some(out, err));
        PMN_TRY(pmn_avro_put_array_start(out, entry->n_extra_field_ids, err));
        for (int32_t i = 0; i < entry->n_extra_field_ids; i++) PMN_TRY(pmn_avro_put_long(out, entry->extra_field_ids[i], err));
        PMN_TRY(pmn_avro_put_array_end(out, err));
    }
    PMN_TRY(put_optional_bytes(out, entry->index_meta.data != NULL, entry->index_meta, err));
    return put_optional_bytes(out, entry->source_meta.data != NULL, entry->source_meta, err);
}

paimon_status pmn_index_entry_put(pmn_buf *out, const pmn_index_entry *entry, paimon_error *err)
{
    PMN_TRY(pmn_avro_put_long(out, INDEX_MANIFEST_VERSION, err));
    PMN_TRY(pmn_avro_put_long(out, entry->kind, err));
    PMN_TRY(pmn_avro_put_bytes(out, entry->partition, err));
    PMN_TRY(pmn_avro_put_long(out, entry->bucket, err));
    PMN_TRY(pmn_avro_put_text(out, entry->index_type, err));
    PMN_TRY(pmn_avro_put_text(out, entry->file_name, err));
    PMN_TRY(pmn_avro_put_long(out, entry->file_size, err));
    PMN_TRY(pmn_avro_put_long(out, entry->row_count, err));
    PMN_TRY(put_ranges(out, entry, err));
    PMN_TRY(put_optional_text(out, entry->external_path, err));
    return put_global(out, entry, err);
}
