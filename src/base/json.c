/* The only file that knows jansson. Its parser bounds depth at 2048; a deeper text is corrupt. Its integers are exact in 64
 * bits, and a longer one is an error rather than a double. Repeated keys: the last one wins, as in Java's Jackson. */
#include "base/json.h"

#include <jansson.h>
#include <string.h>

#include "base/utf8.h"

paimon_status pmn_json_parse(pmn_slice text, pmn_json **out, paimon_error *err)
{
    json_error_t why;
    *out = NULL;
    if (text.size == 0) return pmn_fail(err, PAIMON_CORRUPT, "not JSON: it is empty at line 1");
    *out = json_loadb((const char *)text.data, text.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
    if (*out) return PAIMON_OK;
    if (json_error_code(&why) == json_error_out_of_memory) return pmn_fail_nomem(err, "a JSON text");
    return pmn_fail(err, PAIMON_CORRUPT, "not JSON: %s at line %d, column %d", why.text, why.line, why.column);
}

void pmn_json_free(pmn_json *json)
{
    json_decref(json);
}

pmn_json_kind pmn_json_kind_of(const pmn_json *json)
{
    if (!json) return PMN_JSON_NULL;
    switch (json_typeof(json)) {
    case JSON_OBJECT: return PMN_JSON_OBJECT;
    case JSON_ARRAY: return PMN_JSON_ARRAY;
    case JSON_STRING: return PMN_JSON_TEXT;
    case JSON_INTEGER: return PMN_JSON_INT;
    case JSON_REAL: return PMN_JSON_REAL;
    case JSON_TRUE:
    case JSON_FALSE: return PMN_JSON_BOOL;
    case JSON_NULL: break;
    }
    return PMN_JSON_NULL;
}

const pmn_json *pmn_json_get(const pmn_json *object, const char *key)
{
    return json_object_get(object, key);
}

size_t pmn_json_size(const pmn_json *array)
{
    return json_is_object(array) ? json_object_size(array) : json_array_size(array);
}

const pmn_json *pmn_json_at(const pmn_json *array, size_t i)
{
    return json_array_get(array, i);
}

bool pmn_json_next(const pmn_json *object, void **iter, const char **key, const pmn_json **value)
{
    /* The iterating functions are not const-correct; they change nothing. */
    json_t *o = (json_t *)(uintptr_t)object;
    *iter = *iter ? json_object_iter_next(o, *iter) : json_object_iter(o);
    if (!*iter) return false;
    *key = json_object_iter_key(*iter);
    *value = json_object_iter_value(*iter);
    return true;
}

bool pmn_json_bool(const pmn_json *json)
{
    return json_is_true(json);
}

int64_t pmn_json_int(const pmn_json *json)
{
    return (int64_t)json_integer_value(json);
}

double pmn_json_real(const pmn_json *json)
{
    return json_number_value(json);
}

const char *pmn_json_text(const pmn_json *json)
{
    return json_string_value(json);
}

static const char *kind_name(const pmn_json *json)
{
    static const char *const names[] = { "null", "a boolean", "an integer", "a real number", "a text", "an array", "an object" };
    return names[pmn_json_kind_of(json)];
}

static bool is_absent(const pmn_json *json)
{
    return !json || json_is_null(json);
}

static paimon_status take_int(const pmn_json *json, const char *key, int64_t *out, paimon_error *err)
{
    if (!json_is_integer(json)) return pmn_fail(err, PAIMON_CORRUPT, "\"%s\" is %s, not an integer", key, kind_name(json));
    *out = pmn_json_int(json);
    return PAIMON_OK;
}

static paimon_status take_text(const pmn_json *json, const char *key, const char **out, paimon_error *err)
{
    if (!json_is_string(json)) return pmn_fail(err, PAIMON_CORRUPT, "\"%s\" is %s, not a text", key, kind_name(json));
    const char *text = json_string_value(json);
    if (strlen(text) != json_string_length(json)) return pmn_fail(err, PAIMON_UNSUPPORTED, "\"%s\" is a text with a zero byte in it", key);
    *out = text;
    return PAIMON_OK;
}

static paimon_status fail_absent(const pmn_json *object, const char *key, paimon_error *err)
{
    if (!json_is_object(object)) return pmn_fail(err, PAIMON_CORRUPT, "%s stands where an object with \"%s\" should", kind_name(object), key);
    return pmn_fail(err, PAIMON_CORRUPT, "\"%s\" is missing", key);
}

paimon_status pmn_json_need_int(const pmn_json *object, const char *key, int64_t *out, paimon_error *err)
{
    const pmn_json *json = pmn_json_get(object, key);
    return is_absent(json) ? fail_absent(object, key, err) : take_int(json, key, out, err);
}

paimon_status pmn_json_need_text(const pmn_json *object, const char *key, const char **out, paimon_error *err)
{
    const pmn_json *json = pmn_json_get(object, key);
    return is_absent(json) ? fail_absent(object, key, err) : take_text(json, key, out, err);
}

paimon_status pmn_json_int_or(const pmn_json *object, const char *key, int64_t fallback, int64_t *out, paimon_error *err)
{
    const pmn_json *json = pmn_json_get(object, key);
    *out = fallback;
    return is_absent(json) ? PAIMON_OK : take_int(json, key, out, err);
}

paimon_status pmn_json_text_or(const pmn_json *object, const char *key, const char *fallback, const char **out, paimon_error *err)
{
    const pmn_json *json = pmn_json_get(object, key);
    *out = fallback;
    return is_absent(json) ? PAIMON_OK : take_text(json, key, out, err);
}

static bool is_plain(uint8_t b)
{
    return b >= 0x20 && b < 0x80 && b != '"' && b != '\\';
}

static paimon_status quote_ascii(pmn_buf *out, uint8_t b, paimon_error *err)
{
    static const char short_forms[] = "b\bf\fn\nr\rt\t";
    if (b == '"' || b == '\\') {
        uint8_t pair[2] = { '\\', b };
        return pmn_buf_append(out, pair, 2, err);
    }
    for (size_t i = 0; i + 1 < sizeof short_forms; i += 2) {
        if (b != (uint8_t)short_forms[i + 1]) continue;
        uint8_t pair[2] = { '\\', (uint8_t)short_forms[i] };
        return pmn_buf_append(out, pair, 2, err);
    }
    return b < 0x20 ? pmn_buf_printf(out, err, "\\u%04x", b) : pmn_buf_append_byte(out, b, err);
}

paimon_status pmn_json_quote(pmn_buf *out, pmn_slice text, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_byte(out, '"', err));
    for (size_t pos = 0; pos < text.size;) {
        size_t end = pos;
        while (end < text.size && is_plain(text.data[end])) end++;
        if (end > pos) {
            PMN_TRY(pmn_buf_append(out, text.data + pos, end - pos, err));
            pos = end;
        } else if (text.data[pos] < 0x80) {
            PMN_TRY(quote_ascii(out, text.data[pos++], err));
        } else {
            uint8_t encoded[4];
            size_t n = pmn_utf8_encode(pmn_utf8_next(text, &pos), encoded);
            PMN_TRY(pmn_buf_append(out, encoded, n, err));
        }
    }
    return pmn_buf_append_byte(out, '"', err);
}
