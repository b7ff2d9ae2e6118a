/* The Avro object container: a header, then blocks of records.
 *
 *   "Obj" 0x01 | map<bytes> metadata (avro.schema, avro.codec) | 16 bytes sync
 *   block: zigzag count | zigzag size | size bytes, compressed by the codec | the same 16 bytes sync
 *
 * Works on bytes: a caller that has the whole file hands it over at once, one that streams hands over windows. */
#ifndef PMN_FORMAT_AVRO_CONTAINER_H
#define PMN_FORMAT_AVRO_CONTAINER_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/cursor.h"
#include "codec/codec.h"

#define PMN_AVRO_SYNC_BYTES 16

typedef struct pmn_avro_header {
    pmn_slice schema; /* JSON; borrowed from the bytes parsed */
    pmn_codec codec;
    uint8_t sync[PMN_AVRO_SYNC_BYTES];
    size_t size; /* of the header: the first block starts there */
} pmn_avro_header;

bool pmn_avro_is_container(pmn_slice head); /* starts with the magic */

/* PAIMON_CORRUPT for bytes that end inside the header; PAIMON_UNSUPPORTED for a codec that is not known, by name. */
paimon_status pmn_avro_header_parse(pmn_slice file, pmn_avro_header *out, paimon_error *err) PMN_MUST_USE;

typedef struct pmn_avro_block {
    size_t offset;    /* of the block's first byte from the cursor's start */
    int64_t n;        /* records */
    pmn_slice stored; /* compressed bytes, borrowed */
} pmn_avro_block;

/* The block at the cursor, which moves behind its sync marker; `*more` false at the end of the bytes. */
paimon_status pmn_avro_block_next(pmn_cursor *c, const pmn_avro_header *header, pmn_avro_block *out, bool *more, paimon_error *err) PMN_MUST_USE;

/* The block's bytes, decompressed into `scratch` (cleared first; its ceiling bounds them) or, uncompressed, borrowed as they are. */
paimon_status pmn_avro_block_open(pmn_decompressor *d, const pmn_avro_header *header, const pmn_avro_block *block, pmn_buf *scratch,
                                  pmn_slice *out, paimon_error *err) PMN_MUST_USE;

#endif
