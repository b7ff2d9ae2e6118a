/* Java: FileEntry.Identifier. Lengths stand before the parts, so that no two lists of parts look the same. */
#include "meta/manifest/identity.h"

#include <string.h>

static paimon_status put_u32(pmn_buf *out, uint32_t n, paimon_error *err)
{
    uint8_t bytes[4];
    pmn_store_le32(bytes, n);
    return pmn_buf_append(out, bytes, sizeof bytes, err);
}

static paimon_status put_part(pmn_buf *out, pmn_slice part, paimon_error *err)
{
    PMN_TRY(put_u32(out, (uint32_t)part.size, err));
    return pmn_buf_append(out, part.data, part.size, err);
}

paimon_status pmn_file_identity(pmn_buf *out, const pmn_manifest_entry *entry, paimon_error *err)
{
    const pmn_data_file *file = &entry->file;
    pmn_buf_clear(out);
    PMN_TRY(put_part(out, entry->partition, err));
    PMN_TRY(put_u32(out, (uint32_t)entry->bucket, err));
    PMN_TRY(put_u32(out, (uint32_t)file->level, err));
    PMN_TRY(put_part(out, pmn_slice_text(file->name), err));
    PMN_TRY(put_u32(out, (uint32_t)file->n_extra_files, err));
    for (int32_t i = 0; i < file->n_extra_files; i++) PMN_TRY(put_part(out, pmn_slice_text(file->extra_files[i]), err));
    PMN_TRY(put_u32(out, file->has_embedded_index, err));
    if (file->has_embedded_index) PMN_TRY(put_part(out, file->embedded_index, err));
    PMN_TRY(put_u32(out, file->external_path != NULL, err));
    return file->external_path ? put_part(out, pmn_slice_text(file->external_path), err) : PAIMON_OK;
}

void pmn_identities_init(pmn_identities *set, pmn_mem *mem)
{
    pmn_arena_init(&set->arena, mem);
    pmn_map_init(&set->map, mem);
    pmn_buf_init(&set->key, mem, PMN_BUF_NO_CEILING);
}

void pmn_identities_free(pmn_identities *set)
{
    pmn_map_free(&set->map);
    pmn_buf_free(&set->key);
    pmn_arena_free(&set->arena);
}

paimon_status pmn_identities_at(pmn_identities *set, const pmn_manifest_entry *entry, bool insert, uint64_t **number, paimon_error *err)
{
    PMN_TRY(pmn_file_identity(&set->key, entry, err));
    pmn_slice key = pmn_slice_of(set->key.data, set->key.size);
    *number = pmn_map_find(&set->map, key);
    if (*number || !insert) return PAIMON_OK;
    key.data = pmn_arena_copy(&set->arena, key.data, key.size);
    if (!key.data) return pmn_fail_nomem(err, "the files of a table");
    return pmn_map_put(&set->map, key, number, NULL, err);
}
