#include "commit/vectors.h"

#include <string.h>

typedef struct vector_state {
    const char *file;
    pmn_slice partition;
    int32_t net;                      /* above 0: the file is alive in the table */
    const char *attached;             /* the table's index file that has its vector; NULL: none */
    int32_t n_added, n_deleted;       /* index files of the commit with a vector of it */
    const char *deleted_in;
    bool file_added, file_deleted; /* by the commit itself */
} vector_state;

static vector_state *state_of(const pmn_vectors *v, const char *file)
{
    const uint64_t *number = pmn_map_find(&v->files, pmn_slice_text(file));
    return number ? (vector_state *)(void *)v->states.data + (*number - 1) : NULL;
}

static paimon_status add_state(pmn_vectors *v, const char *file, pmn_slice partition, vector_state **out, paimon_error *err)
{
    uint64_t *number;
    PMN_TRY(pmn_map_put(&v->files, pmn_slice_text(file), &number, NULL, err));
    if (*number == 0) {
        vector_state fresh = { .file = file, .partition = partition };
        PMN_TRY(pmn_buf_append(&v->states, &fresh, sizeof fresh, err));
        *number = v->states.size / sizeof fresh;
    }
    *out = (vector_state *)(void *)v->states.data + (*number - 1);
    if (pmn_slice_equal((*out)->partition, partition)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CONFLICT, "%s: the commit speaks of file %s in two partitions", v->source->path, file);
}

static paimon_status note_vector_indexes(pmn_vectors *v, const pmn_index_changes *indexes, paimon_error *err)
{
    for (size_t i = 0; i < indexes->n; i++) {
        const pmn_index_entry *entry = &indexes->items[i];
        for (int32_t k = 0; k < entry->n_ranges; k++) {
            vector_state *state;
            PMN_TRY(add_state(v, entry->ranges[k].data_file, entry->partition, &state, err));
            if (entry->kind == PMN_FILE_ADD) state->n_added++;
            else state->n_deleted++;
            if (entry->kind == PMN_FILE_DELETE) state->deleted_in = entry->file_name;
        }
    }
    return PAIMON_OK;
}

static paimon_status note_vector_files(pmn_vectors *v, const pmn_changes *files, paimon_error *err)
{
    for (size_t i = 0; i < files->n; i++) {
        const pmn_manifest_entry *entry = &files->items[i];
        vector_state *state = state_of(v, entry->file.name);
        if (entry->kind == PMN_FILE_DELETE && !state) PMN_TRY(add_state(v, entry->file.name, entry->partition, &state, err));
        if (state && entry->kind == PMN_FILE_DELETE) state->file_deleted = true;
        if (state && entry->kind == PMN_FILE_ADD) state->file_added = true;
    }
    return PAIMON_OK;
}

paimon_status pmn_vectors_init(pmn_vectors *v, const pmn_source *source, const pmn_delta *delta, paimon_error *err)
{
    v->source = source;
    pmn_map_init(&v->files, source->mem);
    pmn_buf_init(&v->states, source->mem, PMN_BUF_NO_CEILING);
    PMN_TRY(note_vector_indexes(v, &delta->indexes, err));
    return note_vector_files(v, &delta->files, err);
}

void pmn_vectors_free(pmn_vectors *v)
{
    pmn_map_free(&v->files);
    pmn_buf_free(&v->states);
}

paimon_status pmn_vectors_attach(pmn_vectors *v, const pmn_index_entry *entries, int32_t n, paimon_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        if (entries[i].kind != PMN_FILE_ADD || strcmp(entries[i].index_type, PMN_INDEX_OF_VECTORS) != 0) continue;
        for (int32_t k = 0; k < entries[i].n_ranges; k++) {
            vector_state *state = state_of(v, entries[i].ranges[k].data_file);
            if (!state || !pmn_slice_equal(state->partition, entries[i].partition)) continue;
            if (state->attached)
                return pmn_fail(err, PAIMON_CORRUPT, "%s: file %s has deletion vectors in index files %s and %s", v->source->path, state->file,
                                state->attached, entries[i].file_name);
            state->attached = entries[i].file_name;
        }
    }
    return PAIMON_OK;
}

void pmn_vectors_count(pmn_vectors *v, const pmn_manifest_entry *entry)
{
    vector_state *state = state_of(v, entry->file.name);
    if (state && pmn_slice_equal(state->partition, entry->partition)) state->net += entry->kind == PMN_FILE_ADD ? 1 : -1;
}

/* What is wrong with it; NULL: nothing. */
static const char *fault_of(const vector_state *s)
{
    bool takes_attached = s->n_deleted ? s->attached && strcmp(s->deleted_in, s->attached) == 0 : !s->attached;
    if (s->n_added > 1 || s->n_deleted > 1) return "has deletion vectors in several index files of one commit";
    if (s->file_deleted && s->n_added) return "is deleted and gets a deletion vector in one commit";
    if (s->file_added && s->n_deleted) return "is added, and a deletion vector that it had is taken away, in one commit";
    if (!s->file_added && !s->file_deleted && s->net <= 0) return "gets a deletion vector, but it is not in the table any more";
    return takes_attached ? NULL : "has got another deletion vector since";
}

paimon_status pmn_vectors_check(const pmn_vectors *v, paimon_error *err)
{
    const vector_state *states = (const vector_state *)(const void *)v->states.data;
    for (size_t i = 0; i < v->states.size / sizeof *states; i++) {
        const char *fault = fault_of(&states[i]);
        if (fault) return pmn_fail(err, PAIMON_CONFLICT, "%s: file %s %s", v->source->path, states[i].file, fault);
    }
    return PAIMON_OK;
}
