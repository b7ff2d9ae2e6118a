/* The state of one commit while it is tried. Private to commit.c. */
#ifndef PMN_COMMIT_RUN_H
#define PMN_COMMIT_RUN_H

#include "commit/committer.h"

/* Names of files in the manifest folder that exist, or may. */
typedef struct pmn_written {
    const char **names;
    size_t n, capacity;
} pmn_written;

typedef struct pmn_commit_run_state {
    pmn_committer *c;
    const pmn_commit_work *work;
    const pmn_commit_call *call;
    pmn_arena arena; /* of all rounds */
    pmn_arena round; /* of this one */
    /* the table as this round found it */
    pmn_snapshot latest; /* id 0: none */
    int64_t schema_id;
    pmn_manifest_file *manifests; /* base, then delta */
    int32_t n_manifests;
    bool has_indexes; /* see pmn_indexes_load */
    pmn_index_entry *indexes;
    int32_t n_indexes;
    /* what this round makes */
    const pmn_changes *changes;
    pmn_changes own_changes, numbered;
    const pmn_index_changes *index_changes;
    pmn_index_changes own_index_changes;
    int64_t next_row_id;
    pmn_manifest_file *delta, *base;
    int32_t n_delta, n_base;
    const char *delta_list, *base_list, *changelog_list; /* the last may be NULL */
    int64_t delta_list_size, base_list_size, changelog_list_size;
    bool has_delta; /* from an earlier round */
    char snapshot_uuid[PMN_UUID_TEXT];
    pmn_written kept, this_round;
    /* how it went */
    bool published;
    bool unclear; /* a publish may have been done, of a snapshot after `unclear_after` */
    int64_t unclear_after;
} pmn_commit_run_state;

paimon_status pmn_written_add(pmn_written *written, pmn_arena *arena, const char *name, paimon_error *err) PMN_MUST_USE;
int64_t pmn_commit_now_ms(void);

#endif
