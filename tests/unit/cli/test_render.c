/* Values as text: the edges of each style. Arrays are made by hand, as any producer of the C data interface could make them. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "render.h"
#include "sums.h"

static struct ArrowSchema schema_of(const char *format)
{
    return (struct ArrowSchema){ .format = format, .name = "c", .flags = ARROW_FLAG_NULLABLE };
}

static void value_gives(const char *format, const void *values, int64_t i, render_style style, const char *want)
{
    struct ArrowSchema schema = schema_of(format);
    const void *buffers[2] = { NULL, values };
    struct ArrowArray array = { .length = i + 1, .n_buffers = 2, .buffers = buffers };
    render_type type;
    cli_text why = { 0 };
    cli_text out = { 0 };
    assert_true(render_type_init(&type, &schema, &why));
    render_value(&type, &array, i, style, &out);
    assert_string_equal(cli_text_string(&out), want);
    cli_text_free(&out);
    render_type_free(&type);
}

static void integers_keep_all_their_bits(void **state)
{
    (void)state;
    const int64_t values[] = { INT64_MIN, INT64_MAX };
    value_gives("l", values, 0, RENDER_CANONICAL, "-9223372036854775808");
    value_gives("l", values, 1, RENDER_CANONICAL, "9223372036854775807");
    value_gives("L", values, 0, RENDER_CORPUS, "9223372036854775808");
    value_gives("C", (const uint8_t[]){ 255 }, 0, RENDER_CORPUS, "255");
    value_gives("c", (const uint8_t[]){ 255 }, 0, RENDER_CORPUS, "-1");
}

static void floats_are_hex_bits_in_canonical_text_and_numbers_elsewhere(void **state)
{
    (void)state;
    const double values[] = { -0.0, NAN, 0.1, INFINITY, 1e300, 3 };
    const float narrow[] = { 0.1f, -NAN, 16777216.0f };
    value_gives("g", values, 0, RENDER_CANONICAL, "\"8000000000000000\"");
    value_gives("g", values, 1, RENDER_CANONICAL, "\"7ff8000000000000\"");
    value_gives("f", narrow, 1, RENDER_CANONICAL, "\"7fc00000\"");
    value_gives("g", values, 0, RENDER_CORPUS, "-0.0");
    value_gives("g", values, 2, RENDER_CORPUS, "0.10000000000000001");
    value_gives("g", values, 2, RENDER_JSON, "0.1");
    value_gives("f", narrow, 0, RENDER_TEXT, "0.1");
    value_gives("g", values, 3, RENDER_JSON, "\"Infinity\"");
    value_gives("g", values, 3, RENDER_TEXT, "Infinity");
    value_gives("g", values, 5, RENDER_JSON, "3.0");
    value_gives("e", (const uint16_t[]){ 0x3555 }, 0, RENDER_CORPUS, "0.333251953125");
    value_gives("e", (const uint16_t[]){ 0x8001 }, 0, RENDER_CORPUS, "-5.9604644775390625e-08");
}

static void decimals_have_as_many_digits_as_their_scale(void **state)
{
    (void)state;
    uint8_t minus_five[16];
    memset(minus_five, 0xFF, sizeof minus_five);
    minus_five[0] = 0xFB;
    const uint8_t smallest[16] = { [15] = 0x80 };
    const uint8_t zero[16] = { 0 };
    value_gives("d:10,2", minus_five, 0, RENDER_CANONICAL, "\"-0.05\"");
    value_gives("d:10,0", minus_five, 0, RENDER_CANONICAL, "\"-5\"");
    value_gives("d:10,0", zero, 0, RENDER_TEXT, "0");
    value_gives("d:10,3", zero, 0, RENDER_TEXT, "0.000");
    value_gives("d:5,-2", minus_five, 0, RENDER_CORPUS, "\"-500\"");
    value_gives("d:38,10", smallest, 0, RENDER_CANONICAL, "\"-17014118346046923173168730371.5884105728\"");
    value_gives("d:9,4,32", minus_five, 0, RENDER_TEXT, "-0.0005");
}

static void dates_and_times_hold_outside_of_the_usual_years(void **state)
{
    (void)state;
    const int32_t days[] = { 0, -719528, 2932897, -719529, 19782, INT_MIN };
    value_gives("tdD", days, 0, RENDER_CANONICAL, "\"1970-01-01\"");
    value_gives("tdD", days, 1, RENDER_CANONICAL, "\"0000-01-01\"");
    value_gives("tdD", days, 2, RENDER_CANONICAL, "\"+10000-01-01\"");
    value_gives("tdD", days, 3, RENDER_CANONICAL, "\"-0001-12-31\"");
    value_gives("tdD", days, 4, RENDER_CANONICAL, "\"2024-02-29\"");
    value_gives("tdD", days, 4, RENDER_CORPUS, "19782");
    value_gives("tdD", days, 5, RENDER_TEXT, "-5877641-06-23");
    value_gives("ttm", (const int32_t[]){ 3600001 }, 0, RENDER_CANONICAL, "\"01:00:00.001\"");
    value_gives("ttm", (const int32_t[]){ 86399000 }, 0, RENDER_CANONICAL, "\"23:59:59\"");
    value_gives("ttu", (const int64_t[]){ 1 }, 0, RENDER_CORPUS, "1000");
}

static void timestamps_round_toward_the_past(void **state)
{
    (void)state;
    const int64_t minus_one[] = { -1 };
    value_gives("tsn:", minus_one, 0, RENDER_CORPUS, "[-1,999999999]");
    value_gives("tsn:", minus_one, 0, RENDER_CANONICAL, "\"1969-12-31T23:59:59.999999999\"");
    value_gives("tsm:UTC", minus_one, 0, RENDER_CANONICAL, "\"1969-12-31T23:59:59.999Z\"");
    value_gives("tss:", minus_one, 0, RENDER_TEXT, "1969-12-31 23:59:59");
    value_gives("tsu:", (const int64_t[]){ 1500000 }, 0, RENDER_CANONICAL, "\"1970-01-01T00:00:01.5\"");
}

static void string_gives(const char *bytes, int32_t n, render_style style, const char *want)
{
    struct ArrowSchema schema = schema_of("u");
    const int32_t offsets[] = { 0, n };
    const void *buffers[3] = { NULL, offsets, bytes };
    struct ArrowArray array = { .length = 1, .n_buffers = 3, .buffers = buffers };
    render_type type;
    cli_text out = { 0 };
    assert_true(render_type_init(&type, &schema, &out));
    render_value(&type, &array, 0, style, &out);
    assert_string_equal(cli_text_string(&out), want);
    cli_text_free(&out);
    render_type_free(&type);
}

static void strings_escape_only_what_json_demands(void **state)
{
    (void)state;
    string_gives("a\"\\\n\x7f\xC3\xA9", 7, RENDER_CANONICAL, "\"a\\\"\\\\\\u000a\x7f\xC3\xA9\"");
    string_gives("", 0, RENDER_CANONICAL, "\"\"");
    string_gives("a\xFF", 2, RENDER_CORPUS, "\"\\u0000bytes:61ff\"");
    string_gives("a\xFF", 2, RENDER_CANONICAL, "\"a\xEF\xBF\xBD\"");
    string_gives("\xED\xA0\x80", 3, RENDER_CORPUS, "\"\\u0000bytes:eda080\"");
}

/* MAP<STRING, INT> with the entries b=1, a=null, as stored. */
static void maps_are_ordered_by_key_in_canonical_text_and_as_stored_in_the_corpus(void **state)
{
    (void)state;
    struct ArrowSchema key = schema_of("u"), value = schema_of("i"), entries = schema_of("+s"), map = schema_of("+m");
    struct ArrowSchema *pair[2] = { &key, &value };
    struct ArrowSchema *one[1] = { &entries };
    entries.n_children = 2;
    entries.children = pair;
    map.n_children = 1;
    map.children = one;
    const int32_t key_offsets[] = { 0, 1, 2 }, numbers[] = { 1, 7 }, map_offsets[] = { 0, 2 };
    const uint8_t valid = 1;
    const void *key_buffers[3] = { NULL, key_offsets, "ba" };
    const void *value_buffers[2] = { &valid, numbers };
    const void *entry_buffers[1] = { NULL };
    const void *map_buffers[2] = { NULL, map_offsets };
    struct ArrowArray keys = { .length = 2, .n_buffers = 3, .buffers = key_buffers };
    struct ArrowArray values = { .length = 2, .null_count = -1, .n_buffers = 2, .buffers = value_buffers };
    struct ArrowArray *two[2] = { &keys, &values };
    struct ArrowArray entry = { .length = 2, .n_buffers = 1, .buffers = entry_buffers, .n_children = 2, .children = two };
    struct ArrowArray *inner[1] = { &entry };
    struct ArrowArray array = { .length = 1, .n_buffers = 2, .buffers = map_buffers, .n_children = 1, .children = inner };
    render_type type;
    cli_text out = { 0 };
    assert_true(render_type_init(&type, &map, &out));
    render_value(&type, &array, 0, RENDER_CANONICAL, &out);
    assert_string_equal(cli_text_string(&out), "[[\"a\",null],[\"b\",1]]");
    out.size = 0;
    render_value(&type, &array, 0, RENDER_CORPUS, &out);
    assert_string_equal(cli_text_string(&out), "[[\"b\",1],[\"a\",null]]");
    cli_text_free(&out);
    render_type_free(&type);
}

static void unknown_formats_are_named(void **state)
{
    (void)state;
    struct ArrowSchema schema = schema_of("+r");
    render_type type;
    cli_text why = { 0 };
    assert_false(render_type_init(&type, &schema, &why));
    assert_non_null(strstr(cli_text_string(&why), "\"+r\""));
    cli_text_free(&why);
    render_type_free(&type);
}

static void add(const char *format, const struct ArrowArray *array, column_sum *sum)
{
    struct ArrowSchema schema = schema_of(format);
    render_type type;
    cli_text why = { 0 };
    assert_true(render_type_init(&type, &schema, &why));
    column_sum_add(sum, &type, array);
    render_type_free(&type);
}

static void sums_leave_out_nulls_at_any_offset(void **state)
{
    (void)state;
    enum { N = 1000 };
    int64_t values[N];
    uint8_t valid[N / 8 + 1];
    int32_t offsets[N + 1];
    const void *buffers[3] = { valid, values, "" };
    for (int i = 0; i < N; i++) {
        values[i] = i * 1000003 - 77;
        offsets[i] = i == 0 ? 0 : offsets[i - 1] + i % 5;
        valid[i / 8] = (uint8_t)(i * 37);
    }
    offsets[N] = offsets[N - 1] + 3;
    for (int64_t offset = 0; offset < 130; offset += 7) {
        for (int64_t length = 0; length < 300; length += 31) {
            struct ArrowArray array = { .length = length, .offset = offset, .null_count = -1, .n_buffers = 3, .buffers = buffers };
            column_sum sum = { 0, 0, 0 }, lengths = { 0, 0, 0 };
            int64_t nulls = 0;
            uint64_t want = 0, want_lengths = 0;
            for (int64_t i = offset; i < offset + length; i++) {
                bool set = (valid[i / 8] >> (i % 8) & 1) != 0;
                nulls += !set;
                want += set ? (uint64_t)values[i] : 0;
                want_lengths += set ? (uint64_t)(offsets[i + 1] - offsets[i]) : 0;
            }
            buffers[1] = values;
            add("l", &array, &sum);
            assert_int_equal(sum.nulls, nulls);
            assert_int_equal(sum.integer, want);
            buffers[1] = offsets;
            add("u", &array, &lengths);
            assert_int_equal(lengths.integer, want_lengths);
        }
    }
}

static void sums_wrap_and_scale_timestamps_to_microseconds(void **state)
{
    (void)state;
    const int64_t values[] = { INT64_MAX, INT64_MAX, -1, -1500 };
    const void *buffers[2] = { NULL, values };
    struct ArrowArray two = { .length = 2, .n_buffers = 2, .buffers = buffers };
    struct ArrowArray nanos = { .length = 1, .offset = 3, .n_buffers = 2, .buffers = buffers };
    column_sum sum = { 0, 0, 0 };
    add("l", &two, &sum);
    assert_int_equal((int64_t)sum.integer, -2);
    sum = (column_sum){ 0, 0, 0 };
    add("tsn:", &nanos, &sum);
    assert_int_equal((int64_t)sum.integer, -2);
    sum = (column_sum){ 0, 0, 0 };
    add("tsm:", &nanos, &sum);
    assert_int_equal((int64_t)sum.integer, -1500000);
}

static void text_for_a_terminal_shows_control_characters(void **state)
{
    (void)state;
    cli_text out = { 0 };
    cli_text_visible(&out, (const uint8_t *)"a\x1b[31m\n\xC2\x9B\xFF\xC3\xA9", 12);
    assert_string_equal(cli_text_string(&out), "a\\x1b[31m\\n\\xc2\\x9b\\xff\xC3\xA9");
    cli_text_free(&out);
    assert_int_equal(cli_utf8_width("\xE4\xB8\xAD"
                                    "e\xCC\x81",
                                    6),
                     3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_keep_all_their_bits),
        cmocka_unit_test(floats_are_hex_bits_in_canonical_text_and_numbers_elsewhere),
        cmocka_unit_test(decimals_have_as_many_digits_as_their_scale),
        cmocka_unit_test(dates_and_times_hold_outside_of_the_usual_years),
        cmocka_unit_test(timestamps_round_toward_the_past),
        cmocka_unit_test(strings_escape_only_what_json_demands),
        cmocka_unit_test(maps_are_ordered_by_key_in_canonical_text_and_as_stored_in_the_corpus),
        cmocka_unit_test(unknown_formats_are_named),
        cmocka_unit_test(sums_leave_out_nulls_at_any_offset),
        cmocka_unit_test(sums_wrap_and_scale_timestamps_to_microseconds),
        cmocka_unit_test(text_for_a_terminal_shows_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
