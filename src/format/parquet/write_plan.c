/* From a ROW type to the schema of a file. Field ids: Java's SpecialFields. */
#include "format/parquet/write_plan.h"

#include <string.h>

#define PART_ID_MIDDLE 536870911 /* ids of parts without one spread from here */
#define MAX_NODES (1 << 24)

typedef struct planner {
    pmn_arena *arena;
    pmn_pqw_plan *plan;
    int32_t column;
    int n_steps, n_parts;
    pmn_pqw_step steps[PMN_TYPE_MAX_DEPTH + 2];
    pmn_slice parts[3 * PMN_TYPE_MAX_DEPTH + 6];
    uint8_t def, rep;
    paimon_error *err;
} planner;

/* A node to be made: what its parent says of it. */
typedef struct planned {
    const pmn_type *type;
    const char *name;
    bool nullable;
    int32_t id;       /* its own */
    int32_t owner_id; /* of the field of a ROW that it is part of */
    int depth;        /* collections between that field and it */
} planned;

static const pmn_type count_type = { PMN_INT, false, 0, 0, 0, NULL, NULL };
static const pmn_type bytes_type = { PMN_VARBINARY, false, INT32_MAX, 0, 0, NULL, NULL };

static bool add_nodes(const pmn_type *type, int64_t *elements, int64_t *leaves, int depth)
{
    if (depth > PMN_TYPE_MAX_DEPTH) return false;
    (*elements)++;
    if (*elements > MAX_NODES) return false;
    switch (type->kind) {
    case PMN_ROW:
        for (int32_t i = 0; i < type->n_fields; i++)
            if (!add_nodes(type->fields[i].type, elements, leaves, depth + 1)) return false;
        return true;
    case PMN_ARRAY:
    case PMN_VECTOR:
        (*elements)++;
        return add_nodes(type->fields[0].type, elements, leaves, depth + 1);
    case PMN_MULTISET:
    case PMN_MAP:
        (*elements)++;
        if (!add_nodes(type->fields[0].type, elements, leaves, depth + 1)) return false;
        return add_nodes(type->kind == PMN_MAP ? type->fields[1].type : &count_type, elements, leaves, depth + 1);
    case PMN_VARIANT:
        *elements += 2;
        *leaves += 2;
        return true;
    default: (*leaves)++; return true;
    }
}

/* The least n with 2^(8n-1) ≥ 10^precision. */
static int32_t fixed_bytes(int32_t precision)
{
    static const int8_t bytes[] = { 9, 9, 9, 10, 10, 11, 11, 11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 16, 16, 16 };
    return bytes[precision - 19];
}

static void set_stored(pmn_pqw_leaf *leaf, pmn_pqw_source source, pmn_parquet_physical physical)
{
    leaf->source = source;
    leaf->physical = physical;
}

static void plan_decimal(pmn_pqw_leaf *leaf, const pmn_type *type, pmn_parquet_logical *logical)
{
    logical->kind = PMN_PQ_LOGICAL_DECIMAL;
    logical->precision = type->length;
    logical->scale = type->scale;
    if (type->length <= 9) {
        set_stored(leaf, PMN_PQW_DECIMAL32, PMN_PQ_INT32);
    } else if (type->length <= 18) {
        set_stored(leaf, PMN_PQW_DECIMAL64, PMN_PQ_INT64);
    } else {
        set_stored(leaf, PMN_PQW_DECIMAL128, PMN_PQ_FIXED);
        leaf->type_length = fixed_bytes(type->length);
    }
}

static void plan_timestamp(pmn_pqw_leaf *leaf, const pmn_type *type, pmn_parquet_logical *logical)
{
    if (type->length > 6) { /* nanoseconds of INT64 are not read by Java */
        set_stored(leaf, PMN_PQW_NANOS, PMN_PQ_INT96);
        return;
    }
    set_stored(leaf, type->length == 0 ? PMN_PQW_SECONDS : PMN_PQW_INT64, PMN_PQ_INT64);
    logical->kind = PMN_PQ_LOGICAL_TIMESTAMP;
    logical->unit = type->length <= 3 ? PMN_PQ_MILLIS : PMN_PQ_MICROS;
    logical->utc = type->kind == PMN_TIMESTAMP_LTZ;
}

static void plan_small(pmn_pqw_leaf *leaf, pmn_pqw_source source, int32_t bits, pmn_parquet_logical *logical)
{
    set_stored(leaf, source, PMN_PQ_INT32);
    logical->kind = PMN_PQ_LOGICAL_INTEGER;
    logical->bits = bits;
    logical->is_signed = true;
}

static paimon_status plan_value(const planner *p, pmn_pqw_leaf *leaf, const pmn_type *type, pmn_parquet_logical *logical)
{
    switch (type->kind) {
    case PMN_CHAR:
    case PMN_VARCHAR:
        logical->kind = PMN_PQ_LOGICAL_STRING;
        leaf->is_text = true;
        set_stored(leaf, PMN_PQW_BYTES32, PMN_PQ_BYTE_ARRAY);
        return PAIMON_OK;
    case PMN_BINARY:
    case PMN_VARBINARY: set_stored(leaf, PMN_PQW_BYTES32, PMN_PQ_BYTE_ARRAY); return PAIMON_OK;
    case PMN_BLOB: set_stored(leaf, PMN_PQW_BYTES64, PMN_PQ_BYTE_ARRAY); return PAIMON_OK;
    case PMN_BOOLEAN: set_stored(leaf, PMN_PQW_BITS, PMN_PQ_BOOLEAN); return PAIMON_OK;
    case PMN_DECIMAL: plan_decimal(leaf, type, logical); return PAIMON_OK;
    case PMN_TINYINT: plan_small(leaf, PMN_PQW_INT8, 8, logical); return PAIMON_OK;
    case PMN_SMALLINT: plan_small(leaf, PMN_PQW_INT16, 16, logical); return PAIMON_OK;
    case PMN_INT: set_stored(leaf, PMN_PQW_INT32, PMN_PQ_INT32); return PAIMON_OK;
    case PMN_BIGINT: set_stored(leaf, PMN_PQW_INT64, PMN_PQ_INT64); return PAIMON_OK;
    case PMN_FLOAT: set_stored(leaf, PMN_PQW_FLOAT, PMN_PQ_FLOAT); return PAIMON_OK;
    case PMN_DOUBLE: set_stored(leaf, PMN_PQW_DOUBLE, PMN_PQ_DOUBLE); return PAIMON_OK;
    case PMN_DATE:
        logical->kind = PMN_PQ_LOGICAL_DATE;
        set_stored(leaf, PMN_PQW_INT32, PMN_PQ_INT32);
        return PAIMON_OK;
    case PMN_TIME:
        logical->kind = PMN_PQ_LOGICAL_TIME;
        logical->unit = PMN_PQ_MILLIS;
        logical->utc = true;
        set_stored(leaf, PMN_PQW_INT32, PMN_PQ_INT32);
        return PAIMON_OK;
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: plan_timestamp(leaf, type, logical); return PAIMON_OK;
    default: return pmn_fail(p->err, PAIMON_UNSUPPORTED, "writing %s to Parquet is not supported yet", pmn_type_kind_name(type->kind));
    }
}

static pmn_parquet_element *add_element(planner *p, const planned *n, int32_t n_children)
{
    pmn_parquet_element *e = &p->plan->elements[p->plan->n_elements++];
    memset(e, 0, sizeof *e);
    e->name = n->name;
    e->physical = PMN_PQ_GROUP;
    e->repetition = n->nullable ? PMN_PQ_OPTIONAL : PMN_PQ_REQUIRED;
    e->n_children = n_children;
    e->field_id = n->id;
    return e;
}

static void add_repeated(planner *p, const char *name, int32_t n_children)
{
    planned n = { NULL, name, false, -1, 0, 0 };
    add_element(p, &n, n_children)->repetition = PMN_PQ_REPEATED;
}

static char *join_parts(const planner *p)
{
    size_t size = 0;
    for (int i = 0; i < p->n_parts; i++) size += p->parts[i].size + 1;
    char *path = pmn_arena_alloc(p->arena, size), *at = path;
    if (!path) return NULL;
    for (int i = 0; i < p->n_parts; i++) {
        memcpy(at, p->parts[i].data, p->parts[i].size);
        at += p->parts[i].size;
        *at++ = i + 1 < p->n_parts ? '.' : 0;
    }
    return path;
}

static paimon_status plan_leaf(planner *p, const planned *n)
{
    pmn_pqw_leaf *leaf = &p->plan->leaves[p->plan->n_leaves++];
    memset(leaf, 0, sizeof *leaf);
    pmn_parquet_element *e = add_element(p, n, 0);
    PMN_TRY(plan_value(p, leaf, n->type, &e->logical));
    e->physical = leaf->physical;
    e->type_length = leaf->type_length;
    leaf->type = n->type;
    leaf->column = p->column;
    leaf->max_def = p->def;
    leaf->max_rep = p->rep;
    leaf->n_steps = p->n_steps;
    leaf->steps = pmn_arena_copy(p->arena, p->steps, (size_t)p->n_steps * sizeof *p->steps);
    leaf->n_parts = p->n_parts;
    leaf->parts = pmn_arena_copy(p->arena, p->parts, (size_t)p->n_parts * sizeof *p->parts);
    leaf->path = join_parts(p);
    return leaf->steps && leaf->parts && leaf->path ? PAIMON_OK : pmn_fail_nomem(p->err, "the columns of a Parquet file");
}

static paimon_status plan_node(planner *p, const planned *n);

/* The children of a group or a repeated group, the way to them ending in `step`. */
static paimon_status plan_child(planner *p, pmn_pqw_step step, const char *middle, const planned *child)
{
    uint8_t def = p->def, rep = p->rep;
    int n_parts = p->n_parts;
    p->steps[p->n_steps++] = step;
    if (middle) {
        p->parts[p->n_parts++] = pmn_slice_text(middle);
        p->def++;
        p->rep++;
    }
    paimon_status status = plan_node(p, child);
    p->n_steps--;
    p->n_parts = n_parts;
    p->def = def;
    p->rep = rep;
    return status;
}

static int32_t plan_part_id(const planned *n, bool key)
{
    uint32_t way = (uint32_t)n->owner_id * 1024 + (uint32_t)n->depth + 1; /* an int of Java: it wraps */
    return (int32_t)(PART_ID_MIDDLE + (key ? 0 - way : way));
}

static paimon_status plan_list(planner *p, const planned *n)
{
    const pmn_type *element = n->type->fields[0].type;
    bool fixed = n->type->kind == PMN_VECTOR;
    pmn_pqw_step step = { fixed ? PMN_PQW_FIXED_LIST : PMN_PQW_LIST, n->nullable, 0, fixed ? n->type->length : 0 };
    planned child = { element, "element", element->nullable, plan_part_id(n, false), n->owner_id, n->depth + 1 };
    add_element(p, n, 1)->logical.kind = PMN_PQ_LOGICAL_LIST;
    add_repeated(p, "list", 1);
    return plan_child(p, step, "list", &child);
}

static paimon_status plan_map(planner *p, const planned *n)
{
    const pmn_type *value_type = n->type->kind == PMN_MAP ? n->type->fields[1].type : &count_type;
    pmn_pqw_step step = { PMN_PQW_MAP, n->nullable, 0, 0 };
    planned key = { n->type->fields[0].type, "key", false, plan_part_id(n, true), n->owner_id, n->depth + 1 };
    planned value = { value_type, "value", value_type->nullable, plan_part_id(n, false), n->owner_id, n->depth + 1 };
    add_element(p, n, 1)->logical.kind = PMN_PQ_LOGICAL_MAP;
    add_repeated(p, "key_value", 2);
    PMN_TRY(plan_child(p, step, "key_value", &key));
    step.child = 1;
    return plan_child(p, step, "key_value", &value);
}

static paimon_status plan_row(planner *p, const planned *n)
{
    pmn_pqw_step step = { PMN_PQW_STRUCT, n->nullable, 0, 0 };
    if (n->type->n_fields == 0) return pmn_fail(p->err, PAIMON_UNSUPPORTED, "column %s: Parquet has no ROW without fields", n->name);
    add_element(p, n, n->type->n_fields);
    for (int32_t i = 0; i < n->type->n_fields; i++) {
        const pmn_field *f = &n->type->fields[i];
        planned child = { f->type, f->name, f->type->nullable, f->id, f->id, 0 };
        step.child = i;
        PMN_TRY(plan_child(p, step, NULL, &child));
    }
    return PAIMON_OK;
}

static paimon_status plan_variant(planner *p, const planned *n)
{
    static const char *const names[] = { "value", "metadata" };
    pmn_pqw_step step = { PMN_PQW_STRUCT, n->nullable, 0, 0 };
    add_element(p, n, 2);
    for (int32_t i = 0; i < 2; i++) {
        planned child = { &bytes_type, names[i], false, i, i, 0 };
        step.child = i;
        PMN_TRY(plan_child(p, step, NULL, &child));
    }
    return PAIMON_OK;
}

static paimon_status plan_node(planner *p, const planned *n)
{
    int n_parts = p->n_parts;
    uint8_t def = p->def;
    paimon_status status;
    p->parts[p->n_parts++] = pmn_slice_text(n->name);
    if (n->nullable) p->def++;
    switch (n->type->kind) {
    case PMN_ROW: status = plan_row(p, n); break;
    case PMN_ARRAY:
    case PMN_VECTOR: status = plan_list(p, n); break;
    case PMN_MAP:
    case PMN_MULTISET: status = plan_map(p, n); break;
    case PMN_VARIANT: status = plan_variant(p, n); break;
    default: {
        pmn_pqw_step step = { PMN_PQW_LEAF, n->nullable, 0, 0 };
        p->steps[p->n_steps++] = step;
        status = plan_leaf(p, n);
        p->n_steps--;
        break;
    }
    }
    p->n_parts = n_parts;
    p->def = def;
    return status;
}

paimon_status pmn_pqw_plan_make(pmn_arena *arena, const pmn_type *row, pmn_pqw_plan *out, paimon_error *err)
{
    int64_t n_elements = 0, n_leaves = 0;
    memset(out, 0, sizeof *out);
    if (!add_nodes(row, &n_elements, &n_leaves, 0)) return pmn_fail(err, PAIMON_UNSUPPORTED, "a row type this deep or wide cannot be written to Parquet");
    out->elements = pmn_arena_calloc(arena, (size_t)n_elements, sizeof *out->elements);
    out->leaves = pmn_arena_calloc(arena, (size_t)n_leaves, sizeof *out->leaves);
    if (!out->elements || !out->leaves) return pmn_fail_nomem(err, "the columns of a Parquet file");
    planner p = { .arena = arena, .plan = out, .err = err };
    planned root = { row, "paimon_schema", false, -1, -1, 0 };
    add_element(&p, &root, row->n_fields);
    for (int32_t i = 0; i < row->n_fields; i++) {
        const pmn_field *f = &row->fields[i];
        planned column = { f->type, f->name, f->type->nullable, f->id, f->id, 0 };
        p.column = i;
        PMN_TRY(plan_node(&p, &column));
    }
    return PAIMON_OK;
}
