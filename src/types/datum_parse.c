/* A value from the text that a user writes. Strict: what would be cut, rounded or guessed is refused. */
#include <string.h>
#include <strings.h>

#include "base/datetime.h"
#include "base/utf8.h"
#include "types/datum.h"
#include "types/java_text.h"

static paimon_status not_a_value(const pmn_type *type, pmn_slice text, paimon_error *err)
{
    pmn_mem *mem = pmn_mem_default();
    pmn_buf name;
    pmn_buf_init(&name, mem, 4096);
    bool named = pmn_type_print(type, &name, NULL) == PAIMON_OK && pmn_buf_terminate(&name, NULL) == PAIMON_OK;
    paimon_status status = pmn_fail(err, PAIMON_INVALID, "'%.*s' is not a value of type %s", text.size < 100 ? (int)text.size : 100,
                                    (const char *)text.data, named ? (const char *)name.data : pmn_type_kind_name(type->kind));
    pmn_buf_free(&name);
    return status;
}

static bool is_text(pmn_slice text, const char *word)
{
    return text.size == strlen(word) && strncasecmp((const char *)text.data, word, text.size) == 0;
}

static bool parse_bool(pmn_slice text, int64_t *out)
{
    *out = is_text(text, "true");
    return *out || is_text(text, "false");
}

static bool parse_int(pmn_slice text, int64_t least, int64_t most, int64_t *out)
{
    pmn_i128 value;
    for (size_t i = 0; i < text.size; i++) /* "1.0" and "1e3" are decimals */
        if (text.data[i] == '.' || text.data[i] == 'e' || text.data[i] == 'E') return false;
    if (!pmn_decimal_parse(text, 19, 0, &value) || value < least || value > most) return false;
    *out = (int64_t)value;
    return true;
}

/* Digits behind the precision must be zeros. */
static bool fits_precision(int64_t nanos, int32_t precision)
{
    int64_t unit = 1;
    for (int32_t i = precision; i < 9; i++) unit *= 10;
    return nanos % unit == 0;
}

static bool parse_date(pmn_slice text, int64_t *out)
{
    return pmn_date_parse(text, out) && *out >= INT32_MIN && *out <= INT32_MAX;
}

/* The format holds milliseconds whatever the precision says. */
static bool parse_time(pmn_slice text, int32_t precision, int64_t *out)
{
    int64_t nanos;
    if (!pmn_time_parse(text, &nanos) || !fits_precision(nanos, precision) || nanos % 1000000 != 0) return false;
    *out = nanos / 1000000;
    return true;
}

/* A text without a zone is UTC for a zoned type; a text with one is no value of a type without. */
static bool parse_timestamp_text(pmn_slice text, const pmn_type *type, pmn_timestamp *out)
{
    int64_t seconds;
    int32_t nanos;
    bool has_zone;
    if (!pmn_timestamp_parse(text, &seconds, &nanos, &has_zone) || !fits_precision(nanos, type->length)) return false;
    if (has_zone && type->kind == PMN_TIMESTAMP) return false;
    if (seconds > INT64_MAX / 1000 - 1 || seconds < INT64_MIN / 1000 + 1) return false;
    out->millis = seconds * 1000 + nanos / 1000000;
    out->nanos_of_milli = nanos % 1000000;
    return true;
}

static paimon_status parse_chars(pmn_arena *arena, const pmn_type *type, pmn_slice text, pmn_datum *out, paimon_error *err)
{
    if (!pmn_utf8_valid(text) || pmn_utf8_length(text) > type->length) return not_a_value(type, text, err);
    out->v.bytes = text;
    return pmn_datum_copy(arena, type, out, out, err);
}

static int byte_half(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static paimon_status parse_hex(pmn_arena *arena, const pmn_type *type, pmn_slice text, pmn_datum *out, paimon_error *err)
{
    size_t n = text.size / 2;
    if (text.size % 2 != 0 || (pmn_type_is_bytes(type) && n > (size_t)type->length)) return not_a_value(type, text, err);
    uint8_t *bytes = pmn_arena_alloc(arena, n ? n : 1);
    if (!bytes) return pmn_fail_nomem(err, "value");
    for (size_t i = 0; i < n; i++) {
        int high = byte_half(text.data[2 * i]), low = byte_half(text.data[2 * i + 1]);
        if (high < 0 || low < 0) return not_a_value(type, text, err);
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    out->v.bytes = pmn_slice_of(bytes, n);
    return PAIMON_OK;
}

paimon_status pmn_datum_parse(pmn_arena *arena, const pmn_type *type, pmn_slice text, pmn_datum *out, paimon_error *err)
{
    bool ok;
    memset(out, 0, sizeof *out);
    switch (type->kind) {
    case PMN_BOOLEAN: ok = parse_bool(text, &out->v.i); break;
    case PMN_TINYINT: ok = parse_int(text, INT8_MIN, INT8_MAX, &out->v.i); break;
    case PMN_SMALLINT: ok = parse_int(text, INT16_MIN, INT16_MAX, &out->v.i); break;
    case PMN_INT: ok = parse_int(text, INT32_MIN, INT32_MAX, &out->v.i); break;
    case PMN_BIGINT: ok = parse_int(text, INT64_MIN, INT64_MAX, &out->v.i); break;
    case PMN_FLOAT: ok = pmn_float_parse(text, &out->v.f); break;
    case PMN_DOUBLE: ok = pmn_double_parse(text, &out->v.d); break;
    case PMN_DECIMAL: ok = pmn_decimal_parse(text, type->length, type->scale, &out->v.dec); break;
    case PMN_DATE: ok = parse_date(text, &out->v.i); break;
    case PMN_TIME: ok = parse_time(text, type->length, &out->v.i); break;
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: ok = parse_timestamp_text(text, type, &out->v.ts); break;
    case PMN_CHAR:
    case PMN_VARCHAR: return parse_chars(arena, type, text, out, err);
    case PMN_BINARY:
    case PMN_VARBINARY:
    case PMN_BLOB: return parse_hex(arena, type, text, out, err);
    default: return pmn_fail(err, PAIMON_UNSUPPORTED, "%s values have no text", pmn_type_kind_name(type->kind));
    }
    return ok ? PAIMON_OK : not_a_value(type, text, err);
}
