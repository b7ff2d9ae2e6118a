/* ADD and DELETE entries of one identity cancel out; everything else stays, in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "meta/manifest/merge.h"
#include "meta/snapshot/snapshot.h"
#include "support/memory_files.h"

static paimon_error err = PAIMON_ERROR_INIT;

/* A set needs a manifest to belong to; its entries are made up here. */
static void begin(pmn_entries *set)
{
    size_t n;
    unsigned char *bytes = test_file("data/avro/manifest-empty.avro", &n);
    paimon_fs *fs = memory_files();
    pmn_manifest *manifest;
    put_file(fs, "m", bytes, n);
    assert_int_equal(pmn_manifest_load(pmn_mem_default(), fs, "m", -1, &manifest, &err), PAIMON_OK);
    pmn_entries_init(set, pmn_mem_default());
    assert_int_equal(pmn_entries_begin(set, manifest, &err), PAIMON_OK);
    pmn_manifest_release(manifest);
    paimon_fs_free(fs);
    free(bytes);
}

static pmn_manifest_entry plain(pmn_file_kind kind, const char *name)
{
    pmn_manifest_entry e = { .kind = kind, .partition = pmn_slice_text("p"), .bucket = 1, .total_buckets = 2 };
    e.file.name = name;
    e.file.n_value_stats_cols = e.file.n_write_cols = e.file.n_write_cols_sequences = -1;
    return e;
}

static void add(pmn_entries *set, const pmn_manifest_entry *e) { assert_int_equal(pmn_entries_add(set, e, false, NULL, &err), PAIMON_OK); }

static void add_named(pmn_entries *set, pmn_file_kind kind, const char *name)
{
    pmn_manifest_entry e = plain(kind, name);
    add(set, &e);
}

static void assert_names(const pmn_entries *set, const char *names)
{
    char found[256] = "";
    for (size_t i = 0; i < set->n; i++) {
        strcat(found, set->items[i].kind == PMN_FILE_DELETE ? "-" : "+");
        strcat(found, set->items[i].name);
    }
    assert_string_equal(found, names);
}

static void pairs_cancel_and_the_rest_keeps_its_order(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        pmn_entries set;
        begin(&set);
        add_named(&set, PMN_FILE_ADD, "a");
        add_named(&set, PMN_FILE_ADD, "b");
        add_named(&set, PMN_FILE_DELETE, "x");
        add_named(&set, PMN_FILE_ADD, "c");
        add_named(&set, PMN_FILE_DELETE, "b");
        add_named(&set, PMN_FILE_DELETE, "x");
        add_named(&set, PMN_FILE_ADD, "b"); /* added again after it was deleted: alive */
        add_named(&set, PMN_FILE_DELETE, "y");
        add_named(&set, PMN_FILE_ADD, "y"); /* a rewrite has changed the order */
        assert_int_equal(set.n_deletes, 4);
        assert_int_equal(pmn_entries_merge(&set, keep, &err), PAIMON_OK);
        assert_names(&set, keep ? "+a-x+c+b" : "+a+c+b");
        assert_int_equal(set.n_deletes, keep);
        pmn_entries_free(&set);
    }
}

static void every_part_of_the_identity_tells_files_apart(void **state)
{
    (void)state;
    const char *extra[] = { "x" };
    for (int part = 0; part < 8; part++) {
        pmn_entries set;
        begin(&set);
        pmn_manifest_entry add_entry = plain(PMN_FILE_ADD, "f"), delete_entry = plain(PMN_FILE_DELETE, part == 0 ? "g" : "f");
        if (part == 1) delete_entry.partition = pmn_slice_text("q");
        if (part == 2) delete_entry.bucket = 0;
        if (part == 3) delete_entry.file.level = 5;
        if (part == 4) delete_entry.file.extra_files = extra, delete_entry.file.n_extra_files = 1;
        if (part == 5) delete_entry.file.has_embedded_index = true, delete_entry.file.embedded_index = pmn_slice_text("i");
        if (part == 6) delete_entry.file.external_path = "s3://x/f";
        if (part == 7) delete_entry.file.size = 99, delete_entry.total_buckets = 7; /* no part of it */
        add(&set, &add_entry);
        add(&set, &delete_entry);
        assert_int_equal(pmn_entry_same_file(&set.items[0], &set.items[1]), part == 7);
        assert_int_equal(pmn_entries_merge(&set, true, &err), PAIMON_OK);
        assert_int_equal(set.n, part == 7 ? 0 : 2);
        pmn_entries_free(&set);
    }
}

static void a_file_that_is_added_twice_is_corrupt(void **state)
{
    (void)state;
    pmn_entries set;
    begin(&set);
    add_named(&set, PMN_FILE_ADD, "twice");
    add_named(&set, PMN_FILE_ADD, "b");
    add_named(&set, PMN_FILE_DELETE, "b");
    add_named(&set, PMN_FILE_ADD, "twice");
    assert_int_equal(pmn_entries_merge(&set, false, &err), PAIMON_CORRUPT);
    assert_non_null(strstr(paimon_error_message(&err), "twice"));
    paimon_error_clear(&err);
    pmn_entries_free(&set);
}

static void many_entries_are_merged_like_few(void **state)
{
    (void)state;
    pmn_entries set;
    char name[32];
    begin(&set);
    for (int i = 0; i < 30000; i++) {
        snprintf(name, sizeof name, "file-%d", i);
        add_named(&set, PMN_FILE_ADD, name);
        if (i % 3 == 2) {
            snprintf(name, sizeof name, "file-%d", i - 1);
            add_named(&set, PMN_FILE_DELETE, name);
        }
    }
    assert_int_equal(pmn_entries_merge(&set, false, &err), PAIMON_OK);
    assert_int_equal(set.n, 20000);
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "file-%d", i / 2 * 3 + (i % 2 ? 2 : 0));
        assert_string_equal(set.items[i].name, name);
    }
    assert_int_equal(set.n_partitions, 1);
    pmn_entries_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_cancel_and_the_rest_keeps_its_order),
        cmocka_unit_test(every_part_of_the_identity_tells_files_apart),
        cmocka_unit_test(a_file_that_is_added_twice_is_corrupt),
        cmocka_unit_test(many_entries_are_merged_like_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
