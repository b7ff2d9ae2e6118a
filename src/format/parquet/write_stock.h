/* What the Parquet writers of one table have in common: what becomes of the row type, the options, and the benches that threads work at. A
 * table may have thousands of open files; none of this is theirs. */
#ifndef PMN_FORMAT_PARQUET_WRITE_STOCK_H
#define PMN_FORMAT_PARQUET_WRITE_STOCK_H

#include <pthread.h>

#include "format/format.h"
#include "format/parquet/write_column.h"

typedef struct pmn_pqw_stock {
    pmn_mem *mem; /* counted */
    pmn_arena arena;
    const pmn_type *row;     /* borrowed; with the next two what it was made for */
    const char *(*get)(const void *ctx, const char *key);
    const void *options_ctx;
    pmn_pqw_plan plan;
    pmn_pqw_options options;
    pmn_pqw_column_options *own; /* one a leaf */
    pthread_mutex_t lock;
    pmn_pqw_bench *benches; /* those that nobody uses, under the lock */
} pmn_pqw_stock;

paimon_status pmn_pqw_stock_new(const pmn_format_write_options *options, pmn_pqw_stock **out, paimon_error *err) PMN_MUST_USE;
/* Nobody works any more. NULL allowed. */
void pmn_pqw_stock_free(pmn_pqw_stock *stock);
/* Was it made for these? */
bool pmn_pqw_stock_fits(const pmn_pqw_stock *stock, const pmn_format_write_options *options);

/* A bench for one task, and back. Any thread. */
paimon_status pmn_pqw_bench_take(pmn_pqw_stock *stock, pmn_pqw_bench **out, paimon_error *err) PMN_MUST_USE;
void pmn_pqw_bench_give(pmn_pqw_stock *stock, pmn_pqw_bench *bench);

#endif
