/* The public face of committers: arguments are checked here, the work is done in the room commit. */
#include <string.h>
#include <unistd.h>

#include "commit/committer.h"
#include "io/path.h"
#include "table/table.h"

struct paimon_commit {
    paimon_table *table;
    pmn_committer *committer;
    char *object_name;
    pid_t owner; /* a forked child would write files of the names that its parent writes, and remove them when it loses */
};

/* "orders", "orders$branch_dev". */
static paimon_status name_object(paimon_commit *c, const pmn_source *source, paimon_error *err)
{
    const char *name = source->table_name ? source->table_name : pmn_path_name(source->path);
    pmn_buf text;
    pmn_buf_init(&text, source->mem, PMN_BUF_NO_CEILING);
    paimon_status status = strcmp(source->branch, "main") == 0 ? pmn_buf_append_text(&text, name, err)
                                                               : pmn_buf_printf(&text, err, "%s$branch_%s", name, source->branch);
    if (status == PAIMON_OK) {
        c->object_name = pmn_strndup(source->mem, (const char *)text.data, text.size);
        if (!c->object_name) status = pmn_fail_nomem(err, "a table's name");
    }
    pmn_buf_free(&text);
    return status;
}

paimon_status paimon_commit_new(paimon_table *table, const char *user, paimon_commit **commit, paimon_error *err)
{
    if (!table || !commit) return pmn_fail(err, PAIMON_INVALID, "paimon_commit_new: table or commit is NULL");
    *commit = NULL;
    if (user && !*user) return pmn_fail(err, PAIMON_INVALID, "paimon_commit_new: the user is empty");
    paimon_commit *c = pmn_calloc(table->source->mem, 1, sizeof *c);
    if (!c) return pmn_fail_nomem(err, "a committer");
    paimon_status status = name_object(c, table->source, err);
    if (status == PAIMON_OK) status = pmn_committer_new(table->source, user, &c->committer, err);
    if (status != PAIMON_OK) {
        pmn_strfree(table->source->mem, c->object_name);
        pmn_free(table->source->mem, c, sizeof *c);
        return status;
    }
    c->table = paimon_table_retain(table);
    c->owner = getpid();
    *commit = c;
    return PAIMON_OK;
}

void paimon_commit_free(paimon_commit *commit)
{
    if (!commit) return;
    paimon_table *table = commit->table;
    pmn_committer_free(commit->committer);
    pmn_strfree(table->source->mem, commit->object_name);
    pmn_free(table->source->mem, commit, sizeof *commit);
    paimon_table_free(table);
}

const char *paimon_commit_user(const paimon_commit *commit) { return commit ? commit->committer->user : NULL; }

/* Options of a call; NULL: the defaults. */
static paimon_status take_call(int64_t identifier, const paimon_commit_options *options, pmn_commit_call *call, bool *ignore_empty, paimon_error *err)
{
    *call = (pmn_commit_call){ .identifier = identifier, .watermark = PMN_NONE, .row_ids_from = PMN_NONE };
    *ignore_empty = false;
    if (!options) return PAIMON_OK;
    if (options->struct_size < sizeof *options)
        return pmn_fail(err, PAIMON_INVALID, "commit options of %zu bytes: start from PAIMON_COMMIT_OPTIONS_INIT", options->struct_size);
    if (options->n_properties && !options->properties) return pmn_fail(err, PAIMON_INVALID, "the properties of a commit are NULL");
    for (size_t i = 0; i < options->n_properties; i++)
        if (!options->properties[i].key || !options->properties[i].value)
            return pmn_fail(err, PAIMON_INVALID, "property %zu of a commit has no key or no value", i);
    if (options->has_watermark) call->watermark = options->watermark;
    call->properties = options->properties;
    call->n_properties = options->n_properties;
    call->check_conflicts = options->check_conflicts || options->check_row_ids;
    if (options->check_row_ids) call->row_ids_from = options->check_row_ids_from;
    *ignore_empty = options->ignore_empty;
    return PAIMON_OK;
}

/* Results are optional; what is there beyond our members is left alone. */
static paimon_status check_result(paimon_commit_result *result, paimon_error *err)
{
    if (result && result->struct_size < sizeof *result)
        return pmn_fail(err, PAIMON_INVALID, "a commit result of %zu bytes: start from PAIMON_COMMIT_RESULT_INIT", result->struct_size);
    return PAIMON_OK;
}

static void give_result(paimon_commit_result *result, const paimon_commit_result *from)
{
    if (!result) return;
    size_t size = result->struct_size;
    *result = *from;
    result->struct_size = size;
}

static paimon_status check_call(const char *name, const paimon_commit *commit, const void *messages, paimon_error *err)
{
    if (!commit || !messages) return pmn_fail(err, PAIMON_INVALID, "%s: commit or messages are NULL", name);
    if (commit->owner == getpid()) return PAIMON_OK;
    return pmn_fail(err, PAIMON_STATE, "%s: this committer belongs to process %lld, which forked: make another one", name, (long long)commit->owner);
}

/* What is told of the last call starts anew. */
static int64_t begin(paimon_commit *commit)
{
    pmn_prepared_clear(commit->committer);
    commit->committer->metrics = (paimon_commit_metrics)PAIMON_COMMIT_METRICS_INIT;
    return pmn_monotonic_us();
}

static void finish(paimon_commit *commit, int64_t started_us)
{
    commit->committer->metrics.time_us = pmn_monotonic_us() - started_us;
}

static paimon_status commit_list(const char *name, paimon_commit *commit, const paimon_message_list *messages, int64_t identifier,
                                 const paimon_commit_options *options, bool filter, paimon_commit_result *result, paimon_error *err)
{
    pmn_commit_call call;
    bool ignore_empty;
    paimon_commit_result mine = PAIMON_COMMIT_RESULT_INIT;
    PMN_TRY(check_call(name, commit, messages, err));
    PMN_TRY(check_result(result, err));
    PMN_TRY(take_call(identifier, options, &call, &ignore_empty, err));
    int64_t started = begin(commit);
    paimon_status status = filter ? pmn_commit_filtered(commit->committer, messages, &call, ignore_empty, &mine, err)
                                  : pmn_commit_messages(commit->committer, messages, &call, ignore_empty, &mine, err);
    finish(commit, started);
    give_result(result, &mine);
    return status;
}

paimon_status paimon_commit_append(paimon_commit *commit, const paimon_message_list *messages, int64_t identifier,
                                   const paimon_commit_options *options, paimon_commit_result *result, paimon_error *err)
{
    return commit_list("paimon_commit_append", commit, messages, identifier, options, false, result, err);
}

paimon_status paimon_commit_filter_and_append(paimon_commit *commit, const paimon_message_list *messages, int64_t identifier,
                                              const paimon_commit_options *options, paimon_commit_result *result, paimon_error *err)
{
    return commit_list("paimon_commit_filter_and_append", commit, messages, identifier, options, true, result, err);
}

paimon_status paimon_commit_overwrite(paimon_commit *commit, const paimon_option *partition, size_t n_partition, const paimon_message_list *messages,
                                      int64_t identifier, const paimon_commit_options *options, paimon_commit_result *result, paimon_error *err)
{
    pmn_commit_call call;
    bool ignore_empty;
    paimon_commit_result mine = PAIMON_COMMIT_RESULT_INIT;
    PMN_TRY(check_call("paimon_commit_overwrite", commit, messages, err));
    if (n_partition && !partition) return pmn_fail(err, PAIMON_INVALID, "paimon_commit_overwrite: partition is NULL");
    PMN_TRY(check_result(result, err));
    PMN_TRY(take_call(identifier, options, &call, &ignore_empty, err));
    int64_t started = begin(commit);
    paimon_status status = pmn_commit_overwrite(commit->committer, partition, n_partition, messages, &call, &mine, err);
    finish(commit, started);
    give_result(result, &mine);
    return status;
}

paimon_status paimon_commit_truncate(paimon_commit *commit, int64_t identifier, paimon_commit_result *result, paimon_error *err)
{
    pmn_commit_call call = { .identifier = identifier, .watermark = PMN_NONE, .row_ids_from = PMN_NONE };
    paimon_commit_result mine = PAIMON_COMMIT_RESULT_INIT;
    PMN_TRY(check_call("paimon_commit_truncate", commit, commit, err));
    PMN_TRY(check_result(result, err));
    int64_t started = begin(commit);
    paimon_status status = pmn_commit_truncate(commit->committer, &call, &mine, err);
    finish(commit, started);
    give_result(result, &mine);
    return status;
}

paimon_status paimon_commit_drop_partitions(paimon_commit *commit, const paimon_partition_spec *specs, size_t n, int64_t identifier,
                                            paimon_commit_result *result, paimon_error *err)
{
    pmn_commit_call call = { .identifier = identifier, .watermark = PMN_NONE, .row_ids_from = PMN_NONE };
    paimon_commit_result mine = PAIMON_COMMIT_RESULT_INIT;
    if (!commit || (n && !specs)) return pmn_fail(err, PAIMON_INVALID, "paimon_commit_drop_partitions: commit or specs are NULL");
    for (size_t i = 0; i < n; i++)
        if (specs[i].n && !specs[i].pairs) return pmn_fail(err, PAIMON_INVALID, "paimon_commit_drop_partitions: the pairs of spec %zu are NULL", i);
    PMN_TRY(check_call("paimon_commit_drop_partitions", commit, commit, err));
    PMN_TRY(check_result(result, err));
    int64_t started = begin(commit);
    paimon_status status = pmn_commit_drop(commit->committer, specs, n, &call, &mine, err);
    finish(commit, started);
    give_result(result, &mine);
    return status;
}

paimon_status paimon_commit_abort(paimon_commit *commit, const paimon_message_list *messages, paimon_error *err)
{
    PMN_TRY(check_call("paimon_commit_abort", commit, messages, err));
    return pmn_commit_abort(commit->committer, messages, err);
}

/* --- cancel, progress, metrics --- */

paimon_status paimon_commit_set_cancel(paimon_commit *commit, paimon_cancel *cancel, paimon_error *err)
{
    if (!commit) return pmn_fail(err, PAIMON_INVALID, "paimon_commit_set_cancel: commit is NULL");
    pmn_watch_set_cancel(&commit->committer->watch, cancel);
    return PAIMON_OK;
}

paimon_status paimon_commit_set_progress(paimon_commit *commit, paimon_progress_fn fn, void *ctx, paimon_error *err)
{
    if (!commit) return pmn_fail(err, PAIMON_INVALID, "paimon_commit_set_progress: commit is NULL");
    pmn_watch_set_progress(&commit->committer->watch, fn, ctx);
    return PAIMON_OK;
}

void paimon_commit_get_metrics(const paimon_commit *commit, paimon_commit_metrics *metrics)
{
    if (commit) pmn_sized_copy(metrics, &commit->committer->metrics, sizeof commit->committer->metrics);
}

/* --- the caller publishes --- */

paimon_status paimon_commit_set_prepare_only(paimon_commit *commit, bool prepare_only, paimon_error *err)
{
    if (!commit) return pmn_fail(err, PAIMON_INVALID, "paimon_commit_set_prepare_only: commit is NULL");
    commit->committer->prepare_only = prepare_only;
    return PAIMON_OK;
}

size_t paimon_commit_n_table_requests(const paimon_commit *commit) { return commit ? (size_t)commit->committer->prepared.n : 0; }
const char *paimon_commit_object_name(const paimon_commit *commit) { return commit ? commit->object_name : NULL; }

paimon_status paimon_commit_table_request(const paimon_commit *commit, size_t i, const char *table_id, char **json, paimon_error *err)
{
    if (!commit || !json) return pmn_fail(err, PAIMON_INVALID, "paimon_commit_table_request: commit or json is NULL");
    *json = NULL;
    pmn_committer *c = commit->committer;
    if (i >= (size_t)c->prepared.n) return pmn_fail(err, PAIMON_NOT_FOUND, "there is no request number %zu: the last call prepared %d", i, (int)c->prepared.n);
    pmn_buf text;
    pmn_buf_init(&text, c->source->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_prepared_request(c, (int32_t)i, table_id, &text, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_text(&text, "a commit's request", json, err);
    pmn_buf_free(&text);
    return status;
}

paimon_status paimon_commit_last_table_request(const paimon_commit *commit, const char *table_id, char **json, paimon_error *err)
{
    if (json) *json = NULL;
    size_t n = paimon_commit_n_table_requests(commit);
    if (commit && n == 0) return pmn_fail(err, PAIMON_STATE, "nothing was prepared: commit first, in the mode of paimon_commit_set_prepare_only");
    return paimon_commit_table_request(commit, n ? n - 1 : 0, table_id, json, err);
}

void paimon_commit_discard_prepared(paimon_commit *commit)
{
    if (commit && commit->owner == getpid()) pmn_prepared_discard(commit->committer);
}
