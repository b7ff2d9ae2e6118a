/* From Avro's types to columns. Records may be shared by many fields, so that a short schema can mean a tree without end or of any size: what
 * refers to itself is refused where it does, and the tree has a bound. */
#include "format/avro/fields.h"

#include <stdio.h>
#include <string.h>

#define AVRO_MAX_NODES 65536
#define AVRO_WIDEST_DECIMAL 76 /* digits that 256 bits hold */

const pmn_avro_type pmn_avro_duration_part = { .kind = PMN_AVRO_FIXED, .size = 4, .min_bytes = 4 };

typedef struct tree_builder {
    pmn_arena *arena;
    const pmn_avro_type *around[PMN_AVRO_MAX_DEPTH]; /* the records that the field is in */
    int n_around;
    int32_t n_nodes;
    paimon_error *err;
} tree_builder;

bool pmn_avro_is_logical(const pmn_avro_type *type, const char *name) { return type->logical && strcmp(type->logical, name) == 0; }

bool pmn_avro_unit(const pmn_avro_type *type, pmn_time_unit *unit)
{
    static const struct {
        const char *name;
        pmn_avro_kind kind;
        pmn_time_unit unit;
    } units[] = {
        { "timestamp-millis", PMN_AVRO_LONG, PMN_UNIT_MILLI },       { "timestamp-micros", PMN_AVRO_LONG, PMN_UNIT_MICRO },
        { "timestamp-nanos", PMN_AVRO_LONG, PMN_UNIT_NANO },         { "local-timestamp-millis", PMN_AVRO_LONG, PMN_UNIT_MILLI },
        { "local-timestamp-micros", PMN_AVRO_LONG, PMN_UNIT_MICRO }, { "local-timestamp-nanos", PMN_AVRO_LONG, PMN_UNIT_NANO },
        { "time-millis", PMN_AVRO_INT, PMN_UNIT_MILLI },             { "time-micros", PMN_AVRO_LONG, PMN_UNIT_MICRO },
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (type->kind != units[i].kind || !pmn_avro_is_logical(type, units[i].name)) continue;
        *unit = units[i].unit;
        return true;
    }
    return false;
}

bool pmn_avro_is_decimal(const pmn_avro_type *type)
{
    return (type->kind == PMN_AVRO_BYTES || type->kind == PMN_AVRO_FIXED) && pmn_avro_is_logical(type, "decimal") && type->precision > 0 &&
           type->precision <= AVRO_WIDEST_DECIMAL && type->scale >= 0 && type->scale <= type->precision;
}

/* ---- the tree ---- */

static paimon_status grow_field(tree_builder *b, const char *name, const pmn_avro_type *type, pmn_file_field *out);

static pmn_file_field *avro_new_children(tree_builder *b, pmn_file_field *parent, int32_t n)
{
    pmn_file_field *children = pmn_arena_calloc(b->arena, n ? (size_t)n : 1, sizeof *children);
    parent->children = children;
    parent->n_children = children ? n : 0;
    return children;
}

static paimon_status no_tree_memory(const tree_builder *b) { return pmn_fail_nomem(b->err, "the columns of an Avro file"); }

static const char *refusal_text(tree_builder *b, const char *before, const char *name, const char *behind)
{
    char text[160];
    int n = snprintf(text, sizeof text, "%s%.80s%s", before, name, behind);
    const char *kept = pmn_arena_strndup(b->arena, text, n > 0 && (size_t)n < sizeof text ? (size_t)n : strlen(text));
    return kept ? kept : before;
}

/* Null and the union around a value, taken away. */
static void unwrap(tree_builder *b, const pmn_avro_type *type, pmn_avro_node *node)
{
    int null_branch = 0;
    node->value = type;
    node->null_code = node->value_code = PMN_AVRO_NO_BRANCH;
    if (type->kind == PMN_AVRO_NULL) node->nullable = true;
    if (type->kind != PMN_AVRO_UNION) return;
    const pmn_avro_type *value = pmn_avro_nullable(type, &null_branch);
    if (value) {
        node->null_code = (uint8_t)(2 * null_branch); /* branches are stored zigzag */
        node->value_code = (uint8_t)(2 - node->null_code);
        node->nullable = true;
    } else if (type->n == 1) {
        value = type->fields[0].type;
        node->value_code = 0;
        node->nullable = value->kind == PMN_AVRO_NULL;
    }
    if (value && value->kind != PMN_AVRO_UNION) {
        node->in_union = true;
        node->value = value;
        return;
    }
    char count[16];
    snprintf(count, sizeof count, "%d", (int)type->n);
    node->refusal = refusal_text(b, "an Avro union of ", count, " types");
}

static paimon_status grow_record(tree_builder *b, const pmn_avro_type *record, pmn_avro_node *node, pmn_file_field *out)
{
    for (int i = 0; i < b->n_around; i++) {
        if (b->around[i] != record) continue;
        node->refusal = refusal_text(b, "the Avro record ", record->name, " within itself");
        return PAIMON_OK;
    }
    if (b->n_around == PMN_AVRO_MAX_DEPTH) return pmn_fail(b->err, PAIMON_CORRUPT, "Avro records are nested deeper than %d levels", PMN_AVRO_MAX_DEPTH);
    b->around[b->n_around++] = record;
    out->shape = PMN_SHAPE_STRUCT;
    pmn_file_field *children = avro_new_children(b, out, record->n);
    if (!children) return no_tree_memory(b);
    for (int32_t i = 0; i < record->n; i++) PMN_TRY(grow_field(b, record->fields[i].name, record->fields[i].type, &children[i]));
    b->n_around--;
    return PAIMON_OK;
}

/* A map's entries: a struct of key and value, which has no type of its own in Avro's maps. */
static paimon_status avro_grow_map(tree_builder *b, const pmn_avro_type *map, pmn_file_field *out)
{
    static const pmn_avro_type key_type = { .kind = PMN_AVRO_STRING, .min_bytes = 1 };
    out->shape = PMN_SHAPE_MAP;
    pmn_file_field *entries = avro_new_children(b, out, 1);
    pmn_avro_node *node = pmn_arena_calloc(b->arena, 1, sizeof *node);
    if (!entries || !node) return no_tree_memory(b);
    node->value = map;
    entries->name = "entries";
    entries->shape = PMN_SHAPE_STRUCT;
    entries->node = node;
    pmn_file_field *pair = avro_new_children(b, entries, 2);
    if (!pair) return no_tree_memory(b);
    PMN_TRY(grow_field(b, "key", &key_type, &pair[0]));
    return grow_field(b, "value", map->fields[0].type, &pair[1]);
}

/* Months, days and milliseconds, each 32 bits without a sign: more than Arrow's interval holds, so they are a struct. */
static paimon_status grow_duration(tree_builder *b, pmn_file_field *out)
{
    static const char *const parts[] = { "months", "days", "milliseconds" };
    out->shape = PMN_SHAPE_STRUCT;
    pmn_file_field *children = avro_new_children(b, out, 3);
    if (!children) return no_tree_memory(b);
    for (int i = 0; i < 3; i++) PMN_TRY(grow_field(b, parts[i], &pmn_avro_duration_part, &children[i]));
    return PAIMON_OK;
}

/* How Paimon writes maps whose keys are not texts: an array of records of two fields, marked. */
static bool is_array_map(const pmn_avro_type *array)
{
    const pmn_avro_type *item = array->fields[0].type;
    return pmn_avro_is_logical(array, "map") && item->kind == PMN_AVRO_RECORD && item->n == 2;
}

static paimon_status grow_field(tree_builder *b, const char *name, const pmn_avro_type *type, pmn_file_field *out)
{
    if (++b->n_nodes > AVRO_MAX_NODES) return pmn_fail(b->err, PAIMON_UNSUPPORTED, "an Avro schema of more than %d columns", AVRO_MAX_NODES);
    pmn_avro_node *node = pmn_arena_calloc(b->arena, 1, sizeof *node);
    if (!node) return no_tree_memory(b);
    unwrap(b, type, node);
    memset(out, 0, sizeof *out);
    out->name = name;
    out->node = node;
    if (node->value->kind == PMN_AVRO_FIXED && node->value->size == 0) node->refusal = "an Avro fixed of no bytes";
    if (node->refusal) return PAIMON_OK;
    switch (node->value->kind) {
    case PMN_AVRO_FIXED:
        return node->value->size == 12 && pmn_avro_is_logical(node->value, "duration") ? grow_duration(b, out) : PAIMON_OK;
    case PMN_AVRO_RECORD: return grow_record(b, node->value, node, out);
    case PMN_AVRO_MAP: return avro_grow_map(b, node->value, out);
    case PMN_AVRO_ARRAY: {
        bool is_map = is_array_map(node->value);
        pmn_file_field *child = avro_new_children(b, out, 1);
        if (!child) return no_tree_memory(b);
        out->shape = is_map ? PMN_SHAPE_MAP : PMN_SHAPE_LIST;
        PMN_TRY(grow_field(b, is_map ? "entries" : "element", node->value->fields[0].type, child));
        if (is_map && pmn_avro_node_of(child)->refusal) { /* a map of itself */
            node->refusal = pmn_avro_node_of(child)->refusal;
            out->shape = PMN_SHAPE_LEAF;
            out->n_children = 0;
        }
        return PAIMON_OK;
    }
    default: return PAIMON_OK;
    }
}

paimon_status pmn_avro_fields_build(pmn_arena *arena, const pmn_avro_type *root, pmn_avro_fields *out, paimon_error *err)
{
    tree_builder b = { .arena = arena, .err = err };
    out->bare = root->kind == PMN_AVRO_RECORD;
    return grow_field(&b, "", root, &out->root);
}

void pmn_avro_fields_of(const pmn_avro_fields *fields, const struct ArrowSchema *wanted, const pmn_file_field **columns, int32_t *n)
{
    bool nameless = wanted && wanted->n_children == 1 && (!wanted->children[0]->name || !*wanted->children[0]->name);
    bool is_struct = fields->root.shape == PMN_SHAPE_STRUCT;
    if (fields->bare || (is_struct && wanted && !nameless)) {
        *columns = fields->root.children;
        *n = fields->root.n_children;
    } else {
        *columns = &fields->root;
        *n = 1;
    }
}

/* ---- Arrow ---- */

static void integer_format(const pmn_avro_type *type, char out[32])
{
    static const char units[] = "smun";
    pmn_time_unit unit;
    if (type->kind == PMN_AVRO_INT && pmn_avro_is_logical(type, "date")) {
        strcpy(out, "tdD");
    } else if (!pmn_avro_unit(type, &unit)) {
        strcpy(out, type->kind == PMN_AVRO_INT ? "i" : "l");
    } else if (strncmp(type->logical, "time-", 5) == 0) {
        snprintf(out, 32, "tt%c", units[unit]);
    } else { /* as the specification of Avro has it: Paimon means the reverse, and says so in the schema that it asks for */
        snprintf(out, 32, "ts%c:%s", units[unit], type->logical[0] == 'l' ? "" : "UTC");
    }
}

static void avro_leaf_format(const pmn_avro_type *type, char out[32])
{
    static const char *const formats[] = { [PMN_AVRO_NULL] = "n", [PMN_AVRO_BOOLEAN] = "b", [PMN_AVRO_FLOAT] = "f", [PMN_AVRO_DOUBLE] = "g",
                                           [PMN_AVRO_BYTES] = "z", [PMN_AVRO_STRING] = "u", [PMN_AVRO_FIXED] = "z", [PMN_AVRO_ENUM] = "u" };
    if (type->kind == PMN_AVRO_INT || type->kind == PMN_AVRO_LONG) {
        integer_format(type, out);
    } else if (pmn_avro_is_decimal(type)) {
        snprintf(out, 32, type->precision > 38 ? "d:%d,%d,256" : "d:%d,%d", (int)type->precision, (int)type->scale);
    } else if (type == &pmn_avro_duration_part) {
        strcpy(out, "I");
    } else if (type->kind == PMN_AVRO_FIXED && type->size > 0) {
        snprintf(out, 32, "w:%lld", (long long)type->size);
    } else {
        strcpy(out, formats[type->kind]);
    }
}

static paimon_status natural_field(pmn_mem *mem, const pmn_file_field *field, bool required, int depth, struct ArrowSchema *out, paimon_error *err)
{
    static const char *const formats[] = { [PMN_SHAPE_STRUCT] = "+s", [PMN_SHAPE_LIST] = "+l", [PMN_SHAPE_MAP] = "+m" };
    const pmn_avro_node *node = pmn_avro_node_of(field);
    char leaf[32];
    if (node->refusal) return pmn_fail(err, PAIMON_UNSUPPORTED, "column \"%s\" is %s, which is not supported yet", field->name, node->refusal);
    if (depth == PMN_ARROW_MAX_DEPTH) return pmn_fail(err, PAIMON_UNSUPPORTED, "column \"%s\" is nested too deep", field->name);
    if (field->shape == PMN_SHAPE_LEAF) avro_leaf_format(node->value, leaf);
    const char *format = field->shape == PMN_SHAPE_LEAF ? leaf : formats[field->shape];
    bool in_map = field->shape == PMN_SHAPE_MAP;
    PMN_TRY(pmn_schema_new(mem, format, field->name, node->nullable && !required ? ARROW_FLAG_NULLABLE : 0, field->n_children, out, err));
    for (int32_t i = 0; i < field->n_children; i++) {
        const pmn_file_field *child = &field->children[i];
        paimon_status status;
        if (!in_map) {
            status = natural_field(mem, child, false, depth + 1, out->children[i], err);
        } else { /* entries and keys are never null */
            status = natural_field(mem, child, true, depth + 1, out->children[i], err);
            if (status == PAIMON_OK) out->children[i]->children[0]->flags &= ~(int64_t)ARROW_FLAG_NULLABLE;
        }
        if (status != PAIMON_OK) {
            pmn_schema_release(out);
            return status;
        }
    }
    return PAIMON_OK;
}

paimon_status pmn_avro_fields_arrow(pmn_mem *mem, const pmn_avro_fields *fields, struct ArrowSchema *out, paimon_error *err)
{
    const pmn_file_field *columns;
    int32_t n;
    pmn_avro_fields_of(fields, NULL, &columns, &n);
    PMN_TRY(pmn_schema_new(mem, "+s", "", 0, n, out, err));
    for (int32_t i = 0; i < n; i++) {
        paimon_status status = natural_field(mem, &columns[i], false, 0, out->children[i], err);
        if (status != PAIMON_OK) {
            pmn_schema_release(out);
            return status;
        }
    }
    return PAIMON_OK;
}
