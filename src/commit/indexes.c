#include "commit/indexes.h"

#include <stdio.h>
#include <string.h>

#include "commit/overwrite.h"
#include "io/path.h"

/* --- combining --- */

typedef struct combination {
    pmn_arena *arena;
    bool vectors_by_file;
    pmn_map places;  /* number of the entry, plus one; 0: gone */
    pmn_map vectors; /* data files that have a vector in a table without buckets; 1 or 0 */
    pmn_index_entry *items;
    bool *gone;
    int32_t n;
} combination;

typedef enum index_manner { ONE_A_BUCKET, VECTORS_BY_FILE, BY_ROW_IDS } index_manner;

static index_manner manner_of(const combination *c, const pmn_index_entry *entry)
{
    if (strcmp(entry->index_type, PMN_INDEX_OF_VECTORS) == 0) return c->vectors_by_file ? VECTORS_BY_FILE : ONE_A_BUCKET;
    return strcmp(entry->index_type, PMN_INDEX_OF_HASHES) == 0 ? ONE_A_BUCKET : BY_ROW_IDS;
}

/* Type, and either the file's name or bucket and partition. */
static paimon_status place_of(combination *c, const pmn_index_entry *entry, uint64_t **place, paimon_error *err)
{
    bool by_bucket = manner_of(c, entry) == ONE_A_BUCKET;
    pmn_slice tail = by_bucket ? entry->partition : pmn_slice_text(entry->file_name);
    size_t type = strlen(entry->index_type) + 1, head = type + (by_bucket ? 4 : 0);
    uint8_t *key = pmn_arena_alloc(c->arena, head + tail.size + 1);
    if (!key) return pmn_fail_nomem(err, "index files");
    memcpy(key, entry->index_type, type);
    if (by_bucket) pmn_store_le32(key + type, (uint32_t)entry->bucket);
    if (tail.size) memcpy(key + head, tail.data, tail.size);
    return pmn_map_put(&c->places, pmn_slice_of(key, head + tail.size), place, NULL, err);
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
    index_manner manner = manner_of(c, entry);
    uint64_t *place;
    PMN_TRY(place_of(c, entry, &place, err));
    if (*place && manner != ONE_A_BUCKET && !is_old) return pmn_fail(err, PAIMON_CONFLICT, "index file %s is in the table already", entry->file_name);
    if (*place) c->gone[*place - 1] = true;
    *place = (uint64_t)c->n + 1;
    if (manner == VECTORS_BY_FILE) PMN_TRY(mark_vectors(c, entry, true, is_old, err));
    c->items[c->n] = *entry;
    c->items[c->n++].kind = PMN_FILE_ADD;
    return PAIMON_OK;
}

static paimon_status take_index(combination *c, const pmn_index_entry *entry, paimon_error *err)
{
    index_manner manner = manner_of(c, entry);
    uint64_t *place;
    PMN_TRY(place_of(c, entry, &place, err));
    if (!*place && manner != ONE_A_BUCKET)
        return pmn_fail(err, PAIMON_CONFLICT, "index file %s was to be deleted, but it is not in the table any more", entry->file_name);
    if (*place) c->gone[*place - 1] = true;
    *place = 0;
    return manner == VECTORS_BY_FILE ? mark_vectors(c, entry, false, false, err) : PAIMON_OK;
}

/* --- indexes of row ids --- */

/* The first four bytes of an index that tells what scan it was made from; others with such a text are those of primary-key tables, of a level's
 * files, where overlapping means nothing. */
static bool is_of_bucket(const pmn_index_entry *entry)
{
    static const uint8_t scanned[4] = { 'D', 'E', 'I', 'X' };
    return entry->source_meta.data && !(entry->source_meta.size >= sizeof scanned && memcmp(entry->source_meta.data, scanned, sizeof scanned) == 0);
}

static bool same_extras(const pmn_index_entry *a, const pmn_index_entry *b)
{
    if (a->n_extra_field_ids != b->n_extra_field_ids) return false;
    for (int32_t i = 0; i < a->n_extra_field_ids; i++)
        if (a->extra_field_ids[i] != b->extra_field_ids[i]) return false;
    return true;
}

static bool stands_in_the_way(const pmn_index_entry *stays, const pmn_index_entry *comes)
{
    if (stays->index_field_id != comes->index_field_id || (is_of_bucket(stays) && is_of_bucket(comes))) return false;
    bool apart = stays->row_range_end < comes->row_range_start || comes->row_range_end < stays->row_range_start;
    return !(apart && same_extras(stays, comes)) && strcmp(stays->index_type, comes->index_type) == 0;
}

/* `n_old`: how many of the items were there before. */
static paimon_status check_row_indexes(const combination *c, int32_t n_old, const pmn_index_changes *changes, paimon_error *err)
{
    for (size_t k = 0; k < changes->n && changes->adds_global; k++) {
        const pmn_index_entry *comes = &changes->items[k];
        if (comes->kind != PMN_FILE_ADD || !comes->has_global || manner_of(c, comes) != BY_ROW_IDS) continue;
        for (int32_t i = 0; i < n_old; i++) {
            const pmn_index_entry *stays = &c->items[i];
            if (!stays->has_global || c->gone[i] || !stands_in_the_way(stays, comes)) continue;
            return pmn_fail(err, PAIMON_CONFLICT, "index file %s of rows %lld to %lld overlaps %s, of rows %lld to %lld, which has to go first",
                            comes->file_name, (long long)comes->row_range_start, (long long)comes->row_range_end, stays->file_name,
                            (long long)stays->row_range_start, (long long)stays->row_range_end);
        }
    }
    return PAIMON_OK;
}

/* Those of `kind`, of deletion vectors by file, or of all the others. */
static paimon_status apply_some(combination *c, const pmn_index_changes *changes, bool by_file, unsigned kinds, paimon_error *err)
{
    for (size_t i = 0; i < changes->n; i++) {
        const pmn_index_entry *entry = &changes->items[i];
        if ((manner_of(c, entry) == VECTORS_BY_FILE) != by_file || !(kinds & 1u << entry->kind)) continue;
        PMN_TRY(entry->kind == PMN_FILE_DELETE ? take_index(c, entry, err) : put_index(c, entry, false, err));
    }
    return PAIMON_OK;
}

static paimon_status apply(combination *c, const pmn_index_entry *old, int32_t n_old, const pmn_index_changes *changes, paimon_error *err)
{
    const unsigned adds = 1u << PMN_FILE_ADD, deletes = 1u << PMN_FILE_DELETE;
    for (int32_t i = 0; i < n_old; i++) PMN_TRY(put_index(c, &old[i], true, err));
    /* What goes goes first, so that it does not take a new one away. Of vectors by file, the order is told. */
    PMN_TRY(apply_some(c, changes, true, adds | deletes, err));
    PMN_TRY(apply_some(c, changes, false, deletes, err));
    PMN_TRY(check_row_indexes(c, n_old, changes, err));
    PMN_TRY(apply_some(c, changes, false, adds, err));
    int32_t kept = 0;
    for (int32_t i = 0; i < c->n; i++)
        if (!c->gone[i]) c->items[kept++] = c->items[i];
    c->n = kept;
    return PAIMON_OK;
}

paimon_status pmn_indexes_combine(pmn_arena *arena, bool vectors_by_file, const pmn_index_entry *old, int32_t n_old, const pmn_index_changes *changes,
                                  pmn_index_entry **out, int32_t *n, paimon_error *err)
{
    combination c = { .arena = arena, .vectors_by_file = vectors_by_file };
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
    const pmn_index_changes *changes = run->index_changes;
    pmn_index_entry *kept, *next;
    int32_t n_kept, n;
    int64_t size;
    char text[96];
    *name = run->latest.id ? run->latest.index_manifest : NULL;
    if (changes->n == 0 && (!*name || !run->work->overwrite)) return PAIMON_OK;
    PMN_TRY(pmn_indexes_load(run, err));
    PMN_TRY(outside(run, &kept, &n_kept, err));
    if (changes->n == 0 && n_kept == run->n_indexes) return PAIMON_OK;
    paimon_status status = pmn_indexes_combine(&run->round, pmn_commit_is_unaware(&c->settings), kept, n_kept, changes, &next, &n, err);
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
