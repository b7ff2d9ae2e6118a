/* Bound trees: joining with simplification, and the rewrites that scan and read make: other column numbers, a split of the
 * conjunction by columns. Trees share what they do not change. */
#include "predicate/tree.h"

#include <string.h>

const pmn_pred PMN_PRED_ALWAYS = { .kind = PMN_PRED_TRUE };
const pmn_pred PMN_PRED_NEVER = { .kind = PMN_PRED_FALSE };

const pmn_pred *pmn_pred_join(pmn_arena *arena, pmn_pred_kind kind, const pmn_pred *const *children, int32_t n)
{
    const pmn_pred_kind neutral = kind == PMN_PRED_AND ? PMN_PRED_TRUE : PMN_PRED_FALSE;
    const pmn_pred *last = NULL;
    int64_t total = 0;
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++) {
        const pmn_pred *c = children[i];
        if (c->kind == neutral) continue;
        if (c->kind == PMN_PRED_TRUE || c->kind == PMN_PRED_FALSE) return c; /* absorbs the others */
        total += c->kind == kind ? c->n_children : 1;
        kept++;
        last = c;
    }
    if (kept == 0) return neutral == PMN_PRED_TRUE ? &PMN_PRED_ALWAYS : &PMN_PRED_NEVER;
    if (kept == 1) return last;
    if (total > INT32_MAX) return NULL;
    pmn_pred *joined = pmn_arena_calloc(arena, 1, sizeof *joined);
    const pmn_pred **items = pmn_arena_calloc(arena, (size_t)total, sizeof *items);
    if (!joined || !items) return NULL;
    joined->kind = kind;
    joined->children = items;
    for (int32_t i = 0; i < n; i++) {
        const pmn_pred *c = children[i];
        if (c->kind == neutral) continue;
        if (c->kind != kind) {
            items[joined->n_children++] = c;
            continue;
        }
        memcpy(items + joined->n_children, c->children, (size_t)c->n_children * sizeof *items);
        joined->n_children += c->n_children;
    }
    return joined;
}

static paimon_status remap_leaf(pmn_arena *arena, const pmn_pred *leaf, const int32_t *map, int32_t n_map, const pmn_pred **out, paimon_error *err)
{
    int32_t column = leaf->path[0];
    int32_t to = column < n_map ? map[column] : -1;
    if (to < 0) {
        *out = leaf->op == PAIMON_OP_IS_NULL ? &PMN_PRED_ALWAYS : &PMN_PRED_NEVER;
        return PAIMON_OK;
    }
    if (to == column) {
        *out = leaf;
        return PAIMON_OK;
    }
    pmn_pred *moved = pmn_arena_copy(arena, leaf, sizeof *leaf);
    int32_t *path = pmn_arena_copy(arena, leaf->path, (size_t)leaf->n_path * sizeof *path);
    if (!moved || !path) return pmn_fail_nomem(err, "a predicate");
    path[0] = to;
    moved->path = path;
    *out = moved;
    return PAIMON_OK;
}

paimon_status pmn_pred_remap(pmn_arena *arena, const pmn_pred *pred, const int32_t *map, int32_t n_map, const pmn_pred **out, paimon_error *err)
{
    if (pred->kind == PMN_PRED_LEAF) return remap_leaf(arena, pred, map, n_map, out, err);
    if (pred->kind != PMN_PRED_AND && pred->kind != PMN_PRED_OR) {
        *out = pred;
        return PAIMON_OK;
    }
    const pmn_pred **children = pmn_arena_calloc(arena, (size_t)pred->n_children, sizeof *children);
    if (!children) return pmn_fail_nomem(err, "a predicate");
    for (int32_t i = 0; i < pred->n_children; i++) PMN_TRY(pmn_pred_remap(arena, pred->children[i], map, n_map, &children[i], err));
    *out = pmn_pred_join(arena, pred->kind, children, pred->n_children);
    return *out ? PAIMON_OK : pmn_fail_nomem(err, "a predicate");
}

static bool uses_only(const pmn_pred *pred, const bool *want, int32_t n_columns)
{
    if (pred->kind == PMN_PRED_LEAF) return pred->path[0] < n_columns && want[pred->path[0]];
    for (int32_t i = 0; i < pred->n_children; i++) {
        if (!uses_only(pred->children[i], want, n_columns)) return false;
    }
    return true;
}

paimon_status pmn_pred_split(pmn_arena *arena, const pmn_pred *pred, const bool *want, int32_t n_columns, const pmn_pred **inside,
                             const pmn_pred **outside, paimon_error *err)
{
    const pmn_pred *const *parts = pred->kind == PMN_PRED_AND ? pred->children : &pred;
    int32_t n = pred->kind == PMN_PRED_AND ? pred->n_children : 1, n_in = 0, n_out = 0;
    const pmn_pred **in = pmn_arena_calloc(arena, (size_t)n, sizeof *in), **rest = pmn_arena_calloc(arena, (size_t)n, sizeof *rest);
    if (!in || !rest) return pmn_fail_nomem(err, "a predicate");
    for (int32_t i = 0; i < n; i++) {
        if (uses_only(parts[i], want, n_columns))
            in[n_in++] = parts[i];
        else
            rest[n_out++] = parts[i];
    }
    *inside = pmn_pred_join(arena, PMN_PRED_AND, in, n_in);
    *outside = pmn_pred_join(arena, PMN_PRED_AND, rest, n_out);
    return *inside && *outside ? PAIMON_OK : pmn_fail_nomem(err, "a predicate");
}

void pmn_pred_columns(const pmn_pred *pred, bool *used, int32_t n_columns)
{
    if (pred->kind == PMN_PRED_LEAF && pred->path[0] < n_columns) used[pred->path[0]] = true;
    for (int32_t i = 0; i < pred->n_children; i++) pmn_pred_columns(pred->children[i], used, n_columns);
}
