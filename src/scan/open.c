/* Opening a table: path and branch, latest schema, options, time travel. */
#include "scan/open.h"

#include <string.h>

#include "io/env.h"
#include "io/path.h"
#include "meta/snapshot/versions.h"
#include "scan/choice.h"

static const char branch_suffix[] = "$branch_";

/* "…/t$branch_b" into folder and branch; "…/t$files" is a system table. Only the last component may carry a mark. */
static paimon_status split_path(pmn_arena *arena, const char *path, const char **folder, const char **branch, paimon_error *err)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    char *text = pmn_arena_strndup(arena, path, n);
    if (!text) return pmn_fail_nomem(err, "a table's path");
    *folder = text;
    *branch = NULL;
    const char *name = pmn_path_name(text);
    char *mark = strchr(text + (name - text), '$');
    if (!mark) return PAIMON_OK;
    const char *system = mark + 1;
    if (strncmp(mark, branch_suffix, sizeof branch_suffix - 1) == 0) {
        char *b = mark + sizeof branch_suffix - 1;
        char *second = strchr(b, '$');
        if (!second && *b) {
            *mark = 0;
            *branch = b;
            return PAIMON_OK;
        }
        if (!second) return pmn_fail(err, PAIMON_INVALID, "the branch name behind '%s' is empty", text);
        system = second + 1;
    }
    return pmn_fail(err, PAIMON_UNSUPPORTED, "system table '%s' is not supported yet", system);
}

/* "$branch_b" behind the path and the option `branch` may both name it, but must agree. */
static paimon_status choose_branch(pmn_source *source, const char *from_path, const paimon_option *options, size_t n, paimon_error *err)
{
    const char *from_option = NULL;
    for (size_t i = 0; i < n; i++)
        if (strcmp(options[i].key, "branch") == 0) from_option = options[i].value;
    const char *branch = from_path ? from_path : from_option ? from_option : "main";
    if (from_path && from_option && strcmp(from_path, from_option) != 0)
        return pmn_fail(err, PAIMON_INVALID, "the path asks for branch '%s', the option branch for '%s'", from_path, from_option);
    if (!*branch || strchr(branch, '/') || strcmp(branch, "..") == 0)
        return pmn_fail(err, PAIMON_INVALID, "'%s' cannot be the name of a branch", branch);
    source->branch = pmn_arena_strdup(&source->arena, branch);
    if (!source->branch) return pmn_fail_nomem(err, "a branch's name");
    source->root = pmn_branch_root(&source->arena, source->path, source->branch);
    return source->root ? PAIMON_OK : pmn_fail_nomem(err, "a branch's path");
}

static paimon_status merge_options(pmn_source *source, const paimon_option *dynamic, size_t n, paimon_error *err)
{
    const pmn_options *own = &source->schema->options;
    pmn_options_init(&source->options, &source->arena);
    for (int32_t i = 0; i < own->n; i++) PMN_TRY(pmn_options_set(&source->options, own->items[i].key, own->items[i].value, err));
    for (size_t i = 0; i < n; i++) PMN_TRY(pmn_options_set(&source->options, dynamic[i].key, dynamic[i].value, err));
    return PAIMON_OK;
}

/* A time-travel read shows the columns of its snapshot, with today's options. */
static paimon_status travel_in_time(pmn_source *source, paimon_error *err)
{
    pmn_choice choice;
    /* What only planning refuses (an incremental read, say) must not keep the table from being looked at. */
    paimon_error ignored = PAIMON_ERROR_INIT;
    paimon_status status = pmn_choice_of(source->mem, source->fs, source->root, &source->options, &choice, &ignored);
    if (status == PAIMON_UNSUPPORTED) {
        paimon_error_clear(&ignored);
        return PAIMON_OK;
    }
    if (status != PAIMON_OK) {
        pmn_error_move(err, &ignored);
        return status;
    }
    if (choice.kind == PMN_CHOOSE_LATEST) return PAIMON_OK;
    pmn_snapshot *snapshot = pmn_arena_calloc(&source->arena, 1, sizeof *snapshot);
    if (!snapshot) return pmn_fail_nomem(err, "a snapshot");
    PMN_TRY(pmn_choice_find(source, &source->arena, &choice, snapshot, err));
    source->travel = snapshot;
    if (snapshot->schema_id == source->schema->id) return PAIMON_OK;
    pmn_table_schema *then = NULL;
    PMN_TRY(source->versions->schema(source, snapshot->schema_id, &then, err));
    pmn_table_schema_release(source->schema);
    source->schema = then;
    return PAIMON_OK;
}

static paimon_status copy_text(pmn_source *source, const char *text, const char **out, paimon_error *err)
{
    *out = text ? pmn_arena_strdup(&source->arena, text) : NULL;
    return *out || !text ? PAIMON_OK : pmn_fail_nomem(err, "a table's name");
}

static paimon_status parse_given_schema(pmn_source *source, const char *schema_json, paimon_error *err)
{
    return pmn_table_schema_parse(source->mem, pmn_slice_text(schema_json), "the schema given", &source->schema, err);
}

static paimon_status fill_source(pmn_source *source, const char *path, const paimon_table_open_options *how, paimon_error *err)
{
    const char *branch = NULL;
    PMN_TRY(split_path(&source->arena, path, &source->path, &branch, err));
    paimon_fs *fs = NULL;
    PMN_TRY(pmn_env_fs(source->env, source->path, &fs, err));
    source->fs = paimon_fs_retain(fs);
    PMN_TRY(choose_branch(source, branch, how->options, how->n_options, err));
    PMN_TRY(copy_text(source, how->table_id, &source->table_id, err));
    PMN_TRY(copy_text(source, how->table_name, &source->table_name, err));
    if (how->versions) {
        source->owner = paimon_versions_retain(how->versions);
        source->versions = &pmn_versions_of_catalog;
    }
    source->schema_given = how->schema_json != NULL;
    PMN_TRY(how->schema_json ? parse_given_schema(source, how->schema_json, err) : source->versions->latest_schema(source, &source->schema, err));
    PMN_TRY(merge_options(source, how->options, how->n_options, err));
    return how->schema_json ? PAIMON_OK : travel_in_time(source, err);
}

paimon_status pmn_source_open(paimon_env *env, const char *path, const paimon_table_open_options *how, pmn_source **out, paimon_error *err)
{
    *out = NULL;
    for (size_t i = 0; i < how->n_options; i++)
        if (!how->options[i].key || !how->options[i].value || !*how->options[i].key)
            return pmn_fail(err, PAIMON_INVALID, "option %zu has no key or no value", i);
    pmn_source *source = NULL;
    PMN_TRY(pmn_source_new(env, &source, err));
    paimon_status status = fill_source(source, path, how, err);
    if (status != PAIMON_OK) {
        pmn_source_release(source);
        return status;
    }
    *out = source;
    return PAIMON_OK;
}
