/* Opening an ORC file, and reading its messages.
 *
 *   "ORC"  stripes …  metadata  footer  postscript (not compressed)  its length (1 byte)
 *
 * The last 64 KB are read in one request: they hold the footer of most files, and all of a small one. */
#include "format/orc/file.h"

#include <string.h>

#include "base/cursor.h"

#define TAIL_FIRST_READ (64 * 1024)
/* What a footer may decompress to. One of 20 000 columns takes two megabytes. */
#define MOST_FOOTER (128u * 1024 * 1024)
#define CHUNK_HEADER 3

pmn_orc_file *pmn_orc_file_retain(pmn_orc_file *file)
{
    atomic_fetch_add_explicit(&file->refs, 1, memory_order_relaxed);
    return file;
}

void pmn_orc_file_release(pmn_orc_file *file)
{
    if (!file || atomic_fetch_sub_explicit(&file->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = file->mem;
    pmn_input_close(file->input);
    pmn_orc_stripe_stats_free(mem, atomic_load_explicit(&file->stripe_stats, memory_order_acquire));
    pmn_arena_free(&file->arena);
    pmn_buf_free(&file->footer);
    pmn_free(mem, file->tail, file->tail_size);
    pmn_strfree(mem, file->path);
    pmn_free(mem, file, sizeof *file);
    pmn_mem_release(mem);
}

/* ---- bytes and messages ---- */

/* The kept bytes at [offset, offset + n), or NULL. */
static const uint8_t *orc_peek(const pmn_orc_file *file, int64_t offset, int64_t n)
{
    if (file->tail_size == 0 || offset < file->tail_offset || n < 0 || n > file->size - offset) return NULL;
    return file->tail + (offset - file->tail_offset);
}

paimon_status pmn_orc_file_read(pmn_orc_file *file, int64_t offset, int64_t n, void *dst, paimon_error *err)
{
    const uint8_t *kept = orc_peek(file, offset, n);
    if (!kept) return pmn_input_read(file->input, offset, n, dst, err);
    if (n > 0) memcpy(dst, kept, (size_t)n);
    return PAIMON_OK;
}

/* One compressed chunk, of which at most chunk_size bytes may come out. */
static paimon_status orc_inflate(const pmn_orc_meta *meta, pmn_decompressor *d, pmn_slice chunk, pmn_buf *out, paimon_error *err)
{
    size_t ceiling = out->ceiling, most = (size_t)meta->chunk_size;
    if (most < ceiling - out->size) {
        out->ceiling = out->size + most;
    }
    bool bounded = out->ceiling < ceiling;
    paimon_status status = pmn_decompress_append(d, meta->codec, chunk, out, err);
    out->ceiling = ceiling;
    if (status != PAIMON_NOMEM || !bounded || !out->over) return status;
    return pmn_fail(err, PAIMON_CORRUPT, "a chunk of %zu bytes is damaged or holds more than the %lld bytes of a chunk", chunk.size, (long long)meta->chunk_size);
}

static paimon_status orc_unchunk(const pmn_orc_meta *meta, pmn_decompressor *d, pmn_slice bytes, pmn_buf *out, paimon_error *err)
{
    pmn_cursor c = pmn_cursor_of(bytes.data, bytes.size);
    pmn_slice head, chunk;
    while (pmn_cursor_left(&c) > 0) {
        if (!pmn_cursor_take(&c, CHUNK_HEADER, &head)) return pmn_fail(err, PAIMON_CORRUPT, "the head of a chunk is cut");
        uint32_t bits = head.data[0] | (uint32_t)head.data[1] << 8 | (uint32_t)head.data[2] << 16;
        if (!pmn_cursor_take(&c, bits >> 1, &chunk))
            return pmn_fail(err, PAIMON_CORRUPT, "a chunk has %u bytes, but %zu are left", (unsigned)(bits >> 1), pmn_cursor_left(&c));
        if (!(bits & 1)) PMN_TRY(orc_inflate(meta, d, chunk, out, err));
        else if (chunk.size > (size_t)meta->chunk_size) return pmn_fail(err, PAIMON_CORRUPT, "a chunk of %zu bytes, expected %lld at most", chunk.size, (long long)meta->chunk_size);
        else PMN_TRY(pmn_buf_append(out, chunk.data, chunk.size, err));
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_file_message(pmn_orc_file *file, pmn_decompressor *d, int64_t offset, int64_t size, pmn_buf *out, paimon_error *err)
{
    paimon_status status;
    if (offset < 0 || size < 0 || offset > file->size || size > file->size - offset)
        return pmn_fail(err, PAIMON_CORRUPT, "%lld bytes at %lld are not in a file of %lld", (long long)size, (long long)offset, (long long)file->size);
    if (size == 0) return PAIMON_OK;
    const uint8_t *bytes = orc_peek(file, offset, size);
    uint8_t *own = NULL;
    if (!bytes) {
        own = pmn_alloc(file->mem, (size_t)size);
        if (!own) return pmn_fail_nomem(err, "a message of an ORC file");
        PMN_GOTO(status, pmn_input_read(file->input, offset, size, own, err), done);
        bytes = own;
    }
    if (file->meta.codec == PMN_CODEC_NONE) status = pmn_buf_append(out, bytes, (size_t)size, err);
    else status = orc_unchunk(&file->meta, d, pmn_slice_of(bytes, (size_t)size), out, err);
    if (status != PAIMON_OK && status != PAIMON_NOMEM) pmn_error_prefix(err, "at byte %lld", (long long)offset);
done:
    pmn_free(file->mem, own, own ? (size_t)size : 0);
    return status;
}

/* ---- opening ---- */

static paimon_status orc_read_tail(pmn_orc_file *file, paimon_error *err)
{
    size_t n = file->size < TAIL_FIRST_READ ? (size_t)file->size : TAIL_FIRST_READ;
    file->tail = pmn_alloc(file->mem, n);
    if (!file->tail) return pmn_fail_nomem(err, "the end of an ORC file");
    file->tail_size = n;
    file->tail_offset = file->size - (int64_t)n;
    return pmn_input_read(file->input, file->tail_offset, (int64_t)n, file->tail, err);
}

/* The postscript, its lengths held against the file. `*footer` is where the footer begins. */
static paimon_status orc_read_postscript(pmn_orc_file *file, pmn_orc_postscript *ps, int64_t *footer, paimon_error *err)
{
    const uint8_t *end = file->tail + file->tail_size - 1;
    int64_t n = *end, before = file->size - 1 - n;
    uint8_t head[3];
    if (n == 0 || before < 0) return pmn_fail(err, PAIMON_CORRUPT, "not an ORC file: a postscript of %lld bytes in a file of %lld", (long long)n, (long long)file->size);
    PMN_TRY(pmn_orc_postscript_parse(pmn_slice_of(end - n, (size_t)n), ps, err));
    if (!ps->has_magic) {
        PMN_TRY(pmn_orc_file_read(file, 0, file->size < 3 ? file->size : 3, head, err));
        if (file->size < 3 || memcmp(head, "ORC", 3) != 0) return pmn_fail(err, PAIMON_CORRUPT, "not an ORC file: it has ORC neither in its postscript nor at its beginning");
    }
    if (ps->footer_size > before || ps->metadata_size > before - ps->footer_size)
        return pmn_fail(err, PAIMON_CORRUPT, "an ORC footer of %lld and metadata of %lld bytes do not fit in a file of %lld", (long long)ps->footer_size,
                        (long long)ps->metadata_size, (long long)file->size);
    *footer = before - ps->footer_size;
    return PAIMON_OK;
}

static paimon_status orc_read_meta(pmn_orc_file *file, paimon_error *err)
{
    pmn_orc_postscript ps;
    pmn_orc_meta *meta = &file->meta;
    pmn_decompressor *d = NULL;
    paimon_status status;
    int64_t footer = 0;
    if (file->size < 2) return pmn_fail(err, PAIMON_CORRUPT, "not an ORC file: it has %lld bytes", (long long)file->size);
    PMN_TRY(orc_read_tail(file, err));
    PMN_TRY(orc_read_postscript(file, &ps, &footer, err));
    meta->codec = ps.codec;
    meta->chunk_size = ps.chunk_size;
    meta->writer_version = ps.writer_version;
    meta->format_major = ps.format_major;
    meta->format_minor = ps.format_minor;
    meta->metadata_offset = footer - ps.metadata_size;
    meta->metadata_size = ps.metadata_size;
    PMN_TRY(pmn_decompressor_new(file->mem, &d, err));
    status = pmn_orc_file_message(file, d, footer, ps.footer_size, &file->footer, err);
    pmn_decompressor_free(d);
    if (status != PAIMON_OK) {
        pmn_error_prefix(err, "ORC footer");
        return status;
    }
    PMN_TRY(pmn_orc_footer_parse(&file->arena, pmn_slice_of(file->footer.data, file->footer.size), meta->metadata_offset, meta, err));
    return pmn_orc_fields_build(file, err);
}

/* ---- the interface ---- */

static paimon_status orc_file_schema(pmn_format_file *base, struct ArrowSchema *out, paimon_error *err)
{
    pmn_orc_file *file = (pmn_orc_file *)base;
    paimon_status status = pmn_orc_schema_arrow(file, out, err);
    if (status != PAIMON_OK && status != PAIMON_NOMEM) pmn_error_prefix(err, "%s", file->path);
    return status;
}

static int64_t orc_file_row_count(const pmn_format_file *base) { return ((const pmn_orc_file *)base)->meta.n_rows; }

static paimon_status orc_file_open_reader(pmn_format_file *base, const pmn_format_read_options *options, pmn_format_reader **reader, paimon_error *err)
{
    return pmn_orc_reader_new((pmn_orc_file *)base, options, reader, err);
}

static paimon_status orc_file_describe(pmn_format_file *base, pmn_buf *out, paimon_error *err)
{
    pmn_orc_file *file = (pmn_orc_file *)base;
    paimon_status status = pmn_orc_describe(file, out, err);
    if (status != PAIMON_OK && status != PAIMON_NOMEM && status != PAIMON_IO) pmn_error_prefix(err, "%s", file->path);
    return status;
}

static void orc_file_close(pmn_format_file *base) { pmn_orc_file_release((pmn_orc_file *)base); }

static const pmn_format_file_ops orc_file_ops = { orc_file_schema, orc_file_row_count, orc_file_open_reader, orc_file_describe, orc_file_close };

static paimon_status orc_open(const pmn_format_open_options *options, pmn_format_file **out, paimon_error *err)
{
    paimon_status status;
    *out = NULL;
    pmn_orc_file *file = pmn_calloc(options->mem, 1, sizeof *file);
    if (!file) return pmn_fail_nomem(err, "an ORC file");
    file->base.ops = &orc_file_ops;
    atomic_init(&file->refs, 1);
    atomic_init(&file->stripe_stats, NULL);
    file->mem = pmn_mem_retain(options->mem);
    file->case_insensitive = options->case_insensitive;
    file->instants_are_local = options->instants_are_local;
    pmn_arena_init(&file->arena, file->mem);
    pmn_buf_init(&file->footer, file->mem, MOST_FOOTER);
    file->path = pmn_strndup(file->mem, options->path, strlen(options->path));
    if (!file->path) {
        status = pmn_fail_nomem(err, "an ORC file");
        goto failed;
    }
    PMN_GOTO(status, pmn_input_open(file->mem, options->fs, options->path, options->size_bytes, &file->input, err), failed);
    file->size = pmn_input_size(file->input);
    status = orc_read_meta(file, err);
    if (status != PAIMON_OK) {
        if (status != PAIMON_IO) pmn_error_prefix(err, "%s", file->path);
        goto failed;
    }
    *out = &file->base;
    return PAIMON_OK;
failed:
    pmn_orc_file_release(file);
    return status;
}

const pmn_format pmn_format_orc = { "orc", orc_open, NULL };
