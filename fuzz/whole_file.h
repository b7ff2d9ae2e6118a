/* A whole data file: open it, describe it, read all of it, in small batches, then once more with filters that make use of whatever
 * statistics, bloom filters and indexes there are. What comes out must be arrays that keep their own promises. */
#ifndef FUZZ_WHOLE_FILE_H
#define FUZZ_WHOLE_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/support/check_arrow.h"
#include "format/format.h"
#include "paimon-c/fs.h"

static void fault(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

static const int32_t first_column[1] = { 0 };
static const pmn_type any = { .kind = PMN_INT, .nullable = true };
static const pmn_pred not_null = { .kind = PMN_PRED_LEAF, .op = PAIMON_OP_IS_NOT_NULL, .n_path = 1, .path = first_column, .type = &any };

/* `filter` NULL: everything. With `not_null` only some ranges, too. */
static void read_all(pmn_mem *mem, pmn_format_file *file, int64_t batch_rows, const struct ArrowSchema *schema, const pmn_pred *filter)
{
    static const pmn_row_range ranges[] = { { 1, 3 }, { 10, 300 }, { 2000, 1 }, { 5000, 100000 } };
    pmn_buffer_pool *pool = pmn_buffer_pool_new(mem, 1 << 20);
    pmn_format_read_options options = { .batch_rows = batch_rows, .pool = pool, .n_threads = 1, .want_positions = true };
    pmn_format_reader *reader;
    if (filter) {
        if (filter == &not_null) {
            options.ranges = ranges;
            options.n_ranges = 4;
        }
        options.filter = filter;
        options.filter_schema = schema;
    }
    if (file->ops->read(file, &options, &reader, NULL) == PAIMON_OK) {
        int64_t rows = 0;
        /* a few bytes may stand for very many equal rows: that is no fault, but takes time */
        while (rows < 200000) {
            pmn_format_batch batch = { .first_row = 0 };
            if (reader->ops->next(reader, &batch, NULL) != PAIMON_OK || !batch.array.release) break;
            if (batch.array.length < 1 || batch.array.length > batch_rows) fault("a batch of a wrong length");
            const char *wrong = check_arrow(reader->ops->schema(reader), &batch.array);
            if (wrong) fault(wrong);
            rows += batch.array.length;
            if (file->ops->row_count(file) >= 0 && rows > file->ops->row_count(file)) fault("more rows than the file has");
            batch.array.release(&batch.array);
        }
        pmn_format_reader_free(reader);
    }
    pmn_buffer_pool_release(pool);
}

static bool is_simple(const char *format)
{
    return strlen(format) == 1 ? strchr("bcsilfguz", *format) != NULL : strcmp(format, "tdD") == 0 || strcmp(format, "ttm") == 0 || strncmp(format, "ts", 2) == 0;
}

/* column = 0 OR column IS NULL, for a few columns, all joined by OR. */
static const pmn_pred *make_filter(pmn_arena *arena, const struct ArrowSchema *schema)
{
    pmn_pred *either = pmn_arena_calloc(arena, 1, sizeof *either);
    const pmn_pred **children = pmn_arena_calloc(arena, 8, sizeof *children);
    if (!either || !children) abort();
    either->kind = PMN_PRED_OR;
    either->children = children;
    for (int64_t i = 0; i < schema->n_children && either->n_children < 7; i++) {
        const pmn_type *type;
        if (!is_simple(schema->children[i]->format) || pmn_type_from_arrow(arena, schema->children[i], &type, NULL) != PAIMON_OK) continue;
        for (int k = 0; k < 2 && either->n_children < 8; k++) {
            pmn_pred *leaf = pmn_arena_calloc(arena, 1, sizeof *leaf);
            int32_t *path = pmn_arena_calloc(arena, 1, sizeof *path);
            pmn_datum *literal = pmn_arena_calloc(arena, 1, sizeof *literal);
            if (!leaf || !path || !literal) abort();
            *path = (int32_t)i;
            if (pmn_type_is_text(type) || pmn_type_is_bytes(type)) literal->v.bytes = pmn_slice_of("a", 1);
            *leaf = (pmn_pred){ .kind = PMN_PRED_LEAF, .op = k ? PAIMON_OP_IS_NULL : PAIMON_OP_EQ, .n_path = 1, .path = path, .type = type, .n_literals = !k, .literals = literal };
            children[either->n_children++] = leaf;
        }
    }
    return either->n_children ? either : NULL;
}

static void read_filtered(pmn_mem *mem, pmn_format_file *file)
{
    struct ArrowSchema schema;
    pmn_arena arena;
    if (file->ops->schema(file, &schema, NULL) != PAIMON_OK) return;
    pmn_arena_init(&arena, mem);
    const pmn_pred *filter = make_filter(&arena, &schema);
    if (filter) read_all(mem, file, 100, &schema, filter);
    if (schema.n_children > 0) read_all(mem, file, 100, &schema, &not_null);
    pmn_arena_free(&arena);
    pmn_schema_release(&schema);
}

static int fuzz_whole_file(const pmn_format *format, const uint8_t *data, size_t size)
{
    pmn_mem *mem = pmn_mem_new(NULL, 256 << 20);
    paimon_fs *fs;
    pmn_format_file *file;
    if (!mem || paimon_fs_memory(NULL, &fs, NULL) != PAIMON_OK || pmn_fs_replace(fs, "/fuzz", data, size, NULL) != PAIMON_OK) abort();
    pmn_format_open_options open = { .mem = mem, .fs = fs, .path = "/fuzz", .size_bytes = (int64_t)size };
    if (format->open(&open, &file, NULL) == PAIMON_OK) {
        pmn_buf text;
        pmn_buf_init(&text, mem, 16 << 20);
        if (file->ops->describe(file, &text, NULL) == PAIMON_OK && text.size == 0) fault("an empty description");
        pmn_buf_free(&text);
        read_all(mem, file, 4096, NULL, NULL);
        read_all(mem, file, 7, NULL, NULL);
        read_filtered(mem, file);
        pmn_format_file_close(file);
    }
    paimon_fs_free(fs);
    if (pmn_mem_current(mem) != 0) fault("memory is lost");
    pmn_mem_release(mem);
    return 0;
}

#endif
