#include "format/parquet/write_queue.h"

#include <string.h>
#include <time.h>

#include "arrow/array.h"

#define MOST_HELPERS 63
#define MOST_PIECES_AHEAD 8
#define MOST_BYTES_AHEAD (24 << 20) /* of the columns' values; two pieces are allowed whatever they have */
#define WIDEST_CHOICE 256           /* columns looked at for a turn */
#define FEWEST_VALUES 8192          /* below, waking another thread costs more than it does */

/* ---- turns: the lock is held around all of these ---- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* After a failure only what lies before it is still done: it might fail too, and would have been first. */
static bool may_run(const pmn_pqw_queue *q, const pmn_pqw_lane *lane)
{
    return lane->at && !lane->busy && (q->status == PAIMON_OK || lane->at->number < q->failed_piece);
}

/* The column that has most work before it: the dear ones must not be what is left at the end. In a very wide table of some, and of others the
 * next time, since the choice must not cost more than the work. */
static int32_t pick_column(pmn_pqw_queue *q)
{
    int32_t best = -1;
    double most = -1;
    for (int32_t seen = 0; seen < q->n_columns && (best < 0 || seen < WIDEST_CHOICE); seen++) {
        int32_t i = q->look_from + seen < q->n_columns ? q->look_from + seen : q->look_from + seen - q->n_columns;
        const pmn_pqw_lane *lane = &q->lanes[i];
        if (!may_run(q, lane)) continue;
        double work = lane->rows ? lane->seconds / (double)lane->rows * (double)lane->rows_ahead : (double)lane->rows_ahead;
        if (work > most) {
            most = work;
            best = i;
        }
    }
    if (q->n_columns > WIDEST_CHOICE && best >= 0) q->look_from = best + 1 < q->n_columns ? best + 1 : 0;
    return best;
}

static void note_failure(pmn_pqw_queue *q, const pmn_pqw_piece *piece, int32_t column, paimon_status status, paimon_error *err)
{
    bool earlier = piece->number < q->failed_piece || (piece->number == q->failed_piece && column < q->failed_column);
    if (q->status == PAIMON_OK || earlier) {
        q->status = status;
        q->failed_piece = piece->number;
        q->failed_column = column;
        pmn_error_move(&q->error, err);
    }
    paimon_error_clear(err);
}

static void pass_piece(pmn_pqw_queue *q, pmn_pqw_lane *lane, pmn_pqw_piece *piece, const pmn_pqw_held *held)
{
    lane->at = piece->next;
    lane->rows_ahead -= piece->count;
    piece->held.bytes += held->bytes;
    piece->held.loose += held->loose;
    if (--piece->left > 0) return;
    /* All columns take the pieces in order, so this one is the first. */
    q->known = piece->held;
    q->first = piece->next;
    if (!q->first) q->last = NULL;
    q->n_pieces--;
    q->bytes_ahead -= piece->most;
    piece->next = q->taken;
    q->taken = piece;
}

/* One column's next piece; false if there is none to take. */
static bool take_turn(pmn_pqw_queue *q)
{
    int32_t column = pick_column(q);
    if (column < 0) return false;
    pmn_pqw_lane *lane = &q->lanes[column];
    pmn_pqw_piece *piece = lane->at;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_pqw_held held = { 0, 0 };
    lane->busy = true;
    pthread_mutex_unlock(&q->lock);
    double from = seconds_now();
    paimon_status status = q->turn(q->ctx, column, piece, &held, &err);
    double until = seconds_now();
    pthread_mutex_lock(&q->lock);
    lane->busy = false;
    lane->seconds += until - from;
    lane->rows += piece->count;
    if (status == PAIMON_OK) {
        pass_piece(q, lane, piece, &held);
    } else {
        note_failure(q, piece, column, status, &err);
        lane->at = NULL;
    }
    if (q->n_waiting) pthread_cond_broadcast(&q->moved);
    return true;
}

static bool any_busy(const pmn_pqw_queue *q)
{
    for (int32_t i = 0; i < q->n_columns; i++)
        if (q->lanes[i].busy) return true;
    return false;
}

/* Work, or wait for those who do; false if there is nothing left to do. */
static bool step(pmn_pqw_queue *q)
{
    if (take_turn(q)) return true;
    if (!any_busy(q)) return false;
    q->n_waiting++;
    pthread_cond_wait(&q->moved, &q->lock);
    q->n_waiting--;
    return true;
}

/* ---- helpers ---- */

static void run_helper(void *arg)
{
    pmn_pqw_helper *helper = (pmn_pqw_helper *)arg;
    pmn_pqw_queue *q = helper->queue;
    pthread_mutex_lock(&q->lock);
    while (take_turn(q)) continue;
    helper->ended = true;
    atomic_fetch_sub(q->helping, 1);
    pthread_mutex_unlock(&q->lock);
}

/* Has it ended, so that another may be hired in its place? */
static bool is_vacant(pmn_pqw_queue *q, pmn_pqw_helper *helper)
{
    if (!helper->task) return true;
    pthread_mutex_lock(&q->lock);
    bool ended = helper->ended;
    pthread_mutex_unlock(&q->lock);
    if (!ended) return false;
    pmn_task_wait(helper->task);
    helper->task = NULL;
    return true;
}

/* As many as may be. Handing a task over is done without the lock: an embedder's executor may run it at once. Without memory for a helper
 * the work is done on fewer threads. */
static void hire_helpers(pmn_pqw_queue *q)
{
    for (int32_t i = 0; i < q->n_helpers; i++) {
        pmn_pqw_helper *helper = &q->helpers[i];
        if (!is_vacant(q, helper)) continue;
        if (atomic_fetch_add(q->helping, 1) >= q->n_helpers) {
            atomic_fetch_sub(q->helping, 1);
            return;
        }
        helper->ended = false;
        if (pmn_task_submit(q->executor, q->mem, run_helper, helper, &helper->task, NULL) != PAIMON_OK) {
            helper->task = NULL;
            atomic_fetch_sub(q->helping, 1);
            return;
        }
    }
}

/* ---- pieces ---- */

static void free_piece(pmn_pqw_queue *q, pmn_pqw_piece *piece)
{
    pmn_array_release(&piece->batch);
    pmn_free(q->mem, piece, sizeof *piece);
}

static void free_pieces(pmn_pqw_queue *q, pmn_pqw_piece *pieces)
{
    for (pmn_pqw_piece *next; pieces; pieces = next) {
        next = pieces->next;
        free_piece(q, pieces);
    }
}

static void sweep_taken(pmn_pqw_queue *q)
{
    pthread_mutex_lock(&q->lock);
    pmn_pqw_piece *taken = q->taken;
    q->taken = NULL;
    pthread_mutex_unlock(&q->lock);
    free_pieces(q, taken);
}

static paimon_status make_piece(pmn_pqw_queue *q, struct ArrowArray *batch, pmn_pqw_piece **out, paimon_error *err)
{
    pmn_pqw_piece *piece = pmn_calloc(q->mem, 1, sizeof *piece);
    if (!piece) return pmn_fail_nomem(err, "rows to be written");
    paimon_status status = batch ? pmn_array_share(q->mem, batch, 0, batch->length, &piece->batch, err) : PAIMON_OK;
    if (status == PAIMON_OK) *out = piece;
    else pmn_free(q->mem, piece, sizeof *piece);
    return status;
}

static void append_piece(pmn_pqw_queue *q, pmn_pqw_piece *piece)
{
    piece->number = q->n_pushed++;
    piece->left = q->n_columns;
    if (q->last) q->last->next = piece;
    else q->first = piece;
    q->last = piece;
    q->n_pieces++;
    q->bytes_ahead += piece->most;
    for (int32_t i = 0; i < q->n_columns; i++) {
        pmn_pqw_lane *lane = &q->lanes[i];
        if (!lane->at) lane->at = piece; /* also where one failed: nothing is taken from there on */
        lane->rows_ahead += piece->count;
    }
}

static bool too_far_ahead(const pmn_pqw_queue *q)
{
    return q->n_pieces > MOST_PIECES_AHEAD || (q->n_pieces > 2 && q->bytes_ahead > MOST_BYTES_AHEAD);
}

/* What failed is told once all that lies before it is done. */
static paimon_status tell_failure(pmn_pqw_queue *q, paimon_error *err)
{
    pthread_mutex_lock(&q->lock);
    paimon_status status = q->status;
    if (status != PAIMON_OK) {
        while (step(q)) continue;
        status = q->status;
        pmn_error_move(err, &q->error);
    }
    pthread_mutex_unlock(&q->lock);
    return status;
}

/* Without helpers, or for little with nothing before it: the columns take the rows here and now, from the batch itself. */
static paimon_status run_at_once(pmn_pqw_queue *q, const pmn_pqw_piece *piece, paimon_error *err)
{
    q->held = (pmn_pqw_held){ 0, 0 };
    for (int32_t i = 0; i < q->n_columns; i++) {
        pmn_pqw_held held = { 0, 0 };
        PMN_TRY(q->turn(q->ctx, i, piece, &held, err));
        q->held.bytes += held.bytes;
        q->held.loose += held.loose;
    }
    q->known = q->held;
    return PAIMON_OK;
}

static bool is_for_helpers(const pmn_pqw_queue *q, int64_t count)
{
    return q->n_helpers > 0 && (q->n_pieces > 0 || count * q->n_columns >= FEWEST_VALUES);
}

paimon_status pmn_pqw_queue_push(pmn_pqw_queue *q, struct ArrowArray *batch, int64_t first, int64_t count, int64_t row, int64_t most, paimon_error *err)
{
    pmn_pqw_piece *piece = NULL, here = { .first = first, .count = count, .row = row };
    if (q->n_columns == 0) return PAIMON_OK;
    PMN_TRY(tell_failure(q, err));
    pthread_mutex_lock(&q->lock);
    bool queue_it = is_for_helpers(q, count);
    pthread_mutex_unlock(&q->lock);
    if (!queue_it) {
        if (batch) here.batch = *batch;
        return run_at_once(q, &here, err);
    }
    PMN_TRY(make_piece(q, batch, &piece, err));
    piece->first = first;
    piece->count = count;
    piece->row = row;
    piece->most = most;
    pthread_mutex_lock(&q->lock);
    append_piece(q, piece);
    pthread_mutex_unlock(&q->lock);
    hire_helpers(q);
    pthread_mutex_lock(&q->lock);
    while (too_far_ahead(q) && step(q)) continue;
    pthread_mutex_unlock(&q->lock);
    sweep_taken(q);
    return PAIMON_OK;
}

paimon_status pmn_pqw_queue_settle(pmn_pqw_queue *q, int64_t limit, bool *certain, paimon_error *err)
{
    *certain = false;
    if (!q->has_lock) return PAIMON_OK;
    pthread_mutex_lock(&q->lock);
    while (q->n_pieces > 0 && q->known.bytes + q->known.loose + q->bytes_ahead >= limit && step(q)) continue;
    *certain = q->n_pieces > 0;
    if (!*certain) q->held = q->known;
    pthread_mutex_unlock(&q->lock);
    sweep_taken(q);
    return tell_failure(q, err);
}

paimon_status pmn_pqw_queue_drain(pmn_pqw_queue *q, paimon_error *err)
{
    bool certain;
    return pmn_pqw_queue_settle(q, INT64_MIN, &certain, err);
}

/* ---- its life ---- */

paimon_status pmn_pqw_queue_init(pmn_pqw_queue *q, pmn_mem *mem, int32_t n_columns, pmn_executor *executor, int32_t n_threads, atomic_int *helping,
                                 pmn_pqw_turn_fn turn, void *ctx, paimon_error *err)
{
    q->mem = mem;
    q->executor = executor;
    q->helping = helping ? helping : &q->own_helping;
    q->n_columns = n_columns;
    q->turn = turn;
    q->ctx = ctx;
    q->failed_piece = INT64_MAX;
    if (pthread_mutex_init(&q->lock, NULL) != 0) return pmn_fail_nomem(err, "a lock");
    if (pthread_cond_init(&q->moved, NULL) != 0) {
        pthread_mutex_destroy(&q->lock);
        return pmn_fail_nomem(err, "a condition");
    }
    q->has_lock = true;
    int32_t n_helpers = !executor ? 0 : n_threads - 1 > MOST_HELPERS ? MOST_HELPERS : n_threads - 1;
    q->lanes = pmn_calloc(mem, (size_t)n_columns + 1, sizeof *q->lanes);
    q->helpers = pmn_calloc(mem, (size_t)n_helpers + 1, sizeof *q->helpers);
    q->n_helpers = n_helpers;
    if (!q->lanes || !q->helpers) return pmn_fail_nomem(err, "a writer's queue");
    for (int32_t i = 0; i < n_helpers; i++) q->helpers[i].queue = q;
    return PAIMON_OK;
}

/* Nothing more is taken, whatever is left: a writer that is given up. */
static void stop_columns(pmn_pqw_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->status = PAIMON_STATE;
    q->failed_piece = -1;
    pthread_mutex_unlock(&q->lock);
    for (int32_t i = 0; q->helpers && i < q->n_helpers; i++) pmn_task_wait(q->helpers[i].task);
}

void pmn_pqw_queue_free(pmn_pqw_queue *q)
{
    if (!q->has_lock) return;
    stop_columns(q);
    free_pieces(q, q->first);
    free_pieces(q, q->taken);
    pmn_free(q->mem, q->lanes, ((size_t)q->n_columns + 1) * sizeof *q->lanes);
    pmn_free(q->mem, q->helpers, ((size_t)q->n_helpers + 1) * sizeof *q->helpers);
    paimon_error_clear(&q->error);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->moved);
    memset(q, 0, sizeof *q);
}
