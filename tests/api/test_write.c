/* Writing and committing as a program sees it: public headers only, on the local disk, with threads and with processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "paimon-c/commit.h"
#include "paimon-c/write.h"
#include "support/read_table.h"

#define ID_AND_NAME "{\"id\":0,\"name\":\"id\",\"type\":\"BIGINT\"},{\"id\":1,\"name\":\"name\",\"type\":\"STRING\"}"

static char warehouse[64];
static int n_tables;

static int begin(void **state)
{
    (void)state;
    snprintf(warehouse, sizeof warehouse, "/tmp/paimon-write-XXXXXX");
    return mkdtemp(warehouse) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", warehouse);
    return system(command);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A new table; its folder. */
static void new_table(const char *keys, const char *options, char *path, size_t size)
{
    char file[600], json[1500];
    snprintf(path, size, "%s/t%d", warehouse, n_tables++);
    mkdir(path, 0755);
    snprintf(file, sizeof file, "%s/schema", path);
    mkdir(file, 0755);
    snprintf(file, sizeof file, "%s/schema/schema-0", path);
    snprintf(json, sizeof json,
             "{\"version\":3,\"id\":0,\"fields\":[" ID_AND_NAME "],\"highestFieldId\":1,\"partitionKeys\":%s,\"primaryKeys\":[],"
             "\"options\":{%s},\"comment\":\"\",\"timeMillis\":1}",
             keys, options);
    put(file, json);
}

#define SAID(call)                                                                                                     \
    do {                                                                                                               \
        paimon_error said_err = PAIMON_ERROR_INIT, *err = &said_err;                                                   \
        if ((call) != PAIMON_OK) {                                                                                     \
            print_error("%s: %s\n", #call, paimon_error_message(err));                                                 \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* --- Arrow by hand --- */

typedef struct owned_batch {
    struct ArrowArray columns[2], *children[2];
    const void *root_buffers[1], *id_buffers[2], *name_buffers[3];
    int64_t *ids;
    int32_t *offsets;
    char *text;
} owned_batch;

static void release_child(struct ArrowArray *array) { array->release = NULL; }

static void release_batch(struct ArrowArray *array)
{
    owned_batch *b = array->private_data;
    for (int i = 0; i < 2; i++)
        if (b->columns[i].release) b->columns[i].release(&b->columns[i]);
    free(b->ids);
    free(b->offsets);
    free(b->text);
    free(b);
    array->release = NULL;
}

/* Rows (first, "n<first>"), (first + 1, …). */
static void make_batch(int64_t first, int64_t n, struct ArrowArray *out)
{
    owned_batch *b = calloc(1, sizeof *b);
    b->ids = calloc((size_t)n, sizeof *b->ids);
    b->offsets = calloc((size_t)n + 1, sizeof *b->offsets);
    b->text = calloc((size_t)n * 24 + 1, 1);
    for (int64_t i = 0; i < n; i++) {
        b->ids[i] = first + i;
        b->offsets[i + 1] = b->offsets[i] + sprintf(b->text + b->offsets[i], "n%lld", (long long)(first + i));
    }
    b->id_buffers[1] = b->ids;
    b->name_buffers[1] = b->offsets;
    b->name_buffers[2] = b->text;
    b->columns[0] = (struct ArrowArray){ .length = n, .n_buffers = 2, .buffers = b->id_buffers, .release = release_child };
    b->columns[1] = (struct ArrowArray){ .length = n, .n_buffers = 3, .buffers = b->name_buffers, .release = release_child };
    b->children[0] = &b->columns[0];
    b->children[1] = &b->columns[1];
    *out = (struct ArrowArray){ .length = n, .n_buffers = 1, .n_children = 2, .buffers = b->root_buffers, .children = b->children,
                                .release = release_batch, .private_data = b };
}

/* --- steps --- */

static paimon_table *opened(const char *path)
{
    paimon_table *table = NULL;
    SAID(paimon_table_open(NULL, path, NULL, 0, &table, err));
    return table;
}

static paimon_write *writer(paimon_table *table, int n_threads)
{
    struct ArrowSchema schema;
    paimon_write *write = NULL;
    paimon_write_options options = PAIMON_WRITE_OPTIONS_INIT;
    options.n_threads = n_threads;
    SAID(paimon_table_arrow_schema(table, &schema, err));
    SAID(paimon_write_new(table, &schema, &options, &write, err));
    return write;
}

static void write_rows(paimon_write *write, int64_t first, int64_t n)
{
    struct ArrowArray batch;
    make_batch(first, n, &batch);
    SAID(paimon_write_batch(write, &batch, err));
    assert_null(batch.release);
}

static paimon_message_list *prepare(paimon_write *write, int64_t identifier)
{
    paimon_message_list *list = NULL;
    SAID(paimon_write_prepare_commit(write, identifier, &list, err));
    return list;
}

static paimon_message_list *rows_written(paimon_table *table, int64_t first, int64_t n)
{
    paimon_write *write = writer(table, 0);
    write_rows(write, first, n);
    paimon_message_list *list = prepare(write, PAIMON_BATCH_COMMIT);
    paimon_write_free(write);
    return list;
}

static void rows_are(const char *path, const char *where, size_t expected)
{
    char *rows = read_rows(path, &(read_request){ .where = where });
    if (strstr(rows, "error")) fail_msg("%s", rows);
    assert_int_equal(count_lines(rows), expected);
    free(rows);
}

/* --- tests --- */

static void a_write_lives_from_batches_to_a_snapshot(void **state)
{
    (void)state;
    char path[200];
    new_table("[]", "\"bucket\":\"-1\"", path, sizeof path);
    paimon_table *table = opened(path);
    paimon_write *write = writer(table, 0);
    write_rows(write, 1, 2);
    write_rows(write, 3, 1);
    assert_int_equal(paimon_write_rows(write), 3);
    paimon_message_list *list = prepare(write, PAIMON_BATCH_COMMIT);
    rows_are(path, NULL, 0); /* nothing is part of the table yet */
    assert_int_equal(paimon_message_list_rows(list), 3);
    assert_int_equal(paimon_message_list_size(list), 1);
    assert_int_equal(paimon_message_list_files(list), 1);
    paimon_commit *commit = NULL;
    SAID(paimon_commit_new(table, NULL, &commit, err));
    paimon_table_free(table); /* the writer and the committer keep it */
    paimon_write_free(write);
    assert_true(strlen(paimon_commit_user(commit)) > 8);
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    SAID(paimon_commit_append(commit, list, PAIMON_BATCH_COMMIT, NULL, &result, err));
    assert_int_equal(result.snapshot_id, 1);
    assert_int_equal(result.n_snapshots, 1);
    paimon_message_list_free(list);
    paimon_commit_free(commit);
    assert_rows(path, NULL, "[1,\"n1\"]\n[2,\"n2\"]\n[3,\"n3\"]\n");
}

static void wrong_calls_are_refused_and_free_what_they_were_given(void **state)
{
    (void)state;
    char path[200];
    new_table("[]", "\"bucket\":\"-1\"", path, sizeof path);
    paimon_table *table = opened(path);
    paimon_write *write = writer(table, 0);
    struct ArrowArray batch;
    struct ArrowSchema schema;
    make_batch(1, 1, &batch);
    assert_int_equal(paimon_write_batch(NULL, &batch, NULL), PAIMON_INVALID);
    assert_null(batch.release);
    assert_int_equal(paimon_write_batch(write, &batch, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_write_batch(write, NULL, NULL), PAIMON_INVALID);
    make_batch(1, 1, &batch);
    batch.n_children = 1;
    assert_int_equal(paimon_write_batch(write, &batch, NULL), PAIMON_INVALID);
    assert_null(batch.release);
    assert_int_equal(paimon_write_prepare_commit(write, 1, NULL, NULL), PAIMON_INVALID);
    SAID(paimon_table_arrow_schema(table, &schema, err));
    paimon_write *other = NULL;
    paimon_write_options options = PAIMON_WRITE_OPTIONS_INIT;
    options.n_threads = -1;
    assert_int_equal(paimon_write_new(table, &schema, &options, &other, NULL), PAIMON_INVALID);
    assert_null(schema.release);
    SAID(paimon_table_arrow_schema(table, &schema, err));
    assert_int_equal(paimon_write_new(NULL, &schema, NULL, &other, NULL), PAIMON_INVALID);
    assert_null(schema.release);
    paimon_write_free(NULL);
    paimon_commit_free(NULL);
    paimon_message_list_free(NULL);
    write_rows(write, 1, 1); /* none of it harmed the writer */
    paimon_write_free(write);
    paimon_table_free(table);
}

static void one_writer_prepares_again_and_again_with_rising_identifiers(void **state)
{
    (void)state;
    char path[200];
    new_table("[]", "\"bucket\":\"2\",\"bucket-key\":\"id\"", path, sizeof path);
    paimon_table *table = opened(path);
    paimon_write *write = writer(table, 0);
    paimon_commit *commit = NULL;
    SAID(paimon_commit_new(table, "stream", &commit, err));
    for (int64_t i = 1; i <= 5; i++) {
        paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
        write_rows(write, i * 10, 4);
        paimon_message_list *list = prepare(write, i);
        assert_int_equal(paimon_message_list_rows(list), 4);
        SAID(paimon_commit_append(commit, list, i, NULL, &result, err));
        assert_int_equal(result.snapshot_id, i);
        paimon_message_list_free(list);
        rows_are(path, NULL, (size_t)i * 4);
    }
    paimon_commit_free(commit);
    paimon_write_free(write);
    paimon_table_free(table);
}

static void an_identifier_is_committed_once(void **state)
{
    (void)state;
    char path[200];
    new_table("[]", "\"bucket\":\"-1\"", path, sizeof path);
    paimon_table *table = opened(path);
    paimon_commit *commit = NULL, *other = NULL;
    paimon_message_list *lists[5];
    SAID(paimon_commit_new(table, "U", &commit, err));
    SAID(paimon_commit_new(table, "V", &other, err));
    for (int64_t i = 1; i <= 4; i++) {
        paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
        lists[i] = rows_written(table, i, 1);
        if (i < 4) SAID(paimon_commit_append(commit, lists[i], i, NULL, &result, err));
    }
    int made = 0;
    for (int64_t i = 1; i <= 4; i++) {
        paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
        SAID(paimon_commit_filter_and_append(commit, lists[i], i, NULL, &result, err));
        assert_int_equal(result.already_committed, i < 4);
        made += result.n_snapshots;
    }
    assert_int_equal(made, 1);
    rows_are(path, NULL, 4);
    /* Another user's identifiers are his own. */
    paimon_message_list *his = rows_written(table, 9, 1);
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    SAID(paimon_commit_filter_and_append(other, his, 2, NULL, &result, err));
    assert_false(result.already_committed);
    rows_are(path, NULL, 5);
    paimon_message_list_free(his);
    for (int i = 1; i <= 4; i++) paimon_message_list_free(lists[i]);
    paimon_commit_free(commit);
    paimon_commit_free(other);
    paimon_table_free(table);
}

static void lists_of_several_writers_are_one_commit(void **state)
{
    (void)state;
    char path[200];
    new_table("[\"name\"]", "\"bucket\":\"-1\"", path, sizeof path);
    paimon_table *table = opened(path);
    paimon_message_list *lists[2] = { rows_written(table, 1, 2), rows_written(table, 2, 2) }, *all = NULL;
    SAID(paimon_message_list_concat(lists, 2, &all, err));
    for (int i = 0; i < 2; i++) paimon_message_list_free(lists[i]);
    assert_int_equal(paimon_message_list_rows(all), 4);
    paimon_commit *commit = NULL;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    SAID(paimon_commit_new(table, NULL, &commit, err));
    SAID(paimon_commit_append(commit, all, PAIMON_BATCH_COMMIT, NULL, &result, err));
    assert_int_equal(result.snapshot_id, 1);
    rows_are(path, NULL, 4);
    rows_are(path, "name = 'n2'", 2);
    paimon_message_list_free(all);
    /* Overwriting takes out exactly the partitions that come. */
    paimon_message_list *next = rows_written(table, 2, 1);
    SAID(paimon_commit_overwrite(commit, NULL, 0, next, PAIMON_BATCH_COMMIT, NULL, &result, err));
    rows_are(path, NULL, 3);
    rows_are(path, "name = 'n2'", 1);
    paimon_message_list_free(next);
    paimon_option pair = { "name", "n1" };
    paimon_partition_spec spec = { &pair, 1 };
    SAID(paimon_commit_drop_partitions(commit, &spec, 1, PAIMON_BATCH_COMMIT, &result, err));
    rows_are(path, NULL, 2);
    assert_int_equal(paimon_commit_drop_partitions(commit, NULL, 0, PAIMON_BATCH_COMMIT, &result, NULL), PAIMON_INVALID);
    SAID(paimon_commit_truncate(commit, PAIMON_BATCH_COMMIT, &result, err));
    rows_are(path, NULL, 0);
    paimon_commit_free(commit);
    paimon_table_free(table);
}

/* The bytes of the one data file of a table's first bucket, malloc'ed. */
static char *data_file_bytes(const char *path, size_t *n)
{
    char folder[500], name[900] = "";
    snprintf(folder, sizeof folder, "%s/bucket-0", path);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.') snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
    closedir(dir);
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*n);
    assert_int_equal(fread(bytes, 1, *n, file), *n);
    fclose(file);
    return bytes;
}

static void one_thread_and_two_write_the_same_bytes(void **state)
{
    (void)state;
    char path[2][200];
    char *bytes[2];
    size_t n[2];
    for (int i = 0; i < 2; i++) {
        new_table("[]", "\"bucket\":\"-1\",\"file.block-size\":\"64 kb\"", path[i], sizeof path[i]);
        paimon_table *table = opened(path[i]);
        paimon_write *write = writer(table, 1 + i);
        for (int64_t at = 0; at < 40000; at += 5000) write_rows(write, at, 5000);
        paimon_message_list_free(prepare(write, PAIMON_BATCH_COMMIT));
        paimon_write_free(write);
        paimon_table_free(table);
        bytes[i] = data_file_bytes(path[i], &n[i]);
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(bytes[0], bytes[1], n[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* --- at once --- */

/* Snapshots 1 … n are there, without gaps, and LATEST says the last. */
static int64_t whole_history(const char *path)
{
    paimon_table *table = opened(path);
    int64_t *ids = NULL;
    size_t n = 0;
    SAID(paimon_table_snapshot_ids(table, &ids, &n, err));
    for (size_t i = 0; i < n; i++) {
        char *json = NULL;
        assert_int_equal(ids[i], i + 1);
        SAID(paimon_table_snapshot_json(table, ids[i], &json, err));
        paimon_string_free(json);
    }
    paimon_int64_free(ids, n);
    paimon_table_free(table);
    return (int64_t)n;
}

static void read_at(const char *path, int64_t snapshot, size_t expected)
{
    char id[24];
    snprintf(id, sizeof id, "%lld", (long long)snapshot);
    paimon_option at = { "scan.snapshot-id", id };
    char *rows = read_rows(path, &(read_request){ .options = &at, .n_options = 1 });
    if (strstr(rows, "error")) fail_msg("snapshot %s: %s", id, rows);
    assert_int_equal(count_lines(rows), expected);
    free(rows);
}

/* `n` one-row commits; how many went well. */
static int commit_rows(const char *path, int64_t first, int n, const char *user)
{
    paimon_table *table = NULL;
    paimon_commit *commit = NULL;
    int done = 0;
    if (paimon_table_open(NULL, path, NULL, 0, &table, NULL) != PAIMON_OK || paimon_commit_new(table, user, &commit, NULL) != PAIMON_OK) return -1;
    for (int i = 0; i < n; i++) {
        struct ArrowSchema schema;
        struct ArrowArray batch;
        paimon_write *write = NULL;
        paimon_message_list *list = NULL;
        paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
        paimon_error err = PAIMON_ERROR_INIT;
        make_batch(first + i, 1, &batch);
        bool ok = paimon_table_arrow_schema(table, &schema, &err) == PAIMON_OK && paimon_write_new(table, &schema, NULL, &write, &err) == PAIMON_OK &&
                  paimon_write_batch(write, &batch, &err) == PAIMON_OK && paimon_write_prepare_commit(write, i + 1, &list, &err) == PAIMON_OK &&
                  paimon_commit_append(commit, list, i + 1, NULL, &result, &err) == PAIMON_OK;
        if (!ok) fprintf(stderr, "commit %d of %s: %s\n", i, user, paimon_error_message(&err));
        done += ok;
        paimon_error_clear(&err);
        paimon_message_list_free(list);
        paimon_write_free(write);
    }
    paimon_commit_free(commit);
    paimon_table_free(table);
    return done;
}

#define PROCESSES 8
#define COMMITS 20

static void eight_processes_commit_at_once_and_nothing_is_lost(void **state)
{
    (void)state;
    char path[200];
    pid_t children[PROCESSES];
    new_table("[]", "\"bucket\":\"-1\",\"commit.max-retries\":\"1000\",\"commit.timeout\":\"10 min\"", path, sizeof path);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            char user[32];
            snprintf(user, sizeof user, "user-%d", i / 2 * 2); /* two processes share a name */
            _exit(commit_rows(path, i * 100, COMMITS, i % 2 ? user : NULL) == COMMITS ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(whole_history(path), PROCESSES * COMMITS);
    rows_are(path, NULL, PROCESSES * COMMITS);
    for (int64_t id = 1; id <= PROCESSES * COMMITS; id += 13) read_at(path, id, (size_t)id);
    for (int i = 0; i < PROCESSES; i++)
        for (int k = 0; k < COMMITS; k += 19) {
            char where[40];
            snprintf(where, sizeof where, "id = %d", i * 100 + k);
            rows_are(path, where, 1);
        }
}

static void a_process_killed_at_random_harms_no_other(void **state)
{
    (void)state;
    unsigned seed = 5;
    for (int round = 0; round < 6; round++) {
        char path[200];
        pid_t children[3];
        new_table("[]", "\"bucket\":\"-1\",\"commit.max-retries\":\"1000\",\"commit.timeout\":\"10 min\"", path, sizeof path);
        for (int i = 0; i < 3; i++) {
            children[i] = fork();
            if (children[i] == 0) {
                if (i == 0) for (;;) commit_rows(path, 0, 1, NULL);
                _exit(commit_rows(path, i * 100, 10, NULL) == 10 ? 0 : 1);
            }
        }
        seed = seed * 1103515245u + 12345u;
        usleep(3000 + seed / 65536 % 40000);
        kill(children[0], SIGKILL);
        for (int i = 0; i < 3; i++) {
            int status = 0;
            waitpid(children[i], &status, 0);
            if (i) assert_int_equal(status, 0);
        }
        int64_t n = whole_history(path);
        rows_are(path, NULL, (size_t)n); /* one row a snapshot, the killed one's too */
        rows_are(path, "id >= 100", 20);
        for (int64_t id = 1; id <= n; id++) read_at(path, id, (size_t)id);
        assert_int_equal(commit_rows(path, 1000, 2, NULL), 2);
        assert_int_equal(whole_history(path), n + 2);
    }
}

typedef struct thread_work {
    const char *path;
    paimon_table *table; /* shared */
    int number, done;
} thread_work;

static void *write_in_thread(void *arg)
{
    thread_work *work = arg;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    paimon_write *write = NULL;
    paimon_commit *commit = NULL;
    if (paimon_table_arrow_schema(work->table, &schema, NULL) != PAIMON_OK) return NULL;
    paimon_write_options options = PAIMON_WRITE_OPTIONS_INIT;
    options.n_threads = 2;
    if (paimon_write_new(work->table, &schema, &options, &write, NULL) != PAIMON_OK) return NULL;
    if (paimon_commit_new(work->table, NULL, &commit, NULL) == PAIMON_OK)
        for (int i = 0; i < 5; i++) {
            paimon_message_list *list = NULL;
            paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
            make_batch(work->number * 1000 + i * 100, 50, &batch);
            if (paimon_write_batch(write, &batch, NULL) == PAIMON_OK && paimon_write_prepare_commit(write, i, &list, NULL) == PAIMON_OK &&
                paimon_commit_append(commit, list, i, NULL, &result, NULL) == PAIMON_OK)
                work->done++;
            paimon_message_list_free(list);
        }
    paimon_commit_free(commit);
    paimon_write_free(write);
    return NULL;
}

static void threads_write_to_one_table_object_at_once(void **state)
{
    (void)state;
    char path[200];
    new_table("[]", "\"bucket\":\"3\",\"bucket-key\":\"id\",\"commit.max-retries\":\"1000\",\"commit.timeout\":\"10 min\"", path, sizeof path);
    paimon_table *table = opened(path);
    pthread_t threads[4];
    thread_work work[4];
    for (int i = 0; i < 4; i++) {
        work[i] = (thread_work){ path, table, i, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, write_in_thread, &work[i]), 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) assert_int_equal(work[i].done, 5);
    paimon_table_free(table);
    assert_int_equal(whole_history(path), 20);
    rows_are(path, NULL, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* Processes first: they are forked before any thread of this one runs. */
        cmocka_unit_test(eight_processes_commit_at_once_and_nothing_is_lost),
        cmocka_unit_test(a_process_killed_at_random_harms_no_other),
        cmocka_unit_test(a_write_lives_from_batches_to_a_snapshot),
        cmocka_unit_test(wrong_calls_are_refused_and_free_what_they_were_given),
        cmocka_unit_test(one_writer_prepares_again_and_again_with_rising_identifiers),
        cmocka_unit_test(an_identifier_is_committed_once),
        cmocka_unit_test(lists_of_several_writers_are_one_commit),
        cmocka_unit_test(one_thread_and_two_write_the_same_bytes),
        cmocka_unit_test(threads_write_to_one_table_object_at_once),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
