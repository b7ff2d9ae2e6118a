#include "read/shape.h"

#include <string.h>

#include "arrow/schema.h"

typedef struct shaping {
    pmn_arena *arena;
    pmn_mem *mem;
    const pmn_source *source;
    const pmn_type *table, *file;
    pmn_shape *shape;
} shaping;

static bool is_partition_column(const pmn_table_schema *schema, int32_t column)
{
    for (int32_t i = 0; i < schema->n_partition_keys; i++)
        if (schema->partition_columns[i] == column) return true;
    return false;
}

/* Where table column `column` is in the file, -1: nowhere. */
static paimon_status locate(const shaping *s, int32_t column, int *at, paimon_error *err)
{
    const pmn_field *field = &s->table->fields[column];
    *at = pmn_row_find_id(s->file, field->id);
    if (*at < 0 || pmn_type_reads_as(s->file->fields[*at].type, field->type)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_UNSUPPORTED,
                    "%s: column '%s': a column type change (files of schema %lld have another type than schema %lld) is not supported yet",
                    s->source->path, field->name, (long long)s->shape->schema->id, (long long)s->source->schema->id);
}

/* Table column as the file has it: its name there, its nullability there, `type` otherwise. */
static paimon_status add_child(const shaping *s, int at, const pmn_type *type, struct ArrowSchema *out, paimon_error *err)
{
    pmn_field field = s->file->fields[at];
    field.type = pmn_type_with_null(s->arena, type, s->file->fields[at].type->nullable);
    if (!field.type) return pmn_fail_nomem(err, "a column's type");
    return pmn_field_to_arrow(s->mem, &field, out, err);
}

static paimon_status shape_output(const shaping *s, const pmn_projection *projection, paimon_error *err)
{
    pmn_shape *shape = s->shape;
    int32_t n = projection->row->n_fields;
    int *places = pmn_arena_calloc(s->arena, (size_t)n + 1, sizeof *places);
    shape->sources = pmn_arena_calloc(s->arena, (size_t)n + 1, sizeof *shape->sources);
    shape->refuse_nulls = pmn_arena_calloc(s->arena, (size_t)n + 1, sizeof *shape->refuse_nulls);
    if (!places || !shape->sources || !shape->refuse_nulls) return pmn_fail_nomem(err, "the columns of a file");
    shape->same = true;
    for (int32_t i = 0; i < n; i++) {
        int32_t column = projection->columns[i];
        const pmn_field *field = &projection->row->fields[i];
        shape->sources[i] = PMN_FROM_PARTITION;
        if (is_partition_column(s->source->schema, column)) {
            shape->same = false;
            continue;
        }
        PMN_TRY(locate(s, column, &places[i], err));
        shape->sources[i] = places[i] < 0 ? PMN_FROM_NULL : shape->n_wanted++;
        if (places[i] < 0 && !field->type->nullable)
            return pmn_fail(err, PAIMON_CORRUPT, "%s: column '%s' is NOT NULL, but files of schema %lld lack it", s->source->path, field->name,
                            (long long)shape->schema->id);
        shape->refuse_nulls[i] = places[i] >= 0 && !field->type->nullable && s->file->fields[places[i]].type->nullable;
        if (places[i] < 0 || shape->refuse_nulls[i]) shape->same = false;
    }
    PMN_TRY(pmn_schema_new(s->mem, "+s", "", 0, shape->n_wanted, &shape->wanted, err));
    for (int32_t i = 0; i < n; i++)
        if (shape->sources[i] >= 0)
            PMN_TRY(add_child(s, places[i], projection->row->fields[i].type, shape->wanted.children[shape->sources[i]], err));
    return PAIMON_OK;
}

/* The predicate's columns come whole, so that its paths keep their numbers. */
static paimon_status shape_filter(const shaping *s, const pmn_pred *pred, paimon_error *err)
{
    pmn_shape *shape = s->shape;
    int32_t n = s->table->n_fields, n_filter = 0;
    bool *used = pmn_arena_calloc(s->arena, (size_t)n + 1, sizeof *used);
    int *places = pmn_arena_calloc(s->arena, (size_t)n + 1, sizeof *places);
    shape->filter_columns = pmn_arena_calloc(s->arena, (size_t)n + 1, sizeof *shape->filter_columns);
    if (!used || !places || !shape->filter_columns) return pmn_fail_nomem(err, "the columns of a filter");
    pmn_pred_columns(pred, used, n);
    for (int32_t i = 0; i < n; i++) {
        shape->filter_columns[i] = -1;
        if (!used[i] || is_partition_column(s->source->schema, i)) continue;
        PMN_TRY(locate(s, i, &places[i], err));
        if (places[i] >= 0) shape->filter_columns[i] = n_filter++;
    }
    PMN_TRY(pmn_schema_new(s->mem, "+s", "", 0, n_filter, &shape->filter, err));
    for (int32_t i = 0; i < n; i++)
        if (shape->filter_columns[i] >= 0)
            PMN_TRY(add_child(s, places[i], s->table->fields[i].type, shape->filter.children[shape->filter_columns[i]], err));
    return PAIMON_OK;
}

paimon_status pmn_shape_make(pmn_arena *arena, const pmn_source *source, const pmn_table_schema *file_schema, const pmn_projection *projection,
                             const pmn_pred *pred, pmn_shape *out, paimon_error *err)
{
    *out = (pmn_shape){ .schema = file_schema };
    shaping s = { arena, source->mem, source, source->schema->row, file_schema->row, out };
    paimon_status status = shape_output(&s, projection, err);
    if (status == PAIMON_OK && pred) status = shape_filter(&s, pred, err);
    if (status != PAIMON_OK) pmn_shape_free(out);
    return status;
}

void pmn_shape_free(pmn_shape *shape)
{
    pmn_schema_release(&shape->wanted);
    pmn_schema_release(&shape->filter);
}

static bool is_listed(const char *name, const char *const *list, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0) return true;
    return false;
}

static paimon_status check_schema_columns(const struct ArrowSchema *columns, const char *const *write_cols, int32_t n, const char *file_name,
                                          paimon_error *err)
{
    for (int64_t i = 0; columns->release && i < columns->n_children; i++)
        if (!is_listed(columns->children[i]->name, write_cols, n))
            return pmn_fail(err, PAIMON_UNSUPPORTED, "data file %s lacks column '%s': data evolution is not supported yet", file_name,
                            columns->children[i]->name);
    return PAIMON_OK;
}

paimon_status pmn_shape_check_columns(const pmn_shape *shape, const char *const *write_cols, int32_t n, const char *file_name, paimon_error *err)
{
    PMN_TRY(check_schema_columns(&shape->wanted, write_cols, n, file_name, err));
    return check_schema_columns(&shape->filter, write_cols, n, file_name, err);
}
