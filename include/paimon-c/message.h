/** Commit messages: what a writer tells a committer. One message a partition and bucket. */
#ifndef PAIMON_C_MESSAGE_H
#define PAIMON_C_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "paimon-c/status.h"

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

#ifdef __cplusplus
}
#endif

#endif
