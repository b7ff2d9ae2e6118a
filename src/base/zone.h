/* Time zones of the tz database, for wall clocks of long ago: ORC files name the writer's zone.
 *
 * Read from the system's compiled files (RFC 9636) in $TZDIR or the usual folders. "UTC", "GMT", "Etc/UTC", "Z" and fixed offsets as Java
 * writes them ("GMT+08:00", "+08:00") need no file. Before 1900 a zone has its standard offset of today, as java.util.TimeZone has it,
 * whose clocks the writers of such files read; local mean time counts only from then on. */
#ifndef PMN_BASE_ZONE_H
#define PMN_BASE_ZONE_H

#include <stdint.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/status.h"

typedef struct pmn_zone pmn_zone; /* immutable: any thread */

/* PAIMON_UNSUPPORTED if it is not known here, saying where was looked; PAIMON_CORRUPT for a damaged file or a name that is none. */
paimon_status pmn_zone_open(pmn_mem *mem, const char *name, pmn_zone **out, paimon_error *err) PMN_MUST_USE;
/* That of this computer: $TZ, else /etc/localtime, else UTC. */
paimon_status pmn_zone_open_local(pmn_mem *mem, pmn_zone **out, paimon_error *err) PMN_MUST_USE;
/* One from the bytes of a compiled file; `name` is for messages. */
paimon_status pmn_zone_parse(pmn_mem *mem, pmn_slice bytes, const char *name, pmn_zone **out, paimon_error *err) PMN_MUST_USE;
void pmn_zone_free(pmn_zone *zone); /* NULL allowed */
/* Seconds east of UTC at an instant (seconds since 1970 UTC). */
int32_t pmn_zone_offset(const pmn_zone *zone, int64_t instant);
/* And since when and until when (not included) the clock is not changed: decoders ask once for many values. */
int32_t pmn_zone_offset_span(const pmn_zone *zone, int64_t instant, int64_t *from, int64_t *until);
/* The instant of a wall clock (seconds as if it were UTC). Of a time that is there twice the earlier; of one that is skipped, that of the clock
 * before the change: as java.time does. */
int64_t pmn_zone_instant(const pmn_zone *zone, int64_t wall);

#endif
