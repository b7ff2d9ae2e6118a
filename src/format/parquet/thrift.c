/* Thrift's compact protocol, reading side: see thrift.h for the bytes. */
#include "format/parquet/thrift.h"

paimon_status pmn_thrift_corrupt(pmn_thrift *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    paimon_status status = pmn_vfail(t->err, PAIMON_CORRUPT, format, args);
    va_end(args);
    pmn_error_prefix(t->err, "%s at byte %lld", t->what, (long long)(t->base + (int64_t)pmn_cursor_offset(&t->cursor)));
    return status;
}

static paimon_status thrift_cut(pmn_thrift *t) { return pmn_thrift_corrupt(t, "ends in the middle of a value"); }

static paimon_status thrift_deeper(pmn_thrift *t)
{
    if (t->depth >= PMN_THRIFT_MAX_DEPTH) return pmn_thrift_corrupt(t, "nested more than %d levels deep", PMN_THRIFT_MAX_DEPTH);
    t->depth++;
    return PAIMON_OK;
}

paimon_status pmn_thrift_begin(pmn_thrift *t, pmn_thrift_struct *s)
{
    s->last_id = 0;
    return thrift_deeper(t);
}

paimon_status pmn_thrift_next(pmn_thrift *t, pmn_thrift_struct *s, pmn_thrift_field *f)
{
    uint8_t head;
    if (!pmn_cursor_u8(&t->cursor, &head)) return thrift_cut(t);
    f->type = head & 0x0f;
    f->id = 0;
    if (f->type == PMN_THRIFT_STOP) {
        t->depth--;
        return PAIMON_OK;
    }
    if (f->type > PMN_THRIFT_UUID) return pmn_thrift_corrupt(t, "field type %u is not one of the compact protocol", f->type);
    int64_t id;
    if (head >> 4) {
        id = (int64_t)s->last_id + (head >> 4);
    } else if (!pmn_cursor_zigzag(&t->cursor, &id)) {
        return thrift_cut(t);
    }
    if (id < INT16_MIN || id > INT16_MAX) return pmn_thrift_corrupt(t, "field number %lld is not one of 16 bits", (long long)id);
    s->last_id = f->id = (int32_t)id;
    return PAIMON_OK;
}

paimon_status pmn_thrift_expect(pmn_thrift *t, const pmn_thrift_field *f, pmn_thrift_type type)
{
    if (f->type == type) return PAIMON_OK;
    return pmn_thrift_corrupt(t, "field %d has thrift type %u, expected %d", f->id, f->type, (int)type);
}

paimon_status pmn_thrift_bool(pmn_thrift *t, const pmn_thrift_field *f, bool *out)
{
    if (f->type != PMN_THRIFT_TRUE && f->type != PMN_THRIFT_FALSE) return pmn_thrift_expect(t, f, PMN_THRIFT_TRUE);
    *out = f->type == PMN_THRIFT_TRUE;
    return PAIMON_OK;
}

paimon_status pmn_thrift_i64(pmn_thrift *t, const pmn_thrift_field *f, int64_t *out)
{
    if (f->type == PMN_THRIFT_BYTE) {
        uint8_t byte;
        if (!pmn_cursor_u8(&t->cursor, &byte)) return thrift_cut(t);
        *out = (int8_t)byte;
        return PAIMON_OK;
    }
    if (f->type < PMN_THRIFT_I16 || f->type > PMN_THRIFT_I64) return pmn_thrift_expect(t, f, PMN_THRIFT_I64);
    if (!pmn_cursor_zigzag(&t->cursor, out)) return thrift_cut(t);
    return PAIMON_OK;
}

paimon_status pmn_thrift_i32(pmn_thrift *t, const pmn_thrift_field *f, int32_t *out)
{
    int64_t wide;
    PMN_TRY(pmn_thrift_i64(t, f, &wide));
    if (wide < INT32_MIN || wide > INT32_MAX) return pmn_thrift_corrupt(t, "field %d is %lld, past 32 bits", f->id, (long long)wide);
    *out = (int32_t)wide;
    return PAIMON_OK;
}

paimon_status pmn_thrift_binary(pmn_thrift *t, const pmn_thrift_field *f, pmn_slice *out)
{
    PMN_TRY(pmn_thrift_expect(t, f, PMN_THRIFT_BINARY));
    uint64_t size;
    if (!pmn_cursor_varint(&t->cursor, &size)) return thrift_cut(t);
    if (size > pmn_cursor_left(&t->cursor) || !pmn_cursor_take(&t->cursor, (size_t)size, out))
        return pmn_thrift_corrupt(t, "field %d has %llu bytes, but %zu are left", f->id, (unsigned long long)size, pmn_cursor_left(&t->cursor));
    return PAIMON_OK;
}

static paimon_status thrift_list_header(pmn_thrift *t, pmn_thrift_list *list)
{
    uint8_t head;
    if (!pmn_cursor_u8(&t->cursor, &head)) return thrift_cut(t);
    uint64_t size = head >> 4;
    if (size == 15 && !pmn_cursor_varint(&t->cursor, &size)) return thrift_cut(t);
    if (size > pmn_cursor_left(&t->cursor) || size > INT32_MAX)
        return pmn_thrift_corrupt(t, "a list has %llu elements, but %zu bytes are left", (unsigned long long)size, pmn_cursor_left(&t->cursor));
    list->size = (int32_t)size;
    list->type = head & 0x0f;
    if (size && (list->type == PMN_THRIFT_STOP || list->type > PMN_THRIFT_UUID))
        return pmn_thrift_corrupt(t, "element type %u is not one of the compact protocol", list->type);
    return PAIMON_OK;
}

paimon_status pmn_thrift_list_begin(pmn_thrift *t, const pmn_thrift_field *f, pmn_thrift_list *list)
{
    if (f->type != PMN_THRIFT_SET) PMN_TRY(pmn_thrift_expect(t, f, PMN_THRIFT_LIST));
    return thrift_list_header(t, list);
}

paimon_status pmn_thrift_item_bool(pmn_thrift *t, const pmn_thrift_list *list, bool *out)
{
    pmn_thrift_field f = pmn_thrift_item(list);
    if (f.type != PMN_THRIFT_TRUE && f.type != PMN_THRIFT_FALSE) return pmn_thrift_expect(t, &f, PMN_THRIFT_TRUE);
    uint8_t byte;
    if (!pmn_cursor_u8(&t->cursor, &byte)) return thrift_cut(t);
    /* 1 is true; false is 2 by the protocol and 0 by some writers */
    *out = byte == PMN_THRIFT_TRUE;
    return PAIMON_OK;
}

static paimon_status thrift_skip_bytes(pmn_thrift *t, size_t n) { return pmn_cursor_skip(&t->cursor, n) ? PAIMON_OK : thrift_cut(t); }

static paimon_status thrift_skip_value(pmn_thrift *t, uint8_t type, bool in_list);

/* Every element takes a byte at least (a struct its stop byte), so this ends within the bytes left. */
static paimon_status thrift_skip_items(pmn_thrift *t, uint64_t n, uint8_t type)
{
    for (uint64_t i = 0; i < n; i++) PMN_TRY(thrift_skip_value(t, type, true));
    return PAIMON_OK;
}

static paimon_status thrift_skip_map(pmn_thrift *t)
{
    uint64_t size;
    uint8_t types;
    if (!pmn_cursor_varint(&t->cursor, &size)) return thrift_cut(t);
    if (size == 0) return PAIMON_OK;
    if (!pmn_cursor_u8(&t->cursor, &types)) return thrift_cut(t);
    if (size > pmn_cursor_left(&t->cursor)) return thrift_cut(t);
    for (uint64_t i = 0; i < size; i++) {
        PMN_TRY(thrift_skip_value(t, types >> 4, true));
        PMN_TRY(thrift_skip_value(t, types & 0x0f, true));
    }
    return PAIMON_OK;
}

static paimon_status thrift_skip_struct(pmn_thrift *t)
{
    pmn_thrift_struct s;
    pmn_thrift_field f;
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) return PAIMON_OK;
        PMN_TRY(thrift_skip_value(t, f.type, false));
    }
}

static paimon_status thrift_skip_value(pmn_thrift *t, uint8_t type, bool in_list)
{
    uint64_t size;
    pmn_thrift_list list;
    switch (type) {
    case PMN_THRIFT_TRUE:
    case PMN_THRIFT_FALSE: return in_list ? thrift_skip_bytes(t, 1) : PAIMON_OK;
    case PMN_THRIFT_BYTE: return thrift_skip_bytes(t, 1);
    case PMN_THRIFT_I16:
    case PMN_THRIFT_I32:
    case PMN_THRIFT_I64: return pmn_cursor_varint(&t->cursor, &size) ? PAIMON_OK : thrift_cut(t);
    case PMN_THRIFT_DOUBLE: return thrift_skip_bytes(t, 8);
    case PMN_THRIFT_UUID: return thrift_skip_bytes(t, 16);
    case PMN_THRIFT_BINARY:
        if (!pmn_cursor_varint(&t->cursor, &size) || size > pmn_cursor_left(&t->cursor)) return thrift_cut(t);
        return thrift_skip_bytes(t, (size_t)size);
    case PMN_THRIFT_LIST:
    case PMN_THRIFT_SET:
        PMN_TRY(thrift_deeper(t));
        PMN_TRY(thrift_list_header(t, &list));
        PMN_TRY(thrift_skip_items(t, (uint64_t)list.size, list.type));
        t->depth--;
        return PAIMON_OK;
    case PMN_THRIFT_MAP:
        PMN_TRY(thrift_deeper(t));
        PMN_TRY(thrift_skip_map(t));
        t->depth--;
        return PAIMON_OK;
    case PMN_THRIFT_STRUCT: return thrift_skip_struct(t);
    default: return pmn_thrift_corrupt(t, "type %u is not one of the compact protocol", type);
    }
}

paimon_status pmn_thrift_skip(pmn_thrift *t, const pmn_thrift_field *f) { return thrift_skip_value(t, f->type, false); }
