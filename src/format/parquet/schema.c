/* From the footer's flat list of elements to nodes, and from nodes to fields: see schema.h for what both are.
 *
 * The element of a LIST group is found by the format document's backward-compatibility rules. Of a repeated node R inside it:
 *   R is a leaf; R has several children, or one that is repeated; R is named "array" or <list>_tuple; R is a LIST or MAP itself
 *     → R is the element, and never null (two-level lists of old Avro, Thrift and Hive writers)
 *   else → the one child of R is the element.
 * A repeated node that is not inside a LIST or MAP group is a list of itself, neither of them null. */
#include "format/parquet/schema.h"

#include <stdio.h>
#include <string.h>

typedef struct schema_builder {
    pmn_arena *arena;
    const pmn_parquet_meta *meta;
    const pmn_parquet_node **leaves;
    int32_t next_element;
    int32_t next_leaf;
    paimon_error *err;
} schema_builder;

static paimon_status schema_nomem(schema_builder *b) { return pmn_fail_nomem(b->err, "the columns of a Parquet file"); }

/* ---- nodes ---- */

static paimon_status build_node(schema_builder *b, const pmn_parquet_node *parent, int depth, pmn_parquet_node *out);

static paimon_status build_children(schema_builder *b, int depth, pmn_parquet_node *out)
{
    int32_t n = out->element->n_children;
    if (depth >= PMN_PARQUET_MAX_DEPTH)
        return pmn_fail(b->err, PAIMON_UNSUPPORTED, "the schema of the Parquet file is nested more than %d levels deep", PMN_PARQUET_MAX_DEPTH);
    pmn_parquet_node *children = pmn_arena_calloc(b->arena, (size_t)n, sizeof *children);
    if (!children) return schema_nomem(b);
    for (int32_t i = 0; i < n; i++) PMN_TRY(build_node(b, out, depth + 1, &children[i]));
    out->children = children;
    out->n_children = n;
    return PAIMON_OK;
}

static paimon_status build_node(schema_builder *b, const pmn_parquet_node *parent, int depth, pmn_parquet_node *out)
{
    if (b->next_element >= b->meta->n_elements)
        return pmn_fail(b->err, PAIMON_CORRUPT, "the schema of the Parquet file ends before the children that its groups count");
    const pmn_parquet_element *element = &b->meta->elements[b->next_element++];
    out->element = element;
    out->parent = parent;
    out->max_def = parent ? parent->max_def : 0;
    out->max_rep = parent ? parent->max_rep : 0;
    if (element->repetition != PMN_PQ_REQUIRED) out->max_def++;
    if (element->repetition == PMN_PQ_REPEATED) out->max_rep++;
    out->first_leaf = b->next_leaf;
    if (element->n_children > 0) {
        PMN_TRY(build_children(b, depth, out));
    } else if (element->physical == PMN_PQ_GROUP) {
        if (parent) return pmn_fail(b->err, PAIMON_CORRUPT, "column \"%s\" of the Parquet file is a group without children", element->name);
    } else {
        b->leaves[b->next_leaf++] = out;
    }
    out->n_leaves = b->next_leaf - out->first_leaf;
    return PAIMON_OK;
}

/* Each node but the root is a child of exactly one group: this bounds what build_children allocates. */
static paimon_status check_child_counts(schema_builder *b)
{
    int64_t n = 0;
    for (int32_t i = 0; i < b->meta->n_elements; i++) n += b->meta->elements[i].n_children;
    if (n == b->meta->n_elements - 1) return PAIMON_OK;
    return pmn_fail(b->err, PAIMON_CORRUPT, "the schema of the Parquet file has %d elements, but its groups count %lld children", b->meta->n_elements, (long long)n);
}

/* ---- leaf types ---- */

static paimon_status decimal_format(schema_builder *b, const pmn_parquet_element *e, const char **out)
{
    const pmn_parquet_logical *l = &e->logical;
    if (l->precision < 1 || l->scale < 0 || l->scale > l->precision)
        return pmn_fail(b->err, PAIMON_CORRUPT, "column \"%s\" of the Parquet file is DECIMAL(%d, %d)", e->name, l->precision, l->scale);
    if (l->precision > 76 || (e->physical == PMN_PQ_FIXED && e->type_length > 32))
        return pmn_fail(b->err, PAIMON_UNSUPPORTED, "column \"%s\": DECIMAL(%d, %d) in %d bytes", e->name, l->precision, l->scale, e->type_length);
    char text[48];
    bool wide = l->precision > 38;
    int n = snprintf(text, sizeof text, wide ? "d:%d,%d,256" : "d:%d,%d", l->precision, l->scale);
    *out = pmn_arena_strndup(b->arena, text, (size_t)n);
    return *out ? PAIMON_OK : schema_nomem(b);
}

static const char *int32_format(const pmn_parquet_logical *l)
{
    switch (l->kind) {
    case PMN_PQ_LOGICAL_DATE: return "tdD";
    case PMN_PQ_LOGICAL_TIME: return l->unit == PMN_PQ_MILLIS ? "ttm" : "i";
    case PMN_PQ_LOGICAL_INTEGER:
        if (l->bits == 8) return l->is_signed ? "c" : "C";
        if (l->bits == 16) return l->is_signed ? "s" : "S";
        return l->is_signed ? "i" : "I";
    default: return "i";
    }
}

static const char *int64_format(const pmn_parquet_logical *l)
{
    switch (l->kind) {
    case PMN_PQ_LOGICAL_TIME: return l->unit == PMN_PQ_MICROS ? "ttu" : l->unit == PMN_PQ_NANOS ? "ttn" : "l";
    case PMN_PQ_LOGICAL_TIMESTAMP:
        if (l->unit == PMN_PQ_MILLIS) return l->utc ? "tsm:UTC" : "tsm:";
        if (l->unit == PMN_PQ_MICROS) return l->utc ? "tsu:UTC" : "tsu:";
        return l->utc ? "tsn:UTC" : "tsn:";
    case PMN_PQ_LOGICAL_INTEGER: return l->is_signed ? "l" : "L";
    default: return "l";
    }
}

static paimon_status fixed_format(schema_builder *b, const pmn_parquet_element *e, const char **out)
{
    if (e->logical.kind == PMN_PQ_LOGICAL_FLOAT16 && e->type_length == 2) {
        *out = "e";
        return PAIMON_OK;
    }
    if (e->type_length > PMN_PARQUET_MAX_FIXED)
        return pmn_fail(b->err, PAIMON_UNSUPPORTED, "column \"%s\": values of a fixed length of %d bytes", e->name, e->type_length);
    char text[24];
    int n = snprintf(text, sizeof text, "w:%d", e->type_length);
    *out = pmn_arena_strndup(b->arena, text, (size_t)n);
    return *out ? PAIMON_OK : schema_nomem(b);
}

/* The Arrow type that loses nothing of what the annotation says; one that does not go with its physical type is not heeded. */
static paimon_status leaf_format(schema_builder *b, const pmn_parquet_element *e, const char **out)
{
    const pmn_parquet_logical *l = &e->logical;
    bool may_be_decimal = e->physical == PMN_PQ_INT32 || e->physical == PMN_PQ_INT64 || e->physical == PMN_PQ_BYTE_ARRAY || e->physical == PMN_PQ_FIXED;
    if (l->kind == PMN_PQ_LOGICAL_DECIMAL && may_be_decimal) return decimal_format(b, e, out);
    if (l->kind == PMN_PQ_LOGICAL_NULL) {
        *out = "n";
        return PAIMON_OK;
    }
    switch (e->physical) {
    case PMN_PQ_BOOLEAN: *out = "b"; break;
    case PMN_PQ_INT32: *out = int32_format(l); break;
    case PMN_PQ_INT64: *out = int64_format(l); break;
    case PMN_PQ_INT96: *out = "tsn:"; break;
    case PMN_PQ_FLOAT: *out = "f"; break;
    case PMN_PQ_DOUBLE: *out = "g"; break;
    case PMN_PQ_FIXED: return fixed_format(b, e, out);
    default: *out = l->kind == PMN_PQ_LOGICAL_STRING || l->kind == PMN_PQ_LOGICAL_JSON ? "u" : "z"; break;
    }
    return PAIMON_OK;
}

/* ---- fields ---- */

typedef struct field_place {
    int16_t slot_def;
    int16_t slot_rep;
    bool is_element; /* a repeated node seen from inside: one of its elements, never null */
} field_place;

static paimon_status build_field(schema_builder *b, const pmn_parquet_node *node, field_place place, pmn_parquet_field *out);

static bool is_list_or_map(const pmn_parquet_node *node)
{
    pmn_parquet_logical_kind kind = node->element->logical.kind;
    return node->n_children > 0 && (kind == PMN_PQ_LOGICAL_LIST || kind == PMN_PQ_LOGICAL_MAP || kind == PMN_PQ_LOGICAL_MAP_KEY_VALUE);
}

static bool is_repeated(const pmn_parquet_node *node) { return node->element->repetition == PMN_PQ_REPEATED; }

static bool is_tuple_of(const char *name, const char *list)
{
    size_t n = strlen(list);
    return strncmp(name, list, n) == 0 && strcmp(name + n, "_tuple") == 0;
}

static bool repeated_is_element(const pmn_parquet_node *list, const pmn_parquet_node *repeated)
{
    if (repeated->n_children != 1 || is_repeated(&repeated->children[0]) || is_list_or_map(repeated)) return true;
    return strcmp(repeated->element->name, "array") == 0 || is_tuple_of(repeated->element->name, list->element->name);
}

static paimon_status new_children(schema_builder *b, int32_t n, pmn_parquet_field *out, pmn_parquet_field **children)
{
    *children = pmn_arena_calloc(b->arena, (size_t)n, sizeof **children);
    if (!*children) return schema_nomem(b);
    out->children = *children;
    out->n_children = n;
    return PAIMON_OK;
}

static paimon_status build_list(schema_builder *b, const pmn_parquet_node *repeated, bool element_is_repeated, pmn_parquet_field *out)
{
    pmn_parquet_field *element;
    out->shape = PMN_SHAPE_LIST;
    out->element_def = repeated->max_def;
    out->element_rep = repeated->max_rep;
    PMN_TRY(new_children(b, 1, out, &element));
    field_place place = { repeated->max_def, repeated->max_rep, element_is_repeated };
    return build_field(b, element_is_repeated ? repeated : &repeated->children[0], place, element);
}

static paimon_status build_struct(schema_builder *b, const pmn_parquet_node *node, field_place place, pmn_parquet_field *out)
{
    pmn_parquet_field *children;
    out->shape = PMN_SHAPE_STRUCT;
    PMN_TRY(new_children(b, node->n_children, out, &children));
    place.is_element = false;
    for (int32_t i = 0; i < node->n_children; i++) PMN_TRY(build_field(b, &node->children[i], place, &children[i]));
    return PAIMON_OK;
}

static void place_field(const pmn_parquet_node *node, field_place place, pmn_parquet_field *out)
{
    out->node = node;
    out->name = node->element->name;
    out->field_id = node->element->field_id;
    out->slot_def = place.slot_def;
    out->slot_rep = place.slot_rep;
    out->value_def = node->max_def;
    out->first_leaf = node->first_leaf;
    out->n_leaves = node->n_leaves;
    out->nullable = node->element->repetition == PMN_PQ_OPTIONAL;
}

static paimon_status build_map(schema_builder *b, const pmn_parquet_node *repeated, pmn_parquet_field *out)
{
    pmn_parquet_field *entries;
    field_place place = { repeated->max_def, repeated->max_rep, true };
    out->shape = PMN_SHAPE_MAP;
    out->element_def = repeated->max_def;
    out->element_rep = repeated->max_rep;
    PMN_TRY(new_children(b, 1, out, &entries));
    place_field(repeated, place, entries);
    return build_struct(b, repeated, place, entries);
}

static paimon_status build_field(schema_builder *b, const pmn_parquet_node *node, field_place place, pmn_parquet_field *out)
{
    place_field(node, place, out);
    if (is_repeated(node) && !place.is_element) {
        out->value_def = (int16_t)(node->max_def - 1);
        return build_list(b, node, true, out);
    }
    if (node->n_children == 0) {
        out->shape = PMN_SHAPE_LEAF;
        return leaf_format(b, node->element, &out->format);
    }
    /* A group annotated as a list or map that does not hold one repeated node is taken as the struct it is. */
    if (is_list_or_map(node) && node->n_children == 1 && is_repeated(&node->children[0])) {
        const pmn_parquet_node *repeated = &node->children[0];
        if (node->element->logical.kind == PMN_PQ_LOGICAL_LIST) return build_list(b, repeated, repeated_is_element(node, repeated), out);
        if (repeated->n_children == 2) return build_map(b, repeated, out);
        /* a map without values is a set */
        return build_list(b, repeated, repeated_is_element(node, repeated), out);
    }
    return build_struct(b, node, place, out);
}

/* Fields as matching sees them. */
static paimon_status show_fields(schema_builder *b, const pmn_parquet_field *fields, int32_t n, const pmn_file_field **out)
{
    pmn_file_field *shown = pmn_arena_calloc(b->arena, n ? (size_t)n : 1, sizeof *shown);
    if (!shown) return schema_nomem(b);
    for (int32_t i = 0; i < n; i++) {
        shown[i] = (pmn_file_field){ .shape = fields[i].shape, .name = fields[i].name, .n_children = fields[i].n_children, .node = &fields[i] };
        if (fields[i].n_children) PMN_TRY(show_fields(b, fields[i].children, fields[i].n_children, &shown[i].children));
    }
    *out = shown;
    return PAIMON_OK;
}

paimon_status pmn_parquet_schema_build(pmn_arena *arena, const pmn_parquet_meta *meta, pmn_parquet_schema *out, paimon_error *err)
{
    schema_builder b = { arena, meta, NULL, 0, 0, err };
    memset(out, 0, sizeof *out);
    PMN_TRY(check_child_counts(&b));
    b.leaves = pmn_arena_calloc(arena, (size_t)meta->n_elements, sizeof *b.leaves);
    pmn_parquet_node *root = pmn_arena_calloc(arena, 1, sizeof *root);
    if (!b.leaves || !root) return schema_nomem(&b);
    PMN_TRY(build_node(&b, NULL, 0, root));
    if (b.next_element != meta->n_elements)
        return pmn_fail(err, PAIMON_CORRUPT, "the schema of the Parquet file has %d elements behind its last column", meta->n_elements - b.next_element);
    pmn_parquet_field *fields = pmn_arena_calloc(arena, root->n_children ? (size_t)root->n_children : 1, sizeof *fields);
    if (!fields) return schema_nomem(&b);
    field_place top = { 0, 0, false };
    for (int32_t i = 0; i < root->n_children; i++) PMN_TRY(build_field(&b, &root->children[i], top, &fields[i]));
    out->root = root;
    out->leaves = b.leaves;
    out->n_leaves = b.next_leaf;
    out->fields = fields;
    out->n_fields = root->n_children;
    return show_fields(&b, fields, root->n_children, &out->shown);
}

paimon_status pmn_parquet_match(pmn_arena *arena, const pmn_parquet_schema *schema, const struct ArrowSchema *wanted, bool case_insensitive,
                                pmn_want *out, paimon_error *err)
{
    return pmn_match(arena, schema->shown, schema->n_fields, wanted, case_insensitive, out, err);
}

int32_t pmn_parquet_level_leaf(const pmn_want *want)
{
    if (!want->field) return -1;
    for (int32_t i = 0; i < want->n_children; i++) {
        int32_t leaf = pmn_parquet_level_leaf(&want->children[i]);
        if (leaf >= 0) return leaf;
    }
    return pmn_parquet_wanted(want)->first_leaf;
}

const char *pmn_parquet_leaf_path(pmn_arena *arena, const pmn_parquet_node *leaf)
{
    size_t size = 0;
    for (const pmn_parquet_node *n = leaf; n->parent; n = n->parent) size += strlen(n->element->name) + 1;
    if (size == 0) return "";
    char *text = pmn_arena_alloc(arena, size);
    if (!text) return "?";
    size_t end = size - 1;
    text[end] = 0;
    for (const pmn_parquet_node *n = leaf; n->parent; n = n->parent) {
        size_t length = strlen(n->element->name);
        end -= length;
        memcpy(text + end, n->element->name, length);
        if (n->parent->parent) text[--end] = '.';
    }
    return text;
}

/* ---- Arrow ---- */

static paimon_status field_arrow(pmn_mem *mem, const pmn_parquet_field *field, bool is_key, struct ArrowSchema *out, paimon_error *err)
{
    static const char *const formats[] = { [PMN_SHAPE_STRUCT] = "+s", [PMN_SHAPE_LIST] = "+l", [PMN_SHAPE_MAP] = "+m" };
    const char *format = field->shape == PMN_SHAPE_LEAF ? field->format : formats[field->shape];
    paimon_status status;
    PMN_TRY(pmn_schema_new(mem, format, field->name, field->nullable && !is_key ? ARROW_FLAG_NULLABLE : 0, field->n_children, out, err));
    if (field->field_id >= 0) {
        char id[16];
        const char *key = "PARQUET:field_id", *value = id;
        snprintf(id, sizeof id, "%d", field->field_id);
        PMN_GOTO(status, pmn_schema_set_metadata(out, &key, &value, 1, err), failed);
    }
    for (int32_t i = 0; i < field->n_children; i++) {
        const pmn_parquet_field *child = &field->children[i];
        if (field->shape != PMN_SHAPE_MAP) {
            PMN_GOTO(status, field_arrow(mem, child, false, out->children[i], err), failed);
            continue;
        }
        struct ArrowSchema *entries = out->children[0];
        PMN_GOTO(status, pmn_schema_new(mem, "+s", child->name, 0, 2, entries, err), failed);
        PMN_GOTO(status, field_arrow(mem, &child->children[0], true, entries->children[0], err), failed);
        PMN_GOTO(status, field_arrow(mem, &child->children[1], false, entries->children[1], err), failed);
    }
    return PAIMON_OK;
failed:
    pmn_schema_release(out);
    return status;
}

paimon_status pmn_parquet_schema_arrow(pmn_mem *mem, const pmn_parquet_schema *schema, struct ArrowSchema *out, paimon_error *err)
{
    PMN_TRY(pmn_schema_new(mem, "+s", "", 0, schema->n_fields, out, err));
    for (int32_t i = 0; i < schema->n_fields; i++) {
        paimon_status status = field_arrow(mem, &schema->fields[i], false, out->children[i], err);
        if (status != PAIMON_OK) {
            pmn_schema_release(out);
            return status;
        }
    }
    return PAIMON_OK;
}
