/* Values: their texts, order, buckets and partition folders, against Paimon Java. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <time.h>

#include "support/vectors.h"
#include "types/bucket.h"
#include "types/java_text.h"
#include "types/partition.h"

static const pmn_type *type_of(test_env *t, const char *text)
{
    const pmn_type *type;
    must(t, pmn_type_parse(&t->arena, text, &type, &t->err));
    return type;
}

static void assert_text(pmn_buf *found, json_t *expected, const char *what)
{
    size_t n = json_string_length(expected);
    if (found->size == n && (n == 0 || memcmp(found->data, json_string_value(expected), n) == 0)) return;
    fail_msg("%s: found '%.*s', Java has '%s'", what, (int)found->size, (const char *)found->data, json_string_value(expected));
}

static void buckets_are_those_of_java(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("bucket.json"), *v, *b;
    size_t i, k;
    json_array_foreach(json_object_get(file, "vectors"), i, v) {
        const pmn_type *type = vector_row_type(&t, json_object_get(v, "types"));
        pmn_datum key[8];
        for (int32_t f = 0; f < type->n_fields; f++)
            key[f] = vector_datum(&t, type->fields[f].type, json_array_get(json_object_get(v, "row"), (size_t)f + 1));
        json_array_foreach(json_object_get(v, "buckets"), k, b) {
            pmn_bucket_function function;
            int32_t bucket;
            must(&t, pmn_bucket_function_parse(json_string_value(json_object_get(b, "function")), &function, &t.err));
            must(&t, pmn_bucket_of(t.mem, function, type, key, (int32_t)json_integer_value(json_object_get(b, "buckets")), &bucket, &t.err));
            assert_int_equal(bucket, json_integer_value(json_object_get(b, "bucket")));
        }
    }
    assert_true(i > 200);
    json_decref(file);
    pmn_bucket_function function;
    refused(&t, PAIMON_UNSUPPORTED, pmn_bucket_function_parse("other", &function, &t.err));
    env_end(&t);
}

static void buckets_that_a_function_lacks_are_refused(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    const pmn_type *two = type_of(&t, "ROW<a INT, b INT>"), *ts = type_of(&t, "ROW<a TIMESTAMP(3)>");
    pmn_datum key[2] = { { false, { 1 } }, { false, { 2 } } };
    int32_t bucket;
    refused(&t, PAIMON_UNSUPPORTED, pmn_bucket_of(t.mem, PMN_BUCKET_MOD, two, key, 4, &bucket, &t.err));
    refused(&t, PAIMON_UNSUPPORTED, pmn_bucket_of(t.mem, PMN_BUCKET_HIVE, ts, key, 4, &bucket, &t.err));
    refused(&t, PAIMON_INVALID, pmn_bucket_of(t.mem, PMN_BUCKET_DEFAULT, two, key, 0, &bucket, &t.err));
    env_end(&t);
}

/* "p=" text "/" and back. */
static void check_escape(test_env *t, json_t *v)
{
    pmn_field field = { 0, "p", type_of(t, "STRING"), NULL, NULL };
    const pmn_type *row = pmn_type_row(&t->arena, false, &field, 1);
    json_t *text = json_object_get(v, "text"), *path = json_object_get(v, "path");
    pmn_datum d = vector_datum(t, field.type, text);
    pmn_buf out, back;
    pmn_buf_init(&out, t->mem, 4096);
    pmn_buf_init(&back, t->mem, 4096);
    if (!path) {
        refused(t, PAIMON_INVALID, pmn_partition_path(&out, row, &d, "", true, &t->err));
    } else if (strcmp(json_string_value(text), " ") != 0) { /* blank text is Java's caller's matter there */
        must(t, pmn_partition_path(&out, row, &d, "__DEFAULT_PARTITION__", true, &t->err));
        assert_text(&out, path, "path");
        /* Java leaves '%XX' at the very end of a text alone: two more characters must follow the '%'. */
        must(t, pmn_partition_unescape(&back, pmn_slice_of(out.data + 2, out.size - 3), &t->err));
        assert_text(&back, text, "unescaped");
    }
    pmn_buf_free(&out);
    pmn_buf_free(&back);
}

static void check_typed(test_env *t, json_t *v)
{
    bool legacy = json_is_true(json_object_get(v, "legacy"));
    pmn_field field = { 0, "p", vector_type(t, json_object_get(v, "type")), NULL, NULL };
    const pmn_type *row = pmn_type_row(&t->arena, false, &field, 1);
    pmn_datum d = vector_datum(t, field.type, json_object_get(v, "value"));
    pmn_buf out;
    pmn_buf_init(&out, t->mem, 4096);
    if (legacy && pmn_type_is_bytes(field.type) && !d.is_null) { /* an address in Java's memory */
        refused(t, PAIMON_UNSUPPORTED, pmn_partition_path(&out, row, &d, "x", legacy, &t->err));
    } else {
        must(t, pmn_partition_text(&out, field.type, &d, "__DEFAULT_PARTITION__", legacy, &t->err));
        assert_text(&out, json_object_get(v, "text"), "text");
        pmn_buf_clear(&out);
        must(t, pmn_partition_path(&out, row, &d, "__DEFAULT_PARTITION__", legacy, &t->err));
        assert_text(&out, json_object_get(v, "path"), "path");
    }
    pmn_buf_free(&out);
}

static void partition_folders_are_those_of_java(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("partition-path.json"), *v;
    size_t i;
    json_array_foreach(json_object_get(file, "vectors"), i, v) {
        if (strcmp(json_string_value(json_object_get(v, "kind")), "escape") == 0) check_escape(&t, v);
        else check_typed(&t, v);
    }
    assert_true(i > 400);
    json_decref(file);
    env_end(&t);
}

static void several_keys_make_nested_folders_and_none_makes_nothing(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    const pmn_type *row = type_of(&t, "ROW<`a=b` INT, dt DATE, s STRING>");
    pmn_datum d[3] = { { false, { 7 } }, { false, { 19723 } }, { true, { 0 } } };
    pmn_buf out;
    pmn_buf_init(&out, t.mem, 4096);
    must(&t, pmn_partition_path(&out, row, d, "none", false, &t.err));
    must(&t, pmn_buf_terminate(&out, &t.err));
    assert_string_equal((char *)out.data, "a%3Db=7/dt=2024-01-01/s=none/");
    pmn_buf_clear(&out);
    must(&t, pmn_partition_path(&out, type_of(&t, "ROW<>"), d, "none", false, &t.err));
    assert_int_equal(out.size, 0);
    pmn_buf_free(&out);
    env_end(&t);
}

static void unescape_takes_only_whole_pairs_before_the_end(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "a%2Fb", "a/b" }, { "a%2f", "a/" }, { "a%2", "a%2" }, { "%", "%" }, { "%zz1", "%zz1" }, { "%E9!", "\xc3\xa9!" }, { "%%41", "%A" },
    };
    test_env t;
    env_begin(&t, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmn_buf out;
        pmn_buf_init(&out, t.mem, 64);
        must(&t, pmn_partition_unescape(&out, pmn_slice_text(cases[i][0]), &t.err));
        must(&t, pmn_buf_terminate(&out, &t.err));
        assert_string_equal((char *)out.data, cases[i][1]);
        pmn_buf_free(&out);
    }
    env_end(&t);
}

/* The casts of Java to STRING say how a value prints. */
static void texts_are_those_of_java(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("cast.json"), *v;
    size_t i, n = 0;
    json_array_foreach(json_object_get(file, "vectors"), i, v) {
        json_t *from = json_object_get(v, "from"), *to = json_object_get(v, "to"), *result = json_object_get(v, "result");
        if (!json_is_string(to) || strcmp(json_string_value(to), "STRING") != 0 || !json_is_string(from) || !json_is_string(result)) continue;
        const pmn_type *type = vector_type(&t, from);
        if (!pmn_type_is_atomic(type)) continue;
        pmn_datum d = vector_datum(&t, type, json_object_get(v, "value"));
        if (d.is_null) continue;
        pmn_buf out;
        pmn_buf_init(&out, t.mem, 4096);
        must(&t, pmn_datum_print(type, &d, false, &out, &t.err));
        assert_text(&out, result, json_string_value(from));
        pmn_buf_free(&out);
        n++;
    }
    assert_true(n > 100);
    json_decref(file);
    env_end(&t);
}

static void check_double(double value, const char *expected)
{
    char text[PMN_JAVA_NUMBER_MAX];
    double back;
    assert_int_equal(pmn_java_double_text(value, text), strlen(expected));
    assert_string_equal(text, expected);
    assert_true(pmn_double_parse(pmn_slice_text(text), &back));
    assert_true(back == value || isnan(value));
}

static void numbers_print_as_java_prints_them(void **state)
{
    (void)state;
    check_double(0.0, "0.0");
    check_double(-0.0, "-0.0");
    check_double(1, "1.0");
    check_double(0.001, "0.001");
    check_double(0.00099, "9.9E-4");
    check_double(9999999, "9999999.0");
    check_double(1e7, "1.0E7");
    check_double(12345678.9, "1.23456789E7");
    check_double(1e23, "1.0E23");
    check_double(4.9e-324, "4.9E-324");
    check_double(1.7976931348623157e308, "1.7976931348623157E308");
    check_double(-HUGE_VAL, "-Infinity");
    check_double(NAN, "NaN");
    check_double(0.1 + 0.2, "0.30000000000000004");
    check_double(100, "100.0");
    char text[PMN_JAVA_NUMBER_MAX];
    pmn_java_float_text(0.1f, text);
    assert_string_equal(text, "0.1");
    pmn_java_float_text(1e10f, text);
    assert_string_equal(text, "1.0E10");
    pmn_java_float_text(1.4e-45f, text);
    assert_string_equal(text, "1.4E-45");
    double d;
    const char *const bad[] = { "", "0x10", "1e", "nan(1)", "1,5", " 1", "1 ", ".", "--1", "infinit" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(pmn_double_parse(pmn_slice_text(bad[i]), &d));
}

/* Bits below 2^53 or so: random doubles print and read back. */
static void random_doubles_read_back(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        double value, back;
        memcpy(&value, &x, 8);
        if (isnan(value)) continue;
        char text[PMN_JAVA_NUMBER_MAX];
        size_t n = pmn_java_double_text(value, text);
        assert_int_equal(n, strlen(text));
        assert_true(pmn_double_parse(pmn_slice_of(text, n), &back));
        assert_memory_equal(&value, &back, 8);
    }
}

static int order(test_env *t, const char *type_text, const char *a, const char *b)
{
    const pmn_type *type = type_of(t, type_text);
    pmn_datum x, y;
    must(t, pmn_datum_parse(&t->arena, type, pmn_slice_text(a), &x, &t->err));
    must(t, pmn_datum_parse(&t->arena, type, pmn_slice_text(b), &y, &t->err));
    int c = pmn_datum_compare(type, &x, &y), d = pmn_datum_compare(type, &y, &x);
    assert_int_equal((c > 0) - (c < 0), (d < 0) - (d > 0));
    return (c > 0) - (c < 0);
}

static void values_are_ordered_as_java_orders_them(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    assert_int_equal(order(&t, "INT", "-5", "3"), -1);
    assert_int_equal(order(&t, "BOOLEAN", "false", "TRUE"), -1);
    assert_int_equal(order(&t, "STRING", "z", "\xc3\xa9"), -1);
    assert_int_equal(order(&t, "STRING", "a", "a "), -1);
    assert_int_equal(order(&t, "CHAR(5)", "a", "a  "), 0);
    assert_int_equal(order(&t, "BYTES", "7f", "80"), -1);
    assert_int_equal(order(&t, "BYTES", "ab", "ab00"), -1);
    assert_int_equal(order(&t, "DOUBLE", "-0.0", "0.0"), -1);
    assert_int_equal(order(&t, "DOUBLE", "NaN", "Infinity"), 1);
    assert_int_equal(order(&t, "DOUBLE", "NaN", "NaN"), 0);
    assert_int_equal(order(&t, "FLOAT", "-Infinity", "1"), -1);
    assert_int_equal(order(&t, "DECIMAL(38, 2)", "-1.01", "1"), -1);
    assert_int_equal(order(&t, "TIMESTAMP(9)", "2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00"), 1);
    assert_int_equal(order(&t, "TIMESTAMP(3) WITH LOCAL TIME ZONE", "2024-01-01T02:00:00+02:00", "2024-01-01 00:00:00Z"), 0);
    assert_int_equal(order(&t, "DATE", "1969-12-31", "1970-01-01"), -1);
    env_end(&t);
}

static void texts_that_do_not_fit_their_type_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "TINYINT", "128" },          { "INT", "2147483648" },       { "BIGINT", "9223372036854775808" },
        { "INT", "1.0" },              { "INT", "1e2" },              { "INT", "" },
        { "INT", "12x" },              { "BOOLEAN", "yes" },          { "DECIMAL(4, 1)", "1.25" },
        { "DECIMAL(4, 1)", "12345" },  { "DATE", "2024-02-30" },      { "DATE", "2024-01-01 00:00:00" },
        { "TIME(3)", "25:00:00" },     { "TIME(0)", "10:00:00.5" },   { "TIMESTAMP(3)", "2024-01-01 00:00:00.0001" },
        { "TIMESTAMP(3)", "2024-01-01T00:00:00Z" }, { "CHAR(2)", "abc" }, { "BYTES", "abc" }, { "BYTES", "zz" },
        { "BINARY(1)", "0011" },       { "STRING", "\xff" },          { "FLOAT", "1.5f" },
    };
    test_env t;
    env_begin(&t, NULL);
    pmn_datum d;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(&t, PAIMON_INVALID, pmn_datum_parse(&t.arena, type_of(&t, cases[i][0]), pmn_slice_text(cases[i][1]), &d, &t.err));
    refused(&t, PAIMON_UNSUPPORTED, pmn_datum_parse(&t.arena, type_of(&t, "ARRAY<INT>"), pmn_slice_text("[1]"), &d, &t.err));
    env_end(&t);
}

static void malformed_utf8_prints_one_mark_a_sequence_as_java_cuts_it(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "a\x80z", "a?z" },         { "\xc3(", "?(" },        { "\xe2\x82(", "?(" },        { "\xe2\x82", "?" },
        { "\xed\xa0\x80.", "?." },   { "\xc0\xaf", "??" },     { "\xf0\x9f\x90", "?" },      { "\xf0\x9f\x90\x9f", "\xf0\x9f\x90\x9f" },
        { "\xf0\x80\x80\x80", "????" }, { "\xf5\x80", "??" },  { "\xe0\x80\x80", "???" },    { "\xf4\x90\x80\x80", "????" },
    };
    test_env t;
    env_begin(&t, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmn_buf out, marked;
        pmn_buf_init(&out, t.mem, 64);
        pmn_buf_init(&marked, t.mem, 64);
        must(&t, pmn_java_decode(&out, pmn_slice_text(cases[i][0]), &t.err));
        for (const char *c = cases[i][1]; *c; c++)
            must(&t, *c == '?' ? pmn_buf_append(&marked, "\xef\xbf\xbd", 3, &t.err) : pmn_buf_append_byte(&marked, (uint8_t)*c, &t.err));
        assert_bytes(pmn_slice_of(out.data, out.size), pmn_slice_of(marked.data, marked.size), cases[i][0]);
        pmn_buf_free(&out);
        pmn_buf_free(&marked);
    }
    env_end(&t);
}

static void value_goes_to_arrow_and_back(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "BOOLEAN", "true" }, { "TINYINT", "-3" }, { "SMALLINT", "-300" }, { "INT", "70000" }, { "BIGINT", "-9223372036854775808" },
        { "FLOAT", "1.5" }, { "DOUBLE", "-0.0" }, { "DECIMAL(38, 3)", "-123456789012345678901234567890.125" }, { "STRING", "hello, world and more" },
        { "CHAR(3)", "ab" }, { "BYTES", "00ff" }, { "BLOB", "0102" }, { "DATE", "1960-02-29" }, { "TIME(3)", "23:59:59.999" },
        { "TIMESTAMP(0)", "1901-01-01 00:00:01" }, { "TIMESTAMP(3)", "1969-12-31 23:59:59.999" }, { "TIMESTAMP(6)", "0001-01-01 00:00:00.000001" },
        { "TIMESTAMP(9)", "1700-01-01 00:00:00.000000001" }, { "TIMESTAMP(6) WITH LOCAL TIME ZONE", "9999-12-31T23:59:59.999999Z" },
    };
    test_env t;
    env_begin(&t, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmn_field field = { 1, "x", type_of(&t, cases[i][0]), NULL, NULL };
        struct ArrowSchema schema;
        struct ArrowArray array;
        pmn_datum d, back, null = { true, { 0 } };
        must(&t, pmn_datum_parse(&t.arena, field.type, pmn_slice_text(cases[i][1]), &d, &t.err));
        must(&t, pmn_field_to_arrow(t.mem, &field, &schema, &t.err));
        must(&t, pmn_datum_to_arrow(t.pool, field.type, &d, 5, &array, &t.err));
        assert_int_equal(array.length, 5);
        must(&t, pmn_datum_from_arrow(field.type, &schema, &array, 4, &back, &t.err));
        assert_false(back.is_null);
        assert_true(pmn_datum_equal(field.type, &d, &back));
        pmn_array_release(&array);
        must(&t, pmn_datum_to_arrow(t.pool, field.type, &null, 3, &array, &t.err));
        assert_int_equal(array.null_count, 3);
        must(&t, pmn_datum_from_arrow(field.type, &schema, &array, 2, &back, &t.err));
        assert_true(back.is_null);
        pmn_array_release(&array);
        pmn_schema_release(&schema);
    }
    pmn_datum far;
    struct ArrowArray array;
    const pmn_type *nanos = type_of(&t, "TIMESTAMP(9)");
    must(&t, pmn_datum_parse(&t.arena, nanos, pmn_slice_text("2300-01-01 00:00:00"), &far, &t.err));
    refused(&t, PAIMON_UNSUPPORTED, pmn_datum_to_arrow(t.pool, nanos, &far, 1, &array, &t.err));
    env_end(&t);
}

/* Java prints zoned timestamps in the zone of the process, and names folders so. */
static void zoned_timestamps_print_in_the_zone_of_the_process(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    const pmn_type *type = type_of(&t, "TIMESTAMP(3) WITH LOCAL TIME ZONE");
    pmn_datum d;
    pmn_buf out;
    pmn_buf_init(&out, t.mem, 4096);
    must(&t, pmn_datum_parse(&t.arena, type, pmn_slice_text("2024-01-01T20:00:00.5Z"), &d, &t.err));
    setenv("TZ", "UTC-8", 1); /* eight hours east */
    tzset();
    must(&t, pmn_datum_print(type, &d, false, &out, &t.err));
    must(&t, pmn_buf_append_byte(&out, '|', &t.err));
    must(&t, pmn_datum_print(type, &d, true, &out, &t.err));
    setenv("TZ", "UTC", 1);
    tzset();
    must(&t, pmn_buf_terminate(&out, &t.err));
    assert_string_equal((char *)out.data, "2024-01-02 04:00:00.500|2024-01-01T20:00:00.500");
    pmn_buf_free(&out);
    env_end(&t);
}

int main(void)
{
    setenv("TZ", "UTC", 1); /* Java's vectors come from a process in UTC */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_are_those_of_java),
        cmocka_unit_test(buckets_that_a_function_lacks_are_refused),
        cmocka_unit_test(partition_folders_are_those_of_java),
        cmocka_unit_test(several_keys_make_nested_folders_and_none_makes_nothing),
        cmocka_unit_test(unescape_takes_only_whole_pairs_before_the_end),
        cmocka_unit_test(texts_are_those_of_java),
        cmocka_unit_test(numbers_print_as_java_prints_them),
        cmocka_unit_test(random_doubles_read_back),
        cmocka_unit_test(values_are_ordered_as_java_orders_them),
        cmocka_unit_test(texts_that_do_not_fit_their_type_are_refused),
        cmocka_unit_test(malformed_utf8_prints_one_mark_a_sequence_as_java_cuts_it),
        cmocka_unit_test(value_goes_to_arrow_and_back),
        cmocka_unit_test(zoned_timestamps_print_in_the_zone_of_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
