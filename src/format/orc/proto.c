/* Protocol Buffers, reading side: see proto.h for the bytes. */
#include "format/orc/proto.h"

#include <string.h>

#define LARGEST_FIELD 536870911u /* 29 bits */

paimon_status pmn_proto_corrupt(const pmn_proto *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    paimon_status status = pmn_vfail(p->err, PAIMON_CORRUPT, format, args);
    va_end(args);
    pmn_error_prefix(p->err, "%s at byte %zu", p->what, pmn_cursor_offset(&p->cursor));
    return status;
}

static paimon_status proto_cut(const pmn_proto *p) { return pmn_proto_corrupt(p, "a value is cut, or a number has more than 64 bits"); }

static paimon_status proto_tag(pmn_proto *p, pmn_proto_field *f)
{
    uint64_t tag;
    if (!pmn_cursor_varint(&p->cursor, &tag)) return proto_cut(p);
    if (tag >> 3 == 0 || tag >> 3 > LARGEST_FIELD) return pmn_proto_corrupt(p, "%llu is no number of a field", (unsigned long long)(tag >> 3));
    f->id = (uint32_t)(tag >> 3);
    f->wire = (pmn_proto_wire)(tag & 7);
    f->number = 0;
    f->bytes = pmn_slice_of(NULL, 0);
    return PAIMON_OK;
}

static paimon_status proto_value(pmn_proto *p, pmn_proto_field *f)
{
    uint32_t narrow;
    switch (f->wire) {
    case PMN_PROTO_VARINT: return pmn_cursor_varint(&p->cursor, &f->number) ? PAIMON_OK : proto_cut(p);
    case PMN_PROTO_FIXED64: return pmn_cursor_le64(&p->cursor, &f->number) ? PAIMON_OK : proto_cut(p);
    case PMN_PROTO_FIXED32:
        if (!pmn_cursor_le32(&p->cursor, &narrow)) return proto_cut(p);
        f->number = narrow;
        return PAIMON_OK;
    case PMN_PROTO_LENGTH:
        if (!pmn_cursor_varint(&p->cursor, &f->number)) return proto_cut(p);
        if (f->number > pmn_cursor_left(&p->cursor) || !pmn_cursor_take(&p->cursor, (size_t)f->number, &f->bytes))
            return pmn_proto_corrupt(p, "field %u has %llu bytes, but %zu are left", f->id, (unsigned long long)f->number, pmn_cursor_left(&p->cursor));
        return PAIMON_OK;
    default: return pmn_proto_corrupt(p, "field %u has the unknown wire type %d", f->id, (int)f->wire);
    }
}

/* Up to the END of every group that was begun. Numbers of fields inside are not compared: nothing depends on them. */
static paimon_status proto_skip_group(pmn_proto *p)
{
    pmn_proto_field f;
    int open = 1;
    while (open > 0) {
        PMN_TRY(proto_tag(p, &f));
        if (f.wire == PMN_PROTO_END) {
            open--;
        } else if (f.wire == PMN_PROTO_GROUP) {
            if (p->depth + ++open > PMN_PROTO_MAX_DEPTH) return pmn_proto_corrupt(p, "nested more than %d levels deep", PMN_PROTO_MAX_DEPTH);
        } else {
            PMN_TRY(proto_value(p, &f));
        }
    }
    return PAIMON_OK;
}

paimon_status pmn_proto_next(pmn_proto *p, pmn_proto_field *f)
{
    PMN_TRY(proto_tag(p, f));
    return f->wire == PMN_PROTO_GROUP ? proto_skip_group(p) : proto_value(p, f);
}

static paimon_status proto_expect(const pmn_proto *p, const pmn_proto_field *f, pmn_proto_wire wire)
{
    if (PMN_LIKELY(f->wire == wire)) return PAIMON_OK;
    return pmn_proto_corrupt(p, "field %u has wire type %d, expected %d", f->id, (int)f->wire, (int)wire);
}

paimon_status pmn_proto_enter(const pmn_proto *p, const pmn_proto_field *f, const char *what, pmn_proto *out)
{
    PMN_TRY(proto_expect(p, f, PMN_PROTO_LENGTH));
    if (p->depth >= PMN_PROTO_MAX_DEPTH) return pmn_proto_corrupt(p, "nested more than %d levels deep", PMN_PROTO_MAX_DEPTH);
    *out = pmn_proto_of(f->bytes, what, p->err);
    out->depth = p->depth + 1;
    return PAIMON_OK;
}

paimon_status pmn_proto_i64(const pmn_proto *p, const pmn_proto_field *f, int64_t *out)
{
    PMN_TRY(proto_expect(p, f, PMN_PROTO_VARINT));
    if (f->number > INT64_MAX) return pmn_proto_corrupt(p, "field %u is %llu, past 63 bits", f->id, (unsigned long long)f->number);
    *out = (int64_t)f->number;
    return PAIMON_OK;
}

paimon_status pmn_proto_i32(const pmn_proto *p, const pmn_proto_field *f, int32_t *out)
{
    PMN_TRY(proto_expect(p, f, PMN_PROTO_VARINT));
    if (f->number > INT32_MAX) return pmn_proto_corrupt(p, "field %u is %llu, past 31 bits", f->id, (unsigned long long)f->number);
    *out = (int32_t)f->number;
    return PAIMON_OK;
}

paimon_status pmn_proto_i32_signed(const pmn_proto *p, const pmn_proto_field *f, int32_t *out)
{
    PMN_TRY(proto_expect(p, f, PMN_PROTO_VARINT));
    int64_t wide = (int64_t)f->number; /* negative numbers are extended to 64 bits */
    if (wide < INT32_MIN || wide > INT32_MAX) return pmn_proto_corrupt(p, "field %u is %lld, past 32 bits", f->id, (long long)wide);
    *out = (int32_t)wide;
    return PAIMON_OK;
}

paimon_status pmn_proto_zigzag(const pmn_proto *p, const pmn_proto_field *f, int64_t *out)
{
    PMN_TRY(proto_expect(p, f, PMN_PROTO_VARINT));
    *out = pmn_zigzag64(f->number);
    return PAIMON_OK;
}

paimon_status pmn_proto_bool(const pmn_proto *p, const pmn_proto_field *f, bool *out)
{
    PMN_TRY(proto_expect(p, f, PMN_PROTO_VARINT));
    *out = f->number != 0;
    return PAIMON_OK;
}

paimon_status pmn_proto_double(const pmn_proto *p, const pmn_proto_field *f, double *out)
{
    PMN_TRY(proto_expect(p, f, PMN_PROTO_FIXED64));
    memcpy(out, &f->number, sizeof *out);
    return PAIMON_OK;
}

paimon_status pmn_proto_bytes(const pmn_proto *p, const pmn_proto_field *f, pmn_slice *out)
{
    PMN_TRY(proto_expect(p, f, PMN_PROTO_LENGTH));
    *out = f->bytes;
    return PAIMON_OK;
}

paimon_status pmn_proto_count(const pmn_proto *p, const pmn_proto_field *f, size_t *n)
{
    *n = 1;
    if (f->wire == PMN_PROTO_VARINT) return PAIMON_OK;
    PMN_TRY(proto_expect(p, f, PMN_PROTO_LENGTH));
    pmn_cursor c = pmn_cursor_of(f->bytes.data, f->bytes.size);
    uint64_t number;
    for (*n = 0; pmn_cursor_left(&c) > 0; ++*n) {
        if (!pmn_cursor_varint(&c, &number)) return pmn_proto_corrupt(p, "field %u: a number is cut or has more than 64 bits", f->id);
    }
    return PAIMON_OK;
}

void pmn_proto_numbers(const pmn_proto_field *f, uint64_t *out)
{
    if (f->wire == PMN_PROTO_VARINT) {
        *out = f->number;
        return;
    }
    pmn_cursor c = pmn_cursor_of(f->bytes.data, f->bytes.size);
    while (pmn_cursor_left(&c) > 0 && pmn_cursor_varint(&c, out)) out++;
}
