#include "support/unit.h"

#include <errno.h>

#include "base/log.h"
#include "base/status.h"
#include "paimon-c/version.h"

static void a_failure_says_code_and_text(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(pmn_fail(&err, PAIMON_CORRUPT, "%s: %d of %d bytes\n", "file", 3, 4), PAIMON_CORRUPT);
    assert_int_equal(err.code, PAIMON_CORRUPT);
    assert_string_equal(paimon_error_message(&err), "file: 3 of 4 bytes ");
    pmn_error_prefix(&err, "table %s", "t");
    assert_string_equal(paimon_error_message(&err), "table t: file: 3 of 4 bytes ");
    assert_int_equal(err.code, PAIMON_CORRUPT);
    paimon_error_clear(&err);
    assert_string_equal(paimon_error_message(&err), "");
    assert_int_equal(err.code, PAIMON_OK);
}

static void the_old_text_may_be_an_argument_of_the_new(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_fail(&err, PAIMON_IO, "first");
    pmn_fail(&err, PAIMON_CONFLICT, "after %s", paimon_error_message(&err));
    assert_string_equal(paimon_error_message(&err), "after first");
    paimon_error_clear(&err);
}

static void no_error_object_is_fine_everywhere(void **state)
{
    (void)state;
    assert_int_equal(pmn_fail(NULL, PAIMON_IO, "x"), PAIMON_IO);
    assert_int_equal(pmn_fail_errno(NULL, ENOENT, "x"), PAIMON_NOT_FOUND);
    assert_int_equal(pmn_fail_nomem(NULL, "x"), PAIMON_NOMEM);
    pmn_error_prefix(NULL, "x");
    paimon_error_clear(NULL);
    assert_string_equal(paimon_error_message(NULL), "");
    paimon_error from = PAIMON_ERROR_INIT;
    pmn_fail(&from, PAIMON_IO, "x");
    pmn_error_move(NULL, &from);
    assert_null(from.message);
}

static void an_errno_goes_in_as_number_and_words(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT, to = PAIMON_ERROR_INIT;
    assert_int_equal(pmn_fail_errno(&err, ENOSPC, "writing %s", "f"), PAIMON_IO);
    assert_int_equal(err.sys_errno, ENOSPC);
    assert_string_equal(paimon_error_message(&err), "writing f: No space left on device");
    pmn_error_move(&to, &err);
    assert_int_equal(to.sys_errno, ENOSPC);
    assert_int_equal(err.code, PAIMON_OK);
    assert_null(err.message);
    paimon_error_clear(&to);
}

static void each_status_has_its_name_and_errno(void **state)
{
    (void)state;
    for (int a = PAIMON_OK; a <= PAIMON_INTERNAL; a++) {
        assert_string_not_equal(paimon_status_name((paimon_status)a), "unknown status");
        for (int b = a + 1; b <= PAIMON_INTERNAL; b++) {
            assert_string_not_equal(paimon_status_name((paimon_status)a), paimon_status_name((paimon_status)b));
            assert_int_not_equal(pmn_status_errno((paimon_status)a), pmn_status_errno((paimon_status)b));
        }
    }
    assert_string_equal(paimon_status_name((paimon_status)99), "unknown status");
    assert_int_equal(pmn_status_errno(PAIMON_OK), 0);
}

static int n_lines;
static void keep_line(void *ctx, paimon_log_level level, const char *message)
{
    (void)level;
    n_lines++;
    snprintf((char *)ctx, 2000, "%s", message);
}

static void log_keeps_to_its_level_and_to_one_line(void **state)
{
    (void)state;
    char last[2000] = "";
    pmn_logger logger = { keep_line, last, PAIMON_LOG_WARN };
    pmn_log(NULL, PAIMON_LOG_ERROR, "x");
    pmn_log(&logger, PAIMON_LOG_INFO, "quiet");
    assert_int_equal(n_lines, 0);
    pmn_log(&logger, PAIMON_LOG_WARN, "two\nlines %d", 1);
    assert_string_equal(last, "two lines 1");
    pmn_log(&logger, PAIMON_LOG_ERROR, "%05000d", 1);
    assert_int_equal(strlen(last), 1023);
}

static void version_is_told_at_run_time(void **state)
{
    (void)state;
    assert_string_equal(paimon_version_string(), PAIMON_VERSION_STRING);
    assert_int_equal(paimon_version_number(), PAIMON_VERSION_NUMBER);
    assert_true(paimon_feature("parquet"));
    assert_false(paimon_feature("vortex"));
    assert_false(paimon_feature(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_says_code_and_text),
        cmocka_unit_test(the_old_text_may_be_an_argument_of_the_new),
        cmocka_unit_test(no_error_object_is_fine_everywhere),
        cmocka_unit_test(an_errno_goes_in_as_number_and_words),
        cmocka_unit_test(each_status_has_its_name_and_errno),
        cmocka_unit_test(log_keeps_to_its_level_and_to_one_line),
        cmocka_unit_test(version_is_told_at_run_time),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
