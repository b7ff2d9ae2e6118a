/* The predicate as the user gave it: names and literals, not yet fitted to any schema. Immutable once made. */
#ifndef PMN_PREDICATE_AST_H
#define PMN_PREDICATE_AST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/mem.h"
#include "base/status.h"
#include "paimon-c/predicate.h"

/* Levels of AND, OR, NOT and leaf: every walk of the tree recurses, and a text of it must parse back. */
#define PMN_PREDICATE_MAX_DEPTH 200
#define PMN_PREDICATE_MAX_TEXT (1u << 20)

typedef enum pmn_node_kind { PMN_NODE_LEAF, PMN_NODE_AND, PMN_NODE_OR, PMN_NODE_NOT } pmn_node_kind;

/* One allocation of `block_size` bytes: the struct, its arrays, then the texts. */
struct paimon_predicate {
    atomic_int refs;
    pmn_node_kind kind;
    int32_t depth; /* 1 for a leaf */
    int32_t n_children;
    paimon_predicate **children; /* each holds one reference */
    /* LEAF only: */
    paimon_predicate_op op;
    int32_t n_path;
    char **path; /* zero-terminated names */
    int32_t n_literals;
    paimon_literal *literals; /* canonical, see number.h; texts lie in this block */
    pmn_mem *mem;             /* retained */
    size_t block_size;
};

/* As the public calls, on a given memory (those use pmn_mem_default()). */
paimon_status pmn_predicate_leaf(pmn_mem *mem, const char *const *path, size_t n_path, paimon_predicate_op op, const paimon_literal *literals,
                                 size_t n_literals, paimon_predicate **out, paimon_error *err) PMN_MUST_USE;
/* `kind` is AND, OR (one or more children; one alone is returned itself) or NOT (exactly one). Children gain a reference. */
paimon_status pmn_predicate_compound(pmn_mem *mem, pmn_node_kind kind, paimon_predicate *const *children, size_t n, paimon_predicate **out,
                                     paimon_error *err) PMN_MUST_USE;
paimon_status pmn_predicate_parse(pmn_mem *mem, const char *text, size_t size, paimon_predicate **out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_predicate_append(const paimon_predicate *predicate, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* Same shape, names, operators and canonical literals. */
bool pmn_predicate_equal(const paimon_predicate *a, const paimon_predicate *b);

/* `text` for a message of one line: control characters as blanks, cut with "…" if long. Returns `out`. */
#define PMN_SNIPPET_MAX 72
const char *pmn_predicate_snippet(pmn_slice text, char out[PMN_SNIPPET_MAX]);

const char *pmn_predicate_op_name(paimon_predicate_op op); /* "=", "NOT IN" …; "?" for an unknown one */

#endif
