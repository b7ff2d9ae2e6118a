/* Time zones of the tz database, for wall clocks of long ago: ORC files name the writer's zone.
 *
 * Read from the system's compiled files (RFC 9636) in $TZDIR or the usual folders. "UTC", "GMT", "Etc/UTC", "Z" and fixed offsets as Java
 * writes them ("GMT+08:00", "+08:00") need no file. */
#ifndef PMN_BASE_ZONE_H
#define PMN_BASE_ZONE_H

#include <stdint.h>

#include "base/mem.h"
#include "base/status.h"

typedef struct pmn_zone pmn_zone; /* immutable: any thread */

/* PAIMON_UNSUPPORTED if it is not known here, saying where was looked; PAIMON_CORRUPT for a damaged file or a name that is none. */
paimon_status pmn_zone_open(pmn_mem *mem, const char *name, pmn_zone **out, paimon_error *err) PMN_MUST_USE;
void pmn_zone_free(pmn_zone *zone); /* NULL allowed */
/* Seconds east of UTC at an instant (seconds since 1970 UTC). */
int32_t pmn_zone_offset(const pmn_zone *zone, int64_t instant);
/* The instant of a wall clock (seconds as if it were UTC). Of a time that is there twice the earlier; of one that is skipped, that of the clock
 * before the change: as Java does. */
int64_t pmn_zone_instant(const pmn_zone *zone, int64_t wall);

#endif
