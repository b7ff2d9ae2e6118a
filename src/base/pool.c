/* The pool and its tasks.
 *
 * A task has two holders: its owner, who waits for it, and the executor that it was handed to. Whoever of them turns its state
 * from queued to running runs it. An owner who takes a task back also takes it out of our queue; an embedder's executor gets to
 * it some time later, finds it taken, and only gives up its hold. Nothing else is shared, so a task may be run long after
 * everything that it worked on is gone.
 *
 * Threads start one at a time when a task comes and none is idle: a process that never asks for a second thread has none. A process
 * that forks leaves them behind: the child finds its pools without threads and starts new ones. What they were running is lost there. */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define MOST_THREADS 1024

enum { TASK_QUEUED, TASK_RUNNING, TASK_DONE };

struct pmn_task {
    void (*fn)(void *arg);
    void *arg;
    pmn_mem *mem;           /* counted */
    pmn_executor *executor; /* counted until waited for; NULL without one */
    atomic_int refs;
    atomic_int state;
    pthread_mutex_t lock; /* with `done`: only for whoever waits while another thread runs it */
    pthread_cond_t done;
    pmn_task *next, *previous; /* in the queue, under the executor's lock */
    bool in_queue;
};

struct pmn_executor {
    pmn_mem *mem; /* counted */
    atomic_int refs;
    int n_threads;
    bool is_static;
    bool is_foreign;
    paimon_executor foreign;

    pthread_mutex_t lock; /* everything below */
    pthread_cond_t work;
    pmn_task *first, *last;
    int n_queued;
    pthread_t *threads; /* room for n_threads; made with the first of them */
    int n_started;
    int n_idle;
    bool stopping;
    bool freed_by_worker; /* the last reference was given up on one of our own threads */

    bool is_listed; /* below `pools`' lock: these two */
    pmn_executor *next_pool, *previous_pool;
};

/* ---- tasks ---- */

static void drop_task(pmn_task *task)
{
    if (atomic_fetch_sub_explicit(&task->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = task->mem;
    pthread_mutex_destroy(&task->lock);
    pthread_cond_destroy(&task->done);
    pmn_free(mem, task, sizeof *task);
    pmn_mem_release(mem);
}

/* Run the task if nobody has begun it. */
static bool try_task(pmn_task *task)
{
    int expected = TASK_QUEUED;
    if (!atomic_compare_exchange_strong(&task->state, &expected, TASK_RUNNING)) return false;
    task->fn(task->arg);
    pthread_mutex_lock(&task->lock);
    atomic_store(&task->state, TASK_DONE);
    pthread_cond_broadcast(&task->done);
    pthread_mutex_unlock(&task->lock);
    return true;
}

/* What an executor is given. */
static void run_handed_task(void *arg)
{
    pmn_task *task = (pmn_task *)arg;
    try_task(task);
    drop_task(task);
}

static pmn_task *make_task(pmn_mem *mem, void (*fn)(void *arg), void *arg)
{
    pmn_task *task = (pmn_task *)pmn_calloc(mem, 1, sizeof *task);
    if (!task) return NULL;
    if (pthread_mutex_init(&task->lock, NULL) != 0) goto no_lock;
    if (pthread_cond_init(&task->done, NULL) != 0) goto no_cond;
    task->fn = fn;
    task->arg = arg;
    task->mem = pmn_mem_retain(mem);
    atomic_init(&task->refs, 1);
    atomic_init(&task->state, TASK_QUEUED);
    return task;
no_cond:
    pthread_mutex_destroy(&task->lock);
no_lock:
    pmn_free(mem, task, sizeof *task);
    return NULL;
}

/* ---- fork: every pool that may have threads is listed, so that a child can forget them ---- */

static struct {
    pthread_mutex_t lock; /* taken before any executor's */
    pmn_executor *first;
} pools = { .lock = PTHREAD_MUTEX_INITIALIZER };
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

/* No thread is inside while the process is copied, so the child's copies are whole. */
static void before_fork(void)
{
    pthread_mutex_lock(&pools.lock);
    for (pmn_executor *e = pools.first; e; e = e->next_pool) pthread_mutex_lock(&e->lock);
}

static void after_fork_in_parent(void)
{
    for (pmn_executor *e = pools.first; e; e = e->next_pool) pthread_mutex_unlock(&e->lock);
    pthread_mutex_unlock(&pools.lock);
}

static void after_fork_in_child(void)
{
    for (pmn_executor *e = pools.first; e; e = e->next_pool) {
        e->n_started = e->n_idle = 0;
        pthread_mutex_init(&e->lock, NULL); /* threads that are gone may be among its waiters, as they are among the condition's */
        pthread_cond_init(&e->work, NULL);
    }
    pthread_mutex_init(&pools.lock, NULL);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static void list_pool(pmn_executor *executor)
{
    pthread_once(&fork_once, watch_forks);
    pthread_mutex_lock(&pools.lock);
    if (!executor->is_listed) {
        executor->is_listed = true;
        executor->next_pool = pools.first;
        if (pools.first) pools.first->previous_pool = executor;
        pools.first = executor;
    }
    pthread_mutex_unlock(&pools.lock);
}

static void unlist_pool(pmn_executor *executor)
{
    pthread_mutex_lock(&pools.lock);
    if (executor->is_listed) {
        if (executor->previous_pool) executor->previous_pool->next_pool = executor->next_pool;
        else pools.first = executor->next_pool;
        if (executor->next_pool) executor->next_pool->previous_pool = executor->previous_pool;
    }
    pthread_mutex_unlock(&pools.lock);
}

/* ---- the pool ---- */

static int count_processors(void)
{
#if defined(__linux__)
    cpu_set_t allowed; /* what a container gives, not what the machine has */
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed) > 0 ? CPU_COUNT(&allowed) : 1;
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (int)n;
}

static void unlink_task(pmn_executor *executor, pmn_task *task)
{
    if (task->previous) task->previous->next = task->next;
    else executor->first = task->next;
    if (task->next) task->next->previous = task->previous;
    else executor->last = task->previous;
    task->next = task->previous = NULL;
    task->in_queue = false;
    executor->n_queued--;
}

static void free_executor(pmn_executor *executor)
{
    pmn_mem *mem = executor->mem;
    unlist_pool(executor);
    pthread_mutex_destroy(&executor->lock);
    pthread_cond_destroy(&executor->work);
    pmn_free(mem, executor->threads, (size_t)executor->n_threads * sizeof *executor->threads);
    pmn_free(mem, executor, sizeof *executor);
    pmn_mem_release(mem);
}

static void *serve_queue(void *arg)
{
    pmn_executor *executor = (pmn_executor *)arg;
    pthread_mutex_lock(&executor->lock);
    for (;;) {
        while (!executor->first && !executor->stopping) {
            executor->n_idle++;
            pthread_cond_wait(&executor->work, &executor->lock);
            executor->n_idle--;
        }
        if (executor->stopping) break;
        pmn_task *task = executor->first;
        unlink_task(executor, task);
        pthread_mutex_unlock(&executor->lock);
        run_handed_task(task);
        pthread_mutex_lock(&executor->lock);
    }
    bool mine_to_free = executor->freed_by_worker && pthread_equal(executor->threads[0], pthread_self());
    pthread_mutex_unlock(&executor->lock);
    if (mine_to_free) free_executor(executor);
    return NULL;
}

/* One more thread, which gets no signals: they are the embedder's. False if there is none and none can be had. Locked. */
static bool ensure_thread(pmn_executor *executor)
{
    if (executor->n_idle > executor->n_queued || executor->n_started == executor->n_threads) return executor->n_started > 0;
    if (!executor->threads) executor->threads = (pthread_t *)pmn_calloc(executor->mem, (size_t)executor->n_threads, sizeof *executor->threads);
    if (!executor->threads) return false;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&executor->threads[executor->n_started], NULL, serve_queue, executor) == 0) executor->n_started++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return executor->n_started > 0;
}

static bool enqueue_task(pmn_executor *executor, pmn_task *task)
{
    pthread_mutex_lock(&executor->lock);
    if (!executor->threads) { /* the first task: list the pool before it has a thread */
        pthread_mutex_unlock(&executor->lock);
        list_pool(executor);
        pthread_mutex_lock(&executor->lock);
    }
    bool taken = ensure_thread(executor);
    if (taken) {
        task->previous = executor->last;
        task->next = NULL;
        if (executor->last) executor->last->next = task;
        else executor->first = task;
        executor->last = task;
        task->in_queue = true;
        executor->n_queued++;
        pthread_cond_signal(&executor->work);
    }
    pthread_mutex_unlock(&executor->lock);
    return taken;
}

paimon_status pmn_executor_new(pmn_mem *mem, const paimon_executor *given, int n_threads, pmn_executor **out, paimon_error *err)
{
    *out = NULL;
    pmn_executor *executor = (pmn_executor *)pmn_calloc(mem, 1, sizeof *executor);
    if (!executor) return pmn_fail_nomem(err, "an executor");
    if (given) {
        executor->is_foreign = true;
        executor->foreign = *given;
        n_threads = given->n_threads;
    } else if (n_threads <= 0) {
        n_threads = count_processors();
    }
    executor->n_threads = n_threads < 1 ? 1 : n_threads > MOST_THREADS ? MOST_THREADS : n_threads;
    if (pthread_mutex_init(&executor->lock, NULL) != 0) goto no_lock;
    if (pthread_cond_init(&executor->work, NULL) != 0) goto no_cond;
    executor->mem = pmn_mem_retain(mem);
    atomic_init(&executor->refs, 1);
    *out = executor;
    return PAIMON_OK;
no_cond:
    pthread_mutex_destroy(&executor->lock);
no_lock:
    pmn_free(mem, executor, sizeof *executor);
    return pmn_fail_nomem(err, "an executor");
}

static pmn_executor default_executor = { .refs = 1, .is_static = true, .lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER };
static pthread_once_t default_executor_once = PTHREAD_ONCE_INIT;

static void make_default_executor(void)
{
    default_executor.mem = pmn_mem_default();
    default_executor.n_threads = count_processors();
}

pmn_executor *pmn_executor_default(void)
{
    pthread_once(&default_executor_once, make_default_executor);
    return &default_executor;
}

pmn_executor *pmn_executor_retain(pmn_executor *executor)
{
    if (executor && !executor->is_static) atomic_fetch_add_explicit(&executor->refs, 1, memory_order_relaxed);
    return executor;
}

/* A task may hold the last reference to what holds the executor, so this may run on one of the pool's own threads. That one
 * cannot join itself: it is detached, put first, and frees the executor when it comes back to the queue. */
void pmn_executor_release(pmn_executor *executor)
{
    if (!executor || executor->is_static || atomic_fetch_sub_explicit(&executor->refs, 1, memory_order_acq_rel) != 1) return;
    int self = -1;
    pthread_mutex_lock(&executor->lock);
    for (int i = 0; i < executor->n_started; i++)
        if (pthread_equal(executor->threads[i], pthread_self())) self = i;
    executor->stopping = true;
    pthread_cond_broadcast(&executor->work);
    pthread_mutex_unlock(&executor->lock);
    for (int i = 0; i < executor->n_started; i++)
        if (i != self) pthread_join(executor->threads[i], NULL);
    if (self < 0) {
        free_executor(executor);
        return;
    }
    pthread_mutex_lock(&executor->lock);
    executor->threads[0] = executor->threads[self];
    executor->freed_by_worker = true;
    pthread_mutex_unlock(&executor->lock);
    pthread_detach(pthread_self());
}

int pmn_executor_threads(const pmn_executor *executor)
{
    return executor ? executor->n_threads : 1;
}

paimon_status pmn_task_submit(pmn_executor *executor, pmn_mem *mem, void (*fn)(void *arg), void *arg, pmn_task **out, paimon_error *err)
{
    pmn_task *task = make_task(mem, fn, arg);
    *out = task;
    if (!task) return pmn_fail_nomem(err, "a task");
    if (!executor) return PAIMON_OK;
    task->executor = pmn_executor_retain(executor);
    atomic_fetch_add_explicit(&task->refs, 1, memory_order_relaxed);
    bool taken = executor->is_foreign ? executor->foreign.submit(executor->foreign.ctx, run_handed_task, task) == 0
                                      : enqueue_task(executor, task);
    if (!taken) drop_task(task); /* refused: it runs when it is waited for */
    return PAIMON_OK;
}

bool pmn_task_done(pmn_task *task)
{
    return atomic_load(&task->state) == TASK_DONE;
}

static void take_back(pmn_executor *executor, pmn_task *task)
{
    pthread_mutex_lock(&executor->lock);
    bool was_queued = task->in_queue;
    if (was_queued) unlink_task(executor, task);
    pthread_mutex_unlock(&executor->lock);
    if (was_queued) drop_task(task); /* the queue's hold; the owner's is still there */
}

void pmn_task_wait(pmn_task *task)
{
    if (!task) return;
    pmn_executor *executor = task->executor;
    if (executor && !executor->is_foreign) take_back(executor, task);
    if (!try_task(task)) {
        pthread_mutex_lock(&task->lock);
        while (atomic_load(&task->state) != TASK_DONE) pthread_cond_wait(&task->done, &task->lock);
        pthread_mutex_unlock(&task->lock);
    }
    drop_task(task);
    pmn_executor_release(executor);
}

/* ---- parallel for ---- */

typedef struct shared_loop {
    atomic_int next;
    int n;
    void (*fn)(void *ctx, int i);
    void *ctx;
} shared_loop;

static void run_shared_loop(void *arg)
{
    shared_loop *loop = (shared_loop *)arg;
    for (;;) {
        int i = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
        if (i >= loop->n) return;
        loop->fn(loop->ctx, i);
    }
}

#define MOST_HELPERS 63

void pmn_parallel_for(pmn_executor *executor, int n_threads, int n, void (*fn)(void *ctx, int i), void *ctx)
{
    shared_loop loop = { .n = n, .fn = fn, .ctx = ctx };
    atomic_init(&loop.next, 0);
    pmn_task *helpers[MOST_HELPERS];
    int n_helpers = 0, wanted = (n_threads < n ? n_threads : n) - 1;
    if (wanted > MOST_HELPERS) wanted = MOST_HELPERS;
    while (executor && n_helpers < wanted) {
        /* Without memory for a helper the loop still runs, on fewer threads. */
        if (pmn_task_submit(executor, executor->mem, run_shared_loop, &loop, &helpers[n_helpers], NULL) != PAIMON_OK) break;
        n_helpers++;
    }
    run_shared_loop(&loop);
    while (n_helpers > 0) pmn_task_wait(helpers[--n_helpers]);
}
