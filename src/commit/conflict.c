#include "commit/conflict.h"

#include <string.h>

#include "commit/bucket_vectors.h"
#include "commit/key_levels.h"
#include "commit/row_columns.h"
#include "commit/row_ranges.h"
#include "commit/vectors.h"
#include "io/path.h"
#include "meta/manifest/identity.h"
#include "meta/manifest/partition_range.h"

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

/* The same name twice in one partition. Whether an index file that goes is there, is asked when the manifest is written. */
static paimon_status within_indexes(const pmn_source *source, const pmn_index_changes *indexes, paimon_error *err)
{
    pmn_map names;
    paimon_status status = PAIMON_OK;
    pmn_map_init(&names, source->mem);
    for (size_t i = 0; i < indexes->n && status == PAIMON_OK; i++) {
        uint64_t *number;
        bool inserted;
        status = pmn_map_put(&names, pmn_slice_text(indexes->items[i].file_name), &number, &inserted, err);
        if (status == PAIMON_OK && !inserted)
            status = pmn_fail(err, PAIMON_CONFLICT, "%s: index file %s is named twice within one commit", source->path, indexes->items[i].file_name);
    }
    pmn_map_free(&names);
    return status;
}

paimon_status pmn_conflict_within_delta(const pmn_source *source, const pmn_delta *delta, paimon_error *err)
{
    PMN_TRY(pmn_conflict_within(source, &delta->files, err));
    PMN_TRY(pmn_conflict_within(source, &delta->changelog, err));
    return within_indexes(source, &delta->indexes, err);
}

/* --- against what is alive --- */

/* A partition that the changes speak of. */
typedef struct touched {
    pmn_slice partition;
    const pmn_manifest_entry *first; /* of the changes in it that tells a number of buckets; NULL: none */
    int32_t there;                   /* the buckets that its living files were written for; 0: none is known */
} touched;

/* A file of the table: how often it was added less how often deleted, since lists that were merged may change the order. */
typedef struct live_file {
    int32_t net;
    int32_t total_buckets;
    size_t partition;           /* place in `touched` */
    bool goes;                  /* with this commit */
    const pmn_living *details;  /* NULL: no rule asks for them */
} live_file;

typedef struct live_files {
    pmn_committer *c;
    pmn_arena arena;
    pmn_map partitions; /* those of the changes; value: place in `touched` */
    touched *touched;
    size_t n_touched;
    const pmn_changes *changes;
    pmn_partition_ranges ranges;
    pmn_identities identities; /* → number of the file, plus one */
    pmn_buf files;             /* live_file */
    pmn_vectors *vectors;      /* NULL: not asked */
    pmn_bucket_vectors *bucket_vectors;
    bool keys, row_ids;        /* the rules that ask for details of files */
    bool by_name;              /* count files on whatever level */
    pmn_identities names;      /* → how often they are there */
} live_files;

static paimon_status touch(live_files *live, pmn_slice partition, const pmn_manifest_entry *entry, paimon_error *err)
{
    uint64_t *number;
    bool inserted;
    PMN_TRY(pmn_map_put(&live->partitions, partition, &number, &inserted, err));
    if (inserted) {
        *number = live->n_touched;
        live->touched[live->n_touched++].partition = partition;
        PMN_TRY(pmn_partition_ranges_add(&live->ranges, partition, err));
    }
    touched *t = &live->touched[*number];
    if (!t->first && entry && entry->total_buckets > 0) t->first = entry;
    return PAIMON_OK;
}

/* `indexes` may be NULL. */
static paimon_status init_live(live_files *live, pmn_committer *c, const pmn_changes *changes, const pmn_index_changes *indexes, paimon_error *err)
{
    size_t n_indexes = indexes ? indexes->n : 0;
    *live = (live_files){ .c = c, .changes = changes };
    pmn_arena_init(&live->arena, c->source->mem);
    pmn_map_init(&live->partitions, c->source->mem);
    pmn_identities_init(&live->identities, c->source->mem);
    pmn_identities_init(&live->names, c->source->mem);
    pmn_buf_init(&live->files, c->source->mem, PMN_BUF_NO_CEILING);
    PMN_TRY(pmn_partition_ranges_init(&live->ranges, c->source->schema->partition_type, &live->arena, err));
    live->touched = pmn_arena_calloc(&live->arena, changes->n + n_indexes + 1, sizeof *live->touched);
    if (!live->touched) return pmn_fail_nomem(err, "partitions");
    for (size_t i = 0; i < changes->n; i++) PMN_TRY(touch(live, changes->items[i].partition, &changes->items[i], err));
    for (size_t i = 0; i < n_indexes; i++) PMN_TRY(touch(live, indexes->items[i].partition, NULL, err));
    return PAIMON_OK;
}

static void free_live(live_files *live)
{
    pmn_buf_free(&live->files);
    pmn_identities_free(&live->identities);
    pmn_identities_free(&live->names);
    pmn_map_free(&live->partitions);
    pmn_arena_free(&live->arena);
}

static bool concerns(void *ctx, pmn_file_kind kind, pmn_slice partition, int32_t bucket, int32_t total_buckets)
{
    const live_files *live = ctx;
    (void)kind, (void)bucket, (void)total_buckets;
    return pmn_map_find(&live->partitions, partition) != NULL;
}

/* Files on level 0 may have any keys. */
static bool wants_details(const live_files *live, const pmn_manifest_entry *entry)
{
    if (entry->kind != PMN_FILE_ADD) return false;
    return (live->keys && entry->file.level > 0) || (live->row_ids && entry->file.first_row_id != PMN_NONE);
}

static paimon_status copy_slice(pmn_arena *arena, pmn_slice *slice, paimon_error *err)
{
    if (slice->size == 0) return PAIMON_OK;
    slice->data = pmn_arena_copy(arena, slice->data, slice->size);
    return slice->data ? PAIMON_OK : pmn_fail_nomem(err, "the files of a table");
}

static paimon_status keep_details(live_files *live, const pmn_manifest_entry *entry, live_file *file, paimon_error *err)
{
    pmn_living *details = pmn_arena_alloc(&live->arena, sizeof *details);
    if (!details) return pmn_fail_nomem(err, "the files of a table");
    *details = pmn_living_of(entry);
    details->partition = live->touched[file->partition].partition;
    details->name = pmn_arena_strdup(&live->arena, entry->file.name);
    if (!details->name) return pmn_fail_nomem(err, "the files of a table");
    if (!live->keys) details->min_key = details->max_key = pmn_slice_of(NULL, 0);
    PMN_TRY(copy_slice(&live->arena, &details->min_key, err));
    PMN_TRY(copy_slice(&live->arena, &details->max_key, err));
    file->details = details;
    return PAIMON_OK;
}

static paimon_status count_name(live_files *live, const pmn_manifest_entry *entry, int64_t by, int64_t *count, paimon_error *err)
{
    uint64_t *number;
    pmn_manifest_entry flat = *entry;
    flat.file.level = 0;
    PMN_TRY(pmn_identities_at(&live->names, &flat, true, &number, err));
    *count = (int64_t)*number + by;
    *number = (uint64_t)*count;
    return PAIMON_OK;
}

static paimon_status count_file(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    live_files *live = ctx;
    uint64_t *number;
    PMN_TRY(pmn_identities_at(&live->identities, entry, true, &number, err));
    if (*number == 0) {
        const uint64_t *place = pmn_map_find(&live->partitions, entry->partition);
        live_file fresh = { .total_buckets = entry->total_buckets, .partition = place ? *place : 0 };
        PMN_TRY(pmn_buf_append(&live->files, &fresh, sizeof fresh, err));
        *number = live->files.size / sizeof fresh;
    }
    live_file *file = (live_file *)(void *)live->files.data + (*number - 1);
    int64_t by = entry->kind == PMN_FILE_ADD ? 1 : -1, ignored;
    file->net += (int32_t)by;
    if (live->by_name) PMN_TRY(count_name(live, entry, by, &ignored, err));
    if (live->vectors) pmn_vectors_count(live->vectors, entry);
    if (live->bucket_vectors) PMN_TRY(pmn_bucket_vectors_count(live->bucket_vectors, entry, err));
    return wants_details(live, entry) ? keep_details(live, entry, file, err) : PAIMON_OK;
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
    unsigned wanted = live->keys ? PMN_ENTRY_NAME | PMN_ENTRY_KEYS : PMN_ENTRY_NAME;
    pmn_manifest_visitor visitor = { .ctx = live, .wanted = wanted, .lens = lens, .filter = concerns, .entry = count_file };
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

/* A partition without files may have any number that the table had when its files were written: the option may have been changed since. */
static paimon_status check_new_partition(const live_files *live, const pmn_manifest_entry *entry, paimon_error *err)
{
    const pmn_committer *c = live->c;
    const pmn_table_schema *schema;
    int64_t then;
    if (entry->total_buckets == c->settings.n_buckets || c->settings.n_buckets == -2) return PAIMON_OK; /* postponed: chosen by a compaction */
    PMN_TRY(pmn_source_schema(c->source, entry->file.schema_id, &schema, err));
    PMN_TRY(pmn_options_int(&schema->options, "bucket", -1, &then, err));
    if (entry->total_buckets == then) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CONFLICT, "%s: file %s was written for %d buckets, the table has %lld (option bucket)", c->source->path,
                    entry->file.name, (int)entry->total_buckets, (long long)c->settings.n_buckets);
}

/* A partition's living files and what comes must have been written for one number of buckets. */
static paimon_status check_live_buckets(live_files *live, paimon_error *err)
{
    const live_file *files = (const live_file *)(const void *)live->files.data;
    for (size_t i = 0; i < live->files.size / sizeof *files; i++) {
        if (files[i].net <= 0 || files[i].total_buckets <= 0) continue;
        touched *t = &live->touched[files[i].partition];
        t->there = files[i].total_buckets;
        if (t->first && t->first->total_buckets != t->there) return fail_buckets(live->c, t->there, t->first->total_buckets, err);
    }
    for (size_t i = 0; i < live->n_touched; i++)
        if (live->touched[i].first && !live->touched[i].there) PMN_TRY(check_new_partition(live, live->touched[i].first, err));
    return PAIMON_OK;
}

typedef enum file_state { NEVER_SEEN, ALIVE, DEAD } file_state;

static paimon_status state_in_table(live_files *live, const pmn_manifest_entry *entry, file_state *state, paimon_error *err)
{
    uint64_t *number;
    PMN_TRY(pmn_identities_at(&live->identities, entry, false, &number, err));
    live_file *file = number ? (live_file *)(void *)live->files.data + (*number - 1) : NULL;
    *state = !file ? NEVER_SEEN : file->net > 0 ? ALIVE : DEAD;
    if (!file || entry->kind != PMN_FILE_DELETE) return PAIMON_OK;
    file->goes = true;
    return live->row_ids && file->details ? pmn_row_ranges_same(live->c->source, entry, file->details, err) : PAIMON_OK;
}

/* A compaction may have taken a file to another level, which is another identity, but the same rows. */
static paimon_status check_levels(live_files *live, paimon_error *err)
{
    const pmn_changes *changes = live->changes;
    int64_t count;
    for (size_t i = 0; i < changes->n; i++)
        if (changes->items[i].kind == PMN_FILE_DELETE) PMN_TRY(count_name(live, &changes->items[i], -1, &count, err));
    for (size_t i = 0; i < changes->n; i++) {
        if (changes->items[i].kind != PMN_FILE_ADD) continue;
        PMN_TRY(count_name(live, &changes->items[i], 1, &count, err));
        if (count > 1)
            return pmn_fail(err, PAIMON_CONFLICT, "%s: file %s was to be added, but it is in the table already, on another level", live->c->source->path,
                            changes->items[i].file.name);
    }
    return PAIMON_OK;
}

static paimon_status check_states(live_files *live, bool only_new, bool *all_present, paimon_error *err)
{
    const pmn_changes *changes = live->changes;
    size_t n_present = 0;
    const char *present = NULL;
    for (size_t i = 0; i < changes->n; i++) {
        file_state state;
        const pmn_manifest_entry *entry = &changes->items[i];
        PMN_TRY(state_in_table(live, entry, &state, err));
        if (entry->kind == PMN_FILE_DELETE && state != ALIVE)
            return pmn_fail(err, PAIMON_CONFLICT, "%s: file %s was to be deleted, but it is not in the table any more", live->c->source->path,
                            entry->file.name);
        if (entry->kind == PMN_FILE_ADD && state == DEAD && only_new)
            return pmn_fail(err, PAIMON_CONFLICT, "%s: file %s was to be added, but it was in the table before and has been deleted",
                            live->c->source->path, entry->file.name);
        if (entry->kind == PMN_FILE_DELETE || state != ALIVE) continue;
        n_present++;
        present = entry->file.name;
    }
    if (all_present) *all_present = n_present == changes->n && changes->n > 0;
    if (all_present && *all_present) return PAIMON_OK;
    if (n_present == 0) return live->by_name ? check_levels(live, err) : PAIMON_OK;
    return pmn_fail(err, PAIMON_CONFLICT, "%s: file %s was to be added, but it is in the table already", live->c->source->path, present);
}

/* --- rules of kinds of tables --- */

/* The files that have details, as they are before the commit and after it. */
static paimon_status list_details(live_files *live, pmn_row_ranges_case *out, paimon_error *err)
{
    const live_file *files = (const live_file *)(const void *)live->files.data;
    size_t n = live->files.size / sizeof *files;
    pmn_living *base = pmn_arena_calloc(&live->arena, n + 1, sizeof *base);
    pmn_living *after = pmn_arena_calloc(&live->arena, n + live->changes->n + 1, sizeof *after);
    if (!base || !after) return pmn_fail_nomem(err, "the files of a table");
    out->base = base;
    out->after = after;
    for (size_t i = 0; i < n; i++) {
        if (files[i].net <= 0 || !files[i].details) continue;
        base[out->n_base++] = *files[i].details;
        if (!files[i].goes) after[out->n_after++] = *files[i].details;
    }
    for (size_t i = 0; i < live->changes->n; i++)
        if (wants_details(live, &live->changes->items[i])) after[out->n_after++] = pmn_living_of(&live->changes->items[i]);
    return PAIMON_OK;
}

static paimon_status check_rules(live_files *live, pmn_commit_kind kind, const pmn_delta *delta, const pmn_conflict_base *base, paimon_error *err)
{
    const pmn_source *source = live->c->source;
    pmn_row_ranges_case files = { .source = source, .kind = kind, .delta = delta, .next_row_id = PMN_NONE };
    if (!live->keys && !live->row_ids) return PAIMON_OK;
    PMN_TRY(list_details(live, &files, err));
    if (live->keys) PMN_TRY(pmn_key_levels_check(source, files.after, files.n_after, &live->arena, err));
    if (!live->row_ids) return PAIMON_OK;
    if (base->latest) files.next_row_id = base->latest->next_row_id;
    files.check_outcome = kind == PMN_COMMIT_COMPACT || base->row_ids_from != PMN_NONE;
    PMN_TRY(pmn_row_ranges_check(&files, &live->arena, err));
    if (!base->latest || base->row_ids_from == PMN_NONE) return PAIMON_OK;
    return pmn_row_columns_check(live->c, delta, &live->partitions, base->row_ids_from, base->latest, err);
}

/* --- all checks --- */

/* How many of the index files that come are there; `*first`: one of them. */
static paimon_status count_indexes(const live_files *live, const pmn_conflict_base *base, const pmn_index_changes *indexes, size_t *n, const char **first,
                                   paimon_error *err)
{
    pmn_map names;
    uint64_t *ignored;
    paimon_status status = PAIMON_OK;
    *n = 0;
    if (indexes->n == 0 || base->n_indexes == 0) return PAIMON_OK;
    pmn_map_init(&names, live->c->source->mem);
    for (int32_t i = 0; i < base->n_indexes && status == PAIMON_OK; i++)
        status = pmn_map_put(&names, pmn_slice_text(base->indexes[i].file_name), &ignored, NULL, err);
    for (size_t i = 0; i < indexes->n && status == PAIMON_OK; i++) {
        if (indexes->items[i].kind == PMN_FILE_DELETE || !pmn_map_find(&names, pmn_slice_text(indexes->items[i].file_name))) continue;
        *first = indexes->items[i].file_name;
        ++*n;
    }
    pmn_map_free(&names);
    return status;
}

/* After the data files: a commit may bring index files alone. */
static paimon_status check_index_states(const live_files *live, const pmn_delta *delta, const pmn_conflict_base *base, bool only_new, bool *all_present,
                                        paimon_error *err)
{
    const char *path = live->c->source->path, *first = NULL;
    size_t n;
    if (!only_new && !all_present) return PAIMON_OK;
    PMN_TRY(count_indexes(live, base, &delta->indexes, &n, &first, err));
    if (all_present && *all_present && n < delta->indexes.n)
        return pmn_fail(err, PAIMON_CONFLICT, "%s: the files of the commit are in the table already, but not its index files", path);
    if (all_present && delta->files.n == 0 && delta->indexes.n > 0) *all_present = n == delta->indexes.n;
    if (!only_new || n == 0 || (all_present && *all_present)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CONFLICT, "%s: index file %s was to be added, but it is in the table already", path, first);
}

static paimon_status check_all(live_files *live, pmn_commit_kind kind, const pmn_delta *delta, const pmn_conflict_base *base, bool only_new,
                               bool *all_present, paimon_error *err)
{
    PMN_TRY(read_live_files(live, base->manifests, base->n_manifests, err));
    PMN_TRY(check_states(live, only_new, all_present, err));
    PMN_TRY(check_index_states(live, delta, base, only_new, all_present, err));
    if (all_present && *all_present) return PAIMON_OK;
    if (live->vectors) {
        PMN_TRY(pmn_vectors_attach(live->vectors, base->indexes, base->n_indexes, err));
        PMN_TRY(pmn_vectors_check(live->vectors, err));
    }
    if (live->bucket_vectors) {
        for (size_t i = 0; i < delta->files.n; i++) PMN_TRY(pmn_bucket_vectors_count(live->bucket_vectors, &delta->files.items[i], err));
        PMN_TRY(pmn_bucket_vectors_check(live->bucket_vectors, err));
    }
    PMN_TRY(check_rules(live, kind, delta, base, err));
    return kind != PMN_COMMIT_OVERWRITE ? check_live_buckets(live, err) : PAIMON_OK;
}

paimon_status pmn_conflict_with(pmn_committer *c, pmn_commit_kind kind, const pmn_delta *delta, const pmn_conflict_base *base, bool only_new,
                                bool *all_present, paimon_error *err)
{
    live_files live;
    pmn_vectors vectors;
    pmn_bucket_vectors bucket_vectors;
    bool by_file = pmn_commit_is_unaware(&c->settings);
    if (all_present) *all_present = false;
    paimon_status status = init_live(&live, c, &delta->files, &delta->indexes, err);
    live.keys = base->rules && c->settings.key_ranges;
    live.row_ids = base->rules && c->settings.data_evolution;
    live.by_name = only_new && c->settings.has_keys;
    if (status == PAIMON_OK && base->vectors && by_file) {
        live.vectors = &vectors;
        status = pmn_vectors_init(&vectors, c->source, delta, err);
    }
    if (status == PAIMON_OK && base->vectors && !by_file) {
        live.bucket_vectors = &bucket_vectors;
        status = pmn_bucket_vectors_init(&bucket_vectors, c->source, &live.arena, &delta->indexes, base->indexes, base->n_indexes, err);
    }
    if (status == PAIMON_OK) status = check_all(&live, kind, delta, base, only_new, all_present, err);
    if (live.vectors) pmn_vectors_free(&vectors);
    if (live.bucket_vectors) pmn_bucket_vectors_free(&bucket_vectors);
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
    bucket_search search = { .partitions = &live->partitions, .left = live->n_touched };
    search.found = pmn_arena_calloc(&live->arena, live->n_touched + 1, sizeof *search.found);
    if (!search.found) return pmn_fail_nomem(err, "partitions");
    PMN_TRY(search_buckets(live, &search, manifests, n, err));
    for (size_t i = 0; i < live->n_touched; i++) {
        const pmn_manifest_entry *entry = live->touched[i].first;
        if (!entry) continue;
        /* Another number: the file may be dead (its partition dropped since), which only all entries together tell. */
        if (search.found[i] && search.found[i] != entry->total_buckets) {
            PMN_TRY(read_live_files(live, manifests, n, err));
            return check_live_buckets(live, err);
        }
        if (!search.found[i]) PMN_TRY(check_new_partition(live, entry, err));
        PMN_TRY(remember_buckets(live->c, entry->partition, entry->total_buckets, err));
    }
    return PAIMON_OK;
}

paimon_status pmn_conflict_buckets(pmn_committer *c, const pmn_changes *changes, const pmn_snapshot *latest, const pmn_manifest_file *manifests,
                                   int32_t n, paimon_error *err)
{
    if (changes->n == 0) return PAIMON_OK;
    /* What is remembered holds for the snapshot after which it was learned: another committer may have overwritten since. */
    if (c->buckets.snapshot_id != latest->id) forget_buckets(c);
    c->buckets.snapshot_id = latest->id;
    if (all_known(c, changes)) return PAIMON_OK;
    live_files live;
    paimon_status status = init_live(&live, c, changes, NULL, err);
    if (status == PAIMON_OK) status = compare_buckets(&live, manifests, n, err);
    free_live(&live);
    return status;
}
