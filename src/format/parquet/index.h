/* Page indexes: where the pages of a chunk are (offset index) and what is in them (column index). */
#ifndef PMN_FORMAT_PARQUET_INDEX_H
#define PMN_FORMAT_PARQUET_INDEX_H

#include "format/parquet/file.h"

typedef struct pmn_parquet_page_place {
    int64_t offset;    /* of the page header in the file */
    int32_t bytes;     /* header and compressed data */
    int64_t first_row; /* in the row group */
} pmn_parquet_page_place;

typedef struct pmn_parquet_offset_index {
    const pmn_parquet_page_place *pages; /* data pages only, ascending */
    int32_t n_pages;
} pmn_parquet_offset_index;

typedef struct pmn_parquet_column_index {
    int32_t n_pages;
    const bool *null_pages;   /* all values are null */
    const pmn_slice *min, *max; /* meaningless where null_pages */
    const int64_t *null_counts; /* NULL: unknown */
    int32_t boundary_order;     /* 0 unordered, 1 ascending, 2 descending */
} pmn_parquet_column_index;

/* Read, parse and check the index of leaf `leaf` in row group `group`: pages ascend in place and row, lie inside the chunk, start at row 0.
 * `*found` false (and PAIMON_OK) if the file has none or it does not hold what it should: an index is an aid, and pages can be found
 * without. Failing to read is an error. */
paimon_status pmn_parquet_offset_index_load(pmn_parquet_file *file, int32_t group, int32_t leaf, pmn_arena *arena,
                                            pmn_parquet_offset_index *out, bool *found, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_parquet_column_index_load(pmn_parquet_file *file, int32_t group, int32_t leaf, pmn_arena *arena,
                                            pmn_parquet_column_index *out, bool *found, paimon_error *err) PMN_MUST_USE;

/* For tests and fuzzing: the same from bytes. PAIMON_CORRUPT says what is wrong. */
paimon_status pmn_parquet_offset_index_parse(pmn_arena *arena, pmn_slice bytes, int64_t base, pmn_parquet_offset_index *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_parquet_column_index_parse(pmn_arena *arena, pmn_slice bytes, int64_t base, pmn_parquet_column_index *out, paimon_error *err) PMN_MUST_USE;

#endif
