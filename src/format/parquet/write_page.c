/* A page that is full becomes bytes.
 *
 *   version 1   header | compressed ( repetition levels, definition levels, each with its length in front | values )
 *   version 2   header | repetition levels | definition levels | compressed ( values )
 *
 * The checksum is of everything behind the header, as stored. */
#include <string.h>

#include "format/parquet/hybrid_write.h"
#include "format/parquet/thrift_write.h"
#include "format/parquet/write_column.h"

enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2, DATA_PAGE_V2 = 3 };

/* ---- compression ---- */

static paimon_status compressor_of(pmn_pqw_column *c, pmn_pqw_bench *bench, pmn_compressor **out, paimon_error *err)
{
    pmn_compressor **slot = &bench->compressors[c->own.compression];
    if (!*slot) PMN_TRY(pmn_compressor_new(c->mem, c->own.compression, c->own.codec == PMN_PQ_ZSTD ? c->options->zstd_level : 0, slot, err));
    *out = *slot;
    return PAIMON_OK;
}

/* Append bench->plain from `from` on to bench->packed, compressed. */
static paimon_status compress_body(pmn_pqw_column *c, pmn_pqw_bench *bench, size_t from, paimon_error *err)
{
    pmn_compressor *compressor;
    pmn_slice body = pmn_slice_of(bench->plain.data ? bench->plain.data + from : NULL, bench->plain.size - from);
    PMN_TRY(compressor_of(c, bench, &compressor, err));
    return pmn_compress_append(compressor, body, &bench->packed, err);
}

/* ---- levels ---- */

static paimon_status put_levels(pmn_buf *out, const pmn_buf *levels, int64_t n, uint8_t max, bool all_max, bool with_length, paimon_error *err)
{
    size_t start = out->size;
    if (max == 0) return PAIMON_OK;
    if (with_length) PMN_TRY(pmn_buf_append(out, "\0\0\0\0", 4, err));
    if (all_max) PMN_TRY(pmn_hybrid_put_run(out, max, n, pmn_parquet_width(max), err));
    else PMN_TRY(pmn_hybrid_put8(out, levels->data, n, pmn_parquet_width(max), err));
    if (with_length) pmn_store_le32(out->data + start, (uint32_t)(out->size - start - 4));
    return PAIMON_OK;
}

/* ---- values ---- */

/* What the page adds to the dictionary and its ids must be less than the values themselves. */
static bool dictionary_pays(const pmn_pqw_column *c)
{
    size_t grown = c->dictionary.values.size - c->dictionary_before;
    int64_t bits = c->n_values * (int64_t)pmn_parquet_width(c->dictionary.count ? c->dictionary.count - 1 : 0);
    return (int64_t)grown + bits / 8 < c->plain_bytes;
}

static paimon_status put_ids(pmn_buf *out, const pmn_pqw_column *c, paimon_error *err)
{
    unsigned width = pmn_parquet_width(c->dictionary.count - 1);
    PMN_TRY(pmn_buf_append_byte(out, (uint8_t)width, err));
    return pmn_hybrid_put32(out, (const uint32_t *)(const void *)c->ids.data, c->n_values, width, err);
}

static paimon_status put_plain_values(pmn_buf *out, const pmn_pqw_column *c, paimon_error *err)
{
    if (c->leaf->physical != PMN_PQ_BOOLEAN) return pmn_buf_append(out, c->plain.data, c->plain.size, err);
    size_t n = ((size_t)c->n_values + 7) / 8;
    if (n == 0) return PAIMON_OK;
    PMN_TRY(pmn_buf_reserve(out, n, err));
    pmn_pack_booleans(c->plain.data, c->n_values, pmn_buf_end(out));
    out->size += n;
    return PAIMON_OK;
}

/* ---- the header ---- */

typedef struct page_sizes {
    int64_t plain, packed; /* levels of version 2 in both */
    size_t def, rep;       /* of version 2 */
} page_sizes;

static void put_v1_header(pmn_thrift_out *t, const pmn_pqw_column *c, pmn_parquet_encoding encoding)
{
    pmn_thrift_put_struct(t, 5);
    pmn_thrift_put_i32(t, 1, (int32_t)c->n_entries);
    pmn_thrift_put_i32(t, 2, encoding);
    pmn_thrift_put_i32(t, 3, PMN_PQ_RLE);
    pmn_thrift_put_i32(t, 4, PMN_PQ_RLE);
    pmn_thrift_put_end(t);
}

static void put_v2_header(pmn_thrift_out *t, const pmn_pqw_column *c, pmn_parquet_encoding encoding, const page_sizes *sizes)
{
    pmn_thrift_put_struct(t, 8);
    pmn_thrift_put_i32(t, 1, (int32_t)c->n_entries);
    pmn_thrift_put_i32(t, 2, (int32_t)(c->n_entries - c->n_values));
    pmn_thrift_put_i32(t, 3, (int32_t)c->n_rows);
    pmn_thrift_put_i32(t, 4, encoding);
    pmn_thrift_put_i32(t, 5, (int32_t)sizes->def);
    pmn_thrift_put_i32(t, 6, (int32_t)sizes->rep);
    pmn_thrift_put_bool(t, 7, c->own.codec != PMN_PQ_UNCOMPRESSED);
    pmn_thrift_put_end(t);
}

static void put_dictionary_header(pmn_thrift_out *t, const pmn_pqw_column *c)
{
    pmn_thrift_put_struct(t, 7);
    pmn_thrift_put_i32(t, 1, (int32_t)c->dictionary.count);
    pmn_thrift_put_i32(t, 2, c->options->v2 ? PMN_PQ_PLAIN : PMN_PQ_PLAIN_DICTIONARY);
    pmn_thrift_put_bool(t, 3, false);
    pmn_thrift_put_end(t);
}

/* bench->packed behind its header, to the chunk. */
static paimon_status append_page(pmn_pqw_column *c, pmn_pqw_bench *bench, int type, pmn_parquet_encoding encoding, const page_sizes *sizes, paimon_error *err)
{
    pmn_pqw_bytes *to = type == DICTIONARY_PAGE ? &c->dictionary_page : &c->data;
    if (sizes->plain > INT32_MAX || sizes->packed > INT32_MAX) return pmn_fail(err, PAIMON_UNSUPPORTED, "column %s: a page of more than 2 GiB", c->leaf->path);
    pmn_buf_clear(&bench->header);
    pmn_thrift_out t = pmn_thrift_out_of(&bench->header, err);
    pmn_thrift_put_i32(&t, 1, type);
    pmn_thrift_put_i32(&t, 2, (int32_t)sizes->plain);
    pmn_thrift_put_i32(&t, 3, (int32_t)sizes->packed);
    pmn_thrift_put_i32(&t, 4, (int32_t)pmn_crc32(0, bench->packed.data, bench->packed.size));
    if (type == DICTIONARY_PAGE) put_dictionary_header(&t, c);
    else if (type == DATA_PAGE_V2) put_v2_header(&t, c, encoding, sizes);
    else put_v1_header(&t, c, encoding);
    pmn_thrift_put_end(&t);
    PMN_TRY(t.status);
    c->plain_data_bytes += sizes->plain + (int64_t)bench->header.size;
    PMN_TRY(pmn_pqw_bytes_append(to, bench->header.data, bench->header.size, err));
    return pmn_pqw_bytes_append(to, bench->packed.data, bench->packed.size, err);
}

/* ---- a data page ---- */

static paimon_status put_values(pmn_pqw_column *c, pmn_pqw_bench *bench, bool by_ids, paimon_error *err)
{
    return by_ids ? put_ids(&bench->plain, c, err) : put_plain_values(&bench->plain, c, err);
}

static paimon_status build_body(pmn_pqw_column *c, pmn_pqw_bench *bench, bool by_ids, page_sizes *sizes, paimon_error *err)
{
    bool v2 = c->options->v2, all_defined = c->n_values == c->n_entries;
    pmn_buf_clear(&bench->plain);
    pmn_buf_clear(&bench->packed);
    PMN_TRY(put_levels(&bench->plain, &c->rep, c->n_entries, c->leaf->max_rep, false, !v2, err));
    sizes->rep = bench->plain.size;
    PMN_TRY(put_levels(&bench->plain, &c->def, c->n_entries, c->leaf->max_def, all_defined, !v2, err));
    sizes->def = bench->plain.size - sizes->rep;
    size_t levels = bench->plain.size;
    PMN_TRY(put_values(c, bench, by_ids, err));
    if (v2) PMN_TRY(pmn_buf_append(&bench->packed, bench->plain.data, levels, err));
    PMN_TRY(compress_body(c, bench, v2 ? levels : 0, err));
    sizes->plain = (int64_t)bench->plain.size;
    sizes->packed = (int64_t)bench->packed.size;
    return PAIMON_OK;
}

static paimon_status note_bound(pmn_pqw_column *c, bool max, uint32_t *start, uint32_t *size, paimon_error *err)
{
    uint8_t space[16];
    pmn_slice bound = pmn_pqw_range_bound(&c->page_range, c->leaf, max, space);
    size_t before = c->bounds.size, limit = c->leaf->physical == PMN_PQ_BYTE_ARRAY ? (size_t)c->options->index_cut : SIZE_MAX;
    PMN_TRY(pmn_pqw_cut_bound(&c->bounds, bound, c->leaf->is_text, max, limit, err));
    if (c->bounds.size > UINT32_MAX) return pmn_fail(err, PAIMON_UNSUPPORTED, "column %s: bounds of pages of more than 4 GiB", c->leaf->path);
    *start = (uint32_t)before;
    *size = (uint32_t)(c->bounds.size - before);
    return PAIMON_OK;
}

static paimon_status note_page(pmn_pqw_column *c, int64_t offset, paimon_error *err)
{
    pmn_pqw_page page = { .offset = offset, .size = (int32_t)(c->data.size - offset), .first_row = c->chunk_rows,
                          .null_count = c->n_entries - c->n_values, .all_null = c->n_values == 0 };
    if (pmn_pqw_range_known(&c->page_range, c->leaf)) {
        PMN_TRY(note_bound(c, false, &page.min_start, &page.min_size, err));
        PMN_TRY(note_bound(c, true, &page.max_start, &page.max_size, err));
    }
    PMN_TRY(pmn_pqw_range_merge(&c->range, c->leaf, &c->page_range, err));
    c->chunk_entries += c->n_entries;
    c->chunk_rows += c->n_rows;
    c->chunk_nulls += page.null_count;
    return pmn_buf_append(&c->pages, &page, sizeof page, err);
}

static void begin_page(pmn_pqw_column *c)
{
    pmn_buf_clear(&c->def);
    pmn_buf_clear(&c->rep);
    pmn_buf_clear(&c->ids);
    pmn_buf_clear(&c->plain);
    pmn_pqw_range_clear(&c->page_range);
    c->n_entries = c->n_values = c->n_rows = c->plain_bytes = 0;
    c->dictionary_before = c->dictionary.values.size;
    c->dictionary_count_before = c->dictionary.count;
}

paimon_status pmn_pqw_page_close(pmn_pqw_column *c, pmn_pqw_bench *bench, paimon_error *err)
{
    page_sizes sizes;
    int64_t offset = c->data.size;
    if (c->n_entries == 0) return PAIMON_OK;
    if (c->n_entries > INT32_MAX) return pmn_fail(err, PAIMON_UNSUPPORTED, "column %s: a row of more than 2^31 values", c->leaf->path);
    if (c->with_dictionary && c->n_values > 0 && !dictionary_pays(c)) PMN_TRY(pmn_pqw_column_give_up_dictionary(c, err));
    bool by_ids = c->with_dictionary && c->n_values > 0;
    PMN_TRY(build_body(c, bench, by_ids, &sizes, err));
    pmn_parquet_encoding encoding = !by_ids ? PMN_PQ_PLAIN : c->options->v2 ? PMN_PQ_RLE_DICTIONARY : PMN_PQ_PLAIN_DICTIONARY;
    PMN_TRY(append_page(c, bench, c->options->v2 ? DATA_PAGE_V2 : DATA_PAGE, encoding, &sizes, err));
    c->used_dictionary |= by_ids;
    c->n_dictionary_pages += by_ids;
    c->n_plain_pages += !by_ids;
    PMN_TRY(note_page(c, offset, err));
    begin_page(c);
    return PAIMON_OK;
}

paimon_status pmn_pqw_dictionary_close(pmn_pqw_column *c, pmn_pqw_bench *bench, paimon_error *err)
{
    pmn_buf_clear(&bench->plain);
    pmn_buf_clear(&bench->packed);
    PMN_TRY(pmn_pqw_dictionary_plain(&bench->plain, c->leaf, &c->dictionary, NULL, c->dictionary.count, err));
    PMN_TRY(compress_body(c, bench, 0, err));
    page_sizes sizes = { (int64_t)bench->plain.size, (int64_t)bench->packed.size, 0, 0 };
    return append_page(c, bench, DICTIONARY_PAGE, PMN_PQ_PLAIN, &sizes, err);
}
