/* A column being read: a tree of decoders, each a cursor over its streams, into one Arrow array.
 *
 * Rows are decoded in blocks of at most 1024, so that what lies between two steps stays in the first-level cache. In a block it is settled first
 * which rows have a value; then the kind's own `append` decodes so many values and puts them where they belong. A column knows nothing of
 * rows: it goes forward by values, and where the row index allows it, to a row group. */
#ifndef PMN_FORMAT_ORC_COLUMN_H
#define PMN_FORMAT_ORC_COLUMN_H

#include "format/colset.h"
#include "format/gather.h"
#include "format/leaf_out.h"
#include "format/orc/rle.h"
#include "format/orc/section.h"

#define PMN_ORC_BLOCK 1024
/* Bytes of a value that a block in compact form holds at most. */
#define PMN_ORC_WIDEST 32

typedef struct pmn_orc_column pmn_orc_column;

/* Scratch that a tree's decoders use one after the other. */
typedef struct pmn_orc_work {
    int64_t numbers[PMN_ORC_BLOCK + PMN_ORC_INTS_SLACK];
    int64_t more[PMN_ORC_BLOCK + PMN_ORC_INTS_SLACK];
    uint32_t indices[PMN_ORC_BLOCK + 64];
    int32_t ends[PMN_ORC_BLOCK + 64];
    int32_t spread[PMN_ORC_BLOCK + 64];
    _Alignas(16) uint8_t compact[(PMN_ORC_BLOCK + PMN_ORC_INTS_SLACK) * PMN_ORC_WIDEST + 64];
} pmn_orc_work;

/* What a kind of column does. Values are those that are not null. */
typedef struct pmn_orc_column_ops {
    /* Its streams in a stripe that begins. */
    void (*begin)(pmn_orc_column *c, const pmn_orc_section *section);
    /* Append `n` ≤ PMN_ORC_BLOCK rows: `bits` tells which have a value, n_valid of them (NULL: all). Validity is told already, and there is
     * room for `n` rows and some; c->out.n is moved by the caller. */
    paimon_status (*append)(pmn_orc_column *c, int64_t n, const uint64_t *bits, int64_t n_valid, paimon_error *err);
    paimon_status (*skip)(pmn_orc_column *c, int64_t n, paimon_error *err);
    paimon_status (*seek)(pmn_orc_column *c, pmn_orc_positions *positions, paimon_error *err);
    /* The array of what was appended. NULL: that of `out`. */
    paimon_status (*finish)(pmn_orc_column *c, struct ArrowArray *array, paimon_error *err);
    /* FIXED leaves instead of `append`: the next `n` values to `dst`, which has slack. */
    paimon_status (*decode)(pmn_orc_column *c, int64_t n, uint8_t *dst, paimon_error *err);
} pmn_orc_column_ops;

/* Strings of a dictionary, as they are copied. */
typedef struct pmn_orc_dictionary {
    bool loaded;
    int64_t n;
    uint8_t *bytes; /* all strings; or slots of `stride` bytes */
    size_t bytes_capacity;
    int32_t *lengths;
    size_t lengths_capacity;
    int64_t *offsets; /* into bytes; without slots */
    size_t offsets_capacity;
    int32_t stride; /* 16, 32, 64: padded slots, copied whole; 0: offsets */
    int32_t longest;
} pmn_orc_dictionary;

struct pmn_orc_column {
    const pmn_orc_column_ops *ops;
    pmn_orc_file *file; /* borrowed, as what follows */
    pmn_mem *mem;
    pmn_buffer_pool *pool;
    const pmn_orc_type *type;
    const pmn_want *want;
    pmn_orc_work *work; /* lent while it decodes */
    pmn_orc_encoding encoding;
    const pmn_zone *zone; /* timestamps: whose clock is to be read; NULL for UTC */
    int64_t zone_base;    /* the instant from which seconds count */
    int64_t zone_from, zone_until; /* instants between which the clock is zone_offset ahead */
    int32_t zone_offset;
    int64_t stripe_rows;
    bool is_top;
    bool is_short_decimal; /* of the stripe: see column_decimal.c */
    bool has_present;
    pmn_orc_bits present;
    uint64_t bits[PMN_ORC_BLOCK / 64 + 2]; /* of the block: which rows have a value */
    pmn_leaf_out out; /* LIST and MAP: validity and offsets; STRUCT: validity */
    pmn_orc_stream data;
    pmn_orc_ints ints;   /* values, indices of a dictionary, seconds */
    pmn_orc_ints second; /* lengths, scales, nanoseconds */
    pmn_orc_bytes bytes;
    pmn_orc_bits booleans;
    pmn_orc_dictionary dictionary;
    int64_t (*convert)(const pmn_orc_column *c, const int64_t *src, int64_t n, uint8_t *dst); /* integers: see column_number.c */
    int64_t factor;
    pmn_orc_column **children; /* by child of `want`; for LIST one, for MAP two; NULL where it is not read */
    int32_t n_children;
    /* the row index of the stripe, once it was looked for */
    bool index_tried;
    pmn_arena index_arena;
    pmn_orc_index index;
};

/* The decoders for `want`, which has a field. PAIMON_UNSUPPORTED names both types where they do not go together. Free it on failure, too. */
paimon_status pmn_orc_column_new(pmn_orc_file *file, const pmn_want *want, pmn_decompressors *decompressors, pmn_buffer_pool *pool,
                                 pmn_orc_column **out, paimon_error *err) PMN_MUST_USE;
void pmn_orc_column_free(pmn_orc_column *c); /* NULL allowed */
/* The scratch to use from here on; what was lent before is not looked at any more. */
void pmn_orc_column_lend(pmn_orc_column *c, pmn_orc_work *work);

void pmn_orc_column_begin_stripe(pmn_orc_column *c, const pmn_orc_section *section);
/* A new array, with room for `rows`. */
paimon_status pmn_orc_column_begin(pmn_orc_column *c, int64_t rows, paimon_error *err) PMN_MUST_USE;
/* Append `n` ≤ PMN_ORC_BLOCK rows; of them only those in `slots` (n_slots; NULL: all) are in the file, the others are null. */
paimon_status pmn_orc_column_block(pmn_orc_column *c, int64_t n, const uint64_t *slots, int64_t n_slots, paimon_error *err) PMN_MUST_USE;
/* As many as wanted. */
paimon_status pmn_orc_column_append(pmn_orc_column *c, int64_t n, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_orc_column_skip(pmn_orc_column *c, int64_t n, paimon_error *err) PMN_MUST_USE;
/* To the first row of a row group, if all its row indexes tell where that is; `*found` says so, else nothing moved. */
paimon_status pmn_orc_column_seek(pmn_orc_column *c, const pmn_orc_section *section, int64_t group, pmn_decompressors *decompressors, bool *found,
                                  paimon_error *err) PMN_MUST_USE;
paimon_status pmn_orc_column_finish(pmn_orc_column *c, struct ArrowArray *array, paimon_error *err) PMN_MUST_USE;
/* About what the array takes so far. */
int64_t pmn_orc_column_held(const pmn_orc_column *c);
int64_t pmn_orc_column_bytes_read(const pmn_orc_column *c);

/* What `c` becomes: sets its ops, the kind of `out`, conversion. False if the types do not go together. */
bool pmn_orc_plan_number(pmn_orc_column *c);
bool pmn_orc_plan_text(pmn_orc_column *c);
bool pmn_orc_plan_decimal(pmn_orc_column *c);
bool pmn_orc_plan_time(pmn_orc_column *c);
bool pmn_orc_plan_nested(pmn_orc_column *c);

void pmn_orc_dictionary_free(pmn_orc_column *c);
/* PAIMON_CORRUPT: value `at` of those being decoded is not one of the wanted type. */
paimon_status pmn_orc_misfit(const pmn_orc_column *c, int64_t at, paimon_error *err);

#endif
