/* Random predicates on random batches: a row evaluator, written plainly on the tree as the user built it, judges binding,
 * evaluation on Arrow and on rows, printing and parsing, splitting, remapping, and that pruning never loses a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bitmap.h"
#include "base/datetime.h"
#include "predicate/ast.h"
#include "predicate/bound.h"
#include "random_batch.h"
#include "support/failing_alloc.h"

/* --- the judge --- */

typedef enum truth { NO, YES, UNKNOWN } truth;

typedef struct node {
    pmn_node_kind kind;
    int n_children;
    struct node *children[4];
    int column;
    paimon_predicate_op op;
    int n_literals;
    cell literals[12];
} node;

static int order_reals(double a, double b)
{
    if (isnan(a)) return isnan(b) ? 0 : 1;
    if (isnan(b)) return -1;
    return a < b ? -1 : a > b ? 1 : 0;
}

static size_t trimmed(const column_kind *k, const cell *c)
{
    size_t n = c->size;
    while (k->kind == PMN_CHAR && n && c->bytes[n - 1] == ' ') n--;
    return n;
}

static int order_cells(const column_kind *k, const cell *a, const cell *b)
{
    if (k->grid == GRID_REAL) return order_reals(a->real, b->real);
    if (k->grid != GRID_BYTES) return a->n < b->n ? -1 : a->n > b->n ? 1 : 0;
    size_t n = trimmed(k, a), m = trimmed(k, b);
    for (size_t i = 0; i < n && i < m; i++) {
        if (a->bytes[i] != b->bytes[i]) return a->bytes[i] < b->bytes[i] ? -1 : 1;
    }
    return n < m ? -1 : n > m ? 1 : 0;
}

static size_t step(const uint8_t *t, size_t n)
{
    size_t i = 1;
    while (i < n && (t[i] & 0xC0) == 0x80) i++;
    return i;
}

static bool like(const uint8_t *p, size_t np, const uint8_t *t, size_t nt)
{
    if (np == 0) return nt == 0;
    if (*p == '%') return like(p + 1, np - 1, t, nt) || (nt && like(p, np, t + step(t, nt), nt - step(t, nt)));
    if (nt == 0) return false;
    if (*p == '_') return like(p + 1, np - 1, t + step(t, nt), nt - step(t, nt));
    if (*p == '\\') return p[1] == *t && like(p + 2, np - 2, t + 1, nt - 1);
    return *p == *t && like(p + 1, np - 1, t + 1, nt - 1);
}

static truth not(truth t) { return t == UNKNOWN ? UNKNOWN : t == YES ? NO : YES; }
static truth and (truth a, truth b) { return a == NO || b == NO ? NO : a == UNKNOWN || b == UNKNOWN ? UNKNOWN : YES; }
static truth or (truth a, truth b) { return not(and(not(a), not(b))); }

static truth judge_compare(const column_kind *k, paimon_predicate_op op, const cell *c, const cell *l)
{
    if (c->is_null || l->is_null) return UNKNOWN;
    int order = order_cells(k, c, l);
    switch (op) {
    case PAIMON_OP_EQ:
        return order == 0 ? YES : NO;
    case PAIMON_OP_NE:
        return order != 0 ? YES : NO;
    case PAIMON_OP_LT:
        return order < 0 ? YES : NO;
    case PAIMON_OP_LE:
        return order <= 0 ? YES : NO;
    case PAIMON_OP_GT:
        return order > 0 ? YES : NO;
    default:
        return order >= 0 ? YES : NO;
    }
}

static truth judge_leaf(const node *leaf, const cell *c)
{
    const column_kind *k = &COLUMNS[leaf->column];
    const cell *l = leaf->literals;
    truth t = NO;
    switch (leaf->op) {
    case PAIMON_OP_IS_NULL:
        return c->is_null ? YES : NO;
    case PAIMON_OP_IS_NOT_NULL:
        return c->is_null ? NO : YES;
    case PAIMON_OP_IN:
    case PAIMON_OP_NOT_IN:
        for (int i = 0; i < leaf->n_literals; i++) t = or (t, judge_compare(k, PAIMON_OP_EQ, c, &l[i]));
        return leaf->op == PAIMON_OP_IN ? t : not(t);
    case PAIMON_OP_BETWEEN:
    case PAIMON_OP_NOT_BETWEEN:
        t = and(judge_compare(k, PAIMON_OP_GE, c, &l[0]), judge_compare(k, PAIMON_OP_LE, c, &l[1]));
        return leaf->op == PAIMON_OP_BETWEEN ? t : not(t);
    case PAIMON_OP_STARTS_WITH:
    case PAIMON_OP_ENDS_WITH:
    case PAIMON_OP_CONTAINS:
        if (c->is_null) return UNKNOWN;
        for (size_t at = 0; at + l->size <= trimmed(k, c); at++) {
            bool here = memcmp(c->bytes + at, l->bytes, l->size) == 0;
            if (leaf->op == PAIMON_OP_STARTS_WITH && at > 0) here = false;
            if (leaf->op == PAIMON_OP_ENDS_WITH && at + l->size != trimmed(k, c)) here = false;
            if (here) return YES;
        }
        return NO;
    case PAIMON_OP_LIKE:
    case PAIMON_OP_NOT_LIKE:
        if (c->is_null || l->is_null) return UNKNOWN;
        t = like(l->bytes, l->size, c->bytes, trimmed(k, c)) ? YES : NO;
        return leaf->op == PAIMON_OP_LIKE ? t : not(t);
    default:
        return judge_compare(k, leaf->op, c, l);
    }
}

typedef const cell *(*cell_fn)(const void *ctx, int column, int64_t row);

static truth judge(const node *n, cell_fn cells, const void *ctx, int64_t row)
{
    if (n->kind == PMN_NODE_LEAF) return judge_leaf(n, cells(ctx, n->column, row));
    if (n->kind == PMN_NODE_NOT) return not(judge(n->children[0], cells, ctx, row));
    truth t = judge(n->children[0], cells, ctx, row);
    for (int i = 1; i < n->n_children; i++) {
        truth u = judge(n->children[i], cells, ctx, row);
        t = n->kind == PMN_NODE_AND ? and(t, u) : or (t, u);
    }
    return t;
}

static const cell *cell_of_batch(const void *ctx, int column, int64_t row) { return &((const random_batch *)ctx)->cells[column][row]; }

/* --- random trees --- */

static void random_pattern(cell *c)
{
    static const char *const PART[] = { "a", "b", "é", "%", "%", "_", "\\%", "\\_", "\\\\", "ab" };
    int parts = below(6);
    c->size = 0;
    for (int i = 0; i < parts; i++) {
        const char *part = PART[below(10)];
        memcpy(c->bytes + c->size, part, strlen(part));
        c->size += strlen(part);
    }
}

/* A literal near the cells: between two of them, or past all of them, too. */
static cell random_literal(const column_kind *k)
{
    cell c = random_cell(k, 6);
    if (k->grid == GRID_TENTHS && k->kind != PMN_BOOLEAN && below(3) == 0) c.n += below(19) - 9;
    if (k->grid == GRID_TENTHS && k->kind != PMN_BOOLEAN && below(12) == 0) c.n *= 3; /* out of range where it was at the edge */
    if (k->grid == GRID_NANOS && k->kind != PMN_TIMESTAMP_LTZ && below(3) == 0) c.n += k->kind == PMN_TIME ? below(999999) : below(2000000) - 1000000;
    if (k->kind == PMN_TIMESTAMP && below(3)) c.n -= c.n % 1000000;
    if (k->kind == PMN_FLOAT) c.real = (double)(float)c.real;
    return c;
}

static paimon_predicate_op random_op(const column_kind *k)
{
    static const paimon_predicate_op NULLS[] = { PAIMON_OP_IS_NULL, PAIMON_OP_IS_NOT_NULL };
    static const paimon_predicate_op TEXTS[] = { PAIMON_OP_STARTS_WITH, PAIMON_OP_ENDS_WITH, PAIMON_OP_CONTAINS, PAIMON_OP_LIKE, PAIMON_OP_NOT_LIKE };
    static const paimon_predicate_op OTHERS[] = { PAIMON_OP_EQ, PAIMON_OP_NE, PAIMON_OP_LT,     PAIMON_OP_LE,      PAIMON_OP_GT,
                                                  PAIMON_OP_GE, PAIMON_OP_IN, PAIMON_OP_NOT_IN, PAIMON_OP_BETWEEN, PAIMON_OP_NOT_BETWEEN };
    if (k->grid == GRID_NONE || below(10) == 0) return NULLS[below(2)];
    if ((k->kind == PMN_VARCHAR || k->kind == PMN_CHAR) && below(3) == 0) return TEXTS[below(5)];
    return OTHERS[below(10)];
}

static node *random_node(random_batch *b, int depth, int only_column)
{
    node *n = track(b, sizeof *n);
    memset(n, 0, sizeof *n);
    int kind = depth == 0 ? 0 : below(6);
    if (kind >= 3) {
        n->kind = kind == 3 ? PMN_NODE_NOT : kind == 4 ? PMN_NODE_AND : PMN_NODE_OR;
        n->n_children = kind == 3 ? 1 : 2 + below(3);
        for (int i = 0; i < n->n_children; i++) n->children[i] = random_node(b, depth - 1, only_column);
        return n;
    }
    n->kind = PMN_NODE_LEAF;
    n->column = only_column >= 0 ? only_column : below(N_COLUMNS);
    const column_kind *k = &COLUMNS[n->column];
    n->op = random_op(k);
    bool affix = n->op == PAIMON_OP_STARTS_WITH || n->op == PAIMON_OP_ENDS_WITH || n->op == PAIMON_OP_CONTAINS;
    n->n_literals = n->op == PAIMON_OP_IS_NULL || n->op == PAIMON_OP_IS_NOT_NULL   ? 0
                    : n->op == PAIMON_OP_BETWEEN || n->op == PAIMON_OP_NOT_BETWEEN ? 2
                    : n->op == PAIMON_OP_IN || n->op == PAIMON_OP_NOT_IN           ? 1 + below(12)
                                                                                   : 1;
    for (int i = 0; i < n->n_literals; i++) {
        n->literals[i] = random_literal(k);
        if (n->op == PAIMON_OP_NOT_IN && below(8)) n->literals[i].is_null = false;
        if (n->op == PAIMON_OP_LIKE || n->op == PAIMON_OP_NOT_LIKE) random_pattern(&n->literals[i]);
        if (affix) {
            n->literals[i].is_null = false;
            if (n->literals[i].size > 4) n->literals[i].size = 0;
            while (n->literals[i].size && n->literals[i].bytes[n->literals[i].size - 1] >= 0x80) n->literals[i].size--; /* keep UTF-8 whole */
            if (k->kind == PMN_CHAR) n->literals[i].size = trimmed(k, &n->literals[i]);
        }
    }
    return n;
}

static paimon_literal user_literal(const column_kind *k, const cell *c, char text[80])
{
    paimon_literal l;
    memset(&l, 0, sizeof l);
    if (c->is_null) return l;
    l.text = text;
    if (k->kind == PMN_BOOLEAN) {
        l.kind = PAIMON_LITERAL_BOOL;
        l.boolean = c->n != 0;
    } else if (k->grid == GRID_REAL) {
        l.kind = PAIMON_LITERAL_DOUBLE;
        l.real = c->real;
    } else if (k->grid == GRID_BYTES) {
        l.kind = k->kind == PMN_VARBINARY ? PAIMON_LITERAL_BYTES : PAIMON_LITERAL_TEXT;
        l.text = (const char *)c->bytes;
        l.text_size = c->size;
    } else if (k->grid == GRID_TENTHS) {
        l.kind = below(3) ? PAIMON_LITERAL_NUMBER : PAIMON_LITERAL_TEXT;
        l.text_size = pmn_decimal_print(c->n, k->scale + 1, text);
    } else {
        l.kind = PAIMON_LITERAL_TEXT;
        int64_t seconds = (int64_t)(c->n / 1000000000) - (c->n % 1000000000 < 0);
        int32_t nanos = (int32_t)(c->n - (pmn_i128)seconds * 1000000000);
        if (k->kind == PMN_TIME)
            l.text_size = pmn_time_print((int64_t)c->n, text);
        else if (k->kind == PMN_DATE && nanos == 0 && seconds % 86400 == 0)
            l.text_size = pmn_date_print(seconds / 86400, text);
        else
            l.text_size = pmn_timestamp_print(seconds, nanos, below(2) ? ' ' : 'T', text);
    }
    return l;
}

static paimon_predicate *build(const node *n)
{
    paimon_predicate *p = NULL, *children[4] = { NULL };
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_status status;
    if (n->kind == PMN_NODE_LEAF) {
        const column_kind *k = &COLUMNS[n->column];
        paimon_literal literals[12];
        char texts[12][80];
        for (int i = 0; i < n->n_literals; i++) literals[i] = user_literal(k, &n->literals[i], texts[i]);
        status = paimon_predicate_leaf(k->path, (size_t)k->n_path, n->op, literals, (size_t)n->n_literals, &p, &err);
    } else {
        for (int i = 0; i < n->n_children; i++) children[i] = build(n->children[i]);
        if (n->kind == PMN_NODE_NOT)
            status = paimon_predicate_not(children[0], &p, &err);
        else
            status = (n->kind == PMN_NODE_AND ? paimon_predicate_and : paimon_predicate_or)(children, (size_t)n->n_children, &p, &err);
        for (int i = 0; i < n->n_children; i++) paimon_predicate_free(children[i]);
    }
    if (status != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    return p;
}

/* --- the runs --- */

typedef struct fixture {
    pmn_arena arena;
    const pmn_type *row;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_arena_init(&f->arena, pmn_mem_default());
    if (pmn_type_parse(&f->arena, ROW_TYPE_TEXT, &f->row, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pmn_arena_free(&f->arena);
    free(f);
    return 0;
}

static void check_text(const paimon_predicate *p)
{
    char *text = NULL;
    paimon_predicate *again = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(paimon_predicate_print(p, &text, NULL), PAIMON_OK);
    if (paimon_predicate_parse(text, &again, &err) != PAIMON_OK) fail_msg("%s: %s", text, paimon_error_message(&err));
    if (!pmn_predicate_equal(p, again)) fail_msg("%s does not read back", text);
    paimon_predicate_free(again);
    paimon_string_free(text);
}

static void complain(const paimon_predicate *p, const char *what, int64_t row)
{
    char *text = NULL;
    assert_int_equal(paimon_predicate_print(p, &text, NULL), PAIMON_OK);
    fail_msg("%s, row %lld: %s", what, (long long)row, text);
}

static void check_batch(const paimon_predicate *p, const pmn_pred *bound, const random_batch *b, const int32_t *columns, const truth *right)
{
    uint8_t selected[MAX_ROWS / 8 + 1];
    int64_t n_selected = -1, n_right = 0;
    paimon_error err = PAIMON_ERROR_INIT;
    if (pmn_pred_eval(bound, &b->schema, &b->array, columns, pmn_mem_default(), selected, &n_selected, &err) != PAIMON_OK) {
        complain(p, paimon_error_message(&err), -1);
    }
    for (int64_t i = 0; i < b->n; i++) {
        n_right += right[i] == YES;
        if (pmn_bit_get(selected, i) != (right[i] == YES)) complain(p, right[i] == YES ? "row lost" : "row too many", i);
    }
    assert_int_equal(n_selected, n_right);
}

static bool has_nested(const pmn_pred *pred)
{
    bool nested = pred->kind == PMN_PRED_LEAF && pred->n_path > 1;
    for (int32_t i = 0; i < pred->n_children; i++) nested = nested || has_nested(pred->children[i]);
    return nested;
}

/* On rows of datums; nested leaves count as maybe. */
static void check_rows(const paimon_predicate *p, const pmn_pred *bound, const random_batch *b, const truth *right)
{
    bool nested = has_nested(bound);
    for (int64_t i = 0; i < b->n; i += 7) {
        pmn_datum values[N_TOP];
        for (int c = 0; c < N_TOP; c++)
            values[c] = cell_datum(&COLUMNS[c == N_TOP - 1 ? COL_STRUCT : c], &b->cells[c == N_TOP - 1 ? COL_STRUCT : c][i]);
        bool yes = pmn_pred_eval_row(bound, values, N_TOP);
        if (nested ? right[i] == YES && !yes : yes != (right[i] == YES)) complain(p, "wrong on a row of values", i);
    }
}

typedef struct stats_source {
    const random_batch *b;
    uint32_t hide; /* bits choose what is unknown */
    bool hide_nan;
} stats_source;

static bool give_stats(void *ctx, const pmn_pred *leaf, pmn_stat *out)
{
    const stats_source *s = ctx;
    int column = leaf->n_path > 1 ? N_TOP - 1 + leaf->path[1] : leaf->path[0] == N_TOP - 1 ? COL_STRUCT : leaf->path[0];
    const column_kind *k = &COLUMNS[column];
    const cell *min = NULL, *max = NULL;
    uint32_t hide = s->hide >> (column % 7 * 4);
    assert_int_equal(out->row_count, s->b->n);
    out->min.is_null = out->max.is_null = true;
    for (int64_t i = 0; i < s->b->n; i++) {
        const cell *c = &s->b->cells[column][i];
        out->null_count += c->is_null;
        if (c->is_null || k->grid == GRID_NONE || (s->hide_nan && k->grid == GRID_REAL && isnan(c->real))) continue;
        if (!min || order_cells(k, c, min) < 0) min = c;
        if (!max || order_cells(k, c, max) > 0) max = c;
    }
    if (min && !(hide & 1)) out->min = cell_datum(k, min);
    if (max && !(hide & 2)) out->max = cell_datum(k, max);
    if (hide & 4) out->null_count = -1;
    return !(hide & 8) || below(3);
}

static int64_t n_pruned, n_kept;

static void check_stats(const paimon_predicate *p, const pmn_pred *bound, const random_batch *b, const truth *right)
{
    bool any = false;
    for (int64_t i = 0; i < b->n; i++) any = any || right[i] == YES;
    for (int round = 0; round < 16; round++) {
        stats_source s = { b, round == 0 ? 0 : next_random(), below(2) };
        bool may = pmn_pred_may_match(bound, b->n, give_stats, &s);
        if (any && !may) complain(p, "statistics lose rows", -1);
        if (!any && round == 0) {
            if (may)
                n_kept++;
            else
                n_pruned++;
        }
    }
}

/* inside AND outside is the whole, and each keeps to its columns. */
static void check_split(fixture *f, const paimon_predicate *p, const pmn_pred *bound, const random_batch *b, const int32_t *columns,
                        const truth *right)
{
    bool want[N_TOP], used[N_TOP] = { false };
    const pmn_pred *parts[2];
    truth both[MAX_ROWS];
    uint8_t selected[2][MAX_ROWS / 8 + 1];
    int64_t n;
    for (int c = 0; c < N_TOP; c++) want[c] = below(2);
    assert_int_equal(pmn_pred_split(&f->arena, bound, want, N_TOP, &parts[0], &parts[1], NULL), PAIMON_OK);
    pmn_pred_columns(parts[0], used, N_TOP);
    for (int c = 0; c < N_TOP; c++) assert_true(want[c] || !used[c]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pmn_pred_eval(parts[i], &b->schema, &b->array, columns, pmn_mem_default(), selected[i], &n, NULL), PAIMON_OK);
    for (int64_t i = 0; i < b->n; i++) both[i] = pmn_bit_get(selected[0], i) && pmn_bit_get(selected[1], i) ? YES : NO;
    for (int64_t i = 0; i < b->n; i++) {
        if ((both[i] == YES) != (right[i] == YES)) complain(p, "split changes the meaning", i);
    }
}

typedef struct view {
    const random_batch *b;
    const int32_t *map;
} view;

static const cell *cell_or_absent(const void *ctx, int column, int64_t row)
{
    static const cell ABSENT = { .is_null = true };
    const view *v = ctx;
    int top = column >= N_TOP - 1 ? N_TOP - 1 : column;
    return v->map[top] < 0 ? &ABSENT : &v->b->cells[column][row];
}

static void check_remap(fixture *f, const paimon_predicate *p, const node *tree, const pmn_pred *bound, const random_batch *b)
{
    int32_t map[N_TOP], columns[N_TOP];
    const pmn_pred *moved;
    truth right[MAX_ROWS];
    view v = { b, map };
    for (int c = 0; c < N_TOP; c++) {
        map[c] = below(4) ? N_TOP - 1 - c : -1;
        columns[N_TOP - 1 - c] = map[c] < 0 ? -1 : c;
    }
    assert_int_equal(pmn_pred_remap(&f->arena, bound, map, N_TOP, &moved, NULL), PAIMON_OK);
    for (int64_t i = 0; i < b->n; i++) right[i] = judge(tree, cell_or_absent, &v, i);
    check_batch(p, moved, b, columns, right);
}

static void random_predicates_select_what_the_judge_selects(void **state)
{
    fixture *f = *state;
    int32_t columns[N_TOP];
    random_batch *b = calloc(1, sizeof *b);
    truth right[MAX_ROWS];
    for (int c = 0; c < N_TOP; c++) columns[c] = c;
    n_pruned = n_kept = 0;
    for (int round = 0; round < 400; round++) {
        fixture round_arena = { .row = f->row };
        pmn_arena_init(&round_arena.arena, pmn_mem_default());
        random_batch_make(b);
        for (int k = 0; k < 40; k++) {
            node *tree = random_node(b, below(4), k < N_COLUMNS ? k : -1);
            paimon_predicate *p = build(tree);
            const pmn_pred *bound = NULL;
            paimon_error err = PAIMON_ERROR_INIT;
            check_text(p);
            if (pmn_pred_bind(&round_arena.arena, f->row, p, &bound, &err) != PAIMON_OK) complain(p, paimon_error_message(&err), -1);
            for (int64_t i = 0; i < b->n; i++) right[i] = judge(tree, cell_of_batch, b, i);
            check_batch(p, bound, b, columns, right);
            check_rows(p, bound, b, right);
            check_stats(p, bound, b, right);
            if (k % 4 == 0) check_split(&round_arena, p, bound, b, columns, right);
            if (k % 4 == 1) check_remap(&round_arena, p, tree, bound, b);
            paimon_predicate_free(p);
        }
        free_batch(b);
        pmn_arena_free(&round_arena.arena);
    }
    print_message("of the predicates that no row meets, statistics pruned %lld and kept %lld\n", (long long)n_pruned, (long long)n_kept);
    assert_true(n_pruned > n_kept / 4);
    free(b);
}

static void every_failing_allocation_of_bind_and_eval_ends_in_nomem(void **state)
{
    fixture *f = *state;
    const char *text = "i32 IN (1,2,3,4,5,6,7,8,9,10,11) AND (s LIKE 'a%b' OR NOT (d BETWEEN 1 AND 2) OR r.x = 1 OR ts3 IN ('2020-01-01'))"
                       " AND (s NOT IN ('a','b') OR raw = X'00' OR f > 1) AND NOT (i64 = 1 OR dec < 1.555)";
    random_batch *b = calloc(1, sizeof *b);
    int32_t columns[N_TOP];
    for (int c = 0; c < N_TOP; c++) columns[c] = c;
    random_batch_make(b);
    paimon_predicate *p = NULL;
    assert_int_equal(paimon_predicate_parse(text, &p, NULL), PAIMON_OK);
    for (int64_t n = 0;; n++) {
        failing_alloc fa = { n, 0 };
        paimon_allocator allocator = failing_alloc_interface(&fa);
        fa.until_failure = -1;
        pmn_mem *mem = pmn_mem_new(&allocator, 0);
        pmn_arena arena;
        uint8_t selected[MAX_ROWS / 8 + 1];
        int64_t n_selected;
        const pmn_pred *bound = NULL;
        pmn_arena_init(&arena, mem);
        arena.block_size = 256; /* many small blocks: more places to fail at */
        fa.until_failure = n;
        paimon_status status = pmn_pred_bind(&arena, f->row, p, &bound, NULL);
        if (status == PAIMON_OK) status = pmn_pred_eval(bound, &b->schema, &b->array, columns, mem, selected, &n_selected, NULL);
        fa.until_failure = -1;
        pmn_arena_free(&arena);
        pmn_mem_release(mem);
        assert_int_equal(fa.alive, 0);
        if (status == PAIMON_OK) break;
        assert_int_equal(status, PAIMON_NOMEM);
    }
    paimon_predicate_free(p);
    free_batch(b);
    free(b);
}

static const pmn_pred *bind_text(fixture *f, const char *text)
{
    paimon_predicate *p = NULL;
    const pmn_pred *bound = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    if (paimon_predicate_parse(text, &p, &err) != PAIMON_OK || pmn_pred_bind(&f->arena, f->row, p, &bound, &err) != PAIMON_OK) {
        fail_msg("%s: %s", text, paimon_error_message(&err));
    }
    paimon_predicate_free(p);
    return bound;
}

static void literals_are_fitted_to_the_type(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *text;
        pmn_pred_kind kind;
        paimon_predicate_op op;
        int64_t value;
    } CASES[] = {
        { "i32 = 3e9", PMN_PRED_FALSE, 0, 0 },
        { "i32 <> 3e9", PMN_PRED_LEAF, PAIMON_OP_IS_NOT_NULL, 0 },
        { "i32 < 3000000000", PMN_PRED_LEAF, PAIMON_OP_IS_NOT_NULL, 0 },
        { "i32 > 3000000000", PMN_PRED_FALSE, 0, 0 },
        { "NOT i32 > 3000000000", PMN_PRED_LEAF, PAIMON_OP_IS_NOT_NULL, 0 },
        { "i32 >= 1.5", PMN_PRED_LEAF, PAIMON_OP_GT, 1 },
        { "i32 < 1.5", PMN_PRED_LEAF, PAIMON_OP_LE, 1 },
        { "i32 > -1.5", PMN_PRED_LEAF, PAIMON_OP_GT, -2 },
        { "i32 = '7'", PMN_PRED_LEAF, PAIMON_OP_EQ, 7 },
        { "NOT i32 = 7", PMN_PRED_LEAF, PAIMON_OP_NE, 7 },
        { "i32 = NULL", PMN_PRED_FALSE, 0, 0 },
        { "NOT i32 = NULL", PMN_PRED_FALSE, 0, 0 },
        { "i32 IN (NULL)", PMN_PRED_FALSE, 0, 0 },
        { "i32 IN (7, NULL, 7, 7.0, 1.5)", PMN_PRED_LEAF, PAIMON_OP_EQ, 7 },
        { "i32 NOT IN (7, NULL)", PMN_PRED_FALSE, 0, 0 },
        { "i32 NOT IN (1.5)", PMN_PRED_LEAF, PAIMON_OP_IS_NOT_NULL, 0 },
        { "i32 BETWEEN 5 AND 4", PMN_PRED_FALSE, 0, 0 },
        { "i32 BETWEEN 5 AND 5", PMN_PRED_LEAF, PAIMON_OP_EQ, 5 },
        { "i32 BETWEEN 5 AND 3e9", PMN_PRED_AND, 0, 0 },
        { "i32 NOT BETWEEN NULL AND 5", PMN_PRED_LEAF, PAIMON_OP_GT, 5 },
        { "day = '1970-01-02'", PMN_PRED_LEAF, PAIMON_OP_EQ, 1 },
        { "day < '1970-01-02 12:00:00'", PMN_PRED_LEAF, PAIMON_OP_LE, 1 },
        { "day = 3", PMN_PRED_LEAF, PAIMON_OP_EQ, 3 },
        { "time >= '00:00:01.5'", PMN_PRED_LEAF, PAIMON_OP_GE, 1500 },
        { "b = 'TRUE'", PMN_PRED_LEAF, PAIMON_OP_EQ, 1 },
        { "i32 IS NULL AND i32 = NULL", PMN_PRED_FALSE, 0, 0 },
        { "i32 = 7 OR i32 = NULL", PMN_PRED_LEAF, PAIMON_OP_EQ, 7 },
        { "s LIKE '%'", PMN_PRED_LEAF, PAIMON_OP_IS_NOT_NULL, 0 },
        { "s NOT LIKE '%'", PMN_PRED_FALSE, 0, 0 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const pmn_pred *p = bind_text(f, CASES[i].text);
        if (p->kind != CASES[i].kind) fail_msg("%s: kind %d", CASES[i].text, (int)p->kind);
        if (p->kind != PMN_PRED_LEAF) continue;
        if (p->op != CASES[i].op) fail_msg("%s: operator %d", CASES[i].text, (int)p->op);
        if (p->n_literals && p->literals[0].v.i != CASES[i].value) fail_msg("%s: literal %lld", CASES[i].text, (long long)p->literals[0].v.i);
    }
    const pmn_pred *p = bind_text(f, "s LIKE 'ab%' AND s LIKE '%ab' AND s LIKE '%ab%' AND s LIKE 'a_%' AND s NOT LIKE 'ab%' AND ch LIKE 'ab  '");
    static const paimon_predicate_op OPS[] = { PAIMON_OP_STARTS_WITH, PAIMON_OP_ENDS_WITH, PAIMON_OP_CONTAINS,
                                               PAIMON_OP_LIKE,        PAIMON_OP_NOT_LIKE,  PAIMON_OP_EQ };
    for (int i = 0; i < 6; i++) assert_int_equal(p->children[i]->op, OPS[i]);
    assert_int_equal(p->children[5]->literals[0].v.bytes.size, 2);
    p = bind_text(f, "i32 IN (5, 3, 4.0, 3)");
    assert_int_equal(p->n_literals, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(p->literals[i].v.i, 3 + i);
}

static void wrong_columns_and_literals_are_refused_by_name(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *text;
        paimon_status status;
        const char *message;
    } CASES[] = {
        { "nope = 1", PAIMON_NOT_FOUND, "no column nope" },
        { "r.nope = 1", PAIMON_NOT_FOUND, "no column r.nope" },
        { "i32.x = 1", PAIMON_NOT_FOUND, "i32.x: what it would lie in is not a ROW" },
        { "i32 = 'abc'", PAIMON_INVALID, "the text 'abc' is no literal for it: column i32 is INT" },
        { "i32 = TRUE", PAIMON_INVALID, "BOOLEAN" },
        { "b = 1", PAIMON_INVALID, "column b is BOOLEAN" },
        { "s = 1", PAIMON_INVALID, "column s is STRING" },
        { "s = X'00'", PAIMON_INVALID, "column s is STRING" },
        { "raw = 'xyz'", PAIMON_INVALID, "column raw is BYTES" },
        { "day = '2024-13-01'", PAIMON_INVALID, "column day is DATE" },
        { "day = 1.5", PAIMON_INVALID, "column day is DATE" },
        { "ts3 = '2024-01-01T00:00:00Z'", PAIMON_INVALID, "column ts3" },
        { "ts3 = 5", PAIMON_INVALID, "column ts3" },
        { "f = 'one'", PAIMON_INVALID, "column f is FLOAT" },
        { "i32 LIKE 'a'", PAIMON_INVALID, "LIKE takes a text column: column i32 is INT" },
        { "list = 1", PAIMON_UNSUPPORTED, "column list is ARRAY<INT>" },
        { "r = 1", PAIMON_UNSUPPORTED, "column r is ROW" },
        { "r IN (1)", PAIMON_UNSUPPORTED, "column r is ROW" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        paimon_predicate *p = NULL;
        const pmn_pred *bound = NULL;
        paimon_error err = PAIMON_ERROR_INIT;
        assert_int_equal(paimon_predicate_parse(CASES[i].text, &p, NULL), PAIMON_OK);
        paimon_status status = pmn_pred_bind(&f->arena, f->row, p, &bound, &err);
        if (status != CASES[i].status || !strstr(paimon_error_message(&err), CASES[i].message)) {
            fail_msg("%s: %d %s", CASES[i].text, (int)status, paimon_error_message(&err));
        }
        paimon_error_clear(&err);
        paimon_predicate_free(p);
    }
}

/* --- statistics whose trap is known --- */

static bool fixed_stats(void *ctx, const pmn_pred *leaf, pmn_stat *out)
{
    (void)leaf;
    *out = *(const pmn_stat *)ctx;
    return true;
}

static void bounds_are_distrusted_where_they_are_known_to_lie(void **state)
{
    fixture *f = *state;
    pmn_stat reals = { 3, 0, { false, { .d = 3.0 } }, { false, { .d = 3.0 } } };
    /* a footer leaves NaN out: 3.0, NaN, 3.0 */
    assert_true(pmn_pred_may_match(bind_text(f, "d <> 3.0"), 3, fixed_stats, &reals));
    assert_true(pmn_pred_may_match(bind_text(f, "d > 3.0"), 3, fixed_stats, &reals));
    assert_true(pmn_pred_may_match(bind_text(f, "d NOT IN (3.0, 4)"), 3, fixed_stats, &reals));
    assert_true(pmn_pred_may_match(bind_text(f, "d = 'NaN'"), 3, fixed_stats, &reals));
    assert_true(pmn_pred_may_match(bind_text(f, "d IN (1, 'NaN')"), 3, fixed_stats, &reals));
    assert_true(pmn_pred_may_match(bind_text(f, "d BETWEEN 5 AND 'NaN'"), 3, fixed_stats, &reals));
    assert_false(pmn_pred_may_match(bind_text(f, "d < 3.0"), 3, fixed_stats, &reals));
    assert_false(pmn_pred_may_match(bind_text(f, "d = 4"), 3, fixed_stats, &reals));
    assert_false(pmn_pred_may_match(bind_text(f, "d BETWEEN 4 AND 5"), 3, fixed_stats, &reals));
    reals.min.v.d = reals.max.v.d = (double)NAN; /* ORC writes this for 1.0, NaN */
    assert_true(pmn_pred_may_match(bind_text(f, "d = 1.0"), 3, fixed_stats, &reals));
    assert_true(pmn_pred_may_match(bind_text(f, "d < -1.0"), 3, fixed_stats, &reals));
    reals.min.v.d = -0.0;
    reals.max.v.d = -0.0;
    assert_true(pmn_pred_may_match(bind_text(f, "d >= 0.0 AND d = 0"), 3, fixed_stats, &reals));
    pmn_stat chars = { 2, 0, { false, { .bytes = { (const uint8_t *)"ab   ", 5 } } }, { false, { .bytes = { (const uint8_t *)"ab   ", 5 } } } };
    assert_true(pmn_pred_may_match(bind_text(f, "ch = 'ab'"), 2, fixed_stats, &chars));
    assert_false(pmn_pred_may_match(bind_text(f, "ch > 'ab'"), 2, fixed_stats, &chars));
    pmn_stat cut = { 2, 0, { false, { .bytes = { (const uint8_t *)"aaa", 3 } } }, { false, { .bytes = { (const uint8_t *)"aab?", 4 } } } };
    assert_true(pmn_pred_may_match(bind_text(f, "s = 'zzz'"), 2, fixed_stats, &cut));
}

static void unknown_null_counts_decide_nothing(void **state)
{
    fixture *f = *state;
    pmn_stat s = { 1000, -1, { true, { 0 } }, { true, { 0 } } };
    assert_true(pmn_pred_may_match(bind_text(f, "i32 IS NULL"), 1000, fixed_stats, &s));
    assert_true(pmn_pred_may_match(bind_text(f, "i32 IS NOT NULL"), 1000, fixed_stats, &s));
    assert_true(pmn_pred_may_match(bind_text(f, "i32 = 1"), 1000, fixed_stats, &s));
    s.null_count = 1000;
    assert_true(pmn_pred_may_match(bind_text(f, "i32 IS NULL"), 1000, fixed_stats, &s));
    assert_false(pmn_pred_may_match(bind_text(f, "i32 IS NOT NULL"), 1000, fixed_stats, &s));
    assert_false(pmn_pred_may_match(bind_text(f, "i32 <> 1"), 1000, fixed_stats, &s));
    s.null_count = 0;
    assert_false(pmn_pred_may_match(bind_text(f, "i32 IS NULL"), 1000, fixed_stats, &s));
    assert_true(pmn_pred_may_match(bind_text(f, "i32 IS NOT NULL AND i32 = 1"), 1000, fixed_stats, &s));
}

/* A batch of one column made by hand. */
static paimon_status eval_one(fixture *f, const char *text, int column, const char *format, const void *values, int64_t n, uint8_t *selected,
                              int64_t *n_selected, paimon_error *err)
{
    const void *buffers[2] = { NULL, values }, *none[1] = { NULL };
    struct ArrowSchema child = { .format = format }, *children[1] = { &child }, schema = { .format = "+s", .n_children = 1, .children = children };
    struct ArrowArray a = { .length = n, .n_buffers = 2, .buffers = buffers }, *arrays[1] = { &a };
    struct ArrowArray batch = { .length = n, .n_buffers = 1, .buffers = none, .n_children = 1, .children = arrays };
    int32_t columns[N_TOP];
    for (int c = 0; c < N_TOP; c++) columns[c] = c == column ? 0 : -1;
    return pmn_pred_eval(bind_text(f, text), &schema, &batch, columns, pmn_mem_default(), selected, n_selected, err);
}

static void other_units_and_widths_are_taken(void **state)
{
    fixture *f = *state;
    uint8_t selected[8];
    int64_t n;
    int64_t seconds[] = { 0, 1, 2, 86400 };
    assert_int_equal(eval_one(f, "ts3 < '1970-01-01 00:00:01.5'", 11, "tss:", seconds, 4, selected, &n, NULL), PAIMON_OK);
    assert_int_equal(selected[0], 3);
    int64_t nanos[] = { 999999, 1000000, 1000001 };
    assert_int_equal(eval_one(f, "ts3 = '1970-01-01 00:00:00.001'", 11, "tsn:", nanos, 3, selected, &n, NULL), PAIMON_OK);
    assert_int_equal(selected[0], 2);
    int64_t days[] = { 0, 86400000, 2 * 86400000 };
    assert_int_equal(eval_one(f, "day >= '1970-01-02'", 9, "tdm", days, 3, selected, &n, NULL), PAIMON_OK);
    assert_int_equal(selected[0], 6);
    int8_t small[] = { -1, 0, 1 };
    assert_int_equal(eval_one(f, "i64 < 1000", COL_BIGINT, "c", small, 3, selected, &n, NULL), PAIMON_OK);
    assert_int_equal(n, 3);
    assert_int_equal(eval_one(f, "i64 IN (1000, 0, -129)", COL_BIGINT, "c", small, 3, selected, &n, NULL), PAIMON_OK);
    assert_int_equal(selected[0], 2);
    int32_t narrow[] = { 100, 150 };
    assert_int_equal(eval_one(f, "dec = 1.5", 7, "d:9,2,32", narrow, 2, selected, &n, NULL), PAIMON_OK);
    assert_int_equal(selected[0], 2);
    int64_t micros[] = { 1500, 1501 };
    assert_int_equal(eval_one(f, "time <= '00:00:00.001'", 10, "ttu", micros, 2, selected, &n, NULL), PAIMON_OK);
    assert_int_equal(n, 0);
    uint8_t fixed[] = { 1, 2, 3, 4 };
    assert_int_equal(eval_one(f, "raw = X'0304'", COL_BYTES, "w:2", fixed, 2, selected, &n, NULL), PAIMON_OK);
    assert_int_equal(selected[0], 2);
    assert_int_equal(eval_one(f, "i32 = 1", COL_INT, "n", NULL, 2, selected, &n, NULL), PAIMON_OK);
    assert_int_equal(n, 0);
    assert_int_equal(eval_one(f, "i32 IS NULL", COL_INT, "n", NULL, 2, selected, &n, NULL), PAIMON_OK);
    assert_int_equal(n, 2);
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(eval_one(f, "i32 = 1", COL_INT, "I", narrow, 2, selected, &n, &err), PAIMON_INVALID);
    assert_non_null(strstr(paimon_error_message(&err), "'I' cannot hold INT"));
    assert_int_equal(eval_one(f, "s = 'a'", COL_STRING, "i", narrow, 2, selected, &n, &err), PAIMON_INVALID);
    assert_int_equal(eval_one(f, "i32 = 1", COL_BIGINT, "l", narrow, 2, selected, &n, &err), PAIMON_INVALID);
    paimon_error_clear(&err);
}

int main(int argc, char **argv)
{
    if (argc > 1) random_state ^= strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15u;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(literals_are_fitted_to_the_type, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_columns_and_literals_are_refused_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bounds_are_distrusted_where_they_are_known_to_lie, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_null_counts_decide_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_units_and_widths_are_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_predicates_select_what_the_judge_selects, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_failing_allocation_of_bind_and_eval_ends_in_nomem, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
