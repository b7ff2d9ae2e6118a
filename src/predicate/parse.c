/* The text of a predicate, by recursive descent with one token of look-ahead:
 *
 *   or        = and { OR and }
 *   and       = not { AND not }
 *   not       = NOT not | '(' or ')' | test
 *   test      = column compare literal | literal compare column | column IS [NOT] NULL
 *             | column [NOT] IN '(' literal { ',' literal } ')' | column [NOT] BETWEEN literal AND literal
 *             | column [NOT] LIKE text [ESCAPE text]
 *   column    = name { '.' name }
 *   literal   = text | X'hex' | [sign] number | TRUE | FALSE | NULL | (DATE | TIME | TIMESTAMP) text
 *
 * Only NOT and '(' recurse, and they count against the depth limit. */
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "predicate/ast.h"
#include "predicate/like.h"
#include "predicate/token.h"

typedef struct parser {
    pmn_mem *mem;
    pmn_arena arena; /* names and texts until their leaf copies them */
    pmn_slice text;
    size_t pos; /* behind `token` */
    pmn_token token;
    int depth;
} parser;

/* A growing list of children, each holding a reference. */
typedef struct node_list {
    paimon_predicate **items;
    size_t n, capacity;
} node_list;

typedef struct literal_list {
    paimon_literal *items;
    size_t n, capacity;
} literal_list;

static paimon_status parse_or(parser *p, paimon_predicate **out, paimon_error *err);

static paimon_status advance(parser *p, paimon_error *err) { return pmn_token_next(p->text, &p->pos, &p->token, err); }

static paimon_status expected(const parser *p, const char *what, paimon_error *err)
{
    if (p->token.kind == PMN_TOKEN_END) {
        return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: expected %s, found the end", p->token.at + 1, what);
    }
    char snippet[PMN_SNIPPET_MAX];
    return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: expected %s, found %s", p->token.at + 1, what,
                    pmn_predicate_snippet(p->token.all, snippet));
}

static bool at_word(const parser *p, const char *word) { return pmn_token_is_word(&p->token, word); }
static bool at_symbol(const parser *p, const char *symbol) { return pmn_token_is_symbol(&p->token, symbol); }

static paimon_status take_word(parser *p, const char *word, paimon_error *err) { return at_word(p, word) ? advance(p, err) : expected(p, word, err); }

static paimon_status enter(parser *p, paimon_error *err)
{
    if (++p->depth <= PMN_PREDICATE_MAX_DEPTH) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: nested deeper than %d levels", p->token.at + 1, PMN_PREDICATE_MAX_DEPTH);
}

/* --- columns and literals --- */

typedef struct column_path {
    const char *names[PMN_PREDICATE_MAX_DEPTH];
    size_t n;
} column_path;

static bool at_name(const parser *p)
{
    return p->token.kind == PMN_TOKEN_QUOTED_NAME || (p->token.kind == PMN_TOKEN_NAME && !pmn_token_is_keyword(&p->token));
}

static paimon_status parse_name(parser *p, column_path *path, paimon_error *err)
{
    pmn_slice name;
    if (!at_name(p)) return expected(p, "a column name", err);
    if (path->n == PMN_PREDICATE_MAX_DEPTH) return expected(p, "a shorter column path", err);
    PMN_TRY(pmn_token_value(&p->arena, &p->token, &name, err));
    if (name.size == 0 || memchr(name.data, 0, name.size)) return expected(p, "a column name without zero bytes", err);
    path->names[path->n++] = (const char *)name.data;
    return advance(p, err);
}

static paimon_status parse_column(parser *p, column_path *path, paimon_error *err)
{
    path->n = 0;
    PMN_TRY(parse_name(p, path, err));
    while (at_symbol(p, ".")) {
        PMN_TRY(advance(p, err));
        PMN_TRY(parse_name(p, path, err));
    }
    return PAIMON_OK;
}

/* DATE, TIME or TIMESTAMP right before a text: the column's type decides anyway, so the word only needs to go. */
static bool at_typed_text(const parser *p)
{
    if (!at_word(p, "DATE") && !at_word(p, "TIME") && !at_word(p, "TIMESTAMP")) return false;
    size_t pos = p->pos;
    pmn_token next;
    return pmn_token_next(p->text, &pos, &next, NULL) == PAIMON_OK && next.kind == PMN_TOKEN_TEXT;
}

static bool at_literal(const parser *p)
{
    switch (p->token.kind) {
    case PMN_TOKEN_TEXT:
    case PMN_TOKEN_UNICODE:
    case PMN_TOKEN_HEX:
    case PMN_TOKEN_NUMBER:
        return true;
    case PMN_TOKEN_SYMBOL:
        return at_symbol(p, "+") || at_symbol(p, "-");
    case PMN_TOKEN_NAME:
        return at_word(p, "TRUE") || at_word(p, "FALSE") || at_word(p, "NULL") || at_typed_text(p);
    case PMN_TOKEN_END:
    case PMN_TOKEN_QUOTED_NAME:
        break;
    }
    return false;
}

static paimon_status parse_number(parser *p, paimon_literal *out, paimon_error *err)
{
    bool negative = at_symbol(p, "-");
    if (p->token.kind == PMN_TOKEN_SYMBOL) {
        PMN_TRY(advance(p, err));
        if (p->token.kind != PMN_TOKEN_NUMBER) return expected(p, "a number", err);
    }
    char *text = pmn_arena_alloc(&p->arena, p->token.raw.size + 1);
    if (!text) return pmn_fail_nomem(err, "a number of a predicate");
    if (negative) text[0] = '-';
    memcpy(text + negative, p->token.raw.data, p->token.raw.size);
    out->kind = PAIMON_LITERAL_NUMBER;
    out->text = text;
    out->text_size = p->token.raw.size + negative;
    return advance(p, err);
}

static paimon_status parse_literal(parser *p, paimon_literal *out, paimon_error *err)
{
    pmn_slice value;
    memset(out, 0, sizeof *out);
    if (!at_literal(p)) return expected(p, "a literal", err);
    if (at_typed_text(p)) PMN_TRY(advance(p, err));
    if (p->token.kind == PMN_TOKEN_NUMBER || p->token.kind == PMN_TOKEN_SYMBOL) return parse_number(p, out, err);
    if (p->token.kind == PMN_TOKEN_NAME) {
        out->kind = at_word(p, "NULL") ? PAIMON_LITERAL_NULL : PAIMON_LITERAL_BOOL;
        out->boolean = at_word(p, "TRUE");
        return advance(p, err);
    }
    PMN_TRY(pmn_token_value(&p->arena, &p->token, &value, err));
    if (p->token.kind != PMN_TOKEN_HEX && !pmn_utf8_valid(value)) return expected(p, "a text in UTF-8", err);
    out->kind = p->token.kind == PMN_TOKEN_HEX ? PAIMON_LITERAL_BYTES : PAIMON_LITERAL_TEXT;
    out->text = (const char *)value.data;
    out->text_size = value.size;
    return advance(p, err);
}

/* --- tests --- */

static bool compare_op(const pmn_token *token, paimon_predicate_op *op, paimon_predicate_op *flipped)
{
    static const struct {
        const char *symbol;
        paimon_predicate_op op, flipped;
    } OPS[] = {
        { "=", PAIMON_OP_EQ, PAIMON_OP_EQ },  { "<>", PAIMON_OP_NE, PAIMON_OP_NE }, { "!=", PAIMON_OP_NE, PAIMON_OP_NE },
        { "<", PAIMON_OP_LT, PAIMON_OP_GT },  { "<=", PAIMON_OP_LE, PAIMON_OP_GE }, { ">", PAIMON_OP_GT, PAIMON_OP_LT },
        { ">=", PAIMON_OP_GE, PAIMON_OP_LE },
    };
    for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++) {
        if (!pmn_token_is_symbol(token, OPS[i].symbol)) continue;
        *op = OPS[i].op;
        *flipped = OPS[i].flipped;
        return true;
    }
    return false;
}

static paimon_status make_leaf(parser *p, const column_path *path, paimon_predicate_op op, const paimon_literal *literals, size_t n,
                               paimon_predicate **out, paimon_error *err)
{
    return pmn_predicate_leaf(p->mem, path->names, path->n, op, literals, n, out, err);
}

static paimon_status push_literal(parser *p, literal_list *list, const paimon_literal *literal, paimon_error *err)
{
    paimon_literal *grown = pmn_grow(p->mem, list->items, list->n, 1, &list->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "the list of an IN");
    list->items = grown;
    list->items[list->n++] = *literal;
    return PAIMON_OK;
}

static paimon_status parse_list(parser *p, literal_list *list, paimon_error *err)
{
    if (!at_symbol(p, "(")) return expected(p, "( after IN", err);
    do {
        paimon_literal literal;
        PMN_TRY(advance(p, err));
        PMN_TRY(parse_literal(p, &literal, err));
        PMN_TRY(push_literal(p, list, &literal, err));
    } while (at_symbol(p, ","));
    if (!at_symbol(p, ")")) return expected(p, ", or ) in the list of IN", err);
    return advance(p, err);
}

static paimon_status parse_in(parser *p, const column_path *path, bool negated, paimon_predicate **out, paimon_error *err)
{
    literal_list list = { NULL, 0, 0 };
    paimon_status status = parse_list(p, &list, err);
    if (status == PAIMON_OK) status = make_leaf(p, path, negated ? PAIMON_OP_NOT_IN : PAIMON_OP_IN, list.items, list.n, out, err);
    pmn_free(p->mem, list.items, list.capacity * sizeof *list.items);
    return status;
}

static paimon_status parse_between(parser *p, const column_path *path, bool negated, paimon_predicate **out, paimon_error *err)
{
    paimon_literal ends[2];
    PMN_TRY(parse_literal(p, &ends[0], err));
    PMN_TRY(take_word(p, "AND", err));
    PMN_TRY(parse_literal(p, &ends[1], err));
    return make_leaf(p, path, negated ? PAIMON_OP_NOT_BETWEEN : PAIMON_OP_BETWEEN, ends, 2, out, err);
}

/* The escape is one code point or, as '', none. */
static paimon_status apply_escape(parser *p, paimon_literal *pattern, paimon_error *err)
{
    paimon_literal escape;
    pmn_token at = p->token;
    PMN_TRY(parse_literal(p, &escape, err));
    if (escape.kind != PAIMON_LITERAL_TEXT || pmn_utf8_length(pmn_slice_of(escape.text, escape.text_size)) > 1) {
        return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: ESCAPE takes a text of one character", at.at + 1);
    }
    if (pattern->kind != PAIMON_LITERAL_TEXT) return PAIMON_OK;
    char *rewritten = pmn_arena_alloc(&p->arena, pattern->text_size * 2 + 1);
    size_t n;
    if (!rewritten) return pmn_fail_nomem(err, "a pattern of a predicate");
    if (!pmn_like_rewrite(pmn_slice_of(pattern->text, pattern->text_size), pmn_slice_of(escape.text, escape.text_size), rewritten, &n)) {
        return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: the pattern has an escape before neither '%%', '_' nor itself", at.at + 1);
    }
    pattern->text = rewritten;
    pattern->text_size = n;
    return PAIMON_OK;
}

static paimon_status parse_like(parser *p, const column_path *path, bool negated, paimon_predicate **out, paimon_error *err)
{
    paimon_literal pattern;
    pmn_token at = p->token;
    PMN_TRY(parse_literal(p, &pattern, err));
    if (pattern.kind != PAIMON_LITERAL_TEXT && pattern.kind != PAIMON_LITERAL_NULL) {
        p->token = at;
        return expected(p, "a text after LIKE", err);
    }
    if (at_word(p, "ESCAPE")) {
        PMN_TRY(advance(p, err));
        PMN_TRY(apply_escape(p, &pattern, err));
    } else if (pattern.kind == PAIMON_LITERAL_TEXT && !pmn_like_valid(pmn_slice_of(pattern.text, pattern.text_size))) {
        return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: the pattern has a '\\' before neither '%%', '_' nor '\\'", at.at + 1);
    }
    return make_leaf(p, path, negated ? PAIMON_OP_NOT_LIKE : PAIMON_OP_LIKE, &pattern, 1, out, err);
}

static paimon_status parse_is(parser *p, const column_path *path, paimon_predicate **out, paimon_error *err)
{
    bool negated = at_word(p, "NOT");
    if (negated) PMN_TRY(advance(p, err));
    PMN_TRY(take_word(p, "NULL", err));
    return make_leaf(p, path, negated ? PAIMON_OP_IS_NOT_NULL : PAIMON_OP_IS_NULL, NULL, 0, out, err);
}

static paimon_status parse_column_test(parser *p, paimon_predicate **out, paimon_error *err)
{
    column_path path;
    paimon_literal literal;
    paimon_predicate_op op, flipped;
    PMN_TRY(parse_column(p, &path, err));
    if (compare_op(&p->token, &op, &flipped)) {
        PMN_TRY(advance(p, err));
        if (!at_literal(p) && at_name(p)) {
            return pmn_fail(err, PAIMON_UNSUPPORTED, "predicate at byte %zu: comparing two columns is not supported yet", p->token.at + 1);
        }
        PMN_TRY(parse_literal(p, &literal, err));
        return make_leaf(p, &path, op, &literal, 1, out, err);
    }
    if (at_word(p, "IS")) {
        PMN_TRY(advance(p, err));
        return parse_is(p, &path, out, err);
    }
    bool negated = at_word(p, "NOT");
    if (negated) PMN_TRY(advance(p, err));
    pmn_token word = p->token;
    bool known = at_word(p, "IN") || at_word(p, "BETWEEN") || at_word(p, "LIKE");
    if (!known) return expected(p, negated ? "IN, BETWEEN or LIKE" : "a comparison (=, <>, <, <=, >, >=, IN, BETWEEN, LIKE, IS)", err);
    PMN_TRY(advance(p, err));
    if (pmn_token_is_word(&word, "IN")) return parse_in(p, &path, negated, out, err);
    if (pmn_token_is_word(&word, "BETWEEN")) return parse_between(p, &path, negated, out, err);
    return parse_like(p, &path, negated, out, err);
}

static paimon_status parse_literal_test(parser *p, paimon_predicate **out, paimon_error *err)
{
    column_path path;
    paimon_literal literal;
    paimon_predicate_op op, flipped;
    PMN_TRY(parse_literal(p, &literal, err));
    if (!compare_op(&p->token, &op, &flipped)) return expected(p, "=, <>, <, <=, > or >= after a literal", err);
    PMN_TRY(advance(p, err));
    PMN_TRY(parse_column(p, &path, err));
    return make_leaf(p, &path, flipped, &literal, 1, out, err);
}

/* --- NOT, AND, OR --- */

static paimon_status parse_not(parser *p, paimon_predicate **out, paimon_error *err)
{
    if (at_word(p, "NOT")) {
        paimon_predicate *child = NULL;
        PMN_TRY(enter(p, err));
        PMN_TRY(advance(p, err));
        PMN_TRY(parse_not(p, &child, err));
        paimon_status status = pmn_predicate_compound(p->mem, PMN_NODE_NOT, &child, 1, out, err);
        paimon_predicate_free(child);
        p->depth--;
        return status;
    }
    if (at_symbol(p, "(")) {
        paimon_predicate *inner = NULL;
        PMN_TRY(enter(p, err));
        PMN_TRY(advance(p, err));
        PMN_TRY(parse_or(p, &inner, err));
        paimon_status status = at_symbol(p, ")") ? advance(p, err) : expected(p, ") or AND or OR", err);
        if (status != PAIMON_OK) {
            paimon_predicate_free(inner);
            return status;
        }
        p->depth--;
        *out = inner;
        return PAIMON_OK;
    }
    if (at_literal(p)) return parse_literal_test(p, out, err);
    if (at_name(p)) return parse_column_test(p, out, err);
    return expected(p, "a column, a literal, NOT or (", err);
}

static paimon_status push_node(parser *p, node_list *list, paimon_predicate *node, paimon_error *err)
{
    paimon_predicate **grown = pmn_grow(p->mem, list->items, list->n, 1, &list->capacity, sizeof *grown);
    if (!grown) {
        paimon_predicate_free(node);
        return pmn_fail_nomem(err, "the operands of a predicate");
    }
    list->items = grown;
    list->items[list->n++] = node;
    return PAIMON_OK;
}

static paimon_status parse_chain(parser *p, pmn_node_kind kind, paimon_predicate **out, paimon_error *err)
{
    node_list list = { NULL, 0, 0 };
    paimon_status status;
    for (;;) {
        paimon_predicate *node = NULL;
        PMN_GOTO(status, kind == PMN_NODE_OR ? parse_chain(p, PMN_NODE_AND, &node, err) : parse_not(p, &node, err), done);
        PMN_GOTO(status, push_node(p, &list, node, err), done);
        if (!at_word(p, kind == PMN_NODE_OR ? "OR" : "AND")) break;
        PMN_GOTO(status, advance(p, err), done);
    }
    status = pmn_predicate_compound(p->mem, kind, list.items, list.n, out, err);
done:
    for (size_t i = 0; i < list.n; i++) paimon_predicate_free(list.items[i]);
    pmn_free(p->mem, list.items, list.capacity * sizeof *list.items);
    return status;
}

static paimon_status parse_or(parser *p, paimon_predicate **out, paimon_error *err) { return parse_chain(p, PMN_NODE_OR, out, err); }

paimon_status pmn_predicate_parse(pmn_mem *mem, const char *text, size_t size, paimon_predicate **out, paimon_error *err)
{
    if (size > PMN_PREDICATE_MAX_TEXT) {
        return pmn_fail(err, PAIMON_INVALID, "predicate: a text of %zu bytes, at most %u are taken", size, PMN_PREDICATE_MAX_TEXT);
    }
    parser p;
    paimon_predicate *root = NULL;
    memset(&p, 0, sizeof p);
    p.mem = mem;
    p.text = pmn_slice_of(text, size);
    pmn_arena_init(&p.arena, mem);
    paimon_status status = advance(&p, err);
    if (status == PAIMON_OK) status = parse_or(&p, &root, err);
    if (status == PAIMON_OK && p.token.kind != PMN_TOKEN_END) {
        status = expected(&p, "AND, OR or the end", err);
        paimon_predicate_free(root);
    }
    pmn_arena_free(&p.arena);
    if (status == PAIMON_OK) *out = root;
    return status;
}
