/* Rows to groups: which rows of a batch belong to which partition and bucket. */
#ifndef PMN_WRITE_ROUTE_H
#define PMN_WRITE_ROUTE_H

#include "base/buf.h"
#include "types/value_reader.h"
#include "write/target.h"

/* The rows of one partition and bucket in a batch, in their order. */
typedef struct pmn_row_group {
    pmn_slice partition; /* serialized */
    int32_t bucket;
    int32_t *rows;
    int64_t n;
} pmn_row_group;

typedef struct pmn_router pmn_router;

paimon_status pmn_router_new(const pmn_write_target *target, pmn_router **out, paimon_error *err) PMN_MUST_USE;
void pmn_router_free(pmn_router *router); /* NULL allowed */

/* Groups in order of first appearance; valid until the next call. `batch` holds the table's columns in the canonical layout. */
paimon_status pmn_router_split(pmn_router *router, const struct ArrowArray *batch, const pmn_row_group **groups, int32_t *n, paimon_error *err) PMN_MUST_USE;

#endif
