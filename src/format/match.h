/* Matching a wanted Arrow schema to the columns of a file, by name: the same rules for every format.
 *
 * A format tells its columns as a tree of fields; what comes back has the shape of the wanted schema: struct → its children; list, large
 * list, list views, fixed-size list → 1 (element); map → 1 (entries struct) → 2 (key, value); all others none. */
#ifndef PMN_FORMAT_MATCH_H
#define PMN_FORMAT_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "arrow/schema.h"
#include "base/arena.h"
#include "base/status.h"
#include "paimon-c/arrow_abi.h"

typedef enum pmn_field_shape {
    PMN_SHAPE_LEAF,
    PMN_SHAPE_STRUCT,
    PMN_SHAPE_LIST, /* one child: the element */
    PMN_SHAPE_MAP   /* one child: a struct of key and value (as Arrow's entries) */
} pmn_field_shape;

typedef struct pmn_file_field pmn_file_field;
struct pmn_file_field {
    pmn_field_shape shape;
    const char *name;
    const pmn_file_field *children;
    int32_t n_children;
    const void *node; /* the format's own */
};

typedef struct pmn_want pmn_want;
struct pmn_want {
    const struct ArrowSchema *schema; /* the wanted node: borrowed from the schema given */
    pmn_arrow_type type;              /* of it, parsed; text borrowed from it */
    bool nullable;                    /* wanted so */
    const pmn_file_field *field;      /* NULL: the file lacks it, so it is all null */
    const pmn_want *children;
    int32_t n_children;
};

/* Match the children of a wanted struct schema to `fields` by name, nested fields too (elements, keys and values by place). An ambiguous
 * name (case-insensitive) is PAIMON_CORRUPT. A field that the file lacks and that is wanted not null is PAIMON_CORRUPT, except below a
 * field that is absent as a whole. A wanted shape that does not fit the file's (a list of a struct) is PAIMON_CORRUPT naming column and
 * both. Whether a leaf's type can be turned into the wanted one is the decoder's matter. `out` is the top-level struct: its children are
 * the columns; its field is NULL although it is present. */
paimon_status pmn_match(pmn_arena *arena, const pmn_file_field *fields, int32_t n_fields, const struct ArrowSchema *wanted, bool case_insensitive,
                        pmn_want *out, paimon_error *err) PMN_MUST_USE;

#endif
