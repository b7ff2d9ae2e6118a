/* Rows out of text. CSV as RFC 4180: fields may be in quotes, with "" for one and line breaks inside; an empty field is null, an empty one
 * in quotes is an empty text. Lines end with LF or CR LF. */
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Of a CSV field, and of a line of JSON: memory is a multiple of it. docs/cli.md */
enum { TEXT_MAX = 64 << 20 };

typedef struct input_name {
    const char *name;
    int64_t column;
} input_name;

static bool fail_at(const input *in, cli_text *why, const char *column, const char *what)
{
    cli_text message = { 0 };
    cli_text_printf(&message, "%s, line %" PRId64 "%s%s%s: %s", in->name, in->line, column != NULL ? ", column \"" : "", column != NULL ? column : "",
                    column != NULL ? "\"" : "", what);
    cli_text_free(why);
    *why = message;
    return false;
}

static const char *column_name(const input *in, int64_t i) { return in->rows->type->children[i].name; }

/* ------------------------------------------------------------------------ csv */

static int next_byte(input *in) { return in->at_ahead < in->n_ahead ? in->ahead[in->at_ahead++] : getc_unlocked(in->file); }

/* FIELD_NONE: the file ends before it begins, or cannot be read. */
typedef enum field_end { FIELD_MORE, FIELD_LAST, FIELD_NONE, FIELD_BAD, FIELD_LONG, FIELD_NO_MEMORY } field_end;

/* After a field: a comma, a line's end, the end of the file. */
static field_end after_field(input *in, int c, int64_t *lines)
{
    if (c == ',') {
        return FIELD_MORE;
    }
    if (c == '\r') {
        c = next_byte(in);
        if (c != '\n') {
            return FIELD_BAD;
        }
    }
    *lines += c == '\n';
    return c == '\n' || c == EOF ? FIELD_LAST : FIELD_BAD;
}

/* The bytes of a field that is not in quotes; the byte behind it. */
static int plain_bytes(input *in, int c)
{
    while (c != ',' && c != '\n' && c != '\r' && c != EOF && c != '"' && in->text.size < TEXT_MAX) {
        cli_text_putc(&in->text, (char)c);
        c = next_byte(in);
    }
    return c;
}

/* Those in quotes, the opening one taken; the byte behind the closing one. False: the file ends within. */
static bool quoted_bytes(input *in, int *c, int64_t *lines)
{
    while (in->text.size < TEXT_MAX && (*c = next_byte(in)) != EOF) {
        if (*c == '"' && (*c = next_byte(in)) != '"') {
            return true;
        }
        *lines += *c == '\n';
        cli_text_putc(&in->text, (char)*c);
    }
    return false;
}

/* One field into in->text. */
static field_end next_field(input *in, bool first, bool *quoted, int64_t *lines)
{
    int c = next_byte(in);
    in->text.size = 0;
    *quoted = c == '"';
    if (first && c == EOF) {
        return FIELD_NONE;
    }
    bool ended = true;
    if (*quoted) {
        ended = quoted_bytes(in, &c, lines);
    } else {
        c = plain_bytes(in, c);
    }
    if (in->text.failed || ferror_unlocked(in->file)) {
        return in->text.failed ? FIELD_NO_MEMORY : FIELD_NONE;
    }
    return in->text.size >= TEXT_MAX ? FIELD_LONG : ended ? after_field(in, c, lines) : FIELD_BAD;
}

/* Why there is no field, in words. */
static bool fail_field(input *in, cli_text *why, const char *column, field_end end, const char *nothing, const char *bad)
{
    char text[64];
    snprintf(text, sizeof text, "a field of more than %d MB", TEXT_MAX >> 20);
    return fail_at(in, why, column, ferror_unlocked(in->file)   ? strerror(errno)
                                    : end == FIELD_NO_MEMORY ? "out of memory"
                                    : end == FIELD_LONG      ? text
                                    : end == FIELD_NONE      ? nothing
                                                             : bad);
}

/* --------------------------------------------------------------------- columns */

static int compare_input_names(const void *a, const void *b) { return strcmp(((const input_name *)a)->name, ((const input_name *)b)->name); }

/* Tables may be wide: columns are looked up by halving. */
static bool sort_names(input *in)
{
    size_t n = (size_t)in->rows->type->n_children;
    in->names = calloc(n + 1, sizeof *in->names);
    for (size_t i = 0; i < n && in->names != NULL; i++) {
        in->names[i] = (input_name){ column_name(in, (int64_t)i), (int64_t)i };
    }
    if (in->names != NULL) {
        qsort(in->names, n, sizeof *in->names, compare_input_names);
    }
    return in->names != NULL;
}

static int64_t find_column(const input *in, const char *name)
{
    input_name wanted = { name, 0 };
    const input_name *found = bsearch(&wanted, in->names, (size_t)in->rows->type->n_children, sizeof wanted, compare_input_names);
    return found != NULL ? found->column : -1;
}

/* ------------------------------------------------------------------------ csv */

static bool take_header_name(input *in, char *taken, cli_text *why)
{
    const char *name = cli_text_string(&in->text);
    int64_t column = in->text.failed || strlen(name) != in->text.size ? -1 : find_column(in, name);
    if (in->text.failed) {
        return fail_at(in, why, NULL, "out of memory");
    }
    if (column < 0 || taken[column]) {
        return fail_at(in, why, name, column < 0 ? "the table has no such column" : "it stands in the header twice");
    }
    taken[column] = 1;
    in->columns[in->n_columns++] = column;
    return true;
}

static bool take_header(input *in, cli_text *why)
{
    size_t n = (size_t)in->rows->type->n_children;
    char *taken = calloc(n + 1, 1);
    in->columns = calloc(n + 1, sizeof *in->columns);
    bool quoted, good = taken != NULL && in->columns != NULL ? true : fail_at(in, why, NULL, "out of memory");
    int64_t lines = 0;
    for (field_end end = FIELD_MORE; good && end == FIELD_MORE;) {
        end = next_field(in, in->n_columns == 0, &quoted, &lines);
        good = end == FIELD_MORE || end == FIELD_LAST
                   ? take_header_name(in, taken, why)
                   : fail_field(in, why, NULL, end, "a header line with the names of the columns is expected", "the header line is not CSV");
    }
    free(taken);
    in->line += lines;
    return good;
}

static bool put_absent(input *in, cli_text *why)
{
    for (int64_t i = 0; i < in->rows->type->n_children; i++) {
        if (in->rows->children[i].n == in->rows->n && !build_absent(&in->rows->children[i], why)) {
            return fail_at(in, why, column_name(in, i), cli_text_string(why));
        }
    }
    build_row(in->rows);
    return true;
}

static int csv_values(input *in, cli_text *why)
{
    int64_t lines = 0;
    size_t n = 0;
    for (field_end end = FIELD_MORE; end == FIELD_MORE; n++) {
        bool quoted;
        end = next_field(in, n == 0, &quoted, &lines);
        if (end == FIELD_NONE && !ferror_unlocked(in->file)) {
            return 0;
        }
        if (end != FIELD_MORE && end != FIELD_LAST) {
            return fail_field(in, why, n < in->n_columns ? column_name(in, in->columns[n]) : NULL, end, "", "a quote or a line's end stands where it must not") - 1;
        }
        if (n == 0 && end == FIELD_LAST && in->text.size == 0 && !quoted && in->n_columns > 1) {
            in->line += lines; /* an empty line */
            lines = 0;
            end = FIELD_MORE;
            n = (size_t)-1;
            continue;
        }
        if (n >= in->n_columns) {
            return fail_at(in, why, NULL, "more fields than the header names") - 1;
        }
        builder *column = &in->rows->children[in->columns[n]];
        in->inexact->n = 0;
        bool good = in->text.size == 0 && !quoted ? build_absent(column, why) : build_field(column, cli_text_string(&in->text), in->text.size, why);
        if (!good) {
            return fail_at(in, why, column_name(in, in->columns[n]), cli_text_string(why)) - 1;
        }
    }
    if (n < in->n_columns) {
        return fail_at(in, why, NULL, "fewer fields than the header names") - 1;
    }
    bool good = put_absent(in, why);
    in->line += lines;
    return good ? 1 : -1;
}

/* ----------------------------------------------------------------------- json */

static bool object_values(input *in, const json_t *row, cli_text *why)
{
    const char *key;
    json_t *value;
    if (!json_is_object(row)) {
        return fail_at(in, why, NULL, "a JSON object is expected");
    }
    json_object_foreach((json_t *)(uintptr_t)row, key, value)
    {
        int64_t column = find_column(in, key);
        if (column < 0) {
            return fail_at(in, why, key, "the table has no such column");
        }
        if (!build_json(&in->rows->children[column], value, BUILD_JSON, why)) {
            return fail_at(in, why, key, cli_text_string(why));
        }
    }
    return put_absent(in, why);
}

static bool canonical_values(input *in, const json_t *row, cli_text *why)
{
    const char *kind = json_string_value(json_array_get(row, 0));
    if (kind == NULL || json_array_size(row) != (size_t)in->rows->type->n_children + 1) {
        char text[96];
        snprintf(text, sizeof text, "a JSON array of a row kind and %" PRId64 " values is expected", in->rows->type->n_children);
        return fail_at(in, why, NULL, text);
    }
    if (strcmp(kind, "-D") == 0 || strcmp(kind, "-U") == 0) {
        in->code = CLI_UNSUPPORTED;
        return fail_at(in, why, NULL, "writing rows of the kinds -U and -D is not supported yet");
    }
    if (strcmp(kind, "+I") != 0 && strcmp(kind, "+U") != 0) {
        return fail_at(in, why, NULL, "the row kind is none of +I, -U, +U, -D");
    }
    for (int64_t i = 0; i < in->rows->type->n_children; i++) {
        if (!build_json(&in->rows->children[i], json_array_get(row, (size_t)i + 1), BUILD_CANONICAL, why)) {
            return fail_at(in, why, column_name(in, i), cli_text_string(why));
        }
    }
    build_row(in->rows);
    return true;
}

/* A line, without its end, into in->text: 1, 0 when there is none, -1 when told. */
static int next_line(input *in, cli_text *why)
{
    int c = next_byte(in);
    in->text.size = 0;
    in->line++;
    if (c == EOF && !ferror_unlocked(in->file)) {
        return 0;
    }
    for (; c != EOF && c != '\n' && in->text.size < TEXT_MAX; c = next_byte(in)) {
        cli_text_putc(&in->text, (char)c);
    }
    if (in->text.failed || ferror_unlocked(in->file)) {
        return fail_at(in, why, NULL, in->text.failed ? "out of memory" : strerror(errno)) - 1;
    }
    if (in->text.size >= TEXT_MAX) {
        char text[64];
        snprintf(text, sizeof text, "a line of more than %d MB", TEXT_MAX >> 20);
        return fail_at(in, why, NULL, text) - 1;
    }
    return 1;
}

static int json_line(input *in, cli_text *why)
{
    for (;;) {
        char message[256];
        int more = next_line(in, why);
        if (more <= 0) {
            return more;
        }
        const char *line = cli_text_string(&in->text);
        if (strspn(line, " \t\r") == in->text.size) {
            continue;
        }
        json_t *row = json_text_load(line, in->text.size, 0, message, sizeof message);
        in->inexact->n = 0;
        long_numbers_find(in->inexact, line, in->text.size);
        bool good = row == NULL                     ? fail_at(in, why, NULL, message)
                    : in->format == INPUT_CANONICAL ? canonical_values(in, row, why)
                                                    : object_values(in, row, why);
        json_decref(row);
        return good ? 1 : -1;
    }
}

/* The mark that some programs put before UTF-8. */
static void pass_byte_order_mark(input *in)
{
    static const int mark[3] = { 0xef, 0xbb, 0xbf };
    while (in->n_ahead < 3) {
        int c = in->ahead[in->n_ahead++] = getc_unlocked(in->file);
        if (c != mark[in->n_ahead - 1]) {
            return; /* EOF, too, is given again */
        }
    }
    in->at_ahead = 3;
}

bool input_begin(input *in, cli_text *why)
{
    in->line = in->format == INPUT_CSV;
    in->code = CLI_FAILED;
    if (!sort_names(in)) {
        return fail_at(in, why, NULL, "out of memory");
    }
    pass_byte_order_mark(in);
    return in->format != INPUT_CSV || take_header(in, why);
}

int input_row(input *in, cli_text *why) { return in->format == INPUT_CSV ? csv_values(in, why) : json_line(in, why); }

void input_free(input *in)
{
    free(in->names);
    free(in->columns);
    cli_text_free(&in->text);
    if (in->file != NULL && in->file != stdin) {
        fclose(in->file);
    }
}
