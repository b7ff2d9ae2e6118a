#include "write/held.h"

#include <string.h>

#include "arrow/array.h"

void pmn_held_init(pmn_held_rows *h, pmn_mem *mem)
{
    memset(h, 0, sizeof *h);
    h->mem = mem;
}

void pmn_held_free(pmn_held_rows *h)
{
    for (int i = 0; i < h->n; i++) pmn_array_release(&h->batches[i]);
    pmn_free(h->mem, h->batches, h->capacity * sizeof *h->batches);
    pmn_held_init(h, h->mem);
}

paimon_status pmn_held_add(pmn_held_rows *h, struct ArrowArray *batch, int64_t bytes, paimon_error *err)
{
    struct ArrowArray *grown = pmn_grow(h->mem, h->batches, (size_t)h->n, 1, &h->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "rows to be written");
    h->batches = grown;
    PMN_TRY(pmn_array_share(h->mem, batch, 0, batch->length, &h->batches[h->n], err));
    h->n++;
    h->bytes += bytes;
    h->rows += batch->length;
    return PAIMON_OK;
}

static paimon_status put_together(pmn_held_rows *h, pmn_buffer_pool *pool, const struct ArrowSchema *schema, const struct ArrowArray **columns,
                                  struct ArrowArray *out, paimon_error *err)
{
    for (int64_t c = 0; c < schema->n_children; c++) {
        for (int i = 0; i < h->n; i++) columns[i] = h->batches[i].children[c];
        PMN_TRY(pmn_array_concat(pool, schema->children[c], columns, h->n, out->children[c], err));
        for (int i = 0; i < h->n; i++) pmn_array_release(h->batches[i].children[c]);
    }
    return PAIMON_OK;
}

paimon_status pmn_held_take(pmn_held_rows *h, pmn_buffer_pool *pool, const struct ArrowSchema *schema, struct ArrowArray *out, paimon_error *err)
{
    pmn_buffer *no_bitmap = NULL;
    paimon_status status = PAIMON_OK;
    if (h->n == 1) {
        pmn_array_move(out, &h->batches[0]);
    } else {
        const struct ArrowArray **columns = pmn_calloc(h->mem, (size_t)h->n + 1, sizeof *columns);
        status = columns ? pmn_array_new(h->mem, h->rows, 0, 1, &no_bitmap, (int)schema->n_children, out, err) : pmn_fail_nomem(err, "rows to be written");
        if (status == PAIMON_OK) {
            status = put_together(h, pool, schema, columns, out, err);
            if (status != PAIMON_OK) pmn_array_release(out);
        }
        pmn_free(h->mem, columns, ((size_t)h->n + 1) * sizeof *columns);
    }
    pmn_held_free(h);
    return status;
}
