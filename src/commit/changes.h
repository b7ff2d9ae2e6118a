/* What a commit changes: the entries that its messages make. Java: ManifestEntryChanges. */
#ifndef PMN_COMMIT_CHANGES_H
#define PMN_COMMIT_CHANGES_H

#include "meta/manifest.h"
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

/* The messages' entries: what was written, and what was compacted. Everything is checked against the table first: partitions,
 * buckets, names, counts (PAIMON_INVALID); what this version cannot commit is PAIMON_UNSUPPORTED by name. */
paimon_status pmn_changes_collect(const pmn_source *source, const paimon_message_list *messages, pmn_changes *append, pmn_changes *compact,
                                  paimon_error *err) PMN_MUST_USE;

#endif
