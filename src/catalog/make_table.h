/* Publishing schemas: the first of a new table, and the next with other options. */
#ifndef PMN_CATALOG_MAKE_TABLE_H
#define PMN_CATALOG_MAKE_TABLE_H

#include "base/env.h"
#include "io/fs.h"
#include "paimon-c/catalog.h"

/* schema-0 in the folder `path`, if there is no schema yet: PAIMON_ALREADY_EXISTS. */
paimon_status pmn_table_make(paimon_env *env, paimon_fs *fs, const char *path, const paimon_table_definition *definition, paimon_error *err) PMN_MUST_USE;
/* The next schema of the table (or branch) at `root`, with these changes on top of whatever is the latest then. */
paimon_status pmn_table_change_options(paimon_env *env, paimon_fs *fs, const char *root, const paimon_option *changes, size_t n,
                                       paimon_error *err) PMN_MUST_USE;

#endif
