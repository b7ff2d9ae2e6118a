/* Which operations read a column: the part of decode.h that looks at types. The rules are those of the other formats: integers are narrowed
 * if they fit, timestamps keep their instant in another unit, decimals of one scale only. */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "format/avro/decode.h"

/* Skipped records are laid out flat up to so many operations; past it they are walked as trees. */
#define AVRO_MOST_FLAT_OPS 65536

typedef struct planner {
    pmn_avro_decoder *d;
    pmn_arena *arena;
    uint32_t barrier; /* where a null jumps to: nothing behind it joins what is before */
    paimon_error *err;
} planner;

static paimon_status no_plan_memory(const planner *p) { return pmn_fail_nomem(p->err, "the columns of an Avro reader"); }

static paimon_status add_op(planner *p, const pmn_avro_op *op)
{
    pmn_avro_decoder *d = p->d;
    pmn_avro_op *grown = pmn_arena_grow(p->arena, d->ops, d->n_ops, &d->capacity, sizeof *grown);
    if (!grown) return no_plan_memory(p);
    d->ops = grown;
    d->ops[d->n_ops] = *op;
    d->ops[d->n_ops].end = d->n_ops + 1;
    d->n_ops++;
    return PAIMON_OK;
}

static const char *path_of(planner *p, const char *parent, const char *name)
{
    if (!parent || !*parent) return name;
    size_t a = strlen(parent), b = strlen(name);
    char *path = pmn_arena_alloc(p->arena, a + b + 2);
    if (!path) return name;
    memcpy(path, parent, a);
    path[a] = '.';
    memcpy(path + a + 1, name, b + 1);
    return path;
}

/* ---- skipping ---- */

/* Runs of numbers, and of bytes, become one operation. */
static bool join_skip(planner *p, const pmn_avro_op *op)
{
    pmn_avro_decoder *d = p->d;
    if (op->in_union || d->n_ops <= p->barrier) return false;
    pmn_avro_op *last = &d->ops[d->n_ops - 1];
    uint32_t sum;
    if (last->code != op->code || last->in_union || __builtin_add_overflow(last->n, op->n, &sum)) return false;
    last->n = sum;
    return true;
}

static paimon_status avro_plan_skip(planner *p, const pmn_file_field *field, const char *path)
{
    const pmn_avro_node *node = pmn_avro_node_of(field);
    const pmn_avro_type *value = node->value;
    pmn_avro_op op = { .code = PMN_AVRO_OP_SKIP_TREE, .in_union = node->in_union, .null_code = node->null_code, .value_code = node->value_code, .type = value, .path = path };
    switch (node->refusal ? PMN_AVRO_UNION : value->kind) {
    case PMN_AVRO_INT:
    case PMN_AVRO_LONG:
    case PMN_AVRO_ENUM:
        op.code = PMN_AVRO_OP_SKIP_LONGS;
        op.n = 1;
        break;
    case PMN_AVRO_BYTES:
    case PMN_AVRO_STRING: op.code = PMN_AVRO_OP_SKIP_BYTES; break;
    case PMN_AVRO_NULL:
    case PMN_AVRO_BOOLEAN:
    case PMN_AVRO_FLOAT:
    case PMN_AVRO_DOUBLE:
    case PMN_AVRO_FIXED:
        op.code = PMN_AVRO_OP_SKIP_FIXED;
        op.n = (uint32_t)value->min_bytes;
        break;
    case PMN_AVRO_RECORD:
        if (node->in_union || p->d->n_ops > AVRO_MOST_FLAT_OPS) break;
        for (int32_t i = 0; i < field->n_children; i++) PMN_TRY(avro_plan_skip(p, &field->children[i], path));
        return PAIMON_OK;
    default: break;
    }
    if (op.code != PMN_AVRO_OP_SKIP_BYTES && op.code != PMN_AVRO_OP_SKIP_TREE && join_skip(p, &op)) return PAIMON_OK;
    return add_op(p, &op);
}

/* ---- leaves ---- */

static bool avro_plan_integer(const pmn_avro_type *type, pmn_arrow_kind want, pmn_avro_op *op)
{
    static const struct {
        uint8_t width;
        int64_t low, high;
    } ranges[] = {
        { 1, INT8_MIN, INT8_MAX },   { 1, 0, UINT8_MAX },         { 2, INT16_MIN, INT16_MAX }, { 2, 0, UINT16_MAX },
        { 4, INT32_MIN, INT32_MAX }, { 4, 0, UINT32_MAX },        { 8, INT64_MIN, INT64_MAX }, { 8, 0, INT64_MAX },
    };
    int row = (int)want - (int)PMN_ARROW_INT8;
    op->code = PMN_AVRO_OP_INTEGER;
    op->width = ranges[row].width;
    op->low = ranges[row].low;
    op->high = ranges[row].high;
    if (type->kind == PMN_AVRO_INT) { /* what is no int in the file is damaged */
        if (op->low < INT32_MIN) op->low = INT32_MIN;
        if (op->high > INT32_MAX) op->high = INT32_MAX;
    } else if (want == PMN_ARROW_INT64) {
        op->code = PMN_AVRO_OP_I64;
    }
    return true;
}

static bool avro_plan_units(pmn_time_unit from, pmn_time_unit to, uint8_t width, pmn_avro_op *op)
{
    static const int64_t units_a_second[4] = { 1, 1000, 1000000, 1000000000 };
    op->width = width;
    op->low = 1;
    if (from == to) {
        op->code = PMN_AVRO_OP_I64;
    } else if (from < to) {
        op->code = PMN_AVRO_OP_MULTIPLY;
        op->low = units_a_second[to] / units_a_second[from];
    } else {
        op->code = PMN_AVRO_OP_DIVIDE;
        op->low = units_a_second[from] / units_a_second[to];
    }
    return true;
}

static bool avro_plan_timestamp(const pmn_avro_type *type, const pmn_arrow_type *want, pmn_avro_op *op)
{
    pmn_time_unit unit;
    if (type->kind != PMN_AVRO_LONG) return false;
    bool told = pmn_avro_unit(type, &unit);
    if (told && strncmp(type->logical, "time-", 5) == 0) return false;
    /* Not annotated: the unit is the declared one, and Paimon declares whole seconds in milliseconds. */
    if (!told) unit = want->unit == PMN_UNIT_SECOND ? PMN_UNIT_MILLI : want->unit;
    return avro_plan_units(unit, want->unit, 8, op);
}

static bool avro_plan_time(const pmn_avro_type *type, const pmn_arrow_type *want, pmn_avro_op *op)
{
    pmn_time_unit unit;
    bool told = pmn_avro_unit(type, &unit);
    if (told && strncmp(type->logical, "time-", 5) != 0) return false;
    if (type->kind == PMN_AVRO_INT) {
        if (want->kind == PMN_ARROW_TIME64) return avro_plan_units(PMN_UNIT_MILLI, want->unit, 8, op);
        if (want->unit != PMN_UNIT_MILLI) return false;
        return avro_plan_integer(type, PMN_ARROW_INT32, op);
    }
    if (type->kind != PMN_AVRO_LONG || (!told && want->kind != PMN_ARROW_TIME64)) return false;
    if (want->kind == PMN_ARROW_TIME64) return avro_plan_units(told ? unit : want->unit, want->unit, 8, op);
    return want->unit == PMN_UNIT_MILLI && avro_plan_units(unit, PMN_UNIT_MILLI, 4, op);
}

static bool avro_plan_floating(const pmn_avro_type *type, pmn_arrow_kind want, pmn_avro_op *op)
{
    bool wide = want == PMN_ARROW_DOUBLE;
    op->width = wide ? 8 : 4;
    if (type->kind == PMN_AVRO_FLOAT) op->code = wide ? PMN_AVRO_OP_F32_TO_F64 : PMN_AVRO_OP_F32;
    else op->code = wide ? PMN_AVRO_OP_F64 : PMN_AVRO_OP_F64_TO_F32;
    return type->kind == PMN_AVRO_FLOAT || type->kind == PMN_AVRO_DOUBLE;
}

static paimon_status avro_plan_decimal(const pmn_avro_type *type, const pmn_arrow_type *want, pmn_avro_op *op, bool *fits, paimon_error *err)
{
    *fits = pmn_avro_is_decimal(type);
    if (!*fits) return PAIMON_OK;
    if (type->scale != want->scale)
        return pmn_fail(err, PAIMON_CORRUPT, "column %s: a decimal of scale %d is stored, scale %d is wanted", op->path, (int)type->scale, (int)want->scale);
    op->code = PMN_AVRO_OP_DECIMAL;
    op->width = (uint8_t)(want->width / 8);
    op->n = type->kind == PMN_AVRO_FIXED ? (uint32_t)type->size : 0;
    return PAIMON_OK;
}

static bool avro_plan_bytes(const pmn_avro_type *type, pmn_arrow_kind want, pmn_avro_op *op)
{
    bool large = want == PMN_ARROW_LARGE_BINARY || want == PMN_ARROW_LARGE_STRING;
    op->code = large ? PMN_AVRO_OP_VAR64 : PMN_AVRO_OP_VAR32;
    if (type->kind == PMN_AVRO_ENUM) {
        op->code = PMN_AVRO_OP_ENUM;
        return true;
    }
    op->n = type->kind == PMN_AVRO_FIXED ? (uint32_t)type->size : 0;
    return type->kind == PMN_AVRO_BYTES || type->kind == PMN_AVRO_STRING || type->kind == PMN_AVRO_FIXED;
}

static paimon_status avro_plan_pair(const pmn_avro_type *type, const pmn_arrow_type *want, pmn_avro_op *op, bool *fits, paimon_error *err)
{
    *fits = false;
    switch (want->kind) {
    case PMN_ARROW_BOOL:
        op->code = PMN_AVRO_OP_BOOL;
        *fits = type->kind == PMN_AVRO_BOOLEAN;
        break;
    case PMN_ARROW_INT8:
    case PMN_ARROW_UINT8:
    case PMN_ARROW_INT16:
    case PMN_ARROW_UINT16:
    case PMN_ARROW_INT32:
    case PMN_ARROW_UINT32:
    case PMN_ARROW_INT64:
    case PMN_ARROW_UINT64:
        *fits = (type->kind == PMN_AVRO_INT || type->kind == PMN_AVRO_LONG) && avro_plan_integer(type, want->kind, op);
        if (type == &pmn_avro_duration_part && want->kind == PMN_ARROW_UINT32) {
            op->code = PMN_AVRO_OP_F32;
            op->width = 4;
            *fits = true;
        }
        break;
    case PMN_ARROW_DATE32: *fits = type->kind == PMN_AVRO_INT && avro_plan_integer(type, PMN_ARROW_INT32, op); break;
    case PMN_ARROW_TIME32:
    case PMN_ARROW_TIME64: *fits = avro_plan_time(type, want, op); break;
    case PMN_ARROW_TIMESTAMP: *fits = avro_plan_timestamp(type, want, op); break;
    case PMN_ARROW_FLOAT:
    case PMN_ARROW_DOUBLE: *fits = avro_plan_floating(type, want->kind, op); break;
    case PMN_ARROW_DECIMAL: return avro_plan_decimal(type, want, op, fits, err);
    case PMN_ARROW_BINARY:
    case PMN_ARROW_LARGE_BINARY:
    case PMN_ARROW_STRING:
    case PMN_ARROW_LARGE_STRING: *fits = avro_plan_bytes(type, want->kind, op); break;
    case PMN_ARROW_FIXED_BINARY:
        op->code = PMN_AVRO_OP_FIXED;
        op->n = (uint32_t)want->width;
        op->low = type->kind != PMN_AVRO_FIXED;
        *fits = want->width > 0 && (type->kind == PMN_AVRO_BYTES || (type->kind == PMN_AVRO_FIXED && type->size == want->width));
        break;
    default: break;
    }
    return PAIMON_OK;
}

static pmn_avro_column_kind column_kind(const pmn_avro_op *op, const pmn_arrow_type *want)
{
    switch (op->code) {
    case PMN_AVRO_OP_BOOL: return PMN_AVRO_COLUMN_BITS;
    case PMN_AVRO_OP_VAR32: return PMN_AVRO_COLUMN_VAR32;
    case PMN_AVRO_OP_VAR64: return PMN_AVRO_COLUMN_VAR64;
    case PMN_AVRO_OP_ENUM:
        return want->kind == PMN_ARROW_LARGE_BINARY || want->kind == PMN_ARROW_LARGE_STRING ? PMN_AVRO_COLUMN_VAR64 : PMN_AVRO_COLUMN_VAR32;
    default: return PMN_AVRO_COLUMN_FIXED;
    }
}

static paimon_status avro_plan_leaf(planner *p, const pmn_want *want, pmn_avro_op *op, pmn_avro_out *out)
{
    bool fits;
    PMN_TRY(avro_plan_pair(op->type, &want->type, op, &fits, p->err));
    if (!fits || want->schema->dictionary)
        return pmn_fail(p->err, PAIMON_UNSUPPORTED, "column %s: Avro %s%s%s cannot be read as the Arrow type \"%s\"%s", op->path, pmn_avro_kind_name(op->type->kind),
                        op->type->logical ? " of logical type " : "", op->type->logical ? op->type->logical : "", want->schema->format,
                        want->schema->dictionary ? " with a dictionary" : "");
    if (op->code == PMN_AVRO_OP_F32_TO_F64 || op->code == PMN_AVRO_OP_F64) op->width = 8;
    int32_t width = op->code == PMN_AVRO_OP_FIXED ? (int32_t)op->n : op->code == PMN_AVRO_OP_I64 ? 8 : op->width;
    out->column = pmn_avro_column_new(&p->d->columns, out->level, column_kind(op, &want->type), width, op->in_union && op->null_code != PMN_AVRO_NO_BRANCH && want->nullable);
    if (!out->column) return no_plan_memory(p);
    op->column = out->column;
    return add_op(p, op);
}

/* ---- trees ---- */

static paimon_status avro_plan_value(planner *p, const pmn_want *want, const char *parent, pmn_avro_out *out);

/* What an absent column takes a row: it is made of as many nulls as its level has rows. */
static int64_t absent_width(const pmn_want *want)
{
    int64_t width = want->type.width > 0 ? want->type.width : 8;
    return want->type.kind == PMN_ARROW_FIXED_LIST ? 8 * width : width;
}

static paimon_status new_outs(planner *p, const pmn_want *want, pmn_avro_level *level, pmn_avro_out **out)
{
    pmn_avro_out *outs = pmn_arena_calloc(p->arena, want->n_children ? (size_t)want->n_children : 1, sizeof *outs);
    if (!outs) return no_plan_memory(p);
    for (int32_t i = 0; i < want->n_children; i++) {
        outs[i].schema = want->children[i].schema;
        outs[i].level = level;
        if (!want->children[i].field) level->row_bytes += absent_width(&want->children[i]);
    }
    *out = outs;
    return PAIMON_OK;
}

/* One field of a record for those children of `want` that are it: `first`, and `next` of each. All but the last start again where it begins. */
static paimon_status avro_plan_field(planner *p, const pmn_file_field *field, const pmn_want *want, const int32_t *next, int32_t first, const char *parent,
                                pmn_avro_out *outs)
{
    if (first < 0) return avro_plan_skip(p, field, path_of(p, parent, field->name));
    uint32_t mark = 0;
    bool marked = next[first] >= 0;
    if (marked) {
        pmn_avro_op op = { .code = PMN_AVRO_OP_MARK, .n = mark = p->d->n_marks++ };
        PMN_TRY(add_op(p, &op));
    }
    for (int32_t i = first; i >= 0; i = next[i]) {
        if (i != first) {
            pmn_avro_op op = { .code = PMN_AVRO_OP_BACK, .n = mark };
            PMN_TRY(add_op(p, &op));
        }
        PMN_TRY(avro_plan_value(p, &want->children[i], parent, &outs[i]));
    }
    return PAIMON_OK;
}

/* The fields of a record in the file's order. `used`, if not NULL, tells the children that count. */
static paimon_status avro_plan_fields(planner *p, const pmn_file_field *fields, int32_t n, const pmn_want *want, const bool *used, const char *parent,
                                 pmn_avro_out *outs)
{
    int32_t *first = pmn_arena_alloc(p->arena, ((size_t)n + 1) * sizeof *first);
    int32_t *next = pmn_arena_alloc(p->arena, ((size_t)want->n_children + 1) * sizeof *next);
    if (!first || !next) return no_plan_memory(p);
    for (int32_t i = 0; i < n; i++) first[i] = -1;
    for (int32_t i = want->n_children - 1; i >= 0; i--) {
        if (!want->children[i].field || (used && !used[i])) continue;
        int32_t *place = &first[want->children[i].field - fields];
        next[i] = *place;
        *place = i;
    }
    for (int32_t i = 0; i < n; i++) PMN_TRY(avro_plan_field(p, &fields[i], want, next, first[i], parent, outs));
    return PAIMON_OK;
}

static paimon_status avro_plan_struct(planner *p, const pmn_want *want, pmn_avro_op *op, pmn_avro_out *out)
{
    uint32_t at = p->d->n_ops;
    op->code = PMN_AVRO_OP_STRUCT;
    out->column = op->column = pmn_avro_column_new(&p->d->columns, out->level, PMN_AVRO_COLUMN_STRUCT, 0, op->in_union && want->nullable);
    if (!out->column) return no_plan_memory(p);
    PMN_TRY(add_op(p, op));
    p->barrier = p->d->n_ops;
    PMN_TRY(new_outs(p, want, out->level, &out->children));
    out->n_children = want->n_children;
    PMN_TRY(avro_plan_fields(p, want->field->children, want->field->n_children, want, NULL, op->path, out->children));
    p->d->ops[at].end = p->barrier = p->d->n_ops;
    return PAIMON_OK;
}

/* Avro's maps: key and value stand behind each other, as in a record of the two. */
static paimon_status avro_plan_entries(planner *p, const pmn_want *want, const char *path, pmn_avro_out *out)
{
    out->column = pmn_avro_column_new(&p->d->columns, out->level, PMN_AVRO_COLUMN_STRUCT, 0, false);
    if (!out->column) return no_plan_memory(p);
    PMN_TRY(new_outs(p, want, out->level, &out->children));
    out->n_children = want->n_children;
    return avro_plan_fields(p, want->field->children, want->field->n_children, want, NULL, path, out->children);
}

static bool list_kind(const pmn_arrow_type *type, pmn_avro_column_kind *kind)
{
    *kind = type->kind == PMN_ARROW_LARGE_LIST ? PMN_AVRO_COLUMN_LIST64 : type->kind == PMN_ARROW_FIXED_LIST ? PMN_AVRO_COLUMN_FIXED_LIST : PMN_AVRO_COLUMN_LIST32;
    return type->kind == PMN_ARROW_LIST || type->kind == PMN_ARROW_LARGE_LIST || type->kind == PMN_ARROW_FIXED_LIST || type->kind == PMN_ARROW_MAP;
}

static paimon_status avro_plan_list(planner *p, const pmn_want *want, pmn_avro_op *op, pmn_avro_out *out)
{
    const pmn_avro_type *list = op->type;
    uint32_t at = p->d->n_ops;
    pmn_avro_column_kind kind;
    int64_t least = list->fields[0].type->min_bytes + (list->kind == PMN_AVRO_MAP ? 1 : 0);
    if (!list_kind(&want->type, &kind))
        return pmn_fail(p->err, PAIMON_UNSUPPORTED, "column %s: an Avro %s cannot be read as the Arrow type \"%s\"", op->path, pmn_avro_kind_name(list->kind), want->schema->format);
    op->code = PMN_AVRO_OP_LIST;
    op->n = least > INT32_MAX ? INT32_MAX : (uint32_t)least;
    out->column = op->column = pmn_avro_column_new(&p->d->columns, out->level, kind, want->type.width, op->in_union && want->nullable);
    pmn_avro_level *items = pmn_avro_level_new(&p->d->columns);
    if (!out->column || !items) return no_plan_memory(p);
    out->column->items = items;
    PMN_TRY(add_op(p, op));
    p->barrier = p->d->n_ops;
    PMN_TRY(new_outs(p, want, items, &out->children));
    out->n_children = want->n_children;
    const pmn_want *item = &want->children[0];
    if (want->field->shape == PMN_SHAPE_MAP && item->type.kind != PMN_ARROW_STRUCT)
        return pmn_fail(p->err, PAIMON_INVALID, "column %s: a map is asked whose entries are \"%s\"", op->path, item->schema->format);
    if (item->type.kind == PMN_ARROW_NULL) PMN_TRY(avro_plan_skip(p, &want->field->children[0], op->path));
    else if (list->kind == PMN_AVRO_MAP) PMN_TRY(avro_plan_entries(p, item, op->path, &out->children[0]));
    else PMN_TRY(avro_plan_value(p, item, op->path, &out->children[0]));
    p->d->ops[at].end = p->barrier = p->d->n_ops;
    return PAIMON_OK;
}

static paimon_status avro_plan_value(planner *p, const pmn_want *want, const char *parent, pmn_avro_out *out)
{
    const pmn_file_field *field = want->field;
    const pmn_avro_node *node = pmn_avro_node_of(field);
    pmn_avro_op op = { .in_union = node->in_union,
                       .refuses_null = !want->nullable,
                       .null_code = node->null_code,
                       .value_code = node->value_code,
                       .type = node->value,
                       .path = path_of(p, parent, field->name),
                       .format = want->schema->format };
    if (want->type.kind == PMN_ARROW_NULL) return avro_plan_skip(p, field, op.path);
    if (node->refusal) return pmn_fail(p->err, PAIMON_UNSUPPORTED, "column %s is %s, which is not supported yet", op.path, node->refusal);
    if (field->shape == PMN_SHAPE_STRUCT) return avro_plan_struct(p, want, &op, out);
    if (field->shape != PMN_SHAPE_LEAF) return avro_plan_list(p, want, &op, out);
    if (node->value->kind == PMN_AVRO_NULL) {
        if (!want->nullable) return pmn_fail(p->err, PAIMON_CORRUPT, "column %s may not be null, but nothing else is in the file", op.path);
        return avro_plan_skip(p, field, op.path); /* absent, as it were */
    }
    return avro_plan_leaf(p, want, &op, out);
}

/* In front of the fields of a record that is in a union with null. */
static paimon_status avro_plan_root(planner *p, const pmn_avro_fields *fields)
{
    const pmn_avro_node *node = pmn_avro_node_of(&fields->root);
    if (!node->in_union) return PAIMON_OK;
    pmn_avro_op op = { .code = PMN_AVRO_OP_NOTHING, .in_union = true, .refuses_null = true, .null_code = node->null_code, .value_code = node->value_code,
                       .type = node->value, .path = "the record", .format = "+s" };
    PMN_TRY(add_op(p, &op));
    p->barrier = p->d->n_ops;
    return PAIMON_OK;
}

paimon_status pmn_avro_decoder_init(pmn_avro_decoder *d, pmn_arena *arena, pmn_buffer_pool *pool, const pmn_avro_fields *fields,
                                    const pmn_file_field *columns, int32_t n_columns, const pmn_want *want, const bool *used, paimon_error *err)
{
    planner p = { d, arena, 0, err };
    pmn_avro_out *outs;
    memset(d, 0, sizeof *d);
    d->columns.arena = arena;
    d->columns.pool = pmn_buffer_pool_retain(pool);
    d->top = pmn_avro_level_new(&d->columns);
    if (!d->top) return no_plan_memory(&p);
    if (columns != &fields->root) PMN_TRY(avro_plan_root(&p, fields));
    PMN_TRY(new_outs(&p, want, d->top, &outs));
    PMN_TRY(avro_plan_fields(&p, columns, n_columns, want, used, NULL, outs));
    d->outs = outs;
    for (int32_t i = 0; i < want->n_children; i++)
        if (!used || used[i]) outs[d->n_outs++] = outs[i];
    d->marks = pmn_arena_calloc(arena, (size_t)d->n_marks + 1, sizeof *d->marks);
    if (!d->marks) return no_plan_memory(&p);
    for (uint32_t i = 0; i < d->n_ops; i = d->ops[i].end)
        if (d->ops[i].column) d->n_needed = d->ops[i].end;
    return PAIMON_OK;
}
