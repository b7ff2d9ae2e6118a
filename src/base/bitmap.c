/* Bitmaps a word at a time. Bit i of byte k is bit 8k + i, so a little-endian load of eight bytes is a word in order. */
#include "base/bitmap.h"

#include <string.h>

#include "base/bytes.h"

static inline uint64_t low_bits(int64_t n) /* n in [0, 64] */
{
    return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
}

/* Without a popcnt instruction at compile time the builtin is a call; sums of bit pairs, nibbles and bytes vectorise. The
 * result has a count in each byte. */
static inline uint64_t byte_counts(uint64_t w)
{
    w -= (w >> 1) & 0x5555555555555555u;
    w = (w & 0x3333333333333333u) + ((w >> 2) & 0x3333333333333333u);
    return (w + (w >> 4)) & 0x0f0f0f0f0f0f0f0fu;
}

static inline int64_t sum_bytes(uint64_t counts)
{
    /* Pairs first: a byte lane may hold up to 248. */
    uint64_t pairs = (counts & 0x00ff00ff00ff00ffu) + ((counts >> 8) & 0x00ff00ff00ff00ffu);
    return (int64_t)((pairs * 0x0001000100010001u) >> 48);
}

static int64_t count_words(const uint8_t *p, int64_t n_words)
{
    int64_t total = 0;
    while (n_words > 0) {
        int64_t n = n_words < 31 ? n_words : 31; /* 31 * 8 fits a byte lane */
        uint64_t lanes = 0;
        for (int64_t i = 0; i < n; i++) lanes += byte_counts(pmn_load_le64(p + 8 * i));
        total += sum_bytes(lanes);
        p += 8 * n;
        n_words -= n;
    }
    return total;
}

/* `n` ≤ 64 bits from bit `offset`, reading no byte beyond the last bit. */
static inline uint64_t load_bits(const uint8_t *bits, int64_t offset, int64_t n)
{
    const uint8_t *p = bits + (offset >> 3);
    unsigned shift = (unsigned)(offset & 7);
    int64_t n_bytes = (shift + n + 7) >> 3;
    uint64_t w = 0;
    if (n_bytes >= 8) {
        w = pmn_load_le64(p) >> shift;
        if (n_bytes > 8) w |= (uint64_t)p[8] << (64 - shift);
    } else {
        for (int64_t i = 0; i < n_bytes; i++) w |= (uint64_t)p[i] << (8 * i);
        w >>= shift;
    }
    return w & low_bits(n);
}

/* `n` < 8 bits inside the byte of bit `offset`: (offset & 7) + n ≤ 8. */
static inline void store_in_byte(uint8_t *bits, int64_t offset, int64_t n, uint64_t value)
{
    uint8_t mask = (uint8_t)(low_bits(n) << (offset & 7));
    uint8_t *p = bits + (offset >> 3);
    *p = (uint8_t)((*p & ~mask) | ((value << (offset & 7)) & mask));
}

/* Bits until the next byte border, at most n. */
static inline int64_t head_bits(int64_t offset, int64_t n)
{
    int64_t head = (8 - (offset & 7)) & 7;
    return head < n ? head : n;
}

int64_t pmn_bitmap_count(const uint8_t *bits, int64_t offset, int64_t n)
{
    if (n <= 0) return 0;
    int64_t head = head_bits(offset, n);
    int64_t total = head ? sum_bytes(byte_counts(load_bits(bits, offset, head))) : 0;
    offset += head;
    n -= head;
    int64_t n_words = n >> 6;
    total += count_words(bits + (offset >> 3), n_words);
    offset += n_words << 6;
    n &= 63;
    return n ? total + sum_bytes(byte_counts(load_bits(bits, offset, n))) : total;
}

void pmn_bitmap_copy(uint8_t *dst, int64_t dst_offset, const uint8_t *src, int64_t src_offset, int64_t n)
{
    if (n <= 0) return;
    int64_t head = head_bits(dst_offset, n);
    if (head) {
        store_in_byte(dst, dst_offset, head, load_bits(src, src_offset, head));
        dst_offset += head;
        src_offset += head;
        n -= head;
    }
    uint8_t *out = dst + (dst_offset >> 3);
    if ((src_offset & 7) == 0) {
        size_t whole = (size_t)(n >> 3);
        if (whole) memmove(out, src + (src_offset >> 3), whole);
        out += whole;
        src_offset += n & ~(int64_t)7;
        n &= 7;
    }
    for (; n >= 64; n -= 64, src_offset += 64, out += 8) pmn_store_le64(out, load_bits(src, src_offset, 64));
    for (; n >= 8; n -= 8, src_offset += 8, out++) *out = (uint8_t)load_bits(src, src_offset, 8);
    if (n) store_in_byte(out, 0, n, load_bits(src, src_offset, n));
}

void pmn_bitmap_fill(uint8_t *bits, int64_t offset, int64_t n, bool value)
{
    if (n <= 0) return;
    uint64_t ones = value ? ~(uint64_t)0 : 0;
    int64_t head = head_bits(offset, n);
    if (head) store_in_byte(bits, offset, head, ones);
    offset += head;
    n -= head;
    if (n >= 8) memset(bits + (offset >> 3), value ? 0xff : 0, (size_t)(n >> 3));
    offset += n & ~(int64_t)7;
    n &= 7;
    if (n) store_in_byte(bits, offset, n, ones);
}

void pmn_bitmap_and(uint8_t *dst, const uint8_t *src, int64_t n)
{
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        uint8_t *p = dst + (i >> 3);
        pmn_store_le64(p, pmn_load_le64(p) & pmn_load_le64(src + (i >> 3)));
    }
    for (; i + 8 <= n; i += 8) dst[i >> 3] &= src[i >> 3];
    if (i < n) dst[i >> 3] &= (uint8_t)(src[i >> 3] | ~low_bits(n - i));
}

void pmn_bitmap_or(uint8_t *dst, const uint8_t *src, int64_t n)
{
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        uint8_t *p = dst + (i >> 3);
        pmn_store_le64(p, pmn_load_le64(p) | pmn_load_le64(src + (i >> 3)));
    }
    for (; i + 8 <= n; i += 8) dst[i >> 3] |= src[i >> 3];
    if (i < n) dst[i >> 3] |= (uint8_t)(src[i >> 3] & low_bits(n - i));
}
