/* Containers, schemas and programs of Avro, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "format/avro/container.h"
#include "format/avro/json.h"
#include "format/avro/program.h"

static paimon_error err = PAIMON_ERROR_INIT;

static pmn_slice bytes_of(const char *bytes, size_t n) { return pmn_slice_of(bytes, n); }
#define BYTES(literal) bytes_of(literal, sizeof literal - 1)

static const pmn_avro_type *schema_of(pmn_arena *arena, const char *json)
{
    const pmn_avro_type *type = NULL;
    if (pmn_avro_schema_parse(arena, pmn_slice_text(json), &type, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    return type;
}

#define SYNC "0123456789abcdef"

static void a_header_may_come_in_blocks_with_sizes(void **state)
{
    (void)state;
    pmn_avro_header header;
    pmn_slice plain = BYTES("Obj\x01" "\x02" "\x16" "avro.schema" "\x0c" "\"null\"" "\x00" SYNC);
    assert_int_equal(pmn_avro_header_parse(plain, &header, &err), PAIMON_OK);
    assert_true(pmn_slice_equal(header.schema, pmn_slice_text("\"null\"")));
    assert_int_equal(header.codec, PMN_CODEC_NONE);
    assert_int_equal(header.size, plain.size);
    pmn_slice sized = BYTES("Obj\x01" "\x01" "\x26" "\x16" "avro.schema" "\x0c" "\"null\"" "\x02" "\x14" "avro.codec" "\x0e" "deflate" "\x00" SYNC);
    assert_int_equal(pmn_avro_header_parse(sized, &header, &err), PAIMON_OK);
    assert_int_equal(header.codec, PMN_CODEC_DEFLATE);
    for (size_t cut = 0; cut < sized.size; cut++)
        assert_int_equal(pmn_avro_header_parse(pmn_slice_of(sized.data, cut), &header, NULL), PAIMON_CORRUPT);
}

static void a_codec_that_is_not_known_is_refused_by_name(void **state)
{
    (void)state;
    pmn_avro_header header;
    pmn_slice file = BYTES("Obj\x01" "\x04" "\x16" "avro.schema" "\x0c" "\"null\"" "\x14" "avro.codec" "\x06" "lz4" "\x00" SYNC);
    assert_int_equal(pmn_avro_header_parse(file, &header, &err), PAIMON_UNSUPPORTED);
    assert_non_null(strstr(paimon_error_message(&err), "lz4"));
}

static void blocks_are_checked_against_what_is_there(void **state)
{
    (void)state;
    pmn_avro_header header = { .codec = PMN_CODEC_NONE };
    memcpy(header.sync, SYNC, 16);
    pmn_avro_block block;
    bool more;
    pmn_slice good = BYTES("\x04\x06" "abc" SYNC "\x00\x00" SYNC);
    pmn_cursor c = pmn_cursor_of(good.data, good.size);
    assert_int_equal(pmn_avro_block_next(&c, &header, &block, &more, &err), PAIMON_OK);
    assert_true(more);
    assert_int_equal(block.n, 2);
    assert_true(pmn_slice_equal(block.stored, pmn_slice_text("abc")));
    assert_int_equal(pmn_avro_block_next(&c, &header, &block, &more, &err), PAIMON_OK);
    assert_true(more && block.n == 0);
    assert_int_equal(block.offset, 21);
    assert_int_equal(pmn_avro_block_next(&c, &header, &block, &more, &err), PAIMON_OK);
    assert_false(more);
    static const struct {
        const char *bytes;
        size_t n;
    } bad[] = {
        { "\x04\x08" "abc" SYNC, 20 },  /* the size runs into the marker */
        { "\x04\x05" "abc" SYNC, 21 },  /* negative size */
        { "\x03\x06" "abc" SYNC, 21 },  /* negative count */
        { "\x04\x06" "abc" SYNC, 20 },  /* marker cut */
        { "\x04\x06" "abcX123456789abcdef", 21 },
        { "\x04", 1 },
        { "\x04\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01" "abc" SYNC, 30 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        c = pmn_cursor_of(bad[i].bytes, bad[i].n);
        assert_int_equal(pmn_avro_block_next(&c, &header, &block, &more, NULL), PAIMON_CORRUPT);
    }
}

static void names_resolve_in_their_namespace_and_schemas_may_refer_to_themselves(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    const pmn_avro_type *t = schema_of(&arena, "{\"type\":\"record\",\"name\":\"a.R\",\"fields\":["
                                               "{\"name\":\"f\",\"type\":{\"type\":\"fixed\",\"name\":\"F\",\"size\":3}},"
                                               "{\"name\":\"g\",\"type\":\"F\"},{\"name\":\"h\",\"type\":\"a.F\"},"
                                               "{\"name\":\"e\",\"type\":{\"type\":\"enum\",\"name\":\"E\",\"namespace\":\"b\",\"symbols\":[\"X\"]}},"
                                               "{\"name\":\"i\",\"type\":[\"null\",\"b.E\"]},{\"name\":\"next\",\"type\":[\"R\",\"null\"]}]}");
    assert_string_equal(t->name, "a.R");
    assert_ptr_equal(t->fields[0].type, t->fields[1].type);
    assert_ptr_equal(t->fields[0].type, t->fields[2].type);
    assert_string_equal(t->fields[3].type->name, "b.E");
    int null_branch;
    assert_ptr_equal(pmn_avro_nullable(t->fields[5].type, &null_branch), t);
    assert_int_equal(null_branch, 1);
    assert_int_equal(t->min_bytes, 3 + 3 + 3 + 1 + 1 + 1);
    pmn_arena_free(&arena);
}

static void bad_schemas_are_corrupt(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "{}", "5", "\"strnig\"", "[]", "[\"null\",\"X\"]", "{\"type\":\"record\",\"name\":\"r\"}", "{\"type\":\"record\",\"fields\":[]}",
        "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"type\":\"int\"}]}", "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\"}]}",
        "{\"type\":\"enum\",\"name\":\"e\"}", "{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[1]}", "{\"type\":\"fixed\",\"name\":\"f\"}",
        "{\"type\":\"fixed\",\"name\":\"f\",\"size\":-1}", "{\"type\":\"fixed\",\"name\":\"f\",\"size\":99999999999}", "{\"type\":\"array\"}",
        "{\"type\":\"map\"}", "[{\"type\":\"fixed\",\"name\":\"f\",\"size\":1},{\"type\":\"fixed\",\"name\":\"f\",\"size\":1}]",
    };
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const pmn_avro_type *type;
        if (pmn_avro_schema_parse(&arena, pmn_slice_text(bad[i]), &type, NULL) != PAIMON_CORRUPT) fail_msg("%s is taken", bad[i]);
    }
    char deep[4096] = "";
    for (int i = 0; i < 100; i++) strcat(deep, "{\"type\":\"array\",\"items\":");
    strcat(deep, "\"int\"");
    for (int i = 0; i < 100; i++) strcat(deep, "}");
    const pmn_avro_type *type;
    assert_int_equal(pmn_avro_schema_parse(&arena, pmn_slice_text(deep), &type, NULL), PAIMON_CORRUPT);
    pmn_arena_free(&arena);
}

static const char *const shapes[] = {
    /* the wanted fields: a long, b bytes, r/c long, l longs; between them what has to be skipped right */
    "{\"type\":\"record\",\"name\":\"t\",\"fields\":[{\"name\":\"a\",\"type\":\"long\"},{\"name\":\"b\",\"type\":\"string\"},"
    "{\"name\":\"r\",\"type\":{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"c\",\"type\":\"int\"}]}},"
    "{\"name\":\"l\",\"type\":{\"type\":\"array\",\"items\":[\"null\",\"long\"]}}]}",
    "{\"type\":\"record\",\"name\":\"t\",\"fields\":[{\"name\":\"x\",\"type\":\"int\"},{\"name\":\"y\",\"type\":\"int\"},"
    "{\"name\":\"r\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"c\",\"type\":[\"int\",\"null\"]},{\"name\":\"z\",\"type\":\"long\"}]}]},"
    "{\"name\":\"w\",\"type\":\"long\"},{\"name\":\"l\",\"type\":[\"null\",{\"type\":\"array\",\"items\":[\"long\",\"null\"]}]},"
    "{\"name\":\"b\",\"type\":[\"null\",\"bytes\"]},{\"name\":\"a\",\"type\":[\"null\",\"long\"]}]}",
};
static const pmn_avro_want wants[] = {
    { "a", PMN_AVRO_WANT_LONG }, { "b", PMN_AVRO_WANT_BYTES }, { "r/c", PMN_AVRO_WANT_LONG }, { "l", PMN_AVRO_WANT_ITEMS }, { "gone", PMN_AVRO_WANT_LONG },
};

static void assert_record(const pmn_avro_program *program, pmn_slice bytes, int n_head, bool nulls)
{
    (void)n_head;
    pmn_avro_slot slots[5] = { { 0 } };
    pmn_cursor c = pmn_cursor_of(bytes.data, bytes.size);
    bool is_null;
    for (int again = 0; again < 2; again++) {
        c.pos = c.start;
        assert_int_equal(pmn_avro_read_head(program, &c, slots, &is_null, &err), PAIMON_OK);
        pmn_cursor at = c;
        assert_int_equal(pmn_avro_read_tail(program, &c, slots, &err), PAIMON_OK);
        assert_int_equal(pmn_cursor_left(&c), 0);
        assert_int_equal(pmn_avro_skip_tail(program, &at, &err), PAIMON_OK);
        assert_ptr_equal(at.pos, c.pos);
    }
    assert_false(slots[4].present);
    for (int k = 0; k < 4; k++) assert_int_equal(slots[k].present, !nulls);
    if (nulls) return;
    assert_int_equal(slots[0].i, -300);
    assert_true(pmn_slice_equal(slots[1].bytes, pmn_slice_text("hello")));
    assert_int_equal(slots[2].i, 7);
    pmn_arena arena;
    const int64_t *longs;
    int32_t n;
    pmn_arena_init(&arena, pmn_mem_default());
    assert_int_equal(pmn_avro_items_longs(&arena, pmn_avro_program_type(program, 3), slots[3].bytes, -1, &longs, &n, &err), PAIMON_OK);
    assert_int_equal(n, 3);
    assert_int_equal(longs[0], 5);
    assert_int_equal(longs[1], -1);
    assert_int_equal(longs[2], 64);
    pmn_arena_free(&arena);
}

static void wanted_fields_are_found_in_any_order_and_the_rest_is_skipped(void **state)
{
    (void)state;
    for (int n_head = 0; n_head <= 4; n_head++) {
        pmn_arena arena;
        const pmn_avro_program *program;
        pmn_arena_init(&arena, pmn_mem_default());
        assert_int_equal(pmn_avro_program_new(&arena, schema_of(&arena, shapes[0]), wants, 5, n_head, &program, &err), PAIMON_OK);
        assert_record(program, BYTES("\xd7\x04" "\x0ahello" "\x0e" "\x06\x02\x0a\x00\x02\x80\x01\x00"), n_head, false);
        /* the same list in two blocks, the second with its size */
        assert_record(program, BYTES("\xd7\x04" "\x0ahello" "\x0e" "\x02\x02\x0a\x03\x08\x00\x02\x80\x01\x00"), n_head, false);
        assert_int_equal(pmn_avro_program_new(&arena, schema_of(&arena, shapes[1]), wants, 5, n_head, &program, &err), PAIMON_OK);
        assert_record(program, BYTES("\x02\x80\x01" "\x02\x00\x0e\x96\x01" "\x08" "\x02\x06\x00\x0a\x02\x00\x80\x01\x00" "\x02\x0ahello" "\x02\xd7\x04"),
                      n_head, false);
        assert_record(program, BYTES("\x02\x04" "\x00" "\x08" "\x00" "\x00" "\x00"), n_head, true);
        pmn_arena_free(&arena);
    }
}

static void a_wanted_field_of_another_type_is_corrupt(void **state)
{
    (void)state;
    pmn_arena arena;
    const pmn_avro_program *program;
    pmn_arena_init(&arena, pmn_mem_default());
    const pmn_avro_want wrong[] = { { "b", PMN_AVRO_WANT_LONG }, { "r", PMN_AVRO_WANT_LONG }, { "a/c", PMN_AVRO_WANT_LONG }, { "l", PMN_AVRO_WANT_BYTES } };
    for (int i = 0; i < 4; i++)
        assert_int_equal(pmn_avro_program_new(&arena, schema_of(&arena, shapes[0]), &wrong[i], 1, 0, &program, NULL), PAIMON_CORRUPT);
    assert_int_equal(pmn_avro_program_new(&arena, schema_of(&arena, "\"int\""), wants, 5, 0, &program, NULL), PAIMON_CORRUPT);
    pmn_arena_free(&arena);
}

static void cut_records_are_corrupt_and_name_the_field(void **state)
{
    (void)state;
    pmn_arena arena;
    const pmn_avro_program *program;
    pmn_arena_init(&arena, pmn_mem_default());
    assert_int_equal(pmn_avro_program_new(&arena, schema_of(&arena, shapes[0]), wants, 5, 2, &program, &err), PAIMON_OK);
    pmn_slice whole = BYTES("\xd7\x04" "\x0ahello" "\x0e" "\x06\x02\x0a\x00\x02\x80\x01\x00");
    for (size_t cut = 0; cut < whole.size; cut++) {
        pmn_avro_slot slots[5] = { { 0 } };
        bool is_null;
        pmn_cursor c = pmn_cursor_of(whole.data, cut);
        paimon_status status = pmn_avro_read_head(program, &c, slots, &is_null, &err);
        if (status == PAIMON_OK) status = pmn_avro_read_tail(program, &c, slots, &err);
        assert_int_equal(status, PAIMON_CORRUPT);
        assert_non_null(strstr(paimon_error_message(&err), "field "));
    }
    pmn_arena_free(&arena);
}

/* Each record has 50 fields of the next one: flat, the innermost would come 50 to the power of 12 times. */
static void a_schema_that_multiplies_is_walked_and_not_laid_out(void **state)
{
    (void)state;
    for (int empty = 0; empty < 2; empty++) {
        pmn_arena arena;
        pmn_buf json;
        const pmn_avro_program *program;
        pmn_arena_init(&arena, pmn_mem_default());
        pmn_buf_init(&json, pmn_mem_default(), 1 << 20);
        paimon_status status = pmn_buf_append_text(&json, "{\"type\":\"record\",\"name\":\"t\",\"fields\":[{\"name\":\"x\",\"type\":", &err);
        for (int level = 0; level < 12; level++) status |= pmn_buf_printf(&json, &err, "{\"type\":\"record\",\"name\":\"r%d\",\"fields\":[{\"name\":\"f\",\"type\":", level);
        status |= pmn_buf_append_text(&json, empty ? "\"null\"" : "\"long\"", &err);
        for (int level = 11; level >= 0; level--) {
            for (int i = 1; i < 50; i++)
                status |= level == 11 ? pmn_buf_printf(&json, &err, "},{\"name\":\"f%d\",\"type\":\"null\"", i)
                                      : pmn_buf_printf(&json, &err, "},{\"name\":\"f%d\",\"type\":\"r%d\"", i, level + 1);
            status |= pmn_buf_append_text(&json, "}]}", &err);
        }
        status |= pmn_buf_append_text(&json, "},{\"name\":\"a\",\"type\":\"long\"}]}", &err);
        status |= pmn_buf_terminate(&json, &err);
        assert_int_equal(status, PAIMON_OK);
        assert_int_equal(pmn_avro_program_new(&arena, schema_of(&arena, (char *)json.data), wants, 5, 0, &program, &err), PAIMON_OK);
        pmn_buf_free(&json);
        pmn_arena_free(&arena);
    }
}

static void assert_json(const char *schema, pmn_slice datum, const char *json)
{
    pmn_arena arena;
    pmn_buf out;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_buf_init(&out, pmn_mem_default(), 1 << 20);
    pmn_cursor c = pmn_cursor_of(datum.data, datum.size);
    const pmn_avro_type *type = schema_of(&arena, schema);
    if (pmn_avro_to_json(type, &c, &out, &err) != PAIMON_OK) fail_msg("%s: %s", schema, paimon_error_message(&err));
    assert_int_equal(pmn_cursor_left(&c), 0);
    assert_int_equal(pmn_buf_terminate(&out, &err), PAIMON_OK);
    assert_string_equal((char *)out.data, json);
    c.pos = c.start;
    assert_true(pmn_avro_skip(type, &c));
    assert_int_equal(pmn_cursor_left(&c), 0);
    pmn_buf_free(&out);
    pmn_arena_free(&arena);
}

static void any_datum_is_shown_as_json(void **state)
{
    (void)state;
    assert_json("\"null\"", BYTES(""), "null");
    assert_json("\"boolean\"", BYTES("\x01"), "true");
    assert_json("\"long\"", BYTES("\x01"), "-1");
    assert_json("\"float\"", BYTES("\xcd\xcc\xcc\x3d"), "0.1");
    assert_json("\"double\"", BYTES("\x00\x00\x00\x00\x00\x00\xf8\x7f"), "\"NaN\"");
    assert_json("\"bytes\"", BYTES("\x04\x00\xff"), "\"00ff\"");
    assert_json("\"string\"", BYTES("\x06" "a\"\n"), "\"a\\\"\\n\"");
    assert_json("{\"type\":\"fixed\",\"name\":\"f\",\"size\":2}", BYTES("\x01\x02"), "\"0102\"");
    assert_json("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"B\"]}", BYTES("\x02"), "\"B\"");
    assert_json("[\"int\",\"string\",\"null\"]", BYTES("\x02\x02x"), "\"x\"");
    assert_json("{\"type\":\"array\",\"items\":\"int\"}", BYTES("\x04\x02\x04\x01\x02\x06\x00"), "[1,2,3]");
    assert_json("{\"type\":\"array\",\"items\":\"null\"}", BYTES("\x06\x00"), "[null,null,null]");
    assert_json("{\"type\":\"map\",\"values\":\"int\"}", BYTES("\x02\x02k\x02\x00"), "{\"k\":1}");
    assert_json("{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}", BYTES("\x01"), "\"1969-12-31T23:59:59.999\"");
    assert_json("{\"type\":\"int\",\"logicalType\":\"date\"}", BYTES("\x02"), "\"1970-01-02\"");
    assert_json("{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":5,\"scale\":2}", BYTES("\x04\xff\x85"), "\"-1.23\"");
    assert_json("{\"type\":\"record\",\"name\":\"n\",\"fields\":[{\"name\":\"v\",\"type\":\"int\"},{\"name\":\"next\",\"type\":[\"null\",\"n\"]}]}",
                BYTES("\x02\x02\x04\x00"), "{\"v\":1,\"next\":{\"v\":2,\"next\":null}}");
}

static void data_of_a_schema_that_refers_to_itself_is_bounded_in_depth(void **state)
{
    (void)state;
    uint8_t chain[4096];
    pmn_arena arena;
    pmn_buf out;
    memset(chain, 2, sizeof chain); /* {1, {1, {1, … */
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_buf_init(&out, pmn_mem_default(), 1 << 20);
    const pmn_avro_type *type =
        schema_of(&arena, "{\"type\":\"record\",\"name\":\"n\",\"fields\":[{\"name\":\"v\",\"type\":\"int\"},{\"name\":\"next\",\"type\":[\"null\",\"n\"]}]}");
    pmn_cursor c = pmn_cursor_of(chain, sizeof chain);
    assert_int_equal(pmn_avro_to_json(type, &c, &out, NULL), PAIMON_CORRUPT);
    c = pmn_cursor_of(chain, sizeof chain);
    assert_false(pmn_avro_skip(type, &c));
    type = schema_of(&arena, "{\"type\":\"record\",\"name\":\"m\",\"fields\":[{\"name\":\"self\",\"type\":\"m\"}]}");
    c = pmn_cursor_of(chain, sizeof chain);
    assert_false(pmn_avro_skip(type, &c));
    pmn_buf_free(&out);
    pmn_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_may_come_in_blocks_with_sizes),
        cmocka_unit_test(a_codec_that_is_not_known_is_refused_by_name),
        cmocka_unit_test(blocks_are_checked_against_what_is_there),
        cmocka_unit_test(names_resolve_in_their_namespace_and_schemas_may_refer_to_themselves),
        cmocka_unit_test(bad_schemas_are_corrupt),
        cmocka_unit_test(wanted_fields_are_found_in_any_order_and_the_rest_is_skipped),
        cmocka_unit_test(a_wanted_field_of_another_type_is_corrupt),
        cmocka_unit_test(cut_records_are_corrupt_and_name_the_field),
        cmocka_unit_test(a_schema_that_multiplies_is_walked_and_not_laid_out),
        cmocka_unit_test(any_datum_is_shown_as_json),
        cmocka_unit_test(data_of_a_schema_that_refers_to_itself_is_bounded_in_depth),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    paimon_error_clear(&err);
    return failed;
}
