/* An ArrowSchema, understood once: format strings of the Arrow C data interface to the kinds that render_value.c knows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"

enum { MAX_DEPTH = 100 };

static const struct {
    const char *format;
    render_kind kind;
    int bits;
    bool is_signed;
} fixed_formats[] = {
    { "n", RENDER_NULL, 0, false },     { "b", RENDER_BOOL, 1, false },      { "c", RENDER_INT, 8, true },
    { "C", RENDER_INT, 8, false },      { "s", RENDER_INT, 16, true },       { "S", RENDER_INT, 16, false },
    { "i", RENDER_INT, 32, true },      { "I", RENDER_INT, 32, false },      { "l", RENDER_INT, 64, true },
    { "L", RENDER_INT, 64, false },     { "e", RENDER_FLOAT, 16, true },     { "f", RENDER_FLOAT, 32, true },
    { "g", RENDER_FLOAT, 64, true },    { "u", RENDER_STRING, 32, false },   { "U", RENDER_STRING, 64, false },
    { "vu", RENDER_STRING, 0, false },  { "z", RENDER_BINARY, 32, false },   { "Z", RENDER_BINARY, 64, false },
    { "vz", RENDER_BINARY, 0, false },  { "tdD", RENDER_DATE, 32, true },    { "tdm", RENDER_DATE, 64, true },
    { "tiM", RENDER_MONTHS, 32, true }, { "tiD", RENDER_DAYS_MS, 64, true }, { "tin", RENDER_MONTH_DAY_NANO, 128, true },
    { "+l", RENDER_LIST, 32, false },   { "+L", RENDER_LIST, 64, false },    { "+s", RENDER_STRUCT, 0, false },
    { "+m", RENDER_MAP, 32, false },
};

static int64_t unit_of(char c) { return c == 's' ? 1 : c == 'm' ? 1000 : c == 'u' ? 1000000 : c == 'n' ? 1000000000 : 0; }

static bool parse_decimal(render_type *type, const char *format)
{
    type->kind = RENDER_DECIMAL;
    type->bits = 128;
    int n = sscanf(format, "d:%d,%d,%d", &type->precision, &type->scale, &type->bits);
    return n >= 2 && type->scale > -1000 && type->scale < 1000 && (type->bits == 32 || type->bits == 64 || type->bits == 128 || type->bits == 256);
}

static bool parse_width(render_type *type, const char *digits)
{
    char *end = NULL;
    long long width = strtoll(digits, &end, 10);
    type->width = width;
    return end != digits && *end == '\0' && width >= 0 && width <= INT32_MAX;
}

static bool parse_union(render_type *type, const char *format)
{
    type->kind = format[2] == 'd' ? RENDER_DENSE_UNION : RENDER_SPARSE_UNION;
    memset(type->union_child, -1, sizeof type->union_child);
    const char *at = format + 4;
    for (int child = 0; *at != '\0'; child++) {
        char *end = NULL;
        long id = strtol(at, &end, 10);
        if (end == at || id < 0 || id > 127 || child > 126) {
            return false;
        }
        type->union_child[id] = (signed char)child;
        at = *end == ',' ? end + 1 : end;
    }
    return true;
}

static bool parse_format(render_type *type, const char *format)
{
    for (size_t i = 0; i < sizeof fixed_formats / sizeof fixed_formats[0]; i++) {
        if (strcmp(format, fixed_formats[i].format) == 0) {
            type->kind = fixed_formats[i].kind;
            type->bits = fixed_formats[i].bits;
            type->is_signed = fixed_formats[i].is_signed;
            return true;
        }
    }
    if (strncmp(format, "d:", 2) == 0) {
        return parse_decimal(type, format);
    }
    if (strncmp(format, "w:", 2) == 0) {
        type->kind = RENDER_FIXED;
        return parse_width(type, format + 2);
    }
    if (strncmp(format, "+w:", 3) == 0) {
        type->kind = RENDER_FIXED_LIST;
        return parse_width(type, format + 3);
    }
    if (strncmp(format, "+ud:", 4) == 0 || strncmp(format, "+us:", 4) == 0) {
        return parse_union(type, format);
    }
    if (format[0] == 't' && (format[1] == 't' || format[1] == 's' || format[1] == 'D') && format[2] != '\0') {
        type->kind = format[1] == 't' ? RENDER_TIME : format[1] == 's' ? RENDER_TIMESTAMP : RENDER_DURATION;
        type->per_second = unit_of(format[2]);
        type->bits = type->kind == RENDER_TIME && type->per_second <= 1000 ? 32 : 64;
        type->zoned = type->kind == RENDER_TIMESTAMP && format[3] == ':' && format[4] != '\0';
        return type->per_second != 0;
    }
    return false;
}

static bool shape_fits(const render_type *type)
{
    switch (type->kind) {
    case RENDER_LIST:
    case RENDER_FIXED_LIST:
        return type->n_children == 1;
    case RENDER_MAP:
        return type->n_children == 1 && type->children[0].kind == RENDER_STRUCT && type->children[0].n_children == 2;
    default:
        return true;
    }
}

static bool init_at_depth(render_type *type, const struct ArrowSchema *schema, cli_text *why, int depth)
{
    *type = (render_type){ .kind = RENDER_NULL, .nullable = (schema->flags & ARROW_FLAG_NULLABLE) != 0 };
    const char *name = schema->name != NULL ? schema->name : "";
    type->name = strdup(name);
    if (type->name == NULL || depth > MAX_DEPTH) {
        cli_text_puts(why, type->name == NULL ? "out of memory" : "a type nested too deeply to show");
        return false;
    }
    if (!parse_format(type, schema->format)) {
        cli_text_printf(why, "column %s: Arrow type \"%s\" cannot be shown", name, schema->format);
        return false;
    }
    if (schema->dictionary != NULL) {
        type->dictionary = calloc(1, sizeof *type->dictionary);
        return type->dictionary != NULL && type->kind == RENDER_INT && init_at_depth(type->dictionary, schema->dictionary, why, depth + 1);
    }
    if (schema->n_children > 0) {
        type->children = calloc((size_t)schema->n_children, sizeof *type->children);
        if (type->children == NULL) {
            cli_text_puts(why, "out of memory");
            return false;
        }
    }
    for (int64_t i = 0; i < schema->n_children; i++) {
        type->n_children = i + 1;
        if (!init_at_depth(&type->children[i], schema->children[i], why, depth + 1)) {
            return false;
        }
    }
    if (!shape_fits(type)) {
        cli_text_printf(why, "column %s: an Arrow type \"%s\" with the wrong children", name, schema->format);
        return false;
    }
    return true;
}

bool render_type_init(render_type *type, const struct ArrowSchema *schema, cli_text *why) { return init_at_depth(type, schema, why, 0); }

void render_type_free(render_type *type)
{
    if (type == NULL) {
        return;
    }
    for (int64_t i = 0; i < type->n_children; i++) {
        render_type_free(&type->children[i]);
    }
    render_type_free(type->dictionary);
    free(type->dictionary);
    free(type->children);
    free(type->name);
    *type = (render_type){ .kind = RENDER_NULL };
}

bool render_is_number(const render_type *type)
{
    if (type->dictionary != NULL) {
        return render_is_number(type->dictionary);
    }
    return type->kind == RENDER_INT || type->kind == RENDER_FLOAT || type->kind == RENDER_DECIMAL;
}
