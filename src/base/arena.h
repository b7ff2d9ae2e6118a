/* An arena: things that die together (a footer, a schema, a manifest's entries, a plan) are bumped from blocks and freed at
 * once. Not thread-safe. */
#ifndef PMN_BASE_ARENA_H
#define PMN_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

typedef struct pmn_arena_block pmn_arena_block;

typedef struct pmn_arena {
    pmn_mem *mem; /* borrowed: the arena's owner keeps it */
    pmn_arena_block *blocks;
    uint8_t *next;
    size_t left;
    size_t block_size;
    size_t total; /* bytes held in blocks */
} pmn_arena;

void pmn_arena_init(pmn_arena *arena, pmn_mem *mem);
void pmn_arena_free(pmn_arena *arena);  /* everything; the arena may be used again */
/* 16-byte aligned (128-bit integers live in arenas), not zeroed; NULL when refused. */
void *pmn_arena_alloc(pmn_arena *arena, size_t size) PMN_MUST_USE;
void *pmn_arena_calloc(pmn_arena *arena, size_t count, size_t size) PMN_MUST_USE; /* zeroed; overflow gives NULL */
/* As pmn_grow (base/mem.h), for one more item and with the new ones zeroed. The old array stays in the arena: what grows large is no guest here. */
void *pmn_arena_grow(pmn_arena *arena, const void *items, size_t n, size_t *capacity, size_t size) PMN_MUST_USE;
void *pmn_arena_copy(pmn_arena *arena, const void *bytes, size_t n) PMN_MUST_USE; /* 16-byte aligned copy */
char *pmn_arena_strndup(pmn_arena *arena, const char *text, size_t n) PMN_MUST_USE; /* with a zero byte behind */
char *pmn_arena_strdup(pmn_arena *arena, const char *text) PMN_MUST_USE;

#endif
