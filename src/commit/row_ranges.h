/* Row ids in tables with data evolution: files with other columns of the same rows have the same row ids, so what a commit says of row ids
 * must still be what the table says. Java: DataEvolutionConflictDetection. */
#ifndef PMN_COMMIT_ROW_RANGES_H
#define PMN_COMMIT_ROW_RANGES_H

#include "commit/changes.h"
#include "commit/living.h"

/* What the rules are asked about. */
typedef struct pmn_row_ranges_case {
    const pmn_source *source;
    pmn_commit_kind kind;
    const pmn_delta *delta;
    bool check_outcome;     /* no two files of rows may overlap after it */
    int64_t next_row_id;    /* of the snapshot before; PMN_NONE: it has none */
    const pmn_living *base; /* files that are alive before the commit, in the partitions that it speaks of */
    size_t n_base;
    const pmn_living *after; /* and after it */
    size_t n_after;
} pmn_row_ranges_case;

/* One that is deleted has still the row ids that the commit thinks. */
paimon_status pmn_row_ranges_same(const pmn_source *source, const pmn_manifest_entry *deleted, const pmn_living *there, paimon_error *err) PMN_MUST_USE;
/* Everything else; `arena` for what is needed meanwhile. PAIMON_CONFLICT. */
paimon_status pmn_row_ranges_check(const pmn_row_ranges_case *c, pmn_arena *arena, paimon_error *err) PMN_MUST_USE;

#endif
