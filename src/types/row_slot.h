/* Slots and containers of BinaryRow and BinaryArray: what rows and arrays have in common. For src/types, and for rows of a fixed layout above.
 *
 * A container is a run of bytes with null bits, slots, and a variable part. Offsets in slots count from the container's start. A slot is
 * 8 bytes in a row, 1, 2, 4 or 8 in an array; which of them hold a value is the same.
 *
 *   offset and size:  int32 LE size (or nanos of a timestamp) | int32 LE offset
 *   up to 7 bytes:    the bytes, zeros, 0x80 | length
 */
#ifndef PMN_TYPES_ROW_SLOT_H
#define PMN_TYPES_ROW_SLOT_H

#include "base/buf.h"
#include "types/datum.h"

#define PMN_COMPACT_DECIMAL 18  /* precision up to which the unscaled value is a long in the slot */
#define PMN_COMPACT_TIMESTAMP 3 /* precision up to which the milliseconds are the slot */

/* Bytes of a slot in an array. */
size_t pmn_row_slot_width(const pmn_type *type);

/* An atomic value whose null bit is not set. `slot` is within the container with its width (checked by the caller). */
paimon_status pmn_row_slot_read(pmn_slice container, size_t slot, const pmn_type *type, pmn_datum *out, paimon_error *err) PMN_MUST_USE;
/* The bytes of a text or a nested value. */
paimon_status pmn_row_slot_bytes(pmn_slice container, size_t slot, pmn_slice *out, paimon_error *err) PMN_MUST_USE;

/* A container being written at the end of `out`. */
typedef struct pmn_row_slot_writer {
    pmn_buf *out;
    size_t start;     /* of the container in out->data */
    size_t null_bits; /* byte of the null bits behind start */
    int32_t first_bit; /* 8 in a row, whose first byte is the row kind */
    size_t slots;     /* behind start */
    size_t width;     /* of a slot */
    bool is_array;
} pmn_row_slot_writer;

/* Append zeroed null bits and slots. */
paimon_status pmn_row_slot_begin_row(pmn_row_slot_writer *w, pmn_buf *out, int32_t arity, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_row_slot_begin_array(pmn_row_slot_writer *w, pmn_buf *out, int32_t n, size_t width, paimon_error *err) PMN_MUST_USE;
/* Field or element `i`, null or not, atomic. */
paimon_status pmn_row_slot_write(pmn_row_slot_writer *w, int32_t i, const pmn_type *type, const pmn_datum *value, paimon_error *err) PMN_MUST_USE;
/* A nested value: what is appended to `out` between the two calls. `pmn_row_slot_end_nested` pads it; `size` < 0: all that was appended. */
size_t pmn_row_slot_begin_nested(const pmn_row_slot_writer *w);
paimon_status pmn_row_slot_end_nested(pmn_row_slot_writer *w, int32_t i, size_t begun, int64_t size, paimon_error *err) PMN_MUST_USE;
void pmn_row_slot_set_null(pmn_row_slot_writer *w, int32_t i);

#endif
