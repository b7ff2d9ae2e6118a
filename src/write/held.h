/* Batches that wait: rows of many partitions come a few each in every batch, and a file gains from none but many. They are held as they came,
 * which takes the least memory, and put together before they are shared out. */
#ifndef PMN_WRITE_HELD_H
#define PMN_WRITE_HELD_H

#include "arrow/buffer.h"
#include "paimon-c/arrow_abi.h"
#include "types/type.h"

typedef struct pmn_held_rows {
    pmn_mem *mem; /* borrowed */
    struct ArrowArray *batches;
    int n;
    size_t capacity;
    int64_t bytes, rows;
} pmn_held_rows;

void pmn_held_init(pmn_held_rows *h, pmn_mem *mem);
void pmn_held_free(pmn_held_rows *h);
/* A share of the batch behind the others. */
paimon_status pmn_held_add(pmn_held_rows *h, struct ArrowArray *batch, int64_t bytes, paimon_error *err) PMN_MUST_USE;
/* All rows as one batch; nothing is held any more, also on failure. Columns are put together one after the other and what they were made of is let go, so that
 * little more memory is needed than was held. */
paimon_status pmn_held_take(pmn_held_rows *h, pmn_buffer_pool *pool, const struct ArrowSchema *schema, struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;

#endif
