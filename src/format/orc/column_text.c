/* Columns of strings and bytes.
 *
 *   direct      DATA: all bytes one behind the other; LENGTH
 *   dictionary  DATA: indices; DICTIONARY_DATA: all bytes; LENGTH: of the dictionary's strings
 *
 * Direct strings are copied a block at once. Short ones of a dictionary lie in padded slots that are copied whole, whatever their length. CHAR
 * is stored with trailing blanks, which its readers take away. */
#include <string.h>

#include "base/bitmap.h"
#include "format/orc/column.h"

/* Slots are not worth more than this. */
#define SLOT_BYTES (32 * 1024 * 1024)
/* As many entries may be claimed without a look at the number of rows. */
#define FREE_ENTRIES (16 * 1024 * 1024)

static bool is_dictionary(const pmn_orc_column *c) { return c->encoding.kind == PMN_ORC_DICTIONARY || c->encoding.kind == PMN_ORC_DICTIONARY_V2; }

static void begin_text(pmn_orc_column *c, const pmn_orc_section *section)
{
    bool v2 = c->encoding.kind == PMN_ORC_DIRECT_V2 || c->encoding.kind == PMN_ORC_DICTIONARY_V2;
    const pmn_orc_stream_info *data = pmn_orc_section_stream(section, c->type->id, PMN_ORC_DATA);
    pmn_orc_ints_begin(&c->second, pmn_orc_section_stream(section, c->type->id, PMN_ORC_LENGTH), v2);
    c->dictionary.loaded = false;
    if (is_dictionary(c)) {
        pmn_orc_ints_begin(&c->ints, data, v2);
        c->ints.is_signed = false;
        pmn_orc_stream_begin(&c->data, pmn_orc_section_stream(section, c->type->id, PMN_ORC_DICTIONARY_DATA));
    } else {
        pmn_orc_stream_begin(&c->data, data);
    }
}

/* --- the dictionary of a stripe --- */

void pmn_orc_dictionary_free(pmn_orc_column *c)
{
    pmn_orc_dictionary *d = &c->dictionary;
    pmn_free(c->mem, d->bytes, d->bytes_capacity);
    pmn_free(c->mem, d->lengths, d->lengths_capacity);
    pmn_free(c->mem, d->offsets, d->offsets_capacity);
    memset(d, 0, sizeof *d);
}

static int32_t trimmed(const uint8_t *bytes, int64_t length)
{
    while (length > 0 && bytes[length - 1] == ' ') length--;
    return (int32_t)length;
}

/* Lengths and offsets; the arrays grow with what is really there. */
static paimon_status read_lengths(pmn_orc_column *c, int64_t *total, paimon_error *err)
{
    pmn_orc_dictionary *d = &c->dictionary;
    *total = 0;
    for (int64_t i = 0; i < d->n;) {
        int64_t m = d->n - i < PMN_ORC_BLOCK ? d->n - i : PMN_ORC_BLOCK;
        uint8_t *lengths = (uint8_t *)d->lengths, *offsets = (uint8_t *)d->offsets;
        if ((size_t)(i + m) * 4 + 64 > d->lengths_capacity) {
            size_t entries = (size_t)(i * 2 > i + m ? i * 2 : i + m);
            paimon_status status = pmn_scratch(c->mem, &lengths, &d->lengths_capacity, entries * 4, true, err);
            d->lengths = (int32_t *)(void *)lengths;
            PMN_TRY(status);
            status = pmn_scratch(c->mem, &offsets, &d->offsets_capacity, entries * 8, true, err);
            d->offsets = (int64_t *)(void *)offsets;
            PMN_TRY(status);
        }
        PMN_TRY(pmn_orc_ints_read(&c->second, c->work->numbers, m, err));
        for (int64_t k = 0; k < m; k++) {
            int64_t length = c->work->numbers[k];
            if (length < 0 || length > INT32_MAX) return pmn_fail(err, PAIMON_CORRUPT, "dictionary: a string of %lld bytes", (long long)length);
            d->lengths[i + k] = (int32_t)length;
            d->offsets[i + k] = *total;
            *total += length;
            if (length > d->longest) d->longest = (int32_t)length;
        }
        i += m;
    }
    return PAIMON_OK;
}

/* `n` bytes of the stream at `*buffer`, which grows as they come. */
static paimon_status read_bytes(pmn_orc_column *c, int64_t n, uint8_t **buffer, size_t *capacity, paimon_error *err)
{
    for (int64_t done = 0; done < n;) {
        PMN_TRY(pmn_orc_stream_ensure(&c->data, 1, err));
        int64_t m = c->data.end - c->data.pos;
        if (m == 0) return pmn_orc_stream_cut(&c->data, err);
        if (m > n - done) m = n - done;
        if ((size_t)(done + m) + 64 > *capacity) {
            size_t size = (size_t)(done + m) < 2 * (size_t)done ? 2 * (size_t)done : (size_t)(done + m);
            PMN_TRY(pmn_scratch(c->mem, buffer, capacity, size, true, err));
        }
        memcpy(*buffer + done, c->data.pos, (size_t)m);
        c->data.pos += m;
        done += m;
    }
    return PAIMON_OK;
}

/* The strings into slots, if they are short: the bytes are then not needed any more. */
static paimon_status make_slots(pmn_orc_column *c, paimon_error *err)
{
    pmn_orc_dictionary *d = &c->dictionary;
    d->stride = d->longest <= 16 ? 16 : d->longest <= 32 ? 32 : d->longest <= 64 ? 64 : 0;
    if (d->n == 0 || d->stride == 0 || d->n > SLOT_BYTES / d->stride) {
        d->stride = 0;
        return PAIMON_OK;
    }
    uint8_t *slots = NULL;
    size_t capacity = 0;
    PMN_TRY(pmn_scratch(c->mem, &slots, &capacity, (size_t)d->n * (size_t)d->stride, false, err));
    for (int64_t i = 0; i < d->n; i++) {
        if (d->lengths[i]) memcpy(slots + i * d->stride, d->bytes + d->offsets[i], (size_t)d->lengths[i]);
    }
    pmn_free(c->mem, d->bytes, d->bytes_capacity);
    d->bytes = slots;
    d->bytes_capacity = capacity;
    return PAIMON_OK;
}

static paimon_status load_dictionary(pmn_orc_column *c, paimon_error *err)
{
    pmn_orc_dictionary *d = &c->dictionary;
    int64_t total;
    if (d->loaded) return PAIMON_OK;
    d->n = c->encoding.dictionary_size;
    d->longest = 0;
    if (d->n < 0 || d->n > INT32_MAX || (d->n > FREE_ENTRIES && c->is_top && d->n > c->stripe_rows)) {
        return pmn_fail(err, PAIMON_CORRUPT, "a dictionary of %lld strings in a stripe of %lld rows", (long long)d->n, (long long)c->stripe_rows);
    }
    PMN_TRY(read_lengths(c, &total, err));
    if (total > pmn_orc_stream_most(&c->data)) return pmn_orc_stream_cut(&c->data, err);
    PMN_TRY(read_bytes(c, total, &d->bytes, &d->bytes_capacity, err));
    if (c->type->kind == PMN_ORC_CHAR) {
        d->longest = 0;
        for (int64_t i = 0; i < d->n; i++) {
            d->lengths[i] = trimmed(d->bytes + d->offsets[i], d->lengths[i]);
            if (d->lengths[i] > d->longest) d->longest = d->lengths[i];
        }
    }
    PMN_TRY(make_slots(c, err));
    d->loaded = true;
    return PAIMON_OK;
}

/* Indices of the next `n` values into work->indices, checked. */
static paimon_status read_indices(pmn_orc_column *c, int64_t n, paimon_error *err)
{
    PMN_TRY(load_dictionary(c, err));
    PMN_TRY(pmn_orc_ints_read(&c->ints, c->work->numbers, n, err));
    const int64_t *wide = c->work->numbers;
    uint32_t *indices = c->work->indices;
    int64_t all = 0;
    for (int64_t i = 0; i < n; i++) {
        all |= wide[i];
        indices[i] = (uint32_t)wide[i];
    }
    if (n == 0 || (all >= 0 && all <= UINT32_MAX && c->dictionary.n > 0 && pmn_all_below(indices, n, (uint32_t)c->dictionary.n))) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CORRUPT, "a dictionary index past the %lld strings of the dictionary", (long long)c->dictionary.n);
}

/* --- appending --- */

static paimon_status too_much(paimon_error *err)
{
    return pmn_fail(err, PAIMON_UNSUPPORTED, "more than 2^31 bytes of strings in one batch are not supported");
}

static paimon_status check_total(const pmn_orc_column *c, int64_t more, paimon_error *err)
{
    return c->out.kind == PMN_LEAF_VAR32 && c->out.data_size + more > INT32_MAX ? too_much(err) : PAIMON_OK;
}

/* Where rows end, from ends that count from the block's first byte; ends[0] is 0, ends[j] belongs to value j. */
static void put_offsets(pmn_orc_column *c, int64_t n, const uint64_t *bits, int64_t base)
{
    const int32_t *ends = c->work->ends + 1;
    if (bits) {
        pmn_spread_ends(c->work->ends, bits, n, c->work->spread);
        ends = c->work->spread;
    }
    if (c->out.kind == PMN_LEAF_VAR32) {
        int32_t *offsets = (int32_t *)(void *)c->out.values->data + c->out.n + 1, from = (int32_t)base;
        for (int64_t i = 0; i < n; i++) offsets[i] = from + ends[i];
    } else {
        int64_t *offsets = (int64_t *)(void *)c->out.values->data + c->out.n + 1;
        for (int64_t i = 0; i < n; i++) offsets[i] = base + ends[i];
    }
}

static paimon_status append_dictionary(pmn_orc_column *c, int64_t n, const uint64_t *bits, int64_t n_valid, paimon_error *err)
{
    const pmn_orc_dictionary *d = &c->dictionary;
    int64_t base = c->out.data_size, total = 0;
    const uint32_t *indices = c->work->indices;
    PMN_TRY(read_indices(c, n_valid, err));
    c->work->ends[0] = 0;
    if (d->loaded && d->stride) {
        PMN_TRY(check_total(c, n_valid * d->longest, err));
        PMN_TRY(pmn_leaf_out_reserve_data(&c->out, n_valid * d->longest, err));
        total = pmn_gather_slots(d->bytes, d->stride, d->lengths, indices, n_valid, c->out.data->data + base, 0, c->work->ends + 1);
    } else {
        for (int64_t i = 0; i < n_valid; i++) {
            total += d->lengths[indices[i]];
            c->work->ends[i + 1] = (int32_t)total;
            if (total > INT32_MAX) return too_much(err);
        }
        PMN_TRY(check_total(c, total, err));
        PMN_TRY(pmn_leaf_out_reserve_data(&c->out, total, err));
        uint8_t *dst = c->out.data->data + base;
        for (int64_t i = 0; i < n_valid; i++) {
            uint32_t index = indices[i];
            if (d->lengths[index]) memcpy(dst + c->work->ends[i], d->bytes + d->offsets[index], (size_t)d->lengths[index]);
        }
    }
    put_offsets(c, n, bits, base);
    c->out.data_size += total;
    return PAIMON_OK;
}

/* Ends of the next `n` values into work->ends. */
static paimon_status read_ends(pmn_orc_column *c, int64_t n, int64_t *total, paimon_error *err)
{
    const int64_t *lengths = c->work->numbers;
    int32_t *ends = c->work->ends;
    int64_t all = 0, sum = 0;
    PMN_TRY(pmn_orc_ints_read(&c->second, c->work->numbers, n, err));
    ends[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        all |= lengths[i];
        sum += (int32_t)lengths[i];
        ends[i + 1] = (int32_t)sum;
    }
    if (all < 0 || all > INT32_MAX) return pmn_fail(err, PAIMON_CORRUPT, "a string's length is out of bounds");
    if (sum > pmn_orc_stream_most(&c->data)) return pmn_orc_stream_cut(&c->data, err);
    if (sum > INT32_MAX) return too_much(err);
    *total = sum;
    return PAIMON_OK;
}

/* CHAR: strings of the block moved together without their trailing blanks. */
static int64_t trim_block(pmn_orc_column *c, int64_t n, uint8_t *bytes)
{
    int32_t *ends = c->work->ends, at = 0, from = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t length = trimmed(bytes + from, ends[i + 1] - from);
        if (at != from && length) memmove(bytes + at, bytes + from, (size_t)length);
        from = ends[i + 1];
        at += length;
        ends[i + 1] = at;
    }
    return at;
}

static paimon_status append_direct(pmn_orc_column *c, int64_t n, const uint64_t *bits, int64_t n_valid, paimon_error *err)
{
    int64_t base = c->out.data_size, total;
    PMN_TRY(read_ends(c, n_valid, &total, err));
    PMN_TRY(check_total(c, total, err));
    /* Room grows with what comes out of the stream, not with what is claimed. */
    for (int64_t left = total; left > 0;) {
        PMN_TRY(pmn_orc_stream_ensure(&c->data, 1, err));
        int64_t m = c->data.end - c->data.pos;
        if (m == 0) return pmn_orc_stream_cut(&c->data, err);
        if (m > left) m = left;
        PMN_TRY(pmn_leaf_out_reserve_data(&c->out, m, err));
        memcpy(c->out.data->data + c->out.data_size, c->data.pos, (size_t)m);
        c->data.pos += m;
        c->out.data_size += m;
        left -= m;
    }
    if (c->type->kind == PMN_ORC_CHAR) c->out.data_size = base + trim_block(c, n_valid, c->out.data->data + base);
    put_offsets(c, n, bits, base);
    return PAIMON_OK;
}

static paimon_status append_text(pmn_orc_column *c, int64_t n, const uint64_t *bits, int64_t n_valid, paimon_error *err)
{
    return is_dictionary(c) ? append_dictionary(c, n, bits, n_valid, err) : append_direct(c, n, bits, n_valid, err);
}

/* --- as fixed-length bytes: every value must have the length --- */

static paimon_status decode_fixed(pmn_orc_column *c, int64_t n, uint8_t *dst, paimon_error *err)
{
    int32_t width = c->out.width;
    if (is_dictionary(c)) {
        const pmn_orc_dictionary *d = &c->dictionary;
        PMN_TRY(read_indices(c, n, err));
        for (int64_t i = 0; i < n; i++) {
            uint32_t index = c->work->indices[i];
            if (d->lengths[index] != width) return pmn_orc_misfit(c, i, err);
            const uint8_t *from = d->stride ? d->bytes + (int64_t)index * d->stride : d->bytes + d->offsets[index];
            if (width) memcpy(dst + i * width, from, (size_t)width);
        }
        return PAIMON_OK;
    }
    int64_t total;
    PMN_TRY(read_ends(c, n, &total, err));
    for (int64_t i = 0; i < n; i++) {
        if (c->work->numbers[i] != width) return pmn_orc_misfit(c, i, err);
    }
    return pmn_orc_stream_read(&c->data, total, dst, err);
}

/* Values may be wider than a block's compact form: then they are put one by one. */
static paimon_status append_fixed_text(pmn_orc_column *c, int64_t n, const uint64_t *bits, int64_t n_valid, paimon_error *err)
{
    int64_t width = c->out.width;
    uint8_t *dst = c->out.values->data + c->out.n * width;
    PMN_TRY(decode_fixed(c, n_valid, dst, err));
    if (!bits) return PAIMON_OK;
    /* From behind, so that no value is overwritten before it has moved. */
    for (int64_t i = n - 1, at = n_valid - 1; i >= 0; i--) {
        if (pmn_bit_get((const uint8_t *)bits, i)) {
            if (i != at && width) memmove(dst + i * width, dst + at * width, (size_t)width);
            at--;
        } else {
            memset(dst + i * width, 0, (size_t)width);
        }
    }
    return PAIMON_OK;
}

/* --- skipping --- */

static paimon_status skip_text(pmn_orc_column *c, int64_t n, paimon_error *err)
{
    if (is_dictionary(c)) return pmn_orc_ints_skip(&c->ints, n, err);
    while (n > 0) {
        int64_t m = n < PMN_ORC_BLOCK ? n : PMN_ORC_BLOCK, total;
        PMN_TRY(read_ends(c, m, &total, err));
        PMN_TRY(pmn_orc_stream_skip(&c->data, total, err));
        n -= m;
    }
    return PAIMON_OK;
}

static paimon_status seek_text(pmn_orc_column *c, pmn_orc_positions *positions, paimon_error *err)
{
    if (is_dictionary(c)) return pmn_orc_ints_seek(&c->ints, positions, err);
    PMN_TRY(pmn_orc_stream_seek(&c->data, positions, err));
    return pmn_orc_ints_seek(&c->second, positions, err);
}

static const pmn_orc_column_ops text_ops = { begin_text, append_text, skip_text, seek_text, NULL, NULL };
static const pmn_orc_column_ops fixed_text_ops = { begin_text, append_fixed_text, skip_text, seek_text, NULL, NULL };

bool pmn_orc_plan_text(pmn_orc_column *c)
{
    const pmn_arrow_type *want = &c->want->type;
    c->ops = want->kind == PMN_ARROW_FIXED_BINARY ? &fixed_text_ops : &text_ops;
    switch (want->kind) {
    case PMN_ARROW_STRING:
    case PMN_ARROW_BINARY: pmn_leaf_out_init(&c->out, c->pool, PMN_LEAF_VAR32, 0); return true;
    case PMN_ARROW_LARGE_STRING:
    case PMN_ARROW_LARGE_BINARY: pmn_leaf_out_init(&c->out, c->pool, PMN_LEAF_VAR64, 0); return true;
    case PMN_ARROW_FIXED_BINARY: pmn_leaf_out_init(&c->out, c->pool, PMN_LEAF_FIXED, want->width); return true;
    default: return false;
    }
}
