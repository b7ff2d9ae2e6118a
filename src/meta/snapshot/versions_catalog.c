/* Versions by a catalog that the embedder brought. What its functions leave out, the files in the table's folder tell.
 *
 * Nothing of what comes from there is believed more than a file's bytes: texts are parsed and checked, ids compared. */
#include "meta/snapshot/versions.h"

#include <stdatomic.h>
#include <string.h>

#include "base/log.h"
#include "meta/snapshot/commit_request.h"
#include "meta/snapshot/listing.h"

struct paimon_versions {
    atomic_int refs;
    pmn_mem *mem; /* retained */
    paimon_versions_vtable vtable;
    void *ctx;
};

paimon_status paimon_versions_new(const paimon_versions_vtable *vtable, void *ctx, paimon_versions **versions, paimon_error *err)
{
    if (!vtable || !versions) return pmn_fail(err, PAIMON_INVALID, "paimon_versions_new: vtable or versions is NULL");
    *versions = NULL;
    if (vtable->struct_size < sizeof *vtable)
        return pmn_fail(err, PAIMON_INVALID, "paimon_versions_new: struct_size is %zu, expected %zu", vtable->struct_size, sizeof *vtable);
    if (!vtable->latest_snapshot) return pmn_fail(err, PAIMON_INVALID, "paimon_versions_new: latest_snapshot is NULL");
    paimon_versions *v = pmn_calloc(pmn_mem_default(), 1, sizeof *v);
    if (!v) return pmn_fail_nomem(err, "versions");
    atomic_init(&v->refs, 1);
    v->mem = pmn_mem_retain(pmn_mem_default());
    v->vtable = *vtable;
    v->ctx = ctx;
    *versions = v;
    return PAIMON_OK;
}

paimon_versions *paimon_versions_retain(paimon_versions *versions)
{
    if (versions) atomic_fetch_add_explicit(&versions->refs, 1, memory_order_relaxed);
    return versions;
}

void paimon_versions_free(paimon_versions *versions)
{
    if (!versions || atomic_fetch_sub_explicit(&versions->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = versions->mem;
    if (versions->vtable.release) versions->vtable.release(versions->ctx);
    pmn_free(mem, versions, sizeof *versions);
    pmn_mem_release(mem);
}

/* --- texts --- */

typedef struct receiver {
    pmn_buf *text;
    paimon_status status;
    paimon_error *err;
    bool given;
} receiver;

static paimon_status receive(void *arg, const char *text, size_t n)
{
    receiver *r = arg;
    pmn_buf_clear(r->text);
    r->given = true;
    r->status = text || !n ? pmn_buf_append(r->text, text, n, r->err) : pmn_fail(r->err, PAIMON_INVALID, "a catalog gave no text");
    return r->status;
}

/* `answer`: of the catalog's function. What the receiver says is stronger: it may have been ignored. */
static paimon_status finish(receiver *r, paimon_status answer, const pmn_source *source, const char *what, paimon_error *err)
{
    if (r->status != PAIMON_OK) return r->status;
    if (answer == PAIMON_OK) return PAIMON_OK;
    if (err && (err->code != answer || !err->message)) return pmn_fail(err, answer, "%s: its catalog gave no %s: %s", source->path, what, paimon_status_name(answer));
    pmn_error_prefix(err, "%s: its catalog gave no %s", source->path, what);
    return answer;
}

static paimon_status ask_latest(pmn_source *source, pmn_buf *text, bool *given, paimon_error *err)
{
    receiver r = { text, PAIMON_OK, err, false };
    const paimon_versions *owner = source->owner;
    paimon_status answer = owner->vtable.latest_snapshot(owner->ctx, source->branch, receive, &r, err);
    *given = r.given;
    return finish(&r, answer, source, "latest snapshot", err);
}

static paimon_status ask_snapshot(pmn_source *source, int64_t id, pmn_buf *text, paimon_error *err)
{
    receiver r = { text, PAIMON_OK, err, false };
    const paimon_versions *owner = source->owner;
    paimon_status answer = owner->vtable.snapshot(owner->ctx, source->branch, id, receive, &r, err);
    PMN_TRY(finish(&r, answer, source, "such snapshot", err));
    return r.given ? PAIMON_OK : pmn_fail(err, PAIMON_NOT_FOUND, "snapshot %lld of %s: its catalog has none", (long long)id, source->path);
}

static paimon_status ask_schema(pmn_source *source, int64_t id, pmn_buf *text, paimon_error *err)
{
    receiver r = { text, PAIMON_OK, err, false };
    const paimon_versions *owner = source->owner;
    paimon_status answer = owner->vtable.schema(owner->ctx, source->branch, id, receive, &r, err);
    PMN_TRY(finish(&r, answer, source, "schema", err));
    return r.given ? PAIMON_OK : pmn_fail(err, PAIMON_NOT_FOUND, "%s: its catalog has no such schema", source->path);
}

/* --- snapshots --- */

static paimon_status parse_given(pmn_source *source, pmn_arena *arena, const pmn_buf *text, pmn_snapshot *out, paimon_error *err)
{
    PMN_TRY(pmn_snapshot_parse(arena, pmn_slice_of(text->data, text->size), "a snapshot from a catalog", out, err));
    if (out->id < 1) return pmn_fail(err, PAIMON_CORRUPT, "%s: its catalog gave a snapshot with id %lld", source->path, (long long)out->id);
    return PAIMON_OK;
}

static paimon_status latest_owned(pmn_source *source, pmn_arena *arena, pmn_snapshot *out, paimon_error *err)
{
    pmn_buf text;
    bool given = false;
    memset(out, 0, sizeof *out);
    pmn_buf_init(&text, source->mem, PMN_METADATA_TEXT_CEILING);
    paimon_status status = ask_latest(source, &text, &given, err);
    if (status == PAIMON_OK && given) status = parse_given(source, arena, &text, out, err);
    pmn_buf_free(&text);
    return status;
}

static paimon_status latest_owned_id(pmn_source *source, int64_t *id, paimon_error *err)
{
    pmn_arena arena;
    pmn_snapshot latest;
    pmn_arena_init(&arena, source->mem);
    paimon_status status = latest_owned(source, &arena, &latest, err);
    if (status == PAIMON_OK) *id = latest.id;
    pmn_arena_free(&arena);
    return status;
}

/* Without a function for it: the snapshot's file, or the latest one if it is that. */
static paimon_status text_without_asking(pmn_source *source, int64_t id, pmn_buf *text, paimon_error *err)
{
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = pmn_versions_of_files.snapshot_text(source, id, text, &why);
    if (status == PAIMON_NOT_FOUND) {
        pmn_arena arena;
        pmn_snapshot latest = { .id = 0 };
        bool given = false;
        paimon_error_clear(&why);
        pmn_arena_init(&arena, source->mem);
        status = ask_latest(source, text, &given, &why);
        if (status == PAIMON_OK && given) status = parse_given(source, &arena, text, &latest, &why);
        if (status == PAIMON_OK && latest.id != id)
            status = pmn_fail(&why, PAIMON_NOT_FOUND, "snapshot %lld of %s: the latest is %lld, and there is no file of it", (long long)id, source->path,
                              (long long)latest.id);
        pmn_arena_free(&arena);
    }
    if (status != PAIMON_OK) pmn_error_move(err, &why);
    return status;
}

static paimon_status snapshot_text_owned(pmn_source *source, int64_t id, pmn_buf *text, paimon_error *err)
{
    return source->owner->vtable.snapshot ? ask_snapshot(source, id, text, err) : text_without_asking(source, id, text, err);
}

static paimon_status snapshot_owned(pmn_source *source, pmn_arena *arena, int64_t id, pmn_snapshot *out, paimon_error *err)
{
    pmn_buf text;
    pmn_buf_init(&text, source->mem, PMN_METADATA_TEXT_CEILING);
    paimon_status status = snapshot_text_owned(source, id, &text, err);
    if (status == PAIMON_OK) status = parse_given(source, arena, &text, out, err);
    if (status == PAIMON_OK && out->id != id)
        status = pmn_fail(err, PAIMON_CORRUPT, "%s: snapshot %lld was asked for, its catalog gave %lld", source->path, (long long)id, (long long)out->id);
    pmn_buf_free(&text);
    return status;
}

static paimon_status earliest_owned(pmn_source *source, int64_t *id, paimon_error *err)
{
    const paimon_versions *owner = source->owner;
    receiver none = { NULL, PAIMON_OK, err, false };
    *id = 0;
    if (owner->vtable.earliest_snapshot_id)
        return finish(&none, owner->vtable.earliest_snapshot_id(owner->ctx, source->branch, id, err), source, "earliest snapshot", err);
    PMN_TRY(pmn_versions_of_files.earliest_id(source, id, err));
    return *id ? PAIMON_OK : latest_owned_id(source, id, err); /* of those that are known, the only one */
}

#define MOST_IDS ((int64_t)1 << 24)

/* A catalog is not asked for a list: from the earliest to the latest, as Java takes it. */
static paimon_status ids_owned(pmn_source *source, pmn_arena *arena, int64_t **ids, int32_t *n, paimon_error *err)
{
    int64_t first = 0, last = 0;
    *ids = NULL;
    *n = 0;
    PMN_TRY(latest_owned_id(source, &last, err));
    if (last == 0) return PAIMON_OK;
    PMN_TRY(earliest_owned(source, &first, err));
    if (first < 1 || first > last) first = last;
    if (last - first >= MOST_IDS)
        return pmn_fail(err, PAIMON_CORRUPT, "%s: its catalog tells of snapshots %lld to %lld", source->path, (long long)first, (long long)last);
    *n = (int32_t)(last - first + 1);
    *ids = pmn_arena_calloc(arena, (size_t)*n, sizeof **ids);
    if (!*ids) return pmn_fail_nomem(err, "snapshot ids");
    for (int32_t i = 0; i < *n; i++) (*ids)[i] = first + i;
    return PAIMON_OK;
}

/* --- schemas --- */

static paimon_status load_schema(pmn_source *source, int64_t id, pmn_table_schema **out, paimon_error *err)
{
    pmn_buf text;
    *out = NULL;
    pmn_buf_init(&text, source->mem, PMN_METADATA_TEXT_CEILING);
    paimon_status status = ask_schema(source, id, &text, err);
    if (status == PAIMON_OK) status = pmn_table_schema_parse(source->mem, pmn_slice_of(text.data, text.size), "a schema from a catalog", out, err);
    if (status == PAIMON_OK && id >= 0 && (*out)->id != id) {
        status = pmn_fail(err, PAIMON_CORRUPT, "%s: schema %lld was asked for, its catalog gave %lld", source->path, (long long)id, (long long)(*out)->id);
        pmn_table_schema_release(*out);
        *out = NULL;
    }
    pmn_buf_free(&text);
    return status;
}

static paimon_status schema_owned(pmn_source *source, int64_t id, pmn_table_schema **out, paimon_error *err)
{
    return source->owner->vtable.schema ? load_schema(source, id, out, err) : pmn_versions_of_files.schema(source, id, out, err);
}

static paimon_status latest_schema_owned(pmn_source *source, pmn_table_schema **out, paimon_error *err)
{
    return source->owner->vtable.schema ? load_schema(source, -1, out, err) : pmn_versions_of_files.latest_schema(source, out, err);
}

static paimon_status latest_schema_owned_id(pmn_source *source, int64_t *id, paimon_error *err)
{
    if (!source->owner->vtable.schema) return pmn_versions_of_files.latest_schema_id(source, id, err);
    pmn_table_schema *schema = NULL;
    PMN_TRY(load_schema(source, -1, &schema, err));
    *id = schema->id;
    pmn_table_schema_release(schema);
    return PAIMON_OK;
}

/* --- publishing --- */

static bool same_text(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* Is the snapshot that has its id this one? By the name of its base list, which no two snapshots share: a catalog may drop the uuid. One that is
 * like it in part cannot be somebody else's, whatever happened to it on the way: its files must not go. */
static pmn_published whose(const pmn_snapshot *there, const pmn_snapshot *mine)
{
    if (same_text(there->base_manifest_list, mine->base_manifest_list)) return PMN_PUBLISHED;
    bool like = same_text(there->uuid, mine->uuid) || same_text(there->delta_manifest_list, mine->delta_manifest_list);
    return like ? PMN_PUBLISH_UNCLEAR : PMN_PUBLISH_LOST;
}

/* `told_no`: the catalog has answered that another one was first. */
static pmn_published read_back(pmn_source *source, const pmn_snapshot *mine, bool told_no)
{
    pmn_arena arena;
    pmn_snapshot there;
    pmn_published answer = told_no ? PMN_PUBLISH_LOST : PMN_PUBLISH_UNCLEAR; /* absent too: it may still be under way */
    pmn_arena_init(&arena, source->mem);
    paimon_status status = latest_owned(source, &arena, &there, NULL);
    if (status == PAIMON_OK && there.id > mine->id) status = snapshot_owned(source, &arena, mine->id, &there, NULL);
    if (status == PAIMON_OK && there.id == mine->id) answer = whose(&there, mine);
    pmn_arena_free(&arena);
    return answer;
}

static bool is_refusal(paimon_status answer)
{
    return answer == PAIMON_INVALID || answer == PAIMON_NOT_FOUND || answer == PAIMON_UNSUPPORTED || answer == PAIMON_STATE;
}

static paimon_status send(pmn_source *source, const pmn_snapshot *snapshot, const paimon_publication *publication, pmn_published *outcome, paimon_error *err)
{
    const paimon_versions *owner = source->owner;
    paimon_publish_result result = PAIMON_PUBLISH_UNKNOWN;
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status answer = owner->vtable.publish(owner->ctx, publication, &result, &why);
    if (answer == PAIMON_CONFLICT || answer == PAIMON_ALREADY_EXISTS) {
        answer = PAIMON_OK;
        result = PAIMON_PUBLISH_EXISTS;
    }
    if (is_refusal(answer)) {
        if (why.code != answer || !why.message) answer = pmn_fail(&why, answer, "its catalog refused: %s", paimon_status_name(answer));
        pmn_error_move(err, &why);
        pmn_error_prefix(err, "%s: snapshot %lld", source->path, (long long)snapshot->id);
        return answer;
    }
    if (answer != PAIMON_OK)
        pmn_log(&source->env->logger, PAIMON_LOG_WARN, "%s: publishing snapshot %lld: %s: %s", source->path, (long long)snapshot->id,
                paimon_status_name(answer), paimon_error_message(&why));
    paimon_error_clear(&why);
    if (answer == PAIMON_OK && result == PAIMON_PUBLISH_CREATED) {
        *outcome = PMN_PUBLISHED;
        return PAIMON_OK;
    }
    /* Also after a "no": a client that sent twice is told no by its own snapshot. */
    *outcome = read_back(source, snapshot, answer == PAIMON_OK && result == PAIMON_PUBLISH_EXISTS);
    return PAIMON_OK;
}

static paimon_status publish_owned(pmn_source *source, const pmn_publication *publication, pmn_published *outcome, paimon_error *err)
{
    const pmn_snapshot *snapshot = publication->snapshot;
    const char *base_uuid = publication->base->id ? publication->base->uuid : NULL;
    pmn_buf texts[3];
    paimon_status status = PAIMON_OK;
    if (!source->owner->vtable.publish)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: its catalog publishes no snapshots: commits to it can only be prepared", source->path);
    for (int i = 0; i < 3; i++) pmn_buf_init(&texts[i], source->mem, PMN_BUF_NO_CEILING);
    PMN_GOTO(status, pmn_snapshot_print(snapshot, &texts[0], err), done);
    PMN_GOTO(status, pmn_statistics_json(source, publication->changes, publication->n_changes, &texts[1], err), done);
    PMN_GOTO(status, pmn_commit_request_json(source->table_id, base_uuid, pmn_slice_of(texts[0].data, texts[0].size),
                                             pmn_slice_of(texts[1].data, texts[1].size), &texts[2], err), done);
    for (int i = 0; i < 3; i++) PMN_GOTO(status, pmn_buf_terminate(&texts[i], err), done);
    paimon_publication out = { .struct_size = sizeof out,
                               .branch = source->branch,
                               .snapshot_id = snapshot->id,
                               .snapshot_json = (const char *)texts[0].data,
                               .base_snapshot_uuid = base_uuid,
                               .statistics_json = (const char *)texts[1].data,
                               .request_json = (const char *)texts[2].data };
    status = send(source, snapshot, &out, outcome, err);
done:
    for (int i = 0; i < 3; i++) pmn_buf_free(&texts[i]);
    return status;
}

const pmn_versions pmn_versions_of_catalog = {
    .wants_changes = true,
    .latest = latest_owned,
    .latest_id = latest_owned_id,
    .snapshot = snapshot_owned,
    .snapshot_text = snapshot_text_owned,
    .earliest_id = earliest_owned,
    .ids = ids_owned,
    .latest_schema = latest_schema_owned,
    .latest_schema_id = latest_schema_owned_id,
    .schema = schema_owned,
    .publish = publish_owned,
};
