/** Catalogs: databases and tables under a warehouse folder.
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
PAIMON_API paimon_status paimon_catalog_database_exists(const paimon_catalog *catalog, const char *database, bool *exists, paimon_error *err);
PAIMON_API paimon_status paimon_catalog_table_exists(const paimon_catalog *catalog, const char *database, const char *table, bool *exists,
                                                     paimon_error *err);

/** Open a table by its identifier: "db.table", "db.table$branch_b". Options are those of paimon_table_open().
 *  @return PAIMON_NOT_FOUND for an unknown database, table or branch; PAIMON_INVALID for a name that is not allowed;
 *          PAIMON_UNSUPPORTED for a system table ("db.table$files") */
PAIMON_API paimon_status paimon_catalog_open_table(const paimon_catalog *catalog, const char *identifier, const paimon_option *options,
                                                   size_t n_options, paimon_table **table, paimon_error *err);

#ifdef __cplusplus
}
#endif

#endif
