/* Codecs whose libraries stream: Brotli (Parquet), bzip2 and xz (Avro). One target serves all three: it hands out room, fixed or
 * growing, and one spare byte when no more may come, which tells a stream that ends there from one that goes on. */
#include <bzlib.h>
#include <limits.h>
#include <lzma.h>
#include <string.h>
#if defined(PAIMON_WITH_BROTLI)
#include <brotli/decode.h>
#endif

#include "codec/decoders.h"

#define XZ_MEMORY_LIMIT (256u << 20) /* the strongest preset needs 65 MB; a header may ask for 1.5 GB */

typedef struct target {
    pmn_buf *grow; /* NULL: fixed */
    uint8_t *next;
    size_t room;
    size_t total;
    size_t most; /* bytes that may come */
    uint8_t spare;
} target;

static void open_target(target *t, pmn_buf *grow, uint8_t *dst, size_t size)
{
    memset(t, 0, sizeof *t);
    t->grow = grow;
    t->next = dst;
    t->room = grow ? 0 : size;
    t->most = grow ? grow->ceiling - grow->size : size;
}

/* Room for at least a byte. */
static paimon_status make_room(target *t, pmn_codec codec, paimon_error *err)
{
    if (t->room > 0) return PAIMON_OK;
    if (t->total > t->most && t->grow) return pmn_codec_over(codec, t->grow, t->most, err);
    if (t->total > t->most) return pmn_fail(err, PAIMON_CORRUPT, "%s data: more than the expected %zu bytes come out", pmn_codec_name(codec), t->most);
    if (t->total == t->most) {
        t->next = &t->spare;
        t->room = 1;
        return PAIMON_OK;
    }
    PMN_TRY(pmn_buf_reserve(t->grow, t->total + 1, err));
    size_t room = t->grow->capacity - t->grow->size;
    t->next = t->grow->data + t->grow->size + t->total;
    t->room = (room < t->most ? room : t->most) - t->total;
    return PAIMON_OK;
}

static void took(target *t, size_t left)
{
    size_t given = t->room - left;
    t->next += given;
    t->total += given;
    t->room = left;
}

#if defined(PAIMON_WITH_BROTLI)
static paimon_status run_brotli(pmn_slice src, target *t, paimon_error *err)
{
    BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    if (!state) return pmn_fail_nomem(err, "a brotli context");
    const uint8_t *in = src.data;
    size_t in_left = src.size;
    paimon_status status;
    for (;;) {
        PMN_GOTO(status, make_room(t, PMN_CODEC_BROTLI, err), done);
        size_t room = t->room;
        uint8_t *out = t->next;
        BrotliDecoderResult result = BrotliDecoderDecompressStream(state, &in_left, &in, &room, &out, NULL);
        took(t, room);
        if (result == BROTLI_DECODER_RESULT_SUCCESS) break;
        if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) continue;
        status = pmn_codec_fail(PMN_CODEC_BROTLI, result == BROTLI_DECODER_RESULT_ERROR ? BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state)) : "cut short", err);
        goto done;
    }
    if (in_left) status = pmn_codec_fail(PMN_CODEC_BROTLI, "bytes behind its end", err);
done:
    BrotliDecoderDestroyInstance(state);
    return status;
}
#else
static paimon_status run_brotli(pmn_slice src, target *t, paimon_error *err)
{
    (void)src;
    (void)t;
    return pmn_fail(err, PAIMON_UNSUPPORTED, "the compression \"brotli\" was not built in");
}
#endif

static paimon_status run_bzip2(pmn_slice src, target *t, paimon_error *err)
{
    bz_stream stream;
    size_t left = src.size;
    paimon_status status = PAIMON_OK;
    memset(&stream, 0, sizeof stream);
    if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) return pmn_fail_nomem(err, "a bzip2 context");
    stream.next_in = (char *)(uintptr_t)src.data; /* only read */
    for (;;) {
        if (stream.avail_in == 0 && left > 0) {
            stream.avail_in = left > UINT_MAX ? UINT_MAX : (unsigned)left;
            left -= stream.avail_in;
        }
        PMN_GOTO(status, make_room(t, PMN_CODEC_BZIP2, err), done);
        unsigned room = t->room > UINT_MAX ? UINT_MAX : (unsigned)t->room, in_before = stream.avail_in;
        stream.next_out = (char *)t->next;
        stream.avail_out = room;
        int result = BZ2_bzDecompress(&stream);
        unsigned given = room - stream.avail_out;
        took(t, t->room - given);
        if (result == BZ_STREAM_END) {
            if (stream.avail_in == 0 && left == 0) break;
            /* Another stream follows: parallel writers cut their data so. */
            char *next = stream.next_in;
            unsigned avail = stream.avail_in;
            BZ2_bzDecompressEnd(&stream);
            memset(&stream, 0, sizeof stream);
            if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) return pmn_fail_nomem(err, "a bzip2 context");
            stream.next_in = next;
            stream.avail_in = avail;
        } else if (result != BZ_OK || (given == 0 && stream.avail_in == in_before && left == 0)) {
            status = result == BZ_MEM_ERROR ? pmn_fail_nomem(err, "bzip2's blocks") : pmn_codec_fail(PMN_CODEC_BZIP2, "damaged or cut short", err);
            goto done;
        }
    }
done:
    BZ2_bzDecompressEnd(&stream);
    return status;
}

static paimon_status run_xz(pmn_slice src, target *t, paimon_error *err)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, XZ_MEMORY_LIMIT, LZMA_CONCATENATED) != LZMA_OK) return pmn_fail_nomem(err, "an xz context");
    paimon_status status = PAIMON_OK;
    stream.next_in = src.data;
    stream.avail_in = src.size;
    for (;;) {
        PMN_GOTO(status, make_room(t, PMN_CODEC_XZ, err), done);
        stream.next_out = t->next;
        stream.avail_out = t->room;
        lzma_ret result = lzma_code(&stream, LZMA_FINISH);
        took(t, stream.avail_out);
        if (result == LZMA_STREAM_END) break;
        if (result == LZMA_OK) continue;
        if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR) status = pmn_fail(err, PAIMON_NOMEM, "xz data: a dictionary of more than %u bytes", XZ_MEMORY_LIMIT);
        else status = pmn_codec_fail(PMN_CODEC_XZ, "damaged or cut short", err);
        goto done;
    }
done:
    lzma_end(&stream);
    return status;
}

static paimon_status run_stream(pmn_codec codec, pmn_slice src, target *t, paimon_error *err)
{
    if (codec == PMN_CODEC_BROTLI) return run_brotli(src, t, err);
    return codec == PMN_CODEC_BZIP2 ? run_bzip2(src, t, err) : run_xz(src, t, err);
}

paimon_status pmn_stream_exact(pmn_codec codec, pmn_slice src, uint8_t *dst, size_t dst_size, paimon_error *err)
{
    target t;
    open_target(&t, NULL, dst, dst_size);
    PMN_TRY(run_stream(codec, src, &t, err));
    return pmn_codec_check_size(codec, dst_size, t.total, err);
}

paimon_status pmn_stream_append(pmn_codec codec, pmn_slice src, pmn_buf *out, paimon_error *err)
{
    target t;
    open_target(&t, out, NULL, 0);
    PMN_TRY(run_stream(codec, src, &t, err));
    if (t.total > t.most) return make_room(&t, codec, err); /* the spare byte was the last */
    out->size += t.total;
    return PAIMON_OK;
}
