/* Plans: which files, in which splits; what the scan options choose; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/read_table.h"

typedef struct planned {
    paimon_table *table;
    paimon_scan *scan;
    paimon_plan *plan;
    paimon_predicate *predicate;
    paimon_error err;
    paimon_status status;
} planned;

static planned plan(const char *path, const char *where, int64_t limit, const paimon_option *options, size_t n)
{
    planned p = { .err = PAIMON_ERROR_INIT };
    p.status = paimon_table_open(NULL, path, options, n, &p.table, &p.err);
    if (p.status == PAIMON_OK) p.status = paimon_scan_new(p.table, &p.scan, &p.err);
    if (p.status == PAIMON_OK && where) p.status = paimon_predicate_parse(where, &p.predicate, &p.err);
    if (p.status == PAIMON_OK && where) p.status = paimon_scan_set_predicate(p.scan, p.predicate, &p.err);
    if (p.status == PAIMON_OK && limit >= 0) p.status = paimon_scan_set_limit(p.scan, limit, &p.err);
    if (p.status == PAIMON_OK) p.status = paimon_scan_plan(p.scan, &p.plan, &p.err);
    return p;
}

static void end(planned *p)
{
    paimon_plan_free(p->plan);
    paimon_predicate_free(p->predicate);
    paimon_scan_free(p->scan);
    paimon_table_free(p->table);
    paimon_error_clear(&p->err);
}

static void assert_files(const char *path, const char *where, int64_t limit, int64_t files)
{
    planned p = plan(path, where, limit, NULL, 0);
    if (p.status != PAIMON_OK) print_error("%s\n", paimon_error_message(&p.err));
    assert_int_equal(p.status, PAIMON_OK);
    if (paimon_plan_n_files(p.plan) != files) print_error("where %s: ", where ? where : "-");
    assert_int_equal(paimon_plan_n_files(p.plan), files);
    end(&p);
}

static void assert_refused(const char *path, const paimon_option *options, size_t n, paimon_status status, const char *part)
{
    planned p = plan(path, NULL, -1, options, n);
    assert_int_equal(p.status, status);
    if (!strstr(paimon_error_message(&p.err), part)) print_error("'%s' does not say '%s'\n", paimon_error_message(&p.err), part);
    assert_non_null(strstr(paimon_error_message(&p.err), part));
    end(&p);
}

static void partitions_are_pruned_exactly(void **state)
{
    (void)state;
    const char *t = TABLE("many-files");
    assert_files(t, NULL, -1, 24);
    assert_files(t, "p = 1", -1, 8);
    assert_files(t, "p <> 1", -1, 16);
    assert_files(t, "p IN (0, 2, 9)", -1, 16);
    assert_files(t, "p > 5", -1, 0);
    assert_files(t, "p IS NULL", -1, 0);
    assert_files(t, "p = 1 AND id < 40", -1, 1);
    assert_files(t, "p = 1 OR id < 40", -1, 10);
    assert_files(t, "NOT (p = 1)", -1, 16);
}

static void files_are_pruned_by_their_statistics(void **state)
{
    (void)state;
    const char *t = TABLE("many-files");
    assert_files(t, "id = 100", -1, 3);
    assert_files(t, "id > 1000", -1, 0);
    assert_files(t, "id BETWEEN 30 AND 50", -1, 6);
    assert_files(t, "v IS NULL AND id = 3", -1, 3);
    assert_files(t, "v LIKE 'row 31%'", -1, 9); /* numbers as texts: 0 … 39, 80 … 119 and 280 … 319 reach around "row 31" */
    assert_files(t, "v LIKE '%31'", -1, 24);
}

static void buckets_are_pruned_by_the_whole_key_only(void **state)
{
    (void)state;
    const char *t = TABLE("bucketed");
    planned all = plan(t, NULL, -1, NULL, 0);
    assert_int_equal(all.status, PAIMON_OK);
    size_t n = paimon_plan_n_splits(all.plan);
    assert_true(n > 1);
    end(&all);
    for (int k = 0; k < 60; k++) {
        char where[64];
        snprintf(where, sizeof where, "k = %d AND k2 = 's%d'", k, k % 7);
        planned one = plan(t, where, -1, NULL, 0);
        assert_int_equal(one.status, PAIMON_OK);
        assert_int_equal(paimon_plan_n_splits(one.plan), 1);
        end(&one);
        char row[64];
        snprintf(row, sizeof row, "[%d]\n", k * 10);
        assert_rows(t, (&(read_request){ .columns = "v", .where = where }), row);
    }
    planned half = plan(t, "k >= 0", -1, NULL, 0); /* a key of two columns needs both */
    assert_int_equal(paimon_plan_n_splits(half.plan), n);
    end(&half);
    planned twenty = plan(t, "k IN (1, 2) AND (k2 = 's1' OR k2 = 's2')", -1, NULL, 0);
    assert_true(paimon_plan_n_splits(twenty.plan) <= n);
    end(&twenty);
    assert_rows(t, (&(read_request){ .columns = "k", .where = "k = 1 AND k2 IN ('s1', 's2') OR k = 59" }), "[1]\n[59]\n");
}

static void splits_are_packed_to_the_target_size(void **state)
{
    (void)state;
    paimon_option two_a_split[] = { { "source.split.target-size", "10 kb" }, { "source.split.open-file-cost", "4 kb" } };
    planned p = plan(TABLE("many-files"), NULL, -1, two_a_split, 2);
    assert_int_equal(p.status, PAIMON_OK);
    assert_int_equal(paimon_plan_n_splits(p.plan), 12);
    for (size_t i = 0; i < 12; i++) assert_int_equal(paimon_split_n_files(paimon_plan_split(p.plan, i)), 2);
    end(&p);
    paimon_option one_a_split = { "source.split.target-size", "1 b" };
    p = plan(TABLE("many-files"), NULL, -1, &one_a_split, 1);
    assert_int_equal(paimon_plan_n_splits(p.plan), 24);
    end(&p);
    p = plan(TABLE("many-files"), NULL, -1, NULL, 0);
    assert_int_equal(paimon_plan_n_splits(p.plan), 3);
    assert_null(paimon_plan_split(p.plan, 3));
    const paimon_split *split = paimon_plan_split(p.plan, 0);
    assert_non_null(strstr(paimon_split_bucket_path(split), "/p=2/bucket-0"));
    assert_int_equal(paimon_split_bucket(split), 0);
    assert_int_equal(paimon_split_total_buckets(split), -1);
    assert_int_equal(paimon_split_snapshot_id(split), 8);
    assert_int_equal(paimon_plan_snapshot_id(p.plan), 8);
    int64_t rows = 0, bytes = 0;
    for (size_t i = 0; i < paimon_split_n_files(split); i++) {
        assert_non_null(strstr(paimon_split_file_name(split, i), ".parquet"));
        rows += paimon_split_file_rows(split, i);
        bytes += paimon_split_file_size_bytes(split, i);
    }
    assert_int_equal(rows, paimon_split_row_count(split));
    assert_int_equal(bytes, paimon_split_size_bytes(split));
    assert_null(paimon_split_file_name(split, 100));
    end(&p);
}

static void partitions_come_sorted_when_asked(void **state)
{
    (void)state;
    paimon_option sorted = { "scan.plan-sort-partition", "true" };
    planned p = plan(TABLE("many-files"), NULL, -1, &sorted, 1);
    assert_int_equal(p.status, PAIMON_OK);
    for (size_t i = 0; i < 3; i++) {
        char folder[16];
        snprintf(folder, sizeof folder, "/p=%d/", (int)i);
        assert_non_null(strstr(paimon_split_bucket_path(paimon_plan_split(p.plan, i)), folder));
    }
    end(&p);
    p = plan(TABLE("date-partition"), NULL, -1, &sorted, 1);
    assert_non_null(strstr(paimon_split_bucket_path(paimon_plan_split(p.plan, 0)), "__DEFAULT_PARTITION__")); /* nulls first */
    end(&p);
}

static void a_limit_takes_the_first_files_that_hold_enough(void **state)
{
    (void)state;
    const char *t = TABLE("many-files");
    assert_files(t, NULL, 1, 1);
    assert_files(t, NULL, 13, 1);
    assert_files(t, NULL, 14, 2);
    assert_files(t, NULL, 100000, 24);
    assert_files(t, "p = 1", 14, 2);
    assert_files(t, "id >= 0", 1, 24); /* how many rows match is not known */
}

static void a_call_that_succeeds_leaves_the_error_alone(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table *table = NULL;
    paimon_scan *scan = NULL;
    paimon_plan *plan = NULL;
    assert_int_equal(paimon_table_open(NULL, "/never", NULL, 0, &table, &err), PAIMON_NOT_FOUND);
    char *before = strdup(paimon_error_message(&err));
    assert_int_equal(paimon_table_open(NULL, TABLE("many-files"), NULL, 0, &table, &err), PAIMON_OK);
    assert_int_equal(paimon_scan_new(table, &scan, &err), PAIMON_OK);
    assert_int_equal(paimon_scan_set_limit(scan, 1, &err), PAIMON_OK);
    assert_int_equal(paimon_scan_plan(scan, &plan, &err), PAIMON_OK);
    assert_string_equal(paimon_error_message(&err), before);
    free(before);
    paimon_error_clear(&err);
    paimon_plan_free(plan);
    paimon_scan_free(scan);
    paimon_table_free(table);
}

static void a_split_outlives_plan_scan_and_table(void **state)
{
    (void)state;
    planned p = plan(GOLDEN("append-fixed"), NULL, -1, NULL, 0);
    assert_int_equal(p.status, PAIMON_OK);
    paimon_split *split = paimon_split_retain(paimon_plan_split(p.plan, 1));
    end(&p);
    char *json = NULL;
    assert_int_equal(paimon_split_json(split, &json, NULL), PAIMON_OK);
    assert_non_null(strstr(json, "\"bucket\":1,"));
    assert_non_null(strstr(json, "\"_VALUE_STATS\":{\"_MIN_VALUES\":\"0000000600"));
    paimon_string_free(json);
    paimon_split_free(split);
}

static void a_table_without_snapshots_plans_nothing(void **state)
{
    (void)state;
    planned p = plan(GOLDEN("empty-table"), NULL, -1, NULL, 0);
    assert_int_equal(p.status, PAIMON_OK);
    assert_int_equal(paimon_plan_n_splits(p.plan), 0);
    assert_int_equal(paimon_plan_snapshot_id(p.plan), 0);
    end(&p);
}

static void scan_options_contradict_or_are_unknown_by_name(void **state)
{
    (void)state;
    const char *t = TABLE("travel-schema");
    paimon_option two[] = { { "scan.snapshot-id", "1" }, { "scan.tag-name", "before" } };
    assert_refused(t, two, 2, PAIMON_INVALID, "only one of the options");
    paimon_option latest[] = { { "scan.snapshot-id", "1" }, { "scan.mode", "latest" } };
    assert_refused(t, latest, 2, PAIMON_INVALID, "must not be set");
    paimon_option bare = { "scan.mode", "from-snapshot" };
    assert_refused(t, &bare, 1, PAIMON_INVALID, "needs scan.snapshot-id");
    paimon_option timed[] = { { "scan.mode", "from-timestamp" }, { "scan.snapshot-id", "1" } };
    assert_refused(t, timed, 2, PAIMON_INVALID, "needs scan.timestamp-millis");
    static const char *const later[] = { "incremental", "latest-delta", "compacted-full", "from-creation-timestamp", "from-file-creation-time" };
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        paimon_option mode = { "scan.mode", later[i] };
        assert_refused(t, &mode, 1, PAIMON_UNSUPPORTED, later[i]);
    }
    paimon_option between = { "incremental-between", "1,2" };
    assert_refused(t, &between, 1, PAIMON_UNSUPPORTED, "incremental-between");
    paimon_option odd = { "scan.mode", "sideways" };
    assert_refused(t, &odd, 1, PAIMON_INVALID, "sideways");
    paimon_option word = { "scan.snapshot-id", "one" };
    assert_refused(t, &word, 1, PAIMON_INVALID, "scan.snapshot-id");
    paimon_option gone = { "scan.snapshot-id", "77" };
    assert_refused(t, &gone, 1, PAIMON_NOT_FOUND, "77");
    paimon_option no_tag = { "scan.tag-name", "never" };
    assert_refused(t, &no_tag, 1, PAIMON_NOT_FOUND, "never");
    paimon_option nothing = { "scan.version", "never" };
    assert_refused(t, &nothing, 1, PAIMON_NOT_FOUND, "never");
    paimon_option early = { "scan.timestamp-millis", "1" };
    assert_refused(t, &early, 1, PAIMON_NOT_FOUND, "");
}

static void scan_modes_that_mean_the_latest_do(void **state)
{
    (void)state;
    static const char *const modes[] = { "default", "latest", "latest-full", "full", "LATEST" };
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        paimon_option mode = { "scan.mode", modes[i] };
        planned p = plan(TABLE("travel-schema"), NULL, -1, &mode, 1);
        assert_int_equal(p.status, PAIMON_OK);
        assert_int_equal(paimon_plan_snapshot_id(p.plan), 2);
        end(&p);
    }
    paimon_option from[] = { { "scan.mode", "from-snapshot" }, { "scan.snapshot-id", "1" } };
    planned p = plan(TABLE("travel-schema"), NULL, -1, from, 2);
    assert_int_equal(paimon_plan_snapshot_id(p.plan), 1);
    end(&p);
    paimon_option now = { "scan.timestamp", "2999-01-01 00:00:00" };
    p = plan(TABLE("travel-schema"), NULL, -1, &now, 1);
    assert_int_equal(paimon_plan_snapshot_id(p.plan), 2);
    end(&p);
    paimon_option bucket = { "scan.bucket", "3" };
    p = plan(TABLE("bucketed"), NULL, -1, &bucket, 1);
    assert_int_equal(paimon_plan_n_splits(p.plan), 1);
    assert_int_equal(paimon_split_bucket(paimon_plan_split(p.plan, 0)), 3);
    end(&p);
}

static void what_cannot_be_read_rightly_is_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        paimon_option option;
        const char *says;
    } features[] = {
        { { "deletion-vectors.enabled", "true" }, "deletion vectors" },
        { { "data-evolution.enabled", "true" }, "data evolution" },
        { { "scan.fallback-branch", "b" }, "fallback branch" },
        { { "query-auth.enabled", "true" }, "authorization" },
        { { "type", "format-table" }, "format-table" },
        { { "chain-table.enabled", "true" }, "chain tables" },
    };
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
        assert_refused(TABLE("many-files"), &features[i].option, 1, PAIMON_UNSUPPORTED, features[i].says);
    paimon_option off = { "deletion-vectors.enabled", "false" };
    planned p = plan(TABLE("many-files"), NULL, -1, &off, 1);
    assert_int_equal(p.status, PAIMON_OK);
    end(&p);
}

static void predicates_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    planned p = plan(TABLE("many-files"), "nope = 1", -1, NULL, 0);
    assert_int_equal(p.status, PAIMON_NOT_FOUND);
    end(&p);
    p = plan(TABLE("many-files"), "id = 'x'", -1, NULL, 0);
    assert_int_equal(p.status, PAIMON_INVALID);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_are_pruned_exactly),
        cmocka_unit_test(files_are_pruned_by_their_statistics),
        cmocka_unit_test(buckets_are_pruned_by_the_whole_key_only),
        cmocka_unit_test(splits_are_packed_to_the_target_size),
        cmocka_unit_test(partitions_come_sorted_when_asked),
        cmocka_unit_test(a_limit_takes_the_first_files_that_hold_enough),
        cmocka_unit_test(a_call_that_succeeds_leaves_the_error_alone),
        cmocka_unit_test(a_split_outlives_plan_scan_and_table),
        cmocka_unit_test(a_table_without_snapshots_plans_nothing),
        cmocka_unit_test(scan_options_contradict_or_are_unknown_by_name),
        cmocka_unit_test(scan_modes_that_mean_the_latest_do),
        cmocka_unit_test(what_cannot_be_read_rightly_is_refused_by_name),
        cmocka_unit_test(predicates_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
