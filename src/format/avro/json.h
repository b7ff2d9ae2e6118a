/* Any Avro datum as JSON, for people. */
#ifndef PMN_FORMAT_AVRO_JSON_H
#define PMN_FORMAT_AVRO_JSON_H

#include "base/buf.h"
#include "base/cursor.h"
#include "format/avro/schema.h"

/* Append the datum at the cursor: records and maps as objects, bytes as hex, enums by symbol, unions as what they hold, decimals,
 * dates, times and timestamps as text, NaN and the infinities as text. PAIMON_CORRUPT. */
paimon_status pmn_avro_to_json(const pmn_avro_type *type, pmn_cursor *c, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

#endif
