/* Metadata files decoded and encoded again: a schema or snapshot as the text that we write today, manifests and their lists with today's
 * header schema in the compression they had. What an older writer left out comes out as null, what we do not know is not there. */
#include "meta/manifest/manifest_rewrite.h"
#include "meta/schema/schema.h"
#include "meta/snapshot/snapshot.h"
#include "table/inspection.h"

paimon_status pmn_rewrite_schema(pmn_inspection *in, paimon_error *err)
{
    pmn_table_schema *schema = NULL;
    PMN_TRY(pmn_inspection_read(in, err));
    PMN_TRY(pmn_table_schema_parse(in->mem, pmn_inspection_bytes(in), in->path, &schema, err));
    paimon_status status = pmn_table_schema_print(schema, &in->out, err);
    pmn_table_schema_release(schema);
    return status;
}

paimon_status pmn_rewrite_snapshot(pmn_inspection *in, paimon_error *err)
{
    pmn_snapshot snapshot;
    PMN_TRY(pmn_inspection_read(in, err));
    PMN_TRY(pmn_snapshot_parse(&in->arena, pmn_inspection_bytes(in), in->path, &snapshot, err));
    return pmn_snapshot_print(&snapshot, &in->out, err);
}

static paimon_status rewrite_records(pmn_inspection *in, pmn_manifest_kind kind, paimon_error *err)
{
    PMN_TRY(pmn_inspection_read_records(in, err));
    return pmn_manifest_rewrite(in->mem, in->fs, in->path, kind, pmn_inspection_bytes(in), &in->out, err);
}

paimon_status pmn_rewrite_manifest(pmn_inspection *in, paimon_error *err) { return rewrite_records(in, PMN_MANIFEST, err); }
paimon_status pmn_rewrite_manifest_list(pmn_inspection *in, paimon_error *err) { return rewrite_records(in, PMN_MANIFEST_LIST, err); }
paimon_status pmn_rewrite_index_manifest(pmn_inspection *in, paimon_error *err) { return rewrite_records(in, PMN_INDEX_MANIFEST, err); }
