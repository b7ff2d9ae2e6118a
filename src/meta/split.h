/* Plans and splits. A plan owns everything; a split is a view into it and keeps it alive when retained. All immutable.
 *
 * A split that came as bytes is the only one of a plan without a table: what a scan would know of its files comes from those bytes. */
#ifndef PMN_META_SPLIT_H
#define PMN_META_SPLIT_H

#include <pthread.h>
#include <stdatomic.h>

#include "meta/manifest/entries.h"
#include "paimon-c/scan.h"

/* What Java's plans hold. The names are those of Java's classes. */
typedef enum pmn_split_kind {
    PMN_SPLIT_DATA,          /* DataSplit */
    PMN_SPLIT_FALLBACK_DATA, /* FallbackDataSplit: of the table or of its fallback branch */
    PMN_SPLIT_INDEXED,       /* IndexedSplit: some rows, by their ids */
    PMN_SPLIT_INCREMENTAL,   /* IncrementalSplit: the difference between two states of a bucket */
    PMN_SPLIT_CHAIN          /* ChainSplit: files of several branches */
} pmn_split_kind;

/* Where the deleted rows of a data file are told: a piece of an index file. */
typedef struct pmn_deletion_file {
    const char *path; /* NULL: the file has none */
    int64_t offset, length;
    int64_t cardinality; /* PMN_NONE: unknown */
} pmn_deletion_file;

/* Parallel to files. */
typedef struct pmn_deletion_list {
    bool there; /* false: the list is null, which is not the same as a list of nulls */
    const pmn_deletion_file *items;
} pmn_deletion_list;

typedef struct pmn_text_pair {
    const char *key, *value; /* NULL: null */
} pmn_text_pair;

/* A split around the split: outermost first. */
typedef struct pmn_split_wrapper {
    bool is_auth;     /* QueryAuthSplit, else FallbackSplitImpl */
    bool is_fallback; /* of a fallback */
    bool has_result, has_filter, has_masking; /* of an auth */
    int32_t n_filter, n_masking;
    const char *const *filter; /* predicates as Java's JSON; NULL: null */
    const pmn_text_pair *masking;
} pmn_split_wrapper;

/* What most splits lack. Texts and arrays in the plan's arena. */
typedef struct pmn_split_more {
    pmn_split_kind kind;
    bool enveloped;        /* it came in the outer form ("SPLIT_V1") */
    bool no_total_buckets; /* versions up to 5 do not say it */
    bool is_fallback;      /* of PMN_SPLIT_FALLBACK_DATA */
    pmn_deletion_list deletions;
    const uint32_t *before_files; /* the bucket's files before, of an incremental split and of old streaming ones */
    uint32_t n_before;
    pmn_deletion_list before_deletions;
    int32_t n_ranges;
    const int64_t *ranges; /* first and last row id of each, inclusive */
    bool has_scores;
    int32_t n_scores;
    const uint32_t *scores; /* bits of floats */
    int32_t n_bucket_paths, n_branches;
    const pmn_text_pair *bucket_paths, *branches; /* by file name */
    int32_t n_wrappers;
    const pmn_split_wrapper *wrappers;
} pmn_split_more;

struct paimon_split {
    paimon_plan *plan;
    int32_t partition; /* number in the plan's entries */
    int32_t bucket;
    int32_t total_buckets;
    bool raw_convertible;
    bool is_streaming;
    int64_t snapshot_id; /* 0: none */
    const char *bucket_path; /* "" where the kind has none */
    const uint32_t *files; /* numbers of entries */
    uint32_t n_files;
    int64_t row_count, size_bytes;
    const pmn_split_more *more; /* NULL: a plain DataSplit */
};

#define PMN_PLAN_LENSES 4

struct paimon_plan {
    atomic_int refs;
    pmn_mem *mem; /* retained, so that a split may outlive its table and environment */
    pmn_arena arena;
    pmn_entries entries;
    const char *table_path; /* NULL: a split that came as bytes, of whatever table it is read with */
    int64_t snapshot_id;
    paimon_split *splits; /* in the arena */
    size_t n_splits;
    int64_t n_files;
    paimon_scan_metrics metrics; /* of its planning */
    pthread_mutex_t lock; /* guards the lenses */
    pmn_manifest_lens *lenses[PMN_PLAN_LENSES]; /* not in use now */
    int n_lenses, lenses_made;
};

/* An empty plan, to be filled before it is shared. */
paimon_status pmn_plan_new(pmn_mem *mem, const char *table_path, paimon_plan **out, paimon_error *err) PMN_MUST_USE;
paimon_plan *pmn_plan_retain(paimon_plan *plan);
void pmn_plan_release(paimon_plan *plan);

/* A lens on the plan's manifests, for this thread until it is given back: engines ask for one split after the other, and each would decode
 * its part of the manifests anew. The plan keeps them, with up to 64 MB of decoded manifests. NULL if there are no manifests. */
paimon_status pmn_plan_take_lens(paimon_plan *plan, pmn_manifest_lens **out, paimon_error *err) PMN_MUST_USE;
void pmn_plan_return_lens(paimon_plan *plan, pmn_manifest_lens *lens); /* NULL allowed */

static inline const pmn_entry *pmn_split_file(const paimon_split *split, uint32_t i)
{
    return &split->plan->entries.items[split->files[i]];
}
/* The partition as a serialized row. */
static inline pmn_slice pmn_split_partition(const paimon_split *split) { return split->plan->entries.partitions[split->partition]; }
/* What `split->more` says, or would say of a plain split. */
const pmn_split_more *pmn_split_more_of(const paimon_split *split);
/* Where the file lies: its external path, or its name in the bucket's folder. In the arena. */
const char *pmn_split_file_path(const paimon_split *split, uint32_t i, pmn_arena *arena) PMN_MUST_USE;

#endif
