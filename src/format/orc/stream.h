/* One stream of a stripe being read.
 *
 * It is read in windows of 256 KB and decompressed a chunk at a time. What is left of a chunk is kept in front of the next one, so that a
 * run of values that crosses the border is contiguous: who needs `n` bytes in one piece asks once, then looks at [pos, end) and moves pos. 64
 * bytes behind `end` may be read. */
#ifndef PMN_FORMAT_ORC_STREAM_H
#define PMN_FORMAT_ORC_STREAM_H

#include "codec/lending.h"
#include "format/orc/file.h"

typedef struct pmn_orc_stream {
    const uint8_t *pos;
    const uint8_t *end;
    pmn_orc_file *file;               /* borrowed, as the contexts */
    pmn_decompressors *decompressors;
    int64_t offset; /* in the file */
    int64_t size;   /* compressed */
    int64_t next;   /* bytes of it that are decompressed */
    uint8_t *window; /* bytes [window_at, window_at + window_size) of it */
    size_t window_capacity, window_size;
    int64_t window_at;
    pmn_buf out; /* decompressed; pos and end point into it */
    int64_t chunk_at; /* where in the stream the last chunk of it began, and where it begins in `out`; -1: nowhere */
    size_t chunk_in_out;
    int64_t bytes_read;
} pmn_orc_stream;

void pmn_orc_stream_init(pmn_orc_stream *s, pmn_orc_file *file, pmn_decompressors *decompressors);
void pmn_orc_stream_free(pmn_orc_stream *s);
/* Begin a stream of a stripe, buffers are kept. NULL: an empty one. */
void pmn_orc_stream_begin(pmn_orc_stream *s, const pmn_orc_stream_info *info);

/* As much as there is, if it is less than `n`: the slow part of the one below. */
paimon_status pmn_orc_stream_fill(pmn_orc_stream *s, size_t n, paimon_error *err) PMN_MUST_USE;
/* At least `n` bytes in one piece from pos on, or all that are left of the stream. */
PMN_INLINE paimon_status pmn_orc_stream_ensure(pmn_orc_stream *s, size_t n, paimon_error *err)
{
    return PMN_LIKELY((size_t)(s->end - s->pos) >= n) ? PAIMON_OK : pmn_orc_stream_fill(s, n, err);
}
/* The next `n` bytes to `dst`, or over them; PAIMON_CORRUPT if there are fewer. */
paimon_status pmn_orc_stream_read(pmn_orc_stream *s, int64_t n, uint8_t *dst, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_orc_stream_skip(pmn_orc_stream *s, int64_t n, paimon_error *err) PMN_MUST_USE;
/* How many bytes can still come out of it at most: nothing that is larger may be believed. */
int64_t pmn_orc_stream_most(const pmn_orc_stream *s);

/* Positions of the row index, taken one after the other. */
typedef struct pmn_orc_positions {
    const uint64_t *next;
    const uint64_t *end;
} pmn_orc_positions;
PMN_INLINE bool pmn_orc_position(pmn_orc_positions *p, uint64_t *out)
{
    if (p->next >= p->end) return false;
    *out = *p->next++;
    return true;
}
/* Go where the positions say: an offset of the compressed stream and one inside the chunk there, or an offset alone. */
paimon_status pmn_orc_stream_seek(pmn_orc_stream *s, pmn_orc_positions *positions, paimon_error *err) PMN_MUST_USE;

paimon_status pmn_orc_stream_cut(const pmn_orc_stream *s, paimon_error *err); /* PAIMON_CORRUPT: it ends early */

#endif
