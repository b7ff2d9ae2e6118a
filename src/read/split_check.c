/* What a split may hold that this version cannot read rightly, refused by name: better no row than a wrong one. Splits of a plan have been
 * looked at by the scan; splits from elsewhere have not. */
#include "read/split_check.h"

#include <string.h>

#include "meta/file_name.h"
#include "types/row_codec.h"

static paimon_status not_yet(paimon_error *err, const char *what)
{
    return pmn_fail(err, PAIMON_UNSUPPORTED, "%s not supported yet", what);
}

static paimon_status check_wrappers(const pmn_split_more *more, paimon_error *err)
{
    for (int32_t i = 0; i < more->n_wrappers; i++) {
        const pmn_split_wrapper *w = &more->wrappers[i];
        if (w->is_auth && (w->n_filter > 0 || w->n_masking > 0)) return not_yet(err, "row and column authorization (QueryAuthSplit) is");
        if (!w->is_auth && w->is_fallback) return not_yet(err, "a fallback branch's split (FallbackSplit) is");
    }
    return PAIMON_OK;
}

static paimon_status check_kind(const pmn_split_more *more, paimon_error *err)
{
    switch (more->kind) {
    case PMN_SPLIT_DATA: return PAIMON_OK;
    case PMN_SPLIT_FALLBACK_DATA: return more->is_fallback ? not_yet(err, "a fallback branch's split (FallbackDataSplit) is") : PAIMON_OK;
    case PMN_SPLIT_INDEXED: return not_yet(err, "rows chosen by an index (IndexedSplit) are");
    case PMN_SPLIT_INCREMENTAL: return not_yet(err, "the difference of two snapshots (IncrementalSplit) is");
    case PMN_SPLIT_CHAIN: return not_yet(err, "a chain table's split (ChainSplit) is");
    }
    return pmn_fail(err, PAIMON_INTERNAL, "a split of kind %d", (int)more->kind);
}

static paimon_status check_deletions(const paimon_split *split, const pmn_deletion_list *list, paimon_error *err)
{
    for (uint32_t i = 0; list->there && i < split->n_files; i++)
        if (list->items[i].path)
            return pmn_fail(err, PAIMON_UNSUPPORTED, "deletion vectors (of file %s, in %s) are not supported yet", pmn_split_file(split, i)->name,
                            list->items[i].path);
    return PAIMON_OK;
}

static paimon_status check_files(const paimon_split *split, paimon_error *err)
{
    for (uint32_t i = 0; i < split->n_files; i++) {
        const char *name = pmn_split_file(split, i)->name;
        pmn_file_shape shape = pmn_file_shape_of(name);
        if (PMN_LIKELY(shape == PMN_ORDINARY_FILE)) continue;
        if (shape == PMN_NO_FILE_NAME) return pmn_fail(err, PAIMON_CORRUPT, "'%s' cannot be the name of a data file", name);
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s files (%s) are not supported yet", shape == PMN_BLOB_FILE ? "BLOB" : "VECTOR", name);
    }
    return PAIMON_OK;
}

/* The bytes of a split do not say which table it is of; its partition has as many fields as the table has keys. */
static paimon_status check_partition(const paimon_split *split, const pmn_source *source, paimon_error *err)
{
    pmn_row_view row;
    PMN_TRY(pmn_row_parse(pmn_split_partition(split), &row, err));
    if (row.arity == source->schema->n_partition_keys) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "it is of another table: its partition has %d fields, %s has %d partition keys", (int)row.arity, source->path,
                    (int)source->schema->n_partition_keys);
}

paimon_status pmn_read_check_split(const paimon_split *split, const pmn_source *source, paimon_error *err)
{
    const pmn_split_more *more = pmn_split_more_of(split);
    if (split->plan->table_path && strcmp(split->plan->table_path, source->path) != 0)
        return pmn_fail(err, PAIMON_INVALID, "it is of table %s, not of %s", split->plan->table_path, source->path);
    PMN_TRY(check_wrappers(more, err));
    PMN_TRY(check_kind(more, err));
    if (more->n_before > 0) return not_yet(err, "the difference of two snapshots (files before) is");
    PMN_TRY(check_deletions(split, &more->deletions, err));
    if (!split->raw_convertible) return not_yet(err, "merging files on read is");
    if (split->plan->table_path) return PAIMON_OK;
    PMN_TRY(check_partition(split, source, err));
    return check_files(split, err);
}
