/* Dictionaries in their final form: numbers converted once, short strings in padded slots that can be copied whole. */
#include <string.h>

#include "format/parquet/column.h"

void pmn_parquet_dictionary_free(pmn_parquet_leaf *leaf)
{
    pmn_parquet_dictionary *d = &leaf->dictionary;
    pmn_free(leaf->mem, d->values, d->values_capacity);
    pmn_free(leaf->mem, d->lengths, d->lengths_capacity);
    pmn_free(leaf->mem, d->offsets, d->offsets_capacity);
    memset(d, 0, sizeof *d);
    d->n = -1;
}

static paimon_status grow_values(pmn_parquet_leaf *leaf, size_t size, paimon_error *err)
{
    return pmn_scratch(leaf->mem, &leaf->dictionary.values, &leaf->dictionary.values_capacity, size, false, err);
}

static paimon_status dictionary_cut(paimon_error *err)
{
    return pmn_fail(err, PAIMON_CORRUPT, "dictionary: values run past the page");
}

static paimon_status load_fixed(pmn_parquet_leaf *leaf, pmn_slice bytes, paimon_error *err)
{
    const pmn_parquet_convert *c = &leaf->convert;
    pmn_parquet_dictionary *d = &leaf->dictionary;
    if ((uint64_t)d->n * (uint64_t)c->in_width > bytes.size) return dictionary_cut(err);
    PMN_TRY(grow_values(leaf, (size_t)d->n * (size_t)c->out_width, err));
    if (c->identity) {
        if (d->n) memcpy(d->values, bytes.data, (size_t)d->n * (size_t)c->out_width);
        return PAIMON_OK;
    }
    return c->fn(c, bytes.data, d->n, d->values) < 0 ? PAIMON_OK : pmn_parquet_misfit(leaf, err);
}

static paimon_status load_fixed_from_bytes(pmn_parquet_leaf *leaf, pmn_slice bytes, paimon_error *err)
{
    pmn_parquet_dictionary *d = &leaf->dictionary;
    pmn_cursor c = pmn_cursor_of(bytes.data, bytes.size);
    if ((uint64_t)d->n * 4 > bytes.size) return dictionary_cut(err);
    PMN_TRY(grow_values(leaf, (size_t)d->n * (size_t)leaf->convert.out_width, err));
    for (int64_t i = 0; i < d->n; i++) {
        uint32_t length;
        pmn_slice value;
        if (!pmn_cursor_le32(&c, &length) || !pmn_cursor_take(&c, length, &value)) return dictionary_cut(err);
        if (!leaf->convert.from_bytes(&leaf->convert, value, d->values + i * leaf->convert.out_width)) return pmn_parquet_misfit(leaf, err);
    }
    return PAIMON_OK;
}

/* Lengths and offsets of the strings in `bytes`. */
static paimon_status measure_strings(pmn_parquet_leaf *leaf, pmn_slice bytes, paimon_error *err)
{
    pmn_parquet_dictionary *d = &leaf->dictionary;
    pmn_cursor c = pmn_cursor_of(bytes.data, bytes.size);
    uint32_t fixed = (uint32_t)leaf->convert.in_width;
    if (fixed ? (uint64_t)d->n * fixed > bytes.size : (uint64_t)d->n * 4 > bytes.size) return dictionary_cut(err);
    uint8_t *lengths = (uint8_t *)d->lengths, *offsets = (uint8_t *)d->offsets;
    paimon_status status = pmn_scratch(leaf->mem, &lengths, &d->lengths_capacity, (size_t)d->n * 4, false, err);
    d->lengths = (int32_t *)(void *)lengths;
    PMN_TRY(status);
    status = pmn_scratch(leaf->mem, &offsets, &d->offsets_capacity, (size_t)d->n * 4, false, err);
    d->offsets = (uint32_t *)(void *)offsets;
    PMN_TRY(status);
    d->longest = 0;
    for (int64_t i = 0; i < d->n; i++) {
        uint32_t length = fixed;
        pmn_slice value;
        if ((!fixed && !pmn_cursor_le32(&c, &length)) || !pmn_cursor_take(&c, length, &value) || length > INT32_MAX) return dictionary_cut(err);
        d->lengths[i] = (int32_t)length;
        d->offsets[i] = (uint32_t)(value.data - bytes.data);
        if ((int32_t)length > d->longest) d->longest = (int32_t)length;
    }
    return PAIMON_OK;
}

static paimon_status load_strings(pmn_parquet_leaf *leaf, pmn_slice bytes, paimon_error *err)
{
    pmn_parquet_dictionary *d = &leaf->dictionary;
    PMN_TRY(measure_strings(leaf, bytes, err));
    d->stride = d->longest <= 16 ? 16 : d->longest <= 32 ? 32 : d->longest <= 64 ? 64 : 0;
    if (d->stride == 0) {
        PMN_TRY(grow_values(leaf, bytes.size, err));
        if (bytes.size) memcpy(d->values, bytes.data, bytes.size);
        return PAIMON_OK;
    }
    PMN_TRY(grow_values(leaf, (size_t)d->n * (size_t)d->stride, err));
    for (int64_t i = 0; i < d->n; i++) {
        uint8_t *slot = d->values + i * d->stride;
        memset(slot, 0, (size_t)d->stride);
        memcpy(slot, bytes.data + d->offsets[i], (size_t)d->lengths[i]);
    }
    return PAIMON_OK;
}

paimon_status pmn_parquet_dictionary_load(pmn_parquet_leaf *leaf, const pmn_parquet_page *page, pmn_slice bytes, paimon_error *err)
{
    pmn_parquet_dictionary *d = &leaf->dictionary;
    if (page->encoding != PMN_PQ_PLAIN && page->encoding != PMN_PQ_PLAIN_DICTIONARY) {
        return pmn_fail(err, PAIMON_CORRUPT, "dictionary in encoding %s", pmn_parquet_encoding_name(page->encoding));
    }
    if (leaf->convert.physical == PMN_PQ_BOOLEAN) return pmn_fail(err, PAIMON_CORRUPT, "dictionary of booleans");
    if (leaf->levels_only || leaf->convert.out == PMN_LEAF_NULL) return PAIMON_OK;
    d->n = page->n_values;
    paimon_status status;
    if (leaf->convert.out == PMN_LEAF_FIXED) {
        status = leaf->convert.from_bytes ? load_fixed_from_bytes(leaf, bytes, err) : load_fixed(leaf, bytes, err);
    } else {
        status = load_strings(leaf, bytes, err);
    }
    if (status != PAIMON_OK) d->n = -1;
    return status;
}
