/* Pruning by statistics: "can any row be TRUE?" Whatever is unknown is maybe.
 *
 * The rules are those of Java's leaf functions on (row count, min, max, null count), kept from losing rows where Java does:
 *   - a NaN among the bounds makes both of them worthless;
 *   - the bounds of floats may leave NaN out (Parquet footers do, and Java passes that on), and NaN is the greatest value, so a
 *     maximum proves nothing about > and >=, nor do equal bounds about <> and NOT IN;
 *   - a text maximum that was cut and stepped up by Java may end in '?' where U+D7FF was, and then lies too low;
 *   - a timestamp bound may carry more digits than the type, which reading cuts off: it is cut here too. */
#include <string.h>

#include "predicate/bound.h"
#include "predicate/literal.h"

typedef struct bounds {
    const pmn_type *type;
    bool has_min, has_max;
    bool hides_nan; /* values above max may be there after all */
    pmn_datum min, max;
} bounds;

/* Reading keeps 0, 3, 6 or 9 digits of the second. */
static void cut_timestamp(int32_t precision, pmn_timestamp *ts)
{
    if (precision == 0) ts->millis -= ts->millis % 1000 < 0 ? ts->millis % 1000 + 1000 : ts->millis % 1000;
    if (precision <= 3)
        ts->nanos_of_milli = 0;
    else if (precision <= 6)
        ts->nanos_of_milli -= ts->nanos_of_milli % 1000;
}

static bounds make_bounds(const pmn_type *type, const pmn_stat *stat)
{
    bounds b = { type, !stat->min.is_null, !stat->max.is_null, false, stat->min, stat->max };
    if (type->kind == PMN_FLOAT || type->kind == PMN_DOUBLE) {
        b.hides_nan = true;
        if ((b.has_min && pmn_datum_is_nan(type, &b.min)) || (b.has_max && pmn_datum_is_nan(type, &b.max))) b.has_min = b.has_max = false;
    } else if (pmn_type_is_text(type)) {
        if (type->kind == PMN_CHAR) {
            if (b.has_min) b.min.v.bytes = pmn_char_trim(b.min.v.bytes);
            if (b.has_max) b.max.v.bytes = pmn_char_trim(b.max.v.bytes);
        }
        if (b.has_max && b.max.v.bytes.size && b.max.v.bytes.data[b.max.v.bytes.size - 1] == '?') b.has_max = false;
    } else if (type->kind == PMN_TIMESTAMP || type->kind == PMN_TIMESTAMP_LTZ) {
        if (b.has_min) cut_timestamp(type->length, &b.min.v.ts);
        if (b.has_max) cut_timestamp(type->length, &b.max.v.ts);
    }
    return b;
}

static bool may_reach_down(const bounds *b, const pmn_datum *v, bool strictly)
{
    if (!b->has_min) return true;
    int order = pmn_pred_compare(b->type, &b->min, v);
    return strictly ? order < 0 : order <= 0;
}

static bool may_reach_up(const bounds *b, const pmn_datum *v, bool strictly)
{
    if (!b->has_max || b->hides_nan) return true;
    int order = pmn_pred_compare(b->type, &b->max, v);
    return strictly ? order > 0 : order >= 0;
}

/* Some value may equal `v`, or lie in [v, w]. NaN is hidden from the maximum only if it is itself asked for. */
static bool may_overlap(const bounds *b, const pmn_datum *v, const pmn_datum *w)
{
    if (!may_reach_down(b, w, false)) return false;
    if (!b->has_max || (b->hides_nan && pmn_datum_is_nan(b->type, w))) return true;
    return pmn_pred_compare(b->type, &b->max, v) >= 0;
}

/* Every value is known to be `v`. */
static bool all_are(const bounds *b, const pmn_datum *v)
{
    return b->has_min && b->has_max && !b->hides_nan && pmn_pred_compare(b->type, &b->min, v) == 0 && pmn_pred_compare(b->type, &b->max, v) == 0;
}

/* The first literal that is not below min decides: a later one is greater still. */
static bool may_be_in(const bounds *b, const pmn_pred *leaf)
{
    int32_t low = 0, high = leaf->n_literals;
    while (b->has_min && low < high) {
        int32_t middle = low + (high - low) / 2;
        if (pmn_pred_compare(b->type, &leaf->literals[middle], &b->min) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == leaf->n_literals) return false;
    const pmn_datum *last = &leaf->literals[leaf->n_literals - 1];
    return may_overlap(b, &leaf->literals[low], &leaf->literals[low]) || (b->hides_nan && pmn_datum_is_nan(b->type, last));
}

static bool may_all_miss(const bounds *b, const pmn_pred *leaf)
{
    for (int32_t i = 0; i < leaf->n_literals; i++) {
        if (all_are(b, &leaf->literals[i])) return false;
    }
    return true;
}

/* Texts with the prefix p lie at or above p, and below everything that is greater than p without having it. */
static bool may_start_with(const bounds *b, pmn_slice p)
{
    pmn_slice min = b->min.v.bytes, max = b->max.v.bytes;
    if (b->has_min && pmn_slice_compare(min, p) > 0 && !(min.size >= p.size && memcmp(min.data, p.data, p.size) == 0)) return false;
    return !b->has_max || pmn_slice_compare(max, p) >= 0;
}

static bool leaf_may_match(const pmn_pred *leaf, int64_t row_count, pmn_stat_fn stats, void *ctx)
{
    pmn_stat stat;
    memset(&stat, 0, sizeof stat);
    stat.row_count = row_count;
    if (!stats(ctx, leaf, &stat)) return true;
    bool nulls_known = stat.null_count >= 0 && stat.row_count >= 0;
    if (leaf->op == PAIMON_OP_IS_NULL) return stat.null_count != 0;
    if (nulls_known && stat.null_count >= stat.row_count) return false;
    if (leaf->op == PAIMON_OP_IS_NOT_NULL) return true;
    bounds b = make_bounds(leaf->type, &stat);
    const pmn_datum *l = leaf->literals;
    switch (leaf->op) {
    case PAIMON_OP_EQ:
        return may_overlap(&b, l, l);
    case PAIMON_OP_NE:
        return !all_are(&b, l);
    case PAIMON_OP_LT:
        return may_reach_down(&b, l, true);
    case PAIMON_OP_LE:
        return may_reach_down(&b, l, false);
    case PAIMON_OP_GT:
        return may_reach_up(&b, l, true);
    case PAIMON_OP_GE:
        return may_reach_up(&b, l, false);
    case PAIMON_OP_BETWEEN:
        return may_overlap(&b, l, l + 1);
    case PAIMON_OP_IN:
        return may_be_in(&b, leaf);
    case PAIMON_OP_NOT_IN:
        return may_all_miss(&b, leaf);
    case PAIMON_OP_STARTS_WITH:
        return may_start_with(&b, l->v.bytes);
    default:
        return true; /* ENDS WITH, CONTAINS, LIKE, NOT LIKE */
    }
}

bool pmn_pred_may_match(const pmn_pred *pred, int64_t row_count, pmn_stat_fn stats, void *ctx)
{
    switch (pred->kind) {
    case PMN_PRED_TRUE:
        return true;
    case PMN_PRED_FALSE:
        return false;
    case PMN_PRED_LEAF:
        return leaf_may_match(pred, row_count, stats, ctx);
    case PMN_PRED_AND:
        for (int32_t i = 0; i < pred->n_children; i++) {
            if (!pmn_pred_may_match(pred->children[i], row_count, stats, ctx)) return false;
        }
        return true;
    case PMN_PRED_OR:
        for (int32_t i = 0; i < pred->n_children; i++) {
            if (pmn_pred_may_match(pred->children[i], row_count, stats, ctx)) return true;
        }
        return false;
    }
    return true;
}
