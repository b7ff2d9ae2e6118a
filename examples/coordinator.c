/* A coordinator and its workers: one plan, many processes that read its splits and write what they read into another table, one commit.
 *
 *     coordinator SOURCE TARGET [WHERE]
 *
 * What travels through the pipes is what an engine would send over its network: splits one way, commit messages the other, both as the
 * bytes that Paimon Java reads and writes, so that any of the processes could be one of Java's. A worker never looks at SOURCE's snapshots
 * or manifests: path, schema and split are all it has. TARGET is made with SOURCE's schema if it is not there.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <paimon-c/paimon.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_WORKERS = 3, BATCH_ROWS = 8192 };

/* ---------------------------------------------------------------- frames: a length, then so many bytes */

static bool send_all(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n > 0) {
        ssize_t sent = write(fd, at, n);
        if (sent <= 0) {
            return false;
        }
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

static bool send_frame(int fd, const void *bytes, size_t n)
{
    uint64_t length = n;
    return send_all(fd, &length, sizeof length) && send_all(fd, bytes, n);
}

static bool receive_all(int fd, void *bytes, size_t n)
{
    char *at = bytes;
    while (n > 0) {
        ssize_t got = read(fd, at, n);
        if (got <= 0) {
            return false;
        }
        at += got;
        n -= (size_t)got;
    }
    return true;
}

/* NULL at the end, or when the other side is gone. With a zero byte behind, so that a text may be used as one. Free it. */
static char *receive_frame(int fd, size_t *n)
{
    uint64_t length;
    if (!receive_all(fd, &length, sizeof length) || length == 0 || length > (uint64_t)1 << 32) {
        return NULL;
    }
    char *bytes = malloc((size_t)length + 1);
    if (bytes == NULL || !receive_all(fd, bytes, (size_t)length)) {
        free(bytes);
        return NULL;
    }
    bytes[length] = 0;
    *n = (size_t)length;
    return bytes;
}

static void complain(const char *who, paimon_error *err)
{
    fprintf(stderr, "coordinator: %s: %s\n", who, paimon_error_message(err));
    paimon_error_clear(err);
}

/* ---------------------------------------------------------------- a worker: splits in, messages out */

/* Every batch goes from the stream into the writer as it is: neither copies what it need not. */
static paimon_status copy_split(const paimon_read *read, paimon_split *split, paimon_write *write, paimon_error *err)
{
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    paimon_status status = paimon_read_splits(read, &split, 1, &stream, err);
    while (status == PAIMON_OK) {
        if (stream.get_next(&stream, &batch) != 0) {
            fprintf(stderr, "coordinator: a worker: %s\n", stream.get_last_error(&stream));
            stream.release(&stream);
            return PAIMON_IO;
        }
        if (batch.release == NULL) {
            stream.release(&stream);
            return PAIMON_OK;
        }
        status = paimon_write_batch(write, &batch, err);
        if (status != PAIMON_OK) {
            stream.release(&stream);
        }
    }
    return status;
}

static paimon_status copy_splits(int from, const paimon_read *read, paimon_write *write, paimon_error *err)
{
    paimon_status status = PAIMON_OK;
    size_t n;
    char *bytes;
    while (status == PAIMON_OK && (bytes = receive_frame(from, &n)) != NULL) {
        paimon_split *split = NULL;
        status = paimon_split_deserialize(NULL, bytes, n, &split, err);
        if (status == PAIMON_OK) {
            status = copy_split(read, split, write, err);
        }
        paimon_split_free(split);
        free(bytes);
    }
    return status;
}

static paimon_status send_messages(int to, paimon_write *write, paimon_error *err)
{
    paimon_message_list *messages = NULL;
    uint8_t *bytes = NULL;
    size_t n = 0;
    paimon_status status = paimon_write_prepare_commit(write, PAIMON_BATCH_COMMIT, &messages, err);
    if (status == PAIMON_OK) {
        status = paimon_message_list_serialize(messages, 0, &bytes, &n, err);
    }
    int32_t version = paimon_commit_message_current_version(); /* the bytes do not say it */
    if (status == PAIMON_OK && (!send_frame(to, &version, sizeof version) || !send_frame(to, bytes, n))) {
        status = PAIMON_IO;
    }
    paimon_bytes_free(bytes, n);
    paimon_message_list_free(messages);
    return status;
}

static int run_worker(int from, int to)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table *source = NULL, *target = NULL;
    paimon_read *read = NULL;
    paimon_write *write = NULL;
    paimon_predicate *predicate = NULL;
    struct ArrowSchema schema = { .release = NULL };
    size_t n;
    char *path = receive_frame(from, &n), *json = receive_frame(from, &n), *into = receive_frame(from, &n), *where = receive_frame(from, &n);
    if (path == NULL || json == NULL || into == NULL || where == NULL) {
        return 1;
    }
    paimon_table_open_options how = PAIMON_TABLE_OPEN_OPTIONS_INIT;
    how.schema_json = json;
    paimon_status status = paimon_table_open_with(NULL, path, &how, &source, &err);
    if (status == PAIMON_OK) {
        status = paimon_read_new(source, &read, &err);
    }
    if (status == PAIMON_OK && strcmp(where, "-") != 0) {
        status = paimon_predicate_parse(where, &predicate, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_set_predicate(read, predicate, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_set_batch_rows(read, BATCH_ROWS, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_table_open(NULL, into, NULL, 0, &target, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_table_arrow_schema(source, &schema, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_write_new(target, &schema, NULL, &write, &err); /* takes the schema */
    }
    if (status == PAIMON_OK) {
        status = copy_splits(from, read, write, &err);
    }
    if (status == PAIMON_OK) {
        status = send_messages(to, write, &err);
    }
    paimon_write_free(write); /* what was not handed over is removed */
    paimon_read_free(read);
    paimon_predicate_free(predicate);
    paimon_table_free(source);
    paimon_table_free(target);
    free(path);
    free(json);
    free(into);
    free(where);
    if (status != PAIMON_OK && *paimon_error_message(&err)) { /* else the stream has told */
        complain("a worker", &err);
    }
    return status == PAIMON_OK ? 0 : 1;
}

/* ---------------------------------------------------------------- the coordinator */

typedef struct worker {
    pid_t pid;
    int to, from;
    int64_t bytes; /* of the splits that it got */
} worker;

/* Workers are forked before the library has started a thread; an engine has them running elsewhere. */
static bool start_worker(worker *w, const worker *others, int n_others)
{
    int down[2], up[2];
    if (pipe(down) != 0 || pipe(up) != 0) {
        return false;
    }
    w->pid = fork();
    if (w->pid == 0) {
        close(down[1]);
        close(up[0]);
        for (int i = 0; i < n_others; i++) { /* so that they see the end of their pipes */
            close(others[i].to);
            close(others[i].from);
        }
        _exit(run_worker(down[0], up[1]));
    }
    close(down[0]);
    close(up[1]);
    w->to = down[1];
    w->from = up[0];
    return w->pid > 0;
}

static paimon_status make_target(const char *path, const char *schema_json, paimon_error *err)
{
    paimon_table_definition definition = PAIMON_TABLE_DEFINITION_INIT;
    definition.schema_json = schema_json;
    paimon_status status = paimon_table_create(NULL, path, &definition, err);
    if (status == PAIMON_ALREADY_EXISTS) {
        paimon_error_clear(err);
        return PAIMON_OK;
    }
    return status;
}

static paimon_status make_plan(paimon_table *source, const char *where, paimon_plan **plan, paimon_error *err)
{
    paimon_scan *scan = NULL;
    paimon_predicate *predicate = NULL;
    paimon_status status = paimon_scan_new(source, &scan, err);
    if (status == PAIMON_OK && where != NULL) {
        status = paimon_predicate_parse(where, &predicate, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_scan_set_predicate(scan, predicate, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_scan_plan(scan, plan, err);
    }
    paimon_predicate_free(predicate);
    paimon_scan_free(scan);
    return status;
}

/* Each split goes to the worker that has the fewest bytes so far. */
static paimon_status deal_splits(const paimon_plan *plan, worker *workers, paimon_error *err)
{
    for (size_t i = 0; i < paimon_plan_n_splits(plan); i++) {
        const paimon_split *split = paimon_plan_split(plan, i);
        worker *least = &workers[0];
        for (int w = 1; w < N_WORKERS; w++) {
            if (workers[w].bytes < least->bytes) {
                least = &workers[w];
            }
        }
        uint8_t *bytes = NULL;
        size_t n = 0;
        paimon_status status = paimon_split_serialize(split, 0, &bytes, &n, err);
        if (status == PAIMON_OK && !send_frame(least->to, bytes, n)) {
            status = PAIMON_IO;
        }
        paimon_bytes_free(bytes, n);
        if (status != PAIMON_OK) {
            return status;
        }
        least->bytes += paimon_split_size_bytes(split);
    }
    return PAIMON_OK;
}

/* The messages of one worker; NULL if it failed. */
static paimon_message_list *collect(const worker *w, paimon_error *err)
{
    paimon_message_list *list = NULL;
    size_t n = 0, version_size = 0;
    char *version = receive_frame(w->from, &version_size), *bytes = version != NULL ? receive_frame(w->from, &n) : NULL;
    int32_t number = 0;
    if (bytes != NULL && version_size == sizeof number) {
        memcpy(&number, version, sizeof number);
        if (paimon_message_list_deserialize(NULL, number, bytes, n, &list, err) != PAIMON_OK) {
            list = NULL;
        }
    }
    free(version);
    free(bytes);
    return list;
}

/* All or nothing: if a worker failed, the files of the others go. */
static paimon_status commit_once(const char *path, paimon_message_list *const *lists, int n_good, paimon_error *err)
{
    paimon_table *target = NULL;
    paimon_commit *commit = NULL;
    paimon_message_list *all = NULL;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    paimon_status status = paimon_table_open(NULL, path, NULL, 0, &target, err);
    if (status == PAIMON_OK) {
        status = paimon_commit_new(target, NULL, &commit, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_message_list_concat(lists, (size_t)n_good, &all, err);
    }
    if (status == PAIMON_OK && n_good < N_WORKERS) {
        paimon_commit_abort(commit, all, NULL);
        fprintf(stderr, "coordinator: a worker failed: nothing is committed\n");
        status = PAIMON_STATE;
    }
    if (status == PAIMON_OK) {
        status = paimon_commit_append(commit, all, PAIMON_BATCH_COMMIT, NULL, &result, err);
    }
    if (status == PAIMON_OK) {
        printf("snapshot %" PRId64 ": %" PRId64 " rows in %" PRId64 " files\n", result.snapshot_id, paimon_message_list_rows(all),
               paimon_message_list_files(all));
    }
    paimon_message_list_free(all);
    paimon_commit_free(commit);
    paimon_table_free(target);
    return status;
}

static paimon_status coordinate(worker *workers, const char *path, const char *into, const char *where, paimon_error *err)
{
    paimon_table *source = NULL;
    paimon_plan *plan = NULL;
    paimon_message_list *lists[N_WORKERS] = { NULL };
    char *json = NULL;
    int n_good = 0;
    paimon_status status = paimon_table_open(NULL, path, NULL, 0, &source, err);
    if (status == PAIMON_OK) {
        status = paimon_table_schema_json(source, &json, err);
    }
    if (status == PAIMON_OK) {
        status = make_target(into, json, err);
    }
    if (status == PAIMON_OK) {
        status = make_plan(source, where, &plan, err);
    }
    for (int i = 0; i < N_WORKERS && status == PAIMON_OK; i++) {
        const char *words[] = { path, json, into, where != NULL ? where : "-" };
        for (int w = 0; w < 4 && status == PAIMON_OK; w++) {
            status = send_frame(workers[i].to, words[w], strlen(words[w])) ? PAIMON_OK : PAIMON_IO;
        }
    }
    if (status == PAIMON_OK) {
        printf("%zu splits for %d workers\n", paimon_plan_n_splits(plan), N_WORKERS);
        status = deal_splits(plan, workers, err);
    }
    for (int i = 0; i < N_WORKERS; i++) {
        close(workers[i].to); /* the end of its splits */
    }
    for (int i = 0; i < N_WORKERS && status == PAIMON_OK; i++) {
        lists[n_good] = collect(&workers[i], err);
        n_good += lists[n_good] != NULL;
    }
    if (status == PAIMON_OK) {
        status = commit_once(into, lists, n_good, err);
    }
    for (int i = 0; i < n_good; i++) {
        paimon_message_list_free(lists[i]);
    }
    paimon_string_free(json);
    paimon_plan_free(plan);
    paimon_table_free(source);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: coordinator SOURCE TARGET [WHERE]\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN); /* a worker that is gone is an error of write */
    worker workers[N_WORKERS] = { { 0 } };
    paimon_error err = PAIMON_ERROR_INIT;
    for (int i = 0; i < N_WORKERS; i++) {
        if (!start_worker(&workers[i], workers, i)) {
            fprintf(stderr, "coordinator: a worker cannot be started\n");
            return 1;
        }
    }
    paimon_status status = coordinate(workers, argv[1], argv[2], argc == 4 ? argv[3] : NULL, &err);
    int code = status == PAIMON_OK ? 0 : 1;
    if (code != 0 && *paimon_error_message(&err)) {
        complain(argv[1], &err);
    }
    for (int i = 0; i < N_WORKERS; i++) {
        int how = 0;
        close(workers[i].from);
        if (waitpid(workers[i].pid, &how, 0) != workers[i].pid || !WIFEXITED(how) || WEXITSTATUS(how) != 0) {
            code = 1;
        }
    }
    return code;
}
