/* Open addressing with linear probing, at most two thirds full; the stored hash makes growth and misses cheap. */
#include "base/map.h"

#include <string.h>

#include "base/hash.h"

#define FIRST_CAPACITY 16u
#define MAP_SEED 0x70616d6f6e63u

void pmn_map_init(pmn_map *map, pmn_mem *mem)
{
    memset(map, 0, sizeof *map);
    map->mem = mem;
}

void pmn_map_free(pmn_map *map)
{
    pmn_free(map->mem, map->entries, map->capacity * sizeof *map->entries);
    pmn_map_init(map, map->mem);
}

/* The entry of `key`, or the free one where it would go. The table always has a free one. */
static pmn_map_entry *probe_entry(const pmn_map *map, pmn_slice key, uint64_t hash)
{
    size_t mask = map->capacity - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        pmn_map_entry *e = &map->entries[i];
        if (!e->used || (e->hash == hash && pmn_slice_equal(e->key, key))) return e;
    }
}

uint64_t *pmn_map_find(const pmn_map *map, pmn_slice key)
{
    if (map->count == 0) return NULL;
    pmn_map_entry *e = probe_entry(map, key, pmn_hash64(key.data, key.size, MAP_SEED));
    return e->used ? &e->value : NULL;
}

static paimon_status grow_map(pmn_map *map, paimon_error *err)
{
    size_t capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY;
    pmn_map_entry *entries = (pmn_map_entry *)pmn_calloc(map->mem, capacity, sizeof *entries);
    if (!entries) return pmn_fail_nomem(err, "a hash map");
    size_t mask = capacity - 1;
    for (size_t i = 0; i < map->capacity; i++) {
        const pmn_map_entry *e = &map->entries[i];
        if (!e->used) continue;
        size_t j = (size_t)e->hash & mask;
        while (entries[j].used) j = (j + 1) & mask;
        entries[j] = *e;
    }
    pmn_free(map->mem, map->entries, map->capacity * sizeof *map->entries);
    map->entries = entries;
    map->capacity = capacity;
    return PAIMON_OK;
}

paimon_status pmn_map_put(pmn_map *map, pmn_slice key, uint64_t **value, bool *inserted, paimon_error *err)
{
    if (map->count + 1 > map->capacity - map->capacity / 3) PMN_TRY(grow_map(map, err));
    uint64_t hash = pmn_hash64(key.data, key.size, MAP_SEED);
    pmn_map_entry *e = probe_entry(map, key, hash);
    bool is_new = !e->used;
    if (is_new) {
        e->key = key;
        e->hash = hash;
        e->value = 0;
        e->used = true;
        map->count++;
    }
    *value = &e->value;
    if (inserted) *inserted = is_new;
    return PAIMON_OK;
}
