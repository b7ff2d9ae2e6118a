/* What a commit changes: the entries that its messages make. Java: ManifestEntryChanges. */
#ifndef PMN_COMMIT_CHANGES_H
#define PMN_COMMIT_CHANGES_H

#include "meta/manifest/manifest.h"
#include "meta/message.h"
#include "meta/source.h"

/* Entries in order; their texts belong to the messages, or to the arena. */
typedef struct pmn_changes {
    pmn_arena *arena;
    pmn_manifest_entry *items;
    size_t n, capacity;
    size_t n_deletes;
    int64_t rows; /* of ADDs, less those of DELETEs */
} pmn_changes;

void pmn_changes_init(pmn_changes *changes, pmn_arena *arena);
paimon_status pmn_changes_add(pmn_changes *changes, const pmn_manifest_entry *entry, paimon_error *err) PMN_MUST_USE;

/* Index files that come and go, in order. */
typedef struct pmn_index_changes {
    pmn_arena *arena;
    pmn_index_entry *items;
    size_t n, capacity;
    size_t n_deletes, n_vectors;
    bool adds_global;
} pmn_index_changes;

/* What they hold. All other types are indexes of row ids, which name a range of them. */
#define PMN_INDEX_OF_VECTORS "DELETION_VECTORS"
#define PMN_INDEX_OF_HASHES "HASH"

paimon_status pmn_index_changes_add(pmn_index_changes *changes, const pmn_index_entry *entry, paimon_error *err) PMN_MUST_USE;

typedef struct pmn_bucket_name {
    pmn_slice partition;
    int32_t bucket;
} pmn_bucket_name;

/* What one snapshot is made of. */
typedef struct pmn_delta {
    pmn_changes files, changelog;
    pmn_index_changes indexes;
    /* Buckets in which a compaction wrote rows under new row ids (it left out those that deletion vectors took): indexes of row ids, whoever
     * made them, are of no use there any more. */
    pmn_bucket_name *renumbered;
    size_t n_renumbered;
} pmn_delta;

static inline bool pmn_delta_renumbers(const pmn_delta *delta, const pmn_index_entry *index)
{
    for (size_t i = 0; i < delta->n_renumbered; i++)
        if (delta->renumbered[i].bucket == index->bucket && pmn_slice_equal(delta->renumbered[i].partition, index->partition)) return true;
    return false;
}

void pmn_delta_init(pmn_delta *delta, pmn_arena *arena);
static inline bool pmn_delta_is_empty(const pmn_delta *delta)
{
    return delta->files.n == 0 && delta->changelog.n == 0 && delta->indexes.n == 0;
}

/* The messages' entries: what was written, and what was compacted. Everything is checked against the table first (see
 * message_check.h). */
paimon_status pmn_changes_collect(pmn_source *source, const paimon_message_list *messages, pmn_delta *append, pmn_delta *compact,
                                  paimon_error *err) PMN_MUST_USE;

#endif
