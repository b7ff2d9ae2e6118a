/* Which rows of a row group may meet a predicate: by the group's statistics, by bloom filters for = and IN, by the page index.
 *
 * It may keep too much, never too little: everything that is not certain counts as "may". */
#ifndef PMN_FORMAT_PARQUET_PRUNE_H
#define PMN_FORMAT_PARQUET_PRUNE_H

#include "format/parquet/file.h"

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

/* Appends to `keep` the file rows (not rows of the group) of row group `group` that may make `pred` TRUE: the whole group if nothing is
 * known, nothing if it is ruled out. `columns` is the match of the filter schema (its children are what the predicate's paths start from).
 * Statistics cost nothing; bloom filters and page indexes are read from the file only when the predicate can use them. Thread-safe. */
paimon_status pmn_parquet_prune_group(pmn_parquet_file *file, int32_t group, const pmn_pred *pred, const pmn_parquet_want *columns,
                                      pmn_row_ranges *keep, paimon_error *err) PMN_MUST_USE;

#endif
