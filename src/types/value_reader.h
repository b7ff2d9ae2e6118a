/* Single values out of Arrow arrays, in whatever layout the interface allows for their Paimon type. */
#ifndef PMN_TYPES_VALUE_READER_H
#define PMN_TYPES_VALUE_READER_H

#include "arrow/schema.h"
#include "types/datum.h"

/* An Arrow field looked at once: how values of an atomic `type` lie in its arrays. Borrows type and schema. */
typedef struct pmn_value_reader {
    const pmn_type *type;
    pmn_arrow_type arrow; /* of the values, behind a dictionary */
    pmn_arrow_type index; /* of the indices; only with a dictionary */
    bool has_dictionary;
} pmn_value_reader;

/* PAIMON_UNSUPPORTED names both types when the field cannot hold values of `type`. */
paimon_status pmn_value_reader_init(pmn_value_reader *r, const pmn_type *type, const struct ArrowSchema *schema, paimon_error *err) PMN_MUST_USE;
/* PAIMON_INVALID for a value that the type cannot hold (a date64 within a day, too many digits …). Bytes are borrowed. */
paimon_status pmn_value_read(const pmn_value_reader *r, const struct ArrowArray *array, int64_t row, pmn_datum *out, paimon_error *err) PMN_MUST_USE;

#endif
