/* A set of small entries; see the header for what stays where. */
#include "meta/manifest/entries.h"

#include <string.h>

#include "base/checked.h"
#include "meta/manifest/file_row.h"
#include "meta/snapshot/snapshot.h"

void pmn_entries_init(pmn_entries *set, pmn_mem *mem)
{
    memset(set, 0, sizeof *set);
    set->mem = mem;
    set->last_partition = -1;
    pmn_arena_init(&set->arena, mem);
    pmn_map_init(&set->partition_ids, mem);
}

void pmn_entries_free(pmn_entries *set)
{
    if (!set->mem) return;
    for (size_t i = 0; i < set->n_manifests; i++) pmn_manifest_release(set->manifests[i]);
    pmn_free(set->mem, set->manifests, set->manifests_capacity * sizeof *set->manifests);
    pmn_free(set->mem, set->partitions, set->partitions_capacity * sizeof *set->partitions);
    pmn_free(set->mem, set->items, set->capacity * sizeof *set->items);
    pmn_map_free(&set->partition_ids);
    pmn_arena_free(&set->arena);
    memset(set, 0, sizeof *set);
}

paimon_status pmn_entries_begin(pmn_entries *set, pmn_manifest *manifest, paimon_error *err)
{
    /* Nothing came of the one before: no need to keep it. */
    if (set->n_manifests > 0 && set->n == set->n_at_begin) pmn_manifest_release(set->manifests[--set->n_manifests]);
    void *grown = pmn_grow(set->mem, set->manifests, set->n_manifests, 1, &set->manifests_capacity, sizeof *set->manifests);
    if (!grown || set->n_manifests == UINT32_MAX) return pmn_fail_nomem(err, "plan");
    set->manifests = grown;
    set->manifests[set->n_manifests++] = pmn_manifest_retain(manifest);
    set->n_at_begin = set->n;
    return PAIMON_OK;
}

paimon_status pmn_entries_partition(pmn_entries *set, pmn_slice partition, int32_t *number, paimon_error *err)
{
    if (set->last_partition >= 0 && pmn_slice_equal(set->partitions[set->last_partition], partition)) {
        *number = set->last_partition;
        return PAIMON_OK;
    }
    uint64_t *known = pmn_map_find(&set->partition_ids, partition);
    if (!known) {
        if (set->n_partitions == INT32_MAX) return pmn_fail_nomem(err, "plan");
        void *grown = pmn_grow(set->mem, set->partitions, set->n_partitions, 1, &set->partitions_capacity, sizeof *set->partitions);
        if (!grown) return pmn_fail_nomem(err, "plan");
        set->partitions = grown;
        const void *copy = pmn_arena_copy(&set->arena, partition.data, partition.size);
        if (!copy) return pmn_fail_nomem(err, "plan");
        pmn_slice key = pmn_slice_of(copy, partition.size);
        PMN_TRY(pmn_map_put(&set->partition_ids, key, &known, NULL, err));
        *known = set->n_partitions;
        set->partitions[set->n_partitions++] = key;
    }
    *number = set->last_partition = (int32_t)*known;
    return PAIMON_OK;
}

#define NAMES_CHUNK 16384u

static const char *pack_name(pmn_entries *set, const char *name)
{
    size_t n = strlen(name) + 1;
    if (n > NAMES_CHUNK / 16) return pmn_arena_strdup(&set->arena, name);
    if (n > set->name_left) {
        set->name_next = pmn_arena_alloc(&set->arena, NAMES_CHUNK);
        set->name_left = set->name_next ? NAMES_CHUNK : 0;
        if (!set->name_next) return NULL;
    }
    char *copy = memcpy(set->name_next, name, n);
    set->name_next += n;
    set->name_left -= n;
    return copy;
}

static const char *const *copy_list(pmn_arena *arena, const char *const *texts, int32_t n)
{
    const char **copy = pmn_arena_calloc(arena, (size_t)(n > 0 ? n : 1), sizeof *copy);
    for (int32_t i = 0; copy && i < n; i++) {
        copy[i] = pmn_arena_strdup(arena, texts[i]);
        if (!copy[i]) return NULL;
    }
    return copy;
}

static paimon_status copy_extra(pmn_arena *arena, const pmn_data_file *file, const pmn_entry_extra **out, paimon_error *err)
{
    *out = NULL;
    if (file->n_extra_files <= 0 && !file->has_embedded_index && !file->external_path && file->n_write_cols < 0 && file->n_write_cols_sequences < 0)
        return PAIMON_OK;
    pmn_entry_extra *extra = pmn_arena_calloc(arena, 1, sizeof *extra);
    if (!extra) return pmn_fail_nomem(err, "plan");
    extra->n_extra_files = file->n_extra_files;
    extra->extra_files = copy_list(arena, file->extra_files, file->n_extra_files);
    extra->has_embedded_index = file->has_embedded_index;
    extra->embedded_index = pmn_slice_of(pmn_arena_copy(arena, file->embedded_index.data, file->embedded_index.size), file->embedded_index.size);
    extra->external_path = file->external_path ? pmn_arena_strdup(arena, file->external_path) : NULL;
    extra->n_write_cols = file->n_write_cols;
    extra->write_cols = copy_list(arena, file->write_cols, file->n_write_cols);
    extra->n_write_cols_sequences = file->n_write_cols_sequences;
    size_t sequences_bytes = file->n_write_cols_sequences > 0 ? (size_t)file->n_write_cols_sequences * sizeof(int64_t) : 0;
    extra->write_cols_sequences = pmn_arena_copy(arena, file->write_cols_sequences, sequences_bytes);
    if (!extra->extra_files || !extra->embedded_index.data || !extra->write_cols || !extra->write_cols_sequences ||
        (file->external_path && !extra->external_path))
        return pmn_fail_nomem(err, "plan");
    *out = extra;
    return PAIMON_OK;
}

static paimon_status copy_keys(pmn_arena *arena, const pmn_data_file *file, const pmn_entry_keys **out, paimon_error *err)
{
    pmn_entry_keys *keys = pmn_arena_alloc(arena, sizeof *keys);
    if (!keys) return pmn_fail_nomem(err, "plan");
    keys->min = pmn_slice_of(pmn_arena_copy(arena, file->min_key.data, file->min_key.size), file->min_key.size);
    keys->max = pmn_slice_of(pmn_arena_copy(arena, file->max_key.data, file->max_key.size), file->max_key.size);
    if (!keys->min.data || !keys->max.data) return pmn_fail_nomem(err, "plan");
    *out = keys;
    return PAIMON_OK;
}

static paimon_status add_entry(pmn_entries *set, const pmn_manifest_entry *entry, uint32_t manifest, pmn_entry_place place, bool with_keys,
                               pmn_entry **added, paimon_error *err)
{
    void *grown = pmn_grow(set->mem, set->items, set->n, 1, &set->capacity, sizeof *set->items);
    if (!grown) return pmn_fail_nomem(err, "plan");
    set->items = grown;
    pmn_entry *e = &set->items[set->n];
    const pmn_data_file *file = &entry->file;
    memset(e, 0, sizeof *e);
    PMN_TRY(pmn_entries_partition(set, entry->partition, &e->partition, err));
    e->name = pack_name(set, file->name);
    if (!e->name) return pmn_fail_nomem(err, "plan");
    PMN_TRY(copy_extra(&set->arena, file, &e->extra, err));
    if (with_keys) PMN_TRY(copy_keys(&set->arena, file, &e->keys, err));
    e->size = file->size;
    e->row_count = file->row_count;
    e->schema_id = file->schema_id;
    e->min_sequence = file->min_sequence;
    e->max_sequence = file->max_sequence;
    e->delete_row_count = file->delete_row_count;
    e->first_row_id = file->first_row_id;
    e->bucket = entry->bucket;
    e->total_buckets = entry->total_buckets;
    e->level = file->level;
    e->manifest = manifest;
    e->place = place;
    e->kind = (uint8_t)entry->kind;
    set->n++;
    set->n_deletes += entry->kind == PMN_FILE_DELETE;
    if (added) *added = e;
    return PAIMON_OK;
}

paimon_status pmn_entries_add(pmn_entries *set, const pmn_manifest_entry *entry, bool with_keys, pmn_entry **added, paimon_error *err)
{
    if (set->n_manifests == 0) return pmn_fail(err, PAIMON_INTERNAL, "an entry without a manifest");
    return add_entry(set, entry, (uint32_t)(set->n_manifests - 1), entry->place, with_keys, added, err);
}

paimon_status pmn_entries_reserve(pmn_entries *set, size_t n, paimon_error *err)
{
    if (n <= set->capacity - set->n) return PAIMON_OK;
    size_t more;
    if (!pmn_add_size(set->n, n, &more) || more > SIZE_MAX / sizeof *set->items) return pmn_fail_nomem(err, "plan");
    void *grown = pmn_realloc(set->mem, set->items, set->capacity * sizeof *set->items, more * sizeof *set->items);
    if (!grown) return pmn_fail_nomem(err, "plan");
    set->items = grown;
    set->capacity = more;
    return PAIMON_OK;
}

paimon_status pmn_entries_add_row(pmn_entries *set, const pmn_manifest_entry *entry, size_t offset, paimon_error *err)
{
    pmn_entry_place place = { (uint32_t)offset, (uint32_t)((uint64_t)offset >> 32) };
    return add_entry(set, entry, PMN_ENTRY_OF_ROW, place, false, NULL, err);
}

static paimon_status look_at_row(const pmn_entries *set, const pmn_entry *entry, pmn_arena *arena, pmn_manifest_entry *out, paimon_error *err)
{
    uint64_t offset = entry->place.block | (uint64_t)entry->place.offset << 32;
    if (set->rows.size < 4 || offset > set->rows.size - 4) return pmn_fail(err, PAIMON_INTERNAL, "an entry of another set");
    pmn_slice row = pmn_slice_of(set->rows.data + offset + 4, pmn_load_be32(set->rows.data + offset));
    *out = (pmn_manifest_entry){ .kind = (pmn_file_kind)entry->kind,
                                 .partition = set->partitions[entry->partition],
                                 .bucket = entry->bucket,
                                 .total_buckets = entry->total_buckets };
    return pmn_file_row_read(row, set->row_arity, arena, &out->file, err);
}

paimon_status pmn_entries_look(const pmn_entries *set, const pmn_entry *entry, pmn_manifest_lens *lens, pmn_arena *arena, pmn_manifest_entry *out,
                               paimon_error *err)
{
    if (entry->manifest == PMN_ENTRY_OF_ROW) return look_at_row(set, entry, arena, out, err);
    if (entry->manifest >= set->n_manifests) return pmn_fail(err, PAIMON_INTERNAL, "an entry of another set");
    return pmn_manifest_lens_look(lens, set->manifests[entry->manifest], entry->place, out, err);
}

paimon_status pmn_entries_write_row(const pmn_entries *set, const pmn_entry *entry, pmn_manifest_lens *lens, pmn_arena *arena, int32_t arity,
                                    pmn_buf *out, paimon_error *err)
{
    if (PMN_LIKELY(entry->manifest < set->n_manifests)) return pmn_manifest_lens_row(lens, set->manifests[entry->manifest], entry->place, arity, out, err);
    pmn_manifest_entry seen;
    PMN_TRY(pmn_entries_look(set, entry, lens, arena, &seen, err));
    return pmn_file_row_write(out, &seen.file, arity, err);
}

paimon_status pmn_entries_detail(const pmn_entries *set, const pmn_entry *entry, pmn_manifest_lens *lens, pmn_arena *arena,
                                 pmn_manifest_entry *out, paimon_error *err)
{
    pmn_manifest_entry seen;
    PMN_TRY(pmn_entries_look(set, entry, lens, arena, &seen, err));
    return pmn_manifest_entry_copy(arena, &seen, out, err);
}
