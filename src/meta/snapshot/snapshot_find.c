/* Which snapshot files there are: hints, listings, tags, branches. Java: SnapshotManager, HintFileUtils.
 *
 * A hint is a help, never the truth: LATEST is believed if the snapshot after it does not exist and, beyond Java, the hinted one
 * does; EARLIEST if the hinted one does. Otherwise the folder is listed. */
#include <string.h>

#include "io/path.h"
#include "meta/snapshot/listing.h"
#include "meta/snapshot/snapshot.h"

static paimon_status snapshot_path(pmn_arena *arena, const char *root, int64_t id, const char **out, paimon_error *err)
{
    *out = pmn_path_joinf(arena, root, "snapshot/snapshot-%lld", (long long)id);
    return *out ? PAIMON_OK : pmn_fail_nomem(err, "a path");
}

static paimon_status snapshot_exists(pmn_arena *arena, paimon_fs *fs, const char *root, int64_t id, bool *exists, paimon_error *err)
{
    const char *path;
    PMN_TRY(snapshot_path(arena, root, id, &path, err));
    return pmn_fs_exists(fs, path, exists, NULL, err);
}

/* The id in a hint file; 0 if it is absent or says nothing sensible. Only memory can fail. */
static paimon_status read_hint(pmn_arena *arena, paimon_fs *fs, const char *root, const char *name, int64_t *id, paimon_error *err)
{
    *id = 0;
    const char *path = pmn_path_joinf(arena, root, "snapshot/%s", name);
    if (!path) return pmn_fail_nomem(err, "a path");
    pmn_buf text;
    pmn_buf_init(&text, arena->mem, 4096);
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = pmn_fs_read_all(arena->mem, fs, path, 4096, &text, &why);
    if (status == PAIMON_OK) {
        size_t from = 0, to = text.size;
        while (from < to && strchr(" \t\r\n", text.data[from]) && text.data[from]) from++;
        while (to > from && strchr(" \t\r\n", text.data[to - 1]) && text.data[to - 1]) to--;
        if (!pmn_parse_id((const char *)text.data + from, to - from, id)) *id = 0;
    }
    pmn_buf_free(&text);
    if (status == PAIMON_NOMEM) {
        pmn_error_move(err, &why);
        return status;
    }
    paimon_error_clear(&why);
    return PAIMON_OK;
}

static paimon_status list_bound(pmn_arena *arena, paimon_fs *fs, const char *root, bool latest, int64_t *id, paimon_error *err)
{
    int64_t *ids;
    int32_t n;
    PMN_TRY(pmn_snapshot_list(arena, fs, root, &ids, &n, err));
    *id = n == 0 ? 0 : latest ? ids[n - 1] : ids[0];
    return PAIMON_OK;
}

static paimon_status resolve_latest(pmn_arena *arena, paimon_fs *fs, const char *root, int64_t *id, paimon_error *err)
{
    bool next = true, there = false;
    PMN_TRY(read_hint(arena, fs, root, "LATEST", id, err));
    if (*id > 0 && *id < INT64_MAX) {
        PMN_TRY(snapshot_exists(arena, fs, root, *id + 1, &next, err));
        if (!next) PMN_TRY(snapshot_exists(arena, fs, root, *id, &there, err));
        if (there) return PAIMON_OK;
    }
    return list_bound(arena, fs, root, true, id, err);
}

static paimon_status resolve_earliest(pmn_arena *arena, paimon_fs *fs, const char *root, int64_t *id, paimon_error *err)
{
    bool there = false;
    PMN_TRY(read_hint(arena, fs, root, "EARLIEST", id, err));
    if (*id > 0) PMN_TRY(snapshot_exists(arena, fs, root, *id, &there, err));
    return there ? PAIMON_OK : list_bound(arena, fs, root, false, id, err);
}

paimon_status pmn_snapshot_latest_id(pmn_mem *mem, paimon_fs *fs, const char *root, int64_t *id, paimon_error *err)
{
    pmn_arena arena;
    pmn_arena_init(&arena, mem);
    paimon_status status = resolve_latest(&arena, fs, root, id, err);
    pmn_arena_free(&arena);
    return status;
}

paimon_status pmn_snapshot_earliest_id(pmn_mem *mem, paimon_fs *fs, const char *root, int64_t *id, paimon_error *err)
{
    pmn_arena arena;
    pmn_arena_init(&arena, mem);
    paimon_status status = resolve_earliest(&arena, fs, root, id, err);
    pmn_arena_free(&arena);
    return status;
}

paimon_status pmn_snapshot_list(pmn_arena *arena, paimon_fs *fs, const char *root, int64_t **ids, int32_t *n, paimon_error *err)
{
    const char *dir = pmn_path_join(arena, root, "snapshot");
    return dir ? pmn_list_ids(arena, fs, dir, "snapshot-", ids, n, err) : pmn_fail_nomem(err, "a path");
}

/* Read and parse one file of snapshot JSON. */
static paimon_status load_file(pmn_arena *arena, paimon_fs *fs, const char *path, pmn_snapshot *out, paimon_error *err)
{
    pmn_buf text;
    pmn_buf_init(&text, arena->mem, PMN_METADATA_TEXT_CEILING);
    paimon_status status = pmn_fs_read_all(arena->mem, fs, path, PMN_METADATA_TEXT_CEILING, &text, err);
    if (status == PAIMON_OK) status = pmn_snapshot_parse(arena, pmn_slice_of(text.data, text.size), path, out, err);
    pmn_buf_free(&text);
    return status;
}

/* Say which snapshots there are in place of the one asked for. */
static paimon_status fail_expired(pmn_arena *arena, paimon_fs *fs, const char *root, int64_t id, paimon_error *err)
{
    int64_t *ids;
    int32_t n;
    PMN_TRY(pmn_snapshot_list(arena, fs, root, &ids, &n, err));
    if (n == 0) return pmn_fail(err, PAIMON_NOT_FOUND, "snapshot %lld of %s: the table has no snapshot", (long long)id, root);
    return pmn_fail(err, PAIMON_NOT_FOUND, "snapshot %lld of %s: there are %lld to %lld (older ones have expired)", (long long)id, root,
                    (long long)ids[0], (long long)ids[n - 1]);
}

paimon_status pmn_snapshot_load(pmn_arena *arena, paimon_fs *fs, const char *root, int64_t id, pmn_snapshot *out, paimon_error *err)
{
    const char *path;
    PMN_TRY(snapshot_path(arena, root, id, &path, err));
    paimon_status status = load_file(arena, fs, path, out, err);
    if (status == PAIMON_NOT_FOUND) return fail_expired(arena, fs, root, id, err);
    if (status == PAIMON_OK && out->id != id) return pmn_fail(err, PAIMON_CORRUPT, "%s: its id is %lld", path, (long long)out->id);
    return status;
}

/* Tags: files of snapshot JSON that outlive the snapshot. Java: TagManager. */

static bool is_tag_name(const char *tag) { return *tag && !strchr(tag, '/'); }

static paimon_status tag_path(pmn_arena *arena, const char *root, const char *tag, const char **out, paimon_error *err)
{
    if (!is_tag_name(tag)) return pmn_fail(err, PAIMON_INVALID, "\"%.100s\" is no name of a tag", tag);
    *out = pmn_path_joinf(arena, root, "tag/tag-%s", tag);
    return *out ? PAIMON_OK : pmn_fail_nomem(err, "a path");
}

paimon_status pmn_tag_load(pmn_arena *arena, paimon_fs *fs, const char *root, const char *tag, pmn_snapshot *out, paimon_error *err)
{
    const char *path;
    PMN_TRY(tag_path(arena, root, tag, &path, err));
    paimon_status status = load_file(arena, fs, path, out, err);
    return status == PAIMON_NOT_FOUND ? pmn_fail(err, PAIMON_NOT_FOUND, "tag \"%.100s\" of %s does not exist", tag, root) : status;
}

paimon_status pmn_tag_exists(paimon_fs *fs, pmn_mem *mem, const char *root, const char *tag, bool *exists, paimon_error *err)
{
    *exists = false;
    if (!is_tag_name(tag)) return PAIMON_OK;
    pmn_arena arena;
    pmn_arena_init(&arena, mem);
    const char *path;
    paimon_status status = tag_path(&arena, root, tag, &path, err);
    if (status == PAIMON_OK) status = pmn_fs_exists(fs, path, exists, NULL, err);
    pmn_arena_free(&arena);
    return status;
}

paimon_status pmn_tag_list(pmn_arena *arena, paimon_fs *fs, const char *root, const char ***names, int32_t *n, paimon_error *err)
{
    const char *dir = pmn_path_join(arena, root, "tag");
    return dir ? pmn_list_names(arena, fs, dir, "tag-", false, names, n, err) : pmn_fail_nomem(err, "a path");
}

paimon_status pmn_branch_list(pmn_arena *arena, paimon_fs *fs, const char *table_root, const char ***names, int32_t *n, paimon_error *err)
{
    const char *dir = pmn_path_join(arena, table_root, "branch");
    return dir ? pmn_list_names(arena, fs, dir, "branch-", true, names, n, err) : pmn_fail_nomem(err, "a path");
}

const char *pmn_branch_root(pmn_arena *arena, const char *table_root, const char *branch)
{
    if (!branch || !*branch || strcmp(branch, "main") == 0) return pmn_arena_strdup(arena, table_root);
    return pmn_path_joinf(arena, table_root, "branch/branch-%s", branch);
}
