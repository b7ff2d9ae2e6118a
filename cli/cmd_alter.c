/* paimon alter, rename, drop, truncate: what changes a table without reading its rows. Of a renamed table nothing is read at all, so it takes
 * no options of a table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* -------------------------------------------------------------------- removal */

static void tell_snapshot(const paimon_commit_result *result)
{
    if (result->snapshot_id > 0) {
        printf("snapshot %lld\n", (long long)result->snapshot_id);
    } else {
        printf("nothing to do\n");
    }
}

static int commit_removal(const char *command, const char *name, const cli_target *target, const char *user, const cli_pairs *partition)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table *table = NULL;
    paimon_commit *commit = NULL;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    int code = cli_open_table(command, name, target, &table);
    if (code < 0) {
        paimon_status status = paimon_commit_new(table, user, &commit, &err);
        if (status == PAIMON_OK && partition != NULL) {
            paimon_partition_spec spec = { partition->items, partition->n };
            status = paimon_commit_drop_partitions(commit, &spec, 1, PAIMON_BATCH_COMMIT, &result, &err);
        } else if (status == PAIMON_OK) {
            status = paimon_commit_truncate(commit, PAIMON_BATCH_COMMIT, &result, &err);
        }
        code = status == PAIMON_OK ? CLI_DONE : cli_fail(command, &err);
    }
    if (code == CLI_DONE) {
        tell_snapshot(&result);
    }
    paimon_commit_free(commit);
    paimon_table_free(table);
    return code;
}

int cmd_truncate(int argc, char **argv)
{
    static const char NAME[] = "truncate";
    cli_target target = { .warehouse = NULL };
    const char *user = NULL;
    const cli_option options[] = {
        { "commit-user", 0, CLI_TEXT, &user, "USER", "who commits; default: a random name" },
        CLI_TARGET_OPTIONS(target),
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "TABLE",
                              .about = "Takes all rows out of a table, as a new snapshot. Older snapshots keep theirs.",
                              .example = "paimon truncate /data/wh/shop.db/orders",
                              CLI_OPTIONS(options) };
    const char *name = NULL;
    int code = cli_parse_word(&usage, argc, argv, &name);
    code = code < 0 ? commit_removal(NAME, name, &target, user, NULL) : code;
    cli_target_free(&target);
    return code;
}

/* ----------------------------------------------------------------------- drop */

int cmd_drop(int argc, char **argv)
{
    static const char NAME[] = "drop";
    cli_target target = { .warehouse = NULL };
    cli_pairs partition = { NULL, 0 };
    bool if_exists = false;
    const cli_option options[] = {
        { "partition", 0, CLI_PARTITION, &partition, "p=v,…", "only the rows of this partition, as a new snapshot; the table stays" },
        { "if-exists", 0, CLI_FLAG, &if_exists, "", "a table that is not there is no failure" },
        CLI_TARGET_OPTIONS(target),
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "TABLE",
                              .about = "Drops a table: its whole directory, data and history, at once and for good. A link is removed, not what it points at. With\n"
                                       "--partition, takes the rows of one partition (or of all that have the given values) out of the table as a new snapshot.\n"
                                       "A path must end in database.db/table.",
                              .example = "paimon drop shop.orders --warehouse /data/wh --partition day=2024-01-01",
                              CLI_OPTIONS(options) };
    const char *name = NULL;
    int code = cli_parse_word(&usage, argc, argv, &name);
    if (code < 0 && partition.n > 0) {
        code = commit_removal(NAME, name, &target, NULL, &partition);
    } else if (code < 0 && target.options.n > 0) {
        cli_complain(NAME, "-o goes with --partition: a table that is dropped is not opened");
        code = CLI_WRONG_USE;
    } else if (code < 0 && target.branch != NULL) {
        code = cli_not_yet(NAME, "--branch");
    } else if (code < 0) {
        paimon_error err = PAIMON_ERROR_INIT;
        cli_table_name where;
        code = cli_name_table(NAME, name, &target, &where);
        if (code < 0) {
            code = paimon_catalog_drop_table(where.catalog, where.database, where.table, if_exists, &err) == PAIMON_OK ? CLI_DONE : cli_fail(NAME, &err);
            cli_table_name_free(&where);
        }
    }
    free(partition.items);
    cli_target_free(&target);
    return code;
}

/* --------------------------------------------------------------------- rename */

int cmd_rename(int argc, char **argv)
{
    static const char NAME[] = "rename";
    cli_target target = { .warehouse = NULL };
    const cli_option options[] = { CLI_NAME_OPTIONS(target) };
    const cli_usage usage = { .name = NAME,
                              .arguments = "TABLE NEW",
                              .about = "Renames a table inside its warehouse. NEW is a table's name, or database.table.",
                              .example = "paimon rename shop.orders old_orders --warehouse /data/wh",
                              CLI_OPTIONS(options),
                              .min_words = 2,
                              .max_words = 2 };
    const char *words[2] = { NULL, NULL };
    int n = 0;
    int code = cli_parse(&usage, argc, argv, words, &n);
    cli_table_name where = { NULL, NULL, NULL };
    if (code < 0 && target.branch != NULL) {
        code = cli_not_yet(NAME, "--branch");
    }
    if (code < 0) {
        code = cli_name_table(NAME, words[0], &target, &where);
    }
    if (code < 0) {
        paimon_error err = PAIMON_ERROR_INIT;
        char *database = strdup(words[1]);
        char *dot = database != NULL ? strchr(database, '.') : NULL;
        const char *table = dot != NULL ? dot + 1 : words[1];
        if (dot != NULL) {
            *dot = '\0';
        }
        paimon_status status = paimon_catalog_rename_table(where.catalog, where.database, where.table, dot != NULL ? database : where.database, table, &err);
        code = status == PAIMON_OK ? CLI_DONE : cli_fail(NAME, &err);
        free(database);
        cli_table_name_free(&where);
    }
    cli_target_free(&target);
    return code;
}

/* ---------------------------------------------------------------------- alter */

static int set_options(const char *name, const cli_target *target, const cli_pairs *set, const char *unset)
{
    static const char NAME[] = "alter";
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table *table = NULL;
    char **names = NULL;
    size_t n = 0;
    int code = cli_split_names(NAME, unset, &names, &n) ? -1 : CLI_WRONG_USE;
    paimon_option *changes = code < 0 ? calloc(set->n + n + 1, sizeof *changes) : NULL;
    if (changes != NULL) {
        code = cli_open_table(NAME, name, target, &table);
        for (size_t i = 0; i < set->n; i++) {
            changes[i] = set->items[i];
        }
        for (size_t i = 0; i < n; i++) {
            changes[set->n + i] = (paimon_option){ names[i], NULL };
        }
    }
    if (code < 0 && changes != NULL) {
        code = paimon_table_set_options(table, changes, set->n + n, &err) == PAIMON_OK ? CLI_DONE : cli_fail(NAME, &err);
    }
    paimon_table_free(table);
    free(changes);
    cli_free_names(names, n);
    return code < 0 ? CLI_FAILED : code;
}

int cmd_alter(int argc, char **argv)
{
    static const char NAME[] = "alter";
    static const char *const names[] = { "add-column", "drop-column", "rename-column", "change-type", "comment" };
    const char *later[5] = { NULL, NULL, NULL, NULL, NULL };
    cli_target target = { .warehouse = NULL };
    cli_pairs set = { NULL, 0 };
    const char *unset = NULL;
    const cli_option options[] = {
        { "set", 0, CLI_PAIRS, &set, "KEY=VALUE", "set an option of the table; may be repeated" },
        { "unset", 0, CLI_TEXT, &unset, "KEY,…", "remove options of the table" },
        { names[0], 0, CLI_TEXT, &later[0], "…", "not supported yet" },
        { names[1], 0, CLI_TEXT, &later[1], "…", "not supported yet" },
        { names[2], 0, CLI_TEXT, &later[2], "…", "not supported yet" },
        { names[3], 0, CLI_TEXT, &later[3], "…", "not supported yet" },
        { names[4], 0, CLI_TEXT, &later[4], "…", "not supported yet" },
        CLI_TARGET_OPTIONS(target),
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "TABLE",
                              .about = "Changes options of a table, as a new version of its schema.",
                              .example = "paimon alter /data/wh/shop.db/orders --set target-file-size=64mb",
                              CLI_OPTIONS(options) };
    const char *name = NULL;
    int code = cli_parse_word(&usage, argc, argv, &name);
    for (size_t i = 0; i < 5 && code < 0; i++) {
        char feature[32];
        snprintf(feature, sizeof feature, "--%s", names[i]);
        code = later[i] != NULL ? cli_not_yet(NAME, feature) : -1;
    }
    if (code < 0 && set.n == 0 && unset == NULL) {
        cli_complain(NAME, "nothing to change: --set or --unset is wanted");
        code = CLI_WRONG_USE;
    }
    code = code < 0 ? set_options(name, &target, &set, unset) : code;
    free(set.items);
    cli_target_free(&target);
    return code;
}
