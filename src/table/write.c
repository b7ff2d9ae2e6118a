/* Write objects: the public face of a table's writer. */
#include "paimon-c/write.h"

#include <unistd.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "table/table.h"
#include "write/table_writer.h"

#define MAX_WRITE_THREADS 256

struct paimon_write {
    paimon_table *table;
    pmn_table_writer *writer;
    pid_t owner; /* a child that was forked has a copy of this, but the files are the parent's: it must neither go on with them nor remove them */
};

static paimon_status check_owner(const paimon_write *write, paimon_error *err)
{
    if (write->owner == getpid()) return PAIMON_OK;
    return pmn_fail(err, PAIMON_STATE, "this write belongs to process %lld, which forked: make another one", (long long)write->owner);
}

static paimon_status check_write_options(const paimon_write_options *options, int32_t *n_threads, paimon_error *err)
{
    *n_threads = 1;
    if (!options) return PAIMON_OK;
    if (options->struct_size < sizeof *options)
        return pmn_fail(err, PAIMON_INVALID, "paimon_write_new: options of %zu bytes, %zu expected", options->struct_size, sizeof *options);
    if (options->n_threads < 0 || options->n_threads > MAX_WRITE_THREADS)
        return pmn_fail(err, PAIMON_INVALID, "paimon_write_new: %d threads, 0 to %d expected", options->n_threads, MAX_WRITE_THREADS);
    if (options->n_threads > 0) *n_threads = options->n_threads;
    return PAIMON_OK;
}

paimon_status paimon_write_new(paimon_table *table, struct ArrowSchema *schema, const paimon_write_options *options, paimon_write **write,
                               paimon_error *err)
{
    int32_t n_threads;
    if (!table || !schema || !schema->release || !write) {
        if (schema) pmn_schema_release(schema);
        return pmn_fail(err, PAIMON_INVALID, "paimon_write_new: table, schema or write is NULL");
    }
    *write = NULL;
    paimon_status status = check_write_options(options, &n_threads, err);
    paimon_write *w = status == PAIMON_OK ? pmn_calloc(table->source->mem, 1, sizeof *w) : NULL;
    if (!w) {
        pmn_schema_release(schema);
        return status != PAIMON_OK ? status : pmn_fail_nomem(err, "a write");
    }
    status = pmn_table_writer_new(table->source, schema, n_threads, &w->writer, err);
    if (status != PAIMON_OK) {
        pmn_free(table->source->mem, w, sizeof *w);
        return status;
    }
    w->table = paimon_table_retain(table);
    w->owner = getpid();
    *write = w;
    return PAIMON_OK;
}

static paimon_status write_batch(paimon_write *write, const pmn_write_place *place, struct ArrowArray *batch, paimon_error *err)
{
    paimon_status status;
    if (!batch || !batch->release) return pmn_fail(err, PAIMON_INVALID, "paimon_write_batch: the batch is NULL or released");
    if (write) status = check_owner(write, err);
    else status = pmn_fail(err, PAIMON_INVALID, "paimon_write_batch: the write is NULL");
    if (status == PAIMON_OK) status = pmn_table_writer_write(write->writer, batch, place, err);
    pmn_array_release(batch);
    return status;
}

paimon_status paimon_write_batch(paimon_write *write, struct ArrowArray *batch, paimon_error *err)
{
    return write_batch(write, NULL, batch, err);
}

paimon_status paimon_write_batch_to(paimon_write *write, const char *const *partition, int32_t bucket, struct ArrowArray *batch, paimon_error *err)
{
    pmn_write_place place = { partition, bucket };
    return write_batch(write, &place, batch, err);
}

paimon_status paimon_write_prepare_commit(paimon_write *write, int64_t commit_identifier, paimon_message_list **messages, paimon_error *err)
{
    (void)commit_identifier; /* append tables keep nothing between commits; key tables will */
    if (!write || !messages) return pmn_fail(err, PAIMON_INVALID, "paimon_write_prepare_commit: write or messages is NULL");
    *messages = NULL;
    PMN_TRY(check_owner(write, err));
    return pmn_table_writer_prepare(write->writer, messages, err);
}

paimon_status paimon_write_set_cancel(paimon_write *write, paimon_cancel *cancel, paimon_error *err)
{
    if (!write) return pmn_fail(err, PAIMON_INVALID, "paimon_write_set_cancel: write is NULL");
    pmn_watch_set_cancel(pmn_table_writer_watch(write->writer), cancel);
    return PAIMON_OK;
}

paimon_status paimon_write_set_progress(paimon_write *write, paimon_progress_fn fn, void *ctx, paimon_error *err)
{
    if (!write) return pmn_fail(err, PAIMON_INVALID, "paimon_write_set_progress: write is NULL");
    pmn_watch_set_progress(pmn_table_writer_watch(write->writer), fn, ctx);
    return PAIMON_OK;
}

void paimon_write_get_metrics(const paimon_write *write, paimon_write_metrics *metrics)
{
    paimon_write_metrics now = PAIMON_WRITE_METRICS_INIT;
    if (!write) return;
    pmn_table_writer_metrics(write->writer, &now);
    pmn_sized_copy(metrics, &now, sizeof now);
}

int64_t paimon_write_rows(const paimon_write *write)
{
    return write ? pmn_table_writer_rows(write->writer) : 0;
}

void paimon_write_free(paimon_write *write)
{
    if (!write || write->owner != getpid()) return; /* what a child leaves here ends with it */
    paimon_table *table = write->table;
    pmn_table_writer_free(write->writer);
    pmn_free(table->source->mem, write, sizeof *write);
    paimon_table_free(table);
}
