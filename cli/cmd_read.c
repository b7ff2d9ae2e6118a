/* paimon read: rows of a table. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "rows.h"
#include "stats.h"

static const char NAME[] = "read";

static const char *const formats[] = { "table", "csv", "jsonl", "canonical", "parquet", "count", "checksum", NULL };
static const rows_format forms[] = { ROWS_TABLE, ROWS_CSV, ROWS_JSONL, ROWS_CANONICAL, ROWS_PARQUET, ROWS_COUNT, ROWS_CHECKSUM };

typedef struct read_request {
    cli_target target;
    cli_query query;
    const char *columns;
    cli_choice format;
    const char *output;
    cli_texts splits; /* files; none: the table's own plan */
    int64_t threads;
    int64_t batch_rows;
    bool stats;
} read_request;

static paimon_status configure(paimon_read *read, const read_request *request, paimon_predicate *predicate, char **names, size_t n_names,
                               paimon_error *err)
{
    paimon_status status = PAIMON_OK;
    if (n_names > 0) {
        status = paimon_read_set_columns(read, (const char *const *)names, n_names, err);
    }
    if (status == PAIMON_OK && predicate != NULL) {
        status = paimon_read_set_predicate(read, predicate, err);
    }
    if (status == PAIMON_OK && request->query.limit >= 0) {
        status = paimon_read_set_limit(read, request->query.limit, err);
    }
    if (status == PAIMON_OK && request->batch_rows > 0) {
        status = paimon_read_set_batch_rows(read, request->batch_rows, err);
    }
    if (status == PAIMON_OK) {
        int64_t threads = request->threads > 0 ? request->threads : cli_default_threads();
        status = paimon_read_set_threads(read, threads > INT32_MAX ? INT32_MAX : (int32_t)threads, err);
    }
    return status;
}

/* The splits in files, in the order of the files. -1, or the exit code. */
static int load_splits(const cli_texts *files, paimon_split **splits)
{
    int code = -1;
    for (size_t i = 0; code < 0 && i < files->n; i++) {
        paimon_error err = PAIMON_ERROR_INIT;
        cli_text bytes = { 0 };
        if (!cli_read_file(NAME, files->items[i], &bytes)) {
            code = CLI_FAILED;
        } else if (paimon_split_deserialize(NULL, bytes.data, bytes.size, &splits[i], &err) != PAIMON_OK) {
            code = cli_fail_data(NAME, files->items[i], &err);
        }
        cli_text_free(&bytes);
    }
    return code;
}

static int open_split_stream(const paimon_read *read, const cli_texts *files, struct ArrowArrayStream *stream)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_split **splits = calloc(files->n, sizeof *splits);
    if (splits == NULL) {
        cli_complain(NAME, "out of memory");
        return CLI_FAILED;
    }
    int code = load_splits(files, splits);
    if (code < 0 && paimon_read_splits(read, splits, files->n, stream, &err) != PAIMON_OK) {
        code = cli_fail(NAME, &err);
    }
    for (size_t i = 0; i < files->n; i++) {
        paimon_split_free(splits[i]);
    }
    free(splits);
    return code;
}

/* One file, encoded by as many threads as decode. As for the other formats a file that is there is replaced, and no folder is made. */
static int write_parquet(struct ArrowArrayStream *stream, const read_request *request)
{
    if (!cli_output_has_folder(NAME, request->output)) {
        stream->release(stream);
        return CLI_FAILED;
    }
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_format_write_options options = PAIMON_FORMAT_WRITE_OPTIONS_INIT;
    int64_t threads = request->threads > 0 ? request->threads : cli_default_threads();
    options.format = "parquet";
    options.options = request->target.options.items;
    options.n_options = request->target.options.n;
    options.n_threads = threads > 256 ? 256 : (int32_t)threads;
    options.replace = 1;
    return paimon_format_write(NULL, request->output, stream, &options, NULL, &err) == PAIMON_OK ? CLI_DONE : cli_fail(NAME, &err);
}

/* The handle outlives the stream, which ends inside. */
static int drain(struct ArrowArrayStream *stream, const read_request *request)
{
    paimon_reader *reader = NULL;
    rows_format form = forms[request->format.chosen];
    if (request->stats && paimon_reader_of(stream, &reader, NULL) != PAIMON_OK) {
        reader = NULL;
    }
    int code = form == ROWS_PARQUET ? write_parquet(stream, request) : rows_drain(NAME, stream, form, request->output);
    cli_stats_read(reader);
    paimon_reader_free(reader);
    return code;
}

static int read_table(paimon_table *table, const read_request *request, char **names, size_t n_names)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_predicate *predicate = NULL;
    paimon_plan *plan = NULL;
    paimon_read *read = NULL;
    struct ArrowArrayStream stream = { .release = NULL };
    /* Columns and predicate are checked before anything is planned, so that a typing mistake is told at once. */
    int code = -1;
    if (request->query.where != NULL && paimon_predicate_parse(request->query.where, &predicate, &err) != PAIMON_OK) {
        code = cli_fail(NAME, &err);
    }
    if (code < 0 && (paimon_read_new(table, &read, &err) != PAIMON_OK || configure(read, request, predicate, names, n_names, &err) != PAIMON_OK)) {
        code = cli_fail(NAME, &err);
    }
    paimon_predicate_free(predicate);
    predicate = NULL;
    if (code < 0 && request->splits.n > 0) {
        code = open_split_stream(read, &request->splits, &stream);
    } else if (code < 0) {
        code = cli_plan(NAME, table, &request->query, &predicate, &plan);
    }
    if (code < 0 && request->splits.n == 0) {
        code = paimon_read_plan(read, plan, &stream, &err) == PAIMON_OK ? -1 : cli_fail(NAME, &err);
    }
    if (code < 0 && request->stats && plan != NULL) {
        cli_stats_scan(plan);
    }
    paimon_plan_free(plan);
    paimon_read_free(read);
    paimon_predicate_free(predicate);
    return code >= 0 ? code : drain(&stream, request);
}

int cmd_read(int argc, char **argv)
{
    read_request request = { .query = { NULL, -1 }, .format = { .words = formats } };
    const cli_option options[] = {
        { "columns", 0, CLI_TEXT, &request.columns, "a,b", "these columns in this order; a.b is a field of a row" },
        { "where", 0, CLI_TEXT, &request.query.where, "EXPR", "only rows for which it is true (docs/cli.md has the grammar)" },
        { "limit", 0, CLI_INT, &request.query.limit, "N", "at most N rows" },
        { "format", 0, CLI_CHOICE, &request.format, "F", "table, csv, jsonl, canonical, count, checksum; parquet with -O" },
        { "output", 'O', CLI_TEXT, &request.output, "FILE", "write to a file" },
        { "threads", 0, CLI_INT, &request.threads, "N", "threads that decode; default: all processors, at most 8" },
        { "batch-rows", 0, CLI_INT, &request.batch_rows, "N", "rows of a batch; default 16384" },
        { "stats", 0, CLI_FLAG, &request.stats, "", "tell on standard error what it cost and saved: manifests, files, rows, bytes, time" },
        { "split", 0, CLI_TEXTS, &request.splits, "FILE", "read these serialized splits alone; one or more" },
        CLI_TARGET_OPTIONS(request.target),
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "TABLE",
                              .about = "Reads rows of a table. TABLE is the table's directory, or db.table in a warehouse.",
                              .example = "paimon read /data/wh/db.db/orders --columns id,amount --where \"amount > 100 AND region = 'EU'\" --limit 10",
                              CLI_OPTIONS(options),
                              .min_words = 1,
                              .max_words = argc };
    const char **words = calloc((size_t)argc, sizeof *words);
    int n = 0;
    int code = words == NULL ? CLI_FAILED : cli_parse(&usage, argc, argv, words, &n);
    if (code < 0 && n > 1) {
        code = request.splits.n > 0 ? cli_add_words(&usage, &request.splits, words + 1, n - 1) : cli_unexpected_word(&usage, words[1]);
    }
    char **names = NULL;
    size_t n_names = 0;
    if (code < 0 && forms[request.format.chosen] == ROWS_PARQUET && request.output == NULL) {
        cli_complain(NAME, "--format parquet writes a file: -O says which");
        code = CLI_WRONG_USE;
    }
    if (code < 0 && !cli_split_names(NAME, request.columns, &names, &n_names)) {
        code = CLI_WRONG_USE;
    }
    paimon_table *table = NULL;
    if (code < 0) {
        code = cli_open_table(NAME, words[0], &request.target, &table);
    }
    if (code < 0) {
        code = read_table(table, &request, names, n_names);
    }
    paimon_table_free(table);
    cli_free_names(names, n_names);
    free(request.splits.items);
    free(words);
    cli_target_free(&request.target);
    return code;
}
