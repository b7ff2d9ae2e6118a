/* Metadata files that are no Avro: older releases could write manifests, their lists and index manifests as ORC or Parquet
 * (manifest.format). They are made into Avro containers in memory, so that all that comes behind knows one form. */
#ifndef PMN_META_COLUMNAR_RECORDS_H
#define PMN_META_COLUMNAR_RECORDS_H

#include "base/buf.h"
#include "io/fs.h"

/* `bytes` is what the file at `path` holds. ORC or Parquet is replaced by a container with the same records, of the same field names;
 * anything else stays. */
paimon_status pmn_records_make_avro(pmn_mem *mem, paimon_fs *fs, const char *path, pmn_buf *bytes, paimon_error *err) PMN_MUST_USE;

#endif
