/* The text of `--where`: what parses must print to a text that parses to an equal predicate, and bind to a schema or be
 * refused; what binds is evaluated on a row of nulls and on statistics that are unknown. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predicate/ast.h"
#include "predicate/bound.h"

static const char ROW[] = "ROW<a INT, b STRING, c DECIMAL(10, 2), d DATE, e TIMESTAMP(3), f FLOAT, g DOUBLE, h BOOLEAN, i BYTES, j CHAR(4), "
                          "k BIGINT, l TIME(3), m ROW<x INT, y ROW<z STRING>>, n ARRAY<INT>, o TIMESTAMP(9) WITH LOCAL TIME ZONE, p TINYINT>";

enum { COLUMNS = 16 };

static bool knows_nothing(void *ctx, const pmn_pred *leaf, pmn_stat *out)
{
    (void)ctx, (void)leaf;
    out->null_count = -1;
    out->min.is_null = out->max.is_null = true;
    return true;
}

static void must(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void try_bind(const paimon_predicate *p)
{
    pmn_arena arena;
    const pmn_type *row;
    const pmn_pred *bound = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_arena_init(&arena, pmn_mem_default());
    must(pmn_type_parse(&arena, ROW, &row, NULL) == PAIMON_OK, "the schema does not parse");
    paimon_status status = pmn_pred_bind(&arena, row, p, &bound, &err);
    if (status == PAIMON_OK) {
        pmn_datum values[COLUMNS];
        memset(values, 0, sizeof values);
        for (int i = 0; i < COLUMNS; i++) values[i].is_null = true;
        if (pmn_pred_eval_row(bound, values, COLUMNS)) must(pmn_pred_may_match(bound, 1, knows_nothing, NULL), "unknown statistics lose a row");
    } else {
        must(status == PAIMON_NOT_FOUND || status == PAIMON_INVALID || status == PAIMON_UNSUPPORTED, "an unexpected status of bind");
        must(!strchr(paimon_error_message(&err), '\n'), "a message of two lines");
    }
    paimon_error_clear(&err);
    pmn_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pmn_mem *mem = pmn_mem_default();
    paimon_predicate *p = NULL, *again = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_status status = pmn_predicate_parse(mem, (const char *)data, size, &p, &err);
    if (status != PAIMON_OK) {
        must(status == PAIMON_INVALID || status == PAIMON_UNSUPPORTED, "an unexpected status of parse");
        must(paimon_error_message(&err)[0] != 0, "no message");
        must(!strchr(paimon_error_message(&err), '\n'), "a message of two lines");
        paimon_error_clear(&err);
        return 0;
    }
    pmn_buf text;
    pmn_buf_init(&text, mem, PMN_BUF_NO_CEILING);
    must(pmn_predicate_append(p, &text, NULL) == PAIMON_OK, "it does not print");
    must(!memchr(text.data, 0, text.size), "a zero byte in the text");
    /* a text near the limit may print to more than is taken */
    if (text.size <= PMN_PREDICATE_MAX_TEXT) {
        must(pmn_predicate_parse(mem, (const char *)text.data, text.size, &again, NULL) == PAIMON_OK, "its text does not parse");
        must(pmn_predicate_equal(p, again), "its text parses to something else");
    }
    pmn_buf_free(&text);
    try_bind(p);
    paimon_predicate_free(again);
    paimon_predicate_free(p);
    return 0;
}
