/* Schema files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "meta/schema/schema.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"

#define FIELDS                                                                                                           \
    "\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT NOT NULL\"},{\"id\":1,\"name\":\"b\",\"type\":\"STRING NOT NULL\"}," \
    "{\"id\":2,\"name\":\"c\",\"type\":{\"type\":\"ARRAY\",\"element\":\"INT\"}}],\"highestFieldId\":2"

static paimon_error err = PAIMON_ERROR_INIT;

static paimon_status parse(const char *json, pmn_table_schema **schema)
{
    return pmn_table_schema_parse(pmn_mem_default(), pmn_slice_text(json), "schema-x", schema, &err);
}

static void old_versions_get_the_defaults_of_their_release(void **state)
{
    (void)state;
    static const struct {
        const char *head, *bucket, *format;
    } cases[] = {
        { "", "1", "orc" },
        { "\"version\":1,", "1", "orc" },
        { "\"version\":2,", NULL, "orc" },
        { "\"version\":3,", NULL, NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        pmn_table_schema *schema;
        snprintf(text, sizeof text, "{%s\"id\":3,%s,\"partitionKeys\":[],\"primaryKeys\":[],\"options\":{}}", cases[i].head, FIELDS);
        assert_int_equal(parse(text, &schema), PAIMON_OK);
        const char *bucket = pmn_options_get(&schema->options, "bucket"), *format = pmn_options_get(&schema->options, "file.format");
        assert_string_equal(bucket ? bucket : "-", cases[i].bucket ? cases[i].bucket : "-");
        assert_string_equal(format ? format : "-", cases[i].format ? cases[i].format : "-");
        pmn_table_schema_release(schema);
        snprintf(text, sizeof text, "{%s\"id\":3,%s,\"options\":{\"bucket\":\"4\",\"file.format\":\"avro\"}}", cases[i].head, FIELDS);
        assert_int_equal(parse(text, &schema), PAIMON_OK);
        assert_string_equal(pmn_options_get(&schema->options, "bucket"), "4");
        assert_string_equal(pmn_options_get(&schema->options, "file.format"), "avro");
        pmn_table_schema_release(schema);
    }
}

static void keys_are_derived(void **state)
{
    (void)state;
    pmn_table_schema *schema;
    assert_int_equal(parse("{\"version\":3,\"id\":0," FIELDS ",\"partitionKeys\":[\"b\"],\"primaryKeys\":[\"a\",\"b\"],\"options\":{},\"comment\":\"c\"}",
                           &schema),
                     PAIMON_OK);
    assert_int_equal(schema->row->n_fields, 3);
    assert_false(schema->row->nullable);
    assert_int_equal(schema->partition_type->n_fields, 1);
    assert_int_equal(schema->partition_columns[0], 1);
    assert_int_equal(schema->n_bucket_keys, 1);
    assert_string_equal(schema->bucket_keys[0], "a");
    assert_string_equal(schema->comment, "c");
    pmn_table_schema_release(pmn_table_schema_retain(schema));
    pmn_table_schema_release(schema);
    assert_int_equal(parse("{\"version\":3,\"id\":0," FIELDS ",\"options\":{\"bucket-key\":\"b,a\"}}", &schema), PAIMON_OK);
    assert_int_equal(schema->n_bucket_keys, 2);
    assert_string_equal(schema->bucket_keys[0], "b");
    assert_string_equal(schema->bucket_keys[1], "a");
    pmn_table_schema_release(schema);
}

static void what_is_no_schema_is_refused_with_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        paimon_status status;
        const char *words;
    } cases[] = {
        { "{", PAIMON_CORRUPT, "not JSON" },
        { "[]", PAIMON_CORRUPT, "not a JSON object" },
        { "{\"version\":4,\"id\":0," FIELDS "}", PAIMON_UNSUPPORTED, "version 4" },
        { "{\"version\":0,\"id\":0," FIELDS "}", PAIMON_UNSUPPORTED, "version 0" },
        { "{\"version\":3," FIELDS "}", PAIMON_CORRUPT, "id" },
        { "{\"version\":3,\"id\":0,\"highestFieldId\":0}", PAIMON_CORRUPT, "fields" },
        { "{\"version\":3,\"id\":0," FIELDS ",\"partitionKeys\":[\"z\"]}", PAIMON_CORRUPT, "partition key z" },
        { "{\"version\":3,\"id\":0," FIELDS ",\"partitionKeys\":[\"c\"]}", PAIMON_UNSUPPORTED, "nested" },
        { "{\"version\":3,\"id\":0," FIELDS ",\"primaryKeys\":[\"z\"]}", PAIMON_CORRUPT, "primary key z" },
        { "{\"version\":3,\"id\":0," FIELDS ",\"primaryKeys\":\"a\"}", PAIMON_CORRUPT, "primaryKeys" },
        { "{\"version\":3,\"id\":0," FIELDS ",\"options\":{\"bucket\":1}}", PAIMON_CORRUPT, "bucket" },
        { "{\"version\":3,\"id\":0," FIELDS ",\"options\":{\"bucket-key\":\"a, b\"}}", PAIMON_CORRUPT, " b" },
        { "{\"version\":3,\"id\":0,\"highestFieldId\":1,\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INTEGERS\"}]}", PAIMON_CORRUPT, "INTEGERS" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmn_table_schema *schema = NULL;
        paimon_status status = parse(cases[i].json, &schema);
        if (status != cases[i].status) fail_msg("case %zu: %s", i, paimon_error_message(&err));
        assert_null(schema);
        if (!strstr(paimon_error_message(&err), cases[i].words) || !strstr(paimon_error_message(&err), "schema-x"))
            fail_msg("case %zu: %s", i, paimon_error_message(&err));
    }
    paimon_error_clear(&err);
}

static void the_newest_schema_is_the_greatest_number_in_the_folder(void **state)
{
    (void)state;
    paimon_fs *fs = memory_files();
    int64_t id;
    pmn_table_schema *schema;
    assert_int_equal(pmn_schema_latest_id(pmn_mem_default(), fs, "t", &id, &err), PAIMON_NOT_FOUND);
    put_text_file(fs, "t/schema/schema-9", "{\"version\":3,\"id\":9," FIELDS "}");
    put_text_file(fs, "t/schema/schema-10", "{\"version\":3,\"id\":10," FIELDS "}");
    put_text_file(fs, "t/schema/schema-11.tmp", "");
    put_text_file(fs, "t/schema/schema-12", "{\"version\":3,\"id\":10," FIELDS "}");
    assert_int_equal(pmn_schema_latest_id(pmn_mem_default(), fs, "t", &id, &err), PAIMON_OK);
    assert_int_equal(id, 12);
    assert_int_equal(pmn_schema_load(pmn_mem_default(), fs, "t", 12, &schema, &err), PAIMON_CORRUPT);
    assert_int_equal(pmn_schema_load(pmn_mem_default(), fs, "t", 8, &schema, &err), PAIMON_NOT_FOUND);
    assert_int_equal(pmn_schema_load(pmn_mem_default(), fs, "t", 10, &schema, &err), PAIMON_OK);
    assert_int_equal(schema->id, 10);
    pmn_table_schema_release(schema);
    paimon_error_clear(&err);
    paimon_fs_free(fs);
}

static void refused_allocations_end_in_nomem_without_a_leak(void **state)
{
    (void)state;
    const char *json = "{\"version\":1,\"id\":0," FIELDS ",\"partitionKeys\":[\"b\"],\"primaryKeys\":[\"a\",\"b\"],\"options\":{\"k\":\"v\",\"bucket-key\":\"a\"}}";
    for (int64_t fail_at = 0;; fail_at++) {
        failing_alloc failing = { fail_at + 1, 0 };
        paimon_allocator allocator = failing_alloc_interface(&failing);
        pmn_mem *mem = pmn_mem_new(&allocator, 0);
        pmn_table_schema *schema = NULL;
        assert_non_null(mem);
        paimon_status status = pmn_table_schema_parse(mem, pmn_slice_text(json), "schema-0", &schema, NULL);
        pmn_table_schema_release(schema);
        pmn_mem_release(mem);
        assert_int_equal(failing.alive, 0);
        if (status == PAIMON_OK) break;
        assert_int_equal(status, PAIMON_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_versions_get_the_defaults_of_their_release),
        cmocka_unit_test(keys_are_derived),
        cmocka_unit_test(what_is_no_schema_is_refused_with_its_name),
        cmocka_unit_test(the_newest_schema_is_the_greatest_number_in_the_folder),
        cmocka_unit_test(refused_allocations_end_in_nomem_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
