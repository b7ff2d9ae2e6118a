/** The environment: where memory, threads, log and file systems come from.
 *
 *  Every entry point (catalog, bare table path, bare file) takes a paimon_env; NULL means the process's default one: malloc
 *  without limit, no extra threads until a call asks for some, silent, local and in-memory file systems. An environment is
 *  reference-counted: objects made from it keep it, so it may be freed first. A const paimon_env may be used by several
 *  threads at once; register file systems before sharing it.
 */
#ifndef PAIMON_C_ENV_H
#define PAIMON_C_ENV_H

#include <stddef.h>
#include <stdint.h>

#include "paimon-c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paimon_env paimon_env;
typedef struct paimon_fs paimon_fs;

/** An allocator that the embedder brings. All three functions must be thread-safe; memory must be aligned to 16 bytes.
 *  Sizes are in bytes; `realloc` and `free` are told the size the block was allocated with. `alloc` and `realloc` answer NULL
 *  to refuse, which ends the call with PAIMON_NOMEM and leaks nothing. The libraries that decompress and parse JSON keep a
 *  small, bounded working memory of their own outside of it. */
typedef struct paimon_allocator {
    size_t struct_size; /**< sizeof(paimon_allocator) */
    void *(*alloc)(void *ctx, size_t size);
    void *(*realloc)(void *ctx, void *block, size_t old_size, size_t new_size);
    void (*free)(void *ctx, void *block, size_t size);
    void *ctx;
} paimon_allocator;

/** An executor that the embedder brings: it owns the threads. `submit` runs `task(arg)` once, at any time, on any thread, or
 *  answers non-zero to refuse, whereupon the library runs the task itself. The library never waits for a task that nobody has
 *  started: the waiter runs it. No task ever waits for another, so one thread is enough. */
typedef struct paimon_executor {
    size_t struct_size; /**< sizeof(paimon_executor) */
    int (*submit)(void *ctx, void (*task)(void *arg), void *arg);
    int n_threads; /**< how many tasks it runs at once: a hint for read-ahead */
    void *ctx;
} paimon_executor;

typedef enum paimon_log_level { PAIMON_LOG_ERROR = 1, PAIMON_LOG_WARN = 2, PAIMON_LOG_INFO = 3, PAIMON_LOG_DEBUG = 4 } paimon_log_level;

/** Receives one line without a newline; may be called from any thread; must not call back into the library. */
typedef void (*paimon_log_fn)(void *ctx, paimon_log_level level, const char *message);

/** What a power cut may cost on the local disk. A killed process, or a full disk, costs nothing either way. */
typedef enum paimon_sync {
    PAIMON_SYNC_ORDERED = 0, /**< the newest commits may be gone, but none is half there, on file systems that journal in order (ext4, XFS) */
    PAIMON_SYNC_DURABLE = 1  /**< what a call said is done stays done, everywhere: each file and its folder is synced, which is much slower */
} paimon_sync;

/** All zero after struct_size means all defaults. The structs pointed to are copied; what their ctx point to is kept until
 *  the environment is freed. */
typedef struct paimon_env_options {
    size_t struct_size;                /**< sizeof(paimon_env_options) */
    const paimon_allocator *allocator; /**< NULL: malloc */
    int64_t memory_limit_bytes;        /**< 0: none */
    const paimon_executor *executor;   /**< NULL: a pool of the library's own, started when first needed */
    int32_t n_threads;                 /**< size of that pool; 0: one per processor */
    paimon_log_fn log;                 /**< NULL: silent */
    void *log_ctx;
    paimon_log_level log_level; /**< 0: PAIMON_LOG_WARN */
    paimon_sync local_sync;     /**< of files that are written to the local disk */
} paimon_env_options;

#define PAIMON_ENV_OPTIONS_INIT { sizeof(paimon_env_options), NULL, 0, NULL, 0, NULL, NULL, (paimon_log_level)0, PAIMON_SYNC_ORDERED }

/** Make an environment.
 *
 *  @param options  borrowed for the call; NULL means all defaults
 *  @param env      out; owned by the caller, free with paimon_env_free()
 *  @return PAIMON_OK; PAIMON_INVALID for a struct_size or value out of range; PAIMON_NOMEM
 */
PAIMON_API paimon_status paimon_env_new(const paimon_env_options *options, paimon_env **env, paimon_error *err);

/** One more reference; returns `env`. NULL gives NULL. */
PAIMON_API paimon_env *paimon_env_retain(paimon_env *env);

/** Give up one reference; NULL is allowed. Memory goes when the last object made from it is gone. */
PAIMON_API void paimon_env_free(paimon_env *env);

/** Bytes allocated now and at most so far; either pointer may be NULL. `env` NULL asks the default one. Any thread. */
PAIMON_API void paimon_env_memory(const paimon_env *env, int64_t *current_bytes, int64_t *peak_bytes);

/** Use `fs` for paths that start with `scheme` and a colon ("s3"). The environment takes a reference of its own. A later
 *  registration of the same scheme wins. Not while other threads use `env`.
 *
 *  @return PAIMON_OK; PAIMON_INVALID for NULL or a scheme that is not of letters, digits, '+', '-', '.'; PAIMON_NOMEM
 */
PAIMON_API paimon_status paimon_env_register_fs(paimon_env *env, const char *scheme, paimon_fs *fs, paimon_error *err);

#ifdef __cplusplus
}
#endif

#endif
