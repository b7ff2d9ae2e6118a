/** A line on standard error while long work goes on: only on a terminal, only after a second, gone at the end. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "paimon-c/arrow_abi.h"
#include "paimon-c/read.h"

typedef struct cli_progress {
    bool wanted;
    bool shown;
    int64_t started_ms;
    int64_t last_ms;
    paimon_reader *reader; /**< NULL for a stream without metrics */
} cli_progress;

/** `quiet`: rows are scrolling over the same terminal, so there is nothing to say. */
void cli_progress_start(cli_progress *progress, const struct ArrowArrayStream *stream, bool quiet);
void cli_progress_show(cli_progress *progress, int64_t rows);
void cli_progress_end(cli_progress *progress);

#endif
