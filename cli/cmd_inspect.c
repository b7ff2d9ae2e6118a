/* paimon inspect: any file of a table, as JSON; or decoded and encoded again. */
#include <inttypes.h>

#include "cli.h"
#include "output.h"

static const char NAME[] = "inspect";

static int show(const char *path, const char *type, int32_t version, const char *output_path)
{
    paimon_error err = PAIMON_ERROR_INIT;
    char *json = NULL;
    cli_output output;
    if (paimon_inspect_as(NULL, path, type, version, &json, &err) != PAIMON_OK) {
        return cli_fail(NAME, &err);
    }
    int code = cli_output_open(&output, NAME, output_path);
    if (code < 0) {
        cli_text_puts(cli_output_text(&output), json);
        cli_text_putc(cli_output_text(&output), '\n');
        code = cli_output_close(&output, CLI_DONE);
    }
    paimon_string_free(json);
    return code;
}

static int write_again(const char *path, const char *type, int32_t version, const char *output_path)
{
    paimon_error err = PAIMON_ERROR_INIT;
    uint8_t *bytes = NULL;
    size_t n = 0;
    if (paimon_inspect_rewrite(NULL, path, type, version, &bytes, &n, &err) != PAIMON_OK) {
        return cli_fail(NAME, &err);
    }
    int code = cli_write_file(NAME, output_path, bytes, n);
    paimon_bytes_free(bytes, n);
    return code < 0 ? CLI_DONE : code;
}

int cmd_inspect(int argc, char **argv)
{
    const char *type = NULL;
    const char *rewrite = NULL;
    const char *output_path = NULL;
    int64_t version = -1;
    const cli_option options[] = {
        { "type", 0, CLI_TEXT, &type, "T", "schema, snapshot, tag, manifest-list, manifest, index-manifest, split, message, messages, committable, parquet, ..." },
        { "output", 'O', CLI_TEXT, &output_path, "FILE", "write to a file" },
        { "version", 0, CLI_INT, &version, "N", "version of serialized messages (13) or committable (5), which do not say it; of a split that --rewrite writes" },
        { "rewrite", 0, CLI_TEXT, &rewrite, "OUT", "decode, and encode again in the current version" },
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "FILE",
                              .about = "Shows a metadata or data file as JSON. The kind of file is found out from its name and first bytes.",
                              .example = "paimon inspect /data/wh/db.db/orders/snapshot/snapshot-1",
                              CLI_OPTIONS(options) };
    const char *path = NULL;
    int code = cli_parse_word(&usage, argc, argv, &path);
    if (code < 0 && version > INT32_MAX) {
        cli_complain(NAME, "--version %" PRId64 " is none", version);
        code = CLI_WRONG_USE;
    }
    if (code >= 0) {
        return code;
    }
    int32_t known = version < 0 ? 0 : (int32_t)version;
    return rewrite != NULL ? write_again(path, type, known, rewrite) : show(path, type, known, output_path);
}
