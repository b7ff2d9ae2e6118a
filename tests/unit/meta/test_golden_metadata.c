/* The metadata of every table that Paimon Java wrote, against what it says about itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/env.h"
#include "io/path.h"
#include "meta/manifest/merge.h"
#include "meta/schema/schema.h"
#include "meta/snapshot/snapshot.h"
#include "support/tables.h"

typedef struct totals {
    paimon_fs *fs;
    pmn_manifest_lens *lens;
    int tables, snapshots, manifests, entries, tags, branches, schemas, index_entries;
} totals;

static paimon_error err = PAIMON_ERROR_INIT;

static void must(paimon_status status, const char *what)
{
    if (status == PAIMON_OK) return;
    fail_msg("%s: %s", what, paimon_error_message(&err));
}

typedef struct manifest_sum {
    pmn_entries *set;
    int64_t added, deleted, rows; /* rows: ADD less DELETE */
    int64_t schema_id, min_bucket, max_bucket, min_level, max_level;
} manifest_sum;

static paimon_status sum_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *e)
{
    manifest_sum *sum = ctx;
    if (sum->added + sum->deleted == 0) {
        sum->min_bucket = sum->max_bucket = entry->bucket;
        sum->min_level = sum->max_level = entry->file.level;
        sum->schema_id = entry->file.schema_id;
    }
    if (entry->file.schema_id > sum->schema_id) sum->schema_id = entry->file.schema_id;
    if (entry->bucket < sum->min_bucket) sum->min_bucket = entry->bucket;
    if (entry->bucket > sum->max_bucket) sum->max_bucket = entry->bucket;
    if (entry->file.level < sum->min_level) sum->min_level = entry->file.level;
    if (entry->file.level > sum->max_level) sum->max_level = entry->file.level;
    bool add = entry->kind == PMN_FILE_ADD;
    *(add ? &sum->added : &sum->deleted) += 1;
    sum->rows += add ? entry->file.row_count : -entry->file.row_count;
    return sum->set ? pmn_entries_add(sum->set, entry, true, NULL, e) : PAIMON_OK;
}

/* Reads a manifest list and all its manifests; returns the rows that they add. */
static int64_t read_list(totals *t, pmn_arena *arena, const char *table, const char *list, int64_t list_size, pmn_entries *set)
{
    pmn_manifest_file *files;
    int32_t n;
    int64_t rows = 0;
    if (!list) return 0;
    must(pmn_manifest_list_read(arena, t->fs, pmn_path_joinf(arena, table, "manifest/%s", list), list_size == PMN_NONE ? -1 : list_size, &files, &n,
                                &err),
         table);
    for (int32_t i = 0; i < n; i++) {
        manifest_sum sum = { .set = set };
        pmn_manifest_visitor visitor = { .ctx = &sum, .wanted = PMN_ENTRY_ALL, .lens = t->lens, .entry = sum_entry };
        pmn_manifest *manifest;
        must(pmn_manifest_load(arena->mem, t->fs, pmn_path_joinf(arena, table, "manifest/%s", files[i].name), files[i].size, &manifest, &err), table);
        if (set) must(pmn_entries_begin(set, manifest, &err), table);
        must(pmn_manifest_visit(manifest, &visitor, &err), table);
        pmn_manifest_release(manifest);
        assert_int_equal(sum.added, files[i].n_added);
        assert_int_equal(sum.deleted, files[i].n_deleted);
        assert_int_equal(sum.schema_id, files[i].schema_id);
        if (files[i].min_bucket != PMN_NONE) assert_int_equal(sum.min_bucket, files[i].min_bucket);
        if (files[i].max_bucket != PMN_NONE) assert_int_equal(sum.max_bucket, files[i].max_bucket);
        if (files[i].min_level != PMN_NONE) assert_int_equal(sum.min_level, files[i].min_level);
        if (files[i].max_level != PMN_NONE) assert_int_equal(sum.max_level, files[i].max_level);
        rows += sum.rows;
        t->manifests++;
        t->entries += (int)(sum.added + sum.deleted);
    }
    return rows;
}

static void check_details(totals *t, pmn_entries *set)
{
    for (size_t i = 0; i < set->n; i++) {
        pmn_entry *entry = &set->items[set->n - 1 - i];
        pmn_arena arena;
        pmn_manifest_entry detail;
        pmn_arena_init(&arena, set->mem);
        must(pmn_entries_detail(set, entry, t->lens, &arena, &detail, &err), entry->name);
        assert_string_equal(detail.file.name, entry->name);
        assert_int_equal(detail.file.row_count, entry->row_count);
        assert_int_equal(detail.file.max_sequence, entry->max_sequence);
        assert_int_equal(detail.bucket, entry->bucket);
        assert_true(pmn_slice_equal(detail.partition, set->partitions[entry->partition]));
        assert_true(pmn_slice_equal(detail.file.min_key, entry->keys->min));
        pmn_arena_free(&arena);
    }
}

static void check_snapshot(totals *t, const char *table, const pmn_snapshot *snapshot, bool with_changelog)
{
    pmn_arena arena;
    pmn_entries set;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_entries_init(&set, pmn_mem_default());
    read_list(t, &arena, table, snapshot->base_manifest_list, snapshot->base_manifest_list_size, &set);
    int64_t delta = read_list(t, &arena, table, snapshot->delta_manifest_list, snapshot->delta_manifest_list_size, &set);
    if (with_changelog) read_list(t, &arena, table, snapshot->changelog_manifest_list, snapshot->changelog_manifest_list_size, NULL);
    must(pmn_entries_merge(&set, true, &err), table);
    int64_t rows = 0;
    for (size_t i = 0; i < set.n; i++) {
        assert_int_equal(set.items[i].kind, PMN_FILE_ADD);
        rows += set.items[i].row_count;
    }
    assert_int_equal(set.n_deletes, 0);
    if (snapshot->total_record_count != PMN_NONE) assert_int_equal(rows, snapshot->total_record_count);
    if (snapshot->delta_record_count != PMN_NONE) assert_int_equal(delta, snapshot->delta_record_count);
    check_details(t, &set);
    if (snapshot->index_manifest) {
        pmn_index_entry *entries;
        int32_t n;
        must(pmn_index_manifest_read(&arena, t->fs, pmn_path_joinf(&arena, table, "manifest/%s", snapshot->index_manifest), &entries, &n, &err), table);
        for (int32_t i = 0; i < n; i++) {
            assert_int_equal(entries[i].kind, PMN_FILE_ADD);
            if (strcmp(entries[i].index_type, "DELETION_VECTORS") == 0) assert_int_equal(entries[i].n_ranges, entries[i].row_count);
        }
        t->index_entries += n;
    }
    t->snapshots++;
    pmn_entries_free(&set);
    pmn_arena_free(&arena);
}

static void check_root(totals *t, const char *table, const char *root)
{
    pmn_arena arena;
    int64_t *ids, bound;
    int32_t n;
    const char **names;
    pmn_snapshot snapshot;
    pmn_arena_init(&arena, pmn_mem_default());
    must(pmn_snapshot_list(&arena, t->fs, root, &ids, &n, &err), root);
    must(pmn_snapshot_latest_id(arena.mem, t->fs, root, &bound, &err), root);
    assert_int_equal(bound, n ? ids[n - 1] : 0);
    must(pmn_snapshot_earliest_id(arena.mem, t->fs, root, &bound, &err), root);
    assert_int_equal(bound, n ? ids[0] : 0);
    for (int32_t i = 0; i < n; i++) {
        must(pmn_snapshot_load(&arena, t->fs, root, ids[i], &snapshot, &err), root);
        check_snapshot(t, table, &snapshot, true);
    }
    must(pmn_tag_list(&arena, t->fs, root, &names, &n, &err), root);
    for (int32_t i = 0; i < n; i++, t->tags++) {
        must(pmn_tag_load(&arena, t->fs, root, names[i], &snapshot, &err), root);
        check_snapshot(t, table, &snapshot, false);
    }
    must(pmn_schema_list(&arena, t->fs, root, &ids, &n, &err), root);
    assert_true(n > 0);
    must(pmn_schema_latest_id(arena.mem, t->fs, root, &bound, &err), root);
    assert_int_equal(bound, ids[n - 1]);
    for (int32_t i = 0; i < n; i++, t->schemas++) {
        pmn_table_schema *schema;
        pmn_buf stored, printed;
        must(pmn_schema_load(arena.mem, t->fs, root, ids[i], &schema, &err), root);
        pmn_buf_init(&stored, arena.mem, 1 << 20);
        pmn_buf_init(&printed, arena.mem, 1 << 20);
        must(pmn_fs_read_all(arena.mem, t->fs, pmn_path_joinf(&arena, root, "schema/schema-%d", (int)ids[i]), 1 << 20, &stored, &err), root);
        must(pmn_table_schema_print(schema, &printed, &err), root);
        if (schema->version == 3) {
            assert_int_equal(printed.size, stored.size);
            assert_memory_equal(printed.data, stored.data, stored.size);
        }
        pmn_buf_free(&stored);
        pmn_buf_free(&printed);
        pmn_table_schema_release(schema);
    }
    pmn_arena_free(&arena);
}

static void check_table(void *ctx, const char *name, const char *root)
{
    totals *t = ctx;
    (void)name;
    pmn_arena arena;
    const char **names;
    int32_t n;
    pmn_arena_init(&arena, pmn_mem_default());
    check_root(t, root, root);
    must(pmn_branch_list(&arena, t->fs, root, &names, &n, &err), root);
    for (int32_t i = 0; i < n; i++, t->branches++) check_root(t, root, pmn_branch_root(&arena, root, names[i]));
    pmn_arena_free(&arena);
    t->tables++;
}

static void every_snapshot_adds_up_to_its_record_counts(void **state)
{
    (void)state;
    totals t = { 0 };
    must(pmn_env_fs(NULL, "/", &t.fs, &err), "file system");
    must(pmn_manifest_lens_new(pmn_mem_default(), 1 << 20, &t.lens, &err), "lens");
    assert_true(each_table(check_table, &t) > 0);
    printf("%d tables: %d snapshots, %d tags, %d branches, %d schemas, %d manifests, %d entries, %d index files\n",
           t.tables, t.snapshots, t.tags, t.branches, t.schemas, t.manifests, t.entries, t.index_entries);
    pmn_manifest_lens_free(t.lens);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_snapshot_adds_up_to_its_record_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
