/* Environments. The default one is made of static parts, so that making it cannot fail. */
#include "io/env.h"

#include <pthread.h>
#include <string.h>

#include "io/fs_impl.h"
#include "io/path.h"

typedef struct scheme_entry {
    char *scheme;
    paimon_fs *fs;
} scheme_entry;

/* Few schemes: a list, searched from its end so that the latest registration wins. */
struct pmn_fs_registry {
    paimon_sync sync; /* of local disks made from it */
    scheme_entry *entries;
    size_t n;
    paimon_fs *local;
};

static paimon_env default_env;
static pmn_fs_registry default_registry;
static pthread_once_t default_once = PTHREAD_ONCE_INIT;

static void make_default(void)
{
    default_registry.local = pmn_fs_local_default();
    default_env.mem = pmn_mem_default();
    default_env.executor = pmn_executor_default();
    default_env.logger.level = PAIMON_LOG_WARN;
    default_env.registry = &default_registry;
    atomic_init(&default_env.refs, 1);
}

paimon_env *pmn_env_default(void)
{
    pthread_once(&default_once, make_default);
    return &default_env;
}

/* What the caller gave, with zeros where an older and shorter struct ends. */
static paimon_status take_options(const paimon_env_options *given, paimon_env_options *out, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    if (!given) return PAIMON_OK;
    if (given->struct_size < sizeof given->struct_size || given->struct_size > 4096)
        return pmn_fail(err, PAIMON_INVALID, "paimon_env_options: struct_size is %zu, expected %zu", given->struct_size, sizeof *out);
    memcpy(out, given, given->struct_size < sizeof *out ? given->struct_size : sizeof *out);
    const paimon_allocator *a = out->allocator;
    if (a && (a->struct_size < sizeof *a || !a->alloc || !a->realloc || !a->free))
        return pmn_fail(err, PAIMON_INVALID, "paimon_allocator: struct_size must be %zu and all three functions given", sizeof *a);
    const paimon_executor *e = out->executor;
    if (e && (e->struct_size < sizeof *e || !e->submit))
        return pmn_fail(err, PAIMON_INVALID, "paimon_executor: struct_size must be %zu and submit given", sizeof *e);
    if (out->memory_limit_bytes < 0 || out->n_threads < 0)
        return pmn_fail(err, PAIMON_INVALID, "paimon_env_options: memory_limit_bytes and n_threads cannot be negative");
    if ((int)out->log_level < 0 || out->log_level > PAIMON_LOG_DEBUG)
        return pmn_fail(err, PAIMON_INVALID, "paimon_env_options: log_level %d is none of 1 to 4", (int)out->log_level);
    return PAIMON_OK;
}

static void free_registry(pmn_mem *mem, pmn_fs_registry *registry)
{
    if (!registry) return;
    for (size_t i = 0; i < registry->n; i++) {
        pmn_strfree(mem, registry->entries[i].scheme);
        paimon_fs_free(registry->entries[i].fs);
    }
    pmn_free(mem, registry->entries, registry->n * sizeof *registry->entries);
    paimon_fs_free(registry->local);
    pmn_free(mem, registry, sizeof *registry);
}

paimon_status paimon_env_new(const paimon_env_options *options, paimon_env **env, paimon_error *err)
{
    paimon_env_options o;
    if (!env) return pmn_fail(err, PAIMON_INVALID, "paimon_env_new: env is NULL");
    *env = NULL;
    PMN_TRY(take_options(options, &o, err));
    pmn_mem *mem = pmn_mem_new(o.allocator, o.memory_limit_bytes);
    if (!mem) return pmn_fail_nomem(err, "an environment");
    paimon_status status = PAIMON_NOMEM;
    paimon_env *made = (paimon_env *)pmn_calloc(mem, 1, sizeof *made);
    pmn_fs_registry *registry = (pmn_fs_registry *)pmn_calloc(mem, 1, sizeof *registry);
    if (!made || !registry) {
        pmn_fail_nomem(err, "an environment");
        goto fail;
    }
    PMN_GOTO(status, pmn_fs_local_new(mem, o.local_sync, &registry->local, err), fail);
    PMN_GOTO(status, pmn_executor_new(mem, o.executor, o.n_threads, &made->executor, err), fail);
    made->mem = mem;
    made->registry = registry;
    registry->sync = o.local_sync;
    made->logger.fn = o.log;
    made->logger.ctx = o.log_ctx;
    made->logger.level = o.log_level ? o.log_level : PAIMON_LOG_WARN;
    atomic_init(&made->refs, 1);
    *env = made;
    return PAIMON_OK;
fail:
    free_registry(mem, registry);
    pmn_free(mem, made, sizeof *made);
    pmn_mem_release(mem);
    return status;
}

paimon_env *paimon_env_retain(paimon_env *env)
{
    if (env && env != &default_env) atomic_fetch_add_explicit(&env->refs, 1, memory_order_relaxed);
    return env;
}

void paimon_env_free(paimon_env *env)
{
    if (!env || env == &default_env || atomic_fetch_sub_explicit(&env->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = env->mem;
    free_registry(mem, env->registry);
    pmn_executor_release(env->executor);
    pmn_free(mem, env, sizeof *env);
    pmn_mem_release(mem);
}

void paimon_env_memory(const paimon_env *env, int64_t *current_bytes, int64_t *peak_bytes)
{
    const pmn_mem *mem = env ? env->mem : pmn_mem_default();
    if (current_bytes) *current_bytes = pmn_mem_current(mem);
    if (peak_bytes) *peak_bytes = pmn_mem_peak(mem);
}

paimon_status paimon_env_register_fs(paimon_env *env, const char *scheme, paimon_fs *fs, paimon_error *err)
{
    if (!env || !scheme || !fs) return pmn_fail(err, PAIMON_INVALID, "paimon_env_register_fs: NULL argument");
    if (env == &default_env) return pmn_fail(err, PAIMON_INVALID, "paimon_env_register_fs: the default environment cannot be changed");
    if (!pmn_is_scheme(scheme, strlen(scheme))) return pmn_fail(err, PAIMON_INVALID, "\"%s\" is not a scheme: a letter, then letters, digits, '+', '-', '.'", scheme);
    pmn_fs_registry *registry = env->registry;
    char *copy = pmn_strndup(env->mem, scheme, strlen(scheme));
    if (!copy) return pmn_fail_nomem(err, "a file system's scheme");
    size_t size = registry->n * sizeof *registry->entries;
    scheme_entry *entries = (scheme_entry *)pmn_realloc(env->mem, registry->entries, size, size + sizeof *entries);
    if (!entries) {
        pmn_strfree(env->mem, copy);
        return pmn_fail_nomem(err, "a file system's scheme");
    }
    registry->entries = entries;
    entries[registry->n].scheme = copy;
    entries[registry->n++].fs = paimon_fs_retain(fs);
    return PAIMON_OK;
}

paimon_status pmn_env_fs(paimon_env *env, const char *path, paimon_fs **fs, paimon_error *err)
{
    const pmn_fs_registry *registry = pmn_env_or_default(env)->registry;
    pmn_slice scheme = pmn_path_scheme(path);
    for (size_t i = registry->n; scheme.size > 0 && i-- > 0;) {
        if (!pmn_slice_equal(scheme, pmn_slice_text(registry->entries[i].scheme))) continue;
        *fs = registry->entries[i].fs;
        return PAIMON_OK;
    }
    *fs = registry->local;
    if (scheme.size == 0 || pmn_slice_equal(scheme, pmn_slice_text("file"))) return PAIMON_OK;
    *fs = NULL;
    return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: there is no file system for the scheme \"%.*s\"", path, (int)scheme.size, (const char *)scheme.data);
}

paimon_status paimon_fs_local(paimon_env *env, paimon_fs **fs, paimon_error *err)
{
    if (!fs) return pmn_fail(err, PAIMON_INVALID, "paimon_fs_local: fs is NULL");
    env = pmn_env_or_default(env);
    return pmn_fs_local_new(env->mem, env->registry->sync, fs, err);
}

paimon_status paimon_fs_memory(paimon_env *env, paimon_fs **fs, paimon_error *err)
{
    if (!fs) return pmn_fail(err, PAIMON_INVALID, "paimon_fs_memory: fs is NULL");
    return pmn_fs_memory_new(pmn_env_or_default(env)->mem, fs, err);
}
