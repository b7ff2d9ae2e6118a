/* Which table is meant, and the plan of a query over it. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* ------------------------------------------------------------ catalog file */

typedef struct catalog_options {
    paimon_option *items;
    size_t n;
} catalog_options;

static void free_options(catalog_options *options)
{
    for (size_t i = 0; i < options->n; i++) {
        free((char *)options->items[i].key);
        free((char *)options->items[i].value);
    }
    free(options->items);
    *options = (catalog_options){ NULL, 0 };
}

static bool add_option(catalog_options *options, const char *key, size_t key_size, const char *value, size_t value_size)
{
    paimon_option *items = realloc(options->items, (options->n + 1) * sizeof *items);
    if (items == NULL) {
        return false;
    }
    options->items = items;
    items[options->n] = (paimon_option){ strndup(key, key_size), strndup(value, value_size) };
    options->n++;
    return items[options->n - 1].key != NULL && items[options->n - 1].value != NULL;
}

/* Lines of `key=value` or `key: value`; '#' starts a comment line. */
static bool parse_lines(const char *command, const char *path, const char *text, catalog_options *options)
{
    int number = 0;
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        size_t from = strspn(text, " \t\r");
        size_t to = n;
        number++;
        while (to > from && (text[to - 1] == '\r' || text[to - 1] == ' ' || text[to - 1] == '\t')) {
            to--;
        }
        if (from < to && text[from] != '#') {
            size_t key = strcspn(text + from, "=:\n");
            size_t value = from + key + 1;
            if (from + key >= to || key == 0) {
                cli_complain(command, "%s, line %d: KEY=VALUE is expected", path, number);
                return false;
            }
            while (key > 0 && (text[from + key - 1] == ' ' || text[from + key - 1] == '\t')) {
                key--;
            }
            while (value < to && (text[value] == ' ' || text[value] == '\t')) {
                value++;
            }
            if (!add_option(options, text + from, key, text + value, to > value ? to - value : 0)) {
                cli_complain(command, "out of memory");
                return false;
            }
        }
        text += n + (text[n] == '\n');
    }
    return true;
}

static bool parse_json(const char *command, const char *path, const char *text, catalog_options *options)
{
    json_error_t why;
    json_t *root = json_loads(text, 0, &why);
    bool good = json_is_object(root);
    if (!good) {
        cli_complain(command, "%s, line %d: %s", path, root == NULL ? why.line : 1, root == NULL ? why.text : "a JSON object is expected");
    }
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value)
    {
        if (good && !json_is_string(value)) {
            cli_complain(command, "%s: the value of \"%s\" must be a text", path, key);
            good = false;
        }
        good = good && add_option(options, key, strlen(key), json_string_value(value), json_string_length(value));
    }
    json_decref(root);
    return good;
}

static bool load_options(const char *command, const char *path, catalog_options *options)
{
    FILE *file = fopen(path, "rb");
    char *text = file == NULL ? NULL : calloc(1, 65537);
    size_t n = text == NULL ? 0 : fread(text, 1, 65537, file);
    bool good = false;
    if (file == NULL || ferror(file)) {
        cli_complain(command, "%s: %s", path, strerror(errno));
    } else if (text == NULL) {
        cli_complain(command, "out of memory");
    } else if (n > 65536 || strlen(text) != n) {
        cli_complain(command, "%s: not a text of at most 64 KB", path);
    } else {
        good = text[strspn(text, " \t\r\n")] == '{' ? parse_json(command, path, text, options) : parse_lines(command, path, text, options);
    }
    if (file != NULL) {
        fclose(file);
    }
    free(text);
    return good;
}

/* ------------------------------------------------------------- catalog, table */

static const char *warehouse_of(const cli_target *target)
{
    const char *set = target->warehouse != NULL ? target->warehouse : getenv("PAIMON_WAREHOUSE");
    return set != NULL && set[0] != '\0' ? set : NULL;
}

int cli_open_catalog(const char *command, const cli_target *target, paimon_catalog **catalog)
{
    catalog_options options = { NULL, 0 };
    const char *warehouse = warehouse_of(target);
    int code = CLI_FAILED;
    if (target->catalog_config != NULL) {
        if (!load_options(command, target->catalog_config, &options)) {
            free_options(&options);
            return CLI_FAILED;
        }
        for (size_t i = 0; i < options.n && target->warehouse == NULL; i++) {
            warehouse = strcmp(options.items[i].key, "warehouse") == 0 ? options.items[i].value : warehouse;
        }
    }
    if (warehouse == NULL) {
        cli_complain(command, "no warehouse: give --warehouse DIR, --catalog-config FILE or set PAIMON_WAREHOUSE");
        code = CLI_WRONG_USE;
    } else {
        paimon_error err = PAIMON_ERROR_INIT;
        paimon_status status = paimon_catalog_open(NULL, warehouse, options.items, options.n, catalog, &err);
        code = status == PAIMON_OK ? -1 : cli_fail(command, &err);
    }
    free_options(&options);
    return code;
}

/* A path has a slash (a URI too) or is said with a dot first; any other word is db.table as soon as a warehouse is known. */
bool cli_is_identifier(const char *name, const cli_target *target)
{
    return strchr(name, '/') == NULL && name[0] != '.' && (target->catalog_config != NULL || warehouse_of(target) != NULL);
}

/* A folder it is, then; but "db.table" without a warehouse was meant to be a name. */
static int fail_to_open(const char *command, const char *name, paimon_error *err)
{
    if (err->code != PAIMON_NOT_FOUND || strchr(name, '/') != NULL || name[0] == '.' || strchr(name, '.') == NULL) {
        return cli_fail(command, err);
    }
    cli_complain(command, "%s; as db.table it needs --warehouse DIR, --catalog-config FILE or PAIMON_WAREHOUSE", paimon_error_message(err));
    paimon_error_clear(err);
    return CLI_FAILED;
}

int cli_open_table(const char *command, const char *name, const cli_target *target, paimon_table **table)
{
    paimon_error err = PAIMON_ERROR_INIT;
    size_t n = target->options.n + 1;
    paimon_option *options = calloc(n, sizeof *options);
    if (options == NULL) {
        cli_complain(command, "out of memory");
        return CLI_FAILED;
    }
    n = 0;
    if (target->branch != NULL) {
        options[n++] = (paimon_option){ "branch", target->branch };
    }
    for (size_t i = 0; i < target->options.n; i++) {
        options[n++] = target->options.items[i];
    }
    int code = -1;
    if (cli_is_identifier(name, target)) {
        paimon_catalog *catalog = NULL;
        code = cli_open_catalog(command, target, &catalog);
        if (code < 0 && paimon_catalog_open_table(catalog, name, options, n, table, &err) != PAIMON_OK) {
            code = cli_fail(command, &err);
        }
        paimon_catalog_free(catalog);
    } else if (paimon_table_open(NULL, name, options, n, table, &err) != PAIMON_OK) {
        code = fail_to_open(command, name, &err);
    }
    free(options);
    return code;
}

int cli_parse_table(const cli_usage *usage, int argc, char **argv, const cli_target *target, paimon_table **table)
{
    const char *name = NULL;
    int code = cli_parse_word(usage, argc, argv, &name);
    return code < 0 ? cli_open_table(usage->name, name, target, table) : code;
}

void cli_target_free(cli_target *target)
{
    free(target->options.items);
    target->options = (cli_pairs){ NULL, 0 };
}

int cli_plan(const char *command, paimon_table *table, const cli_query *query, paimon_predicate **predicate, paimon_plan **plan)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_scan *scan = NULL;
    paimon_status status = PAIMON_OK;
    if (query->where != NULL) {
        status = paimon_predicate_parse(query->where, predicate, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_scan_new(table, &scan, &err);
    }
    if (status == PAIMON_OK && *predicate != NULL) {
        status = paimon_scan_set_predicate(scan, *predicate, &err);
    }
    if (status == PAIMON_OK && query->limit >= 0) {
        status = paimon_scan_set_limit(scan, query->limit, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_scan_plan(scan, plan, &err);
    }
    paimon_scan_free(scan);
    return status == PAIMON_OK ? -1 : cli_fail(command, &err);
}

int cli_default_threads(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 8 ? 8 : (int)n;
}
