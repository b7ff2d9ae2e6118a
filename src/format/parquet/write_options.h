/* The writer's options, under Java's names. */
#ifndef PMN_FORMAT_PARQUET_WRITE_OPTIONS_H
#define PMN_FORMAT_PARQUET_WRITE_OPTIONS_H

#include "codec/codec.h"
#include "format/format.h"
#include "format/parquet/meta.h"

typedef struct pmn_pqw_options {
    int64_t group_bytes;      /* file.block-size, else parquet.block.size */
    int64_t page_bytes;       /* parquet.page.size */
    int64_t page_rows;        /* parquet.page.row.count.limit */
    int64_t dictionary_bytes; /* parquet.dictionary.page.size */
    int64_t index_cut;        /* parquet.columnindex.truncate.length */
    int64_t statistics_cut;   /* parquet.statistics.truncate.length */
    bool v2;                  /* parquet.writer.version */
    int zstd_level;
} pmn_pqw_options;

#define PMN_PQW_MOST_BLOOM_BYTES (128 << 20)

typedef struct pmn_pqw_column_options {
    bool dictionary;           /* parquet.enable.dictionary */
    bool bloom;                /* parquet.bloom.filter.enabled */
    int64_t bloom_values;      /* parquet.bloom.filter.expected.ndv; 0: not said */
    int64_t bloom_most_bytes;  /* parquet.bloom.filter.max.bytes */
    double bloom_false_share;  /* parquet.bloom.filter.fpp */
    pmn_parquet_codec codec;   /* parquet.compression, else file.compression */
    pmn_codec compression;
} pmn_pqw_column_options;

/* PAIMON_INVALID names key and value; PAIMON_UNSUPPORTED what is known but not there. */
paimon_status pmn_pqw_options_read(const pmn_format_write_options *given, pmn_pqw_options *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_pqw_column_options_read(const pmn_format_write_options *given, const char *path, pmn_pqw_column_options *out, paimon_error *err) PMN_MUST_USE;

#endif
