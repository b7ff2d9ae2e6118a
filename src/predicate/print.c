/* The text of a predicate: parentheses only where the grammar needs them, names quoted only where they must be. */
#include <string.h>

#include "predicate/ast.h"
#include "predicate/token.h"

static paimon_status print_doubled(pmn_buf *out, char quote, pmn_slice text, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_byte(out, (uint8_t)quote, err));
    while (text.size) {
        const uint8_t *found = memchr(text.data, quote, text.size);
        size_t n = found ? (size_t)(found - text.data) + 1 : text.size;
        PMN_TRY(pmn_buf_append(out, text.data, n, err));
        if (found) PMN_TRY(pmn_buf_append_byte(out, (uint8_t)quote, err));
        text = pmn_slice_of(text.data + n, text.size - n);
    }
    return pmn_buf_append_byte(out, (uint8_t)quote, err);
}

/* A C string cannot carry a zero byte, hence this form. */
static paimon_status print_unicode(pmn_buf *out, pmn_slice text, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, "U&'", err));
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        if (c == 0)
            PMN_TRY(pmn_buf_append_text(out, "\\0000", err));
        else
            PMN_TRY(pmn_buf_append_byte(out, c, err));
        if (c == '\\' || c == '\'') PMN_TRY(pmn_buf_append_byte(out, c, err));
    }
    return pmn_buf_append_byte(out, '\'', err);
}

static paimon_status print_hex(pmn_buf *out, pmn_slice bytes, paimon_error *err)
{
    static const char DIGITS[] = "0123456789abcdef";
    PMN_TRY(pmn_buf_append_text(out, "X'", err));
    for (size_t i = 0; i < bytes.size; i++) {
        char pair[2] = { DIGITS[bytes.data[i] >> 4], DIGITS[bytes.data[i] & 15] };
        PMN_TRY(pmn_buf_append(out, pair, 2, err));
    }
    return pmn_buf_append_byte(out, '\'', err);
}

static paimon_status print_literal(pmn_buf *out, const paimon_literal *l, paimon_error *err)
{
    pmn_slice text = pmn_slice_of(l->text, l->text_size);
    switch (l->kind) {
    case PAIMON_LITERAL_NULL:
        return pmn_buf_append_text(out, "NULL", err);
    case PAIMON_LITERAL_BOOL:
        return pmn_buf_append_text(out, l->boolean ? "TRUE" : "FALSE", err);
    case PAIMON_LITERAL_INT:
        return pmn_buf_printf(out, err, "%lld", (long long)l->integer);
    case PAIMON_LITERAL_NUMBER:
        return pmn_buf_append(out, text.data, text.size, err);
    case PAIMON_LITERAL_BYTES:
        return print_hex(out, text, err);
    case PAIMON_LITERAL_TEXT:
        if (text.size && memchr(text.data, 0, text.size)) return print_unicode(out, text, err);
        return print_doubled(out, '\'', text, err);
    case PAIMON_LITERAL_DOUBLE:
        break; /* none is left once canonical */
    }
    return pmn_fail(err, PAIMON_INTERNAL, "predicate: literal kind %d in a tree", (int)l->kind);
}

static paimon_status print_list(pmn_buf *out, const paimon_predicate *p, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, " (", err));
    for (int32_t i = 0; i < p->n_literals; i++) {
        if (i) PMN_TRY(pmn_buf_append_text(out, ", ", err));
        PMN_TRY(print_literal(out, &p->literals[i], err));
    }
    return pmn_buf_append_byte(out, ')', err);
}

static paimon_status print_leaf(pmn_buf *out, const paimon_predicate *p, paimon_error *err)
{
    for (int32_t i = 0; i < p->n_path; i++) {
        if (i) PMN_TRY(pmn_buf_append_byte(out, '.', err));
        if (pmn_token_bare_name(p->path[i]))
            PMN_TRY(pmn_buf_append_text(out, p->path[i], err));
        else
            PMN_TRY(print_doubled(out, '"', pmn_slice_text(p->path[i]), err));
    }
    PMN_TRY(pmn_buf_append_byte(out, ' ', err));
    PMN_TRY(pmn_buf_append_text(out, pmn_predicate_op_name(p->op), err));
    if (p->op == PAIMON_OP_IN || p->op == PAIMON_OP_NOT_IN) return print_list(out, p, err);
    for (int32_t i = 0; i < p->n_literals; i++) {
        PMN_TRY(pmn_buf_append_text(out, i ? " AND " : " ", err));
        PMN_TRY(print_literal(out, &p->literals[i], err));
    }
    return PAIMON_OK;
}

/* AND binds tighter than OR; a chain inside a chain of its own kind keeps its parentheses, so that the shape survives. */
static bool needs_parentheses(const paimon_predicate *parent, const paimon_predicate *child)
{
    if (parent->kind == PMN_NODE_NOT) return child->kind != PMN_NODE_NOT;
    if (child->kind == PMN_NODE_LEAF || child->kind == PMN_NODE_NOT) return false;
    return !(parent->kind == PMN_NODE_OR && child->kind == PMN_NODE_AND);
}

paimon_status pmn_predicate_append(const paimon_predicate *p, pmn_buf *out, paimon_error *err)
{
    if (p->kind == PMN_NODE_LEAF) return print_leaf(out, p, err);
    if (p->kind == PMN_NODE_NOT) PMN_TRY(pmn_buf_append_text(out, "NOT ", err));
    for (int32_t i = 0; i < p->n_children; i++) {
        bool wrap = needs_parentheses(p, p->children[i]);
        if (i) PMN_TRY(pmn_buf_append_text(out, p->kind == PMN_NODE_OR ? " OR " : " AND ", err));
        if (wrap) PMN_TRY(pmn_buf_append_byte(out, '(', err));
        PMN_TRY(pmn_predicate_append(p->children[i], out, err));
        if (wrap) PMN_TRY(pmn_buf_append_byte(out, ')', err));
    }
    return PAIMON_OK;
}
