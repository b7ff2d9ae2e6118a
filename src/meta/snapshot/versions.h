/* Who owns a table's versions: which snapshot is the newest, what a snapshot says, which schema is current, and what may follow.
 *
 * Scans, table objects, writers and commits ask through this interface. In one form the table's own files tell, and a snapshot is
 * published by creating its file if, and only if, it is absent; in the other a catalog that an embedder brought does both
 * (paimon-c/versions.h). Java: SnapshotManager, SnapshotLoader, SnapshotCommit. */
#ifndef PMN_META_VERSIONS_H
#define PMN_META_VERSIONS_H

#include "meta/source.h"
#include "paimon-c/versions.h"

typedef enum pmn_published {
    PMN_PUBLISHED,       /* the snapshot is the table's newest, for certain */
    PMN_PUBLISH_LOST,    /* another one has its number, for certain: rebase and try again */
    PMN_PUBLISH_UNCLEAR  /* it may exist now, or later: nothing that it names may be deleted */
} pmn_published;

/* What a commit did to one partition; what it took away counts below zero. Java: PartitionEntry. */
typedef struct pmn_partition_change {
    pmn_slice partition; /* serialized row */
    int64_t rows, bytes, files;
    int64_t last_created_ms; /* local date-time as if UTC, as files have it; the latest of them */
    int32_t total_buckets;
} pmn_partition_change;

/* A snapshot on its way to its table. */
typedef struct pmn_publication {
    const pmn_snapshot *snapshot;
    const pmn_snapshot *base; /* what it was built on; id 0: nothing */
    const pmn_partition_change *changes;
    size_t n_changes;
} pmn_publication;

typedef struct pmn_versions {
    bool wants_changes; /* publications without changes will not do */
    /* The newest snapshot; id 0 if there is none. */
    paimon_status (*latest)(pmn_source *source, pmn_arena *arena, pmn_snapshot *out, paimon_error *err);
    paimon_status (*latest_id)(pmn_source *source, int64_t *id, paimon_error *err);
    /* One snapshot; PAIMON_NOT_FOUND, with the range there is, if it has expired. */
    paimon_status (*snapshot)(pmn_source *source, pmn_arena *arena, int64_t id, pmn_snapshot *out, paimon_error *err);
    /* The same as the text that it is kept as. */
    paimon_status (*snapshot_text)(pmn_source *source, int64_t id, pmn_buf *json, paimon_error *err);
    /* Id of the oldest; 0 if there is none. */
    paimon_status (*earliest_id)(pmn_source *source, int64_t *id, paimon_error *err);
    /* All ids, ascending. */
    paimon_status (*ids)(pmn_source *source, pmn_arena *arena, int64_t **ids, int32_t *n, paimon_error *err);
    /* The current schema, or its id alone; PAIMON_NOT_FOUND: no table. */
    paimon_status (*latest_schema)(pmn_source *source, pmn_table_schema **out, paimon_error *err);
    paimon_status (*latest_schema_id)(pmn_source *source, int64_t *id, paimon_error *err);
    paimon_status (*schema)(pmn_source *source, int64_t id, pmn_table_schema **out, paimon_error *err);
    /* A failure means that nothing was published and nothing will be. */
    paimon_status (*publish)(pmn_source *source, const pmn_publication *publication, pmn_published *outcome, paimon_error *err);
} pmn_versions;

/* By the files of the branch's folders; what a source starts with. */
extern const pmn_versions pmn_versions_of_files;
/* By source->owner. */
extern const pmn_versions pmn_versions_of_catalog;

/* Latest with time ≤ t; earliest with watermark ≥ w. PAIMON_NOT_FOUND otherwise. */
paimon_status pmn_versions_at_time(pmn_source *source, pmn_arena *arena, int64_t time_ms, pmn_snapshot *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_versions_at_watermark(pmn_source *source, pmn_arena *arena, int64_t watermark, pmn_snapshot *out, paimon_error *err) PMN_MUST_USE;

#endif
