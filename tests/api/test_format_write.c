/* Bare files written from streams: the same rows and ids come back; what cannot be written is told and leaves no file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "paimon-c/format.h"
#include "paimon-c/inspect.h"
#include "support/read_table.h"
#include "support/remove_tree.h"

static char folder[] = "/tmp/paimon-format-XXXXXX";

static const char *place(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static struct ArrowArrayStream rows_of(const char *table)
{
    read_parts parts = { 0 };
    read_request all = { 0 };
    struct ArrowArrayStream stream = { 0 };
    paimon_error err = PAIMON_ERROR_INIT;
    if (open_stream(NULL, table, &all, &parts, &stream, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    read_parts_free(&parts);
    return stream;
}

static char *rows_of_file(const char *path)
{
    struct ArrowArrayStream stream;
    paimon_error err = PAIMON_ERROR_INIT;
    if (paimon_format_open(NULL, path, NULL, &stream, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    return show_stream(&stream);
}

static void tables_of_all_types_become_files_with_the_same_rows(void **state)
{
    (void)state;
    static const char *const tables[] = { TABLE("many-files"), TABLE("columns"), TABLE("nan-row-groups"), GOLDEN("append-fixed"), GOLDEN("part-multi") };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        char *expected = read_rows(tables[t], NULL);
        for (int32_t threads = 1; threads <= 3; threads++) {
            paimon_format_write_options options = PAIMON_FORMAT_WRITE_OPTIONS_INIT;
            paimon_option few[] = { { "file.compression", "snappy" }, { "parquet.page.row.count.limit", "9" }, { "of.another", "x" } };
            struct ArrowArrayStream stream = rows_of(tables[t]);
            paimon_error err = PAIMON_ERROR_INIT;
            int64_t rows = -1;
            options.n_threads = threads;
            options.replace = 1;
            if (threads == 2) {
                options.options = few;
                options.n_options = 3;
            }
            if (paimon_format_write(NULL, place("copy.parquet"), &stream, &options, &rows, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
            assert_null(stream.release);
            char *found = rows_of_file(place("copy.parquet"));
            assert_string_equal(found, expected);
            assert_int_equal(rows, (int64_t)count_lines(expected));
            free(found);
        }
        free(expected);
    }
}

static void fields_keep_their_ids(void **state)
{
    (void)state;
    static const char *const expected[] = { "\"c\", \"repetition\": \"optional\", \"field_id\": 3", "\"b\", \"repetition\": \"optional\", \"field_id\": 6" };
    struct ArrowArrayStream stream = rows_of(TABLE("columns"));
    paimon_error err = PAIMON_ERROR_INIT;
    char *json = NULL;
    if (paimon_format_write(NULL, place("ids.parquet"), &stream, NULL, NULL, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    assert_int_equal(paimon_inspect(NULL, place("ids.parquet"), NULL, &json, &err), PAIMON_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!strstr(json, expected[i])) fail_msg("%s is not in %s", expected[i], json);
    paimon_string_free(json);
}

static void refused(const char *path, const paimon_format_write_options *options, paimon_status expected, const char *words)
{
    struct ArrowArrayStream stream = rows_of(TABLE("columns"));
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(paimon_format_write(NULL, path, &stream, options, NULL, &err), expected);
    assert_null(stream.release);
    if (!strstr(paimon_error_message(&err), words)) fail_msg("%s", paimon_error_message(&err));
    paimon_error_clear(&err);
}

static void what_cannot_be_written_is_told_and_leaves_no_file(void **state)
{
    (void)state;
    paimon_format_write_options options = PAIMON_FORMAT_WRITE_OPTIONS_INIT;
    paimon_option bad = { "file.compression", "middle-out" };
    refused(place("there.parquet"), NULL, PAIMON_OK, "");
    refused(place("there.parquet"), NULL, PAIMON_ALREADY_EXISTS, "there.parquet");
    refused(place("a.orc"), NULL, PAIMON_UNSUPPORTED, "orc");
    refused(place("a.xyz"), NULL, PAIMON_UNSUPPORTED, "xyz");
    refused(place("a"), NULL, PAIMON_INVALID, "format");
    options.options = &bad;
    options.n_options = 1;
    refused(place("b.parquet"), &options, PAIMON_INVALID, "file.compression");
    options = (paimon_format_write_options)PAIMON_FORMAT_WRITE_OPTIONS_INIT;
    options.n_threads = -1;
    refused(place("b.parquet"), &options, PAIMON_INVALID, "threads");
    options = (paimon_format_write_options)PAIMON_FORMAT_WRITE_OPTIONS_INIT;
    options.format = "parquet";
    refused(place("named otherwise"), &options, PAIMON_OK, "");
    refused(NULL, NULL, PAIMON_INVALID, "path");
    assert_int_equal(access(place("b.parquet"), F_OK), -1);
    assert_int_equal(access(place("a.orc"), F_OK), -1);
    assert_int_equal(paimon_format_write(NULL, place("b.parquet"), NULL, NULL, NULL, NULL), PAIMON_INVALID);
}

/* A stream that gives a batch and then fails. */
static int fails_after_one(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct ArrowArrayStream *inner = stream->private_data;
    if (inner->private_data == NULL) return 5;
    int number = inner->get_next(inner, out);
    if (number == 0 && out->release) return 0;
    return 5; /* EIO */
}
static int inner_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    struct ArrowArrayStream *inner = stream->private_data;
    return inner->get_schema(inner, out);
}
static const char *its_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "the source went away";
}
static void release_outer(struct ArrowArrayStream *stream)
{
    struct ArrowArrayStream *inner = stream->private_data;
    inner->release(inner);
    stream->release = NULL;
}

static void a_stream_that_fails_is_told_and_leaves_no_file(void **state)
{
    (void)state;
    struct ArrowArrayStream inner = rows_of(TABLE("many-files"));
    struct ArrowArrayStream stream = { inner_schema, fails_after_one, its_error, release_outer, &inner };
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(paimon_format_write(NULL, place("half.parquet"), &stream, NULL, NULL, &err), PAIMON_IO);
    assert_non_null(strstr(paimon_error_message(&err), "the source went away"));
    assert_null(stream.release);
    assert_int_equal(access(place("half.parquet"), F_OK), -1);
    paimon_error_clear(&err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_all_types_become_files_with_the_same_rows),
        cmocka_unit_test(fields_keep_their_ids),
        cmocka_unit_test(what_cannot_be_written_is_told_and_leaves_no_file),
        cmocka_unit_test(a_stream_that_fails_is_told_and_leaves_no_file),
    };
    if (!mkdtemp(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_tree(folder);
    return failed;
}
