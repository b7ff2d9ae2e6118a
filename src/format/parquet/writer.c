/* The writer: rows go to all columns, each at its own pace (write_queue.h); a row group is written when its columns hold enough.
 *
 *   PAR1 | row group: column chunks, each [dictionary page] data pages | … | column indexes | offset indexes | footer | length | PAR1
 *
 * Batches are taken in pieces, so that neither huge batches nor huge values pass the size of a row group by much: see piece_of. */
#include "format/parquet/writer.h"

#include <string.h>

#include "format/parquet/write_footer.h"
#include "format/parquet/write_queue.h"
#include "format/parquet/write_stock.h"
#include "types/row_bytes.h"

#define MAGIC "PAR1"
#define SMALLEST_COLUMN 3000 /* bytes of memory that one takes for its first few rows */
#define MOST_PIECE_ROWS 32768
#define SMALLEST_PIECE_ROWS 128

typedef struct parquet_writer {
    pmn_format_writer base;
    pmn_mem *mem; /* counted */
    pmn_arena arena;
    paimon_fs *fs;    /* counted */
    const char *path; /* in the arena */
    pmn_output *output; /* NULL until a row group is written */
    pmn_pqw_stock *stock; /* the crew's, or ours */
    bool owns_stock;
    const pmn_pqw_plan *plan; /* these are the stock's */
    const pmn_pqw_options *options;
    pmn_pqw_column *columns; /* one a leaf */
    pmn_pqw_footer footer;
    const pmn_type *row;     /* borrowed */
    int64_t rows, group_rows;
    pmn_pqw_queue queue;
    int64_t sure_size, most_since; /* what is written and held as last measured, and what may have come since */
    bool failed, finished;
    pmn_column_bounds *bounds;
} parquet_writer;

/* ---- columns ---- */

static paimon_status turn_column(parquet_writer *w, pmn_pqw_column *c, const pmn_pqw_piece *piece, paimon_error *err)
{
    pmn_pqw_bench *bench = NULL;
    PMN_TRY(pmn_pqw_bench_take(w->stock, &bench, err));
    const struct ArrowArray *batch = &piece->batch;
    paimon_status status = !batch->release ? pmn_pqw_column_close(c, bench, err)
                                           : pmn_pqw_column_write(c, bench, batch->children[c->leaf->column], batch->offset + piece->first, piece->count, piece->row, err);
    pmn_pqw_bench_give(w->stock, bench);
    return status;
}

/* Any thread's: a column and a bench of its own, nothing else of the writer that changes. */
static paimon_status take_piece(void *ctx, int32_t column, const pmn_pqw_piece *piece, pmn_pqw_held *held, paimon_error *err)
{
    parquet_writer *w = (parquet_writer *)ctx;
    pmn_pqw_column *c = &w->columns[column];
    PMN_TRY(turn_column(w, c, piece, err));
    held->bytes = pmn_pqw_column_bytes(c);
    held->loose = c->with_dictionary ? c->plain_bytes : 0;
    return PAIMON_OK;
}

/* ---- row groups ---- */

/* When there is something to write: a table may have thousands of writers that hold a few rows each. */
static paimon_status open_output(parquet_writer *w, paimon_error *err)
{
    if (w->output) return PAIMON_OK;
    PMN_TRY(pmn_output_open(w->mem, w->fs, w->path, &w->output, err));
    return pmn_output_write(w->output, MAGIC, sizeof MAGIC - 1, err);
}

static paimon_status write_blocks(parquet_writer *w, const pmn_pqw_bytes *bytes, paimon_error *err)
{
    for (const pmn_pqw_block *block = bytes->first; block; block = block->next) PMN_TRY(pmn_output_write(w->output, block->bytes, block->size, err));
    return PAIMON_OK;
}

static paimon_status flush_group(parquet_writer *w, paimon_error *err)
{
    if (w->group_rows == 0) return PAIMON_OK;
    int64_t rest = w->group_rows < w->options->page_rows ? w->group_rows : w->options->page_rows;
    PMN_TRY(pmn_pqw_queue_push(&w->queue, NULL, 0, rest, 0, 0, err));
    PMN_TRY(pmn_pqw_queue_drain(&w->queue, err));
    PMN_TRY(open_output(w, err));
    pmn_pqw_group_note group = { .rows = w->group_rows, .first_byte = pmn_output_position(w->output) };
    for (int32_t i = 0; i < w->plan->n_leaves; i++) {
        pmn_pqw_column *c = &w->columns[i];
        PMN_TRY(pmn_pqw_footer_add_chunk(&w->footer, c, pmn_output_position(w->output), err));
        PMN_TRY(write_blocks(w, &c->dictionary_page, err));
        PMN_TRY(write_blocks(w, &c->data, err));
        group.plain_bytes += c->plain_data_bytes;
        pmn_pqw_column_reset(c); /* at once: its memory may serve what comes */
    }
    group.packed_bytes = pmn_output_position(w->output) - group.first_byte;
    w->group_rows = 0;
    w->queue.held = w->queue.known = (pmn_pqw_held){ 0, 0 };
    w->sure_size = pmn_output_position(w->output);
    w->most_since = 0;
    return pmn_pqw_footer_add_group(&w->footer, &group, err);
}

/* ---- pieces ---- */

static int64_t bytes_of_piece(const parquet_writer *w, const struct ArrowArray *batch, int64_t first, int64_t count)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < w->row->n_fields; i++) bytes += pmn_row_bytes(w->row->fields[i].type, batch->children[i], batch->offset + first, count);
    return bytes;
}

/* How many of `count` rows are taken at once: few enough for the size of a row group to be met, many enough to share among threads. */
static int64_t piece_of(const parquet_writer *w, const struct ArrowArray *batch, int64_t first, int64_t count, int64_t *bytes)
{
    int64_t n = count < MOST_PIECE_ROWS ? count : MOST_PIECE_ROWS, most = w->options->group_bytes / 4;
    if (most < 4096) most = 4096;
    for (*bytes = bytes_of_piece(w, batch, first, n); n > SMALLEST_PIECE_ROWS && *bytes > most; *bytes = bytes_of_piece(w, batch, first, n)) n /= 2;
    return n;
}

/* The most that a piece can add to what is held: its values, levels, and the headers of its pages. */
static int64_t most_of_piece(const parquet_writer *w, int64_t count, int64_t bytes)
{
    int64_t pages = 2 + count / w->options->page_rows + bytes / w->options->page_bytes;
    return bytes + bytes / 4 + w->plan->n_leaves * (2 * count + 256 * pages);
}

/* ---- the interface ---- */

/* A row group ends behind the piece that fills it, whoever encodes when: so nothing is put behind a piece that may have. */
static paimon_status end_group_if_full(parquet_writer *w, paimon_error *err)
{
    bool certain;
    PMN_TRY(pmn_pqw_queue_settle(&w->queue, w->options->group_bytes, &certain, err));
    return !certain && w->queue.held.bytes >= w->options->group_bytes ? flush_group(w, err) : PAIMON_OK;
}

static paimon_status take_rows(parquet_writer *w, struct ArrowArray *batch, int64_t first, int64_t count, paimon_error *err)
{
    while (count > 0) {
        int64_t bytes, n = piece_of(w, batch, first, count, &bytes), most = most_of_piece(w, n, bytes);
        PMN_TRY(pmn_pqw_queue_push(&w->queue, batch, first, n, w->rows, most, err));
        w->rows += n;
        w->group_rows += n;
        w->most_since += most;
        first += n;
        count -= n;
        PMN_TRY(end_group_if_full(w, err));
    }
    return PAIMON_OK;
}

static paimon_status parquet_write(pmn_format_writer *base, struct ArrowArray *batch, int64_t first, int64_t count, paimon_error *err)
{
    parquet_writer *w = (parquet_writer *)base;
    if (w->failed || w->finished) return pmn_fail(err, PAIMON_STATE, "a Parquet writer that %s cannot write", w->failed ? "failed" : "is finished");
    if (batch->n_children != w->row->n_fields) return pmn_fail(err, PAIMON_INVALID, "%lld columns where %d were declared", (long long)batch->n_children, (int)w->row->n_fields);
    if (first < 0 || count < 0 || first > batch->length - count) return pmn_fail(err, PAIMON_INVALID, "rows %lld to %lld of a batch of %lld", (long long)first, (long long)(first + count), (long long)batch->length);
    paimon_status status = take_rows(w, batch, first, count, err);
    w->failed = status != PAIMON_OK;
    return status;
}

static int64_t memory_of(const parquet_writer *w)
{
    int64_t bytes = (int64_t)(sizeof *w + w->arena.total) + pmn_pqw_footer_memory(&w->footer);
    for (int32_t i = 0; i < w->plan->n_leaves; i++) {
        int64_t column = pmn_pqw_column_memory(&w->columns[i]);
        bytes += column > SMALLEST_COLUMN ? column : SMALLEST_COLUMN;
    }
    return bytes;
}

static int64_t exact_size(const parquet_writer *w)
{
    return (w->output ? pmn_output_position(w->output) : (int64_t)sizeof MAGIC - 1) + w->queue.held.bytes;
}

static paimon_status parquet_measure(pmn_format_writer *base, pmn_format_measure *out, paimon_error *err)
{
    parquet_writer *w = (parquet_writer *)base;
    if (!w->failed && !w->finished) {
        paimon_status status = pmn_pqw_queue_drain(&w->queue, err);
        w->failed = status != PAIMON_OK;
        PMN_TRY(status);
    }
    w->sure_size = exact_size(w);
    w->most_since = 0;
    *out = (pmn_format_measure){ .size_bytes = w->sure_size, .memory_bytes = memory_of(w) };
    return PAIMON_OK;
}

static int64_t parquet_most_size(const pmn_format_writer *base)
{
    const parquet_writer *w = (const parquet_writer *)base;
    return w->sure_size + w->most_since;
}

static void fill_bounds(parquet_writer *w)
{
    for (int32_t i = 0; i < w->row->n_fields; i++) {
        w->bounds[i].min.is_null = w->bounds[i].max.is_null = true;
        w->bounds[i].null_count = -1;
    }
    for (int32_t i = 0; i < w->plan->n_leaves; i++) {
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
    PMN_TRY(open_output(w, err));
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
    pmn_pqw_queue_free(&w->queue); /* first: helpers may be at work */
    pmn_output_free(w->output);
    paimon_fs_free(w->fs);
    for (int32_t i = 0; w->columns && i < w->plan->n_leaves; i++) pmn_pqw_column_free(&w->columns[i]);
    if (w->footer.plan) pmn_pqw_footer_free(&w->footer);
    pmn_arena_free(&w->arena);
    if (w->owns_stock) pmn_pqw_stock_free(w->stock);
    pmn_free(mem, w, sizeof *w);
    pmn_mem_release(mem);
}

static paimon_status parquet_flush(pmn_format_writer *base, paimon_error *err)
{
    parquet_writer *w = (parquet_writer *)base;
    if (w->failed || w->finished) return PAIMON_OK;
    paimon_status status = pmn_pqw_queue_drain(&w->queue, err);
    if (status == PAIMON_OK) status = flush_group(w, err);
    for (int32_t i = 0; status == PAIMON_OK && i < w->plan->n_leaves; i++) pmn_pqw_column_trim(&w->columns[i]);
    w->failed = status != PAIMON_OK;
    return status;
}

static const pmn_format_writer_ops parquet_writer_ops = { parquet_write, parquet_measure, parquet_most_size, parquet_flush, parquet_finish, parquet_free };

static void free_crew_stock(void *stock)
{
    pmn_pqw_stock_free((pmn_pqw_stock *)stock);
}

/* The crew's, which the first writer makes. */
static paimon_status find_stock(parquet_writer *w, const pmn_format_write_options *options, paimon_error *err)
{
    pmn_format_crew *crew = options->crew;
    bool another = crew && crew->stock && (crew->free_stock != free_crew_stock || !pmn_pqw_stock_fits(crew->stock, options));
    if (crew && crew->stock && !another) {
        w->stock = crew->stock;
    } else {
        PMN_TRY(pmn_pqw_stock_new(options, &w->stock, err));
        w->owns_stock = !crew || another;
        if (!w->owns_stock) {
            crew->stock = w->stock;
            crew->free_stock = free_crew_stock;
        }
    }
    w->plan = &w->stock->plan;
    w->options = &w->stock->options;
    return PAIMON_OK;
}

static paimon_status make_columns(parquet_writer *w, paimon_error *err)
{
    int32_t n = w->plan->n_leaves;
    pmn_pqw_column *columns = pmn_arena_calloc(&w->arena, (size_t)n + 1, sizeof *columns);
    w->bounds = pmn_arena_calloc(&w->arena, (size_t)w->row->n_fields + 1, sizeof *w->bounds);
    if (!columns || !w->bounds) return pmn_fail_nomem(err, "a Parquet writer");
    for (int32_t i = 0; i < n; i++) pmn_pqw_column_init(&columns[i], w->mem, &w->plan->leaves[i], w->options, &w->stock->own[i]);
    w->columns = columns;
    return PAIMON_OK;
}

paimon_status pmn_parquet_create(const pmn_format_write_options *options, pmn_format_writer **out, paimon_error *err)
{
    *out = NULL;
    parquet_writer *w = pmn_calloc(options->mem, 1, sizeof *w);
    if (!w) return pmn_fail_nomem(err, "a Parquet writer");
    w->base.ops = &parquet_writer_ops;
    w->mem = pmn_mem_retain(options->mem);
    w->row = options->row;
    w->fs = paimon_fs_retain(options->fs);
    w->sure_size = sizeof MAGIC - 1;
    pmn_arena_init(&w->arena, w->mem);
    paimon_status status;
    PMN_GOTO(status, find_stock(w, options, err), failed);
    pmn_pqw_footer_init(&w->footer, w->mem, w->plan);
    PMN_GOTO(status, make_columns(w, err), failed);
    w->path = pmn_arena_copy(&w->arena, options->path, strlen(options->path) + 1);
    PMN_GOTO(status, w->path ? PAIMON_OK : pmn_fail_nomem(err, "a file's path"), failed);
    PMN_GOTO(status, pmn_pqw_queue_init(&w->queue, w->mem, w->plan->n_leaves, options->executor, options->n_threads, options->crew ? &options->crew->helping : NULL, take_piece, w, err), failed);
    *out = &w->base;
    return PAIMON_OK;
failed:
    parquet_free(&w->base);
    return status;
}
