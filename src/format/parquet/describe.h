/* What is in a Parquet file, as JSON for people and tools. */
#ifndef PMN_FORMAT_PARQUET_DESCRIBE_H
#define PMN_FORMAT_PARQUET_DESCRIBE_H

#include "base/buf.h"
#include "format/parquet/file.h"

/* {"format": "parquet", "version", "created_by", "rows", "metadata", "schema", "row_groups": [{"rows", "bytes", "columns": [{"path", "type",
 * "codec", "encodings", "values", "bytes", …, "statistics", "column_index", "offset_index", "bloom_filter"}]}]} appended to `out`. */
paimon_status pmn_parquet_describe(const pmn_parquet_file *file, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

#endif
