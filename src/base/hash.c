/* Hashes. The Murmur3 variants are those of Paimon's MurmurHashUtils: buckets of stored data depend on every bit of them. */
#include "base/hash.h"

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/utf8.h"

#define PAIMON_SEED 42u

static inline uint32_t rotate_left(uint32_t v, int n)
{
    return (v << n) | (v >> (32 - n));
}

static inline uint32_t murmur_mix(uint32_t h, uint32_t k)
{
    k *= 0xcc9e2d51u;
    k = rotate_left(k, 15);
    k *= 0x1b873593u;
    h = rotate_left(h ^ k, 13);
    return h * 5 + 0xe6546b64u;
}

static inline int32_t murmur_finish(uint32_t h, uint32_t length)
{
    h ^= length;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return (int32_t)h;
}

int32_t pmn_murmur_words(const void *bytes, size_t n)
{
    const uint8_t *p = (const uint8_t *)bytes;
    uint32_t h = PAIMON_SEED;
    for (size_t i = 0; i + 4 <= n; i += 4) h = murmur_mix(h, pmn_load_le32(p + i));
    return murmur_finish(h, (uint32_t)n);
}

int32_t pmn_murmur_bytes(const void *bytes, size_t n)
{
    const uint8_t *p = (const uint8_t *)bytes;
    uint32_t h = PAIMON_SEED;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) h = murmur_mix(h, pmn_load_le32(p + i));
    for (; i < n; i++) h = murmur_mix(h, (uint32_t)(int32_t)(int8_t)p[i]); /* Java's byte is signed */
    return murmur_finish(h, (uint32_t)n);
}

/* The two halves of a 64 × 64 product folded: one multiplication spreads every input bit. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
    pmn_u128 product = (pmn_u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#define ODD_1 0x9e3779b97f4a7c15u
#define ODD_2 0xd1b54a32d192ed03u
#define ODD_3 0x8cb92ba72f3d8dd7u

uint64_t pmn_hash64(const void *bytes, size_t n, uint64_t seed)
{
    const uint8_t *p = (const uint8_t *)bytes;
    uint64_t h = seed ^ fold(seed ^ ODD_1, (uint64_t)n ^ ODD_2), a = 0, b = 0;
    size_t left = n;
    for (; left > 16; left -= 16, p += 16) h = fold(pmn_load_le64(p) ^ ODD_1, pmn_load_le64(p + 8) ^ h);
    /* The last 0 … 16 bytes, as two loads that may overlap. */
    if (left >= 8) {
        a = pmn_load_le64(p);
        b = pmn_load_le64(p + left - 8);
    } else if (left >= 4) {
        a = pmn_load_le32(p);
        b = pmn_load_le32(p + left - 4);
    } else if (left > 0) {
        a = (uint64_t)p[0] << 16 | (uint64_t)p[left / 2] << 8 | p[left - 1];
    }
    return fold(fold(a ^ ODD_2, b ^ h) ^ ODD_3, (uint64_t)n ^ ODD_1);
}

int32_t pmn_java_string_hash(const char *text, size_t n)
{
    pmn_slice s = pmn_slice_of(text, n);
    uint32_t h = 0; /* Java's int wraps */
    for (size_t pos = 0; pos < n;) {
        uint32_t c = pmn_utf8_next(s, &pos);
        if (c >= 0x10000) {
            h = h * 31 + (0xd800u + ((c - 0x10000) >> 10));
            c = 0xdc00u + ((c - 0x10000) & 0x3ff);
        }
        h = h * 31 + c;
    }
    return (int32_t)h;
}
