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

/* Greedy with one point of return: after a mismatch only the last '%' needs to take one more code point, since an earlier '%'
 * can gain nothing that the last one could not. */
bool pmn_like_match(pmn_slice pattern, pmn_slice text)
{
    size_t p = 0, t = 0, retry_p = SIZE_MAX, retry_t = 0;
    while (t < text.size || p < pattern.size) {
        if (p < pattern.size && pattern.data[p] == '%') {
            retry_p = ++p;
            retry_t = t;
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
        if (retry_p == pattern.size) return true; /* a last '%' takes all that is left */
        if (retry_p == SIZE_MAX || retry_t >= text.size) return false;
        retry_t = next_code_point(text, retry_t);
        t = retry_t;
        p = retry_p;
    }
    return true;
}
