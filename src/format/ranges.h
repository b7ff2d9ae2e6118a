/* Lists of row ranges: the selection that pruning hands to decoding. */
#ifndef PMN_FORMAT_RANGES_H
#define PMN_FORMAT_RANGES_H

#include "format/format.h"

/* A growing list of ascending, disjoint, non-adjacent ranges. */
typedef struct pmn_row_ranges {
    pmn_mem *mem; /* borrowed */
    pmn_row_range *items;
    int32_t n;
    size_t capacity;
} pmn_row_ranges;

void pmn_row_ranges_init(pmn_row_ranges *ranges, pmn_mem *mem);
void pmn_row_ranges_free(pmn_row_ranges *ranges);
void pmn_row_ranges_clear(pmn_row_ranges *ranges);
/* Append [first, first + count); first is not below the end of the last range. Adjacent ones are joined; count 0 is ignored. */
paimon_status pmn_row_ranges_add(pmn_row_ranges *ranges, int64_t first, int64_t count, paimon_error *err) PMN_MUST_USE;
/* Appends a ∩ b, or a ∪ b, to `out`, which is neither of them and empty. */
paimon_status pmn_row_ranges_intersect(const pmn_row_range *a, int32_t n_a, const pmn_row_range *b, int32_t n_b, pmn_row_ranges *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_row_ranges_union(const pmn_row_range *a, int32_t n_a, const pmn_row_range *b, int32_t n_b, pmn_row_ranges *out, paimon_error *err) PMN_MUST_USE;
int64_t pmn_row_ranges_count(const pmn_row_ranges *ranges);
/* Append the ranges that a caller asked a reader for: PAIMON_INVALID if they are not ascending and disjoint. */
paimon_status pmn_row_ranges_take(pmn_row_ranges *ranges, const pmn_row_range *asked, int32_t n, paimon_error *err) PMN_MUST_USE;

#endif
