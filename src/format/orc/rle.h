/* Run lengths: integers in the two encodings that ORC has had, bytes, and booleans, which are bytes of eight bits.
 *
 *   integers, version 1   control < 128: control + 3 values, a signed byte that is added each time, varint of the first
 *                         control ≥ 128: 256 - control varints
 *   integers, version 2   the two highest bits of the first byte tell the kind:
 *     0 short repeat      kind 2, bytes - 1 3, count - 3 3 | value, big-endian
 *     1 direct            kind 2, width 5, count - 1 9 | values, packed
 *     2 patched base      kind 2, width 5, count - 1 9, base bytes - 1 3, patch width 5, gap width - 1 3, patches 5 | base, its sign in the
 *                         highest bit | values | patches: gap and high bits, packed
 *     3 delta             kind 2, width 5, count - 1 9 | varint of the first, signed varint of the first step | further steps, packed; width
 *                         code 0: all steps are as the first
 *   bytes                 control < 128: control + 3 times one byte; control ≥ 128: 256 - control bytes
 *
 * Signed values, except the base of patches, are zigzag: 0, -1, 1, -2, … Packed values and booleans begin with the highest bit. */
#ifndef PMN_FORMAT_ORC_RLE_H
#define PMN_FORMAT_ORC_RLE_H

#include "format/orc/stream.h"

/* Targets need room for so many values past what is asked: short runs are written without looking. */
#define PMN_ORC_INTS_SLACK 16
#define PMN_ORC_LONGEST_RUN 512

typedef struct pmn_orc_ints {
    pmn_orc_stream s;
    bool v2;
    bool is_signed;
    int32_t at, n;   /* of the last run: values [at, n) are not taken */
    int64_t *values; /* of it; PMN_ORC_LONGEST_RUN and the slack; made when a run is first cut */
} pmn_orc_ints;

void pmn_orc_ints_init(pmn_orc_ints *r, pmn_orc_file *file, pmn_decompressors *decompressors, bool is_signed);
void pmn_orc_ints_free(pmn_orc_ints *r);
void pmn_orc_ints_begin(pmn_orc_ints *r, const pmn_orc_stream_info *info, bool v2);
/* The next `n` values; behind them PMN_ORC_INTS_SLACK may be overwritten. PAIMON_CORRUPT if there are fewer or they are damaged. */
paimon_status pmn_orc_ints_read(pmn_orc_ints *r, int64_t *dst, int64_t n, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_orc_ints_skip(pmn_orc_ints *r, int64_t n, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_orc_ints_seek(pmn_orc_ints *r, pmn_orc_positions *positions, paimon_error *err) PMN_MUST_USE;

typedef struct pmn_orc_bytes {
    pmn_orc_stream s;
    int32_t left;    /* bytes of the run that are not taken */
    bool is_literal; /* they stand in the stream; else each is `value` */
    uint8_t value;
} pmn_orc_bytes;

void pmn_orc_bytes_init(pmn_orc_bytes *r, pmn_orc_file *file, pmn_decompressors *decompressors);
void pmn_orc_bytes_free(pmn_orc_bytes *r);
void pmn_orc_bytes_begin(pmn_orc_bytes *r, const pmn_orc_stream_info *info);
paimon_status pmn_orc_bytes_read(pmn_orc_bytes *r, uint8_t *dst, int64_t n, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_orc_bytes_skip(pmn_orc_bytes *r, int64_t n, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_orc_bytes_seek(pmn_orc_bytes *r, pmn_orc_positions *positions, paimon_error *err) PMN_MUST_USE;

#define PMN_ORC_MOST_BITS 4096

typedef struct pmn_orc_bits {
    pmn_orc_bytes bytes;
    uint8_t last; /* lowest bit first; its lowest `left` bits are not taken */
    int32_t left;
} pmn_orc_bits;

void pmn_orc_bits_init(pmn_orc_bits *r, pmn_orc_file *file, pmn_decompressors *decompressors);
void pmn_orc_bits_free(pmn_orc_bits *r);
void pmn_orc_bits_begin(pmn_orc_bits *r, const pmn_orc_stream_info *info);
/* The next `n` ≤ PMN_ORC_MOST_BITS as Arrow has them, from bit 0 of `dst`; whole words are written, and one behind them. */
paimon_status pmn_orc_bits_read(pmn_orc_bits *r, uint64_t *dst, int64_t n, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_orc_bits_seek(pmn_orc_bits *r, pmn_orc_positions *positions, paimon_error *err) PMN_MUST_USE;

/* `n` values of `width` bits (0 … 64), the highest first, from a byte border. 16 bytes behind them are read. */
void pmn_orc_unpack(const uint8_t *src, int64_t n, unsigned width, bool is_signed, int64_t *dst);

#endif
