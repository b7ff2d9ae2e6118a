/* The writer: rows go to all columns at once, each column a task; a row group is written when its columns hold enough.
 *
 *   PAR1 | row group: column chunks, each [dictionary page] data pages | … | column indexes | offset indexes | footer | length | PAR1
 *
 * Batches are taken in pieces, so that neither huge batches nor huge values pass the size of a row group by much: see piece_of. */
#include "format/parquet/writer.h"

#include <pthread.h>
#include <string.h>

#include "format/parquet/write_footer.h"

#define MAGIC "PAR1"
#define MOST_PIECE_ROWS 65536
#define SMALLEST_PIECE_ROWS 128
#define FEWEST_PARALLEL_VALUES 8192 /* below, waking another thread costs more than it does */
#define MOST_DEPTH PMN_TYPE_MAX_DEPTH

typedef struct parquet_writer {
    pmn_format_writer base;
    pmn_mem *mem; /* counted */
    pmn_arena arena;
    pmn_output *output;
    pmn_pqw_plan plan;
    pmn_pqw_options options;
    pmn_pqw_column *columns; /* one a leaf */
    int32_t *order;          /* of leaves: the dear ones first */
    pmn_pqw_footer footer;
    pmn_executor *executor;  /* borrowed */
    int32_t n_threads;
    const pmn_type *row;     /* borrowed */
    int64_t rows, group_rows;
    int64_t held_bytes;
    bool failed, finished;
    pmn_column_bounds *bounds;
    pthread_mutex_t bench_lock;
    pmn_pqw_bench *benches; /* those that nobody uses */
} parquet_writer;

/* ---- benches ---- */

static void free_bench(parquet_writer *w, pmn_pqw_bench *bench)
{
    for (size_t i = 0; i < sizeof bench->compressors / sizeof *bench->compressors; i++) pmn_compressor_free(bench->compressors[i]);
    pmn_buf_free(&bench->header);
    pmn_buf_free(&bench->plain);
    pmn_buf_free(&bench->packed);
    pmn_pqw_shred_free(&bench->shred);
    pmn_free(w->mem, bench, sizeof *bench);
}

static paimon_status take_bench(parquet_writer *w, pmn_pqw_bench **out, paimon_error *err)
{
    pthread_mutex_lock(&w->bench_lock);
    pmn_pqw_bench *bench = w->benches;
    if (bench) w->benches = bench->next;
    pthread_mutex_unlock(&w->bench_lock);
    if (!bench) {
        bench = pmn_calloc(w->mem, 1, sizeof *bench);
        if (!bench) return pmn_fail_nomem(err, "a Parquet writer");
        pmn_buf_init(&bench->header, w->mem, PMN_BUF_NO_CEILING);
        pmn_buf_init(&bench->plain, w->mem, PMN_BUF_NO_CEILING);
        pmn_buf_init(&bench->packed, w->mem, PMN_BUF_NO_CEILING);
        pmn_pqw_shred_init(&bench->shred, w->mem);
    }
    *out = bench;
    return PAIMON_OK;
}

static void give_bench(parquet_writer *w, pmn_pqw_bench *bench)
{
    pthread_mutex_lock(&w->bench_lock);
    bench->next = w->benches;
    w->benches = bench;
    pthread_mutex_unlock(&w->bench_lock);
}

/* ---- all columns ---- */

/* One pass over the columns: rows for each, or the end of the row group if there is no batch. */
typedef struct column_pass {
    parquet_writer *w;
    const struct ArrowArray *batch;
    int64_t first, count;
    pthread_mutex_t lock;
    int32_t failed_leaf; /* the first in the order of the columns, so that the error does not depend on threads */
    paimon_status status;
    paimon_error *err;
} column_pass;

static void note_failure(column_pass *pass, int32_t leaf, paimon_status status, paimon_error *err)
{
    pthread_mutex_lock(&pass->lock);
    if (pass->status == PAIMON_OK || leaf < pass->failed_leaf) {
        pass->status = status;
        pass->failed_leaf = leaf;
        pmn_error_move(pass->err, err);
    }
    pthread_mutex_unlock(&pass->lock);
    paimon_error_clear(err);
}

static paimon_status pass_column(column_pass *pass, pmn_pqw_column *c, pmn_pqw_bench *bench, paimon_error *err)
{
    if (!pass->batch) return pmn_pqw_column_close(c, bench, err);
    return pmn_pqw_column_write(c, bench, pass->batch->children[c->leaf->column], pass->batch->offset + pass->first, pass->count, pass->w->rows, err);
}

static void run_column(void *ctx, int i)
{
    column_pass *pass = (column_pass *)ctx;
    parquet_writer *w = pass->w;
    int32_t leaf = w->order[i];
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_pqw_bench *bench = NULL;
    paimon_status status = take_bench(w, &bench, &err);
    if (status == PAIMON_OK) {
        status = pass_column(pass, &w->columns[leaf], bench, &err);
        give_bench(w, bench);
    }
    if (status != PAIMON_OK) note_failure(pass, leaf, status, &err);
}

static void sort_by_cost(parquet_writer *w)
{
    for (int32_t i = 1; i < w->plan.n_leaves; i++) { /* nearly sorted from the last time */
        int32_t leaf = w->order[i], at = i;
        for (; at > 0 && w->columns[w->order[at - 1]].cost < w->columns[leaf].cost; at--) w->order[at] = w->order[at - 1];
        w->order[at] = leaf;
    }
}

static paimon_status run_columns(parquet_writer *w, const struct ArrowArray *batch, int64_t first, int64_t count, paimon_error *err)
{
    column_pass pass = { .w = w, .batch = batch, .first = first, .count = count, .err = err };
    bool parallel = w->n_threads > 1 && (!batch || count * w->plan.n_leaves >= FEWEST_PARALLEL_VALUES);
    if (pthread_mutex_init(&pass.lock, NULL) != 0) return pmn_fail_nomem(err, "a lock");
    sort_by_cost(w);
    pmn_parallel_for(parallel ? w->executor : NULL, parallel ? w->n_threads : 1, w->plan.n_leaves, run_column, &pass);
    pthread_mutex_destroy(&pass.lock);
    w->held_bytes = 0;
    for (int32_t i = 0; i < w->plan.n_leaves; i++) w->held_bytes += pmn_pqw_column_bytes(&w->columns[i]);
    return pass.status;
}

/* ---- row groups ---- */

static paimon_status write_blocks(parquet_writer *w, const pmn_pqw_bytes *bytes, paimon_error *err)
{
    for (const pmn_pqw_block *block = bytes->first; block; block = block->next) PMN_TRY(pmn_output_write(w->output, block->bytes, block->size, err));
    return PAIMON_OK;
}

static paimon_status flush_group(parquet_writer *w, paimon_error *err)
{
    pmn_pqw_group_note group = { .rows = w->group_rows, .first_byte = pmn_output_position(w->output) };
    if (w->group_rows == 0) return PAIMON_OK;
    PMN_TRY(run_columns(w, NULL, 0, 0, err));
    for (int32_t i = 0; i < w->plan.n_leaves; i++) {
        pmn_pqw_column *c = &w->columns[i];
        PMN_TRY(pmn_pqw_footer_add_chunk(&w->footer, c, pmn_output_position(w->output), err));
        PMN_TRY(write_blocks(w, &c->dictionary_page, err));
        PMN_TRY(write_blocks(w, &c->data, err));
        group.plain_bytes += c->plain_data_bytes;
        pmn_pqw_column_reset(c); /* at once: its memory may serve what comes */
    }
    group.packed_bytes = pmn_output_position(w->output) - group.first_byte;
    w->group_rows = w->held_bytes = 0;
    return pmn_pqw_footer_add_group(&w->footer, &group, err);
}

/* ---- pieces ---- */

/* About what rows [first, first + count) take, the array's offset not added: text and lists by their offsets. */
static int64_t bytes_of_rows(const pmn_type *type, const struct ArrowArray *a, int64_t first, int64_t count, int depth)
{
    int64_t from = a->offset + first, bytes = count / 8;
    if (count == 0 || depth > MOST_DEPTH) return 0;
    switch (type->kind) {
    case PMN_BLOB: return bytes + 4 * count + ((const int64_t *)a->buffers[1])[from + count] - ((const int64_t *)a->buffers[1])[from];
    case PMN_ROW:
    case PMN_VARIANT:
        for (int64_t i = 0; i < a->n_children && type->kind == PMN_ROW; i++) bytes += bytes_of_rows(type->fields[i].type, a->children[i], from, count, depth + 1);
        return bytes + (type->kind == PMN_VARIANT ? 64 * count : 0);
    case PMN_VECTOR: return bytes + bytes_of_rows(type->fields[0].type, a->children[0], from * type->length, count * type->length, depth + 1);
    case PMN_ARRAY:
    case PMN_MAP:
    case PMN_MULTISET: {
        int64_t start = ((const int32_t *)a->buffers[1])[from], n = ((const int32_t *)a->buffers[1])[from + count] - start;
        if (type->kind == PMN_ARRAY) return bytes + bytes_of_rows(type->fields[0].type, a->children[0], start, n, depth + 1);
        const struct ArrowArray *entries = a->children[0];
        for (int32_t i = 0; i < type->n_fields; i++) bytes += bytes_of_rows(type->fields[i].type, entries->children[i], entries->offset + start, n, depth + 1);
        return bytes;
    }
    default:
        if (pmn_type_is_text(type) || pmn_type_is_bytes(type)) return bytes + 4 * count + ((const int32_t *)a->buffers[1])[from + count] - ((const int32_t *)a->buffers[1])[from];
        return bytes + 8 * count;
    }
}

/* How many of `count` rows are taken at once: few enough for the size of a row group to be met, many enough to share among threads. */
static int64_t piece_of(const parquet_writer *w, const struct ArrowArray *batch, int64_t first, int64_t count)
{
    int64_t n = count < MOST_PIECE_ROWS ? count : MOST_PIECE_ROWS, most = w->options.group_bytes / 4;
    if (most < 4096) most = 4096;
    while (n > SMALLEST_PIECE_ROWS) {
        int64_t bytes = 0;
        for (int32_t i = 0; i < w->row->n_fields; i++) bytes += bytes_of_rows(w->row->fields[i].type, batch->children[i], batch->offset + first, n, 0);
        if (bytes <= most) break;
        n /= 2;
    }
    return n;
}

/* ---- the interface ---- */

static paimon_status take_rows(parquet_writer *w, const struct ArrowArray *batch, int64_t first, int64_t count, paimon_error *err)
{
    while (count > 0) {
        int64_t n = piece_of(w, batch, first, count);
        PMN_TRY(run_columns(w, batch, first, n, err));
        w->rows += n;
        w->group_rows += n;
        first += n;
        count -= n;
        if (w->held_bytes >= w->options.group_bytes) PMN_TRY(flush_group(w, err));
    }
    return PAIMON_OK;
}

static paimon_status parquet_write(pmn_format_writer *base, const struct ArrowArray *batch, int64_t first, int64_t count, paimon_error *err)
{
    parquet_writer *w = (parquet_writer *)base;
    if (w->failed || w->finished) return pmn_fail(err, PAIMON_STATE, "a Parquet writer that %s cannot write", w->failed ? "failed" : "is finished");
    if (batch->n_children != w->row->n_fields) return pmn_fail(err, PAIMON_INVALID, "%lld columns where %d were declared", (long long)batch->n_children, (int)w->row->n_fields);
    if (first < 0 || count < 0 || first > batch->length - count) return pmn_fail(err, PAIMON_INVALID, "rows %lld to %lld of a batch of %lld", (long long)first, (long long)(first + count), (long long)batch->length);
    paimon_status status = take_rows(w, batch, first, count, err);
    w->failed = status != PAIMON_OK;
    return status;
}

static int64_t parquet_written_size(const pmn_format_writer *base)
{
    const parquet_writer *w = (const parquet_writer *)base;
    return (w->output ? pmn_output_position(w->output) : 0) + w->held_bytes;
}

static void fill_bounds(parquet_writer *w)
{
    for (int32_t i = 0; i < w->row->n_fields; i++) {
        w->bounds[i].min.is_null = w->bounds[i].max.is_null = true;
        w->bounds[i].null_count = -1;
    }
    for (int32_t i = 0; i < w->plan.n_leaves; i++) {
        const pmn_pqw_column *c = &w->columns[i];
        pmn_column_bounds *b = &w->bounds[c->leaf->column];
        if (c->leaf->n_steps != 1) continue;
        b->null_count = c->file_nulls;
        b->min = pmn_pqw_range_datum(&c->file_range, c->leaf, false);
        b->max = pmn_pqw_range_datum(&c->file_range, c->leaf, true);
    }
}

static paimon_status finish_file(parquet_writer *w, pmn_format_written *out, paimon_error *err)
{
    PMN_TRY(flush_group(w, err));
    PMN_TRY(pmn_pqw_footer_write(&w->footer, w->output, w->rows, err));
    out->size_bytes = pmn_output_position(w->output);
    PMN_TRY(pmn_output_finish(w->output, err));
    fill_bounds(w);
    out->rows = w->rows;
    out->bounds = w->bounds;
    return PAIMON_OK;
}

static paimon_status parquet_finish(pmn_format_writer *base, pmn_format_written *out, paimon_error *err)
{
    parquet_writer *w = (parquet_writer *)base;
    memset(out, 0, sizeof *out);
    if (w->failed || w->finished) return pmn_fail(err, PAIMON_STATE, "a Parquet writer that %s cannot finish", w->failed ? "failed" : "is finished");
    paimon_status status = finish_file(w, out, err);
    w->failed = status != PAIMON_OK;
    w->finished = !w->failed;
    return status;
}

static void parquet_free(pmn_format_writer *base)
{
    parquet_writer *w = (parquet_writer *)base;
    pmn_mem *mem = w->mem;
    pmn_output_free(w->output);
    for (int32_t i = 0; w->columns && i < w->plan.n_leaves; i++) pmn_pqw_column_free(&w->columns[i]);
    for (pmn_pqw_bench *bench = w->benches, *next; bench; bench = next) {
        next = bench->next;
        free_bench(w, bench);
    }
    pmn_pqw_footer_free(&w->footer);
    pmn_arena_free(&w->arena);
    pthread_mutex_destroy(&w->bench_lock);
    pmn_free(mem, w, sizeof *w);
    pmn_mem_release(mem);
}

static const pmn_format_writer_ops parquet_writer_ops = { parquet_write, parquet_written_size, parquet_finish, parquet_free };

static paimon_status make_columns(parquet_writer *w, const pmn_format_write_options *options, paimon_error *err)
{
    int32_t n = w->plan.n_leaves;
    pmn_pqw_column *columns = pmn_arena_calloc(&w->arena, (size_t)n, sizeof *columns);
    pmn_pqw_column_options *own = pmn_arena_calloc(&w->arena, (size_t)n, sizeof *own);
    w->order = pmn_arena_calloc(&w->arena, (size_t)n, sizeof *w->order);
    w->bounds = pmn_arena_calloc(&w->arena, (size_t)w->row->n_fields, sizeof *w->bounds);
    if (!columns || !own || !w->order || !w->bounds) return pmn_fail_nomem(err, "a Parquet writer");
    for (int32_t i = 0; i < n; i++) PMN_TRY(pmn_pqw_column_options_read(options, w->plan.leaves[i].path, &own[i], err));
    for (int32_t i = 0; i < n; i++) {
        w->order[i] = i;
        pmn_pqw_column_init(&columns[i], w->mem, &w->plan.leaves[i], &w->options, &own[i]);
    }
    w->columns = columns;
    return PAIMON_OK;
}

paimon_status pmn_parquet_create(const pmn_format_write_options *options, pmn_format_writer **out, paimon_error *err)
{
    *out = NULL;
    parquet_writer *w = pmn_calloc(options->mem, 1, sizeof *w);
    if (!w) return pmn_fail_nomem(err, "a Parquet writer");
    if (pthread_mutex_init(&w->bench_lock, NULL) != 0) {
        pmn_free(options->mem, w, sizeof *w);
        return pmn_fail_nomem(err, "a lock");
    }
    w->base.ops = &parquet_writer_ops;
    w->mem = pmn_mem_retain(options->mem);
    w->row = options->row;
    w->executor = options->executor;
    w->n_threads = options->executor ? options->n_threads : 1;
    pmn_arena_init(&w->arena, w->mem);
    pmn_pqw_footer_init(&w->footer, w->mem, &w->plan);
    paimon_status status;
    PMN_GOTO(status, pmn_pqw_options_read(options, &w->options, err), failed);
    PMN_GOTO(status, pmn_pqw_plan_make(&w->arena, options->row, &w->plan, err), failed);
    PMN_GOTO(status, make_columns(w, options, err), failed);
    PMN_GOTO(status, pmn_output_open(w->mem, options->fs, options->path, &w->output, err), failed);
    PMN_GOTO(status, pmn_output_write(w->output, MAGIC, 4, err), failed);
    *out = &w->base;
    return PAIMON_OK;
failed:
    parquet_free(&w->base);
    return status;
}
