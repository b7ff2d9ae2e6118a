/* Removing what messages brought that were never committed. Java: FileStoreCommitImpl.abort.
 *
 * The most dangerous act of a committer: every doubt means that nothing is deleted. A file that a snapshot brought or has stays; if that
 * cannot be read, or the last commit got no answer, all stay. */
#include <string.h>

#include "commit/committer.h"
#include "commit/message_check.h"
#include "io/path.h"
#include "meta/bucket_path.h"

typedef struct aborting {
    pmn_committer *c;
    bool foreign; /* the messages came as bytes: another user may have committed them */
    pmn_arena arena;
    pmn_map names; /* of the files that the messages brought */
    pmn_map written; /* those that were new: a compaction of the same message does not make them the table's */
    pmn_map moved; /* names that a compaction took from one level to another: they are the table's */
    const char *found; /* one of the files that the table has */
    int64_t since_ms;  /* no snapshot of others before this can have brought one of them */
    const char **paths;
    size_t n_paths, capacity;
} aborting;

static paimon_status note_name(aborting *a, const char *name, paimon_error *err)
{
    uint64_t *ignored;
    if (!pmn_is_file_name(name)) return pmn_fail(err, PAIMON_INVALID, "a commit message names '%s', which cannot be a file of a table", name);
    return pmn_map_find(&a->moved, pmn_slice_text(name)) ? PAIMON_OK : pmn_map_put(&a->names, pmn_slice_text(name), &ignored, NULL, err);
}

/* Files tell the local time of their birth, and clocks differ. */
#define BIRTH_SLACK_MS ((int64_t)48 * 3600 * 1000)

static paimon_status note_files(aborting *a, pmn_data_files files, paimon_error *err)
{
    for (int32_t i = 0; i < files.n; i++) {
        int64_t born = files.items[i].creation_time_ms, since = born < INT64_MIN + BIRTH_SLACK_MS ? INT64_MIN : born - BIRTH_SLACK_MS;
        if (since < a->since_ms) a->since_ms = since;
        PMN_TRY(note_name(a, files.items[i].name, err));
    }
    return PAIMON_OK;
}

#undef BIRTH_SLACK_MS

static paimon_status note_indexes(aborting *a, pmn_index_files files, paimon_error *err)
{
    for (int32_t i = 0; i < files.n; i++) PMN_TRY(note_name(a, files.items[i].file_name, err));
    return PAIMON_OK;
}

/* Everything that is looked for in the table before anything is removed. */
static paimon_status note_message(aborting *a, const pmn_message *m, paimon_error *err)
{
    uint64_t *ignored;
    for (int32_t i = 0; i < m->new_files.n; i++)
        if (m->new_files.items[i].name) PMN_TRY(pmn_map_put(&a->written, pmn_slice_text(m->new_files.items[i].name), &ignored, NULL, err));
    for (int32_t i = 0; i < m->compact_before.n; i++) {
        pmn_slice name = pmn_slice_text(m->compact_before.items[i].name);
        if (!pmn_map_find(&a->written, name)) PMN_TRY(pmn_map_put(&a->moved, name, &ignored, NULL, err));
    }
    PMN_TRY(note_files(a, m->new_files, err));
    PMN_TRY(note_files(a, m->changelog_files, err));
    PMN_TRY(note_files(a, m->compact_after, err));
    PMN_TRY(note_files(a, m->compact_changelog, err));
    PMN_TRY(note_indexes(a, m->new_index_files, err));
    return note_indexes(a, m->compact_new_index_files, err);
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

static paimon_status search_indexes(aborting *a, const char *name, paimon_error *err)
{
    pmn_index_entry *entries;
    int32_t n;
    if (!name || !*name || a->found) return PAIMON_OK;
    const char *path = pmn_path_join(&a->arena, a->c->folder, name);
    if (!path) return pmn_fail_nomem(err, "a path");
    PMN_TRY(pmn_index_manifest_read(&a->arena, a->c->source->fs, path, &entries, &n, err));
    for (int32_t i = 0; i < n && !a->found; i++)
        if (pmn_map_find(&a->names, pmn_slice_text(entries[i].file_name))) a->found = entries[i].file_name;
    return PAIMON_OK;
}

/* What a snapshot brought, or, of the latest one and of tags, all that it has. */
static paimon_status search_snapshot(aborting *a, const pmn_snapshot *s, bool all, paimon_error *err)
{
    PMN_TRY(pmn_snapshot_check_lists(s, a->c->source->path, err));
    PMN_TRY(search_list(a, s->delta_manifest_list, s->delta_manifest_list_size, err));
    PMN_TRY(search_list(a, s->changelog_manifest_list, s->changelog_manifest_list_size, err));
    PMN_TRY(search_indexes(a, s->index_manifest, err));
    return all ? search_list(a, s->base_manifest_list, s->base_manifest_list_size, err) : PAIMON_OK;
}

static paimon_status search_tags(aborting *a, paimon_error *err)
{
    const pmn_source *source = a->c->source;
    const char **tags;
    int32_t n;
    PMN_TRY(pmn_tag_list(&a->arena, source->fs, source->root, &tags, &n, err));
    for (int32_t i = 0; i < n && !a->found; i++) {
        pmn_snapshot tag;
        PMN_TRY(pmn_tag_load(&a->arena, source->fs, source->root, tags[i], &tag, err));
        PMN_TRY(search_snapshot(a, &tag, true, err));
    }
    return PAIMON_OK;
}

/* What snapshots added since the files were made, and this user's at any time, and what the latest one has; of messages that came as bytes,
 * what any snapshot or tag has. */
static paimon_status search_table(aborting *a, paimon_error *err)
{
    pmn_committer *c = a->c;
    pmn_snapshot latest;
    int64_t earliest;
    PMN_TRY(c->source->versions->latest(c->source, &a->arena, &latest, err));
    if (latest.id == 0) return PAIMON_OK;
    PMN_TRY(c->source->versions->earliest_id(c->source, &earliest, err));
    PMN_TRY(search_snapshot(a, &latest, true, err));
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
        bool mine = snapshot.commit_user && strcmp(snapshot.commit_user, c->user) == 0;
        if (!a->foreign && !mine && snapshot.time_ms < a->since_ms) continue;
        PMN_TRY(search_snapshot(a, &snapshot, id == earliest, err)); /* what came before the earliest is in its base */
    }
    return a->foreign && !a->found ? search_tags(a, err) : PAIMON_OK;
}

static paimon_status add_path(aborting *a, const char *path, paimon_error *err)
{
    const char **grown = pmn_arena_grow(&a->arena, a->paths, a->n_paths, &a->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "paths");
    a->paths = grown;
    if (!path) return pmn_fail_nomem(err, "a path");
    a->paths[a->n_paths++] = path;
    return PAIMON_OK;
}

/* Is it below one of the `roots`, which commas part? */
static bool is_below(const char *roots, const char *path)
{
    bool inside = false;
    for (const char *root = roots; root && *root && !inside;) {
        size_t n = strcspn(root, ","), k = n;
        while (k > 0 && (root[k - 1] == '/' || root[k - 1] == ' ')) k--;
        size_t blanks = strspn(root, " ");
        if (k > blanks) inside = strncmp(path, root + blanks, k - blanks) == 0 && path[k - blanks] == '/';
        root += n + (root[n] == ',');
    }
    return inside;
}

/* Messages from elsewhere must not make us remove files from elsewhere. */
static paimon_status check_external(const aborting *a, const char *path, const char *name, paimon_error *err)
{
    const pmn_options *options = &a->c->source->options;
    bool inside = is_below(pmn_options_get(options, "data-file.external-paths"), path) ||
                  is_below(pmn_options_get(options, "global-index.external-path"), path);
    if (inside && !strstr(path, "/../") && strcmp(pmn_path_name(path), name) == 0) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "%s: file '%s' of a commit message is not below the table's external paths: nothing is removed",
                    a->c->source->path, path);
}

static paimon_status add_removals(aborting *a, const char *folder, pmn_data_files files, paimon_error *err)
{
    for (int32_t i = 0; i < files.n; i++) {
        const pmn_data_file *file = &files.items[i];
        const char *place = folder;
        if (pmn_map_find(&a->moved, pmn_slice_text(file->name))) continue;
        if (file->external_path) {
            PMN_TRY(check_external(a, file->external_path, file->name, err));
            PMN_TRY(add_path(a, pmn_arena_strdup(&a->arena, file->external_path), err));
            size_t n = (size_t)(pmn_path_name(file->external_path) - file->external_path);
            place = pmn_arena_strndup(&a->arena, file->external_path, n ? n - 1 : 0);
            if (!place) return pmn_fail_nomem(err, "a path");
        } else {
            PMN_TRY(add_path(a, pmn_path_join(&a->arena, folder, file->name), err));
        }
        for (int32_t k = 0; k < file->n_extra_files; k++) {
            if (!pmn_is_file_name(file->extra_files[k])) return pmn_fail(err, PAIMON_INVALID, "'%s' cannot be a file of an index", file->extra_files[k]);
            PMN_TRY(add_path(a, pmn_path_join(&a->arena, place, file->extra_files[k]), err));
        }
    }
    return PAIMON_OK;
}

static paimon_status add_index_files(aborting *a, const pmn_message *message, pmn_index_files files, pmn_buf *buf, paimon_error *err)
{
    for (int32_t i = 0; i < files.n; i++) {
        const pmn_index_entry *file = &files.items[i];
        if (file->external_path) {
            PMN_TRY(check_external(a, file->external_path, file->file_name, err));
            PMN_TRY(add_path(a, pmn_arena_strdup(&a->arena, file->external_path), err));
            continue;
        }
        pmn_index_entry entry = *file;
        entry.partition = message->partition;
        entry.bucket = message->bucket;
        PMN_TRY(pmn_index_path(a->c->source, &entry, buf, err));
        PMN_TRY(add_path(a, pmn_arena_strndup(&a->arena, (const char *)buf->data, buf->size), err));
    }
    return PAIMON_OK;
}

static paimon_status add_message(aborting *a, const pmn_message *message, pmn_buf *buf, paimon_error *err)
{
    PMN_TRY(pmn_bucket_path(a->c->source, message->partition, message->bucket, buf, err));
    const char *folder = pmn_arena_strndup(&a->arena, (const char *)buf->data, buf->size);
    if (!folder) return pmn_fail_nomem(err, "a path");
    PMN_TRY(add_removals(a, folder, message->new_files, err));
    PMN_TRY(add_removals(a, folder, message->changelog_files, err));
    PMN_TRY(add_removals(a, folder, message->compact_after, err));
    PMN_TRY(add_removals(a, folder, message->compact_changelog, err));
    PMN_TRY(add_index_files(a, message, message->new_index_files, buf, err));
    return add_index_files(a, message, message->compact_new_index_files, buf, err);
}

static paimon_status gather(aborting *a, const paimon_message_list *messages, paimon_error *err)
{
    pmn_buf buf;
    paimon_status status = PAIMON_OK;
    pmn_buf_init(&buf, a->c->source->mem, PMN_BUF_NO_CEILING);
    for (size_t i = 0; i < messages->n && status == PAIMON_OK; i++) status = note_message(a, &messages->items[i], err);
    for (size_t i = 0; i < messages->n && status == PAIMON_OK; i++) status = add_message(a, &messages->items[i], &buf, err);
    pmn_buf_free(&buf);
    return status;
}

paimon_status pmn_commit_abort(pmn_committer *c, const paimon_message_list *messages, paimon_error *err)
{
    aborting a = { .c = c, .foreign = messages->foreign, .since_ms = INT64_MAX };
    if (c->unclear) return pmn_fail(err, PAIMON_STATE, "%s: it is unknown whether the last commit was made: nothing is removed", c->source->path);
    pmn_arena_init(&a.arena, c->source->mem);
    pmn_map_init(&a.names, c->source->mem);
    pmn_map_init(&a.moved, c->source->mem);
    pmn_map_init(&a.written, c->source->mem);
    paimon_status status = gather(&a, messages, err);
    if (status == PAIMON_OK && a.n_paths) status = search_table(&a, err);
    if (status == PAIMON_OK && a.found)
        status = pmn_fail(err, PAIMON_STATE, "%s: file %s has been committed: nothing is removed", c->source->path, a.found);
    if (status == PAIMON_OK) status = pmn_fs_remove_all(c->source->fs, a.paths, a.n_paths, err);
    pmn_map_free(&a.names);
    pmn_map_free(&a.moved);
    pmn_map_free(&a.written);
    pmn_arena_free(&a.arena);
    return status;
}
