#include "write/restore.h"

#include <string.h>

#include "io/path.h"
#include "meta/manifest/merge.h"
#include "meta/snapshot/versions.h"

/* Partition bytes with the bucket behind, as one key. */
static paimon_status bucket_key(pmn_arena *arena, pmn_slice partition, int32_t bucket, pmn_slice *out, paimon_error *err)
{
    uint8_t *key = pmn_arena_alloc(arena, partition.size + 4);
    if (!key) return pmn_fail_nomem(err, "a bucket's state");
    memcpy(key, partition.data, partition.size);
    pmn_store_le32(key + partition.size, (uint32_t)bucket);
    *out = pmn_slice_of(key, partition.size + 4);
    return PAIMON_OK;
}

static paimon_status note_entry(pmn_restored *r, pmn_slice partition, const pmn_entry *entry, paimon_error *err)
{
    pmn_slice key;
    uint64_t *value;
    PMN_TRY(bucket_key(&r->arena, partition, entry->bucket, &key, err));
    PMN_TRY(pmn_map_put(&r->buckets, key, &value, NULL, err));
    if ((uint64_t)(entry->max_sequence + 1) > *value) *value = (uint64_t)(entry->max_sequence + 1);
    if (pmn_map_find(&r->totals, partition)) return PAIMON_OK;
    void *copy = pmn_arena_copy(&r->arena, partition.data, partition.size);
    if (!copy) return pmn_fail_nomem(err, "a bucket's state");
    PMN_TRY(pmn_map_put(&r->totals, pmn_slice_of(copy, partition.size), &value, NULL, err));
    *value = (uint64_t)(uint32_t)entry->total_buckets;
    return PAIMON_OK;
}

static paimon_status collect_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    return pmn_entries_add((pmn_entries *)ctx, entry, false, NULL, err);
}

static paimon_status collect_list(pmn_source *source, const char *list, int64_t size, pmn_entries *set, pmn_arena *arena, paimon_error *err)
{
    pmn_manifest_file *manifests;
    int32_t n;
    pmn_manifest_visitor visitor = { .ctx = set, .wanted = PMN_ENTRY_NAME, .entry = collect_entry };
    const char *path = pmn_path_joinf(arena, source->path, "manifest/%s", list);
    if (!path) return pmn_fail_nomem(err, "a manifest list's path");
    PMN_TRY(pmn_manifest_list_read(arena, source->fs, path, size == PMN_NONE ? -1 : size, &manifests, &n, err));
    for (int32_t i = 0; i < n; i++) {
        pmn_manifest *manifest;
        path = pmn_path_joinf(arena, source->path, "manifest/%s", manifests[i].name);
        if (!path) return pmn_fail_nomem(err, "a manifest's path");
        PMN_TRY(pmn_manifest_load(source->mem, source->fs, path, manifests[i].size, &manifest, err));
        paimon_status status = pmn_entries_begin(set, manifest, err);
        if (status == PAIMON_OK) status = pmn_manifest_visit(manifest, &visitor, err);
        pmn_manifest_release(manifest);
        PMN_TRY(status);
    }
    return PAIMON_OK;
}

static paimon_status read_live(pmn_source *source, pmn_entries *set, pmn_arena *arena, paimon_error *err)
{
    pmn_snapshot snapshot;
    PMN_TRY(source->versions->latest(source, arena, &snapshot, err));
    if (snapshot.id == 0) return PAIMON_OK;
    PMN_TRY(pmn_snapshot_check_lists(&snapshot, source->path, err));
    PMN_TRY(collect_list(source, snapshot.base_manifest_list, snapshot.base_manifest_list_size, set, arena, err));
    PMN_TRY(collect_list(source, snapshot.delta_manifest_list, snapshot.delta_manifest_list_size, set, arena, err));
    return pmn_entries_merge(set, false, err);
}

paimon_status pmn_restore(pmn_source *source, pmn_restored *out, paimon_error *err)
{
    pmn_entries set;
    pmn_arena arena;
    pmn_arena_init(&out->arena, source->mem);
    pmn_map_init(&out->buckets, source->mem);
    pmn_map_init(&out->totals, source->mem);
    pmn_entries_init(&set, source->mem);
    pmn_arena_init(&arena, source->mem);
    paimon_status status = read_live(source, &set, &arena, err);
    for (size_t i = 0; i < set.n && status == PAIMON_OK; i++) status = note_entry(out, set.partitions[set.items[i].partition], &set.items[i], err);
    pmn_entries_free(&set);
    pmn_arena_free(&arena);
    if (status != PAIMON_OK) pmn_restored_free(out);
    return status;
}

void pmn_restored_free(pmn_restored *restored)
{
    pmn_map_free(&restored->buckets);
    pmn_map_free(&restored->totals);
    pmn_arena_free(&restored->arena);
}

paimon_status pmn_restored_sequence(const pmn_restored *restored, pmn_slice partition, int32_t bucket, pmn_arena *scratch, int64_t *sequence,
                                    paimon_error *err)
{
    pmn_slice key;
    PMN_TRY(bucket_key(scratch, partition, bucket, &key, err));
    const uint64_t *value = pmn_map_find(&restored->buckets, key);
    *sequence = value ? (int64_t)*value : 0;
    return PAIMON_OK;
}

int32_t pmn_restored_total(const pmn_restored *restored, pmn_slice partition)
{
    const uint64_t *value = pmn_map_find(&restored->totals, partition);
    return value ? (int32_t)(uint32_t)*value : 0;
}
