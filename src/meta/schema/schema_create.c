#include "meta/schema/schema_create.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include "arrow/import.h"
#include "types/type_json.h"

#define NEW_SCHEMA_VERSION 3

static int64_t present_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- ids ---- */

typedef struct id_giver {
    pmn_arena *arena;
    int32_t next;
    paimon_error *err;
} id_giver;

static paimon_status renumber_type(id_giver *g, const pmn_type *type, const pmn_type **out);

/* Inside a ROW what is nested in a field is numbered before the field itself; a column takes its number first (`top`). */
static paimon_status renumber_fields(id_giver *g, const pmn_type *row, bool top, pmn_field *out)
{
    for (int32_t i = 0; i < row->n_fields; i++) {
        out[i] = row->fields[i];
        if (g->next == INT32_MAX) return pmn_fail(g->err, PAIMON_INVALID, "too many fields");
        if (top) out[i].id = g->next++;
        PMN_TRY(renumber_type(g, row->fields[i].type, &out[i].type));
        if (!top && row->kind == PMN_ROW) out[i].id = g->next++;
    }
    return PAIMON_OK;
}

/* Depth is bounded by whoever made the type. */
static paimon_status renumber_type(id_giver *g, const pmn_type *type, const pmn_type **out)
{
    *out = type;
    if (type->n_fields == 0) return PAIMON_OK;
    pmn_type *copy = pmn_arena_copy(g->arena, type, sizeof *type);
    pmn_field *fields = pmn_arena_calloc(g->arena, (size_t)type->n_fields, sizeof *fields);
    if (!copy || !fields) return pmn_fail_nomem(g->err, "a schema");
    PMN_TRY(renumber_fields(g, type, false, fields));
    copy->fields = fields;
    *out = copy;
    return PAIMON_OK;
}

static paimon_status renumber_columns(pmn_table_schema *draft, paimon_error *err)
{
    id_giver g = { &draft->arena, 0, err };
    pmn_type *row = pmn_arena_copy(&draft->arena, draft->row, sizeof *row);
    pmn_field *fields = pmn_arena_calloc(&draft->arena, (size_t)draft->row->n_fields + 1, sizeof *fields);
    if (!row || !fields) return pmn_fail_nomem(err, "a schema");
    PMN_TRY(renumber_fields(&g, draft->row, true, fields));
    row->fields = fields;
    draft->row = row;
    draft->highest_field_id = g.next - 1;
    return PAIMON_OK;
}

/* ---- what is defined ---- */

static paimon_status take_arrow(pmn_table_schema *draft, const struct ArrowSchema *schema, paimon_error *err)
{
    const pmn_type *row;
    PMN_TRY(pmn_schema_import_check(schema, err));
    if (strcmp(schema->format, "+s") != 0) return pmn_fail(err, PAIMON_INVALID, "the Arrow schema of a table must be a struct, not '%s'", schema->format);
    PMN_TRY(pmn_type_from_arrow(&draft->arena, schema, &row, err));
    draft->row = row;
    return PAIMON_OK;
}

/* A bad definition is the caller's fault, not a corrupt file. */
static paimon_status as_invalid(paimon_status status, paimon_error *why, paimon_error *err)
{
    if (status == PAIMON_CORRUPT) status = pmn_fail(err, PAIMON_INVALID, "%s", paimon_error_message(why));
    else if (status != PAIMON_OK) pmn_error_move(err, why);
    paimon_error_clear(why);
    return status;
}

static paimon_status take_fields(pmn_table_schema *draft, const pmn_json *json, paimon_error *err)
{
    pmn_type *row = pmn_arena_calloc(&draft->arena, 1, sizeof *row);
    if (!row) return pmn_fail_nomem(err, "a schema");
    row->kind = PMN_ROW;
    if (pmn_json_kind_of(pmn_json_get(json, "fields")) != PMN_JSON_ARRAY) return pmn_fail(err, PAIMON_INVALID, "the definition has no list \"fields\"");
    PMN_TRY(pmn_fields_from_json(&draft->arena, pmn_json_get(json, "fields"), &row->fields, &row->n_fields, err));
    draft->row = row;
    return PAIMON_OK;
}

static paimon_status take_key_list(pmn_table_schema *draft, const pmn_json *json, const char *key, const char ***names, int32_t *n, paimon_error *err)
{
    const pmn_json *list = pmn_json_get(json, key);
    if (pmn_json_kind_of(list) == PMN_JSON_NULL) return PAIMON_OK;
    size_t size = pmn_json_size(list);
    const char **made = pmn_arena_calloc(&draft->arena, size + 1, sizeof *made);
    if (!made || size > INT32_MAX) return pmn_fail_nomem(err, "a schema");
    if (pmn_json_kind_of(list) != PMN_JSON_ARRAY) return pmn_fail(err, PAIMON_INVALID, "%s is not a list of names", key);
    for (size_t i = 0; i < size; i++) {
        const char *text = pmn_json_text(pmn_json_at(list, i));
        if (!text) return pmn_fail(err, PAIMON_INVALID, "%s has a member that is not a text", key);
        if (!(made[i] = pmn_arena_strdup(&draft->arena, text))) return pmn_fail_nomem(err, "a schema");
    }
    *names = made;
    *n = (int32_t)size;
    return PAIMON_OK;
}

/* One pair a key, the last one said. */
static paimon_status put_option(pmn_options *options, const char *key, const char *value, paimon_error *err)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < options->n; i++)
        if (strcmp(options->items[i].key, key) != 0) options->items[kept++] = options->items[i];
    options->n = kept;
    return value ? pmn_options_set(options, key, value, err) : PAIMON_OK;
}

static paimon_status take_json_options(pmn_table_schema *draft, const pmn_json *json, paimon_error *err)
{
    const pmn_json *options = pmn_json_get(json, "options");
    pmn_json_kind kind = pmn_json_kind_of(options);
    if (kind == PMN_JSON_NULL) return PAIMON_OK;
    if (kind != PMN_JSON_OBJECT) return pmn_fail(err, PAIMON_INVALID, "options is not an object");
    void *iter = NULL;
    const char *key;
    const pmn_json *value;
    while (pmn_json_next(options, &iter, &key, &value)) {
        if (pmn_json_kind_of(value) == PMN_JSON_NULL) continue;
        if (pmn_json_kind_of(value) != PMN_JSON_TEXT) return pmn_fail(err, PAIMON_INVALID, "option %.100s is not a text", key);
        PMN_TRY(put_option(&draft->options, key, pmn_json_text(value), err));
    }
    return PAIMON_OK;
}

static paimon_status take_json(pmn_table_schema *draft, const pmn_json *json, paimon_error *err)
{
    const char *comment;
    if (pmn_json_kind_of(json) != PMN_JSON_OBJECT) return pmn_fail(err, PAIMON_INVALID, "the definition is not a JSON object");
    PMN_TRY(take_fields(draft, json, err));
    PMN_TRY(take_key_list(draft, json, "partitionKeys", &draft->partition_keys, &draft->n_partition_keys, err));
    PMN_TRY(take_key_list(draft, json, "primaryKeys", &draft->primary_keys, &draft->n_primary_keys, err));
    PMN_TRY(take_json_options(draft, json, err));
    PMN_TRY(pmn_json_text_or(json, "comment", NULL, &comment, err));
    if (comment && !(draft->comment = pmn_arena_strdup(&draft->arena, comment))) return pmn_fail_nomem(err, "a schema");
    return PAIMON_OK;
}

static paimon_status take_definition(pmn_table_schema *draft, const char *text, paimon_error *err)
{
    pmn_json *json = NULL;
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = pmn_json_parse(pmn_slice_text(text), &json, &why);
    if (status == PAIMON_OK) status = take_json(draft, json, &why);
    pmn_json_free(json);
    return as_invalid(status, &why, err);
}

static paimon_status take_names(pmn_table_schema *draft, const char *const *given, size_t n_given, const char ***names, int32_t *n, paimon_error *err)
{
    if (n_given == 0) return PAIMON_OK;
    const char **made = pmn_arena_calloc(&draft->arena, n_given, sizeof *made);
    if (!made || n_given > INT32_MAX) return pmn_fail_nomem(err, "a schema");
    for (size_t i = 0; i < n_given; i++) {
        if (!given[i]) return pmn_fail(err, PAIMON_INVALID, "the name of key %zu is NULL", i);
        if (!(made[i] = pmn_arena_strdup(&draft->arena, given[i]))) return pmn_fail_nomem(err, "a schema");
    }
    *names = made;
    *n = (int32_t)n_given;
    return PAIMON_OK;
}

/* Keys may also be said as an option ("a, b"), which then is not kept. */
static paimon_status take_key_option(pmn_table_schema *draft, const char *key, const char ***names, int32_t *n, paimon_error *err)
{
    const char *text = pmn_options_get(&draft->options, key);
    if (!text) return PAIMON_OK;
    if (*n > 0) return pmn_fail(err, PAIMON_INVALID, "option %s is said beside the same keys", key);
    const char **made = pmn_arena_calloc(&draft->arena, strlen(text) + 1, sizeof *made);
    if (!made) return pmn_fail_nomem(err, "a schema");
    for (const char *p = text; *p;) {
        size_t size = strcspn(p, ","), from = 0, to = size;
        while (from < to && p[from] == ' ') from++;
        while (to > from && p[to - 1] == ' ') to--;
        if (to > from && !(made[(*n)++] = pmn_arena_strndup(&draft->arena, p + from, to - from))) return pmn_fail_nomem(err, "a schema");
        p += size + (p[size] == ',');
    }
    *names = made;
    return put_option(&draft->options, key, NULL, err);
}

static paimon_status set_key_nullability(pmn_table_schema *draft, paimon_error *err)
{
    bool nullable;
    PMN_TRY(pmn_options_bool(&draft->options, "primary-key.nullable", false, &nullable, err));
    pmn_field *fields = pmn_arena_calloc(&draft->arena, (size_t)draft->row->n_fields + 1, sizeof *fields);
    pmn_type *row = pmn_arena_copy(&draft->arena, draft->row, sizeof *row);
    if (!fields || !row) return pmn_fail_nomem(err, "a schema");
    if (draft->row->n_fields) memcpy(fields, draft->row->fields, (size_t)draft->row->n_fields * sizeof *fields);
    row->fields = fields;
    row->nullable = false;
    for (int32_t i = 0; i < draft->n_primary_keys; i++) {
        int column = pmn_row_find(draft->row, draft->primary_keys[i]);
        if (column < 0) continue; /* told by the check */
        fields[column].type = pmn_type_with_null(&draft->arena, fields[column].type, nullable);
        if (!fields[column].type) return pmn_fail_nomem(err, "a schema");
    }
    draft->row = row;
    return PAIMON_OK;
}

static paimon_status build_draft(pmn_table_schema *draft, const paimon_table_definition *d, paimon_error *err)
{
    static const char *none[1];
    draft->version = NEW_SCHEMA_VERSION;
    draft->time_ms = present_ms();
    draft->partition_keys = draft->primary_keys = none;
    pmn_options_init(&draft->options, &draft->arena);
    if (!d->schema == !d->schema_json) return pmn_fail(err, PAIMON_INVALID, "a table's definition has an Arrow schema or a JSON text, one of both");
    PMN_TRY(d->schema ? take_arrow(draft, d->schema, err) : take_definition(draft, d->schema_json, err));
    PMN_TRY(take_names(draft, d->partition_keys, d->n_partition_keys, &draft->partition_keys, &draft->n_partition_keys, err));
    PMN_TRY(take_names(draft, d->primary_keys, d->n_primary_keys, &draft->primary_keys, &draft->n_primary_keys, err));
    for (size_t i = 0; i < d->n_options; i++) {
        if (!d->options[i].key || !d->options[i].value || !*d->options[i].key)
            return pmn_fail(err, PAIMON_INVALID, "table option %zu has no key or no value", i);
        PMN_TRY(put_option(&draft->options, d->options[i].key, d->options[i].value, err));
    }
    PMN_TRY(take_key_option(draft, "partition", &draft->partition_keys, &draft->n_partition_keys, err));
    PMN_TRY(take_key_option(draft, "primary-key", &draft->primary_keys, &draft->n_primary_keys, err));
    if (d->comment && !(draft->comment = pmn_arena_strdup(&draft->arena, d->comment))) return pmn_fail_nomem(err, "a schema");
    PMN_TRY(set_key_nullability(draft, err));
    return renumber_columns(draft, err);
}

paimon_status pmn_schema_define(pmn_mem *mem, const paimon_table_definition *definition, pmn_buf *out, paimon_error *err)
{
    pmn_table_schema draft;
    memset(&draft, 0, sizeof draft);
    pmn_arena_init(&draft.arena, mem);
    paimon_status status = build_draft(&draft, definition, err);
    if (status == PAIMON_OK) status = pmn_schema_check(mem, &draft, err);
    if (status == PAIMON_OK) status = pmn_table_schema_print(&draft, out, err);
    pmn_arena_free(&draft.arena);
    return status;
}

/* ---- other options ---- */

/* Files are written and merged by these: changing one would make old files mean something else. */
static const char *const immutable_options[] = {
    "bucket-key", "bucket-function.type", "data-file.path-directory", "merge-engine", "sequence.snapshot-ordering",
    "aggregation.remove-record-on-delete", "partial-update.remove-record-on-delete", "partial-update.remove-record-on-sequence-group",
    "rowkind.field", "primary-key", "primary-key.nullable", "partition", "dynamic-bucket.initial-buckets", "force-lookup",
    "row-tracking.enabled", "data-evolution.enabled", "index-file-in-data-file-dir", "blob-field", "blob-descriptor-field", "blob-view-field",
    "pk-clustering-override",
};

static paimon_status check_bucket_change(const char *old, const char *new, paimon_error *err)
{
    if (!new) return pmn_fail(err, PAIMON_INVALID, "option bucket cannot be unset");
    if (!old || strcmp(old, "-1") == 0 || strcmp(new, "-1") == 0)
        return pmn_fail(err, PAIMON_INVALID, "option bucket cannot change from %s to %s: rows are placed differently", old ? old : "-1", new);
    return PAIMON_OK;
}

static bool is_true(const char *value) { return value && strcasecmp(value, "true") == 0; }

static paimon_status check_change(const pmn_table_schema *old, bool has_snapshot, const char *key, const char *value, paimon_error *err)
{
    const char *before = pmn_options_get(&old->options, key);
    bool same = value && before && strcmp(value, before) == 0;
    if (strcasecmp(key, "path") == 0) return pmn_fail(err, PAIMON_INVALID, "option path cannot change");
    if (same || (!value && !before)) return PAIMON_OK;
    if (strcmp(key, "type") == 0) return pmn_fail(err, PAIMON_INVALID, "option type cannot change");
    if (!has_snapshot) return PAIMON_OK;
    for (size_t i = 0; i < sizeof immutable_options / sizeof *immutable_options; i++)
        if (strcmp(key, immutable_options[i]) == 0)
            return pmn_fail(err, PAIMON_INVALID, "option %s cannot change once the table has a snapshot", key);
    if (strcmp(key, "bucket") == 0) return check_bucket_change(before, value, err);
    if (strcmp(key, "deletion-vectors.enabled") == 0 && is_true(before) != is_true(value) &&
        !is_true(pmn_options_get(&old->options, "deletion-vectors.modifiable")))
        return pmn_fail(err, PAIMON_INVALID, "option deletion-vectors.enabled cannot change unless deletion-vectors.modifiable is true");
    if ((strcmp(key, "ignore-delete") == 0 || strcmp(key, "ignore-update-before") == 0) && is_true(before) && !is_true(value))
        return pmn_fail(err, PAIMON_INVALID, "option %s cannot change from true to false", key);
    return PAIMON_OK;
}

static paimon_status change_options(pmn_table_schema *draft, const pmn_table_schema *old, bool has_snapshot, const paimon_option *changes, size_t n,
                                    bool *changed, paimon_error *err)
{
    pmn_options_init(&draft->options, &draft->arena);
    for (int32_t i = 0; i < old->options.n; i++) PMN_TRY(put_option(&draft->options, old->options.items[i].key, old->options.items[i].value, err));
    for (size_t i = 0; i < n; i++) {
        const char *key = changes[i].key;
        if (!key || !*key) return pmn_fail(err, PAIMON_INVALID, "table option %zu has no key", i);
        PMN_TRY(check_change(old, has_snapshot, key, changes[i].value, err));
        PMN_TRY(put_option(&draft->options, key, changes[i].value, err));
    }
    *changed = draft->options.n != old->options.n;
    for (int32_t i = 0; i < draft->options.n && !*changed; i++) {
        const char *before = pmn_options_get(&old->options, draft->options.items[i].key);
        *changed = !before || strcmp(before, draft->options.items[i].value) != 0;
    }
    return PAIMON_OK;
}

/* The version rises with the file: what an older one left to defaults of its time is written out, as Java's upgrade does. */
paimon_status pmn_schema_change_options(pmn_mem *mem, const pmn_table_schema *old, bool has_snapshot, const paimon_option *changes, size_t n,
                                        bool *changed, pmn_buf *out, paimon_error *err)
{
    pmn_table_schema draft = *old;
    pmn_arena_init(&draft.arena, mem);
    draft.version = NEW_SCHEMA_VERSION;
    draft.id = old->id + 1;
    draft.time_ms = present_ms();
    paimon_status status = change_options(&draft, old, has_snapshot, changes, n, changed, err);
    if (status == PAIMON_OK && *changed) status = pmn_schema_check(mem, &draft, err);
    if (status == PAIMON_OK && *changed) status = pmn_table_schema_print(&draft, out, err);
    pmn_arena_free(&draft.arena);
    return status;
}

#undef NEW_SCHEMA_VERSION
