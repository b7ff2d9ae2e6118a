/* Progress of a read. */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void cli_progress_start(cli_progress *progress, const struct ArrowArrayStream *stream, bool quiet)
{
    *progress = (cli_progress){ .wanted = !quiet && isatty(STDERR_FILENO) != 0 };
    if (progress->wanted) {
        progress->started_ms = now_ms();
        progress->last_ms = progress->started_ms + 800; /* nothing in the first second */
        if (paimon_reader_of(stream, &progress->reader, NULL) != PAIMON_OK) {
            progress->reader = NULL;
        }
    }
}

void cli_progress_show(cli_progress *progress, int64_t rows)
{
    int64_t now = progress->wanted ? now_ms() : 0;
    if (!progress->wanted || now - progress->last_ms < 200) {
        return;
    }
    progress->last_ms = now;
    progress->shown = true;
    paimon_read_metrics metrics = { .struct_size = sizeof metrics };
    if (progress->reader != NULL) {
        paimon_reader_metrics(progress->reader, &metrics);
    }
    fprintf(stderr, "\r\033[K%" PRId64 " rows, %" PRId64 " files, %.1f MB, %.0f s", rows, metrics.files, (double)metrics.bytes_read / 1e6,
            (double)(now - progress->started_ms) / 1e3);
    fflush(stderr);
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    if (progress->reader != NULL) {
        paimon_reader_free(progress->reader);
    }
}
