/* Every allocation of opening, planning and reading may be refused: the call says so, and nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FAILING_ALLOC_PUBLIC_ONLY
#include "support/failing_alloc.h"
#include "support/read_table.h"

/* One read with allocation `n` refused, and all later ones unless `once`. Were there so many? */
static bool refuse(const char *path, const read_request *request, int64_t n, bool once, const char *expected)
{
    failing_alloc alloc = { -1, 0 };
    paimon_allocator allocator = failing_alloc_interface(&alloc);
    paimon_env_options options = PAIMON_ENV_OPTIONS_INIT;
    paimon_env *env = NULL;
    options.allocator = &allocator;
    assert_int_equal(paimon_env_new(&options, &env, NULL), PAIMON_OK);
    alloc.until_failure = once ? FAILING_ALLOC_ONCE + n : n;
    char *rows = read_rows_env(env, path, request);
    bool reached = alloc.until_failure < -1;
    bool told = strstr(rows, "error") && strstr(rows, "memory");
    /* Code may do without something that it was refused. */
    if (!told && strcmp(rows, expected) != 0) {
        print_error("allocation %d%s: '%s' instead of '%s'\n", (int)n, once ? " alone" : "", rows, expected);
        fail();
    }
    free(rows);
    paimon_env_free(env);
    assert_int_equal(alloc.alive, 0);
    return reached;
}

/* Each of the first 300; then wider steps, so that long works end in time. */
static void refuse_each(const char *path, const read_request *request)
{
    char *expected = read_rows(path, request);
    assert_null(strstr(expected, "error"));
    int64_t n = 0;
    for (int once = 0; once < 2; once++)
        for (n = 0; refuse(path, request, n, once, expected);) n += n < 300 ? 1 : n / 100;
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

static void a_read_by_several_threads_leaks_nothing(void **state)
{
    (void)state;
    refuse_each(TABLE("columns"), &(read_request){ .threads = 3, .batch_rows = 1, .where = "id <> 3" });
    refuse_each(TABLE("nested-nulls"), &(read_request){ .threads = 2 });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_of_a_partitioned_table_leaks_nothing),
        cmocka_unit_test(a_read_of_nested_columns_leaks_nothing),
        cmocka_unit_test(a_limited_read_of_another_snapshot_leaks_nothing),
        cmocka_unit_test(a_read_by_several_threads_leaks_nothing),
        cmocka_unit_test(a_plan_with_bucket_pruning_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
