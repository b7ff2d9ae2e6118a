#include "codec/codec.h"

#include <libdeflate.h>
#include <lz4frame.h>
#include <snappy-c.h>
#include <string.h>
#include <zstd.h>

#include "codec/decoders.h"

const char *pmn_codec_name(pmn_codec codec)
{
    switch (codec) {
    case PMN_CODEC_NONE: return "none";
    case PMN_CODEC_SNAPPY: return "snappy";
    case PMN_CODEC_GZIP: return "gzip";
    case PMN_CODEC_DEFLATE: return "deflate";
    case PMN_CODEC_ZLIB: return "zlib";
    case PMN_CODEC_ZSTD: return "zstd";
    case PMN_CODEC_LZ4_RAW: return "lz4_raw";
    case PMN_CODEC_LZ4_HADOOP: return "lz4";
    case PMN_CODEC_BROTLI: return "brotli";
    case PMN_CODEC_BZIP2: return "bzip2";
    case PMN_CODEC_XZ: return "xz";
    case PMN_CODEC_LZO: return "lzo";
    }
    return "unknown codec";
}

paimon_status pmn_decompressor_new(pmn_mem *mem, pmn_decompressor **out, paimon_error *err)
{
    *out = (pmn_decompressor *)pmn_calloc(mem, 1, sizeof **out);
    if (!*out) return pmn_fail_nomem(err, "a decompressor");
    (*out)->mem = pmn_mem_retain(mem);
    return PAIMON_OK;
}

void pmn_decompressor_free(pmn_decompressor *d)
{
    if (!d) return;
    pmn_mem *mem = d->mem;
    ZSTD_freeDCtx(d->zstd);
    libdeflate_free_decompressor(d->deflate);
    LZ4F_freeDecompressionContext(d->lz4_frame);
    pmn_free(mem, d, sizeof *d);
    pmn_mem_release(mem);
}

paimon_status pmn_codec_fail(pmn_codec codec, const char *why, paimon_error *err)
{
    return pmn_fail(err, PAIMON_CORRUPT, "%s data: %s", pmn_codec_name(codec), why);
}

paimon_status pmn_codec_over(pmn_codec codec, pmn_buf *out, size_t allowed, paimon_error *err)
{
    out->over = true;
    return pmn_fail(err, PAIMON_NOMEM, "%s data: more than the allowed %zu bytes come out", pmn_codec_name(codec), allowed);
}

paimon_status pmn_codec_check_size(pmn_codec codec, size_t expected, size_t found, paimon_error *err)
{
    if (PMN_LIKELY(expected == found)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CORRUPT, "%s data: %zu bytes come out, %zu expected", pmn_codec_name(codec), found, expected);
}

static paimon_status fail_codec(pmn_codec codec, paimon_error *err)
{
    return pmn_fail(err, PAIMON_UNSUPPORTED, "the compression \"%s\" is not supported", pmn_codec_name(codec));
}

/* The size that stands in front. A copy makes at most 64 bytes out of 2, so a much larger one is a lie. */
static paimon_status snappy_size(pmn_slice src, size_t *size, paimon_error *err)
{
    if (snappy_uncompressed_length((const char *)src.data, src.size, size) != SNAPPY_OK || *size / 64 > src.size)
        return pmn_codec_fail(PMN_CODEC_SNAPPY, "the size in front is damaged", err);
    return PAIMON_OK;
}

static paimon_status snappy_exact(pmn_slice src, uint8_t *dst, size_t dst_size, paimon_error *err)
{
    size_t size;
    PMN_TRY(snappy_size(src, &size, err));
    PMN_TRY(pmn_codec_check_size(PMN_CODEC_SNAPPY, dst_size, size, err));
    if (snappy_uncompress((const char *)src.data, src.size, (char *)dst, &size) != SNAPPY_OK) return pmn_codec_fail(PMN_CODEC_SNAPPY, "damaged", err);
    return PAIMON_OK;
}

static paimon_status snappy_append(pmn_slice src, pmn_buf *out, paimon_error *err)
{
    size_t size;
    PMN_TRY(snappy_size(src, &size, err));
    PMN_TRY(pmn_buf_reserve(out, size, err));
    PMN_TRY(snappy_exact(src, pmn_buf_end(out), size, err));
    out->size += size;
    return PAIMON_OK;
}

paimon_status pmn_decompress(pmn_decompressor *d, pmn_codec codec, pmn_slice src, uint8_t *dst, size_t dst_size, paimon_error *err)
{
    switch (codec) {
    case PMN_CODEC_NONE:
        PMN_TRY(pmn_codec_check_size(codec, dst_size, src.size, err));
        if (dst_size) memcpy(dst, src.data, dst_size);
        return PAIMON_OK;
    case PMN_CODEC_SNAPPY: return snappy_exact(src, dst, dst_size, err);
    case PMN_CODEC_GZIP:
    case PMN_CODEC_DEFLATE:
    case PMN_CODEC_ZLIB: return pmn_deflate_exact(d, codec, src, dst, dst_size, err);
    case PMN_CODEC_ZSTD: return pmn_zstd_exact(d, src, dst, dst_size, err);
    case PMN_CODEC_LZ4_RAW:
    case PMN_CODEC_LZ4_HADOOP: return pmn_lz4_exact(d, codec, src, dst, dst_size, err);
    case PMN_CODEC_BROTLI:
    case PMN_CODEC_BZIP2:
    case PMN_CODEC_XZ: return pmn_stream_exact(codec, src, dst, dst_size, err);
    case PMN_CODEC_LZO: break;
    }
    return fail_codec(codec, err);
}

paimon_status pmn_decompress_append(pmn_decompressor *d, pmn_codec codec, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    out->over = false;
    switch (codec) {
    case PMN_CODEC_NONE: return pmn_buf_append(out, src.data, src.size, err);
    case PMN_CODEC_SNAPPY: return snappy_append(src, out, err);
    case PMN_CODEC_GZIP:
    case PMN_CODEC_DEFLATE:
    case PMN_CODEC_ZLIB: return pmn_deflate_append(d, codec, src, out, err);
    case PMN_CODEC_ZSTD: return pmn_zstd_append(d, src, out, err);
    case PMN_CODEC_LZ4_RAW:
    case PMN_CODEC_LZ4_HADOOP: return pmn_lz4_append(d, codec, src, out, err);
    case PMN_CODEC_BROTLI:
    case PMN_CODEC_BZIP2:
    case PMN_CODEC_XZ: return pmn_stream_append(codec, src, out, err);
    case PMN_CODEC_LZO: break;
    }
    return fail_codec(codec, err);
}

uint32_t pmn_crc32(uint32_t crc, const void *bytes, size_t n)
{
    return libdeflate_crc32(crc, bytes, n);
}
