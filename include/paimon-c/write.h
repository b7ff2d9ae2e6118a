/** Data plane: write rows of a table into data files. What is written becomes part of the table only when its commit messages
 *  are committed (commit.h).
 *
 *      paimon_write *write = NULL;
 *      paimon_message_list *messages = NULL;
 *      paimon_write_new(table, &schema, NULL, &write, &err);        // the schema of all batches, moved
 *      paimon_write_batch(write, &array, &err);                     // moved, also on failure
 *      paimon_write_prepare_commit(write, PAIMON_BATCH_COMMIT, &messages, &err);
 *      paimon_write_free(write);
 *
 *  Partition and bucket follow from the columns. A writer is used by one thread at a time and may move between threads; many
 *  writers, in many processes, may prepare messages for one commit. Memory is bounded by the table's option write-buffer-size, however many
 *  partitions there are (docs/api.md).
 */
#ifndef PAIMON_C_WRITE_H
#define PAIMON_C_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "paimon-c/arrow_abi.h"
#include "paimon-c/message.h"
#include "paimon-c/progress.h"
#include "paimon-c/status.h"
#include "paimon-c/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paimon_write paimon_write;

/** All zero after struct_size means all defaults. */
typedef struct paimon_write_options {
    size_t struct_size; /**< sizeof(paimon_write_options) */
    int32_t n_threads;  /**< threads that encode columns, the caller's included; 0: 1 */
} paimon_write_options;

#define PAIMON_WRITE_OPTIONS_INIT { sizeof(paimon_write_options), 0 }

/** A writer for batches of one schema.
 *
 *  @param table    kept by a reference
 *  @param schema   the struct schema of every batch; moved (released by the call when it fails). Columns are matched by name and may
 *                  stand in any order; a nullable column that is left out is written as its default value or null. Types are those of
 *                  docs/api.md and what converts to them without loss; others are refused here, by name
 *  @param options  borrowed for the call; NULL: all defaults
 *  @return PAIMON_INVALID for a missing or unknown column; PAIMON_UNSUPPORTED, by name, for an Arrow type that cannot hold its column's
 *          values, and for a table that this version cannot write; PAIMON_NOT_FOUND for a table that was dropped or renamed since it was
 *          opened, PAIMON_CONFLICT when another one has its name
 */
PAIMON_API paimon_status paimon_write_new(paimon_table *table, struct ArrowSchema *schema, const paimon_write_options *options,
                                          paimon_write **write, paimon_error *err);

/** Write the rows of a struct array. It is moved, also on failure: released by this call or, when its rows are still to be encoded, by a later one on
 *  this writer, paimon_write_free() at the latest. Rows that do not fit (a null in a NOT NULL
 *  column, a decimal over its precision, a text over its length) are PAIMON_INVALID, naming column and row, before anything of the
 *  batch is written. Other failures may be those of an earlier batch's rows. After one the writer only answers PAIMON_STATE; free it, which removes its files. */
PAIMON_API paimon_status paimon_write_batch(paimon_write *write, struct ArrowArray *batch, paimon_error *err);

/** The same with partition and bucket said by the caller, for engines that group rows themselves: every row is checked against them.
 *  @param partition  texts of the partition columns in key order, NULL for a null value; NULL for an unpartitioned table
 *  @param bucket     in [0, bucket) for a fixed-bucket table; 0 for bucket = -1 */
PAIMON_API paimon_status paimon_write_batch_to(paimon_write *write, const char *const *partition, int32_t bucket,
                                               struct ArrowArray *batch, paimon_error *err);

/** Close the open files and hand over a message for each (partition, bucket) written since the last call. The writer keeps none and
 *  may go on: repeatedly with rising identifiers (streaming), or once with PAIMON_BATCH_COMMIT.
 *  @param messages  out; owned by the caller, free with paimon_message_list_free() */
PAIMON_API paimon_status paimon_write_prepare_commit(paimon_write *write, int64_t commit_identifier, paimon_message_list **messages,
                                                     paimon_error *err);

/** Rows written so far. */
PAIMON_API int64_t paimon_write_rows(const paimon_write *write);

/** Writing stops, with PAIMON_CANCELLED, when the token is spent; free the writer then, which removes its files.
 *  @param cancel  kept by a reference; NULL: none */
PAIMON_API paimon_status paimon_write_set_cancel(paimon_write *write, paimon_cancel *cancel, paimon_error *err);
/** `fn` is called once a batch, when it is written. NULL: nobody. `ctx` must live as long as the writer. */
PAIMON_API paimon_status paimon_write_set_progress(paimon_write *write, paimon_progress_fn fn, void *ctx, paimon_error *err);

/** What a writer has done so far. */
typedef struct paimon_write_metrics {
    size_t struct_size;    /**< in: sizeof(paimon_write_metrics) */
    int64_t batches;
    int64_t rows;
    int64_t files;         /**< closed; those that are open come with the next messages */
    int64_t bytes_written; /**< of the files closed */
    int64_t buckets;       /**< partitions and buckets met */
    int64_t time_us;       /**< microseconds inside of the writer's calls */
} paimon_write_metrics;

#define PAIMON_WRITE_METRICS_INIT { sizeof(paimon_write_metrics), 0, 0, 0, 0, 0, 0 }

/** A copy of the numbers, as far as `metrics->struct_size` has room. By the thread that has the writer. */
PAIMON_API void paimon_write_get_metrics(const paimon_write *write, paimon_write_metrics *metrics);

/** Free the writer; files that no message was handed over for are removed. NULL is allowed. */
PAIMON_API void paimon_write_free(paimon_write *write);

#ifdef __cplusplus
}
#endif

#endif
