/* Avro's JSON schemas. Specification: "Schema Declaration" and "Names" of Apache Avro 1.11. */
#include "format/avro/schema.h"

#include <string.h>

#include "base/json.h"
#include "base/map.h"

typedef struct schema_parser {
    pmn_arena *arena;
    pmn_map names; /* full name → pmn_avro_type pointer */
    int depth;
} schema_parser;

#define AVRO_MIN_BYTES_CAP INT32_MAX /* sums of sizes saturate here */
#define AVRO_PRIMITIVE(kind, least) { kind, 0, NULL, NULL, NULL, 0, 0, 0, least }
static const pmn_avro_type primitives[] = {
    AVRO_PRIMITIVE(PMN_AVRO_NULL, 0),  AVRO_PRIMITIVE(PMN_AVRO_BOOLEAN, 1), AVRO_PRIMITIVE(PMN_AVRO_INT, 1),
    AVRO_PRIMITIVE(PMN_AVRO_LONG, 1),  AVRO_PRIMITIVE(PMN_AVRO_FLOAT, 4),   AVRO_PRIMITIVE(PMN_AVRO_DOUBLE, 8),
    AVRO_PRIMITIVE(PMN_AVRO_BYTES, 1), AVRO_PRIMITIVE(PMN_AVRO_STRING, 1),
};
#undef AVRO_PRIMITIVE

const char *pmn_avro_kind_name(pmn_avro_kind kind)
{
    static const char *const names[] = { "null",   "boolean", "int",  "long",  "float", "double", "bytes",
                                         "string", "fixed",   "enum", "array", "map",   "record", "union" };
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "?";
}

const pmn_avro_type *pmn_avro_nullable(const pmn_avro_type *type, int *null_branch)
{
    if (type->kind != PMN_AVRO_UNION || type->n != 2) return NULL;
    bool first = type->fields[0].type->kind == PMN_AVRO_NULL, second = type->fields[1].type->kind == PMN_AVRO_NULL;
    if (first == second) return NULL;
    *null_branch = first ? 0 : 1;
    return type->fields[first ? 1 : 0].type;
}

static const pmn_avro_type *primitive_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof primitives / sizeof primitives[0]; i++)
        if (strcmp(name, pmn_avro_kind_name(primitives[i].kind)) == 0) return &primitives[i];
    return NULL;
}

static paimon_status parse_type(schema_parser *p, const pmn_json *json, const char *namespace_, const pmn_avro_type **out, paimon_error *err);

/* "name" in the enclosing namespace, unless it is a full name (with a dot) already. */
static char *full_name(schema_parser *p, const char *name, const char *namespace_)
{
    if (strchr(name, '.') || !namespace_ || !*namespace_) return pmn_arena_strdup(p->arena, name);
    size_t a = strlen(namespace_), b = strlen(name);
    char *full = pmn_arena_alloc(p->arena, a + b + 2);
    if (!full) return NULL;
    memcpy(full, namespace_, a);
    full[a] = '.';
    memcpy(full + a + 1, name, b + 1);
    return full;
}

static paimon_status resolve_reference(schema_parser *p, const char *name, const char *namespace_, const pmn_avro_type **out, paimon_error *err)
{
    *out = primitive_by_name(name);
    if (*out) return PAIMON_OK;
    char *full = full_name(p, name, namespace_);
    if (!full) return pmn_fail_nomem(err, "Avro schema");
    uint64_t *known = pmn_map_find(&p->names, pmn_slice_text(full));
    if (!known) known = pmn_map_find(&p->names, pmn_slice_text(name));
    if (!known) return pmn_fail(err, PAIMON_CORRUPT, "Avro schema: unknown type \"%.100s\"", name);
    *out = (const pmn_avro_type *)(uintptr_t)*known;
    return PAIMON_OK;
}

/* Make the name known before the fields are parsed, so that they can refer to it. */
static paimon_status declare_name(schema_parser *p, const pmn_json *json, const char **namespace_, pmn_avro_type *type, paimon_error *err)
{
    const char *name, *given = *namespace_;
    PMN_TRY(pmn_json_need_text(json, "name", &name, err));
    PMN_TRY(pmn_json_text_or(json, "namespace", given, &given, err));
    char *full = full_name(p, name, given);
    if (!full) return pmn_fail_nomem(err, "Avro schema");
    uint64_t *place;
    bool inserted;
    PMN_TRY(pmn_map_put(&p->names, pmn_slice_text(full), &place, &inserted, err));
    if (!inserted) return pmn_fail(err, PAIMON_CORRUPT, "Avro schema: type \"%.100s\" is declared twice", full);
    *place = (uint64_t)(uintptr_t)type;
    type->name = full;
    const char *dot = strrchr(full, '.');
    *namespace_ = dot ? pmn_arena_strndup(p->arena, full, (size_t)(dot - full)) : "";
    return *namespace_ ? PAIMON_OK : pmn_fail_nomem(err, "Avro schema");
}

static paimon_status new_fields(schema_parser *p, pmn_avro_type *type, size_t n, pmn_avro_field **fields, paimon_error *err)
{
    if (n > INT32_MAX) return pmn_fail(err, PAIMON_CORRUPT, "Avro schema: %zu members", n);
    *fields = pmn_arena_calloc(p->arena, n ? n : 1, sizeof **fields);
    if (!*fields) return pmn_fail_nomem(err, "Avro schema");
    type->n = (int32_t)n;
    type->fields = *fields;
    return PAIMON_OK;
}

static paimon_status parse_record(schema_parser *p, const pmn_json *json, const char *namespace_, pmn_avro_type *type, paimon_error *err)
{
    const pmn_json *list = pmn_json_get(json, "fields");
    if (pmn_json_kind_of(list) != PMN_JSON_ARRAY) return pmn_fail(err, PAIMON_CORRUPT, "Avro schema: a record without fields");
    PMN_TRY(declare_name(p, json, &namespace_, type, err));
    pmn_avro_field *fields;
    size_t n = pmn_json_size(list);
    PMN_TRY(new_fields(p, type, n, &fields, err));
    /* Until they are there: a field may refer to this record, and one that does takes a byte at least (a branch or a count). */
    type->n = 0;
    type->min_bytes = 1;
    int64_t least = 0;
    for (size_t i = 0; i < n; i++) {
        const pmn_json *field = pmn_json_at(list, i);
        const char *name;
        PMN_TRY(pmn_json_need_text(field, "name", &name, err));
        fields[i].name = pmn_arena_strdup(p->arena, name);
        if (!fields[i].name) return pmn_fail_nomem(err, "Avro schema");
        paimon_status status = parse_type(p, pmn_json_get(field, "type"), namespace_, &fields[i].type, err);
        if (status != PAIMON_OK) {
            pmn_error_prefix(err, "field %.100s", name);
            return status;
        }
        least += fields[i].type->min_bytes;
        if (least > AVRO_MIN_BYTES_CAP) least = AVRO_MIN_BYTES_CAP;
    }
    type->n = (int32_t)n;
    type->min_bytes = least;
    return PAIMON_OK;
}

static paimon_status parse_enum(schema_parser *p, const pmn_json *json, const char *namespace_, pmn_avro_type *type, paimon_error *err)
{
    const pmn_json *list = pmn_json_get(json, "symbols");
    if (pmn_json_kind_of(list) != PMN_JSON_ARRAY) return pmn_fail(err, PAIMON_CORRUPT, "Avro schema: an enum without symbols");
    PMN_TRY(declare_name(p, json, &namespace_, type, err));
    pmn_avro_field *symbols;
    PMN_TRY(new_fields(p, type, pmn_json_size(list), &symbols, err));
    for (int32_t i = 0; i < type->n; i++) {
        const char *symbol = pmn_json_text(pmn_json_at(list, (size_t)i));
        if (!symbol) return pmn_fail(err, PAIMON_CORRUPT, "Avro schema: a symbol of %.100s is not a text", type->name);
        symbols[i].name = pmn_arena_strdup(p->arena, symbol);
        if (!symbols[i].name) return pmn_fail_nomem(err, "Avro schema");
    }
    type->min_bytes = 1;
    return PAIMON_OK;
}

static paimon_status parse_fixed(schema_parser *p, const pmn_json *json, const char *namespace_, pmn_avro_type *type, paimon_error *err)
{
    PMN_TRY(declare_name(p, json, &namespace_, type, err));
    PMN_TRY(pmn_json_need_int(json, "size", &type->size, err));
    if (type->size < 0 || type->size > INT32_MAX) return pmn_fail(err, PAIMON_CORRUPT, "Avro schema: fixed of %lld bytes", (long long)type->size);
    type->min_bytes = type->size;
    return PAIMON_OK;
}

static paimon_status parse_items(schema_parser *p, const pmn_json *json, const char *namespace_, pmn_avro_type *type, paimon_error *err)
{
    pmn_avro_field *item;
    PMN_TRY(new_fields(p, type, 1, &item, err));
    PMN_TRY(parse_type(p, pmn_json_get(json, type->kind == PMN_AVRO_ARRAY ? "items" : "values"), namespace_, &item->type, err));
    type->min_bytes = 1;
    return PAIMON_OK;
}

static paimon_status parse_union(schema_parser *p, const pmn_json *json, const char *namespace_, const pmn_avro_type **out, paimon_error *err)
{
    pmn_avro_type *type = pmn_arena_calloc(p->arena, 1, sizeof *type);
    if (!type) return pmn_fail_nomem(err, "Avro schema");
    pmn_avro_field *branches;
    type->kind = PMN_AVRO_UNION;
    if (pmn_json_size(json) == 0) return pmn_fail(err, PAIMON_CORRUPT, "Avro schema: a union without branches");
    PMN_TRY(new_fields(p, type, pmn_json_size(json), &branches, err));
    for (int32_t i = 0; i < type->n; i++) PMN_TRY(parse_type(p, pmn_json_at(json, (size_t)i), namespace_, &branches[i].type, err));
    type->min_bytes = 1;
    *out = type;
    return PAIMON_OK;
}

static paimon_status parse_annotations(schema_parser *p, const pmn_json *json, pmn_avro_type *type, paimon_error *err)
{
    const pmn_json *logical = pmn_json_get(json, "logicalType");
    if (pmn_json_kind_of(logical) != PMN_JSON_TEXT) return PAIMON_OK;
    type->logical = pmn_arena_strdup(p->arena, pmn_json_text(logical));
    if (!type->logical) return pmn_fail_nomem(err, "Avro schema");
    int64_t precision = pmn_json_int(pmn_json_get(json, "precision")), scale = pmn_json_int(pmn_json_get(json, "scale"));
    /* Out of range: an invalid annotation, which the specification says to ignore. */
    if (precision < 0 || precision > INT32_MAX || scale < 0 || scale > INT32_MAX) type->logical = NULL;
    else type->precision = (int32_t)precision, type->scale = (int32_t)scale;
    return PAIMON_OK;
}

static paimon_status parse_object(schema_parser *p, const pmn_json *json, const char *namespace_, const pmn_avro_type **out, paimon_error *err)
{
    const pmn_json *inner = pmn_json_get(json, "type");
    const char *name = pmn_json_text(inner);
    if (!name) return parse_type(p, inner, namespace_, out, err); /* {"type": {...}} */
    const pmn_avro_type *primitive = primitive_by_name(name);
    if (primitive && pmn_json_kind_of(pmn_json_get(json, "logicalType")) != PMN_JSON_TEXT) {
        *out = primitive;
        return PAIMON_OK;
    }
    pmn_avro_type *type = pmn_arena_calloc(p->arena, 1, sizeof *type);
    if (!type) return pmn_fail_nomem(err, "Avro schema");
    *out = type;
    if (primitive) {
        *type = *primitive;
    } else if (strcmp(name, "record") == 0 || strcmp(name, "error") == 0) {
        type->kind = PMN_AVRO_RECORD;
        PMN_TRY(parse_record(p, json, namespace_, type, err));
    } else if (strcmp(name, "enum") == 0) {
        type->kind = PMN_AVRO_ENUM;
        PMN_TRY(parse_enum(p, json, namespace_, type, err));
    } else if (strcmp(name, "fixed") == 0) {
        type->kind = PMN_AVRO_FIXED;
        PMN_TRY(parse_fixed(p, json, namespace_, type, err));
    } else if (strcmp(name, "array") == 0 || strcmp(name, "map") == 0) {
        type->kind = name[0] == 'a' ? PMN_AVRO_ARRAY : PMN_AVRO_MAP;
        PMN_TRY(parse_items(p, json, namespace_, type, err));
    } else {
        return resolve_reference(p, name, namespace_, out, err); /* {"type": "Name"} */
    }
    return parse_annotations(p, json, type, err);
}

static paimon_status parse_type(schema_parser *p, const pmn_json *json, const char *namespace_, const pmn_avro_type **out, paimon_error *err)
{
    if (p->depth == PMN_AVRO_MAX_DEPTH) return pmn_fail(err, PAIMON_CORRUPT, "Avro schema: deeper than %d levels", PMN_AVRO_MAX_DEPTH);
    p->depth++;
    paimon_status status;
    switch (pmn_json_kind_of(json)) {
    case PMN_JSON_TEXT: status = resolve_reference(p, pmn_json_text(json), namespace_, out, err); break;
    case PMN_JSON_ARRAY: status = parse_union(p, json, namespace_, out, err); break;
    case PMN_JSON_OBJECT: status = parse_object(p, json, namespace_, out, err); break;
    default: status = pmn_fail(err, PAIMON_CORRUPT, "Avro schema: a type is neither a text, nor a list, nor an object"); break;
    }
    p->depth--;
    return status;
}

paimon_status pmn_avro_schema_parse(pmn_arena *arena, pmn_slice json, const pmn_avro_type **out, paimon_error *err)
{
    pmn_json *root = NULL;
    schema_parser p = { .arena = arena };
    pmn_map_init(&p.names, arena->mem);
    paimon_status status = pmn_json_parse(json, &root, err);
    if (status == PAIMON_OK) status = parse_type(&p, root, "", out, err);
    pmn_map_free(&p.names);
    pmn_json_free(root);
    return status;
}
