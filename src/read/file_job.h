/* One data file being read: opened, decoded a few batches at a time into a queue, by whoever has a thread for it.
 *
 * The consumer owns the job. A step either runs on the consumer's thread or as a task; never both at once, so a job needs no
 * lock: waiting for the task orders the memory. */
#ifndef PMN_READ_FILE_JOB_H
#define PMN_READ_FILE_JOB_H

#include "base/pool.h"
#include "format/format.h"
#include "read/progress.h"
#include "read/shape.h"

#define PMN_JOB_QUEUE 8 /* batches that one step decodes at most */

/* Rows of a file as it has them. Without columns there is no array. */
typedef struct pmn_raw_batch {
    struct ArrowArray array; /* released: no columns were asked */
    int64_t length;
} pmn_raw_batch;

typedef struct pmn_file_job {
    /* what to do; borrowed from the stream, which outlives the job */
    pmn_mem *mem;
    paimon_fs *fs;
    pmn_buffer_pool *pool;
    pmn_progress *progress;
    const pmn_shape *shape;
    const pmn_pred *filter; /* over the children of shape->filter; NULL: none */
    const char *path;
    int64_t size_bytes;
    int64_t batch_rows;
    int32_t split; /* whose partition it is */
    bool verify_checksums; /* of pages */
    bool instants_are_local; /* of ORC files: see pmn_format_open_options */
    bool is_large; /* worth several threads by itself */
    pmn_executor *executor; /* NULL: decode on one thread */
    int32_t n_threads;
    /* where it stands */
    bool started, done;
    paimon_status status;
    paimon_error error;
    pmn_format_file *file;
    pmn_format_reader *reader;
    int64_t bare_rows; /* rows still to tell of a file without columns */
    pmn_format_metrics told; /* to the progress */
    pmn_raw_batch queue[PMN_JOB_QUEUE];
    int queue_first, queue_size;
    int step_batches; /* how many the next step may decode */
    pmn_task *task;
} pmn_file_job;

/* Decode until `step_batches` are queued, the file ends, or it fails (told by status). For pmn_task_submit. */
void pmn_file_job_step(void *job);
/* The next batch of the queue; false if it is empty. */
bool pmn_file_job_pop(pmn_file_job *job, pmn_raw_batch *out);
/* Wait for its task and free what it holds. */
void pmn_file_job_end(pmn_file_job *job);

#endif
