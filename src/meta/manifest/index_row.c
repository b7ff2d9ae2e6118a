/* Java: IndexFileMetaSerializer and its legacy forms, DeletionVectorMeta, GlobalIndexMeta.
 *
 *   row:    _INDEX_TYPE text | _FILE_NAME text | _FILE_SIZE i64 | _ROW_COUNT i64 | _DELETIONS_VECTORS_RANGES array<range>?
 *           | _EXTERNAL_PATH text? | _GLOBAL_INDEX row?
 *   range:  f0 text (data file) | f1 i32 (offset) | f2 i32 (length) | _CARDINALITY i64?
 *   global: _ROW_RANGE_START i64 | _ROW_RANGE_END i64 | _INDEX_FIELD_ID i32 | _EXTRA_FIELD_IDS array<i32>? | _INDEX_META bytes?
 *           | _SOURCE_META bytes?
 */
#include "meta/manifest/index_row.h"

#include <string.h>

#include "meta/snapshot/snapshot.h"
#include "types/row_codec.h"
#include "types/row_slot.h"

static const pmn_type long_type = { .kind = PMN_BIGINT };
static const pmn_type int_type = { .kind = PMN_INT };
static const pmn_type bytes_type = { .kind = PMN_VARBINARY };

static int32_t layout_fields(pmn_index_layout layout)
{
    static const int32_t fields[] = { 4, 5, 5, 6, 7, 7 };
    return fields[layout];
}

/* --- reading --- */

static size_t field_slot(const pmn_row_view *row, int32_t i) { return pmn_row_header_bytes(row->arity) + 8 * (size_t)i; }

static paimon_status need_i64(const pmn_row_view *row, int32_t i, const char *name, int64_t *out, paimon_error *err)
{
    if (pmn_row_is_null(row, i)) return pmn_fail(err, PAIMON_CORRUPT, "%s of an index file is null", name);
    *out = (int64_t)pmn_load_le64(row->bytes.data + field_slot(row, i));
    return PAIMON_OK;
}

static paimon_status need_i32(const pmn_row_view *row, int32_t i, const char *name, int32_t *out, paimon_error *err)
{
    if (pmn_row_is_null(row, i)) return pmn_fail(err, PAIMON_CORRUPT, "%s of an index file is null", name);
    *out = (int32_t)pmn_load_le32(row->bytes.data + field_slot(row, i));
    return PAIMON_OK;
}

/* The variable part begins behind the slots: at another place, the row has another number of fields, and is of another layout. Asked
 * of fields that are written in this order. */
static paimon_status check_arity(const pmn_row_view *row, int32_t first, int32_t last, paimon_error *err)
{
    size_t begin = pmn_row_header_bytes(row->arity) + 8 * (size_t)row->arity;
    for (int32_t i = first; i <= last; i++) {
        const uint8_t *slot = row->bytes.data + field_slot(row, i);
        if (pmn_row_is_null(row, i) || (slot[7] & 0x80)) continue;
        if (pmn_load_le32(slot + 4) == begin) return PAIMON_OK;
        return pmn_fail(err, PAIMON_CORRUPT, "an index file's row is not of %d fields: is it of another version?", (int)row->arity);
    }
    return PAIMON_OK;
}

/* NULL when null. */
static paimon_status find_text(const pmn_row_view *row, int32_t i, const char *name, pmn_arena *arena, const char **out, paimon_error *err)
{
    pmn_slice bytes;
    *out = NULL;
    if (pmn_row_is_null(row, i)) return PAIMON_OK;
    PMN_TRY(pmn_row_slot_bytes(row->bytes, field_slot(row, i), &bytes, err));
    if (bytes.size && memchr(bytes.data, 0, bytes.size)) return pmn_fail(err, PAIMON_CORRUPT, "%s of an index file has a zero byte in it", name);
    *out = pmn_arena_strndup(arena, (const char *)bytes.data, bytes.size);
    return *out ? PAIMON_OK : pmn_fail_nomem(err, "an index file");
}

static paimon_status need_text(const pmn_row_view *row, int32_t i, const char *name, pmn_arena *arena, const char **out, paimon_error *err)
{
    PMN_TRY(find_text(row, i, name, arena, out, err));
    return *out ? PAIMON_OK : pmn_fail(err, PAIMON_CORRUPT, "%s of an index file is null", name);
}

static paimon_status find_bytes(const pmn_row_view *row, int32_t i, pmn_arena *arena, pmn_slice *out, paimon_error *err)
{
    pmn_slice bytes;
    *out = pmn_slice_of(NULL, 0);
    if (pmn_row_is_null(row, i)) return PAIMON_OK;
    PMN_TRY(pmn_row_slot_bytes(row->bytes, field_slot(row, i), &bytes, err));
    const void *copy = pmn_arena_copy(arena, bytes.data, bytes.size);
    if (!copy) return pmn_fail_nomem(err, "an index file");
    *out = pmn_slice_of(copy, bytes.size);
    return PAIMON_OK;
}

typedef struct list_view {
    pmn_slice bytes;
    int32_t n;
    size_t elements; /* where the first one is */
} list_view;

/* Elements of which none is null. */
static paimon_status open_list(const pmn_row_view *row, int32_t i, size_t width, const char *name, list_view *out, paimon_error *err)
{
    PMN_TRY(pmn_row_slot_bytes(row->bytes, field_slot(row, i), &out->bytes, err));
    pmn_slice bytes = out->bytes;
    uint32_t n = bytes.size < 4 ? UINT32_MAX : pmn_load_le32(bytes.data);
    size_t bits = ((size_t)n + 31) / 32 * 4;
    if (n > INT32_MAX || n > bytes.size / width || 4 + bits + n * width > bytes.size)
        return pmn_fail(err, PAIMON_CORRUPT, "%s of an index file: %u elements in %zu bytes", name, (unsigned)n, bytes.size);
    for (uint32_t k = 0; k < n; k++)
        if (bytes.data[4 + k / 8] >> k % 8 & 1) return pmn_fail(err, PAIMON_CORRUPT, "%s of an index file has a null in it", name);
    out->n = (int32_t)n;
    out->elements = 4 + bits;
    return PAIMON_OK;
}

static paimon_status range_from_row(pmn_slice bytes, pmn_index_layout layout, pmn_arena *arena, pmn_deletion_range *out, paimon_error *err)
{
    pmn_row_view row;
    bool counted = layout >= PMN_INDEX_V2;
    PMN_TRY(pmn_row_parse_bare(bytes, counted ? 4 : 3, &row, err));
    PMN_TRY(check_arity(&row, 0, 0, err));
    PMN_TRY(need_text(&row, 0, "f0", arena, &out->data_file, err));
    PMN_TRY(need_i32(&row, 1, "f1", &out->offset, err));
    PMN_TRY(need_i32(&row, 2, "f2", &out->length, err));
    out->cardinality = PMN_NONE;
    return counted && !pmn_row_is_null(&row, 3) ? need_i64(&row, 3, "_CARDINALITY", &out->cardinality, err) : PAIMON_OK;
}

static paimon_status ranges_from_row(const pmn_row_view *row, pmn_index_layout layout, pmn_arena *arena, pmn_index_entry *out, paimon_error *err)
{
    list_view list;
    out->n_ranges = -1;
    if (layout < PMN_INDEX_V1 || pmn_row_is_null(row, 4)) return PAIMON_OK;
    PMN_TRY(open_list(row, 4, 8, "_DELETIONS_VECTORS_RANGES", &list, err));
    pmn_deletion_range *ranges = pmn_arena_calloc(arena, (size_t)list.n + 1, sizeof *ranges);
    if (!ranges) return pmn_fail_nomem(err, "an index file");
    for (int32_t i = 0; i < list.n; i++) {
        pmn_slice bytes;
        PMN_TRY(pmn_row_slot_bytes(list.bytes, list.elements + 8 * (size_t)i, &bytes, err));
        PMN_TRY(range_from_row(bytes, layout, arena, &ranges[i], err));
    }
    out->ranges = ranges;
    out->n_ranges = list.n;
    return PAIMON_OK;
}

static paimon_status ids_from_row(const pmn_row_view *row, pmn_arena *arena, pmn_index_entry *out, paimon_error *err)
{
    list_view list;
    if (pmn_row_is_null(row, 3)) return PAIMON_OK;
    PMN_TRY(open_list(row, 3, 4, "_EXTRA_FIELD_IDS", &list, err));
    int32_t *ids = pmn_arena_calloc(arena, (size_t)list.n + 1, sizeof *ids);
    if (!ids) return pmn_fail_nomem(err, "an index file");
    for (int32_t i = 0; i < list.n; i++) ids[i] = (int32_t)pmn_load_le32(list.bytes.data + list.elements + 4 * (size_t)i);
    out->extra_field_ids = ids;
    out->n_extra_field_ids = list.n;
    return PAIMON_OK;
}

static paimon_status global_from_row(const pmn_row_view *row, pmn_index_layout layout, pmn_arena *arena, pmn_index_entry *out, paimon_error *err)
{
    pmn_slice bytes;
    pmn_row_view global;
    out->n_extra_field_ids = -1;
    out->has_global = layout >= PMN_INDEX_V4 && !pmn_row_is_null(row, 6);
    if (!out->has_global) return PAIMON_OK;
    PMN_TRY(pmn_row_slot_bytes(row->bytes, field_slot(row, 6), &bytes, err));
    PMN_TRY(pmn_row_parse_bare(bytes, layout >= PMN_INDEX_V5 ? 6 : 5, &global, err));
    PMN_TRY(check_arity(&global, 3, layout >= PMN_INDEX_V5 ? 5 : 4, err));
    PMN_TRY(need_i64(&global, 0, "_ROW_RANGE_START", &out->row_range_start, err));
    PMN_TRY(need_i64(&global, 1, "_ROW_RANGE_END", &out->row_range_end, err));
    PMN_TRY(need_i32(&global, 2, "_INDEX_FIELD_ID", &out->index_field_id, err));
    PMN_TRY(ids_from_row(&global, arena, out, err));
    PMN_TRY(find_bytes(&global, 4, arena, &out->index_meta, err));
    return layout >= PMN_INDEX_V5 ? find_bytes(&global, 5, arena, &out->source_meta, err) : PAIMON_OK;
}

paimon_status pmn_index_row_read(pmn_slice bytes, pmn_index_layout layout, pmn_arena *arena, pmn_index_entry *out, paimon_error *err)
{
    pmn_row_view row;
    *out = (pmn_index_entry){ .kind = PMN_FILE_ADD };
    PMN_TRY(pmn_row_parse_bare(bytes, layout_fields(layout), &row, err));
    PMN_TRY(check_arity(&row, 0, 1, err));
    PMN_TRY(need_text(&row, 0, "_INDEX_TYPE", arena, &out->index_type, err));
    PMN_TRY(need_text(&row, 1, "_FILE_NAME", arena, &out->file_name, err));
    PMN_TRY(need_i64(&row, 2, "_FILE_SIZE", &out->file_size, err));
    PMN_TRY(need_i64(&row, 3, "_ROW_COUNT", &out->row_count, err));
    PMN_TRY(ranges_from_row(&row, layout, arena, out, err));
    if (layout >= PMN_INDEX_V3) PMN_TRY(find_text(&row, 5, "_EXTERNAL_PATH", arena, &out->external_path, err));
    return global_from_row(&row, layout, arena, out, err);
}

/* --- writing --- */

static paimon_status set_long(pmn_row_slot_writer *w, int32_t i, int64_t value, paimon_error *err)
{
    pmn_datum d = { .v.i = value };
    return pmn_row_slot_write(w, i, &long_type, &d, err);
}

static paimon_status set_int(pmn_row_slot_writer *w, int32_t i, int32_t value, paimon_error *err)
{
    pmn_datum d = { .v.i = value };
    return pmn_row_slot_write(w, i, &int_type, &d, err);
}

/* `bytes.data` NULL: null. */
static paimon_status set_optional(pmn_row_slot_writer *w, int32_t i, pmn_slice bytes, paimon_error *err)
{
    pmn_datum d = { .is_null = bytes.data == NULL, .v.bytes = bytes };
    return pmn_row_slot_write(w, i, &bytes_type, &d, err);
}

static paimon_status set_name(pmn_row_slot_writer *w, int32_t i, const char *text, paimon_error *err)
{
    return set_optional(w, i, text ? pmn_slice_text(text) : pmn_slice_of(NULL, 0), err);
}

static paimon_status set_range(pmn_row_slot_writer *list, int32_t i, pmn_index_layout layout, const pmn_deletion_range *range, paimon_error *err)
{
    pmn_row_slot_writer w;
    bool counted = layout >= PMN_INDEX_V2;
    size_t begun = pmn_row_slot_begin_nested(list);
    PMN_TRY(pmn_row_slot_begin_row(&w, list->out, counted ? 4 : 3, err));
    PMN_TRY(set_name(&w, 0, range->data_file, err));
    PMN_TRY(set_int(&w, 1, range->offset, err));
    PMN_TRY(set_int(&w, 2, range->length, err));
    if (counted && range->cardinality == PMN_NONE) pmn_row_slot_set_null(&w, 3);
    else if (counted) PMN_TRY(set_long(&w, 3, range->cardinality, err));
    return pmn_row_slot_end_nested(list, i, begun, -1, err);
}

static paimon_status set_ranges(pmn_row_slot_writer *w, pmn_index_layout layout, const pmn_index_entry *entry, paimon_error *err)
{
    pmn_row_slot_writer list;
    if (entry->n_ranges < 0) {
        pmn_row_slot_set_null(w, 4);
        return PAIMON_OK;
    }
    size_t begun = pmn_row_slot_begin_nested(w);
    PMN_TRY(pmn_row_slot_begin_array(&list, w->out, entry->n_ranges, 8, err));
    for (int32_t i = 0; i < entry->n_ranges; i++) PMN_TRY(set_range(&list, i, layout, &entry->ranges[i], err));
    return pmn_row_slot_end_nested(w, 4, begun, -1, err);
}

static paimon_status set_field_ids(pmn_row_slot_writer *w, const pmn_index_entry *entry, paimon_error *err)
{
    pmn_row_slot_writer list;
    if (entry->n_extra_field_ids < 0) {
        pmn_row_slot_set_null(w, 3);
        return PAIMON_OK;
    }
    size_t begun = pmn_row_slot_begin_nested(w);
    PMN_TRY(pmn_row_slot_begin_array(&list, w->out, entry->n_extra_field_ids, 4, err));
    for (int32_t i = 0; i < entry->n_extra_field_ids; i++) PMN_TRY(set_int(&list, i, entry->extra_field_ids[i], err));
    return pmn_row_slot_end_nested(w, 3, begun, -1, err);
}

static paimon_status set_global(pmn_row_slot_writer *w, pmn_index_layout layout, const pmn_index_entry *entry, paimon_error *err)
{
    pmn_row_slot_writer global;
    if (!entry->has_global) {
        pmn_row_slot_set_null(w, 6);
        return PAIMON_OK;
    }
    size_t begun = pmn_row_slot_begin_nested(w);
    PMN_TRY(pmn_row_slot_begin_row(&global, w->out, layout >= PMN_INDEX_V5 ? 6 : 5, err));
    PMN_TRY(set_long(&global, 0, entry->row_range_start, err));
    PMN_TRY(set_long(&global, 1, entry->row_range_end, err));
    PMN_TRY(set_int(&global, 2, entry->index_field_id, err));
    PMN_TRY(set_field_ids(&global, entry, err));
    PMN_TRY(set_optional(&global, 4, entry->index_meta, err));
    if (layout >= PMN_INDEX_V5) PMN_TRY(set_optional(&global, 5, entry->source_meta, err));
    return pmn_row_slot_end_nested(w, 6, begun, -1, err);
}

/* What an older layout would lose. A cardinality is help for readers only: without it they count. */
static paimon_status layout_holds(pmn_index_layout layout, const pmn_index_entry *entry, paimon_error *err)
{
    const char *what = NULL;
    if (layout < PMN_INDEX_V1 && entry->n_ranges >= 0) what = "_DELETIONS_VECTORS_RANGES";
    if (layout < PMN_INDEX_V3 && entry->external_path) what = "_EXTERNAL_PATH";
    if (layout < PMN_INDEX_V5 && entry->has_global && entry->source_meta.data) what = "_SOURCE_META";
    if (layout < PMN_INDEX_V4 && entry->has_global) what = "_GLOBAL_INDEX";
    if (!what) return PAIMON_OK;
    return pmn_fail(err, PAIMON_UNSUPPORTED, "index file %s has %s, for which this version of the bytes has no place", entry->file_name, what);
}

paimon_status pmn_index_row_write(pmn_buf *out, pmn_index_layout layout, const pmn_index_entry *entry, paimon_error *err)
{
    pmn_row_slot_writer w;
    PMN_TRY(layout_holds(layout, entry, err));
    PMN_TRY(pmn_row_slot_begin_row(&w, out, layout_fields(layout), err));
    PMN_TRY(set_name(&w, 0, entry->index_type, err));
    PMN_TRY(set_name(&w, 1, entry->file_name, err));
    PMN_TRY(set_long(&w, 2, entry->file_size, err));
    PMN_TRY(set_long(&w, 3, entry->row_count, err));
    if (layout >= PMN_INDEX_V1) PMN_TRY(set_ranges(&w, layout, entry, err));
    if (layout >= PMN_INDEX_V3) PMN_TRY(set_name(&w, 5, entry->external_path, err));
    return layout >= PMN_INDEX_V4 ? set_global(&w, layout, entry, err) : PAIMON_OK;
}
