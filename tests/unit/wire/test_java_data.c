/* Java's DataOutput and DataInput: texts of every kind there and back, and what no Java wrote. */
#include "support/unit.h"

#include "support/vectors.h"
#include "wire/java_data.h"

static pmn_buf utf(test_env *t, const char *text)
{
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    must(t, pmn_java_put_utf(&out, text, &t->err));
    return out;
}

static void texts_take_the_form_of_write_utf(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *bytes;
        size_t n;
    } cases[] = {
        { "", "\0\0", 2 },
        { "bucket-0", "\0\x08" "bucket-0", 10 },
        { "\xc3\xa4", "\0\x02\xc3\xa4", 4 },
        { "\xe4\xb8\xad", "\0\x03\xe4\xb8\xad", 5 },
        { "\xf0\x9f\x98\x80!", "\0\x07\xed\xa0\xbd\xed\xb8\x80!", 9 }, /* U+1F600 */
        { "\xf4\x8f\xbf\xbf", "\0\x06\xed\xaf\xbf\xed\xbf\xbf", 8 },    /* U+10FFFF */
    };
    test_env t;
    env_begin(&t, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pmn_buf out = utf(&t, cases[i].text);
        assert_bytes(pmn_slice_of(out.data, out.size), pmn_slice_of(cases[i].bytes, cases[i].n), cases[i].text);
        const char *again;
        pmn_java_input in = pmn_java_input_of(pmn_slice_of(out.data, out.size), &t.err);
        must(&t, pmn_java_get_utf(&in, "text", &t.arena, &again));
        must(&t, pmn_java_end(&in, "text"));
        assert_string_equal(again, cases[i].text);
        pmn_buf_free(&out);
    }
    env_end(&t);
}

static void a_text_ends_at_65535_bytes(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    char *text = pmn_arena_alloc(&t.arena, 70000);
    memset(text, 'a', 70000);
    text[65535] = 0;
    pmn_buf out = utf(&t, text);
    assert_int_equal(out.size, 65537);
    text[65535] = 'a';
    text[65536] = 0;
    refused(&t, PAIMON_INVALID, pmn_java_put_utf(&out, text, &t.err));
    memcpy(text + 65530, "\xf0\x9f\x98\x80", 5); /* fits in UTF-8, not as two surrogates */
    refused(&t, PAIMON_INVALID, pmn_java_put_utf(&out, text, &t.err));
    pmn_buf_free(&out);
    env_end(&t);
}

static void refuse_text(test_env *t, const char *bytes, size_t n)
{
    const char *text;
    pmn_java_input in = pmn_java_input_of(pmn_slice_of(bytes, n), &t->err);
    refused(t, PAIMON_CORRUPT, pmn_java_get_utf(&in, "text", &t->arena, &text));
}

static void texts_that_java_does_not_write_are_refused(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    refuse_text(&t, "\0", 1);
    refuse_text(&t, "\0\x02" "a", 3);
    refuse_text(&t, "\0\x01\0", 3);
    refuse_text(&t, "\0\x02\xc0\x80", 4);
    refuse_text(&t, "\0\x01\xc3", 3);
    refuse_text(&t, "\0\x02\xc3" "a", 4);
    refuse_text(&t, "\0\x02\xe4\xb8", 4);
    refuse_text(&t, "\0\x04\xf0\x9f\x98\x80", 6);
    refuse_text(&t, "\0\x03\xed\xa0\xbd", 5);             /* half a pair */
    refuse_text(&t, "\0\x06\xed\xb8\x80\xed\xa0\xbd", 8); /* the wrong way round */
    env_end(&t);
}

static void numbers_are_big_endian_and_counts_are_held_against_what_is_left(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    pmn_buf out;
    pmn_buf_init(&out, t.mem, PMN_BUF_NO_CEILING);
    must(&t, pmn_java_put_int(&out, -2, &t.err));
    must(&t, pmn_java_put_long(&out, INT64_MIN + 1, &t.err));
    must(&t, pmn_java_put_bool(&out, true, &t.err));
    must(&t, pmn_java_put_framed(&out, pmn_slice_text("abc"), &t.err));
    assert_bytes(pmn_slice_of(out.data, out.size), pmn_slice_of("\xff\xff\xff\xfe\x80\0\0\0\0\0\0\1\1\0\0\0\3" "abc", 20), "numbers");
    pmn_java_input in = pmn_java_input_of(pmn_slice_of(out.data, out.size), &t.err);
    int32_t i;
    int64_t l;
    bool b;
    const char *text;
    must(&t, pmn_java_get_int(&in, "int", &i));
    must(&t, pmn_java_get_long(&in, "long", &l));
    must(&t, pmn_java_get_bool(&in, "bool", &b));
    assert_true(i == -2 && l == INT64_MIN + 1 && b);
    pmn_java_input here = in;
    must(&t, pmn_java_get_framed_text(&here, "text", &t.arena, &text));
    assert_string_equal(text, "abc");
    refused(&t, PAIMON_CORRUPT, pmn_java_end(&in, "numbers"));
    here = in;
    must(&t, pmn_java_get_count(&here, "things", 1, &i));
    here = in;
    refused(&t, PAIMON_CORRUPT, pmn_java_get_count(&here, "things", 2, &i));
    here = pmn_java_input_of(pmn_slice_of("\xff\xff\xff\xff", 4), &t.err);
    refused(&t, PAIMON_CORRUPT, pmn_java_get_count(&here, "things", 1, &i));
    here = pmn_java_input_of(pmn_slice_of("\2", 1), &t.err);
    refused(&t, PAIMON_CORRUPT, pmn_java_get_bool(&here, "flag", &b));
    pmn_buf_free(&out);
    env_end(&t);
}

static void a_row_holds_the_fields_that_it_claims(void **state)
{
    (void)state;
    static const uint8_t one[] = { 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0 };
    uint8_t bytes[sizeof one];
    test_env t;
    env_begin(&t, NULL);
    pmn_slice row;
    pmn_java_input in = pmn_java_input_of(pmn_slice_of(one, sizeof one), &t.err);
    must(&t, pmn_java_get_row(&in, "partition", &row));
    assert_int_equal(row.size, 20);
    memcpy(bytes, one, sizeof one);
    for (unsigned arity = 2; arity < 256; arity++) {
        bytes[7] = (uint8_t)arity;
        bytes[4] = (uint8_t)(arity % 3 ? 0 : 0xff);
        in = pmn_java_input_of(pmn_slice_of(bytes, sizeof bytes), &t.err);
        refused(&t, PAIMON_CORRUPT, pmn_java_get_row(&in, "partition", &row));
    }
    for (size_t n = 0; n < sizeof one; n++) {
        in = pmn_java_input_of(pmn_slice_of(one, n), &t.err);
        refused(&t, PAIMON_CORRUPT, pmn_java_get_row(&in, "partition", &row));
    }
    env_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_take_the_form_of_write_utf),
        cmocka_unit_test(a_text_ends_at_65535_bytes),
        cmocka_unit_test(texts_that_java_does_not_write_are_refused),
        cmocka_unit_test(numbers_are_big_endian_and_counts_are_held_against_what_is_left),
        cmocka_unit_test(a_row_holds_the_fields_that_it_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
