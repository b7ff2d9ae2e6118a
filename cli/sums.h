/** Checksums of columns, for `--format checksum` and for the benchmark: null count and sum of each column that is not nested.
 *
 *  Integers, dates (days), timestamps (microseconds) and decimals (unscaled) are summed in 64 bits with wrap-around, floats as
 *  double, strings and bytes by length. Works on the Arrow C structs alone. */
#ifndef CLI_SUMS_H
#define CLI_SUMS_H

#include "render.h"

typedef struct column_sum {
    int64_t nulls;
    uint64_t integer;
    double real;
} column_sum;

/** Add what a column of a batch holds. Of nested columns the nulls alone are counted. */
void column_sum_add(column_sum *sum, const render_type *type, const struct ArrowArray *array);
/** Has the column a sum at all? */
bool column_sum_is_kept(const render_type *type);
/** "[nulls,sum]" */
void column_sum_print(const column_sum *sum, const render_type *type, cli_text *out);

/** Bytes of the buffers that `length` rows from the array's offset take, as pyarrow's nbytes counts them. */
int64_t arrow_bytes(const render_type *type, const struct ArrowArray *array);

#endif
