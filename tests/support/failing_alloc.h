/* An allocator that refuses the n-th request and counts what is alive, to prove that failure leaks nothing. */
#ifndef TESTS_SUPPORT_FAILING_ALLOC_H
#define TESTS_SUPPORT_FAILING_ALLOC_H

#include <stdint.h>
#include <stdlib.h>

#include "paimon-c/env.h"

typedef struct failing_alloc {
    int64_t until_failure; /* -1: never fails; 0: fails from now on */
    int64_t alive;
} failing_alloc;

static inline int failing_alloc_refuses(failing_alloc *f)
{
    if (f->until_failure < 0) return 0;
    if (f->until_failure == 0) return 1;
    f->until_failure--;
    return 0;
}

static inline void *failing_alloc_alloc(void *ctx, size_t size)
{
    failing_alloc *f = (failing_alloc *)ctx;
    if (failing_alloc_refuses(f)) return NULL;
    void *p = malloc(size ? size : 1);
    if (p) f->alive++;
    return p;
}

static inline void *failing_alloc_realloc(void *ctx, void *block, size_t old_size, size_t new_size)
{
    failing_alloc *f = (failing_alloc *)ctx;
    (void)old_size;
    if (failing_alloc_refuses(f)) return NULL;
    void *p = realloc(block, new_size ? new_size : 1);
    if (p && !block) f->alive++;
    return p;
}

static inline void failing_alloc_free(void *ctx, void *block, size_t size)
{
    (void)size;
    if (block) ((failing_alloc *)ctx)->alive--;
    free(block);
}

static inline paimon_allocator failing_alloc_interface(failing_alloc *f)
{
    paimon_allocator a = { sizeof a, failing_alloc_alloc, failing_alloc_realloc, failing_alloc_free, f };
    return a;
}

#endif
