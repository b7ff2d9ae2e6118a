/* The writer of data files: rows of Arrow batches become records of a container (writer.h), which goes out block by block. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bitmap.h"
#include "base/decimal.h"
#include "base/random.h"
#include "format/avro/file.h"
#include "format/avro/write_bounds.h"
#include "format/avro/write_plan.h"
#include "format/avro/writer.h"

#define OUT_BYTES (256 * 1024) /* blocks wait until they are so many */
#define MOST_LEAF_BYTES 32     /* of a branch and of a value that is no text */

typedef struct avro_file_writer {
    pmn_format_writer base; /* first */
    pmn_mem *mem;           /* counted */
    pmn_arena arena;
    paimon_fs *fs;    /* counted */
    const char *path; /* in the arena */
    pmn_output *output; /* NULL until there is something to write */
    pmn_avro_writer container;
    pmn_avro_write_node root;
    pmn_avro_range *ranges; /* one a column */
    pmn_column_bounds *bounds;
    int64_t sent; /* bytes that are out */
    int64_t row;  /* the one being written, of the file */
    bool failed, finished;
} avro_file_writer;

static uint8_t *store_long(uint8_t *p, int64_t value)
{
    uint64_t v = ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static uint8_t *avro_store_decimal(uint8_t *p, const uint8_t *value)
{
    pmn_i128 v;
    uint8_t bytes[16];
    memcpy(&v, value, sizeof v);
    size_t n = pmn_i128_to_be(v, bytes);
    p = store_long(p, (int64_t)n);
    memcpy(p, bytes, n);
    return p + n;
}

static paimon_status avro_put_value(avro_file_writer *w, const pmn_avro_write_node *node, const struct ArrowArray *array, int64_t row, paimon_error *err);

/* Items [from, to) of the child, which has its own offset. */
static paimon_status avro_put_items(avro_file_writer *w, const pmn_avro_write_node *node, const struct ArrowArray *child, int64_t from, int64_t to, paimon_error *err)
{
    pmn_buf *out = &w->container.block;
    PMN_TRY(pmn_avro_put_array_start(out, to - from, err));
    for (int64_t i = from; i < to; i++) {
        if (node->put != PMN_AVRO_PUT_MAP) {
            PMN_TRY(avro_put_value(w, &node->children[0], child, i, err));
            continue;
        }
        PMN_TRY(avro_put_value(w, &node->children[0], child->children[0], child->offset + i, err));
        PMN_TRY(avro_put_value(w, &node->children[1], child->children[1], child->offset + i, err));
    }
    return pmn_avro_put_array_end(out, err);
}

static paimon_status avro_put_row(avro_file_writer *w, const pmn_avro_write_node *node, const struct ArrowArray *array, int64_t at, paimon_error *err)
{
    for (int32_t i = 0; i < node->n_children; i++) PMN_TRY(avro_put_value(w, &node->children[i], array->children[i], at, err));
    return PAIMON_OK;
}

static paimon_status avro_put_text(pmn_buf *out, const uint8_t *bytes, int64_t n, paimon_error *err)
{
    PMN_TRY(pmn_buf_reserve(out, (size_t)n + MOST_LEAF_BYTES, err));
    uint8_t *p = store_long(out->data + out->size, n);
    if (n) memcpy(p, bytes, (size_t)n);
    out->size = (size_t)(p - out->data) + (size_t)n;
    return PAIMON_OK;
}

/* A value that is there, at place `at` of the array's buffers. */
static paimon_status avro_put_present(avro_file_writer *w, const pmn_avro_write_node *node, const struct ArrowArray *array, int64_t at, paimon_error *err)
{
    pmn_buf *out = &w->container.block;
    const uint8_t *values = array->n_buffers > 1 ? array->buffers[1] : NULL;
    uint8_t *p = out->data + out->size;
    switch (node->put) {
    case PMN_AVRO_PUT_BOOL: *p++ = pmn_bit_get(values, at); break;
    case PMN_AVRO_PUT_I8: p = store_long(p, ((const int8_t *)values)[at]); break;
    case PMN_AVRO_PUT_I16: p = store_long(p, ((const int16_t *)(const void *)values)[at]); break;
    case PMN_AVRO_PUT_I32: p = store_long(p, ((const int32_t *)(const void *)values)[at]); break;
    case PMN_AVRO_PUT_I64: {
        int64_t v = ((const int64_t *)(const void *)values)[at];
        if (__builtin_mul_overflow(v, node->factor, &v))
            return pmn_fail(err, PAIMON_INVALID, "column %s, row %lld: a timestamp that milliseconds cannot hold", node->name, (long long)w->row);
        p = store_long(p, v);
        break;
    }
    case PMN_AVRO_PUT_F32:
        pmn_store_le32(p, pmn_load_le32(values + 4 * at));
        p += 4;
        break;
    case PMN_AVRO_PUT_F64:
        pmn_store_le64(p, pmn_load_le64(values + 8 * at));
        p += 8;
        break;
    case PMN_AVRO_PUT_DECIMAL: p = avro_store_decimal(p, values + 16 * at); break;
    case PMN_AVRO_PUT_VAR32: {
        const int32_t *ends = (const int32_t *)(const void *)values;
        return avro_put_text(out, (const uint8_t *)array->buffers[2] + ends[at], ends[at + 1] - ends[at], err);
    }
    case PMN_AVRO_PUT_VAR64: {
        const int64_t *ends = (const int64_t *)(const void *)values;
        return avro_put_text(out, (const uint8_t *)array->buffers[2] + ends[at], ends[at + 1] - ends[at], err);
    }
    case PMN_AVRO_PUT_ROW: return avro_put_row(w, node, array, at, err);
    case PMN_AVRO_PUT_VECTOR: return avro_put_items(w, node, array->children[0], at * node->length, (at + 1) * node->length, err);
    case PMN_AVRO_PUT_ARRAY:
    case PMN_AVRO_PUT_MAP: {
        const int32_t *ends = (const int32_t *)(const void *)values;
        return avro_put_items(w, node, array->children[0], ends[at], ends[at + 1], err);
    }
    }
    out->size = (size_t)(p - out->data);
    return PAIMON_OK;
}

/* `row` of the array, whose offset is added. */
static paimon_status avro_put_value(avro_file_writer *w, const pmn_avro_write_node *node, const struct ArrowArray *array, int64_t row, paimon_error *err)
{
    pmn_buf *out = &w->container.block;
    int64_t at = array->offset + row;
    const uint8_t *valid = array->n_buffers > 0 ? array->buffers[0] : NULL;
    bool is_null = valid && !pmn_bit_get(valid, at);
    PMN_TRY(pmn_buf_reserve(out, MOST_LEAF_BYTES, err));
    if (node->nullable) out->data[out->size++] = is_null ? 0 : 2;
    if (!is_null) return avro_put_present(w, node, array, at, err);
    return node->nullable ? PAIMON_OK
                          : pmn_fail(err, PAIMON_INVALID, "column %s, row %lld: a null where the type is NOT NULL", node->name, (long long)w->row);
}

/* ---- the interface ---- */

static paimon_status send_out(avro_file_writer *w, paimon_error *err)
{
    pmn_buf *file = &w->container.file;
    if (!w->output) PMN_TRY(pmn_output_open(w->mem, w->fs, w->path, &w->output, err));
    PMN_TRY(pmn_output_write(w->output, file->data, file->size, err));
    w->sent += (int64_t)file->size;
    pmn_buf_clear(file);
    return PAIMON_OK;
}

static paimon_status avro_write_rows(avro_file_writer *w, const struct ArrowArray *batch, int64_t first, int64_t count, paimon_error *err)
{
    for (int32_t i = 0; i < w->root.n_children; i++) PMN_TRY(pmn_avro_range_add(&w->ranges[i], batch->children[i], batch->offset + first, count, err));
    for (int64_t i = 0; i < count; i++, w->row++) {
        PMN_TRY(avro_put_row(w, &w->root, batch, batch->offset + first + i, err));
        PMN_TRY(pmn_avro_writer_end_record(&w->container, err));
        if (w->container.file.size >= OUT_BYTES) PMN_TRY(send_out(w, err));
    }
    return PAIMON_OK;
}

static paimon_status avro_write(pmn_format_writer *base, struct ArrowArray *batch, int64_t first, int64_t count, paimon_error *err)
{
    avro_file_writer *w = (avro_file_writer *)base;
    if (w->failed || w->finished) return pmn_fail(err, PAIMON_STATE, "an Avro writer that %s cannot write", w->failed ? "failed" : "is finished");
    if (batch->n_children != w->root.n_children) return pmn_fail(err, PAIMON_INVALID, "%lld columns where %d were declared", (long long)batch->n_children, (int)w->root.n_children);
    if (first < 0 || count < 0 || first > batch->length - count) return pmn_fail(err, PAIMON_INVALID, "rows %lld to %lld of a batch of %lld", (long long)first, (long long)(first + count), (long long)batch->length);
    paimon_status status = avro_write_rows(w, batch, first, count, err);
    w->failed = status != PAIMON_OK;
    return status;
}

static int64_t size_of(const avro_file_writer *w)
{
    return w->sent + (int64_t)w->container.file.size + (int64_t)w->container.block.size;
}

static paimon_status avro_measure(pmn_format_writer *base, pmn_format_measure *out, paimon_error *err)
{
    const avro_file_writer *w = (const avro_file_writer *)base;
    (void)err;
    out->size_bytes = size_of(w);
    out->memory_bytes = (int64_t)(sizeof *w + w->arena.total + w->container.file.capacity + w->container.block.capacity);
    return PAIMON_OK;
}

static int64_t avro_most_size(const pmn_format_writer *base) { return size_of((const avro_file_writer *)base); }

static paimon_status avro_flush(pmn_format_writer *base, paimon_error *err)
{
    avro_file_writer *w = (avro_file_writer *)base;
    if (w->failed || w->finished || w->row == 0) return PAIMON_OK;
    paimon_status status = pmn_avro_writer_finish(&w->container, err); /* ends a block; others may follow */
    if (status == PAIMON_OK) status = send_out(w, err);
    w->failed = status != PAIMON_OK;
    if (w->failed) return status;
    pmn_buf_free(&w->container.file);
    pmn_buf_free(&w->container.block);
    return PAIMON_OK;
}

static paimon_status finish_container(avro_file_writer *w, pmn_format_written *out, paimon_error *err)
{
    PMN_TRY(pmn_avro_writer_finish(&w->container, err));
    PMN_TRY(send_out(w, err));
    out->size_bytes = pmn_output_position(w->output);
    PMN_TRY(pmn_output_finish(w->output, err));
    for (int32_t i = 0; i < w->root.n_children; i++) pmn_avro_range_tell(&w->ranges[i], &w->bounds[i]);
    out->rows = w->row;
    out->bounds = w->bounds;
    return PAIMON_OK;
}

static paimon_status avro_finish(pmn_format_writer *base, pmn_format_written *out, paimon_error *err)
{
    avro_file_writer *w = (avro_file_writer *)base;
    memset(out, 0, sizeof *out);
    if (w->failed || w->finished) return pmn_fail(err, PAIMON_STATE, "an Avro writer that %s cannot finish", w->failed ? "failed" : "is finished");
    paimon_status status = finish_container(w, out, err);
    w->failed = status != PAIMON_OK;
    w->finished = !w->failed;
    return status;
}

static void avro_free(pmn_format_writer *base)
{
    avro_file_writer *w = (avro_file_writer *)base;
    pmn_mem *mem = w->mem;
    pmn_output_free(w->output);
    pmn_avro_writer_free(&w->container);
    for (int32_t i = 0; w->ranges && i < w->root.n_children; i++) pmn_avro_range_free(&w->ranges[i]);
    paimon_fs_free(w->fs);
    pmn_arena_free(&w->arena);
    pmn_free(mem, w, sizeof *w);
    pmn_mem_release(mem);
}

static const pmn_format_writer_ops avro_writer_ops = { avro_write, avro_measure, avro_most_size, avro_flush, avro_finish, avro_free };

/* avro.codec, else file.compression, whose zstd is Avro's zstandard; other names are Avro's own. */
static paimon_status choose_codec(const pmn_format_write_options *options, const char **codec, int *level, paimon_error *err)
{
    static const char *const names[] = { "null", "deflate", "snappy", "zstandard", "bzip2", "xz" };
    const char *key = "avro.codec", *text = options->get ? options->get(options->options_ctx, key) : NULL;
    if (!text) text = options->get ? options->get(options->options_ctx, key = "file.compression") : NULL;
    if (!text || strcasecmp(text, "zstd") == 0) text = "zstandard";
    *codec = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i]) == 0) *codec = names[i];
    if (!*codec) return pmn_fail(err, PAIMON_INVALID, "option %s: \"%s\" is not a codec of Avro (null, deflate, snappy, zstandard, bzip2, xz)", key, text);
    *level = 1;
    text = options->get ? options->get(options->options_ctx, key = "file.compression.zstd-level") : NULL;
    char rest;
    if (text && (sscanf(text, "%d %c", level, &rest) != 1 || *level < -131072 || *level > 22))
        return pmn_fail(err, PAIMON_INVALID, "option %s: \"%s\" is not a valid value", key, text);
    return PAIMON_OK;
}

static paimon_status make_ranges(avro_file_writer *w, const pmn_type *row, paimon_error *err)
{
    w->bounds = pmn_arena_calloc(&w->arena, (size_t)row->n_fields + 1, sizeof *w->bounds);
    pmn_avro_range *ranges = pmn_arena_calloc(&w->arena, (size_t)row->n_fields + 1, sizeof *ranges);
    if (!w->bounds || !ranges) return pmn_fail_nomem(err, "an Avro writer");
    for (int32_t i = 0; i < row->n_fields; i++) pmn_avro_range_init(&ranges[i], w->mem, row->fields[i].type);
    w->ranges = ranges;
    return PAIMON_OK;
}

static paimon_status start_container(avro_file_writer *w, const pmn_format_write_options *options, paimon_error *err)
{
    const char *codec;
    int level;
    uint8_t sync[16];
    pmn_buf schema;
    PMN_TRY(choose_codec(options, &codec, &level, err));
    PMN_TRY(pmn_random_bytes(sync, sizeof sync, err));
    pmn_buf_init(&schema, w->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_avro_write_plan(&w->arena, options->row, &w->root, &schema, err);
    if (status == PAIMON_OK) status = pmn_avro_writer_init(&w->container, w->mem, (const char *)schema.data, codec, level, sync, err);
    pmn_buf_free(&schema);
    return status == PAIMON_OK ? make_ranges(w, options->row, err) : status;
}

paimon_status pmn_avro_create(const pmn_format_write_options *options, pmn_format_writer **out, paimon_error *err)
{
    *out = NULL;
    avro_file_writer *w = pmn_calloc(options->mem, 1, sizeof *w);
    if (!w) return pmn_fail_nomem(err, "an Avro writer");
    w->base.ops = &avro_writer_ops;
    w->mem = pmn_mem_retain(options->mem);
    w->fs = paimon_fs_retain(options->fs);
    pmn_arena_init(&w->arena, w->mem);
    w->path = pmn_arena_strdup(&w->arena, options->path);
    paimon_status status = w->path ? start_container(w, options, err) : pmn_fail_nomem(err, "an Avro writer");
    if (status != PAIMON_OK) {
        avro_free(&w->base);
        return status;
    }
    *out = &w->base;
    return PAIMON_OK;
}
