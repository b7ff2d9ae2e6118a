/* Fitting a user's literal to the type of a column. */
#ifndef PMN_PREDICATE_LITERAL_H
#define PMN_PREDICATE_LITERAL_H

#include "paimon-c/predicate.h"
#include "predicate/number.h"
#include "types/datum.h"
#include "types/type.h"

typedef struct pmn_fitted {
    bool is_null; /* the literal was NULL */
    pmn_fit fit;
    pmn_datum value; /* EXACT: the literal; BETWEEN: the greatest value of the type below it; else nothing */
} pmn_fitted;

/* `type` is comparable. Texts are copied into the arena. *known = false: a literal of that kind or text is not of the type. */
paimon_status pmn_literal_fit(pmn_arena *arena, const pmn_type *type, const paimon_literal *literal, pmn_fitted *out, bool *known,
                              paimon_error *err) PMN_MUST_USE;

bool pmn_literal_comparable(const pmn_type *type); /* has an order and literals */

/* Without the blanks at the end that CHAR does not count. */
static inline pmn_slice pmn_char_trim(pmn_slice text)
{
    while (text.size && text.data[text.size - 1] == ' ') text.size--;
    return text;
}

#endif
