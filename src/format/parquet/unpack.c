/* Bit unpacking. The plain form takes an unaligned 8-byte load, a shift and a mask a value. The AVX2 form handles 8 values of up to 24
 * bits at once: eight values of w bits are exactly w bytes, so the byte shuffle and the shifts are the same for each group and one
 * kernel serves all widths. */
#include "format/parquet/unpack.h"

#include <stdbool.h>

#include "base/bytes.h"
#include "base/compiler.h"

#if PMN_X86_DISPATCH
#include <immintrin.h>
#endif

void pmn_parquet_unpack32_plain(const uint8_t *src, int64_t first, int64_t n, unsigned width, uint32_t *out)
{
    uint64_t mask = (UINT64_C(1) << width) - 1;
    uint64_t bit = (uint64_t)first * width;
    for (int64_t i = 0; i < n; i++, bit += width) out[i] = (uint32_t)((pmn_load_le64(src + (bit >> 3)) >> (bit & 7)) & mask);
}

#if PMN_X86_DISPATCH
/* Where value i of a group begins, counted in bits from the load that feeds its half; the second half's load begins at byte w / 2. */
#define BIT(w, i) ((i) * (w) - ((i) < 4 ? 0 : 8 * ((w) / 2)))
#define BYTE(w, i, b) (BIT(w, i) / 8 + (b) < 16 ? BIT(w, i) / 8 + (b) : 0x80)
#define BYTES(w, i) BYTE(w, i, 0), BYTE(w, i, 1), BYTE(w, i, 2), BYTE(w, i, 3)
#define SHIFTS(w, i) BIT(w, i) & 7, BIT(w, (i) + 1) & 7, BIT(w, (i) + 2) & 7, BIT(w, (i) + 3) & 7
#define WIDTH(w)                                                                                                         \
    {                                                                                                                    \
        { BYTES(w, 0), BYTES(w, 1), BYTES(w, 2), BYTES(w, 3), BYTES(w, 4), BYTES(w, 5), BYTES(w, 6), BYTES(w, 7) },      \
        {                                                                                                                \
            SHIFTS(w, 0), SHIFTS(w, 4)                                                                                   \
        }                                                                                                                \
    }
static const struct {
    uint8_t order[32];
    uint32_t shifts[8];
} unpacking[25] = { WIDTH(0),  WIDTH(1),  WIDTH(2),  WIDTH(3),  WIDTH(4),  WIDTH(5),  WIDTH(6),  WIDTH(7),  WIDTH(8),
                    WIDTH(9),  WIDTH(10), WIDTH(11), WIDTH(12), WIDTH(13), WIDTH(14), WIDTH(15), WIDTH(16), WIDTH(17),
                    WIDTH(18), WIDTH(19), WIDTH(20), WIDTH(21), WIDTH(22), WIDTH(23), WIDTH(24) };
#undef BIT
#undef BYTE
#undef BYTES
#undef SHIFTS
#undef WIDTH

/* `groups` groups of 8 values from a byte boundary; 1 ≤ width ≤ 24. Four values and the bits before them span at most 13 bytes, so one
 * 16-byte load feeds each half. */
PMN_TARGET("avx2")
static void unpack_groups_avx2(const uint8_t *src, int64_t groups, unsigned width, uint32_t *out)
{
    unsigned half = width / 2; /* first byte of value 4 */
    __m256i order = _mm256_loadu_si256((const __m256i *)(const void *)unpacking[width].order);
    __m256i shifts = _mm256_loadu_si256((const __m256i *)(const void *)unpacking[width].shifts);
    __m256i mask = _mm256_set1_epi32((int)((1u << width) - 1));
    for (int64_t g = 0; g < groups; g++, src += width, out += 8) {
        __m128i low = _mm_loadu_si128((const __m128i *)(const void *)src);
        __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(src + half));
        __m256i v = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
        v = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(v, order), shifts), mask);
        _mm256_storeu_si256((__m256i *)(void *)out, v);
    }
}
#endif

void pmn_parquet_unpack32(const uint8_t *src, int64_t first, int64_t n, unsigned width, uint32_t *out)
{
#if PMN_X86_DISPATCH
    if (width > 0 && width <= 24 && n >= 16 && PMN_CPU_HAS("avx2")) {
        int64_t head = (8 - (first & 7)) & 7;
        if (head) {
            pmn_parquet_unpack32_plain(src, first, head, width, out);
            first += head;
            out += head;
            n -= head;
        }
        int64_t groups = n / 8;
        unpack_groups_avx2(src + first / 8 * width, groups, width, out);
        first += groups * 8;
        out += groups * 8;
        n -= groups * 8;
    }
#endif
    pmn_parquet_unpack32_plain(src, first, n, width, out);
}

void pmn_parquet_unpack64(const uint8_t *src, int64_t n, unsigned width, uint64_t *out)
{
    uint64_t bit = 0;
    if (width <= 56) {
        uint64_t mask = (UINT64_C(1) << width) - 1;
        for (int64_t i = 0; i < n; i++, bit += width) out[i] = (pmn_load_le64(src + (bit >> 3)) >> (bit & 7)) & mask;
        return;
    }
    uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    for (int64_t i = 0; i < n; i++, bit += width) {
        unsigned shift = bit & 7;
        uint64_t v = pmn_load_le64(src + (bit >> 3)) >> shift;
        /* Bits past the first eight bytes; a shift by 64 is not defined, so it is made in two steps. */
        v |= (uint64_t)src[(bit >> 3) + 8] << 1 << (63 - shift);
        out[i] = v & mask;
    }
}

void pmn_parquet_join_streams(const uint8_t *src, int64_t n, int64_t first, int64_t count, int32_t width, uint8_t *dst)
{
    src += first;
    if (width == 4) {
        for (int64_t i = 0; i < count; i++) {
            uint32_t v = src[i] | (uint32_t)src[n + i] << 8 | (uint32_t)src[2 * n + i] << 16 | (uint32_t)src[3 * n + i] << 24;
            pmn_store_le32(dst + i * 4, v);
        }
        return;
    }
    for (int32_t b = 0; b < width; b++, src += n) {
        for (int64_t i = 0; i < count; i++) dst[i * width + b] = src[i];
    }
}
