/* A predicate bound to a row type: columns by number, literals fitted to their types, NOT pushed to the leaves.
 *
 * It is evaluated three ways: on values (exact: TRUE rows), on statistics (keep or drop), and on one row of datums
 * (partitions). Pruning may keep too much, never too little: unknown is maybe. */
#ifndef PMN_PREDICATE_BOUND_H
#define PMN_PREDICATE_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "paimon-c/arrow_abi.h"
#include "paimon-c/predicate.h"
#include "types/datum.h"
#include "types/type.h"

typedef enum pmn_pred_kind {
    PMN_PRED_TRUE,  /* constants come from literals that no value can meet (INT = 3e9), from nulls, and from simplifying */
    PMN_PRED_FALSE, /* FALSE or NULL: no difference once NOT is at the leaves */
    PMN_PRED_AND,
    PMN_PRED_OR,
    PMN_PRED_LEAF
} pmn_pred_kind;

typedef struct pmn_pred pmn_pred;
struct pmn_pred {
    pmn_pred_kind kind;
    int32_t n_children;
    const pmn_pred *const *children;
    /* LEAF only: */
    paimon_predicate_op op; /* negated forms are ops of their own; NOT BETWEEN and NOT of a compound never occur here */
    int32_t n_path;
    const int32_t *path;  /* field numbers from the top-level column down; n_path ≥ 1 */
    const pmn_type *type; /* of the value compared */
    int32_t n_literals;
    /* Non-null, of `type`; those of IN and NOT IN sorted by pmn_pred_compare and unique, those of BETWEEN rising. CHAR without
     * trailing blanks; zeros positive; one NaN. STARTS_WITH, ENDS_WITH, CONTAINS: plain text that is not empty; LIKE and NOT
     * LIKE: a pattern that is none of these (NOT LIKE: any) */
    const pmn_datum *literals;
};

/* Order of two non-null values as predicates see it: pmn_datum_compare, except that -0.0 equals 0.0. Who looks values up by
 * their bytes (bloom filters, bitmaps) asks for both zeros. */
int pmn_pred_compare(const pmn_type *type, const pmn_datum *a, const pmn_datum *b);

/* TRUE for this value (null allowed) of the leaf's column? */
bool pmn_pred_test(const pmn_pred *leaf, const pmn_datum *value);

/* Bind to the columns of `row`; everything lands in `arena`, nothing of `predicate` is kept. Literals that lie between two
 * values of the type (INT > 1.5), or past all of them, are rounded so that the meaning stays. PAIMON_NOT_FOUND for an unknown column, PAIMON_INVALID
 * for a literal that is not of the column's type, PAIMON_UNSUPPORTED for a comparison on ARRAY, MAP … (null tests are taken). */
paimon_status pmn_pred_bind(pmn_arena *arena, const pmn_type *row, const paimon_predicate *predicate, const pmn_pred **out,
                            paimon_error *err) PMN_MUST_USE;

/* The same predicate with each top-level column number c replaced by map[c]; map[c] == -1 means the column is all null here
 * (absent from the file), which simplifies the tree. Types are kept. */
paimon_status pmn_pred_remap(pmn_arena *arena, const pmn_pred *pred, const int32_t *map, int32_t n_map, const pmn_pred **out,
                             paimon_error *err) PMN_MUST_USE;

/* Split the top-level conjunction: what uses only columns with want[c] true, and the rest. Either may come out TRUE. */
paimon_status pmn_pred_split(pmn_arena *arena, const pmn_pred *pred, const bool *want, int32_t n_columns, const pmn_pred **inside,
                             const pmn_pred **outside, paimon_error *err) PMN_MUST_USE;

/* used[c] = true for each top-level column that occurs. */
void pmn_pred_columns(const pmn_pred *pred, bool *used, int32_t n_columns);

/* Statistics of one column over some rows. */
typedef struct pmn_stat {
    int64_t row_count;
    int64_t null_count; /* -1 unknown */
    pmn_datum min, max; /* is_null: unknown. NaN counts as unknown */
} pmn_stat;

/* Fill `out` for the leaf's column path; answer false if nothing is known. `out` comes zeroed with row_count set. Datums are of
 * the leaf's type. Called only for leaves. */
typedef bool (*pmn_stat_fn)(void *ctx, const pmn_pred *leaf, pmn_stat *out);

/* False only if no row can make `pred` TRUE. */
bool pmn_pred_may_match(const pmn_pred *pred, int64_t row_count, pmn_stat_fn stats, void *ctx);

/* TRUE on this row of top-level datums? For partitions. Leaves with a path longer than 1 count as maybe (true). */
bool pmn_pred_eval_row(const pmn_pred *pred, const pmn_datum *values, int32_t n_values);

/* Evaluate on a struct array whose child columns[c] holds top-level column c (columns[c] == -1: not there; a leaf must not use
 * it). Sets bit i of `selected` (pmn_bitmap_bytes(length), zeroed here) when row i is TRUE; `*n_selected` counts them. Types
 * are those that spec 21 gives the bound types, plus dictionary, large and view strings. */
paimon_status pmn_pred_eval(const pmn_pred *pred, const struct ArrowSchema *schema, const struct ArrowArray *batch, const int32_t *columns,
                            pmn_mem *mem, uint8_t *selected, int64_t *n_selected, paimon_error *err) PMN_MUST_USE;

#endif
