/* paimon ls: what a warehouse holds. */
#include "cli.h"
#include "output.h"

static const char NAME[] = "ls";

static void put_names(cli_output *output, const char *prefix, const paimon_string_list *names)
{
    for (size_t i = 0; i < paimon_string_list_size(names); i++) {
        const char *name = paimon_string_list_get(names, i);
        cli_text_puts(cli_output_text(output), prefix);
        cli_text_puts(cli_output_text(output), prefix[0] != '\0' ? "." : "");
        cli_text_puts(cli_output_text(output), name);
        cli_text_putc(cli_output_text(output), '\n');
    }
}

static int list_tables(const paimon_catalog *catalog, const char *database, const char *prefix, cli_output *output)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_string_list *tables = NULL;
    if (paimon_catalog_list_tables(catalog, database, &tables, &err) != PAIMON_OK) {
        return cli_fail(NAME, &err);
    }
    put_names(output, prefix, tables);
    paimon_string_list_free(tables);
    return CLI_DONE;
}

static int list_databases(const paimon_catalog *catalog, bool all, cli_output *output)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_string_list *databases = NULL;
    int code = CLI_DONE;
    if (paimon_catalog_list_databases(catalog, &databases, &err) != PAIMON_OK) {
        return cli_fail(NAME, &err);
    }
    if (!all) {
        put_names(output, "", databases);
    }
    for (size_t i = 0; all && code == CLI_DONE && i < paimon_string_list_size(databases); i++) {
        const char *database = paimon_string_list_get(databases, i);
        code = list_tables(catalog, database, database, output);
    }
    paimon_string_list_free(databases);
    return code;
}

int cmd_ls(int argc, char **argv)
{
    cli_target target = { 0 };
    bool all = false;
    const cli_option options[] = {
        { "warehouse", 0, CLI_TEXT, &target.warehouse, "DIR", "the warehouse folder (else $PAIMON_WAREHOUSE)" },
        { "catalog-config", 0, CLI_TEXT, &target.catalog_config, "FILE", "catalog options: lines of KEY=VALUE, or a JSON object" },
        { "all", 'a', CLI_FLAG, &all, "", "the tables of every database, as db.table" },
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "[DATABASE]",
                              .about = "Lists the databases of a warehouse, or with DATABASE its tables, one name a line.",
                              .example = "paimon ls sales --warehouse /data/wh",
                              CLI_OPTIONS(options),
                              .min_words = 0,
                              .max_words = 1 };
    const char *database = NULL;
    int n = 0;
    paimon_catalog *catalog = NULL;
    cli_output output;
    int code = cli_parse(&usage, argc, argv, &database, &n);
    code = code < 0 ? cli_open_catalog(NAME, &target, &catalog) : code;
    code = code < 0 ? cli_output_open(&output, NAME, NULL) : code;
    if (code < 0) {
        code = n == 1 ? list_tables(catalog, database, "", &output) : list_databases(catalog, all, &output);
        code = cli_output_close(&output, code);
    }
    paimon_catalog_free(catalog);
    return code;
}
