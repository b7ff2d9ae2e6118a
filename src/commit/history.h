/* What a user has committed, told by the snapshots that are still there. */
#ifndef PMN_COMMIT_HISTORY_H
#define PMN_COMMIT_HISTORY_H

#include "commit/committer.h"

/* Is one of the snapshots (after, to] this user's with this identifier and kind? `*id` 0: no. Expired ones are passed over. */
paimon_status pmn_history_find(pmn_committer *c, int64_t after, int64_t to, int64_t identifier, pmn_commit_kind kind, int64_t *id,
                               paimon_error *err) PMN_MUST_USE;
/* The newest snapshot of this user; `*id` 0: none is left. */
paimon_status pmn_history_newest(pmn_committer *c, int64_t *id, int64_t *identifier, pmn_commit_kind *kind, paimon_error *err) PMN_MUST_USE;

#endif
