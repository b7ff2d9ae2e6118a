/* A predicate in one partition: what it says on partition columns is decided there, once. */
#ifndef PMN_READ_PARTITION_FILTER_H
#define PMN_READ_PARTITION_FILTER_H

#include "predicate/bound.h"

/* `fixed[c]`: top-level column c has the value `values[c]` in every row. Leaves on such columns become TRUE or FALSE, and the
 * tree gets simpler for it. */
paimon_status pmn_pred_fix(pmn_arena *arena, const pmn_pred *pred, const bool *fixed, const pmn_datum *values, int32_t n_columns,
                           const pmn_pred **out, paimon_error *err) PMN_MUST_USE;

#endif
