/* One value, and one row of values: the exact answer, for partitions and as the slow way out. */
#include <math.h>

#include "predicate/bound.h"
#include "predicate/like.h"
#include "predicate/literal.h"

static int order_doubles(double a, double b)
{
    if (isnan(a) || isnan(b)) return (isnan(a) != 0) - (isnan(b) != 0);
    return (a > b) - (a < b);
}

int pmn_pred_compare(const pmn_type *type, const pmn_datum *a, const pmn_datum *b)
{
    if (type->kind == PMN_FLOAT) return order_doubles((double)a->v.f, (double)b->v.f);
    if (type->kind == PMN_DOUBLE) return order_doubles(a->v.d, b->v.d);
    return pmn_datum_compare(type, a, b);
}

static bool in_list(const pmn_pred *leaf, const pmn_datum *value)
{
    int32_t low = 0, high = leaf->n_literals;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = pmn_pred_compare(leaf->type, &leaf->literals[middle], value);
        if (order == 0) return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static bool contains(pmn_slice text, pmn_slice part)
{
    for (size_t i = 0; i + part.size <= text.size; i++) {
        if (memcmp(text.data + i, part.data, part.size) == 0) return true;
    }
    return false;
}

static bool test_text(const pmn_pred *leaf, pmn_slice text)
{
    pmn_slice with = leaf->literals[0].v.bytes;
    if (leaf->type->kind == PMN_CHAR) text = pmn_char_trim(text);
    switch (leaf->op) {
    case PAIMON_OP_STARTS_WITH:
        return text.size >= with.size && memcmp(text.data, with.data, with.size) == 0;
    case PAIMON_OP_ENDS_WITH:
        return text.size >= with.size && memcmp(text.data + text.size - with.size, with.data, with.size) == 0;
    case PAIMON_OP_CONTAINS:
        return contains(text, with);
    case PAIMON_OP_LIKE:
        return pmn_like_match(with, text);
    case PAIMON_OP_NOT_LIKE:
        return !pmn_like_match(with, text);
    default:
        return false;
    }
}

bool pmn_pred_test(const pmn_pred *leaf, const pmn_datum *value)
{
    if (value->is_null) return leaf->op == PAIMON_OP_IS_NULL;
    if (leaf->op == PAIMON_OP_IS_NULL || leaf->op == PAIMON_OP_IS_NOT_NULL) return leaf->op == PAIMON_OP_IS_NOT_NULL;
    const pmn_datum *l = leaf->literals;
    switch (leaf->op) {
    case PAIMON_OP_EQ:
        return pmn_pred_compare(leaf->type, value, l) == 0;
    case PAIMON_OP_NE:
        return pmn_pred_compare(leaf->type, value, l) != 0;
    case PAIMON_OP_LT:
        return pmn_pred_compare(leaf->type, value, l) < 0;
    case PAIMON_OP_LE:
        return pmn_pred_compare(leaf->type, value, l) <= 0;
    case PAIMON_OP_GT:
        return pmn_pred_compare(leaf->type, value, l) > 0;
    case PAIMON_OP_GE:
        return pmn_pred_compare(leaf->type, value, l) >= 0;
    case PAIMON_OP_BETWEEN:
        return pmn_pred_compare(leaf->type, value, l) >= 0 && pmn_pred_compare(leaf->type, value, l + 1) <= 0;
    case PAIMON_OP_IN:
        return in_list(leaf, value);
    case PAIMON_OP_NOT_IN:
        return !in_list(leaf, value);
    default:
        return test_text(leaf, value->v.bytes);
    }
}

bool pmn_pred_eval_row(const pmn_pred *pred, const pmn_datum *values, int32_t n_values)
{
    switch (pred->kind) {
    case PMN_PRED_TRUE:
        return true;
    case PMN_PRED_FALSE:
        return false;
    case PMN_PRED_LEAF:
        return pred->n_path > 1 || pred->path[0] >= n_values || pmn_pred_test(pred, &values[pred->path[0]]);
    case PMN_PRED_AND:
        for (int32_t i = 0; i < pred->n_children; i++) {
            if (!pmn_pred_eval_row(pred->children[i], values, n_values)) return false;
        }
        return true;
    case PMN_PRED_OR:
        for (int32_t i = 0; i < pred->n_children; i++) {
            if (pmn_pred_eval_row(pred->children[i], values, n_values)) return true;
        }
        return false;
    }
    return true;
}
