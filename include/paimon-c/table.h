/** Tables: a folder with its schema at one moment.
 *
 *      paimon_option then = { "scan.snapshot-id", "5" };
 *      paimon_table *table = NULL;
 *      paimon_table_open(NULL, "/warehouse/shop.db/orders", &then, 1, &table, &err);
 *
 *  A table object holds the schema (and branch and options) it was opened with; open it again to see a newer schema. It is
 *  immutable, reference-counted inside, and may be used by several threads at once.
 */
#ifndef PAIMON_C_TABLE_H
#define PAIMON_C_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paimon-c/arrow_abi.h"
#include "paimon-c/env.h"
#include "paimon-c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paimon_table paimon_table;
typedef struct paimon_versions paimon_versions; /* versions.h */

/** A text pair. Keys are Paimon's option names ("scan.snapshot-id", "bucket"). */
typedef struct paimon_option {
    const char *key;
    const char *value;
} paimon_option;

/** Open the table in a folder.
 *
 *  @param env      borrowed, kept by a reference; NULL: the default one
 *  @param path     folder of the table: path or URI, optionally with "$branch_NAME" behind; copied
 *  @param options  dynamic options for this object, stronger than the table's own (`scan.snapshot-id`, `branch`, …); borrowed for
 *                  the call
 *  @param table    out; owned by the caller, free with paimon_table_free()
 *  @return PAIMON_OK; PAIMON_NOT_FOUND if there is no schema there, or no such branch; PAIMON_CORRUPT; PAIMON_UNSUPPORTED for a schema
 *          version that is not known, or a system table
 *
 *  With a time-travel option (`scan.snapshot-id`, `scan.tag-name`, `scan.timestamp-millis`, `scan.timestamp`, `scan.watermark`,
 *  `scan.version`) the schema is that of the snapshot travelled to.
 */
PAIMON_API paimon_status paimon_table_open(paimon_env *env, const char *path, const paimon_option *options, size_t n_options,
                                           paimon_table **table, paimon_error *err);
/** What else there is to say of a table that is opened. All zero after struct_size means all defaults. */
typedef struct paimon_table_open_options {
    size_t struct_size;           /**< sizeof(paimon_table_open_options) */
    const paimon_option *options; /**< as those of paimon_table_open() */
    size_t n_options;
    const char *schema_json;   /**< for workers that got the schema from their coordinator, as paimon_table_schema_json() gives it, options
                                    included; borrowed for the call; NULL: the latest */
    paimon_versions *versions; /**< who owns the table's versions (versions.h), kept by a reference; NULL: its files */
    const char *table_id;      /**< the catalog's id of the table, for its commit requests; copied; NULL: unknown */
    const char *table_name;    /**< the table's name in the catalog, without branch; copied; NULL: that of its folder */
} paimon_table_open_options;

#define PAIMON_TABLE_OPEN_OPTIONS_INIT { sizeof(paimon_table_open_options), NULL, 0, NULL, NULL, NULL, NULL }

/** Open a table as paimon_table_open() does, with more to say.
 *
 *  @param how  borrowed for the call; NULL: all defaults
 *  @return as paimon_table_open(), and what the catalog's functions answer
 *
 *  With a schema given no folder is listed and no file read; nothing is PAIMON_NOT_FOUND, and a schema that does not parse is PAIMON_CORRUPT.
 *  The rest of the table is looked at only when it is asked for: other schema files, when a file of a split was written with another schema;
 *  snapshots, by a scan. Time-travel options choose a scan's snapshot; the schema stays the one given.
 */
PAIMON_API paimon_status paimon_table_open_with(paimon_env *env, const char *path, const paimon_table_open_options *how, paimon_table **table,
                                                paimon_error *err);
/** One more reference; returns `table`. NULL gives NULL. */
PAIMON_API paimon_table *paimon_table_retain(paimon_table *table);
/** Give up one reference; NULL is allowed. Scans, reads and streams made from the table keep what they need. */
PAIMON_API void paimon_table_free(paimon_table *table);

/** The folder, without a branch suffix. Borrowed. */
PAIMON_API const char *paimon_table_path(const paimon_table *table);
/** "main", or the branch it was opened with. Borrowed. */
PAIMON_API const char *paimon_table_branch(const paimon_table *table);
/** Of the schema that the table was opened with: the latest, or that of the snapshot travelled to. */
PAIMON_API int64_t paimon_table_schema_id(const paimon_table *table);
/** The columns as a struct schema; `out` is owned by the caller, who releases it. docs/api.md lists the Arrow types. */
PAIMON_API paimon_status paimon_table_arrow_schema(const paimon_table *table, struct ArrowSchema *out, paimon_error *err);
PAIMON_API size_t paimon_table_n_columns(const paimon_table *table);
/** Name of column `i`; borrowed, NULL past the end. */
PAIMON_API const char *paimon_table_column(const paimon_table *table, size_t i);
/** Type of column `i` as Paimon writes it ("DECIMAL(10, 2) NOT NULL", "ARRAY<INT>"). Owned by the caller: paimon_string_free(). */
PAIMON_API paimon_status paimon_table_column_type(const paimon_table *table, size_t i, char **text, paimon_error *err);
/** The table's comment, or NULL. Borrowed. */
PAIMON_API const char *paimon_table_comment(const paimon_table *table);
/** The schema as Paimon's schema JSON, pretty-printed. Owned by the caller: paimon_string_free(). */
PAIMON_API paimon_status paimon_table_schema_json(const paimon_table *table, char **json, paimon_error *err);
/** The value of an option (dynamic ones first), or NULL if it is not set. Borrowed. */
PAIMON_API const char *paimon_table_option(const paimon_table *table, const char *key);
/** The columns of the partition and of the primary key, in their order; names are borrowed, NULL past the end. */
PAIMON_API size_t paimon_table_n_partition_keys(const paimon_table *table);
PAIMON_API const char *paimon_table_partition_key(const paimon_table *table, size_t i);
PAIMON_API size_t paimon_table_n_primary_keys(const paimon_table *table);
PAIMON_API const char *paimon_table_primary_key(const paimon_table *table, size_t i);

/** Newest snapshot id of the table's branch; 0 if it has none. Reads the disk anew. */
PAIMON_API paimon_status paimon_table_latest_snapshot_id(const paimon_table *table, int64_t *id, paimon_error *err);
/** Oldest snapshot id that has not expired; 0 if there is none. Reads the disk anew. */
PAIMON_API paimon_status paimon_table_earliest_snapshot_id(const paimon_table *table, int64_t *id, paimon_error *err);
/** A snapshot's file as it stands (JSON). PAIMON_NOT_FOUND names the range there is. Owned by the caller: paimon_string_free(). */
PAIMON_API paimon_status paimon_table_snapshot_json(const paimon_table *table, int64_t id, char **json, paimon_error *err);
/** All snapshot ids, ascending; `*ids` is owned by the caller: paimon_int64_free(ids, n). */
PAIMON_API paimon_status paimon_table_snapshot_ids(const paimon_table *table, int64_t **ids, size_t *n, paimon_error *err);
PAIMON_API void paimon_int64_free(int64_t *values, size_t n);

#ifdef __cplusplus
}
#endif

#endif
