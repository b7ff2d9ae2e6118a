/* Rows on their way into the columns. The writer puts pieces of batches at the end; each column takes them one by one, at its own pace, so
 * that no column waits for the dearest one at the end of every batch. What a column gets, and in which order, does not depend on who
 * runs it when; so neither does what it writes.
 *
 * Helpers are tasks that take turns, a column's next piece each, until there is none to take; they wait for nobody. The writer's own thread takes turns
 * too, when more lies ahead than may, and when it needs to know where the columns stand. */
#ifndef PMN_FORMAT_PARQUET_WRITE_QUEUE_H
#define PMN_FORMAT_PARQUET_WRITE_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/pool.h"
#include "paimon-c/arrow_abi.h"

/* What columns hold: in all, about as it will be stored; and of that what may yet grow, because its dictionary may be given up. */
typedef struct pmn_pqw_held {
    int64_t bytes, loose;
} pmn_pqw_held;

typedef struct pmn_pqw_piece {
    struct pmn_pqw_piece *next;
    int64_t number;
    struct ArrowArray batch; /* shared; released on the writer's thread. release NULL: there are no rows, the columns are closed */
    int64_t first, count;    /* its rows */
    int64_t row;             /* the file's number of the first */
    int64_t most;            /* bytes that it can add to what is held, at most */
    int32_t left;            /* columns that have not taken it */
    pmn_pqw_held held;       /* behind it, by the columns that have */
} pmn_pqw_piece;

/* What a column does with a piece; called by any thread, never twice at a time for one column. */
typedef paimon_status (*pmn_pqw_turn_fn)(void *ctx, int32_t column, const pmn_pqw_piece *piece, pmn_pqw_held *held, paimon_error *err);

typedef struct pmn_pqw_lane {
    pmn_pqw_piece *at; /* the next one */
    int64_t rows_ahead;
    bool busy;
    double seconds;    /* that its rows took so far */
    int64_t rows;
} pmn_pqw_lane;

typedef struct pmn_pqw_helper {
    struct pmn_pqw_queue *queue;
    pmn_task *task;
    bool ended; /* under the lock */
} pmn_pqw_helper;

typedef struct pmn_pqw_queue {
    pmn_mem *mem; /* borrowed, as all that comes from outside */
    pmn_executor *executor;
    atomic_int *helping; /* helpers of all writers that share the threads */
    int32_t n_helpers;   /* that there may be; 0: everything is done by the writer's thread, at once */
    int32_t n_columns;
    pmn_pqw_turn_fn turn;
    void *ctx;
    pmn_pqw_helper *helpers;
    int64_t n_pushed;
    atomic_int own_helping; /* where nothing is shared */
    pmn_pqw_held held;  /* behind the last piece that all columns have taken: known when the queue is empty */

    pthread_mutex_t lock; /* everything below, and the lanes */
    pthread_cond_t moved;
    bool has_lock;
    int32_t n_waiting;
    int32_t look_from; /* the column to look at first, when there are very many */
    pmn_pqw_lane *lanes;
    pmn_pqw_piece *first, *last; /* from the first that some column has not taken */
    pmn_pqw_piece *taken;        /* by all: to be freed by the writer's thread */
    int32_t n_pieces;
    int64_t bytes_ahead;         /* most they can add */
    pmn_pqw_held known;          /* as `held` */
    paimon_status status;        /* of the first failure: by piece, then by column, so that it does not depend on threads */
    int64_t failed_piece;
    int32_t failed_column;
    paimon_error error;
} pmn_pqw_queue;

/* A queue all zero may be freed. */
paimon_status pmn_pqw_queue_init(pmn_pqw_queue *q, pmn_mem *mem, int32_t n_columns, pmn_executor *executor, int32_t n_threads, atomic_int *helping,
                                 pmn_pqw_turn_fn turn, void *ctx, paimon_error *err) PMN_MUST_USE;
void pmn_pqw_queue_free(pmn_pqw_queue *q);

/* Rows [first, first + count) of the batch, of which a share is kept; or, for a batch of NULL, the end of the chunks, of which some `count` rows
 * are not a page yet. Fails as what was put in before did; only then are columns not asked for more. */
paimon_status pmn_pqw_queue_push(pmn_pqw_queue *q, struct ArrowArray *batch, int64_t first, int64_t count, int64_t row, int64_t most, paimon_error *err) PMN_MUST_USE;
/* Wait, and work meanwhile, until what the columns hold is below `limit` for certain, or all is taken and `held` says what it is. */
paimon_status pmn_pqw_queue_settle(pmn_pqw_queue *q, int64_t limit, bool *certain, paimon_error *err) PMN_MUST_USE;
/* The same without a limit: all is taken. */
paimon_status pmn_pqw_queue_drain(pmn_pqw_queue *q, paimon_error *err) PMN_MUST_USE;

#endif
