/* ADD and DELETE entries of a snapshot made one: which files are alive.
 *
 * A file's identity is (partition, bucket, level, name, extra files, embedded index, external path): a file that a compaction
 * moves to another level is a DELETE and an ADD of two identities. Java: FileEntry.mergeEntries. */
#ifndef PMN_META_MERGE_H
#define PMN_META_MERGE_H

#include "meta/manifest/entries.h"

bool pmn_entry_same_file(const pmn_entry *a, const pmn_entry *b); /* both of one set */

/* Apply the entries in their order and keep the survivors, still in order: an ADD and a DELETE of one identity cancel out.
 * `keep_deletes`: a DELETE whose ADD is not among the entries stays (true), or goes (false: planning). An ADD of an identity
 * that is alive already is PAIMON_CORRUPT; without any DELETE nothing has to be looked up, and so that is not looked for either
 * (nor does Java's planner). Entries are moved; pointers to them are stale afterwards. */
paimon_status pmn_entries_merge(pmn_entries *set, bool keep_deletes, paimon_error *err) PMN_MUST_USE;

#endif
