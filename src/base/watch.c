#include "base/watch.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

struct paimon_cancel {
    atomic_int refs;
    atomic_bool requested; /* lock-free, so that a signal handler may set it */
};

paimon_status paimon_cancel_new(paimon_cancel **cancel, paimon_error *err)
{
    if (!cancel) return pmn_fail(err, PAIMON_INVALID, "paimon_cancel_new: cancel is NULL");
    *cancel = pmn_calloc(pmn_mem_default(), 1, sizeof **cancel);
    if (!*cancel) return pmn_fail_nomem(err, "a cancel token");
    atomic_init(&(*cancel)->refs, 1);
    atomic_init(&(*cancel)->requested, false);
    return PAIMON_OK;
}

paimon_cancel *paimon_cancel_retain(paimon_cancel *cancel)
{
    if (cancel) atomic_fetch_add_explicit(&cancel->refs, 1, memory_order_relaxed);
    return cancel;
}

void paimon_cancel_free(paimon_cancel *cancel)
{
    if (!cancel || atomic_fetch_sub_explicit(&cancel->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_free(pmn_mem_default(), cancel, sizeof *cancel);
}

void paimon_cancel_request(paimon_cancel *cancel)
{
    if (cancel) atomic_store_explicit(&cancel->requested, true, memory_order_relaxed);
}

bool paimon_cancel_requested(const paimon_cancel *cancel)
{
    return cancel && atomic_load_explicit(&cancel->requested, memory_order_relaxed);
}

void pmn_watch_set_cancel(pmn_watch *watch, paimon_cancel *cancel)
{
    paimon_cancel *old = watch->cancel;
    watch->cancel = paimon_cancel_retain(cancel);
    paimon_cancel_free(old);
}

pmn_watch pmn_watch_retain(const pmn_watch *watch)
{
    pmn_watch copy = *watch;
    paimon_cancel_retain(copy.cancel);
    return copy;
}

void pmn_watch_release(pmn_watch *watch)
{
    paimon_cancel_free(watch->cancel);
    *watch = (pmn_watch){ .cancel = NULL };
}

paimon_status pmn_watch_check(const pmn_watch *watch, const char *what, paimon_error *err)
{
    if (!watch || !paimon_cancel_requested(watch->cancel)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CANCELLED, "the %s was cancelled", what);
}

paimon_status pmn_watch_tell(const pmn_watch *watch, const char *what, paimon_progress progress, paimon_error *err)
{
    if (!watch) return PAIMON_OK;
    progress.struct_size = sizeof progress;
    if (watch->fn && watch->fn(watch->ctx, &progress) != 0) return pmn_fail(err, PAIMON_CANCELLED, "the %s was cancelled", what);
    return pmn_watch_check(watch, what, err);
}

void pmn_sized_copy(void *out, const void *from, size_t from_size)
{
    size_t size = 0;
    if (out) memcpy(&size, out, sizeof size);
    if (size < sizeof size) return;
    memcpy(out, from, size < from_size ? size : from_size);
    memcpy(out, &size, sizeof size);
}

int64_t pmn_monotonic_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
