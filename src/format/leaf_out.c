/* Arrow leaf arrays being filled: see out.h. */
#include "format/leaf_out.h"

#include <string.h>

#include "arrow/array.h"
#include "base/bitmap.h"

void pmn_leaf_out_init(pmn_leaf_out *out, pmn_buffer_pool *pool, pmn_leaf_kind kind, int32_t width)
{
    memset(out, 0, sizeof *out);
    out->pool = pool;
    out->kind = kind;
    out->width = width;
}

static void drop_buffers(pmn_leaf_out *out)
{
    pmn_buffer_release(out->validity);
    pmn_buffer_release(out->values);
    pmn_buffer_release(out->data);
    out->validity = out->values = out->data = NULL;
}

void pmn_leaf_out_free(pmn_leaf_out *out)
{
    drop_buffers(out);
}

/* Bytes of the values buffer for `rows` rows. */
static bool values_bytes(const pmn_leaf_out *out, int64_t rows, size_t *size)
{
    size_t n = (size_t)rows;
    switch (out->kind) {
    case PMN_LEAF_FIXED: return !__builtin_mul_overflow(n, (size_t)out->width, size);
    case PMN_LEAF_BITS: *size = pmn_bitmap_bytes(rows) + 8; return true;
    case PMN_LEAF_VAR32: return !__builtin_mul_overflow(n + 1, sizeof(int32_t), size);
    case PMN_LEAF_VAR64: return !__builtin_mul_overflow(n + 1, sizeof(int64_t), size);
    default: *size = 0; return true;
    }
}

paimon_status pmn_leaf_out_begin(pmn_leaf_out *out, int64_t rows, paimon_error *err)
{
    size_t size;
    drop_buffers(out);
    out->n = out->n_nulls = out->data_size = 0;
    out->capacity = rows;
    if (out->kind == PMN_LEAF_NULL) return PAIMON_OK;
    if (!values_bytes(out, rows, &size)) return pmn_fail_nomem(err, "column values");
    PMN_TRY(pmn_buffer_new(out->pool, size, &out->values, err));
    if (out->kind == PMN_LEAF_VAR32 || out->kind == PMN_LEAF_VAR64) {
        memset(out->values->data, 0, 8); /* the first offset */
        PMN_TRY(pmn_buffer_new(out->pool, (size_t)(out->data_hint + out->data_hint / 8), &out->data, err));
    }
    return PAIMON_OK;
}

paimon_status pmn_leaf_out_reserve(pmn_leaf_out *out, int64_t more, paimon_error *err)
{
    size_t size;
    if (out->capacity - out->n >= more) return PAIMON_OK;
    int64_t rows = out->capacity * 2 > out->n + more ? out->capacity * 2 : out->n + more;
    if (!values_bytes(out, rows, &size)) return pmn_fail_nomem(err, "column values");
    if (out->values) PMN_TRY(pmn_buffer_grow(&out->values, size, err));
    if (out->validity) PMN_TRY(pmn_buffer_grow(&out->validity, pmn_bitmap_bytes(rows) + 8, err));
    out->capacity = rows;
    return PAIMON_OK;
}

paimon_status pmn_leaf_out_reserve_data(pmn_leaf_out *out, int64_t more, paimon_error *err)
{
    if ((int64_t)out->data->capacity - out->data_size >= more) return PAIMON_OK;
    return pmn_buffer_grow(&out->data, (size_t)(out->data_size + more), err);
}

paimon_status pmn_leaf_out_validity(pmn_leaf_out *out, const uint8_t *bits, int64_t rows, int64_t n_valid, paimon_error *err)
{
    if (out->kind == PMN_LEAF_NULL) return PAIMON_OK;
    out->n_nulls += rows - n_valid;
    if (!out->validity) {
        if (n_valid == rows) return PAIMON_OK;
        PMN_TRY(pmn_buffer_new(out->pool, pmn_bitmap_bytes(out->capacity) + 8, &out->validity, err));
        pmn_bitmap_fill(out->validity->data, 0, out->n, true);
    }
    if (n_valid == rows) {
        pmn_bitmap_fill(out->validity->data, out->n, rows, true);
    } else if (n_valid == 0 || !bits) {
        pmn_bitmap_fill(out->validity->data, out->n, rows, false);
    } else {
        pmn_bitmap_copy(out->validity->data, out->n, bits, 0, rows);
    }
    return PAIMON_OK;
}

paimon_status pmn_leaf_out_finish(pmn_leaf_out *out, struct ArrowArray *array, paimon_error *err)
{
    pmn_mem *mem = pmn_buffer_pool_mem(out->pool);
    if (out->kind == PMN_LEAF_NULL) return pmn_array_new(mem, out->n, out->n, 0, NULL, 0, array, err);
    size_t size = 0;
    bool var = out->kind == PMN_LEAF_VAR32 || out->kind == PMN_LEAF_VAR64;
    if (values_bytes(out, out->n, &size)) out->values->size = size;
    if (out->validity) out->validity->size = pmn_bitmap_bytes(out->n);
    if (var) {
        out->data->size = (size_t)out->data_size;
        if (out->data_size > out->data_hint || out->data_size < out->data_hint / 4) out->data_hint = out->data_size;
    }
    pmn_buffer *buffers[3] = { out->validity, out->values, out->data };
    out->validity = out->values = out->data = NULL;
    return pmn_array_new(mem, out->n, out->n_nulls, var ? 3 : 2, buffers, 0, array, err);
}

paimon_status pmn_scratch(pmn_mem *mem, uint8_t **buffer, size_t *capacity, size_t size, bool keep, paimon_error *err)
{
    size += 64;
    if (*capacity >= size) return PAIMON_OK;
    if (size < *capacity * 2) size = *capacity * 2;
    uint8_t *fresh = (uint8_t *)pmn_alloc(mem, size);
    if (!fresh) return pmn_fail(err, PAIMON_NOMEM, "no memory for %zu bytes of a column", size);
    if (keep && *capacity) memcpy(fresh, *buffer, *capacity);
    pmn_free(mem, *buffer, *capacity);
    *buffer = fresh;
    *capacity = size;
    return PAIMON_OK;
}
