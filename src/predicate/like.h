/* LIKE patterns: '%' any run, '_' one code point, '\' before '%', '_' or '\' takes that literally. */
#ifndef PMN_PREDICATE_LIKE_H
#define PMN_PREDICATE_LIKE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "paimon-c/predicate.h"

/* Every '\' stands before '%', '_' or '\' (Java refuses others too). */
bool pmn_like_valid(pmn_slice pattern);

/* Write `text` with '\' before each '%', '_', '\'; up to twice its size. Returns the length. */
size_t pmn_like_escape(pmn_slice text, char *out);

/* From a pattern whose escape is the code point in `escape` (empty: none) to one whose escape is '\'. `out` has room for twice
 * the size. False for a misplaced escape. */
bool pmn_like_rewrite(pmn_slice pattern, pmn_slice escape, char *out, size_t *n);

/* What a valid pattern amounts to: EQ, STARTS_WITH, ENDS_WITH, CONTAINS with the plain text written to `out` (room for its
 * size), IS_NOT_NULL for one that takes everything, or LIKE. */
paimon_predicate_op pmn_like_classify(pmn_slice pattern, uint8_t *out, size_t *n);

bool pmn_like_match(pmn_slice pattern, pmn_slice text);

#endif
