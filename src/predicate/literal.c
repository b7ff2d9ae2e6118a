/* Literals fitted to types, without losing what they say: a number between two values of the type, or a time with more digits
 * than the type keeps, answers the value below it and BETWEEN, so that each comparison can be put right.
 *
 * FLOAT and DOUBLE are the exception: their literals are rounded to the nearest value, as a cast in Java does, so that
 * `f = 0.1` finds the FLOAT 0.1. */
#include "predicate/literal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/datetime.h"
#include "predicate/ast.h"

enum { MILLIS_PER_DAY = 86400000 };

bool pmn_literal_comparable(const pmn_type *type) { return type->kind < PMN_ARRAY; }

static void fit_in_range(int64_t value, bool rest, int64_t min, int64_t max, pmn_fitted *out)
{
    out->value.v.i = value;
    out->fit = rest ? PMN_FIT_BETWEEN : PMN_FIT_EXACT;
    if (value < min) out->fit = PMN_FIT_BELOW_ALL;
    if (value > max || (value == max && rest)) out->fit = PMN_FIT_ABOVE_ALL;
}

/* The decimal notation of an INT, NUMBER or TEXT literal; false if it has none. */
static bool number_text(const paimon_literal *literal, char room[24], pmn_slice *out)
{
    if (literal->kind == PAIMON_LITERAL_INT) {
        int n = snprintf(room, 24, "%" PRId64, literal->integer);
        *out = pmn_slice_of(room, (size_t)n);
        return true;
    }
    *out = pmn_slice_of(literal->text, literal->text_size);
    return (literal->kind == PAIMON_LITERAL_NUMBER || literal->kind == PAIMON_LITERAL_TEXT) && pmn_number_valid(*out);
}

static bool fit_integer(const paimon_literal *literal, int bits, pmn_fitted *out)
{
    char room[24];
    pmn_slice text;
    pmn_i128 value = 0, max = ((pmn_i128)1 << (bits - 1)) - 1;
    if (!number_text(literal, room, &text)) return false;
    out->fit = pmn_number_fit(text, 0, -max - 1, max, &value);
    out->value.v.i = (int64_t)value;
    return true;
}

static bool fit_decimal(const pmn_type *type, const paimon_literal *literal, pmn_fitted *out)
{
    char room[24];
    pmn_slice text;
    pmn_i128 max = pmn_pow10_i128(type->length) - 1;
    if (!number_text(literal, room, &text)) return false;
    out->value.v.dec = 0;
    out->fit = pmn_number_fit(text, type->scale, -max, max, &out->value.v.dec);
    return true;
}

static bool text_equals(const paimon_literal *literal, const char *word)
{
    return literal->kind == PAIMON_LITERAL_TEXT && literal->text_size == strlen(word) && memcmp(literal->text, word, literal->text_size) == 0;
}

/* One NaN and one zero only, so that equal literals are equal bytes. */
static bool fit_float(const pmn_type *type, const paimon_literal *literal, pmn_fitted *out)
{
    char room[24];
    pmn_slice text;
    double wide;
    float narrow;
    if (text_equals(literal, "NaN"))
        wide = (double)NAN;
    else if (text_equals(literal, "Infinity") || text_equals(literal, "+Infinity"))
        wide = (double)INFINITY;
    else if (text_equals(literal, "-Infinity"))
        wide = -(double)INFINITY;
    else if (number_text(literal, room, &text))
        wide = pmn_number_to_double(text);
    else
        return false;
    if (isnan(wide) || isinf(wide) || !number_text(literal, room, &text))
        narrow = (float)wide;
    else
        narrow = pmn_number_to_float(text); /* not through double, which would round twice */
    out->fit = PMN_FIT_EXACT;
    if (type->kind == PMN_FLOAT)
        out->value.v.f = narrow == 0 ? 0 : narrow;
    else
        out->value.v.d = wide == 0 ? 0 : wide;
    return true;
}

static bool ascii_equal_ignoring_case(const paimon_literal *literal, const char *word)
{
    size_t n = strlen(word);
    if (literal->kind != PAIMON_LITERAL_TEXT || literal->text_size != n) return false;
    for (size_t i = 0; i < n; i++) {
        if ((literal->text[i] | 0x20) != word[i]) return false;
    }
    return true;
}

static bool fit_boolean(const paimon_literal *literal, pmn_fitted *out)
{
    bool yes = ascii_equal_ignoring_case(literal, "true"), no = ascii_equal_ignoring_case(literal, "false");
    if (literal->kind != PAIMON_LITERAL_BOOL && !yes && !no) return false;
    out->fit = PMN_FIT_EXACT;
    out->value.v.i = literal->kind == PAIMON_LITERAL_BOOL ? literal->boolean : yes;
    return true;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Days as an INT; else a date, or a timestamp whose time of day makes it lie behind its day. */
static bool fit_date(const paimon_literal *literal, pmn_fitted *out)
{
    int64_t days = literal->integer, seconds;
    int32_t nanos;
    bool rest = false, zone;
    pmn_slice text = pmn_slice_of(literal->text, literal->text_size);
    if (literal->kind == PAIMON_LITERAL_TEXT && !pmn_date_parse(text, &days)) {
        if (!pmn_timestamp_parse(text, &seconds, &nanos, &zone) || zone) return false;
        days = floor_div(seconds, 86400);
        rest = seconds != days * 86400 || nanos != 0;
    } else if (literal->kind != PAIMON_LITERAL_TEXT && literal->kind != PAIMON_LITERAL_INT) {
        return false;
    }
    fit_in_range(days, rest, INT32_MIN, INT32_MAX, out);
    return true;
}

static bool fit_time(const paimon_literal *literal, pmn_fitted *out)
{
    int64_t nanos;
    if (literal->kind == PAIMON_LITERAL_INT) {
        fit_in_range(literal->integer, false, 0, MILLIS_PER_DAY - 1, out);
        return true;
    }
    if (literal->kind != PAIMON_LITERAL_TEXT || !pmn_time_parse(pmn_slice_of(literal->text, literal->text_size), &nanos)) return false;
    fit_in_range(nanos / 1000000, nanos % 1000000 != 0, 0, MILLIS_PER_DAY - 1, out);
    return true;
}

/* Cut to the 0, 3, 6 or 9 digits of the second that Arrow's unit of the type keeps. */
static bool fit_timestamp(const pmn_type *type, const paimon_literal *literal, pmn_fitted *out)
{
    int32_t step = type->length == 0 ? 1000000000 : type->length <= 3 ? 1000000 : type->length <= 6 ? 1000 : 1;
    int64_t seconds, millis;
    int32_t nanos;
    bool zone;
    if (literal->kind != PAIMON_LITERAL_TEXT) return false;
    if (!pmn_timestamp_parse(pmn_slice_of(literal->text, literal->text_size), &seconds, &nanos, &zone)) return false;
    if (zone && type->kind == PMN_TIMESTAMP) return false; /* a wall-clock time has no offset */
    if (!pmn_mul_i64(seconds, 1000, &millis) || !pmn_add_i64(millis, 999, &(int64_t){ 0 })) {
        out->fit = seconds < 0 ? PMN_FIT_BELOW_ALL : PMN_FIT_ABOVE_ALL;
        return true;
    }
    int32_t kept = nanos - nanos % step;
    out->value.v.ts.millis = millis + kept / 1000000;
    out->value.v.ts.nanos_of_milli = kept % 1000000;
    out->fit = kept == nanos ? PMN_FIT_EXACT : PMN_FIT_BETWEEN;
    return true;
}

static int hex_value_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static paimon_status fit_bytes(pmn_arena *arena, const pmn_type *type, const paimon_literal *literal, pmn_fitted *out, bool *known, paimon_error *err)
{
    bool as_is = literal->kind == (pmn_type_is_text(type) ? PAIMON_LITERAL_TEXT : PAIMON_LITERAL_BYTES);
    bool as_hex = !pmn_type_is_text(type) && literal->kind == PAIMON_LITERAL_TEXT && literal->text_size % 2 == 0;
    *known = as_is || as_hex;
    if (!*known) return PAIMON_OK;
    size_t n = as_is ? literal->text_size : literal->text_size / 2;
    uint8_t *to = pmn_arena_alloc(arena, n + 1);
    if (!to) return pmn_fail_nomem(err, "a literal of a predicate");
    if (as_is && n) memcpy(to, literal->text, n);
    for (size_t i = 0; as_hex && i < n; i++) {
        int high = hex_value_of(literal->text[2 * i]), low = hex_value_of(literal->text[2 * i + 1]);
        if (high < 0 || low < 0) *known = false;
        to[i] = (uint8_t)(high * 16 + low);
    }
    out->fit = PMN_FIT_EXACT;
    out->value.v.bytes = pmn_slice_of(to, n);
    if (type->kind == PMN_CHAR) out->value.v.bytes = pmn_char_trim(out->value.v.bytes);
    return PAIMON_OK;
}

paimon_status pmn_literal_fit(pmn_arena *arena, const pmn_type *type, const paimon_literal *literal, pmn_fitted *out, bool *known, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    *known = true;
    out->is_null = out->value.is_null = literal->kind == PAIMON_LITERAL_NULL;
    if (out->is_null) return PAIMON_OK;
    switch (type->kind) {
    case PMN_BOOLEAN:
        *known = fit_boolean(literal, out);
        break;
    case PMN_TINYINT:
        *known = fit_integer(literal, 8, out);
        break;
    case PMN_SMALLINT:
        *known = fit_integer(literal, 16, out);
        break;
    case PMN_INT:
        *known = fit_integer(literal, 32, out);
        break;
    case PMN_BIGINT:
        *known = fit_integer(literal, 64, out);
        break;
    case PMN_DECIMAL:
        *known = fit_decimal(type, literal, out);
        break;
    case PMN_FLOAT:
    case PMN_DOUBLE:
        *known = fit_float(type, literal, out);
        break;
    case PMN_DATE:
        *known = fit_date(literal, out);
        break;
    case PMN_TIME:
        *known = fit_time(literal, out);
        break;
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ:
        *known = fit_timestamp(type, literal, out);
        break;
    case PMN_CHAR:
    case PMN_VARCHAR:
    case PMN_BINARY:
    case PMN_VARBINARY:
        return fit_bytes(arena, type, literal, out, known, err);
    default:
        *known = false;
    }
    return PAIMON_OK;
}
