/* A table object: a counted face over a source. */
#ifndef PMN_TABLE_TABLE_H
#define PMN_TABLE_TABLE_H

#include "paimon-c/table.h"
#include "scan/source.h"

struct paimon_table {
    atomic_int refs;
    pmn_source *source;
};

#endif
