/* Byte vectors of tests/data/vectors: reading the files, and their values as datums and Arrow columns. */
#ifndef TESTS_SUPPORT_VECTORS_H
#define TESTS_SUPPORT_VECTORS_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/array.h"
#include "types/column.h"
#include "types/datum.h"
#include "types/type_json.h"

/* An arena, a pool and an error to test with; every unit ends with env_end, which checks that nothing is left. */
typedef struct test_env {
    pmn_mem *mem;
    pmn_arena arena;
    pmn_buffer_pool *pool;
    paimon_error err;
} test_env;

static inline void env_begin(test_env *t, const paimon_allocator *allocator)
{
    memset(t, 0, sizeof *t);
    t->mem = pmn_mem_new(allocator, 0);
    pmn_arena_init(&t->arena, t->mem);
    t->pool = pmn_buffer_pool_new(t->mem, 0);
    t->err = (paimon_error)PAIMON_ERROR_INIT;
}

static inline void env_end(test_env *t)
{
    paimon_error_clear(&t->err);
    pmn_arena_free(&t->arena);
    pmn_buffer_pool_release(t->pool);
    pmn_mem_release(t->mem);
}

#define must(t, expr)                                                                                                    \
    do {                                                                                                                 \
        paimon_status must_status_ = (expr);                                                                             \
        if (must_status_ != PAIMON_OK) fail_msg("%s: %d %s", #expr, must_status_, paimon_error_message(&(t)->err));      \
    } while (0)

#define refused(t, status, expr)                                                                                         \
    do {                                                                                                                 \
        paimon_status refused_status_ = (expr);                                                                          \
        if (refused_status_ != (status)) fail_msg("%s: status %d, not %d", #expr, refused_status_, status);              \
        if (!*paimon_error_message(&(t)->err)) fail_msg("%s: no message", #expr);                                        \
        paimon_error_clear(&(t)->err);                                                                                   \
    } while (0)

static inline json_t *load_vectors(const char *name)
{
    char path[1024];
    json_error_t why;
    snprintf(path, sizeof path, "%s/tests/data/vectors/%s", PAIMON_SOURCE_DIR, name);
    json_t *file = json_load_file(path, JSON_ALLOW_NUL, &why);
    if (!file) fail_msg("%s: %s", path, why.text);
    return file;
}

static inline pmn_slice unhex(test_env *t, const char *hex)
{
    size_t n = strlen(hex) / 2;
    uint8_t *bytes = pmn_arena_alloc(&t->arena, n + 1);
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        sscanf(hex + 2 * i, "%2x", &byte);
        bytes[i] = (uint8_t)byte;
    }
    return pmn_slice_of(bytes, n);
}

static inline void assert_bytes(pmn_slice found, pmn_slice expected, const char *what)
{
    if (pmn_slice_equal(found, expected)) return;
    fprintf(stderr, "%s\n  found    ", what);
    for (size_t i = 0; i < found.size; i++) fprintf(stderr, "%02x", found.data[i]);
    fprintf(stderr, "\n  expected ");
    for (size_t i = 0; i < expected.size; i++) fprintf(stderr, "%02x", expected.data[i]);
    fprintf(stderr, "\n");
    fail_msg("%s: other bytes", what);
}

static inline const pmn_type *vector_type(test_env *t, json_t *json)
{
    const pmn_type *type;
    must(t, pmn_type_from_json(&t->arena, (const pmn_json *)json, &type, &t->err));
    return type;
}

/* ROW of the types in an array, fields f0, f1, … */
static inline const pmn_type *vector_row_type(test_env *t, json_t *types)
{
    size_t n = json_array_size(types);
    pmn_field *fields = pmn_arena_calloc(&t->arena, n + 1, sizeof *fields);
    for (size_t i = 0; i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "f%zu", i);
        fields[i] = (pmn_field){ (int32_t)i, pmn_arena_strdup(&t->arena, name), vector_type(t, json_array_get(types, i)), NULL, NULL };
    }
    return pmn_type_row(&t->arena, false, fields, (int32_t)n);
}

static inline pmn_datum vector_datum(test_env *t, const pmn_type *type, json_t *json)
{
    pmn_datum d;
    memset(&d, 0, sizeof d);
    d.is_null = json_is_null(json);
    if (d.is_null) return d;
    pmn_slice text = json_is_string(json) ? pmn_slice_of(json_string_value(json), json_string_length(json)) : pmn_slice_of("", 0);
    if (json_is_boolean(json)) d.v.i = json_is_true(json);
    else if (json_is_integer(json)) d.v.i = json_integer_value(json);
    else if (type->kind == PMN_FLOAT) {
        uint32_t bits = (uint32_t)strtoul(json_string_value(json), NULL, 16);
        memcpy(&d.v.f, &bits, 4);
    } else if (type->kind == PMN_DOUBLE) {
        uint64_t bits = strtoull(json_string_value(json), NULL, 16);
        memcpy(&d.v.d, &bits, 8);
    } else if (pmn_type_is_text(type)) {
        d.v.bytes = text;
        must(t, pmn_datum_copy(&t->arena, type, &d, &d, &t->err));
    } else {
        pmn_type finest = *type; /* some casts start from values that are finer than their type */
        if (type->kind == PMN_TIMESTAMP || type->kind == PMN_TIMESTAMP_LTZ) finest.length = 9;
        must(t, pmn_datum_parse(&t->arena, &finest, text, &d, &t->err));
    }
    return d;
}

static inline void append_vector_value(test_env *t, pmn_column *c, json_t *json)
{
    const pmn_type *type = c->type;
    if (json_is_null(json)) {
        must(t, pmn_column_append_null(c, &t->err));
    } else if (pmn_type_is_atomic(type)) {
        pmn_datum d = vector_datum(t, type, json);
        must(t, pmn_column_append(c, &d, &t->err));
    } else {
        bool pairs = type->kind == PMN_MAP || type->kind == PMN_MULTISET;
        for (size_t i = 0; i < json_array_size(json); i++) {
            json_t *item = json_array_get(json, i);
            if (pairs) {
                append_vector_value(t, &c->parts[0], json_array_get(item, 0));
                append_vector_value(t, &c->parts[1], json_array_get(item, 1));
            } else {
                append_vector_value(t, &c->parts[type->kind == PMN_ROW ? i : 0], item);
            }
        }
        must(t, pmn_column_close(c, &t->err));
    }
}

/* One row ("+I" and its values) as a struct array of one row. */
static inline void vector_row_to_arrow(test_env *t, const pmn_type *row_type, json_t *row, struct ArrowArray *out)
{
    pmn_column c;
    must(t, pmn_column_init(&c, t->pool, row_type, &t->err));
    for (int32_t i = 0; i < row_type->n_fields; i++) append_vector_value(t, &c.parts[i], json_array_get(row, (size_t)i + 1));
    must(t, pmn_column_close(&c, &t->err));
    must(t, pmn_column_finish(&c, out, &t->err));
}

#endif
