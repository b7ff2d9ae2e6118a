/* Java: FileStoreCommitImpl.overwritePartition, dropPartitions, truncateTable. */
#include "commit/overwrite.h"

#include <stdlib.h>
#include <string.h>

#include "commit/conflict.h"
#include "commit/key_levels.h"
#include "commit/presence.h"
#include "io/path.h"
#include "meta/manifest/merge.h"
#include "types/partition.h"
#include "types/row_codec.h"

/* --- which partitions --- */

static paimon_status test_value(const pmn_source *source, int32_t key, const char *text, pmn_arena *arena, pmn_datum *out, paimon_error *err)
{
    const char *default_name = pmn_options_get(&source->options, "partition.default-name");
    memset(out, 0, sizeof *out);
    out->is_null = strcmp(text, default_name ? default_name : "__DEFAULT_PARTITION__") == 0;
    if (out->is_null) return PAIMON_OK;
    paimon_status status = pmn_datum_parse(arena, source->schema->partition_type->fields[key].type, pmn_slice_text(text), out, err);
    if (status != PAIMON_OK) pmn_error_prefix(err, "partition key %s", source->schema->partition_keys[key]);
    return status;
}

paimon_status pmn_partition_test_of(const pmn_source *source, const paimon_option *pairs, size_t n, pmn_arena *arena, pmn_partition_test *out,
                                    paimon_error *err)
{
    const pmn_table_schema *schema = source->schema;
    out->n = 0;
    out->columns = pmn_arena_calloc(arena, (size_t)schema->n_partition_keys + 1, sizeof *out->columns);
    out->values = pmn_arena_calloc(arena, (size_t)schema->n_partition_keys + 1, sizeof *out->values);
    if (!out->columns || !out->values) return pmn_fail_nomem(err, "a partition");
    for (size_t i = 0; i < n; i++) {
        int32_t key = 0;
        if (!pairs[i].key || !pairs[i].value) return pmn_fail(err, PAIMON_INVALID, "a partition's pair %zu has no key or no value", i);
        while (key < schema->n_partition_keys && strcmp(schema->partition_keys[key], pairs[i].key) != 0) key++;
        if (key == schema->n_partition_keys) return pmn_fail(err, PAIMON_NOT_FOUND, "%s: '%s' is not a partition key", source->path, pairs[i].key);
        for (int32_t k = 0; k < out->n; k++)
            if (out->columns[k] == key) return pmn_fail(err, PAIMON_INVALID, "partition key %s is given twice", pairs[i].key);
        PMN_TRY(test_value(source, key, pairs[i].value, arena, &out->values[out->n], err));
        out->columns[out->n++] = key;
    }
    return PAIMON_OK;
}

static bool test_holds(const pmn_partition_test *test, const pmn_type *type, const pmn_datum *row)
{
    for (int32_t i = 0; i < test->n; i++) {
        const pmn_datum *value = &row[test->columns[i]], *want = &test->values[i];
        if (value->is_null != want->is_null) return false;
        if (!value->is_null && pmn_datum_compare(type->fields[test->columns[i]].type, value, want) != 0) return false;
    }
    return true;
}

paimon_status pmn_partition_chosen(const pmn_partition_choice *choice, const pmn_type *type, pmn_slice partition, pmn_datum *row, bool *chosen,
                                   paimon_error *err)
{
    *chosen = choice->everything;
    if (*chosen) return PAIMON_OK;
    if (choice->exactly) {
        *chosen = pmn_map_find(choice->exactly, partition) != NULL;
        return PAIMON_OK;
    }
    pmn_row_view view;
    PMN_TRY(pmn_row_parse(partition, &view, err));
    PMN_TRY(pmn_row_get_all(&view, type, row, err));
    for (size_t i = 0; i < choice->n_tests && !*chosen; i++) *chosen = test_holds(&choice->tests[i], type, row);
    return PAIMON_OK;
}

/* --- what is alive in them --- */

typedef struct collecting {
    pmn_committer *c;
    const pmn_partition_choice *choice;
    pmn_entries entries;
    pmn_datum *row;
    pmn_slice last; /* the partition asked about last, in the entries' arena, */
    bool last_chosen; /* and the answer */
    paimon_status filter_status; /* a filter cannot fail: what went wrong waits here */
    paimon_error filter_error;
} collecting;

static bool choose_entry(void *ctx, pmn_file_kind kind, pmn_slice partition, int32_t bucket, int32_t total_buckets)
{
    collecting *k = ctx;
    (void)kind, (void)total_buckets;
    if (bucket < 0 && k->c->settings.n_buckets != -2) return false; /* postponed files of a table that was otherwise once */
    if (k->choice->everything || k->filter_status != PAIMON_OK) return true;
    if (k->last.data && pmn_slice_equal(k->last, partition)) return k->last_chosen;
    const void *copy = pmn_arena_copy(&k->entries.arena, partition.data, partition.size);
    if (!copy) {
        k->filter_status = pmn_fail_nomem(&k->filter_error, "a partition");
        return true;
    }
    k->last = pmn_slice_of(copy, partition.size);
    k->filter_status = pmn_partition_chosen(k->choice, k->c->source->schema->partition_type, k->last, k->row, &k->last_chosen, &k->filter_error);
    return k->filter_status != PAIMON_OK || k->last_chosen;
}

static paimon_status keep_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    collecting *k = ctx;
    if (k->filter_status == PAIMON_OK) return pmn_entries_add(&k->entries, entry, false, NULL, err);
    pmn_error_move(err, &k->filter_error);
    return k->filter_status;
}

static paimon_status read_one(collecting *k, pmn_manifest_lens *lens, const pmn_manifest_file *file, pmn_arena *arena, paimon_error *err)
{
    const char *path = pmn_path_join(arena, k->c->folder, file->name);
    if (!path) return pmn_fail_nomem(err, "a path");
    pmn_manifest *manifest = NULL;
    pmn_manifest_visitor visitor = { .ctx = k, .wanted = PMN_ENTRY_NAME, .lens = lens, .filter = choose_entry, .entry = keep_entry };
    PMN_TRY(pmn_manifest_load(k->c->source->mem, k->c->source->fs, path, file->size, &manifest, err));
    paimon_status status = pmn_entries_begin(&k->entries, manifest, err);
    if (status == PAIMON_OK) status = pmn_manifest_visit(manifest, &visitor, err);
    pmn_manifest_release(manifest);
    return status;
}

static paimon_status add_deletes(collecting *k, pmn_manifest_lens *lens, pmn_changes *out, paimon_error *err)
{
    for (size_t i = 0; i < k->entries.n; i++) {
        pmn_manifest_entry entry;
        PMN_TRY(pmn_entries_detail(&k->entries, &k->entries.items[i], lens, out->arena, &entry, err));
        entry.kind = PMN_FILE_DELETE;
        if (k->c->settings.drop_delete_stats) {
            entry.file.key_stats = entry.file.value_stats = (pmn_simple_stats){ .n_null_counts = 0 };
            entry.file.n_value_stats_cols = 0;
        }
        PMN_TRY(pmn_changes_add(out, &entry, err));
    }
    return PAIMON_OK;
}

paimon_status pmn_overwrite_collect(pmn_committer *c, const pmn_partition_choice *choice, const pmn_manifest_file *manifests, int32_t n,
                                    pmn_changes *out, paimon_error *err)
{
    collecting k = { .c = c, .choice = choice, .filter_error = PAIMON_ERROR_INIT };
    pmn_manifest_lens *lens = NULL;
    paimon_status status = PAIMON_OK;
    pmn_entries_init(&k.entries, c->source->mem);
    k.row = pmn_arena_calloc(&k.entries.arena, (size_t)c->source->schema->n_partition_keys + 1, sizeof *k.row);
    if (!k.row) status = pmn_fail_nomem(err, "a partition");
    if (status == PAIMON_OK) status = pmn_manifest_lens_new(c->source->mem, (size_t)4 << 20, &lens, err);
    for (int32_t i = 0; i < n && status == PAIMON_OK; i++) status = read_one(&k, lens, &manifests[i], out->arena, err);
    if (status == PAIMON_OK && k.filter_status != PAIMON_OK) { /* the last entry of all was not shown */
        pmn_error_move(err, &k.filter_error);
        status = k.filter_status;
    }
    if (status == PAIMON_OK) status = pmn_entries_merge(&k.entries, false, err);
    if (status == PAIMON_OK) status = add_deletes(&k, lens, out, err);
    pmn_manifest_lens_free(lens);
    pmn_entries_free(&k.entries);
    paimon_error_clear(&k.filter_error);
    return status;
}

/* --- the calls --- */

static paimon_status fail_outside(const pmn_source *source, const pmn_datum *row, const char *name, paimon_error *err)
{
    const char *default_name = pmn_options_get(&source->options, "partition.default-name");
    pmn_buf text;
    pmn_buf_init(&text, source->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_partition_path(&text, source->schema->partition_type, row, default_name ? default_name : "__DEFAULT_PARTITION__", false, err);
    if (status == PAIMON_OK)
        status = pmn_fail(err, PAIMON_INVALID, "%s: file %s of partition %.*s does not belong to the partition that is overwritten", source->path, name,
                          text.size > 0 ? (int)text.size - 1 : 0, text.size > 0 ? (const char *)text.data : "");
    pmn_buf_free(&text);
    return status;
}

/* Every file that comes must belong to what is overwritten. */
static paimon_status check_inside(pmn_committer *c, const pmn_partition_choice *choice, const pmn_delta *delta, pmn_arena *arena, paimon_error *err)
{
    const pmn_changes *changes = &delta->files;
    pmn_datum *row = pmn_arena_calloc(arena, (size_t)c->source->schema->n_partition_keys + 1, sizeof *row);
    if (!row) return pmn_fail_nomem(err, "a partition");
    for (size_t i = 0; i < changes->n; i++) {
        bool chosen;
        PMN_TRY(pmn_partition_chosen(choice, c->source->schema->partition_type, changes->items[i].partition, row, &chosen, err));
        if (!chosen) return fail_outside(c->source, row, changes->items[i].file.name, err);
    }
    return PAIMON_OK;
}

static paimon_status partitions_of(const pmn_changes *changes, pmn_map *out, paimon_error *err)
{
    uint64_t *ignored;
    for (size_t i = 0; i < changes->n; i++) PMN_TRY(pmn_map_put(out, changes->items[i].partition, &ignored, NULL, err));
    return PAIMON_OK;
}

/* --- straight to the highest level --- */

static int compare_buckets(const void *x, const void *y)
{
    const pmn_manifest_entry *a = *(pmn_manifest_entry *const *)x, *b = *(pmn_manifest_entry *const *)y;
    size_t n = a->partition.size < b->partition.size ? a->partition.size : b->partition.size;
    int order = n ? memcmp(a->partition.data, b->partition.data, n) : 0;
    if (order) return order;
    if (a->partition.size != b->partition.size) return a->partition.size < b->partition.size ? -1 : 1;
    return a->bucket < b->bucket ? -1 : a->bucket > b->bucket;
}

static paimon_status upgrade_bucket(pmn_committer *c, pmn_manifest_entry **entries, size_t n, pmn_arena *arena, paimon_error *err)
{
    bool apart;
    pmn_living *files = pmn_arena_calloc(arena, n, sizeof *files);
    if (!files) return pmn_fail_nomem(err, "files of a bucket");
    for (size_t i = 0; i < n; i++) files[i] = pmn_living_of(entries[i]);
    PMN_TRY(pmn_key_ranges_apart(c->source, files, n, arena, &apart, err));
    for (size_t i = 0; i < n && apart; i++) entries[i]->file.level = (int32_t)c->settings.n_levels - 1;
    return PAIMON_OK;
}

/* Files that come into empty buckets, and do not overlap, are as good as compacted. Java: FileStoreCommitImpl.tryUpgrade. */
static paimon_status upgrade(pmn_committer *c, pmn_changes *changes, pmn_arena *arena, paimon_error *err)
{
    pmn_manifest_entry **order = pmn_arena_calloc(arena, changes->n + 1, sizeof(pmn_manifest_entry *));
    if (!order) return pmn_fail_nomem(err, "the files of a commit");
    for (size_t i = 0; i < changes->n; i++) {
        order[i] = &changes->items[i];
        if (order[i]->file.level > 0 || order[i]->bucket < 0) return PAIMON_OK;
    }
    if (changes->n > 1) qsort(order, changes->n, sizeof *order, compare_buckets);
    for (size_t from = 0, to; from < changes->n; from = to) {
        for (to = from + 1; to < changes->n && compare_buckets(&order[from], &order[to]) == 0; to++) continue;
        PMN_TRY(upgrade_bucket(c, order + from, to - from, arena, err));
    }
    return PAIMON_OK;
}

/* --- running it --- */

typedef struct overwriting {
    pmn_arena arena;
    pmn_map partitions;
    pmn_delta append, compact;
    pmn_partition_test test;
    pmn_partition_choice choice;
} overwriting;

static paimon_status run_overwrite(pmn_committer *c, overwriting *o, const pmn_commit_call *call, paimon_commit_result *result, paimon_error *err)
{
    pmn_commit_work work = { PMN_COMMIT_OVERWRITE, &o->append, &o->choice, false };
    pmn_commit_work compact = { PMN_COMMIT_COMPACT, &o->compact, NULL, true };
    if (o->append.files.n_deletes || o->append.indexes.n_deletes)
        return pmn_fail(err, PAIMON_INVALID, "%s: messages of an overwrite cannot delete files themselves", c->source->path);
    PMN_TRY(pmn_conflict_within_delta(c->source, &o->append, err));
    PMN_TRY(pmn_conflict_within_delta(c->source, &o->compact, err));
    /* In dynamic mode, no new file means that no partition is touched. Changelogs of an overwrite are for nobody, as Java has it. */
    o->compact.changelog.n = 0;
    if (c->settings.upgrade && pmn_delta_is_empty(&o->compact)) PMN_TRY(upgrade(c, &o->append.files, &o->arena, err));
    if (!o->choice.exactly || o->append.files.n) PMN_TRY(pmn_commit_run(c, &work, call, result, err));
    return pmn_delta_is_empty(&o->compact) ? PAIMON_OK : pmn_commit_run(c, &compact, call, result, err);
}

static paimon_status choose_overwritten(pmn_committer *c, overwriting *o, const paimon_option *partition, size_t n, paimon_error *err)
{
    o->choice.everything = false;
    if (n > 0) {
        PMN_TRY(pmn_partition_test_of(c->source, partition, n, &o->arena, &o->test, err));
        o->choice.tests = &o->test;
        o->choice.n_tests = 1;
        return check_inside(c, &o->choice, &o->append, &o->arena, err);
    }
    if (c->source->schema->n_partition_keys == 0 || !c->settings.dynamic_overwrite) {
        o->choice.everything = true;
        return PAIMON_OK;
    }
    o->choice.exactly = &o->partitions;
    return partitions_of(&o->append.files, &o->partitions, err);
}

paimon_status pmn_commit_overwrite(pmn_committer *c, const paimon_option *partition, size_t n_partition, const paimon_message_list *messages,
                                   const pmn_commit_call *call, paimon_commit_result *result, paimon_error *err)
{
    overwriting o = { .choice = { .everything = true } };
    pmn_commit_call closer = *call;
    paimon_status status = PAIMON_OK;
    pmn_arena_init(&o.arena, c->source->mem);
    pmn_map_init(&o.partitions, c->source->mem);
    pmn_delta_init(&o.append, &o.arena);
    pmn_delta_init(&o.compact, &o.arena);
    if (messages) status = pmn_changes_collect(c->source, messages, &o.append, &o.compact, err);
    if (status == PAIMON_OK) status = choose_overwritten(c, &o, partition, n_partition, err);
    bool doubtful = messages && (pmn_message_list_give(messages) || messages->foreign);
    if (status == PAIMON_OK && doubtful) {
        status = pmn_presence_check(c->source, &o.append, messages->foreign, err);
        if (status == PAIMON_OK) status = pmn_presence_check(c->source, &o.compact, messages->foreign, err);
        closer.only_new = true;
    }
    if (status == PAIMON_OK) status = run_overwrite(c, &o, &closer, result, err);
    pmn_map_free(&o.partitions);
    pmn_arena_free(&o.arena);
    return status;
}

paimon_status pmn_commit_truncate(pmn_committer *c, const pmn_commit_call *call, paimon_commit_result *result, paimon_error *err)
{
    overwriting o = { .choice = { .everything = true } };
    pmn_arena_init(&o.arena, c->source->mem);
    pmn_delta_init(&o.append, &o.arena);
    pmn_delta_init(&o.compact, &o.arena);
    paimon_status status = run_overwrite(c, &o, call, result, err);
    pmn_arena_free(&o.arena);
    return status;
}

paimon_status pmn_commit_drop(pmn_committer *c, const paimon_partition_spec *specs, size_t n, const pmn_commit_call *call,
                              paimon_commit_result *result, paimon_error *err)
{
    overwriting o = { .choice = { .everything = false } };
    if (n == 0) return pmn_fail(err, PAIMON_INVALID, "%s: no partition is named to be dropped", c->source->path);
    pmn_arena_init(&o.arena, c->source->mem);
    pmn_delta_init(&o.append, &o.arena);
    pmn_delta_init(&o.compact, &o.arena);
    pmn_partition_test *tests = pmn_arena_calloc(&o.arena, n, sizeof *tests);
    paimon_status status = tests ? PAIMON_OK : pmn_fail_nomem(err, "partitions");
    for (size_t i = 0; i < n && status == PAIMON_OK; i++) {
        if (specs[i].n == 0) status = pmn_fail(err, PAIMON_INVALID, "%s: partition %zu to be dropped names no column", c->source->path, i);
        else status = pmn_partition_test_of(c->source, specs[i].pairs, specs[i].n, &o.arena, &tests[i], err);
    }
    o.choice.tests = tests;
    o.choice.n_tests = n;
    if (status == PAIMON_OK) status = run_overwrite(c, &o, call, result, err);
    pmn_arena_free(&o.arena);
    return status;
}
