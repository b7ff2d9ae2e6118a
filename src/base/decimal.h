/* 128-bit integers and decimal text. Unscaled values; the scale travels with the type. */
#ifndef PMN_BASE_DECIMAL_H
#define PMN_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

__extension__ typedef __int128 pmn_i128;
__extension__ typedef unsigned __int128 pmn_u128;

#define PMN_DECIMAL_MAX_PRECISION 38
#define PMN_DECIMAL_TEXT_MAX 48 /* sign, 39 digits, point, zeros, end */

pmn_i128 pmn_pow10_i128(int n);                  /* n in [0, 38] */
int pmn_decimal_digits(pmn_i128 value);          /* 1 for 0 */
/* Plain notation with exactly `scale` digits after the point (none, no point, for 0); returns the length written. */
size_t pmn_decimal_print(pmn_i128 value, int scale, char out[PMN_DECIMAL_TEXT_MAX]);
/* "[+-]digits[.digits][e[+-]digits]" to unscaled `scale` digits exactly: false if it does not parse, does not fit `precision`
 * digits, or would lose non-zero digits. */
bool pmn_decimal_parse(pmn_slice text, int precision, int scale, pmn_i128 *out);
/* Two's complement, big-endian, 1 … 16 bytes, sign-extended; false for 0 bytes or a value past 128 bits. */
bool pmn_i128_from_be(pmn_slice bytes, pmn_i128 *out);
/* Minimal big-endian two's complement (Java BigInteger.toByteArray); returns its length, 1 … 16. */
size_t pmn_i128_to_be(pmn_i128 value, uint8_t out[16]);
double pmn_decimal_to_double(pmn_i128 value, int scale); /* nearest */

#endif
