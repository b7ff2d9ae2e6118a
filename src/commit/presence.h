/* Are the files that messages bring there? One that is gone was aborted, or committed long ago and has expired: adding it would break the
 * table. */
#ifndef PMN_COMMIT_PRESENCE_H
#define PMN_COMMIT_PRESENCE_H

#include "commit/changes.h"

/* PAIMON_NOT_FOUND names the first that is not. `sizes`: and as large as the messages say, else PAIMON_INVALID. */
paimon_status pmn_presence_check(pmn_source *source, const pmn_delta *delta, bool sizes, paimon_error *err) PMN_MUST_USE;

#endif
