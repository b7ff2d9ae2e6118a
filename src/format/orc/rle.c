/* Integers in runs: see rle.h for the layouts.
 *
 * A run is at most 4.4 KB, so it is asked for in one piece and then decoded without looking at the stream again; its size is compared once
 * with what is there. Runs go straight to the target where they fit, else through a buffer of one run. */
#include "format/orc/rle.h"

#include <string.h>

#include "base/bytes.h"

/* Version 2: header 4, base 8, 512 values of 8 bytes, 31 patches of 8 bytes. Version 1: 128 varints of 10 bytes. */
#define LARGEST_RUN_BYTES (4 + 8 + 512 * 8 + 31 * 8)

PMN_INLINE int64_t zigzag(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }
PMN_INLINE int64_t decoded(uint64_t v, bool is_signed) { return is_signed ? zigzag(v) : (int64_t)v; }

void pmn_orc_ints_init(pmn_orc_ints *r, pmn_orc_file *file, pmn_decompressors *decompressors, bool is_signed)
{
    memset(r, 0, sizeof *r);
    pmn_orc_stream_init(&r->s, file, decompressors);
    r->is_signed = is_signed;
}

void pmn_orc_ints_free(pmn_orc_ints *r)
{
    if (r->s.file && r->values) pmn_free(r->s.file->mem, r->values, (PMN_ORC_LONGEST_RUN + PMN_ORC_INTS_SLACK) * sizeof *r->values);
    r->values = NULL;
    pmn_orc_stream_free(&r->s);
}

void pmn_orc_ints_begin(pmn_orc_ints *r, const pmn_orc_stream_info *info, bool v2)
{
    pmn_orc_stream_begin(&r->s, info);
    r->v2 = v2;
    r->at = r->n = 0;
}

static paimon_status need_values(pmn_orc_ints *r, paimon_error *err)
{
    if (!r->values) r->values = pmn_calloc(r->s.file->mem, PMN_ORC_LONGEST_RUN + PMN_ORC_INTS_SLACK, sizeof *r->values);
    return r->values ? PAIMON_OK : pmn_fail_nomem(err, "a run of integers");
}

/* Widths as five bits tell them. */
static unsigned coded_width(unsigned code)
{
    static const uint8_t rare[8] = { 26, 28, 30, 32, 40, 48, 56, 64 };
    return code < 24 ? code + 1 : rare[code - 24];
}

/* Widths of patches are rounded up to one that has a code. */
static unsigned rounded_width(unsigned width)
{
    static const uint8_t rare[8] = { 26, 28, 30, 32, 40, 48, 56, 64 };
    if (width <= 24) return width;
    for (int i = 0; i < 8; i++) {
        if (width <= rare[i]) return rare[i];
    }
    return 64;
}

/* --- packed values --- */

/* Up to 8 bits: eight values are `width` bytes, which one load brings. */
#define UNPACK_NARROW(w)                                                                                                 \
    case w:                                                                                                              \
        for (; n >= 8; n -= 8, src += w, dst += 8) {                                                                     \
            uint64_t v = pmn_load_be64(src);                                                                             \
            for (int k = 0; k < 8; k++) dst[k] = decoded(v >> (64 - w * (k + 1)) & ((UINT64_C(1) << w) - 1), is_signed); \
        }                                                                                                                \
        break;

#define UNPACK_BYTES(bits, load)                                                                                         \
    case bits:                                                                                                           \
        for (int64_t i = 0; i < n; i++) dst[i] = decoded(load, is_signed);                                               \
        return;

PMN_INLINE void unpack(const uint8_t *PMN_RESTRICT src, int64_t n, unsigned width, bool is_signed, int64_t *PMN_RESTRICT dst)
{
    switch (width) {
    case 0: memset(dst, 0, (size_t)n * sizeof *dst); return;
    UNPACK_NARROW(1)
    UNPACK_NARROW(2)
    UNPACK_NARROW(3)
    UNPACK_NARROW(4)
    UNPACK_NARROW(5)
    UNPACK_NARROW(6)
    UNPACK_NARROW(7)
    UNPACK_BYTES(8, src[i])
    UNPACK_BYTES(16, pmn_load_be16(src + i * 2))
    UNPACK_BYTES(24, pmn_load_be32(src + i * 3) >> 8)
    UNPACK_BYTES(32, pmn_load_be32(src + i * 4))
    UNPACK_BYTES(64, pmn_load_be64(src + i * 8))
    default: break;
    }
    uint64_t bit = 0;
    if (width <= 56) {
        for (int64_t i = 0; i < n; i++, bit += width) dst[i] = decoded(pmn_load_be64(src + (bit >> 3)) << (bit & 7) >> (64 - width), is_signed);
        return;
    }
    for (int64_t i = 0; i < n; i++, bit += width) {
        unsigned shift = bit & 7;
        uint64_t v = pmn_load_be64(src + (bit >> 3)) << shift;
        v |= (uint64_t)src[(bit >> 3) + 8] >> (8 - shift); /* shift 0: nothing of the ninth byte */
        dst[i] = decoded(v >> (64 - width), is_signed);
    }
}

static void unpack_signed(const uint8_t *src, int64_t n, unsigned width, int64_t *dst) { unpack(src, n, width, true, dst); }
static void unpack_unsigned(const uint8_t *src, int64_t n, unsigned width, int64_t *dst) { unpack(src, n, width, false, dst); }

void pmn_orc_unpack(const uint8_t *src, int64_t n, unsigned width, bool is_signed, int64_t *dst)
{
    if (is_signed) unpack_signed(src, n, width, dst);
    else unpack_unsigned(src, n, width, dst);
}

/* --- runs --- */

static paimon_status damaged(const pmn_orc_ints *r, const char *what, paimon_error *err)
{
    return pmn_fail(err, PAIMON_CORRUPT, "the stream at byte %lld has a run of integers %s", (long long)r->s.offset, what);
}

/* False at the end of the stream or past ten bytes. Bits past 64 are dropped, as Java drops them. */
PMN_INLINE bool take_varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (*p >= end) return false;
        uint8_t byte = *(*p)++;
        if (shift < 64) v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = v;
            return true;
        }
    }
    return false;
}

/* A run that begins at pos: how many values it has and how many bytes it takes, without decoding it; 0 values if it is cut or damaged. */
typedef struct run {
    int32_t n;
    int64_t bytes;
} run;

static run measure_v1(const pmn_orc_ints *r)
{
    const uint8_t *p = r->s.pos, *end = r->s.end;
    uint64_t ignored;
    run none = { 0, 0 };
    if (p >= end) return none;
    uint8_t control = *p++;
    if (control < 0x80) {
        if (p >= end) return none;
        p++;
        if (!take_varint(&p, end, &ignored)) return none;
        return (run){ control + 3, p - r->s.pos };
    }
    int32_t n = 256 - control;
    for (int32_t i = 0; i < n; i++) {
        if (!take_varint(&p, end, &ignored)) return none;
    }
    return (run){ n, p - r->s.pos };
}

static run measure_v2(const pmn_orc_ints *r)
{
    const uint8_t *p = r->s.pos, *end = r->s.end;
    int64_t have = end - p, bytes;
    run none = { 0, 0 };
    uint64_t ignored;
    if (have < 2) return none;
    unsigned width = coded_width(p[0] >> 1 & 31);
    int32_t n = ((p[0] & 1) << 8 | p[1]) + 1;
    switch (p[0] >> 6) {
    case 0:
        n = (p[0] & 7) + 3;
        bytes = 2 + (p[0] >> 3 & 7);
        break;
    case 1: bytes = 2 + ((int64_t)n * width + 7) / 8; break;
    case 2: {
        if (have < 4) return none;
        unsigned base = (p[2] >> 5) + 1u, patch = coded_width(p[2] & 31), gap = (p[3] >> 5) + 1u;
        bytes = 4 + (int64_t)base + ((int64_t)n * width + 7) / 8 + ((int64_t)(p[3] & 31) * rounded_width(patch + gap) + 7) / 8;
        break;
    }
    default:
        p += 2;
        if (!take_varint(&p, end, &ignored) || !take_varint(&p, end, &ignored)) return none;
        bytes = p - r->s.pos;
        if (r->s.pos[0] >> 1 & 31) bytes += ((int64_t)(n > 2 ? n - 2 : 0) * width + 7) / 8;
        break;
    }
    return bytes <= have ? (run){ n, bytes } : none;
}

static void decode_v1(const pmn_orc_ints *r, run run, int64_t *dst)
{
    const uint8_t *p = r->s.pos, *end = r->s.end;
    uint8_t control = *p++;
    uint64_t v = 0;
    if (control < 0x80) {
        uint64_t step = (uint64_t)(int64_t)(int8_t)*p++;
        (void)take_varint(&p, end, &v);
        v = (uint64_t)decoded(v, r->is_signed);
        for (int32_t i = 0; i < run.n; i++, v += step) dst[i] = (int64_t)v;
        return;
    }
    for (int32_t i = 0; i < run.n; i++) {
        (void)take_varint(&p, end, &v);
        dst[i] = decoded(v, r->is_signed);
    }
}

/* Values are non-negative offsets from the base; patches give a few of them more high bits. */
static bool decode_patched(const pmn_orc_ints *r, run run, int64_t *dst)
{
    const uint8_t *p = r->s.pos;
    unsigned width = coded_width(p[0] >> 1 & 31), base_bytes = (p[2] >> 5) + 1u, patch_width = coded_width(p[2] & 31), gap_width = (p[3] >> 5) + 1u;
    int32_t n_patches = p[3] & 31;
    if (patch_width + gap_width > 64) return false;
    int64_t patches[32 + 8], at = 0;
    uint64_t base = pmn_load_be64(p + 4) >> (64 - 8 * base_bytes), sign = UINT64_C(1) << (8 * base_bytes - 1);
    if (base & sign) base = UINT64_C(0) - (base & ~sign);
    p += 4 + base_bytes;
    unpack_unsigned(p, run.n, width, dst);
    unpack_unsigned(p + ((int64_t)run.n * width + 7) / 8, n_patches, rounded_width(patch_width + gap_width), patches);
    for (int32_t i = 0; i < n_patches; i++) {
        uint64_t bits = (uint64_t)patches[i] & (patch_width == 64 ? UINT64_MAX : (UINT64_C(1) << patch_width) - 1);
        at += (int64_t)((uint64_t)patches[i] >> patch_width);
        if (bits == 0) continue; /* a gap too wide for its bits is spelled with patches of nothing */
        if (at >= run.n || width >= 64) return false;
        dst[at] = (int64_t)((uint64_t)dst[at] | bits << width);
    }
    for (int32_t i = 0; i < run.n; i++) dst[i] = (int64_t)((uint64_t)dst[i] + base);
    return true;
}

static void decode_delta(const pmn_orc_ints *r, run run, int64_t *dst)
{
    const uint8_t *p = r->s.pos + 2, *end = r->s.end;
    unsigned code = r->s.pos[0] >> 1 & 31;
    uint64_t first = 0, step = 0;
    (void)take_varint(&p, end, &first);
    (void)take_varint(&p, end, &step);
    uint64_t v = (uint64_t)decoded(first, r->is_signed);
    step = (uint64_t)zigzag(step);
    if (code == 0) {
        for (int32_t i = 0; i < run.n; i++, v += step) dst[i] = (int64_t)v;
        return;
    }
    dst[0] = (int64_t)v;
    if (run.n < 2) return;
    v += step;
    dst[1] = (int64_t)v;
    unpack_unsigned(p, run.n - 2, coded_width(code), dst + 2);
    /* The first step tells the direction of all. */
    if ((int64_t)step < 0) {
        for (int32_t i = 2; i < run.n; i++) dst[i] = (int64_t)(v -= (uint64_t)dst[i]);
    } else {
        for (int32_t i = 2; i < run.n; i++) dst[i] = (int64_t)(v += (uint64_t)dst[i]);
    }
}

/* A short run, the most frequent kind where values are few: `room` ≥ 10 values. */
PMN_INLINE int32_t decode_repeat(pmn_orc_ints *r, int64_t *dst)
{
    const uint8_t *p = r->s.pos;
    unsigned width = (p[0] >> 3) + 1u;
    int64_t v = decoded(pmn_load_be64(p + 1) >> (64 - 8 * width), r->is_signed);
    for (int i = 0; i < 10; i++) dst[i] = v;
    r->s.pos = p + 1 + width;
    return (p[0] & 7) + 3;
}

static paimon_status decode_run(pmn_orc_ints *r, run run, int64_t *dst, paimon_error *err)
{
    bool fine = true;
    if (!r->v2) {
        decode_v1(r, run, dst);
    } else {
        switch (r->s.pos[0] >> 6) {
        case 0: (void)decode_repeat(r, dst); return PAIMON_OK;
        case 1: pmn_orc_unpack(r->s.pos + 2, run.n, coded_width(r->s.pos[0] >> 1 & 31), r->is_signed, dst); break;
        case 2: fine = decode_patched(r, run, dst); break;
        default: decode_delta(r, run, dst); break;
        }
    }
    r->s.pos += run.bytes;
    return fine ? PAIMON_OK : damaged(r, "with patches that do not fit", err);
}

/* The next run, measured. */
static paimon_status find_run(pmn_orc_ints *r, run *out, paimon_error *err)
{
    PMN_TRY(pmn_orc_stream_ensure(&r->s, LARGEST_RUN_BYTES, err));
    *out = r->v2 ? measure_v2(r) : measure_v1(r);
    if (PMN_LIKELY(out->n > 0)) return PAIMON_OK;
    return r->s.pos >= r->s.end ? pmn_orc_stream_cut(&r->s, err) : damaged(r, "that is cut short", err);
}

/* The run at pos is longer than what is wanted of it: keep it. */
static paimon_status keep_run(pmn_orc_ints *r, run run, paimon_error *err)
{
    PMN_TRY(need_values(r, err));
    r->at = r->n = 0;
    PMN_TRY(decode_run(r, run, r->values, err));
    r->n = run.n;
    return PAIMON_OK;
}

paimon_status pmn_orc_ints_read(pmn_orc_ints *r, int64_t *dst, int64_t n, paimon_error *err)
{
    while (n > 0) {
        if (r->at < r->n) {
            int32_t m = r->n - r->at < n ? r->n - r->at : (int32_t)n;
            memcpy(dst, r->values + r->at, (size_t)m * sizeof *dst);
            r->at += m;
            dst += m;
            n -= m;
            continue;
        }
        if (r->v2) {
            /* Short runs one behind the other, with nothing between them. */
            while (r->s.end - r->s.pos >= 10 && r->s.pos[0] < 0x40 && n >= 10) {
                int32_t m = decode_repeat(r, dst);
                dst += m;
                n -= m;
            }
            if (n == 0) return PAIMON_OK;
        }
        run run;
        PMN_TRY(find_run(r, &run, err));
        if (run.n > n) {
            PMN_TRY(keep_run(r, run, err));
        } else {
            PMN_TRY(decode_run(r, run, dst, err));
            dst += run.n;
            n -= run.n;
        }
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_ints_skip(pmn_orc_ints *r, int64_t n, paimon_error *err)
{
    while (n > 0) {
        if (r->at == r->n) {
            run run;
            PMN_TRY(find_run(r, &run, err));
            if (run.n <= n) {
                r->s.pos += run.bytes;
                n -= run.n;
                continue;
            }
            PMN_TRY(keep_run(r, run, err));
        }
        int32_t m = r->n - r->at < n ? r->n - r->at : (int32_t)n;
        r->at += m;
        n -= m;
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_ints_seek(pmn_orc_ints *r, pmn_orc_positions *positions, paimon_error *err)
{
    uint64_t inside;
    r->at = r->n = 0;
    PMN_TRY(pmn_orc_stream_seek(&r->s, positions, err));
    if (!pmn_orc_position(positions, &inside) || inside > PMN_ORC_LONGEST_RUN) {
        return pmn_fail(err, PAIMON_CORRUPT, "the row index has too few positions, or points past a run");
    }
    return pmn_orc_ints_skip(r, (int64_t)inside, err);
}
