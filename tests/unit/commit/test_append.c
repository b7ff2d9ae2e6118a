/* Appends: what a snapshot says, what the next one takes over, and what is refused. */
#include "support/commit_table.h"

#include "support/memory_files.h"

#define ROOT "mem:/wh/db.db/t"

typedef struct place {
    paimon_env *env;
    paimon_fs *fs;
} place;

static place new_place(const char *keys, const char *options)
{
    place p = { NULL, memory_files() };
    OK(paimon_env_new(NULL, &p.env, err));
    OK(paimon_env_register_fs(p.env, "mem", p.fs, err));
    make_table(p.fs, ROOT, keys, options);
    return p;
}

static void leave(place *p)
{
    paimon_env_free(p->env);
    paimon_fs_free(p->fs);
}

static void append(paimon_commit *commit, paimon_message_list *list, int64_t identifier, const paimon_commit_options *options,
                   paimon_commit_result *result)
{
    OK(paimon_commit_append(commit, list, identifier, options, result, err));
    paimon_message_list_free(list);
}

static void an_append_makes_the_next_snapshot(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"");
    paimon_table *table = open_table(p.env, ROOT);
    paimon_commit *commit = NULL;
    OK(paimon_commit_new(table, "alice", &commit, err));
    paimon_option properties[] = { { "k", "v\"w" } };
    paimon_commit_options options = PAIMON_COMMIT_OPTIONS_INIT;
    options.has_watermark = true;
    options.watermark = 70;
    options.properties = properties;
    options.n_properties = 1;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    append(commit, one_file(table, "data-a-0.parquet", 3), 1, &options, &result);
    assert_int_equal(result.snapshot_id, 1);
    assert_int_equal(result.n_snapshots, 1);
    assert_int_equal(result.n_attempts, 1);
    assert_false(result.already_committed);
    options.watermark = 60;
    options.n_properties = 0;
    append(commit, one_file(table, "data-b-0.parquet", 4), 2, &options, &result);
    assert_int_equal(result.snapshot_id, 2);

    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_snapshot one = load_snapshot(table, &arena, 1), two = load_snapshot(table, &arena, 2);
    assert_int_equal(one.version, 3);
    assert_int_equal(one.commit_kind, PMN_COMMIT_APPEND);
    assert_string_equal(one.commit_user, "alice");
    assert_string_equal(one.writer_version, "paimon-c-0.1.0");
    assert_int_equal(one.commit_identifier, 1);
    assert_int_equal(one.total_record_count, 3);
    assert_int_equal(one.delta_record_count, 3);
    assert_int_equal(one.watermark, 70);
    assert_int_equal(one.next_row_id, 0);
    assert_string_equal(pmn_options_get(&one.properties, "k"), "v\"w");
    assert_int_equal(two.total_record_count, 7);
    assert_int_equal(two.delta_record_count, 4);
    assert_int_equal(two.watermark, 70);
    assert_int_equal(two.properties.n, 0);
    assert_null(two.index_manifest);
    pmn_arena_free(&arena);
    has_files(p.env, ROOT, 1, "data-a-0.parquet ");
    has_files(p.env, ROOT, 0, "data-a-0.parquet data-b-0.parquet ");
    paimon_commit_free(commit);
    paimon_table_free(table);
    leave(&p);
}

static void many_appends_merge_their_manifests(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\",\"manifest.compression\":\"snappy\"");
    paimon_table *table = open_table(p.env, ROOT);
    paimon_commit *commit = NULL;
    OK(paimon_commit_new(table, NULL, &commit, err));
    for (int i = 0; i < 100; i++) {
        char name[40];
        snprintf(name, sizeof name, "data-%03d.parquet", i);
        append(commit, one_file(table, name, 1), i + 1, NULL, NULL);
    }
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_snapshot last = load_snapshot(table, &arena, 100);
    assert_int_equal(last.total_record_count, 100);
    pmn_manifest_file *files;
    int32_t n;
    char path[300];
    snprintf(path, sizeof path, "%s/manifest/%s", ROOT, last.base_manifest_list);
    OK(pmn_manifest_list_read(&arena, p.fs, path, last.base_manifest_list_size, &files, &n, err));
    assert_in_range(n, 1, 30);
    int64_t added = 0;
    for (int32_t i = 0; i < n; i++) added += files[i].n_added;
    assert_int_equal(added, 99);
    pmn_arena_free(&arena);
    char *all = files_at(p.env, ROOT, 0);
    assert_int_equal(strlen(all), 100 * 17);
    free(all);
    paimon_commit_free(commit);
    paimon_table_free(table);
    leave(&p);
}

static void empty_commits_make_a_snapshot_unless_told_not_to(void **state)
{
    (void)state;
    place p = new_place("[]", "\"bucket\":\"-1\"");
    paimon_table *table = open_table(p.env, ROOT);
    paimon_commit *commit = NULL;
    OK(paimon_commit_new(table, NULL, &commit, err));
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    append(commit, new_messages(), 1, NULL, &result);
    assert_int_equal(result.snapshot_id, 1);
    paimon_commit_options options = PAIMON_COMMIT_OPTIONS_INIT;
    options.ignore_empty = true;
    append(commit, new_messages(), 2, &options, &result);
    assert_int_equal(result.n_snapshots, 0);
    assert_int_equal(result.snapshot_id, 0);
    has_files(p.env, ROOT, 0, "");
    paimon_commit_free(commit);
    paimon_table_free(table);
    leave(&p);
}

static void two_committers_take_turns(void **state)
{
    (void)state;
    place p = new_place("[\"p\",\"q\"]", "\"bucket\":\"-1\"");
    paimon_table *table = open_table(p.env, ROOT);
    paimon_commit *a = NULL, *b = NULL;
    OK(paimon_commit_new(table, "a", &a, err));
    OK(paimon_commit_new(table, "b", &b, err));
    for (int i = 0; i < 6; i++) {
        char name[40];
        snprintf(name, sizeof name, "f%d", i);
        paimon_message_list *list = new_messages();
        add_message(table, list, i % 3 ? "x" : NULL, i, 0, -1, name, 1);
        append(i % 2 ? a : b, list, i + 1, NULL, NULL);
    }
    has_files(p.env, ROOT, 0, "f0 f1 f2 f3 f4 f5 ");
    has_files(p.env, ROOT, 3, "f0 f1 f2 ");
    paimon_commit_free(a);
    paimon_commit_free(b);
    paimon_table_free(table);
    leave(&p);
}

static void refused(const char *keys, const char *options, const char *words)
{
    place p = new_place(keys, options);
    paimon_table *table = open_table(p.env, ROOT);
    paimon_commit *commit = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    assert_int_equal(paimon_commit_new(table, NULL, &commit, &err), PAIMON_UNSUPPORTED);
    assert_null(commit);
    if (!strstr(paimon_error_message(&err), words)) fail_msg("%s", paimon_error_message(&err));
    paimon_error_clear(&err);
    paimon_table_free(table);
    leave(&p);
}

static void tables_that_cannot_be_committed_to_are_refused_by_name(void **state)
{
    (void)state;
    refused("[]", "\"chain-table.enabled\":\"true\"", "chain tables");
    refused("[]", "\"type\":\"format-table\"", "format-table");
    refused("[]", "\"manifest.format\":\"orc\"", "manifest.format");
    refused("[]", "\"commit.strict-mode.last-safe-snapshot\":\"3\"", "strict");
}

static void bad_messages_are_refused_before_anything_is_written(void **state)
{
    (void)state;
    place p = new_place("[\"p\",\"q\"]", "\"bucket\":\"2\",\"bucket-key\":\"v\"");
    paimon_table *table = open_table(p.env, ROOT);
    paimon_commit *commit = NULL;
    OK(paimon_commit_new(table, NULL, &commit, err));
    for (int bad = 0; bad < 7; bad++) {
        paimon_message_list *list = new_messages();
        pmn_message *m = add_message(table, list, "x", 1, 0, 2, "f", 1);
        pmn_data_file *file = (pmn_data_file *)(void *)m->new_files.items;
        static const uint8_t none[12];
        if (bad == 0) m->partition = pmn_slice_of(none, 12);
        if (bad == 1) m->bucket = -1;
        if (bad == 2) m->bucket = 2;
        if (bad == 3) file->name = "../f";
        if (bad == 4) file->row_count = -1;
        if (bad == 5) file->schema_id = 3;
        if (bad == 6) m->deleted_files = m->new_files;
        paimon_error err = PAIMON_ERROR_INIT;
        paimon_status status = paimon_commit_append(commit, list, 1, NULL, NULL, &err);
        assert_int_equal(status, bad == 6 ? PAIMON_CONFLICT : PAIMON_INVALID);
        paimon_error_clear(&err);
        paimon_message_list_free(list);
    }
    assert_int_equal(count_in(p.fs, ROOT, "manifest"), 0);
    assert_int_equal(count_in(p.fs, ROOT, "snapshot"), 0);
    paimon_commit_free(commit);
    paimon_table_free(table);
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_append_makes_the_next_snapshot),
        cmocka_unit_test(many_appends_merge_their_manifests),
        cmocka_unit_test(empty_commits_make_a_snapshot_unless_told_not_to),
        cmocka_unit_test(two_committers_take_turns),
        cmocka_unit_test(tables_that_cannot_be_committed_to_are_refused_by_name),
        cmocka_unit_test(bad_messages_are_refused_before_anything_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
