/* Tables whose columns changed between files: every value is found by its field id, whatever it was called then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/read_table.h"

#define WHERE(text) &(read_request){ .where = text }
#define COLUMNS(text) &(read_request){ .columns = text }

static void a_column_added_again_does_not_show_the_dropped_values(void **state)
{
    (void)state;
    const char *t = TABLE("readd-column");
    assert_rows(t, NULL, "[1,null]\n");
    assert_rows(t, WHERE("c = 7"), "");
    assert_rows(t, WHERE("c IS NULL"), "[1,null]\n");
    assert_rows(t, (&(read_request){ .where = "c IS NULL", .scan_all = true }), "[1,null]\n");
    assert_rows(t, (&(read_request){ .where = "c = 7", .scan_all = true }), "");
    assert_rows(t, (&(read_request){ .where = "c IS NULL", .columns = "id" }), "[1]\n");
    assert_rows(t, COLUMNS("c"), "[null]\n");
}

static void swapped_names_keep_their_values(void **state)
{
    (void)state;
    const char *t = TABLE("swap-names");
    assert_rows(t, COLUMNS("id,a,b"), "[1,\"b1\",\"a1\"]\n[2,null,\"a2\"]\n[3,\"new b\",\"new a\"]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "a = 'b1'" }), "[1]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "a = 'a1'" }), "");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "b LIKE 'a%'" }), "[1]\n[2]\n");
    assert_rows(t, (&(read_request){ .columns = "b,id", .where = "a IS NULL" }), "[\"a2\",2]\n");
}

static void time_travel_shows_the_columns_of_then(void **state)
{
    (void)state;
    const char *t = TABLE("travel-schema");
    assert_rows(t, NULL, "[1]\n[2]\n");
    paimon_option by_id = { "scan.snapshot-id", "1" }, by_tag = { "scan.tag-name", "before" }, by_version = { "scan.version", "before" };
    paimon_option second = { "scan.version", "2" };
    assert_rows(t, (&(read_request){ .options = &by_id, .n_options = 1 }), "[1,7]\n");
    assert_rows(t, (&(read_request){ .options = &by_tag, .n_options = 1 }), "[1,7]\n");
    assert_rows(t, (&(read_request){ .options = &by_version, .n_options = 1, .where = "c = 7" }), "[1,7]\n");
    assert_rows(t, (&(read_request){ .options = &second, .n_options = 1 }), "[1]\n[2]\n");
}

static void columns_added_renamed_moved_and_dropped_come_out_right(void **state)
{
    (void)state;
    const char *t = TABLE("columns");
    assert_rows(t, NULL,
                "[1.5,1,null,\"one\",\"x\",null]\n"
                "[3.5,3,null,\"three\",\"x\",19782]\n"
                "[5.5,5,\"text b\",\"five\",\"x\",null]\n"
                "[2.5,2,null,\"two\",\"y\",null]\n"
                "[4.5,4,null,\"four\",\"y\",19783]\n");
    assert_rows(t, COLUMNS("d,p,alpha,b,id,c"),
                "[null,\"x\",\"one\",null,1,1.5]\n"
                "[19782,\"x\",\"three\",null,3,3.5]\n"
                "[null,\"x\",\"five\",\"text b\",5,5.5]\n"
                "[null,\"y\",\"two\",null,2,2.5]\n"
                "[19783,\"y\",\"four\",null,4,4.5]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "alpha > 'o' AND p = 'x'" }), "[1]\n[3]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "d IS NULL" }), "[1]\n[5]\n[2]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "b IS NULL OR p = 'x'" }), "[1]\n[3]\n[5]\n[2]\n[4]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "d = '2024-03-01' OR c = 1.5" }), "[1]\n[4]\n");
    assert_rows(t, (&(read_request){ .columns = "id,p", .where = "p = 'y' OR id = 5", .scan_all = true }), "[5,\"x\"]\n[2,\"y\"]\n[4,\"y\"]\n");
}

static void a_changed_type_is_refused_by_name_where_it_matters(void **state)
{
    (void)state;
    const char *t = TABLE("type-change");
    assert_read_fails(t, NULL, "column 'n': a column type change");
    assert_read_fails(t, (&(read_request){ .columns = "id", .where = "n = 9" }), "column 'n': a column type change");
    assert_rows(t, COLUMNS("id,s"), "[1,\"short\"]\n[2,\"a text of more than ten\"]\n");
    assert_rows(t, (&(read_request){ .columns = "s", .where = "id = 1" }), "[\"short\"]\n");
    assert_rows(t, (&(read_request){ .columns = "id", .where = "s = 'short'" }), "[1]\n");
}

static void a_change_inside_a_row_is_refused_by_name(void **state)
{
    (void)state;
    const char *t = TABLE("nested-change");
    assert_read_fails(t, NULL, "column 's': a column type change");
    assert_rows(t, COLUMNS("id"), "[1]\n[2]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_added_again_does_not_show_the_dropped_values),
        cmocka_unit_test(swapped_names_keep_their_values),
        cmocka_unit_test(time_travel_shows_the_columns_of_then),
        cmocka_unit_test(columns_added_renamed_moved_and_dropped_come_out_right),
        cmocka_unit_test(a_changed_type_is_refused_by_name_where_it_matters),
        cmocka_unit_test(a_change_inside_a_row_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
