#include "types/row_bytes.h"

#define DEEPEST PMN_TYPE_MAX_DEPTH

static int64_t bytes_of_texts(const struct ArrowArray *a, int64_t from, int64_t count)
{
    const int32_t *offsets = (const int32_t *)a->buffers[1];
    return 4 * count + offsets[from + count] - offsets[from];
}

static int64_t bytes_of_rows(const pmn_type *type, const struct ArrowArray *a, int64_t first, int64_t count, int depth)
{
    int64_t from = a->offset + first, bytes = count / 8;
    if (count == 0 || depth > DEEPEST) return 0;
    switch (type->kind) {
    case PMN_BLOB: return bytes + 4 * count + ((const int64_t *)a->buffers[1])[from + count] - ((const int64_t *)a->buffers[1])[from];
    case PMN_VARIANT:
        for (int64_t i = 0; i < a->n_children; i++) bytes += bytes_of_texts(a->children[i], a->children[i]->offset + from, count);
        return bytes;
    case PMN_ROW:
        for (int64_t i = 0; i < a->n_children; i++) bytes += bytes_of_rows(type->fields[i].type, a->children[i], from, count, depth + 1);
        return bytes;
    case PMN_DECIMAL: return bytes + (type->length > 18 ? 16 : 8) * count;
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: return bytes + (type->length > 6 ? 12 : 8) * count;
    case PMN_VECTOR: return bytes + bytes_of_rows(type->fields[0].type, a->children[0], from * type->length, count * type->length, depth + 1);
    case PMN_ARRAY:
    case PMN_MAP:
    case PMN_MULTISET: {
        int64_t start = ((const int32_t *)a->buffers[1])[from], n = ((const int32_t *)a->buffers[1])[from + count] - start;
        if (type->kind == PMN_ARRAY) return bytes + bytes_of_rows(type->fields[0].type, a->children[0], start, n, depth + 1);
        const struct ArrowArray *entries = a->children[0];
        for (int32_t i = 0; i < type->n_fields; i++) bytes += bytes_of_rows(type->fields[i].type, entries->children[i], entries->offset + start, n, depth + 1);
        return bytes;
    }
    default: return bytes + (pmn_type_is_text(type) || pmn_type_is_bytes(type) ? bytes_of_texts(a, from, count) : 8 * count);
    }
}

int64_t pmn_row_bytes(const pmn_type *type, const struct ArrowArray *array, int64_t first, int64_t count)
{
    return bytes_of_rows(type, array, first, count, 0);
}
