/* Deletion vectors in buckets: one index file has all of a bucket's, and the one that a commit brings takes the place of the one that is
 * there. Whoever wrote it must have known that one: a data file that stays keeps its vector, which does not get smaller. Java has no such
 * rule: of two who delete rows of one bucket at once, the second brings back the rows of the first. */
#ifndef PMN_COMMIT_BUCKET_VECTORS_H
#define PMN_COMMIT_BUCKET_VECTORS_H

#include "base/map.h"
#include "commit/changes.h"

typedef struct pmn_bucket_vectors {
    const pmn_source *source;
    pmn_arena *arena;
    pmn_map buckets; /* that get another index file: number of the one that they get in the end, plus two; 1: they get none */
    pmn_map files;   /* of data files whose vectors were there before: number of the state, plus one */
    pmn_buf key, states;
} pmn_bucket_vectors;

/* `arena` for what is needed meanwhile; the index files of the commit and those of the table are borrowed. */
paimon_status pmn_bucket_vectors_init(pmn_bucket_vectors *vectors, const pmn_source *source, pmn_arena *arena, const pmn_index_changes *changes,
                                      const pmn_index_entry *old, int32_t n_old, paimon_error *err) PMN_MUST_USE;
void pmn_bucket_vectors_free(pmn_bucket_vectors *vectors);
/* The data files one by one: the table's, and the commit's. */
paimon_status pmn_bucket_vectors_count(pmn_bucket_vectors *vectors, const pmn_manifest_entry *entry, paimon_error *err) PMN_MUST_USE;
/* PAIMON_CONFLICT. */
paimon_status pmn_bucket_vectors_check(const pmn_bucket_vectors *vectors, paimon_error *err) PMN_MUST_USE;

#endif
