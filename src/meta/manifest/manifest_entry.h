/* From Avro slots to a manifest entry. Private to this room. */
#ifndef PMN_META_MANIFEST_ENTRY_H
#define PMN_META_MANIFEST_ENTRY_H

#include "meta/manifest/manifest.h"
#include "meta/manifest/record_file.h"

#define PMN_ENTRY_N_HEAD 5 /* version, kind, partition, bucket, total buckets: what a filter sees */

/* The wanted fields for groups of PMN_ENTRY_*: `wants` has room for PMN_AVRO_MAX_WANTS. Returns how many there are. */
int pmn_entry_wants(unsigned wanted, pmn_avro_want *wants);

/* The head alone. */
paimon_status pmn_entry_head(const pmn_avro_slot *slots, pmn_manifest_entry *out, paimon_error *err) PMN_MUST_USE;
/* Head and file. Slices are borrowed from the block; texts and lists go into `texts`. */
paimon_status pmn_entry_from_slots(const pmn_avro_program *program, const pmn_avro_slot *slots, unsigned wanted, pmn_arena *texts,
                                   pmn_manifest_entry *out, paimon_error *err) PMN_MUST_USE;

#endif
