/* The filesystem catalog: databases are folders "<name>.db" of the warehouse, tables are folders of those that have a schema. */
#include "paimon-c/catalog.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/random.h"
#include "io/env.h"
#include "io/fs.h"
#include "io/path.h"
#include "io/tree.h"
#include "catalog/make_table.h"
#include "meta/schema/schema.h"

static const char database_suffix[] = ".db";
static const char system_database[] = "sys"; /* reserved for tables about all tables */

struct paimon_catalog {
    paimon_env *env;
    paimon_fs *fs;
    char *warehouse;
};

struct paimon_string_list {
    pmn_arena arena; /* holds the list itself, too */
    pmn_mem *mem;
    const char **items;
    size_t n, capacity;
};

/* --- lists --- */

static paimon_status new_list(pmn_mem *mem, paimon_string_list **out, paimon_error *err)
{
    paimon_string_list *list = pmn_calloc(mem, 1, sizeof *list);
    if (!list) return pmn_fail_nomem(err, "a list of names");
    list->mem = pmn_mem_retain(mem);
    pmn_arena_init(&list->arena, mem);
    *out = list;
    return PAIMON_OK;
}

static bool push_name(paimon_string_list *list, const char *name, size_t n)
{
    const char **grown = pmn_arena_grow(&list->arena, list->items, list->n, &list->capacity, sizeof *grown);
    if (!grown) return false;
    list->items = grown;
    list->items[list->n] = pmn_arena_strndup(&list->arena, name, n);
    return list->items[list->n] && ++list->n;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t paimon_string_list_size(const paimon_string_list *list) { return list ? list->n : 0; }
const char *paimon_string_list_get(const paimon_string_list *list, size_t i) { return list && i < list->n ? list->items[i] : NULL; }

void paimon_string_list_free(paimon_string_list *list)
{
    if (!list) return;
    pmn_mem *mem = list->mem;
    pmn_arena_free(&list->arena);
    pmn_free(mem, list, sizeof *list);
    pmn_mem_release(mem);
}

/* --- names --- */

static paimon_status check_catalog_name(const char *what, const char *name, paimon_error *err)
{
    const char *why = !name || !*name                                     ? "is empty"
                      : strchr(name, '/') || strchr(name, '\\')           ? "holds a slash"
                      : strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ? "is a step between folders"
                                                                          : NULL;
    if (!why) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "'%s' cannot be the name of a %s: it %s", name ? name : "", what, why);
}

static paimon_status check_database(const char *name, paimon_error *err)
{
    PMN_TRY(check_catalog_name("database", name, err));
    if (strcmp(name, system_database) == 0)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "the system database '%s' is not supported yet", name);
    return PAIMON_OK;
}

static char *database_path(const paimon_catalog *catalog, pmn_arena *arena, const char *database)
{
    return pmn_path_joinf(arena, catalog->warehouse, "%s%s", database, database_suffix);
}

/* --- the catalog --- */

static paimon_status check_catalog_options(const paimon_option *options, size_t n, paimon_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!options[i].key || !options[i].value) return pmn_fail(err, PAIMON_INVALID, "catalog option %zu has no key or no value", i);
        if (strcmp(options[i].key, "metastore") == 0 && strcmp(options[i].value, "filesystem") != 0)
            return pmn_fail(err, PAIMON_UNSUPPORTED, "a catalog with metastore '%s' is not supported yet", options[i].value);
    }
    return PAIMON_OK;
}

paimon_status paimon_catalog_open(paimon_env *env, const char *warehouse, const paimon_option *options, size_t n_options,
                                  paimon_catalog **catalog, paimon_error *err)
{
    if (!warehouse || !*warehouse || !catalog || (n_options > 0 && !options))
        return pmn_fail(err, PAIMON_INVALID, "paimon_catalog_open: warehouse, catalog or options is missing");
    *catalog = NULL;
    env = pmn_env_or_default(env);
    paimon_fs *fs = NULL;
    PMN_TRY(check_catalog_options(options, n_options, err));
    PMN_TRY(pmn_env_fs(env, warehouse, &fs, err));
    paimon_catalog *c = pmn_calloc(env->mem, 1, sizeof *c);
    if (c) c->warehouse = pmn_strndup(env->mem, warehouse, strlen(warehouse));
    if (!c || !c->warehouse) {
        pmn_free(env->mem, c, sizeof *c);
        return pmn_fail_nomem(err, "a catalog");
    }
    c->env = paimon_env_retain(env);
    c->fs = paimon_fs_retain(fs);
    *catalog = c;
    return PAIMON_OK;
}

/* Tables hold all that they need themselves, so nothing has to outlive the catalog. */
void paimon_catalog_free(paimon_catalog *catalog)
{
    if (!catalog) return;
    paimon_env *env = catalog->env;
    paimon_fs_free(catalog->fs);
    pmn_strfree(env->mem, catalog->warehouse);
    pmn_free(env->mem, catalog, sizeof *catalog);
    paimon_env_free(env);
}

/* --- listing --- */

typedef struct listing {
    paimon_string_list *list;
    const char *suffix; /* that names must have, and lose; "" */
    bool failed;
} listing;

static int take_folder(void *arg, const paimon_file_info *info)
{
    listing *l = arg;
    size_t n = strlen(info->name), cut = strlen(l->suffix);
    if (!info->is_directory || n <= cut || info->name[0] == '.' || strcmp(info->name + n - cut, l->suffix) != 0) return 0;
    l->failed = !push_name(l->list, info->name, n - cut);
    return l->failed;
}

static paimon_status list_folders(const paimon_catalog *catalog, const char *path, const char *suffix, paimon_string_list **out, paimon_error *err)
{
    paimon_string_list *list = NULL;
    PMN_TRY(new_list(catalog->env->mem, &list, err));
    listing l = { list, suffix, false };
    paimon_status status = pmn_fs_list(catalog->fs, path, take_folder, &l, err);
    if (status == PAIMON_OK && l.failed) status = pmn_fail_nomem(err, "a list of names");
    if (status != PAIMON_OK) {
        paimon_string_list_free(list);
        return status;
    }
    if (list->n > 1) qsort(list->items, list->n, sizeof *list->items, compare_names);
    *out = list;
    return PAIMON_OK;
}

paimon_status paimon_catalog_list_databases(const paimon_catalog *catalog, paimon_string_list **names, paimon_error *err)
{
    if (!catalog || !names) return pmn_fail(err, PAIMON_INVALID, "paimon_catalog_list_databases: catalog or names is NULL");
    *names = NULL;
    return list_folders(catalog, catalog->warehouse, database_suffix, names, err);
}

/* Is there a folder? Object stores have none, only names below it. */
static int see_entry(void *arg, const paimon_file_info *info)
{
    (void)info;
    *(bool *)arg = true;
    return 1;
}

static paimon_status folder_exists(const paimon_catalog *catalog, const char *path, bool *exists, paimon_error *err)
{
    PMN_TRY(pmn_fs_exists(catalog->fs, path, exists, NULL, err));
    return *exists ? PAIMON_OK : pmn_fs_list(catalog->fs, path, see_entry, exists, err);
}

paimon_status paimon_catalog_database_exists(const paimon_catalog *catalog, const char *database, bool *exists, paimon_error *err)
{
    if (!catalog || !exists) return pmn_fail(err, PAIMON_INVALID, "paimon_catalog_database_exists: catalog or exists is NULL");
    *exists = false;
    PMN_TRY(check_database(database, err));
    pmn_arena arena;
    pmn_arena_init(&arena, catalog->env->mem);
    char *path = database_path(catalog, &arena, database);
    paimon_status status = path ? folder_exists(catalog, path, exists, err) : pmn_fail_nomem(err, "a path");
    pmn_arena_free(&arena);
    return status;
}

static paimon_status need_database(const paimon_catalog *catalog, const char *database, paimon_error *err)
{
    bool exists = false;
    PMN_TRY(paimon_catalog_database_exists(catalog, database, &exists, err));
    return exists ? PAIMON_OK : pmn_fail(err, PAIMON_NOT_FOUND, "%s: there is no database '%s'", catalog->warehouse, database);
}

/* Does the folder hold a schema? */
static paimon_status is_table_folder(const paimon_catalog *catalog, const char *path, bool *yes, paimon_error *err)
{
    int64_t id = 0;
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = pmn_schema_latest_id(catalog->env->mem, catalog->fs, path, &id, &why);
    *yes = status == PAIMON_OK;
    if (status == PAIMON_OK || status == PAIMON_NOT_FOUND) {
        paimon_error_clear(&why);
        return PAIMON_OK;
    }
    pmn_error_move(err, &why);
    return status;
}

/* Drop from the list the folders that are no tables. */
static paimon_status keep_tables(const paimon_catalog *catalog, const char *path, paimon_string_list *list, paimon_error *err)
{
    pmn_arena arena;
    pmn_arena_init(&arena, catalog->env->mem);
    paimon_status status = PAIMON_OK;
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++) {
        bool yes = false;
        char *folder = pmn_path_join(&arena, path, list->items[i]);
        if (!folder) PMN_GOTO(status, pmn_fail_nomem(err, "a path"), done);
        PMN_GOTO(status, is_table_folder(catalog, folder, &yes, err), done);
        if (yes) list->items[kept++] = list->items[i];
    }
    list->n = kept;
done:
    pmn_arena_free(&arena);
    return status;
}

paimon_status paimon_catalog_list_tables(const paimon_catalog *catalog, const char *database, paimon_string_list **names, paimon_error *err)
{
    if (!catalog || !names) return pmn_fail(err, PAIMON_INVALID, "paimon_catalog_list_tables: catalog or names is NULL");
    *names = NULL;
    PMN_TRY(need_database(catalog, database, err));
    pmn_arena arena;
    pmn_arena_init(&arena, catalog->env->mem);
    paimon_string_list *list = NULL;
    char *path = database_path(catalog, &arena, database);
    paimon_status status = path ? list_folders(catalog, path, "", &list, err) : pmn_fail_nomem(err, "a path");
    if (status == PAIMON_OK) status = keep_tables(catalog, path, list, err);
    pmn_arena_free(&arena);
    if (status == PAIMON_OK) *names = list;
    else paimon_string_list_free(list);
    return status;
}

paimon_status paimon_catalog_table_exists(const paimon_catalog *catalog, const char *database, const char *table, bool *exists, paimon_error *err)
{
    if (!catalog || !exists) return pmn_fail(err, PAIMON_INVALID, "paimon_catalog_table_exists: catalog or exists is NULL");
    *exists = false;
    PMN_TRY(check_database(database, err));
    PMN_TRY(check_catalog_name("table", table, err));
    pmn_arena arena;
    pmn_arena_init(&arena, catalog->env->mem);
    char *path = database_path(catalog, &arena, database);
    if (path) path = pmn_path_join(&arena, path, table);
    paimon_status status = path ? is_table_folder(catalog, path, exists, err) : pmn_fail_nomem(err, "a path");
    pmn_arena_free(&arena);
    return status;
}

/* --- opening --- */

/* "db.table[$branch_b]": exactly one dot before the branch, as Java's Identifier.fromString wants it. */
static paimon_status split_identifier(pmn_arena *arena, const char *identifier, const char **database, const char **table, paimon_error *err)
{
    const char *dot = strchr(identifier, '.');
    if (!dot || dot[1 + strcspn(dot + 1, ".$")] == '.')
        return pmn_fail(err, PAIMON_INVALID, "'%s' is not the name of a table: it must be database.table", identifier);
    *database = pmn_arena_strndup(arena, identifier, (size_t)(dot - identifier));
    *table = pmn_arena_strdup(arena, dot + 1);
    if (!*database || !*table) return pmn_fail_nomem(err, "an identifier");
    PMN_TRY(check_database(*database, err));
    PMN_TRY(check_catalog_name("table", *table, err));
    if (**table == '$') return pmn_fail(err, PAIMON_INVALID, "'%s' is not the name of a table: nothing stands before the '$'", identifier);
    return PAIMON_OK;
}

static paimon_status open_listed_table(const paimon_catalog *catalog, pmn_arena *arena, const char *identifier, const paimon_option *options,
                                size_t n_options, paimon_table **table, paimon_error *err)
{
    const char *database = NULL, *name = NULL;
    PMN_TRY(split_identifier(arena, identifier, &database, &name, err));
    char *path = database_path(catalog, arena, database);
    if (path) path = pmn_path_join(arena, path, name);
    if (!path) return pmn_fail_nomem(err, "a path");
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = paimon_table_open(catalog->env, path, options, n_options, table, &why);
    if (status == PAIMON_OK) return status;
    if (status == PAIMON_NOT_FOUND) { /* which of the two is not there? */
        paimon_status found = need_database(catalog, database, err);
        if (found != PAIMON_OK) {
            paimon_error_clear(&why);
            return found;
        }
    }
    pmn_error_move(err, &why);
    return status;
}

paimon_status paimon_catalog_open_table(const paimon_catalog *catalog, const char *identifier, const paimon_option *options, size_t n_options,
                                        paimon_table **table, paimon_error *err)
{
    if (!catalog || !identifier || !table) return pmn_fail(err, PAIMON_INVALID, "paimon_catalog_open_table: catalog, identifier or table is NULL");
    *table = NULL;
    pmn_arena arena;
    pmn_arena_init(&arena, catalog->env->mem);
    paimon_status status = open_listed_table(catalog, &arena, identifier, options, n_options, table, err);
    pmn_arena_free(&arena);
    return status;
}

/* --- creating and dropping --- */

static paimon_status make_database(const paimon_catalog *catalog, pmn_arena *arena, const char *database, paimon_error *err)
{
    char *path = database_path(catalog, arena, database);
    return path ? pmn_fs_make_directories(catalog->fs, path, err) : pmn_fail_nomem(err, "a path");
}

paimon_status paimon_catalog_create_database(const paimon_catalog *catalog, const char *database, bool ignore_if_exists, paimon_error *err)
{
    bool exists = false;
    if (!catalog) return pmn_fail(err, PAIMON_INVALID, "paimon_catalog_create_database: catalog is NULL");
    PMN_TRY(paimon_catalog_database_exists(catalog, database, &exists, err));
    if (exists) return ignore_if_exists ? PAIMON_OK : pmn_fail(err, PAIMON_ALREADY_EXISTS, "%s: there is a database '%s' already", catalog->warehouse, database);
    pmn_arena arena;
    pmn_arena_init(&arena, catalog->env->mem);
    paimon_status status = make_database(catalog, &arena, database, err);
    pmn_arena_free(&arena);
    return status;
}

/* Where a folder cannot be moved at once, snapshots go first and schemas last: if this is cut short, what is left is a table without rows
 * that can be dropped again, and never a folder in which a new table of that name would find old snapshots. A folder that was moved away
 * loses its schemas first, so that nobody takes it for a table. */
static paimon_status remove_table(const paimon_catalog *catalog, pmn_arena *arena, const char *path, bool moved, paimon_error *err)
{
    const char *first = moved ? "schema" : "snapshot", *last = moved ? "snapshot" : "schema";
    const char **names = NULL;
    size_t n = 0;
    char *child = pmn_path_join(arena, path, first);
    if (!child) return pmn_fail_nomem(err, "a path");
    PMN_TRY(pmn_fs_remove_tree(catalog->env->mem, catalog->fs, child, err));
    PMN_TRY(pmn_fs_names(arena, catalog->fs, path, &names, &n, err));
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], last) == 0) continue;
        child = pmn_path_join(arena, path, names[i]);
        if (!child) return pmn_fail_nomem(err, "a path");
        PMN_TRY(pmn_fs_remove_tree(catalog->env->mem, catalog->fs, child, err));
    }
    return pmn_fs_remove_tree(catalog->env->mem, catalog->fs, path, err);
}

#define DROP_PASSES 10
#define DROP_PAUSE_NS 10000000

/* Writers that were at work go on to put files into the folder for a moment, so once may not be enough. */
static paimon_status remove_moved(const paimon_catalog *catalog, pmn_arena *arena, const char *path, paimon_error *err)
{
    paimon_status status = PAIMON_OK;
    paimon_error why = PAIMON_ERROR_INIT;
    for (int pass = 0; pass < DROP_PASSES; pass++) {
        struct timespec pause = { 0, DROP_PAUSE_NS };
        bool exists = false;
        paimon_error_clear(&why);
        status = remove_table(catalog, arena, path, true, &why);
        if (status == PAIMON_OK) status = pmn_fs_exists(catalog->fs, path, &exists, NULL, &why);
        if (status == PAIMON_OK && !exists) break;
        if (status == PAIMON_NOMEM) break;
        nanosleep(&pause, NULL);
    }
    pmn_error_move(err, &why);
    if (status != PAIMON_OK) pmn_error_prefix(err, "the table was dropped, but not all of its files are removed");
    return status;
}

#undef DROP_PASSES
#undef DROP_PAUSE_NS

static const char dropped_mark[] = ".dropped-";

/* What drops of this table that were cut short have left behind: orphans, whose removal may fail. */
static void remove_leftovers(const paimon_catalog *catalog, pmn_arena *arena, const char *database, const char *table)
{
    const char **names = NULL;
    size_t n = 0, size = strlen(table), mark = sizeof dropped_mark - 1;
    char *folder = database_path(catalog, arena, database);
    if (!folder || pmn_fs_names(arena, catalog->fs, folder, &names, &n, NULL) != PAIMON_OK) return;
    for (size_t i = 0; i < n; i++) {
        const char *name = names[i];
        if (*name != '.' || strncmp(name + 1, table, size) != 0 || strncmp(name + 1 + size, dropped_mark, mark) != 0) continue;
        char *path = pmn_path_join(arena, folder, name);
        if (path && pmn_fs_remove_tree(catalog->env->mem, catalog->fs, path, NULL) != PAIMON_OK) continue;
    }
}

/* The folder is moved out of the way first: that is the drop, all at once, and writers that come later find no table. */
static paimon_status drop_folder(const paimon_catalog *catalog, pmn_arena *arena, const char *database, const char *table, const char *path,
                                 paimon_error *err)
{
    char uuid[PMN_UUID_TEXT];
    paimon_error why = PAIMON_ERROR_INIT;
    PMN_TRY(pmn_uuid(uuid, err));
    char *folder = database_path(catalog, arena, database);
    char *away = folder ? pmn_path_joinf(arena, folder, ".%s%s%s", table, dropped_mark, uuid) : NULL;
    if (!away) return pmn_fail_nomem(err, "a path");
    paimon_status status = pmn_fs_rename_directory(catalog->fs, path, away, &why);
    if (status == PAIMON_OK) status = remove_moved(catalog, arena, away, err);
    else if (status == PAIMON_UNSUPPORTED || why.sys_errno == ENAMETOOLONG) status = remove_table(catalog, arena, path, false, err);
    else pmn_error_move(err, &why);
    paimon_error_clear(&why);
    return status;
}

static char *table_path(const paimon_catalog *catalog, pmn_arena *arena, const char *database, const char *table)
{
    char *path = database_path(catalog, arena, database);
    return path ? pmn_path_join(arena, path, table) : NULL;
}

/* Names that open_table could not tell from a branch or a system table, or from two names, are not given to tables. */
static paimon_status check_new_table(const char *table, paimon_error *err)
{
    PMN_TRY(check_catalog_name("table", table, err));
    if (strpbrk(table, "$.")) return pmn_fail(err, PAIMON_INVALID, "'%s' cannot be the name of a table: it holds a '%c'", table, *strpbrk(table, "$."));
    return PAIMON_OK;
}

paimon_status paimon_catalog_drop_table(const paimon_catalog *catalog, const char *database, const char *table, bool ignore_if_absent, paimon_error *err)
{
    bool exists = false;
    if (!catalog) return pmn_fail(err, PAIMON_INVALID, "paimon_catalog_drop_table: catalog is NULL");
    PMN_TRY(paimon_catalog_table_exists(catalog, database, table, &exists, err));
    if (!exists && !ignore_if_absent) return pmn_fail(err, PAIMON_NOT_FOUND, "%s: there is no table '%s.%s'", catalog->warehouse, database, table);
    pmn_arena arena;
    pmn_arena_init(&arena, catalog->env->mem);
    char *path = table_path(catalog, &arena, database, table);
    paimon_status status = !path ? pmn_fail_nomem(err, "a path") : exists ? drop_folder(catalog, &arena, database, table, path, err) : PAIMON_OK;
    if (status == PAIMON_OK) remove_leftovers(catalog, &arena, database, table);
    pmn_arena_free(&arena);
    return status;
}

paimon_status paimon_catalog_drop_database(const paimon_catalog *catalog, const char *database, bool ignore_if_absent, bool cascade, paimon_error *err)
{
    bool exists = false;
    paimon_string_list *tables = NULL;
    if (!catalog) return pmn_fail(err, PAIMON_INVALID, "paimon_catalog_drop_database: catalog is NULL");
    PMN_TRY(paimon_catalog_database_exists(catalog, database, &exists, err));
    if (!exists && ignore_if_absent) return PAIMON_OK;
    PMN_TRY(paimon_catalog_list_tables(catalog, database, &tables, err));
    paimon_status status = PAIMON_OK;
    if (tables->n > 0 && !cascade)
        status = pmn_fail(err, PAIMON_STATE, "the database '%s' has %zu tables, '%s' for one", database, tables->n, tables->items[0]);
    for (size_t i = 0; status == PAIMON_OK && i < tables->n; i++) status = paimon_catalog_drop_table(catalog, database, tables->items[i], true, err);
    paimon_string_list_free(tables);
    pmn_arena arena;
    pmn_arena_init(&arena, catalog->env->mem);
    if (status == PAIMON_OK) {
        char *path = database_path(catalog, &arena, database);
        status = path ? pmn_fs_remove_tree(catalog->env->mem, catalog->fs, path, err) : pmn_fail_nomem(err, "a path");
    }
    pmn_arena_free(&arena);
    return status;
}

paimon_status paimon_catalog_create_table(const paimon_catalog *catalog, const char *database, const char *table,
                                          const paimon_table_definition *definition, paimon_error *err)
{
    if (!catalog) return pmn_fail(err, PAIMON_INVALID, "paimon_catalog_create_table: catalog is NULL");
    PMN_TRY(check_new_table(table, err));
    PMN_TRY(need_database(catalog, database, err));
    pmn_arena arena;
    pmn_arena_init(&arena, catalog->env->mem);
    char *path = table_path(catalog, &arena, database, table);
    paimon_status status = path ? pmn_table_make(catalog->env, catalog->fs, path, definition, err) : pmn_fail_nomem(err, "a path");
    pmn_arena_free(&arena);
    return status;
}

paimon_status paimon_table_create(paimon_env *env, const char *path, const paimon_table_definition *definition, paimon_error *err)
{
    paimon_fs *fs = NULL;
    if (!path || !*path) return pmn_fail(err, PAIMON_INVALID, "paimon_table_create: the path is missing");
    if (strchr(pmn_path_name(path), '$')) return pmn_fail(err, PAIMON_INVALID, "%s: a table's folder cannot have a '$' in its name", path);
    env = pmn_env_or_default(env);
    PMN_TRY(pmn_env_fs(env, path, &fs, err));
    return pmn_table_make(env, fs, path, definition, err);
}

static paimon_status move_table(const paimon_catalog *catalog, const char *from, const char *to, paimon_error *err)
{
    bool exists = false;
    if (!from || !to) return pmn_fail_nomem(err, "a path");
    PMN_TRY(is_table_folder(catalog, from, &exists, err));
    if (!exists) return pmn_fail(err, PAIMON_NOT_FOUND, "%s is no table", from);
    return pmn_fs_rename_directory(catalog->fs, from, to, err);
}

paimon_status paimon_catalog_rename_table(const paimon_catalog *catalog, const char *from_database, const char *from_table, const char *to_database,
                                          const char *to_table, paimon_error *err)
{
    if (!catalog) return pmn_fail(err, PAIMON_INVALID, "paimon_catalog_rename_table: catalog is NULL");
    PMN_TRY(check_catalog_name("table", from_table, err));
    PMN_TRY(check_new_table(to_table, err));
    PMN_TRY(need_database(catalog, from_database, err));
    PMN_TRY(need_database(catalog, to_database, err));
    pmn_arena arena;
    pmn_arena_init(&arena, catalog->env->mem);
    paimon_status status = move_table(catalog, table_path(catalog, &arena, from_database, from_table),
                                        table_path(catalog, &arena, to_database, to_table), err);
    pmn_arena_free(&arena);
    return status;
}
