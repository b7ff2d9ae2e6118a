/* Texts as numbers, dates and times: strict, nothing may be left over or lost. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "build.h"

bool build_parse_int(const char *text, size_t size, int bits, int64_t *out)
{
    char copy[32];
    char *end = NULL;
    size_t sign = size > 0 && (text[0] == '-' || text[0] == '+');
    if (size == sign || size >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (strspn(copy + sign, "0123456789") != size - sign) {
        return false; /* no blanks of any kind before it, which strtoll would pass over */
    }
    errno = 0;
    long long value = strtoll(copy, &end, 10);
    *out = value;
    return errno == 0 && end == copy + size && (bits == 64 || (value >= -(1LL << (bits - 1)) && value < 1LL << (bits - 1)));
}

bool build_parse_double(const char *text, size_t size, int bits, double *out)
{
    char copy[400];
    char *end = NULL;
    if (size == 0 || size >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (strspn(copy, "+-0123456789.eE") != size && strcasecmp(copy, "nan") != 0 && strcasecmp(copy, "infinity") != 0 &&
        strcasecmp(copy, "-infinity") != 0 && strcasecmp(copy, "inf") != 0 && strcasecmp(copy, "-inf") != 0) {
        return false; /* no hexadecimal, no blanks */
    }
    *out = bits == 32 ? (double)strtof(copy, &end) : strtod(copy, &end); /* by way of a double a float would be rounded twice */
    return end == copy + size;
}

/* ------------------------------------------------------------------ decimals */

static bool times_ten(unsigned digit, uint64_t limb[2])
{
    /* Two limbs by hand: 128 bits are no type of the standard. */
    uint64_t low = limb[0], high = limb[1];
    uint64_t part0 = (low & 0xffffffff) * 10 + digit;
    uint64_t part1 = (low >> 32) * 10 + (part0 >> 32);
    uint64_t part2 = (high & 0xffffffff) * 10 + (part1 >> 32);
    uint64_t part3 = (high >> 32) * 10 + (part2 >> 32);
    limb[0] = (part1 << 32) | (part0 & 0xffffffff);
    limb[1] = (part3 << 32) | (part2 & 0xffffffff);
    return part3 >> 31 == 0;
}

/* Is the number one of `precision` digits at most? Those of 38 digits are below 2^127: all that times_ten() lets through are asked. */
static bool has_digits(const uint64_t limb[2], int precision)
{
    uint64_t bound[2] = { 1, 0 };
    for (int i = 0; i < precision; i++) {
        if (!times_ten(0, bound)) {
            return true;
        }
    }
    return limb[1] < bound[1] || (limb[1] == bound[1] && limb[0] < bound[0]);
}

bool build_parse_decimal(const char *text, size_t size, int precision, int scale, uint8_t out[16])
{
    uint64_t limb[2] = { 0, 0 };
    size_t i = 0, mantissa = 0;
    int64_t exponent = 0, fraction = 0;
    bool negative = size > 0 && text[0] == '-', point = false, digits = false;
    i += size > 0 && (text[0] == '-' || text[0] == '+');
    for (mantissa = i; mantissa < size && text[mantissa] != 'e' && text[mantissa] != 'E'; mantissa++) {
        bool digit = text[mantissa] >= '0' && text[mantissa] <= '9';
        if (!digit && (text[mantissa] != '.' || point)) {
            return false;
        }
        point = point || !digit;
        digits = digits || digit;
        fraction += digit && point;
    }
    if (!digits || size > 400 || (mantissa < size && !build_parse_int(text + mantissa + 1, size - mantissa - 1, 16, &exponent))) {
        return false;
    }
    /* This many of the last digits do not fit the scale (and must be zeros), or this many zeros are missing. */
    int64_t surplus = fraction - exponent - scale;
    int64_t left = 0;
    for (size_t k = i; k < mantissa; k++) {
        left += text[k] != '.';
    }
    for (; i < mantissa; i++) {
        if (text[i] == '.') {
            continue;
        }
        if (left-- <= surplus ? text[i] != '0' : !times_ten((unsigned)(text[i] - '0'), limb)) {
            return false;
        }
    }
    bool zero = limb[0] == 0 && limb[1] == 0;
    for (; surplus < 0 && !zero; surplus++) {
        if (!times_ten(0, limb)) {
            return false;
        }
    }
    if (!has_digits(limb, precision)) {
        return false;
    }
    if (negative) {
        limb[0] = ~limb[0] + 1;
        limb[1] = ~limb[1] + (limb[0] == 0);
    }
    memcpy(out, limb, 16); /* the machines we build for are little-endian */
    return true;
}

/* ------------------------------------------------------------- dates and times */

static bool take_digits(const char **at, const char *end, int least, int most, int64_t *out)
{
    int n = 0;
    for (*out = 0; *at < end && n < most && **at >= '0' && **at <= '9'; (*at)++, n++) {
        *out = *out * 10 + (**at - '0');
    }
    return n >= least;
}

static bool take_char(const char **at, const char *end, char c)
{
    if (*at < end && **at == c) {
        (*at)++;
        return true;
    }
    return false;
}

static int64_t days_of(int64_t y, int64_t m, int64_t d)
{
    /* Years begin in March, so that the leap day is the last one of a year of 400. */
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t year = y - era * 400;
    int64_t day = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + year * 365 + year / 4 - year / 100 + day - 719468;
}

static bool take_date(const char **at, const char *end, int64_t *days)
{
    static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int64_t y, m, d;
    bool negative = take_char(at, end, '-'), sign = negative || take_char(at, end, '+');
    if (!take_digits(at, end, 4, sign ? 9 : 4, &y) || !take_char(at, end, '-') || !take_digits(at, end, 2, 2, &m) || !take_char(at, end, '-') ||
        !take_digits(at, end, 2, 2, &d) || m < 1 || m > 12 || d < 1) {
        return false;
    }
    y = negative ? -y : y;
    bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    if (d > lengths[m - 1] + (m == 2 && leap)) {
        return false;
    }
    *days = days_of(y, m, d);
    return true;
}

static bool take_time(const char **at, const char *end, int64_t *seconds, int64_t *nanos)
{
    int64_t h, m, s = 0;
    *nanos = 0;
    if (!take_digits(at, end, 2, 2, &h) || !take_char(at, end, ':') || !take_digits(at, end, 2, 2, &m) || h > 23 || m > 59) {
        return false;
    }
    if (take_char(at, end, ':') && (!take_digits(at, end, 2, 2, &s) || s > 59)) {
        return false;
    }
    if (take_char(at, end, '.')) {
        const char *from = *at;
        if (!take_digits(at, end, 1, 9, nanos)) {
            return false;
        }
        for (int64_t n = *at - from; n < 9; n++) {
            *nanos *= 10;
        }
    }
    *seconds = h * 3600 + m * 60 + s;
    return true;
}

bool build_parse_date(const char *text, size_t size, int64_t *days)
{
    const char *end = text + size;
    return take_date(&text, end, days) && text == end && *days >= INT32_MIN && *days <= INT32_MAX;
}

bool build_parse_time(const char *text, size_t size, int64_t *nanoseconds)
{
    const char *end = text + size;
    int64_t seconds, nanos;
    if (!take_time(&text, end, &seconds, &nanos) || text != end) {
        return false;
    }
    *nanoseconds = seconds * 1000000000 + nanos;
    return true;
}

/* 'Z', or ±HH:MM as seconds. */
static bool take_zone(const char **at, const char *end, int64_t *offset)
{
    int64_t h, m = 0;
    *offset = 0;
    if (take_char(at, end, 'Z')) {
        return true;
    }
    bool negative = take_char(at, end, '-');
    if ((!negative && !take_char(at, end, '+')) || !take_digits(at, end, 2, 2, &h) || h > 18) {
        return false;
    }
    take_char(at, end, ':');
    if (*at < end && (!take_digits(at, end, 2, 2, &m) || m > 59)) {
        return false;
    }
    *offset = (h * 3600 + m * 60) * (negative ? -1 : 1);
    return true;
}

bool build_parse_timestamp(const char *text, size_t size, int64_t per_second, bool zoned, int64_t *out)
{
    const char *end = text + size;
    int64_t days, seconds = 0, nanos = 0, offset = 0;
    if (!take_date(&text, end, &days)) {
        return false;
    }
    if (text < end && (!(take_char(&text, end, 'T') || take_char(&text, end, ' ')) || !take_time(&text, end, &seconds, &nanos))) {
        return false;
    }
    if (text < end && (!zoned || !take_zone(&text, end, &offset))) {
        return false;
    }
    int64_t unit = 1000000000 / per_second;
    int64_t whole = days * 86400 + seconds - offset, part = nanos / unit;
    if (whole < 0 && part > 0) { /* towards zero, so that the smallest timestamp does not overflow on the way */
        whole++;
        part -= per_second;
    }
    return text == end && nanos % unit == 0 && !__builtin_mul_overflow(whole, per_second, out) && !__builtin_add_overflow(*out, part, out);
}

bool build_parse_hex(const char *text, size_t size, cli_text *out)
{
    char *to = size % 2 == 0 ? cli_text_reserve(out, size / 2 + 1) : NULL;
    for (size_t i = 0; to != NULL && i < size; i++) {
        char c = text[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0) {
            return false;
        }
        to[i / 2] = (char)(i % 2 == 0 ? digit << 4 : to[i / 2] | digit);
    }
    out->size += to != NULL ? size / 2 : 0;
    return to != NULL;
}
