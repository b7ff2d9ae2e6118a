#include "write/target.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/path.h"

#define TARGET_BYTES_DEFAULT ((int64_t)256 << 20) /* of append tables */
#define BUFFER_BYTES_DEFAULT ((int64_t)256 << 20)

/* Refused when set to anything but `harmless` (NULL: when set at all): rows would be missing something that other engines expect. */
static const struct write_refusal {
    const char *key;
    const char *harmless;
    const char *feature;
} write_refusals[] = {
    { "row-tracking.enabled", "false", "writing tables with row tracking" },
    { "data-evolution.enabled", "false", "writing data-evolution tables" },
    { "deletion-vectors.enabled", "false", "writing tables with deletion vectors" },
    { "data-file.external-paths.strategy", "none", "writing to external paths" },
    { "rowkind.field", NULL, "row kinds from a column" },
    { "chain-table.enabled", "false", "chain tables" },
};

static paimon_status refuse_features(const pmn_source *source, paimon_error *err)
{
    const char *type = pmn_options_get(&source->options, "type");
    if (type && strcasecmp(type, "table") != 0)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: writing tables of type '%s' is not supported yet", source->path, type);
    if (source->schema->n_primary_keys > 0)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: writing primary-key tables is not supported yet", source->path);
    for (size_t i = 0; i < sizeof write_refusals / sizeof write_refusals[0]; i++) {
        const struct write_refusal *r = &write_refusals[i];
        const char *value = pmn_options_get(&source->options, r->key);
        if (!value || !*value || (r->harmless && strcasecmp(value, r->harmless) == 0)) continue;
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: %s (option %s) is not supported yet", source->path, r->feature, r->key);
    }
    return PAIMON_OK;
}

/* The names Paimon gives compressed files when file.suffix.include.compression is set. */
static const char *compression_extension(const char *compression)
{
    static const char *const names[][2] = { { "gzip", "gz" }, { "bzip2", "bz2" }, { "zstd", "zst" }, { "none", "" } };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(compression, names[i][0]) == 0) return names[i][1];
    return compression;
}

static paimon_status choose_format(pmn_arena *arena, const pmn_options *options, pmn_write_target *t, paimon_error *err)
{
    const char *format = pmn_options_get(options, "file.format");
    const char *compression = pmn_options_get(options, "file.compression");
    bool in_name;
    PMN_TRY(pmn_format_find(format ? format : "parquet", &t->format, err));
    if (!t->format->create) return pmn_fail(err, PAIMON_UNSUPPORTED, "writing %s files is not supported yet", t->format->name);
    PMN_TRY(pmn_options_bool(options, "file.suffix.include.compression", false, &in_name, err));
    const char *suffix = in_name ? compression_extension(compression ? compression : "zstd") : "";
    size_t n = strlen(suffix) + strlen(t->format->name) + 3;
    char *extension = pmn_arena_alloc(arena, n);
    if (!extension) return pmn_fail_nomem(err, "a file's extension");
    snprintf(extension, n, "%s%s.%s", *suffix ? "." : "", suffix, t->format->name);
    t->extension = extension;
    return PAIMON_OK;
}

/* A step up, or a path of its own. */
static bool leads_elsewhere(const char *folder)
{
    size_t scheme = strcspn(folder, ":/");
    if (*folder == '/' || folder[scheme] == ':') return true;
    for (const char *at = folder; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == 0)) return true;
    return false;
}

/* Options come with the table, from whoever made it: they must not lead a writer out of the table's folder, or to names that no commit
 * and no abort would take. */
static paimon_status check_names(const pmn_write_target *t, const char *folder, paimon_error *err)
{
    if (strchr(t->prefix, '/'))
        return pmn_fail(err, PAIMON_INVALID, "%s: option data-file.prefix is '%s': a slash cannot be in the name of a file", t->source->path, t->prefix);
    if (folder && leads_elsewhere(folder))
        return pmn_fail(err, PAIMON_INVALID, "%s: option data-file.path-directory is '%s': it must be a folder below the table's", t->source->path, folder);
    return *t->default_partition ? PAIMON_OK
                                 : pmn_fail(err, PAIMON_INVALID, "%s: option partition.default-name is empty: no folder can be called so", t->source->path);
}

static paimon_status choose_names(pmn_arena *arena, const pmn_options *options, pmn_write_target *t, paimon_error *err)
{
    const char *prefix = pmn_options_get(options, "data-file.prefix");
    const char *folder = pmn_options_get(options, "data-file.path-directory");
    const char *default_partition = pmn_options_get(options, "partition.default-name");
    t->prefix = prefix ? prefix : "data-";
    t->default_partition = default_partition ? default_partition : "__DEFAULT_PARTITION__";
    PMN_TRY(check_names(t, folder, err));
    t->data_folder = folder && *folder ? pmn_path_join(arena, t->source->path, folder) : t->source->path;
    if (!t->data_folder) return pmn_fail_nomem(err, "a folder's name");
    return pmn_options_bool(options, "partition.legacy-name", true, &t->legacy_names, err);
}

/* A binary partition value is spelled by the address of a Java array: no writer finds that folder again. */
static paimon_status check_partitions(const pmn_write_target *t, paimon_error *err)
{
    const pmn_type *partition = t->source->schema->partition_type;
    for (int32_t i = 0; i < partition->n_fields; i++)
        if (!pmn_type_is_atomic(partition->fields[i].type) || (t->legacy_names && pmn_type_is_bytes(partition->fields[i].type)))
            return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: partition column '%s' is of a type that folders cannot be named by%s", t->source->path,
                            partition->fields[i].name, t->legacy_names ? "; set partition.legacy-name to false" : "");
    return PAIMON_OK;
}

static paimon_status choose_bucket_key(pmn_arena *arena, const pmn_table_schema *schema, pmn_write_target *t, paimon_error *err)
{
    int32_t n = schema->n_bucket_keys;
    pmn_field *fields = pmn_arena_calloc(arena, (size_t)n + 1, sizeof *fields);
    pmn_type *row = pmn_arena_calloc(arena, 1, sizeof *row);
    t->bucket_columns = pmn_arena_calloc(arena, (size_t)n + 1, sizeof *t->bucket_columns);
    if (!fields || !row || !t->bucket_columns) return pmn_fail_nomem(err, "a bucket key");
    for (int32_t i = 0; i < n; i++) {
        int column = pmn_row_find(schema->row, schema->bucket_keys[i]);
        if (column < 0) return pmn_fail(err, PAIMON_CORRUPT, "%s: bucket key '%s' is not a column", t->source->path, schema->bucket_keys[i]);
        if (!pmn_type_is_atomic(schema->row->fields[column].type))
            return pmn_fail(err, PAIMON_INVALID, "%s: bucket key '%s' is of a nested type", t->source->path, schema->bucket_keys[i]);
        fields[i] = schema->row->fields[column];
        t->bucket_columns[i] = column;
    }
    *row = (pmn_type){ .kind = PMN_ROW, .n_fields = n, .fields = fields };
    t->bucket_type = row;
    return PAIMON_OK;
}

static paimon_status choose_buckets(pmn_arena *arena, const pmn_options *options, pmn_write_target *t, paimon_error *err)
{
    const char *function = pmn_options_get(options, "bucket-function.type");
    int64_t n;
    PMN_TRY(pmn_options_int(options, "bucket", -1, &n, err));
    if (n != -1 && (n <= 0 || n > INT32_MAX))
        return pmn_fail(err, PAIMON_INVALID, "%s: option bucket = %lld: an append table has -1 or a positive number of buckets", t->source->path, (long long)n);
    t->n_buckets = (int32_t)n;
    if (n == -1) return PAIMON_OK;
    PMN_TRY(pmn_bucket_function_parse(function ? function : "default", &t->function, err));
    PMN_TRY(pmn_options_bool(options, "bucket-append-ordered", true, &t->ordered, err));
    PMN_TRY(choose_bucket_key(arena, t->source->schema, t, err));
    /* Tables of 0.7 may have one bucket and no key. */
    if (t->bucket_type->n_fields == 0 && n != 1)
        return pmn_fail(err, PAIMON_INVALID, "%s: a table with %lld buckets needs the option bucket-key", t->source->path, (long long)n);
    return PAIMON_OK;
}

static paimon_status choose_sizes(const pmn_options *options, pmn_write_target *t, paimon_error *err)
{
    PMN_TRY(pmn_options_bytes(options, "target-file-size", TARGET_BYTES_DEFAULT, &t->target_bytes, err));
    PMN_TRY(pmn_options_int(options, "target-file-row-num", INT64_MAX, &t->target_rows, err));
    PMN_TRY(pmn_options_bytes(options, "write-buffer-size", BUFFER_BYTES_DEFAULT, &t->buffer_bytes, err));
    if (t->buffer_bytes < 1) return pmn_fail(err, PAIMON_INVALID, "%s: write-buffer-size must be positive", t->source->path);
    int64_t limit = pmn_mem_limit(t->source->mem);
    if (limit > 0 && t->buffer_bytes > limit / 2) t->buffer_bytes = limit / 2; /* the rest is for batches, plans and what is known of files */
    if (t->target_rows < 1 || t->target_bytes < 1)
        return pmn_fail(err, PAIMON_INVALID, "%s: target-file-size and target-file-row-num must be positive", t->source->path);
    return PAIMON_OK;
}

paimon_status pmn_write_target_make(pmn_arena *arena, pmn_source *source, int32_t n_threads, pmn_write_target *out, paimon_error *err)
{
    *out = (pmn_write_target){ .source = source, .row = source->schema->row, .n_threads = n_threads };
    if (source->travel) return pmn_fail(err, PAIMON_INVALID, "%s: a table opened at an older snapshot cannot be written", source->path);
    PMN_TRY(refuse_features(source, err));
    PMN_TRY(choose_format(arena, &source->options, out, err));
    PMN_TRY(choose_names(arena, &source->options, out, err));
    PMN_TRY(check_partitions(out, err));
    PMN_TRY(choose_buckets(arena, &source->options, out, err));
    PMN_TRY(choose_sizes(&source->options, out, err));
    return pmn_stats_plan_make(arena, out->row, &source->options, &out->stats, err);
}
