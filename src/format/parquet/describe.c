/* The footer as JSON: see describe.h for its shape. Bounds of statistics are numbers and texts where the physical type says how, else
 * hexadecimal. */
#include "format/parquet/describe.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

static paimon_status put_key(pmn_buf *out, const char *key, paimon_error *err)
{
    PMN_TRY(pmn_json_quote(out, pmn_slice_text(key), err));
    return pmn_buf_append_text(out, ": ", err);
}

static paimon_status put_int_member(pmn_buf *out, const char *key, int64_t value, paimon_error *err)
{
    return pmn_buf_printf(out, err, ", \"%s\": %lld", key, (long long)value);
}

static paimon_status put_text_member(pmn_buf *out, const char *key, pmn_slice value, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, ", ", err));
    PMN_TRY(put_key(out, key, err));
    return pmn_json_quote(out, value, err);
}

static paimon_status put_bytes(pmn_buf *out, pmn_slice value, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, "\"0x", err));
    for (size_t i = 0; i < value.size; i++) PMN_TRY(pmn_buf_printf(out, err, "%02x", value.data[i]));
    return pmn_buf_append_text(out, "\"", err);
}

static paimon_status put_real(pmn_buf *out, double value, paimon_error *err)
{
    if (isfinite(value)) return pmn_buf_printf(out, err, "%.17g", value);
    return pmn_buf_append_text(out, isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"", err);
}

static paimon_status put_bound_value(pmn_buf *out, const pmn_parquet_element *e, pmn_slice value, paimon_error *err)
{
    bool is_unsigned = e->logical.kind == PMN_PQ_LOGICAL_INTEGER && !e->logical.is_signed;
    bool is_text = e->logical.kind == PMN_PQ_LOGICAL_STRING || e->logical.kind == PMN_PQ_LOGICAL_ENUM || e->logical.kind == PMN_PQ_LOGICAL_JSON;
    if (e->physical == PMN_PQ_BOOLEAN && value.size == 1) return pmn_buf_append_text(out, value.data[0] ? "true" : "false", err);
    if (e->physical == PMN_PQ_INT32 && value.size == 4) {
        uint32_t v = pmn_load_le32(value.data);
        return is_unsigned ? pmn_buf_printf(out, err, "%u", v) : pmn_buf_printf(out, err, "%d", (int32_t)v);
    }
    if (e->physical == PMN_PQ_INT64 && value.size == 8) {
        uint64_t v = pmn_load_le64(value.data);
        return is_unsigned ? pmn_buf_printf(out, err, "%llu", (unsigned long long)v) : pmn_buf_printf(out, err, "%lld", (long long)v);
    }
    if (e->physical == PMN_PQ_FLOAT && value.size == 4) {
        uint32_t bits = pmn_load_le32(value.data);
        float v;
        memcpy(&v, &bits, sizeof v);
        return put_real(out, (double)v, err);
    }
    if (e->physical == PMN_PQ_DOUBLE && value.size == 8) {
        uint64_t bits = pmn_load_le64(value.data);
        double v;
        memcpy(&v, &bits, sizeof v);
        return put_real(out, v, err);
    }
    return is_text && pmn_utf8_valid(value) ? pmn_json_quote(out, value, err) : put_bytes(out, value, err);
}

static paimon_status put_bound(pmn_buf *out, const char *key, const pmn_parquet_element *e, pmn_slice value, paimon_error *err)
{
    if (!value.data) return PAIMON_OK;
    PMN_TRY(pmn_buf_printf(out, err, ", \"%s\": ", key));
    return put_bound_value(out, e, value, err);
}

static paimon_status put_statistics(pmn_buf *out, const pmn_parquet_element *e, const pmn_parquet_statistics *s, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, ", \"statistics\": {\"nulls\": ", err));
    if (s->null_count >= 0) PMN_TRY(pmn_buf_printf(out, err, "%lld", (long long)s->null_count));
    else PMN_TRY(pmn_buf_append_text(out, "null", err));
    if (s->distinct_count >= 0) PMN_TRY(put_int_member(out, "distinct", s->distinct_count, err));
    PMN_TRY(put_bound(out, "min", e, s->min_value, err));
    PMN_TRY(put_bound(out, "max", e, s->max_value, err));
    PMN_TRY(put_bound(out, "legacy_min", e, s->legacy_min, err));
    PMN_TRY(put_bound(out, "legacy_max", e, s->legacy_max, err));
    return pmn_buf_append_text(out, "}", err);
}

static paimon_status put_encodings(pmn_buf *out, const pmn_parquet_chunk *chunk, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, ", \"encodings\": [", err));
    for (int32_t i = 0; i < chunk->n_encodings; i++)
        PMN_TRY(pmn_buf_printf(out, err, "%s\"%s\"", i ? ", " : "", pmn_parquet_encoding_name(chunk->encodings[i])));
    return pmn_buf_append_text(out, "]", err);
}

static paimon_status put_path(pmn_buf *out, const pmn_parquet_node *leaf, paimon_error *err)
{
    const pmn_parquet_node *up[PMN_PARQUET_MAX_DEPTH + 2];
    int n = 0;
    for (; leaf->parent && n < PMN_PARQUET_MAX_DEPTH + 2; leaf = leaf->parent) up[n++] = leaf;
    PMN_TRY(pmn_buf_append_text(out, "\"path\": [", err));
    while (n-- > 0) {
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(up[n]->element->name), err));
        if (n) PMN_TRY(pmn_buf_append_text(out, ", ", err));
    }
    return pmn_buf_append_text(out, "]", err);
}

static paimon_status put_chunk(pmn_buf *out, const pmn_parquet_node *leaf, const pmn_parquet_chunk *chunk, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, "{", err));
    PMN_TRY(put_path(out, leaf, err));
    PMN_TRY(pmn_buf_printf(out, err, ", \"type\": \"%s\"", pmn_parquet_physical_name(leaf->element->physical)));
    if (chunk->encrypted) return pmn_buf_append_text(out, ", \"encrypted\": true}", err);
    PMN_TRY(pmn_buf_printf(out, err, ", \"codec\": \"%s\"", pmn_parquet_codec_name(chunk->codec)));
    PMN_TRY(put_encodings(out, chunk, err));
    PMN_TRY(put_int_member(out, "values", chunk->n_values, err));
    PMN_TRY(put_int_member(out, "bytes", chunk->compressed_bytes, err));
    PMN_TRY(put_int_member(out, "uncompressed_bytes", chunk->uncompressed_bytes, err));
    PMN_TRY(put_int_member(out, "offset", chunk->first_offset, err));
    PMN_TRY(pmn_buf_printf(out, err, ", \"dictionary\": %s, \"column_index\": %s, \"offset_index\": %s, \"bloom_filter\": %s",
                           chunk->dictionary_page_offset >= 0 ? "true" : "false", chunk->column_index_offset >= 0 ? "true" : "false",
                           chunk->offset_index_offset >= 0 ? "true" : "false", chunk->bloom_offset >= 0 ? "true" : "false"));
    PMN_TRY(put_statistics(out, leaf->element, &chunk->statistics, err));
    return pmn_buf_append_text(out, "}", err);
}

static paimon_status put_groups(pmn_buf *out, const pmn_parquet_file *file, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, ", \"row_groups\": [", err));
    for (int32_t g = 0; g < file->meta.n_groups; g++) {
        const pmn_parquet_group *group = &file->meta.groups[g];
        PMN_TRY(pmn_buf_printf(out, err, "%s{\"rows\": %lld, \"bytes\": %lld, \"columns\": [", g ? ", " : "", (long long)group->n_rows, (long long)group->total_bytes));
        for (int32_t c = 0; c < group->n_chunks; c++) {
            if (c) PMN_TRY(pmn_buf_append_text(out, ", ", err));
            PMN_TRY(put_chunk(out, file->schema.leaves[c], &group->chunks[c], err));
        }
        PMN_TRY(pmn_buf_append_text(out, "]}", err));
    }
    return pmn_buf_append_text(out, "]", err);
}

static paimon_status put_logical(pmn_buf *out, const pmn_parquet_logical *l, paimon_error *err)
{
    static const char *const names[] = { "NONE", "STRING", "MAP", "LIST", "ENUM", "DECIMAL", "DATE", "TIME", "TIMESTAMP", "", "INTEGER",
                                         "NULL", "JSON", "BSON", "UUID", "FLOAT16", "VARIANT", "GEOMETRY", "GEOGRAPHY" };
    static const char *const units[] = { "", "MILLIS", "MICROS", "NANOS" };
    const char *name = l->kind <= PMN_PQ_LOGICAL_GEOGRAPHY ? names[l->kind]
                       : l->kind == PMN_PQ_LOGICAL_MAP_KEY_VALUE ? "MAP_KEY_VALUE"
                       : l->kind == PMN_PQ_LOGICAL_INTERVAL      ? "INTERVAL"
                                                                 : "OTHER";
    if (l->kind == PMN_PQ_LOGICAL_NONE) return PAIMON_OK;
    PMN_TRY(pmn_buf_printf(out, err, ", \"logical\": \"%s", name));
    if (l->kind == PMN_PQ_LOGICAL_DECIMAL) PMN_TRY(pmn_buf_printf(out, err, "(%d, %d)", l->precision, l->scale));
    if (l->kind == PMN_PQ_LOGICAL_INTEGER) PMN_TRY(pmn_buf_printf(out, err, "(%d, %s)", l->bits, l->is_signed ? "signed" : "unsigned"));
    if (l->kind == PMN_PQ_LOGICAL_TIME || l->kind == PMN_PQ_LOGICAL_TIMESTAMP) PMN_TRY(pmn_buf_printf(out, err, "(%s, %s)", units[l->unit], l->utc ? "utc" : "local"));
    return pmn_buf_append_text(out, "\"", err);
}

/* Recursion is bounded by PMN_PARQUET_MAX_DEPTH. */
static paimon_status put_node(pmn_buf *out, const pmn_parquet_node *node, paimon_error *err)
{
    static const char *const repetitions[] = { "required", "optional", "repeated" };
    const pmn_parquet_element *e = node->element;
    PMN_TRY(pmn_buf_append_text(out, "{\"name\": ", err));
    PMN_TRY(pmn_json_quote(out, pmn_slice_text(e->name), err));
    PMN_TRY(pmn_buf_printf(out, err, ", \"repetition\": \"%s\"", repetitions[e->repetition]));
    if (e->field_id >= 0) PMN_TRY(put_int_member(out, "field_id", e->field_id, err));
    PMN_TRY(pmn_buf_printf(out, err, ", \"type\": \"%s\"", pmn_parquet_physical_name(e->physical)));
    if (e->physical == PMN_PQ_FIXED) PMN_TRY(put_int_member(out, "length", e->type_length, err));
    PMN_TRY(put_logical(out, &e->logical, err));
    if (node->n_children) {
        PMN_TRY(pmn_buf_append_text(out, ", \"children\": [", err));
        for (int32_t i = 0; i < node->n_children; i++) {
            if (i) PMN_TRY(pmn_buf_append_text(out, ", ", err));
            PMN_TRY(put_node(out, &node->children[i], err));
        }
        PMN_TRY(pmn_buf_append_text(out, "]", err));
    }
    return pmn_buf_append_text(out, "}", err);
}

static paimon_status put_metadata(pmn_buf *out, const pmn_parquet_meta *meta, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, ", \"metadata\": {", err));
    for (int32_t i = 0; i < meta->n_key_values; i++) {
        const pmn_parquet_key_value *kv = &meta->key_values[i];
        if (i) PMN_TRY(pmn_buf_append_text(out, ", ", err));
        PMN_TRY(pmn_json_quote(out, kv->key, err));
        PMN_TRY(pmn_buf_append_text(out, ": ", err));
        if (kv->value.data) PMN_TRY(pmn_json_quote(out, kv->value, err));
        else PMN_TRY(pmn_buf_append_text(out, "null", err));
    }
    return pmn_buf_append_text(out, "}", err);
}

paimon_status pmn_parquet_describe(const pmn_parquet_file *file, pmn_buf *out, paimon_error *err)
{
    const pmn_parquet_meta *meta = &file->meta;
    PMN_TRY(pmn_buf_append_text(out, "{\"format\": \"parquet\"", err));
    PMN_TRY(put_int_member(out, "version", meta->version, err));
    if (meta->created_by.data) PMN_TRY(put_text_member(out, "created_by", meta->created_by, err));
    PMN_TRY(put_int_member(out, "size_bytes", file->size, err));
    PMN_TRY(put_int_member(out, "rows", meta->n_rows, err));
    PMN_TRY(put_metadata(out, meta, err));
    PMN_TRY(pmn_buf_append_text(out, ", \"schema\": [", err));
    for (int32_t i = 0; i < file->schema.root->n_children; i++) {
        if (i) PMN_TRY(pmn_buf_append_text(out, ", ", err));
        PMN_TRY(put_node(out, &file->schema.root->children[i], err));
    }
    PMN_TRY(pmn_buf_append_text(out, "]", err));
    PMN_TRY(put_groups(out, file, err));
    return pmn_buf_append_text(out, "}", err);
}
