/** Catalogs: databases and tables under a warehouse folder.
 *
 *      paimon_catalog *catalog = NULL;
 *      paimon_catalog_open(NULL, "/warehouse", NULL, 0, &catalog, &err);
 *      paimon_catalog_open_table(catalog, "shop.orders", NULL, 0, &table, &err);
 *
 *  A filesystem catalog lists `<warehouse>/<database>.db/<table>`. A catalog is reference-counted inside: it may be freed while
 *  tables opened from it live. A const catalog may be used by several threads at once.
 */
#ifndef PAIMON_C_CATALOG_H
#define PAIMON_C_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "paimon-c/env.h"
#include "paimon-c/status.h"
#include "paimon-c/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paimon_catalog paimon_catalog;

/** Open the filesystem catalog of a warehouse folder, which need not exist yet.
 *
 *  @param env        borrowed, kept by a reference; NULL: the default one
 *  @param warehouse  path or URI of the folder; copied
 *  @param options    catalog options as text pairs; borrowed for the call; NULL when n_options is 0
 *  @param catalog    out; owned by the caller, free with paimon_catalog_free()
 *  @return PAIMON_OK; PAIMON_UNSUPPORTED for a scheme without a file system or an option `metastore` other than "filesystem"
 */
PAIMON_API paimon_status paimon_catalog_open(paimon_env *env, const char *warehouse, const paimon_option *options, size_t n_options,
                                             paimon_catalog **catalog, paimon_error *err);
PAIMON_API void paimon_catalog_free(paimon_catalog *catalog);

/** A list of texts, owned by the caller. */
typedef struct paimon_string_list paimon_string_list;
PAIMON_API size_t paimon_string_list_size(const paimon_string_list *list);
/** Borrowed from the list; NULL past its end. */
PAIMON_API const char *paimon_string_list_get(const paimon_string_list *list, size_t i);
PAIMON_API void paimon_string_list_free(paimon_string_list *list);

/** Names of the databases, sorted by bytes. A warehouse that is not there has none. */
PAIMON_API paimon_status paimon_catalog_list_databases(const paimon_catalog *catalog, paimon_string_list **names, paimon_error *err);
/** Names of the tables of a database, sorted by bytes. PAIMON_NOT_FOUND if there is no such database. */
PAIMON_API paimon_status paimon_catalog_list_tables(const paimon_catalog *catalog, const char *database, paimon_string_list **names,
                                                    paimon_error *err);
/** Is there such a database, such a table (a folder with a schema)? PAIMON_INVALID for a name that is not allowed: empty, with a slash,
 *  "." or ".."; PAIMON_UNSUPPORTED for the system database "sys". */
PAIMON_API paimon_status paimon_catalog_database_exists(const paimon_catalog *catalog, const char *database, bool *exists, paimon_error *err);
PAIMON_API paimon_status paimon_catalog_table_exists(const paimon_catalog *catalog, const char *database, const char *table, bool *exists,
                                                     paimon_error *err);

/** Open a table by its identifier: "db.table", "db.table$branch_b". Options are those of paimon_table_open().
 *  @return PAIMON_NOT_FOUND for an unknown database, table or branch; PAIMON_INVALID for a name that is not allowed;
 *          PAIMON_UNSUPPORTED for a system table ("db.table$files") */
PAIMON_API paimon_status paimon_catalog_open_table(const paimon_catalog *catalog, const char *identifier, const paimon_option *options,
                                                   size_t n_options, paimon_table **table, paimon_error *err);

/** Create a database: its folder. PAIMON_ALREADY_EXISTS unless `ignore_if_exists`; PAIMON_INVALID for a name that is not allowed. */
PAIMON_API paimon_status paimon_catalog_create_database(const paimon_catalog *catalog, const char *database, bool ignore_if_exists,
                                                        paimon_error *err);
/** Drop a database. PAIMON_STATE if it has tables, unless `cascade`, which drops them too. */
PAIMON_API paimon_status paimon_catalog_drop_database(const paimon_catalog *catalog, const char *database, bool ignore_if_absent, bool cascade,
                                                      paimon_error *err);

/** What a new table is to be. Texts and arrays are borrowed for the call. */
typedef struct paimon_table_definition {
    size_t struct_size;               /**< sizeof(paimon_table_definition) */
    const struct ArrowSchema *schema; /**< columns as a struct schema, ids assigned anew; or NULL and … */
    const char *schema_json;          /**< … JSON {"fields":[{"name":…,"type":…,"description":…}], "partitionKeys":…, "primaryKeys":…,
                                           "options":…, "comment":…}; what is said here beside it is added or wins */
    const char *const *partition_keys;
    size_t n_partition_keys;
    const char *const *primary_keys;
    size_t n_primary_keys;
    const paimon_option *options;
    size_t n_options;
    const char *comment; /**< NULL: none */
} paimon_table_definition;

#define PAIMON_TABLE_DEFINITION_INIT { sizeof(paimon_table_definition), NULL, NULL, NULL, 0, NULL, 0, NULL, 0, NULL }

/** Create a table: schema-0, published atomically. PAIMON_ALREADY_EXISTS; PAIMON_NOT_FOUND for the database; PAIMON_INVALID for a definition
 *  that Paimon refuses, saying why; PAIMON_STATE where snapshots of another table, whose schemas are gone, lie in the folder. */
PAIMON_API paimon_status paimon_catalog_create_table(const paimon_catalog *catalog, const char *database, const char *table,
                                                     const paimon_table_definition *definition, paimon_error *err);
/** The same for a bare folder. `env` NULL: the default one. */
PAIMON_API paimon_status paimon_table_create(paimon_env *env, const char *path, const paimon_table_definition *definition, paimon_error *err);
/** Drop a table: its folder, whole. On the local disk the folder is moved away first, at once: whoever writes to the table meanwhile fails, and
 *  a new table of that name gets nothing of it. */
PAIMON_API paimon_status paimon_catalog_drop_table(const paimon_catalog *catalog, const char *database, const char *table, bool ignore_if_absent,
                                                   paimon_error *err);
/** Rename a table inside its database or into another one. PAIMON_UNSUPPORTED where the file system cannot move a folder at once.
 *  On the local disk writers and committers that are at work stay with the table. */
PAIMON_API paimon_status paimon_catalog_rename_table(const paimon_catalog *catalog, const char *from_database, const char *from_table,
                                                     const char *to_database, const char *to_table, paimon_error *err);
/** Set (value) or unset (value NULL) table options: a new schema version. PAIMON_INVALID for an option that must not change any more. */
PAIMON_API paimon_status paimon_table_set_options(paimon_table *table, const paimon_option *changes, size_t n, paimon_error *err);

#ifdef __cplusplus
}
#endif

#endif
