/* Where the files of a bucket lie. Java: FileStorePathFactory. */
#ifndef PMN_META_BUCKET_PATH_H
#define PMN_META_BUCKET_PATH_H

#include "meta/manifest/manifest.h"
#include "meta/source.h"

/* "<table>/[<data-file.path-directory>/]<k>=<v>/…/bucket-<b>" in `out`, which is cleared first. `partition` is serialized. */
paimon_status pmn_bucket_path(const pmn_source *source, pmn_slice partition, int32_t bucket, pmn_buf *out, paimon_error *err) PMN_MUST_USE;
/* Where an index file lies that has no external path: in "<table>/index", or, with index-file-in-data-file-dir, in its bucket's folder. `out` is
 * cleared first; a null byte follows. */
paimon_status pmn_index_path(const pmn_source *source, const pmn_index_entry *entry, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

#endif
