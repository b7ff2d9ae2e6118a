/* XXH64 as its specification describes it: four lanes of 8 bytes, then the rest in 8, 4 and 1 byte steps, then an avalanche. */
#include "base/xxhash.h"

#include "base/bytes.h"

#define XXH_P1 0x9E3779B185EBCA87u
#define XXH_P2 0xC2B2AE3D27D4EB4Fu
#define XXH_P3 0x165667B19E3779F9u
#define XXH_P4 0x85EBCA77C2B2AE63u
#define XXH_P5 0x27D4EB2F165667C5u

static inline uint64_t xxh_rotate(uint64_t v, int n) { return (v << n) | (v >> (64 - n)); }
static inline uint64_t xxh_round(uint64_t lane, uint64_t input) { return xxh_rotate(lane + input * XXH_P2, 31) * XXH_P1; }
static inline uint64_t xxh_merge(uint64_t h, uint64_t lane) { return (h ^ xxh_round(0, lane)) * XXH_P1 + XXH_P4; }

static uint64_t xxh_stripes(const uint8_t **p, const uint8_t *end, uint64_t seed)
{
    uint64_t lane[4] = { seed + XXH_P1 + XXH_P2, seed + XXH_P2, seed, seed - XXH_P1 };
    while (end - *p >= 32) {
        for (int i = 0; i < 4; i++) lane[i] = xxh_round(lane[i], pmn_load_le64(*p + 8 * i));
        *p += 32;
    }
    uint64_t h = xxh_rotate(lane[0], 1) + xxh_rotate(lane[1], 7) + xxh_rotate(lane[2], 12) + xxh_rotate(lane[3], 18);
    for (int i = 0; i < 4; i++) h = xxh_merge(h, lane[i]);
    return h;
}

uint64_t pmn_xxhash64(const void *bytes, size_t n, uint64_t seed)
{
    static const uint8_t nothing[1] = { 0 };
    const uint8_t *p = n ? (const uint8_t *)bytes : nothing, *end = p + n;
    uint64_t h = n >= 32 ? xxh_stripes(&p, end, seed) : seed + XXH_P5;
    h += n;
    for (; end - p >= 8; p += 8) h = xxh_rotate(h ^ xxh_round(0, pmn_load_le64(p)), 27) * XXH_P1 + XXH_P4;
    if (end - p >= 4) {
        h = xxh_rotate(h ^ pmn_load_le32(p) * XXH_P1, 23) * XXH_P2 + XXH_P3;
        p += 4;
    }
    for (; p < end; p++) h = xxh_rotate(h ^ *p * XXH_P5, 11) * XXH_P1;
    h = (h ^ (h >> 33)) * XXH_P2;
    h = (h ^ (h >> 29)) * XXH_P3;
    return h ^ (h >> 32);
}
