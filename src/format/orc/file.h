/* An open ORC file: footer parsed, immutable, counted, shared by its readers and threads. */
#ifndef PMN_FORMAT_ORC_FILE_H
#define PMN_FORMAT_ORC_FILE_H

#include <stdatomic.h>

#include "format/format.h"
#include "format/match.h"
#include "format/ranges.h"
#include "format/orc/meta.h"

typedef struct pmn_orc_file {
    pmn_format_file base; /* first */
    atomic_int refs;
    pmn_mem *mem; /* retained */
    pmn_input *input;
    char *path;
    int64_t size;
    bool case_insensitive;
    bool instants_are_local; /* see pmn_format_open_options */
    pmn_arena arena; /* of meta and fields; not touched after opening */
    pmn_buf footer;  /* the message that meta borrows from; kept for describing */
    pmn_orc_meta meta;
    pmn_file_field root; /* the top-level columns are its children; nodes are pmn_orc_type (of a map's entries: the map's). UNION is shown as a
                            leaf. A root that is no struct is shown as a struct of one column named "" */
    _Atomic(struct pmn_orc_stripe_stats *) stripe_stats; /* NULL until somebody asks: see pmn_orc_file_stripe_stats */
    /* The bytes that opening read anyway, [tail_offset, size): a small file is all there. */
    uint8_t *tail;
    int64_t tail_offset;
    size_t tail_size;
} pmn_orc_file;

extern const pmn_format pmn_format_orc;

pmn_orc_file *pmn_orc_file_retain(pmn_orc_file *file);
void pmn_orc_file_release(pmn_orc_file *file);
/* Exactly `n` bytes from `offset`, out of the kept tail where it covers them. Any thread. */
paimon_status pmn_orc_file_read(pmn_orc_file *file, int64_t offset, int64_t n, void *dst, paimon_error *err) PMN_MUST_USE;
/* [offset, offset + size) of the file as one message: read, its chunks put together and decompressed, appended to `out` (whose ceiling bounds it). */
paimon_status pmn_orc_file_message(pmn_orc_file *file, pmn_decompressor *d, int64_t offset, int64_t size, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* stripe.c: the footer of stripe `i`, in the arena. */
paimon_status pmn_orc_stripe_open(pmn_orc_file *file, int32_t i, pmn_decompressor *d, pmn_arena *arena, pmn_orc_stripe_footer *out, paimon_error *err) PMN_MUST_USE;

/* stats.c: the statistics of column `column` in stripe `i`, message bytes that live as long as the file; data NULL if there are none. They are
 * read from the file the first time. Any thread. */
paimon_status pmn_orc_file_stripe_stats(pmn_orc_file *file, pmn_decompressor *d, int32_t i, int32_t column, pmn_slice *out, paimon_error *err) PMN_MUST_USE;
void pmn_orc_stripe_stats_free(pmn_mem *mem, struct pmn_orc_stripe_stats *stats); /* NULL allowed */

/* schema.c: the tree of fields that the types are, and the natural Arrow schema: BOOLEAN b; BYTE c; SHORT s; INT i; LONG l; FLOAT f; DOUBLE g; STRING, VARCHAR, CHAR u; BINARY z;
 * DATE tdD; TIMESTAMP tsn:; INSTANT tsn:UTC; DECIMAL d:p,s; LIST +l; MAP +m; STRUCT +s. UNION is PAIMON_UNSUPPORTED by name. */
paimon_status pmn_orc_fields_build(pmn_orc_file *file, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_orc_schema_arrow(pmn_orc_file *file, struct ArrowSchema *out, paimon_error *err) PMN_MUST_USE;

/* prune.c: which rows of stripe `i` may make `pred` TRUE, as file rows, appended to `keep`: by the file's and the stripe's statistics, by row
 * indexes and bloom filters, which are read only when the predicate can use them. `columns`: the match of the filter schema. `footer`: of
 * that stripe. It may keep too much, never too little. */
paimon_status pmn_orc_prune_stripe(pmn_orc_file *file, int32_t i, const pmn_orc_stripe_footer *footer, pmn_decompressor *d, const pmn_pred *pred,
                                   const pmn_want *columns, pmn_row_ranges *keep, paimon_error *err) PMN_MUST_USE;

/* describe.c */
paimon_status pmn_orc_describe(pmn_orc_file *file, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* reader.c: a pass over the file. It retains `file`. */
paimon_status pmn_orc_reader_new(pmn_orc_file *file, const pmn_format_read_options *options, pmn_format_reader **out, paimon_error *err) PMN_MUST_USE;

#endif
