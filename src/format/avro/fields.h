/* The columns of an Avro data file: its schema as the tree that wanted columns are matched to, and as an Arrow schema.
 *
 * A root that is a record gives its fields. Any other root is one column without a name; a union of null and a record, as old Paimon versions
 * wrote it, may be seen either way. */
#ifndef PMN_FORMAT_AVRO_FIELDS_H
#define PMN_FORMAT_AVRO_FIELDS_H

#include "base/arena.h"
#include "base/mem.h"
#include "format/avro/schema.h"
#include "format/match.h"
#include "paimon-c/arrow_abi.h"

/* What stands behind a pmn_file_field. */
typedef struct pmn_avro_node {
    const pmn_avro_type *value; /* null and a union around it taken away */
    bool in_union;              /* a branch stands in front */
    bool nullable;
    uint8_t null_code, value_code; /* the branches as they are stored; PMN_AVRO_NO_BRANCH: there is none */
    const char *refusal;        /* what it is, if it cannot be an Arrow column; then it is a leaf */
} pmn_avro_node;

#define PMN_AVRO_NO_BRANCH 0xff

typedef struct pmn_avro_fields {
    pmn_file_field root; /* without a name */
    bool bare;           /* the root is a record, not a union around one */
} pmn_avro_fields;

/* Everything lands in the arena; the types are borrowed. */
paimon_status pmn_avro_fields_build(pmn_arena *arena, const pmn_avro_type *root, pmn_avro_fields *out, paimon_error *err) PMN_MUST_USE;

/* The columns that a wanted schema means (NULL: everything, the natural way). */
void pmn_avro_fields_of(const pmn_avro_fields *fields, const struct ArrowSchema *wanted, const pmn_file_field **columns, int32_t *n);

/* The natural Arrow types. PAIMON_UNSUPPORTED names a column that has none: unions of several types, records within themselves. */
paimon_status pmn_avro_fields_arrow(pmn_mem *mem, const pmn_avro_fields *fields, struct ArrowSchema *out, paimon_error *err) PMN_MUST_USE;

static inline const pmn_avro_node *pmn_avro_node_of(const pmn_file_field *field) { return field->node; }

/* A third of a duration: 32 bits without a sign, little-endian. */
extern const pmn_avro_type pmn_avro_duration_part;
bool pmn_avro_is_logical(const pmn_avro_type *type, const char *name);
/* The unit of timestamp-*, local-timestamp-*, time-*; false for other types. */
bool pmn_avro_unit(const pmn_avro_type *type, pmn_time_unit *unit);
/* A decimal as the specification wants it: what is not is plain bytes. */
bool pmn_avro_is_decimal(const pmn_avro_type *type);

#endif
