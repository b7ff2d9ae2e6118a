#include "catalog/make_table.h"

#include <string.h>

#include "io/path.h"
#include "meta/schema/schema_create.h"
#include "meta/snapshot/snapshot.h"

#define SCHEMA_TEXT_MAX ((size_t)64 << 20)
#define CHANGE_ATTEMPTS 100

/* When the answer of a publish was lost, the file tells: it holds our bytes, or another's, or is not there. */
static paimon_status resolve_publish(pmn_mem *mem, paimon_fs *fs, const char *path, const pmn_buf *text, paimon_publish_result *result, paimon_error *err)
{
    if (*result != PAIMON_PUBLISH_UNKNOWN) return PAIMON_OK;
    bool exists = false;
    pmn_buf found;
    PMN_TRY(pmn_fs_exists(fs, path, &exists, NULL, err));
    if (!exists) return pmn_fail(err, PAIMON_IO, "%s: unknown whether it was published; it is not there now", path);
    pmn_buf_init(&found, mem, SCHEMA_TEXT_MAX);
    paimon_status status = pmn_fs_read_all(mem, fs, path, SCHEMA_TEXT_MAX, &found, err);
    bool ours = status == PAIMON_OK && found.size == text->size && memcmp(found.data, text->data, text->size) == 0;
    *result = ours ? PAIMON_PUBLISH_CREATED : PAIMON_PUBLISH_EXISTS;
    pmn_buf_free(&found);
    return status;
}

/* `*taken`: somebody else has this id. */
static paimon_status publish_schema(pmn_mem *mem, paimon_fs *fs, const char *root, int64_t id, const pmn_buf *text, bool *taken, paimon_error *err)
{
    pmn_arena arena;
    paimon_publish_result result = PAIMON_PUBLISH_UNKNOWN;
    pmn_arena_init(&arena, mem);
    const char *path = pmn_path_joinf(&arena, root, "schema/schema-%lld", (long long)id);
    paimon_status status = path ? pmn_fs_publish(fs, path, text->data, text->size, &result, err) : pmn_fail_nomem(err, "a path");
    if (status == PAIMON_OK) status = resolve_publish(mem, fs, path, text, &result, err);
    *taken = result == PAIMON_PUBLISH_EXISTS;
    pmn_arena_free(&arena);
    return status;
}

/* Is there a schema? Not found is an answer here. */
static paimon_status find_schema(pmn_mem *mem, paimon_fs *fs, const char *root, bool *exists, int64_t *id, paimon_error *err)
{
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = pmn_schema_latest_id(mem, fs, root, id, &why);
    *exists = status == PAIMON_OK;
    if (status == PAIMON_OK || status == PAIMON_NOT_FOUND) {
        paimon_error_clear(&why);
        return PAIMON_OK;
    }
    pmn_error_move(err, &why);
    return status;
}

paimon_status pmn_table_make(paimon_env *env, paimon_fs *fs, const char *path, const paimon_table_definition *definition, paimon_error *err)
{
    bool exists = false, taken = false;
    int64_t id;
    pmn_buf text;
    if (!definition || definition->struct_size < sizeof *definition)
        return pmn_fail(err, PAIMON_INVALID, "%s: the table's definition is NULL or has no struct_size", path);
    pmn_buf_init(&text, env->mem, SCHEMA_TEXT_MAX);
    paimon_status status = pmn_schema_define(env->mem, definition, &text, err);
    if (status != PAIMON_OK) pmn_error_prefix(err, "%s", path);
    if (status == PAIMON_OK) status = find_schema(env->mem, fs, path, &exists, &id, err);
    if (status == PAIMON_OK && !exists) status = pmn_snapshot_latest_id(env->mem, fs, path, &id, err);
    if (status == PAIMON_OK && !exists && id > 0)
        status = pmn_fail(err, PAIMON_STATE, "%s: there are snapshots of a table that is gone, which a new one would take for its own: remove them", path);
    if (status == PAIMON_OK && !exists) status = publish_schema(env->mem, fs, path, 0, &text, &taken, err);
    if (status == PAIMON_OK && (exists || taken)) status = pmn_fail(err, PAIMON_ALREADY_EXISTS, "%s: there is a table already", path);
    pmn_buf_free(&text);
    return status;
}

static paimon_status try_change(paimon_env *env, paimon_fs *fs, const char *root, const paimon_option *changes, size_t n, bool *again, paimon_error *err)
{
    int64_t id = 0, snapshot = 0;
    bool changed = false;
    pmn_table_schema *old = NULL;
    pmn_buf text;
    pmn_buf_init(&text, env->mem, SCHEMA_TEXT_MAX);
    *again = false;
    paimon_status status;
    PMN_GOTO(status, pmn_schema_latest_id(env->mem, fs, root, &id, err), done);
    PMN_GOTO(status, pmn_schema_load(env->mem, fs, root, id, &old, err), done);
    PMN_GOTO(status, pmn_snapshot_latest_id(env->mem, fs, root, &snapshot, err), done);
    status = pmn_schema_change_options(env->mem, old, snapshot > 0, changes, n, &changed, &text, err);
    if (status != PAIMON_OK) pmn_error_prefix(err, "%s", root);
    if (status == PAIMON_OK && changed) status = publish_schema(env->mem, fs, root, id + 1, &text, again, err);
done:
    pmn_table_schema_release(old);
    pmn_buf_free(&text);
    return status;
}

/* A lost race means another schema is the latest now: the changes are made again on top of it. */
paimon_status pmn_table_change_options(paimon_env *env, paimon_fs *fs, const char *root, const paimon_option *changes, size_t n, paimon_error *err)
{
    for (int attempt = 0; attempt < CHANGE_ATTEMPTS; attempt++) {
        bool again;
        PMN_TRY(try_change(env, fs, root, changes, n, &again, err));
        if (!again) return PAIMON_OK;
    }
    return pmn_fail(err, PAIMON_CONFLICT, "%s: other writers changed the schema %d times meanwhile", root, CHANGE_ATTEMPTS);
}

#undef SCHEMA_TEXT_MAX
#undef CHANGE_ATTEMPTS
