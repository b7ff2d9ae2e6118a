/** Batches of rows to an output, in the formats of `--format`. */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "grid.h"
#include "output.h"
#include "render.h"
#include "sums.h"

typedef enum rows_format {
    ROWS_TABLE,
    ROWS_CSV,
    ROWS_JSONL,
    ROWS_CANONICAL,
    ROWS_COUNT,
    ROWS_CHECKSUM,
    ROWS_CORPUS, /**< `paimon decode` */
    ROWS_PARQUET /**< a file of its own: no text, so not for a rows_writer */
} rows_format;

typedef struct rows_writer {
    rows_format format;
    cli_output *output;
    render_type type; /**< of the batch: a struct */
    bool single;      /**< the stream's top level is no struct: one nameless column */
    cli_grid grid;
    column_sum *sums;
    int64_t rows;
} rows_writer;

/** -1, or the exit code after telling why. */
int rows_begin(rows_writer *writer, rows_format format, cli_output *output, const struct ArrowSchema *schema);
/** False: stop; the output knows why. */
bool rows_batch(rows_writer *writer, const struct ArrowArray *batch);
bool rows_end(rows_writer *writer);
void rows_free(rows_writer *writer);

/** Take a whole stream: schema, all batches, the end. Tells an error of the stream. Releases the stream. The exit code. */
int rows_drain(const char *command, struct ArrowArrayStream *stream, rows_format format, const char *output_path);

#endif
