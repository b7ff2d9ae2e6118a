/* Callbacks: the library's threads calling functions in Python.
 *
 * cffi makes a C function of each (`extern "Python+C"`), which takes the interpreter's lock. That must not happen once the
 * interpreter winds down: a thread that asks for the lock then never comes back, and whoever waits for it (a stream being
 * released) waits forever. So each call passes a gate, which Python shuts at exit (paimon_py_close) while it can still
 * run those that are inside.
 *
 * File systems, files, versions and log functions are numbers here, looked up in Python: nothing in C can point to an object that is gone.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "bridge.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Defined by cffi. */
extern int paimon_py_open_read(size_t, const char *, int64_t, size_t *, int64_t *, paimon_error *);
extern int paimon_py_read_ranges(size_t, const paimon_read_range *, size_t, paimon_error *);
extern int paimon_py_close_read(size_t);
extern int paimon_py_stat(size_t, const char *, paimon_file_info *, paimon_error *);
extern int paimon_py_list(size_t, const char *, paimon_list_fn, void *, paimon_error *);
extern int paimon_py_open_write(size_t, const char *, size_t *, paimon_error *);
extern int paimon_py_write(size_t, const void *, size_t, paimon_error *);
extern int paimon_py_finish_write(size_t, paimon_error *);
extern int paimon_py_abort_write(size_t);
extern int paimon_py_remove(size_t, const char *const *, size_t, paimon_error *);
extern int paimon_py_remove_directory(size_t, const char *, paimon_error *);
extern int paimon_py_make_directories(size_t, const char *, paimon_error *);
extern int paimon_py_publish(size_t, const char *, const void *, size_t, int *, paimon_error *);
extern int paimon_py_replace(size_t, const char *, const void *, size_t, paimon_error *);
extern int paimon_py_rename_directory(size_t, const char *, const char *, paimon_error *);
extern int paimon_py_release(size_t);
extern int paimon_py_latest_snapshot(size_t, const char *, paimon_text_fn, void *, paimon_error *);
extern int paimon_py_snapshot(size_t, const char *, int64_t, paimon_text_fn, void *, paimon_error *);
extern int paimon_py_earliest_snapshot_id(size_t, const char *, int64_t *, paimon_error *);
extern int paimon_py_schema(size_t, const char *, int64_t, paimon_text_fn, void *, paimon_error *);
extern int paimon_py_publish_snapshot(size_t, const paimon_publication *, int *, paimon_error *);
extern int paimon_py_step(size_t, const paimon_progress *);
extern void paimon_py_log_line(size_t, int, const char *);

/* ---- errors ---- */

static void free_message(paimon_error *err)
{
    free(err->message);
    err->message = NULL;
    err->release = NULL;
}

void paimon_py_fail(paimon_error *err, int status, int32_t sys_errno, const char *text)
{
    if (!err) return;
    paimon_error_clear(err);
    err->code = (paimon_status)status;
    err->sys_errno = sys_errno;
    err->message = strdup(text); /* without memory the status alone has to do */
    err->release = err->message ? free_message : NULL;
}

/* ---- the gate ---- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_empty = PTHREAD_COND_INITIALIZER;
static int n_inside;
static bool is_shut;

static bool enter_python(void)
{
    pthread_mutex_lock(&gate);
    bool open = !is_shut;
    if (open) n_inside++;
    pthread_mutex_unlock(&gate);
    return open;
}

static void leave_python(void)
{
    pthread_mutex_lock(&gate);
    if (--n_inside == 0) pthread_cond_broadcast(&gate_empty);
    pthread_mutex_unlock(&gate);
}

#define LONGEST_EXIT_S 5 /* for a function that never returns */

void paimon_py_close(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LONGEST_EXIT_S;
    pthread_mutex_lock(&gate);
    is_shut = true;
    while (n_inside > 0 && pthread_cond_timedwait(&gate_empty, &gate, &until) != ETIMEDOUT) continue;
    pthread_mutex_unlock(&gate);
}

void paimon_py_after_fork(void)
{
    pthread_mutex_init(&gate, NULL);
    pthread_cond_init(&gate_empty, NULL);
    n_inside = 0;
}

/* Ctrl-C while Python was called: that call ends, and so does the library's; the signal is set again, for Python to see when it gets there,
 * whoever called the library. */
#define INTERRUPTED (-1)

static paimon_status pass_on(int answer)
{
    if (answer != INTERRUPTED) return (paimon_status)answer;
    PyErr_SetInterrupt();
    return PAIMON_CANCELLED;
}

/* `call`, if Python still takes calls. */
#define CALL(call)                                                                                     \
    if (!enter_python()) {                                                                             \
        paimon_py_fail(err, PAIMON_CANCELLED, 0, "the Python interpreter is exiting");                 \
        return PAIMON_CANCELLED;                                                                       \
    }                                                                                                  \
    paimon_status status = pass_on(call);                                                              \
    leave_python();

#define CALL_VOID(call)               \
    do {                              \
        if (enter_python()) {         \
            call;                     \
            leave_python();           \
        }                             \
    } while (0)

/* For what has to be done whatever happens, such as closing: Ctrl-C may end Python's part before it has begun, so it is called again, and the
 * signal set again behind it. */
static void call_surely(int (*call)(size_t id), size_t id)
{
    bool interrupted = false;
    if (!enter_python()) return;
    for (int i = 0; i < 3 && call(id) == INTERRUPTED; i++) interrupted = true;
    if (interrupted) PyErr_SetInterrupt();
    leave_python();
}

/* ---- file systems ---- */

#define ID(pointer) ((size_t)(uintptr_t)(pointer))
#define POINTER(id) ((void *)(uintptr_t)(id))

static paimon_status open_read(void *ctx, const char *path, int64_t known_size, void **file, int64_t *size, paimon_error *err)
{
    size_t id = 0;
    CALL(paimon_py_open_read(ID(ctx), path, known_size, &id, size, err))
    *file = POINTER(id);
    return status;
}

static paimon_status read_ranges(void *ctx, void *file, const paimon_read_range *ranges, size_t n, paimon_error *err)
{
    (void)ctx;
    CALL(paimon_py_read_ranges(ID(file), ranges, n, err))
    return status;
}

static void close_read(void *ctx, void *file)
{
    (void)ctx;
    call_surely(paimon_py_close_read, ID(file));
}

static paimon_status stat_path(void *ctx, const char *path, paimon_file_info *info, paimon_error *err)
{
    CALL(paimon_py_stat(ID(ctx), path, info, err))
    return status;
}

static paimon_status list_directory(void *ctx, const char *path, paimon_list_fn fn, void *arg, paimon_error *err)
{
    CALL(paimon_py_list(ID(ctx), path, fn, arg, err))
    return status;
}

static paimon_status open_write(void *ctx, const char *path, void **file, paimon_error *err)
{
    size_t id = 0;
    CALL(paimon_py_open_write(ID(ctx), path, &id, err))
    *file = POINTER(id);
    return status;
}

static paimon_status write_bytes(void *ctx, void *file, const void *bytes, size_t n, paimon_error *err)
{
    (void)ctx;
    CALL(paimon_py_write(ID(file), bytes, n, err))
    return status;
}

static paimon_status finish_write(void *ctx, void *file, paimon_error *err)
{
    (void)ctx;
    CALL(paimon_py_finish_write(ID(file), err))
    return status;
}

static void abort_write(void *ctx, void *file)
{
    (void)ctx;
    call_surely(paimon_py_abort_write, ID(file));
}

static paimon_status remove_paths(void *ctx, const char *const *paths, size_t n, paimon_error *err)
{
    CALL(paimon_py_remove(ID(ctx), paths, n, err))
    return status;
}

static paimon_status remove_directory(void *ctx, const char *path, paimon_error *err)
{
    CALL(paimon_py_remove_directory(ID(ctx), path, err))
    return status;
}

static paimon_status make_directories(void *ctx, const char *path, paimon_error *err)
{
    CALL(paimon_py_make_directories(ID(ctx), path, err))
    return status;
}

static paimon_status publish_if_absent(void *ctx, const char *path, const void *bytes, size_t n, paimon_publish_result *result, paimon_error *err)
{
    int told = PAIMON_PUBLISH_UNKNOWN;
    CALL(paimon_py_publish(ID(ctx), path, bytes, n, &told, err))
    *result = (paimon_publish_result)told;
    return status;
}

static paimon_status replace(void *ctx, const char *path, const void *bytes, size_t n, paimon_error *err)
{
    CALL(paimon_py_replace(ID(ctx), path, bytes, n, err))
    return status;
}

static paimon_status rename_directory(void *ctx, const char *from, const char *to, paimon_error *err)
{
    CALL(paimon_py_rename_directory(ID(ctx), from, to, err))
    return status;
}

static void release(void *ctx)
{
    call_surely(paimon_py_release, ID(ctx));
}

paimon_status paimon_py_fs_new(size_t id, bool can_rename, paimon_fs **fs, paimon_error *err)
{
    paimon_fs_vtable table = {
        .struct_size = sizeof table,
        .open_read = open_read,
        .read_ranges = read_ranges,
        .close_read = close_read,
        .stat = stat_path,
        .list = list_directory,
        .open_write = open_write,
        .write = write_bytes,
        .finish_write = finish_write,
        .abort_write = abort_write,
        .remove = remove_paths,
        .remove_directory = remove_directory,
        .make_directories = make_directories,
        .publish_if_absent = publish_if_absent,
        .replace = replace,
        .release = release,
        .rename_directory = can_rename ? rename_directory : NULL,
    };
    return paimon_fs_new(&table, POINTER(id), fs, err);
}

/* ---- versions that a catalog owns ---- */

static paimon_status latest_snapshot(void *ctx, const char *branch, paimon_text_fn give, void *arg, paimon_error *err)
{
    CALL(paimon_py_latest_snapshot(ID(ctx), branch, give, arg, err))
    return status;
}

static paimon_status one_snapshot(void *ctx, const char *branch, int64_t id, paimon_text_fn give, void *arg, paimon_error *err)
{
    CALL(paimon_py_snapshot(ID(ctx), branch, id, give, arg, err))
    return status;
}

static paimon_status earliest_snapshot_id(void *ctx, const char *branch, int64_t *id, paimon_error *err)
{
    CALL(paimon_py_earliest_snapshot_id(ID(ctx), branch, id, err))
    return status;
}

static paimon_status schema(void *ctx, const char *branch, int64_t id, paimon_text_fn give, void *arg, paimon_error *err)
{
    CALL(paimon_py_schema(ID(ctx), branch, id, give, arg, err))
    return status;
}

static paimon_status publish(void *ctx, const paimon_publication *publication, paimon_publish_result *result, paimon_error *err)
{
    int told = PAIMON_PUBLISH_UNKNOWN;
    CALL(paimon_py_publish_snapshot(ID(ctx), publication, &told, err))
    *result = (paimon_publish_result)told;
    return status;
}

paimon_status paimon_py_versions_new(size_t id, unsigned has, paimon_versions **versions, paimon_error *err)
{
    paimon_versions_vtable table = {
        .struct_size = sizeof table,
        .latest_snapshot = latest_snapshot,
        .snapshot = has & PAIMON_PY_SNAPSHOT ? one_snapshot : NULL,
        .earliest_snapshot_id = has & PAIMON_PY_EARLIEST ? earliest_snapshot_id : NULL,
        .schema = has & PAIMON_PY_SCHEMA ? schema : NULL,
        .publish = has & PAIMON_PY_PUBLISH ? publish : NULL,
        .release = release,
    };
    return paimon_versions_new(&table, POINTER(id), versions, err);
}

/* ---- log and progress ---- */

void paimon_py_log(void *ctx, paimon_log_level level, const char *message)
{
    CALL_VOID(paimon_py_log_line(ID(ctx), (int)level, message));
}

#define SHORTEST_STEP_NS 100000000
#define STEP_CLOCKS 8

/* Each listener has its own clock, so that none uses up another's turns: the first step of a new one is always told. Who listens at the same
 * time has numbers that follow on each other. */
static bool is_too_soon(size_t id)
{
    static _Thread_local struct {
        size_t id;
        int64_t last;
    } clocks[STEP_CLOCKS];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    size_t i = id % STEP_CLOCKS;
    if (clocks[i].id == id && clocks[i].last && ns - clocks[i].last < SHORTEST_STEP_NS) return true;
    clocks[i].id = id;
    clocks[i].last = ns;
    return false;
}

int paimon_py_progress(void *ctx, const paimon_progress *progress)
{
    int answer = 0;
    if (is_too_soon(ID(ctx))) return 0;
    CALL_VOID(answer = paimon_py_step(ID(ctx), progress));
    return (int)pass_on(answer);
}
