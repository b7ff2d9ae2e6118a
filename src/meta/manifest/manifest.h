/* Manifest lists, manifests and index manifests: read, in Avro. Fields are resolved by the writer's schema, by name; missing ones
 * are null, unknown ones skipped. */
#ifndef PMN_META_MANIFEST_H
#define PMN_META_MANIFEST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "io/fs.h"

typedef struct pmn_simple_stats {
    pmn_slice min;        /* serialized BinaryRow, BE arity in front */
    pmn_slice max;
    int32_t n_null_counts;      /* -1: the array is null */
    const int64_t *null_counts; /* -1: unknown */
} pmn_simple_stats;

typedef struct pmn_manifest_file {
    const char *name;
    int64_t size;
    int64_t n_added, n_deleted;
    pmn_simple_stats partition_stats;
    int64_t schema_id;
    int64_t min_bucket, max_bucket, min_level, max_level, min_row_id, max_row_id; /* PMN_NONE: unknown */
} pmn_manifest_file;

/* DataFileMeta, all 21 fields. Texts and slices live in the arena they were decoded into. */
typedef struct pmn_data_file {
    const char *name;
    int64_t size;
    int64_t row_count;
    pmn_slice min_key, max_key;
    pmn_simple_stats key_stats, value_stats;
    int64_t min_sequence, max_sequence;
    int64_t schema_id;
    int32_t level;
    int32_t n_extra_files;
    const char **extra_files;
    int64_t creation_time_ms;  /* local date-time as if UTC; PMN_NONE if null */
    int64_t delete_row_count;  /* PMN_NONE: unknown */
    bool has_embedded_index;
    pmn_slice embedded_index;
    int32_t file_source; /* 0 APPEND, 1 COMPACT, -1 null */
    int32_t n_value_stats_cols; /* -1: null = all columns */
    const char **value_stats_cols;
    const char *external_path;  /* NULL if none */
    int64_t first_row_id;       /* PMN_NONE if null */
    int32_t n_write_cols;       /* -1: null */
    const char **write_cols;
    int32_t n_write_cols_sequences; /* -1: null */
    const int64_t *write_cols_sequences;
} pmn_data_file;

typedef enum pmn_file_kind { PMN_FILE_ADD = 0, PMN_FILE_DELETE = 1 } pmn_file_kind;

/* Where an entry stands in its manifest: the file offset of its block, and its own offset in the decompressed block. */
typedef struct pmn_entry_place {
    uint32_t block;
    uint32_t offset;
} pmn_entry_place;

typedef struct pmn_manifest_entry {
    pmn_entry_place place;
    pmn_file_kind kind;
    pmn_slice partition; /* serialized, BE arity in front */
    int32_t bucket;
    int32_t total_buckets;
    pmn_data_file file;
} pmn_manifest_entry;

/* A manifest list: its manifests, in order, in the arena. `size` -1 if unknown. */
paimon_status pmn_manifest_list_read(pmn_arena *arena, paimon_fs *fs, const char *path, int64_t size, pmn_manifest_file **out, int32_t *n,
                                     paimon_error *err) PMN_MUST_USE;

/* A manifest held in memory as the file has it, compressed: immutable, counted, shared by threads. Whoever keeps it can look at
 * each of its entries in full later, also when the file has been expired meanwhile. ORC and Parquet manifests (older releases
 * could write them) are held as the Avro containers that they would have been. */
typedef struct pmn_manifest pmn_manifest;
typedef struct pmn_manifest_lens pmn_manifest_lens; /* what decodes it: below */
paimon_status pmn_manifest_load(pmn_mem *mem, paimon_fs *fs, const char *path, int64_t size, pmn_manifest **out, paimon_error *err) PMN_MUST_USE;
pmn_manifest *pmn_manifest_retain(pmn_manifest *manifest);
void pmn_manifest_release(pmn_manifest *manifest); /* NULL allowed */
size_t pmn_manifest_bytes(const pmn_manifest *manifest); /* what it holds */

/* Its entries, one by one. Decoding is projected: `wanted` says which groups of fields beyond kind, partition, bucket and total
 * buckets are needed; the rest is skipped and comes out as null or empty. */
enum {
    PMN_ENTRY_NAME = 1,  /* everything of the file but stats and keys: what identity, packing and reading need */
    PMN_ENTRY_STATS = 2, /* value stats and their columns */
    PMN_ENTRY_KEYS = 4,  /* keys and key stats */
    PMN_ENTRY_ALL = 7
};
/* Called for each entry, in file order. Slices and texts point into the decoder's memory and die with the call: copy what stays.
 * Before the file's fields are decoded `filter` sees kind, partition and bucket (may be NULL; false skips the entry). A failure
 * of `entry` ends the reading with that status. */
typedef struct pmn_manifest_visitor {
    void *ctx;
    unsigned wanted;
    pmn_manifest_lens *lens; /* decompression context, buffers and parsed schemas to reuse from visit to visit; NULL: none */
    bool (*filter)(void *ctx, pmn_file_kind kind, pmn_slice partition, int32_t bucket, int32_t total_buckets);
    paimon_status (*entry)(void *ctx, const pmn_manifest_entry *entry, paimon_error *err);
} pmn_manifest_visitor;
paimon_status pmn_manifest_visit(const pmn_manifest *manifest, const pmn_manifest_visitor *visitor, paimon_error *err) PMN_MUST_USE;
/* Load, visit, release. */
paimon_status pmn_manifest_read(pmn_mem *mem, paimon_fs *fs, const char *path, int64_t size, const pmn_manifest_visitor *visitor,
                                paimon_error *err) PMN_MUST_USE;

/* The working memory of a thread that decodes manifests (give it to visits), and the way to look at single entries in full. It
 * keeps up to `cache_bytes` of decompressed blocks, so that entries asked in file order, or again and again from the same few
 * manifests, cost one decompression a block. One thread at a time. */
paimon_status pmn_manifest_lens_new(pmn_mem *mem, size_t cache_bytes, pmn_manifest_lens **out, paimon_error *err) PMN_MUST_USE;
void pmn_manifest_lens_free(pmn_manifest_lens *lens); /* NULL allowed */
/* The entry at `place` (of an entry visited in this very manifest), all fields, in the lens's memory: until it is used again. */
paimon_status pmn_manifest_lens_look(pmn_manifest_lens *lens, const pmn_manifest *manifest, pmn_entry_place place, pmn_manifest_entry *out,
                                     paimon_error *err) PMN_MUST_USE;
/* The same, copied into the arena. */
paimon_status pmn_manifest_lens_entry(pmn_manifest_lens *lens, const pmn_manifest *manifest, pmn_entry_place place, pmn_arena *arena,
                                      pmn_manifest_entry *out, paimon_error *err) PMN_MUST_USE;

/* Append the file of the entry at `place` as the row of `arity` fields that pmn_file_row_write makes of it (file_row.h). */
paimon_status pmn_manifest_lens_row(pmn_manifest_lens *lens, const pmn_manifest *manifest, pmn_entry_place place, int32_t arity, pmn_buf *out,
                                    paimon_error *err) PMN_MUST_USE;

/* Deep copies. */
paimon_status pmn_data_file_copy(pmn_arena *arena, const pmn_data_file *from, pmn_data_file *to, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_manifest_entry_copy(pmn_arena *arena, const pmn_manifest_entry *from, pmn_manifest_entry *to, paimon_error *err) PMN_MUST_USE;

typedef struct pmn_deletion_range {
    const char *data_file;
    int32_t offset, length;
    int64_t cardinality; /* PMN_NONE: unknown */
} pmn_deletion_range;

typedef struct pmn_index_entry {
    pmn_file_kind kind;
    pmn_slice partition;
    int32_t bucket;
    const char *index_type;
    const char *file_name;
    int64_t file_size;
    int64_t row_count;
    int32_t n_ranges; /* -1: null */
    const pmn_deletion_range *ranges;
    const char *external_path;
    bool has_global;
    int64_t row_range_start, row_range_end; /* inclusive */
    int32_t index_field_id;
    int32_t n_extra_field_ids; /* -1: null */
    const int32_t *extra_field_ids;
    pmn_slice index_meta, source_meta; /* data NULL: null */
} pmn_index_entry;
paimon_status pmn_index_manifest_read(pmn_arena *arena, paimon_fs *fs, const char *path, pmn_index_entry **out, int32_t *n, paimon_error *err) PMN_MUST_USE;

#endif
