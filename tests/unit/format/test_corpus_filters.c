/* Files of a dozen writers, with whatever statistics, indexes and filters they put in: a filtered read must give exactly the rows for
 * which the predicate is true on an unfiltered one. Literals come from the data, so that bounds are met exactly. */
#include "support/unit.h"

#include <dirent.h>
#include <math.h>

#include "arrow/array.h"
#include "format/format.h"
#include "io/env.h"
#include "support/check_arrow.h"

#define MOST_ROWS 60000
#define MOST_COLUMNS 24
#define MOST_LITERALS 64
#define PREDICATES 12

typedef struct column {
    int32_t at; /* among the file's top-level columns */
    const pmn_type *type;
    pmn_datum literals[MOST_LITERALS];
    int n_literals;
} column;

typedef struct subject {
    pmn_format_file *file;
    pmn_buffer_pool *pool;
    struct ArrowSchema schema;
    pmn_arena arena;
    column columns[MOST_COLUMNS];
    int n_columns;
    uint64_t random;
} subject;

typedef struct totals {
    int64_t files, predicates, rows, skipped;
} totals;

static bool is_simple(const char *format)
{
    static const char *const formats[] = { "b", "c", "s", "i", "l", "f", "g", "u", "z", "tdD", "ttm" };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(format, formats[i]) == 0) return true;
    }
    if (strncmp(format, "ts", 2) == 0) return true;
    return strncmp(format, "d:", 2) == 0 && strchr(strchr(format, ',') + 1, ',') == NULL;
}

static void choose_columns(subject *s)
{
    s->n_columns = 0;
    for (int64_t i = 0; i < s->schema.n_children && s->n_columns < MOST_COLUMNS; i++) {
        column *c = &s->columns[s->n_columns];
        if (!is_simple(s->schema.children[i]->format)) continue;
        if (pmn_type_from_arrow(&s->arena, s->schema.children[i], &c->type, NULL) != PAIMON_OK) continue;
        c->at = (int32_t)i;
        c->n_literals = 0;
        s->n_columns++;
    }
}

/* Values spread over the batch; nulls are left out. */
static void take_literals(subject *s, const struct ArrowArray *batch)
{
    for (int i = 0; i < s->n_columns; i++) {
        column *c = &s->columns[i];
        for (int k = 0; k < 6 && c->n_literals < MOST_LITERALS; k++) {
            int64_t row = (int64_t)random_below(&s->random, (uint64_t)batch->length);
            pmn_datum v;
            /* a decimal may have more digits than its type, in a file */
            if (pmn_datum_from_arrow(c->type, s->schema.children[c->at], batch->children[c->at], row, &v, NULL) != PAIMON_OK) continue;
            if (!v.is_null && pmn_datum_copy(&s->arena, c->type, &v, &c->literals[c->n_literals], NULL) == PAIMON_OK) c->n_literals++;
        }
    }
}

/* A step beside a value, where the type has an easy one: bounds must be right at their edges too. */
static void nudge(subject *s, const pmn_type *type, pmn_datum *v)
{
    int64_t step = (int64_t)random_below(&s->random, 5) - 2;
    switch (type->kind) {
    case PMN_INT:
    case PMN_DATE:
        if (v->v.i > INT32_MIN + 2 && v->v.i < INT32_MAX - 2) v->v.i += step;
        break;
    case PMN_DOUBLE: v->v.d += (double)step; break;
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: v->v.ts.millis += step * 1000; break;
    default: break;
    }
}

static const pmn_pred *random_leaf(subject *s)
{
    static const paimon_predicate_op ops[] = { PAIMON_OP_EQ, PAIMON_OP_NE, PAIMON_OP_LT, PAIMON_OP_LE, PAIMON_OP_GT,      PAIMON_OP_GE,
                                               PAIMON_OP_IN, PAIMON_OP_NOT_IN, PAIMON_OP_BETWEEN, PAIMON_OP_NOT_BETWEEN, PAIMON_OP_IS_NULL, PAIMON_OP_IS_NOT_NULL };
    const column *c = &s->columns[random_below(&s->random, (uint64_t)s->n_columns)];
    pmn_pred *p = pmn_arena_calloc(&s->arena, 1, sizeof *p);
    int32_t *path = pmn_arena_calloc(&s->arena, 1, sizeof *path);
    pmn_datum *literals = pmn_arena_calloc(&s->arena, 2, sizeof *literals);
    p->kind = PMN_PRED_LEAF;
    p->op = ops[random_below(&s->random, sizeof ops / sizeof *ops)];
    if (c->n_literals == 0) p->op = random_below(&s->random, 2) ? PAIMON_OP_IS_NULL : PAIMON_OP_IS_NOT_NULL;
    path[0] = c->at;
    p->path = path;
    p->n_path = 1;
    p->type = c->type;
    p->literals = literals;
    if (p->op == PAIMON_OP_IS_NULL || p->op == PAIMON_OP_IS_NOT_NULL) return p;
    p->n_literals = p->op >= PAIMON_OP_IN && p->op != PAIMON_OP_IS_NULL ? 2 : 1;
    for (int i = 0; i < p->n_literals; i++) {
        literals[i] = c->literals[random_below(&s->random, (uint64_t)c->n_literals)];
        if (random_below(&s->random, 3) == 0) nudge(s, c->type, &literals[i]);
    }
    if (p->n_literals == 2) {
        int order = pmn_datum_compare(c->type, &literals[0], &literals[1]);
        if (order > 0) {
            pmn_datum swap = literals[0];
            literals[0] = literals[1];
            literals[1] = swap;
        }
        if (order == 0 && (p->op == PAIMON_OP_IN || p->op == PAIMON_OP_NOT_IN)) p->n_literals = 1;
    }
    return p;
}

static const pmn_pred *random_tree(subject *s, int depth)
{
    if (depth == 0 || random_below(&s->random, 2)) return random_leaf(s);
    pmn_pred *p = pmn_arena_calloc(&s->arena, 1, sizeof *p);
    const pmn_pred **children = pmn_arena_calloc(&s->arena, 2, sizeof *children);
    p->kind = random_below(&s->random, 2) ? PMN_PRED_AND : PMN_PRED_OR;
    p->n_children = 2;
    for (int i = 0; i < 2; i++) children[i] = random_tree(s, depth - 1);
    p->children = children;
    return p;
}

static pmn_format_reader *start(subject *s, const pmn_pred *filter, paimon_error *err)
{
    pmn_format_read_options options = { .batch_rows = 1000, .pool = s->pool, .n_threads = 1, .want_positions = true, .filter = filter, .filter_schema = filter ? &s->schema : NULL };
    pmn_format_reader *reader;
    return s->file->ops->read(s->file, &options, &reader, err) == PAIMON_OK ? reader : NULL;
}

/* The rows of the whole file for which `filter` is true, one bit each. False if the file does not read. */
static bool judge_rows(subject *s, const pmn_pred *filter, uint8_t *expected)
{
    int32_t identity[512];
    pmn_format_reader *reader = start(s, NULL, NULL);
    if (!reader || s->schema.n_children > 512) return pmn_format_reader_free(reader), false;
    for (int32_t i = 0; i < 512; i++) identity[i] = i;
    bool ok = true;
    while (true) {
        pmn_format_batch batch = { .first_row = 0 };
        ok = reader->ops->next(reader, &batch, NULL) == PAIMON_OK;
        if (!ok || !batch.array.release) break;
        assert_null(check_arrow(&s->schema, &batch.array));
        if (!filter) {
            take_literals(s, &batch.array);
        } else {
            uint8_t selected[128];
            int64_t n;
            assert_int_equal(pmn_pred_eval(filter, &s->schema, &batch.array, identity, pmn_mem_default(), selected, &n, NULL), PAIMON_OK);
            for (int64_t r = 0; r < batch.array.length; r++) {
                if (pmn_bit_get(selected, r)) pmn_bit_set(expected, batch.positions[r]);
            }
        }
        pmn_array_release(&batch.array);
    }
    pmn_format_reader_free(reader);
    return ok;
}

static void check_filter(subject *s, const char *name, int round, const pmn_pred *filter, uint8_t *expected, totals *t)
{
    int64_t n_rows = s->file->ops->row_count(s->file), last = -1;
    paimon_error err = PAIMON_ERROR_INIT;
    memset(expected, 0, pmn_bitmap_bytes(n_rows) + 1);
    if (!judge_rows(s, filter, expected)) fail_msg("%s: reads once, but not twice", name);
    pmn_format_reader *reader = start(s, filter, &err);
    if (!reader) fail_msg("%s: %s", name, paimon_error_message(&err));
    while (true) {
        pmn_format_batch batch = { .first_row = 0 };
        if (reader->ops->next(reader, &batch, &err) != PAIMON_OK) fail_msg("%s: %s", name, paimon_error_message(&err));
        if (!batch.array.release) break;
        assert_null(check_arrow(&s->schema, &batch.array));
        for (int64_t r = 0; r < batch.array.length; r++) {
            int64_t row = batch.positions[r];
            if (row <= last || !pmn_bit_get(expected, row)) fail_msg("%s, predicate %d: row %lld came, but does not match", name, round, (long long)row);
            pmn_bit_clear(expected, row);
            last = row;
        }
        pmn_array_release(&batch.array);
    }
    int64_t missing = pmn_bitmap_count(expected, 0, n_rows);
    if (missing) fail_msg("%s, predicate %d (op %d): %lld rows were lost", name, round, (int)filter->op, (long long)missing);
    pmn_format_metrics metrics;
    reader->ops->metrics(reader, &metrics);
    t->predicates++;
    t->rows += n_rows;
    t->skipped += metrics.rows_skipped_stats;
    pmn_format_reader_free(reader);
}

static void check_file(const char *path, const char *name, totals *t)
{
    subject s = { .random = 7 };
    pmn_format_open_options open = { .mem = pmn_mem_default(), .path = path, .size_bytes = -1 };
    assert_int_equal(pmn_env_fs(NULL, path, &open.fs, NULL), PAIMON_OK);
    const pmn_format *format;
    assert_int_equal(pmn_format_find((const char *)pmn_format_extension(path).data, &format, NULL), PAIMON_OK);
    if (format->open(&open, &s.file, NULL) != PAIMON_OK) return;
    pmn_arena_init(&s.arena, pmn_mem_default());
    s.pool = pmn_buffer_pool_new(pmn_mem_default(), 1 << 20);
    int64_t n_rows = s.file->ops->row_count(s.file);
    s.schema.release = NULL;
    bool has_schema = s.file->ops->schema(s.file, &s.schema, NULL) == PAIMON_OK;
    if (has_schema) choose_columns(&s);
    if (has_schema && n_rows > 0 && n_rows <= MOST_ROWS && s.n_columns > 0 && judge_rows(&s, NULL, NULL)) {
        uint8_t *expected = malloc(pmn_bitmap_bytes(n_rows) + 1);
        int rounds = n_rows > 5000 ? PREDICATES / 4 : PREDICATES;
        for (int i = 0; i < rounds; i++) check_filter(&s, name, i, random_tree(&s, 2), expected, t);
        free(expected);
        t->files++;
    }
    pmn_schema_release(&s.schema);
    pmn_buffer_pool_release(s.pool);
    pmn_arena_free(&s.arena);
    pmn_format_file_close(s.file);
}

static void check_folder(const char *folder, const char *extension, totals *t)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[4200];
        size_t n = strlen(e->d_name);
        size_t m = strlen(extension);
        if (n < m || strcmp(e->d_name + n - m, extension) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        check_file(path, e->d_name, t);
    }
    closedir(dir);
}

static void filtered_reads_of_our_own_small_files_are_exact(void **state)
{
    (void)state;
    totals t = { 0 };
    check_folder(PAIMON_SOURCE_DIR "/fuzz/corpus/parquet", ".parquet", &t);
    assert_true(t.files >= 5 && t.skipped > 0);
}

static void check_others(const char *shared, const char *extension, int64_t files, int64_t skipped)
{
    char folder[4096];
    totals t = { 0 };
    if (!shared_path(shared, folder, sizeof folder)) skip();
    check_folder(folder, extension, &t);
    printf("[  NOTE    ] %lld files, %lld predicates, %lld of %lld rows skipped by statistics\n", (long long)t.files, (long long)t.predicates, (long long)t.skipped, (long long)t.rows);
    assert_true(t.files > files && t.skipped > skipped);
}

static void filtered_reads_of_everyone_elses_parquet_files_are_exact(void **state)
{
    (void)state;
    check_others("corpus/parquet", ".parquet", 100, 50000);
}

static void filtered_reads_of_everyone_elses_orc_files_are_exact(void **state)
{
    (void)state;
    check_others("corpus/orc", ".orc", 100, 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filtered_reads_of_our_own_small_files_are_exact),
        cmocka_unit_test(filtered_reads_of_everyone_elses_parquet_files_are_exact),
        cmocka_unit_test(filtered_reads_of_everyone_elses_orc_files_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
