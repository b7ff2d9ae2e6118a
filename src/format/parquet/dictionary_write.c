/* A slot holds the upper half of the hash beside the id, so that nearly every probe that goes on is a hit: values are compared once. The
 * caller's limit on the bytes of a dictionary bounds it; at most half of the slots are taken. */
#include "format/parquet/dictionary_write.h"

#include <string.h>

#define FIRST_SLOTS 64 /* few, as thousands of writers of few rows may be open */
#define MANY_SLOTS 4096
#define MOST_VALUES (1u << 30)

void pmn_dictionary_init(pmn_dictionary *d, pmn_mem *mem, int width)
{
    memset(d, 0, sizeof *d);
    d->mem = mem;
    d->width = width;
    pmn_buf_init(&d->values, mem, UINT32_MAX);
    pmn_buf_init(&d->starts, mem, UINT32_MAX);
}

void pmn_dictionary_free(pmn_dictionary *d)
{
    pmn_free(d->mem, d->slots, d->n_slots * sizeof *d->slots);
    pmn_buf_free(&d->values);
    pmn_buf_free(&d->starts);
    d->slots = NULL;
    d->n_slots = d->count = 0;
}

void pmn_dictionary_clear(pmn_dictionary *d)
{
    if (d->slots) memset(d->slots, 0, d->n_slots * sizeof *d->slots);
    d->count = 0;
    pmn_buf_clear(&d->values);
    pmn_buf_clear(&d->starts);
}

PMN_INLINE uint64_t mix(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xbf58476d1ce4e5b9u);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

PMN_INLINE uint64_t hash_fixed(const uint8_t *value, int width)
{
    if (width == 4) return pmn_load_le32(value) * UINT64_C(0x9e3779b97f4a7c15);
    if (width == 8) return mix(pmn_load_le64(value), 0);
    return mix(pmn_load_le64(value), pmn_load_le64(value + 8));
}

PMN_INLINE uint64_t hash_text(pmn_slice s)
{
    const uint8_t *p = s.data;
    size_t n = s.size;
    uint64_t h = n;
    if (n < 4) {
        uint64_t word = 0;
        for (size_t i = 0; i < n; i++) word = word << 8 | p[i];
        return mix(word, h);
    }
    if (n < 8) return mix((uint64_t)pmn_load_le32(p) << 32 | pmn_load_le32(p + n - 4), h);
    for (; n > 16; n -= 16, p += 16) h = mix(pmn_load_le64(p) ^ h, pmn_load_le64(p + 8));
    if (n < 8) return mix(h, pmn_load_le64(p + n - 8)); /* the last eight reach back */
    return mix(pmn_load_le64(p) ^ h, pmn_load_le64(p + n - 8));
}

/* A slot's upper half: never all zero together with the id. */
PMN_INLINE uint64_t pack_slot(uint64_t hash, uint32_t id) { return (hash << 32) | (id + 1); }
PMN_INLINE uint32_t home_of(const pmn_dictionary *d, uint64_t hash) { return (uint32_t)(hash >> d->shift); }

static uint64_t hash_of_id(const pmn_dictionary *d, uint32_t id)
{
    return d->width ? hash_fixed(d->values.data + (size_t)id * (size_t)d->width, d->width) : hash_text(pmn_dictionary_bytes(d, id));
}

static paimon_status grow_slots(pmn_dictionary *d, paimon_error *err)
{
    uint32_t n = !d->n_slots ? FIRST_SLOTS : d->n_slots < MANY_SLOTS ? d->n_slots * 4 : d->n_slots * 2;
    if (n > MOST_VALUES) return pmn_fail_nomem(err, "a dictionary");
    uint64_t *slots = pmn_calloc(d->mem, n, sizeof *slots);
    if (!slots) return pmn_fail_nomem(err, "a dictionary");
    pmn_free(d->mem, d->slots, d->n_slots * sizeof *d->slots);
    d->slots = slots;
    d->n_slots = n;
    d->shift = 64;
    for (; n > 1; n >>= 1) d->shift--;
    for (uint32_t id = 0; id < d->count; id++) {
        uint64_t hash = hash_of_id(d, id);
        uint32_t at = home_of(d, hash);
        while (slots[at]) at = (at + 1) & (d->n_slots - 1);
        slots[at] = pack_slot(hash, id);
    }
    return PAIMON_OK;
}

PMN_INLINE paimon_status put_fixed(pmn_dictionary *d, const uint8_t *values, int width, int64_t n, uint32_t *ids, paimon_error *err)
{
    uint32_t last = 0;
    const uint8_t *last_value = NULL;
    for (int64_t i = 0; i < n; i++, values += width) {
        if (last_value && memcmp(values, last_value, (size_t)width) == 0) { /* runs are common */
            ids[i] = last;
            continue;
        }
        last_value = values;
        uint64_t hash = hash_fixed(values, width), slot;
        uint32_t at = home_of(d, hash);
        while ((slot = d->slots[at]) != 0) {
            last = (uint32_t)slot - 1;
            if (memcmp(d->values.data + (size_t)last * (size_t)width, values, (size_t)width) == 0) break;
            at = (at + 1) & (d->n_slots - 1);
        }
        if (PMN_UNLIKELY(slot == 0)) {
            last = d->count;
            PMN_TRY(pmn_buf_append(&d->values, values, (size_t)width, err));
            d->slots[at] = pack_slot(hash, d->count++);
            if (d->count * 2 > d->n_slots) PMN_TRY(grow_slots(d, err));
        }
        ids[i] = last;
    }
    return PAIMON_OK;
}

paimon_status pmn_dictionary_put_fixed(pmn_dictionary *d, const void *values, int64_t n, uint32_t *ids, paimon_error *err)
{
    const uint8_t *bytes = (const uint8_t *)values;
    if (!d->slots) PMN_TRY(grow_slots(d, err));
    switch (d->width) {
    case 4: return put_fixed(d, bytes, 4, n, ids, err);
    case 8: return put_fixed(d, bytes, 8, n, ids, err);
    default: return put_fixed(d, bytes, 16, n, ids, err);
    }
}

static paimon_status add_bytes(pmn_dictionary *d, pmn_slice value, paimon_error *err)
{
    uint8_t length[4];
    if (value.size > UINT32_MAX / 2) return pmn_fail_nomem(err, "a dictionary");
    pmn_store_le32(length, (uint32_t)value.size);
    PMN_TRY(pmn_buf_append(&d->values, length, 4, err));
    uint32_t start = (uint32_t)d->values.size;
    PMN_TRY(pmn_buf_append(&d->values, value.data, value.size, err));
    PMN_TRY(pmn_buf_append(&d->starts, &start, sizeof start, err));
    d->count++;
    return PAIMON_OK;
}

paimon_status pmn_dictionary_put_bytes(pmn_dictionary *d, const pmn_slice *values, int64_t n, uint32_t *ids, paimon_error *err)
{
    if (!d->slots) PMN_TRY(grow_slots(d, err));
    for (int64_t i = 0; i < n; i++) {
        uint64_t hash = hash_text(values[i]), slot;
        uint32_t at = home_of(d, hash), id = 0;
        while ((slot = d->slots[at]) != 0) {
            id = (uint32_t)slot - 1;
            if ((uint32_t)(slot >> 32) == (uint32_t)hash && pmn_slice_equal(pmn_dictionary_bytes(d, id), values[i])) break;
            at = (at + 1) & (d->n_slots - 1);
        }
        if (PMN_UNLIKELY(slot == 0)) {
            id = d->count;
            PMN_TRY(add_bytes(d, values[i], err));
            d->slots[at] = pack_slot(hash, id);
            if (d->count * 2 > d->n_slots) PMN_TRY(grow_slots(d, err));
        }
        ids[i] = id;
    }
    return PAIMON_OK;
}
