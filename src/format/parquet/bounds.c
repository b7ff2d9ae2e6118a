/* Statistics bytes to datums, and back for bloom filters. What each pair of types allows:
 *
 *   column                file                                       bounds   bloom
 *   BOOLEAN               BOOLEAN                                     yes      -
 *   TINYINT … BIGINT      INT32, INT64: no annotation or signed       yes      yes     (unsigned ones are ordered otherwise)
 *   DATE                  INT32: DATE or none                         yes      yes
 *   TIME                  INT32: TIME(MILLIS) or none                 yes      yes
 *   FLOAT, DOUBLE         FLOAT, DOUBLE, FLOAT for DOUBLE             yes      -       (see below; equal zeros have two encodings)
 *   DECIMAL               DECIMAL of the same scale                   yes      but for BYTE_ARRAY, which may pad
 *   TIMESTAMP(_LTZ)       INT64 TIMESTAMP                             yes      if the file's unit is not finer
 *   VARCHAR               BYTE_ARRAY: none, STRING, ENUM, JSON        yes      yes
 *   CHAR                  the same                                    some     -       (compared without trailing blanks)
 *   BINARY, VARBINARY     BYTE_ARRAY, FIXED: none, STRING … UUID      yes      yes
 *   all others, INT96     anything                                    -        -
 *
 * Floats: writers leave NaN out of the bounds, but NaN is the greatest value, so a maximum bounds only predicates that NaN cannot meet;
 * a NaN bound says nothing; a zero of either sign may stand for both. The deprecated minimum and maximum count only where signed comparison
 * is the order of the type: numbers, never byte arrays. */
#include "format/parquet/bounds.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"

static bool is_integer_type(pmn_type_kind kind) { return kind == PMN_TINYINT || kind == PMN_SMALLINT || kind == PMN_INT || kind == PMN_BIGINT; }

static bool fits_integer(const pmn_parquet_element *e)
{
    const pmn_parquet_logical *l = &e->logical;
    return l->kind == PMN_PQ_LOGICAL_NONE || (l->kind == PMN_PQ_LOGICAL_INTEGER && l->is_signed);
}

static bool fits_bytes(const pmn_parquet_element *e, bool text)
{
    switch (e->logical.kind) {
    case PMN_PQ_LOGICAL_NONE:
    case PMN_PQ_LOGICAL_STRING:
    case PMN_PQ_LOGICAL_ENUM:
    case PMN_PQ_LOGICAL_JSON: break;
    case PMN_PQ_LOGICAL_BSON:
    case PMN_PQ_LOGICAL_UUID:
        if (text) return false;
        break;
    default: return false;
    }
    return e->physical == PMN_PQ_BYTE_ARRAY || (e->physical == PMN_PQ_FIXED && !text);
}

static bool same_decimal(const pmn_parquet_element *e, const pmn_type *type)
{
    return e->logical.kind == PMN_PQ_LOGICAL_DECIMAL && e->logical.scale == type->scale;
}

static bool load_integer(const pmn_parquet_element *e, pmn_slice bytes, int64_t *out)
{
    if (e->physical == PMN_PQ_INT32 && bytes.size == 4) *out = (int32_t)pmn_load_le32(bytes.data);
    else if (e->physical == PMN_PQ_INT64 && bytes.size == 8) *out = (int64_t)pmn_load_le64(bytes.data);
    else return false;
    return true;
}

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static int64_t type_unit_nanos(const pmn_type *type)
{
    return type->length == 0 ? 1000000000 : type->length <= 3 ? 1000000 : type->length <= 6 ? 1000 : 1;
}

static int64_t file_unit_nanos(pmn_parquet_unit unit) { return unit == PMN_PQ_MILLIS ? 1000000 : unit == PMN_PQ_MICROS ? 1000 : 1; }

static bool is_file_timestamp(const pmn_parquet_element *e) { return e->physical == PMN_PQ_INT64 && e->logical.kind == PMN_PQ_LOGICAL_TIMESTAMP; }

/* A coarser type sees rounded values: its bounds are widened to whole units, so that any way of rounding stays inside. */
static bool load_timestamp(const pmn_parquet_element *e, const pmn_type *type, pmn_slice bytes, bool is_max, pmn_timestamp *out)
{
    int64_t v;
    if (!is_file_timestamp(e) || !load_integer(e, bytes, &v)) return false;
    int64_t file_unit = file_unit_nanos(e->logical.unit), steps = type_unit_nanos(type) / file_unit;
    if (steps > 1) {
        int64_t whole = floor_divide(v, steps);
        if (is_max && whole * steps != v) whole++;
        if (!pmn_mul_i64(whole, steps, &v)) return false;
    }
    int64_t per_milli = 1000000 / file_unit;
    out->millis = floor_divide(v, per_milli);
    out->nanos_of_milli = (int32_t)((v - out->millis * per_milli) * file_unit);
    return true;
}

static bool load_decimal(const pmn_parquet_element *e, pmn_slice bytes, pmn_i128 *out)
{
    int64_t v;
    if (e->physical == PMN_PQ_BYTE_ARRAY || e->physical == PMN_PQ_FIXED) return pmn_i128_from_be(bytes, out);
    if (!load_integer(e, bytes, &v)) return false;
    *out = v;
    return true;
}

static bool load_double(const pmn_parquet_element *e, pmn_slice bytes, double *out)
{
    if (e->physical == PMN_PQ_FLOAT && bytes.size == 4) {
        uint32_t bits = pmn_load_le32(bytes.data);
        float v;
        memcpy(&v, &bits, sizeof v);
        *out = (double)v;
        return true;
    }
    if (e->physical != PMN_PQ_DOUBLE || bytes.size != 8) return false;
    uint64_t bits = pmn_load_le64(bytes.data);
    memcpy(out, &bits, sizeof *out);
    return true;
}

static bool load_real(const pmn_parquet_element *e, const pmn_type *type, pmn_slice bytes, bool is_max, pmn_datum *out)
{
    double v;
    if (e->logical.kind != PMN_PQ_LOGICAL_NONE || !load_double(e, bytes, &v) || isnan(v)) return false;
    if (v == 0) v = is_max ? 0.0 : -0.0;
    if (type->kind == PMN_DOUBLE) {
        out->v.d = v;
        return true;
    }
    out->v.f = (float)v;
    return e->physical == PMN_PQ_FLOAT; /* a rounded double need not keep its bound */
}

/* Without trailing blanks, order may change where a byte below the blank follows a prefix: "a\1" is below "a " but above "a". */
static bool char_bound_holds(pmn_slice bytes, bool is_max)
{
    if (is_max) return bytes.size == 0 || bytes.data[bytes.size - 1] != ' ';
    for (size_t i = 0; i < bytes.size; i++) {
        if (bytes.data[i] < ' ') return false;
    }
    return true;
}

static bool load_bound(const pmn_parquet_element *e, const pmn_type *type, pmn_slice bytes, bool is_max, pmn_datum *out)
{
    switch (type->kind) {
    case PMN_BOOLEAN:
        if (e->physical != PMN_PQ_BOOLEAN || bytes.size != 1) return false;
        out->v.i = bytes.data[0] != 0;
        return true;
    case PMN_TINYINT:
    case PMN_SMALLINT:
    case PMN_INT:
    case PMN_BIGINT: return fits_integer(e) && load_integer(e, bytes, &out->v.i);
    case PMN_DATE:
        return e->physical == PMN_PQ_INT32 && (e->logical.kind == PMN_PQ_LOGICAL_DATE || e->logical.kind == PMN_PQ_LOGICAL_NONE) && load_integer(e, bytes, &out->v.i);
    case PMN_TIME:
        return e->physical == PMN_PQ_INT32 && (e->logical.kind == PMN_PQ_LOGICAL_TIME || e->logical.kind == PMN_PQ_LOGICAL_NONE) && load_integer(e, bytes, &out->v.i);
    case PMN_FLOAT:
    case PMN_DOUBLE: return load_real(e, type, bytes, is_max, out);
    case PMN_DECIMAL: return same_decimal(e, type) && load_decimal(e, bytes, &out->v.dec);
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: return load_timestamp(e, type, bytes, is_max, &out->v.ts);
    case PMN_CHAR:
    case PMN_VARCHAR:
        out->v.bytes = bytes;
        return fits_bytes(e, true) && (type->kind == PMN_VARCHAR || char_bound_holds(bytes, is_max));
    case PMN_BINARY:
    case PMN_VARBINARY:
        out->v.bytes = bytes;
        return fits_bytes(e, false);
    default: return false;
    }
}

/* NaN, which the bounds leave out, is greater than any maximum: it must not be able to make the predicate true. */
static bool nan_cannot_match(const pmn_pred *pred)
{
    if (pred->op != PAIMON_OP_EQ && pred->op != PAIMON_OP_IN && pred->op != PAIMON_OP_BETWEEN) return false;
    for (int32_t i = 0; i < pred->n_literals; i++) {
        if (pmn_datum_is_nan(pred->type, &pred->literals[i])) return false;
    }
    return true;
}

static bool legacy_holds(const pmn_parquet_element *e) { return e->physical != PMN_PQ_BYTE_ARRAY && e->physical != PMN_PQ_FIXED; }

void pmn_parquet_bounds_of(const pmn_parquet_node *leaf, const pmn_pred *pred, const pmn_parquet_bytes_bounds *bounds, pmn_stat *out)
{
    const pmn_parquet_element *e = leaf->element;
    const pmn_type *type = pred->type;
    bool is_real = type->kind == PMN_FLOAT || type->kind == PMN_DOUBLE;
    out->min.is_null = out->max.is_null = true;
    if (bounds->is_legacy && !legacy_holds(e)) return;
    if (bounds->min.data) out->min.is_null = !load_bound(e, type, bounds->min, false, &out->min);
    if (bounds->max.data) out->max.is_null = !load_bound(e, type, bounds->max, true, &out->max);
    double v;
    bool nan_bound = is_real && ((bounds->min.data && load_double(e, bounds->min, &v) && isnan(v)) || (bounds->max.data && load_double(e, bounds->max, &v) && isnan(v)));
    bool upside_down = !out->min.is_null && !out->max.is_null && pmn_datum_compare(type, &out->min, &out->max) > 0;
    if (nan_bound || upside_down) out->min.is_null = out->max.is_null = true;
    if (is_real && !nan_cannot_match(pred)) out->max.is_null = true;
}

/* ---- bloom filters ---- */

static bool store_integer(const pmn_parquet_element *e, int64_t v, uint8_t scratch[16], pmn_slice *plain)
{
    if (e->physical == PMN_PQ_INT32 && v >= INT32_MIN && v <= INT32_MAX) {
        pmn_store_le32(scratch, (uint32_t)v);
        *plain = pmn_slice_of(scratch, 4);
        return true;
    }
    if (e->physical != PMN_PQ_INT64) return false;
    pmn_store_le64(scratch, (uint64_t)v);
    *plain = pmn_slice_of(scratch, 8);
    return true;
}

static bool store_decimal(const pmn_parquet_element *e, pmn_i128 v, uint8_t scratch[16], pmn_slice *plain)
{
    if (e->physical == PMN_PQ_INT32 || e->physical == PMN_PQ_INT64) return v >= INT64_MIN && v <= INT64_MAX && store_integer(e, (int64_t)v, scratch, plain);
    if (e->physical != PMN_PQ_FIXED || e->type_length > 16) return false;
    pmn_store_be64(scratch, (uint64_t)((pmn_u128)v >> 64));
    pmn_store_be64(scratch + 8, (uint64_t)(pmn_u128)v);
    size_t n = (size_t)e->type_length;
    pmn_i128 back;
    *plain = pmn_slice_of(scratch + 16 - n, n);
    return pmn_i128_from_be(*plain, &back) && back == v;
}

static bool store_timestamp(const pmn_parquet_element *e, const pmn_type *type, const pmn_timestamp *ts, uint8_t scratch[16], pmn_slice *plain)
{
    if (!is_file_timestamp(e)) return false;
    int64_t unit = file_unit_nanos(e->logical.unit), v;
    if (unit < type_unit_nanos(type) || ts->nanos_of_milli % unit != 0) return false;
    if (!pmn_mul_i64(ts->millis, 1000000 / unit, &v) || !pmn_add_i64(v, ts->nanos_of_milli / unit, &v)) return false;
    return store_integer(e, v, scratch, plain);
}

bool pmn_parquet_plain_of(const pmn_parquet_node *leaf, const pmn_type *type, const pmn_datum *value, uint8_t scratch[16], pmn_slice *plain)
{
    const pmn_parquet_element *e = leaf->element;
    pmn_parquet_logical_kind logical = e->logical.kind;
    if (is_integer_type(type->kind)) return fits_integer(e) && store_integer(e, value->v.i, scratch, plain);
    switch (type->kind) {
    case PMN_DATE:
        return e->physical == PMN_PQ_INT32 && (logical == PMN_PQ_LOGICAL_DATE || logical == PMN_PQ_LOGICAL_NONE) && store_integer(e, value->v.i, scratch, plain);
    case PMN_TIME:
        return e->physical == PMN_PQ_INT32 && (logical == PMN_PQ_LOGICAL_TIME || logical == PMN_PQ_LOGICAL_NONE) && store_integer(e, value->v.i, scratch, plain);
    case PMN_DECIMAL: return same_decimal(e, type) && store_decimal(e, value->v.dec, scratch, plain);
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: return store_timestamp(e, type, &value->v.ts, scratch, plain);
    case PMN_VARCHAR:
        *plain = value->v.bytes;
        return fits_bytes(e, true);
    case PMN_BINARY:
    case PMN_VARBINARY:
        *plain = value->v.bytes;
        return fits_bytes(e, false) && (e->physical != PMN_PQ_FIXED || value->v.bytes.size == (size_t)e->type_length);
    default: return false;
    }
}
