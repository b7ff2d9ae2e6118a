#include "wire/json.h"

#include "base/datetime.h"
#include "base/json.h"
#include "meta/snapshot/snapshot.h"

/* --- parts --- */

paimon_status pmn_json_put_hex(pmn_buf *out, pmn_slice bytes, paimon_error *err)
{
    static const char digits[] = "0123456789abcdef";
    PMN_TRY(pmn_buf_reserve(out, 2 * bytes.size + 2, err));
    uint8_t *p = out->data + out->size;
    *p++ = '"';
    for (size_t i = 0; i < bytes.size; i++) {
        *p++ = (uint8_t)digits[bytes.data[i] >> 4];
        *p++ = (uint8_t)digits[bytes.data[i] & 15];
    }
    *p++ = '"';
    out->size += 2 * bytes.size + 2;
    return PAIMON_OK;
}

/* `,"name":`, without the comma for the first member. */
static paimon_status member(pmn_buf *out, const char *name, paimon_error *err)
{
    bool first = out->size > 0 && out->data[out->size - 1] == '{';
    return pmn_buf_printf(out, err, "%s\"%s\":", first ? "" : ",", name);
}

static paimon_status null_member(pmn_buf *out, const char *name, paimon_error *err)
{
    PMN_TRY(member(out, name, err));
    return pmn_buf_append_text(out, "null", err);
}

static paimon_status long_member(pmn_buf *out, const char *name, int64_t value, paimon_error *err)
{
    if (value == PMN_NONE) return null_member(out, name, err);
    PMN_TRY(member(out, name, err));
    return pmn_buf_printf(out, err, "%lld", (long long)value);
}

static paimon_status text_member(pmn_buf *out, const char *name, const char *text, paimon_error *err)
{
    if (!text) return null_member(out, name, err);
    PMN_TRY(member(out, name, err));
    return pmn_json_quote(out, pmn_slice_text(text), err);
}

/* `data` NULL: null. */
static paimon_status hex_member(pmn_buf *out, const char *name, pmn_slice bytes, paimon_error *err)
{
    if (!bytes.data) return null_member(out, name, err);
    PMN_TRY(member(out, name, err));
    return pmn_json_put_hex(out, bytes, err);
}

static paimon_status texts_member(pmn_buf *out, const char *name, const char *const *texts, int32_t n, paimon_error *err)
{
    if (n < 0) return null_member(out, name, err);
    PMN_TRY(member(out, name, err));
    for (int32_t i = 0; i < n; i++) {
        PMN_TRY(pmn_buf_append_byte(out, i ? ',' : '[', err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(texts[i]), err));
    }
    return pmn_buf_append_text(out, n ? "]" : "[]", err);
}

/* `null_value` stands for null. */
static paimon_status longs_member(pmn_buf *out, const char *name, const int64_t *values, int32_t n, int64_t null_value, paimon_error *err)
{
    if (n < 0) return null_member(out, name, err);
    PMN_TRY(member(out, name, err));
    for (int32_t i = 0; i < n; i++) {
        PMN_TRY(pmn_buf_append_byte(out, i ? ',' : '[', err));
        if (values[i] == null_value) PMN_TRY(pmn_buf_append_text(out, "null", err));
        else PMN_TRY(pmn_buf_printf(out, err, "%lld", (long long)values[i]));
    }
    return pmn_buf_append_text(out, n ? "]" : "[]", err);
}

/* --- files --- */

static paimon_status row_member(pmn_buf *out, const char *name, pmn_slice row, paimon_error *err)
{
    static const uint8_t no_fields[12]; /* what an absent row is written as */
    return hex_member(out, name, row.size ? row : pmn_slice_of(no_fields, sizeof no_fields), err);
}

static paimon_status stats_member(pmn_buf *out, const char *name, const pmn_simple_stats *stats, paimon_error *err)
{
    PMN_TRY(member(out, name, err));
    PMN_TRY(pmn_buf_append_byte(out, '{', err));
    PMN_TRY(row_member(out, "_MIN_VALUES", stats->min, err));
    PMN_TRY(row_member(out, "_MAX_VALUES", stats->max, err));
    PMN_TRY(longs_member(out, "_NULL_COUNTS", stats->null_counts, stats->n_null_counts, -1, err));
    return pmn_buf_append_byte(out, '}', err);
}

/* A local date-time as if UTC. */
static paimon_status time_member(pmn_buf *out, const char *name, int64_t millis, paimon_error *err)
{
    char text[PMN_DATETIME_TEXT_MAX];
    if (millis == PMN_NONE) return null_member(out, name, err);
    int64_t rest = millis % 1000, seconds = millis / 1000 - (rest < 0); /* down, without passing the smallest number */
    size_t n = pmn_timestamp_print(seconds, (int32_t)(rest < 0 ? rest + 1000 : rest) * 1000000, 'T', text);
    PMN_TRY(member(out, name, err));
    return pmn_buf_printf(out, err, "\"%.*s\"", (int)n, text);
}

paimon_status pmn_json_put_file(pmn_buf *out, const pmn_data_file *f, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_byte(out, '{', err));
    PMN_TRY(text_member(out, "_FILE_NAME", f->name, err));
    PMN_TRY(long_member(out, "_FILE_SIZE", f->size, err));
    PMN_TRY(long_member(out, "_ROW_COUNT", f->row_count, err));
    PMN_TRY(row_member(out, "_MIN_KEY", f->min_key, err));
    PMN_TRY(row_member(out, "_MAX_KEY", f->max_key, err));
    PMN_TRY(stats_member(out, "_KEY_STATS", &f->key_stats, err));
    PMN_TRY(stats_member(out, "_VALUE_STATS", &f->value_stats, err));
    PMN_TRY(long_member(out, "_MIN_SEQUENCE_NUMBER", f->min_sequence, err));
    PMN_TRY(long_member(out, "_MAX_SEQUENCE_NUMBER", f->max_sequence, err));
    PMN_TRY(long_member(out, "_SCHEMA_ID", f->schema_id, err));
    PMN_TRY(long_member(out, "_LEVEL", f->level, err));
    PMN_TRY(texts_member(out, "_EXTRA_FILES", f->extra_files, f->n_extra_files > 0 ? f->n_extra_files : 0, err));
    PMN_TRY(time_member(out, "_CREATION_TIME", f->creation_time_ms, err));
    PMN_TRY(long_member(out, "_DELETE_ROW_COUNT", f->delete_row_count, err));
    PMN_TRY(hex_member(out, "_EMBEDDED_FILE_INDEX", f->has_embedded_index ? f->embedded_index : pmn_slice_of(NULL, 0), err));
    PMN_TRY(long_member(out, "_FILE_SOURCE", f->file_source < 0 ? PMN_NONE : f->file_source, err));
    PMN_TRY(texts_member(out, "_VALUE_STATS_COLS", f->value_stats_cols, f->n_value_stats_cols, err));
    PMN_TRY(text_member(out, "_EXTERNAL_PATH", f->external_path, err));
    PMN_TRY(long_member(out, "_FIRST_ROW_ID", f->first_row_id, err));
    PMN_TRY(texts_member(out, "_WRITE_COLS", f->write_cols, f->n_write_cols, err));
    PMN_TRY(longs_member(out, "_WRITE_COLS_SEQUENCES", f->write_cols_sequences, f->n_write_cols_sequences, PMN_NONE, err));
    return pmn_buf_append_byte(out, '}', err);
}

static paimon_status ranges_member(pmn_buf *out, const pmn_index_entry *f, paimon_error *err)
{
    if (f->n_ranges < 0) return null_member(out, "_DELETIONS_VECTORS_RANGES", err);
    PMN_TRY(member(out, "_DELETIONS_VECTORS_RANGES", err));
    PMN_TRY(pmn_buf_append_byte(out, '[', err));
    for (int32_t i = 0; i < f->n_ranges; i++) {
        const pmn_deletion_range *range = &f->ranges[i];
        PMN_TRY(pmn_buf_append_text(out, i ? ",[" : "[", err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(range->data_file), err));
        PMN_TRY(pmn_buf_printf(out, err, ",%d,%d,", (int)range->offset, (int)range->length));
        if (range->cardinality == PMN_NONE) PMN_TRY(pmn_buf_append_text(out, "null]", err));
        else PMN_TRY(pmn_buf_printf(out, err, "%lld]", (long long)range->cardinality));
    }
    return pmn_buf_append_byte(out, ']', err);
}

static paimon_status global_member(pmn_buf *out, const pmn_index_entry *f, paimon_error *err)
{
    if (!f->has_global) return null_member(out, "_GLOBAL_INDEX", err);
    PMN_TRY(member(out, "_GLOBAL_INDEX", err));
    PMN_TRY(pmn_buf_printf(out, err, "{\"_ROW_RANGE_START\":%lld,\"_ROW_RANGE_END\":%lld,\"_INDEX_FIELD_ID\":%d", (long long)f->row_range_start,
                           (long long)f->row_range_end, (int)f->index_field_id));
    if (f->n_extra_field_ids < 0) PMN_TRY(null_member(out, "_EXTRA_FIELD_IDS", err));
    else PMN_TRY(member(out, "_EXTRA_FIELD_IDS", err));
    for (int32_t i = 0; i < f->n_extra_field_ids; i++) PMN_TRY(pmn_buf_printf(out, err, "%c%d", i ? ',' : '[', (int)f->extra_field_ids[i]));
    if (f->n_extra_field_ids >= 0) PMN_TRY(pmn_buf_append_text(out, f->n_extra_field_ids ? "]" : "[]", err));
    PMN_TRY(hex_member(out, "_INDEX_META", f->index_meta, err));
    PMN_TRY(hex_member(out, "_SOURCE_META", f->source_meta, err));
    return pmn_buf_append_byte(out, '}', err);
}

paimon_status pmn_json_put_index_file(pmn_buf *out, const pmn_index_entry *f, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_byte(out, '{', err));
    PMN_TRY(text_member(out, "_INDEX_TYPE", f->index_type, err));
    PMN_TRY(text_member(out, "_FILE_NAME", f->file_name, err));
    PMN_TRY(long_member(out, "_FILE_SIZE", f->file_size, err));
    PMN_TRY(long_member(out, "_ROW_COUNT", f->row_count, err));
    PMN_TRY(ranges_member(out, f, err));
    PMN_TRY(text_member(out, "_EXTERNAL_PATH", f->external_path, err));
    PMN_TRY(global_member(out, f, err));
    return pmn_buf_append_byte(out, '}', err);
}

/* --- messages --- */

static paimon_status files_member(pmn_buf *out, const char *name, pmn_data_files files, paimon_error *err)
{
    PMN_TRY(member(out, name, err));
    PMN_TRY(pmn_buf_append_byte(out, '[', err));
    for (int32_t i = 0; i < files.n; i++) {
        if (i) PMN_TRY(pmn_buf_append_byte(out, ',', err));
        PMN_TRY(pmn_json_put_file(out, &files.items[i], err));
    }
    return pmn_buf_append_byte(out, ']', err);
}

static paimon_status index_files_member(pmn_buf *out, const char *name, pmn_index_files files, paimon_error *err)
{
    PMN_TRY(member(out, name, err));
    PMN_TRY(pmn_buf_append_byte(out, '[', err));
    for (int32_t i = 0; i < files.n; i++) {
        if (i) PMN_TRY(pmn_buf_append_byte(out, ',', err));
        PMN_TRY(pmn_json_put_index_file(out, &files.items[i], err));
    }
    return pmn_buf_append_byte(out, ']', err);
}

paimon_status pmn_json_put_message(pmn_buf *out, const pmn_message *m, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_byte(out, '{', err));
    PMN_TRY(hex_member(out, "partition", m->partition, err));
    PMN_TRY(long_member(out, "bucket", m->bucket, err));
    PMN_TRY(long_member(out, "totalBuckets", m->has_total_buckets ? m->total_buckets : PMN_NONE, err));
    PMN_TRY(files_member(out, "newFiles", m->new_files, err));
    PMN_TRY(files_member(out, "deletedFiles", m->deleted_files, err));
    PMN_TRY(files_member(out, "changelogFiles", m->changelog_files, err));
    PMN_TRY(index_files_member(out, "newIndexFiles", m->new_index_files, err));
    PMN_TRY(index_files_member(out, "deletedIndexFiles", m->deleted_index_files, err));
    PMN_TRY(files_member(out, "compactBefore", m->compact_before, err));
    PMN_TRY(files_member(out, "compactAfter", m->compact_after, err));
    PMN_TRY(files_member(out, "compactChangelogFiles", m->compact_changelog, err));
    PMN_TRY(index_files_member(out, "compactNewIndexFiles", m->compact_new_index_files, err));
    PMN_TRY(index_files_member(out, "compactDeletedIndexFiles", m->compact_deleted_index_files, err));
    return pmn_buf_append_byte(out, '}', err);
}

paimon_status pmn_json_put_messages(pmn_buf *out, const paimon_message_list *list, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_byte(out, '[', err));
    for (size_t i = 0; i < list->n; i++) {
        PMN_TRY(pmn_buf_append_text(out, i ? ",\n  " : "\n  ", err));
        PMN_TRY(pmn_json_put_message(out, &list->items[i], err));
    }
    return pmn_buf_append_text(out, list->n ? "\n]" : "]", err);
}

paimon_status pmn_json_put_committable(pmn_buf *out, const struct paimon_committable *c, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_byte(out, '{', err));
    PMN_TRY(long_member(out, "identifier", c->identifier, err));
    if (c->has_watermark) {
        PMN_TRY(member(out, "watermark", err));
        PMN_TRY(pmn_buf_printf(out, err, "%lld", (long long)c->watermark)); /* the smallest of all is one, too */
    } else {
        PMN_TRY(null_member(out, "watermark", err));
    }
    PMN_TRY(member(out, "properties", err));
    PMN_TRY(pmn_buf_append_byte(out, '{', err));
    for (size_t i = 0; i < c->n_properties; i++) {
        if (i) PMN_TRY(pmn_buf_append_byte(out, ',', err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(c->properties[i].key), err));
        PMN_TRY(pmn_buf_append_byte(out, ':', err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(c->properties[i].value), err));
    }
    PMN_TRY(pmn_buf_append_byte(out, '}', err));
    PMN_TRY(member(out, "messages", err));
    PMN_TRY(pmn_json_put_messages(out, c->messages, err));
    return pmn_buf_append_byte(out, '}', err);
}
