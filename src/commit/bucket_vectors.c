#include "commit/bucket_vectors.h"

#include <string.h>

typedef struct bucket_vector {
    const char *file;
    int64_t before, after; /* deleted rows; PMN_NONE: it is not told how many */
    bool stays;            /* it has a vector after the commit, too */
    int32_t net;           /* above 0: the file is alive after the commit */
} bucket_vector;

/* The place of a bucket, or, with a name, of a file in it. */
static paimon_status make_key(pmn_bucket_vectors *v, pmn_slice partition, int32_t bucket, const char *name, pmn_slice *key, paimon_error *err)
{
    uint8_t head[8];
    pmn_store_le32(head, (uint32_t)bucket);
    pmn_store_le32(head + 4, (uint32_t)partition.size);
    pmn_buf_clear(&v->key);
    PMN_TRY(pmn_buf_append(&v->key, head, sizeof head, err));
    PMN_TRY(pmn_buf_append(&v->key, partition.data, partition.size, err));
    if (name) PMN_TRY(pmn_buf_append_text(&v->key, name, err));
    *key = pmn_slice_of(v->key.data, v->key.size);
    return PAIMON_OK;
}

static paimon_status number_at(pmn_bucket_vectors *v, pmn_map *map, pmn_slice key, uint64_t **number, paimon_error *err)
{
    const void *copy = pmn_arena_copy(v->arena, key.data, key.size);
    if (!copy) return pmn_fail_nomem(err, "deletion vectors");
    return pmn_map_put(map, pmn_slice_of(copy, key.size), number, NULL, err);
}

static bool is_of_vectors(const pmn_index_entry *entry) { return strcmp(entry->index_type, PMN_INDEX_OF_VECTORS) == 0; }

/* Of several new ones the last one stays. */
static paimon_status note_bucket(pmn_bucket_vectors *v, const pmn_index_changes *changes, size_t i, paimon_error *err)
{
    pmn_slice key;
    uint64_t *number;
    PMN_TRY(make_key(v, changes->items[i].partition, changes->items[i].bucket, NULL, &key, err));
    PMN_TRY(number_at(v, &v->buckets, key, &number, err));
    if (changes->items[i].kind == PMN_FILE_ADD) *number = i + 2;
    else if (*number == 0) *number = 1;
    return PAIMON_OK;
}

static bucket_vector *state_at(const pmn_bucket_vectors *v, uint64_t number) { return (bucket_vector *)(void *)v->states.data + (number - 1); }

/* What an index file has that does not stay. */
static paimon_status note_before(pmn_bucket_vectors *v, const pmn_index_entry *entry, paimon_error *err)
{
    for (int32_t i = 0; i < entry->n_ranges; i++) {
        pmn_slice key;
        uint64_t *number;
        const pmn_deletion_range *range = &entry->ranges[i];
        PMN_TRY(make_key(v, entry->partition, entry->bucket, range->data_file, &key, err));
        PMN_TRY(number_at(v, &v->files, key, &number, err));
        if (*number == 0) {
            bucket_vector fresh = { .file = range->data_file, .before = PMN_NONE, .after = PMN_NONE };
            PMN_TRY(pmn_buf_append(&v->states, &fresh, sizeof fresh, err));
            *number = v->states.size / sizeof fresh;
        }
        bucket_vector *state = state_at(v, *number);
        if (range->cardinality > state->before) state->before = range->cardinality;
    }
    return PAIMON_OK;
}

static paimon_status find_state(pmn_bucket_vectors *v, pmn_slice partition, int32_t bucket, const char *name, bucket_vector **out, paimon_error *err)
{
    pmn_slice key;
    PMN_TRY(make_key(v, partition, bucket, name, &key, err));
    const uint64_t *number = pmn_map_find(&v->files, key);
    *out = number ? state_at(v, *number) : NULL;
    return PAIMON_OK;
}

static paimon_status note_after(pmn_bucket_vectors *v, const pmn_index_entry *entry, paimon_error *err)
{
    for (int32_t i = 0; i < entry->n_ranges; i++) {
        bucket_vector *state;
        PMN_TRY(find_state(v, entry->partition, entry->bucket, entry->ranges[i].data_file, &state, err));
        if (!state) continue;
        state->stays = true;
        state->after = entry->ranges[i].cardinality;
    }
    return PAIMON_OK;
}

static paimon_status note_replaced(pmn_bucket_vectors *v, const pmn_index_changes *changes, const pmn_index_entry *old, int32_t n_old, paimon_error *err)
{
    for (int32_t i = 0; i < n_old; i++) {
        pmn_slice key;
        if (!is_of_vectors(&old[i])) continue;
        PMN_TRY(make_key(v, old[i].partition, old[i].bucket, NULL, &key, err));
        if (pmn_map_find(&v->buckets, key)) PMN_TRY(note_before(v, &old[i], err));
    }
    for (int stays = 0; stays < 2; stays++)
        for (size_t i = 0; i < changes->n; i++) {
            pmn_slice key;
            const pmn_index_entry *entry = &changes->items[i];
            if (!is_of_vectors(entry) || entry->kind != PMN_FILE_ADD) continue;
            PMN_TRY(make_key(v, entry->partition, entry->bucket, NULL, &key, err));
            const uint64_t *number = pmn_map_find(&v->buckets, key);
            bool last = number && *number == i + 2;
            if (last == (stays == 1)) PMN_TRY(last ? note_after(v, entry, err) : note_before(v, entry, err));
        }
    return PAIMON_OK;
}

paimon_status pmn_bucket_vectors_init(pmn_bucket_vectors *v, const pmn_source *source, pmn_arena *arena, const pmn_index_changes *changes,
                                      const pmn_index_entry *old, int32_t n_old, paimon_error *err)
{
    v->source = source;
    v->arena = arena;
    pmn_map_init(&v->buckets, source->mem);
    pmn_map_init(&v->files, source->mem);
    pmn_buf_init(&v->key, source->mem, PMN_BUF_NO_CEILING);
    pmn_buf_init(&v->states, source->mem, PMN_BUF_NO_CEILING);
    if (changes->n_vectors == 0) return PAIMON_OK;
    for (size_t i = 0; i < changes->n; i++)
        if (is_of_vectors(&changes->items[i])) PMN_TRY(note_bucket(v, changes, i, err));
    return note_replaced(v, changes, old, n_old, err);
}

void pmn_bucket_vectors_free(pmn_bucket_vectors *v)
{
    pmn_map_free(&v->buckets);
    pmn_map_free(&v->files);
    pmn_buf_free(&v->key);
    pmn_buf_free(&v->states);
}

paimon_status pmn_bucket_vectors_count(pmn_bucket_vectors *v, const pmn_manifest_entry *entry, paimon_error *err)
{
    bucket_vector *state;
    if (v->states.size == 0) return PAIMON_OK;
    PMN_TRY(find_state(v, entry->partition, entry->bucket, entry->file.name, &state, err));
    if (state) state->net += entry->kind == PMN_FILE_ADD ? 1 : -1;
    return PAIMON_OK;
}

paimon_status pmn_bucket_vectors_check(const pmn_bucket_vectors *v, paimon_error *err)
{
    for (uint64_t i = 1; i <= v->states.size / sizeof(bucket_vector); i++) {
        const bucket_vector *s = state_at(v, i);
        bool fewer = s->before != PMN_NONE && s->after != PMN_NONE && s->after < s->before;
        if (s->net <= 0 || (s->stays && !fewer)) continue;
        return pmn_fail(err, PAIMON_CONFLICT, "%s: rows of file %s have been deleted that the commit's deletion vectors leave out: others wrote to its bucket since",
                        v->source->path, s->file);
    }
    return PAIMON_OK;
}
