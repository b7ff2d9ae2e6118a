#include "meta/manifest/block_cache.h"

#include <string.h>

#define CACHE_TYPICAL_BLOCK ((size_t)64 << 10)
#define CACHE_WAYS 8
#define CACHE_FIRST_BUDGET (16 * CACHE_TYPICAL_BLOCK)

paimon_status pmn_block_cache_init(pmn_block_cache *cache, pmn_mem *mem, size_t ceiling, paimon_error *err)
{
    memset(cache, 0, sizeof *cache);
    size_t n = (ceiling / CACHE_TYPICAL_BLOCK / CACHE_WAYS + 1) * CACHE_WAYS;
    cache->mem = mem;
    cache->ceiling = ceiling;
    cache->budget = ceiling < CACHE_FIRST_BUDGET ? ceiling : CACHE_FIRST_BUDGET;
    cache->slots = pmn_calloc(mem, n, sizeof *cache->slots);
    if (!cache->slots) return pmn_fail_nomem(err, "manifest decoder");
    cache->n_slots = n;
    return PAIMON_OK;
}

static void drop_block(pmn_block_cache *cache, pmn_cached_block *slot)
{
    if (!slot->manifest) return;
    cache->bytes -= slot->capacity;
    pmn_free(cache->mem, slot->bytes, slot->capacity);
    pmn_manifest_release(slot->manifest);
    *slot = (pmn_cached_block){ 0 };
}

void pmn_block_cache_free(pmn_block_cache *cache)
{
    for (size_t i = 0; i < cache->n_slots; i++) drop_block(cache, &cache->slots[i]);
    pmn_free(cache->mem, cache->slots, cache->n_slots * sizeof *cache->slots);
    cache->slots = NULL;
    cache->n_slots = 0;
}

static uint64_t hash_of_block(const pmn_manifest *manifest, uint32_t block)
{
    return ((uint64_t)(uintptr_t)manifest ^ ((uint64_t)block << 32)) * UINT64_C(0x9e3779b97f4a7c15);
}

static pmn_cached_block *set_of(pmn_block_cache *cache, uint64_t hash) { return &cache->slots[(hash >> 32) % (cache->n_slots / CACHE_WAYS) * CACHE_WAYS]; }

const pmn_cached_block *pmn_block_cache_find(pmn_block_cache *cache, const pmn_manifest *manifest, uint32_t block)
{
    if (PMN_LIKELY(cache->last && cache->last->manifest == manifest && cache->last->block == block)) return cache->last;
    pmn_cached_block *ways = set_of(cache, hash_of_block(manifest, block));
    for (int i = 0; i < CACHE_WAYS; i++)
        if (ways[i].manifest == manifest && ways[i].block == block) return cache->last = &ways[i];
    return NULL;
}

/* A block that had to go is back: one more may stay. A wrong "seen before" costs a block's memory and no more. */
static void note_block(pmn_block_cache *cache, uint64_t hash, size_t size)
{
    uint64_t *word = &cache->seen[(hash >> 38) % PMN_BLOCKS_SEEN_WORDS], bit = UINT64_C(1) << (hash >> 58);
    if (*word & bit) cache->budget = cache->ceiling - cache->budget < size ? cache->ceiling : cache->budget + size;
    *word |= bit;
}

/* The next block in turn; there is one. */
static pmn_cached_block *next_block(pmn_block_cache *cache)
{
    for (;;) {
        pmn_cached_block *slot = &cache->slots[cache->hand];
        cache->hand = (cache->hand + 1) % cache->n_slots;
        if (slot->manifest) return slot;
    }
}

/* Gives up blocks until `more` bytes fit the budget; returns the memory of the largest of them for another use. */
static pmn_cached_block make_room(pmn_block_cache *cache, size_t more)
{
    pmn_cached_block spare = { 0 };
    while (cache->bytes > 0 && cache->bytes + more > cache->budget) {
        pmn_cached_block *from = next_block(cache);
        if (from->capacity > spare.capacity) {
            pmn_cached_block smaller = spare;
            spare = (pmn_cached_block){ .bytes = from->bytes, .capacity = from->capacity };
            cache->bytes -= from->capacity;
            from->bytes = smaller.bytes;
            from->capacity = smaller.capacity;
            cache->bytes += smaller.capacity;
        }
        drop_block(cache, from);
    }
    return spare;
}

const pmn_cached_block *pmn_block_cache_put(pmn_block_cache *cache, pmn_manifest *manifest, uint32_t block, pmn_buf *plain)
{
    uint64_t hash = hash_of_block(manifest, block);
    pmn_cached_block *ways = set_of(cache, hash), *slot = &ways[cache->hand % CACHE_WAYS];
    note_block(cache, hash, plain->capacity);
    pmn_cached_block spare = make_room(cache, plain->capacity);
    for (int i = CACHE_WAYS - 1; i >= 0; i--)
        if (!ways[i].manifest) slot = &ways[i];
    drop_block(cache, slot);
    *slot = (pmn_cached_block){ pmn_manifest_retain(manifest), block, plain->data, plain->size, plain->capacity };
    cache->bytes += plain->capacity;
    plain->data = spare.bytes;
    plain->capacity = spare.capacity;
    plain->size = 0;
    return cache->last = slot;
}
