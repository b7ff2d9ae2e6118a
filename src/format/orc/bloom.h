/* Bloom filters of row groups.
 *
 *   BloomFilterIndex  1 filters (1 number of hash functions, 2 bits as 64-bit words, 3 bits as bytes), one a row group
 *
 * Stream kind BLOOM_FILTER has field 2, BLOOM_FILTER_UTF8 field 3; both are words of 64 bits, little-endian. A value's hash of 64 bits gives two
 * halves a and b; hash function i = 1, 2, … sets bit a + i·b (as signed 32 bits, its bits turned over if it is negative), modulo their number. */
#ifndef PMN_FORMAT_ORC_BLOOM_H
#define PMN_FORMAT_ORC_BLOOM_H

#include "format/orc/meta.h"
#include "predicate/bound.h"

typedef struct pmn_orc_bloom {
    const uint8_t *bits; /* NULL: nothing is known */
    uint32_t n_bits;
    int32_t n_hashes;
} pmn_orc_bloom;

typedef struct pmn_orc_blooms {
    const pmn_orc_bloom *filters; /* one a row group */
    int32_t n;
} pmn_orc_blooms;

/* `bytes`: a decompressed stream of `kind`; bits borrow from it. PAIMON_CORRUPT if it does not parse. */
paimon_status pmn_orc_blooms_parse(pmn_arena *arena, pmn_slice bytes, int32_t kind, pmn_orc_blooms *out, paimon_error *err) PMN_MUST_USE;
bool pmn_orc_bloom_has(const pmn_orc_bloom *bloom, uint64_t hash);

/* Hashes of values: integers and dates, floats (by their bits as double), bytes. */
uint64_t pmn_orc_hash_long(int64_t value);
uint64_t pmn_orc_hash_double(double value);
uint64_t pmn_orc_hash_bytes(pmn_slice bytes);

/* May a value that equals `value` (of `type`) be among those of a column of the file? True too if such values can be stored in ways that
 * are hashed otherwise, or if writers differ in how they hash them. `kind`: of the stream. */
bool pmn_orc_bloom_may_hold(const pmn_orc_bloom *bloom, int32_t kind, const pmn_orc_meta *meta, const pmn_orc_type *column, const pmn_type *type,
                            const pmn_datum *value);
/* Could it ever say no? */
bool pmn_orc_bloom_fits(const pmn_orc_meta *meta, int32_t kind, const pmn_orc_type *column, const pmn_type *type);

#endif
