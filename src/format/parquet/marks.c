/* Slots, nulls and lists from levels: see marks.h. */
#include "format/parquet/marks.h"

#include <stddef.h>

#include "base/bytes.h"
#include "base/compiler.h"

#if PMN_X86_DISPATCH
#include <immintrin.h>
#endif

int64_t pmn_parquet_mark_slots_plain(const uint8_t *defs, const uint8_t *reps, int64_t n, int slot_def, int slot_rep, int value_def, uint64_t *bits,
                                     int64_t *n_valid)
{
    int64_t slots = 0, valid = 0;
    uint64_t word = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t is_slot = (defs[i] >= slot_def) & (!reps || reps[i] <= slot_rep);
        uint64_t is_valid = is_slot & (defs[i] >= value_def);
        word |= is_valid << (slots & 63);
        valid += (int64_t)is_valid;
        slots += (int64_t)is_slot;
        if (is_slot && (slots & 63) == 0) {
            bits[(slots >> 6) - 1] = PMN_LE64(word);
            word = 0;
        }
    }
    bits[slots >> 6] = PMN_LE64(word);
    *n_valid = valid;
    return slots;
}

bool pmn_parquet_mark_lists_plain(const uint8_t *defs, const uint8_t *reps, int64_t n, int slot_def, int slot_rep, int element_def, int element_rep,
                                  int64_t n_slots, int32_t *offsets)
{
    int64_t slots = 0;
    int32_t elements = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t is_slot = (defs[i] >= slot_def) & (reps[i] <= slot_rep);
        if (slots + is_slot > n_slots) return false;
        offsets[slots] = elements; /* rewritten until the slot really begins */
        slots += is_slot;
        elements += (defs[i] >= element_def) & (reps[i] <= element_rep);
    }
    offsets[slots] = elements;
    return slots == n_slots;
}

#if PMN_X86_DISPATCH
/* One bit a level of 64: level ≥ `least`. SSE2 is part of x86-64. */
PMN_INLINE uint64_t at_least(const uint8_t *levels, int least)
{
    __m128i t = _mm_set1_epi8((char)least);
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(levels + 16 * i));
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(v, t), v)) << (16 * i);
    }
    return mask;
}

PMN_INLINE uint64_t at_most_level(const uint8_t *levels, int most)
{
    __m128i t = _mm_set1_epi8((char)most);
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(levels + 16 * i));
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, t), v)) << (16 * i);
    }
    return mask;
}

PMN_TARGET("popcnt,bmi,bmi2")
static int64_t mark_slots_bmi2(const uint8_t *defs, const uint8_t *reps, int64_t n, int slot_def, int slot_rep, int value_def, uint64_t *bits,
                               int64_t *n_valid)
{
    int64_t slots = 0, valid = 0;
    uint64_t word = 0;
    unsigned filled = 0;
    for (int64_t i = 0; i < n; i += 64) {
        uint64_t slot = n - i < 64 ? (UINT64_C(1) << (n - i)) - 1 : UINT64_MAX;
        if (slot_def > 0) slot &= at_least(defs + i, slot_def);
        if (reps) slot &= at_most_level(reps + i, slot_rep);
        uint64_t packed = _pext_u64(at_least(defs + i, value_def), slot);
        unsigned count = (unsigned)__builtin_popcountll(slot);
        valid += __builtin_popcountll(packed);
        word |= packed << filled;
        if (filled + count >= 64) {
            bits[slots >> 6] = word;
            word = filled ? packed >> (64 - filled) : 0;
            filled = filled + count - 64;
        } else {
            filled += count;
        }
        slots += count;
    }
    bits[slots >> 6] = word;
    *n_valid = valid;
    return slots;
}

PMN_TARGET("popcnt,bmi,bmi2")
static bool mark_lists_bmi2(const uint8_t *defs, const uint8_t *reps, int64_t n, int slot_def, int slot_rep, int element_def, int element_rep,
                            int64_t n_slots, int32_t *offsets)
{
    int64_t slots = 0;
    int32_t elements = 0;
    for (int64_t i = 0; i < n; i += 64) {
        uint64_t some = n - i < 64 ? (UINT64_C(1) << (n - i)) - 1 : UINT64_MAX;
        uint64_t slot = some & at_least(defs + i, slot_def) & at_most_level(reps + i, slot_rep);
        uint64_t element = some & at_least(defs + i, element_def) & at_most_level(reps + i, element_rep);
        if (slots + __builtin_popcountll(slot) > n_slots) return false;
        for (; slot; slot &= slot - 1) offsets[slots++] = elements + __builtin_popcountll(element & ((slot & (0 - slot)) - 1));
        elements += __builtin_popcountll(element);
    }
    offsets[slots] = elements;
    return slots == n_slots;
}

PMN_TARGET("popcnt")
static int64_t count_level_popcnt(const uint8_t *levels, int64_t n, int level)
{
    __m128i t = _mm_set1_epi8((char)level);
    int64_t count = 0, i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(levels + i));
        count += __builtin_popcount((unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, t)));
    }
    for (; i < n; i++) count += levels[i] == level;
    return count;
}

/* A processor with BMI2 has the others. */
#define HAS_BMI2 PMN_CPU_HAS("bmi2")
#endif

int64_t pmn_parquet_mark_slots(const uint8_t *defs, const uint8_t *reps, int64_t n, int slot_def, int slot_rep, int value_def, uint64_t *bits,
                               int64_t *n_valid)
{
#if PMN_X86_DISPATCH
    if (HAS_BMI2) return mark_slots_bmi2(defs, reps, n, slot_def, slot_rep, value_def, bits, n_valid);
#endif
    return pmn_parquet_mark_slots_plain(defs, reps, n, slot_def, slot_rep, value_def, bits, n_valid);
}

bool pmn_parquet_mark_lists(const uint8_t *defs, const uint8_t *reps, int64_t n, int slot_def, int slot_rep, int element_def, int element_rep,
                            int64_t n_slots, int32_t *offsets)
{
#if PMN_X86_DISPATCH
    if (HAS_BMI2) return mark_lists_bmi2(defs, reps, n, slot_def, slot_rep, element_def, element_rep, n_slots, offsets);
#endif
    return pmn_parquet_mark_lists_plain(defs, reps, n, slot_def, slot_rep, element_def, element_rep, n_slots, offsets);
}

int64_t pmn_parquet_count_level(const uint8_t *levels, int64_t n, int level)
{
#if PMN_X86_DISPATCH
    if (PMN_CPU_HAS("popcnt")) return count_level_popcnt(levels, n, level);
#endif
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += levels[i] == level;
    return count;
}
