/* Arrow columns that grow row by row, as a row format fills them.
 *
 * Columns of one level have their rows together: those of the records, those of the items of one list. Room is made for a level, not for a
 * column, when it is known how many rows come: once a batch, once a block of items. So nothing is asked about room when a value is put,
 * except for bytes, whose lengths nobody knows before. A bitmap starts with all rows valid: a null clears its bit, a value does nothing. */
#ifndef PMN_FORMAT_AVRO_COLUMN_H
#define PMN_FORMAT_AVRO_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "arrow/buffer.h"
#include "base/arena.h"
#include "base/bitmap.h"
#include "base/bytes.h"
#include "format/match.h"
#include "paimon-c/arrow_abi.h"

typedef enum pmn_avro_column_kind {
    PMN_AVRO_COLUMN_FIXED, /* `width` bytes a value */
    PMN_AVRO_COLUMN_BITS,
    PMN_AVRO_COLUMN_VAR32,
    PMN_AVRO_COLUMN_VAR64,
    PMN_AVRO_COLUMN_LIST32, /* lists and maps; the items are a level of their own */
    PMN_AVRO_COLUMN_LIST64,
    PMN_AVRO_COLUMN_FIXED_LIST, /* `width` items each */
    PMN_AVRO_COLUMN_STRUCT
} pmn_avro_column_kind;

typedef struct pmn_avro_column pmn_avro_column;

typedef struct pmn_avro_level {
    int64_t n;        /* rows that are whole */
    int64_t capacity;
    int64_t row_bytes; /* what a row takes before its bytes and items are counted */
    pmn_avro_column *columns;
    struct pmn_avro_level *next; /* of all */
} pmn_avro_level;

struct pmn_avro_column {
    pmn_avro_column_kind kind;
    int32_t width;
    bool nullable;
    uint8_t *valid;  /* NULL until there is room, or if it may not be null */
    uint8_t *values; /* or offsets */
    uint8_t *data;   /* VAR */
    size_t data_size, data_room;
    size_t data_hint; /* what the last batch took */
    int64_t n_nulls;
    pmn_buffer *validity_buffer, *values_buffer, *data_buffer;
    pmn_avro_level *items; /* LIST… */
    pmn_avro_column *next; /* of the level */
};

/* All columns of one decoder. */
typedef struct pmn_avro_columns {
    pmn_arena *arena;
    pmn_buffer_pool *pool;
    pmn_avro_level *levels;
    size_t used; /* bytes and items of the batch, as the decoder counts them */
} pmn_avro_columns;

pmn_avro_level *pmn_avro_level_new(pmn_avro_columns *columns); /* NULL without memory */
pmn_avro_column *pmn_avro_column_new(pmn_avro_columns *columns, pmn_avro_level *level, pmn_avro_column_kind kind, int32_t width, bool nullable);
/* Room for `more` rows. */
paimon_status pmn_avro_level_reserve(pmn_avro_columns *columns, pmn_avro_level *level, int64_t more, paimon_error *err) PMN_MUST_USE;
/* Room for `more` bytes. */
paimon_status pmn_avro_column_reserve_data(pmn_avro_columns *columns, pmn_avro_column *column, size_t more, paimon_error *err) PMN_MUST_USE;
/* The column as an array of `n` rows: its buffers are moved into it, children are the caller's to fill. */
paimon_status pmn_avro_column_take(pmn_avro_columns *columns, pmn_avro_column *column, int64_t n, int32_t n_children, struct ArrowArray *out,
                                   paimon_error *err) PMN_MUST_USE;
/* Empty again, and without room. */
void pmn_avro_columns_reset(pmn_avro_columns *columns);

/* The value of a row that has none: nothing is left of what stood in the memory before. */
PMN_INLINE void pmn_avro_column_blank(pmn_avro_column *column, int64_t row)
{
    switch (column->kind) {
    case PMN_AVRO_COLUMN_FIXED:
        if (column->width == 8) pmn_store_le64(column->values + 8 * row, 0);
        else if (column->width == 4) pmn_store_le32(column->values + 4 * row, 0);
        else memset(column->values + (size_t)column->width * (size_t)row, 0, (size_t)column->width);
        break;
    case PMN_AVRO_COLUMN_VAR32: ((int32_t *)(void *)column->values)[row + 1] = (int32_t)column->data_size; break;
    case PMN_AVRO_COLUMN_VAR64: ((int64_t *)(void *)column->values)[row + 1] = (int64_t)column->data_size; break;
    case PMN_AVRO_COLUMN_LIST32: ((int32_t *)(void *)column->values)[row + 1] = (int32_t)column->items->n; break;
    case PMN_AVRO_COLUMN_LIST64: ((int64_t *)(void *)column->values)[row + 1] = column->items->n; break;
    default: break; /* bits start as zeros; the children of the others are their own matter */
    }
    if (column->valid) {
        pmn_bit_clear(column->valid, row);
        column->n_nulls++;
    }
}

#endif
