/* Tasks on threads. An executor is the embedder's or a pool of ours; a task group is a set of tasks that someone waits for.
 *
 * Whoever waits runs the tasks that nobody has started, so a single thread, or an executor that refuses everything, is enough.
 * No task waits for another. */
#ifndef PMN_BASE_POOL_H
#define PMN_BASE_POOL_H

#include <stdbool.h>

#include "base/mem.h"
#include "base/status.h"
#include "paimon-c/env.h"

typedef struct pmn_executor pmn_executor;

/* `given` NULL: a pool of `n_threads` (0: one a processor) started at the first submission. Counted, starts at 1. */
paimon_status pmn_executor_new(pmn_mem *mem, const paimon_executor *given, int n_threads, pmn_executor **out, paimon_error *err) PMN_MUST_USE;
/* The default environment's: a pool of one thread a processor over the default allocator, static. Never NULL. */
pmn_executor *pmn_executor_default(void);
pmn_executor *pmn_executor_retain(pmn_executor *executor);
void pmn_executor_release(pmn_executor *executor); /* the last one joins the pool's threads */
int pmn_executor_threads(const pmn_executor *executor);

/* One task. It may be waited for, and is run by the waiter if it has not begun. */
typedef struct pmn_task pmn_task;
/* Hand `fn(arg)` to the executor (NULL executor: it runs when waited for). `out` is owned by the caller; pmn_task_wait frees it. */
paimon_status pmn_task_submit(pmn_executor *executor, pmn_mem *mem, void (*fn)(void *arg), void *arg, pmn_task **out, paimon_error *err) PMN_MUST_USE;
bool pmn_task_done(pmn_task *task);
/* Run it here if nobody began it, else wait until it is done; then free it. NULL allowed. */
void pmn_task_wait(pmn_task *task);

/* Run fn(ctx, i) for i in [0, n) on at most `n_threads` threads, this one included; returns when all are done. */
void pmn_parallel_for(pmn_executor *executor, int n_threads, int n, void (*fn)(void *ctx, int i), void *ctx);

#endif
