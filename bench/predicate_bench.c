/* How long predicates take on batches of 16 384 rows that lie in the cache: the best of many rounds, in nanoseconds a row.
 * It looks inside the library; the comparison with other implementations is paimon_bench.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "predicate/bound.h"

enum { ROWS = 16384, COLUMNS = 7, ROUNDS = 300 };

static const char ROW[] = "ROW<a INT, k BIGINT, s STRING, m STRING, p DECIMAL(15, 2), w DECIMAL(38, 2), d DOUBLE>";

static const char *const QUERIES[] = {
    "a BETWEEN 100 AND 1000",
    "a < 500",
    "a = 77",
    "k = 500",
    "k >= 50000",
    "p < 1500",
    "w < 1500",
    "d > 500",
    "a IN (1, 2, 3)",
    "k IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99999)",
    "s = 'MAIL'",
    "s <> 'RAIL'",
    "s >= 'MAIL'",
    "s IN ('MAIL', 'SHIP')",
    "s LIKE 'RE%'",
    "m LIKE '%number 77%'",
    "m LIKE 'comment%77_%'",
    "a IS NULL",
    "a < 500 AND k < 20000 AND s = 'MAIL'",
    "a < 100 OR k < 1000 OR s = 'AIR'",
};

typedef struct columns {
    uint8_t valid[ROWS / 8];
    int32_t a[ROWS];
    int64_t k[ROWS];
    int32_t s_offsets[ROWS + 1], m_offsets[ROWS + 1];
    char s[ROWS * 8], m[ROWS * 48];
    pmn_i128 p[ROWS], w[ROWS];
    double d[ROWS];
} columns;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fill(columns *c)
{
    static const char *const MODES[] = { "MAIL", "SHIP", "AIR", "TRUCK", "RAIL", "FOB", "REG AIR" };
    int32_t s_size = 0, m_size = 0;
    srand(1);
    for (int i = 0; i < ROWS; i++) {
        c->a[i] = rand() % 3000;
        c->k[i] = rand() % 100000;
        c->p[i] = rand() % 1000000;
        c->w[i] = rand() % 1000000;
        c->d[i] = rand() % 1000;
        c->s_offsets[i] = s_size;
        s_size += sprintf(c->s + s_size, "%s", MODES[rand() % 7]);
        c->m_offsets[i] = m_size;
        m_size += sprintf(c->m + m_size, "comment number %d of %d", rand(), i);
        if (i % 8 == 0) c->valid[i / 8] = (uint8_t)(rand() | rand());
    }
    c->s_offsets[ROWS] = s_size;
    c->m_offsets[ROWS] = m_size;
}

static int run(const char *query, pmn_arena *arena, const pmn_type *row, const struct ArrowSchema *schema, const struct ArrowArray *batch)
{
    static const int32_t NUMBERS[COLUMNS] = { 0, 1, 2, 3, 4, 5, 6 };
    static uint8_t selected[ROWS / 8];
    paimon_predicate *predicate = NULL;
    const pmn_pred *bound = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    int64_t n = 0;
    double best = 1e18;
    paimon_status status = paimon_predicate_parse(query, &predicate, &err);
    if (status == PAIMON_OK) status = pmn_pred_bind(arena, row, predicate, &bound, &err);
    for (int i = 0; i < ROUNDS && status == PAIMON_OK; i++) {
        double start = now_ns();
        status = pmn_pred_eval(bound, schema, batch, NUMBERS, pmn_mem_default(), selected, &n, &err);
        double took = now_ns() - start;
        if (took < best) best = took;
    }
    paimon_predicate_free(predicate);
    if (status != PAIMON_OK) {
        fprintf(stderr, "%s: %s\n", query, paimon_error_message(&err));
        paimon_error_clear(&err);
        return 1;
    }
    printf("%-50s %7.3f ns/row  %6lld rows\n", query, best / ROWS, (long long)n);
    return 0;
}

int main(void)
{
    static const char *const FORMATS[COLUMNS] = { "i", "l", "u", "u", "d:15,2", "d:38,2", "g" };
    columns *c = calloc(1, sizeof *c);
    pmn_arena arena;
    const pmn_type *row = NULL;
    if (!c) return 1;
    fill(c);
    const void *none[1] = { NULL };
    const void *buffers[COLUMNS][3] = {
        { c->valid, c->a }, { NULL, c->k }, { NULL, c->s_offsets, c->s }, { NULL, c->m_offsets, c->m }, { NULL, c->p }, { NULL, c->w }, { NULL, c->d }
    };
    struct ArrowSchema fields[COLUMNS] = { { 0 } }, *field_list[COLUMNS];
    struct ArrowArray arrays[COLUMNS] = { { 0 } }, *array_list[COLUMNS];
    struct ArrowSchema schema = { .format = "+s", .n_children = COLUMNS, .children = field_list };
    struct ArrowArray batch = { .length = ROWS, .n_buffers = 1, .buffers = none, .n_children = COLUMNS, .children = array_list };
    for (int i = 0; i < COLUMNS; i++) {
        fields[i].format = FORMATS[i];
        field_list[i] = &fields[i];
        arrays[i].length = ROWS;
        arrays[i].null_count = -1;
        arrays[i].n_buffers = FORMATS[i][0] == 'u' ? 3 : 2;
        arrays[i].buffers = buffers[i];
        array_list[i] = &arrays[i];
    }
    pmn_arena_init(&arena, pmn_mem_default());
    int failed = pmn_type_parse(&arena, ROW, &row, NULL) != PAIMON_OK;
    for (size_t i = 0; i < sizeof QUERIES / sizeof *QUERIES && !failed; i++) failed = run(QUERIES[i], &arena, row, &schema, &batch);
    pmn_arena_free(&arena);
    free(c);
    return failed;
}
