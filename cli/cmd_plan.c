/* paimon plan: the splits that a read would take. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "grid.h"
#include "stats.h"

static const char NAME[] = "plan";

static const char *const formats[] = { "table", "json", "count", NULL };
enum { PLAN_TABLE, PLAN_JSON, PLAN_COUNT };

static int print_json(const paimon_plan *plan, cli_output *output)
{
    for (size_t i = 0; i < paimon_plan_n_splits(plan); i++) {
        paimon_error err = PAIMON_ERROR_INIT;
        char *json = NULL;
        if (paimon_split_json(paimon_plan_split(plan, i), &json, &err) != PAIMON_OK) {
            return cli_fail(NAME, &err);
        }
        cli_text_puts(cli_output_text(output), json);
        cli_text_putc(cli_output_text(output), '\n');
        paimon_string_free(json);
        if (!cli_output_flush_some(output)) {
            return output->closed ? CLI_DONE : CLI_FAILED;
        }
    }
    return CLI_DONE;
}

/* The bucket's folder below the table's, which tells the partition in words. */
static const char *folder_of(const paimon_split *split, const char *table_path)
{
    const char *folder = paimon_split_bucket_path(split);
    size_t n = strlen(table_path);
    return strncmp(folder, table_path, n) == 0 && folder[n] == '/' ? folder + n + 1 : folder;
}

static int print_table(const paimon_plan *plan, const paimon_table *table, cli_output *output)
{
    static const char *const names[] = { "split", "folder", "files", "rows", "bytes" };
    cli_grid grid;
    bool go_on = cli_grid_init(&grid, output, 5);
    for (size_t c = 0; go_on && c < 5; c++) {
        go_on = cli_grid_column(&grid, c, names[c], c != 1);
    }
    for (size_t i = 0; go_on && i < paimon_plan_n_splits(plan); i++) {
        const paimon_split *split = paimon_plan_split(plan, i);
        cli_text_uint(cli_grid_cell(&grid), i);
        cli_grid_end_cell(&grid);
        cli_grid_put(&grid, folder_of(split, paimon_table_path(table)));
        cli_text_uint(cli_grid_cell(&grid), paimon_split_n_files(split));
        cli_grid_end_cell(&grid);
        cli_text_int(cli_grid_cell(&grid), paimon_split_row_count(split));
        cli_grid_end_cell(&grid);
        cli_text_int(cli_grid_cell(&grid), paimon_split_size_bytes(split));
        cli_grid_end_cell(&grid);
        go_on = cli_grid_end_row(&grid);
    }
    go_on = go_on && cli_grid_finish(&grid);
    cli_grid_free(&grid);
    return go_on || output->closed ? CLI_DONE : CLI_FAILED;
}

static int print_count(const paimon_plan *plan, cli_output *output)
{
    cli_text_printf(cli_output_text(output), "{\"snapshot\": %" PRId64 ", \"splits\": %zu, \"files\": %" PRId64 "}\n", paimon_plan_snapshot_id(plan),
                    paimon_plan_n_splits(plan), paimon_plan_n_files(plan));
    return CLI_DONE;
}

static size_t split_digits(size_t n) { return n > 1000000 ? 9 : 6; }

/* The number in a name that write_splits() gives; -1 for any other name. */
static long long split_number(const char *name, size_t *digits)
{
    static const char before[] = "split-";
    size_t n = strlen(before);
    if (strncmp(name, before, n) != 0) {
        return -1;
    }
    *digits = strspn(name + n, "0123456789");
    return (*digits == 6 || *digits == 9) && name[n + *digits] == '\0' ? strtoll(name + n, NULL, 10) : -1;
}

/* Splits of an earlier, longer plan: who reads all files of the folder must not get them. */
static int remove_older(const char *folder, size_t n)
{
    DIR *dir = opendir(folder);
    int code = -1;
    for (struct dirent *entry = NULL; dir != NULL && code < 0 && (entry = readdir(dir)) != NULL;) {
        size_t digits = 0;
        long long number = split_number(entry->d_name, &digits);
        if (number < 0 || (number < (long long)n && digits == split_digits(n))) {
            continue;
        }
        if (unlinkat(dirfd(dir), entry->d_name, 0) != 0) {
            cli_complain(NAME, "%s/%s, of an earlier plan, cannot be removed: %s", folder, entry->d_name, strerror(errno));
            code = CLI_FAILED;
        }
    }
    if (dir == NULL) {
        cli_complain(NAME, "%s: %s", folder, strerror(errno));
        return CLI_FAILED;
    }
    closedir(dir);
    return code;
}

/* Names of one length, so that they sort in the plan's order. */
static int write_splits(const paimon_plan *plan, const char *folder, int32_t version)
{
    size_t n = paimon_plan_n_splits(plan);
    int code = -1;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        cli_complain(NAME, "%s: %s", folder, strerror(errno));
        return CLI_FAILED;
    }
    for (size_t i = 0; code < 0 && i < n; i++) {
        paimon_error err = PAIMON_ERROR_INIT;
        cli_text path = { 0 };
        uint8_t *bytes = NULL;
        size_t size = 0;
        cli_text_printf(&path, "%s/split-%0*zu", folder, (int)split_digits(n), i);
        if (paimon_split_serialize(paimon_plan_split(plan, i), version, &bytes, &size, &err) != PAIMON_OK) {
            code = cli_fail(NAME, &err);
        } else {
            code = cli_write_file(NAME, cli_text_string(&path), bytes, size);
        }
        paimon_bytes_free(bytes, size);
        cli_text_free(&path);
    }
    return code < 0 ? remove_older(folder, n) : code;
}

int cmd_plan(int argc, char **argv)
{
    cli_target target = { 0 };
    cli_query query = { NULL, -1 };
    cli_choice format = { .words = formats };
    const char *output_path = NULL;
    const char *splits = NULL;
    const char *columns = NULL;
    int64_t split_version = -1;
    bool stats = false;
    const cli_option options[] = {
        { "where", 0, CLI_TEXT, &query.where, "EXPR", "leave out partitions, buckets and files that cannot match" },
        { "limit", 0, CLI_INT, &query.limit, "N", "enough files for N rows will do" },
        { "columns", 0, CLI_TEXT, &columns, "a,b", "accepted as by read; a plan does not depend on it" },
        { "format", 0, CLI_CHOICE, &format, "F", "table, json (one split a line, with all file metadata), count" },
        { "output", 'O', CLI_TEXT, &output_path, "FILE", "write to a file" },
        { "splits", 0, CLI_TEXT, &splits, "DIR", "write each split's bytes to a file of this folder instead of listing them" },
        { "split-version", 0, CLI_INT, &split_version, "N", "version of those bytes: 9 (default), or 8 for Paimon Java 1.3" },
        { "stats", 0, CLI_FLAG, &stats, "", "tell on standard error what it cost and saved: manifests, entries, files, time" },
        CLI_TARGET_OPTIONS(target),
    };
    const cli_usage usage = { .name = NAME,
                              .arguments = "TABLE",
                              .about = "Lists the splits that a read of the table would take, in their order.",
                              .example = "paimon plan /data/wh/db.db/orders --where \"day = '2024-01-01'\" --format json",
                              CLI_OPTIONS(options) };
    const char *name = NULL;
    paimon_table *table = NULL;
    paimon_predicate *predicate = NULL;
    paimon_plan *plan = NULL;
    cli_output output;
    int code = cli_parse_word(&usage, argc, argv, &name);
    if (code < 0 && split_version >= 0 && (splits == NULL || split_version > INT32_MAX)) {
        cli_complain(NAME, splits == NULL ? "--split-version wants --splits" : "--split-version %" PRId64 " is none", split_version);
        code = CLI_WRONG_USE;
    }
    code = code < 0 ? cli_open_table(NAME, name, &target, &table) : code;
    code = code < 0 ? cli_plan(NAME, table, &query, &predicate, &plan) : code;
    if (code < 0 && stats) {
        cli_stats_scan(plan);
    }
    if (code < 0 && splits != NULL) {
        code = write_splits(plan, splits, split_version < 0 ? 0 : (int32_t)split_version);
        format.chosen = PLAN_COUNT;
    }
    code = code < 0 ? cli_output_open(&output, NAME, output_path) : code;
    if (code < 0) {
        code = format.chosen == PLAN_JSON    ? print_json(plan, &output)
               : format.chosen == PLAN_TABLE ? print_table(plan, table, &output)
                                             : print_count(plan, &output);
        code = cli_output_close(&output, code);
    }
    paimon_plan_free(plan);
    paimon_predicate_free(predicate);
    paimon_table_free(table);
    cli_target_free(&target);
    return code;
}
