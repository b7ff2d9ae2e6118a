/* Arithmetic on sizes that come from outside: each returns false instead of wrapping. */
#ifndef PMN_BASE_CHECKED_H
#define PMN_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

static inline PMN_MUST_USE bool pmn_add_size(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline PMN_MUST_USE bool pmn_mul_size(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }
static inline PMN_MUST_USE bool pmn_add_i64(int64_t a, int64_t b, int64_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline PMN_MUST_USE bool pmn_sub_i64(int64_t a, int64_t b, int64_t *out) { return !__builtin_sub_overflow(a, b, out); }
static inline PMN_MUST_USE bool pmn_mul_i64(int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow(a, b, out); }

#endif
