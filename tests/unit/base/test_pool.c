/* Tasks on every kind of executor: none, a pool of ours, an embedder's that runs at once, later, never before it must, or
 * refuses. Run it under the thread sanitizer, too. */
#include "support/unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pool.h"
#include "support/failing_alloc.h"

/* ---- an embedder's executor that keeps what it is given until it is told ---- */

typedef struct late_executor {
    void (*task[10000])(void *arg);
    void *arg[10000];
    int n;
    int mode; /* 0: keep, 1: run at once, 2: refuse */
} late_executor;

static int late_submit(void *ctx, void (*task)(void *arg), void *arg)
{
    late_executor *e = ctx;
    if (e->mode == 2) return 1;
    if (e->mode == 1) {
        task(arg);
        return 0;
    }
    e->task[e->n] = task;
    e->arg[e->n++] = arg;
    return 0;
}

static void run_kept(late_executor *e)
{
    for (int i = 0; i < e->n; i++) e->task[i](e->arg[i]);
    e->n = 0;
}

static void add_one(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
}

static void each_task_runs_once(pmn_executor *executor)
{
    enum { N = 200 };
    atomic_int counts[N];
    pmn_task *tasks[N];
    for (int i = 0; i < N; i++) {
        atomic_init(&counts[i], 0);
        assert_int_equal(pmn_task_submit(executor, pmn_mem_default(), add_one, &counts[i], &tasks[i], NULL), PAIMON_OK);
    }
    for (int i = 0; i < N; i++) {
        pmn_task_wait(tasks[i]);
        assert_int_equal(atomic_load(&counts[i]), 1);
    }
    pmn_task_wait(NULL);
}

static void without_an_executor_the_waiter_runs_it(void **state)
{
    (void)state;
    each_task_runs_once(NULL);
    assert_int_equal(pmn_executor_threads(NULL), 1);
}

static void pools_of_any_size_run_every_task_once(void **state)
{
    (void)state;
    for (int n = 1; n <= 5; n++) {
        pmn_executor *executor;
        assert_int_equal(pmn_executor_new(pmn_mem_default(), NULL, n, &executor, NULL), PAIMON_OK);
        assert_int_equal(pmn_executor_threads(executor), n);
        for (int k = 0; k < 10; k++) each_task_runs_once(executor);
        pmn_executor_release(executor);
    }
    each_task_runs_once(pmn_executor_default());
}

static void an_embedder_s_executor_may_run_now_never_or_long_after(void **state)
{
    (void)state;
    static late_executor late;
    paimon_executor given = { sizeof given, late_submit, 3, &late };
    failing_alloc f = { -1, 0 };
    paimon_allocator a = failing_alloc_interface(&f);
    for (late.mode = 0; late.mode < 3; late.mode++) {
        pmn_mem *mem = pmn_mem_new(&a, 0);
        pmn_executor *executor;
        assert_int_equal(pmn_executor_new(mem, &given, 0, &executor, NULL), PAIMON_OK);
        assert_int_equal(pmn_executor_threads(executor), 3);
        each_task_runs_once(executor);
        atomic_int count = 0;
        pmn_task *task;
        assert_int_equal(pmn_task_submit(executor, mem, add_one, &count, &task, NULL), PAIMON_OK);
        assert_int_equal(pmn_task_done(task), late.mode == 1);
        pmn_executor_release(executor); /* the task keeps it */
        pmn_task_wait(task);
        assert_int_equal(atomic_load(&count), 1);
        pmn_mem_release(mem);
        run_kept(&late); /* finds everything taken, and everything else gone */
        assert_int_equal(atomic_load(&count), 1);
        assert_int_equal(atomic_load(&f.alive), 0);
    }
}

static void mark(void *ctx, int i)
{
    atomic_fetch_add(&((atomic_int *)ctx)[i], 1);
}

static void a_parallel_loop_visits_every_index_once(void **state)
{
    (void)state;
    enum { N = 3000 };
    static atomic_int marks[N];
    static late_executor late;
    paimon_executor given = { sizeof given, late_submit, 3, &late };
    pmn_executor *pool, *foreign;
    assert_int_equal(pmn_executor_new(pmn_mem_default(), NULL, 4, &pool, NULL), PAIMON_OK);
    assert_int_equal(pmn_executor_new(pmn_mem_default(), &given, 0, &foreign, NULL), PAIMON_OK);
    pmn_executor *executors[] = { NULL, pool, foreign };
    for (int e = 0; e < 3; e++)
        for (int threads = 0; threads < 100; threads = threads * 3 + 1)
            for (int n = 0; n <= N; n = n * 4 + 1) {
                for (int i = 0; i < n; i++) atomic_store(&marks[i], 0);
                pmn_parallel_for(executors[e], threads, n, mark, marks);
                for (int i = 0; i < n; i++) assert_int_equal(atomic_load(&marks[i]), 1);
                run_kept(&late);
            }
    pmn_executor_release(pool);
    pmn_executor_release(foreign);
}

typedef struct nested {
    pmn_executor *executor;
    atomic_int count;
} nested;

static void inner_loop(void *ctx, int i)
{
    (void)i;
    atomic_fetch_add(&((nested *)ctx)->count, 1);
}
static void outer_loop(void *ctx, int i)
{
    (void)i;
    pmn_parallel_for(((nested *)ctx)->executor, 4, 50, inner_loop, ctx);
}

static void loops_inside_loops_come_to_an_end(void **state)
{
    (void)state;
    for (int threads = 1; threads < 4; threads++) {
        nested n = { NULL, 0 };
        assert_int_equal(pmn_executor_new(pmn_mem_default(), NULL, threads, &n.executor, NULL), PAIMON_OK);
        pmn_parallel_for(n.executor, 4, 40, outer_loop, &n);
        assert_int_equal(atomic_load(&n.count), 2000);
        pmn_executor_release(n.executor);
    }
}

static void release_executor(void *arg)
{
    pmn_executor_release(arg);
}

static void the_last_reference_may_go_on_a_thread_of_the_pool(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        pmn_executor *executor;
        pmn_task *task;
        assert_int_equal(pmn_executor_new(pmn_mem_default(), NULL, 3, &executor, NULL), PAIMON_OK);
        assert_int_equal(pmn_task_submit(executor, pmn_mem_default(), release_executor, pmn_executor_retain(executor), &task, NULL), PAIMON_OK);
        if (i % 2) pmn_executor_release(executor);
        pmn_task_wait(task);
        if (i % 2 == 0) pmn_executor_release(executor);
    }
}

static void *submit_and_wait(void *arg)
{
    for (int k = 0; k < 20; k++) {
        atomic_int counts[20];
        pmn_task *tasks[20];
        for (int i = 0; i < 20; i++) {
            atomic_init(&counts[i], 0);
            if (pmn_task_submit(arg, pmn_mem_default(), add_one, &counts[i], &tasks[i], NULL) != PAIMON_OK) abort();
        }
        for (int i = 20; i-- > 0;) {
            pmn_task_wait(tasks[i]);
            if (atomic_load(&counts[i]) != 1) abort();
        }
    }
    return NULL;
}

static void waiting_threads_share_one_pool(void **state)
{
    (void)state;
    pmn_executor *executor;
    assert_int_equal(pmn_executor_new(pmn_mem_default(), NULL, 2, &executor, NULL), PAIMON_OK);
    pthread_t threads[6];
    for (int i = 0; i < 6; i++) assert_int_equal(pthread_create(&threads[i], NULL, submit_and_wait, executor), 0);
    for (int i = 0; i < 6; i++) pthread_join(threads[i], NULL);
    pmn_executor_release(executor);
}

static void a_process_may_fork_before_the_pool_starts(void **state)
{
    (void)state;
    pmn_executor *executor;
    assert_int_equal(pmn_executor_new(pmn_mem_default(), NULL, 2, &executor, NULL), PAIMON_OK);
    pid_t child = fork();
    if (child == 0) {
        submit_and_wait(executor);
        pmn_executor_release(executor);
        _exit(7);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 7);
    submit_and_wait(executor);
    pmn_executor_release(executor);
}

#if !defined(__SANITIZE_THREAD__) /* which lets no child of a process with threads start any */
static void a_child_of_a_process_with_threads_starts_its_own(void **state)
{
    (void)state;
    pmn_executor *pools[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pmn_executor_new(pmn_mem_default(), NULL, 2, &pools[i], NULL), PAIMON_OK);
        submit_and_wait(pools[i]);
    }
    pmn_executor_release(pools[1]); /* one is gone again */
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        submit_and_wait(pools[0]);
        pmn_executor_release(pools[0]);
        pmn_executor_release(pools[2]);
        _exit(7);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 7);
    submit_and_wait(pools[2]);
    pmn_executor_release(pools[0]);
    pmn_executor_release(pools[2]);
}
#endif

static paimon_status run_with(pmn_mem *mem, void *arg)
{
    atomic_int counts[3] = { 0, 0, 0 };
    pmn_executor *executor;
    (void)arg;
    PMN_TRY(pmn_executor_new(mem, NULL, 2, &executor, NULL));
    pmn_task *task = NULL;
    paimon_status status = pmn_task_submit(executor, mem, add_one, &counts[0], &task, NULL);
    pmn_task_wait(task);
    if (status == PAIMON_OK) assert_int_equal(atomic_load(&counts[0]), 1);
    atomic_store(&counts[0], 0);
    pmn_parallel_for(executor, 3, 3, mark, counts);
    for (int i = 0; i < 3; i++) assert_int_equal(atomic_load(&counts[i]), 1);
    pmn_executor_release(executor);
    return status;
}

static void without_memory_loops_still_run(void **state)
{
    (void)state;
    assert_true(failing_alloc_sweep(run_with, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_may_fork_before_the_pool_starts),
#if !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(a_child_of_a_process_with_threads_starts_its_own),
#endif
        cmocka_unit_test(without_an_executor_the_waiter_runs_it),
        cmocka_unit_test(pools_of_any_size_run_every_task_once),
        cmocka_unit_test(an_embedder_s_executor_may_run_now_never_or_long_after),
        cmocka_unit_test(a_parallel_loop_visits_every_index_once),
        cmocka_unit_test(loops_inside_loops_come_to_an_end),
        cmocka_unit_test(the_last_reference_may_go_on_a_thread_of_the_pool),
        cmocka_unit_test(waiting_threads_share_one_pool),
        cmocka_unit_test(without_memory_loops_still_run),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
