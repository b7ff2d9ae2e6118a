/* Rows out of text. CSV as RFC 4180: fields may be in quotes, with "" for one and line breaks inside; an empty field is null, an empty one
 * in quotes is an empty text. Lines end with LF or CR LF. */
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { FIELD_MAX = 1 << 30 };

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

typedef enum field_end { FIELD_MORE, FIELD_LAST, FIELD_NONE, FIELD_BAD } field_end;

/* After a field: a comma, a line's end, the end of the file. */
static field_end after_field(input *in, int c, int64_t *lines)
{
    if (c == ',') {
        return FIELD_MORE;
    }
    if (c == '\r') {
        c = getc_unlocked(in->file);
        if (c != '\n') {
            return FIELD_BAD;
        }
    }
    *lines += c == '\n';
    return c == '\n' || c == EOF ? FIELD_LAST : FIELD_BAD;
}

/* One field into in->text. FIELD_NONE: the file ends before it begins. */
static field_end next_field(input *in, bool first, bool *quoted, int64_t *lines)
{
    int c = getc_unlocked(in->file);
    in->text.size = 0;
    *quoted = c == '"';
    if (first && c == EOF) {
        return FIELD_NONE;
    }
    if (!*quoted) {
        while (c != ',' && c != '\n' && c != '\r' && c != EOF) {
            if (c == '"' || in->text.size >= FIELD_MAX) {
                return FIELD_BAD;
            }
            cli_text_putc(&in->text, (char)c);
            c = getc_unlocked(in->file);
        }
        return after_field(in, c, lines);
    }
    while ((c = getc_unlocked(in->file)) != EOF && in->text.size < FIELD_MAX) {
        if (c == '"') {
            c = getc_unlocked(in->file);
            if (c != '"') {
                return after_field(in, c, lines);
            }
        }
        *lines += c == '\n';
        cli_text_putc(&in->text, (char)c);
    }
    return FIELD_BAD;
}

static int64_t find_column(const input *in, const char *name, size_t n)
{
    for (int64_t i = 0; i < in->rows->type->n_children; i++) {
        if (strlen(column_name(in, i)) == n && memcmp(column_name(in, i), name, n) == 0) {
            return i;
        }
    }
    return -1;
}

static bool take_header(input *in, cli_text *why)
{
    bool quoted;
    int64_t lines = 0;
    in->line = 1;
    for (field_end end = FIELD_MORE; end == FIELD_MORE;) {
        end = next_field(in, in->n_columns == 0, &quoted, &lines);
        if (end == FIELD_NONE || end == FIELD_BAD) {
            return fail_at(in, why, NULL, end == FIELD_NONE ? "a header line with the names of the columns is expected" : "the header line is not CSV");
        }
        size_t mark = in->n_columns == 0 && in->text.size >= 3 && memcmp(in->text.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        int64_t column = find_column(in, cli_text_string(&in->text) + mark, in->text.size - mark);
        int64_t *columns = realloc(in->columns, (in->n_columns + 1) * sizeof *columns);
        if (columns == NULL) {
            return fail_at(in, why, NULL, "out of memory");
        }
        in->columns = columns;
        for (size_t i = 0; i < in->n_columns; i++) {
            if (columns[i] == column && column >= 0) {
                return fail_at(in, why, column_name(in, column), "it stands in the header twice");
            }
        }
        if (column < 0) {
            return fail_at(in, why, cli_text_string(&in->text), "the table has no such column");
        }
        columns[in->n_columns++] = column;
    }
    in->line += lines;
    return true;
}

static bool put_absent(input *in, cli_text *why)
{
    for (int64_t i = 0; i < in->rows->type->n_children; i++) {
        if (in->rows->children[i].n == in->rows->n && !build_null(&in->rows->children[i], why)) {
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
        if (end == FIELD_NONE) {
            return ferror(in->file) ? (fail_at(in, why, NULL, strerror(errno)), -1) : 0;
        }
        if (end == FIELD_BAD) {
            return fail_at(in, why, n < in->n_columns ? column_name(in, in->columns[n]) : NULL, "a quote or a line's end stands where it must not") - 1;
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
        bool good = in->text.size == 0 && !quoted ? build_null(column, why) : build_field(column, cli_text_string(&in->text), in->text.size, why);
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
        int64_t column = find_column(in, key, strlen(key));
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

static int json_line(input *in, cli_text *why)
{
    for (;;) {
        errno = 0;
        ssize_t n = getline(&in->buffer, &in->capacity, in->file);
        in->line++;
        if (n < 0) {
            return feof(in->file) && !ferror(in->file) ? 0 : fail_at(in, why, NULL, strerror(errno)) - 1;
        }
        if (strspn(in->buffer, " \t\r\n") == (size_t)n) {
            continue;
        }
        json_error_t error;
        json_t *row = json_loadb(in->buffer, (size_t)n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
        bool good;
        if (row == NULL) {
            char text[256];
            snprintf(text, sizeof text, "not JSON: %.160s, at byte %d", error.text, error.position);
            good = fail_at(in, why, NULL, text);
        } else {
            good = in->format == INPUT_CANONICAL ? canonical_values(in, row, why) : object_values(in, row, why);
        }
        json_decref(row);
        return good ? 1 : -1;
    }
}

bool input_begin(input *in, cli_text *why)
{
    in->line = 0;
    in->code = CLI_FAILED;
    return in->format != INPUT_CSV || take_header(in, why);
}

int input_row(input *in, cli_text *why) { return in->format == INPUT_CSV ? csv_values(in, why) : json_line(in, why); }

void input_free(input *in)
{
    free(in->buffer);
    free(in->columns);
    cli_text_free(&in->text);
    if (in->file != NULL && in->file != stdin) {
        fclose(in->file);
    }
}
