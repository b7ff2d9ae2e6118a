/* Binding: names become column numbers, literals values of the column's type, and NOT disappears.
 *
 * With NOT pushed to the leaves, NULL and FALSE need no telling apart, since nothing turns one into TRUE any more. A leaf whose
 * literal no value can meet becomes a constant: `INT = 3e9` is FALSE, while `INT < 3e9` is TRUE for every value but not for a
 * null, hence IS NOT NULL. */
#include <stdio.h>
#include <string.h>

#include "predicate/ast.h"
#include "predicate/like.h"
#include "predicate/literal.h"
#include "predicate/tree.h"

typedef struct binder {
    pmn_arena *arena;
    const pmn_type *row;
} binder;

/* The column of the leaf at hand. */
typedef struct column {
    const paimon_predicate *source;
    int32_t n_path;
    const int32_t *path;
    const pmn_type *type;
} column;

static paimon_status no_memory(paimon_error *err) { return pmn_fail_nomem(err, "a predicate"); }

/* "a.b" for messages, cut if long. */
static const char *path_text(const paimon_predicate *source, int32_t n, char out[PMN_SNIPPET_MAX])
{
    char joined[PMN_SNIPPET_MAX * 2];
    size_t w = 0;
    for (int32_t i = 0; i < n && w < sizeof joined; i++) {
        pmn_slice name = pmn_slice_text(source->path[i]);
        if (i) joined[w++] = '.';
        if (name.size > sizeof joined - w) name.size = sizeof joined - w;
        memcpy(joined + w, name.data, name.size);
        w += name.size;
    }
    return pmn_predicate_snippet(pmn_slice_of(joined, w), out);
}

static paimon_status find_column(const binder *b, const paimon_predicate *source, column *out, paimon_error *err)
{
    char name[PMN_SNIPPET_MAX];
    const pmn_type *type = b->row;
    int32_t *path = pmn_arena_calloc(b->arena, (size_t)source->n_path, sizeof *path);
    if (!path) return no_memory(err);
    for (int32_t i = 0; i < source->n_path; i++) {
        int at = type->kind == PMN_ROW ? pmn_row_find(type, source->path[i]) : -1;
        if (at < 0) {
            return pmn_fail(err, PAIMON_NOT_FOUND, "predicate: there is no column %s%s", path_text(source, i + 1, name),
                            type->kind == PMN_ROW ? "" : ": what it would lie in is not a ROW");
        }
        path[i] = at;
        type = type->fields[at].type;
    }
    *out = (column){ source, source->n_path, path, type };
    return PAIMON_OK;
}

static paimon_status fail_with_type(const binder *b, const column *c, paimon_status status, const char *what, paimon_error *err)
{
    char name[PMN_SNIPPET_MAX];
    pmn_buf type;
    pmn_buf_init(&type, b->arena->mem, 512);
    bool printed = pmn_type_print(c->type, &type, NULL) == PAIMON_OK && pmn_buf_terminate(&type, NULL) == PAIMON_OK;
    pmn_fail(err, status, "predicate: %s: column %s is %s", what, path_text(c->source, c->n_path, name),
             printed ? (const char *)type.data : "of another type");
    pmn_buf_free(&type);
    return status;
}

static paimon_status bad_literal(const binder *b, const column *c, const paimon_literal *l, paimon_error *err)
{
    static const char *const KIND[] = { "NULL", "a BOOLEAN", "the number", "the number", "the text", "bytes", "the number" };
    char what[160], snippet[PMN_SNIPPET_MAX];
    if (l->kind == PAIMON_LITERAL_TEXT || l->kind == PAIMON_LITERAL_NUMBER) {
        snprintf(what, sizeof what, "%s '%s' is no literal for it", KIND[l->kind],
                 pmn_predicate_snippet(pmn_slice_of(l->text, l->text_size), snippet));
    } else if (l->kind == PAIMON_LITERAL_INT) {
        snprintf(what, sizeof what, "the number %lld is no literal for it", (long long)l->integer);
    } else {
        snprintf(what, sizeof what, "%s is no literal for it", KIND[l->kind]);
    }
    return fail_with_type(b, c, PAIMON_INVALID, what, err);
}

static const pmn_pred *new_leaf(const binder *b, const column *c, paimon_predicate_op op, const pmn_datum *literals, int32_t n)
{
    pmn_pred *leaf = pmn_arena_calloc(b->arena, 1, sizeof *leaf);
    pmn_datum *copy = n ? pmn_arena_copy(b->arena, literals, (size_t)n * sizeof *copy) : NULL;
    if (!leaf || (n && !copy)) return NULL;
    leaf->kind = PMN_PRED_LEAF;
    leaf->op = op;
    leaf->n_path = c->n_path;
    leaf->path = c->path;
    leaf->type = c->type;
    leaf->n_literals = n;
    leaf->literals = copy;
    return leaf;
}

static const pmn_pred *not_null(const binder *b, const column *c) { return new_leaf(b, c, PAIMON_OP_IS_NOT_NULL, NULL, 0); }

static paimon_status fit(const binder *b, const column *c, int32_t i, pmn_fitted *out, paimon_error *err)
{
    bool known;
    const paimon_literal *l = &c->source->literals[i];
    PMN_TRY(pmn_literal_fit(b->arena, c->type, l, out, &known, err));
    return known ? PAIMON_OK : bad_literal(b, c, l, err);
}

/* One of = <> < <= > >= with a literal that need not be a value of the type. NULL without memory. */
static const pmn_pred *compare(const binder *b, const column *c, paimon_predicate_op op, const pmn_fitted *l)
{
    if (l->is_null) return &PMN_PRED_NEVER;
    bool less = op == PAIMON_OP_LT || op == PAIMON_OP_LE, greater = op == PAIMON_OP_GT || op == PAIMON_OP_GE;
    if (l->fit == PMN_FIT_EXACT) return new_leaf(b, c, op, &l->value, 1);
    if (op == PAIMON_OP_EQ) return &PMN_PRED_NEVER;
    if (op == PAIMON_OP_NE) return not_null(b, c);
    if (l->fit == PMN_FIT_BETWEEN) return new_leaf(b, c, less ? PAIMON_OP_LE : PAIMON_OP_GT, &l->value, 1);
    bool holds = l->fit == PMN_FIT_ABOVE_ALL ? less : greater;
    return holds ? not_null(b, c) : &PMN_PRED_NEVER;
}

static const pmn_pred *bind_between(const binder *b, const column *c, bool negated, const pmn_fitted *low, const pmn_fitted *high)
{
    const pmn_pred *parts[2];
    parts[0] = compare(b, c, negated ? PAIMON_OP_LT : PAIMON_OP_GE, low);
    parts[1] = compare(b, c, negated ? PAIMON_OP_GT : PAIMON_OP_LE, high);
    if (!parts[0] || !parts[1]) return NULL;
    bool plain = parts[0]->kind == PMN_PRED_LEAF && parts[1]->kind == PMN_PRED_LEAF && parts[0]->op == PAIMON_OP_GE && parts[1]->op == PAIMON_OP_LE;
    if (negated || !plain) return pmn_pred_join(b->arena, negated ? PMN_PRED_OR : PMN_PRED_AND, parts, 2);
    pmn_datum ends[2] = { parts[0]->literals[0], parts[1]->literals[0] };
    int order = pmn_pred_compare(c->type, &ends[0], &ends[1]);
    if (order > 0) return &PMN_PRED_NEVER;
    return order == 0 ? new_leaf(b, c, PAIMON_OP_EQ, ends, 1) : new_leaf(b, c, PAIMON_OP_BETWEEN, ends, 2);
}

/* Heap sort: no recursion, no memory, and no bad case for lists that a user may choose. */
static void sift_down(const pmn_type *type, pmn_datum *items, size_t root, size_t n)
{
    for (;;) {
        size_t child = root * 2 + 1;
        if (child >= n) return;
        if (child + 1 < n && pmn_pred_compare(type, &items[child], &items[child + 1]) < 0) child++;
        if (pmn_pred_compare(type, &items[root], &items[child]) >= 0) return;
        pmn_datum swap = items[root];
        items[root] = items[child];
        items[child] = swap;
        root = child;
    }
}

static int32_t sort_unique(const pmn_type *type, pmn_datum *items, int32_t count)
{
    size_t n = (size_t)count;
    for (size_t i = n / 2; i-- > 0;) sift_down(type, items, i, n);
    for (size_t end = n; end-- > 1;) {
        pmn_datum swap = items[0];
        items[0] = items[end];
        items[end] = swap;
        sift_down(type, items, 0, end);
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        if (kept == 0 || pmn_pred_compare(type, &items[kept - 1], &items[i]) != 0) items[kept++] = items[i];
    }
    return kept;
}

static paimon_status bind_in(const binder *b, const column *c, bool negated, const pmn_pred **out, paimon_error *err)
{
    int32_t n = 0;
    bool has_null = false;
    pmn_datum *values = pmn_arena_calloc(b->arena, (size_t)c->source->n_literals, sizeof *values);
    if (!values) return no_memory(err);
    for (int32_t i = 0; i < c->source->n_literals; i++) {
        pmn_fitted l;
        PMN_TRY(fit(b, c, i, &l, err));
        has_null = has_null || l.is_null;
        if (!l.is_null && l.fit == PMN_FIT_EXACT) values[n++] = l.value;
    }
    n = sort_unique(c->type, values, n);
    if (negated && has_null)
        *out = &PMN_PRED_NEVER; /* `x <> NULL` is one of its conjuncts */
    else if (n == 0)
        *out = negated ? not_null(b, c) : &PMN_PRED_NEVER;
    else if (n == 1)
        *out = new_leaf(b, c, negated ? PAIMON_OP_NE : PAIMON_OP_EQ, values, 1);
    else
        *out = new_leaf(b, c, negated ? PAIMON_OP_NOT_IN : PAIMON_OP_IN, values, n);
    return *out ? PAIMON_OK : no_memory(err);
}

static paimon_status bind_like(const binder *b, const column *c, bool negated, const pmn_pred **out, paimon_error *err)
{
    const paimon_literal *l = &c->source->literals[0];
    size_t n = 0;
    if (!pmn_type_is_text(c->type)) return fail_with_type(b, c, PAIMON_INVALID, "LIKE takes a text column", err);
    *out = &PMN_PRED_NEVER;
    if (l->kind == PAIMON_LITERAL_NULL) return PAIMON_OK;
    uint8_t *plain = pmn_arena_alloc(b->arena, l->text_size + 1), *pattern = pmn_arena_copy(b->arena, l->text, l->text_size + 1);
    if (!plain || !pattern) return no_memory(err);
    paimon_predicate_op op = pmn_like_classify(pmn_slice_of(pattern, l->text_size), plain, &n);
    pmn_datum literal;
    memset(&literal, 0, sizeof literal);
    literal.v.bytes = op == PAIMON_OP_LIKE ? pmn_slice_of(pattern, l->text_size) : pmn_slice_of(plain, n);
    if (op == PAIMON_OP_EQ && c->type->kind == PMN_CHAR) literal.v.bytes = pmn_char_trim(literal.v.bytes);
    if (op == PAIMON_OP_IS_NOT_NULL) {
        *out = negated ? &PMN_PRED_NEVER : not_null(b, c);
    } else if (op == PAIMON_OP_EQ) {
        *out = new_leaf(b, c, negated ? PAIMON_OP_NE : PAIMON_OP_EQ, &literal, 1);
    } else if (negated) {
        literal.v.bytes = pmn_slice_of(pattern, l->text_size);
        *out = new_leaf(b, c, PAIMON_OP_NOT_LIKE, &literal, 1);
    } else {
        *out = new_leaf(b, c, op, &literal, 1);
    }
    return *out ? PAIMON_OK : no_memory(err);
}

static paimon_predicate_op negate(paimon_predicate_op op)
{
    switch (op) {
    case PAIMON_OP_EQ:
        return PAIMON_OP_NE;
    case PAIMON_OP_NE:
        return PAIMON_OP_EQ;
    case PAIMON_OP_LT:
        return PAIMON_OP_GE;
    case PAIMON_OP_LE:
        return PAIMON_OP_GT;
    case PAIMON_OP_GT:
        return PAIMON_OP_LE;
    case PAIMON_OP_GE:
        return PAIMON_OP_LT;
    case PAIMON_OP_IN:
        return PAIMON_OP_NOT_IN;
    case PAIMON_OP_NOT_IN:
        return PAIMON_OP_IN;
    case PAIMON_OP_BETWEEN:
        return PAIMON_OP_NOT_BETWEEN;
    case PAIMON_OP_NOT_BETWEEN:
        return PAIMON_OP_BETWEEN;
    case PAIMON_OP_IS_NULL:
        return PAIMON_OP_IS_NOT_NULL;
    case PAIMON_OP_IS_NOT_NULL:
        return PAIMON_OP_IS_NULL;
    case PAIMON_OP_LIKE:
        return PAIMON_OP_NOT_LIKE;
    case PAIMON_OP_NOT_LIKE:
        return PAIMON_OP_LIKE;
    case PAIMON_OP_STARTS_WITH:
    case PAIMON_OP_ENDS_WITH:
    case PAIMON_OP_CONTAINS:
        break; /* LIKE in the tree as given */
    }
    return op;
}

static paimon_status bind_leaf(const binder *b, const paimon_predicate *source, bool negated, const pmn_pred **out, paimon_error *err)
{
    column c;
    pmn_fitted l[2];
    paimon_predicate_op op = negated ? negate(source->op) : source->op;
    PMN_TRY(find_column(b, source, &c, err));
    if (op == PAIMON_OP_IS_NULL || op == PAIMON_OP_IS_NOT_NULL) {
        *out = new_leaf(b, &c, op, NULL, 0);
        return *out ? PAIMON_OK : no_memory(err);
    }
    if (!pmn_literal_comparable(c.type)) {
        return fail_with_type(b, &c, PAIMON_UNSUPPORTED, "comparisons other than IS [NOT] NULL are not supported here", err);
    }
    if (op == PAIMON_OP_IN || op == PAIMON_OP_NOT_IN) return bind_in(b, &c, op == PAIMON_OP_NOT_IN, out, err);
    if (op == PAIMON_OP_LIKE || op == PAIMON_OP_NOT_LIKE) return bind_like(b, &c, op == PAIMON_OP_NOT_LIKE, out, err);
    PMN_TRY(fit(b, &c, 0, &l[0], err));
    if (op == PAIMON_OP_BETWEEN || op == PAIMON_OP_NOT_BETWEEN) {
        PMN_TRY(fit(b, &c, 1, &l[1], err));
        *out = bind_between(b, &c, op == PAIMON_OP_NOT_BETWEEN, &l[0], &l[1]);
    } else {
        *out = compare(b, &c, op, &l[0]);
    }
    return *out ? PAIMON_OK : no_memory(err);
}

/* The depth is bounded where the tree was made. */
static paimon_status bind_node(const binder *b, const paimon_predicate *source, bool negated, const pmn_pred **out, paimon_error *err)
{
    if (source->kind == PMN_NODE_LEAF) return bind_leaf(b, source, negated, out, err);
    if (source->kind == PMN_NODE_NOT) return bind_node(b, source->children[0], !negated, out, err);
    const pmn_pred **children = pmn_arena_calloc(b->arena, (size_t)source->n_children, sizeof *children);
    if (!children) return no_memory(err);
    for (int32_t i = 0; i < source->n_children; i++) PMN_TRY(bind_node(b, source->children[i], negated, &children[i], err));
    pmn_pred_kind kind = (source->kind == PMN_NODE_AND) != negated ? PMN_PRED_AND : PMN_PRED_OR;
    *out = pmn_pred_join(b->arena, kind, children, source->n_children);
    return *out ? PAIMON_OK : no_memory(err);
}

paimon_status pmn_pred_bind(pmn_arena *arena, const pmn_type *row, const paimon_predicate *predicate, const pmn_pred **out, paimon_error *err)
{
    binder b = { arena, row };
    if (row->kind != PMN_ROW) return pmn_fail(err, PAIMON_INTERNAL, "predicate: bound to a type that is not a ROW");
    return bind_node(&b, predicate, false, out, err);
}
