/* Streams of a stripe: see stream.h.
 *
 *   chunk := size << 1 | original (3 bytes, little-endian), size bytes: compressed, or as they are if `original` is set
 *
 * Files without compression have no chunks: their streams are cut into pieces of a window. */
#include "format/orc/stream.h"

#include <string.h>

#define WINDOW_BYTES (256 * 1024)
#define SLACK 64
#define CHUNK_HEADER 3

void pmn_orc_stream_init(pmn_orc_stream *s, pmn_orc_file *file, pmn_decompressors *decompressors)
{
    memset(s, 0, sizeof *s);
    s->file = file;
    s->decompressors = decompressors;
    pmn_buf_init(&s->out, file->mem, PMN_BUF_NO_CEILING);
}

void pmn_orc_stream_free(pmn_orc_stream *s)
{
    if (!s->file) return;
    pmn_free(s->file->mem, s->window, s->window_capacity);
    pmn_buf_free(&s->out);
    memset(s, 0, sizeof *s);
}

static void empty_out(pmn_orc_stream *s)
{
    pmn_buf_clear(&s->out);
    s->pos = s->end = s->out.data;
    s->chunk_at = -1;
}

void pmn_orc_stream_begin(pmn_orc_stream *s, const pmn_orc_stream_info *info)
{
    s->offset = info ? info->offset : 0;
    s->size = info ? info->size : 0;
    s->next = 0;
    s->window_at = 0;
    s->window_size = 0;
    empty_out(s);
}

paimon_status pmn_orc_stream_cut(const pmn_orc_stream *s, paimon_error *err)
{
    return pmn_fail(err, PAIMON_CORRUPT, "the stream at byte %lld ends before its values do", (long long)s->offset);
}

static int64_t largest_chunk(const pmn_orc_stream *s)
{
    int64_t size = s->file->meta.chunk_size;
    return size > 0 && size < PMN_ORC_MAX_CHUNK ? size : PMN_ORC_MAX_CHUNK;
}

int64_t pmn_orc_stream_most(const pmn_orc_stream *s)
{
    int64_t left = s->size - s->next, chunks;
    if (s->file->meta.codec == PMN_CODEC_NONE) return left + (s->end - s->pos);
    chunks = (left + CHUNK_HEADER) / (CHUNK_HEADER + 1);
    int64_t most;
    if (__builtin_mul_overflow(chunks, largest_chunk(s), &most)) return INT64_MAX / 2;
    return most + (s->end - s->pos);
}

/* Bytes [at, at + n) of the stream in the window, where they stay until the next call. What the window has of them is moved, not read again. */
static paimon_status read_window(pmn_orc_stream *s, int64_t at, int64_t n, const uint8_t **out, paimon_error *err)
{
    int64_t window_end = s->window_at + (int64_t)s->window_size;
    if (at < s->window_at || at + n > window_end) {
        int64_t keep = at >= s->window_at && at < window_end ? window_end - at : 0;
        int64_t size = n > WINDOW_BYTES ? n : WINDOW_BYTES, left = s->size - at;
        if (size > left) size = left;
        if (s->window_capacity < (size_t)size + SLACK) {
            size_t capacity = (size_t)size + SLACK;
            uint8_t *fresh = (uint8_t *)pmn_alloc(s->file->mem, capacity);
            if (!fresh) return pmn_fail(err, PAIMON_NOMEM, "no memory to read %lld bytes of a stream", (long long)size);
            if (keep) memcpy(fresh, s->window + (at - s->window_at), (size_t)keep);
            pmn_free(s->file->mem, s->window, s->window_capacity);
            s->window = fresh;
            s->window_capacity = capacity;
        } else if (keep) {
            memmove(s->window, s->window + (at - s->window_at), (size_t)keep);
        }
        s->window_at = at;
        s->window_size = (size_t)keep;
        PMN_TRY(pmn_orc_file_read(s->file, s->offset + at + keep, size - keep, s->window + keep, err));
        s->bytes_read += size - keep;
        s->window_size = (size_t)size;
    }
    *out = s->window + (at - s->window_at);
    return PAIMON_OK;
}

/* The chunk's bytes behind what is in `out`. */
static paimon_status append_chunk(pmn_orc_stream *s, pmn_slice bytes, bool original, paimon_error *err)
{
    size_t before = s->out.size, most = (size_t)largest_chunk(s);
    if (original) {
        if (bytes.size > most) return pmn_fail(err, PAIMON_CORRUPT, "a chunk of %zu bytes where none may be larger than %zu", bytes.size, most);
        return pmn_buf_append(&s->out, bytes.data, bytes.size, err);
    }
    pmn_decompressor *d;
    PMN_TRY(pmn_decompressors_borrow(s->decompressors, &d, err));
    s->out.ceiling = before + most + SLACK;
    paimon_status status = pmn_decompress_append(d, s->file->meta.codec, bytes, &s->out, err);
    bool too_large = status == PAIMON_OK ? s->out.size - before > most : s->out.over;
    s->out.ceiling = PMN_BUF_NO_CEILING;
    pmn_decompressors_return(s->decompressors, d);
    if (too_large) return pmn_fail(err, PAIMON_CORRUPT, "a chunk holds more than the %zu bytes that one may have", most);
    return status;
}

static paimon_status next_chunk(pmn_orc_stream *s, paimon_error *err)
{
    const uint8_t *p;
    int64_t left = s->size - s->next;
    s->chunk_at = s->next;
    s->chunk_in_out = s->out.size;
    if (s->file->meta.codec == PMN_CODEC_NONE) {
        int64_t n = left < WINDOW_BYTES ? left : WINDOW_BYTES;
        PMN_TRY(pmn_buf_reserve(&s->out, (size_t)n + SLACK, err));
        PMN_TRY(pmn_orc_file_read(s->file, s->offset + s->next, n, pmn_buf_end(&s->out), err));
        s->bytes_read += n;
        s->out.size += (size_t)n;
        s->next += n;
        return PAIMON_OK;
    }
    if (left < CHUNK_HEADER) return pmn_fail(err, PAIMON_CORRUPT, "a chunk's header is cut at byte %lld", (long long)(s->offset + s->next));
    PMN_TRY(read_window(s, s->next, CHUNK_HEADER, &p, err));
    uint32_t head = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    int64_t size = head >> 1;
    if (size > left - CHUNK_HEADER) {
        return pmn_fail(err, PAIMON_CORRUPT, "a chunk of %lld bytes at byte %lld, but its stream ends %lld bytes behind its header", (long long)size,
                        (long long)(s->offset + s->next), (long long)(left - CHUNK_HEADER));
    }
    PMN_TRY(read_window(s, s->next, CHUNK_HEADER + size, &p, err));
    paimon_status status = append_chunk(s, pmn_slice_of(p + CHUNK_HEADER, (size_t)size), head & 1, err);
    if (status != PAIMON_OK) {
        pmn_error_prefix(err, "chunk at byte %lld", (long long)(s->offset + s->next));
        return status;
    }
    s->next += CHUNK_HEADER + size;
    return PAIMON_OK;
}

paimon_status pmn_orc_stream_fill(pmn_orc_stream *s, size_t n, paimon_error *err)
{
    if (s->next >= s->size) return PAIMON_OK;
    size_t rest = (size_t)(s->end - s->pos);
    if (rest && s->pos != s->out.data) memmove(s->out.data, s->pos, rest);
    s->out.size = rest;
    paimon_status status = PAIMON_OK;
    while (status == PAIMON_OK && s->out.size < n && s->next < s->size) status = next_chunk(s, err);
    if (status == PAIMON_OK) status = pmn_buf_reserve(&s->out, SLACK, err);
    if (status != PAIMON_OK) {
        s->out.size = 0;
        s->chunk_at = -1;
    }
    s->pos = s->out.data;
    s->end = pmn_buf_end(&s->out);
    return status;
}

/* `dst` NULL: over them. */
static paimon_status take(pmn_orc_stream *s, int64_t n, uint8_t *dst, paimon_error *err)
{
    while (n > 0) {
        int64_t have = s->end - s->pos;
        if (have == 0) {
            if (s->next >= s->size) return pmn_orc_stream_cut(s, err);
            PMN_TRY(pmn_orc_stream_fill(s, 1, err));
            continue;
        }
        int64_t m = have < n ? have : n;
        if (dst) {
            memcpy(dst, s->pos, (size_t)m);
            dst += m;
        }
        s->pos += m;
        n -= m;
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_stream_read(pmn_orc_stream *s, int64_t n, uint8_t *dst, paimon_error *err) { return take(s, n, dst, err); }

paimon_status pmn_orc_stream_skip(pmn_orc_stream *s, int64_t n, paimon_error *err)
{
    int64_t have = s->end - s->pos;
    if (n > have && s->file->meta.codec == PMN_CODEC_NONE) {
        if (n - have > s->size - s->next) return pmn_orc_stream_cut(s, err);
        s->next += n - have;
        empty_out(s);
        return PAIMON_OK;
    }
    return take(s, n, NULL, err);
}

paimon_status pmn_orc_stream_seek(pmn_orc_stream *s, pmn_orc_positions *positions, paimon_error *err)
{
    uint64_t at, inside = 0;
    bool chunks = s->file->meta.codec != PMN_CODEC_NONE;
    if (!pmn_orc_position(positions, &at) || (chunks && !pmn_orc_position(positions, &inside))) {
        return pmn_fail(err, PAIMON_CORRUPT, "the row index has too few positions");
    }
    if (at > (uint64_t)s->size || inside > (uint64_t)PMN_ORC_MAX_CHUNK) {
        return pmn_fail(err, PAIMON_CORRUPT, "the row index points to byte %llu of a stream of %lld", (unsigned long long)at, (long long)s->size);
    }
    if (!chunks && s->chunk_at >= 0 && (int64_t)at >= s->chunk_at && (int64_t)at <= s->next) {
        inside = at - (uint64_t)s->chunk_at;
        at = (uint64_t)s->chunk_at;
    }
    if (s->chunk_at >= 0 && (int64_t)at == s->chunk_at && inside <= s->out.size - s->chunk_in_out) {
        s->pos = s->out.data + s->chunk_in_out + inside; /* it is at hand */
        return PAIMON_OK;
    }
    s->next = (int64_t)at;
    empty_out(s);
    return take(s, (int64_t)inside, NULL, err);
}
