/* Key columns of a batch as they lie: rows are compared and hashed by the bytes of their values, without making rows of them. Values with equal
 * bytes have equal serialized rows, and the other way round. */
#ifndef PMN_WRITE_KEY_COLUMNS_H
#define PMN_WRITE_KEY_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paimon-c/arrow_abi.h"

typedef struct pmn_key_column {
    int width;             /* bytes of a value; PMN_KEY_… */
    const uint8_t *valid;  /* NULL: no nulls */
    const uint8_t *values; /* offsets of texts */
    const uint8_t *bytes;  /* of texts */
    int64_t offset;        /* of the array */
} pmn_key_column;

#define PMN_KEY_BITS 0
#define PMN_KEY_TEXT (-4)  /* offsets of 32 bits */
#define PMN_KEY_LARGE (-8) /* of 64 */

/* The width that goes with a column's Arrow type: of an atomic column in the canonical layout. */
int pmn_key_width(const struct ArrowSchema *schema);
/* Look at a batch's column from now on; the width stays. */
void pmn_key_column_bind(pmn_key_column *c, const struct ArrowArray *array);

/* same[i]: row i is as row i - 1 in all columns; same[0] is false. */
void pmn_key_columns_runs(const pmn_key_column *columns, int32_t n, int64_t n_rows, uint8_t *same);
uint64_t pmn_key_columns_hash(const pmn_key_column *columns, int32_t n, int64_t row);
bool pmn_key_columns_equal(const pmn_key_column *columns, int32_t n, int64_t a, int64_t b);

#endif
