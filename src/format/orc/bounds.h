/* From a file's statistics to what a predicate asks: bounds as datums, and the number of nulls. Only where the meaning is certain. */
#ifndef PMN_FORMAT_ORC_BOUNDS_H
#define PMN_FORMAT_ORC_BOUNDS_H

#include "format/orc/meta.h"
#include "predicate/bound.h"

/* Whose statistics, and of what. */
typedef struct pmn_orc_bounds_of_what {
    const pmn_orc_meta *meta;
    const pmn_orc_type *column;
    const char *zone; /* of the writer, as the stripe's footer names it */
    bool is_nested;   /* in a struct, which may be null */
    bool is_merged;   /* of a stripe or file, put together from row groups */
    bool instants_are_local; /* see pmn_format_open_options */
    pmn_arena *arena; /* for bounds that have to be made */
} pmn_orc_bounds_of_what;

/* Fill `out`, whose row_count is set, for the values of the column as predicates on `type` see them. What is not certain stays unknown. Bytes borrow
 * from the statistics or lie in the arena. */
void pmn_orc_bounds_of(const pmn_orc_bounds_of_what *what, const pmn_type *type, const pmn_orc_stats *stats, pmn_stat *out);

#endif
