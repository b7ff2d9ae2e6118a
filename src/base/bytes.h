/* Explicit byte order at every load and store: Paimon mixes both. */
#ifndef PMN_BASE_BYTES_H
#define PMN_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

/* A borrowed run of bytes. */
typedef struct pmn_slice {
    const uint8_t *data;
    size_t size;
} pmn_slice;

static inline pmn_slice pmn_slice_of(const void *data, size_t size)
{
    pmn_slice s = { (const uint8_t *)data, size };
    return s;
}
static inline pmn_slice pmn_slice_text(const char *text) { return pmn_slice_of(text, strlen(text)); }
static inline int pmn_slice_equal(pmn_slice a, pmn_slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}
/* Unsigned byte order, a prefix first. */
static inline int pmn_slice_compare(pmn_slice a, pmn_slice b)
{
    size_t n = a.size < b.size ? a.size : b.size;
    int c = n ? memcmp(a.data, b.data, n) : 0;
    return c ? c : (a.size > b.size) - (a.size < b.size);
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PMN_LE16(x) __builtin_bswap16(x)
#define PMN_LE32(x) __builtin_bswap32(x)
#define PMN_LE64(x) __builtin_bswap64(x)
#define PMN_BE16(x) (x)
#define PMN_BE32(x) (x)
#define PMN_BE64(x) (x)
#else
#define PMN_LE16(x) (x)
#define PMN_LE32(x) (x)
#define PMN_LE64(x) (x)
#define PMN_BE16(x) __builtin_bswap16(x)
#define PMN_BE32(x) __builtin_bswap32(x)
#define PMN_BE64(x) __builtin_bswap64(x)
#endif

#define PMN_LOAD_STORE(bits, order, convert)                                                                             \
    PMN_INLINE uint##bits##_t pmn_load_##order##bits(const void *p)                                                      \
    {                                                                                                                    \
        uint##bits##_t v;                                                                                                \
        memcpy(&v, p, sizeof v);                                                                                         \
        return convert(v);                                                                                               \
    }                                                                                                                    \
    PMN_INLINE void pmn_store_##order##bits(void *p, uint##bits##_t v)                                                   \
    {                                                                                                                    \
        v = convert(v);                                                                                                  \
        memcpy(p, &v, sizeof v);                                                                                         \
    }

PMN_LOAD_STORE(16, le, PMN_LE16)
PMN_LOAD_STORE(32, le, PMN_LE32)
PMN_LOAD_STORE(64, le, PMN_LE64)
PMN_LOAD_STORE(16, be, PMN_BE16)
PMN_LOAD_STORE(32, be, PMN_BE32)
PMN_LOAD_STORE(64, be, PMN_BE64)

#undef PMN_LOAD_STORE

#endif
