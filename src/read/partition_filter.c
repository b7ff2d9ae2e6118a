#include "read/partition_filter.h"

#define FILTER_MAX_DEPTH 300 /* past what a predicate's text may have, and what NOT and BETWEEN add */

static const pmn_pred always_true = { .kind = PMN_PRED_TRUE };
static const pmn_pred never_true = { .kind = PMN_PRED_FALSE };

typedef struct pred_fixing {
    pmn_arena *arena;
    const bool *fixed;
    const pmn_datum *values;
    int32_t n_columns;
} pred_fixing;

static paimon_status fix_pred(const pred_fixing *f, const pmn_pred *pred, int depth, const pmn_pred **out, paimon_error *err);

/* AND drops TRUE and ends at FALSE; OR the other way round. */
static paimon_status fix_pred_children(const pred_fixing *f, const pmn_pred *pred, int depth, const pmn_pred **out, paimon_error *err)
{
    pmn_pred_kind neutral = pred->kind == PMN_PRED_AND ? PMN_PRED_TRUE : PMN_PRED_FALSE;
    const pmn_pred *ending = pred->kind == PMN_PRED_AND ? &never_true : &always_true;
    const pmn_pred **children = pmn_arena_calloc(f->arena, (size_t)pred->n_children + 1, sizeof *children);
    pmn_pred *copy = pmn_arena_calloc(f->arena, 1, sizeof *copy);
    if (!children || !copy) return pmn_fail_nomem(err, "a predicate");
    int32_t n = 0;
    for (int32_t i = 0; i < pred->n_children; i++) {
        const pmn_pred *child = NULL;
        PMN_TRY(fix_pred(f, pred->children[i], depth + 1, &child, err));
        if (child->kind == ending->kind) {
            *out = ending;
            return PAIMON_OK;
        }
        if (child->kind != neutral) children[n++] = child;
    }
    *copy = (pmn_pred){ .kind = pred->kind, .n_children = n, .children = children };
    *out = n > 1 ? copy : n == 1 ? children[0] : neutral == PMN_PRED_TRUE ? &always_true : &never_true;
    return PAIMON_OK;
}

static paimon_status fix_pred(const pred_fixing *f, const pmn_pred *pred, int depth, const pmn_pred **out, paimon_error *err)
{
    if (depth > FILTER_MAX_DEPTH) return pmn_fail(err, PAIMON_INVALID, "the predicate is nested too deeply");
    *out = pred;
    if (pred->kind == PMN_PRED_AND || pred->kind == PMN_PRED_OR) return fix_pred_children(f, pred, depth, out, err);
    if (pred->kind != PMN_PRED_LEAF || pred->path[0] >= f->n_columns || !f->fixed[pred->path[0]]) return PAIMON_OK;
    *out = pmn_pred_eval_row(pred, f->values, f->n_columns) ? &always_true : &never_true;
    return PAIMON_OK;
}

paimon_status pmn_pred_fix(pmn_arena *arena, const pmn_pred *pred, const bool *fixed, const pmn_datum *values, int32_t n_columns,
                           const pmn_pred **out, paimon_error *err)
{
    pred_fixing f = { arena, fixed, values, n_columns };
    return fix_pred(&f, pred, 0, out, err);
}
