/* Rows to decode: contiguous stretches, and picked rows where stretches are short. Rows are numbered inside their group, as the format
 * has them: row groups, stripes. */
#ifndef PMN_FORMAT_ROWSET_H
#define PMN_FORMAT_ROWSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/status.h"

typedef struct pmn_stretch {
    int32_t group;
    int64_t first; /* row in the group */
    int64_t span;  /* rows from there on that it covers */
    int64_t picks; /* where its offsets begin in the set's `picked`; -1: all rows of the span */
    int64_t n;     /* rows of it */
} pmn_stretch;

typedef struct pmn_rowset {
    pmn_mem *mem; /* borrowed */
    pmn_stretch *items;
    int64_t n_items;
    size_t items_capacity;
    int32_t *picked; /* ascending offsets from a stretch's first row */
    int64_t n_picked;
    size_t picked_capacity;
    int64_t n; /* rows in all */
} pmn_rowset;

void pmn_rowset_init(pmn_rowset *set, pmn_mem *mem);
void pmn_rowset_free(pmn_rowset *set);
void pmn_rowset_clear(pmn_rowset *set);
/* Append rows [first, first + count) of a group; all of them come after those of the set. */
paimon_status pmn_rowset_add(pmn_rowset *set, int32_t group, int64_t first, int64_t count, paimon_error *err) PMN_MUST_USE;

/* A place in a set, moving forward. */
typedef struct pmn_rowset_at {
    int64_t item;
    int64_t row; /* rows of the item that are behind */
} pmn_rowset_at;

/* Append to `out` those of the next `n` rows of `set` from `at` on whose bit in `selected` is set; `at` moves on. */
paimon_status pmn_rowset_select(const pmn_rowset *set, pmn_rowset_at *at, const uint8_t *selected, int64_t n,
                                        pmn_rowset *out, paimon_error *err) PMN_MUST_USE;
/* File rows of the next `n` rows from `at` on; `group_first` tells the file row of a group's first. */
void pmn_rowset_number(const pmn_rowset *set, pmn_rowset_at *at, int64_t n, int64_t (*group_first)(const void *ctx, int32_t group),
                               const void *ctx, int64_t *out);

#endif
