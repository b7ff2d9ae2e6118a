/* Every table that Paimon Java wrote, made again: each snapshot is turned back into messages, which are committed to an empty table of the same
 * schemas. What we make of them must be what Java made: files with their row ids and sequence numbers, changelogs, index files, counts. */
#include "support/commit_table.h"

#include "support/memory_files.h"
#include "support/replay.h"
#include "support/tables.h"

#define ROOT "mem:/wh/db.db/t"

typedef struct replays {
    paimon_fs *disk;
    paimon_fs *memory;
    paimon_env *env;
    const char *name, *root; /* of Java's table */
    pmn_arena arena;
    bool as_bytes; /* the messages come out of another process: they are looked at closely, and their files must be there */
    int n_altered; /* how often each list of messages is tried with bytes of it altered first */
    uint64_t random;
    int tried, refused;
    int tables, snapshots, files, changelogs, indexes, vectors, hashes, row_ids, levels, skipped;
} replays;

static void copy_schemas(replays *r, int64_t *copied, int64_t up_to)
{
    for (; *copied <= up_to; ++*copied) {
        pmn_buf text;
        pmn_buf_init(&text, r->arena.mem, PMN_BUF_NO_CEILING);
        const char *path = pmn_path_joinf(&r->arena, r->root, "schema/schema-%lld", (long long)*copied);
        OK(pmn_fs_read_all(r->arena.mem, r->disk, path, PMN_BUF_NO_CEILING, &text, err));
        path = pmn_path_joinf(&r->arena, ROOT, "schema/schema-%lld", (long long)*copied);
        OK(pmn_fs_write_new(r->memory, path, text.data, text.size, err));
        pmn_buf_free(&text);
    }
}

/* --- as texts, sorted --- */

static char *slice_hex(pmn_slice slice, char *out, size_t size)
{
    for (size_t i = 0; i < slice.size && 2 * i + 3 < size; i++) sprintf(out + 2 * i, "%02x", slice.data[i]);
    return out;
}

static char *entry_text(replays *r, const pmn_manifest_entry *e)
{
    char hex[400] = "";
    const pmn_data_file *f = &e->file;
    return (char *)(uintptr_t)pmn_path_joinf(&r->arena, "", "%d %s bucket %d of %d %s level %d rows %lld ids %lld sequences %lld-%lld size %lld schema %lld source %d", (int)e->kind,
                           slice_hex(e->partition, hex, sizeof hex), (int)e->bucket, (int)e->total_buckets, f->name, (int)f->level,
                           (long long)f->row_count, (long long)f->first_row_id, (long long)f->min_sequence, (long long)f->max_sequence,
                           (long long)f->size, (long long)f->schema_id, (int)f->file_source);
}

static char *index_text(replays *r, const pmn_index_entry *e)
{
    char hex[400] = "", meta[400] = "", source[400] = "";
    return (char *)(uintptr_t)pmn_path_joinf(&r->arena, "", "%s bucket %d %s %s size %lld rows %lld vectors %d of %s ids %lld-%lld field %d extras %d meta %s source %s",
                           slice_hex(e->partition, hex, sizeof hex), (int)e->bucket, e->index_type, e->file_name, (long long)e->file_size,
                           (long long)e->row_count, (int)e->n_ranges, e->n_ranges > 0 ? e->ranges[0].data_file : "nothing",
                           e->has_global ? (long long)e->row_range_start : -1, e->has_global ? (long long)e->row_range_end : -1,
                           e->has_global ? (int)e->index_field_id : -1, e->has_global ? (int)e->n_extra_field_ids : -1,
                           slice_hex(e->index_meta, meta, sizeof meta), slice_hex(e->source_meta, source, sizeof source));
}

static void same_lines(const replays *r, int64_t id, const char *what, char **ours, size_t n, char **theirs, size_t n_theirs)
{
    if (n != n_theirs) fail_msg("%s, snapshot %lld: %zu %s, Java has %zu", r->name, (long long)id, n, what, n_theirs);
    if (n) qsort(ours, n, sizeof *ours, compare_words);
    if (n) qsort(theirs, n, sizeof *theirs, compare_words);
    for (size_t i = 0; i < n; i++)
        if (strcmp(ours[i], theirs[i]) != 0) fail_msg("%s, snapshot %lld, %s:\n  %s\nJava:\n  %s", r->name, (long long)id, what, ours[i], theirs[i]);
}

static size_t texts_of(replays *r, paimon_fs *fs, const char *root, const char *list, char ***out)
{
    entry_list entries;
    OK(listed_entries(&r->arena, fs, root, list, &entries, err));
    *out = pmn_arena_calloc(&r->arena, entries.n + 1, sizeof **out);
    for (size_t i = 0; i < entries.n; i++) {
        (*out)[i] = entry_text(r, &entries.items[i]);
        r->row_ids += entries.items[i].file.first_row_id != PMN_NONE;
        r->levels += entries.items[i].file.level > 0;
    }
    return entries.n;
}

static size_t index_texts_of(replays *r, paimon_fs *fs, const char *root, const char *name, char ***out)
{
    pmn_index_entry *entries = NULL;
    int32_t n;
    OK(listed_indexes(&r->arena, fs, root, name, &entries, &n, err));
    *out = pmn_arena_calloc(&r->arena, (size_t)n + 1, sizeof **out);
    for (int32_t i = 0; i < n; i++) {
        (*out)[i] = index_text(r, &entries[i]);
        r->vectors += strcmp(entries[i].index_type, "DELETION_VECTORS") == 0;
        r->hashes += strcmp(entries[i].index_type, "HASH") == 0;
    }
    return (size_t)n;
}

static void compare_snapshots(replays *r, const pmn_snapshot *ours, const pmn_snapshot *java)
{
    char **a, **b = NULL;
    size_t n, theirs;
    /* What deletes nothing is no overwrite for us, nor is what changes nothing a compaction, or an analysis. */
    if (ours->commit_kind != PMN_COMMIT_APPEND) assert_int_equal(ours->commit_kind, java->commit_kind);
    else if (java->commit_kind == PMN_COMMIT_COMPACT) assert_int_equal(ours->delta_record_count, 0);
    assert_int_equal(ours->delta_record_count, java->delta_record_count);
    assert_int_equal(ours->changelog_record_count > 0 ? ours->changelog_record_count : 0, java->changelog_record_count > 0 ? java->changelog_record_count : 0);
    if (java->next_row_id != PMN_NONE) assert_int_equal(ours->next_row_id, java->next_row_id);
    n = texts_of(r, r->memory, ROOT, ours->delta_manifest_list, &a);
    theirs = texts_of(r, r->disk, r->root, java->delta_manifest_list, &b);
    same_lines(r, java->id, "files", a, n, b, theirs);
    r->files += (int)n;
    n = texts_of(r, r->memory, ROOT, ours->changelog_manifest_list, &a);
    theirs = texts_of(r, r->disk, r->root, java->changelog_manifest_list, &b);
    same_lines(r, java->id, "files of changelogs", a, n, b, theirs);
    r->changelogs += (int)n;
    n = index_texts_of(r, r->memory, ROOT, ours->index_manifest, &a);
    theirs = index_texts_of(r, r->disk, r->root, java->index_manifest, &b);
    same_lines(r, java->id, "index files", a, n, b, theirs);
    r->indexes += (int)n;
}

/* --- a table --- */

static bool is_on(const paimon_table *table, const char *option)
{
    const char *value = pmn_options_get(&table->source->options, option);
    return value && strcmp(value, "true") == 0;
}

/* A file of that size, whatever is in it. */
static void put_blank(replays *r, const char *path, int64_t size)
{
    bool exists;
    OK(pmn_fs_exists(r->memory, path, &exists, NULL, err));
    if (exists) return;
    void *bytes = calloc((size_t)size + 1, 1);
    assert_non_null(bytes);
    OK(pmn_fs_write_new(r->memory, path, bytes, (size_t)size, err));
    free(bytes);
}

static void put_files(replays *r, const paimon_table *table, const pmn_message *m, pmn_data_files files)
{
    for (int32_t i = 0; i < files.n; i++) {
        char path[2000];
        data_path(table, m, files.items[i].name, path, sizeof path);
        put_blank(r, files.items[i].external_path ? files.items[i].external_path : path, files.items[i].size);
        for (int32_t k = 0; k < files.items[i].n_extra_files; k++) {
            data_path(table, m, files.items[i].extra_files[k], path, sizeof path);
            put_blank(r, path, 1);
        }
    }
}

static void put_indexes(replays *r, const paimon_table *table, const pmn_message *m, pmn_index_files files)
{
    pmn_buf path;
    pmn_buf_init(&path, r->arena.mem, PMN_BUF_NO_CEILING);
    for (int32_t i = 0; i < files.n; i++) {
        pmn_index_entry entry = files.items[i];
        entry.partition = m->partition;
        entry.bucket = m->bucket;
        OK(pmn_index_path(table->source, &entry, &path, err));
        put_blank(r, (const char *)path.data, entry.file_size);
    }
    pmn_buf_free(&path);
}

static paimon_message_list *sent(replays *r, const paimon_table *table, paimon_message_list *list)
{
    uint8_t *bytes = NULL;
    size_t n = 0;
    paimon_message_list *got = NULL;
    for (size_t i = 0; i < list->n; i++) {
        const pmn_message *m = &list->items[i];
        put_files(r, table, m, m->new_files);
        put_files(r, table, m, m->changelog_files);
        put_files(r, table, m, m->compact_after);
        put_files(r, table, m, m->compact_changelog);
        put_indexes(r, table, m, m->new_index_files);
        put_indexes(r, table, m, m->compact_new_index_files);
    }
    OK(paimon_message_list_serialize(list, paimon_commit_message_current_version(), &bytes, &n, err));
    OK(paimon_message_list_deserialize(NULL, paimon_commit_message_current_version(), bytes, n, &got, err));
    paimon_bytes_free(bytes, n);
    paimon_message_list_free(list);
    return got;
}

/* Whatever the bytes are made to say, it is no fault of the table, and nothing worse happens than a refusal, or a commit that is not published. */
static void try_altered(replays *r, paimon_table *table, const paimon_message_list *list)
{
    uint8_t *bytes = NULL;
    size_t n = 0;
    OK(paimon_message_list_serialize(list, paimon_commit_message_current_version(), &bytes, &n, err));
    for (int i = 0; i < r->n_altered && n > 0; i++) {
        paimon_message_list *altered = NULL;
        paimon_commit *commit = NULL;
        paimon_error why = PAIMON_ERROR_INIT;
        uint8_t *copy = malloc(n);
        assert_non_null(copy);
        memcpy(copy, bytes, n);
        for (uint64_t k = 1 + random_below(&r->random, 3); k-- > 0;) copy[random_below(&r->random, n)] = (uint8_t)random_next(&r->random);
        r->tried++;
        paimon_status status = paimon_message_list_deserialize(NULL, paimon_commit_message_current_version(), copy, n, &altered, &why);
        if (status == PAIMON_OK) {
            status = paimon_commit_new(table, "u", &commit, &why);
            if (status == PAIMON_OK) OK(paimon_commit_set_prepare_only(commit, true, err));
            if (status == PAIMON_OK) status = paimon_commit_append(commit, altered, PAIMON_BATCH_COMMIT, NULL, NULL, &why);
            if (status == PAIMON_CORRUPT || status == PAIMON_INTERNAL || status == PAIMON_NOMEM)
                fail_msg("%s: %d: %s", r->name, (int)status, paimon_error_message(&why));
        }
        r->refused += status != PAIMON_OK;
        paimon_error_clear(&why);
        paimon_commit_free(commit);
        paimon_message_list_free(altered);
        free(copy);
    }
    paimon_bytes_free(bytes, n);
}

static bool replay_snapshot(replays *r, const pmn_snapshot *java, const pmn_snapshot *before)
{
    paimon_table *table = open_table(r->env, ROOT);
    paimon_message_list *list = new_messages();
    paimon_commit *commit = NULL;
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_commit_options options = PAIMON_COMMIT_OPTIONS_INIT;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    options.check_conflicts = true;
    paimon_status status = replayed_messages(r->disk, r->root, java, before, is_on(table, "row-tracking.enabled"), list, &why);
    options.ignore_empty = list->n > 0; /* so that every snapshot has Java's number */
    if (status == PAIMON_OK && r->as_bytes) list = sent(r, table, list);
    if (status == PAIMON_OK && r->n_altered) try_altered(r, table, list);
    if (status == PAIMON_OK) status = paimon_commit_new(table, "u", &commit, &why);
    if (status == PAIMON_OK) status = paimon_commit_append(commit, list, java->id, &options, &result, &why);
    if (status == PAIMON_UNSUPPORTED) {
        printf("%s, snapshot %lld: %s\n", r->name, (long long)java->id, paimon_error_message(&why));
        r->skipped++;
    } else if (status != PAIMON_OK) {
        fail_msg("%s, snapshot %lld: %s", r->name, (long long)java->id, paimon_error_message(&why));
    } else if (result.snapshot_id) {
        assert_int_equal(result.snapshot_id, java->id);
        pmn_snapshot ours = load_snapshot(table, &r->arena, result.snapshot_id);
        compare_snapshots(r, &ours, java);
        r->snapshots++;
    }
    bool ok = status == PAIMON_OK;
    paimon_error_clear(&why);
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    paimon_table_free(table);
    return ok;
}

static void replay_table(void *ctx, const char *name, const char *root)
{
    replays *r = ctx;
    int64_t *ids, copied = 0;
    int32_t n;
    pmn_snapshot before = { .id = 0 };
    r->name = name;
    r->root = root;
    r->memory = memory_files();
    pmn_arena_init(&r->arena, pmn_mem_default());
    OK(paimon_env_new(NULL, &r->env, err));
    OK(paimon_env_register_fs(r->env, "mem", r->memory, err));
    OK(pmn_snapshot_list(&r->arena, r->disk, root, &ids, &n, err));
    for (int32_t i = 0; i < n && ids[0] == 1; i++) { /* later ones alone do not tell the table */
        pmn_snapshot java;
        OK(pmn_snapshot_load(&r->arena, r->disk, root, ids[i], &java, err));
        copy_schemas(r, &copied, java.schema_id);
        if (!replay_snapshot(r, &java, before.id ? &before : NULL)) break;
        before = java;
    }
    r->tables++;
    pmn_arena_free(&r->arena);
    paimon_env_free(r->env);
    paimon_fs_free(r->memory);
}

static void replay_all(bool as_bytes, int n_altered)
{
    replays r = { .as_bytes = as_bytes, .n_altered = n_altered, .random = 5 };
    OK(paimon_fs_local(NULL, &r.disk, err));
    each_table(replay_table, &r);
    paimon_fs_free(r.disk);
    printf("%d tables, %d snapshots, %d files (%d of changelogs), %d index files; row ids: %d, levels above 0: %d, vectors: %d, hashes: %d; %d not supported\n",
           r.tables, r.snapshots, r.files, r.changelogs, r.indexes, r.row_ids, r.levels, r.vectors, r.hashes, r.skipped);
    if (n_altered) printf("%d lists with altered bytes, %d of them refused\n", r.tried, r.refused);
    assert_true(r.files > 0);
}

static void what_java_committed_is_committed_the_same_way(void **state)
{
    (void)state;
    replay_all(false, 0);
}

static void so_are_messages_that_come_as_bytes(void **state)
{
    (void)state;
    replay_all(true, 0);
}

static void altered_bytes_are_refused_or_say_something_else(void **state)
{
    (void)state;
    const char *times = getenv("PAIMON_ALTERED");
    replay_all(true, times ? atoi(times) : 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_java_committed_is_committed_the_same_way), cmocka_unit_test(so_are_messages_that_come_as_bytes),
                                        cmocka_unit_test(altered_bytes_are_refused_or_say_something_else) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
