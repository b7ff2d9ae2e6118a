#include "meta/manifest/manifest_rewrite.h"

#include "meta/manifest/manifest_schemas.h"
#include "meta/manifest/record_file.h"

#define REWRITE_ZSTD_LEVEL 1 /* Paimon's default for manifests */

static const char *avro_codec_name(pmn_codec codec)
{
    switch (codec) {
    case PMN_CODEC_NONE: return "null";
    case PMN_CODEC_ZSTD: return "zstandard";
    case PMN_CODEC_SNAPPY: return "snappy";
    case PMN_CODEC_BZIP2: return "bzip2";
    case PMN_CODEC_XZ: return "xz";
    default: return "deflate";
    }
}

static paimon_status put_entry_again(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    pmn_avro_writer *avro = ctx;
    PMN_TRY(pmn_manifest_entry_put(&avro->block, entry, err));
    return pmn_avro_writer_end_record(avro, err);
}

static paimon_status rewrite_manifest_list(pmn_arena *arena, paimon_fs *fs, const char *path, pmn_avro_writer *avro, paimon_error *err)
{
    pmn_manifest_file *files = NULL;
    int32_t n = 0;
    PMN_TRY(pmn_manifest_list_read(arena, fs, path, -1, &files, &n, err));
    for (int32_t i = 0; i < n; i++) {
        PMN_TRY(pmn_manifest_file_put(&avro->block, &files[i], err));
        PMN_TRY(pmn_avro_writer_end_record(avro, err));
    }
    return PAIMON_OK;
}

static paimon_status rewrite_index_manifest(pmn_arena *arena, paimon_fs *fs, const char *path, pmn_avro_writer *avro, paimon_error *err)
{
    pmn_index_entry *entries = NULL;
    int32_t n = 0;
    PMN_TRY(pmn_index_manifest_read(arena, fs, path, &entries, &n, err));
    for (int32_t i = 0; i < n; i++) {
        PMN_TRY(pmn_index_entry_put(&avro->block, &entries[i], err));
        PMN_TRY(pmn_avro_writer_end_record(avro, err));
    }
    return PAIMON_OK;
}

static paimon_status rewrite_into(pmn_arena *arena, paimon_fs *fs, const char *path, pmn_manifest_kind kind, pmn_avro_writer *avro,
                                  paimon_error *err)
{
    pmn_manifest_visitor visitor = { .ctx = avro, .wanted = PMN_ENTRY_ALL, .entry = put_entry_again };
    switch (kind) {
    case PMN_MANIFEST: PMN_TRY(pmn_manifest_read(arena->mem, fs, path, -1, &visitor, err)); break;
    case PMN_MANIFEST_LIST: PMN_TRY(rewrite_manifest_list(arena, fs, path, avro, err)); break;
    case PMN_INDEX_MANIFEST: PMN_TRY(rewrite_index_manifest(arena, fs, path, avro, err)); break;
    }
    return pmn_avro_writer_finish(avro, err);
}

paimon_status pmn_manifest_rewrite(pmn_mem *mem, paimon_fs *fs, const char *path, pmn_manifest_kind kind, pmn_slice bytes, pmn_buf *out,
                                   paimon_error *err)
{
    static const char *const schemas[] = { pmn_manifest_avro_schema, pmn_manifest_list_avro_schema, pmn_index_manifest_avro_schema };
    pmn_avro_header header;
    pmn_avro_writer avro;
    pmn_arena arena;
    PMN_TRY(pmn_avro_header_parse(bytes, &header, err));
    PMN_TRY(pmn_avro_writer_init(&avro, mem, schemas[kind], avro_codec_name(header.codec), REWRITE_ZSTD_LEVEL, header.sync, err));
    pmn_arena_init(&arena, mem);
    paimon_status status = rewrite_into(&arena, fs, path, kind, &avro, err);
    if (status == PAIMON_OK) status = pmn_buf_append(out, avro.file.data, avro.file.size, err);
    pmn_arena_free(&arena);
    pmn_avro_writer_free(&avro);
    return status;
}
