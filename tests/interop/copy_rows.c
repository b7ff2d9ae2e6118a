/* The writer that the interop tests drive: rows of one table into another, through the public API.
 *
 *     copy_rows FROM TO append|dynamic|all|p=v[,q=w]     append, or overwrite the partitions that come, the table, the partition said
 *     copy_rows - TO truncate|drop:p=v[,q=w][;p=…]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paimon-c/paimon.h"

#define MAX_PAIRS 32

static paimon_error err = PAIMON_ERROR_INIT;

static void done(paimon_status status, const char *what)
{
    if (status == PAIMON_OK) return;
    fprintf(stderr, "%s: %s\n", what, paimon_error_message(&err));
    exit(status == PAIMON_UNSUPPORTED ? 3 : 1);
}
#define DO(call) done(call, #call)

static size_t pairs_of(char *text, paimon_option *pairs)
{
    size_t n = 0;
    char *rest = NULL;
    for (char *pair = strtok_r(text, ",", &rest); pair && n < MAX_PAIRS; pair = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(pair, '=');
        if (!value) exit(2);
        *value = '\0';
        pairs[n++] = (paimon_option){ pair, value + 1 };
    }
    return n;
}

static paimon_message_list *copied(const char *from, paimon_table *to)
{
    paimon_table *table = NULL;
    paimon_scan *scan = NULL;
    paimon_plan *plan = NULL;
    paimon_read *read = NULL;
    paimon_write *write = NULL;
    paimon_message_list *list = NULL;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    DO(paimon_table_open(NULL, from, NULL, 0, &table, &err));
    DO(paimon_scan_new(table, &scan, &err));
    DO(paimon_scan_plan(scan, &plan, &err));
    DO(paimon_read_new(table, &read, &err));
    DO(paimon_read_plan(read, plan, &stream, &err));
    if (stream.get_schema(&stream, &schema) != 0) exit(1);
    DO(paimon_write_new(to, &schema, NULL, &write, &err));
    for (;;) {
        if (stream.get_next(&stream, &batch) != 0) {
            fprintf(stderr, "%s\n", stream.get_last_error(&stream));
            exit(1);
        }
        if (!batch.release) break;
        DO(paimon_write_batch(write, &batch, &err));
    }
    DO(paimon_write_prepare_commit(write, PAIMON_BATCH_COMMIT, &list, &err));
    stream.release(&stream);
    paimon_write_free(write);
    paimon_read_free(read);
    paimon_plan_free(plan);
    paimon_scan_free(scan);
    paimon_table_free(table);
    return list;
}

static void drop(paimon_commit *commit, char *text, paimon_commit_result *result)
{
    static paimon_option pairs[MAX_PAIRS][MAX_PAIRS];
    paimon_partition_spec specs[MAX_PAIRS];
    size_t n = 0;
    char *rest = NULL;
    for (char *spec = strtok_r(text, ";", &rest); spec && n < MAX_PAIRS; spec = strtok_r(NULL, ";", &rest), n++)
        specs[n] = (paimon_partition_spec){ pairs[n], pairs_of(spec, pairs[n]) };
    DO(paimon_commit_drop_partitions(commit, specs, n, PAIMON_BATCH_COMMIT, result, &err));
}

int main(int argc, char **argv)
{
    paimon_table *to = NULL;
    paimon_commit *commit = NULL;
    paimon_message_list *list = NULL;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    if (argc != 4) return 2;
    char *how = argv[3];
    /* "all" is an overwrite that leaves no partition alone. */
    paimon_option whole = { "dynamic-partition-overwrite", "false" };
    DO(paimon_table_open(NULL, argv[2], &whole, strcmp(how, "all") == 0 ? 1 : 0, &to, &err));
    DO(paimon_commit_new(to, NULL, &commit, &err));
    if (strcmp(argv[1], "-") != 0) list = copied(argv[1], to);
    if (!list && strcmp(how, "truncate") == 0) DO(paimon_commit_truncate(commit, PAIMON_BATCH_COMMIT, &result, &err));
    else if (!list && strncmp(how, "drop:", 5) == 0) drop(commit, how + 5, &result);
    else if (!list) return 2;
    else if (strcmp(how, "append") == 0) DO(paimon_commit_append(commit, list, PAIMON_BATCH_COMMIT, NULL, &result, &err));
    else {
        paimon_option pairs[MAX_PAIRS];
        size_t n = strcmp(how, "dynamic") == 0 || strcmp(how, "all") == 0 ? 0 : pairs_of(how, pairs);
        DO(paimon_commit_overwrite(commit, pairs, n, list, PAIMON_BATCH_COMMIT, NULL, &result, &err));
    }
    printf("%lld\n", (long long)result.snapshot_id);
    paimon_message_list_free(list);
    paimon_commit_free(commit);
    paimon_table_free(to);
    return 0;
}
