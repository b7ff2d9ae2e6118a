/** Long work: how far it is, and how to stop it. One token and one type of callback for scans, reads, writes and commits.
 *
 *      paimon_cancel *cancel = NULL;
 *      paimon_cancel_new(&cancel, &err);
 *      paimon_scan_set_cancel(scan, cancel, &err);       // and the read, the write, the commit of the same query
 *      paimon_scan_set_progress(scan, show, my_bar, &err);
 *      …
 *      paimon_cancel_request(cancel);                    // from any thread: all of them answer PAIMON_CANCELLED soon
 *
 *  What was cancelled leaves nothing behind: a plan or a batch that is not given, data files that the freed writer removes, manifests that
 *  no snapshot names. A commit is never cancelled once its snapshot may exist.
 */
#ifndef PAIMON_C_PROGRESS_H
#define PAIMON_C_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paimon-c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A wish to stop, for any number of objects; spent once it was made. Counted; all its functions may be called from any thread. */
typedef struct paimon_cancel paimon_cancel;

/** @param cancel  out; owned by the caller, free with paimon_cancel_free(), also while objects use it */
PAIMON_API paimon_status paimon_cancel_new(paimon_cancel **cancel, paimon_error *err);
PAIMON_API paimon_cancel *paimon_cancel_retain(paimon_cancel *cancel);
PAIMON_API void paimon_cancel_free(paimon_cancel *cancel);
/** Stop what uses the token, now and later. Also from a signal handler. NULL is allowed. */
PAIMON_API void paimon_cancel_request(paimon_cancel *cancel);
PAIMON_API bool paimon_cancel_requested(const paimon_cancel *cancel);

typedef enum paimon_activity { PAIMON_ACTIVITY_SCAN = 1, PAIMON_ACTIVITY_READ = 2, PAIMON_ACTIVITY_WRITE = 3, PAIMON_ACTIVITY_COMMIT = 4 } paimon_activity;

/** How far one object is. */
typedef struct paimon_progress {
    size_t struct_size;
    paimon_activity activity;
    int64_t done;  /**< scan: manifests read; read: files opened; write: batches; commit: attempts begun */
    int64_t total; /**< of `done`; -1: not known before the end */
    int64_t rows;  /**< scan: of the files found; read: returned; write: written; commit: 0 */
    int64_t files; /**< scan: found; read: opened; write: closed; commit: manifests written */
    int64_t bytes; /**< read from storage (scan, read) or written to it (write, commit) */
} paimon_progress;

/** Hear of progress; an answer other than 0 cancels, as paimon_cancel_request() does, but this one object only.
 *
 *  Called between two steps (a scan's manifests, a read's batches, a write's batches, a commit's attempts), on the thread that called the
 *  library, never on one of the pool. `progress` is borrowed for the call. It may use other objects of the library, not the one that calls. */
typedef int (*paimon_progress_fn)(void *ctx, const paimon_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
