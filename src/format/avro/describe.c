/* What is in an Avro file, as JSON; layout in file.h. The schema stands as it was written: it is JSON already. */
#include "base/json.h"
#include "format/avro/file.h"

static const char *avro_codec_label(pmn_codec codec)
{
    return codec == PMN_CODEC_NONE ? "null" : codec == PMN_CODEC_ZSTD ? "zstandard" : pmn_codec_name(codec);
}

static paimon_status describe_blocks(pmn_avro_blocks *blocks, pmn_buf *out, int64_t *rows, paimon_error *err)
{
    pmn_avro_block_place place;
    for (bool first = true;; first = false) {
        bool more;
        PMN_TRY(pmn_avro_blocks_next(blocks, false, &place, &more, err));
        if (!more) return PAIMON_OK;
        if (__builtin_add_overflow(*rows, place.n, rows)) return pmn_fail(err, PAIMON_CORRUPT, "the blocks tell more rows than can be counted");
        PMN_TRY(pmn_buf_printf(out, err, "%s{\"offset\": %lld, \"rows\": %lld, \"bytes\": %lld}", first ? "" : ", ", (long long)place.offset,
                               (long long)place.n, (long long)place.size));
    }
}

paimon_status pmn_avro_describe(pmn_avro_file *file, pmn_buf *out, paimon_error *err)
{
    pmn_avro_blocks blocks;
    int64_t rows = 0;
    PMN_TRY(pmn_buf_printf(out, err, "{\"format\": \"avro\", \"size_bytes\": %lld, \"codec\": \"%s\", \"schema\": ", (long long)file->size, avro_codec_label(file->header.codec)));
    PMN_TRY(pmn_buf_append(out, file->header.schema.data, file->header.schema.size, err));
    PMN_TRY(pmn_buf_append_text(out, ", \"blocks\": [", err));
    pmn_avro_blocks_init(&blocks, file);
    paimon_status status = describe_blocks(&blocks, out, &rows, err);
    pmn_avro_blocks_free(&blocks);
    PMN_TRY(status);
    return pmn_buf_printf(out, err, "], \"rows\": %lld}", (long long)rows);
}
