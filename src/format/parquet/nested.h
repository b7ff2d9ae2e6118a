/* From leaf arrays and levels to Arrow arrays of any shape. */
#ifndef PMN_FORMAT_PARQUET_NESTED_H
#define PMN_FORMAT_PARQUET_NESTED_H

#include "format/parquet/column.h"

typedef struct pmn_parquet_nest {
    pmn_buffer_pool *pool;
    pmn_parquet_leaf *const *leaves; /* by the file's leaf number from `first_leaf` on; NULL where not read */
    int32_t first_leaf;
    const char *path;                /* of the top-level column, for messages */
} pmn_parquet_nest;

/* The array of `want`, `n` slots, out of what its leaves have read; their buffers move into it. */
paimon_status pmn_parquet_nest_build(const pmn_parquet_nest *nest, const pmn_want *want, int64_t n, struct ArrowArray *out,
                                     paimon_error *err) PMN_MUST_USE;

#endif
