#include "meta/bucket_path.h"

#include <string.h>

#include "types/partition.h"
#include "types/row_codec.h"

static paimon_status append_partition(const pmn_source *source, pmn_slice partition, pmn_buf *out, paimon_error *err)
{
    const pmn_type *type = source->schema->partition_type;
    const char *default_name = pmn_options_get(&source->options, "partition.default-name");
    bool legacy = true;
    pmn_row_view view;
    PMN_TRY(pmn_options_bool(&source->options, "partition.legacy-name", true, &legacy, err));
    pmn_datum *values = pmn_calloc(source->mem, (size_t)type->n_fields, sizeof *values);
    if (!values) return pmn_fail_nomem(err, "a partition's values");
    paimon_status status = pmn_row_parse(partition, &view, err);
    if (status == PAIMON_OK) status = pmn_row_get_all(&view, type, values, err);
    if (status == PAIMON_OK) status = pmn_partition_path(out, type, values, default_name ? default_name : "__DEFAULT_PARTITION__", legacy, err);
    pmn_free(source->mem, values, (size_t)type->n_fields * sizeof *values);
    return status;
}

paimon_status pmn_bucket_path(const pmn_source *source, pmn_slice partition, int32_t bucket, pmn_buf *out, paimon_error *err)
{
    const char *folder = pmn_options_get(&source->options, "data-file.path-directory");
    pmn_buf_clear(out);
    PMN_TRY(pmn_buf_printf(out, err, "%s%s", source->path, source->path[strlen(source->path) - 1] == '/' ? "" : "/"));
    if (folder && *folder) PMN_TRY(pmn_buf_printf(out, err, "%s/", folder));
    if (source->schema->n_partition_keys > 0) PMN_TRY(append_partition(source, partition, out, err));
    if (bucket == -2) return pmn_buf_append_text(out, "bucket-postpone", err);
    return pmn_buf_printf(out, err, "bucket-%d", (int)bucket);
}

paimon_status pmn_index_path(const pmn_source *source, const pmn_index_entry *entry, pmn_buf *out, paimon_error *err)
{
    bool beside_data = false;
    PMN_TRY(pmn_options_bool(&source->options, "index-file-in-data-file-dir", false, &beside_data, err));
    if (beside_data) {
        PMN_TRY(pmn_bucket_path(source, entry->partition, entry->bucket, out, err));
        PMN_TRY(pmn_buf_printf(out, err, "/%s", entry->file_name));
    } else {
        pmn_buf_clear(out);
        PMN_TRY(pmn_buf_printf(out, err, "%s/index/%s", source->path, entry->file_name));
    }
    return pmn_buf_terminate(out, err);
}
