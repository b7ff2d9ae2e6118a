/* XXH64, which Parquet's bloom filters and some of Paimon's indexes store. Source: the xxHash specification. */
#ifndef PMN_BASE_XXHASH_H
#define PMN_BASE_XXHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t pmn_xxhash64(const void *bytes, size_t n, uint64_t seed);

#endif
