/* A snapshot as the file that Java 2.x writes: Jackson's pretty printer, its key order, absent members left out. The two manifest
 * lists and the commit user are written even when null, as Java does. */
#include "base/json.h"
#include "meta/snapshot/snapshot.h"

typedef struct members {
    pmn_buf *out;
    paimon_error *err;
    bool started;
} members;

static paimon_status member_key(members *m, const char *key)
{
    PMN_TRY(pmn_buf_append_text(m->out, m->started ? ",\n  " : "{\n  ", m->err));
    m->started = true;
    PMN_TRY(pmn_json_quote(m->out, pmn_slice_text(key), m->err));
    return pmn_buf_append_text(m->out, " : ", m->err);
}

static paimon_status member_int(members *m, const char *key, int64_t value)
{
    PMN_TRY(member_key(m, key));
    return pmn_buf_printf(m->out, m->err, "%lld", (long long)value);
}

static paimon_status member_int_if(members *m, const char *key, int64_t value)
{
    return value == PMN_NONE ? PAIMON_OK : member_int(m, key, value);
}

static paimon_status member_text(members *m, const char *key, const char *value)
{
    PMN_TRY(member_key(m, key));
    if (!value) return pmn_buf_append_text(m->out, "null", m->err);
    return pmn_json_quote(m->out, pmn_slice_text(value), m->err);
}

static paimon_status member_text_if(members *m, const char *key, const char *value)
{
    return value ? member_text(m, key, value) : PAIMON_OK;
}

static paimon_status member_properties(members *m, const pmn_snapshot *s)
{
    if (!s->has_properties || s->properties.n == 0) return PAIMON_OK;
    PMN_TRY(member_key(m, "properties"));
    for (int32_t i = 0; i < s->properties.n; i++) {
        PMN_TRY(pmn_buf_append_text(m->out, i == 0 ? "{\n    " : ",\n    ", m->err));
        PMN_TRY(pmn_json_quote(m->out, pmn_slice_text(s->properties.items[i].key), m->err));
        PMN_TRY(pmn_buf_append_text(m->out, " : ", m->err));
        PMN_TRY(pmn_json_quote(m->out, pmn_slice_text(s->properties.items[i].value), m->err));
    }
    return pmn_buf_append_text(m->out, "\n  }", m->err);
}

static const char *kind_name(pmn_commit_kind kind)
{
    switch (kind) {
    case PMN_COMMIT_APPEND: return "APPEND";
    case PMN_COMMIT_COMPACT: return "COMPACT";
    case PMN_COMMIT_OVERWRITE: return "OVERWRITE";
    case PMN_COMMIT_ANALYZE: return "ANALYZE";
    }
    return "APPEND";
}

static paimon_status print_lists(members *m, const pmn_snapshot *s)
{
    PMN_TRY(member_text(m, "baseManifestList", s->base_manifest_list));
    PMN_TRY(member_int_if(m, "baseManifestListSize", s->base_manifest_list_size));
    PMN_TRY(member_text(m, "deltaManifestList", s->delta_manifest_list));
    PMN_TRY(member_int_if(m, "deltaManifestListSize", s->delta_manifest_list_size));
    PMN_TRY(member_text_if(m, "changelogManifestList", s->changelog_manifest_list));
    PMN_TRY(member_int_if(m, "changelogManifestListSize", s->changelog_manifest_list_size));
    return member_text_if(m, "indexManifest", s->index_manifest);
}

static paimon_status print_counts(members *m, const pmn_snapshot *s)
{
    PMN_TRY(member_int_if(m, "totalRecordCount", s->total_record_count));
    PMN_TRY(member_int_if(m, "deltaRecordCount", s->delta_record_count));
    PMN_TRY(member_int_if(m, "changelogRecordCount", s->changelog_record_count));
    PMN_TRY(member_int_if(m, "watermark", s->watermark));
    PMN_TRY(member_text_if(m, "statistics", s->statistics));
    PMN_TRY(member_properties(m, s));
    PMN_TRY(member_int_if(m, "nextRowId", s->next_row_id));
    return member_text_if(m, "operation", s->operation);
}

paimon_status pmn_snapshot_print(const pmn_snapshot *snapshot, pmn_buf *out, paimon_error *err)
{
    members m = { out, err, false };
    PMN_TRY(member_int(&m, "version", snapshot->version));
    PMN_TRY(member_text_if(&m, "uuid", snapshot->uuid));
    PMN_TRY(member_int(&m, "id", snapshot->id));
    PMN_TRY(member_int(&m, "schemaId", snapshot->schema_id));
    PMN_TRY(print_lists(&m, snapshot));
    PMN_TRY(member_text(&m, "commitUser", snapshot->commit_user));
    PMN_TRY(member_text_if(&m, "writerVersion", snapshot->writer_version));
    PMN_TRY(member_int(&m, "commitIdentifier", snapshot->commit_identifier));
    PMN_TRY(member_text(&m, "commitKind", kind_name(snapshot->commit_kind)));
    PMN_TRY(member_int(&m, "timeMillis", snapshot->time_ms));
    PMN_TRY(print_counts(&m, snapshot));
    return pmn_buf_append_text(out, "\n}", err);
}
