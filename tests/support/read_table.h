/* One call from a table to its rows as text; what fails comes back as "error …". Only public headers. */
#ifndef TESTS_SUPPORT_READ_TABLE_H
#define TESTS_SUPPORT_READ_TABLE_H

#include "paimon-c/paimon.h"
#include "support/show_rows.h"

typedef struct read_request {
    const paimon_option *options;
    size_t n_options;
    const char *columns; /* "a,b.c"; NULL: all; "": none */
    const char *where;   /* NULL: none */
    int64_t limit;       /* 0: none */
    int32_t threads;     /* 0: 1 */
    int64_t batch_rows;  /* 0: default */
    bool scan_all;       /* plan without predicate and limit: the reader alone must find the rows */
} read_request;

static inline char *read_failed(paimon_status status, paimon_error *err)
{
    shown out = { 0 };
    show(&out, "error %s: %s\n", paimon_status_name(status), paimon_error_message(err));
    paimon_error_clear(err);
    return out.text;
}

static inline size_t split_columns(char *text, const char **names, size_t max)
{
    size_t n = 0;
    for (char *name = *text ? strtok(text, ",") : NULL; name && n < max; name = strtok(NULL, ",")) names[n++] = name;
    return n;
}

typedef struct read_parts {
    paimon_table *table;
    paimon_scan *scan;
    paimon_plan *plan;
    paimon_read *read;
    paimon_predicate *predicate;
} read_parts;

static inline void read_parts_free(read_parts *p)
{
    paimon_predicate_free(p->predicate);
    paimon_read_free(p->read);
    paimon_plan_free(p->plan);
    paimon_scan_free(p->scan);
    paimon_table_free(p->table);
}

static inline paimon_status open_stream(paimon_env *env, const char *path, const read_request *q, read_parts *p, struct ArrowArrayStream *stream,
                                        paimon_error *err)
{
    paimon_status s = paimon_table_open(env, path, q->options, q->n_options, &p->table, err);
    if (s == PAIMON_OK && q->where) s = paimon_predicate_parse(q->where, &p->predicate, err);
    if (s == PAIMON_OK) s = paimon_scan_new(p->table, &p->scan, err);
    if (s == PAIMON_OK && p->predicate && !q->scan_all) s = paimon_scan_set_predicate(p->scan, p->predicate, err);
    if (s == PAIMON_OK && q->limit && !q->scan_all) s = paimon_scan_set_limit(p->scan, q->limit, err);
    if (s == PAIMON_OK) s = paimon_scan_plan(p->scan, &p->plan, err);
    if (s == PAIMON_OK) s = paimon_read_new(p->table, &p->read, err);
    if (s == PAIMON_OK && q->columns) {
        char *text = strdup(q->columns);
        const char *names[64] = { NULL };
        size_t n = split_columns(text, names, 64);
        s = paimon_read_set_columns(p->read, names, n, err);
        free(text);
    }
    if (s == PAIMON_OK && p->predicate) s = paimon_read_set_predicate(p->read, p->predicate, err);
    if (s == PAIMON_OK && q->limit) s = paimon_read_set_limit(p->read, q->limit, err);
    if (s == PAIMON_OK && q->threads) s = paimon_read_set_threads(p->read, q->threads, err);
    if (s == PAIMON_OK && q->batch_rows) s = paimon_read_set_batch_rows(p->read, q->batch_rows, err);
    if (s == PAIMON_OK) s = paimon_read_plan(p->read, p->plan, stream, err);
    return s;
}

static inline char *read_rows_env(paimon_env *env, const char *path, const read_request *q)
{
    static const read_request everything;
    read_parts parts = { 0 };
    struct ArrowArrayStream stream;
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_status s = open_stream(env, path, q ? q : &everything, &parts, &stream, &err);
    read_parts_free(&parts); /* the stream outlives them all */
    return s == PAIMON_OK ? show_stream(&stream) : read_failed(s, &err);
}

static inline char *read_rows(const char *path, const read_request *q) { return read_rows_env(NULL, path, q); }

static inline size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

#define TABLE(name) PAIMON_SOURCE_DIR "/tests/data/tables/" name
#define GOLDEN(name) PAIMON_SOURCE_DIR "/tests/data/golden/" name "/wh/db.db/t"

/* The rows of `path` under `request` are exactly `expected`. */
#define assert_rows(path, request, expected)                                                                             \
    do {                                                                                                                 \
        char *rows_ = read_rows(path, request);                                                                          \
        assert_string_equal(rows_, expected);                                                                            \
        free(rows_);                                                                                                     \
    } while (0)

/* Reading fails, and the text holds `part`. */
#define assert_read_fails(path, request, part)                                                                           \
    do {                                                                                                                 \
        char *rows_ = read_rows(path, request);                                                                          \
        if (!strstr(rows_, "error") || !strstr(rows_, part)) {                                                           \
            print_error("'%s' does not say '%s'\n", rows_, part);                                                        \
            fail();                                                                                                      \
        }                                                                                                                \
        free(rows_);                                                                                                     \
    } while (0)

#endif
