/** File systems: the interface that an embedder may implement, and the two that the library brings (local disk, memory).
 *
 *  Paths are UTF-8, separated by '/'; an implementation gets them whole, scheme included when there was one. No rename of
 *  files: how to publish one atomically is the implementation's matter. All functions must be thread-safe except that one open file
 *  is written by one thread at a time; one open file may be read by several threads at once.
 */
#ifndef PAIMON_C_FS_H
#define PAIMON_C_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paimon-c/env.h"
#include "paimon-c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One piece to read: `length` bytes from `offset` into `dst`, which has room for them. */
typedef struct paimon_read_range {
    int64_t offset;
    int64_t length;
    void *dst;
} paimon_read_range;

typedef struct paimon_file_info {
    const char *name;         /**< last component, no '/'; borrowed for the call */
    int64_t size_bytes;       /**< 0 for a directory */
    int64_t modified_ms;      /**< since 1970 UTC; 0 unknown */
    bool is_directory;
} paimon_file_info;

/** Called for each entry of a listing; a non-zero answer ends the listing, which then succeeds. */
typedef int (*paimon_list_fn)(void *arg, const paimon_file_info *info);

typedef enum paimon_publish_result {
    PAIMON_PUBLISH_CREATED = 0, /**< the path now holds exactly these bytes, and no other writer's were ever there */
    PAIMON_PUBLISH_EXISTS = 1,  /**< the path existed; nothing was changed */
    PAIMON_PUBLISH_UNKNOWN = 2  /**< the answer was lost: read the path back to learn */
} paimon_publish_result;

/** The functions of a file system. `ctx` comes first everywhere. Handles are the implementation's own pointers. */
typedef struct paimon_fs_vtable {
    size_t struct_size; /**< sizeof(paimon_fs_vtable) */
    /** Open for reading. `known_size` ≥ 0 saves asking; `size` gets the size in bytes. PAIMON_NOT_FOUND if absent. */
    paimon_status (*open_read)(void *ctx, const char *path, int64_t known_size, void **file, int64_t *size, paimon_error *err);
    /** Read all `n` ranges, in any order, possibly at once; a short file is PAIMON_IO. */
    paimon_status (*read_ranges)(void *ctx, void *file, const paimon_read_range *ranges, size_t n, paimon_error *err);
    void (*close_read)(void *ctx, void *file);
    /** Size, time and kind of a path; name is not set. PAIMON_NOT_FOUND if absent. */
    paimon_status (*stat)(void *ctx, const char *path, paimon_file_info *info, paimon_error *err);
    /** Each direct entry of a directory, in any order. PAIMON_NOT_FOUND if absent. */
    paimon_status (*list)(void *ctx, const char *path, paimon_list_fn fn, void *arg, paimon_error *err);
    /** Create a new file for writing (parent directories are made); PAIMON_ALREADY_EXISTS if the path exists. */
    paimon_status (*open_write)(void *ctx, const char *path, void **file, paimon_error *err);
    paimon_status (*write)(void *ctx, void *file, const void *bytes, size_t n, paimon_error *err);
    /** Make what was written whole and visible, and as durable as this file system promises (local disk: paimon_sync), and close. On failure the file is gone. */
    paimon_status (*finish_write)(void *ctx, void *file, paimon_error *err);
    /** Close and remove what was begun. */
    void (*abort_write)(void *ctx, void *file);
    /** Remove files; an absent one counts as removed. All are tried; the first failure is told. */
    paimon_status (*remove)(void *ctx, const char *const *paths, size_t n, paimon_error *err);
    /** Remove an empty directory. */
    paimon_status (*remove_directory)(void *ctx, const char *path, paimon_error *err);
    paimon_status (*make_directories)(void *ctx, const char *path, paimon_error *err);
    /** Atomically create `path` with these bytes if, and only if, it does not exist. */
    paimon_status (*publish_if_absent)(void *ctx, const char *path, const void *bytes, size_t n, paimon_publish_result *result,
                                       paimon_error *err);
    /** Replace `path` (or create it) so that a reader sees either the old or the new bytes. For hint files: a power cut
     *  may take them, so they need not be synced. */
    paimon_status (*replace)(void *ctx, const char *path, const void *bytes, size_t n, paimon_error *err);
    /** Called once when the last reference is given up. May be NULL. */
    void (*release)(void *ctx);
    /** Give a directory, with all that is in it, another name, at once for every reader; PAIMON_ALREADY_EXISTS if the new name is taken, by
     *  whatever it is. NULL where the storage cannot: tables are not renamed there (PAIMON_UNSUPPORTED). */
    paimon_status (*rename_directory)(void *ctx, const char *from, const char *to, paimon_error *err);
} paimon_fs_vtable;

/** Make a file system of the embedder's functions. The table is copied, an older and shorter one completed with NULL; `ctx` is kept until
 *  `release` is called.
 *  @param fs  out; owned by the caller, free with paimon_fs_free() */
PAIMON_API paimon_status paimon_fs_new(const paimon_fs_vtable *vtable, void *ctx, paimon_fs **fs, paimon_error *err);
PAIMON_API paimon_fs *paimon_fs_retain(paimon_fs *fs);
PAIMON_API void paimon_fs_free(paimon_fs *fs);

/** The local disk (`/a/b`, `file:/a/b`, `file:///a/b`). Publishing links a finished temporary file to its final name, so it is
 *  atomic against every other process; see docs/architecture.md for what is synced when. */
PAIMON_API paimon_status paimon_fs_local(paimon_env *env, paimon_fs **fs, paimon_error *err);

/** A file system in memory, empty at first; each call makes a new one. */
PAIMON_API paimon_status paimon_fs_memory(paimon_env *env, paimon_fs **fs, paimon_error *err);

#ifdef __cplusplus
}
#endif

#endif
