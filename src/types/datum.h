/* One value of an atomic Paimon type: literals of predicates, bounds of statistics, fields of a BinaryRow. */
#ifndef PMN_TYPES_DATUM_H
#define PMN_TYPES_DATUM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/decimal.h"
#include "base/status.h"
#include "types/type.h"

typedef struct pmn_timestamp {
    int64_t millis;         /* since 1970-01-01T00:00, floor */
    int32_t nanos_of_milli; /* 0 … 999999 */
} pmn_timestamp;

/* In the Arrow unit of a precision (0: s, 1–3: ms, 4–6: µs, 7–9: ns); finer digits are cut. False past 64 bits. */
bool pmn_timestamp_in_unit(pmn_timestamp ts, int32_t precision, int64_t *out);

/* Which member holds the value follows from the type: BOOLEAN, TINYINT … BIGINT, DATE (days), TIME (ms of day): i.
 * FLOAT: f. DOUBLE: d. DECIMAL: dec (unscaled, in the type's scale). TIMESTAMP(_LTZ): ts. CHAR, VARCHAR, BINARY,
 * VARBINARY, BLOB: bytes (borrowed). */
typedef struct pmn_datum {
    bool is_null;
    union {
        int64_t i;
        float f;
        double d;
        pmn_i128 dec;
        pmn_timestamp ts;
        pmn_slice bytes;
    } v;
} pmn_datum;

/* Does v.bytes hold values of this type? */
static inline bool pmn_datum_has_bytes(const pmn_type *type)
{
    return pmn_type_is_text(type) || pmn_type_is_bytes(type) || type->kind == PMN_BLOB;
}

/* Order of two non-null values of the same type, as Java compares them: bytes unsigned, floats by Float.compare (-0.0 below
 * 0.0, NaN greatest). CHAR is compared without trailing blanks. Negative, 0, positive. */
int pmn_datum_compare(const pmn_type *type, const pmn_datum *a, const pmn_datum *b);

/* Equality as predicates and Java's equals see it: like compare == 0. */
static inline bool pmn_datum_equal(const pmn_type *type, const pmn_datum *a, const pmn_datum *b)
{
    return pmn_datum_compare(type, a, b) == 0;
}
bool pmn_datum_is_nan(const pmn_type *type, const pmn_datum *a);

/* Copy with its bytes into the arena. */
paimon_status pmn_datum_copy(pmn_arena *arena, const pmn_type *type, const pmn_datum *from, pmn_datum *to, paimon_error *err) PMN_MUST_USE;

/* A value from its text as a user writes it ('2024-01-01', '1.50', 'TRUE', a number), strict: trailing junk, a value that does
 * not fit, or lost digits are PAIMON_INVALID. Bytes come from hex. Strings are copied into the arena. */
paimon_status pmn_datum_parse(pmn_arena *arena, const pmn_type *type, pmn_slice text, pmn_datum *out, paimon_error *err) PMN_MUST_USE;

/* The text of partition directories and of people: cast-to-string rules of Java (`legacy` false), or Java's toString
 * (`legacy` true: DATE as day number …). Only atomic types; never called with a null. */
paimon_status pmn_datum_print(const pmn_type *type, const pmn_datum *value, bool legacy, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* The value in row `row` of an Arrow array of the Arrow type that spec 21 gives `type` (also large and view strings,
 * dictionary). Borrowed from the array. */
paimon_status pmn_datum_from_arrow(const pmn_type *type, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                   int64_t row, pmn_datum *out, paimon_error *err) PMN_MUST_USE;

/* One row of Arrow made of one value (null allowed), for constant columns. */
struct pmn_buffer_pool;
paimon_status pmn_datum_to_arrow(struct pmn_buffer_pool *pool, const pmn_type *type, const pmn_datum *value, int64_t length,
                                 struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;

#endif
