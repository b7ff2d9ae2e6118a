/* Filters of readers: see filter.h. */
#include "format/filter.h"

#include <string.h>

/* Renumber the columns among those that are used, and drop what the file lacks: it is null. */
static paimon_status number_columns(pmn_read_filter *f, pmn_arena *arena, const struct ArrowSchema *schema, paimon_error *err)
{
    int32_t n = f->want.n_children;
    bool *used = (bool *)pmn_arena_calloc(arena, (size_t)n + 1, sizeof *used);
    int32_t *map = (int32_t *)pmn_arena_calloc(arena, (size_t)n + 1, sizeof *map);
    f->schema.children = (struct ArrowSchema **)pmn_arena_calloc(arena, (size_t)n + 1, sizeof *f->schema.children);
    f->columns = (int32_t *)pmn_arena_calloc(arena, (size_t)n + 1, sizeof *f->columns);
    if (!used || !map || !f->schema.children || !f->columns) return pmn_fail_nomem(err, "a filter");
    pmn_pred_columns(f->pred, used, n);
    for (int32_t i = 0; i < n; i++) {
        if (!f->want.children[i].field) used[i] = false;
        map[i] = used[i] ? f->n_used : -1;
        if (!used[i]) continue;
        f->schema.children[f->n_used] = schema->children[i];
        f->columns[f->n_used] = f->n_used;
        f->n_used++;
    }
    f->schema.format = "+s";
    f->schema.n_children = f->n_used;
    f->used = used;
    return pmn_pred_remap(arena, f->pred, map, n, &f->bound, err);
}

paimon_status pmn_read_filter_init(pmn_read_filter *filter, pmn_arena *arena, const pmn_pred *pred, const struct ArrowSchema *schema,
                                   const pmn_file_field *fields, int32_t n_fields, bool case_insensitive, paimon_error *err)
{
    memset(filter, 0, sizeof *filter);
    if (!pred || pred->kind == PMN_PRED_TRUE) return PAIMON_OK;
    filter->pred = pred;
    PMN_TRY(pmn_match(arena, fields, n_fields, schema, case_insensitive, &filter->want, err));
    PMN_TRY(number_columns(filter, arena, schema, err));
    filter->none = filter->bound->kind == PMN_PRED_FALSE;
    if (filter->bound->kind == PMN_PRED_TRUE) filter->pred = NULL;
    return PAIMON_OK;
}

paimon_status pmn_read_filter_eval(const pmn_read_filter *filter, const struct ArrowArray *array, pmn_mem *mem, uint8_t *selected, int64_t *n_selected,
                                   paimon_error *err)
{
    return pmn_pred_eval(filter->bound, &filter->schema, array, filter->columns, mem, selected, n_selected, err);
}
