/* The columns of an ORC file as others see them: the tree of fields that wanted schemas are matched to, and the natural Arrow schema. */
#include <stdio.h>
#include <string.h>

#include "format/orc/file.h"

static pmn_field_shape orc_shape(pmn_orc_kind kind)
{
    switch (kind) {
    case PMN_ORC_STRUCT: return PMN_SHAPE_STRUCT;
    case PMN_ORC_LIST: return PMN_SHAPE_LIST;
    case PMN_ORC_MAP: return PMN_SHAPE_MAP;
    default: return PMN_SHAPE_LEAF;
    }
}

static paimon_status orc_field_build(pmn_arena *arena, const pmn_orc_type *type, pmn_file_field *out, paimon_error *err);

static paimon_status orc_fields_of(pmn_arena *arena, const pmn_orc_type *type, pmn_file_field *out, paimon_error *err)
{
    pmn_file_field *children = pmn_arena_calloc(arena, type->n_children ? (size_t)type->n_children : 1, sizeof *children);
    if (!children) return pmn_fail_nomem(err, "the columns of an ORC file");
    for (int32_t i = 0; i < type->n_children; i++) PMN_TRY(orc_field_build(arena, type->children[i], &children[i], err));
    out->children = children;
    out->n_children = type->n_children;
    return PAIMON_OK;
}

/* Recursion is bounded by PMN_ORC_MAX_DEPTH. */
static paimon_status orc_field_build(pmn_arena *arena, const pmn_orc_type *type, pmn_file_field *out, paimon_error *err)
{
    out->shape = orc_shape(type->kind);
    out->name = type->name;
    out->node = type;
    if (out->shape == PMN_SHAPE_LEAF) return PAIMON_OK;
    if (out->shape != PMN_SHAPE_MAP) return orc_fields_of(arena, type, out, err);
    pmn_file_field *entries = pmn_arena_calloc(arena, 1, sizeof *entries);
    if (!entries) return pmn_fail_nomem(err, "the columns of an ORC file");
    entries->shape = PMN_SHAPE_STRUCT;
    entries->name = "entries";
    entries->node = type;
    out->children = entries;
    out->n_children = 1;
    return orc_fields_of(arena, type, entries, err);
}

paimon_status pmn_orc_fields_build(pmn_orc_file *file, paimon_error *err)
{
    const pmn_orc_type *root = file->meta.types[0];
    if (root->kind == PMN_ORC_STRUCT) return orc_field_build(&file->arena, root, &file->root, err);
    pmn_file_field *column = pmn_arena_calloc(&file->arena, 1, sizeof *column);
    if (!column) return pmn_fail_nomem(err, "the columns of an ORC file");
    file->root = (pmn_file_field){ .shape = PMN_SHAPE_STRUCT, .name = "", .children = column, .n_children = 1 };
    return orc_field_build(&file->arena, root, column, err);
}

/* ---- the natural Arrow schema ---- */

static const char *orc_format(const pmn_orc_type *type, char scratch[32])
{
    static const char *const formats[] = { "b", "c", "s", "i", "l", "f", "g", "u", "z", "tsn:", "+l", "+m", "+s", NULL, NULL, "tdD", "u", "u", "tsn:UTC" };
    if (type->kind != PMN_ORC_DECIMAL) return formats[type->kind];
    snprintf(scratch, 32, "d:%d,%d", type->precision, type->scale);
    return scratch;
}

static paimon_status orc_arrow_node(pmn_mem *mem, const pmn_file_field *field, bool nullable, struct ArrowSchema *out, paimon_error *err);

/* A struct, list or map over its children; the entries of a map are a field of their own. */
static paimon_status orc_arrow_parent(pmn_mem *mem, const pmn_file_field *field, const char *format, bool nullable, struct ArrowSchema *out, paimon_error *err)
{
    bool is_map = field->shape == PMN_SHAPE_MAP;
    const pmn_orc_type *type = field->node;
    bool is_entries = field->shape == PMN_SHAPE_STRUCT && type && type->kind == PMN_ORC_MAP;
    PMN_TRY(pmn_schema_new(mem, format, field->name, nullable ? ARROW_FLAG_NULLABLE : 0, field->n_children, out, err));
    for (int32_t i = 0; i < field->n_children; i++) {
        paimon_status status = orc_arrow_node(mem, &field->children[i], !is_map && !(is_entries && i == 0), out->children[i], err);
        if (status == PAIMON_OK) continue;
        pmn_schema_release(out);
        return status;
    }
    return PAIMON_OK;
}

/* Recursion is bounded by PMN_ORC_MAX_DEPTH. */
static paimon_status orc_arrow_node(pmn_mem *mem, const pmn_file_field *field, bool nullable, struct ArrowSchema *out, paimon_error *err)
{
    char scratch[32];
    const pmn_orc_type *type = field->node;
    const char *format = field->shape == PMN_SHAPE_STRUCT ? "+s" : orc_format(type, scratch);
    if (!format) return pmn_fail(err, PAIMON_UNSUPPORTED, "column \"%s\" is a union, which is not supported", field->name);
    return orc_arrow_parent(mem, field, format, nullable, out, err);
}

paimon_status pmn_orc_schema_arrow(pmn_orc_file *file, struct ArrowSchema *out, paimon_error *err)
{
    return orc_arrow_parent(file->mem, &file->root, "+s", false, out, err);
}
