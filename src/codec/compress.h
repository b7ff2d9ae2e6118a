/* The other direction: one small face over the compressing libraries. */
#ifndef PMN_CODEC_COMPRESS_H
#define PMN_CODEC_COMPRESS_H

#include "codec/codec.h"

/* Reusable contexts: one a writer, one thread at a time. Lazily made inside. `level` is zstd's and gzip's; 0: the library's own. */
typedef struct pmn_compressor pmn_compressor;
paimon_status pmn_compressor_new(pmn_mem *mem, pmn_codec codec, int level, pmn_compressor **out, paimon_error *err) PMN_MUST_USE;
void pmn_compressor_free(pmn_compressor *c); /* NULL allowed */
pmn_codec pmn_compressor_codec(const pmn_compressor *c);

/* Append the compressed form of `src` to `out`. NONE copies. LZ4_HADOOP writes one Hadoop block. Codecs that cannot be written are
 * PAIMON_UNSUPPORTED by name, told by pmn_compressor_new. */
paimon_status pmn_compress_append(pmn_compressor *c, pmn_slice src, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

#endif
