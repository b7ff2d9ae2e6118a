/* From nested Arrow arrays to one leaf's levels. */
#ifndef PMN_FORMAT_PARQUET_WRITE_SHRED_H
#define PMN_FORMAT_PARQUET_WRITE_SHRED_H

#include "base/buf.h"
#include "format/parquet/write_plan.h"
#include "paimon-c/arrow_abi.h"

/* What stands in a leaf for some rows: an entry a value, null or empty list. Reused; one a task at a time. */
typedef struct pmn_pqw_shred {
    pmn_buf def, rep;        /* uint8_t an entry; rep stays empty outside of lists */
    pmn_buf rows;            /* int64_t an entry: the leaf array's row (its offset not added), -1 where there is no value */
    pmn_buf spare_def, spare_rep, spare_rows;
    int64_t n;               /* entries */
    const struct ArrowArray *leaf;
} pmn_pqw_shred;

void pmn_pqw_shred_init(pmn_pqw_shred *s, pmn_mem *mem);
void pmn_pqw_shred_free(pmn_pqw_shred *s);
int64_t pmn_pqw_shred_memory(const pmn_pqw_shred *s);
/* Rows [first, first + count) of `column` (its offset not added), `row` being the file's number of the first, for messages. A null where the
 * type has none is PAIMON_INVALID naming column and row. */
paimon_status pmn_pqw_shred_rows(pmn_pqw_shred *s, const pmn_pqw_leaf *leaf, const struct ArrowArray *column, int64_t first, int64_t count, int64_t row,
                                 paimon_error *err) PMN_MUST_USE;
/* PAIMON_INVALID for a null of a NOT NULL leaf in `row`. */
paimon_status pmn_pqw_refuse_null(const pmn_pqw_leaf *leaf, int64_t row, paimon_error *err);

#endif
