/* The metrics of the library as lines of JSON. */
#include "stats.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct count {
    const char *name;
    int64_t value;
} count;

static void print_counts(const char *activity, const count *counts, size_t n)
{
    fprintf(stderr, "{\"activity\": \"%s\"", activity);
    for (size_t i = 0; i < n; i++) {
        fprintf(stderr, ", \"%s\": %" PRId64, counts[i].name, counts[i].value);
    }
    fputs("}\n", stderr);
}

void cli_stats_scan(const paimon_plan *plan)
{
    paimon_scan_metrics m = PAIMON_SCAN_METRICS_INIT;
    paimon_plan_metrics(plan, &m);
    const count counts[] = { { "manifests_read", m.manifests_read },
                             { "manifests_skipped", m.manifests_skipped },
                             { "entries", m.entries },
                             { "entries_skipped_partition", m.entries_skipped_partition },
                             { "entries_skipped_bucket", m.entries_skipped_bucket },
                             { "entries_skipped_stats", m.entries_skipped_stats },
                             { "files", m.files },
                             { "rows", m.rows },
                             { "bytes", m.bytes },
                             { "bytes_read", m.bytes_read },
                             { "time_us", m.time_us } };
    print_counts("scan", counts, sizeof counts / sizeof counts[0]);
}

void cli_stats_read(const paimon_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    paimon_read_metrics m = PAIMON_READ_METRICS_INIT;
    paimon_reader_metrics(reader, &m);
    const count counts[] = { { "files", m.files },
                             { "bytes_read", m.bytes_read },
                             { "rows_total", m.rows_total },
                             { "rows_skipped_stats", m.rows_skipped_stats },
                             { "rows_returned", m.rows_returned },
                             { "time_us", m.time_us } };
    print_counts("read", counts, sizeof counts / sizeof counts[0]);
}

void cli_stats_add(paimon_write_metrics *sum, const paimon_write *write)
{
    paimon_write_metrics m = PAIMON_WRITE_METRICS_INIT;
    paimon_write_get_metrics(write, &m);
    sum->batches += m.batches;
    sum->rows += m.rows;
    sum->files += m.files;
    sum->bytes_written += m.bytes_written;
    sum->buckets += m.buckets;
    sum->time_us += m.time_us;
}

void cli_stats_write(const paimon_write_metrics *m)
{
    const count counts[] = { { "batches", m->batches }, { "rows", m->rows },       { "files", m->files },
                             { "bytes_written", m->bytes_written }, { "buckets", m->buckets }, { "time_us", m->time_us } };
    print_counts("write", counts, sizeof counts / sizeof counts[0]);
}

void cli_stats_commit(const paimon_commit *commit)
{
    paimon_commit_metrics m = PAIMON_COMMIT_METRICS_INIT;
    paimon_commit_get_metrics(commit, &m);
    const count counts[] = { { "attempts", m.attempts },
                             { "snapshots", m.snapshots },
                             { "files_added", m.files_added },
                             { "files_deleted", m.files_deleted },
                             { "rows_added", m.rows_added },
                             { "rows_deleted", m.rows_deleted },
                             { "manifests_written", m.manifests_written },
                             { "manifests_merged", m.manifests_merged },
                             { "bytes_written", m.bytes_written },
                             { "wait_us", m.wait_us },
                             { "time_us", m.time_us } };
    print_counts("commit", counts, sizeof counts / sizeof counts[0]);
}
