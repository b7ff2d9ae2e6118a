/* The last act of a round: the snapshot goes to whoever owns the table's versions, with what it did to each partition. */
#ifndef PMN_COMMIT_PUBLISH_H
#define PMN_COMMIT_PUBLISH_H

#include "commit/run.h"

/* What the entries of a commit do to each partition, in order of first appearance. Java: PartitionEntry.merge. */
paimon_status pmn_partition_changes(pmn_arena *arena, const pmn_changes *changes, pmn_partition_change **out, size_t *n, paimon_error *err) PMN_MUST_USE;

paimon_status pmn_commit_publish(pmn_commit_run_state *run, const pmn_snapshot *snapshot, pmn_published *outcome, paimon_error *err) PMN_MUST_USE;
/* After the round that prepared the last snapshot of run->c->prepared. */
paimon_status pmn_prepared_keep_files(pmn_commit_run_state *run, paimon_error *err) PMN_MUST_USE;

#endif
