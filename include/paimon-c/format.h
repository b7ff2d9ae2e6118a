/** Bare files: read one Parquet, ORC or Avro file, or write one in Parquet, without a table. Arrow types that Paimon lacks may come out, but do not go in. */
#ifndef PAIMON_C_FORMAT_H
#define PAIMON_C_FORMAT_H

#include "paimon-c/arrow_abi.h"
#include "paimon-c/env.h"
#include "paimon-c/status.h"
#include "paimon-c/table.h"

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

/** All zero after struct_size means all defaults. */
typedef struct paimon_format_write_options {
    size_t struct_size;           /**< sizeof(paimon_format_write_options) */
    const char *format;           /**< "parquet"; NULL: what the path ends in */
    const paimon_option *options; /**< under a table's names: file.compression, file.block-size, parquet.page.size, parquet.enable.dictionary#col, …;
                                       the others are not looked at */
    size_t n_options;
    int32_t n_threads;            /**< threads that encode columns, the caller's included; 0: 1 */
    int32_t replace;              /**< not 0: a file that is there is removed first */
} paimon_format_write_options;

#define PAIMON_FORMAT_WRITE_OPTIONS_INIT { sizeof(paimon_format_write_options), NULL, NULL, 0, 0, 0 }

/** Write the batches of a stream as one file, which is there, whole, when this succeeds, and not there when it fails. Columns have the types that a
 *  table made from the same Arrow schema would have; fields keep the ids of their metadata PARQUET:field_id, others get the numbers in which they stand.
 *  @param stream   moved: released by the call, also on failure
 *  @param options  borrowed for the call; NULL: all defaults
 *  @param rows     out, may be NULL: how many were written
 *  @return PAIMON_ALREADY_EXISTS; PAIMON_UNSUPPORTED for a type or a format, by name; PAIMON_INVALID for an option's value or a row that does not
 *          fit its type; PAIMON_IO; what the stream failed with */
PAIMON_API paimon_status paimon_format_write(paimon_env *env, const char *path, struct ArrowArrayStream *stream,
                                             const paimon_format_write_options *options, int64_t *rows, paimon_error *err);

#ifdef __cplusplus
}
#endif

#endif
