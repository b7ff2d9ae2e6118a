/* What planning and reading know of a table: where it lies, its schema at one moment, its options, and the schemas of its
 * older files. Immutable once open (the schema cache locks itself), counted, shared by threads. */
#ifndef PMN_META_SOURCE_H
#define PMN_META_SOURCE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/env.h"
#include "io/fs.h"
#include "meta/schema/options.h"
#include "meta/schema/schema.h"
#include "meta/snapshot/snapshot.h"

struct pmn_versions;

typedef struct pmn_source {
    atomic_int refs;
    struct pmn_source *origin; /* retained; of a pinned one: holds what it shares */
    paimon_env *env; /* retained */
    pmn_mem *mem;    /* the environment's */
    paimon_fs *fs;   /* retained */
    pmn_arena arena;
    const struct pmn_versions *versions; /* how its versions are found, and published: by files unless said otherwise */
    struct paimon_versions *owner;       /* retained; NULL: the files */
    const char *path;   /* the table's folder: data, manifests, indexes */
    const char *root;   /* the branch's folder: schema/, snapshot/, tag/ */
    const char *branch; /* "main" or the branch's name */
    const char *table_id, *table_name; /* in its catalog; NULL: unknown, that of its folder */
    pmn_table_schema *schema; /* what is read: the latest, or that of the snapshot travelled to */
    pmn_options options;      /* of the latest schema, dynamic ones on top */
    bool schema_given;        /* by the caller: not that of a file, perhaps */
    const pmn_snapshot *travel; /* the snapshot that the options ask for; NULL: the latest at the time of planning */
    pthread_mutex_t lock;       /* guards what follows */
    pmn_table_schema **schemas; /* met so far; kept until the end */
    int32_t n_schemas;
    size_t schemas_capacity;
} pmn_source;

/* An empty one, to be filled before it is shared: refs 1, versions by files, everything but env, mem, arena and lock unset. */
paimon_status pmn_source_new(paimon_env *env, pmn_source **out, paimon_error *err) PMN_MUST_USE;
pmn_source *pmn_source_retain(pmn_source *source);
void pmn_source_release(pmn_source *source); /* NULL allowed */

/* For those who write: the same table, held by its folder (pmn_fs_pin), so that nothing lands in another one that takes its name. Files that
 * tell of another table by now are a PAIMON_CONFLICT; PAIMON_NOT_FOUND: dropped or renamed. Where a catalog or the caller says what the
 * schema is, there may be no folder yet: then it is held if it is there. */
paimon_status pmn_source_pin(pmn_source *source, pmn_source **out, paimon_error *err) PMN_MUST_USE;

/* The schema with this id; borrowed, lives as long as the source. */
paimon_status pmn_source_schema(pmn_source *source, int64_t id, const pmn_table_schema **out, paimon_error *err) PMN_MUST_USE;

#endif
