/* The bloom filter of a column chunk while it is written: see bloom.h for the layout. Its size is chosen beforehand, as parquet-mr chooses
 * it: from the number of distinct values that is expected, or the largest allowed. Memory is taken with the first value. */
#ifndef PMN_FORMAT_PARQUET_BLOOM_WRITE_H
#define PMN_FORMAT_PARQUET_BLOOM_WRITE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "format/parquet/write_options.h"

typedef struct pmn_pqw_bloom {
    pmn_mem *mem; /* borrowed */
    uint8_t *bits; /* NULL: nothing yet */
    size_t n_bytes;
} pmn_pqw_bloom;

void pmn_pqw_bloom_init(pmn_pqw_bloom *bloom, pmn_mem *mem, const pmn_pqw_column_options *options);
/* May be used again. */
void pmn_pqw_bloom_free(pmn_pqw_bloom *bloom);
/* Values in PLAIN encoding, `width` bytes each; 0: with their lengths in front. */
paimon_status pmn_pqw_bloom_add(pmn_pqw_bloom *bloom, int64_t width, pmn_slice plain, paimon_error *err) PMN_MUST_USE;
/* Header and bits; nothing if no value was added. */
paimon_status pmn_pqw_bloom_put(const pmn_pqw_bloom *bloom, pmn_buf *out, paimon_error *err) PMN_MUST_USE;
static inline int64_t pmn_pqw_bloom_bytes(const pmn_pqw_bloom *bloom) { return bloom->bits ? (int64_t)bloom->n_bytes : 0; }

#endif
