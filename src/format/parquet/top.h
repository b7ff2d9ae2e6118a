/* A top-level column of a pass. */
#ifndef PMN_FORMAT_PARQUET_TOP_H
#define PMN_FORMAT_PARQUET_TOP_H

#include "format/colset.h"
#include "format/parquet/column.h"

extern const pmn_column_ops pmn_parquet_top_ops;

/* For a column that the file has. Names live in `arena`. What is in `out` on failure is freed as any column is. `row_bytes`: about what a
 * row takes. */
paimon_status pmn_parquet_top_new(pmn_parquet_file *file, const pmn_want *want, pmn_decompressors *decompressors, pmn_arena *arena, pmn_buffer_pool *pool,
                                  void **out, double *row_bytes, paimon_error *err) PMN_MUST_USE;

#endif
