/* Paimon types as Arrow types, and back. The table of both stands in the documentation; what differs between implementations is
 * decided there: lists have a child named `element`, zoned timestamps the zone UTC, field ids travel as PARQUET:field_id. */
#include <stdio.h>
#include <string.h>

#include "arrow/schema.h"
#include "types/type.h"

#define FIELD_ID_KEY "PARQUET:field_id"
#define BLOB_KEY "paimon.extension.type"
#define BLOB_VALUE "paimon.type.blob"

/* Generated ids of parts without one (Java: SpecialFields): they spread from here by the column's id and the depth. */
#define PART_ID_BASE 536870911

typedef struct arrow_maker {
    pmn_mem *mem;
    int32_t column_id; /* of the innermost field of a ROW */
    paimon_error *err;
} arrow_maker;

static const char unit_letters[] = "smun";

/* The unit that holds precision p: seconds, then thousandths each three digits. */
static char unit_letter(int32_t precision) { return unit_letters[(precision + 2) / 3]; }

static paimon_status format_of(const pmn_type *type, char out[48], paimon_error *err)
{
    static const char *const formats[] = {
        [PMN_CHAR] = "u",      [PMN_VARCHAR] = "u", [PMN_BOOLEAN] = "b",   [PMN_BINARY] = "z",   [PMN_VARBINARY] = "z",
        [PMN_TINYINT] = "c",   [PMN_SMALLINT] = "s", [PMN_INT] = "i",      [PMN_BIGINT] = "l",   [PMN_FLOAT] = "f",
        [PMN_DOUBLE] = "g",    [PMN_DATE] = "tdD",  [PMN_TIME] = "ttm",    [PMN_ARRAY] = "+l",   [PMN_MULTISET] = "+m",
        [PMN_MAP] = "+m",      [PMN_ROW] = "+s",    [PMN_VARIANT] = "+s",  [PMN_BLOB] = "Z",     [PMN_GEOGRAPHY] = NULL,
    };
    switch (type->kind) {
    case PMN_DECIMAL: snprintf(out, 48, "d:%d,%d", (int)type->length, (int)type->scale); return PAIMON_OK;
    case PMN_TIMESTAMP: snprintf(out, 48, "ts%c:", unit_letter(type->length)); return PAIMON_OK;
    case PMN_TIMESTAMP_LTZ: snprintf(out, 48, "ts%c:UTC", unit_letter(type->length)); return PAIMON_OK;
    case PMN_VECTOR: snprintf(out, 48, "+w:%d", (int)type->length); return PAIMON_OK;
    default: break;
    }
    if (!formats[type->kind]) return pmn_fail(err, PAIMON_UNSUPPORTED, "%s values are not supported yet", pmn_type_kind_name(type->kind));
    strcpy(out, formats[type->kind]);
    return PAIMON_OK;
}

static int n_children_of(const pmn_type *type)
{
    switch (type->kind) {
    case PMN_ROW: return (int)type->n_fields;
    case PMN_VARIANT: return 2;
    case PMN_ARRAY:
    case PMN_VECTOR:
    case PMN_MAP:
    case PMN_MULTISET: return 1;
    default: return 0;
    }
}

static paimon_status mark_field(struct ArrowSchema *schema, int64_t id, bool blob, paimon_error *err)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)id);
    const char *keys[] = { FIELD_ID_KEY, BLOB_KEY }, *values[] = { text, BLOB_VALUE };
    if (id < 0) return blob ? pmn_schema_set_metadata(schema, &keys[1], &values[1], 1, err) : PAIMON_OK;
    return pmn_schema_set_metadata(schema, keys, values, blob ? 2 : 1, err);
}

static paimon_status arrow_node(const arrow_maker *m, const pmn_type *type, const char *name, bool nullable, int64_t id, int depth,
                                struct ArrowSchema *out);

/* Elements and map values count upwards from the base, map keys downwards. */
static int64_t part_id(const arrow_maker *m, bool key, int depth)
{
    uint32_t way = (uint32_t)m->column_id * 1024 + (uint32_t)depth; /* an int of Java: it wraps */
    return m->column_id < 0 ? -1 : (int32_t)(PART_ID_BASE + (key ? 0 - way : way));
}

static paimon_status arrow_row(const arrow_maker *m, const pmn_type *row, struct ArrowSchema *out)
{
    for (int32_t i = 0; i < row->n_fields; i++) {
        const pmn_field *f = &row->fields[i];
        arrow_maker inner = { m->mem, f->id, m->err };
        PMN_TRY(arrow_node(&inner, f->type, f->name, f->type->nullable, f->id, 0, out->children[i]));
    }
    return PAIMON_OK;
}

static paimon_status arrow_map(const arrow_maker *m, const pmn_type *type, int depth, struct ArrowSchema *out)
{
    static const pmn_type count = { PMN_INT, false, 0, 0, 0, NULL, NULL };
    struct ArrowSchema *entries = out->children[0];
    PMN_TRY(pmn_schema_new(m->mem, "+s", "entries", 0, 2, entries, m->err));
    PMN_TRY(mark_field(entries, m->column_id, false, m->err));
    const pmn_type *value = type->kind == PMN_MAP ? type->fields[1].type : &count;
    PMN_TRY(arrow_node(m, type->fields[0].type, "key", false, part_id(m, true, depth + 1), depth + 1, entries->children[0]));
    return arrow_node(m, value, "value", value->nullable, part_id(m, false, depth + 1), depth + 1, entries->children[1]);
}

static paimon_status arrow_variant(const arrow_maker *m, struct ArrowSchema *out)
{
    PMN_TRY(pmn_schema_new(m->mem, "z", "value", 0, 0, out->children[0], m->err));
    return pmn_schema_new(m->mem, "z", "metadata", 0, 0, out->children[1], m->err);
}

static paimon_status arrow_children(const arrow_maker *m, const pmn_type *type, int depth, struct ArrowSchema *out)
{
    switch (type->kind) {
    case PMN_ROW: return arrow_row(m, type, out);
    case PMN_VARIANT: return arrow_variant(m, out);
    case PMN_MAP:
    case PMN_MULTISET: return arrow_map(m, type, depth, out);
    case PMN_ARRAY:
    case PMN_VECTOR: {
        const pmn_type *element = type->fields[0].type;
        return arrow_node(m, element, "element", element->nullable, part_id(m, false, depth + 1), depth + 1, out->children[0]);
    }
    default: return PAIMON_OK;
    }
}

static paimon_status arrow_node(const arrow_maker *m, const pmn_type *type, const char *name, bool nullable, int64_t id, int depth,
                                struct ArrowSchema *out)
{
    char format[48];
    PMN_TRY(format_of(type, format, m->err));
    PMN_TRY(pmn_schema_new(m->mem, format, name, nullable ? ARROW_FLAG_NULLABLE : 0, n_children_of(type), out, m->err));
    paimon_status status = mark_field(out, id, type->kind == PMN_BLOB, m->err);
    if (status == PAIMON_OK) status = arrow_children(m, type, depth, out);
    if (status != PAIMON_OK) pmn_schema_release(out);
    return status;
}

paimon_status pmn_field_to_arrow(pmn_mem *mem, const pmn_field *field, struct ArrowSchema *out, paimon_error *err)
{
    arrow_maker m = { mem, field->id, err };
    memset(out, 0, sizeof *out);
    return arrow_node(&m, field->type, field->name, field->type->nullable, field->id, 0, out);
}

paimon_status pmn_row_to_arrow(pmn_mem *mem, const pmn_type *row, struct ArrowSchema *out, paimon_error *err)
{
    arrow_maker m = { mem, -1, err };
    memset(out, 0, sizeof *out);
    return arrow_node(&m, row, "", false, -1, 0, out);
}

/* From Arrow. */

typedef struct type_maker {
    pmn_arena *arena;
    int32_t next_id;
    paimon_error *err;
} type_maker;

static paimon_status type_of_arrow(type_maker *m, const struct ArrowSchema *schema, int depth, const pmn_type **out);

static paimon_status refuse_arrow(type_maker *m, const struct ArrowSchema *schema, const char *kind)
{
    return pmn_fail(m->err, PAIMON_UNSUPPORTED, "Arrow column '%s': Paimon has no type for %s (format '%s')", schema->name ? schema->name : "",
                    kind, schema->format);
}

static const struct {
    pmn_arrow_kind arrow;
    pmn_type_kind kind;
    int32_t length;
} same_types[] = {
    { PMN_ARROW_BOOL, PMN_BOOLEAN, 0 },
    { PMN_ARROW_INT8, PMN_TINYINT, 0 },
    { PMN_ARROW_INT16, PMN_SMALLINT, 0 },
    { PMN_ARROW_INT32, PMN_INT, 0 },
    { PMN_ARROW_INT64, PMN_BIGINT, 0 },
    { PMN_ARROW_FLOAT, PMN_FLOAT, 0 },
    { PMN_ARROW_DOUBLE, PMN_DOUBLE, 0 },
    { PMN_ARROW_DATE32, PMN_DATE, 0 },
    { PMN_ARROW_DATE64, PMN_DATE, 0 },
    { PMN_ARROW_STRING, PMN_VARCHAR, INT32_MAX },
    { PMN_ARROW_LARGE_STRING, PMN_VARCHAR, INT32_MAX },
    { PMN_ARROW_STRING_VIEW, PMN_VARCHAR, INT32_MAX },
    { PMN_ARROW_BINARY, PMN_VARBINARY, INT32_MAX },
    { PMN_ARROW_LARGE_BINARY, PMN_VARBINARY, INT32_MAX },
    { PMN_ARROW_BINARY_VIEW, PMN_VARBINARY, INT32_MAX },
};

static bool is_blob(const struct ArrowSchema *schema)
{
    const char *value;
    int32_t size;
    return pmn_schema_metadata(schema, BLOB_KEY, &value, &size) && size == (int32_t)strlen(BLOB_VALUE) && memcmp(value, BLOB_VALUE, (size_t)size) == 0;
}

/* Ids are given in order, a field before its nested ones; those of the metadata belong to the table they came from. */
static paimon_status row_of_arrow(type_maker *m, const struct ArrowSchema *schema, int depth, pmn_type *row)
{
    pmn_field *fields = pmn_arena_calloc(m->arena, schema->n_children ? (size_t)schema->n_children : 1, sizeof *fields);
    if (!fields) return pmn_fail_nomem(m->err, "data type");
    row->kind = PMN_ROW;
    row->fields = fields;
    row->n_fields = (int32_t)schema->n_children;
    for (int32_t i = 0; i < row->n_fields; i++) {
        const struct ArrowSchema *child = schema->children[i];
        fields[i].id = m->next_id++;
        fields[i].name = pmn_arena_strdup(m->arena, child->name ? child->name : "");
        if (!fields[i].name) return pmn_fail_nomem(m->err, "data type");
        PMN_TRY(type_of_arrow(m, child, depth + 1, &fields[i].type));
    }
    return pmn_fields_check(m->arena->mem, fields, row->n_fields, m->err);
}

static paimon_status parts_of_arrow(type_maker *m, pmn_type_kind kind, struct ArrowSchema *const *children, int32_t n, int depth, pmn_type *type)
{
    pmn_field *parts = pmn_arena_calloc(m->arena, (size_t)n, sizeof *parts);
    if (!parts) return pmn_fail_nomem(m->err, "data type");
    type->kind = kind;
    type->fields = parts;
    type->n_fields = n;
    for (int32_t i = 0; i < n; i++) {
        parts[i] = (pmn_field){ -1, n == 1 ? "element" : i == 0 ? "key" : "value", NULL, NULL, NULL };
        PMN_TRY(type_of_arrow(m, children[i], depth + 1, &parts[i].type));
    }
    return PAIMON_OK;
}

static paimon_status need_children(type_maker *m, const struct ArrowSchema *schema, int64_t n)
{
    if (schema->n_children == n && (n == 0 || schema->children)) return PAIMON_OK;
    return pmn_fail(m->err, PAIMON_INVALID, "Arrow column '%s': format '%s' with %lld children", schema->name ? schema->name : "", schema->format,
                    (long long)schema->n_children);
}

static paimon_status nested_of_arrow(type_maker *m, const struct ArrowSchema *schema, const pmn_arrow_type *arrow, int depth, pmn_type *type)
{
    switch (arrow->kind) {
    case PMN_ARROW_STRUCT:
        if (schema->n_children < 0 || schema->n_children > INT32_MAX) return need_children(m, schema, 0);
        return row_of_arrow(m, schema, depth, type);
    case PMN_ARROW_MAP:
        PMN_TRY(need_children(m, schema, 1));
        PMN_TRY(need_children(m, schema->children[0], 2));
        return parts_of_arrow(m, PMN_MAP, schema->children[0]->children, 2, depth, type);
    case PMN_ARROW_FIXED_LIST:
        PMN_TRY(need_children(m, schema, 1));
        PMN_TRY(parts_of_arrow(m, PMN_VECTOR, schema->children, 1, depth, type));
        type->length = arrow->width;
        if (type->length < 1 || !pmn_type_fits_vector(type->fields[0].type)) return refuse_arrow(m, schema, "such a fixed-size list");
        return PAIMON_OK;
    case PMN_ARROW_LIST:
    case PMN_ARROW_LARGE_LIST:
    case PMN_ARROW_LIST_VIEW:
    case PMN_ARROW_LARGE_LIST_VIEW:
        PMN_TRY(need_children(m, schema, 1));
        return parts_of_arrow(m, PMN_ARRAY, schema->children, 1, depth, type);
    default: return refuse_arrow(m, schema, pmn_arrow_kind_name(arrow->kind));
    }
}

static paimon_status atomic_of_arrow(type_maker *m, const struct ArrowSchema *schema, const pmn_arrow_type *arrow, pmn_type *type, bool *found)
{
    static const int8_t unit_digits[] = { 0, 3, 6, 9 };
    *found = true;
    switch (arrow->kind) {
    case PMN_ARROW_DECIMAL:
        if (arrow->precision > 38 || arrow->scale < 0 || arrow->scale > arrow->precision) return refuse_arrow(m, schema, "such a decimal");
        type->kind = PMN_DECIMAL;
        type->length = arrow->precision;
        type->scale = arrow->scale;
        return PAIMON_OK;
    case PMN_ARROW_TIMESTAMP:
        type->kind = *arrow->zone ? PMN_TIMESTAMP_LTZ : PMN_TIMESTAMP;
        type->length = unit_digits[arrow->unit];
        return PAIMON_OK;
    case PMN_ARROW_TIME32:
        type->kind = PMN_TIME;
        type->length = unit_digits[arrow->unit];
        return PAIMON_OK;
    case PMN_ARROW_FIXED_BINARY:
        if (arrow->width < 1) return refuse_arrow(m, schema, "fixed-size binary without bytes");
        type->kind = PMN_BINARY;
        type->length = arrow->width;
        return PAIMON_OK;
    default: break;
    }
    for (size_t i = 0; i < sizeof same_types / sizeof *same_types; i++) {
        if (same_types[i].arrow != arrow->kind) continue;
        type->kind = same_types[i].kind;
        type->length = same_types[i].length;
        if (type->kind == PMN_VARBINARY && is_blob(schema)) {
            type->kind = PMN_BLOB;
            type->length = 0;
        }
        return PAIMON_OK;
    }
    *found = false;
    return PAIMON_OK;
}

static paimon_status type_of_arrow(type_maker *m, const struct ArrowSchema *schema, int depth, const pmn_type **out)
{
    if (depth > PMN_TYPE_MAX_DEPTH) return pmn_fail(m->err, PAIMON_UNSUPPORTED, "Arrow types nested deeper than %d", PMN_TYPE_MAX_DEPTH);
    bool nullable = (schema->flags & ARROW_FLAG_NULLABLE) != 0;
    if (schema->dictionary) {
        PMN_TRY(type_of_arrow(m, schema->dictionary, depth + 1, out));
        *out = pmn_type_with_null(m->arena, *out, nullable);
        return *out ? PAIMON_OK : pmn_fail_nomem(m->err, "data type");
    }
    pmn_arrow_type arrow;
    PMN_TRY(pmn_arrow_type_parse(schema->format, &arrow, m->err));
    pmn_type *type = pmn_arena_calloc(m->arena, 1, sizeof *type);
    if (!type) return pmn_fail_nomem(m->err, "data type");
    type->nullable = nullable;
    *out = type;
    bool found;
    PMN_TRY(atomic_of_arrow(m, schema, &arrow, type, &found));
    return found ? PAIMON_OK : nested_of_arrow(m, schema, &arrow, depth, type);
}

paimon_status pmn_type_from_arrow(pmn_arena *arena, const struct ArrowSchema *schema, const pmn_type **out, paimon_error *err)
{
    type_maker m = { arena, 0, err };
    return type_of_arrow(&m, schema, 0, out);
}

#undef FIELD_ID_KEY
#undef BLOB_KEY
#undef BLOB_VALUE
#undef PART_ID_BASE
