/* Types and fields from and to the JSON of schema files. */
#include "types/type_json.h"

#include <string.h>

/* Whether fields carry ids is decided by the first one; -1 until then. */
typedef struct json_types {
    pmn_arena *arena;
    int has_ids;
    int32_t next_id;
    paimon_error *err;
} json_types;

static paimon_status type_of(json_types *j, const pmn_json *json, int depth, const pmn_type **out);

static paimon_status arena_text(json_types *j, const char *text, const char **out)
{
    *out = pmn_arena_strdup(j->arena, text);
    return *out ? PAIMON_OK : pmn_fail_nomem(j->err, "schema");
}

static paimon_status field_id(json_types *j, const pmn_json *json, const char *name, int32_t *out)
{
    const pmn_json *id = pmn_json_get(json, "id");
    bool has = pmn_json_kind_of(id) != PMN_JSON_NULL;
    if (j->has_ids < 0) j->has_ids = has;
    if (has != (j->has_ids == 1)) return pmn_fail(j->err, PAIMON_CORRUPT, "field '%.100s': some fields have an id and some have none", name);
    if (!has) {
        *out = j->next_id++;
        return PAIMON_OK;
    }
    int64_t value = pmn_json_int(id);
    if (pmn_json_kind_of(id) != PMN_JSON_INT || value < 0 || value > INT32_MAX)
        return pmn_fail(j->err, PAIMON_CORRUPT, "field '%.100s': its id is not a number in 0 … %d", name, INT32_MAX);
    *out = (int32_t)value;
    return PAIMON_OK;
}

static paimon_status optional_text(json_types *j, const pmn_json *json, const char *key, const char **out)
{
    const char *text;
    PMN_TRY(pmn_json_text_or(json, key, NULL, &text, j->err));
    return text ? arena_text(j, text, out) : PAIMON_OK;
}

static paimon_status field_of(json_types *j, const pmn_json *json, int depth, pmn_field *out)
{
    const char *name;
    memset(out, 0, sizeof *out);
    PMN_TRY(pmn_json_need_text(json, "name", &name, j->err));
    PMN_TRY(field_id(j, json, name, &out->id));
    PMN_TRY(arena_text(j, name, &out->name));
    paimon_status status = type_of(j, pmn_json_get(json, "type"), depth, &out->type);
    if (status != PAIMON_OK) {
        pmn_error_prefix(j->err, "field '%.100s'", name);
        return status;
    }
    PMN_TRY(optional_text(j, json, "description", &out->description));
    return optional_text(j, json, "defaultValue", &out->default_value);
}

static paimon_status fields_of(json_types *j, const pmn_json *array, int depth, const pmn_field **fields, int32_t *n_fields)
{
    if (pmn_json_kind_of(array) != PMN_JSON_ARRAY) return pmn_fail(j->err, PAIMON_CORRUPT, "'fields' is not an array");
    size_t n = pmn_json_size(array);
    if (n > INT32_MAX) return pmn_fail(j->err, PAIMON_CORRUPT, "%zu fields", n);
    pmn_field *made = pmn_arena_calloc(j->arena, n ? n : 1, sizeof *made);
    if (!made) return pmn_fail_nomem(j->err, "schema");
    for (size_t i = 0; i < n; i++) PMN_TRY(field_of(j, pmn_json_at(array, i), depth, &made[i]));
    paimon_status status = pmn_fields_check(j->arena->mem, made, (int32_t)n, j->err);
    if (status == PAIMON_INVALID) status = pmn_fail(j->err, PAIMON_CORRUPT, "the field names are blank or not unique");
    *fields = made;
    *n_fields = (int32_t)n;
    return status;
}

/* Strings are atomic types (or, more than Java takes, the SQL form of nested ones). A bad text is the file's fault here. */
static paimon_status text_type(json_types *j, const char *text, const pmn_type **out)
{
    paimon_error inner = PAIMON_ERROR_INIT;
    paimon_status status = pmn_type_parse(j->arena, text, out, &inner);
    if (status == PAIMON_INVALID) status = pmn_fail(j->err, PAIMON_CORRUPT, "%s", paimon_error_message(&inner));
    else if (status != PAIMON_OK) pmn_error_move(j->err, &inner);
    paimon_error_clear(&inner);
    return status;
}

static paimon_status part_of(json_types *j, const pmn_json *json, const char *name, int depth, pmn_field *out)
{
    *out = (pmn_field){ -1, name, NULL, NULL, NULL };
    return type_of(j, pmn_json_get(json, name), depth + 1, &out->type);
}

static paimon_status parts_of(json_types *j, const pmn_json *json, int depth, pmn_type *type)
{
    int32_t n = type->kind == PMN_MAP ? 2 : 1;
    pmn_field *parts = pmn_arena_calloc(j->arena, (size_t)n, sizeof *parts);
    if (!parts) return pmn_fail_nomem(j->err, "schema");
    PMN_TRY(part_of(j, json, n == 2 ? "key" : "element", depth, &parts[0]));
    if (n == 2) PMN_TRY(part_of(j, json, "value", depth, &parts[1]));
    type->fields = parts;
    type->n_fields = n;
    if (type->kind != PMN_VECTOR) return PAIMON_OK;
    int64_t length;
    PMN_TRY(pmn_json_need_int(json, "length", &length, j->err));
    if (length < 1 || length > INT32_MAX || !pmn_type_fits_vector(parts[0].type))
        return pmn_fail(j->err, PAIMON_CORRUPT, "a VECTOR of %lld %s", (long long)length, pmn_type_kind_name(parts[0].type->kind));
    type->length = (int32_t)length;
    return PAIMON_OK;
}

/* The order of Java's tests: a prefix decides. */
static const pmn_type_kind nested_kinds[] = { PMN_ARRAY, PMN_VECTOR, PMN_MULTISET, PMN_MAP, PMN_ROW };

static paimon_status object_type(json_types *j, const pmn_json *json, int depth, const pmn_type **out)
{
    const char *text;
    PMN_TRY(pmn_json_need_text(json, "type", &text, j->err));
    pmn_type *type = pmn_arena_calloc(j->arena, 1, sizeof *type);
    if (!type) return pmn_fail_nomem(j->err, "schema");
    type->nullable = !strstr(text, "NOT NULL");
    *out = type;
    for (size_t i = 0; i < sizeof nested_kinds / sizeof *nested_kinds; i++) {
        const char *word = pmn_type_kind_name(nested_kinds[i]);
        if (strncmp(text, word, strlen(word)) != 0) continue;
        type->kind = nested_kinds[i];
        if (type->kind == PMN_ROW) return fields_of(j, pmn_json_get(json, "fields"), depth + 1, &type->fields, &type->n_fields);
        return parts_of(j, json, depth, type);
    }
    return pmn_fail(j->err, PAIMON_CORRUPT, "unknown nested type '%.100s'", text);
}

static paimon_status type_of(json_types *j, const pmn_json *json, int depth, const pmn_type **out)
{
    if (depth > PMN_TYPE_MAX_DEPTH) return pmn_fail(j->err, PAIMON_CORRUPT, "types nested deeper than %d", PMN_TYPE_MAX_DEPTH);
    switch (pmn_json_kind_of(json)) {
    case PMN_JSON_TEXT: return text_type(j, pmn_json_text(json), out);
    case PMN_JSON_OBJECT: return object_type(j, json, depth, out);
    default: return pmn_fail(j->err, PAIMON_CORRUPT, "the type is neither a string nor an object");
    }
}

paimon_status pmn_fields_from_json(pmn_arena *arena, const pmn_json *array, const pmn_field **fields, int32_t *n_fields, paimon_error *err)
{
    json_types j = { arena, -1, 0, err };
    return fields_of(&j, array, 0, fields, n_fields);
}

paimon_status pmn_type_from_json(pmn_arena *arena, const pmn_json *json, const pmn_type **out, paimon_error *err)
{
    json_types j = { arena, -1, 0, err };
    return type_of(&j, json, 0, out);
}

/* Jackson's pretty printer: objects break lines, two blanks a depth; arrays stay inline and add no depth. */
static paimon_status print_key(pmn_buf *out, const char *key, bool first, int depth, paimon_error *err)
{
    return pmn_buf_printf(out, err, "%s\n%*s\"%s\" : ", first ? "{" : ",", 2 * depth, "", key);
}

static paimon_status close_object(pmn_buf *out, int depth, paimon_error *err) { return pmn_buf_printf(out, err, "\n%*s}", 2 * depth, ""); }

static paimon_status print_field(pmn_buf *out, const pmn_field *f, int depth, paimon_error *err)
{
    PMN_TRY(print_key(out, "id", true, depth + 1, err));
    PMN_TRY(pmn_buf_printf(out, err, "%d", (int)f->id));
    PMN_TRY(print_key(out, "name", false, depth + 1, err));
    PMN_TRY(pmn_json_quote(out, pmn_slice_text(f->name), err));
    PMN_TRY(print_key(out, "type", false, depth + 1, err));
    PMN_TRY(pmn_type_to_json(out, f->type, depth + 1, err));
    if (f->description) {
        PMN_TRY(print_key(out, "description", false, depth + 1, err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(f->description), err));
    }
    if (f->default_value) {
        PMN_TRY(print_key(out, "defaultValue", false, depth + 1, err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(f->default_value), err));
    }
    return close_object(out, depth, err);
}

paimon_status pmn_fields_to_json(pmn_buf *out, const pmn_field *fields, int32_t n_fields, int depth, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, n_fields ? "[ " : "[", err));
    for (int32_t i = 0; i < n_fields; i++) {
        if (i) PMN_TRY(pmn_buf_append_text(out, ", ", err));
        PMN_TRY(print_field(out, &fields[i], depth, err));
    }
    return pmn_buf_append_text(out, " ]", err);
}

static paimon_status print_text_type(pmn_buf *out, const pmn_type *type, paimon_error *err)
{
    pmn_buf text;
    pmn_buf_init(&text, out->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_type_print(type, &text, err);
    if (status == PAIMON_OK) status = pmn_json_quote(out, pmn_slice_of(text.data, text.size), err);
    pmn_buf_free(&text);
    return status;
}

paimon_status pmn_type_to_json(pmn_buf *out, const pmn_type *type, int depth, paimon_error *err)
{
    if (type->kind < PMN_ARRAY || type->kind > PMN_VECTOR) return print_text_type(out, type, err);
    PMN_TRY(print_key(out, "type", true, depth + 1, err));
    PMN_TRY(pmn_buf_printf(out, err, "\"%s%s\"", pmn_type_kind_name(type->kind), type->nullable ? "" : " NOT NULL"));
    if (type->kind == PMN_ROW) {
        PMN_TRY(print_key(out, "fields", false, depth + 1, err));
        PMN_TRY(pmn_fields_to_json(out, type->fields, type->n_fields, depth + 1, err));
        return close_object(out, depth, err);
    }
    for (int32_t i = 0; i < type->n_fields; i++) {
        PMN_TRY(print_key(out, type->fields[i].name, false, depth + 1, err));
        PMN_TRY(pmn_type_to_json(out, type->fields[i].type, depth + 1, err));
    }
    if (type->kind == PMN_VECTOR) {
        PMN_TRY(print_key(out, "length", false, depth + 1, err));
        PMN_TRY(pmn_buf_printf(out, err, "%d", (int)type->length));
    }
    return close_object(out, depth, err);
}
