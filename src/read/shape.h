/* How the files of one schema serve a read: columns matched by field id, under the names that they have in the file. */
#ifndef PMN_READ_SHAPE_H
#define PMN_READ_SHAPE_H

#include "meta/source.h"
#include "paimon-c/arrow_abi.h"
#include "predicate/bound.h"
#include "read/projection.h"

enum { PMN_FROM_NULL = -1, PMN_FROM_PARTITION = -2 };

/* Immutable once made. */
typedef struct pmn_shape {
    const pmn_table_schema *schema;
    struct ArrowSchema wanted; /* struct of the columns to read from the file */
    int32_t n_wanted;
    int32_t *sources;      /* of each output column: child of `wanted`, PMN_FROM_NULL or PMN_FROM_PARTITION */
    bool *refuse_nulls;    /* of each output column: NOT NULL in the table, nullable in the file */
    bool same;             /* the file's batches are the output as they stand */
    struct ArrowSchema filter; /* struct of the columns that the predicate needs; released without a predicate */
    int32_t *filter_columns;   /* table column → child of `filter`; -1: null in this file */
} pmn_shape;

/* `pred` is bound to the table's columns, NULL: none. A column whose type has changed is PAIMON_UNSUPPORTED by name. */
paimon_status pmn_shape_make(pmn_arena *arena, const pmn_source *source, const pmn_table_schema *file_schema, const pmn_projection *projection,
                             const pmn_pred *pred, pmn_shape *out, paimon_error *err) PMN_MUST_USE;
void pmn_shape_free(pmn_shape *shape);

/* A file may say that it holds some of its schema's columns only (`_WRITE_COLS`). PAIMON_UNSUPPORTED if one that is needed is
 * missing: it then lies in another file. */
paimon_status pmn_shape_check_columns(const pmn_shape *shape, const char *const *write_cols, int32_t n, const char *file_name,
                                      paimon_error *err) PMN_MUST_USE;

#endif
