/* Avro data files that we write: the header is Java's to the byte, and what was written is read back. */
#include "format/avro/container.h"
#include "format/avro/file.h"
#include "format/avro/write_plan.h"
#include "support/memory_files.h"
#include "support/read_somehow.h"
#include "types/type.h"

static paimon_error err = PAIMON_ERROR_INIT;

static const pmn_type *row_of(pmn_arena *arena, const char *text)
{
    const pmn_type *type = NULL;
    if (pmn_type_parse(arena, text, &type, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    return type;
}

static const char *codec_asked;
static const char *option_of(const void *ctx, const char *key)
{
    (void)ctx;
    return strcmp(key, "file.compression") == 0 ? codec_asked : NULL;
}

static paimon_status create(paimon_fs *fs, pmn_mem *mem, const pmn_type *row, pmn_format_writer **writer)
{
    pmn_format_write_options options = { .mem = mem, .fs = fs, .path = "memory:/out.avro", .row = row, .get = option_of, .n_threads = 1 };
    return pmn_format_avro.create(&options, writer, &err);
}

/* All rows of a file in the types of `row`; the batches go to a writer too, if there is one. */
static void read_rows(paimon_fs *fs, const char *path, const pmn_type *row, row_list *rows, pmn_format_writer *writer)
{
    struct ArrowSchema schema;
    pmn_format_file *file;
    pmn_format_reader *reader;
    pmn_buffer_pool *pool = pmn_buffer_pool_new(pmn_mem_default(), 1 << 20);
    pmn_format_open_options open = { .mem = pmn_mem_default(), .fs = fs, .path = path, .size_bytes = -1 };
    assert_int_equal(pmn_row_to_arrow(pmn_mem_default(), row, &schema, &err), PAIMON_OK);
    if (pmn_format_avro.open(&open, &file, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    pmn_format_read_options options = { .batch_rows = 7, .pool = pool, .n_threads = 1, .schema = &schema };
    if (file->ops->read(file, &options, &reader, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    for (;;) {
        pmn_format_batch batch;
        if (reader->ops->next(reader, &batch, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
        if (!batch.array.release) break;
        row_list_add(rows, &schema, &batch.array);
        /* In two parts, the second of which does not begin at the batch's first row. */
        int64_t half = batch.array.length / 2;
        if (writer && (writer->ops->write(writer, &batch.array, 0, half, &err) != PAIMON_OK ||
                       writer->ops->write(writer, &batch.array, half, batch.array.length - half, &err) != PAIMON_OK))
            fail_msg("%s", paimon_error_message(&err));
        pmn_array_release(&batch.array);
    }
    pmn_format_reader_free(reader);
    pmn_format_file_close(file);
    pmn_buffer_pool_release(pool);
    pmn_schema_release(&schema);
}

/* Write again what Java wrote. */
static void rewrite(const char *name, const char *types)
{
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    const pmn_type *row = row_of(&arena, types);
    static const char *const codecs[] = { NULL, "null", "deflate", "snappy", "bzip2", "xz" };
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        paimon_fs *fs = memory_files();
        pmn_format_writer *writer;
        pmn_format_written written;
        row_list before, after;
        size_t n;
        unsigned char *bytes = test_file(name, &n);
        put_file(fs, "memory:/java.avro", bytes, n);
        row_list_init(&before);
        row_list_init(&after);
        codec_asked = codecs[i];
        if (create(fs, pmn_mem_default(), row, &writer) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
        read_rows(fs, "memory:/java.avro", row, &before, writer);
        pmn_format_measure measure;
        assert_int_equal(writer->ops->measure(writer, &measure, &err), PAIMON_OK);
        assert_true(measure.size_bytes > 0 && writer->ops->most_size(writer) >= measure.size_bytes);
        if (i == 1) assert_int_equal(writer->ops->flush(writer, &err), PAIMON_OK);
        assert_int_equal(writer->ops->finish(writer, &written, &err), PAIMON_OK);
        assert_int_equal(written.rows, before.n);
        assert_non_null(written.bounds);
        assert_int_equal(written.bounds[0].null_count, 0);
        assert_true(written.bounds[0].min.v.i < written.bounds[0].max.v.i);
        pmn_format_writer_free(writer);
        read_rows(fs, "memory:/out.avro", row, &after, NULL);
        assert_true(before.n > 10 && before.n == after.n);
        for (int64_t r = 0; r < before.n; r++) assert_true(pmn_slice_equal(row_list_at(&before, r), row_list_at(&after, r)));
        pmn_buf ours;
        pmn_avro_header header, java;
        pmn_buf_init(&ours, pmn_mem_default(), 1 << 24);
        assert_int_equal(pmn_fs_read_all(pmn_mem_default(), fs, "memory:/out.avro", 1 << 24, &ours, &err), PAIMON_OK);
        assert_int_equal((int64_t)ours.size, written.size_bytes);
        assert_int_equal(pmn_avro_header_parse(pmn_slice_of(ours.data, ours.size), &header, &err), PAIMON_OK);
        assert_int_equal(pmn_avro_header_parse(pmn_slice_of(bytes, n), &java, &err), PAIMON_OK);
        assert_true(pmn_slice_equal(header.schema, java.schema));
        if (!codecs[i]) assert_int_equal(header.codec, PMN_CODEC_ZSTD);
        pmn_buf_free(&ours);
        row_list_free(&before);
        row_list_free(&after);
        free(bytes);
        paimon_fs_free(fs);
    }
    pmn_arena_free(&arena);
}

static const char java_types[] =
    "ROW<id INT NOT NULL, b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, f32 FLOAT, f64 DOUBLE, d5 DECIMAL(5, 2), d18 DECIMAL(18, 4), "
    "d38 DECIMAL(38, 10), ch CHAR(5), vc VARCHAR(20), s STRING, bin BINARY(4), vbin VARBINARY(10), byt BYTES, dt DATE, tm TIME(3), t0 TIMESTAMP(0), "
    "t3 TIMESTAMP(3), t6 TIMESTAMP(6), l3 TIMESTAMP(3) WITH LOCAL TIME ZONE, l6 TIMESTAMP(6) WITH LOCAL TIME ZONE> NOT NULL";
static const char java_nested[] =
    "ROW<id INT NOT NULL, ai ARRAY<INT>, as_ ARRAY<STRING>, ad ARRAY<DECIMAL(20, 3)>, ats ARRAY<TIMESTAMP(6)>, msi MAP<STRING NOT NULL, INT>, "
    "msa MAP<STRING NOT NULL, ARRAY<BIGINT>>, r ROW<x INT, y STRING, z ROW<p DOUBLE, q DATE>>, ar ARRAY<ROW<u BIGINT, w BYTES>>, aa ARRAY<ARRAY<STRING>>> NOT NULL";

static void what_java_wrote_is_written_again_under_the_same_header(void **state)
{
    (void)state;
    rewrite("data/golden/types-avro/wh/db.db/t/bucket-0/data-2069619d-69c9-4048-9c59-d86eebad82fb-0.avro", java_types);
    rewrite("data/golden/nested-avro/wh/db.db/t/bucket-0/data-3318e2cf-7d07-4fde-a579-7c9da2e95137-0.avro", java_nested);
}

static void maps_are_written_as_java_writes_them(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_buf schema;
    pmn_avro_write_node root;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_buf_init(&schema, pmn_mem_default(), 1 << 20);
    const pmn_type *row = row_of(&arena, "ROW<m MAP<INT NOT NULL, ROW<a INT NOT NULL>>, n MULTISET<STRING NOT NULL> NOT NULL, l TIMESTAMP(6) WITH LOCAL TIME ZONE NOT NULL>");
    assert_int_equal(pmn_avro_write_plan(&arena, row, &root, &schema, &err), PAIMON_OK);
    assert_string_equal((const char *)schema.data,
                        "{\"type\":\"record\",\"name\":\"record\",\"namespace\":\"org.apache.paimon.avro.generated\",\"fields\":["
                        "{\"name\":\"m\",\"type\":[\"null\",{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"record_m\",\"fields\":["
                        "{\"name\":\"key\",\"type\":\"int\"},{\"name\":\"value\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"record_m_value\",\"fields\":["
                        "{\"name\":\"a\",\"type\":\"int\"}]}],\"default\":null}]},\"logicalType\":\"map\"}],\"default\":null},"
                        "{\"name\":\"n\",\"type\":{\"type\":\"map\",\"values\":[\"null\",\"int\"]}},"
                        "{\"name\":\"l\",\"type\":{\"type\":\"long\",\"logicalType\":\"local-timestamp-micros\"}}]}");
    pmn_buf_free(&schema);
    pmn_arena_free(&arena);
}

static void refuse(const char *types, const char *codec, paimon_status status, const char *words)
{
    pmn_arena arena;
    pmn_format_writer *writer = NULL;
    paimon_fs *fs = memory_files();
    pmn_arena_init(&arena, pmn_mem_default());
    codec_asked = codec;
    assert_int_equal(create(fs, pmn_mem_default(), row_of(&arena, types), &writer), status);
    assert_null(writer);
    if (!strstr(paimon_error_message(&err), words)) fail_msg("\"%s\" does not say \"%s\"", paimon_error_message(&err), words);
    paimon_error_clear(&err);
    paimon_fs_free(fs);
    pmn_arena_free(&arena);
}

static void what_avro_cannot_hold_is_refused_by_name(void **state)
{
    (void)state;
    refuse("ROW<a INT, t TIMESTAMP(9)>", NULL, PAIMON_UNSUPPORTED, "column t: TIMESTAMP(9)");
    refuse("ROW<t TIME(6)>", NULL, PAIMON_UNSUPPORTED, "column t: TIME(6)");
    refuse("ROW<v VARIANT>", NULL, PAIMON_UNSUPPORTED, "column v: VARIANT");
    refuse("ROW<`a b` INT>", NULL, PAIMON_INVALID, "column a b: Avro takes only letters");
    refuse("ROW<a_b ROW<x INT>, a ROW<b ROW<y INT>>>", NULL, PAIMON_UNSUPPORTED, "two records come out with one name");
    refuse("ROW<a INT>", "none", PAIMON_INVALID, "option file.compression: \"none\" is not a codec of Avro");
    refuse("ROW<a INT>", "lz4", PAIMON_INVALID, "is not a codec of Avro");
}

/* A batch of one INT column, null in row 1. */
static void make_batch(struct ArrowArray *out)
{
    static const int32_t values[3] = { 1, 0, 3 };
    pmn_buffer_pool *pool = pmn_buffer_pool_new(pmn_mem_default(), 0);
    pmn_buffer *buffers[2], *none = NULL;
    assert_int_equal(pmn_buffer_new(pool, 1, &buffers[0], &err), PAIMON_OK);
    assert_int_equal(pmn_buffer_new(pool, sizeof values, &buffers[1], &err), PAIMON_OK);
    buffers[0]->data[0] = 5;
    memcpy(buffers[1]->data, values, sizeof values);
    assert_int_equal(pmn_array_new(pmn_mem_default(), 3, 0, 1, &none, 1, out, &err), PAIMON_OK);
    assert_int_equal(pmn_array_new(pmn_mem_default(), 3, 1, 2, buffers, 0, out->children[0], &err), PAIMON_OK);
    pmn_buffer_pool_release(pool);
}

static void bounds_are_of_all_rows_and_count_nulls(void **state)
{
    (void)state;
    pmn_arena arena;
    struct ArrowArray batch;
    pmn_format_writer *writer;
    pmn_format_written written;
    paimon_fs *fs = memory_files();
    pmn_arena_init(&arena, pmn_mem_default());
    codec_asked = NULL;
    assert_int_equal(create(fs, pmn_mem_default(), row_of(&arena, "ROW<a INT>"), &writer), PAIMON_OK);
    make_batch(&batch);
    assert_int_equal(writer->ops->write(writer, &batch, 1, 2, &err), PAIMON_OK);
    assert_int_equal(writer->ops->write(writer, &batch, 0, 2, &err), PAIMON_OK);
    assert_int_equal(writer->ops->finish(writer, &written, &err), PAIMON_OK);
    assert_int_equal(written.rows, 4);
    assert_int_equal(written.bounds[0].null_count, 2);
    assert_true(!written.bounds[0].min.is_null && written.bounds[0].min.v.i == 1 && written.bounds[0].max.v.i == 3);
    pmn_format_writer_free(writer);
    pmn_array_release(&batch);
    paimon_fs_free(fs);
    pmn_arena_free(&arena);
}

static void a_null_that_may_not_be_stops_the_writer(void **state)
{
    (void)state;
    pmn_arena arena;
    struct ArrowArray batch;
    pmn_format_writer *writer;
    pmn_format_written written;
    paimon_fs *fs = memory_files();
    pmn_arena_init(&arena, pmn_mem_default());
    codec_asked = NULL;
    assert_int_equal(create(fs, pmn_mem_default(), row_of(&arena, "ROW<a INT NOT NULL>"), &writer), PAIMON_OK);
    make_batch(&batch);
    assert_int_equal(writer->ops->write(writer, &batch, 0, 3, &err), PAIMON_INVALID);
    assert_non_null(strstr(paimon_error_message(&err), "column a, row 1: a null"));
    paimon_error_clear(&err);
    assert_int_equal(writer->ops->finish(writer, &written, &err), PAIMON_STATE);
    paimon_error_clear(&err);
    pmn_format_writer_free(writer);
    bool there = true;
    assert_int_equal(pmn_fs_exists(fs, "memory:/out.avro", &there, NULL, &err), PAIMON_OK);
    assert_false(there);
    pmn_array_release(&batch);
    paimon_fs_free(fs);
    pmn_arena_free(&arena);
}

static paimon_status attempt_write(pmn_mem *mem, void *arg)
{
    struct ArrowArray batch;
    pmn_format_writer *writer;
    pmn_format_written written;
    paimon_fs *fs = memory_files();
    paimon_status status = create(fs, mem, arg, &writer);
    if (status == PAIMON_OK) {
        make_batch(&batch);
        status = writer->ops->write(writer, &batch, 0, 3, NULL);
        if (status == PAIMON_OK) status = writer->ops->finish(writer, &written, NULL);
        pmn_array_release(&batch);
        pmn_format_writer_free(writer);
    }
    paimon_error_clear(&err);
    paimon_fs_free(fs);
    return status;
}

static void a_refused_allocation_anywhere_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    codec_asked = "deflate";
    failing_alloc_sweep(attempt_write, (void *)(uintptr_t)row_of(&arena, "ROW<a INT>"));
    pmn_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_java_wrote_is_written_again_under_the_same_header),
        cmocka_unit_test(maps_are_written_as_java_writes_them),
        cmocka_unit_test(what_avro_cannot_hold_is_refused_by_name),
        cmocka_unit_test(bounds_are_of_all_rows_and_count_nulls),
        cmocka_unit_test(a_null_that_may_not_be_stops_the_writer),
        cmocka_unit_test(a_refused_allocation_anywhere_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
