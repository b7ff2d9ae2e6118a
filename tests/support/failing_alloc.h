/* An allocator that refuses the n-th request, to prove that a failure anywhere is told and leaks nothing.
 *
 * The short way: give the code under test to a sweep. It is run with the first request refused, then with the second, and so on
 * until it succeeds; each time it must answer PAIMON_NOMEM and free all that it took.
 *
 *     static paimon_status attempt(pmn_mem *mem, void *arg)
 *     {
 *         thing *t;
 *         PMN_TRY(thing_new(mem, (const char *)arg, &t, NULL));
 *         thing_free(t);
 *         return PAIMON_OK;
 *     }
 *     failing_alloc_sweep(attempt, "text");        // with every later request refused, too, and with that one only
 *
 * The long way, through the public API: paimon_allocator a = failing_alloc_interface(&f) in paimon_env_options, set
 * f.until_failure (n: the request after n more ones is refused; -1: none), and look at f.alive at the end.
 *
 * It also stops the test when a block comes back with another size than it was allocated with: embedders are promised that
 * size. Thread-safe. Blocks carry a header, so only its own functions may free them. */
#ifndef TESTS_SUPPORT_FAILING_ALLOC_H
#define TESTS_SUPPORT_FAILING_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "paimon-c/env.h"
#ifndef FAILING_ALLOC_PUBLIC_ONLY /* defined by tests that see the public headers only: no sweep then */
#include "base/mem.h"
#endif

typedef struct failing_alloc {
    _Atomic int64_t until_failure; /* -1: never fails; 0: fails from now on; FAILING_ALLOC_ONCE + n: the n-th only */
    _Atomic int64_t alive;         /* blocks */
} failing_alloc;

#define FAILING_ALLOC_ONCE ((int64_t)1 << 40)
#define FAILING_ALLOC_REFUSED_ONCE (-2) /* it has, and does not any more */
#define FAILING_ALLOC_REFUSING (-3)     /* it has, and goes on */
#define FAILING_ALLOC_HEADER 16u

static inline int failing_alloc_refuses(failing_alloc *f)
{
    int64_t left = atomic_load(&f->until_failure);
    for (;;) {
        int64_t next = left - 1;
        if (left == FAILING_ALLOC_REFUSING) return 1;
        if (left < 0) return 0;
        if (left == 0) next = FAILING_ALLOC_REFUSING;
        if (left == FAILING_ALLOC_ONCE) next = FAILING_ALLOC_REFUSED_ONCE;
        if (atomic_compare_exchange_weak(&f->until_failure, &left, next)) return next < 0;
    }
}

static inline void *failing_alloc_alloc(void *ctx, size_t size)
{
    failing_alloc *f = (failing_alloc *)ctx;
    if (failing_alloc_refuses(f)) return NULL;
    char *p = (char *)malloc(size + FAILING_ALLOC_HEADER);
    if (!p) return NULL;
    *(size_t *)(void *)p = size;
    atomic_fetch_add(&f->alive, 1);
    return p + FAILING_ALLOC_HEADER;
}

/* The real block, after its size was compared. */
static inline void *failing_alloc_check(void *block, size_t size)
{
    char *p = (char *)block - FAILING_ALLOC_HEADER;
    if (*(size_t *)(void *)p != size) {
        fprintf(stderr, "a block of %zu bytes came back as one of %zu\n", *(size_t *)(void *)p, size);
        abort();
    }
    return p;
}

static inline void *failing_alloc_realloc(void *ctx, void *block, size_t old_size, size_t new_size)
{
    failing_alloc *f = (failing_alloc *)ctx;
    if (!block) return failing_alloc_alloc(ctx, new_size);
    void *real = failing_alloc_check(block, old_size);
    if (failing_alloc_refuses(f)) return NULL;
    char *p = (char *)realloc(real, new_size + FAILING_ALLOC_HEADER);
    if (!p) return NULL;
    *(size_t *)(void *)p = new_size;
    return p + FAILING_ALLOC_HEADER;
}

static inline void failing_alloc_free(void *ctx, void *block, size_t size)
{
    if (!block) return;
    atomic_fetch_sub(&((failing_alloc *)ctx)->alive, 1);
    free(failing_alloc_check(block, size));
}

static inline paimon_allocator failing_alloc_interface(failing_alloc *f)
{
    paimon_allocator a = { sizeof a, failing_alloc_alloc, failing_alloc_realloc, failing_alloc_free, f };
    return a;
}

#ifndef FAILING_ALLOC_PUBLIC_ONLY
/* One attempt with request `n` refused. `*reached` tells whether there were so many. */
static inline paimon_status failing_alloc_try(paimon_status (*attempt)(pmn_mem *mem, void *arg), void *arg, int64_t n, bool once, bool *reached)
{
    failing_alloc f = { -1, 0 };
    paimon_allocator a = failing_alloc_interface(&f);
    pmn_mem *mem = pmn_mem_new(&a, 0); /* itself not refused */
    if (!mem) abort();
    atomic_store(&f.until_failure, once ? FAILING_ALLOC_ONCE + n : n);
    paimon_status status = attempt(mem, arg);
    *reached = atomic_load(&f.until_failure) < -1;
    atomic_store(&f.until_failure, -1);
    pmn_mem_release(mem);
    if (atomic_load(&f.alive) == 0 && (status == PAIMON_OK || status == PAIMON_NOMEM)) return status;
    fprintf(stderr, "request %lld refused%s: \"%s\", %lld blocks left\n", (long long)n, once ? " alone" : "", paimon_status_name(status),
            (long long)atomic_load(&f.alive));
    abort();
}

/* See above. Returns how many requests `attempt` makes. Code may do without something that it was refused, so success alone is
 * not the end: that is when the n-th request no longer comes. */
static inline int64_t failing_alloc_sweep(paimon_status (*attempt)(pmn_mem *mem, void *arg), void *arg)
{
    int64_t n = 0;
    for (int once = 0; once < 2; once++) {
        bool reached = true;
        for (n = 0; reached; n++) {
            paimon_status status = failing_alloc_try(attempt, arg, n, once, &reached);
            if (!reached && status != PAIMON_OK) {
                fprintf(stderr, "without any refusal: \"%s\"\n", paimon_status_name(status));
                abort();
            }
        }
    }
    return n - 1;
}
#endif

#endif
