/* Bytes and booleans in runs: see rle.h for the layouts. */
#include <string.h>

#include "base/bitmap.h"
#include "base/bytes.h"
#include "format/orc/rle.h"

void pmn_orc_bytes_init(pmn_orc_bytes *r, pmn_orc_file *file, pmn_decompressors *decompressors)
{
    memset(r, 0, sizeof *r);
    pmn_orc_stream_init(&r->s, file, decompressors);
}

void pmn_orc_bytes_free(pmn_orc_bytes *r) { pmn_orc_stream_free(&r->s); }

void pmn_orc_bytes_begin(pmn_orc_bytes *r, const pmn_orc_stream_info *info)
{
    pmn_orc_stream_begin(&r->s, info);
    r->left = 0;
}

/* `dst` NULL: over them. */
static paimon_status take_bytes(pmn_orc_bytes *r, uint8_t *dst, int64_t n, paimon_error *err)
{
    while (n > 0) {
        if (r->left == 0) {
            PMN_TRY(pmn_orc_stream_ensure(&r->s, 2, err)); /* no run has less */
            if (r->s.end - r->s.pos < 2) return pmn_orc_stream_cut(&r->s, err);
            uint8_t control = *r->s.pos++;
            r->is_literal = control >= 0x80;
            r->left = r->is_literal ? 256 - control : control + 3;
            if (!r->is_literal) r->value = *r->s.pos++;
        }
        int64_t m = r->left < n ? r->left : n;
        if (r->is_literal) {
            PMN_TRY(dst ? pmn_orc_stream_read(&r->s, m, dst, err) : pmn_orc_stream_skip(&r->s, m, err));
        } else if (dst) {
            memset(dst, r->value, (size_t)m);
        }
        r->left -= (int32_t)m;
        n -= m;
        if (dst) dst += m;
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_bytes_read(pmn_orc_bytes *r, uint8_t *dst, int64_t n, paimon_error *err) { return take_bytes(r, dst, n, err); }
paimon_status pmn_orc_bytes_skip(pmn_orc_bytes *r, int64_t n, paimon_error *err) { return take_bytes(r, NULL, n, err); }

paimon_status pmn_orc_bytes_seek(pmn_orc_bytes *r, pmn_orc_positions *positions, paimon_error *err)
{
    uint64_t inside;
    r->left = 0;
    PMN_TRY(pmn_orc_stream_seek(&r->s, positions, err));
    if (!pmn_orc_position(positions, &inside) || inside > 130) {
        return pmn_fail(err, PAIMON_CORRUPT, "the row index has too few positions, or points past a run");
    }
    return pmn_orc_bytes_skip(r, (int64_t)inside, err);
}

void pmn_orc_bits_init(pmn_orc_bits *r, pmn_orc_file *file, pmn_decompressors *decompressors)
{
    pmn_orc_bytes_init(&r->bytes, file, decompressors);
    r->last = 0;
    r->left = 0;
}

void pmn_orc_bits_free(pmn_orc_bits *r) { pmn_orc_bytes_free(&r->bytes); }

void pmn_orc_bits_begin(pmn_orc_bits *r, const pmn_orc_stream_info *info)
{
    pmn_orc_bytes_begin(&r->bytes, info);
    r->left = 0;
}

/* The bits of each of eight bytes the other way round. */
PMN_INLINE uint64_t turn_bits(uint64_t v)
{
    v = (v >> 1 & 0x5555555555555555u) | (v & 0x5555555555555555u) << 1;
    v = (v >> 2 & 0x3333333333333333u) | (v & 0x3333333333333333u) << 2;
    return (v >> 4 & 0x0f0f0f0f0f0f0f0fu) | (v & 0x0f0f0f0f0f0f0f0fu) << 4;
}

paimon_status pmn_orc_bits_read(pmn_orc_bits *r, uint64_t *dst, int64_t n, paimon_error *err)
{
    uint64_t words[PMN_ORC_MOST_BITS / 64 + 2];
    uint8_t *bytes = (uint8_t *)words;
    int64_t n_bytes = n > r->left ? (n - r->left + 7) / 8 : 0;
    PMN_TRY(pmn_orc_bytes_read(&r->bytes, bytes, n_bytes, err));
    for (int64_t i = 0; i * 8 < n_bytes; i++) words[i] = turn_bits(words[i]);
    if (r->left == 0) {
        memcpy(dst, words, (size_t)n_bytes);
    } else {
        dst[0] = 0;
        ((uint8_t *)dst)[0] = r->last;
        if (n_bytes) pmn_bitmap_copy((uint8_t *)dst, r->left, bytes, 0, n_bytes * 8);
    }
    /* What is left of the last byte stands above the bits taken. */
    int64_t have = r->left + n_bytes * 8;
    uint8_t last = n_bytes ? bytes[n_bytes - 1] : r->last;
    r->left = (int32_t)(have - n);
    r->last = n_bytes ? (uint8_t)(last >> (8 - r->left)) : (uint8_t)(last >> n);
    if (r->left == 0) r->last = 0;
    return PAIMON_OK;
}

paimon_status pmn_orc_bits_seek(pmn_orc_bits *r, pmn_orc_positions *positions, paimon_error *err)
{
    uint64_t inside, bits[2];
    r->left = 0;
    PMN_TRY(pmn_orc_bytes_seek(&r->bytes, positions, err));
    if (!pmn_orc_position(positions, &inside) || inside > 8) return pmn_fail(err, PAIMON_CORRUPT, "the row index has too few positions, or points past a byte");
    return pmn_orc_bits_read(r, bits, (int64_t)inside, err);
}
