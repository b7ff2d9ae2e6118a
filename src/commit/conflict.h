/* Do the changes of a commit still fit the table? Java: ConflictDetection, as far as append tables go. */
#ifndef PMN_COMMIT_CONFLICT_H
#define PMN_COMMIT_CONFLICT_H

#include "commit/committer.h"

/* The changes alone: no file is added and deleted, or named twice; the buckets of a partition agree. PAIMON_CONFLICT. */
paimon_status pmn_conflict_within(const pmn_source *source, const pmn_changes *changes, paimon_error *err) PMN_MUST_USE;

/* Against the files that are alive in `manifests`: what is added is not there, what is deleted is; and, unless the kind is
 * OVERWRITE, the buckets of a partition agree. PAIMON_CONFLICT. `all_present`: every file of `changes` is added and is there
 * already, which is then no conflict; NULL: not asked. */
paimon_status pmn_conflict_with(pmn_committer *c, pmn_commit_kind kind, const pmn_changes *changes, const pmn_manifest_file *manifests, int32_t n,
                                bool *all_present, paimon_error *err) PMN_MUST_USE;

/* Only the buckets, for a plain append to a table with a fixed number: as few entries are read as tell. */
paimon_status pmn_conflict_buckets(pmn_committer *c, const pmn_changes *changes, const pmn_snapshot *latest, const pmn_manifest_file *manifests,
                                   int32_t n, paimon_error *err) PMN_MUST_USE;

#endif
