/* BinaryRow, writing. Hashes and buckets are made of these bytes, so unused ones are zero and the nulls of wide decimals and timestamps
 * keep the room that Java's writer leaves for them (in rows; not in arrays). */
#include <string.h>

#include "types/row_codec.h"
#include "types/row_slot.h"

static paimon_status append_zeros(pmn_buf *out, size_t n, paimon_error *err)
{
    if (n == 0) return PAIMON_OK;
    PMN_TRY(pmn_buf_reserve(out, n, err));
    memset(out->data + out->size, 0, n);
    out->size += n;
    return PAIMON_OK;
}

/* Items end on a multiple of 8 bytes from the container's start, which may itself lie anywhere. */
static paimon_status pad(pmn_row_slot_writer *w, paimon_error *err)
{
    size_t rest = (w->out->size - w->start) % 8;
    return rest ? append_zeros(w->out, 8 - rest, err) : PAIMON_OK;
}

paimon_status pmn_row_slot_begin_row(pmn_row_slot_writer *w, pmn_buf *out, int32_t arity, paimon_error *err)
{
    *w = (pmn_row_slot_writer){ out, out->size, 0, 8, pmn_row_header_bytes(arity), 8, false };
    return append_zeros(out, w->slots + 8 * (size_t)arity, err);
}

paimon_status pmn_row_slot_begin_array(pmn_row_slot_writer *w, pmn_buf *out, int32_t n, size_t width, paimon_error *err)
{
    size_t bits = ((size_t)n + 31) / 32 * 4;
    *w = (pmn_row_slot_writer){ out, out->size, 4, 0, 4 + bits, width, true };
    PMN_TRY(append_zeros(out, w->slots + width * (size_t)n, err));
    pmn_store_le32(out->data + w->start, (uint32_t)n);
    return pad(w, err);
}

static uint8_t *slot_at(pmn_row_slot_writer *w, int32_t i) { return w->out->data + w->start + w->slots + w->width * (size_t)i; }

void pmn_row_slot_set_null(pmn_row_slot_writer *w, int32_t i)
{
    size_t bit = (size_t)w->first_bit + (size_t)i;
    w->out->data[w->start + w->null_bits + bit / 8] |= (uint8_t)(1u << bit % 8);
}

size_t pmn_row_slot_begin_nested(const pmn_row_slot_writer *w) { return w->out->size; }

static paimon_status point_to(pmn_row_slot_writer *w, int32_t i, size_t begun, uint32_t low, paimon_error *err)
{
    size_t offset = begun - w->start;
    if (offset > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "a row of more than 2 GB");
    pmn_store_le32(slot_at(w, i), low);
    pmn_store_le32(slot_at(w, i) + 4, (uint32_t)offset);
    return PAIMON_OK;
}

paimon_status pmn_row_slot_end_nested(pmn_row_slot_writer *w, int32_t i, size_t begun, int64_t size, paimon_error *err)
{
    if (size < 0) size = (int64_t)(w->out->size - begun);
    if (size > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "a row of more than 2 GB");
    PMN_TRY(pad(w, err));
    return point_to(w, i, begun, (uint32_t)size, err);
}

static paimon_status write_bytes(pmn_row_slot_writer *w, int32_t i, pmn_slice bytes, paimon_error *err)
{
    if (bytes.size <= 7) {
        uint8_t *p = slot_at(w, i);
        if (bytes.size) memcpy(p, bytes.data, bytes.size);
        p[7] = (uint8_t)(0x80 | bytes.size);
        return PAIMON_OK;
    }
    size_t begun = pmn_row_slot_begin_nested(w);
    PMN_TRY(pmn_buf_append(w->out, bytes.data, bytes.size, err));
    return pmn_row_slot_end_nested(w, i, begun, -1, err);
}

static paimon_status write_decimal(pmn_row_slot_writer *w, int32_t i, const pmn_type *type, pmn_i128 value, paimon_error *err)
{
    if (type->length <= PMN_COMPACT_DECIMAL) {
        pmn_store_le64(slot_at(w, i), (uint64_t)(int64_t)value);
        return PAIMON_OK;
    }
    uint8_t item[16] = { 0 };
    size_t begun = pmn_row_slot_begin_nested(w), n = pmn_i128_to_be(value, item);
    PMN_TRY(pmn_buf_append(w->out, item, sizeof item, err));
    return point_to(w, i, begun, (uint32_t)n, err);
}

static paimon_status write_timestamp(pmn_row_slot_writer *w, int32_t i, const pmn_type *type, pmn_timestamp ts, paimon_error *err)
{
    if (type->length <= PMN_COMPACT_TIMESTAMP) {
        pmn_store_le64(slot_at(w, i), (uint64_t)ts.millis);
        return PAIMON_OK;
    }
    uint8_t item[8];
    size_t begun = pmn_row_slot_begin_nested(w);
    pmn_store_le64(item, (uint64_t)ts.millis);
    PMN_TRY(pmn_buf_append(w->out, item, sizeof item, err));
    return point_to(w, i, begun, (uint32_t)ts.nanos_of_milli, err);
}

static paimon_status write_null(pmn_row_slot_writer *w, int32_t i, const pmn_type *type, paimon_error *err)
{
    pmn_row_slot_set_null(w, i);
    bool wide_decimal = type->kind == PMN_DECIMAL && type->length > PMN_COMPACT_DECIMAL;
    bool wide_timestamp = (type->kind == PMN_TIMESTAMP || type->kind == PMN_TIMESTAMP_LTZ) && type->length > PMN_COMPACT_TIMESTAMP;
    if (w->is_array || (!wide_decimal && !wide_timestamp)) return PAIMON_OK;
    size_t begun = pmn_row_slot_begin_nested(w);
    PMN_TRY(append_zeros(w->out, wide_decimal ? 16 : 8, err));
    return point_to(w, i, begun, 0, err);
}

static uint32_t bits_of_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

paimon_status pmn_row_slot_write(pmn_row_slot_writer *w, int32_t i, const pmn_type *type, const pmn_datum *value, paimon_error *err)
{
    if (value->is_null) return write_null(w, i, type, err);
    switch (type->kind) {
    case PMN_BOOLEAN: *slot_at(w, i) = value->v.i != 0; return PAIMON_OK;
    case PMN_TINYINT: *slot_at(w, i) = (uint8_t)value->v.i; return PAIMON_OK;
    case PMN_SMALLINT: pmn_store_le16(slot_at(w, i), (uint16_t)value->v.i); return PAIMON_OK;
    case PMN_INT:
    case PMN_DATE:
    case PMN_TIME: pmn_store_le32(slot_at(w, i), (uint32_t)value->v.i); return PAIMON_OK;
    case PMN_BIGINT: pmn_store_le64(slot_at(w, i), (uint64_t)value->v.i); return PAIMON_OK;
    case PMN_FLOAT: pmn_store_le32(slot_at(w, i), bits_of_float(value->v.f)); return PAIMON_OK;
    case PMN_DOUBLE: pmn_store_le64(slot_at(w, i), bits_of_double(value->v.d)); return PAIMON_OK;
    case PMN_DECIMAL: return write_decimal(w, i, type, value->v.dec, err);
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: return write_timestamp(w, i, type, value->v.ts, err);
    case PMN_CHAR:
    case PMN_VARCHAR:
    case PMN_BINARY:
    case PMN_VARBINARY:
    case PMN_BLOB: return write_bytes(w, i, value->v.bytes, err);
    default: return pmn_fail(err, PAIMON_UNSUPPORTED, "a %s value as one value of a row", pmn_type_kind_name(type->kind));
    }
}

paimon_status pmn_row_write(pmn_buf *out, const pmn_type *row_type, const pmn_datum *values, paimon_error *err)
{
    pmn_row_slot_writer w;
    PMN_TRY(pmn_row_slot_begin_row(&w, out, row_type->n_fields, err));
    for (int32_t i = 0; i < row_type->n_fields; i++) PMN_TRY(pmn_row_slot_write(&w, i, row_type->fields[i].type, &values[i], err));
    return PAIMON_OK;
}

paimon_status pmn_row_write_serialized(pmn_buf *out, const pmn_type *row_type, const pmn_datum *values, paimon_error *err)
{
    uint8_t arity[4];
    pmn_store_be32(arity, (uint32_t)row_type->n_fields);
    PMN_TRY(pmn_buf_append(out, arity, sizeof arity, err));
    return pmn_row_write(out, row_type, values, err);
}
