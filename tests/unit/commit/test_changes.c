/* Conflicts, idempotence, overwriting, dropping, aborting. */
#include "support/commit_table.h"

#include "support/memory_files.h"

#define ROOT "mem:/wh/db.db/t"

typedef struct place {
    paimon_env *env;
    paimon_fs *fs;
    paimon_table *table;
    paimon_commit *commit;
} place;

static place new_place(const char *keys, const char *options, const char *user)
{
    place p = { .fs = memory_files() };
    OK(paimon_env_new(NULL, &p.env, err));
    OK(paimon_env_register_fs(p.env, "mem", p.fs, err));
    make_table(p.fs, ROOT, keys, options);
    p.table = open_table(p.env, ROOT);
    OK(paimon_commit_new(p.table, user, &p.commit, err));
    return p;
}

static void leave(place *p)
{
    paimon_commit_free(p->commit);
    paimon_table_free(p->table);
    paimon_env_free(p->env);
    paimon_fs_free(p->fs);
}

static void append(place *p, paimon_message_list *list, int64_t identifier)
{
    OK(paimon_commit_append(p->commit, list, identifier, NULL, NULL, err));
    paimon_message_list_free(list);
}

static void fails(paimon_status status, paimon_status expected, paimon_error *err, const char *words)
{
    if (status != expected || !strstr(paimon_error_message(err), words)) fail_msg("%d: %s", (int)status, paimon_error_message(err));
    paimon_error_clear(err);
}

static paimon_message_list *in_partition(const place *p, const char *value, int32_t q, const char *name)
{
    paimon_message_list *list = new_messages();
    add_message(p->table, list, value, q, 0, -1, name, 5);
    return list;
}

/* --- conflicts --- */

static paimon_message_list *deleting(const place *p, const char *name, const char *replacement)
{
    paimon_message_list *list = one_file(p->table, replacement, 1);
    pmn_data_file *file = pmn_arena_calloc(&list->arena, 1, sizeof *file);
    *file = fake_file(&list->arena, name, 2);
    list->items[0].deleted_files = (pmn_data_files){ file, 1 };
    return list;
}

static void a_file_is_deleted_once(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"", "u");
    append(&p, one_file(p.table, "a", 2), 1);
    append(&p, deleting(&p, "a", "b"), 2);
    has_files(p.env, ROOT, 0, "b ");
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_snapshot two = load_snapshot(p.table, &arena, 2);
    assert_int_equal(two.commit_kind, PMN_COMMIT_OVERWRITE);
    assert_int_equal(two.delta_record_count, -1);
    assert_int_equal(two.total_record_count, 1);
    pmn_arena_free(&arena);
    int files = count_in(p.fs, ROOT, "manifest");
    paimon_message_list *again = deleting(&p, "a", "c");
    paimon_error err = PAIMON_ERROR_INIT;
    fails(paimon_commit_append(p.commit, again, 3, NULL, NULL, &err), PAIMON_CONFLICT, &err, "not in the table any more");
    assert_int_equal(count_in(p.fs, ROOT, "manifest"), files);
    paimon_message_list_free(again);
    leave(&p);
}

static void an_added_file_is_added_once_when_asked_to_check(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"", "u");
    append(&p, one_file(p.table, "a", 2), 1);
    paimon_message_list *again = one_file(p.table, "a", 2);
    paimon_commit_options options = PAIMON_COMMIT_OPTIONS_INIT;
    options.check_conflicts = true;
    paimon_error err = PAIMON_ERROR_INIT;
    fails(paimon_commit_append(p.commit, again, 2, &options, NULL, &err), PAIMON_CONFLICT, &err, "in the table already");
    paimon_message_list_free(again);
    leave(&p);
}

static void a_compaction_is_a_snapshot_of_its_own(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"", "u");
    append(&p, one_file(p.table, "a", 2), 1);
    append(&p, one_file(p.table, "b", 3), 2);
    paimon_message_list *list = one_file(p.table, "c", 1);
    pmn_data_file *files = pmn_arena_calloc(&list->arena, 3, sizeof *files);
    files[0] = fake_file(&list->arena, "a", 2);
    files[1] = fake_file(&list->arena, "b", 3);
    files[2] = fake_file(&list->arena, "ab", 5);
    list->items[0].compact_before = (pmn_data_files){ files, 2 };
    list->items[0].compact_after = (pmn_data_files){ files + 2, 1 };
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    OK(paimon_commit_append(p.commit, list, 3, NULL, &result, err));
    assert_int_equal(result.n_snapshots, 2);
    assert_int_equal(result.snapshot_id, 4);
    has_files(p.env, ROOT, 3, "a b c ");
    has_files(p.env, ROOT, 4, "ab c ");
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_snapshot four = load_snapshot(p.table, &arena, 4);
    assert_int_equal(four.commit_kind, PMN_COMMIT_COMPACT);
    assert_int_equal(four.delta_record_count, 0);
    assert_int_equal(four.total_record_count, 6);
    pmn_arena_free(&arena);
    paimon_message_list_free(list);
    leave(&p);
}

static void the_number_of_buckets_of_a_partition_changes_only_by_overwriting(void **state)
{
    (void)state;
    place p = new_place("[\"p\",\"q\"]", "\"bucket\":\"2\",\"bucket-key\":\"v\"", "u");
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_message_list *two = new_messages(), *three = new_messages(), *mixed = new_messages();
    add_message(p.table, two, "x", 1, 0, 2, "a", 1);
    append(&p, two, 1);
    two = new_messages();
    add_message(p.table, two, "x", 1, 1, 2, "b", 1); /* from memory */
    append(&p, two, 2);
    add_message(p.table, three, "x", 1, 2, 3, "c", 1);
    fails(paimon_commit_append(p.commit, three, 3, NULL, NULL, &err), PAIMON_CONFLICT, &err, "written for 3 buckets");
    add_message(p.table, mixed, "x", 2, 1, 2, "d", 1);
    add_message(p.table, mixed, "x", 2, 2, 3, "e", 1);
    fails(paimon_commit_append(p.commit, mixed, 3, NULL, NULL, &err), PAIMON_CONFLICT, &err, "buckets");
    write_fake_files(p.table, three); /* it is given a second time */
    OK(paimon_commit_overwrite(p.commit, NULL, 0, three, 3, NULL, NULL, err));
    has_files(p.env, ROOT, 0, "c ");
    /* A dropped partition may start over with any number. */
    paimon_option pairs[] = { { "p", "x" } };
    paimon_partition_spec spec = { pairs, 1 };
    OK(paimon_commit_drop_partitions(p.commit, &spec, 1, 4, NULL, err));
    two = new_messages();
    add_message(p.table, two, "x", 1, 0, 2, "f", 1);
    append(&p, two, 5);
    has_files(p.env, ROOT, 0, "f ");
    paimon_message_list_free(three);
    paimon_message_list_free(mixed);
    leave(&p);
}

/* --- idempotence --- */

static void a_filtered_commit_counts_once(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"", "u");
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    paimon_message_list *list = one_file(p.table, "a", 2), *other = one_file(p.table, "b", 2);
    write_fake_files(p.table, list);
    OK(paimon_commit_filter_and_append(p.commit, list, 7, NULL, &result, err));
    assert_false(result.already_committed);
    assert_int_equal(result.snapshot_id, 1);
    OK(paimon_commit_filter_and_append(p.commit, list, 7, NULL, &result, err));
    assert_true(result.already_committed);
    assert_int_equal(result.n_snapshots, 0);
    OK(paimon_commit_filter_and_append(p.commit, list, 6, NULL, &result, err));
    assert_true(result.already_committed);
    /* Another user is not meant. */
    paimon_commit *stranger = NULL;
    OK(paimon_commit_new(p.table, "stranger", &stranger, err));
    paimon_error err = PAIMON_ERROR_INIT;
    fails(paimon_commit_filter_and_append(stranger, other, 1, NULL, &result, &err), PAIMON_NOT_FOUND, &err, "is gone");
    write_fake_files(p.table, other);
    OK(paimon_commit_filter_and_append(stranger, other, 1, NULL, &result, err));
    assert_int_equal(result.snapshot_id, 2);
    has_files(p.env, ROOT, 0, "a b ");
    paimon_commit_free(stranger);
    paimon_message_list_free(list);
    paimon_message_list_free(other);
    leave(&p);
}

static void a_filtered_commit_counts_once_after_its_snapshot_expired(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"", "u");
    paimon_commit *later = NULL;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    paimon_message_list *list = one_file(p.table, "a", 2), *half = one_file(p.table, "a", 2);
    write_fake_files(p.table, list);
    OK(paimon_commit_append(p.commit, list, 7, NULL, NULL, err));
    OK(paimon_commit_new(p.table, "later", &later, err));
    paimon_message_list *next = one_file(p.table, "b", 1);
    OK(paimon_commit_append(later, next, 1, NULL, NULL, err));
    OK(pmn_fs_remove(p.fs, ROOT "/snapshot/snapshot-1", err));
    OK(paimon_commit_filter_and_append(p.commit, list, 7, NULL, &result, err));
    assert_true(result.already_committed);
    has_files(p.env, ROOT, 0, "a b ");
    /* A list of which a part is there is no repetition. */
    add_message(p.table, half, NULL, 0, 0, -1, "c", 1);
    char path[300];
    data_path(p.table, &half->items[1], "c", path, sizeof path);
    OK(pmn_fs_write_new(p.fs, path, "data", 4, err));
    paimon_error err = PAIMON_ERROR_INIT;
    fails(paimon_commit_filter_and_append(p.commit, half, 8, NULL, &result, &err), PAIMON_CONFLICT, &err, "already");
    paimon_message_list_free(next);
    paimon_message_list_free(list);
    paimon_message_list_free(half);
    paimon_commit_free(later);
    leave(&p);
}

/* --- overwriting --- */

static void fill(place *p)
{
    append(p, in_partition(p, "x", 1, "x1"), 1);
    append(p, in_partition(p, "x", 2, "x2"), 2);
    append(p, in_partition(p, "y", 1, "y1"), 3);
    append(p, in_partition(p, NULL, 1, "n1"), 4);
}

static void overwrite(place *p, const paimon_option *pairs, size_t n, paimon_message_list *list, const char *expected)
{
    OK(paimon_commit_overwrite(p->commit, pairs, n, list, 10, NULL, NULL, err));
    paimon_message_list_free(list);
    has_files(p->env, ROOT, 0, expected);
}

static void an_overwrite_takes_what_is_meant(void **state)
{
    (void)state;
    const paimon_option x[] = { { "p", "x" } }, x1[] = { { "q", "1" }, { "p", "x" } }, null[] = { { "p", "__DEFAULT_PARTITION__" } };
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        place p = new_place("[\"p\",\"q\"]", dynamic ? "\"bucket\":\"-1\"" : "\"bucket\":\"-1\",\"dynamic-partition-overwrite\":\"false\"", "u");
        fill(&p);
        overwrite(&p, NULL, 0, in_partition(&p, "x", 1, "x1b"), dynamic ? "n1 x1b x2 y1 " : "x1b ");
        if (!dynamic) fill(&p);
        overwrite(&p, x, 1, in_partition(&p, "x", 3, "x3"), "n1 x3 y1 ");
        overwrite(&p, x1, 2, in_partition(&p, "x", 1, "x1c"), "n1 x1c x3 y1 ");
        overwrite(&p, null, 1, new_messages(), "x1c x3 y1 ");
        overwrite(&p, NULL, 0, new_messages(), dynamic ? "x1c x3 y1 " : "");
        leave(&p);
    }
    place p = new_place("[]", "\"bucket\":\"-1\"", "u");
    overwrite(&p, NULL, 0, one_file(p.table, "a", 2), "a ");
    overwrite(&p, NULL, 0, one_file(p.table, "b", 3), "b ");
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_snapshot two = load_snapshot(p.table, &arena, 2);
    assert_int_equal(two.commit_kind, PMN_COMMIT_OVERWRITE);
    assert_int_equal(two.delta_record_count, 1);
    assert_int_equal(two.total_record_count, 3);
    pmn_arena_free(&arena);
    leave(&p);
}

static void partitions_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    place p = new_place("[\"p\",\"q\"]", "\"bucket\":\"-1\"", "u");
    fill(&p);
    const paimon_option stranger[] = { { "v", "1" } }, text[] = { { "q", "one" } }, twice[] = { { "q", "1" }, { "q", "1" } }, y[] = { { "p", "y" } };
    paimon_message_list *list = in_partition(&p, "x", 1, "new");
    paimon_error err = PAIMON_ERROR_INIT;
    fails(paimon_commit_overwrite(p.commit, stranger, 1, list, 9, NULL, NULL, &err), PAIMON_NOT_FOUND, &err, "'v' is not a partition key");
    fails(paimon_commit_overwrite(p.commit, text, 1, list, 9, NULL, NULL, &err), PAIMON_INVALID, &err, "q");
    fails(paimon_commit_overwrite(p.commit, twice, 2, list, 9, NULL, NULL, &err), PAIMON_INVALID, &err, "twice");
    fails(paimon_commit_overwrite(p.commit, y, 1, list, 9, NULL, NULL, &err), PAIMON_INVALID, &err, "does not belong");
    fails(paimon_commit_drop_partitions(p.commit, NULL, 0, 9, NULL, &err), PAIMON_INVALID, &err, "no partition");
    has_files(p.env, ROOT, 0, "n1 x1 x2 y1 ");
    paimon_message_list_free(list);
    leave(&p);
}

static void partitions_are_dropped_and_tables_truncated(void **state)
{
    (void)state;
    place p = new_place("[\"p\",\"q\"]", "\"bucket\":\"-1\",\"manifest.delete-file-drop-stats\":\"true\"", "u");
    fill(&p);
    const paimon_option y[] = { { "p", "y" } }, x2[] = { { "p", "x" }, { "q", "2" } };
    const paimon_partition_spec specs[] = { { y, 1 }, { x2, 2 } };
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    OK(paimon_commit_drop_partitions(p.commit, specs, 2, 5, &result, err));
    assert_int_equal(result.snapshot_id, 5);
    has_files(p.env, ROOT, 0, "n1 x1 ");
    OK(paimon_commit_truncate(p.commit, 6, &result, err));
    has_files(p.env, ROOT, 0, "");
    has_files(p.env, ROOT, 5, "n1 x1 ");
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    assert_int_equal(load_snapshot(p.table, &arena, 6).total_record_count, 0);
    pmn_arena_free(&arena);
    append(&p, in_partition(&p, "x", 1, "again"), 7);
    has_files(p.env, ROOT, 0, "again ");
    leave(&p);
}

/* Java: FileStoreCommitImpl.dropPartitions, truncateTable, tried with its 1.3.1. */
static void taking_out_what_is_not_there_is_a_snapshot_without_changes(void **state)
{
    (void)state;
    place p = new_place("[\"p\",\"q\"]", "\"bucket\":\"-1\"", "u");
    const paimon_option z[] = { { "p", "z" } };
    const paimon_partition_spec absent = { z, 1 };
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    OK(paimon_commit_truncate(p.commit, 1, &result, err));
    assert_int_equal(result.snapshot_id, 1);
    OK(paimon_commit_truncate(p.commit, 2, &result, err));
    assert_int_equal(result.snapshot_id, 2);
    append(&p, in_partition(&p, "x", 1, "a"), 3);
    OK(paimon_commit_drop_partitions(p.commit, &absent, 1, 4, &result, err));
    assert_int_equal(result.snapshot_id, 4);
    assert_int_equal(result.n_snapshots, 1);
    pmn_snapshot last = load_snapshot(p.table, &arena, 4);
    assert_int_equal(last.commit_kind, PMN_COMMIT_OVERWRITE);
    assert_int_equal(last.delta_record_count, 0);
    has_files(p.env, ROOT, 0, "a ");
    pmn_arena_free(&arena);
    leave(&p);
}

/* --- aborting --- */

static bool there(const place *p, const pmn_message *message, const char *name)
{
    char path[500];
    bool exists;
    data_path(p->table, message, name, path, sizeof path);
    OK(pmn_fs_exists(p->fs, path, &exists, NULL, err));
    return exists;
}

static void an_abort_removes_exactly_what_the_messages_brought(void **state)
{
    (void)state;
    place p = new_place("[\"p\",\"q\"]", "\"bucket\":\"-1\"", "u");
    paimon_message_list *kept = in_partition(&p, "x", 1, "kept"), *gone = in_partition(&p, "x", 1, "gone");
    add_message(p.table, gone, "y", 2, 0, -1, "gone2", 1);
    pmn_data_file *file = (pmn_data_file *)(void *)gone->items[0].new_files.items;
    const char *extra[] = { "gone.index" };
    file->extra_files = extra;
    file->n_extra_files = 1;
    write_fake_files(p.table, kept);
    write_fake_files(p.table, gone);
    char path[500];
    data_path(p.table, &gone->items[0], "gone.index", path, sizeof path);
    OK(pmn_fs_write_new(p.fs, path, "index", 5, err));
    OK(paimon_commit_append(p.commit, kept, 1, NULL, NULL, err));
    OK(paimon_commit_abort(p.commit, gone, err));
    assert_false(there(&p, &gone->items[0], "gone"));
    assert_false(there(&p, &gone->items[0], "gone.index"));
    assert_false(there(&p, &gone->items[1], "gone2"));
    assert_true(there(&p, &kept->items[0], "kept"));
    OK(paimon_commit_abort(p.commit, gone, err)); /* quietly where they are gone already */
    paimon_error err = PAIMON_ERROR_INIT;
    fails(paimon_commit_abort(p.commit, kept, &err), PAIMON_STATE, &err, "has been committed");
    /* Overwritten since: an older snapshot still has it. */
    OK(paimon_commit_truncate(p.commit, 2, NULL, err));
    append(&p, new_messages(), 3);
    fails(paimon_commit_abort(p.commit, kept, &err), PAIMON_STATE, &err, "has been committed");
    assert_true(there(&p, &kept->items[0], "kept"));
    paimon_message_list_free(kept);
    paimon_message_list_free(gone);
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_deleted_once),
        cmocka_unit_test(an_added_file_is_added_once_when_asked_to_check),
        cmocka_unit_test(a_compaction_is_a_snapshot_of_its_own),
        cmocka_unit_test(the_number_of_buckets_of_a_partition_changes_only_by_overwriting),
        cmocka_unit_test(a_filtered_commit_counts_once),
        cmocka_unit_test(a_filtered_commit_counts_once_after_its_snapshot_expired),
        cmocka_unit_test(an_overwrite_takes_what_is_meant),
        cmocka_unit_test(partitions_that_do_not_fit_are_refused),
        cmocka_unit_test(partitions_are_dropped_and_tables_truncated),
        cmocka_unit_test(taking_out_what_is_not_there_is_a_snapshot_without_changes),
        cmocka_unit_test(an_abort_removes_exactly_what_the_messages_brought),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
