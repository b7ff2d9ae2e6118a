/* paimon snapshots: the history of a table. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "grid.h"
#include "render.h"

static const char *const formats[] = { "table", "json", NULL };
enum { AS_TABLE, AS_JSON };

static const char NAME[] = "snapshots";

static void put_member(cli_grid *grid, const json_t *root, const char *key)
{
    const json_t *value = json_object_get(root, key);
    if (json_is_integer(value)) {
        cli_text_int(cli_grid_cell(grid), json_integer_value(value));
        cli_grid_end_cell(grid);
    } else {
        cli_grid_put(grid, json_is_string(value) ? json_string_value(value) : "");
    }
}

static void put_time(cli_grid *grid, const json_t *root)
{
    int64_t rest = 0;
    int64_t seconds = render_floor_div(json_integer_value(json_object_get(root, "timeMillis")), 1000, &rest);
    render_timestamp(cli_grid_cell(grid), seconds, 0, ' ');
    cli_text_printf(cli_grid_cell(grid), ".%03dZ", (int)rest); /* three digits always, so that the column lines up */
    cli_grid_end_cell(grid);
}

static bool put_snapshot(cli_grid *grid, const char *json)
{
    json_t *root = json_loads(json, 0, NULL);
    put_member(grid, root, "id");
    put_time(grid, root);
    put_member(grid, root, "commitKind");
    put_member(grid, root, "schemaId");
    put_member(grid, root, "totalRecordCount");
    put_member(grid, root, "deltaRecordCount");
    put_member(grid, root, "commitUser");
    json_decref(root);
    return cli_grid_end_row(grid);
}

static int print_all(const paimon_table *table, const int64_t *ids, size_t n, bool json_lines, cli_output *output)
{
    static const char *const heads[] = { "id", "time", "kind", "schema", "rows", "added", "user" };
    cli_grid grid;
    bool go_on = cli_grid_init(&grid, output, 7);
    int code = CLI_DONE;
    for (size_t c = 0; go_on && c < 7; c++) {
        go_on = cli_grid_column(&grid, c, heads[c], c == 0 || (c >= 3 && c <= 5));
    }
    for (size_t i = 0; i < n && go_on && code == CLI_DONE; i++) {
        paimon_error err = PAIMON_ERROR_INIT;
        char *text = NULL;
        paimon_status status = paimon_table_snapshot_json(table, ids[i], &text, &err);
        if (status == PAIMON_NOT_FOUND) {
            paimon_error_clear(&err); /* expired since the listing */
            continue;
        }
        if (status != PAIMON_OK) {
            code = cli_fail(NAME, &err);
        } else if (json_lines) {
            json_t *root = json_loads(text, 0, NULL);
            char *line = json_dumps(root, JSON_COMPACT);
            cli_text_puts(cli_output_text(output), line != NULL ? line : "null");
            cli_text_putc(cli_output_text(output), '\n');
            free(line);
            json_decref(root);
            go_on = cli_output_flush_some(output);
        } else {
            go_on = put_snapshot(&grid, text);
        }
        paimon_string_free(text);
    }
    if (code == CLI_DONE && go_on && !json_lines) {
        go_on = cli_grid_finish(&grid);
    }
    cli_grid_free(&grid);
    return code == CLI_DONE && !go_on && !output->closed ? CLI_FAILED : code;
}

int cmd_snapshots(int argc, char **argv)
{
    cli_target target = { 0 };
    cli_choice format = { .words = formats };
    const cli_option options[] = {
        { "format", 0, CLI_CHOICE, &format, "F", "table, json (one snapshot a line)" },
        CLI_TARGET_OPTIONS(target),
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "TABLE",
                              .about = "Lists the snapshots of a table, oldest first. Times are UTC.",
                              .example = "paimon snapshots /data/wh/db.db/orders",
                              CLI_OPTIONS(options) };
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table *table = NULL;
    int64_t *ids = NULL;
    size_t n = 0;
    cli_output output;
    int code = cli_parse_table(&usage, argc, argv, &target, &table);
    if (code < 0 && paimon_table_snapshot_ids(table, &ids, &n, &err) != PAIMON_OK) {
        code = cli_fail(NAME, &err);
    }
    code = code < 0 ? cli_output_open(&output, NAME, NULL) : code;
    if (code < 0) {
        code = cli_output_close(&output, print_all(table, ids, n, format.chosen == AS_JSON, &output));
    }
    paimon_int64_free(ids, n);
    paimon_table_free(table);
    cli_target_free(&target);
    return code;
}
