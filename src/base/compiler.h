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

#endif
