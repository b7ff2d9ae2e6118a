/* paimon_format_open: a bare file as a stream of batches. */
#include "paimon-c/format.h"

#include <string.h>

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "format/format.h"
#include "io/env.h"

#define DEFAULT_BATCH_ROWS 16384
/* Freed batches that are kept for the next ones: a few batches of a wide file. */
#define KEEP_BYTES (64 * 1024 * 1024)

typedef struct file_stream {
    paimon_env *env; /* counted */
    pmn_mem *mem;
    pmn_format_file *file;
    pmn_format_reader *reader;
    pmn_buffer_pool *pool;
} file_stream;

static void file_stream_free(void *ctx)
{
    file_stream *s = ctx;
    pmn_format_reader_free(s->reader);
    pmn_format_file_close(s->file);
    if (s->pool) pmn_buffer_pool_release(s->pool);
    paimon_env *env = s->env;
    pmn_free(s->mem, s, sizeof *s);
    paimon_env_free(env);
}

static paimon_status file_stream_schema(void *ctx, struct ArrowSchema *out, paimon_error *err)
{
    file_stream *s = ctx;
    return pmn_schema_copy(s->mem, s->reader->ops->schema(s->reader), out, err);
}

static paimon_status file_stream_next(void *ctx, struct ArrowArray *out, paimon_error *err)
{
    file_stream *s = ctx;
    pmn_format_batch batch = { .first_row = 0 };
    PMN_TRY(s->reader->ops->next(s->reader, &batch, err));
    *out = batch.array;
    return PAIMON_OK;
}

static const pmn_array_source file_stream_source = { file_stream_schema, file_stream_next, file_stream_free };

static paimon_status find_format(pmn_mem *mem, paimon_fs *fs, const char *path, const pmn_format **out, int64_t *size, paimon_error *err)
{
    pmn_input *input;
    uint8_t head[4] = { 0, 0, 0, 0 };
    PMN_TRY(pmn_input_open(mem, fs, path, -1, &input, err));
    *size = pmn_input_size(input);
    int64_t n = *size < (int64_t)sizeof head ? *size : (int64_t)sizeof head;
    paimon_status status = pmn_input_read(input, 0, n, head, err);
    pmn_input_close(input);
    PMN_TRY(status);
    *out = pmn_format_sniff(pmn_slice_of(head, (size_t)n));
    if (*out) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CORRUPT, "%s: not a Parquet, ORC or Avro file: its %lld bytes begin with %02x %02x %02x %02x", path, (long long)*size, head[0], head[1], head[2], head[3]);
}

/* The file's own schema with only the asked columns, in the asked order. */
static paimon_status choose_columns(pmn_mem *mem, const struct ArrowSchema *all, const paimon_format_options *options, const char *path, struct ArrowSchema *out, paimon_error *err)
{
    if (options->n_columns > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "%s: too many columns asked", path);
    PMN_TRY(pmn_schema_new(mem, "+s", "", 0, (int)options->n_columns, out, err));
    for (size_t i = 0; i < options->n_columns; i++) {
        const char *name = options->columns[i];
        int at = name ? pmn_schema_find(all, name) : -1;
        paimon_status status = at < 0 ? pmn_fail(err, PAIMON_NOT_FOUND, "%s: the file has no column \"%s\"", path, name ? name : "(null)")
                                      : pmn_schema_copy(mem, all->children[at], out->children[i], err);
        if (status != PAIMON_OK) {
            pmn_schema_release(out);
            return status;
        }
    }
    return PAIMON_OK;
}

static paimon_status start_reader(file_stream *s, const paimon_format_options *options, const char *path, paimon_error *err)
{
    struct ArrowSchema all = { .release = NULL }, chosen = { .release = NULL };
    paimon_status status;
    pmn_format_read_options read = {
        .batch_rows = options->batch_rows ? options->batch_rows : DEFAULT_BATCH_ROWS,
        .pool = s->pool,
        .executor = s->env->executor,
        .n_threads = options->n_threads ? options->n_threads : 1,
    };
    if (options->columns) {
        PMN_GOTO(status, s->file->ops->schema(s->file, &all, err), done);
        PMN_GOTO(status, choose_columns(s->mem, &all, options, path, &chosen, err), done);
        read.schema = &chosen;
    }
    status = s->file->ops->read(s->file, &read, &s->reader, err);
done:
    pmn_schema_release(&all);
    pmn_schema_release(&chosen);
    return status;
}

static paimon_status open_stream(file_stream *s, const char *path, const paimon_format_options *options, paimon_error *err)
{
    const pmn_format *format;
    pmn_format_open_options open = { .mem = s->mem, .path = path, .verify_checksums = options->verify_checksums != 0 };
    PMN_TRY(pmn_env_fs(s->env, path, &open.fs, err));
    PMN_TRY(find_format(s->mem, open.fs, path, &format, &open.size_bytes, err));
    PMN_TRY(format->open(&open, &s->file, err));
    s->pool = pmn_buffer_pool_new(s->mem, KEEP_BYTES);
    if (!s->pool) return pmn_fail_nomem(err, "a buffer pool");
    return start_reader(s, options, path, err);
}

/* What the caller gave, with zeros where an older and shorter struct ends. */
static paimon_status take_format_options(const paimon_format_options *given, paimon_format_options *out, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    if (!given) return PAIMON_OK;
    if (given->struct_size < sizeof given->struct_size || given->struct_size > 4096)
        return pmn_fail(err, PAIMON_INVALID, "paimon_format_options: struct_size is %zu, expected %zu", given->struct_size, sizeof *out);
    memcpy(out, given, given->struct_size < sizeof *out ? given->struct_size : sizeof *out);
    if (out->batch_rows < 0 || out->n_threads < 0) return pmn_fail(err, PAIMON_INVALID, "paimon_format_options: batch_rows and n_threads cannot be negative");
    return PAIMON_OK;
}

paimon_status paimon_format_open(paimon_env *env, const char *path, const paimon_format_options *options, struct ArrowArrayStream *stream, paimon_error *err)
{
    paimon_format_options o;
    if (!path || !stream) return pmn_fail(err, PAIMON_INVALID, "paimon_format_open: path or stream is NULL");
    stream->release = NULL;
    PMN_TRY(take_format_options(options, &o, err));
    env = pmn_env_or_default(env);
    file_stream *s = pmn_calloc(env->mem, 1, sizeof *s);
    if (!s) return pmn_fail_nomem(err, "a stream");
    s->env = paimon_env_retain(env);
    s->mem = env->mem;
    paimon_status status = open_stream(s, path, &o, err);
    if (status != PAIMON_OK) {
        file_stream_free(s);
        return status;
    }
    return pmn_array_stream_new(s->mem, &file_stream_source, s, stream, err);
}
