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
    int32_t width;         /* FIXED */
    const uint8_t *places; /* offsets or views, row 0 first; FIXED: values */
    const uint8_t *data;
    size_t extent;              /* 32-bit offsets: bytes of data up to the end of the last row */
    const void *const *buffers; /* VIEW: the data buffers from [2] on */
} text_column;

static bool text_column_of(const pmn_eval_values *v, text_column *c)
{
    const void *const *buffers = (const void *const *)v->array->buffers;
    bool is_text = pmn_type_is_text(v->leaf->type);
    *c = (text_column){ LAYOUT_32, v->leaf->type->kind == PMN_CHAR, 0, NULL, NULL, 0, buffers };
    if (v->array->n_buffers < 2 || !buffers[1]) return false;
    switch (v->arrow.kind) {
    case PMN_ARROW_STRING:
    case PMN_ARROW_BINARY:
        if (is_text != (v->arrow.kind == PMN_ARROW_STRING) || v->array->n_buffers < 3) return false;
        c->places = (const uint8_t *)buffers[1] + v->start * 4;
        c->extent = pmn_load_le32(c->places + v->n * 4);
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
    default:
        return false;
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

/* `plain` is a constant where this is inlined: 32-bit offsets, nothing to trim. */
PMN_INLINE pmn_slice text_at(const text_column *c, bool plain, int64_t row)
{
    pmn_slice text;
    if (plain || c->layout == LAYOUT_32) {
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
    return !plain && c->trim ? pmn_char_trim(text) : text;
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

/* The first eight bytes as a number that orders as they do, zeros where there are none. */
PMN_INLINE uint64_t leading_bytes(pmn_slice text)
{
    const uint8_t *p = text.data;
    const size_t n = text.size;
    if (n >= 8) return pmn_load_be64(p);
    if (n >= 4) return (uint64_t)pmn_load_be32(p) << 32 | (uint64_t)pmn_load_be32(p + n - 4) << (8 * (8 - n));
    if (n == 0) return 0;
    return (uint64_t)p[0] << 56 | (uint64_t)p[n / 2] << (56 - 8 * (n / 2)) | (uint64_t)p[n - 1] << (56 - 8 * (n - 1));
}

/* The same without a branch on the length, which is hard to foresee: eight bytes are read where the rows that follow have them
 * anyway. */
PMN_INLINE uint64_t leading_bytes_within(const text_column *c, pmn_slice text)
{
    if (PMN_UNLIKELY((size_t)(text.data - c->data) + 8 > c->extent)) return leading_bytes(text);
    unsigned unused = text.size >= 8 ? 0 : 8 - (unsigned)text.size; /* shifted out in two steps: 64 at once is undefined */
    return pmn_load_be64(text.data) >> (unused * 4) >> (unused * 4) << (unused * 4) << (unused * 4);
}

/* Of 64 rows with 32-bit offsets, those of length `size`. */
PMN_INLINE uint64_t right_lengths(const int32_t *PMN_RESTRICT offsets, int32_t size)
{
    uint8_t hit[64];
    for (int j = 0; j < 64; j++) hit[j] = (uint8_t)(0 - (offsets[j + 1] - offsets[j] == size));
    return pmn_eval_pack(hit);
}

PMN_INLINE void equal_plain_body(const text_column *c, int64_t n, const needle *k, const uint64_t *domain, uint64_t *out)
{
    const int32_t *offsets = (const int32_t *)(const void *)c->places;
    const size_t size = k->bytes.size;
    for (int64_t w = 0; w < pmn_eval_words(n); w++) {
        uint64_t todo = size > INT32_MAX ? 0 : domain[w], bits = 0;
        if (todo && n - w * 64 >= 64) todo &= right_lengths(offsets + w * 64, (int32_t)size);
        while (todo) {
            int j = pmn_ctz64(todo);
            int64_t row = w * 64 + j;
            todo &= todo - 1;
            /* the last, shorter word has not had its lengths compared */
            if ((size_t)(offsets[row + 1] - offsets[row]) != size) continue;
            bits |= (uint64_t)needle_at(k, c->data + offsets[row]) << j;
        }
        out[w] = bits;
    }
}

PMN_EVAL_DISPATCH(equal_plain, (const text_column *c, int64_t n, const needle *k, const uint64_t *domain, uint64_t *out), (c, n, k, domain, out))

/* --- all other tests, a row at a time --- */

typedef enum text_test {
    TEST_EQUAL,
    TEST_BELOW,
    TEST_NOT_ABOVE,
    TEST_BETWEEN,
    TEST_IN,
    TEST_PREFIX,
    TEST_SUFFIX,
    TEST_CONTAINS,
    TEST_LIKE
} text_test;

typedef struct text_test_state {
    const pmn_pred *leaf;
    needle needle;
    pmn_slice first, second;
    uint64_t first_lead, second_lead; /* their leading bytes */
    const uint64_t *leads;            /* IN: those of each literal */
    uint64_t lengths;                 /* IN: bit min(length, 63) of each literal */
} text_test_state;

/* Lists up to this long are so many equalities. */
enum { SHORT_TEXT_LIST = 8 };

static uint64_t length_bit(size_t size) { return (uint64_t)1 << (size < 63 ? size : 63); }

/* As pmn_slice_compare, but most pairs differ within the first eight bytes, which cost no call. */
PMN_INLINE int order_texts(uint64_t lead, pmn_slice text, uint64_t other_lead, pmn_slice other)
{
    if (lead != other_lead) return lead < other_lead ? -1 : 1;
    return pmn_slice_compare(text, other);
}

static bool is_in(const text_test_state *s, pmn_slice text, uint64_t lead)
{
    int32_t low = 0, high = s->leaf->n_literals;
    if (!(s->lengths & length_bit(text.size))) return false;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = order_texts(s->leads[middle], s->leaf->literals[middle].v.bytes, lead, text);
        if (order == 0) return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
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

PMN_INLINE bool test_one(text_test test, const text_test_state *s, pmn_slice text, uint64_t lead)
{
    switch (test) {
    case TEST_EQUAL:
        return text.size == s->first.size && needle_at(&s->needle, text.data);
    case TEST_BELOW:
        return order_texts(lead, text, s->first_lead, s->first) < 0;
    case TEST_NOT_ABOVE:
        return order_texts(lead, text, s->first_lead, s->first) <= 0;
    case TEST_BETWEEN:
        return order_texts(lead, text, s->first_lead, s->first) >= 0 && order_texts(lead, text, s->second_lead, s->second) <= 0;
    case TEST_IN:
        return is_in(s, text, lead);
    case TEST_PREFIX:
        return text.size >= s->first.size && needle_at(&s->needle, text.data);
    case TEST_SUFFIX:
        return text.size >= s->first.size && needle_at(&s->needle, text.data + text.size - s->first.size);
    case TEST_CONTAINS:
        return has_inside(s, text);
    case TEST_LIKE:
        return pmn_like_match(s->first, text);
    }
    return false;
}

/* `test` and `plain` are constants where this is inlined. */
PMN_INLINE void test_rows(text_test test, bool plain, const text_test_state *s, const text_column *column, int64_t n, const uint64_t *domain,
                          uint64_t *out)
{
    const text_column c = *column; /* in registers: `out` might alias it */
    const bool by_lead = test == TEST_BELOW || test == TEST_NOT_ABOVE || test == TEST_BETWEEN || test == TEST_IN;
    for (int64_t w = 0; w < pmn_eval_words(n); w++) {
        uint64_t todo = domain[w], bits = 0;
        while (todo) {
            int j = pmn_ctz64(todo);
            todo &= todo - 1;
            pmn_slice text = text_at(&c, plain, w * 64 + j);
            uint64_t lead = !by_lead ? 0 : plain ? leading_bytes_within(&c, text) : leading_bytes(text);
            bits |= (uint64_t)test_one(test, s, text, lead) << j;
        }
        out[w] = bits;
    }
}

#define TEST_ROWS(test)                                                                                                                              \
    case test:                                                                                                                                       \
        if (plain)                                                                                                                                   \
            test_rows(test, true, s, c, n, domain, out);                                                                                             \
        else                                                                                                                                         \
            test_rows(test, false, s, c, n, domain, out);                                                                                            \
        break;

static void run_test(text_test test, bool plain, const text_test_state *s, const text_column *c, int64_t n, const uint64_t *domain, uint64_t *out)
{
    switch (test) {
        TEST_ROWS(TEST_EQUAL)
        TEST_ROWS(TEST_BELOW)
        TEST_ROWS(TEST_NOT_ABOVE)
        TEST_ROWS(TEST_BETWEEN)
        TEST_ROWS(TEST_IN)
        TEST_ROWS(TEST_PREFIX)
        TEST_ROWS(TEST_SUFFIX)
        TEST_ROWS(TEST_CONTAINS)
        TEST_ROWS(TEST_LIKE)
    }
}

#undef TEST_ROWS

/* One equality after the other, each on the rows that none has met. `open` is the caller's work area. */
static void equal_to_any(const pmn_pred *leaf, const text_column *c, int64_t n, uint64_t *open, uint64_t *found, uint64_t *out)
{
    memset(out, 0, (size_t)pmn_eval_words(n) * sizeof *out);
    for (int32_t i = 0; i < leaf->n_literals; i++) {
        const needle k = needle_of(leaf->literals[i].v.bytes);
        equal_plain(c, n, &k, open, found);
        for (int64_t w = 0; w < pmn_eval_words(n); w++) {
            out[w] |= found[w];
            open[w] &= ~found[w];
        }
    }
}

static text_test test_of(paimon_predicate_op op, bool *complement)
{
    *complement = op == PAIMON_OP_NE || op == PAIMON_OP_GE || op == PAIMON_OP_GT || op == PAIMON_OP_NOT_IN || op == PAIMON_OP_NOT_LIKE;
    switch (op) {
    case PAIMON_OP_LT:
    case PAIMON_OP_GE:
        return TEST_BELOW;
    case PAIMON_OP_LE:
    case PAIMON_OP_GT:
        return TEST_NOT_ABOVE;
    case PAIMON_OP_BETWEEN:
        return TEST_BETWEEN;
    case PAIMON_OP_IN:
    case PAIMON_OP_NOT_IN:
        return TEST_IN;
    case PAIMON_OP_STARTS_WITH:
        return TEST_PREFIX;
    case PAIMON_OP_ENDS_WITH:
        return TEST_SUFFIX;
    case PAIMON_OP_CONTAINS:
        return TEST_CONTAINS;
    case PAIMON_OP_LIKE:
    case PAIMON_OP_NOT_LIKE:
        return TEST_LIKE;
    default:
        return TEST_EQUAL;
    }
}

static paimon_status prepare_list(const pmn_eval_values *v, text_test_state *s, paimon_error *err)
{
    const pmn_pred *leaf = v->leaf;
    uint64_t *leads = pmn_arena_calloc(v->arena, (size_t)leaf->n_literals, sizeof *leads);
    if (!leads) return pmn_fail_nomem(err, "the list of a predicate");
    for (int32_t i = 0; i < leaf->n_literals; i++) {
        s->lengths |= length_bit(leaf->literals[i].v.bytes.size);
        leads[i] = leading_bytes(leaf->literals[i].v.bytes);
    }
    s->leads = leads;
    return PAIMON_OK;
}

static paimon_status eval_short_list(const pmn_eval_values *v, const text_column *c, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    size_t n_words = (size_t)pmn_eval_words(v->n);
    uint64_t *work = pmn_arena_calloc(v->arena, n_words * 2, sizeof *work);
    if (!work) return pmn_fail_nomem(err, "the bitmaps of a predicate");
    memcpy(work, domain, n_words * sizeof *work);
    equal_to_any(v->leaf, c, v->n, work, work + n_words, out);
    return PAIMON_OK;
}

paimon_status pmn_eval_text(const pmn_eval_values *v, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    text_column c;
    text_test_state s;
    bool complement;
    const pmn_pred *leaf = v->leaf;
    text_test test = test_of(leaf->op, &complement);
    if (!text_column_of(v, &c)) return pmn_eval_wrong_type(v, err);
    memset(&s, 0, sizeof s);
    s.leaf = leaf;
    s.first = leaf->literals[0].v.bytes;
    s.first_lead = leading_bytes(s.first);
    s.needle = needle_of(s.first);
    if (test == TEST_BETWEEN) {
        s.second = leaf->literals[1].v.bytes;
        s.second_lead = leading_bytes(s.second);
    }
    const bool plain = c.layout == LAYOUT_32 && !c.trim, aligned = (uintptr_t)c.places % _Alignof(int32_t) == 0;
    if (test == TEST_EQUAL && plain && aligned) {
        equal_plain(&c, v->n, &s.needle, domain, out);
    } else if (test == TEST_IN && plain && aligned && leaf->n_literals <= SHORT_TEXT_LIST) {
        PMN_TRY(eval_short_list(v, &c, domain, out, err));
    } else {
        if (test == TEST_IN) PMN_TRY(prepare_list(v, &s, err));
        run_test(test, plain, &s, &c, v->n, domain, out);
    }
    for (int64_t w = 0; complement && w < pmn_eval_words(v->n); w++) out[w] = ~out[w];
    return PAIMON_OK;
}
