/* Strings and bytes: 32- and 64-bit offsets, views, fixed width. CHAR loses the blanks at its end before anything looks at it.
 *
 * Equality, by far the most frequent test, first compares 64 lengths at once and looks at bytes only where the length is
 * right; the bytes of a short literal are two overlapping loads, never past the value's own end. */
#include <string.h>

#include "predicate/eval.h"
#include "predicate/like.h"
#include "predicate/literal.h"

typedef enum text_layout { LAYOUT_32, LAYOUT_64, LAYOUT_VIEW, LAYOUT_FIXED } text_layout;

typedef struct text_column {
    text_layout layout;
    bool trim;
    int32_t width;          /* FIXED */
    const uint8_t *places;  /* offsets or views, row 0 first; FIXED: values */
    const uint8_t *data;
    const void *const *buffers; /* VIEW: the data buffers from [2] on */
} text_column;

static bool text_column_of(const pmn_eval_values *v, text_column *c)
{
    const void *const *buffers = (const void *const *)v->array->buffers;
    bool is_text = pmn_type_is_text(v->leaf->type);
    *c = (text_column){ LAYOUT_32, v->leaf->type->kind == PMN_CHAR, 0, NULL, NULL, buffers };
    if (v->array->n_buffers < 2 || !buffers[1]) return false;
    switch (v->arrow.kind) {
    case PMN_ARROW_STRING:
    case PMN_ARROW_BINARY:
        if (is_text != (v->arrow.kind == PMN_ARROW_STRING) || v->array->n_buffers < 3) return false;
        c->places = (const uint8_t *)buffers[1] + v->start * 4;
        c->data = buffers[2] ? buffers[2] : (const void *)""; /* all empty: there may be no buffer */
        return true;
    case PMN_ARROW_LARGE_STRING:
    case PMN_ARROW_LARGE_BINARY:
        if (is_text != (v->arrow.kind == PMN_ARROW_LARGE_STRING) || v->array->n_buffers < 3) return false;
        c->layout = LAYOUT_64;
        c->places = (const uint8_t *)buffers[1] + v->start * 8;
        c->data = buffers[2] ? buffers[2] : (const void *)""; /* all empty: there may be no buffer */
        return true;
    case PMN_ARROW_STRING_VIEW:
    case PMN_ARROW_BINARY_VIEW:
        c->layout = LAYOUT_VIEW;
        c->places = (const uint8_t *)buffers[1] + v->start * 16;
        return is_text == (v->arrow.kind == PMN_ARROW_STRING_VIEW);
    case PMN_ARROW_FIXED_BINARY:
        c->layout = LAYOUT_FIXED;
        c->width = v->arrow.width;
        c->places = (const uint8_t *)buffers[1] + v->start * v->arrow.width;
        return !is_text;
    default: return false;
    }
}

/* A view: length; then up to 12 bytes of the text itself, or 4 bytes of it, buffer number and offset. */
static pmn_slice view_at(const text_column *c, int64_t row)
{
    const uint8_t *view = c->places + row * 16;
    uint32_t size = pmn_load_le32(view);
    if (size <= 12) return pmn_slice_of(view + 4, size);
    return pmn_slice_of((const uint8_t *)c->buffers[2 + pmn_load_le32(view + 8)] + pmn_load_le32(view + 12), size);
}

PMN_INLINE pmn_slice text_at(const text_column *c, int64_t row)
{
    pmn_slice text;
    if (c->layout == LAYOUT_32) {
        int32_t from = (int32_t)pmn_load_le32(c->places + row * 4), to = (int32_t)pmn_load_le32(c->places + row * 4 + 4);
        text = pmn_slice_of(c->data + from, (size_t)(to - from));
    } else if (c->layout == LAYOUT_64) {
        int64_t from = (int64_t)pmn_load_le64(c->places + row * 8), to = (int64_t)pmn_load_le64(c->places + row * 8 + 8);
        text = pmn_slice_of(c->data + from, (size_t)(to - from));
    } else if (c->layout == LAYOUT_VIEW) {
        text = view_at(c, row);
    } else {
        text = pmn_slice_of(c->places + row * c->width, (size_t)c->width);
    }
    return c->trim ? pmn_char_trim(text) : text;
}

/* --- equality of bytes whose length is known to be right --- */

/* The literal in the form that its length asks for. */
typedef struct needle {
    pmn_slice bytes;
    uint64_t first, last; /* 4 … 7 bytes: two 32-bit loads; 8 and more: two 64-bit loads */
} needle;

static needle needle_of(pmn_slice bytes)
{
    needle k = { bytes, 0, 0 };
    if (bytes.size >= 8) {
        k.first = pmn_load_le64(bytes.data);
        k.last = pmn_load_le64(bytes.data + bytes.size - 8);
    } else if (bytes.size >= 4) {
        k.first = pmn_load_le32(bytes.data);
        k.last = pmn_load_le32(bytes.data + bytes.size - 4);
    } else if (bytes.size > 0) {
        k.first = (uint64_t)bytes.data[0] | (uint64_t)bytes.data[bytes.size / 2] << 8 | (uint64_t)bytes.data[bytes.size - 1] << 16;
    }
    return k;
}

PMN_INLINE bool needle_at(const needle *k, const uint8_t *p)
{
    const size_t n = k->bytes.size;
    if (n >= 8) {
        uint64_t differs = (pmn_load_le64(p) ^ k->first) | (pmn_load_le64(p + n - 8) ^ k->last);
        return differs == 0 && (n <= 16 || memcmp(p + 8, k->bytes.data + 8, n - 16) == 0);
    }
    if (n >= 4) return ((pmn_load_le32(p) ^ k->first) | (pmn_load_le32(p + n - 4) ^ k->last)) == 0;
    if (n == 0) return true;
    return ((uint64_t)p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16) == k->first;
}

/* Of 64 rows with 32-bit offsets, those of length `size`. */
PMN_INLINE uint64_t right_lengths(const int32_t *PMN_RESTRICT offsets, int32_t size)
{
    uint8_t hit[64];
    for (int j = 0; j < 64; j++) hit[j] = (uint8_t)(offsets[j + 1] - offsets[j] == size);
    return pmn_eval_pack(hit);
}

static void equal_32_offsets(const text_column *c, int64_t n, pmn_slice literal, const uint64_t *domain, uint64_t *out)
{
    const needle k = needle_of(literal);
    const int32_t *offsets = (const int32_t *)(const void *)c->places;
    const bool wide = literal.size > INT32_MAX;
    for (int64_t w = 0; w < pmn_eval_words(n); w++) {
        uint64_t todo = wide ? 0 : domain[w], bits = 0;
        if (todo && n - w * 64 >= 64) todo &= right_lengths(offsets + w * 64, (int32_t)literal.size);
        while (todo) {
            int j = pmn_ctz64(todo);
            int64_t row = w * 64 + j;
            todo &= todo - 1;
            /* the last, shorter word has not had its lengths compared */
            if ((size_t)(offsets[row + 1] - offsets[row]) != literal.size) continue;
            bits |= (uint64_t)needle_at(&k, c->data + offsets[row]) << j;
        }
        out[w] = bits;
    }
}

/* --- all other tests, a row at a time --- */

typedef enum text_test { TEST_EQUAL, TEST_BELOW, TEST_NOT_ABOVE, TEST_BETWEEN, TEST_IN, TEST_PREFIX, TEST_SUFFIX, TEST_CONTAINS, TEST_LIKE } text_test;

typedef struct text_test_state {
    const pmn_pred *leaf;
    needle needle;
    pmn_slice first, second;
    uint64_t lengths; /* IN: bit min(length, 63) of each literal */
} text_test_state;

static uint64_t length_bit(size_t size) { return (uint64_t)1 << (size < 63 ? size : 63); }

/* As pmn_slice_compare, but most pairs differ within the first eight bytes, which cost no call. */
PMN_INLINE int order_texts(pmn_slice a, pmn_slice b)
{
    if (a.size >= 8 && b.size >= 8) {
        uint64_t x = pmn_load_be64(a.data), y = pmn_load_be64(b.data);
        if (x != y) return x < y ? -1 : 1;
    }
    return pmn_slice_compare(a, b);
}

static bool is_in(const text_test_state *s, pmn_slice text)
{
    int32_t low = 0, high = s->leaf->n_literals;
    if (!(s->lengths & length_bit(text.size))) return false;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = order_texts(s->leaf->literals[middle].v.bytes, text);
        if (order == 0) return true;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return false;
}

static bool has_inside(const text_test_state *s, pmn_slice text)
{
    const uint8_t *p = text.data, *end = text.data + text.size;
    const size_t n = s->first.size;
    while ((size_t)(end - p) >= n) {
        p = memchr(p, s->first.data[0], (size_t)(end - p) - n + 1);
        if (!p) return false;
        if (needle_at(&s->needle, p)) return true;
        p++;
    }
    return false;
}

PMN_INLINE bool test_one(text_test test, const text_test_state *s, pmn_slice text)
{
    switch (test) {
    case TEST_EQUAL: return text.size == s->first.size && needle_at(&s->needle, text.data);
    case TEST_BELOW: return order_texts(text, s->first) < 0;
    case TEST_NOT_ABOVE: return order_texts(text, s->first) <= 0;
    case TEST_BETWEEN: return order_texts(text, s->first) >= 0 && order_texts(text, s->second) <= 0;
    case TEST_IN: return is_in(s, text);
    case TEST_PREFIX: return text.size >= s->first.size && needle_at(&s->needle, text.data);
    case TEST_SUFFIX: return text.size >= s->first.size && needle_at(&s->needle, text.data + text.size - s->first.size);
    case TEST_CONTAINS: return has_inside(s, text);
    case TEST_LIKE: return pmn_like_match(s->first, text);
    }
    return false;
}

/* `test` is a constant where this is inlined. */
PMN_INLINE void test_rows(text_test test, const text_test_state *s, const text_column *c, int64_t n, const uint64_t *domain, uint64_t *out)
{
    for (int64_t w = 0; w < pmn_eval_words(n); w++) {
        uint64_t todo = domain[w], bits = 0;
        while (todo) {
            int j = pmn_ctz64(todo);
            todo &= todo - 1;
            bits |= (uint64_t)test_one(test, s, text_at(c, w * 64 + j)) << j;
        }
        out[w] = bits;
    }
}

static void run_test(text_test test, const text_test_state *s, const text_column *c, int64_t n, const uint64_t *domain, uint64_t *out)
{
    switch (test) {
    case TEST_EQUAL: test_rows(TEST_EQUAL, s, c, n, domain, out); break;
    case TEST_BELOW: test_rows(TEST_BELOW, s, c, n, domain, out); break;
    case TEST_NOT_ABOVE: test_rows(TEST_NOT_ABOVE, s, c, n, domain, out); break;
    case TEST_BETWEEN: test_rows(TEST_BETWEEN, s, c, n, domain, out); break;
    case TEST_IN: test_rows(TEST_IN, s, c, n, domain, out); break;
    case TEST_PREFIX: test_rows(TEST_PREFIX, s, c, n, domain, out); break;
    case TEST_SUFFIX: test_rows(TEST_SUFFIX, s, c, n, domain, out); break;
    case TEST_CONTAINS: test_rows(TEST_CONTAINS, s, c, n, domain, out); break;
    case TEST_LIKE: test_rows(TEST_LIKE, s, c, n, domain, out); break;
    }
}

static text_test test_of(paimon_predicate_op op, bool *complement)
{
    *complement = op == PAIMON_OP_NE || op == PAIMON_OP_GE || op == PAIMON_OP_GT || op == PAIMON_OP_NOT_IN || op == PAIMON_OP_NOT_LIKE;
    switch (op) {
    case PAIMON_OP_LT:
    case PAIMON_OP_GE: return TEST_BELOW;
    case PAIMON_OP_LE:
    case PAIMON_OP_GT: return TEST_NOT_ABOVE;
    case PAIMON_OP_BETWEEN: return TEST_BETWEEN;
    case PAIMON_OP_IN:
    case PAIMON_OP_NOT_IN: return TEST_IN;
    case PAIMON_OP_STARTS_WITH: return TEST_PREFIX;
    case PAIMON_OP_ENDS_WITH: return TEST_SUFFIX;
    case PAIMON_OP_CONTAINS: return TEST_CONTAINS;
    case PAIMON_OP_LIKE:
    case PAIMON_OP_NOT_LIKE: return TEST_LIKE;
    default: return TEST_EQUAL;
    }
}

paimon_status pmn_eval_text(const pmn_eval_values *v, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    text_column c;
    bool complement;
    const pmn_pred *leaf = v->leaf;
    text_test test = test_of(leaf->op, &complement);
    text_test_state s = { leaf, needle_of(leaf->literals[0].v.bytes), leaf->literals[0].v.bytes, { NULL, 0 }, 0 };
    if (!text_column_of(v, &c)) return pmn_eval_wrong_type(v, err);
    if (test == TEST_BETWEEN) s.second = leaf->literals[1].v.bytes;
    for (int32_t i = 0; test == TEST_IN && i < leaf->n_literals; i++) s.lengths |= length_bit(leaf->literals[i].v.bytes.size);
    bool aligned = (uintptr_t)c.places % _Alignof(int32_t) == 0;
    if (test == TEST_EQUAL && c.layout == LAYOUT_32 && !c.trim && aligned) equal_32_offsets(&c, v->n, s.first, domain, out);
    else run_test(test, &s, &c, v->n, domain, out);
    for (int64_t w = 0; complement && w < pmn_eval_words(v->n); w++) out[w] = ~out[w];
    return PAIMON_OK;
}
