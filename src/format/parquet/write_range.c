#include "format/parquet/write_range.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

void pmn_pqw_range_init(pmn_pqw_range *r, pmn_mem *mem)
{
    memset(r, 0, sizeof *r);
    pmn_buf_init(&r->low, mem, PMN_BUF_NO_CEILING);
    pmn_buf_init(&r->high, mem, PMN_BUF_NO_CEILING);
}

void pmn_pqw_range_free(pmn_pqw_range *r)
{
    pmn_buf_free(&r->low);
    pmn_buf_free(&r->high);
}

void pmn_pqw_range_clear(pmn_pqw_range *r)
{
    r->any = r->nan = false;
    pmn_buf_clear(&r->low);
    pmn_buf_clear(&r->high);
}

/* ---- numbers ---- */

#define RANGE_OF_INTEGERS(name, type)                                                                                    \
    static void name(pmn_pqw_range *r, const type *values, int64_t n)                                                    \
    {                                                                                                                    \
        type low = values[0], high = values[0];                                                                          \
        for (int64_t k = 1; k < n; k++) {                                                                                \
            low = values[k] < low ? values[k] : low;                                                                     \
            high = values[k] > high ? values[k] : high;                                                                  \
        }                                                                                                                \
        if (!r->any || low < r->min.i) r->min.i = low;                                                                   \
        if (!r->any || high > r->max.i) r->max.i = high;                                                                 \
    }
RANGE_OF_INTEGERS(add_bytes_of_bool, uint8_t)
RANGE_OF_INTEGERS(add_int32, int32_t)
RANGE_OF_INTEGERS(add_int64, int64_t)
#undef RANGE_OF_INTEGERS

#define RANGE_OF_FLOATS(name, type)                                                                                      \
    static void name(pmn_pqw_range *r, const type *values, int64_t n)                                                    \
    {                                                                                                                    \
        type low = (type)INFINITY, high = -(type)INFINITY;                                                               \
        bool nan = false;                                                                                                \
        for (int64_t k = 0; k < n; k++) {                                                                                \
            low = values[k] < low ? values[k] : low;                                                                     \
            high = values[k] > high ? values[k] : high;                                                                  \
            nan |= values[k] != values[k];                                                                               \
        }                                                                                                                \
        r->nan |= nan;                                                                                                   \
        if (!r->any || (double)low < r->min.f) r->min.f = (double)low;                                                   \
        if (!r->any || (double)high > r->max.f) r->max.f = (double)high;                                                 \
    }
RANGE_OF_FLOATS(add_float, float)
RANGE_OF_FLOATS(add_double, double)
#undef RANGE_OF_FLOATS

static void add_int128(pmn_pqw_range *r, const uint8_t *values, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        pmn_i128 v;
        memcpy(&v, values + k * 16, 16);
        if (!r->any || v < r->min.d) r->min.d = v;
        if (!r->any || v > r->max.d) r->max.d = v;
        r->any = true;
    }
}

void pmn_pqw_range_add_fixed(pmn_pqw_range *r, const pmn_pqw_leaf *leaf, const void *values, int64_t n)
{
    switch (leaf->physical) {
    case PMN_PQ_BOOLEAN: add_bytes_of_bool(r, (const uint8_t *)values, n); break;
    case PMN_PQ_INT32: add_int32(r, (const int32_t *)values, n); break;
    case PMN_PQ_INT64: add_int64(r, (const int64_t *)values, n); break;
    case PMN_PQ_FLOAT: add_float(r, (const float *)values, n); break;
    case PMN_PQ_DOUBLE: add_double(r, (const double *)values, n); break;
    case PMN_PQ_FIXED: add_int128(r, (const uint8_t *)values, n); break;
    default: break;
    }
    r->any = true;
}

/* ---- byte strings ---- */

/* The first eight bytes as a number, zeros behind shorter ones: where two differ, they order the strings. */
PMN_INLINE uint64_t prefix_of(pmn_slice s)
{
    if (PMN_LIKELY(s.size >= 8)) return pmn_load_be64(s.data);
    uint64_t prefix = 0;
    for (size_t i = 0; i < s.size; i++) prefix |= (uint64_t)s.data[i] << (56 - 8 * i);
    return prefix;
}

static paimon_status keep_bytes(pmn_buf *to, pmn_slice value, paimon_error *err)
{
    pmn_buf_clear(to);
    return pmn_buf_append(to, value.data, value.size, err);
}

static pmn_slice slice_of_buf(const pmn_buf *buf) { return pmn_slice_of(buf->data, buf->size); }

static paimon_status widen_bytes(pmn_pqw_range *r, pmn_slice low, pmn_slice high, paimon_error *err)
{
    if (!r->any || pmn_slice_compare(low, slice_of_buf(&r->low)) < 0) PMN_TRY(keep_bytes(&r->low, low, err));
    if (!r->any || pmn_slice_compare(high, slice_of_buf(&r->high)) > 0) PMN_TRY(keep_bytes(&r->high, high, err));
    r->any = true;
    return PAIMON_OK;
}

paimon_status pmn_pqw_range_add_bytes(pmn_pqw_range *r, const pmn_slice *values, int64_t n, paimon_error *err)
{
    pmn_slice low = values[0], high = values[0];
    uint64_t low_prefix = prefix_of(low), high_prefix = low_prefix;
    for (int64_t i = 1; i < n; i++) {
        uint64_t prefix = prefix_of(values[i]);
        if (PMN_UNLIKELY(prefix <= low_prefix) && (prefix < low_prefix || pmn_slice_compare(values[i], low) < 0)) {
            low = values[i];
            low_prefix = prefix;
        }
        if (PMN_UNLIKELY(prefix >= high_prefix) && (prefix > high_prefix || pmn_slice_compare(values[i], high) > 0)) {
            high = values[i];
            high_prefix = prefix;
        }
    }
    return widen_bytes(r, low, high, err);
}

/* ---- all ---- */

paimon_status pmn_pqw_range_merge(pmn_pqw_range *r, const pmn_pqw_leaf *leaf, const pmn_pqw_range *other, paimon_error *err)
{
    if (!other->any) return PAIMON_OK;
    r->nan |= other->nan;
    switch (leaf->physical) {
    case PMN_PQ_BYTE_ARRAY: return widen_bytes(r, slice_of_buf(&other->low), slice_of_buf(&other->high), err);
    case PMN_PQ_FLOAT:
    case PMN_PQ_DOUBLE:
        if (!r->any || other->min.f < r->min.f) r->min.f = other->min.f;
        if (!r->any || other->max.f > r->max.f) r->max.f = other->max.f;
        break;
    case PMN_PQ_FIXED:
        if (!r->any || other->min.d < r->min.d) r->min.d = other->min.d;
        if (!r->any || other->max.d > r->max.d) r->max.d = other->max.d;
        break;
    default:
        if (!r->any || other->min.i < r->min.i) r->min.i = other->min.i;
        if (!r->any || other->max.i > r->max.i) r->max.i = other->max.i;
        break;
    }
    r->any = true;
    return PAIMON_OK;
}

bool pmn_pqw_range_known(const pmn_pqw_range *r, const pmn_pqw_leaf *leaf)
{
    return r->any && !r->nan && leaf->physical != PMN_PQ_INT96;
}

static double signed_zero(double value, bool max)
{
    return value != 0 ? value : max ? 0.0 : -0.0;
}

static void store_bits(uint8_t *to, double value, bool is_float)
{
    uint64_t bits;
    uint32_t narrow;
    float f = (float)value;
    memcpy(&bits, &value, 8);
    memcpy(&narrow, &f, 4);
    if (is_float) pmn_store_le32(to, narrow);
    else pmn_store_le64(to, bits);
}

pmn_slice pmn_pqw_range_bound(const pmn_pqw_range *r, const pmn_pqw_leaf *leaf, bool max, uint8_t space[16])
{
    const pmn_pqw_number *v = max ? &r->max : &r->min;
    switch (leaf->physical) {
    case PMN_PQ_BYTE_ARRAY: return slice_of_buf(max ? &r->high : &r->low);
    case PMN_PQ_BOOLEAN: space[0] = (uint8_t)v->i; return pmn_slice_of(space, 1);
    case PMN_PQ_INT32: pmn_store_le32(space, (uint32_t)v->i); return pmn_slice_of(space, 4);
    case PMN_PQ_FLOAT: store_bits(space, signed_zero(v->f, max), true); return pmn_slice_of(space, 4);
    case PMN_PQ_DOUBLE: store_bits(space, signed_zero(v->f, max), false); return pmn_slice_of(space, 8);
    case PMN_PQ_FIXED:
        for (int i = 0; i < leaf->type_length; i++) space[leaf->type_length - 1 - i] = (uint8_t)(v->d >> (8 * i));
        return pmn_slice_of(space, (size_t)leaf->type_length);
    default: pmn_store_le64(space, (uint64_t)v->i); return pmn_slice_of(space, 8);
    }
}

static pmn_timestamp timestamp_of(int64_t value, int32_t precision)
{
    pmn_timestamp ts = { value, 0 };
    if (precision <= 3) return ts;
    int64_t micros = value % 1000;
    if (micros < 0) micros += 1000;
    ts.millis = (value - micros) / 1000;
    ts.nanos_of_milli = (int32_t)micros * 1000;
    return ts;
}

pmn_datum pmn_pqw_range_datum(const pmn_pqw_range *r, const pmn_pqw_leaf *leaf, bool max)
{
    const pmn_pqw_number *v = max ? &r->max : &r->min;
    pmn_datum datum = { .is_null = !pmn_pqw_range_known(r, leaf) };
    if (datum.is_null) return datum;
    switch (leaf->type->kind) {
    case PMN_FLOAT: datum.v.f = (float)signed_zero(v->f, max); break;
    case PMN_DOUBLE: datum.v.d = signed_zero(v->f, max); break;
    case PMN_DECIMAL: datum.v.dec = leaf->physical == PMN_PQ_FIXED ? v->d : (pmn_i128)v->i; break;
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: datum.v.ts = timestamp_of(v->i, leaf->type->length); break;
    case PMN_CHAR:
    case PMN_VARCHAR:
    case PMN_BINARY:
    case PMN_VARBINARY: datum.v.bytes = slice_of_buf(max ? &r->high : &r->low); break;
    case PMN_BLOB: datum.is_null = true; break; /* has no order */
    default: datum.v.i = v->i; break;
    }
    return datum;
}

/* ---- cutting ---- */

static paimon_status raise_bytes(pmn_buf *out, pmn_slice value, size_t n, paimon_error *err)
{
    while (n > 0 && value.data[n - 1] == 0xff) n--;
    if (n == 0) return pmn_buf_append(out, value.data, value.size, err);
    PMN_TRY(pmn_buf_append(out, value.data, n, err));
    out->data[out->size - 1]++;
    return PAIMON_OK;
}

/* The last character that has a next one is replaced by it. Surrogates are no characters. */
static paimon_status raise_text(pmn_buf *out, pmn_slice value, size_t n, paimon_error *err)
{
    while (n > 0) {
        size_t start = n - 1, at;
        while (start > 0 && (value.data[start] & 0xc0) == 0x80) start--;
        at = start;
        uint32_t next = pmn_utf8_next(pmn_slice_of(value.data, n), &at) + 1;
        n = start;
        if (next > 0x10ffff) continue;
        uint8_t bytes[4];
        size_t size = pmn_utf8_encode(next == 0xd800 ? 0xe000 : next, bytes);
        PMN_TRY(pmn_buf_append(out, value.data, n, err));
        return pmn_buf_append(out, bytes, size, err);
    }
    return pmn_buf_append(out, value.data, value.size, err);
}

paimon_status pmn_pqw_cut_bound(pmn_buf *out, pmn_slice value, bool is_text, bool max, size_t limit, paimon_error *err)
{
    size_t n = limit;
    if (value.size <= limit) return pmn_buf_append(out, value.data, value.size, err);
    is_text = is_text && pmn_utf8_valid(value);
    while (is_text && n > 0 && (value.data[n] & 0xc0) == 0x80) n--;
    if (!max) return pmn_buf_append(out, value.data, n, err);
    return is_text ? raise_text(out, value, n, err) : raise_bytes(out, value, n, err);
}
