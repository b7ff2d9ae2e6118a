/* An Avro schema as a tree (a graph, where a record refers to itself) in an arena. */
#ifndef PMN_FORMAT_AVRO_SCHEMA_H
#define PMN_FORMAT_AVRO_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/status.h"

/* Schemas nest at most this deep, and so do the data of a schema that refers to itself. */
#define PMN_AVRO_MAX_DEPTH 64

typedef enum pmn_avro_kind {
    PMN_AVRO_NULL,
    PMN_AVRO_BOOLEAN,
    PMN_AVRO_INT,
    PMN_AVRO_LONG,
    PMN_AVRO_FLOAT,
    PMN_AVRO_DOUBLE,
    PMN_AVRO_BYTES,
    PMN_AVRO_STRING,
    PMN_AVRO_FIXED,
    PMN_AVRO_ENUM,
    PMN_AVRO_ARRAY,
    PMN_AVRO_MAP,
    PMN_AVRO_RECORD,
    PMN_AVRO_UNION
} pmn_avro_kind;

typedef struct pmn_avro_type pmn_avro_type;

typedef struct pmn_avro_field {
    const char *name;          /* RECORD: the field; ENUM: the symbol; else NULL */
    const pmn_avro_type *type; /* ENUM: NULL */
} pmn_avro_field;

struct pmn_avro_type {
    pmn_avro_kind kind;
    int32_t n;                    /* RECORD: fields; UNION: branches; ENUM: symbols; ARRAY, MAP: 1 (the item) */
    const pmn_avro_field *fields;
    const char *name;             /* full name of RECORD, ENUM, FIXED; else NULL */
    const char *logical;          /* logicalType, or NULL */
    int32_t precision, scale;     /* of the logical type decimal */
    int64_t size;                 /* FIXED: bytes */
    int64_t min_bytes;            /* the least a datum takes: counts are checked against the bytes left with it. 0: always 0 */
};

/* PAIMON_CORRUPT for JSON that is no Avro schema, with what is wrong. */
paimon_status pmn_avro_schema_parse(pmn_arena *arena, pmn_slice json, const pmn_avro_type **out, paimon_error *err) PMN_MUST_USE;

const char *pmn_avro_kind_name(pmn_avro_kind kind);

/* The other branch of a union of null and one more type, and which branch (0, 1) null is; NULL for any other type. */
const pmn_avro_type *pmn_avro_nullable(const pmn_avro_type *type, int *null_branch);

#endif
