#include "meta/source.h"

#include <string.h>

#include "meta/snapshot/versions.h"

paimon_status pmn_source_new(paimon_env *env, pmn_source **out, paimon_error *err)
{
    pmn_source *source = pmn_calloc(env->mem, 1, sizeof *source);
    if (!source) return pmn_fail_nomem(err, "a table");
    atomic_init(&source->refs, 1);
    source->env = paimon_env_retain(env);
    source->mem = env->mem;
    source->versions = &pmn_versions_of_files;
    pmn_arena_init(&source->arena, source->mem);
    pthread_mutex_init(&source->lock, NULL);
    *out = source;
    return PAIMON_OK;
}

pmn_source *pmn_source_retain(pmn_source *source)
{
    if (source) atomic_fetch_add_explicit(&source->refs, 1, memory_order_relaxed);
    return source;
}

void pmn_source_release(pmn_source *source)
{
    if (!source || atomic_fetch_sub_explicit(&source->refs, 1, memory_order_acq_rel) != 1) return;
    for (int32_t i = 0; i < source->n_schemas; i++) pmn_table_schema_release(source->schemas[i]);
    pmn_free(source->mem, source->schemas, source->schemas_capacity * sizeof *source->schemas);
    pmn_table_schema_release(source->schema);
    pmn_arena_free(&source->arena);
    paimon_versions_free(source->owner);
    paimon_fs_free(source->fs);
    pmn_source_release(source->origin);
    pthread_mutex_destroy(&source->lock);
    paimon_env *env = source->env;
    pmn_free(source->mem, source, sizeof *source);
    paimon_env_free(env);
}

/* --- pinning --- */

/* Is what the file of the schema says, seen through `fs`, what the table was opened with? */
static paimon_status check_same_table(const pmn_source *source, paimon_fs *fs, paimon_error *err)
{
    pmn_table_schema *now = NULL;
    pmn_buf a, b;
    PMN_TRY(pmn_schema_load(source->mem, fs, source->root, source->schema->id, &now, err));
    pmn_buf_init(&a, source->mem, PMN_BUF_NO_CEILING);
    pmn_buf_init(&b, source->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_table_schema_print(source->schema, &a, err);
    if (status == PAIMON_OK) status = pmn_table_schema_print(now, &b, err);
    if (status == PAIMON_OK && (a.size != b.size || memcmp(a.data, b.data, a.size) != 0))
        status = pmn_fail(err, PAIMON_CONFLICT, "%s: another table has this name by now: open it again", source->path);
    pmn_buf_free(&a);
    pmn_buf_free(&b);
    pmn_table_schema_release(now);
    return status;
}

static paimon_status pin_fs(pmn_source *source, paimon_fs **out, paimon_error *err)
{
    bool by_files = source->versions == &pmn_versions_of_files && !source->schema_given;
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = pmn_fs_pin(source->mem, source->fs, source->path, out, &why);
    if (status == PAIMON_NOT_FOUND && !by_files) {
        paimon_error_clear(&why);
        *out = paimon_fs_retain(source->fs);
        return PAIMON_OK;
    }
    if (status != PAIMON_OK) {
        pmn_error_move(err, &why);
        return status;
    }
    if (!by_files) return PAIMON_OK;
    status = check_same_table(source, *out, err);
    if (status != PAIMON_OK) paimon_fs_free(*out);
    return status;
}

paimon_status pmn_source_pin(pmn_source *source, pmn_source **out, paimon_error *err)
{
    pmn_source *pinned = NULL;
    paimon_fs *fs = NULL;
    PMN_TRY(pin_fs(source, &fs, err));
    if (fs == source->fs) {
        paimon_fs_free(fs);
        *out = pmn_source_retain(source);
        return PAIMON_OK;
    }
    paimon_status status = pmn_source_new(source->env, &pinned, err);
    if (status != PAIMON_OK) {
        paimon_fs_free(fs);
        return status;
    }
    pinned->origin = pmn_source_retain(source);
    pinned->fs = fs;
    pinned->versions = source->versions;
    pinned->owner = paimon_versions_retain(source->owner);
    pinned->path = source->path;
    pinned->root = source->root;
    pinned->branch = source->branch;
    pinned->table_id = source->table_id;
    pinned->table_name = source->table_name;
    pinned->schema = pmn_table_schema_retain(source->schema);
    pinned->options = source->options;
    pinned->schema_given = source->schema_given;
    pinned->travel = source->travel;
    *out = pinned;
    return PAIMON_OK;
}

/* --- schemas --- */

/* With the lock held. */
static paimon_status remember_schema(pmn_source *source, pmn_table_schema *schema, paimon_error *err)
{
    void *grown = pmn_grow(source->mem, source->schemas, (size_t)source->n_schemas, 1, &source->schemas_capacity, sizeof *source->schemas);
    if (!grown) return pmn_fail_nomem(err, "the schemas of a table");
    source->schemas = grown;
    source->schemas[source->n_schemas++] = schema;
    return PAIMON_OK;
}

/* With the lock held. */
static pmn_table_schema *find_schema(const pmn_source *source, int64_t id)
{
    for (int32_t i = 0; i < source->n_schemas; i++)
        if (source->schemas[i]->id == id) return source->schemas[i];
    return NULL;
}

/* Loaded without the lock: a catalog's answer may take its time. Who comes second throws his own away. */
paimon_status pmn_source_schema(pmn_source *source, int64_t id, const pmn_table_schema **out, paimon_error *err)
{
    if (id == source->schema->id) {
        *out = source->schema;
        return PAIMON_OK;
    }
    pthread_mutex_lock(&source->lock);
    pmn_table_schema *found = find_schema(source, id), *loaded = NULL;
    pthread_mutex_unlock(&source->lock);
    *out = found;
    if (found) return PAIMON_OK;
    PMN_TRY(source->versions->schema(source, id, &loaded, err));
    pthread_mutex_lock(&source->lock);
    found = find_schema(source, id);
    paimon_status status = found ? PAIMON_OK : remember_schema(source, loaded, err);
    pthread_mutex_unlock(&source->lock);
    if (found || status != PAIMON_OK) pmn_table_schema_release(loaded);
    *out = found ? found : status == PAIMON_OK ? loaded : NULL;
    return status;
}
