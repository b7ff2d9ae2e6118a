/** Bare files: read one Parquet (later ORC, Avro) file without a table. Arrow types that Paimon lacks may come out. */
#ifndef PAIMON_C_FORMAT_H
#define PAIMON_C_FORMAT_H

#include "paimon-c/arrow_abi.h"
#include "paimon-c/env.h"
#include "paimon-c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** All zero after struct_size means all defaults. */
typedef struct paimon_format_options {
    size_t struct_size;          /**< sizeof(paimon_format_options) */
    const char *const *columns;  /**< top-level columns in this order; NULL: all */
    size_t n_columns;
    int64_t batch_rows;          /**< 0: 16384 */
    int32_t n_threads;           /**< 0: 1 */
    int32_t verify_checksums;    /**< not 0: compare each page with its CRC, where the file has them; PAIMON_CORRUPT if they differ */
} paimon_format_options;

#define PAIMON_FORMAT_OPTIONS_INIT { sizeof(paimon_format_options), NULL, 0, 0, 0, 0 }

/** Open a file, whose format its first bytes tell, as a stream of batches.
 *  @param options  borrowed for the call; NULL: all defaults
 *  @param stream   out; the caller releases it
 *  @return PAIMON_UNSUPPORTED for a format or feature that is not built in, by name; PAIMON_CORRUPT; PAIMON_NOT_FOUND; PAIMON_IO */
PAIMON_API paimon_status paimon_format_open(paimon_env *env, const char *path, const paimon_format_options *options,
                                            struct ArrowArrayStream *stream, paimon_error *err);

#ifdef __cplusplus
}
#endif

#endif
