/* Streams and runs of ORC, against plain encoders that take a bit at a time: every kind of run and width, cut into chunks anywhere, read in
 * pieces, skipped, sought; and damaged. */
#include "support/unit.h"

#include "base/bitmap.h"
#include "codec/compress.h"
#include "format/orc/rle.h"

typedef struct bytes {
    uint8_t *data;
    size_t n, capacity;
} bytes;

static void put(bytes *b, uint8_t byte)
{
    if (b->n == b->capacity) b->data = realloc(b->data, b->capacity = b->capacity * 2 + 64);
    b->data[b->n++] = byte;
}

static void put_varint(bytes *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) put(b, (uint8_t)(v | 0x80));
    put(b, (uint8_t)v);
}

static uint64_t zigzag_of(int64_t v) { return (uint64_t)v << 1 ^ (uint64_t)(v >> 63); }

static void put_packed(bytes *b, const uint64_t *values, int n, int width)
{
    int used = 0;
    uint8_t byte = 0;
    for (int i = 0; i < n; i++) {
        for (int k = width - 1; k >= 0; k--) {
            byte = (uint8_t)(byte << 1 | (values[i] >> k & 1));
            if (++used == 8) {
                put(b, byte);
                used = byte = 0;
            }
        }
    }
    if (used) put(b, (uint8_t)(byte << (8 - used)));
}

static const int widths[32] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48, 56, 64 };

static uint64_t below_width(uint64_t *seed, int width)
{
    uint64_t v = random_next(seed);
    return width >= 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

/* A stream of values being made, and what must come out of it. */
typedef struct made {
    bytes b;
    int64_t *values;
    int64_t n;
    size_t capacity;
    size_t starts[4000]; /* of runs: byte and value */
    int64_t values_at[4000];
    int n_runs;
} made;

static void expect(made *m, int64_t v)
{
    if ((size_t)m->n == m->capacity) m->values = realloc(m->values, (m->capacity = m->capacity * 2 + 64) * sizeof *m->values);
    m->values[m->n++] = v;
}

static void free_made(made *m)
{
    free(m->b.data);
    free(m->values);
    free(m);
}

static void make_repeat(made *m, bool is_signed, uint64_t *seed)
{
    int n = 3 + (int)random_below(seed, 8), size = 1 + (int)random_below(seed, 8);
    uint64_t stored = below_width(seed, size * 8);
    put(&m->b, (uint8_t)((size - 1) << 3 | (n - 3)));
    for (int k = size - 1; k >= 0; k--) put(&m->b, (uint8_t)(stored >> (8 * k)));
    int64_t v = is_signed ? (int64_t)(stored >> 1) ^ -(int64_t)(stored & 1) : (int64_t)stored;
    for (int i = 0; i < n; i++) expect(m, v);
}

static void put_header(made *m, int kind, int code, int n)
{
    put(&m->b, (uint8_t)(kind << 6 | code << 1 | (n - 1) >> 8));
    put(&m->b, (uint8_t)(n - 1));
}

static void make_direct(made *m, bool is_signed, uint64_t *seed)
{
    int n = 1 + (int)random_below(seed, 512), code = (int)random_below(seed, 32);
    uint64_t stored[512];
    put_header(m, 1, code, n);
    for (int i = 0; i < n; i++) {
        stored[i] = below_width(seed, widths[code]);
        expect(m, is_signed ? (int64_t)(stored[i] >> 1) ^ -(int64_t)(stored[i] & 1) : (int64_t)stored[i]);
    }
    put_packed(&m->b, stored, n, widths[code]);
}

static int rounded(int width)
{
    for (int i = 0; i < 32; i++) {
        if (widths[i] >= width) return widths[i];
    }
    return 64;
}

static void make_patched(made *m, uint64_t *seed)
{
    int n = 20 + (int)random_below(seed, 493), code = (int)random_below(seed, 24), width = widths[code];
    int patch_code = (int)random_below(seed, 24), patch_width = widths[patch_code], gap_width = 8, base_size = 1 + (int)random_below(seed, 8);
    uint64_t stored[512], full[512], patches[31];
    int n_patches = 0, at = 0;
    for (int i = 0; i < n; i++) full[i] = stored[i] = below_width(seed, width);
    while (n_patches < 29) {
        int gap = (int)random_below(seed, 400), row = at + gap;
        if (row >= n || (n_patches && gap == 0)) break;
        for (; gap > 255; gap -= 255) patches[n_patches++] = UINT64_C(255) << patch_width; /* a gap alone */
        uint64_t bits = below_width(seed, patch_width) | 1;
        patches[n_patches++] = (uint64_t)gap << patch_width | bits;
        full[row] |= bits << width;
        at = row;
    }
    uint64_t base = below_width(seed, base_size * 8 - 1);
    bool negative = random_below(seed, 2);
    put_header(m, 2, code, n);
    put(&m->b, (uint8_t)((base_size - 1) << 5 | patch_code));
    put(&m->b, (uint8_t)((gap_width - 1) << 5 | n_patches));
    uint64_t spelled = base | (negative ? UINT64_C(1) << (base_size * 8 - 1) : 0);
    for (int k = base_size - 1; k >= 0; k--) put(&m->b, (uint8_t)(spelled >> (8 * k)));
    put_packed(&m->b, stored, n, width);
    put_packed(&m->b, patches, n_patches, rounded(patch_width + gap_width));
    for (int i = 0; i < n; i++) expect(m, (int64_t)(full[i] + (negative ? UINT64_C(0) - base : base)));
}

static void make_delta(made *m, bool is_signed, uint64_t *seed)
{
    int n = 2 + (int)random_below(seed, 511), code = (int)random_below(seed, 32), kind = (int)random_below(seed, 3);
    uint64_t v = kind == 0 ? random_next(seed) : random_below(seed, 1000), steps[512];
    int64_t step = (int64_t)random_below(seed, 2000) - 1000;
    if (random_below(seed, 3) == 0) code = 0; /* all steps are the same */
    put_header(m, 3, code, n);
    put_varint(&m->b, is_signed ? zigzag_of((int64_t)v) : v);
    put_varint(&m->b, zigzag_of(step));
    expect(m, (int64_t)v);
    v += (uint64_t)step;
    expect(m, (int64_t)v);
    for (int i = 0; i < n - 2; i++) {
        steps[i] = code == 0 ? 0 : below_width(seed, widths[code]);
        v += code == 0 ? (uint64_t)step : step < 0 ? UINT64_C(0) - steps[i] : steps[i];
        expect(m, (int64_t)v);
    }
    if (code) put_packed(&m->b, steps, n - 2, widths[code]);
}

static void make_v1(made *m, bool is_signed, uint64_t *seed)
{
    if (random_below(seed, 2)) {
        int n = 3 + (int)random_below(seed, 128);
        int8_t step = (int8_t)random_below(seed, 256);
        uint64_t v = below_width(seed, 1 + (int)random_below(seed, 64));
        put(&m->b, (uint8_t)(n - 3));
        put(&m->b, (uint8_t)step);
        put_varint(&m->b, is_signed ? zigzag_of((int64_t)v) : v);
        for (int i = 0; i < n; i++, v += (uint64_t)(int64_t)step) expect(m, (int64_t)v);
        return;
    }
    int n = 1 + (int)random_below(seed, 128);
    put(&m->b, (uint8_t)(256 - n));
    for (int i = 0; i < n; i++) {
        uint64_t v = below_width(seed, 1 + (int)random_below(seed, 64));
        put_varint(&m->b, is_signed ? zigzag_of((int64_t)v) : v);
        expect(m, (int64_t)v);
    }
}

static made *make_ints(bool v2, bool is_signed, int kind, int n_runs, uint64_t *seed)
{
    made *m = calloc(1, sizeof *m);
    for (; m->n_runs < n_runs; m->n_runs++) {
        m->starts[m->n_runs] = m->b.n;
        m->values_at[m->n_runs] = m->n;
        int k = kind >= 0 ? kind : (int)random_below(seed, 4);
        if (!v2) make_v1(m, is_signed, seed);
        else if (k == 0) make_repeat(m, is_signed, seed);
        else if (k == 1) make_direct(m, is_signed, seed);
        else if (k == 2) make_patched(m, seed);
        else make_delta(m, is_signed, seed);
    }
    return m;
}

/* --- a file that is nothing but one stream --- */

typedef struct stream {
    pmn_orc_file file;
    pmn_decompressors decompressors;
    pmn_orc_stream_info info;
    bytes stored;
    size_t chunks[70000]; /* raw byte where each begins, and where it is stored */
    size_t chunks_stored[70000];
    int n_chunks;
} stream;

static stream *store(pmn_slice raw, pmn_codec codec, size_t chunk, uint64_t *seed)
{
    stream *s = calloc(1, sizeof *s);
    pmn_compressor *c = NULL;
    pmn_buf packed;
    pmn_buf_init(&packed, pmn_mem_default(), PMN_BUF_NO_CEILING);
    if (codec != PMN_CODEC_NONE) assert_int_equal(pmn_compressor_new(pmn_mem_default(), codec, 0, &c, NULL), PAIMON_OK);
    for (size_t at = 0; at < raw.size;) {
        size_t n = codec == PMN_CODEC_NONE ? raw.size : 1 + (size_t)random_below(seed, chunk);
        if (n > raw.size - at) n = raw.size - at;
        s->chunks[s->n_chunks] = at;
        s->chunks_stored[s->n_chunks++] = s->stored.n;
        pmn_buf_clear(&packed);
        bool original = codec == PMN_CODEC_NONE || random_below(seed, 3) == 0;
        if (original) assert_int_equal(pmn_buf_append(&packed, raw.data + at, n, NULL), PAIMON_OK);
        else assert_int_equal(pmn_compress_append(c, pmn_slice_of(raw.data + at, n), &packed, NULL), PAIMON_OK);
        uint32_t head = (uint32_t)packed.size << 1 | original;
        for (int k = 0; k < 3 && codec != PMN_CODEC_NONE; k++) put(&s->stored, (uint8_t)(head >> (8 * k)));
        for (size_t i = 0; i < packed.size; i++) put(&s->stored, packed.data[i]);
        at += n;
    }
    pmn_buf_free(&packed);
    pmn_compressor_free(c);
    put(&s->stored, 0); /* so that there is memory even for nothing */
    s->file.mem = pmn_mem_default();
    s->file.meta.codec = codec;
    s->file.meta.chunk_size = (int64_t)chunk;
    s->file.tail = s->stored.data;
    s->file.tail_size = s->stored.n;
    s->file.size = (int64_t)s->stored.n;
    s->info.size = (int64_t)s->stored.n - 1;
    assert_true(pmn_decompressors_init(&s->decompressors, pmn_mem_default()));
    return s;
}

static void free_stream(stream *s)
{
    pmn_decompressors_free(&s->decompressors);
    free(s->stored.data);
    free(s);
}

/* The positions that a row index would tell for value `n`: its run, and how far into it. */
static int positions_of(const stream *s, const made *m, int64_t n, uint64_t *out)
{
    int run = 0, chunk = 0, k = 0;
    while (run + 1 < m->n_runs && m->values_at[run + 1] <= n) run++;
    while (chunk + 1 < s->n_chunks && s->chunks[chunk + 1] <= m->starts[run]) chunk++;
    if (s->file.meta.codec == PMN_CODEC_NONE) {
        out[k++] = m->starts[run];
    } else {
        out[k++] = s->chunks_stored[chunk];
        out[k++] = m->starts[run] - s->chunks[chunk];
    }
    out[k++] = (uint64_t)(n - m->values_at[run]);
    return k;
}

static void check_ints(const made *m, bool v2, bool is_signed, pmn_codec codec, size_t chunk, uint64_t *seed)
{
    stream *s = store(pmn_slice_of(m->b.data, m->b.n), codec, chunk, seed);
    pmn_orc_ints r;
    paimon_error err = PAIMON_ERROR_INIT;
    int64_t *got = malloc((20000 + PMN_ORC_INTS_SLACK) * sizeof *got);
    pmn_orc_ints_init(&r, &s->file, &s->decompressors, is_signed);
    pmn_orc_ints_begin(&r, &s->info, v2);
    for (int64_t at = 0; at < m->n;) {
        int64_t n = (int64_t)random_below(seed, random_below(seed, 2) ? 20 : 3000);
        if (n > m->n - at) n = m->n - at;
        switch (random_below(seed, 8)) {
        case 0:
            if (pmn_orc_ints_skip(&r, n, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
            break;
        case 1: {
            uint64_t positions[4];
            int k = positions_of(s, m, at, positions);
            pmn_orc_positions p = { positions, positions + k };
            if (pmn_orc_ints_seek(&r, &p, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
            n = 0;
            break;
        }
        default:
            if (pmn_orc_ints_read(&r, got, n, &err) != PAIMON_OK) fail_msg("value %lld of %lld: %s", (long long)at, (long long)m->n, paimon_error_message(&err));
            for (int64_t i = 0; i < n; i++) {
                if (got[i] != m->values[at + i]) fail_msg("value %lld is %lld, not %lld", (long long)(at + i), (long long)got[i], (long long)m->values[at + i]);
            }
        }
        at += n;
    }
    assert_int_equal(pmn_orc_ints_read(&r, got, 1, &err), PAIMON_CORRUPT); /* there is no more */
    paimon_error_clear(&err);
    pmn_orc_ints_free(&r);
    free(got);
    free_stream(s);
}

static void integers_come_back_from_every_kind_of_run(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int round = 0; round < (UNIT_SANITIZED ? 40 : 300); round++) {
        bool v2 = round % 6 != 5, is_signed = random_below(&seed, 2);
        made *m = make_ints(v2, is_signed, round % 6 < 4 ? round % 6 : -1, 1 + (int)random_below(&seed, 60), &seed);
        check_ints(m, v2, is_signed, PMN_CODEC_NONE, 1 << 18, &seed);
        check_ints(m, v2, is_signed, round & 1 ? PMN_CODEC_ZSTD : PMN_CODEC_SNAPPY, round % 3 ? 1 << 16 : 7, &seed);
        free_made(m);
    }
}

static void packed_values_of_all_widths_come_back(void **state)
{
    uint64_t seed = 5, values[512];
    int64_t got[512];
    (void)state;
    for (int width = 0; width <= 64; width++) {
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            int n = 1 + (int)random_below(&seed, 500);
            bytes b = { 0 };
            for (int i = 0; i < n; i++) values[i] = width ? below_width(&seed, width) : 0;
            put_packed(&b, values, n, width);
            for (int i = 0; i < 64; i++) put(&b, 0xa5);
            pmn_orc_unpack(b.data, n, (unsigned)width, is_signed, got);
            for (int i = 0; i < n; i++) assert_int_equal(got[i], is_signed ? (int64_t)(values[i] >> 1) ^ -(int64_t)(values[i] & 1) : (int64_t)values[i]);
            free(b.data);
        }
    }
}

static made *make_bytes(int n_runs, uint64_t *seed)
{
    made *m = calloc(1, sizeof *m);
    for (; m->n_runs < n_runs; m->n_runs++) {
        m->starts[m->n_runs] = m->b.n;
        m->values_at[m->n_runs] = m->n;
        bool literal = random_below(seed, 2);
        int n = literal ? 1 + (int)random_below(seed, 128) : 3 + (int)random_below(seed, 128);
        uint8_t byte = (uint8_t)random_next(seed);
        put(&m->b, (uint8_t)(literal ? 256 - n : n - 3));
        if (!literal) put(&m->b, byte);
        for (int i = 0; i < n; i++) {
            if (literal) put(&m->b, byte = (uint8_t)random_next(seed));
            expect(m, byte);
        }
    }
    return m;
}

static void bytes_come_back(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (int round = 0; round < 100; round++) {
        made *m = make_bytes(1 + (int)random_below(&seed, 300), &seed);
        stream *s = store(pmn_slice_of(m->b.data, m->b.n), round & 1 ? PMN_CODEC_ZSTD : PMN_CODEC_NONE, round % 3 ? 1 << 12 : 5, &seed);
        pmn_orc_bytes r;
        uint8_t got[1000];
        pmn_orc_bytes_init(&r, &s->file, &s->decompressors);
        pmn_orc_bytes_begin(&r, &s->info);
        for (int64_t at = 0; at < m->n;) {
            int64_t n = (int64_t)random_below(&seed, 1000);
            if (n > m->n - at) n = m->n - at;
            if (random_below(&seed, 8) == 0) {
                uint64_t positions[4];
                pmn_orc_positions p = { positions, positions + positions_of(s, m, at, positions) };
                assert_int_equal(pmn_orc_bytes_seek(&r, &p, NULL), PAIMON_OK);
                continue;
            }
            if (random_below(&seed, 4) == 0) {
                assert_int_equal(pmn_orc_bytes_skip(&r, n, NULL), PAIMON_OK);
            } else {
                assert_int_equal(pmn_orc_bytes_read(&r, got, n, NULL), PAIMON_OK);
                for (int64_t i = 0; i < n; i++) assert_int_equal(got[i], m->values[at + i]);
            }
            at += n;
        }
        assert_int_equal(pmn_orc_bytes_skip(&r, 1, NULL), PAIMON_CORRUPT);
        pmn_orc_bytes_free(&r);
        free_stream(s);
        free_made(m);
    }
}

static void booleans_come_back(void **state)
{
    uint64_t seed = 13;
    (void)state;
    for (int round = 0; round < 100; round++) {
        made *m = make_bytes(1 + (int)random_below(&seed, 100), &seed);
        stream *s = store(pmn_slice_of(m->b.data, m->b.n), round & 1 ? PMN_CODEC_ZSTD : PMN_CODEC_NONE, round % 3 ? 1 << 12 : 5, &seed);
        pmn_orc_bits r;
        uint64_t got[PMN_ORC_MOST_BITS / 64 + 2];
        pmn_orc_bits_init(&r, &s->file, &s->decompressors);
        pmn_orc_bits_begin(&r, &s->info);
        for (int64_t at = 0; at < m->n * 8;) {
            int64_t n = (int64_t)random_below(&seed, random_below(&seed, 2) ? 20 : PMN_ORC_MOST_BITS + 1);
            if (n > m->n * 8 - at) n = m->n * 8 - at;
            if (random_below(&seed, 8) == 0) {
                uint64_t positions[5];
                int k = positions_of(s, m, at / 8, positions);
                positions[k++] = (uint64_t)(at % 8);
                pmn_orc_positions p = { positions, positions + k };
                assert_int_equal(pmn_orc_bits_seek(&r, &p, NULL), PAIMON_OK);
            }
            assert_int_equal(pmn_orc_bits_read(&r, got, n, NULL), PAIMON_OK);
            for (int64_t i = 0; i < n; i++) assert_int_equal(pmn_bit_get((uint8_t *)got, i), m->values[(at + i) / 8] >> (7 - (at + i) % 8) & 1);
            at += n;
        }
        pmn_orc_bits_free(&r);
        free_stream(s);
        free_made(m);
    }
}

/* Whatever stands there: an answer, never a byte read outside. */
static void damaged_streams_are_refused_or_read(void **state)
{
    uint64_t seed = 17;
    int64_t got[600 + PMN_ORC_INTS_SLACK];
    (void)state;
    for (int round = 0; round < 2000; round++) {
        made *m = make_ints(round & 1, round & 2, -1, 1 + (int)random_below(&seed, 4), &seed);
        for (int k = 0; k < 3; k++) m->b.data[random_below(&seed, m->b.n < 24 ? m->b.n : 24)] = (uint8_t)random_next(&seed);
        size_t n = (size_t)random_below(&seed, m->b.n + 1);
        stream *s = store(pmn_slice_of(m->b.data, n), round & 4 ? PMN_CODEC_ZSTD : PMN_CODEC_NONE, 1 << 12, &seed);
        if (round & 8 && s->stored.n > 1) s->stored.data[random_below(&seed, s->stored.n)] ^= 0x10;
        pmn_orc_ints r;
        paimon_error err = PAIMON_ERROR_INIT;
        pmn_orc_ints_init(&r, &s->file, &s->decompressors, round & 2);
        pmn_orc_ints_begin(&r, &s->info, round & 1);
        paimon_status status = PAIMON_OK;
        for (int i = 0; i < 100 && status == PAIMON_OK; i++) {
            status = i & 1 ? pmn_orc_ints_skip(&r, (int64_t)random_below(&seed, 600), &err) : pmn_orc_ints_read(&r, got, (int64_t)random_below(&seed, 600), &err);
        }
        if (status != PAIMON_OK) assert_true(status == PAIMON_CORRUPT && paimon_error_message(&err)[0]);
        paimon_error_clear(&err);
        pmn_orc_ints_free(&r);
        free_stream(s);
        free_made(m);
    }
}

static void positions_out_of_a_stream_are_refused(void **state)
{
    uint64_t seed = 19;
    static const uint64_t wrong[][3] = { { 1000000, 0, 0 }, { 0, 1u << 30, 0 }, { 0, 100000, 0 }, { 0, 0, 513 }, { UINT64_MAX, UINT64_MAX, UINT64_MAX } };
    made *m = make_ints(true, true, 1, 3, &seed);
    stream *s = store(pmn_slice_of(m->b.data, m->b.n), PMN_CODEC_ZSTD, 1 << 16, &seed);
    pmn_orc_ints r;
    (void)state;
    pmn_orc_ints_init(&r, &s->file, &s->decompressors, true);
    pmn_orc_ints_begin(&r, &s->info, true);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pmn_orc_positions p = { wrong[i], wrong[i] + 3 };
        assert_int_equal(pmn_orc_ints_seek(&r, &p, NULL), PAIMON_CORRUPT);
    }
    pmn_orc_positions few = { wrong[0], wrong[0] + 1 };
    assert_int_equal(pmn_orc_ints_seek(&r, &few, NULL), PAIMON_CORRUPT);
    pmn_orc_ints_free(&r);
    free_stream(s);
    free_made(m);
}

/* A chunk may not be larger than the file says. */
static void chunks_that_are_too_large_are_refused(void **state)
{
    uint64_t seed = 23;
    bytes b = { 0 };
    (void)state;
    for (int i = 0; i < 100000; i++) put(&b, 0);
    for (int codec = PMN_CODEC_SNAPPY; codec <= PMN_CODEC_ZSTD; codec += PMN_CODEC_ZSTD - PMN_CODEC_SNAPPY) {
        stream *s = store(pmn_slice_of(b.data, b.n), codec, b.n, &seed);
        s->file.meta.chunk_size = 1000;
        pmn_orc_stream r;
        paimon_error err = PAIMON_ERROR_INIT;
        uint8_t got[4000];
        pmn_orc_stream_init(&r, &s->file, &s->decompressors);
        pmn_orc_stream_begin(&r, &s->info);
        assert_int_equal(pmn_orc_stream_read(&r, sizeof got, got, &err), PAIMON_CORRUPT);
        assert_non_null(strstr(paimon_error_message(&err), "1000"));
        paimon_error_clear(&err);
        pmn_orc_stream_free(&r);
        free_stream(s);
    }
    free(b.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_come_back_from_every_kind_of_run), cmocka_unit_test(packed_values_of_all_widths_come_back),
        cmocka_unit_test(bytes_come_back),                           cmocka_unit_test(booleans_come_back),
        cmocka_unit_test(damaged_streams_are_refused_or_read),       cmocka_unit_test(positions_out_of_a_stream_are_refused),
        cmocka_unit_test(chunks_that_are_too_large_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
