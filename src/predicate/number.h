/* Numbers of predicates as text, exact: "12345678901234567890.50", "-1e3". */
#ifndef PMN_PREDICATE_NUMBER_H
#define PMN_PREDICATE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/decimal.h"

/* [+-]digits[.digits][(e|E)[+-]digits], where the digits before or after the point may be missing, not both. */
bool pmn_number_valid(pmn_slice text);

/* A plain integer ("-12") that fits 64 bits. */
bool pmn_number_as_int(pmn_slice text, int64_t *out);

/* Where a number stands on a grid of whole multiples of 10^-scale between two ends. */
typedef enum pmn_fit {
    PMN_FIT_EXACT,   /* it is a grid point */
    PMN_FIT_BETWEEN, /* above the grid point that is answered and below the next one */
    PMN_FIT_BELOW_ALL,
    PMN_FIT_ABOVE_ALL
} pmn_fit;

/* `text` is valid. `*out`: the unscaled grid point at or below it (EXACT and BETWEEN only). A number between `max` and the
 * next point is ABOVE_ALL, as is one between the point below `min` and `min` BELOW_ALL. Grid points lie inside ±(2^127 - 1). */
pmn_fit pmn_number_fit(pmn_slice text, int scale, pmn_i128 min, pmn_i128 max, pmn_i128 *out);

/* The shortest of 15, 16 or 17 digits that reads back as `value` (finite), always with a point or an exponent, whatever the
 * locale. Returns the length. */
#define PMN_REAL_TEXT_MAX 40
size_t pmn_real_print(double value, char out[PMN_REAL_TEXT_MAX]);

/* The nearest double or float, whatever the locale; out of range gives an infinity or zero as Java's parse does. `text` is
 * valid and a zero byte stands behind it. */
double pmn_number_to_double(pmn_slice text);
float pmn_number_to_float(pmn_slice text);

#endif
