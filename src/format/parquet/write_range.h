/* The least and the greatest value of a leaf over a page, a chunk, a file: in the order that Parquet gives the type, which is Java's too
 * except for zeros and NaN: any NaN makes both unknown, a zero minimum is told as -0.0 and a zero maximum as +0.0. */
#ifndef PMN_FORMAT_PARQUET_WRITE_RANGE_H
#define PMN_FORMAT_PARQUET_WRITE_RANGE_H

#include "base/buf.h"
#include "base/decimal.h"
#include "format/parquet/write_plan.h"
#include "types/datum.h"

typedef union pmn_pqw_number {
    int64_t i;  /* BOOLEAN, INT32, INT64 */
    double f;   /* FLOAT, DOUBLE */
    pmn_i128 d; /* FIXED */
} pmn_pqw_number;

typedef struct pmn_pqw_range {
    bool any; /* values were seen; NaN counts */
    bool nan;
    pmn_pqw_number min, max;
    pmn_buf low, high; /* BYTE_ARRAY: whole */
} pmn_pqw_range;

void pmn_pqw_range_init(pmn_pqw_range *r, pmn_mem *mem);
void pmn_pqw_range_free(pmn_pqw_range *r);
void pmn_pqw_range_clear(pmn_pqw_range *r);
/* `n` ≥ 1 values as the writer holds them: bytes of 0 and 1, or 4, 8 or 16 bytes each. Nothing for INT96. */
void pmn_pqw_range_add_fixed(pmn_pqw_range *r, const pmn_pqw_leaf *leaf, const void *values, int64_t n);
paimon_status pmn_pqw_range_add_bytes(pmn_pqw_range *r, const pmn_slice *values, int64_t n, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_pqw_range_merge(pmn_pqw_range *r, const pmn_pqw_leaf *leaf, const pmn_pqw_range *other, paimon_error *err) PMN_MUST_USE;

/* Are there bounds to tell? */
bool pmn_pqw_range_known(const pmn_pqw_range *r, const pmn_pqw_leaf *leaf);
/* A bound in PLAIN encoding, of a byte array without its length: in `space`, or borrowed from `r`. */
pmn_slice pmn_pqw_range_bound(const pmn_pqw_range *r, const pmn_pqw_leaf *leaf, bool max, uint8_t space[16]);
/* A bound as a value of the leaf's type; bytes are borrowed from `r`. Null if unknown. */
pmn_datum pmn_pqw_range_datum(const pmn_pqw_range *r, const pmn_pqw_leaf *leaf, bool max);

/* A bound cut to at most `limit` bytes (text: between characters), a maximum then raised to the next greater one; what cannot be raised
 * stays whole. Appended to `out`. */
paimon_status pmn_pqw_cut_bound(pmn_buf *out, pmn_slice value, bool is_text, bool max, size_t limit, paimon_error *err) PMN_MUST_USE;

#endif
