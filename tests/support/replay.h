/* The messages that a snapshot was made of, from what it added to the one before: files and index files that came and went, without what the
 * commit gave them (row ids, and sequence numbers that are the snapshot's). */
#ifndef TESTS_SUPPORT_REPLAY_H
#define TESTS_SUPPORT_REPLAY_H

#include "io/path.h"
#include "meta/message.h"
#include "meta/snapshot/snapshot.h"

/* A snapshot's entries, all of one list. */
typedef struct entry_list {
    pmn_arena *arena;
    pmn_manifest_entry *items;
    size_t n, capacity;
} entry_list;

static paimon_status keep_listed(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    entry_list *list = ctx;
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        pmn_manifest_entry *grown = pmn_arena_calloc(list->arena, capacity, sizeof *grown);
        if (!grown) return pmn_fail_nomem(err, "entries");
        if (list->n) memcpy(grown, list->items, list->n * sizeof *grown);
        list->items = grown;
        list->capacity = capacity;
    }
    return pmn_manifest_entry_copy(list->arena, entry, &list->items[list->n++], err);
}

/* `list` NULL: none. */
static inline paimon_status listed_entries(pmn_arena *arena, paimon_fs *fs, const char *table, const char *list, entry_list *out, paimon_error *err)
{
    pmn_manifest_file *files;
    int32_t n;
    *out = (entry_list){ .arena = arena };
    if (!list) return PAIMON_OK;
    PMN_TRY(pmn_manifest_list_read(arena, fs, pmn_path_joinf(arena, table, "manifest/%s", list), -1, &files, &n, err));
    pmn_manifest_visitor visitor = { .ctx = out, .wanted = PMN_ENTRY_ALL, .entry = keep_listed };
    for (int32_t i = 0; i < n; i++)
        PMN_TRY(pmn_manifest_read(arena->mem, fs, pmn_path_joinf(arena, table, "manifest/%s", files[i].name), files[i].size, &visitor, err));
    return PAIMON_OK;
}

static inline paimon_status listed_indexes(pmn_arena *arena, paimon_fs *fs, const char *table, const char *name, pmn_index_entry **out, int32_t *n,
                                           paimon_error *err)
{
    *n = 0;
    return name ? pmn_index_manifest_read(arena, fs, pmn_path_joinf(arena, table, "manifest/%s", name), out, n, err) : PAIMON_OK;
}

static inline bool lists_index(const pmn_index_entry *entries, int32_t n, const char *name)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(entries[i].file_name, name) == 0) return true;
    return false;
}

typedef struct replaying {
    paimon_message_list *list;
    const pmn_snapshot *snapshot;
    int64_t next_before; /* row ids from here on were given by the snapshot; PMN_NONE: it gives none */
} replaying;

/* `total` 0: whatever it is. */
static inline paimon_status message_for(replaying *r, pmn_slice partition, int32_t bucket, int32_t total, pmn_message **out, paimon_error *err)
{
    for (size_t i = 0; i < r->list->n; i++) {
        *out = &r->list->items[i];
        if (total && (*out)->total_buckets != total) continue;
        if ((*out)->bucket == bucket && pmn_slice_equal((*out)->partition, partition)) return PAIMON_OK;
    }
    PMN_TRY(pmn_message_list_add(r->list, out, err));
    (*out)->partition = partition;
    (*out)->bucket = bucket;
    (*out)->total_buckets = total;
    (*out)->has_total_buckets = total != 0;
    return PAIMON_OK;
}

static inline paimon_status add_file(replaying *r, pmn_data_files *files, const pmn_data_file *file, paimon_error *err)
{
    pmn_data_file *grown = pmn_arena_calloc(&r->list->arena, (size_t)files->n + 1, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "files");
    if (files->n) memcpy(grown, files->items, (size_t)files->n * sizeof *grown);
    grown[files->n] = *file;
    *files = (pmn_data_files){ grown, files->n + 1 };
    return PAIMON_OK;
}

static inline paimon_status add_index(replaying *r, pmn_index_files *files, const pmn_index_entry *file, paimon_error *err)
{
    pmn_index_entry *grown = pmn_arena_calloc(&r->list->arena, (size_t)files->n + 1, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "index files");
    if (files->n) memcpy(grown, files->items, (size_t)files->n * sizeof *grown);
    grown[files->n] = *file;
    *files = (pmn_index_files){ grown, files->n + 1 };
    return PAIMON_OK;
}

static inline void take_numbers_back(const replaying *r, pmn_data_file *file)
{
    if (r->next_before == PMN_NONE) return;
    if (file->first_row_id >= r->next_before) file->first_row_id = PMN_NONE;
    if (file->max_sequence != r->snapshot->id) return;
    if (file->min_sequence == r->snapshot->id) file->min_sequence = 0;
    file->max_sequence = 0;
}

static inline paimon_status replay_files(replaying *r, const char *table, paimon_fs *fs, bool changelog, paimon_error *err)
{
    entry_list entries;
    bool compacts = r->snapshot->commit_kind == PMN_COMMIT_COMPACT;
    const char *list = changelog ? r->snapshot->changelog_manifest_list : r->snapshot->delta_manifest_list;
    PMN_TRY(listed_entries(&r->list->arena, fs, table, list, &entries, err));
    for (size_t i = 0; i < entries.n; i++) {
        pmn_manifest_entry *entry = &entries.items[i];
        pmn_message *m;
        PMN_TRY(message_for(r, entry->partition, entry->bucket, entry->total_buckets, &m, err));
        bool adds = entry->kind == PMN_FILE_ADD;
        if (adds && !changelog) take_numbers_back(r, &entry->file);
        pmn_data_files *files = changelog  ? (compacts ? &m->compact_changelog : &m->changelog_files)
                                : compacts ? (adds ? &m->compact_after : &m->compact_before)
                                           : (adds ? &m->new_files : &m->deleted_files);
        PMN_TRY(add_file(r, files, &entry->file, err));
    }
    return PAIMON_OK;
}

static inline paimon_status replay_indexes(replaying *r, const char *table, paimon_fs *fs, const char *before, paimon_error *err)
{
    pmn_index_entry *old = NULL, *now = NULL;
    int32_t n_old, n_now;
    bool compacts = r->snapshot->commit_kind == PMN_COMMIT_COMPACT;
    PMN_TRY(listed_indexes(&r->list->arena, fs, table, before, &old, &n_old, err));
    PMN_TRY(listed_indexes(&r->list->arena, fs, table, r->snapshot->index_manifest, &now, &n_now, err));
    for (int32_t i = 0; i < n_old + n_now; i++) {
        bool adds = i >= n_old;
        const pmn_index_entry *entry = adds ? &now[i - n_old] : &old[i];
        pmn_message *m;
        if (adds ? lists_index(old, n_old, entry->file_name) : lists_index(now, n_now, entry->file_name)) continue;
        PMN_TRY(message_for(r, entry->partition, entry->bucket, 0, &m, err));
        pmn_index_files *files = compacts ? (adds ? &m->compact_new_index_files : &m->compact_deleted_index_files)
                                          : (adds ? &m->new_index_files : &m->deleted_index_files);
        PMN_TRY(add_index(r, files, entry, err));
    }
    return PAIMON_OK;
}

/* `before`: the snapshot before; NULL: none. `tracks`: the table has row tracking. Messages without files get the table's bucket option. */
static inline paimon_status replayed_messages(paimon_fs *fs, const char *table, const pmn_snapshot *snapshot, const pmn_snapshot *before, bool tracks,
                                              paimon_message_list *list, paimon_error *err)
{
    replaying r = { list, snapshot, PMN_NONE };
    if (tracks) r.next_before = before && before->next_row_id != PMN_NONE ? before->next_row_id : 0;
    PMN_TRY(replay_files(&r, table, fs, false, err));
    PMN_TRY(replay_files(&r, table, fs, true, err));
    return replay_indexes(&r, table, fs, before ? before->index_manifest : NULL, err);
}

#endif
