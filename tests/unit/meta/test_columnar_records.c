/* Manifests that are no Avro: the tables that Java wrote with manifest.format = orc give the same entries by name and number as their snapshots
 * say; damaged ones are refused, and without memory nothing leaks. What their rows are is shown by reading the golden tables. */
#include "support/unit.h"

#include <dirent.h>

#include "meta/manifest/manifest.h"
#include "support/commit_table.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"

#define FOLDER "data/golden/legacy-1.2.0-manifest-orc/wh/db.db/t/manifest"

static paimon_status count_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    (void)err;
    assert_true(strncmp(entry->file.name, "data-", 5) == 0);
    assert_true(entry->file.row_count > 0 && entry->file.size > 0);
    assert_true(entry->file.creation_time_ms > INT64_C(1600000000000) && entry->file.creation_time_ms < INT64_C(2000000000000));
    ++*(int64_t *)ctx;
    return PAIMON_OK;
}

/* The n-th file of the folder that is a manifest list or, else, a manifest; malloc'ed. */
static unsigned char *nth_file(bool is_list, int n, size_t *size)
{
    char folder[3000], name[1000];
    snprintf(folder, sizeof folder, "%s/tests/" FOLDER, PAIMON_SOURCE_DIR);
    DIR *dir = opendir(folder);
    unsigned char *bytes = NULL;
    for (struct dirent *e; dir && !bytes && (e = readdir(dir)) != NULL;) {
        if (strncmp(e->d_name, "manifest-", 9) != 0 || is_list != (strncmp(e->d_name, "manifest-list-", 14) == 0) || n-- > 0) continue;
        snprintf(name, sizeof name, FOLDER "/%.255s", e->d_name);
        bytes = test_file(name, size);
    }
    if (dir) closedir(dir);
    return bytes;
}

static void lists_tell_how_many_entries_their_manifests_have(void **state)
{
    (void)state;
    int n_lists = 0, n_manifests = 0;
    size_t size;
    for (unsigned char *bytes; (bytes = nth_file(true, n_lists, &size)) != NULL; n_lists++) {
        pmn_arena arena;
        pmn_manifest_file *files;
        int32_t n;
        paimon_fs *fs = memory_files();
        assert_memory_equal(bytes, "ORC", 3);
        copy_test_folder(fs, FOLDER, "mem:/m");
        put_file(fs, "mem:/list", bytes, size);
        pmn_arena_init(&arena, pmn_mem_default());
        OK(pmn_manifest_list_read(&arena, fs, "mem:/list", (int64_t)size, &files, &n, err));
        for (int32_t i = 0; i < n; i++, n_manifests++) {
            char path[4096];
            int64_t seen = 0;
            pmn_manifest_visitor visitor = { .ctx = &seen, .wanted = PMN_ENTRY_ALL, .entry = count_entry };
            snprintf(path, sizeof path, "mem:/m/%s", files[i].name);
            OK(pmn_manifest_read(pmn_mem_default(), fs, path, files[i].size, &visitor, err));
            assert_int_equal(seen, files[i].n_added + files[i].n_deleted);
        }
        pmn_arena_free(&arena);
        paimon_fs_free(fs);
        free(bytes);
    }
    assert_true(n_lists > 3 && n_manifests > 3);
}

static paimon_status ignore_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    (void)ctx, (void)entry, (void)err;
    return PAIMON_OK;
}

static void damaged_manifests_are_refused_or_harmless(void **state)
{
    (void)state;
    uint64_t seed = 11;
    size_t size;
    int refused = 0;
    unsigned char *bytes = nth_file(false, 0, &size);
    for (int round = 0; round < 400; round++) {
        unsigned char *copy = malloc(size);
        memcpy(copy, bytes, size);
        for (int k = 0; k < 3; k++) copy[random_below(&seed, size)] = (unsigned char)random_next(&seed);
        size_t n = round % 4 == 0 ? random_below(&seed, size) : size;
        paimon_fs *fs = memory_files();
        put_file(fs, "mem:/m", copy, n);
        pmn_manifest_visitor visitor = { .wanted = PMN_ENTRY_ALL, .entry = ignore_entry };
        refused += pmn_manifest_read(pmn_mem_default(), fs, "mem:/m", -1, &visitor, NULL) != PAIMON_OK;
        paimon_fs_free(fs);
        free(copy);
    }
    assert_true(refused > 200);
    free(bytes);
}

typedef struct stored_file {
    unsigned char *bytes;
    size_t size;
} stored_file;

static paimon_status read_stored(pmn_mem *mem, void *arg)
{
    const stored_file *file = arg;
    int64_t seen = 0;
    paimon_fs *fs = memory_files();
    pmn_manifest_visitor visitor = { .ctx = &seen, .wanted = PMN_ENTRY_ALL, .entry = count_entry };
    put_file(fs, "mem:/m", file->bytes, file->size);
    paimon_status status = pmn_manifest_read(mem, fs, "mem:/m", (int64_t)file->size, &visitor, NULL);
    paimon_fs_free(fs);
    return status;
}

static void every_refused_allocation_ends_in_nomem_without_a_leak(void **state)
{
    (void)state;
    stored_file file;
    file.bytes = nth_file(false, 0, &file.size);
    failing_alloc_sweep(read_stored, &file);
    free(file.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_tell_how_many_entries_their_manifests_have),
        cmocka_unit_test(damaged_manifests_are_refused_or_harmless),
        cmocka_unit_test(every_refused_allocation_ends_in_nomem_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
