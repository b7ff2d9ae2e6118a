/* A disk that fails at any one operation of opening, planning and reading: the read says so, or gives all its rows. */
#include "support/unit.h"

#include "io/fault.h"
#include "support/memory_files.h"
#include "support/read_table.h"

static void each_operation_may_fail(const char *table, const read_request *request)
{
    char folder[256];
    snprintf(folder, sizeof folder, "data/tables/%s", table);
    paimon_fs *memory = memory_files(), *faulty = NULL;
    pmn_fault *fault = NULL;
    paimon_env *env = NULL;
    copy_test_folder(memory, folder, "mem:/t");
    assert_int_equal(pmn_fault_fs_new(pmn_mem_default(), memory, &faulty, &fault, NULL), PAIMON_OK);
    assert_int_equal(paimon_env_new(NULL, &env, NULL), PAIMON_OK);
    assert_int_equal(paimon_env_register_fs(env, "mem", faulty, NULL), PAIMON_OK);
    pmn_fault_plan(fault, -1, PMN_FAULT_NONE);
    char *expected = read_rows_env(env, "mem:/t", request);
    assert_null(strstr(expected, "error"));
    assert_true(count_lines(expected) > 0);
    int64_t n = pmn_fault_count(fault);
    assert_true(n > 5);
    for (int kind = PMN_FAULT_FAIL; kind <= PMN_FAULT_KILL_AFTER; kind++)
        for (int64_t at = 0; at < n; at++) {
            pmn_fault_plan(fault, at, (pmn_fault_kind)kind);
            char *rows = read_rows_env(env, "mem:/t", request);
            const char *error = strstr(rows, "error");
            /* Rows that came before are right; and hints may be done without. */
            if (error ? strlen(error) < 12 : strcmp(rows, expected) != 0) {
                print_error("operation %d of kind %d: '%s'\n", (int)at, kind, rows);
                fail();
            }
            free(rows);
        }
    pmn_fault_plan(fault, -1, PMN_FAULT_NONE);
    char *again = read_rows_env(env, "mem:/t", request);
    assert_string_equal(again, expected);
    free(again);
    free(expected);
    paimon_env_free(env);
    paimon_fs_free(faulty);
    paimon_fs_free(memory);
}

static void a_read_tells_any_failure_of_the_disk(void **state)
{
    (void)state;
    each_operation_may_fail("columns", &(read_request){ .where = "id <> 4" });
    each_operation_may_fail("columns", &(read_request){ .threads = 3, .columns = "p,alpha" });
    paimon_option tag = { "scan.tag-name", "before" };
    each_operation_may_fail("travel-schema", &(read_request){ .options = &tag, .n_options = 1 });
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_read_tells_any_failure_of_the_disk) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
