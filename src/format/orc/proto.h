/* Protocol Buffers, reading side: the encoding of ORC's postscript, footers, indexes and statistics.
 *
 *   field    varint: number << 3 | wire type, then the value
 *   VARINT   integers, bools, enums; sint64 as zigzag        FIXED64, FIXED32   little-endian
 *   LENGTH   varint length, bytes: texts, messages, and repeated numbers packed together
 *   GROUP    fields up to the END of the same number: not written any more, passed over
 *
 * Nothing here allocates. The value is read with its field, so a field that nobody asks about is passed over:
 *
 *   pmn_proto p = pmn_proto_of(bytes, "footer", err);
 *   pmn_proto_field f;
 *   while (pmn_proto_left(&p)) {
 *       PMN_TRY(pmn_proto_next(&p, &f));
 *       if (f.id == 1) PMN_TRY(pmn_proto_i64(&p, &f, &out->rows));
 *   }
 */
#ifndef PMN_FORMAT_ORC_PROTO_H
#define PMN_FORMAT_ORC_PROTO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/status.h"

/* Messages and groups inside each other. ORC's own go four deep. */
#define PMN_PROTO_MAX_DEPTH 16

typedef enum pmn_proto_wire {
    PMN_PROTO_VARINT = 0,
    PMN_PROTO_FIXED64 = 1,
    PMN_PROTO_LENGTH = 2,
    PMN_PROTO_GROUP = 3,
    PMN_PROTO_END = 4,
    PMN_PROTO_FIXED32 = 5
} pmn_proto_wire;

typedef struct pmn_proto {
    pmn_cursor cursor;
    const char *what; /* "footer", "row index": for messages */
    paimon_error *err;
    int depth;
} pmn_proto;

typedef struct pmn_proto_field {
    uint32_t id;
    pmn_proto_wire wire;
    uint64_t number; /* VARINT, FIXED64, FIXED32 */
    pmn_slice bytes; /* LENGTH: borrowed */
} pmn_proto_field;

static inline pmn_proto pmn_proto_of(pmn_slice bytes, const char *what, paimon_error *err)
{
    pmn_proto p = { pmn_cursor_of(bytes.data, bytes.size), what, err, 0 };
    return p;
}
static inline bool pmn_proto_left(const pmn_proto *p) { return pmn_cursor_left(&p->cursor) > 0; }

/* PAIMON_CORRUPT with what is read and the byte of it: "footer at byte 12: <format>". */
paimon_status pmn_proto_corrupt(const pmn_proto *p, const char *format, ...) PMN_PRINTF(2, 3);

/* The next field with its value; only while bytes are left. */
paimon_status pmn_proto_next(pmn_proto *p, pmn_proto_field *f) PMN_MUST_USE;
/* Begin to read the message in `f`. */
paimon_status pmn_proto_enter(const pmn_proto *p, const pmn_proto_field *f, const char *what, pmn_proto *out) PMN_MUST_USE;

/* The value of `f`, whose wire type is checked. i64 and i32 take unsigned numbers of the file and refuse those that do not fit; signed ones
 * (int32 of the file) are i32_signed, sint32 and sint64 are zigzag. */
paimon_status pmn_proto_i64(const pmn_proto *p, const pmn_proto_field *f, int64_t *out) PMN_MUST_USE;
paimon_status pmn_proto_i32(const pmn_proto *p, const pmn_proto_field *f, int32_t *out) PMN_MUST_USE;
paimon_status pmn_proto_i32_signed(const pmn_proto *p, const pmn_proto_field *f, int32_t *out) PMN_MUST_USE;
paimon_status pmn_proto_zigzag(const pmn_proto *p, const pmn_proto_field *f, int64_t *out) PMN_MUST_USE;
paimon_status pmn_proto_bool(const pmn_proto *p, const pmn_proto_field *f, bool *out) PMN_MUST_USE;
paimon_status pmn_proto_double(const pmn_proto *p, const pmn_proto_field *f, double *out) PMN_MUST_USE;
paimon_status pmn_proto_bytes(const pmn_proto *p, const pmn_proto_field *f, pmn_slice *out) PMN_MUST_USE; /* data is never NULL */

/* A repeated varint field comes packed or one by one: how many numbers `f` holds, and those (after they were counted, which checks them). */
paimon_status pmn_proto_count(const pmn_proto *p, const pmn_proto_field *f, size_t *n) PMN_MUST_USE;
void pmn_proto_numbers(const pmn_proto_field *f, uint64_t *out);

#endif
