/* Making, counting and comparing predicates.
 *
 * Literals are brought to one canonical form here, so that a predicate built by calls and the one parsed from its text are
 * equal: a DOUBLE becomes its shortest NUMBER text ('NaN' and the infinities become TEXT), a NUMBER without point or exponent
 * that fits 64 bits becomes an INT, and STARTS_WITH, ENDS_WITH, CONTAINS become LIKE with '\' before what they take
 * literally. Binding finds the fast forms again. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/utf8.h"
#include "predicate/ast.h"
#include "predicate/like.h"
#include "predicate/number.h"

const char *pmn_predicate_op_name(paimon_predicate_op op)
{
    switch (op) {
    case PAIMON_OP_EQ:
        return "=";
    case PAIMON_OP_NE:
        return "<>";
    case PAIMON_OP_LT:
        return "<";
    case PAIMON_OP_LE:
        return "<=";
    case PAIMON_OP_GT:
        return ">";
    case PAIMON_OP_GE:
        return ">=";
    case PAIMON_OP_IN:
        return "IN";
    case PAIMON_OP_NOT_IN:
        return "NOT IN";
    case PAIMON_OP_BETWEEN:
        return "BETWEEN";
    case PAIMON_OP_NOT_BETWEEN:
        return "NOT BETWEEN";
    case PAIMON_OP_IS_NULL:
        return "IS NULL";
    case PAIMON_OP_IS_NOT_NULL:
        return "IS NOT NULL";
    case PAIMON_OP_STARTS_WITH:
        return "STARTS WITH";
    case PAIMON_OP_ENDS_WITH:
        return "ENDS WITH";
    case PAIMON_OP_CONTAINS:
        return "CONTAINS";
    case PAIMON_OP_LIKE:
        return "LIKE";
    case PAIMON_OP_NOT_LIKE:
        return "NOT LIKE";
    }
    return "?";
}

const char *pmn_predicate_snippet(pmn_slice text, char out[PMN_SNIPPET_MAX])
{
    size_t n = text.size;
    if (n > 48) { /* not inside a code point */
        n = 44;
        while (n > 40 && (text.data[n] & 0xC0) == 0x80) n--;
    }
    for (size_t i = 0; i < n; i++) out[i] = text.data[i] < 32 || text.data[i] == 127 ? ' ' : (char)text.data[i];
    strcpy(out + n, n < text.size ? "…" : "");
    return out;
}

static bool is_affix(paimon_predicate_op op) { return op == PAIMON_OP_STARTS_WITH || op == PAIMON_OP_ENDS_WITH || op == PAIMON_OP_CONTAINS; }

static bool is_pattern(paimon_predicate_op op) { return is_affix(op) || op == PAIMON_OP_LIKE || op == PAIMON_OP_NOT_LIKE; }

static paimon_status check_count(paimon_predicate_op op, size_t n, paimon_error *err)
{
    size_t min = 1, max = 1;
    if ((int)op < PAIMON_OP_EQ || op > PAIMON_OP_NOT_LIKE) {
        return pmn_fail(err, PAIMON_INVALID, "predicate: operator number %d does not exist", (int)op);
    }
    if (op == PAIMON_OP_IS_NULL || op == PAIMON_OP_IS_NOT_NULL)
        min = max = 0;
    else if (op == PAIMON_OP_BETWEEN || op == PAIMON_OP_NOT_BETWEEN)
        min = max = 2;
    else if (op == PAIMON_OP_IN || op == PAIMON_OP_NOT_IN)
        max = INT32_MAX;
    if (n < min || n > max) {
        return pmn_fail(err, PAIMON_INVALID, "predicate: %s takes %s, not %zu", pmn_predicate_op_name(op),
                        max == 0   ? "no literal"
                        : max == 1 ? "one literal"
                        : max == 2 ? "two literals"
                                   : "one or more literals",
                        n);
    }
    return PAIMON_OK;
}

static pmn_slice literal_text(const paimon_literal *l) { return pmn_slice_of(l->text, l->text_size); }

static paimon_status check_literal(paimon_predicate_op op, const paimon_literal *l, paimon_error *err)
{
    if ((int)l->kind < PAIMON_LITERAL_NULL || l->kind > PAIMON_LITERAL_NUMBER) {
        return pmn_fail(err, PAIMON_INVALID, "predicate: literal kind number %d does not exist", (int)l->kind);
    }
    char snippet[PMN_SNIPPET_MAX];
    bool has_text = l->kind == PAIMON_LITERAL_TEXT || l->kind == PAIMON_LITERAL_BYTES || l->kind == PAIMON_LITERAL_NUMBER;
    if (has_text && !l->text && l->text_size) return pmn_fail(err, PAIMON_INVALID, "predicate: a literal's text is NULL");
    if (l->kind == PAIMON_LITERAL_TEXT && !pmn_utf8_valid(literal_text(l))) {
        return pmn_fail(err, PAIMON_INVALID, "predicate: a text literal of %zu bytes is not UTF-8", l->text_size);
    }
    if (l->kind == PAIMON_LITERAL_NUMBER && !pmn_number_valid(literal_text(l))) {
        return pmn_fail(err, PAIMON_INVALID, "predicate: '%s' is not a number", pmn_predicate_snippet(literal_text(l), snippet));
    }
    if (!is_pattern(op) || l->kind == PAIMON_LITERAL_NULL) return PAIMON_OK;
    if (l->kind != PAIMON_LITERAL_TEXT) {
        return pmn_fail(err, PAIMON_INVALID, "predicate: %s takes a text", pmn_predicate_op_name(op));
    }
    if (!is_affix(op) && !pmn_like_valid(literal_text(l))) {
        return pmn_fail(err, PAIMON_INVALID, "predicate: in the pattern '%s' a '\\' stands before neither '%%', '_' nor '\\'",
                        pmn_predicate_snippet(literal_text(l), snippet));
    }
    return PAIMON_OK;
}

/* Bytes of text that the canonical form takes at most, its zero byte included. */
static bool literal_room(paimon_predicate_op op, const paimon_literal *l, size_t *total)
{
    size_t n = 0;
    if (l->kind == PAIMON_LITERAL_DOUBLE)
        n = PMN_REAL_TEXT_MAX;
    else if (l->kind == PAIMON_LITERAL_TEXT || l->kind == PAIMON_LITERAL_BYTES || l->kind == PAIMON_LITERAL_NUMBER) {
        n = l->text_size;
        if (is_affix(op) && !pmn_mul_size(n, 2, &n)) return false;
        if (!pmn_add_size(n, 3, &n)) return false;
    }
    return pmn_add_size(*total, n, total);
}

static char *put_text(paimon_literal *to, char *place, const void *text, size_t n)
{
    to->text = place;
    to->text_size = n;
    if (n) memcpy(place, text, n);
    place[n] = 0;
    return place + n + 1;
}

static char *put_double(paimon_literal *to, char *place, double value)
{
    if (isnan(value) || isinf(value)) {
        const char *name = isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
        to->kind = PAIMON_LITERAL_TEXT;
        return put_text(to, place, name, strlen(name));
    }
    char text[PMN_REAL_TEXT_MAX];
    to->kind = PAIMON_LITERAL_NUMBER;
    return put_text(to, place, text, pmn_real_print(value, text));
}

static char *put_number(paimon_literal *to, char *place, pmn_slice text)
{
    int64_t integer;
    if (pmn_number_as_int(text, &integer)) {
        to->kind = PAIMON_LITERAL_INT;
        to->integer = integer;
        return place;
    }
    size_t skip = text.data[0] == '+';
    to->kind = PAIMON_LITERAL_NUMBER;
    return put_text(to, place, text.data + skip, text.size - skip);
}

static char *put_literal(paimon_predicate_op op, const paimon_literal *from, paimon_literal *to, char *place)
{
    memset(to, 0, sizeof *to);
    to->kind = from->kind;
    switch (from->kind) {
    case PAIMON_LITERAL_NULL:
        return place;
    case PAIMON_LITERAL_BOOL:
        to->boolean = from->boolean;
        return place;
    case PAIMON_LITERAL_INT:
        to->integer = from->integer;
        return place;
    case PAIMON_LITERAL_DOUBLE:
        return put_double(to, place, from->real);
    case PAIMON_LITERAL_NUMBER:
        return put_number(to, place, literal_text(from));
    case PAIMON_LITERAL_TEXT:
    case PAIMON_LITERAL_BYTES:
        break;
    }
    if (!is_affix(op)) return put_text(to, place, from->text, from->text_size);
    size_t n = 0;
    to->text = place;
    if (op != PAIMON_OP_STARTS_WITH) place[n++] = '%';
    n += pmn_like_escape(literal_text(from), place + n);
    if (op != PAIMON_OP_ENDS_WITH) place[n++] = '%';
    place[n] = 0;
    to->text_size = n;
    return place + n + 1;
}

/* The sizes of the parts of a leaf's block, which are also their places: struct, path, literals, texts. */
static bool leaf_layout(const char *const *path, size_t n_path, paimon_predicate_op op, const paimon_literal *literals, size_t n_literals,
                        size_t *texts_at, size_t *total)
{
    size_t literal_bytes, size = sizeof(paimon_predicate) + n_path * sizeof(char *);
    if (!pmn_mul_size(n_literals, sizeof(paimon_literal), &literal_bytes) || !pmn_add_size(size, literal_bytes, &size)) return false;
    *texts_at = size;
    for (size_t i = 0; i < n_path; i++) {
        if (!pmn_add_size(size, strlen(path[i]) + 1, &size)) return false;
    }
    for (size_t i = 0; i < n_literals; i++) {
        if (!literal_room(op, &literals[i], &size)) return false;
    }
    *total = size;
    return true;
}

static paimon_predicate *new_node(pmn_mem *mem, pmn_node_kind kind, size_t size)
{
    paimon_predicate *p = pmn_alloc(mem, size);
    if (!p) return NULL;
    memset(p, 0, sizeof *p);
    atomic_init(&p->refs, 1);
    p->kind = kind;
    p->depth = 1;
    p->mem = pmn_mem_retain(mem);
    p->block_size = size;
    return p;
}

static paimon_status check_path(const char *const *path, size_t n_path, paimon_error *err)
{
    if (!path || n_path == 0) return pmn_fail(err, PAIMON_INVALID, "predicate: no column");
    if (n_path > PMN_PREDICATE_MAX_DEPTH) {
        return pmn_fail(err, PAIMON_INVALID, "predicate: a column path of %zu names, at most %d are taken", n_path, PMN_PREDICATE_MAX_DEPTH);
    }
    for (size_t i = 0; i < n_path; i++) {
        if (!path[i] || !path[i][0]) return pmn_fail(err, PAIMON_INVALID, "predicate: an empty column name");
        if (!pmn_utf8_valid(pmn_slice_text(path[i]))) return pmn_fail(err, PAIMON_INVALID, "predicate: a column name is not UTF-8");
    }
    return PAIMON_OK;
}

paimon_status pmn_predicate_leaf(pmn_mem *mem, const char *const *path, size_t n_path, paimon_predicate_op op, const paimon_literal *literals,
                                 size_t n_literals, paimon_predicate **out, paimon_error *err)
{
    size_t texts_at, total;
    PMN_TRY(check_path(path, n_path, err));
    PMN_TRY(check_count(op, n_literals, err));
    if (n_literals && !literals) return pmn_fail(err, PAIMON_INVALID, "predicate: the literals are NULL");
    for (size_t i = 0; i < n_literals; i++) PMN_TRY(check_literal(op, &literals[i], err));
    paimon_predicate *p = NULL;
    if (leaf_layout(path, n_path, op, literals, n_literals, &texts_at, &total)) p = new_node(mem, PMN_NODE_LEAF, total);
    if (!p) return pmn_fail_nomem(err, "a predicate");
    p->op = is_affix(op) ? PAIMON_OP_LIKE : op;
    p->n_path = (int32_t)n_path;
    p->path = (char **)(p + 1);
    p->n_literals = (int32_t)n_literals;
    p->literals = (paimon_literal *)(p->path + n_path);
    char *place = (char *)p + texts_at;
    for (size_t i = 0; i < n_path; i++) {
        size_t n = strlen(path[i]) + 1;
        memcpy(place, path[i], n);
        p->path[i] = place;
        place += n;
    }
    for (size_t i = 0; i < n_literals; i++) place = put_literal(op, &literals[i], &p->literals[i], place);
    *out = p;
    return PAIMON_OK;
}

paimon_status pmn_predicate_compound(pmn_mem *mem, pmn_node_kind kind, paimon_predicate *const *children, size_t n, paimon_predicate **out,
                                     paimon_error *err)
{
    size_t size;
    int32_t depth = 0;
    if (!children || n == 0 || n > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "predicate: AND and OR take one child or more");
    for (size_t i = 0; i < n; i++) {
        if (!children[i]) return pmn_fail(err, PAIMON_INVALID, "predicate: child %zu is NULL", i);
        if (children[i]->depth > depth) depth = children[i]->depth;
    }
    if (n == 1 && kind != PMN_NODE_NOT) {
        *out = paimon_predicate_retain(children[0]);
        return PAIMON_OK;
    }
    if (depth >= PMN_PREDICATE_MAX_DEPTH) {
        return pmn_fail(err, PAIMON_INVALID, "predicate: nested deeper than %d levels", PMN_PREDICATE_MAX_DEPTH);
    }
    paimon_predicate *p = NULL;
    if (pmn_mul_size(n, sizeof *children, &size) && pmn_add_size(size, sizeof *p, &size)) p = new_node(mem, kind, size);
    if (!p) return pmn_fail_nomem(err, "a predicate");
    p->depth = depth + 1;
    p->n_children = (int32_t)n;
    p->children = (paimon_predicate **)(p + 1);
    for (size_t i = 0; i < n; i++) p->children[i] = paimon_predicate_retain(children[i]);
    *out = p;
    return PAIMON_OK;
}

paimon_predicate *paimon_predicate_retain(paimon_predicate *predicate)
{
    if (predicate) atomic_fetch_add_explicit(&predicate->refs, 1, memory_order_relaxed);
    return predicate;
}

void paimon_predicate_free(paimon_predicate *predicate)
{
    if (!predicate || atomic_fetch_sub_explicit(&predicate->refs, 1, memory_order_acq_rel) != 1) return;
    for (int32_t i = 0; i < predicate->n_children; i++) paimon_predicate_free(predicate->children[i]);
    pmn_mem *mem = predicate->mem;
    pmn_free(mem, predicate, predicate->block_size);
    pmn_mem_release(mem);
}

static bool literal_equal(const paimon_literal *a, const paimon_literal *b)
{
    return a->kind == b->kind && a->boolean == b->boolean && a->integer == b->integer && pmn_slice_equal(literal_text(a), literal_text(b));
}

bool pmn_predicate_equal(const paimon_predicate *a, const paimon_predicate *b)
{
    if (a == b) return true;
    if (a->kind != b->kind || a->n_children != b->n_children || a->depth != b->depth) return false;
    for (int32_t i = 0; i < a->n_children; i++) {
        if (!pmn_predicate_equal(a->children[i], b->children[i])) return false;
    }
    if (a->kind != PMN_NODE_LEAF) return true;
    if (a->op != b->op || a->n_path != b->n_path || a->n_literals != b->n_literals) return false;
    for (int32_t i = 0; i < a->n_path; i++) {
        if (strcmp(a->path[i], b->path[i]) != 0) return false;
    }
    for (int32_t i = 0; i < a->n_literals; i++) {
        if (!literal_equal(&a->literals[i], &b->literals[i])) return false;
    }
    return true;
}

/* --- the public calls: a predicate belongs to no environment, so it lives in the process's default memory --- */

static paimon_status no_out(paimon_error *err) { return pmn_fail(err, PAIMON_INVALID, "predicate: the place for the result is NULL"); }

paimon_status paimon_predicate_leaf(const char *const *path, size_t n_path, paimon_predicate_op op, const paimon_literal *literals, size_t n_literals,
                                    paimon_predicate **out, paimon_error *err)
{
    return out ? pmn_predicate_leaf(pmn_mem_default(), path, n_path, op, literals, n_literals, out, err) : no_out(err);
}

paimon_status paimon_predicate_and(paimon_predicate *const *children, size_t n, paimon_predicate **out, paimon_error *err)
{
    return out ? pmn_predicate_compound(pmn_mem_default(), PMN_NODE_AND, children, n, out, err) : no_out(err);
}

paimon_status paimon_predicate_or(paimon_predicate *const *children, size_t n, paimon_predicate **out, paimon_error *err)
{
    return out ? pmn_predicate_compound(pmn_mem_default(), PMN_NODE_OR, children, n, out, err) : no_out(err);
}

paimon_status paimon_predicate_not(paimon_predicate *child, paimon_predicate **out, paimon_error *err)
{
    return out ? pmn_predicate_compound(pmn_mem_default(), PMN_NODE_NOT, &child, 1, out, err) : no_out(err);
}

paimon_status paimon_predicate_parse(const char *text, paimon_predicate **out, paimon_error *err)
{
    if (!out) return no_out(err);
    if (!text) return pmn_fail(err, PAIMON_INVALID, "predicate: the text is NULL");
    return pmn_predicate_parse(pmn_mem_default(), text, strlen(text), out, err);
}

paimon_status paimon_predicate_print(const paimon_predicate *predicate, char **text, paimon_error *err)
{
    if (!predicate || !text) return pmn_fail(err, PAIMON_INVALID, "predicate: nothing to print, or no place for the text");
    pmn_buf buf;
    pmn_buf_init(&buf, pmn_mem_default(), PMN_BUF_NO_CEILING);
    paimon_status status = pmn_predicate_append(predicate, &buf, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_text(&buf, "the text of a predicate", text, err);
    pmn_buf_free(&buf);
    return status;
}
