#include "write/columns.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/import.h"
#include "arrow/schema.h"
#include "base/map.h"
#include "types/datum.h"
#include "types/normalize.h"
#include "types/row_codec.h"

#define KIND_COLUMN "_VALUE_KIND"
#define KIND_INSERT 0
#define KIND_UPDATE_AFTER 2

/* --- matching --- */

static paimon_status match_child(const pmn_map *names, const struct ArrowSchema *child, int32_t number, pmn_write_columns *out, paimon_error *err)
{
    const char *name = child->name ? child->name : "";
    const uint64_t *known = pmn_map_find(names, pmn_slice_text(name));
    int column = known ? (int)*known : -1;
    if (column < 0 && strcmp(name, KIND_COLUMN) == 0) {
        if (strcmp(child->format, "c") != 0) return pmn_fail(err, PAIMON_INVALID, "column %s: its Arrow type is '%s', int8 is expected", name, child->format);
        out->kind_column = number;
        return PAIMON_OK;
    }
    if (column < 0) return pmn_fail(err, PAIMON_INVALID, "column '%s' is not a column of the table", name);
    if (out->source_columns[column] >= 0) return pmn_fail(err, PAIMON_INVALID, "column '%s' is given twice", name);
    out->source_columns[column] = number;
    return PAIMON_OK;
}

static paimon_status match_children(const pmn_type *row, const struct ArrowSchema *schema, pmn_map *names, pmn_write_columns *out, paimon_error *err)
{
    uint64_t *number;
    for (int32_t i = 0; i < row->n_fields; i++) {
        PMN_TRY(pmn_map_put(names, pmn_slice_text(row->fields[i].name), &number, NULL, err));
        *number = (uint64_t)i;
    }
    for (int64_t i = 0; i < schema->n_children; i++) PMN_TRY(match_child(names, schema->children[i], (int32_t)i, out, err));
    return PAIMON_OK;
}

paimon_status pmn_write_columns_make(pmn_arena *arena, const pmn_type *row, const struct ArrowSchema *schema, pmn_write_columns *out, paimon_error *err)
{
    *out = (pmn_write_columns){ .row = row, .schema = schema, .kind_column = -1 };
    PMN_TRY(pmn_schema_import_check(schema, err));
    if (strcmp(schema->format, "+s") != 0) return pmn_fail(err, PAIMON_INVALID, "the batches' Arrow type is '%s', a struct is expected", schema->format);
    out->source_columns = pmn_arena_alloc(arena, ((size_t)row->n_fields + 1) * sizeof *out->source_columns);
    if (!out->source_columns) return pmn_fail_nomem(err, "the columns of a write");
    for (int32_t i = 0; i < row->n_fields; i++) out->source_columns[i] = -1;
    pmn_map names;
    pmn_map_init(&names, arena->mem);
    paimon_status status = match_children(row, schema, &names, out, err);
    pmn_map_free(&names);
    if (status != PAIMON_OK) return status;
    for (int32_t i = 0; i < row->n_fields; i++) {
        const pmn_field *field = &row->fields[i];
        if (out->source_columns[i] < 0 && !field->type->nullable && !field->default_value)
            return pmn_fail(err, PAIMON_INVALID, "column '%s' is NOT NULL and is not given", field->name);
    }
    return PAIMON_OK;
}

/* No rows tell whether rows could be taken. */
static paimon_status check_type(pmn_buffer_pool *pool, const pmn_field *field, const struct ArrowSchema *given, paimon_error *err)
{
    struct ArrowArray none = { .release = NULL }, taken = { .release = NULL };
    pmn_type type = *field->type;
    type.nullable = true;
    PMN_TRY(pmn_array_nulls(pool, given, 0, &none, err));
    paimon_status status = pmn_array_normalize(pool, &type, given, &none, &taken, err);
    pmn_array_release(&none);
    pmn_array_release(&taken);
    return status;
}

paimon_status pmn_write_columns_check(const pmn_write_columns *columns, pmn_buffer_pool *pool, paimon_error *err)
{
    for (int32_t i = 0; i < columns->row->n_fields; i++) {
        int32_t from = columns->source_columns[i];
        if (from >= 0) PMN_TRY(check_type(pool, &columns->row->fields[i], columns->schema->children[from], err));
    }
    return PAIMON_OK;
}

/* --- taking --- */

/* Append-only tables know rows that come, not rows that go. */
static paimon_status check_kinds(const struct ArrowArray *kinds, int64_t first, int64_t length, paimon_error *err)
{
    const int8_t *values = (const int8_t *)kinds->buffers[1] + kinds->offset + first;
    for (int64_t i = 0; i < length; i++)
        if (pmn_array_is_null(kinds, first + i) || (values[i] != KIND_INSERT && values[i] != KIND_UPDATE_AFTER))
            return pmn_fail(err, PAIMON_INVALID, "row %lld: its kind is not +I; an append table takes only inserts", (long long)i);
    return PAIMON_OK;
}

static paimon_status default_array(pmn_buffer_pool *pool, const pmn_field *field, int64_t length, struct ArrowArray *out, paimon_error *err)
{
    pmn_arena arena;
    pmn_datum value = { .is_null = true };
    pmn_arena_init(&arena, pmn_buffer_pool_mem(pool));
    paimon_status status = PAIMON_OK;
    if (field->default_value) status = pmn_datum_parse(&arena, field->type, pmn_slice_text(field->default_value), &value, err);
    if (status != PAIMON_OK) pmn_error_prefix(err, "default value of column '%s'", field->name);
    else status = pmn_datum_to_arrow(pool, field->type, &value, length, out, err);
    pmn_arena_free(&arena);
    return status;
}

static paimon_status null_array(pmn_buffer_pool *pool, const pmn_field *field, int64_t length, struct ArrowArray *out, paimon_error *err)
{
    struct ArrowSchema schema;
    if (field->default_value) return default_array(pool, field, length, out, err);
    PMN_TRY(pmn_field_to_arrow(pmn_buffer_pool_mem(pool), field, &schema, err));
    paimon_status status = pmn_array_nulls(pool, &schema, length, out, err);
    pmn_schema_release(&schema);
    return status;
}

/* One value as a row of one column behind the others in `rows`; `ends` gets where it ends. */
static paimon_status append_value(pmn_buf *rows, const pmn_type *one, const struct ArrowSchema *schema, const struct ArrowArray *column, int64_t row,
                                  const pmn_datum *instead, size_t *end, paimon_error *err)
{
    pmn_datum value = *instead;
    if (!pmn_array_is_null(column, row)) PMN_TRY(pmn_datum_from_arrow(one->fields[0].type, schema, column, row, &value, err));
    PMN_TRY(pmn_row_write(rows, one, &value, err));
    *end = rows->size;
    return PAIMON_OK;
}

static paimon_status rebuild_column(pmn_buffer_pool *pool, const pmn_type *one, const struct ArrowSchema *schema, struct ArrowArray *column,
                                    const pmn_datum *instead, pmn_arena *arena, pmn_buf *rows, paimon_error *err)
{
    int64_t n = column->length;
    size_t *ends = pmn_arena_calloc(arena, (size_t)n, sizeof *ends);
    pmn_row_view *views = pmn_arena_calloc(arena, (size_t)n, sizeof *views);
    struct ArrowArray rebuilt = { .release = NULL };
    if (!ends || !views) return pmn_fail_nomem(err, "default values");
    for (int64_t i = 0; i < n; i++) PMN_TRY(append_value(rows, one, schema, column, i, instead, &ends[i], err));
    for (int64_t i = 0; i < n; i++) {
        size_t start = i ? ends[i - 1] : 0;
        views[i] = (pmn_row_view){ pmn_slice_of(rows->data + start, ends[i] - start), 1 };
    }
    PMN_TRY(pmn_rows_to_arrow(pool, one, views, n, &rebuilt, err));
    pmn_array_release(column);
    pmn_array_move(column, rebuilt.children[0]);
    pmn_array_release(&rebuilt);
    return PAIMON_OK;
}

/* A null in a column with a default value is written as that value, as Java does. Such nulls are rare: the column is rebuilt value by
 * value. */
static paimon_status fill_defaults(pmn_buffer_pool *pool, const pmn_field *field, struct ArrowArray *column, paimon_error *err)
{
    if (!field->default_value || !column->buffers[0] || column->null_count == 0 || column->length == 0) return PAIMON_OK;
    pmn_mem *mem = pmn_buffer_pool_mem(pool);
    pmn_type one = { .kind = PMN_ROW, .n_fields = 1, .fields = field };
    struct ArrowSchema schema = { .release = NULL };
    pmn_datum instead;
    pmn_arena arena;
    pmn_buf rows;
    pmn_arena_init(&arena, mem);
    pmn_buf_init(&rows, mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_datum_parse(&arena, field->type, pmn_slice_text(field->default_value), &instead, err);
    if (status == PAIMON_OK) status = pmn_field_to_arrow(mem, field, &schema, err);
    if (status == PAIMON_OK) status = rebuild_column(pool, &one, &schema, column, &instead, &arena, &rows, err);
    pmn_schema_release(&schema);
    pmn_buf_free(&rows);
    pmn_arena_free(&arena);
    return status;
}

/* The type without NOT NULL where a default stands in for nulls. */
static paimon_status normalize_column(pmn_buffer_pool *pool, const pmn_field *field, const struct ArrowSchema *schema, struct ArrowArray *given,
                                      int64_t first, int64_t length, struct ArrowArray *out, paimon_error *err)
{
    struct ArrowArray slice = { .release = NULL };
    pmn_type type = *field->type;
    if (field->default_value) type.nullable = true;
    PMN_TRY(pmn_array_share(pmn_buffer_pool_mem(pool), given, first, length, &slice, err));
    paimon_status status = pmn_array_normalize(pool, &type, schema, &slice, out, err);
    pmn_array_release(&slice);
    if (status == PAIMON_OK) status = fill_defaults(pool, field, out, err);
    else if (err && !strstr(paimon_error_message(err), field->name)) pmn_error_prefix(err, "column '%s'", field->name);
    return status;
}

paimon_status pmn_write_columns_take(const pmn_write_columns *columns, pmn_buffer_pool *pool, struct ArrowArray *batch, struct ArrowArray *out,
                                     paimon_error *err)
{
    int32_t n = columns->row->n_fields;
    pmn_buffer *no_bitmap = NULL;
    struct ArrowArray whole;
    PMN_TRY(pmn_array_import_check(columns->schema, batch, err));
    /* Rows may be encoded when the batch is gone: its columns are kept by keeping all of it, as not every producer lets them go one by one. */
    PMN_TRY(pmn_array_share(pmn_buffer_pool_mem(pool), batch, 0, batch->length, &whole, err));
    pmn_array_release(&whole);
    int64_t first = batch->offset, length = batch->length;
    if (batch->null_count != 0 && batch->buffers[0])
        for (int64_t i = 0; i < length; i++)
            if (pmn_array_is_null(batch, i)) return pmn_fail(err, PAIMON_INVALID, "row %lld of the batch is null as a whole", (long long)i);
    if (columns->kind_column >= 0) PMN_TRY(check_kinds(batch->children[columns->kind_column], first, length, err));
    PMN_TRY(pmn_array_new(pmn_buffer_pool_mem(pool), length, 0, 1, &no_bitmap, n, out, err));
    paimon_status status = PAIMON_OK;
    for (int32_t i = 0; i < n && status == PAIMON_OK; i++) {
        int32_t from = columns->source_columns[i];
        const pmn_field *field = &columns->row->fields[i];
        status = from < 0 ? null_array(pool, field, length, out->children[i], err)
                          : normalize_column(pool, field, columns->schema->children[from], batch->children[from], first, length, out->children[i], err);
    }
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
}
