/* Columns of nulls, of any type: what a file lacks that was written before the column was added. */
#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/bitmap.h"
#include "base/checked.h"

typedef struct blank {
    pmn_buffer_pool *pool;
    pmn_mem *mem;
    paimon_error *err;
} blank;

static paimon_status zeros(const blank *b, int64_t count, size_t width, pmn_buffer **out)
{
    size_t bytes;
    *out = NULL;
    if (!pmn_mul_size((size_t)count, width, &bytes)) return pmn_fail_nomem(b->err, "Arrow buffer");
    PMN_TRY(pmn_buffer_new(b->pool, bytes, out, b->err));
    (*out)->size = bytes;
    memset((*out)->data, 0, bytes);
    return PAIMON_OK;
}

static paimon_status blank_array(const blank *b, const struct ArrowSchema *schema, int64_t length, bool as_null, int depth,
                                 struct ArrowArray *out);

/* What buffers stand behind the validity of a kind: widths of up to two, and how many values more than rows they have. */
typedef struct plan {
    int n_buffers; /* validity included */
    size_t width[2];
    int64_t extra[2];
    bool has_validity;
    bool bits;
} plan;

static plan plan_of(const pmn_arrow_type *type)
{
    plan p = { 2, { (size_t)type->width, 0 }, { 0, 0 }, true, false };
    switch (type->kind) {
    case PMN_ARROW_BOOL: p.bits = true; break;
    case PMN_ARROW_DECIMAL: p.width[0] = (size_t)type->width / 8; break;
    case PMN_ARROW_BINARY:
    case PMN_ARROW_STRING: p = (plan){ 3, { 4, 0 }, { 1, 0 }, true, false }; break;
    case PMN_ARROW_LARGE_BINARY:
    case PMN_ARROW_LARGE_STRING: p = (plan){ 3, { 8, 0 }, { 1, 0 }, true, false }; break;
    case PMN_ARROW_BINARY_VIEW:
    case PMN_ARROW_STRING_VIEW: p = (plan){ 3, { 16, 0 }, { 0, 0 }, true, false }; break;
    case PMN_ARROW_LIST:
    case PMN_ARROW_MAP: p = (plan){ 2, { 4, 0 }, { 1, 0 }, true, false }; break;
    case PMN_ARROW_LARGE_LIST: p = (plan){ 2, { 8, 0 }, { 1, 0 }, true, false }; break;
    case PMN_ARROW_LIST_VIEW: p = (plan){ 3, { 4, 4 }, { 0, 0 }, true, false }; break;
    case PMN_ARROW_LARGE_LIST_VIEW: p = (plan){ 3, { 8, 8 }, { 0, 0 }, true, false }; break;
    case PMN_ARROW_STRUCT:
    case PMN_ARROW_FIXED_LIST: p.n_buffers = 1; break;
    default: break;
    }
    return p;
}

static paimon_status plan_buffers(const blank *b, const plan *p, int64_t length, bool as_null, pmn_buffer *buffers[3])
{
    if (as_null && length > 0) PMN_TRY(zeros(b, (int64_t)pmn_bitmap_bytes(length), 1, &buffers[0]));
    for (int i = 1; i < p->n_buffers; i++) {
        int64_t count = p->bits ? (int64_t)pmn_bitmap_bytes(length) : length + p->extra[i - 1];
        PMN_TRY(zeros(b, count, p->bits ? 1 : p->width[i - 1], &buffers[i]));
    }
    return PAIMON_OK;
}

/* Children under a null: a child that may not be null is filled with zeros, since some consumers look below the parent. */
static paimon_status blank_children(const blank *b, const struct ArrowSchema *schema, int64_t length, int depth, struct ArrowArray *out)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        bool nullable = (schema->children[i]->flags & ARROW_FLAG_NULLABLE) != 0;
        PMN_TRY(blank_array(b, schema->children[i], length, nullable, depth + 1, out->children[i]));
    }
    return PAIMON_OK;
}

/* Unions have no validity: each row is a null of the first child. */
static paimon_status blank_union(const blank *b, const struct ArrowSchema *schema, int64_t length, bool dense, int depth,
                                 struct ArrowArray *out)
{
    pmn_buffer *buffers[2] = { NULL, NULL };
    paimon_status status;
    int first = 0;
    for (const char *c = strchr(schema->format, ':') + 1; *c >= '0' && *c <= '9' && first < 128; c++) first = first * 10 + (*c - '0');
    PMN_GOTO(status, zeros(b, length, 1, &buffers[0]), failed);
    memset(buffers[0]->data, first & 127, (size_t)length);
    if (dense) {
        PMN_GOTO(status, zeros(b, length, 4, &buffers[1]), failed);
        for (int64_t i = 0; i < length; i++) ((int32_t *)(void *)buffers[1]->data)[i] = (int32_t)i;
    }
    PMN_TRY(pmn_array_new(b->mem, length, 0, dense ? 2 : 1, buffers, (int)schema->n_children, out, b->err));
    for (int64_t i = 0; i < schema->n_children && status == PAIMON_OK; i++)
        status = blank_array(b, schema->children[i], dense && i > 0 ? 0 : length, true, depth + 1, out->children[i]);
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
failed:
    pmn_buffer_release(buffers[0]);
    pmn_buffer_release(buffers[1]);
    return status;
}

#define BLANK_VALUES_MAX ((int64_t)1 << 28)

/* A null of a fixed-size list has all its values, and the size is somebody else's number. */
static paimon_status child_length(const blank *b, const pmn_arrow_type *type, int64_t length, int64_t *out)
{
    *out = type->kind == PMN_ARROW_STRUCT ? length : 0;
    if (type->kind != PMN_ARROW_FIXED_LIST) return PAIMON_OK;
    if (pmn_mul_i64(length, type->width, out) && *out <= BLANK_VALUES_MAX) return PAIMON_OK;
    return pmn_fail(b->err, PAIMON_INVALID, "%lld nulls of fixed-size lists of %d values are too many at once: hand over smaller batches",
                    (long long)length, (int)type->width);
}

static paimon_status blank_array(const blank *b, const struct ArrowSchema *schema, int64_t length, bool as_null, int depth,
                                 struct ArrowArray *out)
{
    memset(out, 0, sizeof *out);
    if (depth > PMN_ARROW_MAX_DEPTH) return pmn_fail(b->err, PAIMON_UNSUPPORTED, "Arrow array: nested deeper than %d", PMN_ARROW_MAX_DEPTH);
    pmn_arrow_type type;
    PMN_TRY(pmn_arrow_type_parse(schema->format, &type, b->err));
    if (type.kind == PMN_ARROW_NULL) return pmn_array_new(b->mem, length, length, 0, NULL, 0, out, b->err);
    if (type.kind == PMN_ARROW_RUN_END) return pmn_fail(b->err, PAIMON_UNSUPPORTED, "nulls of a run-end encoded Arrow type");
    if (type.kind == PMN_ARROW_SPARSE_UNION || type.kind == PMN_ARROW_DENSE_UNION)
        return blank_union(b, schema, length, type.kind == PMN_ARROW_DENSE_UNION, depth, out);
    plan p = plan_of(&type);
    pmn_buffer *buffers[3] = { NULL, NULL, NULL };
    paimon_status status = plan_buffers(b, &p, length, as_null, buffers);
    if (status != PAIMON_OK) {
        for (int i = 0; i < 3; i++) pmn_buffer_release(buffers[i]);
        return status;
    }
    PMN_TRY(pmn_array_new(b->mem, length, as_null ? length : 0, p.n_buffers, buffers, (int)schema->n_children, out, b->err));
    int64_t below = 0;
    PMN_GOTO(status, child_length(b, &type, length, &below), failed);
    PMN_GOTO(status, blank_children(b, schema, below, depth, out), failed);
    if (schema->dictionary) {
        struct ArrowArray dictionary; /* index 0 of a column that is not null must exist */
        PMN_GOTO(status, blank_array(b, schema->dictionary, as_null ? 0 : 1, false, depth + 1, &dictionary), failed);
        PMN_GOTO(status, pmn_array_set_dictionary(out, &dictionary, b->err), failed);
    }
    return PAIMON_OK;
failed:
    pmn_array_release(out);
    return status;
}

paimon_status pmn_array_nulls(pmn_buffer_pool *pool, const struct ArrowSchema *schema, int64_t length, struct ArrowArray *out,
                              paimon_error *err)
{
    blank b = { pool, pmn_buffer_pool_mem(pool), err };
    return blank_array(&b, schema, length, true, 0, out);
}
