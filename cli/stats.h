/** --stats: what a command has cost and saved, one JSON object a line on standard error. */
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include "paimon-c/paimon.h"

void cli_stats_scan(const paimon_plan *plan);
/** NULL: nothing is said. */
void cli_stats_read(const paimon_reader *reader);
/** Of several writers, added up. */
void cli_stats_write(const paimon_write_metrics *metrics);
void cli_stats_commit(const paimon_commit *commit);

/** `sum` += what `write` did. */
void cli_stats_add(paimon_write_metrics *sum, const paimon_write *write);

#endif
