#include "write/table_writer.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/map.h"
#include "types/partition.h"
#include "types/row_bytes.h"
#include "write/bucket_writer.h"
#include "write/columns.h"
#include "write/held.h"
#include "write/restore.h"
#include "write/route.h"

#define WRITE_POOL_BYTES (16 << 20)
#define FEW_ROWS 1000 /* a bucket in a batch */
#define MOST_HELD_BYTES ((int64_t)1 << 29) /* texts put together are found by 32 bits */
#define MOST_FILES_HELD 128 /* of the system, by parts of files that were written early */

struct pmn_table_writer {
    pmn_source *source; /* retained */
    pmn_mem *mem;
    pmn_arena arena;
    struct ArrowSchema given;  /* of the batches */
    struct ArrowSchema schema; /* of the table's row */
    pmn_write_target target;
    pmn_format_crew crew; /* of all files */
    int64_t memory;       /* of the open files' writers, at most */
    pmn_held_rows held;
    bool holds;           /* it has held rows: a part of the memory is for them */
    pmn_write_columns columns;
    pmn_buffer_pool *pool;
    pmn_router *router;
    pmn_restored restored;
    bool has_restored;
    pmn_map by_place; /* (bucket, partition) → number of the writer */
    pmn_buf key;      /* of the place at hand */
    pmn_bucket_writer **writers;
    size_t n_writers, writers_capacity;
    int64_t rows, batches, time_us;
    pmn_write_tally tally;
    bool failed; /* what is in the files is not known any more */
};

static paimon_status init_table_writer(pmn_table_writer *w, int32_t n_threads, paimon_error *err)
{
    PMN_TRY(pmn_write_target_make(&w->arena, w->source, n_threads, &w->target, err));
    w->target.tally = &w->tally;
    w->target.crew = &w->crew;
    PMN_TRY(pmn_write_columns_make(&w->arena, w->target.row, &w->given, &w->columns, err));
    PMN_TRY(pmn_row_to_arrow(w->mem, w->target.row, &w->schema, err));
    w->pool = pmn_buffer_pool_new(w->mem, WRITE_POOL_BYTES);
    if (!w->pool) return pmn_fail_nomem(err, "a buffer pool");
    PMN_TRY(pmn_write_columns_check(&w->columns, w->pool, err));
    return pmn_router_new(&w->target, &w->router, err);
}

paimon_status pmn_table_writer_new(pmn_source *source, struct ArrowSchema *schema, int32_t n_threads, pmn_table_writer **out, paimon_error *err)
{
    paimon_status status = pmn_source_pin(source, &source, err);
    pmn_table_writer *w = status == PAIMON_OK ? pmn_calloc(source->mem, 1, sizeof *w) : NULL;
    if (!w) {
        pmn_schema_release(schema);
        if (status == PAIMON_OK) pmn_source_release(source);
        return status == PAIMON_OK ? pmn_fail_nomem(err, "a table's writer") : status;
    }
    w->source = source;
    w->mem = source->mem;
    pmn_arena_init(&w->arena, w->mem);
    pmn_map_init(&w->by_place, w->mem);
    pmn_buf_init(&w->key, w->mem, PMN_BUF_NO_CEILING);
    pmn_held_init(&w->held, w->mem);
    pmn_schema_move(&w->given, schema);
    status = init_table_writer(w, n_threads, err);
    if (status == PAIMON_OK) *out = w;
    else pmn_table_writer_free(w);
    return status;
}

void pmn_table_writer_free(pmn_table_writer *w)
{
    if (!w) return;
    pmn_source *source = w->source;
    pmn_held_free(&w->held);
    for (size_t i = 0; i < w->n_writers; i++) pmn_bucket_writer_free(w->writers[i]);
    pmn_format_crew_free(&w->crew);
    pmn_free(w->mem, w->writers, w->writers_capacity * sizeof *w->writers);
    pmn_map_free(&w->by_place);
    pmn_buf_free(&w->key);
    if (w->has_restored) pmn_restored_free(&w->restored);
    pmn_router_free(w->router);
    if (w->pool) pmn_buffer_pool_release(w->pool);
    pmn_schema_release(&w->schema);
    pmn_schema_release(&w->given);
    pmn_watch_release(&w->tally.watch);
    pmn_arena_free(&w->arena);
    pmn_free(w->mem, w, sizeof *w);
    pmn_source_release(source);
}

/* --- writers of buckets --- */

/* Fixed buckets: the partition must have as many buckets as the table says now, and rows go on where the bucket's files end. */
static paimon_status bucket_start(pmn_table_writer *w, pmn_slice partition, int32_t bucket, int64_t *sequence, paimon_error *err)
{
    *sequence = 0;
    if (w->target.n_buckets <= 0) return PAIMON_OK;
    if (!w->has_restored) {
        PMN_TRY(pmn_restore(w->source, &w->restored, err));
        w->has_restored = true;
    }
    int32_t total = pmn_restored_total(&w->restored, partition);
    if (total > 0 && total != w->target.n_buckets)
        return pmn_fail(err, PAIMON_INVALID, "%s: a partition was written with %d buckets and the table has %d now; overwrite the partition to change it",
                        w->source->path, total, w->target.n_buckets);
    if (!w->target.ordered) return PAIMON_OK;
    return pmn_restored_sequence(&w->restored, partition, bucket, &w->arena, sequence, err);
}

/* Bucket and partition as one key, in w->key. */
static paimon_status place_key(pmn_table_writer *w, pmn_slice partition, int32_t bucket, paimon_error *err)
{
    uint8_t bytes[4];
    pmn_store_le32(bytes, (uint32_t)bucket);
    pmn_buf_clear(&w->key);
    PMN_TRY(pmn_buf_append(&w->key, bytes, sizeof bytes, err));
    return pmn_buf_append(&w->key, partition.data, partition.size, err);
}

static paimon_status add_writer(pmn_table_writer *w, pmn_slice partition, int32_t bucket, paimon_error *err)
{
    int64_t sequence;
    pmn_bucket_writer **grown = pmn_grow(w->mem, w->writers, w->n_writers, 1, &w->writers_capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "writers of buckets");
    w->writers = grown;
    PMN_TRY(bucket_start(w, partition, bucket, &sequence, err));
    PMN_TRY(pmn_bucket_writer_new(&w->target, partition, bucket, sequence, &w->writers[w->n_writers], err));
    w->n_writers++;
    return PAIMON_OK;
}

static paimon_status writer_of(pmn_table_writer *w, pmn_slice partition, int32_t bucket, pmn_bucket_writer **out, paimon_error *err)
{
    PMN_TRY(place_key(w, partition, bucket, err));
    uint64_t *number = pmn_map_find(&w->by_place, pmn_slice_of(w->key.data, w->key.size));
    if (!number) {
        void *key = pmn_arena_copy(&w->arena, w->key.data, w->key.size);
        if (!key) return pmn_fail_nomem(err, "a bucket's writer");
        PMN_TRY(add_writer(w, partition, bucket, err));
        PMN_TRY(pmn_map_put(&w->by_place, pmn_slice_of(key, w->key.size), &number, NULL, err));
        *number = w->n_writers - 1;
    }
    *out = w->writers[*number];
    return PAIMON_OK;
}

/* --- places said by the caller --- */

static paimon_status check_partition(pmn_table_writer *w, pmn_slice partition, const char *const *texts, paimon_error *err)
{
    const pmn_type *type = w->source->schema->partition_type;
    pmn_row_view row;
    pmn_arena arena;
    pmn_arena_init(&arena, w->mem);
    paimon_status status = pmn_row_parse(partition, &row, err);
    for (int32_t i = 0; i < type->n_fields && status == PAIMON_OK; i++) {
        const pmn_field *field = &type->fields[i];
        pmn_datum found, said = { .is_null = true };
        bool is_null = !texts || !texts[i];
        if (!is_null) status = pmn_datum_parse(&arena, field->type, pmn_slice_text(texts[i]), &said, err);
        if (status == PAIMON_OK) status = pmn_row_get(&row, i, field->type, &found, err);
        if (status == PAIMON_OK && (found.is_null != is_null || (!is_null && !pmn_datum_equal(field->type, &found, &said))))
            status = pmn_fail(err, PAIMON_INVALID, "partition column '%s': a row is not in the partition that was said (%s)", field->name,
                              is_null ? "null" : texts[i]);
    }
    pmn_arena_free(&arena);
    return status;
}

static paimon_status check_place(pmn_table_writer *w, const pmn_row_group *groups, int32_t n, const pmn_write_place *place, paimon_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        if (groups[i].bucket != place->bucket)
            return pmn_fail(err, PAIMON_INVALID, "a row belongs to bucket %d, not to bucket %d", groups[i].bucket, place->bucket);
        PMN_TRY(check_partition(w, groups[i].partition, place->partition, err));
    }
    return PAIMON_OK;
}

/* --- memory --- */

/* Of write-buffer-size, once rows are held; the open files have the rest. Rows that wait need less than rows that are encoded already. */
static int64_t share_of_held(const pmn_table_writer *w)
{
    int64_t bytes = w->target.buffer_bytes / 4 * 3;
    return bytes < MOST_HELD_BYTES ? bytes : MOST_HELD_BYTES;
}

/* What all writers take, exactly; it waits for what is being encoded. */
static paimon_status measure_writers(pmn_table_writer *w, int *n_held, paimon_error *err)
{
    w->memory = 0;
    *n_held = 0;
    for (size_t i = 0; i < w->n_writers; i++) {
        PMN_TRY(pmn_bucket_writer_measure(w->writers[i], err));
        w->memory += pmn_bucket_writer_memory(w->writers[i]);
        *n_held += pmn_bucket_writer_holds_file(w->writers[i]);
    }
    return PAIMON_OK;
}

static int compare_memory(const void *a, const void *b)
{
    int64_t x = pmn_bucket_writer_memory(*(pmn_bucket_writer *const *)a), y = pmn_bucket_writer_memory(*(pmn_bucket_writer *const *)b);
    return x > y ? -1 : x < y;
}

static paimon_status shrink_largest(pmn_table_writer *w, pmn_bucket_writer **by_size, int64_t enough, int n_held, paimon_error *err)
{
    memcpy(by_size, w->writers, w->n_writers * sizeof *by_size);
    qsort(by_size, w->n_writers, sizeof *by_size, compare_memory);
    for (size_t i = 0; i < w->n_writers && w->memory > enough; i++) {
        int64_t before = pmn_bucket_writer_memory(by_size[i]);
        bool held = pmn_bucket_writer_holds_file(by_size[i]);
        PMN_TRY(pmn_bucket_writer_shrink(by_size[i], n_held < MOST_FILES_HELD, err));
        w->memory -= before - pmn_bucket_writer_memory(by_size[i]);
        n_held += pmn_bucket_writer_holds_file(by_size[i]) - held;
    }
    return PAIMON_OK;
}

/* The largest give back theirs, until there is room for some time: that makes the fewest files, and each as large as can be. Java's writers
 * that buffer rows share write-buffer-size in the same way. */
static paimon_status keep_memory(pmn_table_writer *w, paimon_error *err)
{
    int64_t limit = w->target.buffer_bytes - (w->holds ? share_of_held(w) : 0), enough = limit - limit / 8;
    int n_held;
    if (w->memory <= limit) return PAIMON_OK;
    PMN_TRY(measure_writers(w, &n_held, err));
    if (w->memory <= enough) return PAIMON_OK;
    pmn_bucket_writer **by_size = pmn_alloc(w->mem, w->n_writers * sizeof *by_size);
    if (!by_size) return pmn_fail_nomem(err, "writers of buckets");
    paimon_status status = shrink_largest(w, by_size, enough, n_held, err);
    pmn_free(w->mem, by_size, w->n_writers * sizeof *by_size);
    return status;
}

/* --- rows --- */

static paimon_status write_group(pmn_table_writer *w, struct ArrowArray *batch, const pmn_row_group *group, paimon_error *err)
{
    pmn_bucket_writer *writer;
    struct ArrowArray rows = { .release = NULL };
    PMN_TRY(writer_of(w, group->partition, group->bucket, &writer, err));
    int64_t before = pmn_bucket_writer_memory(writer);
    if (group->n == batch->length) {
        PMN_TRY(pmn_bucket_writer_write(writer, batch, 0, batch->length, err));
    } else {
        PMN_TRY(pmn_array_gather(w->pool, &w->schema, batch, group->rows, group->n, &rows, err));
        paimon_status status = pmn_bucket_writer_write(writer, &rows, 0, rows.length, err);
        pmn_array_release(&rows);
        PMN_TRY(status);
    }
    w->memory += pmn_bucket_writer_memory(writer) - before;
    return keep_memory(w, err);
}

/* The rows of a batch that was split just now. */
static paimon_status write_groups(pmn_table_writer *w, struct ArrowArray *batch, const pmn_row_group *groups, int32_t n, paimon_error *err)
{
    paimon_status status = PAIMON_OK;
    for (int32_t i = 0; i < n && status == PAIMON_OK; i++) status = write_group(w, batch, &groups[i], err);
    if (status != PAIMON_OK) w->failed = true;
    return status;
}

static paimon_status write_held(pmn_table_writer *w, paimon_error *err)
{
    struct ArrowArray batch = { .release = NULL };
    const pmn_row_group *groups;
    int32_t n;
    if (w->held.n == 0) return PAIMON_OK;
    w->failed = true; /* unless all of them get to their files */
    PMN_TRY(pmn_held_take(&w->held, w->pool, &w->schema, &batch, err));
    paimon_status status = pmn_router_split(w->router, &batch, &groups, &n, err);
    w->failed = false;
    if (status == PAIMON_OK) status = write_groups(w, &batch, groups, n, err);
    pmn_array_release(&batch);
    if (status != PAIMON_OK) w->failed = true;
    return status;
}

/* Rows that are few a bucket wait for more, as do those behind them. */
static paimon_status hold_rows(pmn_table_writer *w, struct ArrowArray *batch, int64_t bytes, paimon_error *err)
{
    w->holds = true;
    return pmn_held_add(&w->held, batch, bytes, err);
}

static paimon_status write_rows(pmn_table_writer *w, struct ArrowArray *batch, const pmn_write_place *place, paimon_error *err)
{
    const pmn_row_group *groups;
    pmn_bucket_writer *ready;
    int32_t n;
    PMN_TRY(pmn_router_split(w->router, batch, &groups, &n, err));
    if (place) PMN_TRY(check_place(w, groups, n, place, err));
    /* Whatever speaks against a bucket is told before a row is written. */
    for (int32_t i = 0; i < n; i++) PMN_TRY(writer_of(w, groups[i].partition, groups[i].bucket, &ready, err));
    bool few = n > 1 && batch->length / n < FEW_ROWS;
    if (w->held.n == 0 && !few) {
        PMN_TRY(write_groups(w, batch, groups, n, err));
    } else {
        int64_t bytes = pmn_row_bytes(w->target.row, batch, 0, batch->length), limit = share_of_held(w);
        if (w->held.bytes + bytes > limit) PMN_TRY(write_held(w, err));
        PMN_TRY(hold_rows(w, batch, bytes, err));
        if (w->held.bytes > limit) PMN_TRY(write_held(w, err)); /* it alone */
    }
    w->rows += batch->length;
    w->batches++;
    return PAIMON_OK;
}

static paimon_status check_state(const pmn_table_writer *w, paimon_error *err)
{
    return w->failed ? pmn_fail(err, PAIMON_STATE, "%s: an earlier write failed; free this writer, which removes its files", w->source->path) : PAIMON_OK;
}

/* The batch is written; whoever hears of it may still say that it was the last one. */
static paimon_status tell_write(pmn_table_writer *w, paimon_error *err)
{
    paimon_progress told = { .activity = PAIMON_ACTIVITY_WRITE,
                             .done = w->batches,
                             .total = -1,
                             .rows = w->rows,
                             .files = w->tally.files,
                             .bytes = w->tally.bytes };
    paimon_status status = pmn_watch_tell(&w->tally.watch, "write", told, err);
    if (status != PAIMON_OK) w->failed = true;
    return status;
}

paimon_status pmn_table_writer_write(pmn_table_writer *w, struct ArrowArray *batch, const pmn_write_place *place, paimon_error *err)
{
    struct ArrowArray columns = { .release = NULL };
    int64_t started = pmn_monotonic_us();
    PMN_TRY(check_state(w, err));
    PMN_TRY(pmn_watch_check(&w->tally.watch, "write", err));
    PMN_TRY(pmn_write_columns_take(&w->columns, w->pool, batch, &columns, err));
    paimon_status status = write_rows(w, &columns, place, err);
    pmn_array_release(&columns);
    w->time_us += pmn_monotonic_us() - started;
    return status == PAIMON_OK ? tell_write(w, err) : status;
}

paimon_status pmn_table_writer_prepare(pmn_table_writer *w, paimon_message_list **out, paimon_error *err)
{
    paimon_message_list *list;
    int64_t started = pmn_monotonic_us();
    PMN_TRY(check_state(w, err));
    PMN_TRY(pmn_watch_check(&w->tally.watch, "write", err));
    PMN_TRY(write_held(w, err));
    PMN_TRY(pmn_message_list_new(w->mem, &list, err));
    paimon_status status = PAIMON_OK;
    for (size_t i = 0; i < w->n_writers && status == PAIMON_OK; i++) status = pmn_bucket_writer_hand_over(w->writers[i], list, err);
    if (status != PAIMON_OK) {
        w->failed = true;
        paimon_message_list_free(list);
        return status;
    }
    for (size_t i = 0; i < w->n_writers; i++) pmn_bucket_writer_forget(w->writers[i]);
    w->time_us += pmn_monotonic_us() - started;
    w->memory = 0; /* no file is open */
    *out = list;
    return PAIMON_OK;
}

int64_t pmn_table_writer_rows(const pmn_table_writer *w)
{
    return w->rows;
}

pmn_watch *pmn_table_writer_watch(pmn_table_writer *w)
{
    return &w->tally.watch;
}

void pmn_table_writer_metrics(const pmn_table_writer *w, paimon_write_metrics *out)
{
    out->batches = w->batches;
    out->rows = w->rows;
    out->files = w->tally.files;
    out->bytes_written = w->tally.bytes;
    out->buckets = (int64_t)w->n_writers;
    out->time_us = w->time_us;
}
