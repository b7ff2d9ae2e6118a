/* A pass over a file of a columnar format, whatever it is: which rows, then their columns.
 *
 * Rows come from the groups of the file (row groups, stripes) in order, cut down by the caller's ranges and, with a filter, by what the
 * format can rule out. Without a filter they are decoded as they come. With one, windows of rows are taken: the filter's columns are
 * decoded, the filter is evaluated, and the rows that meet it are collected until there are enough for a batch; only then, and only of
 * those, the other columns. */
#ifndef PMN_FORMAT_PASS_H
#define PMN_FORMAT_PASS_H

#include "format/colset.h"
#include "format/filter.h"
#include "format/format.h"
#include "format/ranges.h"

/* What a format knows of its file. `ctx` is its own object. */
typedef struct pmn_pass_ops {
    paimon_status (*schema)(void *ctx, struct ArrowSchema *out, paimon_error *err); /* the natural one */
    void (*group)(const void *ctx, int32_t group, int64_t *first_row, int64_t *n_rows);
    /* Before a group's rows are pruned or decoded; NULL: nothing is to be done. */
    paimon_status (*open)(void *ctx, int32_t group, paimon_error *err);
    /* No rows of groups before this one will be decoded any more; NULL. */
    void (*close)(void *ctx, int32_t group);
    /* Append to `may` the file rows of the group that may meet the filter. */
    paimon_status (*prune)(void *ctx, int32_t group, const pmn_read_filter *filter, pmn_row_ranges *may, paimon_error *err);
    /* Give the columns of a set that is initialised, those with a field, their readers and weights. */
    paimon_status (*columns)(void *ctx, pmn_colset *set, pmn_arena *arena, paimon_error *err);
    const pmn_column_ops *column;
    void (*free)(void *ctx); /* once no column is left */
} pmn_pass_ops;

typedef struct pmn_pass_file {
    const pmn_pass_ops *ops;
    void *ctx; /* moved, also on failure */
    pmn_mem *mem;
    const char *path; /* borrowed until ctx is freed, as the fields */
    int32_t n_groups;
    const pmn_file_field *fields;
    int32_t n_fields;
    bool case_insensitive;
} pmn_pass_file;

paimon_status pmn_pass_new(const pmn_pass_file *file, const pmn_format_read_options *options, pmn_format_reader **out, paimon_error *err) PMN_MUST_USE;

#endif
