/* Columns of timestamps: seconds since 2015, and nanoseconds whose trailing zeros are counted in the lowest three bits.
 *
 * TIMESTAMP is a wall clock. The writer took it for an instant in its own zone, which the stripe names, and counted seconds from 2015-01-01
 * 00:00:00 in that zone; the way back leads through the zone's offset at that instant. TIMESTAMP WITH LOCAL TIME ZONE counts in UTC; but where
 * the writer had taken UTC's wall clock for its own (pmn_format_open_options), the same way leads back to the instant that was meant.
 *
 * Writers cut seconds towards zero, so of instants before 1970 with a fraction they are one too many. Java knows these by the nanoseconds: a
 * fraction below a millisecond is not cut so. The test is made on the instant; a reader that shifts zones first gets it wrong near 1970. */
#include <string.h>

#include "base/decimal.h"
#include "format/orc/column.h"

#define SECONDS_TO_2015 INT64_C(1420070400)

static void begin_times(pmn_orc_column *c, const pmn_orc_section *section)
{
    bool v2 = c->encoding.kind == PMN_ORC_DIRECT_V2;
    pmn_orc_ints_begin(&c->ints, pmn_orc_section_stream(section, c->type->id, PMN_ORC_DATA), v2);
    pmn_orc_ints_begin(&c->second, pmn_orc_section_stream(section, c->type->id, PMN_ORC_SECONDARY), v2);
    bool is_wall = c->type->kind == PMN_ORC_TIMESTAMP;
    c->zone = is_wall ? section->zone : section->instant_zone;
    c->zone_base = is_wall && c->zone ? pmn_zone_instant(c->zone, SECONDS_TO_2015) : SECONDS_TO_2015;
    c->zone_from = 1;
    c->zone_until = 0;
}

/* Nanoseconds without their trailing zeros, less one, in the upper bits; how many less one in the lower three. -1: too many. */
PMN_INLINE int64_t nanoseconds(int64_t stored)
{
    static const int32_t powers[8] = { 1, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
    uint64_t nanos = (uint64_t)stored >> 3;
    if (PMN_UNLIKELY(nanos > 999999999u)) return -1;
    nanos *= (uint64_t)powers[stored & 7];
    return nanos > 999999999u ? -1 : (int64_t)nanos;
}

/* Floor seconds of the wall clock, or of the instant. False if they are out of all bounds. */
PMN_INLINE bool wall_seconds(pmn_orc_column *c, int64_t stored, int64_t nanos, int64_t *out)
{
    int64_t seconds;
    if (__builtin_add_overflow(stored, c->zone_base, &seconds)) return false;
    if (seconds < 0 && nanos > 999999) seconds--;
    if (c->zone) {
        if (seconds > INT64_MAX / 2 || seconds < INT64_MIN / 2) return false;
        if (seconds < c->zone_from || seconds >= c->zone_until) c->zone_offset = pmn_zone_offset_span(c->zone, seconds, &c->zone_from, &c->zone_until);
        seconds += c->zone_offset;
    }
    *out = seconds;
    return true;
}

static paimon_status decode_times(pmn_orc_column *c, int64_t n, uint8_t *dst, paimon_error *err)
{
    int64_t *seconds = c->work->numbers, *fractions = c->work->more, units = c->factor, nanos_a_unit = 1000000000 / units;
    PMN_TRY(pmn_orc_ints_read(&c->ints, seconds, n, err));
    PMN_TRY(pmn_orc_ints_read(&c->second, fractions, n, err));
    for (int64_t i = 0; i < n; i++) {
        int64_t nanos = nanoseconds(fractions[i]), wall, v;
        if (nanos < 0 || !wall_seconds(c, seconds[i], nanos, &wall)) return pmn_orc_misfit(c, i, err);
        if (PMN_UNLIKELY(__builtin_mul_overflow(wall, units, &v) || __builtin_add_overflow(v, nanos / nanos_a_unit, &v))) {
            /* The product may be past the ends where the sum is not. */
            pmn_i128 wide = (pmn_i128)wall * units + nanos / nanos_a_unit;
            if (wide < INT64_MIN || wide > INT64_MAX) return pmn_orc_misfit(c, i, err);
            v = (int64_t)wide;
        }
        memcpy(dst + i * 8, &v, 8);
    }
    return PAIMON_OK;
}

static paimon_status skip_times(pmn_orc_column *c, int64_t n, paimon_error *err)
{
    PMN_TRY(pmn_orc_ints_skip(&c->ints, n, err));
    return pmn_orc_ints_skip(&c->second, n, err);
}

static paimon_status seek_times(pmn_orc_column *c, pmn_orc_positions *positions, paimon_error *err)
{
    PMN_TRY(pmn_orc_ints_seek(&c->ints, positions, err));
    return pmn_orc_ints_seek(&c->second, positions, err);
}

static const pmn_orc_column_ops time_ops = { begin_times, NULL, skip_times, seek_times, NULL, decode_times };

bool pmn_orc_plan_time(pmn_orc_column *c)
{
    static const int64_t units[] = { 1, 1000, 1000000, 1000000000 };
    if (c->want->type.kind != PMN_ARROW_TIMESTAMP) return false;
    c->ops = &time_ops;
    c->factor = units[c->want->type.unit];
    pmn_leaf_out_init(&c->out, c->pool, PMN_LEAF_FIXED, 8);
    return true;
}
