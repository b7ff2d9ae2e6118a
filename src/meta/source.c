#include "meta/source.h"

#include "meta/versions.h"

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
    pmn_free(source->mem, source->schemas, (size_t)source->schemas_capacity * sizeof *source->schemas);
    pmn_table_schema_release(source->schema);
    pmn_arena_free(&source->arena);
    paimon_versions_free(source->owner);
    paimon_fs_free(source->fs);
    pthread_mutex_destroy(&source->lock);
    paimon_env *env = source->env;
    pmn_free(source->mem, source, sizeof *source);
    paimon_env_free(env);
}

/* With the lock held. */
static paimon_status remember_schema(pmn_source *source, pmn_table_schema *schema, paimon_error *err)
{
    if (source->n_schemas == source->schemas_capacity) {
        size_t old = (size_t)source->schemas_capacity, more = old ? old * 2 : 4;
        void *grown = pmn_realloc(source->mem, source->schemas, old * sizeof *source->schemas, more * sizeof *source->schemas);
        if (!grown) return pmn_fail_nomem(err, "the schemas of a table");
        source->schemas = grown;
        source->schemas_capacity = (int32_t)more;
    }
    source->schemas[source->n_schemas++] = schema;
    return PAIMON_OK;
}

paimon_status pmn_source_schema(pmn_source *source, int64_t id, const pmn_table_schema **out, paimon_error *err)
{
    if (id == source->schema->id) {
        *out = source->schema;
        return PAIMON_OK;
    }
    paimon_status status = PAIMON_OK;
    pmn_table_schema *found = NULL;
    pthread_mutex_lock(&source->lock);
    for (int32_t i = 0; i < source->n_schemas && !found; i++)
        if (source->schemas[i]->id == id) found = source->schemas[i];
    if (!found) {
        status = source->versions->schema(source, id, &found, err);
        if (status == PAIMON_OK) status = remember_schema(source, found, err);
        if (status != PAIMON_OK) {
            pmn_table_schema_release(found);
            found = NULL;
        }
    }
    pthread_mutex_unlock(&source->lock);
    *out = found;
    return status;
}
