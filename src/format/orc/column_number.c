/* Columns of integers, dates, floating point numbers and booleans.
 *
 * Integers of all kinds come out of their runs in 64 bits and are narrowed to what is wanted, exactly: one that does not fit is an error. */
#include <string.h>

#include "base/bitmap.h"
#include "format/orc/column.h"

/* A check over the block after the conversion keeps the loop free of branches; the failing value is looked for only then. */
#define NARROW(name, out_type)                                                                                           \
    PMN_VECTORISE static int64_t name(const pmn_orc_column *c, const int64_t *src, int64_t n, uint8_t *dst)              \
    {                                                                                                                    \
        out_type *out = (out_type *)(void *)dst;                                                                         \
        int bad = 0;                                                                                                     \
        (void)c;                                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                                \
            out[i] = (out_type)src[i];                                                                                   \
            bad |= (int64_t)out[i] != src[i];                                                                            \
        }                                                                                                                \
        if (!bad) return -1;                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                                                \
            if ((int64_t)out[i] != src[i]) return i;                                                                     \
        }                                                                                                                \
        return -1;                                                                                                       \
    }
NARROW(to_int8, int8_t)
NARROW(to_int16, int16_t)
NARROW(to_int32, int32_t)
NARROW(to_uint8, uint8_t)
NARROW(to_uint16, uint16_t)
NARROW(to_uint32, uint32_t)

static int64_t to_uint64(const pmn_orc_column *c, const int64_t *src, int64_t n, uint8_t *dst)
{
    int64_t all = 0;
    (void)c;
    for (int64_t i = 0; i < n; i++) all |= src[i];
    if (all < 0) {
        for (int64_t i = 0; i < n; i++) {
            if (src[i] < 0) return i;
        }
    }
    memcpy(dst, src, (size_t)n * sizeof *src);
    return -1;
}

/* Times of day: milliseconds to a finer unit. */
static int64_t to_finer(const pmn_orc_column *c, const int64_t *src, int64_t n, uint8_t *dst)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t product;
        if (src[i] != (int32_t)src[i] || __builtin_mul_overflow(src[i], c->factor, &product)) return i;
        memcpy(dst + i * 8, &product, 8);
    }
    return -1;
}

/* --- integers in runs --- */

static void begin_ints(pmn_orc_column *c, const pmn_orc_section *section)
{
    pmn_orc_ints_begin(&c->ints, pmn_orc_section_stream(section, c->type->id, PMN_ORC_DATA), c->encoding.kind == PMN_ORC_DIRECT_V2);
}

static paimon_status decode_ints(pmn_orc_column *c, int64_t n, uint8_t *dst, paimon_error *err)
{
    if (!c->convert) return pmn_orc_ints_read(&c->ints, (int64_t *)(void *)dst, n, err);
    PMN_TRY(pmn_orc_ints_read(&c->ints, c->work->numbers, n, err));
    int64_t bad = c->convert(c, c->work->numbers, n, dst);
    return bad < 0 ? PAIMON_OK : pmn_orc_misfit(c, bad, err);
}

static paimon_status skip_ints(pmn_orc_column *c, int64_t n, paimon_error *err) { return pmn_orc_ints_skip(&c->ints, n, err); }
static paimon_status seek_ints(pmn_orc_column *c, pmn_orc_positions *positions, paimon_error *err) { return pmn_orc_ints_seek(&c->ints, positions, err); }

static const pmn_orc_column_ops int_ops = { begin_ints, NULL, skip_ints, seek_ints, NULL, decode_ints };

/* --- bytes --- */

static void begin_bytes(pmn_orc_column *c, const pmn_orc_section *section)
{
    pmn_orc_bytes_begin(&c->bytes, pmn_orc_section_stream(section, c->type->id, PMN_ORC_DATA));
}

static paimon_status decode_bytes(pmn_orc_column *c, int64_t n, uint8_t *dst, paimon_error *err)
{
    if (c->want->type.kind == PMN_ARROW_INT8) return pmn_orc_bytes_read(&c->bytes, dst, n, err);
    uint8_t *narrow = (uint8_t *)c->work->more;
    PMN_TRY(pmn_orc_bytes_read(&c->bytes, narrow, n, err));
    for (int64_t i = 0; i < n; i++) c->work->numbers[i] = (int8_t)narrow[i];
    if (!c->convert) {
        memcpy(dst, c->work->numbers, (size_t)n * sizeof(int64_t));
        return PAIMON_OK;
    }
    int64_t bad = c->convert(c, c->work->numbers, n, dst);
    return bad < 0 ? PAIMON_OK : pmn_orc_misfit(c, bad, err);
}

static paimon_status skip_bytes(pmn_orc_column *c, int64_t n, paimon_error *err) { return pmn_orc_bytes_skip(&c->bytes, n, err); }
static paimon_status seek_bytes(pmn_orc_column *c, pmn_orc_positions *positions, paimon_error *err) { return pmn_orc_bytes_seek(&c->bytes, positions, err); }

static const pmn_orc_column_ops byte_ops = { begin_bytes, NULL, skip_bytes, seek_bytes, NULL, decode_bytes };

/* --- booleans --- */

static void begin_booleans(pmn_orc_column *c, const pmn_orc_section *section)
{
    pmn_orc_bits_begin(&c->booleans, pmn_orc_section_stream(section, c->type->id, PMN_ORC_DATA));
}

static paimon_status append_booleans(pmn_orc_column *c, int64_t n, const uint64_t *bits, int64_t n_valid, paimon_error *err)
{
    uint64_t values[PMN_ORC_BLOCK / 64 + 2];
    PMN_TRY(pmn_orc_bits_read(&c->booleans, values, n_valid, err));
    uint8_t *dst = c->out.values->data;
    if (!bits) {
        pmn_bitmap_copy(dst, c->out.n, (const uint8_t *)values, 0, n);
        return PAIMON_OK;
    }
    pmn_bitmap_fill(dst, c->out.n, n, false);
    for (int64_t i = 0, at = 0; i < n; i++) {
        if (pmn_bit_get((const uint8_t *)bits, i) && pmn_bit_get((const uint8_t *)values, at++)) pmn_bit_set(dst, c->out.n + i);
    }
    return PAIMON_OK;
}

static paimon_status skip_booleans(pmn_orc_column *c, int64_t n, paimon_error *err)
{
    uint64_t values[PMN_ORC_BLOCK / 64 + 2];
    for (; n > 0; n -= PMN_ORC_BLOCK) PMN_TRY(pmn_orc_bits_read(&c->booleans, values, n < PMN_ORC_BLOCK ? n : PMN_ORC_BLOCK, err));
    return PAIMON_OK;
}

static paimon_status seek_booleans(pmn_orc_column *c, pmn_orc_positions *positions, paimon_error *err) { return pmn_orc_bits_seek(&c->booleans, positions, err); }

static const pmn_orc_column_ops boolean_ops = { begin_booleans, append_booleans, skip_booleans, seek_booleans, NULL, NULL };

/* --- floating point: little-endian, one behind the other --- */

static void begin_floats(pmn_orc_column *c, const pmn_orc_section *section)
{
    pmn_orc_stream_begin(&c->data, pmn_orc_section_stream(section, c->type->id, PMN_ORC_DATA));
}

static int32_t stored_width(const pmn_orc_column *c) { return c->type->kind == PMN_ORC_FLOAT ? 4 : 8; }

static paimon_status decode_floats(pmn_orc_column *c, int64_t n, uint8_t *dst, paimon_error *err)
{
    int32_t width = stored_width(c);
    if (width == c->out.width) return pmn_orc_stream_read(&c->data, n * width, dst, err);
    uint8_t *stored = (uint8_t *)c->work->numbers;
    PMN_TRY(pmn_orc_stream_read(&c->data, n * width, stored, err));
    if (width == 4) {
        const float *from = (const float *)(const void *)stored;
        double *to = (double *)(void *)dst;
        for (int64_t i = 0; i < n; i++) to[i] = (double)from[i];
    } else {
        const double *from = (const double *)(const void *)stored;
        float *to = (float *)(void *)dst;
        for (int64_t i = 0; i < n; i++) to[i] = (float)from[i];
    }
    return PAIMON_OK;
}

static paimon_status skip_floats(pmn_orc_column *c, int64_t n, paimon_error *err)
{
    int64_t bytes;
    if (__builtin_mul_overflow(n, (int64_t)stored_width(c), &bytes)) return pmn_orc_stream_cut(&c->data, err);
    return pmn_orc_stream_skip(&c->data, bytes, err);
}

static paimon_status seek_floats(pmn_orc_column *c, pmn_orc_positions *positions, paimon_error *err) { return pmn_orc_stream_seek(&c->data, positions, err); }

static const pmn_orc_column_ops float_ops = { begin_floats, NULL, skip_floats, seek_floats, NULL, decode_floats };

/* --- which goes with which --- */

static bool plan_integer(pmn_orc_column *c)
{
    static const struct {
        int32_t width;
        int64_t (*convert)(const pmn_orc_column *c, const int64_t *src, int64_t n, uint8_t *dst);
    } table[8] = { { 1, to_int8 }, { 1, to_uint8 }, { 2, to_int16 }, { 2, to_uint16 }, { 4, to_int32 }, { 4, to_uint32 }, { 8, NULL }, { 8, to_uint64 } };
    const pmn_arrow_type *want = &c->want->type;
    int32_t width = 4;
    switch (want->kind) {
    case PMN_ARROW_INT8:
    case PMN_ARROW_UINT8:
    case PMN_ARROW_INT16:
    case PMN_ARROW_UINT16:
    case PMN_ARROW_INT32:
    case PMN_ARROW_UINT32:
    case PMN_ARROW_INT64:
    case PMN_ARROW_UINT64:
        if (c->type->kind == PMN_ORC_DATE && want->kind != PMN_ARROW_INT32) return false;
        c->convert = table[want->kind - PMN_ARROW_INT8].convert;
        width = table[want->kind - PMN_ARROW_INT8].width;
        break;
    case PMN_ARROW_DATE32:
        if (c->type->kind != PMN_ORC_DATE && c->type->kind != PMN_ORC_INT) return false;
        c->convert = to_int32;
        break;
    case PMN_ARROW_TIME32:
        if (c->type->kind != PMN_ORC_INT || want->unit != PMN_UNIT_MILLI) return false;
        c->convert = to_int32;
        break;
    case PMN_ARROW_TIME64:
        if (c->type->kind != PMN_ORC_INT) return false;
        c->convert = to_finer;
        c->factor = want->unit == PMN_UNIT_MICRO ? 1000 : 1000000;
        width = 8;
        break;
    default: return false;
    }
    c->ops = c->type->kind == PMN_ORC_BYTE ? &byte_ops : &int_ops;
    pmn_leaf_out_init(&c->out, c->pool, PMN_LEAF_FIXED, width);
    return true;
}

bool pmn_orc_plan_number(pmn_orc_column *c)
{
    pmn_arrow_kind kind = c->want->type.kind;
    switch (c->type->kind) {
    case PMN_ORC_BOOLEAN:
        c->ops = &boolean_ops;
        pmn_leaf_out_init(&c->out, c->pool, PMN_LEAF_BITS, 0);
        return kind == PMN_ARROW_BOOL;
    case PMN_ORC_FLOAT:
    case PMN_ORC_DOUBLE:
        c->ops = &float_ops;
        pmn_leaf_out_init(&c->out, c->pool, PMN_LEAF_FIXED, kind == PMN_ARROW_FLOAT ? 4 : 8);
        return kind == PMN_ARROW_FLOAT || kind == PMN_ARROW_DOUBLE;
    default: return plan_integer(c);
    }
}
