/* Opening an Avro data file: the header, which has the writer's schema. How many rows there are is known to those who walk the blocks. */
#include "format/avro/file.h"

#include <string.h>

#define HEAD_FIRST_READ (64 * 1024)
#define HEAD_MOST_BYTES (64 * 1024 * 1024) /* a schema that is larger than this is no schema */

pmn_avro_file *pmn_avro_file_retain(pmn_avro_file *file)
{
    atomic_fetch_add_explicit(&file->refs, 1, memory_order_relaxed);
    return file;
}

void pmn_avro_file_release(pmn_avro_file *file)
{
    if (!file || atomic_fetch_sub_explicit(&file->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = file->mem;
    pmn_input_close(file->input);
    pmn_arena_free(&file->arena);
    if (file->head) pmn_free(mem, file->head, file->head_size);
    pmn_strfree(mem, file->path);
    pmn_free(mem, file, sizeof *file);
    pmn_mem_release(mem);
}

/* The first bytes, twice as many each time until they hold the header. */
static paimon_status avro_read_header(pmn_avro_file *file, paimon_error *err)
{
    for (size_t n = HEAD_FIRST_READ;; n *= 8) {
        if ((int64_t)n > file->size) n = (size_t)file->size;
        uint8_t *head = pmn_realloc(file->mem, file->head, file->head_size, n ? n : 1);
        if (!head) return pmn_fail_nomem(err, "the header of an Avro file");
        size_t had = file->head_size;
        file->head = head;
        file->head_size = n ? n : 1;
        PMN_TRY(pmn_input_read(file->input, (int64_t)had, (int64_t)(n - had), head + had, err));
        paimon_status status = pmn_avro_header_parse(pmn_slice_of(head, n), &file->header, err);
        bool whole = (int64_t)n == file->size || n > HEAD_MOST_BYTES || !pmn_avro_is_container(pmn_slice_of(head, n));
        if (status != PAIMON_CORRUPT || whole) return status;
        paimon_error_clear(err);
    }
}

static paimon_status avro_parse_file(pmn_avro_file *file, paimon_error *err)
{
    PMN_TRY(avro_read_header(file, err));
    PMN_TRY(pmn_avro_schema_parse(&file->arena, file->header.schema, &file->root, err));
    return pmn_avro_fields_build(&file->arena, file->root, &file->fields, err);
}

/* ---- the interface ---- */

static paimon_status avro_schema(pmn_format_file *base, struct ArrowSchema *out, paimon_error *err)
{
    pmn_avro_file *file = (pmn_avro_file *)base;
    paimon_status status = pmn_avro_fields_arrow(file->mem, &file->fields, out, err);
    if (status != PAIMON_OK) pmn_error_prefix(err, "%s", file->path);
    return status;
}

static int64_t avro_row_count(const pmn_format_file *base)
{
    (void)base;
    return -1;
}

static paimon_status avro_read(pmn_format_file *base, const pmn_format_read_options *options, pmn_format_reader **reader, paimon_error *err)
{
    return pmn_avro_reader_new((pmn_avro_file *)base, options, reader, err);
}

static paimon_status avro_describe(pmn_format_file *base, pmn_buf *out, paimon_error *err)
{
    pmn_avro_file *file = (pmn_avro_file *)base;
    paimon_status status = pmn_avro_describe(file, out, err);
    if (status != PAIMON_OK) pmn_error_prefix(err, "%s", file->path);
    return status;
}

static void avro_close(pmn_format_file *base) { pmn_avro_file_release((pmn_avro_file *)base); }

static const pmn_format_file_ops avro_file_ops = { avro_schema, avro_row_count, avro_read, avro_describe, avro_close };

static paimon_status avro_open(const pmn_format_open_options *options, pmn_format_file **out, paimon_error *err)
{
    paimon_status status;
    *out = NULL;
    pmn_avro_file *file = pmn_calloc(options->mem, 1, sizeof *file);
    if (!file) return pmn_fail_nomem(err, "an Avro file");
    file->base.ops = &avro_file_ops;
    atomic_init(&file->refs, 1);
    file->mem = pmn_mem_retain(options->mem);
    file->case_insensitive = options->case_insensitive;
    pmn_arena_init(&file->arena, file->mem);
    file->path = pmn_strndup(file->mem, options->path, strlen(options->path));
    if (!file->path) {
        status = pmn_fail_nomem(err, "an Avro file");
        goto failed;
    }
    PMN_GOTO(status, pmn_input_open(file->mem, options->fs, options->path, options->size_bytes, &file->input, err), failed);
    file->size = pmn_input_size(file->input);
    status = avro_parse_file(file, err);
    if (status != PAIMON_OK) {
        if (status != PAIMON_IO) pmn_error_prefix(err, "%s", file->path);
        goto failed;
    }
    *out = &file->base;
    return PAIMON_OK;
failed:
    pmn_avro_file_release(file);
    return status;
}

const pmn_format pmn_format_avro = { "avro", avro_open, pmn_avro_create };
