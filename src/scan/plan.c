/* One planning: snapshot, manifest lists, manifests, entries; what cannot match falls away as early as it can be told. */
#include "scan/plan.h"

#include <string.h>

#include "base/checked.h"
#include "io/path.h"
#include "meta/file_name.h"
#include "meta/manifest/merge.h"
#include "scan/choice.h"
#include "scan/open.h"
#include "scan/pack.h"
#include "scan/prune.h"

typedef struct known_partition {
    pmn_slice bytes;
    bool keep;
} known_partition;

/* What one planning needs beside the plan it makes. */
typedef struct planning {
    pmn_source *source;
    paimon_plan *plan;
    pmn_arena arena;
    pmn_prune prune;
    pmn_snapshot snapshot;
    pmn_manifest_file *manifests;
    int32_t n_manifests;
    pmn_manifest_lens *lens; /* while manifests are read */
    int64_t limit;     /* of the files' rows; -1: none */
    bool stop_early;   /* nothing is deleted: `limit` rows are reached for good when they are */
    bool enough;
    int64_t rows;
    const pmn_watch *watch;
    paimon_scan_metrics *metrics; /* the plan's */
    /* the filter's memory: partitions met and what it said */
    pmn_map partitions; /* bytes → known_partition */
    const known_partition *last_partition;
    paimon_status filter_status; /* a filter cannot fail: what went wrong waits here */
    paimon_error filter_error;
} planning;

/* --- manifests --- */

static paimon_status choose_snapshot(planning *p, paimon_error *err)
{
    pmn_choice choice;
    PMN_TRY(pmn_choice_of(p->source->mem, p->source->fs, p->source->root, &p->source->options, &choice, err));
    if (p->source->travel) {
        p->snapshot = *p->source->travel; /* resolved when the table was opened: its schema goes with it */
        return PAIMON_OK;
    }
    return pmn_choice_find(p->source, &p->arena, &choice, &p->snapshot, err);
}

/* A table that had deletion vectors once may still carry them. */
static paimon_status check_index_manifest(planning *p, paimon_error *err)
{
    if (!p->snapshot.index_manifest) return PAIMON_OK;
    char *path = pmn_path_joinf(&p->arena, p->source->path, "manifest/%s", p->snapshot.index_manifest);
    if (!path) return pmn_fail_nomem(err, "a path");
    pmn_index_entry *entries = NULL;
    int32_t n = 0;
    PMN_TRY(pmn_index_manifest_read(&p->arena, p->source->fs, path, &entries, &n, err));
    for (int32_t i = 0; i < n; i++)
        if (entries[i].kind == PMN_FILE_ADD && strcmp(entries[i].index_type, "DELETION_VECTORS") == 0)
            return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: deletion vectors (of index file %s) are not supported yet", p->source->path,
                            entries[i].file_name);
    return PAIMON_OK;
}

static paimon_status read_list(planning *p, const char *name, int64_t size, paimon_error *err)
{
    char *path = pmn_path_joinf(&p->arena, p->source->path, "manifest/%s", name);
    if (!path) return pmn_fail_nomem(err, "a path");
    pmn_manifest_file *found = NULL;
    int32_t n = 0;
    PMN_TRY(pmn_manifest_list_read(&p->arena, p->source->fs, path, size == PMN_NONE ? -1 : size, &found, &n, err));
    if (size > 0) p->metrics->bytes_read += size;
    if (n == 0) return PAIMON_OK;
    pmn_manifest_file *all = pmn_arena_calloc(&p->arena, (size_t)p->n_manifests + (size_t)n, sizeof *all);
    if (!all) return pmn_fail_nomem(err, "a list of manifests");
    int32_t kept = p->n_manifests;
    if (kept) memcpy(all, p->manifests, (size_t)kept * sizeof *all);
    for (int32_t i = 0; i < n; i++)
        if (pmn_prune_keeps_manifest(&p->prune, &found[i])) all[kept++] = found[i];
    p->metrics->manifests_skipped += n - (kept - p->n_manifests);
    p->manifests = all;
    p->n_manifests = kept;
    return PAIMON_OK;
}

/* --- entries --- */

/* What the predicate says about a partition, evaluated once for each. NULL: failed, see filter_status. */
static const known_partition *know_partition(planning *p, pmn_slice bytes)
{
    uint64_t *place = pmn_map_find(&p->partitions, bytes);
    if (place) return (const known_partition *)(uintptr_t)*place;
    known_partition *known = pmn_arena_calloc(&p->arena, 1, sizeof *known);
    if (known) known->bytes = pmn_slice_of(pmn_arena_copy(&p->arena, bytes.data, bytes.size), bytes.size);
    if (!known || !known->bytes.data) {
        p->filter_status = pmn_fail_nomem(&p->filter_error, "a partition");
        return NULL;
    }
    p->filter_status = pmn_prune_keeps_partition(&p->prune, bytes, &known->keep, &p->filter_error);
    if (p->filter_status == PAIMON_OK) p->filter_status = pmn_map_put(&p->partitions, known->bytes, &place, NULL, &p->filter_error);
    if (p->filter_status != PAIMON_OK) return NULL;
    *place = (uint64_t)(uintptr_t)known;
    return known;
}

/* A failure keeps the entry, so that the next callback can tell it. */
static bool filter_entry(void *ctx, pmn_file_kind kind, pmn_slice partition, int32_t bucket, int32_t total_buckets)
{
    planning *p = ctx;
    (void)kind;
    p->metrics->entries++;
    if (!pmn_prune_keeps_bucket(&p->prune, bucket, total_buckets)) {
        p->metrics->entries_skipped_bucket++;
        return false;
    }
    if (!p->prune.partition || p->filter_status != PAIMON_OK) return true;
    if (!p->last_partition || !pmn_slice_equal(partition, p->last_partition->bytes)) p->last_partition = know_partition(p, partition);
    if (!p->last_partition || p->last_partition->keep) return true;
    p->metrics->entries_skipped_partition++;
    return false;
}

static paimon_status check_data_file(const planning *p, const pmn_data_file *file, paimon_error *err)
{
    pmn_file_shape shape = pmn_file_shape_of(file->name);
    if (PMN_UNLIKELY(shape == PMN_NO_FILE_NAME))
        return pmn_fail(err, PAIMON_CORRUPT, "%s: '%s' in a manifest cannot be the name of a data file", p->source->path, file->name);
    if (PMN_UNLIKELY(file->size < 0 || file->row_count < 0))
        return pmn_fail(err, PAIMON_CORRUPT, "%s: data file %s has size %lld and %lld rows in its manifest", p->source->path, file->name,
                        (long long)file->size, (long long)file->row_count);
    if (PMN_UNLIKELY(shape != PMN_ORDINARY_FILE))
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: %s files (%s) are not supported yet", p->source->path,
                        shape == PMN_BLOB_FILE ? "BLOB" : "VECTOR", file->name);
    return PAIMON_OK;
}

/* Counts in metrics stay where they are rather than wrap. */
static void count_up(int64_t *count, int64_t more)
{
    int64_t sum;
    if (pmn_add_i64(*count, more, &sum)) *count = sum;
}

static paimon_status take_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    planning *p = ctx;
    if (p->filter_status != PAIMON_OK) {
        pmn_error_move(err, &p->filter_error);
        return p->filter_status;
    }
    if (entry->kind == PMN_FILE_ADD) {
        bool keep = true;
        PMN_TRY(check_data_file(p, &entry->file, err));
        PMN_TRY(pmn_prune_keeps_file(&p->prune, entry, &keep, err));
        if (!keep) {
            p->metrics->entries_skipped_stats++;
            return PAIMON_OK;
        }
    }
    PMN_TRY(pmn_entries_add(&p->plan->entries, entry, false, NULL, err));
    count_up(&p->metrics->rows, entry->kind == PMN_FILE_ADD ? entry->file.row_count : 0);
    if (!p->stop_early) return PAIMON_OK;
    if (!pmn_add_i64(p->rows, entry->file.row_count, &p->rows) || p->rows >= p->limit) {
        p->enough = true;
        return PAIMON_CANCELLED;
    }
    return PAIMON_OK;
}

static paimon_status read_manifest(planning *p, const pmn_manifest_file *file, paimon_error *err)
{
    char *path = pmn_path_joinf(&p->arena, p->source->path, "manifest/%s", file->name);
    if (!path) return pmn_fail_nomem(err, "a path");
    pmn_manifest *manifest = NULL;
    PMN_TRY(pmn_manifest_load(p->source->mem, p->source->fs, path, file->size, &manifest, err));
    p->metrics->manifests_read++;
    if (file->size > 0) p->metrics->bytes_read += file->size;
    pmn_manifest_visitor visitor = { .ctx = p,
                                     .wanted = PMN_ENTRY_NAME | (p->prune.rest ? PMN_ENTRY_STATS : 0u),
                                     .lens = p->lens,
                                     .filter = filter_entry,
                                     .entry = take_entry };
    /* Stopping early is no failure that the caller's error should hear of. */
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = pmn_entries_begin(&p->plan->entries, manifest, &why);
    if (status == PAIMON_OK) status = pmn_manifest_visit(manifest, &visitor, &why);
    pmn_manifest_release(manifest);
    if (status == PAIMON_CANCELLED && p->enough) {
        paimon_error_clear(&why);
        return PAIMON_OK;
    }
    if (status != PAIMON_OK) pmn_error_move(err, &why);
    /* A failed filter whose entry was not shown: the last one of the manifest. */
    if (status == PAIMON_OK && p->filter_status != PAIMON_OK) {
        pmn_error_move(err, &p->filter_error);
        status = p->filter_status;
    }
    return status;
}

static paimon_status tell_scan(const planning *p, paimon_error *err)
{
    const pmn_entries *found = &p->plan->entries;
    paimon_progress told = { .activity = PAIMON_ACTIVITY_SCAN,
                             .done = p->metrics->manifests_read,
                             .total = p->n_manifests,
                             .rows = p->metrics->rows,
                             .files = (int64_t)found->n,
                             .bytes = p->metrics->bytes_read };
    return pmn_watch_tell(p->watch, "scan", told, err);
}

static paimon_status read_entries(planning *p, paimon_error *err)
{
    int64_t n_deleted = 0;
    for (int32_t i = 0; i < p->n_manifests; i++) n_deleted |= p->manifests[i].n_deleted;
    p->stop_early = p->limit > 0 && n_deleted == 0;
    PMN_TRY(pmn_manifest_lens_new(p->source->mem, 0, &p->lens, err));
    paimon_status status = PAIMON_OK;
    for (int32_t i = 0; i < p->n_manifests && !p->enough && status == PAIMON_OK; i++) {
        status = read_manifest(p, &p->manifests[i], err);
        if (status == PAIMON_OK) status = tell_scan(p, err);
    }
    pmn_manifest_lens_free(p->lens);
    p->lens = NULL;
    PMN_TRY(status);
    return pmn_entries_merge(&p->plan->entries, false, err);
}

/* Files in order until they hold `limit` rows. */
static void limit_entries(planning *p)
{
    pmn_entries *set = &p->plan->entries;
    int64_t rows = 0;
    for (size_t i = 0; i < set->n; i++) {
        if (!pmn_add_i64(rows, set->items[i].row_count, &rows) || rows >= p->limit) {
            set->n = i + 1;
            return;
        }
    }
}

/* Then splits, whose order may be another. */
static void limit_splits(planning *p)
{
    paimon_plan *plan = p->plan;
    int64_t rows = 0;
    for (size_t i = 0; i < plan->n_splits; i++) {
        if (pmn_add_i64(rows, plan->splits[i].row_count, &rows) && rows < p->limit) continue;
        plan->n_splits = i + 1;
        break;
    }
    plan->n_files = 0;
    for (size_t i = 0; i < plan->n_splits; i++) plan->n_files += plan->splits[i].n_files;
}

static paimon_status run_planning(planning *p, const paimon_predicate *predicate, paimon_error *err)
{
    PMN_TRY(pmn_source_check(p->source, err));
    PMN_TRY(choose_snapshot(p, err));
    PMN_TRY(pmn_prune_init(&p->prune, p->source, &p->arena, predicate, err));
    p->plan->snapshot_id = p->snapshot.id;
    PMN_TRY(pmn_watch_check(p->watch, "scan", err));
    if (p->snapshot.id == 0) return PAIMON_OK;
    if (p->prune.rest) p->limit = -1; /* how many rows of a file match is not known */
    PMN_TRY(check_index_manifest(p, err));
    PMN_TRY(pmn_snapshot_check_lists(&p->snapshot, p->source->path, err));
    PMN_TRY(read_list(p, p->snapshot.base_manifest_list, p->snapshot.base_manifest_list_size, err));
    PMN_TRY(read_list(p, p->snapshot.delta_manifest_list, p->snapshot.delta_manifest_list_size, err));
    PMN_TRY(read_entries(p, err));
    if (p->limit > 0) limit_entries(p);
    PMN_TRY(pmn_plan_pack(p->plan, p->source, err));
    if (p->limit > 0) limit_splits(p);
    return pmn_watch_check(p->watch, "scan", err);
}

/* What came of it. */
static void sum_up(planning *p, int64_t started_us)
{
    const paimon_plan *plan = p->plan;
    paimon_scan_metrics *m = p->metrics;
    m->rows = m->bytes = 0;
    m->files = plan->n_files;
    for (size_t i = 0; i < plan->n_splits; i++) {
        count_up(&m->rows, plan->splits[i].row_count);
        count_up(&m->bytes, plan->splits[i].size_bytes);
    }
    m->time_us = pmn_monotonic_us() - started_us;
}

paimon_status pmn_plan_make(pmn_source *source, const paimon_predicate *predicate, int64_t limit, const pmn_watch *watch, paimon_plan **out,
                            paimon_error *err)
{
    *out = NULL;
    int64_t started = pmn_monotonic_us();
    planning p = { .source = source, .limit = limit, .watch = watch };
    p.filter_error = (paimon_error)PAIMON_ERROR_INIT;
    PMN_TRY(pmn_plan_new(source->mem, source->path, &p.plan, err));
    p.metrics = &p.plan->metrics;
    pmn_arena_init(&p.arena, source->mem);
    pmn_map_init(&p.partitions, source->mem);
    paimon_status status = run_planning(&p, predicate, err);
    pmn_map_free(&p.partitions);
    pmn_arena_free(&p.arena);
    paimon_error_clear(&p.filter_error);
    sum_up(&p, started);
    if (status == PAIMON_OK) *out = p.plan;
    else pmn_plan_release(p.plan);
    return status;
}
