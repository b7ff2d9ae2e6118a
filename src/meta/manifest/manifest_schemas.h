/* The header schemas of metadata files, and how their records are put. Private to this room. */
#ifndef PMN_META_MANIFEST_SCHEMAS_H
#define PMN_META_MANIFEST_SCHEMAS_H

#include "format/avro/writer.h"
#include "meta/manifest/manifest.h"

extern const char pmn_manifest_avro_schema[];
extern const char pmn_manifest_list_avro_schema[];
extern const char pmn_index_manifest_avro_schema[];

/* One record, appended to `out`. */
paimon_status pmn_manifest_entry_put(pmn_buf *out, const pmn_manifest_entry *entry, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_manifest_file_put(pmn_buf *out, const pmn_manifest_file *file, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_index_entry_put(pmn_buf *out, const pmn_index_entry *entry, paimon_error *err) PMN_MUST_USE;

#endif
