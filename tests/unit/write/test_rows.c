/* Where rows go and what they become: buckets, partitions, rolled files, sequence numbers, default values; and what is refused. */
#include "support/write_table.h"

#include "types/bucket.h"

#define AB "{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},{\"id\":1,\"name\":\"b\",\"type\":\"STRING\"}"
#define UNAWARE "\"bucket\":\"-1\""

/* --- routing --- */

/* One table a type of key: every vector's row lands in the bucket that Paimon Java gave. */
static void every_bucket_vector_lands_in_javas_bucket(void **state)
{
    (void)state;
    json_t *file = load_vectors("bucket.json"), *vectors = json_object_get(file, "vectors"), *vector;
    size_t i, n = 0;
    json_array_foreach(vectors, i, vector) {
        json_t *types = json_object_get(vector, "types"), *row = json_object_get(vector, "row"), *bucket;
        char fields[2000] = "", keys[400] = "", options[800];
        for (size_t c = 0; c < json_array_size(types); c++) {
            char *type = json_dumps(json_array_get(types, c), JSON_ENCODE_ANY);
            snprintf(fields + strlen(fields), sizeof fields - strlen(fields), "%s{\"id\":%zu,\"name\":\"k%zu\",\"type\":%s}", c ? "," : "", c, c, type);
            snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%sk%zu", c ? "," : "", c);
            free(type);
        }
        json_t *values = json_array(), *rows = json_array();
        for (size_t c = 1; c < json_array_size(row); c++) json_array_append(values, json_array_get(row, c));
        json_array_append_new(rows, values);
        char *text = json_dumps(rows, 0);
        json_decref(rows);
        size_t k;
        json_array_foreach(json_object_get(vector, "buckets"), k, bucket) {
            int buckets = (int)json_integer_value(json_object_get(bucket, "buckets"));
            if (buckets != 16 && buckets != 7) continue;
            snprintf(options, sizeof options, "\"bucket\":\"%d\",\"bucket-key\":\"%s\",\"bucket-function.type\":\"%s\"", buckets, keys,
                     json_string_value(json_object_get(bucket, "function")));
            write_place p = write_place_new(NULL, fields, "[]", options);
            paimon_message_list *list = written(&p, text);
            assert_int_equal(list->n, 1);
            if (list->items[0].bucket != json_integer_value(json_object_get(bucket, "bucket")))
                fail_msg("%s: bucket %d of %s", text, list->items[0].bucket, options);
            assert_int_equal(list->items[0].total_buckets, buckets);
            paimon_message_list_free(list);
            write_place_leave(&p);
            n++;
        }
        free(text);
    }
    json_decref(file);
    assert_true(n > 50);
}

static void wide_decimals_and_odd_keys_have_their_known_buckets(void **state)
{
    (void)state;
    static const struct {
        const char *type, *value;
        int bucket;
    } cases[] = {
        { "DECIMAL(38, 18)", "\"1.5\"", 7 }, { "DECIMAL(38, 18)", "\"-7\"", 11 }, { "DECIMAL(38, 18)", "null", 8 }, { "DECIMAL(10, 2)", "\"1.50\"", 10 },
        { "STRING", "\"\"", 7 }, { "STRING", "\"a\"", 14 }, { "STRING", "\"abcdefgh\"", 2 }, { "STRING", "\"中文字符测试\"", 7 }, { "INT", "-1", 3 },
        { "BIGINT", "-9223372036854775808", 7 }, { "DOUBLE", "\"8000000000000000\"", 7 }, { "DOUBLE", "\"0000000000000000\"", 11 },
        { "DOUBLE", "\"7ff8000000000000\"", 9 }, { "BOOLEAN", "true", 14 }, { "DATE", "\"1969-12-31\"", 3 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char fields[200], rows[200];
        snprintf(fields, sizeof fields, "{\"id\":0,\"name\":\"k\",\"type\":\"%s\"}", cases[i].type);
        snprintf(rows, sizeof rows, "[[%s]]", cases[i].value);
        write_place p = write_place_new(NULL, fields, "[]", "\"bucket\":\"16\",\"bucket-key\":\"k\"");
        paimon_message_list *list = written(&p, rows);
        if (list->items[0].bucket != cases[i].bucket) fail_msg("%s %s: bucket %d, not %d", cases[i].type, rows, list->items[0].bucket, cases[i].bucket);
        paimon_message_list_free(list);
        write_place_leave(&p);
    }
}

/* The folders (without "bucket-…") that rows of a partitioned table come to, each with ';'. */
static void folders_are(const char *type, const char *options, const char *rows, const char *expected)
{
    char fields[300];
    snprintf(fields, sizeof fields, "{\"id\":0,\"name\":\"p\",\"type\":\"%s\"},{\"id\":1,\"name\":\"v\",\"type\":\"INT\"}", type);
    write_place p = write_place_new(NULL, fields, "[\"p\"]", options);
    committed(&p, written(&p, rows));
    char *files = all_files(p.fs, WRITE_ROOT);
    shown out = { 0 };
    show(&out, "%s", "");
    for (char *line = strtok(files, "\n"); line; line = strtok(NULL, "\n")) {
        char *end = strstr(line, "/bucket-0/data-");
        if (!end) continue;
        *end = '\0';
        show(&out, "%s;", line + strlen(WRITE_ROOT) + 1);
    }
    assert_string_equal(out.text, expected);
    free(out.text);
    free(files);
    char *found = read_rows_env(p.env, WRITE_ROOT, &(read_request){ .where = "p IS NULL" });
    assert_int_equal(count_lines(found), strstr(rows, "null") ? 1 : 0);
    free(found);
    write_place_leave(&p);
}

static void partitions_are_named_as_java_names_them(void **state)
{
    (void)state;
    folders_are("DATE", UNAWARE, "[[\"1970-01-02\",1],[null,2]]", "p=1;p=__DEFAULT_PARTITION__;");
    folders_are("DATE", UNAWARE ",\"partition.default-name\":\"nil\"", "[[\"1970-01-02\",1],[null,2]]", "p=1;p=nil;");
    folders_are("DATE", UNAWARE ",\"partition.legacy-name\":\"false\"", "[[\"1970-01-02\",1],[null,2]]", "p=1970-01-02;p=__DEFAULT_PARTITION__;");
    folders_are("TIMESTAMP(3)", UNAWARE, "[[\"2026-01-01T12:00:00.123\",1],[\"2026-01-01T12:00:00\",2]]",
                "p=2026-01-01T12%3A00%3A00.123;p=2026-01-01T12%3A00;");
    folders_are("STRING", UNAWARE, "[[\"a/b=c\",1],[\"\",2],[null,3],[\" \",4]]", "p=__DEFAULT_PARTITION__;p=__DEFAULT_PARTITION__;p=__DEFAULT_PARTITION__;p=a%2Fb%3Dc;");
    folders_are("BOOLEAN", UNAWARE, "[[true,1],[false,2],[true,3]]", "p=false;p=true;");
}

/* --- rolling and sequence numbers --- */

static void many_rows(write_place *p, paimon_write *write, int from, int n)
{
    shown rows = { 0 };
    show(&rows, "[");
    for (int i = 0; i < n; i++) show(&rows, "%s[%d,\"%016x%016x\"]", i ? "," : "", from + i, (from + i) * 2654435761u, (from + i) * 40503u);
    show(&rows, "]");
    OK(write_json(p, write, rows.text, err));
    free(rows.text);
}

static void files_roll_by_rows_across_batches(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, AB, "[]", UNAWARE ",\"target-file-row-num\":\"7\"");
    paimon_write *write = writer_for(&p);
    many_rows(&p, write, 0, 5);
    many_rows(&p, write, 5, 20);
    many_rows(&p, write, 25, 3);
    assert_int_equal(paimon_write_rows(write), 28);
    paimon_message_list *list = prepared(write);
    assert_int_equal(list->n, 1);
    assert_int_equal(list->items[0].new_files.n, 4);
    assert_int_equal(paimon_message_list_files(list), 4);
    assert_int_equal(paimon_message_list_rows(list), 28);
    for (int i = 0; i < 4; i++) {
        const pmn_data_file *file = &list->items[0].new_files.items[i];
        assert_int_equal(file->row_count, 7);
        assert_int_equal(file->min_sequence, 7 * i);
        assert_int_equal(file->max_sequence, 7 * i + 6);
    }
    many_rows(&p, write, 100, 1);
    paimon_message_list *next = prepared(write);
    assert_int_equal(next->items[0].new_files.n, 1);
    assert_int_equal(next->items[0].new_files.items[0].min_sequence, 28);
    paimon_message_list *none = prepared(write);
    assert_int_equal(none->n, 0);
    paimon_message_list_free(none);
    paimon_write_free(write);
    committed(&p, list);
    committed(&p, next);
    char *found = read_rows_env(p.env, WRITE_ROOT, NULL);
    assert_int_equal(count_lines(found), 29);
    free(found);
    write_place_leave(&p);
}

static void files_roll_by_size_after_a_thousand_rows(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, AB, "[]", UNAWARE ",\"target-file-size\":\"1 kb\",\"parquet.enable.dictionary\":\"false\",\"parquet.page.size\":\"512\"");
    paimon_write *write = writer_for(&p);
    many_rows(&p, write, 0, 2500);
    many_rows(&p, write, 2500, 700);
    paimon_message_list *list = prepared(write);
    int64_t rows = 0;
    assert_true(list->items[0].new_files.n >= 2);
    for (int32_t i = 0; i < list->items[0].new_files.n; i++) {
        const pmn_data_file *file = &list->items[0].new_files.items[i];
        if (i + 1 < list->items[0].new_files.n) assert_int_equal(file->row_count % 1000, 0);
        assert_int_equal(file->min_sequence, rows);
        rows += file->row_count;
        assert_int_equal(file->max_sequence, rows - 1);
    }
    assert_int_equal(rows, 3200);
    paimon_message_list_free(list);
    paimon_write_free(write);
    write_place_leave(&p);
}

static void first_sequence_is(write_place *p, int64_t expected)
{
    paimon_message_list *list = written(p, "[[1,\"x\"],[1,\"y\"]]");
    assert_int_equal(list->items[0].new_files.items[0].min_sequence, expected);
    assert_int_equal(list->items[0].new_files.items[0].max_sequence, expected + 1);
    committed(p, list);
}

static void sequence_numbers_go_on_in_a_fixed_bucket_only(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, AB, "[]", "\"bucket\":\"4\",\"bucket-key\":\"a\"");
    for (int i = 0; i < 3; i++) first_sequence_is(&p, 2 * i);
    write_place_leave(&p);
    p = write_place_new(NULL, AB, "[]", "\"bucket\":\"4\",\"bucket-key\":\"a\",\"bucket-append-ordered\":\"false\"");
    for (int i = 0; i < 3; i++) first_sequence_is(&p, 0);
    write_place_leave(&p);
    p = write_place_new(NULL, AB, "[]", UNAWARE);
    for (int i = 0; i < 3; i++) first_sequence_is(&p, 0);
    write_place_leave(&p);
}

static void another_number_of_buckets_is_refused_before_anything_is_written(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, AB, "[]", "\"bucket\":\"4\",\"bucket-key\":\"a\"");
    committed(&p, written(&p, "[[1,\"x\"]]"));
    paimon_option more = { "bucket", "5" };
    paimon_table_free(p.table);
    OK(paimon_table_open(p.env, WRITE_ROOT, &more, 1, &p.table, err));
    paimon_write *write = writer_for(&p);
    REFUSED(PAIMON_INVALID, "4 buckets", write_json(&p, write, "[[1,\"x\"]]", err));
    paimon_write_free(write);
    assert_int_equal(data_files(&p), 1);
    write_place_leave(&p);
}

/* --- places said by the caller --- */

static paimon_status write_to(write_place *p, paimon_write *write, const char *const *partition, int32_t bucket, const char *rows, paimon_error *err)
{
    struct ArrowArray batch;
    batch_of(&p->t, p->table->source->schema->row, rows, &batch);
    paimon_status status = paimon_write_batch_to(write, partition, bucket, &batch, err);
    assert_null(batch.release);
    return status;
}

static void rows_in_a_wrong_place_are_refused_and_the_writer_goes_on(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, "{\"id\":0,\"name\":\"p\",\"type\":\"STRING\"},{\"id\":1,\"name\":\"k\",\"type\":\"INT\"}", "[\"p\"]",
                                    "\"bucket\":\"16\",\"bucket-key\":\"k\"");
    paimon_write *write = writer_for(&p);
    const char *x = "x", *null = NULL;
    REFUSED(PAIMON_INVALID, "bucket 3", write_to(&p, write, &x, 4, "[[\"x\",-1]]", err));
    REFUSED(PAIMON_INVALID, "bucket", write_to(&p, write, &x, -1, "[[\"x\",-1]]", err));
    REFUSED(PAIMON_INVALID, "bucket", write_to(&p, write, &x, 16, "[[\"x\",-1]]", err));
    REFUSED(PAIMON_INVALID, "'p'", write_to(&p, write, &x, 3, "[[\"x\",-1],[\"y\",-1]]", err));
    REFUSED(PAIMON_INVALID, "'p'", write_to(&p, write, &x, 3, "[[null,-1]]", err));
    REFUSED(PAIMON_INVALID, "'p'", write_to(&p, write, &null, 3, "[[\"x\",-1]]", err));
    REFUSED(PAIMON_INVALID, "partition", write_to(&p, write, NULL, 3, "[[\"x\",-1]]", err));
    assert_int_equal(data_files(&p), 0);
    OK(write_to(&p, write, &x, 3, "[[\"x\",-1]]", err));
    OK(write_to(&p, write, &null, 3, "[[null,-1]]", err));
    paimon_message_list *list = prepared(write);
    assert_int_equal(list->n, 2);
    assert_int_equal(list->items[0].bucket, 3);
    paimon_write_free(write);
    committed(&p, list);
    assert_table_rows(&p, NULL, "[\"x\",-1]\n[null,-1]\n");
    write_place_leave(&p);
}

/* --- columns --- */

/* A writer for batches of another row type; its rows. NULL `rows`: only the making. */
static paimon_status write_other(write_place *p, const char *fields, const char *rows, paimon_message_list **list, paimon_error *err)
{
    char text[2000];
    snprintf(text, sizeof text, "{\"type\":\"ROW\",\"fields\":[%s]}", fields);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    const pmn_type *row = vector_type(&p->t, json);
    struct ArrowSchema schema;
    struct ArrowArray batch;
    paimon_write *write = NULL;
    must(&p->t, pmn_row_to_arrow(p->t.mem, row, &schema, &p->t.err));
    paimon_status status = paimon_write_new(p->table, &schema, NULL, &write, err);
    assert_null(schema.release);
    if (status == PAIMON_OK && rows) {
        batch_of(&p->t, row, rows, &batch);
        status = paimon_write_batch(write, &batch, err);
        assert_null(batch.release);
        if (status == PAIMON_OK && list) status = paimon_write_prepare_commit(write, PAIMON_BATCH_COMMIT, list, err);
    }
    paimon_write_free(write);
    json_decref(json);
    return status;
}

#define F(name, type) "{\"id\":9,\"name\":\"" name "\",\"type\":\"" type "\"}"

static void columns_come_in_any_order_and_may_be_left_out(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL,
                                    "{\"id\":0,\"name\":\"a\",\"type\":\"INT NOT NULL\"},{\"id\":1,\"name\":\"b\",\"type\":\"STRING\"},"
                                    "{\"id\":2,\"name\":\"c\",\"type\":\"BIGINT NOT NULL\",\"defaultValue\":\"77\"},{\"id\":3,\"name\":\"d\",\"type\":\"STRING\",\"defaultValue\":\"none\"}",
                                    "[]", UNAWARE);
    paimon_message_list *list = NULL;
    OK(write_other(&p, F("b", "STRING") "," F("a", "INT"), "[[\"x\",1],[null,2]]", &list, err));
    committed(&p, list);
    OK(write_other(&p, F("d", "STRING") "," F("c", "BIGINT") "," F("a", "INT"), "[[null,5,3],[\"y\",null,4],[\"z\",6,5]]", &list, err));
    committed(&p, list);
    assert_table_rows(&p, NULL, "[1,\"x\",77,\"none\"]\n[2,null,77,\"none\"]\n[3,null,5,\"none\"]\n[4,null,77,\"y\"]\n[5,null,6,\"z\"]\n");
    REFUSED(PAIMON_INVALID, "'a'", write_other(&p, F("b", "STRING"), NULL, NULL, err));
    REFUSED(PAIMON_INVALID, "'nix'", write_other(&p, F("a", "INT") "," F("nix", "INT"), NULL, NULL, err));
    struct ArrowSchema twice;
    paimon_write *write = NULL;
    must(&p.t, pmn_schema_new(p.t.mem, "+s", "", 0, 2, &twice, &p.t.err));
    for (int i = 0; i < 2; i++) must(&p.t, pmn_schema_new(p.t.mem, "i", "a", ARROW_FLAG_NULLABLE, 0, twice.children[i], &p.t.err));
    REFUSED(PAIMON_INVALID, "'a' is given twice", paimon_write_new(p.table, &twice, NULL, &write, err));
    assert_null(twice.release);
    REFUSED(PAIMON_UNSUPPORTED, "'a'", write_other(&p, F("a", "STRING"), NULL, NULL, err)); /* before any batch */
    REFUSED(PAIMON_INVALID, "a", write_other(&p, F("a", "INT"), "[[1],[null]]", NULL, err));
    assert_int_equal(data_files(&p), 2);
    write_place_leave(&p);
}

static void kinds_other_than_inserts_are_refused(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, AB, "[]", UNAWARE);
    paimon_message_list *list = NULL;
    OK(write_other(&p, F("_VALUE_KIND", "TINYINT") "," F("a", "INT"), "[[0,1],[2,2]]", &list, err));
    committed(&p, list);
    assert_table_rows(&p, NULL, "[1,null]\n[2,null]\n");
    static const char *const bad[] = { "[[0,1],[1,2]]", "[[3,1]]", "[[null,1]]", "[[-1,1]]" };
    for (size_t i = 0; i < 4; i++) REFUSED(PAIMON_INVALID, "kind", write_other(&p, F("_VALUE_KIND", "TINYINT") "," F("a", "INT"), bad[i], NULL, err));
    REFUSED(PAIMON_INVALID, "_VALUE_KIND", write_other(&p, F("_VALUE_KIND", "INT") "," F("a", "INT"), NULL, NULL, err));
    write_place_leave(&p);
}

static void values_that_do_not_fit_are_refused_before_anything_is_written(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, "{\"id\":0,\"name\":\"v\",\"type\":\"VARCHAR(3)\"},{\"id\":1,\"name\":\"d\",\"type\":\"DECIMAL(4, 2)\"}", "[]", UNAWARE);
    REFUSED(PAIMON_INVALID, "v", write_other(&p, F("v", "STRING"), "[[\"abc\"],[\"abcd\"]]", NULL, err));
    REFUSED(PAIMON_INVALID, "d", write_other(&p, F("d", "DECIMAL(9, 2)"), "[[\"99.99\"],[\"100.00\"]]", NULL, err));
    assert_int_equal(data_files(&p), 0);
    paimon_message_list *list = NULL;
    OK(write_other(&p, F("v", "STRING"), "[[\"中文字\"],[\"\"]]", &list, err));
    committed(&p, list);
    assert_table_rows(&p, &(read_request){ .columns = "v" }, "[\"中文字\"]\n[\"\"]\n");
    write_place_leave(&p);
}

/* --- refusals of tables --- */

static void tables_that_cannot_be_written_rightly_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *options, *word;
        paimon_status status;
    } cases[] = {
        { "\"row-tracking.enabled\":\"true\"", "row-tracking.enabled", PAIMON_UNSUPPORTED },
        { "\"deletion-vectors.enabled\":\"true\"", "deletion-vectors.enabled", PAIMON_UNSUPPORTED },
        { "\"rowkind.field\":\"a\"", "rowkind.field", PAIMON_UNSUPPORTED },
        { "\"bucket\":\"3\"", "bucket-key", PAIMON_INVALID },
        { "\"bucket\":\"0\"", "bucket", PAIMON_INVALID },
        { "\"bucket\":\"-2\"", "bucket", PAIMON_INVALID },
        { "\"metadata.stats-mode\":\"some\"", "metadata.stats-mode", PAIMON_INVALID },
        { "\"target-file-size\":\"0\"", "target-file-size", PAIMON_INVALID },
        { "\"file.format\":\"nix\"", "nix", PAIMON_UNSUPPORTED },
        { "\"file.compression\":\"nix\"", "nix", PAIMON_INVALID },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_place p = write_place_new(NULL, AB, "[]", cases[i].options);
        REFUSED(cases[i].status, cases[i].word, write_other(&p, F("a", "INT"), strcmp(cases[i].word, "nix") == 0 ? "[[1]]" : NULL, NULL, err));
        assert_int_equal(data_files(&p), 0);
        write_place_leave(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bucket_vector_lands_in_javas_bucket),
        cmocka_unit_test(wide_decimals_and_odd_keys_have_their_known_buckets),
        cmocka_unit_test(partitions_are_named_as_java_names_them),
        cmocka_unit_test(files_roll_by_rows_across_batches),
        cmocka_unit_test(files_roll_by_size_after_a_thousand_rows),
        cmocka_unit_test(sequence_numbers_go_on_in_a_fixed_bucket_only),
        cmocka_unit_test(another_number_of_buckets_is_refused_before_anything_is_written),
        cmocka_unit_test(rows_in_a_wrong_place_are_refused_and_the_writer_goes_on),
        cmocka_unit_test(columns_come_in_any_order_and_may_be_left_out),
        cmocka_unit_test(kinds_other_than_inserts_are_refused),
        cmocka_unit_test(values_that_do_not_fit_are_refused_before_anything_is_written),
        cmocka_unit_test(tables_that_cannot_be_written_rightly_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
