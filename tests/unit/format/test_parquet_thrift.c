/* Thrift's compact protocol: what the bytes mean, and that no bytes do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/parquet/thrift.h"

static pmn_thrift over(const void *bytes, size_t n, paimon_error *err) { return pmn_thrift_of(pmn_slice_of(bytes, n), 1000, "test", err); }

static void fields_step_by_deltas_and_by_whole_numbers(void **state)
{
    (void)state;
    /* 1: i32 -3 | 3: i64 300 | 40 (long form): binary "ab" | 41: true | 40 again (long form, backwards): byte -1 | stop */
    const uint8_t bytes[] = { 0x15, 0x05, 0x26, 0xd8, 0x04, 0x08, 0x50, 0x02, 'a', 'b', 0x11, 0x03, 0x50, 0xff, 0x00 };
    pmn_thrift t = over(bytes, sizeof bytes, NULL);
    pmn_thrift_struct s;
    pmn_thrift_field f;
    int32_t i32;
    int64_t i64;
    pmn_slice text;
    bool yes = false;
    assert_int_equal(pmn_thrift_begin(&t, &s), PAIMON_OK);
    assert_int_equal(pmn_thrift_next(&t, &s, &f), PAIMON_OK);
    assert_int_equal(f.id, 1);
    assert_int_equal(pmn_thrift_i32(&t, &f, &i32), PAIMON_OK);
    assert_int_equal(i32, -3);
    assert_int_equal(pmn_thrift_next(&t, &s, &f), PAIMON_OK);
    assert_int_equal(f.id, 3);
    assert_int_equal(pmn_thrift_i64(&t, &f, &i64), PAIMON_OK);
    assert_int_equal(i64, 300);
    assert_int_equal(pmn_thrift_next(&t, &s, &f), PAIMON_OK);
    assert_int_equal(f.id, 40);
    assert_int_equal(pmn_thrift_binary(&t, &f, &text), PAIMON_OK);
    assert_int_equal(text.size, 2);
    assert_memory_equal(text.data, "ab", 2);
    assert_int_equal(pmn_thrift_next(&t, &s, &f), PAIMON_OK);
    assert_int_equal(f.id, 41);
    assert_int_equal(pmn_thrift_bool(&t, &f, &yes), PAIMON_OK);
    assert_true(yes);
    assert_int_equal(pmn_thrift_next(&t, &s, &f), PAIMON_OK);
    assert_int_equal(f.id, 40);
    assert_int_equal(pmn_thrift_i32(&t, &f, &i32), PAIMON_OK);
    assert_int_equal(i32, -1);
    assert_int_equal(pmn_thrift_next(&t, &s, &f), PAIMON_OK);
    assert_int_equal(f.type, PMN_THRIFT_STOP);
    assert_int_equal(t.depth, 0);
    assert_int_equal(pmn_cursor_left(&t.cursor), 0);
}

static void everything_can_be_skipped(void **state)
{
    (void)state;
    const uint8_t bytes[] = {
        0x11,                                     /* 1: true */
        0x13, 0x07,                               /* 2: byte */
        0x14, 0x80, 0x01,                         /* 3: i16 */
        0x17, 1, 2, 3, 4, 5, 6, 7, 8,             /* 4: double */
        0x18, 0x03, 'x', 'y', 'z',                /* 5: binary */
        0x19, 0x25, 0x02, 0x04,                   /* 6: list of 2 i32 */
        0x1a, 0x21, 0x01, 0x02,                   /* 7: set of 2 bools */
        0x1b, 0x01, 0x85, 0x01, 'k', 0x06,        /* 8: map binary → i32 */
        0x1c, 0x15, 0x02, 0x1c, 0x00, 0x00,       /* 9: struct { i32, struct {} } */
        0x1b, 0x00,                               /* 10: empty map */
        0x00,
    };
    pmn_thrift t = over(bytes, sizeof bytes, NULL);
    pmn_thrift_field whole = { 0, PMN_THRIFT_STRUCT };
    assert_int_equal(pmn_thrift_skip(&t, &whole), PAIMON_OK);
    assert_int_equal(pmn_cursor_left(&t.cursor), 0);
    for (size_t n = 0; n < sizeof bytes; n++) {
        t = over(bytes, n, NULL);
        assert_int_equal(pmn_thrift_skip(&t, &whole), PAIMON_CORRUPT);
    }
}

static void a_list_longer_than_its_bytes_is_refused_by_place(void **state)
{
    (void)state;
    const uint8_t bytes[] = { 0xf5, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00 };
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_thrift t = over(bytes, sizeof bytes, &err);
    pmn_thrift_field f = { 2, PMN_THRIFT_LIST };
    pmn_thrift_list list;
    assert_int_equal(pmn_thrift_list_begin(&t, &f, &list), PAIMON_CORRUPT);
    assert_string_equal(paimon_error_message(&err), "test at byte 1006: a list has 2147483647 elements, but 1 bytes are left");
    paimon_error_clear(&err);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    uint8_t bytes[4096];
    memset(bytes, 0x1c, sizeof bytes); /* a struct in a struct in … */
    pmn_thrift t = over(bytes, sizeof bytes, NULL);
    pmn_thrift_field f = { 1, PMN_THRIFT_STRUCT };
    assert_int_equal(pmn_thrift_skip(&t, &f), PAIMON_CORRUPT);
    memset(bytes, 0x19, sizeof bytes); /* a list of one list of one list … */
    t = over(bytes, sizeof bytes, NULL);
    f.type = PMN_THRIFT_LIST;
    assert_int_equal(pmn_thrift_skip(&t, &f), PAIMON_CORRUPT);
    assert_true(pmn_cursor_offset(&t.cursor) < 200);
}

static void numbers_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const uint8_t wide[] = { 0x80, 0x80, 0x80, 0x80, 0x10 }; /* zigzag of 2^31 */
    const uint8_t endless[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };
    int32_t v;
    int64_t w;
    pmn_thrift_field f = { 1, PMN_THRIFT_I32 };
    pmn_thrift t = over(wide, sizeof wide, NULL);
    assert_int_equal(pmn_thrift_i32(&t, &f, &v), PAIMON_CORRUPT);
    t = over(wide, sizeof wide, NULL);
    assert_int_equal(pmn_thrift_i64(&t, &f, &w), PAIMON_OK);
    assert_true(w == 2147483648);
    t = over(endless, sizeof endless, NULL);
    assert_int_equal(pmn_thrift_i64(&t, &f, &w), PAIMON_CORRUPT);
    f.type = PMN_THRIFT_BINARY;
    t = over(wide, sizeof wide, NULL);
    assert_int_equal(pmn_thrift_i32(&t, &f, &v), PAIMON_CORRUPT);
}

static void random_bytes_end_in_an_answer(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            bytes[i] = (uint8_t)seed;
            if ((seed >> 8) % 3 == 0) bytes[i] = (uint8_t)(0x10 | (1 + (seed >> 16) % 13));
        }
        pmn_thrift t = over(bytes, sizeof bytes, NULL);
        pmn_thrift_field f = { 1, PMN_THRIFT_STRUCT };
        if (pmn_thrift_skip(&t, &f) == PAIMON_OK) assert_int_equal(t.depth, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_step_by_deltas_and_by_whole_numbers), cmocka_unit_test(everything_can_be_skipped),
        cmocka_unit_test(a_list_longer_than_its_bytes_is_refused_by_place), cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(numbers_that_do_not_fit_are_refused), cmocka_unit_test(random_bytes_end_in_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
