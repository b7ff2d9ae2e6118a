/* Schema files: schema/schema-N. */
#ifndef PMN_META_SCHEMA_H
#define PMN_META_SCHEMA_H

#include "base/json.h"
#include "io/fs.h"
#include "meta/schema/options.h"
#include "types/type.h"

/* A table schema; immutable, in its own arena, reference-counted. */
typedef struct pmn_table_schema {
    pmn_arena arena;
    int refs; /* atomic */
    int32_t version; /* as in the file: 1, 2, 3 */
    int64_t id;
    const pmn_type *row; /* ROW NOT NULL of all columns */
    int32_t highest_field_id;
    int32_t n_partition_keys;
    const char **partition_keys;
    int32_t n_primary_keys;
    const char **primary_keys;
    pmn_options options; /* upgraded: bucket=1 for version ≤ 1, file.format=orc for ≤ 2, when not set */
    const char *comment; /* NULL if none */
    int64_t time_ms;
    /* derived */
    const pmn_type *partition_type; /* ROW of the partition columns, in partition_keys order */
    int32_t *partition_columns;     /* field number of each partition key */
    int32_t n_bucket_keys;          /* bucket-key option, else trimmed primary keys */
    const char **bucket_keys;
} pmn_table_schema;

/* From the bytes of a schema file; `name` is for messages. PAIMON_UNSUPPORTED for a version above 3. */
paimon_status pmn_table_schema_parse(pmn_mem *mem, pmn_slice json, const char *name, pmn_table_schema **out, paimon_error *err) PMN_MUST_USE;
pmn_table_schema *pmn_table_schema_retain(pmn_table_schema *schema);
void pmn_table_schema_release(pmn_table_schema *schema);
/* As Java writes the file (pretty-printed). */
paimon_status pmn_table_schema_print(const pmn_table_schema *schema, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* `root`: the folder that holds schema/ (the table's, or a branch's). */
paimon_status pmn_schema_latest_id(pmn_mem *mem, paimon_fs *fs, const char *root, int64_t *id, paimon_error *err) PMN_MUST_USE; /* NOT_FOUND: no table */
paimon_status pmn_schema_load(pmn_mem *mem, paimon_fs *fs, const char *root, int64_t id, pmn_table_schema **out, paimon_error *err) PMN_MUST_USE;
/* Ids that exist, ascending, in the arena. */
paimon_status pmn_schema_list(pmn_arena *arena, paimon_fs *fs, const char *root, int64_t **ids, int32_t *n, paimon_error *err) PMN_MUST_USE;

#endif
