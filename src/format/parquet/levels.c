/* The RLE / bit-packed hybrid: see levels.h for the layout. */
#include "format/parquet/levels.h"

#include <string.h>

#include "base/bitmap.h"
#include "base/cursor.h"
#include "format/parquet/unpack.h"

#if PMN_X86_DISPATCH
#include <immintrin.h>
#endif

void pmn_parquet_hybrid_init(pmn_parquet_hybrid *h, pmn_slice bytes, unsigned width)
{
    memset(h, 0, sizeof *h);
    h->pos = bytes.data;
    h->end = bytes.data + bytes.size;
    h->width = width;
}

void pmn_parquet_hybrid_constant(pmn_parquet_hybrid *h, uint32_t value, int64_t n)
{
    memset(h, 0, sizeof *h);
    h->value = value;
    h->repeat = n;
}

void pmn_parquet_hybrid_packed(pmn_parquet_hybrid *h, pmn_slice bytes, unsigned width, int64_t n)
{
    memset(h, 0, sizeof *h);
    h->width = width;
    h->run = bytes.data;
    h->packed = n;
}

/* The next run that is not empty; false at the end or when it does not parse. A packed run that is cut by the end of the page gives
 * the values that are whole: some writers trim the padding. */
static bool next_run(pmn_parquet_hybrid *h)
{
    while (h->repeat == 0 && h->packed == 0) {
        pmn_cursor c = { h->pos, h->pos, h->end };
        uint64_t header;
        if (h->pos == h->end || !pmn_cursor_varint(&c, &header) || header >> 32) return false;
        int64_t count = (int64_t)(header >> 1);
        int64_t left = (int64_t)pmn_cursor_left(&c);
        if (header & 1) {
            int64_t bytes = count * h->width;
            h->packed = count * 8;
            if (bytes > left) {
                bytes = left;
                h->packed = left * 8 / h->width;
            }
            h->run = c.pos;
            h->taken = 0;
            c.pos += bytes;
        } else {
            int n_bytes = (int)(h->width + 7) / 8;
            if (n_bytes > left) return false;
            h->value = 0;
            for (int i = 0; i < n_bytes; i++) h->value |= (uint32_t)c.pos[i] << (8 * i);
            if (h->width < 32 && h->value >> h->width) return false;
            h->repeat = count;
            c.pos += n_bytes;
        }
        h->pos = c.pos;
    }
    return true;
}

int64_t pmn_parquet_hybrid_peek(pmn_parquet_hybrid *h, uint32_t *value)
{
    if (!next_run(h) || h->repeat == 0) return 0;
    *value = h->value;
    return h->repeat;
}

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t pmn_parquet_hybrid_get32(pmn_parquet_hybrid *h, uint32_t *out, int64_t n)
{
    int64_t done = 0;
    while (done < n && next_run(h)) {
        int64_t m;
        if (h->repeat) {
            m = at_most(h->repeat, n - done);
            for (int64_t i = 0; i < m; i++) out[done + i] = h->value;
            h->repeat -= m;
        } else {
            m = at_most(h->packed, n - done);
            pmn_parquet_unpack32(h->run, h->taken, m, h->width, out + done);
            h->packed -= m;
            h->taken += m;
        }
        done += m;
    }
    return done;
}

/* Values of a packed run, from value `first`, to bytes. */
static void unpack_bytes_plain(const uint8_t *run, int64_t first, int64_t n, unsigned width, uint8_t *out)
{
    unsigned mask = (1u << width) - 1;
    uint64_t bit = (uint64_t)first * width;
    for (int64_t i = 0; i < n; i++, bit += width) out[i] = (uint8_t)((unsigned)(pmn_load_le16(run + (bit >> 3)) >> (bit & 7)) & mask);
}

#if PMN_X86_DISPATCH
/* Eight values are `width` bytes: one deposit spreads them to eight bytes. */
PMN_TARGET("bmi2")
static void unpack_bytes_bmi2(const uint8_t *src, int64_t groups, unsigned width, uint8_t *out)
{
    uint64_t mask = UINT64_C(0x0101010101010101) * ((1u << width) - 1);
    for (int64_t g = 0; g < groups; g++, src += width, out += 8) pmn_store_le64(out, _pdep_u64(pmn_load_le64(src), mask));
}
#endif

static void unpack_bytes(const uint8_t *run, int64_t first, int64_t n, unsigned width, uint8_t *out)
{
#if PMN_X86_DISPATCH
    if (n >= 16 && PMN_CPU_HAS("bmi2")) {
        int64_t head = (8 - (first & 7)) & 7;
        unpack_bytes_plain(run, first, head, width, out);
        int64_t groups = (n - head) / 8;
        unpack_bytes_bmi2(run + (first + head) / 8 * width, groups, width, out + head);
        head += groups * 8;
        first += head;
        out += head;
        n -= head;
    }
#endif
    unpack_bytes_plain(run, first, n, width, out);
}

int64_t pmn_parquet_hybrid_get8(pmn_parquet_hybrid *h, uint8_t *out, int64_t n)
{
    int64_t done = 0;
    while (done < n && next_run(h)) {
        int64_t m;
        if (h->repeat) {
            m = at_most(h->repeat, n - done);
            memset(out + done, (int)h->value, (size_t)m);
            h->repeat -= m;
        } else {
            m = at_most(h->packed, n - done);
            unpack_bytes(h->run, h->taken, m, h->width, out + done);
            h->packed -= m;
            h->taken += m;
        }
        done += m;
    }
    return done;
}

int64_t pmn_parquet_hybrid_bits(pmn_parquet_hybrid *h, uint8_t *bits, int64_t offset, int64_t n, int64_t *ones)
{
    int64_t done = 0;
    *ones = 0;
    while (done < n && next_run(h)) {
        int64_t m;
        if (h->repeat) {
            m = at_most(h->repeat, n - done);
            pmn_bitmap_fill(bits, offset + done, m, h->value != 0);
            *ones += h->value ? m : 0;
            h->repeat -= m;
        } else {
            m = at_most(h->packed, n - done);
            pmn_bitmap_copy(bits, offset + done, h->run, h->taken, m);
            *ones += pmn_bitmap_count(h->run, h->taken, m);
            h->packed -= m;
            h->taken += m;
        }
        done += m;
    }
    return done;
}

int64_t pmn_parquet_hybrid_skip(pmn_parquet_hybrid *h, int64_t n)
{
    int64_t done = 0;
    while (done < n && next_run(h)) {
        int64_t m;
        if (h->repeat) {
            m = at_most(h->repeat, n - done);
            h->repeat -= m;
        } else {
            m = at_most(h->packed, n - done);
            h->packed -= m;
            h->taken += m;
        }
        done += m;
    }
    return done;
}

void pmn_parquet_repack_levels(const uint8_t *src, int64_t n, unsigned width, uint8_t *dst)
{
    int64_t bit = 0;
    for (int64_t i = 0; i < n; i++) {
        unsigned value = 0;
        for (unsigned b = 0; b < width; b++, bit++) value = value << 1 | ((src[bit >> 3] >> (7 - (bit & 7))) & 1u);
        for (unsigned b = 0; b < width; b++) {
            int64_t at = i * width + b;
            dst[at >> 3] |= (uint8_t)((value >> b & 1u) << (at & 7));
        }
    }
}
