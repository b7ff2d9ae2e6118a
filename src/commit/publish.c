#include "commit/publish.h"

#include <string.h>

#include "base/checked.h"
#include "io/path.h"
#include "meta/snapshot/commit_request.h"

/* Counts that do not fit are not worth a failed commit: they stay what they were. */
static void count(int64_t *sum, int64_t value, bool adds)
{
    int64_t next;
    if (adds ? pmn_add_i64(*sum, value, &next) : pmn_sub_i64(*sum, value, &next)) *sum = next;
}

static void add_entry(pmn_partition_change *change, const pmn_manifest_entry *entry)
{
    bool adds = entry->kind == PMN_FILE_ADD;
    count(&change->rows, entry->file.row_count, adds);
    count(&change->bytes, entry->file.size, adds);
    count(&change->files, 1, adds);
    if (entry->file.creation_time_ms > change->last_created_ms) change->last_created_ms = entry->file.creation_time_ms;
    change->total_buckets = entry->total_buckets;
}

paimon_status pmn_partition_changes(pmn_arena *arena, const pmn_changes *changes, pmn_partition_change **out, size_t *n, paimon_error *err)
{
    pmn_map places; /* partition → its number in the list + 1 */
    paimon_status status = PAIMON_OK;
    *n = 0;
    *out = pmn_arena_calloc(arena, changes->n + 1, sizeof **out);
    if (!*out) return pmn_fail_nomem(err, "the partitions of a commit");
    pmn_map_init(&places, arena->mem);
    for (size_t i = 0; i < changes->n && status == PAIMON_OK; i++) {
        uint64_t *place;
        status = pmn_map_put(&places, changes->items[i].partition, &place, NULL, err);
        if (status != PAIMON_OK) break;
        if (*place == 0) {
            (*out)[*n] = (pmn_partition_change){ .partition = changes->items[i].partition, .last_created_ms = PMN_NONE };
            *place = ++*n;
        }
        add_entry(&(*out)[*place - 1], &changes->items[i]);
    }
    pmn_map_free(&places);
    return status;
}

/* Keep what the caller will send. */
static paimon_status prepare(pmn_committer *c, const pmn_publication *publication, paimon_error *err)
{
    pmn_prepared_list *list = &c->prepared;
    pmn_buf text;
    pmn_prepared p = { .base_uuid = NULL };
    if ((size_t)list->n == sizeof list->items / sizeof list->items[0]) return pmn_fail(err, PAIMON_INTERNAL, "more than two snapshots of one commit");
    pmn_buf_init(&text, c->source->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_snapshot_print(publication->snapshot, &text, err);
    p.snapshot_json = pmn_slice_of(pmn_arena_copy(&list->arena, text.data, text.size), text.size);
    pmn_buf_clear(&text);
    if (status == PAIMON_OK) status = pmn_statistics_json(c->source, publication->changes, publication->n_changes, &text, err);
    p.statistics_json = pmn_slice_of(pmn_arena_copy(&list->arena, text.data, text.size), text.size);
    pmn_buf_free(&text);
    if (publication->base->id && publication->base->uuid) p.base_uuid = pmn_arena_strdup(&list->arena, publication->base->uuid);
    if (status == PAIMON_OK && (!p.snapshot_json.data || !p.statistics_json.data || (publication->base->id && publication->base->uuid && !p.base_uuid)))
        status = pmn_fail_nomem(err, "a commit's request");
    if (status == PAIMON_OK) status = pmn_snapshot_parse(&list->arena, p.snapshot_json, "a snapshot just made", &p.snapshot, err);
    if (status == PAIMON_OK) list->items[list->n++] = p;
    return status;
}

paimon_status pmn_commit_publish(pmn_commit_run_state *run, const pmn_snapshot *snapshot, pmn_published *outcome, paimon_error *err)
{
    pmn_committer *c = run->c;
    pmn_source *source = c->source;
    pmn_publication publication = { .snapshot = snapshot, .base = &run->latest };
    if (c->prepare_only || source->versions->wants_changes) {
        pmn_partition_change *changes;
        PMN_TRY(pmn_partition_changes(&run->round, run->changes, &changes, &publication.n_changes, err));
        publication.changes = changes;
    }
    if (!c->prepare_only) return source->versions->publish(source, &publication, outcome, err);
    *outcome = PMN_PUBLISHED;
    return prepare(c, &publication, err);
}

/* --- what the caller will send --- */

paimon_status pmn_prepared_keep_files(pmn_commit_run_state *run, paimon_error *err)
{
    pmn_prepared_list *list = &run->c->prepared;
    const pmn_written *written[2] = { &run->kept, &run->this_round };
    const char **names = pmn_arena_calloc(&list->arena, run->kept.n + run->this_round.n + 1, sizeof *names);
    size_t n = 0;
    for (int w = 0; w < 2 && names; w++)
        for (size_t i = 0; i < written[w]->n && names; i++)
            if (!(names[n++] = pmn_arena_strdup(&list->arena, written[w]->names[i]))) names = NULL;
    if (!names) return pmn_fail_nomem(err, "the files of a commit");
    list->items[list->n - 1].files = names;
    list->items[list->n - 1].n_files = n;
    return PAIMON_OK;
}

void pmn_prepared_clear(pmn_committer *c)
{
    pmn_arena_free(&c->prepared.arena);
    c->prepared.n = 0;
}

void pmn_prepared_discard(pmn_committer *c)
{
    for (int32_t i = 0; i < c->prepared.n; i++)
        for (size_t f = 0; f < c->prepared.items[i].n_files; f++) {
            const char *path = pmn_path_join(&c->prepared.arena, c->folder, c->prepared.items[i].files[f]);
            if (path && pmn_fs_remove(c->source->fs, path, NULL) != PAIMON_OK) continue; /* an orphan harms nobody */
        }
    pmn_prepared_clear(c);
}

paimon_status pmn_prepared_request(pmn_committer *c, int32_t i, const char *table_id, pmn_buf *json, paimon_error *err)
{
    const pmn_prepared *p = &c->prepared.items[i];
    return pmn_commit_request_json(table_id ? table_id : c->source->table_id, p->base_uuid, p->snapshot_json, p->statistics_json, json, err);
}
