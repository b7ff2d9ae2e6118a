/* Single values out of Arrow arrays. Lengths and offsets of the arrays are trusted here: pmn_array_import_check looks at foreign ones. */
#include "types/value_reader.h"

#include <string.h>

#include "arrow/array.h"

#define DAY_MS 86400000

static bool is_int_up_to(pmn_arrow_kind kind, int bytes)
{
    int width = kind == PMN_ARROW_INT8 ? 1 : kind == PMN_ARROW_INT16 ? 2 : kind == PMN_ARROW_INT32 ? 4 : kind == PMN_ARROW_INT64 ? 8 : 99;
    return width <= bytes;
}

static bool is_text_kind(pmn_arrow_kind k) { return k == PMN_ARROW_STRING || k == PMN_ARROW_LARGE_STRING || k == PMN_ARROW_STRING_VIEW; }
static bool is_binary_kind(pmn_arrow_kind k)
{
    return k == PMN_ARROW_BINARY || k == PMN_ARROW_LARGE_BINARY || k == PMN_ARROW_BINARY_VIEW || k == PMN_ARROW_FIXED_BINARY;
}

/* Which Arrow types may hold which Paimon type. A null column holds any. */
static bool may_hold(const pmn_type *type, const pmn_arrow_type *arrow)
{
    pmn_arrow_kind k = arrow->kind;
    if (k == PMN_ARROW_NULL) return true;
    switch (type->kind) {
    case PMN_BOOLEAN: return k == PMN_ARROW_BOOL;
    case PMN_TINYINT: return is_int_up_to(k, 1);
    case PMN_SMALLINT: return is_int_up_to(k, 2);
    case PMN_INT: return is_int_up_to(k, 4);
    case PMN_BIGINT: return is_int_up_to(k, 8);
    case PMN_FLOAT: return k == PMN_ARROW_FLOAT;
    case PMN_DOUBLE: return k == PMN_ARROW_DOUBLE;
    case PMN_DATE: return k == PMN_ARROW_DATE32 || k == PMN_ARROW_DATE64;
    case PMN_TIME: return k == PMN_ARROW_TIME32 || k == PMN_ARROW_TIME64;
    case PMN_TIMESTAMP: return k == PMN_ARROW_TIMESTAMP && !*arrow->zone;
    case PMN_TIMESTAMP_LTZ: return k == PMN_ARROW_TIMESTAMP && *arrow->zone;
    case PMN_DECIMAL: return k == PMN_ARROW_DECIMAL && arrow->scale == type->scale;
    case PMN_CHAR:
    case PMN_VARCHAR: return is_text_kind(k);
    case PMN_BINARY:
    case PMN_VARBINARY:
    case PMN_BLOB: return is_binary_kind(k);
    default: return false;
    }
}

paimon_status pmn_value_reader_init(pmn_value_reader *r, const pmn_type *type, const struct ArrowSchema *schema, paimon_error *err)
{
    memset(r, 0, sizeof *r);
    r->type = type;
    r->has_dictionary = schema->dictionary != NULL;
    if (r->has_dictionary) {
        PMN_TRY(pmn_arrow_type_parse(schema->format, &r->index, err));
        if (r->index.kind < PMN_ARROW_INT8 || r->index.kind > PMN_ARROW_UINT64)
            return pmn_fail(err, PAIMON_INVALID, "Arrow column '%s': dictionary indices of format '%s'", schema->name ? schema->name : "", schema->format);
        if (schema->dictionary->dictionary) return pmn_fail(err, PAIMON_UNSUPPORTED, "Arrow column '%s': a dictionary in a dictionary", schema->name ? schema->name : "");
    }
    const char *format = r->has_dictionary ? schema->dictionary->format : schema->format;
    PMN_TRY(pmn_arrow_type_parse(format, &r->arrow, err));
    if (may_hold(type, &r->arrow)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_UNSUPPORTED, "Arrow column '%s': %s (format '%s') for values of type %s", schema->name ? schema->name : "",
                    pmn_arrow_kind_name(r->arrow.kind), format, pmn_type_kind_name(type->kind));
}

static int64_t int_at(pmn_arrow_kind kind, const void *values, int64_t i)
{
    switch (kind) {
    case PMN_ARROW_INT8: return ((const int8_t *)values)[i];
    case PMN_ARROW_UINT8: return ((const uint8_t *)values)[i];
    case PMN_ARROW_INT16: return ((const int16_t *)values)[i];
    case PMN_ARROW_UINT16: return ((const uint16_t *)values)[i];
    case PMN_ARROW_UINT32: return ((const uint32_t *)values)[i];
    case PMN_ARROW_INT64:
    case PMN_ARROW_UINT64:
    case PMN_ARROW_DATE64:
    case PMN_ARROW_TIME64:
    case PMN_ARROW_TIMESTAMP: return ((const int64_t *)values)[i];
    default: return ((const int32_t *)values)[i];
    }
}

static paimon_status no_value(const pmn_value_reader *r, int64_t value, const char *why, paimon_error *err)
{
    return pmn_fail(err, PAIMON_INVALID, "the Arrow value %lld is no %s: %s", (long long)value, pmn_type_kind_name(r->type->kind), why);
}

static paimon_status read_date(const pmn_value_reader *r, int64_t value, pmn_datum *out, paimon_error *err)
{
    if (r->arrow.kind == PMN_ARROW_DATE64) {
        if (value % DAY_MS != 0) return no_value(r, value, "not a whole day", err);
        value /= DAY_MS;
        if (value < INT32_MIN || value > INT32_MAX) return no_value(r, value, "out of range", err);
    }
    out->v.i = value;
    return PAIMON_OK;
}

/* A value in units of 10^-3k seconds must lie within a day and on a millisecond. */
static paimon_status read_time(const pmn_value_reader *r, int64_t value, pmn_datum *out, paimon_error *err)
{
    static const int64_t a_second[] = { 1, 1000, 1000000, 1000000000 };
    int64_t unit = a_second[r->arrow.unit];
    if (value < 0 || value >= 86400 * unit) return no_value(r, value, "not within a day", err);
    if (unit > 1000 && value % (unit / 1000) != 0) return no_value(r, value, "it is finer than milliseconds", err);
    out->v.i = unit > 1000 ? value / (unit / 1000) : value * (1000 / unit);
    return PAIMON_OK;
}

static paimon_status read_timestamp_value(const pmn_value_reader *r, int64_t value, pmn_datum *out, paimon_error *err)
{
    static const int64_t a_milli[] = { 0, 1, 1000, 1000000 };
    int64_t unit = a_milli[r->arrow.unit], least = 1;
    if (unit == 0) {
        if (value > INT64_MAX / 1000 || value < INT64_MIN / 1000) return no_value(r, value, "out of range", err);
        out->v.ts = (pmn_timestamp){ value * 1000, 0 };
        return PAIMON_OK;
    }
    int64_t rest = value % unit < 0 ? value % unit + unit : value % unit;
    out->v.ts.millis = value / unit - (value % unit < 0);
    out->v.ts.nanos_of_milli = (int32_t)(rest * (1000000 / unit));
    for (int i = r->type->length; i < 9; i++) least *= 10;
    int64_t nanos_of_second = (out->v.ts.millis % 1000 + 1000) % 1000 * 1000000 + out->v.ts.nanos_of_milli;
    if (nanos_of_second % least != 0) return no_value(r, value, "it is finer than the type's precision", err);
    return PAIMON_OK;
}

static paimon_status read_decimal_value(const pmn_value_reader *r, const void *values, int64_t i, pmn_datum *out, paimon_error *err)
{
    switch (r->arrow.width) {
    case 32: out->v.dec = ((const int32_t *)values)[i]; break;
    case 64: out->v.dec = ((const int64_t *)values)[i]; break;
    case 128: memcpy(&out->v.dec, (const uint8_t *)values + 16 * i, 16); break;
    default: {
        pmn_i128 high;
        memcpy(&out->v.dec, (const uint8_t *)values + 32 * i, 16);
        memcpy(&high, (const uint8_t *)values + 32 * i + 16, 16);
        if (high != (out->v.dec < 0 ? -1 : 0)) return no_value(r, (int64_t)out->v.dec, "it has too many digits", err);
    }
    }
    pmn_i128 limit = pmn_pow10_i128(r->type->length);
    if (out->v.dec >= limit || out->v.dec <= -limit) return no_value(r, (int64_t)out->v.dec, "it has too many digits", err);
    return PAIMON_OK;
}

static pmn_slice bytes_of_view(const struct ArrowArray *array, int64_t i)
{
    const uint8_t *view = (const uint8_t *)array->buffers[1] + 16 * i;
    int32_t head[4];
    memcpy(head, view, sizeof head);
    if (head[0] <= 12) return pmn_slice_of(view + 4, (size_t)head[0]);
    return pmn_slice_of((const uint8_t *)array->buffers[2 + head[2]] + head[3], (size_t)head[0]);
}

static pmn_slice bytes_at(const pmn_value_reader *r, const struct ArrowArray *array, int64_t i)
{
    const int32_t *offsets32 = array->buffers[1];
    const int64_t *offsets64 = array->buffers[1];
    size_t width = (size_t)r->arrow.width;
    switch (r->arrow.kind) {
    case PMN_ARROW_STRING_VIEW:
    case PMN_ARROW_BINARY_VIEW: return bytes_of_view(array, i);
    case PMN_ARROW_FIXED_BINARY: return pmn_slice_of((const uint8_t *)array->buffers[1] + width * (size_t)i, width);
    case PMN_ARROW_LARGE_STRING:
    case PMN_ARROW_LARGE_BINARY: {
        size_t size = (size_t)(offsets64[i + 1] - offsets64[i]);
        return size ? pmn_slice_of((const uint8_t *)array->buffers[2] + offsets64[i], size) : pmn_slice_of("", 0);
    }
    default: {
        size_t size = (size_t)(offsets32[i + 1] - offsets32[i]);
        return size ? pmn_slice_of((const uint8_t *)array->buffers[2] + offsets32[i], size) : pmn_slice_of("", 0);
    }
    }
}

/* Follow the index of a dictionary column; the indices are foreign, too. */
static paimon_status follow_index(const pmn_value_reader *r, const struct ArrowArray **array, int64_t *row, paimon_error *err)
{
    int64_t index = int_at(r->index.kind, (*array)->buffers[1], (*array)->offset + *row);
    if (index < 0 || index >= (*array)->dictionary->length)
        return pmn_fail(err, PAIMON_INVALID, "dictionary index %lld of %lld values", (long long)index, (long long)(*array)->dictionary->length);
    *array = (*array)->dictionary;
    *row = index;
    return PAIMON_OK;
}

paimon_status pmn_value_read(const pmn_value_reader *r, const struct ArrowArray *array, int64_t row, pmn_datum *out, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    out->is_null = true;
    if (pmn_array_is_null(array, row)) return PAIMON_OK;
    if (r->has_dictionary) {
        PMN_TRY(follow_index(r, &array, &row, err));
        if (pmn_array_is_null(array, row)) return PAIMON_OK;
    }
    if (r->arrow.kind == PMN_ARROW_NULL) return PAIMON_OK;
    out->is_null = false;
    int64_t i = array->offset + row;
    const void *values = array->buffers[1];
    switch (r->type->kind) {
    case PMN_BOOLEAN: out->v.i = pmn_bit_get(values, i); return PAIMON_OK;
    case PMN_TINYINT:
    case PMN_SMALLINT:
    case PMN_INT:
    case PMN_BIGINT: out->v.i = int_at(r->arrow.kind, values, i); return PAIMON_OK;
    case PMN_FLOAT: out->v.f = ((const float *)values)[i]; return PAIMON_OK;
    case PMN_DOUBLE: out->v.d = ((const double *)values)[i]; return PAIMON_OK;
    case PMN_DATE: return read_date(r, int_at(r->arrow.kind, values, i), out, err);
    case PMN_TIME: return read_time(r, int_at(r->arrow.kind, values, i), out, err);
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: return read_timestamp_value(r, int_at(r->arrow.kind, values, i), out, err);
    case PMN_DECIMAL: return read_decimal_value(r, values, i, out, err);
    default: out->v.bytes = bytes_at(r, array, i); return PAIMON_OK;
    }
}

#undef DAY_MS
