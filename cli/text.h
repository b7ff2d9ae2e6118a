/** A growing piece of text. Out of memory is remembered, not reported at each step: look at `failed` once at the end. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cli_text {
    char *data;
    size_t size;
    size_t capacity;
    bool failed;
} cli_text;

/** Make room for `more` bytes and answer where they go; NULL (and `failed`) without memory. */
char *cli_text_reserve(cli_text *text, size_t more);
void cli_text_put(cli_text *text, const char *bytes, size_t n);
void cli_text_puts(cli_text *text, const char *string);
void cli_text_putc(cli_text *text, char c);
void cli_text_printf(cli_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_text_int(cli_text *text, int64_t value);
void cli_text_uint(cli_text *text, uint64_t value);
/** Lower-case hex of bytes. */
void cli_text_hex(cli_text *text, const uint8_t *bytes, size_t n);
/** A zero byte behind the text, not counted; "" for an empty one. */
const char *cli_text_string(cli_text *text);
void cli_text_free(cli_text *text);

/** Length of the valid UTF-8 sequence at `bytes` (1 to 4), or 0 where there is none. */
size_t cli_utf8_sequence(const uint8_t *bytes, size_t n);
bool cli_utf8_valid(const uint8_t *bytes, size_t n);
/** Columns of a terminal that a valid UTF-8 text takes: wide for East Asian and emoji, none for combining marks. */
size_t cli_utf8_width(const char *text, size_t n);

/** A JSON string with quotes: only '"', '\' and control characters are escaped; what is not UTF-8 becomes U+FFFD. */
void cli_text_json_string(cli_text *text, const uint8_t *bytes, size_t n);
/** Text that is safe on a terminal: control characters become \n, \t, \xNN; what is not UTF-8 becomes \xNN. */
void cli_text_visible(cli_text *text, const uint8_t *bytes, size_t n);

#endif
