/* paimon-bench write and commits: rows of other tables into a new table; and many commits of one row.
 *
 * The rows are in memory before the clock starts, or, with one thread, they are read batch by batch while it stands, so that the peak of memory is the
 * writer's. With more threads and --stream 1 other threads encode on while the clock stands: what they used of the processor meanwhile is
 * added to the wall time, as if nobody had worked beside them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "build.h"

typedef struct memory_rows {
    struct ArrowSchema schema;
    struct ArrowArray *batches;
    size_t n;
    int64_t rows;
} memory_rows;

typedef struct write_times {
    int64_t rows;
    double write_s, prepare_s, commit_s, total_s, cpu_s;
} write_times;

static int stream_fails(struct ArrowArrayStream *stream)
{
    const char *text = stream->get_last_error(stream);
    fprintf(stderr, "paimon-bench: %s\n", text != NULL ? text : "the stream failed");
    return 1;
}

/* What the rows come from. */
typedef struct row_source {
    paimon_plan *plan;
    paimon_read *read;
    struct ArrowArrayStream stream;
    int64_t left; /* rows that may still be taken */
} row_source;

static void close_source(row_source *source)
{
    if (source->stream.release != NULL) {
        source->stream.release(&source->stream);
    }
    paimon_read_free(source->read);
    paimon_plan_free(source->plan);
    memset(source, 0, sizeof *source);
}

static int open_source(paimon_table *table, const bench_options *options, row_source *source, struct ArrowSchema *schema)
{
    paimon_error err = PAIMON_ERROR_INIT;
    memset(source, 0, sizeof *source);
    source->left = options->limit > 0 ? options->limit : INT64_MAX;
    paimon_status status = bench_plan_table(table, NULL, &source->plan, &err);
    if (status == PAIMON_OK) {
        status = paimon_read_new(table, &source->read, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_set_batch_rows(source->read, 65536, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_plan(source->read, source->plan, &source->stream, &err);
    }
    if (status != PAIMON_OK) {
        return bench_fail(&err);
    }
    return source->stream.get_schema(&source->stream, schema) != 0 ? stream_fails(&source->stream) : 0;
}

/* The next batch, cut where the limit is; release NULL at the end. */
static int next_rows(row_source *source, struct ArrowArray *batch)
{
    batch->release = NULL;
    if (source->left == 0) {
        return 0;
    }
    if (source->stream.get_next(&source->stream, batch) != 0) {
        return stream_fails(&source->stream);
    }
    if (batch->release != NULL && batch->length > source->left) {
        batch->length = source->left; /* a slice: the columns may be longer */
    }
    source->left -= batch->release != NULL ? batch->length : 0;
    return 0;
}

static void release_rows(memory_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->batches[i].release != NULL) {
            rows->batches[i].release(&rows->batches[i]);
        }
    }
    if (rows->schema.release != NULL) {
        rows->schema.release(&rows->schema);
    }
    free(rows->batches);
}

static int load_rows(row_source *source, memory_rows *rows)
{
    for (;;) {
        struct ArrowArray batch;
        if (next_rows(source, &batch) != 0) {
            return 1;
        }
        if (batch.release == NULL) {
            return 0;
        }
        struct ArrowArray *more = realloc(rows->batches, (rows->n + 1) * sizeof *more);
        if (more == NULL) {
            batch.release(&batch);
            return 1;
        }
        rows->batches = more;
        more[rows->n++] = batch;
        rows->rows += batch.length;
    }
}

/* A new table in the place of an old one. */
static int replace_table(paimon_catalog *catalog, const char *name, const struct ArrowSchema *schema, const char *json, const bench_options *options,
                         paimon_table **table)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table_definition d = PAIMON_TABLE_DEFINITION_INIT;
    paimon_option pairs[64];
    char identifier[512];
    char *text = strdup(options->options), *rest = NULL;
    for (char *pair = text != NULL ? strtok_r(text, ";", &rest) : NULL; pair != NULL && d.n_options < 64; pair = strtok_r(NULL, ";", &rest)) {
        char *equals = strchr(pair, '=');
        if (equals != NULL) {
            *equals = '\0';
            pairs[d.n_options++] = (paimon_option){ pair, equals + 1 };
        }
    }
    d.schema = schema;
    d.schema_json = json;
    d.options = pairs;
    const char *keys[16];
    char *partition = strdup(options->partition), *more = NULL;
    for (char *key = partition != NULL ? strtok_r(partition, ",", &more) : NULL; key != NULL && d.n_partition_keys < 16; key = strtok_r(NULL, ",", &more)) {
        keys[d.n_partition_keys++] = key;
    }
    d.partition_keys = keys;
    snprintf(identifier, sizeof identifier, "bench.%s", name);
    paimon_status status = paimon_catalog_create_database(catalog, "bench", true, &err);
    if (status == PAIMON_OK) {
        status = paimon_catalog_drop_table(catalog, "bench", name, true, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_catalog_create_table(catalog, "bench", name, &d, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_catalog_open_table(catalog, identifier, NULL, 0, table, &err);
    }
    free(text);
    free(partition);
    return status == PAIMON_OK ? 0 : bench_fail(&err);
}

/* Time that does not count: of this thread's work, and of the wall less what other threads did meanwhile. */
typedef struct time_out {
    double wall_s, cpu_s;
    double wall_from, own_from, all_from;
} time_out;

static double own_cpu(void)
{
    struct rusage use;
    getrusage(RUSAGE_THREAD, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static void begin_time_out(time_out *t)
{
    t->wall_from = bench_wall();
    t->own_from = own_cpu();
    t->all_from = bench_cpu();
}

static void end_time_out(time_out *t)
{
    double own = own_cpu() - t->own_from, others = bench_cpu() - t->all_from - own;
    double wall = bench_wall() - t->wall_from - (others > 0 ? others : 0);
    t->wall_s += wall > 0 ? wall : 0;
    t->cpu_s += own;
}

/* All rows in memory, or all that the source has. */
static paimon_status write_rows(paimon_write *write, memory_rows *rows, row_source *source, time_out *out, paimon_error *err)
{
    paimon_status status = PAIMON_OK;
    for (size_t i = 0; i < rows->n && status == PAIMON_OK; i++) {
        status = paimon_write_batch(write, &rows->batches[i], err);
    }
    while (source != NULL && status == PAIMON_OK) {
        struct ArrowArray batch;
        begin_time_out(out);
        int code = next_rows(source, &batch);
        end_time_out(out);
        if (code != 0) {
            return PAIMON_INTERNAL;
        }
        if (batch.release == NULL) {
            break;
        }
        rows->rows += batch.length;
        status = paimon_write_batch(write, &batch, err);
    }
    return status;
}

/* One commit of rows, which are handed over; `source` NULL: of those in memory. */
static paimon_status commit_rows(paimon_table *table, memory_rows *rows, row_source *source, int threads, write_times *times, paimon_error *err)
{
    paimon_write_options options = PAIMON_WRITE_OPTIONS_INIT;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    paimon_write *write = NULL;
    paimon_commit *commit = NULL;
    paimon_message_list *messages = NULL;
    time_out out = { .wall_s = 0 };
    options.n_threads = threads;
    double cpu_from = bench_cpu(), from = bench_wall();
    paimon_status status = paimon_write_new(table, &rows->schema, &options, &write, err);
    if (status == PAIMON_OK) {
        status = write_rows(write, rows, source, &out, err);
    }
    double written = bench_wall();
    if (status == PAIMON_OK) {
        status = paimon_write_prepare_commit(write, PAIMON_BATCH_COMMIT, &messages, err);
    }
    double prepared = bench_wall();
    if (status == PAIMON_OK) {
        status = paimon_commit_new(table, NULL, &commit, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_commit_append(commit, messages, PAIMON_BATCH_COMMIT, NULL, &result, err);
    }
    double committed = bench_wall();
    times->rows += rows->rows;
    times->write_s += written - from - out.wall_s;
    times->prepare_s += prepared - written;
    times->commit_s += committed - prepared;
    times->total_s += committed - from - out.wall_s;
    times->cpu_s += bench_cpu() - cpu_from - out.cpu_s;
    paimon_message_list_free(messages);
    paimon_commit_free(commit);
    paimon_write_free(write);
    return status;
}

/* One source's rows as one commit; the first makes the table. */
static int copy_source(paimon_catalog *catalog, const char *name, const char *from_name, const bench_options *options, paimon_table **table,
                       write_times *times)
{
    paimon_error err = PAIMON_ERROR_INIT;
    char identifier[512];
    paimon_table *from = NULL;
    row_source source = { .left = 0 };
    memory_rows rows = { .n = 0 };
    bool stream = options->stream == 1 || (options->stream < 0 && options->threads <= 1);
    snprintf(identifier, sizeof identifier, "bench.%s", from_name);
    int code = paimon_catalog_open_table(catalog, identifier, NULL, 0, &from, &err) == PAIMON_OK ? open_source(from, options, &source, &rows.schema)
                                                                                                 : bench_fail(&err);
    if (code == 0 && *table == NULL) {
        code = replace_table(catalog, name, &rows.schema, NULL, options, table);
    }
    if (code == 0 && !stream) {
        code = load_rows(&source, &rows);
    }
    if (code == 0 && commit_rows(*table, &rows, stream ? &source : NULL, options->threads, times, &err) != PAIMON_OK) {
        code = bench_fail(&err);
    }
    close_source(&source);
    release_rows(&rows);
    paimon_table_free(from);
    return code;
}

int bench_write(paimon_catalog *catalog, const char *name, const bench_options *options)
{
    paimon_table *table = NULL;
    write_times times = { 0 };
    int code = 0;
    if (options->pk[0] != '\0' || options->compact) {
        fprintf(stderr, "paimon-bench: writing primary-key tables is not supported yet\n");
        return 3;
    }
    char *sources = strdup(options->src), *rest = NULL;
    for (char *source = sources != NULL ? strtok_r(sources, ",", &rest) : NULL; source != NULL && code == 0; source = strtok_r(NULL, ",", &rest)) {
        code = copy_source(catalog, name, source, options, &table, &times);
    }
    free(sources);
    paimon_table_free(table);
    if (code == 0) {
        printf("{\"rows\": %" PRId64 ", \"work_cpu_s\": %.6f, \"write_s\": %.6f, \"prepare_s\": %.6f, \"commit_s\": %.6f, \"total_s\": %.6f}\n", times.rows,
               times.cpu_s, times.write_s, times.prepare_s, times.commit_s, times.total_s);
    }
    return code;
}

/* --------------------------------------------------------------------- commits */

/* One row by the types of the columns: INT 20250101, BIGINT i, STRING "row i", DOUBLE 1.0. */
static int one_row(paimon_table *table, int64_t i, memory_rows *rows)
{
    render_type type = { .kind = RENDER_NULL };
    builder b = { .type = NULL };
    cli_text why = { 0 };
    struct ArrowSchema schema = { .release = NULL };
    *rows = (memory_rows){ .batches = calloc(1, sizeof *rows->batches), .rows = 1 };
    bool good = rows->batches != NULL && paimon_table_arrow_schema(table, &schema, NULL) == PAIMON_OK && render_type_init(&type, &schema, &why) &&
                build_init(&b, &type, NULL, &why);
    for (int64_t c = 0; good && c < type.n_children; c++) {
        char text[40];
        const render_type *column = &type.children[c];
        snprintf(text, sizeof text, column->kind == RENDER_STRING ? "row %" PRId64 : "%" PRId64,
                 column->kind == RENDER_FLOAT ? 1 : column->kind == RENDER_INT && column->bits == 32 ? 20250101 : i);
        good = build_field(&b.children[c], text, strlen(text), &why);
    }
    if (good) {
        build_row(&b);
        good = build_finish(&b, &rows->batches[0]);
        rows->n = good;
        rows->schema = schema;
        schema.release = NULL;
    }
    if (!good) {
        fprintf(stderr, "paimon-bench: %s\n", why.size > 0 ? cli_text_string(&why) : "a row cannot be made");
    }
    if (schema.release != NULL) {
        schema.release(&schema);
    }
    if (b.type != NULL) {
        build_free(&b);
    }
    render_type_free(&type);
    cli_text_free(&why);
    return good ? 0 : 1;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double mean_ms(const double *seconds, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += seconds[i];
    }
    return n > 0 ? sum / n * 1e3 : 0;
}

static void print_commits(double *seconds, int n, double cpu_s)
{
    int twenty = n < 20 ? n : 20;
    double total = mean_ms(seconds, n) * n / 1e3, first = mean_ms(seconds, twenty), last = mean_ms(seconds + n - twenty, twenty);
    qsort(seconds, (size_t)n, sizeof *seconds, compare_seconds);
    printf("{\"n\": %d, \"median_ms\": %.3f, \"p99_ms\": %.3f, \"first20_ms\": %.3f, \"last20_ms\": %.3f, \"per_s\": %.2f, \"total_s\": %.6f, "
           "\"work_cpu_s\": %.6f}\n",
           n, seconds[n / 2] * 1e3, seconds[(int)((double)(n - 1) * 0.99)] * 1e3, first, last, n / total, total, cpu_s / n);
}

int bench_commits(paimon_catalog *catalog, const char *name, const bench_options *options)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table *table = NULL;
    char identifier[512];
    int n = options->n < 1 ? 1 : options->n > 1000000 ? 1000000 : options->n, code = 0;
    double *seconds = calloc((size_t)n, sizeof *seconds);
    write_times times = { 0 };
    snprintf(identifier, sizeof identifier, "bench.%s", name);
    if (options->into) {
        code = paimon_catalog_open_table(catalog, identifier, NULL, 0, &table, &err) == PAIMON_OK ? 0 : bench_fail(&err);
    } else {
        code = replace_table(catalog, name, NULL, "{\"fields\":[{\"name\":\"id\",\"type\":\"BIGINT\"},{\"name\":\"s\",\"type\":\"STRING\"}]}", options, &table);
    }
    for (int i = 0; i < n && code == 0 && seconds != NULL; i++) {
        memory_rows rows;
        code = one_row(table, i, &rows);
        double before = times.total_s;
        if (code == 0 && commit_rows(table, &rows, NULL, 1, &times, &err) != PAIMON_OK) {
            code = bench_fail(&err);
        }
        seconds[i] = times.total_s - before;
        release_rows(&rows);
    }
    if (code == 0 && seconds != NULL) {
        print_commits(seconds, n, times.cpu_s);
    }
    free(seconds);
    paimon_table_free(table);
    return code;
}
