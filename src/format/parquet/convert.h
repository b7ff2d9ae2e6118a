/* From what a leaf stores to the Arrow type that is wanted: which pairs go together, and the loops that do it. */
#ifndef PMN_FORMAT_PARQUET_CONVERT_H
#define PMN_FORMAT_PARQUET_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "arrow/schema.h"
#include "format/leaf_out.h"
#include "format/parquet/schema.h"

typedef struct pmn_parquet_convert pmn_parquet_convert;
/* `n` values at `src`, in_width bytes apart, to `dst`. The number of the first value that does not fit, or -1. May read 16 bytes past the
 * last one. */
typedef int64_t (*pmn_parquet_convert_fn)(const pmn_parquet_convert *c, const uint8_t *src, int64_t n, uint8_t *dst);

struct pmn_parquet_convert {
    pmn_parquet_physical physical;
    pmn_leaf_kind out;
    int32_t in_width;  /* bytes of a stored value; 0 for booleans and byte arrays */
    int32_t out_width; /* FIXED */
    bool identity;     /* FIXED: the bytes are the same */
    pmn_parquet_convert_fn fn; /* FIXED from fixed; NULL if identity */
    /* FIXED from a byte array: one value; false if it does not fit. */
    bool (*from_bytes)(const pmn_parquet_convert *c, pmn_slice bytes, uint8_t *dst);
    int64_t factor; /* timestamps: times or divided by */
    int64_t units;  /* INT96: units a second */
};

/* PAIMON_UNSUPPORTED naming both types if they do not go together, PAIMON_CORRUPT if scales differ. */
paimon_status pmn_parquet_convert_plan(const pmn_parquet_node *leaf, const pmn_arrow_type *want, const char *want_format, pmn_parquet_convert *out,
                                       paimon_error *err) PMN_MUST_USE;

#endif
