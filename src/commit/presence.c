#include "commit/presence.h"

#include <string.h>

#include "io/path.h"
#include "meta/bucket_path.h"

typedef struct looking {
    pmn_source *source;
    pmn_buf folder, path;
    pmn_slice partition; /* whose folder it is */
    int32_t bucket;
    bool has_folder;
} looking;

static paimon_status look_for(looking *l, const char *path, int64_t size, paimon_error *err)
{
    bool exists;
    int64_t found = 0;
    PMN_TRY(pmn_fs_exists(l->source->fs, path, &exists, &found, err));
    if (!exists)
        return pmn_fail(err, PAIMON_NOT_FOUND, "%s: file %s of a commit message is gone: it was aborted, or committed and has expired", l->source->path, path);
    if (size < 0 || size == found) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "%s: file %s has %lld bytes, %lld in a commit message", l->source->path, path, (long long)found, (long long)size);
}

static paimon_status join(looking *l, pmn_slice folder, const char *name, paimon_error *err)
{
    pmn_buf_clear(&l->path);
    PMN_TRY(pmn_buf_append(&l->path, folder.data, folder.size, err));
    PMN_TRY(pmn_buf_append_byte(&l->path, '/', err));
    PMN_TRY(pmn_buf_append_text(&l->path, name, err));
    return pmn_buf_terminate(&l->path, err);
}

/* Files come sorted by partition and bucket, more or less: the folder is made once for each stretch. */
static paimon_status open_folder(looking *l, pmn_slice partition, int32_t bucket, paimon_error *err)
{
    if (l->has_folder && l->bucket == bucket && pmn_slice_equal(l->partition, partition)) return PAIMON_OK;
    l->has_folder = false;
    PMN_TRY(pmn_bucket_path(l->source, partition, bucket, &l->folder, err));
    l->partition = partition;
    l->bucket = bucket;
    l->has_folder = true;
    return PAIMON_OK;
}

/* "compacted-changelog-…$BUCKET-LENGTH-OFFSET-LENGTH.cc-…" is a piece of the file "compacted-changelog-…$BUCKET-LENGTH.cc-…" in that bucket's
 * folder. Java: CompactedChangelogPathResolver. */
static bool is_part_of_changelog(const char *name)
{
    int dashes = 0;
    const char *numbers = strchr(name, '$');
    if (strncmp(name, "compacted-changelog-", 20) != 0 || !numbers) return false;
    for (const char *p = numbers; *p && *p != '.'; p++) dashes += *p == '-';
    return dashes == 3;
}

static paimon_status look_for_changelog(looking *l, const char *name, paimon_error *err)
{
    const char *numbers = strchr(name, '$') + 1, *length = strchr(numbers, '-') + 1, *offset = strchr(length, '-');
    size_t end = l->folder.size;
    while (end > 0 && l->folder.data[end - 1] != '/') end--;
    pmn_buf_clear(&l->path);
    PMN_TRY(pmn_buf_append(&l->path, l->folder.data, end, err));
    PMN_TRY(pmn_buf_printf(&l->path, err, "bucket-%.*s/%.*s%s", (int)(length - 1 - numbers), numbers, (int)(offset - name), name, name + strcspn(name, ".")));
    PMN_TRY(pmn_buf_terminate(&l->path, err));
    return look_for(l, (const char *)l->path.data, -1, err);
}

static paimon_status look_for_file(looking *l, const pmn_manifest_entry *entry, bool sizes, bool changelog, paimon_error *err)
{
    const pmn_data_file *file = &entry->file;
    PMN_TRY(open_folder(l, entry->partition, entry->bucket, err));
    pmn_slice folder = pmn_slice_of(l->folder.data, l->folder.size);
    int64_t size = sizes ? file->size : -1;
    if (changelog && is_part_of_changelog(file->name)) return look_for_changelog(l, file->name, err);
    if (file->external_path) {
        folder = pmn_slice_of(file->external_path, (size_t)(pmn_path_name(file->external_path) - file->external_path));
        if (folder.size) folder.size--; /* the '/' */
        PMN_TRY(look_for(l, file->external_path, size, err));
    } else {
        PMN_TRY(join(l, folder, file->name, err));
        PMN_TRY(look_for(l, (const char *)l->path.data, size, err));
    }
    for (int32_t i = 0; i < file->n_extra_files; i++) {
        PMN_TRY(join(l, folder, file->extra_files[i], err));
        PMN_TRY(look_for(l, (const char *)l->path.data, -1, err));
    }
    return PAIMON_OK;
}

static paimon_status look_for_index(looking *l, const pmn_index_entry *entry, bool sizes, paimon_error *err)
{
    if (entry->external_path) return look_for(l, entry->external_path, sizes ? entry->file_size : -1, err);
    PMN_TRY(pmn_index_path(l->source, entry, &l->path, err));
    return look_for(l, (const char *)l->path.data, sizes ? entry->file_size : -1, err);
}

static paimon_status look_for_all(looking *l, const pmn_delta *delta, bool sizes, paimon_error *err)
{
    const pmn_changes *lists[] = { &delta->files, &delta->changelog };
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->n; i++)
            if (lists[k]->items[i].kind == PMN_FILE_ADD) PMN_TRY(look_for_file(l, &lists[k]->items[i], sizes, lists[k] == &delta->changelog, err));
    for (size_t i = 0; i < delta->indexes.n; i++)
        if (delta->indexes.items[i].kind == PMN_FILE_ADD) PMN_TRY(look_for_index(l, &delta->indexes.items[i], sizes, err));
    return PAIMON_OK;
}

paimon_status pmn_presence_check(pmn_source *source, const pmn_delta *delta, bool sizes, paimon_error *err)
{
    looking l = { .source = source };
    pmn_buf_init(&l.folder, source->mem, PMN_BUF_NO_CEILING);
    pmn_buf_init(&l.path, source->mem, PMN_BUF_NO_CEILING);
    paimon_status status = look_for_all(&l, delta, sizes, err);
    pmn_buf_free(&l.folder);
    pmn_buf_free(&l.path);
    return status;
}
