/* Bit tools on Arrow-style bitmaps: least significant bit first. */
#ifndef PMN_BASE_BITMAP_H
#define PMN_BASE_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

PMN_INLINE bool pmn_bit_get(const uint8_t *bits, int64_t i) { return (bits[i >> 3] >> (i & 7)) & 1; }
PMN_INLINE void pmn_bit_set(uint8_t *bits, int64_t i) { bits[i >> 3] |= (uint8_t)(1u << (i & 7)); }
PMN_INLINE void pmn_bit_clear(uint8_t *bits, int64_t i) { bits[i >> 3] &= (uint8_t)~(1u << (i & 7)); }
PMN_INLINE size_t pmn_bitmap_bytes(int64_t n_bits) { return (size_t)((n_bits + 7) / 8); }

/* Of a word that is not zero: the number of its lowest set bit. */
PMN_INLINE int pmn_ctz64(uint64_t word) { return __builtin_ctzll(word); }
PMN_INLINE int pmn_popcount64(uint64_t word) { return __builtin_popcountll(word); }

/* Set bits among `n` bits from bit `offset`. */
int64_t pmn_bitmap_count(const uint8_t *bits, int64_t offset, int64_t n);
/* Copy `n` bits from bit `src_offset` to bit `dst_offset`; bits around the target stay. */
void pmn_bitmap_copy(uint8_t *dst, int64_t dst_offset, const uint8_t *src, int64_t src_offset, int64_t n);
/* Set `n` bits from `offset` to `value`. */
void pmn_bitmap_fill(uint8_t *bits, int64_t offset, int64_t n, bool value);
/* dst &= src, dst |= src over `n` bits from bit 0 of both. */
void pmn_bitmap_and(uint8_t *dst, const uint8_t *src, int64_t n);
void pmn_bitmap_or(uint8_t *dst, const uint8_t *src, int64_t n);

#endif
