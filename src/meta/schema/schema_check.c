/* What a table's schema must fulfil. Java: SchemaValidation. Rules about features that only other engines have are left to those. */
#include <string.h>
#include <strings.h>

#include "meta/schema/schema_create.h"

#define KEY_PREFIX "_KEY_"
#define FIELDS_PREFIX "fields."

static const char *const system_names[] = { "_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind", "_ROW_ID" };
static const char *const known_formats[] = { "parquet", "orc", "avro", "csv", "json", "text", "row", "lance", "mosaic", "vortex" };
static const char *const known_engines[] = { "deduplicate", "partial-update", "aggregation", "first-row" };
static const char *const known_producers[] = { "none", "input", "full-compaction", "lookup" };

static bool is_one_of(const char *text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(text, list[i]) == 0) return true;
    return false;
}
#define IS_ONE_OF(text, list) is_one_of(text, list, sizeof(list) / sizeof *(list))

static bool is_among(const char *const *names, int32_t n, const char *name)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static const char *option_or(const pmn_table_schema *schema, const char *key, const char *fallback)
{
    const char *value = pmn_options_get(&schema->options, key);
    return value ? value : fallback;
}

static paimon_status check_columns(pmn_mem *mem, const pmn_table_schema *schema, paimon_error *err)
{
    if (schema->row->n_fields == 0) return pmn_fail(err, PAIMON_INVALID, "a table needs at least one column");
    PMN_TRY(pmn_fields_check(mem, schema->row->fields, schema->row->n_fields, err));
    for (int32_t i = 0; i < schema->row->n_fields; i++) {
        const char *name = schema->row->fields[i].name;
        bool reserved = strncmp(name, KEY_PREFIX, strlen(KEY_PREFIX)) == 0;
        for (size_t k = 0; k < sizeof system_names / sizeof *system_names; k++) reserved = reserved || strcmp(name, system_names[k]) == 0;
        if (reserved) return pmn_fail(err, PAIMON_INVALID, "column '%s': Paimon keeps this name for itself", name);
    }
    return PAIMON_OK;
}

static bool fits_key(const pmn_type *type)
{
    return pmn_type_is_atomic(type) && type->kind != PMN_GEOMETRY && type->kind != PMN_GEOGRAPHY && type->kind != PMN_BLOB;
}

static paimon_status check_key_columns(const pmn_table_schema *schema, const char *what, const char *const *keys, int32_t n, paimon_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        int column = pmn_row_find(schema->row, keys[i]);
        if (column < 0) return pmn_fail(err, PAIMON_INVALID, "the %s '%s' is not a column", what, keys[i]);
        if (is_among(keys, i, keys[i])) return pmn_fail(err, PAIMON_INVALID, "the %s '%s' is named twice", what, keys[i]);
        const pmn_type *type = schema->row->fields[column].type;
        if (!fits_key(type))
            return pmn_fail(err, PAIMON_INVALID, "the %s '%s' is a %s: only atomic types can be keys", what, keys[i], pmn_type_kind_name(type->kind));
    }
    return PAIMON_OK;
}

static paimon_status check_primary_key(const pmn_table_schema *schema, paimon_error *err)
{
    bool nullable, left = false;
    PMN_TRY(check_key_columns(schema, "primary key", schema->primary_keys, schema->n_primary_keys, err));
    PMN_TRY(pmn_options_bool(&schema->options, "primary-key.nullable", false, &nullable, err));
    if (schema->n_primary_keys == 0)
        return nullable ? pmn_fail(err, PAIMON_INVALID, "option primary-key.nullable needs a primary key") : PAIMON_OK;
    for (int32_t i = 0; i < schema->n_primary_keys; i++)
        left = left || !is_among(schema->partition_keys, schema->n_partition_keys, schema->primary_keys[i]);
    return left ? PAIMON_OK : pmn_fail(err, PAIMON_INVALID, "the primary key has only partition columns: each partition would hold one row");
}

/* The option bucket-key, split at commas without trimming, as Java does. */
static paimon_status check_bucket_key(pmn_arena *arena, const pmn_table_schema *schema, const char *text, paimon_error *err)
{
    const char *names[64];
    int32_t n = 0;
    for (const char *p = text;; p++) {
        size_t size = strcspn(p, ",");
        if (n == 64) return pmn_fail(err, PAIMON_INVALID, "option bucket-key names more than 64 columns");
        names[n] = pmn_arena_strndup(arena, p, size);
        if (!names[n]) return pmn_fail_nomem(err, "a bucket key");
        const char *name = names[n++];
        if (is_among(schema->partition_keys, schema->n_partition_keys, name))
            return pmn_fail(err, PAIMON_INVALID, "the bucket key '%s' is a partition column", name);
        if (schema->n_primary_keys > 0 && !is_among(schema->primary_keys, schema->n_primary_keys, name))
            return pmn_fail(err, PAIMON_INVALID, "the bucket key '%s' is not part of the primary key", name);
        p += size;
        if (!*p) break;
    }
    return check_key_columns(schema, "bucket key", names, n, err);
}

static paimon_status check_buckets(pmn_mem *mem, const pmn_table_schema *schema, paimon_error *err)
{
    int64_t bucket;
    const char *key = pmn_options_get(&schema->options, "bucket-key");
    bool keyed = schema->n_primary_keys > 0;
    PMN_TRY(pmn_options_int(&schema->options, "bucket", -1, &bucket, err));
    if (bucket == -1) {
        if (key) return pmn_fail(err, PAIMON_INVALID, "option bucket-key needs option bucket with a number of buckets (it is -1)");
        if (!keyed && pmn_options_get(&schema->options, "full-compaction.delta-commits"))
            return pmn_fail(err, PAIMON_INVALID, "option full-compaction.delta-commits is not for append tables with bucket = -1");
        return PAIMON_OK;
    }
    if (bucket > INT32_MAX || (bucket < 1 && !(bucket == -2 && keyed)))
        return pmn_fail(err, PAIMON_INVALID, "option bucket is %lld, expected a positive number%s", (long long)bucket, keyed ? ", -1 or -2" : " or -1");
    if (!keyed && (!key || !*key)) return pmn_fail(err, PAIMON_INVALID, "an append table with buckets needs option bucket-key");
    if (!key || !*key) return PAIMON_OK;
    pmn_arena arena;
    pmn_arena_init(&arena, mem);
    paimon_status status = check_bucket_key(&arena, schema, key, err);
    pmn_arena_free(&arena);
    return status;
}

/* Each name of a comma-separated list is a column. */
static paimon_status check_listed(pmn_mem *mem, const pmn_table_schema *schema, const char *option, const char *text, size_t size, paimon_error *err)
{
    for (size_t from = 0; from <= size;) {
        size_t n = 0;
        while (from + n < size && text[from + n] != ',') n++;
        char *name = pmn_strndup(mem, text + from, n);
        if (!name) return pmn_fail_nomem(err, "a column's name");
        bool known = pmn_row_find(schema->row, name) >= 0 || strcmp(name, "default-aggregate-function") == 0;
        if (!known) pmn_fail(err, PAIMON_INVALID, "option %s: '%s' is not a column", option, name);
        pmn_strfree(mem, name);
        if (!known) return PAIMON_INVALID;
        from += n + 1;
    }
    return PAIMON_OK;
}

static paimon_status check_column_options(pmn_mem *mem, const pmn_table_schema *schema, paimon_error *err)
{
    for (int32_t i = 0; i < schema->options.n; i++) {
        const char *key = schema->options.items[i].key;
        if (strncmp(key, FIELDS_PREFIX, strlen(FIELDS_PREFIX)) != 0) continue;
        const char *names = key + strlen(FIELDS_PREFIX);
        PMN_TRY(check_listed(mem, schema, key, names, strcspn(names, "."), err));
    }
    static const char *const lists[] = { "sequence.field", "rowkind.field", "record-level.time-field" };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *value = pmn_options_get(&schema->options, lists[i]);
        if (value && *value) PMN_TRY(check_listed(mem, schema, lists[i], value, strlen(value), err));
    }
    return PAIMON_OK;
}

static paimon_status check_rowkind(const pmn_table_schema *schema, paimon_error *err)
{
    const char *name = pmn_options_get(&schema->options, "rowkind.field");
    int column = name ? pmn_row_find(schema->row, name) : -1;
    if (column < 0 || pmn_type_is_text(schema->row->fields[column].type)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "option rowkind.field: column '%s' is not a text", name);
}

static paimon_status check_words(const pmn_table_schema *schema, paimon_error *err)
{
    const char *producer = option_or(schema, "changelog-producer", "none");
    const char *engine = option_or(schema, "merge-engine", "deduplicate");
    const char *format = option_or(schema, "file.format", "parquet");
    if (!IS_ONE_OF(format, known_formats)) return pmn_fail(err, PAIMON_INVALID, "option file.format: there is no format '%s'", format);
    if (!IS_ONE_OF(engine, known_engines)) return pmn_fail(err, PAIMON_INVALID, "option merge-engine: there is no engine '%s'", engine);
    if (!IS_ONE_OF(producer, known_producers))
        return pmn_fail(err, PAIMON_INVALID, "option changelog-producer: there is no producer '%s'", producer);
    bool none = strcasecmp(producer, "none") == 0, lookup = strcasecmp(producer, "lookup") == 0;
    bool first_row = strcasecmp(engine, "first-row") == 0;
    if (schema->n_primary_keys == 0 && !none) return pmn_fail(err, PAIMON_INVALID, "option changelog-producer needs a primary key");
    if (lookup && pmn_options_get(&schema->options, "full-compaction.delta-commits"))
        return pmn_fail(err, PAIMON_INVALID, "option full-compaction.delta-commits does not go with changelog-producer = lookup");
    if (first_row && !none && !lookup)
        return pmn_fail(err, PAIMON_INVALID, "merge-engine = first-row goes with changelog-producer none or lookup, not '%s'", producer);
    if (first_row && pmn_options_get(&schema->options, "sequence.field"))
        return pmn_fail(err, PAIMON_INVALID, "merge-engine = first-row does not go with sequence.field");
    bool vectors;
    PMN_TRY(pmn_options_bool(&schema->options, "deletion-vectors.enabled", false, &vectors, err));
    if (vectors && (first_row || strcasecmp(producer, "full-compaction") == 0))
        return pmn_fail(err, PAIMON_INVALID, "deletion-vectors.enabled does not go with %s", first_row ? "merge-engine = first-row" : "changelog-producer = full-compaction");
    return PAIMON_OK;
}

static paimon_status check_numbers(const pmn_table_schema *schema, paimon_error *err)
{
    static const char *const kept[] = { "snapshot.num-retained", "changelog.num-retained" };
    int64_t rows, bytes, least = 10, most = INT32_MAX;
    PMN_TRY(pmn_options_int(&schema->options, "target-file-row-num", INT64_MAX, &rows, err));
    if (rows < 1) return pmn_fail(err, PAIMON_INVALID, "option target-file-row-num is %lld, expected at least 1", (long long)rows);
    PMN_TRY(pmn_options_bytes(&schema->options, "target-file-size", 1, &bytes, err));
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        char least_key[64], most_key[64];
        strcpy(least_key, kept[i]);
        strcpy(most_key, kept[i]);
        strcat(least_key, ".min");
        strcat(most_key, ".max");
        /* What is unset for changelogs follows the snapshots, whose own defaults are above. */
        PMN_TRY(pmn_options_int(&schema->options, least_key, least, &least, err));
        PMN_TRY(pmn_options_int(&schema->options, most_key, most, &most, err));
        if (least < 1 || least > most)
            return pmn_fail(err, PAIMON_INVALID, "option %s is %lld, expected 1 to %s (%lld)", least_key, (long long)least, most_key, (long long)most);
    }
    return PAIMON_OK;
}

/* A timestamp finer than microseconds anywhere in the type. Depth is bounded by whoever made it. */
static const pmn_type *find_fine_timestamp(const pmn_type *type)
{
    if ((type->kind == PMN_TIMESTAMP || type->kind == PMN_TIMESTAMP_LTZ) && type->length > 6) return type;
    const pmn_type *found = NULL;
    for (int32_t i = 0; i < type->n_fields && !found; i++) found = find_fine_timestamp(type->fields[i].type);
    return found;
}

static paimon_status check_avro(const pmn_table_schema *schema, paimon_error *err)
{
    if (strcasecmp(option_or(schema, "file.format", "parquet"), "avro") != 0) return PAIMON_OK;
    for (int32_t i = 0; i < schema->row->n_fields; i++) {
        const pmn_type *fine = find_fine_timestamp(schema->row->fields[i].type);
        if (fine)
            return pmn_fail(err, PAIMON_INVALID, "column '%s': Avro files hold timestamps up to precision 6, not %d", schema->row->fields[i].name, (int)fine->length);
    }
    return PAIMON_OK;
}

static bool holds_blob(const pmn_type *type)
{
    if (type->kind == PMN_BLOB) return true;
    return (type->kind == PMN_ARRAY && type->fields[0].type->kind == PMN_BLOB) || (type->kind == PMN_MAP && type->fields[1].type->kind == PMN_BLOB);
}

static paimon_status check_row_tracking(const pmn_table_schema *schema, paimon_error *err)
{
    bool tracked, evolving;
    int64_t bucket;
    int32_t n_blobs = 0;
    PMN_TRY(pmn_options_bool(&schema->options, "row-tracking.enabled", false, &tracked, err));
    PMN_TRY(pmn_options_bool(&schema->options, "data-evolution.enabled", false, &evolving, err));
    PMN_TRY(pmn_options_int(&schema->options, "bucket", -1, &bucket, err));
    if (tracked && schema->n_primary_keys > 0) return pmn_fail(err, PAIMON_INVALID, "row-tracking.enabled does not go with a primary key");
    if (tracked && bucket != -1) return pmn_fail(err, PAIMON_INVALID, "row-tracking.enabled goes with bucket = -1 only");
    if (evolving && !tracked) return pmn_fail(err, PAIMON_INVALID, "data-evolution.enabled needs row-tracking.enabled");
    for (int32_t i = 0; i < schema->row->n_fields; i++) n_blobs += holds_blob(schema->row->fields[i].type);
    if (n_blobs > 0 && schema->n_primary_keys == 0 && !evolving)
        return pmn_fail(err, PAIMON_INVALID, "BLOB columns need data-evolution.enabled and row-tracking.enabled");
    if (n_blobs > 0 && n_blobs == schema->row->n_fields)
        return pmn_fail(err, PAIMON_INVALID, "a table with BLOB columns needs another column, too");
    return PAIMON_OK;
}

paimon_status pmn_schema_check(pmn_mem *mem, const pmn_table_schema *schema, paimon_error *err)
{
    PMN_TRY(check_columns(mem, schema, err));
    PMN_TRY(check_key_columns(schema, "partition key", schema->partition_keys, schema->n_partition_keys, err));
    PMN_TRY(check_primary_key(schema, err));
    PMN_TRY(check_buckets(mem, schema, err));
    PMN_TRY(check_column_options(mem, schema, err));
    PMN_TRY(check_rowkind(schema, err));
    PMN_TRY(check_words(schema, err));
    PMN_TRY(check_numbers(schema, err));
    PMN_TRY(check_avro(schema, err));
    return check_row_tracking(schema, err);
}

#undef KEY_PREFIX
#undef FIELDS_PREFIX
#undef IS_ONE_OF
