/* Rows to decode: see rowset.h. */
#include "format/rowset.h"

#include <string.h>

#include "base/bitmap.h"

/* Stretches shorter than this are picked row by row: a decoder has about a hundred nanoseconds of work for each call. */
#define LONG_STRETCH 32
/* A gap past this ends a stretch of picked rows, so that a nested column, which must walk through gaps, may jump instead. */
#define WIDE_GAP 4096
#define WIDEST_SPAN (1 << 30)

void pmn_rowset_init(pmn_rowset *set, pmn_mem *mem)
{
    memset(set, 0, sizeof *set);
    set->mem = mem;
}

void pmn_rowset_free(pmn_rowset *set)
{
    if (!set->mem) return;
    pmn_free(set->mem, set->items, set->items_capacity * sizeof *set->items);
    pmn_free(set->mem, set->picked, set->picked_capacity * sizeof *set->picked);
    memset(set, 0, sizeof *set);
}

void pmn_rowset_clear(pmn_rowset *set)
{
    set->n_items = set->n_picked = set->n = 0;
}

static paimon_status new_item(pmn_rowset *set, int32_t group, int64_t first, int64_t span, bool picks, paimon_error *err)
{
    void *grown = pmn_grow(set->mem, set->items, (size_t)set->n_items, 1, &set->items_capacity, sizeof *set->items);
    if (!grown) return pmn_fail_nomem(err, "row ranges");
    set->items = grown;
    pmn_stretch item = { group, first, span, picks ? set->n_picked : -1, picks ? 0 : span };
    set->items[set->n_items++] = item;
    return PAIMON_OK;
}

static paimon_status need_picks(pmn_rowset *set, int64_t more, paimon_error *err)
{
    if (more == 0) return PAIMON_OK;
    void *grown = pmn_grow(set->mem, set->picked, (size_t)set->n_picked, (size_t)more, &set->picked_capacity, sizeof *set->picked);
    if (!grown) return pmn_fail_nomem(err, "row numbers");
    set->picked = grown;
    return PAIMON_OK;
}

paimon_status pmn_rowset_add(pmn_rowset *set, int32_t group, int64_t first, int64_t count, paimon_error *err)
{
    pmn_stretch *last = set->n_items ? &set->items[set->n_items - 1] : NULL;
    if (count <= 0) return PAIMON_OK;
    if (last && last->group != group) last = NULL;
    if (last && last->picks < 0 && last->first + last->span == first) {
        last->span += count;
        last->n += count;
        set->n += count;
        return PAIMON_OK;
    }
    if (count >= LONG_STRETCH) {
        PMN_TRY(new_item(set, group, first, count, false, err));
        set->n += count;
        return PAIMON_OK;
    }
    PMN_TRY(need_picks(set, count, err));
    if (!last || last->picks < 0 || first - (last->first + last->span) > WIDE_GAP || first + count - last->first > WIDEST_SPAN) {
        PMN_TRY(new_item(set, group, first, 0, true, err));
        last = &set->items[set->n_items - 1];
    }
    for (int64_t i = 0; i < count; i++) set->picked[set->n_picked++] = (int32_t)(first + i - last->first);
    last->span = first + count - last->first;
    last->n += count;
    set->n += count;
    return PAIMON_OK;
}

/* The end of the run of equal bits that begins at bit `i` of `n`. */
static int64_t run_end(const uint8_t *bits, int64_t i, int64_t n)
{
    bool value = pmn_bit_get(bits, i);
    uint8_t same = value ? 0xff : 0;
    for (i++; i < n; i++) {
        if ((i & 7) == 0) {
            while (i + 8 <= n && bits[i >> 3] == same) i += 8;
            if (i >= n) break;
        }
        if (pmn_bit_get(bits, i) != value) break;
    }
    return i < n ? i : n;
}

paimon_status pmn_rowset_select(const pmn_rowset *set, pmn_rowset_at *at, const uint8_t *selected, int64_t n,
                                        pmn_rowset *out, paimon_error *err)
{
    for (int64_t i = 0; i < n;) {
        const pmn_stretch *s = &set->items[at->item];
        int64_t end = i + (s->n - at->row) < n ? i + (s->n - at->row) : n;
        while (i < end) {
            int64_t to = run_end(selected, i, end);
            if (pmn_bit_get(selected, i)) {
                if (s->picks < 0) {
                    PMN_TRY(pmn_rowset_add(out, s->group, s->first + at->row, to - i, err));
                } else {
                    for (int64_t k = 0; k < to - i; k++) {
                        PMN_TRY(pmn_rowset_add(out, s->group, s->first + set->picked[s->picks + at->row + k], 1, err));
                    }
                }
            }
            at->row += to - i;
            i = to;
        }
        if (at->row == s->n) {
            at->item++;
            at->row = 0;
        }
    }
    return PAIMON_OK;
}

void pmn_rowset_number(const pmn_rowset *set, pmn_rowset_at *at, int64_t n, int64_t (*group_first)(const void *ctx, int32_t group),
                               const void *ctx, int64_t *out)
{
    while (n > 0) {
        const pmn_stretch *s = &set->items[at->item];
        int64_t m = s->n - at->row < n ? s->n - at->row : n;
        int64_t first = group_first(ctx, s->group) + s->first;
        for (int64_t i = 0; i < m; i++) *out++ = first + (s->picks < 0 ? at->row + i : set->picked[s->picks + at->row + i]);
        at->row += m;
        n -= m;
        if (at->row == s->n) {
            at->item++;
            at->row = 0;
        }
    }
}
