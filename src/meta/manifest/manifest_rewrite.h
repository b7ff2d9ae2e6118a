/* A manifest, manifest list or index manifest decoded and encoded again: with today's header schema, the codec and sync marker it had. */
#ifndef PMN_META_MANIFEST_REWRITE_H
#define PMN_META_MANIFEST_REWRITE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "io/fs.h"

typedef enum pmn_manifest_kind { PMN_MANIFEST, PMN_MANIFEST_LIST, PMN_INDEX_MANIFEST } pmn_manifest_kind;

/* `bytes` are those of the file at `path`; the container is appended to `out`. */
paimon_status pmn_manifest_rewrite(pmn_mem *mem, paimon_fs *fs, const char *path, pmn_manifest_kind kind, pmn_slice bytes, pmn_buf *out,
                                   paimon_error *err) PMN_MUST_USE;

#endif
