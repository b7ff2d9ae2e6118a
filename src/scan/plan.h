/* Planning: from a snapshot to splits. Java: AbstractFileStoreScan, SnapshotReaderImpl, AppendOnlySplitGenerator. */
#ifndef PMN_SCAN_PLAN_H
#define PMN_SCAN_PLAN_H

#include "base/watch.h"
#include "meta/source.h"
#include "meta/split.h"

/* `predicate` and `watch` may be NULL; `limit` < 0: none. Refuses what pmn_source_check refuses. */
paimon_status pmn_plan_make(pmn_source *source, const paimon_predicate *predicate, int64_t limit, const pmn_watch *watch, paimon_plan **out,
                            paimon_error *err) PMN_MUST_USE;

#endif
