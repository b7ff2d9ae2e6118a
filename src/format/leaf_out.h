/* One Arrow leaf array being filled: buffers of the reader's pool, handed over without a copy.
 *
 * Whoever fills it asks for room, writes values behind `n` (offsets and bytes behind `data_size`), tells their validity and then counts them:
 * `n` and `data_size` are his to move. */
#ifndef PMN_FORMAT_LEAF_OUT_H
#define PMN_FORMAT_LEAF_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "arrow/buffer.h"
#include "paimon-c/arrow_abi.h"

typedef enum pmn_leaf_kind {
    PMN_LEAF_FIXED, /* `width` bytes a value */
    PMN_LEAF_BITS,  /* booleans */
    PMN_LEAF_VAR32, /* offsets of 32 bits and bytes */
    PMN_LEAF_VAR64,
    PMN_LEAF_NULL   /* Arrow's null type: no buffers */
} pmn_leaf_kind;

typedef struct pmn_leaf_out {
    pmn_buffer_pool *pool; /* borrowed */
    pmn_leaf_kind kind;
    int32_t width;          /* FIXED */
    int64_t n;
    int64_t n_nulls;
    int64_t capacity;       /* rows that fit */
    pmn_buffer *validity;   /* made at the first null */
    pmn_buffer *values;     /* FIXED and BITS: values; VAR: offsets */
    pmn_buffer *data;       /* VAR */
    int64_t data_size;
    int64_t data_hint;      /* what the last array took */
} pmn_leaf_out;

void pmn_leaf_out_init(pmn_leaf_out *out, pmn_buffer_pool *pool, pmn_leaf_kind kind, int32_t width);
void pmn_leaf_out_free(pmn_leaf_out *out);
/* Empty, with room for `rows`. */
paimon_status pmn_leaf_out_begin(pmn_leaf_out *out, int64_t rows, paimon_error *err) PMN_MUST_USE;
/* Room for `more` rows. */
paimon_status pmn_leaf_out_reserve(pmn_leaf_out *out, int64_t more, paimon_error *err) PMN_MUST_USE;
/* VAR: room for `more` bytes. */
paimon_status pmn_leaf_out_reserve_data(pmn_leaf_out *out, int64_t more, paimon_error *err) PMN_MUST_USE;
/* Validity of the next `rows` rows, which are counted by the caller afterwards: bits from bit 0, or NULL for all valid. */
paimon_status pmn_leaf_out_validity(pmn_leaf_out *out, const uint8_t *bits, int64_t rows, int64_t n_valid, paimon_error *err) PMN_MUST_USE;
/* The array; the buffers are moved into it. */
paimon_status pmn_leaf_out_finish(pmn_leaf_out *out, struct ArrowArray *array, paimon_error *err) PMN_MUST_USE;

/* A private buffer of at least `size` bytes and 64 of slack; what was in it is lost unless `keep`. */
paimon_status pmn_scratch(pmn_mem *mem, uint8_t **buffer, size_t *capacity, size_t size, bool keep, paimon_error *err) PMN_MUST_USE;

#endif
