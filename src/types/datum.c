/* One value: order, copies. */
#include "types/datum.h"

#include <string.h>

static int order_i64(int64_t a, int64_t b) { return (a > b) - (a < b); }

/* Double.compare: by value, then -0.0 below 0.0; all NaN are equal and greatest. */
static int order_double(double a, double b)
{
    if (a < b) return -1;
    if (a > b) return 1;
    bool a_nan = a != a, b_nan = b != b;
    if (a_nan || b_nan) return (int)a_nan - (int)b_nan;
    uint64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return (int)(y >> 63) - (int)(x >> 63); /* equal values: only zeros differ in sign */
}

static pmn_slice without_blanks(pmn_slice text)
{
    while (text.size && text.data[text.size - 1] == ' ') text.size--;
    return text;
}

int pmn_datum_compare(const pmn_type *type, const pmn_datum *a, const pmn_datum *b)
{
    switch (type->kind) {
    case PMN_FLOAT: return order_double((double)a->v.f, (double)b->v.f);
    case PMN_DOUBLE: return order_double(a->v.d, b->v.d);
    case PMN_DECIMAL: return (a->v.dec > b->v.dec) - (a->v.dec < b->v.dec);
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: {
        int c = order_i64(a->v.ts.millis, b->v.ts.millis);
        return c ? c : order_i64(a->v.ts.nanos_of_milli, b->v.ts.nanos_of_milli);
    }
    case PMN_CHAR: return pmn_slice_compare(without_blanks(a->v.bytes), without_blanks(b->v.bytes));
    case PMN_VARCHAR:
    case PMN_BINARY:
    case PMN_VARBINARY:
    case PMN_BLOB: return pmn_slice_compare(a->v.bytes, b->v.bytes);
    default: return order_i64(a->v.i, b->v.i);
    }
}

bool pmn_datum_is_nan(const pmn_type *type, const pmn_datum *a)
{
    if (a->is_null) return false;
    if (type->kind == PMN_FLOAT) return a->v.f != a->v.f;
    return type->kind == PMN_DOUBLE && a->v.d != a->v.d;
}

paimon_status pmn_datum_copy(pmn_arena *arena, const pmn_type *type, const pmn_datum *from, pmn_datum *to, paimon_error *err)
{
    *to = *from;
    if (from->is_null || !pmn_datum_has_bytes(type)) return PAIMON_OK;
    to->v.bytes.data = pmn_arena_copy(arena, from->v.bytes.size ? from->v.bytes.data : (const uint8_t *)"", from->v.bytes.size);
    return to->v.bytes.data ? PAIMON_OK : pmn_fail_nomem(err, "value");
}
