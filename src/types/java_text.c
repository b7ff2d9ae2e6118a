/* Numbers and bytes as text, the way Java prints and reads them.
 *
 * Digits come from the C library: %.*e rounds correctly, so the first precision that reads back is the shortest. Its decimal point
 * depends on the process locale, which is why only digits and exponent are taken from it, and why reading uses the "C" locale. */
#include "types/java_text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Digits d₁d₂…dₙ and an exponent: the value is d₁.d₂…dₙ × 10^exponent. */
typedef struct decimal_digits {
    char digits[20];
    int n;
    int exponent;
} decimal_digits;

static decimal_digits shortest_digits(double value, int n)
{
    char text[48];
    decimal_digits d = { { 0 }, 0, 0 };
    snprintf(text, sizeof text, "%.*e", n - 1, value);
    const char *at = text;
    for (; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9') d.digits[d.n++] = *at;
    d.exponent = atoi(at + 1);
    while (d.n > 1 && d.digits[d.n - 1] == '0') d.n--;
    return d;
}

/* strtod and snprintf share the locale's point, so a text of one is read by the other. */
static bool reads_back(double value, int n, bool single)
{
    char text[48];
    snprintf(text, sizeof text, "%.*e", n - 1, value);
    return single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}

static size_t put_scientific(const decimal_digits *d, char *out)
{
    int n = sprintf(out, "%c.", d->digits[0]);
    if (d->n > 1) memcpy(out + n, d->digits + 1, (size_t)d->n - 1);
    else out[n] = '0';
    n += d->n > 1 ? d->n - 1 : 1;
    return (size_t)(n + sprintf(out + n, "E%d", d->exponent));
}

/* exponent in -3 … 6 */
static size_t put_plain(const decimal_digits *d, char *out)
{
    size_t n = 0;
    int at = 0;
    if (d->exponent < 0) {
        out[n++] = '0';
    } else {
        for (; at <= d->exponent; at++) out[n++] = at < d->n ? d->digits[at] : '0';
    }
    out[n++] = '.';
    for (int zeros = -1; zeros > d->exponent; zeros--) out[n++] = '0';
    if (at >= d->n) out[n++] = '0';
    for (; at < d->n; at++) out[n++] = d->digits[at];
    return n;
}

static size_t java_number_text(double value, bool single, char *out)
{
    if (isnan(value)) return strcpy(out, "NaN"), 3;
    size_t sign = signbit(value) ? 1 : 0;
    if (sign) *out++ = '-';
    if (isinf(value)) return strcpy(out, "Infinity"), 8 + sign;
    if (value == 0) return strcpy(out, "0.0"), 3 + sign;
    double positive = fabs(value);
    int n = 2, most = single ? 9 : 17; /* a digit stands behind the point anyway: 4.9E-324, though 5.0E-324 reads back too */
    while (n < most && !reads_back(positive, n, single)) n++;
    decimal_digits d = shortest_digits(positive, n);
    size_t length = d.exponent >= -3 && d.exponent < 7 ? put_plain(&d, out) : put_scientific(&d, out);
    out[length] = '\0';
    return length + sign;
}

size_t pmn_java_double_text(double value, char out[PMN_JAVA_NUMBER_MAX]) { return java_number_text(value, false, out); }
size_t pmn_java_float_text(float value, char out[PMN_JAVA_NUMBER_MAX]) { return java_number_text((double)value, true, out); }

/* Sign, then digits with a point somewhere, then an exponent: what strtod takes besides (hexadecimal, "nan(…)") is no number here. */
static bool is_decimal(const char *p)
{
    size_t digits = 0;
    if (*p == '+' || *p == '-') p++;
    for (; *p >= '0' && *p <= '9'; p++) digits++;
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++) digits++;
    if (digits == 0) return false;
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '+' || *p == '-') p++;
        if (*p < '0' || *p > '9') return false;
        while (*p >= '0' && *p <= '9') p++;
    }
    return *p == '\0';
}

static bool parse_word(const char *p, double *out)
{
    double sign = *p == '-' ? -1.0 : 1.0;
    if (*p == '+' || *p == '-') p++;
    if (strcasecmp(p, "NaN") == 0) *out = NAN;
    else if (strcasecmp(p, "Infinity") == 0 || strcasecmp(p, "inf") == 0) *out = sign * HUGE_VAL;
    else return false;
    return true;
}

/* 1 000 digits are more than any exact double has (767): a longer text is refused rather than copied to the heap. */
#define NUMBER_TEXT_MAX 1000

static bool parse_java_number(pmn_slice text, bool single, double *out)
{
    char copy[NUMBER_TEXT_MAX + 1];
    if (text.size == 0 || text.size > NUMBER_TEXT_MAX || memchr(text.data, 0, text.size)) return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    if (parse_word(copy, out)) return true;
    if (!is_decimal(copy)) return false;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) return false;
    *out = single ? (double)strtof_l(copy, NULL, plain) : strtod_l(copy, NULL, plain);
    freelocale(plain);
    return true;
}

bool pmn_double_parse(pmn_slice text, double *out) { return parse_java_number(text, false, out); }

bool pmn_float_parse(pmn_slice text, float *out)
{
    double value;
    if (!parse_java_number(text, true, &value)) return false;
    *out = (float)value;
    return true;
}

static bool continues(pmn_slice bytes, size_t i) { return i < bytes.size && (bytes.data[i] & 0xc0) == 0x80; }

/* The second byte of a sequence of three or four, which its first byte may narrow. */
static bool second_fits(pmn_slice bytes, size_t i)
{
    uint8_t first = bytes.data[i];
    if (!continues(bytes, i + 1)) return false;
    uint8_t second = bytes.data[i + 1];
    if (first == 0xe0) return second >= 0xa0;
    if (first == 0xf0) return second >= 0x90;
    return first != 0xf4 || second < 0x90;
}

/* Bytes of the sequence at `i`, and whether it is a character. Java: StringCoding's decoder; a surrogate is one bad sequence of 3. */
static size_t java_sequence(pmn_slice bytes, size_t i, bool *good)
{
    uint8_t first = bytes.data[i];
    *good = false;
    if (first < 0x80) return *good = true, 1;
    if (first < 0xc2 || first > 0xf4) return 1;
    if (first < 0xe0) return continues(bytes, i + 1) ? (*good = true, 2) : 1;
    if (!second_fits(bytes, i)) return 1;
    if (!continues(bytes, i + 2)) return 2;
    if (first < 0xf0) {
        *good = first != 0xed || bytes.data[i + 1] < 0xa0;
        return 3;
    }
    if (!continues(bytes, i + 3)) return 3;
    *good = true;
    return 4;
}

paimon_status pmn_java_decode(pmn_buf *out, pmn_slice bytes, paimon_error *err)
{
    size_t start = 0;
    for (size_t i = 0; i < bytes.size;) {
        bool good;
        size_t n = java_sequence(bytes, i, &good);
        if (!good) {
            PMN_TRY(pmn_buf_append(out, bytes.data + start, i - start, err));
            PMN_TRY(pmn_buf_append(out, "\xef\xbf\xbd", 3, err));
            start = i + n;
        }
        i += n;
    }
    return start < bytes.size ? pmn_buf_append(out, bytes.data + start, bytes.size - start, err) : PAIMON_OK;
}

#undef NUMBER_TEXT_MAX
