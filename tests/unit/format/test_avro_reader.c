/* Avro data files: however their rows are asked for, which Arrow types they take, and what is refused. What the values must be is judged
 * by the corpus, and by the golden tables. */
#include "format/avro/decode.h"
#include "format/avro/file.h"
#include "format/avro/writer.h"
#include "support/memory_files.h"
#include "support/read_somehow.h"

static paimon_error err = PAIMON_ERROR_INIT;
static const uint8_t sync_marker[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

/* ---- files made here ---- */

typedef struct made {
    paimon_fs *fs;
    pmn_buffer_pool *pool;
    pmn_avro_writer writer;
    pmn_format_file *file;
} made;

static void make(made *m, const char *schema)
{
    memset(m, 0, sizeof *m);
    m->fs = memory_files();
    m->pool = pmn_buffer_pool_new(pmn_mem_default(), 1 << 20);
    assert_int_equal(pmn_avro_writer_init(&m->writer, pmn_mem_default(), schema, "null", 1, sync_marker, &err), PAIMON_OK);
}

static void put(made *m, int64_t value) { assert_int_equal(pmn_avro_put_long(&m->writer.block, value, &err), PAIMON_OK); }
static void put_raw(made *m, const char *bytes, size_t n) { assert_int_equal(pmn_buf_append(&m->writer.block, bytes, n, &err), PAIMON_OK); }
static void put_string(made *m, const char *text) { assert_int_equal(pmn_avro_put_text(&m->writer.block, text, &err), PAIMON_OK); }
static void end_row(made *m) { assert_int_equal(pmn_avro_writer_end_record(&m->writer, &err), PAIMON_OK); }

static paimon_status open_made(made *m)
{
    assert_int_equal(pmn_avro_writer_finish(&m->writer, &err), PAIMON_OK);
    put_file(m->fs, "memory:/f.avro", m->writer.file.data, m->writer.file.size);
    pmn_format_open_options options = { .mem = pmn_mem_default(), .fs = m->fs, .path = "memory:/f.avro", .size_bytes = -1 };
    return pmn_format_avro.open(&options, &m->file, &err);
}

static void done_with(made *m)
{
    pmn_format_file_close(m->file);
    pmn_avro_writer_free(&m->writer);
    pmn_buffer_pool_release(m->pool);
    paimon_fs_free(m->fs);
    paimon_error_clear(&err);
}

/* The first batch (released at the end) of the wanted column: name and format, nullable. NULL format: everything. */
static paimon_status read_first(made *m, const char *name, const char *format, struct ArrowArray *out)
{
    struct ArrowSchema schema = { .release = NULL };
    pmn_format_reader *reader = NULL;
    pmn_format_batch batch = { .array = { .release = NULL } };
    pmn_format_read_options options = { .batch_rows = 1000, .pool = m->pool, .n_threads = 1 };
    if (format) {
        assert_int_equal(pmn_schema_new(pmn_mem_default(), "+s", "", 0, 1, &schema, &err), PAIMON_OK);
        assert_int_equal(pmn_schema_new(pmn_mem_default(), format, name, ARROW_FLAG_NULLABLE, 0, schema.children[0], &err), PAIMON_OK);
        options.schema = &schema;
    }
    out->release = NULL;
    paimon_status status = m->file->ops->read(m->file, &options, &reader, &err);
    if (status == PAIMON_OK) status = reader->ops->next(reader, &batch, &err);
    if (status == PAIMON_OK) *out = batch.array;
    pmn_format_reader_free(reader);
    pmn_schema_release(&schema);
    return status;
}

static void expect_refusal(paimon_status status, paimon_status expected, const char *words)
{
    assert_int_equal(status, expected);
    if (!strstr(paimon_error_message(&err), words)) fail_msg("\"%s\" does not say \"%s\"", paimon_error_message(&err), words);
    paimon_error_clear(&err);
}

/* ---- ways of asking ---- */

static void ranges_and_filters_select_exactly_the_rows_of_the_plain_reading(void **state)
{
    (void)state;
    char path[1024], pattern[1100];
    if (!shared_path("corpus/avro", path, sizeof path)) return;
    static const char *const some[] = { "aj_blocks1", "aj_prim_snappy", "aj_logical_zstd", "aj_nested", "aj_top_long", "aj_empty_*", "at_nonnullable*", "at_list_columns",
                                        "avrs_*", "pai_append_with_multiple*", "pai_pk_09*" };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        snprintf(pattern, sizeof pattern, "%s/%s.avro", path, some[i]);
        check_pattern(pattern);
    }
}

static void a_refused_allocation_anywhere_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    char path[1024];
    if (shared_path("corpus/avro/aj_nested.avro", path, sizeof path)) failing_alloc_sweep(attempt_read, path);
    if (shared_path("corpus/avro/aj_prim_xz.avro", path, sizeof path)) failing_alloc_sweep(attempt_read, path);
}

/* ---- types ---- */

static const char long_schema[] = "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"v\",\"type\":[\"null\",\"long\"]}]}";

static void integers_are_narrowed_if_they_fit(void **state)
{
    (void)state;
    made m;
    struct ArrowArray array;
    make(&m, long_schema);
    put(&m, 1), put(&m, 127), end_row(&m);
    put(&m, 0), end_row(&m);
    put(&m, 1), put(&m, -128), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    assert_int_equal(read_first(&m, "v", "c", &array), PAIMON_OK);
    assert_int_equal(array.children[0]->null_count, 1);
    assert_int_equal(((const int8_t *)array.children[0]->buffers[1])[0], 127);
    assert_int_equal(((const int8_t *)array.children[0]->buffers[1])[2], -128);
    pmn_array_release(&array);
    expect_refusal(read_first(&m, "v", "C", &array), PAIMON_CORRUPT, "row 2 (Avro block at byte");
    done_with(&m);
}

static void timestamps_keep_their_instant_in_any_unit(void **state)
{
    (void)state;
    made m;
    struct ArrowArray array;
    make(&m, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"v\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}}]}");
    put(&m, -1), end_row(&m);
    put(&m, INT64_C(9223372036854)), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    assert_int_equal(read_first(&m, "v", "tss:", &array), PAIMON_OK); /* as Paimon declares a TIMESTAMP(0): no zone, and rounded down */
    assert_int_equal(((const int64_t *)array.children[0]->buffers[1])[0], -1);
    assert_int_equal(((const int64_t *)array.children[0]->buffers[1])[1], 9223372036);
    pmn_array_release(&array);
    assert_int_equal(read_first(&m, "v", "tsn:UTC", &array), PAIMON_OK);
    assert_int_equal(((const int64_t *)array.children[0]->buffers[1])[0], -1000000);
    pmn_array_release(&array);
    done_with(&m);
    make(&m, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"v\",\"type\":{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}}]}");
    put(&m, INT64_C(9223372036855)), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    expect_refusal(read_first(&m, "v", "tsn:", &array), PAIMON_CORRUPT, "column v: 9223372036855 does not fit");
    done_with(&m);
}

static void a_decimal_may_be_stored_wider_or_shorter_than_it_comes_out(void **state)
{
    (void)state;
    made m;
    struct ArrowArray array;
    make(&m, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"v\",\"type\":{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":20,\"scale\":2}}]}");
    put_string(&m, "\xff"), end_row(&m);
    put_raw(&m, "\x28" "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x00", 21), end_row(&m);
    put_raw(&m, "\x12" "\x01\0\0\0\0\0\0\0\0", 10), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    assert_int_equal(read_first(&m, "v", "d:38,2", &array), PAIMON_OK);
    const int64_t *words = array.children[0]->buffers[1];
    assert_true(words[0] == -1 && words[1] == -1 && words[2] == 256 && words[3] == 0 && words[4] == 0 && words[5] == 1);
    pmn_array_release(&array);
    expect_refusal(read_first(&m, "v", "d:18,2,64", &array), PAIMON_CORRUPT, "row 2");
    expect_refusal(read_first(&m, "v", "d:20,3", &array), PAIMON_CORRUPT, "scale 2 is stored, scale 3 is wanted");
    expect_refusal(read_first(&m, "v", "l", &array), PAIMON_UNSUPPORTED, "Avro bytes of logical type decimal cannot be read as the Arrow type \"l\"");
    done_with(&m);
}

static void enums_are_their_symbols(void **state)
{
    (void)state;
    made m;
    struct ArrowArray array;
    make(&m, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"v\",\"type\":{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"left\",\"right\"]}}]}");
    put(&m, 1), end_row(&m);
    put(&m, 0), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    assert_int_equal(read_first(&m, NULL, NULL, &array), PAIMON_OK);
    assert_memory_equal(array.children[0]->buffers[2], "rightleft", 9);
    pmn_array_release(&array);
    done_with(&m);
    make(&m, "{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"left\",\"right\"]}");
    put(&m, 2), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    expect_refusal(read_first(&m, NULL, NULL, &array), PAIMON_CORRUPT, "(enum) is cut or damaged");
    done_with(&m);
}

/* ---- shapes ---- */

static void null_may_be_the_second_branch_and_the_root_may_be_in_a_union(void **state)
{
    (void)state;
    made m;
    struct ArrowArray array;
    make(&m, "[\"null\",{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"v\",\"type\":[\"string\",\"null\"]}]}]");
    put(&m, 1), put(&m, 0), put_string(&m, "there"), end_row(&m);
    put(&m, 1), put(&m, 1), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    assert_int_equal(read_first(&m, "v", "u", &array), PAIMON_OK);
    assert_int_equal(array.length, 2);
    assert_int_equal(array.children[0]->null_count, 1);
    assert_false(pmn_array_is_null(array.children[0], 0));
    pmn_array_release(&array);
    /* Seen by itself it is one column without a name. */
    assert_int_equal(read_first(&m, NULL, NULL, &array), PAIMON_OK);
    assert_int_equal(array.n_children, 1);
    assert_int_equal(array.children[0]->n_children, 1);
    pmn_array_release(&array);
    done_with(&m);
    make(&m, "[\"null\",{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"v\",\"type\":\"string\"}]}]");
    put(&m, 0), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    expect_refusal(read_first(&m, "v", "u", &array), PAIMON_CORRUPT, "the record may not be null");
    done_with(&m);
}

static const char nested_schema[] =
    "{\"type\":\"record\",\"name\":\"r\",\"fields\":["
    "{\"name\":\"skipped\",\"type\":{\"type\":\"record\",\"name\":\"in\",\"fields\":[{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"b\",\"type\":\"bytes\"}]}},"
    "{\"name\":\"m\",\"type\":[\"null\",{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{\"type\":\"record\",\"name\":\"kv\",\"fields\":"
    "[{\"name\":\"key\",\"type\":[\"null\",\"int\"]},{\"name\":\"value\",\"type\":[\"null\",\"string\"]}]}}]},"
    "{\"name\":\"s\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"st\",\"fields\":[{\"name\":\"x\",\"type\":\"long\"},{\"name\":\"l\",\"type\":{\"type\":\"array\",\"items\":\"int\"}}]}]}]}";

/* A row of nested_schema: skipped, then m as a map of one pair in a block with its size, or null; then s, or null. */
static void put_nested(made *m, int key, const char *value, bool has_struct)
{
    put(m, 5), put_string(m, "zzz");
    if (value) {
        put(m, 1), put(m, -1), put(m, (int64_t)(3 + (key > 63) + 1 + strlen(value)));
        put(m, 1), put(m, key), put(m, 1), put_string(m, value), put(m, 0);
    } else {
        put(m, 0);
    }
    put(m, has_struct);
    if (has_struct) put(m, 7), put(m, 2), put(m, 8), put(m, 9), put(m, 1), put(m, 10), put(m, 0);
}

static void nested_values_and_nulls_keep_their_places(void **state)
{
    (void)state;
    made m;
    struct ArrowArray array;
    make(&m, nested_schema);
    put_nested(&m, 3, "three", true), end_row(&m);
    put_nested(&m, 0, NULL, false), end_row(&m);
    put_nested(&m, 100, "hundred", true), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    assert_int_equal(read_first(&m, NULL, NULL, &array), PAIMON_OK);
    assert_int_equal(array.length, 3);
    const struct ArrowArray *map = array.children[1], *entries = map->children[0], *st = array.children[2], *list = st->children[1];
    static const int32_t map_ends[] = { 0, 1, 1, 2 }, list_ends[] = { 0, 3, 3, 6 }, items[] = { 8, 9, 10, 8, 9, 10 };
    assert_memory_equal(map->buffers[1], map_ends, sizeof map_ends);
    assert_true(pmn_array_is_null(map, 1) && pmn_array_is_null(st, 1) && !pmn_array_is_null(st, 2));
    assert_int_equal(((const int32_t *)entries->children[0]->buffers[1])[1], 100);
    assert_memory_equal(entries->children[1]->buffers[2], "threehundred", 12);
    assert_int_equal(((const int64_t *)st->children[0]->buffers[1])[1], 0);
    assert_memory_equal(list->buffers[1], list_ends, sizeof list_ends);
    assert_memory_equal(list->children[0]->buffers[1], items, sizeof items);
    pmn_array_release(&array);
    done_with(&m);
}

static void a_null_key_and_a_null_where_none_may_be_are_refused(void **state)
{
    (void)state;
    made m;
    struct ArrowArray array;
    make(&m, nested_schema);
    put(&m, 5), put_string(&m, ""), put(&m, 1), put(&m, 1), put(&m, 0), put(&m, 0), put(&m, 0), put(&m, 0), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    expect_refusal(read_first(&m, NULL, NULL, &array), PAIMON_CORRUPT, "column m.entries.key may not be null");
    done_with(&m);
}

static void the_same_field_may_be_asked_twice_and_an_unknown_one_is_null(void **state)
{
    (void)state;
    made m;
    make(&m, long_schema);
    put(&m, 1), put(&m, 300), end_row(&m);
    put(&m, 0), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    struct ArrowSchema schema;
    static const char *const names[] = { "v", "w", "v", "v" }, *const formats[] = { "l", "u", "s", "n" };
    assert_int_equal(pmn_schema_new(pmn_mem_default(), "+s", "", 0, 4, &schema, &err), PAIMON_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pmn_schema_new(pmn_mem_default(), formats[i], names[i], ARROW_FLAG_NULLABLE, 0, schema.children[i], &err), PAIMON_OK);
    pmn_format_read_options options = { .batch_rows = 1000, .pool = m.pool, .n_threads = 1, .schema = &schema };
    pmn_format_reader *reader;
    pmn_format_batch batch;
    assert_int_equal(m.file->ops->read(m.file, &options, &reader, &err), PAIMON_OK);
    assert_int_equal(reader->ops->next(reader, &batch, &err), PAIMON_OK);
    assert_int_equal(batch.array.length, 2);
    assert_int_equal(((const int64_t *)batch.array.children[0]->buffers[1])[0], 300);
    assert_int_equal(batch.array.children[1]->null_count, 2);
    assert_int_equal(((const int16_t *)batch.array.children[2]->buffers[1])[0], 300);
    assert_int_equal(batch.array.children[2]->null_count, 1);
    assert_int_equal(batch.array.children[3]->length, 2);
    pmn_array_release(&batch.array);
    pmn_format_reader_free(reader);
    pmn_schema_release(&schema);
    done_with(&m);
}

static void a_list_of_a_fixed_length_has_that_length(void **state)
{
    (void)state;
    made m;
    make(&m, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"v\",\"type\":[\"null\",{\"type\":\"array\",\"items\":\"float\"}]}]}");
    put(&m, 0), end_row(&m);
    put(&m, 1), put(&m, 2), put_raw(&m, "\0\0\x80\x3f\0\0\0\x40", 8), put(&m, 0), end_row(&m);
    put(&m, 1), put(&m, 1), put_raw(&m, "\0\0\x80\x3f", 4), put(&m, 0), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    struct ArrowSchema schema;
    assert_int_equal(pmn_schema_new(pmn_mem_default(), "+s", "", 0, 1, &schema, &err), PAIMON_OK);
    assert_int_equal(pmn_schema_new(pmn_mem_default(), "+w:2", "v", ARROW_FLAG_NULLABLE, 1, schema.children[0], &err), PAIMON_OK);
    assert_int_equal(pmn_schema_new(pmn_mem_default(), "f", "element", 0, 0, schema.children[0]->children[0], &err), PAIMON_OK);
    pmn_row_range two = { 0, 2 };
    pmn_format_read_options options = { .batch_rows = 1000, .pool = m.pool, .n_threads = 1, .schema = &schema, .ranges = &two, .n_ranges = 1 };
    pmn_format_reader *reader;
    pmn_format_batch batch;
    assert_int_equal(m.file->ops->read(m.file, &options, &reader, &err), PAIMON_OK);
    assert_int_equal(reader->ops->next(reader, &batch, &err), PAIMON_OK);
    assert_int_equal(batch.array.children[0]->children[0]->length, 4);
    assert_true(((const float *)batch.array.children[0]->children[0]->buffers[1])[3] == 2.0f);
    pmn_array_release(&batch.array);
    pmn_format_reader_free(reader);
    options.ranges = NULL;
    assert_int_equal(m.file->ops->read(m.file, &options, &reader, &err), PAIMON_OK);
    expect_refusal(reader->ops->next(reader, &batch, &err), PAIMON_CORRUPT, "this many items: 1 does not fit");
    pmn_format_reader_free(reader);
    pmn_schema_release(&schema);
    done_with(&m);
}

static void unions_of_many_types_and_records_in_themselves_are_refused_by_name(void **state)
{
    (void)state;
    made m;
    struct ArrowArray array;
    make(&m, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"u\",\"type\":[\"int\",\"string\"]},{\"name\":\"again\",\"type\":[\"null\",\"r\"]},{\"name\":\"v\",\"type\":\"int\"}]}");
    put(&m, 1), put_string(&m, "x"), put(&m, 1), put(&m, 0), put(&m, 9), put(&m, 0), put(&m, 3), put(&m, 4), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    expect_refusal(read_first(&m, NULL, NULL, &array), PAIMON_UNSUPPORTED, "column \"u\" is an Avro union of 2 types");
    expect_refusal(read_first(&m, "again", "u", &array), PAIMON_UNSUPPORTED, "column again is the Avro record r within itself");
    assert_int_equal(read_first(&m, "v", "i", &array), PAIMON_OK); /* the others can be had */
    assert_int_equal(((const int32_t *)array.children[0]->buffers[1])[0], 4);
    pmn_array_release(&array);
    done_with(&m);
}

/* ---- bounds ---- */

static void a_batch_of_long_strings_stops_early(void **state)
{
    (void)state;
    made m;
    char text[10001];
    memset(text, 'x', 10000);
    text[10000] = 0;
    make(&m, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"v\",\"type\":\"string\"}]}");
    for (int i = 0; i < 4000; i++) put_string(&m, text), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    pmn_format_read_options options = { .batch_rows = 100000, .pool = m.pool, .n_threads = 1, .want_positions = true };
    pmn_format_reader *reader;
    pmn_format_batch batch;
    assert_int_equal(m.file->ops->read(m.file, &options, &reader, &err), PAIMON_OK);
    int64_t rows = 0;
    int batches = 0;
    for (;; batches++) {
        assert_int_equal(reader->ops->next(reader, &batch, &err), PAIMON_OK);
        if (!batch.array.release) break;
        const int32_t *offsets = batch.array.children[0]->buffers[1];
        assert_true(offsets[batch.array.length] < PMN_AVRO_BATCH_BYTES + 20000);
        assert_int_equal(batch.positions[0], rows);
        rows += batch.array.length;
        pmn_array_release(&batch.array);
    }
    assert_int_equal(rows, 4000);
    assert_int_equal(batches, 3);
    pmn_format_reader_free(reader);
    done_with(&m);
}

/* A few bytes that mean very much: each must be refused, or cost little. */
static void what_costs_a_file_nothing_is_bounded(void **state)
{
    (void)state;
    made m;
    struct ArrowArray array;
    make(&m, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"v\",\"type\":{\"type\":\"array\",\"items\":\"null\"}}]}");
    put(&m, INT64_C(1) << 40), put(&m, 0), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    expect_refusal(read_first(&m, NULL, NULL, &array), PAIMON_CORRUPT, "column v (array) is cut or damaged");
    done_with(&m);
    make(&m, "\"null\"");
    m.writer.n_block = INT64_C(1) << 40;
    assert_int_equal(open_made(&m), PAIMON_OK);
    expect_refusal(read_first(&m, NULL, NULL, &array), PAIMON_CORRUPT, "1099511627776 records in 0 bytes");
    done_with(&m);
    make(&m, long_schema);
    put(&m, 0);
    m.writer.n_block = 2;
    assert_int_equal(open_made(&m), PAIMON_OK);
    expect_refusal(read_first(&m, NULL, NULL, &array), PAIMON_CORRUPT, "2 records in 1 bytes");
    done_with(&m);
    /* A null of a fixed type of a gigabyte takes a byte there, and a gigabyte here. */
    make(&m, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"v\",\"type\":{\"type\":\"array\",\"items\":[\"null\",{\"type\":\"fixed\",\"name\":\"f\",\"size\":1073741824}]}}]}");
    put(&m, 100);
    for (int i = 0; i < 100; i++) put(&m, 0);
    put(&m, 0), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    expect_refusal(read_first(&m, NULL, NULL, &array), PAIMON_NOMEM, "a column of more than");
    done_with(&m);
}

static void bytes_behind_the_last_record_of_a_block_are_damage(void **state)
{
    (void)state;
    made m;
    struct ArrowArray array;
    make(&m, long_schema);
    put(&m, 0), put(&m, 0), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    expect_refusal(read_first(&m, NULL, NULL, &array), PAIMON_CORRUPT, "1 bytes are left behind its 1 records");
    done_with(&m);
}

static void rows_are_counted_without_decoding_them(void **state)
{
    (void)state;
    made m;
    make(&m, long_schema);
    for (int i = 0; i < 30000; i++) put(&m, 1), put(&m, i * 1000), end_row(&m);
    assert_int_equal(open_made(&m), PAIMON_OK);
    assert_int_equal(m.file->ops->row_count(m.file), -1);
    struct ArrowSchema schema;
    assert_int_equal(pmn_schema_new(pmn_mem_default(), "+s", "", 0, 0, &schema, &err), PAIMON_OK);
    pmn_format_read_options options = { .batch_rows = 1000, .pool = m.pool, .n_threads = 1, .schema = &schema };
    pmn_format_reader *reader;
    pmn_format_batch batch;
    pmn_format_metrics metrics;
    int64_t rows = 0;
    assert_int_equal(m.file->ops->read(m.file, &options, &reader, &err), PAIMON_OK);
    for (;;) {
        assert_int_equal(reader->ops->next(reader, &batch, &err), PAIMON_OK);
        if (!batch.array.release) break;
        assert_int_equal(batch.array.n_children, 0);
        rows += batch.array.length;
        pmn_array_release(&batch.array);
    }
    reader->ops->metrics(reader, &metrics);
    assert_int_equal(rows, 30000);
    assert_true(metrics.bytes_read < (int64_t)m.writer.file.size / 2);
    pmn_format_reader_free(reader);
    pmn_schema_release(&schema);
    pmn_buf text;
    pmn_buf_init(&text, pmn_mem_default(), 1 << 20);
    assert_int_equal(m.file->ops->describe(m.file, &text, &err), PAIMON_OK);
    assert_int_equal(pmn_buf_terminate(&text, &err), PAIMON_OK);
    assert_non_null(strstr((const char *)text.data, "\"codec\": \"null\", \"schema\": {\"type\":\"record\""));
    assert_non_null(strstr((const char *)text.data, "], \"rows\": 30000}"));
    pmn_buf_free(&text);
    done_with(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_and_filters_select_exactly_the_rows_of_the_plain_reading),
        cmocka_unit_test(a_refused_allocation_anywhere_is_told_and_leaks_nothing),
        cmocka_unit_test(integers_are_narrowed_if_they_fit),
        cmocka_unit_test(timestamps_keep_their_instant_in_any_unit),
        cmocka_unit_test(a_decimal_may_be_stored_wider_or_shorter_than_it_comes_out),
        cmocka_unit_test(enums_are_their_symbols),
        cmocka_unit_test(null_may_be_the_second_branch_and_the_root_may_be_in_a_union),
        cmocka_unit_test(nested_values_and_nulls_keep_their_places),
        cmocka_unit_test(a_null_key_and_a_null_where_none_may_be_are_refused),
        cmocka_unit_test(the_same_field_may_be_asked_twice_and_an_unknown_one_is_null),
        cmocka_unit_test(a_list_of_a_fixed_length_has_that_length),
        cmocka_unit_test(unions_of_many_types_and_records_in_themselves_are_refused_by_name),
        cmocka_unit_test(a_batch_of_long_strings_stops_early),
        cmocka_unit_test(what_costs_a_file_nothing_is_bounded),
        cmocka_unit_test(bytes_behind_the_last_record_of_a_block_are_damage),
        cmocka_unit_test(rows_are_counted_without_decoding_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
