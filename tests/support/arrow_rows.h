/* Rows of Arrow arrays as bytes, so that two readings of the same rows can be compared whatever their slicing. */
#ifndef TESTS_SUPPORT_ARROW_ROWS_H
#define TESTS_SUPPORT_ARROW_ROWS_H

#include "arrow/schema.h"
#include "base/bitmap.h"
#include "base/buf.h"
#include "paimon-c/arrow_abi.h"
#include "support/unit.h"

static inline void row_bytes(pmn_buf *out, const void *bytes, size_t n)
{
    assert_int_equal(pmn_buf_append(out, bytes, n, NULL), PAIMON_OK);
}

static inline int64_t row_offset(const struct ArrowArray *a, bool large, int64_t i)
{
    return large ? ((const int64_t *)a->buffers[1])[i] : ((const int32_t *)a->buffers[1])[i];
}

/* Append row `row` (offset of `a` added here) in a form that is equal just for equal values. */
static inline void row_append(pmn_buf *out, const struct ArrowSchema *schema, const struct ArrowArray *a, int64_t row)
{
    pmn_arrow_type type;
    assert_int_equal(pmn_arrow_type_parse(schema->format, &type, NULL), PAIMON_OK);
    int64_t i = row + a->offset;
    assert_true(row >= 0 && row < a->length);
    if (type.kind == PMN_ARROW_NULL || (a->n_buffers > 0 && a->buffers[0] && !pmn_bit_get(a->buffers[0], i))) {
        row_bytes(out, "N", 1);
        return;
    }
    row_bytes(out, "V", 1);
    bool large = type.kind == PMN_ARROW_LARGE_STRING || type.kind == PMN_ARROW_LARGE_BINARY || type.kind == PMN_ARROW_LARGE_LIST;
    switch (type.kind) {
    case PMN_ARROW_BOOL: {
        uint8_t bit = pmn_bit_get(a->buffers[1], i);
        row_bytes(out, &bit, 1);
        break;
    }
    case PMN_ARROW_STRING:
    case PMN_ARROW_BINARY:
    case PMN_ARROW_LARGE_STRING:
    case PMN_ARROW_LARGE_BINARY: {
        int64_t from = row_offset(a, large, i), to = row_offset(a, large, i + 1), n = to - from;
        assert_true(from >= 0 && n >= 0);
        row_bytes(out, &n, sizeof n);
        row_bytes(out, (const uint8_t *)a->buffers[2] + from, (size_t)n);
        break;
    }
    case PMN_ARROW_STRUCT:
        for (int64_t c = 0; c < a->n_children; c++) row_append(out, schema->children[c], a->children[c], i);
        break;
    case PMN_ARROW_LIST:
    case PMN_ARROW_LARGE_LIST:
    case PMN_ARROW_MAP: {
        int64_t from = row_offset(a, large, i), to = row_offset(a, large, i + 1), n = to - from;
        row_bytes(out, &n, sizeof n);
        for (int64_t e = from; e < to; e++) row_append(out, schema->children[0], a->children[0], e);
        break;
    }
    case PMN_ARROW_FIXED_LIST:
        for (int64_t e = 0; e < type.width; e++) row_append(out, schema->children[0], a->children[0], i * type.width + e);
        break;
    default: {
        size_t width = type.kind == PMN_ARROW_DECIMAL ? (size_t)type.width / 8 : (size_t)type.width;
        assert_true(width > 0);
        row_bytes(out, (const uint8_t *)a->buffers[1] + (size_t)i * width, width);
    }
    }
}

/* Rows as one buffer and where each ends. */
typedef struct row_list {
    pmn_buf bytes;
    int64_t *ends;
    int64_t n;
    int64_t capacity;
} row_list;

static inline void row_list_init(row_list *list)
{
    memset(list, 0, sizeof *list);
    pmn_buf_init(&list->bytes, pmn_mem_default(), PMN_BUF_NO_CEILING);
}
static inline void row_list_free(row_list *list)
{
    pmn_buf_free(&list->bytes);
    free(list->ends);
}
static inline void row_list_add(row_list *list, const struct ArrowSchema *schema, const struct ArrowArray *batch)
{
    for (int64_t r = 0; r < batch->length; r++) {
        row_append(&list->bytes, schema, batch, r);
        if (list->n == list->capacity) {
            list->capacity = list->capacity ? list->capacity * 2 : 1024;
            list->ends = realloc(list->ends, (size_t)list->capacity * sizeof *list->ends);
            assert_non_null(list->ends);
        }
        list->ends[list->n++] = (int64_t)list->bytes.size;
    }
}
static inline pmn_slice row_list_at(const row_list *list, int64_t i)
{
    int64_t from = i ? list->ends[i - 1] : 0;
    return pmn_slice_of(list->bytes.data + from, (size_t)(list->ends[i] - from));
}

#endif
