#include "meta/manifest/partition_range.h"

#include "types/row_codec.h"

paimon_status pmn_partition_ranges_init(pmn_partition_ranges *ranges, const pmn_type *type, pmn_arena *arena, paimon_error *err)
{
    size_t n = type->n_fields ? (size_t)type->n_fields : 1;
    ranges->type = type;
    ranges->any = false;
    ranges->columns = pmn_arena_calloc(arena, n, sizeof *ranges->columns);
    ranges->row = pmn_arena_calloc(arena, n, sizeof *ranges->row);
    if (!ranges->columns || !ranges->row) return pmn_fail_nomem(err, "partitions");
    for (size_t i = 0; i < n; i++) ranges->columns[i].min.is_null = ranges->columns[i].max.is_null = true;
    return PAIMON_OK;
}

paimon_status pmn_partition_ranges_add(pmn_partition_ranges *ranges, pmn_slice partition, paimon_error *err)
{
    pmn_row_view view;
    PMN_TRY(pmn_row_parse(partition, &view, err));
    if (view.arity != ranges->type->n_fields)
        return pmn_fail(err, PAIMON_CORRUPT, "a partition of %d columns in a table of %d partition keys", (int)view.arity, (int)ranges->type->n_fields);
    PMN_TRY(pmn_row_get_all(&view, ranges->type, ranges->row, err));
    for (int32_t i = 0; i < ranges->type->n_fields; i++) {
        const pmn_type *type = ranges->type->fields[i].type;
        const pmn_datum *value = &ranges->row[i];
        pmn_value_range *range = &ranges->columns[i];
        if (value->is_null || pmn_datum_is_nan(type, value)) {
            range->open = true;
            continue;
        }
        if (range->min.is_null || pmn_datum_compare(type, value, &range->min) < 0) range->min = *value;
        if (range->max.is_null || pmn_datum_compare(type, value, &range->max) > 0) range->max = *value;
    }
    ranges->any = true;
    return PAIMON_OK;
}

static bool bound_of(const pmn_type *type, pmn_slice row, int32_t i, pmn_datum *out)
{
    pmn_row_view view;
    if (!row.size || pmn_row_parse(row, &view, NULL) != PAIMON_OK || i >= view.arity) return false;
    return pmn_row_get(&view, i, type, out, NULL) == PAIMON_OK && !out->is_null && !pmn_datum_is_nan(type, out);
}

bool pmn_partition_ranges_may_hold(const pmn_partition_ranges *ranges, const pmn_manifest_file *manifest)
{
    if (!ranges->any) return false;
    for (int32_t i = 0; i < ranges->type->n_fields; i++) {
        const pmn_value_range *range = &ranges->columns[i];
        const pmn_type *type = ranges->type->fields[i].type;
        pmn_datum min, max;
        if (range->open || range->min.is_null) continue;
        if (!bound_of(type, manifest->partition_stats.min, i, &min) || !bound_of(type, manifest->partition_stats.max, i, &max)) continue;
        if (pmn_datum_compare(type, &range->max, &min) < 0 || pmn_datum_compare(type, &range->min, &max) > 0) return false;
    }
    return true;
}
