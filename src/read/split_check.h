/* Which splits can be read rightly. */
#ifndef PMN_READ_SPLIT_CHECK_H
#define PMN_READ_SPLIT_CHECK_H

#include "meta/source.h"
#include "meta/split.h"

/* PAIMON_INVALID for a split of another table; PAIMON_UNSUPPORTED, by name, for one whose rows this version would get wrong. */
paimon_status pmn_read_check_split(const paimon_split *split, const pmn_source *source, paimon_error *err) PMN_MUST_USE;

#endif
