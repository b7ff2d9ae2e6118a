#include "read/file_job.h"

#include <string.h>

#include "arrow/array.h"

static paimon_status open_data_file(pmn_file_job *job, paimon_error *err)
{
    const pmn_format *format = NULL;
    pmn_slice extension = pmn_format_extension(job->path);
    char name[32];
    if (extension.size == 0 || extension.size >= sizeof name)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: the name of the data file does not tell a known format", job->path);
    memcpy(name, extension.data, extension.size);
    name[extension.size] = 0;
    PMN_TRY(pmn_format_find(name, &format, err));
    pmn_format_open_options options = {
        .mem = job->mem, .fs = job->fs, .path = job->path, .size_bytes = job->size_bytes,
        .verify_checksums = job->verify_checksums, .instants_are_local = job->instants_are_local
    };
    PMN_TRY(format->open(&options, &job->file, err));
    pmn_progress_file(job->progress);
    if (job->shape->n_wanted == 0 && !job->filter) {
        job->bare_rows = job->file->ops->row_count(job->file);
        pmn_format_metrics all = { .rows_total = job->bare_rows };
        if (job->bare_rows >= 0) {
            pmn_progress_add(job->progress, &job->told, &all);
            return PAIMON_OK;
        }
    }
    pmn_format_read_options read = { .schema = &job->shape->wanted,
                                     .filter = job->filter,
                                     .filter_schema = job->filter ? &job->shape->filter : NULL,
                                     .batch_rows = job->batch_rows,
                                     .pool = job->pool,
                                     .executor = job->executor,
                                     .n_threads = job->n_threads };
    return job->file->ops->read(job->file, &read, &job->reader, err);
}

static void tell_progress(pmn_file_job *job)
{
    pmn_format_metrics now = { 0 };
    job->reader->ops->metrics(job->reader, &now);
    pmn_progress_add(job->progress, &job->told, &now);
}

static void close_data_file(pmn_file_job *job)
{
    if (job->reader) tell_progress(job);
    pmn_format_reader_free(job->reader);
    pmn_format_file_close(job->file);
    job->reader = NULL;
    job->file = NULL;
}

/* One batch into the queue, or done. */
static paimon_status decode_batch(pmn_file_job *job, paimon_error *err)
{
    pmn_raw_batch *slot = &job->queue[(job->queue_first + job->queue_size) % PMN_JOB_QUEUE];
    if (!job->reader) {
        slot->array.release = NULL;
        slot->length = job->bare_rows < job->batch_rows ? job->bare_rows : job->batch_rows;
        job->bare_rows -= slot->length;
        if (slot->length > 0) job->queue_size++;
        job->done = job->bare_rows == 0;
        return PAIMON_OK;
    }
    pmn_format_batch batch = { 0 };
    PMN_TRY(job->reader->ops->next(job->reader, &batch, err));
    if (!batch.array.release) {
        job->done = true;
        return PAIMON_OK;
    }
    slot->length = batch.array.length;
    if (job->shape->n_wanted == 0) pmn_array_release(&batch.array); /* rows alone were asked */
    pmn_array_move(&slot->array, &batch.array);
    job->queue_size++;
    return PAIMON_OK;
}

static paimon_status run_job_step(pmn_file_job *job, paimon_error *err)
{
    if (!job->started) {
        job->started = true;
        PMN_TRY(open_data_file(job, err));
    }
    while (!job->done && job->queue_size < job->step_batches) {
        if (pmn_progress_cancelled(job->progress)) return pmn_fail(err, PAIMON_CANCELLED, "the read was cancelled");
        PMN_TRY(decode_batch(job, err));
    }
    if (job->reader) tell_progress(job);
    return PAIMON_OK;
}

void pmn_file_job_step(void *arg)
{
    pmn_file_job *job = arg;
    if (job->done) return;
    if (pmn_progress_cancelled(job->progress)) job->status = pmn_fail(&job->error, PAIMON_CANCELLED, "the read was cancelled");
    else job->status = run_job_step(job, &job->error);
    if (job->status != PAIMON_OK) job->done = true;
    if (job->done) close_data_file(job);
}

bool pmn_file_job_pop(pmn_file_job *job, pmn_raw_batch *out)
{
    if (job->queue_size == 0) return false;
    pmn_raw_batch *slot = &job->queue[job->queue_first];
    pmn_array_move(&out->array, &slot->array);
    out->length = slot->length;
    job->queue_first = (job->queue_first + 1) % PMN_JOB_QUEUE;
    job->queue_size--;
    return true;
}

void pmn_file_job_end(pmn_file_job *job)
{
    pmn_task_wait(job->task);
    job->task = NULL;
    pmn_raw_batch batch;
    while (pmn_file_job_pop(job, &batch)) pmn_array_release(&batch.array);
    close_data_file(job);
    paimon_error_clear(&job->error);
}
