/* Avro data as JSON, by recursion over the type: for looking at files, not for speed. */
#include "format/avro/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/json.h"
#include "format/avro/program.h"

#define MICROS_PER_SECOND 1000000

static paimon_status fail_cut(const pmn_avro_type *type, const pmn_cursor *c, paimon_error *err)
{
    return pmn_fail(err, PAIMON_CORRUPT, "a datum of type %s at byte %zu is cut or damaged", pmn_avro_kind_name(type->kind), pmn_cursor_offset(c));
}

static paimon_status put_hex_text(pmn_buf *out, pmn_slice bytes, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_byte(out, '"', err));
    for (size_t i = 0; i < bytes.size; i++) {
        uint8_t pair[2] = { (uint8_t)"0123456789abcdef"[bytes.data[i] >> 4], (uint8_t)"0123456789abcdef"[bytes.data[i] & 15] };
        PMN_TRY(pmn_buf_append(out, pair, 2, err));
    }
    return pmn_buf_append_byte(out, '"', err);
}

static paimon_status put_quoted(pmn_buf *out, const char *text, size_t n, paimon_error *err)
{
    return pmn_json_quote(out, pmn_slice_of(text, n), err);
}

static bool is_logical(const pmn_avro_type *type, const char *name) { return type->logical && strcmp(type->logical, name) == 0; }

static paimon_status put_units_since_epoch(pmn_buf *out, int64_t value, int64_t units_per_second, paimon_error *err)
{
    char text[PMN_DATETIME_TEXT_MAX];
    int64_t seconds = value / units_per_second - (value % units_per_second < 0);
    int64_t rest = value % units_per_second;
    if (rest < 0) rest += units_per_second;
    return put_quoted(out, text, pmn_timestamp_print(seconds, (int32_t)(rest * (1000000000 / units_per_second)), 'T', text), err);
}

static paimon_status put_integer(const pmn_avro_type *type, int64_t value, pmn_buf *out, paimon_error *err)
{
    char text[PMN_DATETIME_TEXT_MAX];
    if (is_logical(type, "timestamp-millis") || is_logical(type, "local-timestamp-millis")) return put_units_since_epoch(out, value, 1000, err);
    if (is_logical(type, "timestamp-micros") || is_logical(type, "local-timestamp-micros"))
        return put_units_since_epoch(out, value, MICROS_PER_SECOND, err);
    if (is_logical(type, "date") && value >= INT32_MIN && value <= INT32_MAX) return put_quoted(out, text, pmn_date_print(value, text), err);
    if (is_logical(type, "time-millis") && value >= 0 && value < 86400000)
        return put_quoted(out, text, pmn_time_print(value * 1000000, text), err);
    if (is_logical(type, "time-micros") && value >= 0 && value < INT64_C(86400000000))
        return put_quoted(out, text, pmn_time_print(value * 1000, text), err);
    return pmn_buf_printf(out, err, "%lld", (long long)value);
}

/* The shortest of two notations that reads back the same. */
static paimon_status put_floating(pmn_buf *out, double value, int short_digits, int long_digits, bool is_float, paimon_error *err)
{
    char text[40];
    if (isnan(value)) return pmn_buf_append_text(out, "\"NaN\"", err);
    if (isinf(value)) return pmn_buf_append_text(out, value < 0 ? "\"-Infinity\"" : "\"Infinity\"", err);
    snprintf(text, sizeof text, "%.*g", short_digits, value);
    bool same = is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
    if (!same) snprintf(text, sizeof text, "%.*g", long_digits, value);
    return pmn_buf_append_text(out, text, err);
}

static paimon_status put_bytes(const pmn_avro_type *type, pmn_slice bytes, pmn_buf *out, paimon_error *err)
{
    pmn_i128 unscaled;
    char text[PMN_DECIMAL_TEXT_MAX];
    if (type->kind == PMN_AVRO_STRING) return pmn_json_quote(out, bytes, err);
    if (is_logical(type, "decimal") && type->scale <= PMN_DECIMAL_MAX_PRECISION && pmn_i128_from_be(bytes, &unscaled))
        return put_quoted(out, text, pmn_decimal_print(unscaled, type->scale, text), err);
    return put_hex_text(out, bytes, err);
}

static bool take_counted_bytes(pmn_cursor *c, pmn_slice *out)
{
    int64_t n;
    return pmn_cursor_zigzag(c, &n) && n >= 0 && (uint64_t)n <= pmn_cursor_left(c) && pmn_cursor_take(c, (size_t)n, out);
}

static paimon_status put_datum(const pmn_avro_type *type, pmn_cursor *c, pmn_buf *out, int depth, paimon_error *err);

static paimon_status put_items(const pmn_avro_type *type, pmn_cursor *c, pmn_buf *out, int depth, paimon_error *err)
{
    bool is_map = type->kind == PMN_AVRO_MAP, more;
    pmn_avro_items it = pmn_avro_items_of(type, pmn_slice_of(c->pos, pmn_cursor_left(c)));
    PMN_TRY(pmn_buf_append_byte(out, is_map ? '{' : '[', err));
    for (bool first = true;; first = false) {
        pmn_slice key;
        if (!pmn_avro_items_next(&it, &more)) return fail_cut(type, c, err);
        if (!more) break;
        if (!first) PMN_TRY(pmn_buf_append_byte(out, ',', err));
        if (is_map) {
            if (!take_counted_bytes(&it.c, &key)) return fail_cut(type, c, err);
            PMN_TRY(pmn_json_quote(out, key, err));
            PMN_TRY(pmn_buf_append_byte(out, ':', err));
        }
        PMN_TRY(put_datum(it.item, &it.c, out, depth, err));
    }
    c->pos = it.c.pos;
    return pmn_buf_append_byte(out, is_map ? '}' : ']', err);
}

static paimon_status put_record(const pmn_avro_type *type, pmn_cursor *c, pmn_buf *out, int depth, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_byte(out, '{', err));
    for (int32_t i = 0; i < type->n; i++) {
        if (i) PMN_TRY(pmn_buf_append_byte(out, ',', err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(type->fields[i].name), err));
        PMN_TRY(pmn_buf_append_byte(out, ':', err));
        PMN_TRY(put_datum(type->fields[i].type, c, out, depth, err));
    }
    return pmn_buf_append_byte(out, '}', err);
}

static paimon_status put_branch(const pmn_avro_type *type, pmn_cursor *c, pmn_buf *out, int depth, paimon_error *err)
{
    int64_t branch;
    if (!pmn_cursor_zigzag(c, &branch) || branch < 0 || branch >= type->n) return fail_cut(type, c, err);
    if (type->kind == PMN_AVRO_ENUM) return pmn_json_quote(out, pmn_slice_text(type->fields[branch].name), err);
    return put_datum(type->fields[branch].type, c, out, depth, err);
}

static paimon_status put_number_datum(const pmn_avro_type *type, pmn_cursor *c, pmn_buf *out, paimon_error *err)
{
    int64_t number;
    uint32_t bits32;
    uint64_t bits64;
    float f;
    double d;
    switch (type->kind) {
    case PMN_AVRO_FLOAT:
        if (!pmn_cursor_le32(c, &bits32)) return fail_cut(type, c, err);
        memcpy(&f, &bits32, sizeof f);
        return put_floating(out, (double)f, 6, 9, true, err);
    case PMN_AVRO_DOUBLE:
        if (!pmn_cursor_le64(c, &bits64)) return fail_cut(type, c, err);
        memcpy(&d, &bits64, sizeof d);
        return put_floating(out, d, 15, 17, false, err);
    default:
        if (!pmn_cursor_zigzag(c, &number)) return fail_cut(type, c, err);
        return put_integer(type, number, out, err);
    }
}

static paimon_status put_datum(const pmn_avro_type *type, pmn_cursor *c, pmn_buf *out, int depth, paimon_error *err)
{
    uint8_t byte;
    pmn_slice bytes;
    if (depth == PMN_AVRO_MAX_DEPTH) return pmn_fail(err, PAIMON_CORRUPT, "an Avro datum is deeper than %d levels", PMN_AVRO_MAX_DEPTH);
    switch (type->kind) {
    case PMN_AVRO_NULL: return pmn_buf_append_text(out, "null", err);
    case PMN_AVRO_BOOLEAN:
        if (!pmn_cursor_u8(c, &byte) || byte > 1) return fail_cut(type, c, err);
        return pmn_buf_append_text(out, byte ? "true" : "false", err);
    case PMN_AVRO_INT:
    case PMN_AVRO_LONG:
    case PMN_AVRO_FLOAT:
    case PMN_AVRO_DOUBLE: return put_number_datum(type, c, out, err);
    case PMN_AVRO_BYTES:
    case PMN_AVRO_STRING:
        if (!take_counted_bytes(c, &bytes)) return fail_cut(type, c, err);
        return put_bytes(type, bytes, out, err);
    case PMN_AVRO_FIXED:
        if (!pmn_cursor_take(c, (size_t)type->size, &bytes)) return fail_cut(type, c, err);
        return put_bytes(type, bytes, out, err);
    case PMN_AVRO_ENUM:
    case PMN_AVRO_UNION: return put_branch(type, c, out, depth + 1, err);
    case PMN_AVRO_ARRAY:
    case PMN_AVRO_MAP: return put_items(type, c, out, depth + 1, err);
    case PMN_AVRO_RECORD: return put_record(type, c, out, depth + 1, err);
    }
    return pmn_fail(err, PAIMON_INTERNAL, "an Avro type of kind %d", (int)type->kind);
}

paimon_status pmn_avro_to_json(const pmn_avro_type *type, pmn_cursor *c, pmn_buf *out, paimon_error *err)
{
    return put_datum(type, c, out, 0, err);
}
