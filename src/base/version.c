#include "paimon-c/version.h"

#include <string.h>

const char *paimon_version_string(void)
{
    return PAIMON_VERSION_STRING;
}

int paimon_version_number(void)
{
    return PAIMON_VERSION_NUMBER;
}

bool paimon_feature(const char *name)
{
    static const char *const built_in[] = {
        "parquet", "avro", "local", "memory", "zstd", "snappy", "gzip", "lz4", "bzip2", "xz",
#ifdef PAIMON_WITH_BROTLI
        "brotli",
#endif
    };
    if (!name) return false;
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (strcmp(name, built_in[i]) == 0) return true;
    return false;
}
