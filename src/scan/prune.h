/* Leaving out what cannot match: manifests by the statistics of their partitions, entries by partition and bucket, files by
 * their statistics. Each test answers "keep" when in doubt. Java: ManifestsReader, AppendOnlyFileStoreScan, SimpleStatsEvolutions. */
#ifndef PMN_SCAN_PRUNE_H
#define PMN_SCAN_PRUNE_H

#include "meta/manifest/manifest.h"
#include "meta/source.h"
#include "predicate/bound.h"
#include "scan/buckets.h"

/* How the columns of the table's schema are found in the statistics of a file of one schema. */
typedef struct pmn_stats_map {
    int64_t schema_id;
    const pmn_table_schema *schema;
    int32_t *columns; /* table column → column of the file's schema; -1: not there; -2: there with another type */
} pmn_stats_map;

typedef struct pmn_prune {
    pmn_source *source;
    pmn_arena *arena; /* of one planning; what follows lives in it */
    const pmn_pred *partition; /* over the partition columns, in partition order; NULL: none */
    const pmn_pred *rest;      /* over the table's columns; NULL: none */
    pmn_buckets buckets;
    int64_t only_bucket; /* `scan.bucket`; -1: any */
    pmn_datum *row;      /* room for a partition's values */
    pmn_stats_map *maps; /* one a schema met */
    int32_t n_maps;
    size_t maps_capacity;
} pmn_prune;

/* `predicate` NULL: everything matches. */
paimon_status pmn_prune_init(pmn_prune *prune, pmn_source *source, pmn_arena *arena, const paimon_predicate *predicate,
                             paimon_error *err) PMN_MUST_USE;

bool pmn_prune_keeps_manifest(pmn_prune *prune, const pmn_manifest_file *manifest);
paimon_status pmn_prune_keeps_partition(pmn_prune *prune, pmn_slice partition, bool *keep, paimon_error *err) PMN_MUST_USE;
bool pmn_prune_keeps_bucket(pmn_prune *prune, int32_t bucket, int32_t total_buckets);
/* Needs the entry's value statistics. */
paimon_status pmn_prune_keeps_file(pmn_prune *prune, const pmn_manifest_entry *entry, bool *keep, paimon_error *err) PMN_MUST_USE;

#endif
