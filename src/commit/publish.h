/* Who owns a table's versions: what a committer asks and does through this interface. The file-system form publishes a snapshot by
 * creating its file if, and only if, it is absent; a catalog that keeps versions itself is another form. */
#ifndef PMN_COMMIT_PUBLISH_H
#define PMN_COMMIT_PUBLISH_H

#include "meta/snapshot.h"
#include "meta/source.h"

typedef enum pmn_published {
    PMN_PUBLISHED,       /* the snapshot is the table's newest, for certain */
    PMN_PUBLISH_LOST,    /* another one has its number, for certain: rebase and try again */
    PMN_PUBLISH_UNCLEAR  /* it may exist now, or later: nothing that it names may be deleted */
} pmn_published;

typedef struct pmn_publisher {
    void *ctx;
    /* The newest snapshot; id 0 if there is none. */
    paimon_status (*latest)(void *ctx, pmn_arena *arena, pmn_snapshot *out, paimon_error *err);
    /* One snapshot; PAIMON_NOT_FOUND if it has expired. */
    paimon_status (*snapshot)(void *ctx, pmn_arena *arena, int64_t id, pmn_snapshot *out, paimon_error *err);
    /* Id of the oldest; 0 if there is none. */
    paimon_status (*earliest_id)(void *ctx, int64_t *id, paimon_error *err);
    /* Id of the newest schema. */
    paimon_status (*schema_id)(void *ctx, int64_t *id, paimon_error *err);
    /* A failure means that nothing was published and nothing will be. */
    paimon_status (*publish)(void *ctx, const pmn_snapshot *snapshot, pmn_published *outcome, paimon_error *err);
} pmn_publisher;

/* By the files of the table's (or branch's) snapshot folder. `source` is borrowed. */
pmn_publisher pmn_publisher_of_files(pmn_source *source);

#endif
