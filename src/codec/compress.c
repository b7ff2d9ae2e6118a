#include "codec/compress.h"

#include <bzlib.h>
#include <libdeflate.h>
#include <limits.h>
#include <lz4.h>
#include <lzma.h>
#include <snappy-c.h>
#include <zstd.h>

#include "base/bytes.h"

#define DEFLATE_LEVEL 6
#define BZIP2_LEVEL 9

struct pmn_compressor {
    pmn_mem *mem; /* retained */
    pmn_codec codec;
    int level;
    ZSTD_CCtx *zstd;
    struct libdeflate_compressor *deflate;
};

static bool can_compress(pmn_codec codec)
{
    return codec != PMN_CODEC_LZO && codec != PMN_CODEC_BROTLI;
}

paimon_status pmn_compressor_new(pmn_mem *mem, pmn_codec codec, int level, pmn_compressor **out, paimon_error *err)
{
    if (!can_compress(codec)) return pmn_fail(err, PAIMON_UNSUPPORTED, "writing the compression \"%s\" is not supported", pmn_codec_name(codec));
    pmn_compressor *c = pmn_calloc(mem, 1, sizeof *c);
    if (!c) return pmn_fail_nomem(err, "a compressor");
    c->mem = pmn_mem_retain(mem);
    c->codec = codec;
    c->level = level;
    *out = c;
    return PAIMON_OK;
}

void pmn_compressor_free(pmn_compressor *c)
{
    if (!c) return;
    pmn_mem *mem = c->mem;
    ZSTD_freeCCtx(c->zstd);
    libdeflate_free_compressor(c->deflate);
    pmn_free(mem, c, sizeof *c);
    pmn_mem_release(mem);
}

pmn_codec pmn_compressor_codec(const pmn_compressor *c)
{
    return c->codec;
}

static paimon_status fail_compress(const pmn_compressor *c, paimon_error *err)
{
    return pmn_fail(err, PAIMON_INTERNAL, "%s refused to compress", pmn_codec_name(c->codec));
}

static paimon_status compress_zstd(pmn_compressor *c, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    if (!c->zstd) c->zstd = ZSTD_createCCtx();
    if (!c->zstd) return pmn_fail_nomem(err, "a zstd context");
    PMN_TRY(pmn_buf_reserve(out, ZSTD_compressBound(src.size), err));
    size_t n = ZSTD_compressCCtx(c->zstd, out->data + out->size, out->capacity - out->size, src.data, src.size, c->level ? c->level : ZSTD_CLEVEL_DEFAULT);
    if (ZSTD_isError(n)) return fail_compress(c, err);
    out->size += n;
    return PAIMON_OK;
}

static paimon_status compress_snappy(pmn_compressor *c, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    size_t n = snappy_max_compressed_length(src.size);
    PMN_TRY(pmn_buf_reserve(out, n, err));
    if (snappy_compress((const char *)src.data, src.size, (char *)out->data + out->size, &n) != SNAPPY_OK) return fail_compress(c, err);
    out->size += n;
    return PAIMON_OK;
}

/* gzip, zlib and raw deflate differ in their frames alone. */
static paimon_status compress_deflate(pmn_compressor *c, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    if (!c->deflate) c->deflate = libdeflate_alloc_compressor(c->level ? c->level : DEFLATE_LEVEL);
    if (!c->deflate) return pmn_fail_nomem(err, "a deflate context");
    PMN_TRY(pmn_buf_reserve(out, libdeflate_gzip_compress_bound(c->deflate, src.size), err));
    uint8_t *dst = out->data + out->size;
    size_t room = out->capacity - out->size;
    size_t n = c->codec == PMN_CODEC_GZIP   ? libdeflate_gzip_compress(c->deflate, src.data, src.size, dst, room)
               : c->codec == PMN_CODEC_ZLIB ? libdeflate_zlib_compress(c->deflate, src.data, src.size, dst, room)
                                            : libdeflate_deflate_compress(c->deflate, src.data, src.size, dst, room);
    if (n == 0) return fail_compress(c, err);
    out->size += n;
    return PAIMON_OK;
}

/* A bare block; Hadoop's framing puts both sizes in front, big-endian. */
static paimon_status compress_lz4(pmn_compressor *c, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    size_t frame = c->codec == PMN_CODEC_LZ4_HADOOP ? 8 : 0;
    if (src.size > LZ4_MAX_INPUT_SIZE) return fail_compress(c, err);
    int bound = LZ4_compressBound((int)src.size);
    PMN_TRY(pmn_buf_reserve(out, (size_t)bound + frame, err));
    uint8_t *dst = out->data + out->size;
    int n = LZ4_compress_default((const char *)src.data, (char *)dst + frame, (int)src.size, bound);
    if (n <= 0) return fail_compress(c, err);
    if (frame) {
        pmn_store_be32(dst, (uint32_t)src.size);
        pmn_store_be32(dst + 4, (uint32_t)n);
    }
    out->size += frame + (size_t)n;
    return PAIMON_OK;
}

static paimon_status compress_bzip2(pmn_compressor *c, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    if (src.size > UINT_MAX / 2) return fail_compress(c, err);
    unsigned n = (unsigned)(src.size + src.size / 100 + 600); /* the bound that its manual gives */
    PMN_TRY(pmn_buf_reserve(out, n, err));
    uint8_t nothing = 0;
    char *from = (char *)(src.size ? (uint8_t *)(uintptr_t)src.data : &nothing); /* the library only reads it */
    if (BZ2_bzBuffToBuffCompress((char *)out->data + out->size, &n, from, (unsigned)src.size, BZIP2_LEVEL, 0, 0) != BZ_OK) return fail_compress(c, err);
    out->size += n;
    return PAIMON_OK;
}

static paimon_status compress_xz(pmn_compressor *c, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    size_t n = 0;
    PMN_TRY(pmn_buf_reserve(out, lzma_stream_buffer_bound(src.size), err));
    lzma_ret r = lzma_easy_buffer_encode(LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64, NULL, src.data, src.size, out->data + out->size, &n, out->capacity - out->size);
    if (r == LZMA_MEM_ERROR) return pmn_fail_nomem(err, "an xz encoder");
    if (r != LZMA_OK) return fail_compress(c, err);
    out->size += n;
    return PAIMON_OK;
}

paimon_status pmn_compress_append(pmn_compressor *c, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    switch (c->codec) {
    case PMN_CODEC_NONE: return pmn_buf_append(out, src.data, src.size, err);
    case PMN_CODEC_SNAPPY: return compress_snappy(c, src, out, err);
    case PMN_CODEC_GZIP:
    case PMN_CODEC_ZLIB:
    case PMN_CODEC_DEFLATE: return compress_deflate(c, src, out, err);
    case PMN_CODEC_ZSTD: return compress_zstd(c, src, out, err);
    case PMN_CODEC_LZ4_RAW:
    case PMN_CODEC_LZ4_HADOOP: return compress_lz4(c, src, out, err);
    case PMN_CODEC_BZIP2: return compress_bzip2(c, src, out, err);
    case PMN_CODEC_XZ: return compress_xz(c, src, out, err);
    case PMN_CODEC_BROTLI:
    case PMN_CODEC_LZO: break;
    }
    return fail_compress(c, err);
}
