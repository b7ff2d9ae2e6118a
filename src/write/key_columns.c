#include "write/key_columns.h"

#include <string.h>

#include "arrow/schema.h"
#include "base/bitmap.h"
#include "base/bytes.h"
#include "base/hash.h"

int pmn_key_width(const struct ArrowSchema *schema)
{
    pmn_arrow_type type;
    if (pmn_arrow_type_parse(schema->format, &type, NULL) != PAIMON_OK) return PMN_KEY_BITS;
    switch (type.kind) {
    case PMN_ARROW_BOOL: return PMN_KEY_BITS;
    case PMN_ARROW_STRING:
    case PMN_ARROW_BINARY: return PMN_KEY_TEXT;
    case PMN_ARROW_LARGE_STRING:
    case PMN_ARROW_LARGE_BINARY: return PMN_KEY_LARGE;
    case PMN_ARROW_DECIMAL: return type.width / 8;
    default: return type.width;
    }
}

void pmn_key_column_bind(pmn_key_column *c, const struct ArrowArray *array)
{
    c->valid = array->null_count != 0 ? (const uint8_t *)array->buffers[0] : NULL;
    c->values = (const uint8_t *)array->buffers[1];
    c->bytes = c->width < 0 ? (const uint8_t *)array->buffers[2] : NULL;
    c->offset = array->offset;
}

static bool is_valid(const pmn_key_column *c, int64_t row) { return !c->valid || pmn_bit_get(c->valid, c->offset + row); }

static pmn_slice text_of(const pmn_key_column *c, int64_t row)
{
    int64_t i = c->offset + row, from, until;
    if (c->width == PMN_KEY_TEXT) {
        from = ((const int32_t *)(const void *)c->values)[i];
        until = ((const int32_t *)(const void *)c->values)[i + 1];
    } else {
        from = ((const int64_t *)(const void *)c->values)[i];
        until = ((const int64_t *)(const void *)c->values)[i + 1];
    }
    return pmn_slice_of(c->bytes + from, (size_t)(until - from));
}

/* ---- one pair, one row ---- */

static bool equal_values(const pmn_key_column *c, int64_t a, int64_t b)
{
    if (c->valid) {
        bool valid = is_valid(c, a);
        if (valid != is_valid(c, b)) return false;
        if (!valid) return true;
    }
    if (c->width == PMN_KEY_BITS) return pmn_bit_get(c->values, c->offset + a) == pmn_bit_get(c->values, c->offset + b);
    if (c->width < 0) return pmn_slice_equal(text_of(c, a), text_of(c, b));
    size_t width = (size_t)c->width;
    return memcmp(c->values + (size_t)(c->offset + a) * width, c->values + (size_t)(c->offset + b) * width, width) == 0;
}

bool pmn_key_columns_equal(const pmn_key_column *columns, int32_t n, int64_t a, int64_t b)
{
    for (int32_t i = 0; i < n; i++)
        if (!equal_values(&columns[i], a, b)) return false;
    return true;
}

PMN_INLINE uint64_t stir(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

static uint64_t hash_value(const pmn_key_column *c, int64_t row, uint64_t h)
{
    const uint8_t *value = c->values + (size_t)(c->offset + row) * (size_t)(c->width > 0 ? c->width : 0);
    if (!is_valid(c, row)) return stir(h, 1);
    switch (c->width) {
    case PMN_KEY_BITS: return stir(h, 2 + (uint64_t)pmn_bit_get(c->values, c->offset + row));
    case 4: return stir(h, pmn_load_le32(value));
    case 8: return stir(h, pmn_load_le64(value));
    case 16: return stir(stir(h, pmn_load_le64(value)), pmn_load_le64(value + 8));
    case PMN_KEY_TEXT:
    case PMN_KEY_LARGE: {
        pmn_slice text = text_of(c, row);
        return stir(h, pmn_hash64(text.data, text.size, text.size));
    }
    default: return stir(h, pmn_hash64(value, (size_t)c->width, 0));
    }
}

uint64_t pmn_key_columns_hash(const pmn_key_column *columns, int32_t n, int64_t row)
{
    uint64_t h = 0;
    for (int32_t i = 0; i < n; i++) h = hash_value(&columns[i], row, h);
    return h ^ h >> 29;
}

/* ---- runs ---- */

#define SAME_AS_BEFORE(load, width)                                                                                      \
    do {                                                                                                                 \
        const uint8_t *at = c->values + (size_t)c->offset * (width);                                                     \
        for (size_t i = 1; i < (size_t)n_rows; i++) same[i] &= load(at + i * (width)) == load(at + (i - 1) * (width));   \
    } while (0)

static void column_runs(const pmn_key_column *c, int64_t n_rows, uint8_t *same)
{
    if (!c->valid && c->width == 4) SAME_AS_BEFORE(pmn_load_le32, 4);
    else if (!c->valid && c->width == 8) SAME_AS_BEFORE(pmn_load_le64, 8);
    else
        for (int64_t i = 1; i < n_rows; i++)
            if (same[i]) same[i] = equal_values(c, i - 1, i);
}

#undef SAME_AS_BEFORE

void pmn_key_columns_runs(const pmn_key_column *columns, int32_t n, int64_t n_rows, uint8_t *same)
{
    if (n_rows == 0) return;
    memset(same, 1, (size_t)n_rows);
    same[0] = 0;
    for (int32_t i = 0; i < n; i++) column_runs(&columns[i], n_rows, same);
}
