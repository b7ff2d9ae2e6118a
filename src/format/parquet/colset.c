/* Columns decoded together. Each decodes as many of the rows as it wants at once and keeps the array; rows are handed out as far as all
 * columns have got, as slices where one is ahead. So a column of long strings may stop early without the others knowing. */
#include "format/parquet/colset.h"

#include <string.h>

#include "arrow/array.h"

struct pmn_parquet_top {
    const pmn_want *want;
    const char *path;
    pmn_parquet_leaf **leaves; /* by leaf number from first_leaf; NULL where not read */
    int32_t first_leaf;
    int32_t n_leaves;
    bool flat;
    struct ArrowArray array; /* decoded, from row `used` on not handed out */
    int64_t used;
    int64_t produced; /* rows of the set decoded so far */
    int64_t most_rows; /* nested: more at once have been too much; 0: never yet */
    pmn_rowset_at at;
    paimon_status status;
    paimon_error err;
};

static paimon_status add_leaf(pmn_parquet_colset *set, pmn_parquet_top *top, const pmn_want *want, int32_t number, int16_t slot_def,
                              pmn_arena *arena, paimon_error *err)
{
    pmn_parquet_leaf **place = &top->leaves[number - top->first_leaf];
    const pmn_parquet_node *node = set->file->schema.leaves[number];
    if (*place) return want ? pmn_fail(err, PAIMON_INVALID, "column %s: a field is asked for twice", top->path) : PAIMON_OK;
    *place = (pmn_parquet_leaf *)pmn_alloc(set->file->mem, sizeof **place);
    if (!*place) return pmn_fail_nomem(err, "a column's reader");
    return pmn_parquet_leaf_init(*place, set->file, node, pmn_parquet_leaf_path(arena, node), want, !top->flat, slot_def, &set->decompressors, set->pool, err);
}

/* The leaves whose values are wanted; depth is bounded by the file's schema. */
static paimon_status add_values(pmn_parquet_colset *set, pmn_parquet_top *top, const pmn_want *want, pmn_arena *arena, paimon_error *err)
{
    if (!want->field) return PAIMON_OK;
    const pmn_parquet_field *field = pmn_parquet_wanted(want);
    if (field->shape == PMN_SHAPE_LEAF) return add_leaf(set, top, want, field->first_leaf, field->slot_def, arena, err);
    for (int32_t i = 0; i < want->n_children; i++) PMN_TRY(add_values(set, top, &want->children[i], arena, err));
    return PAIMON_OK;
}

/* And those that only tell where lists and structs begin. */
static paimon_status add_levels(pmn_parquet_colset *set, pmn_parquet_top *top, const pmn_want *want, pmn_arena *arena, paimon_error *err)
{
    if (!want->field || want->field->shape == PMN_SHAPE_LEAF) return PAIMON_OK;
    int32_t leaf = pmn_parquet_level_leaf(want);
    if (leaf < top->first_leaf || leaf >= top->first_leaf + top->n_leaves) {
        return pmn_fail(err, PAIMON_CORRUPT, "column %s: a group without any column", top->path);
    }
    PMN_TRY(add_leaf(set, top, NULL, leaf, 0, arena, err));
    for (int32_t i = 0; i < want->n_children; i++) PMN_TRY(add_levels(set, top, &want->children[i], arena, err));
    return PAIMON_OK;
}

static paimon_status init_top(pmn_parquet_colset *set, pmn_parquet_top *top, const pmn_want *want, pmn_arena *arena, paimon_error *err)
{
    const pmn_parquet_field *f = pmn_parquet_wanted(want);
    top->want = want;
    top->path = want->schema->name ? want->schema->name : "";
    top->err = (paimon_error)PAIMON_ERROR_INIT;
    if (!f) return PAIMON_OK;
    top->first_leaf = f->first_leaf;
    top->n_leaves = f->n_leaves;
    top->flat = f->shape == PMN_SHAPE_LEAF && f->node->max_rep == 0 && f->node->max_def <= 1;
    top->leaves = (pmn_parquet_leaf **)pmn_calloc(set->file->mem, (size_t)top->n_leaves, sizeof *top->leaves);
    if (!top->leaves) return pmn_fail_nomem(err, "a column's reader");
    PMN_TRY(add_values(set, top, want, arena, err));
    return add_levels(set, top, want, arena, err);
}

/* What decoding a column costs, roughly: the bytes of its chunks. */
static int64_t weigh(const pmn_parquet_colset *set, const pmn_parquet_top *top)
{
    int64_t bytes = 0;
    const pmn_parquet_meta *meta = &set->file->meta;
    for (int32_t k = 0; meta->n_groups > 0 && k < top->n_leaves; k++) {
        if (!top->leaves[k]) continue;
        const pmn_parquet_chunk *chunk = &meta->groups[0].chunks[top->first_leaf + k];
        bytes += chunk->compressed_bytes / 2 + chunk->uncompressed_bytes / 2;
    }
    return bytes;
}

static paimon_status take_turns(pmn_parquet_colset *set, pmn_arena *arena, paimon_error *err)
{
    if (set->n_threads <= 1) return PAIMON_OK;
    set->turns = (int32_t *)pmn_arena_calloc(arena, (size_t)set->n_tops, sizeof *set->turns);
    int64_t *weights = (int64_t *)pmn_arena_calloc(arena, (size_t)set->n_tops, sizeof *weights);
    if (!set->turns || !weights) return pmn_fail_nomem(err, "column readers");
    for (int32_t i = 0; i < set->n_tops; i++) {
        int64_t weight = weigh(set, &set->tops[i]);
        int32_t at = i;
        for (; at > 0 && weights[at - 1] < weight; at--) {
            weights[at] = weights[at - 1];
            set->turns[at] = set->turns[at - 1];
        }
        weights[at] = weight;
        set->turns[at] = i;
    }
    return PAIMON_OK;
}

paimon_status pmn_parquet_colset_init(pmn_parquet_colset *set, pmn_parquet_file *file, const pmn_want *want, const bool *use, pmn_arena *arena,
                                      pmn_buffer_pool *pool, pmn_executor *executor, int32_t n_threads, paimon_error *err)
{
    memset(set, 0, sizeof *set);
    set->file = file;
    set->pool = pool;
    set->executor = executor;
    set->n_threads = executor ? n_threads : 1;
    if (!pmn_decompressors_init(&set->decompressors, file->mem)) return pmn_fail_nomem(err, "column readers");
    for (int32_t i = 0; i < want->n_children; i++) set->n_tops += !use || use[i];
    set->tops = (pmn_parquet_top *)pmn_calloc(file->mem, (size_t)set->n_tops, sizeof *set->tops);
    if (!set->tops) return pmn_fail_nomem(err, "column readers");
    for (int32_t i = 0, n = 0; i < want->n_children; i++) {
        if (!use || use[i]) PMN_TRY(init_top(set, &set->tops[n++], &want->children[i], arena, err));
    }
    return take_turns(set, arena, err);
}

void pmn_parquet_colset_free(pmn_parquet_colset *set)
{
    if (!set->file) return;
    pmn_mem *mem = set->file->mem;
    for (int32_t i = 0; set->tops && i < set->n_tops; i++) {
        pmn_parquet_top *top = &set->tops[i];
        for (int32_t k = 0; top->leaves && k < top->n_leaves; k++) {
            if (!top->leaves[k]) continue;
            pmn_parquet_leaf_free(top->leaves[k]);
            pmn_free(mem, top->leaves[k], sizeof **top->leaves);
        }
        if (top->leaves) pmn_free(mem, top->leaves, (size_t)top->n_leaves * sizeof *top->leaves);
        pmn_array_release(&top->array);
        paimon_error_clear(&top->err);
    }
    if (set->tops) pmn_free(mem, set->tops, (size_t)set->n_tops * sizeof *set->tops);
    pmn_decompressors_free(&set->decompressors);
    memset(set, 0, sizeof *set);
}

void pmn_parquet_colset_begin(pmn_parquet_colset *set, const pmn_rowset *rows)
{
    set->rows = rows;
    set->given = 0;
    for (int32_t i = 0; i < set->n_tops; i++) {
        pmn_parquet_top *top = &set->tops[i];
        pmn_array_release(&top->array);
        top->used = top->produced = 0;
        top->at.item = top->at.row = 0;
    }
}

/* Up to `n` rows of a stretch, from its row `row` on. */
static paimon_status read_stretch(const pmn_parquet_colset *set, pmn_parquet_leaf *leaf, const pmn_stretch *s, int64_t row, int64_t n,
                                  int64_t *done, paimon_error *err)
{
    if (s->picks < 0) return pmn_parquet_leaf_read(leaf, s->group, s->first + row, n, NULL, 0, done, err);
    const int32_t *picked = set->rows->picked + s->picks + row;
    return pmn_parquet_leaf_read(leaf, s->group, s->first, picked[n - 1] + 1, picked, n, done, err);
}

/* Up to `n` rows from `at` on into one leaf; `at` moves on by what was read, which is less where a string column stops early. */
static paimon_status read_leaf(const pmn_parquet_colset *set, pmn_parquet_leaf *leaf, pmn_rowset_at *at, int64_t n, int64_t *read, paimon_error *err)
{
    *read = 0;
    PMN_TRY(pmn_parquet_leaf_begin(leaf, n, err));
    while (*read < n) {
        const pmn_stretch *s = &set->rows->items[at->item];
        int64_t done = 0, m = s->n - at->row < n - *read ? s->n - at->row : n - *read;
        PMN_TRY(read_stretch(set, leaf, s, at->row, m, &done, err));
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

static paimon_status decode_flat(const pmn_parquet_colset *set, pmn_parquet_top *top, paimon_error *err)
{
    int64_t read;
    PMN_TRY(read_leaf(set, top->leaves[0], &top->at, set->rows->n - top->produced, &read, err));
    top->produced += read;
    return pmn_leaf_out_finish(&top->leaves[0]->out, &top->array, err);
}

/* All leaves of a nested column, `n` rows from top->at on. `*too_big`: fewer rows should be asked for; the leaves then begin anew. */
static paimon_status read_leaves(const pmn_parquet_colset *set, pmn_parquet_top *top, int64_t n, bool *too_big, paimon_error *err)
{
    pmn_rowset_at at = top->at;
    paimon_status status = PAIMON_OK;
    *too_big = false;
    for (int32_t k = 0; k < top->n_leaves && status == PAIMON_OK; k++) {
        int64_t read;
        if (!top->leaves[k]) continue;
        at = top->at;
        top->leaves[k]->too_big = false;
        status = read_leaf(set, top->leaves[k], &at, n, &read, err);
        *too_big |= status != PAIMON_OK && top->leaves[k]->too_big;
    }
    if (status == PAIMON_OK) top->at = at;
    for (int32_t k = 0; *too_big && k < top->n_leaves; k++) {
        if (top->leaves[k]) pmn_parquet_leaf_reset(top->leaves[k]);
    }
    return status;
}

static paimon_status decode_nested(const pmn_parquet_colset *set, pmn_parquet_top *top, paimon_error *err)
{
    pmn_parquet_nest nest = { set->pool, top->leaves, top->first_leaf, top->path };
    while (true) {
        bool too_big;
        int64_t left = set->rows->n - top->produced, n = top->most_rows && top->most_rows < left ? top->most_rows : left;
        paimon_status status = read_leaves(set, top, n, &too_big, err);
        if (status == PAIMON_OK) {
            top->produced += n;
            return pmn_parquet_nest_build(&nest, top->want, n, &top->array, err);
        }
        if (!too_big || n <= 1) return status;
        paimon_error_clear(err);
        top->most_rows = n / 8 > 0 ? n / 8 : 1;
    }
}

static void decode_top(void *ctx, int i)
{
    const pmn_parquet_colset *set = ctx;
    pmn_parquet_top *top = &set->tops[i];
    top->status = PAIMON_OK;
    if (top->array.release && top->used < top->array.length) return;
    pmn_array_release(&top->array);
    top->used = 0;
    if (!top->want->field) {
        int64_t rows = set->rows->n - top->produced;
        top->produced += rows;
        top->status = pmn_array_nulls(set->pool, top->want->schema, rows, &top->array, &top->err);
    } else {
        top->status = top->flat ? decode_flat(set, top, &top->err) : decode_nested(set, top, &top->err);
    }
    if (top->status != PAIMON_OK) top->array.release = NULL;
}

static void decode_turn(void *ctx, int i) { decode_top(ctx, ((const pmn_parquet_colset *)ctx)->turns[i]); }

static paimon_status decode_all(pmn_parquet_colset *set, paimon_error *err)
{
    bool needed = false;
    for (int32_t i = 0; i < set->n_tops; i++) needed |= !set->tops[i].array.release || set->tops[i].used == set->tops[i].array.length;
    if (!needed) return PAIMON_OK;
    if (set->n_threads > 1 && set->n_tops > 1) {
        pmn_parallel_for(set->executor, set->n_threads, set->n_tops, decode_turn, set);
    } else {
        for (int32_t i = 0; i < set->n_tops; i++) decode_top(set, i);
    }
    for (int32_t i = 0; i < set->n_tops; i++) {
        if (set->tops[i].status == PAIMON_OK) continue;
        pmn_error_move(err, &set->tops[i].err);
        return set->tops[i].status;
    }
    return PAIMON_OK;
}

paimon_status pmn_parquet_colset_next(pmn_parquet_colset *set, int64_t max_rows, struct ArrowArray *out, paimon_error *err)
{
    pmn_mem *mem = set->file->mem;
    pmn_buffer *no_validity = NULL;
    int64_t rows = pmn_parquet_colset_left(set);
    PMN_TRY(decode_all(set, err));
    if (rows > max_rows) rows = max_rows;
    for (int32_t i = 0; i < set->n_tops; i++) {
        int64_t have = set->tops[i].array.length - set->tops[i].used;
        if (have < rows) rows = have;
    }
    if (rows <= 0) return pmn_fail(err, PAIMON_INTERNAL, "a column gave no rows");
    PMN_TRY(pmn_array_new(mem, rows, 0, 1, &no_validity, set->n_tops, out, err));
    for (int32_t i = 0; i < set->n_tops; i++) {
        pmn_parquet_top *top = &set->tops[i];
        if (top->used == 0 && top->array.length == rows) {
            pmn_array_move(out->children[i], &top->array);
        } else {
            paimon_status status = pmn_array_share(mem, &top->array, top->used, rows, out->children[i], err);
            if (status != PAIMON_OK) {
                pmn_array_release(out);
                return status;
            }
            top->used += rows;
            if (top->used == top->array.length) pmn_array_release(&top->array);
        }
    }
    set->given += rows;
    return PAIMON_OK;
}

int64_t pmn_parquet_colset_row_bytes(const pmn_parquet_colset *set)
{
    const pmn_parquet_meta *meta = &set->file->meta;
    double bytes = 0;
    if (meta->n_groups == 0 || meta->groups[0].n_rows == 0) return 0;
    for (int32_t i = 0; i < set->n_tops; i++) {
        for (int32_t k = 0; k < set->tops[i].n_leaves; k++) {
            const pmn_parquet_chunk *chunk = &meta->groups[0].chunks[set->tops[i].first_leaf + k];
            if (set->tops[i].leaves[k]) bytes += 8 + (double)chunk->uncompressed_bytes / (double)meta->groups[0].n_rows;
        }
    }
    return bytes < 1e15 ? (int64_t)bytes : (int64_t)1e15;
}

int64_t pmn_parquet_colset_bytes_read(const pmn_parquet_colset *set)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < set->n_tops; i++) {
        for (int32_t k = 0; k < set->tops[i].n_leaves; k++) {
            if (set->tops[i].leaves[k]) bytes += set->tops[i].leaves[k]->pages.bytes_read;
        }
    }
    return bytes;
}
