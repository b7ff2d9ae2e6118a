#include "format/avro/column.h"

#include <string.h>

#include "arrow/array.h"

/* No buffer of a batch grows past this: offsets of 32 bits could not tell more, and a few bytes of file ask for it only in bad faith. */
#define AVRO_MOST_BYTES ((size_t)INT32_MAX)
#define AVRO_FIRST_DATA 4096

pmn_avro_level *pmn_avro_level_new(pmn_avro_columns *columns)
{
    pmn_avro_level *level = pmn_arena_calloc(columns->arena, 1, sizeof *level);
    if (!level) return NULL;
    level->next = columns->levels;
    columns->levels = level;
    return level;
}

static size_t offset_width(pmn_avro_column_kind kind)
{
    switch (kind) {
    case PMN_AVRO_COLUMN_VAR32:
    case PMN_AVRO_COLUMN_LIST32: return 4;
    case PMN_AVRO_COLUMN_VAR64:
    case PMN_AVRO_COLUMN_LIST64: return 8;
    default: return 0;
    }
}

pmn_avro_column *pmn_avro_column_new(pmn_avro_columns *columns, pmn_avro_level *level, pmn_avro_column_kind kind, int32_t width, bool nullable)
{
    pmn_avro_column *column = pmn_arena_calloc(columns->arena, 1, sizeof *column);
    if (!column) return NULL;
    column->kind = kind;
    column->width = width;
    column->nullable = nullable;
    column->next = level->columns;
    level->columns = column;
    level->row_bytes += (kind == PMN_AVRO_COLUMN_FIXED ? width : (int64_t)offset_width(kind)) + 1;
    return column;
}

/* `used` bytes stay; what is new up to `bytes` is filled with `fill`, if that is a byte. */
static paimon_status avro_grow_to(pmn_avro_columns *columns, pmn_buffer **buffer, uint8_t **data, size_t used, size_t bytes, int fill, paimon_error *err)
{
    if (bytes > AVRO_MOST_BYTES) return pmn_fail(err, PAIMON_NOMEM, "a column of more than %zu bytes in one batch", AVRO_MOST_BYTES);
    if (!*buffer) {
        PMN_TRY(pmn_buffer_new(columns->pool, bytes, buffer, err));
        used = 0;
    } else {
        PMN_TRY(pmn_buffer_grow(buffer, bytes, err));
    }
    *data = (*buffer)->data;
    if (fill >= 0 && bytes > used) memset(*data + used, fill, bytes - used);
    return PAIMON_OK;
}

static paimon_status reserve_column(pmn_avro_columns *columns, pmn_avro_column *column, int64_t old, int64_t rows, paimon_error *err)
{
    size_t n = (size_t)rows, width = offset_width(column->kind);
    if (column->nullable) {
        PMN_TRY(avro_grow_to(columns, &column->validity_buffer, &column->valid, pmn_bitmap_bytes(old), pmn_bitmap_bytes(rows), 0xff, err));
    }
    if (column->kind == PMN_AVRO_COLUMN_BITS)
        return avro_grow_to(columns, &column->values_buffer, &column->values, pmn_bitmap_bytes(old), pmn_bitmap_bytes(rows), 0, err);
    if (column->kind == PMN_AVRO_COLUMN_FIXED) {
        if (n > AVRO_MOST_BYTES) n = AVRO_MOST_BYTES + 1;
        return avro_grow_to(columns, &column->values_buffer, &column->values, 0, n * (size_t)column->width, -1, err);
    }
    if (width == 0) return PAIMON_OK;
    bool first = !column->values_buffer;
    PMN_TRY(avro_grow_to(columns, &column->values_buffer, &column->values, 0, (n + 1) * width, -1, err));
    if (first) memset(column->values, 0, width);
    return PAIMON_OK;
}

paimon_status pmn_avro_level_reserve(pmn_avro_columns *columns, pmn_avro_level *level, int64_t more, paimon_error *err)
{
    int64_t rows = level->n + more;
    if (rows > INT32_MAX) return pmn_fail(err, PAIMON_NOMEM, "more than %d list items in one batch", INT32_MAX);
    if (rows <= level->capacity) return PAIMON_OK;
    if (rows < 2 * level->capacity) rows = 2 * level->capacity;
    /* Bitmaps are filled by whole bytes: no byte is cut, so none is filled twice. */
    rows = (rows + 63) & ~(int64_t)63;
    for (pmn_avro_column *column = level->columns; column; column = column->next) {
        PMN_TRY(reserve_column(columns, column, level->capacity, rows, err));
    }
    level->capacity = rows;
    return PAIMON_OK;
}

paimon_status pmn_avro_column_reserve_data(pmn_avro_columns *columns, pmn_avro_column *column, size_t more, paimon_error *err)
{
    size_t need = column->data_size + more, first = column->data_hint > AVRO_FIRST_DATA ? column->data_hint : AVRO_FIRST_DATA;
    if (need <= column->data_room) return PAIMON_OK;
    PMN_TRY(avro_grow_to(columns, &column->data_buffer, &column->data, 0, !column->data_buffer && need < first ? first : need, -1, err));
    column->data_room = column->data_buffer->capacity;
    if (column->data_room > AVRO_MOST_BYTES) column->data_room = AVRO_MOST_BYTES;
    return PAIMON_OK;
}

paimon_status pmn_avro_column_take(pmn_avro_columns *columns, pmn_avro_column *column, int64_t n, int32_t n_children, struct ArrowArray *out,
                                   paimon_error *err)
{
    bool is_var = column->kind == PMN_AVRO_COLUMN_VAR32 || column->kind == PMN_AVRO_COLUMN_VAR64;
    int n_buffers = is_var ? 3 : column->kind == PMN_AVRO_COLUMN_STRUCT || column->kind == PMN_AVRO_COLUMN_FIXED_LIST ? 1 : 2;
    if (is_var) {
        PMN_TRY(pmn_avro_column_reserve_data(columns, column, 1, err)); /* consumers like to see an address */
        column->data_buffer->size = column->data_size;
        column->data_hint = column->data_size < AVRO_MOST_BYTES / 2 ? column->data_size + column->data_size / 8 : column->data_size;
    }
    if (column->validity_buffer) column->validity_buffer->size = pmn_bitmap_bytes(n);
    if (column->values_buffer) {
        size_t width = offset_width(column->kind);
        column->values_buffer->size = width ? (size_t)(n + 1) * width : column->kind == PMN_AVRO_COLUMN_BITS ? pmn_bitmap_bytes(n) : (size_t)n * (size_t)column->width;
    }
    if (column->n_nulls == 0) {
        pmn_buffer_release(column->validity_buffer);
        column->validity_buffer = NULL;
    }
    pmn_buffer *buffers[3] = { column->validity_buffer, column->values_buffer, column->data_buffer };
    column->validity_buffer = column->values_buffer = column->data_buffer = NULL;
    return pmn_array_new(pmn_buffer_pool_mem(columns->pool), n, column->n_nulls, n_buffers, buffers, n_children, out, err);
}

void pmn_avro_columns_reset(pmn_avro_columns *columns)
{
    columns->used = 0;
    for (pmn_avro_level *level = columns->levels; level; level = level->next) {
        level->n = level->capacity = 0;
        for (pmn_avro_column *column = level->columns; column; column = column->next) {
            pmn_buffer_release(column->validity_buffer);
            pmn_buffer_release(column->values_buffer);
            pmn_buffer_release(column->data_buffer);
            column->validity_buffer = column->values_buffer = column->data_buffer = NULL;
            column->valid = column->values = column->data = NULL;
            column->data_size = column->data_room = 0;
            column->n_nulls = 0;
        }
    }
}
