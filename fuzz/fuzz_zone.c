/* Compiled time zones from bare bytes: what is read answers within bounds, and a wall clock's instant shows that wall clock where there is one. */
#include <stdlib.h>

#include "base/zone.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok)
{
    if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t instants[] = { INT64_MIN, -3000000000, -2208988800, -1000000000, 0, 1420070400, 2000000000, 5000000000, 300000000000, INT64_MAX };
    pmn_zone *zone;
    if (pmn_zone_parse(pmn_mem_default(), pmn_slice_of(data, size), "fuzz", &zone, NULL) != PAIMON_OK) return 0;
    for (size_t i = 0; i < sizeof instants / sizeof *instants; i++) {
        int64_t from, until, t = instants[i];
        int32_t offset = pmn_zone_offset_span(zone, t, &from, &until);
        check(from <= t && (t < until || until == INT64_MAX));
        check(offset > -26 * 3600 && offset < 26 * 3600);
        check(pmn_zone_offset(zone, from) == offset && (until == INT64_MAX || pmn_zone_offset(zone, until - 1) == offset));
        int64_t back = pmn_zone_instant(zone, t);
        if (t > INT64_MIN / 2 && t < INT64_MAX / 2) check(back - t < 26 * 3600 && t - back < 26 * 3600);
    }
    pmn_zone_free(zone);
    return 0;
}
