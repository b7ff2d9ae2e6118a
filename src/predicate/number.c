/* Number text: checked once by hand, then fitted to a grid of 10^-scale steps with 128-bit arithmetic, or handed to the C
 * library for the nearest float.
 *
 * Nothing here depends on the process's locale: an embedder may have set one whose decimal point is a comma. */
#include "predicate/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

/* The parts of a valid number. The exponent is clamped: past a thousand million it only says "huge" or "tiny". */
typedef struct number_parts {
    bool negative;
    pmn_slice whole;
    pmn_slice fraction;
    int64_t exponent;
} number_parts;

static pmn_slice take_digits(pmn_slice text, size_t *pos)
{
    size_t start = *pos;
    while (*pos < text.size && is_digit(text.data[*pos])) ++*pos;
    return pmn_slice_of(text.data + start, *pos - start);
}

static bool take_apart(pmn_slice text, number_parts *out)
{
    size_t pos = 0;
    memset(out, 0, sizeof *out);
    if (pos < text.size && (text.data[pos] == '+' || text.data[pos] == '-')) out->negative = text.data[pos++] == '-';
    out->whole = take_digits(text, &pos);
    if (pos < text.size && text.data[pos] == '.') {
        ++pos;
        out->fraction = take_digits(text, &pos);
    }
    if (out->whole.size + out->fraction.size == 0) return false;
    if (pos < text.size && (text.data[pos] == 'e' || text.data[pos] == 'E')) {
        bool negative = false;
        ++pos;
        if (pos < text.size && (text.data[pos] == '+' || text.data[pos] == '-')) negative = text.data[pos++] == '-';
        pmn_slice digits = take_digits(text, &pos);
        if (digits.size == 0) return false;
        int64_t e = 0;
        for (size_t i = 0; i < digits.size && e < 1000000000; i++) e = e * 10 + (digits.data[i] - '0');
        out->exponent = negative ? -e : e;
    }
    return pos == text.size;
}

bool pmn_number_valid(pmn_slice text)
{
    number_parts parts;
    return take_apart(text, &parts);
}

bool pmn_number_as_int(pmn_slice text, int64_t *out)
{
    for (size_t i = 0; i < text.size; i++) {
        if (!is_digit(text.data[i]) && !(i == 0 && (text.data[i] == '-' || text.data[i] == '+'))) return false;
    }
    pmn_i128 wide = 0;
    if (!pmn_number_valid(text) || pmn_number_fit(text, 0, INT64_MIN, INT64_MAX, &wide) != PMN_FIT_EXACT) return false;
    *out = (int64_t)wide;
    return true;
}

/* Digit number `i` of the whole and the fraction written one after the other. */
static unsigned digit_at(const number_parts *p, size_t i)
{
    return (unsigned)((i < p->whole.size ? p->whole.data[i] : p->fraction.data[i - p->whole.size]) - '0');
}

/* The magnitude's whole part on the grid; false if it passes 127 bits. `*rest` tells whether digits remain below it. */
static bool fit_magnitude(const number_parts *p, int scale, pmn_u128 *magnitude, bool *rest)
{
    const pmn_u128 limit = (pmn_u128)1 << 127;
    size_t n = p->whole.size + p->fraction.size, first = 0;
    *magnitude = 0;
    *rest = false;
    while (first < n && digit_at(p, first) == 0) first++;
    if (first == n) return true;
    /* how many digits stand before the point once the value is multiplied by 10^scale */
    int64_t before = (int64_t)(n - first) + p->exponent - (int64_t)p->fraction.size + scale;
    if (before > 39) return false;
    pmn_u128 value = 0;
    size_t i = first;
    for (int64_t k = 0; k < before; k++) {
        unsigned digit = i < n ? digit_at(p, i++) : 0;
        if (value > (limit - digit) / 10) return false;
        value = value * 10 + digit;
    }
    for (; i < n && !*rest; i++) *rest = digit_at(p, i) != 0;
    *magnitude = value;
    return true;
}

pmn_fit pmn_number_fit(pmn_slice text, int scale, pmn_i128 min, pmn_i128 max, pmn_i128 *out)
{
    number_parts parts;
    pmn_u128 magnitude;
    bool rest;
    if (!take_apart(text, &parts)) return PMN_FIT_BELOW_ALL; /* not reached: the caller has checked it */
    pmn_fit outside = parts.negative ? PMN_FIT_BELOW_ALL : PMN_FIT_ABOVE_ALL;
    /* 2^127 itself is no grid point that a column could hold, so either sign may treat it as outside */
    if (!fit_magnitude(&parts, scale, &magnitude, &rest) || magnitude >> 127) return outside;
    pmn_i128 floor = (pmn_i128)magnitude;
    if (parts.negative) floor = rest ? -floor - 1 : -floor;
    if (floor < min) return PMN_FIT_BELOW_ALL;
    if (floor > max || (floor == max && rest)) return PMN_FIT_ABOVE_ALL;
    *out = floor;
    return rest ? PMN_FIT_BETWEEN : PMN_FIT_EXACT;
}

size_t pmn_real_print(double value, char out[PMN_REAL_TEXT_MAX])
{
    char text[PMN_REAL_TEXT_MAX];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    /* whatever is neither digit, sign nor exponent is the locale's decimal point, of one byte or more */
    size_t n = 0;
    bool has_mark = false, in_point = false;
    for (const char *p = text; *p; p++) {
        bool plain = is_digit((uint8_t)*p) || *p == '-' || *p == '+' || *p == 'e';
        if (plain)
            out[n++] = *p;
        else if (!in_point)
            out[n++] = '.';
        has_mark = has_mark || !plain || *p == 'e';
        in_point = !plain;
    }
    if (!has_mark) {
        out[n++] = '.';
        out[n++] = '0';
    }
    out[n] = 0;
    return n;
}

/* The decimal point is the locale's, so this thread's is "C" for a moment. */
typedef struct c_locale {
    locale_t own, before;
} c_locale;

/* newlocale of "C" gives a static object in glibc and musl, so this neither allocates nor fails there. */
static c_locale enter_c_locale(void)
{
    c_locale c = { newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0 };
    if (c.own != (locale_t)0) c.before = uselocale(c.own);
    return c;
}

static void leave_c_locale(c_locale c)
{
    if (c.own == (locale_t)0) return;
    uselocale(c.before);
    freelocale(c.own);
}

double pmn_number_to_double(pmn_slice text)
{
    c_locale c = enter_c_locale();
    double value = strtod((const char *)text.data, NULL);
    leave_c_locale(c);
    return value;
}

float pmn_number_to_float(pmn_slice text)
{
    c_locale c = enter_c_locale();
    float value = strtof((const char *)text.data, NULL);
    leave_c_locale(c);
    return value;
}
