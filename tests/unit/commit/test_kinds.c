/* The rules of kinds of tables: keys on levels, row ids, index files of every type. Whole tables of each kind: test_replay.c. */
#include "support/commit_table.h"

#include "commit/indexes.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"
#include "support/replay.h"

#define ROOT "mem:/wh/db.db/t"
#define KEYED "[],\"primaryKeys\":[\"v\"]"
#define TRACKED "\"bucket\":\"-1\",\"row-tracking.enabled\":\"true\""
#define EVOLVING TRACKED ",\"data-evolution.enabled\":\"true\""

typedef struct place {
    paimon_env *env;
    paimon_fs *fs;
    paimon_table *table;
    paimon_commit *commit;
    pmn_arena arena;
    int64_t identifier;
} place;

static place new_place_in(const paimon_env_options *env, const char *keys, const char *options)
{
    place p = { .fs = memory_files() };
    OK(paimon_env_new(env, &p.env, err));
    OK(paimon_env_register_fs(p.env, "mem", p.fs, err));
    make_table(p.fs, ROOT, keys, options);
    p.table = open_table(p.env, ROOT);
    OK(paimon_commit_new(p.table, "u", &p.commit, err));
    pmn_arena_init(&p.arena, pmn_mem_default());
    return p;
}

static place new_place(const char *keys, const char *options) { return new_place_in(NULL, keys, options); }

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

static paimon_commit_options careful(void)
{
    paimon_commit_options options = PAIMON_COMMIT_OPTIONS_INIT;
    options.check_conflicts = options.ignore_empty = true;
    return options;
}

static void commits(place *p, paimon_message_list *list)
{
    paimon_commit_options options = careful();
    OK(paimon_commit_append(p->commit, list, ++p->identifier, &options, NULL, err));
    paimon_message_list_free(list);
}

static void refuses(place *p, paimon_message_list *list, paimon_status expected, const char *words)
{
    paimon_commit_options options = careful();
    paimon_error err = PAIMON_ERROR_INIT;
    fails(paimon_commit_append(p->commit, list, ++p->identifier, &options, NULL, &err), expected, &err, words);
    paimon_message_list_free(list);
}

static paimon_message_list *sent(paimon_message_list *list)
{
    uint8_t *bytes = NULL;
    size_t n = 0;
    paimon_message_list *back = NULL;
    OK(paimon_message_list_serialize(list, 0, &bytes, &n, err));
    OK(paimon_message_list_deserialize(NULL, paimon_commit_message_current_version(), bytes, n, &back, err));
    paimon_bytes_free(bytes, n);
    paimon_message_list_free(list);
    return back;
}

static pmn_snapshot latest(place *p)
{
    int64_t id;
    OK(pmn_snapshot_latest_id(pmn_mem_default(), p->fs, ROOT, &id, err));
    return load_snapshot(p->table, &p->arena, id);
}

/* What the latest snapshot brought: "+a@0 " is file a on level 0; with `ids`, "+a:0[1-1] " has row ids from 0 on and sequence number 1. */
static const char *brought(place *p, bool ids)
{
    static char text[1000];
    entry_list entries;
    pmn_snapshot s = latest(p);
    OK(listed_entries(&p->arena, p->fs, ROOT, s.delta_manifest_list, &entries, err));
    *text = 0;
    for (size_t i = 0; i < entries.n; i++) {
        const pmn_data_file *f = &entries.items[i].file;
        char *end = text + strlen(text);
        end += sprintf(end, "%c%s", entries.items[i].kind == PMN_FILE_ADD ? '+' : '-', f->name);
        if (!ids) sprintf(end, "@%d ", (int)f->level);
        else if (f->first_row_id == PMN_NONE) sprintf(end, "[%lld-%lld] ", (long long)f->min_sequence, (long long)f->max_sequence);
        else sprintf(end, ":%lld[%lld-%lld] ", (long long)f->first_row_id, (long long)f->min_sequence, (long long)f->max_sequence);
    }
    return text;
}

static const char *indexes_of(place *p)
{
    static char text[500];
    pmn_index_entry *entries = NULL;
    int32_t n;
    pmn_snapshot s = latest(p);
    OK(listed_indexes(&p->arena, p->fs, ROOT, s.index_manifest, &entries, &n, err));
    *text = 0;
    for (int32_t i = 0; i < n; i++) strcat(strcat(text, entries[i].file_name), " ");
    return text;
}

/* --- messages --- */

typedef enum list_of { NEW, DELETED, BEFORE, AFTER } list_of;

static pmn_data_files *files_in(pmn_message *m, list_of where)
{
    return where == NEW ? &m->new_files : where == DELETED ? &m->deleted_files : where == BEFORE ? &m->compact_before : &m->compact_after;
}

/* A message for a bucket, to be filled. */
static paimon_message_list *empty_message(const place *p, const char *partition, int32_t bucket, int32_t total)
{
    paimon_message_list *list = new_messages();
    add_message(p->table, list, partition, 0, bucket, total, "unused", 1)->new_files.n = 0;
    return list;
}

static pmn_data_file *with_file(paimon_message_list *list, list_of where, const char *name, int64_t rows)
{
    pmn_data_files *files = files_in(&list->items[list->n - 1], where);
    pmn_data_file *grown = pmn_arena_calloc(&list->arena, (size_t)files->n + 1, sizeof *grown);
    if (files->n) memcpy(grown, files->items, (size_t)files->n * sizeof *grown);
    grown[files->n] = fake_file(&list->arena, name, rows);
    *files = (pmn_data_files){ grown, files->n + 1 };
    return &grown[files->n - 1];
}

static pmn_slice key_row(pmn_arena *arena, int64_t v)
{
    pmn_field field = { .name = "v" };
    pmn_datum value = { .v.i = v };
    pmn_buf buf;
    field.type = pmn_type_new(arena, PMN_BIGINT, false, 0, 0);
    pmn_buf_init(&buf, pmn_mem_default(), PMN_BUF_NO_CEILING);
    OK(pmn_row_write_serialized(&buf, pmn_type_row(arena, false, &field, 1), &value, err));
    pmn_slice row = pmn_slice_of(pmn_arena_copy(arena, buf.data, buf.size), buf.size);
    pmn_buf_free(&buf);
    return row;
}

static pmn_data_file *with_keys(paimon_message_list *list, list_of where, const char *name, int32_t level, int64_t min, int64_t max)
{
    pmn_data_file *file = with_file(list, where, name, 5);
    file->level = level;
    file->min_key = file->key_stats.min = key_row(&list->arena, min);
    file->max_key = file->key_stats.max = key_row(&list->arena, max);
    return file;
}

static pmn_data_file *with_ids(paimon_message_list *list, list_of where, const char *name, int64_t first, int64_t rows)
{
    pmn_data_file *file = with_file(list, where, name, rows);
    file->first_row_id = first;
    file->min_sequence = file->max_sequence = 0;
    if (where == BEFORE || where == AFTER) file->file_source = 1;
    if (where == BEFORE || where == DELETED) file->min_sequence = file->max_sequence = 1;
    return file;
}

static pmn_index_entry an_index(const char *type, const char *name, int64_t start, int64_t end)
{
    return (pmn_index_entry){ .index_type = type, .file_name = name, .file_size = 9, .row_count = 3, .n_ranges = -1, .has_global = start >= 0,
                              .row_range_start = start, .row_range_end = end, .index_field_id = 2, .n_extra_field_ids = -1 };
}

static void with_index(paimon_message_list *list, pmn_index_files *files, pmn_index_entry entry)
{
    pmn_index_entry *copy = pmn_arena_calloc(&list->arena, (size_t)files->n + 1, sizeof *copy);
    if (files->n) memcpy(copy, files->items, (size_t)files->n * sizeof *copy);
    copy[files->n] = entry;
    *files = (pmn_index_files){ copy, files->n + 1 };
}

/* --- combining index files --- */

typedef struct combining {
    pmn_arena arena;
    pmn_index_entry old[8];
    int32_t n_old;
    pmn_index_changes changes;
    bool by_file;
} combining;

static combining new_combination(bool by_file)
{
    combining c = { .n_old = 0, .by_file = by_file };
    pmn_arena_init(&c.arena, pmn_mem_default());
    return c;
}

static pmn_index_entry placed(pmn_index_entry entry, const char *partition, int32_t bucket)
{
    entry.partition = pmn_slice_text(partition);
    entry.bucket = bucket;
    return entry;
}

static void change(combining *c, pmn_file_kind kind, pmn_index_entry entry)
{
    entry.kind = kind;
    c->changes.arena = &c->arena;
    OK(pmn_index_changes_add(&c->changes, &entry, err));
}

/* The outcome's names, or the error's words. */
static void gives(combining *c, const char *expected, const char *words)
{
    char text[300] = "";
    pmn_index_entry *out;
    int32_t n;
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_status status = pmn_indexes_combine(&c->arena, c->by_file, c->old, c->n_old, &c->changes, &out, &n, &err);
    if (words) {
        fails(status, PAIMON_CONFLICT, &err, words);
    } else {
        for (int32_t i = 0; i < n && status == PAIMON_OK; i++) strcat(strcat(text, out[i].file_name), " ");
        if (status != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
        assert_string_equal(text, expected);
    }
    pmn_arena_free(&c->arena);
}

static void a_bucket_has_one_index_of_each_type(void **state)
{
    (void)state;
    combining c = new_combination(false);
    c.old[c.n_old++] = placed(an_index("HASH", "h-x0", -1, -1), "x", 0);
    c.old[c.n_old++] = placed(an_index("HASH", "h-x1", -1, -1), "x", 1);
    c.old[c.n_old++] = placed(an_index("HASH", "h-y0", -1, -1), "y", 0);
    c.old[c.n_old++] = placed(an_index("DELETION_VECTORS", "v-x0", -1, -1), "x", 0);
    c.old[c.n_old++] = placed(an_index("btree", "g", 0, 9), "x", 0);
    change(&c, PMN_FILE_ADD, placed(an_index("HASH", "h2-x0", -1, -1), "x", 0));
    change(&c, PMN_FILE_ADD, placed(an_index("DELETION_VECTORS", "v-y0", -1, -1), "y", 0));
    change(&c, PMN_FILE_DELETE, placed(an_index("HASH", "h-x0", -1, -1), "x", 0)); /* goes first, wherever it stands */
    change(&c, PMN_FILE_DELETE, placed(an_index("HASH", "nobody", -1, -1), "z", 0));
    gives(&c, "h-x1 h-y0 v-x0 g h2-x0 v-y0 ", NULL);
}

static void tables_without_buckets_have_many_files_of_vectors_and_none_of_them_twice(void **state)
{
    (void)state;
    static const pmn_deletion_range of_a = { "a", 1, 22, 1 };
    for (int wrong = 0; wrong < 4; wrong++) {
        combining c = new_combination(true);
        pmn_index_entry v = an_index("DELETION_VECTORS", "v", -1, -1), w = v;
        v.ranges = w.ranges = &of_a;
        v.n_ranges = w.n_ranges = 1;
        w.file_name = "w";
        c.old[c.n_old++] = v;
        if (wrong == 0) change(&c, PMN_FILE_DELETE, v), change(&c, PMN_FILE_ADD, w), gives(&c, "w ", NULL);
        if (wrong == 1) change(&c, PMN_FILE_ADD, w), gives(&c, NULL, "has a deletion vector already");
        if (wrong == 2) change(&c, PMN_FILE_DELETE, w), gives(&c, NULL, "not in the table any more");
        if (wrong == 3) change(&c, PMN_FILE_ADD, v), gives(&c, NULL, "in the table already");
    }
}

typedef struct pair_case {
    const char *type;
    int64_t start, end;
    int32_t field, extra; /* extra 0: none */
    const char *source;
    const char *words;
} pair_case;

static void an_index_of_row_ids_must_not_overlap_one_of_its_column_that_stays(void **state)
{
    (void)state;
    static const pair_case cases[] = {
        { "btree", 10, 19, 2, 0, NULL, NULL },
        { "btree", 9, 19, 2, 0, NULL, "overlaps old" },
        { "btree", 0, 0, 2, 0, NULL, "overlaps old" },
        { "btree", 5, 5, 3, 0, NULL, NULL },              /* another column */
        { "bitmap", 5, 5, 2, 0, NULL, NULL },             /* another type */
        { "btree", 10, 19, 2, 7, NULL, "overlaps old" },  /* the same column with others beside it, wherever */
        { "btree", 5, 5, 2, 0, "\0\0\0\1", NULL },         /* of a level's files, like the old one */
        { "btree", 5, 5, 2, 0, "DEIX", "overlaps old" },  /* of a scan */
    };
    static const int32_t seven = 7;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const pair_case *k = &cases[i];
        combining c = new_combination(true);
        pmn_index_entry old = an_index("btree", "old", 0, 9), new = an_index(k->type, "new", k->start, k->end);
        if (k->source) old.source_meta = pmn_slice_of("\0\0\0\1", 4), new.source_meta = pmn_slice_of(k->source, 4);
        new.index_field_id = k->field;
        new.n_extra_field_ids = k->extra ? 1 : -1;
        new.extra_field_ids = &seven;
        c.old[c.n_old++] = old;
        change(&c, PMN_FILE_ADD, new);
        gives(&c, "old new ", k->words);
    }
}

static void an_index_of_row_ids_takes_the_place_of_one_that_goes(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 3; wrong++) {
        combining c = new_combination(false);
        c.old[c.n_old++] = an_index("btree", "old", 0, 9);
        if (wrong == 2) change(&c, PMN_FILE_ADD, an_index("btree", "old", 20, 29));
        else change(&c, PMN_FILE_ADD, an_index("btree", "new", 0, 9));
        if (wrong < 2) change(&c, PMN_FILE_DELETE, an_index("btree", wrong ? "other" : "old", 0, 9));
        gives(&c, "new ", wrong == 0 ? NULL : wrong == 1 ? "other was to be deleted" : "in the table already");
    }
}

/* --- keys --- */

static paimon_message_list *compaction(const place *p, int32_t bucket, const char *before, const char *after, int64_t min, int64_t max)
{
    paimon_message_list *list = empty_message(p, NULL, bucket, 2);
    if (before) with_keys(list, BEFORE, before, 0, min, max);
    with_keys(list, AFTER, after, 2, min, max);
    return list;
}

static void on_a_level_of_a_bucket_keys_do_not_overlap(void **state)
{
    (void)state;
    for (int clustered = 0; clustered < 2; clustered++) {
        place p = new_place(KEYED, clustered ? "\"bucket\":\"2\",\"pk-clustering-override\":\"true\"" : "\"bucket\":\"2\"");
        paimon_message_list *list = empty_message(&p, NULL, 0, 2);
        with_keys(list, NEW, "a", 0, 1, 10);
        with_keys(list, NEW, "b", 0, 5, 20); /* level 0 is what came, one over the other */
        with_keys(list, NEW, "c", 0, 11, 20);
        commits(&p, list);
        assert_string_equal(brought(&p, false), "+a@0 +b@0 +c@0 ");
        commits(&p, compaction(&p, 0, "a", "A", 1, 10));
        assert_string_equal(brought(&p, false), "-a@0 +A@2 ");
        commits(&p, compaction(&p, 0, "c", "C", 11, 20));
        if (clustered) commits(&p, compaction(&p, 0, "b", "B", 5, 20));
        else refuses(&p, compaction(&p, 0, "b", "B", 10, 10), PAIMON_CONFLICT, "overlapping keys");
        commits(&p, compaction(&p, 1, NULL, "other-bucket", 5, 20));
        /* What takes the place of both fits, and so does another level. */
        list = compaction(&p, 0, "b", "ABC", 1, 20);
        if (!clustered) with_keys(list, BEFORE, "A", 2, 1, 10), with_keys(list, BEFORE, "C", 2, 11, 20), commits(&p, list);
        else paimon_message_list_free(list);
        list = compaction(&p, 0, NULL, "higher", 1, 20);
        ((pmn_data_file *)(void *)list->items[0].compact_after.items)->level = 3;
        commits(&p, list);
        leave(&p);
    }
}

static void an_overwrite_of_keys_goes_to_the_highest_level(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        place p = new_place(KEYED, "\"bucket\":\"2\"");
        paimon_message_list *list = empty_message(&p, NULL, 0, 2);
        with_keys(list, NEW, "a", 0, 1, 10);
        with_keys(list, NEW, "b", 0, apart ? 11 : 10, 20);
        OK(paimon_commit_overwrite(p.commit, NULL, 0, list, ++p.identifier, NULL, NULL, err));
        assert_string_equal(brought(&p, false), apart ? "+a@5 +b@5 " : "+a@0 +b@0 ");
        paimon_message_list_free(list);
        leave(&p);
    }
}

static void keys_that_are_none_are_refused(void **state)
{
    (void)state;
    place p = new_place(KEYED, "\"bucket\":\"2\"");
    for (int wrong = 0; wrong < 2; wrong++) {
        paimon_message_list *list = empty_message(&p, NULL, 0, 2);
        pmn_data_file *file = with_keys(list, NEW, "a", 0, 1, 10);
        if (wrong) file->max_key = pmn_slice_of(file->max_key.data, file->max_key.size - 4);
        else file->min_key = pmn_slice_of("\0\0\0\0\0\0\0\0\0\0\0\0", 12);
        refuses(&p, sent(list), PAIMON_INVALID, "the keys of file a");
    }
    paimon_message_list *list = empty_message(&p, NULL, 0, 2);
    with_keys(list, NEW, "a", -1, 1, 10);
    refuses(&p, list, PAIMON_INVALID, "level -1");
    leave(&p);
}

static void a_file_that_was_taken_to_another_level_is_not_added_again(void **state)
{
    (void)state;
    place p = new_place(KEYED, "\"bucket\":\"2\"");
    paimon_message_list *first = empty_message(&p, NULL, 0, 2), *again = empty_message(&p, NULL, 0, 2);
    with_keys(first, NEW, "a", 0, 1, 10);
    OK(pmn_fs_write_new(p.fs, ROOT "/bucket-0/a", "data", 4, err));
    commits(&p, sent(first));
    /* What lay on level 5 before any snapshot that is left tells. */
    paimon_message_list *up = empty_message(&p, NULL, 0, 2);
    with_keys(up, AFTER, "a", 5, 1, 10);
    with_keys(up, BEFORE, "a", 0, 1, 10);
    commits(&p, up);
    with_keys(again, NEW, "a", 3, 1, 10);
    refuses(&p, sent(again), PAIMON_CONFLICT, "on another level");
    leave(&p);
}

static void postponed_buckets_are_committed_and_hashes_only_where_buckets_are_dynamic(void **state)
{
    (void)state;
    place p = new_place(KEYED, "\"bucket\":\"-2\"");
    paimon_message_list *list = empty_message(&p, NULL, -2, -2);
    with_keys(list, NEW, "a", 0, 1, 10);
    commits(&p, list);
    list = empty_message(&p, NULL, 1, 4);
    with_keys(list, AFTER, "A", 5, 1, 10);
    commits(&p, list);
    assert_string_equal(brought(&p, false), "+A@5 ");
    list = empty_message(&p, NULL, 0, 4);
    with_index(list, &list->items[0].new_index_files, an_index("HASH", "h", -1, -1));
    refuses(&p, list, PAIMON_INVALID, "dynamic buckets");
    leave(&p);

    p = new_place(KEYED, "\"bucket\":\"-1\"");
    for (int32_t bucket = 0; bucket < 2; bucket++) {
        list = empty_message(&p, NULL, bucket, -1);
        with_keys(list, NEW, bucket ? "b" : "a", 0, 1, 10);
        with_index(list, &list->items[0].new_index_files, an_index("HASH", bucket ? "h1" : "h0", -1, -1));
        commits(&p, list);
        assert_int_equal(latest(&p).commit_kind, PMN_COMMIT_APPEND); /* hashes take no rows away */
    }
    assert_string_equal(indexes_of(&p), "h0 h1 ");
    leave(&p);
}

static void sequence_numbers_follow_the_snapshot_where_asked(void **state)
{
    (void)state;
    place p = new_place(KEYED, "\"bucket\":\"2\",\"sequence.snapshot-ordering\":\"true\",\"write.sequence-number-init-mode\":\"snapshot\"");
    for (int i = 0; i < 2; i++) {
        paimon_message_list *list = empty_message(&p, NULL, 0, 2);
        with_keys(list, NEW, i ? "b" : "a", 0, 1, 10);
        commits(&p, list);
        assert_string_equal(brought(&p, true), i ? "+b[2-2] " : "+a[1-1] ");
    }
    pmn_snapshot two = latest(&p);
    assert_string_equal(pmn_options_get(&two.properties, "sequence.generation.max-sequence-number"), "2");
    paimon_message_list *list = compaction(&p, 0, "a", "A", 1, 10);
    commits(&p, list);
    assert_string_equal(brought(&p, true), "-a[0-4] +A[0-4] ");
    pmn_snapshot three = latest(&p);
    assert_string_equal(pmn_options_get(&three.properties, "sequence.generation.max-sequence-number"), "4");
    leave(&p);
}

/* --- row ids --- */

static void new_rows_get_row_ids_and_the_snapshots_number(void **state)
{
    (void)state;
    place p = new_place("[\"p\"]", TRACKED);
    paimon_message_list *list = new_messages();
    const char *parts[] = { "x", "y", "x" }, *names[] = { "a", "b", "c" };
    for (int i = 0; i < 3; i++) {
        pmn_data_file *file = (pmn_data_file *)(void *)add_message(p.table, list, parts[i], 0, 0, -1, names[i], 10 + i)->new_files.items;
        file->max_sequence = 0;
    }
    commits(&p, list);
    assert_string_equal(brought(&p, true), "+a:0[1-1] +c:10[1-1] +b:22[1-1] "); /* those of a partition together */
    assert_int_equal(latest(&p).next_row_id, 33);
    /* A compaction keeps its numbers; of a file with some new rows, the greater one is new. */
    list = empty_message(&p, "y", 0, -1);
    with_ids(list, BEFORE, "b", 22, 11);
    with_ids(list, AFTER, "B", PMN_NONE, 11)->min_sequence = 1;
    commits(&p, list);
    assert_string_equal(brought(&p, true), "-b:22[1-1] +B[1-2] ");
    assert_int_equal(latest(&p).next_row_id, 33);
    /* Rows that bring their ids along are not new. */
    list = empty_message(&p, "y", 0, -1);
    pmn_data_file *file = with_ids(list, NEW, "moved", PMN_NONE, 4);
    static const char *columns[] = { "v", "_ROW_ID" };
    file->write_cols = columns;
    file->n_write_cols = 2;
    with_ids(list, NEW, "d", PMN_NONE, 4);
    commits(&p, list);
    assert_string_equal(brought(&p, true), "+moved[3-3] +d:33[3-3] ");
    assert_int_equal(latest(&p).next_row_id, 37);
    OK(paimon_commit_truncate(p.commit, 99, NULL, err));
    assert_int_equal(latest(&p).next_row_id, 37);
    list = empty_message(&p, "y", 0, -1);
    with_ids(list, NEW, "e", PMN_NONE, 1)->file_source = -1;
    refuses(&p, list, PAIMON_INVALID, "appended or compacted");
    leave(&p);
}

static pmn_data_file *with_blobs(paimon_message_list *list, const char *name, const char *column, int64_t rows)
{
    pmn_data_file *file = with_ids(list, NEW, name, PMN_NONE, rows);
    const char **columns = pmn_arena_calloc(&list->arena, 1, sizeof *columns);
    columns[0] = column;
    file->write_cols = columns;
    file->n_write_cols = 1;
    return file;
}

static void files_beside_others_have_the_row_ids_of_the_rows_that_they_belong_to(void **state)
{
    (void)state;
    place p = new_place("[]", EVOLVING);
    paimon_message_list *list = empty_message(&p, NULL, 0, -1);
    with_ids(list, NEW, "a", PMN_NONE, 10);
    with_blobs(list, "a1.blob", "v", 6);
    with_blobs(list, "a2.blob", "v", 4);
    with_blobs(list, "a3.blob", "w", 10);
    with_ids(list, NEW, "b", PMN_NONE, 5);
    with_blobs(list, "b1.blob", "v", 5);
    with_ids(list, NEW, "x.vector.lance", PMN_NONE, 10);
    with_ids(list, NEW, "y.vector.lance", PMN_NONE, 5);
    commits(&p, list);
    assert_string_equal(brought(&p, true), "+a:0[1-1] +a1.blob:0[1-1] +a2.blob:6[1-1] +a3.blob:0[1-1] +b:10[1-1] +b1.blob:10[1-1] "
                                           "+x.vector.lance:0[1-1] +y.vector.lance:10[1-1] ");
    assert_int_equal(latest(&p).next_row_id, 15);
    list = empty_message(&p, NULL, 0, -1);
    with_blobs(list, "alone.blob", "v", 5);
    refuses(&p, list, PAIMON_INVALID, "comes without the file");
    leave(&p);
}

/* Rows 0 to 9 in "a", 10 to 19 in "b". */
static place evolving_in(const paimon_env_options *env, const char *options)
{
    place p = new_place_in(env, "[]", options);
    for (int i = 0; i < 2; i++) {
        paimon_message_list *list = empty_message(&p, NULL, 0, -1);
        with_ids(list, NEW, i ? "b" : "a", PMN_NONE, 10);
        commits(&p, list);
    }
    return p;
}

static place evolving(const char *options) { return evolving_in(NULL, options); }

static paimon_message_list *ids_message(const place *p, list_of where, const char *name, int64_t first, int64_t rows)
{
    paimon_message_list *list = empty_message(p, NULL, 0, -1);
    with_ids(list, where, name, first, rows);
    return list;
}

static void columns_are_written_to_rows_that_are_there(void **state)
{
    (void)state;
    place p = evolving(EVOLVING);
    commits(&p, ids_message(&p, NEW, "a2", 0, 10));
    assert_string_equal(brought(&p, true), "+a2:0[3-3] ");
    assert_int_equal(latest(&p).next_row_id, 20);
    refuses(&p, ids_message(&p, NEW, "a3", 0, 5), PAIMON_CONFLICT, "rows 0 to 4, which no file");
    refuses(&p, ids_message(&p, NEW, "a3", 0, 20), PAIMON_CONFLICT, "rows 0 to 19, which no file");
    commits(&p, ids_message(&p, NEW, "a4.blob", 3, 5)); /* beside others: some of the rows */
    refuses(&p, ids_message(&p, NEW, "a5.blob", 8, 5), PAIMON_CONFLICT, "rows 8 to 12, which no file");
    refuses(&p, ids_message(&p, DELETED, "b", 11, 10), PAIMON_CONFLICT, "its row ids are others since");
    commits(&p, ids_message(&p, DELETED, "b", 10, 10));
    refuses(&p, ids_message(&p, NEW, "b2", 10, 10), PAIMON_CONFLICT, "rows 10 to 19, which no file");
    leave(&p);
}

static void a_compaction_keeps_row_ids_where_they_are(void **state)
{
    (void)state;
    place p = evolving(EVOLVING);
    commits(&p, ids_message(&p, NEW, "a2", 0, 10));
    refuses(&p, ids_message(&p, AFTER, "far", 15, 10), PAIMON_CONFLICT, "which files of its bucket do not have any more");
    paimon_message_list *list = ids_message(&p, AFTER, "ab", 0, 20);
    with_ids(list, BEFORE, "a", 0, 10);
    with_ids(list, BEFORE, "b", 10, 10);
    refuses(&p, list, PAIMON_CONFLICT, "would overlap"); /* somebody wrote a2 since */
    list = ids_message(&p, AFTER, "ab", 0, 20);
    with_ids(list, BEFORE, "a", 0, 10);
    with_ids(list, BEFORE, "a2", 0, 10);
    with_ids(list, BEFORE, "b", 10, 10);
    commits(&p, list);
    commits(&p, ids_message(&p, NEW, "ab.blob", 5, 10));
    list = ids_message(&p, AFTER, "half", 0, 10);
    with_ids(list, AFTER, "rest", 10, 10);
    with_ids(list, BEFORE, "ab", 0, 20);
    refuses(&p, list, PAIMON_CONFLICT, "not those of one file");
    leave(&p);
}

/* New values of one column (NULL: of all) for rows from `first` on. */
static paimon_message_list *updating(const place *p, const char *name, const char *column, int64_t first)
{
    paimon_message_list *list = ids_message(p, NEW, name, first, 10);
    pmn_data_file *file = (pmn_data_file *)(void *)list->items[0].new_files.items;
    const char **columns = pmn_arena_calloc(&list->arena, 2, sizeof *columns);
    columns[0] = column;
    columns[1] = "_ROW_ID";
    file->write_cols = columns;
    file->n_write_cols = column ? 2 : -1;
    file->min_sequence = file->max_sequence = 0;
    return list;
}

/* NULL: it is committed. */
static void updates(place *p, paimon_message_list *list, int64_t from, paimon_status expected, const char *words)
{
    paimon_commit_options options = PAIMON_COMMIT_OPTIONS_INIT;
    paimon_error err = PAIMON_ERROR_INIT;
    options.check_row_ids = true;
    options.check_row_ids_from = from;
    paimon_status status = paimon_commit_append(p->commit, list, ++p->identifier, &options, NULL, &err);
    if (words) fails(status, expected, &err, words);
    else if (status != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    paimon_message_list_free(list);
}

static void the_same_columns_of_the_same_rows_are_not_written_by_two_who_did_not_see_each_other(void **state)
{
    (void)state;
    place p = evolving(EVOLVING);
    updates(&p, updating(&p, "a-v", "v", 0), 2, PAIMON_OK, NULL);
    updates(&p, updating(&p, "a-v2", "v", 0), 2, PAIMON_CONFLICT, "snapshot 3 changed columns of rows 0 to 9");
    updates(&p, updating(&p, "a-all", NULL, 0), 2, PAIMON_CONFLICT, "snapshot 3 changed columns");
    updates(&p, updating(&p, "a-q", "q", 0), 2, PAIMON_OK, NULL);  /* another column */
    updates(&p, updating(&p, "b-v", "v", 10), 2, PAIMON_OK, NULL); /* other rows */
    updates(&p, updating(&p, "a-v3", "v", 0), 3, PAIMON_OK, NULL); /* it saw the first */
    updates(&p, updating(&p, "b-all", NULL, 10), 4, PAIMON_CONFLICT, "snapshot 5 changed columns of rows 10 to 19");
    /* A compaction changes no value. */
    paimon_message_list *list = ids_message(&p, AFTER, "b-", 10, 10);
    with_ids(list, BEFORE, "b", 10, 10);
    with_ids(list, BEFORE, "b-v", 10, 10);
    commits(&p, list);
    updates(&p, updating(&p, "b-v2", "v", 10), 6, PAIMON_OK, NULL);
    updates(&p, updating(&p, "b-v3", "v", 10), 99, PAIMON_INVALID, "the latest is 8");
    leave(&p);

    p = new_place("[]", TRACKED);
    updates(&p, one_file(p.table, "x", 1), 1, PAIMON_INVALID, "data-evolution.enabled");
    leave(&p);
}

static paimon_message_list *indexing(const place *p, const char *name, int64_t from, int64_t to)
{
    paimon_message_list *list = empty_message(p, NULL, 0, -1);
    with_index(list, &list->items[0].new_index_files, an_index("btree", name, from, to));
    return list;
}

static void an_index_is_of_rows_that_are_there(void **state)
{
    (void)state;
    place p = evolving(EVOLVING);
    paimon_message_list *list = indexing(&p, "g1", 0, 19);
    OK(paimon_commit_append(p.commit, list, ++p.identifier, NULL, NULL, err)); /* checked although nobody asks */
    paimon_message_list_free(list);
    assert_int_equal(latest(&p).commit_kind, PMN_COMMIT_APPEND);
    assert_string_equal(indexes_of(&p), "g1 ");
    list = indexing(&p, "g2", 20, 29);
    paimon_error err = PAIMON_ERROR_INIT;
    fails(paimon_commit_append(p.commit, list, ++p.identifier, NULL, NULL, &err), PAIMON_CONFLICT, &err, "do not all have");
    paimon_message_list_free(list);
    refuses(&p, indexing(&p, "g2", 5, 9), PAIMON_CONFLICT, "overlaps g1");
    refuses(&p, indexing(&p, "g2", 9, 5), PAIMON_INVALID, "rows 9 to 5");
    list = indexing(&p, "g2", 0, 9);
    with_index(list, &list->items[0].deleted_index_files, an_index("btree", "g1", 0, 19));
    commits(&p, list);
    assert_string_equal(indexes_of(&p), "g2 ");
    list = indexing(&p, "odd", -1, -1);
    refuses(&p, list, PAIMON_UNSUPPORTED, "btree that name no range of rows");
    leave(&p);

    p = new_place("[]", "\"bucket\":\"-1\"");
    refuses(&p, indexing(&p, "g", 0, 9), PAIMON_INVALID, "row-tracking.enabled");
    leave(&p);
}

static void indexes_go_where_a_compaction_gives_new_row_ids(void **state)
{
    (void)state;
    place p = evolving(EVOLVING ",\"deletion-vectors.enabled\":\"true\"");
    commits(&p, indexing(&p, "g1", 0, 9));
    commits(&p, indexing(&p, "g2", 10, 19)); /* the compaction does not know it */
    paimon_message_list *list = empty_message(&p, NULL, 0, -1);
    with_ids(list, BEFORE, "a", 0, 10);
    with_ids(list, AFTER, "A", PMN_NONE, 7)->file_source = 0;
    with_index(list, &list->items[0].compact_deleted_index_files, an_index("btree", "g1", 0, 9));
    with_index(list, &list->items[0].compact_deleted_index_files, an_index("btree", "g0", 0, 9)); /* gone meanwhile */
    commits(&p, list);
    assert_string_equal(brought(&p, true), "-a:0[1-1] +A:20[5-5] ");
    assert_string_equal(indexes_of(&p), "");
    leave(&p);
}

/* --- deletion vectors in buckets --- */

typedef struct deleted_rows {
    const char *file;
    int64_t n;
} deleted_rows;

/* An index file with the vectors of one bucket, into `files` of the list's first message. */
static void with_vectors(paimon_message_list *list, pmn_index_files *files, const char *name, const deleted_rows *rows, int32_t n)
{
    pmn_index_entry entry = an_index("DELETION_VECTORS", name, -1, -1);
    pmn_deletion_range *ranges = pmn_arena_calloc(&list->arena, (size_t)n + 1, sizeof *ranges);
    for (int32_t i = 0; i < n; i++) ranges[i] = (pmn_deletion_range){ rows[i].file, 1, 8, rows[i].n };
    entry.ranges = ranges;
    entry.n_ranges = n;
    with_index(list, files, entry);
}

static paimon_message_list *deletion(const place *p, const char *name, int64_t a, int64_t b)
{
    paimon_message_list *list = empty_message(p, NULL, 0, 2);
    const deleted_rows both[] = { { "b", b }, { "a", a } };
    with_vectors(list, &list->items[0].new_index_files, name, both, a ? 2 : 1);
    return list;
}

static void rows_of_a_bucket_that_were_deleted_stay_deleted(void **state)
{
    (void)state;
    for (int keyed = 0; keyed < 2; keyed++) {
        place p = new_place(keyed ? KEYED : "[]", "\"bucket\":\"2\",\"deletion-vectors.enabled\":\"true\"");
        paimon_message_list *list = empty_message(&p, NULL, 0, 2);
        with_keys(list, NEW, "a", 0, 1, 10);
        with_keys(list, NEW, "b", 0, 11, 20);
        commits(&p, list);
        commits(&p, deletion(&p, "v1", 0, 2));
        commits(&p, deletion(&p, "v2", 1, 2));
        refuses(&p, deletion(&p, "v3", 1, 1), PAIMON_CONFLICT, "rows of file b have been deleted");
        refuses(&p, deletion(&p, "v3", 0, 3), PAIMON_CONFLICT, "rows of file a have been deleted");
        commits(&p, deletion(&p, "v3", 1, PMN_NONE)); /* as before it was told how many */
        list = empty_message(&p, NULL, 0, 2);
        with_vectors(list, &list->items[0].deleted_index_files, "v3", NULL, 0);
        refuses(&p, list, PAIMON_CONFLICT, "have been deleted");
        /* Two writers' files in one commit: the second one stays. */
        list = deletion(&p, "v4", 2, 2);
        const deleted_rows fewer[] = { { "a", 1 }, { "b", 2 } };
        with_vectors(list, &list->items[0].new_index_files, "v5", fewer, 2);
        refuses(&p, list, PAIMON_CONFLICT, "rows of file a have been deleted");
        /* Files that go, or are on another level, are no reason. */
        list = empty_message(&p, NULL, 0, 2);
        with_keys(list, BEFORE, "a", 0, 1, 10);
        if (keyed) with_keys(list, BEFORE, "b", 0, 11, 20), with_keys(list, AFTER, "b", 5, 11, 20);
        const deleted_rows left[] = { { "b", 2 } };
        with_vectors(list, &list->items[0].compact_new_index_files, "v6", left, 1);
        commits(&p, list);
        assert_string_equal(indexes_of(&p), "v6 ");
        list = empty_message(&p, NULL, 0, 2);
        with_keys(list, BEFORE, "b", keyed ? 5 : 0, 11, 20);
        with_vectors(list, &list->items[0].compact_new_index_files, "v7", left, 0);
        commits(&p, list);
        leave(&p);
    }
}

static void index_files_alone_are_committed_once(void **state)
{
    (void)state;
    place p = new_place(KEYED, "\"bucket\":\"2\",\"deletion-vectors.enabled\":\"true\"");
    paimon_message_list *list = empty_message(&p, NULL, 0, 2);
    with_keys(list, NEW, "b", 0, 1, 10);
    commits(&p, list);
    OK(pmn_fs_write_new(p.fs, ROOT "/index/v1", "123456789", 9, err));
    OK(pmn_fs_write_new(p.fs, ROOT "/index/v2", "123456789", 9, err));
    commits(&p, sent(deletion(&p, "v1", 0, 1)));
    refuses(&p, sent(deletion(&p, "v1", 0, 1)), PAIMON_CONFLICT, "v1 was to be added, but it is in the table already");
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    paimon_commit *other = NULL;
    OK(paimon_commit_new(p.table, "other", &other, err));
    list = sent(deletion(&p, "v1", 0, 1));
    OK(paimon_commit_filter_and_append(other, list, 1, NULL, &result, err));
    assert_true(result.already_committed);
    paimon_commit_free(other);
    paimon_message_list_free(list);
    commits(&p, sent(deletion(&p, "v2", 0, 2)));
    refuses(&p, sent(deletion(&p, "v1", 0, 1)), PAIMON_CONFLICT, "rows of file b have been deleted");
    leave(&p);
}

/* --- refused memory --- */

static paimon_message_list *much(const place *p, bool keys)
{
    paimon_message_list *list = empty_message(p, NULL, 0, keys ? 2 : -1);
    if (keys) {
        with_keys(list, BEFORE, "a", 0, 1, 10);
        with_keys(list, AFTER, "a", 5, 1, 10);
        with_keys(list, AFTER, "c", 5, 11, 20);
        return list;
    }
    with_ids(list, BEFORE, "a", 0, 10);
    with_ids(list, AFTER, "A", PMN_NONE, 7)->file_source = 0;
    with_blobs(list, "b.blob", "v", 5)->first_row_id = 12;
    with_ids(list, NEW, "n", PMN_NONE, 7);
    with_index(list, &list->items[0].new_index_files, an_index("btree", "g2", 10, 19));
    return list;
}

static void where_memory_is_refused_a_commit_is_made_whole_or_not_at_all(void **state)
{
    (void)state;
    for (int keys = 0; keys < 2; keys++) {
        bool reached = true;
        for (int64_t at = 0; reached; at += 1 + at / 40) {
            failing_alloc f = { .until_failure = -1 };
            paimon_allocator allocator = failing_alloc_interface(&f);
            paimon_env_options env = PAIMON_ENV_OPTIONS_INIT;
            env.allocator = &allocator;
            place p = keys ? new_place_in(&env, KEYED, "\"bucket\":\"2\"") : evolving_in(&env, EVOLVING ",\"deletion-vectors.enabled\":\"true\"");
            paimon_message_list *first = empty_message(&p, NULL, 0, keys ? 2 : -1);
            if (keys) with_keys(first, NEW, "a", 0, 1, 10);
            else with_index(first, &first->items[0].new_index_files, an_index("btree", "g1", 0, 9));
            commits(&p, first);
            paimon_message_list *list = much(&p, keys);
            paimon_commit_options options = careful();
            paimon_error err = PAIMON_ERROR_INIT;
            int64_t before = latest(&p).id;
            options.check_row_ids = !keys;
            options.check_row_ids_from = before - 1;
            f.until_failure = at;
            paimon_status status = paimon_commit_append(p.commit, list, ++p.identifier, &options, NULL, &err);
            reached = f.until_failure < -1;
            f.until_failure = -1;
            if (!reached && status != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
            if (reached) assert_true(status == PAIMON_NOMEM || status == PAIMON_IO || status == PAIMON_OK);
            paimon_error_clear(&err);
            int64_t made = latest(&p).id - before, all = keys ? 1 : 2;
            if (status == PAIMON_OK) assert_int_equal(made, all);
            if (status == PAIMON_OK && !keys) assert_string_equal(indexes_of(&p), ""); /* also of the one that came with it */
            paimon_message_list_free(list);
            leave(&p);
            assert_int_equal(f.alive, 0);
        }
    }
}

/* --- aborting --- */

static void an_abort_removes_index_files_where_they_lie(void **state)
{
    (void)state;
    for (int beside = 0; beside < 2; beside++) {
        place p = new_place(KEYED, beside ? "\"bucket\":\"-1\",\"index-file-in-data-file-dir\":\"true\"" : "\"bucket\":\"-1\"");
        paimon_message_list *lists[2];
        for (int i = 0; i < 2; i++) {
            const char *path = beside ? (i ? ROOT "/bucket-0/h1" : ROOT "/bucket-0/h0") : (i ? ROOT "/index/h1" : ROOT "/index/h0");
            lists[i] = empty_message(&p, NULL, 0, -1);
            with_keys(lists[i], NEW, i ? "b" : "a", 0, 1, 10);
            with_index(lists[i], &lists[i]->items[0].new_index_files, an_index("HASH", i ? "h1" : "h0", -1, -1));
            write_fake_files(p.table, lists[i]);
            OK(pmn_fs_write_new(p.fs, path, "123456789", 9, err));
            lists[i] = sent(lists[i]);
        }
        int folder = count_in(p.fs, ROOT, beside ? "bucket-0" : "index");
        paimon_commit_options options = careful();
        OK(paimon_commit_append(p.commit, lists[0], 1, &options, NULL, err));
        paimon_error err = PAIMON_ERROR_INIT;
        fails(paimon_commit_abort(p.commit, lists[0], &err), PAIMON_STATE, &err, "has been committed");
        assert_int_equal(count_in(p.fs, ROOT, beside ? "bucket-0" : "index"), folder);
        OK(paimon_commit_abort(p.commit, lists[1], err));
        assert_int_equal(count_in(p.fs, ROOT, beside ? "bucket-0" : "index"), folder - (beside ? 2 : 1));
        paimon_message_list_free(lists[0]);
        paimon_message_list_free(lists[1]);
        leave(&p);
    }
}

static void an_abort_removes_what_the_message_itself_compacted_and_keeps_what_it_took_from_the_table(void **state)
{
    (void)state;
    place p = new_place(KEYED, "\"bucket\":\"2\"");
    paimon_message_list *list = empty_message(&p, NULL, 0, 2);
    with_keys(list, NEW, "old", 0, 1, 10);
    write_fake_files(p.table, list);
    commits(&p, sent(list));
    list = empty_message(&p, NULL, 0, 2);
    with_keys(list, NEW, "n", 0, 1, 10);
    with_keys(list, NEW, "up", 0, 11, 20);
    with_keys(list, BEFORE, "n", 0, 1, 10);
    with_keys(list, BEFORE, "up", 0, 11, 20);
    with_keys(list, BEFORE, "old", 0, 1, 10);
    with_keys(list, AFTER, "merged", 5, 1, 10);
    with_keys(list, AFTER, "up", 5, 11, 20); /* the same file, on another level */
    write_fake_files(p.table, list);
    OK(pmn_fs_write_new(p.fs, ROOT "/bucket-0/merged", "data", 4, err));
    list = sent(list);
    assert_int_equal(count_in(p.fs, ROOT, "bucket-0"), 4);
    OK(paimon_commit_abort(p.commit, list, err));
    assert_int_equal(count_in(p.fs, ROOT, "bucket-0"), 1);
    bool there;
    OK(pmn_fs_exists(p.fs, ROOT "/bucket-0/old", &there, NULL, err));
    assert_true(there);
    paimon_message_list_free(list);
    leave(&p);
}

/* --- changelogs that several buckets share --- */

static void a_piece_of_a_changelog_is_there_when_the_whole_is(void **state)
{
    (void)state;
    place p = new_place(KEYED, "\"bucket\":\"2\"");
    for (int there = 0; there < 2; there++) {
        paimon_message_list *list = empty_message(&p, NULL, 0, 2);
        pmn_data_file *file = with_keys(list, NEW, "compacted-changelog-a-b-0$1-900-300-500.cc-parquet", 0, 1, 10);
        list->items[0].changelog_files = list->items[0].new_files;
        list->items[0].new_files.n = 0;
        file->size = 500;
        if (there) OK(pmn_fs_write_new(p.fs, ROOT "/bucket-1/compacted-changelog-a-b-0$1-900.cc-parquet", "all of it", 9, err));
        if (there) commits(&p, sent(list));
        else refuses(&p, sent(list), PAIMON_NOT_FOUND, "bucket-1/compacted-changelog-a-b-0$1-900.cc-parquet");
    }
    /* A data file is no piece of anything, whatever it is called. */
    paimon_message_list *list = empty_message(&p, NULL, 0, 2);
    with_keys(list, NEW, "compacted-changelog-a-b-0$1-900-0-300.cc-parquet", 0, 1, 10);
    refuses(&p, sent(list), PAIMON_NOT_FOUND, "bucket-0/compacted-changelog-a-b-0$1-900-0-300.cc-parquet");
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_has_one_index_of_each_type),
        cmocka_unit_test(tables_without_buckets_have_many_files_of_vectors_and_none_of_them_twice),
        cmocka_unit_test(an_index_of_row_ids_must_not_overlap_one_of_its_column_that_stays),
        cmocka_unit_test(an_index_of_row_ids_takes_the_place_of_one_that_goes),
        cmocka_unit_test(on_a_level_of_a_bucket_keys_do_not_overlap),
        cmocka_unit_test(an_overwrite_of_keys_goes_to_the_highest_level),
        cmocka_unit_test(keys_that_are_none_are_refused),
        cmocka_unit_test(a_file_that_was_taken_to_another_level_is_not_added_again),
        cmocka_unit_test(postponed_buckets_are_committed_and_hashes_only_where_buckets_are_dynamic),
        cmocka_unit_test(sequence_numbers_follow_the_snapshot_where_asked),
        cmocka_unit_test(new_rows_get_row_ids_and_the_snapshots_number),
        cmocka_unit_test(files_beside_others_have_the_row_ids_of_the_rows_that_they_belong_to),
        cmocka_unit_test(columns_are_written_to_rows_that_are_there),
        cmocka_unit_test(a_compaction_keeps_row_ids_where_they_are),
        cmocka_unit_test(the_same_columns_of_the_same_rows_are_not_written_by_two_who_did_not_see_each_other),
        cmocka_unit_test(an_index_is_of_rows_that_are_there),
        cmocka_unit_test(indexes_go_where_a_compaction_gives_new_row_ids),
        cmocka_unit_test(rows_of_a_bucket_that_were_deleted_stay_deleted),
        cmocka_unit_test(index_files_alone_are_committed_once),
        cmocka_unit_test(where_memory_is_refused_a_commit_is_made_whole_or_not_at_all),
        cmocka_unit_test(an_abort_removes_index_files_where_they_lie),
        cmocka_unit_test(an_abort_removes_what_the_message_itself_compacted_and_keeps_what_it_took_from_the_table),
        cmocka_unit_test(a_piece_of_a_changelog_is_there_when_the_whole_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
