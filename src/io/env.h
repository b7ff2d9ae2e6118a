/* Environments: the default one, and which file system a path has. */
#ifndef PMN_IO_ENV_H
#define PMN_IO_ENV_H

#include "base/env.h"
#include "base/status.h"
#include "paimon-c/env.h"
#include "paimon-c/fs.h"

/* What NULL means at the public entry points: made once, never freed. Never NULL. */
paimon_env *pmn_env_default(void);
/* `env`, or the default one. */
static inline paimon_env *pmn_env_or_default(paimon_env *env)
{
    return env ? env : pmn_env_default();
}

/* The file system of `path`: by its scheme, the local disk for a plain path or "file:". Borrowed from `env` (NULL: the default
 * one). PAIMON_UNSUPPORTED names a scheme that has none. */
paimon_status pmn_env_fs(paimon_env *env, const char *path, paimon_fs **fs, paimon_error *err) PMN_MUST_USE;

#endif
