/* An environment whose memory is refused on demand: the long way of failing_alloc.h, for what goes through the public API.
 *
 *     failing_env f;
 *     failing_env_begin(&f, fs);            // sound as yet; `fs` as "mem:", or NULL
 *     failing_env_refuse(&f, n, once);      // the n-th request from now: that one alone, or all from there on
 *     status = ...(f.env, ...);
 *     bool reached = failing_env_relent(&f);
 *     failing_env_end(&f);                  // no block is left
 *
 * A test goes on with larger `n` as long as `reached`. */
#ifndef TESTS_SUPPORT_FAILING_ENV_H
#define TESTS_SUPPORT_FAILING_ENV_H

#include "support/failing_alloc.h"
#include "support/unit.h"

#include "paimon-c/fs.h"

typedef struct failing_env {
    failing_alloc alloc; /* the environment points here: it must not move */
    paimon_env *env;
    char what[60]; /* "allocation 17 alone" */
} failing_env;

static inline void failing_env_begin(failing_env *f, paimon_fs *fs)
{
    paimon_error err = PAIMON_ERROR_INIT;
    *f = (failing_env){ .alloc = { -1, 0 } };
    paimon_allocator allocator = failing_alloc_interface(&f->alloc);
    paimon_env_options options = PAIMON_ENV_OPTIONS_INIT;
    options.allocator = &allocator;
    if (paimon_env_new(&options, &f->env, &err) != PAIMON_OK || (fs && paimon_env_register_fs(f->env, "mem", fs, &err) != PAIMON_OK))
        fail_msg("an environment to fail: %s", paimon_error_message(&err));
}

static inline void failing_env_refuse(failing_env *f, int64_t n, bool once)
{
    snprintf(f->what, sizeof f->what, "allocation %d%s", (int)n, once ? " alone" : "");
    atomic_store(&f->alloc.until_failure, once ? FAILING_ALLOC_ONCE + n : n);
}

/* Was the request made, and so refused? */
static inline bool failing_env_relent(failing_env *f) { return atomic_exchange(&f->alloc.until_failure, -1) < -1; }

static inline void failing_env_end(failing_env *f)
{
    paimon_env_free(f->env);
    if (atomic_load(&f->alloc.alive)) fail_msg("%s: %d blocks left", f->what, (int)atomic_load(&f->alloc.alive));
}

#endif
