/* Columns of decimals: unscaled values as zigzag varints of up to 128 bits, and beside them the scale that each was stored with, since writers
 * drop trailing zeros. Files of the version that was to become 2 have integers in runs instead, all of the type's scale, where its digits fit 64 bits. */
#include <string.h>

#include "base/bytes.h"
#include "base/decimal.h"
#include "format/orc/column.h"

/* A varint of 128 bits has 19 bytes at most. */
#define LONGEST_VARINT 19

static const int64_t powers[19] = { 1,
                                    10,
                                    100,
                                    1000,
                                    10000,
                                    100000,
                                    1000000,
                                    10000000,
                                    100000000,
                                    1000000000,
                                    10000000000,
                                    100000000000,
                                    1000000000000,
                                    10000000000000,
                                    100000000000000,
                                    1000000000000000,
                                    10000000000000000,
                                    100000000000000000,
                                    1000000000000000000 };

static void begin_decimals(pmn_orc_column *c, const pmn_orc_section *section)
{
    c->is_short_decimal = c->file->meta.format_major >= 1 && c->type->precision <= 18;
    if (c->is_short_decimal) {
        pmn_orc_ints_begin(&c->ints, pmn_orc_section_stream(section, c->type->id, PMN_ORC_DATA), true);
        return;
    }
    pmn_orc_stream_begin(&c->data, pmn_orc_section_stream(section, c->type->id, PMN_ORC_DATA));
    pmn_orc_ints_begin(&c->second, pmn_orc_section_stream(section, c->type->id, PMN_ORC_SECONDARY), c->encoding.kind == PMN_ORC_DIRECT_V2);
    c->second.is_signed = true;
}

/* Seven bits of each of the eight bytes, together. */
PMN_INLINE uint64_t join_sevens(uint64_t v)
{
    v = (v & 0x007f007f007f007fu) | (v & 0x7f007f007f007f00u) >> 1;
    v = (v & 0x00003fff00003fffu) | (v & 0x3fff00003fff0000u) >> 2;
    return (v & 0x000000000fffffffu) | (v & 0x0fffffff00000000u) >> 4;
}

/* A varint of more than eight bytes; false if it is cut or past 128 bits. */
static bool take_long_varint(const uint8_t **p, const uint8_t *end, pmn_u128 *out)
{
    pmn_u128 v = 0;
    for (unsigned i = 0; i < LONGEST_VARINT; i++) {
        if (*p >= end) return false;
        uint8_t byte = *(*p)++;
        if (i == LONGEST_VARINT - 1 && byte > 3) return false;
        v |= (pmn_u128)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *out = v;
            return true;
        }
    }
    return false;
}

/* To another scale; digits that are cut are rounded half up, as Java does. False if it does not fit 128 bits. */
static bool rescale(pmn_i128 v, int64_t from, int64_t to, pmn_i128 *out)
{
    int64_t by = to - from;
    if (by < -38) {
        *out = 0;
        return true;
    }
    if (by > 38) {
        *out = 0;
        return v == 0;
    }
    if (by >= 0) return !__builtin_mul_overflow(v, pmn_pow10_i128((int)by), out);
    pmn_i128 unit = pmn_pow10_i128((int)-by), rest = v % unit;
    *out = v / unit;
    if (rest < 0) rest = -rest;
    if (rest >= unit - rest) *out += v < 0 ? -1 : 1;
    return true;
}

static bool store_wide(pmn_i128 v, int32_t width, uint8_t *dst)
{
    switch (width) {
    case 4: {
        int32_t narrow = (int32_t)v;
        memcpy(dst, &narrow, 4);
        return narrow == v;
    }
    case 8: {
        int64_t narrow = (int64_t)v;
        memcpy(dst, &narrow, 8);
        return narrow == v;
    }
    case 16: memcpy(dst, &v, 16); return true;
    default:
        memset(dst, v < 0 ? 0xff : 0, 32);
        memcpy(dst, &v, 16);
        return true;
    }
}

/* Values of eight bytes at most; the rest, and what is damaged, is left to the caller. Scales are in work->more. */
static int64_t decode_short(const pmn_orc_column *c, const uint8_t **pos, const uint8_t *end, const int64_t *scales, int64_t n, uint8_t *dst)
{
    const uint8_t *p = *pos;
    int64_t scale = c->type->scale, i = 0;
    for (; i < n && end - p >= 8; i++) {
        uint64_t zigzag, by = (uint64_t)(scale - scales[i]);
        if (p[0] < 0x80) {
            zigzag = p[0];
            p += 1;
        } else if (p[1] < 0x80) {
            zigzag = (p[0] & 0x7fu) | (uint64_t)p[1] << 7;
            p += 2;
        } else {
            uint64_t eight = pmn_load_le64(p), stops = ~eight & 0x8080808080808080u;
            if (PMN_UNLIKELY(stops == 0)) break;
            unsigned bits = (unsigned)__builtin_ctzll(stops) + 1; /* up to the end of the last byte */
            zigzag = join_sevens(eight & (UINT64_MAX >> (64 - bits)));
            p += bits / 8;
        }
        if (PMN_UNLIKELY(by > 18)) {
            p = *pos; /* stay in front of it */
            break;
        }
        pmn_i128 v = (pmn_i128)((int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1)) * powers[by];
        memcpy(dst + i * 16, &v, 16);
        *pos = p;
    }
    *pos = p;
    return i;
}

static paimon_status decode_integers(pmn_orc_column *c, int64_t n, uint8_t *dst, paimon_error *err)
{
    PMN_TRY(pmn_orc_ints_read(&c->ints, c->work->numbers, n, err));
    for (int64_t i = 0; i < n; i++) {
        if (!store_wide(c->work->numbers[i], c->out.width, dst + i * c->out.width)) return pmn_orc_misfit(c, i, err);
    }
    return PAIMON_OK;
}

static paimon_status decode_decimals(pmn_orc_column *c, int64_t n, uint8_t *dst, paimon_error *err)
{
    if (c->is_short_decimal) return decode_integers(c, n, dst, err);
    int64_t *scales = c->work->more;
    int32_t width = c->out.width;
    pmn_orc_stream *s = &c->data;
    PMN_TRY(pmn_orc_ints_read(&c->second, scales, n, err));
    for (int64_t i = 0; i < n;) {
        PMN_TRY(pmn_orc_stream_ensure(s, LONGEST_VARINT, err));
        if (width == 16) i += decode_short(c, &s->pos, s->end, scales + i, n - i, dst + i * 16);
        if (i == n) break;
        /* One value the long way: wide, at the end of what is at hand, of a strange scale, or for another width. */
        PMN_TRY(pmn_orc_stream_ensure(s, LONGEST_VARINT, err));
        pmn_u128 zigzag;
        pmn_i128 v;
        if (!take_long_varint(&s->pos, s->end, &zigzag)) return pmn_orc_stream_cut(s, err);
        v = (pmn_i128)(zigzag >> 1) ^ -(pmn_i128)(zigzag & 1);
        if (scales[i] < -1000 || scales[i] > 1000 || !rescale(v, scales[i], c->type->scale, &v) || !store_wide(v, width, dst + i * width)) return pmn_orc_misfit(c, i, err);
        i++;
    }
    return PAIMON_OK;
}

static paimon_status skip_decimals(pmn_orc_column *c, int64_t n, paimon_error *err)
{
    pmn_orc_stream *s = &c->data;
    if (c->is_short_decimal) return pmn_orc_ints_skip(&c->ints, n, err);
    PMN_TRY(pmn_orc_ints_skip(&c->second, n, err));
    while (n > 0) {
        if (s->pos == s->end) {
            PMN_TRY(pmn_orc_stream_ensure(s, 1, err));
            if (s->pos == s->end) return pmn_orc_stream_cut(s, err);
        }
        /* Each value ends with the one byte below 128. */
        while (s->pos < s->end && n > 0) n -= *s->pos++ < 0x80;
    }
    return PAIMON_OK;
}

static paimon_status seek_decimals(pmn_orc_column *c, pmn_orc_positions *positions, paimon_error *err)
{
    if (c->is_short_decimal) return pmn_orc_ints_seek(&c->ints, positions, err);
    PMN_TRY(pmn_orc_stream_seek(&c->data, positions, err));
    return pmn_orc_ints_seek(&c->second, positions, err);
}

static const pmn_orc_column_ops decimal_ops = { begin_decimals, NULL, skip_decimals, seek_decimals, NULL, decode_decimals };

bool pmn_orc_plan_decimal(pmn_orc_column *c)
{
    const pmn_arrow_type *want = &c->want->type;
    c->ops = &decimal_ops;
    pmn_leaf_out_init(&c->out, c->pool, PMN_LEAF_FIXED, want->kind == PMN_ARROW_DECIMAL ? want->width / 8 : 16);
    return want->kind == PMN_ARROW_DECIMAL && want->scale == c->type->scale;
}
