/* A record of a manifest straight into a file's row gives what the way by DataFileMeta gives: for every entry that Java wrote, for random
 * ones, and for damaged ones. */
#include "support/unit.h"

#include <dirent.h>

#include "format/avro/container.h"
#include "io/env.h"
#include "io/fs_impl.h"
#include "meta/manifest/file_row.h"
#include "meta/manifest/manifest_schemas.h"
#include "meta/manifest/manifest_write.h"
#include "meta/manifest/record_row.h"
#include "meta/snapshot/snapshot.h"
#include "support/commit_table.h"
#include "support/memory_files.h"
#include "support/tables.h"

typedef struct places {
    pmn_entry_place at[4096];
    size_t n;
} places;

static paimon_status note_place(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    places *all = ctx;
    (void)err;
    if (all->n < sizeof all->at / sizeof *all->at) all->at[all->n++] = entry->place;
    return PAIMON_OK;
}

/* Both ways at one place: the same status, and the same bytes. */
static void same_row(pmn_manifest_lens *lens, const pmn_manifest *manifest, pmn_entry_place place, int32_t arity)
{
    pmn_buf straight, plain;
    pmn_manifest_entry entry;
    pmn_buf_init(&straight, pmn_mem_default(), PMN_BUF_NO_CEILING);
    pmn_buf_init(&plain, pmn_mem_default(), PMN_BUF_NO_CEILING);
    paimon_status by_file = pmn_manifest_lens_look(lens, manifest, place, &entry, NULL);
    if (by_file == PAIMON_OK) by_file = pmn_file_row_write(&plain, &entry.file, arity, NULL);
    paimon_status by_record = pmn_manifest_lens_row(lens, manifest, place, arity, &straight, NULL);
    assert_int_equal(by_record, by_file);
    assert_int_equal(straight.size, plain.size);
    assert_memory_equal(straight.data ? straight.data : (const uint8_t *)"", plain.data ? plain.data : (const uint8_t *)"", plain.size);
    pmn_buf_free(&straight);
    pmn_buf_free(&plain);
}

static void places_of(paimon_fs *fs, const char *path, places *all)
{
    pmn_manifest_visitor visitor = { .ctx = all, .wanted = PMN_ENTRY_NAME, .entry = note_place };
    all->n = 0;
    if (pmn_manifest_read(pmn_mem_default(), fs, path, -1, &visitor, NULL) != PAIMON_OK) all->n = 0; /* in ORC */
}

/* In every arity. */
static void same_rows_at(paimon_fs *fs, const char *path, const places *all)
{
    pmn_manifest *manifest = NULL;
    pmn_manifest_lens *lens = NULL;
    if (all->n == 0 || pmn_manifest_load(pmn_mem_default(), fs, path, -1, &manifest, NULL) != PAIMON_OK) return;
    OK(pmn_manifest_lens_new(pmn_mem_default(), 1 << 20, &lens, err));
    for (size_t i = 0; i < all->n; i++)
        for (int32_t arity = PMN_FILE_ROW_OLDEST; arity <= PMN_FILE_ROW_NEWEST; arity++) same_row(lens, manifest, all->at[i], arity);
    pmn_manifest_lens_free(lens);
    pmn_manifest_release(manifest);
}

/* Every entry of a manifest; returns how many there are. */
static size_t same_rows(paimon_fs *fs, const char *path)
{
    places *all = calloc(1, sizeof *all);
    places_of(fs, path, all);
    same_rows_at(fs, path, all);
    size_t n = all->n;
    free(all);
    return n;
}

static int32_t fields_of(pmn_slice schema)
{
    pmn_arena arena;
    const pmn_avro_type *root;
    pmn_arena_init(&arena, pmn_mem_default());
    OK(pmn_avro_schema_parse(&arena, schema, &root, err));
    int32_t n = pmn_record_row_fields(root);
    pmn_arena_free(&arena);
    return n;
}

static void todays_schema_goes_straight_and_a_strange_one_does_not(void **state)
{
    (void)state;
    size_t n;
    pmn_avro_header header;
    unsigned char *bytes = test_file("data/avro/manifest-strange.avro", &n);
    OK(pmn_avro_header_parse(pmn_slice_of(bytes, n), &header, err));
    assert_int_equal(fields_of(header.schema), 0);
    free(bytes);
    assert_int_equal(fields_of(pmn_slice_text(pmn_manifest_avro_schema)), PMN_FILE_ROW_NEWEST);
}

static void every_codec_and_shape_gives_the_same_rows(void **state)
{
    (void)state;
    static const char *const names[] = { "null", "deflate", "snappy", "zstandard", "bzip2", "xz", "strange", "old" };
    paimon_fs *fs;
    OK(pmn_env_fs(NULL, "/", &fs, err));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/tests/data/avro/manifest-%s.avro", PAIMON_SOURCE_DIR, names[i]);
        assert_true(same_rows(fs, path) > 0);
    }
}

typedef struct java_run {
    size_t n_entries, n_manifests, n_straight;
} java_run;

static bool goes_straight(const char *path)
{
    pmn_buf file;
    pmn_avro_header header;
    pmn_buf_init(&file, pmn_mem_default(), PMN_BUF_NO_CEILING);
    OK(pmn_fs_read_all(pmn_mem_default(), pmn_fs_local_default(), path, 1 << 30, &file, err));
    bool straight = pmn_avro_header_parse(pmn_slice_of(file.data, file.size), &header, NULL) == PAIMON_OK && fields_of(header.schema) > 0;
    pmn_buf_free(&file);
    return straight;
}

static void one_table(void *ctx, const char *name, const char *root)
{
    java_run *run = ctx;
    char folder[4096], path[8192];
    (void)name;
    snprintf(folder, sizeof folder, "%s/manifest", root);
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        if (strncmp(e->d_name, "manifest-", 9) != 0 || strncmp(e->d_name, "manifest-list", 13) == 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        run->n_entries += same_rows(pmn_fs_local_default(), path);
        run->n_straight += goes_straight(path);
        run->n_manifests++;
    }
    if (dir) closedir(dir);
}

static void what_java_wrote_gives_the_same_rows(void **state)
{
    (void)state;
    java_run run = { 0 };
    int tables = each_table(one_table, &run);
    printf("%zu entries in %zu manifests of %d tables, %zu of them straight\n", run.n_entries, run.n_manifests, tables, run.n_straight);
    assert_true(run.n_straight > run.n_manifests * 3 / 4);
}

/* --- random entries --- */

static int64_t some_long(uint64_t *seed)
{
    static const int64_t edges[] = { 0, 1, -1, 63, 64, -64, -65, 127, 8191, 8192, INT64_MAX, INT64_MIN + 1 };
    return random_below(seed, 2) ? edges[random_below(seed, 12)] : (int64_t)random_next(seed) >> random_below(seed, 64);
}

static int64_t some_size(uint64_t *seed)
{
    return some_long(seed) & INT64_MAX;
}

static pmn_slice some_bytes(pmn_arena *arena, uint64_t *seed)
{
    size_t n = random_below(seed, 40);
    uint8_t *bytes = pmn_arena_calloc(arena, 1, n + 1);
    for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)random_next(seed);
    return pmn_slice_of(bytes, n);
}

static const char *some_text(pmn_arena *arena, uint64_t *seed, size_t least)
{
    size_t n = least + random_below(seed, 20);
    char *text = pmn_arena_calloc(arena, 1, n + 1);
    for (size_t i = 0; i < n; i++) text[i] = (char)('a' + random_below(seed, 26));
    return text;
}

static const char **some_texts(pmn_arena *arena, uint64_t *seed, int32_t n)
{
    const char **texts = pmn_arena_calloc(arena, (size_t)(n > 0 ? n : 1), sizeof *texts);
    for (int32_t i = 0; i < n; i++) texts[i] = some_text(arena, seed, 0);
    return texts;
}

static const int64_t *some_longs(pmn_arena *arena, uint64_t *seed, int32_t n)
{
    int64_t *values = pmn_arena_calloc(arena, (size_t)(n > 0 ? n : 1), sizeof *values);
    for (int32_t i = 0; i < n; i++) values[i] = some_long(seed);
    return values;
}

static pmn_simple_stats some_stats(pmn_arena *arena, uint64_t *seed)
{
    int32_t n = (int32_t)random_below(seed, 70) - 1;
    return (pmn_simple_stats){ some_bytes(arena, seed), some_bytes(arena, seed), n, some_longs(arena, seed, n) };
}

static pmn_data_file some_file(pmn_arena *arena, uint64_t *seed)
{
    pmn_data_file f = { .name = some_text(arena, seed, 1), .size = some_size(seed), .row_count = some_size(seed) };
    f.min_key = some_bytes(arena, seed);
    f.max_key = some_bytes(arena, seed);
    f.key_stats = some_stats(arena, seed);
    f.value_stats = some_stats(arena, seed);
    f.min_sequence = some_long(seed);
    f.max_sequence = some_long(seed);
    f.schema_id = some_long(seed);
    f.level = (int32_t)some_long(seed);
    f.n_extra_files = (int32_t)random_below(seed, 4);
    f.extra_files = some_texts(arena, seed, f.n_extra_files);
    f.creation_time_ms = random_below(seed, 5) ? some_long(seed) : PMN_NONE;
    f.delete_row_count = random_below(seed, 2) ? some_long(seed) : PMN_NONE;
    f.has_embedded_index = random_below(seed, 2);
    f.embedded_index = some_bytes(arena, seed);
    f.file_source = (int32_t)random_below(seed, 3) - 1;
    f.n_value_stats_cols = (int32_t)random_below(seed, 5) - 1;
    f.value_stats_cols = some_texts(arena, seed, f.n_value_stats_cols);
    f.external_path = random_below(seed, 2) ? some_text(arena, seed, 0) : NULL;
    f.first_row_id = random_below(seed, 2) ? some_long(seed) : PMN_NONE;
    f.n_write_cols = (int32_t)random_below(seed, 5) - 1;
    f.write_cols = some_texts(arena, seed, f.n_write_cols);
    f.n_write_cols_sequences = (int32_t)random_below(seed, 5) - 1;
    f.write_cols_sequences = some_longs(arena, seed, f.n_write_cols_sequences);
    return f;
}

/* `n` random entries as a manifest: its path in the arena. */
static const char *random_manifest(paimon_fs *fs, pmn_arena *arena, uint64_t *seed, int n, const char *codec)
{
    static const uint8_t no_fields[12];
    pmn_manifest_writer *w;
    pmn_manifest_file *files;
    int32_t n_files, counter = 0;
    pmn_manifest_writer_options options = { .mem = pmn_mem_default(), .fs = fs, .folder = "mem:/t/manifest", .uuid = some_text(arena, seed, 8),
                                            .counter = &counter, .partition_type = pmn_type_row(arena, false, NULL, 0), .codec = { codec, 1 },
                                            .target_bytes = 8 << 20 };
    OK(pmn_manifest_writer_new(&options, &w, err));
    for (int i = 0; i < n; i++) {
        pmn_manifest_entry entry = { .kind = PMN_FILE_ADD, .partition = { no_fields, 12 }, .total_buckets = 1, .file = some_file(arena, seed) };
        OK(pmn_manifest_writer_add(w, &entry, err));
    }
    OK(pmn_manifest_writer_finish(w, arena, &files, &n_files, err));
    pmn_manifest_writer_free(w);
    assert_int_equal(n_files, 1);
    char *path = pmn_arena_calloc(arena, 1, 256);
    snprintf(path, 256, "mem:/t/manifest/%s", files[0].name);
    return path;
}

static void random_entries_give_the_same_rows(void **state)
{
    (void)state;
    uint64_t seed = 20;
    for (int round = 0; round < 20; round++) {
        pmn_arena arena;
        paimon_fs *fs = memory_files();
        pmn_arena_init(&arena, pmn_mem_default());
        assert_int_equal(same_rows(fs, random_manifest(fs, &arena, &seed, 50, "zstandard")), 50);
        pmn_arena_free(&arena);
        paimon_fs_free(fs);
    }
}

static void damaged_entries_are_refused_by_both_or_give_the_same_rows(void **state)
{
    (void)state;
    uint64_t seed = 4;
    size_t n_ok = 0;
    for (int round = 0; round < 300; round++) {
        pmn_arena arena;
        pmn_buf file;
        pmn_avro_header header;
        places *all = calloc(1, sizeof *all);
        paimon_fs *fs = memory_files();
        pmn_arena_init(&arena, pmn_mem_default());
        pmn_buf_init(&file, pmn_mem_default(), PMN_BUF_NO_CEILING);
        const char *path = random_manifest(fs, &arena, &seed, 3, "null");
        places_of(fs, path, all);
        assert_int_equal(all->n, 3);
        OK(pmn_fs_read_all(pmn_mem_default(), fs, path, 1 << 30, &file, err));
        OK(pmn_avro_header_parse(pmn_slice_of(file.data, file.size), &header, err));
        for (int k = 0; k < 3; k++) file.data[header.size + 4 + random_below(&seed, file.size - header.size - 20)] = (uint8_t)random_next(&seed);
        put_file(fs, "mem:/t/damaged", file.data, file.size);
        same_rows_at(fs, "mem:/t/damaged", all);
        places_of(fs, "mem:/t/damaged", all);
        n_ok += all->n > 0;
        pmn_buf_free(&file);
        pmn_arena_free(&arena);
        paimon_fs_free(fs);
        free(all);
    }
    printf("%zu of 300 are still manifests\n", n_ok);
    assert_true(n_ok > 5 && n_ok < 295);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(todays_schema_goes_straight_and_a_strange_one_does_not),
        cmocka_unit_test(every_codec_and_shape_gives_the_same_rows),
        cmocka_unit_test(what_java_wrote_gives_the_same_rows),
        cmocka_unit_test(random_entries_give_the_same_rows),
        cmocka_unit_test(damaged_entries_are_refused_by_both_or_give_the_same_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
