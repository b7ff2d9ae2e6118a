/* Columns of the same rows that somebody else wrote since a snapshot: files that came in between would be covered by the commit's, or cover them,
 * though neither writer saw the other. Java: DataEvolutionConflictDetection.checkForRowIdFromSnapshot, RowIdColumnConflictChecker. */
#ifndef PMN_COMMIT_ROW_COLUMNS_H
#define PMN_COMMIT_ROW_COLUMNS_H

#include "commit/committer.h"

/* `partitions`: those that the delta speaks of. PAIMON_CONFLICT; PAIMON_NOT_FOUND: a snapshot between `from` and `latest` has expired. */
paimon_status pmn_row_columns_check(pmn_committer *c, const pmn_delta *delta, const pmn_map *partitions, int64_t from, const pmn_snapshot *latest,
                                    paimon_error *err) PMN_MUST_USE;

#endif
