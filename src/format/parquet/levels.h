/* The RLE / bit-packed hybrid: dictionary indices, levels, booleans.
 *
 *   run  := header (varint) and
 *           header even: RLE, header/2 times one value of ⌈width/8⌉ bytes, little-endian
 *           header odd:  bit-packed, header/2 groups of 8 values, width bytes a group
 *
 * Counts here are what was taken: fewer than asked means that the bytes are at their end or do not parse. The bytes need 64 readable
 * bytes behind them. */
#ifndef PMN_FORMAT_PARQUET_LEVELS_H
#define PMN_FORMAT_PARQUET_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/compiler.h"

typedef struct pmn_parquet_hybrid {
    const uint8_t *pos;
    const uint8_t *end;
    unsigned width;  /* 0 … 32 */
    uint32_t value;  /* of the RLE run */
    int64_t repeat;  /* values left of the RLE run */
    int64_t packed;  /* values left of the bit-packed run */
    const uint8_t *run; /* first byte of the bit-packed run */
    int64_t taken;   /* of the bit-packed run */
} pmn_parquet_hybrid;

void pmn_parquet_hybrid_init(pmn_parquet_hybrid *h, pmn_slice bytes, unsigned width);
/* A decoder that gives `value` `n` times. */
void pmn_parquet_hybrid_constant(pmn_parquet_hybrid *h, uint32_t value, int64_t n);
/* `n` values packed without any header, least significant bit first. */
void pmn_parquet_hybrid_packed(pmn_parquet_hybrid *h, pmn_slice bytes, unsigned width, int64_t n);

/* How often the next value comes at once, if it is a repeated one (then `*value` is set); 0 in a packed run or at the end. */
int64_t pmn_parquet_hybrid_peek(pmn_parquet_hybrid *h, uint32_t *value);
int64_t pmn_parquet_hybrid_get32(pmn_parquet_hybrid *h, uint32_t *out, int64_t n);
/* Width up to 8; values above 255 cannot occur. */
int64_t pmn_parquet_hybrid_get8(pmn_parquet_hybrid *h, uint8_t *out, int64_t n);
/* Width 1: bits into `bits` from bit `offset`; `*ones` counts them. */
int64_t pmn_parquet_hybrid_bits(pmn_parquet_hybrid *h, uint8_t *bits, int64_t offset, int64_t n, int64_t *ones);
int64_t pmn_parquet_hybrid_skip(pmn_parquet_hybrid *h, int64_t n);

/* Bits that hold 0 … max. */
static inline unsigned pmn_parquet_width(uint32_t max)
{
    unsigned width = 0;
    for (; max; max >>= 1) width++;
    return width;
}

/* The old BIT_PACKED levels: most significant bit first. `n` values of `width` bits (1 … 16) at `src` repacked least significant bit
 * first into `dst`, (n * width + 7) / 8 bytes, zeroed by the caller. */
void pmn_parquet_repack_levels(const uint8_t *src, int64_t n, unsigned width, uint8_t *dst);

#endif
