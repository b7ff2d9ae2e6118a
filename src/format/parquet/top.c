/* Top-level columns of a pass: the leaves of each, and Arrow arrays of the rows that are asked. */
#include "format/parquet/top.h"

#include <string.h>

#include "arrow/array.h"
#include "format/parquet/nested.h"

typedef struct parquet_top {
    pmn_parquet_file *file; /* borrowed, as what follows */
    pmn_decompressors *decompressors;
    pmn_buffer_pool *pool;
    const pmn_want *want;
    const char *path;
    pmn_parquet_leaf **leaves; /* by leaf number from first_leaf; NULL where not read */
    int32_t first_leaf;
    int32_t n_leaves;
    bool flat;
    int64_t most_rows; /* nested: more at once have been too much; 0: never yet */
} parquet_top;

static paimon_status add_leaf(parquet_top *top, const pmn_want *want, int32_t number, int16_t slot_def,
                              pmn_arena *arena, paimon_error *err)
{
    pmn_parquet_leaf **place = &top->leaves[number - top->first_leaf];
    const pmn_parquet_node *node = top->file->schema.leaves[number];
    if (*place) return want ? pmn_fail(err, PAIMON_INVALID, "column %s: a field is asked for twice", top->path) : PAIMON_OK;
    *place = (pmn_parquet_leaf *)pmn_alloc(top->file->mem, sizeof **place);
    if (!*place) return pmn_fail_nomem(err, "a column's reader");
    return pmn_parquet_leaf_init(*place, top->file, node, pmn_parquet_leaf_path(arena, node), want, !top->flat, slot_def, top->decompressors, top->pool, err);
}

/* The leaves whose values are wanted; depth is bounded by the file's schema. */
static paimon_status add_values(parquet_top *top, const pmn_want *want, pmn_arena *arena, paimon_error *err)
{
    if (!want->field) return PAIMON_OK;
    const pmn_parquet_field *field = pmn_parquet_wanted(want);
    if (field->shape == PMN_SHAPE_LEAF) return add_leaf(top, want, field->first_leaf, field->slot_def, arena, err);
    for (int32_t i = 0; i < want->n_children; i++) PMN_TRY(add_values(top, &want->children[i], arena, err));
    return PAIMON_OK;
}

/* And those that only tell where lists and structs begin. */
static paimon_status add_levels(parquet_top *top, const pmn_want *want, pmn_arena *arena, paimon_error *err)
{
    if (!want->field || want->field->shape == PMN_SHAPE_LEAF) return PAIMON_OK;
    int32_t leaf = pmn_parquet_level_leaf(want);
    if (leaf < top->first_leaf || leaf >= top->first_leaf + top->n_leaves) {
        return pmn_fail(err, PAIMON_CORRUPT, "column %s: a group without any column", top->path);
    }
    PMN_TRY(add_leaf(top, NULL, leaf, 0, arena, err));
    for (int32_t i = 0; i < want->n_children; i++) PMN_TRY(add_levels(top, &want->children[i], arena, err));
    return PAIMON_OK;
}

static paimon_status init_top(parquet_top *top, const pmn_want *want, pmn_arena *arena, paimon_error *err)
{
    const pmn_parquet_field *f = pmn_parquet_wanted(want);
    top->want = want;
    top->path = want->schema->name ? want->schema->name : "";
    top->first_leaf = f->first_leaf;
    top->n_leaves = f->n_leaves;
    top->flat = f->shape == PMN_SHAPE_LEAF && f->node->max_rep == 0 && f->node->max_def <= 1;
    top->leaves = (pmn_parquet_leaf **)pmn_calloc(top->file->mem, (size_t)top->n_leaves, sizeof *top->leaves);
    if (!top->leaves) return pmn_fail_nomem(err, "a column's reader");
    PMN_TRY(add_values(top, want, arena, err));
    return add_levels(top, want, arena, err);
}

/* Up to `n` rows of a stretch, from its row `row` on. */
static paimon_status read_stretch(const pmn_rowset *rows, pmn_parquet_leaf *leaf, const pmn_stretch *s, int64_t row, int64_t n,
                                  int64_t *done, paimon_error *err)
{
    if (s->picks < 0) return pmn_parquet_leaf_read(leaf, s->group, s->first + row, n, NULL, 0, done, err);
    const int32_t *picked = rows->picked + s->picks + row;
    return pmn_parquet_leaf_read(leaf, s->group, s->first, picked[n - 1] + 1, picked, n, done, err);
}

/* Up to `n` rows from `at` on into one leaf; `at` moves on by what was read, which is less where a string column stops early. */
static paimon_status read_leaf(const pmn_rowset *rows, pmn_parquet_leaf *leaf, pmn_rowset_at *at, int64_t n, int64_t *read, paimon_error *err)
{
    *read = 0;
    PMN_TRY(pmn_parquet_leaf_begin(leaf, n, err));
    while (*read < n) {
        const pmn_stretch *s = &rows->items[at->item];
        int64_t done = 0, m = s->n - at->row < n - *read ? s->n - at->row : n - *read;
        PMN_TRY(read_stretch(rows, leaf, s, at->row, m, &done, err));
        *read += done;
        at->row += done;
        if (done < m) break;
        if (at->row == s->n) {
            at->item++;
            at->row = 0;
        }
    }
    return PAIMON_OK;
}

static paimon_status decode_flat(const pmn_rowset *rows, parquet_top *top, pmn_rowset_at *at, int64_t n, struct ArrowArray *out, paimon_error *err)
{
    int64_t read;
    PMN_TRY(read_leaf(rows, top->leaves[0], at, n, &read, err));
    return pmn_leaf_out_finish(&top->leaves[0]->out, out, err);
}

/* All leaves of a nested column, `n` rows from `from` on. `*too_big`: fewer rows should be asked for; the leaves then begin anew. */
static paimon_status read_leaves(const pmn_rowset *rows, parquet_top *top, pmn_rowset_at *from, int64_t n, bool *too_big, paimon_error *err)
{
    pmn_rowset_at at = *from;
    paimon_status status = PAIMON_OK;
    *too_big = false;
    for (int32_t k = 0; k < top->n_leaves && status == PAIMON_OK; k++) {
        int64_t read;
        if (!top->leaves[k]) continue;
        at = *from;
        top->leaves[k]->too_big = false;
        status = read_leaf(rows, top->leaves[k], &at, n, &read, err);
        *too_big |= status != PAIMON_OK && top->leaves[k]->too_big;
    }
    if (status == PAIMON_OK) *from = at;
    for (int32_t k = 0; *too_big && k < top->n_leaves; k++) {
        if (top->leaves[k]) pmn_parquet_leaf_reset(top->leaves[k]);
    }
    return status;
}

static paimon_status decode_nested(const pmn_rowset *rows, parquet_top *top, pmn_rowset_at *at, int64_t left, struct ArrowArray *out, paimon_error *err)
{
    pmn_parquet_nest nest = { top->pool, top->leaves, top->first_leaf, top->path };
    while (true) {
        bool too_big;
        int64_t n = top->most_rows && top->most_rows < left ? top->most_rows : left;
        paimon_status status = read_leaves(rows, top, at, n, &too_big, err);
        if (status == PAIMON_OK) return pmn_parquet_nest_build(&nest, top->want, n, out, err);
        if (!too_big || n <= 1) return status;
        paimon_error_clear(err);
        top->most_rows = n / 8 > 0 ? n / 8 : 1;
    }
}

static paimon_status top_decode(void *column, const pmn_rowset *rows, pmn_rowset_at *at, int64_t n, struct ArrowArray *out, paimon_error *err)
{
    parquet_top *top = column;
    return top->flat ? decode_flat(rows, top, at, n, out, err) : decode_nested(rows, top, at, n, out, err);
}

static int64_t top_bytes_read(const void *column)
{
    const parquet_top *top = column;
    int64_t bytes = 0;
    for (int32_t k = 0; k < top->n_leaves; k++) {
        if (top->leaves[k]) bytes += top->leaves[k]->pages.bytes_read;
    }
    return bytes;
}

static void top_free(void *column)
{
    parquet_top *top = column;
    pmn_mem *mem = top->file->mem;
    for (int32_t k = 0; top->leaves && k < top->n_leaves; k++) {
        if (!top->leaves[k]) continue;
        pmn_parquet_leaf_free(top->leaves[k]);
        pmn_free(mem, top->leaves[k], sizeof **top->leaves);
    }
    if (top->leaves) pmn_free(mem, top->leaves, (size_t)top->n_leaves * sizeof *top->leaves);
    pmn_free(mem, top, sizeof *top);
}

const pmn_column_ops pmn_parquet_top_ops = { top_decode, top_bytes_read, top_free };

/* By the file's first row group. */
static double weigh(const parquet_top *top)
{
    const pmn_parquet_meta *meta = &top->file->meta;
    double bytes = 0;
    if (meta->n_groups == 0 || meta->groups[0].n_rows == 0) return 0;
    for (int32_t k = 0; k < top->n_leaves; k++) {
        if (top->leaves[k]) bytes += 8 + (double)meta->groups[0].chunks[top->first_leaf + k].uncompressed_bytes / (double)meta->groups[0].n_rows;
    }
    return bytes;
}

paimon_status pmn_parquet_top_new(pmn_parquet_file *file, const pmn_want *want, pmn_decompressors *decompressors, pmn_arena *arena, pmn_buffer_pool *pool,
                                  void **out, double *row_bytes, paimon_error *err)
{
    parquet_top *top = (parquet_top *)pmn_calloc(file->mem, 1, sizeof *top);
    *out = top;
    if (!top) return pmn_fail_nomem(err, "a column's reader");
    top->file = file;
    top->decompressors = decompressors;
    top->pool = pool;
    PMN_TRY(init_top(top, want, arena, err));
    *row_bytes = weigh(top);
    return PAIMON_OK;
}
