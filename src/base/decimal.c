/* Decimals as 128-bit unscaled integers. The largest has 38 digits, so one more digit never overflows 128 bits. */
#include "base/decimal.h"

#include <stdlib.h>
#include <string.h>

#define TEN_TO_19 10000000000000000000u

pmn_i128 pmn_pow10_i128(int n)
{
    static const uint64_t small[] = { 1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u, 10000000000u,
                                      100000000000u, 1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u,
                                      10000000000000000u, 100000000000000000u, 1000000000000000000u, TEN_TO_19 };
    return n < 20 ? (pmn_i128)small[n] : (pmn_i128)((pmn_u128)small[n - 19] * TEN_TO_19);
}

static pmn_u128 magnitude(pmn_i128 value)
{
    return value < 0 ? 0 - (pmn_u128)value : (pmn_u128)value;
}

int pmn_decimal_digits(pmn_i128 value)
{
    pmn_u128 m = magnitude(value);
    int n = 1;
    if (m >= (pmn_u128)TEN_TO_19) {
        n += 19;
        m /= TEN_TO_19;
    }
    if (m >= (pmn_u128)TEN_TO_19) { /* 39 digits: past any decimal, not past 128 bits */
        n += 19;
        m /= TEN_TO_19;
    }
    for (uint64_t low = (uint64_t)m; low >= 10; low /= 10) n++;
    return n;
}

size_t pmn_decimal_print(pmn_i128 value, int scale, char out[PMN_DECIMAL_TEXT_MAX])
{
    char digits[48]; /* least significant first */
    int n = 0;
    for (pmn_u128 m = magnitude(value); m || n == 0;) {
        uint64_t part = (uint64_t)(m % TEN_TO_19);
        m /= TEN_TO_19;
        for (int i = 0; i < 19 && (m || part || n == 0); i++, part /= 10) digits[n++] = (char)('0' + part % 10);
    }
    while (n <= scale) digits[n++] = '0';
    size_t length = 0;
    if (value < 0) out[length++] = '-';
    while (n > 0) {
        if (n-- == scale) out[length++] = '.';
        out[length++] = digits[n];
    }
    out[length] = 0;
    return length;
}

/* A decimal text taken apart: its digits with the point among them, and what they are to be scaled by. */
typedef struct digit_run {
    const uint8_t *data;
    size_t n;      /* characters, the point included */
    int64_t scale; /* digits behind the point, less the exponent */
    bool negative;
} digit_run;

static bool is_decimal_digit(uint8_t b)
{
    return b >= '0' && b <= '9';
}

static bool parse_exponent(pmn_slice text, size_t pos, int64_t *out)
{
    bool negative = pos < text.size && text.data[pos] == '-';
    if (pos < text.size && (text.data[pos] == '-' || text.data[pos] == '+')) pos++;
    if (pos == text.size) return false;
    int64_t v = 0;
    for (; pos < text.size; pos++) {
        if (!is_decimal_digit(text.data[pos])) return false;
        if (v < 1000000000000) v = v * 10 + (text.data[pos] - '0'); /* larger ones mean the same */
    }
    *out = negative ? -v : v;
    return true;
}

static bool split_text(pmn_slice text, digit_run *out)
{
    size_t pos = 0, n_digits = 0;
    out->negative = text.size && text.data[0] == '-';
    if (text.size && (text.data[0] == '-' || text.data[0] == '+')) pos++;
    size_t start = pos;
    bool point = false;
    out->scale = 0;
    for (; pos < text.size; pos++) {
        if (is_decimal_digit(text.data[pos])) {
            n_digits++;
            out->scale += point;
        } else if (text.data[pos] == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    out->data = text.data + start;
    out->n = pos - start;
    if (n_digits == 0) return false;
    if (pos == text.size) return true;
    int64_t exponent;
    if ((text.data[pos] != 'e' && text.data[pos] != 'E') || !parse_exponent(text, pos + 1, &exponent)) return false;
    out->scale -= exponent;
    return true;
}

bool pmn_decimal_parse(pmn_slice text, int precision, int scale, pmn_i128 *out)
{
    digit_run run;
    if (precision < 1 || precision > PMN_DECIMAL_MAX_PRECISION || !split_text(text, &run)) return false;
    /* Trailing zeros go, whatever their side of the point: what is left fits or does not. */
    size_t n = run.n;
    for (; n && (run.data[n - 1] == '0' || run.data[n - 1] == '.'); n--) run.scale -= run.data[n - 1] == '0';
    pmn_u128 m = 0, limit = (pmn_u128)pmn_pow10_i128(precision);
    for (size_t i = 0; i < n; i++) {
        if (run.data[i] == '.') continue;
        m = m * 10 + (pmn_u128)(run.data[i] - '0');
        if (m >= limit) return false;
    }
    if (m != 0) {
        if (run.scale > scale) return false;
        for (int64_t s = run.scale; s < scale; s++) {
            m *= 10;
            if (m >= limit) return false;
        }
    }
    *out = run.negative ? -(pmn_i128)m : (pmn_i128)m;
    return true;
}

bool pmn_i128_from_be(pmn_slice bytes, pmn_i128 *out)
{
    if (bytes.size == 0) return false;
    uint8_t fill = bytes.data[0] & 0x80 ? 0xff : 0;
    size_t pos = 0;
    for (; bytes.size - pos > 16; pos++)
        if (bytes.data[pos] != fill) return false;
    if (pos > 0 && ((bytes.data[pos] ^ fill) & 0x80)) return false; /* the sign bit must be a copy too */
    pmn_u128 v = fill ? ~(pmn_u128)0 : 0;
    for (; pos < bytes.size; pos++) v = v << 8 | bytes.data[pos];
    *out = (pmn_i128)v;
    return true;
}

size_t pmn_i128_to_be(pmn_i128 value, uint8_t out[16])
{
    size_t n = 1;
    while (n < 16 && ((value >> (8 * n - 1)) != 0) && ((value >> (8 * n - 1)) != -1)) n++;
    pmn_u128 v = (pmn_u128)value;
    for (size_t i = 0; i < n; i++) out[i] = (uint8_t)(v >> (8 * (n - 1 - i)));
    return n;
}

double pmn_decimal_to_double(pmn_i128 value, int scale)
{
    /* Both exact in a double: one division rounds once. */
    pmn_u128 m = magnitude(value);
    static const double exact[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    if (m <= (pmn_u128)1 << 53 && scale >= 0 && scale <= 22) {
        double d = (double)(uint64_t)m / exact[scale];
        return value < 0 ? -d : d;
    }
    /* Otherwise the C library's exact reading of the text "123e-4", which knows no decimal point and so no locale. */
    char text[PMN_DECIMAL_TEXT_MAX + 16];
    size_t n = pmn_decimal_print(value, 0, text);
    int exponent = -scale;
    text[n++] = 'e';
    if (exponent < 0) text[n++] = '-';
    unsigned e = exponent < 0 ? (unsigned)-exponent : (unsigned)exponent;
    char reversed[12];
    int k = 0;
    do reversed[k++] = (char)('0' + e % 10);
    while (e /= 10);
    while (k) text[n++] = reversed[--k];
    text[n] = 0;
    return strtod(text, NULL);
}
