/* paimon schema: columns, keys and options of a table. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "cli.h"
#include "grid.h"

static const char *const formats[] = { "table", "json", NULL };
enum { AS_TABLE, AS_JSON };

static const char NAME[] = "schema";

/* A type is a text, or an object for a nested one: its "type" says what it is, shortened to what fits a table. */
static void put_type(cli_text *out, const json_t *type)
{
    const json_t *name = json_object_get(type, "type");
    if (json_is_string(type)) {
        cli_text_puts(out, json_string_value(type));
        return;
    }
    if (!json_is_string(name)) {
        cli_text_puts(out, "?");
        return;
    }
    const char *text = json_string_value(name);
    size_t word = strcspn(text, " ");
    cli_text_put(out, text, word);
    cli_text_putc(out, '<');
    if (json_object_get(type, "key") != NULL) {
        put_type(out, json_object_get(type, "key"));
        cli_text_puts(out, ", ");
        put_type(out, json_object_get(type, "value"));
    } else if (json_object_get(type, "element") != NULL) {
        put_type(out, json_object_get(type, "element"));
    }
    size_t i;
    json_t *field;
    json_array_foreach(json_object_get(type, "fields"), i, field)
    {
        const char *field_name = json_string_value(json_object_get(field, "name"));
        cli_text_puts(out, i > 0 ? ", " : "");
        cli_text_puts(out, field_name != NULL ? field_name : "?");
        cli_text_putc(out, ' ');
        put_type(out, json_object_get(field, "type"));
    }
    cli_text_putc(out, '>');
    cli_text_puts(out, text + word);
}

static void put_text(cli_grid *grid, const char *text) { cli_grid_put(grid, text != NULL ? text : ""); }

static bool names_key(const json_t *keys, const char *name)
{
    size_t i;
    json_t *key;
    json_array_foreach(keys, i, key)
    {
        if (json_is_string(key) && name != NULL && strcmp(json_string_value(key), name) == 0) {
            return true;
        }
    }
    return false;
}

static bool print_columns(const json_t *root, cli_output *output)
{
    static const char *const heads[] = { "id", "name", "type", "key", "comment" };
    cli_grid grid;
    bool good = cli_grid_init(&grid, output, 5);
    for (size_t c = 0; good && c < 5; c++) {
        good = cli_grid_column(&grid, c, heads[c], c == 0);
    }
    size_t i;
    json_t *field;
    cli_text type = { 0 };
    json_array_foreach(json_object_get(root, "fields"), i, field)
    {
        if (!good) {
            break;
        }
        const char *name = json_string_value(json_object_get(field, "name"));
        bool primary = names_key(json_object_get(root, "primaryKeys"), name);
        bool partition = names_key(json_object_get(root, "partitionKeys"), name);
        cli_text_int(cli_grid_cell(&grid), json_integer_value(json_object_get(field, "id")));
        cli_grid_end_cell(&grid);
        put_text(&grid, name);
        type.size = 0;
        put_type(&type, json_object_get(field, "type"));
        put_text(&grid, cli_text_string(&type));
        put_text(&grid, primary && partition ? "primary, partition" : primary ? "primary" : partition ? "partition" : "");
        const char *comment = json_string_value(json_object_get(field, "description"));
        put_text(&grid, comment);
        good = cli_grid_end_row(&grid);
    }
    good = good && cli_grid_finish(&grid);
    cli_text_free(&type);
    cli_grid_free(&grid);
    return good;
}

static void put_line(cli_output *output, const char *label, const char *text)
{
    cli_text *out = cli_output_text(output);
    cli_text_puts(out, label);
    cli_text_visible(out, (const uint8_t *)text, strlen(text));
    cli_text_putc(out, '\n');
}

static int print_table(const char *json, cli_output *output)
{
    json_t *root = json_loads(json, 0, NULL);
    if (root == NULL) {
        cli_complain(NAME, "the schema does not parse as JSON");
        return CLI_FAILED;
    }
    bool good = print_columns(root, output);
    cli_text *out = cli_output_text(output);
    if (good && json_object_size(json_object_get(root, "options")) > 0) {
        cli_text_puts(out, "\n");
    }
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(root, "options"), key, value)
    {
        cli_text line = { 0 };
        cli_text_printf(&line, "%s = %s", key, json_is_string(value) ? json_string_value(value) : "?");
        put_line(output, "", cli_text_string(&line));
        cli_text_free(&line);
    }
    const char *comment = json_string_value(json_object_get(root, "comment"));
    if (comment != NULL && comment[0] != '\0') {
        put_line(output, "comment: ", comment);
    }
    json_decref(root);
    return good || output->closed ? CLI_DONE : CLI_FAILED;
}

int cmd_schema(int argc, char **argv)
{
    cli_target target = { 0 };
    cli_choice format = { .words = formats };
    const cli_option options[] = {
        { "format", 0, CLI_CHOICE, &format, "F", "table, json" },
        CLI_TARGET_OPTIONS(target),
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "TABLE",
                              .about = "Shows the columns, keys and options of a table.",
                              .example = "paimon schema /data/wh/db.db/orders",
                              CLI_OPTIONS(options) };
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table *table = NULL;
    char *json = NULL;
    cli_output output;
    int code = cli_parse_table(&usage, argc, argv, &target, &table);
    if (code < 0 && paimon_table_schema_json(table, &json, &err) != PAIMON_OK) {
        code = cli_fail(NAME, &err);
    }
    code = code < 0 ? cli_output_open(&output, NAME, NULL) : code;
    if (code < 0) {
        if (format.chosen == AS_JSON) {
            cli_text_puts(cli_output_text(&output), json);
            cli_text_putc(cli_output_text(&output), '\n');
            code = CLI_DONE;
        } else {
            code = print_table(json, &output);
        }
        code = cli_output_close(&output, code);
    }
    paimon_string_free(json);
    paimon_table_free(table);
    cli_target_free(&target);
    return code;
}
