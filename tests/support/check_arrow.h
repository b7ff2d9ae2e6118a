/* Is an Arrow array what its schema says? Every buffer that the interface promises is looked at to its end, so that a sanitizer sees a
 * short one, and offsets, null counts and lengths are held against each other. The answer is NULL or what is wrong. */
#ifndef TESTS_SUPPORT_CHECK_ARROW_H
#define TESTS_SUPPORT_CHECK_ARROW_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/schema.h"
#include "base/bitmap.h"

static volatile uint8_t check_arrow_sink;

static inline void check_arrow_touch(const void *bytes, int64_t n)
{
    uint8_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum = (uint8_t)(sum + ((const uint8_t *)bytes)[i]);
    check_arrow_sink = sum;
}

static inline const char *check_arrow_nulls(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    const uint8_t *valid = array->n_buffers ? (const uint8_t *)array->buffers[0] : NULL;
    int64_t nulls = 0;
    if (valid) nulls = array->length - pmn_bitmap_count(valid, array->offset, array->length);
    if (array->null_count >= 0 && array->null_count != nulls && strcmp(schema->format, "n") != 0) return "a null count that differs from the bitmap";
    return NULL;
}

static inline const char *check_arrow_offsets32(const struct ArrowArray *array, int64_t *end)
{
    const int32_t *offsets = (const int32_t *)array->buffers[1];
    *end = 0;
    if (!offsets) return array->length == 0 ? NULL : "no offsets";
    if (offsets[array->offset] < 0) return "an offset below 0";
    for (int64_t i = array->offset; i < array->offset + array->length; i++) {
        if (offsets[i + 1] < offsets[i]) return "offsets that fall";
    }
    *end = offsets[array->offset + array->length];
    return NULL;
}

static inline const char *check_arrow_offsets64(const struct ArrowArray *array, int64_t *end)
{
    const int64_t *offsets = (const int64_t *)array->buffers[1];
    *end = 0;
    if (!offsets) return array->length == 0 ? NULL : "no offsets";
    if (offsets[array->offset] < 0) return "an offset below 0";
    for (int64_t i = array->offset; i < array->offset + array->length; i++) {
        if (offsets[i + 1] < offsets[i]) return "offsets that fall";
    }
    *end = offsets[array->offset + array->length];
    return NULL;
}

static inline const char *check_arrow(const struct ArrowSchema *schema, const struct ArrowArray *array);

static inline const char *check_arrow_children(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t least)
{
    if (schema->n_children != array->n_children) return "another number of children than the schema";
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->length < least) return "a child that is too short";
        const char *wrong = check_arrow(schema->children[i], array->children[i]);
        if (wrong) return wrong;
    }
    return NULL;
}

static inline const char *check_arrow(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    pmn_arrow_type type;
    int64_t end = 0, rows = array->offset + array->length;
    const char *wrong = NULL;
    if (!array->release) return "a released array";
    if (array->length < 0 || array->offset < 0) return "a length or offset below 0";
    if (pmn_arrow_type_parse(schema->format, &type, NULL) != PAIMON_OK) return "a format that does not parse";
    wrong = check_arrow_nulls(schema, array);
    if (wrong) return wrong;
    switch (type.kind) {
    case PMN_ARROW_NULL: return array->n_buffers == 0 ? NULL : "buffers on a null array";
    case PMN_ARROW_BOOL:
        if (array->length) check_arrow_touch(array->buffers[1], (int64_t)pmn_bitmap_bytes(rows));
        return NULL;
    case PMN_ARROW_BINARY:
    case PMN_ARROW_STRING:
        wrong = check_arrow_offsets32(array, &end);
        if (!wrong && end) check_arrow_touch(array->buffers[2], end);
        return wrong;
    case PMN_ARROW_LARGE_BINARY:
    case PMN_ARROW_LARGE_STRING:
        wrong = check_arrow_offsets64(array, &end);
        if (!wrong && end) check_arrow_touch(array->buffers[2], end);
        return wrong;
    case PMN_ARROW_LIST:
    case PMN_ARROW_MAP:
        wrong = check_arrow_offsets32(array, &end);
        return wrong ? wrong : check_arrow_children(schema, array, end);
    case PMN_ARROW_LARGE_LIST:
        wrong = check_arrow_offsets64(array, &end);
        return wrong ? wrong : check_arrow_children(schema, array, end);
    case PMN_ARROW_FIXED_LIST: return check_arrow_children(schema, array, rows * type.width);
    case PMN_ARROW_STRUCT: return check_arrow_children(schema, array, rows);
    default: break;
    }
    int64_t width = type.kind == PMN_ARROW_DECIMAL ? type.width / 8 : type.width;
    if (width <= 0) return "a type without a width";
    if (array->length) check_arrow_touch(array->buffers[1], rows * width);
    return NULL;
}

#endif
