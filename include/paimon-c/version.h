/** The version of the library, at compile time and at run time. */
#ifndef PAIMON_C_VERSION_H
#define PAIMON_C_VERSION_H

#include <stdbool.h>

#include "paimon-c/status.h"

#define PAIMON_VERSION_MAJOR 0
#define PAIMON_VERSION_MINOR 1
#define PAIMON_VERSION_PATCH 0
#define PAIMON_VERSION_STRING "0.1.0"
#define PAIMON_VERSION_NUMBER (PAIMON_VERSION_MAJOR * 10000 + PAIMON_VERSION_MINOR * 100 + PAIMON_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/** "0.1.0"; static. */
PAIMON_API const char *paimon_version_string(void);
/** major * 10000 + minor * 100 + patch. */
PAIMON_API int paimon_version_number(void);
/** Was this compiled in? "parquet", "brotli", …; false for unknown names. */
PAIMON_API bool paimon_feature(const char *name);

#ifdef __cplusplus
}
#endif

#endif
