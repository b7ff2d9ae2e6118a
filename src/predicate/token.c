/* The words of the predicate text: names, literals, symbols.
 *
 * Quotes are doubled to stand for themselves, as in SQL. Two forms go beyond it: an ISO date without quotes is a text, since
 * no arithmetic exists that it could be confused with; and U&'…' is printed for texts that hold a zero byte, which a C string
 * could not carry. */
#include "predicate/token.h"

#include <string.h>

#include "base/utf8.h"

static bool digit_char(uint8_t c) { return c >= '0' && c <= '9'; }
static bool name_start(uint8_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80; }
static bool name_char(uint8_t c) { return name_start(c) || digit_char(c) || c == '$'; }
static uint8_t upper(uint8_t c) { return c >= 'a' && c <= 'z' ? (uint8_t)(c - 32) : c; }

static uint8_t peek(pmn_slice text, size_t at) { return at < text.size ? text.data[at] : 0; }

static const char *const KEYWORDS[] = { "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "NULL", "LIKE", "ESCAPE", "TRUE", "FALSE" };

static bool word_equal(pmn_slice word, const char *upper_case)
{
    size_t i = 0;
    for (; i < word.size && upper_case[i]; i++) {
        if (upper(word.data[i]) != (uint8_t)upper_case[i]) return false;
    }
    return i == word.size && !upper_case[i];
}

static bool reserved(pmn_slice word)
{
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++) {
        if (word_equal(word, KEYWORDS[i])) return true;
    }
    return false;
}

bool pmn_token_is_symbol(const pmn_token *token, const char *symbol)
{
    return token->kind == PMN_TOKEN_SYMBOL && token->raw.size == strlen(symbol) && memcmp(token->raw.data, symbol, token->raw.size) == 0;
}

bool pmn_token_is_word(const pmn_token *token, const char *upper_case) { return token->kind == PMN_TOKEN_NAME && word_equal(token->raw, upper_case); }

bool pmn_token_is_keyword(const pmn_token *token) { return token->kind == PMN_TOKEN_NAME && reserved(token->raw); }

bool pmn_token_bare_name(const char *name)
{
    pmn_slice text = pmn_slice_text(name);
    if (text.size == 0 || !name_start(text.data[0]) || reserved(text)) return false;
    for (size_t i = 1; i < text.size; i++) {
        if (!name_char(text.data[i])) return false;
    }
    return true;
}

/* `open` is the place of the opening quote; the token's start may lie before it (X'…'). */
static paimon_status take_quoted(pmn_slice text, size_t open, size_t *pos, pmn_token *out, paimon_error *err)
{
    uint8_t quote = text.data[open];
    size_t i = open + 1;
    for (;;) {
        const uint8_t *found = i < text.size ? memchr(text.data + i, quote, text.size - i) : NULL;
        if (!found) return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: the quote %c is not closed", open + 1, quote);
        i = (size_t)(found - text.data);
        if (peek(text, i + 1) != quote) break;
        i += 2;
    }
    out->quote = (char)quote;
    out->raw = pmn_slice_of(text.data + open + 1, i - open - 1);
    *pos = i + 1;
    return PAIMON_OK;
}

static bool date_here(pmn_slice text, size_t at)
{
    static const char shape[] = "dddd-dd-dd";
    for (size_t i = 0; shape[i]; i++) {
        uint8_t c = peek(text, at + i);
        if (shape[i] == 'd' ? !digit_char(c) : c != '-') return false;
    }
    uint8_t next = peek(text, at + 10);
    return !name_char(next) && next != '.' && next != '-';
}

static paimon_status take_number(pmn_slice text, size_t *pos, pmn_token *out, paimon_error *err)
{
    size_t start = *pos, i = start;
    out->kind = PMN_TOKEN_NUMBER;
    if (date_here(text, start)) {
        out->kind = PMN_TOKEN_TEXT;
        i += 10;
    } else {
        while (digit_char(peek(text, i))) i++;
        if (peek(text, i) == '.') i++;
        while (digit_char(peek(text, i))) i++;
        if (upper(peek(text, i)) == 'E') {
            size_t e = i + 1;
            if (peek(text, e) == '+' || peek(text, e) == '-') e++;
            if (digit_char(peek(text, e))) {
                while (digit_char(peek(text, e))) e++;
                i = e;
            }
        }
        if (name_char(peek(text, i)) || peek(text, i) == '.') {
            return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: a number runs into '%c'; names that begin with a digit need double quotes",
                            i + 1, peek(text, i) < 0x80 ? peek(text, i) : '?');
        }
    }
    out->raw = pmn_slice_of(text.data + start, i - start);
    *pos = i;
    return PAIMON_OK;
}

static paimon_status take_symbol(pmn_slice text, size_t *pos, pmn_token *out, paimon_error *err)
{
    uint8_t c = text.data[*pos], d = peek(text, *pos + 1);
    size_t n = 1;
    if ((c == '<' && (d == '>' || d == '=')) || (c == '>' && d == '=') || (c == '!' && d == '='))
        n = 2;
    else if (!c || !strchr("(),.+-=<>", c)) {
        if (c > 32 && c < 127) return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: unexpected '%c'", *pos + 1, c);
        return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: unexpected byte 0x%02x", *pos + 1, c);
    }
    out->kind = PMN_TOKEN_SYMBOL;
    out->raw = pmn_slice_of(text.data + *pos, n);
    *pos += n;
    return PAIMON_OK;
}

static paimon_status take_any(pmn_slice text, size_t *pos, pmn_token *out, paimon_error *err)
{
    size_t at = *pos;
    uint8_t c = text.data[at];
    if (c == '\'' || c == '"' || c == '`') {
        out->kind = c == '\'' ? PMN_TOKEN_TEXT : PMN_TOKEN_QUOTED_NAME;
        return take_quoted(text, at, pos, out, err);
    }
    if (upper(c) == 'X' && peek(text, at + 1) == '\'') {
        out->kind = PMN_TOKEN_HEX;
        return take_quoted(text, at + 1, pos, out, err);
    }
    if (upper(c) == 'U' && peek(text, at + 1) == '&' && peek(text, at + 2) == '\'') {
        out->kind = PMN_TOKEN_UNICODE;
        return take_quoted(text, at + 2, pos, out, err);
    }
    if (digit_char(c) || (c == '.' && digit_char(peek(text, at + 1)))) return take_number(text, pos, out, err);
    if (!name_start(c)) return take_symbol(text, pos, out, err);
    while (name_char(peek(text, *pos))) ++*pos;
    out->kind = PMN_TOKEN_NAME;
    out->raw = pmn_slice_of(text.data + at, *pos - at);
    return PAIMON_OK;
}

paimon_status pmn_token_next(pmn_slice text, size_t *pos, pmn_token *out, paimon_error *err)
{
    while (*pos < text.size && strchr(" \t\r\n\f", text.data[*pos]) && text.data[*pos]) ++*pos;
    memset(out, 0, sizeof *out);
    out->at = *pos;
    if (*pos == text.size) return PAIMON_OK;
    PMN_TRY(take_any(text, pos, out, err));
    out->all = pmn_slice_of(text.data + out->at, *pos - out->at);
    return PAIMON_OK;
}

/* --- values --- */

static int hex_digit(uint8_t c)
{
    if (digit_char(c)) return c - '0';
    c = upper(c);
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static paimon_status bad_hex(const pmn_token *token, paimon_error *err)
{
    return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: X'…' takes pairs of hexadecimal digits", token->at + 1);
}

static paimon_status hex_value(const pmn_token *token, uint8_t *to, size_t *n, paimon_error *err)
{
    if (token->raw.size % 2) return bad_hex(token, err);
    for (size_t i = 0; i < token->raw.size; i += 2) {
        int high = hex_digit(token->raw.data[i]), low = hex_digit(token->raw.data[i + 1]);
        if (high < 0 || low < 0) return bad_hex(token, err);
        to[(*n)++] = (uint8_t)(high * 16 + low);
    }
    return PAIMON_OK;
}

/* '\' and four hexadecimal digits, '\+' and six, or '\\'. At `*i` stands the first '\'. */
static bool unicode_escape(pmn_slice raw, size_t *i, uint8_t *to, size_t *n)
{
    if (peek(raw, *i + 1) == '\\') {
        to[(*n)++] = '\\';
        *i += 2;
        return true;
    }
    size_t start = *i + 1, digits = 4;
    if (peek(raw, start) == '+') {
        start++;
        digits = 6;
    }
    uint32_t code_point = 0;
    for (size_t k = 0; k < digits; k++) {
        int digit = hex_digit(peek(raw, start + k));
        if (digit < 0) return false;
        code_point = code_point * 16 + (uint32_t)digit;
    }
    if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point < 0xE000)) return false;
    *n += pmn_utf8_encode(code_point, to + *n);
    *i = start + digits;
    return true;
}

paimon_status pmn_token_value(pmn_arena *arena, const pmn_token *token, pmn_slice *out, paimon_error *err)
{
    pmn_slice raw = token->raw;
    /* no form grows: the shortest escape, five bytes, gives at most three */
    uint8_t *to = pmn_arena_alloc(arena, raw.size + 4);
    size_t n = 0;
    if (!to) return pmn_fail_nomem(err, "a word of a predicate");
    if (token->kind == PMN_TOKEN_HEX) {
        PMN_TRY(hex_value(token, to, &n, err));
    } else {
        for (size_t i = 0; i < raw.size;) {
            if (token->kind == PMN_TOKEN_UNICODE && raw.data[i] == '\\') {
                if (!unicode_escape(raw, &i, to, &n)) {
                    return pmn_fail(err, PAIMON_INVALID, "predicate at byte %zu: U&'…' takes \\ and four hexadecimal digits, \\+ and six, or \\\\",
                                    token->at + 1);
                }
                continue;
            }
            to[n++] = raw.data[i];
            i += token->quote && raw.data[i] == (uint8_t)token->quote ? 2 : 1;
        }
    }
    to[n] = 0;
    *out = pmn_slice_of(to, n);
    return PAIMON_OK;
}
