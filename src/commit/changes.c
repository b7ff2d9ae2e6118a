#include "commit/changes.h"

#include "base/checked.h"
#include "commit/message_check.h"
#include "commit/row_ids.h"

/* --- lists --- */

void pmn_changes_init(pmn_changes *changes, pmn_arena *arena)
{
    *changes = (pmn_changes){ .arena = arena };
}

void pmn_delta_init(pmn_delta *delta, pmn_arena *arena)
{
    pmn_changes_init(&delta->files, arena);
    pmn_changes_init(&delta->changelog, arena);
    delta->indexes = (pmn_index_changes){ .arena = arena };
    delta->renumbered = NULL;
    delta->n_renumbered = 0;
}

paimon_status pmn_changes_add(pmn_changes *changes, const pmn_manifest_entry *entry, paimon_error *err)
{
    pmn_manifest_entry *grown = pmn_arena_grow(changes->arena, changes->items, changes->n, &changes->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "the entries of a commit");
    changes->items = grown;
    int64_t rows = entry->file.row_count;
    bool add = entry->kind == PMN_FILE_ADD;
    if (!(add ? pmn_add_i64(changes->rows, rows, &changes->rows) : pmn_sub_i64(changes->rows, rows, &changes->rows)))
        return pmn_fail(err, PAIMON_INVALID, "the rows of a commit do not fit 64 bits");
    changes->n_deletes += !add;
    changes->items[changes->n++] = *entry;
    return PAIMON_OK;
}

paimon_status pmn_index_changes_add(pmn_index_changes *changes, const pmn_index_entry *entry, paimon_error *err)
{
    pmn_index_entry *grown = pmn_arena_grow(changes->arena, changes->items, changes->n, &changes->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "the index files of a commit");
    changes->items = grown;
    changes->n_deletes += entry->kind == PMN_FILE_DELETE;
    changes->n_vectors += strcmp(entry->index_type, PMN_INDEX_OF_VECTORS) == 0;
    changes->adds_global |= entry->kind == PMN_FILE_ADD && entry->has_global;
    changes->items[changes->n++] = *entry;
    return PAIMON_OK;
}

/* --- messages --- */

typedef struct collector {
    pmn_message_checker *checker;
    const pmn_message *message;
    int32_t total_buckets;
} collector;

static paimon_status add_files(const collector *c, pmn_changes *changes, pmn_file_kind kind, pmn_data_files files, paimon_error *err)
{
    for (int32_t i = 0; i < files.n; i++) {
        pmn_manifest_entry entry = { .kind = kind,
                                     .partition = c->message->partition,
                                     .bucket = c->message->bucket,
                                     .total_buckets = c->total_buckets,
                                     .file = files.items[i] };
        PMN_TRY(pmn_message_check_file(c->checker, kind, &entry.file, err));
        PMN_TRY(pmn_changes_add(changes, &entry, err));
    }
    return PAIMON_OK;
}

static paimon_status add_indexes(const collector *c, pmn_index_changes *changes, pmn_file_kind kind, pmn_index_files files, paimon_error *err)
{
    for (int32_t i = 0; i < files.n; i++) {
        pmn_index_entry entry = files.items[i];
        entry.kind = kind;
        entry.partition = c->message->partition;
        entry.bucket = c->message->bucket;
        PMN_TRY(pmn_message_check_index(c->checker, &entry, err));
        PMN_TRY(pmn_index_changes_add(changes, &entry, err));
    }
    return PAIMON_OK;
}

/* In Java's order. */
static paimon_status collect_message(const collector *c, pmn_delta *append, pmn_delta *compact, paimon_error *err)
{
    const pmn_message *m = c->message;
    PMN_TRY(add_files(c, &append->files, PMN_FILE_ADD, m->new_files, err));
    PMN_TRY(add_files(c, &append->files, PMN_FILE_DELETE, m->deleted_files, err));
    PMN_TRY(add_files(c, &append->changelog, PMN_FILE_ADD, m->changelog_files, err));
    PMN_TRY(add_indexes(c, &append->indexes, PMN_FILE_DELETE, m->deleted_index_files, err));
    PMN_TRY(add_indexes(c, &append->indexes, PMN_FILE_ADD, m->new_index_files, err));
    PMN_TRY(add_files(c, &compact->files, PMN_FILE_DELETE, m->compact_before, err));
    PMN_TRY(add_files(c, &compact->files, PMN_FILE_ADD, m->compact_after, err));
    PMN_TRY(add_files(c, &compact->changelog, PMN_FILE_ADD, m->compact_changelog, err));
    PMN_TRY(add_indexes(c, &compact->indexes, PMN_FILE_DELETE, m->compact_deleted_index_files, err));
    return add_indexes(c, &compact->indexes, PMN_FILE_ADD, m->compact_new_index_files, err);
}

/* Java: FileStoreCommitImpl.materializedBuckets. */
static bool renumbers(const pmn_message *m)
{
    bool reads = false;
    for (int32_t i = 0; i < m->compact_before.n && !reads; i++) reads = !pmn_is_beside_rows(m->compact_before.items[i].name);
    for (int32_t i = 0; i < m->compact_after.n; i++)
        if (m->compact_after.items[i].first_row_id != PMN_NONE) return false;
    return reads;
}

static paimon_status note_renumbered(const pmn_message_checker *checker, const paimon_message_list *messages, pmn_delta *compact, paimon_error *err)
{
    if (!checker->has_evolution || !checker->has_vectors) return PAIMON_OK;
    compact->renumbered = pmn_arena_calloc(compact->files.arena, messages->n + 1, sizeof *compact->renumbered);
    if (!compact->renumbered) return pmn_fail_nomem(err, "the buckets of a commit");
    for (size_t i = 0; i < messages->n; i++)
        if (renumbers(&messages->items[i]))
            compact->renumbered[compact->n_renumbered++] = (pmn_bucket_name){ messages->items[i].partition, messages->items[i].bucket };
    return PAIMON_OK;
}

paimon_status pmn_changes_collect(pmn_source *source, const paimon_message_list *messages, pmn_delta *append, pmn_delta *compact,
                                  paimon_error *err)
{
    pmn_message_checker checker;
    PMN_TRY(pmn_message_checker_init(&checker, source, messages->foreign, err));
    paimon_status status = PAIMON_OK;
    for (size_t i = 0; i < messages->n && status == PAIMON_OK; i++) {
        const pmn_message *m = &messages->items[i];
        collector c = { &checker, m, m->has_total_buckets ? m->total_buckets : (int32_t)checker.n_buckets };
        status = pmn_message_check(&checker, m, err);
        if (status == PAIMON_OK) status = collect_message(&c, append, compact, err);
    }
    if (status == PAIMON_OK) status = note_renumbered(&checker, messages, compact, err);
    pmn_message_checker_free(&checker);
    return status;
}
