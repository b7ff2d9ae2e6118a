#include "meta/manifest/file_row.h"
#include "wire/message.h"

pmn_message_layout pmn_message_layout_of(int32_t version)
{
    static const pmn_message_layout layouts[] = {
        [2] = { 15, PMN_INDEX_V1 },  [3] = { 16, PMN_INDEX_V1 },  [4] = { 17, PMN_INDEX_V1 },  [5] = { 17, PMN_INDEX_V2 },
        [6] = { 18, PMN_INDEX_V2 },  [7] = { 18, PMN_INDEX_V2 },  [8] = { 19, PMN_INDEX_V2 },  [9] = { 20, PMN_INDEX_V3 },
        [10] = { 20, PMN_INDEX_V3 }, [11] = { 20, PMN_INDEX_V4 }, [12] = { 20, PMN_INDEX_V5 }, [13] = { 21, PMN_INDEX_V5 },
    };
    return layouts[version];
}

paimon_status pmn_message_version_to_write(int32_t *version, paimon_error *err)
{
    if (*version == 0) *version = PMN_MESSAGE_NEWEST;
    if (*version >= PMN_MESSAGE_OLDEST_WRITTEN && *version <= PMN_MESSAGE_NEWEST) return PAIMON_OK;
    return pmn_fail(err, PAIMON_UNSUPPORTED, "commit messages are not written in version %d, only in %d to %d", (int)*version,
                    PMN_MESSAGE_OLDEST_WRITTEN, PMN_MESSAGE_NEWEST);
}

/* A reader of an older version would not see the field, and could go wrong. */
static PMN_NOINLINE paimon_status no_place(const pmn_data_file *file, const char *field, paimon_error *err)
{
    return pmn_fail(err, PAIMON_UNSUPPORTED, "file %s has %s, for which this version of commit messages has no place", file->name, field);
}

static paimon_status put_files(pmn_buf *out, pmn_data_files files, int32_t arity, paimon_error *err)
{
    PMN_TRY(pmn_java_put_int(out, files.n, err));
    for (int32_t i = 0; i < files.n; i++) {
        const char *lost = pmn_file_row_lost(&files.items[i], arity);
        if (PMN_UNLIKELY(lost != NULL)) return no_place(&files.items[i], lost, err);
        PMN_TRY(pmn_file_row_write(out, &files.items[i], arity, err));
    }
    return PAIMON_OK;
}

static paimon_status put_indexes(pmn_buf *out, pmn_index_files files, pmn_index_layout layout, paimon_error *err)
{
    PMN_TRY(pmn_java_put_int(out, files.n, err));
    for (int32_t i = 0; i < files.n; i++) {
        size_t begun = out->size;
        PMN_TRY(pmn_java_put_int(out, 0, err)); /* the length, known afterwards */
        PMN_TRY(pmn_index_row_write(out, layout, &files.items[i], err));
        pmn_store_be32(out->data + begun, (uint32_t)(out->size - begun - 4));
    }
    return PAIMON_OK;
}

paimon_status pmn_message_write(pmn_buf *out, const pmn_message *m, int32_t version, paimon_error *err)
{
    pmn_message_layout layout = pmn_message_layout_of(version);
    PMN_TRY(pmn_java_put_framed(out, m->partition, err));
    PMN_TRY(pmn_java_put_int(out, m->bucket, err));
    PMN_TRY(pmn_java_put_bool(out, m->has_total_buckets, err));
    if (m->has_total_buckets) PMN_TRY(pmn_java_put_int(out, m->total_buckets, err));
    PMN_TRY(put_files(out, m->new_files, layout.file_arity, err));
    PMN_TRY(put_files(out, m->deleted_files, layout.file_arity, err));
    PMN_TRY(put_files(out, m->changelog_files, layout.file_arity, err));
    PMN_TRY(put_indexes(out, m->new_index_files, layout.index, err));
    PMN_TRY(put_indexes(out, m->deleted_index_files, layout.index, err));
    PMN_TRY(put_files(out, m->compact_before, layout.file_arity, err));
    PMN_TRY(put_files(out, m->compact_after, layout.file_arity, err));
    PMN_TRY(put_files(out, m->compact_changelog, layout.file_arity, err));
    PMN_TRY(put_indexes(out, m->compact_new_index_files, layout.index, err));
    return put_indexes(out, m->compact_deleted_index_files, layout.index, err);
}

#define MEASURED 16 /* messages that tell how large the others may be */

/* Room for the rest of a long list, so that it need not be moved while it grows. Without memory for that it grows. */
static void reserve_rest(pmn_buf *out, size_t begun, size_t n)
{
    size_t each = (out->size - begun) / MEASURED, rest = (n - MEASURED) * (each + each / 16);
    if (rest < ((size_t)4 << 20) || pmn_buf_reserve(out, rest, NULL) != PAIMON_OK) return;
    pmn_mem_will_fill(out->data, out->capacity);
}

paimon_status pmn_messages_write(pmn_buf *out, const paimon_message_list *list, int32_t version, paimon_error *err)
{
    if (list->n > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "%zu commit messages do not fit one list", list->n);
    PMN_TRY(pmn_java_put_int(out, (int32_t)list->n, err));
    size_t begun = out->size;
    for (size_t i = 0; i < list->n; i++) {
        if (i == MEASURED) reserve_rest(out, begun, list->n);
        PMN_TRY(pmn_message_write(out, &list->items[i], version, err));
    }
    return PAIMON_OK;
}
