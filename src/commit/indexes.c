#include "commit/indexes.h"

#include <stdio.h>
#include <string.h>

#include "commit/overwrite.h"
#include "io/path.h"

/* --- combining --- */

typedef struct combination {
    pmn_arena *arena;
    bool by_file;
    pmn_map places;  /* number of the entry, plus one; 0: gone */
    pmn_map vectors; /* by_file: data files that have a vector; 1 or 0 */
    pmn_index_entry *items;
    bool *gone;
    int32_t n;
} combination;

static paimon_status place_of(combination *c, const pmn_index_entry *entry, uint64_t **place, paimon_error *err)
{
    if (c->by_file) return pmn_map_put(&c->places, pmn_slice_text(entry->file_name), place, NULL, err);
    uint8_t *key = pmn_arena_alloc(c->arena, entry->partition.size + 4);
    if (!key) return pmn_fail_nomem(err, "index files");
    pmn_store_le32(key, (uint32_t)entry->bucket);
    if (entry->partition.size) memcpy(key + 4, entry->partition.data, entry->partition.size);
    return pmn_map_put(&c->places, pmn_slice_of(key, entry->partition.size + 4), place, NULL, err);
}

static paimon_status mark_vectors(combination *c, const pmn_index_entry *entry, bool there, bool is_old, paimon_error *err)
{
    for (int32_t i = 0; i < entry->n_ranges; i++) {
        uint64_t *has;
        PMN_TRY(pmn_map_put(&c->vectors, pmn_slice_text(entry->ranges[i].data_file), &has, NULL, err));
        if (there && *has && !is_old) return pmn_fail(err, PAIMON_CONFLICT, "file %s has a deletion vector already", entry->ranges[i].data_file);
        if (!there && !*has) return pmn_fail(err, PAIMON_CONFLICT, "file %s has no deletion vector to be taken away", entry->ranges[i].data_file);
        *has = there;
    }
    return PAIMON_OK;
}

static paimon_status put_index(combination *c, const pmn_index_entry *entry, bool is_old, paimon_error *err)
{
    bool vectors = strcmp(entry->index_type, PMN_INDEX_OF_VECTORS) == 0;
    if (vectors) { /* others are carried on as they are */
        uint64_t *place;
        PMN_TRY(place_of(c, entry, &place, err));
        if (*place && c->by_file && !is_old) return pmn_fail(err, PAIMON_CONFLICT, "index file %s is in the table already", entry->file_name);
        if (*place) c->gone[*place - 1] = true;
        *place = (uint64_t)c->n + 1;
        if (c->by_file) PMN_TRY(mark_vectors(c, entry, true, is_old, err));
    }
    c->items[c->n] = *entry;
    c->items[c->n++].kind = PMN_FILE_ADD;
    return PAIMON_OK;
}

static paimon_status take_index(combination *c, const pmn_index_entry *entry, paimon_error *err)
{
    uint64_t *place;
    PMN_TRY(place_of(c, entry, &place, err));
    if (!*place && c->by_file)
        return pmn_fail(err, PAIMON_CONFLICT, "index file %s was to be deleted, but it is not in the table any more", entry->file_name);
    if (*place) c->gone[*place - 1] = true;
    *place = 0;
    return c->by_file ? mark_vectors(c, entry, false, false, err) : PAIMON_OK;
}

static paimon_status apply(combination *c, const pmn_index_entry *old, int32_t n_old, const pmn_index_changes *changes, paimon_error *err)
{
    for (int32_t i = 0; i < n_old; i++) PMN_TRY(put_index(c, &old[i], true, err));
    /* By bucket, what goes goes first, so that it does not take a new one away. By file, the order is told. */
    for (size_t i = 0; i < changes->n; i++) {
        const pmn_index_entry *entry = &changes->items[i];
        if (entry->kind == PMN_FILE_DELETE) PMN_TRY(take_index(c, entry, err));
        else if (c->by_file) PMN_TRY(put_index(c, entry, false, err));
    }
    for (size_t i = 0; i < changes->n && !c->by_file; i++)
        if (changes->items[i].kind == PMN_FILE_ADD) PMN_TRY(put_index(c, &changes->items[i], false, err));
    int32_t kept = 0;
    for (int32_t i = 0; i < c->n; i++)
        if (!c->gone[i]) c->items[kept++] = c->items[i];
    c->n = kept;
    return PAIMON_OK;
}

paimon_status pmn_indexes_combine(pmn_arena *arena, bool by_file, const pmn_index_entry *old, int32_t n_old, const pmn_index_changes *changes,
                                  pmn_index_entry **out, int32_t *n, paimon_error *err)
{
    combination c = { .arena = arena, .by_file = by_file };
    size_t most = (size_t)n_old + changes->n;
    if (most >= INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "%zu index files", most);
    pmn_map_init(&c.places, arena->mem);
    pmn_map_init(&c.vectors, arena->mem);
    c.items = pmn_arena_calloc(arena, most + 1, sizeof *c.items);
    c.gone = pmn_arena_calloc(arena, most + 1, sizeof *c.gone);
    paimon_status status = c.items && c.gone ? apply(&c, old, n_old, changes, err) : pmn_fail_nomem(err, "index files");
    pmn_map_free(&c.places);
    pmn_map_free(&c.vectors);
    *out = c.items;
    *n = c.n;
    return status;
}

/* --- of a round --- */

paimon_status pmn_indexes_load(pmn_commit_run_state *run, paimon_error *err)
{
    const char *name = run->latest.id ? run->latest.index_manifest : NULL;
    if (run->has_indexes) return PAIMON_OK;
    run->indexes = NULL;
    run->n_indexes = 0;
    run->has_indexes = true;
    if (!name) return PAIMON_OK;
    const char *path = pmn_path_join(&run->round, run->c->folder, name);
    if (!path) return pmn_fail_nomem(err, "a path");
    return pmn_index_manifest_read(&run->round, run->c->source->fs, path, &run->indexes, &run->n_indexes, err);
}

/* An overwrite takes the entries of its partitions out. */
static paimon_status outside(pmn_commit_run_state *run, pmn_index_entry **kept, int32_t *n, paimon_error *err)
{
    const pmn_table_schema *schema = run->c->source->schema;
    *kept = pmn_arena_calloc(&run->round, (size_t)run->n_indexes + 1, sizeof **kept);
    pmn_datum *row = pmn_arena_calloc(&run->round, (size_t)schema->n_partition_keys + 1, sizeof *row);
    *n = 0;
    if (!*kept || !row) return pmn_fail_nomem(err, "an index manifest");
    for (int32_t i = 0; i < run->n_indexes; i++) {
        bool chosen = false;
        if (run->work->overwrite)
            PMN_TRY(pmn_partition_chosen(run->work->overwrite, schema->partition_type, run->indexes[i].partition, row, &chosen, err));
        if (!chosen) (*kept)[(*n)++] = run->indexes[i];
    }
    return PAIMON_OK;
}

paimon_status pmn_indexes_write(pmn_commit_run_state *run, const char **name, paimon_error *err)
{
    pmn_committer *c = run->c;
    const pmn_index_changes *changes = &run->work->delta->indexes;
    pmn_index_entry *kept, *next;
    int32_t n_kept, n;
    int64_t size;
    char text[96];
    *name = run->latest.id ? run->latest.index_manifest : NULL;
    if (changes->n == 0 && (!*name || !run->work->overwrite)) return PAIMON_OK;
    PMN_TRY(pmn_indexes_load(run, err));
    PMN_TRY(outside(run, &kept, &n_kept, err));
    if (changes->n == 0 && n_kept == run->n_indexes) return PAIMON_OK;
    paimon_status status = pmn_indexes_combine(&run->round, c->settings.n_buckets == -1, kept, n_kept, changes, &next, &n, err);
    if (status != PAIMON_OK) {
        pmn_error_prefix(err, "%s", c->source->path);
        return status;
    }
    snprintf(text, sizeof text, "index-manifest-%s-%d", c->uuid, (int)c->n_indexes++);
    *name = pmn_arena_strdup(&run->round, text);
    const char *path = pmn_path_join(&run->round, c->folder, text);
    if (!*name || !path) return pmn_fail_nomem(err, "an index manifest's name");
    PMN_TRY(pmn_written_add(&run->this_round, &run->round, *name, err));
    PMN_TRY(pmn_index_manifest_write(c->source->mem, c->source->fs, path, &c->settings.codec, next, n, &size, err));
    c->metrics.bytes_written += size;
    return PAIMON_OK;
}
