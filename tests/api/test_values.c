/* Values that readers get wrong: nulls in nested types, NaN and zeros beside statistics, missing statistics, partitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/read_table.h"

#define WHERE(text) &(read_request){ .where = text }

static void null_empty_and_holding_nulls_stay_three_things(void **state)
{
    (void)state;
    const char *t = TABLE("nested-nulls");
    assert_rows(t, NULL,
                "[1,{\"x\":null,\"y\":null},{\"list\":[],\"n\":1},[],[]]\n"
                "[2,null,{\"list\":null,\"n\":null},[null],null]\n"
                "[3,{\"x\":1,\"y\":null},null,[1],[{\"key\":\"k\",\"value\":null}]]\n"
                "[4,{\"x\":2,\"y\":\"y\"},{\"list\":[null,5],\"n\":4},null,[{\"key\":\"p\",\"value\":1},{\"key\":\"q\",\"value\":2}]]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "s IS NULL" }), "[2]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "s.x IS NULL" }), "[1]\n[2]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "a IS NULL OR m IS NULL" }), "[2]\n[4]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "s.x = 2" }), "[4]\n");
}

static void single_fields_of_rows_are_read_in_any_order(void **state)
{
    (void)state;
    const char *t = TABLE("nested-nulls");
    assert_rows(t, (&(read_request){ .columns = "s.y,id" }), "[{\"y\":null},1]\n[null,2]\n[{\"y\":null},3]\n[{\"y\":\"y\"},4]\n");
    assert_rows(t, (&(read_request){ .columns = "r.n,s.y,s.x,r.list", .where = "id = 4" }), "[{\"n\":4,\"list\":[null,5]},{\"y\":\"y\",\"x\":2}]\n");
    assert_rows(t, (&(read_request){ .columns = "s.x", .where = "s.y = 'y'" }), "[{\"x\":2}]\n");
    assert_read_fails(t, (&(read_request){ .columns = "s,s.x" }), "asked for twice");
    assert_read_fails(t, (&(read_request){ .columns = "s.x,s" }), "asked for twice");
    assert_read_fails(t, (&(read_request){ .columns = "id,id" }), "asked for twice");
    assert_read_fails(t, (&(read_request){ .columns = "s.nope" }), "no column 's.nope'");
    assert_read_fails(t, (&(read_request){ .columns = "a.x" }), "no column 'a.x'");
    assert_read_fails(t, (&(read_request){ .columns = "nope" }), "no column 'nope'");
}

static void nan_and_zeros_are_not_pruned_away(void **state)
{
    (void)state;
    const char *t = TABLE("nan");
    for (int all = 0; all < 2; all++) {
        read_request q = { .columns = "id", .scan_all = all };
        q.where = "x <> 3.0";
        assert_rows(t, &q, "[2]\n[4]\n[5]\n");
        q.where = "x > 3.0";
        assert_rows(t, &q, "[2]\n");
        q.where = "x >= 3.0";
        assert_rows(t, &q, "[1]\n[2]\n[3]\n");
        q.where = "f <> 3.0";
        assert_rows(t, &q, "[2]\n[4]\n[5]\n");
        q.where = "x = 0.0";
        assert_rows(t, &q, "[4]\n[5]\n");
        q.where = "x >= 0.0 AND x < 3.0";
        assert_rows(t, &q, "[4]\n[5]\n");
        q.where = "f <= 0.0";
        assert_rows(t, &q, "[4]\n[5]\n");
        q.where = "x NOT IN (3.0, 0.0)";
        assert_rows(t, &q, "[2]\n");
    }
}

static void nan_in_one_of_several_row_groups_is_found(void **state)
{
    (void)state;
    const char *t = TABLE("nan-row-groups");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "x > 1000000" }), "[5]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "x <> 0.0 AND id < 7" }), "[1]\n[2]\n[3]\n[4]\n[5]\n[6]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "x >= 857.0" }), "[5]\n[5999]\n");
}

/* Java writes '?' for the half of a surrogate pair that the cut maximum was stepped to, which is below the value. */
static void a_maximum_that_was_stepped_too_low_loses_no_row(void **state)
{
    (void)state;
    const char *t = TABLE("surrogate-step");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "s = 'aaaaaaaaaaaaaaa\xed\x9f\xbf and more'" }), "[1]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "s > 'aaaaaaaaaaaaaaaz'" }), "[1]\n[3]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "s LIKE 'aaaaaaaaaaaaaaa\xed\x9f\xbf%'" }), "[1]\n");
}

static void missing_statistics_prune_nothing(void **state)
{
    (void)state;
    static const char *const tables[] = { TABLE("stats-absent"), TABLE("stats-counts"), TABLE("null-indexes") };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char *rows = read_rows(tables[i], WHERE("x IS NULL"));
        assert_int_equal(count_lines(rows), 1000);
        free(rows);
        assert_rows(tables[i], WHERE("x IS NOT NULL"), "");
        assert_rows(tables[i], WHERE("x = 1"), "");
        rows = read_rows(tables[i], WHERE("x IS NULL AND id >= 990"));
        assert_int_equal(count_lines(rows), 10);
        free(rows);
    }
    assert_rows(TABLE("null-indexes"), WHERE("y = 1 OR z = 1 OR y <> 1"), "");
}

static void a_null_partition_is_a_value_of_its_own(void **state)
{
    (void)state;
    static const char *const tables[] = { TABLE("date-partition"), TABLE("date-partition-nil"), TABLE("date-partition-new") };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        assert_rows(tables[i], NULL, "[1,1]\n[null,2]\n");
        assert_rows(tables[i], WHERE("day IS NULL"), "[null,2]\n");
        assert_rows(tables[i], WHERE("day = '1970-01-02'"), "[1,1]\n");
        assert_rows(tables[i], WHERE("day IS NULL OR v = 1"), "[1,1]\n[null,2]\n");
        assert_rows(tables[i], (&(read_request){ .columns = "day" }), "[1]\n[null]\n");
    }
}

static void timestamp_partitions_are_found_with_and_without_a_fraction(void **state)
{
    (void)state;
    const char *t = TABLE("timestamp-partition");
    assert_rows(t, WHERE("t = '2026-01-01 12:00:00'"), "[1767268800000,2]\n");
    assert_rows(t, WHERE("t > '2026-01-01 12:00:00'"), "[1767268800123,1]\n");
}

static void a_plain_row_tracking_table_is_read_as_it_is(void **state)
{
    (void)state;
    assert_rows(TABLE("row-tracking"), NULL, "[1,\"a\"]\n[2,\"b\"]\n[3,\"c\"]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_empty_and_holding_nulls_stay_three_things),
        cmocka_unit_test(single_fields_of_rows_are_read_in_any_order),
        cmocka_unit_test(nan_and_zeros_are_not_pruned_away),
        cmocka_unit_test(nan_in_one_of_several_row_groups_is_found),
        cmocka_unit_test(a_maximum_that_was_stepped_too_low_loses_no_row),
        cmocka_unit_test(missing_statistics_prune_nothing),
        cmocka_unit_test(a_null_partition_is_a_value_of_its_own),
        cmocka_unit_test(timestamp_partitions_are_found_with_and_without_a_fraction),
        cmocka_unit_test(a_plain_row_tracking_table_is_read_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
