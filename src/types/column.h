/* Columns made value by value: from rows, from literals, from foreign Arrow layouts. They come out in the canonical Arrow type of their
 * Paimon type. Where whole buffers can be moved instead, do that: this is the slow and general way.
 *
 *      ARRAY, MAP, MULTISET:  append elements to parts (key and value for the latter two), then pmn_column_close
 *      VECTOR:                append exactly `length` elements to parts[0], then pmn_column_close
 *      ROW, VARIANT:          append one value to each part, then pmn_column_close
 */
#ifndef PMN_TYPES_COLUMN_H
#define PMN_TYPES_COLUMN_H

#include "arrow/buffer.h"
#include "types/datum.h"

typedef struct pmn_column {
    const pmn_type *type;
    pmn_buffer_pool *pool; /* borrowed */
    int64_t length;
    int64_t n_nulls;
    pmn_buffer *validity; /* made at the first null */
    pmn_buffer *values;   /* values, or offsets */
    pmn_buffer *data;     /* bytes of texts */
    int64_t n_data;
    struct pmn_column *parts;
    int32_t n_parts;
} pmn_column;

/* `type` must live as long as the column. On failure nothing is owned. */
paimon_status pmn_column_init(pmn_column *c, pmn_buffer_pool *pool, const pmn_type *type, paimon_error *err) PMN_MUST_USE;
void pmn_column_free(pmn_column *c); /* a finished or zeroed one, too */

/* An atomic value; null allowed. PAIMON_UNSUPPORTED for a timestamp that its Arrow unit cannot hold. */
paimon_status pmn_column_append(pmn_column *c, const pmn_datum *value, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_column_append_null(pmn_column *c, paimon_error *err) PMN_MUST_USE; /* of any type */
paimon_status pmn_column_close(pmn_column *c, paimon_error *err) PMN_MUST_USE;       /* the next nested value is complete */

/* Hand the buffers over; the column is as after pmn_column_free. */
paimon_status pmn_column_finish(pmn_column *c, struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;

#endif
