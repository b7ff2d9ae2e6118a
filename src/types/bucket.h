/* From bucket-key values to a bucket number: the functions default, mod and hive. */
#ifndef PMN_TYPES_BUCKET_H
#define PMN_TYPES_BUCKET_H

#include "base/buf.h"
#include "types/row_codec.h"

typedef enum pmn_bucket_function { PMN_BUCKET_DEFAULT, PMN_BUCKET_MOD, PMN_BUCKET_HIVE } pmn_bucket_function;

paimon_status pmn_bucket_function_parse(const char *name, pmn_bucket_function *out, paimon_error *err) PMN_MUST_USE;
/* `n_buckets` > 0. `key_type`: ROW of the bucket-key columns in bucket-key order. */
paimon_status pmn_bucket_of(pmn_mem *mem, pmn_bucket_function function, const pmn_type *key_type, const pmn_datum *key, int32_t n_buckets,
                            int32_t *bucket, paimon_error *err) PMN_MUST_USE;
/* The same, with room for a row lent: for many rows. */
paimon_status pmn_bucket_with(pmn_buf *scratch, pmn_bucket_function function, const pmn_type *key_type, const pmn_datum *key, int32_t n_buckets,
                              int32_t *bucket, paimon_error *err) PMN_MUST_USE;
/* The default function, of the key's row. */
int32_t pmn_bucket_of_row(pmn_slice row, int32_t n_buckets);

#endif
