/* Deletion vectors of a table without buckets: does what a commit does to them still fit? A data file has one vector at most, in one index
 * file, so whoever writes a new one takes the old index file away, and whoever deletes a data file takes its vector along. Java:
 * ConflictDetection.buildDeltaEntriesWithDV. */
#ifndef PMN_COMMIT_VECTORS_H
#define PMN_COMMIT_VECTORS_H

#include "base/map.h"
#include "commit/changes.h"

typedef struct pmn_vectors {
    const pmn_source *source;
    pmn_map files; /* of data files that the commit deletes, or has vectors of: number of the state, plus one */
    pmn_buf states;
} pmn_vectors;

/* What the commit says; it is borrowed. */
paimon_status pmn_vectors_init(pmn_vectors *vectors, const pmn_source *source, const pmn_delta *delta, paimon_error *err) PMN_MUST_USE;
void pmn_vectors_free(pmn_vectors *vectors);
/* What the table has: its index files, and its data files one by one. */
paimon_status pmn_vectors_attach(pmn_vectors *vectors, const pmn_index_entry *entries, int32_t n, paimon_error *err) PMN_MUST_USE;
void pmn_vectors_count(pmn_vectors *vectors, const pmn_manifest_entry *entry);
/* PAIMON_CONFLICT. */
paimon_status pmn_vectors_check(const pmn_vectors *vectors, paimon_error *err) PMN_MUST_USE;

#endif
