/* Top-level columns: see top.h.
 *
 * Stretches of rows are appended to one array. Of picked rows, short spans are decoded whole and the rows gathered from them: what lies
 * between would have to be decoded anyway. All that is appended goes in steps that are about as long as memory allows, since a dictionary
 * of a few bytes, or the length of a list, may multiply to anything. */
#include "format/orc/top.h"

#include <string.h>

#include "arrow/array.h"

/* Picked rows farther apart than this are not decoded together, nor more rows at once. */
#define WIDE_GAP 512
#define LONGEST_SPAN 4096
/* Before anything is known of a column whose rows take what they take. */
#define FIRST_STEP 64

static void top_free(void *column)
{
    pmn_orc_top *t = column;
    pmn_orc_column_free(t->column);
    for (int32_t i = 0; i < t->n_pieces; i++) pmn_array_release(&t->pieces[i]);
    pmn_free(t->mem, t->pieces, t->pieces_capacity * sizeof *t->pieces);
    pmn_free(t->mem, t, sizeof *t);
}

static int64_t top_bytes_read(const void *column) { return pmn_orc_column_bytes_read(((const pmn_orc_top *)column)->column); }

/* Bytes of a row where they are always the same, else a guess. */
static double guess_bytes(const pmn_orc_column *c, bool *is_fixed)
{
    double bytes = c->out.width;
    if (c->out.kind == PMN_LEAF_VAR32 || c->out.kind == PMN_LEAF_VAR64 || c->n_children) {
        *is_fixed = false;
        bytes = 32;
    }
    for (int32_t i = 0; i < c->n_children; i++) {
        if (c->children[i]) bytes += guess_bytes(c->children[i], is_fixed);
    }
    return bytes;
}

paimon_status pmn_orc_top_new(pmn_orc_file *file, const pmn_want *want, pmn_decompressors *decompressors, const pmn_orc_sections *sections,
                              pmn_buffer_pool *pool, pmn_orc_top **out, paimon_error *err)
{
    pmn_orc_top *t = (pmn_orc_top *)pmn_calloc(file->mem, 1, sizeof *t);
    *out = NULL;
    if (!t) return pmn_fail_nomem(err, "a column's reader");
    t->mem = file->mem;
    t->pool = pool;
    t->decompressors = decompressors;
    t->sections = sections;
    t->want = want;
    t->stripe = -1;
    paimon_status status = pmn_orc_column_new(file, want, decompressors, pool, &t->column, err);
    if (status != PAIMON_OK) {
        pmn_error_prefix(err, "column \"%s\"", want->schema->name ? want->schema->name : "");
        top_free(t);
        return status;
    }
    t->is_fixed = true;
    t->row_bytes = guess_bytes(t->column, &t->is_fixed) + 0.125;
    *out = t;
    return PAIMON_OK;
}

static const pmn_orc_section *find_section(const pmn_orc_sections *all, int32_t stripe)
{
    int32_t low = 0, high = all->n;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (all->items[middle]->stripe < stripe) low = middle + 1;
        else high = middle;
    }
    return low < all->n && all->items[low]->stripe == stripe ? all->items[low] : NULL;
}

/* To row `row` of a stripe. */
static paimon_status go_to(pmn_orc_top *t, int32_t stripe, int64_t row, paimon_error *err)
{
    int64_t stride = t->column->file->meta.row_index_stride;
    if (t->stripe == stripe && t->row == row) return PAIMON_OK;
    const pmn_orc_section *section = find_section(t->sections, stripe);
    if (!section) return pmn_fail(err, PAIMON_INTERNAL, "a stripe that is not open");
    if (t->stripe != stripe || t->row > row) {
        pmn_orc_column_begin_stripe(t->column, section);
        t->stripe = stripe;
        t->row = 0;
    }
    if (stride > 0 && row / stride > t->row / stride) {
        bool found;
        PMN_TRY(pmn_orc_column_seek(t->column, section, row / stride, t->decompressors, &found, err));
        if (found) t->row = row / stride * stride;
    }
    PMN_TRY(pmn_orc_column_skip(t->column, row - t->row, err));
    t->row = row;
    return PAIMON_OK;
}

static int64_t room(const pmn_orc_top *t)
{
    double rows = (PMN_BATCH_BYTES - (double)t->pieces_bytes - (double)pmn_orc_column_held(t->column)) / t->row_bytes;
    return rows < 1 ? 1 : rows > PMN_ORC_BLOCK ? PMN_ORC_BLOCK : (int64_t)rows;
}

/* Append up to `n` rows from here; `*done` are fewer, but one at least, where they take much memory. */
static paimon_status append_rows(pmn_orc_top *t, int64_t n, int64_t *done, paimon_error *err)
{
    pmn_orc_column *c = t->column;
    *done = 0;
    while (*done < n) {
        int64_t step = room(t), held;
        if (!t->is_fixed && c->out.n == 0 && step > FIRST_STEP) step = FIRST_STEP;
        if (step > n - *done) step = n - *done;
        PMN_TRY(pmn_orc_column_block(c, step, NULL, 0, err));
        *done += step;
        t->row += step;
        held = pmn_orc_column_held(c);
        if (!t->is_fixed) t->row_bytes = (double)held / (double)c->out.n + 0.125;
        if (held + t->pieces_bytes > PMN_BATCH_BYTES) break;
    }
    return PAIMON_OK;
}

static paimon_status begin_array(pmn_orc_top *t, int64_t rows, paimon_error *err)
{
    double most = PMN_BATCH_BYTES / t->row_bytes + 1;
    return pmn_orc_column_begin(t->column, (double)rows < most ? rows : (int64_t)most, err);
}

static paimon_status new_piece(pmn_orc_top *t, struct ArrowArray **out, paimon_error *err)
{
    void *grown = pmn_grow(t->mem, t->pieces, (size_t)t->n_pieces, 1, &t->pieces_capacity, sizeof *t->pieces);
    if (!grown) return pmn_fail_nomem(err, "a column");
    t->pieces = grown;
    *out = &t->pieces[t->n_pieces];
    memset(*out, 0, sizeof **out);
    return PAIMON_OK;
}

/* What was appended so far becomes a piece. */
static paimon_status end_piece(pmn_orc_top *t, const int32_t *rows, int64_t n, paimon_error *err)
{
    struct ArrowArray *piece = NULL, whole;
    int64_t held = pmn_orc_column_held(t->column), length = t->column->out.n;
    PMN_TRY(new_piece(t, &piece, err));
    PMN_TRY(pmn_orc_column_finish(t->column, &whole, err));
    if (!rows || n == length) {
        pmn_array_move(piece, &whole);
    } else {
        paimon_status status = pmn_array_gather(t->pool, t->want->schema, &whole, rows, n, piece, err);
        pmn_array_release(&whole);
        PMN_TRY(status);
    }
    t->n_pieces++;
    t->pieces_bytes += length > 0 ? (int64_t)((double)held * (double)n / (double)length) : 0;
    return PAIMON_OK;
}

/* Of the `n` rows at these ascending offsets from row `first`, those of one short span. */
static paimon_status read_picks(pmn_orc_top *t, const pmn_stretch *s, const int32_t *picked, int64_t n, int64_t *done, paimon_error *err)
{
    int32_t rows[LONGEST_SPAN];
    int64_t k = 1, span_done, most = (int64_t)(PMN_BATCH_BYTES / t->row_bytes);
    if (most > LONGEST_SPAN || most < 1) most = most < 1 ? 1 : LONGEST_SPAN;
    while (k < n && picked[k] - picked[k - 1] <= WIDE_GAP && picked[k] - picked[0] < most) k++;
    PMN_TRY(go_to(t, s->group, s->first + picked[0], err));
    int64_t span = picked[k - 1] - picked[0] + 1;
    PMN_TRY(begin_array(t, span, err));
    PMN_TRY(append_rows(t, span, &span_done, err));
    *done = 0;
    for (; *done < k && picked[*done] - picked[0] < span_done; ++*done) rows[*done] = picked[*done] - picked[0];
    return end_piece(t, rows, *done, err);
}

/* All pieces as one array. */
static paimon_status join_pieces(pmn_orc_top *t, struct ArrowArray *out, paimon_error *err)
{
    if (t->n_pieces == 1) {
        t->n_pieces = 0;
        pmn_array_move(out, &t->pieces[0]);
        return PAIMON_OK;
    }
    size_t size = (size_t)t->n_pieces * sizeof(struct ArrowArray *);
    const struct ArrowArray **all = (const struct ArrowArray **)pmn_alloc(t->mem, size);
    if (!all) return pmn_fail_nomem(err, "a column");
    for (int32_t i = 0; i < t->n_pieces; i++) all[i] = &t->pieces[i];
    paimon_status status = pmn_array_concat(t->pool, t->want->schema, all, t->n_pieces, out, err);
    pmn_free(t->mem, all, size);
    while (t->n_pieces > 0) pmn_array_release(&t->pieces[--t->n_pieces]);
    return status;
}

static paimon_status read_rows(pmn_orc_top *t, const pmn_rowset *rows, pmn_rowset_at *at, int64_t n, struct ArrowArray *out, paimon_error *err)
{
    bool is_open = false; /* an array is being appended to */
    t->pieces_bytes = 0;
    for (bool full = false; n > 0 && !full;) {
        const pmn_stretch *s = &rows->items[at->item];
        int64_t m = s->n - at->row < n ? s->n - at->row : n, done;
        if (s->picks < 0) {
            PMN_TRY(go_to(t, s->group, s->first + at->row, err));
            if (!is_open) PMN_TRY(begin_array(t, n, err));
            is_open = true;
            PMN_TRY(append_rows(t, m, &done, err));
        } else {
            if (is_open) PMN_TRY(end_piece(t, NULL, t->column->out.n, err));
            is_open = false;
            PMN_TRY(read_picks(t, s, rows->picked + s->picks + at->row, m, &done, err));
        }
        n -= done;
        at->row += done;
        if (at->row == s->n) {
            at->item++;
            at->row = 0;
        }
        full = t->pieces_bytes + (is_open ? pmn_orc_column_held(t->column) : 0) > PMN_BATCH_BYTES;
    }
    if (is_open) PMN_TRY(end_piece(t, NULL, t->column->out.n, err));
    return join_pieces(t, out, err);
}

static paimon_status top_decode(void *column, const pmn_rowset *rows, pmn_rowset_at *at, int64_t n, struct ArrowArray *out, paimon_error *err)
{
    pmn_orc_top *t = column;
    pmn_orc_work *work = (pmn_orc_work *)pmn_alloc(t->mem, sizeof *work);
    if (!work) return pmn_fail_nomem(err, "a block of values");
    pmn_orc_column_lend(t->column, work);
    paimon_status status = read_rows(t, rows, at, n, out, err);
    pmn_orc_column_lend(t->column, NULL);
    pmn_free(t->mem, work, sizeof *work);
    if (status == PAIMON_OK) return status;
    while (t->n_pieces > 0) pmn_array_release(&t->pieces[--t->n_pieces]);
    pmn_error_prefix(err, "column \"%s\", stripe %d, near row %lld of it", t->want->schema->name ? t->want->schema->name : "", (int)t->stripe, (long long)t->row);
    t->stripe = -1; /* a cursor that failed stands nowhere */
    return status;
}

const pmn_column_ops pmn_orc_top_ops = { top_decode, top_bytes_read, top_free };
