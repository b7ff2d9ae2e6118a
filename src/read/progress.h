/* What a stream shares with its handle, counted apart from both: metrics, and the wish to cancel. */
#ifndef PMN_READ_PROGRESS_H
#define PMN_READ_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "base/status.h"
#include "base/watch.h"
#include "format/format.h"
#include "paimon-c/read.h"

struct paimon_reader {
    atomic_int refs;
    pmn_mem *mem; /* retained */
    atomic_bool cancelled;
    pmn_watch watch;      /* the caller's token and callback, set before the stream is used */
    pthread_mutex_t lock; /* guards the numbers */
    paimon_read_metrics metrics;
};
typedef struct paimon_reader pmn_progress;

paimon_status pmn_progress_new(pmn_mem *mem, pmn_progress **out, paimon_error *err) PMN_MUST_USE;
pmn_progress *pmn_progress_retain(pmn_progress *progress);
void pmn_progress_release(pmn_progress *progress); /* NULL allowed */
static inline bool pmn_progress_cancelled(pmn_progress *progress)
{
    return atomic_load_explicit(&progress->cancelled, memory_order_relaxed) || paimon_cancel_requested(progress->watch.cancel);
}
void pmn_progress_file(pmn_progress *progress);
/* Add what a reader has done since `told`, which follows. */
void pmn_progress_add(pmn_progress *progress, pmn_format_metrics *told, const pmn_format_metrics *now);
/* Rows for the caller, and how long he waited for them. */
void pmn_progress_rows(pmn_progress *progress, int64_t rows, int64_t time_us);
/* Tell the caller's callback, out of `n_files`; PAIMON_CANCELLED if it says so. On the caller's thread. */
paimon_status pmn_progress_tell(pmn_progress *progress, int64_t n_files, paimon_error *err) PMN_MUST_USE;

#endif
