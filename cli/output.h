/** Where data go: standard output, or the file of -O. A reader that went away (a closed pipe) is a quiet end, not a failure. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

typedef struct cli_output {
    int fd;
    const char *path; /**< NULL: standard output */
    bool is_terminal;
    bool closed; /**< nobody reads any more: stop, and call it done */
    bool failed; /**< told already */
    const char *command;
    cli_text pending;
} cli_output;

/** False, after telling which is missing, where there is no folder for a file to be made. */
bool cli_output_has_folder(const char *command, const char *path);
/** -1, or the exit code after telling why. A file is created, or emptied. */
int cli_output_open(cli_output *output, const char *command, const char *path);
/** Text to append to; hand it on with cli_output_flush_some() from time to time. */
static inline cli_text *cli_output_text(cli_output *output) { return &output->pending; }
/** Write when enough has gathered. False: stop (look at `closed` and `failed`). */
bool cli_output_flush_some(cli_output *output);
/** Write all and close; a code other than CLI_DONE removes the file of -O, so that no half one is left. Answers the exit code. */
int cli_output_close(cli_output *output, int code);
/** A whole file of bytes, created or replaced; -1, or the exit code after telling why. */
int cli_write_file(const char *command, const char *path, const void *bytes, size_t n);
/** A whole file; false after telling why. Free `text`. */
bool cli_read_file(const char *command, const char *path, cli_text *text);
/** Columns of the terminal, 0 if the output is none. */
int cli_output_columns(const cli_output *output);
/** May colour be used? Only on a terminal, and not with NO_COLOR set. */
bool cli_output_colour(const cli_output *output);

#endif
