/* Arrow data of any layout for tests: random arrays, and any row as text, which is how two arrays are compared. */
#ifndef TESTS_SUPPORT_ARROW_RANDOM_H
#define TESTS_SUPPORT_ARROW_RANDOM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "support/vectors.h"

/* A schema from a short text: "+l(u)", "+m(+s(i,u))", "i=u" (dictionary of u, indices i), "+us:0,1(i,u)". A '!' in front: not null. */
static inline const char *schema_from_text(test_env *t, const char *at, struct ArrowSchema *out)
{
    int64_t flags = *at == '!' ? 0 : ARROW_FLAG_NULLABLE;
    if (*at == '!') at++;
    char format[64];
    size_t n = 0;
    bool sized = strncmp(at, "d:", 2) == 0 || strncmp(at, "+u", 2) == 0; /* formats with commas */
    while (*at && *at != '(' && *at != ')' && *at != '=' && (*at != ',' || (sized && (at[1] == '-' || (at[1] >= '0' && at[1] <= '9'))))) format[n++] = *at++;
    format[n] = '\0';
    int children = 0;
    if (*at == '(') {
        int open = 0;
        children = 1;
        const char *p = at;
        do {
            open += (*p == '(') - (*p == ')');
            if (*p == ',' && open == 1 && !(p[1] >= '0' && p[1] <= '9')) children++;
        } while (*p++ && open > 0);
    }
    must(t, pmn_schema_new(t->mem, format, "x", flags, children, out, &t->err));
    if (children) {
        for (int i = 0; i < children; i++) at = schema_from_text(t, at + 1, out->children[i]);
        at++;
    }
    if (*at == '=') {
        struct ArrowSchema dictionary;
        at = schema_from_text(t, at + 1, &dictionary);
        must(t, pmn_schema_set_dictionary(out, &dictionary, &t->err));
    }
    return at;
}

typedef struct test_random {
    uint64_t state;
} test_random;

static inline uint64_t next_random(test_random *r)
{
    r->state ^= r->state << 13, r->state ^= r->state >> 7, r->state ^= r->state << 17;
    return r->state;
}

static inline pmn_buffer *random_buffer(test_env *t, test_random *r, size_t bytes)
{
    pmn_buffer *b;
    must(t, pmn_buffer_new(t->pool, bytes, &b, &t->err));
    b->size = bytes;
    for (size_t i = 0; i < bytes; i++) b->data[i] = (uint8_t)next_random(r);
    return b;
}

/* Offsets from a start on, rising by 0 … most - 1; the last in *end. */
static inline pmn_buffer *random_offsets(test_env *t, test_random *r, int64_t n, bool large, unsigned most, int64_t *end)
{
    pmn_buffer *b = random_buffer(t, r, (size_t)(n + 1) * (large ? 8 : 4));
    int64_t at = 3;
    for (int64_t i = 0; i <= n; i++) {
        if (large) ((int64_t *)(void *)b->data)[i] = at;
        else ((int32_t *)(void *)b->data)[i] = (int32_t)at;
        if (i < n) at += (int64_t)(next_random(r) % most);
    }
    *end = at;
    return b;
}

static inline void random_array(test_env *t, test_random *r, const struct ArrowSchema *schema, int64_t n, struct ArrowArray *out);

static inline pmn_buffer *random_validity(test_env *t, test_random *r, const struct ArrowSchema *schema, int64_t n)
{
    if (!(schema->flags & ARROW_FLAG_NULLABLE) || next_random(r) % 4 == 0) return NULL;
    pmn_buffer *b = random_buffer(t, r, pmn_bitmap_bytes(n) + 1);
    for (int64_t i = 0; i < n; i += 3) pmn_bit_set(b->data, i); /* more values than nulls */
    return b;
}

static inline void random_views(test_env *t, test_random *r, int64_t n, pmn_buffer **views, pmn_buffer **data, pmn_buffer **sizes)
{
    *views = random_buffer(t, r, (size_t)n * 16);
    *data = random_buffer(t, r, 100);
    *sizes = random_buffer(t, r, 8);
    for (size_t i = 0; i < 100; i++) (*data)->data[i] = (uint8_t)('a' + (*data)->data[i] % 26);
    int64_t size = 100;
    memcpy((*sizes)->data, &size, 8);
    for (int64_t i = 0; i < n; i++) {
        int32_t head[4] = { (int32_t)(next_random(r) % 40), 0, 0, (int32_t)(next_random(r) % 60) };
        if (head[0] <= 12) {
            memset((*views)->data + 16 * i, 0, 16);
            memcpy((*views)->data + 16 * i, head, 4);
            memset((*views)->data + 16 * i + 4, 'x', (size_t)head[0]);
            continue;
        }
        memcpy(&head[1], (*data)->data + head[3], 4);
        memcpy((*views)->data + 16 * i, head, 16);
    }
}

static inline void random_texts(pmn_buffer *data)
{
    for (size_t i = 0; i < data->size; i++) data->data[i] = (uint8_t)('a' + data->data[i] % 26);
}

static inline void random_list_view(test_env *t, test_random *r, const struct ArrowSchema *schema, int64_t n, bool large, pmn_buffer *validity, struct ArrowArray *out)
{
    pmn_buffer *buffers[3] = { validity, random_buffer(t, r, (size_t)n * (large ? 8 : 4)), random_buffer(t, r, (size_t)n * (large ? 8 : 4)) };
    for (int64_t i = 0; i < n; i++) {
        int64_t start = (int64_t)(next_random(r) % 20), count = (int64_t)(next_random(r) % 5);
        if (large) ((int64_t *)(void *)buffers[1]->data)[i] = start, ((int64_t *)(void *)buffers[2]->data)[i] = count;
        else ((int32_t *)(void *)buffers[1]->data)[i] = (int32_t)start, ((int32_t *)(void *)buffers[2]->data)[i] = (int32_t)count;
    }
    must(t, pmn_array_new(t->mem, n, validity ? -1 : 0, 3, buffers, 1, out, &t->err));
    random_array(t, r, schema->children[0], 25, out->children[0]);
}

static inline void random_union(test_env *t, test_random *r, const struct ArrowSchema *schema, int64_t n, bool dense, struct ArrowArray *out)
{
    pmn_buffer *buffers[2] = { random_buffer(t, r, (size_t)n), dense ? random_buffer(t, r, (size_t)n * 4) : NULL };
    for (int64_t i = 0; i < n; i++) {
        buffers[0]->data[i] = (uint8_t)(next_random(r) % (uint64_t)schema->n_children);
        if (dense) ((int32_t *)(void *)buffers[1]->data)[i] = (int32_t)(next_random(r) % 10);
    }
    must(t, pmn_array_new(t->mem, n, 0, dense ? 2 : 1, buffers, (int)schema->n_children, out, &t->err));
    for (int64_t i = 0; i < schema->n_children; i++) random_array(t, r, schema->children[i], dense ? 10 : n, out->children[i]);
}

/* n rows, often behind an offset. */
static inline void random_array(test_env *t, test_random *r, const struct ArrowSchema *schema, int64_t n, struct ArrowArray *out)
{
    pmn_arrow_type type;
    struct ArrowArray whole;
    int64_t skip = (int64_t)(next_random(r) % 3) * 5, total = n + skip, end;
    must(t, pmn_arrow_type_parse(schema->format, &type, &t->err));
    pmn_buffer *validity = type.kind == PMN_ARROW_NULL || type.kind == PMN_ARROW_SPARSE_UNION || type.kind == PMN_ARROW_DENSE_UNION ? NULL : random_validity(t, r, schema, total);
    pmn_buffer *buffers[4] = { validity, NULL, NULL, NULL };
    int64_t nulls = validity ? -1 : 0;
    bool large = type.kind == PMN_ARROW_LARGE_BINARY || type.kind == PMN_ARROW_LARGE_STRING || type.kind == PMN_ARROW_LARGE_LIST;
    switch (type.kind) {
    case PMN_ARROW_NULL: must(t, pmn_array_new(t->mem, total, total, 0, NULL, 0, &whole, &t->err)); break;
    case PMN_ARROW_STRING:
    case PMN_ARROW_BINARY:
    case PMN_ARROW_LARGE_STRING:
    case PMN_ARROW_LARGE_BINARY:
        buffers[1] = random_offsets(t, r, total, large, 25, &end);
        buffers[2] = random_buffer(t, r, (size_t)end);
        random_texts(buffers[2]);
        must(t, pmn_array_new(t->mem, total, nulls, 3, buffers, 0, &whole, &t->err));
        break;
    case PMN_ARROW_STRING_VIEW:
    case PMN_ARROW_BINARY_VIEW:
        random_views(t, r, total, &buffers[1], &buffers[2], &buffers[3]);
        must(t, pmn_array_new(t->mem, total, nulls, 4, buffers, 0, &whole, &t->err));
        break;
    case PMN_ARROW_LIST:
    case PMN_ARROW_MAP:
    case PMN_ARROW_LARGE_LIST:
        buffers[1] = random_offsets(t, r, total, large, 4, &end);
        must(t, pmn_array_new(t->mem, total, nulls, 2, buffers, 1, &whole, &t->err));
        random_array(t, r, schema->children[0], end, whole.children[0]);
        break;
    case PMN_ARROW_LIST_VIEW: random_list_view(t, r, schema, total, false, validity, &whole); break;
    case PMN_ARROW_LARGE_LIST_VIEW: random_list_view(t, r, schema, total, true, validity, &whole); break;
    case PMN_ARROW_FIXED_LIST:
        must(t, pmn_array_new(t->mem, total, nulls, 1, buffers, 1, &whole, &t->err));
        random_array(t, r, schema->children[0], total * type.width, whole.children[0]);
        break;
    case PMN_ARROW_STRUCT:
        must(t, pmn_array_new(t->mem, total, nulls, 1, buffers, (int)schema->n_children, &whole, &t->err));
        for (int64_t i = 0; i < schema->n_children; i++) random_array(t, r, schema->children[i], total, whole.children[i]);
        break;
    case PMN_ARROW_SPARSE_UNION: random_union(t, r, schema, total, false, &whole); break;
    case PMN_ARROW_DENSE_UNION: random_union(t, r, schema, total, true, &whole); break;
    default:
        buffers[1] = random_buffer(t, r, (size_t)total * (type.kind == PMN_ARROW_DECIMAL ? (size_t)type.width / 8 : (size_t)type.width) + 1 + (size_t)total / 8);
        if (type.kind == PMN_ARROW_TIMESTAMP) /* so that finer units hold them, too */
            for (int64_t i = 0; i < total; i++) ((int64_t *)(void *)buffers[1]->data)[i] >>= 24;
        must(t, pmn_array_new(t->mem, total, nulls, 2, buffers, 0, &whole, &t->err));
    }
    if (schema->dictionary) {
        struct ArrowArray dictionary;
        uint8_t *indices = (uint8_t *)(uintptr_t)whole.buffers[1];
        memset(indices, 0, (size_t)total * (size_t)type.width);
        for (int64_t i = 0; i < total; i++) indices[i * type.width] = (uint8_t)(next_random(r) % 7);
        random_array(t, r, schema->dictionary, 7, &dictionary);
        must(t, pmn_array_set_dictionary(&whole, &dictionary, &t->err));
    }
    must(t, pmn_array_share(t->mem, &whole, skip, n, out, &t->err));
    pmn_array_release(&whole);
}

static inline void show_hex(pmn_buf *out, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) (void)!pmn_buf_printf(out, NULL, "%02x", ((const uint8_t *)bytes)[i]);
    (void)!pmn_buf_append_byte(out, ' ', NULL);
}

static inline void show_row(pmn_buf *out, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row);

static inline void show_span(pmn_buf *out, const struct ArrowSchema *schema, const struct ArrowArray *array, pmn_list_span s)
{
    (void)!pmn_buf_append_byte(out, '[', NULL);
    for (int64_t i = 0; i < s.count; i++) show_row(out, schema->children[0], array->children[0], s.start + i);
    (void)!pmn_buf_append_text(out, "] ", NULL);
}

static inline void show_union(pmn_buf *out, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row, bool dense)
{
    int type = ((const int8_t *)array->buffers[0])[array->offset + row];
    (void)!pmn_buf_printf(out, NULL, "%d:", type);
    show_row(out, schema->children[type], array->children[type], dense ? ((const int32_t *)array->buffers[1])[array->offset + row] : array->offset + row);
}

/* A row of any array as text: what is under a null does not show. */
static inline void show_row(pmn_buf *out, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row)
{
    pmn_arrow_type type;
    (void)!pmn_arrow_type_parse(schema->format, &type, NULL);
    int64_t i = array->offset + row;
    bool has_bitmap = type.kind != PMN_ARROW_NULL && type.kind != PMN_ARROW_SPARSE_UNION && type.kind != PMN_ARROW_DENSE_UNION;
    if (type.kind == PMN_ARROW_NULL || (has_bitmap && pmn_array_is_null(array, row))) {
        (void)!pmn_buf_append_text(out, "null ", NULL);
        return;
    }
    const uint8_t *values = array->n_buffers > 1 ? array->buffers[1] : NULL;
    if (schema->dictionary) {
        int64_t index = 0;
        memcpy(&index, values + i * type.width, (size_t)type.width);
        show_row(out, schema->dictionary, array->dictionary, index);
        return;
    }
    switch (type.kind) {
    case PMN_ARROW_BOOL: (void)!pmn_buf_printf(out, NULL, "%d ", pmn_bit_get(values, i)); break;
    case PMN_ARROW_STRING:
    case PMN_ARROW_BINARY: {
        const int32_t *o = (const int32_t *)(const void *)values + i;
        show_hex(out, (const uint8_t *)array->buffers[2] + o[0], (size_t)(o[1] - o[0]));
        break;
    }
    case PMN_ARROW_LARGE_STRING:
    case PMN_ARROW_LARGE_BINARY: {
        const int64_t *o = (const int64_t *)(const void *)values + i;
        show_hex(out, (const uint8_t *)array->buffers[2] + o[0], (size_t)(o[1] - o[0]));
        break;
    }
    case PMN_ARROW_STRING_VIEW:
    case PMN_ARROW_BINARY_VIEW: {
        int32_t head[4];
        memcpy(head, values + 16 * i, 16);
        show_hex(out, head[0] <= 12 ? values + 16 * i + 4 : (const uint8_t *)array->buffers[2 + head[2]] + head[3], (size_t)head[0]);
        break;
    }
    case PMN_ARROW_STRUCT:
        (void)!pmn_buf_append_byte(out, '{', NULL);
        for (int64_t c = 0; c < array->n_children; c++) show_row(out, schema->children[c], array->children[c], i);
        (void)!pmn_buf_append_text(out, "} ", NULL);
        break;
    case PMN_ARROW_LIST:
    case PMN_ARROW_LARGE_LIST:
    case PMN_ARROW_LIST_VIEW:
    case PMN_ARROW_LARGE_LIST_VIEW:
    case PMN_ARROW_FIXED_LIST:
    case PMN_ARROW_MAP: show_span(out, schema, array, pmn_array_list_span(type.kind, type.width, array, row)); break;
    case PMN_ARROW_SPARSE_UNION: show_union(out, schema, array, row, false); break;
    case PMN_ARROW_DENSE_UNION: show_union(out, schema, array, row, true); break;
    default: {
        size_t width = type.kind == PMN_ARROW_DECIMAL ? (size_t)type.width / 8 : (size_t)type.width;
        show_hex(out, values + (size_t)i * width, width);
    }
    }
}

static inline char *row_text(test_env *t, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row)
{
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    show_row(&out, schema, array, row);
    char *text = pmn_arena_strndup(&t->arena, out.data ? (char *)out.data : "", out.size);
    pmn_buf_free(&out);
    return text;
}

/* An array that is not ours: a copy of the struct whose release runs the original's. */
static inline void foreign_release(struct ArrowArray *array)
{
    struct ArrowArray *inner = array->private_data;
    pmn_array_release(inner);
    free(inner);
    free(array->buffers);
    array->release = NULL;
}

static inline void make_foreign(struct ArrowArray *array)
{
    struct ArrowArray *inner = malloc(sizeof *inner);
    *inner = *array;
    array->buffers = malloc(sizeof(void *) * (size_t)(inner->n_buffers + 1));
    for (int64_t i = 0; i < inner->n_buffers; i++) array->buffers[i] = inner->buffers[i];
    for (int64_t i = 0; i < array->n_children; i++) make_foreign(array->children[i]);
    if (array->dictionary) make_foreign(array->dictionary);
    array->private_data = inner;
    array->release = foreign_release;
}

#endif
