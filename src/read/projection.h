/* The columns that a read was asked for, as a row type. */
#ifndef PMN_READ_PROJECTION_H
#define PMN_READ_PROJECTION_H

#include "types/type.h"

typedef struct pmn_projection {
    const pmn_type *row; /* what comes out: names and ids of the table; rows pruned to the fields asked */
    int32_t *columns;    /* table column of each of its fields */
} pmn_projection;

/* `names` in the order wanted, NULL: all. "a.b" asks for field b of row a; several fields of one row come out as one column, at
 * the place of the first. PAIMON_NOT_FOUND, PAIMON_INVALID (asked twice); PAIMON_UNSUPPORTED names a type that cannot be read. */
paimon_status pmn_projection_make(pmn_arena *arena, const pmn_type *table, const char *const *names, size_t n, pmn_projection *out,
                                  paimon_error *err) PMN_MUST_USE;

/* Do values of the two types have the same bytes and the same parts, by ids and names? Nullability does not matter. */
bool pmn_type_reads_as(const pmn_type *file, const pmn_type *table);

#endif
