/* The dictionary of a column chunk while it is written: distinct values in the order of their first appearance, found by open
 * addressing. Values are 4, 8 or 16 bytes, or byte strings. */
#ifndef PMN_FORMAT_PARQUET_DICTIONARY_WRITE_H
#define PMN_FORMAT_PARQUET_DICTIONARY_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"

typedef struct pmn_dictionary {
    pmn_mem *mem; /* borrowed */
    int width;    /* 4, 8, 16; 0: byte strings */
    uint32_t count;
    uint32_t n_slots;   /* a power of two; 0: nothing yet */
    unsigned shift;     /* 64 less its logarithm */
    uint64_t *slots;    /* half of a hash, id + 1; 0: free */
    pmn_buf values;     /* `width` bytes each; of strings: length (32 bits) and bytes, as PLAIN has them */
    pmn_buf starts;     /* strings: uint32_t, where the bytes of each begin in `values` */
} pmn_dictionary;

void pmn_dictionary_init(pmn_dictionary *d, pmn_mem *mem, int width);
void pmn_dictionary_free(pmn_dictionary *d);
void pmn_dictionary_clear(pmn_dictionary *d); /* memory is kept */

/* Ids of `n` values, new ones added. */
paimon_status pmn_dictionary_put_fixed(pmn_dictionary *d, const void *values, int64_t n, uint32_t *ids, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_dictionary_put_bytes(pmn_dictionary *d, const pmn_slice *values, int64_t n, uint32_t *ids, paimon_error *err) PMN_MUST_USE;

static inline pmn_slice pmn_dictionary_bytes(const pmn_dictionary *d, uint32_t id)
{
    uint32_t start = ((const uint32_t *)(const void *)d->starts.data)[id];
    return pmn_slice_of(d->values.data + start, pmn_load_le32(d->values.data + start - 4));
}

#endif
