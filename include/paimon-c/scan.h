/** Control plane: a scan of a table gives a plan, a list of splits (split.h).
 *
 *      paimon_scan *scan = NULL;
 *      paimon_plan *plan = NULL;
 *      paimon_scan_new(table, &scan, &err);
 *      paimon_scan_set_predicate(scan, predicate, &err);
 *      paimon_scan_plan(scan, &plan, &err);
 */
#ifndef PAIMON_C_SCAN_H
#define PAIMON_C_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paimon-c/predicate.h"
#include "paimon-c/progress.h"
#include "paimon-c/split.h"
#include "paimon-c/status.h"
#include "paimon-c/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paimon_scan paimon_scan;
typedef struct paimon_plan paimon_plan;

/** A scan of the table's snapshot: the latest at the time of planning, or what the table's scan options say.
 *
 *  @param table  kept by a reference
 *  @param scan   out; owned by the caller, free with paimon_scan_free()
 *  @return PAIMON_OK; PAIMON_INVALID for NULL; PAIMON_NOMEM
 *
 *  Thread use: one thread at a time; several may plan from one `const paimon_scan`.
 */
PAIMON_API paimon_status paimon_scan_new(paimon_table *table, paimon_scan **scan, paimon_error *err);
/** NULL is allowed. */
PAIMON_API void paimon_scan_free(paimon_scan *scan);

/** Leave out what cannot match: partitions exactly, buckets by the bucket key, files by their statistics.
 *
 *  @param predicate  kept by a reference; NULL takes the one set before away
 *  @return PAIMON_NOT_FOUND for an unknown column, PAIMON_INVALID for a literal that does not fit its type
 *
 *  The files that are left may hold other rows too: give the reader the same predicate. Nothing that matches is ever left out.
 */
PAIMON_API paimon_status paimon_scan_set_predicate(paimon_scan *scan, paimon_predicate *predicate, paimon_error *err);
/** Enough files for `limit` rows will do; negative: no limit. Only a hint, and none beside a predicate on columns that are no
 *  partition keys: give the reader the same limit. */
PAIMON_API paimon_status paimon_scan_set_limit(paimon_scan *scan, int64_t limit, paimon_error *err);

/** Planning stops, with PAIMON_CANCELLED, when the token is spent. @param cancel kept by a reference; NULL: none */
PAIMON_API paimon_status paimon_scan_set_cancel(paimon_scan *scan, paimon_cancel *cancel, paimon_error *err);
/** Planning calls `fn` after each manifest. NULL: nobody. `ctx` must live as long as the scan plans. */
PAIMON_API paimon_status paimon_scan_set_progress(paimon_scan *scan, paimon_progress_fn fn, void *ctx, paimon_error *err);

/** List the splits that a reader has to read.
 *
 *  @param scan  borrowed; not changed, may be planned again later
 *  @param plan  out; owned by the caller, free with paimon_plan_free()
 *  @return PAIMON_OK; PAIMON_NOT_FOUND if the asked snapshot or tag is gone (expired); PAIMON_CORRUPT if a manifest does not parse;
 *          PAIMON_UNSUPPORTED, by name, for a table that this version cannot read rightly; PAIMON_IO
 *
 *  Splits come out in the order Paimon Java gives them (grouped by partition and bucket, in order of first appearance). Sizes are
 *  in bytes as stored, row counts before deletion vectors. Format: "Manifest" and "Snapshot" of the Paimon specification.
 */
PAIMON_API paimon_status paimon_scan_plan(const paimon_scan *scan, paimon_plan **plan, paimon_error *err);

/** A plan is immutable and may be shared by threads. Splits outlive it when retained. */
PAIMON_API void paimon_plan_free(paimon_plan *plan);
PAIMON_API int64_t paimon_plan_snapshot_id(const paimon_plan *plan); /**< 0: the table has no snapshot */
PAIMON_API size_t paimon_plan_n_splits(const paimon_plan *plan);
PAIMON_API int64_t paimon_plan_n_files(const paimon_plan *plan);
/** What a planning has cost and saved. An entry says that a file came or went; a file that went again is two. */
typedef struct paimon_scan_metrics {
    size_t struct_size;                /**< in: sizeof(paimon_scan_metrics) */
    int64_t manifests_read;
    int64_t manifests_skipped;         /**< unread, by the bounds of their partitions */
    int64_t entries;                   /**< of the manifests read */
    int64_t entries_skipped_partition; /**< left out by the predicate on their partition, … */
    int64_t entries_skipped_bucket;    /**< … by the bucket of the keys it asks for, … */
    int64_t entries_skipped_stats;     /**< … by the file's statistics */
    int64_t files;                     /**< planned; their rows and bytes as stored: */
    int64_t rows;
    int64_t bytes;
    int64_t bytes_read;                /**< of manifests and manifest lists whose size is on record */
    int64_t time_us;                   /**< microseconds from call to plan */
} paimon_scan_metrics;

#define PAIMON_SCAN_METRICS_INIT { sizeof(paimon_scan_metrics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** A copy of the numbers, as far as `metrics->struct_size` has room. */
PAIMON_API void paimon_plan_metrics(const paimon_plan *plan, paimon_scan_metrics *metrics);
/** Borrowed from the plan; NULL past the end. */
PAIMON_API paimon_split *paimon_plan_split(const paimon_plan *plan, size_t i);

#ifdef __cplusplus
}
#endif

#endif
