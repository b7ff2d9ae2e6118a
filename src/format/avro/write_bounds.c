/* A pass over each column of a batch. Bytes get no bounds here, as in Java, where they have no order; the rules for zeros and NaN are those
 * of pmn_column_bounds. */
#include "format/avro/write_bounds.h"

#include <string.h>

#include "base/bitmap.h"

void pmn_avro_range_init(pmn_avro_range *range, pmn_mem *mem, const pmn_type *type)
{
    memset(range, 0, sizeof *range);
    range->type = type;
    pmn_buf_init(&range->low_text, mem, PMN_BUF_NO_CEILING);
    pmn_buf_init(&range->high_text, mem, PMN_BUF_NO_CEILING);
}

void pmn_avro_range_free(pmn_avro_range *range)
{
    pmn_buf_free(&range->low_text);
    pmn_buf_free(&range->high_text);
}

static void add_number(pmn_avro_range *r, int64_t v)
{
    if (!r->any || v < r->low) r->low = v;
    if (!r->any || v > r->high) r->high = v;
}

static void add_float(pmn_avro_range *r, double v)
{
    if (v != v) {
        r->nan = true;
        return;
    }
    if (!r->any || v < r->low_float) r->low_float = v;
    if (!r->any || v > r->high_float) r->high_float = v;
}

static void add_decimal(pmn_avro_range *r, const uint8_t *value)
{
    pmn_i128 v;
    memcpy(&v, value, sizeof v);
    if (!r->any || v < r->low_decimal) r->low_decimal = v;
    if (!r->any || v > r->high_decimal) r->high_decimal = v;
}

static pmn_slice avro_text_of(const pmn_buf *buf) { return pmn_slice_of(buf->data, buf->size); }

static paimon_status keep_text(pmn_buf *to, pmn_slice text, paimon_error *err)
{
    pmn_buf_clear(to);
    return pmn_buf_append(to, text.data, text.size, err);
}

static paimon_status add_text(pmn_avro_range *r, pmn_slice text, paimon_error *err)
{
    if (!r->any || pmn_slice_compare(text, avro_text_of(&r->low_text)) < 0) PMN_TRY(keep_text(&r->low_text, text, err));
    if (!r->any || pmn_slice_compare(text, avro_text_of(&r->high_text)) > 0) PMN_TRY(keep_text(&r->high_text, text, err));
    return PAIMON_OK;
}

static paimon_status avro_add_value(pmn_avro_range *r, const struct ArrowArray *array, int64_t at, paimon_error *err)
{
    const void *values = array->buffers[1];
    switch (r->type->kind) {
    case PMN_BOOLEAN: add_number(r, pmn_bit_get(values, at)); break;
    case PMN_TINYINT: add_number(r, ((const int8_t *)values)[at]); break;
    case PMN_SMALLINT: add_number(r, ((const int16_t *)values)[at]); break;
    case PMN_INT:
    case PMN_DATE:
    case PMN_TIME: add_number(r, ((const int32_t *)values)[at]); break;
    case PMN_BIGINT:
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: add_number(r, ((const int64_t *)values)[at]); break;
    case PMN_FLOAT: add_float(r, (double)((const float *)values)[at]); break;
    case PMN_DOUBLE: add_float(r, ((const double *)values)[at]); break;
    case PMN_DECIMAL: add_decimal(r, (const uint8_t *)values + 16 * at); break;
    default: {
        const int32_t *ends = values;
        PMN_TRY(add_text(r, pmn_slice_of((const uint8_t *)array->buffers[2] + ends[at], (size_t)(ends[at + 1] - ends[at])), err));
        break;
    }
    }
    if (!r->nan) r->any = true; /* once there is a NaN nothing is told any more */
    return PAIMON_OK;
}

static bool avro_has_order(const pmn_type *type)
{
    return type->kind < PMN_ARRAY && !pmn_type_is_bytes(type);
}

paimon_status pmn_avro_range_add(pmn_avro_range *range, const struct ArrowArray *array, int64_t first, int64_t count, paimon_error *err)
{
    const uint8_t *valid = array->n_buffers > 0 ? array->buffers[0] : NULL;
    bool ordered = avro_has_order(range->type);
    int64_t at = array->offset + first;
    if (!ordered) {
        if (valid) range->n_nulls += count - pmn_bitmap_count(valid, at, count);
        return PAIMON_OK;
    }
    for (int64_t end = at + count; at < end; at++) {
        if (valid && !pmn_bit_get(valid, at)) range->n_nulls++;
        else PMN_TRY(avro_add_value(range, array, at, err));
    }
    return PAIMON_OK;
}

/* Arrow's seconds, milliseconds or microseconds. */
static pmn_timestamp avro_timestamp_of(int64_t value, int32_t precision)
{
    pmn_timestamp ts = { precision == 0 ? value * 1000 : value, 0 };
    if (precision <= 3) return ts;
    int64_t micros = value % 1000;
    if (micros < 0) micros += 1000;
    ts.millis = (value - micros) / 1000;
    ts.nanos_of_milli = (int32_t)micros * 1000;
    return ts;
}

static double zero_signed(double value, bool max) { return value != 0 ? value : max ? 0.0 : -0.0; }

static pmn_datum avro_bound_of(const pmn_avro_range *r, bool max)
{
    pmn_datum datum = { .is_null = !r->any || r->nan };
    int64_t number = max ? r->high : r->low;
    if (datum.is_null) return datum;
    switch (r->type->kind) {
    case PMN_FLOAT: datum.v.f = (float)zero_signed(max ? r->high_float : r->low_float, max); break;
    case PMN_DOUBLE: datum.v.d = zero_signed(max ? r->high_float : r->low_float, max); break;
    case PMN_DECIMAL: datum.v.dec = max ? r->high_decimal : r->low_decimal; break;
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: datum.v.ts = avro_timestamp_of(number, r->type->length); break;
    case PMN_CHAR:
    case PMN_VARCHAR: datum.v.bytes = avro_text_of(max ? &r->high_text : &r->low_text); break;
    default: datum.v.i = number; break;
    }
    return datum;
}

void pmn_avro_range_tell(const pmn_avro_range *range, pmn_column_bounds *out)
{
    out->null_count = range->n_nulls;
    out->min = avro_bound_of(range, false);
    out->max = avro_bound_of(range, true);
}
