/* Manifests, lists and index manifests: what Java wrote, decoded, written by us, decoded again, is the same; so are the header
 * schemas, to the byte. And merging. */
#include "support/unit.h"

#include "io/fs_impl.h"
#include "meta/manifest/identity.h"
#include "meta/manifest/manifest_schemas.h"
#include "meta/manifest/manifest_write.h"
#include "meta/schema/schema.h"
#include "meta/snapshot/snapshot.h"
#include "format/avro/container.h"
#include "meta/manifest/record_file.h"
#include "support/commit_table.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"
#include "support/tables.h"

static const pmn_manifest_codec zstd = { "zstandard", 1 };

typedef struct copying {
    pmn_manifest_writer *writer;
    pmn_buf all; /* the entries, put one behind the other */
} copying;

static paimon_status copy_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    copying *c = ctx;
    PMN_TRY(pmn_manifest_entry_put(&c->all, entry, err));
    return c->writer ? pmn_manifest_writer_add(c->writer, entry, err) : PAIMON_OK;
}

static pmn_manifest_writer_options writer_options(paimon_fs *fs, int32_t *counter, const pmn_type *partition_type)
{
    return (pmn_manifest_writer_options){ .mem = pmn_mem_default(),
                                          .fs = fs,
                                          .folder = "mem:/t/manifest",
                                          .uuid = "0b0b0b0b",
                                          .counter = counter,
                                          .partition_type = partition_type,
                                          .codec = zstd,
                                          .target_bytes = 8 << 20,
                                          .schema_id = 0 };
}

static bool newest_schema(paimon_fs *fs, const char *path, const char *schema)
{
    pmn_buf file;
    pmn_avro_header header;
    pmn_buf_init(&file, pmn_mem_default(), PMN_BUF_NO_CEILING);
    OK(pmn_fs_read_all(pmn_mem_default(), fs, path, 1 << 30, &file, err));
    /* Not one in ORC. */
    bool same = pmn_avro_header_parse(pmn_slice_of(file.data, file.size), &header, NULL) == PAIMON_OK && pmn_slice_equal(header.schema, pmn_slice_text(schema));
    pmn_buf_free(&file);
    return same;
}

typedef struct golden_run {
    int n_manifests, n_lists, n_indexes, n_entries, n_newest;
} golden_run;

/* The meta of Java's own list is what our writer finds out. */
static void same_meta(const pmn_manifest_file *java, const pmn_manifest_file *ours, bool newest)
{
    assert_int_equal(java->n_added, ours->n_added);
    assert_int_equal(java->n_deleted, ours->n_deleted);
    assert_int_equal(java->schema_id, ours->schema_id);
    if (!newest) return;
    assert_int_equal(java->min_bucket, ours->min_bucket);
    assert_int_equal(java->max_bucket, ours->max_bucket);
    assert_int_equal(java->min_level, ours->min_level);
    assert_int_equal(java->max_level, ours->max_level);
    assert_int_equal(java->min_row_id, ours->min_row_id);
    assert_int_equal(java->max_row_id, ours->max_row_id);
    assert_true(pmn_slice_equal(java->partition_stats.min, ours->partition_stats.min));
    assert_true(pmn_slice_equal(java->partition_stats.max, ours->partition_stats.max));
    assert_int_equal(java->partition_stats.n_null_counts, ours->partition_stats.n_null_counts);
    for (int32_t i = 0; i < java->partition_stats.n_null_counts; i++)
        assert_int_equal(java->partition_stats.null_counts[i], ours->partition_stats.null_counts[i]);
}

static void one_manifest(golden_run *run, const char *root, const pmn_manifest_file *meta, const pmn_type *partition_type)
{
    char path[1000];
    int32_t counter = 0, n;
    pmn_arena arena;
    paimon_fs *local = pmn_fs_local_default(), *memory = memory_files();
    copying first = { NULL, { 0 } }, second = { NULL, { 0 } };
    pmn_manifest_file *written;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_buf_init(&first.all, pmn_mem_default(), PMN_BUF_NO_CEILING);
    pmn_buf_init(&second.all, pmn_mem_default(), PMN_BUF_NO_CEILING);
    pmn_manifest_writer_options options = writer_options(memory, &counter, partition_type);
    OK(pmn_manifest_writer_new(&options, &first.writer, err));
    snprintf(path, sizeof path, "%s/manifest/%s", root, meta->name);
    pmn_manifest_visitor visitor = { .ctx = &first, .wanted = PMN_ENTRY_ALL, .entry = copy_entry };
    OK(pmn_manifest_read(pmn_mem_default(), local, path, meta->size, &visitor, err));
    OK(pmn_manifest_writer_finish(first.writer, &arena, &written, &n, err));
    assert_int_equal(n, 1);
    bool newest = newest_schema(local, path, pmn_manifest_avro_schema);
    same_meta(meta, written, newest);
    snprintf(path, sizeof path, "mem:/t/manifest/%s", written->name);
    visitor.ctx = &second;
    OK(pmn_manifest_read(pmn_mem_default(), memory, path, written->size, &visitor, err));
    assert_int_equal(first.all.size, second.all.size);
    assert_memory_equal(first.all.data, second.all.data, first.all.size);
    assert_true(newest_schema(memory, path, pmn_manifest_avro_schema));
    run->n_newest += newest;
    run->n_manifests++;
    run->n_entries += (int)(meta->n_added + meta->n_deleted);
    pmn_manifest_writer_free(first.writer);
    pmn_buf_free(&first.all);
    pmn_buf_free(&second.all);
    pmn_arena_free(&arena);
    paimon_fs_free(memory);
}

static void same_list(const pmn_manifest_file *a, const pmn_manifest_file *b, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        pmn_buf x, y;
        pmn_buf_init(&x, pmn_mem_default(), PMN_BUF_NO_CEILING);
        pmn_buf_init(&y, pmn_mem_default(), PMN_BUF_NO_CEILING);
        OK(pmn_manifest_file_put(&x, &a[i], err));
        OK(pmn_manifest_file_put(&y, &b[i], err));
        assert_int_equal(x.size, y.size);
        assert_memory_equal(x.data, y.data, x.size);
        pmn_buf_free(&x);
        pmn_buf_free(&y);
    }
}

static void one_list(golden_run *run, const char *root, const char *name, int64_t size, const pmn_type *partition_type)
{
    char path[1000];
    pmn_arena arena;
    pmn_manifest_file *files, *again;
    int32_t n, m;
    int64_t written;
    paimon_fs *memory = memory_files();
    pmn_arena_init(&arena, pmn_mem_default());
    snprintf(path, sizeof path, "%s/manifest/%s", root, name);
    if (pmn_manifest_list_read(&arena, pmn_fs_local_default(), path, size == PMN_NONE ? -1 : size, &files, &n, NULL) == PAIMON_OK) {
        OK(pmn_manifest_list_write(pmn_mem_default(), memory, "mem:/list", &zstd, files, n, &written, err));
        OK(pmn_manifest_list_read(&arena, memory, "mem:/list", written, &again, &m, err));
        assert_int_equal(n, m);
        same_list(files, again, n);
        assert_true(newest_schema(memory, "mem:/list", pmn_manifest_list_avro_schema));
        run->n_newest += newest_schema(pmn_fs_local_default(), path, pmn_manifest_list_avro_schema);
        run->n_lists++;
        for (int32_t i = 0; i < n; i++) one_manifest(run, root, &files[i], partition_type);
    }
    pmn_arena_free(&arena);
    paimon_fs_free(memory);
}

static void one_index_manifest(golden_run *run, const char *root, const char *name)
{
    char path[1000];
    pmn_arena arena;
    pmn_index_entry *entries, *again;
    int32_t n, m;
    int64_t written;
    paimon_fs *memory = memory_files();
    pmn_arena_init(&arena, pmn_mem_default());
    snprintf(path, sizeof path, "%s/manifest/%s", root, name);
    if (pmn_index_manifest_read(&arena, pmn_fs_local_default(), path, &entries, &n, NULL) == PAIMON_OK) {
        OK(pmn_index_manifest_write(pmn_mem_default(), memory, "mem:/index", &zstd, entries, n, &written, err));
        OK(pmn_index_manifest_read(&arena, memory, "mem:/index", &again, &m, err));
        assert_int_equal(n, m);
        for (int32_t i = 0; i < n; i++) {
            pmn_buf x, y;
            pmn_buf_init(&x, pmn_mem_default(), PMN_BUF_NO_CEILING);
            pmn_buf_init(&y, pmn_mem_default(), PMN_BUF_NO_CEILING);
            OK(pmn_index_entry_put(&x, &entries[i], err));
            OK(pmn_index_entry_put(&y, &again[i], err));
            assert_int_equal(x.size, y.size);
            assert_memory_equal(x.data, y.data, x.size);
            pmn_buf_free(&x);
            pmn_buf_free(&y);
        }
        assert_true(newest_schema(memory, "mem:/index", pmn_index_manifest_avro_schema));
        run->n_newest += newest_schema(pmn_fs_local_default(), path, pmn_index_manifest_avro_schema);
        run->n_indexes++;
    }
    pmn_arena_free(&arena);
    paimon_fs_free(memory);
}

static void one_table(void *ctx, const char *name, const char *root)
{
    golden_run *run = ctx;
    pmn_arena arena;
    int64_t *ids, schema_id;
    int32_t n;
    pmn_table_schema *schema;
    (void)name;
    pmn_arena_init(&arena, pmn_mem_default());
    OK(pmn_schema_latest_id(pmn_mem_default(), pmn_fs_local_default(), root, &schema_id, err));
    OK(pmn_schema_load(pmn_mem_default(), pmn_fs_local_default(), root, schema_id, &schema, err));
    OK(pmn_snapshot_list(&arena, pmn_fs_local_default(), root, &ids, &n, err));
    for (int32_t i = n > 3 ? n - 3 : 0; i < n; i++) {
        pmn_snapshot s;
        OK(pmn_snapshot_load(&arena, pmn_fs_local_default(), root, ids[i], &s, err));
        one_list(run, root, s.base_manifest_list, s.base_manifest_list_size, schema->partition_type);
        one_list(run, root, s.delta_manifest_list, s.delta_manifest_list_size, schema->partition_type);
        if (s.index_manifest) one_index_manifest(run, root, s.index_manifest);
    }
    pmn_table_schema_release(schema);
    pmn_arena_free(&arena);
}

static void what_java_wrote_is_written_again(void **state)
{
    (void)state;
    golden_run run = { 0 };
    int tables = each_table(one_table, &run);
    printf("%d manifests with %d entries, %d lists, %d index manifests; %d with today's schema\n", run.n_manifests, run.n_entries, run.n_lists,
           run.n_indexes, run.n_newest);
    if (tables > 20) assert_true(run.n_newest > 100);
    if (tables > 100) assert_true(run.n_indexes > 5); /* the tables that are copied into the project have none */
}

/* --- writers --- */

static pmn_manifest_entry entry_of(pmn_arena *arena, pmn_file_kind kind, int i)
{
    char name[64];
    static const uint8_t no_fields[12];
    snprintf(name, sizeof name, "data-%08x-%d.parquet", (unsigned)i * 2654435761u, i);
    return (pmn_manifest_entry){ .kind = kind, .partition = { no_fields, 12 }, .bucket = i % 3, .total_buckets = 3, .file = fake_file(arena, name, i + 1) };
}

static const pmn_type *no_partition(pmn_arena *arena)
{
    return pmn_type_row(arena, false, NULL, 0);
}

static void a_manifest_rolls_when_it_is_large(void **state)
{
    (void)state;
    pmn_arena arena;
    paimon_fs *fs = memory_files();
    int32_t counter = 5, n;
    pmn_manifest_writer *w;
    pmn_manifest_file *files;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_manifest_writer_options options = writer_options(fs, &counter, no_partition(&arena));
    options.target_bytes = 1;
    OK(pmn_manifest_writer_new(&options, &w, err));
    for (int i = 0; i < 2500; i++) {
        pmn_manifest_entry entry = entry_of(&arena, PMN_FILE_ADD, i);
        OK(pmn_manifest_writer_add(w, &entry, err));
    }
    OK(pmn_manifest_writer_finish(w, &arena, &files, &n, err));
    pmn_manifest_writer_free(w);
    assert_int_equal(n, 3);
    assert_int_equal(files[0].n_added, 1000);
    assert_int_equal(files[2].n_added, 500);
    assert_string_equal(files[2].name, "manifest-0b0b0b0b-7");
    assert_int_equal(count_in(fs, "mem:/t", "manifest"), 3);
    /* Nothing is written for no entries, and nothing is left of a writer that does not finish. */
    OK(pmn_manifest_writer_new(&options, &w, err));
    OK(pmn_manifest_writer_finish(w, &arena, &files, &n, err));
    assert_int_equal(n, 0);
    pmn_manifest_writer_free(w);
    OK(pmn_manifest_writer_new(&options, &w, err));
    for (int i = 0; i < 1500; i++) {
        pmn_manifest_entry entry = entry_of(&arena, PMN_FILE_ADD, i);
        OK(pmn_manifest_writer_add(w, &entry, err));
    }
    assert_int_equal(count_in(fs, "mem:/t", "manifest"), 4);
    pmn_manifest_writer_free(w);
    assert_int_equal(count_in(fs, "mem:/t", "manifest"), 3);
    pmn_arena_free(&arena);
    paimon_fs_free(fs);
}

/* --- merging --- */

typedef struct merge_case {
    pmn_arena arena;
    paimon_fs *fs;
    int32_t counter;
    pmn_manifest_file in[200];
    int32_t n_in;
    pmn_manifest_file *out;
    int32_t n_out;
    const char **created;
    int32_t n_created;
} merge_case;

static merge_case new_case(void)
{
    merge_case c = { .fs = memory_files() };
    return c;
}

/* One manifest: numbers of files, negative ones (less one) deleted. */
static void manifest(merge_case *c, const int *numbers, int n)
{
    pmn_manifest_writer *w;
    pmn_manifest_file *files;
    int32_t n_files;
    pmn_manifest_writer_options options = writer_options(c->fs, &c->counter, no_partition(&c->arena));
    OK(pmn_manifest_writer_new(&options, &w, err));
    for (int i = 0; i < n; i++) {
        pmn_manifest_entry entry = entry_of(&c->arena, numbers[i] < 0 ? PMN_FILE_DELETE : PMN_FILE_ADD, numbers[i] < 0 ? -numbers[i] - 1 : numbers[i]);
        OK(pmn_manifest_writer_add(w, &entry, err));
    }
    OK(pmn_manifest_writer_finish(w, &c->arena, &files, &n_files, err));
    pmn_manifest_writer_free(w);
    assert_int_equal(n_files, 1);
    c->in[c->n_in++] = files[0];
}

static void merge(merge_case *c, int64_t target, int64_t threshold, int64_t min_count)
{
    pmn_manifest_merge_options options = { writer_options(c->fs, &c->counter, no_partition(&c->arena)), threshold, min_count };
    options.writer.target_bytes = target;
    OK(pmn_manifest_merge(&options, c->in, c->n_in, &c->arena, &c->out, &c->n_out, &c->created, &c->n_created, err));
}

static paimon_status show_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    char *text = ctx;
    (void)err;
    sprintf(text + strlen(text), "%s%s ", entry->kind == PMN_FILE_DELETE ? "-" : "", strrchr(entry->file.name, '-') + 1);
    return PAIMON_OK;
}

static void out_is(merge_case *c, int32_t i, const char *expected)
{
    char path[200], text[2000] = "", *dot;
    assert_true(i < c->n_out);
    snprintf(path, sizeof path, "mem:/t/manifest/%s", c->out[i].name);
    pmn_manifest_visitor visitor = { .ctx = text, .wanted = PMN_ENTRY_NAME, .entry = show_entry };
    OK(pmn_manifest_read(pmn_mem_default(), c->fs, path, c->out[i].size, &visitor, err));
    while ((dot = strstr(text, ".parquet")) != NULL) memmove(dot, dot + 8, strlen(dot + 8) + 1);
    assert_string_equal(text, expected);
}

static void leave_case(merge_case *c)
{
    pmn_arena_free(&c->arena);
    paimon_fs_free(c->fs);
}

static void few_small_manifests_stay_and_many_are_merged(void **state)
{
    (void)state;
    merge_case c = new_case();
    pmn_arena_init(&c.arena, pmn_mem_default());
    for (int i = 0; i < 5; i++) manifest(&c, &i, 1);
    merge(&c, 1 << 20, 2 << 20, 6);
    assert_int_equal(c.n_out, 5);
    assert_int_equal(c.n_created, 0);
    assert_string_equal(c.out[4].name, c.in[4].name);
    merge(&c, 1 << 20, 2 << 20, 5);
    assert_int_equal(c.n_out, 1);
    assert_int_equal(c.n_created, 1);
    out_is(&c, 0, "0 1 2 3 4 ");
    /* Groups that reach the target are merged, the short tail stays. */
    merge(&c, c.in[0].size + c.in[1].size, INT64_MAX, 3);
    assert_int_equal(c.n_out, 3);
    out_is(&c, 0, "0 1 ");
    out_is(&c, 1, "2 3 ");
    assert_string_equal(c.out[2].name, c.in[4].name);
    leave_case(&c);
}

static void merging_cancels_what_was_added_and_deleted(void **state)
{
    (void)state;
    merge_case c = new_case();
    pmn_arena_init(&c.arena, pmn_mem_default());
    manifest(&c, (int[]){ 1, 2, 3 }, 3);
    manifest(&c, (int[]){ -3, -10, 4 }, 3); /* deletes 2 and, from elsewhere, 9 */
    manifest(&c, (int[]){ -2 }, 1);
    merge(&c, 1 << 20, 2 << 20, 2);
    assert_int_equal(c.n_out, 1);
    out_is(&c, 0, "3 -9 4 ");
    assert_int_equal(c.out[0].n_added, 2);
    assert_int_equal(c.out[0].n_deleted, 1);
    /* A full merge drops every DELETE. */
    merge(&c, 1 << 20, 1, 100);
    assert_int_equal(c.n_out, 1);
    out_is(&c, 0, "3 4 ");
    assert_int_equal(c.out[0].n_deleted, 0);
    leave_case(&c);
}

static void a_full_merge_keeps_large_manifests_that_lose_nothing(void **state)
{
    (void)state;
    merge_case c = new_case();
    pmn_arena_init(&c.arena, pmn_mem_default());
    manifest(&c, (int[]){ 1, 2, 3, 4, 5, 6 }, 6);
    manifest(&c, (int[]){ 11, 12, 13, 14, 15, 16 }, 6);
    manifest(&c, (int[]){ -12 }, 1);
    merge(&c, c.in[2].size + 1, 1, 100);
    assert_int_equal(c.n_out, 2);
    assert_string_equal(c.out[0].name, c.in[0].name);
    out_is(&c, 1, "12 13 14 15 16 ");
    /* Nothing deleted: the small ones alone are put together. */
    c.n_in = 2;
    manifest(&c, (int[]){ 21 }, 1);
    manifest(&c, (int[]){ 22 }, 1);
    merge(&c, c.in[2].size + 1, 1, 100);
    assert_int_equal(c.n_out, 3);
    assert_string_equal(c.out[1].name, c.in[1].name);
    out_is(&c, 2, "21 22 ");
    leave_case(&c);
}

static paimon_status merge_with(pmn_mem *mem, void *arg)
{
    merge_case *c = arg;
    pmn_arena arena;
    pmn_manifest_file *out;
    const char **created;
    int32_t n_out, n_created;
    pmn_arena_init(&arena, mem);
    pmn_manifest_merge_options options = { writer_options(c->fs, &c->counter, no_partition(&c->arena)), 1, 2 };
    options.writer.mem = mem;
    paimon_status status = pmn_manifest_merge(&options, c->in, c->n_in, &arena, &out, &n_out, &created, &n_created, NULL);
    pmn_arena_free(&arena);
    return status;
}

static void merging_survives_a_lack_of_memory(void **state)
{
    (void)state;
    merge_case c = new_case();
    pmn_arena_init(&c.arena, pmn_mem_default());
    manifest(&c, (int[]){ 1, 2, 3 }, 3);
    manifest(&c, (int[]){ -2 }, 1);
    failing_alloc_sweep(merge_with, &c);
    leave_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_java_wrote_is_written_again),
        cmocka_unit_test(a_manifest_rolls_when_it_is_large),
        cmocka_unit_test(few_small_manifests_stay_and_many_are_merged),
        cmocka_unit_test(merging_cancels_what_was_added_and_deleted),
        cmocka_unit_test(a_full_merge_keeps_large_manifests_that_lose_nothing),
        cmocka_unit_test(merging_survives_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
