/* The RLE / bit-packed hybrid, writing side: see levels.h for the bytes. */
#ifndef PMN_FORMAT_PARQUET_HYBRID_WRITE_H
#define PMN_FORMAT_PARQUET_HYBRID_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Append `n` values of `width` bits (0 … 32), bytes or 32-bit words. */
paimon_status pmn_hybrid_put8(pmn_buf *out, const uint8_t *values, int64_t n, unsigned width, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_hybrid_put32(pmn_buf *out, const uint32_t *values, int64_t n, unsigned width, paimon_error *err) PMN_MUST_USE;
/* One run. */
paimon_status pmn_hybrid_put_run(pmn_buf *out, uint32_t value, int64_t n, unsigned width, paimon_error *err) PMN_MUST_USE;
/* Booleans of a byte each to bits, least significant first; `out` has (n + 7) / 8 bytes. */
void pmn_pack_booleans(const uint8_t *values, int64_t n, uint8_t *out);

#endif
