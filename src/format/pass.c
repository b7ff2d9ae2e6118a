/* A pass over a file: see pass.h. */
#include "format/pass.h"

#include <string.h>

#include "arrow/array.h"
#include "base/bitmap.h"
#include "format/leaf_out.h"

#define WINDOW_ROWS 16384
#define MOST_ROWS_AT_ONCE 131072

typedef struct pass {
    pmn_format_reader base; /* first */
    pmn_pass_file file;
    pmn_mem *mem;
    pmn_buffer_pool *pool; /* counted */
    pmn_arena arena;
    struct ArrowSchema schema; /* of the batches */
    pmn_want want;
    pmn_row_ranges ranges; /* the caller's */
    bool has_ranges;
    bool want_positions;
    int64_t batch_rows;
    int64_t rows_at_once; /* without a filter */
    pmn_read_filter filter;
    /* progress */
    int32_t group;       /* the next one */
    pmn_row_ranges keep; /* of the current group: file rows */
    int32_t keep_at;
    int64_t keep_row;    /* rows of keep.items[keep_at] that are behind */
    int32_t keep_group;
    pmn_rowset window; /* rows whose filter columns are decoded */
    pmn_rowset rows;   /* rows whose columns are decoded */
    pmn_rowset_at numbered;
    pmn_colset filter_set;
    pmn_colset set;
    uint8_t *selected;
    size_t selected_capacity;
    int64_t *positions;
    size_t positions_capacity;
    pmn_format_metrics metrics;
} pass;

static void pass_free(pmn_format_reader *base)
{
    pass *r = (pass *)base;
    pmn_colset_free(&r->filter_set);
    pmn_colset_free(&r->set);
    pmn_rowset_free(&r->window);
    pmn_rowset_free(&r->rows);
    pmn_row_ranges_free(&r->ranges);
    pmn_row_ranges_free(&r->keep);
    pmn_schema_release(&r->schema);
    pmn_free(r->mem, r->selected, r->selected_capacity);
    pmn_free(r->mem, r->positions, r->positions_capacity);
    pmn_arena_free(&r->arena);
    pmn_buffer_pool_release(r->pool);
    pmn_mem *mem = r->mem;
    if (r->file.ctx) r->file.ops->free(r->file.ctx);
    pmn_free(mem, r, sizeof *r);
    pmn_mem_release(mem);
}

static const struct ArrowSchema *pass_schema(pmn_format_reader *base) { return &((pass *)base)->schema; }

static void pass_metrics(const pmn_format_reader *base, pmn_format_metrics *out)
{
    const pass *r = (const pass *)base;
    *out = r->metrics;
    out->bytes_read = pmn_colset_bytes_read(&r->set) + pmn_colset_bytes_read(&r->filter_set);
}

/* The rows to read of the next row group that has any; `*end` when there is none. */
static paimon_status next_group(pass *r, bool *end, paimon_error *err)
{
    *end = false;
    while (r->group < r->file.n_groups) {
        int32_t g = r->group++;
        pmn_row_range all;
        r->file.ops->group(r->file.ctx, g, &all.first, &all.count);
        pmn_row_ranges_clear(&r->keep);
        r->keep_at = 0;
        r->keep_row = 0;
        r->keep_group = g;
        if (all.count == 0) continue;
        if (r->has_ranges) {
            PMN_TRY(pmn_row_ranges_intersect(&all, 1, r->ranges.items, r->ranges.n, &r->keep, err));
        } else {
            PMN_TRY(pmn_row_ranges_add(&r->keep, all.first, all.count, err));
        }
        int64_t asked = pmn_row_ranges_count(&r->keep);
        r->metrics.rows_total += asked;
        if (asked > 0 && r->filter.none) {
            pmn_row_ranges_clear(&r->keep);
            r->metrics.rows_skipped_stats += asked;
            continue;
        }
        if (asked > 0 && r->file.ops->open) PMN_TRY(r->file.ops->open(r->file.ctx, g, err));
        if (asked > 0 && r->filter.pred) {
            pmn_row_ranges may, both;
            pmn_row_ranges_init(&may, r->mem);
            pmn_row_ranges_init(&both, r->mem);
            paimon_status status = r->file.ops->prune(r->file.ctx, g, &r->filter, &may, err);
            if (status == PAIMON_OK) status = pmn_row_ranges_intersect(may.items, may.n, r->keep.items, r->keep.n, &both, err);
            pmn_row_ranges_free(&may);
            pmn_row_ranges_free(&r->keep);
            r->keep = both;
            PMN_TRY(status);
            r->metrics.rows_skipped_stats += asked - pmn_row_ranges_count(&r->keep);
        }
        if (r->keep.n > 0) return PAIMON_OK;
    }
    *end = true;
    return PAIMON_OK;
}

static int64_t first_of_group(const void *ctx, int32_t group)
{
    const pass *r = ctx;
    int64_t first, n;
    r->file.ops->group(r->file.ctx, group, &first, &n);
    return first;
}

/* Append up to `n` of the rows to come to `out`. */
static paimon_status take_rows(pass *r, int64_t n, pmn_rowset *out, paimon_error *err)
{
    while (n > 0) {
        if (r->keep_at == r->keep.n) {
            bool end;
            PMN_TRY(next_group(r, &end, err));
            if (end) return PAIMON_OK;
        }
        const pmn_row_range *range = &r->keep.items[r->keep_at];
        int64_t m = range->count - r->keep_row < n ? range->count - r->keep_row : n;
        int64_t group_first = first_of_group(r, r->keep_group);
        PMN_TRY(pmn_rowset_add(out, r->keep_group, range->first + r->keep_row - group_first, m, err));
        r->keep_row += m;
        n -= m;
        if (r->keep_row == range->count) {
            r->keep_at++;
            r->keep_row = 0;
        }
    }
    return PAIMON_OK;
}

/* Decode the filter's columns for the rows in `window` and append those that meet it to `rows`. */
static paimon_status filter_window(pass *r, paimon_error *err)
{
    pmn_rowset_at at = { 0, 0 };
    pmn_colset_begin(&r->filter_set, &r->window);
    while (pmn_colset_left(&r->filter_set) > 0) {
        struct ArrowArray array;
        int64_t n_selected;
        PMN_TRY(pmn_colset_next(&r->filter_set, WINDOW_ROWS, &array, err));
        int64_t n = array.length;
        paimon_status status = pmn_scratch(r->mem, &r->selected, &r->selected_capacity, pmn_bitmap_bytes(n), false, err);
        if (status == PAIMON_OK) status = pmn_read_filter_eval(&r->filter, &array, r->mem, r->selected, &n_selected, err);
        pmn_array_release(&array);
        PMN_TRY(status);
        r->metrics.rows_decoded += n;
        PMN_TRY(pmn_rowset_select(&r->window, &at, r->selected, n, &r->rows, err));
    }
    return PAIMON_OK;
}

/* Nothing is chosen at the moment: what comes next is of the current group or behind it. */
static void close_groups(pass *r)
{
    if (r->file.ops->close && r->group > 0) r->file.ops->close(r->file.ctx, r->keep_group);
}

/* Choose the rows to decode next; none at the end. */
static paimon_status choose_rows(pass *r, paimon_error *err)
{
    pmn_rowset_clear(&r->rows);
    r->numbered.item = r->numbered.row = 0;
    close_groups(r);
    if (!r->filter.pred) {
        int64_t at_once = r->rows_at_once;
        PMN_TRY(take_rows(r, at_once, &r->rows, err));
        r->metrics.rows_decoded += r->rows.n;
    } else {
        int64_t enough = r->batch_rows < MOST_ROWS_AT_ONCE ? r->batch_rows : MOST_ROWS_AT_ONCE;
        /* A window more might be too many for one batch: better a batch that is not full than a small one behind it. */
        while (r->rows.n == 0 || r->rows.n < enough - WINDOW_ROWS || r->rows.n < enough / 2) {
            pmn_rowset_clear(&r->window);
            if (r->rows.n == 0) close_groups(r);
            PMN_TRY(take_rows(r, WINDOW_ROWS, &r->window, err));
            if (r->window.n == 0) break;
            PMN_TRY(filter_window(r, err));
        }
    }
    pmn_colset_begin(&r->set, &r->rows);
    return PAIMON_OK;
}

/* File rows of the batch. */
static paimon_status number_rows(pass *r, int64_t n, pmn_format_batch *batch, paimon_error *err)
{
    uint8_t *buffer = (uint8_t *)r->positions;
    pmn_rowset_at at = r->numbered;
    pmn_rowset_number(&r->rows, &at, 1, first_of_group, r, &batch->first_row);
    at = r->numbered;
    if (!r->want_positions) {
        /* Move on without writing numbers down. */
        for (int64_t left = n; left > 0;) {
            int64_t m = r->rows.items[at.item].n - at.row < left ? r->rows.items[at.item].n - at.row : left;
            at.row += m;
            left -= m;
            if (at.row == r->rows.items[at.item].n) {
                at.item++;
                at.row = 0;
            }
        }
        r->numbered = at;
        return PAIMON_OK;
    }
    paimon_status status = pmn_scratch(r->mem, &buffer, &r->positions_capacity, (size_t)n * sizeof *r->positions, false, err);
    r->positions = (int64_t *)(void *)buffer;
    PMN_TRY(status);
    pmn_rowset_number(&r->rows, &r->numbered, n, first_of_group, r, r->positions);
    batch->positions = r->positions;
    return PAIMON_OK;
}

static paimon_status make_batch(pass *r, pmn_format_batch *batch, paimon_error *err)
{
    if (pmn_colset_left(&r->set) == 0) {
        PMN_TRY(choose_rows(r, err));
        if (r->rows.n == 0) return PAIMON_OK;
    }
    PMN_TRY(pmn_colset_next(&r->set, r->batch_rows, &batch->array, err));
    r->metrics.rows_returned += batch->array.length;
    paimon_status status = number_rows(r, batch->array.length, batch, err);
    if (status != PAIMON_OK) pmn_array_release(&batch->array);
    return status;
}

static paimon_status pass_next(pmn_format_reader *base, pmn_format_batch *batch, paimon_error *err)
{
    pass *r = (pass *)base;
    memset(batch, 0, sizeof *batch);
    paimon_status status = make_batch(r, batch, err);
    if (status != PAIMON_OK) {
        batch->array.release = NULL;
        pmn_error_prefix(err, "%s", r->file.path);
    }
    return status;
}

static const pmn_format_reader_ops pass_ops = { pass_schema, pass_next, pass_metrics, pass_free };

static paimon_status init_columns(pass *r, const pmn_format_read_options *options, const pmn_want *want, const bool *use, pmn_colset *set, paimon_error *err)
{
    PMN_TRY(pmn_colset_init(set, r->mem, r->pool, options->executor, options->n_threads, r->file.ops->column, want, use, err));
    PMN_TRY(r->file.ops->columns(r->file.ctx, set, &r->arena, err));
    return pmn_colset_ready(set, &r->arena, err);
}

/* Rows of wide fixed-length values take their width even where they are null, so a few bytes of file could ask for very much memory. */
static int64_t rows_that_fit(const pmn_want *want, int64_t rows)
{
    if (want->field && want->type.kind == PMN_ARROW_FIXED_BINARY && want->type.width > 0) {
        int64_t most = PMN_BATCH_BYTES / want->type.width;
        if (most < rows) rows = most > 0 ? most : 1;
    }
    for (int32_t i = 0; i < want->n_children; i++) rows = rows_that_fit(&want->children[i], rows);
    return rows;
}

static paimon_status init_pass(pass *r, const pmn_format_read_options *options, paimon_error *err)
{
    const pmn_pass_file *f = &r->file;
    PMN_TRY(options->schema ? pmn_schema_copy(r->mem, options->schema, &r->schema, err) : f->ops->schema(f->ctx, &r->schema, err));
    PMN_TRY(pmn_match(&r->arena, f->fields, f->n_fields, &r->schema, f->case_insensitive, &r->want, err));
    r->batch_rows = rows_that_fit(&r->want, r->batch_rows);
    PMN_TRY(init_columns(r, options, &r->want, NULL, &r->set, err));
    PMN_TRY(pmn_read_filter_init(&r->filter, &r->arena, options->filter, options->filter_schema, f->fields, f->n_fields, f->case_insensitive, err));
    if (r->filter.pred) PMN_TRY(init_columns(r, options, &r->filter.want, r->filter.used, &r->filter_set, err));
    r->rows_at_once = pmn_colset_rows_at_once(&r->set, r->batch_rows);
    r->has_ranges = options->ranges != NULL;
    return pmn_row_ranges_take(&r->ranges, options->ranges, options->ranges ? options->n_ranges : 0, err);
}

paimon_status pmn_pass_new(const pmn_pass_file *file, const pmn_format_read_options *options, pmn_format_reader **out, paimon_error *err)
{
    *out = NULL;
    pass *r = (pass *)pmn_calloc(file->mem, 1, sizeof *r);
    if (!r) {
        file->ops->free(file->ctx);
        return pmn_fail_nomem(err, "a reader");
    }
    r->base.ops = &pass_ops;
    r->file = *file;
    r->mem = pmn_mem_retain(file->mem);
    r->pool = pmn_buffer_pool_retain(options->pool);
    r->batch_rows = options->batch_rows;
    r->want_positions = options->want_positions;
    pmn_arena_init(&r->arena, r->mem);
    pmn_row_ranges_init(&r->ranges, r->mem);
    pmn_row_ranges_init(&r->keep, r->mem);
    pmn_rowset_init(&r->window, r->mem);
    pmn_rowset_init(&r->rows, r->mem);
    paimon_status status = options->batch_rows > 0 ? init_pass(r, options, err) : pmn_fail(err, PAIMON_INVALID, "a batch of %lld rows", (long long)options->batch_rows);
    if (status != PAIMON_OK) {
        pmn_error_prefix(err, "%s", r->file.path);
        pass_free(&r->base);
        return status;
    }
    *out = &r->base;
    return PAIMON_OK;
}
