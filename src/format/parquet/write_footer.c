/* FileMetaData, ColumnIndex, OffsetIndex and bloom filters of parquet.thrift. What is known when a row group is written becomes bytes at once; only where
 * the indexes lie is put in at the end. */
#include "format/parquet/write_footer.h"

#include <string.h>

#include "format/parquet/thrift_write.h"
#include "paimon-c/version.h"

#define CREATED_BY "libpaimon-c version " PAIMON_VERSION_STRING
#define META_LAST_ID 13 /* of what put_column_meta writes */
#define MOST_STATISTICS_BYTES 4096 /* as Java: larger bounds are left out */

enum { ORDER_UNORDERED = 0, ORDER_ASCENDING = 1, ORDER_DESCENDING = 2 };

void pmn_pqw_footer_init(pmn_pqw_footer *f, pmn_mem *mem, const pmn_pqw_plan *plan)
{
    memset(f, 0, sizeof *f);
    f->plan = plan;
    pmn_buf *const bufs[] = { &f->metas, &f->column_indexes, &f->offset_indexes, &f->blooms, &f->chunks, &f->groups };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) pmn_buf_init(bufs[i], mem, PMN_BUF_NO_CEILING);
}

void pmn_pqw_footer_free(pmn_pqw_footer *f)
{
    pmn_buf *const bufs[] = { &f->metas, &f->column_indexes, &f->offset_indexes, &f->blooms, &f->chunks, &f->groups };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) pmn_buf_free(bufs[i]);
}

int64_t pmn_pqw_footer_memory(const pmn_pqw_footer *f)
{
    return (int64_t)(f->metas.capacity + f->column_indexes.capacity + f->offset_indexes.capacity + f->chunks.capacity + f->groups.capacity);
}

/* ---- a chunk ---- */

static paimon_status store_bound(pmn_thrift_out *t, const pmn_pqw_column *c, bool max, pmn_slice bound)
{
    pmn_buf cut;
    size_t limit = c->leaf->physical == PMN_PQ_BYTE_ARRAY ? (size_t)c->options->statistics_cut : SIZE_MAX;
    pmn_buf_init(&cut, c->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_pqw_cut_bound(&cut, bound, c->leaf->is_text, max, limit, t->err);
    if (status == PAIMON_OK) pmn_thrift_put_binary(t, max ? 5 : 6, pmn_slice_of(cut.data, cut.size));
    pmn_buf_free(&cut);
    return status;
}

static paimon_status store_statistics(pmn_thrift_out *t, const pmn_pqw_column *c)
{
    uint8_t low_space[16], high_space[16];
    pmn_slice low = pmn_pqw_range_bound(&c->range, c->leaf, false, low_space), high = pmn_pqw_range_bound(&c->range, c->leaf, true, high_space);
    pmn_thrift_put_struct(t, 12);
    pmn_thrift_put_i64(t, 3, c->chunk_nulls);
    bool small = low.size < MOST_STATISTICS_BYTES && high.size < MOST_STATISTICS_BYTES && low.size + high.size < MOST_STATISTICS_BYTES;
    if (pmn_pqw_range_known(&c->range, c->leaf) && (small || c->options->statistics_cut < MOST_STATISTICS_BYTES / 2)) {
        PMN_TRY(store_bound(t, c, true, high));
        PMN_TRY(store_bound(t, c, false, low));
    }
    pmn_thrift_put_end(t);
    return PAIMON_OK;
}

static void store_encodings(pmn_thrift_out *t, const pmn_pqw_column *c)
{
    pmn_parquet_encoding encodings[4];
    size_t n = 0;
    if (c->n_dictionary_pages) encodings[n++] = c->options->v2 ? PMN_PQ_RLE_DICTIONARY : PMN_PQ_PLAIN_DICTIONARY;
    if (c->n_plain_pages || (c->n_dictionary_pages && c->options->v2)) encodings[n++] = PMN_PQ_PLAIN;
    encodings[n++] = PMN_PQ_RLE;
    pmn_thrift_put_list(t, 2, PMN_THRIFT_I32, n);
    for (size_t i = 0; i < n; i++) pmn_thrift_item_i32(t, encodings[i]);
}

static void put_page_count(pmn_thrift_out *t, int32_t type, pmn_parquet_encoding encoding, int32_t count)
{
    pmn_thrift_item_struct(t);
    pmn_thrift_put_i32(t, 1, type);
    pmn_thrift_put_i32(t, 2, encoding);
    pmn_thrift_put_i32(t, 3, count);
    pmn_thrift_put_end(t);
}

static void put_page_counts(pmn_thrift_out *t, const pmn_pqw_column *c)
{
    bool v2 = c->options->v2;
    int32_t data = v2 ? 3 : 0;
    pmn_thrift_put_list(t, 13, PMN_THRIFT_STRUCT, (size_t)(c->used_dictionary + (c->n_dictionary_pages > 0) + (c->n_plain_pages > 0)));
    if (c->used_dictionary) put_page_count(t, 2, v2 ? PMN_PQ_PLAIN : PMN_PQ_PLAIN_DICTIONARY, 1);
    if (c->n_dictionary_pages > 0) put_page_count(t, data, v2 ? PMN_PQ_RLE_DICTIONARY : PMN_PQ_PLAIN_DICTIONARY, c->n_dictionary_pages);
    if (c->n_plain_pages > 0) put_page_count(t, data, PMN_PQ_PLAIN, c->n_plain_pages);
}

static paimon_status put_column_meta(pmn_buf *out, const pmn_pqw_column *c, int64_t at, paimon_error *err)
{
    pmn_thrift_out t = pmn_thrift_out_of(out, err);
    pmn_thrift_put_i32(&t, 1, c->leaf->physical);
    store_encodings(&t, c);
    pmn_thrift_put_list(&t, 3, PMN_THRIFT_BINARY, (size_t)c->leaf->n_parts);
    for (int32_t i = 0; i < c->leaf->n_parts; i++) pmn_thrift_item_binary(&t, c->leaf->parts[i]);
    pmn_thrift_put_i32(&t, 4, c->own.codec);
    pmn_thrift_put_i64(&t, 5, c->chunk_entries);
    pmn_thrift_put_i64(&t, 6, c->plain_data_bytes);
    pmn_thrift_put_i64(&t, 7, c->dictionary_page.size + c->data.size);
    pmn_thrift_put_i64(&t, 9, at + c->dictionary_page.size);
    if (c->used_dictionary) pmn_thrift_put_i64(&t, 11, at);
    PMN_TRY(store_statistics(&t, c));
    put_page_counts(&t, c);
    return t.status;
}

/* ---- its indexes ---- */

static int compare_numbers(int64_t a, int64_t b) { return (a > b) - (a < b); }

static double float_at(pmn_slice s)
{
    uint32_t narrow = pmn_load_le32(s.data);
    float f;
    double d;
    if (s.size == 4) {
        memcpy(&f, &narrow, 4);
        return (double)f;
    }
    uint64_t bits = pmn_load_le64(s.data);
    memcpy(&d, &bits, 8);
    return d;
}

/* In the order of the column. */
static int compare_bounds(const pmn_pqw_leaf *leaf, pmn_slice a, pmn_slice b)
{
    switch (leaf->physical) {
    case PMN_PQ_BOOLEAN: return compare_numbers(a.data[0], b.data[0]);
    case PMN_PQ_INT32: return compare_numbers((int32_t)pmn_load_le32(a.data), (int32_t)pmn_load_le32(b.data));
    case PMN_PQ_INT64: return compare_numbers((int64_t)pmn_load_le64(a.data), (int64_t)pmn_load_le64(b.data));
    case PMN_PQ_FLOAT:
    case PMN_PQ_DOUBLE: return (float_at(a) > float_at(b)) - (float_at(a) < float_at(b));
    case PMN_PQ_FIXED:
        if ((a.data[0] ^ b.data[0]) & 0x80) return a.data[0] & 0x80 ? -1 : 1; /* signs differ */
        return memcmp(a.data, b.data, a.size);
    default: return pmn_slice_compare(a, b);
    }
}

static pmn_slice min_of(const pmn_pqw_column *c, const pmn_pqw_page *page) { return pmn_slice_of(c->bounds.data + page->min_start, page->min_size); }
static pmn_slice max_of(const pmn_pqw_column *c, const pmn_pqw_page *page) { return pmn_slice_of(c->bounds.data + page->max_start, page->max_size); }

static int32_t boundary_order(const pmn_pqw_column *c, const pmn_pqw_page *pages, size_t n)
{
    const pmn_pqw_page *last = NULL;
    bool rises = true, falls = true;
    for (size_t i = 0; i < n; i++) {
        if (pages[i].all_null) continue;
        if (last) {
            int min = compare_bounds(c->leaf, min_of(c, last), min_of(c, &pages[i])), max = compare_bounds(c->leaf, max_of(c, last), max_of(c, &pages[i]));
            rises &= min <= 0 && max <= 0;
            falls &= min >= 0 && max >= 0;
        }
        last = &pages[i];
    }
    return rises ? ORDER_ASCENDING : falls ? ORDER_DESCENDING : ORDER_UNORDERED;
}

static paimon_status put_column_index(pmn_buf *out, const pmn_pqw_column *c, paimon_error *err)
{
    const pmn_pqw_page *pages = (const pmn_pqw_page *)(const void *)c->pages.data;
    size_t n = c->pages.size / sizeof *pages;
    pmn_slice none = { (const uint8_t *)"", 0 };
    pmn_thrift_out t = pmn_thrift_out_of(out, err);
    pmn_thrift_put_list(&t, 1, PMN_THRIFT_TRUE, n);
    for (size_t i = 0; i < n; i++) pmn_thrift_item_flag(&t, pages[i].all_null);
    pmn_thrift_put_list(&t, 2, PMN_THRIFT_BINARY, n);
    for (size_t i = 0; i < n; i++) pmn_thrift_item_binary(&t, pages[i].all_null ? none : min_of(c, &pages[i]));
    pmn_thrift_put_list(&t, 3, PMN_THRIFT_BINARY, n);
    for (size_t i = 0; i < n; i++) pmn_thrift_item_binary(&t, pages[i].all_null ? none : max_of(c, &pages[i]));
    pmn_thrift_put_i32(&t, 4, boundary_order(c, pages, n));
    pmn_thrift_put_list(&t, 5, PMN_THRIFT_I64, n);
    for (size_t i = 0; i < n; i++) pmn_thrift_item_i64(&t, pages[i].null_count);
    pmn_thrift_put_end(&t);
    return t.status;
}

static paimon_status put_offset_index(pmn_buf *out, const pmn_pqw_column *c, int64_t at, paimon_error *err)
{
    const pmn_pqw_page *pages = (const pmn_pqw_page *)(const void *)c->pages.data;
    size_t n = c->pages.size / sizeof *pages;
    pmn_thrift_out t = pmn_thrift_out_of(out, err);
    pmn_thrift_put_list(&t, 1, PMN_THRIFT_STRUCT, n);
    for (size_t i = 0; i < n; i++) {
        pmn_thrift_item_struct(&t);
        pmn_thrift_put_i64(&t, 1, at + c->dictionary_page.size + pages[i].offset);
        pmn_thrift_put_i32(&t, 2, pages[i].size);
        pmn_thrift_put_i64(&t, 3, pages[i].first_row);
        pmn_thrift_put_end(&t);
    }
    pmn_thrift_put_end(&t);
    return t.status;
}

/* INT96 has no order, and a column with NaN no bounds. */
static bool has_column_index(const pmn_pqw_column *c)
{
    return c->leaf->physical != PMN_PQ_INT96 && !c->range.nan && c->pages.size > 0;
}

paimon_status pmn_pqw_footer_add_chunk(pmn_pqw_footer *f, const pmn_pqw_column *c, int64_t at, paimon_error *err)
{
    pmn_pqw_chunk_note note = { .meta_start = f->metas.size, .column_index_start = f->column_indexes.size, .offset_index_start = f->offset_indexes.size,
                                .first_byte = at };
    PMN_TRY(put_column_meta(&f->metas, c, at, err));
    if (has_column_index(c)) PMN_TRY(put_column_index(&f->column_indexes, c, err));
    PMN_TRY(put_offset_index(&f->offset_indexes, c, at, err));
    note.bloom_start = f->blooms.size;
    PMN_TRY(pmn_pqw_bloom_put(&c->bloom, &f->blooms, err));
    note.bloom_size = f->blooms.size - note.bloom_start;
    note.meta_size = f->metas.size - note.meta_start;
    note.column_index_size = f->column_indexes.size - note.column_index_start;
    note.offset_index_size = f->offset_indexes.size - note.offset_index_start;
    return pmn_buf_append(&f->chunks, &note, sizeof note, err);
}

paimon_status pmn_pqw_footer_add_group(pmn_pqw_footer *f, const pmn_pqw_group_note *group, paimon_error *err)
{
    return pmn_buf_append(&f->groups, group, sizeof *group, err);
}

/* ---- the schema ---- */

static int32_t converted_type(const pmn_parquet_logical *l)
{
    switch (l->kind) {
    case PMN_PQ_LOGICAL_STRING: return 0;
    case PMN_PQ_LOGICAL_MAP: return 1;
    case PMN_PQ_LOGICAL_LIST: return 3;
    case PMN_PQ_LOGICAL_DECIMAL: return 5;
    case PMN_PQ_LOGICAL_DATE: return 6;
    case PMN_PQ_LOGICAL_TIME: return l->unit == PMN_PQ_MILLIS ? 7 : 8;
    case PMN_PQ_LOGICAL_TIMESTAMP: return l->unit == PMN_PQ_MILLIS ? 9 : 10;
    case PMN_PQ_LOGICAL_INTEGER: return l->bits == 8 ? 15 : 16;
    default: return -1;
    }
}

static void put_logical_type(pmn_thrift_out *t, const pmn_parquet_logical *l)
{
    pmn_thrift_put_struct(t, 10);
    pmn_thrift_put_struct(t, (int32_t)l->kind); /* its number is the union's field */
    if (l->kind == PMN_PQ_LOGICAL_DECIMAL) {
        pmn_thrift_put_i32(t, 1, l->scale);
        pmn_thrift_put_i32(t, 2, l->precision);
    } else if (l->kind == PMN_PQ_LOGICAL_TIME || l->kind == PMN_PQ_LOGICAL_TIMESTAMP) {
        pmn_thrift_put_bool(t, 1, l->utc);
        pmn_thrift_put_struct(t, 2);
        pmn_thrift_put_struct(t, (int32_t)l->unit);
        pmn_thrift_put_end(t);
        pmn_thrift_put_end(t);
    } else if (l->kind == PMN_PQ_LOGICAL_INTEGER) {
        pmn_thrift_put_byte(t, 1, (int8_t)l->bits);
        pmn_thrift_put_bool(t, 2, l->is_signed);
    }
    pmn_thrift_put_end(t);
    pmn_thrift_put_end(t);
}

static void put_element(pmn_thrift_out *t, const pmn_parquet_element *e, bool is_root)
{
    int32_t converted = converted_type(&e->logical);
    pmn_thrift_item_struct(t);
    if (e->physical != PMN_PQ_GROUP) pmn_thrift_put_i32(t, 1, e->physical);
    if (e->type_length) pmn_thrift_put_i32(t, 2, e->type_length);
    if (!is_root) pmn_thrift_put_i32(t, 3, e->repetition);
    pmn_thrift_put_binary(t, 4, pmn_slice_text(e->name));
    if (e->physical == PMN_PQ_GROUP) pmn_thrift_put_i32(t, 5, e->n_children);
    if (converted >= 0) pmn_thrift_put_i32(t, 6, converted);
    if (e->logical.kind == PMN_PQ_LOGICAL_DECIMAL) {
        pmn_thrift_put_i32(t, 7, e->logical.scale);
        pmn_thrift_put_i32(t, 8, e->logical.precision);
    }
    if (e->field_id != -1) pmn_thrift_put_i32(t, 9, e->field_id);
    if (e->logical.kind != PMN_PQ_LOGICAL_NONE) put_logical_type(t, &e->logical);
    pmn_thrift_put_end(t);
}

/* ---- the footer ---- */

static void store_chunk(pmn_thrift_out *t, const pmn_pqw_footer *f, const pmn_pqw_chunk_note *note)
{
    pmn_thrift_item_struct(t);
    pmn_thrift_put_i64(t, 2, note->first_byte);
    pmn_thrift_put_begun(t, 3, pmn_slice_of(f->metas.data + note->meta_start, note->meta_size), META_LAST_ID);
    if (note->bloom_size) {
        pmn_thrift_put_i64(t, 14, note->bloom_at);
        pmn_thrift_put_i32(t, 15, (int32_t)note->bloom_size);
    }
    pmn_thrift_put_end(t);
    pmn_thrift_put_i64(t, 4, note->offset_index_at);
    pmn_thrift_put_i32(t, 5, (int32_t)note->offset_index_size);
    if (note->column_index_size) {
        pmn_thrift_put_i64(t, 6, note->column_index_at);
        pmn_thrift_put_i32(t, 7, (int32_t)note->column_index_size);
    }
    pmn_thrift_put_end(t);
}

static void store_groups(pmn_thrift_out *t, const pmn_pqw_footer *f)
{
    const pmn_pqw_group_note *groups = (const pmn_pqw_group_note *)(const void *)f->groups.data;
    const pmn_pqw_chunk_note *chunks = (const pmn_pqw_chunk_note *)(const void *)f->chunks.data;
    size_t n = f->groups.size / sizeof *groups, n_leaves = (size_t)f->plan->n_leaves;
    pmn_thrift_put_list(t, 4, PMN_THRIFT_STRUCT, n);
    for (size_t g = 0; g < n; g++) {
        pmn_thrift_item_struct(t);
        pmn_thrift_put_list(t, 1, PMN_THRIFT_STRUCT, n_leaves);
        for (size_t i = 0; i < n_leaves; i++) store_chunk(t, f, chunks++);
        pmn_thrift_put_i64(t, 2, groups[g].plain_bytes);
        pmn_thrift_put_i64(t, 3, groups[g].rows);
        pmn_thrift_put_i64(t, 5, groups[g].first_byte);
        pmn_thrift_put_i64(t, 6, groups[g].packed_bytes);
        pmn_thrift_put_end(t);
    }
}

static paimon_status put_file_meta(pmn_buf *out, const pmn_pqw_footer *f, int64_t rows, paimon_error *err)
{
    const pmn_pqw_plan *plan = f->plan;
    pmn_thrift_out t = pmn_thrift_out_of(out, err);
    pmn_thrift_put_i32(&t, 1, 1);
    pmn_thrift_put_list(&t, 2, PMN_THRIFT_STRUCT, (size_t)plan->n_elements);
    for (int32_t i = 0; i < plan->n_elements; i++) put_element(&t, &plan->elements[i], i == 0);
    pmn_thrift_put_i64(&t, 3, rows);
    store_groups(&t, f);
    pmn_thrift_put_binary(&t, 6, pmn_slice_text(CREATED_BY));
    pmn_thrift_put_list(&t, 7, PMN_THRIFT_STRUCT, (size_t)plan->n_leaves);
    for (int32_t i = 0; i < plan->n_leaves; i++) {
        pmn_thrift_item_struct(&t);
        pmn_thrift_put_struct(&t, 1); /* the order that the type defines */
        pmn_thrift_put_end(&t);
        pmn_thrift_put_end(&t);
    }
    pmn_thrift_put_end(&t);
    return t.status;
}

/* Columns first, then offsets, then filters, as Java puts them. */
static paimon_status write_indexes(pmn_pqw_footer *f, pmn_output *output, paimon_error *err)
{
    pmn_pqw_chunk_note *chunks = (pmn_pqw_chunk_note *)(void *)f->chunks.data;
    size_t n = f->chunks.size / sizeof *chunks;
    int64_t at = pmn_output_position(output), offsets_at = at + (int64_t)f->column_indexes.size,
            blooms_at = offsets_at + (int64_t)f->offset_indexes.size;
    for (size_t i = 0; i < n; i++) {
        if (chunks[i].column_index_size > INT32_MAX || chunks[i].offset_index_size > INT32_MAX) return pmn_fail(err, PAIMON_UNSUPPORTED, "a page index of more than 2 GiB");
        chunks[i].column_index_at = at + (int64_t)chunks[i].column_index_start;
        chunks[i].offset_index_at = offsets_at + (int64_t)chunks[i].offset_index_start;
        chunks[i].bloom_at = blooms_at + (int64_t)chunks[i].bloom_start;
    }
    if (f->column_indexes.size) PMN_TRY(pmn_output_write(output, f->column_indexes.data, f->column_indexes.size, err));
    if (f->offset_indexes.size) PMN_TRY(pmn_output_write(output, f->offset_indexes.data, f->offset_indexes.size, err));
    if (f->blooms.size) PMN_TRY(pmn_output_write(output, f->blooms.data, f->blooms.size, err));
    return PAIMON_OK;
}

paimon_status pmn_pqw_footer_write(pmn_pqw_footer *f, pmn_output *output, int64_t rows, paimon_error *err)
{
    uint8_t tail[8];
    pmn_buf footer;
    pmn_buf_init(&footer, f->metas.mem, UINT32_MAX);
    PMN_TRY(write_indexes(f, output, err));
    paimon_status status;
    PMN_GOTO(status, put_file_meta(&footer, f, rows, err), done);
    PMN_GOTO(status, pmn_output_write(output, footer.data, footer.size, err), done);
    pmn_store_le32(tail, (uint32_t)footer.size);
    memcpy(tail + 4, "PAR1", 4);
    status = pmn_output_write(output, tail, sizeof tail, err);
done:
    pmn_buf_free(&footer);
    return status;
}
