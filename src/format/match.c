/* Matching a wanted Arrow schema to a file's columns: see match.h. */
#include "format/match.h"

#include <string.h>

typedef struct matcher {
    pmn_arena *arena;
    bool case_insensitive;
    paimon_error *err;
} matcher;

static char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c; }

static bool equal_folded(const char *a, const char *b)
{
    while (*a && ascii_lower(*a) == ascii_lower(*b)) a++, b++;
    return *a == 0 && *b == 0;
}

/* The field named `name`: at its own place if it stands there (so a file's natural schema matches itself even if names repeat), else
 * the first of that spelling, else, if asked, the only one that differs in case. */
static paimon_status find_field(matcher *m, const pmn_file_field *fields, int32_t n, const char *name, int64_t place, const pmn_file_field **out)
{
    *out = NULL;
    if (place < n && strcmp(fields[place].name, name) == 0) {
        *out = &fields[place];
        return PAIMON_OK;
    }
    for (int32_t i = 0; i < n && !*out; i++) {
        if (strcmp(fields[i].name, name) == 0) *out = &fields[i];
    }
    if (*out || !m->case_insensitive) return PAIMON_OK;
    for (int32_t i = 0; i < n; i++) {
        if (!equal_folded(fields[i].name, name)) continue;
        if (*out) return pmn_fail(m->err, PAIMON_CORRUPT, "column \"%s\" may be \"%s\" or \"%s\" of the file: case is not heeded", name, (*out)->name, fields[i].name);
        *out = &fields[i];
    }
    return PAIMON_OK;
}

static const char *shape_name(pmn_field_shape shape)
{
    static const char *const names[] = { "a single value", "a struct", "a list", "a map" };
    return names[shape];
}

static pmn_field_shape wanted_shape(const struct ArrowSchema *schema, const pmn_arrow_type *type)
{
    if (schema->dictionary) return PMN_SHAPE_LEAF;
    switch (type->kind) {
    case PMN_ARROW_STRUCT: return PMN_SHAPE_STRUCT;
    case PMN_ARROW_LIST:
    case PMN_ARROW_LARGE_LIST:
    case PMN_ARROW_LIST_VIEW:
    case PMN_ARROW_LARGE_LIST_VIEW:
    case PMN_ARROW_FIXED_LIST: return PMN_SHAPE_LIST;
    case PMN_ARROW_MAP: return PMN_SHAPE_MAP;
    default: return PMN_SHAPE_LEAF;
    }
}

static paimon_status match_node(matcher *m, const struct ArrowSchema *wanted, const pmn_file_field *field, pmn_want *out);

/* Children by name among `fields`. */
static paimon_status match_by_name(matcher *m, const struct ArrowSchema *wanted, const pmn_file_field *fields, int32_t n_fields, pmn_want *out)
{
    pmn_want *children = pmn_arena_calloc(m->arena, wanted->n_children ? (size_t)wanted->n_children : 1, sizeof *children);
    if (!children) return pmn_fail_nomem(m->err, "the columns to read");
    for (int64_t i = 0; i < wanted->n_children; i++) {
        const struct ArrowSchema *child = wanted->children[i];
        const pmn_file_field *field;
        PMN_TRY(find_field(m, fields, n_fields, child->name ? child->name : "", i, &field));
        PMN_TRY(match_node(m, child, field, &children[i]));
    }
    out->children = children;
    out->n_children = (int32_t)wanted->n_children;
    return PAIMON_OK;
}

/* Children by place: elements, entries, keys and values go by any name. */
static paimon_status match_by_place(matcher *m, const struct ArrowSchema *wanted, const pmn_file_field *field, pmn_want *out)
{
    if (wanted->n_children != field->n_children)
        return pmn_fail(m->err, PAIMON_INVALID, "column \"%s\" is asked with %lld children, expected %d", field->name, (long long)wanted->n_children, field->n_children);
    pmn_want *children = pmn_arena_calloc(m->arena, (size_t)field->n_children, sizeof *children);
    if (!children) return pmn_fail_nomem(m->err, "the columns to read");
    for (int32_t i = 0; i < field->n_children; i++) PMN_TRY(match_node(m, wanted->children[i], &field->children[i], &children[i]));
    out->children = children;
    out->n_children = field->n_children;
    return PAIMON_OK;
}

static paimon_status match_entries(matcher *m, const struct ArrowSchema *wanted, const pmn_file_field *map, pmn_want *out)
{
    const pmn_file_field *entries = &map->children[0];
    pmn_want *child = pmn_arena_calloc(m->arena, 1, sizeof *child);
    if (!child) return pmn_fail_nomem(m->err, "the columns to read");
    if (wanted->n_children != 1) return pmn_fail(m->err, PAIMON_INVALID, "map column \"%s\" is asked without entries", map->name);
    child->schema = wanted->children[0];
    PMN_TRY(pmn_arrow_type_parse(child->schema->format, &child->type, m->err));
    child->field = entries;
    PMN_TRY(match_by_place(m, child->schema, entries, child));
    out->children = child;
    out->n_children = 1;
    return PAIMON_OK;
}

static paimon_status match_absent(matcher *m, const pmn_want *out)
{
    if (out->nullable || out->type.kind == PMN_ARROW_NULL) return PAIMON_OK;
    return pmn_fail(m->err, PAIMON_CORRUPT, "column \"%s\" may not be null, but the file lacks it", out->schema->name ? out->schema->name : "");
}

static paimon_status match_node(matcher *m, const struct ArrowSchema *wanted, const pmn_file_field *field, pmn_want *out)
{
    out->schema = wanted;
    out->field = field;
    out->nullable = (wanted->flags & ARROW_FLAG_NULLABLE) != 0;
    PMN_TRY(pmn_arrow_type_parse(wanted->format, &out->type, m->err));
    if (!field) return match_absent(m, out);
    pmn_field_shape shape = wanted_shape(wanted, &out->type);
    if (shape != field->shape && out->type.kind != PMN_ARROW_NULL)
        return pmn_fail(m->err, PAIMON_CORRUPT, "column \"%s\" is asked as %s (Arrow %s), but is %s in the file", field->name, shape_name(shape), wanted->format, shape_name(field->shape));
    if (shape == PMN_SHAPE_STRUCT) PMN_TRY(match_by_name(m, wanted, field->children, field->n_children, out));
    else if (shape == PMN_SHAPE_LIST) PMN_TRY(match_by_place(m, wanted, field, out));
    else if (shape == PMN_SHAPE_MAP) PMN_TRY(match_entries(m, wanted, field, out));
    return PAIMON_OK;
}

paimon_status pmn_match(pmn_arena *arena, const pmn_file_field *fields, int32_t n_fields, const struct ArrowSchema *wanted, bool case_insensitive,
                        pmn_want *out, paimon_error *err)
{
    matcher m = { arena, case_insensitive, err };
    memset(out, 0, sizeof *out);
    out->schema = wanted;
    PMN_TRY(pmn_arrow_type_parse(wanted->format, &out->type, err));
    if (out->type.kind != PMN_ARROW_STRUCT) return pmn_fail(err, PAIMON_INVALID, "the schema to read is Arrow %s, expected a struct", wanted->format);
    return match_by_name(&m, wanted, fields, n_fields, out);
}
