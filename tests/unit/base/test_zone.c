/* Time zones. The numbers of the tables are those of Python's zoneinfo. */
#include "support/unit.h"

#include <sys/stat.h>

#include "base/bytes.h"
#include "base/zone.h"
#include "support/remove_tree.h"

static pmn_zone *zone_of(const char *name)
{
    pmn_zone *zone = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    if (pmn_zone_open(pmn_mem_default(), name, &zone, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    return zone;
}

/* The system's zones; false, said aloud, where it has none. */
static bool system_has_zones(void)
{
    if (access("/usr/share/zoneinfo/Europe/Berlin", R_OK) == 0) return true;
    printf("[  NOTE    ] skipped: no tz database here (install tzdata)\n");
    return false;
}

static void refused(const char *name, paimon_status wanted, const char *words)
{
    pmn_zone *zone;
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(pmn_zone_open(pmn_mem_default(), name, &zone, &err), wanted);
    assert_null(zone);
    if (!strstr(paimon_error_message(&err), words)) fail_msg("\"%s\" lacks \"%s\"", paimon_error_message(&err), words);
    paimon_error_clear(&err);
}

#define N_INSTANTS 9
static const int64_t instants[N_INSTANTS] = { -2208988800, -1600000000, -880000000, 0, 425000000, 1420070400, 1751328000, 4151779618, 7243000000 };
static const struct {
    const char *zone;
    int32_t offsets[N_INSTANTS];
} offsets[] = {
    { "America/Los_Angeles", { -28800, -25200, -25200, -28800, -25200, -28800, -25200, -25200, -25200 } },
    { "Asia/Shanghai", { 29143, 32400, 32400, 28800, 28800, 28800, 28800, 28800, 28800 } },
    { "Europe/Berlin", { 3600, 3600, 7200, 3600, 7200, 3600, 7200, 7200, 7200 } },
    { "Europe/Dublin", { -1521, 3600, 3600, 3600, 3600, 0, 3600, 3600, 3600 } },
    { "Australia/Lord_Howe", { 36000, 36000, 36000, 36000, 37800, 39600, 37800, 37800, 37800 } },
    { "America/Sao_Paulo", { -11188, -10800, -10800, -10800, -10800, -7200, -10800, -10800, -10800 } },
    { "Asia/Kathmandu", { 20476, 20476, 19800, 19800, 19800, 20700, 20700, 20700, 20700 } },
    { "Pacific/Apia", { -41216, -41400, -41400, -39600, -39600, 50400, 46800, 46800, 46800 } },
    { "Etc/GMT+8", { -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800 } },
};

static void offsets_are_those_of_the_tz_database_and_of_its_rules_later(void **state)
{
    (void)state;
    if (!system_has_zones()) return;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        pmn_zone *zone = zone_of(offsets[i].zone);
        for (int k = 0; k < N_INSTANTS; k++) {
            if (pmn_zone_offset(zone, instants[k]) != offsets[i].offsets[k]) fail_msg("%s at %lld: %d", offsets[i].zone, (long long)instants[k], pmn_zone_offset(zone, instants[k]));
        }
        pmn_zone_free(zone);
    }
}

static void before_1900_the_clock_is_that_of_today_without_daylight_saving(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int32_t offset;
    } old[] = { { "Asia/Shanghai", 28800 }, { "America/Los_Angeles", -28800 }, { "Europe/Dublin", 0 } };
    if (!system_has_zones()) return;
    for (size_t i = 0; i < 3; i++) {
        pmn_zone *zone = zone_of(old[i].name);
        assert_int_equal(pmn_zone_offset(zone, -2208988801), old[i].offset);
        assert_int_equal(pmn_zone_offset(zone, INT64_MIN), old[i].offset);
        pmn_zone_free(zone);
    }
}

static void wall_clocks_that_are_skipped_or_there_twice_have_one_instant(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t wall, instant;
    } walls[] = {
        { "Europe/Berlin", 1711852200, 1711848600 },       /* 2024-03-31 02:30, skipped */
        { "Europe/Berlin", 1729996200, 1729989000 },       /* 2024-10-27 02:30, twice */
        { "America/Los_Angeles", 1420070400, 1420099200 }, /* 2015-01-01 00:00 */
        { "Asia/Shanghai", 1420070400, 1420041600 },
        { "America/Los_Angeles", 4129234200, 4129259400 }, /* 2100-11-07 01:30, twice */
        { "Australia/Lord_Howe", 1917483300, 1917445500 }, /* 2030-10-06 02:15, in half an hour that is skipped */
        { "Pacific/Apia", 1325246400, 1325282400 },        /* 2011-12-30 12:00, in a day that is skipped */
    };
    if (!system_has_zones()) return;
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++) {
        pmn_zone *zone = zone_of(walls[i].name);
        assert_int_equal(pmn_zone_instant(zone, walls[i].wall), walls[i].instant);
        pmn_zone_free(zone);
    }
}

static void spans_are_as_long_as_the_clock_is_not_changed(void **state)
{
    (void)state;
    uint64_t seed = 3;
    if (!system_has_zones()) return;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        pmn_zone *zone = zone_of(offsets[i].zone);
        for (int k = 0; k < 2000; k++) {
            int64_t from, until, t = (int64_t)random_below(&seed, 12000000000u) - 3000000000;
            int32_t offset = pmn_zone_offset_span(zone, t, &from, &until);
            assert_true(from <= t && t < until);
            assert_int_equal(pmn_zone_offset(zone, from), offset);
            assert_int_equal(pmn_zone_offset(zone, until - 1), offset);
            /* back from the wall clock: the same instant, or the earlier one of two */
            int64_t back = pmn_zone_instant(zone, t + offset);
            assert_int_equal(back + pmn_zone_offset(zone, back), t + offset);
            assert_true(back <= t);
        }
        pmn_zone_free(zone);
    }
}

static void fixed_offsets_need_no_file(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int32_t offset;
    } fixed[] = { { "UTC", 0 },         { "GMT", 0 },          { "Z", 0 },         { "Etc/UTC", 0 },    { "GMT+08:00", 28800 }, { "+08:00", 28800 },
                  { "UTC-3", -10800 },  { "-0330", -12600 },   { "UT+1", 3600 },   { "+18:00", 64800 }, { "-00:00:59", -59 } };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        pmn_zone *zone = zone_of(fixed[i].name);
        const int64_t ends[] = { INT64_MIN, -2208988801, 0, INT64_MAX };
        for (int k = 0; k < 4; k++) assert_int_equal(pmn_zone_offset(zone, ends[k]), fixed[i].offset);
        assert_int_equal(pmn_zone_instant(zone, 1420070400), 1420070400 - fixed[i].offset);
        for (int k = 0; k < 4; k++) (void)pmn_zone_instant(zone, ends[k]);
        pmn_zone_free(zone);
    }
}

static void names_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = { "", "../x", "../../etc/passwd", "/etc/localtime", "Europe/../Europe/Berlin", "a b", "Europe/", "+25:00", "x\n", "+8:0x" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) refused(names[i], PAIMON_CORRUPT, "no name of a time zone");
    refused("Europe/Nowhere", PAIMON_UNSUPPORTED, "\"Europe/Nowhere\" is not known here: no file of it in");
    refused("Europe/Nowhere", PAIMON_UNSUPPORTED, "/usr/share/zoneinfo");
    refused("Europe", PAIMON_UNSUPPORTED, "is not known here"); /* a folder */
}

/* A compiled zone: two types, 2 h and 1 h, changed at the times given in turn. */
static size_t make_zone(uint8_t *out, char version, const int64_t *times, int n, const char *rule)
{
    uint8_t *p = out;
    for (int block = version == 0; block < 2; block++) { /* 32-bit data, then 64-bit; of version 0 the first alone */
        int size = version != 0 && block == 1 ? 8 : 4;
        const uint32_t counts[6] = { 0, 0, 0, (uint32_t)n, 2, 4 };
        memset(p, 0, 20);
        memcpy(p, "TZif", 4);
        p[4] = (uint8_t)version;
        p += 20;
        for (int i = 0; i < 6; i++, p += 4) pmn_store_be32(p, counts[i]);
        for (int i = 0; i < n; i++, p += size) {
            if (size == 8) pmn_store_be64(p, (uint64_t)times[i]);
            else pmn_store_be32(p, (uint32_t)times[i]);
        }
        for (int i = 0; i < n; i++) *p++ = (uint8_t)(i % 2);
        pmn_store_be32(p, 7200);
        memcpy(p + 4, "\1\0", 2);
        pmn_store_be32(p + 6, 3600);
        memcpy(p + 10, "\0\0", 2);
        memcpy(p + 12, "AAA", 4);
        p += 16;
    }
    if (version != 0) p += sprintf((char *)p, "\n%s\n", rule);
    return (size_t)(p - out);
}

static const int64_t two_times[] = { 1000, 2000 };

static paimon_status parse(const uint8_t *bytes, size_t size, pmn_zone **zone)
{
    uint8_t *copy = malloc(size + 1); /* so that a sanitizer sees a read past the end */
    memcpy(copy, bytes, size);
    paimon_status status = pmn_zone_parse(pmn_mem_default(), pmn_slice_of(copy, size), "x", zone, NULL);
    free(copy);
    return status;
}

static void files_of_both_versions_are_read(void **state)
{
    (void)state;
    uint8_t bytes[1000];
    pmn_zone *zone;
    assert_int_equal(parse(bytes, make_zone(bytes, 0, two_times, 2, ""), &zone), PAIMON_OK);
    assert_int_equal(pmn_zone_offset(zone, 1000), 7200);
    assert_int_equal(pmn_zone_offset(zone, 1999), 7200);
    assert_int_equal(pmn_zone_offset(zone, INT64_MAX), 3600);
    assert_int_equal(pmn_zone_offset(zone, INT64_MIN), 3600); /* not daylight saving */
    pmn_zone_free(zone);
    assert_int_equal(parse(bytes, make_zone(bytes, '2', two_times, 2, ""), &zone), PAIMON_OK);
    assert_int_equal(pmn_zone_offset(zone, 999), 7200);
    assert_int_equal(pmn_zone_offset(zone, 2000), 3600);
    pmn_zone_free(zone);
    assert_int_equal(parse(bytes, make_zone(bytes, '3', two_times, 2, "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1"), &zone), PAIMON_OK);
    assert_int_equal(pmn_zone_offset(zone, 1743296400), -7200); /* Nuuk, 2025-03-29 22:00 */
    assert_int_equal(pmn_zone_offset(zone, 1743296399), -10800);
    pmn_zone_free(zone);
}

static void rules_count_days_in_three_ways(void **state)
{
    (void)state;
    uint8_t bytes[1000];
    pmn_zone *zone;
    /* 29 February is day 59 from 0, but no day of J. */
    assert_int_equal(parse(bytes, make_zone(bytes, '2', two_times, 2, "AAA0BBB,J60/0,299/0"), &zone), PAIMON_OK);
    assert_int_equal(pmn_zone_offset(zone, 1709251200 - 1), 0); /* 2024-03-01 */
    assert_int_equal(pmn_zone_offset(zone, 1709251200), 3600);
    assert_int_equal(pmn_zone_offset(zone, 1740787200 - 1), 0); /* 2025-03-01 */
    assert_int_equal(pmn_zone_offset(zone, 1740787200), 3600);
    assert_int_equal(pmn_zone_offset(zone, 1729900800 - 3601), 3600); /* 2024-10-26 00:00 of the wall clock */
    assert_int_equal(pmn_zone_offset(zone, 1729900800 - 3600), 0);
    assert_int_equal(pmn_zone_offset(zone, 1761523200 - 3600), 0); /* 2025-10-27, day 299 of a common year */
    assert_int_equal(pmn_zone_offset(zone, 1761523200 - 3601), 3600);
    pmn_zone_free(zone);
    /* daylight saving all the year: RFC 9636's example */
    assert_int_equal(parse(bytes, make_zone(bytes, '3', two_times, 2, "EST5EDT,0/0,J365/25"), &zone), PAIMON_OK);
    for (int64_t t = 1700000000; t < 1800000000; t += 3600) assert_int_equal(pmn_zone_offset(zone, t), -14400);
    (void)pmn_zone_instant(zone, INT64_MAX);
    assert_int_equal(pmn_zone_offset(zone, INT64_MAX), -14400);
    pmn_zone_free(zone);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    uint8_t bytes[1000], bad[1000];
    pmn_zone *zone;
    static const int64_t falling[] = { 2000, 2000 };
    static const char *const rules[] = { "AA0", "AAA", "AAA25", "AAA0BBB", "AAA0BBB,M13.1.1,J1", "AAA0BBB,M3.0.1,J1", "AAA0BBB,J0,J1", "AAA0BBB,366,1", "AAA0BBB,1", "AAA0BBB,1,1x", "<AAA0" };
    size_t size = make_zone(bytes, '2', two_times, 2, "AAA-1BBB,M3.5.0,M10.5.0/3");
    for (size_t n = 0; n < size; n++) assert_int_equal(parse(bytes, n, &zone), PAIMON_CORRUPT);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) assert_int_equal(parse(bad, make_zone(bad, '2', two_times, 2, rules[i]), &zone), PAIMON_CORRUPT);
    assert_int_equal(parse(bad, make_zone(bad, '2', falling, 2, ""), &zone), PAIMON_CORRUPT);
    uint64_t seed = 9;
    for (int round = 0; round < 20000; round++) {
        memcpy(bad, bytes, size);
        for (uint64_t k = 1 + random_below(&seed, 3); k > 0; k--) bad[random_below(&seed, size)] = (uint8_t)random_next(&seed);
        if (parse(bad, size, &zone) != PAIMON_OK) continue;
        int64_t from, until, t = (int64_t)random_next(&seed);
        (void)pmn_zone_offset_span(zone, t, &from, &until);
        assert_true(from <= t && (t < until || until == INT64_MAX));
        (void)pmn_zone_instant(zone, t >> (round % 64));
        pmn_zone_free(zone);
    }
}

static void zones_are_looked_for_in_TZDIR_first(void **state)
{
    (void)state;
    uint8_t bytes[1000];
    char folder[] = "/tmp/paimon_zones_XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    const char *old = getenv("TZDIR");
    setenv("TZDIR", folder, 1);
    snprintf(path, sizeof path, "%s/Mine", folder);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(bytes, 1, make_zone(bytes, '2', two_times, 2, "AAA-5"), f);
    fclose(f);
    pmn_zone *zone = zone_of("Mine");
    assert_int_equal(pmn_zone_offset(zone, 1500), 7200);
    assert_int_equal(pmn_zone_offset(zone, -3000000000), 18000);
    pmn_zone_free(zone);
    refused("Others", PAIMON_UNSUPPORTED, folder);
    f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(bytes, 1, 100, f);
    fclose(f);
    refused("Mine", PAIMON_CORRUPT, "\"Mine\": its file is damaged");
    if (old) setenv("TZDIR", old, 1);
    else unsetenv("TZDIR");
    remove_tree(folder);
}

static void the_local_zone_is_that_of_TZ(void **state)
{
    (void)state;
    pmn_zone *zone;
    const char *given = getenv("TZ");
    char *old = given ? strdup(given) : NULL;
    setenv("TZ", "GMT+03:00", 1);
    assert_int_equal(pmn_zone_open_local(pmn_mem_default(), &zone, NULL), PAIMON_OK);
    assert_int_equal(pmn_zone_offset(zone, 0), 10800);
    pmn_zone_free(zone);
    setenv("TZ", "", 1); /* UTC, as everywhere */
    assert_int_equal(pmn_zone_open_local(pmn_mem_default(), &zone, NULL), PAIMON_OK);
    assert_int_equal(pmn_zone_offset(zone, 0), 0);
    pmn_zone_free(zone);
    unsetenv("TZ");
    assert_int_equal(pmn_zone_open_local(pmn_mem_default(), &zone, NULL), PAIMON_OK);
    pmn_zone_free(zone);
    if (old) setenv("TZ", old, 1);
    free(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_are_those_of_the_tz_database_and_of_its_rules_later), cmocka_unit_test(before_1900_the_clock_is_that_of_today_without_daylight_saving),
        cmocka_unit_test(wall_clocks_that_are_skipped_or_there_twice_have_one_instant), cmocka_unit_test(spans_are_as_long_as_the_clock_is_not_changed),
        cmocka_unit_test(fixed_offsets_need_no_file), cmocka_unit_test(names_that_are_none_are_refused), cmocka_unit_test(files_of_both_versions_are_read),
        cmocka_unit_test(rules_count_days_in_three_ways), cmocka_unit_test(damaged_files_are_refused), cmocka_unit_test(zones_are_looked_for_in_TZDIR_first), cmocka_unit_test(the_local_zone_is_that_of_TZ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
