/* The parts of evaluation on Arrow: eval.c walks tree and columns, the kernels compare 64 rows into a word at a time.
 *
 * Bit i of word w is row 64w + i. A kernel is given `domain`, the rows that matter (not null, not yet decided): it skips words
 * without any, and what it answers outside of them is ignored. `domain` and `out` may be the same words. */
#ifndef PMN_PREDICATE_EVAL_H
#define PMN_PREDICATE_EVAL_H

#include "arrow/schema.h"
#include "base/arena.h"
#include "base/bitmap.h"
#include "predicate/bound.h"

#if PMN_X86_DISPATCH
#include <emmintrin.h>
#endif

typedef struct pmn_eval_values {
    const pmn_pred *leaf;
    const struct ArrowArray *array;
    pmn_arrow_type arrow;
    const char *format; /* for messages */
    int64_t start;      /* place of row 0 in the buffers */
    int64_t n;
    pmn_arena *arena; /* for what lives until the end of the call */
} pmn_eval_values;

static inline int64_t pmn_eval_words(int64_t n) { return (n + 63) / 64; }

/* 64 bytes of 0 or 0xFF to 64 bits. */
PMN_INLINE uint64_t pmn_eval_pack(const uint8_t bytes[64])
{
    uint64_t bits = 0;
#if PMN_X86_DISPATCH
    for (int k = 0; k < 4; k++) {
        __m128i sixteen = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * k));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(sixteen) << (16 * k);
    }
#else
    for (int k = 0; k < 8; k++) { /* the multiplication gathers the eight lowest bits in the top byte */
        uint64_t eight;
        memcpy(&eight, bytes + 8 * k, 8);
        bits |= ((PMN_LE64(eight) & 0x0101010101010101u) * 0x0102040810204080u >> 56) << (8 * k);
    }
#endif
    return bits;
}

/* Define `name` from the always-inlined `name##_body`: compiled twice on x86, the wider one taken where the processor has it. */
#if PMN_X86_DISPATCH
#define PMN_EVAL_DISPATCH(name, params, args)                                                                                                        \
    PMN_TARGET("avx2,bmi2") PMN_VECTORISE static void name##_avx2 params { name##_body args; }                                                       \
    PMN_VECTORISE static void name##_plain params { name##_body args; }                                                                              \
    static void name params                                                                                                                          \
    {                                                                                                                                                \
        if (PMN_CPU_HAS("avx2") && PMN_CPU_HAS("bmi2"))                                                                                              \
            name##_avx2 args;                                                                                                                        \
        else                                                                                                                                         \
            name##_plain args;                                                                                                                       \
    }
#else
#define PMN_EVAL_DISPATCH(name, params, args)                                                                                                        \
    PMN_VECTORISE static void name params { name##_body args; }
#endif

/* `n` (1 … 64) bits from bit `at`, reading no byte that holds none of them. */
uint64_t pmn_eval_load_bits(const uint8_t *bits, int64_t at, int64_t n);

/* Integers, decimals, dates, times, floats, booleans. */
paimon_status pmn_eval_fixed(const pmn_eval_values *v, const uint64_t *domain, uint64_t *out, paimon_error *err) PMN_MUST_USE;
/* Strings and bytes in all their layouts. */
paimon_status pmn_eval_text(const pmn_eval_values *v, const uint64_t *domain, uint64_t *out, paimon_error *err) PMN_MUST_USE;

paimon_status pmn_eval_wrong_type(const pmn_eval_values *v, paimon_error *err);

#endif
