#include "support/unit.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"

/* ---- UTF-8 ---- */

static void every_code_point_round_trips(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        if (c >= 0xd800 && c < 0xe000) continue;
        uint8_t bytes[4];
        size_t n = pmn_utf8_encode(c, bytes), pos = 0;
        pmn_slice text = pmn_slice_of(bytes, n);
        if (!pmn_utf8_valid(text) || pmn_utf8_next(text, &pos) != c || pos != n || pmn_utf8_length(text) != 1) fail_msg("U+%04X", c);
        if (n > 1 && pmn_utf8_valid(pmn_slice_of(bytes, n - 1))) fail_msg("cut U+%04X", c);
    }
    uint8_t bytes[4];
    assert_int_equal(pmn_utf8_encode(0xd800, bytes), 3);
    assert_memory_equal(bytes, "\xef\xbf\xbd", 3);
}

static void malformed_sequences_are_not_valid(void **state)
{
    (void)state;
    static const char *const bad[] = { "\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc3", "\xe2\x82", "abcdefgh\xff", "\xc3\x28" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t pos = 0;
        assert_false(pmn_utf8_valid(pmn_slice_text(bad[i])));
        assert_true(pmn_utf8_next(pmn_slice_text(bad[i] + (i == 10 ? 8 : 0)), &pos) == 0xfffd && pos == 1);
    }
}

static void lengths_and_prefixes_count_code_points(void **state)
{
    (void)state;
    pmn_slice text = pmn_slice_text("abcdefghij\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z");
    assert_int_equal(pmn_utf8_length(text), 14);
    assert_int_equal(pmn_utf8_prefix(text, 11), 12);
    assert_int_equal(pmn_utf8_prefix(text, 13), 19);
    assert_int_equal(pmn_utf8_prefix(text, 99), text.size);
    assert_int_equal(pmn_utf8_prefix(text, 0), 0);
    assert_int_equal(pmn_utf8_length(pmn_slice_text("a\xff\xff" "b")), 4);
}

/* ---- hashes ---- */

static void java_string_hash_is_java_s(void **state)
{
    (void)state;
    assert_int_equal(pmn_java_string_hash("", 0), 0);
    assert_int_equal(pmn_java_string_hash("hello", 5), 99162322);
    assert_int_equal(pmn_java_string_hash("\xf0\x9f\x98\x80", 4), 1772899); /* two UTF-16 units */
}

static size_t unhex(const char *text, uint8_t *out)
{
    size_t n = strlen(text) / 2;
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        assert_int_equal(sscanf(text + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
    return n;
}

static void murmur_agrees_with_paimon_java(void **state)
{
    (void)state;
    static char text[100000];
    FILE *f = fopen(PAIMON_SOURCE_DIR "/tests/data/vectors/murmur.json", "rb");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    pmn_json *json;
    assert_int_equal(pmn_json_parse(pmn_slice_of(text, n), &json, NULL), PAIMON_OK);
    const pmn_json *vectors = pmn_json_get(json, "vectors");
    assert_true(pmn_json_size(vectors) > 10);
    for (size_t i = 0; i < pmn_json_size(vectors); i++) {
        const pmn_json *v = pmn_json_at(vectors, i);
        uint8_t bytes[4096];
        size_t size = unhex(pmn_json_text(pmn_json_get(v, "bytes")), bytes);
        assert_int_equal(pmn_murmur_bytes(bytes, size), pmn_json_int(pmn_json_get(v, "hashBytes")));
        const pmn_json *words = pmn_json_get(v, "hashBytesByWords");
        if (words) assert_int_equal(pmn_murmur_words(bytes, size), pmn_json_int(words));
    }
    pmn_json_free(json);
}

static void hash_of_near_keys_differs_and_reads_no_byte_too_many(void **state)
{
    (void)state;
    uint64_t seen[64];
    for (size_t n = 0; n < 64; n++) {
        uint8_t *bytes = calloc(n ? n : 1, 1);
        seen[n] = pmn_hash64(bytes, n, 1);
        for (size_t k = 0; k < n; k++) assert_true(seen[k] != seen[n]);
        for (size_t bit = 0; bit < n * 8; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            assert_true(pmn_hash64(bytes, n, 1) != seen[n]);
            bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
        free(bytes);
    }
}

/* ---- JSON ---- */

static pmn_json *parse(const char *text)
{
    pmn_json *json = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    if (pmn_json_parse(pmn_slice_text(text), &json, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    return json;
}

static void integers_are_exact_and_members_keep_their_order(void **state)
{
    (void)state;
    pmn_json *json = parse("{\"z\":9223372036854775807,\"a\":-9223372036854775808,\"m\":[1,2.5,null,true,\"x\"],\"z\":9007199254740993}");
    assert_int_equal(pmn_json_int(pmn_json_get(json, "z")), 9007199254740993); /* the last one wins */
    assert_true(pmn_json_int(pmn_json_get(json, "a")) == INT64_MIN);
    void *iter = NULL;
    const char *key;
    const pmn_json *value;
    char order[8] = "";
    while (pmn_json_next(json, &iter, &key, &value)) strcat(order, key);
    assert_string_equal(order, "zam");
    const pmn_json *m = pmn_json_get(json, "m");
    static const pmn_json_kind kinds[] = { PMN_JSON_INT, PMN_JSON_REAL, PMN_JSON_NULL, PMN_JSON_BOOL, PMN_JSON_TEXT };
    assert_int_equal(pmn_json_size(m), 5);
    for (size_t i = 0; i < 5; i++) assert_int_equal(pmn_json_kind_of(pmn_json_at(m, i)), kinds[i]);
    assert_null(pmn_json_at(m, 5));
    assert_null(pmn_json_get(m, "z"));
    assert_null(pmn_json_get(NULL, "z"));
    assert_int_equal(pmn_json_kind_of(NULL), PMN_JSON_NULL);
    assert_null(pmn_json_text(m));
    pmn_json_free(json);
}

static void bad_texts_are_corrupt_and_say_where(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_json *json;
    static const char *const bad[] = { "", "{", "{\"a\":}", "[1,]", "{\"a\":1} x", "99999999999999999999", "\"\xff\"", "nul" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(pmn_json_parse(pmn_slice_text(bad[i]), &json, &err), PAIMON_CORRUPT);
        assert_null(json);
        assert_non_null(strstr(paimon_error_message(&err), "line"));
    }
    static char deep[200000];
    memset(deep, '[', sizeof deep);
    assert_int_equal(pmn_json_parse(pmn_slice_of(deep, sizeof deep), &json, &err), PAIMON_CORRUPT);
    paimon_error_clear(&err);
}

static void typed_members_name_the_key_when_they_fail(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_json *json = parse("{\"i\":5,\"t\":\"x\",\"n\":null,\"zero\":\"a\\u0000b\"}");
    int64_t i;
    const char *t;
    assert_int_equal(pmn_json_need_int(json, "i", &i, &err), PAIMON_OK);
    assert_int_equal(i, 5);
    assert_int_equal(pmn_json_need_text(json, "t", &t, &err), PAIMON_OK);
    assert_string_equal(t, "x");
    assert_int_equal(pmn_json_int_or(json, "n", 7, &i, &err), PAIMON_OK);
    assert_int_equal(i, 7);
    assert_int_equal(pmn_json_text_or(json, "absent", NULL, &t, &err), PAIMON_OK);
    assert_null(t);
    assert_int_equal(pmn_json_need_int(json, "n", &i, &err), PAIMON_CORRUPT);
    assert_string_equal(paimon_error_message(&err), "\"n\" is missing");
    assert_int_equal(pmn_json_text_or(json, "i", "", &t, &err), PAIMON_CORRUPT);
    assert_string_equal(paimon_error_message(&err), "\"i\" is an integer, not a text");
    assert_int_equal(pmn_json_need_text(pmn_json_get(json, "t"), "t", &t, &err), PAIMON_CORRUPT);
    assert_int_equal(pmn_json_need_text(json, "zero", &t, &err), PAIMON_UNSUPPORTED);
    paimon_error_clear(&err);
    pmn_json_free(json);
}

static void quoted_texts_parse_back(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 2000; round++) {
        pmn_buf text, quoted;
        pmn_buf_init(&text, pmn_mem_default(), PMN_BUF_NO_CEILING);
        pmn_buf_init(&quoted, pmn_mem_default(), PMN_BUF_NO_CEILING);
        for (uint64_t n = random_below(&seed, 20); n > 0; n--) {
            uint8_t bytes[4];
            uint32_t limit = (uint32_t[]){ 0x20, 0x80, 0x800, 0x110000 }[random_below(&seed, 4)];
            assert_int_equal(pmn_buf_append(&text, bytes, pmn_utf8_encode((uint32_t)random_below(&seed, limit), bytes), NULL), PAIMON_OK);
        }
        assert_int_equal(pmn_json_quote(&quoted, pmn_slice_of(text.data, text.size), NULL), PAIMON_OK);
        pmn_json *json;
        assert_int_equal(pmn_json_parse(pmn_slice_of(quoted.data, quoted.size), &json, NULL), PAIMON_OK);
        if (text.size) assert_memory_equal(pmn_json_text(json), text.data, text.size);
        pmn_json_free(json);
        pmn_buf_free(&text);
        pmn_buf_free(&quoted);
    }
    pmn_buf out;
    pmn_buf_init(&out, pmn_mem_default(), PMN_BUF_NO_CEILING);
    assert_int_equal(pmn_json_quote(&out, pmn_slice_text("a\"\\\n\x01\xff/\x7f"), NULL), PAIMON_OK);
    assert_int_equal(pmn_buf_terminate(&out, NULL), PAIMON_OK);
    assert_string_equal((char *)out.data, "\"a\\\"\\\\\\n\\u0001\xef\xbf\xbd/\x7f\"");
    pmn_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_round_trips),
        cmocka_unit_test(malformed_sequences_are_not_valid),
        cmocka_unit_test(lengths_and_prefixes_count_code_points),
        cmocka_unit_test(java_string_hash_is_java_s),
        cmocka_unit_test(murmur_agrees_with_paimon_java),
        cmocka_unit_test(hash_of_near_keys_differs_and_reads_no_byte_too_many),
        cmocka_unit_test(integers_are_exact_and_members_keep_their_order),
        cmocka_unit_test(bad_texts_are_corrupt_and_say_where),
        cmocka_unit_test(typed_members_name_the_key_when_they_fail),
        cmocka_unit_test(quoted_texts_parse_back),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
