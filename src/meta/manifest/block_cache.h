/* Decompressed blocks of manifests, for single looks at their entries. Private to this room.
 *
 * It holds few blocks while entries are asked in the order of their files, and takes more only when a block has to be decompressed a second
 * time: what is fresh memory each time costs as much as decompressing. */
#ifndef PMN_META_BLOCK_CACHE_H
#define PMN_META_BLOCK_CACHE_H

#include "meta/manifest/manifest.h"

typedef struct pmn_cached_block {
    pmn_manifest *manifest; /* retained; NULL: empty */
    uint32_t block;         /* its file offset */
    uint8_t *bytes;
    size_t size, capacity;
} pmn_cached_block;

#define PMN_BLOCKS_SEEN_WORDS 1024

/* One thread at a time. */
typedef struct pmn_block_cache {
    pmn_mem *mem; /* borrowed */
    pmn_cached_block *slots; /* sets of some; a block has its place in one */
    size_t n_slots;
    size_t hand;    /* where to look for the next block to give up */
    size_t bytes;   /* held */
    size_t budget;  /* of them now */
    size_t ceiling; /* of the budget */
    pmn_cached_block *last;
    uint64_t seen[PMN_BLOCKS_SEEN_WORDS]; /* hashes of blocks that were here once */
} pmn_block_cache;

/* Up to `ceiling` bytes, and one block in any case. */
paimon_status pmn_block_cache_init(pmn_block_cache *cache, pmn_mem *mem, size_t ceiling, paimon_error *err) PMN_MUST_USE;
void pmn_block_cache_free(pmn_block_cache *cache);
/* NULL if it is not there. Valid until the next put. */
const pmn_cached_block *pmn_block_cache_find(pmn_block_cache *cache, const pmn_manifest *manifest, uint32_t block);
/* Takes over the bytes of `plain`, which gets the memory of a block that had to go, or none. Its allocator is the cache's. Keeps a reference
 * to the manifest. */
const pmn_cached_block *pmn_block_cache_put(pmn_block_cache *cache, pmn_manifest *manifest, uint32_t block, pmn_buf *plain);

#endif
