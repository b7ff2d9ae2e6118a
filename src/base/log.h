/* The log callback: nothing is printed unless the embedder gave one. */
#ifndef PMN_BASE_LOG_H
#define PMN_BASE_LOG_H

#include "base/compiler.h"
#include "paimon-c/env.h"

typedef struct pmn_logger {
    paimon_log_fn fn;
    void *ctx;
    paimon_log_level level;
} pmn_logger;

/* No-op on NULL, without a function, or above the level. Cuts at 1 KB. */
void pmn_log(const pmn_logger *logger, paimon_log_level level, const char *format, ...) PMN_PRINTF(3, 4);

#endif
