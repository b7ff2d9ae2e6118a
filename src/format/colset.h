/* Some top-level columns that are decoded together: a filter's, or those asked for.
 *
 * Each column decodes as many of the rows as it wants at once and keeps the array; rows are handed out as far as all columns have got, as
 * slices where one is ahead. So a column of long strings may stop early without the others knowing. */
#ifndef PMN_FORMAT_COLSET_H
#define PMN_FORMAT_COLSET_H

#include "arrow/buffer.h"
#include "base/arena.h"
#include "base/pool.h"
#include "format/match.h"
#include "format/rowset.h"

/* A batch of strings ends early past this many bytes. */
#define PMN_BATCH_BYTES (16 * 1024 * 1024)

/* What a format knows about one column. Different columns may be asked by different threads at the same time. */
typedef struct pmn_column_ops {
    /* Rows of `rows` from `at` on, at least one and at most `n`, as an array of what is wanted; `at` moves on by as many. */
    paimon_status (*decode)(void *column, const pmn_rowset *rows, pmn_rowset_at *at, int64_t n, struct ArrowArray *out, paimon_error *err);
    int64_t (*bytes_read)(const void *column);
    void (*free)(void *column); /* may be half made */
} pmn_column_ops;

typedef struct pmn_colset_column {
    const pmn_want *want;
    void *column;   /* NULL: the file lacks it, it is all null */
    double weight;  /* about how many bytes a row takes; 0 for absent ones */
    /* private */
    struct ArrowArray array; /* decoded, from row `used` on not handed out */
    int64_t used;
    int64_t produced; /* rows of the set decoded so far */
    pmn_rowset_at at;
    paimon_status status;
    paimon_error err;
} pmn_colset_column;

typedef struct pmn_colset {
    pmn_mem *mem; /* borrowed, as pool and executor; NULL: not made */
    pmn_buffer_pool *pool;
    pmn_executor *executor;
    int32_t n_threads;
    const pmn_column_ops *ops;
    pmn_colset_column *columns;
    int32_t n_columns;
    int32_t *turns;         /* with threads: columns by weight, the heaviest first, so that none is left for the end */
    const pmn_rowset *rows; /* what is being decoded */
    int64_t given;          /* rows of it handed out */
} pmn_colset;

/* Room for the children of `want` that `use` tells, all if NULL. The caller gives those that have a field their columns and weights, then
 * calls `ready`. Free it on failure, too. */
paimon_status pmn_colset_init(pmn_colset *set, pmn_mem *mem, pmn_buffer_pool *pool, pmn_executor *executor, int32_t n_threads, const pmn_column_ops *ops,
                              const pmn_want *want, const bool *use, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_colset_ready(pmn_colset *set, pmn_arena *arena, paimon_error *err) PMN_MUST_USE;
void pmn_colset_free(pmn_colset *set);

/* Decode these rows next; borrowed until they are all given. */
void pmn_colset_begin(pmn_colset *set, const pmn_rowset *rows);
static inline int64_t pmn_colset_left(const pmn_colset *set) { return set->rows ? set->rows->n - set->given : 0; }
/* The next rows as a struct array, at most `max_rows`, at least one; fewer where a column stopped early. */
paimon_status pmn_colset_next(pmn_colset *set, int64_t max_rows, struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;
int64_t pmn_colset_bytes_read(const pmn_colset *set);
/* About how many bytes a row takes. */
double pmn_colset_row_bytes(const pmn_colset *set);
/* Rows to decode before the columns wait for each other: a batch of `batch_rows`, or with threads several, as long as they do not fill much
 * memory. */
int64_t pmn_colset_rows_at_once(const pmn_colset *set, int64_t batch_rows);

#endif
