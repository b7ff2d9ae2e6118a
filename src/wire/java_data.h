/* Java's DataOutput and DataInput: what stands between the rows of a split or a message. Numbers are big-endian, texts are "modified
 * UTF-8" behind a 16-bit length. */
#ifndef PMN_WIRE_JAVA_DATA_H
#define PMN_WIRE_JAVA_DATA_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/cursor.h"
#include "base/status.h"

/* Writing appends. */
paimon_status pmn_java_put_byte(pmn_buf *out, uint8_t value, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_java_put_bool(pmn_buf *out, bool value, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_java_put_int(pmn_buf *out, int32_t value, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_java_put_long(pmn_buf *out, int64_t value, paimon_error *err) PMN_MUST_USE;
/* writeUTF. PAIMON_INVALID for a text of more than 65535 bytes in that form. */
paimon_status pmn_java_put_utf(pmn_buf *out, const char *text, paimon_error *err) PMN_MUST_USE;
/* int32 length and the bytes. */
paimon_status pmn_java_put_framed(pmn_buf *out, pmn_slice bytes, paimon_error *err) PMN_MUST_USE;

/* Reading: PAIMON_CORRUPT names `what` and the place if the bytes end before. A reader knows where it is for messages. */
typedef struct pmn_java_input {
    pmn_cursor c;
    paimon_error *err;
} pmn_java_input;

static inline pmn_java_input pmn_java_input_of(pmn_slice bytes, paimon_error *err)
{
    pmn_java_input in = { pmn_cursor_of(bytes.data, bytes.size), err };
    return in;
}
paimon_status pmn_java_get_bool(pmn_java_input *in, const char *what, bool *out) PMN_MUST_USE; /* another byte than 0 and 1 is PAIMON_CORRUPT */
paimon_status pmn_java_get_int(pmn_java_input *in, const char *what, int32_t *out) PMN_MUST_USE;
paimon_status pmn_java_get_long(pmn_java_input *in, const char *what, int64_t *out) PMN_MUST_USE;
/* How many things follow, each of `least` bytes or more: checked against the bytes that are left. */
paimon_status pmn_java_get_count(pmn_java_input *in, const char *what, size_t least, int32_t *out) PMN_MUST_USE;
/* readUTF, as UTF-8 in the arena. */
paimon_status pmn_java_get_utf(pmn_java_input *in, const char *what, pmn_arena *arena, const char **out) PMN_MUST_USE;
/* int32 length and that many bytes, borrowed. */
paimon_status pmn_java_get_framed(pmn_java_input *in, const char *what, pmn_slice *out) PMN_MUST_USE;
/* The same as a text in the arena: PAIMON_CORRUPT if there is a zero byte in it. */
paimon_status pmn_java_get_framed_text(pmn_java_input *in, const char *what, pmn_arena *arena, const char **out) PMN_MUST_USE;
/* A row as partitions are sent: int32 length, then "int32 arity and row", which is what comes out. Its slots are inside. */
paimon_status pmn_java_get_row(pmn_java_input *in, const char *what, pmn_slice *out) PMN_MUST_USE;
/* PAIMON_CORRUPT if something is left behind the end. */
paimon_status pmn_java_end(pmn_java_input *in, const char *what) PMN_MUST_USE;

#endif
