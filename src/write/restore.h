/* What a bucket holds already: where its sequence numbers go on, and how many buckets its partition was written with. Read once from the
 * latest snapshot, when the first writer of an ordered fixed-bucket table is made. */
#ifndef PMN_WRITE_RESTORE_H
#define PMN_WRITE_RESTORE_H

#include "base/map.h"
#include "meta/source.h"

typedef struct pmn_restored {
    pmn_arena arena;
    pmn_map buckets; /* (partition bytes, bucket) → its next sequence number */
    pmn_map totals;  /* partition bytes → its total buckets */
} pmn_restored;

/* The state of all live buckets; empty when the table has no snapshot. */
paimon_status pmn_restore(pmn_source *source, pmn_restored *out, paimon_error *err) PMN_MUST_USE;
void pmn_restored_free(pmn_restored *restored);

/* The next sequence number: 0 for a bucket without files. */
paimon_status pmn_restored_sequence(const pmn_restored *restored, pmn_slice partition, int32_t bucket, pmn_arena *scratch, int64_t *sequence,
                                    paimon_error *err) PMN_MUST_USE;
/* How many buckets the partition's files were written with; 0 when it has none. */
int32_t pmn_restored_total(const pmn_restored *restored, pmn_slice partition);

#endif
