/* Opening tables and catalogs, and what they say of themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/read_table.h"

static void assert_open_fails(const char *path, const paimon_option *options, size_t n, paimon_status status, const char *part)
{
    paimon_table *table = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(paimon_table_open(NULL, path, options, n, &table, &err), status);
    assert_null(table);
    if (!strstr(paimon_error_message(&err), part)) print_error("'%s' does not say '%s'\n", paimon_error_message(&err), part);
    assert_non_null(strstr(paimon_error_message(&err), part));
    paimon_error_clear(&err);
}

static void a_table_tells_its_schema(void **state)
{
    (void)state;
    paimon_table *t = NULL;
    assert_int_equal(paimon_table_open(NULL, TABLE("columns") "/", NULL, 0, &t, NULL), PAIMON_OK);
    assert_string_equal(paimon_table_path(t), TABLE("columns"));
    assert_string_equal(paimon_table_branch(t), "main");
    assert_int_equal(paimon_table_schema_id(t), 3);
    assert_int_equal(paimon_table_n_columns(t), 6);
    assert_string_equal(paimon_table_column(t, 0), "c");
    assert_null(paimon_table_column(t, 6));
    char *type = NULL;
    assert_int_equal(paimon_table_column_type(t, 5, &type, NULL), PAIMON_OK);
    assert_string_equal(type, "DATE");
    paimon_string_free(type);
    assert_int_equal(paimon_table_column_type(t, 6, &type, NULL), PAIMON_NOT_FOUND);
    assert_int_equal(paimon_table_n_partition_keys(t), 1);
    assert_string_equal(paimon_table_partition_key(t, 0), "p");
    assert_null(paimon_table_partition_key(t, 1));
    assert_int_equal(paimon_table_n_primary_keys(t), 0);
    assert_null(paimon_table_primary_key(t, 0));
    assert_string_equal(paimon_table_option(t, "bucket"), "-1");
    assert_null(paimon_table_option(t, "nope"));
    assert_null(paimon_table_comment(t));
    struct ArrowSchema schema;
    assert_int_equal(paimon_table_arrow_schema(t, &schema, NULL), PAIMON_OK);
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, 6);
    assert_string_equal(schema.children[3]->name, "alpha");
    schema.release(&schema);
    char *json = NULL;
    assert_int_equal(paimon_table_schema_json(t, &json, NULL), PAIMON_OK);
    assert_non_null(strstr(json, "\"highestFieldId\" : 6"));
    paimon_string_free(json);
    paimon_table_free(t);
}

static void a_table_tells_its_snapshots(void **state)
{
    (void)state;
    paimon_table *t = NULL;
    assert_int_equal(paimon_table_open(NULL, TABLE("columns"), NULL, 0, &t, NULL), PAIMON_OK);
    int64_t id = 0, *ids = NULL;
    size_t n = 0;
    assert_int_equal(paimon_table_latest_snapshot_id(t, &id, NULL), PAIMON_OK);
    assert_int_equal(id, 4);
    assert_int_equal(paimon_table_earliest_snapshot_id(t, &id, NULL), PAIMON_OK);
    assert_int_equal(id, 1);
    assert_int_equal(paimon_table_snapshot_ids(t, &ids, &n, NULL), PAIMON_OK);
    assert_int_equal(n, 4);
    assert_int_equal(ids[3], 4);
    paimon_int64_free(ids, n);
    char *json = NULL;
    assert_int_equal(paimon_table_snapshot_json(t, 2, &json, NULL), PAIMON_OK);
    assert_non_null(strstr(json, "\"id\" : 2"));
    paimon_string_free(json);
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(paimon_table_snapshot_json(t, 9, &json, &err), PAIMON_NOT_FOUND);
    assert_non_null(strstr(paimon_error_message(&err), "4"));
    paimon_error_clear(&err);
    paimon_table_free(t);
}

static void branches_are_opened_by_suffix_or_option(void **state)
{
    (void)state;
    paimon_option branch = { "branch", "from-tag" };
    char *by_suffix = read_rows(GOLDEN("tags-branches") "$branch_from-tag", NULL);
    char *by_option = read_rows(GOLDEN("tags-branches"), &(read_request){ .options = &branch, .n_options = 1 });
    char *of_main = read_rows(GOLDEN("tags-branches") "$branch_main", NULL);
    char *plain = read_rows(GOLDEN("tags-branches"), NULL);
    assert_string_equal(by_suffix, by_option);
    assert_string_equal(of_main, plain);
    assert_string_not_equal(plain, by_suffix);
    assert_null(strstr(by_suffix, "error"));
    free(by_suffix);
    free(by_option);
    free(of_main);
    free(plain);
    assert_open_fails(GOLDEN("tags-branches") "$branch_never", NULL, 0, PAIMON_NOT_FOUND, "no branch 'never'");
    assert_open_fails(GOLDEN("tags-branches") "$branch_main", &branch, 1, PAIMON_INVALID, "the option branch");
    assert_open_fails(GOLDEN("tags-branches") "$branch_", NULL, 0, PAIMON_INVALID, "empty");
}

static void what_is_no_table_is_told(void **state)
{
    (void)state;
    paimon_option half = { "k", NULL };
    assert_open_fails(PAIMON_SOURCE_DIR "/tests", NULL, 0, PAIMON_NOT_FOUND, "not a Paimon table");
    assert_open_fails("/never/never", NULL, 0, PAIMON_NOT_FOUND, "not a Paimon table");
    assert_open_fails(TABLE("columns") "$files", NULL, 0, PAIMON_UNSUPPORTED, "system table 'files'");
    assert_open_fails(TABLE("columns") "$branch_b$snapshots", NULL, 0, PAIMON_UNSUPPORTED, "system table 'snapshots'");
    assert_open_fails("nope://x/y", NULL, 0, PAIMON_UNSUPPORTED, "nope");
    assert_open_fails("", NULL, 0, PAIMON_INVALID, "path");
    assert_open_fails(TABLE("columns"), &half, 1, PAIMON_INVALID, "option 0");
    assert_open_fails(TABLE("columns"), NULL, 1, PAIMON_INVALID, "options");
}

static void copy_file(const char *from, const char *to)
{
    char command[1024];
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\" && cp -r '%s' '%s'", to, from, to);
    assert_int_equal(system(command), 0);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Hints are hints: whatever stands in them, the rows are the same. */
static void hints_may_be_missing_or_wrong(void **state)
{
    (void)state;
    char folder[] = "/tmp/paimon-hints-XXXXXX", table[64], hint[96], command[128];
    assert_non_null(mkdtemp(folder));
    snprintf(table, sizeof table, "%s/t", folder);
    copy_file(TABLE("columns"), table);
    char *expected = read_rows(table, NULL);
    assert_int_equal(count_lines(expected), 5);
    static const char *const names[] = { "LATEST", "EARLIEST" };
    static const char *const texts[] = { "junk", "99", "1", "2", "4\n", "-1", "", "999999999999999999999" };
    for (size_t i = 0; i < 2; i++) {
        snprintf(hint, sizeof hint, "%s/snapshot/%s", table, names[i]);
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
            write_text(hint, texts[k]);
            assert_rows(table, NULL, expected);
        }
        assert_int_equal(unlink(hint), 0);
        assert_rows(table, NULL, expected);
    }
    snprintf(hint, sizeof hint, "%s/snapshot/snapshot-1", table); /* expired */
    assert_int_equal(unlink(hint), 0);
    assert_rows(table, NULL, expected);
    paimon_option first = { "scan.snapshot-id", "1" };
    assert_read_fails(table, (&(read_request){ .options = &first, .n_options = 1 }), "not found");
    free(expected);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void a_catalog_lists_and_opens(void **state)
{
    (void)state;
    char folder[] = "/tmp/paimon-catalog-XXXXXX", path[128], command[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/two.db/t1", folder);
    copy_file(TABLE("columns"), path);
    snprintf(path, sizeof path, "%s/two.db/a", folder);
    copy_file(TABLE("travel-schema"), path);
    snprintf(path, sizeof path, "%s/two.db/no-table", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/one.db", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/other", folder);
    assert_int_equal(mkdir(path, 0777), 0);

    paimon_catalog *catalog = NULL;
    assert_int_equal(paimon_catalog_open(NULL, folder, NULL, 0, &catalog, NULL), PAIMON_OK);
    paimon_string_list *names = NULL;
    assert_int_equal(paimon_catalog_list_databases(catalog, &names, NULL), PAIMON_OK);
    assert_int_equal(paimon_string_list_size(names), 2);
    assert_string_equal(paimon_string_list_get(names, 0), "one");
    assert_string_equal(paimon_string_list_get(names, 1), "two");
    assert_null(paimon_string_list_get(names, 2));
    paimon_string_list_free(names);
    assert_int_equal(paimon_catalog_list_tables(catalog, "two", &names, NULL), PAIMON_OK);
    assert_int_equal(paimon_string_list_size(names), 2);
    assert_string_equal(paimon_string_list_get(names, 0), "a");
    paimon_string_list_free(names);
    assert_int_equal(paimon_catalog_list_tables(catalog, "three", &names, NULL), PAIMON_NOT_FOUND);
    bool exists = true;
    assert_int_equal(paimon_catalog_database_exists(catalog, "three", &exists, NULL), PAIMON_OK);
    assert_false(exists);
    assert_int_equal(paimon_catalog_table_exists(catalog, "two", "t1", &exists, NULL), PAIMON_OK);
    assert_true(exists);
    assert_int_equal(paimon_catalog_table_exists(catalog, "two", "no-table", &exists, NULL), PAIMON_OK);
    assert_false(exists);

    paimon_table *table = NULL;
    assert_int_equal(paimon_catalog_open_table(catalog, "two.t1", NULL, 0, &table, NULL), PAIMON_OK);
    static const struct {
        const char *identifier;
        paimon_status status;
    } bad[] = {
        { "two.never", PAIMON_NOT_FOUND }, { "three.t1", PAIMON_NOT_FOUND }, { "two", PAIMON_INVALID },       { "two.t1.x", PAIMON_INVALID },
        { ".t1", PAIMON_INVALID },         { "two.", PAIMON_INVALID },       { "two...", PAIMON_INVALID },    { "two.a/b", PAIMON_INVALID },
        { "sys.tables", PAIMON_UNSUPPORTED }, { "two.t1$files", PAIMON_UNSUPPORTED }, { "two.t1$branch_x", PAIMON_NOT_FOUND },
        { "two.$files", PAIMON_INVALID },  { "../x.t1", PAIMON_INVALID },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        paimon_table *none = NULL;
        if (paimon_catalog_open_table(catalog, bad[i].identifier, NULL, 0, &none, NULL) != bad[i].status) print_error("%s\n", bad[i].identifier);
        assert_int_equal(paimon_catalog_open_table(catalog, bad[i].identifier, NULL, 0, &none, NULL), bad[i].status);
        assert_null(none);
    }
    paimon_catalog_free(catalog);
    assert_string_equal(paimon_table_column(table, 3), "alpha"); /* tables outlive their catalog */
    paimon_table_free(table);
    paimon_option rest = { "metastore", "rest" };
    assert_int_equal(paimon_catalog_open(NULL, folder, &rest, 1, &catalog, NULL), PAIMON_UNSUPPORTED);
    assert_int_equal(paimon_catalog_open(NULL, "/never/never", NULL, 0, &catalog, NULL), PAIMON_OK);
    assert_int_equal(paimon_catalog_list_databases(catalog, &names, NULL), PAIMON_OK);
    assert_int_equal(paimon_string_list_size(names), 0);
    paimon_string_list_free(names);
    paimon_catalog_free(catalog);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void getters_of_nothing_answer_nothing(void **state)
{
    (void)state;
    bool has = true;
    const char *value = "value";
    assert_null(paimon_table_path(NULL));
    assert_null(paimon_table_branch(NULL));
    assert_null(paimon_table_comment(NULL));
    assert_null(paimon_table_option(NULL, "bucket"));
    assert_null(paimon_table_column(NULL, 0));
    assert_null(paimon_table_partition_key(NULL, 0));
    assert_null(paimon_table_primary_key(NULL, 0));
    assert_int_equal(paimon_table_schema_id(NULL), 0);
    assert_true(paimon_table_n_columns(NULL) == 0 && paimon_table_n_partition_keys(NULL) == 0 && paimon_table_n_primary_keys(NULL) == 0);
    assert_true(paimon_plan_snapshot_id(NULL) == 0 && paimon_plan_n_splits(NULL) == 0 && paimon_plan_n_files(NULL) == 0);
    assert_null(paimon_plan_split(NULL, 0));
    assert_true(paimon_split_n_files(NULL) == 0 && paimon_split_row_count(NULL) == 0 && paimon_split_size_bytes(NULL) == 0);
    assert_true(paimon_split_bucket(NULL) == 0 && paimon_split_total_buckets(NULL) == 0 && paimon_split_snapshot_id(NULL) == 0);
    assert_true(paimon_split_file_rows(NULL, 0) == -1 && paimon_split_file_size_bytes(NULL, 0) == -1);
    assert_null(paimon_split_bucket_path(NULL));
    assert_null(paimon_split_file_name(NULL, 0));
    assert_true(paimon_committable_identifier(NULL) == 0 && paimon_committable_watermark(NULL, &has) == 0 && !has);
    assert_int_equal(paimon_committable_n_properties(NULL), 0);
    assert_null(paimon_committable_property_at(NULL, 0, &value));
    assert_null(value);
    assert_null(paimon_committable_messages(NULL));
    assert_true(paimon_message_list_size(NULL) == 0 && paimon_message_list_rows(NULL) == 0 && paimon_message_list_files(NULL) == 0);
    assert_true(paimon_string_list_size(NULL) == 0 && !paimon_string_list_get(NULL, 0));
    assert_true(!paimon_commit_user(NULL) && !paimon_commit_object_name(NULL) && paimon_commit_n_table_requests(NULL) == 0);
    assert_true(paimon_write_rows(NULL) == 0 && !paimon_cancel_requested(NULL));
}

static void calls_with_a_status_refuse_a_missing_table(void **state)
{
    (void)state;
    struct ArrowSchema schema;
    char *text;
    int64_t id, *ids;
    size_t n;
    assert_int_equal(paimon_table_arrow_schema(NULL, &schema, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_table_column_type(NULL, 0, &text, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_table_schema_json(NULL, &text, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_table_snapshot_json(NULL, 1, &text, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_table_latest_snapshot_id(NULL, &id, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_table_earliest_snapshot_id(NULL, &id, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_table_snapshot_ids(NULL, &ids, &n, NULL), PAIMON_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_tells_its_schema),
        cmocka_unit_test(a_table_tells_its_snapshots),
        cmocka_unit_test(branches_are_opened_by_suffix_or_option),
        cmocka_unit_test(what_is_no_table_is_told),
        cmocka_unit_test(hints_may_be_missing_or_wrong),
        cmocka_unit_test(a_catalog_lists_and_opens),
        cmocka_unit_test(getters_of_nothing_answer_nothing),
        cmocka_unit_test(calls_with_a_status_refuse_a_missing_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
