/* Read a table from a program: open, plan, read as Arrow batches, look at the columns.
 *
 *     read_table TABLE [WHERE]
 *
 * Prints the number of rows and, for each column of 64-bit integers, their sum. Build:
 *     cc read_table.c $(pkg-config --cflags --libs paimon-c) -o read_table
 */
#include <inttypes.h>
#include <paimon-c/paimon.h>
#include <stdio.h>
#include <string.h>

static int complain(paimon_error *err)
{
    fprintf(stderr, "read_table: %s\n", paimon_error_message(err));
    paimon_error_clear(err);
    return 1;
}

/* A column of an Arrow batch: validity bits in buffer 0 (absent when nothing is null), values in buffer 1. */
static int64_t sum_of(const struct ArrowArray *column)
{
    const uint8_t *valid = column->null_count == 0 ? NULL : column->buffers[0];
    const int64_t *values = column->buffers[1];
    uint64_t sum = 0;
    for (int64_t i = column->offset; i < column->offset + column->length; i++) {
        if (valid == NULL || (valid[i / 8] >> (i % 8) & 1) != 0) {
            sum += (uint64_t)values[i];
        }
    }
    return (int64_t)sum;
}

static int consume(struct ArrowArrayStream *stream)
{
    struct ArrowSchema schema;
    int64_t rows = 0;
    int64_t sums[64] = { 0 };
    if (stream->get_schema(stream, &schema) != 0) {
        fprintf(stderr, "read_table: %s\n", stream->get_last_error(stream));
        return 1;
    }
    for (;;) {
        struct ArrowArray batch;
        if (stream->get_next(stream, &batch) != 0) {
            fprintf(stderr, "read_table: %s\n", stream->get_last_error(stream));
            schema.release(&schema);
            return 1;
        }
        if (batch.release == NULL) {
            break; /* the end */
        }
        rows += batch.length;
        for (int64_t c = 0; c < schema.n_children && c < 64; c++) {
            if (strcmp(schema.children[c]->format, "l") == 0) {
                sums[c] = (int64_t)((uint64_t)sums[c] + (uint64_t)sum_of(batch.children[c]));
            }
        }
        batch.release(&batch);
    }
    printf("%" PRId64 " rows\n", rows);
    for (int64_t c = 0; c < schema.n_children && c < 64; c++) {
        if (strcmp(schema.children[c]->format, "l") == 0) {
            printf("sum of %s: %" PRId64 "\n", schema.children[c]->name, sums[c]);
        }
    }
    schema.release(&schema);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: read_table TABLE [WHERE]\n");
        return 2;
    }
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table *table = NULL;
    paimon_predicate *where = NULL;
    paimon_scan *scan = NULL;
    paimon_plan *plan = NULL;
    paimon_read *read = NULL;
    struct ArrowArrayStream stream = { .release = NULL };
    int code = 0;
    if (paimon_table_open(NULL, argv[1], NULL, 0, &table, &err) != PAIMON_OK ||
        (argc > 2 && paimon_predicate_parse(argv[2], &where, &err) != PAIMON_OK) || paimon_scan_new(table, &scan, &err) != PAIMON_OK ||
        paimon_scan_set_predicate(scan, where, &err) != PAIMON_OK || /* leaves out files that cannot match */
        paimon_scan_plan(scan, &plan, &err) != PAIMON_OK || paimon_read_new(table, &read, &err) != PAIMON_OK ||
        paimon_read_set_predicate(read, where, &err) != PAIMON_OK || /* keeps exactly the rows for which it is true */
        paimon_read_plan(read, plan, &stream, &err) != PAIMON_OK) {
        code = complain(&err);
    }
    /* The stream keeps what it needs, so everything else may go before it is used. */
    paimon_read_free(read);
    paimon_plan_free(plan);
    paimon_scan_free(scan);
    paimon_predicate_free(where);
    paimon_table_free(table);
    if (code == 0) {
        code = consume(&stream);
        stream.release(&stream);
    }
    return code;
}
