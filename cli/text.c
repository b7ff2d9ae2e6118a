/* Growing text, and what the command has to know about UTF-8. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *cli_text_reserve(cli_text *text, size_t more)
{
    if (text->failed) {
        return NULL;
    }
    if (more > text->capacity - text->size) {
        size_t capacity = text->capacity < 128 ? 128 : text->capacity;
        while (capacity - text->size < more) {
            if (capacity > SIZE_MAX / 2) {
                text->failed = true;
                return NULL;
            }
            capacity *= 2;
        }
        char *data = realloc(text->data, capacity);
        if (data == NULL) {
            text->failed = true;
            return NULL;
        }
        text->data = data;
        text->capacity = capacity;
    }
    return text->data + text->size;
}

void cli_text_put(cli_text *text, const char *bytes, size_t n)
{
    if (n == 0) {
        return;
    }
    char *to = cli_text_reserve(text, n);
    if (to != NULL) {
        memcpy(to, bytes, n);
        text->size += n;
    }
}

void cli_text_puts(cli_text *text, const char *string) { cli_text_put(text, string, strlen(string)); }

void cli_text_putc(cli_text *text, char c)
{
    char *to = cli_text_reserve(text, 1);
    if (to != NULL) {
        *to = c;
        text->size++;
    }
}

void cli_text_printf(cli_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *to = n < 0 ? NULL : cli_text_reserve(text, (size_t)n + 1);
    if (to != NULL) {
        vsnprintf(to, (size_t)n + 1, format, again);
        text->size += (size_t)n;
    }
    va_end(again);
}

void cli_text_uint(cli_text *text, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    cli_text_put(text, digits + at, sizeof digits - at);
}

void cli_text_int(cli_text *text, int64_t value)
{
    if (value < 0) {
        cli_text_putc(text, '-');
        cli_text_uint(text, 0 - (uint64_t)value);
    } else {
        cli_text_uint(text, (uint64_t)value);
    }
}

void cli_text_hex(cli_text *text, const uint8_t *bytes, size_t n)
{
    static const char digit[] = "0123456789abcdef";
    if (n > SIZE_MAX / 2) {
        text->failed = true;
        return;
    }
    char *to = cli_text_reserve(text, 2 * n);
    if (to == NULL) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        to[2 * i] = digit[bytes[i] >> 4];
        to[2 * i + 1] = digit[bytes[i] & 15];
    }
    text->size += 2 * n;
}

const char *cli_text_string(cli_text *text)
{
    char *end = cli_text_reserve(text, 1);
    if (end == NULL) {
        return "";
    }
    *end = '\0';
    return text->data;
}

void cli_text_free(cli_text *text)
{
    free(text->data);
    *text = (cli_text){ 0 };
}

size_t cli_utf8_sequence(const uint8_t *bytes, size_t n)
{
    if (n == 0) {
        return 0;
    }
    uint8_t b = bytes[0];
    if (b < 0x80) {
        return 1;
    }
    size_t length = b >= 0xC2 && b <= 0xDF ? 2 : b >= 0xE0 && b <= 0xEF ? 3 : b >= 0xF0 && b <= 0xF4 ? 4 : 0;
    if (length == 0 || length > n) {
        return 0;
    }
    /* The second byte carries the limits: no over-long forms, no surrogates, nothing past U+10FFFF. */
    uint8_t low = b == 0xE0 ? 0xA0 : b == 0xF0 ? 0x90 : 0x80;
    uint8_t high = b == 0xED ? 0x9F : b == 0xF4 ? 0x8F : 0xBF;
    if (bytes[1] < low || bytes[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

bool cli_utf8_valid(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t length = bytes[i] < 0x80 ? 1 : cli_utf8_sequence(bytes + i, n - i);
        if (length == 0) {
            return false;
        }
        i += length;
    }
    return true;
}

static uint32_t code_point(const uint8_t *b, size_t length)
{
    switch (length) {
    case 2:
        return (uint32_t)(b[0] & 0x1F) << 6 | (b[1] & 0x3F);
    case 3:
        return (uint32_t)(b[0] & 0x0F) << 12 | (uint32_t)(b[1] & 0x3F) << 6 | (b[2] & 0x3F);
    case 4:
        return (uint32_t)(b[0] & 0x07) << 18 | (uint32_t)(b[1] & 0x3F) << 12 | (uint32_t)(b[2] & 0x3F) << 6 | (b[3] & 0x3F);
    default:
        return b[0];
    }
}

/* The blocks that matter in practice; wcwidth() would need the user's locale to be set up. */
static size_t point_width(uint32_t c)
{
    if ((c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || (c >= 0x20D0 && c <= 0x20FF) || (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF) {
        return 0;
    }
    if ((c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0x303E) || (c >= 0x3041 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
        (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) || (c >= 0xFFE0 && c <= 0xFFE6) ||
        (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD)) {
        return 2;
    }
    return 1;
}

size_t cli_utf8_width(const char *text, size_t n)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t width = 0;
    for (size_t i = 0; i < n;) {
        size_t length = cli_utf8_sequence(bytes + i, n - i);
        width += length == 0 ? 1 : point_width(code_point(bytes + i, length));
        i += length == 0 ? 1 : length;
    }
    return width;
}

static bool plain_in_json(uint8_t b) { return b >= 0x20 && b < 0x80 && b != '"' && b != '\\'; }

void cli_text_json_string(cli_text *text, const uint8_t *bytes, size_t n)
{
    cli_text_putc(text, '"');
    for (size_t i = 0; i < n;) {
        size_t from = i;
        while (i < n && plain_in_json(bytes[i])) {
            i++;
        }
        cli_text_put(text, (const char *)bytes + from, i - from);
        if (i == n) {
            break;
        }
        size_t length = cli_utf8_sequence(bytes + i, n - i);
        if (bytes[i] < 0x20) {
            cli_text_printf(text, "\\u%04x", bytes[i]);
        } else if (bytes[i] == '"' || bytes[i] == '\\') {
            cli_text_putc(text, '\\');
            cli_text_putc(text, (char)bytes[i]);
        } else if (length == 0) {
            cli_text_puts(text, "\xEF\xBF\xBD");
        } else {
            cli_text_put(text, (const char *)bytes + i, length);
        }
        i += length == 0 ? 1 : length;
    }
    cli_text_putc(text, '"');
}

void cli_text_visible(cli_text *text, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t length = cli_utf8_sequence(bytes + i, n - i);
        bool control = bytes[i] < 0x20 || bytes[i] == 0x7F || (length == 2 && bytes[i] == 0xC2 && bytes[i + 1] < 0xA0);
        if (bytes[i] == '\n' || bytes[i] == '\t' || bytes[i] == '\r') {
            cli_text_puts(text, bytes[i] == '\n' ? "\\n" : bytes[i] == '\t' ? "\\t" : "\\r");
        } else if (length == 0 || control) {
            for (size_t k = 0; k < (length == 0 ? 1 : length); k++) {
                cli_text_printf(text, "\\x%02x", bytes[i + k]);
            }
        } else {
            cli_text_put(text, (const char *)bytes + i, length);
        }
        i += length == 0 ? 1 : length;
    }
}
