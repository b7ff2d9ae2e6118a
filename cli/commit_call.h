/** What the commands that commit messages share: who commits what in whose place, and what is told of it. */
#ifndef CLI_COMMIT_CALL_H
#define CLI_COMMIT_CALL_H

#include <stdio.h>

#include "cli.h"

typedef struct commit_call {
    const char *user;
    int64_t identifier; /**< -1: none */
    bool overwrite;
    cli_pairs partition; /**< n 0: none was named */
} commit_call;

#define COMMIT_CALL_INIT { .identifier = -1 }

#define COMMIT_CALL_OPTIONS(call)                                                                                                                    \
    { "overwrite", 0, CLI_FLAG, &(call).overwrite, "", "in place of what is there: of the partitions that get rows, or of the whole table when it has none" }, \
        { "partition", 0, CLI_PARTITION, &(call).partition, "p=v,…", "with --overwrite: exactly this partition" },                                   \
        { "commit-user", 0, CLI_TEXT, &(call).user, "USER", "who commits; default: a random name" },                                                 \
    {                                                                                                                                                \
        "commit-identifier", 0, CLI_INT, &(call).identifier, "N", "number of this user's commit: the same one again does nothing"                    \
    }

/** Do the options go together? -1, or the exit code after telling why not. */
int commit_call_check(const char *command, const commit_call *call);
/** The number of the commit: the one given, or that of a batch. */
int64_t commit_call_identifier(const commit_call *call);
/** Overwrite, append, or append what is not there yet; nothing is told. */
paimon_status commit_call_run(const commit_call *call, paimon_commit *commit, const paimon_message_list *list, const paimon_commit_options *options,
                              paimon_commit_result *result, paimon_error *err);
/** Why a commit that went well made no snapshot. */
void commit_call_tell_nothing(const paimon_commit_result *result, FILE *to);
/** The one line about a commit that went well. The exit code. */
int commit_call_tell(const char *command, const paimon_commit_result *result, const paimon_message_list *list);
void commit_call_free(commit_call *call);

#endif
