/* paimon inspect: any file of a table, as JSON. */
#include "cli.h"
#include "output.h"

static const char NAME[] = "inspect";

int cmd_inspect(int argc, char **argv)
{
    const char *type = NULL;
    const char *rewrite = NULL;
    const char *output_path = NULL;
    int64_t version = -1;
    const cli_option options[] = {
        { "type", 0, CLI_TEXT, &type, "T", "schema, snapshot, tag, manifest-list, manifest, index-manifest, parquet, ..." },
        { "output", 'O', CLI_TEXT, &output_path, "FILE", "write to a file" },
        { "version", 0, CLI_INT, &version, "N", "version of serialized splits and messages (not supported yet)" },
        { "rewrite", 0, CLI_TEXT, &rewrite, "OUT", "decode and encode again (not supported yet)" },
    };
    const cli_usage usage = { NAME,
                              "FILE",
                              "Shows a metadata or data file as JSON. The kind of file is found out from its name and first bytes.",
                              "paimon inspect /data/wh/db.db/orders/snapshot/snapshot-1",
                              options,
                              sizeof options / sizeof options[0],
                              1,
                              1 };
    const char *path = NULL;
    int n = 0;
    int code = cli_parse(&usage, argc, argv, &path, &n);
    if (code < 0 && (rewrite != NULL || version >= 0)) {
        code = cli_not_yet(NAME, rewrite != NULL ? "--rewrite" : "--version");
    }
    if (code >= 0) {
        return code;
    }
    paimon_error err = PAIMON_ERROR_INIT;
    char *json = NULL;
    if (paimon_inspect(NULL, path, type, &json, &err) != PAIMON_OK) {
        return cli_fail(NAME, &err);
    }
    cli_output output;
    code = cli_output_open(&output, NAME, output_path);
    if (code < 0) {
        cli_text_puts(cli_output_text(&output), json);
        cli_text_putc(cli_output_text(&output), '\n');
        code = cli_output_close(&output, CLI_DONE);
    }
    paimon_string_free(json);
    return code;
}
