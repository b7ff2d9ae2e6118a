#include "read/progress.h"

paimon_status pmn_progress_new(pmn_mem *mem, pmn_progress **out, paimon_error *err)
{
    pmn_progress *p = pmn_calloc(mem, 1, sizeof *p);
    if (!p) return pmn_fail_nomem(err, "a reader's metrics");
    p->mem = pmn_mem_retain(mem);
    atomic_init(&p->refs, 1);
    atomic_init(&p->cancelled, false);
    pthread_mutex_init(&p->lock, NULL);
    *out = p;
    return PAIMON_OK;
}

pmn_progress *pmn_progress_retain(pmn_progress *progress)
{
    atomic_fetch_add_explicit(&progress->refs, 1, memory_order_relaxed);
    return progress;
}

void pmn_progress_release(pmn_progress *progress)
{
    if (!progress || atomic_fetch_sub_explicit(&progress->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = progress->mem;
    pmn_watch_release(&progress->watch);
    pthread_mutex_destroy(&progress->lock);
    pmn_free(mem, progress, sizeof *progress);
    pmn_mem_release(mem);
}

void pmn_progress_file(pmn_progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    progress->metrics.files++;
    pthread_mutex_unlock(&progress->lock);
}

void pmn_progress_add(pmn_progress *progress, pmn_format_metrics *told, const pmn_format_metrics *now)
{
    pthread_mutex_lock(&progress->lock);
    progress->metrics.bytes_read += now->bytes_read - told->bytes_read;
    progress->metrics.rows_total += now->rows_total - told->rows_total;
    progress->metrics.rows_skipped_stats += now->rows_skipped_stats - told->rows_skipped_stats;
    pthread_mutex_unlock(&progress->lock);
    *told = *now;
}

void pmn_progress_rows(pmn_progress *progress, int64_t rows, int64_t time_us)
{
    pthread_mutex_lock(&progress->lock);
    progress->metrics.rows_returned += rows;
    progress->metrics.time_us += time_us;
    pthread_mutex_unlock(&progress->lock);
}

paimon_status pmn_progress_tell(pmn_progress *progress, int64_t n_files, paimon_error *err)
{
    if (!progress->watch.fn) return PAIMON_OK;
    paimon_read_metrics now = { .struct_size = sizeof now };
    paimon_reader_metrics(progress, &now);
    paimon_progress told = { .activity = PAIMON_ACTIVITY_READ,
                             .done = now.files,
                             .total = n_files,
                             .rows = now.rows_returned,
                             .files = now.files,
                             .bytes = now.bytes_read };
    return pmn_watch_tell(&progress->watch, "read", told, err);
}

void paimon_reader_free(paimon_reader *reader) { pmn_progress_release(reader); }

void paimon_reader_cancel(paimon_reader *reader)
{
    if (reader) atomic_store_explicit(&reader->cancelled, true, memory_order_relaxed);
}

void paimon_reader_metrics(const paimon_reader *reader, paimon_read_metrics *metrics)
{
    if (!reader) return;
    pmn_progress *p = (pmn_progress *)(uintptr_t)reader; /* the lock is all that changes */
    pthread_mutex_lock(&p->lock);
    paimon_read_metrics copy = p->metrics;
    pthread_mutex_unlock(&p->lock);
    pmn_sized_copy(metrics, &copy, sizeof copy);
}
