/* What a write and its commit leave behind when memory, disk or the process fails anywhere. */
#include "support/write_table.h"

#include "support/failing_env.h"

#define FIELDS "{\"id\":0,\"name\":\"p\",\"type\":\"INT\"},{\"id\":1,\"name\":\"v\",\"type\":\"STRING\"},{\"id\":2,\"name\":\"l\",\"type\":{\"type\":\"ARRAY\",\"element\":\"INT\"}}"
#define OPTIONS "\"bucket\":\"2\",\"bucket-key\":\"v\",\"target-file-row-num\":\"2\""
#define BEFORE "[[1,\"old\",[1]]]"
#define ROWS "[[1,\"a\",[1,2]],[2,\"b\",null],[1,\"c\",[]],[1,\"a\",[3]],[1,\"a\",[4]]]"
#define N_ROWS 5

/* The whole life of a batch of rows. What it may leave is told by `result`. */
static paimon_status life(paimon_env *env, struct ArrowArray *batch, bool abort_after, paimon_commit_result *result, paimon_error *err)
{
    paimon_table *table = NULL;
    paimon_write *write = NULL;
    paimon_commit *commit = NULL;
    paimon_message_list *list = NULL;
    struct ArrowSchema schema;
    paimon_status s = paimon_table_open(env, WRITE_ROOT, NULL, 0, &table, err);
    if (s == PAIMON_OK) s = paimon_table_arrow_schema(table, &schema, err);
    if (s == PAIMON_OK) s = paimon_write_new(table, &schema, NULL, &write, err);
    if (s == PAIMON_OK) {
        s = paimon_write_batch(write, batch, err);
        assert_null(batch->release);
    }
    if (s == PAIMON_OK) s = paimon_write_prepare_commit(write, 7, &list, err);
    paimon_write_free(write);
    if (s == PAIMON_OK) s = paimon_commit_new(table, "me", &commit, err);
    if (s == PAIMON_OK) s = abort_after ? paimon_commit_abort(commit, list, err) : paimon_commit_append(commit, list, 7, NULL, result, err);
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    paimon_table_free(table);
    if (batch->release) batch->release(batch);
    return s;
}

static size_t rows_in(paimon_env *env)
{
    char *rows = read_rows_env(env, WRITE_ROOT, NULL);
    if (strstr(rows, "error")) fail_msg("the table cannot be read any more: %s", rows);
    size_t n = count_lines(rows);
    free(rows);
    return n;
}

/* --- memory --- */

static bool refuse(int64_t n, bool once)
{
    write_place p = write_place_new(NULL, FIELDS, "[\"p\"]", OPTIONS);
    committed(&p, written(&p, BEFORE));
    struct ArrowArray batch;
    batch_of(&p.t, p.table->source->schema->row, ROWS, &batch);
    failing_env f;
    failing_env_begin(&f, p.fs);
    failing_env_refuse(&f, n, once);
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_status s = life(f.env, &batch, false, &result, &err);
    bool reached = failing_env_relent(&f);
    if (s != PAIMON_OK && s != PAIMON_NOMEM) fail_msg("%s: %s '%s'", f.what, paimon_status_name(s), paimon_error_message(&err));
    paimon_error_clear(&err);
    failing_env_end(&f);
    size_t rows = rows_in(p.env);
    bool there = rows == 1 + N_ROWS;
    if (!there && rows != 1) fail_msg("%s: %zu rows", f.what, rows);
    if (s == PAIMON_OK && !there) fail_msg("%s: the commit went well and its rows are not there", f.what);
    if (!reached) assert_int_equal(s, PAIMON_OK);
    write_place_leave(&p);
    return reached;
}

static void every_refused_allocation_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    int64_t n = 0;
    for (int once = 0; once < 2; once++)
        for (n = 0; refuse(n, once);) n += n < 200 ? 1 : 1 + n / 60;
    assert_true(n > 100);
}

/* --- disk --- */

/* Files of the list `before` that `after` does not have: none may go while a snapshot uses them. */
static void nothing_is_lost(const char *before, const char *after, int64_t at)
{
    char *copy = strdup(before);
    for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n"))
        if (!strstr(after, line)) fail_msg("failure at %d: %s is gone", (int)at, line);
    free(copy);
}

/* Does operation `at` fail as `kind`? Everything about the table holds, whether it did or not. */
static bool fail_at(int64_t at, pmn_fault_kind kind)
{
    write_place p = write_place_new(NULL, FIELDS, "[\"p\"]", OPTIONS);
    committed(&p, written(&p, BEFORE));
    struct ArrowArray batch;
    batch_of(&p.t, p.table->source->schema->row, ROWS, &batch);
    char *before = all_files(p.fs, WRITE_ROOT);
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_fault_plan(p.fault, at, kind);
    paimon_status s = life(p.env, &batch, false, &result, &err);
    int64_t n = pmn_fault_count(p.fault);
    const char *path = "";
    bool removing = at < n && pmn_fault_op_at(p.fault, at, &path) == PMN_FAULT_OP_REMOVE;
    pmn_fault_plan(p.fault, -1, PMN_FAULT_NONE);
    char *after = all_files(p.fs, WRITE_ROOT);
    nothing_is_lost(before, after, at);
    size_t rows = rows_in(p.env);
    int64_t latest;
    OK(paimon_table_latest_snapshot_id(p.table, &latest, err));
    assert_int_equal(rows, latest == 2 ? 1 + N_ROWS : 1);
    assert_true(latest == 1 || latest == 2);
    if (s == PAIMON_OK && latest != 2) fail_msg("failure at %d: told OK, and no snapshot", (int)at);
    bool killed = kind == PMN_FAULT_KILL || kind == PMN_FAULT_KILL_AFTER;
    /* Before the publishing, a failure that the process survives leaves nothing of the attempt; unless its cleaning failed, too. */
    if (latest == 1 && s != PAIMON_OK && !killed && !removing) {
        size_t data = count_text(after, "/bucket-");
        /* Messages were handed over or not: their files are the committer's to abort. */
        if (data != 1 && data != 4) fail_msg("failure at %d (%s): %zu data files\n%s", (int)at, paimon_error_message(&err), data, after);
        if (count_text(after, "/manifest/") != count_text(before, "/manifest/") && strstr(paimon_error_message(&err), "unknown") == NULL)
            fail_msg("failure at %d (%s): manifests are left\n%s", (int)at, paimon_error_message(&err), after);
    }
    free(after);
    free(before);
    paimon_error_clear(&err);
    /* The way back: the same rows under the same identifier are there once in the end. */
    batch_of(&p.t, p.table->source->schema->row, ROWS, &batch);
    paimon_write *write = writer_for(&p);
    OK(paimon_write_batch(write, &batch, err));
    paimon_message_list *again = prepared(write);
    paimon_write_free(write);
    paimon_commit *commit = NULL;
    OK(paimon_commit_new(p.table, "me", &commit, err));
    OK(paimon_commit_filter_and_append(commit, again, 7, NULL, &result, err));
    assert_int_equal(result.already_committed, latest == 2);
    assert_int_equal(rows_in(p.env), 1 + N_ROWS);
    paimon_commit_free(commit);
    paimon_message_list_free(again);
    write_place_leave(&p);
    return at < n;
}

static void a_disk_that_fails_once_anywhere_harms_nothing(void **state)
{
    (void)state;
    int64_t at;
    for (at = 0; fail_at(at, PMN_FAULT_FAIL);) at++;
    assert_true(at > 20);
    for (at = 0; fail_at(at, PMN_FAULT_FAIL_AFTER);) at++;
}

static void a_process_killed_anywhere_leaves_the_table_as_it_was_or_committed_once(void **state)
{
    (void)state;
    int64_t at;
    for (at = 0; fail_at(at, PMN_FAULT_KILL);) at++;
    for (at = 0; fail_at(at, PMN_FAULT_KILL_AFTER);) at++;
}

static void a_writer_that_failed_only_answers_so_and_leaves_no_files(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, FIELDS, "[\"p\"]", OPTIONS);
    paimon_write *write = writer_for(&p);
    OK(write_json(&p, write, ROWS, err));
    int64_t at = 0;
    pmn_fault_plan(p.fault, at, PMN_FAULT_FAIL);
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_message_list *list = NULL;
    assert_int_equal(paimon_write_prepare_commit(write, 1, &list, &err), PAIMON_IO);
    assert_null(list);
    paimon_error_clear(&err);
    pmn_fault_plan(p.fault, -1, PMN_FAULT_NONE);
    REFUSED(PAIMON_STATE, "failed", write_json(&p, write, ROWS, err));
    REFUSED(PAIMON_STATE, "failed", paimon_write_prepare_commit(write, 1, &list, err));
    paimon_write_free(write);
    assert_int_equal(data_files(&p), 0);
    write_place_leave(&p);
}

static void a_freed_writer_leaves_no_files_but_those_handed_over(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, FIELDS, "[\"p\"]", OPTIONS);
    paimon_write *write = writer_for(&p);
    OK(write_json(&p, write, ROWS, err));
    paimon_message_list *list = prepared(write);
    size_t handed_over = data_files(&p);
    assert_int_equal(handed_over, paimon_message_list_files(list));
    OK(write_json(&p, write, ROWS, err));
    paimon_write_free(write);
    assert_int_equal(data_files(&p), handed_over);
    committed(&p, list);
    assert_int_equal(rows_in(p.env), N_ROWS);
    write_place_leave(&p);
}

static void an_abort_removes_exactly_the_files_of_its_messages(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, FIELDS, "[\"p\"]", OPTIONS);
    committed(&p, written(&p, BEFORE));
    paimon_message_list *other = written(&p, BEFORE);
    char *before = all_files(p.fs, WRITE_ROOT);
    struct ArrowArray batch;
    batch_of(&p.t, p.table->source->schema->row, ROWS, &batch);
    OK(life(p.env, &batch, true, NULL, err));
    char *after = all_files(p.fs, WRITE_ROOT);
    assert_string_equal(after, before);
    free(after);
    free(before);
    committed(&p, other);
    assert_int_equal(rows_in(p.env), 2);
    /* What a snapshot holds is not aborted. */
    paimon_message_list *list = written(&p, ROWS);
    paimon_commit *commit = NULL;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    OK(paimon_commit_new(p.table, "me", &commit, err));
    OK(paimon_commit_append(commit, list, 9, NULL, &result, err));
    REFUSED(PAIMON_STATE, "", paimon_commit_abort(commit, list, err));
    assert_int_equal(rows_in(p.env), 2 + N_ROWS);
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    write_place_leave(&p);
}

/* After a lost answer its files may be those of a snapshot, even if none is to be seen. */
static void an_abort_after_a_lost_answer_removes_nothing(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, FIELDS, "[\"p\"]", OPTIONS ",\"commit.max-retries\":\"0\"");
    paimon_message_list *list = written(&p, ROWS);
    int64_t at = 0;
    bool seen = false;
    for (bool reached = true; reached; at++) {
        paimon_commit *commit = NULL;
        paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
        paimon_error err = PAIMON_ERROR_INIT;
        const char *path = "";
        OK(paimon_commit_new(p.table, "me", &commit, err));
        pmn_fault_plan(p.fault, at, PMN_FAULT_KILL_AFTER);
        paimon_status s = paimon_commit_filter_and_append(commit, list, 5, NULL, &result, &err);
        reached = pmn_fault_count(p.fault) > at;
        pmn_fault_op op = pmn_fault_op_at(p.fault, at, &path);
        bool unknown = strstr(paimon_error_message(&err), "unknown") != NULL;
        pmn_fault_plan(p.fault, -1, PMN_FAULT_NONE);
        if (unknown) {
            assert_true(op == PMN_FAULT_OP_PUBLISH);
            char *before = all_files(p.fs, WRITE_ROOT);
            REFUSED(PAIMON_STATE, "unknown", paimon_commit_abort(commit, list, err));
            /* The way back clears the doubt; what another list brought can be aborted then. */
            OK(paimon_commit_filter_and_append(commit, list, 5, NULL, &result, err));
            assert_true(result.already_committed);
            char *after = all_files(p.fs, WRITE_ROOT);
            assert_string_equal(after, before);
            paimon_message_list *other = written(&p, ROWS);
            OK(paimon_commit_abort(commit, other, err));
            paimon_message_list_free(other);
            free(after);
            free(before);
            seen = true;
            reached = false;
        }
        (void)s;
        paimon_error_clear(&err);
        paimon_commit_free(commit);
    }
    assert_true(seen);
    assert_int_equal(rows_in(p.env), N_ROWS);
    paimon_message_list_free(list);
    write_place_leave(&p);
}

/* Files that are gone from the table, but not from its history, whoever committed them. */
static void an_abort_never_takes_files_out_of_older_snapshots(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, FIELDS, "[\"p\"]", OPTIONS);
    paimon_message_list *list = written(&p, ROWS);
    paimon_commit *commit = NULL;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    const paimon_option first = { "scan.snapshot-id", "1" };
    OK(paimon_commit_new(p.table, "one", &commit, err));
    OK(paimon_commit_append(commit, list, 5, NULL, &result, err));
    OK(paimon_commit_truncate(commit, 6, &result, err));
    paimon_commit_free(commit);
    OK(paimon_commit_new(p.table, "two", &commit, err));
    REFUSED(PAIMON_STATE, "has been committed", paimon_commit_abort(commit, list, err));
    char *rows = read_rows_env(p.env, WRITE_ROOT, &(read_request){ .options = &first, .n_options = 1 });
    assert_int_equal(count_lines(rows), N_ROWS);
    free(rows);
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    write_place_leave(&p);
}

/* Hint files are only hints. */
static void hints_that_are_missing_or_wrong_change_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = { "junk", "99", "1", "", "-3", "2\n" };
    write_place p = write_place_new(NULL, FIELDS, "[\"p\"]", OPTIONS);
    size_t rows = 0;
    for (int i = 0; i < 3; i++) committed(&p, written(&p, BEFORE)), rows++;
    for (size_t i = 0; i < 2 * (sizeof texts / sizeof texts[0]); i++) {
        put_text_file(p.fs, i % 2 ? WRITE_ROOT "/snapshot/LATEST" : WRITE_ROOT "/snapshot/EARLIEST", texts[i / 2]);
        assert_int_equal(rows_in(p.env), rows);
        committed(&p, written(&p, BEFORE));
        assert_int_equal(rows_in(p.env), ++rows);
    }
    OK(pmn_fs_remove(p.fs, WRITE_ROOT "/snapshot/LATEST", err));
    OK(pmn_fs_remove(p.fs, WRITE_ROOT "/snapshot/EARLIEST", err));
    committed(&p, written(&p, BEFORE));
    assert_int_equal(rows_in(p.env), ++rows);
    write_place_leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refused_allocation_is_told_and_leaks_nothing),
        cmocka_unit_test(a_disk_that_fails_once_anywhere_harms_nothing),
        cmocka_unit_test(a_process_killed_anywhere_leaves_the_table_as_it_was_or_committed_once),
        cmocka_unit_test(a_writer_that_failed_only_answers_so_and_leaves_no_files),
        cmocka_unit_test(a_freed_writer_leaves_no_files_but_those_handed_over),
        cmocka_unit_test(an_abort_removes_exactly_the_files_of_its_messages),
        cmocka_unit_test(an_abort_after_a_lost_answer_removes_nothing),
        cmocka_unit_test(an_abort_never_takes_files_out_of_older_snapshots),
        cmocka_unit_test(hints_that_are_missing_or_wrong_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
