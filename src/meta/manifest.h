/* Manifest lists, manifests and index manifests: read, in Avro. Fields are resolved by the writer's schema, by name; missing ones
 * are null, unknown ones skipped. */
#ifndef PMN_META_MANIFEST_H
#define PMN_META_MANIFEST_H

#include "io/fs.h"
#include "types/row_codec.h"

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

typedef struct pmn_manifest_entry {
    pmn_file_kind kind;
    pmn_slice partition; /* serialized, BE arity in front */
    int32_t bucket;
    int32_t total_buckets;
    pmn_data_file file;
} pmn_manifest_entry;

/* A manifest list: its manifests, in order, in the arena. `size` -1 if unknown. */
paimon_status pmn_manifest_list_read(pmn_arena *arena, paimon_fs *fs, const char *path, int64_t size, pmn_manifest_file **out, int32_t *n,
                                     paimon_error *err) PMN_MUST_USE;

/* A manifest, entry by entry. Decoding is projected: `wanted` (see below) says which groups of fields beyond kind, partition,
 * bucket are needed; the rest is skipped and comes out empty. */
enum {
    PMN_ENTRY_NAME = 1,  /* name, size, row count, level, schema id, sequences, extra files, external path, embedded index: what
                            identity, packing and reading need */
    PMN_ENTRY_STATS = 2, /* value stats and their columns */
    PMN_ENTRY_KEYS = 4,  /* keys and key stats */
    PMN_ENTRY_ALL = 7
};
/* Called for each entry. Slices and texts point into the decoder's memory and die with the call: copy what stays. Before the
 * file's fields are decoded `filter` sees kind, partition and bucket (may be NULL; false skips the entry). A failure of `entry`
 * ends the reading with that status. */
typedef struct pmn_manifest_visitor {
    void *ctx;
    unsigned wanted;
    bool (*filter)(void *ctx, pmn_file_kind kind, pmn_slice partition, int32_t bucket, int32_t total_buckets);
    paimon_status (*entry)(void *ctx, const pmn_manifest_entry *entry, paimon_error *err);
} pmn_manifest_visitor;
paimon_status pmn_manifest_read(pmn_mem *mem, paimon_fs *fs, const char *path, int64_t size, const pmn_manifest_visitor *visitor,
                                paimon_error *err) PMN_MUST_USE;

/* A deep copy of an entry. */
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
