/* What a writer learns of its top-level columns. Avro files keep no statistics, so that the manifest is the only place that has them; Paimon
 * Java collects them from the rows, too. */
#ifndef PMN_FORMAT_AVRO_WRITE_BOUNDS_H
#define PMN_FORMAT_AVRO_WRITE_BOUNDS_H

#include "base/buf.h"
#include "format/format.h"

typedef struct pmn_avro_range {
    const pmn_type *type; /* borrowed */
    int64_t n_nulls;
    bool any, nan;
    int64_t low, high; /* integers, days, times, timestamps in Arrow's unit */
    double low_float, high_float;
    pmn_i128 low_decimal, high_decimal;
    pmn_buf low_text, high_text;
} pmn_avro_range;

void pmn_avro_range_init(pmn_avro_range *range, pmn_mem *mem, const pmn_type *type);
void pmn_avro_range_free(pmn_avro_range *range);
/* Rows [first, first + count) of the column's array, whose offset is added. */
paimon_status pmn_avro_range_add(pmn_avro_range *range, const struct ArrowArray *array, int64_t first, int64_t count, paimon_error *err) PMN_MUST_USE;
/* Texts are borrowed from the range. */
void pmn_avro_range_tell(const pmn_avro_range *range, pmn_column_bounds *out);

#endif
