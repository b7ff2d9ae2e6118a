/* Live entries into splits: groups by partition and bucket in order of first appearance, files by sequence number, packed to the
 * target size. */
#ifndef PMN_SCAN_PACK_H
#define PMN_SCAN_PACK_H

#include "meta/source.h"
#include "meta/split.h"

/* From plan->entries (all of them alive) into plan->splits. */
paimon_status pmn_plan_pack(paimon_plan *plan, const pmn_source *source, paimon_error *err) PMN_MUST_USE;

#endif
