/* A catalog that owns a table's versions: commits through it, races, lost answers, and requests that the caller sends. */
#include "support/commit_table.h"

#include <time.h>

#include "support/failing_env.h"
#include "support/memory_catalog.h"
#include "support/memory_files.h"

#define ROOT "mem:/wh/db.db/t"

typedef struct place {
    paimon_env *env;
    paimon_fs *fs;
    memory_catalog catalog;
    paimon_versions_vtable functions;
    paimon_table *table;
} place;

static place *new_place(const char *keys, const char *options)
{
    place *p = calloc(1, sizeof *p);
    char all[300];
    snprintf(all, sizeof all, "\"bucket\":\"-1\",\"commit.min-retry-wait\":\"1 ms\",\"commit.max-retry-wait\":\"2 ms\"%s", options);
    p->fs = memory_files();
    OK(paimon_env_new(NULL, &p->env, err));
    OK(paimon_env_register_fs(p->env, "mem", p->fs, err));
    make_table(p->fs, ROOT, keys, all);
    catalog_begin(&p->catalog);
    p->functions = catalog_functions();
    paimon_error why = PAIMON_ERROR_INIT;
    p->table = catalog_table(&p->catalog, &p->functions, p->env, ROOT, NULL, 0, &why);
    if (!p->table) fail_msg("%s", paimon_error_message(&why));
    return p;
}

static void leave(place *p)
{
    int released = p->catalog.n_released;
    paimon_table_free(p->table);
    assert_int_equal(p->catalog.n_released, released + 1);
    paimon_env_free(p->env);
    paimon_fs_free(p->fs);
    catalog_end(&p->catalog);
    free(p);
}

static paimon_status try_append(place *p, const char *name, int64_t rows, paimon_commit_result *result, paimon_error *err)
{
    paimon_commit *commit = NULL;
    paimon_message_list *list = one_file(p->table, name, rows);
    OK(paimon_commit_new(p->table, "alice", &commit, err));
    paimon_status status = paimon_commit_append(commit, list, 7, NULL, result, err);
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    return status;
}

static paimon_commit_result append(place *p, const char *name, int64_t rows)
{
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    OK(try_append(p, name, rows, &result, err));
    return result;
}

/* Names of the files of the latest snapshot, in the plan's order. */
static void has(place *p, const char *expected)
{
    paimon_scan *scan = NULL;
    paimon_plan *plan = NULL;
    char names[500] = "";
    OK(paimon_scan_new(p->table, &scan, err));
    OK(paimon_scan_plan(scan, &plan, err));
    for (size_t i = 0; i < paimon_plan_n_splits(plan); i++)
        for (size_t f = 0; f < paimon_split_n_files(paimon_plan_split(plan, i)); f++)
            strcat(strcat(names, paimon_split_file_name(paimon_plan_split(plan, i), f)), " ");
    assert_string_equal(names, expected);
    paimon_plan_free(plan);
    paimon_scan_free(scan);
}

static bool has_folder(place *p, const char *folder)
{
    char path[300];
    bool exists = false;
    snprintf(path, sizeof path, "%s/%s", ROOT, folder);
    OK(pmn_fs_exists(p->fs, path, &exists, NULL, err));
    return exists;
}

static void a_commit_goes_to_the_catalog_and_leaves_no_snapshot_file(void **state)
{
    (void)state;
    place *p = new_place("[]", "");
    has(p, "");
    paimon_commit_result result = append(p, "a", 3);
    assert_int_equal(result.snapshot_id, 1);
    assert_int_equal(append(p, "b", 4).snapshot_id, 2);
    has(p, "a b ");
    assert_false(has_folder(p, "snapshot/snapshot-1"));
    assert_false(has_folder(p, "snapshot/LATEST"));
    assert_string_equal(p->catalog.statistics[2],
                        "[{\"spec\":{},\"recordCount\":4,\"fileSizeInBytes\":4,\"fileCount\":1,\"lastFileCreationTime\":1700000000000,\"totalBuckets\":-1}]");
    assert_non_null(strstr(p->catalog.last_request, "{\"tableId\":\"id-of-t\",\"baseSnapshotUuid\":\""));
    assert_non_null(strstr(p->catalog.last_request, ",\"snapshot\":{\"version\":3,\"uuid\":\""));
    assert_string_equal(p->catalog.branch, "main");
    leave(p);
}

static void a_table_answers_from_its_catalog(void **state)
{
    (void)state;
    place *p = new_place("[]", "");
    int64_t id = -1, *ids;
    size_t n;
    char *json;
    OK(paimon_table_latest_snapshot_id(p->table, &id, err));
    assert_int_equal(id, 0);
    OK(paimon_table_snapshot_ids(p->table, &ids, &n, err));
    assert_int_equal(n, 0);
    paimon_int64_free(ids, n);
    for (int i = 0; i < 4; i++) append(p, (const char *[]){ "a", "b", "c", "d" }[i], 1);
    p->catalog.earliest = 2;
    OK(paimon_table_latest_snapshot_id(p->table, &id, err));
    assert_int_equal(id, 4);
    OK(paimon_table_earliest_snapshot_id(p->table, &id, err));
    assert_int_equal(id, 2);
    OK(paimon_table_snapshot_ids(p->table, &ids, &n, err));
    assert_int_equal(n, 3);
    assert_int_equal(ids[0], 2);
    paimon_int64_free(ids, n);
    OK(paimon_table_snapshot_json(p->table, 3, &json, err));
    assert_string_equal(json, p->catalog.snapshots[3]);
    paimon_string_free(json);
    assert_int_equal(paimon_table_snapshot_json(p->table, 1, &json, NULL), PAIMON_NOT_FOUND);
    leave(p);
}

static void time_travel_goes_through_the_catalog(void **state)
{
    (void)state;
    place *p = new_place("[]", "");
    for (int i = 0; i < 3; i++) append(p, (const char *[]){ "a", "b", "c" }[i], 1);
    paimon_option at = { "scan.snapshot-id", "2" };
    paimon_table *now = p->table;
    p->table = catalog_table(&p->catalog, &p->functions, p->env, ROOT, &at, 1, NULL);
    assert_non_null(p->table);
    has(p, "a b ");
    paimon_table_free(p->table);
    at = (paimon_option){ "scan.timestamp-millis", "9000000000000000" };
    p->table = catalog_table(&p->catalog, &p->functions, p->env, ROOT, &at, 1, NULL);
    assert_non_null(p->table);
    has(p, "a b c ");
    paimon_table_free(p->table);
    at = (paimon_option){ "scan.timestamp-millis", "5" };
    assert_null(catalog_table(&p->catalog, &p->functions, p->env, ROOT, &at, 1, NULL));
    p->table = now;
    leave(p);
}

static place *faster_place;
static void somebody_else(memory_catalog *c)
{
    (void)c;
    append(faster_place, "other", 1);
}

static void a_commit_that_lost_is_rebased_and_tried_again(void **state)
{
    (void)state;
    place *p = faster_place = new_place("[]", "");
    append(p, "a", 1);
    p->catalog.before_publish = somebody_else;
    paimon_commit_result result = append(p, "b", 1);
    assert_int_equal(result.n_attempts, 2);
    assert_int_equal(result.snapshot_id, 3);
    has(p, "a other b ");
    assert_int_equal(p->catalog.n, 3);
    leave(p);
}

/* One file, "a" or "b", and the index of hashes that comes with it. */
static paimon_status try_hashed(place *p, const char *name, const char *user, paimon_commit_result *result, paimon_error *err)
{
    static const uint8_t key[] = { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0 };
    const pmn_index_entry index = { .index_type = "HASH", .file_name = *name == 'a' ? "of-a" : "of-b", .file_size = 4, .row_count = 1, .n_ranges = -1, .n_extra_field_ids = -1 };
    paimon_commit *commit = NULL;
    paimon_message_list *list = one_file(p->table, name, 1);
    pmn_data_file *file = (pmn_data_file *)(uintptr_t)list->items[0].new_files.items;
    file->min_key = file->max_key = pmn_slice_of(key, sizeof key);
    list->items[0].new_index_files = (pmn_index_files){ &index, 1 };
    OK(paimon_commit_new(p->table, user, &commit, err));
    paimon_status status = paimon_commit_filter_and_append(commit, list, 7, NULL, result, err);
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    return status;
}

static void somebody_else_with_the_same_files(memory_catalog *c)
{
    (void)c;
    OK(try_hashed(faster_place, "b", "bob", NULL, err));
}

static void a_commit_sees_that_somebody_else_brought_its_files_and_their_index(void **state)
{
    (void)state;
    static const char *const files[] = { ROOT "/bucket-0/a", ROOT "/bucket-0/b", ROOT "/index/of-a", ROOT "/index/of-b" };
    for (int before = 0; before < 2; before++) {
        place *p = faster_place = new_place("[],\"primaryKeys\":[\"v\"]", "");
        paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
        for (int i = 0; i < 4; i++) OK(pmn_fs_write_new(p->fs, files[i], "data", 4, err));
        OK(try_hashed(p, "a", "carol", NULL, err));
        if (before) OK(try_hashed(p, "b", "bob", NULL, err));
        else p->catalog.before_publish = somebody_else_with_the_same_files;
        OK(try_hashed(p, "b", "alice", &result, err));
        assert_true(result.already_committed);
        assert_int_equal(result.n_attempts, before ? 1 : 2);
        assert_int_equal(p->catalog.n, 2);
        leave(p);
    }
}

static void whatever_happens_to_an_answer_a_commit_counts_once(void **state)
{
    (void)state;
    static const struct {
        catalog_fault fault;
        int attempts;
    } cases[] = { { CATALOG_ANSWER_LOST, 1 }, { CATALOG_REQUEST_LOST, 2 }, { CATALOG_BROKEN_PIPE, 1 }, { CATALOG_SENT_TWICE, 1 }, { CATALOG_LATE, 2 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int first = 0; first < 2; first++) {
            if (cases[i].fault == CATALOG_LATE && !first) continue; /* its base is not known there */
            place *p = new_place("[]", "");
            if (!first) append(p, "a", 1);
            p->catalog.fault = cases[i].fault;
            paimon_commit_result result = append(p, "b", 1);
            assert_int_equal(result.n_attempts, cases[i].attempts);
            assert_int_equal(result.snapshot_id, first ? 1 : 2);
            assert_int_equal(p->catalog.n_published, first ? 1 : 2);
            has(p, first ? "b " : "a b ");
            append(p, "c", 1);
            has(p, first ? "b c " : "a b c ");
            leave(p);
        }
}

static void a_latest_snapshot_from_a_cache_costs_a_retry(void **state)
{
    (void)state;
    place *p = new_place("[]", "");
    append(p, "a", 1);
    append(p, "b", 1);
    p->catalog.stale = 3; /* asked by the round, and when reading back */
    paimon_commit_result result = append(p, "c", 1);
    assert_int_equal(result.snapshot_id, 3);
    assert_true(result.n_attempts > 1);
    has(p, "a b c ");
    p->catalog.stale = 1000;
    paimon_error err = PAIMON_ERROR_INIT;
    int before = count_in(p->fs, ROOT, "manifest");
    assert_int_equal(try_append(p, "d", 1, NULL, &err), PAIMON_CONFLICT);
    paimon_error_clear(&err);
    assert_int_equal(count_in(p->fs, ROOT, "manifest"), before); /* nothing of it is left */
    leave(p);
}

static void a_refusal_fails_the_commit_and_leaves_nothing(void **state)
{
    (void)state;
    place *p = new_place("[]", "");
    append(p, "a", 1);
    int before = count_in(p->fs, ROOT, "manifest");
    p->catalog.fault = CATALOG_FORBIDDEN;
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(try_append(p, "b", 1, NULL, &err), PAIMON_INVALID);
    assert_non_null(strstr(paimon_error_message(&err), "snapshot 2"));
    paimon_error_clear(&err);
    assert_int_equal(count_in(p->fs, ROOT, "manifest"), before);
    has(p, "a ");
    leave(p);
}

static void nonsense_from_a_catalog_is_refused(void **state)
{
    (void)state;
    place *p = new_place("[]", "");
    append(p, "a", 1);
    static const char *const texts[] = { "", "{", "[]", "null", "{\"id\":1}", "{\"version\":9,\"id\":1,\"schemaId\":0,\"commitKind\":\"APPEND\"}",
                                         "{\"version\":3,\"id\":-5,\"schemaId\":0,\"commitKind\":\"APPEND\"}",
                                         "{\"version\":3,\"id\":4,\"schemaId\":0,\"commitKind\":\"APPEND\"}" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        paimon_scan *scan = NULL;
        paimon_plan *plan = NULL;
        paimon_error why = PAIMON_ERROR_INIT;
        p->catalog.instead = texts[i];
        OK(paimon_scan_new(p->table, &scan, err));
        assert_int_not_equal(paimon_scan_plan(scan, &plan, &why), PAIMON_OK);
        assert_non_null(strstr(paimon_error_message(&why), "catalog") ? "" : strstr(paimon_error_message(&why), "snapshot"));
        assert_null(plan);
        paimon_scan_free(scan);
        paimon_error_clear(&why);
        assert_int_not_equal(try_append(p, "b", 1, NULL, NULL), PAIMON_OK);
    }
    p->catalog.instead = NULL;
    has(p, "a ");
    leave(p);
}

static void a_snapshot_without_its_lists_is_not_built_on(void **state)
{
    (void)state;
    static const char *const lists[] = { "baseManifestList\"", "deltaManifestList\"" };
    place *p = new_place("[]", "");
    append(p, "a", 1);
    append(p, "b", 1);
    for (int i = 0; i < 2; i++) {
        char text[4000];
        paimon_error err = PAIMON_ERROR_INIT;
        snprintf(text, sizeof text, "%s", p->catalog.snapshots[2]);
        memcpy(strstr(text, lists[i]), "unknown", 7);
        p->catalog.instead = text;
        assert_int_equal(try_append(p, "c", 1, NULL, &err), PAIMON_CORRUPT);
        assert_non_null(strstr(paimon_error_message(&err), "is missing"));
        paimon_error_clear(&err);
        p->catalog.instead = NULL;
        has(p, "a b ");
    }
    leave(p);
}

/* Its own snapshot, with one of the names garbled; once. */
static char garbled[4000];
static void garble(memory_catalog *c)
{
    snprintf(garbled, sizeof garbled, "%s", c->snapshots[c->n]);
    char *at = strstr(garbled, "\"baseManifestList\"");
    memcpy(strstr(at, "manifest-list-"), "manifest-lust-", 14);
    c->instead = garbled;
}

static void files_stay_where_the_snapshot_there_is_its_own_in_part(void **state)
{
    (void)state;
    static const catalog_fault faults[] = { CATALOG_ANSWER_LOST, CATALOG_SENT_TWICE };
    for (int i = 0; i < 2; i++) {
        place *p = new_place("[]", "");
        append(p, "a", 1);
        p->catalog.fault = faults[i];
        p->catalog.after_publish = garble;
        OK(try_append(p, "b", 1, NULL, err)); /* user and identifier tell that it is there */
        p->catalog.instead = NULL;
        has(p, "a b ");
        leave(p);
    }
}

static void what_a_catalog_leaves_out_the_files_tell(void **state)
{
    (void)state;
    place *p = new_place("[]", "");
    append(p, "a", 1);
    append(p, "b", 1);
    paimon_table_free(p->table);
    p->functions.snapshot = NULL;
    p->functions.earliest_snapshot_id = NULL;
    p->table = catalog_table(&p->catalog, &p->functions, p->env, ROOT, NULL, 0, NULL);
    int64_t id = 0;
    char *json = NULL;
    OK(paimon_table_earliest_snapshot_id(p->table, &id, err));
    assert_int_equal(id, 2);
    OK(paimon_table_snapshot_json(p->table, 2, &json, err));
    paimon_string_free(json);
    assert_int_equal(paimon_table_snapshot_json(p->table, 1, &json, NULL), PAIMON_NOT_FOUND);
    OK(pmn_fs_write_new(p->fs, ROOT "/snapshot/snapshot-1", p->catalog.snapshots[1], strlen(p->catalog.snapshots[1]), err));
    OK(paimon_table_snapshot_json(p->table, 1, &json, err));
    paimon_string_free(json);
    OK(paimon_table_earliest_snapshot_id(p->table, &id, err));
    assert_int_equal(id, 1);
    p->catalog.fault = CATALOG_ANSWER_LOST;
    append(p, "c", 1);
    has(p, "a b c ");
    leave(p);
}

/* --- cancelled --- */

static int stop_second(void *ctx, const paimon_progress *progress)
{
    (void)ctx;
    return progress->done >= 1;
}

static void after_a_lost_answer_a_cancel_does_not_hide_the_doubt(void **state)
{
    (void)state;
    place *p = new_place("[]", "");
    paimon_commit *commit = NULL;
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_message_list *list = one_file(p->table, "a", 1);
    OK(paimon_commit_new(p->table, "alice", &commit, err));
    OK(paimon_commit_set_progress(commit, stop_second, NULL, err));
    p->catalog.fault = CATALOG_LATE;
    assert_int_equal(paimon_commit_append(commit, list, 7, NULL, NULL, &why), PAIMON_IO);
    assert_non_null(strstr(paimon_error_message(&why), "unknown"));
    paimon_error_clear(&why);
    OK(paimon_commit_set_progress(commit, NULL, NULL, err));
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    has(p, "a "); /* it arrived meanwhile, and all its files are there */
    OK(paimon_commit_filter_and_append(commit, list, 7, NULL, &result, err));
    assert_true(result.already_committed);
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    leave(p);
}

static void *cancel_soon(void *arg)
{
    struct timespec nap = { 0, 50000000 };
    nanosleep(&nap, NULL);
    paimon_cancel_request(arg);
    return NULL;
}

static void a_commit_that_waits_for_its_turn_hears_a_cancel(void **state)
{
    (void)state;
    place *p = new_place("[]", ",\"commit.min-retry-wait\":\"1 h\",\"commit.max-retry-wait\":\"1 h\"");
    append(p, "a", 1);
    append(p, "b", 1);
    paimon_commit *commit = NULL;
    paimon_cancel *cancel = NULL;
    pthread_t thread;
    paimon_message_list *list = one_file(p->table, "c", 1);
    OK(paimon_cancel_new(&cancel, err));
    OK(paimon_commit_new(p->table, "alice", &commit, err));
    OK(paimon_commit_set_cancel(commit, cancel, err));
    p->catalog.stale = 1000;
    int before = count_in(p->fs, ROOT, "manifest");
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, cancel), 0);
    assert_int_equal(paimon_commit_append(commit, list, 8, NULL, NULL, NULL), PAIMON_CANCELLED);
    pthread_join(thread, NULL);
    assert_int_equal(count_in(p->fs, ROOT, "manifest"), before);
    paimon_commit_metrics m = PAIMON_COMMIT_METRICS_INIT;
    paimon_commit_get_metrics(commit, &m);
    assert_int_equal(m.attempts, 1);
    assert_true(m.wait_us > 0 && m.wait_us <= m.time_us);
    paimon_commit_free(commit);
    paimon_cancel_free(cancel);
    paimon_message_list_free(list);
    leave(p);
}

/* --- the caller sends --- */

static char *request_of(paimon_commit *commit, const char *table_id)
{
    char *json = NULL;
    OK(paimon_commit_last_table_request(commit, table_id, &json, err));
    return json;
}

/* What a server does with a request: the snapshot becomes the file of its id. */
static void serve(place *p, const char *request, const char *folder, int64_t id)
{
    char path[300];
    const char *from = strstr(request, "\"snapshot\":"), *to = strstr(request, ",\"statistics\":");
    assert_true(from && to);
    from += strlen("\"snapshot\":");
    snprintf(path, sizeof path, "%s/%ssnapshot/snapshot-%d", ROOT, folder, (int)id);
    OK(pmn_fs_write_new(p->fs, path, from, (size_t)(to - from), err));
}

static void serve_last(place *p, paimon_commit *commit, int64_t id)
{
    char *json = request_of(commit, NULL);
    serve(p, json, "", id);
    paimon_string_free(json);
}

static void a_prepared_commit_is_the_callers_to_send(void **state)
{
    (void)state;
    setenv("TZ", "Asia/Shanghai", 1);
    tzset();
    place *p = new_place("[\"p\",\"q\"]", "");
    paimon_table *table = open_table(p->env, ROOT); /* no catalog client */
    paimon_commit *commit = NULL;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    paimon_message_list *list = new_messages();
    char *json = NULL;
    add_message(table, list, "x\"y", 20, 0, -1, "f1", 1);
    add_message(table, list, NULL, 10, 0, -1, "f2", 4);
    add_message(table, list, "x\"y", 20, 0, -1, "f3", 2);
    OK(paimon_commit_new(table, "bob", &commit, err));
    assert_int_equal(paimon_commit_last_table_request(commit, NULL, &json, NULL), PAIMON_STATE);
    OK(paimon_commit_set_prepare_only(commit, true, err));
    assert_int_equal(paimon_commit_last_table_request(commit, NULL, &json, NULL), PAIMON_STATE);
    OK(paimon_commit_append(commit, list, PAIMON_BATCH_COMMIT, NULL, &result, err));
    assert_int_equal(result.snapshot_id, 1);
    assert_int_equal(paimon_commit_n_table_requests(commit), 1);
    assert_string_equal(paimon_commit_object_name(commit), "t");
    assert_false(has_folder(p, "snapshot/snapshot-1"));

    json = request_of(commit, NULL);
    assert_ptr_equal(strstr(json, "{\"tableId\":null,\"baseSnapshotUuid\":null,\"snapshot\":{\"version\":3,\"uuid\":\""), json);
    paimon_string_free(json);
    json = request_of(commit, "u-1");
    assert_ptr_equal(strstr(json, "{\"tableId\":\"u-1\","), json);
    assert_non_null(strstr(json, ",\"commitUser\":\"bob\",\"writerVersion\":\"paimon-c-"));
    assert_non_null(strstr(json, ",\"commitIdentifier\":9223372036854775807,\"commitKind\":\"APPEND\",\"timeMillis\":"));
    assert_non_null(strstr(json, ",\"totalRecordCount\":7,\"deltaRecordCount\":7,\"nextRowId\":0},\"statistics\":"
                                 "[{\"spec\":{\"p\":\"x\\\"y\",\"q\":\"20\"},\"recordCount\":3,\"fileSizeInBytes\":8,\"fileCount\":2,"
                                 "\"lastFileCreationTime\":1699971200000,\"totalBuckets\":-1},"
                                 "{\"spec\":{\"p\":\"__DEFAULT_PARTITION__\",\"q\":\"10\"},\"recordCount\":4,\"fileSizeInBytes\":4,\"fileCount\":1,"
                                 "\"lastFileCreationTime\":1699971200000,\"totalBuckets\":-1}]}"));
    paimon_string_free(json);

    /* The server said no: nothing is left of it, and the next try stands on what is there. */
    int before = count_in(p->fs, ROOT, "manifest");
    assert_true(before > 0);
    paimon_commit_discard_prepared(commit);
    assert_int_equal(count_in(p->fs, ROOT, "manifest"), 0);
    assert_int_equal(paimon_commit_n_table_requests(commit), 0);
    write_fake_files(table, list); /* it is given a second time */
    OK(paimon_commit_append(commit, list, PAIMON_BATCH_COMMIT, NULL, &result, err));
    paimon_commit_free(commit);
    assert_int_equal(count_in(p->fs, ROOT, "manifest"), before);
    paimon_message_list_free(list);
    paimon_table_free(table);
    leave(p);
    unsetenv("TZ");
    tzset();
}

static void a_request_names_its_base_and_counts_what_goes_below_zero(void **state)
{
    (void)state;
    place *p = new_place("[\"p\"]", "");
    paimon_table *table = open_table(p->env, ROOT);
    paimon_commit *commit = NULL;
    OK(paimon_commit_new(table, "bob", &commit, err));
    OK(paimon_commit_set_prepare_only(commit, true, err));
    paimon_message_list *list = new_messages();
    add_message(table, list, "x", 0, 0, -1, "f1", 5);
    add_message(table, list, "y", 0, 0, -1, "f2", 6);
    OK(paimon_commit_append(commit, list, 1, NULL, NULL, err));
    serve_last(p, commit, 1);
    paimon_message_list_free(list);
    list = new_messages();
    add_message(table, list, "x", 0, 0, -1, "f3", 2);
    OK(paimon_commit_overwrite(commit, NULL, 0, list, 2, NULL, NULL, err));
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_snapshot first = load_snapshot(table, &arena, 1);
    char base[100], *json = request_of(commit, NULL);
    snprintf(base, sizeof base, "\"baseSnapshotUuid\":\"%s\"", first.uuid);
    assert_non_null(strstr(json, base));
    assert_non_null(strstr(json, "\"statistics\":[{\"spec\":{\"p\":\"x\"},\"recordCount\":-3,\"fileSizeInBytes\":0,\"fileCount\":0,"));
    paimon_string_free(json);
    serve_last(p, commit, 2);
    has_files(p->env, ROOT, 0, "f2 f3 ");
    OK(paimon_commit_truncate(commit, 3, NULL, err));
    json = request_of(commit, NULL);
    assert_non_null(strstr(json, "\"recordCount\":-6,\"fileSizeInBytes\":-4,\"fileCount\":-1,"));
    paimon_string_free(json);
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    pmn_arena_free(&arena);
    paimon_table_free(table);
    leave(p);
}

static void written_and_compacted_files_make_two_requests(void **state)
{
    (void)state;
    place *p = new_place("[]", "");
    paimon_table *table = open_table(p->env, ROOT);
    paimon_commit *commit = NULL;
    OK(paimon_commit_new(table, "bob", &commit, err));
    OK(paimon_commit_set_prepare_only(commit, true, err));
    paimon_message_list *list = one_file(table, "a", 5);
    OK(paimon_commit_append(commit, list, 1, NULL, NULL, err));
    serve_last(p, commit, 1);
    paimon_message_list_free(list);
    list = new_messages();
    pmn_message *message = add_message(table, list, NULL, 0, 0, -1, "b", 6);
    pmn_data_file *files = pmn_arena_calloc(&list->arena, 2, sizeof *files);
    files[0] = fake_file(&list->arena, "a", 5);
    files[1] = fake_file(&list->arena, "c", 5);
    message->compact_before = (pmn_data_files){ &files[0], 1 };
    message->compact_after = (pmn_data_files){ &files[1], 1 };
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    OK(paimon_commit_append(commit, list, 2, NULL, &result, err));
    assert_int_equal(result.n_snapshots, 2);
    assert_int_equal(result.snapshot_id, 3);
    assert_int_equal(paimon_commit_n_table_requests(commit), 2);
    for (size_t i = 0; i < 2; i++) {
        char *json = NULL;
        OK(paimon_commit_table_request(commit, i, NULL, &json, err));
        assert_non_null(strstr(json, i ? "\"commitKind\":\"COMPACT\"" : "\"commitKind\":\"APPEND\""));
        serve(p, json, "", (int64_t)i + 2);
        paimon_string_free(json);
    }
    has_files(p->env, ROOT, 2, "a b ");
    has_files(p->env, ROOT, 3, "b c ");
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    paimon_table_free(table);
    leave(p);
}

static void a_branch_has_an_object_of_its_own(void **state)
{
    (void)state;
    place *p = new_place("[]", "");
    make_table(p->fs, ROOT "/branch/branch-dev", "[]", "\"bucket\":\"-1\"");
    paimon_table *branch = open_table(p->env, ROOT "$branch_dev");
    paimon_commit *commit = NULL;
    paimon_message_list *list = one_file(branch, "a", 1);
    OK(paimon_commit_new(branch, NULL, &commit, err));
    assert_string_equal(paimon_commit_object_name(commit), "t$branch_dev");
    OK(paimon_commit_set_prepare_only(commit, true, err));
    OK(paimon_commit_append(commit, list, 1, NULL, NULL, err));
    char *json = request_of(commit, NULL);
    assert_null(strstr(json, "dev"));
    serve(p, json, "branch/branch-dev/", 1);
    has_files(p->env, ROOT "$branch_dev", 0, "a ");
    paimon_string_free(json);
    paimon_commit_free(commit);
    paimon_table_free(branch);
    paimon_table_free(p->table);
    p->table = catalog_table(&p->catalog, &p->functions, p->env, ROOT "$branch_dev", NULL, 0, NULL);
    append(p, "b", 1);
    assert_string_equal(p->catalog.branch, "dev");
    paimon_message_list_free(list);
    leave(p);
}

static void a_catalog_to_read_from_prepares_only(void **state)
{
    (void)state;
    place *p = new_place("[]", "");
    append(p, "a", 1);
    paimon_table_free(p->table);
    p->functions.publish = NULL;
    p->table = catalog_table(&p->catalog, &p->functions, p->env, ROOT, NULL, 0, NULL);
    assert_int_equal(try_append(p, "b", 1, NULL, NULL), PAIMON_UNSUPPORTED);
    paimon_commit *commit = NULL;
    paimon_message_list *list = one_file(p->table, "b", 1);
    OK(paimon_commit_new(p->table, NULL, &commit, err));
    OK(paimon_commit_set_prepare_only(commit, true, err));
    OK(paimon_commit_append(commit, list, 1, NULL, NULL, err));
    char *json = request_of(commit, NULL);
    assert_non_null(strstr(json, "{\"tableId\":\"id-of-t\",\"baseSnapshotUuid\":\""));
    assert_non_null(strstr(json, "\"id\":2,"));
    paimon_string_free(json);
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    leave(p);
}

/* --- many at once, and no memory --- */

#define N_THREADS 4
#define N_COMMITS 10

static void *commit_many(void *arg)
{
    place *p = arg;
    for (int i = 0; i < N_COMMITS; i++) append(p, "f", 1);
    return NULL;
}

static void threads_race_through_one_catalog_and_lose_nothing(void **state)
{
    (void)state;
    place *p = new_place("[]", ",\"commit.max-retries\":\"1000\"");
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, commit_many, p), 0);
    for (int i = 0; i < N_THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(p->catalog.n, N_THREADS * N_COMMITS);
    char rows[60];
    snprintf(rows, sizeof rows, "\"totalRecordCount\" : %d,", N_THREADS * N_COMMITS);
    assert_non_null(strstr(p->catalog.snapshots[p->catalog.n], rows));
    leave(p);
}

static void a_refused_allocation_loses_and_leaks_nothing(void **state)
{
    (void)state;
    place *p = new_place("[\"p\"]", "");
    for (int64_t fail_at = 0;; fail_at++) {
        paimon_message_list *list = new_messages(), *next = new_messages();
        add_message(p->table, list, "x", 0, 0, -1, "f1", 5);
        add_message(p->table, next, "x", 0, 0, -1, "f2", 5);
        failing_env f;
        failing_env_begin(&f, p->fs);
        failing_env_refuse(&f, fail_at, false);
        int64_t before = p->catalog.n;
        paimon_table *table = catalog_table(&p->catalog, &p->functions, f.env, ROOT, NULL, 0, NULL);
        paimon_commit *commit = NULL;
        paimon_status status = table ? paimon_commit_new(table, "u", &commit, NULL) : PAIMON_NOMEM;
        if (status == PAIMON_OK) status = paimon_commit_append(commit, list, fail_at, NULL, NULL, NULL);
        if (status == PAIMON_OK) status = paimon_commit_set_prepare_only(commit, true, NULL);
        if (status == PAIMON_OK) status = paimon_commit_append(commit, next, fail_at + 1000000, NULL, NULL, NULL);
        char *json = NULL;
        if (status == PAIMON_OK) status = paimon_commit_last_table_request(commit, NULL, &json, NULL);
        paimon_string_free(json);
        paimon_commit_free(commit);
        paimon_table_free(table);
        failing_env_end(&f);
        paimon_message_list_free(next);
        paimon_message_list_free(list);
        assert_true(p->catalog.n - before <= 1);
        if (p->catalog.n > 200) p->catalog.n = 1;
        if (status == PAIMON_OK) break;
        assert_int_equal(status, PAIMON_NOMEM);
    }
    leave(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_commit_goes_to_the_catalog_and_leaves_no_snapshot_file),
        cmocka_unit_test(a_table_answers_from_its_catalog),
        cmocka_unit_test(time_travel_goes_through_the_catalog),
        cmocka_unit_test(a_commit_that_lost_is_rebased_and_tried_again),
        cmocka_unit_test(a_commit_sees_that_somebody_else_brought_its_files_and_their_index),
        cmocka_unit_test(whatever_happens_to_an_answer_a_commit_counts_once),
        cmocka_unit_test(a_latest_snapshot_from_a_cache_costs_a_retry),
        cmocka_unit_test(a_refusal_fails_the_commit_and_leaves_nothing),
        cmocka_unit_test(nonsense_from_a_catalog_is_refused),
        cmocka_unit_test(a_snapshot_without_its_lists_is_not_built_on),
        cmocka_unit_test(files_stay_where_the_snapshot_there_is_its_own_in_part),
        cmocka_unit_test(what_a_catalog_leaves_out_the_files_tell),
        cmocka_unit_test(after_a_lost_answer_a_cancel_does_not_hide_the_doubt),
        cmocka_unit_test(a_commit_that_waits_for_its_turn_hears_a_cancel),
        cmocka_unit_test(a_prepared_commit_is_the_callers_to_send),
        cmocka_unit_test(a_request_names_its_base_and_counts_what_goes_below_zero),
        cmocka_unit_test(written_and_compacted_files_make_two_requests),
        cmocka_unit_test(a_branch_has_an_object_of_its_own),
        cmocka_unit_test(a_catalog_to_read_from_prepares_only),
        cmocka_unit_test(threads_race_through_one_catalog_and_lose_nothing),
        cmocka_unit_test(a_refused_allocation_loses_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("versions", tests, NULL, NULL);
}
