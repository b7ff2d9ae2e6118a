/* The loop of a commit, and one round of it. Java: FileStoreCommitImpl.tryCommit, tryCommitOnce. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/checked.h"
#include "base/json.h"
#include "commit/conflict.h"
#include "commit/history.h"
#include "commit/indexes.h"
#include "commit/overwrite.h"
#include "commit/publish.h"
#include "commit/row_ids.h"
#include "commit/run.h"
#include "io/path.h"
#include "paimon-c/version.h"

/* --- names of files, and their removal --- */

paimon_status pmn_written_add(pmn_written *written, pmn_arena *arena, const char *name, paimon_error *err)
{
    const char **grown = pmn_arena_grow(arena, written->names, written->n, &written->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "the files of a commit");
    written->names = grown;
    written->names[written->n++] = name;
    return PAIMON_OK;
}

/* Quietly: what cannot be removed is an orphan, which harms nobody. */
static void remove_written(pmn_commit_run_state *run, pmn_written *written)
{
    for (size_t i = 0; i < written->n; i++) {
        const char *path = pmn_path_join(&run->arena, run->c->folder, written->names[i]);
        if (path && pmn_fs_remove(run->c->source->fs, path, NULL) != PAIMON_OK) continue;
    }
    written->n = 0;
}

/* --- what is there --- */

static bool same_name(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

static paimon_status append_list(pmn_commit_run_state *run, const char *name, int64_t size, paimon_error *err)
{
    pmn_manifest_file *found, *all;
    int32_t n;
    const char *path = pmn_path_join(&run->round, run->c->folder, name);
    if (!path) return pmn_fail_nomem(err, "a path");
    PMN_TRY(pmn_manifest_list_read(&run->round, run->c->source->fs, path, size == PMN_NONE ? -1 : size, &found, &n, err));
    if (n == 0) return PAIMON_OK;
    all = pmn_arena_calloc(&run->round, (size_t)run->n_manifests + (size_t)n, sizeof *all);
    if (!all) return pmn_fail_nomem(err, "a list of manifests");
    if (run->n_manifests) memcpy(all, run->manifests, (size_t)run->n_manifests * sizeof *all);
    memcpy(all + run->n_manifests, found, (size_t)n * sizeof *all);
    run->manifests = all;
    run->n_manifests += n;
    return PAIMON_OK;
}

static paimon_status load_manifests(pmn_commit_run_state *run, paimon_error *err)
{
    const pmn_known_lists *known = &run->c->lists;
    const pmn_snapshot *latest = &run->latest;
    run->manifests = NULL;
    run->n_manifests = 0;
    if (latest->id == 0) return PAIMON_OK;
    if (same_name(known->base, latest->base_manifest_list) && same_name(known->delta, latest->delta_manifest_list)) {
        run->manifests = known->files;
        run->n_manifests = known->n;
        return PAIMON_OK;
    }
    PMN_TRY(pmn_snapshot_check_lists(latest, run->c->source->path, err));
    PMN_TRY(append_list(run, latest->base_manifest_list, latest->base_manifest_list_size, err));
    return append_list(run, latest->delta_manifest_list, latest->delta_manifest_list_size, err);
}

/* --- checks --- */

/* What goes (overwrite) and what comes, as of the latest snapshot. */
static paimon_status make_changes(pmn_commit_run_state *run, paimon_error *err)
{
    const pmn_commit_work *work = run->work;
    run->changes = &work->delta->files;
    if (!work->overwrite) return PAIMON_OK;
    pmn_changes_init(&run->own_changes, &run->round);
    PMN_TRY(pmn_overwrite_collect(run->c, work->overwrite, run->manifests, run->n_manifests, &run->own_changes, err));
    for (size_t i = 0; i < work->delta->files.n; i++) PMN_TRY(pmn_changes_add(&run->own_changes, &work->delta->files.items[i], err));
    run->changes = &run->own_changes;
    /* Everything that is alive there is deleted, so only an added file that is there already can be in the way. */
    return run->own_changes.n_deletes && work->delta->files.n ? pmn_conflict_within(run->c->source, run->changes, err) : PAIMON_OK;
}

/* Indexes of row ids go from buckets whose rows get new ones: those that the table has by now, not those that it had when the messages were
 * written. Java: FileStoreCommitImpl.compactChangesProvider. */
static paimon_status make_index_changes(pmn_commit_run_state *run, paimon_error *err)
{
    const pmn_delta *delta = run->work->delta;
    run->index_changes = &delta->indexes;
    if (delta->n_renumbered == 0) return PAIMON_OK;
    PMN_TRY(pmn_indexes_load(run, err));
    run->own_index_changes = (pmn_index_changes){ .arena = &run->round };
    run->index_changes = &run->own_index_changes;
    for (size_t i = 0; i < delta->indexes.n; i++) {
        const pmn_index_entry *entry = &delta->indexes.items[i];
        bool found_anew = entry->kind == PMN_FILE_DELETE && entry->has_global && pmn_delta_renumbers(delta, entry);
        if (!found_anew) PMN_TRY(pmn_index_changes_add(&run->own_index_changes, entry, err));
    }
    for (int32_t i = 0; i < run->n_indexes; i++) {
        pmn_index_entry gone = run->indexes[i];
        gone.kind = PMN_FILE_DELETE;
        if (gone.has_global && pmn_delta_renumbers(delta, &gone)) PMN_TRY(pmn_index_changes_add(&run->own_index_changes, &gone, err));
    }
    return PAIMON_OK;
}

static paimon_status check_changes(pmn_commit_run_state *run, bool *present, paimon_error *err)
{
    pmn_committer *c = run->c;
    const pmn_commit_work *work = run->work;
    const pmn_delta *delta = work->delta;
    *present = false;
    if (run->latest.id == 0 && (run->changes->n_deletes || delta->indexes.n_deletes))
        return pmn_fail(err, PAIMON_CONFLICT, "%s: files were to be deleted, but the table has no snapshot", c->source->path);
    pmn_conflict_base base = { .manifests = run->manifests, .n_manifests = run->n_manifests, .row_ids_from = PMN_NONE };
    if (work->overwrite) {
        /* What was there goes, so files and deletion vectors can only be in each other's way. */
        const pmn_conflict_base nothing = { .vectors = c->settings.has_vectors, .rules = true, .row_ids_from = PMN_NONE };
        if (delta->indexes.n || c->settings.has_keys) PMN_TRY(pmn_conflict_with(c, work->kind, delta, &nothing, false, NULL, err));
        return run->call->only_new ? pmn_conflict_with(c, work->kind, delta, &base, true, NULL, err) : PAIMON_OK;
    }
    if (work->check || run->call->check_conflicts) {
        if (c->settings.has_vectors || delta->indexes.n) PMN_TRY(pmn_indexes_load(run, err));
        base.indexes = run->indexes;
        base.n_indexes = run->n_indexes;
        base.vectors = c->settings.has_vectors;
        base.rules = true;
        base.row_ids_from = run->call->row_ids_from;
        if (run->latest.id) base.latest = &run->latest;
        return pmn_conflict_with(c, work->kind, delta, &base, run->call->only_new, run->call->skip_if_present ? present : NULL, err);
    }
    if (c->settings.n_buckets <= 0 || work->kind != PMN_COMMIT_APPEND) return PAIMON_OK;
    return pmn_conflict_buckets(c, run->changes, &run->latest, run->manifests, run->n_manifests, err);
}

/* --- the lists --- */

static pmn_manifest_writer_options writer_options(pmn_committer *c, int64_t schema_id)
{
    return (pmn_manifest_writer_options){ .mem = c->source->mem,
                                          .fs = c->source->fs,
                                          .folder = c->folder,
                                          .uuid = c->uuid,
                                          .counter = &c->n_manifests,
                                          .partition_type = c->source->schema->partition_type,
                                          .codec = c->settings.codec,
                                          .target_bytes = c->settings.manifest_bytes,
                                          .schema_id = schema_id };
}

static paimon_status write_list(pmn_commit_run_state *run, pmn_arena *arena, pmn_written *written, const pmn_manifest_file *files, int32_t n,
                                const char **name, int64_t *size, paimon_error *err)
{
    char text[96];
    pmn_committer *c = run->c;
    snprintf(text, sizeof text, "manifest-list-%s-%d", c->uuid, (int)c->n_lists++);
    *name = pmn_arena_strdup(arena, text);
    const char *path = pmn_path_join(arena, c->folder, text);
    if (!*name || !path) return pmn_fail_nomem(err, "a manifest list's name");
    PMN_TRY(pmn_written_add(written, arena, *name, err));
    PMN_TRY(pmn_manifest_list_write(c->source->mem, c->source->fs, path, &c->settings.codec, files, n, size, err));
    c->metrics.bytes_written += *size;
    return PAIMON_OK;
}

static bool is_among(const char *name, const char *const *names, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* What was written of `files`: those among `names`, or all when there are none. */
static void count_manifests(pmn_committer *c, const pmn_manifest_file *files, int32_t n, const char *const *names, int32_t n_names)
{
    for (int32_t i = 0; i < n; i++) {
        if (names && !is_among(files[i].name, names, n_names)) continue;
        c->metrics.manifests_written++;
        c->metrics.bytes_written += files[i].size;
    }
}

static paimon_status write_entries(pmn_commit_run_state *run, const pmn_changes *changes, pmn_arena *arena, pmn_written *written,
                                   pmn_manifest_file **files, int32_t *n, paimon_error *err)
{
    pmn_manifest_writer *writer = NULL;
    pmn_manifest_writer_options options = writer_options(run->c, run->schema_id);
    PMN_TRY(pmn_manifest_writer_new(&options, &writer, err));
    paimon_status status = PAIMON_OK;
    for (size_t i = 0; i < changes->n && status == PAIMON_OK; i++) status = pmn_manifest_writer_add(writer, &changes->items[i], err);
    if (status == PAIMON_OK) status = pmn_manifest_writer_finish(writer, arena, files, n, err);
    pmn_manifest_writer_free(writer);
    PMN_TRY(status);
    for (int32_t i = 0; i < *n; i++) PMN_TRY(pmn_written_add(written, arena, (*files)[i].name, err));
    count_manifests(run->c, *files, *n, NULL, 0);
    return PAIMON_OK;
}

/* The changelog is the same in every round: it is written once. */
static paimon_status write_changelog(pmn_commit_run_state *run, paimon_error *err)
{
    const pmn_changes *changelog = &run->work->delta->changelog;
    pmn_manifest_file *files;
    int32_t n;
    if (run->changelog_list || changelog->n == 0) return PAIMON_OK;
    PMN_TRY(write_entries(run, changelog, &run->arena, &run->kept, &files, &n, err));
    return write_list(run, &run->arena, &run->kept, files, n, &run->changelog_list, &run->changelog_list_size, err);
}

/* So is the delta, unless an overwrite deletes what it finds, or files get numbers that follow from the snapshot before. */
static paimon_status write_delta(pmn_commit_run_state *run, paimon_error *err)
{
    bool kept = !run->work->overwrite && run->changes != &run->numbered;
    pmn_arena *arena = kept ? &run->arena : &run->round;
    pmn_written *written = kept ? &run->kept : &run->this_round;
    if (!run->has_delta) {
        PMN_TRY(write_entries(run, run->changes, arena, written, &run->delta, &run->n_delta, err));
        PMN_TRY(write_list(run, arena, written, run->delta, run->n_delta, &run->delta_list, &run->delta_list_size, err));
        run->has_delta = kept;
    }
    return run->work->overwrite ? PAIMON_OK : write_changelog(run, err);
}

static paimon_status write_base(pmn_commit_run_state *run, paimon_error *err)
{
    pmn_committer *c = run->c;
    const char **created;
    int32_t n_created;
    pmn_manifest_merge_options options = { .writer = writer_options(c, run->schema_id),
                                           .full_threshold_bytes = c->settings.full_threshold_bytes,
                                           .min_count = c->settings.merge_min_count };
    PMN_TRY(pmn_manifest_merge(&options, run->manifests, run->n_manifests, &run->round, &run->base, &run->n_base, &created, &n_created, err));
    for (int32_t i = 0; i < n_created; i++) PMN_TRY(pmn_written_add(&run->this_round, &run->round, created[i], err));
    if (n_created > 0) {
        count_manifests(c, run->base, run->n_base, created, n_created);
        c->metrics.manifests_merged += run->n_manifests - (run->n_base - n_created);
    }
    return write_list(run, &run->round, &run->this_round, run->base, run->n_base, &run->base_list, &run->base_list_size, err);
}

/* --- the snapshot --- */

int64_t pmn_commit_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#define STATISTICS_CEILING ((size_t)64 << 20)

/* Statistics stay while the schema that they were made for is the latest. */
static paimon_status carry_statistics(pmn_commit_run_state *run, const char **name, paimon_error *err)
{
    const pmn_source *source = run->c->source;
    *name = NULL;
    if (!run->latest.id || !run->latest.statistics) return PAIMON_OK;
    const char *path = pmn_path_joinf(&run->round, source->path, "statistics/%s", run->latest.statistics);
    if (!path) return pmn_fail_nomem(err, "a path");
    pmn_buf text;
    pmn_json *json = NULL;
    int64_t schema_id = -1;
    paimon_error why = PAIMON_ERROR_INIT;
    pmn_buf_init(&text, source->mem, STATISTICS_CEILING);
    paimon_status status = pmn_fs_read_all(source->mem, source->fs, path, STATISTICS_CEILING, &text, &why);
    if (status == PAIMON_OK) status = pmn_json_parse(pmn_slice_of(text.data, text.size), &json, &why);
    if (status == PAIMON_OK) status = pmn_json_int_or(json, "schemaId", -1, &schema_id, &why);
    pmn_json_free(json);
    pmn_buf_free(&text);
    if (status == PAIMON_OK && schema_id == run->schema_id) *name = run->latest.statistics;
    if (status == PAIMON_NOT_FOUND || status == PAIMON_CORRUPT) { /* nobody can use them: they end here */
        paimon_error_clear(&why);
        return PAIMON_OK;
    }
    if (status != PAIMON_OK) pmn_error_move(err, &why);
    return status;
}

static paimon_status take_properties(pmn_commit_run_state *run, pmn_snapshot *out, paimon_error *err)
{
    pmn_options_init(&out->properties, &run->round);
    for (size_t i = 0; i < run->call->n_properties; i++)
        PMN_TRY(pmn_options_set(&out->properties, run->call->properties[i].key, run->call->properties[i].value, err));
    out->has_properties = run->call->n_properties > 0;
    return PAIMON_OK;
}

static paimon_status count_rows(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    int64_t *rows = ctx;
    if (!(entry->kind == PMN_FILE_ADD ? pmn_add_i64(*rows, entry->file.row_count, rows) : pmn_sub_i64(*rows, entry->file.row_count, rows)))
        return pmn_fail(err, PAIMON_CORRUPT, "the rows of the table do not fit 64 bits");
    return PAIMON_OK;
}

static paimon_status visit_all(pmn_commit_run_state *run, const pmn_manifest_visitor *visitor, paimon_error *err)
{
    for (int32_t i = 0; i < run->n_manifests; i++) {
        const char *path = pmn_path_join(&run->round, run->c->folder, run->manifests[i].name);
        if (!path) return pmn_fail_nomem(err, "a path");
        PMN_TRY(pmn_manifest_read(run->c->source->mem, run->c->source->fs, path, run->manifests[i].size, visitor, err));
    }
    return PAIMON_OK;
}

#define SEQUENCE_PROPERTY "sequence.generation.max-sequence-number"

static paimon_status greater_sequence(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    int64_t *greatest = ctx;
    (void)err;
    if (entry->kind == PMN_FILE_ADD && entry->file.max_sequence > *greatest) *greatest = entry->file.max_sequence;
    return PAIMON_OK;
}

/* Writers that look at no file learn from the snapshot which sequence numbers are taken. Java: SequenceSnapshotProperties. */
static paimon_status keep_sequence(pmn_commit_run_state *run, pmn_snapshot *out, paimon_error *err)
{
    char text[32];
    int64_t greatest = PMN_NONE;
    const char *known = run->latest.id ? pmn_options_get(&run->latest.properties, SEQUENCE_PROPERTY) : NULL;
    pmn_manifest_visitor visitor = { .ctx = &greatest, .wanted = PMN_ENTRY_NAME, .entry = greater_sequence };
    if (known) PMN_TRY(pmn_options_int(&run->latest.properties, SEQUENCE_PROPERTY, PMN_NONE, &greatest, err));
    else PMN_TRY(visit_all(run, &visitor, err));
    for (size_t i = 0; i < run->changes->n; i++) PMN_TRY(greater_sequence(&greatest, &run->changes->items[i], err));
    if (greatest == PMN_NONE) return PAIMON_OK;
    snprintf(text, sizeof text, "%lld", (long long)greatest);
    out->has_properties = true;
    return pmn_options_set(&out->properties, SEQUENCE_PROPERTY, text, err);
}

/* Rows before this commit. The first releases did not write the count: then it is added up. */
static paimon_status rows_before(pmn_commit_run_state *run, int64_t *rows, paimon_error *err)
{
    *rows = run->latest.id ? run->latest.total_record_count : 0;
    if (*rows != PMN_NONE) return PAIMON_OK;
    *rows = 0;
    pmn_manifest_visitor visitor = { .ctx = rows, .wanted = PMN_ENTRY_NAME, .entry = count_rows };
    return visit_all(run, &visitor, err);
}

static paimon_status fill_snapshot(pmn_commit_run_state *run, pmn_snapshot *out, paimon_error *err)
{
    const pmn_snapshot *latest = &run->latest;
    int64_t before;
    memset(out, 0, sizeof *out);
    PMN_TRY(rows_before(run, &before, err));
    if (!pmn_add_i64(before, run->changes->rows, &out->total_record_count))
        return pmn_fail(err, PAIMON_INVALID, "%s: the rows of the table do not fit 64 bits", run->c->source->path);
    PMN_TRY(pmn_uuid(run->snapshot_uuid, err));
    out->version = 3;
    out->uuid = run->snapshot_uuid;
    if (!pmn_add_i64(latest->id, 1, &out->id))
        return pmn_fail(err, PAIMON_CORRUPT, "%s: no snapshot can follow on snapshot %lld", run->c->source->path, (long long)latest->id);
    out->schema_id = run->schema_id;
    out->base_manifest_list = run->base_list;
    out->base_manifest_list_size = run->base_list_size;
    out->delta_manifest_list = run->delta_list;
    out->delta_manifest_list_size = run->delta_list_size;
    out->changelog_manifest_list = run->changelog_list;
    out->changelog_manifest_list_size = run->changelog_list ? run->changelog_list_size : PMN_NONE;
    out->commit_user = run->c->user;
    out->writer_version = "paimon-c-" PAIMON_VERSION_STRING;
    out->commit_identifier = run->call->identifier;
    out->commit_kind = run->work->kind;
    out->time_ms = pmn_commit_now_ms();
    out->delta_record_count = run->changes->rows;
    out->changelog_record_count = run->changelog_list ? run->work->delta->changelog.rows : PMN_NONE;
    int64_t old = latest->id ? latest->watermark : PMN_NONE;
    out->watermark = run->call->watermark > old ? run->call->watermark : old; /* PMN_NONE is the smallest */
    out->next_row_id = run->next_row_id;
    PMN_TRY(pmn_indexes_write(run, &out->index_manifest, err));
    PMN_TRY(carry_statistics(run, &out->statistics, err));
    PMN_TRY(take_properties(run, out, err));
    return run->c->settings.keep_sequence ? keep_sequence(run, out, err) : PAIMON_OK;
}

/* --- a round --- */

/* The lists of the snapshot just published, for the next commit. Without memory nothing is known, which costs a reading. */
static void remember_lists(pmn_commit_run_state *run)
{
    pmn_known_lists *known = &run->c->lists, fresh = { .base = NULL };
    pmn_arena_init(&fresh.arena, run->c->source->mem);
    fresh.n = run->n_base + run->n_delta;
    fresh.files = pmn_arena_calloc(&fresh.arena, (size_t)fresh.n + 1, sizeof *fresh.files);
    bool copied = fresh.files != NULL;
    for (int32_t i = 0; i < fresh.n && copied; i++) {
        const pmn_manifest_file *file = i < run->n_base ? &run->base[i] : &run->delta[i - run->n_base];
        copied = pmn_manifest_file_copy(&fresh.arena, file, &fresh.files[i], NULL) == PAIMON_OK;
    }
    fresh.base = copied ? pmn_arena_strdup(&fresh.arena, run->base_list) : NULL;
    fresh.delta = copied ? pmn_arena_strdup(&fresh.arena, run->delta_list) : NULL;
    pmn_arena_free(&known->arena);
    if (!fresh.base || !fresh.delta) {
        pmn_arena_free(&fresh.arena);
        fresh = (pmn_known_lists){ .base = NULL };
        pmn_arena_init(&fresh.arena, run->c->source->mem);
    }
    *known = fresh;
}

/* Of the snapshot just made. */
static void count_changes(pmn_committer *c, const pmn_changes *changes)
{
    paimon_commit_metrics *m = &c->metrics;
    int64_t sum;
    m->snapshots++;
    for (size_t i = 0; i < changes->n; i++) {
        bool adds = changes->items[i].kind == PMN_FILE_ADD;
        int64_t *rows = adds ? &m->rows_added : &m->rows_deleted;
        if (adds) m->files_added++;
        else m->files_deleted++;
        if (pmn_add_i64(*rows, changes->items[i].file.row_count, &sum)) *rows = sum;
    }
}

typedef enum round_end { ROUND_DONE, ROUND_ALREADY, ROUND_AGAIN } round_end;

static paimon_status look(pmn_commit_run_state *run, round_end *end, int64_t *id, paimon_error *err)
{
    pmn_committer *c = run->c;
    *end = ROUND_AGAIN;
    run->has_indexes = false;
    run->indexes = NULL; /* those of another round are gone */
    run->n_indexes = 0;
    PMN_TRY(c->source->versions->latest(c->source, &run->round, &run->latest, err));
    if (c->prepared.n) run->latest = c->prepared.items[c->prepared.n - 1].snapshot; /* the second snapshot of one call follows the first */
    if (run->unclear) {
        /* The answer to a publish was lost: is it there? */
        PMN_TRY(pmn_history_find(c, run->unclear_after, run->latest.id, run->call->identifier, run->work->kind, id, err));
        if (*id) {
            count_changes(c, &run->work->delta->files);
            *end = ROUND_DONE;
            return PAIMON_OK;
        }
    }
    bool present = false;
    PMN_TRY(c->source->versions->latest_schema_id(c->source, &run->schema_id, err));
    PMN_TRY(load_manifests(run, err));
    PMN_TRY(make_changes(run, err));
    PMN_TRY(make_index_changes(run, err));
    PMN_TRY(check_changes(run, &present, err));
    if (present) *end = ROUND_ALREADY;
    return PAIMON_OK;
}

static paimon_status give_numbers(pmn_commit_run_state *run, paimon_error *err)
{
    const pmn_commit_settings *settings = &run->c->settings;
    const pmn_snapshot *latest = &run->latest;
    run->next_row_id = latest->id && latest->next_row_id != PMN_NONE ? latest->next_row_id : 0;
    if (!pmn_row_ids_wanted(settings, run->work->kind)) return PAIMON_OK;
    pmn_changes_init(&run->numbered, &run->round);
    int64_t id = latest->id < INT64_MAX ? latest->id + 1 : latest->id; /* the last possible one is refused later */
    paimon_status status = pmn_row_ids_give(settings, run->work->kind, id, run->changes, &run->numbered, &run->next_row_id, err);
    if (status != PAIMON_OK) pmn_error_prefix(err, "%s", run->c->source->path);
    run->changes = &run->numbered;
    return status;
}

static paimon_status one_round(pmn_commit_run_state *run, round_end *end, int64_t *id, paimon_error *err)
{
    pmn_committer *c = run->c;
    pmn_snapshot snapshot;
    pmn_published outcome = PMN_PUBLISH_LOST;
    PMN_TRY(look(run, end, id, err));
    if (*end != ROUND_AGAIN) return PAIMON_OK;
    PMN_TRY(give_numbers(run, err));
    PMN_TRY(write_delta(run, err));
    PMN_TRY(write_base(run, err));
    PMN_TRY(fill_snapshot(run, &snapshot, err));
    PMN_TRY(pmn_watch_check(&c->watch, "commit", err));
    PMN_TRY(pmn_commit_publish(run, &snapshot, &outcome, err));
    if (outcome == PMN_PUBLISHED) {
        count_changes(c, run->changes);
        *end = ROUND_DONE;
        *id = snapshot.id;
        if (c->prepare_only) return pmn_prepared_keep_files(run, err); /* of what may never be, nothing else is remembered */
        if (c->buckets.snapshot_id == snapshot.id - 1) c->buckets.snapshot_id = snapshot.id;
        remember_lists(run);
    } else if (outcome == PMN_PUBLISH_UNCLEAR && !run->unclear) {
        run->unclear = true;
        run->unclear_after = snapshot.id - 1;
    }
    return PAIMON_OK;
}

/* --- the loop --- */

#define NAP_MS 20

/* In naps, so that a cancel is heard soon. */
static void wait_ms(const pmn_watch *watch, int64_t wait)
{
    while (wait > 0 && !paimon_cancel_requested(watch->cancel)) {
        int64_t nap = watch->cancel && wait > NAP_MS ? NAP_MS : wait;
        struct timespec left = { (time_t)(nap / 1000), (long)(nap % 1000) * 1000000 };
        nanosleep(&left, NULL);
        wait -= nap;
    }
}

static void wait_before(pmn_committer *c, int64_t retry)
{
    const pmn_commit_settings *s = &c->settings;
    int64_t started = pmn_monotonic_us();
    int64_t wait = s->min_wait_ms;
    uint32_t random = 0;
    for (int64_t i = 0; i < retry && wait < s->max_wait_ms; i++) wait *= 2;
    if (wait > s->max_wait_ms) wait = s->max_wait_ms;
    /* A fifth on top at random, so that those who collided do not do so again. */
    if (pmn_random_bytes(&random, sizeof random, NULL) == PAIMON_OK) wait += (int64_t)((double)wait * 0.2 * ((double)random / 4294967296.0));
    wait_ms(&c->watch, wait);
    c->metrics.wait_us += pmn_monotonic_us() - started;
}

static paimon_status give_up(const pmn_commit_run_state *run, int64_t attempts, paimon_error *err)
{
    if (run->unclear)
        return pmn_fail(err, PAIMON_IO, "%s: it is unknown whether snapshot %lld was published; commit the same messages again with a filter",
                        run->c->source->path, (long long)run->unclear_after + 1);
    return pmn_fail(err, PAIMON_CONFLICT, "%s: other commits were faster in all of %lld attempts", run->c->source->path, (long long)attempts);
}

/* An error after a lost answer does not tell whether the commit is there, and must say so. */
static paimon_status fail_unclear(pmn_commit_run_state *run, paimon_error *err)
{
    pmn_error_prefix(err, "%s: it is unknown whether snapshot %lld was published", run->c->source->path, (long long)run->unclear_after + 1);
    if (err && err->code != PAIMON_OK) err->code = PAIMON_IO;
    return PAIMON_IO;
}

static paimon_status tell_commit(const pmn_committer *c, paimon_error *err)
{
    paimon_progress told = { .activity = PAIMON_ACTIVITY_COMMIT,
                             .done = c->metrics.attempts,
                             .total = -1,
                             .files = c->metrics.manifests_written,
                             .bytes = c->metrics.bytes_written };
    return pmn_watch_tell(&c->watch, "commit", told, err);
}

static paimon_status loop(pmn_commit_run_state *run, paimon_commit_result *result, paimon_error *err)
{
    const pmn_commit_settings *s = &run->c->settings;
    int64_t started = pmn_commit_now_ms();
    for (int64_t retry = 0;; retry++) {
        round_end end = ROUND_AGAIN;
        int64_t id = 0;
        paimon_status status = tell_commit(run->c, err);
        if (status == PAIMON_OK) {
            result->n_attempts++;
            run->c->metrics.attempts++;
            status = one_round(run, &end, &id, err);
        }
        if (status != PAIMON_OK) {
            pmn_prepared_discard(run->c); /* of two, the first alone is not what was asked */
            return run->unclear ? fail_unclear(run, err) : status;
        }
        if (end == ROUND_DONE) {
            result->snapshot_id = id;
            result->n_snapshots++;
            run->published = true;
            return PAIMON_OK;
        }
        if (end == ROUND_ALREADY) {
            result->already_committed = true;
            return PAIMON_OK;
        }
        bool late = s->timeout_ms != PMN_NONE && pmn_commit_now_ms() - started > s->timeout_ms;
        if (late || retry >= s->max_retries) return give_up(run, retry + 1, err);
        if (!run->unclear) remove_written(run, &run->this_round);
        run->this_round = (pmn_written){ .n = 0 };
        pmn_arena_free(&run->round);
        wait_before(run->c, retry);
    }
}

paimon_status pmn_commit_run(pmn_committer *c, const pmn_commit_work *work, const pmn_commit_call *call, paimon_commit_result *result,
                             paimon_error *err)
{
    pmn_commit_run_state run = { .c = c, .work = work, .call = call };
    pmn_arena_init(&run.arena, c->source->mem);
    pmn_arena_init(&run.round, c->source->mem);
    paimon_status status = loop(&run, result, err);
    if (status == PAIMON_OK || run.unclear) c->unclear = status != PAIMON_OK;
    if (!run.published && !run.unclear) {
        remove_written(&run, &run.this_round);
        remove_written(&run, &run.kept);
    }
    pmn_arena_free(&run.round);
    pmn_arena_free(&run.arena);
    return status;
}
