/* What a commit gives to the files that it adds: row ids, which number the rows of a table with row tracking through, and sequence numbers
 * that are the snapshot's. Both follow from the snapshot before, so each round gives them anew. Java: RowTrackingCommitUtils. */
#ifndef PMN_COMMIT_ROW_IDS_H
#define PMN_COMMIT_ROW_IDS_H

#include "commit/committer.h"

/* Files of BLOBs and of vectors lie beside the file that has the other columns of the same rows: they have its row ids, and count no rows. */
bool pmn_is_blob_file(const char *name);
bool pmn_is_vector_file(const char *name);
static inline bool pmn_is_beside_rows(const char *name) { return pmn_is_blob_file(name) || pmn_is_vector_file(name); }

/* Does this commit give anything? */
bool pmn_row_ids_wanted(const pmn_commit_settings *settings, pmn_commit_kind kind);
/* The entries of `in` with what they get, in the arena of `out`, which is empty; with row tracking, those of one partition together. `*next`:
 * the first row id before, and after. */
paimon_status pmn_row_ids_give(const pmn_commit_settings *settings, pmn_commit_kind kind, int64_t snapshot_id, const pmn_changes *in,
                               pmn_changes *out, int64_t *next, paimon_error *err) PMN_MUST_USE;

#endif
