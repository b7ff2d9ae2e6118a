/** Look inside any file of a table: metadata, data, index, split, message. For people and for tests. */
#ifndef PAIMON_C_INSPECT_H
#define PAIMON_C_INSPECT_H

#include "paimon-c/env.h"
#include "paimon-c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Decode a file and show it as JSON.
 *
 *  @param type  "schema", "snapshot", "tag", "manifest-list", "manifest", "index-manifest", "parquet", "avro", …; NULL: found out from
 *               name and first bytes
 *  @param json  out; owned by the caller: paimon_string_free()
 *  @return PAIMON_INVALID for an unknown type; PAIMON_UNSUPPORTED for one that is not built in, by name; PAIMON_CORRUPT
 */
PAIMON_API paimon_status paimon_inspect(paimon_env *env, const char *path, const char *type, char **json, paimon_error *err);

#ifdef __cplusplus
}
#endif

#endif
