/* Paimon data types: immutable trees that live in an arena. Spec: "Data Types" of Paimon; type strings and JSON as Java's
 * DataTypeJsonParser reads and writes them. */
#ifndef PMN_TYPES_TYPE_H
#define PMN_TYPES_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include "paimon-c/arrow_abi.h"

typedef enum pmn_type_kind {
    PMN_CHAR,
    PMN_VARCHAR, /* length INT32_MAX is STRING */
    PMN_BOOLEAN,
    PMN_BINARY,
    PMN_VARBINARY, /* length INT32_MAX is BYTES */
    PMN_DECIMAL,
    PMN_TINYINT,
    PMN_SMALLINT,
    PMN_INT,
    PMN_BIGINT,
    PMN_FLOAT,
    PMN_DOUBLE,
    PMN_DATE,
    PMN_TIME,
    PMN_TIMESTAMP,
    PMN_TIMESTAMP_LTZ,
    PMN_ARRAY,
    PMN_MULTISET,
    PMN_MAP,
    PMN_ROW,
    PMN_VECTOR,
    PMN_VARIANT,
    PMN_BLOB,
    PMN_GEOMETRY,  /* parsed and carried; not read or written */
    PMN_GEOGRAPHY
} pmn_type_kind;

typedef struct pmn_type pmn_type;

typedef struct pmn_field {
    int32_t id;              /* -1 for the element, key and value of collections, which have none in a schema */
    const char *name;        /* "element", "key", "value" in collections */
    const pmn_type *type;
    const char *description; /* NULL if none */
    const char *default_value; /* NULL if none */
} pmn_field;

struct pmn_type {
    pmn_type_kind kind;
    bool nullable;
    int32_t length; /* CHAR, VARCHAR, BINARY, VARBINARY, VECTOR: n. DECIMAL, TIME, TIMESTAMP(_LTZ): precision */
    int32_t scale;  /* DECIMAL */
    int32_t n_fields;
    const pmn_field *fields; /* ROW: its fields; ARRAY, MULTISET, VECTOR: element; MAP: key, value */
    const char *text;        /* GEOMETRY, GEOGRAPHY: what stands in the parentheses; else NULL */
};

/* Types nest at most this deep; deeper texts and trees are refused. */
#define PMN_TYPE_MAX_DEPTH 64

/* A type without parts: `length` and `scale` as in the struct. NULL: no memory. */
const pmn_type *pmn_type_new(pmn_arena *arena, pmn_type_kind kind, bool nullable, int32_t length, int32_t scale) PMN_MUST_USE;
/* A ROW over fields that live as long as the arena. Field names are not checked. NULL: no memory. */
const pmn_type *pmn_type_row(pmn_arena *arena, bool nullable, const pmn_field *fields, int32_t n_fields) PMN_MUST_USE;
/* Field names of a row must not be blank, nor occur twice: PAIMON_INVALID. */
paimon_status pmn_fields_check(pmn_mem *mem, const pmn_field *fields, int32_t n_fields, paimon_error *err) PMN_MUST_USE;
const char *pmn_type_kind_name(pmn_type_kind kind); /* "CHAR", "TIMESTAMP WITH LOCAL TIME ZONE", …; static */

/* Parse an atomic type string ("DECIMAL(10, 2) NOT NULL"), or a nested one in SQL form ("ARRAY<INT>", "MAP<STRING, INT>",
 * "ROW<a INT, b STRING>"). PAIMON_INVALID names the text and the place. */
paimon_status pmn_type_parse(pmn_arena *arena, const char *text, const pmn_type **out, paimon_error *err) PMN_MUST_USE;

/* The text Java writes (" NOT NULL" included); nested types in SQL form. */
paimon_status pmn_type_print(const pmn_type *type, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* Nullability, names and ids of nested fields included; descriptions and default values are not. */
bool pmn_type_equal(const pmn_type *a, const pmn_type *b);
bool pmn_type_equal_ignoring_null(const pmn_type *a, const pmn_type *b);   /* top-level nullability ignored */
const pmn_type *pmn_type_with_null(pmn_arena *arena, const pmn_type *type, bool nullable) PMN_MUST_USE; /* NULL: no memory */
paimon_status pmn_type_copy(pmn_arena *arena, const pmn_type *type, const pmn_type **out, paimon_error *err) PMN_MUST_USE;

static inline bool pmn_type_is_text(const pmn_type *t) { return t->kind == PMN_CHAR || t->kind == PMN_VARCHAR; }
static inline bool pmn_type_is_bytes(const pmn_type *t) { return t->kind == PMN_BINARY || t->kind == PMN_VARBINARY; }
static inline bool pmn_type_is_atomic(const pmn_type *t)
{
    return t->kind < PMN_ARRAY || t->kind == PMN_BLOB || t->kind == PMN_GEOMETRY || t->kind == PMN_GEOGRAPHY;
}
static inline bool pmn_type_fits_vector(const pmn_type *element)
{
    return element->kind == PMN_BOOLEAN || (element->kind >= PMN_TINYINT && element->kind <= PMN_DOUBLE);
}
int pmn_row_find(const pmn_type *row, const char *name); /* index of the field of a ROW, or -1 */
int pmn_row_find_id(const pmn_type *row, int32_t id);

/* The Arrow type of a field, as spec/docs "Types" table fixes it: names, nullability, PARQUET:field_id metadata on every
 * level. pmn_row_to_arrow makes the top-level struct ("+s") of a ROW type. */
paimon_status pmn_field_to_arrow(pmn_mem *mem, const pmn_field *field, struct ArrowSchema *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_row_to_arrow(pmn_mem *mem, const pmn_type *row, struct ArrowSchema *out, paimon_error *err) PMN_MUST_USE;

/* The Paimon type of an Arrow field, for a table made from an Arrow schema. Unsigned, unions … PAIMON_UNSUPPORTED by name. */
paimon_status pmn_type_from_arrow(pmn_arena *arena, const struct ArrowSchema *schema, const pmn_type **out, paimon_error *err) PMN_MUST_USE;

#endif
