/* Compiling a schema into operations, and running them. The run knows nothing of types: a switch over a dozen codes, one bounds
 * check a value. 100 000 manifest entries with 20 wanted fields each take some 5 ms. */
#include "format/avro/program.h"

#include <string.h>

typedef enum avro_code {
    AVRO_OP_LONG,       /* zigzag varint into the slot */
    AVRO_OP_BYTES,      /* length, bytes into the slot */
    AVRO_OP_FIXED,      /* n bytes into the slot */
    AVRO_OP_ITEMS,      /* an array's encoded blocks into the slot; n as below */
    AVRO_OP_SKIP_LONGS, /* n varints */
    AVRO_OP_SKIP_BYTES, /* length, bytes */
    AVRO_OP_SKIP_FIXED, /* n bytes */
    AVRO_OP_SKIP_ITEMS, /* an array; of nullable integers if n: 1 + the branch of null */
    AVRO_OP_SKIP_TREE,  /* whatever `type` is */
    AVRO_OP_ENTER       /* a nullable record: to operation n if it is null */
} avro_code;

#define AVRO_NO_SLOT UINT16_MAX
/* Skipped records are laid out flat up to so many fields; past it, a schema that refers to its records again and again is walked as a
 * tree. Wanted ones cannot be, so they end at the second bound. */
#define AVRO_MAX_FLAT_FIELDS 4096
#define AVRO_MAX_FIELDS 65536

typedef struct avro_op {
    uint8_t code;
    uint8_t nullable; /* 0: no branch in front; 1 + the branch of null */
    uint16_t slot;
    uint32_t n;
    const pmn_avro_type *type;
    const char *name; /* of the field, for messages */
} avro_op;

typedef struct avro_ops {
    avro_op *items;
    uint32_t n;
    size_t capacity;
    uint32_t barrier; /* where a null record jumps to: nothing behind it joins what is before it */
} avro_ops;

struct pmn_avro_program {
    avro_ops head, tail, skip;
    int root_null; /* branch of null in a union around the record; -1: no union */
    const pmn_avro_type *types[PMN_AVRO_MAX_WANTS];
};

typedef struct avro_compiler {
    pmn_arena *arena;
    const pmn_avro_want *wants;
    const pmn_avro_type **types;
    int n_fields; /* looked at so far */
} avro_compiler;

static paimon_status emit(avro_compiler *k, avro_ops *ops, avro_op op, paimon_error *err)
{
    avro_op *grown = pmn_arena_grow(k->arena, ops->items, ops->n, &ops->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "Avro program");
    ops->items = grown;
    ops->items[ops->n++] = op;
    return PAIMON_OK;
}

static uint32_t nullable_longs(const pmn_avro_type *array);
static paimon_status compile_record(avro_compiler *k, avro_ops *ops, const pmn_avro_type *record, uint64_t wanted, int depth, paimon_error *err);

static paimon_status compile_skip(avro_compiler *k, avro_ops *ops, const pmn_avro_field *field, const pmn_avro_type *value, uint8_t nullable,
                                  int depth, paimon_error *err)
{
    avro_op op = { AVRO_OP_SKIP_TREE, nullable, AVRO_NO_SLOT, 0, value, field->name };
    switch (value->kind) {
    case PMN_AVRO_INT:
    case PMN_AVRO_LONG:
    case PMN_AVRO_ENUM:
        op.code = AVRO_OP_SKIP_LONGS;
        op.n = 1;
        if (!nullable && ops->n > ops->barrier) { /* runs of numbers are one operation */
            avro_op *last = &ops->items[ops->n - 1];
            if (last->code == AVRO_OP_SKIP_LONGS && !last->nullable) {
                last->n++;
                return PAIMON_OK;
            }
        }
        break;
    case PMN_AVRO_BYTES:
    case PMN_AVRO_STRING: op.code = AVRO_OP_SKIP_BYTES; break;
    case PMN_AVRO_NULL:
    case PMN_AVRO_BOOLEAN:
    case PMN_AVRO_FLOAT:
    case PMN_AVRO_DOUBLE:
    case PMN_AVRO_FIXED:
        op.code = AVRO_OP_SKIP_FIXED;
        op.n = (uint32_t)value->min_bytes;
        break;
    case PMN_AVRO_ARRAY:
        op.code = AVRO_OP_SKIP_ITEMS;
        op.n = nullable_longs(value);
        break;
    case PMN_AVRO_RECORD:
        if (!nullable && depth < PMN_AVRO_MAX_DEPTH && k->n_fields < AVRO_MAX_FLAT_FIELDS) return compile_record(k, ops, value, 0, depth + 1, err);
        break;
    default: break;
    }
    return emit(k, ops, op, err);
}

static paimon_status compile_want(avro_compiler *k, avro_ops *ops, const pmn_avro_field *field, const pmn_avro_type *value, uint8_t nullable,
                                  int want, paimon_error *err)
{
    avro_op op = { 0, nullable, (uint16_t)want, 0, value, field->name };
    bool fits = false;
    switch (k->wants[want].kind) {
    case PMN_AVRO_WANT_LONG:
        op.code = AVRO_OP_LONG;
        fits = value->kind == PMN_AVRO_INT || value->kind == PMN_AVRO_LONG;
        break;
    case PMN_AVRO_WANT_BYTES:
        op.code = value->kind == PMN_AVRO_FIXED ? AVRO_OP_FIXED : AVRO_OP_BYTES;
        op.n = (uint32_t)value->size;
        fits = value->kind == PMN_AVRO_BYTES || value->kind == PMN_AVRO_STRING || value->kind == PMN_AVRO_FIXED;
        break;
    case PMN_AVRO_WANT_ITEMS:
        op.code = AVRO_OP_ITEMS;
        fits = value->kind == PMN_AVRO_ARRAY;
        if (fits) op.n = nullable_longs(value);
        break;
    }
    if (!fits)
        return pmn_fail(err, PAIMON_CORRUPT, "Avro field %s is of type %s, which was not expected", k->wants[want].path,
                        pmn_avro_kind_name(value->kind));
    k->types[want] = value;
    return emit(k, ops, op, err);
}

/* The part of a want's path at this depth is `name`: 1 if it ends there, 2 if it goes on. */
static int path_match(const char *path, int depth, const char *name)
{
    for (; depth > 0; depth--) {
        path = strchr(path, '/');
        if (!path) return 0;
        path++;
    }
    size_t n = strlen(name);
    if (strncmp(path, name, n) != 0) return 0;
    return path[n] == '\0' ? 1 : path[n] == '/' ? 2 : 0;
}

static paimon_status compile_field(avro_compiler *k, avro_ops *ops, const pmn_avro_field *field, uint64_t wanted, int depth, paimon_error *err)
{
    uint64_t inner = 0;
    int leaf = -1;
    if (++k->n_fields > AVRO_MAX_FIELDS) return pmn_fail(err, PAIMON_CORRUPT, "Avro schema: more than %d fields", AVRO_MAX_FIELDS);
    for (int w = 0; wanted >> w; w++) {
        if (!((wanted >> w) & 1)) continue;
        int match = path_match(k->wants[w].path, depth, field->name);
        if (match == 1) leaf = w;
        if (match == 2) inner |= UINT64_C(1) << w;
        if (w == PMN_AVRO_MAX_WANTS - 1) break;
    }
    int null_branch = 0;
    const pmn_avro_type *value = pmn_avro_nullable(field->type, &null_branch);
    uint8_t nullable = value ? (uint8_t)(1 + null_branch) : 0;
    if (!value) value = field->type;
    if (leaf >= 0) return compile_want(k, ops, field, value, nullable, leaf, err);
    if (!inner) return compile_skip(k, ops, field, value, nullable, depth, err);
    if (value->kind != PMN_AVRO_RECORD)
        return pmn_fail(err, PAIMON_CORRUPT, "Avro field %s is of type %s, not a record", field->name, pmn_avro_kind_name(value->kind));
    uint32_t enter = ops->n;
    if (nullable) {
        avro_op op = { AVRO_OP_ENTER, nullable, AVRO_NO_SLOT, 0, value, field->name };
        PMN_TRY(emit(k, ops, op, err));
    }
    PMN_TRY(compile_record(k, ops, value, inner, depth + 1, err));
    if (nullable) ops->items[enter].n = ops->barrier = ops->n;
    return PAIMON_OK;
}

static paimon_status compile_record(avro_compiler *k, avro_ops *ops, const pmn_avro_type *record, uint64_t wanted, int depth, paimon_error *err)
{
    for (int32_t i = 0; i < record->n; i++) PMN_TRY(compile_field(k, ops, &record->fields[i], wanted, depth, err));
    return PAIMON_OK;
}

static uint64_t want_mask(const pmn_avro_want *wants, int n_wants)
{
    uint64_t mask = 0;
    for (int w = 0; w < n_wants; w++)
        if (wants[w].path) mask |= UINT64_C(1) << w;
    return mask;
}

paimon_status pmn_avro_program_new(pmn_arena *arena, const pmn_avro_type *root, const pmn_avro_want *wants, int n_wants, int n_head,
                                   const pmn_avro_program **out, paimon_error *err)
{
    if (n_wants > PMN_AVRO_MAX_WANTS) return pmn_fail(err, PAIMON_INTERNAL, "%d wanted Avro fields", n_wants);
    pmn_avro_program *program = pmn_arena_calloc(arena, 1, sizeof *program);
    if (!program) return pmn_fail_nomem(err, "Avro program");
    avro_compiler k = { arena, wants, program->types, 0 };
    int null_branch = 0;
    const pmn_avro_type *record = pmn_avro_nullable(root, &null_branch);
    program->root_null = record ? null_branch : -1;
    if (!record) record = root;
    if (record->kind != PMN_AVRO_RECORD)
        return pmn_fail(err, PAIMON_CORRUPT, "Avro schema: the root is of type %s, not a record", pmn_avro_kind_name(record->kind));
    int32_t n_first = 0; /* top-level fields up to the last one that the head needs */
    for (int32_t i = 0; i < record->n; i++)
        for (int w = 0; w < n_head; w++)
            if (path_match(wants[w].path, 0, record->fields[i].name)) n_first = i + 1;
    uint64_t all = want_mask(wants, n_wants);
    for (int32_t i = 0; i < record->n; i++) {
        const pmn_avro_field *field = &record->fields[i];
        PMN_TRY(compile_field(&k, i < n_first ? &program->head : &program->tail, field, all, 0, err));
        if (i >= n_first) PMN_TRY(compile_field(&k, &program->skip, field, 0, 0, err));
    }
    *out = program;
    return PAIMON_OK;
}

const pmn_avro_type *pmn_avro_program_type(const pmn_avro_program *program, int k) { return program->types[k]; }

/* A length in front of bytes. */
PMN_INLINE bool take_length(pmn_cursor *c, size_t *n)
{
    int64_t length;
    if (PMN_UNLIKELY(!pmn_cursor_zigzag(c, &length) || length < 0 || (uint64_t)length > pmn_cursor_left(c))) return false;
    *n = (size_t)length;
    return true;
}

/* The branch of a union of two: false for neither. */
PMN_INLINE bool take_branch(pmn_cursor *c, int null_branch, bool *is_null)
{
    uint64_t branch; /* zigzag: 0 → 0, 1 → 2 */
    if (PMN_UNLIKELY(!pmn_cursor_varint(c, &branch) || (branch != 0 && branch != 2))) return false;
    *is_null = (int)(branch / 2) == null_branch;
    return true;
}

static bool skip_depth(const pmn_avro_type *type, pmn_cursor *c, int depth);

static bool skip_items(const pmn_avro_type *type, pmn_cursor *c, int depth)
{
    const pmn_avro_type *item = type->fields[0].type;
    for (;;) {
        int64_t n, size;
        if (!pmn_cursor_zigzag(c, &n)) return false;
        if (n == 0) return true;
        if (n < 0) { /* the block's size in bytes is told: no need to look inside */
            if (!pmn_cursor_zigzag(c, &size) || size < 0 || (uint64_t)size > pmn_cursor_left(c) || !pmn_cursor_skip(c, (size_t)size)) return false;
            continue;
        }
        if (type->kind == PMN_AVRO_ARRAY && item->min_bytes == 0) continue; /* any number of nothings */
        if ((uint64_t)n > pmn_cursor_left(c)) return false;
        for (int64_t i = 0; i < n; i++) {
            size_t key;
            if (type->kind == PMN_AVRO_MAP && (!take_length(c, &key) || !pmn_cursor_skip(c, key))) return false;
            if (!skip_depth(item, c, depth)) return false;
        }
    }
}

/* Nullable integers: the null counts of statistics, the commonest array there is. */
static bool skip_nullable_longs(pmn_cursor *c, int null_branch)
{
    for (;;) {
        int64_t n, size;
        uint64_t number;
        bool is_null;
        if (!pmn_cursor_zigzag(c, &n)) return false;
        if (n == 0) return true;
        if (n < 0) {
            if (!pmn_cursor_zigzag(c, &size) || size < 0 || (uint64_t)size > pmn_cursor_left(c) || !pmn_cursor_skip(c, (size_t)size)) return false;
            continue;
        }
        for (; n > 0; n--)
            if (!take_branch(c, null_branch, &is_null) || (!is_null && !pmn_cursor_varint(c, &number))) return false;
    }
}

/* What an operation on an array has in n. */
static uint32_t nullable_longs(const pmn_avro_type *array)
{
    int null_branch = 0;
    const pmn_avro_type *value = pmn_avro_nullable(array->fields[0].type, &null_branch);
    return value && (value->kind == PMN_AVRO_INT || value->kind == PMN_AVRO_LONG) ? 1 + (uint32_t)null_branch : 0;
}

static bool skip_depth(const pmn_avro_type *type, pmn_cursor *c, int depth)
{
    if (type->min_bytes == 0) return true;
    if (depth == PMN_AVRO_MAX_DEPTH) return false;
    uint64_t number;
    size_t length;
    switch (type->kind) {
    case PMN_AVRO_INT:
    case PMN_AVRO_LONG:
    case PMN_AVRO_ENUM: return pmn_cursor_varint(c, &number);
    case PMN_AVRO_BYTES:
    case PMN_AVRO_STRING: return take_length(c, &length) && pmn_cursor_skip(c, length);
    case PMN_AVRO_NULL:
    case PMN_AVRO_BOOLEAN:
    case PMN_AVRO_FLOAT:
    case PMN_AVRO_DOUBLE:
    case PMN_AVRO_FIXED: return pmn_cursor_skip(c, (size_t)type->min_bytes);
    case PMN_AVRO_ARRAY:
    case PMN_AVRO_MAP: return skip_items(type, c, depth + 1);
    case PMN_AVRO_RECORD:
        for (int32_t i = 0; i < type->n; i++)
            if (!skip_depth(type->fields[i].type, c, depth + 1)) return false;
        return true;
    case PMN_AVRO_UNION:
        return pmn_cursor_varint(c, &number) && number % 2 == 0 && number / 2 < (uint64_t)type->n &&
               skip_depth(type->fields[number / 2].type, c, depth + 1);
    }
    return false;
}

bool pmn_avro_skip(const pmn_avro_type *type, pmn_cursor *c) { return skip_depth(type, c, 0); }

/* Operations [0, ops->n). Returns the one that failed, or NULL. The cursor is a copy so that it can live in registers. */
static const avro_op *run_ops(const avro_ops *ops, pmn_cursor *cursor, pmn_avro_slot *slots)
{
    pmn_cursor c = *cursor;
    const avro_op *op = ops->items, *end = ops->n ? op + ops->n : op; /* no pointer to add to when there are none */
    for (; op < end; op++) {
        if (op->nullable) {
            bool is_null;
            if (!take_branch(&c, op->nullable - 1, &is_null)) return op;
            if (is_null) {
                if (op->slot != AVRO_NO_SLOT) slots[op->slot].present = false;
                if (op->code != AVRO_OP_ENTER) continue;
                const avro_op *target = ops->items + op->n;
                for (op++; op < target; op++)
                    if (op->slot != AVRO_NO_SLOT) slots[op->slot].present = false;
                op--;
                continue;
            }
        }
        uint64_t number;
        size_t length;
        switch (op->code) {
        case AVRO_OP_LONG:
            if (!pmn_cursor_varint(&c, &number)) return op;
            slots[op->slot].present = true;
            slots[op->slot].i = pmn_zigzag64(number);
            break;
        case AVRO_OP_BYTES:
            if (!take_length(&c, &length) || !pmn_cursor_take(&c, length, &slots[op->slot].bytes)) return op;
            slots[op->slot].present = true;
            break;
        case AVRO_OP_FIXED:
            if (!pmn_cursor_take(&c, op->n, &slots[op->slot].bytes)) return op;
            slots[op->slot].present = true;
            break;
        case AVRO_OP_SKIP_ITEMS:
            if (op->n ? !skip_nullable_longs(&c, (int)op->n - 1) : !skip_items(op->type, &c, 0)) return op;
            break;
        case AVRO_OP_ITEMS: {
            const uint8_t *start = c.pos;
            if (op->n ? !skip_nullable_longs(&c, (int)op->n - 1) : !skip_items(op->type, &c, 0)) return op;
            slots[op->slot].bytes = pmn_slice_of(start, (size_t)(c.pos - start));
            slots[op->slot].present = true;
            break;
        }
        case AVRO_OP_SKIP_LONGS:
            for (uint32_t i = 0; i < op->n; i++)
                if (!pmn_cursor_varint(&c, &number)) return op;
            break;
        case AVRO_OP_SKIP_BYTES:
            if (!take_length(&c, &length) || !pmn_cursor_skip(&c, length)) return op;
            break;
        case AVRO_OP_SKIP_FIXED:
            if (!pmn_cursor_skip(&c, op->n)) return op;
            break;
        case AVRO_OP_SKIP_TREE:
            if (!skip_depth(op->type, &c, 0)) return op;
            break;
        default: break; /* AVRO_OP_ENTER: go on inside */
        }
    }
    *cursor = c;
    return NULL;
}

static paimon_status run_or_tell(const avro_ops *ops, pmn_cursor *c, pmn_avro_slot *slots, paimon_error *err)
{
    if (ops->n == 0) return PAIMON_OK;
    const avro_op *failed = run_ops(ops, c, slots);
    if (PMN_LIKELY(!failed)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CORRUPT, "field %s (%s) is cut or damaged", failed->name ? failed->name : "?", pmn_avro_kind_name(failed->type->kind));
}

paimon_status pmn_avro_read_head(const pmn_avro_program *program, pmn_cursor *c, pmn_avro_slot *slots, bool *is_null, paimon_error *err)
{
    *is_null = false;
    if (program->root_null >= 0 && !take_branch(c, program->root_null, is_null))
        return pmn_fail(err, PAIMON_CORRUPT, "the union around the record has no such branch, or is cut");
    return *is_null ? PAIMON_OK : run_or_tell(&program->head, c, slots, err);
}

paimon_status pmn_avro_read_tail(const pmn_avro_program *program, pmn_cursor *c, pmn_avro_slot *slots, paimon_error *err)
{
    return run_or_tell(&program->tail, c, slots, err);
}

paimon_status pmn_avro_skip_tail(const pmn_avro_program *program, pmn_cursor *c, paimon_error *err)
{
    return run_or_tell(&program->skip, c, NULL, err);
}
