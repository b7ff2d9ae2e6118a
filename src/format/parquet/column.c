/* A leaf column being read: which page, which rows of it, levels. The values themselves are in values.c. */
#include "format/parquet/column.h"

#include <string.h>

#include "base/bitmap.h"
#include "format/gather.h"
#include "format/parquet/marks.h"

#define FIRST_GUESS_MOST (1 << 20)

paimon_status pmn_parquet_leaf_init(pmn_parquet_leaf *leaf, pmn_parquet_file *file, const pmn_parquet_node *node, const char *path,
                                    const pmn_want *want, bool nested, int16_t slot_def, pmn_decompressors *decompressors,
                                    pmn_buffer_pool *pool, paimon_error *err)
{
    memset(leaf, 0, sizeof *leaf);
    leaf->file = file;
    leaf->mem = file->mem;
    leaf->node = node;
    leaf->path = path;
    leaf->levels_only = !want;
    leaf->nested = nested;
    leaf->slot_def = slot_def;
    leaf->group = -1;
    leaf->dictionary.n = -1;
    pmn_arena_init(&leaf->arena, leaf->mem);
    pmn_parquet_pages_init(&leaf->pages, file, decompressors);
    if (node->max_def > UINT8_MAX || node->max_rep > UINT8_MAX) {
        return pmn_fail(err, PAIMON_UNSUPPORTED, "column %s: nesting of more than 255 levels is not supported", path);
    }
    if (want) {
        paimon_status status = pmn_parquet_convert_plan(node, &want->type, want->schema->format, &leaf->convert, err);
        if (status != PAIMON_OK) {
            pmn_error_prefix(err, "column %s", path);
            return status;
        }
    }
    leaf->convert.physical = node->element->physical;
    pmn_leaf_out_init(&leaf->out, pool, want ? leaf->convert.out : PMN_LEAF_NULL, leaf->convert.out_width);
    return PAIMON_OK;
}

void pmn_parquet_leaf_free(pmn_parquet_leaf *leaf)
{
    if (!leaf->file) return;
    pmn_parquet_pages_free(&leaf->pages);
    pmn_parquet_dictionary_free(leaf);
    pmn_leaf_out_free(&leaf->out);
    pmn_arena_free(&leaf->arena);
    pmn_free(leaf->mem, leaf->defs, leaf->levels_capacity);
    pmn_free(leaf->mem, leaf->reps, leaf->levels_capacity);
    pmn_free(leaf->mem, leaf->block_of, sizeof *leaf->block_of);
    pmn_free(leaf->mem, leaf->fixed, leaf->fixed_capacity);
    pmn_free(leaf->mem, leaf->compact, leaf->compact_capacity);
    pmn_free(leaf->mem, leaf->joined, leaf->joined_capacity);
    leaf->file = NULL;
}

void pmn_parquet_leaf_reset(pmn_parquet_leaf *leaf)
{
    leaf->group = -1;
}

paimon_status pmn_parquet_leaf_begin(pmn_parquet_leaf *leaf, int64_t rows, paimon_error *err)
{
    leaf->n_levels = 0;
    if (leaf->out.data_hint == 0 && leaf->file->meta.n_groups > 0) {
        /* The first guess: what the rows take in the file's first chunk, so that the buffer need not grow step by step. */
        const pmn_parquet_chunk *chunk = &leaf->file->meta.groups[0].chunks[leaf->node->first_leaf];
        double bytes = chunk->n_values > 0 ? (double)chunk->uncompressed_bytes / (double)chunk->n_values * (double)rows : 0;
        leaf->out.data_hint = bytes < FIRST_GUESS_MOST ? (int64_t)bytes : FIRST_GUESS_MOST;
    }
    return pmn_leaf_out_begin(&leaf->out, rows, err);
}

static paimon_status levels_cut(paimon_error *err)
{
    return pmn_fail(err, PAIMON_CORRUPT, "the levels end before the page's values do");
}

/* Dictionary pages are taken on the way; pages of other kinds are passed over. */
static paimon_status next_page(pmn_parquet_leaf *leaf, paimon_error *err)
{
    pmn_parquet_page *page = &leaf->page;
    pmn_parquet_page_data data;
    bool found;
    while (true) {
        PMN_TRY(pmn_parquet_pages_next(&leaf->pages, page, &found, err));
        if (!found) {
            return pmn_fail(err, PAIMON_CORRUPT, "the pages hold fewer rows than the %lld of the row group", (long long)leaf->group_rows);
        }
        if (page->type == PMN_PQ_PAGE_DICTIONARY) {
            if (leaf->dictionary.n >= 0) return pmn_fail(err, PAIMON_CORRUPT, "a second dictionary page");
            PMN_TRY(pmn_parquet_pages_load(&leaf->pages, page, 0, 0, &data, err));
            PMN_TRY(pmn_parquet_dictionary_load(leaf, page, data.values, err));
        } else if ((page->type == PMN_PQ_PAGE_DATA || page->type == PMN_PQ_PAGE_DATA_V2) && page->n_values > 0) {
            break;
        }
    }
    leaf->have_page = true;
    leaf->loaded = false;
    leaf->page_left = page->n_values;
    return PAIMON_OK;
}

static paimon_status load_page(pmn_parquet_leaf *leaf, paimon_error *err)
{
    PMN_TRY(pmn_parquet_pages_load(&leaf->pages, &leaf->page, leaf->node->max_def, leaf->node->max_rep, &leaf->data, err));
    leaf->loaded = true;
    return pmn_parquet_values_begin(leaf, err);
}

static paimon_status begin_group(pmn_parquet_leaf *leaf, int32_t group, paimon_error *err)
{
    const pmn_parquet_group *g = &leaf->file->meta.groups[group];
    const pmn_parquet_chunk *chunk = &g->chunks[leaf->node->first_leaf];
    if (chunk->encrypted) return pmn_fail(err, PAIMON_UNSUPPORTED, "encrypted columns are not supported");
    if (chunk->other_file) return pmn_fail(err, PAIMON_UNSUPPORTED, "column chunks in another file are not supported");
    if (!leaf->block_of) leaf->block_of = (pmn_parquet_block *)pmn_alloc(leaf->mem, sizeof *leaf->block_of);
    if (!leaf->block_of) return pmn_fail_nomem(err, "a column's scratch");
    pmn_parquet_pages_begin(&leaf->pages, chunk);
    leaf->group = group;
    leaf->group_rows = g->n_rows;
    leaf->row = 0;
    leaf->have_page = leaf->loaded = false;
    leaf->dictionary.n = -1;
    leaf->ahead_at = leaf->ahead_n = 0;
    leaf->index_tried = leaf->have_index = false;
    pmn_arena_free(&leaf->arena);
    return PAIMON_OK;
}

/* The validity of the next `n` ≤ block entries of a flat column into `bits`. */
static paimon_status take_validity(pmn_parquet_leaf *leaf, int64_t n, int64_t *n_valid, paimon_error *err)
{
    leaf->block_of->bits[(n - 1) >> 6] = 0; /* so that no stray bits follow the last one */
    return pmn_parquet_hybrid_bits(&leaf->data.def, (uint8_t *)leaf->block_of->bits, 0, n, n_valid) == n ? PAIMON_OK : levels_cut(err);
}

/* How many of the next entries are surely not null, told by one run of levels or by there being none. */
static int64_t valid_run(pmn_parquet_leaf *leaf)
{
    uint32_t level = 0;
    if (leaf->node->max_def == 0) return leaf->page_left;
    int64_t run = pmn_parquet_hybrid_peek(&leaf->data.def, &level);
    return level == 1 ? run : 0;
}

static paimon_status skip_flat(pmn_parquet_leaf *leaf, int64_t n, paimon_error *err)
{
    leaf->row += n;
    leaf->page_left -= n;
    while (n > 0) {
        int64_t m = valid_run(leaf), n_valid;
        if (m > 0) {
            if (m > n) m = n;
            if (leaf->node->max_def) (void)pmn_parquet_hybrid_skip(&leaf->data.def, m);
            n_valid = m;
        } else {
            m = n < PMN_PARQUET_BLOCK ? n : PMN_PARQUET_BLOCK;
            PMN_TRY(take_validity(leaf, m, &n_valid, err));
        }
        PMN_TRY(pmn_parquet_values_skip(leaf, n_valid, err));
        n -= m;
    }
    return PAIMON_OK;
}

/* With an offset index: go to the page that holds `row`, which lies past the current one. */
static paimon_status jump(pmn_parquet_leaf *leaf, int64_t row, bool *jumped, paimon_error *err)
{
    *jumped = false;
    if (!leaf->index_tried) {
        leaf->index_tried = true;
        PMN_TRY(pmn_parquet_offset_index_load(leaf->file, leaf->group, leaf->node->first_leaf, &leaf->arena, &leaf->index, &leaf->have_index, err));
    }
    if (!leaf->have_index) return PAIMON_OK;
    int32_t low = 0, high = leaf->index.n_pages; /* the last page that begins at or before `row` */
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (leaf->index.pages[middle].first_row <= row) low = middle;
        else high = middle;
    }
    const pmn_parquet_page_place *place = &leaf->index.pages[low];
    if (leaf->index.n_pages == 0 || place->first_row <= leaf->row || place->offset < leaf->pages.next) return PAIMON_OK;
    pmn_parquet_pages_seek(&leaf->pages, place->offset, place->bytes);
    leaf->row = place->first_row;
    leaf->have_page = false;
    *jumped = true;
    return PAIMON_OK;
}

/* Stand on row `row` of a flat column, its page loaded. Pages before it are not decompressed. */
static paimon_status seek_flat(pmn_parquet_leaf *leaf, int64_t row, paimon_error *err)
{
    while (true) {
        if (leaf->have_page && leaf->page_left > 0 && row < leaf->row + leaf->page_left) {
            if (!leaf->loaded) PMN_TRY(load_page(leaf, err));
            return row > leaf->row ? skip_flat(leaf, row - leaf->row, err) : PAIMON_OK;
        }
        if (leaf->have_page) {
            int64_t page_rows = leaf->page.n_values;
            bool jumped = false;
            leaf->row += leaf->page_left;
            leaf->page_left = 0;
            leaf->have_page = false;
            if (row >= leaf->row + page_rows) PMN_TRY(jump(leaf, row, &jumped, err));
        }
        PMN_TRY(next_page(leaf, err));
    }
}

/* `rows` rows of a flat page, all of them or those picked; `rows` is within what append_flat chose. */
static paimon_status append_mixed(pmn_parquet_leaf *leaf, int64_t rows, const int32_t *picked, int64_t k, paimon_error *err)
{
    int64_t n_valid;
    PMN_TRY(take_validity(leaf, rows, &n_valid, err));
    if (!picked) return pmn_parquet_values_append(leaf, rows, n_valid == rows ? NULL : leaf->block_of->bits, n_valid, NULL, 0, err);
    /* Rank of each picked row among the values, by words. */
    int64_t n = 0, before = 0, word_at = 0;
    memset(leaf->block_of->picked_bits, 0, pmn_bitmap_bytes(k) + 8);
    for (int64_t i = 0; i < k; i++) {
        int64_t word = picked[i] >> 6;
        for (; word_at < word; word_at++) before += __builtin_popcountll(leaf->block_of->bits[word_at]);
        uint64_t bits = PMN_LE64(leaf->block_of->bits[word]);
        uint64_t bit = UINT64_C(1) << (picked[i] & 63);
        leaf->block_of->picked_rows[n] = (int32_t)(before + __builtin_popcountll(bits & (bit - 1)));
        if (bits & bit) {
            pmn_bit_set((uint8_t *)leaf->block_of->picked_bits, i);
            n++;
        }
    }
    if (n == 0) {
        PMN_TRY(pmn_parquet_values_skip(leaf, n_valid, err));
        return pmn_parquet_values_append(leaf, k, leaf->block_of->picked_bits, 0, NULL, 0, err);
    }
    return pmn_parquet_values_append(leaf, k, n == k ? NULL : leaf->block_of->picked_bits, n_valid, leaf->block_of->picked_rows, n, err);
}

/* Up to `rows` rows from here, `*took` of them. `picked`: offsets from here, of which the `*k` ≤ `n_picked` that fit are used. */
static paimon_status append_flat(pmn_parquet_leaf *leaf, int64_t rows, const int32_t *picked, int64_t n_picked, int64_t *took, int64_t *k,
                                 paimon_error *err)
{
    bool long_runs = !picked && leaf->out.kind == PMN_LEAF_FIXED
                     && (leaf->values.form == PMN_PQ_FORM_PLAIN || leaf->values.form == PMN_PQ_FORM_DICTIONARY) && !leaf->convert.from_bytes;
    int64_t valid = valid_run(leaf);
    int64_t m = rows < leaf->page_left ? rows : leaf->page_left;
    if (!long_runs && m > leaf->block) m = leaf->block;
    if (picked) {
        int64_t n = 0;
        while (n < n_picked && picked[n] < m) n++;
        m = n ? picked[n - 1] + 1 : m;
        n_picked = n;
    }
    if (valid >= PMN_PARQUET_BLOCK / 2 && valid < m && !picked) m = valid; /* shorter runs would make many small blocks */
    if (valid < m && m > PMN_PARQUET_BLOCK) m = PMN_PARQUET_BLOCK;
    leaf->row += m;
    leaf->page_left -= m;
    *took = m;
    *k = picked ? n_picked : m;
    if (valid < m) return append_mixed(leaf, m, picked, n_picked, err);
    if (leaf->node->max_def) (void)pmn_parquet_hybrid_skip(&leaf->data.def, m);
    return pmn_parquet_values_append(leaf, picked ? n_picked : m, NULL, m, picked, n_picked, err);
}

static paimon_status read_flat(pmn_parquet_leaf *leaf, int64_t first, int64_t span, const int32_t *picked, int64_t n_picked, int64_t *done,
                               paimon_error *err)
{
    int64_t end = first + span, at = first, next = 0, took, k;
    while (picked ? next < n_picked : at < end) {
        if (picked) at = first + picked[next];
        PMN_TRY(seek_flat(leaf, at, err));
        if (picked) {
            int64_t n = 0;
            for (; n < leaf->block && next + n < n_picked && picked[next + n] - picked[next] < leaf->block; n++) leaf->block_of->picked[n] = picked[next + n] - picked[next];
            PMN_TRY(append_flat(leaf, end - at, leaf->block_of->picked, n, &took, &k, err));
            next += k;
        } else {
            PMN_TRY(append_flat(leaf, end - at, NULL, 0, &took, &k, err));
        }
        at += took;
        *done += k;
        if (leaf->out.data_size > PMN_BATCH_BYTES) return PAIMON_OK;
    }
    return PAIMON_OK;
}

/* --- nested columns: levels are decoded a block ahead, since a row ends only where the next one begins --- */

static paimon_status fill_ahead(pmn_parquet_leaf *leaf, bool *end, paimon_error *err)
{
    *end = false;
    while (!leaf->have_page || leaf->page_left == 0) {
        /* The last row has no row behind it that would end it. */
        if (leaf->row == leaf->group_rows && leaf->pages.next >= leaf->pages.end) {
            *end = true;
            return PAIMON_OK;
        }
        leaf->have_page = false;
        if (leaf->row == leaf->group_rows) {
            bool found;
            PMN_TRY(pmn_parquet_pages_next(&leaf->pages, &leaf->page, &found, err));
            if (leaf->page.type != PMN_PQ_PAGE_DATA && leaf->page.type != PMN_PQ_PAGE_DATA_V2) continue;
            leaf->have_page = true;
            leaf->loaded = false;
            leaf->page_left = leaf->page.n_values;
        } else {
            PMN_TRY(next_page(leaf, err));
        }
    }
    if (!leaf->loaded) PMN_TRY(load_page(leaf, err));
    int64_t n = leaf->page_left < leaf->block ? leaf->page_left : leaf->block;
    if (leaf->node->max_def == 0) memset(leaf->block_of->ahead_def, 0, (size_t)n);
    else if (pmn_parquet_hybrid_get8(&leaf->data.def, leaf->block_of->ahead_def, n) != n) return levels_cut(err);
    if (leaf->node->max_rep == 0) memset(leaf->block_of->ahead_rep, 0, (size_t)n);
    else if (pmn_parquet_hybrid_get8(&leaf->data.rep, leaf->block_of->ahead_rep, n) != n) return levels_cut(err);
    uint8_t max_def = 0, max_rep = 0;
    for (int64_t i = 0; i < n; i++) {
        max_def = leaf->block_of->ahead_def[i] > max_def ? leaf->block_of->ahead_def[i] : max_def;
        max_rep = leaf->block_of->ahead_rep[i] > max_rep ? leaf->block_of->ahead_rep[i] : max_rep;
    }
    if (max_def > leaf->node->max_def || max_rep > leaf->node->max_rep) {
        return pmn_fail(err, PAIMON_CORRUPT, "levels %d/%d, but the schema allows %d/%d", max_def, max_rep, leaf->node->max_def, leaf->node->max_rep);
    }
    leaf->page_left -= n;
    leaf->ahead_at = 0;
    leaf->ahead_n = (int32_t)n;
    return PAIMON_OK;
}

/* Whether what the leaf has read since the beginning of the batch is too much for more than one row, or for one. */
static paimon_status check_size(pmn_parquet_leaf *leaf, int64_t rows, paimon_error *err)
{
    if (leaf->out.data_size <= PMN_PARQUET_NESTED_BYTES && leaf->n_levels <= PMN_PARQUET_NESTED_LEVELS) return PAIMON_OK;
    leaf->too_big = rows > 1;
    if (rows > 1 || leaf->n_levels > 16 * (int64_t)PMN_PARQUET_NESTED_LEVELS) {
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%lld nested values at once are not supported", (long long)leaf->n_levels);
    }
    return PAIMON_OK;
}

static paimon_status keep_levels(pmn_parquet_leaf *leaf, int64_t more, paimon_error *err)
{
    size_t need = (size_t)(leaf->n_levels + more) + 64;
    if (need <= leaf->levels_capacity) return PAIMON_OK;
    if (need < leaf->levels_capacity * 2) need = leaf->levels_capacity * 2;
    uint8_t *defs = (uint8_t *)pmn_alloc(leaf->mem, need), *reps = (uint8_t *)pmn_alloc(leaf->mem, need);
    if (!defs || !reps) {
        pmn_free(leaf->mem, defs, need);
        pmn_free(leaf->mem, reps, need);
        return pmn_fail_nomem(err, "levels");
    }
    if (leaf->n_levels) {
        memcpy(defs, leaf->defs, (size_t)leaf->n_levels);
        memcpy(reps, leaf->reps, (size_t)leaf->n_levels);
    }
    pmn_free(leaf->mem, leaf->defs, leaf->levels_capacity);
    pmn_free(leaf->mem, leaf->reps, leaf->levels_capacity);
    leaf->defs = defs;
    leaf->reps = reps;
    leaf->levels_capacity = need;
    return PAIMON_OK;
}

/* Slots and values among `n` levels that are kept: validity of the slots into `bits`. */
static int64_t slots_of(pmn_parquet_leaf *leaf, const uint8_t *defs, int64_t n, int64_t *n_valid)
{
    return pmn_parquet_mark_slots(defs, NULL, n, leaf->slot_def, 0, leaf->node->max_def, leaf->block_of->bits, n_valid);
}

/* `n` entries of the block ahead are part of the rows wanted, all of them. */
static paimon_status take_entries(pmn_parquet_leaf *leaf, int64_t n, paimon_error *err)
{
    int64_t slots, valid;
    const uint8_t *defs = leaf->block_of->ahead_def + leaf->ahead_at;
    PMN_TRY(keep_levels(leaf, n, err));
    memcpy(leaf->defs + leaf->n_levels, defs, (size_t)n);
    memcpy(leaf->reps + leaf->n_levels, leaf->block_of->ahead_rep + leaf->ahead_at, (size_t)n);
    leaf->n_levels += n;
    leaf->ahead_at += (int32_t)n;
    if (leaf->levels_only) return PAIMON_OK;
    slots = slots_of(leaf, defs, n, &valid);
    return pmn_parquet_values_append(leaf, slots, valid == slots ? NULL : leaf->block_of->bits, valid, NULL, 0, err);
}

/* `n` entries ahead, of which only those of picked rows are wanted; `row` is the row before the first of them that begins one. */
static paimon_status pick_entries(pmn_parquet_leaf *leaf, int64_t n, int64_t row, int64_t first, const int32_t *picked, int64_t n_picked, int64_t *next,
                                  paimon_error *err)
{
    const uint8_t *defs = leaf->block_of->ahead_def + leaf->ahead_at, *reps = leaf->block_of->ahead_rep + leaf->ahead_at;
    int64_t values = 0, kept_values = 0, from = leaf->n_levels, slots, valid;
    PMN_TRY(keep_levels(leaf, n, err));
    for (int64_t i = 0; i < n; i++) {
        row += reps[i] == 0;
        while (*next < n_picked && first + picked[*next] < row) ++*next;
        bool keep = *next < n_picked && first + picked[*next] == row;
        bool value = defs[i] == leaf->node->max_def;
        if (keep) {
            leaf->defs[leaf->n_levels] = defs[i];
            leaf->reps[leaf->n_levels++] = reps[i];
            if (value) leaf->block_of->picked_rows[kept_values++] = (int32_t)values;
        }
        values += value;
    }
    leaf->ahead_at += (int32_t)n;
    if (leaf->levels_only) return PAIMON_OK;
    slots = slots_of(leaf, leaf->defs + from, leaf->n_levels - from, &valid);
    if (kept_values == 0) PMN_TRY(pmn_parquet_values_skip(leaf, values, err));
    if (slots == 0) return PAIMON_OK;
    if (kept_values == 0) return pmn_parquet_values_append(leaf, slots, leaf->block_of->bits, 0, NULL, 0, err);
    return pmn_parquet_values_append(leaf, slots, valid == slots ? NULL : leaf->block_of->bits, values, leaf->block_of->picked_rows, kept_values, err);
}

/* How many of the entries ahead come before row `end` begins, and how many rows begin among them. */
static int64_t entries_before(const pmn_parquet_leaf *leaf, int64_t end, int64_t *rows)
{
    int64_t n = leaf->ahead_n - leaf->ahead_at, begun = 0, i = 0;
    const uint8_t *reps = leaf->block_of->ahead_rep + leaf->ahead_at;
    begun = pmn_parquet_count_level(reps, n, 0);
    if (leaf->row + begun <= end) {
        *rows = begun;
        return n;
    }
    for (i = 0, begun = 0; i < n; i++) {
        if (reps[i] == 0 && leaf->row + begun++ == end) {
            begun--;
            break;
        }
    }
    *rows = begun;
    return i;
}

static paimon_status skip_entries(pmn_parquet_leaf *leaf, int64_t n, paimon_error *err)
{
    int64_t values = pmn_parquet_count_level(leaf->block_of->ahead_def + leaf->ahead_at, n, leaf->node->max_def);
    leaf->ahead_at += (int32_t)n;
    return pmn_parquet_values_skip(leaf, values, err);
}

/* Before a long way: with an offset index, whose pages begin with a row, go to the page of row `first`. */
static paimon_status jump_nested(pmn_parquet_leaf *leaf, int64_t first, paimon_error *err)
{
    bool jumped;
    if (first < leaf->row + 2 * PMN_PARQUET_BLOCK) return PAIMON_OK;
    if (!leaf->have_page && leaf->row == 0) PMN_TRY(next_page(leaf, err)); /* the dictionary comes first */
    PMN_TRY(jump(leaf, first, &jumped, err));
    if (jumped) leaf->ahead_at = leaf->ahead_n = 0;
    return PAIMON_OK;
}

static paimon_status read_nested(pmn_parquet_leaf *leaf, int64_t first, int64_t span, const int32_t *picked, int64_t n_picked, int64_t *done,
                                 paimon_error *err)
{
    int64_t end = first + span, next = 0, rows;
    PMN_TRY(jump_nested(leaf, first, err));
    while (true) {
        PMN_TRY(check_size(leaf, picked ? n_picked : span, err));
        if (leaf->ahead_at == leaf->ahead_n) {
            bool at_end;
            PMN_TRY(fill_ahead(leaf, &at_end, err));
            if (at_end) break;
        }
        if (leaf->row == 0 && leaf->block_of->ahead_rep[leaf->ahead_at] != 0) return pmn_fail(err, PAIMON_CORRUPT, "the first row begins inside a list");
        bool before = leaf->row <= first; /* rows begun so far end before `first` */
        int64_t n = entries_before(leaf, before ? first : end, &rows);
        if (n > 0) {
            int64_t row = leaf->row - 1;
            leaf->row += rows;
            if (before) PMN_TRY(skip_entries(leaf, n, err));
            else if (picked) PMN_TRY(pick_entries(leaf, n, row, first, picked, n_picked, &next, err));
            else PMN_TRY(take_entries(leaf, n, err));
        } else if (!before) {
            break;
        } else {
            /* Row `first` begins here: mark it begun by taking its first entry with what follows. */
            int64_t row = leaf->row - 1;
            n = 1;
            while (leaf->ahead_at + n < leaf->ahead_n && leaf->block_of->ahead_rep[leaf->ahead_at + n] != 0) n++;
            leaf->row++;
            if (picked) PMN_TRY(pick_entries(leaf, n, row, first, picked, n_picked, &next, err));
            else PMN_TRY(take_entries(leaf, n, err));
        }
    }
    if (leaf->row != end) return pmn_fail(err, PAIMON_CORRUPT, "the pages hold %lld rows where %lld are", (long long)leaf->row, (long long)end);
    *done += picked ? n_picked : span;
    return PAIMON_OK;
}

paimon_status pmn_parquet_leaf_read(pmn_parquet_leaf *leaf, int32_t group, int64_t first, int64_t span, const int32_t *picked, int64_t n_picked,
                                    int64_t *done, paimon_error *err)
{
    paimon_status status = PAIMON_OK;
    if (leaf->group != group) status = begin_group(leaf, group, err);
    if (status == PAIMON_OK) {
        status = leaf->nested ? read_nested(leaf, first, span, picked, n_picked, done, err) : read_flat(leaf, first, span, picked, n_picked, done, err);
    }
    if (status == PAIMON_OK) return status;
    pmn_error_prefix(err, "column %s, row group %d, page at byte %lld", leaf->path, (int)group, (long long)leaf->page.offset);
    pmn_parquet_leaf_reset(leaf); /* a cursor that failed stands nowhere */
    return status;
}
