/* Gather: chosen rows of an array as a new array. The filter of the read path and the merge stand on this, so fixed-width values
 * and strings have tight loops; nested kinds turn the row numbers into row numbers of their children and recurse.
 *
 * A row number counts from `base` rows behind the array's own offset: a struct with an offset needs no second list of rows.
 */
#include <string.h>

#include "arrow/array.h"
#include "arrow/private.h"
#include "arrow/schema.h"
#include "base/bitmap.h"
#include "base/checked.h"

/* One call: the rows, and where results come from. Children get a copy with other rows. */
typedef struct gather {
    pmn_buffer_pool *pool;
    pmn_mem *mem;
    int64_t base;
    const int32_t *rows;
    int64_t n;
    int depth;
    paimon_error *err;
} gather;

static paimon_status gather_array(const gather *g, const struct ArrowSchema *schema, const struct ArrowArray *array, struct ArrowArray *out);

static paimon_status new_buffer(const gather *g, int64_t count, size_t width, pmn_buffer **out)
{
    size_t bytes;
    *out = NULL;
    if (!pmn_mul_size((size_t)count, width, &bytes)) return pmn_fail_nomem(g->err, "Arrow buffer");
    PMN_TRY(pmn_buffer_new(g->pool, bytes, out, g->err));
    (*out)->size = bytes;
    return PAIMON_OK;
}

#define GATHERED_BIT(k) ((unsigned)pmn_bit_get(src, base + rows[i + (k)]) << (k))

static void gather_bits(uint8_t *dst, const uint8_t *src, int64_t base, const int32_t *rows, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        dst[i >> 3] = (uint8_t)(GATHERED_BIT(0) | GATHERED_BIT(1) | GATHERED_BIT(2) | GATHERED_BIT(3) | GATHERED_BIT(4) | GATHERED_BIT(5) |
                                GATHERED_BIT(6) | GATHERED_BIT(7));
    if (i == n) return;
    unsigned byte = 0;
    for (int64_t k = 0; k < n - i; k++) byte |= GATHERED_BIT(k);
    dst[i >> 3] = (uint8_t)byte;
}

#undef GATHERED_BIT

/* NULL and 0 when there are no nulls among the rows. */
static paimon_status gather_validity(const gather *g, const struct ArrowArray *array, pmn_buffer **out, int64_t *n_nulls)
{
    *out = NULL;
    *n_nulls = 0;
    if (g->n == 0 || array->null_count == 0 || array->n_buffers < 1 || !array->buffers[0]) return PAIMON_OK;
    PMN_TRY(new_buffer(g, (int64_t)pmn_bitmap_bytes(g->n), 1, out));
    gather_bits((*out)->data, array->buffers[0], array->offset + g->base, g->rows, g->n);
    *n_nulls = g->n - pmn_bitmap_count((*out)->data, 0, g->n);
    if (*n_nulls == 0) {
        pmn_buffer_release(*out);
        *out = NULL;
    }
    return PAIMON_OK;
}

/* Loads by memcpy: vectors of 4-byte floats are gathered as 8- or 16-byte values that are not aligned as such. */
#define GATHER_WIDTH(type)                                                                                               \
    do {                                                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                                \
            type value;                                                                                                  \
            memcpy(&value, src + (int64_t)rows[i] * (int64_t)sizeof value, sizeof value);                                \
            memcpy(dst + i * (int64_t)sizeof value, &value, sizeof value);                                               \
        }                                                                                                                \
    } while (0)

typedef struct wide16 {
    uint64_t halves[2];
} wide16;

static void gather_values(uint8_t *dst, const uint8_t *src, size_t width, const int32_t *rows, int64_t n)
{
    switch (width) {
    case 1: GATHER_WIDTH(uint8_t); break;
    case 2: GATHER_WIDTH(uint16_t); break;
    case 4: GATHER_WIDTH(uint32_t); break;
    case 8: GATHER_WIDTH(uint64_t); break;
    case 16: GATHER_WIDTH(wide16); break;
    default:
        for (int64_t i = 0; i < n; i++) memcpy(dst + (size_t)i * width, src + (int64_t)rows[i] * (int64_t)width, width);
    }
}

/* A validity bitmap and one buffer of values: the common end of all flat kinds. `values` is owned here. */
static paimon_status finish_flat(const gather *g, const struct ArrowArray *array, pmn_buffer *values, struct ArrowArray *out)
{
    pmn_buffer *buffers[2] = { NULL, values };
    int64_t n_nulls;
    paimon_status status = gather_validity(g, array, &buffers[0], &n_nulls);
    if (status != PAIMON_OK) {
        pmn_buffer_release(values);
        return status;
    }
    return pmn_array_new(g->mem, g->n, n_nulls, 2, buffers, 0, out, g->err);
}

static paimon_status gather_bool(const gather *g, const struct ArrowArray *array, struct ArrowArray *out)
{
    pmn_buffer *values;
    PMN_TRY(new_buffer(g, (int64_t)pmn_bitmap_bytes(g->n), 1, &values));
    if (g->n) gather_bits(values->data, array->buffers[1], array->offset + g->base, g->rows, g->n);
    return finish_flat(g, array, values, out);
}

static paimon_status gather_fixed(const gather *g, const struct ArrowArray *array, size_t width, struct ArrowArray *out)
{
    pmn_buffer *values;
    PMN_TRY(new_buffer(g, g->n, width, &values));
    if (g->n && width) {
        const uint8_t *src = (const uint8_t *)array->buffers[1] + (size_t)(array->offset + g->base) * width;
        gather_values(values->data, src, width, g->rows, g->n);
    }
    return finish_flat(g, array, values, out);
}

/* Values of a buffer that has slack behind it are copied 16 bytes at a time whatever their length: most texts are short. */
#define COPY_TEXTS()                                                                                                     \
    do {                                                                                                                 \
        for (int64_t i = 0; i < g->n; i++) {                                                                             \
            int64_t row = g->rows[i];                                                                                    \
            size_t size = (size_t)(from[row + 1] - from[row]);                                                           \
            if (slack && size <= 16) memcpy(data->data + to[i], bytes + from[row], 16);                                  \
            else if (size) memcpy(data->data + to[i], bytes + from[row], size);                                          \
        }                                                                                                                \
    } while (0)

#define GATHER_OFFSETS(type)                                                                                             \
    do {                                                                                                                 \
        const type *from = (const type *)array->buffers[1] + array->offset + g->base;                                    \
        type *to = (type *)(void *)offsets->data;                                                                        \
        int64_t total = 0;                                                                                               \
        to[0] = 0;                                                                                                       \
        for (int64_t i = 0; i < g->n; i++) {                                                                             \
            total += from[g->rows[i] + (int64_t)1] - from[g->rows[i]];                                                   \
            to[i + 1] = (type)total;                                                                                     \
        }                                                                                                                \
        if (sizeof(type) == 4 && total > INT32_MAX) {                                                                    \
            status = pmn_fail(g->err, PAIMON_UNSUPPORTED, "an Arrow batch with %lld bytes in one column", (long long)total); \
            goto failed;                                                                                                 \
        }                                                                                                                \
        PMN_GOTO(status, new_buffer(g, total, 1, &data), failed);                                                        \
        COPY_TEXTS();                                                                                                     \
    } while (0)

static paimon_status gather_text(const gather *g, const struct ArrowArray *array, bool large, struct ArrowArray *out)
{
    paimon_status status;
    pmn_buffer *offsets, *data = NULL;
    const uint8_t *bytes = array->n_buffers > 2 ? array->buffers[2] : NULL;
    bool slack = pmn_array_is_ours(array) && array->n_buffers > 2 && ((const pmn_array_private *)array->private_data)->buffers[2];
    PMN_TRY(new_buffer(g, g->n + 1, large ? 8 : 4, &offsets));
    if (g->n == 0) {
        memset(offsets->data, 0, large ? 8 : 4);
        PMN_GOTO(status, new_buffer(g, 0, 1, &data), failed);
    } else if (large) {
        GATHER_OFFSETS(int64_t);
    } else {
        GATHER_OFFSETS(int32_t);
    }
    pmn_buffer *buffers[3] = { NULL, offsets, data };
    int64_t n_nulls;
    PMN_GOTO(status, gather_validity(g, array, &buffers[0], &n_nulls), failed);
    return pmn_array_new(g->mem, g->n, n_nulls, 3, buffers, 0, out, g->err);
failed:
    pmn_buffer_release(offsets);
    pmn_buffer_release(data);
    return status;
}

/* A view is 16 bytes: int32 length, then 12 inline bytes, or a 4-byte prefix, int32 buffer, int32 offset. */
#define VIEW_INLINE 12

static int32_t view_i32(const uint8_t *view, int part)
{
    int32_t v;
    memcpy(&v, view + 4 * part, sizeof v);
    return v;
}

/* Views of an array that is not ours: its data cannot be shared, so the long values move into one buffer of our own. */
static paimon_status copy_view_data(const gather *g, const struct ArrowArray *array, pmn_buffer *views, pmn_buffer **data, pmn_buffer **sizes)
{
    int64_t total = 0;
    for (int64_t i = 0; i < g->n; i++) {
        int32_t size = view_i32(views->data + 16 * i, 0);
        if (size > VIEW_INLINE) total += size;
    }
    if (total > INT32_MAX)
        return pmn_fail(g->err, PAIMON_UNSUPPORTED, "an Arrow batch with %lld bytes in one column", (long long)total);
    PMN_TRY(new_buffer(g, total, 1, data));
    PMN_TRY(new_buffer(g, 1, sizeof(int64_t), sizes));
    memcpy((*sizes)->data, &total, sizeof total);
    int32_t at = 0, zero = 0;
    for (int64_t i = 0; i < g->n; i++) {
        uint8_t *view = views->data + 16 * i;
        int32_t size = view_i32(view, 0);
        if (size <= VIEW_INLINE) continue;
        memcpy((*data)->data + at, (const uint8_t *)array->buffers[2 + view_i32(view, 2)] + view_i32(view, 3), (size_t)size);
        memcpy(view + 8, &zero, sizeof zero);
        memcpy(view + 12, &at, sizeof at);
        at += size;
    }
    return PAIMON_OK;
}

/* Null views may hold anything: make them empty before their buffer numbers are looked at. */
static void clear_null_views(pmn_buffer *views, const pmn_buffer *validity, int64_t n)
{
    if (!validity) return;
    for (int64_t i = 0; i < n; i++)
        if (!pmn_bit_get(validity->data, i)) memset(views->data + 16 * i, 0, 16);
}

static paimon_status gather_views_shared(const gather *g, const struct ArrowArray *array, pmn_buffer *validity, pmn_buffer *views,
                                         int64_t n_nulls, struct ArrowArray *out)
{
    const pmn_array_private *from = array->private_data;
    pmn_buffer **buffers = pmn_calloc(g->mem, (size_t)from->n_buffers, sizeof *buffers);
    if (!buffers) {
        pmn_buffer_release(validity);
        pmn_buffer_release(views);
        return pmn_fail_nomem(g->err, "Arrow array");
    }
    buffers[0] = validity;
    buffers[1] = views;
    for (int i = 2; i < from->n_buffers; i++) buffers[i] = pmn_buffer_retain(from->buffers[i]);
    paimon_status status = pmn_array_new(g->mem, g->n, n_nulls, from->n_buffers, buffers, 0, out, g->err);
    pmn_free(g->mem, buffers, (size_t)from->n_buffers * sizeof *buffers);
    if (status != PAIMON_OK) return status;
    pmn_array_private *to = out->private_data;
    for (int i = 2; i < from->n_buffers; i++) to->pointers[i] = from->pointers[i];
    to->owner = from->owner;
    if (to->owner) atomic_fetch_add(&to->owner->refs, 1);
    return PAIMON_OK;
}

static paimon_status gather_views(const gather *g, const struct ArrowArray *array, struct ArrowArray *out)
{
    paimon_status status;
    pmn_buffer *buffers[4] = { NULL, NULL, NULL, NULL };
    int64_t n_nulls;
    PMN_TRY(new_buffer(g, g->n, 16, &buffers[1]));
    if (g->n) gather_values(buffers[1]->data, (const uint8_t *)array->buffers[1] + 16 * (array->offset + g->base), 16, g->rows, g->n);
    PMN_GOTO(status, gather_validity(g, array, &buffers[0], &n_nulls), failed);
    clear_null_views(buffers[1], buffers[0], g->n);
    if (pmn_array_is_ours(array) && array->n_buffers >= 3)
        return gather_views_shared(g, array, buffers[0], buffers[1], n_nulls, out);
    PMN_GOTO(status, copy_view_data(g, array, buffers[1], &buffers[2], &buffers[3]), failed);
    return pmn_array_new(g->mem, g->n, n_nulls, 4, buffers, 0, out, g->err);
failed:
    for (int i = 0; i < 4; i++) pmn_buffer_release(buffers[i]);
    return status;
}

pmn_list_span pmn_array_list_span(pmn_arrow_kind kind, int32_t width, const struct ArrowArray *array, int64_t row)
{
    int64_t i = array->offset + row;
    if (kind == PMN_ARROW_FIXED_LIST) return (pmn_list_span){ i * width, width };
    const int32_t *offsets32 = array->buffers[1];
    const int64_t *offsets64 = array->buffers[1];
    switch (kind) {
    case PMN_ARROW_LARGE_LIST: return (pmn_list_span){ offsets64[i], offsets64[i + 1] - offsets64[i] };
    case PMN_ARROW_LIST_VIEW: return (pmn_list_span){ offsets32[i], ((const int32_t *)array->buffers[2])[i] };
    case PMN_ARROW_LARGE_LIST_VIEW: return (pmn_list_span){ offsets64[i], ((const int64_t *)array->buffers[2])[i] };
    default: return (pmn_list_span){ offsets32[i], (int64_t)offsets32[i + 1] - offsets32[i] };
    }
}

static bool is_large(pmn_arrow_kind kind) { return kind == PMN_ARROW_LARGE_LIST || kind == PMN_ARROW_LARGE_LIST_VIEW; }
static bool is_view(pmn_arrow_kind kind) { return kind == PMN_ARROW_LIST_VIEW || kind == PMN_ARROW_LARGE_LIST_VIEW; }

static void put_offset(pmn_buffer *buffer, bool large, int64_t i, int64_t value)
{
    if (large) ((int64_t *)(void *)buffer->data)[i] = value;
    else ((int32_t *)(void *)buffer->data)[i] = (int32_t)value;
}

/* Offsets (and sizes, of a list view) of the gathered lists, and how many children they have. Null lists become empty. */
static paimon_status list_offsets(const gather *g, pmn_arrow_kind kind, const struct ArrowArray *array, const pmn_buffer *validity,
                                  pmn_buffer *offsets, pmn_buffer *sizes, int64_t *total)
{
    bool large = is_large(kind);
    int64_t sum = 0;
    for (int64_t i = 0; i < g->n; i++) {
        pmn_list_span s = { 0, 0 };
        if (!validity || pmn_bit_get(validity->data, i)) s = pmn_array_list_span(kind, 0, array, g->base + g->rows[i]);
        if (s.count > 0 && s.start > INT32_MAX - s.count)
            return pmn_fail(g->err, PAIMON_UNSUPPORTED, "an Arrow batch with more than %d list elements in one column", INT32_MAX);
        put_offset(offsets, large, i, sum);
        if (sizes) put_offset(sizes, large, i, s.count);
        if (!pmn_add_i64(sum, s.count, &sum) || sum > INT32_MAX)
            return pmn_fail(g->err, PAIMON_UNSUPPORTED, "an Arrow batch with more than %d list elements in one column", INT32_MAX);
    }
    put_offset(offsets, large, g->n, sum);
    *total = sum;
    return PAIMON_OK;
}

static paimon_status gather_list_child(const gather *g, pmn_arrow_kind kind, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                       const pmn_buffer *validity, int64_t total, struct ArrowArray *out)
{
    int32_t *rows = pmn_alloc(g->mem, (size_t)total * sizeof *rows);
    if (!rows) return pmn_fail_nomem(g->err, "rows of list elements");
    int64_t at = 0;
    for (int64_t i = 0; i < g->n; i++) {
        if (validity && !pmn_bit_get(validity->data, i)) continue;
        pmn_list_span s = pmn_array_list_span(kind, 0, array, g->base + g->rows[i]);
        for (int64_t k = 0; k < s.count; k++) rows[at++] = (int32_t)(s.start + k);
    }
    gather child = *g;
    child.base = 0;
    child.rows = rows;
    child.n = total;
    child.depth++;
    paimon_status status = gather_array(&child, schema->children[0], array->children[0], out);
    pmn_free(g->mem, rows, (size_t)total * sizeof *rows);
    return status;
}

/* List, large list, map, list views: gathered ones are compact. */
static paimon_status gather_list(const gather *g, pmn_arrow_kind kind, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                 struct ArrowArray *out)
{
    paimon_status status;
    pmn_buffer *buffers[3] = { NULL, NULL, NULL };
    int64_t n_nulls, total = 0;
    size_t width = is_large(kind) ? 8 : 4;
    PMN_GOTO(status, gather_validity(g, array, &buffers[0], &n_nulls), failed);
    PMN_GOTO(status, new_buffer(g, g->n + 1, width, &buffers[1]), failed);
    if (is_view(kind)) PMN_GOTO(status, new_buffer(g, g->n, width, &buffers[2]), failed);
    PMN_GOTO(status, list_offsets(g, kind, array, buffers[0], buffers[1], buffers[2], &total), failed);
    struct ArrowArray child;
    PMN_GOTO(status, gather_list_child(g, kind, schema, array, buffers[0], total, &child), failed);
    status = pmn_array_new(g->mem, g->n, n_nulls, is_view(kind) ? 3 : 2, buffers, 1, out, g->err);
    if (status != PAIMON_OK) pmn_array_release(&child);
    else pmn_array_move(out->children[0], &child);
    return status;
failed:
    for (int i = 0; i < 3; i++) pmn_buffer_release(buffers[i]);
    return status;
}

/* Bytes of a value whose buffer is one run of fixed-width values; 0 for all other kinds. */
static size_t plain_width(const struct ArrowSchema *schema, const pmn_arrow_type *type)
{
    if (schema->dictionary) return 0;
    switch (type->kind) {
    case PMN_ARROW_DECIMAL: return (size_t)type->width / 8;
    case PMN_ARROW_BOOL:
    case PMN_ARROW_BINARY_VIEW:
    case PMN_ARROW_STRING_VIEW:
    case PMN_ARROW_FIXED_LIST: return 0;
    default: return (size_t)type->width;
    }
}

/* Vectors: the elements of a row are one wide value when none of them can be null. */
static paimon_status gather_vector_child(const gather *g, size_t width, const struct ArrowArray *list, int32_t per_row,
                                         const struct ArrowArray *child, struct ArrowArray *out)
{
    pmn_buffer *buffers[2] = { NULL, NULL };
    size_t wide = width * (size_t)per_row;
    PMN_TRY(new_buffer(g, g->n, wide, &buffers[1]));
    const uint8_t *src = (const uint8_t *)child->buffers[1] + (size_t)(child->offset + (list->offset + g->base) * per_row) * width;
    gather_values(buffers[1]->data, src, wide, g->rows, g->n);
    return pmn_array_new(g->mem, g->n * per_row, 0, 2, buffers, 0, out, g->err);
}

static paimon_status gather_fixed_child(const gather *g, const struct ArrowSchema *schema, const struct ArrowArray *array, int32_t per_row,
                                        struct ArrowArray *out)
{
    const struct ArrowArray *child = array->children[0];
    pmn_arrow_type type;
    PMN_TRY(pmn_arrow_type_parse(schema->children[0]->format, &type, g->err));
    size_t width = plain_width(schema->children[0], &type);
    if (width && per_row && g->n && (child->null_count == 0 || !child->buffers[0]))
        return gather_vector_child(g, width, array, per_row, child, out);
    int64_t total = g->n * per_row, highest = 0;
    for (int64_t i = 0; i < g->n; i++) highest = g->rows[i] > highest ? g->rows[i] : highest;
    if (per_row && (total > INT32_MAX || (highest + 1) * per_row > INT32_MAX))
        return pmn_fail(g->err, PAIMON_UNSUPPORTED, "an Arrow batch with more than %d list elements in one column", INT32_MAX);
    int32_t *rows = pmn_alloc(g->mem, (size_t)total * sizeof *rows);
    if (!rows) return pmn_fail_nomem(g->err, "rows of list elements");
    for (int64_t i = 0, at = 0; i < g->n; i++)
        for (int32_t k = 0; k < per_row; k++) rows[at++] = g->rows[i] * per_row + k;
    gather inner = *g;
    inner.base = (array->offset + g->base) * per_row;
    inner.rows = rows;
    inner.n = total;
    inner.depth++;
    paimon_status status = gather_array(&inner, schema->children[0], child, out);
    pmn_free(g->mem, rows, (size_t)total * sizeof *rows);
    return status;
}

static paimon_status gather_fixed_list(const gather *g, const struct ArrowSchema *schema, const struct ArrowArray *array, int32_t per_row,
                                       struct ArrowArray *out)
{
    struct ArrowArray child;
    PMN_TRY(gather_fixed_child(g, schema, array, per_row, &child));
    pmn_buffer *validity;
    int64_t n_nulls;
    paimon_status status;
    PMN_GOTO(status, gather_validity(g, array, &validity, &n_nulls), failed);
    PMN_GOTO(status, pmn_array_new(g->mem, g->n, n_nulls, 1, &validity, 1, out, g->err), failed);
    pmn_array_move(out->children[0], &child);
    return PAIMON_OK;
failed:
    pmn_array_release(&child);
    return status;
}

/* Struct and sparse union: children have the same rows; `buffer` (moved in) is the validity, or the type numbers. */
static paimon_status gather_children(const gather *g, const struct ArrowSchema *schema, const struct ArrowArray *array, pmn_buffer *buffer,
                                     int64_t n_nulls, struct ArrowArray *out)
{
    PMN_TRY(pmn_array_new(g->mem, g->n, n_nulls, 1, &buffer, (int)array->n_children, out, g->err));
    gather child = *g;
    child.base = g->base + array->offset;
    child.depth++;
    for (int64_t i = 0; i < array->n_children; i++) {
        paimon_status status = gather_array(&child, schema->children[i], array->children[i], out->children[i]);
        if (status != PAIMON_OK) {
            pmn_array_release(out);
            return status;
        }
    }
    return PAIMON_OK;
}

static paimon_status gather_struct(const gather *g, const struct ArrowSchema *schema, const struct ArrowArray *array, struct ArrowArray *out)
{
    pmn_buffer *validity;
    int64_t n_nulls;
    PMN_TRY(gather_validity(g, array, &validity, &n_nulls));
    return gather_children(g, schema, array, validity, n_nulls, out);
}

/* "+ud:4,7" → the place of each type number among the children, -1 for those without one. */
static void union_places(const char *format, int8_t places[128])
{
    memset(places, -1, 128);
    const char *at = strchr(format, ':');
    for (int child = 0; at && child < 128; child++) {
        int code = 0;
        for (at++; *at >= '0' && *at <= '9'; at++) code = code < 128 ? code * 10 + (*at - '0') : code;
        if (code < 128) places[code] = (int8_t)child;
        at = *at == ',' ? at : NULL;
    }
}

/* The rows of one child of a dense union, in order, and the new offsets that point to them. */
static paimon_status gather_dense_child(const gather *g, const struct ArrowSchema *schema, const struct ArrowArray *array, int child,
                                        const int8_t places[128], const int8_t *types, int32_t *offsets, int32_t *scratch, struct ArrowArray *out)
{
    const int32_t *from = (const int32_t *)array->buffers[1] + array->offset + g->base;
    int32_t n = 0;
    for (int64_t i = 0; i < g->n; i++) {
        if (types[i] < 0 || places[types[i]] != child) continue;
        scratch[n] = from[g->rows[i]];
        offsets[i] = n++;
    }
    gather inner = *g;
    inner.base = 0;
    inner.rows = scratch;
    inner.n = n;
    inner.depth++;
    return gather_array(&inner, schema->children[child], array->children[child], out);
}

static paimon_status gather_union(const gather *g, const struct ArrowSchema *schema, const struct ArrowArray *array, bool dense,
                                  struct ArrowArray *out)
{
    pmn_buffer *buffers[2] = { NULL, NULL };
    PMN_TRY(new_buffer(g, g->n, 1, &buffers[0]));
    if (g->n) gather_values(buffers[0]->data, (const uint8_t *)array->buffers[0] + array->offset + g->base, 1, g->rows, g->n);
    if (!dense) return gather_children(g, schema, array, buffers[0], 0, out);
    paimon_status status;
    int32_t *scratch = NULL;
    PMN_GOTO(status, new_buffer(g, g->n, 4, &buffers[1]), failed);
    memset(buffers[1]->data, 0, (size_t)g->n * 4);
    int8_t places[128];
    union_places(schema->format, places);
    const int8_t *types = (const int8_t *)buffers[0]->data;
    int32_t *offsets = (int32_t *)(void *)buffers[1]->data;
    scratch = pmn_alloc(g->mem, (size_t)g->n * sizeof *scratch);
    if (!scratch) {
        status = pmn_fail_nomem(g->err, "rows of a union");
        goto failed;
    }
    PMN_GOTO(status, pmn_array_new(g->mem, g->n, 0, 2, buffers, (int)array->n_children, out, g->err), done);
    for (int i = 0; i < (int)array->n_children && i < 128; i++)
        PMN_GOTO(status, gather_dense_child(g, schema, array, i, places, types, offsets, scratch, out->children[i]), done);
done:
    pmn_free(g->mem, scratch, (size_t)g->n * sizeof *scratch);
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
failed:
    pmn_buffer_release(buffers[0]);
    pmn_buffer_release(buffers[1]);
    return status;
}

/* All rows of an array: what is not ours cannot be shared when it is const. */
static paimon_status copy_whole(const gather *g, const struct ArrowSchema *schema, const struct ArrowArray *array, struct ArrowArray *out)
{
    if (pmn_array_all_ours(array)) return pmn_array_share_ours(g->mem, array, out, g->err);
    if (array->length > INT32_MAX) return pmn_fail(g->err, PAIMON_UNSUPPORTED, "an Arrow dictionary of %lld values", (long long)array->length);
    int32_t *rows = pmn_alloc(g->mem, (size_t)array->length * sizeof *rows);
    if (!rows) return pmn_fail_nomem(g->err, "rows of a dictionary");
    for (int64_t i = 0; i < array->length; i++) rows[i] = (int32_t)i;
    gather whole = *g;
    whole.base = 0;
    whole.rows = rows;
    whole.n = array->length;
    whole.depth++;
    paimon_status status = gather_array(&whole, schema, array, out);
    pmn_free(g->mem, rows, (size_t)array->length * sizeof *rows);
    return status;
}

static paimon_status gather_dictionary(const gather *g, const struct ArrowSchema *schema, const struct ArrowArray *array, size_t width,
                                       struct ArrowArray *out)
{
    PMN_TRY(gather_fixed(g, array, width, out));
    struct ArrowArray dictionary;
    paimon_status status = copy_whole(g, schema->dictionary, array->dictionary, &dictionary);
    if (status == PAIMON_OK) status = pmn_array_set_dictionary(out, &dictionary, g->err);
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
}

static paimon_status gather_array(const gather *g, const struct ArrowSchema *schema, const struct ArrowArray *array, struct ArrowArray *out)
{
    memset(out, 0, sizeof *out);
    if (g->depth > PMN_ARROW_MAX_DEPTH) return pmn_fail(g->err, PAIMON_UNSUPPORTED, "Arrow array: nested deeper than %d", PMN_ARROW_MAX_DEPTH);
    pmn_arrow_type type;
    PMN_TRY(pmn_arrow_type_parse(schema->format, &type, g->err));
    if (schema->dictionary) return gather_dictionary(g, schema, array, (size_t)type.width, out);
    switch (type.kind) {
    case PMN_ARROW_NULL: return pmn_array_new(g->mem, g->n, g->n, 0, NULL, 0, out, g->err);
    case PMN_ARROW_BOOL: return gather_bool(g, array, out);
    case PMN_ARROW_BINARY:
    case PMN_ARROW_STRING: return gather_text(g, array, false, out);
    case PMN_ARROW_LARGE_BINARY:
    case PMN_ARROW_LARGE_STRING: return gather_text(g, array, true, out);
    case PMN_ARROW_BINARY_VIEW:
    case PMN_ARROW_STRING_VIEW: return gather_views(g, array, out);
    case PMN_ARROW_LIST:
    case PMN_ARROW_LARGE_LIST:
    case PMN_ARROW_LIST_VIEW:
    case PMN_ARROW_LARGE_LIST_VIEW:
    case PMN_ARROW_MAP: return gather_list(g, type.kind, schema, array, out);
    case PMN_ARROW_FIXED_LIST: return gather_fixed_list(g, schema, array, type.width, out);
    case PMN_ARROW_STRUCT: return gather_struct(g, schema, array, out);
    case PMN_ARROW_SPARSE_UNION: return gather_union(g, schema, array, false, out);
    case PMN_ARROW_DENSE_UNION: return gather_union(g, schema, array, true, out);
    case PMN_ARROW_RUN_END: return pmn_fail(g->err, PAIMON_UNSUPPORTED, "rows of a run-end encoded Arrow array");
    default: return gather_fixed(g, array, plain_width(schema, &type), out);
    }
}

paimon_status pmn_array_gather(pmn_buffer_pool *pool, const struct ArrowSchema *schema, const struct ArrowArray *array,
                               const int32_t *rows, int64_t n_rows, struct ArrowArray *out, paimon_error *err)
{
    gather g = { pool, pmn_buffer_pool_mem(pool), 0, rows, n_rows, 0, err };
    return gather_array(&g, schema, array, out);
}

paimon_status pmn_array_repeat(pmn_buffer_pool *pool, const struct ArrowSchema *schema, const struct ArrowArray *array,
                               int64_t row, int64_t length, struct ArrowArray *out, paimon_error *err)
{
    pmn_mem *mem = pmn_buffer_pool_mem(pool);
    memset(out, 0, sizeof *out);
    int32_t *rows = pmn_calloc(mem, (size_t)length, sizeof *rows);
    if (!rows) return pmn_fail_nomem(err, "a constant column");
    gather g = { pool, mem, row, rows, length, 0, err };
    paimon_status status = gather_array(&g, schema, array, out);
    pmn_free(mem, rows, (size_t)length * sizeof *rows);
    return status;
}

#undef GATHER_WIDTH
#undef COPY_TEXTS
#undef GATHER_OFFSETS
#undef VIEW_INLINE
