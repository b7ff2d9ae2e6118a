/* Accounting and a limit over an allocator. One atomic add an allocation; the peak is read before it is written, so that it
 * costs nothing once reached. */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "base/checked.h"
#include "paimon-c/status.h"

/* No block of the library is that large, but the size in a damaged file may be; the sanitizers' allocator stops the process
 * at 1 TiB instead of refusing. */
#define FIRST_ITEMS 4u /* of an array that grows; many of them hold one or two */
#define LARGEST_BLOCK ((size_t)1 << 39)

struct pmn_mem {
    paimon_allocator allocator;
    int64_t limit;
    _Atomic int64_t current;
    _Atomic int64_t peak;
    atomic_int refs;
    bool is_static;
};

static void *system_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size);
}

static void *system_realloc(void *ctx, void *block, size_t old_size, size_t new_size)
{
    (void)ctx;
    (void)old_size;
    return realloc(block, new_size);
}

static void system_free(void *ctx, void *block, size_t size)
{
    (void)ctx;
    (void)size;
    free(block);
}

#define SYSTEM_ALLOCATOR { sizeof(paimon_allocator), system_alloc, system_realloc, system_free, NULL }

static pmn_mem default_mem = { .allocator = SYSTEM_ALLOCATOR, .refs = 1, .is_static = true };

pmn_mem *pmn_mem_default(void)
{
    return &default_mem;
}

pmn_mem *pmn_mem_new(const paimon_allocator *allocator, int64_t limit_bytes)
{
    static const paimon_allocator system_allocator = SYSTEM_ALLOCATOR;
    if (!allocator) allocator = &system_allocator;
    pmn_mem *mem = (pmn_mem *)allocator->alloc(allocator->ctx, sizeof *mem);
    if (!mem) return NULL;
    mem->allocator = *allocator;
    mem->limit = limit_bytes;
    atomic_init(&mem->current, 0);
    atomic_init(&mem->peak, 0);
    atomic_init(&mem->refs, 1);
    mem->is_static = false;
    return mem;
}

pmn_mem *pmn_mem_retain(pmn_mem *mem)
{
    if (!mem->is_static) atomic_fetch_add_explicit(&mem->refs, 1, memory_order_relaxed);
    return mem;
}

void pmn_mem_release(pmn_mem *mem)
{
    if (!mem || mem->is_static) return;
    if (atomic_fetch_sub_explicit(&mem->refs, 1, memory_order_acq_rel) != 1) return;
    paimon_allocator allocator = mem->allocator;
    allocator.free(allocator.ctx, mem, sizeof *mem);
}

/* Account for `more` bytes; false, and nothing changed, past the limit. */
static bool charge(pmn_mem *mem, size_t more)
{
    int64_t now = atomic_fetch_add_explicit(&mem->current, (int64_t)more, memory_order_relaxed) + (int64_t)more;
    if (PMN_UNLIKELY(mem->limit > 0 && now > mem->limit)) {
        atomic_fetch_sub_explicit(&mem->current, (int64_t)more, memory_order_relaxed);
        return false;
    }
    int64_t peak = atomic_load_explicit(&mem->peak, memory_order_relaxed);
    while (PMN_UNLIKELY(now > peak)) {
        if (atomic_compare_exchange_weak_explicit(&mem->peak, &peak, now, memory_order_relaxed, memory_order_relaxed)) break;
    }
    return true;
}

static void discharge(pmn_mem *mem, size_t less)
{
    atomic_fetch_sub_explicit(&mem->current, (int64_t)less, memory_order_relaxed);
}

/* Size 0 is one byte everywhere, so that the allocator is told the same size at both ends. */
static size_t real_size(size_t size)
{
    return size ? size : 1;
}

void *pmn_alloc(pmn_mem *mem, size_t size)
{
    size = real_size(size);
    if (PMN_UNLIKELY(size > LARGEST_BLOCK) || !charge(mem, size)) return NULL;
    void *p = mem->allocator.alloc(mem->allocator.ctx, size);
    if (PMN_UNLIKELY(!p)) discharge(mem, size);
    return p;
}

void *pmn_calloc(pmn_mem *mem, size_t count, size_t size)
{
    size_t total;
    if (!pmn_mul_size(count, size, &total)) return NULL;
    void *p = pmn_alloc(mem, total);
    if (p) memset(p, 0, total);
    return p;
}

void *pmn_realloc(pmn_mem *mem, void *p, size_t old_size, size_t new_size)
{
    if (!p) return pmn_alloc(mem, new_size);
    old_size = real_size(old_size);
    new_size = real_size(new_size);
    if (new_size > LARGEST_BLOCK) return NULL;
    if (new_size > old_size && !charge(mem, new_size - old_size)) return NULL;
    void *q = mem->allocator.realloc(mem->allocator.ctx, p, old_size, new_size);
    if (!q) {
        if (new_size > old_size) discharge(mem, new_size - old_size);
        return NULL;
    }
    if (new_size < old_size) discharge(mem, old_size - new_size);
    return q;
}

size_t pmn_grown_capacity(size_t n, size_t more, size_t capacity)
{
    size_t needed;
    if (!pmn_add_size(n, more, &needed) || needed > INT32_MAX) return 0;
    size_t doubled = capacity < FIRST_ITEMS / 2 ? FIRST_ITEMS : capacity * 2;
    return needed > doubled ? needed : doubled < INT32_MAX ? doubled : INT32_MAX;
}

void *pmn_grow(pmn_mem *mem, void *items, size_t n, size_t more, size_t *capacity, size_t size)
{
    if (PMN_LIKELY(more <= *capacity - n)) return items;
    size_t grown = pmn_grown_capacity(n, more, *capacity), bytes;
    if (grown == 0 || !pmn_mul_size(grown, size, &bytes)) return NULL;
    void *moved = pmn_realloc(mem, items, *capacity * size, bytes);
    if (moved) *capacity = grown;
    return moved;
}

void pmn_free(pmn_mem *mem, void *p, size_t size)
{
    if (!p) return;
    size = real_size(size);
    mem->allocator.free(mem->allocator.ctx, p, size);
    discharge(mem, size);
}

char *pmn_strndup(pmn_mem *mem, const char *text, size_t n)
{
    if (n == SIZE_MAX) return NULL;
    char *copy = (char *)pmn_alloc(mem, n + 1);
    if (!copy) return NULL;
    if (n) memcpy(copy, text, n);
    copy[n] = 0;
    return copy;
}

void pmn_strfree(pmn_mem *mem, char *text)
{
    if (text) pmn_free(mem, text, strlen(text) + 1);
}

#define WORTH_ASKING ((size_t)4 << 20)
#define LARGEST_SMALL_PAGE ((uintptr_t)0xffff) /* of all systems, less one */

void pmn_mem_will_fill(void *block, size_t size)
{
#ifdef __linux__
    /* MADV_POPULATE_WRITE, which older headers do not name and older kernels refuse. */
    uintptr_t begin = ((uintptr_t)block + LARGEST_SMALL_PAGE) & ~LARGEST_SMALL_PAGE, end = ((uintptr_t)block + size) & ~LARGEST_SMALL_PAGE;
    if (size >= WORTH_ASKING && begin < end) (void)madvise((void *)begin, (size_t)(end - begin), 23);
#else
    (void)block, (void)size;
#endif
}

int64_t pmn_mem_current(const pmn_mem *mem)
{
    return atomic_load_explicit(&((pmn_mem *)(uintptr_t)mem)->current, memory_order_relaxed);
}

int64_t pmn_mem_peak(const pmn_mem *mem)
{
    return atomic_load_explicit(&((pmn_mem *)(uintptr_t)mem)->peak, memory_order_relaxed);
}

int64_t pmn_mem_limit(const pmn_mem *mem)
{
    return mem->limit;
}

/* In front of a handed-out block: where it goes back to. 16 bytes, so that the block keeps its alignment. */
typedef struct handout {
    pmn_mem *mem;
    size_t size;
} handout;

_Static_assert(sizeof(handout) == PMN_HANDOUT_HEADER, "what pmn_handout_adopt writes over");

void *pmn_handout_new(pmn_mem *mem, size_t size)
{
    size_t total;
    if (!pmn_add_size(size, sizeof(handout), &total)) return NULL;
    handout *h = (handout *)pmn_alloc(mem, total);
    if (!h) return NULL;
    h->mem = pmn_mem_retain(mem);
    h->size = total;
    return h + 1;
}

char *pmn_handout_text(pmn_mem *mem, const char *text, size_t n)
{
    if (n == SIZE_MAX) return NULL;
    char *copy = (char *)pmn_handout_new(mem, n + 1);
    if (!copy) return NULL;
    if (n) memcpy(copy, text, n);
    copy[n] = 0;
    return copy;
}

void pmn_handout_free(void *block)
{
    if (!block) return;
    handout *h = (handout *)block - 1;
    pmn_mem *mem = h->mem;
    pmn_free(mem, h, h->size);
    pmn_mem_release(mem);
}

void *pmn_handout_adopt(pmn_mem *mem, void *block, size_t size)
{
    handout *h = (handout *)block;
    h->mem = pmn_mem_retain(mem);
    h->size = size;
    return h + 1;
}

void paimon_string_free(char *text)
{
    pmn_handout_free(text);
}

void paimon_bytes_free(void *bytes, size_t n)
{
    (void)n; /* the header knows; callers say it so that another allocation behind this call stays possible */
    pmn_handout_free(bytes);
}
