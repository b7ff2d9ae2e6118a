/* Memory that is refused: at every single allocation while a file is opened and read, the answer is "no memory" and nothing is lost. */
#include "support/unit.h"

#include <dirent.h>
#include <errno.h>

#include "format/parquet/file.h"
#include "io/env.h"
#include "paimon-c/format.h"
#include "types/type.h"
#include "support/failing_alloc.h"

static paimon_status read_file(paimon_env *env, const char *path, int64_t *rows)
{
    struct ArrowArrayStream stream;
    paimon_format_options options = PAIMON_FORMAT_OPTIONS_INIT;
    options.batch_rows = 64;
    paimon_status status = paimon_format_open(env, path, &options, &stream, NULL);
    if (status != PAIMON_OK) {
        assert_null(stream.release);
        return status;
    }
    *rows = 0;
    while (true) {
        struct ArrowArray batch;
        int code = stream.get_next(&stream, &batch);
        if (code != 0) {
            assert_int_equal(code, ENOMEM);
            assert_non_null(stream.get_last_error(&stream));
            assert_int_equal(stream.get_next(&stream, &batch), code); /* it stays failed */
            status = PAIMON_NOMEM;
            break;
        }
        if (!batch.release) break;
        *rows += batch.length;
        batch.release(&batch);
    }
    stream.release(&stream);
    return status;
}

/* Refuse the n-th allocation, n = 0, 1, 2 …, until there are no more of them. */
static int64_t refuse_each(const char *path)
{
    for (int64_t n = 0;; n++) {
        failing_alloc f = { n, 0 };
        paimon_allocator allocator = failing_alloc_interface(&f);
        paimon_env_options options = PAIMON_ENV_OPTIONS_INIT;
        paimon_env *env;
        int64_t rows = -1;
        options.allocator = &allocator;
        paimon_status status = paimon_env_new(&options, &env, NULL);
        if (status == PAIMON_OK) {
            status = read_file(env, path, &rows);
            paimon_env_free(env);
        }
        assert_int_equal(f.alive, 0);
        if (status == PAIMON_OK) {
            /* all of the file, or the refused one was never asked for */
            assert_true(rows > 0);
            if (f.until_failure > 0) return n;
            continue;
        }
        assert_int_equal(status, PAIMON_NOMEM);
        assert_true(n < 100000);
    }
}

static void every_refused_allocation_is_told(void **state)
{
    (void)state;
    const char folder[] = PAIMON_SOURCE_DIR "/fuzz/corpus/parquet";
    DIR *dir = opendir(folder);
    int files = 0;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[4200];
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        assert_true(refuse_each(path) > 20);
        files++;
    }
    closedir(dir);
    assert_true(files >= 5);
}

/* A filtered read of a file with a page index: match, prune, evaluate, gather. */
static paimon_status read_filtered(pmn_mem *mem, const char *path, const char *where, int64_t *rows)
{
    pmn_format_open_options open = { .mem = mem, .path = path, .size_bytes = -1 };
    pmn_format_file *file = NULL;
    pmn_format_reader *reader = NULL;
    pmn_buffer_pool *pool = NULL;
    struct ArrowSchema schema = { .release = NULL };
    paimon_predicate *predicate = NULL;
    const pmn_type *row;
    const pmn_pred *bound;
    pmn_arena arena;
    paimon_status status;
    *rows = 0;
    assert_int_equal(paimon_predicate_parse(where, &predicate, NULL), PAIMON_OK);
    assert_int_equal(pmn_env_fs(NULL, path, &open.fs, NULL), PAIMON_OK);
    pmn_arena_init(&arena, mem);
    PMN_GOTO(status, pmn_parquet_open(&open, &file, NULL), done);
    PMN_GOTO(status, file->ops->schema(file, &schema, NULL), done);
    PMN_GOTO(status, pmn_type_from_arrow(&arena, &schema, &row, NULL), done);
    PMN_GOTO(status, pmn_pred_bind(&arena, row, predicate, &bound, NULL), done);
    pool = pmn_buffer_pool_new(mem, 1 << 20);
    status = PAIMON_NOMEM;
    if (!pool) goto done;
    pmn_format_read_options read = { .filter = bound, .filter_schema = &schema, .batch_rows = 32, .pool = pool, .n_threads = 1, .want_positions = true };
    PMN_GOTO(status, file->ops->read(file, &read, &reader, NULL), done);
    while (true) {
        pmn_format_batch batch = { .first_row = 0 };
        PMN_GOTO(status, reader->ops->next(reader, &batch, NULL), done);
        if (!batch.array.release) break;
        *rows += batch.array.length;
        batch.array.release(&batch.array);
    }
done:
    pmn_format_reader_free(reader);
    if (pool) pmn_buffer_pool_release(pool);
    if (schema.release) schema.release(&schema);
    pmn_format_file_close(file);
    pmn_arena_free(&arena);
    paimon_predicate_free(predicate);
    return status;
}

static void a_filtered_read_tells_each_refused_allocation(void **state)
{
    (void)state;
    const char path[] = PAIMON_SOURCE_DIR "/fuzz/corpus/parquet/arrow_encodings.parquet";
    int64_t expected = 0;
    /* the file: j counts from 0; i is j * j % 97, but null at every seventh; s is 'p' and 7 j in five digits */
    for (int j = 50; j <= 90; j++) expected += (j % 7 && j * j % 97 > 10) || j == 50;
    for (int64_t n = 0;; n++) {
        failing_alloc f = { n, 0 };
        paimon_allocator allocator = failing_alloc_interface(&f);
        pmn_mem *mem = pmn_mem_new(&allocator, 0);
        int64_t rows;
        if (!mem) continue;
        paimon_status status = read_filtered(mem, path, "j BETWEEN 50 AND 90 AND (i > 10 OR s = 'p00350')", &rows);
        pmn_mem_release(mem);
        assert_int_equal(f.alive, 0);
        if (status == PAIMON_OK) {
            assert_int_equal(rows, expected);
            if (f.until_failure > 0) break;
            continue;
        }
        assert_int_equal(status, PAIMON_NOMEM);
    }
}

static void a_limit_is_kept(void **state)
{
    (void)state;
    paimon_env_options options = PAIMON_ENV_OPTIONS_INIT;
    paimon_env *env;
    int64_t rows, current, peak;
    options.memory_limit_bytes = 20000;
    assert_int_equal(paimon_env_new(&options, &env, NULL), PAIMON_OK);
    assert_int_equal(read_file(env, PAIMON_SOURCE_DIR "/fuzz/corpus/parquet/java_v2_pages.parquet", &rows), PAIMON_NOMEM);
    paimon_env_memory(env, &current, &peak);
    assert_true(peak <= 20000);
    paimon_env_free(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refused_allocation_is_told),
        cmocka_unit_test(a_filtered_read_tells_each_refused_allocation),
        cmocka_unit_test(a_limit_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
