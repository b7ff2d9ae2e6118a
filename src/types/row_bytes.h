/* How much rows of the canonical Arrow layout are, without looking at each: for limits of memory and for sharing work. */
#ifndef PMN_TYPES_ROW_BYTES_H
#define PMN_TYPES_ROW_BYTES_H

#include "paimon-c/arrow_abi.h"
#include "types/type.h"

/* The bytes of the values of rows [first, first + count), the array's offset not added: numbers by their width (8 at least), texts by their offsets
 * and 4 bytes each, elements of lists as rows of their own. */
int64_t pmn_row_bytes(const pmn_type *type, const struct ArrowArray *array, int64_t first, int64_t count);

#endif
