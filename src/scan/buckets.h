/* From a predicate on the bucket key to the buckets that can hold its rows. */
#ifndef PMN_SCAN_BUCKETS_H
#define PMN_SCAN_BUCKETS_H

#include "meta/source.h"
#include "predicate/bound.h"
#include "types/bucket.h"

/* The buckets wanted of one bucket count: partitions that were rescaled have counts of their own. */
typedef struct pmn_bucket_set {
    int32_t total;
    uint8_t *wanted; /* a bit a bucket */
} pmn_bucket_set;

typedef struct pmn_buckets {
    pmn_mem *mem;
    pmn_arena *arena;
    bool active; /* false: every bucket may match */
    pmn_bucket_function function;
    const pmn_type *key_type;
    const pmn_datum *keys; /* n_keys rows of key_type */
    int32_t n_keys;
    pmn_bucket_set *sets;
    int32_t n_sets;
} pmn_buckets;

/* `pred` is bound to the table's columns. */
paimon_status pmn_buckets_init(pmn_buckets *buckets, pmn_source *source, pmn_arena *arena, const pmn_pred *pred, paimon_error *err) PMN_MUST_USE;
bool pmn_buckets_keep(pmn_buckets *buckets, int32_t bucket, int32_t total_buckets);

#endif
