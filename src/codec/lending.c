/* Contexts lent to whoever decompresses: see lending.h. */
#include "codec/lending.h"

bool pmn_decompressors_init(pmn_decompressors *all, pmn_mem *mem)
{
    all->n_idle = 0;
    all->mem = pthread_mutex_init(&all->lock, NULL) == 0 ? mem : NULL;
    return all->mem != NULL;
}

void pmn_decompressors_free(pmn_decompressors *all)
{
    if (!all->mem) return;
    while (all->n_idle > 0) pmn_decompressor_free(all->idle[--all->n_idle]);
    pthread_mutex_destroy(&all->lock);
    all->mem = NULL;
}

paimon_status pmn_decompressors_borrow(pmn_decompressors *all, pmn_decompressor **out, paimon_error *err)
{
    *out = NULL;
    pthread_mutex_lock(&all->lock);
    if (all->n_idle > 0) *out = all->idle[--all->n_idle];
    pthread_mutex_unlock(&all->lock);
    return *out ? PAIMON_OK : pmn_decompressor_new(all->mem, out, err);
}

void pmn_decompressors_return(pmn_decompressors *all, pmn_decompressor *d)
{
    pthread_mutex_lock(&all->lock);
    bool keep = all->n_idle < PMN_DECOMPRESSORS_KEPT;
    if (keep) all->idle[all->n_idle++] = d;
    pthread_mutex_unlock(&all->lock);
    if (!keep) pmn_decompressor_free(d);
}
