/* Between a file's stored bytes and a predicate's values: bounds of statistics as datums, and literals as the bytes that a bloom filter
 * hashes. Both only where the meaning is certain. */
#ifndef PMN_FORMAT_PARQUET_BOUNDS_H
#define PMN_FORMAT_PARQUET_BOUNDS_H

#include "format/parquet/schema.h"
#include "predicate/bound.h"

typedef struct pmn_parquet_bytes_bounds {
    pmn_slice min, max; /* data NULL: not there */
    bool is_legacy;     /* the deprecated fields of statistics: compared as signed numbers by whoever wrote them */
} pmn_parquet_bytes_bounds;

/* Set out->min and out->max for the values of `leaf` (of the file) as `pred` (a leaf) sees them; what is not certain stays null. Byte
 * datums borrow from `bounds`. */
void pmn_parquet_bounds_of(const pmn_parquet_node *leaf, const pmn_pred *pred, const pmn_parquet_bytes_bounds *bounds, pmn_stat *out);

/* The PLAIN bytes that every value of `leaf` equal to `value` (of `type`) has; false if equal values may have others. `scratch` backs
 * `plain`, which may also borrow from `value`. */
bool pmn_parquet_plain_of(const pmn_parquet_node *leaf, const pmn_type *type, const pmn_datum *value, uint8_t scratch[16], pmn_slice *plain);

#endif
