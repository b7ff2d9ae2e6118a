/* Row formats. Every line format is a loop over rows and columns with render_value(); count and checksum look at whole columns. */
#include "rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "progress.h"

static size_t n_columns(const rows_writer *writer) { return writer->single ? 1 : (size_t)writer->type.n_children; }

static const render_type *column_type(const rows_writer *writer, size_t c) { return writer->single ? &writer->type : &writer->type.children[c]; }

static const struct ArrowArray *column_of(const rows_writer *writer, const struct ArrowArray *batch, size_t c)
{
    return writer->single ? batch : batch->children[c];
}

/* --------------------------------------------------------------------- csv */

/* RFC 4180, except that a null is an empty field and an empty text is "". */
static void put_csv(cli_text *out, const char *text, size_t n)
{
    bool quote = n == 0 || text[0] == ' ' || text[n - 1] == ' ';
    for (size_t i = 0; i < n && !quote; i++) {
        quote = text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
    }
    if (!quote) {
        cli_text_put(out, text, n);
        return;
    }
    cli_text_putc(out, '"');
    for (size_t i = 0; i < n; i++) {
        cli_text_put(out, "\"\"", text[i] == '"' ? 2 : 0);
        cli_text_put(out, text + i, text[i] == '"' ? 0 : 1);
    }
    cli_text_putc(out, '"');
}

static void csv_head(rows_writer *writer)
{
    cli_text *out = cli_output_text(writer->output);
    for (size_t c = 0; c < n_columns(writer); c++) {
        const char *name = column_type(writer, c)->name;
        cli_text_puts(out, c > 0 ? "," : "");
        put_csv(out, name, strlen(name));
    }
    cli_text_putc(out, '\n');
}

static void csv_row(rows_writer *writer, const struct ArrowArray *batch, int64_t row, cli_text *cell)
{
    cli_text *out = cli_output_text(writer->output);
    for (size_t c = 0; c < n_columns(writer); c++) {
        const render_type *type = column_type(writer, c);
        const struct ArrowArray *column = column_of(writer, batch, c);
        cli_text_puts(out, c > 0 ? "," : "");
        if (!render_is_null(type, column, row)) {
            cell->size = 0;
            render_value(type, column, row, RENDER_TEXT, cell);
            put_csv(out, cell->data != NULL ? cell->data : "", cell->size);
        }
    }
    cli_text_putc(out, '\n');
    out->failed = out->failed || cell->failed;
}

/* -------------------------------------------------------------------- json */

static void array_row(rows_writer *writer, const struct ArrowArray *batch, int64_t row, render_style style)
{
    cli_text *out = cli_output_text(writer->output);
    cli_text_puts(out, style == RENDER_CANONICAL ? "[\"+I\"" : "[");
    for (size_t c = 0; c < n_columns(writer); c++) {
        cli_text_puts(out, c > 0 || style == RENDER_CANONICAL ? "," : "");
        render_value(column_type(writer, c), column_of(writer, batch, c), row, style, out);
    }
    cli_text_puts(out, "]\n");
}

static void object_row(rows_writer *writer, const struct ArrowArray *batch, int64_t row)
{
    cli_text *out = cli_output_text(writer->output);
    cli_text_putc(out, '{');
    for (size_t c = 0; c < n_columns(writer); c++) {
        const render_type *type = column_type(writer, c);
        cli_text_puts(out, c > 0 ? "," : "");
        cli_text_json_string(out, (const uint8_t *)type->name, strlen(type->name));
        cli_text_putc(out, ':');
        render_value(type, column_of(writer, batch, c), row, RENDER_JSON, out);
    }
    cli_text_puts(out, "}\n");
}

/* ------------------------------------------------------------------- table */

static bool grid_begin(rows_writer *writer)
{
    bool good = cli_grid_init(&writer->grid, writer->output, n_columns(writer));
    for (size_t c = 0; good && c < n_columns(writer); c++) {
        const render_type *type = column_type(writer, c);
        good = cli_grid_column(&writer->grid, c, type->name, render_is_number(type));
    }
    return good;
}

static bool grid_row(rows_writer *writer, const struct ArrowArray *batch, int64_t row, cli_text *cell)
{
    for (size_t c = 0; c < n_columns(writer); c++) {
        cell->size = 0;
        render_value(column_type(writer, c), column_of(writer, batch, c), row, RENDER_TEXT, cell);
        cli_text_visible(cli_grid_cell(&writer->grid), (const uint8_t *)cell->data, cell->size);
        cli_grid_end_cell(&writer->grid);
    }
    return cli_grid_end_row(&writer->grid);
}

/* --------------------------------------------------------------- the writer */

int rows_begin(rows_writer *writer, rows_format format, cli_output *output, const struct ArrowSchema *schema)
{
    *writer = (rows_writer){ .format = format, .output = output };
    cli_text why = { 0 };
    bool good = render_type_init(&writer->type, schema, &why);
    if (!good) {
        cli_complain(output->command, "%s", why.size > 0 ? cli_text_string(&why) : "out of memory");
        cli_text_free(&why);
        return CLI_UNSUPPORTED;
    }
    writer->single = writer->type.kind != RENDER_STRUCT;
    if (format == ROWS_TABLE) {
        good = grid_begin(writer);
    } else if (format == ROWS_CSV) {
        csv_head(writer);
    } else if (format == ROWS_CHECKSUM) {
        writer->sums = calloc(n_columns(writer) + 1, sizeof *writer->sums);
        good = writer->sums != NULL;
    }
    if (!good) {
        cli_complain(output->command, "out of memory");
    }
    return good ? -1 : CLI_FAILED;
}

bool rows_batch(rows_writer *writer, const struct ArrowArray *batch)
{
    cli_text cell = { 0 };
    bool go_on = true;
    writer->rows += batch->length;
    if (writer->format == ROWS_CHECKSUM) {
        for (size_t c = 0; c < n_columns(writer); c++) {
            column_sum_add(&writer->sums[c], column_type(writer, c), column_of(writer, batch, c));
        }
        return true;
    }
    for (int64_t row = 0; row < batch->length && go_on && writer->format != ROWS_COUNT; row++) {
        int64_t at = writer->single ? row : row + batch->offset;
        switch (writer->format) {
        case ROWS_CSV:
            csv_row(writer, batch, at, &cell);
            break;
        case ROWS_JSONL:
            object_row(writer, batch, at);
            break;
        case ROWS_TABLE:
            go_on = grid_row(writer, batch, at, &cell);
            continue;
        default:
            array_row(writer, batch, at, writer->format == ROWS_CANONICAL ? RENDER_CANONICAL : RENDER_CORPUS);
        }
        go_on = cli_output_flush_some(writer->output);
    }
    cli_text_free(&cell);
    return go_on;
}

bool rows_end(rows_writer *writer)
{
    cli_text *out = cli_output_text(writer->output);
    if (writer->format == ROWS_TABLE) {
        return cli_grid_finish(&writer->grid);
    }
    if (writer->format == ROWS_COUNT) {
        cli_text_printf(out, "%" PRId64 "\n", writer->rows);
    } else if (writer->format == ROWS_CHECKSUM) {
        bool first = true;
        cli_text_putc(out, '{');
        for (size_t c = 0; c < n_columns(writer); c++) {
            const render_type *type = column_type(writer, c);
            if (column_sum_is_kept(type)) {
                cli_text_puts(out, first ? "" : ", ");
                cli_text_json_string(out, (const uint8_t *)type->name, strlen(type->name));
                cli_text_puts(out, ": ");
                column_sum_print(&writer->sums[c], type, out);
                first = false;
            }
        }
        cli_text_puts(out, "}\n");
    }
    return true;
}

void rows_free(rows_writer *writer)
{
    if (writer->format == ROWS_TABLE) {
        cli_grid_free(&writer->grid);
    }
    free(writer->sums);
    render_type_free(&writer->type);
}

/* Each status has one errno (status.h); only "not supported" and "wrong argument" have exit codes of their own. */
static int stream_failed(const char *command, struct ArrowArrayStream *stream, int number)
{
    const char *text = stream->get_last_error(stream);
    cli_complain(command, "%s", text != NULL ? text : strerror(number));
    return number == ENOTSUP ? CLI_UNSUPPORTED : number == EINVAL ? CLI_WRONG_USE : CLI_FAILED;
}

static int drain_batches(const char *command, struct ArrowArrayStream *stream, rows_writer *writer, cli_progress *progress)
{
    for (;;) {
        struct ArrowArray batch = { .release = NULL };
        int number = stream->get_next(stream, &batch);
        if (number != 0) {
            return stream_failed(command, stream, number);
        }
        if (batch.release == NULL) {
            return rows_end(writer) || writer->output->closed ? CLI_DONE : CLI_FAILED;
        }
        bool go_on = rows_batch(writer, &batch);
        batch.release(&batch);
        if (!go_on) {
            return writer->output->closed ? CLI_DONE : CLI_FAILED;
        }
        cli_progress_show(progress, writer->rows);
    }
}

int rows_drain(const char *command, struct ArrowArrayStream *stream, rows_format format, const char *output_path)
{
    cli_output output;
    struct ArrowSchema schema = { .release = NULL };
    int number = stream->get_schema(stream, &schema);
    int code = number != 0 ? stream_failed(command, stream, number) : cli_output_open(&output, command, output_path);
    if (code < 0) {
        rows_writer writer;
        cli_progress progress;
        cli_progress_start(&progress, stream, output.is_terminal && format != ROWS_COUNT && format != ROWS_CHECKSUM);
        code = rows_begin(&writer, format, &output, &schema);
        if (code < 0) {
            code = drain_batches(command, stream, &writer, &progress);
        }
        cli_progress_end(&progress);
        rows_free(&writer);
        code = cli_output_close(&output, code);
    }
    if (schema.release != NULL) {
        schema.release(&schema);
    }
    stream->release(stream);
    return code;
}
