/* paimon commit, paimon abort: commit messages that writers, here or elsewhere, have put into files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commit_call.h"
#include "output.h"

enum { MAX_FILES = 4096 };

typedef struct commit_request {
    cli_target target;
    cli_texts files;
    commit_call call;
    const char *table_id;
    int64_t version;
    bool prepare_only;
} commit_request;

/* ------------------------------------------------------------------- the files */

static int read_list(const char *command, const char *path, int32_t version, paimon_message_list **list)
{
    paimon_error err = PAIMON_ERROR_INIT;
    cli_text bytes = { 0 };
    int code = cli_read_file(command, path, &bytes) ? -1 : CLI_FAILED;
    if (code < 0 && paimon_message_list_deserialize(NULL, version, bytes.data, bytes.size, list, &err) != PAIMON_OK) {
        code = cli_fail_data(command, path, &err);
    }
    cli_text_free(&bytes);
    return code;
}

/* All files as one list; -1, or the exit code. */
static int read_lists(const char *command, const commit_request *request, paimon_message_list **all)
{
    paimon_error err = PAIMON_ERROR_INIT;
    size_t n = request->files.n, n_read = 0;
    int32_t version = request->version < 0 ? paimon_commit_message_current_version() : (int32_t)request->version;
    paimon_message_list **lists = calloc(n + 1, sizeof *lists);
    int code = lists == NULL ? CLI_FAILED : -1;
    for (; n_read < n && code < 0; n_read += code < 0) {
        code = read_list(command, request->files.items[n_read], version, &lists[n_read]);
    }
    if (code < 0 && paimon_message_list_concat(lists, n, all, &err) != PAIMON_OK) {
        code = cli_fail(command, &err);
    }
    for (size_t i = 0; i < n_read; i++) {
        paimon_message_list_free(lists[i]);
    }
    free(lists);
    return code;
}

/* ------------------------------------------------------------------ the commands */

static int check_request(const char *command, const commit_request *request)
{
    if (request->files.n == 0) {
        cli_complain(command, "--messages is missing: the file that paimon write --messages, or another writer, made");
        return CLI_WRONG_USE;
    }
    if (request->version > INT32_MAX) {
        cli_complain(command, "--messages-version %" PRId64 " is none", request->version);
        return CLI_WRONG_USE;
    }
    if (request->table_id != NULL && !request->prepare_only) {
        cli_complain(command, "--table-id goes with --prepare-only");
        return CLI_WRONG_USE;
    }
    return commit_call_check(command, &request->call);
}

/* On standard output nothing but requests: whoever sends each line of it sends nothing when there is none. */
static int tell_requests(const char *command, const commit_request *request, const paimon_commit_result *result, const paimon_commit *commit)
{
    paimon_error err = PAIMON_ERROR_INIT;
    if (result->n_snapshots == 0) {
        commit_call_tell_nothing(result, stderr);
    }
    for (size_t i = 0; i < paimon_commit_n_table_requests(commit); i++) {
        char *json = NULL;
        if (paimon_commit_table_request(commit, i, request->table_id, &json, &err) != PAIMON_OK) {
            return cli_fail_data(command, NULL, &err);
        }
        puts(json);
        paimon_string_free(json);
    }
    if (fflush(stdout) != 0) {
        cli_complain(command, "standard output cannot be written: %s", strerror(errno));
        return CLI_FAILED;
    }
    return CLI_DONE;
}

static int commit_list(const char *command, const commit_request *request, paimon_table *table, const paimon_message_list *all)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_commit *commit = NULL;
    paimon_commit_options options = PAIMON_COMMIT_OPTIONS_INIT;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    options.ignore_empty = request->call.identifier < 0; /* a numbered commit leaves its number behind, whatever it holds */
    paimon_status status = paimon_commit_new(table, request->call.user, &commit, &err);
    if (status == PAIMON_OK && request->prepare_only) {
        status = paimon_commit_set_prepare_only(commit, true, &err);
    }
    if (status == PAIMON_OK) {
        status = commit_call_run(&request->call, commit, all, &options, &result, &err);
    }
    int code = status != PAIMON_OK     ? cli_fail_data(command, NULL, &err)
               : request->prepare_only ? tell_requests(command, request, &result, commit)
                                       : commit_call_tell(command, &result, all);
    paimon_commit_free(commit);
    return code;
}

static int abort_list(const char *command, const commit_request *request, paimon_table *table, const paimon_message_list *all)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_commit *commit = NULL;
    paimon_status status = paimon_commit_new(table, request->call.user, &commit, &err);
    if (status == PAIMON_OK) {
        status = paimon_commit_abort(commit, all, &err);
    }
    int code = status == PAIMON_OK ? CLI_DONE : cli_fail_data(command, NULL, &err);
    if (code == CLI_DONE) {
        printf("aborted: the files of %zu messages are gone\n", paimon_message_list_size(all));
    }
    paimon_commit_free(commit);
    return code;
}

typedef int (*list_action)(const char *command, const commit_request *request, paimon_table *table, const paimon_message_list *all);

static int run(const cli_usage *usage, int argc, char **argv, commit_request *request, list_action action)
{
    paimon_table *table = NULL;
    paimon_message_list *all = NULL;
    const char **words = calloc(MAX_FILES, sizeof *words);
    int n = 0;
    int code = words == NULL ? CLI_FAILED : cli_parse(usage, argc, argv, words, &n);
    code = code < 0 ? cli_add_words(usage, &request->files, words + 1, n - 1) : code; /* --messages one two three */
    code = code < 0 ? check_request(usage->name, request) : code;
    code = code < 0 ? cli_open_table(usage->name, words[0], &request->target, &table) : code;
    code = code < 0 ? read_lists(usage->name, request, &all) : code;
    code = code < 0 ? action(usage->name, request, table, all) : code;
    paimon_message_list_free(all);
    paimon_table_free(table);
    free(request->files.items);
    commit_call_free(&request->call);
    free(words);
    cli_target_free(&request->target);
    return code;
}

#define MESSAGE_OPTIONS(request)                                                                                                                     \
    { "messages", 0, CLI_TEXTS, &(request).files, "FILE", "commit messages, as paimon write --messages makes them; one or more" },               \
    {                                                                                                                                                \
        "messages-version", 0, CLI_INT, &(request).version, "N", "the version they are in, which they do not say: 2 to 13 (default)"                 \
    }

int cmd_commit(int argc, char **argv)
{
    commit_request request = { .call = COMMIT_CALL_INIT, .version = -1 };
    const cli_option options[] = {
        MESSAGE_OPTIONS(request),
        COMMIT_CALL_OPTIONS(request.call),
        { "prepare-only", 0, CLI_FLAG, &request.prepare_only, "", "publish nothing: print what to send to a REST catalog's …/commit, one JSON object a line" },
        { "table-id", 0, CLI_TEXT, &request.table_id, "ID", "with --prepare-only: the catalog's id of the table" },
        CLI_TARGET_OPTIONS(request.target),
    };
    const cli_usage usage = { .name = "commit",
                              .arguments = "TABLE --messages FILE...",
                              .about = "Commits what writers have written, here or on other machines, by the messages that they left: all of them as one snapshot.",
                              .example = "paimon commit shop.orders --messages one.bin --messages two.bin --warehouse /data/wh",
                              CLI_OPTIONS(options),
                              .min_words = 1,
                              .max_words = MAX_FILES };
    return run(&usage, argc, argv, &request, commit_list);
}

int cmd_abort(int argc, char **argv)
{
    commit_request request = { .call = COMMIT_CALL_INIT, .version = -1 };
    const cli_option options[] = {
        MESSAGE_OPTIONS(request),
        CLI_TARGET_OPTIONS(request.target),
    };
    const cli_usage usage = { .name = "abort",
                              .arguments = "TABLE --messages FILE...",
                              .about = "Removes the files that messages brought and that will not be committed. Nothing is removed if a snapshot or tag has one of them.",
                              .example = "paimon abort shop.orders --messages one.bin --warehouse /data/wh",
                              CLI_OPTIONS(options),
                              .min_words = 1,
                              .max_words = MAX_FILES };
    return run(&usage, argc, argv, &request, abort_list);
}
