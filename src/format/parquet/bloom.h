/* Split-block bloom filters of column chunks.
 *
 *   Thrift header (BloomFilterHeader), then `numBytes` of bits: blocks of 8 words of 32 bits, little-endian. A value's XXH64 (seed 0, over
 *   its PLAIN bytes) chooses a block by its high half and one bit in each word by its low half. */
#ifndef PMN_FORMAT_PARQUET_BLOOM_H
#define PMN_FORMAT_PARQUET_BLOOM_H

#include "format/parquet/file.h"

#define PMN_BLOOM_BLOCK 32

typedef struct pmn_parquet_bloom {
    pmn_parquet_file *file; /* borrowed */
    int64_t bits_offset;
    uint32_t n_blocks;
    const uint8_t *head; /* the first head_size bytes of the bits */
    size_t head_size;
} pmn_parquet_bloom;

/* `*found` false (and PAIMON_OK) if the chunk has none, or one that does not parse or is of another kind. Bytes land in `arena`. */
paimon_status pmn_parquet_bloom_load(pmn_parquet_file *file, int32_t group, int32_t leaf, pmn_arena *arena, pmn_parquet_bloom *out,
                                     bool *found, paimon_error *err) PMN_MUST_USE;
/* False only if no value with these PLAIN bytes is in the chunk. */
paimon_status pmn_parquet_bloom_may_contain(const pmn_parquet_bloom *bloom, pmn_slice plain, bool *may, paimon_error *err) PMN_MUST_USE;

/* The same on one block of 32 bytes, and which block a hash falls into. */
bool pmn_parquet_bloom_block_has(const uint8_t *block, uint64_t hash);
void pmn_parquet_bloom_block_add(uint8_t *block, uint64_t hash);
static inline uint32_t pmn_parquet_bloom_block_of(uint64_t hash, uint32_t n_blocks) { return (uint32_t)(((hash >> 32) * n_blocks) >> 32); }

#endif
