/* A top-level column of a pass: it goes to the rows that are asked and makes arrays of them. */
#ifndef PMN_FORMAT_ORC_TOP_H
#define PMN_FORMAT_ORC_TOP_H

#include "format/orc/column.h"

/* The open stripes of a pass, in order. Columns only look. */
typedef struct pmn_orc_sections {
    pmn_orc_section **items;
    int32_t n;
    size_t capacity;
} pmn_orc_sections;

typedef struct pmn_orc_top {
    pmn_mem *mem; /* borrowed, as what follows */
    pmn_buffer_pool *pool;
    pmn_decompressors *decompressors;
    const pmn_orc_sections *sections;
    const pmn_want *want;
    pmn_orc_column *column;
    int32_t stripe; /* it stands in; -1: nowhere */
    int64_t row;    /* of the stripe, that comes next */
    bool is_fixed;  /* all rows take the same */
    double row_bytes; /* about what a row takes */
    struct ArrowArray *pieces; /* of the array being made */
    int32_t n_pieces;
    size_t pieces_capacity;
    int64_t pieces_bytes;
} pmn_orc_top;

extern const pmn_column_ops pmn_orc_top_ops;

paimon_status pmn_orc_top_new(pmn_orc_file *file, const pmn_want *want, pmn_decompressors *decompressors, const pmn_orc_sections *sections,
                              pmn_buffer_pool *pool, pmn_orc_top **out, paimon_error *err) PMN_MUST_USE;

#endif
