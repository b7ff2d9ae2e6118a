/* What the files of this room know about arrays of ours. Not for other rooms. */
#ifndef PMN_ARROW_PRIVATE_H
#define PMN_ARROW_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "arrow/array.h"
#include "arrow/buffer.h"

/* A foreign array kept alive by arrays of ours over its memory. */
typedef struct pmn_foreign_owner {
    atomic_int refs;
    pmn_mem *mem; /* counted */
    struct ArrowArray array;
} pmn_foreign_owner;

typedef struct pmn_array_private {
    pmn_mem *mem; /* counted */
    size_t size;  /* of the whole block */
    int n_buffers;
    pmn_buffer **buffers;  /* NULL entries: absent, or the owner's memory */
    const void **pointers; /* what the Arrow struct shows */
    struct ArrowArray **children;
    struct ArrowArray dictionary;
    pmn_foreign_owner *owner; /* counted; NULL if there is none */
} pmn_array_private;

bool pmn_array_is_ours(const struct ArrowArray *array);  /* this node alone */
bool pmn_array_all_ours(const struct ArrowArray *array); /* children and dictionary as well */
/* pmn_array_share of a whole array that is all ours, which may therefore be const. */
paimon_status pmn_array_share_ours(pmn_mem *mem, const struct ArrowArray *array, struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;

#endif
