/* A file system that stays with a folder, whatever becomes of the folder's name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/env.h"
#include "io/fs.h"
#include "io/fs_impl.h"
#include "io/tree.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"
#include "support/remove_tree.h"

static char base[64], table[80], other[80];

static int new_folders(void **state)
{
    (void)state;
    strcpy(base, "/tmp/paimon-pin-XXXXXX");
    if (!mkdtemp(base)) return -1;
    snprintf(table, sizeof table, "%s/t", base);
    snprintf(other, sizeof other, "%s/u", base);
    return mkdir(table, 0777);
}

static int drop_folders(void **state)
{
    (void)state;
    remove_tree(base);
    return 0;
}

static paimon_fs *pinned(const char *folder)
{
    paimon_fs *fs = NULL;
    assert_int_equal(pmn_fs_pin(pmn_mem_default(), pmn_fs_local_default(), folder, &fs, NULL), PAIMON_OK);
    return fs;
}

static bool is_there(const char *folder, const char *name)
{
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &st) == 0;
}

static const char *path_of(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", table, name);
    return path;
}

/* Each way to make, see and remove a file. */
static void use_all(paimon_fs *fs, const char *where)
{
    pmn_mem *mem = pmn_mem_default();
    paimon_publish_result result;
    pmn_output *output = NULL;
    pmn_buf bytes;
    bool exists;
    pmn_arena arena;
    const char **names;
    size_t n;
    assert_int_equal(pmn_fs_write_new(fs, path_of("a/b/one"), "1", 1, NULL), PAIMON_OK);
    assert_int_equal(pmn_fs_write_new(fs, path_of("a/b/one"), "1", 1, NULL), PAIMON_ALREADY_EXISTS);
    assert_int_equal(pmn_fs_publish(fs, path_of("s/two"), "2", 1, &result, NULL), PAIMON_OK);
    assert_int_equal(result, PAIMON_PUBLISH_CREATED);
    assert_int_equal(pmn_fs_publish(fs, path_of("s/two"), "2", 1, &result, NULL), PAIMON_OK);
    assert_int_equal(result, PAIMON_PUBLISH_EXISTS);
    assert_int_equal(pmn_fs_replace(fs, path_of("three"), "3", 1, NULL), PAIMON_OK);
    assert_int_equal(pmn_output_open(mem, fs, path_of("c/four"), &output, NULL), PAIMON_OK);
    assert_int_equal(pmn_output_write(output, "4", 1, NULL), PAIMON_OK);
    assert_int_equal(pmn_output_finish(output, NULL), PAIMON_OK);
    pmn_output_free(output);
    assert_int_equal(pmn_fs_make_directories(fs, path_of("d/e/f"), NULL), PAIMON_OK);
    assert_true(is_there(where, "a/b/one") && is_there(where, "s/two") && is_there(where, "three") && is_there(where, "c/four") && is_there(where, "d/e/f"));
    pmn_buf_init(&bytes, mem, 100);
    assert_int_equal(pmn_fs_read_all(mem, fs, path_of("s/two"), 100, &bytes, NULL), PAIMON_OK);
    assert_int_equal(bytes.size, 1);
    pmn_buf_free(&bytes);
    pmn_arena_init(&arena, mem);
    assert_int_equal(pmn_fs_names(&arena, fs, table, &names, &n, NULL), PAIMON_OK);
    assert_int_equal(n, 5);
    pmn_arena_free(&arena);
    assert_int_equal(pmn_fs_remove(fs, path_of("three"), NULL), PAIMON_OK);
    assert_int_equal(pmn_fs_exists(fs, path_of("three"), &exists, NULL, NULL), PAIMON_OK);
    assert_false(exists || is_there(where, "three"));
    for (int i = 0; i < 4; i++) {
        static const char *const trees[] = { "a", "s", "c", "d" };
        assert_int_equal(pmn_fs_remove_tree(mem, fs, path_of(trees[i]), NULL), PAIMON_OK);
        assert_false(is_there(where, trees[i]));
    }
}

static void what_was_begun_goes_with_a_renamed_folder(void **state)
{
    (void)state;
    paimon_fs *fs = pinned(table);
    pmn_output *output = NULL;
    use_all(fs, table);
    assert_int_equal(pmn_output_open(pmn_mem_default(), fs, path_of("x/begun"), &output, NULL), PAIMON_OK);
    assert_int_equal(rename(table, other), 0);
    assert_int_equal(pmn_output_write(output, "1", 1, NULL), PAIMON_OK);
    assert_int_equal(pmn_output_finish(output, NULL), PAIMON_OK);
    pmn_output_free(output);
    assert_true(is_there(other, "x/begun"));
    assert_int_equal(pmn_fs_remove_tree(pmn_mem_default(), fs, path_of("x"), NULL), PAIMON_OK);
    use_all(fs, other);
    assert_false(is_there(base, "t"));
    /* Another folder with the old name is another folder. */
    assert_int_equal(mkdir(table, 0777), 0);
    use_all(fs, other);
    assert_false(is_there(table, "d"));
    paimon_fs_free(fs);
}

static void nothing_is_made_where_the_folder_was(void **state)
{
    (void)state;
    paimon_fs *fs = pinned(table);
    paimon_publish_result result;
    pmn_output *output = NULL;
    assert_int_equal(rmdir(table), 0);
    assert_int_equal(pmn_fs_write_new(fs, path_of("a/one"), "1", 1, NULL), PAIMON_NOT_FOUND);
    assert_int_equal(pmn_fs_write_new(fs, path_of("one"), "1", 1, NULL), PAIMON_NOT_FOUND);
    assert_int_equal(pmn_fs_publish(fs, path_of("s/two"), "2", 1, &result, NULL), PAIMON_NOT_FOUND);
    assert_int_equal(pmn_fs_replace(fs, path_of("three"), "3", 1, NULL), PAIMON_NOT_FOUND);
    assert_int_equal(pmn_output_open(pmn_mem_default(), fs, path_of("c/four"), &output, NULL), PAIMON_NOT_FOUND);
    assert_int_equal(pmn_fs_make_directories(fs, path_of("d/e"), NULL), PAIMON_NOT_FOUND);
    assert_int_equal(pmn_fs_remove(fs, path_of("one"), NULL), PAIMON_OK);
    assert_false(is_there(base, "t"));
    paimon_fs_free(fs);
}

static void paths_that_only_begin_alike_lead_elsewhere(void **state)
{
    (void)state;
    char folder[100], near[100];
    snprintf(folder, sizeof folder, "file://%s//", table);
    snprintf(near, sizeof near, "%sx/one", table);
    paimon_fs *fs = pinned(folder);
    assert_int_equal(pmn_fs_write_new(fs, near, "1", 1, NULL), PAIMON_OK);
    assert_true(is_there(base, "tx/one"));
    assert_int_equal(rename(table, other), 0);
    snprintf(near, sizeof near, "file:%s///one", table);
    assert_int_equal(pmn_fs_write_new(fs, near, "1", 1, NULL), PAIMON_OK);
    assert_true(is_there(other, "one"));
    paimon_fs_free(fs);
}

static void only_folders_are_pinned_and_other_file_systems_are_left_alone(void **state)
{
    (void)state;
    paimon_fs *fs = NULL, *memory = memory_files();
    assert_int_equal(pmn_fs_pin(pmn_mem_default(), pmn_fs_local_default(), other, &fs, NULL), PAIMON_NOT_FOUND);
    put_text_file(pmn_fs_local_default(), other, "a file");
    assert_int_equal(pmn_fs_pin(pmn_mem_default(), pmn_fs_local_default(), other, &fs, NULL), PAIMON_NOT_FOUND);
    assert_int_equal(pmn_fs_pin(pmn_mem_default(), memory, "mem:/nowhere", &fs, NULL), PAIMON_OK);
    assert_ptr_equal(fs, memory);
    paimon_fs_free(fs);
    paimon_fs_free(memory);
}

static paimon_status pin_and_free(pmn_mem *mem, void *arg)
{
    paimon_fs *fs = NULL;
    PMN_TRY(pmn_fs_pin(mem, pmn_fs_local_default(), (const char *)arg, &fs, NULL));
    paimon_status status = pmn_fs_replace(fs, path_of("one"), "1", 1, NULL);
    paimon_fs_free(fs);
    return status;
}

static void every_refused_allocation_of_a_pin_is_told(void **state)
{
    (void)state;
    assert_true(failing_alloc_sweep(pin_and_free, table) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_begun_goes_with_a_renamed_folder, new_folders, drop_folders),
        cmocka_unit_test_setup_teardown(nothing_is_made_where_the_folder_was, new_folders, drop_folders),
        cmocka_unit_test_setup_teardown(paths_that_only_begin_alike_lead_elsewhere, new_folders, drop_folders),
        cmocka_unit_test_setup_teardown(every_refused_allocation_of_a_pin_is_told, new_folders, drop_folders),
        cmocka_unit_test_setup_teardown(only_folders_are_pinned_and_other_file_systems_are_left_alone, new_folders, drop_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
