/* Data types as immutable trees in an arena: making, comparing, copying, finding fields. */
#include "types/type.h"

#include <string.h>
#include <strings.h>

#include "base/map.h"

static const char *const kind_words[] = {
    [PMN_CHAR] = "CHAR",
    [PMN_VARCHAR] = "VARCHAR",
    [PMN_BOOLEAN] = "BOOLEAN",
    [PMN_BINARY] = "BINARY",
    [PMN_VARBINARY] = "VARBINARY",
    [PMN_DECIMAL] = "DECIMAL",
    [PMN_TINYINT] = "TINYINT",
    [PMN_SMALLINT] = "SMALLINT",
    [PMN_INT] = "INT",
    [PMN_BIGINT] = "BIGINT",
    [PMN_FLOAT] = "FLOAT",
    [PMN_DOUBLE] = "DOUBLE",
    [PMN_DATE] = "DATE",
    [PMN_TIME] = "TIME",
    [PMN_TIMESTAMP] = "TIMESTAMP",
    [PMN_TIMESTAMP_LTZ] = "TIMESTAMP WITH LOCAL TIME ZONE",
    [PMN_ARRAY] = "ARRAY",
    [PMN_MULTISET] = "MULTISET",
    [PMN_MAP] = "MAP",
    [PMN_ROW] = "ROW",
    [PMN_VECTOR] = "VECTOR",
    [PMN_VARIANT] = "VARIANT",
    [PMN_BLOB] = "BLOB",
    [PMN_GEOMETRY] = "GEOMETRY",
    [PMN_GEOGRAPHY] = "GEOGRAPHY",
};

const char *pmn_type_kind_name(pmn_type_kind kind) { return kind_words[kind]; }

const pmn_type *pmn_type_new(pmn_arena *arena, pmn_type_kind kind, bool nullable, int32_t length, int32_t scale)
{
    pmn_type *type = pmn_arena_calloc(arena, 1, sizeof *type);
    if (!type) return NULL;
    type->kind = kind;
    type->nullable = nullable;
    type->length = length;
    type->scale = scale;
    return type;
}

const pmn_type *pmn_type_row(pmn_arena *arena, bool nullable, const pmn_field *fields, int32_t n_fields)
{
    pmn_type *type = pmn_arena_calloc(arena, 1, sizeof *type);
    if (!type) return NULL;
    type->kind = PMN_ROW;
    type->nullable = nullable;
    type->fields = fields;
    type->n_fields = n_fields;
    return type;
}

static bool is_blank_name(const char *name)
{
    for (; *name; name++)
        if (!strchr(" \t\n\v\f\r\x1c\x1d\x1e\x1f", *name)) return false;
    return true;
}

paimon_status pmn_fields_check(pmn_mem *mem, const pmn_field *fields, int32_t n_fields, paimon_error *err)
{
    pmn_map seen;
    pmn_map_init(&seen, mem);
    paimon_status status = PAIMON_OK;
    for (int32_t i = 0; i < n_fields && status == PAIMON_OK; i++) {
        uint64_t *place;
        bool fresh = false;
        if (is_blank_name(fields[i].name)) status = pmn_fail(err, PAIMON_INVALID, "field %d: a name that is blank", (int)i);
        else status = pmn_map_put(&seen, pmn_slice_text(fields[i].name), &place, &fresh, err);
        if (status == PAIMON_OK && !fresh) status = pmn_fail(err, PAIMON_INVALID, "two fields named '%s'", fields[i].name);
    }
    pmn_map_free(&seen);
    return status;
}

static bool equal_text(const char *a, const char *b) { return a == b || (a && b && strcasecmp(a, b) == 0); }

bool pmn_type_equal_ignoring_null(const pmn_type *a, const pmn_type *b)
{
    if (a == b) return true;
    if (a->kind != b->kind || a->length != b->length || a->scale != b->scale || a->n_fields != b->n_fields) return false;
    if (!equal_text(a->text, b->text)) return false; /* Java compares reference systems without case */
    for (int32_t i = 0; i < a->n_fields; i++) {
        const pmn_field *x = &a->fields[i], *y = &b->fields[i];
        if (a->kind == PMN_ROW && (x->id != y->id || strcmp(x->name, y->name) != 0)) return false;
        if (!pmn_type_equal(x->type, y->type)) return false;
    }
    return true;
}

bool pmn_type_equal(const pmn_type *a, const pmn_type *b)
{
    return a->nullable == b->nullable && pmn_type_equal_ignoring_null(a, b);
}

const pmn_type *pmn_type_with_null(pmn_arena *arena, const pmn_type *type, bool nullable)
{
    if (type->nullable == nullable) return type;
    pmn_type *other = pmn_arena_copy(arena, type, sizeof *type);
    if (other) other->nullable = nullable;
    return other;
}

static paimon_status copy_type_text(pmn_arena *arena, const char **text, paimon_error *err)
{
    if (!*text) return PAIMON_OK;
    *text = pmn_arena_strdup(arena, *text);
    return *text ? PAIMON_OK : pmn_fail_nomem(err, "data type");
}

paimon_status pmn_type_copy(pmn_arena *arena, const pmn_type *type, const pmn_type **out, paimon_error *err)
{
    pmn_type *copy = pmn_arena_copy(arena, type, sizeof *type);
    if (!copy) return pmn_fail_nomem(err, "data type");
    PMN_TRY(copy_type_text(arena, &copy->text, err));
    if (type->n_fields) {
        pmn_field *fields = pmn_arena_copy(arena, type->fields, (size_t)type->n_fields * sizeof *fields);
        if (!fields) return pmn_fail_nomem(err, "data type");
        copy->fields = fields;
        for (int32_t i = 0; i < type->n_fields; i++) {
            PMN_TRY(copy_type_text(arena, &fields[i].name, err));
            PMN_TRY(copy_type_text(arena, &fields[i].description, err));
            PMN_TRY(copy_type_text(arena, &fields[i].default_value, err));
            PMN_TRY(pmn_type_copy(arena, fields[i].type, &fields[i].type, err));
        }
    }
    *out = copy;
    return PAIMON_OK;
}

int pmn_row_find(const pmn_type *row, const char *name)
{
    for (int32_t i = 0; i < row->n_fields; i++)
        if (strcmp(row->fields[i].name, name) == 0) return (int)i;
    return -1;
}

int pmn_row_find_id(const pmn_type *row, int32_t id)
{
    for (int32_t i = 0; i < row->n_fields; i++)
        if (row->fields[i].id == id) return (int)i;
    return -1;
}
