/* The values of a page that are not null, from whatever encoding into the Arrow leaf array. */
#include <string.h>

#include "base/bitmap.h"
#include "format/gather.h"
#include "format/parquet/column.h"
#include "format/parquet/unpack.h"

#define JOIN_MAX (256 * 1024 * 1024)
#define JOIN_GOOD (2 * 1024 * 1024)

static paimon_status values_cut(paimon_error *err)
{
    return pmn_fail(err, PAIMON_CORRUPT, "the page has fewer values than its levels and header say");
}

static paimon_status begin_encoding(pmn_parquet_leaf *leaf, paimon_error *err)
{
    pmn_parquet_values *v = &leaf->values;
    pmn_slice bytes = leaf->data.values;
    pmn_parquet_physical physical = leaf->convert.physical;
    int64_t n = leaf->page.n_values;
    bool is_number = physical == PMN_PQ_INT32 || physical == PMN_PQ_INT64;
    const uint8_t *end;
    switch (leaf->page.encoding) {
    case PMN_PQ_PLAIN: v->form = PMN_PQ_FORM_PLAIN; return PAIMON_OK;
    case PMN_PQ_PLAIN_DICTIONARY:
    case PMN_PQ_RLE_DICTIONARY:
        v->form = PMN_PQ_FORM_DICTIONARY;
        if (leaf->dictionary.n < 0) return pmn_fail(err, PAIMON_CORRUPT, "values are dictionary indices, but the column chunk has no dictionary");
        if (bytes.size == 0) { /* a page of nulls may lack even the width */
            pmn_parquet_hybrid_init(&v->runs, bytes, 0);
            return PAIMON_OK;
        }
        if (bytes.data[0] > 32) return pmn_fail(err, PAIMON_CORRUPT, "dictionary indices of %d bits", bytes.data[0]);
        pmn_parquet_hybrid_init(&v->runs, pmn_slice_of(bytes.data + 1, bytes.size - 1), bytes.data[0]);
        return PAIMON_OK;
    case PMN_PQ_RLE:
        if (physical != PMN_PQ_BOOLEAN) break;
        v->form = PMN_PQ_FORM_RUNS;
        if (bytes.size >= 4 && pmn_load_le32(bytes.data) <= bytes.size - 4) {
            pmn_parquet_hybrid_init(&v->runs, pmn_slice_of(bytes.data + 4, pmn_load_le32(bytes.data)), 1);
            return PAIMON_OK;
        }
        if (bytes.size) return values_cut(err);
        pmn_parquet_hybrid_init(&v->runs, bytes, 1);
        return PAIMON_OK;
    case PMN_PQ_DELTA_BINARY_PACKED:
        if (!is_number) break;
        v->form = PMN_PQ_FORM_DELTA;
        if (bytes.size == 0) return PAIMON_OK;
        return pmn_parquet_delta_init(&v->delta, bytes, n, err);
    case PMN_PQ_BYTE_STREAM_SPLIT:
        if (leaf->convert.in_width == 0 || physical == PMN_PQ_INT96) break;
        v->form = PMN_PQ_FORM_SPLIT;
        if (bytes.size % (size_t)leaf->convert.in_width) {
            return pmn_fail(err, PAIMON_CORRUPT, "byte streams of %zu bytes for values of %d", bytes.size, leaf->convert.in_width);
        }
        v->split_n = (int64_t)(bytes.size / (size_t)leaf->convert.in_width);
        return PAIMON_OK;
    case PMN_PQ_DELTA_LENGTH_BYTE_ARRAY:
        if (physical != PMN_PQ_BYTE_ARRAY) break;
        v->form = PMN_PQ_FORM_DELTA_LENGTH;
        if (bytes.size == 0) return PAIMON_OK;
        PMN_TRY(pmn_parquet_delta_init(&v->delta, bytes, n, err));
        return pmn_parquet_delta_end(&v->delta, &v->pos, err);
    case PMN_PQ_DELTA_BYTE_ARRAY:
        if (physical != PMN_PQ_BYTE_ARRAY && physical != PMN_PQ_FIXED) break;
        v->form = PMN_PQ_FORM_DELTA_BYTES;
        if (bytes.size == 0) return PAIMON_OK;
        PMN_TRY(pmn_parquet_delta_init(&v->delta, bytes, n, err));
        PMN_TRY(pmn_parquet_delta_end(&v->delta, &end, err));
        PMN_TRY(pmn_parquet_delta_init(&v->suffix, pmn_slice_of(end, (size_t)(v->end - end)), n, err));
        return pmn_parquet_delta_end(&v->suffix, &v->pos, err);
    default: break;
    }
    return pmn_fail(err, PAIMON_CORRUPT, "%s values in encoding %d (%s)", pmn_parquet_physical_name(physical), leaf->page.encoding,
                    pmn_parquet_encoding_name(leaf->page.encoding));
}

/* How many rows a block may have so that its strings stay within bounds. */
static int32_t block_rows(const pmn_parquet_leaf *leaf)
{
    const pmn_parquet_values *v = &leaf->values;
    if (v->form == PMN_PQ_FORM_DELTA_BYTES) return 64;
    bool var = leaf->convert.out == PMN_LEAF_VAR32 || leaf->convert.out == PMN_LEAF_VAR64;
    if (!var || v->form != PMN_PQ_FORM_DICTIONARY || leaf->dictionary.longest == 0) return PMN_PARQUET_BLOCK;
    int64_t rows = PMN_BATCH_BYTES / leaf->dictionary.longest;
    return rows < 1 ? 1 : rows < PMN_PARQUET_BLOCK ? (int32_t)rows : PMN_PARQUET_BLOCK;
}

paimon_status pmn_parquet_values_begin(pmn_parquet_leaf *leaf, paimon_error *err)
{
    pmn_parquet_values *v = &leaf->values;
    leaf->block = PMN_PARQUET_BLOCK;
    if (leaf->levels_only || leaf->convert.out == PMN_LEAF_NULL) return PAIMON_OK;
    v->form = PMN_PQ_FORM_PLAIN;
    v->pos = leaf->data.values.data;
    v->end = v->pos + leaf->data.values.size;
    v->bit = v->split_n = v->split_at = 0;
    v->last_size = 0;
    v->delta.left = v->suffix.left = 0;
    PMN_TRY(begin_encoding(leaf, err));
    leaf->block = block_rows(leaf);
    return PAIMON_OK;
}

paimon_status pmn_parquet_misfit(const pmn_parquet_leaf *leaf, paimon_error *err)
{
    return pmn_fail(err, PAIMON_CORRUPT, "a value near row %lld does not fit the type that is wanted", (long long)leaf->row);
}

/* Indices of the next `n` ≤ block values, checked against the dictionary. */
static paimon_status take_indices(pmn_parquet_leaf *leaf, int64_t n, paimon_error *err)
{
    if (n == 0) return PAIMON_OK;
    if (pmn_parquet_hybrid_get32(&leaf->values.runs, leaf->block_of->indices, n) != n) return values_cut(err);
    if (leaf->dictionary.n > 0 && pmn_all_below(leaf->block_of->indices, n, (uint32_t)leaf->dictionary.n)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CORRUPT, "a dictionary index past the %lld values of the dictionary", (long long)leaf->dictionary.n);
}

static void pick_indices(pmn_parquet_leaf *leaf, const int32_t *picked, int64_t k)
{
    for (int64_t i = 0; i < k; i++) leaf->block_of->indices[i] = leaf->block_of->indices[picked[i]];
}

/* What scratch for `n` values holds: a whole block of short ones, so that it grows once; of long ones, whose number the page's bytes
 * bound, no more than there are. */
static size_t scratch_values(int64_t n, int32_t width) { return width > 64 ? (size_t)n : PMN_PARQUET_BLOCK; }

static paimon_status need_fixed(pmn_parquet_leaf *leaf, int64_t n, paimon_error *err)
{
    int32_t width = leaf->convert.in_width;
    return pmn_scratch(leaf->mem, &leaf->fixed, &leaf->fixed_capacity, scratch_values(n, width) * (size_t)width, false, err);
}

/* Where the next `n` stored values of a fixed width lie, one behind the other. */
static paimon_status fixed_source(pmn_parquet_leaf *leaf, int64_t n, const uint8_t **src, paimon_error *err)
{
    pmn_parquet_values *v = &leaf->values;
    int32_t width = leaf->convert.in_width;
    if (v->form == PMN_PQ_FORM_PLAIN) {
        if ((uint64_t)n * (uint64_t)width > (uint64_t)(v->end - v->pos)) return values_cut(err);
        *src = v->pos;
        v->pos += n * width;
        return PAIMON_OK;
    }
    if (v->form == PMN_PQ_FORM_SPLIT) {
        if (n > v->split_n - v->split_at) return values_cut(err);
        PMN_TRY(need_fixed(leaf, n, err));
        pmn_parquet_join_streams(v->pos, v->split_n, v->split_at, n, width, leaf->fixed);
        v->split_at += n;
        *src = leaf->fixed;
        return PAIMON_OK;
    }
    PMN_TRY(pmn_parquet_delta_get(&v->delta, leaf->block_of->numbers, n, err));
    if (width == 8) {
        *src = (const uint8_t *)leaf->block_of->numbers;
        return PAIMON_OK;
    }
    PMN_TRY(need_fixed(leaf, n, err));
    for (int64_t i = 0; i < n; i++) pmn_store_le32(leaf->fixed + i * 4, (uint32_t)(uint64_t)leaf->block_of->numbers[i]);
    *src = leaf->fixed;
    return PAIMON_OK;
}

/* Values `picked` of `src` to the front of the block scratch. */
static paimon_status pick_fixed(pmn_parquet_leaf *leaf, const int32_t *picked, int64_t k, const uint8_t **src, paimon_error *err)
{
    if (*src != leaf->fixed) PMN_TRY(need_fixed(leaf, k, err));
    int32_t width = leaf->convert.in_width;
    /* Upwards: a target never lies above its source. */
    switch (width) {
    case 4:
        for (int64_t i = 0; i < k; i++) memmove(leaf->fixed + i * 4, *src + (int64_t)picked[i] * 4, 4);
        break;
    case 8:
        for (int64_t i = 0; i < k; i++) memmove(leaf->fixed + i * 8, *src + (int64_t)picked[i] * 8, 8);
        break;
    default:
        for (int64_t i = 0; i < k; i++) memmove(leaf->fixed + i * width, *src + (int64_t)picked[i] * width, (size_t)width);
    }
    *src = leaf->fixed;
    return PAIMON_OK;
}

/* DELTA_BYTES: the next `n` values, each the front of the one before and a suffix, into `joined`. */
static paimon_status join_values(pmn_parquet_leaf *leaf, int64_t n, paimon_error *err)
{
    pmn_parquet_values *v = &leaf->values;
    int64_t prefix[64], suffix[64];
    size_t before = v->last_size, total = before, at = before;
    PMN_TRY(pmn_parquet_delta_get(&v->delta, prefix, n, err));
    PMN_TRY(pmn_parquet_delta_get(&v->suffix, suffix, n, err));
    for (int64_t i = 0; i < n; i++) {
        if (prefix[i] < 0 || (uint64_t)prefix[i] > before || suffix[i] < 0 || suffix[i] > INT32_MAX) {
            return pmn_fail(err, PAIMON_CORRUPT, "string of %lld + %lld bytes behind one of %zu", (long long)prefix[i], (long long)suffix[i], before);
        }
        before = (size_t)(prefix[i] + suffix[i]);
        total += before;
        if (total > JOIN_MAX) return pmn_fail(err, PAIMON_UNSUPPORTED, "more than 256 MB of delta-encoded strings at once are not supported");
    }
    PMN_TRY(pmn_scratch(leaf->mem, &leaf->joined, &leaf->joined_capacity, total, true, err));
    size_t last = 0;
    for (int64_t i = 0; i < n; i++) {
        if (suffix[i] > v->end - v->pos) return values_cut(err);
        uint8_t *to = leaf->joined + at;
        memcpy(to, leaf->joined + last, (size_t)prefix[i]);
        memcpy(to + prefix[i], v->pos, (size_t)suffix[i]);
        v->pos += suffix[i];
        leaf->block_of->slices[i] = pmn_slice_of(to, (size_t)(prefix[i] + suffix[i]));
        last = at;
        at += leaf->block_of->slices[i].size;
    }
    if (total > JOIN_GOOD) leaf->block = 1;
    return PAIMON_OK;
}

/* After the slices were used: the last one comes to the front, for the next block. */
static void keep_last(pmn_parquet_leaf *leaf, int64_t n)
{
    if (leaf->values.form != PMN_PQ_FORM_DELTA_BYTES || n == 0) return;
    pmn_slice last = leaf->block_of->slices[n - 1];
    memmove(leaf->joined, last.data, last.size);
    leaf->values.last_size = last.size;
}

/* The next `n` ≤ block values as slices. */
static paimon_status take_slices(pmn_parquet_leaf *leaf, int64_t n, paimon_error *err)
{
    pmn_parquet_values *v = &leaf->values;
    if (n == 0) return PAIMON_OK;
    if (v->form == PMN_PQ_FORM_DELTA_BYTES) return join_values(leaf, n, err);
    if (leaf->convert.in_width) {
        const uint8_t *src;
        PMN_TRY(fixed_source(leaf, n, &src, err));
        for (int64_t i = 0; i < n; i++) leaf->block_of->slices[i] = pmn_slice_of(src + i * leaf->convert.in_width, (size_t)leaf->convert.in_width);
        return PAIMON_OK;
    }
    if (v->form == PMN_PQ_FORM_DELTA_LENGTH) {
        PMN_TRY(pmn_parquet_delta_get(&v->delta, leaf->block_of->numbers, n, err));
        for (int64_t i = 0; i < n; i++) {
            if (leaf->block_of->numbers[i] < 0 || leaf->block_of->numbers[i] > v->end - v->pos) return values_cut(err);
            leaf->block_of->slices[i] = pmn_slice_of(v->pos, (size_t)leaf->block_of->numbers[i]);
            v->pos += leaf->block_of->numbers[i];
        }
        return PAIMON_OK;
    }
    pmn_cursor c = { v->pos, v->pos, v->end };
    for (int64_t i = 0; i < n; i++) {
        uint32_t length;
        if (!pmn_cursor_le32(&c, &length) || !pmn_cursor_take(&c, length, &leaf->block_of->slices[i])) return values_cut(err);
    }
    v->pos = c.pos;
    return PAIMON_OK;
}

/* Fixed-width results: of the next `n` values all, or those picked, to `dst`. */
static paimon_status take_fixed(pmn_parquet_leaf *leaf, int64_t n, const int32_t *picked, int64_t k, uint8_t *dst, paimon_error *err)
{
    const pmn_parquet_convert *c = &leaf->convert;
    const uint8_t *src;
    if (leaf->values.form == PMN_PQ_FORM_DICTIONARY) {
        for (int64_t at = 0; at < n;) {
            int64_t m = n - at < PMN_PARQUET_BLOCK ? n - at : PMN_PARQUET_BLOCK;
            PMN_TRY(take_indices(leaf, m, err));
            if (picked) pick_indices(leaf, picked, k);
            pmn_gather(leaf->dictionary.values, leaf->block_of->indices, picked ? k : m, c->out_width, dst + at * c->out_width);
            at += m;
        }
        return PAIMON_OK;
    }
    if (c->from_bytes || leaf->values.form == PMN_PQ_FORM_DELTA_BYTES) {
        PMN_TRY(take_slices(leaf, n, err));
        for (int64_t i = 0; i < k; i++) {
            pmn_slice s = leaf->block_of->slices[picked ? picked[i] : i];
            if (c->from_bytes) {
                if (!c->from_bytes(c, s, dst + i * c->out_width)) return pmn_parquet_misfit(leaf, err);
            } else {
                /* Fixed values in delta encoding: the copy gives the conversion the slack that it may read. */
                uint8_t one[64 + 16];
                if (s.size != (size_t)c->in_width) return values_cut(err);
                if (!c->fn) memcpy(dst + i * c->out_width, s.data, s.size);
                else if (s.size > 64) return pmn_parquet_misfit(leaf, err);
                else if (memcpy(one, s.data, s.size), c->fn(c, one, 1, dst + i * c->out_width) >= 0) return pmn_parquet_misfit(leaf, err);
            }
        }
        keep_last(leaf, n);
        return PAIMON_OK;
    }
    PMN_TRY(fixed_source(leaf, n, &src, err));
    if (picked) PMN_TRY(pick_fixed(leaf, picked, k, &src, err));
    if (c->identity) {
        if (k) memcpy(dst, src, (size_t)k * (size_t)c->out_width);
        return PAIMON_OK;
    }
    return c->fn(c, src, k, dst) < 0 ? PAIMON_OK : pmn_parquet_misfit(leaf, err);
}

/* PLAIN strings. Three copies of 16 bytes without a question cover nearly all; the reservation is made once by the caller. */
static bool copy_plain(pmn_parquet_values *v, int64_t n, uint8_t *dst, int64_t *at, int32_t *ends)
{
    const uint8_t *p = v->pos, *end = v->end;
    int64_t o = *at;
    for (int64_t i = 0; i < n; i++) {
        if (PMN_UNLIKELY(end - p < 4)) return false;
        uint32_t length = pmn_load_le32(p);
        p += 4;
        if (PMN_UNLIKELY(length > (uint64_t)(end - p))) return false;
        memcpy(dst + o, p, 16);
        memcpy(dst + o + 16, p + 16, 16);
        memcpy(dst + o + 32, p + 32, 16);
        if (PMN_UNLIKELY(length > 48)) memcpy(dst + o + 48, p + 48, length - 48);
        p += length;
        o += length;
        ends[i] = (int32_t)o;
    }
    v->pos = p;
    *at = o;
    return true;
}

/* Bytes that the next `n` PLAIN strings take at most: the rest of the page, or, where that is much, their lengths added up. */
static int64_t plain_bound(const pmn_parquet_values *v, int64_t n)
{
    int64_t left = v->end - v->pos, sum = 0;
    if (left <= 2 * 1024 * 1024) return left;
    const uint8_t *p = v->pos;
    for (int64_t i = 0; i < n && v->end - p >= 4; i++) {
        uint32_t length = pmn_load_le32(p);
        p += 4;
        if (length > (uint64_t)(v->end - p)) break;
        p += length;
        sum += length;
    }
    return sum;
}

/* Room for `bytes` more; `*base` + `*start` is where they go, and offsets count from `*base`. */
static paimon_status begin_strings(pmn_parquet_leaf *leaf, int64_t bytes, uint8_t **base, int64_t *start, paimon_error *err)
{
    pmn_leaf_out *out = &leaf->out;
    if (bytes > INT32_MAX || (out->kind == PMN_LEAF_VAR32 && out->data_size + bytes > INT32_MAX)) {
        return pmn_fail(err, PAIMON_UNSUPPORTED, "more than 2 GB of strings in one batch are not supported; ask for fewer rows a batch");
    }
    PMN_TRY(pmn_leaf_out_reserve_data(out, bytes, err));
    *base = out->kind == PMN_LEAF_VAR32 ? out->data->data : out->data->data + out->data_size;
    *start = out->kind == PMN_LEAF_VAR32 ? out->data_size : 0;
    return PAIMON_OK;
}

/* Strings from a dictionary of long ones: lengths first, then the copies in steps of 16 bytes. */
static paimon_status gather_long(pmn_parquet_leaf *leaf, int64_t k, int32_t *ends, paimon_error *err)
{
    const pmn_parquet_dictionary *d = &leaf->dictionary;
    int64_t bytes = 0, start, at;
    uint8_t *base;
    for (int64_t i = 0; i < k; i++) bytes += d->lengths[leaf->block_of->indices[i]];
    PMN_TRY(begin_strings(leaf, bytes, &base, &start, err));
    at = start;
    for (int64_t i = 0; i < k; i++) {
        const uint8_t *from = d->values + d->offsets[leaf->block_of->indices[i]];
        int64_t length = d->lengths[leaf->block_of->indices[i]];
        uint8_t *to = base + at;
        if (length <= 512) {
            for (int64_t b = 0; b < length; b += 16) memcpy(to + b, from + b, 16);
        } else {
            memcpy(to, from, (size_t)length);
        }
        at += length;
        ends[i] = (int32_t)at;
    }
    leaf->out.data_size += at - start;
    return PAIMON_OK;
}

/* String results: bytes behind those in `out`, `ends` as begin_strings counts. `n` ≤ block. */
static paimon_status take_strings(pmn_parquet_leaf *leaf, int64_t n, const int32_t *picked, int64_t k, int32_t *ends, paimon_error *err)
{
    pmn_parquet_values *v = &leaf->values;
    pmn_leaf_out *out = &leaf->out;
    int64_t start, at;
    uint8_t *base;
    if (v->form == PMN_PQ_FORM_DICTIONARY) {
        const pmn_parquet_dictionary *d = &leaf->dictionary;
        PMN_TRY(take_indices(leaf, n, err));
        if (picked) pick_indices(leaf, picked, k);
        if (d->stride == 0) return gather_long(leaf, k, ends, err);
        PMN_TRY(begin_strings(leaf, k * d->longest, &base, &start, err));
        at = pmn_gather_slots(d->values, d->stride, d->lengths, leaf->block_of->indices, k, base, start, ends);
        out->data_size += at - start;
        return PAIMON_OK;
    }
    if (v->form == PMN_PQ_FORM_PLAIN && !picked && leaf->convert.in_width == 0) {
        PMN_TRY(begin_strings(leaf, plain_bound(v, n), &base, &start, err));
        at = start;
        if (!copy_plain(v, n, base, &at, ends)) return values_cut(err);
        out->data_size += at - start;
        return PAIMON_OK;
    }
    int64_t bytes = 0;
    PMN_TRY(take_slices(leaf, n, err));
    for (int64_t i = 0; i < k; i++) bytes += (int64_t)leaf->block_of->slices[picked ? picked[i] : i].size;
    PMN_TRY(begin_strings(leaf, bytes, &base, &start, err));
    at = start;
    for (int64_t i = 0; i < k; i++) {
        pmn_slice s = leaf->block_of->slices[picked ? picked[i] : i];
        if (s.size) memcpy(base + at, s.data, s.size);
        at += (int64_t)s.size;
        ends[i] = (int32_t)at;
    }
    out->data_size += at - start;
    keep_last(leaf, n);
    return PAIMON_OK;
}

/* Booleans of the next `n` ≤ block values to bits of `dst` from bit 0. */
static paimon_status take_bits(pmn_parquet_leaf *leaf, int64_t n, const int32_t *picked, int64_t k, uint8_t *dst, paimon_error *err)
{
    pmn_parquet_values *v = &leaf->values;
    uint8_t all[PMN_PARQUET_BLOCK / 8 + 8];
    uint8_t *to = picked ? all : dst;
    int64_t ones;
    if (v->form == PMN_PQ_FORM_RUNS) {
        if (pmn_parquet_hybrid_bits(&v->runs, to, 0, n, &ones) != n) return values_cut(err);
    } else if (v->form == PMN_PQ_FORM_PLAIN) {
        if (v->bit + n > (v->end - v->pos) * 8) return values_cut(err);
        pmn_bitmap_copy(to, 0, v->pos, v->bit, n);
        v->bit += n;
    } else {
        return values_cut(err);
    }
    if (!picked) return PAIMON_OK;
    memset(dst, 0, pmn_bitmap_bytes(k));
    for (int64_t i = 0; i < k; i++) {
        if (pmn_bit_get(all, picked[i])) pmn_bit_set(dst, i);
    }
    return PAIMON_OK;
}

static paimon_status append_bits(pmn_parquet_leaf *leaf, int64_t rows, const uint64_t *bits, int64_t n, const int32_t *picked, int64_t k,
                                 paimon_error *err)
{
    uint8_t got[PMN_PARQUET_BLOCK / 8 + 8], spread[PMN_PARQUET_BLOCK / 8 + 8];
    PMN_TRY(take_bits(leaf, n, picked, k, got, err));
    if (!bits) {
        pmn_bitmap_copy(leaf->out.values->data, leaf->out.n, got, 0, rows);
        return PAIMON_OK;
    }
    memset(spread, 0, pmn_bitmap_bytes(rows));
    for (int64_t i = 0, j = 0; i < rows; i++) {
        if (pmn_bit_get((const uint8_t *)bits, i)) {
            if (pmn_bit_get(got, j)) pmn_bit_set(spread, i);
            j++;
        }
    }
    pmn_bitmap_copy(leaf->out.values->data, leaf->out.n, spread, 0, rows);
    return PAIMON_OK;
}

static paimon_status append_fixed(pmn_parquet_leaf *leaf, int64_t rows, const uint64_t *bits, int64_t n, const int32_t *picked, int64_t k,
                                  paimon_error *err)
{
    int32_t width = leaf->convert.out_width;
    uint8_t *dst = leaf->out.values->data + leaf->out.n * width;
    if (!bits) return take_fixed(leaf, n, picked, k, dst, err);
    PMN_TRY(pmn_scratch(leaf->mem, &leaf->compact, &leaf->compact_capacity, (scratch_values(k, width) + 1) * (size_t)width, false, err));
    PMN_TRY(take_fixed(leaf, n, picked, k, leaf->compact, err));
    pmn_spread(leaf->compact, bits, rows, width, dst);
    return PAIMON_OK;
}

static paimon_status append_strings(pmn_parquet_leaf *leaf, int64_t rows, const uint64_t *bits, int64_t n, const int32_t *picked, int64_t k,
                                    paimon_error *err)
{
    pmn_leaf_out *out = &leaf->out;
    int64_t before = out->data_size;
    bool small = out->kind == PMN_LEAF_VAR32;
    int32_t *offsets = small ? (int32_t *)(void *)out->values->data + out->n + 1 : leaf->block_of->ends + 1;
    if (!bits && small) return take_strings(leaf, n, picked, k, offsets, err);
    leaf->block_of->ends[0] = small ? (int32_t)before : 0;
    PMN_TRY(take_strings(leaf, n, picked, k, leaf->block_of->ends + 1, err));
    if (small) {
        pmn_spread_ends(leaf->block_of->ends, bits, rows, offsets);
        return PAIMON_OK;
    }
    int64_t *wide = (int64_t *)(void *)out->values->data + out->n + 1;
    const int32_t *at = leaf->block_of->ends;
    for (int64_t i = 0; i < rows; i++) {
        at += bits ? pmn_bit_get((const uint8_t *)bits, i) : 1;
        wide[i] = before + *at;
    }
    return PAIMON_OK;
}

paimon_status pmn_parquet_values_append(pmn_parquet_leaf *leaf, int64_t rows, const uint64_t *bits, int64_t n, const int32_t *picked, int64_t n_picked,
                                        paimon_error *err)
{
    pmn_leaf_out *out = &leaf->out;
    int64_t k = picked ? n_picked : n;
    if (leaf->levels_only) return PAIMON_OK;
    PMN_TRY(pmn_leaf_out_reserve(out, rows, err));
    PMN_TRY(pmn_leaf_out_validity(out, (const uint8_t *)bits, rows, bits ? k : rows, err));
    switch (out->kind) {
    case PMN_LEAF_FIXED: PMN_TRY(append_fixed(leaf, rows, bits, n, picked, k, err)); break;
    case PMN_LEAF_BITS: PMN_TRY(append_bits(leaf, rows, bits, n, picked, k, err)); break;
    case PMN_LEAF_VAR32:
    case PMN_LEAF_VAR64: PMN_TRY(append_strings(leaf, rows, bits, n, picked, k, err)); break;
    default: break;
    }
    out->n += rows;
    return PAIMON_OK;
}

paimon_status pmn_parquet_values_skip(pmn_parquet_leaf *leaf, int64_t n, paimon_error *err)
{
    pmn_parquet_values *v = &leaf->values;
    if (leaf->levels_only || leaf->convert.out == PMN_LEAF_NULL || n == 0) return PAIMON_OK;
    if (v->form == PMN_PQ_FORM_DICTIONARY || v->form == PMN_PQ_FORM_RUNS) {
        return pmn_parquet_hybrid_skip(&v->runs, n) == n ? PAIMON_OK : values_cut(err);
    }
    if (v->form == PMN_PQ_FORM_SPLIT) {
        if (n > v->split_n - v->split_at) return values_cut(err);
        v->split_at += n;
        return PAIMON_OK;
    }
    if (v->form == PMN_PQ_FORM_PLAIN && leaf->convert.physical == PMN_PQ_BOOLEAN) {
        if (n > (v->end - v->pos) * 8 - v->bit) return values_cut(err);
        v->bit += n;
        return PAIMON_OK;
    }
    if (v->form == PMN_PQ_FORM_PLAIN && leaf->convert.in_width) {
        const uint8_t *src;
        return fixed_source(leaf, n, &src, err);
    }
    while (n > 0) { /* strings and deltas must be walked */
        int64_t m = n < leaf->block ? n : leaf->block;
        if (v->form == PMN_PQ_FORM_DELTA) {
            PMN_TRY(pmn_parquet_delta_get(&v->delta, leaf->block_of->numbers, m, err));
        } else {
            PMN_TRY(take_slices(leaf, m, err));
            keep_last(leaf, m);
        }
        n -= m;
    }
    return PAIMON_OK;
}
