/* In tables with primary keys, files on one level above 0 of a bucket do not overlap: a reader merges levels, not the files of one. Java:
 * PrimaryKeyConflictDetection. */
#ifndef PMN_COMMIT_KEY_LEVELS_H
#define PMN_COMMIT_KEY_LEVELS_H

#include "commit/living.h"
#include "meta/source.h"

/* The ROW that the keys of files are written as: the primary keys, less those that partition the table. */
paimon_status pmn_key_type(const pmn_table_schema *schema, pmn_arena *arena, const pmn_type **out, paimon_error *err) PMN_MUST_USE;

/* The files as they are after the commit, in any order; `arena` for what is needed meanwhile. PAIMON_CONFLICT names two that overlap. */
paimon_status pmn_key_levels_check(const pmn_source *source, const pmn_living *files, size_t n, pmn_arena *arena, paimon_error *err) PMN_MUST_USE;

/* Files as one bucket's: do no two of them overlap? Those without keys that can be read are PAIMON_CORRUPT. */
paimon_status pmn_key_ranges_apart(const pmn_source *source, const pmn_living *files, size_t n, pmn_arena *arena, bool *apart,
                                   paimon_error *err) PMN_MUST_USE;

#endif
