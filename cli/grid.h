/** A table of texts, aligned for people. Widths are taken from the rows that have gathered when it is first printed; on a
 *  terminal long cells are cut so that a line fits. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "output.h"

typedef struct cli_grid {
    cli_output *output;
    size_t n_columns;
    char **names;
    bool *to_the_right;
    size_t *widths;
    cli_text cells; /**< the texts of the gathered rows, one behind the other */
    size_t *ends;   /**< where each cell ends */
    size_t n_cells;
    size_t capacity;
    bool started; /**< widths are fixed and the head is printed */
} cli_grid;

bool cli_grid_init(cli_grid *grid, cli_output *output, size_t n_columns);
/** Name a column; `right` aligns numbers. */
bool cli_grid_column(cli_grid *grid, size_t i, const char *name, bool right);
/** The text to which the next cell is appended; close the cell with cli_grid_end_cell(). */
cli_text *cli_grid_cell(cli_grid *grid);
void cli_grid_end_cell(cli_grid *grid);
/** A cell of a C string; control characters are made visible. */
void cli_grid_put(cli_grid *grid, const char *text);
/** After each row: prints when enough rows have gathered. False: stop. */
bool cli_grid_end_row(cli_grid *grid);
/** Print what is left (at least the head). False: stop. */
bool cli_grid_finish(cli_grid *grid);
void cli_grid_free(cli_grid *grid);

#endif
