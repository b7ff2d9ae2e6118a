/* One way to commit for all commands. */
#include "commit_call.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int commit_call_check(const char *command, const commit_call *call)
{
    if (call->partition.n > 0 && !call->overwrite) {
        cli_complain(command, "--partition goes with --overwrite");
        return CLI_WRONG_USE;
    }
    if (call->identifier >= 0 && call->user == NULL) {
        cli_complain(command, "--commit-identifier needs --commit-user: the two together name a commit");
        return CLI_WRONG_USE;
    }
    return -1;
}

int64_t commit_call_identifier(const commit_call *call) { return call->identifier < 0 ? PAIMON_BATCH_COMMIT : call->identifier; }

paimon_status commit_call_run(const commit_call *call, paimon_commit *commit, const paimon_message_list *list, const paimon_commit_options *options,
                              paimon_commit_result *result, paimon_error *err)
{
    int64_t identifier = commit_call_identifier(call);
    if (call->overwrite) {
        return paimon_commit_overwrite(commit, call->partition.items, call->partition.n, list, identifier, options, result, err);
    }
    return call->identifier >= 0 ? paimon_commit_filter_and_append(commit, list, identifier, options, result, err)
                                 : paimon_commit_append(commit, list, identifier, options, result, err);
}

void commit_call_tell_nothing(const paimon_commit_result *result, FILE *to)
{
    fputs(result->already_committed ? "already committed: nothing was done\n" : "nothing to commit\n", to);
}

int commit_call_tell(const char *command, const paimon_commit_result *result, const paimon_message_list *list)
{
    if (result->n_snapshots == 0) {
        commit_call_tell_nothing(result, stdout);
    } else {
        printf("snapshot %" PRId64 ", %" PRId64 " rows, %" PRId64 " files\n", result->snapshot_id, paimon_message_list_rows(list),
               paimon_message_list_files(list));
    }
    /* Whoever does not see the line must not take the rows for lost, and write or commit them again. */
    if (fflush(stdout) != 0) {
        cli_complain(command, "snapshot %" PRId64 " was committed, but standard output cannot be written: %s", result->snapshot_id, strerror(errno));
        return CLI_FAILED;
    }
    return CLI_DONE;
}

void commit_call_free(commit_call *call)
{
    free(call->partition.items);
    call->partition = (cli_pairs){ NULL, 0 };
}
