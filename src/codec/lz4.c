/* LZ4: bare blocks, and what Parquet calls LZ4, which is one of three things depending on who wrote it:
 *
 *   Hadoop   repeated: uncompressed size be32, then chunks of (compressed size be32, block) until that size is reached
 *   frame    the LZ4 frame format, magic 184D2204 little-endian
 *   block    a bare block
 *
 * Hadoop's framing is tried strictly (all sizes must come out even), then a frame's magic, then a bare block. */
#include <limits.h>
#include <lz4.h>
#include <lz4frame.h>
#include <string.h>

#include "base/checked.h"
#include "base/cursor.h"
#include "codec/decoders.h"

#define LZ4_FRAME_MAGIC 0x184d2204u
#define LARGEST_RATIO_LZ4 255u

/* The rest of a length whose nibble is full: bytes that are added until one is not 255. */
static bool skip_length(pmn_cursor *c, size_t *length)
{
    uint8_t more = 255;
    if (*length != 15) return true;
    while (more == 255) {
        if (!pmn_cursor_u8(c, &more)) return false;
        *length += more;
    }
    return true;
}

/* The library takes a match at distance 0, which the format forbids, and then hands out whatever was in the output before. So distances
 * are looked at first: a walk over the sequences, without their bytes. */
static bool has_zero_distance(pmn_slice src)
{
    pmn_cursor c = pmn_cursor_of(src.data, src.size);
    uint8_t token;
    uint16_t distance;
    while (pmn_cursor_u8(&c, &token)) {
        size_t literals = token >> 4, match = token & 15;
        if (!skip_length(&c, &literals) || !pmn_cursor_skip(&c, literals)) return false; /* damaged: the library says so */
        if (!pmn_cursor_le16(&c, &distance)) return false;                              /* the last sequence has literals only */
        if (distance == 0) return true;
        if (!skip_length(&c, &match)) return false;
    }
    return false;
}

/* A bare block into at most `room` bytes; -1 if it does not decode or does not fit. */
static int64_t decode_block(pmn_slice src, uint8_t *dst, size_t room)
{
    if (src.size > INT_MAX || has_zero_distance(src)) return -1;
    uint8_t nothing;
    int n = LZ4_decompress_safe((const char *)src.data, (char *)(room ? dst : &nothing), (int)src.size, room > INT_MAX ? INT_MAX : (int)room);
    return n < 0 ? -1 : n;
}

/* The sizes in front of Hadoop's blocks, added; false if the text is not framed so. */
static bool hadoop_size(pmn_slice src, size_t *total)
{
    pmn_cursor c = pmn_cursor_of(src.data, src.size);
    *total = 0;
    do {
        uint32_t raw, packed;
        if (!pmn_cursor_be32(&c, &raw) || !pmn_add_size(*total, raw, total)) return false;
        /* Chunks do not tell their own raw size; count only framing of one chunk a block, or none for an empty block. */
        if (raw == 0) continue;
        if (!pmn_cursor_be32(&c, &packed) || packed == 0 || !pmn_cursor_skip(&c, packed)) return false;
        if (raw / LARGEST_RATIO_LZ4 > packed) return false;
    } while (pmn_cursor_left(&c) > 0);
    return true;
}

static bool hadoop_exact(pmn_slice src, uint8_t *dst, size_t dst_size)
{
    pmn_cursor c = pmn_cursor_of(src.data, src.size);
    size_t done = 0;
    while (pmn_cursor_left(&c) > 0) {
        uint32_t raw, packed;
        if (!pmn_cursor_be32(&c, &raw) || raw > dst_size - done) return false;
        size_t block_end = done + raw;
        while (done < block_end) {
            pmn_slice chunk;
            if (!pmn_cursor_be32(&c, &packed) || !pmn_cursor_take(&c, packed, &chunk)) return false;
            int64_t n = decode_block(chunk, dst + done, block_end - done);
            if (n <= 0) return false; /* an empty chunk would not get on */
            done += (size_t)n;
        }
    }
    return done == dst_size;
}

static bool is_lz4_frame(pmn_slice src)
{
    return src.size >= 4 && pmn_load_le32(src.data) == LZ4_FRAME_MAGIC;
}

static paimon_status need_frame(pmn_decompressor *d, paimon_error *err)
{
    if (!d->lz4_frame && LZ4F_isError(LZ4F_createDecompressionContext(&d->lz4_frame, LZ4F_VERSION))) d->lz4_frame = NULL;
    return d->lz4_frame ? PAIMON_OK : pmn_fail_nomem(err, "an lz4 context");
}

/* All frames into `dst`; `grow` NULL means that `room` is all there is. */
static paimon_status decode_frames(pmn_decompressor *d, pmn_slice src, uint8_t *dst, size_t room, pmn_buf *grow, size_t *total, paimon_error *err)
{
    PMN_TRY(need_frame(d, err));
    LZ4F_resetDecompressionContext(d->lz4_frame);
    size_t pos = 0, hint = 1;
    *total = 0;
    while (pos < src.size || hint != 0) {
        if (*total == room && grow) {
            PMN_TRY(pmn_buf_reserve(grow, room + 1, err)); /* size stays: nothing is appended before the end */
            dst = grow->data + grow->size;
            room = grow->capacity - grow->size;
        }
        uint8_t overflow;
        bool full = *total == room;
        size_t given = full ? 1 : room - *total, taken = src.size - pos;
        hint = LZ4F_decompress(d->lz4_frame, full ? &overflow : dst + *total, &given, src.data + pos, &taken, NULL);
        if (LZ4F_isError(hint)) return pmn_codec_fail(PMN_CODEC_LZ4_HADOOP, LZ4F_getErrorName(hint), err);
        if (full && given > 0) return pmn_fail(err, PAIMON_CORRUPT, "lz4 data: more than the expected %zu bytes come out", room);
        pos += taken;
        *total += given;
        if (taken == 0 && given == 0 && hint != 0) return pmn_codec_fail(PMN_CODEC_LZ4_HADOOP, "the frame is cut short", err);
    }
    return PAIMON_OK;
}

paimon_status pmn_lz4_exact(pmn_decompressor *d, pmn_codec codec, pmn_slice src, uint8_t *dst, size_t dst_size, paimon_error *err)
{
    if (codec == PMN_CODEC_LZ4_HADOOP) {
        if (hadoop_exact(src, dst, dst_size)) return PAIMON_OK;
        if (is_lz4_frame(src)) {
            size_t n;
            PMN_TRY(decode_frames(d, src, dst, dst_size, NULL, &n, err));
            return pmn_codec_check_size(codec, dst_size, n, err);
        }
    }
    if (src.size > INT_MAX) return pmn_codec_fail(codec, "a block larger than 2 GB", err);
    int64_t n = decode_block(src, dst, dst_size);
    if (n < 0) return pmn_fail(err, PAIMON_CORRUPT, "%s data: damaged, or more than the expected %zu bytes come out", pmn_codec_name(codec), dst_size);
    return pmn_codec_check_size(codec, dst_size, (size_t)n, err);
}

/* A bare block tells neither its size nor whether it is damaged or too large: the room grows until no block could need more. */
static paimon_status append_block(pmn_codec codec, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    size_t most, room;
    if (!pmn_mul_size(src.size, LARGEST_RATIO_LZ4, &most)) most = SIZE_MAX;
    if (!pmn_mul_size(src.size, 4, &room)) room = most;
    if (room < 256) room = 256;
    for (;;) {
        size_t allowed = out->ceiling - out->size;
        if (room > allowed) room = allowed;
        PMN_TRY(pmn_buf_reserve(out, room, err));
        int64_t n = decode_block(src, pmn_buf_end(out), room);
        if (n >= 0) {
            out->size += (size_t)n;
            return PAIMON_OK;
        }
        if (room >= most) return pmn_codec_fail(codec, "damaged", err);
        if (room == allowed) return pmn_codec_over(codec, out, allowed, err); /* or damaged */
        room = room > most / 2 ? most : room * 2;
    }
}

paimon_status pmn_lz4_append(pmn_decompressor *d, pmn_codec codec, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    size_t n;
    if (codec == PMN_CODEC_LZ4_HADOOP) {
        if (is_lz4_frame(src)) {
            PMN_TRY(pmn_buf_reserve(out, 1, err));
            PMN_TRY(decode_frames(d, src, out->data + out->size, out->capacity - out->size, out, &n, err));
            if (n > out->ceiling - out->size) return pmn_codec_over(codec, out, out->ceiling, err);
            out->size += n;
            return PAIMON_OK;
        }
        if (hadoop_size(src, &n) && n <= out->ceiling - out->size) {
            PMN_TRY(pmn_buf_reserve(out, n, err));
            if (n == 0 || hadoop_exact(src, pmn_buf_end(out), n)) {
                out->size += n;
                return PAIMON_OK;
            }
        }
    }
    return append_block(codec, src, out, err);
}
