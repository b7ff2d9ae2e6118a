/* Do the changes of a commit still fit the table? Java: ConflictDetection. Rules of kinds of tables: vectors.h, bucket_vectors.h, key_levels.h, row_ranges.h. */
#ifndef PMN_COMMIT_CONFLICT_H
#define PMN_COMMIT_CONFLICT_H

#include "commit/committer.h"

/* The changes alone: no file is added and deleted, or named twice; the buckets of a partition agree. PAIMON_CONFLICT. */
paimon_status pmn_conflict_within(const pmn_source *source, const pmn_changes *changes, paimon_error *err) PMN_MUST_USE;
/* The same of all parts of a delta. */
paimon_status pmn_conflict_within_delta(const pmn_source *source, const pmn_delta *delta, paimon_error *err) PMN_MUST_USE;

/* The table that a delta has to fit. */
typedef struct pmn_conflict_base {
    const pmn_manifest_file *manifests;
    int32_t n_manifests;
    const pmn_index_entry *indexes;
    int32_t n_indexes;
    const pmn_snapshot *latest; /* NULL: none */
    int64_t row_ids_from; /* see pmn_commit_call */
    bool vectors; /* hold deletion vectors against files and index files */
    bool rules;   /* and keys or row ids against those of other files, where the table has them */
} pmn_conflict_base;

/* Against the files that are alive: what is added is not there (nor, with `only_new`, ever was, as far as the manifests tell), what is
 * deleted is; what the base asks for; and, unless the kind is OVERWRITE, the buckets of a partition agree. PAIMON_CONFLICT. `all_present`: every file of the delta is added and is there already, which
 * is then no conflict; NULL: not asked. */
paimon_status pmn_conflict_with(pmn_committer *c, pmn_commit_kind kind, const pmn_delta *delta, const pmn_conflict_base *base, bool only_new,
                                bool *all_present, paimon_error *err) PMN_MUST_USE;

/* Only the buckets, for a plain append to a table with a fixed number: as few entries are read as tell. */
paimon_status pmn_conflict_buckets(pmn_committer *c, const pmn_changes *changes, const pmn_snapshot *latest, const pmn_manifest_file *manifests,
                                   int32_t n, paimon_error *err) PMN_MUST_USE;

#endif
