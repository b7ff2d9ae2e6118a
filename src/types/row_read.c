/* BinaryRow, reading: bytes from disk, so every offset and length is checked against the row before it is followed. */
#include <string.h>

#include "base/hash.h"
#include "types/row_codec.h"
#include "types/row_slot.h"

paimon_status pmn_row_parse_bare(pmn_slice bytes, int32_t arity, pmn_row_view *out, paimon_error *err)
{
    if (arity < 0 || (size_t)arity > bytes.size / 8 || bytes.size < pmn_row_header_bytes(arity) + 8 * (size_t)arity)
        return pmn_fail(err, PAIMON_CORRUPT, "a row of %zu bytes is too short for %d fields", bytes.size, (int)arity);
    out->bytes = bytes;
    out->arity = arity;
    return PAIMON_OK;
}

paimon_status pmn_row_parse(pmn_slice serialized, pmn_row_view *out, paimon_error *err)
{
    if (serialized.size < 4) return pmn_fail(err, PAIMON_CORRUPT, "a serialized row of %zu bytes", serialized.size);
    uint32_t arity = pmn_load_be32(serialized.data);
    if (arity > INT32_MAX) return pmn_fail(err, PAIMON_CORRUPT, "a row of %u fields", (unsigned)arity);
    return pmn_row_parse_bare(pmn_slice_of(serialized.data + 4, serialized.size - 4), (int32_t)arity, out, err);
}

bool pmn_row_is_null(const pmn_row_view *row, int32_t i)
{
    if (i < 0 || i >= row->arity) return true;
    return (row->bytes.data[(8 + (size_t)i) / 8] >> ((8 + i) % 8)) & 1;
}

size_t pmn_row_slot_width(const pmn_type *type)
{
    switch (type->kind) {
    case PMN_BOOLEAN:
    case PMN_TINYINT: return 1;
    case PMN_SMALLINT: return 2;
    case PMN_INT:
    case PMN_FLOAT:
    case PMN_DATE:
    case PMN_TIME: return 4;
    default: return 8;
    }
}

static paimon_status out_of_row(pmn_slice container, uint32_t offset, size_t size, paimon_error *err)
{
    return pmn_fail(err, PAIMON_CORRUPT, "a value at %u + %zu of a row of %zu bytes", (unsigned)offset, size, container.size);
}

paimon_status pmn_row_slot_bytes(pmn_slice container, size_t slot, pmn_slice *out, paimon_error *err)
{
    const uint8_t *p = container.data + slot;
    if (p[7] & 0x80) {
        size_t n = p[7] & 0x7f;
        if (n > 7) return pmn_fail(err, PAIMON_CORRUPT, "%zu bytes in a slot of 7", n);
        *out = pmn_slice_of(p, n);
        return PAIMON_OK;
    }
    uint32_t size = pmn_load_le32(p), offset = pmn_load_le32(p + 4);
    if (offset > container.size || size > container.size - offset) return out_of_row(container, offset, size, err);
    *out = pmn_slice_of(container.data + offset, size);
    return PAIMON_OK;
}

static paimon_status read_decimal(pmn_slice container, size_t slot, const pmn_type *type, pmn_datum *out, paimon_error *err)
{
    if (type->length <= PMN_COMPACT_DECIMAL) {
        out->v.dec = (int64_t)pmn_load_le64(container.data + slot);
        return PAIMON_OK;
    }
    uint32_t size = pmn_load_le32(container.data + slot), offset = pmn_load_le32(container.data + slot + 4);
    if (offset > container.size || size > container.size - offset) return out_of_row(container, offset, size, err);
    if (size > 16 || !pmn_i128_from_be(pmn_slice_of(container.data + offset, size), &out->v.dec))
        return pmn_fail(err, PAIMON_CORRUPT, "a decimal of %u bytes in a row", (unsigned)size);
    return PAIMON_OK;
}

static paimon_status read_timestamp(pmn_slice container, size_t slot, const pmn_type *type, pmn_datum *out, paimon_error *err)
{
    out->v.ts.nanos_of_milli = 0;
    if (type->length <= PMN_COMPACT_TIMESTAMP) {
        out->v.ts.millis = (int64_t)pmn_load_le64(container.data + slot);
        return PAIMON_OK;
    }
    uint32_t nanos = pmn_load_le32(container.data + slot), offset = pmn_load_le32(container.data + slot + 4);
    if (offset > container.size || container.size - offset < 8) return out_of_row(container, offset, 8, err);
    if (nanos > 999999) return pmn_fail(err, PAIMON_CORRUPT, "a timestamp with %u nanoseconds of a millisecond in a row", (unsigned)nanos);
    out->v.ts.millis = (int64_t)pmn_load_le64(container.data + offset);
    out->v.ts.nanos_of_milli = (int32_t)nanos;
    return PAIMON_OK;
}

static float float_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static double double_of_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

paimon_status pmn_row_slot_read(pmn_slice container, size_t slot, const pmn_type *type, pmn_datum *out, paimon_error *err)
{
    const uint8_t *p = container.data + slot;
    out->is_null = false;
    switch (type->kind) {
    case PMN_BOOLEAN: out->v.i = *p != 0; return PAIMON_OK;
    case PMN_TINYINT: out->v.i = (int8_t)*p; return PAIMON_OK;
    case PMN_SMALLINT: out->v.i = (int16_t)pmn_load_le16(p); return PAIMON_OK;
    case PMN_INT:
    case PMN_DATE:
    case PMN_TIME: out->v.i = (int32_t)pmn_load_le32(p); return PAIMON_OK;
    case PMN_BIGINT: out->v.i = (int64_t)pmn_load_le64(p); return PAIMON_OK;
    case PMN_FLOAT: out->v.f = float_of_bits(pmn_load_le32(p)); return PAIMON_OK;
    case PMN_DOUBLE: out->v.d = double_of_bits(pmn_load_le64(p)); return PAIMON_OK;
    case PMN_DECIMAL: return read_decimal(container, slot, type, out, err);
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: return read_timestamp(container, slot, type, out, err);
    case PMN_CHAR:
    case PMN_VARCHAR:
    case PMN_BINARY:
    case PMN_VARBINARY:
    case PMN_BLOB: return pmn_row_slot_bytes(container, slot, &out->v.bytes, err);
    default: return pmn_fail(err, PAIMON_UNSUPPORTED, "a %s value of a row as one value", pmn_type_kind_name(type->kind));
    }
}

paimon_status pmn_row_get(const pmn_row_view *row, int32_t i, const pmn_type *type, pmn_datum *out, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    if (i < 0 || i >= row->arity) return pmn_fail(err, PAIMON_CORRUPT, "field %d of a row of %d fields", (int)i, (int)row->arity);
    if (pmn_row_is_null(row, i)) {
        out->is_null = true;
        return PAIMON_OK;
    }
    return pmn_row_slot_read(row->bytes, pmn_row_header_bytes(row->arity) + 8 * (size_t)i, type, out, err);
}

paimon_status pmn_row_get_all(const pmn_row_view *row, const pmn_type *row_type, pmn_datum *out, paimon_error *err)
{
    if (row->arity != row_type->n_fields)
        return pmn_fail(err, PAIMON_CORRUPT, "a row of %d fields where the schema has %d", (int)row->arity, (int)row_type->n_fields);
    for (int32_t i = 0; i < row->arity; i++) {
        paimon_status status = pmn_row_get(row, i, row_type->fields[i].type, &out[i], err);
        if (status != PAIMON_OK) {
            pmn_error_prefix(err, "field '%.100s'", row_type->fields[i].name);
            return status;
        }
    }
    return PAIMON_OK;
}

int32_t pmn_row_hash(pmn_slice row_bytes) { return pmn_murmur_words(row_bytes.data, row_bytes.size); }
