/* A pass over an Avro file: its blocks in order, the rows of them that are asked, in batches.
 *
 * Avro keeps no statistics, and a record can only be found by reading the ones before it. So blocks outside of the caller's ranges are not
 * opened at all, and records before the first one asked are skipped. With a filter, a window of records is passed over for the filter's columns
 * alone, which tells where each record begins; those that meet it are then decoded, each from its own place, and only up to its last wanted field.
 *
 * A batch goes on over blocks, until it has the rows asked or has become large. */
#include <string.h>

#include "arrow/array.h"
#include "base/bitmap.h"
#include "format/avro/decode.h"
#include "format/avro/file.h"
#include "format/avro/program.h"
#include "format/filter.h"
#include "format/ranges.h"

#define WINDOW_ROWS 8192
#define MOST_ROWS_AT_ONCE 131072
#define BLOCK_CEILING ((size_t)1 << 30) /* of a block's bytes: Java could not hold twice as many */
/* Records of no bytes cost a file nothing. */
#define MOST_EMPTY_ROWS (INT64_C(1) << 24)

typedef struct avro_reader {
    pmn_format_reader base; /* first */
    pmn_avro_file *file;    /* counted */
    pmn_mem *mem;
    pmn_buffer_pool *pool; /* counted */
    pmn_arena arena;
    struct ArrowSchema schema; /* of the batches */
    pmn_want want;
    pmn_read_filter filter;
    pmn_avro_decoder decoder, filter_decoder;
    pmn_row_ranges ranges;
    bool has_ranges, want_positions, counts_only;
    int64_t batch_rows;
    /* the block */
    pmn_avro_blocks blocks;
    pmn_decompressor *decompressor;
    pmn_buf scratch;
    pmn_avro_block_place place;
    pmn_cursor cursor;   /* at record `at` */
    int64_t first_row;   /* file row of record 0 */
    int64_t n, at;       /* records in all and behind; at == n: none is left */
    int64_t stop;        /* no record from here on is asked */
    int64_t empty_rows;
    int32_t range;       /* the first that is not behind */
    /* the window: records [at, at + window_n) of the block that the filter saw */
    uint32_t *starts;
    uint8_t *selected;
    int64_t window_n, window_at;
    int64_t *positions;
    size_t positions_capacity;
    pmn_format_metrics metrics;
} avro_reader;

static void avro_reader_free(pmn_format_reader *base)
{
    avro_reader *r = (avro_reader *)base;
    pmn_avro_decoder_free(&r->decoder);
    pmn_avro_decoder_free(&r->filter_decoder);
    pmn_avro_blocks_free(&r->blocks);
    pmn_decompressor_free(r->decompressor);
    pmn_buf_free(&r->scratch);
    pmn_row_ranges_free(&r->ranges);
    pmn_schema_release(&r->schema);
    pmn_free(r->mem, r->positions, r->positions_capacity);
    pmn_arena_free(&r->arena);
    pmn_buffer_pool_release(r->pool);
    pmn_mem *mem = r->mem;
    pmn_avro_file_release(r->file);
    pmn_free(mem, r, sizeof *r);
    pmn_mem_release(mem);
}

static const struct ArrowSchema *avro_reader_schema(pmn_format_reader *base) { return &((avro_reader *)base)->schema; }

static void avro_reader_metrics(const pmn_format_reader *base, pmn_format_metrics *out)
{
    const avro_reader *r = (const avro_reader *)base;
    *out = r->metrics;
    out->bytes_read = r->blocks.bytes_read;
}

/* ---- blocks ---- */

/* Which records of the block are asked from `at` on: the next stretch [*from, *to). Empty if none is. */
static void next_stretch(avro_reader *r, int64_t at, int64_t *from, int64_t *to)
{
    *from = at;
    *to = r->n;
    if (!r->has_ranges) return;
    for (; r->range < r->ranges.n; r->range++) {
        const pmn_row_range *range = &r->ranges.items[r->range];
        int64_t first = range->first - r->first_row, end = first + range->count;
        if (end <= at) continue;
        *from = first > at ? first : at;
        *to = end < r->n ? end : r->n;
        if (*from >= r->n) *from = *to = r->n;
        return;
    }
    *from = *to = r->n;
}

static int64_t rows_asked(const avro_reader *r)
{
    pmn_row_range block = { r->first_row, r->n };
    int64_t asked = r->has_ranges ? 0 : r->n;
    for (int32_t i = r->range; r->has_ranges && i < r->ranges.n; i++) {
        int64_t first = r->ranges.items[i].first, end = first + r->ranges.items[i].count;
        if (first >= block.first + block.count) break;
        first = first > block.first ? first : block.first;
        end = end < block.first + block.count ? end : block.first + block.count;
        if (first < end) asked += end - first;
    }
    return asked;
}

/* What the block says of its records against what there is of it. */
static paimon_status avro_check_count(avro_reader *r, size_t bytes, paimon_error *err)
{
    int64_t least = r->file->root->min_bytes;
    bool fits = least > 0 ? (uint64_t)r->n <= bytes / (uint64_t)least : r->n <= MOST_EMPTY_ROWS - r->empty_rows;
    if (least == 0) r->empty_rows += r->n;
    if (fits) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CORRUPT, "Avro block at byte %lld: %lld records in %zu bytes", (long long)r->place.offset, (long long)r->n, bytes);
}

static paimon_status open_block(avro_reader *r, paimon_error *err)
{
    pmn_slice stored, plain;
    PMN_TRY(pmn_avro_blocks_load(&r->blocks, &r->place, &stored, err));
    pmn_avro_block block = { .offset = (size_t)r->place.offset, .n = r->n, .stored = stored };
    PMN_TRY(pmn_avro_block_open(r->decompressor, &r->file->header, &block, &r->scratch, &plain, err));
    if (plain.size > BLOCK_CEILING) return pmn_fail(err, PAIMON_UNSUPPORTED, "Avro block at byte %lld: %zu bytes", (long long)r->place.offset, plain.size);
    r->cursor = pmn_cursor_of(plain.data, plain.size);
    return avro_check_count(r, plain.size, err);
}

/* The next block with records that are asked; at its first one. `*end` when there is none. */
static paimon_status avro_next_block(avro_reader *r, bool *end, paimon_error *err)
{
    *end = false;
    for (;;) {
        bool more;
        if (__builtin_add_overflow(r->first_row, r->n, &r->first_row)) return pmn_fail(err, PAIMON_CORRUPT, "the blocks tell more rows than can be counted");
        r->n = r->at = 0;
        r->window_n = r->window_at = 0;
        *end = r->filter.none || (r->has_ranges && r->range == r->ranges.n);
        if (*end) return PAIMON_OK;
        PMN_TRY(pmn_avro_blocks_next(&r->blocks, !r->has_ranges && !r->counts_only, &r->place, &more, err));
        *end = !more;
        if (*end) return PAIMON_OK;
        r->n = r->place.n;
        int64_t from, to;
        next_stretch(r, 0, &from, &to);
        r->metrics.rows_total += rows_asked(r);
        if (from == to) continue;
        if (!r->counts_only) PMN_TRY(open_block(r, err));
        return PAIMON_OK;
    }
}

/* Behind the last record there is nothing in a block. */
static paimon_status end_block(avro_reader *r, paimon_error *err)
{
    if (r->counts_only || pmn_cursor_left(&r->cursor) == 0) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CORRUPT, "Avro block at byte %lld: %zu bytes are left behind its %lld records", (long long)r->place.offset,
                    pmn_cursor_left(&r->cursor), (long long)r->n);
}

/* Go on to record `to` of the block. */
static paimon_status skip_records(avro_reader *r, int64_t to, paimon_error *err)
{
    for (; r->at < to && !r->counts_only; r->at++) {
        if (pmn_avro_skip(r->file->root, &r->cursor)) continue;
        return pmn_fail(err, PAIMON_CORRUPT, "row %lld is cut or damaged", (long long)(r->first_row + r->at));
    }
    r->at = to;
    return PAIMON_OK;
}

/* ---- rows ---- */

static paimon_status note_positions(avro_reader *r, int64_t record, int64_t n, int64_t had, paimon_error *err)
{
    if (!r->want_positions) return PAIMON_OK;
    size_t need = (size_t)(had + n) * sizeof *r->positions;
    if (need > r->positions_capacity) {
        if (need < 2 * r->positions_capacity) need = 2 * r->positions_capacity;
        int64_t *grown = pmn_realloc(r->mem, r->positions, r->positions_capacity, need);
        if (!grown) return pmn_fail_nomem(err, "row positions");
        r->positions = grown;
        r->positions_capacity = need;
    }
    for (int64_t i = 0; i < n; i++) r->positions[had + i] = r->first_row + record + i;
    return PAIMON_OK;
}

static void tell_row(const avro_reader *r, int64_t record, paimon_error *err)
{
    pmn_error_prefix(err, "row %lld (Avro block at byte %lld)", (long long)(r->first_row + record), (long long)r->place.offset);
}

/* Up to `room` records of the next stretch into the batch; the filter is not asked. */
static paimon_status decode_stretch(avro_reader *r, int64_t room, pmn_format_batch *batch, paimon_error *err)
{
    int64_t from, to, done, had = pmn_avro_decoder_rows(&r->decoder);
    next_stretch(r, r->at, &from, &to);
    if (from == to) {
        r->at = r->n;
        return PAIMON_OK;
    }
    PMN_TRY(skip_records(r, from, err));
    int64_t n = to - from < room ? to - from : room;
    if (had == 0) batch->first_row = r->first_row + from;
    if (r->counts_only) {
        r->decoder.top->n += n;
        done = n;
    } else {
        paimon_status status = pmn_avro_decode(&r->decoder, &r->cursor, n, false, NULL, NULL, &done, err);
        if (status != PAIMON_OK) {
            if (status == PAIMON_CORRUPT) tell_row(r, from + done, err);
            return status;
        }
    }
    r->at += done;
    r->metrics.rows_decoded += done;
    PMN_TRY(note_positions(r, from, done, had, err));
    return r->at == r->n ? end_block(r, err) : PAIMON_OK;
}

/* Pass over the next records for the filter's columns: sets starts, selected and window_n. */
static paimon_status avro_filter_window(avro_reader *r, int64_t from, int64_t to, paimon_error *err)
{
    struct ArrowArray array;
    int64_t done = 0, n_selected, n = to - from < WINDOW_ROWS ? to - from : WINDOW_ROWS;
    PMN_TRY(skip_records(r, from, err));
    pmn_cursor c = r->cursor;
    paimon_status status = pmn_avro_decode(&r->filter_decoder, &c, n, false, r->cursor.start, r->starts, &done, err);
    if (status != PAIMON_OK) {
        if (status == PAIMON_CORRUPT) tell_row(r, from + done, err);
        return status;
    }
    PMN_TRY(pmn_avro_decoder_take(&r->filter_decoder, &array, err));
    status = pmn_read_filter_eval(&r->filter, &array, r->mem, r->selected, &n_selected, err);
    pmn_array_release(&array);
    PMN_TRY(status);
    r->cursor = c;
    r->metrics.rows_decoded += done;
    r->window_n = done;
    r->window_at = 0;
    if (from + done == r->n) PMN_TRY(end_block(r, err));
    return PAIMON_OK;
}

/* The first selected record of the window that is not behind, or window_n. */
static int64_t next_selected(const avro_reader *r)
{
    int64_t at = r->window_at;
    while (at < r->window_n) {
        uint64_t word = pmn_load_le64(r->selected + at / 64 * 8) >> (at % 64);
        if (word) {
            at += pmn_ctz64(word);
            return at < r->window_n ? at : r->window_n;
        }
        at = (at / 64 + 1) * 64;
    }
    return r->window_n;
}

/* Records that meet the filter into the batch, until it is full or the window is behind. */
static paimon_status decode_selected(avro_reader *r, pmn_format_batch *batch, paimon_error *err)
{
    while (pmn_avro_decoder_rows(&r->decoder) < r->batch_rows && !pmn_avro_decoder_full(&r->decoder)) {
        int64_t k = next_selected(r), done, had = pmn_avro_decoder_rows(&r->decoder);
        if (k == r->window_n) {
            r->at += r->window_n;
            r->window_n = r->window_at = 0;
            return PAIMON_OK;
        }
        pmn_cursor c = r->cursor;
        c.pos = c.start + r->starts[k];
        if (had == 0) batch->first_row = r->first_row + r->at + k;
        paimon_status status = pmn_avro_decode(&r->decoder, &c, 1, true, NULL, NULL, &done, err);
        if (status != PAIMON_OK) {
            if (status == PAIMON_CORRUPT) tell_row(r, r->at + k, err);
            return status;
        }
        PMN_TRY(note_positions(r, r->at + k, 1, had, err));
        r->window_at = k + 1;
    }
    return PAIMON_OK;
}

/* Records into the batch; r->at == r->n when the block is behind. */
static paimon_status decode_some(avro_reader *r, pmn_format_batch *batch, paimon_error *err)
{
    if (!r->filter.pred) return decode_stretch(r, r->batch_rows - pmn_avro_decoder_rows(&r->decoder), batch, err);
    if (r->window_n == 0) {
        int64_t from, to;
        next_stretch(r, r->at, &from, &to);
        if (from == to) {
            r->at = r->n;
            return PAIMON_OK;
        }
        PMN_TRY(avro_filter_window(r, from, to, err));
    }
    return decode_selected(r, batch, err);
}

static paimon_status avro_make_batch(avro_reader *r, pmn_format_batch *batch, paimon_error *err)
{
    while (pmn_avro_decoder_rows(&r->decoder) < r->batch_rows && !pmn_avro_decoder_full(&r->decoder)) {
        if (r->at == r->n && r->window_n == 0) {
            bool end;
            PMN_TRY(avro_next_block(r, &end, err));
            if (end) break;
        }
        PMN_TRY(decode_some(r, batch, err));
    }
    if (pmn_avro_decoder_rows(&r->decoder) == 0) return PAIMON_OK;
    PMN_TRY(pmn_avro_decoder_take(&r->decoder, &batch->array, err));
    r->metrics.rows_returned += batch->array.length;
    if (r->want_positions) batch->positions = r->positions;
    return PAIMON_OK;
}

static paimon_status avro_reader_next(pmn_format_reader *base, pmn_format_batch *batch, paimon_error *err)
{
    avro_reader *r = (avro_reader *)base;
    memset(batch, 0, sizeof *batch);
    paimon_status status = avro_make_batch(r, batch, err);
    if (status != PAIMON_OK) {
        batch->array.release = NULL;
        if (status != PAIMON_IO) pmn_error_prefix(err, "%s", r->file->path);
    }
    return status;
}

static const pmn_format_reader_ops reader_ops = { avro_reader_schema, avro_reader_next, avro_reader_metrics, avro_reader_free };

/* Rows of wide fixed-length values take their width even where they are null, so a few bytes of file could ask for very much memory. */
static int64_t avro_rows_that_fit(const pmn_avro_decoder *d, int64_t rows)
{
    int64_t most = 4 * (int64_t)PMN_AVRO_BATCH_BYTES;
    for (const pmn_avro_column *column = d->top->columns; column; column = column->next) {
        if (column->kind != PMN_AVRO_COLUMN_FIXED || column->width <= 32) continue;
        if (most / column->width < rows) rows = most > column->width ? most / column->width : 1;
    }
    return rows;
}

static paimon_status avro_init_filter(avro_reader *r, const pmn_format_read_options *options, paimon_error *err)
{
    const pmn_file_field *columns;
    int32_t n_columns;
    if (!options->filter) return PAIMON_OK;
    pmn_avro_fields_of(&r->file->fields, options->filter_schema, &columns, &n_columns);
    PMN_TRY(pmn_read_filter_init(&r->filter, &r->arena, options->filter, options->filter_schema, columns, n_columns, r->file->case_insensitive, err));
    if (!r->filter.pred) return PAIMON_OK;
    r->starts = pmn_arena_alloc(&r->arena, WINDOW_ROWS * sizeof *r->starts);
    r->selected = pmn_arena_calloc(&r->arena, WINDOW_ROWS / 8, 1);
    if (!r->starts || !r->selected) return pmn_fail_nomem(err, "a filter");
    return pmn_avro_decoder_init(&r->filter_decoder, &r->arena, r->pool, &r->file->fields, columns, n_columns, &r->filter.want, r->filter.used, err);
}

static paimon_status avro_init_reader(avro_reader *r, const pmn_format_read_options *options, paimon_error *err)
{
    const pmn_file_field *columns;
    int32_t n_columns;
    if (options->schema) PMN_TRY(pmn_schema_copy(r->mem, options->schema, &r->schema, err));
    else PMN_TRY(pmn_avro_fields_arrow(r->mem, &r->file->fields, &r->schema, err));
    pmn_avro_fields_of(&r->file->fields, options->schema, &columns, &n_columns);
    PMN_TRY(pmn_match(&r->arena, columns, n_columns, &r->schema, r->file->case_insensitive, &r->want, err));
    PMN_TRY(pmn_avro_decoder_init(&r->decoder, &r->arena, r->pool, &r->file->fields, columns, n_columns, &r->want, NULL, err));
    PMN_TRY(avro_init_filter(r, options, err));
    r->counts_only = r->want.n_children == 0 && !r->filter.pred && options->schema;
    r->batch_rows = avro_rows_that_fit(&r->decoder, options->batch_rows < MOST_ROWS_AT_ONCE ? options->batch_rows : MOST_ROWS_AT_ONCE);
    r->has_ranges = options->ranges != NULL;
    if (r->has_ranges) PMN_TRY(pmn_row_ranges_take(&r->ranges, options->ranges, options->n_ranges, err));
    return pmn_decompressor_new(r->mem, &r->decompressor, err);
}

paimon_status pmn_avro_reader_new(pmn_avro_file *file, const pmn_format_read_options *options, pmn_format_reader **out, paimon_error *err)
{
    *out = NULL;
    if (options->batch_rows <= 0) return pmn_fail(err, PAIMON_INVALID, "%s: a batch of %lld rows", file->path, (long long)options->batch_rows);
    avro_reader *r = pmn_calloc(file->mem, 1, sizeof *r);
    if (!r) return pmn_fail_nomem(err, "an Avro reader");
    r->base.ops = &reader_ops;
    r->file = pmn_avro_file_retain(file);
    r->mem = pmn_mem_retain(file->mem);
    r->pool = pmn_buffer_pool_retain(options->pool);
    r->want_positions = options->want_positions;
    pmn_arena_init(&r->arena, r->mem);
    pmn_row_ranges_init(&r->ranges, r->mem);
    pmn_buf_init(&r->scratch, r->mem, BLOCK_CEILING);
    pmn_avro_blocks_init(&r->blocks, file);
    paimon_status status = avro_init_reader(r, options, err);
    if (status != PAIMON_OK) {
        if (status != PAIMON_IO) pmn_error_prefix(err, "%s", file->path);
        avro_reader_free(&r->base);
        return status;
    }
    *out = &r->base;
    return PAIMON_OK;
}
