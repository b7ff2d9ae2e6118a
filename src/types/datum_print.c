/* A value as text. Two spellings: Java's cast to STRING, and toString() of what it keeps in memory ("legacy"), which older partition
 * folders have. Java: *ToStringCastRule, InternalRowPartitionComputer, LocalDateTime.toString. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/datetime.h"
#include "types/datum.h"
#include "types/java_text.h"

#define DAY_MILLIS 86400000
#define DAY_SECONDS 86400

typedef struct split_time {
    int64_t seconds; /* since 1970, floor */
    int32_t nanos;
} split_time;

static split_time split_timestamp(pmn_timestamp ts)
{
    split_time t = { ts.millis / 1000, 0 };
    int64_t millis = ts.millis % 1000;
    if (millis < 0) {
        millis += 1000;
        t.seconds--;
    }
    t.nanos = (int32_t)(millis * 1000000 + ts.nanos_of_milli);
    return t;
}

/* Java prints zoned timestamps in the zone of the process. */
static int64_t in_local_zone(int64_t seconds)
{
    time_t instant = (time_t)seconds;
    struct tm local;
    if ((int64_t)instant != seconds || !localtime_r(&instant, &local)) return seconds;
    return seconds + local.tm_gmtoff;
}

static paimon_status append_pair(pmn_buf *out, char separator, int64_t value, paimon_error *err)
{
    return pmn_buf_printf(out, err, "%c%02d", separator, (int)value);
}

/* HH:mm:ss */
static paimon_status print_clock(pmn_buf *out, int64_t second_of_day, paimon_error *err)
{
    return pmn_buf_printf(out, err, "%02d:%02d:%02d", (int)(second_of_day / 3600), (int)(second_of_day / 60 % 60), (int)(second_of_day % 60));
}

static paimon_status print_day(pmn_buf *out, int64_t days, paimon_error *err)
{
    char text[PMN_DATETIME_TEXT_MAX];
    size_t n = pmn_date_print(days, text);
    return pmn_buf_append(out, text, n, err);
}

static int64_t floor_days(int64_t seconds) { return seconds / DAY_SECONDS - (seconds % DAY_SECONDS < 0); }

/* '.' and the nine digits without trailing zeros, but at least `least` of them. */
static paimon_status print_fraction(pmn_buf *out, int32_t nanos, int32_t least, paimon_error *err)
{
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%09d", (int)nanos);
    while (n > least && digits[n - 1] == '0') n--;
    return n > 0 ? pmn_buf_printf(out, err, ".%.*s", n, digits) : PAIMON_OK;
}

static paimon_status print_timestamp(pmn_buf *out, const pmn_type *type, pmn_timestamp ts, paimon_error *err)
{
    split_time t = split_timestamp(ts);
    if (type->kind == PMN_TIMESTAMP_LTZ) t.seconds = in_local_zone(t.seconds);
    int64_t days = floor_days(t.seconds);
    PMN_TRY(print_day(out, days, err));
    PMN_TRY(pmn_buf_append_byte(out, ' ', err));
    PMN_TRY(print_clock(out, t.seconds - days * DAY_SECONDS, err));
    return print_fraction(out, t.nanos, type->length, err);
}

/* LocalDateTime.toString: no seconds when they are zero, a fraction of 3, 6 or 9 digits. Also for zoned types, in UTC. */
static paimon_status print_iso_timestamp(pmn_buf *out, pmn_timestamp ts, paimon_error *err)
{
    split_time t = split_timestamp(ts);
    int64_t days = floor_days(t.seconds), second = t.seconds - days * DAY_SECONDS;
    PMN_TRY(print_day(out, days, err));
    PMN_TRY(append_pair(out, 'T', second / 3600, err));
    PMN_TRY(append_pair(out, ':', second / 60 % 60, err));
    if (second % 60 == 0 && t.nanos == 0) return PAIMON_OK;
    PMN_TRY(append_pair(out, ':', second % 60, err));
    if (t.nanos == 0) return PAIMON_OK;
    return print_fraction(out, t.nanos, t.nanos % 1000000 == 0 ? 3 : t.nanos % 1000 == 0 ? 6 : 9, err);
}

/* Java stops after `precision` digits or where only zeros are left, but prints one digit at least. */
static paimon_status print_time(pmn_buf *out, int32_t precision, int64_t millis, paimon_error *err)
{
    millis %= DAY_MILLIS;
    if (millis < 0) millis += DAY_MILLIS;
    PMN_TRY(print_clock(out, millis / 1000, err));
    if (precision <= 0) return PAIMON_OK;
    PMN_TRY(pmn_buf_append_byte(out, '.', err));
    int rest = (int)(millis % 1000);
    do {
        PMN_TRY(pmn_buf_append_byte(out, (uint8_t)('0' + rest / 100), err));
        rest = rest % 100 * 10;
    } while (rest != 0 && --precision > 0);
    return PAIMON_OK;
}

static paimon_status print_decimal(pmn_buf *out, const pmn_type *type, pmn_i128 value, paimon_error *err)
{
    char text[PMN_DECIMAL_TEXT_MAX];
    size_t n = pmn_decimal_print(value, type->scale, text);
    return pmn_buf_append(out, text, n, err);
}

static paimon_status print_double(pmn_buf *out, const pmn_type *type, const pmn_datum *value, paimon_error *err)
{
    char text[PMN_JAVA_NUMBER_MAX];
    size_t n = type->kind == PMN_FLOAT ? pmn_java_float_text(value->v.f, text) : pmn_java_double_text(value->v.d, text);
    return pmn_buf_append(out, text, n, err);
}

paimon_status pmn_datum_print(const pmn_type *type, const pmn_datum *value, bool legacy, pmn_buf *out, paimon_error *err)
{
    switch (type->kind) {
    case PMN_BOOLEAN: return pmn_buf_append_text(out, value->v.i ? "true" : "false", err);
    case PMN_TINYINT:
    case PMN_SMALLINT:
    case PMN_INT:
    case PMN_BIGINT: return pmn_buf_printf(out, err, "%lld", (long long)value->v.i);
    case PMN_FLOAT:
    case PMN_DOUBLE: return print_double(out, type, value, err);
    case PMN_DECIMAL: return print_decimal(out, type, value->v.dec, err);
    case PMN_DATE: return legacy ? pmn_buf_printf(out, err, "%lld", (long long)value->v.i) : print_day(out, value->v.i, err);
    case PMN_TIME: return legacy ? pmn_buf_printf(out, err, "%lld", (long long)value->v.i) : print_time(out, type->length, value->v.i, err);
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: return legacy ? print_iso_timestamp(out, value->v.ts, err) : print_timestamp(out, type, value->v.ts, err);
    case PMN_BINARY:
    case PMN_VARBINARY:
        /* Java prints the address of the array, another one in every run. */
        if (legacy) return pmn_fail(err, PAIMON_UNSUPPORTED, "the legacy text of a %s value", pmn_type_kind_name(type->kind));
        return pmn_java_decode(out, value->v.bytes, err);
    case PMN_CHAR:
    case PMN_VARCHAR: return pmn_java_decode(out, value->v.bytes, err);
    default: return pmn_fail(err, PAIMON_UNSUPPORTED, "the text of a %s value", pmn_type_kind_name(type->kind));
    }
}

#undef DAY_MILLIS
#undef DAY_SECONDS
