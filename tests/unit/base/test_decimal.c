#include "support/unit.h"

#include "base/decimal.h"

static pmn_i128 random_decimal(uint64_t *seed)
{
    int digits = 1 + (int)random_below(seed, 38);
    pmn_u128 v = ((pmn_u128)random_next(seed) << 64 | random_next(seed)) % (pmn_u128)pmn_pow10_i128(digits);
    return random_next(seed) & 1 ? -(pmn_i128)v : (pmn_i128)v;
}

static const char *print(pmn_i128 value, int scale)
{
    static char text[PMN_DECIMAL_TEXT_MAX];
    size_t n = pmn_decimal_print(value, scale, text);
    assert_int_equal(n, strlen(text));
    return text;
}

static bool parse(const char *text, int precision, int scale, pmn_i128 *out)
{
    return pmn_decimal_parse(pmn_slice_text(text), precision, scale, out);
}

static void powers_of_ten_are_exact(void **state)
{
    (void)state;
    pmn_i128 power = 1;
    for (int i = 0; i <= 38; i++, power *= 10) {
        assert_true(pmn_pow10_i128(i) == power);
        assert_int_equal(pmn_decimal_digits(power), i + 1);
        if (i) assert_int_equal(pmn_decimal_digits(-(power - 1)), i);
        if (i == 38) break;
    }
    assert_int_equal(pmn_decimal_digits(0), 1);
    assert_int_equal(pmn_decimal_digits((pmn_i128)((pmn_u128)1 << 127)), 39);
}

static void prints_plain_notation(void **state)
{
    (void)state;
    assert_string_equal(print(0, 0), "0");
    assert_string_equal(print(0, 2), "0.00");
    assert_string_equal(print(-5, 0), "-5");
    assert_string_equal(print(-5, 3), "-0.005");
    assert_string_equal(print(12345, 2), "123.45");
    assert_string_equal(print(pmn_pow10_i128(19), 0), "10000000000000000000");
    assert_string_equal(print(pmn_pow10_i128(38) - 1, 38), "0.99999999999999999999999999999999999999");
    assert_string_equal(print(-(pmn_pow10_i128(38) - 1), 1), "-9999999999999999999999999999999999999.9");
    assert_string_equal(print((pmn_i128)((pmn_u128)1 << 127), 0), "-170141183460469231731687303715884105728");
}

static void parses_what_it_prints(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        pmn_i128 value = random_decimal(&seed), back;
        int scale = (int)random_below(&seed, 39);
        assert_true(parse(print(value, scale), 38, scale, &back));
        assert_true(back == value);
    }
}

static void parses_exactly_or_not_at_all(void **state)
{
    (void)state;
    pmn_i128 v;
    assert_true(parse("1.50", 3, 1, &v) && v == 15);
    assert_true(parse("+12e2", 4, 0, &v) && v == 1200);
    assert_true(parse("1200E-2", 2, 0, &v) && v == 12);
    assert_true(parse(".5", 1, 1, &v) && v == 5);
    assert_true(parse("5.", 1, 0, &v) && v == 5);
    assert_true(parse("0e999999999999999999999", 1, 0, &v) && v == 0);
    assert_true(parse("-0.00", 3, 2, &v) && v == 0);
    assert_true(parse("000000000000000000000000000000000000000000000001", 1, 0, &v) && v == 1);
    assert_true(parse("99999999999999999999999999999999999999", 38, 0, &v) && v == pmn_pow10_i128(38) - 1);
    assert_false(parse("100000000000000000000000000000000000000", 38, 0, &v));
    assert_false(parse("1.55", 3, 1, &v)); /* would lose a digit */
    assert_false(parse("100", 2, 0, &v));
    assert_false(parse("1", 2, 2, &v)); /* 1.00 has three digits */
    assert_false(parse("1e40", 38, 0, &v));
    assert_false(parse("1e-40", 38, 38, &v));
    static const char *const bad[] = { "", "+", "-", ".", "e5", "1e", "1e+", "1 ", " 1", "1..2", "1.2.3", "0x1", "1e5.5", "--1", "NaN", "1_0" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(parse(bad[i], 38, 2, &v));
}

static void bytes_round_trip_in_their_shortest_form(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 20000; i++) {
        pmn_i128 value = i < 70000 && i % 2 ? (pmn_i128)(i - 10000) : random_decimal(&seed), back;
        uint8_t bytes[40];
        size_t n = pmn_i128_to_be(value, bytes);
        assert_true(pmn_i128_from_be(pmn_slice_of(bytes, n), &back) && back == value);
        if (n > 1) { /* one byte less is another number */
            assert_true(pmn_i128_from_be(pmn_slice_of(bytes + 1, n - 1), &back));
            assert_true(back != value);
        }
        uint8_t wide[40];
        memset(wide, value < 0 ? 0xff : 0, sizeof wide);
        memcpy(wide + sizeof wide - n, bytes, n);
        for (size_t w = n; w <= sizeof wide; w++) assert_true(pmn_i128_from_be(pmn_slice_of(wide + sizeof wide - w, w), &back) && back == value);
    }
    uint8_t bytes[17] = { 0 };
    pmn_i128 v;
    assert_int_equal(pmn_i128_to_be(0, bytes), 1);
    assert_int_equal(pmn_i128_to_be(128, bytes), 2);
    assert_int_equal(pmn_i128_to_be(-128, bytes), 1);
    assert_int_equal(pmn_i128_to_be((pmn_i128)((pmn_u128)1 << 127), bytes), 16);
    assert_false(pmn_i128_from_be(pmn_slice_of(bytes, 0), &v));
    uint8_t large[17] = { 0, 0x80 };
    assert_false(pmn_i128_from_be(pmn_slice_of(large, 17), &v)); /* 2^127 needs a sign bit more */
    uint8_t larger[17] = { 1 };
    assert_false(pmn_i128_from_be(pmn_slice_of(larger, 17), &v));
}

static void doubles_are_the_nearest(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int i = 0; i < 5000; i++) {
        pmn_i128 value = random_decimal(&seed);
        int scale = (int)random_below(&seed, 39);
        assert_true(pmn_decimal_to_double(value, scale) == strtod(print(value, scale), NULL));
    }
    assert_true(pmn_decimal_to_double(1, -2) == 100.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_ten_are_exact),         cmocka_unit_test(prints_plain_notation),
        cmocka_unit_test(parses_what_it_prints),           cmocka_unit_test(parses_exactly_or_not_at_all),
        cmocka_unit_test(bytes_round_trip_in_their_shortest_form), cmocka_unit_test(doubles_are_the_nearest),
    };
    return cmocka_run_group_tests_name("decimal", tests, NULL, NULL);
}
