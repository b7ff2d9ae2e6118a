/* The ORC reader: however rows are asked for, they are the same; and which types are made of which. Values of other writers' files are judged by
 * tests/corpus and tests/golden. */
#include "support/read_somehow.h"

#include "format/orc/file.h"

static void ranges_and_filters_select_exactly_the_rows_of_the_plain_reading(void **state)
{
    (void)state;
    char pattern[4096];
    check_pattern(PAIMON_SOURCE_DIR "/tests/data/golden/codec-orc-[nslz][^z]*/wh/*.db/*/bucket-*/*.orc");
    check_pattern(PAIMON_SOURCE_DIR "/tests/data/golden/nested-orc/wh/*.db/*/bucket-*/*.orc");
    static const char *const some[] = { "oc_dict", "oc_nested_zstd", "oc_stripes", "oj_all_zstd", "oj_all_v11_zlib", "oj_dict_v11", "oj_nested", "oj_smallblocks_lz4", "oj_smallblocks_none",
                                        "oj_bloom", "ox_over1k_bloom", "ox_decimal64_v2", "ox_TestOrcFile.columnProjection", "ox_TestOrcFile.testPredicatePushdown" };
    if (!shared_path("corpus/orc", pattern, sizeof pattern)) return;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        char path[4200];
        snprintf(path, sizeof path, "%s/%s.orc", pattern, some[i]);
        check_pattern(path);
    }
}

static void a_refused_allocation_anywhere_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    char path[1024];
    if (shared_path("corpus/orc/oj_nested.orc", path, sizeof path)) failing_alloc_sweep(attempt_read, path);
}

/* The first rows of column `name` of a file, as Arrow `format`. */
static paimon_status read_as(const char *path, const char *name, const char *format, bool local, struct ArrowArray *out, paimon_error *err)
{
    opened o;
    struct ArrowSchema schema;
    pmn_format_reader *reader = NULL;
    pmn_format_batch batch;
    memset(&o, 0, sizeof o);
    assert_int_equal(paimon_fs_local(NULL, &o.fs, NULL), PAIMON_OK);
    pmn_format_open_options open = { .mem = pmn_mem_default(), .fs = o.fs, .path = path, .size_bytes = -1, .instants_are_local = local };
    assert_int_equal(pmn_format_orc.open(&open, &o.file, err), PAIMON_OK);
    o.pool = pmn_buffer_pool_new(pmn_mem_default(), 1 << 20);
    assert_int_equal(pmn_schema_new(pmn_mem_default(), "+s", "", 0, 1, &schema, NULL), PAIMON_OK);
    assert_int_equal(pmn_schema_new(pmn_mem_default(), format, name, ARROW_FLAG_NULLABLE, 0, schema.children[0], NULL), PAIMON_OK);
    pmn_format_read_options options = plain_options(&o);
    options.schema = &schema;
    options.batch_rows = 100000;
    paimon_status status = o.file->ops->read(o.file, &options, &reader, err);
    out->release = NULL;
    if (status == PAIMON_OK) status = reader->ops->next(reader, &batch, err);
    if (status == PAIMON_OK) *out = batch.array;
    pmn_format_reader_free(reader);
    pmn_schema_release(&schema);
    pmn_format_file_close(o.file);
    pmn_buffer_pool_release(o.pool);
    paimon_fs_free(o.fs);
    return status;
}

static void expect_refusal(const char *path, const char *name, const char *format, paimon_status expected, const char *words)
{
    struct ArrowArray array;
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_status status = read_as(path, name, format, false, &array, &err);
    if (status != expected || !strstr(paimon_error_message(&err), words)) fail_msg("%s as %s: status %d, %s", name, format, status, paimon_error_message(&err));
    paimon_error_clear(&err);
}

static void types_that_do_not_go_together_are_named(void **state)
{
    (void)state;
    char path[1024];
    if (!shared_path("corpus/orc/oj_all_zstd.orc", path, sizeof path)) skip();
    expect_refusal(path, "s", "l", PAIMON_UNSUPPORTED, "stored string cannot be read as the Arrow type \"l\"");
    expect_refusal(path, "i64", "u", PAIMON_UNSUPPORTED, "stored bigint cannot be read as the Arrow type \"u\"");
    expect_refusal(path, "i64", "c", PAIMON_CORRUPT, "column \"i64\", stripe 0");
    expect_refusal(path, "d9", "d:12,3", PAIMON_CORRUPT, "scale 3 is wanted");
}

static void integers_widen(void **state)
{
    (void)state;
    char path[1024];
    struct ArrowArray narrow, wide;
    if (!shared_path("corpus/orc/oj_all_zstd.orc", path, sizeof path)) skip();
    assert_int_equal(read_as(path, "i8", "c", false, &narrow, NULL), PAIMON_OK);
    assert_int_equal(read_as(path, "i8", "l", false, &wide, NULL), PAIMON_OK);
    assert_int_equal(narrow.length, wide.length);
    for (int64_t i = 0; i < narrow.length; i++) {
        if (pmn_array_is_null(narrow.children[0], i)) continue;
        assert_int_equal(((const int8_t *)narrow.children[0]->buffers[1])[i], ((const int64_t *)wide.children[0]->buffers[1])[i]);
    }
    pmn_array_release(&narrow);
    pmn_array_release(&wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_and_filters_select_exactly_the_rows_of_the_plain_reading),
        cmocka_unit_test(a_refused_allocation_anywhere_is_told_and_leaks_nothing),
        cmocka_unit_test(types_that_do_not_go_together_are_named),
        cmocka_unit_test(integers_widen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
