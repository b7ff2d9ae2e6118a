#include "base/arena.h"

#include <string.h>

#include "base/checked.h"

#define FIRST_BLOCK 2048u
#define LARGEST_ARENA_BLOCK (256u * 1024u)
#define ALIGNMENT 16u

struct pmn_arena_block {
    pmn_arena_block *next;
    size_t size; /* of the whole block, this header included */
};

_Static_assert(sizeof(pmn_arena_block) % ALIGNMENT == 0, "the first allocation of a block is aligned");

void pmn_arena_init(pmn_arena *arena, pmn_mem *mem)
{
    memset(arena, 0, sizeof *arena);
    arena->mem = mem;
    arena->block_size = FIRST_BLOCK;
}

void pmn_arena_free(pmn_arena *arena)
{
    pmn_arena_block *block = arena->blocks;
    while (block) {
        pmn_arena_block *next = block->next;
        pmn_free(arena->mem, block, block->size);
        block = next;
    }
    pmn_arena_init(arena, arena->mem);
}

/* A block of its own for a large piece, put behind the head so that the head goes on being filled. */
static void *alloc_alone(pmn_arena *arena, size_t size)
{
    size_t total;
    if (!pmn_add_size(size, sizeof(pmn_arena_block), &total)) return NULL;
    pmn_arena_block *block = (pmn_arena_block *)pmn_alloc(arena->mem, total);
    if (!block) return NULL;
    block->size = total;
    if (arena->blocks) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        block->next = NULL;
        arena->blocks = block;
    }
    arena->total += total;
    return block + 1;
}

static void *alloc_slow(pmn_arena *arena, size_t size)
{
    if (size > arena->block_size / 4) return alloc_alone(arena, size);
    size_t total = arena->block_size;
    pmn_arena_block *block = (pmn_arena_block *)pmn_alloc(arena->mem, total);
    if (!block) return NULL;
    block->size = total;
    block->next = arena->blocks;
    arena->blocks = block;
    arena->total += total;
    arena->next = (uint8_t *)(block + 1) + size;
    arena->left = total - sizeof *block - size;
    if (arena->block_size < LARGEST_ARENA_BLOCK) arena->block_size *= 2;
    return block + 1;
}

void *pmn_arena_alloc(pmn_arena *arena, size_t size)
{
    size_t pad = (size_t)(0 - (uintptr_t)arena->next) & (ALIGNMENT - 1);
    if (PMN_LIKELY(arena->left >= pad && arena->left - pad >= size && arena->next)) {
        uint8_t *p = arena->next + pad;
        arena->next = p + size;
        arena->left -= pad + size;
        return p;
    }
    return alloc_slow(arena, size);
}

void *pmn_arena_calloc(pmn_arena *arena, size_t count, size_t size)
{
    size_t total;
    if (!pmn_mul_size(count, size, &total)) return NULL;
    void *p = pmn_arena_alloc(arena, total);
    if (p) memset(p, 0, total);
    return p;
}

void *pmn_arena_grow(pmn_arena *arena, const void *items, size_t n, size_t *capacity, size_t size)
{
    if (PMN_LIKELY(n < *capacity)) return (void *)(uintptr_t)items;
    size_t more = pmn_grown_capacity(n, 1, *capacity);
    void *grown = more ? pmn_arena_calloc(arena, more, size) : NULL;
    if (!grown) return NULL;
    if (n) memcpy(grown, items, n * size);
    *capacity = more;
    return grown;
}

void *pmn_arena_copy(pmn_arena *arena, const void *bytes, size_t n)
{
    void *p = pmn_arena_alloc(arena, n);
    if (p && n) memcpy(p, bytes, n);
    return p;
}

/* Texts need no alignment: they are packed. */
char *pmn_arena_strndup(pmn_arena *arena, const char *text, size_t n)
{
    if (n == SIZE_MAX) return NULL;
    char *p;
    if (arena->left > n) {
        p = (char *)arena->next;
        arena->next += n + 1;
        arena->left -= n + 1;
    } else {
        p = (char *)alloc_slow(arena, n + 1);
        if (!p) return NULL;
    }
    if (n) memcpy(p, text, n);
    p[n] = 0;
    return p;
}

char *pmn_arena_strdup(pmn_arena *arena, const char *text)
{
    return pmn_arena_strndup(arena, text, strlen(text));
}
