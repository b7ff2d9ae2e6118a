/* Lists of row ranges: see ranges.h. */
#include "format/ranges.h"

void pmn_row_ranges_init(pmn_row_ranges *ranges, pmn_mem *mem)
{
    ranges->mem = mem;
    ranges->items = NULL;
    ranges->n = 0;
    ranges->capacity = 0;
}

void pmn_row_ranges_free(pmn_row_ranges *ranges)
{
    pmn_free(ranges->mem, ranges->items, ranges->capacity * sizeof *ranges->items);
    pmn_row_ranges_init(ranges, ranges->mem);
}

void pmn_row_ranges_clear(pmn_row_ranges *ranges) { ranges->n = 0; }

paimon_status pmn_row_ranges_add(pmn_row_ranges *ranges, int64_t first, int64_t count, paimon_error *err)
{
    if (count <= 0) return PAIMON_OK;
    if (ranges->n) {
        pmn_row_range *last = &ranges->items[ranges->n - 1];
        if (last->first + last->count == first) {
            last->count += count;
            return PAIMON_OK;
        }
    }
    pmn_row_range *grown = pmn_grow(ranges->mem, ranges->items, (size_t)ranges->n, 1, &ranges->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "row ranges");
    ranges->items = grown;
    ranges->items[ranges->n++] = (pmn_row_range){ first, count };
    return PAIMON_OK;
}

paimon_status pmn_row_ranges_intersect(const pmn_row_range *a, int32_t n_a, const pmn_row_range *b, int32_t n_b, pmn_row_ranges *out, paimon_error *err)
{
    int32_t i = 0, j = 0;
    while (i < n_a && j < n_b) {
        int64_t a_end = a[i].first + a[i].count, b_end = b[j].first + b[j].count;
        int64_t first = a[i].first > b[j].first ? a[i].first : b[j].first;
        int64_t end = a_end < b_end ? a_end : b_end;
        if (first < end) PMN_TRY(pmn_row_ranges_add(out, first, end - first, err));
        if (a_end < b_end) i++;
        else j++;
    }
    return PAIMON_OK;
}

paimon_status pmn_row_ranges_union(const pmn_row_range *a, int32_t n_a, const pmn_row_range *b, int32_t n_b, pmn_row_ranges *out, paimon_error *err)
{
    int32_t i = 0, j = 0;
    int64_t done = INT64_MIN; /* rows below are in `out` already, if anywhere */
    while (i < n_a || j < n_b) {
        bool take_a = j == n_b || (i < n_a && a[i].first <= b[j].first);
        pmn_row_range r = take_a ? a[i++] : b[j++];
        int64_t first = r.first > done ? r.first : done, end = r.first + r.count;
        if (first >= end) continue;
        PMN_TRY(pmn_row_ranges_add(out, first, end - first, err));
        done = end;
    }
    return PAIMON_OK;
}

int64_t pmn_row_ranges_count(const pmn_row_ranges *ranges)
{
    int64_t n = 0;
    for (int32_t i = 0; i < ranges->n; i++) n += ranges->items[i].count;
    return n;
}

paimon_status pmn_row_ranges_take(pmn_row_ranges *ranges, const pmn_row_range *asked, int32_t n, paimon_error *err)
{
    int64_t end = 0;
    for (int32_t i = 0; i < n; i++) {
        if (asked[i].first < end || asked[i].count < 0 || __builtin_add_overflow(asked[i].first, asked[i].count, &end))
            return pmn_fail(err, PAIMON_INVALID, "row ranges are not ascending and disjoint");
        PMN_TRY(pmn_row_ranges_add(ranges, asked[i].first, asked[i].count, err));
    }
    return PAIMON_OK;
}
