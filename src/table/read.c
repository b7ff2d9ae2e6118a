/* Read objects: what to read and how, and streams made of it. */
#include "paimon-c/read.h"

#include <string.h>

#include "predicate/bound.h"
#include "read/progress.h"
#include "read/projection.h"
#include "read/stream.h"
#include "scan/open.h"
#include "table/table.h"

#define READ_DEFAULT_BATCH_ROWS 16384
#define READ_MAX_BATCH_ROWS (1 << 24)
#define READ_MAX_THREADS 256

struct paimon_read {
    paimon_table *table;
    pmn_arena columns_arena;
    const char **columns; /* NULL: all */
    size_t n_columns;
    paimon_predicate *predicate;
    int64_t limit;
    int64_t batch_rows;
    int32_t n_threads;
    pmn_watch watch;
};

paimon_status paimon_read_new(paimon_table *table, paimon_read **read, paimon_error *err)
{
    if (!table || !read) return pmn_fail(err, PAIMON_INVALID, "paimon_read_new: table or read is NULL");
    *read = NULL;
    PMN_TRY(pmn_source_check(table->source, err));
    paimon_read *r = pmn_calloc(table->source->mem, 1, sizeof *r);
    if (!r) return pmn_fail_nomem(err, "a read");
    r->table = paimon_table_retain(table);
    pmn_arena_init(&r->columns_arena, table->source->mem);
    r->limit = -1;
    r->batch_rows = READ_DEFAULT_BATCH_ROWS;
    r->n_threads = 1;
    *read = r;
    return PAIMON_OK;
}

void paimon_read_free(paimon_read *read)
{
    if (!read) return;
    paimon_table *table = read->table;
    paimon_predicate_free(read->predicate);
    pmn_watch_release(&read->watch);
    pmn_arena_free(&read->columns_arena);
    pmn_free(table->source->mem, read, sizeof *read);
    paimon_table_free(table);
}

static paimon_status copy_names(pmn_arena *arena, const char *const *columns, size_t n, const char ***out, paimon_error *err)
{
    const char **names = pmn_arena_calloc(arena, n + 1, sizeof *names);
    if (!names) return pmn_fail_nomem(err, "the columns of a read");
    for (size_t i = 0; i < n; i++) {
        if (!columns[i]) return pmn_fail(err, PAIMON_INVALID, "column %zu has no name", i);
        names[i] = pmn_arena_strdup(arena, columns[i]);
        if (!names[i]) return pmn_fail_nomem(err, "the columns of a read");
    }
    *out = names;
    return PAIMON_OK;
}

paimon_status paimon_read_set_columns(paimon_read *read, const char *const *columns, size_t n, paimon_error *err)
{
    if (!read) return pmn_fail(err, PAIMON_INVALID, "paimon_read_set_columns: read is NULL");
    pmn_arena arena;
    const char **names = NULL;
    pmn_projection tried;
    paimon_status status = PAIMON_OK;
    pmn_arena_init(&arena, read->table->source->mem);
    if (columns) {
        PMN_GOTO(status, copy_names(&arena, columns, n, &names, err), done);
        PMN_GOTO(status, pmn_projection_make(&arena, read->table->source->schema->row, names, n, &tried, err), done);
    }
    pmn_arena_free(&read->columns_arena);
    read->columns_arena = arena;
    read->columns = names;
    read->n_columns = columns ? n : 0;
    return PAIMON_OK;
done:
    pmn_arena_free(&arena);
    return status;
}

paimon_status paimon_read_set_predicate(paimon_read *read, paimon_predicate *predicate, paimon_error *err)
{
    if (!read) return pmn_fail(err, PAIMON_INVALID, "paimon_read_set_predicate: read is NULL");
    if (predicate) {
        pmn_arena arena;
        const pmn_pred *bound = NULL;
        pmn_arena_init(&arena, read->table->source->mem);
        paimon_status status = pmn_pred_bind(&arena, read->table->source->schema->row, predicate, &bound, err);
        pmn_arena_free(&arena);
        if (status != PAIMON_OK) return status;
    }
    paimon_predicate *old = read->predicate;
    read->predicate = predicate ? paimon_predicate_retain(predicate) : NULL;
    paimon_predicate_free(old);
    return PAIMON_OK;
}

paimon_status paimon_read_set_limit(paimon_read *read, int64_t limit, paimon_error *err)
{
    if (!read) return pmn_fail(err, PAIMON_INVALID, "paimon_read_set_limit: read is NULL");
    read->limit = limit < 0 ? -1 : limit;
    return PAIMON_OK;
}

paimon_status paimon_read_set_batch_rows(paimon_read *read, int64_t rows, paimon_error *err)
{
    if (!read || rows < 1 || rows > READ_MAX_BATCH_ROWS)
        return pmn_fail(err, PAIMON_INVALID, "a batch can have 1 to %d rows, not %lld", READ_MAX_BATCH_ROWS, (long long)rows);
    read->batch_rows = rows;
    return PAIMON_OK;
}

paimon_status paimon_read_set_threads(paimon_read *read, int32_t n_threads, paimon_error *err)
{
    if (!read || n_threads < 1 || n_threads > READ_MAX_THREADS)
        return pmn_fail(err, PAIMON_INVALID, "a read can have 1 to %d threads, not %d", READ_MAX_THREADS, (int)n_threads);
    read->n_threads = n_threads;
    return PAIMON_OK;
}

paimon_status paimon_read_set_cancel(paimon_read *read, paimon_cancel *cancel, paimon_error *err)
{
    if (!read) return pmn_fail(err, PAIMON_INVALID, "paimon_read_set_cancel: read is NULL");
    pmn_watch_set_cancel(&read->watch, cancel);
    return PAIMON_OK;
}

paimon_status paimon_read_set_progress(paimon_read *read, paimon_progress_fn fn, void *ctx, paimon_error *err)
{
    if (!read) return pmn_fail(err, PAIMON_INVALID, "paimon_read_set_progress: read is NULL");
    pmn_watch_set_progress(&read->watch, fn, ctx);
    return PAIMON_OK;
}

paimon_status paimon_read_splits(const paimon_read *read, paimon_split *const *splits, size_t n, struct ArrowArrayStream *stream,
                                 paimon_error *err)
{
    if (!read || !stream || (n > 0 && !splits)) return pmn_fail(err, PAIMON_INVALID, "paimon_read_splits: read, stream or splits is NULL");
    pmn_read_spec spec = { .source = read->table->source,
                           .columns = read->columns,
                           .n_columns = read->n_columns,
                           .predicate = read->predicate,
                           .limit = read->limit,
                           .batch_rows = read->batch_rows,
                           .n_threads = read->n_threads,
                           .watch = &read->watch };
    return pmn_stream_open(&spec, splits, n, stream, err);
}

paimon_status paimon_read_plan(const paimon_read *read, const paimon_plan *plan, struct ArrowArrayStream *stream, paimon_error *err)
{
    if (!read || !plan || !stream) return pmn_fail(err, PAIMON_INVALID, "paimon_read_plan: read, plan or stream is NULL");
    pmn_mem *mem = read->table->source->mem;
    paimon_split **splits = pmn_calloc(mem, plan->n_splits + 1, sizeof *splits);
    if (!splits) return pmn_fail_nomem(err, "the splits of a read");
    for (size_t i = 0; i < plan->n_splits; i++) splits[i] = &plan->splits[i];
    paimon_status status = paimon_read_splits(read, splits, plan->n_splits, stream, err);
    pmn_free(mem, splits, (plan->n_splits + 1) * sizeof *splits);
    return status;
}

paimon_status paimon_reader_of(const struct ArrowArrayStream *stream, paimon_reader **reader, paimon_error *err)
{
    if (!reader) return pmn_fail(err, PAIMON_INVALID, "paimon_reader_of: reader is NULL");
    paimon_reader *progress = pmn_stream_progress(stream);
    *reader = progress ? pmn_progress_retain(progress) : NULL;
    if (progress) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "paimon_reader_of: the stream was not made by paimon_read_plan or paimon_read_splits");
}
