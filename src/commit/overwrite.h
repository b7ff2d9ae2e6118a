/* Choosing partitions, and turning what is alive in them into DELETE entries. */
#ifndef PMN_COMMIT_OVERWRITE_H
#define PMN_COMMIT_OVERWRITE_H

#include "commit/committer.h"
#include "types/datum.h"

/* Values that a partition must have: of column `columns[i]`. */
typedef struct pmn_partition_test {
    int32_t n;
    int32_t *columns;
    pmn_datum *values;
} pmn_partition_test;

/* From pairs of key and text; the default partition name is null. PAIMON_NOT_FOUND for what is no partition key. */
paimon_status pmn_partition_test_of(const pmn_source *source, const paimon_option *pairs, size_t n, pmn_arena *arena, pmn_partition_test *out,
                                    paimon_error *err) PMN_MUST_USE;
/* `row`: room for a partition's values. */
paimon_status pmn_partition_chosen(const pmn_partition_choice *choice, const pmn_type *type, pmn_slice partition, pmn_datum *row, bool *chosen,
                                   paimon_error *err) PMN_MUST_USE;

/* A DELETE for every file of these manifests that is alive in the chosen partitions. */
paimon_status pmn_overwrite_collect(pmn_committer *c, const pmn_partition_choice *choice, const pmn_manifest_file *manifests, int32_t n,
                                    pmn_changes *out, paimon_error *err) PMN_MUST_USE;

#endif
