/* How an engine embeds the library: it brings memory, threads, log and storage, takes the splits of a plan to threads of its own, watches
 * them, and can stop them.
 *
 *     embedded_reader TABLE [WHERE]
 *
 * The files of TABLE are loaded into memory first; the library reads them there, through the engine's file system.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <paimon-c/paimon.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { N_WORKERS = 3, N_TASK_THREADS = 2, MAX_TASKS = 64 };

/* ---------------------------------------------------------------- memory: counted, with a limit that the engine may move at any time */

typedef struct engine_memory {
    atomic_llong used, peak, limit;
} engine_memory;

static bool reserve_memory(engine_memory *m, size_t size)
{
    long long now = atomic_fetch_add(&m->used, (long long)size) + (long long)size;
    if (now > atomic_load(&m->limit)) {
        atomic_fetch_sub(&m->used, (long long)size);
        return false;
    }
    long long peak = atomic_load(&m->peak);
    while (now > peak && !atomic_compare_exchange_weak(&m->peak, &peak, now)) {
    }
    return true;
}

static void *engine_alloc(void *ctx, size_t size)
{
    engine_memory *m = ctx;
    if (!reserve_memory(m, size)) {
        return NULL;
    }
    void *block = malloc(size > 0 ? size : 1);
    if (block == NULL) {
        atomic_fetch_sub(&m->used, (long long)size);
    }
    return block;
}

static void engine_free(void *ctx, void *block, size_t size)
{
    engine_memory *m = ctx;
    if (block != NULL) {
        atomic_fetch_sub(&m->used, (long long)size);
        free(block);
    }
}

static void *engine_realloc(void *ctx, void *block, size_t old_size, size_t new_size)
{
    void *grown = engine_alloc(ctx, new_size);
    if (grown != NULL && block != NULL) {
        memcpy(grown, block, old_size < new_size ? old_size : new_size);
        engine_free(ctx, block, old_size);
    }
    return grown;
}

/* ---------------------------------------------------------------- threads: a queue of tasks; a full one refuses, and the library goes on by itself */

typedef struct engine_threads {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct {
        void (*run)(void *arg);
        void *arg;
    } tasks[MAX_TASKS];
    int first, n;
    bool stop;
    int64_t done;
    pthread_t threads[N_TASK_THREADS];
} engine_threads;

static int submit_task(void *ctx, void (*run)(void *arg), void *arg)
{
    engine_threads *t = ctx;
    pthread_mutex_lock(&t->lock);
    bool room = t->n < MAX_TASKS && !t->stop;
    if (room) {
        int at = (t->first + t->n++) % MAX_TASKS;
        t->tasks[at].run = run;
        t->tasks[at].arg = arg;
        pthread_cond_signal(&t->wake);
    }
    pthread_mutex_unlock(&t->lock);
    return room ? 0 : 1;
}

static void *run_tasks(void *ctx)
{
    engine_threads *t = ctx;
    pthread_mutex_lock(&t->lock);
    while (!t->stop || t->n > 0) {
        if (t->n == 0) {
            pthread_cond_wait(&t->wake, &t->lock);
            continue;
        }
        void (*run)(void *arg) = t->tasks[t->first].run;
        void *arg = t->tasks[t->first].arg;
        t->first = (t->first + 1) % MAX_TASKS;
        t->n--;
        t->done++;
        pthread_mutex_unlock(&t->lock);
        run(arg);
        pthread_mutex_lock(&t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static void start_threads(engine_threads *t)
{
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    for (int i = 0; i < N_TASK_THREADS; i++) {
        if (pthread_create(&t->threads[i], NULL, run_tasks, t) != 0) {
            abort();
        }
    }
}

static void stop_threads(engine_threads *t)
{
    pthread_mutex_lock(&t->lock);
    t->stop = true;
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < N_TASK_THREADS; i++) {
        pthread_join(t->threads[i], NULL);
    }
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
}

/* ---------------------------------------------------------------- storage: files in memory, to be read only */

typedef struct ram_file {
    char *path;
    unsigned char *bytes;
    int64_t size;
} ram_file;

typedef struct ram_storage {
    ram_file *files; /* sorted by path */
    size_t n;
    atomic_llong bytes_served;
} ram_storage;

static const ram_file *find_ram_file(const ram_storage *ram, const char *path)
{
    size_t low = 0, high = ram->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = strcmp(ram->files[mid].path, path);
        if (order == 0) {
            return &ram->files[mid];
        }
        if (order < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return NULL;
}

/* A status is enough; the library names the path. */
static paimon_status ram_open(void *ctx, const char *path, int64_t known_size, void **file, int64_t *size, paimon_error *err)
{
    const ram_file *found = find_ram_file(ctx, path);
    (void)known_size;
    (void)err;
    if (found == NULL) {
        return PAIMON_NOT_FOUND;
    }
    *file = (void *)found;
    *size = found->size;
    return PAIMON_OK;
}

static paimon_status ram_read(void *ctx, void *file, const paimon_read_range *ranges, size_t n, paimon_error *err)
{
    ram_storage *ram = ctx;
    const ram_file *from = file;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        if (ranges[i].offset < 0 || ranges[i].length < 0 || ranges[i].offset > from->size || ranges[i].length > from->size - ranges[i].offset) {
            return PAIMON_IO;
        }
        memcpy(ranges[i].dst, from->bytes + ranges[i].offset, (size_t)ranges[i].length);
        atomic_fetch_add(&ram->bytes_served, ranges[i].length);
    }
    return PAIMON_OK;
}

static void ram_close(void *ctx, void *file)
{
    (void)ctx;
    (void)file;
}

/* Each direct entry of a folder: files are sorted, so that those of one subfolder stand together. */
static paimon_status ram_list(void *ctx, const char *path, paimon_list_fn fn, void *arg, paimon_error *err)
{
    const ram_storage *ram = ctx;
    size_t n = strlen(path);
    char last[256] = "";
    bool found = false;
    (void)err;
    for (size_t i = 0; i < ram->n; i++) {
        const char *at = ram->files[i].path;
        if (strncmp(at, path, n) != 0 || at[n] != '/') {
            continue;
        }
        char name[256];
        size_t length = strcspn(at + n + 1, "/");
        bool folder = at[n + 1 + length] == '/';
        snprintf(name, sizeof name, "%.*s", (int)length, at + n + 1);
        found = true;
        if (folder && strcmp(name, last) == 0) {
            continue;
        }
        strcpy(last, name);
        paimon_file_info info = { .name = name, .size_bytes = folder ? 0 : ram->files[i].size, .is_directory = folder };
        if (fn(arg, &info) != 0) {
            return PAIMON_OK;
        }
    }
    return found ? PAIMON_OK : PAIMON_NOT_FOUND;
}

static int stop_listing(void *arg, const paimon_file_info *info)
{
    (void)arg;
    (void)info;
    return 1;
}

static paimon_status ram_stat(void *ctx, const char *path, paimon_file_info *info, paimon_error *err)
{
    const ram_file *found = find_ram_file(ctx, path);
    memset(info, 0, sizeof *info);
    if (found != NULL) {
        info->size_bytes = found->size;
        return PAIMON_OK;
    }
    info->is_directory = true;
    return ram_list(ctx, path, stop_listing, NULL, err);
}

/* Nothing is written here. */
static paimon_status no_open_write(void *ctx, const char *path, void **file, paimon_error *err)
{
    (void)ctx, (void)path, (void)file, (void)err;
    return PAIMON_UNSUPPORTED;
}
static paimon_status no_write(void *ctx, void *file, const void *bytes, size_t n, paimon_error *err)
{
    (void)ctx, (void)file, (void)bytes, (void)n, (void)err;
    return PAIMON_UNSUPPORTED;
}
static paimon_status no_finish(void *ctx, void *file, paimon_error *err)
{
    (void)ctx, (void)file, (void)err;
    return PAIMON_UNSUPPORTED;
}
static paimon_status no_remove(void *ctx, const char *const *paths, size_t n, paimon_error *err)
{
    (void)ctx, (void)paths, (void)n, (void)err;
    return PAIMON_UNSUPPORTED;
}
static paimon_status no_folder(void *ctx, const char *path, paimon_error *err)
{
    (void)ctx, (void)path, (void)err;
    return PAIMON_UNSUPPORTED;
}
static paimon_status no_publish(void *ctx, const char *path, const void *bytes, size_t n, paimon_publish_result *result, paimon_error *err)
{
    (void)ctx, (void)path, (void)bytes, (void)n, (void)result, (void)err;
    return PAIMON_UNSUPPORTED;
}
static paimon_status no_replace(void *ctx, const char *path, const void *bytes, size_t n, paimon_error *err)
{
    (void)ctx, (void)path, (void)bytes, (void)n, (void)err;
    return PAIMON_UNSUPPORTED;
}

static const paimon_fs_vtable ram_functions = { .struct_size = sizeof(paimon_fs_vtable),
                                                .open_read = ram_open,
                                                .read_ranges = ram_read,
                                                .close_read = ram_close,
                                                .stat = ram_stat,
                                                .list = ram_list,
                                                .open_write = no_open_write,
                                                .write = no_write,
                                                .finish_write = no_finish,
                                                .abort_write = ram_close,
                                                .remove = no_remove,
                                                .remove_directory = no_folder,
                                                .make_directories = no_folder,
                                                .publish_if_absent = no_publish,
                                                .replace = no_replace };

static bool load_file(ram_storage *ram, const char *from, char *path)
{
    FILE *in = fopen(from, "rb");
    struct stat info;
    if (in == NULL || fstat(fileno(in), &info) != 0) {
        if (in != NULL) {
            fclose(in);
        }
        free(path);
        return false;
    }
    ram->files = realloc(ram->files, (ram->n + 1) * sizeof *ram->files);
    unsigned char *bytes = malloc((size_t)info.st_size + 1);
    if (ram->files == NULL || bytes == NULL) {
        abort();
    }
    ram->files[ram->n++] = (ram_file){ path, bytes, info.st_size };
    bool whole = fread(bytes, 1, (size_t)info.st_size, in) == (size_t)info.st_size;
    fclose(in);
    return whole;
}

static bool load_folder(ram_storage *ram, const char *from, const char *to)
{
    DIR *folder = opendir(from);
    bool good = folder != NULL;
    struct dirent *entry;
    while (good && (entry = readdir(folder)) != NULL) {
        char *source = NULL, *path = NULL;
        struct stat info;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (asprintf(&source, "%s/%s", from, entry->d_name) < 0 || asprintf(&path, "%s/%s", to, entry->d_name) < 0) {
            abort();
        }
        good = stat(source, &info) == 0;
        if (good && S_ISDIR(info.st_mode)) {
            good = load_folder(ram, source, path);
            free(path);
        } else {
            good = good && load_file(ram, source, path);
        }
        free(source);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return good;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const ram_file *)a)->path, ((const ram_file *)b)->path);
}

static void free_storage(ram_storage *ram)
{
    for (size_t i = 0; i < ram->n; i++) {
        free(ram->files[i].path);
        free(ram->files[i].bytes);
    }
    free(ram->files);
}

/* ---------------------------------------------------------------- a query: its splits go to worker threads, each with a stream of its own */

typedef struct query {
    const paimon_read *read;
    const paimon_plan *plan;
    atomic_size_t next_split;
    atomic_llong rows, files, bytes;
    atomic_int failed; /* the first errno */
    pthread_mutex_t lock;
    char why[300]; /* its text */
} query;

static void note_failure(query *q, int number, const char *why)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&q->failed, &none, number)) {
        pthread_mutex_lock(&q->lock);
        snprintf(q->why, sizeof q->why, "%s", why != NULL ? why : strerror(number));
        pthread_mutex_unlock(&q->lock);
    }
}

/* All batches of one split. What a batch holds is the engine's business; this one counts. */
static void read_split(query *q, paimon_split *split)
{
    struct ArrowArrayStream stream;
    paimon_reader *reader = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    if (paimon_read_splits(q->read, &split, 1, &stream, &err) != PAIMON_OK) {
        note_failure(q, err.code == PAIMON_NOMEM ? ENOMEM : EIO, paimon_error_message(&err));
        paimon_error_clear(&err);
        return;
    }
    paimon_reader_of(&stream, &reader, NULL);
    for (;;) {
        struct ArrowArray batch;
        int number = stream.get_next(&stream, &batch);
        if (number != 0) {
            note_failure(q, number, stream.get_last_error(&stream));
            break;
        }
        if (batch.release == NULL) {
            break;
        }
        atomic_fetch_add(&q->rows, batch.length);
        batch.release(&batch);
    }
    stream.release(&stream);
    paimon_read_metrics metrics = PAIMON_READ_METRICS_INIT;
    paimon_reader_metrics(reader, &metrics); /* the handle outlives the stream */
    atomic_fetch_add(&q->files, metrics.files);
    atomic_fetch_add(&q->bytes, metrics.bytes_read);
    paimon_reader_free(reader);
}

static void *work(void *arg)
{
    query *q = arg;
    while (atomic_load(&q->failed) == 0) {
        size_t i = atomic_fetch_add(&q->next_split, 1);
        if (i >= paimon_plan_n_splits(q->plan)) {
            break;
        }
        read_split(q, paimon_plan_split(q->plan, i));
    }
    return NULL;
}

static void run_query(query *q, const paimon_read *read, const paimon_plan *plan)
{
    pthread_t workers[N_WORKERS];
    memset(q, 0, sizeof *q);
    q->read = read;
    q->plan = plan;
    pthread_mutex_init(&q->lock, NULL);
    for (int i = 0; i < N_WORKERS; i++) {
        if (pthread_create(&workers[i], NULL, work, q) != 0) {
            abort();
        }
    }
    for (int i = 0; i < N_WORKERS; i++) {
        pthread_join(workers[i], NULL);
    }
    pthread_mutex_destroy(&q->lock);
}

/* ---------------------------------------------------------------- the engine */

static void engine_log(void *ctx, paimon_log_level level, const char *message)
{
    (void)ctx;
    fprintf(stderr, "engine log, level %d: %s\n", (int)level, message);
}

/* Somebody presses the button while batches are coming. */
static int press_cancel(void *ctx, const paimon_progress *progress)
{
    if (progress->rows > 0) {
        paimon_cancel_request(ctx);
    }
    return 0;
}

static paimon_status make_env(engine_memory *memory, engine_threads *threads, ram_storage *ram, paimon_env **env, paimon_error *err)
{
    paimon_allocator allocator = { sizeof allocator, engine_alloc, engine_realloc, engine_free, memory };
    paimon_executor executor = { sizeof executor, submit_task, N_TASK_THREADS, threads };
    paimon_env_options options = PAIMON_ENV_OPTIONS_INIT;
    options.allocator = &allocator;
    options.executor = &executor;
    options.log = engine_log;
    options.log_level = PAIMON_LOG_WARN;
    paimon_fs *fs = NULL;
    paimon_status status = paimon_env_new(&options, env, err);
    if (status == PAIMON_OK) {
        status = paimon_fs_new(&ram_functions, ram, &fs, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_env_register_fs(*env, "ram", fs, err);
    }
    paimon_fs_free(fs); /* the environment has a reference of its own */
    return status;
}

static paimon_status make_plan(paimon_table *table, paimon_predicate *predicate, paimon_plan **plan, paimon_error *err)
{
    paimon_scan *scan = NULL;
    paimon_status status = paimon_scan_new(table, &scan, err);
    if (status == PAIMON_OK) {
        status = paimon_scan_set_predicate(scan, predicate, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_scan_plan(scan, plan, err);
    }
    paimon_scan_free(scan);
    if (status == PAIMON_OK) {
        paimon_scan_metrics m = PAIMON_SCAN_METRICS_INIT;
        paimon_plan_metrics(*plan, &m);
        printf("plan: %zu splits, %" PRId64 " files of %" PRId64 " entries, %" PRId64 " manifests read, %" PRId64 " skipped\n", paimon_plan_n_splits(*plan),
               m.files, m.entries, m.manifests_read, m.manifests_skipped);
    }
    return status;
}

/* Three runs: whole; cancelled while it goes on; with hardly any memory. */
static paimon_status run_engine(paimon_env *env, engine_memory *memory, const char *where, paimon_error *err)
{
    paimon_table *table = NULL;
    paimon_predicate *predicate = NULL;
    paimon_plan *plan = NULL;
    paimon_read *read = NULL;
    paimon_cancel *cancel = NULL;
    query q;
    paimon_status status = paimon_table_open(env, "ram:/table", NULL, 0, &table, err);
    if (status == PAIMON_OK && where != NULL) {
        status = paimon_predicate_parse(where, &predicate, err);
    }
    if (status == PAIMON_OK) {
        status = make_plan(table, predicate, &plan, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_new(table, &read, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_set_predicate(read, predicate, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_set_threads(read, 1 + N_TASK_THREADS, err);
    }
    if (status == PAIMON_OK) {
        run_query(&q, read, plan);
        printf("read: %lld rows of %lld files, %s\n", (long long)q.rows, (long long)q.files, q.failed == 0 ? "whole" : q.why);
        status = paimon_cancel_new(&cancel, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_set_cancel(read, cancel, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_set_progress(read, press_cancel, cancel, err);
    }
    if (status == PAIMON_OK) {
        run_query(&q, read, plan);
        printf("cancelled: %s\n", q.failed == ECANCELED ? q.why : "too late, all was read");
        status = paimon_read_set_cancel(read, NULL, err);
    }
    if (status == PAIMON_OK) {
        atomic_store(&memory->limit, atomic_load(&memory->used) + 8192);
        run_query(&q, read, plan);
        printf("short of memory: %s\n", q.failed == ENOMEM ? "refused" : "enough");
    }
    paimon_cancel_free(cancel);
    paimon_read_free(read);
    paimon_plan_free(plan);
    paimon_predicate_free(predicate);
    paimon_table_free(table);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: embedded_reader TABLE [WHERE]\n");
        return 2;
    }
    engine_memory memory = { 0, 0, 256 << 20 };
    engine_threads threads = { .stop = false };
    ram_storage ram = { NULL, 0, 0 };
    paimon_env *env = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    if (!load_folder(&ram, argv[1], "ram:/table")) {
        fprintf(stderr, "embedded_reader: %s cannot be loaded\n", argv[1]);
        free_storage(&ram);
        return 1;
    }
    qsort(ram.files, ram.n, sizeof *ram.files, by_path);
    start_threads(&threads);
    paimon_status status = make_env(&memory, &threads, &ram, &env, &err);
    if (status == PAIMON_OK) {
        status = run_engine(env, &memory, argc == 3 ? argv[2] : NULL, &err);
    }
    paimon_env_free(env);
    stop_threads(&threads);
    if (status != PAIMON_OK) {
        fprintf(stderr, "embedded_reader: %s\n", paimon_error_message(&err));
    } else {
        printf("engine: %s bytes in use, storage and threads were %s\n", atomic_load(&memory.used) == 0 ? "no" : "some",
               atomic_load(&ram.bytes_served) > 0 ? "the engine's" : "not used");
    }
    paimon_error_clear(&err);
    free_storage(&ram);
    return status == PAIMON_OK && atomic_load(&memory.used) == 0 ? 0 : 1;
}
