/* paimon create: a new table from a definition in a file or on the command line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char NAME[] = "create";

enum { DEFINITION_MAX = 1 << 24 };

typedef struct create_request {
    cli_target target;
    const char *schema;
    const char *columns;
    const char *partition_by;
    const char *primary_key;
    const char *comment;
    bool if_absent;
} create_request;

static bool read_definition(const char *path, cli_text *text)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    bool good = file != NULL;
    while (good && !feof(file) && text->size <= DEFINITION_MAX) {
        char *to = cli_text_reserve(text, 65536);
        text->size += to != NULL ? fread(to, 1, 65536, file) : 0;
        good = to != NULL && ferror(file) == 0;
    }
    if (!good) {
        cli_complain(NAME, "%s: %s", path, text->failed ? "out of memory" : strerror(errno));
    } else if (text->size > DEFINITION_MAX || memchr(cli_text_string(text), 0, text->size) != NULL) {
        cli_complain(NAME, "%s: not a text of at most 16 MB", path);
        good = false;
    }
    if (file != NULL && file != stdin) {
        fclose(file);
    }
    return good;
}

/* To the comma after one column, past those inside <>, () and quotes. */
static size_t column_length(const char *text)
{
    int depth = 0;
    char quote = 0;
    size_t n = 0;
    for (; text[n] != '\0'; n++) {
        char c = text[n];
        if (quote != 0) {
            quote = c == quote ? 0 : quote;
        } else if (c == '`' || c == '"' || c == '\'') {
            quote = c;
        } else if (c == ',' && depth == 0) {
            return n;
        } else {
            depth += (c == '<' || c == '(') - (c == '>' || c == ')');
        }
    }
    return n;
}

/* "name TYPE": the name bare, or in `` or "". */
static bool put_column(cli_text *json, const char *text, size_t n)
{
    while (n > 0 && (*text == ' ' || *text == '\n' || *text == '\t')) {
        text++;
        n--;
    }
    bool quoted = n > 0 && (*text == '`' || *text == '"');
    size_t from = quoted, to = from;
    while (to < n && (quoted ? text[to] != text[0] : text[to] != ' ' && text[to] != '\t' && text[to] != '\n')) {
        to++;
    }
    size_t type = to + quoted;
    while (type < n && (text[type] == ' ' || text[type] == '\t' || text[type] == '\n')) {
        type++;
    }
    if (to == from || type >= n) {
        cli_complain(NAME, "--columns: \"%.*s\" is not NAME TYPE", (int)n, text);
        return false;
    }
    cli_text_puts(json, "{\"name\":");
    cli_text_json_string(json, (const uint8_t *)text + from, to - from);
    cli_text_puts(json, ",\"type\":");
    cli_text_json_string(json, (const uint8_t *)text + type, n - type);
    cli_text_puts(json, "}");
    return true;
}

static bool define_columns(const char *columns, cli_text *json)
{
    cli_text_puts(json, "{\"fields\":[");
    for (const char *at = columns;; at++) {
        size_t n = column_length(at);
        if (!put_column(json, at, n)) {
            return false;
        }
        at += n;
        if (*at == '\0') {
            break;
        }
        cli_text_putc(json, ',');
    }
    cli_text_puts(json, "]}");
    return true;
}

static int create_in_catalog(const char *name, const create_request *request, const paimon_table_definition *definition, paimon_error *err)
{
    cli_table_name where;
    int code = cli_name_table(NAME, name, &request->target, &where);
    if (code >= 0) {
        return code;
    }
    paimon_status status = paimon_catalog_create_database(where.catalog, where.database, true, err);
    if (status == PAIMON_OK) {
        status = paimon_catalog_create_table(where.catalog, where.database, where.table, definition, err);
    }
    cli_table_name_free(&where);
    return status == PAIMON_OK || (status == PAIMON_ALREADY_EXISTS && request->if_absent) ? CLI_DONE : cli_fail(NAME, err);
}

static int create_table(const char *name, const create_request *request, const char *json)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table_definition d = PAIMON_TABLE_DEFINITION_INIT;
    char **partition = NULL, **primary = NULL;
    int code = CLI_WRONG_USE;
    if (cli_split_names(NAME, request->partition_by, &partition, &d.n_partition_keys) &&
        cli_split_names(NAME, request->primary_key, &primary, &d.n_primary_keys)) {
        d.schema_json = json;
        d.partition_keys = (const char *const *)partition;
        d.primary_keys = (const char *const *)primary;
        d.options = request->target.options.items;
        d.n_options = request->target.options.n;
        d.comment = request->comment;
        if (cli_is_identifier(name, &request->target)) {
            code = create_in_catalog(name, request, &d, &err);
        } else {
            paimon_status status = paimon_table_create(NULL, name, &d, &err);
            code = status == PAIMON_OK || (status == PAIMON_ALREADY_EXISTS && request->if_absent) ? CLI_DONE : cli_fail(NAME, &err);
        }
    }
    cli_free_names(partition, d.n_partition_keys);
    cli_free_names(primary, d.n_primary_keys);
    paimon_error_clear(&err);
    return code;
}

int cmd_create(int argc, char **argv)
{
    create_request request = { .schema = NULL };
    const cli_option options[] = {
        { "schema", 0, CLI_TEXT, &request.schema, "FILE", "JSON {\"fields\":[{\"name\":…,\"type\":…},…]}; a schema file of Paimon works; - reads standard input" },
        { "columns", 0, CLI_TEXT, &request.columns, "COLUMNS", "or the columns here: \"id INT NOT NULL, v STRING\"" },
        { "partition-by", 0, CLI_TEXT, &request.partition_by, "a,b", "partition columns" },
        { "primary-key", 0, CLI_TEXT, &request.primary_key, "k,…", "primary key columns" },
        { "comment", 0, CLI_TEXT, &request.comment, "TEXT", "what the table is about" },
        { "if-absent", 0, CLI_FLAG, &request.if_absent, "", "a table that is there already is no failure" },
        CLI_TARGET_OPTIONS(request.target),
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "TABLE",
                              .about = "Makes a table: a directory, or db.table in a warehouse, whose database is made when it is missing. -o sets options of the table.",
                              .example = "paimon create shop.orders --warehouse /data/wh --columns \"id BIGINT NOT NULL, day DATE, amount DECIMAL(10, 2)\" --partition-by day",
                              CLI_OPTIONS(options) };
    const char *name = NULL;
    int code = cli_parse_word(&usage, argc, argv, &name);
    cli_text json = { 0 };
    if (code < 0 && (request.schema == NULL) == (request.columns == NULL)) {
        cli_complain(NAME, "--schema FILE or --columns is wanted, one of them");
        code = CLI_WRONG_USE;
    }
    if (code < 0 && request.target.branch != NULL) {
        code = cli_not_yet(NAME, "--branch");
    }
    if (code < 0 && request.schema != NULL) {
        code = read_definition(request.schema, &json) ? -1 : CLI_FAILED;
    } else if (code < 0) {
        code = define_columns(request.columns, &json) ? -1 : CLI_WRONG_USE;
    }
    if (code < 0) {
        code = create_table(name, &request, cli_text_string(&json));
    }
    cli_text_free(&json);
    cli_target_free(&request.target);
    return code;
}
