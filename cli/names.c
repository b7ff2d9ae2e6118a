/* Tables that are to be made, renamed or dropped: their names in a catalog. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int bad_name(const char *command, const char *name, const char *why)
{
    cli_complain(command, "\"%s\" %s", name, why);
    return CLI_WRONG_USE;
}

int cli_name_table(const char *command, const char *name, const cli_target *target, cli_table_name *out)
{
    *out = (cli_table_name){ NULL, NULL, NULL };
    char *text = strdup(name);
    char *database = text, *table = NULL;
    int code = -1;
    paimon_error err = PAIMON_ERROR_INIT;
    if (text == NULL) {
        cli_complain(command, "out of memory");
        return CLI_FAILED;
    }
    if (cli_is_identifier(name, target)) {
        table = strchr(text, '.');
        code = table == NULL ? bad_name(command, name, "is not database.table") : cli_open_catalog(command, target, &out->catalog);
    } else {
        /* …/warehouse/database.db/table */
        size_t n = strlen(text);
        while (n > 1 && text[n - 1] == '/') {
            text[--n] = '\0';
        }
        table = strrchr(text, '/');
        char *suffix = NULL;
        if (table != NULL) {
            *table = '\0';
            database = strrchr(text, '/');
            suffix = strrchr(database != NULL ? database : text, '.');
        }
        if (suffix == NULL || strcmp(suffix, ".db") != 0) {
            code = bad_name(command, name, strchr(name, '/') != NULL || name[0] == '.' ? "is not a path warehouse/database.db/table"
                                                                                       : "is no path; as database.table it needs --warehouse DIR, --catalog-config FILE or PAIMON_WAREHOUSE");
        } else {
            const char *warehouse = database != NULL ? text : ".";
            *suffix = '\0';
            if (database != NULL) {
                *database++ = '\0';
            } else {
                database = text;
            }
            if (paimon_catalog_open(NULL, warehouse[0] != '\0' ? warehouse : "/", NULL, 0, &out->catalog, &err) != PAIMON_OK) {
                code = cli_fail(command, &err);
            }
        }
    }
    if (code < 0) {
        *table++ = '\0';
        out->database = strdup(database);
        out->table = strdup(table);
        if (out->database == NULL || out->table == NULL) {
            cli_complain(command, "out of memory");
            code = CLI_FAILED;
        }
    }
    free(text);
    if (code >= 0) {
        cli_table_name_free(out);
    }
    return code;
}

void cli_table_name_free(cli_table_name *name)
{
    paimon_catalog_free(name->catalog);
    free(name->database);
    free(name->table);
    *name = (cli_table_name){ NULL, NULL, NULL };
}
