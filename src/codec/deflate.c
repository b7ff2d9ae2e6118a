/* Deflate in its three wrappings, by libdeflate. It decodes in one call and does not stream: where the size is not known the
 * room is guessed and doubled. Deflate makes at most 1032 bytes out of one, which ends the guessing. */
#include <libdeflate.h>

#include "base/checked.h"
#include "codec/decoders.h"

#define LARGEST_RATIO 1032u

static paimon_status need_deflate(pmn_decompressor *d, paimon_error *err)
{
    if (!d->deflate) d->deflate = libdeflate_alloc_decompressor();
    return d->deflate ? PAIMON_OK : pmn_fail_nomem(err, "a deflate context");
}

static bool is_gzip(pmn_slice src)
{
    return src.size >= 2 && src.data[0] == 0x1f && src.data[1] == 0x8b;
}

/* One member or stream: how much of `src` it took and how much it gave. */
static enum libdeflate_result inflate_one(struct libdeflate_decompressor *d, pmn_codec codec, pmn_slice src, uint8_t *dst, size_t room, size_t *taken, size_t *given)
{
    if (codec == PMN_CODEC_DEFLATE) return libdeflate_deflate_decompress_ex(d, src.data, src.size, dst, room, taken, given);
    if (codec == PMN_CODEC_GZIP && is_gzip(src)) return libdeflate_gzip_decompress_ex(d, src.data, src.size, dst, room, taken, given);
    return libdeflate_zlib_decompress_ex(d, src.data, src.size, dst, room, taken, given);
}

/* What may stand behind the data: more gzip members; for raw deflate the rest of a checksum that some Avro writers leave; zero
 * bytes of padding. */
static bool is_tail_fine(pmn_codec codec, pmn_slice rest)
{
    if (codec == PMN_CODEC_DEFLATE) return true;
    for (size_t i = 0; i < rest.size; i++)
        if (rest.data[i] != 0) return false;
    return true;
}

/* All members into at most `room` bytes. */
static enum libdeflate_result inflate_all(pmn_decompressor *d, pmn_codec codec, pmn_slice src, uint8_t *dst, size_t room, size_t *total)
{
    *total = 0;
    do {
        size_t taken = 0, given = 0;
        enum libdeflate_result result = inflate_one(d->deflate, codec, src, dst ? dst + *total : NULL, room - *total, &taken, &given);
        if (result != LIBDEFLATE_SUCCESS) return result;
        *total += given;
        src = pmn_slice_of(src.data + taken, src.size - taken);
    } while (codec == PMN_CODEC_GZIP && is_gzip(src));
    return is_tail_fine(codec, src) ? LIBDEFLATE_SUCCESS : LIBDEFLATE_BAD_DATA;
}

paimon_status pmn_deflate_exact(pmn_decompressor *d, pmn_codec codec, pmn_slice src, uint8_t *dst, size_t dst_size, paimon_error *err)
{
    size_t n;
    PMN_TRY(need_deflate(d, err));
    enum libdeflate_result result = inflate_all(d, codec, src, dst, dst_size, &n);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        return pmn_fail(err, PAIMON_CORRUPT, "%s data: more than the expected %zu bytes come out", pmn_codec_name(codec), dst_size);
    if (result != LIBDEFLATE_SUCCESS) return pmn_codec_fail(codec, "damaged or cut short", err);
    return pmn_codec_check_size(codec, dst_size, n, err);
}

paimon_status pmn_deflate_append(pmn_decompressor *d, pmn_codec codec, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    size_t most, room, n;
    PMN_TRY(need_deflate(d, err));
    if (!pmn_mul_size(src.size, LARGEST_RATIO, &most)) most = SIZE_MAX;
    if (!pmn_mul_size(src.size, 8, &room)) room = most;
    if (room < 1024) room = 1024;
    for (;;) {
        size_t allowed = out->ceiling - out->size;
        if (room > allowed) room = allowed;
        PMN_TRY(pmn_buf_reserve(out, room, err));
        room = out->capacity - out->size;
        if (room > allowed) room = allowed;
        enum libdeflate_result result = inflate_all(d, codec, src, pmn_buf_end(out), room, &n);
        if (result == LIBDEFLATE_SUCCESS) {
            out->size += n;
            return PAIMON_OK;
        }
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE) return pmn_codec_fail(codec, "damaged or cut short", err);
        if (room >= most) return pmn_codec_fail(codec, "more comes out than deflate can hold", err);
        if (room == allowed) return pmn_codec_over(codec, out, allowed, err);
        room = room > most / 2 ? most : room * 2;
    }
}
