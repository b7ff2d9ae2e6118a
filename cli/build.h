/** Arrow arrays out of text: the way of values into a table. Knows the Arrow C structs only: not the library, not the table. */
#ifndef CLI_BUILD_H
#define CLI_BUILD_H

#include "json_text.h"
#include "render.h"

/** One column, or one part of a nested one, being filled. Lives as long as its type. */
typedef struct builder {
    const render_type *type;
    int64_t n;
    int64_t n_nulls;
    int64_t most; /**< characters of a text, or bytes; 0: as many as there are. An Arrow type does not say it: set it after build_init() */
    cli_text validity; /**< one byte a value until it is finished */
    cli_text data;     /**< values; of texts: their bytes */
    cli_text offsets;  /**< of texts, lists and maps: n + 1 ends */
    struct builder *children;
    long_numbers *inexact; /**< of the text that build_json's value is from; shared by all parts */
} builder;

/** CANONICAL: floats as hex of their bits, rows as arrays. JSON: floats as numbers, rows as objects. Either takes the other where no
 *  doubt is possible. */
typedef enum build_style { BUILD_CANONICAL, BUILD_JSON } build_style;

/** False: `why` says what is not known, or there is no memory. Free it either way. `inexact` outlives the builder: the long numbers of
 *  the text of JSON at hand, found by the caller; build_field() adds its own. */
bool build_init(builder *b, const render_type *type, long_numbers *inexact, cli_text *why);
void build_free(builder *b);
/** One value more. False: `why` says what is wrong with it, and the builder is only good for being freed. */
bool build_null(builder *b, cli_text *why);
/** The same for a column that is left empty: false, with why, when its type is NOT NULL. */
bool build_absent(builder *b, cli_text *why);
bool build_json(builder *b, const json_t *value, build_style style, cli_text *why);
/** From the text of a CSV field; nested ones are JSON. */
bool build_field(builder *b, const char *text, size_t size, cli_text *why);
/** A struct's row is complete: its children have got their values. */
void build_row(builder *b);
/** All values as an array, which the caller releases; the builder is empty again. */
bool build_finish(builder *b, struct ArrowArray *out);
/** Roughly, for cutting batches. */
size_t build_bytes(const builder *b);

/* build_scalar.c: texts as numbers, strict. */
bool build_parse_int(const char *text, size_t size, int bits, int64_t *out);
/** Of 32 or 64 bits, rounded once. */
bool build_parse_double(const char *text, size_t size, int bits, double *out);
/** Unscaled, little-endian; an exponent is allowed, lost digits and more than `precision` are not. */
bool build_parse_decimal(const char *text, size_t size, int precision, int scale, uint8_t out[16]);
bool build_parse_date(const char *text, size_t size, int64_t *days);
bool build_parse_time(const char *text, size_t size, int64_t *nanoseconds);
/** In units of 1 / per_second since 1970. A zone is only for zoned ones. */
bool build_parse_timestamp(const char *text, size_t size, int64_t per_second, bool zoned, int64_t *out);
bool build_parse_hex(const char *text, size_t size, cli_text *out);

#endif
