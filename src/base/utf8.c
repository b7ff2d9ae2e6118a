/* UTF-8 by the table of well-formed sequences in the Unicode standard (no overlong forms, no surrogates, at most U+10FFFF).
 * ASCII goes eight bytes at a time. */
#include "base/utf8.h"

#define HIGH_BITS 0x8080808080808080u

/* Length of the well-formed sequence at p, 0 if there is none; `left` > 0. */
static inline size_t sequence_length(const uint8_t *p, size_t left)
{
    uint8_t b = p[0];
    if (b < 0x80) return 1;
    if (b < 0xc2 || b > 0xf4) return 0;
    if (left < 2) return 0;
    uint8_t low = 0x80, high = 0xbf; /* of the second byte */
    if (b == 0xe0) low = 0xa0;
    if (b == 0xed) high = 0x9f;
    if (b == 0xf0) low = 0x90;
    if (b == 0xf4) high = 0x8f;
    if (p[1] < low || p[1] > high) return 0;
    if (b < 0xe0) return 2;
    if (left < 3 || (p[2] & 0xc0) != 0x80) return 0;
    if (b < 0xf0) return 3;
    return left >= 4 && (p[3] & 0xc0) == 0x80 ? 4 : 0;
}

static inline size_t skip_ascii(pmn_slice text, size_t pos)
{
    while (text.size - pos >= 8 && !(pmn_load_le64(text.data + pos) & HIGH_BITS)) pos += 8;
    return pos;
}

bool pmn_utf8_valid(pmn_slice text)
{
    for (size_t pos = 0; (pos = skip_ascii(text, pos)) < text.size;) {
        size_t n = sequence_length(text.data + pos, text.size - pos);
        if (n == 0) return false;
        pos += n;
    }
    return true;
}

int64_t pmn_utf8_length(pmn_slice text)
{
    int64_t count = 0;
    for (size_t pos = 0; pos < text.size; count++) {
        size_t ascii_end = skip_ascii(text, pos);
        count += (int64_t)(ascii_end - pos);
        pos = ascii_end;
        if (pos == text.size) break;
        size_t n = sequence_length(text.data + pos, text.size - pos);
        pos += n ? n : 1;
    }
    return count;
}

uint32_t pmn_utf8_next(pmn_slice text, size_t *pos)
{
    const uint8_t *p = text.data + *pos;
    size_t n = sequence_length(p, text.size - *pos);
    *pos += n ? n : 1;
    switch (n) {
    case 1: return p[0];
    case 2: return (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
    case 3: return (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
    case 4: return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 | (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
    default: return 0xfffd;
    }
}

size_t pmn_utf8_encode(uint32_t c, uint8_t out[4])
{
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (uint8_t)(0xc0 | c >> 6);
        out[1] = (uint8_t)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (uint8_t)(0xe0 | c >> 12);
        out[1] = (uint8_t)(0x80 | ((c >> 6) & 0x3f));
        out[2] = (uint8_t)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | c >> 18);
    out[1] = (uint8_t)(0x80 | ((c >> 12) & 0x3f));
    out[2] = (uint8_t)(0x80 | ((c >> 6) & 0x3f));
    out[3] = (uint8_t)(0x80 | (c & 0x3f));
    return 4;
}

size_t pmn_utf8_prefix(pmn_slice text, int64_t n)
{
    size_t pos = 0;
    for (int64_t i = 0; i < n && pos < text.size; i++) {
        size_t length = sequence_length(text.data + pos, text.size - pos);
        pos += length ? length : 1;
    }
    return pos;
}
