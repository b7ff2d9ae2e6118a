/* Concatenation: arrays of one type behind each other. Of the layouts that tables are written from: offsets, not views; no dictionaries. */
#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/bitmap.h"
#include "base/checked.h"

/* Rows [first, first + count) of an array, its offset not added. */
typedef struct run_of_rows {
    const struct ArrowArray *array;
    int64_t first, count;
} run_of_rows;

typedef struct concat {
    pmn_buffer_pool *pool;
    pmn_mem *mem;
    int n; /* runs */
    int depth;
    paimon_error *err;
} concat;

static paimon_status concat_runs(const concat *c, const struct ArrowSchema *schema, const run_of_rows *runs, struct ArrowArray *out);

static int64_t rows_of_runs(const concat *c, const run_of_rows *runs)
{
    int64_t rows = 0;
    for (int i = 0; i < c->n; i++) rows += runs[i].count;
    return rows;
}

static paimon_status new_concat_buffer(const concat *c, int64_t count, size_t width, pmn_buffer **out)
{
    size_t bytes;
    *out = NULL;
    if (!pmn_mul_size((size_t)count, width, &bytes)) return pmn_fail_nomem(c->err, "Arrow buffer");
    PMN_TRY(pmn_buffer_new(c->pool, bytes, out, c->err));
    (*out)->size = bytes;
    return PAIMON_OK;
}

static const uint8_t *validity_of(const run_of_rows *run)
{
    return run->array->n_buffers > 0 && run->array->null_count != 0 ? (const uint8_t *)run->array->buffers[0] : NULL;
}

/* NULL and 0 without nulls. */
static paimon_status concat_validity(const concat *c, const run_of_rows *runs, pmn_buffer **out, int64_t *n_nulls)
{
    int64_t at = 0, rows = rows_of_runs(c, runs);
    *out = NULL;
    *n_nulls = 0;
    for (int i = 0; i < c->n; i++) {
        const uint8_t *bits = validity_of(&runs[i]);
        if (bits) *n_nulls += runs[i].count - pmn_bitmap_count(bits, runs[i].array->offset + runs[i].first, runs[i].count);
    }
    if (*n_nulls == 0) return PAIMON_OK;
    PMN_TRY(new_concat_buffer(c, (int64_t)pmn_bitmap_bytes(rows), 1, out));
    memset((*out)->data, 0, (*out)->size);
    for (int i = 0; i < c->n; at += runs[i++].count) {
        const uint8_t *bits = validity_of(&runs[i]);
        if (bits) pmn_bitmap_copy((*out)->data, at, bits, runs[i].array->offset + runs[i].first, runs[i].count);
        else pmn_bitmap_fill((*out)->data, at, runs[i].count, true);
    }
    return PAIMON_OK;
}

/* The validity and what else there is; `buffers[1]` on are owned here. */
static paimon_status finish_concat(const concat *c, const run_of_rows *runs, int n_buffers, pmn_buffer **buffers, int n_children, struct ArrowArray *out)
{
    int64_t n_nulls;
    paimon_status status = concat_validity(c, runs, &buffers[0], &n_nulls);
    if (status == PAIMON_OK) return pmn_array_new(c->mem, rows_of_runs(c, runs), n_nulls, n_buffers, buffers, n_children, out, c->err);
    for (int i = 1; i < n_buffers; i++) pmn_buffer_release(buffers[i]);
    return status;
}

static paimon_status concat_bools(const concat *c, const run_of_rows *runs, struct ArrowArray *out)
{
    pmn_buffer *buffers[2] = { NULL, NULL };
    PMN_TRY(new_concat_buffer(c, (int64_t)pmn_bitmap_bytes(rows_of_runs(c, runs)), 1, &buffers[1]));
    memset(buffers[1]->data, 0, buffers[1]->size);
    int64_t at = 0;
    for (int i = 0; i < c->n; at += runs[i++].count)
        if (runs[i].count) pmn_bitmap_copy(buffers[1]->data, at, (const uint8_t *)runs[i].array->buffers[1], runs[i].array->offset + runs[i].first, runs[i].count);
    return finish_concat(c, runs, 2, buffers, 0, out);
}

static paimon_status concat_fixed(const concat *c, const run_of_rows *runs, size_t width, struct ArrowArray *out)
{
    pmn_buffer *buffers[2] = { NULL, NULL };
    PMN_TRY(new_concat_buffer(c, rows_of_runs(c, runs), width, &buffers[1]));
    uint8_t *to = buffers[1]->data;
    for (int i = 0; i < c->n; i++) {
        size_t bytes = (size_t)runs[i].count * width;
        if (bytes) memcpy(to, (const uint8_t *)runs[i].array->buffers[1] + (size_t)(runs[i].array->offset + runs[i].first) * width, bytes);
        to += bytes;
    }
    return finish_concat(c, runs, 2, buffers, 0, out);
}

static int64_t offset_at(const struct ArrowArray *array, bool large, int64_t i)
{
    i += array->offset;
    return large ? ((const int64_t *)array->buffers[1])[i] : ((const int32_t *)array->buffers[1])[i];
}

/* New offsets from 0 on; `inner` gets the run of the child, or of the bytes, that each run stands for. */
static paimon_status concat_offsets(const concat *c, const run_of_rows *runs, bool large, pmn_buffer **out, run_of_rows *inner, int64_t *total)
{
    size_t width = large ? 8 : 4;
    int64_t row = 0;
    *total = 0;
    PMN_TRY(new_concat_buffer(c, rows_of_runs(c, runs) + 1, width, out));
    memset((*out)->data, 0, width);
    for (int i = 0; i < c->n; i++) {
        const run_of_rows *run = &runs[i];
        int64_t from = run->count ? offset_at(run->array, large, run->first) : 0;
        int64_t until = run->count ? offset_at(run->array, large, run->first + run->count) : 0, shift = *total - from;
        inner[i] = (run_of_rows){ NULL, from, until - from };
        *total += until - from;
        if (!large && *total > INT32_MAX) {
            pmn_buffer_release(*out);
            return pmn_fail(c->err, PAIMON_UNSUPPORTED, "an Arrow batch with %lld bytes or elements in one column", (long long)*total);
        }
        for (int64_t k = 1; k <= run->count; k++, row++) {
            int64_t value = offset_at(run->array, large, run->first + k) + shift;
            if (large) ((int64_t *)(void *)(*out)->data)[row + 1] = value;
            else ((int32_t *)(void *)(*out)->data)[row + 1] = (int32_t)value;
        }
    }
    return PAIMON_OK;
}

static paimon_status concat_texts(const concat *c, const run_of_rows *runs, bool large, run_of_rows *inner, struct ArrowArray *out)
{
    pmn_buffer *buffers[3] = { NULL, NULL, NULL };
    int64_t total;
    PMN_TRY(concat_offsets(c, runs, large, &buffers[1], inner, &total));
    paimon_status status = new_concat_buffer(c, total, 1, &buffers[2]);
    if (status != PAIMON_OK) {
        pmn_buffer_release(buffers[1]);
        return status;
    }
    uint8_t *to = buffers[2]->data;
    for (int i = 0; i < c->n; to += inner[i++].count)
        if (inner[i].count) memcpy(to, (const uint8_t *)runs[i].array->buffers[2] + inner[i].first, (size_t)inner[i].count);
    return finish_concat(c, runs, 3, buffers, 0, out);
}

static paimon_status concat_lists(const concat *c, const struct ArrowSchema *schema, const run_of_rows *runs, run_of_rows *inner, struct ArrowArray *out)
{
    pmn_buffer *buffers[2] = { NULL, NULL };
    int64_t total;
    struct ArrowArray child;
    concat deeper = *c;
    deeper.depth++;
    PMN_TRY(concat_offsets(c, runs, false, &buffers[1], inner, &total));
    for (int i = 0; i < c->n; i++) inner[i].array = runs[i].array->children[0];
    paimon_status status = concat_runs(&deeper, schema->children[0], inner, &child);
    if (status != PAIMON_OK) {
        pmn_buffer_release(buffers[1]);
        return status;
    }
    status = finish_concat(c, runs, 2, buffers, 1, out);
    if (status == PAIMON_OK) pmn_array_move(out->children[0], &child);
    else pmn_array_release(&child);
    return status;
}

/* Structs (`per_row` 1) and lists of a fixed size: the runs of the children follow from the rows. */
static paimon_status concat_children(const concat *c, const struct ArrowSchema *schema, const run_of_rows *runs, int64_t per_row, run_of_rows *inner,
                                     struct ArrowArray *out)
{
    pmn_buffer *buffers[1] = { NULL };
    concat deeper = *c;
    deeper.depth++;
    PMN_TRY(finish_concat(c, runs, 1, buffers, (int)schema->n_children, out));
    paimon_status status = PAIMON_OK;
    for (int64_t k = 0; k < schema->n_children && status == PAIMON_OK; k++) {
        for (int i = 0; i < c->n; i++) {
            const struct ArrowArray *array = runs[i].array;
            inner[i] = (run_of_rows){ array->children[k], (array->offset + runs[i].first) * per_row, runs[i].count * per_row };
        }
        status = concat_runs(&deeper, schema->children[k], inner, out->children[k]);
    }
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
}

static paimon_status concat_kind(const concat *c, const struct ArrowSchema *schema, const pmn_arrow_type *type, const run_of_rows *runs, run_of_rows *inner,
                                 struct ArrowArray *out)
{
    switch (type->kind) {
    case PMN_ARROW_NULL: return pmn_array_new(c->mem, rows_of_runs(c, runs), rows_of_runs(c, runs), 0, NULL, 0, out, c->err);
    case PMN_ARROW_BOOL: return concat_bools(c, runs, out);
    case PMN_ARROW_BINARY:
    case PMN_ARROW_STRING: return concat_texts(c, runs, false, inner, out);
    case PMN_ARROW_LARGE_BINARY:
    case PMN_ARROW_LARGE_STRING: return concat_texts(c, runs, true, inner, out);
    case PMN_ARROW_LIST:
    case PMN_ARROW_MAP: return concat_lists(c, schema, runs, inner, out);
    case PMN_ARROW_FIXED_LIST: return concat_children(c, schema, runs, type->width, inner, out);
    case PMN_ARROW_STRUCT: return concat_children(c, schema, runs, 1, inner, out);
    case PMN_ARROW_DECIMAL: return concat_fixed(c, runs, (size_t)type->width / 8, out);
    default:
        if (type->width > 0 && type->kind < PMN_ARROW_LIST && type->kind != PMN_ARROW_BINARY_VIEW && type->kind != PMN_ARROW_STRING_VIEW)
            return concat_fixed(c, runs, (size_t)type->width, out);
        return pmn_fail(c->err, PAIMON_UNSUPPORTED, "putting Arrow arrays of format '%s' together", schema->format);
    }
}

static paimon_status concat_runs(const concat *c, const struct ArrowSchema *schema, const run_of_rows *runs, struct ArrowArray *out)
{
    pmn_arrow_type type;
    memset(out, 0, sizeof *out);
    if (c->depth > PMN_ARROW_MAX_DEPTH) return pmn_fail(c->err, PAIMON_UNSUPPORTED, "Arrow array: nested deeper than %d", PMN_ARROW_MAX_DEPTH);
    PMN_TRY(pmn_arrow_type_parse(schema->format, &type, c->err));
    if (schema->dictionary) return pmn_fail(c->err, PAIMON_UNSUPPORTED, "putting Arrow arrays with dictionaries together");
    run_of_rows *inner = pmn_calloc(c->mem, (size_t)c->n + 1, sizeof *inner);
    if (!inner) return pmn_fail_nomem(c->err, "Arrow arrays");
    paimon_status status = concat_kind(c, schema, &type, runs, inner, out);
    pmn_free(c->mem, inner, ((size_t)c->n + 1) * sizeof *inner);
    return status;
}

paimon_status pmn_array_concat(pmn_buffer_pool *pool, const struct ArrowSchema *schema, const struct ArrowArray *const *arrays, int n_arrays,
                               struct ArrowArray *out, paimon_error *err)
{
    pmn_mem *mem = pmn_buffer_pool_mem(pool);
    concat c = { pool, mem, n_arrays, 0, err };
    memset(out, 0, sizeof *out);
    run_of_rows *runs = pmn_calloc(mem, (size_t)n_arrays + 1, sizeof *runs);
    if (!runs) return pmn_fail_nomem(err, "Arrow arrays");
    for (int i = 0; i < n_arrays; i++) runs[i] = (run_of_rows){ arrays[i], 0, arrays[i]->length };
    paimon_status status = concat_runs(&c, schema, runs, out);
    pmn_free(mem, runs, ((size_t)n_arrays + 1) * sizeof *runs);
    return status;
}
