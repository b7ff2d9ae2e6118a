/* Manifest lists and index manifests, new and old. tests/data/avro/make.py wrote them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/env.h"
#include "meta/manifest/entries.h"
#include "meta/snapshot/snapshot.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"

static paimon_error err = PAIMON_ERROR_INIT;

static void must(paimon_status status)
{
    if (status != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
}

static paimon_fs *disk(void)
{
    paimon_fs *fs;
    must(pmn_env_fs(NULL, "/", &fs, &err));
    return fs;
}

static const char *data_path(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/avro/%s", PAIMON_SOURCE_DIR, name);
    return path;
}

static void a_list_of_today_has_bounds_of_buckets_levels_and_row_ids(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_manifest_file *files;
    int32_t n;
    pmn_arena_init(&arena, pmn_mem_default());
    must(pmn_manifest_list_read(&arena, disk(), data_path("manifest-list-new.avro"), -1, &files, &n, &err));
    assert_int_equal(n, 40);
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "manifest-%d", i);
        assert_string_equal(files[i].name, name);
        assert_int_equal(files[i].size, 100 + i);
        assert_int_equal(files[i].n_added, i);
        assert_int_equal(files[i].n_deleted, 2 * i);
        assert_int_equal(files[i].schema_id, i);
        assert_int_equal(files[i].min_bucket, -1);
        assert_int_equal(files[i].max_bucket, i);
        assert_int_equal(files[i].max_level, 5);
        assert_int_equal(files[i].min_row_id, i ? 10 * i : PMN_NONE);
        assert_int_equal(files[i].max_row_id, i ? 10 * i + 9 : PMN_NONE);
        assert_int_equal(pmn_load_le64(files[i].partition_stats.min.data + 12), i);
        assert_int_equal(pmn_load_le64(files[i].partition_stats.max.data + 12), i + 1);
        assert_int_equal(files[i].partition_stats.n_null_counts, 2);
        assert_int_equal(files[i].partition_stats.null_counts[0], i);
        assert_int_equal(files[i].partition_stats.null_counts[1], -1);
    }
    pmn_arena_free(&arena);
}

static void an_old_list_leaves_bounds_unknown_and_may_have_no_statistics(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_manifest_file *files;
    int32_t n;
    pmn_arena_init(&arena, pmn_mem_default());
    must(pmn_manifest_list_read(&arena, disk(), data_path("manifest-list-old.avro"), -1, &files, &n, &err));
    assert_int_equal(n, 3);
    assert_int_equal(files[1].min_bucket, PMN_NONE);
    assert_int_equal(files[1].max_level, PMN_NONE);
    assert_int_equal(files[1].min_row_id, PMN_NONE);
    assert_null(files[0].partition_stats.min.data);
    assert_int_equal(files[0].partition_stats.n_null_counts, -1);
    assert_int_equal(files[2].partition_stats.n_null_counts, 2);
    assert_int_equal(pmn_manifest_list_read(&arena, disk(), data_path("manifest-list-old.avro"), 17, &files, &n, &err), PAIMON_CORRUPT);
    pmn_arena_free(&arena);
}

static void check_index(const char *name, bool newest)
{
    pmn_arena arena;
    pmn_index_entry *e;
    int32_t n;
    pmn_arena_init(&arena, pmn_mem_default());
    must(pmn_index_manifest_read(&arena, disk(), data_path(name), &e, &n, &err));
    assert_int_equal(n, newest ? 3 : 2);
    assert_string_equal(e[0].index_type, "HASH");
    assert_string_equal(e[0].file_name, "index-0");
    assert_int_equal(e[0].n_ranges, -1);
    assert_false(e[0].has_global);
    assert_int_equal(e[0].bucket, 3);
    assert_int_equal(pmn_load_le64(e[0].partition.data + 12), 7);
    assert_int_equal(e[1].n_ranges, 20);
    for (int i = 0; i < 20; i++) {
        char file[32];
        snprintf(file, sizeof file, "data-%d.orc", i);
        assert_string_equal(e[1].ranges[i].data_file, file);
        assert_int_equal(e[1].ranges[i].offset, 1 + 50 * i);
        assert_int_equal(e[1].ranges[i].length, 50);
        assert_int_equal(e[1].ranges[i].cardinality, newest && i % 2 ? i : PMN_NONE);
    }
    if (newest) {
        assert_string_equal(e[1].external_path, "s3://b/index-1");
        assert_true(e[2].has_global);
        assert_int_equal(e[2].row_range_start, 100);
        assert_int_equal(e[2].row_range_end, 199);
        assert_int_equal(e[2].index_field_id, 4);
        assert_int_equal(e[2].n_extra_field_ids, 2);
        assert_int_equal(e[2].extra_field_ids[1], 6);
        assert_true(pmn_slice_equal(e[2].index_meta, pmn_slice_text("meta")));
        assert_null(e[2].source_meta.data);
    } else {
        assert_null(e[1].external_path);
    }
    pmn_arena_free(&arena);
}

static void index_manifests_hold_vectors_and_global_indexes(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_index_entry *entries;
    int32_t n;
    check_index("index-manifest-new.avro", true);
    check_index("index-manifest-old.avro", false);
    pmn_arena_init(&arena, pmn_mem_default());
    assert_int_equal(pmn_index_manifest_read(&arena, disk(), data_path("index-manifest-version-2.avro"), &entries, &n, &err), PAIMON_UNSUPPORTED);
    assert_int_equal(pmn_index_manifest_read(&arena, disk(), data_path("manifest-null.avro"), &entries, &n, &err), PAIMON_UNSUPPORTED);
    pmn_arena_free(&arena);
}

static void refused_allocations_end_in_nomem_without_a_leak(void **state)
{
    (void)state;
    for (int64_t fail_at = 1;; fail_at++) {
        failing_alloc failing = { fail_at, 0 };
        paimon_allocator allocator = failing_alloc_interface(&failing);
        pmn_mem *mem = pmn_mem_new(&allocator, 0);
        pmn_arena arena;
        pmn_manifest_file *files;
        pmn_index_entry *entries;
        int32_t n;
        assert_non_null(mem);
        pmn_arena_init(&arena, mem);
        paimon_status status = pmn_manifest_list_read(&arena, disk(), data_path("manifest-list-new.avro"), -1, &files, &n, NULL);
        if (status == PAIMON_OK) status = pmn_index_manifest_read(&arena, disk(), data_path("index-manifest-new.avro"), &entries, &n, NULL);
        pmn_arena_free(&arena);
        pmn_mem_release(mem);
        assert_int_equal(failing.alive, 0);
        if (status == PAIMON_OK) break;
        assert_int_equal(status, PAIMON_NOMEM);
    }
}

static paimon_status collect_bucket(void *ctx, const pmn_manifest_entry *entry, paimon_error *e)
{
    return pmn_entries_add((pmn_entries *)ctx, entry, false, NULL, e);
}

static bool keep_none(void *ctx, pmn_file_kind kind, pmn_slice partition, int32_t bucket, int32_t total_buckets)
{
    (void)ctx, (void)kind, (void)partition, (void)bucket, (void)total_buckets;
    return false;
}

static void a_set_keeps_only_manifests_that_gave_it_entries(void **state)
{
    (void)state;
    pmn_entries set;
    pmn_entries_init(&set, pmn_mem_default());
    for (int round = 0; round < 5; round++) {
        pmn_manifest *manifest;
        pmn_manifest_visitor visitor = { .ctx = &set, .wanted = PMN_ENTRY_NAME, .filter = round % 2 ? NULL : keep_none, .entry = collect_bucket };
        must(pmn_manifest_load(pmn_mem_default(), disk(), data_path("manifest-snappy.avro"), -1, &manifest, &err));
        must(pmn_entries_begin(&set, manifest, &err));
        must(pmn_manifest_visit(manifest, &visitor, &err));
        pmn_manifest_release(manifest);
    }
    assert_int_equal(set.n, 120);
    assert_int_equal(set.n_manifests, 3); /* two with entries, and the last one begun */
    assert_int_equal(set.items[0].manifest, 0);
    assert_int_equal(set.items[119].manifest, 1);
    pmn_entries_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_today_has_bounds_of_buckets_levels_and_row_ids),
        cmocka_unit_test(an_old_list_leaves_bounds_unknown_and_may_have_no_statistics),
        cmocka_unit_test(index_manifests_hold_vectors_and_global_indexes),
        cmocka_unit_test(refused_allocations_end_in_nomem_without_a_leak),
        cmocka_unit_test(a_set_keeps_only_manifests_that_gave_it_entries),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    paimon_error_clear(&err);
    return failed;
}
