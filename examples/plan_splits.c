/* Plan in one place, read in another: each split is read with a stream of its own, as the workers of an engine would.
 *
 *     plan_splits TABLE
 */
#include <inttypes.h>
#include <paimon-c/paimon.h>
#include <stdio.h>

static paimon_status rows_of(const paimon_read *read, paimon_split *split, int64_t *rows, paimon_error *err)
{
    struct ArrowArrayStream stream;
    paimon_status status = paimon_read_splits(read, &split, 1, &stream, err);
    *rows = 0;
    if (status != PAIMON_OK) {
        return status;
    }
    for (;;) {
        struct ArrowArray batch;
        if (stream.get_next(&stream, &batch) != 0) {
            fprintf(stderr, "plan_splits: %s\n", stream.get_last_error(&stream));
            status = PAIMON_IO;
            break;
        }
        if (batch.release == NULL) {
            break;
        }
        *rows += batch.length;
        batch.release(&batch);
    }
    stream.release(&stream);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: plan_splits TABLE\n");
        return 2;
    }
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table *table = NULL;
    paimon_scan *scan = NULL;
    paimon_plan *plan = NULL;
    paimon_read *read = NULL;
    paimon_status status = paimon_table_open(NULL, argv[1], NULL, 0, &table, &err);
    if (status == PAIMON_OK) {
        status = paimon_scan_new(table, &scan, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_scan_plan(scan, &plan, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_new(table, &read, &err);
    }
    if (status == PAIMON_OK) {
        printf("snapshot %" PRId64 ": %zu splits, %" PRId64 " files\n", paimon_plan_snapshot_id(plan), paimon_plan_n_splits(plan),
               paimon_plan_n_files(plan));
    }
    for (size_t i = 0; status == PAIMON_OK && i < paimon_plan_n_splits(plan); i++) {
        paimon_split *split = paimon_plan_split(plan, i);
        int64_t rows = 0;
        status = rows_of(read, split, &rows, &err);
        if (status == PAIMON_OK) {
            printf("split %zu: bucket %" PRId32 ", %zu files, %" PRId64 " bytes, %" PRId64 " rows\n", i, paimon_split_bucket(split),
                   paimon_split_n_files(split), paimon_split_size_bytes(split), rows);
        }
    }
    if (status != PAIMON_OK) {
        fprintf(stderr, "plan_splits: %s\n", paimon_error_message(&err));
        paimon_error_clear(&err);
    }
    paimon_read_free(read);
    paimon_plan_free(plan);
    paimon_scan_free(scan);
    paimon_table_free(table);
    return status == PAIMON_OK ? 0 : 1;
}
