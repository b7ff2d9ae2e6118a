/* DELTA_BINARY_PACKED: see delta.h for the layout. */
#include "format/parquet/delta.h"

#include <string.h>

#include "base/cursor.h"
#include "format/parquet/unpack.h"

paimon_status pmn_parquet_delta_init(pmn_parquet_delta *d, pmn_slice bytes, int64_t max_values, paimon_error *err)
{
    pmn_cursor c = pmn_cursor_of(bytes.data, bytes.size);
    uint64_t block, miniblocks, total;
    int64_t first;
    memset(d, 0, sizeof *d);
    if (!pmn_cursor_varint(&c, &block) || !pmn_cursor_varint(&c, &miniblocks) || !pmn_cursor_varint(&c, &total) || !pmn_cursor_zigzag(&c, &first)) {
        return pmn_fail(err, PAIMON_CORRUPT, "delta encoding: header is cut");
    }
    if (block == 0 || block > INT32_MAX || miniblocks == 0 || block % miniblocks || (block / miniblocks) % 8) {
        return pmn_fail(err, PAIMON_CORRUPT, "delta encoding: blocks of %llu values in %llu miniblocks", (unsigned long long)block,
                        (unsigned long long)miniblocks);
    }
    if (total > (uint64_t)max_values) {
        return pmn_fail(err, PAIMON_CORRUPT, "delta encoding: %llu values where at most %lld can be", (unsigned long long)total, (long long)max_values);
    }
    d->pos = c.pos;
    d->end = c.end;
    d->miniblocks = miniblocks;
    d->mini_values = block / miniblocks;
    d->mini = miniblocks; /* a block header comes next */
    d->left = (int64_t)total;
    d->last = (uint64_t)first;
    d->first = true;
    return PAIMON_OK;
}

static paimon_status begin_block(pmn_parquet_delta *d, paimon_error *err)
{
    pmn_cursor c = { d->pos, d->pos, d->end };
    int64_t min_delta;
    pmn_slice widths;
    if (!pmn_cursor_zigzag(&c, &min_delta) || !pmn_cursor_take(&c, (size_t)d->miniblocks, &widths)) {
        return pmn_fail(err, PAIMON_CORRUPT, "delta encoding: bytes end inside a block header");
    }
    d->min_delta = (uint64_t)min_delta;
    d->widths = widths.data;
    d->mini = 0;
    d->pos = c.pos;
    return PAIMON_OK;
}

/* Unpack the next up to 32 deltas. A miniblock holds a multiple of 8 values, so each step begins at a byte. The last miniblock's
 * padding may be missing: only what `left` needs must be there. */
static paimon_status next_step(pmn_parquet_delta *d, paimon_error *err)
{
    if (d->mini_left == 0) {
        if (d->widths && d->mini < d->miniblocks) d->mini++;
        if (d->mini >= d->miniblocks || !d->widths) PMN_TRY(begin_block(d, err));
        d->mini_left = d->mini_values;
        if (d->widths[d->mini] > 64) return pmn_fail(err, PAIMON_CORRUPT, "delta encoding: width of %d bits", d->widths[d->mini]);
    }
    unsigned width = d->widths[d->mini];
    uint64_t n = d->mini_left < PMN_PARQUET_DELTA_STEP ? d->mini_left : PMN_PARQUET_DELTA_STEP;
    uint64_t needed = n < (uint64_t)d->left ? n : (uint64_t)d->left;
    uint64_t have = (uint64_t)(d->end - d->pos);
    if ((needed * width + 7) / 8 > have) return pmn_fail(err, PAIMON_CORRUPT, "delta encoding: bytes end inside a miniblock");
    pmn_parquet_unpack64(d->pos, (int64_t)needed, width, d->step);
    uint64_t bytes = n * width / 8;
    d->pos += bytes < have ? bytes : have;
    d->mini_left -= n;
    d->step_n = (int)needed;
    d->step_at = 0;
    return PAIMON_OK;
}

paimon_status pmn_parquet_delta_get(pmn_parquet_delta *d, int64_t *out, int64_t n, paimon_error *err)
{
    if (n > d->left) return pmn_fail(err, PAIMON_CORRUPT, "delta encoding: %lld more values are needed, %lld are left", (long long)n, (long long)d->left);
    int64_t i = 0;
    if (n > 0 && d->first) {
        out[i++] = (int64_t)d->last;
        d->first = false;
        d->left--;
    }
    while (i < n) {
        if (d->step_at == d->step_n) PMN_TRY(next_step(d, err));
        int64_t m = d->step_n - d->step_at;
        if (m > n - i) m = n - i;
        const uint64_t *step = d->step + d->step_at;
        uint64_t last = d->last, min_delta = d->min_delta;
        for (int64_t k = 0; k < m; k++) {
            last += step[k] + min_delta;
            out[i + k] = (int64_t)last;
        }
        d->last = last;
        d->step_at += (int)m;
        d->left -= m;
        i += m;
    }
    return PAIMON_OK;
}

paimon_status pmn_parquet_delta_end(const pmn_parquet_delta *d, const uint8_t **end, paimon_error *err)
{
    pmn_parquet_delta walk = *d;
    int64_t left = walk.left - 1;
    while (left > 0) {
        PMN_TRY(begin_block(&walk, err));
        for (uint64_t m = 0; m < walk.miniblocks && left > 0; m++) {
            uint64_t bytes = walk.mini_values / 8 * walk.widths[m];
            if (walk.widths[m] > 64 || bytes > (uint64_t)(walk.end - walk.pos)) {
                return pmn_fail(err, PAIMON_CORRUPT, "delta encoding: bytes end inside a miniblock");
            }
            walk.pos += bytes;
            left -= (int64_t)walk.mini_values;
        }
    }
    *end = walk.pos;
    return PAIMON_OK;
}
