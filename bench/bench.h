/** What the parts of paimon-bench share. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>

#include "paimon-c/paimon.h"

typedef struct bench_options {
    const char *columns;
    const char *where;
    const char *mode;
    const char *src;
    const char *options;
    const char *pk;
    const char *partition; /**< columns of a new table */
    int64_t limit; /**< 0: none */
    int threads;
    int rounds;
    int n;
    bool into;
    bool compact;
    int stream; /**< rows of the sources: 1 read while they are written, 0 before, -1 as suits the threads */
} bench_options;

double bench_wall(void);
double bench_cpu(void); /**< user + system of the whole process */
/** Tell the error; the exit code. */
int bench_fail(paimon_error *err);
paimon_status bench_plan_table(paimon_table *table, paimon_predicate *predicate, paimon_plan **plan, paimon_error *err);

/* bench_contracts.c */
int bench_contracts(paimon_table *table, const bench_options *options);

/* bench_write.c */
int bench_write(paimon_catalog *catalog, const char *name, const bench_options *options);
int bench_commits(paimon_catalog *catalog, const char *name, const bench_options *options);

#endif
