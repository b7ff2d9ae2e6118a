/* Texts as Java makes them: Float.toString, Double.toString, and how it decodes bytes that are not UTF-8. */
#ifndef PMN_TYPES_JAVA_TEXT_H
#define PMN_TYPES_JAVA_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/bytes.h"

#define PMN_JAVA_NUMBER_MAX 32

/* "1.0", "1.0E10", "-Infinity", "NaN"; the shortest digits that read back as the same number. Returns the length. */
size_t pmn_java_double_text(double value, char out[PMN_JAVA_NUMBER_MAX]);
size_t pmn_java_float_text(float value, char out[PMN_JAVA_NUMBER_MAX]);

/* A decimal number, or Infinity and NaN in any case; false if the text is not wholly one. Independent of the locale. */
bool pmn_double_parse(pmn_slice text, double *out);
bool pmn_float_parse(pmn_slice text, float *out); /* rounded once */

/* Append `bytes` with every malformed sequence as one U+FFFD, cut as Java's decoder cuts them. */
paimon_status pmn_java_decode(pmn_buf *out, pmn_slice bytes, paimon_error *err) PMN_MUST_USE;

#endif
