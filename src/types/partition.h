/* Partition values as directory names, and back: escaping, legacy and new spelling, the default name. */
#ifndef PMN_TYPES_PARTITION_H
#define PMN_TYPES_PARTITION_H

#include "types/datum.h"

/* Append "k1=v1/k2=v2/" (a '/' at the end; nothing for no keys). */
paimon_status pmn_partition_path(pmn_buf *out, const pmn_type *partition_type, const pmn_datum *values, const char *default_name,
                                 bool legacy, paimon_error *err) PMN_MUST_USE;
/* The text of one value as it stands in a path, not escaped: the default name for null and blank text. */
paimon_status pmn_partition_text(pmn_buf *out, const pmn_type *type, const pmn_datum *value, const char *default_name, bool legacy,
                                 paimon_error *err) PMN_MUST_USE;
paimon_status pmn_partition_escape(pmn_buf *out, pmn_slice text, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_partition_unescape(pmn_buf *out, pmn_slice text, paimon_error *err) PMN_MUST_USE;

#endif
