#include "format/parquet/thrift_write.h"

static void emit_bytes(pmn_thrift_out *t, const void *bytes, size_t n)
{
    if (t->status == PAIMON_OK) t->status = pmn_buf_append(t->buf, bytes, n, t->err);
}

static void emit_varint(pmn_thrift_out *t, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7) bytes[n++] = (uint8_t)(value | 0x80);
    bytes[n++] = (uint8_t)value;
    emit_bytes(t, bytes, n);
}

static void emit_zigzag(pmn_thrift_out *t, int64_t value)
{
    emit_varint(t, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

static void emit_field(pmn_thrift_out *t, int32_t id, pmn_thrift_type type)
{
    int32_t step = id - t->last_id[t->depth];
    uint8_t head = (uint8_t)type;
    t->last_id[t->depth] = id;
    if (step > 0 && step <= 15) {
        head = (uint8_t)(head | step << 4);
        emit_bytes(t, &head, 1);
        return;
    }
    emit_bytes(t, &head, 1);
    emit_zigzag(t, id);
}

static void begin_struct(pmn_thrift_out *t)
{
    if (t->depth + 1 == PMN_THRIFT_OUT_DEPTH) {
        if (t->status == PAIMON_OK) t->status = pmn_fail(t->err, PAIMON_INTERNAL, "a Thrift struct nests deeper than %d", PMN_THRIFT_OUT_DEPTH);
        return;
    }
    t->last_id[++t->depth] = 0;
}

pmn_thrift_out pmn_thrift_out_of(pmn_buf *buf, paimon_error *err)
{
    pmn_thrift_out t = { buf, err, PAIMON_OK, 0, { 0 } };
    return t;
}

void pmn_thrift_put_i32(pmn_thrift_out *t, int32_t id, int32_t value)
{
    emit_field(t, id, PMN_THRIFT_I32);
    emit_zigzag(t, value);
}

void pmn_thrift_put_i64(pmn_thrift_out *t, int32_t id, int64_t value)
{
    emit_field(t, id, PMN_THRIFT_I64);
    emit_zigzag(t, value);
}

void pmn_thrift_put_byte(pmn_thrift_out *t, int32_t id, int8_t value)
{
    emit_field(t, id, PMN_THRIFT_BYTE);
    emit_bytes(t, &value, 1);
}

void pmn_thrift_put_bool(pmn_thrift_out *t, int32_t id, bool value)
{
    emit_field(t, id, value ? PMN_THRIFT_TRUE : PMN_THRIFT_FALSE);
}

void pmn_thrift_put_binary(pmn_thrift_out *t, int32_t id, pmn_slice bytes)
{
    emit_field(t, id, PMN_THRIFT_BINARY);
    pmn_thrift_item_binary(t, bytes);
}

void pmn_thrift_put_struct(pmn_thrift_out *t, int32_t id)
{
    emit_field(t, id, PMN_THRIFT_STRUCT);
    begin_struct(t);
}

void pmn_thrift_put_begun(pmn_thrift_out *t, int32_t id, pmn_slice bytes, int32_t last_id)
{
    pmn_thrift_put_struct(t, id);
    emit_bytes(t, bytes.data, bytes.size);
    t->last_id[t->depth] = last_id;
}

void pmn_thrift_put_end(pmn_thrift_out *t)
{
    uint8_t stop = PMN_THRIFT_STOP;
    emit_bytes(t, &stop, 1);
    if (t->depth > 0) t->depth--;
}

void pmn_thrift_put_list(pmn_thrift_out *t, int32_t id, pmn_thrift_type type, size_t n)
{
    emit_field(t, id, PMN_THRIFT_LIST);
    uint8_t head = (uint8_t)((n < 15 ? n : 15) << 4 | (unsigned)type);
    emit_bytes(t, &head, 1);
    if (n >= 15) emit_varint(t, n);
}

void pmn_thrift_item_i32(pmn_thrift_out *t, int32_t value) { emit_zigzag(t, value); }
void pmn_thrift_item_i64(pmn_thrift_out *t, int64_t value) { emit_zigzag(t, value); }

void pmn_thrift_item_flag(pmn_thrift_out *t, bool value)
{
    uint8_t byte = value ? PMN_THRIFT_TRUE : PMN_THRIFT_FALSE;
    emit_bytes(t, &byte, 1);
}

void pmn_thrift_item_binary(pmn_thrift_out *t, pmn_slice bytes)
{
    emit_varint(t, bytes.size);
    emit_bytes(t, bytes.data, bytes.size);
}

void pmn_thrift_item_struct(pmn_thrift_out *t) { begin_struct(t); }
