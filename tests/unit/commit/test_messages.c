/* Messages that came as bytes, and all that they may hold: changelogs, index files, compactions; what does not fit the table is refused
 * before anything is written. */
#include <sys/wait.h>
#include <unistd.h>

#include "support/commit_table.h"

#include "support/failing_env.h"
#include "support/memory_files.h"

#define ROOT "mem:/wh/db.db/t"

typedef struct place {
    paimon_env *env;
    paimon_fs *fs;
    paimon_table *table;
    paimon_commit *commit;
    pmn_arena arena;
} place;

static place new_place(const char *keys, const char *options)
{
    place p = { .fs = memory_files() };
    OK(paimon_env_new(NULL, &p.env, err));
    OK(paimon_env_register_fs(p.env, "mem", p.fs, err));
    make_table(p.fs, ROOT, keys, options);
    p.table = open_table(p.env, ROOT);
    OK(paimon_commit_new(p.table, "u", &p.commit, err));
    pmn_arena_init(&p.arena, pmn_mem_default());
    return p;
}

static void leave(place *p)
{
    pmn_arena_free(&p->arena);
    paimon_commit_free(p->commit);
    paimon_table_free(p->table);
    paimon_env_free(p->env);
    paimon_fs_free(p->fs);
}

static void fails(paimon_status status, paimon_status expected, paimon_error *err, const char *words)
{
    if (status != expected || !strstr(paimon_error_message(err), words)) fail_msg("%d: %s", (int)status, paimon_error_message(err));
    paimon_error_clear(err);
}

/* As another process would get it. */
static paimon_message_list *sent(const paimon_message_list *list)
{
    uint8_t *bytes = NULL;
    size_t n = 0;
    paimon_message_list *back = NULL;
    OK(paimon_message_list_serialize(list, 0, &bytes, &n, err));
    OK(paimon_message_list_deserialize(NULL, paimon_commit_message_current_version(), bytes, n, &back, err));
    paimon_bytes_free(bytes, n);
    return back;
}

static void append(place *p, paimon_message_list *list, int64_t identifier)
{
    OK(paimon_commit_append(p->commit, list, identifier, NULL, NULL, err));
    paimon_message_list_free(list);
}

static void conflicts(place *p, paimon_message_list *list, int64_t identifier, const char *words)
{
    paimon_error err = PAIMON_ERROR_INIT;
    int files = count_in(p->fs, ROOT, "manifest"), snapshots = count_in(p->fs, ROOT, "snapshot");
    fails(paimon_commit_append(p->commit, list, identifier, NULL, NULL, &err), PAIMON_CONFLICT, &err, words);
    assert_int_equal(count_in(p->fs, ROOT, "manifest"), files);
    assert_int_equal(count_in(p->fs, ROOT, "snapshot"), snapshots);
    paimon_message_list_free(list);
}

static pmn_data_file *files_of(paimon_message_list *list, size_t n)
{
    pmn_data_file *files = pmn_arena_calloc(&list->arena, n, sizeof *files);
    assert_non_null(files);
    return files;
}

/* --- everything that a message may hold --- */

static void a_changelog_is_listed_in_its_snapshot(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"");
    paimon_message_list *list = one_file(p.table, "a", 2);
    pmn_data_file *files = files_of(list, 2);
    files[0] = fake_file(&list->arena, "changelog-a", 3);
    files[1] = fake_file(&list->arena, "changelog-b", 4);
    list->items[0].changelog_files = (pmn_data_files){ files, 2 };
    append(&p, list, 1);
    pmn_snapshot one = load_snapshot(p.table, &p.arena, 1);
    assert_int_equal(one.commit_kind, PMN_COMMIT_APPEND);
    assert_int_equal(one.changelog_record_count, 7);
    assert_int_equal(one.delta_record_count, 2);
    assert_int_equal(one.total_record_count, 2);
    char path[500];
    pmn_manifest_file *manifests;
    int32_t n;
    snprintf(path, sizeof path, "%s/manifest/%s", ROOT, one.changelog_manifest_list);
    OK(pmn_manifest_list_read(&p.arena, p.fs, path, one.changelog_manifest_list_size, &manifests, &n, err));
    assert_int_equal(n, 1);
    assert_int_equal(manifests[0].n_added, 2);
    has_files(p.env, ROOT, 0, "a ");
    /* The next one has none. */
    append(&p, one_file(p.table, "b", 1), 2);
    pmn_snapshot two = load_snapshot(p.table, &p.arena, 2);
    assert_null(two.changelog_manifest_list);
    leave(&p);
}

#define VECTORS "\"bucket\":\"-1\",\"deletion-vectors.enabled\":\"true\""

static pmn_index_files vectors_of(paimon_message_list *list, const char *name, const char *file_a, const char *file_b)
{
    pmn_index_entry *entry = pmn_arena_calloc(&list->arena, 1, sizeof *entry);
    pmn_deletion_range *ranges = pmn_arena_calloc(&list->arena, 2, sizeof *ranges);
    ranges[0] = (pmn_deletion_range){ file_a, 1, 22, 1 };
    ranges[1] = (pmn_deletion_range){ file_b, 31, 22, 2 };
    *entry = (pmn_index_entry){ .index_type = "DELETION_VECTORS", .file_name = name, .file_size = 99, .n_ranges = file_b ? 2 : 1, .ranges = ranges,
                                .row_count = file_b ? 2 : 1, .n_extra_field_ids = -1 };
    return (pmn_index_files){ entry, 1 };
}

static paimon_message_list *only_vectors(const place *p, const char *added, const char *deleted, const char *file)
{
    paimon_message_list *list = one_file(p->table, "unused", 1);
    list->items[0].new_files.n = 0;
    if (added) list->items[0].new_index_files = vectors_of(list, added, file, NULL);
    if (deleted) list->items[0].deleted_index_files = vectors_of(list, deleted, file, NULL);
    return list;
}

/* Names of the index files of the latest snapshot, in order. */
static const char *index_files(place *p)
{
    static char text[500];
    char path[500];
    pmn_snapshot latest;
    pmn_index_entry *entries;
    int32_t n;
    int64_t id;
    OK(pmn_snapshot_latest_id(pmn_mem_default(), p->fs, ROOT, &id, err));
    latest = load_snapshot(p->table, &p->arena, id);
    *text = 0;
    if (!latest.index_manifest) return "none";
    snprintf(path, sizeof path, "%s/manifest/%s", ROOT, latest.index_manifest);
    OK(pmn_index_manifest_read(&p->arena, p->fs, path, &entries, &n, err));
    for (int32_t i = 0; i < n; i++) strcat(strcat(text, entries[i].file_name), " ");
    return text;
}

static int64_t latest_kind(place *p)
{
    int64_t id;
    OK(pmn_snapshot_latest_id(pmn_mem_default(), p->fs, ROOT, &id, err));
    return load_snapshot(p->table, &p->arena, id).commit_kind;
}

static void vectors_take_the_place_of_those_they_followed(void **state)
{
    (void)state;
    place p = new_place("[]", VECTORS);
    append(&p, one_file(p.table, "a", 9), 1);
    append(&p, one_file(p.table, "b", 9), 2);
    assert_string_equal(index_files(&p), "none");
    append(&p, only_vectors(&p, "i1", NULL, "a"), 3);
    assert_int_equal(latest_kind(&p), PMN_COMMIT_OVERWRITE);
    append(&p, only_vectors(&p, "i2", NULL, "b"), 4);
    assert_string_equal(index_files(&p), "i1 i2 ");
    append(&p, only_vectors(&p, "i3", "i1", "a"), 5);
    assert_string_equal(index_files(&p), "i2 i3 ");
    /* A plain append carries them on. */
    append(&p, one_file(p.table, "c", 9), 6);
    assert_int_equal(latest_kind(&p), PMN_COMMIT_APPEND);
    assert_string_equal(index_files(&p), "i2 i3 ");
    leave(&p);
}

static void vectors_that_do_not_fit_any_more_conflict(void **state)
{
    (void)state;
    place p = new_place("[]", VECTORS);
    append(&p, one_file(p.table, "a", 9), 1);
    append(&p, only_vectors(&p, "i1", NULL, "a"), 2);
    conflicts(&p, only_vectors(&p, "i2", NULL, "a"), 3, "another deletion vector");  /* somebody was faster */
    conflicts(&p, only_vectors(&p, "i2", "i0", "a"), 3, "another deletion vector");
    conflicts(&p, only_vectors(&p, "i2", NULL, "gone"), 3, "not in the table any more");
    conflicts(&p, only_vectors(&p, "i1", "i1", "a"), 3, "named twice");
    paimon_message_list *compaction = one_file(p.table, "unused", 1);
    pmn_data_file *files = files_of(compaction, 2);
    files[0] = fake_file(&compaction->arena, "a", 9);
    files[1] = fake_file(&compaction->arena, "a2", 8);
    compaction->items[0].new_files.n = 0;
    compaction->items[0].compact_before = (pmn_data_files){ files, 1 };
    compaction->items[0].compact_after = (pmn_data_files){ files + 1, 1 };
    /* It read the file before rows of it were deleted: they would come back. */
    paimon_commit_options options = PAIMON_COMMIT_OPTIONS_INIT;
    options.ignore_empty = true;
    paimon_error err = PAIMON_ERROR_INIT;
    fails(paimon_commit_append(p.commit, compaction, 3, &options, NULL, &err), PAIMON_CONFLICT, &err, "another deletion vector");
    compaction->items[0].compact_deleted_index_files = vectors_of(compaction, "i1", "a", NULL);
    OK(pmn_fs_write_new(p.fs, ROOT "/bucket-0/a2", "data", 4, err)); /* it is given a second time */
    OK(paimon_commit_append(p.commit, compaction, 3, &options, NULL, err));
    assert_int_equal(latest_kind(&p), PMN_COMMIT_COMPACT);
    assert_string_equal(index_files(&p), "");
    paimon_message_list_free(compaction);
    leave(&p);
}

static void a_bucket_has_one_file_of_vectors(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"2\",\"bucket-key\":\"v\",\"deletion-vectors.enabled\":\"true\"");
    for (int32_t bucket = 0; bucket < 2; bucket++) {
        paimon_message_list *list = new_messages();
        add_message(p.table, list, NULL, 0, bucket, 2, bucket ? "b" : "a", 9);
        list->items[0].new_index_files = vectors_of(list, bucket ? "j1" : "i1", bucket ? "b" : "a", NULL);
        append(&p, list, 1 + bucket);
    }
    assert_string_equal(index_files(&p), "i1 j1 ");
    paimon_message_list *list = new_messages();
    add_message(p.table, list, NULL, 0, 0, 2, "a2", 9);
    list->items[0].new_index_files = vectors_of(list, "i2", "a", "a2");
    append(&p, list, 3);
    assert_string_equal(index_files(&p), "j1 i2 ");
    leave(&p);
}

static void an_overwrite_takes_vectors_along(void **state)
{
    (void)state;
    place p = new_place("[\"p\"]", VECTORS);
    for (int i = 0; i < 2; i++) {
        paimon_message_list *list = new_messages();
        add_message(p.table, list, i ? "y" : "x", 0, 0, -1, i ? "b" : "a", 9);
        list->items[0].new_index_files = vectors_of(list, i ? "j1" : "i1", i ? "b" : "a", NULL);
        append(&p, list, 1 + i);
    }
    paimon_message_list *list = new_messages();
    add_message(p.table, list, "x", 0, 0, -1, "a2", 9);
    list->items[0].new_index_files = vectors_of(list, "i2", "a2", NULL);
    OK(paimon_commit_overwrite(p.commit, NULL, 0, list, 3, NULL, NULL, err));
    assert_string_equal(index_files(&p), "j1 i2 ");
    /* A vector of a file that goes is a mistake. */
    paimon_message_list *wrong = new_messages();
    paimon_error err = PAIMON_ERROR_INIT;
    add_message(p.table, wrong, "x", 0, 0, -1, "a3", 9);
    wrong->items[0].new_index_files = vectors_of(wrong, "i3", "a2", NULL);
    fails(paimon_commit_overwrite(p.commit, NULL, 0, wrong, 4, NULL, NULL, &err), PAIMON_CONFLICT, &err, "not in the table any more");
    paimon_message_list_free(wrong);
    paimon_message_list_free(list);
    leave(&p);
}

static void a_compaction_that_a_crash_cut_off_is_made_up_for(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"");
    append(&p, one_file(p.table, "a", 2), 1);
    paimon_message_list *list = one_file(p.table, "b", 1);
    pmn_data_file *files = files_of(list, 2);
    files[0] = fake_file(&list->arena, "a", 2);
    files[1] = fake_file(&list->arena, "a2", 2);
    /* The first half alone, as if the process had ended behind it. */
    write_fake_files(p.table, list);
    char path[500];
    data_path(p.table, &list->items[0], "a2", path, sizeof path);
    OK(pmn_fs_write_new(p.fs, path, "data", 4, err));
    OK(paimon_commit_append(p.commit, list, 2, NULL, NULL, err));
    list->items[0].compact_before = (pmn_data_files){ files, 1 };
    list->items[0].compact_after = (pmn_data_files){ files + 1, 1 };
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    OK(paimon_commit_filter_and_append(p.commit, list, 2, NULL, &result, err));
    assert_false(result.already_committed);
    assert_int_equal(result.n_snapshots, 1);
    has_files(p.env, ROOT, 0, "a2 b ");
    OK(paimon_commit_filter_and_append(p.commit, list, 2, NULL, &result, err));
    assert_true(result.already_committed);
    assert_int_equal(result.snapshot_id, 0);
    paimon_message_list_free(list);
    leave(&p);
}

/* --- messages that came as bytes --- */

static void what_came_as_bytes_is_committed_once(void **state)
{
    (void)state;
    place p = new_place("[\"p\",\"q\"]", "\"bucket\":\"-1\"");
    paimon_message_list *list = new_messages();
    add_message(p.table, list, "x", 1, 0, -1, "a", 5);
    add_message(p.table, list, NULL, 2, 0, -1, "b", 5);
    write_fake_files(p.table, list);
    append(&p, sent(list), PAIMON_BATCH_COMMIT);
    has_files(p.env, ROOT, 0, "a b ");
    conflicts(&p, sent(list), PAIMON_BATCH_COMMIT, "in the table already");
    /* Also after the files were replaced: their rows must not come back. */
    OK(paimon_commit_truncate(p.commit, PAIMON_BATCH_COMMIT, NULL, err));
    conflicts(&p, sent(list), PAIMON_BATCH_COMMIT, "in the table before");
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_message_list *again = sent(list);
    fails(paimon_commit_overwrite(p.commit, NULL, 0, again, 9, NULL, NULL, &err), PAIMON_CONFLICT, &err, "in the table before");
    paimon_message_list_free(again);
    /* The same message twice in one list. */
    paimon_message_list *both[] = { sent(list), sent(list) }, *twice = NULL;
    OK(paimon_message_list_concat(both, 2, &twice, err));
    assert_true(twice->foreign);
    conflicts(&p, twice, PAIMON_BATCH_COMMIT, "named twice");
    paimon_message_list_free(both[0]);
    paimon_message_list_free(both[1]);
    paimon_message_list_free(list);
    leave(&p);
}

static void files_that_are_not_there_are_not_committed(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"");
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_message_list *list = one_file(p.table, "a", 5), *back = sent(list);
    fails(paimon_commit_append(p.commit, back, 1, NULL, NULL, &err), PAIMON_NOT_FOUND, &err, "is gone");
    write_fake_files(p.table, list);
    pmn_data_file *file = (pmn_data_file *)(void *)list->items[0].new_files.items;
    file->size = 5;
    paimon_message_list *other = sent(list);
    fails(paimon_commit_append(p.commit, other, 1, NULL, NULL, &err), PAIMON_INVALID, &err, "has 4 bytes, 5 in a commit message");
    assert_int_equal(count_in(p.fs, ROOT, "snapshot"), 0);
    append(&p, back, 1);
    has_files(p.env, ROOT, 0, "a ");
    paimon_message_list_free(other);
    paimon_message_list_free(list);
    leave(&p);
}

typedef struct misfit {
    const char *words;
    paimon_status status;
    void (*spoil)(paimon_message_list *list, pmn_message *m, pmn_data_file *f);
} misfit;

/* A row of one null. */
static pmn_slice partition_of_one(paimon_message_list *list)
{
    uint8_t *row = pmn_arena_calloc(&list->arena, 20, 1);
    row[3] = 1;
    row[5] = 1;
    return pmn_slice_of(row, 20);
}

#define SPOIL(name, ...)                                                                                               \
    static void name(paimon_message_list *list, pmn_message *m, pmn_data_file *f)                                      \
    {                                                                                                                  \
        (void)list, (void)m, (void)f;                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
SPOIL(no_partition, m->partition = f->min_key)
SPOIL(wild_partition, ((uint8_t *)(uintptr_t)m->partition.data)[4] = 3) /* the row kind */
SPOIL(wild_offset, ((uint8_t *)(uintptr_t)m->partition.data)[4 + 8 + 4] = 200; ((uint8_t *)(uintptr_t)m->partition.data)[4 + 8 + 7] = 0)
SPOIL(no_bucket, m->bucket = -1)
SPOIL(far_bucket, m->bucket = 2)
SPOIL(no_buckets, m->total_buckets = -1)
SPOIL(other_buckets, m->total_buckets = 5)
SPOIL(other_schema, f->schema_id = 8)
SPOIL(level, f->level = 1)
SPOIL(deleted_rows, f->delete_row_count = 99)
SPOIL(sequence, f->min_sequence = 99)
SPOIL(name, f->name = "..")
SPOIL(folder, f->name = "a/b")
SPOIL(extra, static const char *extra[] = { "../x" }; f->extra_files = extra; f->n_extra_files = 1)
SPOIL(external, f->external_path = "/etc/passwd")
SPOIL(stats_columns, static const char *cols[] = { "nobody" }; f->value_stats_cols = cols; f->n_value_stats_cols = 1; f->value_stats.min = f->value_stats.max = partition_of_one(list))
SPOIL(stats_counts, static const int64_t counts[] = { 1, 2 }; f->value_stats.null_counts = counts; f->value_stats.n_null_counts = 2)
SPOIL(hash_index, m->new_index_files = vectors_of(list, "h", "a", NULL); ((pmn_index_entry *)(void *)m->new_index_files.items)->index_type = "HASH")
SPOIL(global_index, m->new_index_files = vectors_of(list, "h", "a", NULL); ((pmn_index_entry *)(void *)m->new_index_files.items)->index_type = "btree")
SPOIL(vectors, m->new_index_files = vectors_of(list, "h", "a", NULL))

static void what_does_not_fit_the_table_is_refused_before_anything_is_written(void **state)
{
    (void)state;
    static const misfit misfits[] = {
        { "partition of 0 columns", PAIMON_INVALID, no_partition },
        { "not written as rows", PAIMON_INVALID, wild_partition },
        { "partition", PAIMON_INVALID, wild_offset },
        { "bucket -1", PAIMON_INVALID, no_bucket },
        { "bucket 2 of 2", PAIMON_INVALID, far_bucket },
        { "for -1 buckets", PAIMON_INVALID, no_buckets },
        { "for 5 buckets", PAIMON_CONFLICT, other_buckets },
        { "schema 8", PAIMON_INVALID, other_schema },
        { "level 1", PAIMON_INVALID, level },
        { "99 of them delete", PAIMON_INVALID, deleted_rows },
        { "sequence numbers from 99", PAIMON_INVALID, sequence },
        { "'..'", PAIMON_INVALID, name },
        { "'a/b'", PAIMON_INVALID, folder },
        { "'../x'", PAIMON_INVALID, extra },
        { "/etc/passwd", PAIMON_INVALID, external },
        { "does not have", PAIMON_INVALID, stats_columns },
        { "null counts", PAIMON_INVALID, stats_counts },
        { "dynamic buckets", PAIMON_INVALID, hash_index },
        { "btree", PAIMON_UNSUPPORTED, global_index },
        { "the table none", PAIMON_INVALID, vectors },
    };
    place p = new_place("[\"p\",\"q\"]", "\"bucket\":\"2\",\"bucket-key\":\"v\"");
    for (size_t i = 0; i < sizeof misfits / sizeof misfits[0]; i++) {
        paimon_message_list *list = new_messages();
        paimon_error err = PAIMON_ERROR_INIT;
        pmn_message *m = add_message(p.table, list, "a long text", 1, 0, 2, "a", 5);
        if (i == 0) write_fake_files(p.table, list);
        misfits[i].spoil(list, m, (pmn_data_file *)(void *)m->new_files.items);
        paimon_message_list *back = sent(list);
        fails(paimon_commit_append(p.commit, back, 1, NULL, NULL, &err), misfits[i].status, &err, misfits[i].words);
        paimon_message_list_free(back);
        paimon_message_list_free(list);
    }
    assert_int_equal(count_in(p.fs, ROOT, "manifest"), 0);
    assert_int_equal(count_in(p.fs, ROOT, "snapshot"), 0);
    leave(&p);
}

/* --- aborting --- */

static void what_came_as_bytes_is_aborted_only_if_nobody_has_it(void **state)
{
    (void)state;
    place p = new_place("[]", VECTORS);
    paimon_commit *other = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_message_list *list = one_file(p.table, "a", 5);
    list->items[0].new_index_files = vectors_of(list, "i1", "a", NULL);
    write_fake_files(p.table, list);
    OK(pmn_fs_write_new(p.fs, ROOT "/index/i1", "12345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678", 99, err));
    paimon_message_list *back = sent(list);
    OK(paimon_commit_append(p.commit, back, 1, NULL, NULL, err));
    OK(paimon_commit_truncate(p.commit, 2, NULL, err));
    append(&p, new_messages(), 3);
    OK(paimon_commit_new(p.table, "somebody else", &other, err));
    fails(paimon_commit_abort(other, back, &err), PAIMON_STATE, &err, "has been committed");
    /* The index file alone. */
    ((pmn_message *)(void *)&back->items[0])->new_files.n = 0;
    fails(paimon_commit_abort(other, back, &err), PAIMON_STATE, &err, "i1 has been committed");
    paimon_message_list_free(back);
    pmn_data_file *file = (pmn_data_file *)(void *)list->items[0].new_files.items;
    file->name = "z";
    file->external_path = "mem:/elsewhere/z";
    list->items[0].new_index_files.n = 0;
    OK(pmn_fs_write_new(p.fs, "mem:/elsewhere/z", "data", 4, err));
    back = sent(list);
    fails(paimon_commit_abort(other, back, &err), PAIMON_INVALID, &err, "external paths");
    bool exists;
    OK(pmn_fs_exists(p.fs, "mem:/elsewhere/z", &exists, NULL, err));
    assert_true(exists);
    paimon_message_list_free(back);
    file->external_path = NULL;
    write_fake_files(p.table, list);
    back = sent(list);
    OK(paimon_commit_abort(other, back, err));
    char path[500];
    data_path(p.table, &list->items[0], "z", path, sizeof path);
    OK(pmn_fs_exists(p.fs, path, &exists, NULL, err));
    assert_false(exists);
    paimon_message_list_free(back);
    paimon_message_list_free(list);
    paimon_commit_free(other);
    leave(&p);
}

/* --- memory --- */

/* A compaction of a file with a deletion vector, and a new file with a changelog, as bytes. */
static paimon_message_list *all_kinds(const place *p)
{
    paimon_message_list *list = one_file(p->table, "new", 3);
    pmn_data_file *files = files_of(list, 3);
    files[0] = fake_file(&list->arena, "a", 9);
    files[1] = fake_file(&list->arena, "a2", 8);
    files[2] = fake_file(&list->arena, "log", 3);
    list->items[0].compact_before = (pmn_data_files){ files, 1 };
    list->items[0].compact_after = (pmn_data_files){ files + 1, 1 };
    list->items[0].changelog_files = (pmn_data_files){ files + 2, 1 };
    list->items[0].compact_deleted_index_files = vectors_of(list, "i1", "a", NULL);
    return list;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    for (int64_t at = 0;; at += 1 + at / 50) {
        failing_env f;
        place p = { .fs = memory_files() };
        failing_env_begin(&f, p.fs);
        p.env = f.env;
        make_table(p.fs, ROOT, "[]", VECTORS);
        p.table = open_table(p.env, ROOT);
        OK(paimon_commit_new(p.table, "u", &p.commit, err));
        pmn_arena_init(&p.arena, pmn_mem_default());
        append(&p, one_file(p.table, "a", 9), 1);
        append(&p, only_vectors(&p, "i1", NULL, "a"), 2);
        paimon_message_list *list = all_kinds(&p), *back = sent(list);
        write_fake_files(p.table, list);
        const char *others[] = { "a2", "log" };
        for (int i = 0; i < 2; i++) {
            char path[500];
            data_path(p.table, &list->items[0], others[i], path, sizeof path);
            OK(pmn_fs_write_new(p.fs, path, "data", 4, err));
        }
        paimon_error err = PAIMON_ERROR_INIT;
        failing_env_refuse(&f, at, false);
        paimon_status status = paimon_commit_append(p.commit, back, 3, NULL, NULL, &err);
        if (status == PAIMON_OK) status = paimon_commit_abort(p.commit, back, &err) == PAIMON_NOMEM ? PAIMON_NOMEM : PAIMON_OK;
        bool reached = failing_env_relent(&f);
        if (reached) assert_true(status == PAIMON_NOMEM || status == PAIMON_IO || status == PAIMON_OK);
        else assert_int_equal(status, PAIMON_OK);
        paimon_error_clear(&err);
        /* Whole or not at all: what a second try finds fits, or says that it was done. */
        paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
        OK(paimon_commit_filter_and_append(p.commit, back, 3, NULL, &result, err));
        assert_string_equal(index_files(&p), "");
        assert_int_equal(latest_kind(&p), PMN_COMMIT_COMPACT);
        paimon_message_list_free(list);
        paimon_message_list_free(back);
        leave(&p);
        assert_int_equal(f.alloc.alive, 0);
        if (!reached) break;
    }
}

static void what_this_process_wrote_is_committed_once_too(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"");
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_commit *other = NULL;
    paimon_message_list *a = one_file(p.table, "a", 2), *b = one_file(p.table, "b", 3), *both = NULL, *twice = NULL;
    write_fake_files(p.table, a);
    write_fake_files(p.table, b);
    OK(paimon_message_list_concat((paimon_message_list *[]){ a, b }, 2, &both, err));
    OK(paimon_message_list_concat((paimon_message_list *[]){ b, b }, 2, &twice, err));
    OK(paimon_commit_append(p.commit, a, 1, NULL, NULL, err));
    /* The list, the list by another committer, a list that it is part of, and one that has a part twice. */
    conflicts(&p, paimon_message_list_retain(a), 2, "in the table already");
    OK(paimon_commit_new(p.table, "other", &other, err));
    fails(paimon_commit_append(other, a, 1, NULL, NULL, &err), PAIMON_CONFLICT, &err, "in the table already");
    conflicts(&p, both, 2, "in the table already");
    conflicts(&p, twice, 2, "named twice");
    fails(paimon_commit_overwrite(p.commit, NULL, 0, a, 2, NULL, NULL, &err), PAIMON_CONFLICT, &err, "a");
    /* What was refused with others may come alone. */
    OK(paimon_commit_append(p.commit, b, 2, NULL, NULL, err));
    has_files(p.env, ROOT, 0, "a b ");
    /* Also when it is in the table no more. */
    OK(paimon_commit_truncate(p.commit, 3, NULL, err));
    conflicts(&p, a, 4, "a");
    conflicts(&p, b, 4, "b");
    has_files(p.env, ROOT, 0, "");
    /* A list whose bytes came first. */
    paimon_message_list *c = one_file(p.table, "c", 4);
    write_fake_files(p.table, c);
    append(&p, sent(c), 5);
    conflicts(&p, c, 6, "in the table already");
    has_files(p.env, ROOT, 0, "c ");
    paimon_commit_free(other);
    leave(&p);
}

/* Both would write manifests of the same names, and the one that loses would remove those of the other. */
static void a_committer_stays_with_its_process(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"");
    paimon_message_list *list = one_file(p.table, "a", 2);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(paimon_commit_append(p.commit, list, 1, NULL, NULL, NULL) == PAIMON_STATE && paimon_commit_truncate(p.commit, 1, NULL, NULL) == PAIMON_STATE &&
                      paimon_commit_abort(p.commit, list, NULL) == PAIMON_STATE && paimon_commit_drop_partitions(p.commit, NULL, 0, 1, NULL, NULL) == PAIMON_STATE
                  ? 0
                  : 1);
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    append(&p, list, 1);
    has_files(p.env, ROOT, 0, "a ");
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changelog_is_listed_in_its_snapshot),
        cmocka_unit_test(vectors_take_the_place_of_those_they_followed),
        cmocka_unit_test(vectors_that_do_not_fit_any_more_conflict),
        cmocka_unit_test(a_bucket_has_one_file_of_vectors),
        cmocka_unit_test(an_overwrite_takes_vectors_along),
        cmocka_unit_test(a_compaction_that_a_crash_cut_off_is_made_up_for),
        cmocka_unit_test(what_came_as_bytes_is_committed_once),
        cmocka_unit_test(what_this_process_wrote_is_committed_once_too),
        cmocka_unit_test(a_committer_stays_with_its_process),
        cmocka_unit_test(files_that_are_not_there_are_not_committed),
        cmocka_unit_test(what_does_not_fit_the_table_is_refused_before_anything_is_written),
        cmocka_unit_test(what_came_as_bytes_is_aborted_only_if_nobody_has_it),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
