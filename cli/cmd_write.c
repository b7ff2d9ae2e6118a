/* paimon write: rows from files or standard input into a table, as one snapshot. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commit_call.h"
#include "input.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"
#include "stats.h"

static const char NAME[] = "write";

enum { MAX_INPUTS = 4096, BATCH_ROWS = 8192, BATCH_BYTES = 16 << 20 };

typedef struct write_request {
    cli_target target;
    commit_call call;
    const char *format;
    const char *messages;
    int64_t message_version;
    int64_t threads;
    bool stats;
} write_request;

/* What is written so far: one list of messages an input. */
typedef struct writing {
    paimon_table *table;
    paimon_write_options options;
    paimon_message_list **lists;
    size_t n_lists;
    int64_t rows;
    cli_progress progress;
    paimon_write_metrics metrics; /* of all writers */
} writing;

static input_format format_named(const char *name)
{
    static const char *const names[] = { "csv", "jsonl", "canonical", "parquet" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return (input_format)i;
        }
    }
    return INPUT_UNKNOWN;
}

/* By the end of the name. */
static const char *guess_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot == NULL) {
        return "";
    }
    return strcmp(dot, ".json") == 0 || strcmp(dot, ".ndjson") == 0 ? "jsonl" : dot + 1;
}

/* Before the commit a signal ends the command, which takes its files away; the commit itself is not cut short. */
static int check_interrupt(void)
{
    if (!cli_interrupted()) {
        return -1;
    }
    cli_complain(NAME, "interrupted: nothing was committed");
    return CLI_FAILED;
}

/* ------------------------------------------------------------------------ text */

static int send_batch(writing *w, paimon_write *write, builder *rows)
{
    paimon_error err = PAIMON_ERROR_INIT;
    struct ArrowArray batch;
    int64_t n = rows->n;
    if (n == 0) {
        return -1;
    }
    if (!build_finish(rows, &batch)) {
        cli_complain(NAME, "out of memory");
        return CLI_FAILED;
    }
    if (paimon_write_batch(write, &batch, &err) != PAIMON_OK) {
        return cli_fail_data(NAME, NULL, &err);
    }
    w->rows += n;
    cli_progress_show(&w->progress, w->rows);
    return -1;
}

/* CHAR(n) and its like: Arrow has no lengths, the table's own types have them. */
static void set_lengths(const paimon_table *table, builder *rows)
{
    for (int64_t i = 0; i < rows->type->n_children; i++) {
        builder *column = &rows->children[i];
        char *type = NULL;
        bool bytes = column->type->kind == RENDER_BINARY, text = column->type->kind == RENDER_STRING;
        if ((bytes || text) && paimon_table_column_type(table, (size_t)i, &type, NULL) == PAIMON_OK) {
            const char *length = strchr(type, '(');
            column->most = length != NULL ? strtoll(length + 1, NULL, 10) : 0;
        }
        paimon_string_free(type);
    }
}

static int write_rows(writing *w, paimon_write *write, input *in)
{
    cli_text why = { 0 };
    int code = -1, more = input_begin(in, &why) ? 1 : -1;
    while (code < 0 && more > 0) {
        more = input_row(in, &why);
        if (in->rows->n % 64 == 0 || more < 0) {
            code = check_interrupt();
        }
        if (code < 0 && more > 0 && (in->rows->n >= BATCH_ROWS || build_bytes(in->rows) >= BATCH_BYTES)) {
            code = send_batch(w, write, in->rows);
        }
    }
    if (code < 0 && more < 0) {
        cli_complain(NAME, "%s", why.size > 0 ? cli_text_string(&why) : "out of memory");
        code = in->code;
    }
    cli_text_free(&why);
    return code < 0 ? send_batch(w, write, in->rows) : code;
}

static int write_text(writing *w, const char *path, input_format format, paimon_write **write)
{
    paimon_error err = PAIMON_ERROR_INIT;
    struct ArrowSchema schema = { .release = NULL };
    render_type type = { .kind = RENDER_NULL };
    builder rows = { .type = NULL };
    long_numbers inexact = { 0 };
    cli_text why = { 0 };
    bool standard = strcmp(path, "-") == 0;
    input in = { .file = standard ? stdin : fopen(path, "rb"), .name = standard ? "standard input" : path, .format = format, .rows = &rows, .inexact = &inexact };
    int code = -1;
    if (in.file == NULL) {
        cli_complain(NAME, "%s: %s", path, strerror(errno));
        return CLI_FAILED;
    }
    if (paimon_table_arrow_schema(w->table, &schema, &err) != PAIMON_OK) {
        code = cli_fail(NAME, &err);
    } else if (!render_type_init(&type, &schema, &why) || !build_init(&rows, &type, &inexact, &why)) {
        cli_complain(NAME, "%s", why.size > 0 ? cli_text_string(&why) : "out of memory");
        code = CLI_UNSUPPORTED;
    }
    if (code < 0 && paimon_write_new(w->table, &schema, &w->options, write, &err) != PAIMON_OK) {
        code = cli_fail(NAME, &err);
    } else if (code < 0) {
        set_lengths(w->table, &rows);
        code = write_rows(w, *write, &in);
    }
    if (code >= 0 && schema.release != NULL) {
        schema.release(&schema);
    }
    input_free(&in);
    if (rows.type != NULL) {
        build_free(&rows);
    }
    render_type_free(&type);
    long_numbers_free(&inexact);
    cli_text_free(&why);
    return code;
}

/* --------------------------------------------------------------------- parquet */

static int stream_batches(writing *w, const char *path, struct ArrowArrayStream *stream, paimon_write **write)
{
    paimon_error err = PAIMON_ERROR_INIT;
    struct ArrowSchema schema = { .release = NULL };
    int number = stream->get_schema(stream, &schema);
    if (number == 0 && paimon_write_new(w->table, &schema, &w->options, write, &err) != PAIMON_OK) {
        return cli_fail_data(NAME, path, &err);
    }
    while (number == 0) {
        struct ArrowArray batch = { .release = NULL };
        number = stream->get_next(stream, &batch);
        if (number == 0 && batch.release == NULL) {
            return -1;
        }
        int64_t n = batch.length;
        if (number == 0 && check_interrupt() >= 0) {
            batch.release(&batch);
            return CLI_FAILED;
        }
        if (number == 0 && paimon_write_batch(*write, &batch, &err) != PAIMON_OK) {
            return cli_fail_data(NAME, NULL, &err);
        }
        w->rows += n;
        cli_progress_show(&w->progress, w->rows);
    }
    const char *text = stream->get_last_error(stream);
    cli_complain(NAME, "%s", text != NULL ? text : strerror(number));
    return number == ENOTSUP ? CLI_UNSUPPORTED : CLI_FAILED;
}

static int write_file(writing *w, const char *path, paimon_write **write)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_format_options options = PAIMON_FORMAT_OPTIONS_INIT;
    struct ArrowArrayStream stream = { .release = NULL };
    options.n_threads = w->options.n_threads;
    if (strcmp(path, "-") == 0) {
        cli_complain(NAME, "Parquet cannot be read from a pipe: name a file");
        return CLI_WRONG_USE;
    }
    if (paimon_format_open(NULL, path, &options, &stream, &err) != PAIMON_OK) {
        return cli_fail(NAME, &err);
    }
    int code = stream_batches(w, path, &stream, write);
    stream.release(&stream);
    return code;
}

/* ---------------------------------------------------------------------- commit */

static int write_input(writing *w, const write_request *request, const char *path)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_write *write = NULL;
    const char *name = request->format != NULL ? request->format : guess_format(path);
    if (strcmp(name, "orc") == 0 || strcmp(name, "avro") == 0) {
        return cli_not_yet(NAME, strcmp(name, "orc") == 0 ? "--input-format orc" : "--input-format avro");
    }
    input_format format = format_named(name);
    if (format == INPUT_UNKNOWN) {
        cli_complain(NAME, "%s: which format? Give --input-format csv, jsonl, canonical or parquet", strcmp(path, "-") == 0 ? "standard input" : path);
        return CLI_WRONG_USE;
    }
    int code = format == INPUT_PARQUET ? write_file(w, path, &write) : write_text(w, path, format, &write);
    if (code < 0 && paimon_write_prepare_commit(write, commit_call_identifier(&request->call), &w->lists[w->n_lists], &err) != PAIMON_OK) {
        code = cli_fail(NAME, &err);
    }
    w->n_lists += code < 0;
    cli_stats_add(&w->metrics, write);
    paimon_write_free(write);
    return code;
}

static int commit_all(writing *w, const write_request *request, paimon_message_list *all)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_commit *commit = NULL;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    paimon_status status = paimon_commit_new(w->table, request->call.user, &commit, &err);
    if (status == PAIMON_OK) {
        status = commit_call_run(&request->call, commit, all, NULL, &result, &err);
    }
    /* Files of a commit that failed, or that an earlier run made with files of its own, are of no use; those of an unclear one stay, and
     * so do all when there is any doubt. */
    if ((status != PAIMON_OK || result.already_committed) && commit != NULL) {
        paimon_commit_abort(commit, all, NULL);
    }
    cli_progress_end(&w->progress);
    if (request->stats) {
        cli_stats_write(&w->metrics);
        if (commit != NULL) {
            cli_stats_commit(commit);
        }
    }
    int code = status == PAIMON_OK ? commit_call_tell(NAME, &result, all) : cli_fail(NAME, &err);
    paimon_commit_free(commit);
    return code;
}

/* Nothing was committed: the files go. */
static void abort_all(writing *w)
{
    paimon_commit *commit = NULL;
    if (w->n_lists > 0 && paimon_commit_new(w->table, NULL, &commit, NULL) == PAIMON_OK) {
        for (size_t i = 0; i < w->n_lists; i++) {
            paimon_commit_abort(commit, w->lists[i], NULL);
        }
    }
    paimon_commit_free(commit);
}

/* For a committer, here or elsewhere: paimon commit. */
static int leave_messages(writing *w, const write_request *request, const paimon_message_list *all)
{
    paimon_error err = PAIMON_ERROR_INIT;
    uint8_t *bytes = NULL;
    size_t n = 0;
    int code = -1;
    cli_progress_end(&w->progress);
    if (paimon_message_list_serialize(all, request->message_version < 0 ? 0 : (int32_t)request->message_version, &bytes, &n, &err) != PAIMON_OK) {
        code = cli_fail(NAME, &err);
    }
    code = code < 0 ? cli_write_file(NAME, request->messages, bytes, n) : code;
    paimon_bytes_free(bytes, n);
    if (code >= 0) {
        abort_all(w);
        return code;
    }
    if (request->stats) {
        cli_stats_write(&w->metrics);
    }
    printf("%zu messages, %" PRId64 " rows, %" PRId64 " files\n", paimon_message_list_size(all), paimon_message_list_rows(all), paimon_message_list_files(all));
    return CLI_DONE;
}

static int write_inputs(writing *w, const write_request *request, const char *const *paths, int n)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_message_list *all = NULL;
    struct ArrowArrayStream none = { .release = NULL };
    int code = -1;
    w->lists = calloc((size_t)n + 1, sizeof *w->lists);
    cli_progress_start(&w->progress, &none, false);
    for (int i = 0; i < n && code < 0 && w->lists != NULL; i++) {
        code = write_input(w, request, paths[i]);
    }
    if (code < 0 && (w->lists == NULL || paimon_message_list_concat(w->lists, w->n_lists, &all, &err) != PAIMON_OK)) {
        code = w->lists == NULL ? CLI_FAILED : cli_fail(NAME, &err);
    }
    code = code < 0 ? check_interrupt() : code;
    if (code < 0) {
        code = request->messages != NULL ? leave_messages(w, request, all) : commit_all(w, request, all);
    } else {
        cli_progress_end(&w->progress);
        abort_all(w);
    }
    for (size_t i = 0; i < w->n_lists; i++) {
        paimon_message_list_free(w->lists[i]);
    }
    paimon_message_list_free(all);
    free(w->lists);
    return code;
}

static int check_request(const write_request *request)
{
    if (request->message_version >= 0 && (request->messages == NULL || request->message_version > INT32_MAX)) {
        cli_complain(NAME, request->messages == NULL ? "--messages-version wants --messages" : "--messages-version is too large");
        return CLI_WRONG_USE;
    }
    if (request->messages != NULL && request->call.overwrite) {
        cli_complain(NAME, "--overwrite goes with the commit: paimon commit --overwrite --messages %s", request->messages);
        return CLI_WRONG_USE;
    }
    return commit_call_check(NAME, &request->call);
}

int cmd_write(int argc, char **argv)
{
    write_request request = { .call = COMMIT_CALL_INIT, .message_version = -1 };
    const cli_option options[] = {
        { "input-format", 0, CLI_TEXT, &request.format, "F", "csv, jsonl, canonical, parquet; default: by the file's name" },
        COMMIT_CALL_OPTIONS(request.call),
        { "threads", 0, CLI_INT, &request.threads, "N", "threads that encode; default: all processors, at most 8" },
        { "stats", 0, CLI_FLAG, &request.stats, "", "tell on standard error what it cost: rows, files, bytes, manifests, time" },
        { "messages", 0, CLI_TEXT, &request.messages, "FILE", "write commit messages to this file instead of committing: see paimon commit" },
        { "messages-version", 0, CLI_INT, &request.message_version, "N", "version of these messages: 13 (default), or 10 for Paimon Java 1.3" },
        CLI_TARGET_OPTIONS(request.target),
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "TABLE [INPUT...]",
                              .about = "Writes the rows of files, or of standard input (-), into a table and commits them as one snapshot.\n"
                                       "CSV begins with a line of column names; an empty field is null. JSON lines are objects, canonical ones arrays.",
                              .example = "paimon write shop.orders january.csv february.csv --warehouse /data/wh",
                              CLI_OPTIONS(options),
                              .min_words = 1,
                              .max_words = MAX_INPUTS };
    const char **words = calloc(MAX_INPUTS, sizeof *words);
    int n = 0;
    int code = words == NULL ? CLI_FAILED : cli_parse(&usage, argc, argv, words, &n);
    code = code < 0 ? check_request(&request) : code;
    writing w = { .options = PAIMON_WRITE_OPTIONS_INIT };
    w.options.n_threads = request.threads <= 0 ? cli_default_threads() : request.threads > 256 ? 256 : (int32_t)request.threads;
    if (code < 0) {
        code = cli_open_table(NAME, words[0], &request.target, &w.table);
    }
    if (code < 0 && n == 1) {
        words[n++] = "-";
    }
    if (code < 0) {
        cli_interrupt_catch();
        code = write_inputs(&w, &request, words + 1, n - 1);
    }
    paimon_table_free(w.table);
    free(words);
    commit_call_free(&request.call);
    cli_target_free(&request.target);
    if (code != CLI_DONE) {
        cli_interrupt_end();
    }
    return code;
}
