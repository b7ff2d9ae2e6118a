/* Walking the blocks of a file through a window of its bytes.
 *
 *   zigzag count | zigzag size | size bytes | 16 bytes sync
 *
 * Who wants only counts reads the head of each block and the sync marker that ends the one before, not what is between. */
#include <string.h>

#include "format/avro/file.h"

#define HEAD_MOST 20 /* two numbers of 64 bits */
#define READ_MANY (1024 * 1024)
#define READ_FEW 4096

void pmn_avro_blocks_init(pmn_avro_blocks *blocks, pmn_avro_file *file)
{
    memset(blocks, 0, sizeof *blocks);
    blocks->file = file;
    blocks->next = (int64_t)file->header.size;
}

void pmn_avro_blocks_free(pmn_avro_blocks *blocks)
{
    if (blocks->window_capacity) pmn_free(blocks->file->mem, blocks->window, blocks->window_capacity);
    blocks->window = NULL;
    blocks->window_capacity = blocks->window_size = 0;
}

/* File bytes [at, at + n), with up to `ahead` of those behind read on the way. They are valid until the next call. */
static paimon_status show_bytes(pmn_avro_blocks *b, int64_t at, size_t n, size_t ahead, const uint8_t **out, paimon_error *err)
{
    pmn_avro_file *file = b->file;
    if (at >= 0 && at + (int64_t)n <= (int64_t)file->head_size) {
        *out = file->head + at;
        return PAIMON_OK;
    }
    if (at >= b->window_at && at + (int64_t)n <= b->window_at + (int64_t)b->window_size) {
        *out = b->window + (at - b->window_at);
        return PAIMON_OK;
    }
    size_t want = n > ahead ? n : ahead, kept = 0;
    if ((int64_t)want > file->size - at) want = (size_t)(file->size - at);
    if (want > b->window_capacity) {
        size_t capacity = want > READ_MANY ? want : ahead > READ_FEW ? READ_MANY : want;
        uint8_t *window = pmn_alloc(file->mem, capacity);
        if (!window) return pmn_fail_nomem(err, "a block of an Avro file");
        if (at >= b->window_at && at < b->window_at + (int64_t)b->window_size) {
            kept = (size_t)(b->window_at + (int64_t)b->window_size - at);
            memcpy(window, b->window + (at - b->window_at), kept);
        }
        if (b->window_capacity) pmn_free(file->mem, b->window, b->window_capacity);
        b->window = window;
        b->window_capacity = capacity;
    } else if (at >= b->window_at && at < b->window_at + (int64_t)b->window_size) {
        kept = (size_t)(b->window_at + (int64_t)b->window_size - at);
        memmove(b->window, b->window + (at - b->window_at), kept);
    }
    b->window_at = at;
    b->window_size = kept;
    PMN_TRY(pmn_input_read(file->input, at + (int64_t)kept, (int64_t)(want - kept), b->window + kept, err));
    b->window_size = want;
    b->bytes_read += (int64_t)(want - kept);
    *out = b->window;
    return PAIMON_OK;
}

static paimon_status check_sync(pmn_avro_blocks *b, const uint8_t *sync, int64_t at, paimon_error *err)
{
    if (memcmp(sync, b->file->header.sync, PMN_AVRO_SYNC_BYTES) == 0) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CORRUPT, "no sync marker at byte %lld, where an Avro block ends", (long long)at);
}

paimon_status pmn_avro_blocks_next(pmn_avro_blocks *b, bool many, pmn_avro_block_place *out, bool *more, paimon_error *err)
{
    int64_t at = b->next, left = b->file->size - at;
    bool first = at == (int64_t)b->file->header.size;
    size_t lead = first ? 0 : PMN_AVRO_SYNC_BYTES, n = lead + (left < HEAD_MOST ? (size_t)left : HEAD_MOST);
    const uint8_t *bytes;
    *more = false;
    if (n == 0) return PAIMON_OK;
    PMN_TRY(show_bytes(b, at - (int64_t)lead, n, many ? READ_MANY : READ_FEW, &bytes, err));
    if (lead) PMN_TRY(check_sync(b, bytes, at - (int64_t)lead, err));
    if (left == 0) return PAIMON_OK;
    pmn_cursor c = pmn_cursor_of(bytes + lead, n - lead);
    if (!pmn_cursor_zigzag(&c, &out->n) || !pmn_cursor_zigzag(&c, &out->size))
        return pmn_fail(err, PAIMON_CORRUPT, "Avro block at byte %lld: its head is cut or damaged", (long long)at);
    left -= (int64_t)pmn_cursor_offset(&c) + PMN_AVRO_SYNC_BYTES;
    if (out->n < 0 || out->size < 0 || out->size > left)
        return pmn_fail(err, PAIMON_CORRUPT, "Avro block at byte %lld: %lld records in %lld bytes, but %lld bytes are left", (long long)at, (long long)out->n,
                        (long long)out->size, (long long)(left < 0 ? 0 : left));
    out->offset = at;
    out->data = at + (int64_t)pmn_cursor_offset(&c);
    b->next = out->data + out->size + PMN_AVRO_SYNC_BYTES;
    *more = true;
    return PAIMON_OK;
}

paimon_status pmn_avro_blocks_load(pmn_avro_blocks *b, const pmn_avro_block_place *place, pmn_slice *stored, paimon_error *err)
{
    const uint8_t *bytes;
    size_t n = (size_t)place->size;
    PMN_TRY(show_bytes(b, place->data, n + PMN_AVRO_SYNC_BYTES, READ_MANY, &bytes, err));
    *stored = pmn_slice_of(bytes, n);
    return check_sync(b, bytes + n, place->data + place->size, err);
}
