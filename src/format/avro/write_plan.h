/* What becomes of a Paimon type in an Avro file: the schema as Java writes it, and what is written of each value. */
#ifndef PMN_FORMAT_AVRO_WRITE_PLAN_H
#define PMN_FORMAT_AVRO_WRITE_PLAN_H

#include "base/arena.h"
#include "base/buf.h"
#include "types/type.h"

typedef enum pmn_avro_put {
    PMN_AVRO_PUT_BOOL,
    PMN_AVRO_PUT_I8,
    PMN_AVRO_PUT_I16,
    PMN_AVRO_PUT_I32,
    PMN_AVRO_PUT_I64, /* times `factor` */
    PMN_AVRO_PUT_F32,
    PMN_AVRO_PUT_F64,
    PMN_AVRO_PUT_VAR32,
    PMN_AVRO_PUT_VAR64,
    PMN_AVRO_PUT_DECIMAL,
    PMN_AVRO_PUT_ROW,
    PMN_AVRO_PUT_ARRAY,
    PMN_AVRO_PUT_VECTOR,
    PMN_AVRO_PUT_MAP /* with string keys, or an array of pairs: the bytes are the same */
} pmn_avro_put;

typedef struct pmn_avro_write_node pmn_avro_write_node;
struct pmn_avro_write_node {
    pmn_avro_put put;
    bool nullable; /* in a union of null and it */
    int32_t length; /* VECTOR */
    int64_t factor;
    const char *name;
    const pmn_avro_write_node *children; /* ROW: fields; ARRAY, VECTOR: element; MAP: key and value */
    int32_t n_children;
};

/* `root` is of a ROW, never null. Appends the schema's JSON to `schema`. PAIMON_UNSUPPORTED names a column whose type Avro has not in Paimon. */
paimon_status pmn_avro_write_plan(pmn_arena *arena, const pmn_type *row, pmn_avro_write_node *root, pmn_buf *schema, paimon_error *err) PMN_MUST_USE;

#endif
