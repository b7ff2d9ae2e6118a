/* A row of Arrow as a BinaryRow, nested types included.
 *
 *   array:    int32 LE n | null bits, ((n + 31) / 32) × 4 bytes | n slots, padded to 8 | variable part
 *   map:      int32 LE size of the key array | key array | value array          (MULTISET: element → INT count)
 *   vector:   int32 LE n | values; Java counts the values' padding to 8 into the size
 *   variant:  int32 LE size of the value | value | metadata
 */
#include <string.h>

#include "arrow/array.h"
#include "types/row_codec.h"
#include "types/row_slot.h"
#include "types/value_reader.h"

static const pmn_type multiset_count_type = { PMN_INT, false, 0, 0, 0, NULL, NULL };
static const pmn_type variant_bytes_type = { PMN_VARBINARY, false, INT32_MAX, 0, 0, NULL, NULL };

static paimon_status write_value(pmn_row_slot_writer *w, int32_t i, const pmn_type *type, const struct ArrowSchema *schema,
                                 const struct ArrowArray *array, int64_t row, paimon_error *err);

static paimon_status wrong_shape(const struct ArrowSchema *schema, const pmn_type *type, paimon_error *err)
{
    return pmn_fail(err, PAIMON_UNSUPPORTED, "Arrow column '%s': format '%s' for values of type %s", schema->name ? schema->name : "", schema->format,
                    pmn_type_kind_name(type->kind));
}

/* Elements [span.start, + count) of a child as a BinaryArray. */
static paimon_status write_elements(pmn_buf *out, const pmn_type *element, const struct ArrowSchema *schema, const struct ArrowArray *child,
                                    pmn_list_span span, paimon_error *err)
{
    pmn_row_slot_writer w;
    if (span.count > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "an array of %lld elements in a row", (long long)span.count);
    PMN_TRY(pmn_row_slot_begin_array(&w, out, (int32_t)span.count, pmn_row_slot_width(element), err));
    for (int32_t i = 0; i < (int32_t)span.count; i++) PMN_TRY(write_value(&w, i, element, schema, child, span.start + i, err));
    return PAIMON_OK;
}

static bool is_list(pmn_arrow_kind kind) { return kind >= PMN_ARROW_LIST && kind <= PMN_ARROW_FIXED_LIST; }

static paimon_status write_array(pmn_buf *out, const pmn_type *type, const struct ArrowSchema *schema, const pmn_arrow_type *arrow,
                                 const struct ArrowArray *array, int64_t row, paimon_error *err)
{
    if (!is_list(arrow->kind)) return wrong_shape(schema, type, err);
    pmn_list_span span = pmn_array_list_span(arrow->kind, arrow->width, array, row);
    return write_elements(out, type->fields[0].type, schema->children[0], array->children[0], span, err);
}

static paimon_status write_map(pmn_buf *out, const pmn_type *type, const struct ArrowSchema *schema, const pmn_arrow_type *arrow,
                               const struct ArrowArray *array, int64_t row, paimon_error *err)
{
    if (arrow->kind != PMN_ARROW_MAP) return wrong_shape(schema, type, err);
    const struct ArrowSchema *entry_schema = schema->children[0];
    const struct ArrowArray *entries = array->children[0];
    const pmn_type *value = type->kind == PMN_MAP ? type->fields[1].type : &multiset_count_type;
    pmn_list_span span = pmn_array_list_span(PMN_ARROW_MAP, 0, array, row);
    span.start += entries->offset;
    size_t begun = out->size;
    uint8_t size[4] = { 0 };
    PMN_TRY(pmn_buf_append(out, size, sizeof size, err));
    PMN_TRY(write_elements(out, type->fields[0].type, entry_schema->children[0], entries->children[0], span, err));
    size_t n = out->size - begun - sizeof size;
    if (n > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "a row of more than 2 GB");
    pmn_store_le32(out->data + begun, (uint32_t)n);
    return write_elements(out, value, entry_schema->children[1], entries->children[1], span, err);
}

static paimon_status write_struct(pmn_buf *out, const pmn_type *row_type, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                  int64_t row, paimon_error *err)
{
    pmn_row_slot_writer w;
    if (schema->n_children != row_type->n_fields || array->n_children != row_type->n_fields) return wrong_shape(schema, row_type, err);
    PMN_TRY(pmn_row_slot_begin_row(&w, out, row_type->n_fields, err));
    for (int32_t i = 0; i < row_type->n_fields; i++)
        PMN_TRY(write_value(&w, i, row_type->fields[i].type, schema->children[i], array->children[i], array->offset + row, err));
    return PAIMON_OK;
}

/* Raw values without null bits; a null among them is refused as Java refuses it. */
static paimon_status write_vector(pmn_buf *out, const pmn_type *type, const struct ArrowSchema *schema, const pmn_arrow_type *arrow,
                                  const struct ArrowArray *array, int64_t row, paimon_error *err)
{
    if (!is_list(arrow->kind)) return wrong_shape(schema, type, err);
    const pmn_type *element = type->fields[0].type;
    pmn_list_span span = pmn_array_list_span(arrow->kind, arrow->width, array, row);
    if (span.count != type->length)
        return pmn_fail(err, PAIMON_INVALID, "%lld elements for a vector of %d", (long long)span.count, (int)type->length);
    pmn_value_reader reader;
    PMN_TRY(pmn_value_reader_init(&reader, element, schema->children[0], err));
    uint8_t head[4];
    pmn_store_le32(head, (uint32_t)type->length);
    PMN_TRY(pmn_buf_append(out, head, sizeof head, err));
    size_t width = pmn_row_slot_width(element), start = out->size;
    pmn_row_slot_writer w = { out, start, 0, 0, 0, width, true };
    size_t bytes = (width * (size_t)type->length + 7) / 8 * 8;
    PMN_TRY(pmn_buf_reserve(out, bytes, err));
    memset(out->data + out->size, 0, bytes);
    out->size += bytes;
    for (int32_t i = 0; i < type->length; i++) {
        pmn_datum value;
        PMN_TRY(pmn_value_read(&reader, array->children[0], span.start + i, &value, err));
        if (value.is_null) return pmn_fail(err, PAIMON_INVALID, "a null element of a vector");
        PMN_TRY(pmn_row_slot_write(&w, i, element, &value, err));
    }
    return PAIMON_OK;
}

static paimon_status write_variant(pmn_buf *out, const pmn_type *type, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                   int64_t row, paimon_error *err)
{
    int value = pmn_schema_find(schema, "value"), metadata = pmn_schema_find(schema, "metadata");
    if (schema->n_children != 2 || value < 0 || metadata < 0) return wrong_shape(schema, type, err);
    pmn_datum parts[2];
    int children[] = { value, metadata };
    for (int i = 0; i < 2; i++) {
        PMN_TRY(pmn_datum_from_arrow(&variant_bytes_type, schema->children[children[i]], array->children[children[i]], array->offset + row, &parts[i], err));
        if (parts[i].is_null) return pmn_fail(err, PAIMON_INVALID, "a variant without its %s", i ? "metadata" : "value");
    }
    uint8_t size[4];
    pmn_store_le32(size, (uint32_t)parts[0].v.bytes.size);
    PMN_TRY(pmn_buf_append(out, size, sizeof size, err));
    PMN_TRY(pmn_buf_append(out, parts[0].v.bytes.data, parts[0].v.bytes.size, err));
    return pmn_buf_append(out, parts[1].v.bytes.data, parts[1].v.bytes.size, err);
}

static paimon_status write_nested(pmn_buf *out, const pmn_type *type, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                  int64_t row, paimon_error *err)
{
    pmn_arrow_type arrow;
    PMN_TRY(pmn_arrow_type_parse(schema->format, &arrow, err));
    if (schema->dictionary) return wrong_shape(schema, type, err);
    switch (type->kind) {
    case PMN_ARRAY: return write_array(out, type, schema, &arrow, array, row, err);
    case PMN_MAP:
    case PMN_MULTISET: return write_map(out, type, schema, &arrow, array, row, err);
    case PMN_VECTOR: return write_vector(out, type, schema, &arrow, array, row, err);
    default: break;
    }
    if (arrow.kind != PMN_ARROW_STRUCT) return wrong_shape(schema, type, err);
    return type->kind == PMN_ROW ? write_struct(out, type, schema, array, row, err) : write_variant(out, type, schema, array, row, err);
}

static paimon_status write_value(pmn_row_slot_writer *w, int32_t i, const pmn_type *type, const struct ArrowSchema *schema,
                                 const struct ArrowArray *array, int64_t row, paimon_error *err)
{
    if (pmn_type_is_atomic(type)) {
        pmn_datum value;
        PMN_TRY(pmn_datum_from_arrow(type, schema, array, row, &value, err));
        return pmn_row_slot_write(w, i, type, &value, err);
    }
    if (pmn_array_is_null(array, row) || strcmp(schema->format, "n") == 0) {
        pmn_row_slot_set_null(w, i);
        return PAIMON_OK;
    }
    size_t begun = pmn_row_slot_begin_nested(w);
    PMN_TRY(write_nested(w->out, type, schema, array, row, err));
    return pmn_row_slot_end_nested(w, i, begun, -1, err);
}

paimon_status pmn_row_from_arrow(pmn_buf *out, const pmn_type *row_type, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                 int64_t row, paimon_error *err)
{
    return write_struct(out, row_type, schema, array, row, err);
}
