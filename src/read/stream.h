/* Splits as an ArrowArrayStream: one job a file, in order; see file_job.h.
 *
 *   files   one thread: each file when its turn comes.
 *           more: a large file is decoded by several threads at once, column by column; of small ones, the next few are decoded
 *           ahead, each by one thread.
 * The order of rows is that of the splits and their files, for any number of threads. */
#ifndef PMN_READ_STREAM_H
#define PMN_READ_STREAM_H

#include "base/watch.h"
#include "meta/source.h"
#include "meta/split.h"
#include "paimon-c/read.h"

typedef struct pmn_read_spec {
    pmn_source *source;
    const char *const *columns; /* NULL: all */
    size_t n_columns;
    paimon_predicate *predicate; /* NULL: none */
    int64_t limit;               /* < 0: none */
    int64_t batch_rows;
    int32_t n_threads;
    const pmn_watch *watch;      /* NULL: none */
} pmn_read_spec;

/* Everything is borrowed for the call; the stream keeps what it needs. */
paimon_status pmn_stream_open(const pmn_read_spec *spec, paimon_split *const *splits, size_t n_splits, struct ArrowArrayStream *out,
                              paimon_error *err) PMN_MUST_USE;

/* The progress of a stream made here, borrowed; NULL for any other. */
paimon_reader *pmn_stream_progress(const struct ArrowArrayStream *stream);

#endif
