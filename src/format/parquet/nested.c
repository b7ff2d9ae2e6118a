/* Arrow arrays from levels. Each node looks at the (definition, repetition) pairs of one leaf below it; schema.h tells what a node's
 * levels mean. Leaves of one column may contradict each other in a damaged file: every child must have the slots that its parent has. */
#include "format/parquet/nested.h"

#include <string.h>

#include "arrow/array.h"
#include "format/parquet/marks.h"

typedef struct pairs {
    const uint8_t *defs;
    const uint8_t *reps;
    int64_t n;
    int max_rep;
} pairs;

static paimon_status disagree(const pmn_parquet_nest *nest, int64_t found, int64_t expected, paimon_error *err)
{
    return pmn_fail(err, PAIMON_CORRUPT, "column %s: its leaves disagree: %lld entries where %lld are expected", nest->path, (long long)found,
                    (long long)expected);
}

static pairs pairs_of(const pmn_parquet_nest *nest, const pmn_want *want)
{
    const pmn_parquet_leaf *leaf = nest->leaves[pmn_parquet_level_leaf(want) - nest->first_leaf];
    pairs p = { leaf->defs, leaf->reps, leaf->n_levels, leaf->node->max_rep };
    return p;
}

/* The validity bitmap of a node with `n` slots; NULL if no slot is null. */
static paimon_status build_validity(const pmn_parquet_nest *nest, const pmn_want *want, int64_t n, pmn_buffer **validity, int64_t *n_nulls,
                                    paimon_error *err)
{
    const pmn_parquet_field *f = pmn_parquet_wanted(want);
    pairs p = pairs_of(nest, want);
    pmn_buffer *buffer;
    int64_t n_valid;
    *validity = NULL;
    *n_nulls = 0;
    if (f->value_def <= f->slot_def) return PAIMON_OK; /* required: a slot cannot be null */
    PMN_TRY(pmn_buffer_new(nest->pool, (size_t)(p.n / 8 + 16), &buffer, err));
    int64_t slots = pmn_parquet_mark_slots(p.defs, f->slot_rep < p.max_rep ? p.reps : NULL, p.n, f->slot_def, f->slot_rep, f->value_def,
                                           (uint64_t *)(void *)buffer->data, &n_valid);
    if (slots != n) {
        pmn_buffer_release(buffer);
        return disagree(nest, slots, n, err);
    }
    if (n_valid == n) {
        pmn_buffer_release(buffer);
        return PAIMON_OK;
    }
    buffer->size = (size_t)(n + 7) / 8;
    *validity = buffer;
    *n_nulls = n - n_valid;
    return PAIMON_OK;
}

static paimon_status nest_children(const pmn_parquet_nest *nest, const pmn_want *want, int64_t n, struct ArrowArray *out, paimon_error *err)
{
    for (int32_t i = 0; i < want->n_children; i++) PMN_TRY(pmn_parquet_nest_build(nest, &want->children[i], n, out->children[i], err));
    return PAIMON_OK;
}

static paimon_status nest_struct(const pmn_parquet_nest *nest, const pmn_want *want, int64_t n, struct ArrowArray *out, paimon_error *err)
{
    pmn_buffer *validity;
    int64_t n_nulls;
    PMN_TRY(build_validity(nest, want, n, &validity, &n_nulls, err));
    PMN_TRY(pmn_array_new(pmn_buffer_pool_mem(nest->pool), n, n_nulls, 1, &validity, want->n_children, out, err));
    paimon_status status = nest_children(nest, want, n, out, err);
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
}

static paimon_status build_offsets(const pmn_parquet_nest *nest, const pmn_want *want, int64_t n, pmn_buffer **offsets, paimon_error *err)
{
    pairs p = pairs_of(nest, want);
    if (p.n > INT32_MAX) return pmn_fail(err, PAIMON_UNSUPPORTED, "column %s: more than 2^31 list elements in one batch are not supported", nest->path);
    PMN_TRY(pmn_buffer_new(nest->pool, (size_t)(n + 2) * sizeof(int32_t), offsets, err));
    const pmn_parquet_field *f = pmn_parquet_wanted(want);
    if (pmn_parquet_mark_lists(p.defs, p.reps, p.n, f->slot_def, f->slot_rep, f->element_def, f->element_rep, n, (int32_t *)(void *)(*offsets)->data)) {
        (*offsets)->size = (size_t)(n + 1) * sizeof(int32_t);
        return PAIMON_OK;
    }
    pmn_buffer_release(*offsets);
    *offsets = NULL;
    return disagree(nest, p.n, n, err);
}

static paimon_status widen_offsets(pmn_buffer_pool *pool, int64_t n, pmn_buffer **offsets, paimon_error *err)
{
    pmn_buffer *wide;
    PMN_TRY(pmn_buffer_new(pool, (size_t)(n + 1) * sizeof(int64_t), &wide, err));
    const int32_t *from = (const int32_t *)(const void *)(*offsets)->data;
    int64_t *to = (int64_t *)(void *)wide->data;
    for (int64_t i = 0; i <= n; i++) to[i] = from[i];
    wide->size = (size_t)(n + 1) * sizeof(int64_t);
    pmn_buffer_release(*offsets);
    *offsets = wide;
    return PAIMON_OK;
}

/* The elements of lists that all have `width` of them; a null list gets elements that nobody looks at. */
static paimon_status fix_elements(const pmn_parquet_nest *nest, const pmn_want *want, const int32_t *offsets, const pmn_buffer *validity,
                                  int64_t n, struct ArrowArray *child, paimon_error *err)
{
    int32_t width = want->type.width;
    bool straight = true;
    for (int64_t i = 0; i < n; i++) {
        bool valid = !validity || (validity->data[i >> 3] >> (i & 7) & 1);
        int32_t length = offsets[i + 1] - offsets[i];
        if (valid && length != width) {
            return pmn_fail(err, PAIMON_CORRUPT, "column %s: a list of %d elements where %d are wanted", nest->path, length, width);
        }
        if (length != width) straight = false;
    }
    if (straight) return PAIMON_OK;
    struct ArrowArray fixed;
    int64_t total;
    if (__builtin_mul_overflow(n, (int64_t)width, &total) || total > INT32_MAX) {
        return pmn_fail(err, PAIMON_UNSUPPORTED, "column %s: more than 2^31 list elements in one batch are not supported", nest->path);
    }
    const struct ArrowSchema *element = want->schema->children[0];
    if (child->length == 0) {
        PMN_TRY(pmn_array_nulls(nest->pool, element, total, &fixed, err));
    } else {
        pmn_buffer *rows;
        PMN_TRY(pmn_buffer_new(nest->pool, (size_t)total * sizeof(int32_t), &rows, err));
        int32_t *to = (int32_t *)(void *)rows->data;
        for (int64_t i = 0; i < n; i++) {
            bool has = offsets[i + 1] - offsets[i] == width;
            for (int32_t e = 0; e < width; e++) *to++ = has ? offsets[i] + e : 0;
        }
        paimon_status status = pmn_array_gather(nest->pool, element, child, (const int32_t *)(const void *)rows->data, total, &fixed, err);
        pmn_buffer_release(rows);
        PMN_TRY(status);
    }
    pmn_array_release(child);
    pmn_array_move(child, &fixed);
    return PAIMON_OK;
}

static paimon_status nest_fixed_list(const pmn_parquet_nest *nest, const pmn_want *want, int64_t n, pmn_buffer *validity, int64_t n_nulls,
                                      pmn_buffer *offsets, struct ArrowArray *out, paimon_error *err)
{
    const int32_t *at = (const int32_t *)(const void *)offsets->data;
    pmn_buffer *kept = pmn_buffer_retain(validity);
    paimon_status status;
    PMN_GOTO(status, pmn_array_new(pmn_buffer_pool_mem(nest->pool), n, n_nulls, 1, &validity, 1, out, err), done);
    PMN_GOTO(status, pmn_parquet_nest_build(nest, &want->children[0], at[n], out->children[0], err), done);
    PMN_GOTO(status, fix_elements(nest, want, at, kept, n, out->children[0], err), done);
done:
    if (status != PAIMON_OK) pmn_array_release(out);
    pmn_buffer_release(kept);
    pmn_buffer_release(offsets);
    return status;
}

static paimon_status check_keys(const pmn_parquet_nest *nest, const struct ArrowArray *entries, paimon_error *err)
{
    if (entries->n_children < 1 || entries->children[0]->null_count <= 0) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CORRUPT, "column %s: a map has a null key", nest->path);
}

static paimon_status nest_list(const pmn_parquet_nest *nest, const pmn_want *want, int64_t n, struct ArrowArray *out, paimon_error *err)
{
    pmn_buffer *buffers[2] = { NULL, NULL };
    int64_t n_nulls;
    PMN_TRY(build_validity(nest, want, n, &buffers[0], &n_nulls, err));
    paimon_status status = build_offsets(nest, want, n, &buffers[1], err);
    if (status != PAIMON_OK) {
        pmn_buffer_release(buffers[0]);
        return status;
    }
    int64_t elements = ((const int32_t *)(const void *)buffers[1]->data)[n];
    if (want->type.kind == PMN_ARROW_FIXED_LIST) return nest_fixed_list(nest, want, n, buffers[0], n_nulls, buffers[1], out, err);
    if (want->type.kind == PMN_ARROW_LARGE_LIST) {
        status = widen_offsets(nest->pool, n, &buffers[1], err);
        if (status != PAIMON_OK) {
            pmn_buffer_release(buffers[0]);
            pmn_buffer_release(buffers[1]);
            return status;
        }
    }
    PMN_TRY(pmn_array_new(pmn_buffer_pool_mem(nest->pool), n, n_nulls, 2, buffers, 1, out, err));
    status = pmn_parquet_nest_build(nest, &want->children[0], elements, out->children[0], err);
    if (status == PAIMON_OK && want->type.kind == PMN_ARROW_MAP) status = check_keys(nest, out->children[0], err);
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
}

paimon_status pmn_parquet_nest_build(const pmn_parquet_nest *nest, const pmn_want *want, int64_t n, struct ArrowArray *out,
                                     paimon_error *err)
{
    const pmn_parquet_field *f = pmn_parquet_wanted(want);
    if (!f) return pmn_array_nulls(nest->pool, want->schema, n, out, err);
    switch (f->shape) {
    case PMN_SHAPE_STRUCT: return nest_struct(nest, want, n, out, err);
    case PMN_SHAPE_LIST:
    case PMN_SHAPE_MAP: return nest_list(nest, want, n, out, err);
    default: break;
    }
    pmn_parquet_leaf *leaf = nest->leaves[f->first_leaf - nest->first_leaf];
    if (leaf->out.n != n) return disagree(nest, leaf->out.n, n, err);
    return pmn_leaf_out_finish(&leaf->out, out, err);
}
