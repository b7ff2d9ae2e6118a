/* Reading the object container; layout in the header file. Specification: "Object Container Files" of Apache Avro 1.11. */
#include "format/avro/container.h"

#include <string.h>

#include "base/status.h"

static const uint8_t avro_magic[4] = { 'O', 'b', 'j', 1 };

bool pmn_avro_is_container(pmn_slice head)
{
    return head.size >= sizeof avro_magic && memcmp(head.data, avro_magic, sizeof avro_magic) == 0;
}

static paimon_status codec_by_name(pmn_slice name, pmn_codec *out, paimon_error *err)
{
    static const struct {
        const char *name;
        pmn_codec codec;
    } known[] = {
        { "null", PMN_CODEC_NONE },      { "deflate", PMN_CODEC_DEFLATE }, { "snappy", PMN_CODEC_SNAPPY },
        { "zstandard", PMN_CODEC_ZSTD }, { "bzip2", PMN_CODEC_BZIP2 },     { "xz", PMN_CODEC_XZ },
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (pmn_slice_equal(name, pmn_slice_text(known[i].name))) {
            *out = known[i].codec;
            return PAIMON_OK;
        }
    }
    return pmn_fail(err, PAIMON_UNSUPPORTED, "Avro codec \"%.*s\"", (int)(name.size < 64 ? name.size : 64), (const char *)name.data);
}

static bool take_bytes(pmn_cursor *c, pmn_slice *out)
{
    int64_t n;
    return pmn_cursor_zigzag(c, &n) && n >= 0 && (uint64_t)n <= pmn_cursor_left(c) && pmn_cursor_take(c, (size_t)n, out);
}

/* The metadata map: blocks of (count, entries) until a count of 0; a negative count has the block's size behind it. */
static bool take_metadata(pmn_cursor *c, pmn_slice *schema, pmn_slice *codec)
{
    for (;;) {
        int64_t n, size;
        if (!pmn_cursor_zigzag(c, &n)) return false;
        if (n == 0) return true;
        if (n < 0 && (n == INT64_MIN || !pmn_cursor_zigzag(c, &size))) return false;
        if (n < 0) n = -n;
        /* No check of n against the bytes is needed: each entry consumes two bytes or ends the loop. */
        for (int64_t i = 0; i < n; i++) {
            pmn_slice key, value;
            if (!take_bytes(c, &key) || !take_bytes(c, &value)) return false;
            if (pmn_slice_equal(key, pmn_slice_text("avro.schema"))) *schema = value;
            if (pmn_slice_equal(key, pmn_slice_text("avro.codec"))) *codec = value;
        }
    }
}

paimon_status pmn_avro_header_parse(pmn_slice file, pmn_avro_header *out, paimon_error *err)
{
    if (!pmn_avro_is_container(file)) return pmn_fail(err, PAIMON_CORRUPT, "not an Avro container: the first four bytes are not Obj\\x01");
    pmn_cursor c = pmn_cursor_of(file.data, file.size);
    if (!pmn_cursor_skip(&c, sizeof avro_magic)) return pmn_fail(err, PAIMON_CORRUPT, "Avro header is cut");
    pmn_slice schema = { NULL, 0 }, codec = pmn_slice_text("null"), sync;
    if (!take_metadata(&c, &schema, &codec))
        return pmn_fail(err, PAIMON_CORRUPT, "Avro metadata is cut or damaged at byte %zu of %zu", pmn_cursor_offset(&c), file.size);
    if (!schema.data) return pmn_fail(err, PAIMON_CORRUPT, "Avro metadata has no avro.schema");
    if (!pmn_cursor_take(&c, PMN_AVRO_SYNC_BYTES, &sync))
        return pmn_fail(err, PAIMON_CORRUPT, "Avro header is cut: no sync marker at byte %zu of %zu", pmn_cursor_offset(&c), file.size);
    PMN_TRY(codec_by_name(codec, &out->codec, err));
    out->schema = schema;
    memcpy(out->sync, sync.data, sizeof out->sync);
    out->size = pmn_cursor_offset(&c);
    return PAIMON_OK;
}

paimon_status pmn_avro_block_next(pmn_cursor *c, const pmn_avro_header *header, pmn_avro_block *out, bool *more, paimon_error *err)
{
    *more = false;
    if (pmn_cursor_left(c) == 0) return PAIMON_OK;
    int64_t size;
    pmn_slice sync;
    out->offset = pmn_cursor_offset(c);
    if (!pmn_cursor_zigzag(c, &out->n) || !pmn_cursor_zigzag(c, &size))
        return pmn_fail(err, PAIMON_CORRUPT, "Avro block at byte %zu: its header is cut", out->offset);
    if (out->n < 0 || size < 0 || (uint64_t)size > pmn_cursor_left(c) || !pmn_cursor_take(c, (size_t)size, &out->stored))
        return pmn_fail(err, PAIMON_CORRUPT, "Avro block at byte %zu: %lld records in %lld bytes, but %zu bytes are left", out->offset,
                        (long long)out->n, (long long)size, pmn_cursor_left(c));
    if (!pmn_cursor_take(c, PMN_AVRO_SYNC_BYTES, &sync) || memcmp(sync.data, header->sync, PMN_AVRO_SYNC_BYTES) != 0)
        return pmn_fail(err, PAIMON_CORRUPT, "Avro block at byte %zu: no sync marker behind it", out->offset);
    *more = true;
    return PAIMON_OK;
}

/* CRC-32 (IEEE 802.3, reflected), four bits at a time: only snappy blocks have one, and they are small. */
static uint32_t avro_crc32(pmn_slice bytes)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < bytes.size; i++) {
        crc ^= bytes.data[i];
        crc = table[crc & 15] ^ (crc >> 4);
        crc = table[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}

paimon_status pmn_avro_block_open(pmn_decompressor *d, const pmn_avro_header *header, const pmn_avro_block *block, pmn_buf *scratch,
                                  pmn_slice *out, paimon_error *err)
{
    if (header->codec == PMN_CODEC_NONE) {
        *out = block->stored;
        return PAIMON_OK;
    }
    pmn_slice stored = block->stored;
    if (header->codec == PMN_CODEC_SNAPPY) { /* the CRC-32 of the plain bytes stands behind, big-endian */
        if (stored.size < 4) return pmn_fail(err, PAIMON_CORRUPT, "Avro block at byte %zu: no room for its checksum", block->offset);
        stored.size -= 4;
    }
    pmn_buf_clear(scratch);
    paimon_status status = pmn_decompress_append(d, header->codec, stored, scratch, err);
    if (status != PAIMON_OK) {
        pmn_error_prefix(err, "Avro block at byte %zu", block->offset);
        return status;
    }
    *out = pmn_slice_of(scratch->data, scratch->size);
    if (header->codec == PMN_CODEC_SNAPPY) {
        uint32_t stored_crc = pmn_load_be32(stored.data + stored.size), crc = avro_crc32(*out);
        if (crc != stored_crc)
            return pmn_fail(err, PAIMON_CORRUPT, "Avro block at byte %zu: checksum is %08x, stored is %08x", block->offset, (unsigned)crc,
                            (unsigned)stored_crc);
    }
    return PAIMON_OK;
}
