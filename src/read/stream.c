#include "read/stream.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/bitmap.h"
#include "io/env.h"
#include "read/file_job.h"
#include "read/partition_filter.h"
#include "read/split_check.h"
#include "types/row_codec.h"

#define READ_LARGE_FILE_BYTES (16 << 20)
#define READ_MAX_WINDOW 64
#define READ_POOL_BYTES (64 << 20)
#define READ_CONSTANT_ROWS 16384

/* A column of one value, made once for as many rows as a batch had, and shared by all batches. */
typedef struct constant_cache {
    struct ArrowArray array;
    const paimon_plan *plan; /* whose partition it is of; NULL for columns of nulls */
    int32_t partition;
} constant_cache;

/* A job and the memory for its path and predicate. */
typedef struct window_job {
    pmn_file_job job;
    pmn_arena arena;
} window_job;

typedef struct read_state {
    pmn_mem *mem;
    pmn_source *source;
    pmn_arena arena;
    pmn_projection projection;
    const pmn_pred *pred;   /* bound to the table's columns; NULL: none */
    bool *is_partition;     /* of each table column */
    pmn_datum *values;      /* of the partition columns, by table column */
    pmn_datum *partition_row;
    paimon_split **splits;  /* retained */
    size_t n_splits;
    int64_t n_files;
    size_t next_split;
    uint32_t next_file;
    pmn_shape **shapes; /* one a file schema met */
    int32_t n_shapes;
    size_t shapes_capacity;
    window_job *window[READ_MAX_WINDOW]; /* head first */
    int n_window, max_window;
    constant_cache *constants; /* one an output column */
    pmn_buffer_pool *pool;
    pmn_progress *progress;
    int64_t rows_left; /* of the limit; < 0: none */
    int64_t batch_rows;
    int32_t n_threads;
    bool verify_checksums;
    bool instants_are_local;
    bool ended;
} read_state;

/* --- jobs --- */

static paimon_status shape_of(read_state *s, int64_t schema_id, const pmn_shape **out, paimon_error *err)
{
    for (int32_t i = 0; i < s->n_shapes; i++)
        if (s->shapes[i]->schema->id == schema_id) {
            *out = s->shapes[i];
            return PAIMON_OK;
        }
    pmn_shape **grown = pmn_arena_grow(&s->arena, s->shapes, (size_t)s->n_shapes, &s->shapes_capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "the schemas of a read");
    s->shapes = grown;
    const pmn_table_schema *schema = NULL;
    PMN_TRY(pmn_source_schema(s->source, schema_id, &schema, err));
    pmn_shape *shape = pmn_arena_calloc(&s->arena, 1, sizeof *shape);
    if (!shape) return pmn_fail_nomem(err, "the columns of a file");
    PMN_TRY(pmn_shape_make(&s->arena, s->source, schema, &s->projection, s->pred, shape, err));
    s->shapes[s->n_shapes++] = shape;
    *out = shape;
    return PAIMON_OK;
}

static paimon_status load_partition(read_state *s, const paimon_split *split, paimon_error *err)
{
    const pmn_table_schema *schema = s->source->schema;
    pmn_row_view row;
    if (schema->n_partition_keys == 0) return PAIMON_OK;
    PMN_TRY(pmn_row_parse(pmn_split_partition(split), &row, err));
    PMN_TRY(pmn_row_get_all(&row, schema->partition_type, s->partition_row, err));
    for (int32_t i = 0; i < schema->n_partition_keys; i++) s->values[schema->partition_columns[i]] = s->partition_row[i];
    return PAIMON_OK;
}

/* The predicate as this file needs it; `*skip`: no row of it can match. */
static paimon_status filter_of(read_state *s, const paimon_split *split, const pmn_shape *shape, pmn_arena *arena, const pmn_pred **out,
                               bool *skip, paimon_error *err)
{
    int32_t n = s->source->schema->row->n_fields;
    *skip = false;
    *out = NULL;
    if (!s->pred) return PAIMON_OK;
    const pmn_pred *fixed = NULL, *mapped = NULL;
    PMN_TRY(load_partition(s, split, err));
    PMN_TRY(pmn_pred_fix(arena, s->pred, s->is_partition, s->values, n, &fixed, err));
    PMN_TRY(pmn_pred_remap(arena, fixed, shape->filter_columns, n, &mapped, err));
    *skip = mapped->kind == PMN_PRED_FALSE;
    if (mapped->kind != PMN_PRED_TRUE) *out = mapped;
    return PAIMON_OK;
}

static paimon_status fill_job(read_state *s, const paimon_split *split, uint32_t file, window_job *w, bool *skip, paimon_error *err)
{
    const pmn_entry *entry = pmn_split_file(split, file);
    const pmn_shape *shape = NULL;
    pmn_file_job *job = &w->job;
    PMN_TRY(shape_of(s, entry->schema_id, &shape, err));
    if (entry->extra && entry->extra->n_write_cols >= 0)
        PMN_TRY(pmn_shape_check_columns(shape, entry->extra->write_cols, entry->extra->n_write_cols, entry->name, err));
    PMN_TRY(filter_of(s, split, shape, &w->arena, &job->filter, skip, err));
    if (*skip) return PAIMON_OK;
    job->path = pmn_split_file_path(split, file, &w->arena);
    if (!job->path) return pmn_fail_nomem(err, "a file's path");
    job->fs = s->source->fs;
    /* A split from elsewhere may tell the table's own folder with another scheme ("file:/…"). */
    if (!split->plan->table_path || (entry->extra && entry->extra->external_path)) PMN_TRY(pmn_env_fs(s->source->env, job->path, &job->fs, err));
    job->mem = s->mem;
    job->pool = s->pool;
    job->progress = s->progress;
    job->shape = shape;
    job->size_bytes = entry->size;
    job->verify_checksums = s->verify_checksums;
    job->instants_are_local = s->instants_are_local;
    job->batch_rows = s->batch_rows;
    job->is_large = entry->size > READ_LARGE_FILE_BYTES || s->n_files == 1;
    job->n_threads = 1;
    if (job->is_large && s->n_threads > 1) {
        job->executor = s->source->env->executor;
        job->n_threads = s->n_threads;
    }
    return PAIMON_OK;
}

static void free_job(read_state *s, window_job *w)
{
    pmn_file_job_end(&w->job);
    pmn_arena_free(&w->arena);
    pmn_free(s->mem, w, sizeof *w);
}

/* The next file with rows to read at the end of the window; none are left when the window did not grow. */
static paimon_status add_job(read_state *s, paimon_error *err)
{
    while (s->next_split < s->n_splits) {
        const paimon_split *split = s->splits[s->next_split];
        if (s->next_file >= split->n_files) {
            s->next_split++;
            s->next_file = 0;
            continue;
        }
        window_job *w = pmn_calloc(s->mem, 1, sizeof *w);
        if (!w) return pmn_fail_nomem(err, "a file to read");
        w->job.error = (paimon_error)PAIMON_ERROR_INIT;
        w->job.split = (int32_t)s->next_split;
        pmn_arena_init(&w->arena, s->mem);
        w->arena.block_size = 1024;
        bool skip = false;
        paimon_status status = fill_job(s, split, s->next_file++, w, &skip, err);
        if (status == PAIMON_OK && !skip) {
            s->window[s->n_window++] = w;
            return PAIMON_OK;
        }
        free_job(s, w);
        if (status != PAIMON_OK) return status;
    }
    return PAIMON_OK;
}

static paimon_status fill_window(read_state *s, paimon_error *err)
{
    while (s->n_window < s->max_window) {
        if (s->n_window > 0 && (s->window[0]->job.is_large || s->window[s->n_window - 1]->job.is_large)) return PAIMON_OK;
        int before = s->n_window;
        PMN_TRY(add_job(s, err));
        if (s->n_window == before) return PAIMON_OK;
    }
    return PAIMON_OK;
}

static bool is_idle(const pmn_file_job *job)
{
    return !job->is_large && !job->task && !job->started;
}

/* Small files behind the head go to other threads, at most one less than was allowed: the caller is one too. */
static paimon_status submit_ahead(read_state *s, paimon_error *err)
{
    int running = 0;
    if (s->n_threads <= 1) return PAIMON_OK;
    for (int i = 0; i < s->n_window; i++) running += s->window[i]->job.task && !pmn_task_done(s->window[i]->job.task);
    for (int i = 1; i < s->n_window && running < s->n_threads - 1; i++) {
        pmn_file_job *job = &s->window[i]->job;
        if (!is_idle(job)) continue;
        job->step_batches = PMN_JOB_QUEUE;
        PMN_TRY(pmn_task_submit(s->source->env->executor, s->mem, pmn_file_job_step, job, &job->task, err));
        running++;
    }
    return PAIMON_OK;
}

/* Get the head further. While another thread is at it, take a file that nobody has begun. */
static void advance_head(read_state *s)
{
    pmn_file_job *head = &s->window[0]->job;
    if (!head->task) {
        head->step_batches = 1;
        pmn_file_job_step(head);
        return;
    }
    for (int i = 1; i < s->n_window && !pmn_task_done(head->task); i++) {
        pmn_file_job *job = &s->window[i]->job;
        if (!is_idle(job)) continue;
        job->step_batches = PMN_JOB_QUEUE;
        pmn_file_job_step(job);
    }
    pmn_task_wait(head->task);
    head->task = NULL;
}

static void drop_head(read_state *s)
{
    free_job(s, s->window[0]);
    s->n_window--;
    memmove(&s->window[0], &s->window[1], (size_t)s->n_window * sizeof s->window[0]);
}

/* --- batches --- */

static paimon_status constant_column(read_state *s, int32_t i, const paimon_split *split, bool is_null, int64_t length,
                                     struct ArrowArray *out, paimon_error *err)
{
    constant_cache *c = &s->constants[i];
    const pmn_field *field = &s->projection.row->fields[i];
    bool fits = c->array.release && c->array.length >= length;
    if (fits && !is_null) fits = c->plan == split->plan && c->partition == split->partition;
    if (fits && is_null) fits = c->plan == NULL;
    if (!fits) {
        int64_t rows = length > READ_CONSTANT_ROWS || s->batch_rows > READ_CONSTANT_ROWS ? length : s->batch_rows;
        pmn_datum value = { .is_null = true };
        if (!is_null) {
            PMN_TRY(load_partition(s, split, err));
            value = s->values[s->projection.columns[i]];
        }
        pmn_array_release(&c->array);
        c->plan = is_null ? NULL : split->plan;
        c->partition = split->partition;
        if (is_null) {
            struct ArrowSchema schema;
            PMN_TRY(pmn_field_to_arrow(s->mem, field, &schema, err));
            paimon_status status = pmn_array_nulls(s->pool, &schema, rows, &c->array, err);
            pmn_schema_release(&schema);
            if (status != PAIMON_OK) return status;
        } else {
            PMN_TRY(pmn_datum_to_arrow(s->pool, field->type, &value, rows, &c->array, err));
        }
    }
    return pmn_array_share(s->mem, &c->array, 0, length, out, err);
}

static bool has_nulls(const struct ArrowArray *array)
{
    if (array->null_count == 0 || array->n_buffers < 1 || !array->buffers[0]) return false;
    if (array->null_count > 0) return true;
    return pmn_bitmap_count(array->buffers[0], array->offset, array->length) < array->length;
}

static paimon_status fill_column(read_state *s, const pmn_file_job *job, int32_t i, pmn_raw_batch *raw, struct ArrowArray *out,
                                 paimon_error *err)
{
    const pmn_shape *shape = job->shape;
    const paimon_split *split = s->splits[job->split];
    int32_t from = shape->sources[i];
    if (from < 0) return constant_column(s, i, split, from == PMN_FROM_NULL, raw->length, out, err);
    struct ArrowArray *child = raw->array.children[from];
    if (shape->refuse_nulls[i] && has_nulls(child))
        return pmn_fail(err, PAIMON_CORRUPT, "%s: column '%s' is NOT NULL in the table but holds nulls in this older file", job->path,
                        s->projection.row->fields[i].name);
    pmn_array_move(out, child);
    return PAIMON_OK;
}

/* The file's columns, constants and nulls put together as asked. Takes what `raw` holds. */
static paimon_status assemble(read_state *s, const pmn_file_job *job, pmn_raw_batch *raw, struct ArrowArray *out, paimon_error *err)
{
    int32_t n = s->projection.row->n_fields;
    pmn_buffer *no_validity[1] = { NULL };
    if (job->shape->same && raw->array.release) {
        pmn_array_move(out, &raw->array);
        return PAIMON_OK;
    }
    paimon_status status = pmn_array_new(s->mem, raw->length, 0, 1, no_validity, n, out, err);
    for (int32_t i = 0; i < n && status == PAIMON_OK; i++) status = fill_column(s, job, i, raw, out->children[i], err);
    if (status != PAIMON_OK) pmn_array_release(out);
    pmn_array_release(&raw->array);
    return status;
}

static paimon_status apply_limit(read_state *s, struct ArrowArray *out, paimon_error *err)
{
    if (s->rows_left >= 0) {
        if (out->length > s->rows_left) {
            struct ArrowArray whole;
            pmn_array_move(&whole, out);
            paimon_status status = pmn_array_share(s->mem, &whole, 0, s->rows_left, out, err);
            pmn_array_release(&whole);
            if (status != PAIMON_OK) return status;
        }
        s->rows_left -= out->length;
    }
    return PAIMON_OK;
}

static void end_stream(read_state *s)
{
    s->ended = true;
    if (s->n_window > 0) atomic_store_explicit(&s->progress->cancelled, true, memory_order_relaxed); /* running tasks need not go on */
    while (s->n_window > 0) drop_head(s);
}

static paimon_status next_batch(read_state *s, struct ArrowArray *out, paimon_error *err)
{
    out->release = NULL;
    while (!s->ended) {
        if (s->rows_left == 0) break;
        if (pmn_progress_cancelled(s->progress)) return pmn_fail(err, PAIMON_CANCELLED, "the read was cancelled");
        PMN_TRY(fill_window(s, err));
        if (s->n_window == 0) break;
        PMN_TRY(submit_ahead(s, err));
        pmn_file_job *head = &s->window[0]->job;
        if (head->task || (head->queue_size == 0 && !head->done)) advance_head(s);
        pmn_raw_batch raw;
        if (pmn_file_job_pop(head, &raw)) {
            PMN_TRY(assemble(s, head, &raw, out, err));
            return apply_limit(s, out, err);
        }
        if (head->status != PAIMON_OK) {
            pmn_error_move(err, &head->error);
            return head->status;
        }
        if (head->done) drop_head(s);
    }
    if (!s->ended) end_stream(s);
    return PAIMON_OK;
}

/* --- the stream --- */

static paimon_status read_schema(void *ctx, struct ArrowSchema *out, paimon_error *err)
{
    const read_state *s = ctx;
    return pmn_row_to_arrow(s->mem, s->projection.row, out, err);
}

static paimon_status read_next(void *ctx, struct ArrowArray *out, paimon_error *err)
{
    read_state *s = ctx;
    int64_t started = pmn_monotonic_us();
    paimon_status status = next_batch(s, out, err);
    if (status == PAIMON_OK) {
        pmn_progress_rows(s->progress, out->release ? out->length : 0, pmn_monotonic_us() - started);
        if (out->release) status = pmn_progress_tell(s->progress, s->n_files, err);
    }
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
}

static void free_state(read_state *s)
{
    if (!s) return;
    if (s->progress) end_stream(s);
    for (int32_t i = 0; s->constants && i < s->projection.row->n_fields; i++) pmn_array_release(&s->constants[i].array);
    for (int32_t i = 0; i < s->n_shapes; i++) pmn_shape_free(s->shapes[i]);
    for (size_t i = 0; s->splits && i < s->n_splits; i++) paimon_split_free(s->splits[i]);
    pmn_arena_free(&s->arena);
    pmn_buffer_pool_release(s->pool);
    pmn_progress_release(s->progress);
    pmn_mem *mem = s->mem;
    pmn_source_release(s->source);
    pmn_free(mem, s, sizeof *s);
    pmn_mem_release(mem);
}

static void read_free(void *ctx) { free_state(ctx); }

static const pmn_array_source read_source = { read_schema, read_next, read_free };

static paimon_status keep_splits(read_state *s, paimon_split *const *splits, size_t n, paimon_error *err)
{
    s->splits = pmn_arena_calloc(&s->arena, n + 1, sizeof *s->splits);
    if (!s->splits) return pmn_fail_nomem(err, "the splits of a read");
    for (size_t i = 0; i < n; i++) {
        if (!splits[i]) return pmn_fail(err, PAIMON_INVALID, "split %zu is NULL", i);
        paimon_status status = pmn_read_check_split(splits[i], s->source, err);
        if (status != PAIMON_OK) {
            pmn_error_prefix(err, "split %zu", i);
            return status;
        }
        s->splits[s->n_splits++] = paimon_split_retain(splits[i]);
        s->n_files += splits[i]->n_files;
    }
    return PAIMON_OK;
}

static paimon_status set_up(read_state *s, const pmn_read_spec *spec, paimon_split *const *splits, size_t n, paimon_error *err)
{
    const pmn_table_schema *schema = s->source->schema;
    size_t n_columns = (size_t)schema->row->n_fields + 1;
    PMN_TRY(pmn_projection_make(&s->arena, schema->row, spec->columns, spec->n_columns, &s->projection, err));
    if (spec->predicate) PMN_TRY(pmn_pred_bind(&s->arena, schema->row, spec->predicate, &s->pred, err));
    s->is_partition = pmn_arena_calloc(&s->arena, n_columns, sizeof *s->is_partition);
    s->values = pmn_arena_calloc(&s->arena, n_columns, sizeof *s->values);
    s->partition_row = pmn_arena_calloc(&s->arena, n_columns, sizeof *s->partition_row);
    constant_cache *constants = pmn_arena_calloc(&s->arena, (size_t)s->projection.row->n_fields + 1, sizeof *constants);
    if (!s->is_partition || !s->values || !s->partition_row || !constants) return pmn_fail_nomem(err, "a read");
    s->constants = constants;
    for (int32_t i = 0; i < schema->n_partition_keys; i++) s->is_partition[schema->partition_columns[i]] = true;
    /* Spelled as parquet-mr does, which has it off by default, too. */
    PMN_TRY(pmn_options_bool(&s->source->options, "parquet.page.verify-checksum.enabled", false, &s->verify_checksums, err));
    PMN_TRY(pmn_options_bool(&s->source->options, "orc.timestamp-ltz.legacy.type", true, &s->instants_are_local, err));
    PMN_TRY(keep_splits(s, splits, n, err));
    PMN_TRY(pmn_progress_new(s->mem, &s->progress, err));
    if (spec->watch) s->progress->watch = pmn_watch_retain(spec->watch);
    s->pool = pmn_buffer_pool_new(s->mem, READ_POOL_BYTES);
    return s->pool ? PAIMON_OK : pmn_fail_nomem(err, "a read's buffers");
}

paimon_status pmn_stream_open(const pmn_read_spec *spec, paimon_split *const *splits, size_t n_splits, struct ArrowArrayStream *out,
                              paimon_error *err)
{
    out->release = NULL;
    read_state *s = pmn_calloc(spec->source->mem, 1, sizeof *s);
    if (!s) return pmn_fail_nomem(err, "a read");
    s->mem = pmn_mem_retain(spec->source->mem);
    s->source = pmn_source_retain(spec->source);
    s->rows_left = spec->limit;
    s->batch_rows = spec->batch_rows;
    s->n_threads = spec->n_threads;
    s->max_window = spec->n_threads <= 1 ? 1 : spec->n_threads * 2 < READ_MAX_WINDOW ? spec->n_threads * 2 : READ_MAX_WINDOW;
    pmn_arena_init(&s->arena, s->mem);
    paimon_status status = set_up(s, spec, splits, n_splits, err);
    if (status != PAIMON_OK) {
        free_state(s);
        return status;
    }
    return pmn_array_stream_new(s->mem, &read_source, s, out, err);
}

paimon_reader *pmn_stream_progress(const struct ArrowArrayStream *stream)
{
    const read_state *s = pmn_array_stream_ctx(stream, &read_source);
    return s ? s->progress : NULL;
}
