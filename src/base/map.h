/* A hash map from byte strings to a 64-bit value. Keys are borrowed: they must outlive the map. Not thread-safe. */
#ifndef PMN_BASE_MAP_H
#define PMN_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/status.h"

typedef struct pmn_map_entry {
    pmn_slice key;
    uint64_t hash;
    uint64_t value;
    bool used;
} pmn_map_entry;

typedef struct pmn_map {
    pmn_mem *mem; /* borrowed */
    pmn_map_entry *entries; /* open addressing, capacity a power of two */
    size_t capacity;
    size_t count;
} pmn_map;

void pmn_map_init(pmn_map *map, pmn_mem *mem);
void pmn_map_free(pmn_map *map);
/* The value's place for `key`, or NULL. Valid until the next insertion. */
uint64_t *pmn_map_find(const pmn_map *map, pmn_slice key);
/* Find or insert (with value 0); `*inserted` may be NULL. */
paimon_status pmn_map_put(pmn_map *map, pmn_slice key, uint64_t **value, bool *inserted, paimon_error *err) PMN_MUST_USE;

#endif
