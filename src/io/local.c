/* The local disk.
 *
 * What must appear whole is written to a temporary file beside its final name, ".<final>.<random>.tmp", synced or at
 * least written out (paimon_sync), and given its name with link(), which fails when the name is taken, whoever took it;
 * where the file system has no hard links, with renameat2(RENAME_NOREPLACE). A synced file's folder is synced too. Nothing checks first and writes later. A crash leaves a temporary
 * file at worst. Hint files, which are replaced, are renamed over, and not synced.
 *
 * A file system that is pinned to a folder holds it by a descriptor: its paths below it go on from there. When the folder is renamed or
 * dropped meanwhile, what was begun stays with it, and nothing is made anew under the old name, which may be another table's by now. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/fs.h>
#include <sys/syscall.h>
#endif

#include "base/random.h"
#include "base/checked.h"
#include "io/fs_impl.h"
#include "io/path.h"

#define SUFFIX_LENGTH 37 /* '.', 32 hexadecimal digits, ".tmp" */
#define LARGEST_NAME 255 /* NAME_MAX of every file system in use */

/* The disk, or the part of it below one folder that is held. */
typedef struct local_disk {
    pmn_mem *mem; /* counted, but for the static one */
    int held;     /* descriptor of that folder; AT_FDCWD: none */
    size_t n_prefix;
    char *prefix; /* its path as the system knows it, without a slash at the end */
} local_disk;

/* A path for the calls that take a descriptor to start from. */
typedef struct local_place {
    int from;
    const char *path;
} local_place;

/* A file that is being written. */
typedef struct local_writer {
    int fd;
    int from; /* where the paths of both names start */
    char *temporary;
    char *final;
    bool durable; /* synced, with its folder, before it counts; else written out in order */
} local_writer;

static pmn_mem *mem_of(void *ctx)
{
    return ((local_disk *)ctx)->mem;
}

/* The path as the system knows it: "file:/a", "file:///a" and "file://localhost/a" lose what stands before the path. NULL for
 * other authorities and for "file:a". */
static const char *system_path(const char *path)
{
    pmn_slice scheme = pmn_path_scheme(path);
    if (!pmn_slice_equal(scheme, pmn_slice_text("file"))) return path;
    path += scheme.size + 1;
    if (strncmp(path, "//", 2) == 0) {
        path += 2;
        if (strncmp(path, "localhost/", 10) == 0) path += 9;
    }
    return *path == '/' ? path : NULL;
}

static paimon_status take_path(void *ctx, const char *path, local_place *out, paimon_error *err)
{
    const local_disk *disk = (const local_disk *)ctx;
    const char *plain = system_path(path);
    if (!plain || !*plain) return pmn_fail(err, PAIMON_INVALID, "\"%s\" is not a path on this machine", path);
    *out = (local_place){ AT_FDCWD, plain };
    if (disk->held == AT_FDCWD || strncmp(plain, disk->prefix, disk->n_prefix) != 0) return PAIMON_OK;
    const char *rest = plain + disk->n_prefix;
    if (*rest && *rest != '/') return PAIMON_OK;
    while (*rest == '/') rest++;
    *out = (local_place){ disk->held, *rest ? rest : "." };
    return PAIMON_OK;
}

static int open_at(local_place place, int flags)
{
    int fd;
    do fd = openat(place.from, place.path, flags | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* ---- reading ---- */

/* A handle is the descriptor itself, plus one so that none is NULL. */
static int fd_of(void *file)
{
    return (int)((intptr_t)file - 1);
}

static paimon_status local_open_read(void *ctx, const char *path, int64_t known_size, void **file, int64_t *size, paimon_error *err)
{
    local_place place;
    PMN_TRY(take_path(ctx, path, &place, err));
    int fd = open_at(place, O_RDONLY | O_NONBLOCK); /* a pipe that nobody writes would block here for ever */
    if (fd < 0) return pmn_fail_errno(err, errno, "%s", path);
    if (known_size < 0) {
        struct stat st;
        if (fstat(fd, &st) != 0) {
            int why = errno;
            close(fd);
            return pmn_fail_errno(err, why, "%s", path);
        }
        if (S_ISDIR(st.st_mode)) {
            close(fd);
            return pmn_fail_errno(err, EISDIR, "%s", path);
        }
        if (!S_ISREG(st.st_mode)) {
            close(fd);
            return pmn_fail(err, PAIMON_IO, "%s: not a regular file", path);
        }
        known_size = (int64_t)st.st_size;
    }
    *file = (void *)(intptr_t)(fd + 1);
    *size = known_size;
    return PAIMON_OK;
}

static paimon_status read_fully(int fd, const paimon_read_range *range, paimon_error *err)
{
    int64_t done = 0;
    while (done < range->length) {
        int64_t left = range->length - done;
        size_t chunk = left > INT_MAX / 2 ? INT_MAX / 2 : (size_t)left; /* Linux moves 2 GB at most a call */
        ssize_t n = pread(fd, (char *)range->dst + done, chunk, (off_t)(range->offset + done));
        if (n < 0) {
            if (errno == EINTR) continue;
            int why = errno;
            return pmn_fail_errno(err, why, "reading %lld bytes at offset %lld", (long long)range->length, (long long)range->offset);
        }
        if (n == 0)
            return pmn_fail(err, PAIMON_IO, "the file ends at offset %lld, %lld bytes were expected from offset %lld",
                            (long long)(range->offset + done), (long long)range->length, (long long)range->offset);
        done += n;
    }
    return PAIMON_OK;
}

static paimon_status local_read_ranges(void *ctx, void *file, const paimon_read_range *ranges, size_t n, paimon_error *err)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++) PMN_TRY(read_fully(fd_of(file), &ranges[i], err));
    return PAIMON_OK;
}

static void local_close_read(void *ctx, void *file)
{
    (void)ctx;
    close(fd_of(file));
}

static void fill_info(const struct stat *st, paimon_file_info *info)
{
    info->is_directory = S_ISDIR(st->st_mode);
    info->size_bytes = info->is_directory ? 0 : (int64_t)st->st_size;
#if defined(__APPLE__)
    info->modified_ms = (int64_t)st->st_mtimespec.tv_sec * 1000 + st->st_mtimespec.tv_nsec / 1000000;
#else
    info->modified_ms = (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;
#endif
}

static paimon_status local_stat(void *ctx, const char *path, paimon_file_info *info, paimon_error *err)
{
    struct stat st;
    local_place place;
    PMN_TRY(take_path(ctx, path, &place, err));
    if (fstatat(place.from, place.path, &st, 0) != 0) return pmn_fail_errno(err, errno, "%s", path);
    info->name = NULL;
    fill_info(&st, info);
    return PAIMON_OK;
}

static paimon_status local_list(void *ctx, const char *path, paimon_list_fn fn, void *arg, paimon_error *err)
{
    local_place place;
    PMN_TRY(take_path(ctx, path, &place, err));
    int fd = open_at(place, O_RDONLY | O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        int why = errno;
        struct stat st;
        if (fd >= 0) close(fd);
        /* A file where a folder belongs is damage; only nothing at all lists as nothing. */
        if (why == ENOTDIR && fstatat(place.from, place.path, &st, 0) == 0) return pmn_fail(err, PAIMON_IO, "%s: a file, expected a folder", path);
        return pmn_fail_errno(err, why, "%s", path);
    }
    paimon_status status = PAIMON_OK;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry) {
            if (errno) status = pmn_fail_errno(err, errno, "listing %s", path);
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        struct stat st;
        if (fstatat(dirfd(dir), entry->d_name, &st, 0) != 0 && fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno == ENOENT) continue; /* removed while we list */
            status = pmn_fail_errno(err, errno, "%s/%s", path, entry->d_name);
            break;
        }
        paimon_file_info info = { entry->d_name, 0, 0, false };
        fill_info(&st, &info);
        if (fn(arg, &info) != 0) break;
    }
    closedir(dir);
    return status;
}

/* ---- folders ---- */

/* The folder of `path` in `out` (room for strlen(path) + 2). */
static void parent_of(const char *path, char *out)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    while (n > 0 && path[n - 1] != '/') n--;
    while (n > 1 && path[n - 1] == '/') n--;
    if (n == 0) {
        memcpy(out, ".", 2);
        return;
    }
    memcpy(out, path, n);
    out[n] = 0;
}

/* Make the names in a folder durable. Some file systems cannot sync a folder and say so with EINVAL: there it is not needed. */
static int sync_folder(int from, const char *path)
{
    int fd = open_at((local_place){ from, path }, O_RDONLY | O_DIRECTORY);
    if (fd < 0) return errno;
    int why = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    close(fd);
    return why;
}

/* A new folder and, where needed, those above it, each synced in its parent if `durable`; else a journal that keeps order has them before
 * what is put into them. `path` is changed while it works; `scratch` is as large as it. */
static int make_folders(int from, bool durable, char *path, char *scratch)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') path[--n] = 0;
    size_t done = n;
    /* Down to the deepest that is there … */
    for (;;) {
        if (mkdirat(from, path, 0777) == 0) break;
        if (errno == EEXIST) {
            struct stat st;
            if (fstatat(from, path, &st, 0) != 0) return errno;
            if (!S_ISDIR(st.st_mode)) return ENOTDIR;
            if (done == n) return 0;
            goto make_rest;
        }
        if (errno != ENOENT) return errno;
        size_t k = done;
        while (k > 0 && path[k - 1] != '/') k--;
        while (k > 0 && path[k - 1] == '/') k--;
        if (k == 0) return ENOENT; /* the folder that is held, or the working one, is gone */
        path[k] = 0;
        done = k;
    }
    parent_of(path, scratch);
    int why = durable ? sync_folder(from, scratch) : 0;
    if (why) return why;
make_rest:
    /* … and up again; another process may be doing the same. */
    while (done < n) {
        path[done] = '/';
        done = strlen(path);
        if (mkdirat(from, path, 0777) != 0 && errno != EEXIST) return errno;
        parent_of(path, scratch);
        if (durable && (why = sync_folder(from, scratch)) != 0) return why;
    }
    return 0;
}

static paimon_status make_folders_of(pmn_mem *mem, int from, bool durable, const char *path, bool of_parent, paimon_error *err)
{
    size_t size = strlen(path) + 2;
    char *copy = (char *)pmn_alloc(mem, 2 * size);
    if (!copy) return pmn_fail_nomem(err, "a path");
    if (of_parent) parent_of(path, copy);
    else memcpy(copy, path, size - 1);
    int why = make_folders(from, durable, copy, copy + size);
    pmn_free(mem, copy, 2 * size);
    /* A file where a folder should be is not "not found" for someone who writes. */
    if (why == ENOTDIR) return pmn_fail(err, PAIMON_IO, "%s: a part of the path is a file, not a folder", path);
    return why ? pmn_fail_errno(err, why, "making the folder of %s", path) : PAIMON_OK;
}

static paimon_status local_make_directories(void *ctx, const char *path, paimon_error *err)
{
    local_place place;
    PMN_TRY(take_path(ctx, path, &place, err));
    return make_folders_of(mem_of(ctx), place.from, true, place.path, false, err);
}

static paimon_status local_remove_directory(void *ctx, const char *path, paimon_error *err)
{
    local_place place;
    PMN_TRY(take_path(ctx, path, &place, err));
    return unlinkat(place.from, place.path, AT_REMOVEDIR) == 0 ? PAIMON_OK : pmn_fail_errno(err, errno == EEXIST ? ENOTEMPTY : errno, "%s", path);
}

/* ---- writing ---- */

/* ".<final>.<random>.tmp" beside `final`; the final name is cut where the whole would be too long for a name. */
static paimon_status make_temporary_name(pmn_mem *mem, const char *final, char **out, paimon_error *err)
{
    uint8_t bytes[16];
    PMN_TRY(pmn_random_bytes(bytes, sizeof bytes, err));
    const char *name = pmn_path_name(final);
    size_t n_dir = (size_t)(name - final), n_name = strlen(name);
    if (n_name > LARGEST_NAME - SUFFIX_LENGTH - 1) {
        n_name = LARGEST_NAME - SUFFIX_LENGTH - 1;
        while (n_name > 0 && ((uint8_t)name[n_name] & 0xc0) == 0x80) n_name--; /* not in the middle of a character */
    }
    size_t n = n_dir + 1 + n_name + SUFFIX_LENGTH;
    char *path = (char *)pmn_alloc(mem, n + 1);
    if (!path) return pmn_fail_nomem(err, "a temporary name");
    memcpy(path, final, n_dir);
    path[n_dir] = '.';
    memcpy(path + n_dir + 1, name, n_name);
    char *p = path + n_dir + 1 + n_name;
    *p++ = '.';
    for (size_t i = 0; i < sizeof bytes; i++) {
        *p++ = "0123456789abcdef"[bytes[i] >> 4];
        *p++ = "0123456789abcdef"[bytes[i] & 15];
    }
    memcpy(p, ".tmp", 5);
    *out = path;
    return PAIMON_OK;
}

static void free_writer(pmn_mem *mem, local_writer *w)
{
    pmn_strfree(mem, w->temporary);
    pmn_strfree(mem, w->final);
    pmn_free(mem, w, sizeof *w);
}

/* A temporary file beside `path`. Its folder is made when opening says that it is missing. */
static paimon_status begin_writing(pmn_mem *mem, local_place place, bool durable, local_writer **out, paimon_error *err)
{
    const char *path = place.path;
    size_t n = strlen(path);
    *out = NULL;
    if (path[n - 1] == '/') return pmn_fail(err, PAIMON_INVALID, "\"%s\" is a folder's name, not a file's", path);
    local_writer *w = (local_writer *)pmn_calloc(mem, 1, sizeof *w);
    if (!w) return pmn_fail_nomem(err, "a file to write");
    w->durable = durable;
    w->from = place.from;
    paimon_status status = PAIMON_NOMEM;
    w->final = pmn_strndup(mem, path, n);
    if (!w->final) {
        pmn_fail_nomem(err, "a file to write");
        goto fail;
    }
    PMN_GOTO(status, make_temporary_name(mem, path, &w->temporary, err), fail);
    for (int attempt = 0;; attempt++) {
        do w->fd = openat(w->from, w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        while (w->fd < 0 && errno == EINTR);
        if (w->fd >= 0) break;
        if (errno != ENOENT || attempt > 0) {
            status = errno == ENOTDIR ? pmn_fail(err, PAIMON_IO, "%s: a part of the path is a file, not a folder", path) : pmn_fail_errno(err, errno, "%s", path);
            goto fail;
        }
        PMN_GOTO(status, make_folders_of(mem, w->from, durable, path, true, err), fail);
    }
    *out = w;
    return PAIMON_OK;
fail:
    free_writer(mem, w);
    return status;
}

static paimon_status write_fully(int fd, const void *bytes, size_t n, paimon_error *err)
{
    const char *p = (const char *)bytes;
    while (n > 0) {
        ssize_t done = write(fd, p, n > INT_MAX / 2 ? INT_MAX / 2 : n);
        if (done < 0) {
            if (errno == EINTR) continue;
            int why = errno;
            return pmn_fail_errno(err, why, "writing %zu bytes", n);
        }
        p += done;
        n -= (size_t)done;
    }
    return PAIMON_OK;
}

static void local_abort_write(void *ctx, void *file)
{
    local_writer *w = (local_writer *)file;
    if (w->fd >= 0) close(w->fd);
    unlinkat(w->from, w->temporary, 0);
    free_writer(mem_of(ctx), w);
}

/* Have the bytes on their way before the name is: a journal that keeps order then never holds a name without its bytes, though a
 * power cut may take both. Hundreds of times cheaper than a sync, which waits for the journal. */
static int write_out(int fd)
{
#if defined(__linux__)
    if (sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER) == 0) return 0;
    if (errno == EIO || errno == ENOSPC || errno == EDQUOT) return errno;
    if (errno == ESPIPE) return 0;
#endif
    return fsync(fd) == 0 ? 0 : errno;
}

/* Close, with the bytes on the disk under the temporary name, or on their way there. */
static paimon_status settle_bytes(local_writer *w, paimon_error *err)
{
    int why = w->durable ? (fsync(w->fd) == 0 ? 0 : errno) : write_out(w->fd);
    if (close(w->fd) != 0 && why == 0 && errno != EINTR) why = errno;
    w->fd = -1;
    return why ? pmn_fail_errno(err, why, "syncing %s", w->final) : PAIMON_OK;
}

/* Give `temporary` its name if nobody has it: 0, EEXIST or another errno. Over NFS the answer to a link() that was done may
 * be lost and the repeated one fails: two names of our own file tell. */
static int take_name(const local_writer *w)
{
    if (linkat(w->from, w->temporary, w->from, w->final, 0) == 0) return 0;
    int why = errno;
    struct stat st;
    if (fstatat(w->from, w->temporary, &st, 0) == 0 && st.st_nlink == 2) return 0;
    if (why == EEXIST) return why;
#if defined(__linux__) && defined(SYS_renameat2)
    if (why == EPERM || why == ENOSYS || why == ENOTSUP || why == EMLINK || why == EACCES) {
        if (syscall(SYS_renameat2, w->from, w->temporary, w->from, w->final, RENAME_NOREPLACE) == 0) return 0;
        if (errno == EEXIST) return EEXIST;
    }
#endif
    return why;
}

static int sync_folder_of(pmn_mem *mem, int from, const char *path)
{
    size_t size = strlen(path) + 2;
    char *folder = (char *)pmn_alloc(mem, size);
    if (!folder) return ENOMEM;
    parent_of(path, folder);
    int why = sync_folder(from, folder);
    pmn_free(mem, folder, size);
    return why;
}

static paimon_status open_for_writing(void *ctx, const char *path, bool durable, void **file, paimon_error *err)
{
    struct stat st;
    local_place place;
    *file = NULL;
    PMN_TRY(take_path(ctx, path, &place, err));
    /* Said early for the caller's comfort; what decides is the taking of the name. */
    if (fstatat(place.from, place.path, &st, AT_SYMLINK_NOFOLLOW) == 0) return pmn_fail(err, PAIMON_ALREADY_EXISTS, "%s exists", path);
    local_writer *w;
    PMN_TRY(begin_writing(mem_of(ctx), place, durable, &w, err));
    *file = w;
    return PAIMON_OK;
}

static paimon_status local_open_write(void *ctx, const char *path, void **file, paimon_error *err)
{
    return open_for_writing(ctx, path, false, file, err);
}

static paimon_status durable_open_write(void *ctx, const char *path, void **file, paimon_error *err)
{
    return open_for_writing(ctx, path, true, file, err);
}

static paimon_status local_write(void *ctx, void *file, const void *bytes, size_t n, paimon_error *err)
{
    (void)ctx;
    return write_fully(((local_writer *)file)->fd, bytes, n, err);
}

static paimon_status local_finish_write(void *ctx, void *file, paimon_error *err)
{
    local_writer *w = (local_writer *)file;
    paimon_status status = settle_bytes(w, err);
    if (status == PAIMON_OK) {
        int why = take_name(w);
        if (why == 0 && w->durable && (why = sync_folder_of(mem_of(ctx), w->from, w->final)) != 0)
            unlinkat(w->from, w->final, 0); /* ours: nobody else could make it */
        if (why == EEXIST) status = pmn_fail(err, PAIMON_ALREADY_EXISTS, "%s exists", w->final);
        else if (why) status = pmn_fail_errno(err, why, "%s", w->final);
    }
    local_abort_write(ctx, w); /* the temporary name goes either way */
    return status;
}

static paimon_status publish_file_if_absent(void *ctx, const char *path, bool durable, const void *bytes, size_t n, paimon_publish_result *result,
                                            paimon_error *err)
{
    local_writer *w;
    local_place place;
    *result = PAIMON_PUBLISH_UNKNOWN;
    PMN_TRY(take_path(ctx, path, &place, err));
    PMN_TRY(begin_writing(mem_of(ctx), place, durable, &w, err));
    paimon_status status = write_fully(w->fd, bytes, n, err);
    if (status == PAIMON_OK) status = settle_bytes(w, err);
    if (status == PAIMON_OK) {
        int why = take_name(w);
        if (why == 0) {
            /* The name is taken and readers may follow it: a folder that does not sync leaves doubt, not failure. */
            *result = !durable || sync_folder_of(mem_of(ctx), w->from, w->final) == 0 ? PAIMON_PUBLISH_CREATED : PAIMON_PUBLISH_UNKNOWN;
        } else if (why == EEXIST) {
            *result = PAIMON_PUBLISH_EXISTS;
        } else if (why == EIO || why == ETIMEDOUT || why == ESTALE) {
            *result = PAIMON_PUBLISH_UNKNOWN; /* done or not: nobody knows */
        } else {
            status = pmn_fail_errno(err, why, "%s", path);
        }
    }
    local_abort_write(ctx, w);
    return status;
}

static paimon_status local_publish_if_absent(void *ctx, const char *path, const void *bytes, size_t n, paimon_publish_result *result,
                                             paimon_error *err)
{
    return publish_file_if_absent(ctx, path, false, bytes, n, result, err);
}

static paimon_status durable_publish_if_absent(void *ctx, const char *path, const void *bytes, size_t n, paimon_publish_result *result,
                                               paimon_error *err)
{
    return publish_file_if_absent(ctx, path, true, bytes, n, result, err);
}

static paimon_status local_replace(void *ctx, const char *path, const void *bytes, size_t n, paimon_error *err)
{
    local_writer *w;
    local_place place;
    PMN_TRY(take_path(ctx, path, &place, err));
    PMN_TRY(begin_writing(mem_of(ctx), place, false, &w, err));
    paimon_status status = write_fully(w->fd, bytes, n, err);
    /* Not synced: a hint that a crash takes away, or leaves empty, costs a listing, and the rename is atomic all the same. */
    if (status == PAIMON_OK && renameat(w->from, w->temporary, w->from, w->final) != 0) status = pmn_fail_errno(err, errno, "%s", path);
    local_abort_write(ctx, w);
    return status;
}

static paimon_status local_remove(void *ctx, const char *const *paths, size_t n, paimon_error *err)
{
    paimon_status first = PAIMON_OK;
    for (size_t i = 0; i < n; i++) {
        const char *path = paths[i];
        local_place place;
        paimon_status status = take_path(ctx, path, &place, first == PAIMON_OK ? err : NULL);
        if (status == PAIMON_OK && unlinkat(place.from, place.path, 0) != 0 && errno != ENOENT && errno != ENOTDIR) {
            int why = errno;
            struct stat st;
            /* Some systems say EPERM of a folder; who removes a tree must know folders from links that he may not remove. */
            if (why == EPERM && fstatat(place.from, place.path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode)) why = EISDIR;
            status = pmn_fail_errno(first == PAIMON_OK ? err : NULL, why, "%s", path);
        }
        if (first == PAIMON_OK) first = status;
    }
    return first;
}

/* Where the system or the file system cannot rename without replacing, a look comes first: what another process makes in between can
 * only be replaced if it is an empty folder. */
static int move_folder(local_place from, local_place to)
{
#if defined(__linux__) && defined(SYS_renameat2)
    if (syscall(SYS_renameat2, from.from, from.path, to.from, to.path, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return errno;
#endif
    struct stat st;
    if (fstatat(to.from, to.path, &st, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
    return renameat(from.from, from.path, to.from, to.path) == 0 ? 0 : errno;
}

static paimon_status local_rename_directory(void *ctx, const char *from, const char *to, paimon_error *err)
{
    struct stat st;
    local_place here, there;
    PMN_TRY(take_path(ctx, from, &here, err));
    PMN_TRY(take_path(ctx, to, &there, err));
    if (fstatat(here.from, here.path, &st, 0) != 0) return pmn_fail_errno(err, errno, "%s", from);
    if (!S_ISDIR(st.st_mode)) return pmn_fail(err, PAIMON_NOT_FOUND, "%s is not a folder", from);
    int why = move_folder(here, there);
    if (why == EEXIST || why == ENOTEMPTY || why == ENOTDIR) return pmn_fail(err, PAIMON_ALREADY_EXISTS, "%s exists", to);
    if (why == 0) why = sync_folder_of(mem_of(ctx), there.from, there.path);
    if (why == 0) why = sync_folder_of(mem_of(ctx), here.from, here.path);
    return why ? pmn_fail_errno(err, why, "renaming %s to %s", from, to) : PAIMON_OK;
}

static void local_release(void *ctx)
{
    local_disk *disk = (local_disk *)ctx;
    pmn_mem *mem = disk->mem;
    if (disk->held != AT_FDCWD) close(disk->held);
    pmn_strfree(mem, disk->prefix);
    pmn_free(mem, disk, sizeof *disk);
    pmn_mem_release(mem);
}

#define LOCAL_VTABLE(open_write, publish)                                                                                \
    {                                                                                                                    \
        sizeof(paimon_fs_vtable), local_open_read, local_read_ranges, local_close_read, local_stat, local_list,          \
            open_write, local_write, local_finish_write, local_abort_write, local_remove, local_remove_directory,        \
            local_make_directories, publish, local_replace, local_release, local_rename_directory                        \
    }

/* `held` is given over, also on failure. */
static paimon_status make_disk(pmn_mem *mem, const paimon_fs_vtable *vtable, int held, const char *prefix, paimon_fs **fs, paimon_error *err)
{
    size_t n = strlen(prefix);
    while (n > 1 && prefix[n - 1] == '/') n--;
    local_disk *disk = (local_disk *)pmn_calloc(mem, 1, sizeof *disk);
    char *copy = pmn_strndup(mem, prefix, n);
    if (!disk || !copy) {
        if (disk) pmn_free(mem, disk, sizeof *disk);
        pmn_strfree(mem, copy);
        if (held != AT_FDCWD) close(held);
        return pmn_fail_nomem(err, "a file system");
    }
    *disk = (local_disk){ .mem = pmn_mem_retain(mem), .held = held, .n_prefix = n, .prefix = copy };
    paimon_status status = pmn_fs_make(mem, vtable, disk, fs, err);
    if (status != PAIMON_OK) local_release(disk);
    return status;
}

paimon_status pmn_fs_local_new(pmn_mem *mem, paimon_sync sync, paimon_fs **fs, paimon_error *err)
{
    static const paimon_fs_vtable ordered = LOCAL_VTABLE(local_open_write, local_publish_if_absent);
    static const paimon_fs_vtable durable = LOCAL_VTABLE(durable_open_write, durable_publish_if_absent);
    return make_disk(mem, sync == PAIMON_SYNC_DURABLE ? &durable : &ordered, AT_FDCWD, "", fs, err);
}

paimon_fs *pmn_fs_local_default(void)
{
    static local_disk disk = { .held = AT_FDCWD };
    static paimon_fs fs = { .vtable = LOCAL_VTABLE(local_open_write, local_publish_if_absent) };
    disk.mem = pmn_mem_default(); /* called under the default environment's once */
    fs.ctx = &disk;
    return &fs;
}

#if defined(O_PATH)
#define HOLD_FLAGS (O_PATH | O_DIRECTORY)
#else
#define HOLD_FLAGS (O_RDONLY | O_DIRECTORY)
#endif

paimon_status pmn_fs_pin(pmn_mem *mem, paimon_fs *fs, const char *folder, paimon_fs **out, paimon_error *err)
{
    local_place place;
    *out = NULL;
    if (fs->vtable.open_read != local_open_read) {
        *out = paimon_fs_retain(fs);
        return PAIMON_OK;
    }
    PMN_TRY(take_path(fs->ctx, folder, &place, err));
    int held = open_at(place, HOLD_FLAGS);
    if (held < 0) return pmn_fail_errno(err, errno, "%s", folder);
    return make_disk(mem, &fs->vtable, held, system_path(folder), out, err);
}
