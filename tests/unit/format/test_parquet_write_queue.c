/* Encoding ahead of the caller: whatever threads there are, whenever their owner lets them run, the file is the same byte for byte, and so is
 * what is told when the rows cannot be encoded. */
#include "arrow/array.h"
#include "format/format.h"
#include "format/parquet/file.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"
#include "support/unit.h"
#include "types/type.h"

#define PATH "/t/bucket-0/data.parquet"
#define N_BATCHES 6
#define BATCH_ROWS 41000
#define N_COLUMNS 3

/* ---- executors ---- */

typedef struct kept_task {
    void (*run)(void *arg);
    void *arg;
} kept_task;

/* Tasks are run when they come, never, or when somebody calls for them. */
typedef struct shop {
    bool refuses, waits;
    kept_task kept[256];
    int n_kept, n_taken;
} shop;

static int take_task(void *ctx, void (*run)(void *arg), void *arg)
{
    shop *s = ctx;
    if (s->refuses) return 1;
    s->n_taken++;
    if (!s->waits) run(arg);
    else s->kept[s->n_kept++] = (kept_task){ run, arg };
    return 0;
}

static pmn_executor *open_shop(pmn_mem *mem, shop *s, int n_threads)
{
    pmn_executor *executor = NULL;
    paimon_executor given = { sizeof given, take_task, n_threads, s };
    if (pmn_executor_new(mem, &given, 0, &executor, NULL) != PAIMON_OK) return NULL;
    return executor;
}

static void close_shop(shop *s, pmn_executor *executor)
{
    for (int i = 0; i < s->n_kept; i++) s->kept[i].run(s->kept[i].arg); /* long after the writers are gone */
    pmn_executor_release(executor);
}

/* ---- rows ---- */

typedef struct table_rows {
    pmn_arena arena;
    pmn_buffer_pool *pool;
    const pmn_type *row;
    struct ArrowArray batches[N_BATCHES];
} table_rows;

static pmn_buffer *new_buffer(table_rows *t, size_t n)
{
    pmn_buffer *buffer;
    assert_int_equal(pmn_buffer_new(t->pool, n, &buffer, NULL), PAIMON_OK);
    buffer->size = n;
    return buffer;
}

static void numbers(table_rows *t, int64_t n, int64_t start, int64_t factor, struct ArrowArray *out)
{
    pmn_buffer *buffers[2] = { NULL, new_buffer(t, (size_t)n * 8) };
    for (int64_t i = 0; i < n; i++) ((int64_t *)(void *)buffers[1]->data)[i] = (start + i) * factor % 1000003;
    assert_int_equal(pmn_array_new(pmn_mem_default(), n, 0, 2, buffers, 0, out, NULL), PAIMON_OK);
}

static void texts(table_rows *t, int64_t n, int64_t start, struct ArrowArray *out)
{
    char text[40];
    pmn_buffer *buffers[3] = { NULL, new_buffer(t, (size_t)(n + 1) * 4), new_buffer(t, (size_t)n * 24) };
    int32_t *offsets = (int32_t *)(void *)buffers[1]->data;
    offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        int length = snprintf(text, sizeof text, "text %lld", (long long)((start + i) * 7919 % 50021));
        memcpy(buffers[2]->data + offsets[i], text, (size_t)length);
        offsets[i + 1] = offsets[i] + length;
    }
    assert_int_equal(pmn_array_new(pmn_mem_default(), n, 0, 3, buffers, 0, out, NULL), PAIMON_OK);
}

static void make_rows(table_rows *t, int64_t batch_rows)
{
    static const char *const types[N_COLUMNS] = { "BIGINT", "STRING", "TIMESTAMP(0)" }, *const names[N_COLUMNS] = { "a", "b", "c" };
    pmn_buffer *none = NULL;
    pmn_arena_init(&t->arena, pmn_mem_default());
    t->pool = pmn_buffer_pool_new(pmn_mem_default(), 1 << 20);
    pmn_field *fields = pmn_arena_calloc(&t->arena, N_COLUMNS, sizeof *fields);
    for (int32_t i = 0; i < N_COLUMNS; i++) {
        fields[i].id = i;
        fields[i].name = names[i];
        assert_int_equal(pmn_type_parse(&t->arena, types[i], &fields[i].type, NULL), PAIMON_OK);
    }
    t->row = pmn_type_row(&t->arena, false, fields, N_COLUMNS);
    for (int64_t i = 0; i < N_BATCHES; i++) {
        struct ArrowArray *batch = &t->batches[i];
        assert_int_equal(pmn_array_new(pmn_mem_default(), batch_rows, 0, 1, &none, N_COLUMNS, batch, NULL), PAIMON_OK);
        numbers(t, batch_rows, i * batch_rows, 104729, batch->children[0]);
        texts(t, batch_rows, i * batch_rows, batch->children[1]);
        numbers(t, batch_rows, i * batch_rows, 1, batch->children[2]);
    }
}

static void free_rows(table_rows *t)
{
    for (int i = 0; i < N_BATCHES; i++) pmn_array_release(&t->batches[i]);
    pmn_buffer_pool_release(t->pool);
    pmn_arena_free(&t->arena);
}

/* ---- writing ---- */

static const char *get_setting(const void *ctx, const char *key)
{
    return strcmp(key, "file.block-size") == 0 ? (const char *)ctx : NULL;
}

static paimon_status write_all(pmn_mem *mem, paimon_fs *fs, table_rows *t, const char *block_size, pmn_executor *executor, int n_threads, paimon_error *err)
{
    pmn_format_writer *writer;
    pmn_format_written written;
    pmn_format_write_options options = { .mem = mem, .fs = fs, .path = PATH, .row = t->row, .get = get_setting, .options_ctx = block_size,
                                         .executor = executor, .n_threads = n_threads };
    PMN_TRY(pmn_format_parquet.create(&options, &writer, err));
    paimon_status status = PAIMON_OK;
    for (int i = 0; i < N_BATCHES && status == PAIMON_OK; i++) status = writer->ops->write(writer, &t->batches[i], 0, t->batches[i].length, err);
    if (status == PAIMON_OK) status = writer->ops->finish(writer, &written, err);
    pmn_format_writer_free(writer);
    return status;
}

static void write_bytes(table_rows *t, const char *block_size, pmn_executor *executor, int n_threads, pmn_buf *out)
{
    paimon_fs *fs = memory_files();
    paimon_error err = PAIMON_ERROR_INIT;
    if (write_all(pmn_mem_default(), fs, t, block_size, executor, n_threads, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    pmn_buf_init(out, pmn_mem_default(), PMN_BUF_NO_CEILING);
    assert_int_equal(pmn_fs_read_all(pmn_mem_default(), fs, PATH, SIZE_MAX / 2, out, NULL), PAIMON_OK);
    paimon_fs_free(fs);
}

static void expect_same(table_rows *t, const char *block_size, const pmn_buf *expected, pmn_executor *executor, int n_threads)
{
    pmn_buf found;
    write_bytes(t, block_size, executor, n_threads, &found);
    assert_int_equal(found.size, expected->size);
    assert_memory_equal(found.data, expected->data, expected->size);
    pmn_buf_free(&found);
}

static void no_executor_and_no_number_of_threads_changes_a_byte(void **state)
{
    (void)state;
    static const char *const sizes[] = { "100 kb", "700 kb", "128 mb" };
    table_rows t;
    make_rows(&t, BATCH_ROWS);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        pmn_buf expected;
        write_bytes(&t, sizes[i], NULL, 1, &expected);
        for (int threads = 2; threads <= 9; threads += threads == 2 ? 1 : 6) expect_same(&t, sizes[i], &expected, pmn_executor_default(), threads);
        for (int kind = 0; kind < 3; kind++) {
            shop s = { .refuses = kind == 0, .waits = kind == 1 };
            pmn_executor *executor = open_shop(pmn_mem_default(), &s, 4);
            expect_same(&t, sizes[i], &expected, executor, 4);
            if (kind > 0) assert_true(s.n_taken > 0);
            close_shop(&s, executor);
        }
        pmn_buf_free(&expected);
    }
    free_rows(&t);
}

/* ---- failures ---- */

static void tell(table_rows *t, int threads, char *out, size_t n)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_fs *fs = memory_files();
    bool exists;
    assert_int_equal(write_all(pmn_mem_default(), fs, t, "128 mb", pmn_executor_default(), threads, &err), PAIMON_INVALID);
    snprintf(out, n, "%s", paimon_error_message(&err));
    paimon_error_clear(&err);
    assert_int_equal(pmn_fs_exists(fs, PATH, &exists, NULL, NULL), PAIMON_OK);
    assert_false(exists);
    paimon_fs_free(fs);
}

/* A second that has no milliseconds in 64 bits: it is found only when the column is encoded. */
static void rows_that_cannot_be_encoded_are_told_alike_by_any_number_of_threads(void **state)
{
    (void)state;
    char alone[200], together[200];
    table_rows t;
    make_rows(&t, BATCH_ROWS);
    ((int64_t *)(uintptr_t)t.batches[2].children[2]->buffers[1])[17] = INT64_MAX / 10;
    tell(&t, 1, alone, sizeof alone);
    assert_non_null(strstr(alone, "column c"));
    for (int i = 0; i < 5; i++) {
        tell(&t, 3, together, sizeof together);
        assert_string_equal(together, alone);
    }
    free_rows(&t);
}

typedef struct attempt {
    table_rows rows;
    bool refuses;
} attempt;

static paimon_status attempt_ahead(pmn_mem *mem, void *arg)
{
    attempt *a = arg;
    shop s = { .refuses = a->refuses };
    paimon_fs *fs = memory_files();
    pmn_executor *executor = open_shop(pmn_mem_default(), &s, 2);
    paimon_status status = write_all(mem, fs, &a->rows, "60 kb", executor, 2, NULL);
    close_shop(&s, executor);
    paimon_fs_free(fs);
    return status;
}

static void a_refused_allocation_ahead_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    attempt a;
    make_rows(&a.rows, 2800);
    for (int i = 0; i < 2; i++) {
        a.refuses = i;
        failing_alloc_sweep(attempt_ahead, &a);
    }
    free_rows(&a.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_executor_and_no_number_of_threads_changes_a_byte),
        cmocka_unit_test(rows_that_cannot_be_encoded_are_told_alike_by_any_number_of_threads),
        cmocka_unit_test(a_refused_allocation_ahead_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
