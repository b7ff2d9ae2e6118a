/* Every codec against the library that compresses: exact and appended, cut, damaged, too long, too short, and lying about its size. */
#include "support/unit.h"

#include <bzlib.h>
#include <libdeflate.h>
#include <lz4.h>
#include <lz4frame.h>
#include <lzma.h>
#include <snappy-c.h>
#include <zstd.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "support/failing_alloc.h"

typedef struct packed {
    uint8_t *data;
    size_t size;
} packed;

static packed room(size_t n)
{
    packed p = { malloc(n + 1), n };
    return p;
}

/* Compress `n` bytes as `codec`. `flavour` picks among the forms of one codec. */
static packed pack(pmn_codec codec, const uint8_t *raw, size_t n, int flavour)
{
    packed p = room(n + n / 2 + 4096);
    struct libdeflate_compressor *deflate = libdeflate_alloc_compressor(6);
    switch (codec) {
    case PMN_CODEC_NONE:
        memcpy(p.data, raw, n);
        p.size = n;
        break;
    case PMN_CODEC_SNAPPY: snappy_compress((const char *)raw, n, (char *)p.data, &p.size); break;
    case PMN_CODEC_GZIP:
        if (flavour == 1) {
            p.size = libdeflate_zlib_compress(deflate, raw, n, p.data, p.size);
        } else if (flavour == 2) { /* two members */
            size_t first = libdeflate_gzip_compress(deflate, raw, n / 3, p.data, p.size);
            p.size = first + libdeflate_gzip_compress(deflate, raw + n / 3, n - n / 3, p.data + first, p.size - first);
        } else {
            p.size = libdeflate_gzip_compress(deflate, raw, n, p.data, p.size);
        }
        break;
    case PMN_CODEC_DEFLATE: p.size = libdeflate_deflate_compress(deflate, raw, n, p.data, p.size); break;
    case PMN_CODEC_ZLIB: p.size = libdeflate_zlib_compress(deflate, raw, n, p.data, p.size); break;
    case PMN_CODEC_ZSTD: {
        ZSTD_CCtx *c = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, flavour == 0);
        ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, flavour & 1);
        size_t first = flavour == 2 ? ZSTD_compress2(c, p.data, p.size, raw, n / 3) : 0, skipped = flavour == 2 ? n / 3 : 0;
        p.size = first + ZSTD_compress2(c, p.data + first, p.size - first, raw + skipped, n - skipped);
        ZSTD_freeCCtx(c);
        break;
    }
    case PMN_CODEC_LZ4_RAW: p.size = (size_t)LZ4_compress_default((const char *)raw, (char *)p.data, (int)n, (int)p.size); break;
    case PMN_CODEC_LZ4_HADOOP:
        if (flavour == 0) { /* Hadoop's framing, two blocks */
            size_t pos = 0, out = 0;
            for (int part = 0; part < 2; part++) {
                size_t size = part ? n - pos : n / 3;
                if (size == 0) continue;
                int c = LZ4_compress_default((const char *)raw + pos, (char *)p.data + out + 8, (int)size, (int)(p.size - out - 8));
                pmn_store_be32(p.data + out, (uint32_t)size);
                pmn_store_be32(p.data + out + 4, (uint32_t)c);
                out += 8 + (size_t)c;
                pos += size;
            }
            p.size = out;
        } else if (flavour == 1) {
            p.size = LZ4F_compressFrame(p.data, p.size, raw, n, NULL);
        } else {
            p.size = (size_t)LZ4_compress_default((const char *)raw, (char *)p.data, (int)n, (int)p.size);
        }
        break;
    case PMN_CODEC_BZIP2: {
        unsigned size = (unsigned)p.size, first = 0;
        if (flavour == 2) {
            first = size;
            BZ2_bzBuffToBuffCompress((char *)p.data, &first, (char *)(uintptr_t)raw, (unsigned)(n / 3), 1, 0, 0);
            size -= first;
        }
        size_t skipped = flavour == 2 ? n / 3 : 0;
        BZ2_bzBuffToBuffCompress((char *)p.data + first, &size, (char *)(uintptr_t)raw + skipped, (unsigned)(n - skipped), 1, 0, 0);
        p.size = first + size;
        break;
    }
    case PMN_CODEC_XZ: {
        size_t out = 0;
        lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, raw, n, p.data, &out, p.size);
        p.size = out;
        break;
    }
    case PMN_CODEC_BROTLI:
    case PMN_CODEC_LZO: break;
    }
    libdeflate_free_compressor(deflate);
    /* To the byte, so that the address sanitizer sees what is read behind it. */
    packed exact = room(0);
    free(exact.data);
    exact.data = malloc(p.size ? p.size : 1);
    memcpy(exact.data, p.data, p.size);
    exact.size = p.size;
    free(p.data);
    return exact;
}

static const pmn_codec all_codecs[] = { PMN_CODEC_NONE,    PMN_CODEC_SNAPPY,     PMN_CODEC_GZIP,  PMN_CODEC_DEFLATE, PMN_CODEC_ZLIB, PMN_CODEC_ZSTD,
                                        PMN_CODEC_LZ4_RAW, PMN_CODEC_LZ4_HADOOP, PMN_CODEC_BZIP2, PMN_CODEC_XZ };
#define N_CODECS (sizeof all_codecs / sizeof *all_codecs)

/* `kind` 0: noise, 1: words, 2: zeros. */
static uint8_t *make_raw(size_t n, int kind)
{
    uint64_t seed = n + (uint64_t)kind;
    uint8_t *raw = malloc(n + 1);
    for (size_t i = 0; i < n; i++) raw[i] = kind == 0 ? (uint8_t)random_next(&seed) : kind == 1 ? (uint8_t)("some words "[i % 11] + random_below(&seed, 2)) : 0;
    return raw;
}

typedef void (*judge)(pmn_decompressor *d, pmn_codec codec, const uint8_t *raw, size_t n, packed p);

/* Everything packed once: compressing is what takes the time. */
typedef struct sample {
    pmn_codec codec;
    uint8_t *raw;
    size_t n;
    packed p;
} sample;

static sample samples[N_CODECS * 7 * 3 * 3];
static size_t n_samples;

static int pack_samples(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 5, 100, 1000, 70000, 300000 };
    for (size_t c = 0; c < N_CODECS; c++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int kind = 0; kind < 3; kind++)
                for (int flavour = 0; flavour < 3; flavour++) {
                    if (sizes[i] > 100000 && kind != 1) continue;
                    sample *s = &samples[n_samples++];
                    s->codec = all_codecs[c];
                    s->n = sizes[i];
                    s->raw = make_raw(s->n, kind);
                    s->p = pack(s->codec, s->raw, s->n, flavour);
                }
    return 0;
}

static int free_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_samples; i++) {
        free(samples[i].raw);
        free(samples[i].p.data);
    }
    return 0;
}

static void for_all(judge one)
{
    pmn_decompressor *d;
    assert_int_equal(pmn_decompressor_new(pmn_mem_default(), &d, NULL), PAIMON_OK);
    for (size_t i = 0; i < n_samples; i++) one(d, samples[i].codec, samples[i].raw, samples[i].n, samples[i].p);
    pmn_decompressor_free(d);
}

static void judge_exact(pmn_decompressor *d, pmn_codec codec, const uint8_t *raw, size_t n, packed p)
{
    paimon_error err = PAIMON_ERROR_INIT;
    uint8_t *dst = malloc(n + 64);
    if (pmn_decompress(d, codec, pmn_slice_of(p.data, p.size), dst, n, &err) != PAIMON_OK) fail_msg("%s of %zu: %s", pmn_codec_name(codec), n, paimon_error_message(&err));
    assert_memory_equal(dst, raw, n);
    free(dst);
}

static void judge_wrong_size(pmn_decompressor *d, pmn_codec codec, const uint8_t *raw, size_t n, packed p)
{
    (void)raw;
    uint8_t *dst = malloc(n + 65);
    assert_int_equal(pmn_decompress(d, codec, pmn_slice_of(p.data, p.size), dst, n + 1, NULL), PAIMON_CORRUPT);
    if (n > 0) assert_int_equal(pmn_decompress(d, codec, pmn_slice_of(p.data, p.size), dst, n - 1, NULL), PAIMON_CORRUPT);
    if (n > 0) assert_int_equal(pmn_decompress(d, codec, pmn_slice_of(p.data, p.size), dst, 0, NULL), PAIMON_CORRUPT);
    free(dst);
}

static void judge_append(pmn_decompressor *d, pmn_codec codec, const uint8_t *raw, size_t n, packed p)
{
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_buf out;
    if (codec == PMN_CODEC_LZ4_HADOOP && n == 0) return; /* nothing at all: no block, no frame */
    pmn_buf_init(&out, pmn_mem_default(), n + 7);
    assert_int_equal(pmn_buf_append(&out, "before:", 7, NULL), PAIMON_OK);
    if (pmn_decompress_append(d, codec, pmn_slice_of(p.data, p.size), &out, &err) != PAIMON_OK) fail_msg("%s of %zu: %s", pmn_codec_name(codec), n, paimon_error_message(&err));
    assert_int_equal(out.size, n + 7);
    assert_memory_equal(out.data, "before:", 7);
    assert_memory_equal(out.data + 7, raw, n);
    pmn_buf_free(&out);
    if (n == 0) return;
    pmn_buf_init(&out, pmn_mem_default(), n - 1);
    assert_int_equal(pmn_decompress_append(d, codec, pmn_slice_of(p.data, p.size), &out, NULL), PAIMON_NOMEM);
    assert_int_equal(out.size, 0);
    pmn_buf_free(&out);
}

/* Damage must never crash or hang; where it goes unseen the size is still the one asked for. */
static void judge_damage(pmn_decompressor *d, pmn_codec codec, const uint8_t *raw, size_t n, packed p)
{
    (void)raw;
    uint64_t seed = n;
    uint8_t *dst = malloc(n + 64);
    int rounds = n > 10000 || codec >= PMN_CODEC_BZIP2 ? 2 : 20;
    for (int i = 0; i < rounds && p.size > 0; i++) {
        size_t cut = (size_t)random_below(&seed, p.size), at = (size_t)random_below(&seed, p.size < 40 ? p.size : 40);
        uint8_t *bytes = malloc(cut ? cut : 1);
        memcpy(bytes, p.data, cut);
        pmn_buf out;
        pmn_buf_init(&out, pmn_mem_default(), n + 100);
        paimon_status status = pmn_decompress(d, codec, pmn_slice_of(bytes, cut), dst, n, NULL);
        if (codec != PMN_CODEC_GZIP && codec != PMN_CODEC_BZIP2 && n > 0 && cut > 0) assert_true(status == PAIMON_CORRUPT || codec == PMN_CODEC_DEFLATE);
        if (pmn_decompress_append(d, codec, pmn_slice_of(bytes, cut), &out, NULL) != PAIMON_OK) assert_int_equal(out.size, 0);
        uint8_t old = p.data[at];
        p.data[at] ^= (uint8_t)(1 + random_below(&seed, 255));
        (void)!pmn_decompress(d, codec, pmn_slice_of(p.data, p.size), dst, n, NULL);
        out.size = 0;
        (void)!pmn_decompress_append(d, codec, pmn_slice_of(p.data, p.size), &out, NULL);
        p.data[at] = old;
        pmn_buf_free(&out);
        free(bytes);
    }
    free(dst);
}

static void every_codec_gives_exactly_what_was_put_in(void **state)
{
    (void)state;
    for_all(judge_exact);
}
static void another_size_than_expected_is_corrupt(void **state)
{
    (void)state;
    for_all(judge_wrong_size);
}
static void streams_without_a_size_are_appended_up_to_the_ceiling(void **state)
{
    (void)state;
    for_all(judge_append);
}
static void damage_is_told_and_never_more(void **state)
{
    (void)state;
    for_all(judge_damage);
}

static void small_inputs_that_claim_much_allocate_little(void **state)
{
    (void)state;
    pmn_decompressor *d;
    pmn_mem *mem = pmn_mem_new(NULL, 0);
    assert_int_equal(pmn_decompressor_new(mem, &d, NULL), PAIMON_OK);
    pmn_buf out;
    pmn_buf_init(&out, mem, (size_t)1 << 34);
    /* zstd: one segment of 2^40 bytes, no block */
    static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0 };
    assert_int_not_equal(pmn_decompress_append(d, PMN_CODEC_ZSTD, pmn_slice_of(zstd, sizeof zstd), &out, NULL), PAIMON_OK);
    /* snappy: 2^32 - 1 bytes */
    static const uint8_t snappy[] = { 0xff, 0xff, 0xff, 0xff, 0x0f, 0 };
    assert_int_equal(pmn_decompress_append(d, PMN_CODEC_SNAPPY, pmn_slice_of(snappy, sizeof snappy), &out, NULL), PAIMON_CORRUPT);
    /* lz4: a Hadoop block of 4 GB */
    static const uint8_t lz4[] = { 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0 };
    assert_int_not_equal(pmn_decompress_append(d, PMN_CODEC_LZ4_HADOOP, pmn_slice_of(lz4, sizeof lz4), &out, NULL), PAIMON_OK);
    assert_true(pmn_mem_peak(mem) < 1 << 20);
    pmn_buf_free(&out);
    pmn_decompressor_free(d);
    pmn_mem_release(mem);
}

/* Four bytes copied from where they are written: the library would hand out what was there before. */
static void lz4_matches_at_no_distance_are_refused(void **state)
{
    (void)state;
    /* no literals, a match of 4 at distance 0; then 20 literals, so that the block ends as it must */
    static const uint8_t block[] = { 0x00, 0x00, 0x00, 0xf0, 5, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't' };
    uint8_t dst[24 + 64];
    pmn_decompressor *d;
    assert_int_equal(pmn_decompressor_new(pmn_mem_default(), &d, NULL), PAIMON_OK);
    assert_int_equal(pmn_decompress(d, PMN_CODEC_LZ4_RAW, pmn_slice_of(block, sizeof block), dst, 24, NULL), PAIMON_CORRUPT);
    pmn_decompressor_free(d);
}

static void many_empty_zstd_blocks_stream_within_the_ceiling(void **state)
{
    (void)state;
    /* A frame of 100000 repeated-byte blocks of 128 KB each is 12 GB from 400 KB. */
    enum { N = 100000 };
    uint8_t *frame = malloc(6 + 4 * N);
    memcpy(frame, "\x28\xb5\x2f\xfd\x00\x38", 6); /* a window of 128 KB */
    for (int i = 0; i < N; i++) memcpy(frame + 6 + 4 * i, i + 1 < N ? "\x02\x00\x10x" : "\x03\x00\x10x", 4);
    pmn_decompressor *d;
    pmn_buf out;
    assert_int_equal(pmn_decompressor_new(pmn_mem_default(), &d, NULL), PAIMON_OK);
    pmn_buf_init(&out, pmn_mem_default(), 1 << 24);
    assert_int_equal(pmn_decompress_append(d, PMN_CODEC_ZSTD, pmn_slice_of(frame, 6 + 4 * N), &out, NULL), PAIMON_NOMEM);
    assert_int_equal(out.size, 0);
    frame[6 + 4 * 99] = 3; /* the hundredth is the last */
    assert_int_equal(pmn_decompress_append(d, PMN_CODEC_ZSTD, pmn_slice_of(frame, 6 + 4 * 100), &out, NULL), PAIMON_OK);
    assert_int_equal(out.size, 100 * 131072);
    pmn_buf_free(&out);
    pmn_decompressor_free(d);
    free(frame);
}

static void brotli_pages_decode(void **state)
{
    (void)state;
    /* 64 bytes of 'a', by the reference encoder. */
    static const uint8_t page[] = { 0x1b, 0x3f, 0x00, 0xf8, 0x25, 0xc2, 0xe2, 0x8c, 0x00, 0xc0, 0x00 };
    pmn_decompressor *d;
    pmn_buf out;
    uint8_t dst[128];
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(pmn_decompressor_new(pmn_mem_default(), &d, NULL), PAIMON_OK);
    pmn_buf_init(&out, pmn_mem_default(), 1000);
#if defined(PAIMON_WITH_BROTLI)
    if (pmn_decompress_append(d, PMN_CODEC_BROTLI, pmn_slice_of(page, sizeof page), &out, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    assert_int_equal(out.size, 64);
    for (size_t i = 0; i < out.size; i++) assert_int_equal(out.data[i], 'a');
    assert_int_equal(pmn_decompress(d, PMN_CODEC_BROTLI, pmn_slice_of(page, sizeof page), dst, 64, &err), PAIMON_OK);
    assert_int_equal(pmn_decompress(d, PMN_CODEC_BROTLI, pmn_slice_of(page, sizeof page), dst, 63, &err), PAIMON_CORRUPT);
    assert_int_equal(pmn_decompress(d, PMN_CODEC_BROTLI, pmn_slice_of(page, sizeof page), dst, 65, &err), PAIMON_CORRUPT);
    assert_int_equal(pmn_decompress(d, PMN_CODEC_BROTLI, pmn_slice_of(page, 5), dst, 64, &err), PAIMON_CORRUPT);
#else
    assert_int_equal(pmn_decompress(d, PMN_CODEC_BROTLI, pmn_slice_of(page, sizeof page), dst, 64, &err), PAIMON_UNSUPPORTED);
#endif
    paimon_error_clear(&err);
    pmn_buf_free(&out);
    pmn_decompressor_free(d);
}

static void lzo_is_refused_by_name(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT;
    uint8_t dst[64];
    assert_int_equal(pmn_decompress(NULL, PMN_CODEC_LZO, pmn_slice_of("", 0), dst, 0, &err), PAIMON_UNSUPPORTED);
    assert_non_null(strstr(paimon_error_message(&err), "lzo"));
    paimon_error_clear(&err);
}

static void crc_is_the_one_of_gzip(void **state)
{
    (void)state;
    assert_int_equal(pmn_crc32(0, "123456789", 9), 0xcbf43926);
}

static paimon_status decode_all(pmn_mem *mem, void *arg)
{
    const packed *all = arg;
    pmn_decompressor *d;
    PMN_TRY(pmn_decompressor_new(mem, &d, NULL));
    paimon_status status = PAIMON_OK;
    for (size_t i = 0; i < 3 * N_CODECS && status == PAIMON_OK; i++) {
        pmn_buf out;
        pmn_buf_init(&out, mem, 1 << 20);
        status = pmn_decompress_append(d, all_codecs[i / 3], pmn_slice_of(all[i].data, all[i].size), &out, NULL);
        pmn_buf_free(&out);
    }
    pmn_decompressor_free(d);
    return status;
}

static void every_refusal_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    packed all[3 * N_CODECS];
    uint8_t *raw = make_raw(20000, 2);
    for (size_t i = 0; i < 3 * N_CODECS; i++) all[i] = pack(all_codecs[i / 3], raw, 20000, (int)(i % 3));
    assert_true(failing_alloc_sweep(decode_all, all) > 20);
    for (size_t i = 0; i < 3 * N_CODECS; i++) free(all[i].data);
    free(raw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_codec_gives_exactly_what_was_put_in),
        cmocka_unit_test(another_size_than_expected_is_corrupt),
        cmocka_unit_test(streams_without_a_size_are_appended_up_to_the_ceiling),
        cmocka_unit_test(damage_is_told_and_never_more),
        cmocka_unit_test(small_inputs_that_claim_much_allocate_little),
        cmocka_unit_test(lz4_matches_at_no_distance_are_refused),
        cmocka_unit_test(many_empty_zstd_blocks_stream_within_the_ceiling),
        cmocka_unit_test(brotli_pages_decode),
        cmocka_unit_test(lzo_is_refused_by_name),
        cmocka_unit_test(crc_is_the_one_of_gzip),
        cmocka_unit_test(every_refusal_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("codec", tests, pack_samples, free_samples);
}
