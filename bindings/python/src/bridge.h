/* What paimon_c._native has besides the public interface: the way from the library into Python (bridge.c). */
#ifndef PAIMON_PY_BRIDGE_H
#define PAIMON_PY_BRIDGE_H

#include "paimon-c/paimon.h"

/* A file system of functions in Python. `id` is what they know it by; paimon_py_release(id) is called at its end. */
paimon_status paimon_py_fs_new(size_t id, bool can_rename, paimon_fs **fs, paimon_error *err);

/* The versions of a table, kept by functions in Python, who know them by `id`. `has`: which of the functions that may be left out are there. */
enum { PAIMON_PY_SNAPSHOT = 1, PAIMON_PY_EARLIEST = 2, PAIMON_PY_SCHEMA = 4, PAIMON_PY_PUBLISH = 8 };
paimon_status paimon_py_versions_new(size_t id, unsigned has, paimon_versions **versions, paimon_error *err);

/* A paimon_log_fn; `ctx` is a number that Python knows. */
void paimon_py_log(void *ctx, paimon_log_level level, const char *message);

/* A paimon_progress_fn; `ctx` is a number that Python knows, or 0. Python hears of it at most ten times a second in each thread, so that a
 * call does not wait for the interpreter's lock at every step. */
int paimon_py_progress(void *ctx, const paimon_progress *progress);

/* Fill in an error, for functions in Python that failed. */
void paimon_py_fail(paimon_error *err, int status, int32_t sys_errno, const char *text);

/* No call goes into Python any more, and none is on its way when this returns. */
void paimon_py_close(void);

/* In a child: the threads that were inside stayed with the parent. */
void paimon_py_after_fork(void);

#endif
