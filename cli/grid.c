/* Aligned tables. */
#include "grid.h"

#include <stdlib.h>
#include <string.h>

enum { GATHER_ROWS = 1000, MAX_PADDING = 200 };

bool cli_grid_init(cli_grid *grid, cli_output *output, size_t n_columns)
{
    *grid = (cli_grid){ .output = output, .n_columns = n_columns };
    grid->names = calloc(n_columns + 1, sizeof *grid->names);
    grid->to_the_right = calloc(n_columns + 1, sizeof *grid->to_the_right);
    grid->widths = calloc(n_columns + 1, sizeof *grid->widths);
    return grid->names != NULL && grid->to_the_right != NULL && grid->widths != NULL;
}

bool cli_grid_column(cli_grid *grid, size_t i, const char *name, bool right)
{
    cli_text shown = { 0 };
    cli_text_visible(&shown, (const uint8_t *)name, strlen(name));
    grid->names[i] = strdup(cli_text_string(&shown));
    cli_text_free(&shown);
    grid->to_the_right[i] = right;
    return grid->names[i] != NULL;
}

cli_text *cli_grid_cell(cli_grid *grid) { return &grid->cells; }

void cli_grid_end_cell(cli_grid *grid)
{
    if (grid->n_cells == grid->capacity) {
        size_t capacity = grid->capacity == 0 ? 1024 : 2 * grid->capacity;
        size_t *ends = realloc(grid->ends, capacity * sizeof *ends);
        if (ends == NULL) {
            grid->cells.failed = true;
            return;
        }
        grid->ends = ends;
        grid->capacity = capacity;
    }
    grid->ends[grid->n_cells++] = grid->cells.size;
}

void cli_grid_put(cli_grid *grid, const char *text)
{
    cli_text_visible(&grid->cells, (const uint8_t *)text, strlen(text));
    cli_grid_end_cell(grid);
}

static const char *cell_at(const cli_grid *grid, size_t i, size_t *size)
{
    size_t from = i == 0 ? 0 : grid->ends[i - 1];
    *size = grid->ends[i] - from;
    return grid->cells.data + from;
}

/* Take columns from the widest cells until the line fits; never below eight. */
static void fit_to_terminal(cli_grid *grid, size_t columns)
{
    for (;;) {
        size_t total = 0;
        size_t widest = 0;
        for (size_t c = 0; c < grid->n_columns; c++) {
            total += grid->widths[c] + (c > 0 ? 2 : 0);
            widest = grid->widths[c] > grid->widths[widest] ? c : widest;
        }
        if (total <= columns || grid->widths[widest] <= 8) {
            return;
        }
        grid->widths[widest]--;
    }
}

static void measure(cli_grid *grid)
{
    for (size_t c = 0; c < grid->n_columns; c++) {
        grid->widths[c] = cli_utf8_width(grid->names[c], strlen(grid->names[c]));
    }
    for (size_t i = 0; i < grid->n_cells; i++) {
        size_t size;
        const char *cell = cell_at(grid, i, &size);
        size_t width = cli_utf8_width(cell, size);
        size_t *widest = &grid->widths[i % grid->n_columns];
        *widest = width > *widest ? width : *widest;
    }
    int columns = cli_output_columns(grid->output);
    if (columns > 0) {
        fit_to_terminal(grid, (size_t)columns);
    }
}

/* The longest piece of a cell that takes at most `width` columns. */
static size_t prefix_of_width(const char *cell, size_t size, size_t width)
{
    size_t at = 0;
    while (at < size) {
        size_t length = cli_utf8_sequence((const uint8_t *)cell + at, size - at);
        length = length == 0 ? 1 : length;
        size_t w = cli_utf8_width(cell + at, length);
        if (w > width) {
            break;
        }
        width -= w;
        at += length;
    }
    return at;
}

static void pad(cli_text *to, size_t n)
{
    for (size_t i = 0; i < n && i < MAX_PADDING; i++) {
        cli_text_putc(to, ' ');
    }
}

/* Answers where the content of the line ends so far, for blanks at a line's end are cut off. */
static size_t print_cell(const cli_grid *grid, cli_text *to, size_t c, const char *cell, size_t size, bool cut, size_t line_end)
{
    size_t width = cli_utf8_width(cell, size);
    size_t room = grid->widths[c];
    pad(to, c > 0 ? 2 : 0);
    if (cut && width > room && room > 0) {
        size_t keep = prefix_of_width(cell, size, room - 1);
        cli_text_put(to, cell, keep);
        cli_text_puts(to, "\xE2\x80\xA6");
        line_end = to->size;
        pad(to, room - 1 - cli_utf8_width(cell, keep));
        return line_end;
    }
    size_t blanks = room > width ? room - width : 0;
    pad(to, grid->to_the_right[c] ? blanks : 0);
    cli_text_put(to, cell, size);
    line_end = size > 0 ? to->size : line_end;
    pad(to, grid->to_the_right[c] ? 0 : blanks);
    return line_end;
}

static void end_line(cli_text *to, size_t line_end)
{
    if (!to->failed) {
        to->size = line_end;
    }
    cli_text_putc(to, '\n');
}

static void print_head(cli_grid *grid, cli_text *to, bool cut)
{
    bool colour = cli_output_colour(grid->output);
    size_t line_end = to->size;
    cli_text_puts(to, colour ? "\033[1m" : "");
    for (size_t c = 0; c < grid->n_columns; c++) {
        line_end = print_cell(grid, to, c, grid->names[c], strlen(grid->names[c]), cut, line_end);
    }
    to->size = to->failed ? to->size : line_end;
    cli_text_puts(to, colour ? "\033[0m\n" : "\n");
    for (size_t c = 0; c < grid->n_columns; c++) {
        pad(to, c > 0 ? 2 : 0);
        for (size_t i = 0; i < grid->widths[c] && i < MAX_PADDING; i++) {
            cli_text_putc(to, '-');
        }
    }
    cli_text_putc(to, '\n');
}

static bool print_rows(cli_grid *grid)
{
    cli_text *to = cli_output_text(grid->output);
    bool cut = grid->output->is_terminal;
    if (grid->cells.failed) {
        to->failed = true;
        return cli_output_flush_some(grid->output);
    }
    if (!grid->started) {
        measure(grid);
        print_head(grid, to, cut);
        grid->started = true;
    }
    bool go_on = true;
    size_t line_end = to->size;
    for (size_t i = 0; i < grid->n_cells && go_on; i++) {
        size_t size;
        const char *cell = cell_at(grid, i, &size);
        line_end = print_cell(grid, to, i % grid->n_columns, cell, size, cut, line_end);
        if ((i + 1) % grid->n_columns == 0) {
            end_line(to, line_end);
            go_on = cli_output_flush_some(grid->output);
            line_end = to->size;
        }
    }
    grid->n_cells = 0;
    grid->cells.size = 0;
    return go_on;
}

bool cli_grid_end_row(cli_grid *grid)
{
    bool enough = grid->n_cells >= GATHER_ROWS * grid->n_columns || grid->cells.size > (1u << 22) || grid->cells.failed;
    return enough ? print_rows(grid) : true;
}

bool cli_grid_finish(cli_grid *grid) { return grid->n_columns == 0 ? true : print_rows(grid); }

void cli_grid_free(cli_grid *grid)
{
    for (size_t c = 0; grid->names != NULL && c < grid->n_columns; c++) {
        free(grid->names[c]);
    }
    free(grid->names);
    free(grid->to_the_right);
    free(grid->widths);
    free(grid->ends);
    cli_text_free(&grid->cells);
    *grid = (cli_grid){ 0 };
}
