/* Many committers at once, in processes on a disk and in threads on one environment: no commit is lost, none counts twice. */
#include "support/commit_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include "io/fs_impl.h"
#include "support/memory_files.h"
#include "support/remove_tree.h"
#include "support/replay.h"

#define N_PROCESSES 8
#define N_COMMITS 20

/* A folder in memory where there is one: a disk syncs a hundred times slower, and that is not what is tested. */
static void new_folder(char *out)
{
    strcpy(out, access("/dev/shm", W_OK) == 0 ? "/dev/shm/paimon-race-XXXXXX" : "/tmp/paimon-race-XXXXXX");
    assert_non_null(mkdtemp(out));
}

/* Commit `n` files of one row each; exit code 0 if all went well. Nothing of cmocka in a child. */
static int child(const char *root, int who, int n)
{
    paimon_table *table = NULL;
    paimon_commit *commit = NULL;
    char user[20];
    snprintf(user, sizeof user, "user-%d", who);
    if (paimon_table_open(NULL, root, NULL, 0, &table, NULL) != PAIMON_OK) return 1;
    if (paimon_commit_new(table, user, &commit, NULL) != PAIMON_OK) return 2;
    for (int i = 0; i < n; i++) {
        char name[40];
        paimon_error err = PAIMON_ERROR_INIT;
        snprintf(name, sizeof name, "f-%d-%02d", who, i);
        paimon_message_list *list = one_file(table, name, 1);
        if (paimon_commit_append(commit, list, i + 1, NULL, NULL, &err) != PAIMON_OK) {
            fprintf(stderr, "user %d, commit %d: %s\n", who, i, paimon_error_message(&err));
            return 3;
        }
        paimon_message_list_free(list);
    }
    paimon_commit_free(commit);
    paimon_table_free(table);
    return 0;
}

/* Snapshot k holds what k-1 holds and its own file, and says so. */
static int64_t check_history(paimon_env *env, const char *root)
{
    pmn_arena arena;
    int64_t latest = 0, total = 0, *ids;
    size_t n;
    paimon_table *table = open_table(env, root);
    pmn_arena_init(&arena, pmn_mem_default());
    OK(paimon_table_snapshot_ids(table, &ids, &n, err));
    latest = (int64_t)n;
    for (size_t i = 0; i < n; i++) assert_int_equal(ids[i], (int64_t)i + 1); /* no gaps */
    paimon_int64_free(ids, n);
    char *before = strdup("");
    for (int64_t id = 1; id <= latest; id++) {
        pmn_snapshot snapshot = load_snapshot(table, &arena, id);
        total += snapshot.delta_record_count;
        assert_int_equal(snapshot.delta_record_count, 1);
        assert_int_equal(snapshot.total_record_count, total);
        entry_list entries;
        OK(listed_entries(&arena, table->source->fs, root, snapshot.delta_manifest_list, &entries, err));
        assert_int_equal(entries.items[0].file.first_row_id, snapshot.next_row_id ? total - 1 : PMN_NONE);
        if (snapshot.next_row_id) assert_int_equal(snapshot.next_row_id, total);
        char *now = files_at(env, root, id);
        assert_int_equal(strlen(now), strlen(before) + strlen("f-0-00 "));
        free(before);
        before = now;
    }
    free(before);
    pmn_arena_free(&arena);
    paimon_table_free(table);
    return latest;
}

static void hint_is(const char *root, int64_t id)
{
    char path[300], text[40] = "";
    snprintf(path, sizeof path, "%s/snapshot/LATEST", root);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_int_equal(atoll(text), id);
}

static const char race_options[] = "\"bucket\":\"-1\",\"commit.max-retries\":\"100\",\"commit.min-retry-wait\":\"1 ms\",\"commit.max-retry-wait\":\"20 ms\"";

#define TRACKED ",\"row-tracking.enabled\":\"true\""

static void race(int n_killed, const char *more)
{
    char root[100], options[300];
    snprintf(options, sizeof options, "%s%s", race_options, more);
    pid_t pids[N_PROCESSES];
    new_folder(root);
    make_table(pmn_fs_local_default(), root, "[]", options);
    for (int i = 0; i < N_PROCESSES; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) _exit(child(root, i, N_COMMITS));
    }
    uint64_t seed = (uint64_t)time(NULL);
    for (int i = 0; i < n_killed; i++) {
        struct timespec nap = { 0, (long)random_below(&seed, 60000000) };
        nanosleep(&nap, NULL);
        kill(pids[i], SIGKILL);
    }
    for (int i = 0; i < N_PROCESSES; i++) {
        int how = 0;
        assert_int_equal(waitpid(pids[i], &how, 0), pids[i]);
        if (i >= n_killed) assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    }
    int64_t latest = check_history(NULL, root);
    if (n_killed == 0) {
        assert_int_equal(latest, N_PROCESSES * N_COMMITS);
        hint_is(root, latest);
    } else {
        assert_in_range(latest, (N_PROCESSES - n_killed) * N_COMMITS, N_PROCESSES * N_COMMITS);
    }
    remove_tree(root);
}

static void eight_processes_lose_no_commit(void **state)
{
    (void)state;
    race(0, "");
}

static void no_row_id_is_given_twice(void **state)
{
    (void)state;
    race(0, TRACKED);
}

static void a_killed_process_harms_no_other(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) race(2, i ? "" : TRACKED);
}

/* --- threads --- */

typedef struct worker {
    paimon_env *env;
    int who;
    paimon_status status;
} worker;

#define THREAD_ROOT "mem:/wh/db.db/t"
#define N_THREADS 4
#define N_THREAD_COMMITS 8

static void *work(void *arg)
{
    worker *w = arg;
    paimon_table *table = NULL;
    paimon_commit *commit = NULL;
    w->status = paimon_table_open(w->env, THREAD_ROOT, NULL, 0, &table, NULL);
    if (w->status == PAIMON_OK) w->status = paimon_commit_new(table, NULL, &commit, NULL);
    for (int i = 0; i < N_THREAD_COMMITS && w->status == PAIMON_OK; i++) {
        char name[40];
        snprintf(name, sizeof name, "f-%d-%02d", w->who, i);
        paimon_message_list *list = one_file(table, name, 1);
        w->status = paimon_commit_append(commit, list, i + 1, NULL, NULL, NULL);
        paimon_message_list_free(list);
    }
    paimon_commit_free(commit);
    paimon_table_free(table);
    return NULL;
}

static void threads_share_an_environment(void **state)
{
    (void)state;
    paimon_fs *fs = memory_files();
    paimon_env *env = NULL;
    pthread_t threads[N_THREADS];
    worker workers[N_THREADS];
    OK(paimon_env_new(NULL, &env, err));
    OK(paimon_env_register_fs(env, "mem", fs, err));
    make_table(fs, THREAD_ROOT, "[]", race_options);
    for (int i = 0; i < N_THREADS; i++) {
        workers[i] = (worker){ env, i, PAIMON_OK };
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < N_THREADS; i++) assert_int_equal(workers[i].status, PAIMON_OK);
    assert_int_equal(check_history(env, THREAD_ROOT), N_THREADS * N_THREAD_COMMITS);
    paimon_env_free(env);
    paimon_fs_free(fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_processes_lose_no_commit),
        cmocka_unit_test(no_row_id_is_given_twice),
        cmocka_unit_test(a_killed_process_harms_no_other),
        cmocka_unit_test(threads_share_an_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
