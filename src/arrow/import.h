/* Foreign Arrow schemas and arrays: what the C data interface lets us check before their pointers are followed. */
#ifndef PMN_ARROW_IMPORT_H
#define PMN_ARROW_IMPORT_H

#include "base/status.h"
#include "paimon-c/arrow_abi.h"

/* Does the array have the structure of its schema? Counts of buffers and children, lengths, offsets and sizes (not negative, rising,
 * within the child), indices within their dictionary, views within their buffers, nesting; bitmaps and values that must be there.
 * Sizes of plain buffers are not told by the interface and have to be trusted. PAIMON_INVALID names the column; PAIMON_UNSUPPORTED names
 * a layout that is not taken: run-end encoded, unions. Costs a pass over offsets, views and indices. */
paimon_status pmn_array_import_check(const struct ArrowSchema *schema, const struct ArrowArray *array, paimon_error *err) PMN_MUST_USE;

/* Is it a schema that may be walked: formats that are known, children and dictionaries that are there and not released, as many children as
 * the format has, nesting that ends. PAIMON_INVALID names the column; PAIMON_UNSUPPORTED names a format that is not taken. */
paimon_status pmn_schema_import_check(const struct ArrowSchema *schema, paimon_error *err) PMN_MUST_USE;

#endif
