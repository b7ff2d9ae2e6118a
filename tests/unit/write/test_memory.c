/* Rows of many partitions at once: the memory of a write stays within what the table allows, files are few, and rows keep their order. */
#include "support/write_table.h"

#include "paimon-c/env.h"

#define PAB "{\"id\":0,\"name\":\"p\",\"type\":\"INT\"},{\"id\":1,\"name\":\"a\",\"type\":\"BIGINT\"},{\"id\":2,\"name\":\"b\",\"type\":\"STRING\"}"

/* What a bucket that was written to takes besides: its place and folder; and each file: what is known of it, twice when it is handed over. */
#define A_BUCKET 4000
#define A_FILE 2000
/* Freed buffers that are kept, and the batch at hand. */
#define A_WRITE (24 << 20)

static int64_t partition_of(int64_t row, int64_t n) { return row * 7919 % n; }

/* Rows [start, start + n): (partition, number, text). */
static void many_rows(test_env *t, int64_t start, int64_t n, int64_t partitions, int text, struct ArrowArray *out)
{
    pmn_buffer *none = NULL, *p[2] = { NULL, NULL }, *a[2] = { NULL, NULL }, *b[3] = { NULL, NULL, NULL };
    must(t, pmn_buffer_new(t->pool, (size_t)n * 4, &p[1], &t->err));
    must(t, pmn_buffer_new(t->pool, (size_t)n * 8, &a[1], &t->err));
    must(t, pmn_buffer_new(t->pool, (size_t)(n + 1) * 4, &b[1], &t->err));
    must(t, pmn_buffer_new(t->pool, (size_t)(n * text), &b[2], &t->err));
    ((int32_t *)(void *)b[1]->data)[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        ((int32_t *)(void *)p[1]->data)[i] = (int32_t)partition_of(start + i, partitions);
        ((int64_t *)(void *)a[1]->data)[i] = start + i;
        ((int32_t *)(void *)b[1]->data)[i + 1] = (int32_t)((i + 1) * text);
        for (int k = 0; k < text; k++) b[2]->data[i * text + k] = (uint8_t)('a' + (start + i + (k * k) % 7) % 26);
    }
    must(t, pmn_array_new(t->mem, n, 0, 1, &none, 3, out, &t->err));
    must(t, pmn_array_new(t->mem, n, 0, 2, p, 0, out->children[0], &t->err));
    must(t, pmn_array_new(t->mem, n, 0, 2, a, 0, out->children[1], &t->err));
    must(t, pmn_array_new(t->mem, n, 0, 3, b, 0, out->children[2], &t->err));
}

/* Every row once, in the order of its partition. */
static void judge_rows(write_place *p, int64_t total, int64_t partitions)
{
    read_request all = { .columns = "p,a" };
    read_parts parts = { 0 };
    struct ArrowArrayStream stream;
    int64_t *last = malloc((size_t)partitions * sizeof *last), n = 0;
    for (int64_t i = 0; i < partitions; i++) last[i] = -1;
    OK(open_stream(p->env, WRITE_ROOT, &all, &parts, &stream, err));
    for (;;) {
        struct ArrowArray batch;
        assert_int_equal(stream.get_next(&stream, &batch), 0);
        if (!batch.release) break;
        for (int64_t i = 0; i < batch.length; i++, n++) {
            int64_t partition = ((const int32_t *)batch.children[0]->buffers[1])[batch.children[0]->offset + i];
            int64_t row = ((const int64_t *)batch.children[1]->buffers[1])[batch.children[1]->offset + i];
            assert_int_equal(partition_of(row, partitions), partition);
            assert_true(row > last[partition]);
            last[partition] = row;
        }
        batch.release(&batch);
    }
    stream.release(&stream);
    read_parts_free(&parts);
    free(last);
    assert_int_equal(n, total);
}

/* With a sanitizer fewer rows and partitions, and as many bytes: each row is longer. */
#define FEWER (UNIT_SANITIZED ? 5 : 1)

typedef struct load {
    int64_t partitions, batches, batch_rows;
    int text; /* bytes a row */
    int threads;
} load;

/* The peak of memory; `files`: how many were written. */
static int64_t write_load(const char *options, const load *l, size_t *files)
{
    write_place p = write_place_new(NULL, PAB, "[\"p\"]", options);
    paimon_write_options with = PAIMON_WRITE_OPTIONS_INIT;
    struct ArrowSchema schema;
    paimon_write *write = NULL;
    int64_t before, peak;
    with.n_threads = l->threads;
    OK(paimon_table_arrow_schema(p.table, &schema, err));
    OK(paimon_write_new(p.table, &schema, &with, &write, err));
    paimon_env_memory(p.env, &before, NULL);
    for (int64_t i = 0; i < l->batches; i++) {
        struct ArrowArray batch;
        many_rows(&p.t, i * l->batch_rows, l->batch_rows, l->partitions, l->text, &batch);
        OK(paimon_write_batch(write, &batch, err));
    }
    paimon_message_list *list = prepared(write);
    paimon_env_memory(p.env, NULL, &peak);
    paimon_write_free(write);
    *files = data_files(&p);
    committed(&p, list);
    judge_rows(&p, l->batches * l->batch_rows, l->partitions);
    write_place_leave(&p);
    return peak - before;
}

static void thousands_of_partitions_stay_within_the_buffer_of_the_write(void **state)
{
    (void)state;
    load l = { .partitions = 10000 / FEWER, .batches = 10, .batch_rows = 20000 / FEWER, .text = UNIT_SANITIZED ? 350 : 60, .threads = 2 };
    size_t files;
    int64_t peak = write_load("\"bucket\":\"-1\",\"write-buffer-size\":\"16mb\"", &l, &files);
    if (peak > (16 << 20) + A_WRITE + l.partitions * A_BUCKET + (int64_t)files * A_FILE) fail_msg("%lld bytes at the peak, %zu files", (long long)peak, files);
    assert_true((int64_t)files <= 2 * l.partitions); /* 17 MB of rows through a buffer of 16, of which three quarters hold rows */
}

static void rows_that_fit_the_buffer_make_one_file_a_partition(void **state)
{
    (void)state;
    load l = { .partitions = 3000 / FEWER, .batches = 30, .batch_rows = 5000 / FEWER, .text = UNIT_SANITIZED ? 250 : 40, .threads = 1 };
    size_t files;
    write_load("\"bucket\":\"-1\"", &l, &files);
    assert_int_equal(files, l.partitions);
}

static void a_few_large_partitions_end_parts_of_files_rather_than_files(void **state)
{
    (void)state;
    load l = { .partitions = 5, .batches = UNIT_SANITIZED ? 12 : 40, .batch_rows = 20000, .text = 100, .threads = 2 };
    size_t files;
    int64_t peak = write_load("\"bucket\":\"-1\",\"write-buffer-size\":\"8mb\",\"file.compression\":\"none\"", &l, &files);
    assert_int_equal(files, 5);
    if (peak > (8 << 20) + A_WRITE + (24 << 20)) fail_msg("%lld bytes at the peak", (long long)peak);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_of_partitions_stay_within_the_buffer_of_the_write),
        cmocka_unit_test(rows_that_fit_the_buffer_make_one_file_a_partition),
        cmocka_unit_test(a_few_large_partitions_end_parts_of_files_rather_than_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
