/* A committer: for one user of one table, one commit at a time. Java: FileStoreCommitImpl.
 *
 * A commit is a loop of rounds. Each looks at the newest snapshot, writes the lists that follow from it, and publishes the next
 * snapshot if nobody was faster. What a round has written is removed again when, and only when, it is certain that no snapshot
 * names it. */
#ifndef PMN_COMMIT_COMMITTER_H
#define PMN_COMMIT_COMMITTER_H

#include "base/map.h"
#include "base/random.h"
#include "base/watch.h"
#include "commit/changes.h"
#include "meta/manifest/manifest_write.h"
#include "meta/snapshot/versions.h"
#include "paimon-c/commit.h"

typedef struct pmn_commit_settings {
    pmn_manifest_codec codec;
    int64_t manifest_bytes;       /* manifest.target-file-size */
    int64_t full_threshold_bytes; /* manifest.full-compaction-threshold-size */
    int64_t merge_min_count;      /* manifest.merge-min-count */
    int64_t max_retries;          /* commit.max-retries */
    int64_t min_wait_ms, max_wait_ms;
    int64_t timeout_ms; /* commit.timeout; PMN_NONE: none */
    int64_t n_buckets;  /* bucket */
    bool drop_delete_stats; /* manifest.delete-file-drop-stats */
    bool ignore_empty;      /* snapshot.ignore-empty-commit, unless commit.force-create-snapshot */
    bool dynamic_overwrite; /* dynamic-partition-overwrite */
    bool has_vectors;       /* deletion-vectors.enabled */
    bool has_keys;          /* primary keys */
    bool key_ranges;        /* on levels above 0 they do not overlap: not with pk-clustering-override */
    bool row_tracking;      /* row-tracking.enabled */
    bool data_evolution;    /* data-evolution.enabled */
    bool group_partitions;  /* row-tracking.partition-group-on-commit */
    bool stamp_sequences;   /* sequence.snapshot-ordering */
    bool keep_sequence;     /* write.sequence-number-init-mode is snapshot */
    bool upgrade;           /* overwrite-upgrade */
    int64_t n_levels;
} pmn_commit_settings;

/* Append tables with no fixed number of buckets: all in bucket 0, whose index files are many. */
static inline bool pmn_commit_is_unaware(const pmn_commit_settings *s) { return s->n_buckets == -1 && !s->has_keys; }

/* The manifests of the snapshot that this committer published last: who commits alone reads no list again. Lists have names that
 * nobody else gives, so equal names are equal lists. */
typedef struct pmn_known_lists {
    pmn_arena arena;
    const char *base, *delta; /* NULL: nothing is known */
    pmn_manifest_file *files; /* of base, then of delta */
    int32_t n;
} pmn_known_lists;

/* How many buckets partitions have, as of one snapshot. */
typedef struct pmn_known_buckets {
    pmn_arena arena;
    pmn_map counts;
    int64_t snapshot_id;
} pmn_known_buckets;

/* Snapshots that the caller publishes: those of the last call. */
typedef struct pmn_prepared {
    pmn_snapshot snapshot;
    const char *base_uuid; /* NULL: none */
    pmn_slice snapshot_json, statistics_json;
    const char *const *files; /* that only this snapshot names, in the manifest folder */
    size_t n_files;
} pmn_prepared;

typedef struct pmn_prepared_list {
    pmn_arena arena;
    pmn_prepared items[2]; /* what was written, what was compacted */
    int32_t n;
} pmn_prepared_list;

typedef struct pmn_committer {
    pmn_source *source; /* retained */
    char *user;
    char uuid[PMN_UUID_TEXT]; /* in the names of all files that it writes */
    char *folder;             /* <table>/manifest */
    int32_t n_manifests, n_lists, n_indexes;
    pmn_commit_settings settings;
    pmn_known_lists lists;
    pmn_known_buckets buckets;
    pmn_watch watch;
    paimon_commit_metrics metrics; /* of the last call */
    bool prepare_only; /* everything but the publishing */
    pmn_prepared_list prepared;
    bool unclear; /* the last commit got no answer, so its files may be those of a snapshot */
} pmn_committer;

/* PAIMON_UNSUPPORTED, by name, for tables that cannot be committed to yet. `user` NULL: a random one. */
paimon_status pmn_committer_new(pmn_source *source, const char *user, pmn_committer **out, paimon_error *err) PMN_MUST_USE;
void pmn_committer_free(pmn_committer *committer); /* NULL allowed */

/* Forget what the last call prepared; its files stay. */
void pmn_prepared_clear(pmn_committer *committer);
/* The body of the request for snapshot `i` of the last call. `table_id` NULL: the table's own. */
paimon_status pmn_prepared_request(pmn_committer *committer, int32_t i, const char *table_id, pmn_buf *json, paimon_error *err) PMN_MUST_USE;
/* Remove the files of what the last call prepared, and forget it. */
void pmn_prepared_discard(pmn_committer *committer);

/* Which partitions are meant. Texts and slices are borrowed. */
typedef struct pmn_partition_choice {
    bool everything;
    const struct pmn_partition_test *tests; /* one of them has to hold */
    size_t n_tests;
    const pmn_map *exactly; /* NULL, or the serialized partitions meant */
} pmn_partition_choice;

/* What is asked of one call. */
typedef struct pmn_commit_call {
    int64_t identifier;
    int64_t watermark; /* PMN_NONE: none */
    const paimon_option *properties;
    size_t n_properties;
    bool check_conflicts;
    int64_t row_ids_from; /* PMN_NONE, or the snapshot since which nobody may have written the same columns of the same rows */
    bool only_new;        /* a file that was in the table before and was deleted is a conflict, too */
    bool skip_if_present; /* all its files are in the table already: committed before */
} pmn_commit_call;

/* One snapshot to be made. */
typedef struct pmn_commit_work {
    pmn_commit_kind kind;
    const pmn_delta *delta;
    const pmn_partition_choice *overwrite; /* NULL, or: what is alive there goes, as part of the same snapshot, which has no changelog */
    bool check;
} pmn_commit_work;

/* Try until it is done, or cannot be. Adds to `result`. */
paimon_status pmn_commit_run(pmn_committer *c, const pmn_commit_work *work, const pmn_commit_call *call, paimon_commit_result *result,
                             paimon_error *err) PMN_MUST_USE;

/* The calls of the public interface. */
paimon_status pmn_commit_messages(pmn_committer *c, const paimon_message_list *messages, const pmn_commit_call *call, bool ignore_empty,
                                  paimon_commit_result *result, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_commit_filtered(pmn_committer *c, const paimon_message_list *messages, const pmn_commit_call *call, bool ignore_empty,
                                  paimon_commit_result *result, paimon_error *err) PMN_MUST_USE;
/* `partition` as paimon_commit_overwrite; `messages` NULL: none. */
paimon_status pmn_commit_overwrite(pmn_committer *c, const paimon_option *partition, size_t n_partition, const paimon_message_list *messages,
                                   const pmn_commit_call *call, paimon_commit_result *result, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_commit_drop(pmn_committer *c, const paimon_partition_spec *specs, size_t n, const pmn_commit_call *call,
                              paimon_commit_result *result, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_commit_truncate(pmn_committer *c, const pmn_commit_call *call, paimon_commit_result *result, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_commit_abort(pmn_committer *c, const paimon_message_list *messages, paimon_error *err) PMN_MUST_USE;

#endif
