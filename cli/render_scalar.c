/* Dates, times, decimals and floats as text. Everything is exact over the whole range of its Arrow type. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"

int64_t render_floor_div(int64_t a, int64_t b, int64_t *rest)
{
    int64_t q = a / b;
    int64_t r = a % b;
    if (r < 0) {
        r += b;
        q -= 1;
    }
    *rest = r;
    return q;
}

/* Repeated division by 10^9 over 32-bit limbs: one way for 32, 64, 128 and 256 bits. */
void render_decimal(cli_text *out, const uint8_t *little_endian, int bits, int scale)
{
    uint32_t limbs[8] = { 0 };
    int n = bits / 32;
    for (int i = 0; i < n; i++) {
        memcpy(&limbs[i], little_endian + 4 * i, 4);
    }
    bool negative = (limbs[n - 1] & 0x80000000u) != 0;
    if (negative) {
        uint64_t carry = 1;
        for (int i = 0; i < n; i++) {
            carry += (uint64_t)(uint32_t)~limbs[i];
            limbs[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    char digits[96];
    size_t at = sizeof digits;
    while (n > 0) {
        uint64_t rest = 0;
        for (int i = n - 1; i >= 0; i--) {
            rest = rest << 32 | limbs[i];
            limbs[i] = (uint32_t)(rest / 1000000000u);
            rest %= 1000000000u;
        }
        while (n > 0 && limbs[n - 1] == 0) {
            n--;
        }
        for (int i = 0; i < 9; i++) {
            digits[--at] = (char)('0' + rest % 10);
            rest /= 10;
        }
    }
    size_t count = sizeof digits - at;
    while (count > 1 && digits[at] == '0') {
        at++;
        count--;
    }
    if (negative) {
        cli_text_putc(out, '-');
    }
    if (scale <= 0) {
        bool zero = count == 1 && digits[at] == '0';
        cli_text_put(out, digits + at, count);
        for (int i = scale; i < 0 && !zero; i++) {
            cli_text_putc(out, '0');
        }
        return;
    }
    size_t fraction = (size_t)scale;
    if (count > fraction) {
        cli_text_put(out, digits + at, count - fraction);
        at += count - fraction;
        count = fraction;
    } else {
        cli_text_putc(out, '0');
    }
    cli_text_putc(out, '.');
    for (size_t i = count; i < fraction; i++) {
        cli_text_putc(out, '0');
    }
    cli_text_put(out, digits + at, count);
}

static void two_digits(char *to, int64_t value)
{
    to[0] = (char)('0' + value / 10);
    to[1] = (char)('0' + value % 10);
}

/* Days to year, month, day in the proleptic Gregorian calendar: count in eras of 400 years that begin on the first of March. */
void render_date(cli_text *out, int64_t days)
{
    int64_t day_of_era = 0;
    int64_t era = render_floor_div(days + 719468, 146097, &day_of_era);
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * day_of_year + 2) / 153;
    int64_t day = day_of_year - (153 * shifted + 2) / 5 + 1;
    int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
    int64_t year = year_of_era + era * 400 + (month <= 2);
    if (year >= 0 && year <= 9999) {
        char text[10] = "0000-00-00";
        two_digits(text, year / 100);
        two_digits(text + 2, year % 100);
        two_digits(text + 5, month);
        two_digits(text + 8, day);
        cli_text_put(out, text, sizeof text);
        return;
    }
    /* ISO 8601: more than four digits need a sign; below zero there is one anyway. */
    cli_text_printf(out, "%c%04" PRId64 "-%02d-%02d", year < 0 ? '-' : '+', year < 0 ? -year : year, (int)month, (int)day);
}

void render_time_of_day(cli_text *out, int64_t nanoseconds)
{
    int64_t fraction = 0;
    int64_t seconds = render_floor_div(nanoseconds, 1000000000, &fraction);
    if (seconds < 0 || seconds > 359999) {
        cli_text_printf(out, "%" PRId64 "ns", nanoseconds); /* not a time of day: show what is there */
        return;
    }
    char text[18] = "00:00:00.000000000";
    two_digits(text, seconds / 3600);
    two_digits(text + 3, seconds / 60 % 60);
    two_digits(text + 6, seconds % 60);
    size_t n = 8;
    if (fraction != 0) {
        for (int i = 17; i > 8; i--) {
            text[i] = (char)('0' + fraction % 10);
            fraction /= 10;
        }
        n = sizeof text;
        while (text[n - 1] == '0') {
            n--;
        }
    }
    cli_text_put(out, text, n);
}

void render_timestamp(cli_text *out, int64_t seconds, int64_t nanoseconds, char between)
{
    int64_t of_day = 0;
    int64_t days = render_floor_div(seconds, 86400, &of_day);
    render_date(out, days);
    cli_text_putc(out, between);
    render_time_of_day(out, of_day * 1000000000 + nanoseconds);
}

void render_double(cli_text *out, double value, bool is_float)
{
    if (isnan(value)) {
        cli_text_puts(out, "NaN");
        return;
    }
    if (isinf(value)) {
        cli_text_puts(out, value < 0 ? "-Infinity" : "Infinity");
        return;
    }
    char text[40];
    for (int digits = is_float ? 6 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value) {
            break;
        }
    }
    if (strpbrk(text, ".e") == NULL) {
        strcat(text, ".0"); /* tells a float from an integer, and keeps the sign of zero in JSON */
    }
    cli_text_puts(out, text);
}

double render_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double magnitude;
    if (exponent == 31) {
        magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        magnitude = ldexp(fraction, -24);
    } else {
        magnitude = ldexp(fraction + 1024, exponent - 25);
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}
