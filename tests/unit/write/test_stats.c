/* Statistics of written files: which columns have them, and how long bounds are cut. */
#include "support/write_table.h"

#include "types/row_codec.h"
#include "write/stats.h"

/* --- cutting --- */

static void cut(const pmn_type *type, int32_t length, pmn_slice value, const char *min, const char *max)
{
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_datum low = { .v.bytes = value }, high = { .v.bytes = value };
    OK(pmn_stats_truncate(&arena, type, length, &low, &high, err));
    if (!min) {
        assert_true(low.is_null);
        assert_true(high.is_null);
    } else {
        assert_bytes(low.v.bytes, pmn_slice_text(min), "minimum");
        assert_bytes(high.v.bytes, pmn_slice_text(max), "maximum");
    }
    pmn_arena_free(&arena);
}

static void text(int32_t length, const char *value, const char *min, const char *max)
{
    static const pmn_type string = { .kind = PMN_VARCHAR, .length = INT32_MAX, .nullable = true };
    cut(&string, length, pmn_slice_text(value), min, max);
}

static void bytes(int32_t length, const char *value, const char *min, const char *max)
{
    static const pmn_type binary = { .kind = PMN_VARBINARY, .length = INT32_MAX, .nullable = true };
    cut(&binary, length, pmn_slice_text(value), min, max);
}

static void texts_are_cut_by_code_points_and_the_maximum_is_stepped_up(void **state)
{
    (void)state;
    text(3, "abcd", "abc", "abd");
    text(3, "abc", "abc", "abc");
    text(3, "", "", "");
    text(2, "中文字", "中文", "中斈");
    text(1, "\x7f" "a", "\x7f", "\xc2\x80");             /* one byte more */
    text(1, "\xdf\xbf" "a", "\xdf\xbf", "\xe0\xa0\x80"); /* U+07FF */
    text(1, "\xef\xbf\xbf" "a", "\xef\xbf\xbf", "\xf0\x90\x80\x80");
}

static void a_step_up_passes_over_the_surrogates(void **state)
{
    (void)state;
    text(1, "\xed\x9f\xbf" "more", "\xed\x9f\xbf", "\xee\x80\x80");
    text(3, "ab\xed\x9f\xbf" "more", "ab\xed\x9f\xbf", "ab\xee\x80\x80");
}

static void the_last_code_point_is_dropped_and_the_one_before_it_stepped_up(void **state)
{
    (void)state;
    text(2, "a\xf4\x8f\xbf\xbf" "b", "a\xf4\x8f\xbf\xbf", "b");
    text(2, "\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf" "b", NULL, NULL);
    text(2, "\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf");
}

static void bytes_are_cut_by_bytes(void **state)
{
    (void)state;
    bytes(2, "abc", "ab", "ac");
    bytes(2, "a\xff" "c", "a\xff", "b");
    bytes(2, "\xff\xff" "c", NULL, NULL);
    bytes(2, "\xff\xff", "\xff\xff", "\xff\xff");
}

static void modes_are_read_and_others_are_refused_by_name(void **state)
{
    (void)state;
    pmn_stats_mode mode;
    OK(pmn_stats_mode_parse("k", "TRUNCATE(7)", &mode, err));
    assert_int_equal(mode.kind, PMN_STATS_TRUNCATE);
    assert_int_equal(mode.length, 7);
    OK(pmn_stats_mode_parse("k", "None", &mode, err));
    assert_int_equal(mode.kind, PMN_STATS_NONE);
    static const char *const bad[] = { "", "truncate", "truncate(", "truncate()", "truncate(0)", "truncate(-1)", "truncate(3)x", "truncate(99999999999)", "all" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) REFUSED(PAIMON_INVALID, "metadata.stats-mode", pmn_stats_mode_parse("metadata.stats-mode", bad[i], &mode, err));
}

/* --- of a file --- */

#define FIELDS                                                                                                           \
    "{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},{\"id\":1,\"name\":\"s\",\"type\":\"STRING\"},"                          \
    "{\"id\":2,\"name\":\"l\",\"type\":{\"type\":\"ARRAY\",\"element\":\"INT\"}},{\"id\":3,\"name\":\"d\",\"type\":\"DOUBLE\"}"
#define ROWS "[[3,\"abcdefghijklmnopqrst\",[1],\"4008000000000000\"],[1,\"b\",null,null],[null,null,[],\"bff0000000000000\"]]"

/* "s:min..max nulls …" of the one file of the rows. */
static char *stats_text(const char *options, const char *rows)
{
    shown out = { 0 };
    write_place p = write_place_new(NULL, FIELDS, "[]", options);
    paimon_message_list *list = written(&p, rows);
    const pmn_data_file *file = &list->items[0].new_files.items[0];
    const pmn_type *row = p.table->source->schema->row;
    int32_t n = file->n_value_stats_cols < 0 ? row->n_fields : file->n_value_stats_cols;
    pmn_row_view min, max;
    OK(pmn_row_parse(file->value_stats.min, &min, err));
    OK(pmn_row_parse(file->value_stats.max, &max, err));
    assert_int_equal(file->value_stats.n_null_counts, n);
    show(&out, "%s", "");
    for (int32_t i = 0; i < n; i++) {
        const char *name = file->n_value_stats_cols < 0 ? row->fields[i].name : file->value_stats_cols[i];
        const pmn_type *type = row->fields[pmn_row_find(row, name)].type;
        pmn_datum low, high;
        show(&out, "%s:", name);
        if (pmn_row_is_null(&min, i)) show(&out, "-");
        else {
            OK(pmn_row_get(&min, i, type, &low, err));
            OK(pmn_row_get(&max, i, type, &high, err));
            if (pmn_type_is_text(type)) show(&out, "%.*s..%.*s", (int)low.v.bytes.size, low.v.bytes.data, (int)high.v.bytes.size, high.v.bytes.data);
            else if (type->kind == PMN_DOUBLE) show(&out, "%g..%g", low.v.d, high.v.d);
            else show(&out, "%lld..%lld", (long long)low.v.i, (long long)high.v.i);
        }
        show(&out, "/%lld ", (long long)file->value_stats.null_counts[i]);
    }
    paimon_message_list_free(list);
    write_place_leave(&p);
    return out.text;
}

static void stats_are(const char *options, const char *expected)
{
    char *found = stats_text(options, ROWS);
    assert_string_equal(found, expected);
    free(found);
}

static void modes_say_what_a_file_keeps(void **state)
{
    (void)state;
    stats_are("\"bucket\":\"-1\"", "a:1..3/1 s:abcdefghijklmnop..b/1 d:-1..3/1 ");
    stats_are("\"metadata.stats-mode\":\"full\"", "a:1..3/1 s:abcdefghijklmnopqrst..b/1 d:-1..3/1 ");
    stats_are("\"metadata.stats-mode\":\"counts\"", "a:-/1 s:-/1 d:-/1 ");
    stats_are("\"metadata.stats-mode\":\"none\"", "");
    stats_are("\"metadata.stats-mode\":\"none\",\"metadata.stats-dense-store\":\"false\"", "a:-/-1 s:-/-1 l:-/-1 d:-/-1 ");
    stats_are("\"metadata.stats-mode\":\"none\",\"fields.s.stats-mode\":\"truncate(2)\"", "s:ab..b/1 ");
    stats_are("\"fields.a.stats-mode\":\"counts\",\"metadata.stats-dense-store\":\"false\"", "a:-/1 s:abcdefghijklmnop..b/1 l:-/-1 d:-1..3/1 ");
    stats_are("\"metadata.stats-keep-first-n-columns\":\"1\"", "a:1..3/1 ");
}

static void bounds_of_a_column_with_nan_are_unknown(void **state)
{
    (void)state;
    char *found = stats_text("\"bucket\":\"-1\"", "[[1,null,null,\"3ff0000000000000\"],[1,null,null,\"7ff8000000000000\"]]");
    assert_string_equal(found, "a:1..1/0 s:-/2 d:-/0 ");
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_cut_by_code_points_and_the_maximum_is_stepped_up),
        cmocka_unit_test(a_step_up_passes_over_the_surrogates),
        cmocka_unit_test(the_last_code_point_is_dropped_and_the_one_before_it_stepped_up),
        cmocka_unit_test(bytes_are_cut_by_bytes),
        cmocka_unit_test(modes_are_read_and_others_are_refused_by_name),
        cmocka_unit_test(modes_say_what_a_file_keeps),
        cmocka_unit_test(bounds_of_a_column_with_nan_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
