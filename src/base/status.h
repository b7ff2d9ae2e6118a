/* How the inside fails: set the caller's error object and return its status in one expression. */
#ifndef PMN_BASE_STATUS_H
#define PMN_BASE_STATUS_H

#include <stdarg.h>

#include "base/compiler.h"
#include "paimon-c/status.h"

/* Set `err` (may be NULL) to `status` with a formatted text, and return `status`. Never fails itself: without memory the
 * text is a static one. */
paimon_status pmn_fail(paimon_error *err, paimon_status status, const char *format, ...) PMN_PRINTF(3, 4);
paimon_status pmn_vfail(paimon_error *err, paimon_status status, const char *format, va_list args);

/* As pmn_fail, with an errno that goes into sys_errno and, in words, behind the text. */
paimon_status pmn_fail_errno(paimon_error *err, int sys_errno, const char *format, ...) PMN_PRINTF(3, 4);

/* PAIMON_NOMEM with what was to be made: pmn_fail_nomem(err, "manifest entries"). */
paimon_status pmn_fail_nomem(paimon_error *err, const char *what);

/* Put "<format>: " before the text that is already there: a caller that knows the file adds it on the way up. No-op on a
 * NULL or empty error. */
void pmn_error_prefix(paimon_error *err, const char *format, ...) PMN_PRINTF(2, 3);

/* Move `from` into `to` (cleared first). `to` may be NULL. */
void pmn_error_move(paimon_error *to, paimon_error *from);

/* The fixed errno of a status, for ArrowArrayStream callbacks. */
int pmn_status_errno(paimon_status status);

/* Return on failure. A function that owns things uses PMN_GOTO and frees at its label `done`. */
#define PMN_TRY(expr)                                                                                                    \
    do {                                                                                                                 \
        paimon_status pmn_try_status_ = (expr);                                                                          \
        if (PMN_UNLIKELY(pmn_try_status_ != PAIMON_OK)) return pmn_try_status_;                                          \
    } while (0)

#define PMN_GOTO(status, expr, label)                                                                                    \
    do {                                                                                                                 \
        (status) = (expr);                                                                                               \
        if (PMN_UNLIKELY((status) != PAIMON_OK)) goto label;                                                             \
    } while (0)

#endif
