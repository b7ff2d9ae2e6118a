/* Columns made value by value. */
#include "types/column.h"

#include <string.h>

#include "arrow/array.h"
#include "base/bitmap.h"
#include "base/checked.h"

/* The parts of types that have no fields of their own. */
static const pmn_type variant_part = { PMN_VARBINARY, false, INT32_MAX, 0, 0, NULL, NULL };
static const pmn_type multiset_count = { PMN_INT, false, 0, 0, 0, NULL, NULL };

static int32_t n_parts_of(const pmn_type *type)
{
    if (type->kind == PMN_VARIANT || type->kind == PMN_MULTISET) return 2;
    return type->n_fields;
}

static const pmn_type *part_type(const pmn_type *type, int32_t i)
{
    if (type->kind == PMN_VARIANT) return &variant_part;
    if (type->kind == PMN_MULTISET && i == 1) return &multiset_count;
    return type->fields[i].type;
}

/* Bytes of a value or an offset; 0: bits, or no buffer of values. */
static size_t value_width(const pmn_type *type)
{
    switch (type->kind) {
    case PMN_TINYINT: return 1;
    case PMN_SMALLINT: return 2;
    case PMN_INT:
    case PMN_FLOAT:
    case PMN_DATE:
    case PMN_TIME:
    case PMN_CHAR:
    case PMN_VARCHAR:
    case PMN_BINARY:
    case PMN_VARBINARY:
    case PMN_ARRAY:
    case PMN_MAP:
    case PMN_MULTISET: return 4;
    case PMN_BIGINT:
    case PMN_DOUBLE:
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ:
    case PMN_BLOB: return 8;
    case PMN_DECIMAL: return 16;
    default: return 0;
    }
}

static bool has_offsets(const pmn_type *type)
{
    return pmn_datum_has_bytes(type) || type->kind == PMN_ARRAY || type->kind == PMN_MAP || type->kind == PMN_MULTISET;
}

/* Room for `count` bytes in a buffer that may not be there yet. */
static paimon_status room(pmn_column *c, pmn_buffer **buffer, size_t count, paimon_error *err)
{
    if (!*buffer) return pmn_buffer_new(c->pool, count < 256 ? 256 : count, buffer, err);
    return (*buffer)->capacity < count ? pmn_buffer_grow(buffer, count, err) : PAIMON_OK;
}

static paimon_status room_for_value(pmn_column *c, paimon_error *err)
{
    size_t width = value_width(c->type), bytes;
    if (c->type->kind == PMN_BOOLEAN) return room(c, &c->values, pmn_bitmap_bytes(c->length + 1), err);
    if (width == 0) return PAIMON_OK;
    if (!pmn_mul_size((size_t)c->length + 2, width, &bytes)) return pmn_fail_nomem(err, "column");
    return room(c, &c->values, bytes, err);
}

static paimon_status init_parts(pmn_column *c, paimon_error *err)
{
    int32_t n = n_parts_of(c->type);
    if (n == 0) return PAIMON_OK;
    c->parts = pmn_calloc(pmn_buffer_pool_mem(c->pool), (size_t)n, sizeof *c->parts);
    if (!c->parts) return pmn_fail_nomem(err, "column");
    c->n_parts = n;
    for (int32_t i = 0; i < n; i++) PMN_TRY(pmn_column_init(&c->parts[i], c->pool, part_type(c->type, i), err));
    return PAIMON_OK;
}

paimon_status pmn_column_init(pmn_column *c, pmn_buffer_pool *pool, const pmn_type *type, paimon_error *err)
{
    memset(c, 0, sizeof *c);
    if (type->kind == PMN_GEOMETRY || type->kind == PMN_GEOGRAPHY)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s values are not supported yet", pmn_type_kind_name(type->kind));
    c->type = type;
    c->pool = pool;
    paimon_status status = init_parts(c, err);
    if (status == PAIMON_OK) status = room_for_value(c, err);
    if (status == PAIMON_OK && has_offsets(type)) memset(c->values->data, 0, value_width(type));
    if (status != PAIMON_OK) pmn_column_free(c);
    return status;
}

void pmn_column_free(pmn_column *c)
{
    pmn_buffer_release(c->validity);
    pmn_buffer_release(c->values);
    pmn_buffer_release(c->data);
    for (int32_t i = 0; i < c->n_parts; i++) pmn_column_free(&c->parts[i]);
    if (c->parts) pmn_free(pmn_buffer_pool_mem(c->pool), c->parts, (size_t)c->n_parts * sizeof *c->parts);
    memset(c, 0, sizeof *c);
}

static void set_bit(uint8_t *bits, int64_t i, bool value)
{
    if (value) pmn_bit_set(bits, i);
    else pmn_bit_clear(bits, i);
}

/* The bitmap begins with ones for what came before the first null. */
static paimon_status mark_valid(pmn_column *c, bool valid, paimon_error *err)
{
    if (valid && !c->validity) return PAIMON_OK;
    bool fresh = !c->validity;
    PMN_TRY(room(c, &c->validity, pmn_bitmap_bytes(c->length + 1), err));
    if (fresh) pmn_bitmap_fill(c->validity->data, 0, c->length, true);
    set_bit(c->validity->data, c->length, valid);
    c->n_nulls += !valid;
    return PAIMON_OK;
}

static void put_end(pmn_column *c, int64_t end)
{
    if (c->type->kind == PMN_BLOB) ((int64_t *)(void *)c->values->data)[c->length + 1] = end;
    else ((int32_t *)(void *)c->values->data)[c->length + 1] = (int32_t)end;
}

static paimon_status append_bytes(pmn_column *c, pmn_slice bytes, paimon_error *err)
{
    size_t end;
    if (!pmn_add_size((size_t)c->n_data, bytes.size, &end) || end > PTRDIFF_MAX) return pmn_fail_nomem(err, "column");
    if (end > INT32_MAX && c->type->kind != PMN_BLOB)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "an Arrow batch with %zu bytes in one column", end);
    PMN_TRY(room(c, &c->data, end, err));
    if (bytes.size) memcpy(c->data->data + c->n_data, bytes.data, bytes.size);
    c->n_data = (int64_t)end;
    put_end(c, c->n_data);
    return PAIMON_OK;
}

static int64_t floor_seconds(int64_t millis) { return millis / 1000 - (millis % 1000 < 0); }

bool pmn_timestamp_in_unit(pmn_timestamp ts, int32_t precision, int64_t *out)
{
    if (precision == 0) return *out = floor_seconds(ts.millis), true;
    if (precision <= 3) return *out = ts.millis, true;
    /* The product alone may be out of range below zero although the sum is not, so the sum is made in 128 bits. */
    pmn_i128 nanos = (pmn_i128)ts.millis * 1000000 + ts.nanos_of_milli;
    pmn_i128 value = precision <= 6 ? (pmn_i128)ts.millis * 1000 + ts.nanos_of_milli / 1000 : nanos;
    *out = (int64_t)value;
    return value >= INT64_MIN && value <= INT64_MAX;
}

static paimon_status append_timestamp(pmn_column *c, pmn_timestamp ts, paimon_error *err)
{
    int64_t value;
    if (!pmn_timestamp_in_unit(ts, c->type->length, &value))
        return pmn_fail(err, PAIMON_UNSUPPORTED, "the timestamp of %lld ms since 1970 in an Arrow column of %s", (long long)ts.millis,
                        c->type->length <= 6 ? "microseconds" : "nanoseconds");
    ((int64_t *)(void *)c->values->data)[c->length] = value;
    return PAIMON_OK;
}

static void append_number(pmn_column *c, int64_t value)
{
    uint8_t *at = c->values->data;
    int64_t i = c->length;
    switch (value_width(c->type)) {
    case 1: ((int8_t *)at)[i] = (int8_t)value; break;
    case 2: ((int16_t *)(void *)at)[i] = (int16_t)value; break;
    case 4: ((int32_t *)(void *)at)[i] = (int32_t)value; break;
    default: ((int64_t *)(void *)at)[i] = value;
    }
}

static paimon_status append_value(pmn_column *c, const pmn_datum *value, paimon_error *err)
{
    switch (c->type->kind) {
    case PMN_BOOLEAN: set_bit(c->values->data, c->length, value->v.i != 0); return PAIMON_OK;
    case PMN_TINYINT:
    case PMN_SMALLINT:
    case PMN_INT:
    case PMN_BIGINT:
    case PMN_DATE:
    case PMN_TIME: append_number(c, value->v.i); return PAIMON_OK;
    case PMN_FLOAT: memcpy(c->values->data + 4 * c->length, &value->v.f, 4); return PAIMON_OK;
    case PMN_DOUBLE: memcpy(c->values->data + 8 * c->length, &value->v.d, 8); return PAIMON_OK;
    case PMN_DECIMAL: memcpy(c->values->data + 16 * c->length, &value->v.dec, 16); return PAIMON_OK;
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: return append_timestamp(c, value->v.ts, err);
    default: break;
    }
    if (pmn_datum_has_bytes(c->type)) return append_bytes(c, value->v.bytes, err);
    return pmn_fail(err, PAIMON_INTERNAL, "a nested %s appended as one value", pmn_type_kind_name(c->type->kind));
}

paimon_status pmn_column_append(pmn_column *c, const pmn_datum *value, paimon_error *err)
{
    if (value->is_null) return pmn_column_append_null(c, err);
    PMN_TRY(room_for_value(c, err));
    PMN_TRY(append_value(c, value, err));
    PMN_TRY(mark_valid(c, true, err));
    c->length++;
    return PAIMON_OK;
}

/* Zeros in the place of a value. Parts of a null row or vector still have a row; a part that may not be null gets zeros, too. */
static paimon_status append_blank(pmn_column *c, bool as_null, paimon_error *err)
{
    static const pmn_datum zero;
    PMN_TRY(room_for_value(c, err));
    if (has_offsets(c->type)) put_end(c, pmn_datum_has_bytes(c->type) ? c->n_data : c->parts[0].length);
    else if (pmn_type_is_atomic(c->type)) PMN_TRY(append_value(c, &zero, err));
    else
        for (int32_t i = 0; i < c->n_parts; i++)
            for (int32_t k = 0; k < (c->type->kind == PMN_VECTOR ? c->type->length : 1); k++)
                PMN_TRY(append_blank(&c->parts[i], c->parts[i].type->nullable, err));
    PMN_TRY(mark_valid(c, !as_null, err));
    c->length++;
    return PAIMON_OK;
}

paimon_status pmn_column_append_null(pmn_column *c, paimon_error *err) { return append_blank(c, true, err); }

paimon_status pmn_column_close(pmn_column *c, paimon_error *err)
{
    PMN_TRY(room_for_value(c, err));
    if (has_offsets(c->type)) {
        if (c->parts[0].length > INT32_MAX) return pmn_fail(err, PAIMON_UNSUPPORTED, "an Arrow batch with more than %d elements in one column", INT32_MAX);
        put_end(c, c->parts[0].length);
    }
    PMN_TRY(mark_valid(c, true, err));
    c->length++;
    return PAIMON_OK;
}

static paimon_status finish_parts(pmn_column *c, struct ArrowArray *out, paimon_error *err)
{
    for (int32_t i = 0; i < c->n_parts; i++) PMN_TRY(pmn_column_finish(&c->parts[i], out->children[i], err));
    return PAIMON_OK;
}

/* The entries of a map: a struct that has no nulls. */
static paimon_status finish_entries(pmn_column *c, struct ArrowArray *out, paimon_error *err)
{
    pmn_buffer *none = NULL;
    PMN_TRY(pmn_array_new(pmn_buffer_pool_mem(c->pool), c->parts[0].length, 0, 1, &none, 2, out, err));
    return finish_parts(c, out, err);
}

paimon_status pmn_column_finish(pmn_column *c, struct ArrowArray *out, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    bool map = c->type->kind == PMN_MAP || c->type->kind == PMN_MULTISET, text = pmn_datum_has_bytes(c->type);
    paimon_status status = PAIMON_OK;
    if (text) PMN_GOTO(status, room(c, &c->data, (size_t)c->n_data, err), done);
    pmn_buffer *buffers[3] = { c->validity, c->values, c->data };
    int n_buffers = text ? 3 : c->values ? 2 : 1;
    if (c->values) c->values->size = c->type->kind == PMN_BOOLEAN ? pmn_bitmap_bytes(c->length) : value_width(c->type) * (size_t)(c->length + has_offsets(c->type));
    if (c->data) c->data->size = (size_t)c->n_data;
    c->validity = c->values = c->data = NULL;
    PMN_GOTO(status, pmn_array_new(pmn_buffer_pool_mem(c->pool), c->length, c->n_nulls, n_buffers, buffers, map ? 1 : (int)c->n_parts, out, err), done);
    status = map ? finish_entries(c, out->children[0], err) : finish_parts(c, out, err);
    if (status != PAIMON_OK) pmn_array_release(out);
done:
    pmn_column_free(c);
    return status;
}
