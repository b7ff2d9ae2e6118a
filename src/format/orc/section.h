/* An open stripe as its columns see it: which streams are there, and how they are encoded. Immutable once open, but for the caller's: any thread. */
#ifndef PMN_FORMAT_ORC_SECTION_H
#define PMN_FORMAT_ORC_SECTION_H

#include "base/zone.h"
#include "format/orc/file.h"

typedef struct pmn_orc_section {
    pmn_mem *mem; /* borrowed */
    pmn_arena arena;
    int32_t stripe;
    int64_t first_row, n_rows;
    pmn_orc_stripe_footer footer;
    const int32_t *first; /* by column: its first stream, or -1 */
    const int32_t *next;  /* by stream: the next one of its column, or -1 */
    const pmn_zone *zone; /* of the writer; NULL: UTC. Borrowed */
    const pmn_zone *instant_zone; /* in which instants are to be read as wall clocks; NULL: UTC */
} pmn_orc_section;

/* The reader's zones are kept by name, since all stripes of a file name the same. */
typedef struct pmn_orc_zone {
    pmn_mem *mem;
    char *name; /* NULL: none yet */
    pmn_zone *zone;
    struct pmn_orc_zone *others;
} pmn_orc_zone;
void pmn_orc_zone_free(pmn_orc_zone *zone);

/* `zones` NULL: no column needs the writer's, so that one which is not known does no harm. */
paimon_status pmn_orc_section_open(pmn_orc_file *file, int32_t stripe, pmn_decompressor *d, pmn_orc_zone *zones, pmn_orc_section **out,
                                   paimon_error *err) PMN_MUST_USE;
void pmn_orc_section_free(pmn_orc_section *section);
/* NULL if it is not there. */
const pmn_orc_stream_info *pmn_orc_section_stream(const pmn_orc_section *section, int32_t column, int32_t kind);
/* DIRECT for one that is not told. */
pmn_orc_encoding pmn_orc_section_encoding(const pmn_orc_section *section, int32_t column);

#endif
