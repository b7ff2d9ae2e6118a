/* The way from the column to the leaf is walked one node at a time over all rows at once. Before each node an entry stands for a row of its
 * array; a null or an empty list ends an entry there, with the definition level it has; a list turns an entry into one for each element,
 * the first of which repeats what the list repeated, the others the list itself. */
#include "format/parquet/write_shred.h"

#include <string.h>

#include "base/bitmap.h"
#include "base/checked.h"

void pmn_pqw_shred_init(pmn_pqw_shred *s, pmn_mem *mem)
{
    memset(s, 0, sizeof *s);
    pmn_buf *const bufs[] = { &s->def, &s->rep, &s->rows, &s->spare_def, &s->spare_rep, &s->spare_rows };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) pmn_buf_init(bufs[i], mem, PMN_BUF_NO_CEILING);
}

void pmn_pqw_shred_free(pmn_pqw_shred *s)
{
    pmn_buf *const bufs[] = { &s->def, &s->rep, &s->rows, &s->spare_def, &s->spare_rep, &s->spare_rows };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) pmn_buf_free(bufs[i]);
}

int64_t pmn_pqw_shred_memory(const pmn_pqw_shred *s)
{
    return (int64_t)(s->def.capacity + s->rep.capacity + s->rows.capacity + s->spare_def.capacity + s->spare_rep.capacity + s->spare_rows.capacity);
}

paimon_status pmn_pqw_refuse_null(const pmn_pqw_leaf *leaf, int64_t row, paimon_error *err)
{
    return pmn_fail(err, PAIMON_INVALID, "column %s, row %lld: a null where the type is NOT NULL", leaf->path, (long long)row);
}

static int64_t row_of_entry(const pmn_pqw_shred *s, bool repeats, int64_t entry, int64_t row)
{
    for (int64_t i = 1; i <= entry; i++)
        if (!repeats || s->rep.data[i] == 0) row++;
    return row;
}

static paimon_status pass_nulls(pmn_pqw_shred *s, const pmn_pqw_leaf *leaf, const pmn_pqw_step *step, const struct ArrowArray *a, bool repeats, int64_t row, paimon_error *err)
{
    const uint8_t *valid = a->n_buffers > 0 && a->null_count != 0 ? (const uint8_t *)a->buffers[0] : NULL;
    int64_t *rows = (int64_t *)(void *)s->rows.data;
    uint8_t *def = s->def.data;
    for (int64_t i = 0; i < s->n; i++) {
        if (rows[i] < 0) continue;
        if (!valid || pmn_bit_get(valid, a->offset + rows[i])) {
            def[i] = (uint8_t)(def[i] + step->nullable);
            continue;
        }
        if (!step->nullable) return pmn_pqw_refuse_null(leaf, row_of_entry(s, repeats, i, row), err);
        rows[i] = -1;
    }
    return PAIMON_OK;
}

typedef struct row_span {
    int64_t start, count;
} row_span;

static row_span span_of(const pmn_pqw_step *step, const struct ArrowArray *a, int64_t row)
{
    row_span none = { 0, 0 };
    if (row < 0) return none;
    row += a->offset;
    if (step->kind == PMN_PQW_FIXED_LIST) {
        row_span s = { row * step->width, step->width };
        return s;
    }
    const int32_t *offsets = (const int32_t *)a->buffers[1];
    row_span s = { offsets[row], (int64_t)offsets[row + 1] - offsets[row] };
    return s;
}

static paimon_status expand_lists(pmn_pqw_shred *s, const pmn_pqw_step *step, const struct ArrowArray *a, bool repeats, uint8_t level, paimon_error *err)
{
    const int64_t *rows = (const int64_t *)(const void *)s->rows.data;
    int64_t n = 0;
    size_t bytes;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t count = span_of(step, a, rows[i]).count;
        n += count > 0 ? count : 1;
    }
    if (!pmn_mul_size((size_t)n, sizeof(int64_t), &bytes)) return pmn_fail_nomem(err, "levels");
    pmn_buf_clear(&s->spare_def);
    pmn_buf_clear(&s->spare_rep);
    pmn_buf_clear(&s->spare_rows);
    PMN_TRY(pmn_buf_reserve(&s->spare_def, (size_t)n, err));
    PMN_TRY(pmn_buf_reserve(&s->spare_rep, (size_t)n, err));
    PMN_TRY(pmn_buf_reserve(&s->spare_rows, bytes, err));
    uint8_t *def = s->spare_def.data, *rep = s->spare_rep.data;
    int64_t *to = (int64_t *)(void *)s->spare_rows.data, at = 0;
    for (int64_t i = 0; i < s->n; i++) {
        row_span elements = span_of(step, a, rows[i]);
        rep[at] = repeats ? s->rep.data[i] : 0;
        def[at] = (uint8_t)(s->def.data[i] + (elements.count > 0));
        to[at++] = elements.count > 0 ? elements.start : -1;
        for (int64_t k = 1; k < elements.count; k++) {
            rep[at] = level;
            def[at] = (uint8_t)(s->def.data[i] + 1);
            to[at++] = elements.start + k;
        }
    }
    pmn_buf def_buf = s->def, rep_buf = s->rep, rows_buf = s->rows;
    s->def = s->spare_def;
    s->rep = s->spare_rep;
    s->rows = s->spare_rows;
    s->spare_def = def_buf;
    s->spare_rep = rep_buf;
    s->spare_rows = rows_buf;
    s->n = n;
    return PAIMON_OK;
}

static void shift_rows(pmn_pqw_shred *s, int64_t offset)
{
    int64_t *rows = (int64_t *)(void *)s->rows.data;
    if (offset == 0) return;
    for (int64_t i = 0; i < s->n; i++)
        if (rows[i] >= 0) rows[i] += offset;
}

static paimon_status start_rows(pmn_pqw_shred *s, int64_t first, int64_t count, paimon_error *err)
{
    pmn_buf_clear(&s->def);
    pmn_buf_clear(&s->rep);
    pmn_buf_clear(&s->rows);
    PMN_TRY(pmn_buf_reserve(&s->def, (size_t)count + 1, err));
    PMN_TRY(pmn_buf_reserve(&s->rows, ((size_t)count + 1) * sizeof(int64_t), err));
    memset(s->def.data, 0, (size_t)count);
    int64_t *rows = (int64_t *)(void *)s->rows.data;
    for (int64_t i = 0; i < count; i++) rows[i] = first + i;
    s->n = count;
    return PAIMON_OK;
}

paimon_status pmn_pqw_shred_rows(pmn_pqw_shred *s, const pmn_pqw_leaf *leaf, const struct ArrowArray *column, int64_t first, int64_t count, int64_t row,
                                 paimon_error *err)
{
    const struct ArrowArray *a = column;
    uint8_t level = 0;
    PMN_TRY(start_rows(s, first, count, err));
    for (int32_t i = 0; i < leaf->n_steps; i++) {
        const pmn_pqw_step *step = &leaf->steps[i];
        PMN_TRY(pass_nulls(s, leaf, step, a, level > 0, row, err));
        switch (step->kind) {
        case PMN_PQW_STRUCT:
            shift_rows(s, a->offset);
            a = a->children[step->child];
            break;
        case PMN_PQW_LIST:
        case PMN_PQW_FIXED_LIST:
            PMN_TRY(expand_lists(s, step, a, level > 0, (uint8_t)(level + 1), err));
            level++;
            a = a->children[0];
            break;
        case PMN_PQW_MAP:
            PMN_TRY(expand_lists(s, step, a, level > 0, (uint8_t)(level + 1), err));
            level++;
            a = a->children[0]; /* the entries: never null */
            shift_rows(s, a->offset);
            a = a->children[step->child];
            break;
        case PMN_PQW_LEAF: break;
        }
    }
    s->leaf = a;
    return PAIMON_OK;
}
