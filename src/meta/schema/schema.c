/* Schema files: schema/schema-<id>, one JSON object. Java: TableSchema, SchemaSerializer, SchemaManager.
 *
 *   version, id, fields, highestFieldId, partitionKeys, primaryKeys, options, comment (when there), timeMillis
 */
#include "meta/schema/schema.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "io/path.h"
#include "meta/snapshot/listing.h"
#include "types/type_json.h"

#define SCHEMA_NEWEST_VERSION 3

static paimon_status parse_names(pmn_arena *arena, const pmn_json *json, const char *key, const char ***out, int32_t *n, paimon_error *err)
{
    const pmn_json *list = pmn_json_get(json, key);
    pmn_json_kind kind = pmn_json_kind_of(list);
    *n = 0;
    if (kind != PMN_JSON_ARRAY && kind != PMN_JSON_NULL) return pmn_fail(err, PAIMON_CORRUPT, "%s is not a list", key);
    size_t size = pmn_json_size(list);
    if (size > INT32_MAX) return pmn_fail(err, PAIMON_CORRUPT, "%s has %zu names", key, size);
    const char **names = pmn_arena_calloc(arena, size + 1, sizeof *names);
    if (!names) return pmn_fail_nomem(err, "schema");
    for (size_t i = 0; i < size; i++) {
        const char *text = pmn_json_text(pmn_json_at(list, i));
        if (!text) return pmn_fail(err, PAIMON_CORRUPT, "%s has a member that is not a text", key);
        names[i] = pmn_arena_strdup(arena, text);
        if (!names[i]) return pmn_fail_nomem(err, "schema");
    }
    *out = names;
    *n = (int32_t)size;
    return PAIMON_OK;
}

static paimon_status parse_options(const pmn_json *json, pmn_table_schema *schema, paimon_error *err)
{
    const pmn_json *options = pmn_json_get(json, "options");
    pmn_json_kind kind = pmn_json_kind_of(options);
    if (kind != PMN_JSON_OBJECT && kind != PMN_JSON_NULL) return pmn_fail(err, PAIMON_CORRUPT, "options is not an object");
    pmn_options_init(&schema->options, &schema->arena);
    void *iter = NULL;
    const char *key;
    const pmn_json *value;
    while (kind == PMN_JSON_OBJECT && pmn_json_next(options, &iter, &key, &value)) {
        if (pmn_json_kind_of(value) == PMN_JSON_NULL) continue;
        if (pmn_json_kind_of(value) != PMN_JSON_TEXT) return pmn_fail(err, PAIMON_CORRUPT, "option %.100s is not a text", key);
        PMN_TRY(pmn_options_set(&schema->options, key, pmn_json_text(value), err));
    }
    /* Defaults of the release that wrote it. */
    if (schema->version <= 1 && !pmn_options_get(&schema->options, "bucket")) PMN_TRY(pmn_options_set(&schema->options, "bucket", "1", err));
    if (schema->version <= 2 && !pmn_options_get(&schema->options, "file.format"))
        PMN_TRY(pmn_options_set(&schema->options, "file.format", "orc", err));
    return PAIMON_OK;
}

static paimon_status parse_row(const pmn_json *json, pmn_table_schema *schema, paimon_error *err)
{
    const pmn_json *list = pmn_json_get(json, "fields");
    if (pmn_json_kind_of(list) != PMN_JSON_ARRAY) return pmn_fail(err, PAIMON_CORRUPT, "fields is absent or not a list");
    pmn_type *row = pmn_arena_calloc(&schema->arena, 1, sizeof *row);
    if (!row) return pmn_fail_nomem(err, "schema");
    row->kind = PMN_ROW;
    row->nullable = false;
    PMN_TRY(pmn_fields_from_json(&schema->arena, list, &row->fields, &row->n_fields, err));
    schema->row = row;
    return PAIMON_OK;
}

static paimon_status parse_head(const pmn_json *json, pmn_table_schema *schema, paimon_error *err)
{
    int64_t number;
    const char *comment;
    PMN_TRY(pmn_json_int_or(json, "version", 1, &number, err));
    if (number < 1 || number > SCHEMA_NEWEST_VERSION)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "schema version %lld (this library reads up to %d)", (long long)number, SCHEMA_NEWEST_VERSION);
    schema->version = (int32_t)number;
    PMN_TRY(pmn_json_need_int(json, "id", &schema->id, err));
    PMN_TRY(pmn_json_need_int(json, "highestFieldId", &number, err));
    if (number < INT32_MIN || number > INT32_MAX) return pmn_fail(err, PAIMON_CORRUPT, "highestFieldId is %lld", (long long)number);
    schema->highest_field_id = (int32_t)number;
    PMN_TRY(pmn_json_int_or(json, "timeMillis", 0, &schema->time_ms, err));
    PMN_TRY(pmn_json_text_or(json, "comment", NULL, &comment, err));
    if (comment && !(schema->comment = pmn_arena_strdup(&schema->arena, comment))) return pmn_fail_nomem(err, "schema");
    return PAIMON_OK;
}

static bool has_name(const char *const *names, int32_t n, const char *name)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static paimon_status need_column(const pmn_table_schema *schema, const char *what, const char *name, int *column, paimon_error *err)
{
    *column = pmn_row_find(schema->row, name);
    return *column >= 0 ? PAIMON_OK : pmn_fail(err, PAIMON_CORRUPT, "%s %.100s is not a column", what, name);
}

static paimon_status derive_partition(pmn_table_schema *schema, paimon_error *err)
{
    size_t n = (size_t)schema->n_partition_keys;
    pmn_type *type = pmn_arena_calloc(&schema->arena, 1, sizeof *type);
    pmn_field *fields = pmn_arena_calloc(&schema->arena, n + 1, sizeof *fields);
    schema->partition_columns = pmn_arena_calloc(&schema->arena, n + 1, sizeof *schema->partition_columns);
    if (!type || !fields || !schema->partition_columns) return pmn_fail_nomem(err, "schema");
    for (size_t i = 0; i < n; i++) {
        int column;
        PMN_TRY(need_column(schema, "partition key", schema->partition_keys[i], &column, err));
        if (!pmn_type_is_atomic(schema->row->fields[column].type))
            return pmn_fail(err, PAIMON_UNSUPPORTED, "partition key %.100s of a nested type", schema->partition_keys[i]);
        fields[i] = schema->row->fields[column];
        schema->partition_columns[i] = column;
    }
    type->kind = PMN_ROW;
    type->n_fields = schema->n_partition_keys;
    type->fields = fields;
    schema->partition_type = type;
    return PAIMON_OK;
}

/* "a,b", not trimmed, as Java splits it. */
static paimon_status split_names(pmn_table_schema *schema, const char *text, paimon_error *err)
{
    size_t n = 1;
    for (const char *p = text; *p; p++) n += *p == ',';
    schema->bucket_keys = pmn_arena_calloc(&schema->arena, n, sizeof *schema->bucket_keys);
    if (!schema->bucket_keys || n > INT32_MAX) return pmn_fail_nomem(err, "schema");
    for (const char *p = text;; p++) {
        size_t length = strcspn(p, ",");
        const char *name = pmn_arena_strndup(&schema->arena, p, length);
        if (!name) return pmn_fail_nomem(err, "schema");
        schema->bucket_keys[schema->n_bucket_keys++] = name;
        p += length;
        if (!*p) return PAIMON_OK;
    }
}

static paimon_status derive_bucket_keys(pmn_table_schema *schema, paimon_error *err)
{
    const char *given = pmn_options_get(&schema->options, "bucket-key");
    int column;
    if (given && *given) {
        PMN_TRY(split_names(schema, given, err));
    } else {
        schema->bucket_keys = pmn_arena_calloc(&schema->arena, (size_t)schema->n_primary_keys + 1, sizeof *schema->bucket_keys);
        if (!schema->bucket_keys) return pmn_fail_nomem(err, "schema");
        for (int32_t i = 0; i < schema->n_primary_keys; i++)
            if (!has_name(schema->partition_keys, schema->n_partition_keys, schema->primary_keys[i]))
                schema->bucket_keys[schema->n_bucket_keys++] = schema->primary_keys[i];
    }
    for (int32_t i = 0; i < schema->n_bucket_keys; i++) PMN_TRY(need_column(schema, "bucket key", schema->bucket_keys[i], &column, err));
    return PAIMON_OK;
}

static paimon_status parse_schema(const pmn_json *json, pmn_table_schema *schema, paimon_error *err)
{
    int column;
    if (pmn_json_kind_of(json) != PMN_JSON_OBJECT) return pmn_fail(err, PAIMON_CORRUPT, "not a JSON object");
    PMN_TRY(parse_head(json, schema, err));
    PMN_TRY(parse_row(json, schema, err));
    PMN_TRY(parse_names(&schema->arena, json, "partitionKeys", &schema->partition_keys, &schema->n_partition_keys, err));
    PMN_TRY(parse_names(&schema->arena, json, "primaryKeys", &schema->primary_keys, &schema->n_primary_keys, err));
    for (int32_t i = 0; i < schema->n_primary_keys; i++) PMN_TRY(need_column(schema, "primary key", schema->primary_keys[i], &column, err));
    PMN_TRY(parse_options(json, schema, err));
    PMN_TRY(derive_partition(schema, err));
    return derive_bucket_keys(schema, err);
}

/* Reference counts of objects made in one piece. */
static atomic_int *schema_refs(pmn_table_schema *schema)
{
    _Static_assert(sizeof(atomic_int) == sizeof(int), "the header shows a plain int");
    return (atomic_int *)&schema->refs;
}

paimon_status pmn_table_schema_parse(pmn_mem *mem, pmn_slice json, const char *name, pmn_table_schema **out, paimon_error *err)
{
    *out = NULL;
    pmn_table_schema *schema = pmn_calloc(mem, 1, sizeof *schema);
    if (!schema) return pmn_fail_nomem(err, "schema");
    pmn_arena_init(&schema->arena, pmn_mem_retain(mem));
    atomic_init(schema_refs(schema), 1);
    pmn_json *root = NULL;
    paimon_status status = pmn_json_parse(json, &root, err);
    if (status == PAIMON_OK) status = parse_schema(root, schema, err);
    pmn_json_free(root);
    if (status != PAIMON_OK) {
        pmn_error_prefix(err, "%s", name);
        pmn_table_schema_release(schema);
        return status;
    }
    *out = schema;
    return PAIMON_OK;
}

pmn_table_schema *pmn_table_schema_retain(pmn_table_schema *schema)
{
    atomic_fetch_add_explicit(schema_refs(schema), 1, memory_order_relaxed);
    return schema;
}

void pmn_table_schema_release(pmn_table_schema *schema)
{
    if (!schema || atomic_fetch_sub_explicit(schema_refs(schema), 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = schema->arena.mem;
    pmn_arena_free(&schema->arena);
    pmn_free(mem, schema, sizeof *schema);
    pmn_mem_release(mem);
}

static paimon_status print_names(pmn_buf *out, const char *key, const char *const *names, int32_t n, paimon_error *err)
{
    PMN_TRY(pmn_buf_printf(out, err, ",\n  \"%s\" : [ ", key));
    for (int32_t i = 0; i < n; i++) {
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(names[i]), err));
        PMN_TRY(pmn_buf_append_text(out, i + 1 < n ? ", " : " ", err));
    }
    return pmn_buf_append_byte(out, ']', err);
}

static paimon_status print_options(pmn_buf *out, const pmn_options *options, paimon_error *err)
{
    if (options->n == 0) return pmn_buf_append_text(out, ",\n  \"options\" : { }", err);
    const char *separator = ",\n  \"options\" : {\n    ";
    for (int32_t i = 0; i < options->n; i++) {
        PMN_TRY(pmn_buf_append_text(out, separator, err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(options->items[i].key), err));
        PMN_TRY(pmn_buf_append_text(out, " : ", err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(options->items[i].value), err));
        separator = ",\n    ";
    }
    return pmn_buf_append_text(out, "\n  }", err);
}

paimon_status pmn_table_schema_print(const pmn_table_schema *schema, pmn_buf *out, paimon_error *err)
{
    PMN_TRY(pmn_buf_printf(out, err, "{\n  \"version\" : %d,\n  \"id\" : %lld,\n  \"fields\" : ", (int)schema->version, (long long)schema->id));
    PMN_TRY(pmn_fields_to_json(out, schema->row->fields, schema->row->n_fields, 1, err));
    PMN_TRY(pmn_buf_printf(out, err, ",\n  \"highestFieldId\" : %d", (int)schema->highest_field_id));
    PMN_TRY(print_names(out, "partitionKeys", schema->partition_keys, schema->n_partition_keys, err));
    PMN_TRY(print_names(out, "primaryKeys", schema->primary_keys, schema->n_primary_keys, err));
    PMN_TRY(print_options(out, &schema->options, err));
    if (schema->comment) {
        PMN_TRY(pmn_buf_append_text(out, ",\n  \"comment\" : ", err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(schema->comment), err));
    }
    return pmn_buf_printf(out, err, ",\n  \"timeMillis\" : %lld\n}", (long long)schema->time_ms);
}

paimon_status pmn_schema_list(pmn_arena *arena, paimon_fs *fs, const char *root, int64_t **ids, int32_t *n, paimon_error *err)
{
    const char *dir = pmn_path_join(arena, root, "schema");
    return dir ? pmn_list_ids(arena, fs, dir, "schema-", ids, n, err) : pmn_fail_nomem(err, "a path");
}

/* There is no hint for schemas: the newest is the greatest id in the folder. */
paimon_status pmn_schema_latest_id(pmn_mem *mem, paimon_fs *fs, const char *root, int64_t *id, paimon_error *err)
{
    pmn_arena arena;
    int64_t *ids;
    int32_t n = 0;
    pmn_arena_init(&arena, mem);
    paimon_status status = pmn_schema_list(&arena, fs, root, &ids, &n, err);
    if (status == PAIMON_OK && n > 0) *id = ids[n - 1];
    if (status == PAIMON_OK && n == 0) status = pmn_fail(err, PAIMON_NOT_FOUND, "%s is no table: it has no schema", root);
    pmn_arena_free(&arena);
    return status;
}

paimon_status pmn_schema_load(pmn_mem *mem, paimon_fs *fs, const char *root, int64_t id, pmn_table_schema **out, paimon_error *err)
{
    pmn_arena arena;
    pmn_buf text;
    *out = NULL;
    pmn_arena_init(&arena, mem);
    pmn_buf_init(&text, mem, PMN_METADATA_TEXT_CEILING);
    const char *path = pmn_path_joinf(&arena, root, "schema/schema-%lld", (long long)id);
    paimon_status status = path ? pmn_fs_read_all(mem, fs, path, PMN_METADATA_TEXT_CEILING, &text, err) : pmn_fail_nomem(err, "a path");
    if (status == PAIMON_OK) status = pmn_table_schema_parse(mem, pmn_slice_of(text.data, text.size), path, out, err);
    if (status == PAIMON_OK && (*out)->id != id) {
        status = pmn_fail(err, PAIMON_CORRUPT, "%s: its id is %lld", path, (long long)(*out)->id);
        pmn_table_schema_release(*out);
        *out = NULL;
    }
    pmn_buf_free(&text);
    pmn_arena_free(&arena);
    return status;
}
