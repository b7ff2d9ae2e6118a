/* Streams: batches, limits, threads, what outlives what, cancelling and counting. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/read_table.h"

static struct ArrowArrayStream start(const char *path, const read_request *q)
{
    read_parts parts = { 0 };
    struct ArrowArrayStream stream = { 0 };
    paimon_error err = PAIMON_ERROR_INIT;
    if (open_stream(NULL, path, q, &parts, &stream, &err) != PAIMON_OK) print_error("%s\n", paimon_error_message(&err));
    assert_non_null(stream.release);
    read_parts_free(&parts);
    paimon_error_clear(&err);
    return stream;
}

static void any_number_of_threads_gives_the_same_rows_in_the_same_order(void **state)
{
    (void)state;
    static const char *const tables[] = { TABLE("many-files"), TABLE("columns"), TABLE("nan-row-groups"), GOLDEN("append-fixed"),
                                          GOLDEN("part-multi") };
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        char *expected = read_rows(tables[t], NULL);
        assert_null(strstr(expected, "error"));
        for (int32_t threads = 2; threads <= 9; threads++) {
            assert_rows(tables[t], (&(read_request){ .threads = threads }), expected);
            assert_rows(tables[t], (&(read_request){ .threads = threads, .batch_rows = 7 }), expected);
        }
        free(expected);
    }
}

static void batches_hold_rows_but_never_more_than_asked(void **state)
{
    (void)state;
    static const int64_t sizes[] = { 1, 3, 1000, 1 << 20 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct ArrowArrayStream stream = start(TABLE("nan-row-groups"), &(read_request){ .batch_rows = sizes[i], .columns = "x,id" });
        int64_t rows = 0;
        for (struct ArrowArray batch;;) {
            assert_int_equal(stream.get_next(&stream, &batch), 0);
            if (!batch.release) break;
            assert_true(batch.length > 0 && batch.length <= sizes[i]);
            assert_int_equal(batch.offset, 0);
            assert_int_equal(batch.null_count, 0);
            assert_int_equal(batch.n_children, 2);
            rows += batch.length;
            batch.release(&batch);
        }
        assert_int_equal(rows, 6000);
        struct ArrowArray batch;
        assert_int_equal(stream.get_next(&stream, &batch), 0); /* the end stays the end */
        assert_null(batch.release);
        stream.release(&stream);
    }
}

static void a_limit_cuts_exactly_and_keeps_the_order(void **state)
{
    (void)state;
    char *all = read_rows(TABLE("many-files"), NULL);
    static const int64_t limits[] = { 1, 12, 13, 14, 40, 200, 319, 320, 1000 };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        for (int32_t threads = 1; threads < 4; threads++) {
            char *some = read_rows(TABLE("many-files"), &(read_request){ .limit = limits[i], .threads = threads, .batch_rows = 5, .scan_all = true });
            assert_int_equal(count_lines(some), limits[i] < 320 ? limits[i] : 320);
            assert_memory_equal(some, all, strlen(some));
            free(some);
            some = read_rows(TABLE("many-files"), &(read_request){ .limit = limits[i], .threads = threads }); /* of the first files written */
            assert_int_equal(count_lines(some), limits[i] < 320 ? limits[i] : 320);
            free(some);
        }
    free(all);
    assert_rows(TABLE("columns"), (&(read_request){ .limit = 2, .columns = "id", .where = "alpha LIKE '%o%'" }), "[1]\n[2]\n");
}

static void no_columns_are_rows_to_count(void **state)
{
    (void)state;
    for (int filtered = 0; filtered < 2; filtered++) {
        struct ArrowArrayStream stream = start(TABLE("many-files"), &(read_request){ .columns = "", .where = filtered ? "id < 100" : NULL });
        struct ArrowSchema schema;
        assert_int_equal(stream.get_schema(&stream, &schema), 0);
        assert_int_equal(schema.n_children, 0);
        schema.release(&schema);
        int64_t rows = 0;
        for (struct ArrowArray batch;;) {
            assert_int_equal(stream.get_next(&stream, &batch), 0);
            if (!batch.release) break;
            assert_int_equal(batch.n_children, 0);
            rows += batch.length;
            batch.release(&batch);
        }
        assert_int_equal(rows, filtered ? 100 : 320);
        stream.release(&stream);
    }
    assert_rows(TABLE("many-files"), (&(read_request){ .columns = "p", .where = "id = 7" }), "[1]\n"); /* a partition alone: no column of the file */
    char *partitions = read_rows(TABLE("many-files"), &(read_request){ .columns = "p", .threads = 2 });
    assert_int_equal(count_lines(partitions), 320);
    free(partitions);
}

static void a_stream_may_be_left_half_way_and_batches_outlive_it(void **state)
{
    (void)state;
    for (int32_t threads = 1; threads < 5; threads++)
        for (int batches = 0; batches < 4; batches++) {
            struct ArrowArrayStream stream = start(TABLE("many-files"), &(read_request){ .threads = threads, .batch_rows = 4 });
            struct ArrowArray kept[4];
            struct ArrowSchema schema;
            assert_int_equal(stream.get_schema(&stream, &schema), 0);
            for (int i = 0; i < batches; i++) assert_int_equal(stream.get_next(&stream, &kept[i]), 0);
            stream.release(&stream);
            for (int i = 0; i < batches; i++) {
                shown out = { 0 };
                show_batch(&out, &schema, &kept[i]);
                assert_int_equal(count_lines(out.text), kept[i].length);
                free(out.text);
                kept[i].release(&kept[i]);
            }
            schema.release(&schema);
        }
}

static void a_cancelled_stream_says_so_and_stays_so(void **state)
{
    (void)state;
    for (int32_t threads = 1; threads < 4; threads++) {
        struct ArrowArrayStream stream = start(TABLE("many-files"), &(read_request){ .threads = threads, .batch_rows = 2 });
        paimon_reader *reader = NULL;
        struct ArrowArray batch;
        assert_int_equal(paimon_reader_of(&stream, &reader, NULL), PAIMON_OK);
        assert_int_equal(stream.get_next(&stream, &batch), 0);
        batch.release(&batch);
        paimon_reader_cancel(reader);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(stream.get_next(&stream, &batch), ECANCELED);
            assert_non_null(strstr(stream.get_last_error(&stream), "cancelled"));
        }
        stream.release(&stream);
        paimon_reader_free(reader);
    }
}

static void a_reader_counts_and_outlives_its_stream(void **state)
{
    (void)state;
    struct ArrowArrayStream stream = start(TABLE("many-files"), &(read_request){ .where = "id >= 280" });
    paimon_reader *reader = NULL;
    assert_int_equal(paimon_reader_of(&stream, &reader, NULL), PAIMON_OK);
    free(show_stream(&stream));
    paimon_read_metrics m = PAIMON_READ_METRICS_INIT;
    paimon_reader_metrics(reader, &m);
    assert_int_equal(m.files, 3);
    assert_int_equal(m.rows_returned, 40);
    assert_int_equal(m.rows_total, 40);
    assert_true(m.bytes_read > 0);
    assert_int_equal(m.struct_size, sizeof m);
    paimon_reader_free(reader);

    struct ArrowArrayStream foreign = { 0 };
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(paimon_reader_of(&foreign, &reader, &err), PAIMON_INVALID);
    assert_null(reader);
    paimon_error_clear(&err);
    paimon_reader_free(NULL);
}

static void chosen_splits_are_read_alone(void **state)
{
    (void)state;
    paimon_table *table = NULL, *other = NULL;
    paimon_scan *scan = NULL;
    paimon_plan *plan = NULL;
    paimon_read *read = NULL;
    assert_int_equal(paimon_table_open(NULL, TABLE("many-files"), NULL, 0, &table, NULL), PAIMON_OK);
    assert_int_equal(paimon_table_open(NULL, TABLE("columns"), NULL, 0, &other, NULL), PAIMON_OK);
    assert_int_equal(paimon_scan_new(table, &scan, NULL), PAIMON_OK);
    assert_int_equal(paimon_scan_plan(scan, &plan, NULL), PAIMON_OK);
    assert_int_equal(paimon_read_new(table, &read, NULL), PAIMON_OK);
    const char *columns[] = { "p" };
    assert_int_equal(paimon_read_set_columns(read, columns, 1, NULL), PAIMON_OK);
    paimon_split *splits[] = { paimon_split_retain(paimon_plan_split(plan, 2)), paimon_split_retain(paimon_plan_split(plan, 0)) };
    paimon_plan_free(plan);
    paimon_scan_free(scan);
    struct ArrowArrayStream stream;
    assert_int_equal(paimon_read_splits(read, splits, 2, &stream, NULL), PAIMON_OK);
    char *rows = show_stream(&stream);
    assert_int_equal(count_lines(rows), 216);
    assert_memory_equal(rows, "[0]\n[0]\n", 8);
    assert_string_equal(rows + strlen(rows) - 4, "[2]\n");
    free(rows);
    assert_int_equal(paimon_read_splits(read, NULL, 0, &stream, NULL), PAIMON_OK);
    rows = show_stream(&stream);
    assert_string_equal(rows, "");
    free(rows);
    paimon_read_free(read);

    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(paimon_read_new(other, &read, NULL), PAIMON_OK);
    assert_int_equal(paimon_read_splits(read, splits, 2, &stream, &err), PAIMON_INVALID);
    assert_non_null(strstr(paimon_error_message(&err), "many-files"));
    paimon_error_clear(&err);
    paimon_read_free(read);
    paimon_split_free(splits[0]);
    paimon_split_free(splits[1]);
    paimon_table_free(table);
    paimon_table_free(other);
}

static void settings_out_of_range_are_refused(void **state)
{
    (void)state;
    paimon_table *table = NULL;
    paimon_read *read = NULL;
    assert_int_equal(paimon_table_open(NULL, TABLE("columns"), NULL, 0, &table, NULL), PAIMON_OK);
    assert_int_equal(paimon_read_new(table, &read, NULL), PAIMON_OK);
    assert_int_equal(paimon_read_set_batch_rows(read, 0, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_read_set_batch_rows(read, INT64_MAX, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_read_set_threads(read, 0, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_read_set_threads(read, 100000, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_read_set_limit(read, -5, NULL), PAIMON_OK);
    paimon_read_free(read);
    paimon_table_free(table);
    paimon_read_free(NULL);
    paimon_table_free(NULL);
    paimon_scan_free(NULL);
    paimon_plan_free(NULL);
    paimon_split_free(NULL);
}

static void a_file_that_is_gone_is_named(void **state)
{
    (void)state;
    char folder[] = "/tmp/paimon-gone-XXXXXX", command[512];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "cp -r '%s' '%s/t' && rm '%s'/t/p=1/bucket-0/*", TABLE("many-files"), folder, folder);
    assert_int_equal(system(command), 0);
    char table[64];
    snprintf(table, sizeof table, "%s/t", folder);
    char *first = read_rows(table, NULL);
    assert_non_null(strstr(first, "/p=1/bucket-0/data-"));
    for (int32_t threads = 2; threads < 6; threads++) assert_rows(table, (&(read_request){ .threads = threads }), first);
    free(first);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_rows_in_the_same_order),
        cmocka_unit_test(batches_hold_rows_but_never_more_than_asked),
        cmocka_unit_test(a_limit_cuts_exactly_and_keeps_the_order),
        cmocka_unit_test(no_columns_are_rows_to_count),
        cmocka_unit_test(a_stream_may_be_left_half_way_and_batches_outlive_it),
        cmocka_unit_test(a_cancelled_stream_says_so_and_stays_so),
        cmocka_unit_test(a_reader_counts_and_outlives_its_stream),
        cmocka_unit_test(chosen_splits_are_read_alone),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(a_file_that_is_gone_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
