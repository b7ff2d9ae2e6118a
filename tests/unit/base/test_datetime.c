#include "support/unit.h"

#include "base/datetime.h"

static bool leap(int64_t y)
{
    return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
}

static void days_agree_with_a_calendar_walked_day_by_day(void **state)
{
    (void)state;
    static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int64_t days = pmn_days_from_civil(-801, 1, 1);
    for (int64_t year = -801; year < 2900; year++)
        for (int month = 1; month <= 12; month++)
            for (int day = 1; day <= lengths[month - 1] + (month == 2 && leap(year)); day++, days++) {
                assert_int_equal(pmn_days_from_civil(year, month, day), days);
                pmn_civil civil = pmn_civil_from_days(days);
                assert_true(civil.year == year && civil.month == month && civil.day == day);
            }
    assert_int_equal(pmn_days_from_civil(1970, 1, 1), 0);
    assert_int_equal(pmn_days_from_civil(2000, 3, 1), 11017);
}

static void any_day_number_is_a_date(void **state)
{
    (void)state;
    const int64_t ends[] = { INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX };
    for (int i = 0; i < 4; i++) {
        char text[PMN_DATETIME_TEXT_MAX];
        assert_true(pmn_date_print(ends[i], text) < sizeof text);
    }
    uint64_t seed = 1;
    for (int i = 0; i < 10000; i++) {
        int64_t days = (int64_t)random_below(&seed, 700000000) - 350000000;
        pmn_civil c = pmn_civil_from_days(days);
        assert_int_equal(pmn_days_from_civil(c.year, c.month, c.day), days);
    }
}

static const char *date(int64_t days)
{
    static char text[PMN_DATETIME_TEXT_MAX];
    pmn_date_print(days, text);
    return text;
}

static void dates_print_as_java_does(void **state)
{
    (void)state;
    assert_string_equal(date(0), "1970-01-01");
    assert_string_equal(date(-1), "1969-12-31");
    assert_string_equal(date(pmn_days_from_civil(0, 2, 29)), "0000-02-29");
    assert_string_equal(date(pmn_days_from_civil(-5, 2, 28)), "-0005-02-28");
    assert_string_equal(date(pmn_days_from_civil(10000, 1, 1)), "+10000-01-01");
}

static void times_drop_only_zeros_at_the_end(void **state)
{
    (void)state;
    char text[PMN_DATETIME_TEXT_MAX];
    pmn_time_print(0, text);
    assert_string_equal(text, "00:00:00");
    pmn_time_print(86399999999999, text);
    assert_string_equal(text, "23:59:59.999999999");
    pmn_time_print(1000000, text);
    assert_string_equal(text, "00:00:00.001");
    pmn_timestamp_print(-1, 500000000, 'T', text);
    assert_string_equal(text, "1969-12-31T23:59:59.5");
    pmn_timestamp_print(86400, 0, ' ', text);
    assert_string_equal(text, "1970-01-02 00:00:00");
}

static void timestamps_parse_as_they_print(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 20000; i++) {
        int64_t seconds = (int64_t)random_below(&seed, 1000000000000) - 500000000000, back;
        int32_t nanos = i % 3 ? (int32_t)random_below(&seed, 1000000000) : 0, back_nanos;
        bool zone;
        char text[PMN_DATETIME_TEXT_MAX];
        size_t n = pmn_timestamp_print(seconds, nanos, i % 2 ? 'T' : ' ', text);
        assert_true(pmn_timestamp_parse(pmn_slice_of(text, n), &back, &back_nanos, &zone));
        assert_true(back == seconds && back_nanos == nanos && !zone);
    }
}

static void zones_are_applied(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds;
        bool zone;
    } good[] = {
        { "1970-01-01", 0, false },
        { "1970-01-01T00:00", 0, false },
        { "1970-01-01T01:00:00Z", 3600, true },
        { "1970-01-01 01:00:00+01:00", 0, true },
        { "1970-01-01 01:00:00 +01", 0, true },
        { "1970-01-01 00:00:00-0530", 19800, true },
        { "+1970-01-01", 0, false },
    };
    int64_t seconds;
    int32_t nanos;
    bool zone;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(pmn_timestamp_parse(pmn_slice_text(good[i].text), &seconds, &nanos, &zone));
        assert_int_equal(seconds, good[i].seconds);
        assert_int_equal(zone, good[i].zone);
    }
}

static void what_is_not_wholly_a_date_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "",           "1970",          "1970-1-01",        "1970-13-01",       "1970-00-01",          "1970-02-29",
                                       "1970-01-01x", "1970-01-01T",   "1970-01-01T24:00", "1970-01-01T00:60", "1970-01-01T00:00:60", "1970-01-01T00:00:00.",
                                       "19700-01-01", "1970-01-01T0:00", "1970-01-01 00:00:00+19", "1970-01-01 00:00:00.1234567890", "1970-01-00", " 1970-01-01",
                                       "+1234567890-01-01", "1970-01-01 00:00:00+01:", "1970-01-01Z" };
    int64_t seconds;
    int32_t nanos;
    bool zone;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (pmn_timestamp_parse(pmn_slice_text(bad[i]), &seconds, &nanos, &zone)) fail_msg("taken: %s", bad[i]);
    }
    int64_t v;
    assert_true(pmn_date_parse(pmn_slice_text("2024-02-29"), &v));
    assert_false(pmn_date_parse(pmn_slice_text("2024-02-29 "), &v));
    assert_true(pmn_time_parse(pmn_slice_text("01:02:03.000000004"), &v) && v == 3723000000004);
    assert_false(pmn_time_parse(pmn_slice_text("1:02"), &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_agree_with_a_calendar_walked_day_by_day),
        cmocka_unit_test(any_day_number_is_a_date),
        cmocka_unit_test(dates_print_as_java_does),
        cmocka_unit_test(times_drop_only_zeros_at_the_end),
        cmocka_unit_test(timestamps_parse_as_they_print),
        cmocka_unit_test(zones_are_applied),
        cmocka_unit_test(what_is_not_wholly_a_date_is_refused),
    };
    return cmocka_run_group_tests_name("datetime", tests, NULL, NULL);
}
