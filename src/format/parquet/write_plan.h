/* What the writer makes of a ROW type: the elements of the footer's schema, and for each leaf where its values come from.
 *
 * Names, annotations and field ids are Java's: lists are `list`/`element`, maps `key_value`/`key`/`value`; the ids of elements, keys and
 * values are derived from the id of the field they belong to. */
#ifndef PMN_FORMAT_PARQUET_WRITE_PLAN_H
#define PMN_FORMAT_PARQUET_WRITE_PLAN_H

#include "format/parquet/meta.h"
#include "types/type.h"

/* How the values of a leaf lie in Arrow, and so how they become what is stored. */
typedef enum pmn_pqw_source {
    PMN_PQW_BITS,       /* BOOLEAN */
    PMN_PQW_INT8,       /* INT32 from here … */
    PMN_PQW_INT16,
    PMN_PQW_INT32,
    PMN_PQW_DECIMAL32,  /* the low bytes of 128 bits */
    PMN_PQW_FLOAT,
    PMN_PQW_INT64,      /* INT64 */
    PMN_PQW_SECONDS,    /* INT64, to milliseconds */
    PMN_PQW_DECIMAL64,
    PMN_PQW_DOUBLE,
    PMN_PQW_DECIMAL128, /* FIXED, big-endian */
    PMN_PQW_NANOS,      /* INT96 */
    PMN_PQW_BYTES32,    /* BYTE_ARRAY, offsets of 32 bits */
    PMN_PQW_BYTES64
} pmn_pqw_source;

/* One node on the way from a column to a leaf. */
typedef enum pmn_pqw_step_kind { PMN_PQW_STRUCT, PMN_PQW_LIST, PMN_PQW_FIXED_LIST, PMN_PQW_MAP, PMN_PQW_LEAF } pmn_pqw_step_kind;
typedef struct pmn_pqw_step {
    pmn_pqw_step_kind kind;
    bool nullable;
    int32_t child; /* STRUCT: which; MAP: 0 key, 1 value */
    int32_t width; /* FIXED_LIST */
} pmn_pqw_step;

typedef struct pmn_pqw_leaf {
    const char *path;           /* parts with dots between them */
    const pmn_slice *parts;
    int32_t n_parts;
    int32_t column;             /* top-level */
    const pmn_type *type;
    pmn_pqw_source source;
    pmn_parquet_physical physical;
    int32_t type_length;        /* FIXED */
    bool is_text;               /* BYTE_ARRAY that is cut between characters */
    uint8_t max_def, max_rep;
    const pmn_pqw_step *steps;  /* the last is the LEAF */
    int32_t n_steps;
} pmn_pqw_leaf;

typedef struct pmn_pqw_plan {
    pmn_parquet_element *elements; /* [0] is the root */
    int32_t n_elements;
    pmn_pqw_leaf *leaves;
    int32_t n_leaves;
} pmn_pqw_plan;

/* Everything lands in `arena`; `row` is borrowed. PAIMON_UNSUPPORTED names a type that cannot be written. */
paimon_status pmn_pqw_plan_make(pmn_arena *arena, const pmn_type *row, pmn_pqw_plan *out, paimon_error *err) PMN_MUST_USE;

#endif
