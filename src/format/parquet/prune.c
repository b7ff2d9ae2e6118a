/* Pruning a row group in three steps, each dearer than the one before: statistics of the footer, bloom filters, page index.
 *
 * Statistics count rows only for columns that are not repeated: there each row has one value. What the file says is believed where the format
 * defines it: min_value and max_value need a column order; see bounds.c for the types. */
#include "format/parquet/prune.h"

#include "format/parquet/bloom.h"
#include "format/parquet/bounds.h"
#include "format/parquet/index.h"

typedef struct pruner {
    pmn_parquet_file *file;
    int32_t group;
    const pmn_want *columns;
    pmn_arena arena; /* of filters and indexes while this group is looked at */
    paimon_error *err;
} pruner;

/* What the path of a leaf predicate leads to in this file. */
typedef enum path_end { PATH_UNKNOWN, PATH_ABSENT, PATH_VALUE } path_end;

static path_end follow_path(const pruner *p, const pmn_pred *leaf, const pmn_parquet_field **field)
{
    const pmn_want *want = p->columns;
    for (int32_t i = 0; i < leaf->n_path; i++) {
        if (leaf->path[i] < 0 || leaf->path[i] >= want->n_children) return PATH_UNKNOWN;
        want = &want->children[leaf->path[i]];
        if (!want->field) return PATH_ABSENT;
        bool last = i == leaf->n_path - 1;
        if (want->field->shape != (last ? PMN_SHAPE_LEAF : PMN_SHAPE_STRUCT)) return PATH_UNKNOWN;
    }
    *field = pmn_parquet_wanted(want);
    return *field && (*field)->node->max_rep == 0 ? PATH_VALUE : PATH_UNKNOWN;
}

static bool order_is_defined(const pruner *p, int32_t leaf)
{
    const pmn_parquet_meta *meta = &p->file->meta;
    return meta->orders && leaf < meta->n_orders && meta->orders[leaf] == PMN_PQ_ORDER_TYPE;
}

static const pmn_parquet_chunk *chunk_of(const pruner *p, int32_t leaf) { return &p->file->meta.groups[p->group].chunks[leaf]; }

static bool group_stat(void *ctx, const pmn_pred *leaf, pmn_stat *out)
{
    const pruner *p = ctx;
    const pmn_parquet_field *field;
    out->null_count = -1;
    out->min.is_null = out->max.is_null = true;
    path_end end = follow_path(p, leaf, &field);
    if (end == PATH_UNKNOWN) return false;
    if (end == PATH_ABSENT) {
        out->null_count = out->row_count;
        return true;
    }
    const pmn_parquet_chunk *chunk = chunk_of(p, field->first_leaf);
    if (chunk->encrypted || chunk->other_file) return false;
    const pmn_parquet_statistics *s = &chunk->statistics;
    if (s->null_count >= 0 && s->null_count <= out->row_count) out->null_count = s->null_count;
    pmn_parquet_bytes_bounds bounds = { s->min_value, s->max_value, false };
    if (!order_is_defined(p, field->first_leaf) || (!bounds.min.data && !bounds.max.data))
        bounds = (pmn_parquet_bytes_bounds){ s->legacy_min, s->legacy_max, true };
    pmn_parquet_bounds_of(field->node, leaf, &bounds, out);
    return true;
}

/* ---- bloom filters ---- */

static paimon_status bloom_may_leaf(pruner *p, const pmn_pred *leaf, bool *may)
{
    const pmn_parquet_field *field;
    pmn_parquet_bloom bloom;
    bool found;
    *may = true;
    if ((leaf->op != PAIMON_OP_EQ && leaf->op != PAIMON_OP_IN) || follow_path(p, leaf, &field) != PATH_VALUE) return PAIMON_OK;
    if (chunk_of(p, field->first_leaf)->bloom_offset < 0) return PAIMON_OK;
    PMN_TRY(pmn_parquet_bloom_load(p->file, p->group, field->first_leaf, &p->arena, &bloom, &found, p->err));
    if (!found) return PAIMON_OK;
    for (int32_t i = 0; i < leaf->n_literals; i++) {
        uint8_t scratch[16];
        pmn_slice plain;
        if (!pmn_parquet_plain_of(field->node, leaf->type, &leaf->literals[i], scratch, &plain)) return PAIMON_OK;
        PMN_TRY(pmn_parquet_bloom_may_contain(&bloom, plain, may, p->err));
        if (*may) return PAIMON_OK;
    }
    return PAIMON_OK;
}

/* Recursion is as deep as the predicate, which is bounded where it is made. */
static paimon_status bloom_may_match(pruner *p, const pmn_pred *pred, bool *may)
{
    *may = pred->kind != PMN_PRED_FALSE;
    if (pred->kind == PMN_PRED_LEAF) return bloom_may_leaf(p, pred, may);
    if (pred->kind != PMN_PRED_AND && pred->kind != PMN_PRED_OR) return PAIMON_OK;
    bool is_or = pred->kind == PMN_PRED_OR;
    *may = !is_or;
    for (int32_t i = 0; i < pred->n_children && *may != is_or; i++) PMN_TRY(bloom_may_match(p, pred->children[i], may));
    return PAIMON_OK;
}

/* ---- page index ---- */

typedef struct page_view {
    const pruner *p;
    const pmn_parquet_field *field;
    const pmn_parquet_column_index *index;
    int32_t page;
} page_view;

static bool page_stat(void *ctx, const pmn_pred *leaf, pmn_stat *out)
{
    const page_view *view = ctx;
    const pmn_parquet_column_index *index = view->index;
    out->null_count = -1;
    out->min.is_null = out->max.is_null = true;
    if (index->null_pages[view->page]) {
        out->null_count = out->row_count;
        return true;
    }
    if (index->null_counts && index->null_counts[view->page] >= 0 && index->null_counts[view->page] <= out->row_count)
        out->null_count = index->null_counts[view->page];
    if (!order_is_defined(view->p, view->field->first_leaf)) return true;
    pmn_parquet_bytes_bounds bounds = { index->min[view->page], index->max[view->page], false };
    pmn_parquet_bounds_of(view->field->node, leaf, &bounds, out);
    return true;
}

/* Rows of the group, from 0. */
static paimon_status pages_of_leaf(pruner *p, const pmn_pred *leaf, int64_t n_rows, pmn_row_ranges *keep)
{
    const pmn_parquet_field *field;
    pmn_parquet_offset_index places;
    pmn_parquet_column_index index;
    bool found = false;
    path_end end = follow_path(p, leaf, &field);
    if (end == PATH_VALUE) PMN_TRY(pmn_parquet_column_index_load(p->file, p->group, field->first_leaf, &p->arena, &index, &found, p->err));
    if (found) PMN_TRY(pmn_parquet_offset_index_load(p->file, p->group, field->first_leaf, &p->arena, &places, &found, p->err));
    if (!found || places.n_pages != index.n_pages) return pmn_row_ranges_add(keep, 0, n_rows, p->err);
    for (int32_t i = 0; i < places.n_pages; i++) {
        int64_t first = places.pages[i].first_row, last = i + 1 < places.n_pages ? places.pages[i + 1].first_row : n_rows;
        page_view view = { p, field, &index, i };
        if (pmn_pred_may_match(leaf, last - first, page_stat, &view)) PMN_TRY(pmn_row_ranges_add(keep, first, last - first, p->err));
    }
    return PAIMON_OK;
}

static paimon_status pages_of(pruner *p, const pmn_pred *pred, int64_t n_rows, pmn_row_ranges *keep);

/* `keep` is the meeting (AND) or the union (OR) of what the children keep. */
static paimon_status pages_of_children(pruner *p, const pmn_pred *pred, int64_t n_rows, pmn_row_ranges *keep)
{
    bool is_or = pred->kind == PMN_PRED_OR;
    pmn_row_ranges child, merged;
    paimon_status status = PAIMON_OK;
    pmn_row_ranges_init(&child, keep->mem);
    pmn_row_ranges_init(&merged, keep->mem);
    if (!is_or) PMN_GOTO(status, pmn_row_ranges_add(keep, 0, n_rows, p->err), done);
    for (int32_t i = 0; i < pred->n_children; i++) {
        if (is_or ? pmn_row_ranges_count(keep) == n_rows : keep->n == 0) break;
        pmn_row_ranges_clear(&child);
        pmn_row_ranges_clear(&merged);
        PMN_GOTO(status, pages_of(p, pred->children[i], n_rows, &child), done);
        if (is_or) PMN_GOTO(status, pmn_row_ranges_union(keep->items, keep->n, child.items, child.n, &merged, p->err), done);
        else PMN_GOTO(status, pmn_row_ranges_intersect(keep->items, keep->n, child.items, child.n, &merged, p->err), done);
        pmn_row_ranges swap = *keep;
        *keep = merged;
        merged = swap;
    }
done:
    pmn_row_ranges_free(&child);
    pmn_row_ranges_free(&merged);
    return status;
}

static paimon_status pages_of(pruner *p, const pmn_pred *pred, int64_t n_rows, pmn_row_ranges *keep)
{
    switch (pred->kind) {
    case PMN_PRED_FALSE: return PAIMON_OK;
    case PMN_PRED_LEAF: return pages_of_leaf(p, pred, n_rows, keep);
    case PMN_PRED_AND:
    case PMN_PRED_OR: return pages_of_children(p, pred, n_rows, keep);
    default: return pmn_row_ranges_add(keep, 0, n_rows, p->err);
    }
}

/* ---- a group ---- */

static paimon_status prune_pages(pruner *p, const pmn_pred *pred, pmn_row_ranges *keep)
{
    const pmn_parquet_group *group = &p->file->meta.groups[p->group];
    pmn_row_ranges rows;
    paimon_status status;
    pmn_row_ranges_init(&rows, keep->mem);
    PMN_GOTO(status, pages_of(p, pred, group->n_rows, &rows), done);
    for (int32_t i = 0; i < rows.n; i++)
        PMN_GOTO(status, pmn_row_ranges_add(keep, group->first_row + rows.items[i].first, rows.items[i].count, p->err), done);
done:
    pmn_row_ranges_free(&rows);
    return status;
}

paimon_status pmn_parquet_prune_group(pmn_parquet_file *file, int32_t group, const pmn_pred *pred, const pmn_want *columns,
                                      pmn_row_ranges *keep, paimon_error *err)
{
    pruner p = { .file = file, .group = group, .columns = columns, .err = err };
    paimon_status status;
    bool may = true;
    if (!pmn_pred_may_match(pred, file->meta.groups[group].n_rows, group_stat, &p)) return PAIMON_OK;
    pmn_arena_init(&p.arena, file->mem);
    PMN_GOTO(status, bloom_may_match(&p, pred, &may), done);
    if (may) status = prune_pages(&p, pred, keep);
done:
    pmn_arena_free(&p.arena);
    return status;
}
