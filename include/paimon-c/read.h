/** Data plane: read splits of a table as a stream of Arrow batches.
 *
 *      paimon_read *read = NULL;
 *      struct ArrowArrayStream stream;
 *      paimon_read_new(table, &read, &err);
 *      paimon_read_set_columns(read, (const char *[]){ "id", "name" }, 2, &err);
 *      paimon_read_set_predicate(read, predicate, &err);
 *      paimon_read_plan(read, plan, &stream, &err);     // then stream.get_next(&stream, &array) until array.release is NULL
 */
#ifndef PAIMON_C_READ_H
#define PAIMON_C_READ_H

#include <stddef.h>
#include <stdint.h>

#include "paimon-c/arrow_abi.h"
#include "paimon-c/predicate.h"
#include "paimon-c/scan.h"
#include "paimon-c/status.h"
#include "paimon-c/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paimon_read paimon_read;

/** What to read and how, for any number of streams. It keeps the table. One thread at a time; its streams are independent. */
PAIMON_API paimon_status paimon_read_new(paimon_table *table, paimon_read **read, paimon_error *err);
PAIMON_API void paimon_read_free(paimon_read *read);

/** Columns in this order; a dotted name ("a.b") asks for one field of a row and keeps its nesting. Default: all.
 *  @return PAIMON_NOT_FOUND names the unknown column; PAIMON_INVALID for one that is named twice */
PAIMON_API paimon_status paimon_read_set_columns(paimon_read *read, const char *const *columns, size_t n, paimon_error *err);
/** Exactly the rows for which it is TRUE, also on columns that are not read. The read takes a reference; NULL takes it away. */
PAIMON_API paimon_status paimon_read_set_predicate(paimon_read *read, paimon_predicate *predicate, paimon_error *err);
/** At most `limit` rows a stream; negative: all. */
PAIMON_API paimon_status paimon_read_set_limit(paimon_read *read, int64_t limit, paimon_error *err);
/** Upper bound of rows a batch; default 16384. */
PAIMON_API paimon_status paimon_read_set_batch_rows(paimon_read *read, int64_t rows, paimon_error *err);
/** How many threads decode at once, the caller's included; default 1. The order of rows is the same for any number. */
PAIMON_API paimon_status paimon_read_set_threads(paimon_read *read, int32_t n_threads, paimon_error *err);

/** Read all splits of a plan, in its order.
 *
 *  @param plan    borrowed for the call: the stream keeps what it needs
 *  @param stream  out; the caller releases it. It may move between threads, one at a time, and outlive every other object.
 *
 *  Batches are struct arrays with a row or more, at most the batch size; the top level has no nulls and offset 0; child arrays may
 *  have offsets. Errors: one errno for each status (status.h), the text from get_last_error.
 */
PAIMON_API paimon_status paimon_read_plan(const paimon_read *read, const paimon_plan *plan, struct ArrowArrayStream *stream, paimon_error *err);
/** The same for chosen splits of this table. */
PAIMON_API paimon_status paimon_read_splits(const paimon_read *read, paimon_split *const *splits, size_t n, struct ArrowArrayStream *stream,
                                            paimon_error *err);

/** Metrics and cancel of one stream; counted apart from it. */
typedef struct paimon_reader paimon_reader;
typedef struct paimon_read_metrics {
    size_t struct_size; /**< in: sizeof(paimon_read_metrics) */
    int64_t files;
    int64_t bytes_read;
    int64_t rows_total;         /**< of the files opened so far */
    int64_t rows_skipped_stats; /**< skipped unread, by statistics and indexes in the files */
    int64_t rows_returned;
} paimon_read_metrics;
/** The handle of a stream that paimon_read_plan or paimon_read_splits made; PAIMON_INVALID for any other stream. */
PAIMON_API paimon_status paimon_reader_of(const struct ArrowArrayStream *stream, paimon_reader **reader, paimon_error *err);
PAIMON_API void paimon_reader_free(paimon_reader *reader);
/** From any thread: the stream's next call answers PAIMON_CANCELLED soon. */
PAIMON_API void paimon_reader_cancel(paimon_reader *reader);
PAIMON_API void paimon_reader_metrics(const paimon_reader *reader, paimon_read_metrics *metrics);

#ifdef __cplusplus
}
#endif

#endif
