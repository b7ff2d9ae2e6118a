/* ArrowSchema trees made by the library, and questions about any ArrowSchema. */
#ifndef PMN_ARROW_SCHEMA_H
#define PMN_ARROW_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/status.h"
#include "paimon-c/arrow_abi.h"

/* How deep a tree of types may be: what nests deeper is refused, never recursed into. */
#define PMN_ARROW_MAX_DEPTH 192

/* A node with copies of `format` and `name`, flags, and room for children (each starts released; fill and own them through
 * out->children[i]). On failure out->release is NULL. */
paimon_status pmn_schema_new(pmn_mem *mem, const char *format, const char *name, int64_t flags, int n_children,
                             struct ArrowSchema *out, paimon_error *err) PMN_MUST_USE;
/* Set metadata of a node made here, as the interface encodes it, from `n` key-value pairs of C strings. */
paimon_status pmn_schema_set_metadata(struct ArrowSchema *schema, const char *const *keys, const char *const *values, int n,
                                      paimon_error *err) PMN_MUST_USE;
/* Make a dictionary-encoded node of one made here: `dictionary` is moved in (also on failure) and must not be set yet. */
paimon_status pmn_schema_set_dictionary(struct ArrowSchema *schema, struct ArrowSchema *dictionary, paimon_error *err) PMN_MUST_USE;
/* The value of a metadata key: borrowed; false if absent. */
bool pmn_schema_metadata(const struct ArrowSchema *schema, const char *key, const char **value, int32_t *size);
paimon_status pmn_schema_copy(pmn_mem *mem, const struct ArrowSchema *schema, struct ArrowSchema *out, paimon_error *err) PMN_MUST_USE;
void pmn_schema_release(struct ArrowSchema *schema); /* NULL and released allowed */
void pmn_schema_move(struct ArrowSchema *to, struct ArrowSchema *from);
int pmn_schema_find(const struct ArrowSchema *schema, const char *name); /* index of the child, or -1 */

/* A format string taken apart. */
typedef enum pmn_arrow_kind {
    PMN_ARROW_NULL,
    PMN_ARROW_BOOL,
    PMN_ARROW_INT8,
    PMN_ARROW_UINT8,
    PMN_ARROW_INT16,
    PMN_ARROW_UINT16,
    PMN_ARROW_INT32,
    PMN_ARROW_UINT32,
    PMN_ARROW_INT64,
    PMN_ARROW_UINT64,
    PMN_ARROW_HALF,
    PMN_ARROW_FLOAT,
    PMN_ARROW_DOUBLE,
    PMN_ARROW_DECIMAL,      /* width bits: 32, 64, 128, 256 */
    PMN_ARROW_BINARY,       /* z */
    PMN_ARROW_LARGE_BINARY, /* Z */
    PMN_ARROW_BINARY_VIEW,  /* vz */
    PMN_ARROW_STRING,       /* u */
    PMN_ARROW_LARGE_STRING, /* U */
    PMN_ARROW_STRING_VIEW,  /* vu */
    PMN_ARROW_FIXED_BINARY, /* w:n */
    PMN_ARROW_DATE32,
    PMN_ARROW_DATE64,
    PMN_ARROW_TIME32,
    PMN_ARROW_TIME64,
    PMN_ARROW_TIMESTAMP,
    PMN_ARROW_DURATION,
    PMN_ARROW_INTERVAL,
    PMN_ARROW_LIST,
    PMN_ARROW_LARGE_LIST,
    PMN_ARROW_LIST_VIEW,
    PMN_ARROW_LARGE_LIST_VIEW,
    PMN_ARROW_FIXED_LIST,
    PMN_ARROW_STRUCT,
    PMN_ARROW_MAP,
    PMN_ARROW_SPARSE_UNION,
    PMN_ARROW_DENSE_UNION,
    PMN_ARROW_RUN_END
} pmn_arrow_kind;

typedef enum pmn_time_unit { PMN_UNIT_SECOND = 0, PMN_UNIT_MILLI = 1, PMN_UNIT_MICRO = 2, PMN_UNIT_NANO = 3 } pmn_time_unit;

typedef struct pmn_arrow_type {
    pmn_arrow_kind kind;
    int32_t precision; /* decimal */
    int32_t scale;     /* decimal */
    int32_t width;     /* decimal: bits; fixed binary: bytes; fixed list: elements; fixed-width kinds: bytes of a value */
    pmn_time_unit unit;
    const char *zone; /* timestamp: "" for none; borrowed from the format string */
} pmn_arrow_type;

/* "decimal", "utf8 view", …: what people call a kind; static. */
const char *pmn_arrow_kind_name(pmn_arrow_kind kind);

/* PAIMON_UNSUPPORTED with the format string for one that is not of the interface. */
paimon_status pmn_arrow_type_parse(const char *format, pmn_arrow_type *out, paimon_error *err) PMN_MUST_USE;

#endif
