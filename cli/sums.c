/* Sums over Arrow columns. The loops are written so that the compiler vectorises them: no branch on a value, validity taken in
 * words of 64 rows. A slot that is null may hold anything, so it is masked and never summed. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sums.h"

/* 64 bits of a bitmap from any bit on; reads no byte past the last one that holds a bit of `n`. */
static uint64_t bits_from(const uint8_t *bits, int64_t at, int64_t n)
{
    uint64_t word = 0;
    int shift = (int)(at & 7);
    int64_t bytes = (shift + (n < 64 ? n : 64) + 7) / 8;
    memcpy(&word, bits + (at >> 3), (size_t)(bytes < 8 ? bytes : 8));
    word >>= shift;
    if (bytes > 8) {
        word |= (uint64_t)bits[(at >> 3) + 8] << (64 - shift);
    }
    return n < 64 ? word & (((uint64_t)1 << n) - 1) : word;
}

static const uint8_t *validity(const struct ArrowArray *array) { return array->null_count != 0 && array->n_buffers > 0 ? array->buffers[0] : NULL; }

static int64_t count_nulls(const struct ArrowArray *array)
{
    const uint8_t *valid = validity(array);
    if (valid == NULL) {
        return 0;
    }
    if (array->null_count >= 0) {
        return array->null_count;
    }
    int64_t set = 0;
    for (int64_t i = 0; i < array->length; i += 64) {
        set += __builtin_popcountll(bits_from(valid, array->offset + i, array->length - i));
    }
    return array->length - set;
}

/* A masked sum for each width: sum of value & -(bit), 64 rows at a time. `STEP` is the distance of values in units of TYPE. */
#define SUM_LOOP(NAME, TYPE, STEP, ACCUMULATE, ZERO)                                                                                                 \
    static void NAME(const TYPE *v, const uint8_t *valid, int64_t offset, int64_t n, int64_t divide, column_sum *out)                                \
    {                                                                                                                                                \
        (void)divide;                                                                                                                                \
        ACCUMULATE sum = ZERO;                                                                                                                       \
        for (int64_t i = 0; i < n; i += 64) {                                                                                                        \
            int64_t m = n - i < 64 ? n - i : 64;                                                                                                     \
            uint64_t bits = valid == NULL ? ~(uint64_t)0 : bits_from(valid, offset + i, n - i);                                                      \
            const TYPE *at = v + (offset + i) * (STEP);                                                                                              \
            if (valid == NULL || bits == ~(uint64_t)0) {                                                                                             \
                for (int64_t k = 0; k < m; k++) {                                                                                                    \
                    sum += (ACCUMULATE)VALUE(at[k * (STEP)]);                                                                                        \
                }                                                                                                                                    \
            } else {                                                                                                                                 \
                for (int64_t k = 0; k < m; k++) {                                                                                                    \
                    sum += (bits >> k & 1) != 0 ? (ACCUMULATE)VALUE(at[k * (STEP)]) : ZERO;                                                          \
                }                                                                                                                                    \
            }                                                                                                                                        \
        }                                                                                                                                            \
        RESULT(sum);                                                                                                                                 \
    }

#define RESULT(sum) out->integer += (uint64_t)(sum)
#define VALUE(x) (int64_t)(x)
SUM_LOOP(sum_i8, int8_t, 1, uint64_t, 0)
SUM_LOOP(sum_u8, uint8_t, 1, uint64_t, 0)
SUM_LOOP(sum_i16, int16_t, 1, uint64_t, 0)
SUM_LOOP(sum_u16, uint16_t, 1, uint64_t, 0)
SUM_LOOP(sum_i32, int32_t, 1, uint64_t, 0)
SUM_LOOP(sum_u32, uint32_t, 1, uint64_t, 0)
SUM_LOOP(sum_i64, int64_t, 1, uint64_t, 0)
SUM_LOOP(sum_wide128, int64_t, 2, uint64_t, 0) /* the low 64 bits decide a sum modulo 2^64 */
SUM_LOOP(sum_wide256, int64_t, 4, uint64_t, 0)
#undef VALUE
#define VALUE(x) ((x) / divide - ((x) % divide < 0)) /* floor */
SUM_LOOP(sum_divided, int64_t, 1, uint64_t, 0)
#undef VALUE
#undef RESULT
#define RESULT(sum) out->real += (sum)
#define VALUE(x) (double)(x)
SUM_LOOP(sum_f32, float, 1, double, 0)
SUM_LOOP(sum_f64, double, 1, double, 0)
#undef VALUE
#define VALUE(x) render_half(x)
SUM_LOOP(sum_f16, uint16_t, 1, double, 0)
#undef VALUE
#undef RESULT

static int64_t offset_at(const void *offsets, int bits, int64_t i)
{
    return bits == 64 ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
}

/* Without nulls the lengths add up to the distance of the first and last offset; a null slot may have a length of its own. */
static uint64_t sum_lengths(const struct ArrowArray *array, const uint8_t *valid, int bits)
{
    const void *offsets = array->buffers[1];
    if (array->length == 0) {
        return 0;
    }
    uint64_t sum = (uint64_t)(offset_at(offsets, bits, array->offset + array->length) - offset_at(offsets, bits, array->offset));
    for (int64_t i = 0; valid != NULL && i < array->length; i += 64) {
        int64_t m = array->length - i < 64 ? array->length - i : 64;
        uint64_t null_bits = ~bits_from(valid, array->offset + i, array->length - i);
        null_bits &= m < 64 ? ((uint64_t)1 << m) - 1 : ~(uint64_t)0;
        for (; null_bits != 0; null_bits &= null_bits - 1) {
            int64_t at = array->offset + i + __builtin_ctzll(null_bits);
            sum -= (uint64_t)(offset_at(offsets, bits, at + 1) - offset_at(offsets, bits, at));
        }
    }
    return sum;
}

static uint64_t sum_view_lengths(const struct ArrowArray *array, const uint8_t *valid)
{
    const uint8_t *views = array->buffers[1];
    uint64_t sum = 0;
    for (int64_t i = array->offset; i < array->offset + array->length; i++) {
        int32_t size;
        memcpy(&size, views + 16 * i, sizeof size);
        sum += valid == NULL || (valid[i >> 3] >> (i & 7) & 1) != 0 ? (uint64_t)size : 0;
    }
    return sum;
}

static void add_integers(column_sum *sum, const render_type *type, const struct ArrowArray *array)
{
    const void *v = array->buffers[1];
    const uint8_t *valid = validity(array);
    int64_t n = array->length;
    int64_t o = array->offset;
    switch (type->bits) {
    case 8:
        type->is_signed ? sum_i8(v, valid, o, n, 1, sum) : sum_u8(v, valid, o, n, 1, sum);
        break;
    case 16:
        type->is_signed ? sum_i16(v, valid, o, n, 1, sum) : sum_u16(v, valid, o, n, 1, sum);
        break;
    case 32:
        type->is_signed || type->kind != RENDER_INT ? sum_i32(v, valid, o, n, 1, sum) : sum_u32(v, valid, o, n, 1, sum);
        break;
    case 64:
        sum_i64(v, valid, o, n, 1, sum);
        break;
    case 128:
        sum_wide128(v, valid, o, n, 1, sum);
        break;
    default:
        sum_wide256(v, valid, o, n, 1, sum);
    }
}

static void add_floats(column_sum *sum, const render_type *type, const struct ArrowArray *array)
{
    const void *v = array->buffers[1];
    const uint8_t *valid = validity(array);
    if (type->bits == 64) {
        sum_f64(v, valid, array->offset, array->length, 1, sum);
    } else if (type->bits == 32) {
        sum_f32(v, valid, array->offset, array->length, 1, sum);
    } else {
        sum_f16(v, valid, array->offset, array->length, 1, sum);
    }
}

static void add_timestamps(column_sum *sum, const render_type *type, const struct ArrowArray *array)
{
    column_sum part = { 0, 0, 0 };
    int64_t divide = type->per_second > 1000000 ? type->per_second / 1000000 : 1;
    if (divide == 1) {
        sum_i64(array->buffers[1], validity(array), array->offset, array->length, 1, &part);
    } else {
        sum_divided(array->buffers[1], validity(array), array->offset, array->length, divide, &part);
    }
    sum->integer += part.integer * (uint64_t)(type->per_second < 1000000 ? 1000000 / type->per_second : 1);
}

static void add_dictionary(column_sum *sum, const render_type *type, const struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->length; i++) {
        if (render_is_null(type, array, i)) {
            sum->nulls++;
            continue;
        }
        struct ArrowArray one = *array->dictionary;
        const void *indices = array->buffers[1];
        int64_t at = i + array->offset;
        int64_t index = type->bits == 8    ? ((const int8_t *)indices)[at]
                        : type->bits == 16 ? ((const int16_t *)indices)[at]
                        : type->bits == 32 ? ((const int32_t *)indices)[at]
                                           : ((const int64_t *)indices)[at];
        one.offset += index;
        one.length = 1;
        one.null_count = 0;
        column_sum_add(sum, type->dictionary, &one);
    }
}

bool column_sum_is_kept(const render_type *type) { return type->dictionary != NULL || type->kind < RENDER_DURATION; }

void column_sum_add(column_sum *sum, const render_type *type, const struct ArrowArray *array)
{
    if (type->dictionary != NULL) {
        add_dictionary(sum, type, array);
        return;
    }
    if (type->kind == RENDER_NULL) {
        sum->nulls += array->length;
        return;
    }
    if (array->length == 0) {
        return;
    }
    if (!column_sum_is_kept(type)) {
        sum->nulls += count_nulls(array);
        return;
    }
    const uint8_t *valid = validity(array);
    sum->nulls += count_nulls(array);
    switch (type->kind) {
    case RENDER_INT:
    case RENDER_DECIMAL:
    case RENDER_DATE:
    case RENDER_TIME:
        add_integers(sum, type, array);
        break;
    case RENDER_FLOAT:
        add_floats(sum, type, array);
        break;
    case RENDER_TIMESTAMP:
        add_timestamps(sum, type, array);
        break;
    case RENDER_STRING:
    case RENDER_BINARY:
        sum->integer += type->bits == 0 ? sum_view_lengths(array, valid) : sum_lengths(array, valid, type->bits);
        break;
    case RENDER_FIXED:
        sum->integer += (uint64_t)(array->length - count_nulls(array)) * (uint64_t)type->width;
        break;
    default:
        break; /* booleans have nulls, but no sum */
    }
}

void column_sum_print(const column_sum *sum, const render_type *type, cli_text *out)
{
    const render_type *value = type->dictionary != NULL ? type->dictionary : type;
    cli_text_printf(out, "[%" PRId64 ",", sum->nulls);
    if (value->kind == RENDER_FLOAT) {
        bool quote = !isfinite(sum->real);
        cli_text_puts(out, quote ? "\"" : "");
        render_double(out, sum->real, false);
        cli_text_puts(out, quote ? "\"" : "");
    } else {
        cli_text_int(out, (int64_t)sum->integer);
    }
    cli_text_putc(out, ']');
}

static int64_t range_bytes(const render_type *type, const struct ArrowArray *array, int64_t from, int64_t n);

static int64_t list_bytes(const render_type *type, const struct ArrowArray *array, int64_t from, int64_t n)
{
    int64_t first = n == 0 ? 0 : offset_at(array->buffers[1], type->bits, from);
    int64_t last = n == 0 ? 0 : offset_at(array->buffers[1], type->bits, from + n);
    int64_t offsets = (n + 1) * (type->bits / 8);
    if (type->kind == RENDER_STRING || type->kind == RENDER_BINARY) {
        return offsets + (last - first);
    }
    return offsets + range_bytes(&type->children[0], array->children[0], array->children[0]->offset + first, last - first);
}

static int64_t range_bytes(const render_type *type, const struct ArrowArray *array, int64_t from, int64_t n)
{
    int64_t bytes = array->n_buffers > 0 && array->buffers[0] != NULL ? (n + 7) / 8 : 0;
    switch (type->kind) {
    case RENDER_NULL:
        return 0;
    case RENDER_BOOL:
        return bytes + (n + 7) / 8;
    case RENDER_FIXED:
        return bytes + n * type->width;
    case RENDER_STRING:
    case RENDER_BINARY:
        return bytes + (type->bits == 0 ? 16 * n : list_bytes(type, array, from, n));
    case RENDER_LIST:
    case RENDER_MAP:
        return bytes + list_bytes(type, array, from, n);
    case RENDER_FIXED_LIST:
        return bytes + range_bytes(&type->children[0], array->children[0], array->children[0]->offset + from * type->width, n * type->width);
    case RENDER_STRUCT:
        for (int64_t i = 0; i < type->n_children; i++) {
            bytes += range_bytes(&type->children[i], array->children[i], array->children[i]->offset + from, n);
        }
        return bytes;
    default:
        return bytes + n * (type->bits / 8);
    }
}

int64_t arrow_bytes(const render_type *type, const struct ArrowArray *array) { return range_bytes(type, array, array->offset, array->length); }
