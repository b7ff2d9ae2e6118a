#include "io/fault.h"

#include <pthread.h>
#include <string.h>

#include "io/fs_impl.h"

typedef struct fault_record {
    pmn_fault_op op;
    char *path;
} fault_record;

struct pmn_fault {
    pmn_mem *mem;     /* counted */
    paimon_fs *inner; /* counted */
    pthread_mutex_t lock;
    fault_record *records;
    size_t capacity;
    int64_t n; /* operations; records are kept for all of them unless memory ran out */
    size_t n_records;
    int64_t at;
    pmn_fault_kind kind;
    bool dead;
};

static void forget_records(pmn_fault *f)
{
    for (size_t i = 0; i < f->n_records; i++) pmn_strfree(f->mem, f->records[i].path);
    f->n_records = 0;
    f->n = 0;
}

void pmn_fault_plan(pmn_fault *f, int64_t at, pmn_fault_kind kind)
{
    pthread_mutex_lock(&f->lock);
    forget_records(f);
    f->at = at;
    f->kind = kind;
    f->dead = false;
    pthread_mutex_unlock(&f->lock);
}

int64_t pmn_fault_count(pmn_fault *f)
{
    pthread_mutex_lock(&f->lock);
    int64_t n = f->n;
    pthread_mutex_unlock(&f->lock);
    return n;
}

pmn_fault_op pmn_fault_op_at(pmn_fault *f, int64_t i, const char **path)
{
    pthread_mutex_lock(&f->lock);
    bool there = i >= 0 && (size_t)i < f->n_records;
    pmn_fault_op op = there ? f->records[i].op : PMN_FAULT_OP_STAT;
    if (path) *path = there && f->records[i].path ? f->records[i].path : "";
    pthread_mutex_unlock(&f->lock);
    return op;
}

static void record(pmn_fault *f, pmn_fault_op op, const char *path)
{
    fault_record *grown = (fault_record *)pmn_grow(f->mem, f->records, f->n_records, 1, &f->capacity, sizeof *grown);
    if (!grown) return;
    f->records = grown;
    f->records[f->n_records].op = op;
    f->records[f->n_records++].path = path ? pmn_strndup(f->mem, path, strlen(path)) : NULL;
}

/* What is to happen to this operation. */
static pmn_fault_kind enter_operation(pmn_fault *f, pmn_fault_op op, const char *path)
{
    pthread_mutex_lock(&f->lock);
    pmn_fault_kind kind = PMN_FAULT_NONE;
    if (f->dead) {
        kind = PMN_FAULT_KILL;
    } else {
        record(f, op, path);
        if (op != PMN_FAULT_OP_ABORT_WRITE && f->n == f->at) kind = f->kind;
        if (kind == PMN_FAULT_KILL || kind == PMN_FAULT_KILL_AFTER) f->dead = true;
        f->n++;
    }
    pthread_mutex_unlock(&f->lock);
    return kind;
}

static bool is_skipped(pmn_fault_kind kind)
{
    return kind == PMN_FAULT_FAIL || kind == PMN_FAULT_KILL;
}

static paimon_status fail_planned(const char *path, paimon_error *err)
{
    return pmn_fail(err, PAIMON_IO, "%s: a planned fault", path ? path : "an open file");
}

/* Do `call` unless the plan skips it, and answer what the plan says. */
#define FAULTY(op, path, call)                                                                                           \
    do {                                                                                                                 \
        pmn_fault *f = (pmn_fault *)ctx;                                                                                 \
        pmn_fault_kind kind = enter_operation(f, op, path);                                                                        \
        if (is_skipped(kind)) return fail_planned(path, err);                                                            \
        paimon_status status = (call);                                                                                   \
        return status == PAIMON_OK && kind != PMN_FAULT_NONE ? fail_planned(path, err) : status;                         \
    } while (0)

static paimon_status fault_open_read(void *ctx, const char *path, int64_t known_size, void **file, int64_t *size, paimon_error *err)
{
    pmn_fault *f = (pmn_fault *)ctx;
    pmn_fault_kind kind = enter_operation(f, PMN_FAULT_OP_OPEN_READ, path);
    if (kind != PMN_FAULT_NONE) return fail_planned(path, err); /* nothing to be seen of a file opened in vain */
    return f->inner->vtable.open_read(f->inner->ctx, path, known_size, file, size, err);
}

static paimon_status fault_read_ranges(void *ctx, void *file, const paimon_read_range *ranges, size_t n, paimon_error *err)
{
    FAULTY(PMN_FAULT_OP_READ, NULL, f->inner->vtable.read_ranges(f->inner->ctx, file, ranges, n, err));
}

static void fault_close_read(void *ctx, void *file)
{
    pmn_fault *f = (pmn_fault *)ctx;
    f->inner->vtable.close_read(f->inner->ctx, file);
}

static paimon_status fault_stat(void *ctx, const char *path, paimon_file_info *info, paimon_error *err)
{
    FAULTY(PMN_FAULT_OP_STAT, path, f->inner->vtable.stat(f->inner->ctx, path, info, err));
}

static paimon_status fault_list(void *ctx, const char *path, paimon_list_fn fn, void *arg, paimon_error *err)
{
    FAULTY(PMN_FAULT_OP_LIST, path, f->inner->vtable.list(f->inner->ctx, path, fn, arg, err));
}

static paimon_status fault_open_write(void *ctx, const char *path, void **file, paimon_error *err)
{
    pmn_fault *f = (pmn_fault *)ctx;
    pmn_fault_kind kind = enter_operation(f, PMN_FAULT_OP_OPEN_WRITE, path);
    if (kind != PMN_FAULT_NONE) return fail_planned(path, err);
    return f->inner->vtable.open_write(f->inner->ctx, path, file, err);
}

static paimon_status fault_write(void *ctx, void *file, const void *bytes, size_t n, paimon_error *err)
{
    FAULTY(PMN_FAULT_OP_WRITE, NULL, f->inner->vtable.write(f->inner->ctx, file, bytes, n, err));
}

static paimon_status fault_finish_write(void *ctx, void *file, paimon_error *err)
{
    pmn_fault *f = (pmn_fault *)ctx;
    pmn_fault_kind kind = enter_operation(f, PMN_FAULT_OP_FINISH_WRITE, NULL);
    if (is_skipped(kind)) {
        f->inner->vtable.abort_write(f->inner->ctx, file); /* the handle is gone after finish, whatever the answer */
        return fail_planned(NULL, err);
    }
    paimon_status status = f->inner->vtable.finish_write(f->inner->ctx, file, err);
    return status == PAIMON_OK && kind != PMN_FAULT_NONE ? fail_planned(NULL, err) : status;
}

static void fault_abort_write(void *ctx, void *file)
{
    pmn_fault *f = (pmn_fault *)ctx;
    enter_operation(f, PMN_FAULT_OP_ABORT_WRITE, NULL);
    f->inner->vtable.abort_write(f->inner->ctx, file);
}

static paimon_status fault_remove(void *ctx, const char *const *paths, size_t n, paimon_error *err)
{
    FAULTY(PMN_FAULT_OP_REMOVE, n ? paths[0] : NULL, f->inner->vtable.remove(f->inner->ctx, paths, n, err));
}

static paimon_status fault_remove_directory(void *ctx, const char *path, paimon_error *err)
{
    FAULTY(PMN_FAULT_OP_REMOVE_DIRECTORY, path, f->inner->vtable.remove_directory(f->inner->ctx, path, err));
}

static paimon_status fault_make_directories(void *ctx, const char *path, paimon_error *err)
{
    FAULTY(PMN_FAULT_OP_MAKE_DIRECTORIES, path, f->inner->vtable.make_directories(f->inner->ctx, path, err));
}

static paimon_status fault_publish(void *ctx, const char *path, const void *bytes, size_t n, paimon_publish_result *result, paimon_error *err)
{
    pmn_fault *f = (pmn_fault *)ctx;
    pmn_fault_kind kind = enter_operation(f, PMN_FAULT_OP_PUBLISH, path);
    *result = PAIMON_PUBLISH_UNKNOWN;
    if (is_skipped(kind)) return fail_planned(path, err);
    paimon_status status = f->inner->vtable.publish_if_absent(f->inner->ctx, path, bytes, n, result, err);
    if (kind != PMN_FAULT_NONE) *result = PAIMON_PUBLISH_UNKNOWN; /* the answer is what got lost */
    return status;
}

static paimon_status fault_replace(void *ctx, const char *path, const void *bytes, size_t n, paimon_error *err)
{
    FAULTY(PMN_FAULT_OP_REPLACE, path, f->inner->vtable.replace(f->inner->ctx, path, bytes, n, err));
}

static paimon_status fault_rename(void *ctx, const char *from, const char *to, paimon_error *err)
{
    if (!((pmn_fault *)ctx)->inner->vtable.rename_directory) return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: this file system renames no folders", from);
    FAULTY(PMN_FAULT_OP_RENAME, from, f->inner->vtable.rename_directory(f->inner->ctx, from, to, err));
}

#undef FAULTY

static void fault_release(void *ctx)
{
    pmn_fault *f = (pmn_fault *)ctx;
    pmn_mem *mem = f->mem;
    forget_records(f);
    pmn_free(mem, f->records, f->capacity * sizeof *f->records);
    paimon_fs_free(f->inner);
    pthread_mutex_destroy(&f->lock);
    pmn_free(mem, f, sizeof *f);
    pmn_mem_release(mem);
}

paimon_status pmn_fault_fs_new(pmn_mem *mem, paimon_fs *inner, paimon_fs **fs, pmn_fault **fault, paimon_error *err)
{
    static const paimon_fs_vtable vtable = { sizeof(paimon_fs_vtable), fault_open_read,   fault_read_ranges, fault_close_read,
                                             fault_stat,               fault_list,        fault_open_write,  fault_write,
                                             fault_finish_write,       fault_abort_write, fault_remove,      fault_remove_directory,
                                             fault_make_directories,   fault_publish,     fault_replace,     fault_release,
                                             fault_rename };
    *fs = NULL;
    *fault = NULL;
    pmn_fault *f = (pmn_fault *)pmn_calloc(mem, 1, sizeof *f);
    if (!f) return pmn_fail_nomem(err, "a file system that fails");
    f->mem = pmn_mem_retain(mem);
    f->inner = paimon_fs_retain(inner);
    f->at = -1;
    pthread_mutex_init(&f->lock, NULL);
    paimon_status status = pmn_fs_make(mem, &vtable, f, fs, err);
    if (status != PAIMON_OK) fault_release(f);
    else *fault = f;
    return status;
}
