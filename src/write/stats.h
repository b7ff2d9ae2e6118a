/* Column statistics of a data file as the manifest keeps them: which columns, cut how. Modes are Paimon's metadata.stats-mode. */
#ifndef PMN_WRITE_STATS_H
#define PMN_WRITE_STATS_H

#include "format/format.h"
#include "meta/manifest/manifest.h"
#include "meta/schema/options.h"

typedef enum pmn_stats_kind { PMN_STATS_NONE, PMN_STATS_COUNTS, PMN_STATS_FULL, PMN_STATS_TRUNCATE } pmn_stats_kind;

typedef struct pmn_stats_mode {
    pmn_stats_kind kind;
    int32_t length; /* TRUNCATE: code points of texts, bytes of binaries */
} pmn_stats_mode;

/* "none", "counts", "full", "truncate(16)"; PAIMON_INVALID names the option and its text. */
paimon_status pmn_stats_mode_parse(const char *key, const char *text, pmn_stats_mode *out, paimon_error *err) PMN_MUST_USE;

/* What is kept of the columns of `row`: made once a table, in an arena. */
typedef struct pmn_stats_plan {
    const pmn_type *row;
    pmn_stats_mode *modes;   /* one a column */
    const pmn_type *stored;  /* ROW of the columns that have statistics, all nullable */
    int32_t *columns;        /* their numbers in `row` */
    bool keeps_all;          /* no column left out: _VALUE_STATS_COLS is null */
    const char **names;      /* of the stored columns */
} pmn_stats_plan;

paimon_status pmn_stats_plan_make(pmn_arena *arena, const pmn_type *row, const pmn_options *options, pmn_stats_plan *out, paimon_error *err) PMN_MUST_USE;

/* The value statistics of a file with these bounds (NULL: the format keeps none), into the arena. */
paimon_status pmn_stats_make(const pmn_stats_plan *plan, const pmn_column_bounds *bounds, pmn_arena *arena, pmn_data_file *file,
                             paimon_error *err) PMN_MUST_USE;

/* Rows of no columns: keys of append tables, and their statistics. */
paimon_status pmn_stats_empty(pmn_arena *arena, pmn_slice *row, pmn_simple_stats *stats, paimon_error *err) PMN_MUST_USE;

/* Cut bounds to `length`: the minimum is a prefix; the maximum is a prefix stepped up, or, where that cannot be, false: both are
 * unknown then. Bytes go into the arena. */
paimon_status pmn_stats_truncate(pmn_arena *arena, const pmn_type *type, int32_t length, pmn_datum *min, pmn_datum *max, paimon_error *err) PMN_MUST_USE;

#endif
