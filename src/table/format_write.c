/* paimon_format_write: a stream of batches as one bare file. */
#include <stdlib.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "format/format.h"
#include "io/env.h"
#include "paimon-c/format.h"
#include "types/type.h"
#include "write/columns.h"

#define KEEP_FREED_BYTES (16 << 20)
#define MOST_FORMAT_THREADS 256

typedef struct file_sink {
    paimon_env *env; /* borrowed for the call, as all that comes from outside */
    pmn_mem *mem;
    pmn_arena arena;
    pmn_buffer_pool *pool;
    paimon_fs *fs; /* counted */
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema;
    const pmn_type *row;
    pmn_write_columns columns;
    pmn_format_writer *writer;
    int64_t rows;
} file_sink;

/* Each status of a stream of ours has one errno (status.h); of others it may be any. */
static paimon_status status_of_errno(int number)
{
    for (int status = PAIMON_INVALID; status < PAIMON_INTERNAL; status++)
        if (pmn_status_errno((paimon_status)status) == number) return (paimon_status)status;
    return PAIMON_IO;
}

static paimon_status stream_error(struct ArrowArrayStream *stream, int number, paimon_error *err)
{
    const char *text = stream->get_last_error(stream);
    return pmn_fail(err, status_of_errno(number), "%s", text ? text : strerror(number));
}

static bool child_of(const pmn_type *type, const struct ArrowSchema *schema, int32_t i, const struct ArrowSchema **out)
{
    if (type->kind == PMN_MAP || type->kind == PMN_MULTISET) schema = schema->children[0];
    *out = schema->n_children > i ? schema->children[i] : NULL;
    return *out != NULL;
}

/* Ids that the fields bring along stay theirs; the type is our own, just made. */
static void keep_ids(const pmn_type *type, const struct ArrowSchema *schema, int depth)
{
    if (depth > PMN_TYPE_MAX_DEPTH) return;
    for (int32_t i = 0; i < type->n_fields; i++) {
        const struct ArrowSchema *child;
        const char *text;
        int32_t size;
        char digits[16];
        if (!child_of(type, schema, i, &child)) continue;
        keep_ids(type->fields[i].type, child, depth + 1);
        if (type->kind != PMN_ROW || !pmn_schema_metadata(child, "PARQUET:field_id", &text, &size) || size <= 0 || size > 10) continue;
        memcpy(digits, text, (size_t)size);
        digits[size] = '\0';
        char *end;
        long id = strtol(digits, &end, 10);
        if (*end == '\0' && id >= 0 && id <= INT32_MAX) ((pmn_field *)(uintptr_t)type->fields)[i].id = (int32_t)id;
    }
}

static const char *given_option(const void *ctx, const char *key)
{
    const paimon_format_write_options *o = ctx;
    for (size_t i = o->n_options; i-- > 0;)
        if (strcmp(o->options[i].key, key) == 0) return o->options[i].value;
    return NULL;
}

static paimon_status find_write_format(const paimon_format_write_options *o, const char *path, const pmn_format **out, paimon_error *err)
{
    char name[32];
    pmn_slice extension = o->format ? pmn_slice_text(o->format) : pmn_format_extension(path);
    if (extension.size == 0 || extension.size >= sizeof name) return pmn_fail(err, PAIMON_INVALID, "%s: which format is it to be? The name does not tell", path);
    memcpy(name, extension.data, extension.size);
    name[extension.size] = '\0';
    PMN_TRY(pmn_format_find(name, out, err));
    return (*out)->create ? PAIMON_OK : pmn_fail(err, PAIMON_UNSUPPORTED, "writing %s files is not supported yet", (*out)->name);
}

static paimon_status clear_place(file_sink *s, const char *path, bool replace, paimon_error *err)
{
    bool exists;
    PMN_TRY(pmn_fs_exists(s->fs, path, &exists, NULL, err));
    if (!exists) return PAIMON_OK;
    return replace ? pmn_fs_remove(s->fs, path, err) : pmn_fail(err, PAIMON_ALREADY_EXISTS, "%s exists", path);
}

static paimon_status start_file(file_sink *s, const char *path, const paimon_format_write_options *o, paimon_error *err)
{
    const pmn_format *format;
    PMN_TRY(find_write_format(o, path, &format, err));
    PMN_TRY(pmn_env_fs(s->env, path, &s->fs, err));
    paimon_fs_retain(s->fs);
    int number = s->stream->get_schema(s->stream, &s->schema);
    if (number != 0) return stream_error(s->stream, number, err);
    PMN_TRY(pmn_type_from_arrow(&s->arena, &s->schema, &s->row, err));
    if (s->row->kind != PMN_ROW) return pmn_fail(err, PAIMON_INVALID, "the batches' Arrow type is '%s', a struct is expected", s->schema.format);
    keep_ids(s->row, &s->schema, 0);
    PMN_TRY(pmn_write_columns_make(&s->arena, s->row, &s->schema, &s->columns, err));
    s->pool = pmn_buffer_pool_new(s->mem, KEEP_FREED_BYTES);
    if (!s->pool) return pmn_fail_nomem(err, "a buffer pool");
    PMN_TRY(pmn_write_columns_check(&s->columns, s->pool, err));
    int32_t threads = o->n_threads > 0 ? o->n_threads : 1;
    pmn_format_write_options write = { .mem = s->mem, .fs = s->fs, .path = path, .row = s->row, .get = given_option, .options_ctx = o,
                                       .executor = threads > 1 ? s->env->executor : NULL, .n_threads = threads };
    PMN_TRY(format->create(&write, &s->writer, err));
    return clear_place(s, path, o->replace != 0, err);
}

static paimon_status write_batch_to_file(file_sink *s, struct ArrowArray *batch, paimon_error *err)
{
    struct ArrowArray columns;
    PMN_TRY(pmn_write_columns_take(&s->columns, s->pool, batch, &columns, err));
    paimon_status status = s->writer->ops->write(s->writer, &columns, 0, columns.length, err);
    s->rows += columns.length;
    pmn_array_release(&columns);
    return status;
}

static paimon_status write_stream(file_sink *s, paimon_error *err)
{
    pmn_format_written written;
    for (;;) {
        struct ArrowArray batch = { .release = NULL };
        int number = s->stream->get_next(s->stream, &batch);
        if (number != 0) return stream_error(s->stream, number, err);
        if (!batch.release) return s->writer->ops->finish(s->writer, &written, err);
        paimon_status status = write_batch_to_file(s, &batch, err);
        pmn_array_release(&batch);
        PMN_TRY(status);
    }
}

static paimon_status take_write_options(const paimon_format_write_options *given, paimon_format_write_options *out, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    if (!given) return PAIMON_OK;
    if (given->struct_size < sizeof given->struct_size || given->struct_size > 4096)
        return pmn_fail(err, PAIMON_INVALID, "paimon_format_write_options: struct_size is %zu, expected %zu", given->struct_size, sizeof *out);
    memcpy(out, given, given->struct_size < sizeof *out ? given->struct_size : sizeof *out);
    if (out->n_threads < 0 || out->n_threads > MOST_FORMAT_THREADS)
        return pmn_fail(err, PAIMON_INVALID, "paimon_format_write_options: %d threads, 0 to %d expected", (int)out->n_threads, MOST_FORMAT_THREADS);
    for (size_t i = 0; i < out->n_options; i++)
        if (!out->options || !out->options[i].key || !out->options[i].value) return pmn_fail(err, PAIMON_INVALID, "paimon_format_write_options: option %zu is NULL", i);
    return PAIMON_OK;
}

paimon_status paimon_format_write(paimon_env *env, const char *path, struct ArrowArrayStream *stream, const paimon_format_write_options *options, int64_t *rows,
                                  paimon_error *err)
{
    paimon_format_write_options o;
    if (!stream || !stream->release) return pmn_fail(err, PAIMON_INVALID, "paimon_format_write: the stream is NULL or released");
    file_sink s = { .env = pmn_env_or_default(env), .stream = stream };
    paimon_status status = path ? take_write_options(options, &o, err) : pmn_fail(err, PAIMON_INVALID, "paimon_format_write: path is NULL");
    s.mem = s.env->mem;
    pmn_arena_init(&s.arena, s.mem);
    if (status == PAIMON_OK) status = start_file(&s, path, &o, err);
    if (status == PAIMON_OK) status = write_stream(&s, err);
    if (status == PAIMON_OK && rows) *rows = s.rows;
    pmn_format_writer_free(s.writer); /* removes an unfinished file */
    pmn_schema_release(&s.schema);
    if (s.pool) pmn_buffer_pool_release(s.pool);
    paimon_fs_free(s.fs);
    pmn_arena_free(&s.arena);
    stream->release(stream);
    return status;
}
