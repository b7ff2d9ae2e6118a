/* Tables as the user sees them: opening, and questions about schema, options and snapshots. */
#include "table/table.h"

#include <string.h>

#include "io/env.h"
#include "meta/snapshot/versions.h"
#include "scan/open.h"

#define MAX_SNAPSHOT_BYTES (64 << 20)

static paimon_status open_table(const char *name, paimon_env *env, const char *path, const paimon_table_open_options *how, paimon_table **table,
                                paimon_error *err)
{
    if (!path || !*path || !table || (how->n_options > 0 && !how->options))
        return pmn_fail(err, PAIMON_INVALID, "%s: %s is missing", name, !path || !*path ? "the path" : !table ? "table" : "options");
    *table = NULL;
    env = pmn_env_or_default(env);
    paimon_table *t = pmn_calloc(env->mem, 1, sizeof *t);
    if (!t) return pmn_fail_nomem(err, "a table");
    atomic_init(&t->refs, 1);
    paimon_status status = pmn_source_open(env, path, how, &t->source, err);
    if (status != PAIMON_OK) pmn_free(env->mem, t, sizeof *t);
    else *table = t;
    return status;
}

paimon_status paimon_table_open(paimon_env *env, const char *path, const paimon_option *options, size_t n_options, paimon_table **table,
                                paimon_error *err)
{
    paimon_table_open_options how = PAIMON_TABLE_OPEN_OPTIONS_INIT;
    how.options = options;
    how.n_options = n_options;
    return open_table("paimon_table_open", env, path, &how, table, err);
}

paimon_status paimon_table_open_with(paimon_env *env, const char *path, const paimon_table_open_options *how, paimon_table **table, paimon_error *err)
{
    paimon_table_open_options none = PAIMON_TABLE_OPEN_OPTIONS_INIT;
    if (how && how->struct_size < sizeof *how)
        return pmn_fail(err, PAIMON_INVALID, "table options of %zu bytes: start from PAIMON_TABLE_OPEN_OPTIONS_INIT", how->struct_size);
    return open_table("paimon_table_open_with", env, path, how ? how : &none, table, err);
}

paimon_table *paimon_table_retain(paimon_table *table)
{
    if (table) atomic_fetch_add_explicit(&table->refs, 1, memory_order_relaxed);
    return table;
}

void paimon_table_free(paimon_table *table)
{
    if (!table || atomic_fetch_sub_explicit(&table->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_source *source = table->source;
    pmn_free(source->mem, table, sizeof *table);
    pmn_source_release(source);
}

const char *paimon_table_path(const paimon_table *table) { return table ? table->source->path : NULL; }
const char *paimon_table_branch(const paimon_table *table) { return table ? table->source->branch : NULL; }
int64_t paimon_table_schema_id(const paimon_table *table) { return table ? table->source->schema->id : 0; }
const char *paimon_table_comment(const paimon_table *table) { return table ? table->source->schema->comment : NULL; }
size_t paimon_table_n_partition_keys(const paimon_table *table) { return table ? (size_t)table->source->schema->n_partition_keys : 0; }
size_t paimon_table_n_primary_keys(const paimon_table *table) { return table ? (size_t)table->source->schema->n_primary_keys : 0; }
size_t paimon_table_n_columns(const paimon_table *table) { return table ? (size_t)table->source->schema->row->n_fields : 0; }

const char *paimon_table_partition_key(const paimon_table *table, size_t i)
{
    return i < paimon_table_n_partition_keys(table) ? table->source->schema->partition_keys[i] : NULL;
}

const char *paimon_table_primary_key(const paimon_table *table, size_t i)
{
    return i < paimon_table_n_primary_keys(table) ? table->source->schema->primary_keys[i] : NULL;
}

const char *paimon_table_column(const paimon_table *table, size_t i)
{
    return i < paimon_table_n_columns(table) ? table->source->schema->row->fields[i].name : NULL;
}

paimon_status paimon_table_column_type(const paimon_table *table, size_t i, char **text, paimon_error *err)
{
    if (!table || !text) return pmn_fail(err, PAIMON_INVALID, "paimon_table_column_type: table or text is NULL");
    *text = NULL;
    if (i >= paimon_table_n_columns(table)) return pmn_fail(err, PAIMON_NOT_FOUND, "there is no column number %zu", i);
    pmn_buf buf;
    pmn_buf_init(&buf, table->source->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_type_print(table->source->schema->row->fields[i].type, &buf, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_text(&buf, "a type's text", text, err);
    pmn_buf_free(&buf);
    return status;
}

const char *paimon_table_option(const paimon_table *table, const char *key)
{
    return table && key ? pmn_options_get(&table->source->options, key) : NULL;
}

paimon_status paimon_table_arrow_schema(const paimon_table *table, struct ArrowSchema *out, paimon_error *err)
{
    if (!table || !out) return pmn_fail(err, PAIMON_INVALID, "paimon_table_arrow_schema: table or out is NULL");
    out->release = NULL;
    return pmn_row_to_arrow(table->source->mem, table->source->schema->row, out, err);
}

paimon_status paimon_table_schema_json(const paimon_table *table, char **json, paimon_error *err)
{
    if (!table || !json) return pmn_fail(err, PAIMON_INVALID, "paimon_table_schema_json: table or json is NULL");
    *json = NULL;
    pmn_buf buf;
    pmn_buf_init(&buf, table->source->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_table_schema_print(table->source->schema, &buf, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_text(&buf, "a schema's JSON", json, err);
    pmn_buf_free(&buf);
    return status;
}

/* --- snapshots --- */

paimon_status paimon_table_latest_snapshot_id(const paimon_table *table, int64_t *id, paimon_error *err)
{
    if (!table || !id) return pmn_fail(err, PAIMON_INVALID, "paimon_table_latest_snapshot_id: table or id is NULL");
    return table->source->versions->latest_id(table->source, id, err);
}

paimon_status paimon_table_earliest_snapshot_id(const paimon_table *table, int64_t *id, paimon_error *err)
{
    if (!table || !id) return pmn_fail(err, PAIMON_INVALID, "paimon_table_earliest_snapshot_id: table or id is NULL");
    return table->source->versions->earliest_id(table->source, id, err);
}

paimon_status paimon_table_snapshot_json(const paimon_table *table, int64_t id, char **json, paimon_error *err)
{
    if (!table || !json) return pmn_fail(err, PAIMON_INVALID, "paimon_table_snapshot_json: table or json is NULL");
    *json = NULL;
    pmn_buf text;
    pmn_source *source = table->source;
    pmn_buf_init(&text, source->mem, MAX_SNAPSHOT_BYTES);
    paimon_status status = source->versions->snapshot_text(source, id, &text, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_text(&text, "a snapshot's JSON", json, err);
    pmn_buf_free(&text);
    return status;
}

paimon_status paimon_table_snapshot_ids(const paimon_table *table, int64_t **ids, size_t *n, paimon_error *err)
{
    if (!table || !ids || !n) return pmn_fail(err, PAIMON_INVALID, "paimon_table_snapshot_ids: table, ids or n is NULL");
    *ids = NULL;
    *n = 0;
    pmn_source *source = table->source;
    pmn_arena arena;
    pmn_arena_init(&arena, source->mem);
    int64_t *found = NULL;
    int32_t count = 0;
    paimon_status status = source->versions->ids(source, &arena, &found, &count, err);
    if (status == PAIMON_OK) {
        *ids = pmn_handout_new(source->mem, ((size_t)count + 1) * sizeof **ids);
        if (!*ids) status = pmn_fail_nomem(err, "snapshot ids");
    }
    if (status == PAIMON_OK) {
        if (count > 0) memcpy(*ids, found, (size_t)count * sizeof **ids);
        *n = (size_t)count;
    }
    pmn_arena_free(&arena);
    return status;
}

void paimon_int64_free(int64_t *values, size_t n)
{
    (void)n;
    pmn_handout_free(values);
}
