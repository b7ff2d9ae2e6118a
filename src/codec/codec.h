/* One small face over the compression libraries. */
#ifndef PMN_CODEC_CODEC_H
#define PMN_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/mem.h"
#include "base/status.h"

typedef enum pmn_codec {
    PMN_CODEC_NONE,
    PMN_CODEC_SNAPPY,
    PMN_CODEC_GZIP,    /* with its header; zlib and several members are taken too */
    PMN_CODEC_DEFLATE, /* raw, as Avro has it */
    PMN_CODEC_ZLIB,    /* raw deflate in ORC's sense is DEFLATE; this one has the zlib header */
    PMN_CODEC_ZSTD,
    PMN_CODEC_LZ4_RAW,    /* one block */
    PMN_CODEC_LZ4_HADOOP, /* Parquet's LZ4: Hadoop framing, or a bare block or a frame as other writers made it */
    PMN_CODEC_BROTLI,
    PMN_CODEC_BZIP2,
    PMN_CODEC_XZ,
    PMN_CODEC_LZO /* no library under a permissive licence: PAIMON_UNSUPPORTED by name */
} pmn_codec;

const char *pmn_codec_name(pmn_codec codec);

/* Reusable contexts: one a reader (not a page), one thread at a time. Lazily made inside. */
typedef struct pmn_decompressor pmn_decompressor;
paimon_status pmn_decompressor_new(pmn_mem *mem, pmn_decompressor **out, paimon_error *err) PMN_MUST_USE;
void pmn_decompressor_free(pmn_decompressor *d);

/* `src` into exactly `dst_size` bytes at `dst`; any other outcome is PAIMON_CORRUPT saying expected and found. `dst` has 64 bytes of
 * slack that may be overwritten. */
paimon_status pmn_decompress(pmn_decompressor *d, pmn_codec codec, pmn_slice src, uint8_t *dst, size_t dst_size, paimon_error *err) PMN_MUST_USE;

/* For streams that do not tell their size (Avro blocks): append to `out`, whose ceiling bounds it (PAIMON_NOMEM past it, and
 * out->over tells that from a lack of memory). Nothing is
 * appended on failure. `out` may be left with more capacity than it needs: clear and reuse it. */
paimon_status pmn_decompress_append(pmn_decompressor *d, pmn_codec codec, pmn_slice src, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* CRC-32 as gzip and Avro's snappy blocks have it (Avro stores it big-endian behind the block, which is not the codec's part). */
uint32_t pmn_crc32(uint32_t crc, const void *bytes, size_t n);

#endif
