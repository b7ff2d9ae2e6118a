/* Some top-level columns that are decoded together: the filter's, or those asked for. */
#ifndef PMN_FORMAT_PARQUET_COLSET_H
#define PMN_FORMAT_PARQUET_COLSET_H

#include "base/pool.h"
#include "format/parquet/nested.h"
#include "format/rowset.h"

typedef struct pmn_parquet_top pmn_parquet_top; /* one top-level column; private */

typedef struct pmn_parquet_colset {
    pmn_parquet_file *file; /* borrowed, as the pool and the executor */
    pmn_buffer_pool *pool;
    pmn_executor *executor;
    int32_t n_threads;
    pmn_decompressors decompressors;
    pmn_parquet_top *tops;
    int32_t n_tops;
    int32_t *turns;                 /* with threads: columns by weight, the heaviest first, so that none is left for the end */
    const pmn_rowset *rows; /* what is being decoded */
    int64_t given;                  /* rows of it handed out */
} pmn_parquet_colset;

/* For the children of `want` (the match of a struct schema) that `use` tells, all if NULL. Names live in `arena`. */
paimon_status pmn_parquet_colset_init(pmn_parquet_colset *set, pmn_parquet_file *file, const pmn_want *want, const bool *use, pmn_arena *arena,
                                      pmn_buffer_pool *pool, pmn_executor *executor, int32_t n_threads, paimon_error *err) PMN_MUST_USE;
void pmn_parquet_colset_free(pmn_parquet_colset *set);

/* Decode these rows next; borrowed until they are all given. */
void pmn_parquet_colset_begin(pmn_parquet_colset *set, const pmn_rowset *rows);
/* The next rows as a struct array, at most `max_rows`, at least one; fewer where a column of long strings stopped early. */
paimon_status pmn_parquet_colset_next(pmn_parquet_colset *set, int64_t max_rows, struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;
static inline int64_t pmn_parquet_colset_left(const pmn_parquet_colset *set) { return set->rows ? set->rows->n - set->given : 0; }
/* About how many bytes a row takes, by the file's first row group. */
int64_t pmn_parquet_colset_row_bytes(const pmn_parquet_colset *set);
int64_t pmn_parquet_colset_bytes_read(const pmn_parquet_colset *set);

#endif
