/* Removing what messages brought that were never committed. Java: FileStoreCommitImpl.abort.
 *
 * The most dangerous act of a committer: every doubt means that nothing is deleted. A file that the latest snapshot has, or that a
 * snapshot of this user brought, stays; if that cannot be read, all stay. */
#include <string.h>

#include "commit/committer.h"
#include "io/path.h"
#include "meta/bucket_path.h"

typedef struct aborting {
    pmn_committer *c;
    pmn_arena arena;
    pmn_map names; /* of the files that the messages brought */
    const char *found; /* one of them that the table has */
    const char **paths;
    size_t n_paths, capacity;
} aborting;

static paimon_status note_names(aborting *a, pmn_data_files files, paimon_error *err)
{
    uint64_t *ignored;
    for (int32_t i = 0; i < files.n; i++) PMN_TRY(pmn_map_put(&a->names, pmn_slice_text(files.items[i].name), &ignored, NULL, err));
    return PAIMON_OK;
}

static paimon_status find_name(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    aborting *a = ctx;
    if (entry->kind != PMN_FILE_ADD || !pmn_map_find(&a->names, pmn_slice_text(entry->file.name))) return PAIMON_OK;
    a->found = pmn_arena_strdup(&a->arena, entry->file.name);
    return a->found ? PAIMON_CANCELLED : pmn_fail_nomem(err, "a file's name");
}

static paimon_status search_list(aborting *a, const char *name, int64_t size, paimon_error *err)
{
    pmn_committer *c = a->c;
    pmn_manifest_file *files;
    int32_t n;
    if (!name || !*name || a->found) return PAIMON_OK;
    pmn_manifest_visitor visitor = { .ctx = a, .wanted = PMN_ENTRY_NAME, .entry = find_name };
    const char *path = pmn_path_join(&a->arena, c->folder, name);
    if (!path) return pmn_fail_nomem(err, "a path");
    PMN_TRY(pmn_manifest_list_read(&a->arena, c->source->fs, path, size == PMN_NONE ? -1 : size, &files, &n, err));
    for (int32_t i = 0; i < n; i++) {
        path = pmn_path_join(&a->arena, c->folder, files[i].name);
        if (!path) return pmn_fail_nomem(err, "a path");
        paimon_error why = PAIMON_ERROR_INIT;
        paimon_status status = pmn_manifest_read(c->source->mem, c->source->fs, path, files[i].size, &visitor, &why);
        if (status != PAIMON_OK && !a->found) {
            pmn_error_move(err, &why);
            return status;
        }
        paimon_error_clear(&why);
        if (a->found) return PAIMON_OK;
    }
    return PAIMON_OK;
}

/* What this user's snapshots added, and what the latest one has. */
static paimon_status search_table(aborting *a, paimon_error *err)
{
    pmn_committer *c = a->c;
    pmn_snapshot latest;
    int64_t earliest;
    PMN_TRY(c->source->versions->latest(c->source, &a->arena, &latest, err));
    if (latest.id == 0) return PAIMON_OK;
    PMN_TRY(c->source->versions->earliest_id(c->source, &earliest, err));
    PMN_TRY(search_list(a, latest.delta_manifest_list, latest.delta_manifest_list_size, err));
    PMN_TRY(search_list(a, latest.base_manifest_list, latest.base_manifest_list_size, err));
    for (int64_t id = latest.id - 1; id >= earliest && id > 0 && !a->found; id--) {
        pmn_snapshot snapshot;
        paimon_error why = PAIMON_ERROR_INIT;
        paimon_status status = c->source->versions->snapshot(c->source, &a->arena, id, &snapshot, &why);
        if (status == PAIMON_NOT_FOUND) { /* expired meanwhile, with all before it */
            paimon_error_clear(&why);
            break;
        }
        if (status != PAIMON_OK) {
            pmn_error_move(err, &why);
            return status;
        }
        if (!snapshot.commit_user || strcmp(snapshot.commit_user, c->user) != 0) continue;
        PMN_TRY(search_list(a, snapshot.delta_manifest_list, snapshot.delta_manifest_list_size, err));
    }
    return PAIMON_OK;
}

static paimon_status add_path(aborting *a, const char *path, paimon_error *err)
{
    if (a->n_paths == a->capacity) {
        size_t capacity = a->capacity ? a->capacity * 2 : 16;
        const char **grown = pmn_arena_calloc(&a->arena, capacity, sizeof *grown);
        if (!grown) return pmn_fail_nomem(err, "paths");
        if (a->n_paths) memcpy(grown, a->paths, a->n_paths * sizeof *grown);
        a->paths = grown;
        a->capacity = capacity;
    }
    if (!path) return pmn_fail_nomem(err, "a path");
    a->paths[a->n_paths++] = path;
    return PAIMON_OK;
}

/* A name that is also among `spared` is a file that a compaction only moved to another level: it is the table's. */
static paimon_status add_removals(aborting *a, const char *folder, pmn_data_files files, pmn_data_files spared, paimon_error *err)
{
    for (int32_t i = 0; i < files.n; i++) {
        const pmn_data_file *file = &files.items[i];
        bool moved = false;
        for (int32_t k = 0; k < spared.n && !moved; k++) moved = strcmp(spared.items[k].name, file->name) == 0;
        if (moved) continue;
        if (strchr(file->name, '/')) return pmn_fail(err, PAIMON_INVALID, "a commit message names '%s', which cannot be a data file", file->name);
        const char *place = folder;
        if (file->external_path) {
            PMN_TRY(add_path(a, pmn_arena_strdup(&a->arena, file->external_path), err));
            size_t n = (size_t)(pmn_path_name(file->external_path) - file->external_path);
            place = pmn_arena_strndup(&a->arena, file->external_path, n ? n - 1 : 0);
            if (!place) return pmn_fail_nomem(err, "a path");
        } else {
            PMN_TRY(add_path(a, pmn_path_join(&a->arena, folder, file->name), err));
        }
        for (int32_t k = 0; k < file->n_extra_files; k++) {
            if (strchr(file->extra_files[k], '/')) return pmn_fail(err, PAIMON_INVALID, "'%s' cannot be a file of an index", file->extra_files[k]);
            PMN_TRY(add_path(a, pmn_path_join(&a->arena, place, file->extra_files[k]), err));
        }
    }
    return PAIMON_OK;
}

static paimon_status add_index_files(aborting *a, pmn_index_files files, paimon_error *err)
{
    for (int32_t i = 0; i < files.n; i++) {
        const pmn_index_entry *file = &files.items[i];
        if (strchr(file->file_name, '/')) return pmn_fail(err, PAIMON_INVALID, "'%s' cannot be an index file", file->file_name);
        PMN_TRY(add_path(a, file->external_path ? pmn_arena_strdup(&a->arena, file->external_path)
                                                : pmn_path_joinf(&a->arena, a->c->source->path, "index/%s", file->file_name), err));
    }
    return PAIMON_OK;
}

static paimon_status add_message(aborting *a, const pmn_message *message, pmn_buf *buf, paimon_error *err)
{
    const pmn_data_files none = { NULL, 0 };
    PMN_TRY(pmn_bucket_path(a->c->source, message->partition, message->bucket, buf, err));
    const char *folder = pmn_arena_strndup(&a->arena, (const char *)buf->data, buf->size);
    if (!folder) return pmn_fail_nomem(err, "a path");
    PMN_TRY(add_removals(a, folder, message->new_files, none, err));
    PMN_TRY(add_removals(a, folder, message->changelog_files, none, err));
    PMN_TRY(add_removals(a, folder, message->compact_after, message->compact_before, err));
    PMN_TRY(add_removals(a, folder, message->compact_changelog, none, err));
    PMN_TRY(add_index_files(a, message->new_index_files, err));
    return add_index_files(a, message->compact_new_index_files, err);
}

static paimon_status gather(aborting *a, const paimon_message_list *messages, paimon_error *err)
{
    pmn_buf buf;
    paimon_status status = PAIMON_OK;
    pmn_buf_init(&buf, a->c->source->mem, PMN_BUF_NO_CEILING);
    for (size_t i = 0; i < messages->n && status == PAIMON_OK; i++) {
        const pmn_message *message = &messages->items[i];
        status = note_names(a, message->new_files, err);
        if (status == PAIMON_OK) status = add_message(a, message, &buf, err);
    }
    pmn_buf_free(&buf);
    return status;
}

/* Files of compactions are looked for too, except those that were there before. */
static paimon_status note_compacted(aborting *a, const paimon_message_list *messages, paimon_error *err)
{
    for (size_t i = 0; i < messages->n; i++) {
        const pmn_message *message = &messages->items[i];
        for (int32_t f = 0; f < message->compact_after.n; f++) {
            bool moved = false;
            for (int32_t k = 0; k < message->compact_before.n && !moved; k++)
                moved = strcmp(message->compact_before.items[k].name, message->compact_after.items[f].name) == 0;
            uint64_t *ignored;
            if (!moved) PMN_TRY(pmn_map_put(&a->names, pmn_slice_text(message->compact_after.items[f].name), &ignored, NULL, err));
        }
    }
    return PAIMON_OK;
}

paimon_status pmn_commit_abort(pmn_committer *c, const paimon_message_list *messages, paimon_error *err)
{
    aborting a = { .c = c };
    pmn_arena_init(&a.arena, c->source->mem);
    pmn_map_init(&a.names, c->source->mem);
    paimon_status status = gather(&a, messages, err);
    if (status == PAIMON_OK) status = note_compacted(&a, messages, err);
    if (status == PAIMON_OK && a.n_paths) status = search_table(&a, err);
    if (status == PAIMON_OK && a.found)
        status = pmn_fail(err, PAIMON_STATE, "%s: file %s has been committed: nothing is removed", c->source->path, a.found);
    if (status == PAIMON_OK) status = pmn_fs_remove_all(c->source->fs, a.paths, a.n_paths, err);
    pmn_map_free(&a.names);
    pmn_arena_free(&a.arena);
    return status;
}
