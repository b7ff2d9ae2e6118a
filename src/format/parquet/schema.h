/* The columns of a Parquet file: the stored tree of nodes, and the tree of fields that a reader sees.
 *
 * Nodes are what is stored, with the "repeated" groups that spell lists and maps. Fields are what they mean after the format's
 * rules for LIST and MAP, the old ones too: leaf, struct, list, map. A field's levels tell how it comes out of a leaf's
 * (definition, repetition) pairs:
 *
 *   A slot of a field begins at a pair with rep ≤ slot_rep and def ≥ slot_def. (Children of a struct have the slots of the struct,
 *   null or not, as in Arrow; elements of a list have the list's elements.)
 *   The value in the slot is not null if def ≥ value_def.
 *   LIST, MAP: the list has elements if def ≥ element_def (then this pair is its first element), and each further pair with
 *   rep ≤ element_rep begins another one. Its child's slot_def is element_def and its slot_rep is element_rep.
 *
 * Example: optional group a (LIST) { repeated group list { optional int32 element } }
 *   a: slot 0/0, value_def 1, element_def 2, element_rep 1;  element: slot 2/1, value_def 3 = max_def of the leaf. */
#ifndef PMN_FORMAT_PARQUET_SCHEMA_H
#define PMN_FORMAT_PARQUET_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "arrow/schema.h"
#include "base/arena.h"
#include "base/status.h"
#include "format/parquet/meta.h"
#include "paimon-c/arrow_abi.h"

/* Nested groups of a schema at most. */
#define PMN_PARQUET_MAX_DEPTH 64
/* Longer fixed-length values are refused: a null one takes its length too. */
#define PMN_PARQUET_MAX_FIXED (16 * 1024 * 1024)

typedef struct pmn_parquet_node pmn_parquet_node;
struct pmn_parquet_node {
    const pmn_parquet_element *element; /* name, physical type, repetition, logical type, field id */
    const pmn_parquet_node *parent;     /* NULL: root */
    const pmn_parquet_node *children;
    int32_t n_children;
    int16_t max_def;
    int16_t max_rep;
    int32_t first_leaf; /* number of the first leaf at or below it */
    int32_t n_leaves;   /* 1 for a leaf */
};

typedef enum pmn_parquet_shape {
    PMN_PQ_SHAPE_LEAF,
    PMN_PQ_SHAPE_STRUCT,
    PMN_PQ_SHAPE_LIST, /* one child: the element */
    PMN_PQ_SHAPE_MAP   /* one child: a required struct of key and value (as Arrow's entries) */
} pmn_parquet_shape;

typedef struct pmn_parquet_field pmn_parquet_field;
struct pmn_parquet_field {
    pmn_parquet_shape shape;
    const char *name; /* of the node; "element", "entries", "key", "value" inside collections are the file's own names */
    const pmn_parquet_node *node; /* LEAF: the leaf; LIST of a bare repeated node: that node, and its element has the same node */
    bool nullable;
    int32_t field_id;    /* -1: none */
    int16_t slot_def;
    int16_t slot_rep;
    int16_t value_def;
    int16_t element_def; /* LIST, MAP */
    int16_t element_rep; /* LIST, MAP */
    const pmn_parquet_field *children;
    int32_t n_children;
    int32_t first_leaf;  /* number of the first leaf at or below it */
    int32_t n_leaves;
    const char *format;  /* LEAF: the natural Arrow format: see pmn_parquet_leaf_format */
};

typedef struct pmn_parquet_schema {
    const pmn_parquet_node *root;
    const pmn_parquet_node *const *leaves; /* in file order: the order of a row group's chunks */
    int32_t n_leaves;
    const pmn_parquet_field *fields; /* the top-level columns */
    int32_t n_fields;
} pmn_parquet_schema;

/* From the footer's flat list, which is checked: counts, depth, leaf types against their annotations. Everything lands in `arena` and
 * borrows from `meta`. */
paimon_status pmn_parquet_schema_build(pmn_arena *arena, const pmn_parquet_meta *meta, pmn_parquet_schema *out, paimon_error *err) PMN_MUST_USE;

/* The natural Arrow schema of the file: a struct of its columns. Owned by the caller.
 *   BOOLEAN b; INT32 i, INT64 l, or as INTEGER says (c C s S i I l L); DATE tdD; TIME ttm, ttu, ttn; TIMESTAMP ts[mun]: with zone UTC
 *   if adjusted to it; INT96 tsn:; FLOAT f, DOUBLE g, FLOAT16 e; DECIMAL d:p,s (past 38 digits d:p,s,256); STRING, JSON u; other
 *   bytes (ENUM and BSON too) z, fixed ones w:n (UUID, INTERVAL too); always-null n. VARIANT is shown as the struct it is stored as. */
paimon_status pmn_parquet_schema_arrow(pmn_mem *mem, const pmn_parquet_schema *schema, struct ArrowSchema *out, paimon_error *err) PMN_MUST_USE;

/* What to read for a wanted Arrow schema. Trees have the same shape as the wanted schema: struct → its children; list, large list,
 * fixed-size list → 1 (element); map → 1 (entries struct) → 2 (key, value); all others none. */
typedef struct pmn_parquet_want pmn_parquet_want;
struct pmn_parquet_want {
    const struct ArrowSchema *schema; /* the wanted node: borrowed from the schema given */
    pmn_arrow_type type;              /* of it, parsed; text borrowed from it */
    bool nullable;                    /* wanted so */
    const pmn_parquet_field *field;   /* NULL: the file lacks it, so it is all null */
    const pmn_parquet_want *children;
    int32_t n_children;
    /* The leaf whose levels give the slots and nulls of this node: the first wanted leaf below it, or, if the file has none of the
     * wanted ones, the first leaf of the file below it. -1: absent. */
    int32_t level_leaf;
};

/* Match the children of a wanted struct schema to the file's columns by name, nested fields too (elements, keys and values by place).
 * An ambiguous name (case-insensitive) is PAIMON_CORRUPT. A field that the file lacks and that is wanted not null is PAIMON_CORRUPT,
 * except below a field that is absent as a whole. A wanted shape that does not fit the file's (a list of a struct) is
 * PAIMON_CORRUPT naming column and both. Whether a leaf's type can be turned into the wanted one is the decoder's matter.
 * `out` is the top-level struct: its children are the columns; its field is NULL although it is present. */
paimon_status pmn_parquet_match(pmn_arena *arena, const pmn_parquet_schema *schema, const struct ArrowSchema *wanted, bool case_insensitive,
                                pmn_parquet_want *out, paimon_error *err) PMN_MUST_USE;

/* "a.b.element" of a leaf, for messages; in the arena, "?" without memory. */
const char *pmn_parquet_leaf_path(pmn_arena *arena, const pmn_parquet_node *leaf);

#endif
