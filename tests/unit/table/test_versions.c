/* Rows of a table whose snapshots and schema only a catalog has: written, committed, planned and read. */
#include "support/write_table.h"

#include "support/memory_catalog.h"

static const char fields[] = "{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},{\"id\":1,\"name\":\"b\",\"type\":\"STRING\"}";

static char *rows_of(paimon_table *table)
{
    paimon_scan *scan = NULL;
    paimon_plan *plan = NULL;
    paimon_read *read = NULL;
    struct ArrowArrayStream stream;
    OK(paimon_scan_new(table, &scan, err));
    OK(paimon_scan_plan(scan, &plan, err));
    OK(paimon_read_new(table, &read, err));
    OK(paimon_read_plan(read, plan, &stream, err));
    paimon_read_free(read);
    paimon_plan_free(plan);
    paimon_scan_free(scan);
    return show_stream(&stream);
}

static void a_table_without_snapshot_or_schema_files_is_written_and_read(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, fields, "[]", "\"bucket\":\"-1\"");
    memory_catalog catalog;
    paimon_versions_vtable functions = catalog_functions();
    paimon_error why = PAIMON_ERROR_INIT;
    catalog_begin(&catalog);
    functions.schema = catalog_schema;
    OK(paimon_table_schema_json(p.table, &catalog.schema, err));
    char *json = catalog.schema;
    catalog.schema = catalog_copy(json); /* of plain memory, as an embedder has it */
    paimon_string_free(json);
    OK(pmn_fs_remove(p.fs, WRITE_ROOT "/schema/schema-0", err));
    paimon_table_free(p.table);
    assert_int_equal(paimon_table_open(p.env, WRITE_ROOT, NULL, 0, &p.table, NULL), PAIMON_NOT_FOUND);
    p.table = catalog_table(&catalog, &functions, p.env, WRITE_ROOT, NULL, 0, &why);
    if (!p.table) fail_msg("%s", paimon_error_message(&why));
    char *rows = rows_of(p.table);
    assert_string_equal(rows, "");
    free(rows);
    committed(&p, written(&p, "[[1,\"x\"],[2,null]]"));
    committed(&p, written(&p, "[[3,\"z\"]]"));
    rows = rows_of(p.table);
    assert_int_equal(count_lines(rows), 3);
    assert_non_null(strstr(rows, "z"));
    free(rows);
    paimon_option change = { "k", "v" };
    REFUSED(PAIMON_UNSUPPORTED, "catalog", paimon_table_set_options(p.table, &change, 1, err));
    char *files = all_files(p.fs, WRITE_ROOT);
    assert_null(strstr(files, "/snapshot/"));
    assert_null(strstr(files, "/schema/"));
    free(files);
    assert_int_equal(catalog.n, 2);
    write_place_leave(&p);
    catalog_end(&catalog);
}

static void a_commit_carries_the_catalogs_schema(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, fields, "[]", "\"bucket\":\"-1\"");
    memory_catalog catalog;
    paimon_versions_vtable functions = catalog_functions();
    catalog_begin(&catalog);
    functions.schema = catalog_schema;
    paimon_table_free(p.table);
    catalog.schema = catalog_copy("{\"version\":3,\"id\":0,\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT\"}],\"highestFieldId\":0,\"partitionKeys\":[],"
                                  "\"primaryKeys\":[],\"options\":{\"bucket\":\"-1\"},\"timeMillis\":1}");
    p.table = catalog_table(&catalog, &functions, p.env, WRITE_ROOT, NULL, 0, NULL);
    assert_non_null(p.table);
    assert_int_equal(paimon_table_n_columns(p.table), 1);
    paimon_message_list *list = written(&p, "[[1]]");
    strstr(catalog.schema, "\"id\":0")[5] = '4'; /* altered meanwhile */
    committed(&p, list);
    assert_non_null(strstr(catalog.snapshots[1], "\"schemaId\" : 4,"));
    write_place_leave(&p);
    catalog_end(&catalog);
}

static int newest_schema;

static paimon_status two_schemas(void *ctx, const char *branch, int64_t id, paimon_text_fn give, void *arg, paimon_error *err)
{
    static const char *const columns[] = { "{\"id\":0,\"name\":\"a\",\"type\":\"INT\"}",
                                           "{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},{\"id\":1,\"name\":\"b\",\"type\":\"STRING\"}" };
    char text[500];
    int at = id < 0 ? newest_schema : (int)id;
    (void)ctx;
    (void)branch;
    (void)err;
    if (at > 1) return PAIMON_NOT_FOUND;
    int n = snprintf(text, sizeof text,
                     "{\"version\":3,\"id\":%d,\"fields\":[%s],\"highestFieldId\":1,\"partitionKeys\":[],\"primaryKeys\":[],"
                     "\"options\":{\"bucket\":\"-1\"},\"timeMillis\":1}",
                     at, columns[at]);
    return give(arg, text, (size_t)n);
}

static void older_files_are_read_by_the_schemas_of_the_catalog(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, fields, "[]", "\"bucket\":\"-1\"");
    memory_catalog catalog;
    paimon_versions_vtable functions = catalog_functions();
    catalog_begin(&catalog);
    functions.schema = two_schemas;
    newest_schema = 0;
    OK(pmn_fs_remove(p.fs, WRITE_ROOT "/schema/schema-0", err));
    paimon_table_free(p.table);
    p.table = catalog_table(&catalog, &functions, p.env, WRITE_ROOT, NULL, 0, NULL);
    committed(&p, written(&p, "[[7]]"));
    paimon_table_free(p.table);
    newest_schema = 1;
    p.table = catalog_table(&catalog, &functions, p.env, WRITE_ROOT, NULL, 0, NULL);
    committed(&p, written(&p, "[[8,\"x\"]]"));
    char *rows = rows_of(p.table);
    assert_int_equal(count_lines(rows), 2);
    assert_non_null(strstr(rows, "7"));
    assert_non_null(strstr(rows, "x"));
    free(rows);
    write_place_leave(&p);
    catalog_end(&catalog);
}

static void versions_are_checked_when_they_are_made(void **state)
{
    (void)state;
    memory_catalog catalog;
    paimon_versions_vtable functions = catalog_functions();
    paimon_versions *versions = NULL;
    catalog_begin(&catalog);
    REFUSED(PAIMON_INVALID, "NULL", paimon_versions_new(NULL, &catalog, &versions, err));
    functions.latest_snapshot = NULL;
    REFUSED(PAIMON_INVALID, "latest_snapshot", paimon_versions_new(&functions, &catalog, &versions, err));
    functions.struct_size = 8;
    REFUSED(PAIMON_INVALID, "struct_size", paimon_versions_new(&functions, &catalog, &versions, err));
    assert_null(versions);
    assert_int_equal(catalog.n_released, 0);
    functions = catalog_functions();
    OK(paimon_versions_new(&functions, &catalog, &versions, err));
    paimon_versions_free(paimon_versions_retain(versions));
    assert_int_equal(catalog.n_released, 0);
    paimon_versions_free(versions);
    assert_int_equal(catalog.n_released, 1);
    paimon_versions_free(NULL);
    catalog_end(&catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_without_snapshot_or_schema_files_is_written_and_read),
        cmocka_unit_test(a_commit_carries_the_catalogs_schema),
        cmocka_unit_test(older_files_are_read_by_the_schemas_of_the_catalog),
        cmocka_unit_test(versions_are_checked_when_they_are_made),
    };
    return cmocka_run_group_tests_name("versions", tests, NULL, NULL);
}
