/* A reader of a format against itself: however rows are asked for (ranges, filters, batch sizes, threads), they are those of the plain
 * reading. What the plain reading must give is judged elsewhere. */
#ifndef TESTS_SUPPORT_READ_SOMEHOW_H
#define TESTS_SUPPORT_READ_SOMEHOW_H

#include <glob.h>

#include "arrow/array.h"
#include "base/env.h"
#include "format/format.h"
#include "paimon-c/fs.h"
#include "support/arrow_rows.h"
#include "support/failing_alloc.h"
#include "support/unit.h"

typedef struct opened {
    paimon_env *env;
    paimon_fs *fs;
    pmn_buffer_pool *pool;
    pmn_format_file *file;
    struct ArrowSchema schema;
} opened;

/* By the file's name. */
static inline const pmn_format *format_of(const char *path)
{
    const pmn_format *format;
    assert_int_equal(pmn_format_find((const char *)pmn_format_extension(path).data, &format, NULL), PAIMON_OK);
    return format;
}

static inline bool open_file(const char *path, opened *o)
{
    memset(o, 0, sizeof *o);
    assert_int_equal(paimon_env_new(NULL, &o->env, NULL), PAIMON_OK);
    assert_int_equal(paimon_fs_local(o->env, &o->fs, NULL), PAIMON_OK);
    pmn_format_open_options options = { .mem = o->env->mem, .fs = o->fs, .path = path, .size_bytes = -1 };
    paimon_error err = PAIMON_ERROR_INIT;
    if (format_of(path)->open(&options, &o->file, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    if (o->file->ops->schema(o->file, &o->schema, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    o->pool = pmn_buffer_pool_new(o->env->mem, 1 << 24);
    assert_non_null(o->pool);
    return true;
}

static inline void close_file(opened *o)
{
    pmn_schema_release(&o->schema);
    pmn_format_file_close(o->file);
    pmn_buffer_pool_release(o->pool);
    paimon_fs_free(o->fs);
    paimon_env_free(o->env);
}

static inline pmn_format_read_options plain_options(const opened *o)
{
    pmn_format_read_options options = { .batch_rows = 1000, .pool = o->pool, .n_threads = 1 };
    return options;
}

static inline void read_all(const opened *o, row_list *rows)
{
    pmn_format_read_options options = plain_options(o);
    pmn_format_reader *reader;
    paimon_error err = PAIMON_ERROR_INIT;
    if (o->file->ops->read(o->file, &options, &reader, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    while (true) {
        pmn_format_batch batch;
        if (reader->ops->next(reader, &batch, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
        if (!batch.array.release) break;
        assert_true(batch.array.length > 0 && batch.array.length <= 1000);
        assert_int_equal(batch.first_row, rows->n);
        row_list_add(rows, &o->schema, &batch.array);
        pmn_array_release(&batch.array);
    }
    pmn_format_reader_free(reader);
}

/* A leaf predicate on a random column with the value of a random row; false if the column's type does not go. */
static inline bool random_leaf(pmn_arena *arena, const opened *o, const struct ArrowArray *sample, uint64_t *seed, pmn_pred *leaf)
{
    int32_t c = (int32_t)random_below(seed, (uint64_t)o->schema.n_children);
    const pmn_type *type;
    if (pmn_type_from_arrow(arena, o->schema.children[c], &type, NULL) != PAIMON_OK) return false;
    memset(leaf, 0, sizeof *leaf);
    leaf->kind = PMN_PRED_LEAF;
    leaf->n_path = 1;
    leaf->path = pmn_arena_copy(arena, &c, sizeof c);
    leaf->type = type;
    if (!pmn_type_is_atomic(type) || random_below(seed, 5) == 0) {
        leaf->op = random_below(seed, 2) ? PAIMON_OP_IS_NULL : PAIMON_OP_IS_NOT_NULL;
        return true;
    }
    static const paimon_predicate_op ops[] = { PAIMON_OP_EQ, PAIMON_OP_NE, PAIMON_OP_LT, PAIMON_OP_LE, PAIMON_OP_GT, PAIMON_OP_GE };
    leaf->op = ops[random_below(seed, sizeof ops / sizeof *ops)];
    pmn_datum value, *copy = pmn_arena_alloc(arena, sizeof *copy);
    int64_t row = (int64_t)random_below(seed, (uint64_t)sample->length);
    if (pmn_datum_from_arrow(type, o->schema.children[c], sample->children[c], row, &value, NULL) != PAIMON_OK || value.is_null) return false;
    assert_int_equal(pmn_datum_copy(arena, type, &value, copy, NULL), PAIMON_OK);
    leaf->literals = copy;
    leaf->n_literals = 1;
    return true;
}

static inline const pmn_pred *random_filter(pmn_arena *arena, const opened *o, const struct ArrowArray *sample, uint64_t *seed)
{
    int n = 1 + (int)random_below(seed, 2);
    const pmn_pred **children = pmn_arena_calloc(arena, 2, sizeof *children);
    for (int i = 0; i < n; i++) {
        pmn_pred *leaf = pmn_arena_alloc(arena, sizeof *leaf);
        if (!random_leaf(arena, o, sample, seed, leaf)) return NULL;
        children[i] = leaf;
    }
    if (n == 1) return children[0];
    pmn_pred *both = pmn_arena_calloc(arena, 1, sizeof *both);
    both->kind = random_below(seed, 2) ? PMN_PRED_AND : PMN_PRED_OR;
    both->n_children = 2;
    both->children = children;
    return both;
}

/* keep[row] of the file for a filter, by evaluating it on the plain reading. */
static inline void judge_filter(const opened *o, const pmn_pred *filter, uint8_t *keep)
{
    pmn_format_read_options options = plain_options(o);
    pmn_format_reader *reader;
    int32_t columns[4096];
    assert_true(o->schema.n_children < 4096);
    for (int32_t i = 0; i < o->schema.n_children; i++) columns[i] = i;
    assert_int_equal(o->file->ops->read(o->file, &options, &reader, NULL), PAIMON_OK);
    while (true) {
        pmn_format_batch batch;
        uint8_t selected[256];
        int64_t n;
        assert_int_equal(reader->ops->next(reader, &batch, NULL), PAIMON_OK);
        if (!batch.array.release) break;
        assert_int_equal(pmn_pred_eval(filter, &o->schema, &batch.array, columns, pmn_mem_default(), selected, &n, NULL), PAIMON_OK);
        for (int64_t i = 0; i < batch.array.length; i++) keep[batch.first_row + i] = pmn_bit_get(selected, i);
        pmn_array_release(&batch.array);
    }
    pmn_format_reader_free(reader);
}

static inline int32_t random_ranges(uint64_t *seed, int64_t n_rows, pmn_row_range *ranges, int32_t max)
{
    int64_t at = 0;
    int32_t n = 0;
    int64_t scale = (int64_t)1 << random_below(seed, 12);
    while (n < max && at < n_rows) {
        at += (int64_t)random_below(seed, (uint64_t)scale * 2);
        ranges[n].first = at;
        ranges[n].count = 1 + (int64_t)random_below(seed, (uint64_t)scale);
        at += ranges[n].count;
        n++;
    }
    return n;
}

/* One random way of asking; `rows` is the plain reading. */
static inline void ask_somehow(const opened *o, const row_list *rows, const struct ArrowArray *sample, uint64_t *seed, const char *path)
{
    pmn_arena arena;
    pmn_row_range ranges[64];
    pmn_format_read_options options = plain_options(o);
    uint8_t *keep = malloc((size_t)rows->n + 1);
    memset(keep, 1, (size_t)rows->n + 1);
    pmn_arena_init(&arena, pmn_mem_default());
    options.batch_rows = 1 + (int64_t)random_below(seed, random_below(seed, 2) ? 50 : 20000);
    options.want_positions = true;
    if (random_below(seed, 3) == 0) {
        options.executor = o->env->executor;
        options.n_threads = 3;
    }
    if (random_below(seed, 2)) {
        options.filter = random_filter(&arena, o, sample, seed);
        options.filter_schema = &o->schema;
        if (options.filter) judge_filter(o, options.filter, keep);
    }
    if (random_below(seed, 2)) {
        options.ranges = ranges;
        options.n_ranges = random_ranges(seed, rows->n, ranges, 64);
        uint8_t *inside = calloc((size_t)rows->n + 1, 1);
        for (int32_t i = 0; i < options.n_ranges; i++) {
            for (int64_t r = ranges[i].first; r < ranges[i].first + ranges[i].count && r < rows->n; r++) inside[r] = 1;
        }
        for (int64_t r = 0; r < rows->n; r++) keep[r] &= inside[r];
        free(inside);
    }
    pmn_format_reader *reader;
    paimon_error err = PAIMON_ERROR_INIT;
    if (o->file->ops->read(o->file, &options, &reader, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    int64_t at = 0;
    while (true) {
        pmn_format_batch batch;
        if (reader->ops->next(reader, &batch, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
        if (!batch.array.release) break;
        assert_true(batch.array.length > 0 && batch.array.length <= options.batch_rows);
        row_list got;
        row_list_init(&got);
        row_list_add(&got, &o->schema, &batch.array);
        for (int64_t i = 0; i < got.n; i++, at++) {
            while (at < rows->n && !keep[at]) at++;
            if (at >= rows->n || batch.positions[i] != at || !pmn_slice_equal(row_list_at(&got, i), row_list_at(rows, at))) {
                fail_msg("%s: row %lld differs (told as %lld)", path, (long long)at, (long long)batch.positions[i]);
            }
        }
        assert_int_equal(batch.first_row, batch.positions[0]);
        row_list_free(&got);
        pmn_array_release(&batch.array);
    }
    while (at < rows->n && !keep[at]) at++;
    if (at != rows->n) fail_msg("%s: row %lld is missing", path, (long long)at);
    pmn_format_reader_free(reader);
    pmn_arena_free(&arena);
    free(keep);
}

static inline void check_file(const char *path, uint64_t *seed)
{
    opened o;
    row_list rows;
    struct ArrowArray sample = { .release = NULL };
    if (!open_file(path, &o)) return;
    row_list_init(&rows);
    read_all(&o, &rows);
    if (rows.n > 0 && o.schema.n_children > 0) {
        pmn_format_read_options options = plain_options(&o);
        pmn_format_reader *reader;
        pmn_format_batch batch;
        assert_int_equal(o.file->ops->read(o.file, &options, &reader, NULL), PAIMON_OK);
        assert_int_equal(reader->ops->next(reader, &batch, NULL), PAIMON_OK);
        sample = batch.array;
        for (int i = 0; i < (UNIT_WATCHES_THREADS ? 2 : 8); i++) ask_somehow(&o, &rows, &sample, seed, path);
        pmn_array_release(&sample);
        pmn_format_reader_free(reader);
    }
    row_list_free(&rows);
    close_file(&o);
}

/* All files that fit the pattern, eight ways each. */
static inline void check_pattern(const char *pattern)
{
    glob_t found;
    uint64_t seed = 7;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) check_file(found.gl_pathv[i], &seed);
    globfree(&found);
}

/* Opening and reading with the n-th request for memory refused. */
static inline paimon_status attempt_read(pmn_mem *mem, void *arg)
{
    opened o;
    paimon_status status;
    pmn_format_reader *reader = NULL;
    memset(&o, 0, sizeof o);
    assert_int_equal(paimon_fs_local(NULL, &o.fs, NULL), PAIMON_OK);
    pmn_format_open_options options = { .mem = mem, .fs = o.fs, .path = arg, .size_bytes = -1 };
    PMN_GOTO(status, format_of(arg)->open(&options, &o.file, NULL), done);
    o.pool = pmn_buffer_pool_new(mem, 1 << 20);
    status = PAIMON_NOMEM;
    if (!o.pool) goto done;
    pmn_format_read_options read = plain_options(&o);
    PMN_GOTO(status, o.file->ops->read(o.file, &read, &reader, NULL), done);
    while (true) {
        pmn_format_batch batch;
        PMN_GOTO(status, reader->ops->next(reader, &batch, NULL), done);
        if (!batch.array.release) break;
        pmn_array_release(&batch.array);
    }
done:
    pmn_format_reader_free(reader);
    pmn_format_file_close(o.file);
    if (o.pool) pmn_buffer_pool_release(o.pool);
    paimon_fs_free(o.fs);
    return status;
}

#endif
