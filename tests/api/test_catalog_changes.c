/* Making, changing, renaming and dropping databases and tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "paimon-c/paimon.h"

static char warehouse[64];
static paimon_catalog *catalog;

static int make_warehouse(void **state)
{
    (void)state;
    strcpy(warehouse, "/tmp/paimon-catalog-XXXXXX");
    if (!mkdtemp(warehouse)) return -1;
    return paimon_catalog_open(NULL, warehouse, NULL, 0, &catalog, NULL) == PAIMON_OK ? 0 : -1;
}

static int remove_warehouse(void **state)
{
    (void)state;
    char command[128];
    paimon_catalog_free(catalog);
    snprintf(command, sizeof command, "rm -rf %s", warehouse);
    return system(command);
}

static bool is_there(const char *relative)
{
    char path[256];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", warehouse, relative);
    return lstat(path, &st) == 0;
}

static void put_file(const char *relative, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", warehouse, relative);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static paimon_status define(const char *table, const char *json, paimon_error *err)
{
    paimon_table_definition definition = PAIMON_TABLE_DEFINITION_INIT;
    definition.schema_json = json;
    return paimon_catalog_create_table(catalog, "db", table, &definition, err);
}

static paimon_table *opened(const char *name)
{
    char identifier[128];
    paimon_table *table = NULL;
    snprintf(identifier, sizeof identifier, "db.%s", name);
    assert_int_equal(paimon_catalog_open_table(catalog, identifier, NULL, 0, &table, NULL), PAIMON_OK);
    return table;
}

static void databases_come_and_go(void **state)
{
    (void)state;
    bool exists;
    assert_int_equal(paimon_catalog_create_database(catalog, "db", false, NULL), PAIMON_OK);
    assert_int_equal(paimon_catalog_create_database(catalog, "db", false, NULL), PAIMON_ALREADY_EXISTS);
    assert_int_equal(paimon_catalog_create_database(catalog, "db", true, NULL), PAIMON_OK);
    assert_true(is_there("db.db"));
    assert_int_equal(paimon_catalog_create_database(catalog, "../x", true, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_catalog_create_database(catalog, "", true, NULL), PAIMON_INVALID);
    assert_int_equal(define("t", "{\"fields\":[{\"name\":\"a\",\"type\":\"INT\"}]}", NULL), PAIMON_OK);
    assert_int_equal(paimon_catalog_drop_database(catalog, "db", false, false, NULL), PAIMON_STATE);
    assert_int_equal(paimon_catalog_drop_database(catalog, "db", false, true, NULL), PAIMON_OK);
    assert_false(is_there("db.db"));
    assert_int_equal(paimon_catalog_database_exists(catalog, "db", &exists, NULL), PAIMON_OK);
    assert_false(exists);
    assert_int_equal(paimon_catalog_drop_database(catalog, "db", false, true, NULL), PAIMON_NOT_FOUND);
    assert_int_equal(paimon_catalog_drop_database(catalog, "db", true, true, NULL), PAIMON_OK);
}

static void ids_are_given_in_javas_order(void **state)
{
    (void)state;
    assert_int_equal(paimon_catalog_create_database(catalog, "db", false, NULL), PAIMON_OK);
    const char *json = "{\"fields\":[{\"id\":7,\"name\":\"s\",\"type\":\"STRING NOT NULL\"},{\"id\":8,\"name\":\"b\",\"type\":\"INT\"},"
                       "{\"id\":9,\"name\":\"arr\",\"type\":\"ARRAY<INT>\"},"
                       "{\"id\":10,\"name\":\"n\",\"type\":{\"type\":\"ROW\",\"fields\":[{\"id\":11,\"name\":\"x\",\"type\":\"INT\"},"
                       "{\"id\":12,\"name\":\"y\",\"type\":\"MAP<STRING, ROW<z INT>>\"}]}},{\"id\":20,\"name\":\"i\",\"type\":\"INT\"}]}";
    const char *objects = "{\"fields\":[{\"name\":\"s\",\"type\":\"STRING NOT NULL\"},{\"name\":\"b\",\"type\":\"INT\"},{\"name\":\"arr\",\"type\":\"ARRAY<INT>\"},"
                          "{\"name\":\"n\",\"type\":\"ROW<x INT, y MAP<STRING, ROW<z INT>>>\"},{\"name\":\"i\",\"type\":\"INT\"}]}";
    for (int i = 0; i < 2; i++) {
        assert_int_equal(define(i ? "u" : "t", i ? objects : json, NULL), PAIMON_OK);
        paimon_table *table = opened(i ? "u" : "t");
        char *text = NULL;
        assert_int_equal(paimon_table_schema_json(table, &text, NULL), PAIMON_OK);
        static const char *const want[] = { "\"id\" : 3,\n    \"name\" : \"n\"", "\"id\" : 4,\n        \"name\" : \"x\"", "\"id\" : 6,\n        \"name\" : \"y\"",
                                            "\"id\" : 5,\n              \"name\" : \"z\"", "\"id\" : 7,\n    \"name\" : \"i\"", "\"highestFieldId\" : 7" };
        for (size_t k = 0; k < sizeof want / sizeof *want; k++)
            if (!strstr(text, want[k])) fail_msg("%s is not in %s", want[k], text);
        paimon_string_free(text);
        paimon_table_free(table);
    }
}

static void keys_and_options_are_taken_from_everywhere(void **state)
{
    (void)state;
    static const char *const keys[] = { "p", "k" };
    const paimon_option options[] = { { "bucket", "4" }, { "file.format", "avro" } };
    paimon_table_definition d = PAIMON_TABLE_DEFINITION_INIT;
    d.schema_json = "{\"fields\":[{\"name\":\"p\",\"type\":\"INT\"},{\"name\":\"k\",\"type\":\"INT\"}],\"options\":{\"bucket\":\"2\",\"partition\":\" p \"},"
                    "\"comment\":\"one\"}";
    d.primary_keys = keys;
    d.n_primary_keys = 2;
    d.options = options;
    d.n_options = 2;
    d.comment = "two";
    assert_int_equal(paimon_catalog_create_database(catalog, "db", false, NULL), PAIMON_OK);
    assert_int_equal(paimon_catalog_create_table(catalog, "db", "t", &d, NULL), PAIMON_OK);
    assert_int_equal(paimon_catalog_create_table(catalog, "db", "t", &d, NULL), PAIMON_ALREADY_EXISTS);
    assert_int_equal(paimon_catalog_create_table(catalog, "none", "t", &d, NULL), PAIMON_NOT_FOUND);
    assert_int_equal(paimon_catalog_create_table(catalog, "db", "t$branch_x", &d, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_catalog_create_table(catalog, "db", "a.b", &d, NULL), PAIMON_INVALID);
    paimon_table *table = opened("t");
    char *type = NULL;
    assert_int_equal(paimon_table_n_primary_keys(table), 2);
    assert_string_equal(paimon_table_partition_key(table, 0), "p");
    assert_string_equal(paimon_table_option(table, "bucket"), "4");
    assert_null(paimon_table_option(table, "partition"));
    assert_string_equal(paimon_table_comment(table), "two");
    assert_int_equal(paimon_table_column_type(table, 1, &type, NULL), PAIMON_OK);
    assert_string_equal(type, "INT NOT NULL");
    paimon_string_free(type);
    paimon_table_free(table);
}

static void a_table_is_made_of_an_arrow_schema(void **state)
{
    (void)state;
    assert_int_equal(paimon_catalog_create_database(catalog, "db", false, NULL), PAIMON_OK);
    assert_int_equal(define("t", "{\"fields\":[{\"name\":\"a\",\"type\":\"DECIMAL(9, 2)\"},{\"name\":\"r\",\"type\":\"ROW<x ROW<y DATE>>\"}]}", NULL), PAIMON_OK);
    paimon_table *table = opened("t");
    paimon_table_definition d = PAIMON_TABLE_DEFINITION_INIT;
    struct ArrowSchema schema;
    char *one = NULL, *two = NULL;
    assert_int_equal(paimon_table_arrow_schema(table, &schema, NULL), PAIMON_OK);
    d.schema = &schema;
    assert_int_equal(paimon_catalog_create_table(catalog, "db", "u", &d, NULL), PAIMON_OK);
    schema.release(&schema);
    paimon_table *copy = opened("u");
    assert_int_equal(paimon_table_schema_json(table, &one, NULL), PAIMON_OK);
    assert_int_equal(paimon_table_schema_json(copy, &two, NULL), PAIMON_OK);
    *strstr(one, "timeMillis") = 0;
    *strstr(two, "timeMillis") = 0;
    assert_string_equal(one, two);
    paimon_string_free(one);
    paimon_string_free(two);
    paimon_table_free(table);
    paimon_table_free(copy);
}

static void bad_definitions_are_refused_by_name(void **state)
{
    (void)state;
#define COLUMNS "\"fields\":[{\"name\":\"a\",\"type\":\"INT\"},{\"name\":\"b\",\"type\":\"ARRAY<INT>\"}]"
    static const char *const cases[][2] = {
        { "", "JSON" },
        { "[]", "not a JSON object" },
        { "{\"fields\":3}", "fields" },
        { "{\"fields\":[]}", "at least one column" },
        { "{\"fields\":[{\"name\":\"a\",\"type\":\"INTT\"}]}", "INTT" },
        { "{\"fields\":[{\"name\":\"a\",\"type\":\"INT\"},{\"name\":\"a\",\"type\":\"INT\"}]}", "not unique" },
        { "{\"fields\":[{\"name\":\"_ROW_ID\",\"type\":\"INT\"}]}", "_ROW_ID" },
        { "{\"fields\":[{\"name\":\"_KEY_a\",\"type\":\"INT\"}]}", "_KEY_a" },
        { "{" COLUMNS ",\"partitionKeys\":[\"c\"]}", "'c' is not a column" },
        { "{" COLUMNS ",\"partitionKeys\":[\"b\"]}", "ARRAY" },
        { "{" COLUMNS ",\"partitionKeys\":[\"a\",\"a\"]}", "named twice" },
        { "{" COLUMNS ",\"primaryKeys\":[\"zz\"]}", "zz" },
        { "{" COLUMNS ",\"partitionKeys\":[\"a\"],\"primaryKeys\":[\"a\"]}", "only partition columns" },
        { "{" COLUMNS ",\"options\":{\"bucket\":\"4\"}}", "bucket-key" },
        { "{" COLUMNS ",\"options\":{\"bucket\":\"0\",\"bucket-key\":\"a\"}}", "bucket is 0" },
        { "{" COLUMNS ",\"options\":{\"bucket\":\"-2\",\"bucket-key\":\"a\"}}", "bucket is -2" },
        { "{" COLUMNS ",\"options\":{\"bucket\":\"many\"}}", "many" },
        { "{" COLUMNS ",\"options\":{\"bucket-key\":\"a\"}}", "bucket" },
        { "{" COLUMNS ",\"options\":{\"bucket\":\"2\",\"bucket-key\":\"b\"}}", "ARRAY" },
        { "{" COLUMNS ",\"options\":{\"bucket\":\"2\",\"bucket-key\":\"c\"}}", "'c' is not a column" },
        { "{" COLUMNS ",\"options\":{\"changelog-producer\":\"lookup\"}}", "changelog-producer" },
        { "{" COLUMNS ",\"options\":{\"file.format\":\"tape\"}}", "tape" },
        { "{" COLUMNS ",\"options\":{\"target-file-row-num\":\"0\"}}", "target-file-row-num" },
        { "{" COLUMNS ",\"options\":{\"fields.c.stats-mode\":\"none\"}}", "'c' is not a column" },
        { "{" COLUMNS ",\"options\":{\"sequence.field\":\"c\"}}", "'c' is not a column" },
        { "{" COLUMNS ",\"options\":{\"data-evolution.enabled\":\"true\"}}", "row-tracking" },
        { "{" COLUMNS ",\"options\":{\"bucket\":4}}", "not a text" },
        { "{" COLUMNS ",\"options\":{\"snapshot.num-retained.max\":\"9\"}}", "snapshot.num-retained.min" },
        { "{\"fields\":[{\"name\":\"a\",\"type\":\"ARRAY<TIMESTAMP(9)>\"}],\"options\":{\"file.format\":\"avro\"}}", "precision 6" },
        { "{\"fields\":[{\"name\":\"a\",\"type\":\"BLOB\"},{\"name\":\"b\",\"type\":\"INT\"}]}", "BLOB" },
    };
#undef COLUMNS
    assert_int_equal(paimon_catalog_create_database(catalog, "db", false, NULL), PAIMON_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        paimon_error err = PAIMON_ERROR_INIT;
        assert_int_equal(define("t", cases[i][0], &err), PAIMON_INVALID);
        if (!strstr(paimon_error_message(&err), cases[i][1])) fail_msg("case %zu: '%s' does not say '%s'", i, paimon_error_message(&err), cases[i][1]);
        paimon_error_clear(&err);
        assert_false(is_there("db.db/t"));
    }
}

static void a_dropped_table_leaves_nothing_and_takes_nothing_else(void **state)
{
    (void)state;
    char link_path[256], target[256];
    assert_int_equal(paimon_catalog_create_database(catalog, "db", false, NULL), PAIMON_OK);
    assert_int_equal(define("t", "{\"fields\":[{\"name\":\"a\",\"type\":\"INT\"}]}", NULL), PAIMON_OK);
    snprintf(target, sizeof target, "%s/elsewhere", warehouse);
    assert_int_equal(mkdir(target, 0777), 0);
    put_file("elsewhere/precious", "kept");
    put_file("db.db/t/stray", "gone");
    snprintf(link_path, sizeof link_path, "%s/db.db/t/bucket-0", warehouse);
    assert_int_equal(symlink(target, link_path), 0);
    assert_int_equal(paimon_catalog_drop_table(catalog, "db", "t", false, NULL), PAIMON_OK);
    assert_false(is_there("db.db/t"));
    assert_true(is_there("elsewhere/precious"));
    assert_int_equal(paimon_catalog_drop_table(catalog, "db", "t", false, NULL), PAIMON_NOT_FOUND);
    assert_int_equal(paimon_catalog_drop_table(catalog, "db", "t", true, NULL), PAIMON_OK);
    assert_int_equal(paimon_catalog_drop_table(catalog, "db", "..", true, NULL), PAIMON_INVALID);
}

static void a_table_is_renamed_unless_the_name_is_taken(void **state)
{
    (void)state;
    const char *json = "{\"fields\":[{\"name\":\"a\",\"type\":\"INT\"}]}";
    assert_int_equal(paimon_catalog_create_database(catalog, "db", false, NULL), PAIMON_OK);
    assert_int_equal(paimon_catalog_create_database(catalog, "other", false, NULL), PAIMON_OK);
    assert_int_equal(define("t", json, NULL), PAIMON_OK);
    assert_int_equal(define("u", json, NULL), PAIMON_OK);
    assert_int_equal(paimon_catalog_rename_table(catalog, "db", "t", "db", "u", NULL), PAIMON_ALREADY_EXISTS);
    assert_int_equal(paimon_catalog_rename_table(catalog, "db", "t", "none", "t", NULL), PAIMON_NOT_FOUND);
    assert_int_equal(paimon_catalog_rename_table(catalog, "db", "v", "db", "w", NULL), PAIMON_NOT_FOUND);
    assert_int_equal(paimon_catalog_rename_table(catalog, "db", "t", "db", "a/b", NULL), PAIMON_INVALID);
    assert_int_equal(paimon_catalog_rename_table(catalog, "db", "t", "other", "t2", NULL), PAIMON_OK);
    assert_false(is_there("db.db/t"));
    assert_true(is_there("other.db/t2/schema/schema-0"));
}

static void options_change_by_a_new_schema(void **state)
{
    (void)state;
    const paimon_option set[] = { { "x", "1" }, { "file.format", "avro" } }, unset[] = { { "x", NULL } }, bad[] = { { "bucket", "3" } },
                        path[] = { { "path", "/elsewhere" } };
    assert_int_equal(paimon_catalog_create_database(catalog, "db", false, NULL), PAIMON_OK);
    assert_int_equal(define("t", "{\"fields\":[{\"name\":\"a\",\"type\":\"INT\"}]}", NULL), PAIMON_OK);
    paimon_table *table = opened("t");
    assert_int_equal(paimon_table_set_options(table, set, 2, NULL), PAIMON_OK);
    assert_true(is_there("db.db/t/schema/schema-1"));
    assert_int_equal(paimon_table_set_options(table, set, 2, NULL), PAIMON_OK); /* nothing to change */
    assert_false(is_there("db.db/t/schema/schema-2"));
    assert_int_equal(paimon_table_set_options(table, unset, 1, NULL), PAIMON_OK);
    assert_true(is_there("db.db/t/schema/schema-2"));
    assert_int_equal(paimon_table_set_options(table, bad, 1, NULL), PAIMON_INVALID); /* no bucket-key */
    assert_int_equal(paimon_table_set_options(table, path, 1, NULL), PAIMON_INVALID);
    assert_string_equal(paimon_table_path(table) + strlen(warehouse), "/db.db/t");
    paimon_table_free(table);
    table = opened("t");
    assert_int_equal(paimon_table_schema_id(table), 2);
    assert_null(paimon_table_option(table, "x"));
    assert_string_equal(paimon_table_option(table, "file.format"), "avro");
    /* What files depend on stays once there is a snapshot. */
    char folder[256];
    const paimon_option rowkind[] = { { "bucket-function.type", "mod" } };
    assert_int_equal(paimon_table_set_options(table, rowkind, 1, NULL), PAIMON_OK);
    snprintf(folder, sizeof folder, "%s/db.db/t/snapshot", warehouse);
    assert_int_equal(mkdir(folder, 0777), 0);
    put_file("db.db/t/snapshot/snapshot-1", "{}");
    const paimon_option back[] = { { "bucket-function.type", NULL } };
    assert_int_equal(paimon_table_set_options(table, back, 1, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_table_set_options(table, set, 1, NULL), PAIMON_OK);
    paimon_table_free(table);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_warehouse, remove_warehouse)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(databases_come_and_go),
        CASE(ids_are_given_in_javas_order),
        CASE(keys_and_options_are_taken_from_everywhere),
        CASE(a_table_is_made_of_an_arrow_schema),
        CASE(bad_definitions_are_refused_by_name),
        CASE(a_dropped_table_leaves_nothing_and_takes_nothing_else),
        CASE(a_table_is_renamed_unless_the_name_is_taken),
        CASE(options_change_by_a_new_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
