/* paimon decode: rows of one bare data file, whatever wrote it, in a form made for comparing readers. */
#include "cli.h"
#include "rows.h"

static const char NAME[] = "decode";

int cmd_decode(int argc, char **argv)
{
    const char *columns = NULL;
    const char *output = NULL;
    int64_t threads = 1;
    bool verify = false;
    const cli_option options[] = {
        { "columns", 0, CLI_TEXT, &columns, "a,b", "these top-level columns in this order" },
        { "output", 'O', CLI_TEXT, &output, "FILE", "write to a file" },
        { "threads", 0, CLI_INT, &threads, "N", "threads that decode; default 1" },
        { "verify-checksums", 0, CLI_FLAG, &verify, "", "compare each page with its checksum, where the file has them" },
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "FILE",
                              .about = "Prints each row of a Parquet, ORC or Avro file as a JSON array, with no table around it. Timestamps are [seconds,\n"
                                       "nanoseconds], times nanoseconds, dates days, bytes hex, maps lists of pairs, unions [branch, value].",
                              .example = "paimon decode part-00000.parquet",
                              CLI_OPTIONS(options) };
    const char *path = NULL;
    int code = cli_parse_word(&usage, argc, argv, &path);
    char **names = NULL;
    size_t n_names = 0;
    if (code < 0 && !cli_split_names(NAME, columns, &names, &n_names)) {
        code = CLI_WRONG_USE;
    }
    if (code < 0) {
        paimon_error err = PAIMON_ERROR_INIT;
        struct ArrowArrayStream stream = { .release = NULL };
        paimon_format_options format = PAIMON_FORMAT_OPTIONS_INIT;
        format.columns = (const char *const *)names;
        format.n_columns = n_names;
        format.verify_checksums = verify;
        format.n_threads = threads > 64 ? 64 : (int32_t)threads;
        if (paimon_format_open(NULL, path, &format, &stream, &err) == PAIMON_OK) {
            code = rows_drain(NAME, &stream, ROWS_CORPUS, output);
        } else {
            code = cli_fail_data(NAME, NULL, &err);
        }
    }
    cli_free_names(names, n_names);
    return code;
}
