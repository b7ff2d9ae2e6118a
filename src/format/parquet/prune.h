/* Which rows of a row group may meet a predicate: by the group's statistics, by bloom filters for = and IN, by the page index.
 *
 * It may keep too much, never too little: everything that is not certain counts as "may". */
#ifndef PMN_FORMAT_PARQUET_PRUNE_H
#define PMN_FORMAT_PARQUET_PRUNE_H

#include "format/parquet/file.h"
#include "format/ranges.h"

/* Appends to `keep` the file rows (not rows of the group) of row group `group` that may make `pred` TRUE: the whole group if nothing is
 * known, nothing if it is ruled out. `columns` is the match of the filter schema (its children are what the predicate's paths start from).
 * Statistics cost nothing; bloom filters and page indexes are read from the file only when the predicate can use them. Thread-safe. */
paimon_status pmn_parquet_prune_group(pmn_parquet_file *file, int32_t group, const pmn_pred *pred, const pmn_want *columns,
                                      pmn_row_ranges *keep, paimon_error *err) PMN_MUST_USE;

#endif
