/* Snapshots, hints, time travel, tags and branches, over small folders in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "meta/snapshot/versions.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"

static paimon_error err = PAIMON_ERROR_INIT;

typedef struct fixture {
    paimon_fs *fs;
    pmn_arena arena;
} fixture;

static void must(paimon_status status)
{
    if (status != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f) return 1;
    f->fs = memory_files();
    pmn_arena_init(&f->arena, pmn_mem_default());
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    pmn_arena_free(&f->arena);
    paimon_fs_free(f->fs);
    free(f);
    paimon_error_clear(&err);
    return 0;
}

/* `more`: further members, starting with a comma. */
static void put_snapshot(fixture *f, const char *root, int id, int64_t time_ms, const char *more)
{
    char path[256], text[1024];
    snprintf(path, sizeof path, "%s/snapshot/snapshot-%d", root, id);
    snprintf(text, sizeof text,
             "{\n  \"version\" : 3,\n  \"id\" : %d,\n  \"schemaId\" : 0,\n  \"baseManifestList\" : \"b\",\n  \"deltaManifestList\" : \"d\",\n"
             "  \"commitUser\" : \"u\",\n  \"commitIdentifier\" : 9223372036854775807,\n  \"commitKind\" : \"APPEND\",\n  \"timeMillis\" : %lld%s\n}",
             id, (long long)time_ms, more);
    put_text_file(f->fs, path, text);
}

static int64_t latest(fixture *f)
{
    int64_t id = -1;
    must(pmn_snapshot_latest_id(pmn_mem_default(), f->fs, "t", &id, &err));
    return id;
}

static int64_t earliest(fixture *f)
{
    int64_t id = -1;
    must(pmn_snapshot_earliest_id(pmn_mem_default(), f->fs, "t", &id, &err));
    return id;
}

static void hints_are_believed_only_where_they_can_be_true(void **state)
{
    fixture *f = *state;
    assert_int_equal(latest(f), 0);
    assert_int_equal(earliest(f), 0);
    for (int id = 3; id <= 11; id++) put_snapshot(f, "t", id, id, "");
    put_text_file(f->fs, "t/snapshot/snapshot-1.tmp", "{");
    put_text_file(f->fs, "t/snapshot/.snapshot-12.0a1b.tmp", "{");
    put_text_file(f->fs, "t/snapshot/snapshot-99x", "{");
    assert_int_equal(latest(f), 11);
    assert_int_equal(earliest(f), 3);
    const char *const hints[] = { "11", "5\n", " 11 ", "99", "-3", "0", "", "eleven", "99999999999999999999999", "9223372036854775807" };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        put_text_file(f->fs, "t/snapshot/LATEST", hints[i]);
        assert_int_equal(latest(f), 11);
    }
    put_text_file(f->fs, "t/snapshot/EARLIEST", "1");
    assert_int_equal(earliest(f), 3);
    put_text_file(f->fs, "t/snapshot/EARLIEST", "4"); /* exists: believed, as Java does while snapshots expire */
    assert_int_equal(earliest(f), 4);
}

static void a_snapshot_that_is_gone_says_which_there_are(void **state)
{
    fixture *f = *state;
    pmn_snapshot s;
    assert_int_equal(pmn_snapshot_load(&f->arena, f->fs, "t", 1, &s, &err), PAIMON_NOT_FOUND);
    assert_non_null(strstr(paimon_error_message(&err), "no snapshot"));
    put_snapshot(f, "t", 4, 0, "");
    put_snapshot(f, "t", 5, 0, "");
    assert_int_equal(pmn_snapshot_load(&f->arena, f->fs, "t", 1, &s, &err), PAIMON_NOT_FOUND);
    assert_non_null(strstr(paimon_error_message(&err), "4 to 5"));
    put_text_file(f->fs, "t/snapshot/snapshot-6", "{\"id\":7,\"schemaId\":0,\"commitKind\":\"APPEND\"}");
    assert_int_equal(pmn_snapshot_load(&f->arena, f->fs, "t", 6, &s, &err), PAIMON_CORRUPT);
}

/* As much of a table as finding versions needs. */
static pmn_source bare_source(fixture *f, pmn_mem *mem)
{
    return (pmn_source){ .mem = mem, .fs = f->fs, .path = "t", .root = "t", .branch = "main", .versions = &pmn_versions_of_files };
}

static int64_t at_time(fixture *f, int64_t time_ms)
{
    pmn_snapshot s;
    pmn_source source = bare_source(f, f->arena.mem);
    paimon_status status = pmn_versions_at_time(&source, &f->arena, time_ms, &s, NULL);
    assert_true(status == PAIMON_OK || status == PAIMON_NOT_FOUND);
    return status == PAIMON_OK ? s.id : -1;
}

static void a_time_finds_the_latest_snapshot_not_after_it(void **state)
{
    fixture *f = *state;
    assert_int_equal(at_time(f, 100), -1);
    for (int id = 2; id <= 9; id++) put_snapshot(f, "t", id, 1000 * id, "");
    assert_int_equal(at_time(f, 1999), -1);
    assert_int_equal(at_time(f, 2000), 2);
    assert_int_equal(at_time(f, 6999), 6);
    assert_int_equal(at_time(f, 7000), 7);
    assert_int_equal(at_time(f, INT64_MAX), 9);
}

static int64_t at_watermark(fixture *f, int64_t watermark)
{
    pmn_snapshot s;
    pmn_source source = bare_source(f, f->arena.mem);
    paimon_status status = pmn_versions_at_watermark(&source, &f->arena, watermark, &s, NULL);
    assert_true(status == PAIMON_OK || status == PAIMON_NOT_FOUND);
    return status == PAIMON_OK ? s.id : -1;
}

static void a_watermark_finds_the_earliest_snapshot_that_reached_it(void **state)
{
    fixture *f = *state;
    const char *const watermarks[] = { "", ", \"watermark\" : -9223372036854775808", ", \"watermark\" : 50", "", ", \"watermark\" : 60",
                                       ", \"watermark\" : null", ", \"watermark\" : 80" };
    for (int i = 0; i < 7; i++) put_snapshot(f, "t", i + 1, i, watermarks[i]);
    assert_int_equal(at_watermark(f, -5), 3);
    assert_int_equal(at_watermark(f, 50), 3);
    assert_int_equal(at_watermark(f, 51), 5);
    assert_int_equal(at_watermark(f, 60), 5);
    assert_int_equal(at_watermark(f, 61), 7);
    assert_int_equal(at_watermark(f, 81), -1);
}

static void every_member_is_read_and_absent_ones_are_told_apart(void **state)
{
    fixture *f = *state;
    pmn_snapshot s;
    const char *full = "{\"version\":3,\"uuid\":\"x\",\"id\":12,\"schemaId\":2,\"baseManifestList\":\"b\",\"baseManifestListSize\":1,"
                       "\"deltaManifestList\":\"d\",\"deltaManifestListSize\":2,\"changelogManifestList\":\"c\",\"changelogManifestListSize\":3,"
                       "\"indexManifest\":\"i\",\"commitUser\":\"u\",\"writerVersion\":\"w\",\"commitIdentifier\":9223372036854775807,"
                       "\"commitKind\":\"OVERWRITE\",\"timeMillis\":5,\"logOffsets\":{\"0\":1},\"totalRecordCount\":6,\"deltaRecordCount\":-7,"
                       "\"changelogRecordCount\":8,\"watermark\":9,\"statistics\":\"st\",\"properties\":{\"a\":\"1\",\"b\":\"2\"},\"nextRowId\":10,"
                       "\"operation\":\"DELETE\",\"unknown\":[{}]}";
    must(pmn_snapshot_parse(&f->arena, pmn_slice_text(full), "full", &s, &err));
    assert_string_equal(s.uuid, "x");
    assert_int_equal(s.id, 12);
    assert_int_equal(s.commit_identifier, INT64_MAX);
    assert_int_equal(s.commit_kind, PMN_COMMIT_OVERWRITE);
    assert_int_equal(s.base_manifest_list_size + s.delta_manifest_list_size + s.changelog_manifest_list_size, 6);
    assert_int_equal(s.total_record_count, 6);
    assert_int_equal(s.delta_record_count, -7);
    assert_int_equal(s.watermark, 9);
    assert_int_equal(s.next_row_id, 10);
    assert_string_equal(s.operation, "DELETE");
    assert_true(s.has_properties);
    assert_string_equal(pmn_options_get(&s.properties, "b"), "2");
    const char *least = "{\"id\":1,\"schemaId\":0,\"commitKind\":\"COMPACT\",\"changelogManifestList\":null,\"totalRecordCount\":null}";
    must(pmn_snapshot_parse(&f->arena, pmn_slice_text(least), "least", &s, &err));
    assert_int_equal(s.version, 1);
    assert_null(s.changelog_manifest_list);
    assert_null(s.base_manifest_list);
    assert_int_equal(s.total_record_count, PMN_NONE);
    assert_int_equal(s.base_manifest_list_size, PMN_NONE);
    assert_false(s.has_properties);
}

static void what_is_no_snapshot_is_refused_with_its_name(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *json;
        paimon_status status;
        const char *words;
    } cases[] = {
        { "", PAIMON_CORRUPT, "not JSON" },
        { "[]", PAIMON_CORRUPT, "not a JSON object" },
        { "{\"version\":4,\"id\":1,\"schemaId\":0,\"commitKind\":\"APPEND\"}", PAIMON_UNSUPPORTED, "version 4" },
        { "{\"version\":3,\"schemaId\":0,\"commitKind\":\"APPEND\"}", PAIMON_CORRUPT, "id" },
        { "{\"version\":3,\"id\":1,\"schemaId\":0,\"commitKind\":\"SHUFFLE\"}", PAIMON_UNSUPPORTED, "SHUFFLE" },
        { "{\"version\":3,\"id\":\"1\",\"schemaId\":0,\"commitKind\":\"APPEND\"}", PAIMON_CORRUPT, "id" },
        { "{\"version\":3,\"id\":1,\"schemaId\":0,\"commitKind\":\"APPEND\",\"properties\":[]}", PAIMON_CORRUPT, "properties" },
        { "{\"version\":3,\"id\":1,\"schemaId\":0,\"commitKind\":\"APPEND\",\"baseManifestList\":5}", PAIMON_CORRUPT, "baseManifestList" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmn_snapshot s;
        assert_int_equal(pmn_snapshot_parse(&f->arena, pmn_slice_text(cases[i].json), "snapshot-x", &s, &err), cases[i].status);
        if (!strstr(paimon_error_message(&err), cases[i].words) || !strstr(paimon_error_message(&err), "snapshot-x"))
            fail_msg("%s", paimon_error_message(&err));
    }
}

static void tags_are_snapshots_of_their_own_and_keep_working_when_theirs_is_gone(void **state)
{
    fixture *f = *state;
    pmn_snapshot s;
    const char **names;
    int32_t n;
    bool exists;
    const char *snapshot = "\"version\":3,\"id\":7,\"schemaId\":1,\"commitKind\":\"APPEND\"";
    const char *const more[] = { "", ",\"tagCreateTime\":[2024,1,1,0,0],\"tagTimeRetained\":3600.000000000",
                                 ",\"tagCreateTime\":\"2024-01-01T00:00:00.5\",\"tagTimeRetained\":\"PT1H\"" };
    for (int i = 0; i < 3; i++) {
        char path[64], text[512];
        snprintf(path, sizeof path, "t/tag/tag-2024-01-0%d 10", 3 - i);
        snprintf(text, sizeof text, "{%s%s}", snapshot, more[i]);
        put_text_file(f->fs, path, text);
    }
    put_text_file(f->fs, "t/tag/tag-success-file/x", "");
    must(pmn_tag_list(&f->arena, f->fs, "t", &names, &n, &err));
    assert_int_equal(n, 3);
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "2024-01-0%d 10", i + 1);
        assert_string_equal(names[i], name);
        must(pmn_tag_load(&f->arena, f->fs, "t", name, &s, &err));
        assert_int_equal(s.id, 7);
        must(pmn_tag_exists(f->fs, pmn_mem_default(), "t", name, &exists, &err));
        assert_true(exists);
    }
    must(pmn_tag_exists(f->fs, pmn_mem_default(), "t", "none", &exists, &err));
    assert_false(exists);
    must(pmn_tag_exists(f->fs, pmn_mem_default(), "t", "a/../b", &exists, &err));
    assert_false(exists);
    assert_int_equal(pmn_tag_load(&f->arena, f->fs, "t", "none", &s, &err), PAIMON_NOT_FOUND);
    assert_non_null(strstr(paimon_error_message(&err), "none"));
    assert_int_equal(pmn_tag_load(&f->arena, f->fs, "t", "../x", &s, &err), PAIMON_INVALID);
}

static void branches_have_roots_of_their_own(void **state)
{
    fixture *f = *state;
    const char **names;
    int32_t n;
    must(pmn_branch_list(&f->arena, f->fs, "t", &names, &n, &err));
    assert_int_equal(n, 0);
    put_snapshot(f, "t/branch/branch-b2", 1, 0, "");
    put_snapshot(f, "t/branch/branch-b1", 5, 0, "");
    put_text_file(f->fs, "t/branch/branch-file", "not a folder");
    must(pmn_branch_list(&f->arena, f->fs, "t", &names, &n, &err));
    assert_int_equal(n, 2);
    assert_string_equal(names[0], "b1");
    assert_string_equal(pmn_branch_root(&f->arena, "t", "main"), "t");
    assert_string_equal(pmn_branch_root(&f->arena, "t", NULL), "t");
    pmn_snapshot s;
    must(pmn_snapshot_load(&f->arena, f->fs, pmn_branch_root(&f->arena, "t", "b1"), 5, &s, &err));
}

static void refused_allocations_end_in_nomem_without_a_leak(void **state)
{
    fixture *f = *state;
    for (int id = 1; id <= 5; id++) put_snapshot(f, "t", id, id, ", \"watermark\" : 3, \"properties\" : { \"k\" : \"v\" }");
    put_text_file(f->fs, "t/snapshot/LATEST", "5");
    for (int64_t fail_at = 0;; fail_at++) {
        failing_alloc failing = { -1, 0 };
        paimon_allocator allocator = failing_alloc_interface(&failing);
        pmn_mem *mem = pmn_mem_new(&allocator, 0);
        failing.until_failure = fail_at;
        pmn_arena arena;
        pmn_snapshot s;
        int64_t id;
        const char **names;
        int32_t n;
        pmn_source source = bare_source(f, mem);
        pmn_arena_init(&arena, mem);
        paimon_status status = pmn_snapshot_latest_id(mem, f->fs, "t", &id, NULL);
        if (status == PAIMON_OK) status = pmn_snapshot_earliest_id(mem, f->fs, "t", &id, NULL);
        if (status == PAIMON_OK) status = pmn_versions_at_time(&source, &arena, 4, &s, NULL);
        if (status == PAIMON_OK) status = pmn_versions_at_watermark(&source, &arena, 3, &s, NULL);
        if (status == PAIMON_OK) status = pmn_tag_list(&arena, f->fs, "t", &names, &n, NULL);
        pmn_arena_free(&arena);
        pmn_mem_release(mem);
        assert_int_equal(failing.alive, 0);
        if (status == PAIMON_OK) break;
        assert_int_equal(status, PAIMON_NOMEM);
    }
}

#define SNAPSHOT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SNAPSHOT_TEST(hints_are_believed_only_where_they_can_be_true),
        SNAPSHOT_TEST(a_snapshot_that_is_gone_says_which_there_are),
        SNAPSHOT_TEST(a_time_finds_the_latest_snapshot_not_after_it),
        SNAPSHOT_TEST(a_watermark_finds_the_earliest_snapshot_that_reached_it),
        SNAPSHOT_TEST(every_member_is_read_and_absent_ones_are_told_apart),
        SNAPSHOT_TEST(what_is_no_snapshot_is_refused_with_its_name),
        SNAPSHOT_TEST(tags_are_snapshots_of_their_own_and_keep_working_when_theirs_is_gone),
        SNAPSHOT_TEST(branches_have_roots_of_their_own),
        SNAPSHOT_TEST(refused_allocations_end_in_nomem_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
