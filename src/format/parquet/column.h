/* A leaf column being read: one cursor over its chunks, page after page, into an Arrow leaf array.
 *
 * Rows are numbered inside the row group. A flat column (no levels, or one definition level) turns its bit-packed levels into the
 * validity bitmap directly; a nested one also keeps its levels for nested.c. The loops work on blocks of at most 1024 values, which
 * stay in the first-level cache; checks are made once a block. */
#ifndef PMN_FORMAT_PARQUET_COLUMN_H
#define PMN_FORMAT_PARQUET_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "format/leaf_out.h"
#include "format/colset.h"
#include "format/parquet/convert.h"
#include "format/parquet/delta.h"
#include "format/parquet/index.h"
#include "format/parquet/page.h"

#define PMN_PARQUET_BLOCK 1024
/* A nested column cannot end early: past this many bytes of strings or this many levels of a leaf it is asked again for fewer rows. */
#define PMN_PARQUET_NESTED_BYTES (64 * 1024 * 1024)
#define PMN_PARQUET_NESTED_LEVELS (16 * 1024 * 1024)

/* Dictionary values in their final form. */
typedef struct pmn_parquet_dictionary {
    int64_t n;         /* -1: the chunk has none (yet) */
    uint8_t *values;   /* FIXED: out_width apart; strings: slots of `stride` bytes, or all bytes one behind the other */
    size_t values_capacity;
    int32_t *lengths;  /* strings */
    size_t lengths_capacity;
    uint32_t *offsets; /* strings without slots */
    size_t offsets_capacity;
    int32_t stride;    /* 16, 32, 64: padded slots, copied whole; 0: offsets */
    int32_t longest;
} pmn_parquet_dictionary;

typedef enum pmn_parquet_form {
    PMN_PQ_FORM_PLAIN,
    PMN_PQ_FORM_DICTIONARY,
    PMN_PQ_FORM_DELTA,        /* integers */
    PMN_PQ_FORM_SPLIT,        /* byte stream split */
    PMN_PQ_FORM_RUNS,         /* booleans */
    PMN_PQ_FORM_DELTA_LENGTH, /* strings */
    PMN_PQ_FORM_DELTA_BYTES
} pmn_parquet_form;

/* The values of a page that are not null, in order. */
typedef struct pmn_parquet_values {
    pmn_parquet_form form;
    const uint8_t *pos;
    const uint8_t *end;
    int64_t bit;               /* PLAIN booleans: bits taken */
    int64_t split_n, split_at; /* SPLIT: values in the page, taken */
    pmn_parquet_hybrid runs;   /* DICTIONARY, RUNS */
    pmn_parquet_delta delta;   /* DELTA; DELTA_LENGTH: lengths; DELTA_BYTES: prefix lengths */
    pmn_parquet_delta suffix;  /* DELTA_BYTES: suffix lengths */
    size_t last_size;          /* DELTA_BYTES: of the value before, in `joined` */
} pmn_parquet_values;

/* What a block of values needs on its way; and levels decoded ahead. */
typedef struct pmn_parquet_block {
    uint64_t bits[PMN_PARQUET_BLOCK / 64 + 8], picked_bits[PMN_PARQUET_BLOCK / 64 + 8];
    uint32_t indices[PMN_PARQUET_BLOCK + 64];
    int32_t picked[PMN_PARQUET_BLOCK + 64], picked_rows[PMN_PARQUET_BLOCK + 64];
    int32_t ends[PMN_PARQUET_BLOCK + 64];
    int64_t numbers[PMN_PARQUET_BLOCK + 64];
    pmn_slice slices[PMN_PARQUET_BLOCK];
    uint8_t ahead_def[PMN_PARQUET_BLOCK + 64], ahead_rep[PMN_PARQUET_BLOCK + 64];
} pmn_parquet_block;

typedef struct pmn_parquet_leaf {
    pmn_parquet_file *file; /* borrowed */
    pmn_mem *mem;
    const pmn_parquet_node *node;
    const char *path;
    pmn_parquet_convert convert;
    bool levels_only; /* its values are not wanted */
    bool nested;      /* levels are kept */
    int16_t slot_def;
    /* where it is */
    int32_t group;       /* -1: nowhere */
    int64_t row;         /* flat: of the next entry; nested: rows begun */
    int64_t group_rows;
    pmn_parquet_pages pages;
    pmn_parquet_page page;
    bool have_page;      /* `page` is not used up */
    bool loaded;         /* and its bytes are decompressed */
    int64_t page_left;   /* entries of it not taken */
    pmn_parquet_page_data data;
    pmn_parquet_values values;
    pmn_parquet_dictionary dictionary;
    int32_t block;       /* rows a block, smaller where values are long */
    pmn_arena arena;     /* of `index` */
    pmn_parquet_offset_index index;
    bool index_tried, have_index;
    /* NESTED: levels of the rows read since pmn_parquet_leaf_begin */
    uint8_t *defs, *reps;
    size_t levels_capacity;
    int64_t n_levels;
    int32_t ahead_at, ahead_n; /* levels decoded but not taken, in block_of->ahead_def and ahead_rep */
    bool too_big; /* NESTED: the rows asked for at once take too much memory */
    pmn_leaf_out out;
    uint8_t *fixed; /* a block of stored values */
    size_t fixed_capacity;
    uint8_t *compact; /* a block of final values before they are spread */
    size_t compact_capacity;
    uint8_t *joined; /* DELTA_BYTES: the values of a block */
    size_t joined_capacity;
    pmn_parquet_block *block_of; /* made with the first row group: a file of many columns need not read them all */
} pmn_parquet_leaf;

/* `want` NULL: only its levels are wanted. Free it on failure, too. */
paimon_status pmn_parquet_leaf_init(pmn_parquet_leaf *leaf, pmn_parquet_file *file, const pmn_parquet_node *node, const char *path,
                                    const pmn_want *want, bool nested, int16_t slot_def, pmn_decompressors *decompressors,
                                    pmn_buffer_pool *pool, paimon_error *err) PMN_MUST_USE;
void pmn_parquet_leaf_free(pmn_parquet_leaf *leaf);

/* Forget where it stands: the next read begins its row group anew. */
void pmn_parquet_leaf_reset(pmn_parquet_leaf *leaf);

/* A new array, with room for `rows`. */
paimon_status pmn_parquet_leaf_begin(pmn_parquet_leaf *leaf, int64_t rows, paimon_error *err) PMN_MUST_USE;

/* Append rows [first, first + span) of row group `group`, or of them only the `n_picked` with these ascending offsets. Never backwards
 * inside a row group. `*done` counts the rows appended: a flat string column stops early when the array grows past
 * PMN_BATCH_BYTES, after one row at least, and may be asked again for the rest. A nested one fails with `too_big` set, and reset,
 * where more than one row takes too much. */
paimon_status pmn_parquet_leaf_read(pmn_parquet_leaf *leaf, int32_t group, int64_t first, int64_t span, const int32_t *picked, int64_t n_picked,
                                    int64_t *done, paimon_error *err) PMN_MUST_USE;

/* values.c: the values of the current page. Blocks of at most PMN_PARQUET_BLOCK where `picked` is given or the form is not PLAIN or
 * DICTIONARY. */
paimon_status pmn_parquet_values_begin(pmn_parquet_leaf *leaf, paimon_error *err) PMN_MUST_USE;
/* Append `rows` rows: `bits` tells which are not null (NULL: all). Their values are, of the next `n` values of the page, all, or the
 * `n_picked` at `picked`. */
paimon_status pmn_parquet_values_append(pmn_parquet_leaf *leaf, int64_t rows, const uint64_t *bits, int64_t n, const int32_t *picked, int64_t n_picked,
                                        paimon_error *err) PMN_MUST_USE;
paimon_status pmn_parquet_values_skip(pmn_parquet_leaf *leaf, int64_t n, paimon_error *err) PMN_MUST_USE;
/* dictionary.c */
paimon_status pmn_parquet_dictionary_load(pmn_parquet_leaf *leaf, const pmn_parquet_page *page, pmn_slice bytes, paimon_error *err) PMN_MUST_USE;
void pmn_parquet_dictionary_free(pmn_parquet_leaf *leaf);/* PAIMON_CORRUPT or what the conversion says about value `at` of the current block. */
paimon_status pmn_parquet_misfit(const pmn_parquet_leaf *leaf, paimon_error *err);

#endif
