/* The Parquet reader against itself: however rows are asked for (ranges, filters, batch sizes, threads), they are those of the plain
 * reading. What the plain reading must give is judged by the corpus. */
#include "format/parquet/column.h"
#include "support/read_somehow.h"

static void ranges_and_filters_select_exactly_the_rows_of_the_plain_reading(void **state)
{
    (void)state;
    check_pattern(PAIMON_SOURCE_DIR "/examples/data/warehouse/demo.db/orders/*/bucket-0/*.parquet");
    char path[1024], pattern[1100];
    if (!shared_path("corpus/parquet", path, sizeof path)) return;
    /* Every writer and every encoding, but not every one of its versions and codecs. */
    static const char *const some[] = { "mr_*", "cpp_nested_zstd*", "cpp_enc_*_v2_none*", "cpp_empty*", "cpp_nocols*", "cpp_rle_runs*", "rs_enc_*", "rs_nested_zstd*",
                                        "pt_nested*", "pt_old_list*", "pt_repeated*", "dk_nested*", "pl_nested*", "pai_append_complex*", "pt_alltypes*" };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/%s.parquet", path, some[i]);
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        globfree(&found);
        check_pattern(pattern);
    }
}

static void a_refused_allocation_anywhere_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    char path[1024];
    if (shared_path("corpus/parquet/cpp_nested_zstd.parquet", path, sizeof path)) failing_alloc_sweep(attempt_read, path);
    if (shared_path("corpus/parquet/rs_enc_s_dba_v2.parquet", path, sizeof path)) failing_alloc_sweep(attempt_read, path);
}

/* Rows of one 500-byte string: a batch stops early instead of holding them all. */
static void a_batch_of_long_strings_stops_early(void **state)
{
    (void)state;
    char path[1024];
    opened o;
    if (!shared_path("corpus/bad/bomb_dict_rows.parquet", path, sizeof path)) return;
    open_file(path, &o);
    pmn_format_read_options options = plain_options(&o);
    options.batch_rows = 100000;
    pmn_format_reader *reader;
    assert_int_equal(o.file->ops->read(o.file, &options, &reader, NULL), PAIMON_OK);
    int64_t rows = 0;
    while (true) {
        pmn_format_batch batch;
        assert_int_equal(reader->ops->next(reader, &batch, NULL), PAIMON_OK);
        if (!batch.array.release) break;
        for (int64_t c = 0; c < batch.array.n_children; c++) {
            const struct ArrowArray *a = batch.array.children[c];
            if (a->n_buffers < 3) continue;
            const int32_t *offsets = (const int32_t *)a->buffers[1] + a->offset;
            assert_true(offsets[a->length] - offsets[0] < 2 * PMN_BATCH_BYTES);
        }
        rows += batch.array.length;
        pmn_array_release(&batch.array);
    }
    assert_int_equal(rows, 2000000);
    pmn_format_reader_free(reader);
    close_file(&o);
}

/* 20000 lists, most of them of one string of 10 KB (tests/data/parquet/README.md): more than the reader decodes of a nested column at once. */
static void a_nested_column_of_long_strings_is_read_in_portions(void **state)
{
    (void)state;
    opened o;
    open_file(PAIMON_SOURCE_DIR "/tests/data/parquet/nested_long_strings.parquet", &o);
    pmn_format_read_options options = plain_options(&o);
    options.batch_rows = 100000;
    pmn_format_reader *reader;
    assert_int_equal(o.file->ops->read(o.file, &options, &reader, NULL), PAIMON_OK);
    int64_t row = 0;
    while (true) {
        pmn_format_batch batch;
        paimon_error err = PAIMON_ERROR_INIT;
        if (reader->ops->next(reader, &batch, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
        if (!batch.array.release) break;
        const struct ArrowArray *ids = batch.array.children[0], *lists = batch.array.children[1], *strings = lists->children[0];
        assert_true(strings->length < 20000);
        for (int64_t i = 0; i < batch.array.length; i++, row++) {
            assert_int_equal(((const int32_t *)ids->buffers[1])[ids->offset + i], row);
            int64_t at = lists->offset + i;
            const int32_t *offsets = lists->buffers[1], *ends = strings->buffers[2] ? strings->buffers[1] : NULL;
            assert_int_equal(pmn_bit_get(lists->buffers[0], at), row % 7 != 0 || row % 2 != 0);
            assert_int_equal(offsets[at + 1] - offsets[at], row % 7 != 0);
            if (row % 7 == 0) continue;
            int64_t from = ends[offsets[at] + strings->offset];
            assert_int_equal(ends[offsets[at] + strings->offset + 1] - from, row % 2 ? 9999 : 10000);
            assert_int_equal(((const char *)strings->buffers[2])[from + 9998], row % 2 ? 'y' : 'x');
        }
        pmn_array_release(&batch.array);
    }
    assert_int_equal(row, 20000);
    pmn_format_reader_free(reader);
    close_file(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_and_filters_select_exactly_the_rows_of_the_plain_reading),
        cmocka_unit_test(a_refused_allocation_anywhere_is_told_and_leaks_nothing),
        cmocka_unit_test(a_batch_of_long_strings_stops_early),
        cmocka_unit_test(a_nested_column_of_long_strings_is_read_in_portions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
