/* A reading cursor over untrusted bytes that cannot run past its end. Every read says whether it fitted; the position is
 * kept for messages. Copy it freely: it owns nothing. */
#ifndef PMN_BASE_CURSOR_H
#define PMN_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bitmap.h"
#include "base/bytes.h"
#include "base/compiler.h"

typedef struct pmn_cursor {
    const uint8_t *start;
    const uint8_t *pos;
    const uint8_t *end;
} pmn_cursor;

PMN_INLINE pmn_cursor pmn_cursor_of(const void *data, size_t size)
{
    const uint8_t *p = (const uint8_t *)data;
    pmn_cursor c = { p, p, p ? p + size : p };
    return c;
}
PMN_INLINE size_t pmn_cursor_left(const pmn_cursor *c) { return (size_t)(c->end - c->pos); }
PMN_INLINE size_t pmn_cursor_offset(const pmn_cursor *c) { return (size_t)(c->pos - c->start); }

PMN_INLINE bool pmn_cursor_skip(pmn_cursor *c, size_t n)
{
    if (PMN_UNLIKELY(n > pmn_cursor_left(c))) return false;
    c->pos += n;
    return true;
}
PMN_INLINE bool pmn_cursor_take(pmn_cursor *c, size_t n, pmn_slice *out)
{
    if (PMN_UNLIKELY(n > pmn_cursor_left(c))) return false;
    *out = pmn_slice_of(c->pos, n);
    c->pos += n;
    return true;
}
PMN_INLINE bool pmn_cursor_u8(pmn_cursor *c, uint8_t *out)
{
    if (PMN_UNLIKELY(c->pos == c->end)) return false;
    *out = *c->pos++;
    return true;
}

#define PMN_CURSOR_READ(bits, order)                                                                                     \
    PMN_INLINE bool pmn_cursor_##order##bits(pmn_cursor *c, uint##bits##_t *out)                                         \
    {                                                                                                                    \
        if (PMN_UNLIKELY(pmn_cursor_left(c) < sizeof *out)) return false;                                                \
        *out = pmn_load_##order##bits(c->pos);                                                                           \
        c->pos += sizeof *out;                                                                                           \
        return true;                                                                                                     \
    }
PMN_CURSOR_READ(16, le)
PMN_CURSOR_READ(32, le)
PMN_CURSOR_READ(64, le)
PMN_CURSOR_READ(16, be)
PMN_CURSOR_READ(32, be)
PMN_CURSOR_READ(64, be)
#undef PMN_CURSOR_READ

/* Unsigned LEB128 of at most 64 bits; false when cut or longer than 10 bytes. */
PMN_INLINE bool pmn_cursor_varint(pmn_cursor *c, uint64_t *out)
{
    if (PMN_LIKELY(c->pos != c->end && *c->pos < 0x80)) {
        *out = *c->pos++;
        return true;
    }
    uint64_t v = 0;
    const uint8_t *p = c->pos;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (p == c->end) return false;
        uint8_t b = *p++;
        v |= shift < 64 ? (uint64_t)(b & 0x7f) << shift : 0;
        if (b < 0x80) {
            if (shift == 63 && b > 1) return false;
            c->pos = p;
            *out = v;
            return true;
        }
    }
    return false;
}
/* The same where lengths vary from number to number: no branch asks for them, up to 8 bytes. */
PMN_INLINE bool pmn_cursor_varint_mixed(pmn_cursor *c, uint64_t *out)
{
    if (PMN_UNLIKELY(pmn_cursor_left(c) < 8)) return pmn_cursor_varint(c, out);
    uint64_t v = pmn_load_le64(c->pos), last = ~v & UINT64_C(0x8080808080808080);
    if (PMN_UNLIKELY(last == 0)) return pmn_cursor_varint(c, out);
    last &= 0 - last; /* the top bit of the last byte */
    v &= last - 1 + last;
    v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    *out = (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
    c->pos += (size_t)pmn_ctz64(last) / 8 + 1;
    return true;
}
PMN_INLINE int64_t pmn_zigzag64(uint64_t v) { return (int64_t)((v >> 1) ^ (0 - (v & 1))); }
PMN_INLINE bool pmn_cursor_zigzag(pmn_cursor *c, int64_t *out)
{
    uint64_t v;
    if (!pmn_cursor_varint(c, &v)) return false;
    *out = pmn_zigzag64(v);
    return true;
}

#endif
