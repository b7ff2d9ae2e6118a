/* Which values a set of partitions spans, column by column, and whether a manifest may hold an entry of one of them. */
#ifndef PMN_META_PARTITION_RANGE_H
#define PMN_META_PARTITION_RANGE_H

#include "meta/manifest/manifest.h"
#include "types/datum.h"

typedef struct pmn_value_range {
    pmn_datum min, max; /* is_null: none yet */
    bool open;          /* nulls, or values that statistics do not order: any manifest may hold them */
} pmn_value_range;

typedef struct pmn_partition_ranges {
    const pmn_type *type;
    pmn_value_range *columns;
    pmn_datum *row;
    bool any; /* false: an empty set */
} pmn_partition_ranges;

/* `type`: the ROW of the partition columns. The arrays live in the arena. */
paimon_status pmn_partition_ranges_init(pmn_partition_ranges *ranges, const pmn_type *type, pmn_arena *arena, paimon_error *err) PMN_MUST_USE;
/* `partition` (serialized) must live as long as the ranges. */
paimon_status pmn_partition_ranges_add(pmn_partition_ranges *ranges, pmn_slice partition, paimon_error *err) PMN_MUST_USE;
/* False only if the manifest's statistics rule every partition of the set out. */
bool pmn_partition_ranges_may_hold(const pmn_partition_ranges *ranges, const pmn_manifest_file *manifest);

#endif
