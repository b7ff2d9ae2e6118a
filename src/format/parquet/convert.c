/* Which stored types become which Arrow types. The rules are those of Paimon's Parquet reader (widening of 32 to 64 bits, exact
 * narrowing, timestamps by the file's unit, decimals of one scale only), and beyond them what a bare file may hold. */
#include "format/parquet/convert.h"

#include <string.h>

#include "base/bytes.h"
#include "base/decimal.h"

#define JULIAN_EPOCH 2440588
#define NANOS_A_DAY INT64_C(86400000000000)

/* Integers: a check over the block after the conversion keeps the loop free of branches; the failing value is looked for only then. */
#define NARROW(name, in_type, out_type)                                                                                  \
    PMN_VECTORISE static int64_t name(const pmn_parquet_convert *c, const uint8_t *src, int64_t n, uint8_t *dst)         \
    {                                                                                                                    \
        out_type *out = (out_type *)(void *)dst;                                                                         \
        int bad = 0;                                                                                                     \
        (void)c;                                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                                \
            in_type v;                                                                                                   \
            memcpy(&v, src + i * (int64_t)sizeof v, sizeof v);                                                           \
            out[i] = (out_type)v;                                                                                        \
            bad |= (in_type)out[i] != v || (out[i] < 0) != (v < 0);                                                      \
        }                                                                                                                \
        if (!bad) return -1;                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                                                \
            in_type v;                                                                                                   \
            memcpy(&v, src + i * (int64_t)sizeof v, sizeof v);                                                           \
            if ((in_type)out[i] != v || (out[i] < 0) != (v < 0)) return i;                                               \
        }                                                                                                                \
        return -1;                                                                                                       \
    }

#define WIDEN(name, in_type, out_type)                                                                                   \
    PMN_VECTORISE static int64_t name(const pmn_parquet_convert *c, const uint8_t *src, int64_t n, uint8_t *dst)         \
    {                                                                                                                    \
        out_type *out = (out_type *)(void *)dst;                                                                         \
        (void)c;                                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                                \
            in_type v;                                                                                                   \
            memcpy(&v, src + i * (int64_t)sizeof v, sizeof v);                                                           \
            out[i] = (out_type)v;                                                                                        \
        }                                                                                                                \
        return -1;                                                                                                       \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits" /* unsigned results are never below zero: the one macro serves both */
NARROW(i32_to_i8, int32_t, int8_t)
NARROW(i32_to_i16, int32_t, int16_t)
NARROW(i32_to_u8, int32_t, uint8_t)
NARROW(i32_to_u16, int32_t, uint16_t)
NARROW(i32_to_u32, int32_t, uint32_t)
NARROW(i32_to_u64, int32_t, uint64_t)
NARROW(u32_to_i8, uint32_t, int8_t)
NARROW(u32_to_i16, uint32_t, int16_t)
NARROW(u32_to_i32, uint32_t, int32_t)
NARROW(u32_to_u8, uint32_t, uint8_t)
NARROW(u32_to_u16, uint32_t, uint16_t)
NARROW(i64_to_i8, int64_t, int8_t)
NARROW(i64_to_i16, int64_t, int16_t)
NARROW(i64_to_i32, int64_t, int32_t)
NARROW(i64_to_u8, int64_t, uint8_t)
NARROW(i64_to_u16, int64_t, uint16_t)
NARROW(i64_to_u32, int64_t, uint32_t)
NARROW(i64_to_u64, int64_t, uint64_t)
NARROW(u64_to_i8, uint64_t, int8_t)
NARROW(u64_to_i16, uint64_t, int16_t)
NARROW(u64_to_i32, uint64_t, int32_t)
NARROW(u64_to_i64, uint64_t, int64_t)
NARROW(u64_to_u8, uint64_t, uint8_t)
NARROW(u64_to_u16, uint64_t, uint16_t)
NARROW(u64_to_u32, uint64_t, uint32_t)
#pragma GCC diagnostic pop
WIDEN(i32_to_i64, int32_t, int64_t)
WIDEN(u32_to_i64, uint32_t, int64_t)
WIDEN(u32_to_u64, uint32_t, uint64_t)
WIDEN(f32_to_f64, float, double)
WIDEN(f64_to_f32, double, float)

/* Two's complement of `bits` (32, 64, 128 or 256) with the sign spread, from 64 bits. */
#define WIDEN_DECIMAL(name, in_type)                                                                                     \
    static int64_t name(const pmn_parquet_convert *c, const uint8_t *src, int64_t n, uint8_t *dst)                       \
    {                                                                                                                    \
        if (c->out_width == 16) {                                                                                        \
            for (int64_t i = 0; i < n; i++) {                                                                            \
                in_type v;                                                                                               \
                memcpy(&v, src + i * (int64_t)sizeof v, sizeof v);                                                       \
                pmn_i128 wide = v;                                                                                       \
                memcpy(dst + i * 16, &wide, 16);                                                                         \
            }                                                                                                            \
            return -1;                                                                                                   \
        }                                                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                                                \
            in_type v;                                                                                                   \
            memcpy(&v, src + i * (int64_t)sizeof v, sizeof v);                                                           \
            memset(dst + i * 32, v < 0 ? 0xff : 0, 32);                                                                  \
            memcpy(dst + i * 32, &v, sizeof v);                                                                          \
        }                                                                                                                \
        return -1;                                                                                                       \
    }
WIDEN_DECIMAL(i32_to_decimal, int32_t)
WIDEN_DECIMAL(i64_to_decimal, int64_t)

static int64_t multiply_i64(const pmn_parquet_convert *c, const uint8_t *src, int64_t n, uint8_t *dst)
{
    int bad = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t v = (int64_t)pmn_load_le64(src + i * 8), product;
        bad |= __builtin_mul_overflow(v, c->factor, &product);
        pmn_store_le64(dst + i * 8, (uint64_t)product);
    }
    if (!bad) return -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t product;
        if (__builtin_mul_overflow((int64_t)pmn_load_le64(src + i * 8), c->factor, &product)) return i;
    }
    return -1;
}

static int64_t floor_units(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static int64_t divide_i64(const pmn_parquet_convert *c, const uint8_t *src, int64_t n, uint8_t *dst)
{
    for (int64_t i = 0; i < n; i++) pmn_store_le64(dst + i * 8, (uint64_t)floor_units((int64_t)pmn_load_le64(src + i * 8), c->factor));
    return -1;
}

static int64_t divide_i64_to_i32(const pmn_parquet_convert *c, const uint8_t *src, int64_t n, uint8_t *dst)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t v = floor_units((int64_t)pmn_load_le64(src + i * 8), c->factor);
        if (v != (int32_t)v) return i;
        pmn_store_le32(dst + i * 4, (uint32_t)(int32_t)v);
    }
    return -1;
}

static int64_t multiply_i32_to_i64(const pmn_parquet_convert *c, const uint8_t *src, int64_t n, uint8_t *dst)
{
    for (int64_t i = 0; i < n; i++) pmn_store_le64(dst + i * 8, (uint64_t)((int64_t)(int32_t)pmn_load_le32(src + i * 4) * c->factor));
    return -1;
}

/* int64 nanoseconds of the day, then int32 Julian day. Paimon Java truncates before 1970, so that the nanoseconds may be negative: the sum
 * is what counts. */
static int64_t int96_to_timestamp(const pmn_parquet_convert *c, const uint8_t *src, int64_t n, uint8_t *dst)
{
    int64_t nanos_a_unit = INT64_C(1000000000) / c->units;
    for (int64_t i = 0; i < n; i++) {
        pmn_i128 nanos = (int64_t)pmn_load_le64(src + i * 12);
        nanos += (pmn_i128)((int64_t)(int32_t)pmn_load_le32(src + i * 12 + 8) - JULIAN_EPOCH) * NANOS_A_DAY;
        pmn_i128 v = nanos / nanos_a_unit - (nanos % nanos_a_unit < 0);
        if (v < INT64_MIN || v > INT64_MAX) return i;
        pmn_store_le64(dst + i * 8, (uint64_t)(int64_t)v);
    }
    return -1;
}

/* Big-endian two's complement of n ≤ 16 bytes; reads 16 bytes. Two loads and a shift instead of a loop over bytes. */
PMN_INLINE pmn_i128 decimal_be(const uint8_t *p, unsigned n)
{
    pmn_u128 v = (pmn_u128)pmn_load_be64(p) << 64 | pmn_load_be64(p + 8);
    return (pmn_i128)v >> (128 - 8 * n);
}

/* More than 16 bytes are taken if the first ones only spread the sign. */
static bool wide_decimal(const uint8_t *p, size_t n, int out_width, uint8_t *dst)
{
    uint8_t sign = p[0] & 0x80 ? 0xff : 0;
    for (; n > (size_t)out_width; p++, n--) {
        if (p[0] != sign || ((p[1] ^ sign) & 0x80)) return false;
    }
    memset(dst, sign, (size_t)out_width);
    for (size_t i = 0; i < n; i++) dst[i] = p[n - 1 - i];
    return true;
}

static int64_t fixed_to_decimal(const pmn_parquet_convert *c, const uint8_t *src, int64_t n, uint8_t *dst)
{
    unsigned width = (unsigned)c->in_width;
    if (width <= 16 && c->out_width == 16) {
        for (int64_t i = 0; i < n; i++) {
            pmn_i128 v = decimal_be(src + i * width, width);
            memcpy(dst + i * 16, &v, 16);
        }
        return -1;
    }
    for (int64_t i = 0; i < n; i++) {
        if (!wide_decimal(src + i * width, width, c->out_width, dst + i * c->out_width)) return i;
    }
    return -1;
}

static bool bytes_to_decimal(const pmn_parquet_convert *c, pmn_slice bytes, uint8_t *dst)
{
    return bytes.size > 0 && wide_decimal(bytes.data, bytes.size, c->out_width, dst);
}

static bool bytes_to_fixed(const pmn_parquet_convert *c, pmn_slice bytes, uint8_t *dst)
{
    if (bytes.size != (size_t)c->out_width) return false;
    if (bytes.size) memcpy(dst, bytes.data, bytes.size);
    return true;
}

static bool to_integer(const pmn_parquet_element *e, pmn_arrow_kind kind, pmn_parquet_convert *out)
{
    const pmn_parquet_logical *l = &e->logical;
    bool is_unsigned = l->kind == PMN_PQ_LOGICAL_INTEGER && !l->is_signed;
    bool is_long = e->physical == PMN_PQ_INT64;
    if (l->kind == PMN_PQ_LOGICAL_DECIMAL || (is_long && l->kind != PMN_PQ_LOGICAL_NONE && l->kind != PMN_PQ_LOGICAL_INTEGER && l->kind != PMN_PQ_LOGICAL_OTHER)) return false;
    if (kind >= PMN_ARROW_INT64 && l->kind != PMN_PQ_LOGICAL_NONE && l->kind != PMN_PQ_LOGICAL_INTEGER && l->kind != PMN_PQ_LOGICAL_OTHER) return false;
    static const struct {
        int32_t width;
        pmn_parquet_convert_fn fn[4]; /* from i32, u32, i64, u64; NULL: the same bytes */
    } table[] = {
        { 1, { i32_to_i8, u32_to_i8, i64_to_i8, u64_to_i8 } },     { 1, { i32_to_u8, u32_to_u8, i64_to_u8, u64_to_u8 } },
        { 2, { i32_to_i16, u32_to_i16, i64_to_i16, u64_to_i16 } }, { 2, { i32_to_u16, u32_to_u16, i64_to_u16, u64_to_u16 } },
        { 4, { NULL, u32_to_i32, i64_to_i32, u64_to_i32 } },       { 4, { i32_to_u32, NULL, i64_to_u32, u64_to_u32 } },
        { 8, { i32_to_i64, u32_to_i64, NULL, u64_to_i64 } },       { 8, { i32_to_u64, u32_to_u64, i64_to_u64, NULL } },
    };
    int row = (int)kind - (int)PMN_ARROW_INT8;
    out->out_width = table[row].width;
    out->fn = table[row].fn[(is_long ? 2 : 0) + (is_unsigned ? 1 : 0)];
    out->identity = !out->fn;
    return true;
}

static const int64_t units_a_second[4] = { 1, 1000, 1000000, 1000000000 };

static pmn_time_unit arrow_unit(pmn_parquet_unit unit)
{
    return unit == PMN_PQ_MILLIS ? PMN_UNIT_MILLI : unit == PMN_PQ_MICROS ? PMN_UNIT_MICRO : PMN_UNIT_NANO;
}

static void scale_i64(pmn_time_unit from, pmn_time_unit to, pmn_parquet_convert *out)
{
    out->out_width = 8;
    out->identity = from == to;
    out->factor = from < to ? units_a_second[to] / units_a_second[from] : units_a_second[from] / units_a_second[to];
    if (from != to) out->fn = from < to ? multiply_i64 : divide_i64;
}

static bool to_timestamp(const pmn_parquet_element *e, const pmn_arrow_type *want, pmn_parquet_convert *out)
{
    if (e->physical == PMN_PQ_INT96) {
        out->out_width = 8;
        out->units = units_a_second[want->unit];
        out->fn = int96_to_timestamp;
        return true;
    }
    if (e->physical != PMN_PQ_INT64) return false;
    if (e->logical.kind == PMN_PQ_LOGICAL_TIMESTAMP) {
        scale_i64(arrow_unit(e->logical.unit), want->unit, out);
        return true;
    }
    if (e->logical.kind != PMN_PQ_LOGICAL_NONE && e->logical.kind != PMN_PQ_LOGICAL_OTHER) return false;
    /* Not annotated: the unit is the declared one, and Paimon declares whole seconds in milliseconds. */
    scale_i64(want->unit == PMN_UNIT_SECOND ? PMN_UNIT_MILLI : want->unit, want->unit, out);
    return true;
}

static bool to_time(const pmn_parquet_element *e, const pmn_arrow_type *want, pmn_parquet_convert *out)
{
    bool is_time = e->logical.kind == PMN_PQ_LOGICAL_TIME;
    if (!is_time && e->logical.kind != PMN_PQ_LOGICAL_NONE) return false;
    if (e->physical == PMN_PQ_INT32) {
        if (want->kind == PMN_ARROW_TIME32 && want->unit == PMN_UNIT_MILLI) {
            out->out_width = 4;
            out->identity = true;
            return true;
        }
        if (want->kind != PMN_ARROW_TIME64) return false;
        out->out_width = 8;
        out->factor = units_a_second[want->unit] / 1000;
        out->fn = multiply_i32_to_i64;
        return true;
    }
    if (e->physical != PMN_PQ_INT64) return false;
    pmn_time_unit from = is_time ? arrow_unit(e->logical.unit) : want->unit;
    if (want->kind == PMN_ARROW_TIME64) {
        scale_i64(from, want->unit, out);
        return true;
    }
    if (want->unit != PMN_UNIT_MILLI || from < PMN_UNIT_MILLI) return false;
    out->out_width = 4;
    out->factor = units_a_second[from] / 1000;
    out->fn = divide_i64_to_i32;
    return true;
}

static paimon_status to_decimal(const pmn_parquet_element *e, const pmn_arrow_type *want, pmn_parquet_convert *out, bool *fits, paimon_error *err)
{
    int32_t scale = e->logical.kind == PMN_PQ_LOGICAL_DECIMAL ? e->logical.scale : 0;
    *fits = false;
    if (e->logical.kind != PMN_PQ_LOGICAL_DECIMAL && e->logical.kind != PMN_PQ_LOGICAL_NONE && e->logical.kind != PMN_PQ_LOGICAL_INTEGER) return PAIMON_OK;
    if (scale != want->scale) {
        return pmn_fail(err, PAIMON_CORRUPT, "a decimal of scale %d is stored, scale %d is wanted", scale, want->scale);
    }
    out->out_width = want->width / 8;
    switch (e->physical) {
    case PMN_PQ_INT32:
        out->fn = out->out_width >= 16 ? i32_to_decimal : out->out_width == 8 ? i32_to_i64 : NULL;
        break;
    case PMN_PQ_INT64:
        out->fn = out->out_width >= 16 ? i64_to_decimal : out->out_width == 4 ? i64_to_i32 : NULL;
        break;
    case PMN_PQ_FIXED: out->fn = fixed_to_decimal; break;
    case PMN_PQ_BYTE_ARRAY: out->from_bytes = bytes_to_decimal; break;
    default: return PAIMON_OK;
    }
    out->identity = !out->fn && !out->from_bytes;
    *fits = true;
    return PAIMON_OK;
}

static bool to_bytes(const pmn_parquet_element *e, const pmn_arrow_type *want, pmn_parquet_convert *out)
{
    if (e->physical != PMN_PQ_BYTE_ARRAY && e->physical != PMN_PQ_FIXED) return false;
    if (want->kind == PMN_ARROW_FIXED_BINARY) {
        out->out_width = want->width;
        if (e->physical == PMN_PQ_BYTE_ARRAY) out->from_bytes = bytes_to_fixed;
        out->identity = e->physical == PMN_PQ_FIXED;
        return e->physical == PMN_PQ_BYTE_ARRAY || e->type_length == want->width;
    }
    bool large = want->kind == PMN_ARROW_LARGE_BINARY || want->kind == PMN_ARROW_LARGE_STRING;
    out->out = large ? PMN_LEAF_VAR64 : PMN_LEAF_VAR32;
    return true;
}

/* Whether the pair fits; `out` is filled if so. */
static paimon_status plan_pair(const pmn_parquet_element *e, const pmn_arrow_type *want, pmn_parquet_convert *out, bool *fits, paimon_error *err)
{
    *fits = false;
    switch (want->kind) {
    case PMN_ARROW_NULL:
        out->out = PMN_LEAF_NULL;
        *fits = true;
        break;
    case PMN_ARROW_BOOL:
        out->out = PMN_LEAF_BITS;
        *fits = e->physical == PMN_PQ_BOOLEAN;
        break;
    case PMN_ARROW_INT8:
    case PMN_ARROW_UINT8:
    case PMN_ARROW_INT16:
    case PMN_ARROW_UINT16:
    case PMN_ARROW_INT32:
    case PMN_ARROW_UINT32:
    case PMN_ARROW_INT64:
    case PMN_ARROW_UINT64:
        *fits = (e->physical == PMN_PQ_INT32 || e->physical == PMN_PQ_INT64) && to_integer(e, want->kind, out);
        break;
    case PMN_ARROW_HALF:
        out->out_width = 2;
        out->identity = true;
        *fits = e->physical == PMN_PQ_FIXED && e->type_length == 2;
        break;
    case PMN_ARROW_FLOAT:
        out->out_width = 4;
        out->identity = e->physical == PMN_PQ_FLOAT;
        out->fn = f64_to_f32;
        *fits = e->physical == PMN_PQ_FLOAT || e->physical == PMN_PQ_DOUBLE;
        break;
    case PMN_ARROW_DOUBLE:
        out->out_width = 8;
        out->identity = e->physical == PMN_PQ_DOUBLE;
        out->fn = f32_to_f64;
        *fits = e->physical == PMN_PQ_FLOAT || e->physical == PMN_PQ_DOUBLE;
        break;
    case PMN_ARROW_DATE32:
        out->out_width = 4;
        out->identity = true;
        *fits = e->physical == PMN_PQ_INT32 && (e->logical.kind == PMN_PQ_LOGICAL_DATE || e->logical.kind == PMN_PQ_LOGICAL_NONE);
        break;
    case PMN_ARROW_TIME32:
    case PMN_ARROW_TIME64: *fits = to_time(e, want, out); break;
    case PMN_ARROW_TIMESTAMP: *fits = to_timestamp(e, want, out); break;
    case PMN_ARROW_DECIMAL: return to_decimal(e, want, out, fits, err);
    case PMN_ARROW_BINARY:
    case PMN_ARROW_LARGE_BINARY:
    case PMN_ARROW_STRING:
    case PMN_ARROW_LARGE_STRING:
    case PMN_ARROW_FIXED_BINARY: *fits = to_bytes(e, want, out); break;
    default: break;
    }
    return PAIMON_OK;
}

paimon_status pmn_parquet_convert_plan(const pmn_parquet_node *leaf, const pmn_arrow_type *want, const char *want_format, pmn_parquet_convert *out,
                                       paimon_error *err)
{
    static const int32_t widths[8] = { 0, 4, 8, 12, 4, 8, 0, 0 };
    const pmn_parquet_element *e = leaf->element;
    bool fits = false;
    memset(out, 0, sizeof *out);
    out->physical = e->physical;
    out->in_width = e->physical == PMN_PQ_FIXED ? e->type_length : widths[e->physical];
    PMN_TRY(plan_pair(e, want, out, &fits, err));
    if (!fits) {
        return pmn_fail(err, PAIMON_UNSUPPORTED, "stored %s (logical type %d) cannot be read as the Arrow type \"%s\"", pmn_parquet_physical_name(e->physical),
                        (int)e->logical.kind, want_format);
    }
    if (out->identity) out->fn = NULL;
    return PAIMON_OK;
}
