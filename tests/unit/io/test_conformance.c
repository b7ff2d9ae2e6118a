/* One suite that every file system must pass, run against the local disk (plain paths and URIs), memory, and the fault wrapper
 * without faults. */
#include "support/unit.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/bytes.h"
#include "io/env.h"
#include "io/fault.h"
#include "io/fs.h"
#include "io/tree.h"
#include "io/fs_impl.h"
#include "support/failing_alloc.h"
#include "support/remove_tree.h"

typedef struct place {
    paimon_fs *fs;
    char root[200];
    char disk[200]; /* the same for the system; empty if there is none */
} place;

static const char *at(const place *p, const char *relative)
{
    static char paths[8][600];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", p->root, relative);
    return path;
}

/* ---- small helpers with their checks inside ---- */

static void write_file(const place *p, const char *name, const char *text)
{
    paimon_error err = PAIMON_ERROR_INIT;
    if (pmn_fs_write_new(p->fs, at(p, name), text, strlen(text), &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
}

static void has_text(const place *p, const char *name, const char *text)
{
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_buf buf;
    pmn_buf_init(&buf, pmn_mem_default(), 1 << 20);
    if (pmn_fs_read_all(pmn_mem_default(), p->fs, at(p, name), 1 << 20, &buf, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    assert_int_equal(buf.size, strlen(text));
    if (buf.size) assert_memory_equal(buf.data, text, buf.size);
    pmn_buf_free(&buf);
}

static bool exists(const place *p, const char *name)
{
    bool there;
    assert_int_equal(pmn_fs_exists(p->fs, at(p, name), &there, NULL, NULL), PAIMON_OK);
    return there;
}

static int add_name(void *arg, const paimon_file_info *info)
{
    char line[300];
    snprintf(line, sizeof line, "%s%s:%lld ", info->name, info->is_directory ? "/" : "", (long long)info->size_bytes);
    strcat((char *)arg, line);
    return 0;
}

static int count_one(void *arg, const paimon_file_info *info)
{
    (void)info;
    ++*(int *)arg;
    return 0;
}

static int stop_at_once(void *arg, const paimon_file_info *info)
{
    count_one(arg, info);
    return 1;
}

static int count_entries(const place *p, const char *name)
{
    int n = 0;
    assert_int_equal(pmn_fs_list(p->fs, at(p, name), count_one, &n, NULL), PAIMON_OK);
    return n;
}

/* ---- the suite ---- */

static void written_files_are_read_back(const place *p)
{
    write_file(p, "a/b/file", "hello");
    has_text(p, "a/b/file", "hello");
    write_file(p, "a/empty", "");
    has_text(p, "a/empty", "");
    write_file(p, "a/\xc3\xa4 b=c%2F", "odd name");
    has_text(p, "a/\xc3\xa4 b=c%2F", "odd name");
}

static void a_file_that_exists_is_not_written_over(const place *p)
{
    paimon_error err = PAIMON_ERROR_INIT;
    write_file(p, "taken", "first");
    assert_int_equal(pmn_fs_write_new(p->fs, at(p, "taken"), "second", 6, &err), PAIMON_ALREADY_EXISTS);
    assert_non_null(strstr(paimon_error_message(&err), "taken"));
    has_text(p, "taken", "first");
    /* Also when it came while we wrote. */
    void *file;
    assert_int_equal(p->fs->vtable.open_write(p->fs->ctx, at(p, "late"), &file, &err), PAIMON_OK);
    assert_int_equal(p->fs->vtable.write(p->fs->ctx, file, "mine", 4, &err), PAIMON_OK);
    assert_false(exists(p, "late"));
    write_file(p, "late", "theirs");
    assert_int_equal(p->fs->vtable.finish_write(p->fs->ctx, file, &err), PAIMON_ALREADY_EXISTS);
    has_text(p, "late", "theirs");
    paimon_error_clear(&err);
}

static void an_aborted_file_leaves_nothing(const place *p)
{
    void *file;
    assert_int_equal(p->fs->vtable.open_write(p->fs->ctx, at(p, "gone/x"), &file, NULL), PAIMON_OK);
    assert_int_equal(p->fs->vtable.write(p->fs->ctx, file, "some", 4, NULL), PAIMON_OK);
    p->fs->vtable.abort_write(p->fs->ctx, file);
    assert_int_equal(count_entries(p, "gone"), 0);
}

static void ranges_are_read_in_any_order(const place *p)
{
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_input *input;
    char a[3], b[4], c[1];
    write_file(p, "ranges", "0123456789");
    assert_int_equal(pmn_input_open(pmn_mem_default(), p->fs, at(p, "ranges"), -1, &input, &err), PAIMON_OK);
    assert_int_equal(pmn_input_size(input), 10);
    assert_string_equal(pmn_input_path(input), at(p, "ranges"));
    paimon_read_range ranges[] = { { 7, 3, a }, { 0, 4, b }, { 10, 0, c } };
    assert_int_equal(pmn_input_read_ranges(input, ranges, 3, &err), PAIMON_OK);
    assert_memory_equal(a, "789", 3);
    assert_memory_equal(b, "0123", 4);
    static const struct {
        int64_t offset, n;
    } bad[] = { { 8, 3 }, { 11, 0 }, { -1, 1 }, { 0, -1 }, { INT64_MAX, 1 }, { 1, INT64_MAX } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(pmn_input_read(input, bad[i].offset, bad[i].n, a, &err), PAIMON_CORRUPT);
        assert_non_null(strstr(paimon_error_message(&err), "ranges"));
        assert_non_null(strstr(paimon_error_message(&err), "10 bytes"));
    }
    pmn_input_close(input);
    /* A known size is believed, until the file turns out to be shorter. */
    assert_int_equal(pmn_input_open(pmn_mem_default(), p->fs, at(p, "ranges"), 12, &input, &err), PAIMON_OK);
    assert_int_equal(pmn_input_size(input), 12);
    assert_int_equal(pmn_input_read(input, 9, 3, a, &err), PAIMON_IO);
    assert_non_null(strstr(paimon_error_message(&err), "ranges"));
    pmn_input_close(input);
    pmn_input_close(NULL);
    paimon_error_clear(&err);
}

static void an_open_file_is_read_on_after_its_removal(const place *p)
{
    pmn_input *input;
    char a[5];
    write_file(p, "doomed", "hello");
    assert_int_equal(pmn_input_open(pmn_mem_default(), p->fs, at(p, "doomed"), 5, &input, NULL), PAIMON_OK);
    const char *paths[] = { at(p, "doomed") };
    assert_int_equal(p->fs->vtable.remove(p->fs->ctx, paths, 1, NULL), PAIMON_OK);
    assert_false(exists(p, "doomed"));
    assert_int_equal(pmn_input_read(input, 0, 5, a, NULL), PAIMON_OK);
    assert_memory_equal(a, "hello", 5);
    pmn_input_close(input);
}

static void absent_things_are_not_found(const place *p)
{
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_input *input;
    paimon_file_info info;
    int n = 0;
    bool there = true;
    assert_int_equal(pmn_input_open(pmn_mem_default(), p->fs, at(p, "none"), -1, &input, &err), PAIMON_NOT_FOUND);
    assert_non_null(strstr(paimon_error_message(&err), "none"));
    assert_null(input);
    assert_int_equal(pmn_input_open(pmn_mem_default(), p->fs, at(p, "none"), 5, &input, &err), PAIMON_NOT_FOUND);
    assert_int_equal(p->fs->vtable.stat(p->fs->ctx, at(p, "none"), &info, &err), PAIMON_NOT_FOUND);
    assert_int_equal(p->fs->vtable.list(p->fs->ctx, at(p, "none"), count_one, &n, &err), PAIMON_NOT_FOUND);
    assert_int_equal(p->fs->vtable.remove_directory(p->fs->ctx, at(p, "none"), &err), PAIMON_NOT_FOUND);
    paimon_error_clear(&err);
    assert_int_equal(pmn_fs_list(p->fs, at(p, "none"), count_one, &n, &err), PAIMON_OK);
    assert_int_equal(n, 0);
    assert_int_equal(pmn_fs_exists(p->fs, at(p, "none/below"), &there, NULL, &err), PAIMON_OK);
    assert_false(there);
    assert_null(err.message);
}

static void folders_are_not_files(const place *p)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_file_info info;
    pmn_input *input;
    assert_int_equal(p->fs->vtable.make_directories(p->fs->ctx, at(p, "d/e/f"), &err), PAIMON_OK);
    assert_int_equal(p->fs->vtable.make_directories(p->fs->ctx, at(p, "d/e/f/"), &err), PAIMON_OK);
    assert_int_equal(p->fs->vtable.stat(p->fs->ctx, at(p, "d/e"), &info, &err), PAIMON_OK);
    assert_true(info.is_directory);
    assert_int_equal(info.size_bytes, 0);
    assert_int_equal(pmn_input_open(pmn_mem_default(), p->fs, at(p, "d/e"), -1, &input, &err), PAIMON_IO);
    const char *paths[] = { at(p, "d/e") };
    assert_int_not_equal(p->fs->vtable.remove(p->fs->ctx, paths, 1, &err), PAIMON_OK);
    assert_true(exists(p, "d/e"));
    write_file(p, "d/file", "x");
    assert_int_equal(pmn_fs_write_new(p->fs, at(p, "d/file/below"), "x", 1, &err), PAIMON_IO);
    assert_int_not_equal(p->fs->vtable.make_directories(p->fs->ctx, at(p, "d/file"), &err), PAIMON_OK);
    assert_int_not_equal(p->fs->vtable.make_directories(p->fs->ctx, at(p, "d/file/below"), &err), PAIMON_OK);
    assert_int_equal(p->fs->vtable.remove_directory(p->fs->ctx, at(p, "d"), &err), PAIMON_IO); /* not empty */
    assert_int_equal(p->fs->vtable.remove_directory(p->fs->ctx, at(p, "d/e/f"), &err), PAIMON_OK);
    assert_false(exists(p, "d/e/f"));
    paimon_error_clear(&err);
}

static void listings_show_direct_children_once(const place *p)
{
    char names[1000] = "";
    int n = 0;
    write_file(p, "list/one", "1");
    write_file(p, "list/sub/deep/er", "22");
    write_file(p, "list-not", "333");
    write_file(p, "list.x", "333");
    write_file(p, "list0", "333");
    assert_int_equal(pmn_fs_list(p->fs, at(p, "list"), add_name, names, NULL), PAIMON_OK);
    assert_true(strcmp(names, "one:1 sub/:0 ") == 0 || strcmp(names, "sub/:0 one:1 ") == 0);
    assert_int_equal(pmn_fs_list(p->fs, at(p, "list"), stop_at_once, &n, NULL), PAIMON_OK);
    assert_int_equal(n, 1);
    for (int i = 0; i < 40; i++) {
        char name[30];
        snprintf(name, sizeof name, "many/%d", i);
        write_file(p, name, "");
    }
    assert_int_equal(count_entries(p, "many"), 40);
    assert_int_equal(count_entries(p, "many/"), 40);
}

static void removal_tries_all_and_forgives_absent_ones(const place *p)
{
    paimon_error err = PAIMON_ERROR_INIT;
    write_file(p, "r/1", "");
    write_file(p, "r/2", "");
    assert_int_equal(p->fs->vtable.make_directories(p->fs->ctx, at(p, "r/dir"), &err), PAIMON_OK);
    const char *paths[] = { at(p, "r/none"), at(p, "r/1"), at(p, "r/dir"), at(p, "r/2") };
    assert_int_not_equal(p->fs->vtable.remove(p->fs->ctx, paths, 4, &err), PAIMON_OK);
    assert_non_null(strstr(paimon_error_message(&err), "r/dir"));
    assert_int_equal(count_entries(p, "r"), 1);
    assert_int_equal(p->fs->vtable.remove(p->fs->ctx, paths, 2, &err), PAIMON_OK);
    paimon_error_clear(&err);
}

static void a_tree_is_removed_whole(const place *p)
{
    bool exists = true;
    assert_int_equal(pmn_fs_write_new(p->fs, at(p, "tree/a/b/c"), "x", 1, NULL), PAIMON_OK);
    assert_int_equal(pmn_fs_write_new(p->fs, at(p, "tree/a-b"), "x", 1, NULL), PAIMON_OK);
    assert_int_equal(pmn_fs_write_new(p->fs, at(p, "tree-not"), "x", 1, NULL), PAIMON_OK);
    assert_int_equal(pmn_fs_remove_tree(pmn_mem_default(), p->fs, at(p, "tree"), NULL), PAIMON_OK);
    assert_int_equal(pmn_fs_exists(p->fs, at(p, "tree"), &exists, NULL, NULL), PAIMON_OK);
    assert_false(exists);
    has_text(p, "tree-not", "x");
    assert_int_equal(pmn_fs_remove_tree(pmn_mem_default(), p->fs, at(p, "tree"), NULL), PAIMON_OK);
}

static void a_folder_is_renamed_unless_the_name_is_taken(const place *p)
{
    char from[512], other[512];
    bool exists = true;
    strcpy(from, at(p, "old"));
    strcpy(other, at(p, "other"));
    write_file(p, "old/x/y", "deep");
    write_file(p, "old/z", "flat");
    write_file(p, "old-not", "stays");
    assert_int_equal(p->fs->vtable.make_directories(p->fs->ctx, other, NULL), PAIMON_OK);
    assert_int_equal(pmn_fs_rename_directory(p->fs, from, other, NULL), PAIMON_ALREADY_EXISTS); /* an empty folder, too */
    assert_int_equal(pmn_fs_rename_directory(p->fs, from, at(p, "old-not"), NULL), PAIMON_ALREADY_EXISTS);
    assert_int_equal(pmn_fs_rename_directory(p->fs, from, at(p, "new"), NULL), PAIMON_OK);
    has_text(p, "new/x/y", "deep");
    has_text(p, "new/z", "flat");
    has_text(p, "old-not", "stays");
    assert_int_equal(pmn_fs_exists(p->fs, from, &exists, NULL, NULL), PAIMON_OK);
    assert_false(exists);
    assert_int_equal(pmn_fs_rename_directory(p->fs, from, at(p, "newer"), NULL), PAIMON_NOT_FOUND);
}

static void publishing_happens_once(const place *p)
{
    paimon_publish_result result;
    assert_int_equal(pmn_fs_publish(p->fs, at(p, "pub/snapshot-1"), "first", 5, &result, NULL), PAIMON_OK);
    assert_int_equal(result, PAIMON_PUBLISH_CREATED);
    assert_int_equal(pmn_fs_publish(p->fs, at(p, "pub/snapshot-1"), "again", 5, &result, NULL), PAIMON_OK);
    assert_int_equal(result, PAIMON_PUBLISH_EXISTS);
    has_text(p, "pub/snapshot-1", "first");
    assert_int_equal(count_entries(p, "pub"), 1); /* no temporary file is left */
    assert_int_equal(p->fs->vtable.make_directories(p->fs->ctx, at(p, "pub/dir"), NULL), PAIMON_OK);
    assert_int_equal(pmn_fs_publish(p->fs, at(p, "pub/dir"), "x", 1, &result, NULL), PAIMON_OK);
    assert_int_equal(result, PAIMON_PUBLISH_EXISTS);
}

static void replacing_gives_the_new_bytes(const place *p)
{
    for (int i = 0; i < 5; i++) {
        char text[8];
        snprintf(text, sizeof text, "%d", i * i);
        assert_int_equal(pmn_fs_replace(p->fs, at(p, "hint/LATEST"), text, strlen(text), NULL), PAIMON_OK);
        has_text(p, "hint/LATEST", text);
    }
    assert_int_equal(count_entries(p, "hint"), 1);
    assert_int_equal(p->fs->vtable.make_directories(p->fs->ctx, at(p, "hint/dir"), NULL), PAIMON_OK);
    assert_int_not_equal(pmn_fs_replace(p->fs, at(p, "hint/dir"), "x", 1, NULL), PAIMON_OK);
}

static void whole_reads_keep_to_their_ceiling(const place *p)
{
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_buf buf;
    pmn_buf_init(&buf, pmn_mem_default(), 100);
    write_file(p, "large", "0123456789");
    assert_int_equal(pmn_fs_read_all(pmn_mem_default(), p->fs, at(p, "large"), 9, &buf, &err), PAIMON_CORRUPT);
    assert_int_equal(buf.size, 0);
    assert_int_equal(pmn_fs_read_all(pmn_mem_default(), p->fs, at(p, "large"), 10, &buf, &err), PAIMON_OK);
    assert_int_equal(pmn_fs_read_all(pmn_mem_default(), p->fs, at(p, "large"), 10, &buf, &err), PAIMON_OK);
    assert_memory_equal(buf.data, "01234567890123456789", 20);
    pmn_buf_free(&buf);
    paimon_error_clear(&err);
}

static void modification_times_are_of_now(const place *p)
{
    paimon_file_info info;
    write_file(p, "dated", "x");
    assert_int_equal(p->fs->vtable.stat(p->fs->ctx, at(p, "dated"), &info, NULL), PAIMON_OK);
    int64_t now = (int64_t)time(NULL) * 1000;
    assert_true(info.modified_ms > now - 60000 && info.modified_ms < now + 60000);
    assert_int_equal(info.size_bytes, 1);
}

/* ---- races ---- */

typedef struct racer {
    const place *p;
    int id;
    atomic_int *winners; /* a counter a path */
    int lost_text;
} racer;

enum { RACES = 25, RACERS = 4 };

static void *race(void *arg)
{
    racer *r = arg;
    for (int i = 0; i < RACES; i++) {
        char path[600], text[40];
        snprintf(path, sizeof path, "%s/race/%d", r->p->root, i);
        snprintf(text, sizeof text, "racer %d in %d", r->id, i);
        paimon_publish_result result;
        if (pmn_fs_publish(r->p->fs, path, text, strlen(text), &result, NULL) != PAIMON_OK) abort();
        if (result == PAIMON_PUBLISH_UNKNOWN) abort();
        if (result == PAIMON_PUBLISH_CREATED) {
            atomic_fetch_add(&r->winners[i], 1);
            pmn_buf buf;
            pmn_buf_init(&buf, pmn_mem_default(), 100);
            if (pmn_fs_read_all(pmn_mem_default(), r->p->fs, path, 100, &buf, NULL) != PAIMON_OK) abort();
            if (!pmn_slice_equal(pmn_slice_of(buf.data, buf.size), pmn_slice_text(text))) r->lost_text++;
            pmn_buf_free(&buf);
        }
    }
    return NULL;
}

static void of_racing_threads_one_wins(const place *p)
{
    static atomic_int winners[RACES];
    pthread_t threads[RACERS];
    racer racers[RACERS];
    for (int i = 0; i < RACES; i++) atomic_store(&winners[i], 0);
    for (int i = 0; i < RACERS; i++) {
        racers[i] = (racer){ p, i, winners, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    }
    for (int i = 0; i < RACERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(racers[i].lost_text, 0);
    }
    for (int i = 0; i < RACES; i++) assert_int_equal(atomic_load(&winners[i]), 1);
    assert_int_equal(count_entries(p, "race"), RACES);
}

static void of_racing_processes_one_wins(const place *p)
{
    int pipes[2];
    if (!p->disk[0]) return; /* memory is not shared */
    assert_int_equal(pipe(pipes), 0);
    for (int i = 0; i < RACERS; i++) {
        pid_t child = fork();
        if (child == 0) {
            static atomic_int winners[RACES];
            racer me = { p, i, winners, 0 };
            place other = *p;
            snprintf(other.root, sizeof other.root, "%.150s/procs", p->root);
            me.p = &other;
            race(&me);
            char line[RACES + 1];
            for (int k = 0; k < RACES; k++) line[k] = (char)(atomic_load(&winners[k]) + (me.lost_text ? 50 : 0));
            if (write(pipes[1], line, RACES) != RACES) _exit(1);
            _exit(0);
        }
    }
    close(pipes[1]);
    int wins[RACES] = { 0 };
    for (int i = 0; i < RACERS; i++) {
        char line[RACES];
        for (ssize_t got = 0, n; got < RACES; got += n) {
            n = read(pipes[0], line + got, (size_t)(RACES - got));
            assert_true(n > 0);
        }
        for (int k = 0; k < RACES; k++) wins[k] += line[k];
    }
    close(pipes[0]);
    for (int i = 0; i < RACERS; i++) {
        int how;
        assert_true(wait(&how) > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0);
    }
    for (int k = 0; k < RACES; k++) assert_int_equal(wins[k], 1);
    assert_int_equal(count_entries(p, "procs/race"), RACES);
}

typedef struct reader_job {
    const place *p;
    atomic_bool stop;
    int torn;
} reader_job;

static void *read_hint(void *arg)
{
    reader_job *job = arg;
    char path[600];
    snprintf(path, sizeof path, "%s/swap", job->p->root);
    while (!atomic_load(&job->stop)) {
        pmn_buf buf;
        pmn_buf_init(&buf, pmn_mem_default(), 10000);
        if (pmn_fs_read_all(pmn_mem_default(), job->p->fs, path, 10000, &buf, NULL) != PAIMON_OK || buf.size < 100) job->torn++;
        else
            for (size_t i = 1; i < buf.size; i++) job->torn += buf.data[i] != buf.data[0];
        pmn_buf_free(&buf);
    }
    return NULL;
}

static void a_reader_sees_old_or_new_and_nothing_between(const place *p)
{
    char text[3000];
    reader_job job = { p, false, 0 };
    pthread_t thread;
    memset(text, 'a', sizeof text);
    assert_int_equal(pmn_fs_replace(p->fs, at(p, "swap"), text, 100, NULL), PAIMON_OK);
    assert_int_equal(pthread_create(&thread, NULL, read_hint, &job), 0);
    for (int i = 0; i < 30; i++) {
        memset(text, 'a' + i % 26, sizeof text);
        assert_int_equal(pmn_fs_replace(p->fs, at(p, "swap"), text, (size_t)(100 + i * 40), NULL), PAIMON_OK);
    }
    atomic_store(&job.stop, true);
    pthread_join(thread, NULL);
    assert_int_equal(job.torn, 0);
}

typedef void (*check)(const place *p);

static void run_suite(const place *p)
{
    static const check suite[] = {
        written_files_are_read_back,
        a_file_that_exists_is_not_written_over,
        an_aborted_file_leaves_nothing,
        ranges_are_read_in_any_order,
        an_open_file_is_read_on_after_its_removal,
        absent_things_are_not_found,
        folders_are_not_files,
        listings_show_direct_children_once,
        removal_tries_all_and_forgives_absent_ones,
        a_tree_is_removed_whole,
        a_folder_is_renamed_unless_the_name_is_taken,
        publishing_happens_once,
        replacing_gives_the_new_bytes,
        whole_reads_keep_to_their_ceiling,
        modification_times_are_of_now,
        of_racing_threads_one_wins,
        of_racing_processes_one_wins,
        a_reader_sees_old_or_new_and_nothing_between,
    };
    for (size_t i = 0; i < sizeof suite / sizeof *suite; i++) suite[i](p);
}

static void on_disk(const char *prefix, bool faulty)
{
    place p = { NULL, "", "" };
    paimon_fs *local;
    pmn_fault *fault;
    strcpy(p.disk, "/tmp/paimon-io-XXXXXX");
    assert_non_null(mkdtemp(p.disk));
    snprintf(p.root, sizeof p.root, "%s%s", prefix, p.disk);
    assert_int_equal(paimon_fs_local(NULL, &local, NULL), PAIMON_OK);
    if (faulty) assert_int_equal(pmn_fault_fs_new(pmn_mem_default(), local, &p.fs, &fault, NULL), PAIMON_OK);
    else p.fs = paimon_fs_retain(local);
    run_suite(&p);
    paimon_fs_free(p.fs);
    paimon_fs_free(local);
    remove_tree(p.disk);
}

static void the_local_disk_conforms(void **state)
{
    (void)state;
    on_disk("", false);
}
static void the_local_disk_conforms_by_uri(void **state)
{
    (void)state;
    on_disk("file://", false);
}
static void a_file_system_without_planned_faults_conforms(void **state)
{
    (void)state;
    on_disk("", true);
}
static void memory_conforms(void **state)
{
    (void)state;
    static const char *const roots[] = { "/root/x", "memory://b/x", "relative" };
    for (size_t i = 0; i < 3; i++) {
        place p = { NULL, "", "" };
        strcpy(p.root, roots[i]);
        assert_int_equal(paimon_fs_memory(NULL, &p.fs, NULL), PAIMON_OK);
        run_suite(&p);
        paimon_fs_free(p.fs);
    }
}

static void long_names_have_temporary_names_that_fit(void **state)
{
    (void)state;
    place p = { NULL, "", "" };
    char name[300];
    strcpy(p.root, "/tmp/paimon-io-XXXXXX");
    assert_non_null(mkdtemp(p.root));
    assert_int_equal(paimon_fs_local(NULL, &p.fs, NULL), PAIMON_OK);
    for (size_t n = 200; n <= 255; n++) {
        memset(name, 'n', n);
        name[n] = 0;
        write_file(&p, name, "x");
        has_text(&p, name, "x");
    }
    memset(name, 'n', 256);
    name[256] = 0;
    assert_int_equal(pmn_fs_write_new(p.fs, at(&p, name), "x", 1, NULL), PAIMON_IO);
    remove_tree(p.root);
    paimon_fs_free(p.fs);
}

static void odd_uris_are_invalid(void **state)
{
    (void)state;
    paimon_fs *fs;
    assert_int_equal(paimon_fs_local(NULL, &fs, NULL), PAIMON_OK);
    static const char *const bad[] = { "file:relative", "file://host/x", "", "file:", "file://" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool there;
        paimon_publish_result result;
        assert_int_equal(pmn_fs_exists(fs, bad[i], &there, NULL, NULL), PAIMON_INVALID);
        assert_int_equal(pmn_fs_publish(fs, bad[i], "", 0, &result, NULL), PAIMON_INVALID);
    }
    bool there = false;
    assert_int_equal(pmn_fs_exists(fs, "file://localhost/tmp", &there, NULL, NULL), PAIMON_OK);
    assert_true(there);
    assert_int_equal(pmn_fs_write_new(fs, "/tmp/", "", 0, NULL), PAIMON_ALREADY_EXISTS);
    paimon_fs_free(fs);
}

/* ---- memory refused ---- */

static paimon_status use_fs(pmn_mem *mem, paimon_fs *fs, const char *root)
{
    char path[300];
    pmn_buf buf;
    pmn_buf_init(&buf, mem, 100);
    paimon_publish_result result;
    int n = 0;
    bool there;
    paimon_status status;
    snprintf(path, sizeof path, "%s/x/y/f", root);
    PMN_GOTO(status, fs->vtable.make_directories(fs->ctx, path, NULL), done);
    PMN_GOTO(status, fs->vtable.remove_directory(fs->ctx, path, NULL), done);
    PMN_GOTO(status, pmn_fs_write_new(fs, path, "x", 1, NULL), done);
    PMN_GOTO(status, pmn_fs_replace(fs, path, "xy", 2, NULL), done);
    PMN_GOTO(status, pmn_fs_exists(fs, path, &there, NULL, NULL), done);
    PMN_GOTO(status, pmn_fs_read_all(mem, fs, path, 100, &buf, NULL), done);
    snprintf(path, sizeof path, "%s/x/y/g", root);
    PMN_GOTO(status, pmn_fs_publish(fs, path, "x", 1, &result, NULL), done);
    snprintf(path, sizeof path, "%s/x/y", root);
    PMN_GOTO(status, pmn_fs_list(fs, path, count_one, &n, NULL), done);
done:
    pmn_buf_free(&buf);
    return status;
}

static paimon_status use_local(pmn_mem *mem, void *arg)
{
    (void)arg;
    paimon_fs *fs;
    char root[] = "/tmp/paimon-io-XXXXXX";
    PMN_TRY(pmn_fs_local_new(mem, PAIMON_SYNC_DURABLE, &fs, NULL));
    if (!mkdtemp(root)) abort();
    paimon_status status = use_fs(mem, fs, root);
    paimon_fs_free(fs);
    remove_tree(root);
    return status;
}

static paimon_status use_memory(pmn_mem *mem, void *arg)
{
    (void)arg;
    paimon_fs *fs, *faulty = NULL;
    pmn_fault *fault;
    PMN_TRY(pmn_fs_memory_new(mem, &fs, NULL));
    paimon_status status = pmn_fault_fs_new(mem, fs, &faulty, &fault, NULL);
    if (status == PAIMON_OK) status = use_fs(mem, faulty, "r");
    paimon_fs_free(faulty);
    paimon_fs_free(fs);
    return status;
}

static void every_refusal_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    assert_true(failing_alloc_sweep(use_local, NULL) > 10);
    assert_true(failing_alloc_sweep(use_memory, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_local_disk_conforms),
        cmocka_unit_test(the_local_disk_conforms_by_uri),
        cmocka_unit_test(a_file_system_without_planned_faults_conforms),
        cmocka_unit_test(memory_conforms),
        cmocka_unit_test(long_names_have_temporary_names_that_fit),
        cmocka_unit_test(odd_uris_are_invalid),
        cmocka_unit_test(every_refusal_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("file systems", tests, NULL, NULL);
}
