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
#include "paimon-c/progress.h"
#include "paimon-c/split.h"
#include "paimon-c/status.h"
#include "paimon-c/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paimon_read paimon_read;
typedef struct paimon_plan paimon_plan; /* scan.h; a worker that gets its splits from elsewhere needs none */

/** What to read and how, for any number of streams.
 *
 *  @param table  kept by a reference
 *  @param read   out; owned by the caller, free with paimon_read_free(), also while its streams live
 *  @return PAIMON_OK; PAIMON_UNSUPPORTED, by name, for a table whose rows this version cannot tell rightly (primary keys, deletion
 *          vectors, data evolution …): a refusal, never a wrong row; PAIMON_INVALID for NULL; PAIMON_NOMEM
 *
 *  Thread use: setters by one thread at a time; making streams from a `const paimon_read` by several at once. Streams are
 *  independent of each other.
 */
PAIMON_API paimon_status paimon_read_new(paimon_table *table, paimon_read **read, paimon_error *err);
/** NULL is allowed. */
PAIMON_API void paimon_read_free(paimon_read *read);

/** Choose columns.
 *
 *  @param columns  names in the order wanted, copied; NULL: all, in the schema's order; with n = 0 and not NULL: none, so that batches
 *                  only count rows. A dotted name ("a.b") asks for one field of a row and keeps its nesting: the column comes
 *                  out as a struct of the fields asked for, in the order asked.
 *  @return PAIMON_NOT_FOUND names the column that is not there; PAIMON_INVALID one that is named twice; PAIMON_UNSUPPORTED one of a type
 *          that cannot be read (VARIANT, VECTOR, BLOB, GEOMETRY). What was set before stays.
 */
PAIMON_API paimon_status paimon_read_set_columns(paimon_read *read, const char *const *columns, size_t n, paimon_error *err);

/** Read exactly the rows for which the predicate is TRUE; nothing is left for the engine to filter. Its columns need not be read.
 *
 *  @param predicate  kept by a reference; NULL takes the one set before away
 *  @return PAIMON_NOT_FOUND for an unknown column, PAIMON_INVALID for a literal that does not fit its type
 */
PAIMON_API paimon_status paimon_read_set_predicate(paimon_read *read, paimon_predicate *predicate, paimon_error *err);

/** At most `limit` rows a stream, the first ones in order; negative: all. */
PAIMON_API paimon_status paimon_read_set_limit(paimon_read *read, int64_t limit, paimon_error *err);

/** Upper bound of rows a batch, 1 … 16777216; default 16384. PAIMON_INVALID outside. */
PAIMON_API paimon_status paimon_read_set_batch_rows(paimon_read *read, int64_t rows, paimon_error *err);

/** How many threads decode at once for one stream, the caller's included, 1 … 256; default 1. The others are the environment's.
 *  Large files are split by column, small ones are decoded ahead of their turn. The order of rows is the same for any number. */
PAIMON_API paimon_status paimon_read_set_threads(paimon_read *read, int32_t n_threads, paimon_error *err);

/** Streams made from now on stop when the token is spent, as by paimon_reader_cancel(). @param cancel kept by a reference; NULL: none */
PAIMON_API paimon_status paimon_read_set_cancel(paimon_read *read, paimon_cancel *cancel, paimon_error *err);
/** Streams made from now on call `fn` inside of get_next, once a batch. NULL: nobody. `ctx` must live as long as the streams are read. */
PAIMON_API paimon_status paimon_read_set_progress(paimon_read *read, paimon_progress_fn fn, void *ctx, paimon_error *err);

/** Read all splits of a plan, in its order.
 *
 *  @param read    borrowed; later changes of it do not reach the stream
 *  @param plan    borrowed for the call: the stream keeps what it needs
 *  @param stream  out; the caller releases it. It may move between threads, one at a time, and outlive every other object.
 *  @return PAIMON_OK; PAIMON_INVALID if the plan is of another table; PAIMON_NOMEM. Files are opened when their turn comes.
 *
 *  Schema: a struct of the columns asked, in Arrow types as docs/api.md lists them, with Paimon's field ids as `PARQUET:field_id`.
 *  Batches are struct arrays of one row or more, at most the batch size; the top level has no nulls and offset 0; child arrays may
 *  have offsets. They outlive the stream and may be released on any thread. After the last one, get_next gives a released array.
 *
 *  Errors: get_next returns one errno for each status (status.h), get_last_error the text; the stream then stays failed.
 *  ENOENT: a data file is gone (its snapshot has expired). ENOTSUP: a column's type has changed since the file was written, a
 *  format that is not built in. EBADMSG: a file does not parse. ECANCELED: see paimon_reader_cancel().
 */
PAIMON_API paimon_status paimon_read_plan(const paimon_read *read, const paimon_plan *plan, struct ArrowArrayStream *stream, paimon_error *err);

/** The same for chosen splits of this table, in the order given; the stream takes a reference of each. `splits` may be NULL when n is 0:
 *  a stream without rows. Engines give each of their tasks some splits and a stream of its own. Splits may come from a plan or from bytes
 *  (paimon_split_deserialize); nothing but their files, and schema files of older ones, is read.
 *  @return as above; PAIMON_UNSUPPORTED, by name, for a split that this version cannot read rightly: with deletion files, of files that
 *          would have to be merged, of another kind (incremental, indexed, chain …) */
PAIMON_API paimon_status paimon_read_splits(const paimon_read *read, paimon_split *const *splits, size_t n, struct ArrowArrayStream *stream,
                                            paimon_error *err);

/** Metrics and cancel of one stream, counted apart from it: the handle may outlive it. Any thread. */
typedef struct paimon_reader paimon_reader;

/** What a stream has cost and saved so far. */
typedef struct paimon_read_metrics {
    size_t struct_size;         /**< in: sizeof(paimon_read_metrics) */
    int64_t files;              /**< opened */
    int64_t bytes_read;         /**< from storage, footers included */
    int64_t rows_total;         /**< of the files opened so far */
    int64_t rows_skipped_stats; /**< skipped unread, by statistics and indexes in the files */
    int64_t rows_returned;      /**< in batches that the caller got */
    int64_t time_us;            /**< microseconds that get_next took for them; decoding ahead on other threads is not counted */
} paimon_read_metrics;

#define PAIMON_READ_METRICS_INIT { sizeof(paimon_read_metrics), 0, 0, 0, 0, 0, 0 }

/** The handle of a stream that paimon_read_plan or paimon_read_splits made and that is not released yet.
 *  @param reader  out; owned by the caller, free with paimon_reader_free()
 *  @return PAIMON_INVALID for any other stream */
PAIMON_API paimon_status paimon_reader_of(const struct ArrowArrayStream *stream, paimon_reader **reader, paimon_error *err);
/** NULL is allowed. The stream goes on. */
PAIMON_API void paimon_reader_free(paimon_reader *reader);
/** From any thread: the stream's next call answers ECANCELED soon, and so do all later ones. NULL is allowed. */
PAIMON_API void paimon_reader_cancel(paimon_reader *reader);
/** From any thread: a copy of the numbers as they stand. */
PAIMON_API void paimon_reader_metrics(const paimon_reader *reader, paimon_read_metrics *metrics);

#ifdef __cplusplus
}
#endif

#endif
