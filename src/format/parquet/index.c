/* Column and offset indexes, from Thrift: see index.h. */
#include "format/parquet/index.h"

#include <string.h>

static paimon_status index_nomem(pmn_thrift *t) { return pmn_fail_nomem(t->err, "a Parquet page index"); }

/* A page location takes 7 bytes at least: three fields of two, and a stop. */
#define LEAST_PLACE 7

static paimon_status parse_place(pmn_thrift *t, pmn_parquet_page_place *out)
{
    pmn_thrift_struct s;
    pmn_thrift_field f;
    unsigned seen = 0;
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) break;
        if (f.id >= 1 && f.id <= 3) seen |= 1u << f.id;
        switch (f.id) {
        case 1: PMN_TRY(pmn_thrift_i64(t, &f, &out->offset)); break;
        case 2: PMN_TRY(pmn_thrift_i32(t, &f, &out->bytes)); break;
        case 3: PMN_TRY(pmn_thrift_i64(t, &f, &out->first_row)); break;
        default: PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
    if (seen != 0xe) return pmn_thrift_corrupt(t, "a page location lacks a field");
    if (out->offset < 0 || out->bytes < 0 || out->first_row < 0) return pmn_thrift_corrupt(t, "a page location has a number below 0");
    return PAIMON_OK;
}

static paimon_status parse_places(pmn_thrift *t, pmn_arena *arena, const pmn_thrift_field *field, pmn_parquet_offset_index *out)
{
    pmn_thrift_list list;
    PMN_TRY(pmn_thrift_list_begin(t, field, &list));
    if ((size_t)list.size > pmn_cursor_left(&t->cursor) / LEAST_PLACE)
        return pmn_thrift_corrupt(t, "%d pages, but %zu bytes are left", list.size, pmn_cursor_left(&t->cursor));
    pmn_parquet_page_place *pages = pmn_arena_calloc(arena, list.size ? (size_t)list.size : 1, sizeof *pages);
    if (!pages) return index_nomem(t);
    pmn_thrift_field item = pmn_thrift_item(&list);
    for (int32_t i = 0; i < list.size; i++) {
        PMN_TRY(pmn_thrift_expect(t, &item, PMN_THRIFT_STRUCT));
        PMN_TRY(parse_place(t, &pages[i]));
    }
    out->pages = pages;
    out->n_pages = list.size;
    return PAIMON_OK;
}

paimon_status pmn_parquet_offset_index_parse(pmn_arena *arena, pmn_slice bytes, int64_t base, pmn_parquet_offset_index *out, paimon_error *err)
{
    pmn_thrift t = pmn_thrift_of(bytes, base, "offset index", err);
    pmn_thrift_struct s;
    pmn_thrift_field f;
    memset(out, 0, sizeof *out);
    PMN_TRY(pmn_thrift_begin(&t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(&t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) break;
        if (f.id == 1) PMN_TRY(parse_places(&t, arena, &f, out));
        else PMN_TRY(pmn_thrift_skip(&t, &f));
    }
    return out->n_pages ? PAIMON_OK : pmn_thrift_corrupt(&t, "no pages");
}

typedef struct column_index_parser {
    pmn_thrift t;
    pmn_arena *arena;
    int32_t n_min, n_max, n_nulls;
} column_index_parser;

static paimon_status parse_null_pages(column_index_parser *p, const pmn_thrift_field *field, pmn_parquet_column_index *out)
{
    pmn_thrift_list list;
    PMN_TRY(pmn_thrift_list_begin(&p->t, field, &list));
    bool *items = pmn_arena_calloc(p->arena, list.size ? (size_t)list.size : 1, sizeof *items);
    if (!items) return index_nomem(&p->t);
    for (int32_t i = 0; i < list.size; i++) PMN_TRY(pmn_thrift_item_bool(&p->t, &list, &items[i]));
    out->null_pages = items;
    out->n_pages = list.size;
    return PAIMON_OK;
}

static paimon_status parse_bounds(column_index_parser *p, const pmn_thrift_field *field, const pmn_slice **out, int32_t *n)
{
    pmn_thrift_list list;
    PMN_TRY(pmn_thrift_list_begin(&p->t, field, &list));
    pmn_slice *items = pmn_arena_calloc(p->arena, list.size ? (size_t)list.size : 1, sizeof *items);
    if (!items) return index_nomem(&p->t);
    pmn_thrift_field item = pmn_thrift_item(&list);
    for (int32_t i = 0; i < list.size; i++) {
        pmn_slice raw;
        PMN_TRY(pmn_thrift_binary(&p->t, &item, &raw));
        uint8_t *copy = pmn_arena_copy(p->arena, raw.data, raw.size);
        if (!copy) return index_nomem(&p->t);
        items[i] = pmn_slice_of(copy, raw.size);
    }
    *out = items;
    *n = list.size;
    return PAIMON_OK;
}

static paimon_status parse_null_counts(column_index_parser *p, const pmn_thrift_field *field, pmn_parquet_column_index *out)
{
    pmn_thrift_list list;
    PMN_TRY(pmn_thrift_list_begin(&p->t, field, &list));
    int64_t *items = pmn_arena_calloc(p->arena, list.size ? (size_t)list.size : 1, sizeof *items);
    if (!items) return index_nomem(&p->t);
    pmn_thrift_field item = pmn_thrift_item(&list);
    for (int32_t i = 0; i < list.size; i++) PMN_TRY(pmn_thrift_i64(&p->t, &item, &items[i]));
    out->null_counts = items;
    p->n_nulls = list.size;
    return PAIMON_OK;
}

paimon_status pmn_parquet_column_index_parse(pmn_arena *arena, pmn_slice bytes, int64_t base, pmn_parquet_column_index *out, paimon_error *err)
{
    column_index_parser p = { pmn_thrift_of(bytes, base, "column index", err), arena, 0, 0, 0 };
    pmn_thrift_struct s;
    pmn_thrift_field f;
    memset(out, 0, sizeof *out);
    PMN_TRY(pmn_thrift_begin(&p.t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(&p.t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) break;
        switch (f.id) {
        case 1: PMN_TRY(parse_null_pages(&p, &f, out)); break;
        case 2: PMN_TRY(parse_bounds(&p, &f, &out->min, &p.n_min)); break;
        case 3: PMN_TRY(parse_bounds(&p, &f, &out->max, &p.n_max)); break;
        case 4: PMN_TRY(pmn_thrift_i32(&p.t, &f, &out->boundary_order)); break;
        case 5: PMN_TRY(parse_null_counts(&p, &f, out)); break;
        default: PMN_TRY(pmn_thrift_skip(&p.t, &f));
        }
    }
    if (out->n_pages == 0 || p.n_min != out->n_pages || p.n_max != out->n_pages || (out->null_counts && p.n_nulls != out->n_pages))
        return pmn_thrift_corrupt(&p.t, "lists of %d, %d, %d and %d entries, expected one a page in each", out->n_pages, p.n_min, p.n_max, p.n_nulls);
    return PAIMON_OK;
}

/* The bytes of an index; data NULL if the file cannot hold it there. */
static paimon_status read_index(pmn_parquet_file *file, int64_t offset, int32_t length, pmn_arena *arena, pmn_slice *out, paimon_error *err)
{
    *out = pmn_slice_of(NULL, 0);
    if (offset < 4 || length < 1 || offset > file->size - length) return PAIMON_OK;
    const uint8_t *kept = pmn_parquet_file_peek(file, offset, length);
    if (!kept) {
        uint8_t *bytes = pmn_arena_alloc(arena, (size_t)length);
        if (!bytes) return pmn_fail_nomem(err, "a Parquet page index");
        PMN_TRY(pmn_parquet_file_read(file, offset, length, bytes, err));
        kept = bytes;
    }
    *out = pmn_slice_of(kept, (size_t)length);
    return PAIMON_OK;
}

/* Pages in order, inside the chunk, from row 0 on. */
static bool places_fit(const pmn_parquet_group *group, const pmn_parquet_chunk *chunk, const pmn_parquet_offset_index *index)
{
    int64_t end = chunk->first_offset, row = -1;
    if (index->pages[0].first_row != 0) return false;
    for (int32_t i = 0; i < index->n_pages; i++) {
        const pmn_parquet_page_place *page = &index->pages[i];
        if (page->offset < end || page->first_row <= row || page->first_row >= group->n_rows) return false;
        if (page->bytes > chunk->first_offset + chunk->compressed_bytes - page->offset) return false;
        end = page->offset + page->bytes;
        row = page->first_row;
    }
    return true;
}

paimon_status pmn_parquet_offset_index_load(pmn_parquet_file *file, int32_t group, int32_t leaf, pmn_arena *arena,
                                            pmn_parquet_offset_index *out, bool *found, paimon_error *err)
{
    const pmn_parquet_chunk *chunk = &file->meta.groups[group].chunks[leaf];
    pmn_slice bytes;
    *found = false;
    if (chunk->encrypted || chunk->other_file) return PAIMON_OK;
    PMN_TRY(read_index(file, chunk->offset_index_offset, chunk->offset_index_length, arena, &bytes, err));
    if (!bytes.data) return PAIMON_OK;
    paimon_status status = pmn_parquet_offset_index_parse(arena, bytes, chunk->offset_index_offset, out, NULL);
    if (status == PAIMON_NOMEM) return pmn_fail_nomem(err, "a Parquet page index");
    *found = status == PAIMON_OK && places_fit(&file->meta.groups[group], chunk, out);
    return PAIMON_OK;
}

paimon_status pmn_parquet_column_index_load(pmn_parquet_file *file, int32_t group, int32_t leaf, pmn_arena *arena,
                                            pmn_parquet_column_index *out, bool *found, paimon_error *err)
{
    const pmn_parquet_chunk *chunk = &file->meta.groups[group].chunks[leaf];
    pmn_slice bytes;
    *found = false;
    if (chunk->encrypted || chunk->other_file) return PAIMON_OK;
    PMN_TRY(read_index(file, chunk->column_index_offset, chunk->column_index_length, arena, &bytes, err));
    if (!bytes.data) return PAIMON_OK;
    paimon_status status = pmn_parquet_column_index_parse(arena, bytes, chunk->column_index_offset, out, NULL);
    if (status == PAIMON_NOMEM) return pmn_fail_nomem(err, "a Parquet page index");
    *found = status == PAIMON_OK;
    return PAIMON_OK;
}
