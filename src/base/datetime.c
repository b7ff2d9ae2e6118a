/* Proleptic Gregorian days: the calendar counted in eras of 400 years (146097 days) that begin on 1 March, so that the leap day
 * is the last of its year. Texts as java.time prints and reads them. */
#include "base/datetime.h"

#include <string.h>

#define DAYS_AN_ERA 146097
#define DAYS_TO_1970 719468 /* from 0000-03-01 */
#define NANOS_A_SECOND 1000000000
#define LARGEST_YEAR 999999999 /* java.time.Year.MAX_VALUE */

static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t pmn_days_from_civil(int64_t year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = divide_down(y, 400), year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * DAYS_AN_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - DAYS_TO_1970;
}

pmn_civil pmn_civil_from_days(int64_t days)
{
    /* The era is split off first, so that days near the ends of 64 bits do not overflow. */
    int64_t era = days / DAYS_AN_ERA, rest = days % DAYS_AN_ERA + DAYS_TO_1970; /* positive: 1970 is more than an era away */
    era += rest / DAYS_AN_ERA;
    int64_t day_of_era = rest % DAYS_AN_ERA;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int month_from_march = (int)((5 * day_of_year + 2) / 153);
    pmn_civil civil;
    civil.day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    civil.month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    civil.year = year_of_era + era * 400 + (civil.month <= 2);
    return civil;
}

/* `value` ≥ 0 in at least `width` digits. */
static size_t print_digits(uint64_t value, size_t width, char *out)
{
    char reversed[20];
    size_t n = 0;
    do reversed[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n < width) reversed[n++] = '0';
    for (size_t i = 0; i < n; i++) out[i] = reversed[n - 1 - i];
    return n;
}

size_t pmn_date_print(int64_t days, char out[PMN_DATETIME_TEXT_MAX])
{
    pmn_civil civil = pmn_civil_from_days(days);
    size_t n = 0;
    if (civil.year < 0) out[n++] = '-';
    if (civil.year > 9999) out[n++] = '+';
    n += print_digits(civil.year < 0 ? 0 - (uint64_t)civil.year : (uint64_t)civil.year, 4, out + n);
    out[n++] = '-';
    n += print_digits((uint64_t)civil.month, 2, out + n);
    out[n++] = '-';
    n += print_digits((uint64_t)civil.day, 2, out + n);
    out[n] = 0;
    return n;
}

size_t pmn_time_print(int64_t nanos_of_day, char out[PMN_DATETIME_TEXT_MAX])
{
    uint64_t nanos = (uint64_t)nanos_of_day, seconds = nanos / NANOS_A_SECOND;
    size_t n = print_digits(seconds / 3600, 2, out);
    out[n++] = ':';
    n += print_digits(seconds / 60 % 60, 2, out + n);
    out[n++] = ':';
    n += print_digits(seconds % 60, 2, out + n);
    if (nanos %= NANOS_A_SECOND) {
        out[n++] = '.';
        n += print_digits(nanos, 9, out + n);
        while (out[n - 1] == '0') n--;
    }
    out[n] = 0;
    return n;
}

size_t pmn_timestamp_print(int64_t seconds, int32_t nanos, char separator, char out[PMN_DATETIME_TEXT_MAX])
{
    int64_t days = divide_down(seconds, 86400);
    size_t n = pmn_date_print(days, out);
    out[n++] = separator;
    char time[PMN_DATETIME_TEXT_MAX];
    size_t n_time = pmn_time_print((seconds - days * 86400) * NANOS_A_SECOND + nanos, time);
    memcpy(out + n, time, n_time + 1);
    return n + n_time;
}

/* A reader of fixed-width digits over a text. */
typedef struct scanner {
    pmn_slice text;
    size_t pos;
} scanner;

static bool at_end(const scanner *s)
{
    return s->pos == s->text.size;
}

static bool next_is(scanner *s, char c)
{
    if (at_end(s) || s->text.data[s->pos] != (uint8_t)c) return false;
    s->pos++;
    return true;
}

/* Between `least` and `most` digits (at most 18). */
static bool scan_digits(scanner *s, size_t least, size_t most, int64_t *out)
{
    size_t start = s->pos;
    int64_t v = 0;
    while (!at_end(s) && s->pos - start < most && s->text.data[s->pos] >= '0' && s->text.data[s->pos] <= '9') v = v * 10 + (s->text.data[s->pos++] - '0');
    *out = v;
    return s->pos - start >= least;
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool scan_date(scanner *s, int64_t *days)
{
    static const int8_t lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int64_t year, month, day;
    bool minus = next_is(s, '-'), sign = minus || next_is(s, '+');
    if (!scan_digits(s, 4, sign ? 9 : 4, &year) || year > LARGEST_YEAR) return false;
    if (!next_is(s, '-') || !scan_digits(s, 2, 2, &month) || !next_is(s, '-') || !scan_digits(s, 2, 2, &day)) return false;
    if (minus) year = -year;
    if (month < 1 || month > 12 || day < 1 || day > lengths[month - 1] + (month == 2 && is_leap(year))) return false;
    *days = pmn_days_from_civil(year, (int)month, (int)day);
    return true;
}

static bool scan_time(scanner *s, int64_t *nanos_of_day)
{
    int64_t hour, minute, second = 0, fraction = 0;
    if (!scan_digits(s, 2, 2, &hour) || hour > 23 || !next_is(s, ':') || !scan_digits(s, 2, 2, &minute) || minute > 59) return false;
    if (next_is(s, ':')) {
        if (!scan_digits(s, 2, 2, &second) || second > 59) return false;
        if (next_is(s, '.')) {
            size_t start = s->pos;
            if (!scan_digits(s, 1, 9, &fraction)) return false;
            for (size_t n = s->pos - start; n < 9; n++) fraction *= 10;
        }
    }
    *nanos_of_day = ((hour * 60 + minute) * 60 + second) * NANOS_A_SECOND + fraction;
    return true;
}

/* 'Z', ±HH, ±HHMM or ±HH:MM, up to 18 hours as java.time.ZoneOffset. */
static bool scan_offset(scanner *s, int64_t *seconds)
{
    *seconds = 0;
    if (next_is(s, 'Z')) return true;
    bool minus = next_is(s, '-');
    if (!minus && !next_is(s, '+')) return false;
    int64_t hours, minutes = 0;
    if (!scan_digits(s, 2, 2, &hours)) return false;
    if (!at_end(s)) {
        next_is(s, ':');
        if (!scan_digits(s, 2, 2, &minutes) || minutes > 59) return false;
    }
    int64_t total = hours * 3600 + minutes * 60;
    if (total > 18 * 3600) return false;
    *seconds = minus ? -total : total;
    return true;
}

bool pmn_date_parse(pmn_slice text, int64_t *days)
{
    scanner s = { text, 0 };
    return scan_date(&s, days) && at_end(&s);
}

bool pmn_time_parse(pmn_slice text, int64_t *nanos_of_day)
{
    scanner s = { text, 0 };
    return scan_time(&s, nanos_of_day) && at_end(&s);
}

bool pmn_timestamp_parse(pmn_slice text, int64_t *seconds, int32_t *nanos, bool *has_zone)
{
    scanner s = { text, 0 };
    int64_t days, nanos_of_day = 0, offset = 0;
    *has_zone = false;
    if (!scan_date(&s, &days)) return false;
    if (next_is(&s, 'T') || next_is(&s, ' ')) {
        if (!scan_time(&s, &nanos_of_day)) return false;
        if (!at_end(&s)) {
            next_is(&s, ' '); /* "12:00:00 +02:00" is written, too */
            if (!scan_offset(&s, &offset)) return false;
            *has_zone = true;
        }
    }
    if (!at_end(&s)) return false;
    *seconds = days * 86400 + nanos_of_day / NANOS_A_SECOND - offset;
    *nanos = (int32_t)(nanos_of_day % NANOS_A_SECOND);
    return true;
}
