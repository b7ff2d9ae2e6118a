/* Pruning a stripe in two steps: statistics of the file and of the stripe, then row group by row group the statistics of row indexes and bloom
 * filters. Indexes are read only of columns that some leaf asks in a way they can answer.
 *
 * Statistics count values; only of columns outside of lists and maps is a value a row. What does not parse says nothing: reading the data will
 * tell if it matters. See bounds.c for what is believed. */
#include <string.h>

#include "format/orc/bloom.h"
#include "format/orc/bounds.h"
#include "format/orc/file.h"

/* What indexes and filters of a column may decompress to; larger ones are done without. */
#define MOST_INDEX (64u * 1024 * 1024)

/* A column that the predicate asks. */
typedef struct orc_asked {
    struct orc_asked *next;
    const pmn_orc_type *type;
    bool is_nested;
    bool bounds_help; /* some leaf compares */
    bool bloom_helps; /* some leaf is = or IN on a type that is hashed */
    bool has_stats;   /* of what is looked at now */
    pmn_orc_stats stats;
    pmn_orc_index index; /* n 0: none */
    pmn_orc_blooms blooms;
    int32_t bloom_kind;
} orc_asked;

typedef struct orc_pruner {
    pmn_orc_file *file;
    int32_t stripe;
    const pmn_orc_stripe_footer *footer;
    pmn_decompressor *d;
    const pmn_want *columns;
    paimon_error *err;
    pmn_arena arena;
    orc_asked *asked;
    bool is_merged;    /* what is looked at now: a stripe or the file */
    int32_t group;     /* or this row group */
    int32_t n_groups;
} orc_pruner;

typedef enum orc_path_end { ORC_PATH_UNKNOWN, ORC_PATH_ABSENT, ORC_PATH_VALUE } orc_path_end;

/* What the path of a leaf leads to in this file. */
static orc_path_end orc_follow(const orc_pruner *p, const pmn_pred *leaf, const pmn_orc_type **type)
{
    const pmn_want *want = p->columns;
    for (int32_t i = 0; i < leaf->n_path; i++) {
        if (leaf->path[i] < 0 || leaf->path[i] >= want->n_children) return ORC_PATH_UNKNOWN;
        want = &want->children[leaf->path[i]];
        if (!want->field) return ORC_PATH_ABSENT;
        if (want->field->shape != (i == leaf->n_path - 1 ? PMN_SHAPE_LEAF : PMN_SHAPE_STRUCT)) return ORC_PATH_UNKNOWN;
    }
    *type = want->field->node;
    return (*type)->kind == PMN_ORC_UNION ? ORC_PATH_UNKNOWN : ORC_PATH_VALUE;
}

static orc_asked *orc_find_asked(const orc_pruner *p, const pmn_orc_type *type)
{
    for (orc_asked *a = p->asked; a; a = a->next) {
        if (a->type == type) return a;
    }
    return NULL;
}

static const pmn_orc_stream_info *orc_find_stream(const orc_pruner *p, int32_t column, int32_t kind)
{
    for (int32_t i = 0; i < p->footer->n_streams; i++) {
        const pmn_orc_stream_info *s = &p->footer->streams[i];
        if (s->column == column && s->kind == kind && s->size > 0) return s;
    }
    return NULL;
}

static bool orc_compares(paimon_predicate_op op)
{
    return op != PAIMON_OP_ENDS_WITH && op != PAIMON_OP_CONTAINS && op != PAIMON_OP_LIKE && op != PAIMON_OP_NOT_LIKE;
}

static bool orc_asks_bloom(const pmn_pred *leaf) { return leaf->op == PAIMON_OP_EQ || leaf->op == PAIMON_OP_IN; }

/* Gather the columns. Recursion is as deep as the predicate, which is bounded where it is made. */
static paimon_status orc_ask(orc_pruner *p, const pmn_pred *pred)
{
    const pmn_orc_type *type;
    if (pred->kind == PMN_PRED_AND || pred->kind == PMN_PRED_OR) {
        for (int32_t i = 0; i < pred->n_children; i++) PMN_TRY(orc_ask(p, pred->children[i]));
    }
    if (pred->kind != PMN_PRED_LEAF || orc_follow(p, pred, &type) != ORC_PATH_VALUE) return PAIMON_OK;
    orc_asked *a = orc_find_asked(p, type);
    if (!a) {
        a = pmn_arena_calloc(&p->arena, 1, sizeof *a);
        if (!a) return pmn_fail_nomem(p->err, "the columns of a filter");
        a->type = type;
        a->is_nested = pred->n_path > 1;
        a->bloom_kind = orc_find_stream(p, type->id, PMN_ORC_BLOOM_FILTER_UTF8) ? PMN_ORC_BLOOM_FILTER_UTF8 : PMN_ORC_BLOOM_FILTER;
        a->next = p->asked;
        p->asked = a;
    }
    if (orc_compares(pred->op)) a->bounds_help = true;
    if (orc_asks_bloom(pred) && pmn_orc_bloom_fits(&p->file->meta, a->bloom_kind, type, pred->type)) a->bloom_helps = true;
    return PAIMON_OK;
}

/* ---- answers ---- */

static bool orc_stat(void *ctx, const pmn_pred *leaf, pmn_stat *out)
{
    orc_pruner *p = ctx;
    const pmn_orc_type *type;
    out->null_count = -1;
    out->min.is_null = out->max.is_null = true;
    orc_path_end end = orc_follow(p, leaf, &type);
    if (end == ORC_PATH_UNKNOWN) return false;
    if (end == ORC_PATH_ABSENT) {
        out->null_count = out->row_count;
        return true;
    }
    const orc_asked *a = orc_find_asked(p, type);
    if (!a || !a->has_stats) return false;
    pmn_orc_bounds_of_what what = { &p->file->meta, type, p->footer->zone, a->is_nested, p->is_merged, p->file->instants_are_local, &p->arena };
    pmn_orc_bounds_of(&what, leaf->type, &a->stats, out);
    return true;
}

static void orc_look_at(orc_asked *a, pmn_slice bytes) { a->has_stats = bytes.data && pmn_orc_stats_parse(bytes, &a->stats, NULL) == PAIMON_OK; }

static bool orc_bloom_leaf(const orc_pruner *p, const pmn_pred *leaf)
{
    const pmn_orc_type *type;
    if (!orc_asks_bloom(leaf) || orc_follow(p, leaf, &type) != ORC_PATH_VALUE) return true;
    const orc_asked *a = orc_find_asked(p, type);
    if (!a || a->blooms.n == 0) return true;
    for (int32_t i = 0; i < leaf->n_literals; i++) {
        if (pmn_orc_bloom_may_hold(&a->blooms.filters[p->group], a->bloom_kind, &p->file->meta, type, leaf->type, &leaf->literals[i])) return true;
    }
    return false;
}

/* Statistics and filters of a row group together. */
static bool orc_group_may(orc_pruner *p, const pmn_pred *pred, int64_t rows)
{
    if (pred->kind == PMN_PRED_LEAF) return pmn_pred_may_match(pred, rows, orc_stat, p) && orc_bloom_leaf(p, pred);
    if (pred->kind != PMN_PRED_AND && pred->kind != PMN_PRED_OR) return pred->kind != PMN_PRED_FALSE;
    bool is_or = pred->kind == PMN_PRED_OR;
    for (int32_t i = 0; i < pred->n_children; i++) {
        if (orc_group_may(p, pred->children[i], rows) == is_or) return is_or;
    }
    return !is_or;
}

/* ---- what is read ---- */

/* A message of the stripe, into the arena; data NULL if it is damaged or too large. */
static paimon_status orc_load_message(orc_pruner *p, const pmn_orc_stream_info *s, pmn_slice *out)
{
    pmn_buf bytes;
    *out = pmn_slice_of(NULL, 0);
    pmn_buf_init(&bytes, p->file->mem, MOST_INDEX);
    paimon_status status = pmn_orc_file_message(p->file, p->d, s->offset, s->size, &bytes, p->err);
    bool too_large = status == PAIMON_NOMEM && bytes.size + (size_t)p->file->meta.chunk_size > MOST_INDEX;
    if (status == PAIMON_OK) {
        out->data = pmn_arena_copy(&p->arena, bytes.data, bytes.size);
        out->size = bytes.size;
        if (!out->data) status = pmn_fail_nomem(p->err, "a row index");
    } else if (too_large || (status != PAIMON_NOMEM && status != PAIMON_IO)) {
        paimon_error_clear(p->err);
        status = PAIMON_OK;
    }
    pmn_buf_free(&bytes);
    return status;
}

static paimon_status orc_load_asked(orc_pruner *p, orc_asked *a, bool with_index)
{
    pmn_slice bytes;
    paimon_status status;
    const pmn_orc_stream_info *s = with_index && a->bounds_help ? orc_find_stream(p, a->type->id, PMN_ORC_ROW_INDEX) : NULL;
    if (s) {
        PMN_TRY(orc_load_message(p, s, &bytes));
        status = bytes.data ? pmn_orc_index_parse(&p->arena, bytes, &a->index, NULL) : PAIMON_OK;
        if (status == PAIMON_NOMEM) return pmn_fail_nomem(p->err, "a row index");
        if (status != PAIMON_OK || a->index.n != p->n_groups) a->index.n = 0;
    }
    s = a->bloom_helps ? orc_find_stream(p, a->type->id, a->bloom_kind) : NULL;
    if (!s) return PAIMON_OK;
    PMN_TRY(orc_load_message(p, s, &bytes));
    status = bytes.data ? pmn_orc_blooms_parse(&p->arena, bytes, a->bloom_kind, &a->blooms, NULL) : PAIMON_OK;
    if (status == PAIMON_NOMEM) return pmn_fail_nomem(p->err, "bloom filters");
    if (status != PAIMON_OK || a->blooms.n != p->n_groups) a->blooms.n = 0;
    return PAIMON_OK;
}

/* ---- steps ---- */

/* `*may` false: the file's or the stripe's statistics rule the stripe out. `*known`: the stripe's are there for every column. */
static paimon_status orc_prune_whole(orc_pruner *p, const pmn_pred *pred, bool *may, bool *known)
{
    const pmn_orc_meta *meta = &p->file->meta;
    pmn_slice bytes;
    p->is_merged = true;
    *known = true;
    for (orc_asked *a = p->asked; a; a = a->next) orc_look_at(a, a->type->id < meta->n_file_stats ? meta->file_stats[a->type->id] : pmn_slice_of(NULL, 0));
    *may = pmn_pred_may_match(pred, meta->n_rows, orc_stat, p);
    if (!*may) return PAIMON_OK;
    for (orc_asked *a = p->asked; a; a = a->next) {
        PMN_TRY(pmn_orc_file_stripe_stats(p->file, p->d, p->stripe, a->type->id, &bytes, p->err));
        orc_look_at(a, bytes);
        *known = *known && a->has_stats;
    }
    *may = pmn_pred_may_match(pred, meta->stripes[p->stripe].n_rows, orc_stat, p);
    return PAIMON_OK;
}

static paimon_status orc_prune_groups(orc_pruner *p, const pmn_pred *pred, bool with_index, pmn_row_ranges *keep)
{
    const pmn_orc_stripe *stripe = &p->file->meta.stripes[p->stripe];
    int64_t stride = p->file->meta.row_index_stride;
    bool any = false;
    for (orc_asked *a = p->asked; a; a = a->next) {
        PMN_TRY(orc_load_asked(p, a, with_index));
        any = any || a->index.n > 0 || a->blooms.n > 0;
        a->has_stats = false;
    }
    if (!any) return pmn_row_ranges_add(keep, stripe->first_row, stripe->n_rows, p->err);
    p->is_merged = false;
    for (p->group = 0; p->group < p->n_groups; p->group++) {
        int64_t first = p->group * stride, rows = stripe->n_rows - first < stride ? stripe->n_rows - first : stride;
        for (orc_asked *a = p->asked; a; a = a->next) orc_look_at(a, a->index.n > 0 ? a->index.entries[p->group].stats : pmn_slice_of(NULL, 0));
        if (orc_group_may(p, pred, rows)) PMN_TRY(pmn_row_ranges_add(keep, stripe->first_row + first, rows, p->err));
    }
    return PAIMON_OK;
}

static paimon_status orc_prune(orc_pruner *p, const pmn_pred *pred, pmn_row_ranges *keep)
{
    const pmn_orc_meta *meta = &p->file->meta;
    const pmn_orc_stripe *stripe = &meta->stripes[p->stripe];
    int64_t groups = 0;
    bool may, known;
    PMN_TRY(orc_ask(p, pred));
    PMN_TRY(orc_prune_whole(p, pred, &may, &known));
    if (!may) return PAIMON_OK;
    if (meta->row_index_stride > 0) groups = stripe->n_rows / meta->row_index_stride + (stripe->n_rows % meta->row_index_stride != 0);
    if (groups < 1 || groups > INT32_MAX) return pmn_row_ranges_add(keep, stripe->first_row, stripe->n_rows, p->err);
    p->n_groups = (int32_t)groups;
    /* One row group has the stripe's statistics again. */
    return orc_prune_groups(p, pred, groups > 1 || !known, keep);
}

paimon_status pmn_orc_prune_stripe(pmn_orc_file *file, int32_t i, const pmn_orc_stripe_footer *footer, pmn_decompressor *d, const pmn_pred *pred,
                                   const pmn_want *columns, pmn_row_ranges *keep, paimon_error *err)
{
    orc_pruner p = { .file = file, .stripe = i, .footer = footer, .d = d, .columns = columns, .err = err };
    pmn_arena_init(&p.arena, file->mem);
    paimon_status status = orc_prune(&p, pred, keep);
    pmn_arena_free(&p.arena);
    return status;
}
