/* Checks of foreign arrays. Everything an array says is a number that somebody else computed. */
#include "arrow/import.h"

#include <string.h>

#include "arrow/array.h"
#include "base/checked.h"

/* Where we are, for messages. */
typedef struct import {
    const char *name;
    const char *format;
    int depth;
    paimon_error *err;
} import;

static paimon_status check_node(const import *parent, const struct ArrowSchema *schema, const struct ArrowArray *array);

static paimon_status broken(const import *at, const char *what, int64_t number)
{
    return pmn_fail(at->err, PAIMON_INVALID, "Arrow column '%s' (format '%s'): %s (%lld)", at->name, at->format, what, (long long)number);
}

typedef struct layout {
    int n_buffers; /* -1: 3 or more */
    int n_children; /* -1: as many as the schema says */
    size_t width;  /* bytes of a value in buffer 1; 0: none, bits, or offsets */
} layout;

static layout layout_of(const pmn_arrow_type *type)
{
    switch (type->kind) {
    case PMN_ARROW_NULL: return (layout){ 0, 0, 0 };
    case PMN_ARROW_BOOL: return (layout){ 2, 0, 0 };
    case PMN_ARROW_DECIMAL: return (layout){ 2, 0, (size_t)type->width / 8 };
    case PMN_ARROW_BINARY:
    case PMN_ARROW_LARGE_BINARY:
    case PMN_ARROW_STRING:
    case PMN_ARROW_LARGE_STRING: return (layout){ 3, 0, 0 };
    case PMN_ARROW_BINARY_VIEW:
    case PMN_ARROW_STRING_VIEW: return (layout){ -1, 0, 16 };
    case PMN_ARROW_LIST:
    case PMN_ARROW_LARGE_LIST:
    case PMN_ARROW_MAP: return (layout){ 2, 1, 0 };
    case PMN_ARROW_LIST_VIEW:
    case PMN_ARROW_LARGE_LIST_VIEW: return (layout){ 3, 1, 0 };
    case PMN_ARROW_FIXED_LIST: return (layout){ 1, 1, 0 };
    case PMN_ARROW_STRUCT: return (layout){ 1, -1, 0 };
    default: return (layout){ 2, 0, (size_t)type->width };
    }
}

/* Lengths, counts and pointers that every kind has. `rows` out: offset + length. */
static paimon_status check_shape(const import *at, const struct ArrowSchema *schema, const struct ArrowArray *array, const layout *l, int64_t *rows)
{
    if (array->length < 0) return broken(at, "negative length", array->length);
    if (array->offset < 0) return broken(at, "negative offset", array->offset);
    if (!pmn_add_i64(array->offset, array->length, rows)) return broken(at, "offset and length past 64 bits", array->length);
    if (array->null_count < -1 || array->null_count > array->length) return broken(at, "null count", array->null_count);
    if (l->n_buffers < 0 ? array->n_buffers < 3 || array->n_buffers > INT32_MAX : array->n_buffers != l->n_buffers)
        return broken(at, "number of buffers", array->n_buffers);
    if (array->n_buffers > 0 && !array->buffers) return broken(at, "no table of buffers", array->n_buffers);
    if (schema->n_children < 0 || schema->n_children > INT32_MAX || (l->n_children >= 0 && schema->n_children != l->n_children))
        return broken(at, "number of children in the schema", schema->n_children);
    if (array->n_children != schema->n_children) return broken(at, "number of children", array->n_children);
    if (array->n_children > 0 && (!array->children || !schema->children)) return broken(at, "no table of children", array->n_children);
    for (int64_t i = 0; i < array->n_children; i++)
        if (!array->children[i] || !schema->children[i]) return broken(at, "no child", i);
    if (!schema->dictionary != !array->dictionary) return broken(at, "a dictionary in only one of array and schema", 0);
    if (array->n_buffers > 0 && array->null_count > 0 && !array->buffers[0]) return broken(at, "nulls without a bitmap", array->null_count);
    return PAIMON_OK;
}

static paimon_status check_schema_node(const import *parent, const struct ArrowSchema *schema);

static paimon_status check_schema_children(const import *at, const struct ArrowSchema *schema, int wanted)
{
    int64_t n = schema->n_children;
    if (n < 0 || n > INT32_MAX || (wanted >= 0 && n != wanted)) return broken(at, "number of children in the schema", n);
    if (n > 0 && !schema->children) return broken(at, "no table of children in the schema", n);
    for (int64_t i = 0; i < n; i++) {
        if (!schema->children[i]) return broken(at, "no child in the schema", i);
        PMN_TRY(check_schema_node(at, schema->children[i]));
    }
    return PAIMON_OK;
}

static paimon_status refuse_layout(const import *at, pmn_arrow_kind kind)
{
    if (kind != PMN_ARROW_RUN_END && kind != PMN_ARROW_SPARSE_UNION && kind != PMN_ARROW_DENSE_UNION) return PAIMON_OK;
    return pmn_fail(at->err, PAIMON_UNSUPPORTED, "Arrow column '%s': %s arrays are not taken", at->name, pmn_arrow_kind_name(kind));
}

static paimon_status check_schema_node(const import *parent, const struct ArrowSchema *schema)
{
    import at = { schema->name ? schema->name : "", schema->format ? schema->format : "", parent->depth + 1, parent->err };
    pmn_arrow_type type;
    if (!schema->release) return broken(&at, "a released schema", 0);
    if (!schema->format) return broken(&at, "no format in the schema", 0);
    if (at.depth > PMN_ARROW_MAX_DEPTH) return pmn_fail(at.err, PAIMON_UNSUPPORTED, "Arrow column '%s': nested deeper than %d", at.name, PMN_ARROW_MAX_DEPTH);
    PMN_TRY(pmn_arrow_type_parse(schema->format, &type, at.err));
    PMN_TRY(refuse_layout(&at, type.kind));
    PMN_TRY(check_schema_children(&at, schema, layout_of(&type).n_children));
    if (type.kind == PMN_ARROW_MAP && schema->children[0]->n_children != 2)
        return broken(&at, "a map whose entries are not of two fields", schema->children[0]->n_children);
    return schema->dictionary ? check_schema_node(&at, schema->dictionary) : PAIMON_OK;
}

paimon_status pmn_schema_import_check(const struct ArrowSchema *schema, paimon_error *err)
{
    import top = { "", "", 0, err };
    return check_schema_node(&top, schema);
}

static paimon_status check_offsets32(const import *at, const struct ArrowArray *array, int64_t limit)
{
    const int32_t *offsets = (const int32_t *)array->buffers[1] + array->offset;
    if (offsets[0] < 0) return broken(at, "negative offset of a value", offsets[0]);
    for (int64_t i = 0; i < array->length; i++)
        if (offsets[i + 1] < offsets[i]) return broken(at, "falling offsets at row", i);
    return offsets[array->length] > limit ? broken(at, "offset past the end of the values", offsets[array->length]) : PAIMON_OK;
}

static paimon_status check_offsets64(const import *at, const struct ArrowArray *array, int64_t limit)
{
    const int64_t *offsets = (const int64_t *)array->buffers[1] + array->offset;
    if (offsets[0] < 0) return broken(at, "negative offset of a value", offsets[0]);
    for (int64_t i = 0; i < array->length; i++)
        if (offsets[i + 1] < offsets[i]) return broken(at, "falling offsets at row", i);
    return offsets[array->length] > limit ? broken(at, "offset past the end of the values", offsets[array->length]) : PAIMON_OK;
}

static paimon_status check_offsets(const import *at, const struct ArrowArray *array, int64_t rows, bool large, int64_t limit)
{
    if (!array->buffers[1]) return rows == 0 ? PAIMON_OK : broken(at, "no offsets for rows", rows);
    return large ? check_offsets64(at, array, limit) : check_offsets32(at, array, limit);
}

static int64_t last_offset(const struct ArrowArray *array, bool large)
{
    int64_t end = array->offset + array->length;
    return large ? ((const int64_t *)array->buffers[1])[end] : ((const int32_t *)array->buffers[1])[end];
}

static paimon_status check_text(const import *at, const struct ArrowArray *array, int64_t rows, bool large)
{
    PMN_TRY(check_offsets(at, array, rows, large, INT64_MAX));
    if (array->buffers[1] && !array->buffers[2] && last_offset(array, large) > 0) return broken(at, "no data for bytes", last_offset(array, large));
    return PAIMON_OK;
}

static paimon_status check_view(const import *at, const struct ArrowArray *array, int64_t row)
{
    const uint8_t *view = (const uint8_t *)array->buffers[1] + 16 * (array->offset + row);
    const int64_t *sizes = array->buffers[array->n_buffers - 1];
    int32_t head[4];
    memcpy(head, view, sizeof head);
    if (head[0] < 0) return broken(at, "negative length of a view at row", row);
    if (head[0] <= 12) return PAIMON_OK;
    if (head[2] < 0 || head[2] >= array->n_buffers - 3 || !sizes || !array->buffers[2 + head[2]]) return broken(at, "buffer of a view at row", row);
    if (head[3] < 0 || (int64_t)head[3] + head[0] > sizes[head[2]]) return broken(at, "view past the end of its buffer at row", row);
    return PAIMON_OK;
}

static paimon_status check_views(const import *at, const struct ArrowArray *array, int64_t rows)
{
    if (rows > 0 && !array->buffers[1]) return broken(at, "no views for rows", rows);
    for (int64_t i = 0; i < array->length; i++)
        if (!pmn_array_is_null(array, i)) PMN_TRY(check_view(at, array, i));
    return PAIMON_OK;
}

static paimon_status check_list_views(const import *at, pmn_arrow_kind kind, const struct ArrowArray *array, int64_t rows)
{
    if (rows > 0 && (!array->buffers[1] || !array->buffers[2])) return broken(at, "no offsets or sizes for rows", rows);
    for (int64_t i = 0; i < array->length; i++) {
        if (pmn_array_is_null(array, i)) continue;
        pmn_list_span s = pmn_array_list_span(kind, 0, array, i);
        int64_t end;
        if (s.start < 0 || s.count < 0 || !pmn_add_i64(s.start, s.count, &end) || end > array->children[0]->length)
            return broken(at, "list past the end of its values at row", i);
    }
    return PAIMON_OK;
}

static int64_t index_at(pmn_arrow_kind kind, const void *values, int64_t i)
{
    switch (kind) {
    case PMN_ARROW_INT8: return ((const int8_t *)values)[i];
    case PMN_ARROW_UINT8: return ((const uint8_t *)values)[i];
    case PMN_ARROW_INT16: return ((const int16_t *)values)[i];
    case PMN_ARROW_UINT16: return ((const uint16_t *)values)[i];
    case PMN_ARROW_INT32: return ((const int32_t *)values)[i];
    case PMN_ARROW_UINT32: return ((const uint32_t *)values)[i];
    default: return ((const int64_t *)values)[i]; /* an unsigned one past 2^63 is negative here, and refused */
    }
}

static paimon_status check_dictionary(const import *at, const struct ArrowSchema *schema, const struct ArrowArray *array, pmn_arrow_kind kind)
{
    if (kind < PMN_ARROW_INT8 || kind > PMN_ARROW_UINT64) return broken(at, "dictionary indices that are no integers", 0);
    import inner = *at;
    PMN_TRY(check_node(&inner, schema->dictionary, array->dictionary));
    for (int64_t i = 0; i < array->length; i++) {
        if (pmn_array_is_null(array, i)) continue;
        int64_t index = index_at(kind, array->buffers[1], array->offset + i);
        if (index < 0 || index >= array->dictionary->length) return broken(at, "index outside of the dictionary", index);
    }
    return PAIMON_OK;
}

/* How many rows a child must have: structs and fixed-size lists. */
static paimon_status check_child_lengths(const import *at, const struct ArrowArray *array, int64_t needed)
{
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->length < needed) return broken(at, "a child with too few rows", array->children[i]->length);
    return PAIMON_OK;
}

static paimon_status check_values(const import *at, const pmn_arrow_type *type, const struct ArrowArray *array, int64_t rows, size_t width)
{
    int64_t needed;
    switch (type->kind) {
    case PMN_ARROW_NULL: return PAIMON_OK;
    case PMN_ARROW_BINARY:
    case PMN_ARROW_STRING: return check_text(at, array, rows, false);
    case PMN_ARROW_LARGE_BINARY:
    case PMN_ARROW_LARGE_STRING: return check_text(at, array, rows, true);
    case PMN_ARROW_BINARY_VIEW:
    case PMN_ARROW_STRING_VIEW: return check_views(at, array, rows);
    case PMN_ARROW_LIST:
    case PMN_ARROW_MAP: return check_offsets(at, array, rows, false, array->children[0]->length);
    case PMN_ARROW_LARGE_LIST: return check_offsets(at, array, rows, true, array->children[0]->length);
    case PMN_ARROW_LIST_VIEW:
    case PMN_ARROW_LARGE_LIST_VIEW: return check_list_views(at, type->kind, array, rows);
    case PMN_ARROW_STRUCT: return check_child_lengths(at, array, rows);
    case PMN_ARROW_FIXED_LIST:
        if (!pmn_mul_i64(rows, type->width, &needed)) return broken(at, "rows past 64 bits", rows);
        return check_child_lengths(at, array, needed);
    default:
        if (rows > 0 && (width > 0 || type->kind == PMN_ARROW_BOOL) && !array->buffers[1]) return broken(at, "no values for rows", rows);
        return PAIMON_OK;
    }
}

static paimon_status check_node(const import *parent, const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    import at = { schema->name ? schema->name : "", schema->format ? schema->format : "", parent->depth + 1, parent->err };
    if (!schema->release) return broken(&at, "a released schema", 0);
    if (!array->release) return broken(&at, "a released array", 0);
    if (at.depth > PMN_ARROW_MAX_DEPTH) return pmn_fail(at.err, PAIMON_UNSUPPORTED, "Arrow column '%s': nested deeper than %d", at.name, PMN_ARROW_MAX_DEPTH);
    pmn_arrow_type type;
    PMN_TRY(pmn_arrow_type_parse(schema->format, &type, at.err));
    PMN_TRY(refuse_layout(&at, type.kind));
    layout l = layout_of(&type);
    int64_t rows = 0;
    PMN_TRY(check_shape(&at, schema, array, &l, &rows));
    if (type.kind == PMN_ARROW_MAP && schema->children[0]->n_children != 2)
        return broken(&at, "a map whose entries are not of two fields", schema->children[0]->n_children);
    for (int64_t i = 0; i < array->n_children; i++) PMN_TRY(check_node(&at, schema->children[i], array->children[i]));
    PMN_TRY(check_values(&at, &type, array, rows, l.width));
    return schema->dictionary ? check_dictionary(&at, schema, array, type.kind) : PAIMON_OK;
}

paimon_status pmn_array_import_check(const struct ArrowSchema *schema, const struct ArrowArray *array, paimon_error *err)
{
    import top = { "", "", 0, err };
    return check_node(&top, schema, array);
}
