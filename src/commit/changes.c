#include "commit/changes.h"

#include <string.h>

#include "base/checked.h"
#include "types/row_codec.h"

void pmn_changes_init(pmn_changes *changes, pmn_arena *arena)
{
    *changes = (pmn_changes){ .arena = arena };
}

paimon_status pmn_changes_add(pmn_changes *changes, const pmn_manifest_entry *entry, paimon_error *err)
{
    if (changes->n == changes->capacity) {
        size_t capacity = changes->capacity ? changes->capacity * 2 : 16;
        pmn_manifest_entry *grown = pmn_arena_calloc(changes->arena, capacity, sizeof *grown);
        if (!grown) return pmn_fail_nomem(err, "the entries of a commit");
        if (changes->n) memcpy(grown, changes->items, changes->n * sizeof *grown);
        changes->items = grown;
        changes->capacity = capacity;
    }
    int64_t rows = entry->file.row_count;
    bool add = entry->kind == PMN_FILE_ADD;
    if (!(add ? pmn_add_i64(changes->rows, rows, &changes->rows) : pmn_sub_i64(changes->rows, rows, &changes->rows)))
        return pmn_fail(err, PAIMON_INVALID, "the rows of a commit do not fit 64 bits");
    changes->n_deletes += !add;
    changes->items[changes->n++] = *entry;
    return PAIMON_OK;
}

static paimon_status check_file(const pmn_data_file *file, paimon_error *err)
{
    if (!file->name || !*file->name || strchr(file->name, '/') || strcmp(file->name, "..") == 0)
        return pmn_fail(err, PAIMON_INVALID, "a commit message names '%s', which cannot be a data file", file->name ? file->name : "");
    if (file->size < 0 || file->row_count < 0)
        return pmn_fail(err, PAIMON_INVALID, "file %s of a commit message has %lld bytes and %lld rows", file->name, (long long)file->size,
                        (long long)file->row_count);
    if (file->level < 0) return pmn_fail(err, PAIMON_INVALID, "file %s of a commit message is on level %d", file->name, (int)file->level);
    return PAIMON_OK;
}

static paimon_status check_message(const pmn_source *source, const pmn_message *message, paimon_error *err)
{
    pmn_row_view view;
    int32_t keys = source->schema->n_partition_keys;
    PMN_TRY(pmn_row_parse(message->partition, &view, err));
    if (view.arity != keys)
        return pmn_fail(err, PAIMON_INVALID, "%s: a commit message has a partition of %d columns, the table has %d partition keys", source->path,
                        (int)view.arity, (int)keys);
    for (int32_t i = 0; i < keys; i++) {
        pmn_datum value;
        PMN_TRY(pmn_row_get(&view, i, source->schema->partition_type->fields[i].type, &value, err));
    }
    if (message->bucket < 0) return pmn_fail(err, PAIMON_INVALID, "%s: a commit message for bucket %d", source->path, (int)message->bucket);
    if (message->has_total_buckets && message->total_buckets > 0 && message->bucket >= message->total_buckets)
        return pmn_fail(err, PAIMON_INVALID, "%s: a commit message for bucket %d of %d", source->path, (int)message->bucket, (int)message->total_buckets);
    if (message->changelog_files.n || message->compact_changelog.n)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: committing changelog files is not supported yet", source->path);
    if (message->new_index_files.n || message->deleted_index_files.n || message->compact_new_index_files.n || message->compact_deleted_index_files.n)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: committing index files is not supported yet", source->path);
    return PAIMON_OK;
}

static paimon_status add_files(pmn_changes *changes, const pmn_message *message, int32_t total_buckets, pmn_file_kind kind, pmn_data_files files,
                               paimon_error *err)
{
    for (int32_t i = 0; i < files.n; i++) {
        pmn_manifest_entry entry = { .kind = kind,
                                     .partition = message->partition,
                                     .bucket = message->bucket,
                                     .total_buckets = message->has_total_buckets ? message->total_buckets : total_buckets,
                                     .file = files.items[i] };
        PMN_TRY(check_file(&entry.file, err));
        PMN_TRY(pmn_changes_add(changes, &entry, err));
    }
    return PAIMON_OK;
}

paimon_status pmn_changes_collect(const pmn_source *source, const paimon_message_list *messages, pmn_changes *append, pmn_changes *compact,
                                  paimon_error *err)
{
    int64_t buckets;
    PMN_TRY(pmn_options_int(&source->options, "bucket", -1, &buckets, err));
    if (buckets < INT32_MIN || buckets > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "%s: option bucket is %lld", source->path, (long long)buckets);
    for (size_t i = 0; i < messages->n; i++) {
        const pmn_message *message = &messages->items[i];
        PMN_TRY(check_message(source, message, err));
        PMN_TRY(add_files(append, message, (int32_t)buckets, PMN_FILE_ADD, message->new_files, err));
        PMN_TRY(add_files(append, message, (int32_t)buckets, PMN_FILE_DELETE, message->deleted_files, err));
        PMN_TRY(add_files(compact, message, (int32_t)buckets, PMN_FILE_DELETE, message->compact_before, err));
        PMN_TRY(add_files(compact, message, (int32_t)buckets, PMN_FILE_ADD, message->compact_after, err));
    }
    return PAIMON_OK;
}
