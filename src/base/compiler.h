/* The only place that knows compiler extensions. */
#ifndef PMN_BASE_COMPILER_H
#define PMN_BASE_COMPILER_H

#if defined(__GNUC__)
#define PMN_PRINTF(format_arg, first_arg) __attribute__((format(printf, format_arg, first_arg)))
#define PMN_MUST_USE __attribute__((warn_unused_result))
#define PMN_LIKELY(x) __builtin_expect(!!(x), 1)
#define PMN_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PMN_NOINLINE __attribute__((noinline))
#define PMN_INLINE static inline __attribute__((always_inline))
#define PMN_RESTRICT __restrict
#else
#define PMN_PRINTF(format_arg, first_arg)
#define PMN_MUST_USE
#define PMN_LIKELY(x) (x)
#define PMN_UNLIKELY(x) (x)
#define PMN_NOINLINE
#define PMN_INLINE static inline
#define PMN_RESTRICT restrict
#endif

/* Vector kernels are chosen at run time: a function marked PMN_TARGET("avx2") is called only where PMN_CPU_HAS("avx2") is true. */
#if defined(__GNUC__) && defined(__x86_64__)
#define PMN_X86_DISPATCH 1
#define PMN_TARGET(features) __attribute__((target(features)))
#define PMN_CPU_HAS(feature) __builtin_cpu_supports(feature)
#else
#define PMN_X86_DISPATCH 0
#endif

/* For the few loops that the compiler should vectorise although the build asks for moderation. */
#if defined(__GNUC__) && !defined(__clang__)
#define PMN_VECTORISE __attribute__((optimize("O3")))
#else
#define PMN_VECTORISE
#endif

#endif
