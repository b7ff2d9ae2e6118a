/* What is written behind the pages: column indexes, offset indexes, bloom filters, the footer. */
#ifndef PMN_FORMAT_PARQUET_WRITE_FOOTER_H
#define PMN_FORMAT_PARQUET_WRITE_FOOTER_H

#include "format/parquet/write_column.h"
#include "io/fs.h"

/* A column chunk that was written: slices of the footer's buffers. */
typedef struct pmn_pqw_chunk_note {
    size_t meta_start, meta_size;     /* ColumnMetaData, without its end */
    size_t column_index_start, column_index_size; /* size 0: none */
    size_t offset_index_start, offset_index_size;
    size_t bloom_start, bloom_size;               /* size 0: none */
    int64_t column_index_at, offset_index_at, bloom_at; /* in the file */
    int64_t first_byte;
} pmn_pqw_chunk_note;

typedef struct pmn_pqw_group_note {
    int64_t rows, plain_bytes, packed_bytes, first_byte;
} pmn_pqw_group_note;

typedef struct pmn_pqw_footer {
    const pmn_pqw_plan *plan; /* borrowed */
    pmn_buf metas, column_indexes, offset_indexes, blooms;
    pmn_buf chunks; /* pmn_pqw_chunk_note, a leaf of a group each */
    pmn_buf groups; /* pmn_pqw_group_note */
} pmn_pqw_footer;

void pmn_pqw_footer_init(pmn_pqw_footer *f, pmn_mem *mem, const pmn_pqw_plan *plan);
void pmn_pqw_footer_free(pmn_pqw_footer *f);
int64_t pmn_pqw_footer_memory(const pmn_pqw_footer *f);
/* The chunk of a closed column, which is to be written from byte `at` of the file on. */
paimon_status pmn_pqw_footer_add_chunk(pmn_pqw_footer *f, const pmn_pqw_column *c, int64_t at, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_pqw_footer_add_group(pmn_pqw_footer *f, const pmn_pqw_group_note *group, paimon_error *err) PMN_MUST_USE;
/* Indexes, footer, its length and the last magic. */
paimon_status pmn_pqw_footer_write(pmn_pqw_footer *f, pmn_output *output, int64_t rows, paimon_error *err) PMN_MUST_USE;

#endif
