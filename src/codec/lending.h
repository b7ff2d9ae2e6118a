/* Decompression contexts that the columns of a reader share: one for each thread that is decompressing, not one a column. */
#ifndef PMN_CODEC_LENDING_H
#define PMN_CODEC_LENDING_H

#include <pthread.h>

#include "codec/codec.h"

/* Contexts kept for the next who asks; more threads than this make and free theirs. */
#define PMN_DECOMPRESSORS_KEPT 64

typedef struct pmn_decompressors {
    pmn_mem *mem; /* borrowed; NULL: not made */
    pthread_mutex_t lock;
    pmn_decompressor *idle[PMN_DECOMPRESSORS_KEPT];
    int n_idle;
} pmn_decompressors;

/* False if the lock cannot be made. */
bool pmn_decompressors_init(pmn_decompressors *all, pmn_mem *mem);
void pmn_decompressors_free(pmn_decompressors *all);
paimon_status pmn_decompressors_borrow(pmn_decompressors *all, pmn_decompressor **out, paimon_error *err) PMN_MUST_USE;
void pmn_decompressors_return(pmn_decompressors *all, pmn_decompressor *d);

#endif
