/* Writing Avro object containers: values are appended one by one to a block, blocks are compressed and flushed. Layout: container.h. */
#ifndef PMN_FORMAT_AVRO_WRITER_H
#define PMN_FORMAT_AVRO_WRITER_H

#include "base/buf.h"
#include "base/bytes.h"
#include "codec/compress.h"

/* A container that grows in memory: the caller writes `file` out, whole or in pieces. One thread at a time. */
typedef struct pmn_avro_writer {
    pmn_mem *mem;
    pmn_buf file;  /* header and finished blocks */
    pmn_buf block; /* the open block, uncompressed */
    int64_t n_block; /* records in it */
    int64_t n_records;
    pmn_compressor *compressor;
    const char *codec;
    uint8_t sync[16];
} pmn_avro_writer;

/* Start a container. `codec` is Avro's name: null, deflate, snappy, zstandard, bzip2, xz; others are PAIMON_INVALID. `sync` is random.
 * On failure everything is freed. `schema` is JSON. */
paimon_status pmn_avro_writer_init(pmn_avro_writer *w, pmn_mem *mem, const char *schema, const char *codec, int zstd_level,
                                   const uint8_t sync[16], paimon_error *err) PMN_MUST_USE;
void pmn_avro_writer_free(pmn_avro_writer *w);

/* One record has been appended to `block`: flush the block when it is full. */
paimon_status pmn_avro_writer_end_record(pmn_avro_writer *w, paimon_error *err) PMN_MUST_USE;
/* Flush what is left; `file` is then a whole container. */
paimon_status pmn_avro_writer_finish(pmn_avro_writer *w, paimon_error *err) PMN_MUST_USE;

/* Values, appended to `out`. */
paimon_status pmn_avro_put_long(pmn_buf *out, int64_t value, paimon_error *err) PMN_MUST_USE; /* int too */
paimon_status pmn_avro_put_bytes(pmn_buf *out, pmn_slice bytes, paimon_error *err) PMN_MUST_USE; /* string too */
paimon_status pmn_avro_put_text(pmn_buf *out, const char *text, paimon_error *err) PMN_MUST_USE;
/* Unions of null and one type, null first: branch 0, or branch 1 and the value. */
paimon_status pmn_avro_put_null(pmn_buf *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_avro_put_some(pmn_buf *out, paimon_error *err) PMN_MUST_USE;
/* An array or map: its item count (if not zero), the items, and the zero that ends it. */
paimon_status pmn_avro_put_array_start(pmn_buf *out, int64_t n, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_avro_put_array_end(pmn_buf *out, paimon_error *err) PMN_MUST_USE;

#endif
