/* Which runs are worth an RLE run is a trade: a short one between packed groups costs two headers. It must save about eight bytes. */
#include "format/parquet/hybrid_write.h"

#include <string.h>

#include "base/bytes.h"

#define LEAST_RUN_BITS 64
#define MOST_GROUPS (1 << 20) /* of a packed run, so that its header stays small */

typedef struct hybrid_out {
    uint8_t *at;
    unsigned width;
} hybrid_out;

PMN_INLINE uint32_t value_at(const void *values, bool wide, int64_t i)
{
    return wide ? ((const uint32_t *)values)[i] : ((const uint8_t *)values)[i];
}

static void put_header(hybrid_out *o, uint64_t header)
{
    for (; header >= 0x80; header >>= 7) *o->at++ = (uint8_t)(header | 0x80);
    *o->at++ = (uint8_t)header;
}

static void put_rle(hybrid_out *o, uint32_t value, int64_t n)
{
    put_header(o, (uint64_t)n << 1);
    for (unsigned bits = 0; bits < o->width; bits += 8) *o->at++ = (uint8_t)(value >> bits);
}

/* Eight values to `width` bytes; up to 16 bytes are stored. */
PMN_INLINE void pack_eight(hybrid_out *o, const void *values, bool wide, int64_t i)
{
    unsigned w = o->width;
    if (w <= 8) {
        uint64_t bits = 0;
        for (unsigned k = 0; k < 8; k++) bits |= (uint64_t)value_at(values, wide, i + k) << (k * w);
        pmn_store_le64(o->at, bits);
    } else if (w <= 16) {
        uint64_t low = 0, high = 0;
        for (unsigned k = 0; k < 4; k++) low |= (uint64_t)value_at(values, wide, i + k) << (k * w);
        for (unsigned k = 0; k < 4; k++) high |= (uint64_t)value_at(values, wide, i + 4 + k) << (k * w);
        unsigned half = 4 * w;
        pmn_store_le64(o->at, half < 64 ? low | high << half : low);
        pmn_store_le64(o->at + 8, half < 64 ? high >> (64 - half) : high);
    } else {
        uint64_t bits = 0;
        unsigned held = 0;
        uint8_t *at = o->at;
        for (unsigned k = 0; k < 8; k++) {
            bits |= (uint64_t)value_at(values, wide, i + k) << held;
            held += w;
            for (; held >= 8; held -= 8, bits >>= 8) *at++ = (uint8_t)bits;
        }
    }
    o->at += w;
}

PMN_INLINE bool eight_are_equal(const void *values, bool wide, int64_t i)
{
    uint32_t first = value_at(values, wide, i), differ = 0;
    for (unsigned k = 1; k < 8; k++) differ |= value_at(values, wide, i + k) ^ first;
    return differ == 0;
}

PMN_INLINE void put_packed(hybrid_out *o, const void *values, bool wide, int64_t from, int64_t to)
{
    while (from < to) {
        int64_t groups = (to - from + 7) / 8;
        if (groups > MOST_GROUPS) groups = MOST_GROUPS;
        put_header(o, (uint64_t)groups << 1 | 1);
        for (; groups > 0 && from + 8 <= to; groups--, from += 8) pack_eight(o, values, wide, from);
        if (groups == 0) continue;
        uint32_t tail[8] = { 0 };
        for (int64_t k = 0; from + k < to; k++) tail[k] = value_at(values, wide, from + k);
        pack_eight(o, tail, true, 0);
        from = to;
    }
}

PMN_INLINE void put_hybrid(hybrid_out *o, const void *values, bool wide, int64_t n)
{
    int64_t packed = 0, i = 0; /* [packed, i) waits to be packed; whole groups */
    while (i + 8 <= n) {
        if (PMN_LIKELY(!eight_are_equal(values, wide, i))) {
            i += 8;
            continue;
        }
        uint32_t value = value_at(values, wide, i);
        int64_t end = i + 8;
        while (end < n && value_at(values, wide, end) == value) end++;
        if ((end - i) * (int64_t)o->width < LEAST_RUN_BITS) {
            i += 8;
            continue;
        }
        put_packed(o, values, wide, packed, i);
        put_rle(o, value, end - i);
        packed = i = end;
    }
    put_packed(o, values, wide, packed, n);
}

/* Packed, plus headers: an RLE run takes no more than the groups that it stands for and a header behind it. */
static paimon_status reserve_hybrid(pmn_buf *out, int64_t n, unsigned width, paimon_error *err)
{
    return pmn_buf_reserve(out, ((size_t)n / 8 + 1) * (width + 3) + 64, err);
}

paimon_status pmn_hybrid_put_run(pmn_buf *out, uint32_t value, int64_t n, unsigned width, paimon_error *err)
{
    PMN_TRY(pmn_buf_reserve(out, 16, err));
    hybrid_out o = { pmn_buf_end(out), width };
    put_rle(&o, value, n);
    out->size = (size_t)(o.at - out->data);
    return PAIMON_OK;
}

paimon_status pmn_hybrid_put8(pmn_buf *out, const uint8_t *values, int64_t n, unsigned width, paimon_error *err)
{
    if (width == 0) return pmn_hybrid_put_run(out, 0, n, 0, err);
    PMN_TRY(reserve_hybrid(out, n, width, err));
    hybrid_out o = { pmn_buf_end(out), width };
    put_hybrid(&o, values, false, n);
    out->size = (size_t)(o.at - out->data);
    return PAIMON_OK;
}

paimon_status pmn_hybrid_put32(pmn_buf *out, const uint32_t *values, int64_t n, unsigned width, paimon_error *err)
{
    if (width == 0) return pmn_hybrid_put_run(out, 0, n, 0, err);
    PMN_TRY(reserve_hybrid(out, n, width, err));
    hybrid_out o = { pmn_buf_end(out), width };
    put_hybrid(&o, values, true, n);
    out->size = (size_t)(o.at - out->data);
    return PAIMON_OK;
}

void pmn_pack_booleans(const uint8_t *values, int64_t n, uint8_t *out)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) /* the multiplication gathers the low bits of eight bytes in the top one */
        *out++ = (uint8_t)((pmn_load_le64(values + i) * 0x0102040810204080u) >> 56);
    if (i == n) return;
    *out = 0;
    for (unsigned k = 0; i < n; i++, k++) *out = (uint8_t)(*out | values[i] << k);
}
