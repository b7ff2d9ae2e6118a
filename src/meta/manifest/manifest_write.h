/* Manifest lists and manifests: written, in Avro, with Java's names, order and types; and the Avro writer's options. */
#ifndef PMN_META_MANIFEST_WRITE_H
#define PMN_META_MANIFEST_WRITE_H

#include "meta/manifest/manifest.h"
#include "types/type.h"

typedef struct pmn_manifest_codec {
    const char *avro_codec; /* "zstandard", "null", "deflate", "snappy", "bzip2", "xz" */
    int32_t zstd_level;
} pmn_manifest_codec;

/* A row of manifest files being written: rolls to a new file when `target_bytes` is passed (checked every 1000 entries, as Java). */
typedef struct pmn_manifest_writer pmn_manifest_writer;
typedef struct pmn_manifest_writer_options {
    pmn_mem *mem;      /* borrowed until freed, like all below */
    paimon_fs *fs;
    const char *folder; /* <table>/manifest */
    const char *uuid;   /* names are manifest-<uuid>-<k>, k from *counter on */
    int32_t *counter;
    const pmn_type *partition_type;
    pmn_manifest_codec codec;
    int64_t target_bytes;
    int64_t schema_id; /* of a manifest without entries */
} pmn_manifest_writer_options;
paimon_status pmn_manifest_writer_new(const pmn_manifest_writer_options *options, pmn_manifest_writer **out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_manifest_writer_add(pmn_manifest_writer *writer, const pmn_manifest_entry *entry, paimon_error *err) PMN_MUST_USE;
/* Finish: what was written, in order, in the arena. Nothing is written for no entries. */
paimon_status pmn_manifest_writer_finish(pmn_manifest_writer *writer, pmn_arena *arena, pmn_manifest_file **out, int32_t *n, paimon_error *err) PMN_MUST_USE;
/* Free; files of an unfinished writer are removed. NULL allowed. */
void pmn_manifest_writer_free(pmn_manifest_writer *writer);

/* A deep copy. */
paimon_status pmn_manifest_file_copy(pmn_arena *arena, const pmn_manifest_file *from, pmn_manifest_file *to, paimon_error *err) PMN_MUST_USE;

/* One manifest list (or index manifest) file; `size` gets its bytes. An empty list is written too. */
paimon_status pmn_manifest_list_write(pmn_mem *mem, paimon_fs *fs, const char *path, const pmn_manifest_codec *codec, const pmn_manifest_file *items,
                                      int32_t n, int64_t *size, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_index_manifest_write(pmn_mem *mem, paimon_fs *fs, const char *path, const pmn_manifest_codec *codec, const pmn_index_entry *items,
                                       int32_t n, int64_t *size, paimon_error *err) PMN_MUST_USE;

/* Merging old manifests as Java's ManifestFileMerger: full when enough would change, else minor. `out` in the arena: kept ones and new
 * ones, in Java's order; the names of new ones also in `created` (remove them if the commit fails). */
typedef struct pmn_manifest_merge_options {
    pmn_manifest_writer_options writer;
    int64_t full_threshold_bytes; /* manifest.full-compaction-threshold-size */
    int64_t min_count;            /* manifest.merge-min-count */
} pmn_manifest_merge_options;
paimon_status pmn_manifest_merge(const pmn_manifest_merge_options *options, const pmn_manifest_file *in, int32_t n_in, pmn_arena *arena,
                                 pmn_manifest_file **out, int32_t *n_out, const char ***created, int32_t *n_created, paimon_error *err) PMN_MUST_USE;

#endif
