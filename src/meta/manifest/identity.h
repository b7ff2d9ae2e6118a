/* What makes two entries speak of the same file, as bytes: partition, bucket, level, name, extra files, embedded index, external
 * path. For those who look entries up one by one; a set of entries that is merged as a whole has pmn_entries_merge. */
#ifndef PMN_META_IDENTITY_H
#define PMN_META_IDENTITY_H

#include "base/buf.h"
#include "base/map.h"
#include "meta/manifest/manifest.h"

/* Into `out`, which is cleared first. Entries need PMN_ENTRY_NAME. */
paimon_status pmn_file_identity(pmn_buf *out, const pmn_manifest_entry *entry, paimon_error *err) PMN_MUST_USE;

/* Numbers by identity: which file is where, or in what state. */
typedef struct pmn_identities {
    pmn_arena arena; /* of the keys */
    pmn_map map;
    pmn_buf key;
} pmn_identities;

void pmn_identities_init(pmn_identities *set, pmn_mem *mem);
void pmn_identities_free(pmn_identities *set);
/* The number of the entry's file: NULL if it is not there; with `insert`, 0 then. Valid until the next insertion. */
paimon_status pmn_identities_at(pmn_identities *set, const pmn_manifest_entry *entry, bool insert, uint64_t **number, paimon_error *err) PMN_MUST_USE;

#endif
