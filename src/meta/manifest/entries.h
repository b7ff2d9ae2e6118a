/* Many manifest entries, kept small: what a plan holds for each data file. 100 000 of them take about 17 MB, names included.
 *
 * An entry keeps what planning and reading need. All other fields of its DataFileMeta (statistics above all) stay compressed in
 * the manifest, which the set retains, and are decoded when somebody asks: pmn_entries_look(). Where a split came from elsewhere, there is
 * no manifest: they stay in the rows that it came with. A set is filled by one thread; afterwards it is immutable and may be shared. */
#ifndef PMN_META_ENTRIES_H
#define PMN_META_ENTRIES_H

#include "base/map.h"
#include "meta/manifest/manifest.h"

/* What most files lack. */
typedef struct pmn_entry_extra {
    int32_t n_extra_files;
    const char *const *extra_files;
    bool has_embedded_index;
    pmn_slice embedded_index;
    const char *external_path; /* NULL if none */
    int32_t n_write_cols;      /* -1: null = all columns of the file's schema */
    const char *const *write_cols;
    int32_t n_write_cols_sequences; /* -1: null */
    const int64_t *write_cols_sequences;
} pmn_entry_extra;

typedef struct pmn_entry_keys {
    pmn_slice min, max; /* serialized BinaryRow of the trimmed primary key, BE arity in front */
} pmn_entry_keys;

#define PMN_ENTRY_OF_ROW UINT32_MAX

typedef struct pmn_entry {
    const char *name;
    const pmn_entry_extra *extra; /* NULL: nothing of it */
    const pmn_entry_keys *keys;   /* NULL: not decoded (PMN_ENTRY_KEYS) */
    int64_t size;
    int64_t row_count;
    int64_t schema_id;
    int64_t min_sequence, max_sequence;
    int64_t delete_row_count; /* PMN_NONE: unknown */
    int64_t first_row_id;     /* PMN_NONE if null */
    int32_t partition;        /* number in pmn_entries.partitions */
    int32_t bucket;
    int32_t total_buckets;
    int32_t level;
    uint32_t manifest;        /* number in pmn_entries.manifests, or PMN_ENTRY_OF_ROW */
    pmn_entry_place place;    /* of a row: where it is in pmn_entries.rows, low and high half */
    uint8_t kind;             /* pmn_file_kind */
    uint8_t mark;             /* 0; free for the owner of the set */
} pmn_entry;

typedef struct pmn_entries {
    pmn_mem *mem; /* borrowed */
    pmn_arena arena;
    char *name_next; /* names are packed: 100 000 of them make up a third of a plan */
    size_t name_left;
    pmn_entry *items;
    size_t n, capacity;
    size_t n_deletes; /* entries of kind DELETE among them */
    pmn_slice *partitions; /* distinct serialized partitions in order of first appearance */
    size_t n_partitions, partitions_capacity;
    pmn_map partition_ids; /* partition → its number */
    int32_t last_partition; /* of the entry before: entries of a partition come in runs */
    pmn_manifest **manifests;
    size_t n_manifests, manifests_capacity;
    size_t n_at_begin; /* entries when the last manifest was begun */
    pmn_slice rows;    /* bytes with the rows of entries that came as such, each with its length in front: in the arena */
    int32_t row_arity;
} pmn_entries;

void pmn_entries_init(pmn_entries *set, pmn_mem *mem);
void pmn_entries_free(pmn_entries *set);

/* The entries of one manifest that come from now on: takes a reference, which is given up again if none came. Not after a merge. */
paimon_status pmn_entries_begin(pmn_entries *set, pmn_manifest *manifest, paimon_error *err) PMN_MUST_USE;
/* Add an entry that a visit of that manifest shows (wanted: at least PMN_ENTRY_NAME). `*added` (may be NULL) is valid until the
 * next addition. */
paimon_status pmn_entries_add(pmn_entries *set, const pmn_manifest_entry *entry, bool with_keys, pmn_entry **added, paimon_error *err) PMN_MUST_USE;
/* The number of a partition; a new one is copied. */
paimon_status pmn_entries_partition(pmn_entries *set, pmn_slice partition, int32_t *number, paimon_error *err) PMN_MUST_USE;

/* Room for `n` more at once. */
paimon_status pmn_entries_reserve(pmn_entries *set, size_t n, paimon_error *err) PMN_MUST_USE;
/* Add a file that came as a row: `offset` is that of its length in set->rows. */
paimon_status pmn_entries_add_row(pmn_entries *set, const pmn_manifest_entry *entry, size_t offset, paimon_error *err) PMN_MUST_USE;

/* Everything that is known of `entry`, in borrowed memory: of the set, the lens or the arena; until the lens is used again. Any thread with
 * its own lens (NULL will do where no entry is from a manifest). Of a row's entry kind, partition and buckets are what was added. */
paimon_status pmn_entries_look(const pmn_entries *set, const pmn_entry *entry, pmn_manifest_lens *lens, pmn_arena *arena, pmn_manifest_entry *out,
                               paimon_error *err) PMN_MUST_USE;
/* Append its file as a row of `arity` fields (file_row.h). The arena is for what a row's entry needs. */
paimon_status pmn_entries_write_row(const pmn_entries *set, const pmn_entry *entry, pmn_manifest_lens *lens, pmn_arena *arena, int32_t arity,
                                    pmn_buf *out, paimon_error *err) PMN_MUST_USE;
/* The same as a look, copied into the arena. */
paimon_status pmn_entries_detail(const pmn_entries *set, const pmn_entry *entry, pmn_manifest_lens *lens, pmn_arena *arena,
                                 pmn_manifest_entry *out, paimon_error *err) PMN_MUST_USE;

#endif
