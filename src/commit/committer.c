/* Making a committer, and the commits of messages. Java: FileStoreCommitImpl.commit, filterCommitted, TableCommitImpl. */
#include "commit/committer.h"

#include <string.h>
#include <strings.h>

#include "commit/conflict.h"
#include "commit/history.h"
#include "commit/presence.h"
#include "io/path.h"
#include "scan/open.h"

/* --- options --- */

/* Options that this version does not honour, and that change what a commit has to do. */
static const struct commit_refusal {
    const char *key;
    const char *harmless; /* NULL: none is */
    const char *feature;
} commit_refusals[] = {
    { "commit.discard-duplicate-files", "false", "discarding duplicate files of a commit" },
    { "commit.strict-mode.last-safe-snapshot", NULL, "the strict mode of commits" },
    { "manifest.format", "avro", "writing manifests in another format than Avro" },
};

static paimon_status check_table(const pmn_source *source, paimon_error *err)
{
    PMN_TRY(pmn_source_check_commit(source, err));
    if (source->travel)
        return pmn_fail(err, PAIMON_INVALID, "%s: the table was opened as of snapshot %lld: open it as it is now to commit", source->path,
                        (long long)source->travel->id);
    for (size_t i = 0; i < sizeof commit_refusals / sizeof commit_refusals[0]; i++) {
        const struct commit_refusal *r = &commit_refusals[i];
        const char *value = pmn_options_get(&source->options, r->key);
        if (!value || !*value || (r->harmless && strcasecmp(value, r->harmless) == 0)) continue;
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: %s (option %s) is not supported yet", source->path, r->feature, r->key);
    }
    return PAIMON_OK;
}

/* Java calls zstandard "zstd" here; all other names are Avro's own. */
static paimon_status read_manifest_codec(const pmn_options *options, pmn_manifest_codec *out, paimon_error *err)
{
    static const char *const names[] = { "zstandard", "null", "deflate", "snappy", "bzip2", "xz" };
    const char *name = pmn_options_get(options, "manifest.compression");
    int64_t level;
    PMN_TRY(pmn_options_int(options, "file.compression.zstd-level", 1, &level, err));
    if (level < -100 || level > 22) return pmn_fail(err, PAIMON_INVALID, "option file.compression.zstd-level is %lld", (long long)level);
    out->zstd_level = (int32_t)level;
    if (!name || strcasecmp(name, "zstd") == 0) name = "zstandard";
    if (strcasecmp(name, "none") == 0) name = "null";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcasecmp(name, names[i]) != 0) continue;
        out->avro_codec = names[i];
        if (i > 0) out->zstd_level = 0; /* the level is zstandard's: others have their own */
        return PAIMON_OK;
    }
    return pmn_fail(err, PAIMON_INVALID, "option manifest.compression: '%s' is not a codec of Avro", name);
}

/* What a table's rows are kept as, as far as commits see it. */
static paimon_status read_kind(const pmn_source *source, pmn_commit_settings *s, paimon_error *err)
{
    const pmn_options *options = &source->options;
    const char *mode = pmn_options_get(options, "write.sequence-number-init-mode");
    bool clustering, default_levels = pmn_options_get(options, "num-levels") == NULL;
    PMN_TRY(pmn_options_int(options, "bucket", -1, &s->n_buckets, err));
    PMN_TRY(pmn_options_bool(options, PMN_OPTION_VECTORS, false, &s->has_vectors, err));
    PMN_TRY(pmn_options_bool(options, "row-tracking.enabled", false, &s->row_tracking, err));
    PMN_TRY(pmn_options_bool(options, "row-tracking.partition-group-on-commit", true, &s->group_partitions, err));
    PMN_TRY(pmn_options_bool(options, "data-evolution.enabled", false, &s->data_evolution, err));
    PMN_TRY(pmn_options_bool(options, "sequence.snapshot-ordering", false, &s->stamp_sequences, err));
    PMN_TRY(pmn_options_bool(options, "pk-clustering-override", false, &clustering, err));
    PMN_TRY(pmn_options_bool(options, "overwrite-upgrade", true, &s->upgrade, err));
    PMN_TRY(pmn_options_int(options, default_levels ? "num-sorted-run.compaction-trigger" : "num-levels", 5, &s->n_levels, err));
    if (default_levels && s->n_levels < INT32_MAX) s->n_levels++;
    if (s->n_levels < 1 || s->n_levels > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "option num-levels is %lld", (long long)s->n_levels);
    s->has_keys = source->schema->n_primary_keys > 0;
    s->key_ranges = s->has_keys && !clustering;
    s->upgrade = s->upgrade && s->key_ranges;
    s->keep_sequence = mode && strcasecmp(mode, "snapshot") == 0;
    return PAIMON_OK;
}

static paimon_status read_settings(const pmn_options *options, pmn_commit_settings *s, paimon_error *err)
{
    bool force = false;
    s->ignore_empty = false;
    PMN_TRY(read_manifest_codec(options, &s->codec, err));
    PMN_TRY(pmn_options_bytes(options, "manifest.target-file-size", (int64_t)8 << 20, &s->manifest_bytes, err));
    PMN_TRY(pmn_options_bytes(options, "manifest.full-compaction-threshold-size", (int64_t)16 << 20, &s->full_threshold_bytes, err));
    PMN_TRY(pmn_options_int(options, "manifest.merge-min-count", 30, &s->merge_min_count, err));
    PMN_TRY(pmn_options_int(options, "commit.max-retries", 10, &s->max_retries, err));
    PMN_TRY(pmn_options_duration(options, "commit.min-retry-wait", 10, &s->min_wait_ms, err));
    PMN_TRY(pmn_options_duration(options, "commit.max-retry-wait", 10000, &s->max_wait_ms, err));
    PMN_TRY(pmn_options_duration(options, "commit.timeout", PMN_NONE, &s->timeout_ms, err));
    PMN_TRY(pmn_options_bool(options, "manifest.delete-file-drop-stats", false, &s->drop_delete_stats, err));
    PMN_TRY(pmn_options_bool(options, "snapshot.ignore-empty-commit", false, &s->ignore_empty, err));
    PMN_TRY(pmn_options_bool(options, "commit.force-create-snapshot", false, &force, err));
    PMN_TRY(pmn_options_bool(options, "dynamic-partition-overwrite", true, &s->dynamic_overwrite, err));
    if (force) s->ignore_empty = false;
    if (s->manifest_bytes <= 0 || s->full_threshold_bytes <= 0)
        return pmn_fail(err, PAIMON_INVALID, "options manifest.target-file-size and manifest.full-compaction-threshold-size must be above 0");
    if (s->min_wait_ms < 0 || s->max_wait_ms < 0 || s->min_wait_ms > INT64_MAX / 4)
        return pmn_fail(err, PAIMON_INVALID, "options commit.min-retry-wait and commit.max-retry-wait must not be negative");
    return PAIMON_OK;
}

/* --- making one --- */

static paimon_status make_user(pmn_committer *c, const char *user, paimon_error *err)
{
    char uuid[PMN_UUID_TEXT];
    if (user) {
        c->user = pmn_strndup(c->source->mem, user, strlen(user));
        return c->user ? PAIMON_OK : pmn_fail_nomem(err, "a commit user");
    }
    const char *prefix = pmn_options_get(&c->source->options, "commit.user-prefix");
    pmn_buf text;
    PMN_TRY(pmn_uuid(uuid, err));
    pmn_buf_init(&text, c->source->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_buf_printf(&text, err, "%s%s%s", prefix ? prefix : "", prefix && *prefix ? "_" : "", uuid);
    if (status == PAIMON_OK) {
        c->user = pmn_strndup(c->source->mem, (const char *)text.data, text.size);
        if (!c->user) status = pmn_fail_nomem(err, "a commit user");
    }
    pmn_buf_free(&text);
    return status;
}

static paimon_status fill_committer(pmn_committer *c, const char *user, paimon_error *err)
{
    pmn_arena arena;
    PMN_TRY(read_settings(&c->source->options, &c->settings, err));
    PMN_TRY(read_kind(c->source, &c->settings, err));
    PMN_TRY(pmn_uuid(c->uuid, err));
    PMN_TRY(make_user(c, user, err));
    pmn_arena_init(&arena, c->source->mem);
    const char *folder = pmn_path_join(&arena, c->source->path, "manifest");
    if (folder) c->folder = pmn_strndup(c->source->mem, folder, strlen(folder));
    pmn_arena_free(&arena);
    return c->folder ? PAIMON_OK : pmn_fail_nomem(err, "a path");
}

paimon_status pmn_committer_new(pmn_source *source, const char *user, pmn_committer **out, paimon_error *err)
{
    *out = NULL;
    PMN_TRY(check_table(source, err));
    PMN_TRY(pmn_source_pin(source, &source, err));
    pmn_committer *c = pmn_calloc(source->mem, 1, sizeof *c);
    if (!c) {
        pmn_source_release(source);
        return pmn_fail_nomem(err, "a committer");
    }
    c->source = source;
    pmn_arena_init(&c->lists.arena, source->mem);
    pmn_arena_init(&c->buckets.arena, source->mem);
    pmn_arena_init(&c->prepared.arena, source->mem);
    pmn_map_init(&c->buckets.counts, source->mem);
    paimon_status status = fill_committer(c, user, err);
    if (status == PAIMON_OK) *out = c;
    else pmn_committer_free(c);
    return status;
}

void pmn_committer_free(pmn_committer *c)
{
    if (!c) return;
    pmn_source *source = c->source;
    pmn_strfree(source->mem, c->user);
    pmn_strfree(source->mem, c->folder);
    pmn_map_free(&c->buckets.counts);
    pmn_watch_release(&c->watch);
    pmn_arena_free(&c->prepared.arena);
    pmn_arena_free(&c->buckets.arena);
    pmn_arena_free(&c->lists.arena);
    pmn_free(source->mem, c, sizeof *c);
    pmn_source_release(source);
}

/* --- messages --- */

typedef struct message_commit {
    pmn_arena arena;
    pmn_delta append, compact;
} message_commit;

/* Up to two snapshots: what was written, then what was compacted. */
static paimon_status commit_changes(pmn_committer *c, const message_commit *m, const pmn_commit_call *call, bool with_append,
                                    paimon_commit_result *result, paimon_error *err)
{
    bool deletes = m->append.files.n_deletes > 0 || m->append.indexes.n_vectors > 0; /* a deletion vector takes rows away, too */
    pmn_commit_work append = { deletes ? PMN_COMMIT_OVERWRITE : PMN_COMMIT_APPEND, &m->append, NULL, deletes || m->append.indexes.adds_global };
    pmn_commit_work compact = { PMN_COMMIT_COMPACT, &m->compact, NULL, true };
    PMN_TRY(pmn_conflict_within_delta(c->source, &m->append, err));
    PMN_TRY(pmn_conflict_within_delta(c->source, &m->compact, err));
    if (with_append) PMN_TRY(pmn_commit_run(c, &append, call, result, err));
    return pmn_delta_is_empty(&m->compact) ? PAIMON_OK : pmn_commit_run(c, &compact, call, result, err);
}

/* What comes out of another process, or a second time, is looked at closely: see paimon_commit_append. */
static pmn_commit_call closer_call(const pmn_commit_call *call, bool doubtful)
{
    pmn_commit_call closer = *call;
    closer.check_conflicts |= doubtful;
    closer.only_new = doubtful;
    return closer;
}

typedef struct commit_manner {
    bool ignore_empty;
    bool exists;       /* what comes must be there, also when we wrote it ourselves */
    bool only_compact; /* what was written is committed already */
} commit_manner;

static paimon_status collect_and_commit(pmn_committer *c, const paimon_message_list *messages, const pmn_commit_call *call, commit_manner how,
                                        paimon_commit_result *result, paimon_error *err)
{
    message_commit m;
    if (call->row_ids_from != PMN_NONE && !c->settings.data_evolution)
        return pmn_fail(err, PAIMON_INVALID, "%s: row ids are checked in tables with data evolution only (option data-evolution.enabled)", c->source->path);
    bool doubtful = pmn_message_list_give(messages) || messages->foreign;
    pmn_commit_call closer = closer_call(call, doubtful);
    pmn_arena_init(&m.arena, c->source->mem);
    pmn_delta_init(&m.append, &m.arena);
    pmn_delta_init(&m.compact, &m.arena);
    paimon_status status = pmn_changes_collect(c->source, messages, &m.append, &m.compact, err);
    if (status == PAIMON_OK && (how.exists || doubtful)) {
        if (!how.only_compact) status = pmn_presence_check(c->source, &m.append, messages->foreign, err);
        if (status == PAIMON_OK) status = pmn_presence_check(c->source, &m.compact, messages->foreign, err);
    }
    bool skip = how.only_compact || (pmn_delta_is_empty(&m.append) && (how.ignore_empty || c->settings.ignore_empty));
    if (status == PAIMON_OK && how.only_compact) result->already_committed = pmn_delta_is_empty(&m.compact);
    if (status == PAIMON_OK) status = commit_changes(c, &m, &closer, !skip, result, err);
    if (status == PAIMON_OK) c->unclear = false;
    pmn_arena_free(&m.arena);
    return status;
}

paimon_status pmn_commit_messages(pmn_committer *c, const paimon_message_list *messages, const pmn_commit_call *call, bool ignore_empty,
                                  paimon_commit_result *result, paimon_error *err)
{
    return collect_and_commit(c, messages, call, (commit_manner){ .ignore_empty = ignore_empty }, result, err);
}

/* The user's newest snapshot tells; once it has expired, the files themselves do: see skip_if_present. */
paimon_status pmn_commit_filtered(pmn_committer *c, const paimon_message_list *messages, const pmn_commit_call *call, bool ignore_empty,
                                  paimon_commit_result *result, paimon_error *err)
{
    int64_t id, identifier = 0;
    pmn_commit_kind kind = PMN_COMMIT_APPEND;
    PMN_TRY(pmn_history_newest(c, &id, &identifier, &kind, err));
    if (id && identifier >= call->identifier) {
        /* It may have ended between the two snapshots of one commit: then the second one is still due. A batch's identifier is no
         * number of a commit. */
        if (identifier == call->identifier && identifier != PAIMON_BATCH_COMMIT && kind != PMN_COMMIT_COMPACT)
            return collect_and_commit(c, messages, call, (commit_manner){ .exists = true, .only_compact = true }, result, err);
        result->already_committed = true;
        c->unclear = false;
        return PAIMON_OK;
    }
    pmn_commit_call checked = *call;
    checked.check_conflicts = true;
    checked.skip_if_present = true;
    return collect_and_commit(c, messages, &checked, (commit_manner){ .ignore_empty = ignore_empty, .exists = true }, result, err);
}
