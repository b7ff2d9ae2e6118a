/* Columns decoded together: see colset.h. */
#include "format/colset.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/array.h"

#define MOST_ROWS_AT_ONCE 131072
/* With several threads columns decode this many batches before they wait for each other. */
#define BATCHES_AHEAD 4
#define AHEAD_BYTES (16 * 1024 * 1024)

paimon_status pmn_colset_init(pmn_colset *set, pmn_mem *mem, pmn_buffer_pool *pool, pmn_executor *executor, int32_t n_threads, const pmn_column_ops *ops,
                              const pmn_want *want, const bool *use, paimon_error *err)
{
    memset(set, 0, sizeof *set);
    set->mem = mem;
    set->pool = pool;
    set->executor = executor;
    set->n_threads = executor ? n_threads : 1;
    set->ops = ops;
    for (int32_t i = 0; i < want->n_children; i++) set->n_columns += !use || use[i];
    set->columns = (pmn_colset_column *)pmn_calloc(mem, (size_t)set->n_columns, sizeof *set->columns);
    if (!set->columns) return pmn_fail_nomem(err, "column readers");
    for (int32_t i = 0, n = 0; i < want->n_children; i++) {
        if (use && !use[i]) continue;
        set->columns[n].err = (paimon_error)PAIMON_ERROR_INIT;
        set->columns[n++].want = &want->children[i];
    }
    return PAIMON_OK;
}

typedef struct turn {
    double weight;
    int32_t column;
} turn;

static int compare_turns(const void *a, const void *b)
{
    const turn *x = (const turn *)a, *y = (const turn *)b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return x->column < y->column ? -1 : 1;
}

paimon_status pmn_colset_ready(pmn_colset *set, pmn_arena *arena, paimon_error *err)
{
    if (set->n_threads <= 1) return PAIMON_OK;
    turn *turns = (turn *)pmn_arena_calloc(arena, (size_t)set->n_columns + 1, sizeof *turns);
    set->turns = (int32_t *)pmn_arena_calloc(arena, (size_t)set->n_columns + 1, sizeof *set->turns);
    if (!set->turns || !turns) return pmn_fail_nomem(err, "column readers");
    for (int32_t i = 0; i < set->n_columns; i++) turns[i] = (turn){ set->columns[i].weight, i };
    qsort(turns, (size_t)set->n_columns, sizeof *turns, compare_turns);
    for (int32_t i = 0; i < set->n_columns; i++) set->turns[i] = turns[i].column;
    return PAIMON_OK;
}

void pmn_colset_free(pmn_colset *set)
{
    if (!set->mem) return;
    for (int32_t i = 0; set->columns && i < set->n_columns; i++) {
        pmn_colset_column *c = &set->columns[i];
        pmn_array_release(&c->array);
        paimon_error_clear(&c->err);
        if (c->column) set->ops->free(c->column);
    }
    if (set->columns) pmn_free(set->mem, set->columns, (size_t)set->n_columns * sizeof *set->columns);
    memset(set, 0, sizeof *set);
}

void pmn_colset_begin(pmn_colset *set, const pmn_rowset *rows)
{
    set->rows = rows;
    set->given = 0;
    for (int32_t i = 0; i < set->n_columns; i++) {
        pmn_colset_column *c = &set->columns[i];
        pmn_array_release(&c->array);
        c->used = c->produced = 0;
        c->at.item = c->at.row = 0;
    }
}

static bool has_rows(const pmn_colset_column *c) { return c->array.release && c->used < c->array.length; }

static void decode_column(const pmn_colset *set, pmn_colset_column *c)
{
    int64_t left = set->rows->n - c->produced;
    c->status = PAIMON_OK;
    if (has_rows(c)) return;
    pmn_array_release(&c->array);
    c->used = 0;
    c->status = c->column ? set->ops->decode(c->column, set->rows, &c->at, left, &c->array, &c->err)
                          : pmn_array_nulls(set->pool, c->want->schema, left, &c->array, &c->err);
    if (c->status == PAIMON_OK) c->produced += c->array.length;
    else c->array.release = NULL;
}

static void decode_turn(void *ctx, int i)
{
    const pmn_colset *set = ctx;
    decode_column(set, &set->columns[set->turns[i]]);
}

static paimon_status decode_all(pmn_colset *set, paimon_error *err)
{
    bool needed = false;
    for (int32_t i = 0; i < set->n_columns; i++) needed |= !has_rows(&set->columns[i]);
    if (!needed) return PAIMON_OK;
    if (set->turns && set->n_columns > 1) {
        pmn_parallel_for(set->executor, set->n_threads, set->n_columns, decode_turn, set);
    } else {
        for (int32_t i = 0; i < set->n_columns; i++) decode_column(set, &set->columns[i]);
    }
    for (int32_t i = 0; i < set->n_columns; i++) {
        if (set->columns[i].status == PAIMON_OK) continue;
        pmn_error_move(err, &set->columns[i].err);
        return set->columns[i].status;
    }
    return PAIMON_OK;
}

paimon_status pmn_colset_next(pmn_colset *set, int64_t max_rows, struct ArrowArray *out, paimon_error *err)
{
    pmn_buffer *no_validity = NULL;
    int64_t rows = pmn_colset_left(set);
    PMN_TRY(decode_all(set, err));
    if (rows > max_rows) rows = max_rows;
    for (int32_t i = 0; i < set->n_columns; i++) {
        int64_t have = set->columns[i].array.length - set->columns[i].used;
        if (have < rows) rows = have;
    }
    if (rows <= 0) return pmn_fail(err, PAIMON_INTERNAL, "a column gave no rows");
    PMN_TRY(pmn_array_new(set->mem, rows, 0, 1, &no_validity, set->n_columns, out, err));
    for (int32_t i = 0; i < set->n_columns; i++) {
        pmn_colset_column *c = &set->columns[i];
        if (c->used == 0 && c->array.length == rows) {
            pmn_array_move(out->children[i], &c->array);
        } else {
            paimon_status status = pmn_array_share(set->mem, &c->array, c->used, rows, out->children[i], err);
            if (status != PAIMON_OK) {
                pmn_array_release(out);
                return status;
            }
            c->used += rows;
            if (c->used == c->array.length) pmn_array_release(&c->array);
        }
    }
    set->given += rows;
    return PAIMON_OK;
}

int64_t pmn_colset_bytes_read(const pmn_colset *set)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < set->n_columns; i++) {
        if (set->columns[i].column) bytes += set->ops->bytes_read(set->columns[i].column);
    }
    return bytes;
}

double pmn_colset_row_bytes(const pmn_colset *set)
{
    double bytes = 0;
    for (int32_t i = 0; i < set->n_columns; i++) bytes += set->columns[i].weight;
    return bytes;
}

int64_t pmn_colset_rows_at_once(const pmn_colset *set, int64_t batch_rows)
{
    int64_t rows = batch_rows;
    if (set->n_threads > 1) {
        double bytes = pmn_colset_row_bytes(set);
        int64_t most = bytes < 1 ? AHEAD_BYTES : bytes > AHEAD_BYTES ? 1 : (int64_t)(AHEAD_BYTES / bytes);
        rows = most > batch_rows * BATCHES_AHEAD ? batch_rows * BATCHES_AHEAD : most / batch_rows * batch_rows;
        if (rows < batch_rows) rows = batch_rows;
    }
    return rows < MOST_ROWS_AT_ONCE ? rows : MOST_ROWS_AT_ONCE;
}
