/* Java's DataOutput and DataInput. Modified UTF-8 (DataOutputStream.writeUTF): the zero character takes two bytes, C0 80, and a character
 * past U+FFFF is two surrogates of three bytes each; all others are as in UTF-8. */
#include "wire/java_data.h"

#include <string.h>

#include "base/utf8.h"

paimon_status pmn_java_put_byte(pmn_buf *out, uint8_t value, paimon_error *err) { return pmn_buf_append_byte(out, value, err); }
paimon_status pmn_java_put_bool(pmn_buf *out, bool value, paimon_error *err) { return pmn_buf_append_byte(out, value ? 1 : 0, err); }

paimon_status pmn_java_put_int(pmn_buf *out, int32_t value, paimon_error *err)
{
    uint8_t bytes[4];
    pmn_store_be32(bytes, (uint32_t)value);
    return pmn_buf_append(out, bytes, sizeof bytes, err);
}

paimon_status pmn_java_put_long(pmn_buf *out, int64_t value, paimon_error *err)
{
    uint8_t bytes[8];
    pmn_store_be64(bytes, (uint64_t)value);
    return pmn_buf_append(out, bytes, sizeof bytes, err);
}

static size_t put_surrogate(uint8_t *out, uint32_t unit)
{
    out[0] = (uint8_t)(0xe0 | unit >> 12);
    out[1] = (uint8_t)(0x80 | (unit >> 6 & 0x3f));
    out[2] = (uint8_t)(0x80 | (unit & 0x3f));
    return 3;
}

/* One code point in modified form: at most 6 bytes. C texts have no zero character. */
static size_t put_code_point(uint8_t *out, uint32_t code_point)
{
    if (code_point < 0x10000) return pmn_utf8_encode(code_point, out);
    code_point -= 0x10000;
    return put_surrogate(out, 0xd800 + (code_point >> 10)) + put_surrogate(out + 3, 0xdc00 + (code_point & 0x3ff));
}

static bool is_plain(pmn_slice text)
{
    uint8_t high = 0;
    for (size_t i = 0; i < text.size; i++) high |= text.data[i];
    return high < 0x80;
}

paimon_status pmn_java_put_utf(pmn_buf *out, const char *text, paimon_error *err)
{
    pmn_slice utf8 = pmn_slice_text(text);
    if (utf8.size > UINT16_MAX) return pmn_fail(err, PAIMON_INVALID, "a text of %zu bytes, where Java's form ends at 65535: %.60s…", utf8.size, text);
    PMN_TRY(pmn_buf_reserve(out, 2 + utf8.size * 2 + 6, err)); /* 4 bytes become 6; a damaged one 3 */
    size_t length_at = out->size, pos = 0;
    out->size += 2;
    if (PMN_LIKELY(is_plain(utf8))) {
        pmn_store_be16(out->data + length_at, (uint16_t)utf8.size);
        return pmn_buf_append(out, utf8.data, utf8.size, err);
    }
    while (pos < utf8.size) {
        PMN_TRY(pmn_buf_reserve(out, 6, err));
        out->size += put_code_point(out->data + out->size, pmn_utf8_next(utf8, &pos));
    }
    size_t n = out->size - length_at - 2;
    if (n > UINT16_MAX) return pmn_fail(err, PAIMON_INVALID, "a text of %zu bytes in Java's form, which ends at 65535: %.60s…", n, text);
    pmn_store_be16(out->data + length_at, (uint16_t)n);
    return PAIMON_OK;
}

paimon_status pmn_java_put_framed(pmn_buf *out, pmn_slice bytes, paimon_error *err)
{
    if (bytes.size > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "a part of %zu bytes, where a length of Java ends at 2147483647", bytes.size);
    PMN_TRY(pmn_java_put_int(out, (int32_t)bytes.size, err));
    return pmn_buf_append(out, bytes.data, bytes.size, err);
}

static PMN_NOINLINE paimon_status cut(const pmn_java_input *in, const char *what, size_t needed)
{
    return pmn_fail(in->err, PAIMON_CORRUPT, "%s at byte %zu needs %zu bytes; %zu are left", what, pmn_cursor_offset(&in->c), needed,
                    pmn_cursor_left(&in->c));
}

paimon_status pmn_java_get_bool(pmn_java_input *in, const char *what, bool *out)
{
    uint8_t byte = 0;
    if (PMN_UNLIKELY(!pmn_cursor_u8(&in->c, &byte))) return cut(in, what, 1);
    if (PMN_UNLIKELY(byte > 1))
        return pmn_fail(in->err, PAIMON_CORRUPT, "%s at byte %zu is %u, neither 0 nor 1", what, pmn_cursor_offset(&in->c) - 1, (unsigned)byte);
    *out = byte == 1;
    return PAIMON_OK;
}

paimon_status pmn_java_get_int(pmn_java_input *in, const char *what, int32_t *out)
{
    uint32_t value = 0;
    if (PMN_UNLIKELY(!pmn_cursor_be32(&in->c, &value))) return cut(in, what, 4);
    *out = (int32_t)value;
    return PAIMON_OK;
}

paimon_status pmn_java_get_long(pmn_java_input *in, const char *what, int64_t *out)
{
    uint64_t value = 0;
    if (PMN_UNLIKELY(!pmn_cursor_be64(&in->c, &value))) return cut(in, what, 8);
    *out = (int64_t)value;
    return PAIMON_OK;
}

paimon_status pmn_java_get_count(pmn_java_input *in, const char *what, size_t least, int32_t *out)
{
    size_t at = pmn_cursor_offset(&in->c);
    PMN_TRY(pmn_java_get_int(in, what, out));
    if (PMN_UNLIKELY(*out < 0 || (size_t)*out > pmn_cursor_left(&in->c) / least))
        return pmn_fail(in->err, PAIMON_CORRUPT, "%s at byte %zu: %d of them cannot be in the %zu bytes that are left", what, at, (int)*out,
                        pmn_cursor_left(&in->c));
    return PAIMON_OK;
}

static bool is_continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

/* One UTF-16 unit of modified UTF-8. */
static bool next_unit(pmn_cursor *c, uint32_t *unit)
{
    uint8_t a = 0, b = 0, d = 0;
    if (!pmn_cursor_u8(c, &a)) return false;
    if (a < 0x80) {
        *unit = a;
        return true;
    }
    if (!pmn_cursor_u8(c, &b) || !is_continuation(b)) return false;
    if ((a & 0xe0) == 0xc0) {
        *unit = (uint32_t)(a & 0x1f) << 6 | (b & 0x3fu);
        return true;
    }
    if ((a & 0xf0) != 0xe0 || !pmn_cursor_u8(c, &d) || !is_continuation(d)) return false;
    *unit = (uint32_t)(a & 0x0f) << 12 | (uint32_t)(b & 0x3f) << 6 | (d & 0x3fu);
    return true;
}

/* Two units that belong together are one code point. */
static bool next_code_point(pmn_cursor *c, uint32_t *code_point)
{
    uint32_t low;
    if (!next_unit(c, code_point) || *code_point == 0) return false; /* a zero would end a C text */
    if (*code_point < 0xd800 || *code_point > 0xdfff) return true;
    if (*code_point > 0xdbff || !next_unit(c, &low) || low < 0xdc00 || low > 0xdfff) return false;
    *code_point = 0x10000 + ((*code_point - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

paimon_status pmn_java_get_utf(pmn_java_input *in, const char *what, pmn_arena *arena, const char **out)
{
    uint16_t n = 0;
    pmn_slice text;
    size_t at = pmn_cursor_offset(&in->c), size = 0;
    if (PMN_UNLIKELY(!pmn_cursor_be16(&in->c, &n))) return cut(in, what, 2);
    if (PMN_UNLIKELY(!pmn_cursor_take(&in->c, n, &text))) return cut(in, what, n);
    /* Six bytes become four and all others stay: no text gets longer. */
    char *utf8 = pmn_arena_strndup(arena, (const char *)text.data, text.size);
    if (!utf8) return pmn_fail_nomem(in->err, what);
    *out = utf8;
    if (PMN_LIKELY(is_plain(text) && (text.size == 0 || !memchr(text.data, 0, text.size)))) return PAIMON_OK;
    pmn_cursor c = pmn_cursor_of(text.data, text.size);
    while (pmn_cursor_left(&c) > 0) {
        uint32_t code_point;
        uint8_t bytes[4];
        if (!next_code_point(&c, &code_point))
            return pmn_fail(in->err, PAIMON_CORRUPT, "%s at byte %zu is no text in Java's form of UTF-8", what, at);
        size_t k = pmn_utf8_encode(code_point, bytes);
        memcpy(utf8 + size, bytes, k);
        size += k;
    }
    utf8[size] = 0;
    return PAIMON_OK;
}

paimon_status pmn_java_get_framed(pmn_java_input *in, const char *what, pmn_slice *out)
{
    int32_t n = 0;
    PMN_TRY(pmn_java_get_count(in, what, 1, &n));
    return pmn_cursor_take(&in->c, (size_t)n, out) ? PAIMON_OK : cut(in, what, (size_t)n);
}

paimon_status pmn_java_get_framed_text(pmn_java_input *in, const char *what, pmn_arena *arena, const char **out)
{
    pmn_slice text = { NULL, 0 };
    PMN_TRY(pmn_java_get_framed(in, what, &text));
    if (text.size && memchr(text.data, 0, text.size))
        return pmn_fail(in->err, PAIMON_CORRUPT, "%s before byte %zu has a zero byte in it", what, pmn_cursor_offset(&in->c));
    *out = pmn_arena_strndup(arena, (const char *)text.data, text.size);
    return *out ? PAIMON_OK : pmn_fail_nomem(in->err, what);
}

paimon_status pmn_java_get_row(pmn_java_input *in, const char *what, pmn_slice *out)
{
    size_t at = pmn_cursor_offset(&in->c);
    PMN_TRY(pmn_java_get_framed(in, what, out));
    uint32_t arity = out->size >= 12 ? pmn_load_be32(out->data) : UINT32_MAX;
    /* (arity + 71) / 64 words of header, and one a field */
    if (arity > INT32_MAX / 16 || ((arity + 71) / 64 + arity) * (size_t)8 > out->size - 4)
        return pmn_fail(in->err, PAIMON_CORRUPT, "%s at byte %zu: a row of %zu bytes cannot have its fields", what, at, out->size);
    return PAIMON_OK;
}

paimon_status pmn_java_end(pmn_java_input *in, const char *what)
{
    if (PMN_LIKELY(pmn_cursor_left(&in->c) == 0)) return PAIMON_OK;
    return pmn_fail(in->err, PAIMON_CORRUPT, "%s: %zu bytes are left behind its end at byte %zu", what, pmn_cursor_left(&in->c),
                    pmn_cursor_offset(&in->c));
}
