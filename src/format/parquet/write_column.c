/* Rows into the page that grows, a block of values at a time. Pages end between rows. */
#include "format/parquet/write_column.h"

#include <string.h>

#include "base/bitmap.h"

#define BLOCK PMN_PQW_MOST_VALUES
#define SMALLEST_BLOCK_BYTES 4096
#define LARGEST_BLOCK_BYTES (1 << 20)
#define MOST_VALUE_BYTES (1 << 30) /* sizes of pages are 32 bits, signed */

void pmn_pqw_column_init(pmn_pqw_column *c, pmn_mem *mem, const pmn_pqw_leaf *leaf, const pmn_pqw_options *options, const pmn_pqw_column_options *own)
{
    memset(c, 0, sizeof *c);
    c->mem = mem;
    c->leaf = leaf;
    c->options = options;
    c->own = *own;
    if (leaf->physical == PMN_PQ_BOOLEAN) c->own.dictionary = c->own.bloom = false; /* they are bits already */
    c->with_dictionary = c->own.dictionary;
    pmn_buf *const bufs[] = { &c->def, &c->rep, &c->ids, &c->plain, &c->pages, &c->bounds };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) pmn_buf_init(bufs[i], mem, PMN_BUF_NO_CEILING);
    pmn_pqw_range_init(&c->page_range, mem);
    pmn_pqw_range_init(&c->range, mem);
    pmn_pqw_range_init(&c->file_range, mem);
    pmn_dictionary_init(&c->dictionary, mem, pmn_pqw_held_width(leaf));
    pmn_pqw_bloom_init(&c->bloom, mem, &c->own);
    c->data.mem = c->dictionary_page.mem = mem;
}

void pmn_pqw_column_free(pmn_pqw_column *c)
{
    pmn_buf *const bufs[] = { &c->def, &c->rep, &c->ids, &c->plain, &c->pages, &c->bounds };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) pmn_buf_free(bufs[i]);
    pmn_pqw_range_free(&c->page_range);
    pmn_pqw_range_free(&c->range);
    pmn_pqw_range_free(&c->file_range);
    pmn_dictionary_free(&c->dictionary);
    pmn_pqw_bloom_free(&c->bloom);
    pmn_pqw_bytes_free(&c->data);
    pmn_pqw_bytes_free(&c->dictionary_page);
}

/* ---- bytes in blocks ---- */

paimon_status pmn_pqw_bytes_append(pmn_pqw_bytes *b, const void *bytes, size_t n, paimon_error *err)
{
    const uint8_t *from = (const uint8_t *)bytes;
    while (n > 0) {
        size_t room = b->last ? b->last->capacity - b->last->size : 0;
        if (room == 0) {
            size_t capacity = b->size < SMALLEST_BLOCK_BYTES ? SMALLEST_BLOCK_BYTES : b->size > LARGEST_BLOCK_BYTES ? LARGEST_BLOCK_BYTES : (size_t)b->size;
            pmn_pqw_block *block = pmn_alloc(b->mem, sizeof *block + capacity);
            if (!block) return pmn_fail_nomem(err, "the pages of a row group");
            block->next = NULL;
            block->size = 0;
            block->capacity = capacity;
            if (b->last) b->last->next = block;
            else b->first = block;
            b->last = block;
            continue;
        }
        if (room > n) room = n;
        memcpy(b->last->bytes + b->last->size, from, room);
        b->last->size += room;
        b->size += (int64_t)room;
        from += room;
        n -= room;
    }
    return PAIMON_OK;
}

void pmn_pqw_bytes_free(pmn_pqw_bytes *b)
{
    for (pmn_pqw_block *block = b->first, *next; block; block = next) {
        next = block->next;
        pmn_free(b->mem, block, sizeof *block + block->capacity);
    }
    b->first = b->last = NULL;
    b->size = 0;
}

/* ---- values ---- */

/* The dictionary's values into the bloom filter. While all pages have a dictionary a reader looks into that, and there is no filter. */
static paimon_status add_dictionary_to_bloom(pmn_pqw_column *c, paimon_error *err)
{
    pmn_buf plain;
    if (!c->own.bloom) return PAIMON_OK;
    pmn_buf_init(&plain, c->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_pqw_dictionary_plain(&plain, c->leaf, &c->dictionary, NULL, c->dictionary.count, err);
    if (status == PAIMON_OK) status = pmn_pqw_bloom_add(&c->bloom, pmn_pqw_stored_width(c->leaf), pmn_slice_of(plain.data, plain.size), err);
    pmn_buf_free(&plain);
    return status;
}

static paimon_status add_plain(pmn_pqw_column *c, const pmn_pqw_values *v, int64_t n, paimon_error *err)
{
    size_t before = c->plain.size;
    PMN_TRY(pmn_pqw_values_plain(&c->plain, c->leaf, v, n, err));
    if (!c->own.bloom) return PAIMON_OK;
    return pmn_pqw_bloom_add(&c->bloom, pmn_pqw_stored_width(c->leaf), pmn_slice_of(c->plain.data + before, c->plain.size - before), err);
}

paimon_status pmn_pqw_column_give_up_dictionary(pmn_pqw_column *c, paimon_error *err)
{
    PMN_TRY(add_dictionary_to_bloom(c, err));
    PMN_TRY(pmn_pqw_dictionary_plain(&c->plain, c->leaf, &c->dictionary, (const uint32_t *)(const void *)c->ids.data, (int64_t)(c->ids.size / sizeof(uint32_t)), err));
    pmn_buf_clear(&c->ids);
    c->with_dictionary = false;
    c->dictionary.count = c->dictionary_count_before;
    c->dictionary.values.size = c->dictionary_before;
    return PAIMON_OK;
}

static paimon_status add_ids(pmn_pqw_column *c, const pmn_pqw_values *v, int64_t n, paimon_error *err)
{
    PMN_TRY(pmn_buf_reserve(&c->ids, (size_t)n * sizeof(uint32_t), err));
    uint32_t *ids = (uint32_t *)(void *)pmn_buf_end(&c->ids);
    if (c->leaf->physical == PMN_PQ_BYTE_ARRAY) PMN_TRY(pmn_dictionary_put_bytes(&c->dictionary, v->slices, n, ids, err));
    else PMN_TRY(pmn_dictionary_put_fixed(&c->dictionary, v->fixed, n, ids, err));
    c->ids.size += (size_t)n * sizeof(uint32_t);
    if ((int64_t)c->dictionary.values.size > c->options->dictionary_bytes) return pmn_pqw_column_give_up_dictionary(c, err);
    return PAIMON_OK;
}

static paimon_status check_page_size(const pmn_pqw_column *c, const pmn_pqw_values *v, int64_t n, int64_t row, paimon_error *err)
{
    if (PMN_LIKELY(c->plain_bytes + v->bytes <= MOST_VALUE_BYTES)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_UNSUPPORTED, "column %s, near row %lld: %lld values of %lld bytes do not fit into a page", c->leaf->path, (long long)row,
                    (long long)(c->n_values + n), (long long)(c->plain_bytes + v->bytes));
}

/* At most BLOCK values of the array `a`, at `rows` or from `first` on. */
static paimon_status buffer_values(pmn_pqw_column *c, const struct ArrowArray *a, const int64_t *rows, int64_t first, int64_t n, int64_t row, paimon_error *err)
{
    pmn_pqw_values v;
    if (n == 0) return PAIMON_OK;
    PMN_TRY(pmn_pqw_values_take(&v, c->leaf, a, rows, first, n, err));
    PMN_TRY(check_page_size(c, &v, n, row, err));
    if (c->leaf->physical == PMN_PQ_BYTE_ARRAY) PMN_TRY(pmn_pqw_range_add_bytes(&c->page_range, v.slices, n, err));
    else pmn_pqw_range_add_fixed(&c->page_range, c->leaf, v.fixed, n);
    if (c->with_dictionary && v.bytes > c->options->dictionary_bytes) PMN_TRY(pmn_pqw_column_give_up_dictionary(c, err));
    if (c->with_dictionary) PMN_TRY(add_ids(c, &v, n, err));
    else PMN_TRY(add_plain(c, &v, n, err));
    c->n_values += n;
    c->plain_bytes += v.bytes;
    return PAIMON_OK;
}

/* ---- rows ---- */

static int64_t page_bytes(const pmn_pqw_column *c)
{
    int64_t levels = c->leaf->max_rep ? c->n_entries / 4 : c->leaf->max_def ? c->n_entries / 8 : 0;
    if (!c->with_dictionary) return c->leaf->physical == PMN_PQ_BOOLEAN ? levels + c->plain_bytes / 8 : levels + c->plain_bytes;
    return levels + c->n_values * (int64_t)pmn_parquet_width(c->dictionary.count) / 8;
}

/* Between two rows. */
static paimon_status close_if_full(pmn_pqw_column *c, pmn_pqw_bench *bench, paimon_error *err)
{
    if (c->n_rows < c->options->page_rows && page_bytes(c) < c->options->page_bytes) return PAIMON_OK;
    return pmn_pqw_page_close(c, bench, err);
}

/* The value's bytes, where they differ. */
static int64_t bytes_of(const pmn_pqw_leaf *leaf, const struct ArrowArray *a, int64_t row, int64_t n)
{
    int64_t i = a->offset + row;
    if (leaf->source == PMN_PQW_BYTES32) return (int64_t)((const int32_t *)a->buffers[1])[i + n] - ((const int32_t *)a->buffers[1])[i];
    if (leaf->source == PMN_PQW_BYTES64) return ((const int64_t *)a->buffers[1])[i + n] - ((const int64_t *)a->buffers[1])[i];
    return 0;
}

static paimon_status buffer_levels(pmn_pqw_column *c, const uint8_t *def, const uint8_t *rep, int64_t n, paimon_error *err)
{
    if (c->leaf->max_def) PMN_TRY(pmn_buf_append(&c->def, def, (size_t)n, err));
    if (c->leaf->max_rep) PMN_TRY(pmn_buf_append(&c->rep, rep, (size_t)n, err));
    c->n_entries += n;
    return PAIMON_OK;
}

/* Rows without a null of a column that is a leaf. */
static int64_t block_of_plain_rows(const pmn_pqw_column *c, const struct ArrowArray *a, int64_t first, int64_t count)
{
    int64_t n = c->options->page_rows - c->n_rows;
    if (n > BLOCK) n = BLOCK;
    if (n > count) n = count;
    while (n > 1 && bytes_of(c->leaf, a, first, n) > c->options->page_bytes) n /= 2;
    return n;
}

static paimon_status write_plain_rows(pmn_pqw_column *c, pmn_pqw_bench *bench, const struct ArrowArray *a, int64_t first, int64_t count, int64_t row, paimon_error *err)
{
    uint8_t defined[BLOCK]; /* such a column has no repetition levels */
    memset(defined, c->leaf->max_def, sizeof defined);
    while (count > 0) {
        int64_t n = block_of_plain_rows(c, a, first, count);
        PMN_TRY(buffer_levels(c, defined, NULL, n, err));
        PMN_TRY(buffer_values(c, a, NULL, first, n, row, err));
        c->n_rows += n;
        first += n;
        count -= n;
        row += n;
        PMN_TRY(close_if_full(c, bench, err));
    }
    return PAIMON_OK;
}

/* How many entries from `i` on go into the page at once: whole rows up to the page's limit, or a part of a long one. */
static int64_t block_of_entries(const pmn_pqw_column *c, const pmn_pqw_shred *s, int64_t i, int64_t *n_rows)
{
    const int64_t *rows = (const int64_t *)(const void *)s->rows.data;
    int64_t n = 0, bytes = 0;
    *n_rows = 0;
    for (; i + n < s->n && n < BLOCK; n++) {
        if (!c->leaf->max_rep || s->rep.data[i + n] == 0) {
            if (n > 0 && (c->n_rows + *n_rows >= c->options->page_rows || bytes > c->options->page_bytes)) break;
            (*n_rows)++;
        }
        if (rows[i + n] >= 0) bytes += bytes_of(c->leaf, s->leaf, rows[i + n], 1);
    }
    return n;
}

static paimon_status write_entries(pmn_pqw_column *c, pmn_pqw_bench *bench, int64_t row, paimon_error *err)
{
    const pmn_pqw_shred *s = &bench->shred;
    const int64_t *rows = (const int64_t *)(const void *)s->rows.data;
    int64_t values[BLOCK];
    for (int64_t i = 0, n, n_rows; i < s->n; i += n) {
        n = block_of_entries(c, s, i, &n_rows);
        int64_t n_values = 0;
        for (int64_t k = i; k < i + n; k++) {
            values[n_values] = rows[k];
            n_values += rows[k] >= 0;
        }
        PMN_TRY(buffer_levels(c, s->def.data + i, c->leaf->max_rep ? s->rep.data + i : NULL, n, err));
        PMN_TRY(buffer_values(c, s->leaf, values, 0, n_values, row, err));
        c->n_rows += n_rows;
        row += n_rows;
        bool between = i + n == s->n || !c->leaf->max_rep || s->rep.data[i + n] == 0;
        if (between) PMN_TRY(close_if_full(c, bench, err));
    }
    return PAIMON_OK;
}

paimon_status pmn_pqw_column_write(pmn_pqw_column *c, pmn_pqw_bench *bench, const struct ArrowArray *array, int64_t first, int64_t count, int64_t row,
                                   paimon_error *err)
{
    if (count == 0) return PAIMON_OK;
    if (c->leaf->n_steps == 1 && (array->null_count == 0 || array->n_buffers < 1 || !array->buffers[0])) return write_plain_rows(c, bench, array, first, count, row, err);
    PMN_TRY(pmn_pqw_shred_rows(&bench->shred, c->leaf, array, first, count, row, err));
    return write_entries(c, bench, row, err);
}

/* ---- the chunk ---- */

paimon_status pmn_pqw_column_close(pmn_pqw_column *c, pmn_pqw_bench *bench, paimon_error *err)
{
    PMN_TRY(pmn_pqw_page_close(c, bench, err));
    if (c->used_dictionary) PMN_TRY(pmn_pqw_dictionary_close(c, bench, err));
    c->file_nulls += c->chunk_nulls;
    return pmn_pqw_range_merge(&c->file_range, c->leaf, &c->range, err);
}

void pmn_pqw_column_reset(pmn_pqw_column *c)
{
    pmn_pqw_bytes_free(&c->data);
    pmn_pqw_bytes_free(&c->dictionary_page);
    pmn_dictionary_clear(&c->dictionary);
    pmn_pqw_bloom_free(&c->bloom);
    pmn_pqw_range_clear(&c->range);
    pmn_buf_clear(&c->pages);
    pmn_buf_clear(&c->bounds);
    c->with_dictionary = c->own.dictionary;
    c->used_dictionary = false;
    c->n_dictionary_pages = c->n_plain_pages = 0;
    c->dictionary_before = c->dictionary_count_before = 0;
    c->plain_data_bytes = c->chunk_entries = c->chunk_rows = c->chunk_nulls = 0;
}

int64_t pmn_pqw_column_bytes(const pmn_pqw_column *c)
{
    int64_t dictionary = c->with_dictionary || c->used_dictionary ? (int64_t)c->dictionary.values.size : 0;
    return c->data.size + page_bytes(c) + dictionary + pmn_pqw_bloom_bytes(&c->bloom);
}

void pmn_pqw_column_trim(pmn_pqw_column *c)
{
    pmn_buf *const bufs[] = { &c->def, &c->rep, &c->ids, &c->plain, &c->pages, &c->bounds };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) pmn_buf_free(bufs[i]);
    pmn_dictionary_free(&c->dictionary);
}

static int64_t memory_of_blocks(const pmn_pqw_bytes *b)
{
    int64_t bytes = 0;
    for (const pmn_pqw_block *block = b->first; block; block = block->next) bytes += (int64_t)(sizeof *block + block->capacity);
    return bytes;
}

int64_t pmn_pqw_column_memory(const pmn_pqw_column *c)
{
    const pmn_buf *const bufs[] = { &c->def, &c->rep, &c->ids, &c->plain, &c->pages, &c->bounds, &c->page_range.low, &c->page_range.high,
                                    &c->range.low, &c->range.high, &c->file_range.low, &c->file_range.high, &c->dictionary.values, &c->dictionary.starts };
    int64_t bytes = (int64_t)sizeof *c + (int64_t)(c->dictionary.n_slots * sizeof *c->dictionary.slots);
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) bytes += (int64_t)bufs[i]->capacity;
    return bytes + memory_of_blocks(&c->data) + memory_of_blocks(&c->dictionary_page);
}
