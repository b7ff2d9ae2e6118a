/* The innermost loops that formats share: they see a source, a count and a destination; no type, no growth, no error. Sources and destinations have 64 bytes
 * of slack that may be read and overwritten. */
#ifndef PMN_FORMAT_GATHER_H
#define PMN_FORMAT_GATHER_H

#include <stdbool.h>
#include <stdint.h>

/* Whether all `n` indices are below `limit` ≥ 1: one branch a block instead of one a value. */
bool pmn_all_below(const uint32_t *v, int64_t n, uint32_t limit);
/* dst[i] = table[index[i]], `width` bytes each. */
void pmn_gather(const uint8_t *table, const uint32_t *index, int64_t n, int32_t width, uint8_t *dst);
/* `rows` rows from the compact `src`: the next value where a bit is set, anything where it is not. */
void pmn_spread(const uint8_t *src, const uint64_t *bits, int64_t rows, int32_t width, uint8_t *dst);
/* ends[0] is where the first string begins, ends[j] where the j-th ends; out[i] gets where row i ends. */
void pmn_spread_ends(const int32_t *ends, const uint64_t *bits, int64_t rows, int32_t *out);
/* Strings from padded slots of `stride` bytes to `dst` at `start` …; ends[i] tells where each ends. Returns the last end. */
int64_t pmn_gather_slots(const uint8_t *slots, int32_t stride, const int32_t *lengths, const uint32_t *index, int64_t n, uint8_t *dst,
                                 int64_t start, int32_t *ends);

#endif
