#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void pmn_log(const pmn_logger *logger, paimon_log_level level, const char *format, ...)
{
    if (!logger || !logger->fn || level > logger->level) return;
    char line[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0) return;
    for (char *p = line; *p; p++)
        if (*p == '\n' || *p == '\r') *p = ' '; /* the callback was promised one line */
    logger->fn(logger->ctx, level, line);
}
