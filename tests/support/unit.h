/* What every unit test starts with: cmocka in the order it wants, random numbers that are the same every run, and where the
 * outside material is. */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Is this built with a sanitizer? Such a run looks at each access once; what is counted, measured or compared is the plain builds' to see, so it
 * may take smaller amounts. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNIT_SANITIZED 1
#else
#define UNIT_SANITIZED 0
#endif
#ifdef __SANITIZE_THREAD__ /* which is slow, and sees nothing in more cases of the same on one thread */
#define UNIT_WATCHES_THREADS 1
#else
#define UNIT_WATCHES_THREADS 0
#endif

/* The next of a series of well-mixed numbers; `state` may start anywhere. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
/* In [0, n). */
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
    return random_next(state) % n;
}

/* The path of something among the outside material (PAIMON_SHARED, else ../shared beside the sources), or NULL, said aloud. */
static inline const char *shared_path(const char *relative, char *out, size_t size)
{
    const char *root = getenv("PAIMON_SHARED");
    snprintf(out, size, "%s/%s", root ? root : PAIMON_SOURCE_DIR "/../shared", relative);
    if (access(out, R_OK) == 0) return out;
    printf("[  NOTE    ] skipped: %s is not there (set PAIMON_SHARED)\n", out);
    return NULL;
}

#endif
