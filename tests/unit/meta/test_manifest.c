/* Manifests in every codec and shape of schema; looking at single entries; damaged ones. tests/data/avro/make.py wrote them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/env.h"
#include "meta/manifest/merge.h"
#include "meta/snapshot/snapshot.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"

#define N_ENTRIES 60

static const char *const same_files[] = { "manifest-null.avro",      "manifest-deflate.avro", "manifest-snappy.avro", "manifest-zstandard.avro",
                                          "manifest-bzip2.avro",     "manifest-xz.avro",      "manifest-strange.avro" };

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

static void assert_row(pmn_slice row, int64_t value)
{
    assert_int_equal(row.size, 20);
    assert_int_equal(pmn_load_be32(row.data), 1);
    assert_int_equal(pmn_load_le64(row.data + 12), value);
}

static void assert_name_group(const pmn_data_file *f, int i, bool old)
{
    char text[64];
    bool odd = i % 2 == 1;
    snprintf(text, sizeof text, "data-%d.parquet", i);
    assert_string_equal(f->name, text);
    assert_int_equal(f->size, 1000 + i);
    assert_int_equal(f->row_count, 10 * i);
    assert_int_equal(f->min_sequence, 100 * i);
    assert_int_equal(f->max_sequence, 100 * i + 99);
    assert_int_equal(f->schema_id, i / 20);
    assert_int_equal(f->level, i % 6);
    assert_int_equal(f->n_extra_files, i % 3 == 0 ? 2 : 0);
    if (i % 3 == 0) {
        snprintf(text, sizeof text, "data-%d.index", i);
        assert_string_equal(f->extra_files[0], text);
        assert_string_equal(f->extra_files[1], "x");
    }
    assert_int_equal(f->creation_time_ms, INT64_C(1700000000000) + i);
    assert_int_equal(f->delete_row_count, odd ? i : PMN_NONE);
    assert_int_equal(f->has_embedded_index, i % 5 == 0);
    if (i % 5 == 0) {
        snprintf(text, sizeof text, "index%d", i);
        assert_true(pmn_slice_equal(f->embedded_index, pmn_slice_text(text)));
    }
    assert_int_equal(f->file_source, !old && i % 4 ? i % 2 : -1);
    snprintf(text, sizeof text, "s3://bucket/\xc3\xa9/data-%d.parquet", i);
    if (!old && i % 11 == 0) assert_string_equal(f->external_path, text);
    else assert_null(f->external_path);
    assert_int_equal(f->first_row_id, !old && odd ? 10 * i : PMN_NONE);
    assert_int_equal(f->n_write_cols, !old && i % 13 == 0 ? 1 : -1);
    assert_int_equal(f->n_write_cols_sequences, !old && i % 13 == 0 ? 2 : -1);
    if (f->n_write_cols_sequences == 2) assert_int_equal(f->write_cols_sequences[1], -1);
}

static void assert_entry(const pmn_manifest_entry *e, int i, unsigned wanted, bool old)
{
    const pmn_data_file *f = &e->file;
    bool odd = i % 2 == 1;
    assert_int_equal(e->kind, i % 7 == 6);
    assert_row(e->partition, i / 10);
    assert_int_equal(e->bucket, i % 4);
    assert_int_equal(e->total_buckets, 4);
    if (wanted & PMN_ENTRY_NAME) assert_name_group(f, i, old);
    if (wanted & PMN_ENTRY_KEYS) {
        assert_row(f->min_key, i);
        assert_row(f->key_stats.max, i + 5);
        assert_int_equal(f->key_stats.n_null_counts, 1);
    } else {
        assert_null(f->min_key.data);
    }
    if (wanted & PMN_ENTRY_STATS) {
        assert_row(f->value_stats.min, -i);
        assert_row(f->value_stats.max, (int64_t)i * i);
        assert_int_equal(f->value_stats.n_null_counts, odd ? 3 : -1);
        if (odd) assert_int_equal(f->value_stats.null_counts[0], i);
        if (odd) assert_int_equal(f->value_stats.null_counts[1], -1);
        assert_int_equal(f->n_value_stats_cols, !old && odd ? 2 : -1);
        if (!old && odd) assert_string_equal(f->value_stats_cols[0], "a");
    } else {
        assert_null(f->value_stats.min.data);
    }
}

typedef struct checking {
    unsigned wanted;
    bool old;
    int next, step; /* the number of the entry that should come */
    pmn_entry_place places[N_ENTRIES];
} checking;

static paimon_status check_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *e)
{
    (void)e;
    checking *c = ctx;
    assert_entry(entry, c->next, c->wanted, c->old);
    c->places[c->next] = entry->place;
    c->next += c->step;
    return PAIMON_OK;
}

static void every_codec_and_shape_gives_the_same_entries(void **state)
{
    (void)state;
    for (unsigned wanted = 0; wanted <= PMN_ENTRY_ALL; wanted++) {
        for (size_t i = 0; i < sizeof same_files / sizeof *same_files; i++) {
            checking c = { .wanted = wanted, .step = 1 };
            pmn_manifest_visitor visitor = { .ctx = &c, .wanted = wanted, .entry = check_entry };
            must(pmn_manifest_read(pmn_mem_default(), disk(), data_path(same_files[i]), -1, &visitor, &err));
            assert_int_equal(c.next, N_ENTRIES);
        }
    }
}

static void fields_that_an_old_writer_lacks_are_null(void **state)
{
    (void)state;
    checking c = { .wanted = PMN_ENTRY_ALL, .old = true, .step = 1 };
    pmn_manifest_visitor visitor = { .ctx = &c, .wanted = PMN_ENTRY_ALL, .entry = check_entry };
    must(pmn_manifest_read(pmn_mem_default(), disk(), data_path("manifest-old.avro"), -1, &visitor, &err));
    assert_int_equal(c.next, N_ENTRIES);
}

static bool keep_bucket_one(void *ctx, pmn_file_kind kind, pmn_slice partition, int32_t bucket, int32_t total_buckets)
{
    (void)ctx, (void)kind;
    assert_int_equal(partition.size, 20);
    assert_int_equal(total_buckets, 4);
    return bucket == 1;
}

static void a_filter_drops_entries_before_their_file_is_decoded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof same_files / sizeof *same_files; i++) {
        checking c = { .wanted = PMN_ENTRY_ALL, .next = 1, .step = 4 };
        pmn_manifest_visitor visitor = { .ctx = &c, .wanted = PMN_ENTRY_ALL, .filter = keep_bucket_one, .entry = check_entry };
        must(pmn_manifest_read(pmn_mem_default(), disk(), data_path(same_files[i]), -1, &visitor, &err));
        assert_int_equal(c.next, N_ENTRIES + 1);
    }
}

static void single_entries_are_looked_at_in_any_order_and_after_the_file_is_gone(void **state)
{
    (void)state;
    for (size_t cache = 0; cache <= 1 << 20; cache += 1 << 20) {
        pmn_manifest_lens *lens;
        must(pmn_manifest_lens_new(pmn_mem_default(), cache, &lens, &err));
        for (size_t i = 0; i < sizeof same_files / sizeof *same_files; i++) {
            size_t n;
            char name[64];
            snprintf(name, sizeof name, "data/avro/%s", same_files[i]);
            unsigned char *bytes = test_file(name, &n);
            paimon_fs *fs = memory_files();
            put_file(fs, "m", bytes, n);
            pmn_manifest *manifest;
            must(pmn_manifest_load(pmn_mem_default(), fs, "m", (int64_t)n, &manifest, &err));
            paimon_fs_free(fs);
            free(bytes);
            checking c = { .wanted = PMN_ENTRY_NAME, .step = 1 };
            pmn_manifest_visitor visitor = { .ctx = &c, .wanted = PMN_ENTRY_NAME, .lens = lens, .entry = check_entry };
            must(pmn_manifest_visit(manifest, &visitor, &err));
            pmn_arena arena;
            pmn_arena_init(&arena, pmn_mem_default());
            for (int k = 0; k < 3 * N_ENTRIES; k++) {
                pmn_manifest_entry entry;
                int number = k * 37 % N_ENTRIES;
                must(pmn_manifest_lens_entry(lens, manifest, c.places[number], &arena, &entry, &err));
                assert_entry(&entry, number, PMN_ENTRY_ALL, false);
            }
            pmn_arena_free(&arena);
            pmn_manifest_release(manifest);
        }
        pmn_manifest_lens_free(lens);
    }
}

static void a_place_that_is_none_is_an_error(void **state)
{
    (void)state;
    pmn_manifest *manifest;
    pmn_manifest_lens *lens;
    pmn_manifest_entry entry;
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    must(pmn_manifest_lens_new(pmn_mem_default(), 0, &lens, &err));
    must(pmn_manifest_load(pmn_mem_default(), disk(), data_path("manifest-zstandard.avro"), -1, &manifest, &err));
    static const pmn_entry_place nowhere[] = { { 0, 0 }, { 5, 0 }, { UINT32_MAX, 0 }, { 3000, 0 }, { 5910, 0 } };
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
        assert_int_not_equal(pmn_manifest_lens_entry(lens, manifest, nowhere[i], &arena, &entry, NULL), PAIMON_OK);
    pmn_manifest_release(manifest);
    pmn_manifest_lens_free(lens);
    pmn_arena_free(&arena);
}

static paimon_status ignore(void *ctx, const pmn_manifest_entry *entry, paimon_error *e)
{
    (void)entry, (void)e;
    ++*(int *)ctx;
    return PAIMON_OK;
}

static void assert_refused(const char *name, paimon_status status, const char *words)
{
    int n = 0;
    pmn_manifest_visitor visitor = { .ctx = &n, .wanted = PMN_ENTRY_ALL, .entry = ignore };
    assert_int_equal(pmn_manifest_read(pmn_mem_default(), disk(), data_path(name), -1, &visitor, &err), status);
    if (!strstr(paimon_error_message(&err), words) || !strstr(paimon_error_message(&err), name)) fail_msg("%s", paimon_error_message(&err));
    paimon_error_clear(&err);
}

static void what_cannot_be_a_manifest_is_refused_with_the_reason(void **state)
{
    (void)state;
    assert_refused("manifest-version-1.avro", PAIMON_UNSUPPORTED, "_VERSION 1");
    assert_refused("manifest-version-3.avro", PAIMON_UNSUPPORTED, "_VERSION 3");
    assert_refused("manifest-null-record.avro", PAIMON_CORRUPT, "null in place of the record");
    assert_refused("manifest-no-name.avro", PAIMON_CORRUPT, "_FILE_NAME");
    assert_refused("manifest-wrong-type.avro", PAIMON_CORRUPT, "_FILE/_FILE_SIZE is of type string");
    assert_refused("README.md", PAIMON_CORRUPT, "not an Avro container");
}

static void a_size_that_the_list_does_not_tell_is_corrupt(void **state)
{
    (void)state;
    pmn_manifest *manifest;
    assert_int_equal(pmn_manifest_load(pmn_mem_default(), disk(), data_path("manifest-null.avro"), 15801, &manifest, NULL), PAIMON_CORRUPT);
    assert_null(manifest);
    must(pmn_manifest_load(pmn_mem_default(), disk(), data_path("manifest-empty.avro"), 2322, &manifest, &err));
    int n = 0;
    pmn_manifest_visitor visitor = { .ctx = &n, .wanted = PMN_ENTRY_ALL, .entry = ignore };
    must(pmn_manifest_visit(manifest, &visitor, &err));
    assert_int_equal(n, 0);
    pmn_manifest_release(manifest);
}

/* Any outcome will do but a crash, a leak or a hang; the sanitizers look on. */
static void damaged_manifests_never_crash(void **state)
{
    (void)state;
    paimon_fs *fs = memory_files();
    for (size_t i = 0; i < sizeof same_files / sizeof *same_files; i++) {
        size_t n;
        char name[64];
        int seen = 0;
        snprintf(name, sizeof name, "data/avro/%s", same_files[i]);
        unsigned char *bytes = test_file(name, &n);
        pmn_manifest_visitor visitor = { .ctx = &seen, .wanted = PMN_ENTRY_ALL, .entry = ignore };
        for (size_t at = 0; at < n; at += at < 2400 ? 7 : 1 + n / 400) {
            bytes[at] ^= (unsigned char)(1u << (at % 8));
            put_file(fs, "m", bytes, n);
            paimon_status flipped = pmn_manifest_read(pmn_mem_default(), fs, "m", -1, &visitor, NULL);
            bytes[at] ^= (unsigned char)(1u << (at % 8));
            put_file(fs, "m", bytes, at);
            paimon_status cut = pmn_manifest_read(pmn_mem_default(), fs, "m", -1, &visitor, NULL);
            assert_true(flipped == PAIMON_OK || flipped == PAIMON_CORRUPT || flipped == PAIMON_UNSUPPORTED || flipped == PAIMON_NOMEM);
            assert_true(cut == PAIMON_OK || cut == PAIMON_CORRUPT);
        }
        free(bytes);
    }
    paimon_fs_free(fs);
}

static paimon_status collect(void *ctx, const pmn_manifest_entry *entry, paimon_error *e)
{
    return pmn_entries_add((pmn_entries *)ctx, entry, true, NULL, e);
}

static paimon_status plan_and_look(pmn_mem *mem, paimon_fs *fs)
{
    pmn_entries set;
    pmn_manifest *manifest = NULL;
    pmn_manifest_lens *lens = NULL;
    pmn_arena arena;
    pmn_manifest_entry entry;
    paimon_status status;
    pmn_entries_init(&set, mem);
    pmn_arena_init(&arena, mem);
    PMN_GOTO(status, pmn_manifest_lens_new(mem, 1 << 20, &lens, NULL), done);
    PMN_GOTO(status, pmn_manifest_load(mem, fs, "m", -1, &manifest, NULL), done);
    PMN_GOTO(status, pmn_entries_begin(&set, manifest, NULL), done);
    pmn_manifest_visitor visitor = { .ctx = &set, .wanted = PMN_ENTRY_ALL, .lens = lens, .entry = collect };
    PMN_GOTO(status, pmn_manifest_visit(manifest, &visitor, NULL), done);
    PMN_GOTO(status, pmn_entries_merge(&set, true, NULL), done);
    assert_int_equal(set.n, N_ENTRIES);
    PMN_GOTO(status, pmn_entries_detail(&set, &set.items[26], lens, &arena, &entry, NULL), done);
    assert_entry(&entry, 26, PMN_ENTRY_ALL, false);
done:
    pmn_arena_free(&arena);
    pmn_entries_free(&set);
    pmn_manifest_release(manifest);
    pmn_manifest_lens_free(lens);
    return status;
}

static void every_refused_allocation_ends_in_nomem_without_a_leak(void **state)
{
    (void)state;
    size_t n;
    unsigned char *bytes = test_file("data/avro/manifest-strange.avro", &n);
    paimon_fs *fs = memory_files();
    put_file(fs, "m", bytes, n);
    for (int64_t fail_at = 0;; fail_at++) {
        failing_alloc failing = { -1, 0 };
        paimon_allocator allocator = failing_alloc_interface(&failing);
        pmn_mem *mem = pmn_mem_new(&allocator, 0);
        assert_non_null(mem);
        failing.until_failure = fail_at;
        paimon_status status = plan_and_look(mem, fs);
        pmn_mem_release(mem);
        assert_int_equal(failing.alive, 0);
        if (status == PAIMON_OK) {
            assert_true(fail_at > 20);
            break;
        }
        assert_int_equal(status, PAIMON_NOMEM);
    }
    paimon_fs_free(fs);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_codec_and_shape_gives_the_same_entries),
        cmocka_unit_test(fields_that_an_old_writer_lacks_are_null),
        cmocka_unit_test(a_filter_drops_entries_before_their_file_is_decoded),
        cmocka_unit_test(single_entries_are_looked_at_in_any_order_and_after_the_file_is_gone),
        cmocka_unit_test(a_place_that_is_none_is_an_error),
        cmocka_unit_test(what_cannot_be_a_manifest_is_refused_with_the_reason),
        cmocka_unit_test(a_size_that_the_list_does_not_tell_is_corrupt),
        cmocka_unit_test(damaged_manifests_never_crash),
        cmocka_unit_test(every_refused_allocation_ends_in_nomem_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
