/* Reading is strict: a row of another version than the one that was said is noticed (its first text or key stands elsewhere), and so is
 * every byte behind the end. What was read owns a copy of the bytes and points into it. */
#include <string.h>

#include "meta/manifest/file_row.h"
#include "wire/message.h"

#define LEGACY_FILE_ARITY 13 /* release 0.7, which said 2 as well */

typedef struct message_input {
    pmn_java_input in;
    paimon_message_list *list;
    int32_t version;
    bool legacy;
    pmn_message_layout layout;
} message_input;

/* --- lists of files --- */

/* The variable part begins behind the slots: at another place if the row has more fields, or fewer. */
static bool row_begins_as(pmn_slice row, int32_t arity)
{
    const uint8_t *slot = row.data + 8; /* the name; of up to 7 bytes it lies in the slot, and a key (12 bytes at least) comes first */
    if (slot[7] & 0x80) slot += 8 * 3;
    if (slot[7] & 0x80) return true;
    uint32_t fields = pmn_load_le32(slot + 4) / 8 - 1;
    /* Java's form of version 8 had 19 fields; newer releases, asked for it, write a null behind them. */
    return fields == (uint32_t)arity || (arity == 19 && fields == 20);
}

static paimon_status get_file(message_input *m, pmn_data_file *out)
{
    pmn_slice row;
    size_t at = pmn_cursor_offset(&m->in.c);
    int32_t arity = m->layout.file_arity;
    PMN_TRY(pmn_java_get_framed(&m->in, "a file of a commit message", &row));
    if (PMN_LIKELY(row.size < 40 || row_begins_as(row, arity))) return pmn_file_row_read(row, arity, &m->list->arena, out, m->in.err);
    return pmn_fail(m->in.err, PAIMON_CORRUPT, "a file of a commit message at byte %zu has not the %d fields of version %d: is that the version?", at,
                    (int)arity, (int)m->version);
}

static paimon_status get_files(message_input *m, const char *what, pmn_data_files *out)
{
    int32_t n;
    PMN_TRY(pmn_java_get_count(&m->in, what, 4 + 8 + 8 * (size_t)m->layout.file_arity, &n));
    if (n == 0) return PAIMON_OK;
    pmn_data_file *files = pmn_arena_alloc(&m->list->arena, (size_t)n * sizeof *files);
    if (!files) return pmn_fail_nomem(m->in.err, "commit messages");
    for (int32_t i = 0; i < n; i++) PMN_TRY(get_file(m, &files[i]));
    *out = (pmn_data_files){ files, n };
    return PAIMON_OK;
}

static paimon_status get_indexes(message_input *m, const char *what, pmn_index_files *out)
{
    int32_t n;
    PMN_TRY(pmn_java_get_count(&m->in, what, 4 + 8 + 8 * 4, &n));
    if (n == 0) return PAIMON_OK;
    pmn_index_entry *files = pmn_arena_alloc(&m->list->arena, (size_t)n * sizeof *files);
    if (!files) return pmn_fail_nomem(m->in.err, "commit messages");
    for (int32_t i = 0; i < n; i++) {
        pmn_slice row;
        PMN_TRY(pmn_java_get_framed(&m->in, "an index file of a commit message", &row));
        PMN_TRY(pmn_index_row_read(row, m->layout.index, &m->list->arena, &files[i], m->in.err));
    }
    *out = (pmn_index_files){ files, n };
    return PAIMON_OK;
}

/* --- messages --- */

static paimon_status get_data_files(message_input *m, pmn_message *out)
{
    PMN_TRY(get_files(m, "new files", &out->new_files));
    if (!m->legacy) PMN_TRY(get_files(m, "deleted files", &out->deleted_files));
    return get_files(m, "changelog files", &out->changelog_files);
}

static paimon_status get_compact_files(message_input *m, pmn_message *out)
{
    PMN_TRY(get_files(m, "files before a compaction", &out->compact_before));
    PMN_TRY(get_files(m, "files after a compaction", &out->compact_after));
    return get_files(m, "changelog files of a compaction", &out->compact_changelog);
}

/* Before 10 there was one pair of lists of index files: the compaction's, if there was one. */
static paimon_status get_shared_indexes(message_input *m, pmn_message *out)
{
    bool compacted = out->compact_before.n || out->compact_after.n || out->compact_changelog.n;
    PMN_TRY(get_indexes(m, "new index files", compacted ? &out->compact_new_index_files : &out->new_index_files));
    if (m->version == 2) return PAIMON_OK;
    return get_indexes(m, "deleted index files", compacted ? &out->compact_deleted_index_files : &out->deleted_index_files);
}

static paimon_status get_message(message_input *m)
{
    pmn_message *out;
    PMN_TRY(pmn_message_list_add(m->list, &out, m->in.err));
    PMN_TRY(pmn_java_get_row(&m->in, "the partition of a commit message", &out->partition));
    PMN_TRY(pmn_java_get_int(&m->in, "the bucket of a commit message", &out->bucket));
    if (m->version >= 7) PMN_TRY(pmn_java_get_bool(&m->in, "whether a commit message has total buckets", &out->has_total_buckets));
    if (out->has_total_buckets) PMN_TRY(pmn_java_get_int(&m->in, "the total buckets of a commit message", &out->total_buckets));
    PMN_TRY(get_data_files(m, out));
    if (m->version < 10) {
        PMN_TRY(get_compact_files(m, out));
        return get_shared_indexes(m, out);
    }
    PMN_TRY(get_indexes(m, "new index files", &out->new_index_files));
    PMN_TRY(get_indexes(m, "deleted index files", &out->deleted_index_files));
    PMN_TRY(get_compact_files(m, out));
    PMN_TRY(get_indexes(m, "new index files of a compaction", &out->compact_new_index_files));
    return get_indexes(m, "deleted index files of a compaction", &out->compact_deleted_index_files);
}

/* A message is 40 bytes at the least: the row without fields in its frame, the bucket, and five counts. */
static paimon_status get_messages(message_input *m, bool single)
{
    int32_t n = 1;
    if (!single) PMN_TRY(pmn_java_get_count(&m->in, "commit messages", 40, &n));
    for (int32_t i = 0; i < n; i++) PMN_TRY(get_message(m));
    return pmn_java_end(&m->in, single ? "a commit message" : "a list of commit messages");
}

static paimon_status read_as(pmn_mem *mem, pmn_slice bytes, int32_t version, bool legacy, bool single, paimon_message_list **out, paimon_error *err)
{
    paimon_message_list *list = NULL;
    PMN_TRY(pmn_message_list_new(mem, &list, err));
    list->foreign = true;
    paimon_status status = PAIMON_OK;
    void *copy = pmn_arena_alloc(&list->arena, bytes.size);
    if (!copy) status = pmn_fail_nomem(err, "commit messages");
    else pmn_mem_will_fill(copy, bytes.size);
    if (copy && bytes.size) memcpy(copy, bytes.data, bytes.size);
    message_input m = { pmn_java_input_of(pmn_slice_of(copy, bytes.size), err), list, version, legacy, pmn_message_layout_of(version) };
    if (legacy) m.layout = (pmn_message_layout){ LEGACY_FILE_ARITY, PMN_INDEX_V0 };
    if (status == PAIMON_OK) status = get_messages(&m, single);
    if (status == PAIMON_OK) *out = list;
    else paimon_message_list_free(list);
    return status;
}

static paimon_status read_messages(pmn_mem *mem, pmn_slice bytes, int32_t version, bool single, paimon_message_list **out, paimon_error *err)
{
    *out = NULL;
    if (version < PMN_MESSAGE_OLDEST || version > PMN_MESSAGE_NEWEST)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "commit messages of version %d: only %d to %d are read", (int)version, PMN_MESSAGE_OLDEST,
                        PMN_MESSAGE_NEWEST);
    paimon_status status = read_as(mem, bytes, version, false, single, out, err);
    if (status != PAIMON_CORRUPT || version != 2) return status;
    /* As Java: what cannot be of 0.8 may be of 0.7. If it is neither, the first fault is told. */
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status legacy = read_as(mem, bytes, version, true, single, out, &why);
    if (legacy == PAIMON_CORRUPT) {
        paimon_error_clear(&why);
        return status;
    }
    pmn_error_move(err, &why);
    return legacy;
}

paimon_status pmn_message_read(pmn_mem *mem, pmn_slice bytes, int32_t version, paimon_message_list **out, paimon_error *err)
{
    return read_messages(mem, bytes, version, true, out, err);
}

paimon_status pmn_messages_read(pmn_mem *mem, pmn_slice bytes, int32_t version, paimon_message_list **out, paimon_error *err)
{
    return read_messages(mem, bytes, version, false, out, err);
}
