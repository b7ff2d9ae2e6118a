/* Decoding records into Arrow columns: the writer's schema and the wanted columns become a flat list of operations (plan.c), which a loop
 * runs for each record (decode.c). */
#ifndef PMN_FORMAT_AVRO_DECODE_H
#define PMN_FORMAT_AVRO_DECODE_H

#include "base/cursor.h"
#include "format/avro/column.h"
#include "format/avro/fields.h"
#include "format/match.h"

/* A batch ends with the row that passes this, however many were asked: rows may be long. */
#define PMN_AVRO_BATCH_BYTES (16 * 1024 * 1024)

typedef enum pmn_avro_code {
    PMN_AVRO_OP_NOTHING,
    PMN_AVRO_OP_SKIP_LONGS, /* n varints */
    PMN_AVRO_OP_SKIP_BYTES,
    PMN_AVRO_OP_SKIP_FIXED, /* n bytes */
    PMN_AVRO_OP_SKIP_TREE,  /* whatever `type` is */
    PMN_AVRO_OP_BOOL,
    PMN_AVRO_OP_I64,
    PMN_AVRO_OP_INTEGER, /* within [low, high], into `width` bytes */
    PMN_AVRO_OP_MULTIPLY, /* by low, into 8 bytes */
    PMN_AVRO_OP_DIVIDE,   /* by low, rounded down, into `width` bytes */
    PMN_AVRO_OP_F32, /* 4 bytes as they are */
    PMN_AVRO_OP_F64,
    PMN_AVRO_OP_F32_TO_F64,
    PMN_AVRO_OP_F64_TO_F32,
    PMN_AVRO_OP_VAR32, /* length and bytes; n > 0: n bytes without a length */
    PMN_AVRO_OP_VAR64,
    PMN_AVRO_OP_ENUM,     /* a symbol's name into VAR32, VAR64 */
    PMN_AVRO_OP_FIXED,    /* `width` bytes, with a length in front if low */
    PMN_AVRO_OP_DECIMAL,  /* big-endian, into `width` bytes; n as for VAR32 */
    PMN_AVRO_OP_STRUCT, /* its children follow */
    PMN_AVRO_OP_LIST,   /* what an item consists of follows; n: the least that one takes */
    PMN_AVRO_OP_MARK, /* remember the place as mark n */
    PMN_AVRO_OP_BACK  /* return to it */
} pmn_avro_code;

typedef struct pmn_avro_op {
    uint8_t code;
    bool in_union; /* a branch stands in front */
    bool refuses_null;
    uint8_t null_code, value_code;
    uint8_t width;
    uint32_t n;
    uint32_t end; /* the operation behind this one and what belongs to it */
    pmn_avro_column *column; /* NULL: nothing comes out */
    int64_t low, high;
    const pmn_avro_type *type;
    const char *path; /* for messages */
    const char *format; /* the Arrow type; NULL if nothing comes out */
} pmn_avro_op;

/* Which column becomes which child of the output. */
typedef struct pmn_avro_out pmn_avro_out;
struct pmn_avro_out {
    const struct ArrowSchema *schema;
    pmn_avro_column *column; /* NULL: all null */
    pmn_avro_level *level;   /* of it */
    pmn_avro_out *children;
    int32_t n_children;
};

typedef struct pmn_avro_decoder {
    pmn_avro_columns columns;
    pmn_avro_level *top;
    pmn_avro_op *ops;
    uint32_t n_ops;
    uint32_t n_needed; /* what is behind only skips to the next record */
    size_t capacity;
    const uint8_t **marks;
    uint32_t n_marks;
    pmn_avro_out *outs; /* one a child of the wanted struct */
    int32_t n_outs;
} pmn_avro_decoder;

/* `want` is the match of a struct schema; of its children those with used[i] (NULL: all) are produced, in order. `record`: the columns
 * that it was matched to are fields of this record (a union around it is taken away, a null is PAIMON_CORRUPT), else (NULL) the one column
 * is the root. Arena and schema live as long as the decoder. PAIMON_UNSUPPORTED names a column whose type cannot become the one wanted. */
paimon_status pmn_avro_decoder_init(pmn_avro_decoder *d, pmn_arena *arena, pmn_buffer_pool *pool, const pmn_avro_fields *fields,
                                    const pmn_file_field *columns, int32_t n_columns, const pmn_want *want, const bool *used, paimon_error *err) PMN_MUST_USE;
void pmn_avro_decoder_free(pmn_avro_decoder *d);

/* Decode up to `n` records at the cursor; `*done` tells how many: fewer, but one at least, when the batch has become large. `starts`, if not
 * NULL, gets the offset of each from `base`. `alone`: the cursor need not end up at the next record (only with n = 1). Errors name the field; the
 * caller adds where. */
paimon_status pmn_avro_decode(pmn_avro_decoder *d, pmn_cursor *c, int64_t n, bool alone, const uint8_t *base, uint32_t *starts, int64_t *done,
                              paimon_error *err) PMN_MUST_USE;
/* Rows since the last take. */
static inline int64_t pmn_avro_decoder_rows(const pmn_avro_decoder *d) { return d->top->n; }
static inline bool pmn_avro_decoder_full(const pmn_avro_decoder *d) { return d->columns.used > PMN_AVRO_BATCH_BYTES; }
/* The rows as a struct array. */
paimon_status pmn_avro_decoder_take(pmn_avro_decoder *d, struct ArrowArray *out, paimon_error *err) PMN_MUST_USE;

#endif
