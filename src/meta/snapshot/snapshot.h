/* Snapshot and tag files, hints, and finding a snapshot by id or tag. No policy; who owns the versions: meta/snapshot/versions.h. */
#ifndef PMN_META_SNAPSHOT_H
#define PMN_META_SNAPSHOT_H

#include "base/bytes.h"
#include "io/fs.h"
#include "meta/schema/options.h"

typedef enum pmn_commit_kind { PMN_COMMIT_APPEND, PMN_COMMIT_COMPACT, PMN_COMMIT_OVERWRITE, PMN_COMMIT_ANALYZE } pmn_commit_kind;

#define PMN_NONE INT64_MIN /* "not there" of optional numbers */

typedef struct pmn_snapshot {
    int64_t version;
    const char *uuid; /* texts: NULL if absent */
    int64_t id;
    int64_t schema_id;
    const char *base_manifest_list;
    int64_t base_manifest_list_size; /* PMN_NONE if absent */
    const char *delta_manifest_list;
    int64_t delta_manifest_list_size;
    const char *changelog_manifest_list;
    int64_t changelog_manifest_list_size;
    const char *index_manifest;
    const char *commit_user;
    const char *writer_version;
    int64_t commit_identifier;
    pmn_commit_kind commit_kind;
    int64_t time_ms;
    int64_t total_record_count; /* PMN_NONE if absent */
    int64_t delta_record_count;
    int64_t changelog_record_count;
    int64_t watermark; /* PMN_NONE if absent */
    const char *statistics;
    pmn_options properties; /* n = 0 if absent */
    bool has_properties;
    int64_t next_row_id;
    const char *operation;
} pmn_snapshot;

/* Texts go into the arena. PAIMON_UNSUPPORTED for a version above 3. */
paimon_status pmn_snapshot_parse(pmn_arena *arena, pmn_slice json, const char *name, pmn_snapshot *out, paimon_error *err) PMN_MUST_USE;

/* Every snapshot has a base and a delta, if empty ones: who went on without one would lose rows, or bring deleted ones back. PAIMON_CORRUPT. */
paimon_status pmn_snapshot_check_lists(const pmn_snapshot *snapshot, const char *table, paimon_error *err) PMN_MUST_USE;

/* `root`: the folder that holds snapshot/ (the table's, or a branch's). */
paimon_status pmn_snapshot_latest_id(pmn_mem *mem, paimon_fs *fs, const char *root, int64_t *id, paimon_error *err) PMN_MUST_USE;   /* 0: no snapshot */
paimon_status pmn_snapshot_earliest_id(pmn_mem *mem, paimon_fs *fs, const char *root, int64_t *id, paimon_error *err) PMN_MUST_USE; /* 0: no snapshot */
/* PAIMON_NOT_FOUND says the range that exists ("expired"). */
paimon_status pmn_snapshot_load(pmn_arena *arena, paimon_fs *fs, const char *root, int64_t id, pmn_snapshot *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_snapshot_list(pmn_arena *arena, paimon_fs *fs, const char *root, int64_t **ids, int32_t *n, paimon_error *err) PMN_MUST_USE;
/* As Java 2.x writes the file: pretty-printed, its key order; absent members left out or null as Java does. */
paimon_status pmn_snapshot_print(const pmn_snapshot *snapshot, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

paimon_status pmn_tag_load(pmn_arena *arena, paimon_fs *fs, const char *root, const char *tag, pmn_snapshot *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_tag_exists(paimon_fs *fs, pmn_mem *mem, const char *root, const char *tag, bool *exists, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_tag_list(pmn_arena *arena, paimon_fs *fs, const char *root, const char ***names, int32_t *n, paimon_error *err) PMN_MUST_USE;
/* Branch names of a table (not "main"), and a branch's root folder in the arena ("main" or NULL: the table's own). */
paimon_status pmn_branch_list(pmn_arena *arena, paimon_fs *fs, const char *table_root, const char ***names, int32_t *n, paimon_error *err) PMN_MUST_USE;
const char *pmn_branch_root(pmn_arena *arena, const char *table_root, const char *branch) PMN_MUST_USE;

#endif
