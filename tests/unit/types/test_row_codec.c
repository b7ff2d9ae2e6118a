/* BinaryRow against the bytes of Paimon Java, both ways, and against hostile bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arrow/import.h"
#include "base/hash.h"
#include "support/arrow_random.h"
#include "support/failing_alloc.h"
#include "support/vectors.h"
#include "types/row_codec.h"

static bool all_atomic(const pmn_type *row)
{
    for (int32_t i = 0; i < row->n_fields; i++)
        if (!pmn_type_is_atomic(row->fields[i].type)) return false;
    return true;
}

static uint8_t kind_byte(json_t *row)
{
    const char *kinds[] = { "+I", "-U", "+U", "-D" }, *kind = json_string_value(json_array_get(row, 0));
    for (uint8_t i = 0; i < 4; i++)
        if (strcmp(kinds[i], kind) == 0) return i;
    return 99;
}

static pmn_slice written(test_env *t, pmn_buf *out)
{
    pmn_slice copy = { pmn_arena_copy(&t->arena, out->size ? out->data : (const uint8_t *)"", out->size), out->size };
    pmn_buf_free(out);
    return copy;
}

/* Java's bytes → datums → bytes, when there is no nested field. */
static void check_datums(test_env *t, const pmn_type *type, pmn_slice with_arity, json_t *row)
{
    pmn_row_view view;
    pmn_datum *values = pmn_arena_calloc(&t->arena, (size_t)type->n_fields + 1, sizeof *values);
    must(t, pmn_row_parse(with_arity, &view, &t->err));
    must(t, pmn_row_get_all(&view, type, values, &t->err));
    for (int32_t i = 0; i < type->n_fields; i++) {
        pmn_datum expected = vector_datum(t, type->fields[i].type, json_array_get(row, (size_t)i + 1));
        assert_int_equal(values[i].is_null, expected.is_null);
        if (!expected.is_null) assert_true(pmn_datum_equal(type->fields[i].type, &values[i], &expected));
    }
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    must(t, pmn_row_write_serialized(&out, type, values, &t->err));
    if (out.size > 4) out.data[4] = kind_byte(row);
    assert_bytes(written(t, &out), with_arity, "row of datums");
}

/* Java hashes the entries of a map: with two or more their order in the bytes is not that of the value. */
static bool has_unordered_map(const pmn_type *type, json_t *value)
{
    bool pairs = type->kind == PMN_MAP || type->kind == PMN_MULTISET;
    if (!json_is_array(value) || pmn_type_is_atomic(type)) return false;
    if (pairs && json_array_size(value) > 1) return true;
    for (size_t i = 0; i < json_array_size(value); i++) {
        json_t *item = json_array_get(value, i);
        if (pairs ? has_unordered_map(type->fields[type->n_fields - 1].type, json_array_get(item, 1))
                  : has_unordered_map(type->fields[type->kind == PMN_ROW ? i : 0].type, item))
            return true;
    }
    return false;
}

static bool row_is_unordered(const pmn_type *type, json_t *row)
{
    for (int32_t i = 0; i < type->n_fields; i++)
        if (has_unordered_map(type->fields[i].type, json_array_get(row, (size_t)i + 1))) return true;
    return false;
}

/* Values → Arrow → bytes, and bytes → Arrow → bytes. */
static void check_arrow(test_env *t, const pmn_type *type, pmn_slice bytes, json_t *row)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    pmn_buf out;
    must(t, pmn_row_to_arrow(t->mem, type, &schema, &t->err));
    for (int way = row_is_unordered(type, row) ? 1 : 0; way < 2; way++) {
        pmn_row_view view;
        if (way == 0) {
            vector_row_to_arrow(t, type, row, &array);
        } else {
            must(t, pmn_row_parse_bare(bytes, type->n_fields, &view, &t->err));
            must(t, pmn_rows_to_arrow(t->pool, type, &view, 1, &array, &t->err));
        }
        pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
        must(t, pmn_row_from_arrow(&out, type, &schema, &array, 0, &t->err));
        out.data[0] = kind_byte(row);
        assert_bytes(written(t, &out), bytes, way ? "row to Arrow and back" : "row from Arrow");
        pmn_array_release(&array);
    }
    pmn_schema_release(&schema);
}

static void rows_have_the_bytes_and_hashes_of_java(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("binary-row.json"), *v;
    size_t i;
    json_array_foreach(json_object_get(file, "vectors"), i, v) {
        const pmn_type *type = vector_row_type(&t, json_object_get(v, "types"));
        pmn_slice bytes = unhex(&t, json_string_value(json_object_get(v, "bytes")));
        json_t *row = json_object_get(v, "row");
        assert_int_equal(pmn_row_hash(bytes), json_integer_value(json_object_get(v, "hash")));
        if (all_atomic(type)) check_datums(&t, type, unhex(&t, json_string_value(json_object_get(v, "withArity"))), row);
        check_arrow(&t, type, bytes, row);
    }
    assert_true(i > 200);
    json_decref(file);
    env_end(&t);
}

/* The vectors hold bare arrays and maps: the item of a row of one field. */
static void arrays_and_maps_have_the_bytes_of_java(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("binary-array-map.json"), *v;
    size_t i;
    json_array_foreach(json_object_get(file, "vectors"), i, v) {
        json_t *types = json_pack("[O]", json_object_get(v, "type"));
        json_t *row = json_pack("[s,O]", "+I", json_object_get(v, "value"));
        const pmn_type *type = vector_row_type(&t, types);
        pmn_slice item = unhex(&t, json_string_value(json_object_get(v, "bytes")));
        pmn_buf out;
        pmn_buf_init(&out, t.mem, PMN_BUF_NO_CEILING);
        uint8_t head[16] = { 0 };
        pmn_store_le32(head + 8, (uint32_t)item.size);
        pmn_store_le32(head + 12, 16);
        must(&t, pmn_buf_append(&out, head, 16, &t.err));
        must(&t, pmn_buf_append(&out, item.data, item.size, &t.err));
        while (out.size % 8) must(&t, pmn_buf_append_byte(&out, 0, &t.err));
        pmn_slice bytes = written(&t, &out);
        check_arrow(&t, type, bytes, row);
        json_decref(types);
        json_decref(row);
    }
    json_decref(file);
    env_end(&t);
}

static void statistics_rows_have_the_bytes_of_java(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("simple-stats.json"), *v;
    size_t i;
    json_array_foreach(json_object_get(file, "vectors"), i, v) {
        const pmn_type *type = vector_row_type(&t, json_object_get(v, "types"));
        check_datums(&t, type, unhex(&t, json_string_value(json_object_get(v, "minBytes"))), json_object_get(v, "min"));
        check_datums(&t, type, unhex(&t, json_string_value(json_object_get(v, "maxBytes"))), json_object_get(v, "max"));
    }
    json_decref(file);
    env_end(&t);
}

static void murmur_hashes_are_those_of_java(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("murmur.json"), *v, *words;
    size_t i;
    json_array_foreach(json_object_get(file, "vectors"), i, v) {
        pmn_slice bytes = unhex(&t, json_string_value(json_object_get(v, "bytes")));
        assert_int_equal(pmn_murmur_bytes(bytes.data, bytes.size), json_integer_value(json_object_get(v, "hashBytes")));
        words = json_object_get(v, "hashBytesByWords");
        if (words) assert_int_equal(pmn_murmur_words(bytes.data, bytes.size), json_integer_value(words));
    }
    json_decref(file);
    env_end(&t);
}

/* Random types and rows, three deep. */
static const char *const atoms[] = {
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DATE", "STRING", "BYTES", "CHAR(9)", "DECIMAL(9, 2)", "DECIMAL(30, 4)",
    "TIMESTAMP(0)", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(9)", "TIMESTAMP_LTZ(9)", "TIME(3)", "BLOB", "VARIANT", "VECTOR<BIGINT NOT NULL, 3>", "VECTOR<TINYINT NOT NULL, 5>",
};

static void random_type(test_random *r, int depth, char *out, size_t size)
{
    char one[4096], two[4096];
    unsigned pick = next_random(r) % (depth > 0 ? 8 : 4);
    if (pick < 4) {
        snprintf(out, size, "%s", atoms[next_random(r) % (sizeof atoms / sizeof *atoms)]);
        return;
    }
    random_type(r, depth - 1, one, sizeof one / 4);
    random_type(r, depth - 1, two, sizeof two / 4);
    if (pick == 4) snprintf(out, size, "ARRAY<%.1000s>", one);
    else if (pick == 5) snprintf(out, size, "MAP<%.1000s NOT NULL, %.1000s>", one, two);
    else if (pick == 6) snprintf(out, size, "MULTISET<%.1000s NOT NULL>", one);
    else snprintf(out, size, "ROW<a %.1000s, b %.1000s, c INT NOT NULL>", one, two);
}

static pmn_datum random_datum(test_env *t, test_random *r, const pmn_type *type)
{
    pmn_datum d;
    memset(&d, 0, sizeof d);
    d.v.i = (int64_t)next_random(r) >> (next_random(r) % 64);
    if (type->kind == PMN_BOOLEAN) d.v.i &= 1;
    if (type->kind == PMN_TINYINT) d.v.i = (int8_t)d.v.i;
    if (type->kind == PMN_SMALLINT) d.v.i = (int16_t)d.v.i;
    if (type->kind == PMN_INT || type->kind == PMN_DATE) d.v.i = (int32_t)d.v.i;
    if (type->kind == PMN_TIME) d.v.i = (int64_t)(next_random(r) % 86400000);
    if (type->kind == PMN_DECIMAL) d.v.dec = (pmn_i128)((int64_t)next_random(r) % (type->length < 18 ? 1000000000 : INT64_MAX)) * (type->length < 18 ? 1 : 12345);
    if (type->kind == PMN_TIMESTAMP || type->kind == PMN_TIMESTAMP_LTZ) {
        int32_t unit = type->length >= 9 ? 1 : type->length >= 6 ? 1000 : 1000000;
        d.v.ts.millis = ((int64_t)next_random(r) >> 24) / (type->length == 0 ? 1000 : 1) * (type->length == 0 ? 1000 : 1);
        d.v.ts.nanos_of_milli = (int32_t)(next_random(r) % 1000000) / unit * unit;
    }
    if (pmn_datum_has_bytes(type)) {
        size_t n = next_random(r) % (type->kind == PMN_CHAR ? 9 : 20);
        char *bytes = pmn_arena_alloc(&t->arena, n + 1);
        for (size_t i = 0; i < n; i++) bytes[i] = (char)('a' + next_random(r) % 26);
        d.v.bytes = pmn_slice_of(bytes, n);
    }
    return d;
}

static void append_random(test_env *t, test_random *r, pmn_column *c)
{
    if (c->type->nullable && next_random(r) % 4 == 0) {
        must(t, pmn_column_append_null(c, &t->err));
    } else if (pmn_type_is_atomic(c->type)) {
        pmn_datum d = random_datum(t, r, c->type);
        must(t, pmn_column_append(c, &d, &t->err));
    } else {
        bool list = c->type->kind == PMN_ARRAY || c->type->kind == PMN_MAP || c->type->kind == PMN_MULTISET;
        int32_t rounds = list ? (int32_t)(next_random(r) % 40) / (next_random(r) % 8 ? 10 : 1) : c->type->kind == PMN_VECTOR ? c->type->length : 1;
        for (int32_t k = 0; k < rounds; k++)
            for (int32_t i = 0; i < c->n_parts; i++) append_random(t, r, &c->parts[i]);
        must(t, pmn_column_close(c, &t->err));
    }
}

/* Arrow → bytes → Arrow → bytes: the same bytes, and the same rows. */
static void check_random_rows(test_env *t, test_random *r, const pmn_type *row)
{
    enum { ROWS = 6 };
    struct ArrowSchema schema;
    struct ArrowArray array, back;
    pmn_column c;
    pmn_row_view views[ROWS];
    must(t, pmn_row_to_arrow(t->mem, row, &schema, &t->err));
    must(t, pmn_column_init(&c, t->pool, row, &t->err));
    for (int i = 0; i < ROWS; i++) append_random(t, r, &c);
    must(t, pmn_column_finish(&c, &array, &t->err));
    must(t, pmn_array_import_check(&schema, &array, &t->err));
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < ROWS; i++) {
            pmn_buf out;
            pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
            must(t, pmn_row_from_arrow(&out, row, &schema, way ? &back : &array, i, &t->err));
            pmn_slice bytes = written(t, &out);
            assert_int_equal(bytes.size % 8, 0);
            if (way) assert_bytes(bytes, views[i].bytes, "random row");
            else must(t, pmn_row_parse_bare(bytes, row->n_fields, &views[i], &t->err));
        }
        if (way) break;
        must(t, pmn_rows_to_arrow(t->pool, row, views, ROWS, &back, &t->err));
        must(t, pmn_array_import_check(&schema, &back, &t->err));
        for (int i = 0; i < ROWS; i++) assert_string_equal(row_text(t, &schema, &back, i), row_text(t, &schema, &array, i));
    }
    pmn_array_release(&array);
    pmn_array_release(&back);
    pmn_schema_release(&schema);
}

static void random_rows_of_random_types_come_back(void **state)
{
    (void)state;
    test_random r = { 2024 };
    for (int round = 0; round < 400; round++) {
        test_env t;
        char fields[3][4096], text[16384];
        const pmn_type *row;
        env_begin(&t, NULL);
        for (int i = 0; i < 3; i++) random_type(&r, 3, fields[i], sizeof fields[i]);
        snprintf(text, sizeof text, "ROW<a %.4000s, b %.4000s, c %.4000s> NOT NULL", fields[0], fields[1], fields[2]);
        must(&t, pmn_type_parse(&t.arena, text, &row, &t.err));
        check_random_rows(&t, &r, row);
        env_end(&t);
    }
}

/* One damaged row through every reader: no crash, and an error or values, never more than the row can hold. */
static void read_all_ways(test_env *t, const pmn_type *type, pmn_slice bytes)
{
    pmn_row_view view;
    struct ArrowArray array;
    if (pmn_row_parse_bare(bytes, type->n_fields, &view, &t->err) == PAIMON_OK) {
        for (int32_t i = 0; i < type->n_fields; i++) {
            pmn_datum d;
            (void)!pmn_row_get(&view, i, type->fields[i].type, &d, &t->err);
        }
        if (pmn_rows_to_arrow(t->pool, type, &view, 1, &array, &t->err) == PAIMON_OK) pmn_array_release(&array);
    }
    paimon_error_clear(&t->err);
}

static void damaged_rows_are_refused_or_read_within_their_bytes(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("binary-row.json"), *v;
    size_t i;
    unsigned random = 1;
    json_array_foreach(json_object_get(file, "vectors"), i, v) {
        const pmn_type *type = vector_row_type(&t, json_object_get(v, "types"));
        pmn_slice bytes = unhex(&t, json_string_value(json_object_get(v, "bytes")));
        uint8_t *damaged = malloc(bytes.size + 1);
        for (int round = 0; round < 60; round++) {
            memcpy(damaged, bytes.data, bytes.size);
            for (int k = 0; k < 1 + round % 3; k++) {
                random = random * 1103515245 + 12345;
                damaged[(random >> 8) % bytes.size] = (uint8_t)(random >> 24);
            }
            uint8_t *exact = malloc(bytes.size); /* its own block: reading past the end is seen by a sanitizer */
            size_t size = round % 4 == 3 ? bytes.size - bytes.size / 3 : bytes.size;
            memcpy(exact, damaged, size);
            uint8_t *cut = realloc(exact, size);
            read_all_ways(&t, type, pmn_slice_of(cut, size));
            free(cut);
        }
        free(damaged);
    }
    json_decref(file);
    env_end(&t);
}

static void overlapping_items_do_not_multiply(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    const pmn_type *type;
    must(&t, pmn_type_parse(&t.arena, "ROW<a ARRAY<ARRAY<ARRAY<ARRAY<STRING>>>>>", &type, &t.err));
    /* Every slot of every level names the same bytes, themselves an array of 1 000 slots. */
    size_t n = 1000, size = 16 + 4 + 128 + 8 * n;
    uint8_t *row = calloc(1, size);
    pmn_store_le32(row + 8, (uint32_t)(size - 16));
    pmn_store_le32(row + 12, 16);
    pmn_store_le32(row + 16, (uint32_t)n);
    for (size_t i = 0; i < n; i++) pmn_store_le32(row + 16 + 4 + 128 + 8 * i, (uint32_t)(size - 16));
    pmn_row_view view;
    struct ArrowArray array;
    must(&t, pmn_row_parse_bare(pmn_slice_of(row, size), 1, &view, &t.err));
    refused(&t, PAIMON_CORRUPT, pmn_rows_to_arrow(t.pool, type, &view, 1, &array, &t.err));
    free(row);
    env_end(&t);
}

static void short_rows_and_wrong_arities_are_corrupt(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    pmn_row_view view;
    uint8_t bytes[20] = { 0, 0, 0, 2 };
    refused(&t, PAIMON_CORRUPT, pmn_row_parse(pmn_slice_of(NULL, 0), &view, &t.err));
    refused(&t, PAIMON_CORRUPT, pmn_row_parse(pmn_slice_of(bytes, 3), &view, &t.err));
    refused(&t, PAIMON_CORRUPT, pmn_row_parse(pmn_slice_of(bytes, 20), &view, &t.err));
    bytes[0] = 0xff;
    refused(&t, PAIMON_CORRUPT, pmn_row_parse(pmn_slice_of(bytes, 20), &view, &t.err));
    bytes[0] = 0, bytes[3] = 1;
    must(&t, pmn_row_parse(pmn_slice_of(bytes, 20), &view, &t.err));
    const pmn_type *type;
    pmn_datum d[2];
    must(&t, pmn_type_parse(&t.arena, "ROW<a INT, b INT>", &type, &t.err));
    refused(&t, PAIMON_CORRUPT, pmn_row_get_all(&view, type, d, &t.err));
    refused(&t, PAIMON_CORRUPT, pmn_row_get(&view, 1, type->fields[0].type, d, &t.err));
    assert_true(pmn_row_is_null(&view, 7));
    env_end(&t);
}

static void map_with_a_null_key_is_refused_by_name(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    const pmn_type *type;
    must(&t, pmn_type_parse(&t.arena, "ROW<m MAP<INT, INT>>", &type, &t.err));
    pmn_slice bytes = unhex(&t, "0000000000000000" "2400000010000000" "10000000" "01000000010000000000000000000000" "01000000000000000700000000000000" "00000000");
    pmn_row_view view;
    struct ArrowArray array;
    must(&t, pmn_row_parse_bare(bytes, 1, &view, &t.err));
    refused(&t, PAIMON_UNSUPPORTED, pmn_rows_to_arrow(t.pool, type, &view, 1, &array, &t.err));
    env_end(&t);
}

static paimon_status there_and_back(test_env *t, const pmn_type *type, pmn_slice bytes)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    pmn_row_view view;
    pmn_buf out;
    PMN_TRY(pmn_row_parse_bare(bytes, type->n_fields, &view, &t->err));
    PMN_TRY(pmn_row_to_arrow(t->mem, type, &schema, &t->err));
    paimon_status status = pmn_rows_to_arrow(t->pool, type, &view, 1, &array, &t->err);
    if (status == PAIMON_OK) {
        pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
        status = pmn_row_from_arrow(&out, type, &schema, &array, 0, &t->err);
        pmn_buf_free(&out);
        pmn_array_release(&array);
    }
    pmn_schema_release(&schema);
    return status;
}

static void every_failing_allocation_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    failing_alloc f = { -1, 0 };
    paimon_allocator allocator = failing_alloc_interface(&f);
    json_t *file = load_vectors("binary-row.json"), *v, *widest = NULL;
    size_t i, most = 0;
    json_array_foreach(json_object_get(file, "vectors"), i, v) {
        size_t n = json_array_size(json_object_get(v, "types"));
        if (n > most && n < 50) most = n, widest = v;
    }
    for (int64_t n = 0;; n++) {
        test_env t;
        f.until_failure = -1;
        env_begin(&t, &allocator);
        const pmn_type *type = vector_row_type(&t, json_object_get(widest, "types"));
        pmn_slice bytes = unhex(&t, json_string_value(json_object_get(widest, "bytes")));
        f.until_failure = n;
        paimon_status status = there_and_back(&t, type, bytes);
        f.until_failure = -1;
        env_end(&t);
        assert_int_equal(f.alive, 0);
        if (status == PAIMON_OK) break;
        assert_int_equal(status, PAIMON_NOMEM);
        assert_true(n < 100000);
    }
    json_decref(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_bytes_and_hashes_of_java),
        cmocka_unit_test(arrays_and_maps_have_the_bytes_of_java),
        cmocka_unit_test(statistics_rows_have_the_bytes_of_java),
        cmocka_unit_test(murmur_hashes_are_those_of_java),
        cmocka_unit_test(random_rows_of_random_types_come_back),
        cmocka_unit_test(damaged_rows_are_refused_or_read_within_their_bytes),
        cmocka_unit_test(overlapping_items_do_not_multiply),
        cmocka_unit_test(short_rows_and_wrong_arities_are_corrupt),
        cmocka_unit_test(map_with_a_null_key_is_refused_by_name),
        cmocka_unit_test(every_failing_allocation_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
