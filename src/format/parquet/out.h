/* One Arrow leaf array being filled: buffers of the reader's pool, handed over without a copy. */
#ifndef PMN_FORMAT_PARQUET_OUT_H
#define PMN_FORMAT_PARQUET_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "arrow/buffer.h"
#include "format/parquet/convert.h"
#include "paimon-c/arrow_abi.h"

typedef struct pmn_parquet_out {
    pmn_buffer_pool *pool; /* borrowed */
    pmn_parquet_out_kind kind;
    int32_t width;          /* FIXED */
    int64_t n;
    int64_t n_nulls;
    int64_t capacity;       /* rows that fit */
    pmn_buffer *validity;   /* made at the first null */
    pmn_buffer *values;     /* FIXED and BITS: values; VAR: offsets */
    pmn_buffer *data;       /* VAR */
    int64_t data_size;
    int64_t data_hint;      /* what the last array took */
} pmn_parquet_out;

void pmn_parquet_out_init(pmn_parquet_out *out, pmn_buffer_pool *pool, pmn_parquet_out_kind kind, int32_t width);
void pmn_parquet_out_free(pmn_parquet_out *out);
/* Empty, with room for `rows`. */
paimon_status pmn_parquet_out_begin(pmn_parquet_out *out, int64_t rows, paimon_error *err) PMN_MUST_USE;
/* Room for `more` rows. */
paimon_status pmn_parquet_out_reserve(pmn_parquet_out *out, int64_t more, paimon_error *err) PMN_MUST_USE;
/* VAR: room for `more` bytes. */
paimon_status pmn_parquet_out_reserve_data(pmn_parquet_out *out, int64_t more, paimon_error *err) PMN_MUST_USE;
/* Validity of the next `rows` rows, which are counted by the caller afterwards: bits from bit 0, or NULL for all valid. */
paimon_status pmn_parquet_out_validity(pmn_parquet_out *out, const uint8_t *bits, int64_t rows, int64_t n_valid, paimon_error *err) PMN_MUST_USE;
/* The array; the buffers are moved into it. */
paimon_status pmn_parquet_out_finish(pmn_parquet_out *out, struct ArrowArray *array, paimon_error *err) PMN_MUST_USE;

#endif
