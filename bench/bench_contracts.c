/* What travels between processes, to bytes and back, in rounds: the splits of a plan, and the messages of a file (--src). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

typedef struct sent {
    uint8_t *bytes;
    size_t n;
} sent;

typedef struct timing {
    double first, least;
} timing;

static void take_time(timing *t, int round, double seconds)
{
    if (round == 0) {
        t->first = t->least = seconds;
    }
    if (seconds < t->least) {
        t->least = seconds;
    }
}

/* As by a coordinator that sends them: each is let go before the next comes. */
static paimon_status send_all_splits(const paimon_plan *plan, paimon_error *err)
{
    paimon_status status = PAIMON_OK;
    for (size_t i = 0; status == PAIMON_OK && i < paimon_plan_n_splits(plan); i++) {
        sent one = { 0 };
        status = paimon_split_serialize(paimon_plan_split(plan, i), 0, &one.bytes, &one.n, err);
        paimon_bytes_free(one.bytes, one.n);
    }
    return status;
}

static paimon_status write_all_splits(const paimon_plan *plan, sent *out, paimon_error *err)
{
    paimon_status status = PAIMON_OK;
    for (size_t i = 0; status == PAIMON_OK && i < paimon_plan_n_splits(plan); i++) {
        status = paimon_split_serialize(paimon_plan_split(plan, i), 0, &out[i].bytes, &out[i].n, err);
    }
    return status;
}

/* Each is let go before the next comes, as by a worker. */
static paimon_status read_all_splits(const sent *in, size_t n, int64_t *files, paimon_error *err)
{
    paimon_status status = PAIMON_OK;
    *files = 0;
    for (size_t i = 0; status == PAIMON_OK && i < n; i++) {
        paimon_split *split = NULL;
        status = paimon_split_deserialize(NULL, in[i].bytes, in[i].n, &split, err);
        if (status == PAIMON_OK) {
            *files += (int64_t)paimon_split_n_files(split);
        }
        paimon_split_free(split);
    }
    return status;
}

static int64_t let_go(sent *all, size_t n)
{
    int64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        total += (int64_t)all[i].n;
        paimon_bytes_free(all[i].bytes, all[i].n);
        all[i] = (sent){ 0 };
    }
    return total;
}

/* ---------------------------------------------------------------- messages */

enum { MESSAGE_FILES = 100000, LARGEST_SAMPLE = 1 << 24 };

/* What one writer left (paimon write --messages), as often as makes 100 000 files. */
static paimon_status many_messages(const char *path, paimon_message_list **out, paimon_error *err)
{
    paimon_message_list *sample = NULL;
    paimon_status status = PAIMON_IO;
    uint8_t *bytes = malloc(LARGEST_SAMPLE);
    FILE *file = fopen(path, "rb");
    size_t n = file != NULL && bytes != NULL ? fread(bytes, 1, LARGEST_SAMPLE, file) : 0;
    if (n > 0) {
        status = paimon_message_list_deserialize(NULL, paimon_commit_message_current_version(), bytes, n, &sample, err);
    }
    size_t files = status == PAIMON_OK ? (size_t)paimon_message_list_files(sample) : 0;
    size_t copies = files > 0 ? (MESSAGE_FILES + files - 1) / files : 0;
    paimon_message_list **lists = calloc(copies + 1, sizeof *lists);
    for (size_t i = 0; i < copies && lists != NULL; i++) {
        lists[i] = sample;
    }
    if (status == PAIMON_OK && lists != NULL) {
        status = paimon_message_list_concat(lists, copies, out, err);
    }
    paimon_message_list_free(sample);
    free(lists);
    free(bytes);
    if (file != NULL) {
        fclose(file);
    }
    return status;
}

static int bench_messages(const bench_options *options)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_message_list *list = NULL;
    timing to_bytes = { 0 };
    timing from_bytes = { 0 };
    size_t n = 0;
    paimon_status status = many_messages(options->src, &list, &err);
    for (int round = 0; status == PAIMON_OK && (round == 0 || round < options->rounds); round++) {
        paimon_message_list *back = NULL;
        uint8_t *bytes = NULL;
        double from = bench_cpu();
        status = paimon_message_list_serialize(list, 0, &bytes, &n, &err);
        take_time(&to_bytes, round, bench_cpu() - from);
        from = bench_cpu();
        if (status == PAIMON_OK) {
            status = paimon_message_list_deserialize(NULL, paimon_commit_message_current_version(), bytes, n, &back, &err);
        }
        take_time(&from_bytes, round, bench_cpu() - from);
        paimon_message_list_free(back);
        paimon_bytes_free(bytes, n);
    }
    if (status == PAIMON_OK) {
        printf("{\"messages\": %zu, \"files\": %" PRId64 ", \"bytes\": %zu, \"message_write_first_cpu_s\": %.6f, \"message_write_cpu_s\": %.6f, "
               "\"message_read_first_cpu_s\": %.6f, \"message_read_cpu_s\": %.6f}\n",
               paimon_message_list_size(list), paimon_message_list_files(list), n, to_bytes.first, to_bytes.least, from_bytes.first, from_bytes.least);
    }
    paimon_message_list_free(list);
    return status == PAIMON_OK ? 0 : bench_fail(&err);
}

/* From a fresh plan: nothing of its manifests is decoded yet. */
static paimon_status time_sending(paimon_table *table, int round, timing *sending, paimon_error *err)
{
    paimon_plan *plan = NULL;
    paimon_status status = bench_plan_table(table, NULL, &plan, err);
    double from = bench_cpu();
    if (status == PAIMON_OK) {
        status = send_all_splits(plan, err);
    }
    take_time(sending, round, bench_cpu() - from);
    paimon_plan_free(plan);
    return status;
}

int bench_contracts(paimon_table *table, const bench_options *options)
{
    paimon_error err = PAIMON_ERROR_INIT;
    timing sending = { 0 };
    timing to_bytes = { 0 };
    timing from_bytes = { 0 };
    int64_t files = 0;
    int64_t total = 0;
    size_t splits = 0;
    paimon_status status = PAIMON_OK;
    for (int round = 0; status == PAIMON_OK && (round == 0 || round < options->rounds); round++) {
        paimon_plan *plan = NULL;
        sent *all = NULL;
        status = time_sending(table, round, &sending, &err);
        if (status == PAIMON_OK) {
            status = bench_plan_table(table, NULL, &plan, &err);
        }
        splits = status == PAIMON_OK ? paimon_plan_n_splits(plan) : 0;
        all = calloc(splits + 1, sizeof *all);
        double from = bench_cpu();
        if (status == PAIMON_OK && all != NULL) {
            status = write_all_splits(plan, all, &err);
        }
        take_time(&to_bytes, round, bench_cpu() - from);
        from = bench_cpu();
        if (status == PAIMON_OK && all != NULL) {
            status = read_all_splits(all, splits, &files, &err);
        }
        take_time(&from_bytes, round, bench_cpu() - from);
        total = all != NULL ? let_go(all, splits) : 0;
        free(all);
        paimon_plan_free(plan);
    }
    if (status != PAIMON_OK) {
        return bench_fail(&err);
    }
    printf("{\"files\": %" PRId64 ", \"splits\": %zu, \"bytes\": %" PRId64 ", \"split_send_first_cpu_s\": %.6f, \"split_send_cpu_s\": %.6f, \"split_write_first_cpu_s\": %.6f, \"split_write_cpu_s\": %.6f, "
           "\"split_read_first_cpu_s\": %.6f, \"split_read_cpu_s\": %.6f}\n",
           files, splits, total, sending.first, sending.least, to_bytes.first, to_bytes.least, from_bytes.first, from_bytes.least);
    return options->src[0] != '\0' ? bench_messages(options) : 0;
}
