#include "format/avro/writer.h"

#include <string.h>

#include "base/bytes.h"

#define AVRO_BLOCK_BYTES 64000 /* as Java's DataFileWriter: a block ends with the record that passes it */
#define AVRO_FILE_CEILING ((size_t)1 << 31)

static bool codec_of(const char *name, pmn_codec *codec)
{
    static const struct {
        const char *name;
        pmn_codec codec;
    } names[] = { { "null", PMN_CODEC_NONE },   { "deflate", PMN_CODEC_DEFLATE }, { "snappy", PMN_CODEC_SNAPPY },
                  { "zstandard", PMN_CODEC_ZSTD }, { "bzip2", PMN_CODEC_BZIP2 },  { "xz", PMN_CODEC_XZ } };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i].name) == 0) {
            *codec = names[i].codec;
            return true;
        }
    return false;
}

static paimon_status write_header(pmn_avro_writer *w, const char *schema, paimon_error *err)
{
    PMN_TRY(pmn_buf_append(&w->file, "Obj\x01", 4, err));
    PMN_TRY(pmn_avro_put_array_start(&w->file, 2, err));
    PMN_TRY(pmn_avro_put_text(&w->file, "avro.schema", err));
    PMN_TRY(pmn_avro_put_text(&w->file, schema, err));
    PMN_TRY(pmn_avro_put_text(&w->file, "avro.codec", err));
    PMN_TRY(pmn_avro_put_text(&w->file, w->codec, err));
    PMN_TRY(pmn_avro_put_array_end(&w->file, err));
    return pmn_buf_append(&w->file, w->sync, sizeof w->sync, err);
}

paimon_status pmn_avro_writer_init(pmn_avro_writer *w, pmn_mem *mem, const char *schema, const char *codec, int zstd_level,
                                   const uint8_t sync[16], paimon_error *err)
{
    pmn_codec id;
    memset(w, 0, sizeof *w);
    if (!codec_of(codec, &id)) return pmn_fail(err, PAIMON_INVALID, "\"%s\" is not a codec of Avro (null, deflate, snappy, zstandard, bzip2, xz)", codec);
    w->mem = mem;
    w->codec = codec;
    memcpy(w->sync, sync, sizeof w->sync);
    pmn_buf_init(&w->file, mem, AVRO_FILE_CEILING);
    pmn_buf_init(&w->block, mem, AVRO_FILE_CEILING);
    paimon_status status = pmn_compressor_new(mem, id, zstd_level, &w->compressor, err);
    if (status == PAIMON_OK) status = write_header(w, schema, err);
    if (status != PAIMON_OK) pmn_avro_writer_free(w);
    return status;
}

void pmn_avro_writer_free(pmn_avro_writer *w)
{
    if (!w->mem) return;
    pmn_compressor_free(w->compressor);
    pmn_buf_free(&w->file);
    pmn_buf_free(&w->block);
    memset(w, 0, sizeof *w);
}

/* Count, size of the compressed bytes, the bytes, sync. Snappy's bytes carry the CRC-32 of the uncompressed ones behind. */
static paimon_status flush_block(pmn_avro_writer *w, paimon_error *err)
{
    pmn_buf packed;
    pmn_slice plain = pmn_slice_of(w->block.data, w->block.size);
    pmn_buf_init(&packed, w->mem, AVRO_FILE_CEILING);
    paimon_status status = pmn_compress_append(w->compressor, plain, &packed, err);
    if (status == PAIMON_OK && pmn_compressor_codec(w->compressor) == PMN_CODEC_SNAPPY) {
        uint8_t crc[4];
        pmn_store_be32(crc, pmn_crc32(0, plain.data, plain.size));
        status = pmn_buf_append(&packed, crc, sizeof crc, err);
    }
    if (status == PAIMON_OK) status = pmn_avro_put_long(&w->file, w->n_block, err);
    if (status == PAIMON_OK) status = pmn_avro_put_bytes(&w->file, pmn_slice_of(packed.data, packed.size), err);
    if (status == PAIMON_OK) status = pmn_buf_append(&w->file, w->sync, sizeof w->sync, err);
    pmn_buf_free(&packed);
    pmn_buf_clear(&w->block);
    w->n_block = 0;
    return status;
}

paimon_status pmn_avro_writer_end_record(pmn_avro_writer *w, paimon_error *err)
{
    w->n_block++;
    w->n_records++;
    return w->block.size >= AVRO_BLOCK_BYTES ? flush_block(w, err) : PAIMON_OK;
}

paimon_status pmn_avro_writer_finish(pmn_avro_writer *w, paimon_error *err)
{
    return w->n_block ? flush_block(w, err) : PAIMON_OK;
}

paimon_status pmn_avro_put_long(pmn_buf *out, int64_t value, paimon_error *err)
{
    uint8_t bytes[10];
    size_t n = 0;
    uint64_t v = ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
    while (v >= 0x80) {
        bytes[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    bytes[n++] = (uint8_t)v;
    return pmn_buf_append(out, bytes, n, err);
}

paimon_status pmn_avro_put_bytes(pmn_buf *out, pmn_slice bytes, paimon_error *err)
{
    PMN_TRY(pmn_avro_put_long(out, (int64_t)bytes.size, err));
    return pmn_buf_append(out, bytes.data, bytes.size, err);
}

paimon_status pmn_avro_put_text(pmn_buf *out, const char *text, paimon_error *err)
{
    return pmn_avro_put_bytes(out, pmn_slice_text(text), err);
}

paimon_status pmn_avro_put_null(pmn_buf *out, paimon_error *err)
{
    return pmn_buf_append_byte(out, 0, err);
}

paimon_status pmn_avro_put_some(pmn_buf *out, paimon_error *err)
{
    return pmn_buf_append_byte(out, 2, err);
}

paimon_status pmn_avro_put_array_start(pmn_buf *out, int64_t n, paimon_error *err)
{
    return n ? pmn_avro_put_long(out, n, err) : PAIMON_OK;
}

paimon_status pmn_avro_put_array_end(pmn_buf *out, paimon_error *err)
{
    return pmn_buf_append_byte(out, 0, err);
}
