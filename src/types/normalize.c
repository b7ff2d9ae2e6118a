/* Any layout of the C data interface into the canonical one.
 *
 * Three ways, cheapest first: share the buffers (same layout, offset 0), copy the rows (same layout, a slice), convert value by value
 * (another layout). Lists whose elements do not lie one behind the other are gathered first. */
#include "types/normalize.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/decimal.h"
#include "base/map.h"
#include "base/utf8.h"
#include "types/column.h"
#include "types/value_reader.h"

/* Rows [start, start + n) of an array of ours. */
typedef struct rows_of {
    const struct ArrowSchema *schema;
    struct ArrowArray *array;
    int64_t start;
    int64_t n;
} rows_of;

typedef struct normalizer {
    pmn_buffer_pool *pool;
    pmn_mem *mem;
    paimon_error *err;
} normalizer;

/* `live`: bitmap of the rows that no null parent hides; NULL: all. */
static paimon_status normalize_node(const normalizer *z, const pmn_type *type, rows_of in, const uint8_t *live, struct ArrowArray *out);

static const char *name_of(const struct ArrowSchema *schema) { return schema->name ? schema->name : ""; }

static paimon_status cannot_hold(const normalizer *z, const pmn_type *type, const struct ArrowSchema *schema)
{
    return pmn_fail(z->err, PAIMON_UNSUPPORTED, "Arrow column '%s': format '%s'%s for values of type %s", name_of(schema), schema->format,
                    schema->dictionary ? " with a dictionary" : "", pmn_type_kind_name(type->kind));
}

/* The bitmap of the rows, NULL when none is null. */
static paimon_status slice_validity(const normalizer *z, rows_of in, pmn_buffer **out, int64_t *n_nulls)
{
    *out = NULL;
    *n_nulls = 0;
    const uint8_t *bits = in.array->n_buffers > 0 ? in.array->buffers[0] : NULL;
    int64_t offset = in.array->offset + in.start;
    if (!bits || in.array->null_count == 0 || in.n == 0) return PAIMON_OK;
    *n_nulls = in.n - pmn_bitmap_count(bits, offset, in.n);
    if (*n_nulls == 0) return PAIMON_OK;
    PMN_TRY(pmn_buffer_new(z->pool, pmn_bitmap_bytes(in.n), out, z->err));
    (*out)->size = pmn_bitmap_bytes(in.n);
    memset((*out)->data, 0, (*out)->size);
    pmn_bitmap_copy((*out)->data, 0, bits, offset, in.n);
    return PAIMON_OK;
}

static paimon_status check_not_null(const normalizer *z, const pmn_type *type, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                    const uint8_t *live)
{
    if (type->nullable || array->null_count == 0) return PAIMON_OK;
    for (int64_t i = 0; i < array->length; i++)
        if (pmn_array_is_null(array, i) && (!live || pmn_bit_get(live, i)))
            return pmn_fail(z->err, PAIMON_INVALID, "Arrow column '%s': row %lld is null, but the type is NOT NULL", name_of(schema), (long long)i);
    return PAIMON_OK;
}

/* The usual case of check_texts, for all texts at once: nothing but ASCII, and any length will do. What lies under nulls counts too. */
static bool all_plain_texts(const pmn_type *type, const struct ArrowArray *array)
{
    const int32_t *offsets = array->buffers[1];
    if (type->length != INT32_MAX || !offsets || !array->buffers[2]) return false;
    const uint8_t *bytes = (const uint8_t *)array->buffers[2] + offsets[0];
    uint8_t all = 0;
    for (int64_t i = 0, n = offsets[array->length] - offsets[0]; i < n; i++) all |= bytes[i];
    return all < 0x80;
}

/* Texts must be UTF-8 and no longer than their type says. */
static paimon_status check_texts(const normalizer *z, const pmn_type *type, const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    bool text = pmn_type_is_text(type);
    if (!pmn_datum_has_bytes(type) || type->kind == PMN_BLOB || (!text && type->length == INT32_MAX)) return PAIMON_OK;
    if (text && all_plain_texts(type, array)) return PAIMON_OK;
    const int32_t *offsets = array->buffers[1];
    for (int64_t i = 0; i < array->length; i++) {
        if (pmn_array_is_null(array, i) || offsets[i + 1] == offsets[i]) continue;
        pmn_slice value = pmn_slice_of((const uint8_t *)array->buffers[2] + offsets[i], (size_t)(offsets[i + 1] - offsets[i]));
        if (text && !pmn_utf8_valid(value)) return pmn_fail(z->err, PAIMON_INVALID, "Arrow column '%s': row %lld is not UTF-8", name_of(schema), (long long)i);
        int64_t length = text && value.size > (size_t)type->length ? pmn_utf8_length(value) : (int64_t)value.size;
        if (length > type->length)
            return pmn_fail(z->err, PAIMON_INVALID, "Arrow column '%s': row %lld has length %lld, past %s(%d)", name_of(schema), (long long)i,
                            (long long)length, pmn_type_kind_name(type->kind), (int)type->length);
    }
    return PAIMON_OK;
}

/* Copy a slice: a gather of rows in order. */
static paimon_status copy_rows(const normalizer *z, rows_of in, struct ArrowArray *out)
{
    struct ArrowArray slice;
    if (in.n > INT32_MAX) return pmn_fail(z->err, PAIMON_UNSUPPORTED, "an Arrow batch of %lld rows", (long long)in.n);
    PMN_TRY(pmn_array_share(z->mem, in.array, in.start, in.n, &slice, z->err));
    int32_t *rows = pmn_alloc(z->mem, (size_t)in.n * sizeof *rows);
    paimon_status status = rows ? PAIMON_OK : pmn_fail_nomem(z->err, "rows");
    for (int64_t i = 0; rows && i < in.n; i++) rows[i] = (int32_t)i;
    if (status == PAIMON_OK) status = pmn_array_gather(z->pool, in.schema, &slice, rows, in.n, out, z->err);
    pmn_free(z->mem, rows, (size_t)in.n * sizeof *rows);
    pmn_array_release(&slice);
    return status;
}

/* Rows at offset 0 with texts that begin at 0 need no copy. A bitmap without nulls is dropped. */
static bool may_share(const pmn_type *type, rows_of in)
{
    if (in.array->offset + in.start != 0) return false;
    if (!pmn_datum_has_bytes(type)) return true;
    const void *offsets = in.array->buffers[1];
    if (!offsets) return false; /* an empty array may lack them */
    return type->kind == PMN_BLOB ? *(const int64_t *)offsets == 0 : *(const int32_t *)offsets == 0;
}

static paimon_status share_rows(const normalizer *z, rows_of in, struct ArrowArray *out)
{
    PMN_TRY(pmn_array_share(z->mem, in.array, in.start, in.n, out, z->err));
    if (out->buffers[0]) out->null_count = in.n - pmn_bitmap_count(out->buffers[0], 0, in.n);
    else out->null_count = 0;
    if (out->null_count == 0) out->buffers[0] = NULL; /* the table of pointers is this array's own */
    return PAIMON_OK;
}

static paimon_status convert_row(const normalizer *z, const pmn_value_reader *reader, rows_of in, int64_t i, pmn_column *column)
{
    pmn_datum value;
    paimon_status status = pmn_value_read(reader, in.array, in.start + i, &value, z->err);
    if (status == PAIMON_OK) status = pmn_column_append(column, &value, z->err);
    if (status != PAIMON_OK) pmn_error_prefix(z->err, "Arrow column '%s', row %lld", name_of(in.schema), (long long)i);
    return status;
}

static paimon_status convert_rows(const normalizer *z, const pmn_type *type, rows_of in, struct ArrowArray *out)
{
    pmn_value_reader reader;
    pmn_column column;
    PMN_TRY(pmn_value_reader_init(&reader, type, in.schema, z->err));
    PMN_TRY(pmn_column_init(&column, z->pool, type, z->err));
    paimon_status status = PAIMON_OK;
    for (int64_t i = 0; i < in.n && status == PAIMON_OK; i++) status = convert_row(z, &reader, in, i, &column);
    if (status == PAIMON_OK) return pmn_column_finish(&column, out, z->err);
    pmn_column_free(&column);
    return status;
}

/* Is the Arrow type the very one that `type` has in our table? Any zone is: the instant counts. */
static paimon_status is_canonical(const normalizer *z, const pmn_type *type, const struct ArrowSchema *schema, bool *out)
{
    pmn_field field = { -1, "", type, NULL, NULL };
    struct ArrowSchema own;
    PMN_TRY(pmn_field_to_arrow(z->mem, &field, &own, z->err));
    *out = !schema->dictionary && strcmp(own.format, schema->format) == 0;
    if (type->kind == PMN_TIMESTAMP_LTZ && !schema->dictionary)
        *out = strncmp(own.format, schema->format, 4) == 0 && schema->format[4] != '\0';
    pmn_schema_release(&own);
    return PAIMON_OK;
}

/* Units are coarser than some precisions (TIMESTAMP(4) is in microseconds): those values, times and decimals are looked at one by one. */
static bool may_be_too_fine(const pmn_type *type)
{
    if (type->kind == PMN_TIMESTAMP || type->kind == PMN_TIMESTAMP_LTZ) return type->length % 3 != 0;
    return type->kind == PMN_TIME || type->kind == PMN_DECIMAL;
}

/* Decimals of the table's own Arrow type need only not to be too great; nulls, whatever lies under them. Otherwise they are converted one by one, which tells
 * the row. */
static bool all_decimals_fit(const pmn_type *type, rows_of in)
{
    const pmn_i128 *values = in.array->buffers[1];
    pmn_u128 limit = (pmn_u128)pmn_pow10_i128(type->length) - 1;
    bool fit = true;
    if (in.n > 0 && (!values || (uintptr_t)values % sizeof *values != 0)) return false;
    for (int64_t i = in.array->offset + in.start, end = i + in.n; i < end; i++) fit &= (pmn_u128)values[i] + limit <= 2 * limit;
    return fit;
}

static paimon_status normalize_atomic(const normalizer *z, const pmn_type *type, rows_of in, struct ArrowArray *out)
{
    bool same;
    PMN_TRY(is_canonical(z, type, in.schema, &same));
    bool one_by_one = !same || (may_be_too_fine(type) && !(type->kind == PMN_DECIMAL && all_decimals_fit(type, in)));
    if (one_by_one) PMN_TRY(convert_rows(z, type, in, out));
    else if (may_share(type, in)) PMN_TRY(share_rows(z, in, out));
    else PMN_TRY(copy_rows(z, in, out));
    paimon_status status = check_texts(z, type, in.schema, out);
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
}

/* Where the elements of the lists lie in the child, if they lie one behind the other; otherwise which rows they are. */
typedef struct elements {
    int64_t total;
    int64_t first;
    bool in_order;
} elements;

static paimon_status measure_lists(const normalizer *z, const pmn_type *type, rows_of in, const pmn_arrow_type *arrow, int32_t *offsets, elements *e)
{
    *e = (elements){ 0, 0, true };
    if (offsets) offsets[0] = 0;
    for (int64_t i = 0; i < in.n; i++) {
        pmn_list_span s = { 0, 0 };
        bool null = pmn_array_is_null(in.array, in.start + i);
        if (!null || !offsets) s = pmn_array_list_span(arrow->kind, arrow->width, in.array, in.start + i);
        if (!offsets && null) s.count = arrow->kind == PMN_ARROW_FIXED_LIST ? s.count : 0;
        if (!null && type->kind == PMN_VECTOR && s.count != type->length)
            return pmn_fail(z->err, PAIMON_INVALID, "Arrow column '%s': row %lld has %lld elements, the vector %d", name_of(in.schema), (long long)i,
                            (long long)s.count, (int)type->length);
        if (type->kind == PMN_VECTOR && s.count != type->length) e->in_order = false; /* a null list that is no fixed-size one */
        if (s.count > 0) {
            if (e->total == 0) e->first = s.start;
            else if (s.start != e->first + e->total) e->in_order = false;
        }
        e->total += s.count;
        if (e->total > INT32_MAX) return pmn_fail(z->err, PAIMON_UNSUPPORTED, "an Arrow batch with more than %d list elements in one column", INT32_MAX);
        if (offsets) offsets[i + 1] = (int32_t)e->total;
    }
    return PAIMON_OK;
}

/* The elements of the lists that are not null, gathered. */
static paimon_status gather_elements(const normalizer *z, rows_of in, const pmn_arrow_type *arrow, int64_t total, struct ArrowArray *out)
{
    int32_t *rows = pmn_alloc(z->mem, (size_t)total * sizeof *rows);
    if (!rows) return pmn_fail_nomem(z->err, "rows of list elements");
    int64_t at = 0;
    paimon_status status = PAIMON_OK;
    for (int64_t i = 0; i < in.n && status == PAIMON_OK; i++) {
        if (pmn_array_is_null(in.array, in.start + i)) continue;
        pmn_list_span s = pmn_array_list_span(arrow->kind, arrow->width, in.array, in.start + i);
        if (s.start + s.count > INT32_MAX) status = pmn_fail(z->err, PAIMON_UNSUPPORTED, "list elements past %d in an Arrow column", INT32_MAX);
        else for (int64_t k = 0; k < s.count; k++) rows[at++] = (int32_t)(s.start + k);
    }
    if (status == PAIMON_OK) status = pmn_array_gather(z->pool, in.schema->children[0], in.array->children[0], rows, at, out, z->err);
    pmn_free(z->mem, rows, (size_t)total * sizeof *rows);
    return status;
}

static bool takes_lists(pmn_arrow_kind kind) { return kind >= PMN_ARROW_LIST && kind <= PMN_ARROW_FIXED_LIST; }

static paimon_status map_entries(const normalizer *z, const pmn_type *type, rows_of in, struct ArrowArray *out)
{
    static const pmn_type count = { PMN_INT, false, 0, 0, 0, NULL, NULL };
    const pmn_type *value = type->kind == PMN_MAP ? type->fields[1].type : &count;
    pmn_type key = *type->fields[0].type;
    key.nullable = false; /* Arrow keys never are, whatever the schema says */
    if (strcmp(in.schema->format, "+s") != 0 || in.schema->n_children != 2) return cannot_hold(z, type, in.schema);
    int64_t start = in.array->offset + in.start;
    pmn_buffer *none = NULL;
    for (int64_t i = 0; i < in.n; i++)
        if (pmn_array_is_null(in.array, in.start + i)) return pmn_fail(z->err, PAIMON_INVALID, "Arrow column '%s': a null entry of a map", name_of(in.schema));
    PMN_TRY(pmn_array_new(z->mem, in.n, 0, 1, &none, 2, out, z->err));
    paimon_status status = normalize_node(z, &key, (rows_of){ in.schema->children[0], in.array->children[0], start, in.n }, NULL, out->children[0]);
    if (status == PAIMON_OK) status = normalize_node(z, value, (rows_of){ in.schema->children[1], in.array->children[1], start, in.n }, NULL, out->children[1]);
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
}

static paimon_status normalize_elements(const normalizer *z, const pmn_type *type, rows_of in, struct ArrowArray *out)
{
    if (type->kind == PMN_MAP || type->kind == PMN_MULTISET) return map_entries(z, type, in, out);
    return normalize_node(z, type->fields[0].type, in, NULL, out);
}

static paimon_status list_child(const normalizer *z, const pmn_type *type, rows_of in, const pmn_arrow_type *arrow, const elements *e, struct ArrowArray *out)
{
    rows_of child = { in.schema->children[0], in.array->children[0], e->first, e->total };
    if (e->in_order) return normalize_elements(z, type, child, out);
    struct ArrowArray gathered;
    PMN_TRY(gather_elements(z, in, arrow, e->total, &gathered));
    child.array = &gathered;
    child.start = 0;
    paimon_status status = normalize_elements(z, type, child, out);
    pmn_array_release(&gathered);
    return status;
}

/* ARRAY from any kind of list, MAP and MULTISET from maps. */
static paimon_status normalize_list(const normalizer *z, const pmn_type *type, rows_of in, const pmn_arrow_type *arrow, struct ArrowArray *out)
{
    bool map = type->kind != PMN_ARRAY;
    if (in.schema->dictionary || (map ? arrow->kind != PMN_ARROW_MAP : !takes_lists(arrow->kind))) return cannot_hold(z, type, in.schema);
    paimon_status status;
    pmn_buffer *buffers[2] = { NULL, NULL };
    int64_t n_nulls;
    elements e;
    struct ArrowArray child;
    PMN_GOTO(status, pmn_buffer_new(z->pool, (size_t)(in.n + 1) * 4, &buffers[1], z->err), failed);
    buffers[1]->size = (size_t)(in.n + 1) * 4;
    PMN_GOTO(status, slice_validity(z, in, &buffers[0], &n_nulls), failed);
    PMN_GOTO(status, measure_lists(z, type, in, arrow, (int32_t *)(void *)buffers[1]->data, &e), failed);
    PMN_GOTO(status, list_child(z, type, in, arrow, &e, &child), failed);
    status = pmn_array_new(z->mem, in.n, n_nulls, 2, buffers, 1, out, z->err);
    if (status != PAIMON_OK) pmn_array_release(&child);
    else pmn_array_move(out->children[0], &child);
    return status;
failed:
    pmn_buffer_release(buffers[0]);
    pmn_buffer_release(buffers[1]);
    return status;
}

/* Vectors whose null rows have no elements of their own: value by value. */
static paimon_status convert_vectors(const normalizer *z, const pmn_type *type, rows_of in, const pmn_arrow_type *arrow, struct ArrowArray *out)
{
    pmn_value_reader reader;
    pmn_column column;
    PMN_TRY(pmn_value_reader_init(&reader, type->fields[0].type, in.schema->children[0], z->err));
    PMN_TRY(pmn_column_init(&column, z->pool, type, z->err));
    paimon_status status = PAIMON_OK;
    for (int64_t i = 0; i < in.n && status == PAIMON_OK; i++) {
        if (pmn_array_is_null(in.array, in.start + i)) {
            status = pmn_column_append_null(&column, z->err);
            continue;
        }
        pmn_list_span s = pmn_array_list_span(arrow->kind, arrow->width, in.array, in.start + i);
        for (int64_t k = 0; k < s.count && status == PAIMON_OK; k++) {
            pmn_datum value;
            status = pmn_value_read(&reader, in.array->children[0], s.start + k, &value, z->err);
            if (status == PAIMON_OK) status = pmn_column_append(&column.parts[0], &value, z->err);
        }
        if (status == PAIMON_OK) status = pmn_column_close(&column, z->err);
    }
    if (status == PAIMON_OK) return pmn_column_finish(&column, out, z->err);
    pmn_column_free(&column);
    return status;
}

static paimon_status normalize_vector(const normalizer *z, const pmn_type *type, rows_of in, const pmn_arrow_type *arrow, struct ArrowArray *out)
{
    if (in.schema->dictionary || !takes_lists(arrow->kind)) return cannot_hold(z, type, in.schema);
    elements e;
    PMN_TRY(measure_lists(z, type, in, arrow, NULL, &e));
    if (!e.in_order) return convert_vectors(z, type, in, arrow, out);
    struct ArrowArray child;
    pmn_type element = *type->fields[0].type;
    element.nullable = true; /* those of null vectors may be */
    PMN_TRY(normalize_node(z, &element, (rows_of){ in.schema->children[0], in.array->children[0], e.first, e.total }, NULL, &child));
    pmn_buffer *validity;
    int64_t n_nulls;
    paimon_status status = slice_validity(z, in, &validity, &n_nulls);
    if (status == PAIMON_OK) status = pmn_array_new(z->mem, in.n, n_nulls, 1, &validity, 1, out, z->err);
    if (status != PAIMON_OK) pmn_array_release(&child);
    else pmn_array_move(out->children[0], &child);
    return status;
}

static int32_t field_id_of(const struct ArrowSchema *schema)
{
    const char *value;
    int32_t size;
    char text[16] = { 0 };
    if (!pmn_schema_metadata(schema, "PARQUET:field_id", &value, &size) || size <= 0 || size >= (int32_t)sizeof text) return -1;
    memcpy(text, value, (size_t)size);
    long id = strtol(text, NULL, 10);
    return id >= 0 && id <= INT32_MAX ? (int32_t)id : -1;
}

static pmn_slice id_key(const int32_t *id) { return pmn_slice_of(id, sizeof *id); }

/* Children by name, and by field id those whose name is no field's. The ids are kept in `ids`, since maps borrow their keys. */
static paimon_status index_children(const pmn_type *row, const struct ArrowSchema *schema, pmn_map maps[3], int32_t *ids, paimon_error *err)
{
    pmn_map *fields = &maps[0], *names = &maps[1], *by_id = &maps[2];
    uint64_t *number;
    bool inserted;
    for (int32_t i = 0; i < row->n_fields; i++) PMN_TRY(pmn_map_put(fields, pmn_slice_text(row->fields[i].name), &number, NULL, err));
    for (int64_t c = 0; c < schema->n_children; c++) {
        pmn_slice name = pmn_slice_text(name_of(schema->children[c]));
        bool is_field = pmn_map_find(fields, name) != NULL;
        ids[c] = is_field ? -1 : field_id_of(schema->children[c]);
        if (!is_field && ids[c] < 0) continue;
        PMN_TRY(pmn_map_put(is_field ? names : by_id, is_field ? name : id_key(&ids[c]), &number, &inserted, err));
        if (inserted) *number = (uint64_t)c;
    }
    return PAIMON_OK;
}

/* The child that holds each field, -1 for none: by name, else by field id. */
static paimon_status match_fields(const normalizer *z, const pmn_type *row, const struct ArrowSchema *schema, int32_t *match, int32_t *ids)
{
    pmn_map maps[3];
    for (int i = 0; i < 3; i++) pmn_map_init(&maps[i], z->mem);
    paimon_status status = index_children(row, schema, maps, ids, z->err);
    for (int32_t i = 0; i < row->n_fields && status == PAIMON_OK; i++) {
        const uint64_t *found = pmn_map_find(&maps[1], pmn_slice_text(row->fields[i].name));
        if (!found && row->fields[i].id >= 0) found = pmn_map_find(&maps[2], id_key(&row->fields[i].id));
        match[i] = found ? (int32_t)*found : -1;
    }
    for (int i = 0; i < 3; i++) pmn_map_free(&maps[i]);
    return status;
}

static paimon_status absent_field(const normalizer *z, const pmn_field *field, int64_t n, struct ArrowArray *out)
{
    if (!field->type->nullable) return pmn_fail(z->err, PAIMON_INVALID, "the Arrow data has no column '%s', which is NOT NULL", field->name);
    struct ArrowSchema schema;
    PMN_TRY(pmn_field_to_arrow(z->mem, field, &schema, z->err));
    paimon_status status = pmn_array_nulls(z->pool, &schema, n, out, z->err);
    pmn_schema_release(&schema);
    return status;
}

/* Most often they stand in the same order. */
static bool same_fields(const pmn_type *row, const struct ArrowSchema *schema)
{
    if (schema->n_children != row->n_fields) return false;
    for (int32_t i = 0; i < row->n_fields; i++)
        if (strcmp(name_of(schema->children[i]), row->fields[i].name) != 0) return false;
    return true;
}

static paimon_status normalize_matched(const normalizer *z, const pmn_type *row, rows_of in, const int32_t *match, const uint8_t *live, struct ArrowArray *out)
{
    int64_t start = in.array->offset + in.start;
    for (int32_t i = 0; i < row->n_fields; i++) {
        int32_t c = match ? match[i] : i;
        if (c < 0) {
            PMN_TRY(absent_field(z, &row->fields[i], in.n, out->children[i]));
            continue;
        }
        rows_of child = { in.schema->children[c], in.array->children[c], start, in.n };
        PMN_TRY(normalize_node(z, row->fields[i].type, child, live, out->children[i]));
    }
    return PAIMON_OK;
}

/* Each child stands for one field. `used` starts as zeros. */
static paimon_status check_used(const normalizer *z, const pmn_type *row, const struct ArrowSchema *schema, const int32_t *match, int32_t *used)
{
    for (int32_t i = 0; i < row->n_fields; i++)
        if (match[i] >= 0 && used[match[i]]++) return pmn_fail(z->err, PAIMON_INVALID, "an Arrow column stands for two fields");
    for (int64_t c = 0; c < schema->n_children; c++)
        if (!used[c]) return pmn_fail(z->err, PAIMON_INVALID, "the Arrow column '%s' is not in the schema, or there twice", name_of(schema->children[c]));
    return PAIMON_OK;
}

static paimon_status normalize_fields(const normalizer *z, const pmn_type *row, rows_of in, const uint8_t *live, struct ArrowArray *out)
{
    if (same_fields(row, in.schema)) return normalize_matched(z, row, in, NULL, live, out);
    size_t n_match = (size_t)row->n_fields + 1, n = n_match + 2 * (size_t)in.schema->n_children;
    int32_t *match = pmn_calloc(z->mem, n, sizeof *match);
    if (!match) return pmn_fail_nomem(z->err, "the fields of a row");
    int32_t *ids = match + n_match, *used = ids + in.schema->n_children;
    paimon_status status = match_fields(z, row, in.schema, match, ids);
    if (status == PAIMON_OK) status = check_used(z, row, in.schema, match, used);
    if (status == PAIMON_OK) status = normalize_matched(z, row, in, match, live, out);
    pmn_free(z->mem, match, n * sizeof *match);
    return status;
}

/* What of the children is hidden: rows where this struct is null, or a parent is. */
static paimon_status combine_live(const normalizer *z, const pmn_buffer *validity, const uint8_t *live, int64_t n, pmn_buffer **out)
{
    *out = NULL;
    if (!validity || !live) return PAIMON_OK;
    PMN_TRY(pmn_buffer_new(z->pool, pmn_bitmap_bytes(n), out, z->err));
    memcpy((*out)->data, validity->data, pmn_bitmap_bytes(n));
    pmn_bitmap_and((*out)->data, live, n);
    return PAIMON_OK;
}

static paimon_status normalize_row(const normalizer *z, const pmn_type *row, rows_of in, const uint8_t *live, struct ArrowArray *out)
{
    if (in.schema->dictionary || strcmp(in.schema->format, "+s") != 0) return cannot_hold(z, row, in.schema);
    pmn_buffer *validity, *both = NULL;
    int64_t n_nulls;
    PMN_TRY(slice_validity(z, in, &validity, &n_nulls));
    PMN_TRY(pmn_array_new(z->mem, in.n, n_nulls, 1, &validity, (int)row->n_fields, out, z->err));
    paimon_status status = combine_live(z, validity, live, in.n, &both);
    if (status == PAIMON_OK) status = normalize_fields(z, row, in, both ? both->data : validity ? validity->data : live, out);
    pmn_buffer_release(both);
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
}

static paimon_status normalize_variant(const normalizer *z, const pmn_type *type, rows_of in, const uint8_t *live, struct ArrowArray *out)
{
    static const pmn_type bytes = { PMN_VARBINARY, false, INT32_MAX, 0, 0, NULL, NULL };
    const pmn_field fields[] = { { -1, "value", &bytes, NULL, NULL }, { -1, "metadata", &bytes, NULL, NULL } };
    pmn_type row = { PMN_ROW, type->nullable, 0, 0, 2, fields, NULL };
    return normalize_row(z, &row, in, live, out);
}

static paimon_status nulls_of(const normalizer *z, const pmn_type *type, int64_t n, struct ArrowArray *out)
{
    pmn_field field = { -1, "", type, NULL, NULL };
    struct ArrowSchema schema;
    PMN_TRY(pmn_field_to_arrow(z->mem, &field, &schema, z->err));
    paimon_status status = pmn_array_nulls(z->pool, &schema, n, out, z->err);
    pmn_schema_release(&schema);
    return status;
}

static paimon_status normalize_kind(const normalizer *z, const pmn_type *type, rows_of in, const uint8_t *live, struct ArrowArray *out)
{
    pmn_arrow_type arrow;
    PMN_TRY(pmn_arrow_type_parse(in.schema->format, &arrow, z->err));
    if (arrow.kind == PMN_ARROW_NULL) return nulls_of(z, type, in.n, out);
    switch (type->kind) {
    case PMN_ARRAY:
    case PMN_MAP:
    case PMN_MULTISET: return normalize_list(z, type, in, &arrow, out);
    case PMN_VECTOR: return normalize_vector(z, type, in, &arrow, out);
    case PMN_ROW: return normalize_row(z, type, in, live, out);
    case PMN_VARIANT: return normalize_variant(z, type, in, live, out);
    default: return normalize_atomic(z, type, in, out);
    }
}

static paimon_status normalize_node(const normalizer *z, const pmn_type *type, rows_of in, const uint8_t *live, struct ArrowArray *out)
{
    memset(out, 0, sizeof *out);
    PMN_TRY(normalize_kind(z, type, in, live, out));
    paimon_status status = check_not_null(z, type, in.schema, out, live);
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
}

paimon_status pmn_array_normalize(pmn_buffer_pool *pool, const pmn_type *type, const struct ArrowSchema *schema, struct ArrowArray *array,
                                  struct ArrowArray *out, paimon_error *err)
{
    normalizer z = { pool, pmn_buffer_pool_mem(pool), err };
    struct ArrowArray whole; /* all of it ours, so that every node can be shared */
    memset(out, 0, sizeof *out);
    PMN_TRY(pmn_array_share(z.mem, array, 0, array->length, &whole, err));
    paimon_status status = normalize_node(&z, type, (rows_of){ schema, &whole, 0, array->length }, NULL, out);
    pmn_array_release(&whole);
    return status;
}
