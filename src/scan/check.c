/* What this version cannot read rightly, refused by name: better no row than a wrong one. */
#include <string.h>
#include <strings.h>

#include "scan/open.h"

/* Refused when set to anything but `harmless` (NULL: when set at all). */
static const struct refusal {
    const char *key;
    const char *harmless;
    const char *feature;
    bool commits; /* and yet it can be committed to, which needs no row */
} refusals[] = {
    { PMN_OPTION_VECTORS, "false", "deletion vectors", true },
    { "data-evolution.enabled", "false", "data evolution", true },
    { "chain-table.enabled", "false", "chain tables", false }, /* an overwrite of one has to look after other branches */
    { "query-auth.enabled", "false", "row and column authorization", true },
    { "scan.fallback-branch", NULL, "a fallback branch", true },
    { "scan.primary-branch", NULL, "a primary branch", true },
    { "scan.fallback-snapshot-branch", NULL, "chain tables", false },
    { "scan.fallback-delta-branch", NULL, "chain tables", false },
    { "blob-field", NULL, "BLOB columns", true },
    { "blob-descriptor-field", NULL, "BLOB columns", true },
    { "blob-view-field", NULL, "BLOB columns", true },
    { "vector-field", NULL, "VECTOR columns", true },
};

static paimon_status check_type(const pmn_source *source, paimon_error *err)
{
    const char *type = pmn_options_get(&source->options, "type");
    if (!type || strcasecmp(type, "table") == 0 || strcasecmp(type, "materialized-table") == 0) return PAIMON_OK;
    return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: tables of type '%s' are not supported yet", source->path, type);
}

static paimon_status check_source(const pmn_source *source, bool to_commit, paimon_error *err)
{
    PMN_TRY(check_type(source, err));
    if (!to_commit && source->schema->n_primary_keys > 0)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: primary-key tables are not supported yet", source->path);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *r = &refusals[i];
        const char *value = pmn_options_get(&source->options, r->key);
        if (!value || !*value || (r->harmless && strcasecmp(value, r->harmless) == 0)) continue;
        if (to_commit && r->commits) continue;
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: %s (option %s) is not supported yet", source->path, r->feature, r->key);
    }
    for (int32_t i = 0; i < source->schema->row->n_fields && !to_commit; i++) {
        const pmn_field *field = &source->schema->row->fields[i];
        /* A BLOB's values lie in files of their own beside the others. */
        if (field->type->kind == PMN_BLOB)
            return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: column '%s': reading BLOB columns is not supported yet", source->path, field->name);
    }
    return PAIMON_OK;
}

paimon_status pmn_source_check(const pmn_source *source, paimon_error *err) { return check_source(source, false, err); }
paimon_status pmn_source_check_commit(const pmn_source *source, paimon_error *err) { return check_source(source, true, err); }
