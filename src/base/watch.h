/* What a caller wants of long work while it goes on: to stop it, to hear how far it is. */
#ifndef PMN_BASE_WATCH_H
#define PMN_BASE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/status.h"
#include "paimon-c/progress.h"

/* All zero: nobody watches. */
typedef struct pmn_watch {
    paimon_cancel *cancel; /* retained; NULL: none */
    paimon_progress_fn fn; /* NULL: none */
    void *ctx;
} pmn_watch;

void pmn_watch_set_cancel(pmn_watch *watch, paimon_cancel *cancel); /* NULL takes the one before away */
static inline void pmn_watch_set_progress(pmn_watch *watch, paimon_progress_fn fn, void *ctx)
{
    watch->fn = fn;
    watch->ctx = ctx;
}
/* Another holder of the same. */
pmn_watch pmn_watch_retain(const pmn_watch *watch);
void pmn_watch_release(pmn_watch *watch);

/* PAIMON_CANCELLED, with "the `what` was cancelled". `watch` may be NULL. */
paimon_status pmn_watch_check(const pmn_watch *watch, const char *what, paimon_error *err) PMN_MUST_USE;
/* The same, and the callback is told first; struct_size is filled in here. */
paimon_status pmn_watch_tell(const pmn_watch *watch, const char *what, paimon_progress progress, paimon_error *err) PMN_MUST_USE;

/* Into a caller's struct, whose first member is its size, as much of `from` as it has room for. NULL allowed. */
void pmn_sized_copy(void *out, const void *from, size_t from_size);

/* A clock for durations, in microseconds. */
int64_t pmn_monotonic_us(void);

#endif
