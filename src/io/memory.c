/* A file system in memory: files and folders sorted by path under one lock. A file's bytes never change once it is visible, so
 * that whoever has it open reads on after it was removed or replaced. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "io/fs_impl.h"
#include "io/path.h"

typedef struct memory_node {
    char *path; /* cleaned; see clean_path */
    uint8_t *data;
    size_t size;
    size_t capacity;
    int64_t modified_ms;
    bool is_directory;
    atomic_int refs; /* the tree, readers, listings */
} memory_node;

typedef struct memory_fs {
    pmn_mem *mem; /* counted */
    pthread_mutex_t lock;
    memory_node **nodes; /* sorted by path */
    size_t n;
    size_t capacity;
} memory_fs;

typedef struct memory_writer {
    char *path;
    pmn_buf bytes;
} memory_writer;

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A copy without scheme, empty components and a slash at either end: "mem://a//b/" is "a/b", the root "". */
static paimon_status clean_path(pmn_mem *mem, const char *path, char **out, size_t *out_size, paimon_error *err)
{
    pmn_slice scheme = pmn_path_scheme(path);
    if (scheme.size) path += scheme.size + 1;
    size_t size = strlen(path) + 1, n = 0;
    char *clean = (char *)pmn_alloc(mem, size);
    if (!clean) return pmn_fail_nomem(err, "a path");
    for (const char *p = path; *p;) {
        while (*p == '/') p++;
        if (!*p) break;
        if (n) clean[n++] = '/';
        while (*p && *p != '/') clean[n++] = *p++;
    }
    clean[n] = 0;
    *out = clean;
    *out_size = size;
    return PAIMON_OK;
}

static void drop_node(pmn_mem *mem, memory_node *node)
{
    if (!node || atomic_fetch_sub_explicit(&node->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_strfree(mem, node->path);
    pmn_free(mem, node->data, node->capacity);
    pmn_free(mem, node, sizeof *node);
}

static memory_node *make_node(pmn_mem *mem, const char *path, size_t n_path, bool is_directory)
{
    memory_node *node = (memory_node *)pmn_calloc(mem, 1, sizeof *node);
    if (!node) return NULL;
    node->path = pmn_strndup(mem, path, n_path);
    if (!node->path) {
        pmn_free(mem, node, sizeof *node);
        return NULL;
    }
    node->is_directory = is_directory;
    node->modified_ms = now_ms();
    atomic_init(&node->refs, 1);
    return node;
}

/* ---- the sorted list; all under the lock ---- */

static int compare_path(const memory_node *node, const char *path, size_t n)
{
    return pmn_slice_compare(pmn_slice_text(node->path), pmn_slice_of(path, n));
}

/* Where `path` stands or would stand. */
static size_t lower_bound(const memory_fs *fs, const char *path, size_t n)
{
    size_t low = 0, high = fs->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_path(fs->nodes[middle], path, n) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

static memory_node *lookup(const memory_fs *fs, const char *path, size_t n)
{
    size_t i = lower_bound(fs, path, n);
    return i < fs->n && compare_path(fs->nodes[i], path, n) == 0 ? fs->nodes[i] : NULL;
}

static paimon_status insert_node(memory_fs *fs, memory_node *node, paimon_error *err)
{
    memory_node **grown = (memory_node **)pmn_grow(fs->mem, fs->nodes, fs->n, 1, &fs->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "a file in memory");
    fs->nodes = grown;
    size_t i = lower_bound(fs, node->path, strlen(node->path));
    memmove(fs->nodes + i + 1, fs->nodes + i, (fs->n - i) * sizeof *fs->nodes);
    fs->nodes[i] = node;
    fs->n++;
    return PAIMON_OK;
}

static void remove_at(memory_fs *fs, size_t i)
{
    drop_node(fs->mem, fs->nodes[i]);
    fs->n--;
    memmove(fs->nodes + i, fs->nodes + i + 1, (fs->n - i) * sizeof *fs->nodes);
}

/* Folders for every component of the first `n` characters. */
static paimon_status make_path(memory_fs *fs, const char *path, size_t n, paimon_error *err)
{
    for (size_t end = 1; end <= n; end++) {
        if (end < n && path[end] != '/') continue;
        const memory_node *there = lookup(fs, path, end);
        if (there && !there->is_directory) return pmn_fail(err, PAIMON_IO, "%s: a part of the path is a file, not a folder", path);
        if (there) continue;
        memory_node *node = make_node(fs->mem, path, end, true);
        if (!node) return pmn_fail_nomem(err, "a folder in memory");
        paimon_status status = insert_node(fs, node, err);
        if (status != PAIMON_OK) {
            drop_node(fs->mem, node);
            return status;
        }
    }
    return PAIMON_OK;
}

static size_t parent_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

/* ---- the functions ---- */

static paimon_status fail_absent_file(const char *path, paimon_error *err)
{
    return pmn_fail(err, PAIMON_NOT_FOUND, "%s: no such file or folder", path);
}

/* The node at `path`, retained; `*is_root` for the root, which has none. */
static paimon_status find_node(memory_fs *fs, const char *path, memory_node **node, bool *is_root, paimon_error *err)
{
    char *clean;
    size_t size;
    PMN_TRY(clean_path(fs->mem, path, &clean, &size, err));
    *is_root = clean[0] == 0;
    pthread_mutex_lock(&fs->lock);
    *node = lookup(fs, clean, strlen(clean));
    if (*node) atomic_fetch_add(&(*node)->refs, 1);
    pthread_mutex_unlock(&fs->lock);
    pmn_free(fs->mem, clean, size);
    return *node || *is_root ? PAIMON_OK : fail_absent_file(path, err);
}

static paimon_status memory_open_read(void *ctx, const char *path, int64_t known_size, void **file, int64_t *size, paimon_error *err)
{
    memory_fs *fs = (memory_fs *)ctx;
    memory_node *node;
    bool is_root;
    PMN_TRY(find_node(fs, path, &node, &is_root, err));
    if (is_root || node->is_directory) {
        drop_node(fs->mem, node);
        return pmn_fail(err, PAIMON_IO, "%s is a folder", path);
    }
    *file = node;
    *size = known_size >= 0 ? known_size : (int64_t)node->size;
    return PAIMON_OK;
}

static paimon_status memory_read_ranges(void *ctx, void *file, const paimon_read_range *ranges, size_t n, paimon_error *err)
{
    (void)ctx;
    const memory_node *node = (const memory_node *)file;
    for (size_t i = 0; i < n; i++) {
        uint64_t offset = (uint64_t)ranges[i].offset, length = (uint64_t)ranges[i].length;
        if (offset > node->size || length > node->size - offset)
            return pmn_fail(err, PAIMON_IO, "the file ends at offset %zu, %lld bytes were expected from offset %lld", node->size,
                            (long long)ranges[i].length, (long long)ranges[i].offset);
        if (length) memcpy(ranges[i].dst, node->data + offset, length);
    }
    return PAIMON_OK;
}

static void memory_close_read(void *ctx, void *file)
{
    drop_node(((memory_fs *)ctx)->mem, (memory_node *)file);
}

static void describe_node(const memory_node *node, paimon_file_info *info)
{
    info->is_directory = node->is_directory;
    info->size_bytes = (int64_t)node->size;
    info->modified_ms = node->modified_ms;
}

static paimon_status memory_stat(void *ctx, const char *path, paimon_file_info *info, paimon_error *err)
{
    memory_fs *fs = (memory_fs *)ctx;
    memory_node *node;
    bool is_root;
    PMN_TRY(find_node(fs, path, &node, &is_root, err));
    memset(info, 0, sizeof *info);
    info->is_directory = true;
    if (node) describe_node(node, info);
    drop_node(fs->mem, node);
    return PAIMON_OK;
}

/* The direct children of the folder, retained, so that the callback runs without the lock. */
static paimon_status collect_children(memory_fs *fs, const char *folder, size_t n_folder, memory_node ***out, size_t *n_out,
                                      size_t *room, paimon_error *err)
{
    size_t start = n_folder ? n_folder + 1 : 0, n = 0, i = lower_bound(fs, folder, n_folder), end = i;
    while (end < fs->n && strncmp(fs->nodes[end]->path, folder, n_folder) == 0) end++;
    memory_node **found = (memory_node **)pmn_calloc(fs->mem, end - i, sizeof *found);
    if (!found) return pmn_fail_nomem(err, "a listing");
    for (size_t k = i; k < end; k++) {
        const char *path = fs->nodes[k]->path;
        if (n_folder && path[n_folder] != '/') continue;
        if (strchr(path + start, '/')) continue;
        atomic_fetch_add(&fs->nodes[k]->refs, 1);
        found[n++] = fs->nodes[k];
    }
    *out = found;
    *n_out = n;
    *room = (end - i) * sizeof *found;
    return PAIMON_OK;
}

static paimon_status memory_list(void *ctx, const char *path, paimon_list_fn fn, void *arg, paimon_error *err)
{
    memory_fs *fs = (memory_fs *)ctx;
    memory_node *folder;
    bool is_root;
    PMN_TRY(find_node(fs, path, &folder, &is_root, err));
    if (!is_root && !folder->is_directory) {
        drop_node(fs->mem, folder);
        return pmn_fail(err, PAIMON_NOT_FOUND, "%s is not a folder", path);
    }
    const char *clean = folder ? folder->path : "";
    memory_node **children = NULL;
    size_t n = 0, room = 0;
    pthread_mutex_lock(&fs->lock);
    paimon_status status = collect_children(fs, clean, strlen(clean), &children, &n, &room, err);
    pthread_mutex_unlock(&fs->lock);
    bool stopped = false;
    for (size_t i = 0; i < n; i++) {
        paimon_file_info info = { pmn_path_name(children[i]->path), 0, 0, false };
        describe_node(children[i], &info);
        if (!stopped) stopped = fn(arg, &info) != 0;
        drop_node(fs->mem, children[i]);
    }
    pmn_free(fs->mem, children, room);
    drop_node(fs->mem, folder);
    return status;
}

/* Make `bytes` (moved) the file at `path`. `*taken` if a node is there and may not be replaced. */
static paimon_status place_file(memory_fs *fs, const char *path, pmn_buf *bytes, bool replace, bool *taken, paimon_error *err)
{
    *taken = false;
    size_t n = strlen(path);
    if (n == 0) return pmn_fail(err, PAIMON_INVALID, "the root is a folder");
    memory_node *node = make_node(fs->mem, path, n, false);
    if (!node) return pmn_fail_nomem(err, "a file in memory");
    pthread_mutex_lock(&fs->lock);
    paimon_status status = make_path(fs, path, parent_length(path), err);
    size_t i = lower_bound(fs, path, n);
    bool exists = i < fs->n && compare_path(fs->nodes[i], path, n) == 0;
    if (status == PAIMON_OK && exists && replace && fs->nodes[i]->is_directory) status = pmn_fail(err, PAIMON_IO, "%s is a folder", path);
    else if (status == PAIMON_OK && exists && replace) remove_at(fs, i);
    else if (status == PAIMON_OK && exists) *taken = true;
    if (status == PAIMON_OK && !*taken) status = insert_node(fs, node, err);
    if (status == PAIMON_OK && !*taken) {
        node->data = bytes->data;
        node->size = bytes->size;
        node->capacity = bytes->capacity;
        pmn_buf_init(bytes, bytes->mem, bytes->ceiling);
        node = NULL;
    }
    pthread_mutex_unlock(&fs->lock);
    drop_node(fs->mem, node);
    return status;
}

static void memory_abort_write(void *ctx, void *file)
{
    memory_fs *fs = (memory_fs *)ctx;
    memory_writer *w = (memory_writer *)file;
    pmn_buf_free(&w->bytes);
    pmn_strfree(fs->mem, w->path);
    pmn_free(fs->mem, w, sizeof *w);
}

/* A writer with a clean path; what it holds becomes a file when it is placed. */
static paimon_status begin_file(memory_fs *fs, const char *path, memory_writer **out, paimon_error *err)
{
    char *clean;
    size_t size;
    *out = NULL;
    PMN_TRY(clean_path(fs->mem, path, &clean, &size, err));
    memory_writer *w = (memory_writer *)pmn_calloc(fs->mem, 1, sizeof *w);
    char *kept = w ? pmn_strndup(fs->mem, clean, strlen(clean)) : NULL;
    pmn_free(fs->mem, clean, size);
    if (!kept) {
        pmn_free(fs->mem, w, sizeof *w);
        return pmn_fail_nomem(err, "a file to write");
    }
    w->path = kept;
    pmn_buf_init(&w->bytes, fs->mem, PMN_BUF_NO_CEILING);
    *out = w;
    return PAIMON_OK;
}

static paimon_status memory_open_write(void *ctx, const char *path, void **file, paimon_error *err)
{
    memory_fs *fs = (memory_fs *)ctx;
    memory_writer *w;
    *file = NULL;
    PMN_TRY(begin_file(fs, path, &w, err));
    pthread_mutex_lock(&fs->lock);
    bool exists = w->path[0] == 0 || lookup(fs, w->path, strlen(w->path)) != NULL;
    pthread_mutex_unlock(&fs->lock);
    if (exists) {
        memory_abort_write(ctx, w);
        return pmn_fail(err, PAIMON_ALREADY_EXISTS, "%s exists", path);
    }
    *file = w;
    return PAIMON_OK;
}

static paimon_status memory_write(void *ctx, void *file, const void *bytes, size_t n, paimon_error *err)
{
    (void)ctx;
    return pmn_buf_append(&((memory_writer *)file)->bytes, bytes, n, err);
}

static paimon_status memory_finish_write(void *ctx, void *file, paimon_error *err)
{
    memory_writer *w = (memory_writer *)file;
    bool taken;
    paimon_status status = place_file((memory_fs *)ctx, w->path, &w->bytes, false, &taken, err);
    if (status == PAIMON_OK && taken) status = pmn_fail(err, PAIMON_ALREADY_EXISTS, "%s exists", w->path);
    memory_abort_write(ctx, w);
    return status;
}

static paimon_status place_bytes(memory_fs *fs, const char *path, const void *bytes, size_t n, bool replace, bool *taken, paimon_error *err)
{
    memory_writer *w;
    PMN_TRY(begin_file(fs, path, &w, err));
    paimon_status status = pmn_buf_append(&w->bytes, bytes, n, err);
    if (status == PAIMON_OK) status = place_file(fs, w->path, &w->bytes, replace, taken, err);
    memory_abort_write(fs, w);
    return status;
}

static paimon_status memory_publish_if_absent(void *ctx, const char *path, const void *bytes, size_t n, paimon_publish_result *result,
                                              paimon_error *err)
{
    bool taken;
    *result = PAIMON_PUBLISH_UNKNOWN;
    PMN_TRY(place_bytes((memory_fs *)ctx, path, bytes, n, false, &taken, err));
    *result = taken ? PAIMON_PUBLISH_EXISTS : PAIMON_PUBLISH_CREATED;
    return PAIMON_OK;
}

static paimon_status memory_replace(void *ctx, const char *path, const void *bytes, size_t n, paimon_error *err)
{
    bool taken;
    return place_bytes((memory_fs *)ctx, path, bytes, n, true, &taken, err);
}

/* Remove a file, or, with `folder`, an empty folder. An absent file is fine, an absent folder is not. */
static paimon_status remove_one(memory_fs *fs, const char *path, bool folder, paimon_error *err)
{
    char *clean;
    size_t size;
    PMN_TRY(clean_path(fs->mem, path, &clean, &size, err));
    size_t n = strlen(clean);
    paimon_status status = PAIMON_OK;
    pthread_mutex_lock(&fs->lock);
    size_t i = lower_bound(fs, clean, n);
    bool exists = i < fs->n && compare_path(fs->nodes[i], clean, n) == 0;
    if (!exists) {
        if (folder) status = fail_absent_file(path, err);
    } else if (fs->nodes[i]->is_directory != folder) {
        status = pmn_fail(err, folder ? PAIMON_NOT_FOUND : PAIMON_IO, folder ? "%s is not a folder" : "%s is a folder", path);
    } else {
        bool empty = true;
        for (size_t k = i + 1; folder && k < fs->n && strncmp(fs->nodes[k]->path, clean, n) == 0; k++)
            if (fs->nodes[k]->path[n] == '/') empty = false;
        if (empty) remove_at(fs, i);
        else status = pmn_fail(err, PAIMON_IO, "%s: the folder is not empty", path);
    }
    pthread_mutex_unlock(&fs->lock);
    pmn_free(fs->mem, clean, size);
    return status;
}

static paimon_status memory_remove(void *ctx, const char *const *paths, size_t n, paimon_error *err)
{
    paimon_status first = PAIMON_OK;
    for (size_t i = 0; i < n; i++) {
        paimon_status status = remove_one((memory_fs *)ctx, paths[i], false, first == PAIMON_OK ? err : NULL);
        if (first == PAIMON_OK) first = status;
    }
    return first;
}

static paimon_status memory_remove_directory(void *ctx, const char *path, paimon_error *err)
{
    return remove_one((memory_fs *)ctx, path, true, err);
}

static paimon_status memory_make_directories(void *ctx, const char *path, paimon_error *err)
{
    memory_fs *fs = (memory_fs *)ctx;
    char *clean;
    size_t size;
    PMN_TRY(clean_path(fs->mem, path, &clean, &size, err));
    pthread_mutex_lock(&fs->lock);
    paimon_status status = make_path(fs, clean, strlen(clean), err);
    pthread_mutex_unlock(&fs->lock);
    pmn_free(fs->mem, clean, size);
    return status;
}

/* Is `path` the folder or below it? */
static bool is_in_folder(const char *path, const char *folder, size_t n)
{
    return strncmp(path, folder, n) == 0 && (path[n] == 0 || path[n] == '/');
}

/* A node's path never changes, since it may be open or listed: its copy gets the new one. Under the lock. */
static paimon_status copy_node(memory_fs *fs, const memory_node *from, const char *to, size_t n_folder, paimon_error *err)
{
    size_t n_to = strlen(to), n = n_to + strlen(from->path) - n_folder;
    char *path = (char *)pmn_alloc(fs->mem, n + 1);
    if (!path) return pmn_fail_nomem(err, "a path");
    memcpy(path, to, n_to);
    memcpy(path + n_to, from->path + n_folder, n - n_to + 1);
    memory_node *node = make_node(fs->mem, path, n, from->is_directory);
    pmn_free(fs->mem, path, n + 1);
    if (!node) return pmn_fail_nomem(err, "a file in memory");
    paimon_status status = PAIMON_OK;
    node->modified_ms = from->modified_ms;
    if (from->size) {
        node->data = (uint8_t *)pmn_alloc(fs->mem, from->size);
        if (node->data) {
            memcpy(node->data, from->data, from->size);
            node->size = node->capacity = from->size;
        } else {
            status = pmn_fail_nomem(err, "a file in memory");
        }
    }
    if (status == PAIMON_OK) status = insert_node(fs, node, err);
    if (status != PAIMON_OK) drop_node(fs->mem, node);
    return status;
}

static void remove_folder(memory_fs *fs, const char *folder)
{
    size_t n = strlen(folder);
    for (size_t i = fs->n; i-- > 0;)
        if (is_in_folder(fs->nodes[i]->path, folder, n)) remove_at(fs, i);
}

static paimon_status move_nodes(memory_fs *fs, const char *from, const char *to, paimon_error *err)
{
    size_t n = strlen(from);
    const memory_node *folder = lookup(fs, from, n);
    if (!folder || !folder->is_directory) return pmn_fail(err, PAIMON_NOT_FOUND, "%s is not a folder", from);
    if (!*to || lookup(fs, to, strlen(to))) return pmn_fail(err, PAIMON_ALREADY_EXISTS, "%s exists", to);
    if (is_in_folder(to, from, n)) return pmn_fail(err, PAIMON_INVALID, "%s lies in %s", to, from);
    PMN_TRY(make_path(fs, to, parent_length(to), err));
    /* The list grows while it is walked: copies stand elsewhere, and one that comes before `i` shifts what is at `i`. */
    size_t left = 0;
    for (size_t i = 0; i < fs->n; i++) left += is_in_folder(fs->nodes[i]->path, from, n);
    for (size_t i = lower_bound(fs, from, n); left > 0; i++) {
        const memory_node *node = fs->nodes[i];
        if (!is_in_folder(node->path, from, n)) continue;
        paimon_status status = copy_node(fs, node, to, n, err);
        if (status != PAIMON_OK) {
            remove_folder(fs, to);
            return status;
        }
        left--;
        i += fs->nodes[i] != node;
    }
    remove_folder(fs, from);
    return PAIMON_OK;
}

static paimon_status memory_rename_directory(void *ctx, const char *from, const char *to, paimon_error *err)
{
    memory_fs *fs = (memory_fs *)ctx;
    char *clean_from = NULL, *clean_to = NULL;
    size_t n_from = 0, n_to = 0;
    PMN_TRY(clean_path(fs->mem, from, &clean_from, &n_from, err));
    paimon_status status = clean_path(fs->mem, to, &clean_to, &n_to, err);
    if (status == PAIMON_OK) {
        pthread_mutex_lock(&fs->lock);
        status = move_nodes(fs, clean_from, clean_to, err);
        pthread_mutex_unlock(&fs->lock);
    }
    pmn_free(fs->mem, clean_from, n_from);
    pmn_free(fs->mem, clean_to, n_to);
    return status;
}

static void memory_release(void *ctx)
{
    memory_fs *fs = (memory_fs *)ctx;
    pmn_mem *mem = fs->mem;
    for (size_t i = 0; i < fs->n; i++) drop_node(mem, fs->nodes[i]);
    pmn_free(mem, fs->nodes, fs->capacity * sizeof *fs->nodes);
    pthread_mutex_destroy(&fs->lock);
    pmn_free(mem, fs, sizeof *fs);
    pmn_mem_release(mem);
}

paimon_status pmn_fs_memory_new(pmn_mem *mem, paimon_fs **fs, paimon_error *err)
{
    static const paimon_fs_vtable vtable = { sizeof(paimon_fs_vtable), memory_open_read,    memory_read_ranges,  memory_close_read,
                                             memory_stat,              memory_list,         memory_open_write,   memory_write,
                                             memory_finish_write,      memory_abort_write,  memory_remove,       memory_remove_directory,
                                             memory_make_directories,  memory_publish_if_absent, memory_replace,   memory_release,
                                             memory_rename_directory };
    *fs = NULL;
    memory_fs *made = (memory_fs *)pmn_calloc(mem, 1, sizeof *made);
    if (!made) return pmn_fail_nomem(err, "a file system in memory");
    made->mem = pmn_mem_retain(mem);
    pthread_mutex_init(&made->lock, NULL); /* cannot fail without attributes on the systems we know */
    paimon_status status = pmn_fs_make(mem, &vtable, made, fs, err);
    if (status != PAIMON_OK) memory_release(made);
    return status;
}
