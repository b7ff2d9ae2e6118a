/* Counted buffers and the pool they return to. Arrow arrays that leave the library share buffers through these counts, so
 * slices and re-wrapped columns copy nothing. Counting is atomic: a consumer may release on another thread. */
#ifndef PMN_ARROW_BUFFER_H
#define PMN_ARROW_BUFFER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/status.h"

/* Every buffer has this many readable and writable bytes behind its capacity: kernels may over-read and over-write. */
#define PMN_BUFFER_SLACK 64

typedef struct pmn_buffer_pool pmn_buffer_pool;

typedef struct pmn_buffer {
    uint8_t *data;   /* 64-byte aligned */
    size_t size;     /* bytes in use; kept by the owner, for people */
    size_t capacity; /* bytes usable, slack not counted */
    atomic_int refs;
    pmn_buffer_pool *pool; /* counted; where it goes back to */
    struct pmn_buffer *next_free;
} pmn_buffer;

/* A pool keeps freed buffers for reuse up to `keep_bytes`; what leaves it later comes back to it or, when it is over that,
 * is freed. Thread-safe. Counted: buffers hold it, so the owner may release it first. It retains `mem`. */
pmn_buffer_pool *pmn_buffer_pool_new(pmn_mem *mem, size_t keep_bytes);
pmn_buffer_pool *pmn_buffer_pool_retain(pmn_buffer_pool *pool);
void pmn_buffer_pool_release(pmn_buffer_pool *pool);
pmn_mem *pmn_buffer_pool_mem(pmn_buffer_pool *pool);

/* A buffer of at least `capacity` bytes, not zeroed, refs = 1. */
paimon_status pmn_buffer_new(pmn_buffer_pool *pool, size_t capacity, pmn_buffer **out, paimon_error *err) PMN_MUST_USE;
/* Grow in place or move (contents kept) so that capacity ≥ `capacity`; growth at least doubles. Only with refs = 1. */
paimon_status pmn_buffer_grow(pmn_buffer **buffer, size_t capacity, paimon_error *err) PMN_MUST_USE;
pmn_buffer *pmn_buffer_retain(pmn_buffer *buffer); /* NULL gives NULL */
void pmn_buffer_release(pmn_buffer *buffer);       /* NULL allowed */

#endif
