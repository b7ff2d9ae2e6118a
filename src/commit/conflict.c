#include "commit/conflict.h"

#include <string.h>

#include "io/path.h"
#include "meta/identity.h"
#include "meta/partition_range.h"

/* --- the changes alone --- */

static paimon_status within_one(pmn_identities *files, pmn_map *buckets, const pmn_source *source, const pmn_manifest_entry *entry, paimon_error *err)
{
    uint64_t *number;
    bool inserted;
    PMN_TRY(pmn_identities_at(files, entry, true, &number, err));
    if (*number)
        return pmn_fail(err, PAIMON_CONFLICT, "%s: file %s is %s within one commit", source->path, entry->file.name,
                        *number == (uint64_t)entry->kind + 1 ? "named twice" : "added and deleted");
    *number = (uint64_t)entry->kind + 1;
    if (entry->kind != PMN_FILE_ADD || entry->total_buckets <= 0) return PAIMON_OK;
    PMN_TRY(pmn_map_put(buckets, entry->partition, &number, &inserted, err));
    if (inserted) *number = (uint64_t)entry->total_buckets;
    if (*number != (uint64_t)entry->total_buckets)
        return pmn_fail(err, PAIMON_CONFLICT, "%s: files of one partition were written for %lld and for %d buckets", source->path,
                        (long long)*number, (int)entry->total_buckets);
    return PAIMON_OK;
}

paimon_status pmn_conflict_within(const pmn_source *source, const pmn_changes *changes, paimon_error *err)
{
    pmn_identities files;
    pmn_map buckets;
    paimon_status status = PAIMON_OK;
    pmn_identities_init(&files, source->mem);
    pmn_map_init(&buckets, source->mem);
    for (size_t i = 0; i < changes->n && status == PAIMON_OK; i++) status = within_one(&files, &buckets, source, &changes->items[i], err);
    pmn_map_free(&buckets);
    pmn_identities_free(&files);
    return status;
}

/* --- against what is alive --- */

/* A file of the table: how often it was added less how often deleted, since lists that were merged may change the order. */
typedef struct live_file {
    int32_t net;
    int32_t total_buckets;
    pmn_slice partition; /* as the changes have it */
} live_file;

typedef struct live_files {
    pmn_committer *c;
    pmn_arena arena;
    pmn_map partitions; /* those of the changes; value: number of one of its entries */
    const pmn_changes *changes;
    pmn_partition_ranges ranges;
    pmn_identities identities; /* → number of the file, plus one */
    pmn_buf files; /* live_file */
} live_files;

static paimon_status init_live(live_files *live, pmn_committer *c, const pmn_changes *changes, paimon_error *err)
{
    *live = (live_files){ .c = c, .changes = changes };
    pmn_arena_init(&live->arena, c->source->mem);
    pmn_map_init(&live->partitions, c->source->mem);
    pmn_identities_init(&live->identities, c->source->mem);
    pmn_buf_init(&live->files, c->source->mem, PMN_BUF_NO_CEILING);
    PMN_TRY(pmn_partition_ranges_init(&live->ranges, c->source->schema->partition_type, &live->arena, err));
    for (size_t i = 0; i < changes->n; i++) {
        uint64_t *number;
        bool inserted;
        PMN_TRY(pmn_map_put(&live->partitions, changes->items[i].partition, &number, &inserted, err));
        if (!inserted) continue;
        *number = i;
        PMN_TRY(pmn_partition_ranges_add(&live->ranges, changes->items[i].partition, err));
    }
    return PAIMON_OK;
}

static void free_live(live_files *live)
{
    pmn_buf_free(&live->files);
    pmn_identities_free(&live->identities);
    pmn_map_free(&live->partitions);
    pmn_arena_free(&live->arena);
}

static bool concerns(void *ctx, pmn_file_kind kind, pmn_slice partition, int32_t bucket, int32_t total_buckets)
{
    const live_files *live = ctx;
    (void)kind, (void)bucket, (void)total_buckets;
    return pmn_map_find(&live->partitions, partition) != NULL;
}

static paimon_status count_file(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    live_files *live = ctx;
    uint64_t *number;
    PMN_TRY(pmn_identities_at(&live->identities, entry, true, &number, err));
    if (*number == 0) {
        const uint64_t *first = pmn_map_find(&live->partitions, entry->partition);
        live_file fresh = { 0, entry->total_buckets, live->changes->items[first ? *first : 0].partition };
        PMN_TRY(pmn_buf_append(&live->files, &fresh, sizeof fresh, err));
        *number = live->files.size / sizeof fresh;
    }
    live_file *file = (live_file *)(void *)live->files.data + (*number - 1);
    file->net += entry->kind == PMN_FILE_ADD ? 1 : -1;
    return PAIMON_OK;
}

static paimon_status visit(pmn_committer *c, const pmn_manifest_file *file, const pmn_manifest_visitor *visitor, paimon_error *err)
{
    pmn_arena arena;
    pmn_arena_init(&arena, c->source->mem);
    const char *path = pmn_path_join(&arena, c->folder, file->name);
    paimon_status status = path ? pmn_manifest_read(c->source->mem, c->source->fs, path, file->size, visitor, err) : pmn_fail_nomem(err, "a path");
    pmn_arena_free(&arena);
    return status;
}

static paimon_status read_live_files(live_files *live, const pmn_manifest_file *manifests, int32_t n, paimon_error *err)
{
    pmn_manifest_lens *lens = NULL;
    PMN_TRY(pmn_manifest_lens_new(live->c->source->mem, 0, &lens, err));
    pmn_manifest_visitor visitor = { .ctx = live, .wanted = PMN_ENTRY_NAME, .lens = lens, .filter = concerns, .entry = count_file };
    paimon_status status = PAIMON_OK;
    for (int32_t i = 0; i < n && status == PAIMON_OK; i++)
        if (pmn_partition_ranges_may_hold(&live->ranges, &manifests[i])) status = visit(live->c, &manifests[i], &visitor, err);
    pmn_manifest_lens_free(lens);
    return status;
}

static paimon_status fail_buckets(const pmn_committer *c, int64_t there, int32_t new, paimon_error *err)
{
    return pmn_fail(err, PAIMON_CONFLICT,
                    "%s: files were written for %d buckets, but the partition has %lld: the number changes only with an overwrite", c->source->path,
                    (int)new, (long long)there);
}

/* A partition's living files and what comes must have been written for one number of buckets. */
static paimon_status check_live_buckets(const live_files *live, paimon_error *err)
{
    const live_file *files = (const live_file *)(const void *)live->files.data;
    for (size_t i = 0; i < live->files.size / sizeof *files; i++) {
        if (files[i].net <= 0 || files[i].total_buckets <= 0) continue;
        const uint64_t *first = pmn_map_find(&live->partitions, files[i].partition);
        int32_t new = first ? live->changes->items[*first].total_buckets : 0;
        if (new > 0 && new != files[i].total_buckets) return fail_buckets(live->c, files[i].total_buckets, new, err);
    }
    return PAIMON_OK;
}

static paimon_status is_alive(live_files *live, const pmn_manifest_entry *entry, bool *alive, paimon_error *err)
{
    uint64_t *number;
    PMN_TRY(pmn_identities_at(&live->identities, entry, false, &number, err));
    *alive = number && ((const live_file *)(const void *)live->files.data)[*number - 1].net > 0;
    return PAIMON_OK;
}

static paimon_status check_states(live_files *live, bool *all_present, paimon_error *err)
{
    const pmn_changes *changes = live->changes;
    size_t n_present = 0;
    const char *present = NULL;
    for (size_t i = 0; i < changes->n; i++) {
        bool alive;
        const pmn_manifest_entry *entry = &changes->items[i];
        PMN_TRY(is_alive(live, entry, &alive, err));
        if (entry->kind == PMN_FILE_DELETE && !alive)
            return pmn_fail(err, PAIMON_CONFLICT, "%s: file %s was to be deleted, but it is not in the table any more", live->c->source->path,
                            entry->file.name);
        if (entry->kind == PMN_FILE_DELETE || !alive) continue;
        n_present++;
        present = entry->file.name;
    }
    if (all_present) *all_present = n_present == changes->n && changes->n > 0;
    if (n_present == 0 || (all_present && *all_present)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CONFLICT, "%s: file %s was to be added, but it is in the table already", live->c->source->path, present);
}

paimon_status pmn_conflict_with(pmn_committer *c, pmn_commit_kind kind, const pmn_changes *changes, const pmn_manifest_file *manifests, int32_t n,
                                bool *all_present, paimon_error *err)
{
    live_files live;
    if (all_present) *all_present = false;
    paimon_status status = init_live(&live, c, changes, err);
    if (status == PAIMON_OK) status = read_live_files(&live, manifests, n, err);
    if (status == PAIMON_OK) status = check_states(&live, all_present, err);
    if (status == PAIMON_OK && kind != PMN_COMMIT_OVERWRITE) status = check_live_buckets(&live, err);
    free_live(&live);
    return status;
}

/* --- only the buckets --- */

#define BUCKETS_KEPT 1000 /* partitions that are remembered */

typedef struct bucket_search {
    const pmn_map *partitions; /* value: place in `found` */
    int32_t *found;            /* 0: not yet */
    size_t left;
    bool enough;
} bucket_search;

static bool searched(void *ctx, pmn_file_kind kind, pmn_slice partition, int32_t bucket, int32_t total_buckets)
{
    bucket_search *search = ctx;
    (void)bucket;
    const uint64_t *number = pmn_map_find(search->partitions, partition);
    if (kind != PMN_FILE_ADD || total_buckets <= 0 || !number || search->found[*number]) return false;
    search->found[*number] = total_buckets;
    search->enough = --search->left == 0;
    return search->enough; /* show the entry, which ends the reading */
}

static paimon_status stop_search(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    (void)ctx, (void)entry, (void)err;
    return PAIMON_CANCELLED;
}

/* The number that the newest file of each partition was written for. */
static paimon_status search_buckets(live_files *live, bucket_search *search, const pmn_manifest_file *manifests, int32_t n, paimon_error *err)
{
    pmn_manifest_visitor visitor = { .ctx = search, .wanted = 0, .filter = searched, .entry = stop_search };
    for (int32_t i = n; i-- > 0 && search->left;) {
        if (!pmn_partition_ranges_may_hold(&live->ranges, &manifests[i])) continue;
        paimon_error why = PAIMON_ERROR_INIT;
        paimon_status status = visit(live->c, &manifests[i], &visitor, &why);
        if (status == PAIMON_CANCELLED && search->enough) {
            paimon_error_clear(&why);
        } else if (status != PAIMON_OK) {
            pmn_error_move(err, &why);
            return status;
        }
    }
    return PAIMON_OK;
}

static void forget_buckets(pmn_committer *c)
{
    pmn_map_free(&c->buckets.counts);
    pmn_arena_free(&c->buckets.arena);
    pmn_map_init(&c->buckets.counts, c->source->mem);
}

static paimon_status remember_buckets(pmn_committer *c, pmn_slice partition, int32_t buckets, paimon_error *err)
{
    uint64_t *number;
    if (c->buckets.counts.count >= BUCKETS_KEPT) forget_buckets(c);
    const void *copy = pmn_arena_copy(&c->buckets.arena, partition.data, partition.size);
    if (!copy) return pmn_fail_nomem(err, "a partition");
    PMN_TRY(pmn_map_put(&c->buckets.counts, pmn_slice_of(copy, partition.size), &number, NULL, err));
    *number = (uint64_t)buckets;
    return PAIMON_OK;
}

/* Which partitions of the changes are not remembered. */
static bool all_known(const pmn_committer *c, const pmn_changes *changes)
{
    for (size_t i = 0; i < changes->n; i++) {
        const uint64_t *known = pmn_map_find(&c->buckets.counts, changes->items[i].partition);
        if (!known || (int64_t)*known != changes->items[i].total_buckets) return false;
    }
    return true;
}

static paimon_status compare_buckets(live_files *live, const pmn_manifest_file *manifests, int32_t n, paimon_error *err)
{
    pmn_committer *c = live->c;
    bucket_search search = { .partitions = &live->partitions, .left = live->partitions.count };
    search.found = pmn_arena_calloc(&live->arena, live->changes->n, sizeof *search.found); /* by number of entry */
    if (!search.found) return pmn_fail_nomem(err, "partitions");
    PMN_TRY(search_buckets(live, &search, manifests, n, err));
    for (size_t i = 0; i < live->changes->n; i++) {
        const pmn_manifest_entry *entry = &live->changes->items[i];
        const uint64_t *first = pmn_map_find(&live->partitions, entry->partition);
        if (!first || *first != i || entry->total_buckets <= 0) continue;
        /* Another number: the file may be dead (its partition dropped since), which only all entries together tell. */
        if (search.found[i] && search.found[i] != entry->total_buckets) {
            PMN_TRY(read_live_files(live, manifests, n, err));
            return check_live_buckets(live, err);
        }
        PMN_TRY(remember_buckets(c, entry->partition, entry->total_buckets, err));
    }
    return PAIMON_OK;
}

paimon_status pmn_conflict_buckets(pmn_committer *c, const pmn_changes *changes, const pmn_snapshot *latest, const pmn_manifest_file *manifests,
                                   int32_t n, paimon_error *err)
{
    if (changes->n == 0 || n == 0) return PAIMON_OK;
    /* What is remembered holds for the snapshot after which it was learned: another committer may have overwritten since. */
    if (c->buckets.snapshot_id != latest->id) forget_buckets(c);
    c->buckets.snapshot_id = latest->id;
    if (all_known(c, changes)) return PAIMON_OK;
    live_files live;
    paimon_status status = init_live(&live, c, changes, err);
    if (status == PAIMON_OK) status = compare_buckets(&live, manifests, n, err);
    free_live(&live);
    return status;
}
