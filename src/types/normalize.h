/* Foreign Arrow arrays into the one layout that the writers know: the canonical Arrow type of the Paimon type, offset 0. */
#ifndef PMN_TYPES_NORMALIZE_H
#define PMN_TYPES_NORMALIZE_H

#include "arrow/buffer.h"
#include "types/type.h"

/* `array` (checked by pmn_array_import_check) as an array of the Arrow type of `type`, offsets 0, bitmaps only where there are nulls. What
 * is so already is shared, not copied: `array` stays valid and is the caller's, but a foreign one is turned into a counted one in place.
 *
 * Fields of rows are matched by name, else by PARQUET:field_id; absent nullable ones become null. Refused by name: PAIMON_UNSUPPORTED for an
 * Arrow type that cannot hold the Paimon type, PAIMON_INVALID for values that lose something or do not fit (range, precision, length,
 * UTF-8), nulls where the type is NOT NULL, fields that are missing or unknown. */
paimon_status pmn_array_normalize(pmn_buffer_pool *pool, const pmn_type *type, const struct ArrowSchema *schema, struct ArrowArray *array,
                                  struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;

#endif
