/* Arrow arrays made by the library. Only this room knows release callbacks.
 *
 * An array made here ("ours") owns counted buffers and moved-in children. pmn_array_share() makes a second array over the
 * same buffers; a foreign array (imported) is wrapped so that it can be shared too. */
#ifndef PMN_ARROW_ARRAY_H
#define PMN_ARROW_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include "arrow/buffer.h"
#include "arrow/schema.h"
#include "base/bitmap.h"
#include "base/status.h"
#include "paimon-c/arrow_abi.h"

/* Make `out` an array of `length` rows over `n_buffers` counted buffers (moved in, entries may be NULL: an absent validity
 * bitmap) with room for `n_children` children, each of which starts released (release == NULL) and is filled by the caller
 * through out->children[i]. On failure the buffers are released and out->release is NULL. `null_count` may be -1. */
paimon_status pmn_array_new(pmn_mem *mem, int64_t length, int64_t null_count, int n_buffers, pmn_buffer *const *buffers,
                            int n_children, struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;

/* Give an array made here its dictionary, which is moved in (also on failure) and must not be set yet. */
paimon_status pmn_array_set_dictionary(struct ArrowArray *array, struct ArrowArray *dictionary, paimon_error *err) PMN_MUST_USE;

/* A second array over the same memory as `array` (ours, or foreign: then `array` is first turned into a counted one in
 * place), rows [offset, offset + length). Releasing either leaves the other whole. Recurses into children and dictionary. */
paimon_status pmn_array_share(pmn_mem *mem, struct ArrowArray *array, int64_t offset, int64_t length, struct ArrowArray *out,
                              paimon_error *err) PMN_MUST_USE;

/* Is row `row` (the array's offset respected) null, as its own bitmap says? */
static inline bool pmn_array_is_null(const struct ArrowArray *array, int64_t row)
{
    const uint8_t *bits = array->n_buffers > 0 ? (const uint8_t *)array->buffers[0] : NULL;
    return bits && array->null_count != 0 && !pmn_bit_get(bits, array->offset + row);
}

/* Which rows of its child belong to row `row` of a list, large list, list view, fixed-size list (`width` elements) or map. */
typedef struct pmn_list_span {
    int64_t start; /* row of the child, whose own offset comes on top */
    int64_t count;
} pmn_list_span;
pmn_list_span pmn_array_list_span(pmn_arrow_kind kind, int32_t width, const struct ArrowArray *array, int64_t row);

/* Release if not released; NULL allowed. */
void pmn_array_release(struct ArrowArray *array);
/* *to = *from; from->release = NULL. */
void pmn_array_move(struct ArrowArray *to, struct ArrowArray *from);

/* The rows of `array` (type `schema`, offset respected) whose numbers stand in `rows` (each in [0, length), any order, may
 * repeat), as a new array. Nested types recurse. Dictionary arrays keep their dictionary. */
paimon_status pmn_array_gather(pmn_buffer_pool *pool, const struct ArrowSchema *schema, const struct ArrowArray *array,
                               const int32_t *rows, int64_t n_rows, struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;

/* The rows of arrays of one type behind each other. Dictionaries, views, unions and run ends are PAIMON_UNSUPPORTED. */
paimon_status pmn_array_concat(pmn_buffer_pool *pool, const struct ArrowSchema *schema, const struct ArrowArray *const *arrays, int n_arrays,
                               struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;

/* `length` nulls of type `schema`. */
paimon_status pmn_array_nulls(pmn_buffer_pool *pool, const struct ArrowSchema *schema, int64_t length, struct ArrowArray *out,
                              paimon_error *err) PMN_MUST_USE;

/* The value of row `row` of `array`, `length` times. */
paimon_status pmn_array_repeat(pmn_buffer_pool *pool, const struct ArrowSchema *schema, const struct ArrowArray *array,
                               int64_t row, int64_t length, struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;

#endif
