#include "read/progress.h"

#include <string.h>

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

void pmn_progress_rows(pmn_progress *progress, int64_t rows)
{
    pthread_mutex_lock(&progress->lock);
    progress->metrics.rows_returned += rows;
    pthread_mutex_unlock(&progress->lock);
}

void paimon_reader_free(paimon_reader *reader) { pmn_progress_release(reader); }

void paimon_reader_cancel(paimon_reader *reader)
{
    if (reader) atomic_store_explicit(&reader->cancelled, true, memory_order_relaxed);
}

void paimon_reader_metrics(const paimon_reader *reader, paimon_read_metrics *metrics)
{
    if (!reader || !metrics || metrics->struct_size < sizeof metrics->struct_size) return;
    size_t size = metrics->struct_size < sizeof *metrics ? metrics->struct_size : sizeof *metrics;
    pmn_progress *p = (pmn_progress *)(uintptr_t)reader; /* the lock is all that changes */
    paimon_read_metrics copy;
    pthread_mutex_lock(&p->lock);
    copy = p->metrics;
    pthread_mutex_unlock(&p->lock);
    copy.struct_size = metrics->struct_size;
    memcpy(metrics, &copy, size);
}
