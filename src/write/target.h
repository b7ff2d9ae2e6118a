/* Where rows of a table go and how: what all writers of one table share. Checked once, when the first is made. */
#ifndef PMN_WRITE_TARGET_H
#define PMN_WRITE_TARGET_H

#include "base/watch.h"
#include "meta/source.h"
#include "types/bucket.h"
#include "write/stats.h"

/* What all writers of one table count together, and who watches them. */
typedef struct pmn_write_tally {
    int64_t files, bytes; /* closed */
    pmn_watch watch;
} pmn_write_tally;

typedef struct pmn_write_target {
    pmn_source *source;       /* borrowed */
    const pmn_type *row;      /* of the table: all its columns */
    const pmn_format *format;
    const char *extension;    /* behind the counter of a file's name: ".parquet", ".zst.parquet" */
    const char *prefix;       /* data-file.prefix */
    const char *data_folder;  /* the table's, or data-file.path-directory in it */
    const char *default_partition;
    bool legacy_names;        /* partition.legacy-name */
    int32_t n_buckets;        /* > 0: fixed; -1: all rows in bucket 0 */
    pmn_bucket_function function;
    const pmn_type *bucket_type; /* ROW of the bucket key; fixed only */
    int32_t *bucket_columns;
    bool ordered;             /* sequence numbers go on from what the bucket holds (bucket-append-ordered) */
    int64_t target_bytes;     /* target-file-size */
    int64_t target_rows;      /* target-file-row-num */
    int64_t buffer_bytes;     /* write-buffer-size: of all open files */
    pmn_stats_plan stats;
    int32_t n_threads;
    pmn_write_tally *tally;
    pmn_format_crew *crew;    /* of all files; borrowed */
} pmn_write_target;

/* From the table's schema and options; PAIMON_UNSUPPORTED, by name, for a table that cannot be written rightly. In the arena. */
paimon_status pmn_write_target_make(pmn_arena *arena, pmn_source *source, int32_t n_threads, pmn_write_target *out, paimon_error *err) PMN_MUST_USE;

#endif
