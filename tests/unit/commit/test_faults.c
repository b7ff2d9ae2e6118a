/* A disk that fails, a process that dies, an answer that is lost, memory that is refused: at every place of a commit the table is
 * as before or has the commit exactly once, and nothing that a snapshot names is gone. */
#include "support/commit_table.h"

#include "io/fault.h"
#include "support/failing_env.h"
#include "support/memory_files.h"

#define ROOT "mem:/wh/db.db/t"
#define BEFORE "a b n "

typedef struct place {
    paimon_env *env;   /* over the faulty file system */
    paimon_env *sound; /* over the one beneath */
    paimon_fs *inner, *faulty;
    pmn_fault *fault;
    paimon_table *table;
} place;

static void commit_plainly(place *p, const char *name, int32_t q)
{
    paimon_commit *commit = NULL;
    paimon_message_list *list = new_messages();
    add_message(p->table, list, name[0] == 'n' ? NULL : "x", q, 0, -1, name, 1);
    OK(paimon_commit_new(p->table, NULL, &commit, err));
    OK(paimon_commit_append(commit, list, 1, NULL, NULL, err));
    paimon_commit_free(commit);
    paimon_message_list_free(list);
}

/* Manifests merge at the fourth commit, so that the faults hit that too. */
static place new_place(const char *options)
{
    place p = { .inner = memory_files() };
    char all[300];
    snprintf(all, sizeof all, "\"bucket\":\"-1\",\"manifest.merge-min-count\":\"3\"%s", options);
    OK(pmn_fault_fs_new(pmn_mem_default(), p.inner, &p.faulty, &p.fault, err));
    OK(paimon_env_new(NULL, &p.env, err));
    OK(paimon_env_new(NULL, &p.sound, err));
    OK(paimon_env_register_fs(p.env, "mem", p.faulty, err));
    OK(paimon_env_register_fs(p.sound, "mem", p.inner, err));
    make_table(p.inner, ROOT, "[\"p\",\"q\"]", all);
    p.table = open_table(p.env, ROOT);
    commit_plainly(&p, "a", 1);
    commit_plainly(&p, "b", 2);
    commit_plainly(&p, "n", 1);
    return p;
}

static void leave(place *p)
{
    paimon_table_free(p->table);
    paimon_env_free(p->env);
    paimon_env_free(p->sound);
    paimon_fs_free(p->faulty);
    paimon_fs_free(p->inner);
}

typedef enum act { APPEND, OVERWRITE, DROP, CHECKED } act;
static const char *const after[] = { "a b c n ", "b c n ", "b n ", "a b c n " };

static paimon_status run_act(place *p, act which, paimon_commit_result *result, paimon_error *err)
{
    paimon_commit *commit = NULL;
    paimon_message_list *list = new_messages();
    paimon_option pairs[] = { { "p", "x" }, { "q", "1" } };
    paimon_partition_spec spec = { pairs, 2 };
    paimon_commit_options options = PAIMON_COMMIT_OPTIONS_INIT;
    options.check_conflicts = which == CHECKED;
    add_message(p->table, list, "x", 1, 0, -1, "c", 1);
    paimon_status status = paimon_commit_new(p->table, "tester", &commit, err);
    if (status == PAIMON_OK && (which == APPEND || which == CHECKED)) status = paimon_commit_append(commit, list, 5, &options, result, err);
    if (status == PAIMON_OK && which == OVERWRITE) status = paimon_commit_overwrite(commit, NULL, 0, list, 5, NULL, result, err);
    if (status == PAIMON_OK && which == DROP) status = paimon_commit_drop_partitions(commit, &spec, 1, 5, result, err);
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    return status;
}

/* Every snapshot can be planned, which reads each list and manifest that it names. */
static int64_t check_table(const place *p, bool *done, act which)
{
    int64_t latest = 0;
    paimon_table *table = open_table(p->sound, ROOT);
    OK(paimon_table_latest_snapshot_id(table, &latest, err));
    assert_in_range(latest, 3, 4);
    *done = latest == 4;
    for (int64_t id = 1; id <= latest; id++) {
        const char *files = id == 1 ? "a " : id == 2 ? "a b " : id == 3 ? BEFORE : after[which];
        has_files(p->sound, ROOT, id, files);
    }
    paimon_table_free(table);
    return latest;
}

static void sweep(pmn_fault_kind kind, act which)
{
    for (int64_t at = 0;; at++) {
        place p = new_place(",\"commit.max-retries\":\"3\",\"commit.min-retry-wait\":\"1 ms\",\"commit.max-retry-wait\":\"1 ms\"");
        bool done;
        paimon_error err = PAIMON_ERROR_INIT;
        paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
        int before = count_in(p.inner, ROOT, "manifest");
        pmn_fault_plan(p.fault, at, kind);
        paimon_status status = run_act(&p, which, &result, &err);
        int64_t operations = pmn_fault_count(p.fault);
        check_table(&p, &done, which);
        if (status == PAIMON_OK) {
            assert_true(done);
            assert_int_equal(result.snapshot_id, 4);
        } else if (done) {
            /* Done, and it may not be known: then it must be said so. */
            if (!strstr(paimon_error_message(&err), "unknown")) fail_msg("operation %lld: %s", (long long)at, paimon_error_message(&err));
        } else if (kind == PMN_FAULT_FAIL && !strstr(paimon_error_message(&err), "unknown")) {
            assert_int_equal(count_in(p.inner, ROOT, "manifest"), before); /* what was written is gone again */
        }
        paimon_error_clear(&err);
        bool reached = operations > at;
        /* Whatever happened, the same again, by its user and identifier, makes it once. */
        if (which == CHECKED && reached) {
            pmn_fault_plan(p.fault, -1, PMN_FAULT_NONE);
            paimon_commit *again = NULL;
            paimon_message_list *list = new_messages();
            add_message(p.table, list, "x", 1, 0, -1, "c", 1);
            write_fake_files(p.table, list);
            OK(paimon_commit_new(p.table, "tester", &again, err));
            OK(paimon_commit_filter_and_append(again, list, 5, NULL, &result, err));
            assert_int_equal(result.already_committed, done);
            check_table(&p, &done, which);
            assert_true(done);
            paimon_commit_free(again);
            paimon_message_list_free(list);
        }
        leave(&p);
        if (!reached) break;
    }
}

static void each_operation_may_fail(void **state)
{
    (void)state;
    for (int which = APPEND; which <= CHECKED; which++) sweep(PMN_FAULT_FAIL, (act)which);
}

static void each_operation_may_be_done_and_not_answered(void **state)
{
    (void)state;
    for (int which = APPEND; which <= CHECKED; which++) sweep(PMN_FAULT_FAIL_AFTER, (act)which);
}

static void the_process_may_die_anywhere(void **state)
{
    (void)state;
    for (int which = APPEND; which <= CHECKED; which++) {
        sweep(PMN_FAULT_KILL, (act)which);
        sweep(PMN_FAULT_KILL_AFTER, (act)which);
    }
}

/* --- a publish without an answer --- */

typedef struct mute {
    paimon_fs *inner;
    bool does;   /* publishes, and does not say so */
    int silences; /* left */
    bool late;   /* publishes only at the next operation on snapshots: an answer that was under way */
    char path[300];
    char *held;
    size_t n_held;
} mute;

#define INNER(name) ((mute *)ctx)->inner->vtable.name
#define INNER_CTX ((mute *)ctx)->inner->ctx

#include "io/fs_impl.h"

static void deliver(mute *m)
{
    paimon_publish_result ignored;
    if (!m->held) return;
    char *bytes = m->held;
    m->held = NULL;
    assert_int_equal(m->inner->vtable.publish_if_absent(m->inner->ctx, m->path, bytes, m->n_held, &ignored, NULL), PAIMON_OK);
    free(bytes);
}

static paimon_status mute_publish(void *ctx, const char *path, const void *bytes, size_t n, paimon_publish_result *result, paimon_error *err)
{
    mute *m = ctx;
    deliver(m);
    if (m->silences == 0) return INNER(publish_if_absent)(INNER_CTX, path, bytes, n, result, err);
    m->silences--;
    if (m->late) {
        snprintf(m->path, sizeof m->path, "%s", path);
        m->held = malloc(n);
        memcpy(m->held, bytes, n);
        m->n_held = n;
    } else if (m->does) {
        PMN_TRY(INNER(publish_if_absent)(INNER_CTX, path, bytes, n, result, err));
    }
    *result = PAIMON_PUBLISH_UNKNOWN;
    return PAIMON_OK;
}

static paimon_status mute_open_read(void *ctx, const char *path, int64_t known_size, void **file, int64_t *size, paimon_error *err)
{
    return INNER(open_read)(INNER_CTX, path, known_size, file, size, err);
}
static paimon_status mute_read(void *ctx, void *file, const paimon_read_range *ranges, size_t n, paimon_error *err)
{
    return INNER(read_ranges)(INNER_CTX, file, ranges, n, err);
}
static void mute_close(void *ctx, void *file) { INNER(close_read)(INNER_CTX, file); }
static paimon_status mute_stat(void *ctx, const char *path, paimon_file_info *info, paimon_error *err) { return INNER(stat)(INNER_CTX, path, info, err); }
static paimon_status mute_list(void *ctx, const char *path, paimon_list_fn fn, void *arg, paimon_error *err)
{
    return INNER(list)(INNER_CTX, path, fn, arg, err);
}
static paimon_status mute_open_write(void *ctx, const char *path, void **file, paimon_error *err) { return INNER(open_write)(INNER_CTX, path, file, err); }
static paimon_status mute_write(void *ctx, void *file, const void *bytes, size_t n, paimon_error *err) { return INNER(write)(INNER_CTX, file, bytes, n, err); }
static paimon_status mute_finish(void *ctx, void *file, paimon_error *err) { return INNER(finish_write)(INNER_CTX, file, err); }
static void mute_abort(void *ctx, void *file) { INNER(abort_write)(INNER_CTX, file); }
static paimon_status mute_remove(void *ctx, const char *const *paths, size_t n, paimon_error *err) { return INNER(remove)(INNER_CTX, paths, n, err); }
static paimon_status mute_rmdir(void *ctx, const char *path, paimon_error *err) { return INNER(remove_directory)(INNER_CTX, path, err); }
static paimon_status mute_mkdir(void *ctx, const char *path, paimon_error *err) { return INNER(make_directories)(INNER_CTX, path, err); }
static paimon_status mute_replace(void *ctx, const char *path, const void *bytes, size_t n, paimon_error *err)
{
    return INNER(replace)(INNER_CTX, path, bytes, n, err);
}

static const paimon_fs_vtable mute_table = { sizeof(paimon_fs_vtable), mute_open_read, mute_read,  mute_close, mute_stat,    mute_list,
                                             mute_open_write,          mute_write,     mute_finish, mute_abort, mute_remove, mute_rmdir,
                                             mute_mkdir,               mute_publish,   mute_replace, NULL,        NULL };

static void lost_answer(mute *m, paimon_status expected, int64_t latest)
{
    paimon_fs *fs = NULL;
    paimon_env *env = NULL;
    paimon_commit *commit = NULL;
    m->inner = memory_files();
    OK(paimon_fs_new(&mute_table, m, &fs, err));
    OK(paimon_env_new(NULL, &env, err));
    OK(paimon_env_register_fs(env, "mem", fs, err));
    make_table(fs, ROOT, "[]", "\"bucket\":\"-1\",\"commit.max-retries\":\"3\",\"commit.min-retry-wait\":\"1 ms\",\"commit.max-retry-wait\":\"1 ms\"");
    paimon_table *table = open_table(env, ROOT);
    OK(paimon_commit_new(table, "u", &commit, err));
    paimon_message_list *list = one_file(table, "a", 1);
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    paimon_status status = paimon_commit_append(commit, list, 1, NULL, &result, &err);
    if (status != expected) fail_msg("%d: %s", (int)status, paimon_error_message(&err));
    if (status != PAIMON_OK) assert_non_null(strstr(paimon_error_message(&err), "unknown"));
    paimon_error_clear(&err);
    int64_t id;
    OK(paimon_table_latest_snapshot_id(table, &id, err));
    assert_int_equal(id, latest);
    deliver(m);
    if (id || m->does || m->late) has_files(env, ROOT, 0, "a ");
    m->silences = 0;
    write_fake_files(table, list);
    OK(paimon_commit_filter_and_append(commit, list, 1, NULL, &result, err));
    has_files(env, ROOT, 0, "a ");
    OK(paimon_table_latest_snapshot_id(table, &id, err));
    assert_int_equal(id, 1);
    paimon_message_list_free(list);
    paimon_commit_free(commit);
    paimon_table_free(table);
    paimon_env_free(env);
    paimon_fs_free(fs);
    paimon_fs_free(m->inner);
}

static void a_lost_answer_counts_once(void **state)
{
    (void)state;
    lost_answer(&(mute){ .silences = 1, .does = true }, PAIMON_OK, 1);  /* read back */
    lost_answer(&(mute){ .silences = 1 }, PAIMON_OK, 1);                /* tried again */
    lost_answer(&(mute){ .silences = 1, .late = true }, PAIMON_OK, 1);  /* comes while it is tried again */
    lost_answer(&(mute){ .silences = 99 }, PAIMON_IO, 0);               /* never told, never done */
}

/* --- memory --- */

static void each_allocation_may_fail(void **state)
{
    (void)state;
    for (int64_t once = 0; once < 2; once++) {
        for (int64_t at = 0;; at += 1 + at / 200) {
            failing_env f;
            paimon_fs *fs = memory_files();
            failing_env_begin(&f, fs);
            make_table(fs, ROOT, "[\"p\",\"q\"]", "\"bucket\":\"-1\",\"manifest.merge-min-count\":\"2\"");
            place p = { .sound = f.env, .table = open_table(f.env, ROOT) };
            commit_plainly(&p, "a", 1);
            commit_plainly(&p, "b", 2);
            commit_plainly(&p, "n", 1);
            paimon_error err = PAIMON_ERROR_INIT;
            paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
            failing_env_refuse(&f, at, once);
            paimon_status status = run_act(&p, at % 2 ? OVERWRITE : CHECKED, &result, &err);
            bool reached = failing_env_relent(&f), done;
            check_table(&p, &done, at % 2 ? OVERWRITE : CHECKED);
            if (status == PAIMON_OK) assert_true(done);
            else if (done) assert_non_null(strstr(paimon_error_message(&err), "unknown"));
            paimon_error_clear(&err);
            paimon_table_free(p.table);
            failing_env_end(&f);
            paimon_fs_free(fs);
            if (!reached) break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_may_fail),
        cmocka_unit_test(each_operation_may_be_done_and_not_answered),
        cmocka_unit_test(the_process_may_die_anywhere),
        cmocka_unit_test(a_lost_answer_counts_once),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
