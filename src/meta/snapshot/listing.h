/* Names in a metadata folder. Private to this room. */
#ifndef PMN_META_LISTING_H
#define PMN_META_LISTING_H

#include "base/buf.h"
#include "base/arena.h"
#include "io/fs.h"

/* Snapshot, tag, schema files: JSON texts that are read whole. */
#define PMN_METADATA_TEXT_CEILING ((size_t)64 << 20)

/* Ascending ids of the files of `dir` called <prefix><decimal>; other names (temporary files, hints) are skipped. An absent folder
 * has none. */
paimon_status pmn_list_ids(pmn_arena *arena, paimon_fs *fs, const char *dir, const char *prefix, int64_t **ids, int32_t *n, paimon_error *err) PMN_MUST_USE;
/* The texts behind `prefix`, in byte order: of files, or of folders. */
paimon_status pmn_list_names(pmn_arena *arena, paimon_fs *fs, const char *dir, const char *prefix, bool folders, const char ***names, int32_t *n,
                             paimon_error *err) PMN_MUST_USE;
/* Digits only, at least one, that fit 63 bits. */
bool pmn_parse_id(const char *text, size_t n, int64_t *id);

#endif
