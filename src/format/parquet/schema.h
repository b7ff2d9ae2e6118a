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
#include "format/match.h"
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

typedef struct pmn_parquet_field pmn_parquet_field;
struct pmn_parquet_field {
    pmn_field_shape shape;
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
    const pmn_file_field *shown;     /* the same, for matching: nodes are the fields above */
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

/* pmn_match among the columns of the file. */
paimon_status pmn_parquet_match(pmn_arena *arena, const pmn_parquet_schema *schema, const struct ArrowSchema *wanted, bool case_insensitive,
                                pmn_want *out, paimon_error *err) PMN_MUST_USE;
/* The column that was matched; NULL: absent. */
static inline const pmn_parquet_field *pmn_parquet_wanted(const pmn_want *want) { return want->field ? (const pmn_parquet_field *)want->field->node : NULL; }
/* The leaf whose levels give the slots and nulls of a node: the first wanted leaf below it, or, if the file has none of the wanted ones,
 * the first leaf of the file below it. -1: absent. */
int32_t pmn_parquet_level_leaf(const pmn_want *want);

/* "a.b.element" of a leaf, for messages; in the arena, "?" without memory. */
const char *pmn_parquet_leaf_path(pmn_arena *arena, const pmn_parquet_node *leaf);

#endif
