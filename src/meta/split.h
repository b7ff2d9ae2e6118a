/* Plans and splits. A plan owns everything; a split is a view into it and keeps it alive when retained. All immutable. */
#ifndef PMN_META_SPLIT_H
#define PMN_META_SPLIT_H

#include <stdatomic.h>

#include "meta/entries.h"
#include "paimon-c/scan.h"

struct paimon_split {
    paimon_plan *plan;
    int32_t partition; /* number in the plan's entries */
    int32_t bucket;
    int32_t total_buckets;
    bool raw_convertible;
    bool is_streaming;
    int64_t snapshot_id; /* 0: none */
    const char *bucket_path;
    const uint32_t *files; /* numbers of entries */
    uint32_t n_files;
    int64_t row_count, size_bytes;
};

struct paimon_plan {
    atomic_int refs;
    pmn_mem *mem; /* retained, so that a split may outlive its table and environment */
    pmn_arena arena;
    pmn_entries entries;
    const char *table_path;
    int64_t snapshot_id;
    paimon_split *splits; /* in the arena */
    size_t n_splits;
    int64_t n_files;
    paimon_scan_metrics metrics; /* of its planning */
};

/* An empty plan, to be filled before it is shared. */
paimon_status pmn_plan_new(pmn_mem *mem, const char *table_path, paimon_plan **out, paimon_error *err) PMN_MUST_USE;
paimon_plan *pmn_plan_retain(paimon_plan *plan);
void pmn_plan_release(paimon_plan *plan);

static inline const pmn_entry *pmn_split_file(const paimon_split *split, uint32_t i)
{
    return &split->plan->entries.items[split->files[i]];
}
/* The partition as a serialized row. */
static inline pmn_slice pmn_split_partition(const paimon_split *split) { return split->plan->entries.partitions[split->partition]; }
/* Where the file lies: its external path, or its name in the bucket's folder. In the arena. */
const char *pmn_split_file_path(const paimon_split *split, uint32_t i, pmn_arena *arena) PMN_MUST_USE;

#endif
