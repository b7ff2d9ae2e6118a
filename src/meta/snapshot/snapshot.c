/* Snapshot files: one JSON object. Java: Snapshot. Members that are not listed here (logOffsets of old writers, what newer ones
 * add, a tag's tagCreateTime and tagTimeRetained) are ignored. */
#include "meta/snapshot/snapshot.h"

#include <string.h>

#include "base/json.h"

#define SNAPSHOT_NEWEST_VERSION 3

/* A text member into the arena; NULL if it is absent or null. */
static paimon_status copy_text_member(pmn_arena *arena, const pmn_json *json, const char *key, const char **out, paimon_error *err)
{
    const char *text;
    PMN_TRY(pmn_json_text_or(json, key, NULL, &text, err));
    *out = NULL;
    if (!text) return PAIMON_OK;
    *out = pmn_arena_strdup(arena, text);
    return *out ? PAIMON_OK : pmn_fail_nomem(err, "snapshot");
}

static paimon_status parse_kind(const pmn_json *json, pmn_commit_kind *out, paimon_error *err)
{
    static const char *const names[] = { "APPEND", "COMPACT", "OVERWRITE", "ANALYZE" };
    const char *text;
    PMN_TRY(pmn_json_need_text(json, "commitKind", &text, err));
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (pmn_commit_kind)i;
            return PAIMON_OK;
        }
    }
    return pmn_fail(err, PAIMON_UNSUPPORTED, "commitKind \"%.60s\"", text);
}

static paimon_status parse_properties(pmn_arena *arena, const pmn_json *json, pmn_snapshot *out, paimon_error *err)
{
    const pmn_json *properties = pmn_json_get(json, "properties");
    pmn_options_init(&out->properties, arena);
    pmn_json_kind kind = pmn_json_kind_of(properties);
    if (kind == PMN_JSON_NULL) return PAIMON_OK;
    if (kind != PMN_JSON_OBJECT) return pmn_fail(err, PAIMON_CORRUPT, "properties is not an object");
    out->has_properties = true;
    void *iter = NULL;
    const char *key;
    const pmn_json *value;
    while (pmn_json_next(properties, &iter, &key, &value)) {
        if (pmn_json_kind_of(value) != PMN_JSON_TEXT) return pmn_fail(err, PAIMON_CORRUPT, "property %.60s is not a text", key);
        PMN_TRY(pmn_options_set(&out->properties, key, pmn_json_text(value), err));
    }
    return PAIMON_OK;
}

static paimon_status parse_texts(pmn_arena *arena, const pmn_json *json, pmn_snapshot *out, paimon_error *err)
{
    const struct {
        const char *key;
        const char **out;
    } texts[] = {
        { "uuid", &out->uuid },
        { "baseManifestList", &out->base_manifest_list },
        { "deltaManifestList", &out->delta_manifest_list },
        { "changelogManifestList", &out->changelog_manifest_list },
        { "indexManifest", &out->index_manifest },
        { "commitUser", &out->commit_user },
        { "writerVersion", &out->writer_version },
        { "statistics", &out->statistics },
        { "operation", &out->operation },
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) PMN_TRY(copy_text_member(arena, json, texts[i].key, texts[i].out, err));
    return PAIMON_OK;
}

static paimon_status parse_numbers(const pmn_json *json, pmn_snapshot *out, paimon_error *err)
{
    const struct {
        const char *key;
        int64_t *out;
    } numbers[] = {
        { "baseManifestListSize", &out->base_manifest_list_size },
        { "deltaManifestListSize", &out->delta_manifest_list_size },
        { "changelogManifestListSize", &out->changelog_manifest_list_size },
        { "totalRecordCount", &out->total_record_count },
        { "deltaRecordCount", &out->delta_record_count },
        { "changelogRecordCount", &out->changelog_record_count },
        { "watermark", &out->watermark }, /* the smallest long means none in Java too */
        { "nextRowId", &out->next_row_id },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        PMN_TRY(pmn_json_int_or(json, numbers[i].key, PMN_NONE, numbers[i].out, err));
    PMN_TRY(pmn_json_int_or(json, "commitIdentifier", 0, &out->commit_identifier, err));
    PMN_TRY(pmn_json_int_or(json, "timeMillis", 0, &out->time_ms, err));
    PMN_TRY(pmn_json_need_int(json, "id", &out->id, err));
    return pmn_json_need_int(json, "schemaId", &out->schema_id, err);
}

static paimon_status parse_members(pmn_arena *arena, const pmn_json *json, pmn_snapshot *out, paimon_error *err)
{
    if (pmn_json_kind_of(json) != PMN_JSON_OBJECT) return pmn_fail(err, PAIMON_CORRUPT, "not a JSON object");
    PMN_TRY(pmn_json_int_or(json, "version", 1, &out->version, err)); /* absent in the first releases */
    if (out->version > SNAPSHOT_NEWEST_VERSION || out->version < 1)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "snapshot version %lld (this library reads up to %d)", (long long)out->version, SNAPSHOT_NEWEST_VERSION);
    PMN_TRY(parse_texts(arena, json, out, err));
    PMN_TRY(parse_numbers(json, out, err));
    PMN_TRY(parse_kind(json, &out->commit_kind, err));
    return parse_properties(arena, json, out, err);
}

paimon_status pmn_snapshot_parse(pmn_arena *arena, pmn_slice json, const char *name, pmn_snapshot *out, paimon_error *err)
{
    pmn_json *root = NULL;
    memset(out, 0, sizeof *out);
    paimon_status status = pmn_json_parse(json, &root, err);
    if (status == PAIMON_OK) status = parse_members(arena, root, out, err);
    pmn_json_free(root);
    if (status != PAIMON_OK) pmn_error_prefix(err, "%s", name);
    return status;
}

paimon_status pmn_snapshot_check_lists(const pmn_snapshot *snapshot, const char *table, paimon_error *err)
{
    const char *base = snapshot->base_manifest_list, *delta = snapshot->delta_manifest_list;
    if (base && *base && delta && *delta) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CORRUPT, "snapshot %lld of %s: \"%s\" is missing", (long long)snapshot->id, table, base && *base ? "deltaManifestList" : "baseManifestList");
}
