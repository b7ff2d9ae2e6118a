/* The buffer pool. A buffer is one block: the struct, padding to a 64-byte border, the data, the slack. Capacities come in
 * four sizes a doubling, so that a freed buffer fits the next batch's column; a free list a size, behind one lock that is
 * held for a few instructions. */
#include "arrow/buffer.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/checked.h"

#define DATA_ALIGNMENT 64u
#define SMALLEST_CAPACITY 64u
#define SIZES_A_DOUBLING 4u
#define N_SIZES ((64u - 6u) * SIZES_A_DOUBLING)

struct pmn_buffer_pool {
    pmn_mem *mem;
    pthread_mutex_t lock; /* kept and free_lists */
    size_t keep;
    size_t kept;
    atomic_int refs; /* owners and living buffers; kept ones do not count */
    pmn_buffer *free_lists[N_SIZES];
};

pmn_buffer_pool *pmn_buffer_pool_new(pmn_mem *mem, size_t keep_bytes)
{
    pmn_buffer_pool *pool = (pmn_buffer_pool *)pmn_calloc(mem, 1, sizeof *pool);
    if (!pool) return NULL;
    if (pthread_mutex_init(&pool->lock, NULL) != 0) {
        pmn_free(mem, pool, sizeof *pool);
        return NULL;
    }
    pool->mem = pmn_mem_retain(mem);
    pool->keep = keep_bytes;
    atomic_init(&pool->refs, 1);
    return pool;
}

pmn_buffer_pool *pmn_buffer_pool_retain(pmn_buffer_pool *pool)
{
    atomic_fetch_add_explicit(&pool->refs, 1, memory_order_relaxed);
    return pool;
}

pmn_mem *pmn_buffer_pool_mem(pmn_buffer_pool *pool)
{
    return pool->mem;
}

static size_t block_size(size_t capacity)
{
    return sizeof(pmn_buffer) + DATA_ALIGNMENT - 1 + capacity + PMN_BUFFER_SLACK;
}

static void free_block(pmn_mem *mem, pmn_buffer *buffer)
{
    pmn_free(mem, buffer, block_size(buffer->capacity));
}

void pmn_buffer_pool_release(pmn_buffer_pool *pool)
{
    if (!pool || atomic_fetch_sub_explicit(&pool->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = pool->mem;
    for (size_t i = 0; i < N_SIZES; i++) {
        pmn_buffer *buffer = pool->free_lists[i];
        while (buffer) {
            pmn_buffer *next = buffer->next_free;
            free_block(mem, buffer);
            buffer = next;
        }
    }
    pthread_mutex_destroy(&pool->lock);
    pmn_free(mem, pool, sizeof *pool);
    pmn_mem_release(mem);
}

/* The smallest size of the series 64, 80, 96, 112, 128, 160, … that holds `capacity`, and its number. False past all. */
static bool size_class(size_t capacity, size_t *rounded, size_t *index)
{
    if (capacity > (size_t)1 << 62) return false;
    if (capacity < SMALLEST_CAPACITY) capacity = SMALLEST_CAPACITY;
    unsigned log2 = 63u - (unsigned)__builtin_clzll((unsigned long long)capacity);
    size_t step = ((size_t)1 << log2) / SIZES_A_DOUBLING;
    size_t steps = (capacity - ((size_t)1 << log2) + step - 1) / step;
    *rounded = ((size_t)1 << log2) + steps * step;
    *index = (log2 - 6u) * SIZES_A_DOUBLING + steps; /* four steps: the first size of the next doubling */
    return true;
}

static pmn_buffer *take_kept(pmn_buffer_pool *pool, size_t index)
{
    pthread_mutex_lock(&pool->lock);
    pmn_buffer *buffer = pool->free_lists[index];
    if (buffer) {
        pool->free_lists[index] = buffer->next_free;
        pool->kept -= block_size(buffer->capacity);
    }
    pthread_mutex_unlock(&pool->lock);
    return buffer;
}

paimon_status pmn_buffer_new(pmn_buffer_pool *pool, size_t capacity, pmn_buffer **out, paimon_error *err)
{
    size_t rounded, index;
    *out = NULL;
    if (!size_class(capacity, &rounded, &index)) return pmn_fail(err, PAIMON_NOMEM, "no memory for a buffer of %zu bytes", capacity);
    pmn_buffer *buffer = take_kept(pool, index);
    if (!buffer) {
        buffer = (pmn_buffer *)pmn_alloc(pool->mem, block_size(rounded));
        if (!buffer) return pmn_fail(err, PAIMON_NOMEM, "no memory for a buffer of %zu bytes", capacity);
        uintptr_t data = ((uintptr_t)(buffer + 1) + DATA_ALIGNMENT - 1) & ~(uintptr_t)(DATA_ALIGNMENT - 1);
        buffer->data = (uint8_t *)data;
        buffer->capacity = rounded;
    }
    buffer->size = 0;
    buffer->next_free = NULL;
    buffer->pool = pmn_buffer_pool_retain(pool);
    atomic_init(&buffer->refs, 1);
    *out = buffer;
    return PAIMON_OK;
}

paimon_status pmn_buffer_grow(pmn_buffer **buffer, size_t capacity, paimon_error *err)
{
    pmn_buffer *old = *buffer, *grown;
    if (capacity <= old->capacity) return PAIMON_OK;
    if (capacity < old->capacity * 2) capacity = old->capacity * 2;
    PMN_TRY(pmn_buffer_new(old->pool, capacity, &grown, err));
    memcpy(grown->data, old->data, old->capacity);
    grown->size = old->size;
    pmn_buffer_release(old);
    *buffer = grown;
    return PAIMON_OK;
}

pmn_buffer *pmn_buffer_retain(pmn_buffer *buffer)
{
    if (buffer) atomic_fetch_add_explicit(&buffer->refs, 1, memory_order_relaxed);
    return buffer;
}

void pmn_buffer_release(pmn_buffer *buffer)
{
    if (!buffer || atomic_fetch_sub_explicit(&buffer->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_buffer_pool *pool = buffer->pool;
    size_t rounded, index, size = block_size(buffer->capacity);
    bool keep = size_class(buffer->capacity, &rounded, &index);
    pthread_mutex_lock(&pool->lock);
    keep = keep && pool->keep - pool->kept >= size;
    if (keep) {
        buffer->next_free = pool->free_lists[index];
        pool->free_lists[index] = buffer;
        pool->kept += size;
    }
    pthread_mutex_unlock(&pool->lock);
    if (!keep) free_block(pool->mem, buffer);
    pmn_buffer_pool_release(pool);
}
