#include "meta/manifest/columnar_records.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "format/format.h"
#include "io/fs_impl.h"
#include "types/type.h"

#define COPY_PATH "mem:/records"
#define COPY_BATCH_ROWS 1024
#define COPY_POOL_BYTES ((size_t)1 << 20)

typedef struct record_copy {
    pmn_mem *mem;
    pmn_arena arena;
    pmn_buffer_pool *pool;
    pmn_format_file *file;
    pmn_format_reader *reader;
    paimon_fs *out_fs;
    pmn_format_writer *writer;
    struct ArrowSchema natural, wanted;
    const pmn_type *row;
} record_copy;

/* Times of metadata are milliseconds; ORC does not say so. The others as they are. */
static paimon_status type_in_millis(pmn_arena *arena, const pmn_type *type, const pmn_type **out, paimon_error *err)
{
    bool is_time = type->kind == PMN_TIMESTAMP;
    *out = type;
    if (!is_time && type->n_fields == 0) return PAIMON_OK;
    pmn_type *copy = pmn_arena_copy(arena, type, sizeof *type);
    if (!copy) return pmn_fail_nomem(err, "a type");
    if (is_time) copy->length = 3;
    pmn_field *fields = pmn_arena_copy(arena, type->fields, (size_t)type->n_fields * sizeof *fields);
    if (!fields) return pmn_fail_nomem(err, "a type");
    for (int32_t i = 0; i < type->n_fields; i++) PMN_TRY(type_in_millis(arena, type->fields[i].type, &fields[i].type, err));
    copy->fields = fields;
    *out = copy;
    return PAIMON_OK;
}

static paimon_status open_source(record_copy *k, const pmn_format *format, paimon_fs *fs, const char *path, int64_t size, paimon_error *err)
{
    const pmn_type *natural;
    pmn_format_open_options options = { .mem = k->mem, .fs = fs, .path = path, .size_bytes = size };
    PMN_TRY(format->open(&options, &k->file, err));
    PMN_TRY(k->file->ops->schema(k->file, &k->natural, err));
    PMN_TRY(pmn_type_from_arrow(&k->arena, &k->natural, &natural, err));
    PMN_TRY(type_in_millis(&k->arena, natural, &k->row, err));
    PMN_TRY(pmn_row_to_arrow(k->mem, k->row, &k->wanted, err));
    pmn_format_read_options read = { .schema = &k->wanted, .batch_rows = COPY_BATCH_ROWS, .pool = k->pool, .n_threads = 1 };
    return k->file->ops->read(k->file, &read, &k->reader, err);
}

static const char *uncompressed(const void *ctx, const char *key)
{
    (void)ctx;
    return strcmp(key, "avro.codec") == 0 ? "null" : NULL;
}

static paimon_status open_target(record_copy *k, paimon_error *err)
{
    const pmn_format *avro = NULL;
    PMN_TRY(pmn_format_find("avro", &avro, err));
    PMN_TRY(pmn_fs_memory_new(k->mem, &k->out_fs, err));
    pmn_format_write_options options = { .mem = k->mem, .fs = k->out_fs, .path = COPY_PATH, .row = k->row, .get = uncompressed, .n_threads = 1 };
    return avro->create(&options, &k->writer, err);
}

static paimon_status copy_records(record_copy *k, paimon_error *err)
{
    for (;;) {
        pmn_format_batch batch;
        PMN_TRY(k->reader->ops->next(k->reader, &batch, err));
        if (!batch.array.release) return PAIMON_OK;
        paimon_status status = k->writer->ops->write(k->writer, &batch.array, 0, batch.array.length, err);
        pmn_array_release(&batch.array);
        PMN_TRY(status);
    }
}

static paimon_status run_copy(record_copy *k, const pmn_format *format, paimon_fs *fs, const char *path, pmn_buf *bytes, paimon_error *err)
{
    pmn_format_written written;
    k->pool = pmn_buffer_pool_new(k->mem, COPY_POOL_BYTES);
    if (!k->pool) return pmn_fail_nomem(err, "a metadata file");
    PMN_TRY(open_source(k, format, fs, path, (int64_t)bytes->size, err));
    PMN_TRY(open_target(k, err));
    PMN_TRY(copy_records(k, err));
    PMN_TRY(k->writer->ops->finish(k->writer, &written, err));
    pmn_buf_clear(bytes);
    return pmn_fs_read_all(k->mem, k->out_fs, COPY_PATH, bytes->ceiling, bytes, err);
}

paimon_status pmn_records_make_avro(pmn_mem *mem, paimon_fs *fs, const char *path, pmn_buf *bytes, paimon_error *err)
{
    const pmn_format *format = pmn_format_sniff(pmn_slice_of(bytes->data, bytes->size));
    if (!format || strcmp(format->name, "avro") == 0) return PAIMON_OK;
    record_copy k = { .mem = mem };
    pmn_arena_init(&k.arena, mem);
    paimon_status status = run_copy(&k, format, fs, path, bytes, err);
    pmn_format_reader_free(k.reader);
    pmn_format_file_close(k.file);
    pmn_format_writer_free(k.writer);
    paimon_fs_free(k.out_fs);
    pmn_schema_release(&k.natural);
    pmn_schema_release(&k.wanted);
    pmn_buffer_pool_release(k.pool);
    pmn_arena_free(&k.arena);
    return status;
}
