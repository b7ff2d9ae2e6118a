/* What a catalog is told of a commit, as the JSON of Paimon's REST API: PartitionStatistics, CommitTableRequest. */
#ifndef PMN_META_COMMIT_REQUEST_H
#define PMN_META_COMMIT_REQUEST_H

#include "meta/snapshot/versions.h"

/* One array, an object a partition, in the order given. */
paimon_status pmn_statistics_json(pmn_source *source, const pmn_partition_change *changes, size_t n, pmn_buf *out, paimon_error *err) PMN_MUST_USE;
/* The body of the request; `table_id` and `base_uuid` NULL: null. `snapshot` and `statistics` are JSON. */
paimon_status pmn_commit_request_json(const char *table_id, const char *base_uuid, pmn_slice snapshot, pmn_slice statistics, pmn_buf *out,
                                      paimon_error *err) PMN_MUST_USE;

#endif
