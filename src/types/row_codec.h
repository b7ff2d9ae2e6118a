/* BinaryRow, BinaryArray, BinaryMap: Paimon's rows as bytes. Everything inside is little-endian; frames around a row are
 * big-endian. Spec: BinaryRow.java, BinaryArray.java, AbstractBinaryWriter.java.
 *
 *   row:  [8-bit kind + null bits, padded to 8] [8 bytes a field] [variable part, items padded to 8]
 */
#ifndef PMN_TYPES_ROW_CODEC_H
#define PMN_TYPES_ROW_CODEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/status.h"
#include "paimon-c/arrow_abi.h"
#include "types/datum.h"
#include "types/type.h"

/* A checked view of row bytes (no arity in front): `bytes` are long enough for `arity` fields. */
typedef struct pmn_row_view {
    pmn_slice bytes;
    int32_t arity;
} pmn_row_view;

/* "int32 BE arity + row", as manifests store it. An empty slice is PAIMON_CORRUPT. */
paimon_status pmn_row_parse(pmn_slice serialized, pmn_row_view *out, paimon_error *err) PMN_MUST_USE;
/* Row bytes alone, arity known. */
paimon_status pmn_row_parse_bare(pmn_slice bytes, int32_t arity, pmn_row_view *out, paimon_error *err) PMN_MUST_USE;
static inline size_t pmn_row_header_bytes(int32_t arity) { return (size_t)((arity + 63 + 8) / 64) * 8; }

/* Field `i` as an atomic type; bytes are borrowed from the view. Offsets and lengths are checked: PAIMON_CORRUPT. */
paimon_status pmn_row_get(const pmn_row_view *row, int32_t i, const pmn_type *type, pmn_datum *out, paimon_error *err) PMN_MUST_USE;
bool pmn_row_is_null(const pmn_row_view *row, int32_t i);
/* All fields of an atomic-only row type; row.arity must equal type->n_fields. */
paimon_status pmn_row_get_all(const pmn_row_view *row, const pmn_type *row_type, pmn_datum *out, paimon_error *err) PMN_MUST_USE;

/* Append the row of `values` (atomic types) without / with the BE arity in front. */
paimon_status pmn_row_write(pmn_buf *out, const pmn_type *row_type, const pmn_datum *values, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_row_write_serialized(pmn_buf *out, const pmn_type *row_type, const pmn_datum *values, paimon_error *err) PMN_MUST_USE;

/* Any type, nested ones included, from row `row` of a struct array whose children are the fields of `row_type` in order; and the
 * way back: `n` rows into one struct array. */
paimon_status pmn_row_from_arrow(pmn_buf *out, const pmn_type *row_type, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                 int64_t row, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_rows_to_arrow(struct pmn_buffer_pool *pool, const pmn_type *row_type, const pmn_row_view *rows, int64_t n,
                                struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;

/* hashCode of the row bytes (no arity). */
int32_t pmn_row_hash(pmn_slice row_bytes);

#endif
