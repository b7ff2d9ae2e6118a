/* A table object: a counted face over a source. */
#ifndef PMN_TABLE_TABLE_H
#define PMN_TABLE_TABLE_H

#include "meta/source.h"
#include "paimon-c/table.h"

struct paimon_table {
    atomic_int refs;
    pmn_source *source;
};

#endif
