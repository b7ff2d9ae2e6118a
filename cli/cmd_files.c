/* paimon files: the data files that a read would open. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "grid.h"

static const char *const formats[] = { "table", "json", NULL };
enum { AS_TABLE, AS_JSON };

static const char NAME[] = "files";

enum { N_COLUMNS = 7 };
static const char *const heads[N_COLUMNS] = { "folder", "file", "rows", "bytes", "level", "schema", "created" };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static void put_integer(cli_grid *grid, const json_t *object, const char *key)
{
    cli_text_int(cli_grid_cell(grid), json_integer_value(json_object_get(object, key)));
    cli_grid_end_cell(grid);
}

static bool put_split(cli_grid *grid, const json_t *split, const char *table_path)
{
    const char *folder = text_of(split, "bucketPath");
    size_t n = strlen(table_path);
    folder = strncmp(folder, table_path, n) == 0 && folder[n] == '/' ? folder + n + 1 : folder;
    size_t i;
    json_t *file;
    json_array_foreach(json_object_get(split, "dataFiles"), i, file)
    {
        const char *external = text_of(file, "_EXTERNAL_PATH");
        cli_grid_put(grid, folder);
        cli_grid_put(grid, external[0] != '\0' ? external : text_of(file, "_FILE_NAME"));
        put_integer(grid, file, "_ROW_COUNT");
        put_integer(grid, file, "_FILE_SIZE");
        put_integer(grid, file, "_LEVEL");
        put_integer(grid, file, "_SCHEMA_ID");
        cli_grid_put(grid, text_of(file, "_CREATION_TIME"));
        if (!cli_grid_end_row(grid)) {
            return false;
        }
    }
    return true;
}

static bool json_lines(const json_t *split, cli_output *output)
{
    size_t i;
    json_t *file;
    json_array_foreach(json_object_get(split, "dataFiles"), i, file)
    {
        json_object_set(file, "partition", json_object_get(split, "partition"));
        json_object_set(file, "bucket", json_object_get(split, "bucket"));
        json_object_set(file, "bucketPath", json_object_get(split, "bucketPath"));
        char *line = json_dumps(file, JSON_COMPACT);
        cli_text_puts(cli_output_text(output), line != NULL ? line : "null");
        cli_text_putc(cli_output_text(output), '\n');
        free(line);
        if (!cli_output_flush_some(output)) {
            return false;
        }
    }
    return true;
}

static int print_files(const paimon_plan *plan, const char *table_path, bool lines, cli_output *output)
{
    cli_grid grid;
    bool go_on = cli_grid_init(&grid, output, N_COLUMNS);
    int code = CLI_DONE;
    for (size_t c = 0; go_on && c < N_COLUMNS; c++) {
        go_on = cli_grid_column(&grid, c, heads[c], c >= 2 && c <= 5);
    }
    for (size_t i = 0; go_on && code == CLI_DONE && i < paimon_plan_n_splits(plan); i++) {
        paimon_error err = PAIMON_ERROR_INIT;
        char *text = NULL;
        if (paimon_split_json(paimon_plan_split(plan, i), &text, &err) != PAIMON_OK) {
            code = cli_fail(NAME, &err);
            break;
        }
        json_t *split = json_loads(text, 0, NULL);
        go_on = lines ? json_lines(split, output) : put_split(&grid, split, table_path);
        json_decref(split);
        paimon_string_free(text);
    }
    if (code == CLI_DONE && go_on && !lines) {
        go_on = cli_grid_finish(&grid);
    }
    cli_grid_free(&grid);
    return code == CLI_DONE && !go_on && !output->closed ? CLI_FAILED : code;
}

int cmd_files(int argc, char **argv)
{
    cli_target target = { 0 };
    cli_query query = { NULL, -1 };
    cli_choice format = { .words = formats };
    const cli_option options[] = {
        { "where", 0, CLI_TEXT, &query.where, "EXPR", "leave out partitions, buckets and files that cannot match" },
        { "format", 0, CLI_CHOICE, &format, "F", "table, json (one file a line, with all its metadata)" },
        CLI_TARGET_OPTIONS(target),
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "TABLE",
                              .about = "Lists the data files that a read of the table would open.",
                              .example = "paimon files /data/wh/db.db/orders --where \"day = '2024-01-01'\"",
                              CLI_OPTIONS(options) };
    paimon_table *table = NULL;
    paimon_predicate *predicate = NULL;
    paimon_plan *plan = NULL;
    cli_output output;
    int code = cli_parse_table(&usage, argc, argv, &target, &table);
    code = code < 0 ? cli_plan(NAME, table, &query, &predicate, &plan) : code;
    code = code < 0 ? cli_output_open(&output, NAME, NULL) : code;
    if (code < 0) {
        code = cli_output_close(&output, print_files(plan, paimon_table_path(table), format.chosen == AS_JSON, &output));
    }
    paimon_plan_free(plan);
    paimon_predicate_free(predicate);
    paimon_table_free(table);
    cli_target_free(&target);
    return code;
}
