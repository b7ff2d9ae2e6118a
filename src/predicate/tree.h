/* Building and rewriting bound trees. */
#ifndef PMN_PREDICATE_TREE_H
#define PMN_PREDICATE_TREE_H

#include "predicate/bound.h"

extern const pmn_pred PMN_PRED_ALWAYS;
extern const pmn_pred PMN_PRED_NEVER;

/* AND or OR of `n` trees, simplified: constants go, chains of the same kind join, one child alone stands for itself. NULL
 * without memory. */
const pmn_pred *pmn_pred_join(pmn_arena *arena, pmn_pred_kind kind, const pmn_pred *const *children, int32_t n) PMN_MUST_USE;

#endif
