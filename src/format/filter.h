/* The exact filter of a pass over a file, made ready: its columns matched, what the file lacks taken as null. */
#ifndef PMN_FORMAT_FILTER_H
#define PMN_FORMAT_FILTER_H

#include "format/match.h"
#include "predicate/bound.h"
#include "predicate/eval.h"

typedef struct pmn_read_filter {
    const pmn_pred *pred;  /* for pruning, its columns numbered as in `want`; NULL: none, all rows meet it */
    bool none;             /* no row can meet it */
    pmn_want want;         /* the match of the filter schema */
    const bool *used;      /* by child of `want`: to be decoded */
    int32_t n_used;
    struct ArrowSchema schema; /* of those, in that order: what is evaluated. Shallow, borrowed from the filter schema; not to be released */
    const pmn_pred *bound; /* its columns numbered as in `schema` */
    int32_t *columns;      /* 0 … n_used - 1 */
} pmn_read_filter;

/* `pred` NULL: none. Everything lands in `arena` or is borrowed. */
paimon_status pmn_read_filter_init(pmn_read_filter *filter, pmn_arena *arena, const pmn_pred *pred, const struct ArrowSchema *schema,
                                   const pmn_file_field *fields, int32_t n_fields, bool case_insensitive, paimon_error *err) PMN_MUST_USE;
/* One bit a row of `array`, which has `schema`. */
paimon_status pmn_read_filter_eval(const pmn_read_filter *filter, const struct ArrowArray *array, pmn_mem *mem, uint8_t *selected, int64_t *n_selected,
                                   paimon_error *err) PMN_MUST_USE;

#endif
