#include "write/bucket_writer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "io/path.h"
#include "types/partition.h"

/* As Java: the size of the open file is looked at after every thousandth row of the writer. */
#define ROLL_CHECK_ROWS 1000
/* A writer takes at most about so many times the bytes that came in since it was measured: they are held, and buffers double. */
#define GROWTH 2
#define SMALLEST_PART (1 << 20) /* of memory: for less a row group does not pay */

struct pmn_bucket_writer {
    const pmn_write_target *target;
    pmn_mem *mem;
    pmn_arena arena; /* of the writer: partition, folder */
    pmn_arena files_arena; /* of the files that are not handed over yet */
    pmn_slice partition;
    int32_t bucket;
    const char *folder;
    char uuid[PMN_UUID_TEXT];
    int32_t counter;  /* of file names */
    int64_t sequence; /* of the next row */
    int64_t rows;     /* written in all: when to look at the size */
    pmn_format_writer *open;
    const char *open_name; /* in files_arena */
    int64_t open_rows;
    int64_t memory; /* that the open file's writer took when it was measured */
    int64_t most_measured; /* its greatest possible size then */
    bool flushed;   /* it has written, and so holds a file of the system */
    pmn_data_file *files;
    int32_t n_files;
    size_t files_capacity;
};

static paimon_status make_folder(pmn_bucket_writer *w, paimon_error *err)
{
    const pmn_type *type = w->target->source->schema->partition_type;
    pmn_datum *values = pmn_arena_calloc(&w->arena, (size_t)type->n_fields + 1, sizeof *values);
    pmn_row_view row;
    pmn_buf path;
    if (!values) return pmn_fail_nomem(err, "a partition");
    PMN_TRY(pmn_row_parse(w->partition, &row, err));
    PMN_TRY(pmn_row_get_all(&row, type, values, err));
    pmn_buf_init(&path, w->mem, 1 << 20);
    paimon_status status = pmn_partition_path(&path, type, values, w->target->default_partition, w->target->legacy_names, err);
    if (status == PAIMON_OK) status = pmn_buf_printf(&path, err, "bucket-%d", w->bucket);
    if (status == PAIMON_OK) status = pmn_buf_terminate(&path, err);
    if (status == PAIMON_OK) {
        w->folder = pmn_path_join(&w->arena, w->target->data_folder, (const char *)path.data);
        if (!w->folder) status = pmn_fail_nomem(err, "a folder's name");
    }
    pmn_buf_free(&path);
    return status;
}

static paimon_status init_writer(pmn_bucket_writer *w, pmn_slice partition, paimon_error *err)
{
    void *copy = pmn_arena_copy(&w->arena, partition.data, partition.size);
    if (!copy) return pmn_fail_nomem(err, "a partition");
    w->partition = pmn_slice_of(copy, partition.size);
    PMN_TRY(make_folder(w, err));
    return pmn_uuid(w->uuid, err);
}

paimon_status pmn_bucket_writer_new(const pmn_write_target *target, pmn_slice partition, int32_t bucket, int64_t sequence,
                                    pmn_bucket_writer **out, paimon_error *err)
{
    pmn_mem *mem = target->source->mem;
    pmn_bucket_writer *w = pmn_calloc(mem, 1, sizeof *w);
    if (!w) return pmn_fail_nomem(err, "a bucket's writer");
    w->target = target;
    w->mem = mem;
    w->bucket = bucket;
    w->sequence = sequence;
    pmn_arena_init(&w->arena, mem);
    pmn_arena_init(&w->files_arena, mem);
    paimon_status status = init_writer(w, partition, err);
    if (status == PAIMON_OK) *out = w;
    else pmn_bucket_writer_free(w);
    return status;
}

/* --- files --- */

static const char *option_of(const void *ctx, const char *key)
{
    return pmn_options_get((const pmn_options *)ctx, key);
}

static void remove_file(pmn_bucket_writer *w, const char *name)
{
    pmn_arena scratch;
    pmn_arena_init(&scratch, w->mem);
    const char *path = pmn_path_join(&scratch, w->folder, name);
    if (path && pmn_fs_remove(w->target->source->fs, path, NULL) != PAIMON_OK)
        pmn_log(&w->target->source->env->logger, PAIMON_LOG_WARN, "%s could not be removed; no snapshot uses it", path);
    pmn_arena_free(&scratch);
}

static paimon_status open_file(pmn_bucket_writer *w, paimon_error *err)
{
    const pmn_write_target *t = w->target;
    size_t n = strlen(t->prefix) + sizeof w->uuid + strlen(t->extension) + 16;
    char *name = pmn_arena_alloc(&w->files_arena, n);
    if (!name) return pmn_fail_nomem(err, "a file's name");
    snprintf(name, n, "%s%s-%d%s", t->prefix, w->uuid, w->counter++, t->extension);
    const char *path = pmn_path_join(&w->files_arena, w->folder, name);
    if (!path) return pmn_fail_nomem(err, "a file's path");
    pmn_format_write_options options = {
        .mem = w->mem,
        .fs = t->source->fs,
        .path = path,
        .row = t->row,
        .get = option_of,
        .options_ctx = &t->source->options,
        .executor = t->n_threads > 1 ? t->source->env->executor : NULL,
        .n_threads = t->n_threads,
        .crew = t->crew,
    };
    paimon_status status = t->format->create(&options, &w->open, err);
    if (status != PAIMON_OK) {
        if (status == PAIMON_IO) remove_file(w, name); /* it may have been made all the same */
        return status;
    }
    w->open_name = name;
    w->open_rows = 0;
    w->memory = w->most_measured = 0;
    w->flushed = false;
    return pmn_bucket_writer_measure(w, err);
}

/* Java stores the local date and time as if they were UTC. */
static int64_t local_now_as_utc_ms(void)
{
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    return ((int64_t)now.tv_sec + local.tm_gmtoff) * 1000 + now.tv_nsec / 1000000;
}

static paimon_status reserve_file(pmn_bucket_writer *w, paimon_error *err)
{
    pmn_data_file *grown = pmn_arena_grow(&w->files_arena, w->files, (size_t)w->n_files, &w->files_capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "written files");
    w->files = grown;
    return PAIMON_OK;
}

static paimon_status describe_file(pmn_bucket_writer *w, const pmn_format_written *written, pmn_data_file *file, paimon_error *err)
{
    pmn_simple_stats no_stats;
    *file = (pmn_data_file){
        .name = w->open_name,
        .size = written->size_bytes,
        .row_count = written->rows,
        .min_sequence = w->sequence - written->rows,
        .max_sequence = w->sequence - 1,
        .schema_id = w->target->source->schema->id,
        .creation_time_ms = local_now_as_utc_ms(),
        .first_row_id = PMN_NONE,
        .n_write_cols = -1,
        .n_write_cols_sequences = -1,
    };
    PMN_TRY(pmn_stats_empty(&w->files_arena, &file->min_key, &no_stats, err));
    file->max_key = file->min_key;
    file->key_stats = no_stats;
    return pmn_stats_make(&w->target->stats, written->bounds, &w->files_arena, file, err);
}

static paimon_status close_file(pmn_bucket_writer *w, paimon_error *err)
{
    if (!w->open) return PAIMON_OK;
    pmn_format_written written;
    paimon_status status = reserve_file(w, err);
    if (status == PAIMON_OK) status = w->open->ops->finish(w->open, &written, err);
    if (status == PAIMON_OK) status = describe_file(w, &written, &w->files[w->n_files], err);
    if (status == PAIMON_OK) {
        w->n_files++;
        w->target->tally->files++;
        w->target->tally->bytes += written.size_bytes;
    }
    pmn_format_writer_free(w->open);
    w->open = NULL;
    /* Also when finishing failed: the answer of a file that is there may have been lost. */
    if (status != PAIMON_OK) remove_file(w, w->open_name);
    return status;
}

/* How many checks may be left out: while rows of twice the size so far would not fill the file. Encoding gains from long runs of rows,
 * on several threads above all. */
static int64_t checks_to_spare(const pmn_bucket_writer *w)
{
    int64_t checks = w->open_rows / ROLL_CHECK_ROWS;
    if (checks == 0) return 0;
    int64_t size = w->open->ops->most_size(w->open), room = w->target->target_bytes - size;
    return room > 0 ? room / (2 * (size / checks + 1)) : 0;
}

/* How many of `left` rows may go into the open file before its size must be looked at, or before it is full. */
static int64_t rows_until_check(const pmn_bucket_writer *w, int64_t left)
{
    int64_t n = ROLL_CHECK_ROWS - w->rows % ROLL_CHECK_ROWS;
    if (n < left) n += checks_to_spare(w) < left / ROLL_CHECK_ROWS ? checks_to_spare(w) * ROLL_CHECK_ROWS : left;
    if (n > w->target->target_rows - w->open_rows) n = w->target->target_rows - w->open_rows;
    return n < left ? n : left;
}

/* What the size is exactly is asked only where it may be too much: the answer waits for all columns. */
static paimon_status look_at_size(pmn_bucket_writer *w, bool *full, paimon_error *err)
{
    pmn_format_measure measure;
    *full = w->open_rows >= w->target->target_rows;
    if (*full || w->rows % ROLL_CHECK_ROWS != 0 || w->open->ops->most_size(w->open) < w->target->target_bytes) return PAIMON_OK;
    PMN_TRY(w->open->ops->measure(w->open, &measure, err));
    *full = measure.size_bytes >= w->target->target_bytes;
    return PAIMON_OK;
}

paimon_status pmn_bucket_writer_write(pmn_bucket_writer *w, struct ArrowArray *batch, int64_t first, int64_t count, paimon_error *err)
{
    while (count > 0) {
        bool full;
        PMN_TRY(pmn_watch_check(&w->target->tally->watch, "write", err));
        if (!w->open) PMN_TRY(open_file(w, err));
        int64_t n = rows_until_check(w, count);
        PMN_TRY(w->open->ops->write(w->open, batch, first, n, err));
        w->open_rows += n;
        w->rows += n;
        w->sequence += n;
        first += n;
        count -= n;
        PMN_TRY(look_at_size(w, &full, err));
        if (full) PMN_TRY(close_file(w, err));
    }
    return PAIMON_OK;
}

/* --- memory --- */

int64_t pmn_bucket_writer_memory(const pmn_bucket_writer *w)
{
    if (!w->open) return 0;
    return w->memory + GROWTH * (w->open->ops->most_size(w->open) - w->most_measured);
}

paimon_status pmn_bucket_writer_measure(pmn_bucket_writer *w, paimon_error *err)
{
    pmn_format_measure measure;
    if (!w->open || w->open->ops->most_size(w->open) == w->most_measured) return PAIMON_OK;
    PMN_TRY(w->open->ops->measure(w->open, &measure, err));
    w->memory = measure.memory_bytes;
    w->most_measured = w->open->ops->most_size(w->open);
    return PAIMON_OK;
}

bool pmn_bucket_writer_holds_file(const pmn_bucket_writer *w)
{
    return w->open && w->flushed;
}

paimon_status pmn_bucket_writer_shrink(pmn_bucket_writer *w, bool may_hold, paimon_error *err)
{
    if (!w->open) return PAIMON_OK;
    if (w->memory < SMALLEST_PART || (!may_hold && !w->flushed)) return close_file(w, err);
    int64_t before = w->memory;
    PMN_TRY(w->open->ops->flush(w->open, err));
    w->flushed = true;
    w->most_measured = -1;
    PMN_TRY(pmn_bucket_writer_measure(w, err));
    return w->memory > before / 2 ? close_file(w, err) : PAIMON_OK; /* bounds and indexes stay until the footer */
}

/* --- handing over --- */

static paimon_status copy_files(const pmn_bucket_writer *w, pmn_arena *arena, pmn_data_files *out, paimon_error *err)
{
    pmn_data_file *files = pmn_arena_calloc(arena, (size_t)w->n_files, sizeof *files);
    if (!files) return pmn_fail_nomem(err, "a commit message");
    for (int32_t i = 0; i < w->n_files; i++) PMN_TRY(pmn_data_file_copy(arena, &w->files[i], &files[i], err));
    *out = (pmn_data_files){ files, w->n_files };
    return PAIMON_OK;
}

paimon_status pmn_bucket_writer_hand_over(pmn_bucket_writer *w, paimon_message_list *list, paimon_error *err)
{
    PMN_TRY(close_file(w, err));
    if (w->n_files == 0) return PAIMON_OK;
    pmn_data_files files;
    PMN_TRY(copy_files(w, &list->arena, &files, err));
    void *partition = pmn_arena_copy(&list->arena, w->partition.data, w->partition.size);
    if (!partition) return pmn_fail_nomem(err, "a commit message");
    pmn_message *message;
    PMN_TRY(pmn_message_list_add(list, &message, err));
    message->partition = pmn_slice_of(partition, w->partition.size);
    message->bucket = w->bucket;
    message->total_buckets = w->target->n_buckets;
    message->has_total_buckets = true;
    message->new_files = files;
    return PAIMON_OK;
}

void pmn_bucket_writer_forget(pmn_bucket_writer *w)
{
    pmn_arena_free(&w->files_arena);
    w->files = NULL;
    w->n_files = 0;
    w->files_capacity = 0;
}

void pmn_bucket_writer_free(pmn_bucket_writer *w)
{
    if (!w) return;
    pmn_format_writer_free(w->open); /* removes the unfinished file */
    if (w->open) remove_file(w, w->open_name); /* it may be there though making it failed */
    for (int32_t i = 0; i < w->n_files; i++) remove_file(w, w->files[i].name);
    pmn_arena_free(&w->files_arena);
    pmn_arena_free(&w->arena);
    pmn_free(w->mem, w, sizeof *w);
}
