/* BinaryRows into Arrow columns. The bytes are foreign: lengths are checked, and the items of one container may not together be longer
 * than it, so that overlapping items cannot make a small row into a large batch. */
#include <string.h>

#include "arrow/array.h"
#include "types/column.h"
#include "types/row_codec.h"
#include "types/row_slot.h"

/* A row or array being read: its bytes, and how many of them its items may still claim. */
typedef struct container {
    pmn_slice bytes;
    size_t left;
} container;

static paimon_status append_item(pmn_column *c, container *from, size_t slot, paimon_error *err);

static paimon_status claim(container *from, size_t n, paimon_error *err)
{
    if (n > from->left) return pmn_fail(err, PAIMON_CORRUPT, "the items of a row of %zu bytes overlap", from->bytes.size);
    from->left -= n;
    return PAIMON_OK;
}

/* The elements of a BinaryArray, appended to a part; `count` out. */
static paimon_status append_elements(pmn_column *c, pmn_slice array, int32_t *count, paimon_error *err)
{
    if (array.size < 4) return pmn_fail(err, PAIMON_CORRUPT, "an array of %zu bytes in a row", array.size);
    uint32_t n = pmn_load_le32(array.data);
    size_t width = pmn_row_slot_width(c->type), slots = 4 + ((size_t)n + 31) / 32 * 4;
    if (n > INT32_MAX || slots > array.size || (array.size - slots) / width < n)
        return pmn_fail(err, PAIMON_CORRUPT, "an array of %u elements in %zu bytes of a row", (unsigned)n, array.size);
    container from = { array, array.size };
    for (size_t i = 0; i < n; i++) {
        bool null = pmn_bit_get(array.data + 4, (int64_t)i);
        PMN_TRY(null ? pmn_column_append_null(c, err) : append_item(c, &from, slots + width * i, err));
    }
    *count = (int32_t)n;
    return PAIMON_OK;
}

static paimon_status append_map(pmn_column *c, pmn_slice map, paimon_error *err)
{
    if (map.size < 4) return pmn_fail(err, PAIMON_CORRUPT, "a map of %zu bytes in a row", map.size);
    uint32_t key_bytes = pmn_load_le32(map.data);
    if (key_bytes > map.size - 4) return pmn_fail(err, PAIMON_CORRUPT, "keys of %u bytes in a map of %zu bytes", (unsigned)key_bytes, map.size);
    int32_t n_keys, n_values;
    int64_t nulls_before = c->parts[0].n_nulls;
    PMN_TRY(append_elements(&c->parts[0], pmn_slice_of(map.data + 4, key_bytes), &n_keys, err));
    PMN_TRY(append_elements(&c->parts[1], pmn_slice_of(map.data + 4 + key_bytes, map.size - 4 - key_bytes), &n_values, err));
    if (n_keys != n_values) return pmn_fail(err, PAIMON_CORRUPT, "a map of %d keys and %d values", (int)n_keys, (int)n_values);
    if (c->parts[0].n_nulls != nulls_before) return pmn_fail(err, PAIMON_UNSUPPORTED, "a map with a null key, which Arrow does not allow");
    return PAIMON_OK;
}

static paimon_status append_row(pmn_column *c, pmn_slice bytes, paimon_error *err)
{
    pmn_row_view row;
    PMN_TRY(pmn_row_parse_bare(bytes, c->n_parts, &row, err));
    container from = { bytes, bytes.size };
    size_t slots = pmn_row_header_bytes(row.arity);
    for (int32_t i = 0; i < row.arity; i++) {
        pmn_column *part = &c->parts[i];
        PMN_TRY(pmn_row_is_null(&row, i) ? pmn_column_append_null(part, err) : append_item(part, &from, slots + 8 * (size_t)i, err));
    }
    return PAIMON_OK;
}

static paimon_status append_vector(pmn_column *c, pmn_slice bytes, paimon_error *err)
{
    pmn_column *element = &c->parts[0];
    size_t width = pmn_row_slot_width(element->type);
    if (bytes.size < 4 || pmn_load_le32(bytes.data) != (uint32_t)c->type->length || (bytes.size - 4) / width < (size_t)c->type->length)
        return pmn_fail(err, PAIMON_CORRUPT, "a vector of %d elements in %zu bytes of a row", (int)c->type->length, bytes.size);
    for (int32_t i = 0; i < c->type->length; i++) {
        pmn_datum value;
        PMN_TRY(pmn_row_slot_read(bytes, 4 + width * (size_t)i, element->type, &value, err));
        PMN_TRY(pmn_column_append(element, &value, err));
    }
    return PAIMON_OK;
}

static paimon_status append_variant(pmn_column *c, pmn_slice bytes, paimon_error *err)
{
    if (bytes.size < 4 || pmn_load_le32(bytes.data) > bytes.size - 4)
        return pmn_fail(err, PAIMON_CORRUPT, "a variant of %zu bytes in a row", bytes.size);
    size_t n = pmn_load_le32(bytes.data);
    pmn_datum value = { false, { 0 } }, metadata = value;
    value.v.bytes = pmn_slice_of(bytes.data + 4, n);
    metadata.v.bytes = pmn_slice_of(bytes.data + 4 + n, bytes.size - 4 - n);
    PMN_TRY(pmn_column_append(&c->parts[0], &value, err));
    return pmn_column_append(&c->parts[1], &metadata, err);
}

static paimon_status append_nested(pmn_column *c, pmn_slice bytes, paimon_error *err)
{
    int32_t n;
    switch (c->type->kind) {
    case PMN_ARRAY: PMN_TRY(append_elements(&c->parts[0], bytes, &n, err)); break;
    case PMN_MAP:
    case PMN_MULTISET: PMN_TRY(append_map(c, bytes, err)); break;
    case PMN_ROW: PMN_TRY(append_row(c, bytes, err)); break;
    case PMN_VECTOR: PMN_TRY(append_vector(c, bytes, err)); break;
    default: PMN_TRY(append_variant(c, bytes, err)); break;
    }
    return pmn_column_close(c, err);
}

static paimon_status append_item(pmn_column *c, container *from, size_t slot, paimon_error *err)
{
    if (pmn_type_is_atomic(c->type)) {
        pmn_datum value;
        PMN_TRY(pmn_row_slot_read(from->bytes, slot, c->type, &value, err));
        if (pmn_datum_has_bytes(c->type)) PMN_TRY(claim(from, value.v.bytes.size, err));
        return pmn_column_append(c, &value, err);
    }
    pmn_slice bytes;
    PMN_TRY(pmn_row_slot_bytes(from->bytes, slot, &bytes, err));
    PMN_TRY(claim(from, bytes.size, err));
    return append_nested(c, bytes, err);
}

paimon_status pmn_rows_to_arrow(pmn_buffer_pool *pool, const pmn_type *row_type, const pmn_row_view *rows, int64_t n, struct ArrowArray *out,
                                paimon_error *err)
{
    pmn_column c;
    memset(out, 0, sizeof *out);
    PMN_TRY(pmn_column_init(&c, pool, row_type, err));
    paimon_status status = PAIMON_OK;
    for (int64_t i = 0; i < n && status == PAIMON_OK; i++) {
        if (rows[i].arity != row_type->n_fields)
            status = pmn_fail(err, PAIMON_CORRUPT, "a row of %d fields where the schema has %d", (int)rows[i].arity, (int)row_type->n_fields);
        else status = append_nested(&c, rows[i].bytes, err);
    }
    if (status == PAIMON_OK) return pmn_column_finish(&c, out, err);
    pmn_column_free(&c);
    return status;
}
