#include "support/unit.h"

#include "meta/schema/options.h"
#include "support/failing_alloc.h"

static void sizes_are_spelled_as_in_paimon(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = { { "128 mb", 134217728 }, { "1kb", 1024 }, { " 2 G ", (int64_t)2 << 30 }, { "3", 3 }, { "3b", 3 }, { "7 Bytes", 7 },
                 { "1 tebibytes", (int64_t)1 << 40 }, { "8 KibiBytes", 8192 }, { "0m", 0 }, { "9223372036854775807", INT64_MAX }, { "4\tmebibytes", 4194304 } };
    static const char *const bad[] = { "", " ", "mb", "-1", "1.5 gb", "1 mbs", "9223372036854775808", "9000000 t", "1 m b", "+1" };
    int64_t v;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(pmn_parse_memory_size(good[i].text, &v));
        assert_int_equal(v, good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(pmn_parse_memory_size(bad[i], &v));
}

static void durations_are_spelled_as_in_paimon(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = { { "1 h", 3600000 }, { "30 s", 30000 }, { "10 min", 600000 }, { "2d", 172800000 }, { "5 ms", 5 }, { "7", 7 }, { "1 hours", 3600000 },
                 { "3 Minutes", 180000 }, { "4m", 240000 }, { "1 sec", 1000 }, { "2 secs", 2000 }, { "9 seconds", 9000 }, { "1 day", 86400000 },
                 { "12 millis", 12 }, { "13 milliseconds", 13 }, { "2500 \xc2\xb5s", 2 }, { "2500 micros", 2 }, { "1999999 ns", 1 }, { "5000000 nanosecond", 5 } };
    static const char *const bad[] = { "", "h", "1 mins", "1 hs", "1 week", "PT1H", "-1 s", "1.5 h", "106751991168 d", "1 mss", "1 ss" };
    int64_t v;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(pmn_parse_duration(good[i].text, &v));
        assert_int_equal(v, good[i].ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(pmn_parse_duration(bad[i], &v));
}

static void later_pairs_win_and_absent_ones_give_the_default(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_arena arena;
    pmn_options o;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_options_init(&o, &arena);
    assert_null(pmn_options_get(&o, "bucket"));
    for (int i = 0; i < 50; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        assert_int_equal(pmn_options_set(&o, i % 2 ? "bucket" : text, text, &err), PAIMON_OK);
    }
    int64_t v;
    bool b;
    assert_string_equal(pmn_options_get(&o, "bucket"), "49");
    assert_int_equal(pmn_options_int(&o, "bucket", 1, &v, &err), PAIMON_OK);
    assert_int_equal(v, 49);
    assert_int_equal(pmn_options_int(&o, "none", -7, &v, &err), PAIMON_OK);
    assert_int_equal(v, -7);
    assert_int_equal(pmn_options_bool(&o, "none", true, &b, &err), PAIMON_OK);
    assert_true(b);
    assert_int_equal(pmn_options_set(&o, "flag", "FALSE", &err), PAIMON_OK);
    assert_int_equal(pmn_options_bool(&o, "flag", true, &b, &err), PAIMON_OK);
    assert_false(b);
    assert_int_equal(pmn_options_set(&o, "low", "-9223372036854775808", &err), PAIMON_OK);
    assert_int_equal(pmn_options_int(&o, "low", 0, &v, &err), PAIMON_OK);
    assert_true(v == INT64_MIN);
    pmn_arena_free(&arena);
}

static void bad_values_name_key_and_text(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_arena arena;
    pmn_options o;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_options_init(&o, &arena);
    assert_int_equal(pmn_options_set(&o, "k", " 1", &err), PAIMON_OK);
    int64_t v;
    bool b;
    assert_int_equal(pmn_options_int(&o, "k", 0, &v, &err), PAIMON_INVALID);
    assert_string_equal(paimon_error_message(&err), "the option 'k' is ' 1', expected a whole number");
    assert_int_equal(pmn_options_bool(&o, "k", false, &b, &err), PAIMON_INVALID);
    assert_int_equal(pmn_options_set(&o, "k", "x", &err), PAIMON_OK);
    assert_int_equal(pmn_options_bytes(&o, "k", 0, &v, &err), PAIMON_INVALID);
    assert_int_equal(pmn_options_duration(&o, "k", 0, &v, &err), PAIMON_INVALID);
    assert_int_equal(pmn_options_set(&o, "k", "9223372036854775808", &err), PAIMON_OK);
    assert_int_equal(pmn_options_int(&o, "k", 0, &v, &err), PAIMON_INVALID);
    paimon_error_clear(&err);
    pmn_arena_free(&arena);
}

static paimon_status set_many(pmn_mem *mem, void *arg)
{
    (void)arg;
    pmn_arena arena;
    pmn_options o;
    pmn_arena_init(&arena, mem);
    pmn_options_init(&o, &arena);
    paimon_status status = PAIMON_OK;
    for (int i = 0; i < 300 && status == PAIMON_OK; i++) status = pmn_options_set(&o, "some key", "some value", NULL);
    pmn_arena_free(&arena);
    return status;
}

static void every_refusal_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    assert_true(failing_alloc_sweep(set_many, NULL) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_spelled_as_in_paimon),
        cmocka_unit_test(durations_are_spelled_as_in_paimon),
        cmocka_unit_test(later_pairs_win_and_absent_ones_give_the_default),
        cmocka_unit_test(bad_values_name_key_and_text),
        cmocka_unit_test(every_refusal_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
