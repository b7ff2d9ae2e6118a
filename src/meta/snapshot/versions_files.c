/* Versions as files. Java: RenamingSnapshotCommit, SnapshotManager.
 *
 * The one act that counts is pmn_fs_publish; all before it can be undone, all after it is help for readers. */
#include "meta/snapshot/versions.h"

#include <stdio.h>
#include <string.h>

#include "io/path.h"

#define SNAPSHOT_CEILING ((size_t)64 << 20)

static paimon_status latest_file_id(pmn_source *source, int64_t *id, paimon_error *err)
{
    return pmn_snapshot_latest_id(source->mem, source->fs, source->root, id, err);
}

static paimon_status latest_file(pmn_source *source, pmn_arena *arena, pmn_snapshot *out, paimon_error *err)
{
    int64_t id = 0;
    memset(out, 0, sizeof *out);
    PMN_TRY(latest_file_id(source, &id, err));
    return id ? pmn_snapshot_load(arena, source->fs, source->root, id, out, err) : PAIMON_OK;
}

static paimon_status snapshot_file(pmn_source *source, pmn_arena *arena, int64_t id, pmn_snapshot *out, paimon_error *err)
{
    return pmn_snapshot_load(arena, source->fs, source->root, id, out, err);
}

static paimon_status snapshot_file_text(pmn_source *source, int64_t id, pmn_buf *json, paimon_error *err)
{
    pmn_arena arena;
    pmn_snapshot checked; /* it must be a snapshot, and if it is gone the error tells which there are */
    pmn_arena_init(&arena, source->mem);
    paimon_status status = pmn_snapshot_load(&arena, source->fs, source->root, id, &checked, err);
    const char *path = pmn_path_joinf(&arena, source->root, "snapshot/snapshot-%lld", (long long)id);
    if (status == PAIMON_OK && !path) status = pmn_fail_nomem(err, "a path");
    if (status == PAIMON_OK) status = pmn_fs_read_all(source->mem, source->fs, path, SNAPSHOT_CEILING, json, err);
    pmn_arena_free(&arena);
    return status;
}

static paimon_status earliest_file(pmn_source *source, int64_t *id, paimon_error *err)
{
    return pmn_snapshot_earliest_id(source->mem, source->fs, source->root, id, err);
}

static paimon_status list_files(pmn_source *source, pmn_arena *arena, int64_t **ids, int32_t *n, paimon_error *err)
{
    return pmn_snapshot_list(arena, source->fs, source->root, ids, n, err);
}

static paimon_status latest_schema_file_id(pmn_source *source, int64_t *id, paimon_error *err)
{
    paimon_status status = pmn_schema_latest_id(source->mem, source->fs, source->root, id, err);
    if (status != PAIMON_NOT_FOUND) return status;
    if (strcmp(source->branch, "main") != 0)
        return pmn_fail(err, PAIMON_NOT_FOUND, "%s: no branch '%s' (no schema in %s/schema)", source->path, source->branch, source->root);
    return pmn_fail(err, PAIMON_NOT_FOUND, "%s: not a Paimon table (no schema in %s/schema)", source->path, source->root);
}

static paimon_status schema_file(pmn_source *source, int64_t id, pmn_table_schema **out, paimon_error *err)
{
    return pmn_schema_load(source->mem, source->fs, source->root, id, out, err);
}

static paimon_status latest_schema_file(pmn_source *source, pmn_table_schema **out, paimon_error *err)
{
    int64_t id = 0;
    PMN_TRY(latest_schema_file_id(source, &id, err));
    return schema_file(source, id, out, err);
}

/* LATEST says `id`, or a later one: whoever wrote the hint last looks whether somebody published meanwhile, so that in the end it
 * is right. Readers look beyond it anyway; a failure is not one of the commit. */
static void leave_hint(pmn_source *source, pmn_arena *arena, int64_t id)
{
    const char *path = pmn_path_joinf(arena, source->root, "snapshot/LATEST");
    for (;;) {
        char text[24];
        bool next = false;
        const char *after = pmn_path_joinf(arena, source->root, "snapshot/snapshot-%lld", (long long)(id + 1));
        int n = snprintf(text, sizeof text, "%lld", (long long)id);
        if (!path || !after || pmn_fs_replace(source->fs, path, text, (size_t)n, NULL) != PAIMON_OK) return;
        if (pmn_fs_exists(source->fs, after, &next, NULL, NULL) != PAIMON_OK || !next) return;
        id++;
    }
}

/* What is under the name now? */
static pmn_published read_back(pmn_source *source, const char *path, const pmn_buf *mine)
{
    pmn_buf theirs;
    pmn_buf_init(&theirs, source->mem, SNAPSHOT_CEILING);
    paimon_status status = pmn_fs_read_all(source->mem, source->fs, path, SNAPSHOT_CEILING, &theirs, NULL);
    pmn_published answer = PMN_PUBLISH_UNCLEAR; /* absent too: an answer that was lost may still be under way */
    if (status == PAIMON_OK) {
        bool same = theirs.size == mine->size && memcmp(theirs.data, mine->data, mine->size) == 0;
        answer = same ? PMN_PUBLISHED : PMN_PUBLISH_LOST;
    }
    pmn_buf_free(&theirs);
    return answer;
}

/* After a failure: is it sure that the file is not there? */
static bool surely_absent(pmn_source *source, const char *path)
{
    bool exists = true;
    return pmn_fs_exists(source->fs, path, &exists, NULL, NULL) == PAIMON_OK && !exists;
}

static paimon_status publish_file(pmn_source *source, const pmn_publication *publication, pmn_published *outcome, paimon_error *err)
{
    const pmn_snapshot *snapshot = publication->snapshot;
    pmn_arena arena;
    pmn_buf json;
    pmn_arena_init(&arena, source->mem);
    pmn_buf_init(&json, source->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_snapshot_print(snapshot, &json, err);
    const char *path = pmn_path_joinf(&arena, source->root, "snapshot/snapshot-%lld", (long long)snapshot->id);
    if (status == PAIMON_OK && !path) status = pmn_fail_nomem(err, "a path");
    if (status == PAIMON_OK) {
        paimon_publish_result result;
        paimon_error why = PAIMON_ERROR_INIT;
        status = pmn_fs_publish(source->fs, path, json.data, json.size, &result, &why);
        if (status == PAIMON_OK && result == PAIMON_PUBLISH_CREATED) {
            *outcome = PMN_PUBLISHED;
        } else if (status != PAIMON_OK && surely_absent(source, path)) {
            pmn_error_move(err, &why);
        } else {
            *outcome = read_back(source, path, &json);
            paimon_error_clear(&why);
            status = PAIMON_OK;
        }
        if (status == PAIMON_OK && *outcome == PMN_PUBLISHED) leave_hint(source, &arena, snapshot->id);
    }
    pmn_buf_free(&json);
    pmn_arena_free(&arena);
    return status;
}

const pmn_versions pmn_versions_of_files = {
    .latest = latest_file,
    .latest_id = latest_file_id,
    .snapshot = snapshot_file,
    .snapshot_text = snapshot_file_text,
    .earliest_id = earliest_file,
    .ids = list_files,
    .latest_schema = latest_schema_file,
    .latest_schema_id = latest_schema_file_id,
    .schema = schema_file,
    .publish = publish_file,
};
