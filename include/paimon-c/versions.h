/** Catalogs that own their tables' versions, such as a REST catalog: the interface that a catalog client of the embedder implements.
 *
 *      paimon_versions *versions = NULL;
 *      paimon_versions_new(&my_vtable, my_client, &versions, &err);
 *      paimon_table_open_options options = PAIMON_TABLE_OPEN_OPTIONS_INIT;
 *      options.versions = versions;
 *      options.table_id = "3f0c…";                                       // as the catalog knows the table
 *      paimon_table_open_with(env, path, &options, &table, &err);
 *      paimon_versions_free(versions);                                    // the table keeps a reference
 *
 *  Scans, writes and commits of such a table ask its catalog for the latest snapshot and the current schema; a commit writes its
 *  manifests into the table's folder and hands the snapshot, with what it does to each partition, to the catalog, which decides whether it
 *  wins. One that lost is rebased and tried again, as a file-system commit is; an answer that got lost is read back.
 *
 *  A caller without a catalog client sends the request itself: see paimon_commit_set_prepare_only() in commit.h.
 *
 *  Java: SnapshotLoader, SnapshotCommit, CatalogSnapshotCommit; the REST API's CommitTableRequest.
 */
#ifndef PAIMON_C_VERSIONS_H
#define PAIMON_C_VERSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "paimon-c/fs.h"
#include "paimon-c/status.h"
#include "paimon-c/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Takes a text that was asked for: `n` bytes of UTF-8, borrowed for the call and copied. Pass on what it returns. */
typedef paimon_status (*paimon_text_fn)(void *arg, const char *text, size_t n);

/** A snapshot on its way to its table. Texts are borrowed for the call and end with a zero byte. */
typedef struct paimon_publication {
    size_t struct_size;
    const char *branch;             /**< "main", or the branch that is committed to */
    int64_t snapshot_id;            /**< one more than the one it was built on; the first is 1 */
    const char *snapshot_json;      /**< as a snapshot file has it */
    const char *base_snapshot_uuid; /**< of the snapshot that it was built on; NULL: there was none, or it has no uuid */
    const char *statistics_json;    /**< array of Java's PartitionStatistics: what the commit adds to each partition, or takes away (below 0) */
    const char *request_json;       /**< all of it as the body of the REST API's …/commit. It names no branch: a commit to branch dev of
                                         table t is sent to the URL of t$branch_dev */
} paimon_publication;

/** The functions of a catalog client, for one table. `ctx` comes first everywhere, then the branch ("main" or a name). All must be
 *  thread-safe if the table is used by several threads. They are called with no lock of the library held, and may take their time. */
typedef struct paimon_versions_vtable {
    size_t struct_size; /**< sizeof(paimon_versions_vtable) */
    /** Give the JSON of the newest snapshot. PAIMON_OK without giving any: the table has none. An answer from a cache costs the commits
     *  built on it, no more; but paimon_commit_abort() and paimon_commit_filter_and_append() have to see what was committed. */
    paimon_status (*latest_snapshot)(void *ctx, const char *branch, paimon_text_fn give, void *arg, paimon_error *err);
    /** Give the JSON of one snapshot; PAIMON_NOT_FOUND if it has expired. NULL: they are files in the table's folder, as well. */
    paimon_status (*snapshot)(void *ctx, const char *branch, int64_t id, paimon_text_fn give, void *arg, paimon_error *err);
    /** Id of the oldest snapshot that has not expired; 0: there is none. NULL: their files tell. */
    paimon_status (*earliest_snapshot_id)(void *ctx, const char *branch, int64_t *id, paimon_error *err);
    /** Give the JSON of a schema, as a schema file has it; `id` below 0: the current one. NULL: schemas are files in the table's folder. */
    paimon_status (*schema)(void *ctx, const char *branch, int64_t id, paimon_text_fn give, void *arg, paimon_error *err);
    /** Make the snapshot the table's newest if, and only if, it follows on the newest one. NULL: a catalog to read from; commits can only
     *  be prepared.
     *
     *  PAIMON_PUBLISH_CREATED  it is; PAIMON_PUBLISH_EXISTS  another was first (Java's success false): the commit is rebased;
     *  PAIMON_PUBLISH_UNKNOWN  the answer was lost: the library reads back, and deletes nothing that the snapshot names.
     *  A status of PAIMON_INVALID, PAIMON_NOT_FOUND, PAIMON_UNSUPPORTED or PAIMON_STATE is a refusal, for certain: the commit fails with
     *  it. PAIMON_CONFLICT and PAIMON_ALREADY_EXISTS count as PAIMON_PUBLISH_EXISTS, every other status as PAIMON_PUBLISH_UNKNOWN. */
    paimon_status (*publish)(void *ctx, const paimon_publication *publication, paimon_publish_result *result, paimon_error *err);
    /** Called once when the last reference is given up. May be NULL. */
    void (*release)(void *ctx);
} paimon_versions_vtable;

/** The versions of one table, kept by the embedder's functions. The vtable is copied; `ctx` is kept until `release` is called (not when
 *  this fails).
 *  @param versions  out; owned by the caller, free with paimon_versions_free(); counted, any thread
 *  @return PAIMON_INVALID for NULL, or without latest_snapshot */
PAIMON_API paimon_status paimon_versions_new(const paimon_versions_vtable *vtable, void *ctx, paimon_versions **versions, paimon_error *err);
PAIMON_API paimon_versions *paimon_versions_retain(paimon_versions *versions);
PAIMON_API void paimon_versions_free(paimon_versions *versions);

#ifdef __cplusplus
}
#endif

#endif
