/* Memory that is refused: at every single allocation while a file is opened and read, the answer is "no memory" and nothing is lost. */
#include "support/unit.h"

#include <dirent.h>
#include <errno.h>

#include "paimon-c/format.h"
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
        cmocka_unit_test(a_limit_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
