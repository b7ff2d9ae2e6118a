/* The environment from the inside: plain members, read-only once made. */
#ifndef PMN_BASE_ENV_H
#define PMN_BASE_ENV_H

#include <stdatomic.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/status.h"
#include "paimon-c/env.h"

/* Scheme → file system; defined by io, kept here as an opaque pointer so that base knows no file system. */
typedef struct pmn_fs_registry pmn_fs_registry;

struct paimon_env {
    pmn_mem *mem;
    pmn_executor *executor;
    pmn_logger logger;
    pmn_fs_registry *registry;
    atomic_int refs;
};

#endif
