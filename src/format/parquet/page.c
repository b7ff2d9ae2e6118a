/* Pages of a column chunk: see page.h for the layout.
 *
 * A chunk is read in windows of 256 KB rather than at once: most pages fit in, and a batch touches only memory that is in cache.
 * Nothing of a header is believed before it is compared with what it must fit into: the chunk's bytes, the codec's best ratio. */
#include "format/parquet/page.h"

#include <string.h>

#include "format/parquet/thrift.h"

#define WINDOW_BYTES (256u * 1024u)
#define HEADER_GUESS 256
#define HEADER_MAX (16 * 1024 * 1024) /* statistics inside a header may hold long strings */
#define SLACK 64u
#define SHORT_BY_MOST 100

static paimon_status read_v1(pmn_thrift *t, pmn_parquet_page *page)
{
    pmn_thrift_struct s;
    pmn_thrift_field f;
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) return PAIMON_OK;
        switch (f.id) {
        case 1: PMN_TRY(pmn_thrift_i32(t, &f, &page->n_values)); break;
        case 2: PMN_TRY(pmn_thrift_i32(t, &f, &page->encoding)); break;
        case 3: PMN_TRY(pmn_thrift_i32(t, &f, &page->def_encoding)); break;
        case 4: PMN_TRY(pmn_thrift_i32(t, &f, &page->rep_encoding)); break;
        default: PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
}

static paimon_status read_dictionary(pmn_thrift *t, pmn_parquet_page *page)
{
    pmn_thrift_struct s;
    pmn_thrift_field f;
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) return PAIMON_OK;
        switch (f.id) {
        case 1: PMN_TRY(pmn_thrift_i32(t, &f, &page->n_values)); break;
        case 2: PMN_TRY(pmn_thrift_i32(t, &f, &page->encoding)); break;
        default: PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
}

static paimon_status read_v2(pmn_thrift *t, pmn_parquet_page *page)
{
    pmn_thrift_struct s;
    pmn_thrift_field f;
    PMN_TRY(pmn_thrift_begin(t, &s));
    page->n_rows = 0;
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) return PAIMON_OK;
        switch (f.id) {
        case 1: PMN_TRY(pmn_thrift_i32(t, &f, &page->n_values)); break;
        case 3: PMN_TRY(pmn_thrift_i32(t, &f, &page->n_rows)); break;
        case 4: PMN_TRY(pmn_thrift_i32(t, &f, &page->encoding)); break;
        case 5: PMN_TRY(pmn_thrift_i32(t, &f, &page->def_bytes)); break;
        case 6: PMN_TRY(pmn_thrift_i32(t, &f, &page->rep_bytes)); break;
        case 7: PMN_TRY(pmn_thrift_bool(t, &f, &page->is_compressed)); break;
        default: PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
}

/* The fields of PageHeader; `seen` says by bit whether type (0), sizes (1, 2) and the header of the page's kind (3) were there. */
static paimon_status read_header(pmn_thrift *t, pmn_parquet_page *page, unsigned *seen)
{
    pmn_thrift_struct s;
    pmn_thrift_field f;
    int32_t crc;
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) return PAIMON_OK;
        switch (f.id) {
        case 1:
            PMN_TRY(pmn_thrift_i32(t, &f, &page->type));
            *seen |= 1;
            break;
        case 2:
            PMN_TRY(pmn_thrift_i32(t, &f, &page->uncompressed));
            *seen |= 2;
            break;
        case 3:
            PMN_TRY(pmn_thrift_i32(t, &f, &page->compressed));
            *seen |= 4;
            break;
        case 4:
            PMN_TRY(pmn_thrift_i32(t, &f, &crc));
            page->has_crc = true;
            page->crc = (uint32_t)crc;
            break;
        case 5:
        case 7:
        case 8:
            PMN_TRY(pmn_thrift_expect(t, &f, PMN_THRIFT_STRUCT));
            PMN_TRY(f.id == 5 ? read_v1(t, page) : f.id == 7 ? read_dictionary(t, page) : read_v2(t, page));
            *seen |= 1u << f.id;
            break;
        default: PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
}

paimon_status pmn_parquet_page_header_parse(pmn_slice bytes, int64_t base, pmn_parquet_page *page, size_t *size, paimon_error *err)
{
    pmn_thrift t = pmn_thrift_of(bytes, base, "page header", err);
    unsigned seen = 0;
    memset(page, 0, sizeof *page);
    page->n_rows = -1;
    page->def_encoding = page->rep_encoding = PMN_PQ_RLE;
    page->is_compressed = true;
    page->offset = base;
    PMN_TRY(read_header(&t, page, &seen));
    *size = pmn_cursor_offset(&t.cursor);
    page->body = base + (int64_t)*size;
    static const unsigned kind_bit[4] = { 1u << 5, 0, 1u << 7, 1u << 8 };
    unsigned need = 7u | (page->type >= 0 && page->type < 4 ? kind_bit[page->type] : 0);
    if ((seen & need) != need) return pmn_thrift_corrupt(&t, "lacks a field that it must have");
    if (page->compressed < 0 || page->uncompressed < 0 || page->n_values < 0) {
        return pmn_thrift_corrupt(&t, "has a negative size: %d bytes compressed, %d uncompressed, %d values", page->compressed, page->uncompressed,
                                  page->n_values);
    }
    if (page->type == PMN_PQ_PAGE_DATA_V2) {
        if (page->n_rows < 0 || page->def_bytes < 0 || page->rep_bytes < 0 || (int64_t)page->def_bytes + page->rep_bytes > page->compressed
            || (int64_t)page->def_bytes + page->rep_bytes > page->uncompressed) {
            return pmn_thrift_corrupt(&t, "has %d + %d bytes of levels in a page of %d bytes with %d rows", page->rep_bytes, page->def_bytes,
                                      page->compressed, page->n_rows);
        }
    }
    return PAIMON_OK;
}

void pmn_parquet_pages_init(pmn_parquet_pages *p, pmn_parquet_file *file, pmn_decompressors *decompressors)
{
    memset(p, 0, sizeof *p);
    p->decompressors = decompressors;
    p->file = file;
    p->mem = file->mem;
}

void pmn_parquet_pages_free(pmn_parquet_pages *p)
{
    if (!p->file) return;
    pmn_free(p->mem, p->window, p->window_capacity);
    pmn_free(p->mem, p->body, p->body_capacity);
    pmn_free(p->mem, p->levels, p->levels_capacity);
    memset(p, 0, sizeof *p);
}

void pmn_parquet_pages_begin(pmn_parquet_pages *p, const pmn_parquet_chunk *chunk)
{
    p->chunk = chunk;
    p->next = chunk->first_offset;
    p->end = chunk->first_offset + chunk->compressed_bytes;
    if (p->file->short_chunks) p->end = p->end + SHORT_BY_MOST < p->file->size ? p->end + SHORT_BY_MOST : p->file->size;
    p->window_size = 0;
    p->wish = 0;
}

void pmn_parquet_pages_seek(pmn_parquet_pages *p, int64_t offset, int32_t bytes)
{
    p->next = offset;
    p->wish = bytes;
}

/* A buffer of at least `size` bytes and the slack; what was in it is lost. */
static paimon_status need_bytes(pmn_mem *mem, uint8_t **buffer, size_t *capacity, size_t size, paimon_error *err)
{
    size += SLACK;
    if (*capacity >= size) return PAIMON_OK;
    if (size < *capacity + *capacity / 2) size = *capacity + *capacity / 2;
    uint8_t *fresh = (uint8_t *)pmn_alloc(mem, size);
    if (!fresh) return pmn_fail(err, PAIMON_NOMEM, "no memory for a page of %zu bytes", size);
    pmn_free(mem, *buffer, *capacity);
    *buffer = fresh;
    *capacity = size;
    return PAIMON_OK;
}

/* How much to read from `offset`, where `n` bytes are needed: a window; but of pages of more than half a window just this one and the
 * header behind it, so that no piece of a page has to be moved when its rest is read. */
static int64_t reading_size(pmn_parquet_pages *p, int64_t offset, int64_t n)
{
    int64_t size = p->wish ? p->wish : n > (int64_t)WINDOW_BYTES / 2 ? n + HEADER_GUESS : (int64_t)WINDOW_BYTES;
    p->wish = 0;
    if (size < n) size = n;
    return size < p->end - offset ? size : p->end - offset;
}

/* File bytes [offset, offset + n), which lie inside the chunk, in the window. What the window holds of them stays where it is if the rest
 * fits behind it, else it is moved; it is not read again. */
static paimon_status read_window(pmn_parquet_pages *p, int64_t offset, int64_t n, paimon_error *err)
{
    int64_t window_end = p->window_offset + (int64_t)p->window_size;
    if (offset >= p->window_offset && offset + n <= window_end) return PAIMON_OK;
    int64_t size = reading_size(p, offset, n);
    int64_t keep = offset >= p->window_offset && offset < window_end ? window_end - offset : 0;
    int64_t skip = keep ? offset - p->window_offset : 0; /* bytes in front that are not needed any more */
    if (skip && (size_t)(skip + size) + SLACK > p->window_capacity) {
        memmove(p->window, p->window + skip, (size_t)keep);
        skip = 0;
    }
    if (p->window_capacity < (size_t)(skip + size) + SLACK) {
        size_t capacity = (size_t)size + SLACK;
        if (capacity > WINDOW_BYTES) capacity += capacity / 8; /* pages of a column are of similar, not of the same size */
        uint8_t *fresh = (uint8_t *)pmn_alloc(p->mem, capacity);
        if (!fresh) return pmn_fail(err, PAIMON_NOMEM, "no memory to read %lld bytes of a column", (long long)size);
        if (keep) memcpy(fresh, p->window, (size_t)keep);
        pmn_free(p->mem, p->window, p->window_capacity);
        p->window = fresh;
        p->window_capacity = capacity;
    }
    p->window_offset = offset - skip;
    p->window_size = (size_t)(skip + keep);
    if (size > keep) PMN_TRY(pmn_parquet_file_read(p->file, offset + keep, size - keep, p->window + skip + keep, err));
    p->bytes_read += size > keep ? size - keep : 0;
    p->window_size = (size_t)(skip + (size > keep ? size : keep));
    return PAIMON_OK;
}

paimon_status pmn_parquet_pages_next(pmn_parquet_pages *p, pmn_parquet_page *page, bool *found, paimon_error *err)
{
    *found = false;
    if (p->next >= p->end) return PAIMON_OK;
    size_t size = 0;
    for (int64_t n = HEADER_GUESS;; n *= 4) {
        int64_t left = p->end - p->next;
        PMN_TRY(read_window(p, p->next, n < left ? n : left, err));
        size_t at = (size_t)(p->next - p->window_offset);
        size_t have = p->window_size - at;
        bool last = (int64_t)have >= left || n >= HEADER_MAX;
        paimon_status status = pmn_parquet_page_header_parse(pmn_slice_of(p->window + at, have), p->next, page, &size, last ? err : NULL);
        if (status == PAIMON_OK) break;
        if (last) return status;
        if (n < (int64_t)have) n = (int64_t)have;
    }
    if (page->compressed > p->end - page->body) {
        return pmn_fail(err, PAIMON_CORRUPT, "page at byte %lld: %d bytes, but its column chunk ends %lld bytes behind the header", (long long)p->next,
                        page->compressed, (long long)(p->end - page->body));
    }
    p->next = page->body + page->compressed;
    *found = true;
    return PAIMON_OK;
}

static paimon_status codec_of(pmn_parquet_codec codec, pmn_codec *out, int64_t *best_ratio, paimon_error *err)
{
    static const struct {
        pmn_codec codec;
        int64_t ratio; /* more output a byte of input than this cannot be; 0: no useful bound */
    } table[8] = { { PMN_CODEC_NONE, 1 },     { PMN_CODEC_SNAPPY, 64 }, { PMN_CODEC_GZIP, 1040 },   { PMN_CODEC_LZO, 0 },
                   { PMN_CODEC_BROTLI, 0 },   { PMN_CODEC_LZ4_HADOOP, 260 }, { PMN_CODEC_ZSTD, 65536 }, { PMN_CODEC_LZ4_RAW, 260 } };
    if ((int)codec < 0 || (int)codec >= 8) return pmn_fail(err, PAIMON_UNSUPPORTED, "compression codec %d is not known", (int)codec);
    *out = table[codec].codec;
    *best_ratio = table[codec].ratio;
    return PAIMON_OK;
}

/* Brotli's ratio has no bound that protects: grow with what really comes out. */
static paimon_status inflate_unbounded(pmn_parquet_pages *p, pmn_decompressor *d, pmn_codec codec, pmn_slice src, size_t size, paimon_error *err)
{
    pmn_buf out;
    pmn_buf_init(&out, p->mem, size + SLACK);
    paimon_status status;
    PMN_GOTO(status, pmn_decompress_append(d, codec, src, &out, err), done);
    if (out.size != size) {
        status = pmn_fail(err, PAIMON_CORRUPT, "%zu bytes where %zu were expected", out.size, size);
        goto done;
    }
    PMN_GOTO(status, need_bytes(p->mem, &p->body, &p->body_capacity, size, err), done);
    if (size) memcpy(p->body, out.data, size);
done:
    pmn_buf_free(&out);
    return status;
}

/* `src` decompressed to `size` bytes in `body`, or itself if there is no compression. */
static paimon_status inflate(pmn_parquet_pages *p, pmn_slice src, size_t size, bool is_compressed, pmn_slice *out, paimon_error *err)
{
    pmn_codec codec = PMN_CODEC_NONE;
    int64_t ratio = 0;
    PMN_TRY(codec_of(p->chunk->codec, &codec, &ratio, err));
    if (codec == PMN_CODEC_NONE || !is_compressed) {
        if (src.size != size) return pmn_fail(err, PAIMON_CORRUPT, "%zu bytes stored, but %zu uncompressed, without compression", src.size, size);
        *out = src;
        return PAIMON_OK;
    }
    if (size == 0) {
        *out = pmn_slice_of(src.data, 0);
        return PAIMON_OK;
    }
    if (ratio && size > (src.size + 16) * (size_t)ratio) {
        return pmn_fail(err, PAIMON_CORRUPT, "%zu bytes of %s cannot hold %zu", src.size, pmn_codec_name(codec), size);
    }
    pmn_decompressor *d;
    paimon_status status;
    PMN_TRY(pmn_decompressors_borrow(p->decompressors, &d, err));
    if (ratio == 0 && size > 1024 * 1024 && size / 256 > src.size) {
        status = inflate_unbounded(p, d, codec, src, size, err);
    } else {
        status = need_bytes(p->mem, &p->body, &p->body_capacity, size, err);
        if (status == PAIMON_OK) status = pmn_decompress(d, codec, src, p->body, size, err);
    }
    pmn_decompressors_return(p->decompressors, d);
    PMN_TRY(status);
    *out = pmn_slice_of(p->body, size);
    return PAIMON_OK;
}

/* Levels of a v1 page at the cursor. */
static paimon_status take_levels(pmn_parquet_pages *p, pmn_cursor *c, int32_t encoding, int max, int64_t n, size_t levels_at, pmn_parquet_hybrid *out,
                                 paimon_error *err)
{
    unsigned width = pmn_parquet_width((uint32_t)max);
    pmn_slice bytes;
    if (encoding == PMN_PQ_BIT_PACKED) {
        size_t size = (size_t)((n * width + 7) / 8);
        if (!pmn_cursor_take(c, size, &bytes)) return pmn_fail(err, PAIMON_CORRUPT, "levels run past the page");
        memset(p->levels + levels_at, 0, size + SLACK);
        pmn_parquet_repack_levels(bytes.data, n, width, p->levels + levels_at);
        pmn_parquet_hybrid_packed(out, pmn_slice_of(p->levels + levels_at, size), width, n);
        return PAIMON_OK;
    }
    if (encoding != PMN_PQ_RLE) return pmn_fail(err, PAIMON_CORRUPT, "levels in encoding %s", pmn_parquet_encoding_name(encoding));
    uint32_t size;
    if (!pmn_cursor_le32(c, &size) || !pmn_cursor_take(c, size, &bytes)) return pmn_fail(err, PAIMON_CORRUPT, "levels run past the page");
    pmn_parquet_hybrid_init(out, bytes, width);
    return PAIMON_OK;
}

static paimon_status split_v1(pmn_parquet_pages *p, const pmn_parquet_page *page, pmn_slice body, int max_def, int max_rep, pmn_parquet_page_data *data,
                              paimon_error *err)
{
    pmn_cursor c = pmn_cursor_of(body.data, body.size);
    size_t rep_room = 0;
    if ((max_def && page->def_encoding == PMN_PQ_BIT_PACKED) || (max_rep && page->rep_encoding == PMN_PQ_BIT_PACKED)) {
        /* Both fit into the page, or it is refused below; so this is bounded by the page's size. */
        rep_room = (size_t)page->n_values * pmn_parquet_width((uint32_t)max_rep) / 8 + 1 + SLACK;
        size_t def_room = (size_t)page->n_values * pmn_parquet_width((uint32_t)max_def) / 8 + 1 + SLACK;
        if (rep_room > body.size + 2 * SLACK && max_rep && page->rep_encoding == PMN_PQ_BIT_PACKED) return pmn_fail(err, PAIMON_CORRUPT, "levels run past the page");
        if (def_room > body.size + 2 * SLACK && max_def && page->def_encoding == PMN_PQ_BIT_PACKED) return pmn_fail(err, PAIMON_CORRUPT, "levels run past the page");
        if (rep_room > body.size + 2 * SLACK) rep_room = SLACK;
        if (def_room > body.size + 2 * SLACK) def_room = SLACK;
        PMN_TRY(need_bytes(p->mem, &p->levels, &p->levels_capacity, rep_room + def_room, err));
    }
    if (max_rep) PMN_TRY(take_levels(p, &c, page->rep_encoding, max_rep, page->n_values, 0, &data->rep, err));
    if (max_def) PMN_TRY(take_levels(p, &c, page->def_encoding, max_def, page->n_values, rep_room, &data->def, err));
    data->values = pmn_slice_of(c.pos, pmn_cursor_left(&c));
    return PAIMON_OK;
}

paimon_status pmn_parquet_pages_load(pmn_parquet_pages *p, const pmn_parquet_page *page, int max_def, int max_rep, pmn_parquet_page_data *data,
                                     paimon_error *err)
{
    PMN_TRY(read_window(p, page->body, page->compressed, err));
    pmn_slice stored = pmn_slice_of(p->window + (page->body - p->window_offset), (size_t)page->compressed);
    pmn_slice body;
    if (p->file->verify_checksums && page->has_crc && pmn_crc32(0, stored.data, stored.size) != page->crc) {
        return pmn_fail(err, PAIMON_CORRUPT, "checksum is %08x, the header says %08x", (unsigned)pmn_crc32(0, stored.data, stored.size), (unsigned)page->crc);
    }
    memset(data, 0, sizeof *data);
    if (page->type != PMN_PQ_PAGE_DATA_V2) {
        PMN_TRY(inflate(p, stored, (size_t)page->uncompressed, true, &body, err));
        if (page->type == PMN_PQ_PAGE_DATA) return split_v1(p, page, body, max_def, max_rep, data, err);
        data->values = body;
        return PAIMON_OK;
    }
    size_t rep_bytes = (size_t)page->rep_bytes, levels = rep_bytes + (size_t)page->def_bytes;
    bool is_compressed = page->is_compressed || p->file->denies_compression;
    PMN_TRY(inflate(p, pmn_slice_of(stored.data + levels, stored.size - levels), (size_t)page->uncompressed - levels, is_compressed, &body, err));
    pmn_parquet_hybrid_init(&data->rep, pmn_slice_of(stored.data, rep_bytes), pmn_parquet_width((uint32_t)max_rep));
    pmn_parquet_hybrid_init(&data->def, pmn_slice_of(stored.data + rep_bytes, (size_t)page->def_bytes), pmn_parquet_width((uint32_t)max_def));
    data->values = body;
    return PAIMON_OK;
}
