/* Objects that may be shared are: several threads plan and read one table at once. The thread sanitizer watches in its preset. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/read_table.h"

#define N_THREADS 6
#define ROUNDS 5

typedef struct worker {
    pthread_t thread;
    paimon_table *table; /* shared */
    paimon_plan *plan;   /* shared */
    const char *expected;
    int number;
    bool wrong;
} worker;

static char *read_shared(worker *w, paimon_plan *plan, int32_t threads)
{
    paimon_read *read = NULL;
    struct ArrowArrayStream stream;
    if (paimon_read_new(w->table, &read, NULL) != PAIMON_OK) return NULL;
    paimon_status s = paimon_read_set_threads(read, threads, NULL);
    if (s == PAIMON_OK) s = paimon_read_plan(read, plan, &stream, NULL);
    paimon_read_free(read);
    return s == PAIMON_OK ? show_stream(&stream) : NULL;
}

static void *work(void *arg)
{
    worker *w = arg;
    for (int i = 0; i < ROUNDS && !w->wrong; i++) {
        paimon_plan *plan = w->plan;
        paimon_scan *scan = NULL;
        if (w->number % 2) { /* half of them plan for themselves */
            plan = NULL;
            if (paimon_scan_new(w->table, &scan, NULL) != PAIMON_OK || paimon_scan_plan(scan, &plan, NULL) != PAIMON_OK) w->wrong = true;
        }
        char *rows = w->wrong ? NULL : read_shared(w, plan, 1 + (w->number + i) % 3);
        w->wrong = w->wrong || !rows || strcmp(rows, w->expected) != 0;
        free(rows);
        if (w->number % 2) paimon_plan_free(plan);
        paimon_scan_free(scan);
    }
    return NULL;
}

static void share(const char *path)
{
    char *expected = read_rows(path, NULL);
    paimon_table *table = NULL;
    paimon_scan *scan = NULL;
    paimon_plan *plan = NULL;
    assert_null(strstr(expected, "error"));
    assert_int_equal(paimon_table_open(NULL, path, NULL, 0, &table, NULL), PAIMON_OK);
    assert_int_equal(paimon_scan_new(table, &scan, NULL), PAIMON_OK);
    assert_int_equal(paimon_scan_plan(scan, &plan, NULL), PAIMON_OK);
    worker workers[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        workers[i] = (worker){ .table = table, .plan = plan, .expected = expected, .number = i };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_false(workers[i].wrong);
    }
    paimon_plan_free(plan);
    paimon_scan_free(scan);
    paimon_table_free(table);
    free(expected);
}

static void several_threads_read_one_table(void **state)
{
    (void)state;
    share(TABLE("many-files"));
    share(TABLE("columns"));
}

typedef struct canceller {
    paimon_reader *reader;
    int64_t seen;
} canceller;

static void *watch_and_cancel(void *arg)
{
    canceller *c = arg;
    paimon_read_metrics m = PAIMON_READ_METRICS_INIT;
    for (int i = 0; i < 1000 && m.rows_returned == 0; i++) paimon_reader_metrics(c->reader, &m);
    c->seen = m.rows_returned;
    paimon_reader_cancel(c->reader);
    return NULL;
}

static void another_thread_watches_and_cancels(void **state)
{
    (void)state;
    for (int32_t threads = 1; threads < 4; threads++) {
        read_parts parts = { 0 };
        struct ArrowArrayStream stream;
        canceller c = { 0 };
        pthread_t thread;
        read_request slowly = { .threads = threads, .batch_rows = 1 };
        assert_int_equal(open_stream(NULL, TABLE("many-files"), &slowly, &parts, &stream, NULL), PAIMON_OK);
        read_parts_free(&parts);
        assert_int_equal(paimon_reader_of(&stream, &c.reader, NULL), PAIMON_OK);
        assert_int_equal(pthread_create(&thread, NULL, watch_and_cancel, &c), 0);
        char *rows = show_stream(&stream); /* all of them, or an end that says why */
        pthread_join(thread, NULL);
        assert_true(count_lines(rows) == 320 || strstr(rows, "cancelled"));
        free(rows);
        paimon_reader_free(c.reader);
    }
}

/* --- executors of the embedder --- */

static int refuse_task(void *ctx, void (*task)(void *), void *arg)
{
    (void)task;
    (void)arg;
    ++*(int *)ctx;
    return 1;
}

static int run_at_once(void *ctx, void (*task)(void *), void *arg)
{
    ++*(int *)ctx;
    task(arg);
    return 0;
}

/* One thread that takes tasks in the order they came. */
typedef struct late_thread {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct {
        void (*task)(void *);
        void *arg;
    } queue[4096];
    int first, last;
    bool stop;
} late_thread;

static int run_later(void *ctx, void (*task)(void *), void *arg)
{
    late_thread *t = ctx;
    pthread_mutex_lock(&t->lock);
    int full = t->last == 4096;
    if (!full) {
        t->queue[t->last].task = task;
        t->queue[t->last++].arg = arg;
        pthread_cond_signal(&t->more);
    }
    pthread_mutex_unlock(&t->lock);
    return full;
}

static void *run_queue(void *arg)
{
    late_thread *t = arg;
    pthread_mutex_lock(&t->lock);
    while (!t->stop || t->first < t->last) {
        if (t->first == t->last) {
            pthread_cond_wait(&t->more, &t->lock);
            continue;
        }
        int i = t->first++;
        pthread_mutex_unlock(&t->lock);
        t->queue[i].task(t->queue[i].arg);
        pthread_mutex_lock(&t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static void read_with(const paimon_executor *executor)
{
    static const char *const tables[] = { TABLE("many-files"), TABLE("nan-row-groups") };
    paimon_env_options options = PAIMON_ENV_OPTIONS_INIT;
    paimon_env *env = NULL;
    options.executor = executor;
    assert_int_equal(paimon_env_new(&options, &env, NULL), PAIMON_OK);
    for (size_t i = 0; i < 2; i++) {
        char *expected = read_rows(tables[i], NULL);
        for (int64_t limit = 0; limit < 100; limit += 50) {
            read_request q = { .threads = 4, .batch_rows = 10, .limit = limit, .scan_all = true };
            char *rows = read_rows_env(env, tables[i], &q);
            assert_memory_equal(rows, expected, strlen(rows));
            if (limit > 0) assert_int_equal(count_lines(rows), limit);
            else assert_string_equal(rows, expected);
            free(rows);
        }
        free(expected);
    }
    paimon_env_free(env);
}

static void any_executor_will_do(void **state)
{
    (void)state;
    int calls = 0;
    paimon_executor executor = { sizeof executor, refuse_task, 4, &calls };
    read_with(&executor);
    assert_true(calls > 0);
    executor.submit = run_at_once;
    calls = 0;
    read_with(&executor);
    assert_true(calls > 0);
    static late_thread late; /* its queue is large */
    pthread_mutex_init(&late.lock, NULL);
    pthread_cond_init(&late.more, NULL);
    assert_int_equal(pthread_create(&late.thread, NULL, run_queue, &late), 0);
    executor.submit = run_later;
    executor.ctx = &late;
    read_with(&executor);
    pthread_mutex_lock(&late.lock);
    late.stop = true;
    pthread_cond_signal(&late.more);
    pthread_mutex_unlock(&late.lock);
    pthread_join(late.thread, NULL);
    assert_true(late.last > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_threads_read_one_table),
        cmocka_unit_test(any_executor_will_do),
        cmocka_unit_test(another_thread_watches_and_cancels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
