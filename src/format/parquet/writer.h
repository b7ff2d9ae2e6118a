/* Writing a Parquet file: see format.h. */
#ifndef PMN_FORMAT_PARQUET_WRITER_H
#define PMN_FORMAT_PARQUET_WRITER_H

#include "format/format.h"

paimon_status pmn_parquet_create(const pmn_format_write_options *options, pmn_format_writer **writer, paimon_error *err) PMN_MUST_USE;

#endif
