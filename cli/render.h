/** Arrow values as text. Knows the Arrow C structs only: not the library, not the table. */
#ifndef CLI_RENDER_H
#define CLI_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paimon-c/arrow_abi.h"
#include "text.h"

/** How a value is written.
 *  CANONICAL  lossless JSON for comparing rows: floats as the hex of their bits, maps ordered by key
 *  CORPUS     JSON of `paimon decode`: numbers for floats, [seconds, nanoseconds] for timestamps, maps as stored
 *  JSON       JSON for people and programs: rows as objects, floats as numbers
 *  TEXT       bare text for csv and tables; nested values as JSON */
typedef enum render_style { RENDER_CANONICAL, RENDER_CORPUS, RENDER_JSON, RENDER_TEXT } render_style;

typedef enum render_kind {
    RENDER_NULL,
    RENDER_BOOL,
    RENDER_INT,       /* bits, is_signed */
    RENDER_FLOAT,     /* bits 16, 32, 64 */
    RENDER_DECIMAL,   /* bits, precision, scale */
    RENDER_STRING,    /* bits of the offsets: 32, 64; 0 for a view */
    RENDER_BINARY,    /* the same */
    RENDER_FIXED,     /* width */
    RENDER_DATE,      /* bits 32: days, 64: milliseconds */
    RENDER_TIME,      /* bits, per_second */
    RENDER_TIMESTAMP, /* per_second, zoned */
    RENDER_DURATION,
    RENDER_MONTHS,         /* 32 bits of months */
    RENDER_DAYS_MS,        /* 32 bits of days, 32 of milliseconds */
    RENDER_MONTH_DAY_NANO, /* 32, 32 and 64 bits */
    RENDER_LIST,           /* bits of the offsets */
    RENDER_FIXED_LIST,     /* width */
    RENDER_STRUCT,
    RENDER_MAP,
    RENDER_DENSE_UNION,
    RENDER_SPARSE_UNION
} render_kind;

/** A column's type, made once from its ArrowSchema. */
typedef struct render_type {
    render_kind kind;
    int bits;
    bool is_signed;
    bool zoned;
    bool nullable;
    int precision;
    int scale;
    int64_t per_second;
    int64_t width;
    char *name;
    struct render_type *children;
    int64_t n_children;
    struct render_type *dictionary; /* set: the values are indices of this type's kind and bits */
    signed char union_child[128];   /* type id -> child, -1 for none */
} render_type;

/** Understand a schema. On failure `why` says what is not known, and false comes back; free the type either way. */
bool render_type_init(render_type *type, const struct ArrowSchema *schema, cli_text *why);
void render_type_free(render_type *type);

bool render_is_null(const render_type *type, const struct ArrowArray *array, int64_t i);
/** Value `i` of the array, counted from the array's offset. */
void render_value(const render_type *type, const struct ArrowArray *array, int64_t i, render_style style, cli_text *out);
/** Numbers, for which a table aligns to the right. */
bool render_is_number(const render_type *type);

/* render_scalar.c */
void render_decimal(cli_text *out, const uint8_t *little_endian, int bits, int scale);
void render_date(cli_text *out, int64_t days);
/** "HH:MM:SS" and, if not zero, up to nine digits of a fraction. */
void render_time_of_day(cli_text *out, int64_t nanoseconds);
/** Seconds since 1970 and nanoseconds, as date, `between` and time. */
void render_timestamp(cli_text *out, int64_t seconds, int64_t nanoseconds, char between);
/** The shortest decimal text that reads back as the same number. */
void render_double(cli_text *out, double value, bool is_float);
double render_half(uint16_t bits);
/** Floor division by a positive number. */
int64_t render_floor_div(int64_t a, int64_t b, int64_t *rest);

#endif
