/* Arrow arrays out of text: a tree of growing buffers, one a type, that becomes a tree of arrays. */
#include "build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BUILD_MAX_DEPTH = 100, BUILD_MAX_VECTOR = 1 << 20 };

static bool has_offsets(const render_type *type)
{
    return type->kind == RENDER_STRING || type->kind == RENDER_BINARY || type->kind == RENDER_LIST || type->kind == RENDER_MAP;
}

static bool is_known(const render_type *type)
{
    switch (type->kind) {
    case RENDER_BOOL:
    case RENDER_DATE:
    case RENDER_TIME:
    case RENDER_TIMESTAMP:
    case RENDER_LIST:
    case RENDER_FIXED_LIST:
    case RENDER_STRUCT:
    case RENDER_MAP:
        return true;
    case RENDER_INT:
        return type->is_signed;
    case RENDER_FLOAT:
        return type->bits >= 32;
    case RENDER_DECIMAL:
        return type->bits == 128;
    case RENDER_STRING:
    case RENDER_BINARY:
        return type->bits != 0;
    default:
        return false;
    }
}

static void put_offset(builder *b, int64_t offset)
{
    int32_t narrow = (int32_t)offset;
    cli_text_put(&b->offsets, b->type->bits == 64 ? (const char *)&offset : (const char *)&narrow, b->type->bits == 64 ? 8 : 4);
}

static void start(builder *b)
{
    if (has_offsets(b->type)) {
        put_offset(b, 0);
    }
}

static bool is_nested(const render_type *type)
{
    return type->kind == RENDER_LIST || type->kind == RENDER_FIXED_LIST || type->kind == RENDER_MAP || type->kind == RENDER_STRUCT;
}

bool build_init(builder *b, const render_type *type, long_numbers *inexact, cli_text *why)
{
    *b = (builder){ .type = type, .inexact = inexact };
    if (!is_known(type) || type->dictionary != NULL) {
        cli_text_printf(why, "values of this type cannot be made from text");
        return false;
    }
    if (type->kind == RENDER_FIXED_LIST && type->width > BUILD_MAX_VECTOR) {
        cli_text_printf(why, "vectors of more than %d values are not made from text", BUILD_MAX_VECTOR);
        return false; /* each null would be as large */
    }
    start(b);
    b->children = calloc((size_t)type->n_children + 1, sizeof *b->children);
    for (int64_t i = 0; b->children != NULL && i < type->n_children; i++) {
        if (!build_init(&b->children[i], &type->children[i], inexact, why)) {
            return false;
        }
    }
    if (b->children == NULL) {
        cli_text_puts(why, "out of memory");
    }
    return b->children != NULL;
}

static void drop_buffers(builder *b)
{
    cli_text_free(&b->validity);
    cli_text_free(&b->data);
    cli_text_free(&b->offsets);
}

void build_free(builder *b)
{
    drop_buffers(b);
    for (int64_t i = 0; b->children != NULL && i < b->type->n_children; i++) {
        if (b->children[i].type != NULL) {
            build_free(&b->children[i]);
        }
    }
    free(b->children);
    b->children = NULL;
}

size_t build_bytes(const builder *b)
{
    size_t sum = b->data.size + b->offsets.size;
    for (int64_t i = 0; i < b->type->n_children; i++) {
        sum += build_bytes(&b->children[i]);
    }
    return sum;
}

/* -------------------------------------------------------------------- values */

static bool wrong(cli_text *why, const char *expected, const char *text, size_t size)
{
    cli_text_printf(why, "%s is expected, not \"%.*s\"", expected, (int)(size > 60 ? 60 : size), text);
    return false;
}

/* The value is complete in `data` or the children; it counts now. */
static bool end_value(builder *b, bool valid, cli_text *why)
{
    cli_text_putc(&b->validity, (char)valid);
    b->n++;
    b->n_nulls += !valid;
    if (has_offsets(b->type)) {
        bool bytes = b->type->kind == RENDER_STRING || b->type->kind == RENDER_BINARY;
        int64_t end = bytes ? (int64_t)b->data.size : b->children[0].n;
        if (b->type->bits == 32 && end > INT32_MAX) {
            cli_text_puts(why, "more than 2 GB in one batch");
            return false;
        }
        put_offset(b, end);
    }
    bool failed = b->validity.failed || b->data.failed || b->offsets.failed;
    if (failed) {
        cli_text_puts(why, "out of memory");
    }
    return !failed;
}

static void put_int(builder *b, int64_t value)
{
    int bits = b->type->kind == RENDER_BOOL ? 8 : b->type->kind == RENDER_DATE ? 32 : b->type->bits;
    cli_text_put(&b->data, (const char *)&value, (size_t)bits / 8); /* little-endian: the low bytes come first */
}

static size_t value_bytes(const render_type *type)
{
    switch (type->kind) {
    case RENDER_BOOL:
        return 1;
    case RENDER_DATE:
        return 4;
    case RENDER_INT:
    case RENDER_FLOAT:
    case RENDER_DECIMAL:
    case RENDER_TIME:
    case RENDER_TIMESTAMP:
        return (size_t)type->bits / 8;
    default:
        return 0;
    }
}

bool build_null(builder *b, cli_text *why)
{
    static const char zeros[16];
    cli_text_put(&b->data, zeros, value_bytes(b->type));
    /* Children of rows and fixed lists keep step with their parent. */
    int64_t times = b->type->kind == RENDER_STRUCT ? 1 : b->type->kind == RENDER_FIXED_LIST ? b->type->width : 0;
    for (int64_t i = 0; i < b->type->n_children && times > 0; i++) {
        for (int64_t k = 0; k < times; k++) {
            if (!build_null(&b->children[i], why)) {
                return false;
            }
        }
    }
    return end_value(b, false, why);
}

bool build_absent(builder *b, cli_text *why)
{
    if (!b->type->nullable) {
        cli_text_puts(why, "a value is expected: the type is NOT NULL");
        return false;
    }
    return build_null(b, why);
}

static bool put_float_value(builder *b, double value)
{
    float narrow = (float)value;
    cli_text_put(&b->data, b->type->bits == 32 ? (const char *)&narrow : (const char *)&value, (size_t)b->type->bits / 8);
    return true;
}

/* Digits of hex are the IEEE bits, the highest first; that is how canonical rows write floats. */
static bool put_float_hex(builder *b, const char *text, size_t size)
{
    char copy[17];
    char *end = NULL;
    if (size != (size_t)b->type->bits / 4) {
        return false;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    uint64_t raw = strtoull(copy, &end, 16);
    cli_text_put(&b->data, (const char *)&raw, (size_t)b->type->bits / 8);
    return end == copy + size && strspn(copy, "0123456789abcdefABCDEF") == size;
}

static bool put_bool_text(builder *b, const char *text, size_t size)
{
    bool yes = size == 4 && strncasecmp(text, "true", 4) == 0;
    cli_text_putc(&b->data, (char)yes);
    return yes || (size == 5 && strncasecmp(text, "false", 5) == 0);
}

static bool put_time(builder *b, const char *text, size_t size)
{
    int64_t nanos = 0;
    bool good = build_parse_time(text, size, &nanos) && nanos % (1000000000 / b->type->per_second) == 0;
    put_int(b, nanos / (1000000000 / b->type->per_second));
    return good;
}

static bool too_long(const builder *b, int64_t length, cli_text *why)
{
    bool bytes = b->type->kind == RENDER_BINARY;
    if (b->most > 0 && length > b->most) {
        cli_text_printf(why, "at most %" PRId64 " %s are expected, not %" PRId64, b->most, bytes ? "bytes" : "characters", length);
        return true;
    }
    return false;
}

static bool put_utf8(builder *b, const char *text, size_t size, cli_text *why)
{
    int64_t characters = 0;
    cli_text_put(&b->data, text, size);
    for (size_t i = 0; b->most > 0 && i < size; i++) {
        characters += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return cli_utf8_valid((const uint8_t *)text, size) ? !too_long(b, characters, why) : wrong(why, "UTF-8", "", 0);
}

/* A scalar from its text; `hex`: floats are hex of their bits. */
static bool put_scalar(builder *b, const char *text, size_t size, bool hex, cli_text *why)
{
    const render_type *type = b->type;
    int64_t number = 0;
    double value = 0;
    uint8_t wide[16] = { 0 };
    bool good;
    switch (type->kind) {
    case RENDER_BOOL:
        return put_bool_text(b, text, size) || wrong(why, "true or false", text, size);
    case RENDER_INT:
        good = build_parse_int(text, size, type->bits, &number);
        put_int(b, number);
        return good || wrong(why, type->bits == 8 ? "a whole number of 8 bits" : type->bits == 16 ? "a whole number of 16 bits" : type->bits == 32 ? "a whole number of 32 bits" : "a whole number of 64 bits", text, size);
    case RENDER_FLOAT:
        if (hex && put_float_hex(b, text, size)) {
            return true;
        }
        return (!hex && build_parse_double(text, size, type->bits, &value) && put_float_value(b, value)) || wrong(why, hex ? "hex digits of a float" : "a number", text, size);
    case RENDER_DECIMAL:
        good = build_parse_decimal(text, size, type->precision, type->scale, wide);
        cli_text_put(&b->data, (const char *)wide, 16);
        if (!good) {
            char expected[64];
            snprintf(expected, sizeof expected, "a number that fits DECIMAL(%d, %d)", type->precision, type->scale);
            wrong(why, expected, text, size);
        }
        return good;
    case RENDER_STRING:
        return put_utf8(b, text, size, why);
    case RENDER_BINARY:
        return build_parse_hex(text, size, &b->data) ? !too_long(b, (int64_t)size / 2, why) : wrong(why, "bytes in hex", text, size);
    case RENDER_DATE:
        good = build_parse_date(text, size, &number);
        put_int(b, number);
        return good || wrong(why, "a date YYYY-MM-DD", text, size);
    case RENDER_TIME:
        return put_time(b, text, size) || wrong(why, "a time HH:MM:SS[.mmm]", text, size);
    default:
        good = build_parse_timestamp(text, size, type->per_second, type->zoned, &number);
        put_int(b, number);
        return good || wrong(why,
                             type->per_second == 1000000000 ? "a timestamp YYYY-MM-DD HH:MM:SS[.f] of the column's precision, from 1677-09-21 to 2262-04-11 (Arrow's nanoseconds)"
                                                            : "a timestamp YYYY-MM-DD HH:MM:SS[.f] of the column's precision",
                             text, size);
    }
}

static bool json_at_depth(builder *b, const json_t *value, build_style style, int depth, cli_text *why);

static bool put_elements(builder *b, const json_t *list, build_style style, int depth, cli_text *why)
{
    if (!json_is_array(list)) {
        return wrong(why, "a list", "", 0);
    }
    size_t n = json_array_size(list);
    if (b->type->kind == RENDER_FIXED_LIST && (int64_t)n != b->type->width) {
        cli_text_printf(why, "a list of %" PRId64 " values is expected, not %zu", b->type->width, n);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!json_at_depth(&b->children[0], json_array_get(list, i), style, depth + 1, why)) {
            return false;
        }
    }
    return true;
}

static bool put_entry(builder *entries, const json_t *key, const json_t *value, build_style style, int depth, cli_text *why)
{
    return json_at_depth(&entries->children[0], key, style, depth + 1, why) && json_at_depth(&entries->children[1], value, style, depth + 1, why) &&
           end_value(entries, true, why);
}

/* A list of pairs, or an object, whose keys then are texts of the key's type. */
static bool put_entries(builder *b, const json_t *map, build_style style, int depth, cli_text *why)
{
    builder *entries = &b->children[0];
    if (json_is_object(map)) {
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)(uintptr_t)map, key, value)
        {
            builder *keys = &entries->children[0];
            if (!build_field(keys, key, strlen(key), why) || !json_at_depth(&entries->children[1], value, style, depth + 1, why) ||
                !end_value(entries, true, why)) {
                return false;
            }
        }
        return true;
    }
    if (!json_is_array(map)) {
        return wrong(why, "a map: pairs in a list, or an object", "", 0);
    }
    for (size_t i = 0; i < json_array_size(map); i++) {
        const json_t *pair = json_array_get(map, i);
        if (json_array_size(pair) != 2) {
            return wrong(why, "a pair of key and value", "", 0);
        }
        if (!put_entry(entries, json_array_get(pair, 0), json_array_get(pair, 1), style, depth, why)) {
            return false;
        }
    }
    return true;
}

/* A list of all fields in order, or an object: what it leaves out is null. */
static bool put_fields(builder *b, const json_t *row, build_style style, int depth, cli_text *why)
{
    bool by_name = json_is_object(row);
    if (!by_name && (int64_t)json_array_size(row) != b->type->n_children) {
        cli_text_printf(why, "a row of %" PRId64 " fields is expected", b->type->n_children);
        return false;
    }
    size_t taken = 0;
    for (int64_t i = 0; i < b->type->n_children; i++) {
        const json_t *value = by_name ? json_object_get(row, b->type->children[i].name) : json_array_get(row, (size_t)i);
        taken += by_name && value != NULL;
        if (!json_at_depth(&b->children[i], value, style, depth + 1, why)) {
            return false;
        }
    }
    /* A variant is shown with a member "json" for people. */
    if (by_name && taken < json_object_size(row) - (json_object_get(row, "json") != NULL && json_object_get(row, "metadata") != NULL)) {
        cli_text_puts(why, "the object has a member that is no field of the row");
        return false;
    }
    return true;
}

static bool json_scalar(builder *b, const json_t *value, build_style style, cli_text *why)
{
    char text[64];
    bool hex = style == BUILD_CANONICAL && json_is_string(value);
    if (json_is_string(value)) {
        return put_scalar(b, json_string_value(value), json_string_length(value), hex, why);
    }
    if (b->type->kind == RENDER_STRING || b->type->kind == RENDER_BINARY) {
        return wrong(why, "a text", "", 0);
    }
    if (json_is_boolean(value)) {
        return put_scalar(b, json_is_true(value) ? "true" : "false", json_is_true(value) ? 4 : 5, false, why);
    }
    if (json_is_integer(value)) {
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return put_scalar(b, text, strlen(text), false, why);
    }
    if (json_is_real(value)) {
        if (b->type->kind == RENDER_FLOAT) {
            return put_float_value(b, json_real_value(value));
        }
        if (long_numbers_have(b->inexact, json_real_value(value))) {
            cli_text_puts(why, "a number of more digits than a double keeps must be a text in quotes");
            return false;
        }
        cli_text shortest = { 0 };
        render_double(&shortest, json_real_value(value), false);
        bool good = put_scalar(b, cli_text_string(&shortest), shortest.size, false, why);
        cli_text_free(&shortest);
        return good;
    }
    return wrong(why, "one value", "", 0);
}

static bool json_at_depth(builder *b, const json_t *value, build_style style, int depth, cli_text *why)
{
    if (value == NULL || json_is_null(value)) {
        return build_absent(b, why);
    }
    if (depth > BUILD_MAX_DEPTH) {
        cli_text_puts(why, "nested too deeply");
        return false;
    }
    bool good;
    switch (b->type->kind) {
    case RENDER_LIST:
    case RENDER_FIXED_LIST:
        good = put_elements(b, value, style, depth, why);
        break;
    case RENDER_MAP:
        good = put_entries(b, value, style, depth, why);
        break;
    case RENDER_STRUCT:
        good = put_fields(b, value, style, depth, why);
        break;
    default:
        good = json_scalar(b, value, style, why);
    }
    return good && end_value(b, true, why);
}

bool build_json(builder *b, const json_t *value, build_style style, cli_text *why) { return json_at_depth(b, value, style, 0, why); }

bool build_field(builder *b, const char *text, size_t size, cli_text *why)
{
    if (!is_nested(b->type)) {
        return put_scalar(b, text, size, false, why) && end_value(b, true, why);
    }
    char message[256];
    json_t *value = json_text_load(text, size, JSON_DECODE_ANY, message, sizeof message);
    long_numbers_find(b->inexact, text, size);
    bool good = value != NULL ? build_json(b, value, BUILD_JSON, why) : wrong(why, "JSON of a nested value", text, size);
    json_decref(value);
    return good;
}

void build_row(builder *b)
{
    cli_text_putc(&b->validity, 1);
    b->n++;
}

/* -------------------------------------------------------------------- arrays */

typedef struct finished {
    void *buffers[3];
    const void *pointers[3];
    struct ArrowArray *children;
    struct ArrowArray **child_pointers;
} finished;

static void release_array(struct ArrowArray *array)
{
    finished *f = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (f->children[i].release != NULL) {
            f->children[i].release(&f->children[i]);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        free(f->buffers[i]);
    }
    free(f->children);
    free(f->child_pointers);
    free(f);
    array->release = NULL;
}

static void *pack_bits(const cli_text *bytes, int64_t n)
{
    uint8_t *bits = calloc((size_t)n / 8 + 64, 1);
    for (int64_t i = 0; bits != NULL && i < n; i++) {
        bits[i >> 3] |= (uint8_t)((bytes->data[i] != 0) << (i & 7));
    }
    return bits;
}

static void *take_buffer(cli_text *text)
{
    void *data = text->data != NULL ? text->data : calloc(1, 64);
    *text = (cli_text){ 0 };
    return data;
}

static bool fill_buffers(builder *b, finished *f, struct ArrowArray *out)
{
    bool good = true;
    int n = 0;
    f->buffers[n++] = b->n_nulls > 0 ? pack_bits(&b->validity, b->n) : NULL;
    good = b->n_nulls == 0 || f->buffers[0] != NULL;
    if (has_offsets(b->type)) {
        f->buffers[n++] = take_buffer(&b->offsets);
        good = good && f->buffers[n - 1] != NULL;
    }
    if (!is_nested(b->type)) {
        f->buffers[n++] = b->type->kind == RENDER_BOOL ? pack_bits(&b->data, b->n) : take_buffer(&b->data);
        good = good && f->buffers[n - 1] != NULL;
    }
    for (int i = 0; i < n; i++) {
        f->pointers[i] = f->buffers[i];
    }
    out->n_buffers = n;
    out->buffers = f->pointers;
    return good;
}

bool build_finish(builder *b, struct ArrowArray *out)
{
    size_t n_children = (size_t)b->type->n_children;
    finished *f = calloc(1, sizeof *f);
    *out = (struct ArrowArray){ .length = b->n, .null_count = b->n_nulls, .n_children = (int64_t)n_children };
    if (f == NULL) {
        return false;
    }
    out->private_data = f;
    out->release = release_array;
    f->children = calloc(n_children + 1, sizeof *f->children);
    f->child_pointers = calloc(n_children + 1, sizeof *f->child_pointers);
    bool good = f->children != NULL && f->child_pointers != NULL;
    if (!good) {
        out->n_children = 0;
    }
    good = fill_buffers(b, f, out) && good;
    for (size_t i = 0; i < n_children && good; i++) {
        f->child_pointers[i] = &f->children[i];
        good = build_finish(&b->children[i], &f->children[i]);
    }
    out->children = f->child_pointers;
    drop_buffers(b);
    b->n = b->n_nulls = 0;
    start(b);
    if (!good) {
        out->release(out);
    }
    return good;
}
