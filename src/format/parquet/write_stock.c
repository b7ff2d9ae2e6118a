#include "format/parquet/write_stock.h"

/* ---- benches ---- */

static void free_bench(pmn_pqw_stock *stock, pmn_pqw_bench *bench)
{
    for (size_t i = 0; i < sizeof bench->compressors / sizeof *bench->compressors; i++) pmn_compressor_free(bench->compressors[i]);
    pmn_buf_free(&bench->header);
    pmn_buf_free(&bench->plain);
    pmn_buf_free(&bench->packed);
    pmn_pqw_shred_free(&bench->shred);
    pmn_free(stock->mem, bench, sizeof *bench);
}

paimon_status pmn_pqw_bench_take(pmn_pqw_stock *stock, pmn_pqw_bench **out, paimon_error *err)
{
    pthread_mutex_lock(&stock->lock);
    pmn_pqw_bench *bench = stock->benches;
    if (bench) stock->benches = bench->next;
    pthread_mutex_unlock(&stock->lock);
    if (!bench) {
        bench = pmn_calloc(stock->mem, 1, sizeof *bench);
        if (!bench) return pmn_fail_nomem(err, "a Parquet writer");
        pmn_buf_init(&bench->header, stock->mem, PMN_BUF_NO_CEILING);
        pmn_buf_init(&bench->plain, stock->mem, PMN_BUF_NO_CEILING);
        pmn_buf_init(&bench->packed, stock->mem, PMN_BUF_NO_CEILING);
        pmn_pqw_shred_init(&bench->shred, stock->mem);
    }
    *out = bench;
    return PAIMON_OK;
}

void pmn_pqw_bench_give(pmn_pqw_stock *stock, pmn_pqw_bench *bench)
{
    pthread_mutex_lock(&stock->lock);
    bench->next = stock->benches;
    stock->benches = bench;
    pthread_mutex_unlock(&stock->lock);
}

/* ---- the stock ---- */

static paimon_status fill_stock(pmn_pqw_stock *stock, const pmn_format_write_options *options, paimon_error *err)
{
    PMN_TRY(pmn_pqw_options_read(options, &stock->options, err));
    PMN_TRY(pmn_pqw_plan_make(&stock->arena, options->row, &stock->plan, err));
    stock->own = pmn_arena_calloc(&stock->arena, (size_t)stock->plan.n_leaves + 1, sizeof *stock->own);
    if (!stock->own) return pmn_fail_nomem(err, "a Parquet writer");
    for (int32_t i = 0; i < stock->plan.n_leaves; i++) PMN_TRY(pmn_pqw_column_options_read(options, stock->plan.leaves[i].path, &stock->own[i], err));
    return PAIMON_OK;
}

paimon_status pmn_pqw_stock_new(const pmn_format_write_options *options, pmn_pqw_stock **out, paimon_error *err)
{
    pmn_pqw_stock *stock = pmn_calloc(options->mem, 1, sizeof *stock);
    if (!stock) return pmn_fail_nomem(err, "a Parquet writer");
    if (pthread_mutex_init(&stock->lock, NULL) != 0) {
        pmn_free(options->mem, stock, sizeof *stock);
        return pmn_fail_nomem(err, "a lock");
    }
    stock->mem = pmn_mem_retain(options->mem);
    stock->row = options->row;
    stock->get = options->get;
    stock->options_ctx = options->options_ctx;
    pmn_arena_init(&stock->arena, stock->mem);
    paimon_status status = fill_stock(stock, options, err);
    if (status == PAIMON_OK) *out = stock;
    else pmn_pqw_stock_free(stock);
    return status;
}

void pmn_pqw_stock_free(pmn_pqw_stock *stock)
{
    if (!stock) return;
    pmn_mem *mem = stock->mem;
    for (pmn_pqw_bench *bench = stock->benches, *next; bench; bench = next) {
        next = bench->next;
        free_bench(stock, bench);
    }
    pmn_arena_free(&stock->arena);
    pthread_mutex_destroy(&stock->lock);
    pmn_free(mem, stock, sizeof *stock);
    pmn_mem_release(mem);
}

bool pmn_pqw_stock_fits(const pmn_pqw_stock *stock, const pmn_format_write_options *options)
{
    return stock->row == options->row && stock->get == options->get && stock->options_ctx == options->options_ctx;
}
