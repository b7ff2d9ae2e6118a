/* What the files of this room share: the contexts, and one function a family of codecs.
 *
 * Each decodes `src` to a target that is either a fixed run of bytes, which must be filled exactly, or a growing buffer. */
#ifndef PMN_CODEC_DECODERS_H
#define PMN_CODEC_DECODERS_H

#include "codec/codec.h"

struct ZSTD_DCtx_s;
struct libdeflate_decompressor;
struct LZ4F_dctx_s;

struct pmn_decompressor {
    pmn_mem *mem; /* counted */
    struct ZSTD_DCtx_s *zstd;
    struct libdeflate_decompressor *deflate;
    struct LZ4F_dctx_s *lz4_frame;
};

/* PAIMON_CORRUPT, the codec named. */
paimon_status pmn_codec_fail(pmn_codec codec, const char *why, paimon_error *err);
/* PAIMON_NOMEM: more comes out than `out` may take, which says so. */
paimon_status pmn_codec_over(pmn_codec codec, pmn_buf *out, size_t allowed, paimon_error *err);
/* PAIMON_OK if `found` is what was expected. */
paimon_status pmn_codec_check_size(pmn_codec codec, size_t expected, size_t found, paimon_error *err) PMN_MUST_USE;

paimon_status pmn_zstd_exact(pmn_decompressor *d, pmn_slice src, uint8_t *dst, size_t dst_size, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_zstd_append(pmn_decompressor *d, pmn_slice src, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

paimon_status pmn_deflate_exact(pmn_decompressor *d, pmn_codec codec, pmn_slice src, uint8_t *dst, size_t dst_size, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_deflate_append(pmn_decompressor *d, pmn_codec codec, pmn_slice src, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

paimon_status pmn_lz4_exact(pmn_decompressor *d, pmn_codec codec, pmn_slice src, uint8_t *dst, size_t dst_size, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_lz4_append(pmn_decompressor *d, pmn_codec codec, pmn_slice src, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* Codecs that only stream: Brotli, bzip2, xz. */
paimon_status pmn_stream_exact(pmn_codec codec, pmn_slice src, uint8_t *dst, size_t dst_size, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_stream_append(pmn_codec codec, pmn_slice src, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

#endif
