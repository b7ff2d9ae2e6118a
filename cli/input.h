/** Rows out of text: CSV with a header line, JSON lines, canonical rows. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdio.h>

#include "build.h"

typedef enum input_format { INPUT_CSV, INPUT_JSONL, INPUT_CANONICAL, INPUT_PARQUET, INPUT_UNKNOWN } input_format;

typedef struct input {
    FILE *file;
    const char *name; /**< for messages */
    input_format format;
    builder *rows; /**< a struct: the table's columns */
    long_numbers *inexact; /**< what `rows` was made with */
    int64_t line;  /**< of the row that is read */
    cli_text text; /**< of one field, or one line */
    int ahead[3];  /**< bytes that were looked at already */
    int n_ahead, at_ahead;
    struct input_name *names; /**< of the table's columns, sorted */
    int64_t *columns;         /**< CSV: the column of each field of a line */
    size_t n_columns;
    int code; /**< exit code of a failure */
} input;

/** Passes over a byte order mark and takes the header line of CSV. False: told in `why`. Free it either way. */
bool input_begin(input *in, cli_text *why);
/** One row more into the builder: 1, 0 at the end, -1 for a failure told in `why`. */
int input_row(input *in, cli_text *why);
void input_free(input *in);

#endif
