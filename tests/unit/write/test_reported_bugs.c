/* What other implementations got wrong when they wrote: each case is a bug that was reported somewhere, with the right answer. */
#include "support/write_table.h"

#define COLUMN(type) "{\"id\":0,\"name\":\"x\",\"type\":" type "},{\"id\":1,\"name\":\"n\",\"type\":\"INT\"}"
#define UNAWARE "\"bucket\":\"-1\""

static size_t rows_where(write_place *p, const char *where)
{
    char *rows = read_rows_env(p->env, WRITE_ROOT, &(read_request){ .where = where });
    if (strstr(rows, "error")) fail_msg("%s: %s", where, rows);
    size_t n = count_lines(rows);
    free(rows);
    return n;
}

static write_place filled(const char *fields, const char *options, const char *rows)
{
    write_place p = write_place_new(NULL, fields, "[]", options);
    committed(&p, written(&p, rows));
    return p;
}

/* Missing statistics are not zero: a file of nulls is not pruned by IS NULL, whatever is kept of it. */
static void files_without_statistics_are_not_pruned(void **state)
{
    (void)state;
    static const char *const modes[] = { "none", "counts", "full", "truncate(16)" };
    shown rows = { 0 };
    show(&rows, "[");
    for (int i = 0; i < 1000; i++) show(&rows, "%s[null,%d]", i ? "," : "", i);
    show(&rows, "]");
    for (int dense = 0; dense < 2; dense++)
        for (size_t i = 0; i < 4; i++) {
            char options[200];
            snprintf(options, sizeof options, "\"metadata.stats-mode\":\"%s\",\"metadata.stats-dense-store\":\"%s\"", modes[i], dense ? "true" : "false");
            write_place p = filled(COLUMN("\"INT\""), options, rows.text);
            assert_int_equal(rows_where(&p, "x IS NULL"), 1000);
            assert_int_equal(rows_where(&p, "x IS NOT NULL"), 0);
            assert_int_equal(rows_where(&p, "n = 999"), 1);
            write_place_leave(&p);
        }
    free(rows.text);
}

/* NaN is unequal to every number and the greatest: bounds must not hide it. */
static void nan_is_found_by_the_filters_that_it_satisfies(void **state)
{
    (void)state;
    write_place p = filled(COLUMN("\"DOUBLE\""), UNAWARE, "[[\"4008000000000000\",1],[\"7ff8000000000000\",2],[\"4008000000000000\",3]]");
    assert_int_equal(rows_where(&p, "x <> 3.0"), 1);
    assert_int_equal(rows_where(&p, "x > 1000"), 1);
    assert_int_equal(rows_where(&p, "x = 3.0"), 2);
    assert_int_equal(rows_where(&p, "x < 3.5"), 2);
    write_place_leave(&p);
    p = filled(COLUMN("\"FLOAT\""), UNAWARE, "[[\"80000000\",1],[\"00000000\",2]]");
    assert_int_equal(rows_where(&p, "x = 0"), rows_where(&p, "x >= 0 AND x <= 0"));
    assert_int_equal(rows_where(&p, "x < 1 AND x > -1"), 2);
    write_place_leave(&p);
}

/* A row group with NaN beside one without. */
static void nan_beside_other_row_groups_is_found(void **state)
{
    (void)state;
    shown rows = { 0 };
    show(&rows, "[");
    for (int i = 0; i < 4000; i++) show(&rows, "%s[\"%s\",%d]", i ? "," : "", i == 3500 ? "7ff8000000000000" : i % 2 ? "4008000000000000" : "3ff0000000000000", i);
    show(&rows, "]");
    write_place p = filled(COLUMN("\"DOUBLE\""), "\"file.block-size\":\"2 kb\",\"parquet.enable.dictionary\":\"false\",\"parquet.page.size\":\"1 kb\"", rows.text);
    assert_int_equal(rows_where(&p, "x > 100"), 1);
    assert_int_equal(rows_where(&p, "x = 3.0"), 2000);
    write_place_leave(&p);
    free(rows.text);
}

/* A maximum that is cut behind U+D7FF is stepped over the surrogates. */
static void a_text_cut_before_the_surrogates_is_found(void **state)
{
    (void)state;
    static const char value[] = "123456789012345\xed\x9f\xbf and more";
    char rows[200], where[200];
    snprintf(rows, sizeof rows, "[[\"%s\",1],[\"a\",2]]", value);
    snprintf(where, sizeof where, "x = '%s'", value);
    write_place p = filled(COLUMN("\"STRING\""), "\"metadata.stats-mode\":\"truncate(16)\"", rows);
    assert_int_equal(rows_where(&p, where), 1);
    assert_int_equal(rows_where(&p, "x = 'a'"), 1);
    assert_int_equal(rows_where(&p, "x LIKE '123%'"), 1);
    write_place_leave(&p);
}

/* Null and empty stay different at every level. */
static void null_and_empty_nested_values_stay_what_they_are(void **state)
{
    (void)state;
#define STRUCT "{\"type\":\"ROW\",\"fields\":[{\"id\":2,\"name\":\"a\",\"type\":\"INT\"},{\"id\":3,\"name\":\"b\",\"type\":\"INT\"}]}"
#define ARRAY "{\"type\":\"ARRAY\",\"element\":\"INT\"}"
    write_place p = filled(COLUMN(STRUCT), UNAWARE, "[[[null,null],1],[null,2],[[1,null],3]]");
    assert_table_rows(&p, &(read_request){ .columns = "x" }, "[{\"a\":null,\"b\":null}]\n[null]\n[{\"a\":1,\"b\":null}]\n");
    assert_int_equal(rows_where(&p, "x IS NULL"), 1);
    write_place_leave(&p);
    p = filled(COLUMN(ARRAY), UNAWARE, "[[[],1],[null,2],[[null],3],[[1],4]]");
    assert_table_rows(&p, &(read_request){ .columns = "x" }, "[[]]\n[null]\n[[null]]\n[[1]]\n");
    write_place_leave(&p);
    p = filled(COLUMN("{\"type\":\"MAP\",\"key\":\"INT NOT NULL\",\"value\":\"INT\"}"), UNAWARE, "[[[],1],[null,2],[[[1,null]],3]]");
    assert_table_rows(&p, &(read_request){ .columns = "x" }, "[[]]\n[null]\n[[{\"key\":1,\"value\":null}]]\n");
    write_place_leave(&p);
    p = filled(COLUMN("{\"type\":\"ROW\",\"fields\":[{\"id\":2,\"name\":\"a\",\"type\":" ARRAY "},{\"id\":3,\"name\":\"b\",\"type\":" ARRAY "}]}"), UNAWARE,
               "[[[[],[]],1],[[null,[1]],2],[null,3],[[[],null],4],[[[null],[]],5]]");
    assert_table_rows(&p, &(read_request){ .columns = "x" },
                      "[{\"a\":[],\"b\":[]}]\n[{\"a\":null,\"b\":[1]}]\n[null]\n[{\"a\":[],\"b\":null}]\n[{\"a\":[null],\"b\":[]}]\n");
    write_place_leave(&p);
}

/* Java's reader of manifests takes a record for a file, not a union with null. */
static void the_file_of_a_manifest_entry_is_a_plain_record(void **state)
{
    (void)state;
    write_place p = filled(COLUMN("\"INT\""), UNAWARE, "[[1,1]]");
    char *files = all_files(p.fs, WRITE_ROOT "/manifest");
    int found = 0;
    for (char *line = strtok(files, "\n"); line; line = strtok(NULL, "\n")) {
        pmn_buf bytes;
        if (strstr(line, "manifest-list")) continue;
        pmn_buf_init(&bytes, pmn_mem_default(), PMN_BUF_NO_CEILING);
        OK(pmn_fs_read_all(pmn_mem_default(), p.fs, line, 1 << 20, &bytes, err));
        static const char name[] = "\"name\":\"_FILE\",\"type\":{\"type\":\"record\"";
        assert_non_null(memmem(bytes.data, bytes.size, name, sizeof name - 1));
        assert_non_null(memmem(bytes.data, bytes.size, "{\"type\":\"record\"", 16));
        pmn_buf_free(&bytes);
        found++;
    }
    assert_int_equal(found, 1);
    free(files);
    write_place_leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_without_statistics_are_not_pruned),
        cmocka_unit_test(nan_is_found_by_the_filters_that_it_satisfies),
        cmocka_unit_test(nan_beside_other_row_groups_is_found),
        cmocka_unit_test(a_text_cut_before_the_surrogates_is_found),
        cmocka_unit_test(null_and_empty_nested_values_stay_what_they_are),
        cmocka_unit_test(the_file_of_a_manifest_entry_is_a_plain_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
