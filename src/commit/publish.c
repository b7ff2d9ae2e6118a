/* Snapshots as files. Java: RenamingSnapshotCommit, SnapshotManager.
 *
 * The one act that counts is pmn_fs_publish; all before it can be undone, all after it is help for readers. */
#include "commit/publish.h"

#include <stdio.h>
#include <string.h>

#include "io/path.h"

#define SNAPSHOT_CEILING ((size_t)64 << 20)

static paimon_status latest_file(void *ctx, pmn_arena *arena, pmn_snapshot *out, paimon_error *err)
{
    pmn_source *source = ctx;
    int64_t id = 0;
    memset(out, 0, sizeof *out);
    PMN_TRY(pmn_snapshot_latest_id(source->mem, source->fs, source->root, &id, err));
    return id ? pmn_snapshot_load(arena, source->fs, source->root, id, out, err) : PAIMON_OK;
}

static paimon_status snapshot_file(void *ctx, pmn_arena *arena, int64_t id, pmn_snapshot *out, paimon_error *err)
{
    pmn_source *source = ctx;
    return pmn_snapshot_load(arena, source->fs, source->root, id, out, err);
}

static paimon_status earliest_file(void *ctx, int64_t *id, paimon_error *err)
{
    pmn_source *source = ctx;
    return pmn_snapshot_earliest_id(source->mem, source->fs, source->root, id, err);
}

static paimon_status latest_schema(void *ctx, int64_t *id, paimon_error *err)
{
    pmn_source *source = ctx;
    return pmn_schema_latest_id(source->mem, source->fs, source->root, id, err);
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

static paimon_status publish_file(void *ctx, const pmn_snapshot *snapshot, pmn_published *outcome, paimon_error *err)
{
    pmn_source *source = ctx;
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

pmn_publisher pmn_publisher_of_files(pmn_source *source)
{
    return (pmn_publisher){ source, latest_file, snapshot_file, earliest_file, latest_schema, publish_file };
}
