/* One value of an Arrow array as text, in one of four styles (render.h). Arrays come from the library through the C data
 * interface and are trusted as such: what is malformed there is a fault of ours that the library's own checks have to catch. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"

/* A value's place: the array, and the index with the array's offset already added. */
typedef struct slot {
    const struct ArrowArray *array;
    int64_t at;
} slot;

static int64_t integer_at(const slot *s, int buffer, int bits, bool is_signed)
{
    const void *data = s->array->buffers[buffer];
    switch (bits) {
    case 8:
        return is_signed ? ((const int8_t *)data)[s->at] : ((const uint8_t *)data)[s->at];
    case 16:
        return is_signed ? ((const int16_t *)data)[s->at] : ((const uint16_t *)data)[s->at];
    case 32:
        return is_signed ? (int64_t)((const int32_t *)data)[s->at] : (int64_t)((const uint32_t *)data)[s->at];
    default:
        return ((const int64_t *)data)[s->at];
    }
}

static bool bit_at(const void *bits, int64_t i) { return (((const uint8_t *)bits)[i >> 3] >> (i & 7) & 1) != 0; }

bool render_is_null(const render_type *type, const struct ArrowArray *array, int64_t i)
{
    if (type->kind == RENDER_NULL) {
        return true;
    }
    if (type->kind == RENDER_DENSE_UNION || type->kind == RENDER_SPARSE_UNION) {
        return false; /* unions have no validity of their own */
    }
    int64_t at = i + array->offset;
    if (array->null_count != 0 && array->n_buffers > 0 && array->buffers[0] != NULL && !bit_at(array->buffers[0], at)) {
        return true;
    }
    if (type->dictionary != NULL) {
        slot s = { array, at };
        return render_is_null(type->dictionary, array->dictionary, integer_at(&s, 1, type->bits, type->is_signed));
    }
    return false;
}

/* ------------------------------------------------------------------ scalars */

static const uint8_t *bytes_at(const render_type *type, const slot *s, size_t *size)
{
    if (type->kind == RENDER_FIXED) {
        *size = (size_t)type->width;
        return (const uint8_t *)s->array->buffers[1] + s->at * type->width;
    }
    if (type->bits == 0) {
        /* A view: length, then up to twelve bytes in place, or prefix, buffer number and offset. */
        const uint8_t *view = (const uint8_t *)s->array->buffers[1] + 16 * s->at;
        int32_t part[4];
        memcpy(part, view, sizeof part);
        *size = (size_t)part[0];
        return part[0] <= 12 ? view + 4 : (const uint8_t *)s->array->buffers[2 + part[2]] + part[3];
    }
    slot next = { s->array, s->at + 1 };
    int64_t from = integer_at(s, 1, type->bits, true);
    *size = (size_t)(integer_at(&next, 1, type->bits, true) - from);
    return *size == 0 ? (const uint8_t *)"" : (const uint8_t *)s->array->buffers[2] + from;
}

static void put_string(const render_type *type, const slot *s, render_style style, cli_text *out)
{
    size_t size = 0;
    const uint8_t *bytes = bytes_at(type, s, &size);
    if (style == RENDER_TEXT) {
        cli_text_put(out, (const char *)bytes, size);
    } else if (style == RENDER_CORPUS && !cli_utf8_valid(bytes, size)) {
        cli_text_puts(out, "\"\\u0000bytes:");
        cli_text_hex(out, bytes, size);
        cli_text_putc(out, '"');
    } else {
        cli_text_json_string(out, bytes, size);
    }
}

static void put_bytes(const render_type *type, const slot *s, render_style style, cli_text *out)
{
    size_t size = 0;
    const uint8_t *bytes = bytes_at(type, s, &size);
    bool quote = style != RENDER_TEXT;
    if (quote) {
        cli_text_putc(out, '"');
    }
    cli_text_hex(out, bytes, size);
    if (quote) {
        cli_text_putc(out, '"');
    }
}

/* Canonical: the IEEE bits, all NaN alike. */
static void put_float_bits(double value, int bits, cli_text *out)
{
    if (bits == 64) {
        uint64_t raw;
        memcpy(&raw, &value, sizeof raw);
        cli_text_printf(out, "\"%016" PRIx64 "\"", isnan(value) ? UINT64_C(0x7ff8000000000000) : raw);
    } else {
        float narrow = (float)value;
        uint32_t raw;
        memcpy(&raw, &narrow, sizeof raw);
        cli_text_printf(out, "\"%08" PRIx32 "\"", isnan(value) ? UINT32_C(0x7fc00000) : raw);
    }
}

static void put_float(const render_type *type, const slot *s, render_style style, cli_text *out)
{
    const void *data = s->array->buffers[1];
    double value = type->bits == 64   ? ((const double *)data)[s->at]
                   : type->bits == 32 ? (double)((const float *)data)[s->at]
                                      : render_half(((const uint16_t *)data)[s->at]);
    if (style == RENDER_CANONICAL) {
        put_float_bits(value, type->bits, out);
    } else if (style == RENDER_CORPUS && isfinite(value)) {
        char text[40];
        snprintf(text, sizeof text, "%.17g", value);
        cli_text_puts(out, text);
        if (value == 0) {
            cli_text_puts(out, ".0"); /* so that minus zero is not read as an integer */
        }
    } else {
        bool quote = style != RENDER_TEXT && !isfinite(value); /* JSON has no NaN */
        cli_text_puts(out, quote ? "\"" : "");
        render_double(out, value, type->bits != 64);
        cli_text_puts(out, quote ? "\"" : "");
    }
}

static void put_quoted(render_style style, cli_text *out)
{
    if (style != RENDER_TEXT) {
        cli_text_putc(out, '"');
    }
}

static void put_date(const render_type *type, const slot *s, render_style style, cli_text *out)
{
    int64_t rest = 0;
    int64_t days = integer_at(s, 1, type->bits, true);
    days = type->bits == 64 ? render_floor_div(days, 86400000, &rest) : days;
    if (style == RENDER_CORPUS) {
        cli_text_int(out, days);
        return;
    }
    put_quoted(style, out);
    render_date(out, days);
    put_quoted(style, out);
}

static void put_time(const render_type *type, const slot *s, render_style style, cli_text *out)
{
    int64_t value = integer_at(s, 1, type->bits, true);
    int64_t nanoseconds = (int64_t)((uint64_t)value * (uint64_t)(1000000000 / type->per_second));
    if (style == RENDER_CORPUS) {
        cli_text_int(out, nanoseconds);
        return;
    }
    put_quoted(style, out);
    render_time_of_day(out, nanoseconds);
    put_quoted(style, out);
}

static void put_timestamp(const render_type *type, const slot *s, render_style style, cli_text *out)
{
    int64_t rest = 0;
    int64_t seconds = render_floor_div(integer_at(s, 1, 64, true), type->per_second, &rest);
    int64_t nanoseconds = rest * (1000000000 / type->per_second);
    if (style == RENDER_CORPUS) {
        cli_text_printf(out, "[%" PRId64 ",%" PRId64 "]", seconds, nanoseconds);
        return;
    }
    put_quoted(style, out);
    render_timestamp(out, seconds, nanoseconds, style == RENDER_TEXT ? ' ' : 'T');
    if (type->zoned) {
        cli_text_putc(out, 'Z');
    }
    put_quoted(style, out);
}

static void put_interval(const render_type *type, const slot *s, cli_text *out)
{
    const uint8_t *at = (const uint8_t *)s->array->buffers[1] + s->at * (type->bits / 8);
    int32_t part[2] = { 0, 0 };
    int64_t nanoseconds = 0;
    memcpy(part, at, type->bits >= 64 ? 8 : 4);
    if (type->kind == RENDER_MONTHS) {
        cli_text_int(out, part[0]);
        return;
    }
    if (type->kind == RENDER_DAYS_MS) {
        cli_text_printf(out, "[0,%" PRId32 ",%" PRId32 "]", part[0], part[1]);
        return;
    }
    memcpy(&nanoseconds, at + 8, sizeof nanoseconds);
    cli_text_printf(out, "[%" PRId32 ",%" PRId32 ",%" PRId64 "]", part[0], part[1], nanoseconds / 1000000);
}

/* ------------------------------------------------------------------- nested */

static void put_elements(const render_type *child, const struct ArrowArray *array, int64_t from, int64_t to, render_style style, cli_text *out)
{
    cli_text_putc(out, '[');
    for (int64_t i = from; i < to; i++) {
        if (i > from) {
            cli_text_putc(out, ',');
        }
        render_value(child, array, i, style, out);
    }
    cli_text_putc(out, ']');
}

static void put_struct(const render_type *type, const slot *s, render_style style, cli_text *out)
{
    bool object = style == RENDER_JSON;
    cli_text_putc(out, object ? '{' : '[');
    for (int64_t i = 0; i < type->n_children; i++) {
        if (i > 0) {
            cli_text_putc(out, ',');
        }
        if (object) {
            cli_text_json_string(out, (const uint8_t *)type->children[i].name, strlen(type->children[i].name));
            cli_text_putc(out, ':');
        }
        render_value(&type->children[i], s->array->children[i], s->at, style, out);
    }
    cli_text_putc(out, object ? '}' : ']');
}

typedef struct entry_text {
    size_t key_from, key_size, size; /* `[key,value]` starts one byte before the key */
    const cli_text *all;
} entry_text;

static int compare_entries(const void *a, const void *b)
{
    const entry_text *x = a;
    const entry_text *y = b;
    size_t n = x->key_size < y->key_size ? x->key_size : y->key_size;
    int order = memcmp(x->all->data + x->key_from, y->all->data + y->key_from, n);
    if (order != 0) {
        return order;
    }
    if (x->key_size != y->key_size) {
        return x->key_size < y->key_size ? -1 : 1;
    }
    return x->key_from < y->key_from ? -1 : 1; /* keeps the stored order of equal keys */
}

/* Entries are rendered into one text, whose pieces are then put out in the order of their keys' bytes. */
static void put_map(const render_type *type, const slot *s, int64_t from, int64_t to, render_style style, cli_text *out)
{
    const render_type *entry = &type->children[0];
    const struct ArrowArray *entries = s->array->children[0];
    int64_t n = to - from;
    if (n <= 0) {
        cli_text_puts(out, "[]");
        return;
    }
    cli_text all = { 0 };
    entry_text *parts = calloc((size_t)n, sizeof *parts);
    for (int64_t i = 0; parts != NULL && i < n; i++) {
        int64_t at = from + i + entries->offset;
        cli_text_putc(&all, '[');
        parts[i].all = &all;
        parts[i].key_from = all.size;
        render_value(&entry->children[0], entries->children[0], at, style, &all);
        parts[i].key_size = all.size - parts[i].key_from;
        cli_text_putc(&all, ',');
        render_value(&entry->children[1], entries->children[1], at, style, &all);
        cli_text_putc(&all, ']');
        parts[i].size = all.size - parts[i].key_from + 1;
    }
    out->failed = out->failed || parts == NULL || all.failed;
    if (!out->failed) {
        if (style != RENDER_CORPUS) {
            qsort(parts, (size_t)n, sizeof *parts, compare_entries);
        }
        cli_text_putc(out, '[');
        for (int64_t i = 0; i < n; i++) {
            cli_text_puts(out, i > 0 ? "," : "");
            cli_text_put(out, all.data + parts[i].key_from - 1, parts[i].size);
        }
        cli_text_putc(out, ']');
    }
    free(parts);
    cli_text_free(&all);
}

static void put_union(const render_type *type, const slot *s, render_style style, cli_text *out)
{
    int id = ((const int8_t *)s->array->buffers[0])[s->at];
    int child = id >= 0 ? type->union_child[id] : -1;
    if (child < 0 || child >= type->n_children) {
        cli_text_puts(out, "null");
        return;
    }
    int64_t at = type->kind == RENDER_DENSE_UNION ? ((const int32_t *)s->array->buffers[1])[s->at] : s->at;
    if (render_is_null(&type->children[child], s->array->children[child], at)) {
        cli_text_puts(out, "null");
        return;
    }
    cli_text_printf(out, "[%d,", child);
    render_value(&type->children[child], s->array->children[child], at, style, out);
    cli_text_putc(out, ']');
}

static void put_nested(const render_type *type, const slot *s, render_style style, cli_text *out)
{
    render_style inner = style == RENDER_TEXT ? RENDER_JSON : style;
    slot next = { s->array, s->at + 1 };
    switch (type->kind) {
    case RENDER_STRUCT:
        put_struct(type, s, inner, out);
        break;
    case RENDER_FIXED_LIST:
        put_elements(&type->children[0], s->array->children[0], s->at * type->width, (s->at + 1) * type->width, inner, out);
        break;
    case RENDER_LIST:
        put_elements(&type->children[0], s->array->children[0], integer_at(s, 1, type->bits, true), integer_at(&next, 1, type->bits, true), inner,
                     out);
        break;
    case RENDER_MAP:
        put_map(type, s, integer_at(s, 1, type->bits, true), integer_at(&next, 1, type->bits, true), inner, out);
        break;
    default:
        put_union(type, s, inner, out);
    }
}

static void put_integer(const render_type *type, const slot *s, cli_text *out)
{
    int64_t value = integer_at(s, 1, type->bits, type->is_signed);
    if (type->is_signed) {
        cli_text_int(out, value);
    } else {
        cli_text_uint(out, (uint64_t)value);
    }
}

void render_value(const render_type *type, const struct ArrowArray *array, int64_t i, render_style style, cli_text *out)
{
    slot s = { array, i + array->offset };
    if (render_is_null(type, array, i)) {
        cli_text_puts(out, style == RENDER_TEXT ? "NULL" : "null");
        return;
    }
    if (type->dictionary != NULL) {
        render_value(type->dictionary, array->dictionary, integer_at(&s, 1, type->bits, type->is_signed), style, out);
        return;
    }
    switch (type->kind) {
    case RENDER_BOOL:
        cli_text_puts(out, bit_at(array->buffers[1], s.at) ? "true" : "false");
        break;
    case RENDER_INT:
        put_integer(type, &s, out);
        break;
    case RENDER_FLOAT:
        put_float(type, &s, style, out);
        break;
    case RENDER_DECIMAL:
        put_quoted(style, out);
        render_decimal(out, (const uint8_t *)array->buffers[1] + s.at * (type->bits / 8), type->bits, type->scale);
        put_quoted(style, out);
        break;
    case RENDER_STRING:
        put_string(type, &s, style, out);
        break;
    case RENDER_BINARY:
    case RENDER_FIXED:
        put_bytes(type, &s, style, out);
        break;
    case RENDER_DATE:
        put_date(type, &s, style, out);
        break;
    case RENDER_TIME:
        put_time(type, &s, style, out);
        break;
    case RENDER_TIMESTAMP:
        put_timestamp(type, &s, style, out);
        break;
    case RENDER_DURATION:
        cli_text_int(out, integer_at(&s, 1, 64, true));
        break;
    case RENDER_MONTHS:
    case RENDER_DAYS_MS:
    case RENDER_MONTH_DAY_NANO:
        put_interval(type, &s, out);
        break;
    default:
        put_nested(type, &s, style, out);
    }
}
