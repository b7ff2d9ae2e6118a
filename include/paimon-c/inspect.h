/** Look inside any file of a table: metadata, data, index, split, message. For people and for tests. */
#ifndef PAIMON_C_INSPECT_H
#define PAIMON_C_INSPECT_H

#include <stddef.h>
#include <stdint.h>

#include "paimon-c/env.h"
#include "paimon-c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Decode a file and show it as JSON.
 *
 *  @param type  "schema", "snapshot", "tag", "manifest-list", "manifest", "index-manifest", "split", "message", "messages", "committable", "parquet", "avro", …; NULL: found out from
 *               name and first bytes
 *  @param json  out; owned by the caller: paimon_string_free()
 *  @return PAIMON_INVALID for an unknown type; PAIMON_UNSUPPORTED for one that is not built in, by name; PAIMON_CORRUPT
 */
PAIMON_API paimon_status paimon_inspect(paimon_env *env, const char *path, const char *type, char **json, paimon_error *err);

/** The same for files whose bytes do not say their version, as those of commit messages do not.
 *  @param version  the version they are in; 0: the current one. Files that say it themselves are read in what they say. */
PAIMON_API paimon_status paimon_inspect_as(paimon_env *env, const char *path, const char *type, int32_t version, char **json, paimon_error *err);

/** Decode a file and encode it again as this library writes such files today: to see whether two implementations agree, or to bring an old
 *  file to the current version.
 *
 *  @param version  for files that say their version: the one to write, 0: the current one (9 for splits). For files that do not: the one they
 *                  are in; they are written in the current one
 *  @param bytes    out; owned by the caller: paimon_bytes_free(bytes, n)
 *  @return as above; PAIMON_UNSUPPORTED, by name, for types that are not written (data files, tags)
 *
 *  Splits keep their outer form if they have it, and lose a stream of Java objects around them. Manifests and their lists keep compression and
 *  sync marker, and get today's header schema.
 */
PAIMON_API paimon_status paimon_inspect_rewrite(paimon_env *env, const char *path, const char *type, int32_t version, uint8_t **bytes, size_t *n,
                                                paimon_error *err);

#ifdef __cplusplus
}
#endif

#endif
