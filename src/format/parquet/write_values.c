/* Values out of Arrow, a block of them at a time, in the form that statistics and dictionary want: whole numbers of 4, 8 or 16 bytes side by
 * side, or slices. Where Arrow has them so already they are only pointed at. */
#include <string.h>

#include "base/decimal.h"
#include "format/parquet/write_column.h"

#define NANOS_A_DAY INT64_C(86400000000000)
#define JULIAN_EPOCH 2440588

int pmn_pqw_held_width(const pmn_pqw_leaf *leaf)
{
    switch (leaf->physical) {
    case PMN_PQ_BOOLEAN: return 1;
    case PMN_PQ_INT32:
    case PMN_PQ_FLOAT: return 4;
    case PMN_PQ_INT64:
    case PMN_PQ_DOUBLE: return 8;
    case PMN_PQ_BYTE_ARRAY: return 0;
    default: return 16;
    }
}

int64_t pmn_pqw_stored_width(const pmn_pqw_leaf *leaf)
{
    switch (leaf->physical) {
    case PMN_PQ_INT96: return 12;
    case PMN_PQ_FIXED: return leaf->type_length;
    default: return pmn_pqw_held_width(leaf);
    }
}

/* `row` is the row in the buffer of value `i`. */
#define EACH_VALUE(body)                                                                                                 \
    if (rows) {                                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                                                \
            int64_t row = offset + rows[i];                                                                              \
            body                                                                                                         \
        }                                                                                                                \
    } else {                                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                                                \
            int64_t row = offset + first + i;                                                                            \
            body                                                                                                         \
        }                                                                                                                \
    }

static void take_small(int32_t *to, pmn_pqw_source source, const void *from, int64_t offset, const int64_t *rows, int64_t first, int64_t n)
{
    switch (source) {
    case PMN_PQW_INT8: EACH_VALUE(to[i] = ((const int8_t *)from)[row];) break;
    case PMN_PQW_INT16: EACH_VALUE(to[i] = ((const int16_t *)from)[row];) break;
    case PMN_PQW_DECIMAL32: EACH_VALUE(to[i] = ((const int32_t *)from)[4 * row];) break;
    default: EACH_VALUE(to[i] = ((const int32_t *)from)[row];) break;
    }
}

static paimon_status take_wide(int64_t *to, const pmn_pqw_leaf *leaf, const void *from, int64_t offset, const int64_t *rows, int64_t first, int64_t n, paimon_error *err)
{
    const int64_t *words = (const int64_t *)from;
    bool overflow = false;
    switch (leaf->source) {
    case PMN_PQW_DECIMAL64: EACH_VALUE(to[i] = words[2 * row];) break;
    case PMN_PQW_SECONDS: EACH_VALUE(overflow |= __builtin_mul_overflow(words[row], 1000, &to[i]);) break;
    default: EACH_VALUE(to[i] = words[row];) break;
    }
    if (overflow) return pmn_fail(err, PAIMON_INVALID, "column %s: a timestamp whose milliseconds pass 64 bits", leaf->path);
    return PAIMON_OK;
}

static void put_nanos(uint8_t *to, int64_t nanos)
{
    int64_t day = nanos / NANOS_A_DAY, of_day = nanos % NANOS_A_DAY;
    if (of_day < 0) { /* down, not towards zero: before 1970 the time of day stays positive */
        of_day += NANOS_A_DAY;
        day--;
    }
    pmn_store_le64(to, (uint64_t)of_day);
    pmn_store_le64(to + 8, (uint32_t)(day + JULIAN_EPOCH)); /* four bytes of padding are zero */
}

static void take_widest(uint8_t *to, pmn_pqw_source source, const void *from, int64_t offset, const int64_t *rows, int64_t first, int64_t n)
{
    if (source == PMN_PQW_NANOS) {
        EACH_VALUE(put_nanos(to + 16 * i, ((const int64_t *)from)[row]);)
    } else {
        EACH_VALUE(memcpy(to + 16 * i, (const uint8_t *)from + 16 * row, 16);)
    }
}

static void take_booleans(uint8_t *to, const uint8_t *bits, int64_t offset, const int64_t *rows, int64_t first, int64_t n)
{
    EACH_VALUE(to[i] = (bits[row >> 3] >> (row & 7)) & 1;)
}

static void take_texts(pmn_pqw_values *v, bool large, const struct ArrowArray *array, const int64_t *rows, int64_t first, int64_t n)
{
    const uint8_t *bytes = (const uint8_t *)array->buffers[2];
    pmn_slice *to = (pmn_slice *)(void *)v->space;
    int64_t offset = array->offset, total = 4 * n;
    if (large) {
        const int64_t *offsets = (const int64_t *)array->buffers[1];
        EACH_VALUE(to[i].data = bytes + offsets[row]; to[i].size = (size_t)(offsets[row + 1] - offsets[row]); total += (int64_t)to[i].size;)
    } else {
        const int32_t *offsets = (const int32_t *)array->buffers[1];
        EACH_VALUE(to[i].data = bytes + offsets[row]; to[i].size = (size_t)(offsets[row + 1] - offsets[row]); total += (int64_t)to[i].size;)
    }
    v->slices = to;
    v->bytes = total;
}
#undef EACH_VALUE

static bool can_borrow(const pmn_pqw_leaf *leaf)
{
    switch (leaf->source) {
    case PMN_PQW_INT32:
    case PMN_PQW_FLOAT:
    case PMN_PQW_INT64:
    case PMN_PQW_DOUBLE:
    case PMN_PQW_DECIMAL128: return true;
    default: return false;
    }
}

paimon_status pmn_pqw_values_take(pmn_pqw_values *v, const pmn_pqw_leaf *leaf, const struct ArrowArray *array, const int64_t *rows, int64_t first, int64_t n,
                                  paimon_error *err)
{
    int width = pmn_pqw_held_width(leaf);
    if (leaf->physical == PMN_PQ_BYTE_ARRAY) {
        take_texts(v, leaf->source == PMN_PQW_BYTES64, array, rows, first, n);
        return PAIMON_OK;
    }
    const void *from = array->buffers[1];
    v->bytes = n * (leaf->physical == PMN_PQ_BOOLEAN ? 1 : pmn_pqw_stored_width(leaf));
    v->fixed = v->space;
    if (!rows && can_borrow(leaf)) {
        v->fixed = (const uint8_t *)from + (array->offset + first) * width;
        return PAIMON_OK;
    }
    switch (width) {
    case 1: take_booleans((uint8_t *)v->space, (const uint8_t *)from, array->offset, rows, first, n); break;
    case 4: take_small((int32_t *)(void *)v->space, leaf->source, from, array->offset, rows, first, n); break;
    case 8: return take_wide((int64_t *)(void *)v->space, leaf, from, array->offset, rows, first, n, err);
    default: take_widest((uint8_t *)v->space, leaf->source, from, array->offset, rows, first, n); break;
    }
    return PAIMON_OK;
}

/* ---- PLAIN ---- */

/* 16 bytes held, fewer stored. */
static void put_widest(uint8_t *to, const pmn_pqw_leaf *leaf, const uint8_t *held)
{
    if (leaf->physical == PMN_PQ_INT96) {
        memcpy(to, held, 12);
        return;
    }
    for (int32_t k = 0; k < leaf->type_length; k++) to[leaf->type_length - 1 - k] = held[k];
}

static uint8_t *put_slice(uint8_t *to, pmn_slice s)
{
    pmn_store_le32(to, (uint32_t)s.size);
    if (s.size) memcpy(to + 4, s.data, s.size);
    return to + 4 + s.size;
}

paimon_status pmn_pqw_values_plain(pmn_buf *out, const pmn_pqw_leaf *leaf, const pmn_pqw_values *v, int64_t n, paimon_error *err)
{
    PMN_TRY(pmn_buf_reserve(out, (size_t)v->bytes, err));
    uint8_t *to = pmn_buf_end(out);
    if (leaf->physical == PMN_PQ_BYTE_ARRAY) {
        for (int64_t i = 0; i < n; i++) to = put_slice(to, v->slices[i]);
    } else if (pmn_pqw_held_width(leaf) == 16) {
        for (int64_t i = 0; i < n; i++, to += pmn_pqw_stored_width(leaf)) put_widest(to, leaf, (const uint8_t *)v->fixed + 16 * i);
    } else {
        memcpy(to, v->fixed, (size_t)v->bytes);
    }
    out->size += (size_t)v->bytes;
    return PAIMON_OK;
}

static paimon_status plain_of_slices(pmn_buf *out, const pmn_dictionary *d, const uint32_t *ids, int64_t n, paimon_error *err)
{
    if (!ids) return pmn_buf_append(out, d->values.data, d->values.size, err);
    for (int64_t i = 0; i < n; i++) {
        pmn_slice s = pmn_dictionary_bytes(d, ids[i]);
        PMN_TRY(pmn_buf_append(out, s.data - 4, s.size + 4, err)); /* its length stands in front */
    }
    return PAIMON_OK;
}

paimon_status pmn_pqw_dictionary_plain(pmn_buf *out, const pmn_pqw_leaf *leaf, const pmn_dictionary *d, const uint32_t *ids, int64_t n, paimon_error *err)
{
    size_t held = (size_t)d->width, stored = (size_t)pmn_pqw_stored_width(leaf);
    if (d->width == 0) return plain_of_slices(out, d, ids, n, err);
    if (n == 0) return PAIMON_OK;
    PMN_TRY(pmn_buf_reserve(out, (size_t)n * stored, err));
    uint8_t *to = pmn_buf_end(out);
    for (int64_t i = 0; i < n; i++, to += stored) {
        const uint8_t *value = d->values.data + (ids ? ids[i] : (size_t)i) * held;
        if (held == 16) put_widest(to, leaf, value);
        else memcpy(to, value, held);
    }
    out->size += (size_t)n * stored;
    return PAIMON_OK;
}
