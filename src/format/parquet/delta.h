/* DELTA_BINARY_PACKED, a block at a time: integers, and the lengths inside the two delta encodings of strings.
 *
 *   header := values a block (varint), miniblocks a block (varint), values in all (varint), first value (zigzag)
 *   block  := smallest delta (zigzag), one width byte a miniblock, the miniblocks that are needed: width bits a value
 *
 * Sums wrap at 64 bits: a writer of 32-bit values may have wrapped at 32, and the low bits are right either way. */
#ifndef PMN_FORMAT_PARQUET_DELTA_H
#define PMN_FORMAT_PARQUET_DELTA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

#define PMN_PARQUET_DELTA_STEP 32

typedef struct pmn_parquet_delta {
    const uint8_t *pos;
    const uint8_t *end;
    const uint8_t *widths; /* of the block's miniblocks */
    uint64_t miniblocks;
    uint64_t mini_values;
    uint64_t mini;      /* miniblock being read */
    uint64_t mini_left; /* values of it not unpacked yet */
    int64_t left;       /* values not given yet */
    uint64_t last;
    uint64_t min_delta;
    bool first; /* the first value has not been given */
    int step_n, step_at; /* unpacked deltas and how many are used */
    uint64_t step[PMN_PARQUET_DELTA_STEP];
} pmn_parquet_delta;

/* `max_values` bounds what the header may claim. */
paimon_status pmn_parquet_delta_init(pmn_parquet_delta *d, pmn_slice bytes, int64_t max_values, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_parquet_delta_get(pmn_parquet_delta *d, int64_t *out, int64_t n, paimon_error *err) PMN_MUST_USE;
/* Where the bytes behind the last value are. Only before the first get. */
paimon_status pmn_parquet_delta_end(const pmn_parquet_delta *d, const uint8_t **end, paimon_error *err) PMN_MUST_USE;

#endif
