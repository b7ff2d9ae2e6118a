/* For the file systems that the library brings: how one is made with an allocator of its own. */
#ifndef PMN_IO_FS_IMPL_H
#define PMN_IO_FS_IMPL_H

#include <stdatomic.h>

#include "base/mem.h"
#include "base/status.h"
#include "paimon-c/fs.h"

struct paimon_fs {
    paimon_fs_vtable vtable;
    void *ctx;
    pmn_mem *mem; /* counted; NULL: static, never freed */
    atomic_int refs;
};

/* As paimon_fs_new. On failure `ctx` stays the caller's. */
paimon_status pmn_fs_make(pmn_mem *mem, const paimon_fs_vtable *vtable, void *ctx, paimon_fs **fs, paimon_error *err) PMN_MUST_USE;

paimon_status pmn_fs_local_new(pmn_mem *mem, paimon_sync sync, paimon_fs **fs, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_fs_memory_new(pmn_mem *mem, paimon_fs **fs, paimon_error *err) PMN_MUST_USE;
/* The local disk with the default allocator: static. */
paimon_fs *pmn_fs_local_default(void);

#endif
