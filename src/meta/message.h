/* A commit message in memory: what one writer did in one partition and bucket. Made by write and compact, read by commit, carried
 * as Java's bytes between processes. */
#ifndef PMN_META_MESSAGE_H
#define PMN_META_MESSAGE_H

#include <stdatomic.h>

#include "meta/manifest/manifest.h"
#include "paimon-c/message.h"

typedef struct pmn_data_files {
    const pmn_data_file *items;
    int32_t n;
} pmn_data_files;

typedef struct pmn_index_files {
    const pmn_index_entry *items; /* kind, partition and bucket are the message's */
    int32_t n;
} pmn_index_files;

typedef struct pmn_message {
    pmn_slice partition; /* serialized, BE arity in front */
    int32_t bucket;
    int32_t total_buckets;
    bool has_total_buckets; /* absent in old messages */
    /* DataIncrement */
    pmn_data_files new_files, deleted_files, changelog_files;
    pmn_index_files new_index_files, deleted_index_files;
    /* CompactIncrement */
    pmn_data_files compact_before, compact_after, compact_changelog;
    pmn_index_files compact_new_index_files, compact_deleted_index_files;
} pmn_message;

/* Immutable once shared; everything lives in the arena. */
struct paimon_message_list {
    atomic_int refs;
    pmn_mem *mem; /* retained, so that a list may outlive its writer's environment */
    pmn_arena arena;
    pmn_message *items;
    size_t n, capacity;
    bool foreign; /* some came as bytes: a committer looks closer at what they name */
    atomic_bool given; /* to a committer, once at least; of a concatenation its parts tell */
    paimon_message_list **parts; /* of a concatenation: the lists that its messages point into, retained */
    size_t n_parts;
};

paimon_status pmn_message_list_new(pmn_mem *mem, paimon_message_list **out, paimon_error *err) PMN_MUST_USE;
/* A message to fill in; its texts and arrays go into list->arena. */
paimon_status pmn_message_list_add(paimon_message_list *list, pmn_message **out, paimon_error *err) PMN_MUST_USE;
/* To be called once a commit. True: the list, or a part of it, was given to a committer before (or is in it twice), so its files may be in
 * the table already; adding them again would break it. */
bool pmn_message_list_give(const paimon_message_list *list); /* also once it went away as bytes, which somebody may commit */

#endif
