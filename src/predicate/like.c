/* LIKE: checking, rewriting, recognising the simple forms, and matching. All of it works on UTF-8 bytes; only '_' needs to
 * know where a code point ends. */
#include "predicate/like.h"

#include <string.h>

static bool like_special(uint8_t c) { return c == '%' || c == '_' || c == '\\'; }

bool pmn_like_valid(pmn_slice pattern)
{
    for (size_t i = 0; i < pattern.size; i++) {
        if (pattern.data[i] != '\\') continue;
        if (++i == pattern.size || !like_special(pattern.data[i])) return false;
    }
    return true;
}

size_t pmn_like_escape(pmn_slice text, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (like_special(text.data[i])) out[n++] = '\\';
        out[n++] = (char)text.data[i];
    }
    return n;
}

static bool starts_with(pmn_slice text, size_t at, pmn_slice with)
{
    return with.size && text.size - at >= with.size && memcmp(text.data + at, with.data, with.size) == 0;
}

bool pmn_like_rewrite(pmn_slice pattern, pmn_slice escape, char *out, size_t *n)
{
    size_t at = 0, w = 0;
    while (at < pattern.size) {
        if (starts_with(pattern, at, escape)) {
            at += escape.size;
            bool itself = starts_with(pattern, at, escape);
            if (!itself && !(at < pattern.size && (pattern.data[at] == '%' || pattern.data[at] == '_'))) return false;
            size_t take = itself ? escape.size : 1;
            w += pmn_like_escape(pmn_slice_of(pattern.data + at, take), out + w);
            at += take;
            continue;
        }
        if (pattern.data[at] == '\\') out[w++] = '\\';
        out[w++] = (char)pattern.data[at++];
    }
    *n = w;
    return true;
}

paimon_predicate_op pmn_like_classify(pmn_slice pattern, uint8_t *out, size_t *n)
{
    size_t begin = 0, end = pattern.size, w = 0;
    while (begin < end && pattern.data[begin] == '%') begin++;
    if (begin == end && end > 0) return PAIMON_OP_IS_NOT_NULL;
    /* a '%' at the end counts as one only if the '\'s before it are even in number */
    for (;;) {
        if (end == begin || pattern.data[end - 1] != '%') break;
        size_t slashes = 0;
        while (end - 1 - slashes > begin && pattern.data[end - 2 - slashes] == '\\') slashes++;
        if (slashes % 2) break;
        end--;
    }
    for (size_t i = begin; i < end; i++) {
        uint8_t c = pattern.data[i];
        if (c == '%' || c == '_') return PAIMON_OP_LIKE;
        out[w++] = c == '\\' ? pattern.data[++i] : c;
    }
    *n = w;
    if (begin == 0) return end == pattern.size ? PAIMON_OP_EQ : PAIMON_OP_STARTS_WITH;
    return end == pattern.size ? PAIMON_OP_ENDS_WITH : PAIMON_OP_CONTAINS;
}

static size_t next_code_point(pmn_slice text, size_t at)
{
    do at++;
    while (at < text.size && (text.data[at] & 0xC0) == 0x80);
    return at;
}

/* The place at or after `t` where the pattern at `p`, behind a '%', can begin: a literal byte there is searched for. SIZE_MAX if
 * there is none. A byte of a literal is the first of its code point, so the place found is never inside one. */
static size_t next_start(pmn_slice pattern, size_t p, pmn_slice text, size_t t)
{
    if (p == pattern.size || pattern.data[p] == '_' || pattern.data[p] == '%') return t;
    uint8_t byte = pattern.data[pattern.data[p] == '\\' ? p + 1 : p];
    const uint8_t *found = t < text.size ? memchr(text.data + t, byte, text.size - t) : NULL;
    return found ? (size_t)(found - text.data) : SIZE_MAX;
}

/* Greedy with one point of return: after a mismatch only the last '%' needs to take more, since an earlier '%' can gain nothing
 * that the last one could not. */
bool pmn_like_match(pmn_slice pattern, pmn_slice text)
{
    size_t p = 0, t = 0, retry_p = SIZE_MAX, retry_t = 0;
    while (t < text.size || p < pattern.size) {
        if (p < pattern.size && pattern.data[p] == '%') {
            retry_p = ++p;
            if (p == pattern.size) return true;
            t = retry_t = next_start(pattern, p, text, t);
            if (t == SIZE_MAX) return false;
            continue;
        }
        if (p < pattern.size && t < text.size) {
            if (pattern.data[p] == '_') {
                p++;
                t = next_code_point(text, t);
                continue;
            }
            size_t literal = pattern.data[p] == '\\' ? p + 1 : p;
            if (pattern.data[literal] == text.data[t]) {
                p = literal + 1;
                t++;
                continue;
            }
        }
        if (retry_p == SIZE_MAX || retry_t >= text.size) return false;
        t = retry_t = next_start(pattern, retry_p, text, next_code_point(text, retry_t));
        if (t == SIZE_MAX) return false;
        p = retry_p;
    }
    return true;
}
