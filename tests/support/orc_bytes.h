/* ORC files by hand: Protocol Buffers messages, and a file put together from its parts. */
#ifndef TESTS_SUPPORT_ORC_BYTES_H
#define TESTS_SUPPORT_ORC_BYTES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct orc_bytes {
    size_t n;
    uint8_t data[16384];
} orc_bytes;

static inline void orc_put(orc_bytes *b, const void *bytes, size_t n)
{
    if (n > sizeof b->data - b->n) abort();
    if (n) memcpy(b->data + b->n, bytes, n);
    b->n += n;
}
static inline void orc_put_byte(orc_bytes *b, unsigned v)
{
    uint8_t byte = (uint8_t)v;
    orc_put(b, &byte, 1);
}
static inline void orc_put_varint(orc_bytes *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) orc_put_byte(b, (unsigned)(v & 0x7f) | 0x80);
    orc_put_byte(b, (unsigned)v);
}

/* ---- fields ---- */

static inline void orc_number(orc_bytes *b, unsigned field, uint64_t v)
{
    orc_put_varint(b, (uint64_t)field << 3);
    orc_put_varint(b, v);
}
static inline void orc_signed(orc_bytes *b, unsigned field, int64_t v) { orc_number(b, field, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0)); }
static inline void orc_blob(orc_bytes *b, unsigned field, const void *bytes, size_t n)
{
    orc_put_varint(b, (uint64_t)field << 3 | 2);
    orc_put_varint(b, n);
    orc_put(b, bytes, n);
}
static inline void orc_text(orc_bytes *b, unsigned field, const char *text) { orc_blob(b, field, text, strlen(text)); }
static inline void orc_message(orc_bytes *b, unsigned field, const orc_bytes *message) { orc_blob(b, field, message->data, message->n); }
static inline void orc_double(orc_bytes *b, unsigned field, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, 8);
    orc_put_varint(b, (uint64_t)field << 3 | 1);
    for (int i = 0; i < 8; i++) orc_put_byte(b, (unsigned)(bits >> (8 * i)) & 0xff);
}

/* ---- messages ---- */

/* A type: `children` ends with -1; `names` (of a struct) are as many, separated by commas. */
static inline void orc_type(orc_bytes *footer, unsigned kind, const int *children, const char *names)
{
    orc_bytes type = { 0 }, packed = { 0 };
    orc_number(&type, 1, kind);
    for (int i = 0; children && children[i] >= 0; i++) orc_put_varint(&packed, (uint64_t)children[i]);
    if (packed.n) orc_message(&type, 2, &packed);
    while (names && *names) {
        size_t n = strcspn(names, ",");
        orc_blob(&type, 3, names, n);
        names += n + (names[n] == ',');
    }
    orc_message(footer, 4, &type);
}

static inline void orc_stripe(orc_bytes *footer, uint64_t offset, uint64_t index, uint64_t data, uint64_t foot, uint64_t rows)
{
    orc_bytes stripe = { 0 };
    orc_number(&stripe, 1, offset);
    orc_number(&stripe, 2, index);
    orc_number(&stripe, 3, data);
    orc_number(&stripe, 4, foot);
    orc_number(&stripe, 5, rows);
    orc_message(footer, 3, &stripe);
}

static inline void orc_stream(orc_bytes *stripe_footer, unsigned kind, unsigned column, uint64_t size)
{
    orc_bytes stream = { 0 };
    orc_number(&stream, 1, kind);
    orc_number(&stream, 2, column);
    orc_number(&stream, 3, size);
    orc_message(stripe_footer, 1, &stream);
}

static inline void orc_encodings(orc_bytes *stripe_footer, int n)
{
    orc_bytes encoding = { 0 };
    orc_number(&encoding, 1, 2);
    for (int i = 0; i < n; i++) orc_message(stripe_footer, 2, &encoding);
}

/* Statistics of integers: `values` not null, between the two if there are any. */
static inline orc_bytes orc_integers(int64_t values, int has_null, int64_t min, int64_t max)
{
    orc_bytes stats = { 0 }, bounds = { 0 };
    orc_number(&stats, 1, (uint64_t)values);
    orc_signed(&bounds, 1, min);
    orc_signed(&bounds, 2, max);
    if (values) orc_message(&stats, 2, &bounds);
    orc_number(&stats, 10, (uint64_t)has_null);
    return stats;
}

/* Metadata, footer, postscript and its length, behind what is there. */
static inline void orc_end(orc_bytes *file, const orc_bytes *metadata, const orc_bytes *footer, unsigned compression, unsigned writer_version)
{
    orc_bytes ps = { 0 };
    orc_put(file, metadata->data, metadata->n);
    orc_put(file, footer->data, footer->n);
    orc_number(&ps, 1, footer->n);
    orc_number(&ps, 2, compression);
    if (compression) orc_number(&ps, 3, 1024);
    orc_blob(&ps, 4, "\0\014", 2);
    orc_number(&ps, 5, metadata->n);
    orc_number(&ps, 6, writer_version);
    orc_text(&ps, 8000, "ORC");
    orc_put(file, ps.data, ps.n);
    orc_put_byte(file, (unsigned)ps.n);
}

#endif
