/* paimon-bench: this library as a contender of the benchmark that docs/benchmarking.md describes.
 *
 *     paimon-bench read|plan|contracts|write|commits WAREHOUSE TABLE [--option value]...
 *
 * The table is db `bench` of the warehouse. One JSON object on one line goes to standard output; unknown options are ignored.
 * CPU time is user + system of the whole process from the start of planning on (getrusage), wall time is the monotonic clock. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench.h"
#include "render.h"
#include "sums.h"

static double started;

double bench_wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double bench_cpu(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

int bench_fail(paimon_error *err)
{
    fprintf(stderr, "paimon-bench: %s\n", paimon_error_message(err));
    int code = err->code == PAIMON_UNSUPPORTED ? 3 : 1;
    paimon_error_clear(err);
    return code;
}

/* ---------------------------------------------------------------- predicate */

/* "col op literal", the literal as text: the library fits it to the column's type. */
static paimon_status parse_term(char *term, paimon_predicate **out, paimon_error *err)
{
    static const struct {
        const char *text;
        paimon_predicate_op op;
    } ops[] = { { "=", PAIMON_OP_EQ }, { "<", PAIMON_OP_LT }, { "<=", PAIMON_OP_LE }, { ">", PAIMON_OP_GT }, { ">=", PAIMON_OP_GE } };
    char *rest = NULL;
    const char *column = strtok_r(term, " ", &rest);
    const char *op = strtok_r(NULL, " ", &rest);
    const char *text = rest == NULL ? "" : rest + strspn(rest, " ");
    paimon_literal literal = { .kind = PAIMON_LITERAL_TEXT, .text = text, .text_size = strlen(text) };
    for (size_t i = 0; column != NULL && op != NULL && i < sizeof ops / sizeof ops[0]; i++) {
        if (strcmp(op, ops[i].text) == 0) {
            return paimon_predicate_leaf(&column, 1, ops[i].op, &literal, 1, out, err);
        }
    }
    fprintf(stderr, "paimon-bench: a term of --where is not \"column op literal\"\n");
    return PAIMON_INVALID;
}

/* Terms joined by " and ". */
static paimon_status parse_where(const char *where, paimon_predicate **out, paimon_error *err)
{
    char *text = strdup(where);
    paimon_status status = text == NULL ? PAIMON_NOMEM : PAIMON_OK;
    for (char *term = text; status == PAIMON_OK && term != NULL;) {
        char *next = strstr(term, " and ");
        if (next != NULL) {
            *next = '\0';
            next += 5;
        }
        paimon_predicate *one = NULL;
        status = parse_term(term, &one, err);
        if (status == PAIMON_OK && *out != NULL) {
            paimon_predicate *both[2] = { *out, one };
            paimon_predicate *joined = NULL;
            status = paimon_predicate_and(both, 2, &joined, err);
            paimon_predicate_free(*out);
            paimon_predicate_free(one);
            one = joined;
        }
        *out = one;
        term = next;
    }
    free(text);
    return status;
}

paimon_status bench_plan_table(paimon_table *table, paimon_predicate *predicate, paimon_plan **plan, paimon_error *err)
{
    paimon_scan *scan = NULL;
    paimon_status status = paimon_scan_new(table, &scan, err);
    if (status == PAIMON_OK && predicate != NULL) {
        status = paimon_scan_set_predicate(scan, predicate, err);
    }
    if (status == PAIMON_OK) {
        status = paimon_scan_plan(scan, plan, err);
    }
    paimon_scan_free(scan);
    return status;
}

/* --------------------------------------------------------------------- read */

typedef struct read_result {
    int64_t rows;
    int64_t bytes;
    double first_row_s;
    column_sum *sums;
} read_result;

static int take_batches(struct ArrowArrayStream *stream, const render_type *type, const char *mode, read_result *result)
{
    for (;;) {
        struct ArrowArray batch = { .release = NULL };
        if (stream->get_next(stream, &batch) != 0) {
            const char *text = stream->get_last_error(stream);
            fprintf(stderr, "paimon-bench: %s\n", text != NULL ? text : "the stream failed");
            return 1;
        }
        if (batch.release == NULL) {
            return 0;
        }
        if (result->rows == 0) {
            result->first_row_s = bench_wall() - started;
        }
        result->rows += batch.length;
        result->bytes += arrow_bytes(type, &batch);
        for (int64_t c = 0; result->sums != NULL && c < type->n_children; c++) {
            column_sum_add(&result->sums[c], &type->children[c], batch.children[c]);
        }
        batch.release(&batch);
        if (strcmp(mode, "first") == 0) {
            return 0;
        }
    }
}

static void print_sums(const read_result *result, const render_type *type)
{
    cli_text text = { 0 };
    for (int64_t c = 0; result->sums != NULL && c < type->n_children; c++) {
        const render_type *column = &type->children[c];
        cli_text_puts(&text, text.size > 0 ? ", " : "");
        cli_text_json_string(&text, (const uint8_t *)column->name, strlen(column->name));
        cli_text_puts(&text, ": ");
        column_sum_print(&result->sums[c], column, &text); /* nested ones: their nulls, and 0, as the other contenders print them */
    }
    printf(", \"checksum\": {%s}}\n", cli_text_string(&text));
    cli_text_free(&text);
}

static int drain(struct ArrowArrayStream *stream, const bench_options *options, double open_s, double plan_s, size_t n_splits, double cpu_from,
                 double read_from)
{
    struct ArrowSchema schema = { .release = NULL };
    render_type type = { .kind = RENDER_NULL };
    cli_text why = { 0 };
    read_result result = { 0 };
    int code = stream->get_schema(stream, &schema) != 0 || !render_type_init(&type, &schema, &why);
    if (code == 0 && strcmp(options->mode, "checksum") == 0) {
        result.sums = calloc((size_t)type.n_children + 1, sizeof *result.sums);
    }
    if (code == 0) {
        code = take_batches(stream, &type, options->mode, &result);
    }
    if (code == 0) {
        printf("{\"rows\": %" PRId64 ", \"splits\": %zu, \"open_s\": %.6f, \"plan_s\": %.6f, \"read_s\": %.6f, \"read_cpu_s\": %.6f, "
               "\"first_row_s\": %.6f, \"arrow_bytes\": %" PRId64 ", \"total_s\": %.6f",
               result.rows, n_splits, open_s, plan_s, bench_wall() - read_from, bench_cpu() - cpu_from, result.first_row_s, result.bytes, bench_wall() - started);
        print_sums(&result, &type);
    }
    if (schema.release != NULL) {
        schema.release(&schema);
    }
    cli_text_free(&why);
    render_type_free(&type);
    free(result.sums);
    return code;
}

static size_t split_names(char *text, const char **names, size_t max)
{
    size_t n = 0;
    char *rest = NULL;
    for (char *name = strtok_r(text, ",", &rest); name != NULL && n < max; name = strtok_r(NULL, ",", &rest)) {
        names[n++] = name;
    }
    return n;
}

static int bench_read(paimon_table *table, paimon_predicate *predicate, const bench_options *options)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_plan *plan = NULL;
    paimon_read *read = NULL;
    struct ArrowArrayStream stream = { .release = NULL };
    const char *names[512];
    char *columns = strdup(options->columns);
    size_t n_names = columns == NULL ? 0 : split_names(columns, names, sizeof names / sizeof names[0]);
    double open_s = bench_wall() - started;
    double cpu_from = bench_cpu();
    double plan_from = bench_wall();
    paimon_status status = bench_plan_table(table, predicate, &plan, &err);
    double read_from = bench_wall();
    if (status == PAIMON_OK) {
        status = paimon_read_new(table, &read, &err);
    }
    if (status == PAIMON_OK && n_names > 0) {
        status = paimon_read_set_columns(read, names, n_names, &err);
    }
    if (status == PAIMON_OK && predicate != NULL) {
        status = paimon_read_set_predicate(read, predicate, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_set_threads(read, options->threads, &err);
    }
    if (status == PAIMON_OK) {
        status = paimon_read_plan(read, plan, &stream, &err);
    }
    int code =
        status == PAIMON_OK ? drain(&stream, options, open_s, read_from - plan_from, paimon_plan_n_splits(plan), cpu_from, read_from) : bench_fail(&err);
    if (stream.release != NULL) {
        stream.release(&stream);
    }
    paimon_read_free(read);
    paimon_plan_free(plan);
    free(columns);
    return code;
}

/* --------------------------------------------------------------------- plan */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int bench_plan(paimon_table *table, paimon_predicate *predicate, const bench_options *options)
{
    paimon_error err = PAIMON_ERROR_INIT;
    int rounds = options->rounds < 1 ? 1 : options->rounds > 1000 ? 1000 : options->rounds;
    double *seconds = calloc((size_t)rounds, sizeof *seconds);
    if (seconds == NULL) {
        return 1;
    }
    int64_t files = 0;
    size_t splits = 0;
    double cpu_from = bench_cpu();
    for (int i = 0; i < rounds; i++) {
        paimon_plan *plan = NULL;
        double from = bench_wall();
        if (bench_plan_table(table, predicate, &plan, &err) != PAIMON_OK) {
            free(seconds);
            return bench_fail(&err);
        }
        seconds[i] = bench_wall() - from;
        files = paimon_plan_n_files(plan);
        splits = paimon_plan_n_splits(plan);
        paimon_plan_free(plan);
    }
    double work_cpu = (bench_cpu() - cpu_from) / rounds;
    double first = seconds[0];
    qsort(seconds, (size_t)rounds, sizeof *seconds, by_value);
    printf("{\"files\": %" PRId64 ", \"splits\": %zu, \"plan_first_s\": %.6f, \"plan_median_s\": %.6f, \"work_cpu_s\": %.6f, \"total_s\": %.6f}\n",
           files, splits, first, seconds[rounds / 2], work_cpu, bench_wall() - started);
    free(seconds);
    return 0;
}

/* --------------------------------------------------------------------- main */

static void take_options(int argc, char **argv, bench_options *options)
{
    for (int i = 4; i + 1 < argc; i += 2) {
        const char *name = argv[i];
        const char *value = argv[i + 1];
        if (strcmp(name, "--columns") == 0) {
            options->columns = value;
        } else if (strcmp(name, "--where") == 0) {
            options->where = value;
        } else if (strcmp(name, "--mode") == 0) {
            options->mode = value;
        } else if (strcmp(name, "--threads") == 0) {
            options->threads = atoi(value);
        } else if (strcmp(name, "--rounds") == 0) {
            options->rounds = atoi(value);
        } else if (strcmp(name, "--src") == 0) {
            options->src = value;
        } else if (strcmp(name, "--options") == 0) {
            options->options = value;
        } else if (strcmp(name, "--pk") == 0) {
            options->pk = value;
        } else if (strcmp(name, "--partition") == 0) {
            options->partition = value;
        } else if (strcmp(name, "--limit") == 0) {
            options->limit = atoll(value);
        } else if (strcmp(name, "--n") == 0) {
            options->n = atoi(value);
        } else if (strcmp(name, "--into") == 0) {
            options->into = atoi(value) != 0;
        } else if (strcmp(name, "--compact") == 0) {
            options->compact = atoi(value) != 0;
        } else if (strcmp(name, "--stream") == 0) {
            options->stream = atoi(value) != 0;
        }
    }
}

/* With table options "k=v;k=v". */
static paimon_status open_table(paimon_catalog *catalog, const char *identifier, const char *options, paimon_table **table, paimon_error *err)
{
    paimon_option pairs[64];
    size_t n = 0;
    char *rest = NULL;
    char *text = strdup(options);
    for (char *pair = text != NULL ? strtok_r(text, ";", &rest) : NULL; pair != NULL && n < 64; pair = strtok_r(NULL, ";", &rest)) {
        char *equals = strchr(pair, '=');
        if (equals != NULL) {
            *equals = '\0';
            pairs[n++] = (paimon_option){ pair, equals + 1 };
        }
    }
    paimon_status status = paimon_catalog_open_table(catalog, identifier, pairs, n, table, err);
    free(text);
    return status;
}

static int run(const char *command, const char *warehouse, const char *name, const bench_options *options)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_catalog *catalog = NULL;
    paimon_table *table = NULL;
    paimon_predicate *predicate = NULL;
    char identifier[512];
    snprintf(identifier, sizeof identifier, "bench.%s", name);
    paimon_status status = paimon_catalog_open(NULL, warehouse, NULL, 0, &catalog, &err);
    if (status == PAIMON_OK && (strcmp(command, "write") == 0 || strcmp(command, "commits") == 0)) {
        int code = strcmp(command, "write") == 0 ? bench_write(catalog, name, options) : bench_commits(catalog, name, options);
        paimon_catalog_free(catalog);
        return code;
    }
    if (status == PAIMON_OK) {
        status = open_table(catalog, identifier, options->options, &table, &err);
    }
    if (status == PAIMON_OK && options->where[0] != '\0') {
        status = parse_where(options->where, &predicate, &err);
    }
    int code = status != PAIMON_OK                 ? bench_fail(&err)
               : strcmp(command, "read") == 0      ? bench_read(table, predicate, options)
               : strcmp(command, "contracts") == 0 ? bench_contracts(table, options)
                                                   : bench_plan(table, predicate, options);
    paimon_predicate_free(predicate);
    paimon_table_free(table);
    paimon_catalog_free(catalog);
    return code;
}

int main(int argc, char **argv)
{
    started = bench_wall();
    bench_options options = { .columns = "", .where = "", .mode = "count", .src = "", .options = "", .pk = "", .partition = "", .threads = 2, .rounds = 3, .n = 100, .stream = -1 };
    if (argc < 4) {
        fprintf(stderr, "usage: paimon-bench read|plan|contracts|write|commits WAREHOUSE TABLE [--option value]...\n");
        return 2;
    }
    if (strcmp(argv[1], "read") != 0 && strcmp(argv[1], "plan") != 0 && strcmp(argv[1], "contracts") != 0 && strcmp(argv[1], "write") != 0 && strcmp(argv[1], "commits") != 0) {
        bool known = strcmp(argv[1], "lookup") == 0;
        fprintf(stderr, "paimon-bench: %s is %s\n", argv[1], known ? "not supported yet" : "not a command");
        return known ? 3 : 2;
    }
    take_options(argc, argv, &options);
    return run(argv[1], argv[2], argv[3], &options);
}
