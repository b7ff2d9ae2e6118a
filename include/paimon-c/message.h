/** Commit messages: what a writer tells a committer. One message a partition and bucket.
 *
 *  Within a process a list goes from paimon_write_prepare_commit() to paimon_commit_append() as it is. Between processes it travels as
 *  Java's bytes, so writer and committer may be different machines, and either of them Paimon Java (CommitMessageSerializer):
 *
 *      // writer
 *      paimon_message_list_serialize(list, 0, &bytes, &n, &err);     // 0: paimon_commit_message_current_version()
 *      send(version, bytes, n);
 *      // committer
 *      paimon_message_list_deserialize(NULL, version, bytes, n, &list, &err);
 *      paimon_commit_append(commit, list, identifier, NULL, &result, &err);
 *
 *  Nothing of a table's columns shows here: a message is read without its table. */
#ifndef PAIMON_C_MESSAGE_H
#define PAIMON_C_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paimon-c/env.h"
#include "paimon-c/status.h"
#include "paimon-c/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The commit identifier of batch jobs (Java's Long.MAX_VALUE). */
#define PAIMON_BATCH_COMMIT INT64_MAX

/** An immutable list of messages; may be shared by threads. */
typedef struct paimon_message_list paimon_message_list;

PAIMON_API size_t paimon_message_list_size(const paimon_message_list *list);
/** Rows and files that the messages add. */
PAIMON_API int64_t paimon_message_list_rows(const paimon_message_list *list);
PAIMON_API int64_t paimon_message_list_files(const paimon_message_list *list);
/** The messages of several lists as one; the lists stay the caller's and are not changed. */
PAIMON_API paimon_status paimon_message_list_concat(paimon_message_list *const *lists, size_t n, paimon_message_list **out,
                                                    paimon_error *err);
PAIMON_API paimon_message_list *paimon_message_list_retain(paimon_message_list *list);
PAIMON_API void paimon_message_list_free(paimon_message_list *list);

/* --- as bytes --- */

/** The version that messages are written in unless a call asks for an older one: 13. The bytes do not say their version: send it along. */
PAIMON_API int32_t paimon_commit_message_current_version(void);

/** All messages of a list as Java's bytes (serializeList).
 *  @param version  10 … 13 (Paimon Java 1.3.1 reads up to 10); 0: the current one
 *  @param bytes    out; owned by the caller: paimon_bytes_free(bytes, n)
 *  @return PAIMON_UNSUPPORTED for another version, or, by name, for something that a file has and that version cannot say */
PAIMON_API paimon_status paimon_message_list_serialize(const paimon_message_list *list, int32_t version, uint8_t **bytes, size_t *n,
                                                       paimon_error *err);
/** The same of message `i` alone. PAIMON_INVALID past the end. */
PAIMON_API paimon_status paimon_message_serialize(const paimon_message_list *list, size_t i, int32_t version, uint8_t **bytes, size_t *n,
                                                  paimon_error *err);

/** The way back, for versions 2 … 13 (Paimon 0.7 and newer).
 *  @param env    NULL: the default one
 *  @param bytes  borrowed for the call
 *  @param list   out; owned by the caller: paimon_message_list_free()
 *  @return PAIMON_CORRUPT with the place for bytes that are no list of this version; PAIMON_UNSUPPORTED for another version
 *
 *  A committer looks closer at a list that came as bytes: see paimon_commit_append(). */
PAIMON_API paimon_status paimon_message_list_deserialize(paimon_env *env, int32_t version, const void *bytes, size_t n,
                                                         paimon_message_list **list, paimon_error *err);
/** The same for the bytes of one message: a list of one. */
PAIMON_API paimon_status paimon_message_deserialize(paimon_env *env, int32_t version, const void *bytes, size_t n, paimon_message_list **list,
                                                    paimon_error *err);

/** One JSON array of all messages, for people and tests: names as the format has them, partitions and bounds as hex.
 *  @param json  out; owned by the caller: paimon_string_free() */
PAIMON_API paimon_status paimon_message_list_json(const paimon_message_list *list, char **json, paimon_error *err);

/* --- committables --- */

/** What a streaming engine sends its committer at a checkpoint: messages with an identifier, a watermark, and properties of the snapshot to
 *  be (Java: ManifestCommittable). Immutable, counted; may be shared by threads. */
typedef struct paimon_committable paimon_committable;

/** @param messages    kept by a reference
 *  @param properties  borrowed for the call */
PAIMON_API paimon_status paimon_committable_new(int64_t identifier, bool has_watermark, int64_t watermark,
                                                const paimon_option *properties, size_t n_properties,
                                                paimon_message_list *messages, paimon_committable **committable, paimon_error *err);
PAIMON_API paimon_committable *paimon_committable_retain(paimon_committable *committable);
PAIMON_API void paimon_committable_free(paimon_committable *committable); /**< NULL is allowed */

PAIMON_API int64_t paimon_committable_identifier(const paimon_committable *committable);
/** @param has  out, may be NULL: is there one? 0 is returned if not. */
PAIMON_API int64_t paimon_committable_watermark(const paimon_committable *committable, bool *has);
PAIMON_API size_t paimon_committable_n_properties(const paimon_committable *committable);
/** Borrowed; NULL past the end. `value` may be NULL. */
PAIMON_API const char *paimon_committable_property_at(const paimon_committable *committable, size_t i, const char **value);
/** Borrowed: paimon_message_list_retain() what is to live longer. */
PAIMON_API paimon_message_list *paimon_committable_messages(const paimon_committable *committable);

/** 5. As with messages, the bytes do not say it. */
PAIMON_API int32_t paimon_committable_current_version(void);
/** @param version          4 (Paimon Java 1.2 to 1.3) or 5; 0: the current one
 *  @param message_version  of the messages inside, as paimon_message_list_serialize(); this one is in the bytes */
PAIMON_API paimon_status paimon_committable_serialize(const paimon_committable *committable, int32_t version, int32_t message_version,
                                                      uint8_t **bytes, size_t *n, paimon_error *err);
/** @param version  2 … 5 */
PAIMON_API paimon_status paimon_committable_deserialize(paimon_env *env, int32_t version, const void *bytes, size_t n,
                                                        paimon_committable **committable, paimon_error *err);

#ifdef __cplusplus
}
#endif

#endif
