/* The index manifest of the next snapshot: the one before, less what goes, and what comes. Java: IndexManifestFileHandler. */
#ifndef PMN_COMMIT_INDEXES_H
#define PMN_COMMIT_INDEXES_H

#include "commit/run.h"

/* The index files of the latest snapshot, into the state; once a round. */
paimon_status pmn_indexes_load(pmn_commit_run_state *run, paimon_error *err) PMN_MUST_USE;
/* Write what follows, if anything changes. NULL: no snapshot so far had any. */
paimon_status pmn_indexes_write(pmn_commit_run_state *run, const char **name, paimon_error *err) PMN_MUST_USE;

/* By type. Hashes, and deletion vectors in buckets: one file a partition and bucket, and a new one takes the place of the old. Deletion vectors
 * of tables without buckets (`vectors_by_file`): many files, told apart by name, and no data file has two vectors. Indexes of row ids: told
 * apart by name; of one column, no new one overlaps one that stays. PAIMON_CONFLICT. Result in the arena. */
paimon_status pmn_indexes_combine(pmn_arena *arena, bool vectors_by_file, const pmn_index_entry *old, int32_t n_old, const pmn_index_changes *changes,
                                  pmn_index_entry **out, int32_t *n, paimon_error *err) PMN_MUST_USE;

#endif
