/* Foreign layouts into the canonical one: values stay, what would lose or not fit is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arrow/import.h"
#include "support/arrow_random.h"
#include "support/failing_alloc.h"
#include "types/normalize.h"
#include "types/row_codec.h"

typedef struct way {
    const char *arrow;
    const char *type;
} way;

/* Layouts that hold any value of their type. Each is read as rows by both sides and compared. */
static const way ways[] = {
    { "b", "BOOLEAN" }, { "c", "TINYINT" }, { "c", "SMALLINT" }, { "s", "SMALLINT" }, { "c", "INT" }, { "s", "INT" }, { "i", "INT" }, { "c", "BIGINT" },
    { "i", "BIGINT" }, { "l", "BIGINT" }, { "f", "FLOAT" }, { "g", "DOUBLE" }, { "tdD", "DATE" }, { "u", "STRING" }, { "U", "STRING" }, { "vu", "STRING" },
    { "c=u", "STRING" }, { "S=U", "STRING" }, { "L=vu", "STRING" }, { "z", "BYTES" }, { "Z", "BYTES" }, { "vz", "BYTES" }, { "w:5", "BYTES" }, { "w:5", "BINARY(5)" },
    { "z", "BLOB" }, { "Z", "BLOB" }, { "tsm:", "TIMESTAMP(3)" }, { "tsm:", "TIMESTAMP(6)" }, { "tsu:", "TIMESTAMP(6)" }, { "tsn:", "TIMESTAMP(9)" },
    { "tsu:", "TIMESTAMP(9)" }, { "tsm:Asia/Tokyo", "TIMESTAMP_LTZ(3)" }, { "+l(i)", "ARRAY<INT>" }, { "+L(i)", "ARRAY<INT>" }, { "+vl(i)", "ARRAY<INT>" },
    { "+vL(u)", "ARRAY<STRING>" }, { "+w:3(s)", "ARRAY<INT>" }, { "+w:3(f)", "VECTOR<FLOAT, 3>" }, { "+m(!+s(!i,u))", "MAP<INT, STRING>" },
    { "+m(!+s(!vu,+l(c=u)))", "MAP<STRING, ARRAY<STRING>>" }, { "+m(!+s(!u,!i))", "MULTISET<STRING>" }, { "+l(+l(+vl(u)))", "ARRAY<ARRAY<ARRAY<STRING>>>" },
    { "+l(+w:2(g))", "ARRAY<VECTOR<DOUBLE, 2>>" }, { "n", "ARRAY<INT>" }, { "n", "STRING" },
};

static const pmn_type *parse(test_env *t, const char *text)
{
    const pmn_type *type;
    must(t, pmn_type_parse(&t->arena, text, &type, &t->err));
    return type;
}

static bool same_hex(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* The row of one column as BinaryRow bytes: the same value in whatever layout. */
static char *binary(test_env *t, const pmn_type *row, const struct ArrowSchema *schema, struct ArrowArray *column, int64_t i)
{
    struct ArrowSchema parent = *schema, *schemas[1] = { (struct ArrowSchema *)(uintptr_t)schema };
    struct ArrowArray array = { column->length, 0, 0, 1, 1, (const void *[]){ NULL }, (struct ArrowArray *[]){ column }, NULL, column->release, NULL };
    parent.format = "+s";
    parent.n_children = 1;
    parent.children = schemas;
    parent.dictionary = NULL;
    pmn_buf out, hex;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    pmn_buf_init(&hex, t->mem, PMN_BUF_NO_CEILING);
    must(t, pmn_row_from_arrow(&out, row, &parent, &array, i, &t->err));
    show_hex(&hex, out.data, out.size);
    char *text = pmn_arena_strndup(&t->arena, (char *)hex.data, hex.size);
    pmn_buf_free(&out);
    pmn_buf_free(&hex);
    return text;
}

/* Every node at offset 0, with a bitmap only if there are nulls. */
static void assert_canonical(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    assert_int_equal(array->offset, 0);
    assert_null(array->dictionary);
    int64_t nulls = 0;
    for (int64_t i = 0; i < array->length; i++) nulls += pmn_array_is_null(array, i);
    assert_int_equal(array->null_count, nulls);
    if (nulls == 0) assert_null(array->buffers[0]);
    for (int64_t i = 0; i < array->n_children; i++) assert_canonical(schema->children[i], array->children[i]);
}

static void check_way(const way *w, test_random *r, bool foreign)
{
    test_env t;
    struct ArrowSchema schema, own;
    struct ArrowArray array, out;
    env_begin(&t, NULL);
    schema_from_text(&t, w->arrow, &schema);
    int64_t n = (int64_t)(next_random(r) % 30);
    random_array(&t, r, &schema, n, &array);
    pmn_field field = { 3, "x", parse(&t, w->type), NULL, NULL };
    const pmn_type *row = pmn_type_row(&t.arena, false, &field, 1);
    must(&t, pmn_field_to_arrow(t.mem, &field, &own, &t.err));
    char **before = malloc(sizeof *before * (size_t)(n + 1));
    /* A null vector in a list that is no fixed-size one, or with nulls among its elements, has no bytes. */
    bool comparable = !strstr(w->type, "VECTOR");
    for (int64_t i = 0; comparable && i < n; i++) before[i] = binary(&t, row, &schema, &array, i);
    if (foreign) make_foreign(&array);
    must(&t, pmn_array_import_check(&schema, &array, &t.err));
    must(&t, pmn_array_normalize(t.pool, field.type, &schema, &array, &out, &t.err));
    assert_int_equal(out.length, n);
    must(&t, pmn_array_import_check(&own, &out, &t.err));
    assert_canonical(&own, &out);
    for (int64_t i = 0; comparable && i < n; i++)
        if (!same_hex(binary(&t, row, &own, &out, i), before[i])) fail_msg("%s as %s: row %d differs", w->arrow, w->type, (int)i);
    if (!comparable && strcmp(own.format, schema.format) == 0)
        for (int64_t i = 0; i < n; i++) assert_string_equal(row_text(&t, &own, &out, i), row_text(&t, &schema, &array, i));
    free(before);
    pmn_array_release(&array);
    pmn_array_release(&out);
    pmn_schema_release(&schema);
    pmn_schema_release(&own);
    env_end(&t);
}

static void values_are_the_same_in_the_canonical_layout(void **state)
{
    (void)state;
    test_random r = { 17 };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int round = 0; round < 8; round++) check_way(&ways[i], &r, round % 2);
}

/* One flat column of three given 64-bit values. */
static paimon_status normalize_values(test_env *t, const char *format, const char *type, const void *values, size_t bytes)
{
    struct ArrowSchema schema;
    struct ArrowArray array, out;
    pmn_buffer *buffers[2] = { NULL, NULL };
    must(t, pmn_buffer_new(t->pool, bytes, &buffers[1], &t->err));
    memcpy(buffers[1]->data, values, bytes);
    must(t, pmn_schema_new(t->mem, format, "x", ARROW_FLAG_NULLABLE, 0, &schema, &t->err));
    must(t, pmn_array_new(t->mem, 1, 0, 2, buffers, 0, &array, &t->err));
    paimon_status status = pmn_array_normalize(t->pool, parse(t, type), &schema, &array, &out, &t->err);
    if (status == PAIMON_OK) pmn_array_release(&out);
    pmn_array_release(&array);
    pmn_schema_release(&schema);
    return status;
}

static void values_that_lose_or_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        const char *type;
        int64_t value;
        paimon_status expected;
    } cases[] = {
        { "tdm", "DATE", 86400000, PAIMON_OK },
        { "tdm", "DATE", 86400001, PAIMON_INVALID },
        { "tdm", "DATE", INT64_MAX - INT64_MAX % 86400000, PAIMON_INVALID },
        { "ttm", "TIME(3)", 86399999, PAIMON_OK },
        { "ttm", "TIME(3)", 86400000, PAIMON_INVALID },
        { "ttn", "TIME(3)", 1000000, PAIMON_OK },
        { "ttn", "TIME(3)", 1000001, PAIMON_INVALID },
        { "tsn:", "TIMESTAMP(6)", 1000, PAIMON_OK },
        { "tsn:", "TIMESTAMP(6)", 1001, PAIMON_INVALID },
        { "tsm:", "TIMESTAMP(0)", -1000, PAIMON_OK },
        { "tsm:", "TIMESTAMP(0)", -999, PAIMON_INVALID },
        { "tsm:", "TIMESTAMP(2)", 11, PAIMON_INVALID },
        { "tsu:", "TIMESTAMP(4)", 100, PAIMON_OK },
        { "tsu:", "TIMESTAMP(4)", 10, PAIMON_INVALID },
        { "tss:", "TIMESTAMP(3)", INT64_MAX, PAIMON_INVALID },
        { "tsm:", "TIMESTAMP(9)", INT64_MAX / 1000, PAIMON_UNSUPPORTED },
        { "d:18,2,64", "DECIMAL(5, 2)", 99999, PAIMON_OK },
        { "d:18,2,64", "DECIMAL(5, 2)", 100000, PAIMON_INVALID },
        { "d:18,2,64", "DECIMAL(18, 3)", 1, PAIMON_UNSUPPORTED },
        { "l", "INT", 1, PAIMON_UNSUPPORTED },
        { "C", "INT", 1, PAIMON_UNSUPPORTED },
        { "L", "BIGINT", 1, PAIMON_UNSUPPORTED },
        { "f", "DOUBLE", 1, PAIMON_UNSUPPORTED },
        { "g", "FLOAT", 1, PAIMON_UNSUPPORTED },
        { "i", "STRING", 1, PAIMON_UNSUPPORTED },
        { "tsm:UTC", "TIMESTAMP(3)", 1, PAIMON_UNSUPPORTED },
        { "tsm:", "TIMESTAMP_LTZ(3)", 1, PAIMON_UNSUPPORTED },
        { "i", "ARRAY<INT>", 1, PAIMON_UNSUPPORTED },
        { "i", "ROW<a INT>", 1, PAIMON_UNSUPPORTED },
        { "i", "MAP<INT, INT>", 1, PAIMON_UNSUPPORTED },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_env t;
        env_begin(&t, NULL);
        paimon_status status = normalize_values(&t, cases[i].format, cases[i].type, &cases[i].value, 8);
        if (status != cases[i].expected) fail_msg("%s as %s, %lld: %d", cases[i].format, cases[i].type, (long long)cases[i].value, status);
        env_end(&t);
    }
    test_env t;
    env_begin(&t, NULL);
    uint64_t wide[4] = { 5, 0, 0, 0 }, wider[4] = { 5, 0, 1, 0 }, minus[4] = { (uint64_t)-5, ~0ull, ~0ull, ~0ull };
    must(&t, normalize_values(&t, "d:60,2,256", "DECIMAL(38, 2)", wide, 32));
    must(&t, normalize_values(&t, "d:60,2,256", "DECIMAL(38, 2)", minus, 32));
    refused(&t, PAIMON_INVALID, normalize_values(&t, "d:60,2,256", "DECIMAL(38, 2)", wider, 32));
    env_end(&t);
}

static paimon_status normalize_text(test_env *t, const char *format, const char *type, const char *text)
{
    struct ArrowSchema schema;
    struct ArrowArray array, out;
    pmn_buffer *buffers[3] = { NULL, NULL, NULL };
    int32_t offsets[2] = { 0, (int32_t)strlen(text) };
    must(t, pmn_buffer_new(t->pool, 8, &buffers[1], &t->err));
    must(t, pmn_buffer_new(t->pool, strlen(text), &buffers[2], &t->err));
    memcpy(buffers[1]->data, offsets, 8);
    memcpy(buffers[2]->data, text, strlen(text));
    must(t, pmn_schema_new(t->mem, format, "x", ARROW_FLAG_NULLABLE, 0, &schema, &t->err));
    must(t, pmn_array_new(t->mem, 1, 0, 3, buffers, 0, &array, &t->err));
    paimon_status status = pmn_array_normalize(t->pool, parse(t, type), &schema, &array, &out, &t->err);
    if (status == PAIMON_OK) pmn_array_release(&out);
    pmn_array_release(&array);
    pmn_schema_release(&schema);
    return status;
}

static void texts_must_be_utf8_and_no_longer_than_their_type(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    must(&t, normalize_text(&t, "u", "VARCHAR(2)", "\xc3\xa9\xc3\xa9"));
    refused(&t, PAIMON_INVALID, normalize_text(&t, "u", "VARCHAR(2)", "abc"));
    refused(&t, PAIMON_INVALID, normalize_text(&t, "u", "STRING", "a\xff"));
    must(&t, normalize_text(&t, "z", "BYTES", "a\xff"));
    refused(&t, PAIMON_INVALID, normalize_text(&t, "z", "VARBINARY(1)", "ab"));
    env_end(&t);
}

/* A table's row from columns in another order, one renamed, one absent. */
static void fields_are_found_by_name_then_by_id(void **state)
{
    (void)state;
    test_env t;
    test_random r = { 4 };
    struct ArrowSchema schema, own;
    struct ArrowArray array, out;
    env_begin(&t, NULL);
    const pmn_type *row = parse(&t, "ROW<a INT, b STRING, c BIGINT>");
    const pmn_field renamed[] = { { 1, "old_b", row->fields[1].type, NULL, NULL }, row->fields[0] };
    must(&t, pmn_row_to_arrow(t.mem, pmn_type_row(&t.arena, false, renamed, 2), &schema, &t.err));
    must(&t, pmn_row_to_arrow(t.mem, row, &own, &t.err));
    random_array(&t, &r, &schema, 9, &array);
    struct ArrowArray top = array; /* the top level may have been given a bitmap */
    top.null_count = 0;
    must(&t, pmn_array_normalize(t.pool, row, &schema, &top, &out, &t.err));
    array = top;
    for (int64_t i = 0; i < 9; i++) {
        assert_string_equal(row_text(&t, own.children[0], out.children[0], i), row_text(&t, schema.children[1], array.children[1], array.offset + i));
        assert_string_equal(row_text(&t, own.children[1], out.children[1], i), row_text(&t, schema.children[0], array.children[0], array.offset + i));
        assert_true(pmn_array_is_null(out.children[2], i));
    }
    pmn_array_release(&out);
    refused(&t, PAIMON_INVALID, pmn_array_normalize(t.pool, parse(&t, "ROW<a INT, old_b STRING, d INT NOT NULL>"), &schema, &array, &out, &t.err));
    refused(&t, PAIMON_INVALID, pmn_array_normalize(t.pool, parse(&t, "ROW<a INT>"), &schema, &array, &out, &t.err));
    pmn_array_release(&array);
    pmn_schema_release(&schema);
    pmn_schema_release(&own);
    env_end(&t);
}

/* Struct of one int column, both of two rows, with given bitmaps. */
static paimon_status normalize_nulls(test_env *t, const char *type, uint8_t outer, uint8_t inner)
{
    struct ArrowSchema schema;
    struct ArrowArray array, out;
    pmn_buffer *validity, *buffers[2];
    schema_from_text(t, "+s(i)", &schema);
    must(t, pmn_buffer_new(t->pool, 1, &validity, &t->err));
    must(t, pmn_buffer_new(t->pool, 1, &buffers[0], &t->err));
    must(t, pmn_buffer_new(t->pool, 8, &buffers[1], &t->err));
    validity->data[0] = outer;
    buffers[0]->data[0] = inner;
    memset(buffers[1]->data, 0, 8);
    must(t, pmn_array_new(t->mem, 2, -1, 1, &validity, 1, &array, &t->err));
    must(t, pmn_array_new(t->mem, 2, -1, 2, buffers, 0, array.children[0], &t->err));
    paimon_status status = pmn_array_normalize(t->pool, parse(t, type), &schema, &array, &out, &t->err);
    if (status == PAIMON_OK) pmn_array_release(&out);
    pmn_array_release(&array);
    pmn_schema_release(&schema);
    return status;
}

static void nulls_are_refused_where_the_type_has_none_unless_a_null_parent_hides_them(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    must(&t, normalize_nulls(&t, "ROW<x INT>", 1, 2));
    must(&t, normalize_nulls(&t, "ROW<x INT NOT NULL>", 1, 1));
    must(&t, normalize_nulls(&t, "ROW<x INT NOT NULL> NOT NULL", 3, 3));
    refused(&t, PAIMON_INVALID, normalize_nulls(&t, "ROW<x INT NOT NULL>", 3, 1));
    refused(&t, PAIMON_INVALID, normalize_nulls(&t, "ROW<x INT NOT NULL>", 1, 2));
    refused(&t, PAIMON_INVALID, normalize_nulls(&t, "ROW<x INT> NOT NULL", 1, 3));
    env_end(&t);
}

static void buffers_that_are_right_already_are_not_copied(void **state)
{
    (void)state;
    test_env t;
    test_random r = { 2 };
    struct ArrowSchema schema;
    struct ArrowArray array, out;
    env_begin(&t, NULL);
    schema_from_text(&t, "!l", &schema);
    do random_array(&t, &r, &schema, 20, &array);
    while (array.offset != 0 && (pmn_array_release(&array), true));
    must(&t, pmn_array_normalize(t.pool, parse(&t, "BIGINT"), &schema, &array, &out, &t.err));
    assert_ptr_equal(array.buffers[1], out.buffers[1]);
    pmn_array_release(&array);
    pmn_array_release(&out);
    pmn_schema_release(&schema);
    env_end(&t);
}

static void every_failing_allocation_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    failing_alloc f = { -1, 0 };
    paimon_allocator allocator = failing_alloc_interface(&f);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        for (int64_t n = 0;; n++) {
            test_env t;
            struct ArrowSchema schema;
            struct ArrowArray array, out;
            test_random r = { 3 };
            f.until_failure = -1;
            env_begin(&t, &allocator);
            schema_from_text(&t, ways[k].arrow, &schema);
            random_array(&t, &r, &schema, 9, &array);
            const pmn_type *type = parse(&t, ways[k].type);
            f.until_failure = n;
            paimon_status status = pmn_array_normalize(t.pool, type, &schema, &array, &out, &t.err);
            if (status == PAIMON_OK) pmn_array_release(&out);
            f.until_failure = -1;
            pmn_array_release(&array);
            pmn_schema_release(&schema);
            env_end(&t);
            assert_int_equal(f.alive, 0);
            if (status == PAIMON_OK) break;
            assert_int_equal(status, PAIMON_NOMEM);
            assert_true(n < 10000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_the_same_in_the_canonical_layout),
        cmocka_unit_test(values_that_lose_or_do_not_fit_are_refused),
        cmocka_unit_test(texts_must_be_utf8_and_no_longer_than_their_type),
        cmocka_unit_test(fields_are_found_by_name_then_by_id),
        cmocka_unit_test(nulls_are_refused_where_the_type_has_none_unless_a_null_parent_hides_them),
        cmocka_unit_test(buffers_that_are_right_already_are_not_copied),
        cmocka_unit_test(every_failing_allocation_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
