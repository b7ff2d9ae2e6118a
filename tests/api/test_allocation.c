/* Every allocation of opening, planning and reading may be refused: the call says so, and nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/failing_alloc.h"
#include "support/read_table.h"

/* Fail the 1st, 2nd, … allocation until the work succeeds with the rows that it should give. `step` grows, so that long works
 * end in time: all of the first 400 are tried. */
static void refuse_each(const char *path, const read_request *request)
{
    char *expected = read_rows(path, request);
    assert_null(strstr(expected, "error"));
    bool done = false;
    int64_t n = 0;
    while (!done) {
        failing_alloc alloc = { .until_failure = -1, .alive = 0 };
        paimon_allocator allocator = failing_alloc_interface(&alloc);
        paimon_env_options options = PAIMON_ENV_OPTIONS_INIT;
        paimon_env *env = NULL;
        options.allocator = &allocator;
        assert_int_equal(paimon_env_new(&options, &env, NULL), PAIMON_OK);
        alloc.until_failure = n;
        char *rows = read_rows_env(env, path, request);
        done = strstr(rows, "error") == NULL;
        if (done) assert_string_equal(rows, expected);
        else if (!strstr(rows, "memory")) print_error("allocation %d: %s\n", (int)n, rows);
        if (!done) assert_non_null(strstr(rows, "memory"));
        free(rows);
        paimon_env_free(env);
        assert_int_equal(alloc.alive, 0);
        n += n < 400 ? 1 : n / 100;
    }
    assert_true(n > 10);
    free(expected);
}

static void a_read_of_a_partitioned_table_leaks_nothing(void **state)
{
    (void)state;
    refuse_each(TABLE("columns"), &(read_request){ .where = "id < 5 AND p = 'x' OR alpha = 'two'", .columns = "p,d,id" });
}

static void a_read_of_nested_columns_leaks_nothing(void **state)
{
    (void)state;
    refuse_each(TABLE("nested-nulls"), &(read_request){ .columns = "s.y,m,a,r" });
}

static void a_limited_read_of_another_snapshot_leaks_nothing(void **state)
{
    (void)state;
    paimon_option tag = { "scan.tag-name", "before" };
    refuse_each(TABLE("travel-schema"), &(read_request){ .options = &tag, .n_options = 1, .limit = 1 });
}

static void a_plan_with_bucket_pruning_leaks_nothing(void **state)
{
    (void)state;
    refuse_each(TABLE("bucketed"), &(read_request){ .where = "k IN (1, 8) AND k2 = 's1'" });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_of_a_partitioned_table_leaks_nothing),
        cmocka_unit_test(a_read_of_nested_columns_leaks_nothing),
        cmocka_unit_test(a_limited_read_of_another_snapshot_leaks_nothing),
        cmocka_unit_test(a_plan_with_bucket_pruning_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
