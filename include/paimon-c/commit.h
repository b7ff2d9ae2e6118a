/** Control plane: make what was written part of the table, as one snapshot, atomically.
 *
 *      paimon_commit *commit = NULL;
 *      paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
 *      paimon_commit_new(table, user, &commit, &err);
 *      paimon_commit_append(commit, messages, PAIMON_BATCH_COMMIT, NULL, &result, &err);
 *
 *  Messages are borrowed: the same list may be committed again after an unclear answer (it counts once) or aborted. Only the
 *  committer knows snapshots. Many committers, in many processes, may commit to one table at the same time: each publishes by an
 *  atomic create-if-absent, and one that comes second rebases and tries again.
 */
#ifndef PAIMON_C_COMMIT_H
#define PAIMON_C_COMMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paimon-c/message.h"
#include "paimon-c/progress.h"
#include "paimon-c/status.h"
#include "paimon-c/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paimon_commit paimon_commit;

/** A committer for one user. @param user copied; NULL: a random one. The table is kept by a reference. One thread at a time.
 *  PAIMON_NOT_FOUND for a table that was dropped or renamed since it was opened, PAIMON_CONFLICT when another one has its name. */
PAIMON_API paimon_status paimon_commit_new(paimon_table *table, const char *user, paimon_commit **commit, paimon_error *err);
PAIMON_API void paimon_commit_free(paimon_commit *commit);
PAIMON_API const char *paimon_commit_user(const paimon_commit *commit);

/** All zero after struct_size means all defaults. */
typedef struct paimon_commit_options {
    size_t struct_size;               /**< sizeof(paimon_commit_options) */
    bool has_watermark;
    int64_t watermark;                /**< milliseconds; the snapshot gets the larger of this and the one before */
    const paimon_option *properties;  /**< of the snapshot; borrowed for the call */
    size_t n_properties;
    bool ignore_empty;                /**< no messages, no snapshot */
    bool check_conflicts;             /**< also for plain appends, which otherwise never conflict */
    bool check_row_ids;               /**< for tables with data evolution: a conflict if the same columns of the same rows were written since */
    int64_t check_row_ids_from;       /**< the snapshot that the writers of the messages saw */
} paimon_commit_options;

#define PAIMON_COMMIT_OPTIONS_INIT { sizeof(paimon_commit_options), false, 0, NULL, 0, false, false, false, 0 }

typedef struct paimon_commit_result {
    size_t struct_size;  /**< in: sizeof(paimon_commit_result) */
    int64_t snapshot_id; /**< of the last snapshot made; 0 if none was */
    int32_t n_snapshots; /**< made by this call */
    int32_t n_attempts;
    bool already_committed; /**< user and identifier were found in the table: nothing was done */
} paimon_commit_result;

#define PAIMON_COMMIT_RESULT_INIT { sizeof(paimon_commit_result), 0, 0, 0, false }

/** Append what the messages say was written, and, as a second snapshot, what was compacted: data files, changelogs, index files.
 *
 *  Lists from this process are committed as they are, once. Of a list that came as bytes more is asked, since nobody knows where it has been:
 *  its files must be there and as large as told (PAIMON_NOT_FOUND, PAIMON_INVALID), the table must not have them, nor have had them as far
 *  as its manifests still tell (PAIMON_CONFLICT: the list was committed before), and what does not fit the table is PAIMON_INVALID. Nothing is written then. The same is
 *  asked of a list that a committer was given before, whatever came of it, also as a part of a concatenation, and of one that was serialized.
 *
 *  Returns PAIMON_CONFLICT when the changes do not fit the table any more (their files stay: abort them), or when all retries
 *  were lost; PAIMON_IO with "unknown" in the text when a publish got no answer and none could be read back: commit the same list again
 *  with paimon_commit_filter_and_append. Never deletes a file of a snapshot that may exist. */
PAIMON_API paimon_status paimon_commit_append(paimon_commit *commit, const paimon_message_list *messages, int64_t identifier,
                                              const paimon_commit_options *options, paimon_commit_result *result, paimon_error *err);

/** As append, unless this user already committed this identifier or a later one: the way back after a crash. If the crash came between the
 *  two snapshots of one commit, the second one is made now. */
PAIMON_API paimon_status paimon_commit_filter_and_append(paimon_commit *commit, const paimon_message_list *messages, int64_t identifier,
                                                         const paimon_commit_options *options, paimon_commit_result *result,
                                                         paimon_error *err);

/** Overwrite: what is there under `partition` goes, the messages' files come, in one snapshot.
 *  @param partition  pairs of partition column and text (the default partition name: null); n 0: the whole table, or, for a partitioned
 *                    table with dynamic-partition-overwrite (the default), exactly the partitions that the messages have */
PAIMON_API paimon_status paimon_commit_overwrite(paimon_commit *commit, const paimon_option *partition, size_t n_partition,
                                                 const paimon_message_list *messages, int64_t identifier,
                                                 const paimon_commit_options *options, paimon_commit_result *result, paimon_error *err);

/** Take all rows out of the table. This makes a snapshot even where there are none, as in Paimon Java: whoever waits for the identifier sees it. */
PAIMON_API paimon_status paimon_commit_truncate(paimon_commit *commit, int64_t identifier, paimon_commit_result *result, paimon_error *err);

/** Take partitions out; each of the `n` specs is a list of pairs, full or partial. PAIMON_INVALID for an empty list. Makes a snapshot even where
 *  no partition is like that, as in Paimon Java. */
typedef struct paimon_partition_spec {
    const paimon_option *pairs;
    size_t n;
} paimon_partition_spec;
PAIMON_API paimon_status paimon_commit_drop_partitions(paimon_commit *commit, const paimon_partition_spec *specs, size_t n, int64_t identifier,
                                                       paimon_commit_result *result, paimon_error *err);

/** Remove exactly the files that the messages brought, quietly where they are gone already. Only for messages that were not and will
 *  not be committed: PAIMON_STATE, and nothing is removed, if a snapshot brought one of them, whoever committed it, or if it is unknown
 *  whether this committer's last commit was made. */
PAIMON_API paimon_status paimon_commit_abort(paimon_commit *commit, const paimon_message_list *messages, paimon_error *err);

/** Commits stop, with PAIMON_CANCELLED, when the token is spent: before an attempt, while waiting for the next one, last before publishing.
 *  Once a snapshot may exist a commit ends as if nobody had asked, or with PAIMON_IO and "unknown". Abort is not cancelled.
 *  @param cancel  kept by a reference; NULL: none */
PAIMON_API paimon_status paimon_commit_set_cancel(paimon_commit *commit, paimon_cancel *cancel, paimon_error *err);
/** `fn` is called before each attempt. NULL: nobody. `ctx` must live as long as the commit. */
PAIMON_API paimon_status paimon_commit_set_progress(paimon_commit *commit, paimon_progress_fn fn, void *ctx, paimon_error *err);

/** What the last call has cost and done, failed attempts included. */
typedef struct paimon_commit_metrics {
    size_t struct_size;        /**< in: sizeof(paimon_commit_metrics) */
    int64_t attempts;
    int64_t snapshots;         /**< made */
    int64_t files_added;       /**< data files that the snapshots made brought, … */
    int64_t files_deleted;     /**< … and took out */
    int64_t rows_added;
    int64_t rows_deleted;
    int64_t manifests_written; /**< of the changes, and by merging */
    int64_t manifests_merged;  /**< old ones that merging put together */
    int64_t bytes_written;     /**< of manifests and manifest lists */
    int64_t wait_us;           /**< microseconds between attempts */
    int64_t time_us;           /**< microseconds from call to return, waiting included */
} paimon_commit_metrics;

#define PAIMON_COMMIT_METRICS_INIT { sizeof(paimon_commit_metrics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** A copy of the numbers, as far as `metrics->struct_size` has room. By the thread that has the commit. */
PAIMON_API void paimon_commit_get_metrics(const paimon_commit *commit, paimon_commit_metrics *metrics);

/* --- the caller publishes --- */

/** From now on commits of this object prepare everything (manifests, lists, the snapshot) and publish nothing: the caller sends the
 *  request to the catalog that owns the table's versions. For callers without a catalog client (versions.h); the mode that object
 *  stores need, where no snapshot file can be published safely. Only `n_snapshots` 1 (or 2) of a result tells that there is one to send.
 *
 *      paimon_commit_set_prepare_only(commit, true, &err);
 *      do {
 *          paimon_commit_append(commit, messages, identifier, NULL, &result, &err);
 *          paimon_commit_last_table_request(commit, table_id, &json, &err);
 *          success = post("…/databases/shop/tables/orders/commit", json);       // yours
 *          paimon_string_free(json);
 *          if (!success) paimon_commit_discard_prepared(commit);                  // the server said success false: rebase
 *      } while (!success);
 */
PAIMON_API paimon_status paimon_commit_set_prepare_only(paimon_commit *commit, bool prepare_only, paimon_error *err);

/** How many snapshots the last call prepared: one, or two when its messages hold both written and compacted files; the second follows
 *  on the first, so send them in order. */
PAIMON_API size_t paimon_commit_n_table_requests(const paimon_commit *commit);
/** The body of request `i`, the JSON of Java's CommitTableRequest: {"tableId", "baseSnapshotUuid", "snapshot", "statistics"}.
 *  @param table_id  the catalog's id of the table; NULL: as the table was opened with, else null in the JSON
 *  @param json      out; owned by the caller: paimon_string_free()
 *  @return PAIMON_NOT_FOUND past the end */
PAIMON_API paimon_status paimon_commit_table_request(const paimon_commit *commit, size_t i, const char *table_id, char **json, paimon_error *err);
/** The last one. PAIMON_STATE if the last call prepared none (or none was made yet). */
PAIMON_API paimon_status paimon_commit_last_table_request(const paimon_commit *commit, const char *table_id, char **json, paimon_error *err);
/** The table's name for the URL to send requests to: "orders", or for a branch, of which the body says nothing, "orders$branch_dev". Not
 *  percent-encoded. Borrowed from the commit. */
PAIMON_API const char *paimon_commit_object_name(const paimon_commit *commit);
/** Remove the manifests that the last call prepared. Only when the server said for certain that it lost: never after a lost answer, which
 *  paimon_commit_filter_and_append() tells once the table has the snapshot. */
PAIMON_API void paimon_commit_discard_prepared(paimon_commit *commit);

#ifdef __cplusplus
}
#endif

#endif
