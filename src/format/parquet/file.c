/* Opening a Parquet file.
 *
 *   "PAR1"  row groups, indexes …  footer (FileMetaData in Thrift)  footer length (4 bytes, little-endian)  "PAR1"
 *
 * The last 64 KB are read in one request: they hold the footer of most files, and all of a small one. "PARE" at the end means that the
 * footer is encrypted. */
#include "format/parquet/file.h"

#include <stdio.h>
#include <string.h>

#include "format/parquet/describe.h"
#include "format/parquet/writer.h"

#define TAIL_FIRST_READ (64 * 1024)
#define FOOTER_END 8 /* length and magic */

pmn_parquet_file *pmn_parquet_file_retain(pmn_parquet_file *file)
{
    atomic_fetch_add_explicit(&file->refs, 1, memory_order_relaxed);
    return file;
}

void pmn_parquet_file_release(pmn_parquet_file *file)
{
    if (!file || atomic_fetch_sub_explicit(&file->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = file->mem;
    pmn_input_close(file->input);
    pmn_arena_free(&file->arena);
    pmn_free(mem, file->tail, file->tail_size);
    pmn_strfree(mem, file->path);
    pmn_free(mem, file, sizeof *file);
    pmn_mem_release(mem);
}

const uint8_t *pmn_parquet_file_peek(const pmn_parquet_file *file, int64_t offset, int64_t n)
{
    if (file->tail_size == 0 || offset < file->tail_offset || n < 0 || n > file->size - offset) return NULL;
    return file->tail + (offset - file->tail_offset);
}

paimon_status pmn_parquet_file_read(pmn_parquet_file *file, int64_t offset, int64_t n, void *dst, paimon_error *err)
{
    const uint8_t *kept = pmn_parquet_file_peek(file, offset, n);
    if (!kept) return pmn_input_read(file->input, offset, n, dst, err);
    if (n > 0) memcpy(dst, kept, (size_t)n);
    return PAIMON_OK;
}

static paimon_status read_tail(pmn_parquet_file *file, paimon_error *err)
{
    size_t n = file->size < TAIL_FIRST_READ ? (size_t)file->size : TAIL_FIRST_READ;
    uint8_t *tail = pmn_alloc(file->mem, n);
    if (!tail) return pmn_fail_nomem(err, "the end of a Parquet file");
    paimon_status status = pmn_input_read(file->input, file->size - (int64_t)n, (int64_t)n, tail, err);
    if (status != PAIMON_OK) {
        pmn_free(file->mem, tail, n);
        return status;
    }
    file->tail = tail;
    file->tail_size = n;
    file->tail_offset = file->size - (int64_t)n;
    return PAIMON_OK;
}

/* Where the footer is; `*n` is its length without the end. */
static paimon_status find_footer(const pmn_parquet_file *file, int64_t *offset, int64_t *n, paimon_error *err)
{
    const uint8_t *end = file->tail + file->tail_size;
    if (memcmp(end - 4, "PARE", 4) == 0) return pmn_fail(err, PAIMON_UNSUPPORTED, "a Parquet file with an encrypted footer is not supported");
    if (memcmp(end - 4, "PAR1", 4) != 0)
        return pmn_fail(err, PAIMON_CORRUPT, "not a Parquet file: it ends with %02x %02x %02x %02x, expected PAR1", end[-4], end[-3], end[-2], end[-1]);
    *n = pmn_load_le32(end - FOOTER_END);
    *offset = file->size - FOOTER_END - *n;
    if (*n == 0 || *offset < 4)
        return pmn_fail(err, PAIMON_CORRUPT, "a Parquet footer of %lld bytes does not fit in a file of %lld", (long long)*n, (long long)file->size);
    if (file->tail_offset == 0 && memcmp(file->tail, "PAR1", 4) != 0)
        return pmn_fail(err, PAIMON_CORRUPT, "not a Parquet file: it begins with %02x %02x %02x %02x, expected PAR1", file->tail[0], file->tail[1], file->tail[2], file->tail[3]);
    return PAIMON_OK;
}

static paimon_status check_against_schema(pmn_parquet_file *file, paimon_error *err)
{
    const pmn_parquet_schema *schema = &file->schema;
    pmn_parquet_physical *physical = pmn_arena_calloc(&file->arena, schema->n_leaves ? (size_t)schema->n_leaves : 1, sizeof *physical);
    if (!physical) return pmn_fail_nomem(err, "the columns of a Parquet file");
    for (int32_t i = 0; i < schema->n_leaves; i++) physical[i] = schema->leaves[i]->element->physical;
    PMN_TRY(pmn_parquet_meta_check(&file->meta, physical, schema->n_leaves, file->size, err));
    for (int32_t g = 0; g < file->meta.n_groups; g++) {
        const pmn_parquet_group *group = &file->meta.groups[g];
        for (int32_t c = 0; c < schema->n_leaves; c++) {
            const pmn_parquet_chunk *chunk = &group->chunks[c];
            if (schema->leaves[c]->max_rep > 0 || chunk->n_values == group->n_rows || chunk->encrypted || chunk->other_file) continue;
            return pmn_fail(err, PAIMON_CORRUPT, "row group %d has %lld rows, but its column \"%s\" has %lld values", g, (long long)group->n_rows,
                            pmn_parquet_leaf_path(&file->arena, schema->leaves[c]), (long long)chunk->n_values);
        }
    }
    return PAIMON_OK;
}

/* parquet-mr before 1.2.9 left the dictionary page's header out of total_compressed_size (PARQUET-816). */
static bool counts_short(pmn_slice created_by)
{
    char text[64];
    int major = 0, minor = 0, patch = 0;
    size_t n = created_by.size < sizeof text - 1 ? created_by.size : sizeof text - 1;
    if (n < 10 || memcmp(created_by.data, "parquet-mr", 10) != 0) return false;
    memcpy(text, created_by.data, n);
    text[n] = '\0';
    if (sscanf(text, "parquet-mr version %d.%d.%d", &major, &minor, &patch) < 2) return true;
    return major == 1 && (minor < 2 || (minor == 2 && patch < 9));
}

/* Arrow C++ before 2.0 compressed pages of version 2 and wrote is_compressed = false (ARROW-10353). */
static bool denies_compression(pmn_slice created_by)
{
    static const char old[] = "parquet-cpp version 1.";
    return created_by.size >= sizeof old - 1 && memcmp(created_by.data, old, sizeof old - 1) == 0;
}

static paimon_status read_footer(pmn_parquet_file *file, paimon_error *err)
{
    int64_t offset = 0, n = 0;
    if (file->size < 4 + FOOTER_END) return pmn_fail(err, PAIMON_CORRUPT, "not a Parquet file: it has %lld bytes, expected at least %d", (long long)file->size, 4 + FOOTER_END);
    PMN_TRY(read_tail(file, err));
    PMN_TRY(find_footer(file, &offset, &n, err));
    const uint8_t *kept = pmn_parquet_file_peek(file, offset, n);
    uint8_t *read = NULL;
    paimon_status status;
    if (!kept) {
        read = pmn_alloc(file->mem, (size_t)n);
        if (!read) return pmn_fail_nomem(err, "a Parquet footer");
        PMN_GOTO(status, pmn_input_read(file->input, offset, n, read, err), done);
        kept = read;
    }
    PMN_GOTO(status, pmn_parquet_meta_parse(&file->arena, pmn_slice_of(kept, (size_t)n), offset, &file->meta, err), done);
    PMN_GOTO(status, pmn_parquet_schema_build(&file->arena, &file->meta, &file->schema, err), done);
    file->short_chunks = counts_short(file->meta.created_by);
    file->denies_compression = denies_compression(file->meta.created_by);
    status = check_against_schema(file, err);
done:
    pmn_free(file->mem, read, read ? (size_t)n : 0);
    return status;
}

/* ---- the interface ---- */

static paimon_status file_schema(pmn_format_file *base, struct ArrowSchema *out, paimon_error *err)
{
    pmn_parquet_file *file = (pmn_parquet_file *)base;
    return pmn_parquet_schema_arrow(file->mem, &file->schema, out, err);
}

static int64_t file_row_count(const pmn_format_file *base) { return ((const pmn_parquet_file *)base)->meta.n_rows; }

static paimon_status file_read(pmn_format_file *base, const pmn_format_read_options *options, pmn_format_reader **reader, paimon_error *err)
{
    return pmn_parquet_reader_new((pmn_parquet_file *)base, options, reader, err);
}

static paimon_status file_describe(pmn_format_file *base, pmn_buf *out, paimon_error *err)
{
    return pmn_parquet_describe((const pmn_parquet_file *)base, out, err);
}

static void file_close(pmn_format_file *base) { pmn_parquet_file_release((pmn_parquet_file *)base); }

static const pmn_format_file_ops parquet_file_ops = { file_schema, file_row_count, file_read, file_describe, file_close };

paimon_status pmn_parquet_open(const pmn_format_open_options *options, pmn_format_file **out, paimon_error *err)
{
    paimon_status status;
    *out = NULL;
    pmn_parquet_file *file = pmn_calloc(options->mem, 1, sizeof *file);
    if (!file) return pmn_fail_nomem(err, "a Parquet file");
    file->base.ops = &parquet_file_ops;
    atomic_init(&file->refs, 1);
    file->mem = pmn_mem_retain(options->mem);
    file->case_insensitive = options->case_insensitive;
    file->verify_checksums = options->verify_checksums;
    pmn_arena_init(&file->arena, file->mem);
    file->path = pmn_strndup(file->mem, options->path, strlen(options->path));
    if (!file->path) {
        status = pmn_fail_nomem(err, "a Parquet file");
        goto failed;
    }
    PMN_GOTO(status, pmn_input_open(file->mem, options->fs, options->path, options->size_bytes, &file->input, err), failed);
    file->size = pmn_input_size(file->input);
    status = read_footer(file, err);
    if (status != PAIMON_OK) {
        if (status != PAIMON_IO) pmn_error_prefix(err, "%s", file->path);
        goto failed;
    }
    *out = &file->base;
    return PAIMON_OK;
failed:
    pmn_parquet_file_release(file);
    return status;
}

const pmn_format pmn_format_parquet = { "parquet", pmn_parquet_open, pmn_parquet_create };
