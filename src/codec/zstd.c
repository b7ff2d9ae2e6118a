/* Zstandard (RFC 8878). One context is reused: making one costs more than a small page.
 *
 * Java writes Avro blocks as streams, so their frames do not tell their size. The block headers bound it, which allows one call
 * straight into the target instead of a stream through a window:
 *
 *   frame  magic 4 | descriptor 1 | window 0-1 | dictionary id 0-4 | content size 0-8 | blocks | checksum 0-4
 *   block  3 bytes: last 1 bit, type 2 bits (raw, repeated byte, compressed, reserved), size 21 bits
 */
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/checked.h"
#include "base/cursor.h"
#include "codec/decoders.h"

#define ZSTD_FRAME_MAGIC 0xfd2fb528u
#define SKIPPABLE_MAGIC 0x184d2a50u /* its low four bits are free */
#define LARGEST_ZSTD_BLOCK (128u * 1024u)

static paimon_status need_zstd(pmn_decompressor *d, paimon_error *err)
{
    if (!d->zstd) d->zstd = ZSTD_createDCtx();
    return d->zstd ? PAIMON_OK : pmn_fail_nomem(err, "a zstd context");
}

static paimon_status fail_zstd(size_t code, paimon_error *err)
{
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) return pmn_fail_nomem(err, "zstd's window");
    return pmn_codec_fail(PMN_CODEC_ZSTD, ZSTD_getErrorName(code), err);
}

paimon_status pmn_zstd_exact(pmn_decompressor *d, pmn_slice src, uint8_t *dst, size_t dst_size, paimon_error *err)
{
    PMN_TRY(need_zstd(d, err));
    size_t n = ZSTD_decompressDCtx(d->zstd, dst, dst_size, src.data, src.size);
    if (PMN_UNLIKELY(ZSTD_isError(n))) {
        if (ZSTD_getErrorCode(n) == ZSTD_error_dstSize_tooSmall)
            return pmn_fail(err, PAIMON_CORRUPT, "zstd data: more than the expected %zu bytes come out", dst_size);
        return fail_zstd(n, err);
    }
    return pmn_codec_check_size(PMN_CODEC_ZSTD, dst_size, n, err);
}

/* Skip a frame's header and add what its blocks can hold at most. False if it is damaged; the decoder will say how. */
static bool add_frame_bound(pmn_cursor *c, size_t *bound)
{
    static const uint8_t dictionary_bytes[] = { 0, 1, 2, 4 };
    uint32_t magic, length;
    uint8_t descriptor;
    if (!pmn_cursor_le32(c, &magic)) return false;
    if ((magic & ~15u) == SKIPPABLE_MAGIC) return pmn_cursor_le32(c, &length) && pmn_cursor_skip(c, length);
    if (magic != ZSTD_FRAME_MAGIC || !pmn_cursor_u8(c, &descriptor)) return false;
    bool single_segment = descriptor & 0x20, checksum = descriptor & 0x04;
    unsigned size_code = descriptor >> 6;
    size_t header = dictionary_bytes[descriptor & 3] + (single_segment ? 0 : 1) + (size_code ? (size_t)1 << size_code : single_segment);
    if (!pmn_cursor_skip(c, header)) return false;
    for (bool last = false; !last;) {
        pmn_slice head;
        if (!pmn_cursor_take(c, 3, &head)) return false;
        uint32_t bits = head.data[0] | (uint32_t)head.data[1] << 8 | (uint32_t)head.data[2] << 16;
        unsigned type = (bits >> 1) & 3;
        uint32_t size = bits >> 3;
        last = bits & 1;
        if (type == 3 || !pmn_cursor_skip(c, type == 1 ? 1 : size)) return false;
        if (!pmn_add_size(*bound, type == 2 ? LARGEST_ZSTD_BLOCK : size, bound)) return false;
    }
    return !checksum || pmn_cursor_skip(c, 4);
}

/* What all frames together can hold at most, by their block headers: no trust in a stated size is needed. */
static bool bound_size(pmn_slice src, size_t *bound)
{
    pmn_cursor c = pmn_cursor_of(src.data, src.size);
    *bound = 0;
    while (pmn_cursor_left(&c) > 0)
        if (!add_frame_bound(&c, bound)) return false;
    return true;
}

/* Through zstd's window into a growing target: for bounds too loose to allocate. One spare byte where the ceiling is reached
 * tells a frame that ends there from one that goes on. */
static paimon_status stream_zstd(pmn_decompressor *d, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    size_t total = 0, most = out->ceiling - out->size, hint = 1;
    uint8_t spare;
    ZSTD_DCtx_reset(d->zstd, ZSTD_reset_session_only);
    ZSTD_inBuffer in = { src.data, src.size, 0 };
    while (hint != 0 || in.pos < in.size) {
        if (total > most) return pmn_codec_over(PMN_CODEC_ZSTD, out, most, err);
        if (total < most && total == out->capacity - out->size) PMN_TRY(pmn_buf_reserve(out, total + 1, err)); /* doubles */
        size_t room = out->capacity - out->size, before = in.pos;
        if (room > most) room = most;
        ZSTD_outBuffer to = { total < most ? out->data + out->size + total : &spare, total < most ? room - total : 1, 0 };
        hint = ZSTD_decompressStream(d->zstd, &to, &in);
        if (ZSTD_isError(hint)) return fail_zstd(hint, err);
        total += to.pos;
        if (to.pos == 0 && in.pos == before && hint != 0) return pmn_codec_fail(PMN_CODEC_ZSTD, "the frame is cut short", err);
    }
    if (total > most) return pmn_codec_over(PMN_CODEC_ZSTD, out, most, err);
    out->size += total;
    return PAIMON_OK;
}

paimon_status pmn_zstd_append(pmn_decompressor *d, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    PMN_TRY(need_zstd(d, err));
    if (src.size == 0) return pmn_codec_fail(PMN_CODEC_ZSTD, "no frame", err);
    size_t bound;
    if (!bound_size(src, &bound)) return pmn_codec_fail(PMN_CODEC_ZSTD, "the frame is cut short or damaged", err);
    unsigned long long stated = ZSTD_getFrameContentSize(src.data, src.size);
    if (stated < bound && ZSTD_findFrameCompressedSize(src.data, src.size) == src.size) bound = (size_t)stated; /* one frame that says it */
    /* A frame of empty blocks claims 128 KB for each three bytes: such bounds are not allocated on trust. */
    bool loose = bound > out->ceiling - out->size || (bound > 8 * LARGEST_ZSTD_BLOCK && bound / 64 > src.size);
    if (loose) return stream_zstd(d, src, out, err);
    PMN_TRY(pmn_buf_reserve(out, bound, err));
    size_t n = ZSTD_decompressDCtx(d->zstd, pmn_buf_end(out), out->capacity - out->size, src.data, src.size);
    if (ZSTD_isError(n)) return fail_zstd(n, err);
    out->size += n;
    return PAIMON_OK;
}
