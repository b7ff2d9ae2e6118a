/* Commit messages and committables as Java's bytes. A message says nothing of its version: that travels beside it.
 *
 *   message, from 10 on:   row partition | int32 bucket | bool has total buckets [int32] |
 *                          FILES new, deleted, changelog | INDEXES new, deleted |               what was written
 *                          FILES before, after, changelog | INDEXES new, deleted                what was compacted
 *   3 … 9:                 row | int32 | (from 7: bool [int32]) | FILES new, deleted, changelog | FILES before, after, changelog |
 *                          INDEXES new | INDEXES deleted
 *   2:                     as 3 without the last list; release 0.7 also without the deleted files, in smaller rows
 *   list:                  int32 count, messages
 *   FILES, INDEXES:        int32 count, each an int32 length and a BinaryRow
 *
 * Java: CommitMessageSerializer, CommitMessageLegacyV2Serializer, ManifestCommittableSerializer. */
#ifndef PMN_WIRE_MESSAGE_H
#define PMN_WIRE_MESSAGE_H

#include "meta/manifest/index_row.h"
#include "meta/message.h"
#include "wire/java_data.h"

#define PMN_MESSAGE_OLDEST 2          /* that is read: releases 0.7 and 0.8 */
#define PMN_MESSAGE_OLDEST_WRITTEN 10 /* Paimon Java 1.3.1 */
#define PMN_MESSAGE_NEWEST 13

#define PMN_COMMITTABLE_OLDEST 2
#define PMN_COMMITTABLE_OLDEST_WRITTEN 4 /* Paimon Java 1.3.1 */
#define PMN_COMMITTABLE_NEWEST 5

/* How the rows of a version look. */
typedef struct pmn_message_layout {
    int32_t file_arity;
    pmn_index_layout index;
} pmn_message_layout;
pmn_message_layout pmn_message_layout_of(int32_t version);

/* 0 becomes the newest. PAIMON_UNSUPPORTED for what is not written. */
paimon_status pmn_message_version_to_write(int32_t *version, paimon_error *err) PMN_MUST_USE;

paimon_status pmn_message_write(pmn_buf *out, const pmn_message *message, int32_t version, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_messages_write(pmn_buf *out, const paimon_message_list *list, int32_t version, paimon_error *err) PMN_MUST_USE;

/* One message, or a list: the bytes are copied into the new list, which is marked as foreign. All of them must belong to it. */
paimon_status pmn_message_read(pmn_mem *mem, pmn_slice bytes, int32_t version, paimon_message_list **out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_messages_read(pmn_mem *mem, pmn_slice bytes, int32_t version, paimon_message_list **out, paimon_error *err) PMN_MUST_USE;

/* What a streaming engine sends its committer. Immutable, counted. */
struct paimon_committable {
    atomic_int refs;
    pmn_mem *mem;
    pmn_arena arena;
    int64_t identifier;
    bool has_watermark;
    int64_t watermark;
    const paimon_option *properties;
    size_t n_properties;
    paimon_message_list *messages; /* retained */
};

/* An empty one, to be filled before it is shared. */
paimon_status pmn_committable_new(pmn_mem *mem, struct paimon_committable **out, paimon_error *err) PMN_MUST_USE;
void pmn_committable_release(struct paimon_committable *committable); /* NULL allowed */
paimon_status pmn_committable_write(pmn_buf *out, const struct paimon_committable *committable, int32_t version, int32_t message_version,
                                    paimon_error *err) PMN_MUST_USE;
paimon_status pmn_committable_read(pmn_mem *mem, pmn_slice bytes, int32_t version, struct paimon_committable **out, paimon_error *err) PMN_MUST_USE;

#endif
