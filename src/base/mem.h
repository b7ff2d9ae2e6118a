/* Counted memory: every allocation of the library goes through a pmn_mem, which adds accounting and a limit to the
 * allocator that the embedder gave (or malloc). Frees and reallocs tell the old size, so that no header is needed.
 * Thread-safe. */
#ifndef PMN_BASE_MEM_H
#define PMN_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "paimon-c/env.h"

typedef struct pmn_mem pmn_mem;

/* A counted allocator over `allocator` (NULL: malloc) that refuses past `limit_bytes` (0: none). It is itself allocated
 * from there. NULL without memory. Reference-counted: it starts at 1. */
pmn_mem *pmn_mem_new(const paimon_allocator *allocator, int64_t limit_bytes);
pmn_mem *pmn_mem_retain(pmn_mem *mem);
void pmn_mem_release(pmn_mem *mem);

/* The process-wide default over malloc, without limit; never freed. Never NULL. */
pmn_mem *pmn_mem_default(void);

/* NULL when refused; size 0 gives a non-NULL pointer. Memory is aligned to 16 bytes at least; not zeroed. */
void *pmn_alloc(pmn_mem *mem, size_t size) PMN_MUST_USE;
/* Zeroed, for `count` things of `size` bytes; NULL when refused or when the product overflows. */
void *pmn_calloc(pmn_mem *mem, size_t count, size_t size) PMN_MUST_USE;
/* As realloc: on refusal NULL, and `p` stays valid. `p` NULL (old_size 0) allocates. */
void *pmn_realloc(pmn_mem *mem, void *p, size_t old_size, size_t new_size) PMN_MUST_USE;
/* An array of items of `size` bytes that grows: room for `more` of them behind the first `n`. `*capacity` counts items, and at least doubles
 * when the array has to move. Answers where it is now; NULL when refused, and then it stays where and as large as it was. New items are not
 * zeroed. Past INT32_MAX items nothing grows, so that counts of 32 bits are safe. */
void *pmn_grow(pmn_mem *mem, void *items, size_t n, size_t more, size_t *capacity, size_t size) PMN_MUST_USE;
/* Its rule alone: the next capacity for `n` + `more` items; 0 for too many. */
size_t pmn_grown_capacity(size_t n, size_t more, size_t capacity);
/* `p` may be NULL. `size` is what it was allocated with. */
void pmn_free(pmn_mem *mem, void *p, size_t size);
/* A copy of `n` bytes with a zero byte behind; free with pmn_free(mem, p, n + 1). */
char *pmn_strndup(pmn_mem *mem, const char *text, size_t n) PMN_MUST_USE;
void pmn_strfree(pmn_mem *mem, char *text); /* frees strlen + 1 bytes; NULL allowed */

/* Blocks that the public API hands to the caller, who gives them back without saying where they came from
 * (paimon_string_free, paimon_bytes_free, paimon_int64_free): a hidden header remembers, and keeps `mem` alive. NULL when refused. A text that
 * is freed with paimon_string_free must be made by pmn_handout_text or pmn_handout_new. */
void *pmn_handout_new(pmn_mem *mem, size_t size) PMN_MUST_USE;
char *pmn_handout_text(pmn_mem *mem, const char *text, size_t n) PMN_MUST_USE; /* with a zero byte behind */
void pmn_handout_free(void *block); /* NULL allowed */
/* A block from pmn_alloc of `size` bytes as one to hand out, without a copy: its first PMN_HANDOUT_HEADER bytes become the header, and what
 * is behind them is returned. */
#define PMN_HANDOUT_HEADER 16
void *pmn_handout_adopt(pmn_mem *mem, void *block, size_t size) PMN_MUST_USE;

/* A block that is about to be filled from end to end: asks the system to hand out its memory at once, which saves a part of the time that
 * touching it page by page costs. Small blocks, and other systems: nothing. (Large pages would save more, but where memory is in pieces a
 * process may wait for them ten times as long.) */
void pmn_mem_will_fill(void *block, size_t size);

int64_t pmn_mem_current(const pmn_mem *mem);
int64_t pmn_mem_peak(const pmn_mem *mem);
int64_t pmn_mem_limit(const pmn_mem *mem);

#endif
