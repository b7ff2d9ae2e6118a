/* The innermost loops: see gather.h. */
#include "format/gather.h"

#include <string.h>

#include "base/bitmap.h"
#include "base/bytes.h"
#include "base/compiler.h"

/* Signed comparisons, which every vector unit has, after turning the highest bit. */
PMN_VECTORISE bool pmn_all_below(const uint32_t *v, int64_t n, uint32_t limit)
{
    int32_t most = (int32_t)((limit - 1) ^ 0x80000000u);
    int32_t bad = 0;
    for (int64_t i = 0; i < n; i++) bad |= -((int32_t)(v[i] ^ 0x80000000u) > most);
    return bad == 0;
}

#define GATHER(bytes)                                                                                                    \
    static void gather##bytes(const uint8_t *PMN_RESTRICT table, const uint32_t *PMN_RESTRICT index, int64_t n, uint8_t *PMN_RESTRICT dst) \
    {                                                                                                                    \
        int64_t i = 0;                                                                                                   \
        for (; i + 4 <= n; i += 4) {                                                                                     \
            memcpy(dst + i * bytes, table + (size_t)index[i] * bytes, bytes);                                            \
            memcpy(dst + (i + 1) * bytes, table + (size_t)index[i + 1] * bytes, bytes);                                  \
            memcpy(dst + (i + 2) * bytes, table + (size_t)index[i + 2] * bytes, bytes);                                  \
            memcpy(dst + (i + 3) * bytes, table + (size_t)index[i + 3] * bytes, bytes);                                  \
        }                                                                                                                \
        for (; i < n; i++) memcpy(dst + i * bytes, table + (size_t)index[i] * bytes, bytes);                             \
    }
GATHER(1)
GATHER(2)
GATHER(4)
GATHER(8)
GATHER(12)
GATHER(16)

void pmn_gather(const uint8_t *table, const uint32_t *index, int64_t n, int32_t width, uint8_t *dst)
{
    switch (width) {
    case 1: gather1(table, index, n, dst); return;
    case 2: gather2(table, index, n, dst); return;
    case 4: gather4(table, index, n, dst); return;
    case 8: gather8(table, index, n, dst); return;
    case 12: gather12(table, index, n, dst); return;
    case 16: gather16(table, index, n, dst); return;
    default:
        for (int64_t i = 0; i < n; i++) memcpy(dst + i * width, table + (size_t)index[i] * (size_t)width, (size_t)width);
    }
}

/* Word by word: a plain copy where all 64 rows have a value, else a copy each row and a step of the source by the bit. */
#define SPREAD(bytes)                                                                                                    \
    static void spread##bytes(const uint8_t *PMN_RESTRICT src, const uint64_t *PMN_RESTRICT bits, int64_t rows, uint8_t *PMN_RESTRICT dst) \
    {                                                                                                                    \
        for (int64_t i = 0; i < rows; i += 64) {                                                                         \
            uint64_t word = PMN_LE64(bits[i >> 6]);                                                                                \
            int64_t m = rows - i < 64 ? rows - i : 64;                                                                   \
            if (m == 64 && word == UINT64_MAX) {                                                                         \
                memcpy(dst, src, 64 * bytes);                                                                            \
                src += 64 * bytes;                                                                                       \
            } else {                                                                                                     \
                for (int64_t k = 0; k < m; k++, word >>= 1) {                                                            \
                    memcpy(dst + k * bytes, src, bytes);                                                                 \
                    src += (word & 1) * bytes;                                                                           \
                }                                                                                                        \
            }                                                                                                            \
            dst += 64 * bytes;                                                                                           \
        }                                                                                                                \
    }
SPREAD(1)
SPREAD(2)
SPREAD(4)
SPREAD(8)
SPREAD(16)

static void spread_any(const uint8_t *src, const uint64_t *bits, int64_t rows, int32_t width, uint8_t *dst)
{
    for (int64_t i = 0; i < rows; i++) {
        if (pmn_bit_get((const uint8_t *)bits, i)) {
            memcpy(dst + i * width, src, (size_t)width);
            src += width;
        } else {
            memset(dst + i * width, 0, (size_t)width);
        }
    }
}

void pmn_spread(const uint8_t *src, const uint64_t *bits, int64_t rows, int32_t width, uint8_t *dst)
{
    switch (width) {
    case 1: spread1(src, bits, rows, dst); return;
    case 2: spread2(src, bits, rows, dst); return;
    case 4: spread4(src, bits, rows, dst); return;
    case 8: spread8(src, bits, rows, dst); return;
    case 16: spread16(src, bits, rows, dst); return;
    default: spread_any(src, bits, rows, width, dst);
    }
}

void pmn_spread_ends(const int32_t *ends, const uint64_t *bits, int64_t rows, int32_t *out)
{
    const int32_t *at = ends;
    for (int64_t i = 0; i < rows; i += 64) {
        uint64_t word = PMN_LE64(bits[i >> 6]);
        int64_t m = rows - i < 64 ? rows - i : 64;
        if (m == 64 && word == UINT64_MAX) {
            memcpy(out + i, at + 1, 64 * sizeof *out);
            at += 64;
        } else {
            for (int64_t k = 0; k < m; k++, word >>= 1) {
                at += word & 1;
                out[i + k] = *at;
            }
        }
    }
}

#define GATHER_SLOTS(bytes)                                                                                              \
    static int64_t gather_slots##bytes(const uint8_t *PMN_RESTRICT slots, const int32_t *PMN_RESTRICT lengths, const uint32_t *PMN_RESTRICT index, \
                                       int64_t n, uint8_t *PMN_RESTRICT dst, int64_t start, int32_t *PMN_RESTRICT ends)  \
    {                                                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                                \
            uint32_t at = index[i];                                                                                      \
            memcpy(dst + start, slots + (size_t)at * bytes, bytes);                                                      \
            start += lengths[at];                                                                                        \
            ends[i] = (int32_t)start;                                                                                    \
        }                                                                                                                \
        return start;                                                                                                    \
    }
GATHER_SLOTS(16)
GATHER_SLOTS(32)
GATHER_SLOTS(64)

int64_t pmn_gather_slots(const uint8_t *slots, int32_t stride, const int32_t *lengths, const uint32_t *index, int64_t n, uint8_t *dst,
                                 int64_t start, int32_t *ends)
{
    if (stride == 16) return gather_slots16(slots, lengths, index, n, dst, start, ends);
    if (stride == 32) return gather_slots32(slots, lengths, index, n, dst, start, ends);
    return gather_slots64(slots, lengths, index, n, dst, start, ends);
}
