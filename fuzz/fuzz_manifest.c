/* The same bytes as a manifest (planned, merged, and each entry looked at in full), a manifest list and an index manifest. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "meta/manifest/file_row.h"
#include "meta/manifest/merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static paimon_status collect(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    return pmn_entries_add((pmn_entries *)ctx, entry, true, NULL, err);
}

/* The two ways to a file's row. */
static void compare_rows(const pmn_entries *set, const pmn_entry *at, pmn_manifest_lens *lens, pmn_arena *arena, const pmn_manifest_entry *entry)
{
    pmn_buf straight, plain;
    pmn_buf_init(&straight, set->mem, PMN_BUF_NO_CEILING);
    pmn_buf_init(&plain, set->mem, PMN_BUF_NO_CEILING);
    if (pmn_entries_write_row(set, at, lens, arena, PMN_FILE_ROW_NEWEST, &straight, NULL) != PAIMON_OK ||
        pmn_file_row_write(&plain, &entry->file, PMN_FILE_ROW_NEWEST, NULL) != PAIMON_OK || straight.size != plain.size ||
        memcmp(straight.data, plain.data, plain.size) != 0)
        abort();
    pmn_buf_free(&straight);
    pmn_buf_free(&plain);
}

static void read_manifest(pmn_mem *mem, paimon_fs *fs)
{
    pmn_manifest *manifest = NULL;
    pmn_manifest_lens *lens = NULL;
    pmn_entries set;
    pmn_entries_init(&set, mem);
    if (pmn_manifest_load(mem, fs, "f", -1, &manifest, NULL) == PAIMON_OK && pmn_manifest_lens_new(mem, 1 << 20, &lens, NULL) == PAIMON_OK &&
        pmn_entries_begin(&set, manifest, NULL) == PAIMON_OK) {
        pmn_manifest_visitor visitor = { .ctx = &set, .wanted = PMN_ENTRY_ALL, .lens = lens, .entry = collect };
        paimon_status status = pmn_manifest_visit(manifest, &visitor, NULL);
        if (status == PAIMON_OK) status = pmn_entries_merge(&set, true, NULL);
        for (size_t i = 0; i < set.n && i < 100; i++) {
            pmn_arena arena;
            pmn_manifest_entry entry;
            pmn_arena_init(&arena, mem);
            /* What was visited can be looked at again. */
            if (pmn_entries_detail(&set, &set.items[i], lens, &arena, &entry, NULL) != PAIMON_OK) abort();
            compare_rows(&set, &set.items[i], lens, &arena, &entry);
            pmn_arena_free(&arena);
        }
    }
    pmn_entries_free(&set);
    pmn_manifest_lens_free(lens);
    pmn_manifest_release(manifest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static paimon_fs *fs;
    pmn_mem *mem = pmn_mem_default();
    pmn_arena arena;
    pmn_manifest_file *files;
    pmn_index_entry *entries;
    int32_t n;
    if (!fs && paimon_fs_memory(NULL, &fs, NULL) != PAIMON_OK) abort();
    if (pmn_fs_replace(fs, "f", data, size, NULL) != PAIMON_OK) abort();
    read_manifest(mem, fs);
    pmn_arena_init(&arena, mem);
    paimon_status list = pmn_manifest_list_read(&arena, fs, "f", -1, &files, &n, NULL);
    paimon_status index = pmn_index_manifest_read(&arena, fs, "f", &entries, &n, NULL);
    (void)list, (void)index;
    pmn_arena_free(&arena);
    return 0;
}
