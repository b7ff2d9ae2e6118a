/* Incoming batches as the table's columns: in table order and canonical layout, defaults filled in, row kinds checked and taken off. */
#ifndef PMN_WRITE_COLUMNS_H
#define PMN_WRITE_COLUMNS_H

#include "arrow/buffer.h"
#include "paimon-c/arrow_abi.h"
#include "types/type.h"

typedef struct pmn_write_columns {
    const pmn_type *row;        /* the table's */
    const struct ArrowSchema *schema; /* of the batches; borrowed */
    int32_t *source_columns;    /* the batch's column of each table column; -1: not given */
    int32_t kind_column;        /* of _VALUE_KIND; -1: none */
} pmn_write_columns;

/* Match a batch schema to the table's columns, in the arena. PAIMON_INVALID names what is missing, unknown or given twice. */
paimon_status pmn_write_columns_make(pmn_arena *arena, const pmn_type *row, const struct ArrowSchema *schema, pmn_write_columns *out,
                                     paimon_error *err) PMN_MUST_USE;

/* Refuse by name a given column whose Arrow type can never hold the table's values: the first batch need not tell. */
paimon_status pmn_write_columns_check(const pmn_write_columns *columns, pmn_buffer_pool *pool, paimon_error *err) PMN_MUST_USE;

/* The batch as a struct array of the table's columns. */
paimon_status pmn_write_columns_take(const pmn_write_columns *columns, pmn_buffer_pool *pool, struct ArrowArray *batch, struct ArrowArray *out,
                                     paimon_error *err) PMN_MUST_USE;

#endif
